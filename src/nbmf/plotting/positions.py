"""Draw rows or columns on one or two scales, with intervals: ideal points, abilities, coordinates."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from nbmf.errors import ConfigError
from nbmf.plotting import style
from nbmf.plotting.inputs import Fit, draws_of, factor_of, model_of, refuse_unknown_names
from nbmf.posterior.co_clustering import check_axis
from nbmf.posterior.components import components_of
from nbmf.posterior.draws import Draws

POINT = {"marker": "o", "markersize": 3.0, "linestyle": "none"}
INTERVAL = {"linewidth": 0.8, "alpha": 0.6}
NAME_SIZE = 6
ROW_HEIGHT, MARGINS = 0.1, 0.8  # inches, of a scale
HIGHEST = 11.0  # inches, a page; more rows or columns are narrower, and have no names
MAP = 5.0  # inches


def positions(
    fit: Fit,
    components: int | tuple[int, int] = 1,
    *,
    axis: int = 0,
    names: Collection[str] | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows or columns by one component, as a list in their order, or by two, as a map.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Fitted; draws, and chains that have some, have credible intervals.
    components : int or two of them
        Numbers from 1, as in the other pictures.
    axis : int
        0 for rows (W), 1 for columns (H).
    names : collection of str, optional
        The rows or columns whose names are written; by default all. On a map, a name that would cover
        another is left out.
    groups : str array (F,) or (N,), optional
        Each has a colour, for example `V.row_groups`.
    level : float
        Of the intervals.
    ax : axis, optional

    Raises
    ------
    ConfigError
        If there is no such component or axis.
    DataError
        If there is no such name, or not one group per row or column.
    """
    check_axis(axis)
    model = model_of(fit)
    numbers = [components] if isinstance(components, int | np.integer) else list(components)
    ranked = components_of(model)
    count = len(ranked.members)
    if len(numbers) not in (1, 2) or not all(1 <= each <= count for each in numbers):
        rule = f"must be a number from 1 to {count}, or two" if count else "the fit has none"
        raise ConfigError(f"components = {components!r}: {rule}")
    indices = ranked.order[np.array(numbers) - 1]
    factor = factor_of(ranked.model, axis, np.array(numbers) - 1, groups)
    written = _written(factor.names, names)
    is_merged = any(len(ranked.members[number - 1]) > 1 for number in numbers)  # intervals are of single ones
    draws = None if is_merged else draws_of(fit)
    ends = (None, None) if draws is None else _interval(draws, axis, indices, level)
    shown = [each if each is None or len(indices) == 2 else each[:, 0] for each in (factor.weights, *ends)]
    drawn = draw(*shown, written, factor.groups, ax)
    meaning = model.meanings[axis]
    drawn.set_xlabel(f"{meaning}, component {numbers[0]}")
    if len(indices) == 2:
        drawn.set_ylabel(f"{meaning}, component {numbers[1]}")
    return drawn


def _interval(draws: Draws, axis: int, indices: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals of some components, arrays (n, components)."""
    if axis == 0:
        lower, upper = draws.dictionary_interval(level)
    else:
        lower, upper = (end.T for end in draws.activation_interval(level))
    return lower[:, indices], upper[:, indices]


def _written(every: np.ndarray, asked: Collection[str] | None) -> list[str]:
    """Return the names that are written, "" for the others."""
    if asked is None:
        return [str(name) for name in every]
    refuse_unknown_names(asked, {str(name) for name in every})
    return [str(name) if name in asked else "" for name in every]


@style.in_style
def draw(
    positions: np.ndarray,
    lower: np.ndarray | None = None,
    upper: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw positions and their intervals, and return the axis.

    On one scale there is a row for each, in the order of their positions, the largest on top. On
    two, a point each with an interval along either.

    Parameters
    ----------
    positions : float array (n,) or (n, 2)
    lower, upper : float arrays of its shape, optional
        The intervals.
    names : n texts, optional
        An empty one is not shown; on two scales, nor is one that would cover another.
    groups : n texts, optional
        Each has a colour of its own, named in a legend; the largest groups have the first ones.
    ax : axis, optional
        Of Matplotlib; by default a figure is made, in which more rows or columns than fit a page have no
        names.
    """
    positions = np.asarray(positions, float)
    has_ends = lower is not None and upper is not None
    ends = np.stack([lower, upper]).astype(float) if has_ends else np.stack([positions] * 2)
    is_map = positions.ndim == 2
    n = len(positions)
    given = [""] * n if names is None else list(names)
    groups = [""] * n if groups is None else [str(group) for group in groups]
    height = n * ROW_HEIGHT + MARGINS
    if ax is None and not is_map and height > HIGHEST:
        given = [""] * n
    ax = style.given_or_new_axis(ax, (MAP + 1, MAP) if is_map else (MAP, min(height, HIGHEST)))
    rank = np.argsort(np.argsort(positions, kind="stable")) if not is_map else None
    colours = style.colours_of_groups(groups)
    for group, colour in colours.items():
        here = np.flatnonzero([each == group for each in groups])
        if is_map:
            x, y = positions[here].T
        else:
            x, y = positions[here], rank[here]
        if has_ends:
            ax.hlines(y, *(ends[:, here, 0] if is_map else ends[:, here]), color=colour, **INTERVAL)
        if has_ends and is_map:
            ax.vlines(x, *ends[:, here, 1], color=colour, **INTERVAL)
        ax.plot(x, y, color=colour, label=group or None, **POINT)
    _name(ax, positions, ends[1], given, rank)
    if len(colours) > 1:
        ax.legend(loc="best" if is_map else "lower right")
    return ax


def _name(axis: Axes, positions, upper, names, rank) -> None:
    """Write names: on one scale at the right end of each interval, else above each point."""
    is_map = rank is None
    if not is_map:
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
        axis.set_ylim(-1, len(names))
    written = []
    for i, name in enumerate(names):
        spot, shift = (positions[i], (2, 2)) if is_map else ((upper[i], rank[i]), (3, 0))
        written.append(
            axis.annotate(
                name, spot, shift, textcoords="offset points", fontsize=NAME_SIZE, va="bottom" if is_map else "center"
            )
        )
    if is_map and any(names):
        centre = np.median(positions, axis=0)
        spread = np.maximum(positions.std(axis=0), 1e-12)
        distance = np.square((positions - centre) / spread).sum(axis=1)
        _hide_overlaps([written[i] for i in np.argsort(-distance, kind="stable")])


def _hide_overlaps(texts: Sequence[Annotation]) -> None:
    """Hide each text that would cover one before it: those far from the middle have precedence."""
    texts[0].figure.draw_without_rendering()  # so that places are those of the finished picture
    shown = []
    for text in texts:
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in shown):
            text.set_visible(False)
        elif text.get_text():
            shown.append(box)
