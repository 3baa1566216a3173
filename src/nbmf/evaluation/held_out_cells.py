"""How many components does a table have, if any? Which K predicts held-out cells best."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import CollapsedWarning, ConfigError, ConstantFeatureWarning, DataError, NotConvergedWarning
from nbmf.evaluation.folds import mean_and_error
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.inference.parameters import check_count
from nbmf.seeds import child, seed_sequence

GRID = (2, 3, 4, 5, 6, 8)
FOLDS = 5
ENOUGH = 50_000  # cells (of documents tokens) that are held out in all folds together
CHANCE = 0.05  # that noise passes for structure
STARTS = 2  # of each fit of a fold
MODELS = {"mnb": {"model": "mnb"}, "mmnb": {"model": "mmnb"}}
WORST = 700.0  # nats of a cell, so that one that is impossible tells still which model is better
ALONE = ("", 1)  # the fit without components
QUIET = (CollapsedWarning, ConstantFeatureWarning, NotConvergedWarning)


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
    laws of several components together have other shapes than one has, so that they predict better
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


class Choice(NamedTuple):
    """How many components there are.

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
        own = self.chosen
        how_much = f"{abs(own.gain):.4f} ± {own.error:.4f} nats per held-out {self.unit}"
        p = f"p = {self.p:.2g}" if self.p >= 0.001 else "p < 0.001"
        if self.found:
            return f"{own.K} components predict better than none, by {how_much} ({own.none:.4f} to {own.loss:.4f}, {p})"
        shapes = ""
        if own.none < self.alone:
            shapes = (
                f"; what they gain on a single one, {self.alone - own.loss:.4f}, is the shape of "
                "columns, not what rows have in common"
            )
        if own.gain > 0:
            lead = f"the lead of {own.K} components, {how_much}, can be chance ({p})"
            return f"nothing found: {lead}{shapes}"
        return f"nothing found: {own.K} components predict worse than none, by {how_much}{shapes}"


def choose_components(
    V: Any,
    grid: Sequence[int] = GRID,
    *,
    models: Mapping[str, dict[str, Any]] = MODELS,
    starts: int = STARTS,
    seed: int = 0,
    log: Callable[[int, int], None] | None = None,
) -> Choice:
    """Say how many components predict held-out cells of a table best, and whether any do.

    Fifths of the cells of each column (of documents of the tokens) are held out in turn, until
    ENOUGH of them have been; fits to the others predict each held-out cell by its law, given the
    rest of its row. Nothing is found if what is chosen is no better than predictions for which
    columns have nothing to do with each other; see `Scored.none`.

    Parameters
    ----------
    V : FeatureTable, or what one is made of
    grid : sequence of int
        The numbers of components; those above the number of rows that differ are left out.
    models : dict
        From a name to the arguments of a FeatureModel: by default both a mixture and mixed
        memberships.
    starts : int
        Fits of each fold, of which that with the largest objective is taken.
    seed : int
        Of folds and fits.
    log : function, optional
        Takes how many fits are done, and of how many.

    Raises
    ------
    DataError
        If there are too few cells to hold any out, or a single column, whose cells have no others
        in their rows that they could be predicted from.
    ConfigError
        If a K is no integer of at least 1, or no K of the grid is possible.
    """
    table = FeatureTable.of(V)
    for K in grid:
        check_count("n_components", K, 1)
    if table.shape[1] == 1:
        what = "word" if WORD in table.kinds else "column"
        raise DataError(
            f"a single {what}, {str(table.column_names[0])!r}: what is held out is predicted from "
            "the rest of its row; needed are two"
        )
    fits = [ALONE, *((name, K) for K in sorted(set(grid) - {1}) for name in models)]
    drawn = list(folds(table, np.random.default_rng(seed_sequence("held-out cells", seed))))
    losses: dict[tuple[str, int], list[np.ndarray]] = {each: [] for each in fits}
    differ = min(rows_that_differ(known, max(2, *grid)) for known, _ in drawn)
    if not any(2 <= K <= differ for K in grid):
        differ = min(rows_that_differ(known, known.shape[0]) for known, _ in drawn)
        tried = ", ".join(map(str, grid))
        raise ConfigError(
            f"n_components = {tried}: allowed are numbers from 2 to {differ}, since {differ} rows "
            "differ where a fifth of the cells is held out"
        )
    lines, weights = [], []
    for number, (known, held_out) in enumerate(drawn):
        lines.append(held_out.row_of_cell())
        weights.append(held_out.cells if WORD in table.kinds else np.ones(held_out.cells.size))
        for place, (name, K) in enumerate(fits):
            if differ >= K:
                key = child(seed_sequence("held-out fit", seed), name, K, number)
                # All models are the same where there is one component.
                given = models[name] if K > 1 else {**next(iter(models.values())), "model": "mnb"}
                fitted = best_fit(known, K, given, starts if K > 1 else 1, key)
                losses[name, K].append(_losses(fitted, known, held_out))
            if log is not None:
                log(number * len(fits) + place + 1, len(drawn) * len(fits))
    row, weight = np.concatenate(lines), np.concatenate(weights)
    found = {each: np.hstack(parts) for each, parts in losses.items() if parts}
    return _choice(found, row, weight, len(drawn), "token" if WORD in table.kinds else "cell")


def _losses(fitted: FeatureModel, known: FeatureTable, held_out: FeatureTable) -> np.ndarray:
    """Return the losses of held-out cells with the rest of their rows, and without, (2, n)."""
    log = [fitted.cell_log_likelihood(given, held_out) for given in (known, None)]
    return np.minimum(-np.array(log), WORST)


def _choice(losses: dict, row: np.ndarray, weight: np.ndarray, count: int, unit: str) -> Choice:
    """Return the choice by `_losses` of all folds."""
    alone, _ = losses.pop(ALONE)

    def mean(loss: np.ndarray) -> float:
        return float(np.average(loss, weights=weight))

    best = min((loss for loss, _ in losses.values()), key=mean)
    scores = []
    for (name, K), (loss, average) in losses.items():
        none = min(alone, average, key=mean)
        gain = mean_and_error(none - loss, row, weight)
        behind = mean_and_error(loss - best, row, weight)
        scores.append(Scored(name, K, mean(loss), mean(none), *gain, *behind))
    near = [each for each in scores if each.behind <= each.behind_error or each.behind <= 0]
    chosen = min(near, key=lambda each: (each.K, each.loss))
    dof = max(np.unique(row).size - 1, 1)
    p = float(stdtr(dof, -chosen.gain / chosen.error)) if chosen.error > 0 else 1.0
    found = chosen.gain > 0 and p < CHANCE
    return Choice(found, chosen, p, mean(alone), tuple(scores), int(weight.sum()), count, unit)


def best_fit(
    table: FeatureTable, K: int, settings: dict[str, Any], starts: int, seed: np.random.SeedSequence
) -> FeatureModel:
    """Return of several starts the fit with the largest objective, if there is one not collapsed.

    Warnings of collapse, convergence and constant columns are not given: the fit has the facts.
    """
    made = []
    with warnings.catch_warnings():
        for category in QUIET:
            warnings.simplefilter("ignore", category)
        for start in range(starts):
            own = child(seed, "start", start)
            made.append(FeatureModel(K, **{"random_state": own, **settings}).fit(table))
    return max(made, key=lambda fit: (fit.distinct_components_, fit.objective_))


def rows_that_differ(table: FeatureTable, enough: int) -> int:
    """Return how many rows with cells differ; counting ends at `enough`."""
    seen = set()
    for f in range(table.shape[0]):
        part = slice(table.starts[f], table.starts[f + 1])
        if part.stop > part.start:
            seen.add(table.columns[part].tobytes() + table.cells[part].tobytes())
        if len(seen) >= enough:
            break
    return len(seen)


def folds(table: FeatureTable, rng: np.random.Generator) -> Iterator[tuple[FeatureTable, FeatureTable]]:
    """Yield pairs of tables with the same rows: the cells that are known, and those held out.

    Of each column about a fifth of the cells is held out in a fold, of documents about a fifth of
    the tokens; of a column with fewer than FOLDS cells none.

    Raises
    ------
    DataError
        If no column has as many, or the tokens do not suffice.
    """
    of_words = WORD in table.kinds
    total = table.cells.sum() if of_words else table.cells.size
    count = int(min(FOLDS, math.ceil(ENOUGH * FOLDS / max(total, 1))))
    if of_words:
        share = rng.multinomial(table.cells.astype(np.int64), [1 / FOLDS] * FOLDS)  # (n, FOLDS)
    else:
        fold = np.full(table.cells.size, -1)
        order = np.lexsort((rng.random(table.cells.size), table.columns))
        sizes = np.bincount(table.columns, minlength=table.shape[1])
        places = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        fold[order] = (places + rng.integers(FOLDS)) % FOLDS
        fold[sizes[table.columns] < FOLDS] = -1
        share = (fold[:, None] == np.arange(FOLDS)).astype(int)
    if not share[:, :count].any(axis=0).all():
        parts = f"so that none are held out in one of {FOLDS} parts"
        if of_words:
            raise DataError(f"{total:g} tokens are too few, {parts}")
        raise DataError(f"no column has {FOLDS} observed cells, {parts}; {total} are there in all")
    for own in share.T[:count]:
        if of_words:
            yield _with_cells(table, table.cells - own), _with_cells(table, own)
        else:
            yield _part(table, own == 0), _part(table, own == 1)


def _with_cells(table: FeatureTable, counts: np.ndarray) -> FeatureTable:
    return _part(replace(table, cells=np.maximum(counts, 1)), counts > 0)


def _part(table: FeatureTable, chosen: np.ndarray) -> FeatureTable:
    """Return the table with some of its cells and all its rows."""
    sizes = np.bincount(table.row_of_cell()[chosen], minlength=table.shape[0])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return replace(table, cells=table.cells[chosen], columns=table.columns[chosen], starts=starts)
