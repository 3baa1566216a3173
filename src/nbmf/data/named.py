"""What all matrices share: names of rows and columns, groups, and files."""

from __future__ import annotations

import dataclasses
import os
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from nbmf.data.given import MISSING, as_pandas, frame_values, is_frame, naming
from nbmf.data.names import (
    align_labels,
    checked_labels,
    checked_names,
    refuse_duplicates,
    refuse_unobserved,
    texts_of_index,
    with_default_names,
    without_unobserved,
)
from nbmf.data.symmetry import is_symmetric
from nbmf.errors import DataError, NothingObservedError, naming_file
from nbmf.files import atomic_path, read_arrays

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("row_names", "column_names")
SHOWN = 5  # names in a representation


class NamedMatrix:
    """Base class of matrices with missing entries, named rows and columns, and row groups.

    A subclass is a frozen dataclass whose first field holds the values, and is named by `field`;
    the others are row_names, column_names (str arrays (F,), (N,)), row_groups (str array (F,)
    or None) and `further` ones. `_checked` checks values, and `observed` says which are missing.
    """

    field: ClassVar[str]
    hint: ClassVar[str] = ""  # what helps where a DataFrame has a wrong value
    further: ClassVar[tuple[str, ...]] = ()  # fields that only some kinds of matrices have, None by default
    # Of a kind that does not keep zeros: that with all entries.
    dense: ClassVar[type[NamedMatrix] | None] = None

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        """Return the values of a two-dimensional array in the coding of this kind of matrix."""
        raise NotImplementedError

    @staticmethod
    def _is_observed(values: np.ndarray) -> np.ndarray:
        """Return where checked values are not missing, bool array (F, N)."""
        return values != MISSING

    @property
    def observed(self) -> np.ndarray:
        """Boolean array (F, N): True where the entry is not missing."""
        return self._is_observed(getattr(self, self.field))

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self._checked(getattr(self, self.field)))
        values.setflags(write=False)
        object.__setattr__(self, self.field, values)
        self._take_names(values.shape)

    def _take_names(self, shape: tuple[int, int]) -> None:
        """Keep names and groups that fit the values, in which every row or column has an observed entry."""
        for axis, name in enumerate(NAMES):
            names = checked_names(getattr(self, name), shape[axis], name)
            refuse_duplicates(names, name)
            object.__setattr__(self, name, names)
        if self.row_groups is not None:
            groups = checked_labels(align_labels(self.row_groups, self.row_names), shape[0], "row_groups")
            object.__setattr__(self, "row_groups", groups)
        for axis, kind, names in ((1, "row", self.row_names), (0, "column", self.column_names)):
            refuse_unobserved(self.observed_along(axis), kind, names)

    @classmethod
    def from_array(
        cls, values: np.ndarray, row_names: Any = None, column_names: Any = None, row_groups: Any = None
    ) -> Self:
        """Make a matrix from an array of allowed values and missing (NaN; of binary ones -1 too).

        Names default to "row 0", "row 1", ... and "column 0", ...
        """
        values = cls._checked(values)
        return cls(values, *with_default_names(values.shape, row_names, column_names), row_groups)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Self:
        """Make a matrix from a DataFrame of allowed values and missing (NaN, None).

        As of a file, rows and columns without an observed entry are left out.

        Warns
        -----
        LeftOutWarning
            If there are any.
        """
        frame = as_pandas(frame)
        return cls._of_frame(frame, cls._values_of_frame(frame))

    @classmethod
    def _values_of_frame(cls, frame: pd.DataFrame) -> np.ndarray:
        """Return the checked values of a DataFrame."""
        with naming(frame, cls.hint):
            return cls._checked(frame_values(frame))

    @classmethod
    def _of_frame(cls, frame: pd.DataFrame, values: np.ndarray) -> Self:
        """Return checked values with the names of a DataFrame, without rows and columns that have none observed."""
        return cls._observed_part(values, *map(texts_of_index, frame.axes))

    @classmethod
    def observed_part(cls, V: Any) -> Self:
        """Return an array or a DataFrame as such a matrix, without rows and columns that have no observed entry.

        Warns
        -----
        LeftOutWarning
            If there are any.
        """
        if is_frame(V):
            return cls.from_frame(V)
        values = cls._checked(V)
        return cls._observed_part(values, *with_default_names(values.shape, None, None))

    @classmethod
    def _observed_part(cls, values: np.ndarray, row_names: Any, column_names: Any) -> Self:
        return cls.from_array(*without_unobserved(values, cls._is_observed(values), row_names, column_names))

    @classmethod
    def of(cls, V: Any) -> Self:
        """Return V as such a matrix: V itself, or one made of a DataFrame or an array."""
        if isinstance(V, cls):
            return V
        if isinstance(V, NamedMatrix):
            raise DataError(f"a {cls.__name__} is needed, not a {type(V).__name__}")
        return cls.from_frame(V) if is_frame(V) else cls.from_array(V)

    @classmethod
    def values_of(cls, V: Any) -> np.ndarray:
        """Return the values (F, N) of such a matrix, of an array or a DataFrame.

        Unlike a matrix, they may have rows or columns with no observed entry.

        Raises
        ------
        DataError
            If a value is not allowed, or V is empty, wholly missing, sparse or a matrix of another kind.
        """
        if isinstance(V, cls):
            return getattr(V, cls.field)
        if isinstance(V, NamedMatrix):
            raise DataError(f"a {cls.__name__} is needed, not a {type(V).__name__}")
        values = cls._values_of_frame(as_pandas(V)) if is_frame(V) else cls._checked(V)
        values = np.ascontiguousarray(values)  # memory order would show in the last digits of products
        if not cls._is_observed(values).any():
            raise NothingObservedError(values)
        return values

    @classmethod
    def of_parts(cls, path: str | os.PathLike, parts: dict[str, np.ndarray]) -> Self:
        """Return the matrix whose arrays the file `path` holds.

        Raises
        ------
        DataError
            If they are not those of a matrix; the message names the file.
        """
        needed, optional = {cls.field, *NAMES}, ("row_groups", *cls.further)
        if needed - parts.keys() or parts.keys() - needed - {*optional}:
            raise DataError(
                f"{path}: a matrix file holds {cls.field}, row_names, column_names and optionally "
                f"{' and '.join(optional)}; this one has {', '.join(sorted(parts)) or 'nothing'}"
            )
        with naming_file(path):
            return cls(**parts)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read a matrix written by `save`; nothing but plain arrays is ever read.

        Raises
        ------
        DataError
            If the file is no complete matrix file; the message names it.
        """
        return cls.of_parts(path, read_arrays(path, "nbmf matrix"))

    def save(self, path: str | os.PathLike) -> None:
        """Write the matrix as compressed NPZ, atomically; equal matrices give equal bytes."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        parts = {name: value for name, value in values.items() if value is not None}
        with atomic_path(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, **parts)

    def __repr__(self) -> str:
        """Return shape, counts and the first names, in a few lines."""
        counts = ", ".join(f"{count} {what}" for what, count in self.counts().items())
        rows, columns = (_first_names(names) for names in (self.row_names, self.column_names))
        groups = "" if self.row_groups is None else f"\n  groups: {len(set(self.row_groups))}"
        return f"{type(self).__name__}: {counts}\n  rows: {rows}\n  columns: {columns}{groups}"

    @property
    def words(self) -> str:
        """The size in words: 3 x 4 entries."""
        return f"{self.shape[0]} x {self.shape[1]} entries"

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return getattr(self, self.field).shape

    def __getitem__(self, key: Any) -> np.ndarray:
        """Return values as of an array, in this kind's coding and without names.

        Cross-validation of scikit-learn takes some rows at a time, of which a column may have no observed entry.
        """
        return getattr(self, self.field)[key]

    @property
    def n_observed(self) -> int:
        """How many entries are not missing."""
        return int(np.count_nonzero(self.observed))

    def observed_along(self, axis: int) -> np.ndarray:
        """Return how many entries of each row (axis 1) or column (axis 0) are not missing."""
        return np.count_nonzero(self.observed, axis=axis)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, observed and missing."""
        rows, columns = self.shape
        observed = self.n_observed
        return {"rows": rows, "columns": columns, "observed": observed, "missing": rows * columns - observed}

    def diagonal(self) -> np.ndarray:
        """Return the values of the diagonal."""
        return getattr(self, self.field).diagonal()

    def without_diagonal(self) -> Self:
        """Return the matrix with its diagonal missing: links of a node to itself are unknown."""
        values = getattr(self, self.field).copy()
        np.fill_diagonal(values, MISSING)
        return dataclasses.replace(self, **{self.field: values})

    def is_symmetric(self) -> bool:
        """Whether the matrix equals its transpose; see nbmf.data.symmetry of what is missing."""
        return is_symmetric(getattr(self, self.field), self.observed)

    @property
    def T(self) -> Self:
        """The transposed matrix; row groups belong to rows and are dropped."""
        names = {"row_names": self.column_names, "column_names": self.row_names, "row_groups": None}
        return dataclasses.replace(self, **{self.field: getattr(self, self.field).T}, **names)


def _first_names(names: np.ndarray) -> str:
    more = ", ..." if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def names_of(V: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the names of rows and columns, str arrays, None where V has none."""
    if isinstance(V, NamedMatrix):
        return V.row_names, V.column_names
    V = as_pandas(V)
    if hasattr(V, "columns") and hasattr(V, "index"):
        return _index_names(V.index), _index_names(V.columns)
    return None, None


def align_with(labels: Any, V: Any, axis: int) -> Any:
    """Return labels of the rows (axis 0) or columns (axis 1) of V, a Series in their order: see `align_labels`.

    Of a DataFrame numbers count as names, as they do in pandas.
    """
    return align_labels(labels, texts_of_index(as_pandas(V).axes[axis]) if is_frame(V) else names_of(V)[axis])


def has_same_names(V: Any) -> bool:
    """Whether rows and columns have the same names in the same order, as those of a network."""
    rows, columns = names_of(V)
    return rows is not None and columns is not None and np.array_equal(rows, columns)


def _index_names(index: Any) -> np.ndarray | None:
    """Return the names of an index of pandas, None if they only number its places."""
    if all(isinstance(name, Number) and name == place for place, name in enumerate(index)):  # NA is none, nor equal
        return None
    return texts_of_index(index)
