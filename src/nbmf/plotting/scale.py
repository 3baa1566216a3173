"""Draw a scale: rows in order along one axis, or on a map of two, and next to them what columns say about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from nbmf.data.category_matrix import say_range
from nbmf.errors import ConfigError, DataError
from nbmf.numerics.percent import percent
from nbmf.plotting import map_names, places, style
from nbmf.plotting.group_legend import LINE as LINE_OF_LEGEND
from nbmf.plotting.group_legend import GroupLegend, below
from nbmf.plotting.inputs import Fit, checked_groups, draws_of, matrix_of, model_of
from nbmf.plotting.map_names import FAINT, LONGEST, MOST_ON_MAP, NAME_SIZE
from nbmf.plotting.names import shortened
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_intervals import typical_half_width
from nbmf.posterior.scale_tables import columns_are_alike

MOST_NAMED, END_NAMES = 105, 12  # rows that have their names, on a page; of more, rows at either end that have
DUMBBELLS, ARROWS = 40, 24  # columns next to a scale, at most, and next to a map
LINE, NARROW, FEW = 0.115, 0.09, 60  # inches of a row with a name, where there are at most FEW and where there are more
COLUMN = 0.15  # inches of a column
SHORTEST, USUAL, TALLEST = 3.2, 5.5, 10.5  # inches of a picture
MARGINS = 1.0  # inches above and below panels, with a line of legends
NEUTRAL, BAND = "#333333", "#E6E6E6"
ARROW = {"arrowstyle": "-|>", "lw": 0.5, "color": FAINT, "mutation_scale": 6, "shrinkA": 0, "shrinkB": 0}
TIED = 1e-3  # a difference of positions that is none
FEWEST = 0.01  # a count that is expected, for the logarithm: fewer are drawn there


def scale(
    fit: Fit,
    V: Any,
    axes: int | None = None,
    *,
    groups: Sequence[str] | None = None,
    level: float = 0.9,
    ax: Sequence[Axes] | None = None,
) -> np.ndarray:
    """Draw the rows of a factor model along one axis, or on a map of two, and the columns next to them.

    One axis: rows in order with their intervals; columns that separate its ends best, from the mean
    probability of a one in the lowest tenth of the rows (open) to that in the highest tenth (filled). A map:
    rows, and the largest discriminations of columns as arrows. Of ordered categories the ends have mean categories,
    of counts expected ones, in rows of average effect.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Fitted; draws of a sampler, and chains that have some, give the intervals.
    V : BinaryMatrix, CategoryMatrix, CountMatrix, array (F, N) or DataFrame
        What it was fitted to.
    axes : 1 or 2, optional
        By default those that are not noise, at most 2; see `nbmf.posterior.scale.Scale.kept`.
    groups : str array (F,), optional
        Each has a colour; by default the row groups of V.
    level : float, of the intervals
    ax : two axes, optional

    Returns
    -------
    array of two Axes: rows and columns

    Raises
    ------
    ConfigError
        If there are not so many axes.
    DataError
        If V has another shape than that of the fit, or there is not one group per row.
    NotSupportedError
        If the model has no axes.
    """
    model = model_of(fit)
    matrix = matrix_of(model, V)
    if matrix is None:
        raise DataError("V: the matrix of the fit is needed, not None")
    return np.array(draw(scale_of(model, matrix, draws=draws_of(fit), level=level), axes, groups=groups, ax=ax))


@style.in_style
def draw(
    scale: Scale, axes: int | None = None, *, groups: Sequence[str] | None = None, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw a Scale; see `scale`."""
    shown = min(scale.kept, 2) if axes is None else axes
    most = min(2, len(scale.shares))
    if shown not in range(1, most + 1) or isinstance(shown, bool):
        raise ConfigError(f"axes = {axes!r}: must be {' or '.join(map(str, range(1, most + 1)))}")
    groups = checked_groups(scale.row_groups if groups is None else groups, len(scale.positions), "rows")
    return (_draw_axis if shown == 1 else _draw_map)(scale, groups, ax)


def _colours(scale: Scale, groups: np.ndarray | None) -> tuple[np.ndarray, dict[str, str]]:
    """Return a colour for each row, and that of each group."""
    if groups is None:
        return np.full(len(scale.positions), NEUTRAL), {}
    of_group = style.colours_of_groups(groups)
    return np.array([of_group[group] for group in groups]), of_group


def _label(scale: Scale, a: int) -> str:
    return f"axis {a + 1} ({percent(scale.shares[a])} of what rows differ in{', rotated' if scale.rotated else ''})"


# --- One axis ------------------------------------------------------------------------------------


def _draw_axis(scale: Scale, groups: np.ndarray | None, ax: Sequence[Axes] | None) -> list[Axes]:
    F, N = len(scale.positions), len(scale.difficulty)
    colours, of_group = _colours(scale, groups)
    legend = GroupLegend.of(of_group, style.PAGE_WIDTH / 2)
    named = F <= MOST_NAMED
    if ax is None:
        of_rows = F * (LINE if F <= FEW else NARROW) if named else USUAL - MARGINS
        height = np.clip(max(of_rows, COLUMN * min(N, (USUAL - MARGINS) // COLUMN)) + MARGINS, SHORTEST, TALLEST)
        height += max(legend.height - LINE_OF_LEGEND, 0)
        _, ax = plt.subplots(1, 2, figsize=(style.PAGE_WIDTH, height), layout="constrained")
    of_rows, of_columns = style.given_axes(ax, 2)
    _draw_rows(of_rows, scale, colours, named)
    legend.draw(of_rows)
    _draw_columns(of_columns, scale)
    return [of_rows, of_columns]


def _draw_rows(axis: Axes, scale: Scale, colours: np.ndarray, named: bool) -> None:
    """Draw rows in order, the highest on top, with their names or those at the ends."""
    order = scale.order()
    x, lower, upper = (each[order, 0] for each in (scale.positions, scale.lower, scale.upper))
    y, colours, names = np.arange(len(order)), colours[order], shortened(scale.row_names[order], LONGEST)
    if named:
        axis.hlines(y, lower, upper, color=colours, linewidth=0.8, alpha=0.5)
    else:
        axis.fill_betweenx(y, lower, upper, color=BAND, linewidth=0)
    axis.scatter(x, y, s=9 if named else 3, color=colours, linewidth=0, zorder=3)
    axis.axvline(0, color=BAND, linewidth=0.7, zorder=0)
    axis.set(yticks=[], xlabel=_label(scale, 0), ylim=(-1, len(order)))
    axis.spines["left"].set_visible(False)
    axis.set_title(f"rows, with {scale.level:.0%} intervals", loc="left")
    places.note(axis, "row", order, y=y)
    if named:
        for i, name in enumerate(names):
            axis.annotate(
                name,
                (upper[i], y[i]),
                (2, 0),
                textcoords="offset points",
                fontsize=NAME_SIZE,
                va="center",
                color=NEUTRAL,
            )
        axis.set_xlim(lower.min() - 0.1, upper.max() + 0.35 * np.ptp([lower.min(), upper.max()]))
        return
    _list_end(axis, names[: -END_NAMES - 1 : -1], colours[: -END_NAMES - 1 : -1], _end("highest", x, x[-1]), top=True)
    _list_end(axis, names[END_NAMES - 1 :: -1], colours[END_NAMES - 1 :: -1], _end("lowest", x, x[0]), top=False)


def _height(axis: Axes) -> float:
    """Return the height of a panel in inches."""
    return axis.get_window_extent().height / axis.figure.dpi


def _end(title: str, positions: np.ndarray, position: float) -> str:
    """Return the title of an end, with how many rows share its position if that is more than are named."""
    ties = np.count_nonzero(np.abs(positions - position) < TIED)
    return title if ties <= END_NAMES else f"{title}: {ties} rows alike, such as"


def _list_end(axis: Axes, names: list[str], colours: np.ndarray, title: str, *, top: bool) -> None:
    """Write the names at an end in their order, where the curve leaves room: left above, right below."""
    step = LINE / _height(axis)
    x, side = (0.0, "left") if top else (1.0, "right")
    lines = [(title, FAINT), *zip(names, colours, strict=True)]
    for number, (text, colour) in enumerate(lines):
        y = 0.985 - number * step if top else 0.015 + (len(lines) - 1 - number) * step
        axis.text(
            x,
            y,
            text,
            transform=axis.transAxes,
            ha=side,
            va="top" if top else "bottom",
            fontsize=NAME_SIZE,
            color=colour,
        )


def _draw_columns(axis: Axes, scale: Scale) -> None:
    """Draw the columns that separate the ends best: from the low end (open) to the high end (filled).

    They are in the order of that or, if all separate them alike, of their locations.
    """
    low, high = scale.low[:, 0] + scale.lowest, scale.high[:, 0] + scale.lowest
    if scale.has_counts:
        low, high = np.maximum(low, FEWEST), np.maximum(high, FEWEST)
    difference = np.log(high / low) if scale.has_counts else high - low
    inches = _height(axis)
    largest = np.argsort(-np.abs(difference), kind="stable")[: max(1, min(int(inches / COLUMN), DUMBBELLS))]
    in_order = scale.difficulty if columns_are_alike(scale) else difference
    chosen = largest[np.argsort(in_order[largest], kind="stable")]
    y, low, high = np.arange(len(chosen)), low[chosen], high[chosen]
    axis.hlines(y, low, high, color=FAINT, linewidth=1)
    for x, face, end in ((low, "white", "lowest"), (high, NEUTRAL, "highest")):
        label = f"{end} {scale.n_end} row{'s' * (scale.n_end > 1)}"
        axis.scatter(x, y, s=16, facecolor=face, edgecolor=NEUTRAL, linewidth=0.7, zorder=3, label=label)
    axis.set_yticks(y, shortened(scale.column_names[chosen], LONGEST), fontsize=NAME_SIZE)
    axis.set(ylim=(-1, len(chosen)), **_values(scale))
    if scale.has_counts:
        axis.xaxis.set_major_formatter("{x:,g}")
    axis.set_title("columns" if len(chosen) == len(difference) else "columns that separate the ends most", loc="left")
    axis.tick_params(axis="y", length=0)
    places.note(axis, "column", chosen, y=y)
    axis.legend(ncols=2, **below(axis))


def _values(scale: Scale) -> dict[str, Any]:
    """Return what the axis of values of columns has."""
    if scale.has_counts:
        return {"xscale": "log", "xlabel": "expected count in rows of average effect"}
    highest, label = scale.lowest + max(len(scale.categories) - 1, 1), "mean probability of a one"
    if scale.categories:
        label = f"mean category, from {say_range(scale.lowest, shortened(scale.categories, LONGEST // 2))}"
    margin = 0.03 * (highest - scale.lowest)
    return {"xlim": (scale.lowest - margin, highest + margin), "xlabel": label}


# --- A map of two axes ---------------------------------------------------------------------------


def _draw_map(scale: Scale, groups: np.ndarray | None, ax: Sequence[Axes] | None) -> list[Axes]:
    colours, of_group = _colours(scale, groups)
    legend = GroupLegend.of(of_group, 0.62 * style.PAGE_WIDTH)
    if ax is None:
        size = 2 * 0.62 * style.PAGE_WIDTH, 4.9 + legend.height
        _, ax = plt.subplots(1, 2, figsize=size, layout="constrained")
    of_rows, of_columns = style.given_axes(ax, 2)
    positions = scale.positions[:, :2]
    is_few = len(positions) <= MOST_ON_MAP
    of_rows.scatter(
        *positions.T, s=9 if is_few else 4, alpha=1 if is_few else 0.5, color=colours, linewidth=0, zorder=3
    )
    legend.draw(of_rows)
    half = typical_half_width(scale.lower, scale.upper)
    which = f"rows on axes 1 and 2 of {scale.kept}\n" if scale.kept > 2 else "rows; "
    interval = f"a typical {scale.level:.0%} interval is ± {half[0]:.2g} and ± {half[1]:.2g}"
    of_rows.set_title(f"{which}{interval}", loc="left")
    slopes = scale.discrimination[:, :2]
    strongest = map_names.far_out(slopes, ARROWS)
    for x, y in slopes[strongest]:
        of_columns.annotate("", (x, y), (0, 0), arrowprops=ARROW)
    of_columns.scatter(*slopes.T, s=5, color=FAINT, linewidth=0, zorder=2)
    of_columns.set_title(f"columns ({'slope' if scale.has_counts else 'discrimination'})", loc="left")
    for axis, kind, points in ((of_rows, "row", positions), (of_columns, "column", slopes)):
        places.note(axis, kind, np.arange(len(points)), x=points[:, 0], y=points[:, 1])
    for axis, points in ((of_rows, positions), (of_columns, np.vstack([slopes, np.zeros(2)]))):
        axis.axhline(0, color=FAINT, linewidth=0.5, zorder=0)
        axis.axvline(0, color=FAINT, linewidth=0.5, zorder=0)
        axis.set(xlabel=_label(scale, 0), ylabel=_label(scale, 1))
        map_names.set_limits(axis, points)
    of_rows.figure.draw_without_rendering()  # so that names are moved on the finished picture
    map_names.write_names(of_rows, positions, scale.row_names, map_names.rows_to_name(positions))
    map_names.write_names(of_columns, slopes, scale.column_names, strongest)
    return [of_rows, of_columns]
