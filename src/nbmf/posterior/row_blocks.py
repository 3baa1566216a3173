"""Consecutive rows that a component consists of: often a fault of the file."""

from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.posterior.components import Components

SHORTEST = 3  # rows of a block
LARGEST = 0.25  # of all rows
DOMINATED = 0.8  # of a component's weight that a block holds, at least
COMPARED = 2000  # rows outside a block that its rows are compared with, at most
NEIGHBOURS = 5  # rows that a row is compared with, the most alike
IMPROVED = 0.1  # cosine with these, by which a shift has to bring the rows of a block nearer
MOSTLY = 0.8  # of the rows of a block, and of what is usual among other rows
ORDERED = 0.2  # correlation of a row's weight with that of the next, from which a file is in an order


class RowBlock(NamedTuple):
    """Consecutive rows that a component consists of.

    component : int, its number from 0
    first, last : int, places of the rows
    share : float, of the component's weight that they hold
    shift : int, how many columns to the left their values have to be moved (negative: to the right) to look like
        other rows; 0 if that does not help
    """

    component: int
    first: int
    last: int
    share: float
    shift: int


def row_blocks(components: Components, matrix: BinaryMatrix) -> list[RowBlock]:
    """Return blocks of consecutive rows that are likely to be a fault of the file.

    A block holds nearly all of a component and is a small part of the rows. It is returned if its rows look like
    others once their values are moved by a column, or if no order of the file explains it: where groups are
    consecutive by design a row resembles the next all over the file.
    """
    weights = _weights_of_rows(components)
    blocks = []
    for number, of_rows in enumerate(weights.T):
        run = None if components.intercepts[number] else _dominating_run(of_rows)
        if run is None:
            continue
        shift = _shift(matrix, run)
        if shift or not _is_ordered(np.delete(components.model.W_[:, : components.active], np.r_[run], axis=0)):
            share = float(of_rows[run].sum() / of_rows.sum())
            blocks.append(RowBlock(number, run.start, run.stop - 1, share, shift))
    return blocks


def _weights_of_rows(components: Components) -> np.ndarray:
    """Return how much of each active component is due to each row, float array (F, active)."""
    model = components.model
    if "W" in model.probabilities:  # there the columns have the weights
        return np.zeros((len(model.W_), 0))
    W = model.W_[:, : components.active]
    return W if "W" in model.distributions else np.square(W)


def _dominating_run(weights: np.ndarray) -> slice | None:
    """Return the consecutive rows that hold nearly all of the weight, if there are such."""
    total = weights.sum()
    if not total > 0:
        return None
    typical = np.square(weights).sum() / total  # the weight of the rows that make up the component
    edges = np.flatnonzero(np.diff(np.r_[False, weights >= typical / 2, False]))
    runs = [slice(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    run = max(runs, key=lambda each: weights[each].sum())
    size = run.stop - run.start
    is_block = SHORTEST <= size <= LARGEST * len(weights) and weights[run].sum() >= DOMINATED * total
    return run if is_block else None


def _shift(matrix: BinaryMatrix, run: slice) -> int:
    """Return by how many columns the rows are shifted: 1, -1, or 0 if that does not make them look like others."""
    values = np.where(matrix.observed, matrix.codes, np.nan).astype(float)
    block, others = values[run], np.delete(values, np.r_[run], axis=0)
    others = others[:: -(-len(others) // COMPARED)]
    if len(others) <= NEIGHBOURS:
        return 0
    observed = np.count_nonzero(~np.isnan(others), axis=0)
    means = np.nansum(others, axis=0) / np.maximum(observed, 1)
    usual = np.median(_nearness(others, others, means, are_the_same=True))
    as_they_are = _nearness(block, others, means)
    best, gain = 0, IMPROVED
    for shift in (1, -1):
        moved = np.full_like(block, np.nan)
        if shift > 0:
            moved[:, :-1] = block[:, 1:]
        else:
            moved[:, 1:] = block[:, :-1]
        as_moved = _nearness(moved, others, means)
        looks_alike = np.median(as_moved) >= MOSTLY * usual and np.mean(as_moved > as_they_are) >= MOSTLY
        if looks_alike and np.median(as_moved) - np.median(as_they_are) >= gain:
            best, gain = shift, np.median(as_moved) - np.median(as_they_are)
    return best


def _nearness(rows: np.ndarray, others: np.ndarray, means: np.ndarray, *, are_the_same: bool = False) -> np.ndarray:
    """Return the mean cosine of each row, less the means of columns, with the rows that it resembles most."""
    cosines = _directions(rows, means) @ _directions(others, means).T
    if are_the_same:
        np.fill_diagonal(cosines, -np.inf)
    return np.partition(cosines, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1)


def _directions(rows: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return rows less the means, of length 1; a missing entry counts as the mean."""
    centred = np.where(np.isnan(rows), 0.0, rows - means)
    return centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), np.finfo(float).tiny)


def _is_ordered(W: np.ndarray) -> bool:
    """Return whether a row resembles the next in any component."""
    rows = len(W)
    if rows < 3:
        return False
    centred = W - W.mean(axis=0)
    variation = np.square(centred).sum(axis=0)
    correlation = (centred[1:] * centred[:-1]).sum(axis=0) / np.maximum(variation, np.finfo(float).tiny)
    return bool((correlation > max(ORDERED, 3 / np.sqrt(rows))).any())
