"""The observed entries ("cells") of a matrix, in the order in which kernels visit them.

z_fn depends on row f and column n only, so cells that share neither are conditionally
independent. Rows and columns are dealt into B blocks each; in round r the B block pairs
(b, (b + r) mod B) touch disjoint rows and disjoint columns and may be swept at the same time.
The result is an exact systematic scan, whatever the number of threads.

Kernels go along lines: rows, or columns if that keeps more of their working set close.
"""

from typing import NamedTuple

import numpy as np

BLOCK_LINES = 32  # rows or columns a block needs to be worth its overhead
MAX_BLOCKS = 16


class Cells(NamedTuple):
    """Observed entries line by line, and inside a line by block of the other axis.

    Index arrays are unsigned: numba then spares the check for negative indices.

    line_order : uint32 array (lines,), the lines block after block
    block_start : uint32 array (B + 1,); block b is line_order[block_start[b] : block_start[b + 1]]
    start : uint32 array (lines * B + 1,); the cells of line i in block c of the other axis are
        start[i * B + c] up to start[i * B + c + 1]
    cross : uint32 array (cells,), the index of each cell on the other axis
    value : uint8 array (cells,), 0 or 1
    """

    line_order: np.ndarray
    block_start: np.ndarray
    start: np.ndarray
    cross: np.ndarray
    value: np.ndarray

    @property
    def n_blocks(self) -> int:
        """B, the number of blocks of each axis."""
        return self.block_start.size - 1

    def line_of_cell(self) -> np.ndarray:
        """Return the line of each cell, int64 array (cells,)."""
        per_line = np.diff(self.start[:: self.n_blocks].astype(np.int64))
        return np.repeat(np.arange(per_line.size), per_line)


def default_blocks(F: int, N: int) -> int:
    """Return the number of blocks for an F x N matrix: a matter of its shape only, not of threads.

    It is a power of two, since B blocks keep T threads evenly busy if T divides B.
    """
    affordable = int(np.clip(min(F, N) // BLOCK_LINES, 1, MAX_BLOCKS))
    return 1 << (affordable.bit_length() - 1)


def layout(codes: np.ndarray, n_blocks: int | None = None) -> Cells:
    """Arrange the observed entries of `codes` (int8, -1 missing) along its rows.

    For lines along columns pass the transposed codes. Lines are dealt out in turn (line mod B),
    so that blocks carry similar loads even where missing entries cluster.
    """
    lines, crossing = codes.shape
    B = default_blocks(lines, crossing) if n_blocks is None else n_blocks
    cross_order = np.argsort(np.arange(crossing) % B, kind="stable")
    line, position = np.nonzero(codes[:, cross_order] >= 0)
    cross = cross_order[position]
    per_segment = np.bincount(line * B + cross % B, minlength=lines * B)
    blocks = [np.arange(b, lines, B) for b in range(B)]
    return Cells(
        line_order=np.concatenate(blocks).astype(np.uint32),
        block_start=np.cumsum([0] + [block.size for block in blocks]).astype(np.uint32),
        start=np.concatenate([[0], np.cumsum(per_segment)]).astype(np.uint32),
        cross=cross.astype(np.uint32),
        value=codes[line, cross].astype(np.uint8),
    )


def random_assignments(codes: np.ndarray, K: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a component for each observed entry uniformly: int array (F, N), -1 where missing.

    The draw goes over the whole matrix, so it depends neither on the layout nor on what is missing.
    """
    return np.where(codes >= 0, rng.integers(K, size=codes.shape), -1)
