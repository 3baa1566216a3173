"""The binary matrix with missing entries, and the one door through which data enters."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.errors import DataError
from nbmf.files import atomic_path, read_arrays

if TYPE_CHECKING:
    import pandas as pd

MISSING = -1
# Of a matrix made from fewer values, such as a sparse one: checks and fits hold some ten bytes for
# each entry.
MAX_ENTRIES = 2**28


@dataclass(frozen=True, eq=False)
class BinaryMatrix:
    """A binary matrix V with missing entries, the names of its rows and columns, and row groups.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0 or -1 (missing). Every row and every column has an observed entry.
    row_names, column_names : str arrays (F,), (N,)
        Unique names.
    row_groups : str array (F,), optional
        A group per row, for example the party of a member of parliament.

    Raises
    ------
    DataError
        If a value is none of 1, 0 and -1, the matrix is empty, a row or column has no observed
        entry, names repeat, or lengths differ.
    """

    codes: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    def __post_init__(self) -> None:
        codes = _checked_codes(self.codes)
        object.__setattr__(self, "codes", codes)
        for axis, field in enumerate(("row_names", "column_names")):
            names = _checked_names(getattr(self, field), codes.shape[axis], field)
            _refuse_duplicates(names, field)
            object.__setattr__(self, field, names)
        if self.row_groups is not None:
            groups = _checked_names(self.row_groups, codes.shape[0], "row_groups")
            object.__setattr__(self, "row_groups", groups)
        _refuse_unobserved(codes, self.row_names, self.column_names)

    @classmethod
    def from_array(
        cls,
        values: np.ndarray,
        row_names: Any = None,
        column_names: Any = None,
        row_groups: Any = None,
    ) -> BinaryMatrix:
        """Make a matrix from an array of 1, 0 and missing (NaN or -1).

        Names default to "row 0", "row 1", ... and "column 0", ...
        """
        codes = _codes_from_values(values)
        if row_names is None:
            row_names = [f"row {f}" for f in range(codes.shape[0])]
        if column_names is None:
            column_names = [f"column {n}" for n in range(codes.shape[1])]
        return cls(codes, row_names, column_names, row_groups)

    @classmethod
    def from_sparse(
        cls,
        values: Any,
        row_names: Any = None,
        column_names: Any = None,
        row_groups: Any = None,
    ) -> BinaryMatrix:
        """Make a matrix from a scipy.sparse matrix or array: what it does not store is 0.

        Stored are 1, 0 and missing (NaN or -1). The matrix keeps all its entries: F x N bytes,
        at most MAX_ENTRIES.
        """
        if not _is_sparse(values):
            raise DataError(f"a scipy.sparse matrix is needed, not {type(values).__name__}")
        return cls.from_array(_all_entries(values), row_names, column_names, row_groups)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> BinaryMatrix:
        """Make a matrix from a DataFrame of 1, 0, True, False and missing (NaN, None or -1)."""
        return cls.from_array(
            _frame_values(frame), frame.index.astype(str), frame.columns.astype(str)
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> BinaryMatrix:
        """Read a matrix written by `save`; nothing but plain arrays is ever read.

        Raises
        ------
        DataError
            If the file is no complete matrix file; the message names it.
        """
        parts = read_arrays(path, "nbmf matrix")
        missing = {"codes", "row_names", "column_names"} - parts.keys()
        unknown = parts.keys() - {"codes", "row_names", "column_names", "row_groups"}
        if missing or unknown:
            raise DataError(
                f"{path}: a matrix file holds codes, row_names, column_names and optionally "
                f"row_groups; this one has {', '.join(sorted(parts)) or 'nothing'}"
            )
        try:
            return cls(**parts)
        except DataError as error:
            raise DataError(f"{path}: {error}") from error

    def save(self, path: str | os.PathLike) -> None:
        """Write the matrix as compressed NPZ, atomically; equal matrices give equal bytes."""
        parts = {name: value for name, value in vars(self).items() if value is not None}
        with atomic_path(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, **parts)

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return self.codes.shape

    @property
    def observed(self) -> np.ndarray:
        """Boolean array (F, N): True where the entry is 0 or 1."""
        return self.codes != MISSING

    @property
    def T(self) -> BinaryMatrix:
        """The transposed matrix; row groups belong to rows and are dropped."""
        return BinaryMatrix(self.codes.T, self.column_names, self.row_names)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, ones, zeros and missing."""
        rows, columns = self.shape
        ones, zeros = (int(np.count_nonzero(self.codes == value)) for value in (1, 0))
        return {
            "rows": rows,
            "columns": columns,
            "ones": ones,
            "zeros": zeros,
            "missing": rows * columns - ones - zeros,
        }


def as_codes(data: BinaryMatrix | np.ndarray | pd.DataFrame) -> np.ndarray:
    """Return the codes (int8, F x N) of a matrix, an array or a DataFrame.

    Unlike a BinaryMatrix, codes may have rows or columns with no observed entry: a held-out mask
    can empty them, and a model then predicts them from its prior.

    Raises
    ------
    DataError
        If a value is none of 1, 0 and missing, the matrix is empty or wholly missing, or sparse.
    """
    if isinstance(data, BinaryMatrix):
        return data.codes
    is_frame = hasattr(data, "columns") and hasattr(data, "to_numpy")
    codes = _codes_from_values(_frame_values(data) if is_frame else data)
    if (codes == MISSING).all():
        raise DataError(f"none of the {codes.size} entries of the matrix is observed")
    return np.ascontiguousarray(codes)  # memory order would show in the last digits of products


def _frame_values(frame: pd.DataFrame) -> np.ndarray:
    return frame.to_numpy(dtype=object, na_value=np.nan, copy=True)


def _checked_codes(codes: np.ndarray) -> np.ndarray:
    codes = np.ascontiguousarray(_codes_from_values(codes))
    codes.setflags(write=False)
    return codes


def _codes_from_values(values: Any) -> np.ndarray:
    """Return int8 codes of a two-dimensional array of 1, 0, -1 and NaN."""
    if _is_sparse(values):
        raise DataError(
            "the matrix is sparse, and an absent entry may mean 0 or missing: "
            "BinaryMatrix.from_sparse(V) takes it for 0"
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
    if values.dtype == bool or values.dtype == np.int8:
        codes = values.astype(np.int8)
        wrong = (codes < MISSING) | (codes > 1)
    else:
        numbers = _as_numbers(values)
        missing = np.isnan(numbers) | (numbers == MISSING)
        wrong = ~(missing | (numbers == 0) | (numbers == 1))
        codes = np.where(missing | wrong, MISSING, numbers).astype(np.int8)
    if wrong.any():
        f, n = np.argwhere(wrong)[0]
        raise DataError(
            f"row {f}, column {n} (counted from 0): the value is {_plain(values[f, n])!r}; "
            "allowed are 0, 1 and missing (NaN or -1)"
        )
    return codes


def _is_sparse(values: Any) -> bool:
    return hasattr(values, "toarray") and hasattr(values, "nnz")


def _all_entries(values: Any) -> np.ndarray:
    """Return a scipy.sparse matrix as an array; what is not stored is 0."""
    if math.prod(values.shape) > MAX_ENTRIES:
        raise DataError(
            f"a sparse matrix of shape {values.shape} has more than {MAX_ENTRIES} entries; "
            "a matrix is kept with all of them"
        )
    return values.toarray()


def _plain(value: Any) -> Any:
    """Return a number of numpy as Python's, which is shown without its type."""
    return value.item() if isinstance(value, np.generic) else value


def _as_numbers(values: np.ndarray) -> np.ndarray:
    """Return `values` as float64, naming the first entry that is not a number."""
    if values.dtype.kind not in "fiu":
        for (f, n), value in np.ndenumerate(values):
            if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
                raise DataError(
                    f"row {f}, column {n} (counted from 0): {_plain(value)!r} is not a number; "
                    "allowed are 0, 1 and missing (NaN or -1)"
                )
    return values.astype(np.float64)


def _checked_names(names: Any, length: int, field: str) -> np.ndarray:
    names = np.array(names, dtype=str)  # a copy: the caller's own stays writeable
    if names.shape != (length,):
        raise DataError(f"{field}: {length} names are needed, {names.size} were given")
    names.setflags(write=False)
    return names


def _refuse_duplicates(names: np.ndarray, field: str) -> None:
    unique, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        name = str(unique[counts > 1][0])
        places = ", ".join(str(place) for place in np.flatnonzero(names == name)[:5])
        raise DataError(f"{field}: {name!r} names more than one (places {places}, from 0)")


def _refuse_unobserved(codes: np.ndarray, row_names: np.ndarray, column_names: np.ndarray) -> None:
    observed = codes != MISSING
    for axis, kind, names in ((1, "row", row_names), (0, "column", column_names)):
        empty = np.flatnonzero(~observed.any(axis=axis))
        if empty.size:
            raise DataError(
                f"{kind} {str(names[empty[0]])!r} has no observed entry "
                f"({empty.size} such {kind}(s)); leave it out"
            )


def names_of(V: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the names of rows and columns, str arrays, None where V has none."""
    if isinstance(V, BinaryMatrix):
        return V.row_names, V.column_names
    if hasattr(V, "columns") and hasattr(V, "index"):
        return _names_along(V.index), _names_along(V.columns)
    return None, None


def _names_along(index: Any) -> np.ndarray | None:
    """Return the names of an index of pandas, None if they only number its places."""
    names = list(index)
    if names == list(range(len(names))):
        return None
    return np.array([str(name) for name in names])
