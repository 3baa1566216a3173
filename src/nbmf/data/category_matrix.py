"""The matrix of ordered categories with missing entries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbmf.data.given import MISSING, as_pandas, is_frame, python_value, whole_numbers
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.names import checked_names, refuse_duplicates
from nbmf.data.value_codes import number_of
from nbmf.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 126
ALLOWED = f"categories by their places in the order, whole numbers from 0 to {LARGEST}, and missing (NaN or -1)"


@dataclass(frozen=True, eq=False, repr=False)
class CategoryMatrix(NamedMatrix):
    """A matrix V of ordered categories with missing entries, names of rows and columns, and row groups.

    A DataFrame may have columns of pandas' ordered categories, all with the same ones in the same order.

    Parameters
    ----------
    ranks : int8 array (F, N)
        0, 1, 2, ..., places in the order of the categories, or -1 (missing). Every row and every column has an
        observed entry.
    row_names, column_names, row_groups
        As for BinaryMatrix.
    categories : str array (C,), optional
        What the categories are called, from the lowest on; there may be some that do not occur. Default: "0", "1", ...
        up to the largest one that does.

    Raises
    ------
    DataError
        If a value is negative (but for -1), no whole number, above 126 or no place among `categories`, the matrix is
        empty, a row or column has no observed entry, names repeat, or lengths differ.
    """

    ranks: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None
    categories: np.ndarray | None = None

    field = "ranks"
    further = ("categories",)

    def __post_init__(self) -> None:
        super().__post_init__()
        largest = int(self.ranks.max())
        if self.categories is None:
            names = np.array([str(rank) for rank in range(max(largest + 1, 2))])
        else:
            number = len(self.categories)
            if not max(2, largest + 1) <= number <= LARGEST + 1:
                raise DataError(f"there are {number} categories; allowed: {max(2, largest + 1)} to {LARGEST + 1}")
            names = checked_names(self.categories, number, "categories")
            refuse_duplicates(names, "categories")
        object.__setattr__(self, "categories", names)

    @property
    def n_categories(self) -> int:
        """C, the number of categories, also of those that do not occur."""
        return len(self.categories)

    @property
    def lowest(self) -> int:
        """The number of the lowest category in what people read.

        That is what it is called if all are called by whole numbers in a row, such as 1 to 5; else 0.
        """
        numbers = [number_of(name) for name in self.categories.tolist()]
        first = numbers[0]
        is_row = first is not None and numbers == [first + place for place in range(len(numbers))]
        return int(first) if is_row and first.is_integer() else 0

    def __getitem__(self, key: Any) -> np.ndarray:
        """Return values as of an array; some rows and columns know the names of all categories."""
        values = super().__getitem__(key)
        if np.ndim(values) != 2:
            return values
        part = values.view(PartOfCategories)
        part.categories = self.categories
        return part

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        return whole_numbers(values, LARGEST, ALLOWED, np.int8)

    @classmethod
    def _values_of_frame(cls, frame: pd.DataFrame) -> np.ndarray:
        """Return the places of pandas' ordered categories, or the ranks that numbers are."""
        dtypes = list(frame.dtypes)
        categories = [getattr(dtype, "categories", None) for dtype in dtypes]
        if not any(each is not None for each in categories):
            return super()._values_of_frame(frame)
        for name, dtype, each in zip(frame.columns, dtypes, categories, strict=True):
            if each is None or not dtype.ordered or list(each) != list(categories[0]):
                raise DataError(
                    f"column {python_value(name)!r} is of type {dtype!r}; allowed next to columns of ordered "
                    "categories: those with the same categories in the same order "
                    "(pandas.CategoricalDtype(categories, ordered=True))"
                )
        if len(categories[0]) > LARGEST + 1:
            raise DataError(f"there are {len(categories[0])} categories; allowed: at most {LARGEST + 1}")
        return np.column_stack([frame.iloc[:, n].cat.codes for n in range(frame.shape[1])]).astype(np.int8)

    @classmethod
    def _of_frame(cls, frame: pd.DataFrame, values: np.ndarray) -> Self:
        matrix, names = super()._of_frame(frame, values), category_names_of(frame)
        return matrix if names is None else dataclasses.replace(matrix, categories=names)

    def above(self, rank: int) -> BinaryMatrix:
        """Return the binary matrix that says whether a category comes after `rank`."""
        codes = np.where(self.observed, self.ranks > rank, MISSING).astype(np.int8)
        return BinaryMatrix(codes, self.row_names, self.column_names, self.row_groups)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, categories, observed and missing."""
        counts = super().counts()
        return {name: counts[name] for name in ("rows", "columns")} | {"categories": self.n_categories} | counts


class PartOfCategories(np.ndarray):
    """Some rows and columns of a CategoryMatrix: int8 ranks, with the names of categories that are not in it, too."""

    categories: np.ndarray | None = None

    def __array_finalize__(self, other: Any) -> None:
        self.categories = getattr(other, "categories", None)


def as_ranks(data: Any) -> np.ndarray:
    """Return the categories (int8, F x N, -1 where missing) of what `NamedMatrix.values_of` takes."""
    if isinstance(data, BinaryMatrix):  # its codes are categories, 0 and 1
        return data.codes
    return CategoryMatrix.values_of(data)


def count_categories(V: Any) -> int:
    """Return how many categories V has: that a matrix or DataFrame names, or up to the largest that occurs."""
    if isinstance(V, CategoryMatrix):
        return V.n_categories
    names = category_names_of(V)
    return max(int(as_ranks(V).max()) + 1, 2) if names is None else len(names)


def category_names_of(V: Any) -> np.ndarray | None:
    """Return the names of the categories that a matrix or DataFrame has, str array (C,); None of plain numbers."""
    if isinstance(V, CategoryMatrix | PartOfCategories):
        return V.categories
    if not has_ordered_categories(V):
        return None
    return np.array([str(name) for name in as_pandas(V).dtypes.iloc[0].categories])


def has_ordered_categories(frame: Any) -> bool:
    """Whether V is a DataFrame all of whose columns are of pandas' ordered categories."""
    dtypes = list(as_pandas(frame).dtypes) if is_frame(frame) else []
    return bool(dtypes) and all(getattr(dtype, "ordered", None) for dtype in dtypes)


def say_range(lowest: int, categories: Sequence[str]) -> str:
    """Return the numbers of the first and the last of some categories with their names, but for numbers themselves."""
    ends = {lowest: categories[0], lowest + len(categories) - 1: categories[-1]}
    are_numbers = all(number_of(name) == number for number, name in ends.items())
    return " to ".join(str(number) if are_numbers else f"{number} ({name})" for number, name in ends.items())
