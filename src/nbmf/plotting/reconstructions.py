"""V next to E[V], rows and columns in one order."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from nbmf.data.symmetry import is_symmetric, without_directions
from nbmf.plotting import group_names, headings, places, strips, style
from nbmf.plotting.labelled_factor import LabelledFactor, limit_of, order_of
from nbmf.plotting.overview import TITLE_LENGTH, colour_bar

WIDE = 2.0  # columns per row from which V and E[V] are drawn one below the other
FAINT = 0.35  # probabilities of which the largest is smaller are drawn darker
MISSING = style.COLOURS[5]
SMALL = 0.005  # of the values of V and E[V], beyond either end of the colours


@style.in_style
def draw_reconstruction(
    values: np.ndarray,
    expectation: np.ndarray,
    factors: Sequence[LabelledFactor],
    title: str = "",
    label: str = "",
    ax=None,
    lowest: float = 0.0,
) -> list[Axes]:
    """Draw V and E[V] in the same order; black is large, white is small, orange is missing.

    Strips at the left and below are the components that rows and columns are most typical of, or their positions
    on the first axis, from blue, below 0, to red; outside of these are the groups. Where all probabilities of a
    binary matrix are small, black is the largest of them.

    Parameters
    ----------
    values : float array (F, N)
        V, NaN where missing.
    expectation : float array (F, N)
        E[V]; it sets the limits of the colours together with V, unless V is binary. Of a symmetric binary matrix
        both entries of a tie have their mean.
    factors : list of LabelledFactor
        The rows and the columns: they set the order and the strips; of a symmetric matrix the rows alone.
    title : str
        Of E[V]: the method.
    label : str
        Of the colour bar: what E[V] is.
    ax : two axes, optional
        Of Matplotlib; by default a figure with a colour bar is made.
    lowest : float
        What V can be at least, which is white unless E[V] is smaller.

    Returns
    -------
    list of Axes: that of V and that of E[V]
    """
    shape = tuple(len(factor.names) for factor in factors)
    axes = _data_and_expectation(shape) if ax is None else style.given_axes(ax, 2)
    orders = [order_of(factor) for factor in factors]
    if is_symmetric(values, ~np.isnan(values)):  # of an undirected network the diagonal is one
        rows, columns = factors
        factors, orders[1] = [rows, columns._replace(weights=rows.weights, main=rows.main, axes=rows.axes)], orders[0]
        if _are_probabilities(values):  # as in all tables, a tie has one
            expectation = without_directions(expectation)
    low, high = _limits(values, expectation, lowest)
    highest = float(expectation.max()) if _are_probabilities(values) else high
    limits = (low, high), (low, highest if 0 < highest < FAINT else high)
    cmap = plt.get_cmap("gray_r").with_extremes(bad=MISSING)
    titles = (
        "V" + " (orange: missing)" * bool(np.isnan(values).any()),
        headings.wrapped(f"E[V], {title}", TITLE_LENGTH // 2),
    )
    limit = limit_of(factors)
    for axis, shown, name, (least, most) in zip(axes, (values, expectation), titles, limits, strict=True):
        image = _draw_cells(axis, shown[np.ix_(*orders)], cmap=cmap, vmin=least, vmax=most)
        axis.set_title(name, fontsize=8)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
        for factor, order, along in zip(factors, orders, "yx", strict=True):
            if factor.kind:
                places.note(axis, factor.kind, order, **{along: np.arange(len(order))})
        for factor, order, edge in zip(factors, orders, ("left", "bottom"), strict=True):
            strips.draw_strips(axis, factor.at(order), edge, limit)
    rows, columns = (factor.at(order) for factor, order in zip(factors, orders, strict=True))
    group_names.draw_factor_groups(axes[-1], rows, "right")
    below = max(group_names.draw_factor_groups(axis, columns, "bottom") for axis in axes)
    numbers = 0.0 if rows.groups is not None else max(strips.number_components(axis, rows, "left") for axis in axes)
    axes[0].set_ylabel(f"{shape[0]} {rows.title}", labelpad=2 * strips.WIDTH + 3 + numbers)
    axes[-1].set_xlabel(f"{shape[1]} {columns.title}", labelpad=strips.WIDTH + 3 + below)
    if ax is None:
        colour_bar(image, axes, label, _beyond(limits[1], values, expectation))
    return axes


def _draw_cells(axis: Axes, values: np.ndarray, **colours) -> AxesImage:
    """Draw a matrix; cells smaller than a pixel are averaged, along that axis alone, so that thin ones stay visible.

    (Matplotlib's own averaging of many rows would blur few columns, too.)
    """
    extent = axis.get_window_extent()
    pixels = np.array([extent.height, extent.width]) / axis.figure.dpi * style.PNG_DPI
    F, N = values.shape
    for along, size in enumerate(values.shape):
        values = _averaged(values, int(-(-size // pixels[along])), along)
    at = (-0.5, N - 0.5, F - 0.5, -0.5)
    return axis.imshow(np.ma.masked_invalid(values), aspect="auto", interpolation="nearest", extent=at, **colours)


def _averaged(values: np.ndarray, count: int, axis: int) -> np.ndarray:
    """Return the means of so many neighbours along an axis; NaN where half of them are missing."""
    if count <= 1:
        return values
    starts, missing = np.arange(0, values.shape[axis], count), np.isnan(values)
    sums, gaps = (np.add.reduceat(x, starts, axis, dtype=float) for x in (np.where(missing, 0.0, values), missing))
    sizes = np.diff([*starts, values.shape[axis]])
    sizes = sizes[:, None] if axis == 0 else sizes
    return np.where(2 * gaps >= sizes, np.nan, sums / np.maximum(sizes - gaps, 1))


def _data_and_expectation(shape: tuple[int, int]) -> list[Axes]:
    """Return the axes of a new figure for V and E[V], side by side unless V is wide."""
    is_wide = shape[1] > WIDE * shape[0]
    side_by_side = style.PAGE_WIDTH / 2 * min(shape[0] / shape[1], 2.2)
    _, axes = plt.subplots(
        *((2, 1) if is_wide else (1, 2)),
        figsize=(style.PAGE_WIDTH, 5.0 if is_wide else side_by_side + 0.9),
        layout="constrained",
    )
    return list(axes)


def _limits(values: np.ndarray, expectation: np.ndarray, lowest: float) -> tuple[float, float]:
    """Return what is white and what is black: 0 and 1, or the lowest value and nearly all of V and E[V]."""
    if _are_probabilities(values):
        return 0.0, 1.0
    every = np.concatenate([values[~np.isnan(values)], expectation.ravel()])
    return min(lowest, float(np.quantile(every, SMALL))), float(np.quantile(every, 1 - SMALL))


def _beyond(limits: tuple[float, float], values: np.ndarray, expectation: np.ndarray) -> str:
    """Return at which ends of a colour bar there are values beyond it; binary ones are 0 and 1 whatever the limits."""
    drawn = [expectation] if _are_probabilities(values) else [values, expectation]
    is_below, is_above = (
        any(np.nanmin(each) < limits[0] for each in drawn),
        any(np.nanmax(each) > limits[1] for each in drawn),
    )
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[is_below, is_above]


def _are_probabilities(values: np.ndarray) -> bool:
    """Return whether V is binary, or between 0 and 1 as if it were."""
    return bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)
