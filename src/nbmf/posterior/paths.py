"""Rows that move: where they were in every period, where they go next, and what they will say, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.names import checked_labels, default_names
from nbmf.errors import ConfigError, DataError, NotSupportedError, Setting, not_allowed
from nbmf.families.logistic.factors import PATHS, PERIODS
from nbmf.families.logistic.moving_rows import WALK, matrix_root
from nbmf.inference.parameters import is_number
from nbmf.inference.state import Factors
from nbmf.posterior.draws import Draws
from nbmf.posterior.intervals import interval
from nbmf.posterior.path_values import Paths
from nbmf.seeds import seed_sequence

if TYPE_CHECKING:
    import pandas as pd


def refuse_rows_that_stay(model: object) -> None:
    """Raise NotSupportedError unless the rows of a fitted model move."""
    if not hasattr(model, "paths_"):
        raise NotSupportedError(f"rows of {type(model).__name__} do not move: DynamicFactorGibbs has paths")


def paths_of(draws: Draws, level: float = 0.9) -> Paths:
    """Return the paths of a fit with their credible intervals.

    Parameters
    ----------
    draws : Draws
        Of a fit whose rows move, from `nbmf.posterior_draws` or `chains.draws`.
    level : float

    Raises
    ------
    NotSupportedError
        If rows do not move.
    ConfigError
        If `level` is not between 0 and 1.
    """
    model = draws.estimator
    refuse_rows_that_stay(model)
    drawn = _drawn_paths(draws)
    ends = interval(drawn, level)
    return Paths(*labels_of_paths(model), drawn.mean(axis=0), *ends, model.entries_.astype(int), model.spans_)


def _drawn_paths(draws: Draws) -> np.ndarray:
    """Return draws of the positions of rows in all periods, float array (S, F, T, K)."""
    return np.stack([_align_positions(draws, s, factors.others[PATHS]) for s, factors in enumerate(draws)])


def labels_of_paths(model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the names of the rows of a model whose rows move, and the names and times of its periods."""
    names = default_names("row", len(model.W_)) if model.row_names_ is None else model.row_names_
    return names, model.period_names_, model.period_times_


def path_table(draws: Draws, level: float = 0.9) -> pd.DataFrame:
    """Return a row per row of the matrix, period of its span and component.

    Columns: row, period, component (numbers from 1, in the order of `W_`), mean, lower, upper, entries (how many the
    row has in the period, 0 in a pause). Parameters and errors as of `paths_of`.
    """
    import pandas as pd  # takes a moment

    paths = paths_of(draws, level)
    K = paths.mean.shape[2]
    in_span = _are_in_span(draws.estimator)
    f, t, k = np.nonzero(np.repeat(in_span[:, :, None], K, axis=2))
    numbers = {name: getattr(paths, name)[f, t, k] for name in ("mean", "lower", "upper")}
    names = {"row": paths.row_names[f], "period": paths.period_names[t], "component": k + 1}
    return pd.DataFrame(names | numbers | {"entries": paths.entries[f, t]})


def _are_in_span(model) -> np.ndarray:
    """Return whether a period is in the span of a row, bool array (F, T)."""
    t = np.arange(len(model.period_names_))
    return (model.spans_[:, :1] <= t) & (t <= model.spans_[:, 1:])


def group_path_table(draws: Draws, groups: Sequence[str], level: float = 0.9) -> pd.DataFrame:
    """Return a row per group of rows, period in which it has some, and component: where they are on average.

    Columns: group, period, component (numbers from 1, in the order of `W_`), rows (how many have the period in their
    span), mean, lower, upper; change, change_lower, change_upper, how far that is from the group's first period, which
    rows that come and go move as well.

    `groups` has the group of each row, F texts, "" for none; DataError if there are more or fewer, or all are "". Other
    parameters and errors as of `paths_of`.
    """
    import pandas as pd

    model = draws.estimator
    refuse_rows_that_stay(model)
    labels = checked_labels(groups, len(model.W_), "groups")
    if not labels.any():
        raise DataError(Setting("groups"), ": no row has a group")
    drawn, in_span = _drawn_paths(draws), _are_in_span(model)
    tables = []
    for group in np.unique(labels[labels != ""]):
        here = in_span & (labels == group)[:, None]
        periods = np.flatnonzero(here.any(axis=0))
        rows = here[:, periods].sum(axis=0)
        means = np.einsum("sftk,ft->stk", drawn[:, :, periods], here[:, periods] / rows)
        change = means - means[:, :1]
        (lower, upper), (change_lower, change_upper) = interval(means, level), interval(change, level)
        numbers = {"mean": means.mean(axis=0), "lower": lower, "upper": upper}
        numbers |= {"change": change.mean(axis=0), "change_lower": change_lower, "change_upper": change_upper}
        K = means.shape[2]
        names = {"group": group, "period": np.repeat(model.period_names_[periods], K)}
        names |= {"component": np.tile(np.arange(K) + 1, len(periods)), "rows": np.repeat(rows, K)}
        tables.append(pd.DataFrame(names | {name: values.ravel() for name, values in numbers.items()}))
    return pd.concat(tables, ignore_index=True)


def next_positions(draws: Draws, ahead: float = 1.0, seed: int = 0) -> np.ndarray:
    """Return draws of where all rows are some time after the last period, float array (S, F, K).

    A draw of the last position, which of a row that has paused or gone is wider, and a step of the walk.

    Parameters
    ----------
    draws : Draws
    ahead : float
        Units of time, at least 0.
    seed : int
        Of the steps.

    Raises
    ------
    NotSupportedError
        If rows do not move.
    ConfigError
        If `ahead` is negative or no number.
    """
    refuse_rows_that_stay(draws.estimator)
    if not is_number(ahead) or not 0 <= ahead < np.inf:
        raise not_allowed("ahead", ahead, "a number of at least 0")
    rng = np.random.default_rng(seed_sequence("next positions", seed))
    return np.stack(
        [_align_positions(draws, s, positions_after(factors, ahead, rng)) for s, factors in enumerate(draws)]
    )


def positions_after(factors: Factors, ahead: float, rng: np.random.Generator) -> np.ndarray:
    """Return where rows are `ahead` after the last period, in the axes of the draw, float array (F, K)."""
    last = factors.others[PATHS][:, -1].astype(float)
    scale = matrix_root(ahead * factors.others[WALK].astype(float)) if ahead else np.zeros((1, 1, 1))
    return last + np.einsum("fkc,fc->fk", np.broadcast_to(scale, (len(last), *scale.shape[1:])), _normals(rng, last))


def _normals(rng: np.random.Generator, like: np.ndarray) -> np.ndarray:
    return rng.standard_normal(like.shape)


def _align_positions(draws: Draws, s: int, positions: np.ndarray) -> np.ndarray:
    """Return positions (..., K) of draw s with components as in W_."""
    flat = positions.reshape(-1, positions.shape[-1])
    return draws.alignment.aligned(s, flat).reshape(positions.shape)


def predict_next(draws: Draws, columns: Sequence[int] | None = None, ahead: float = 1.0, seed: int = 0) -> np.ndarray:
    """Return the probability of a one, of every row, some time after the last period.

    The mean over the draws, and over where a row goes from each.

    Parameters
    ----------
    draws : Draws
    columns : sequence of n ints, optional
        Known columns, as if they came again; by default a new one, of which only the prior is known that the fit has
        learned: whether it is a one, averaged over all that it may be.
    ahead, seed
        As of `next_positions`.

    Returns
    -------
    float array (F,), or (F, n) of known columns
        Of ordered categories the probability of each, (F, C) or (F, n, C).

    Raises
    ------
    NotSupportedError
        If rows do not move.
    ConfigError
        If `ahead` is negative or no number, or there is no such column.
    """
    model = draws.estimator
    next_positions(draws[:1], ahead)  # for its checks
    rng = np.random.default_rng(seed_sequence("next columns", seed))
    places = None if columns is None else _checked_columns(columns, model.H_.shape[1])
    total = 0.0
    for factors in draws:
        W = positions_after(factors, ahead, rng)
        total = total + _probabilities(model, factors, W, places, rng)
    return total / len(draws)


def _probabilities(
    model, factors: Factors, W: np.ndarray, places: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    if places is None:
        return model.chances_of_new_column(factors, W, rng)
    again = {PATHS: W[:, None], PERIODS: np.zeros(factors.H.shape[1], int)}
    moved = factors._replace(W=W, others=dict(factors.others) | again)
    rows = np.arange(len(W))[:, None]
    return model.predictive_of(moved, *np.broadcast_arrays(rows, places))


def _checked_columns(columns: Sequence[int], N: int) -> np.ndarray:
    places = np.asarray(columns)
    if places.ndim != 1 or places.dtype.kind not in "iu" or ((places < 0) | (places >= N)).any():
        raise ConfigError(Setting("columns", columns), f": must be integers from 0 to {N - 1}")
    return places
