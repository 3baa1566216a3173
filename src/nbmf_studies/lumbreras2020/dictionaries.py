"""Figures 7, 8 and 9: the dictionaries of the fits with the smallest loss, side by side."""

import pandas as pd
from matplotlib.figure import Figure

from nbmf.data.matrix import BinaryMatrix
from nbmf.plotting import dictionaries
from nbmf_studies.framework.loaded import ShownFit


def draw(
    matrix: BinaryMatrix, fits: list[ShownFit], dataset: str, columns: int, diagnostics: pd.DataFrame | None = None
) -> Figure:
    """Draw W of each fit; what chains have not converged is noted below its panel.

    Parameters
    ----------
    matrix : BinaryMatrix
        Whose rows are named and, where it has groups, sorted by them.
    fits : list of ShownFit
        The panels; without groups the first sets the order of the rows.
    dataset : str
        The name of the matrix in `diagnostics`.
    columns : int
        Of each panel.
    diagnostics : DataFrame, optional
        As `nbmf.posterior.diagnostics.diagnose` makes it; without, no method samples.
    """
    has_converged = {}
    if diagnostics is not None:
        of_dataset = diagnostics[diagnostics["dataset"] == dataset]
        has_converged = dict(zip(of_dataset["method"], of_dataset["converged"], strict=True))
    shown = [
        dictionaries.Dictionary(fit.label, fit.W, "" if has_converged.get(fit.method, True) else "chains not converged")
        for fit in fits
    ]
    order = dictionaries.meaningful_row_order(shown[0].W, matrix.row_names, matrix.row_groups)
    return dictionaries.draw(shown, matrix.row_names, matrix.row_groups, columns, order)
