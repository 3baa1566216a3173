"""The rows or the columns of a matrix: where they are, and which of them go together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.errors import ConfigError, DataError, choices
from nbmf.inference.estimator import Factorization
from nbmf.plot.given import Fit, check_axis, draws_of, model_of, side_of
from nbmf.plotting import co_clustering as co_clustering_picture
from nbmf.plotting import positions as positions_picture
from nbmf.posterior.co_clustering import LINES
from nbmf.posterior.co_clustering import co_clustering as together_in
from nbmf.posterior.components import components_of
from nbmf.posterior.draws import Draws

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        The lines whose names are written; by default all. On a map, a name that would cover
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
        If there is no such name, or not one group per line.
    """
    check_axis(axis)
    model = model_of(fit)
    numbers = [components] if isinstance(components, int | np.integer) else list(components)
    found = components_of(model)
    if len(numbers) not in (1, 2) or not all(1 <= each <= len(found.order) for each in numbers):
        allowed = f"a number from 1 to {len(found.order)}, or two" if len(found.order) else "none"
        raise ConfigError(f"components = {components!r}: allowed is {allowed}")
    places = found.order[np.array(numbers) - 1]
    side = side_of(model, axis, places, groups)
    written = _written(side.names, names)
    draws = draws_of(fit)
    ends = (None, None) if draws is None else _interval(draws, axis, places, level)
    shown = [each if each is None or len(places) == 2 else each[:, 0] for each in (side.weights, *ends)]
    drawn = positions_picture.draw(*shown, written, side.groups, ax)
    meaning = model.meanings[axis]
    drawn.set_xlabel(f"{meaning}, component {numbers[0]}")
    if len(places) == 2:
        drawn.set_ylabel(f"{meaning}, component {numbers[1]}")
    return drawn


def co_clustering(fit: Fit, *, axis: int = 0, groups: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw how probably two rows, or two columns, go together in components; black is 1.

    See `Draws.co_clustering`. Lines are sorted by group and by component; strips are components
    at the left and below, and groups.

    Parameters
    ----------
    fit : Draws, Chains or estimator
        Fitted. Draws and chains say how sure it is; an estimator alone knows its means.
    axis : int
        0 for rows, 1 for columns.
    groups : str array (F,) or (N,), optional
        For example `V.row_groups`.
    ax : axis, optional

    Raises
    ------
    ConfigError
        If there is no such axis.
    NotSupportedError
        If the lines are no distributions over components and no probabilities of a one.
    DataError
        If there is not one group per line.
    """
    check_axis(axis)
    model = model_of(fit)
    if isinstance(fit, Factorization):
        together = together_in(model, [model.factors_], axis)
    else:
        together = fit.co_clustering(axis)
    side = side_of(model, axis, components_of(model).shown, groups)
    label = f"probability that two {LINES[axis]} go together"
    return co_clustering_picture.draw(together, side, label, ax)


def _interval(draws: Draws, axis: int, places: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals of some components, arrays (n, components)."""
    if axis == 0:
        lower, upper = draws.dictionary_interval(level)
    else:
        lower, upper = (end.T for end in draws.activation_interval(level))
    return lower[:, places], upper[:, places]


def _written(every: np.ndarray, asked: Collection[str] | None) -> list[str]:
    """Return the names that are written, "" in the place of the others."""
    if asked is None:
        return [str(name) for name in every]
    known = {str(name) for name in every}
    for name in asked:
        if name not in known:
            raise DataError(f"names: there is no {name!r}; {choices(name, known)}")
    return [str(name) if name in asked else "" for name in every]
