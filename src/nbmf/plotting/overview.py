"""Both factors of one fit, with every row and column named."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from nbmf.plotting import group_names, headings, places, strips, style
from nbmf.plotting.labelled_factor import LabelledFactor, limit_of, most_distinctive, order_of
from nbmf.plotting.names import shortened

ROW_HEIGHT = 0.125  # inches
STRETCH = 4.0  # times the height of the others, at most, for rows of the panel that has fewer of them
MARGINS = 1.5  # inches: titles, notes and the colour bar
NARROWEST, BROADER = 2.3, 0.3  # inches: of a panel, and for each component, up to half of a page
NAME_SIZE, NOTE_SIZE = 6.5, 7
FEW = 10  # components, above which their headings are smaller
TITLE_LENGTH = 85  # characters in a line of the title
THOUSAND = 1000  # from which on the numbers of a colour bar are whole
FAINT = 0.35  # a factor whose largest entry is smaller is drawn darker


@style.in_style
def draw_factors(
    factors: Sequence[LabelledFactor],
    headings_of: Sequence[str],
    max_rows: int = 60,
    title: str = "",
    label: str = "",
    ax=None,
) -> list[Axes]:
    """Draw W and H transposed next to each other, or one of them; black is 1, white is 0.

    What has signs is red above 0 and blue below; of components that are axes the colours mean the same in both
    factors, and a line sets their intercepts apart.

    Parameters
    ----------
    factors : list of LabelledFactor
        The rows of V, then its columns, with the same components; or one of these.
    headings_of : list of str
        Above each component, for example its number and its share.
    max_rows : int
        Of more rows or columns than this, the most distinctive are shown, of axes some along the first.
    title : str
        Of the whole picture, where this makes the figure.
    label : str
        Of the colour bar: what is drawn.
    ax : axes, optional
        Of Matplotlib, one for each factor; by default a figure with a colour bar is made.

    Returns
    -------
    list of Axes, one for each factor
    """
    if not headings_of:  # no component was found: an empty column says so
        factors = [factor._replace(weights=np.zeros((len(factor.names), 1)), axes=None) for factor in factors]
        headings_of = ["none"]
    chosen = [most_distinctive(factor, max_rows) for factor in factors]
    height = max(map(len, chosen))
    if ax is None:
        width = min(style.PAGE_WIDTH / 2, NARROWEST + BROADER * len(headings_of)) * len(factors)
        size = (width, height * ROW_HEIGHT + MARGINS)
        figure, axes = plt.subplots(1, len(factors), figsize=size, squeeze=False, layout="constrained")
        axes = list(axes[0])
        figure.suptitle(headings.wrapped(title, int(TITLE_LENGTH * width / style.PAGE_WIDTH)), fontsize=9)
    else:
        axes = style.given_axes(ax, len(factors))
    limit = limit_of(factors)
    images = [
        _draw_factor(axis, factor, rows, headings_of, height, limit)
        for axis, factor, rows in zip(axes, factors, chosen, strict=True)
    ]
    if ax is None:
        has_axes = factors[0].axes is not None
        is_cut = has_axes and any(abs(factor.weights).max() > limit for factor in factors)
        signed = [image for image in images if image.get_cmap().name == style.SIGNED]
        image = (signed or images)[0]
        colour_bar(image, axes, label, "both" if is_cut else "neither")
        if signed and not has_axes:  # each factor has a largest value of its own
            image.colorbar.set_ticklabels(["− largest", "0", "largest"])
        elif not has_axes and any(
            _has_own_ends(factor.weights[rows]) for factor, rows in zip(factors, chosen, strict=True)
        ):
            image.colorbar.set_ticklabels(["0", "", "1, or as said above"])
    headings.fit_titles(axes)
    headings.fit(axes)
    return axes


def colour_bar(image: AxesImage, axes: Sequence[Axes], label: str = "", extend: str = "neither") -> None:
    """Draw a colour bar below these panels, with its ends and its middle named."""
    low, high = image.get_clim()
    bar = axes[0].figure.colorbar(
        image,
        ax=axes,
        location="bottom",
        shrink=0.35,
        aspect=40,
        pad=0.01,
        ticks=[low, (low + high) / 2, high],
        format="{x:,.3g}" if max(abs(low), abs(high)) < THOUSAND else "{x:,.0f}",
        extend=extend,
    )
    bar.ax.tick_params(labelsize=6, length=2, pad=1)
    bar.set_label(label, fontsize=NOTE_SIZE)


def _draw_factor(
    axis: Axes, factor: LabelledFactor, chosen: np.ndarray, headings_of: Sequence[str], height: int, limit: float
) -> AxesImage:
    """Draw some rows of a factor; those of a panel with fewer than `height` are higher, up to STRETCH times."""
    order = order_of(factor)
    order = order[np.isin(order, chosen)]
    shown = factor.at(order)
    title, weights, n = factor.title, shown.weights, len(chosen)
    if n < len(factor.names):
        how = "the most distinctive {} of {}" if factor.axes is None else "{} of {}, evenly along the first axis"
        title += "\n" + how.format(n, len(factor.names))
    colours = {"cmap": "gray_r", "vmin": 0, "vmax": 1}
    if factor.axes is not None:
        colours = {"cmap": style.SIGNED, "vmin": -limit, "vmax": limit}
    elif _has_own_ends(weights):
        weights, low, high = _scale_from_zero(weights)
        title += f"\n[{_number(low)}, {_number(high)}] " + ("blue to red" if low < 0 else "drawn as [0, 1]")
        colours["cmap"] = style.SIGNED if low < 0 else "gray_r"
    image = axis.imshow(weights, aspect="auto", interpolation="nearest", **colours)
    rows = max(n, height / STRETCH)
    axis.set_ylim(rows - 0.5, -0.5)
    axis.set_yticks(range(n), shortened(shown.names), fontsize=NAME_SIZE)
    size = NAME_SIZE - 0.5 if len(headings_of) <= FEW else NAME_SIZE - 2
    headings.write(axis, headings_of, size, strips.WIDTH + 2)
    axis.tick_params(axis="y", length=0, pad=2 if factor.groups is None else strips.WIDTH + 3)
    axis.set_title(title, fontsize=NOTE_SIZE + 1, pad=4)
    axis.spines[:].set_visible(False)
    _draw_frame(axis, n, len(headings_of), factor.axes)
    axis.set_xlim(-0.5, len(headings_of) - 0.5)
    if factor.kind:
        places.note(axis, factor.kind, order, y=np.arange(n))
    if factor.axes is None:
        strips.draw_components(axis, np.arange(len(headings_of)), "top")
    if shown.groups is not None:
        group_names.draw(axis, strips.runs_of(shown.groups), factor.groups, ROW_HEIGHT * height / rows)
    return image


def _has_own_ends(weights: np.ndarray) -> bool:
    """Whether weights are not drawn from 0 to 1: some lie beyond, or all are so small that nothing would be seen."""
    return bool(weights.min() < 0 or weights.max() > 1 or weights.max() < FAINT)


def _number(value: float) -> str:
    """Return a number without an exponent where it is large."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def _scale_from_zero(weights: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return weights mapped to [0, 1], and what 0 and 1 stand for.

    Zero is always one of the ends, or in the middle: what hardly differs is drawn as such.
    """
    largest = float(abs(weights).max()) or 1.0
    if weights.min() < 0:
        return 0.5 + weights / (2 * largest), -largest, largest
    return weights / largest, 0.0, largest


def _draw_frame(axis: Axes, n: int, K: int, axes: int | None) -> None:
    """Draw a frame around n rows, lines between K components, and a strong one where intercepts begin."""
    edge = K - 0.5
    frame = [-0.5, edge, edge, -0.5, -0.5], [-0.5, -0.5, n - 0.5, n - 0.5, -0.5]
    axis.plot(*frame, color="black", linewidth=0.5, clip_on=False)
    for k in range(1, K):
        how = {"color": "black", "linewidth": 1.2} if k == axes else {"color": "0.8", "linewidth": 0.3}
        axis.plot([k - 0.5, k - 0.5], [-0.5, n - 0.5], **how)
