"""The matrix of real numbers with missing entries."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nbmf.data.given import as_numbers, frame_values, is_frame, plain, two_dimensional
from nbmf.data.named import NamedMatrix
from nbmf.data.number_sizes import is_of_a_size
from nbmf.errors import DataError

ALLOWED = "0, numbers of a size from 1e-100 to 1e100, and missing (NaN)"


@dataclass(frozen=True, eq=False, repr=False)
class RealMatrix(NamedMatrix):
    """A matrix V of real numbers with missing entries, names of rows and columns, and row groups.

    Parameters
    ----------
    values : float64 array (F, N)
        0, of a size from 1e-100 to 1e100, or NaN (missing). Every row and every column has an observed entry.
    row_names, column_names, row_groups
        As for BinaryMatrix.

    Raises
    ------
    DataError
        If a value is too large, too small or no number, the matrix is empty, a row or column has no observed
        entry, names repeat, or lengths differ.
    """

    values: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    field = "values"

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        values = two_dimensional(values)
        numbers = as_numbers(values, ALLOWED)
        wrong = ~(np.isnan(numbers) | is_of_a_size(numbers))
        if wrong.any():
            f, n = np.argwhere(wrong)[0]
            raise DataError(
                f"row {f}, column {n} (counted from 0): the value is {plain(values[f, n])!r}; allowed: {ALLOWED}"
            )
        return numbers

    @staticmethod
    def _is_observed(values: np.ndarray) -> np.ndarray:
        return ~np.isnan(values)

    def without_diagonal(self) -> Self:
        """Return the matrix with its diagonal missing."""
        values = self.values.copy()
        np.fill_diagonal(values, np.nan)
        return dataclasses.replace(self, values=values)


def as_reals(data: Any) -> np.ndarray:
    """Return the values (float64, F x N, NaN where missing) of a matrix, array or DataFrame.

    Raises
    ------
    DataError
        If a value is too large, too small or no number, the matrix is empty or wholly missing, or sparse.
    """
    if isinstance(data, RealMatrix):
        return data.values
    if isinstance(data, NamedMatrix):
        raise DataError(f"a matrix of real numbers is needed, not a {type(data).__name__}")
    values = RealMatrix._checked(frame_values(data) if is_frame(data) else data)
    if np.isnan(values).all():
        raise DataError(f"none of the {values.size} entries of the matrix is observed")
    return np.ascontiguousarray(values)
