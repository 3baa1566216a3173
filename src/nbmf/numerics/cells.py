"""The observed entries ("cells") of a matrix, in the order in which kernels visit them.

z_fn depends on row f and column n only, so cells that share neither are conditionally
independent. Rows and columns are dealt into B blocks each; in round r the B block pairs
(b, (b + r) mod B) touch disjoint rows and disjoint columns and may be swept at the same time.
The result is an exact systematic scan, whatever the number of threads.

Kernels go along rows; CVB0 takes some columns at once (interleaving.py).
"""

from typing import NamedTuple

import numpy as np

ROWS_OF_A_BLOCK = 32  # rows or columns a block needs to be worth its overhead
MAX_BLOCKS = 16


class BlockPartition(NamedTuple):
    """Rows and columns dealt into blocks, and put in the order of these.

    Kernels see matrices in this order only: a block is then a range, and two threads never write
    to neighbouring numbers, which would cost them their caches (Beta-Dir Gibbs on unvotes: two
    threads are 1.8 times as fast as one, without it 1.5).

    rows, columns : int arrays (F,), (N,), the row or column that has come to each place
    n_blocks : int, B, the number of blocks of each axis
    """

    rows: np.ndarray
    columns: np.ndarray
    n_blocks: int

    @classmethod
    def of(cls, F: int, N: int, n_blocks: int | None = None) -> "BlockPartition":
        """Deal rows and columns out in turn, so that blocks carry similar loads."""
        B = default_blocks(F, N) if n_blocks is None else n_blocks
        return cls(*(np.argsort(np.arange(n) % B, kind="stable") for n in (F, N)), B)

    def apply(self, matrix: np.ndarray) -> np.ndarray:
        """Return a matrix (F, N) in the order of the blocks."""
        return matrix[np.ix_(self.rows, self.columns)]

    def undo(self, matrix: np.ndarray) -> np.ndarray:
        """Return a matrix (F, N, ...) in the original order."""
        original = np.empty_like(matrix)
        original[np.ix_(self.rows, self.columns)] = matrix
        return original

    def undo_rows(self, table: np.ndarray) -> np.ndarray:
        """Return a table (F, K) with its rows in the original order."""
        original = np.empty_like(table)
        original[self.rows] = table
        return original

    def undo_columns(self, table: np.ndarray) -> np.ndarray:
        """Return a table (K, N) with its columns in the original order."""
        return table.take(np.argsort(self.columns), axis=1)  # faster than writing to columns


class Cells(NamedTuple):
    """Observed entries row by row, and inside a row by block of columns.

    Index arrays are unsigned: numba then spares the check for negative indices.

    block_start : uint32 array (B + 1,); block b has the rows block_start[b] up to
        block_start[b + 1]
    start : uint32 array (rows * B + 1,); the cells of row i in block c of the columns are
        start[i * B + c] up to start[i * B + c + 1]
    cross : uint32 array (cells,), the index of each cell on the other axis
    value : uint8 array (cells,), 0 or 1
    """

    block_start: np.ndarray
    start: np.ndarray
    cross: np.ndarray
    value: np.ndarray

    @property
    def n_blocks(self) -> int:
        """B, the number of blocks of each axis."""
        return self.block_start.size - 1

    def row_of_cell(self) -> np.ndarray:
        """Return the row of each cell, int64 array (cells,)."""
        return rows_between(self.start[:: self.n_blocks].astype(np.int64))


def rows_between(starts: np.ndarray) -> np.ndarray:
    """Return the row of each cell, int64 array (cells,): those of row f are starts[f] up to starts[f + 1]."""
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


def default_blocks(F: int, N: int) -> int:
    """Return the number of blocks for an F x N matrix: a matter of its shape only, not of threads.

    It is a power of two, since B blocks keep T threads evenly busy if T divides B.
    """
    affordable = int(np.clip(min(F, N) // ROWS_OF_A_BLOCK, 1, MAX_BLOCKS))
    return 1 << (affordable.bit_length() - 1)


def layout(codes: np.ndarray, n_blocks: int) -> Cells:
    """Arrange the observed entries of dealt `codes` (int8, -1 missing) along its rows."""
    rows, crossing = codes.shape
    row, cross = np.nonzero(codes >= 0)
    block_of = np.repeat(np.arange(n_blocks), block_sizes(crossing, n_blocks))
    per_segment = np.bincount(row * n_blocks + block_of[cross], minlength=rows * n_blocks)
    return Cells(
        block_start=np.cumsum([0, *block_sizes(rows, n_blocks)]).astype(np.uint32),
        start=np.concatenate([[0], np.cumsum(per_segment)]).astype(np.uint32),
        cross=cross.astype(np.uint32),
        value=codes[row, cross].astype(np.uint8),
    )


def block_sizes(rows: int, n_blocks: int) -> list[int]:
    """Return how many rows, or columns, each block has."""
    return [len(range(b, rows, n_blocks)) for b in range(n_blocks)]


def smallest_dtype(largest: int, *kinds: type) -> type:
    """Return the first of some types of whole numbers that holds `largest`.

    A kernel that visits tables at random waits for memory, the less the smaller they are
    (benchmarks/published.md, Narrow numbers).
    """
    return next(kind for kind in kinds if largest <= np.iinfo(kind).max)


def random_assignments(codes: np.ndarray, K: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a component for each observed entry uniformly: int array (F, N), -1 where missing.

    The draw goes over the whole matrix, so it depends neither on the layout nor on what is missing.
    """
    return np.where(codes >= 0, rng.integers(K, size=codes.shape), -1)
