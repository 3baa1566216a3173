"""Columns that follow from other columns of the same matrix, and rows that repeat others.

What is predicted because of them is no structure of what was asked: a question whose answers are a column each, an
item and its opposite, a line that was entered twice.
"""

import math
from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING

FEWEST = 20  # rows with all columns of a question
MOST_ANSWERS = 100  # columns of a question
CHANCE = 1e-3  # expected pairs of columns that are the same or opposite if ones are dealt at random
COPIES = 3  # rows that repeat another one, at least
FEW = 0.3  # of the pairs of rows that are the same, up to which pairs may differ in one value
LARGEST = 2e7  # entries of a matrix whose rows are compared
PRODUCTS = 2e8  # multiplications, beyond which fewer rows are compared with all


class Repeats(NamedTuple):
    """What repeats within a matrix; numbers are places from 0.

    questions : list of int arrays, consecutive columns or a pair: each row has a one in exactly one of them
    twins : list of pairs of columns that are the same in all rows
    copies : list of pairs of rows, the first of its kind and one that is the same
    """

    questions: list[np.ndarray]
    twins: list[tuple[int, int]]
    copies: list[tuple[int, int]]


def repeats_of(codes: np.ndarray) -> Repeats:
    """Return what repeats within a matrix of codes, int8 array (F, N).

    Columns that are nearly always 0, or nearly always 1, are not called the same: they may be so by chance. Nor are
    rows copies where many differ in one value, as where few answers are usual, or rows are nested.
    """
    questions = questions_of(codes)
    return Repeats(questions, _twins(codes), _copies(_answers(codes, questions)))


def questions_of(codes: np.ndarray) -> list[np.ndarray]:
    """Return the `questions` of Repeats, no column in two of them.

    Columns that are equal or opposite are a question where there are two of them, and no more: many that say the same
    are structure.
    """
    alike = _alike(codes)
    twice = [each for each in alike if len(each) == 2 and not (codes[:, each[0]] == codes[:, each[1]]).all()]
    of_many = {n for each in alike if len(each) > 2 for n in each}
    runs = [run for run in _runs(codes) if len(run) > 2 or not of_many.intersection(run)]
    asked = {n for run in runs for n in run}
    return runs + [np.array(pair) for pair in twice if not asked.intersection(pair)]


def one_of_each(codes: np.ndarray) -> np.ndarray:
    """Return the columns that belong to no question, or, if there are more questions, one of each of these.

    Of a question it is the column whose ones are nearest to half of its values.
    """
    questions = questions_of(codes)
    others = np.setdiff1d(np.arange(codes.shape[1]), np.concatenate([np.arange(0), *questions]))
    if len(others) >= len(questions):
        return codes[:, others]
    unevenness = np.abs(2 * np.count_nonzero(codes == 1, axis=0) - np.count_nonzero(codes != MISSING, axis=0))
    return codes[:, [question[unevenness[question].argmin()] for question in questions]]


def _alike(codes: np.ndarray) -> list[list[int]]:
    """Return sets of columns that are equal or opposite to each other; not those that chance explains."""
    by_chance, groups = _may_be_the_same(codes), {}
    for n in np.flatnonzero(~by_chance):
        observed = codes[codes[:, n] != MISSING, n]
        column = codes[:, n] if observed[0] else _opposite(codes[:, n])
        groups.setdefault(column.tobytes(), []).append(int(n))
    return [group for group in groups.values() if len(group) > 1]


def _runs(codes: np.ndarray) -> list[np.ndarray]:
    """Return the runs of columns in exactly one of which each row has a one, where none is missing."""
    found, start, N = [], 0, codes.shape[1]
    may_start = _may_start(codes)
    while start < N:
        stop = _end_of_question(codes, start) if may_start[start] else 0
        if stop:
            found.append(np.arange(start, stop))
        start = stop or start + 1
    return found


def _may_start(codes: np.ndarray) -> np.ndarray:
    """Return whether a question may start at each column, bool array (N,): ones enough for the rows without a gap."""
    F, N = codes.shape
    ones, gaps = (np.append(0, np.cumsum(np.count_nonzero(codes == value, axis=0))) for value in (1, MISSING))
    stop = np.minimum(np.arange(N) + MOST_ANSWERS, N)
    return ones[stop] - ones[:N] >= np.maximum(FEWEST, F - (gaps[stop] - gaps[:N]))


def _end_of_question(codes: np.ndarray, start: int) -> int:
    """Return behind which column a question ends that starts at one, 0 if there is none.

    An answer between the others that nobody has chosen belongs to it.
    """
    ones, known = np.zeros(len(codes), int), np.ones(len(codes), bool)
    for n in range(start, min(start + MOST_ANSWERS, codes.shape[1])):
        known = known & (codes[:, n] != MISSING)
        chosen, rows = np.count_nonzero(codes[known, n] == 1), np.count_nonzero(known)
        if rows < FEWEST or chosen == rows or (chosen == 0 and n == start):
            return 0
        ones += codes[:, n] == 1
        if (ones[known] > 1).any():  # no further column can mend that
            return 0
        if (ones[known] == 1).all():
            return n + 1
    return 0


def _opposite(codes: np.ndarray) -> np.ndarray:
    return np.where(codes == MISSING, MISSING, 1 - codes).astype(codes.dtype)


def _twins(codes: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs (m, n), m < n, of columns that are the same, each n once; not those that chance explains."""
    first, pairs = {}, []
    for n in np.flatnonzero(~_may_be_the_same(codes)):
        m = first.setdefault(codes[:, n].tobytes(), int(n))
        if m != n:
            pairs.append((m, int(n)))
    return pairs


def _may_be_the_same(codes: np.ndarray) -> np.ndarray:
    """Return of which columns another one may be the same by chance, bool array (N,)."""
    N = codes.shape[1]
    ones, zeros = (np.count_nonzero(codes == value, axis=0) for value in (1, 0))
    fewer, observed = np.minimum(ones, zeros), ones + zeros
    log_orders = [
        math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1) for m, n in zip(fewer, observed, strict=True)
    ]
    return np.array(log_orders) < math.log(N * N / CHANCE)


def _answers(codes: np.ndarray, questions: list[np.ndarray]) -> np.ndarray:
    """Return the codes with one column for each question, which counts its answers from 0: a change of it is one."""
    asked = np.concatenate([np.arange(0), *questions])
    known = [np.where((codes[:, q] == MISSING).any(axis=1), MISSING, codes[:, q].argmax(axis=1)) for q in questions]
    return np.column_stack([np.delete(codes, asked, axis=1), *known])


def _copies(values: np.ndarray) -> list[tuple[int, int]]:
    """Return rows that are the same as an earlier one, if few differ in a single value."""
    if values.size > LARGEST:
        return []
    different, first, number, counts = np.unique(
        values, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(values) - len(different) < COPIES:
        return []
    some = number.ravel()[:: max(1, round(len(values) * values.size / PRODUCTS))]
    in_one = _differ_in_one(different[some], different) @ counts
    if in_one.sum() > FEW * (counts[some] - 1).sum():
        return []
    place = {row.tobytes(): int(f) for row, f in zip(different, first, strict=True)}
    return [(f, g) for g, row in enumerate(values) if (f := place[row.tobytes()]) < g]


def _differ_in_one(some: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return which rows differ from some of them in a single value, int array."""
    agree = sum((some == v).astype(np.float32) @ (rows == v).astype(np.float32).T for v in np.unique(rows))
    return (agree.round() == rows.shape[1] - 1).astype(int)
