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
IMPROVED = 0.1  # cosine with these, by which a shift has to bring a row nearer
NEARLY = 0.8  # of the cosine that is usual, which it has to reach
CHANCE = 1e-3  # that a run of rows which a shift improves is a coincidence
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
        RowBlock(run.start, run.stop - 1, shift, _held(weights, run, HELD)) for run, shift in _shifted_runs(matrix)
    ]
    for run in _dominating_runs(weights):
        others = np.delete(components.model.W_[:, : components.active], np.r_[run], axis=0)
        overlaps = any(run.start <= block.last and block.first < run.stop for block in blocks)
        if not overlaps and not _is_ordered(others):
            blocks.append(RowBlock(run.start, run.stop - 1, 0, _held(weights, run, DOMINATED)))
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


def _held(weights: np.ndarray, run: slice, least: float) -> dict[int, float]:
    """Return the components of which a run holds at least so much."""
    shares = weights[run].sum(axis=0)
    return {int(number): float(shares[number]) for number in np.flatnonzero(shares >= least)}


def _dominating_runs(weights: np.ndarray) -> list[slice]:
    """Return the runs of consecutive rows that hold nearly all of a component, each once."""
    found = {}
    for of_rows in weights.T:
        typical = np.square(of_rows).sum()  # the weight of the rows that make up the component
        runs = _runs(of_rows >= typical / 2) if typical > 0 else []
        run = max(runs, key=lambda each: of_rows[each].sum(), default=slice(0, 0))
        is_block = SHORTEST <= run.stop - run.start <= LARGEST * len(of_rows)
        if is_block and of_rows[run].sum() >= DOMINATED:
            found[run.start, run.stop] = run
    return list(found.values())


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
    return bool((correlation > max(ORDERED, 3 / np.sqrt(rows))).any())


# --- Rows whose values are moved by a column ---------------------------------------------------------


def _shifted_runs(matrix: BinaryMatrix) -> list[tuple[slice, int]]:
    """Return the runs of rows that look like others when moved by a column: 1 to the left, -1 to the right."""
    rows, columns = matrix.shape
    sample = min(rows, int(PRODUCTS / (rows * columns)))
    if sample < FEWEST or columns < 3:
        return []
    values = np.where(matrix.observed, matrix.codes, np.nan)
    means = np.nansum(values, axis=0) / matrix.observed.sum(axis=0).clip(1)
    compared = np.unique(np.linspace(0, rows - 1, sample).astype(int))
    away = LARGEST * rows  # rows nearby may have the same fault
    nearness = {shift: _nearness(_moved(values, shift), values, means, compared, away) for shift in (0, 1, -1)}
    usual = np.median(_nearness(values, values, means, compared, 0))
    found = []
    for shift in (1, -1):  # if either way helps, neither is right
        otherwise = np.maximum(nearness[0], nearness[-shift])
        is_better = (nearness[shift] >= otherwise + IMPROVED) & (nearness[shift] >= NEARLY * usual)
        for run in _runs(_without_gaps(is_better)):
            distinct = len(np.unique(matrix.codes[run][is_better[run]], axis=0))
            if _is_no_chance(is_better, run, distinct):
                found.append((run, shift))
    return found


def _moved(values: np.ndarray, shift: int) -> np.ndarray:
    """Return the values moved by a column to the left (1) or to the right (-1), with NaN where none comes from."""
    if shift == 0:
        return values
    moved = np.full_like(values, np.nan)
    if shift > 0:
        moved[:, :-1] = values[:, 1:]
    else:
        moved[:, 1:] = values[:, :-1]
    return moved


def _nearness(rows: np.ndarray, values: np.ndarray, means: np.ndarray, compared: np.ndarray, away: float) -> np.ndarray:
    """Return the mean cosine of each row with those rows of `values` that it resembles most, float array (F,).

    Of the rows `compared` those more than `away` from it in the file are looked at.
    """
    count = len(rows)
    others = _directions(values[compared], means)
    nearness = np.empty(count)
    for start in range(0, count, AT_ONCE):
        some = np.arange(start, min(start + AT_ONCE, count))
        cosines = _directions(rows[some], means) @ others.T
        cosines[np.abs(some[:, None] - compared) <= away] = -1.0
        nearness[some] = np.partition(cosines, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    return nearness


def _directions(rows: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return rows less the means, of length 1; a missing entry counts as the mean."""
    centred = np.where(np.isnan(rows), 0.0, rows - means)
    return centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), np.finfo(float).tiny)


def _without_gaps(is_in: np.ndarray) -> np.ndarray:
    """Return the same with single rows between two others filled in."""
    filled = is_in.copy()
    filled[1:-1] |= is_in[:-2] & is_in[2:]
    return filled


def _is_no_chance(is_better: np.ndarray, run: slice, distinct: int) -> bool:
    """Return whether a run is too long for chance, by how often rows elsewhere are improved.

    Rows that are the same are one piece of evidence: `distinct` of the run are different.
    """
    inside, rows, size = np.count_nonzero(is_better[run]), len(is_better), run.stop - run.start
    elsewhere = (np.count_nonzero(is_better) - inside + 1) / (rows - size + 1)
    return bool(distinct >= SHORTEST and size <= LARGEST * rows and rows * elsewhere**distinct < CHANCE)
