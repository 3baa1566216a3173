"""Draw paths as lines with bands, and names that do not overlap at their ends."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from nbmf.plotting import style
from nbmf.plotting.spreading import spread
from nbmf.posterior.path_values import Paths

SIZE = (7.0, 4.5)  # inches
NAME_SIZE = 7
DISTANCE = 1.25  # between names, in heights of their letters
OTHER_ROWS = {"color": "#D9D9D9", "linewidth": 0.5, "zorder": 1}
BAND = {"alpha": 0.2, "linewidth": 0}


@style.in_style
def draw(paths: Paths, k: int, rows: Sequence[int], has_bands: bool = True, ax: Axes | None = None) -> Axes:
    """Draw component k of paths, `rows` with colours and names, and return the axis."""
    ax = style.given_or_new_axis(ax, SIZE)
    for f in set(range(len(paths.mean))) - set(rows):
        ax.plot(*_line(paths, f, k), **OTHER_ROWS)
    ends = []
    for number, f in enumerate(rows):
        colour = style.colour_of_line(number)
        times, mean = _line(paths, f, k)
        first, last = paths.spans[f]
        if has_bands:
            band = (end[f, first : last + 1, k] for end in (paths.lower, paths.upper))
            ax.fill_between(times, *band, color=colour, **BAND)
        there = paths.entries[f, first : last + 1] > 0
        ax.plot(times, mean, ":", color=colour, linewidth=0.9)
        ax.plot(times, np.where(there, mean, np.nan), color=colour, linewidth=1.4, marker="o", markersize=1.8)
        ends.append((times[-1], mean[-1], str(paths.row_names[f]), colour))
    _ticks(ax, paths)
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
