"""The matrix of real numbers with missing entries."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nbmf.data.given import as_numbers, refuse_wrong, two_dimensional
from nbmf.data.named import NamedMatrix
from nbmf.data.number_sizes import has_usable_size

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
        refuse_wrong(values, ~(np.isnan(numbers) | has_usable_size(numbers)), ALLOWED)
        return numbers

    @staticmethod
    def _is_observed(values: np.ndarray) -> np.ndarray:
        return ~np.isnan(values)

    def without_diagonal(self) -> Self:
        """Return the matrix with its diagonal missing."""
        values = self.values.copy()
        np.fill_diagonal(values, np.nan)
        return dataclasses.replace(self, values=values)
