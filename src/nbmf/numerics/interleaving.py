"""The observed entries of a matrix with some columns at once, for kernels bound by waiting.

A cell cannot start before the steps of the one before it in its row and in its column are known.
With COLUMNS_AT_ONCE columns in turns, each a row behind the last, the others fill that time.

NumPy arrays alone, of any version of numba; that it pays was measured with numba 0.68.1.
"""

import itertools
from typing import NamedTuple

import numpy as np

from nbmf.numerics.cells import block_sizes

COLUMNS_AT_ONCE = 4


class InterleavedOrder(NamedTuple):
    """Observed entries in the order in which they are visited within one row block.

    Columns come in groups of up to COLUMNS_AT_ONCE of the same block. Index arrays are unsigned:
    numba then spares the check for negative indices.

    block_start : uint32 array (B + 1,); column block b has the groups block_start[b] up to
        block_start[b + 1]
    first_column : uint32 array (G + 1,); group g has the columns first_column[g] up to
        first_column[g + 1]
    start : uint32 array (B * G + 1,); the cells of group g in row block c are start[c * G + g] up
        to start[c * G + g + 1]
    row : uint32 array (cells,)
    place : uint8 array (cells,), 2 j + v for the value v of the j-th column of the group
    """

    block_start: np.ndarray
    first_column: np.ndarray
    start: np.ndarray
    row: np.ndarray
    place: np.ndarray

    def columns(self) -> np.ndarray:
        """Return the column of each cell, int64 array (cells,)."""
        segments = self.start.size - 1
        first = np.resize(self.first_column[:-1].astype(np.int64), segments)
        return np.repeat(first, np.diff(self.start.astype(np.int64))) + self.place // 2


def interleaved(codes: np.ndarray, n_blocks: int) -> InterleavedOrder:
    """Arrange the observed entries of dealt `codes` (int8 array (F, N), -1 missing)."""
    F, N = codes.shape
    group_sizes = [_groups_of(size) for size in block_sizes(N, n_blocks)]
    first_column = np.cumsum([0, *itertools.chain(*group_sizes)])
    G = first_column.size - 1
    group = np.repeat(np.arange(G), np.diff(first_column))  # of each column
    row_block = np.repeat(np.arange(n_blocks), block_sizes(F, n_blocks))
    column, row = np.nonzero(codes.T >= 0)
    segment = row_block[row] * G + group[column]
    j = column - first_column[group[column]]
    turn = _rank_in_runs(column * n_blocks + row_block[row]) + j
    order = np.lexsort((j, turn, segment))
    row, column, j = row[order], column[order], j[order]
    return InterleavedOrder(
        block_start=np.cumsum([0, *map(len, group_sizes)]).astype(np.uint32),
        first_column=first_column.astype(np.uint32),
        start=np.cumsum([0, *np.bincount(segment, minlength=n_blocks * G)]).astype(np.uint32),
        row=row.astype(np.uint32),
        place=(2 * j + codes[row, column]).astype(np.uint8),
    )


def _groups_of(n_columns: int) -> list[int]:
    firsts = range(0, n_columns, COLUMNS_AT_ONCE)
    return [min(COLUMNS_AT_ONCE, n_columns - first) for first in firsts]


def _rank_in_runs(labels: np.ndarray) -> np.ndarray:
    """Return the place of each entry in its run of equal labels."""
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    lengths = np.diff(np.r_[starts, labels.size])
    return np.arange(labels.size) - np.repeat(starts, lengths)
