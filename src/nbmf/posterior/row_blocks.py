"""Consecutive rows that are likely to be a fault of the file: shifted columns, another coding."""

from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.posterior.components import Components

SHORTEST = 3  # rows of a block
LARGEST = 0.25  # of all rows; also how near in the file rows are that a row is not compared with
DOMINATED = 0.8  # of a component's weight that a block holds, at least
HELD = 0.5  # of a component's weight, from which a shifted block is said to hold it
NEIGHBOURS = 5  # rows that a row is compared with, the most alike
IMPROVED = 0.03  # mean cosine with these, by which a shift has to bring the rows of a block nearer
NEARLY = 0.85  # of the cosine that is usual, which they have to reach
DISTINCT = 5  # different rows in a block, at least: rows that are the same are one piece of evidence
SHUFFLES, AS_GOOD = 9999, 1  # orders of the rows, and in how many of them a run may be as good by chance
PRODUCTS = 2e9  # multiplications, a second or so; rows are compared with a sample of others that needs no more
FEWEST, AT_ONCE = 20, 1000  # rows in such a sample; rows compared at a time
ROUNDING = 1e-9  # of the mean square, variation that is none
ORDERED = 0.2  # correlation of a row's weight with that of the next, from which a file is in an order


class RowBlock(NamedTuple):
    """Consecutive rows that are likely to be a fault of the file.

    first, last : int, places of the rows
    shift : int, how many columns to the left their values have to be moved (negative: to the right) to look like
        other rows; 0 if they are just a component of their own
    held : dict from components, numbers from 0, to the shares of their weight that the rows hold
    """

    first: int
    last: int
    shift: int
    held: dict[int, float]


def row_blocks(components: Components, matrix: BinaryMatrix) -> list[RowBlock]:
    """Return blocks of consecutive rows that are likely to be a fault of the file, in its order.

    Either their values look like those of other rows when they are moved by a column. Or they hold nearly all of a
    component, and no order of the file explains it: where groups are consecutive by design, a row resembles the next
    all over the file.
    """
    weights = _weights_of_rows(components)
    blocks = [
        RowBlock(run.start, run.stop - 1, shift, _held_components(weights, run, HELD))
        for run, shift in _shifted_runs(matrix)
    ]
    for run in _dominating_runs(weights):
        others = np.delete(components.model.W_[:, : components.active], np.r_[run], axis=0)
        overlaps = any(run.start <= block.last and block.first < run.stop for block in blocks)
        if not overlaps and not _is_ordered(others):
            blocks.append(RowBlock(run.start, run.stop - 1, 0, _held_components(weights, run, DOMINATED)))
    return sorted(blocks, key=lambda block: block.first)


# --- Rows of a component ---------------------------------------------------------------------------


def _weights_of_rows(components: Components) -> np.ndarray:
    """Return which share of each active component's weight is due to each row, float array (F, active)."""
    model = components.model
    W = model.W_[:, : components.active]
    weights = W.copy() if "W" in model.distributions else np.square(W)
    sets_rows_apart = [not axis for axis in components.intercepts[: components.active]]
    weights[:, np.logical_not(sets_rows_apart)] = 0.0
    if "W" in model.probabilities:  # there the columns have the weights
        weights[:] = 0.0
    return weights / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)


def _held_components(weights: np.ndarray, run: slice, least: float) -> dict[int, float]:
    """Return the components of which a run holds at least so much."""
    shares = weights[run].sum(axis=0)
    return {int(number): float(shares[number]) for number in np.flatnonzero(shares >= least)}


def _dominating_runs(weights: np.ndarray) -> list[slice]:
    """Return the runs of consecutive rows that hold nearly all of a component, each once."""
    blocks = {}
    for row_weights in weights.T:
        typical = np.square(row_weights).sum()  # the weight of the rows that make up the component
        runs = _runs(row_weights >= typical / 2) if typical > 0 else []
        run = max(runs, key=lambda each: row_weights[each].sum(), default=slice(0, 0))
        is_block = SHORTEST <= run.stop - run.start <= LARGEST * len(row_weights)
        if is_block and row_weights[run].sum() >= DOMINATED:
            blocks[run.start, run.stop] = run
    return list(blocks.values())


def _runs(is_in: np.ndarray) -> list[slice]:
    """Return the runs of True of a bool array."""
    edges = np.flatnonzero(np.diff(np.r_[False, is_in, False]))
    return [slice(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def _is_ordered(W: np.ndarray) -> bool:
    """Return whether a row resembles the next in any component."""
    rows = len(W)
    if rows < 3:
        return False
    centred = W - W.mean(axis=0)
    variation = np.square(centred).sum(axis=0)
    varies = variation > ROUNDING * np.square(W).sum(axis=0)
    correlation = (centred[1:] * centred[:-1]).sum(axis=0)[varies] / variation[varies]
    return bool((correlation > max(ORDERED, 2 / np.sqrt(rows))).any())


# --- Rows whose values are moved by a column ---------------------------------------------------------


class _Candidate(NamedTuple):
    """Rows that look more like others when moved by a column than as they are, or moved the other way."""

    run: slice
    shift: int


def _shifted_runs(matrix: BinaryMatrix) -> list[_Candidate]:
    """Return at most one run of rows for each way, 1 to the left or -1 to the right."""
    rows, columns = matrix.shape
    sample = min(rows, int(PRODUCTS / (rows * columns)))
    if sample < FEWEST or columns < 3:
        return []
    values = np.where(matrix.observed, matrix.codes, np.nan)
    compared = np.unique(np.linspace(0, rows - 1, sample).astype(int))
    likeness = _Likeness(values, np.nansum(values, axis=0) / matrix.observed.sum(axis=0).clip(1))
    everyone = np.arange(rows)
    nearness = {shift: likeness.mean_cosines(everyone, shift, compared) for shift in (0, 1, -1)}
    candidates = [_find_candidate(nearness, shift, matrix) for shift in (1, -1)]
    candidates = [each for each in candidates if each is not None]
    usual = np.median(likeness.mean_cosines(everyone, 0, compared, away=0))
    return [each for each in candidates if _is_confirmed(each, candidates, likeness, compared, usual)]


def _find_candidate(nearness: dict[int, np.ndarray], shift: int, matrix: BinaryMatrix) -> _Candidate | None:
    """Return the run in whose rows the shift brings most, None if as much is likely by chance."""
    gain = nearness[shift] - np.maximum(nearness[0], nearness[-shift])
    run, total = _best_run(gain)
    size = run.stop - run.start
    if not SHORTEST <= size <= LARGEST * len(gain) or len(np.unique(matrix.codes[run], axis=0)) < DISTINCT:
        return None
    rng, as_good = np.random.default_rng(0), 0  # of the order of rows alone
    for _ in range(SHUFFLES):
        as_good += _best_run(rng.permutation(gain))[1] >= total
        if as_good > AS_GOOD:
            return None
    return _Candidate(run, shift)


def _best_run(gain: np.ndarray) -> tuple[slice, float]:
    """Return the consecutive rows with the largest sum, and that."""
    sums = np.r_[0.0, np.cumsum(gain)]
    best = sums - np.minimum.accumulate(sums)
    stop = int(best.argmax())
    start = int(sums[: stop + 1].argmin())
    return slice(start, stop), float(best[stop])


def _is_confirmed(
    candidate: _Candidate, candidates: list[_Candidate], likeness: "_Likeness", compared: np.ndarray, usual: float
) -> bool:
    """Return whether rows look as usual once moved, and like others than those of the other candidate.

    Moved the other way, rows that are right look like the ones that are shifted.
    """
    rows = np.arange(candidate.run.start, candidate.run.stop)
    suspect = np.concatenate([np.arange(each.run.start, each.run.stop) for each in candidates])
    as_they_are, moved = (
        likeness.mean_cosines(rows, shift, np.setdiff1d(compared, suspect)) for shift in (0, candidate.shift)
    )
    return bool(moved.mean() >= NEARLY * usual and (moved - as_they_are).mean() >= IMPROVED)


class _Likeness:
    """How much rows resemble others: the cosine of two rows, less the means of columns; a missing entry is the mean."""

    def __init__(self, values: np.ndarray, means: np.ndarray):
        self.values, self.means = values, means

    def mean_cosines(self, rows: np.ndarray, shift: int, compared: np.ndarray, away: float | None = None) -> np.ndarray:
        """Return the mean cosine of rows, moved by columns, with the rows of `compared` that they resemble most.

        Those no more than `away` from a row in the file are not looked at: they may have the same fault.
        """
        away = LARGEST * len(self.values) if away is None else away
        others = self._directions(self.values[compared])
        nearness = np.empty(len(rows))
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            cosines = self._directions(_shift_columns(self.values[some], shift)) @ others.T
            cosines[np.abs(some[:, None] - compared) <= away] = -1.0
            nearness[start : start + AT_ONCE] = np.partition(cosines, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
        return nearness

    def _directions(self, rows: np.ndarray) -> np.ndarray:
        centred = np.where(np.isnan(rows), 0.0, rows - self.means)
        return centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), np.finfo(float).tiny)


def _shift_columns(values: np.ndarray, shift: int) -> np.ndarray:
    """Return the values moved by a column to the left (1) or to the right (-1), with NaN where none comes from."""
    if shift == 0:
        return values
    moved = np.full_like(values, np.nan)
    if shift > 0:
        moved[:, :-1] = values[:, 1:]
    else:
        moved[:, 1:] = values[:, :-1]
    return moved
