"""What may be given instead of a matrix: arrays, DataFrames and sparse matrices, checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


MISSING = -1  # but for real numbers


class WrongValue(DataError):
    """Says which entry of an array has a value that is not allowed."""

    def __init__(self, f: int, n: int, words: str):
        super().__init__(f"row {f}, column {n} (counted from 0): {words}")
        self.f, self.n, self.words = f, n, words


@contextlib.contextmanager
def naming(frame: pd.DataFrame, hint: str = "") -> Iterator[None]:
    """Name the row and the column of a wrong value as a DataFrame does; `hint` says what helps."""
    try:
        yield
    except WrongValue as wrong:
        row, column = frame.index[wrong.f], frame.columns[wrong.n]
        where = f"row {python_value(row)!r}, column {python_value(column)!r}"
        raise DataError(f"{where}: {wrong.words}{hint}") from None


def is_frame(V: Any) -> bool:
    """Whether V is a DataFrame that `as_pandas` takes; DataError if it is one that has no way to pandas."""
    if not (hasattr(V, "columns") and hasattr(V, "to_numpy")):
        return False
    if not (hasattr(V, "iloc") or hasattr(V, "to_pandas")):
        raise DataError(f"a {type(V).__module__.split('.')[0]} DataFrame; allowed: one of pandas, or with to_pandas()")
    return True


def as_pandas(V: Any) -> Any:
    """Return a DataFrame of another library, such as polars, as one of pandas, and all else as it is."""
    return V.to_pandas() if is_frame(V) and not hasattr(V, "iloc") else V


def frame_values(frame: pd.DataFrame) -> np.ndarray:
    """Return the values of a DataFrame, array of objects (F, N), NaN where missing."""
    return frame.to_numpy(dtype=object, na_value=np.nan, copy=True)


def sum_duplicates(values: Any) -> Any:
    """Return a sparse matrix (float64, CSR) in which what was stored twice is added up.

    Converted first: in a small type of integers sums would overflow in silence. What is true twice is true.

    Raises
    ------
    DataError
        If the stored values are no numbers.
    """
    import scipy.sparse  # takes a moment

    if values.dtype.kind not in "fiub":
        raise DataError(f"the stored values are of type {values.dtype}; allowed: numbers")
    is_truth = values.dtype.kind == "b"
    total = scipy.sparse.csr_array(values.copy() if is_truth else values.astype(np.float64))  # a copy in either case
    total.sum_duplicates()
    return total.astype(np.float64, copy=False)


def is_sparse(values: Any) -> bool:
    """Whether values are a sparse matrix or array of SciPy."""
    return hasattr(values, "toarray") and hasattr(values, "nnz")


def two_dimensional(values: Any) -> np.ndarray:
    """Return `values` as an array of two dimensions that is not empty.

    Raises
    ------
    DataError
        If they are none, or sparse.
    """
    if is_sparse(values):
        raise DataError(
            "the matrix is sparse, and an absent entry may mean 0 or missing: "
            "BinaryMatrix.from_sparse(V), of other values V.toarray(), takes it for 0"
        )
    if isinstance(values, np.ma.MaskedArray):  # np.asarray would turn masked entries into data
        values = values.astype(np.float64).filled(np.nan)
    try:
        values = np.asarray(values)
    except ValueError as error:  # lists in lists that are no rectangle
        raise DataError("the rows of a matrix have the same length; these have not") from error
    if values.ndim != 2:
        raise DataError(f"a matrix has two dimensions, not {values.ndim}")
    if values.size == 0:
        raise DataError(f"the matrix is empty: {values.shape[0]} rows, {values.shape[1]} columns")
    return values


def as_numbers(values: np.ndarray, allowed: str) -> np.ndarray:
    """Return `values` as float64; an entry that is not a number is named, with what is allowed.

    Entries of objects that libraries write for a missing value are NaN: to_numpy() of nullable columns has pd.NA.
    """
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    numbers = np.full(values.shape, np.nan)
    for (f, n), value in np.ndenumerate(values):
        if isinstance(value, int | float | np.integer | np.floating | np.bool_):
            numbers[f, n] = value
        elif not stands_for_missing(value):
            raise WrongValue(f, n, f"{python_value(value)!r} is not a number; allowed: {allowed}")
    return numbers


def stands_for_missing(value: Any) -> bool:
    """Whether a value is None, a masked entry, or NA or NaT of pandas, known by the names of their types."""
    return value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType")


def whole_numbers(values: Any, largest: int, allowed: str, dtype: type) -> np.ndarray:
    """Return a two-dimensional array of whole numbers from 0 to `largest`, -1 and NaN as integers, -1 where missing."""
    values = two_dimensional(values)
    numbers = as_numbers(values, allowed)
    missing = np.isnan(numbers) | (numbers == MISSING)
    is_allowed = (numbers >= 0) & (numbers <= largest) & (numbers == np.floor(numbers))
    refuse_wrong(values, ~(missing | is_allowed), allowed)
    return np.where(missing, MISSING, numbers).astype(dtype)


def refuse_wrong(values: np.ndarray, wrong: np.ndarray, allowed: str) -> None:
    """Raise WrongValue, which names the first entry of `values` (F, N) that `wrong`, bool array (F, N), has."""
    if wrong.any():
        f, n = np.argwhere(wrong)[0]
        raise WrongValue(f, n, f"the value is {python_value(values[f, n])!r}; allowed: {allowed}")


def python_value(value: Any) -> Any:
    """Return a number of numpy as Python's, which is shown without its type."""
    return value.item() if isinstance(value, np.generic) else value
