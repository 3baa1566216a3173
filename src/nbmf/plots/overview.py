"""Pictures of one fit: both factors with every row and column named, and V beside E[V]."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from nbmf.data.matrix import MISSING
from nbmf.errors import DataError
from nbmf.plots import style
from nbmf.plots.dictionaries import (
    STRIPE,
    group_runs,
    order_by_group,
    show_groups,
)

ROW_HEIGHT = 0.125  # inches
MARGINS = 1.5  # inches: titles, notes and the colour bar
NAME_SIZE, NOTE_SIZE = 6.5, 7
FEW = 10  # components, above which their labels are smaller
NAME_LENGTH = 30  # characters; longer names are cut
FAINT = 0.35  # a factor whose largest entry is smaller is drawn darker
WIDE = 2.0  # columns per row from which V and E[V] are drawn one below the other


class Side(NamedTuple):
    """One factor: what it says of the rows, or of the columns, of V.

    weights : float array (n, K), the components from left to right
    names : str array (n,)
    title : str
    groups : str array (n,) or None
    """

    weights: np.ndarray
    names: np.ndarray
    title: str
    groups: np.ndarray | None = None


def contrast(weights: np.ndarray) -> np.ndarray:
    """Return by how much each weight exceeds the mean of its line's other components, (n, K).

    This says which component a line is typical of. Where all components agree, as about a column
    that is always one, no component has a contrast.
    """
    K = weights.shape[1]
    if K == 0:  # nothing is typical of anything
        return np.zeros((len(weights), 1))
    if K == 1:
        return weights - weights.mean()
    others = (weights.sum(axis=1, keepdims=True) - weights) / (K - 1)
    return weights - others


def most_distinctive(weights: np.ndarray, count: int) -> np.ndarray:
    """Return at most `count` lines: of each component in turn those most typical of it.

    Parameters
    ----------
    weights : float array (n, K)
        A line per row or column of V.
    count : int
        How many.

    Returns
    -------
    int array (min(n, count),), ascending
    """
    distance = contrast(weights)
    typical_of, strength = distance.argmax(axis=1), distance.max(axis=1)
    rank = np.empty(len(weights), int)
    for k in np.unique(typical_of):
        members = np.flatnonzero(typical_of == k)
        rank[members[np.argsort(-strength[members], kind="stable")]] = np.arange(len(members))
    return np.sort(np.lexsort((-strength, rank))[:count])


def order_of(side: Side) -> np.ndarray:
    """Return the lines by group and name, or else by the component they are most typical of."""
    if side.groups is not None:
        return order_by_group(side.names, side.groups)
    distance = contrast(side.weights)
    return np.lexsort((-distance.max(axis=1), distance.argmax(axis=1)))


def draw_factors(
    sides: list[Side], labels: list[str], max_lines: int = 60, title: str = ""
) -> Figure:
    """Draw W and H transposed, one beside the other; black is 1, white is 0.

    Parameters
    ----------
    sides : list of Side
        The rows of V, then its columns, with the same components.
    labels : list of str
        Below each component, for example its number and its share.
    max_lines : int
        Of more rows or columns than this, the most distinctive are shown.
    title : str
        Of the whole picture.

    Raises
    ------
    DataError
        If a side has another number of names or components.
    """
    for side in sides:
        if side.weights.shape != (len(side.names), len(labels)):
            raise DataError(
                f"{side.title}: weights of shape {side.weights.shape} for {len(side.names)} names "
                f"and {len(labels)} components"
            )
    if not labels:  # no component was found: an empty column says so
        sides = [side._replace(weights=np.zeros((len(side.names), 1))) for side in sides]
        labels = ["none"]
    chosen = [most_distinctive(side.weights, max_lines) for side in sides]
    height = max(len(lines) for lines in chosen)
    figure = plt.figure(
        figsize=(style.PAGE_WIDTH, height * ROW_HEIGHT + MARGINS), layout="constrained"
    )
    grid = GridSpec(1, len(sides), figure=figure)
    axes = [figure.add_subplot(place) for place in grid]
    for axis, side, lines in zip(axes, sides, chosen, strict=True):
        shown = Side(
            side.weights[lines],
            side.names[lines],
            _counted(side.title, len(lines), len(side.names)),
            None if side.groups is None else side.groups[lines],
        )
        image = _draw_side(axis, shown, labels, height)
    figure.suptitle(title, fontsize=9)
    bar = figure.colorbar(
        image, ax=axes, location="bottom", shrink=0.35, aspect=40, pad=0.01, ticks=[0, 0.5, 1]
    )
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    return figure


def _counted(title: str, shown: int, count: int) -> str:
    return title if shown == count else f"{title}\nthe most distinctive {shown} of {count}"


def _draw_side(axis: Axes, side: Side, labels: list[str], height: int):
    """Draw one factor and return its image; all panels have rows of the same height."""
    weights, note = side.weights, ""
    if weights.min() < 0 or weights.max() > 1 or weights.max() < FAINT:
        weights, low, high = _from_zero(weights)
        note = f"\n[{low:.2g}, {high:.2g}] drawn as [0, 1]"
    order = order_of(side)
    n = len(order)
    image = axis.imshow(
        weights[order], cmap="gray_r", vmin=0, vmax=1, aspect="auto", interpolation="nearest"
    )
    axis.set_ylim(height - 0.5, -0.5)
    axis.set_yticks(range(n), [_cut(name) for name in side.names[order]], fontsize=NAME_SIZE)
    size = NAME_SIZE - 0.5 if len(labels) <= FEW else NAME_SIZE - 2
    axis.set_xticks(range(len(labels)), labels, fontsize=size)
    axis.tick_params(length=0, pad=2, labeltop=True, labelbottom=False)
    axis.tick_params(axis="y", pad=2 if side.groups is None else STRIPE + 3)
    axis.set_title(side.title + note, fontsize=NOTE_SIZE + 1, pad=4)
    axis.spines[:].set_visible(False)
    edge = len(labels) - 0.5
    axis.plot([-0.5, edge, edge, -0.5, -0.5], [-0.5, -0.5, n - 0.5, n - 0.5, -0.5],
              color="black", linewidth=0.5, clip_on=False)  # fmt: skip
    for k in range(1, len(labels)):
        axis.plot([k - 0.5, k - 0.5], [-0.5, n - 0.5], color="0.8", linewidth=0.3)
    axis.set_xlim(-0.5, edge)
    if side.groups is not None:
        runs = group_runs(side.groups[order])
        show_groups([axis], runs, sorted(set(side.groups)), ROW_HEIGHT)
    return image


def _from_zero(weights: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return weights mapped to [0, 1], and what 0 and 1 stand for.

    Zero is always one of the ends, or in the middle: what hardly differs is drawn as such.
    """
    largest = float(abs(weights).max()) or 1.0
    if weights.min() < 0:
        return 0.5 + weights / (2 * largest), -largest, largest
    return weights / largest, 0.0, largest


def _cut(name: str) -> str:
    name = str(name)
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"


def draw_reconstruction(
    codes: np.ndarray,
    expectation: np.ndarray,
    sides: list[Side],
    title: str = "",
) -> Figure:
    """Draw V and E[V] in the same order; black is 1, white is 0, orange is missing.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    expectation : float array (F, N)
        E[V].
    sides : list of Side
        The rows and the columns: they set the order.
    title : str
        Of E[V]: the method.

    Raises
    ------
    DataError
        If shapes differ.
    """
    shape = tuple(len(side.names) for side in sides)
    if not codes.shape == expectation.shape == shape:
        raise DataError(
            f"shapes differ: the data {codes.shape}, E[V] {expectation.shape}, the names {shape}"
        )
    order = np.ix_(*(order_of(side) for side in sides))
    data = np.where(codes == MISSING, np.nan, codes)
    wide = shape[1] > WIDE * shape[0]
    layout = (2, 1) if wide else (1, 2)
    side_by_side = style.PAGE_WIDTH / 2 * min(shape[0] / shape[1], 2.2)
    size = (style.PAGE_WIDTH, 5.0 if wide else side_by_side + 0.9)
    figure, axes = plt.subplots(*layout, figsize=size, layout="constrained")
    cmap = plt.get_cmap("gray_r").with_extremes(bad=style.COLOURS[5])
    titles = "V" + " (orange: missing)" * bool((codes == MISSING).any()), f"E[V], {title}"
    for axis, values, name in zip(axes, (data, expectation), titles, strict=True):
        # "auto" averages cells smaller than a pixel, so that thin ones stay visible.
        image = axis.imshow(values[order], cmap=cmap, vmin=0, vmax=1, aspect="auto")
        axis.set_title(name, fontsize=8)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
    axes[0].set_ylabel(f"{shape[0]} {sides[0].title}")
    axes[-1].set_xlabel(f"{shape[1]} {sides[1].title}")
    bar = figure.colorbar(
        image, ax=axes, location="bottom", shrink=0.35, aspect=40, pad=0.01, ticks=[0, 0.5, 1]
    )
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    bar.set_label("probability of a one, E[V]", fontsize=7)
    return figure
