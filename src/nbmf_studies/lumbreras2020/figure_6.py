"""Figure 6: the parliament matrix and its reconstructions, members sorted by party and name."""

import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import DataError
from nbmf.plotting import style
from nbmf.plotting.ordering import order_by_group
from nbmf.plotting.strips import Run, runs_of, spread
from nbmf_studies.framework.loaded import ShownFit

COLUMNS = 3
PANEL_HEIGHT = 2.45  # inches, with the title
LABEL_SIZE = 5  # points
LABEL_GAP = 5.8  # points between the centres of group labels, at least
BORDER = {"color": style.COLOURS[0], "linewidth": 0.35, "alpha": 0.8}


def draw(matrix: BinaryMatrix, fits: list[ShownFit]) -> Figure:
    """Draw the data and the reconstructions; black is 1, white is 0, orange is missing.

    Rows and columns are sorted alike: by group, the largest first, then by name.

    Parameters
    ----------
    matrix : BinaryMatrix
        A square matrix whose rows and columns have the same names, with row groups.
    fits : list of ShownFit
        The reconstructions, drawn after the data in this order.

    Raises
    ------
    DataError
        If the matrix is not as described, or a reconstruction has another shape.
    """
    rows, columns = _orders(matrix)
    for fit in fits:
        if fit.expectation is None:
            raise DataError(f"{fit.label}: the fit has not kept E[V], which figure 6 shows")
        if fit.expectation.shape != matrix.shape:
            raise DataError(f"{fit.label}: the shape {fit.expectation.shape} is not the data's, {matrix.shape}")
    data = np.where(matrix.codes == MISSING, np.nan, matrix.codes)
    pictures = [("data V", data)]
    pictures += [(_title(fit), fit.expectation) for fit in fits]
    runs = runs_of(matrix.row_groups[rows])
    n_rows = math.ceil(len(pictures) / COLUMNS)
    figure, axes = plt.subplots(
        n_rows, COLUMNS, figsize=(style.PAGE_WIDTH, PANEL_HEIGHT * n_rows + 0.4), squeeze=False, layout="compressed"
    )
    for axis in axes.flat[len(pictures) :]:
        axis.set_axis_off()
    for i, (axis, (title, values)) in enumerate(zip(axes.flat, pictures, strict=False)):
        image = _draw_panel(axis, values[np.ix_(rows, columns)], runs)
        axis.set_title(title, fontsize=8)
        if i % COLUMNS == 0:
            _label_groups(axis, runs, "y")
        if i + COLUMNS >= len(pictures):
            _label_groups(axis, runs, "x")
    bar = figure.colorbar(image, ax=axes, shrink=0.5, aspect=30, pad=0.015, ticks=[0, 0.5, 1])
    bar.set_label("probability of a one, E[V]")
    return figure


def _title(fit: ShownFit) -> str:
    return f"{fit.label}\nD(V|V̂) = {fit.loss:,.0f} nats, {fit.active_components} active"


def _orders(matrix: BinaryMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of the rows, and that of the columns by the same names."""
    if matrix.row_groups is None:
        raise DataError("figure 6 sorts members by party: the matrix has no row groups")
    column_of = {name: n for n, name in enumerate(matrix.column_names)}
    if column_of.keys() != set(matrix.row_names):
        raise DataError("figure 6 needs the same names in rows and columns")
    rows = order_by_group(matrix.row_names, matrix.row_groups)
    return rows, np.array([column_of[name] for name in matrix.row_names[rows]])


def _draw_panel(axis: Axes, values: np.ndarray, runs: list[Run]) -> AxesImage:
    cmap = plt.get_cmap("gray_r").with_extremes(bad=style.COLOURS[5])
    image = axis.imshow(values, cmap=cmap, vmin=0, vmax=1, interpolation="nearest")
    for run in runs[1:]:
        axis.axhline(run.start - 0.5, **BORDER)
        axis.axvline(run.start - 0.5, **BORDER)
    axis.set(xticks=[], yticks=[])
    axis.spines[["top", "right"]].set_visible(True)
    axis.spines[:].set_linewidth(0.5)
    return image


def _label_groups(axis: Axes, runs: list[Run], which: str) -> None:
    """Name the groups along the left (y) or below (x), apart from each other."""
    side = PANEL_HEIGHT - 0.35  # inches, about
    gap = LABEL_GAP / 72 / side * runs[-1].stop  # in rows
    places = spread(np.array([(run.start + run.stop - 1) / 2 for run in runs]), gap)
    for run, place in zip(runs, places, strict=True):
        if which == "y":
            position = {"xy": (0, place), "xycoords": axis.get_yaxis_transform()}
            position |= {"xytext": (-2, 0), "ha": "right", "va": "center"}
        else:
            position = {"xy": (place, 0), "xycoords": axis.get_xaxis_transform()}
            position |= {"xytext": (0, -2), "ha": "center", "va": "top", "rotation": 90}
        axis.annotate(run.group, textcoords="offset points", fontsize=LABEL_SIZE, **position)
