"""Images of one fit: both factors with every row and column named, and V next to E[V]."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from nbmf.errors import DataError
from nbmf.plotting import strips, style
from nbmf.plotting.labelled_factor import LabelledFactor, most_distinctive, order_of

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
    factors: Sequence[LabelledFactor], labels: Sequence[str], max_rows: int = 60, title: str = "", ax=None
) -> list[Axes]:
    """Draw W and H transposed next to each other, or one of them; black is 1, white is 0.

    Factors with signs are red above 0 and blue below.

    Parameters
    ----------
    factors : list of LabelledFactor
        The rows of V, then its columns, with the same components; or one of these.
    labels : list of str
        Above each component, for example its number and its share.
    max_rows : int
        Of more rows or columns than this, the most distinctive are shown.
    title : str
        Of the whole picture, where this makes the figure.
    ax : axes, optional
        Of Matplotlib, one for each factor; by default a figure with a colour bar is made.

    Returns
    -------
    list of Axes, one for each factor

    Raises
    ------
    DataError
        If a factor has another number of names or components.
    """
    for factor in factors:
        if factor.weights.shape != (len(factor.names), len(labels)):
            raise DataError(
                f"{factor.title}: weights of shape {factor.weights.shape} for {len(factor.names)} names "
                f"and {len(labels)} components"
            )
    if not labels:  # no component was found: an empty column says so
        factors = [factor._replace(weights=np.zeros((len(factor.names), 1))) for factor in factors]
        labels = ["none"]
    chosen = [most_distinctive(factor, max_rows) for factor in factors]
    height = max(map(len, chosen))
    if ax is None:
        size = (style.PAGE_WIDTH * len(factors) / 2, height * ROW_HEIGHT + MARGINS)
        figure, axes = plt.subplots(1, len(factors), figsize=size, squeeze=False, layout="constrained")
        axes = list(axes[0])
        figure.suptitle(title, fontsize=9)
    else:
        axes = style.given_axes(ax, len(factors))
    images = [
        _draw_factor(axis, factor, rows, labels, height)
        for axis, factor, rows in zip(axes, factors, chosen, strict=True)
    ]
    if ax is None:
        signed = [image for image in images if image.get_cmap().name == style.SIGNED]
        image = (signed or images)[0]
        _colour_bar(image, axes)
        if signed:  # each factor has a largest value of its own
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


def _draw_factor(
    axis: Axes, factor: LabelledFactor, chosen: np.ndarray, labels: Sequence[str], height: int
) -> AxesImage:
    """Draw some rows of a factor; all panels have the height of `height` rows, so these are equally high."""
    order = order_of(factor)
    shown = factor.at(order[np.isin(order, chosen)])
    title = factor.title
    if len(chosen) < len(factor.names):
        title += f"\nthe most distinctive {len(chosen)} of {len(factor.names)}"
    weights, n = shown.weights, len(chosen)
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
    axis.tick_params(axis="y", length=0, pad=2 if factor.groups is None else strips.WIDTH + 3)
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
        strips.draw_groups([axis], strips.runs_of(shown.groups), factor.groups, ROW_HEIGHT)
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
    values: np.ndarray,
    expectation: np.ndarray,
    factors: Sequence[LabelledFactor],
    title: str = "",
    label: str = "",
    ax=None,
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
    factors : list of LabelledFactor
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
    shape = tuple(len(factor.names) for factor in factors)
    if not values.shape == expectation.shape == shape:
        raise DataError(f"shapes differ: the data {values.shape}, E[V] {expectation.shape}, the names {shape}")
    axes = _data_and_expectation(shape) if ax is None else style.given_axes(ax, 2)
    orders = [order_of(factor) for factor in factors]
    low, high = _limits(values, expectation)
    cmap = plt.get_cmap("gray_r").with_extremes(bad=MISSING)
    titles = "V" + " (orange: missing)" * bool(np.isnan(values).any()), f"E[V], {title}"
    for axis, shown, name in zip(axes, (values, expectation), titles, strict=True):
        # "auto" averages cells smaller than a pixel, so that thin ones stay visible.
        image = axis.imshow(shown[np.ix_(*orders)], cmap=cmap, vmin=low, vmax=high, aspect="auto")
        axis.set_title(name, fontsize=8)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(True)
        for factor, order, edge in zip(factors, orders, ("left", "bottom"), strict=True):
            strips.draw_lines(axis, factor.at(order), edge)
    rows, columns = (factor.at(order) for factor, order in zip(factors, orders, strict=True))
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
