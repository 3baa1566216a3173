"""What the chains of both models have in common: the cells in the order of their visits, in blocks."""

import numpy as np

from nbmf.numerics.cells import BlockPartition, layout
from nbmf.numerics.random import generator_states


class ChainLayout:
    """The cells of a matrix as a chain visits them, with a random stream for each pair of blocks.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    seed : SeedSequence
        Source of the random streams.
    n_blocks : int or None
        Blocks per axis; None: by a rule of the shape.
    """

    def __init__(self, codes: np.ndarray, seed: np.random.SeedSequence, n_blocks: int | None):
        self._shape = codes.shape
        self._partition = BlockPartition.of(*codes.shape, n_blocks)
        self._cells = layout(self._partition.apply(codes), self._partition.n_blocks)
        self._rows = self._cells.row_of_cell()
        self._generators = generator_states(seed, self._cells.n_blocks**2)

    def undo_columns(self, table: np.ndarray) -> np.ndarray:
        """Return a table (rows, N) in the order of the chain with its columns in their order."""
        return self._partition.undo_columns(table)

    def _of_cells(self, assignments: np.ndarray) -> np.ndarray:
        """Return those entries of a matrix (F, N) of assignments that are observed, in the order of the visits."""
        return self._partition.apply(assignments)[self._rows, self._cells.cross]

    def _as_matrix(self, assignments: np.ndarray) -> np.ndarray:
        """Return assignments in the order of the visits as an int array (F, N), -1 where missing."""
        matrix = np.full(self._shape, -1, np.int64)
        matrix[self._rows, self._cells.cross] = assignments
        return self._partition.undo(matrix)
