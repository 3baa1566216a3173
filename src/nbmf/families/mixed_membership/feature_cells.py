"""Rows as lists of atoms: what E-steps see of a table or a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nbmf.numerics.cells import rows_between


@dataclass(frozen=True, eq=False)
class Cells:
    """The observed cells of some rows, and the atoms, distinct cells, that they are.

    starts : int64 array (n + 1,), cells of row i are starts[i] up to starts[i + 1]
    atoms : uint32 array (cells,)
    weights : float array (cells,), how often a word is there; 1 of features
    columns : int array (A,), the column of each atom
    values : float array (A,), its value; 0 of a word
    """

    starts: np.ndarray
    atoms: np.ndarray
    weights: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @classmethod
    def of_codes(cls, codes: np.ndarray) -> Cells:
        """Return the cells of binary rows, codes (n, N), -1 where missing: two atoms a column."""
        rows, columns = np.nonzero(codes >= 0)
        starts = _starts(np.count_nonzero(codes >= 0, axis=1))
        atoms = (2 * columns + codes[rows, columns]).astype(np.uint32)
        of_column = np.repeat(np.arange(codes.shape[1]), 2)
        values = np.tile([0.0, 1.0], codes.shape[1])
        return cls(starts, atoms, np.ones(atoms.size), of_column, values)

    @classmethod
    def of_tokens(cls, codes: np.ndarray) -> Cells:
        """Return the cells of documents (n, V): ones are words, zeros and missing are none."""
        starts = _starts(np.count_nonzero(codes == 1, axis=1))
        atoms = np.nonzero(codes == 1)[1].astype(np.uint32)
        V = codes.shape[1]
        return cls(starts, atoms, np.ones(atoms.size), np.arange(V), np.zeros(V))

    @cached_property
    def sizes(self) -> np.ndarray:
        """m, the weights of each row together, float array (n,)."""
        sums = np.concatenate([[0.0], np.cumsum(self.weights)])
        return sums[self.starts[1:]] - sums[self.starts[:-1]]

    def totals(self) -> np.ndarray:
        """Return the weight of each atom in all rows, float array (A,)."""
        return np.bincount(self.atoms, self.weights, self.columns.size)

    def row_of_cell(self) -> np.ndarray:
        """Return the row of each cell, int array (cells,)."""
        return rows_between(self.starts)

    def random_rows(self, K: int, rng: np.random.Generator) -> list[int]:
        """Return K rows at random; while there are any, rows with cells that differ."""
        order = rng.permutation(self.starts.size - 1).tolist()
        rows = self._distinct(order, K) or order[:1]
        return [rows[c % len(rows)] for c in range(K)]

    def count_distinct_rows(self, enough: int) -> int:
        """Return how many rows with cells differ; counting ends at `enough`."""
        return len(self._distinct(range(self.starts.size - 1), enough))

    def _distinct(self, order: Iterable[int], enough: int) -> list[int]:
        """Return the first rows of an order that have cells and differ, at most `enough`."""
        first_rows: dict[bytes, int] = {}
        for i in order:
            part = slice(self.starts[i], self.starts[i + 1])
            if part.stop > part.start:
                first_rows.setdefault(self.atoms[part].tobytes() + self.weights[part].tobytes(), i)
            if len(first_rows) == enough:
                break
        return list(first_rows.values())


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
