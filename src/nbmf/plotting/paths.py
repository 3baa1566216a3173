"""Draw where rows went from period to period, with names and bands."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from nbmf.errors import DataError, choices, not_allowed
from nbmf.plotting import style
from nbmf.plotting.inputs import Fit, draws_of, model_of
from nbmf.posterior.paths import Paths, paths_of, refuse_rows_that_stay

SIZE = (7.0, 4.5)  # inches
NAMED = 9  # rows that are shown in colours unless a caller says which
NAME_SIZE = 7
DISTANCE = 1.25  # between names, in heights of their letters
OTHER_ROWS = {"color": "#D9D9D9", "linewidth": 0.5, "zorder": 1}
BAND = {"alpha": 0.2, "linewidth": 0}


def paths(
    fit: Fit, component: int = 1, *, names: Collection[str] | None = None, level: float = 0.9, ax: Axes | None = None
) -> Axes:
    """Draw the paths of rows that move by one component: time to the right, positions upward.

    Each row is a line over its span, from the first to the last period in which it has entries, broken in pauses by
    dots; a band is its credible interval. Other rows are thin grey lines.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Of a model whose rows move, fitted; draws, and chains that have some, have bands.
    component : int
        Number from 1, in the order of `W_`.
    names : collection of str, optional
        The rows with colours, names and bands; by default those that went farthest, at most nine.
    level : float
        Of the intervals.
    ax : axis, optional

    Raises
    ------
    NotSupportedError
        If rows do not move.
    ConfigError
        If there is no such component.
    DataError
        If there is no such name.
    """
    model = model_of(fit)
    refuse_rows_that_stay(model)
    K = model.n_components_
    if isinstance(component, bool) or not isinstance(component, int | np.integer) or not 1 <= component <= K:
        raise not_allowed("component", component, f"an integer from 1 to {K}")
    draws = draws_of(fit)
    shown = _without_bands(model) if draws is None else paths_of(draws, level)
    axis = draw(shown, component - 1, _rows(shown, component - 1, names), has_bands=draws is not None, ax=ax)
    axis.set_ylabel(f"{model.meanings[0]}, component {component}")
    return axis


def _without_bands(model) -> Paths:
    names = model.row_names_
    if names is None:
        names = np.array([f"row {f}" for f in range(len(model.W_))])
    labels = names, model.period_names_, model.period_times_, *[model.paths_] * 3
    return Paths(*labels, model.entries_.astype(int), model.spans_)


def _rows(paths: Paths, k: int, names: Collection[str] | None) -> list[int]:
    """Return the rows with colours: those that are named, or that went farthest within their spans."""
    if names is None:
        went = [np.ptp(paths.mean[f, first : last + 1, k]) for f, (first, last) in enumerate(paths.spans)]
        return sorted(np.argsort(-np.array(went), kind="stable")[:NAMED])
    known = [str(name) for name in paths.row_names]
    for name in names:
        if name not in known:
            raise DataError(f"names: there is no {name!r}; {choices(name, known)}")
    return [known.index(name) for name in names]


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
    _name(ax, ends, paths.times[-1])
    return ax


def _line(paths: Paths, f: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    first, last = paths.spans[f]
    return paths.times[first : last + 1], paths.mean[f, first : last + 1, k]


def _ticks(axis: Axes, paths: Paths) -> None:
    """Name periods on the time axis unless their names are their numbers."""
    axis.set_xlabel("period")
    axis.margins(x=0.02)
    if any(name != f"{time:.15g}" for name, time in zip(paths.period_names, paths.times, strict=True)):
        axis.set_xticks(paths.times, paths.period_names)


def _name(axis: Axes, ends: Sequence[tuple[float, float, str, str]], latest: float) -> None:
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


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> np.ndarray:
    """Return places in the order of `wanted`, which is increasing, with at least a distance between them.

    Where they fit, within `low` and `high`; by least squares, which pools those that are too near (isotonic regression
    of the places less what they have to be apart).
    """
    apart = distance * np.arange(len(wanted))
    pools = []  # of mean and size
    for value in np.asarray(wanted, float) - apart:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * size) / (pools[-1][1] + size), pools[-1][1] + size]
    means = np.repeat([mean for mean, _ in pools], [size for _, size in pools])
    return np.clip(means, low, max(high - apart[-1], low)) + apart
