"""The matrix of counts with missing entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbmf.data.given import MISSING, whole_numbers
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.number_sizes import LARGEST_COUNT as LARGEST

ALLOWED = f"whole numbers from 0 to {LARGEST} and missing (NaN or -1)"


@dataclass(frozen=True, eq=False, repr=False)
class CountMatrix(NamedMatrix):
    """A matrix V of counts with missing entries, names of rows and columns, and row groups.

    Parameters
    ----------
    tallies : int32 array (F, N)
        0, 1, 2, ..., or -1 (missing). Every row and every column has an observed entry.
    row_names, column_names, row_groups
        As for BinaryMatrix.

    Raises
    ------
    DataError
        If a value is negative (but for -1), no whole number or above 2^31 - 1, the matrix is
        empty, a row or column has no observed entry, names repeat, or lengths differ.
    """

    tallies: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    field = "tallies"

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        return whole_numbers(values, LARGEST, f"{ALLOWED}; other numbers are for GaussianFactorVB", np.int32)

    def above(self, count: int) -> BinaryMatrix:
        """Return the binary matrix that says whether a count is larger than `count`, for example 0."""
        codes = np.where(self.observed, self.tallies > count, MISSING).astype(np.int8)
        return BinaryMatrix(codes, self.row_names, self.column_names, self.row_groups)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, the sum of all counts, zeros, the largest count and missing."""
        rows, columns = self.shape
        observed = self.tallies[self.observed]
        return {
            "rows": rows,
            "columns": columns,
            "sum": int(observed.sum(dtype=np.int64)),
            "zeros": int(np.count_nonzero(observed == 0)),
            "largest": int(observed.max()),
            "missing": rows * columns - observed.size,
        }


def as_tallies(data: Any) -> np.ndarray:
    """Return the counts (int32, F x N, -1 where missing) of what `NamedMatrix.values_of` takes."""
    if isinstance(data, BinaryMatrix):  # its codes are counts, 0 and 1
        return data.codes.astype(np.int32)
    return CountMatrix.values_of(data)
