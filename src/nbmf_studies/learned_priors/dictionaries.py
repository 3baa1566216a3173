"""Dictionaries under the paper's prior and under learned ones, side by side."""

from matplotlib.figure import Figure

from nbmf.data.matrix import BinaryMatrix
from nbmf.plotting import dictionaries
from nbmf_studies.framework.loaded import ShownFit


def draw(matrix: BinaryMatrix, fits: list[ShownFit], columns: int) -> Figure:
    """Draw W of each fit, components by their weight, rows in an order that both share.

    Parameters
    ----------
    matrix : BinaryMatrix
        Whose rows are named and, where it has groups, sorted by them.
    fits : list of ShownFit
        The panels; without groups the first sets the order of the rows.
    columns : int
        Of each panel.
    """
    shown = [dictionaries.Dictionary(fit.label, fit.W, f"{fit.active_components} active") for fit in fits]
    order = dictionaries.meaningful_row_order(shown[0].W, matrix.row_names, matrix.row_groups)
    return dictionaries.draw(shown, matrix.row_names, matrix.row_groups, columns, order)
