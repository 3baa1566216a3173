"""The matrix of counts with missing entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbmf.data.given import as_numbers, frame_values, is_frame, plain, two_dimensional
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import MISSING, NamedMatrix
from nbmf.data.number_sizes import LARGEST_COUNT as LARGEST
from nbmf.errors import DataError

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
        return _tallies_from_values(values)

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
    """Return the counts (int32, F x N, -1 where missing) of a matrix, array or DataFrame.

    Unlike a CountMatrix, they may have rows or columns with no observed entry.

    Raises
    ------
    DataError
        If a value is no count, the matrix is empty or wholly missing, or sparse.
    """
    if isinstance(data, CountMatrix):
        return data.tallies
    if isinstance(data, BinaryMatrix):  # its codes are counts, 0 and 1
        return data.codes.astype(np.int32)
    if isinstance(data, NamedMatrix):
        raise DataError(f"a matrix of counts is needed, not a {type(data).__name__}")
    tallies = _tallies_from_values(frame_values(data) if is_frame(data) else data)
    if (tallies == MISSING).all():
        raise DataError(f"none of the {tallies.size} entries of the matrix is observed")
    return np.ascontiguousarray(tallies)  # memory order would show in the last digits of products


def _tallies_from_values(values: Any) -> np.ndarray:
    """Return int32 counts of a two-dimensional array of counts, -1 and NaN."""
    values = two_dimensional(values)
    numbers = as_numbers(values, ALLOWED)
    missing = np.isnan(numbers) | (numbers == MISSING)
    is_count = (numbers >= 0) & (numbers <= LARGEST) & (numbers == np.floor(numbers))
    wrong = ~(missing | is_count)
    if wrong.any():
        f, n = np.argwhere(wrong)[0]
        raise DataError(
            f"row {f}, column {n} (counted from 0): the value is {plain(values[f, n])!r}; "
            f"allowed: {ALLOWED}; other numbers are for GaussianFactorVB"
        )
    return np.where(missing, MISSING, numbers).astype(np.int32)
