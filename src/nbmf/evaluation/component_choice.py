"""How many components does a table have, if any? The K that predicts held-out cells best.

Of matrices see `n_components="auto"`, which is `nbmf.inference.component_search`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, ConstantFeatureWarning, DataError, PoorFitWarning, Setting, not_allowed
from nbmf.evaluation.held_out_cells import Fold, folds
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.families.mixed_membership.features import cells_of
from nbmf.inference.parameters import check_count
from nbmf.inference.starts import Starts
from nbmf.numerics.clustered_errors import count_distinct, format_error, format_p, mean_and_error, one_sided_p
from nbmf.seeds import child, seed_sequence

GRID = (2, 3, 4, 5, 6, 8)
CHANCE = 0.05  # that noise passes for structure
STARTS = 2  # of each fit of a fold
MODELS = {"mnb": {"model": "mnb"}, "mmnb": {"model": "mmnb"}}
WORST = 700.0  # nats of a cell, so that one that is impossible still says which model is better
ALONE = ("", 1)  # the fit without components
QUIET = (ConstantFeatureWarning, PoorFitWarning)


class Scored(NamedTuple):
    """What a model with K components predicts.

    model : str, the name of the model
    K : int
    loss : float, minus the log density of a held-out cell (of documents a token) on average, nats
    none : float, the loss without the rest of the row
    gain : float, by how much `loss` is less than `none`
    error : float, its standard error; cells of a row are not taken as independent
    behind : float, by how much the best of all is better
    behind_error : float, its standard error

    `none` is the loss of a single component, or of these as they are on average, whichever is less:
    distributions of several components together have other shapes than one has, so that they predict better
    even if columns have nothing to do with each other.
    """

    model: str
    K: int
    loss: float
    none: float
    gain: float
    error: float
    behind: float
    behind_error: float


class ComponentChoice(NamedTuple):
    """How many components `choose_components` takes.

    found : bool, whether what was chosen predicts better than no components, with p < CHANCE
    chosen : Scored, with the smallest K of those within a standard error of the best
    p : float, the probability of so large a gain if there were none (one-sided)
    alone : float, the loss without components
    scores : tuple of Scored, all of them
    cells, folds : int, how many cells (of documents tokens) were held out, in how many folds
    unit : str, "cell" or "token"
    """

    found: bool
    chosen: Scored
    p: float
    alone: float
    scores: tuple[Scored, ...]
    cells: int
    folds: int
    unit: str

    def __str__(self) -> str:
        chosen = self.chosen
        how_much = f"{format_error(abs(chosen.gain), chosen.error)} nats per held-out {self.unit}"
        p = format_p(self.p)
        if self.found:
            losses = f"{chosen.none:.4f} to {chosen.loss:.4f}"
            return f"{chosen.K} components predict better than none, by {how_much} ({losses}, {p})"
        shapes = ""
        if chosen.none < self.alone:
            shapes = (
                f"; what they gain on a single one, {self.alone - chosen.loss:.4f}, is the shape of "
                "columns, not what rows have in common"
            )
        if chosen.gain > 0:
            lead = f"the lead of {chosen.K} components, {how_much}, can be chance ({p})"
            return f"nothing found: {lead}{shapes}"
        return f"nothing found: {chosen.K} components predict worse than none, by {how_much}{shapes}"


def choose_components(
    V: Any,
    grid: Sequence[int] = GRID,
    *,
    models: Mapping[str, dict[str, Any]] = MODELS,
    starts: int = STARTS,
    seed: int = 0,
    log: Callable[[int, int], None] | None = None,
) -> ComponentChoice:
    """Test how many components predict held-out cells of a table best, and whether any do.

    This is 5-fold cross-validation over the cells of each column (of documents: the tokens), which stops when
    50,000 of them have been held out; fits to the others predict each held-out cell by its distribution, given the
    rest of its row. No structure is found if the choice predicts no better than a model in which columns are
    independent; see `Scored.none`.

    Parameters
    ----------
    V : FeatureTable, or what one is made of
    grid : sequence of int
        The numbers of components; those above the number of rows that differ are left out.
    models : dict
        From a name to the arguments of a FeatureModel: by default both a mixture and mixed
        memberships.
    starts : int
        The number of fits of each fold, of which the one with the largest objective is used.
    seed : int
        Of folds and fits.
    log : function, optional
        Called with the number of fits that are done and their total.

    Raises
    ------
    DataError
        If there are too few cells to hold any out, or a single column, whose cells have no others
        in their rows that they could be predicted from.
    ConfigError
        If a K or `starts` is no integer of at least 1, no K of the grid is possible, there are no models, or `seed` is
        not an integer of at least 0.
    """
    check_count("seed", seed, 0)
    check_count("starts", starts, 1)
    if not (isinstance(models, Mapping) and models):
        raise not_allowed("models", models, "a dict from names to the arguments of a FeatureModel")
    if not isinstance(grid, Iterable):
        raise not_allowed("grid", grid, "a sequence of integers")
    table = FeatureTable.of(V)
    _check(table, grid)
    drawn = list(folds(table, np.random.default_rng(seed_sequence("held-out cells", seed))))
    largest_K = _largest_K(drawn, grid)
    fits = [ALONE, *((name, K) for K in sorted(set(grid) - {1}) for name in models)]
    losses: dict[tuple[str, int], list[np.ndarray]] = {(name, K): [] for name, K in fits if largest_K >= K}
    for number, fold in enumerate(drawn):
        for i, (name, K) in enumerate(fits, start=number * len(fits) + 1):
            if (name, K) in losses:
                key = child(seed_sequence("held-out fit", seed), name, K, number)
                losses[name, K].append(_losses(_fit(fold, name, K, models, starts, key), fold))
            if log is not None:
                log(i, len(drawn) * len(fits))
    is_of_words = WORD in table.kinds
    row = np.concatenate([fold.held_out.row_of_cell() for fold in drawn])
    weight = np.concatenate([fold.held_out.cells for fold in drawn]) if is_of_words else np.ones(row.size)
    by_model = {each: np.hstack(parts) for each, parts in losses.items()}
    return _choice(by_model, row, weight, len(drawn), "token" if is_of_words else "cell")


def _check(table: FeatureTable, grid: Sequence[int]) -> None:
    """Raise an error if a K is none, or nothing can be predicted from the rest of a row."""
    for K in grid:
        check_count("n_components", K, 1)
    if table.shape[1] == 1:
        what = "word" if WORD in table.kinds else "column"
        raise DataError(
            f"a single {what}, {str(table.column_names[0])!r}: what is held out is predicted from "
            "the rest of its row; needed are two"
        )


def _largest_K(drawn: Sequence[Fold], grid: Sequence[int]) -> int:
    """Return the largest K of a grid, or the number of different rows if this is less; ConfigError if no K fits."""
    known = [cells_of(fold.known) for fold in drawn]
    largest = min(cells.count_distinct_rows(max(2, *grid)) for cells in known)
    if any(2 <= K <= largest for K in grid):
        return largest
    largest = min(cells.count_distinct_rows(drawn[0].known.shape[0]) for cells in known)
    raise ConfigError(
        Setting("n_components", grid[0] if len(grid) == 1 else list(grid)),
        f": must be a number from 2 to {largest}, since {largest} rows differ where a fifth of the cells is held out",
    )


def _fit(
    fold: Fold, name: str, K: int, models: Mapping[str, dict[str, Any]], starts: int, key: np.random.SeedSequence
) -> FeatureModel:
    """Return the fit of a model to the known cells; with one component all models are the same."""
    if K > 1:
        return best_fit(fold.known, K, models[name], starts, key)
    settings = {**next(iter(models.values())), "model": "mnb"}
    return best_fit(fold.known, K, settings, 1, key)


def _losses(fitted: FeatureModel, fold: Fold) -> np.ndarray:
    """Return the losses of held-out cells with the rest of their rows, and without, (2, n)."""
    log = [fitted.cell_log_likelihood(given, fold.held_out) for given in (fold.known, None)]
    return np.minimum(-np.array(log), WORST)


def _choice(
    losses: dict[tuple[str, int], np.ndarray], row: np.ndarray, weight: np.ndarray, n_folds: int, unit: str
) -> ComponentChoice:
    """Return the choice by `_losses` of all folds: the fewest components near the best."""

    def mean(loss: np.ndarray) -> float:
        return float(np.average(loss, weights=weight))

    alone, _ = losses[ALONE]
    with_components = {each: both for each, both in losses.items() if each != ALONE}
    best = min((given_row for given_row, _ in with_components.values()), key=mean)
    scores = []
    for (name, K), (given_row, without_row) in with_components.items():
        none = min(alone, without_row, key=mean)
        gain, error = mean_and_error(none - given_row, row, weight)
        behind, behind_error = mean_and_error(given_row - best, row, weight)
        scores.append(Scored(name, K, mean(given_row), mean(none), gain, error, behind, behind_error))
    near_the_best = [score for score in scores if score.behind <= score.behind_error]
    chosen = min(near_the_best, key=lambda score: (score.K, score.loss))
    degrees_of_freedom = max(count_distinct(row) - 1, 1)
    p = one_sided_p(chosen.gain, chosen.error, degrees_of_freedom) if chosen.error > 0 else 1.0
    has_structure = chosen.gain > 0 and p < CHANCE
    return ComponentChoice(has_structure, chosen, p, mean(alone), tuple(scores), int(weight.sum()), n_folds, unit)


def best_fit(
    table: FeatureTable, K: int, settings: dict[str, Any], starts: int, seed: np.random.SeedSequence
) -> FeatureModel:
    """Return of several starts the fit with the largest objective, of those with most components that differ.

    Its warnings are not given: the fit has the facts.
    """
    fits = []
    with warnings.catch_warnings():
        for category in QUIET:
            warnings.simplefilter("ignore", category)
        for number in range(starts):
            random_state = child(seed, "start", number)
            fits.append(FeatureModel(K, **{"random_state": random_state, **settings}).fit(table))
    objectives = Starts.of([fit.objective_ for fit in fits], [fit.distinct_components_ for fit in fits])
    return fits[objectives.kept]
