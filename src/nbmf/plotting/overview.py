"""Pictures of one fit: both factors with every row and column named, and V beside E[V]."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from nbmf.errors import DataError
from nbmf.plotting import strips, style
from nbmf.plotting.sides import Side, most_distinctive, order_of

ROW_HEIGHT = 0.125  # inches
MARGINS = 1.5  # inches: titles, notes and the colour bar
NAME_SIZE, NOTE_SIZE = 6.5, 7
FEW = 10  # components, above which their labels are smaller
NAME_LENGTH = 30  # characters; longer names are cut
FAINT = 0.35  # a factor whose largest entry is smaller is drawn darker
WIDE = 2.0  # columns per row from which V and E[V] are drawn one below the other
MISSING = style.COLOURS[5]
SMALL = 0.005  # of the values of V and E[V], beyond either end of the colours


@style.in_style
def draw_factors(
    sides: Sequence[Side], labels: Sequence[str], max_lines: int = 60, title: str = "", ax=None
) -> list[Axes]:
    """Draw W and H transposed, one beside the other, or one of them; black is 1, white is 0.

    Factors with signs are red above 0 and blue below.

    Parameters
    ----------
    sides : list of Side
        The rows of V, then its columns, with the same components; or one of these.
    labels : list of str
        Above each component, for example its number and its share.
    max_lines : int
        Of more rows or columns than this, the most distinctive are shown.
    title : str
        Of the whole picture, where this makes the figure.
    ax : axes, optional
        Of Matplotlib, one for each side; by default a figure with a colour bar is made.

    Returns
    -------
    list of Axes, one for each side

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
    chosen = [most_distinctive(side, max_lines) for side in sides]
    height = max(len(lines) for lines in chosen)
    if ax is None:
        size = (style.PAGE_WIDTH * len(sides) / 2, height * ROW_HEIGHT + MARGINS)
        figure, axes = plt.subplots(1, len(sides), figsize=size, squeeze=False, layout="constrained")
        axes = list(axes[0])
        figure.suptitle(title, fontsize=9)
    else:
        axes = style.given_axes(ax, len(sides))
    images = [
        _draw_side(axis, side, lines, labels, height) for axis, side, lines in zip(axes, sides, chosen, strict=True)
    ]
    if ax is None:
        signed = [image for image in images if image.get_cmap().name == style.SIGNED]
        image = (signed or images)[0]
        _colour_bar(image, axes)
        if signed:  # each side has a largest value of its own
            image.colorbar.set_ticklabels(["− largest", "0", "largest"])
    return axes


def _colour_bar(image: AxesImage, axes: Sequence[Axes], label: str = "") -> None:
    low, high = image.get_clim()
    bar = axes[0].figure.colorbar(
        image,
        ax=axes,
        location="bottom",
        shrink=0.35,
        aspect=40,
        pad=0.01,
        ticks=[low, (low + high) / 2, high],
        format="{x:.3g}",
    )
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    bar.set_label(label, fontsize=NOTE_SIZE)


def _draw_side(axis: Axes, side: Side, lines: np.ndarray, labels: Sequence[str], height: int) -> AxesImage:
    """Draw some lines of a factor; all panels have `height` lines, so these are equally high."""
    order = order_of(side)
    shown = side.at(order[np.isin(order, lines)])
    title = side.title
    if len(lines) < len(side.names):
        title += f"\nthe most distinctive {len(lines)} of {len(side.names)}"
    weights, n = shown.weights, len(lines)
    if weights.min() < 0 or weights.max() > 1 or weights.max() < FAINT:
        weights, low, high = _from_zero(weights)
        how = "blue to red" if low < 0 else "drawn as [0, 1]"
        title += f"\n[{low:.2g}, {high:.2g}] {how}"
    has_signs = bool(shown.weights.min() < 0)
    cmap = style.SIGNED if has_signs else "gray_r"
    image = axis.imshow(weights, cmap=cmap, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axis.set_ylim(height - 0.5, -0.5)
    axis.set_yticks(range(n), [cut(name) for name in shown.names], fontsize=NAME_SIZE)
    size = NAME_SIZE - 0.5 if len(labels) <= FEW else NAME_SIZE - 2
    axis.set_xticks(range(len(labels)), labels, fontsize=size)
    axis.tick_params(axis="x", length=0, pad=strips.WIDTH + 2, labeltop=True, labelbottom=False)
    axis.tick_params(axis="y", length=0, pad=2 if side.groups is None else strips.WIDTH + 3)
    axis.set_title(title, fontsize=NOTE_SIZE + 1, pad=4)
    axis.spines[:].set_visible(False)
    edge = len(labels) - 0.5
    axis.plot(
        [-0.5, edge, edge, -0.5, -0.5],
        [-0.5, -0.5, n - 0.5, n - 0.5, -0.5],
        color="black",
        linewidth=0.5,
        clip_on=False,
    )
    for k in range(1, len(labels)):
        axis.plot([k - 0.5, k - 0.5], [-0.5, n - 0.5], color="0.8", linewidth=0.3)
    axis.set_xlim(-0.5, edge)
    strips.draw_components(axis, np.arange(len(labels)), "top")
    if shown.groups is not None:
        strips.draw_groups([axis], strips.runs_of(shown.groups), side.groups, ROW_HEIGHT)
    return image


def _from_zero(weights: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return weights mapped to [0, 1], and what 0 and 1 stand for.

    Zero is always one of the ends, or in the middle: what hardly differs is drawn as such.
    """
    largest = float(abs(weights).max()) or 1.0
    if weights.min() < 0:
        return 0.5 + weights / (2 * largest), -largest, largest
    return weights / largest, 0.0, largest


def cut(name: str) -> str:
    """Return a name that is not too long for a picture."""
    name = str(name)
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"


@style.in_style
def draw_reconstruction(
    values: np.ndarray, expectation: np.ndarray, sides: Sequence[Side], title: str = "", label: str = "", ax=None
) -> list[Axes]:
    """Draw V and E[V] in the same order; black is large, white is small, orange is missing.

    Strips at the left and below are the components that rows and columns are most typical of; at
    the right and above, the groups.

    Parameters
    ----------
    values : float array (F, N)
        V, NaN where missing.
    expectation : float array (F, N)
        E[V]; it sets the limits of the colours together with V, unless V is binary.
    sides : list of Side
        The rows and the columns: they set the order.
    title : str
        Of E[V]: the method.
    label : str
        Of the colour bar: what E[V] is.
    ax : two axes, optional
        Of Matplotlib; by default a figure with a colour bar is made.

    Returns
    -------
    list of Axes: that of V and that of E[V]

    Raises
    ------
    DataError
        If shapes differ.
    """
    shape = tuple(len(side.names) for side in sides)
    if not values.shape == expectation.shape == shape:
        raise DataError(f"shapes differ: the data {values.shape}, E[V] {expectation.shape}, the names {shape}")
    axes = _data_and_expectation(shape) if ax is None else style.given_axes(ax, 2)
    orders = [order_of(side) for side in sides]
    low, high = _limits(values, expectation)
    cmap = plt.get_cmap("gray_r").with_extremes(bad=MISSING)
    titles = "V" + " (orange: missing)" * bool(np.isnan(values).any()), f"E[V], {title}"
    for axis, shown, name in zip(axes, (values, expectation), titles, strict=True):
        # "auto" averages cells smaller than a pixel, so that thin ones stay visible.
        image = axis.imshow(shown[np.ix_(*orders)], cmap=cmap, vmin=low, vmax=high, aspect="auto")
        axis.set_title(name, fontsize=8)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
        for side, order, edge in zip(sides, orders, ("left", "bottom"), strict=True):
            strips.draw_lines(axis, side.at(order), edge)
    rows, columns = (side.at(order) for side, order in zip(sides, orders, strict=True))
    strips.name_groups(axes[-1], rows, "right")
    below = max(strips.name_groups(axis, columns, "bottom") for axis in axes)
    axes[0].set_ylabel(f"{shape[0]} {rows.title}", labelpad=2 * strips.WIDTH + 3)
    axes[-1].set_xlabel(f"{shape[1]} {columns.title}", labelpad=strips.WIDTH + 3 + below)
    if ax is None:
        _colour_bar(image, axes, label)
    return axes


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


def _limits(values: np.ndarray, expectation: np.ndarray) -> tuple[float, float]:
    """Return what is white and what is black: 0 and 1, or nearly all of the range of V and E[V]."""
    if np.nanmin(values) >= 0 and np.nanmax(values) <= 1:
        return 0.0, 1.0
    every = np.concatenate([values[~np.isnan(values)], expectation.ravel()])
    return min(0.0, float(np.quantile(every, SMALL))), float(np.quantile(every, 1 - SMALL))
