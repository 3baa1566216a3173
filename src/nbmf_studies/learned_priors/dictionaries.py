"""Dictionaries under the paper's prior and under learned ones, side by side."""

import numpy as np
from matplotlib.figure import Figure

from nbmf.data.matrix import BinaryMatrix
from nbmf.plotting import dictionaries
from nbmf_studies.framework.loaded import ShownFit

SEEN = 0.05  # of a row, for a component to be seen


def draw(matrix: BinaryMatrix, fits: list[ShownFit], columns: int) -> Figure:
    """Draw W of each fit, components by their weight, rows in an order that both share.

    Parameters
    ----------
    matrix : BinaryMatrix
        Whose rows are named and, where it has groups, sorted by them.
    fits : list of ShownFit
        The panels; without groups the first sets the order of the rows.
    columns : int
        Of each panel at most: of components of which no row in any panel has a share that is seen there are none.
    """
    columns = min(columns, max(np.count_nonzero((fit.W >= SEEN).any(axis=0)) for fit in fits))
    shown = [dictionaries.Dictionary(fit.label, fit.W, f"{fit.active_components} active") for fit in fits]
    order = dictionaries.meaningful_row_order(shown[0].W, matrix.row_names, matrix.row_groups)
    return dictionaries.draw(shown, matrix.row_names, matrix.row_groups, columns, order)
