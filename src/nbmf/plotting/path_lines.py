"""Draw paths as lines with bands, and names that do not overlap at their ends."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from nbmf.plotting import style
from nbmf.plotting.group_legend import GroupLegend
from nbmf.plotting.spreading import spread
from nbmf.posterior.path_values import Paths

SIZE = (7.0, 4.5)  # inches
NAME_SIZE = 7
DISTANCE = 1.25  # between names, in heights of their letters
OTHER_ROWS = {"color": "#D9D9D9", "linewidth": 0.5, "zorder": 1}
OF_GROUPS = {"alpha": 0.5, "zorder": 1.5}  # lines of other rows where colours are of groups
BAND = {"alpha": 0.2, "linewidth": 0}


@style.in_style
def draw(
    paths: Paths,
    k: int,
    rows: Sequence[int],
    has_bands: bool = True,
    ax: Axes | None = None,
    groups: Sequence[str] | None = None,
) -> Axes:
    """Draw component k of paths, `rows` with bands and names, and return the axis.

    Colours are of these rows or, where each row has a group, "" for none, of groups, named in a legend.
    """
    ax = style.given_or_new_axis(ax, SIZE)
    group_of = [""] * len(paths.mean) if groups is None else groups
    of_group = style.colours_of_groups([group for group in group_of if group])
    for f in sorted(set(range(len(paths.mean))) - set(rows)):
        own = OF_GROUPS | {"color": of_group[group_of[f]]} if group_of[f] else {}
        ax.plot(*_line(paths, f, k), **OTHER_ROWS | own)
    ends = []
    for number, f in enumerate(rows):
        colour = of_group.get(group_of[f], style.OTHERS) if of_group else style.colour_of_line(number)
        times, mean = _line(paths, f, k)
        first, last = paths.spans[f]
        if has_bands:
            band = (end[f, first : last + 1, k] for end in (paths.lower, paths.upper))
            ax.fill_between(times, *band, color=colour, **BAND | ({"alpha": 0.1} if of_group else {}))
        there = paths.entries[f, first : last + 1] > 0
        ax.plot(times, mean, ":", color=colour, linewidth=0.9)
        ax.plot(times, np.where(there, mean, np.nan), color=colour, linewidth=1.4, marker="o", markersize=1.8)
        ends.append((times[-1], mean[-1], str(paths.row_names[f]), colour))
    _ticks(ax, paths)
    GroupLegend.of(of_group, width=ax.get_position().width * ax.figure.get_figwidth()).draw(ax)
    _name(ax, ends)
    return ax


def _line(paths: Paths, f: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    first, last = paths.spans[f]
    return paths.times[first : last + 1], paths.mean[f, first : last + 1, k]


def _ticks(axis: Axes, paths: Paths) -> None:
    """Name periods on the time axis unless their names are their numbers; between whole ones there is nothing."""
    axis.set_xlabel("period")
    axis.margins(x=0.02)
    if np.all(np.mod(paths.times, 1) == 0):
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if any(name != f"{time:.15g}" for name, time in zip(paths.period_names, paths.times, strict=True)):
        axis.set_xticks(paths.times, paths.period_names)


def _name(axis: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names in a column right of the latest period, each as near to its line's end as the others allow."""
    if not ends:
        return
    axis.figure.draw_without_rendering()  # so that places are those of the picture
    low, high = axis.get_ylim()
    axis.set_ylim(low, high)
    height = axis.get_window_extent().height / axis.figure.dpi * 72.0  # points
    ends = sorted(ends, key=lambda end: end[1])
    places = spread([end[1] for end in ends], DISTANCE * NAME_SIZE / height * (high - low), low, high)
    for (time, position, name, colour), place in zip(ends, places, strict=True):
        axis.annotate(
            name,
            (time, position),
            (1.03, (place - low) / (high - low)),
            textcoords="axes fraction",
            fontsize=NAME_SIZE,
            color=colour,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 1, "shrinkB": 1},
        )
