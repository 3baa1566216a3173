"""The binary matrix that is too large to be kept whole: its ones, and what is missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.matrix import MAX_ENTRIES, MISSING, BinaryMatrix
from nbmf.data.named import NAMES, NamedMatrix
from nbmf.data.names import with_default_names
from nbmf.data.symmetry import CHANCE, chance_of_agreement
from nbmf.errors import DataError

if TYPE_CHECKING:
    from nbmf.data.sparse_counts import SparseCounts

ROW, COLUMN, CODE = 0, 1, 2  # of `stored`


@dataclass(frozen=True, eq=False, repr=False)
class SparseBinaryMatrix(NamedMatrix):
    """A binary matrix V of any size, that stores ones and missing entries; all others are 0.

    The Bernoulli-Poisson methods take it (docs/poisson.md). `nbmf.read` makes one where a
    BinaryMatrix, which keeps all entries, would have more than 2^28 of them.

    Parameters
    ----------
    stored : int32 array (3, n)
        Row, column and code, 1 or -1 (missing), of each stored entry. Each entry occurs once, in any order; they
        are stored row by row.
    row_names, column_names : str arrays (F,), (N,)
        Unique names, which say how many rows and columns there are.
    row_groups : str array (F,), optional
        A group per row.

    Raises
    ------
    DataError
        If an entry lies outside, occurs twice or has another code, the matrix is empty, a row or column has no
        observed entry, names repeat, or lengths differ.
    """

    stored: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    field = "stored"
    dense = BinaryMatrix

    def __post_init__(self) -> None:
        shape = tuple(np.size(getattr(self, name)) for name in NAMES)
        stored = _sorted_entries(_checked_entries(np.asarray(self.stored), shape), shape)
        stored.setflags(write=False)
        object.__setattr__(self, self.field, stored)
        self._take_names(shape)

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        return BinaryMatrix._checked(values)

    @classmethod
    def from_array(cls, values: Any, row_names: Any = None, column_names: Any = None, row_groups: Any = None) -> Self:
        """Make a matrix from an array of 1, 0 and missing (NaN or -1); see NamedMatrix."""
        codes = cls._checked(values)
        places = np.nonzero(codes)
        stored = np.array([*places, codes[places]], np.int32)
        return cls(stored, *with_default_names(codes.shape, row_names, column_names), row_groups)

    @classmethod
    def from_sparse(cls, values: Any, row_names: Any = None, column_names: Any = None, row_groups: Any = None) -> Self:
        """Make a matrix from a scipy.sparse matrix or array: what it does not store is 0.

        Stored are 1, 0 and missing (NaN or -1). Names default to "row 0", "column 0", ...
        """
        from nbmf.data.sparse_counts import SparseCounts  # scipy.sparse takes a moment

        counts = SparseCounts.of(values, largest=1)
        parts = [
            np.array([*part.nonzero(), np.full(part.nnz, code)], np.int32)
            for part, code in ((counts.above_zero, 1), (counts.missing, MISSING))
        ]
        names = with_default_names(counts.shape, row_names, column_names)
        return cls(np.hstack(parts), *names, row_groups)

    @classmethod
    def of(cls, V: Any) -> Self:
        """Return V as such a matrix: V itself, or one made of a sparse or other matrix."""
        is_other = is_sparse(V) and not isinstance(V, NamedMatrix)
        return cls.from_sparse(V) if is_other else super().of(V)

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return len(self.row_names), len(self.column_names)

    def __getitem__(self, key: Any) -> Any:
        """Return values as of a CSR array of scipy.sparse: ones, NaN where missing, and zeros, which are not stored."""
        import scipy.sparse

        rows, columns, codes = self.stored
        values = np.where(codes == MISSING, np.nan, 1.0)
        return scipy.sparse.csr_array((values, (rows, columns)), shape=self.shape)[key]

    @property
    def nnz(self) -> int:
        """How many entries are kept: ones and missing ones."""
        return self.stored.shape[1]

    @cached_property
    def values(self) -> SparseCounts:
        """The matrix (F, N) as estimators take it."""
        import scipy.sparse

        from nbmf.data.sparse_counts import SparseCounts

        matrices = []
        for code, kind in ((1, np.int32), (MISSING, bool)):
            places = self.places(code)
            counted = np.bincount(places[0], minlength=self.shape[0])
            start = np.concatenate([[0], np.cumsum(counted)]).astype(np.int32)
            parts = np.ones(len(places[0]), kind), places[1].copy(), start
            matrices.append(scipy.sparse.csr_array(parts, shape=self.shape))
        return SparseCounts(*matrices)

    def places(self, code: int) -> np.ndarray:
        """Return rows and columns of the ones (1) or of the missing entries (-1), int32 (2, n)."""
        return self.stored[:CODE, self.stored[CODE] == code]

    def toarray(self) -> np.ndarray:
        """Return all codes, int8 array (F, N).

        Raises
        ------
        DataError
            If there are more than 2^28.
        """
        if math.prod(self.shape) > MAX_ENTRIES:
            raise DataError(
                f"a matrix of shape {self.shape} has more than {MAX_ENTRIES} entries, too many to be kept one by one"
            )
        codes = np.zeros(self.shape, np.int8)
        codes[self.stored[ROW], self.stored[COLUMN]] = self.stored[CODE]
        return codes

    @property
    def observed(self) -> np.ndarray:
        """Boolean array (F, N): True where the entry is 0 or 1; refused as `toarray` is."""
        return self.toarray() != MISSING

    @property
    def n_observed(self) -> int:
        """How many entries are 0 or 1."""
        return math.prod(self.shape) - int(np.count_nonzero(self.stored[CODE] == MISSING))

    def observed_along(self, axis: int) -> np.ndarray:
        """Return how many entries of each row (axis 1) or column (axis 0) are observed."""
        other_axis = 1 - axis
        missing = self.places(MISSING)[other_axis]
        return self.shape[axis] - np.bincount(missing, minlength=self.shape[other_axis])

    def ones_along(self, axis: int) -> np.ndarray:
        """Return how many entries of each row (axis 1) or column (axis 0) are ones."""
        return np.bincount(self.places(1)[1 - axis], minlength=self.shape[1 - axis])

    def diagonal(self) -> np.ndarray:
        """Return the codes of the diagonal."""
        rows, columns, codes = self.stored
        diagonal = np.zeros(min(self.shape), np.int8)
        diagonal[rows[rows == columns]] = codes[rows == columns]
        return diagonal

    def without_diagonal(self) -> Self:
        """Return the matrix with its diagonal missing."""
        every = np.arange(min(self.shape), dtype=np.int32)
        others = self.stored[:, self.stored[ROW] != self.stored[COLUMN]]
        stored = np.hstack([others, [every, every, np.full_like(every, MISSING)]])
        return type(self)(stored, self.row_names, self.column_names, self.row_groups)

    def is_symmetric(self) -> bool:
        """Whether it equals its transpose; see nbmf.data.symmetry of what is missing."""
        F, N = self.shape
        if not F == N > 1:
            return False
        mirrored = _sorted_entries(self.stored[[COLUMN, ROW, CODE]], (N, F))
        return np.array_equal(self.stored, mirrored) or self._agrees_where_observed()

    def _agrees_where_observed(self) -> bool:
        """Return whether ones are those of the transpose wherever both entries of enough pairs are observed."""
        F = self.shape[0]
        missing = np.union1d(*self._both_ways(MISSING))
        ones, mirrored = (np.setdiff1d(places, missing) for places in self._both_ways(1))
        n_missing, n_ones = (int(np.count_nonzero(places // F < places % F)) for places in (missing, ones))
        n_zeros = F * (F - 1) // 2 - n_missing - n_ones
        return np.array_equal(ones, mirrored) and chance_of_agreement([n_ones, n_zeros]) <= CHANCE

    def _both_ways(self, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of entries of a code in the flattened square matrix, and in its transpose."""
        rows, columns = self.places(code).astype(np.int64)
        return rows * self.shape[0] + columns, columns * self.shape[0] + rows

    @property
    def T(self) -> Self:
        """The transposed matrix; row groups belong to rows and are dropped."""
        return type(self)(self.stored[[COLUMN, ROW, CODE]], self.column_names, self.row_names)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, ones, zeros and missing."""
        rows, columns = self.shape
        ones = int(np.count_nonzero(self.stored[CODE] == 1))
        return {
            "rows": rows,
            "columns": columns,
            "ones": ones,
            "zeros": self.n_observed - ones,
            "missing": rows * columns - self.n_observed,
        }


def _checked_entries(stored: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return entries that are kept as int32; DataError if one is not allowed."""
    if 0 in shape:
        raise DataError(f"the matrix is empty: {shape[0]} rows, {shape[1]} columns")
    if stored.ndim != 2 or len(stored) != CODE + 1 or stored.dtype.kind not in "iu":
        raise DataError(f"stored: integers (3, n) are needed, not {stored.dtype} {stored.shape}")
    for kind, places, size in zip(("row", "column"), stored, shape, strict=False):
        if places.size and (places.min() < 0 or places.max() >= size):
            raise DataError(f"stored: a {kind} is outside of 0 to {size - 1}")
    if not np.isin(stored[CODE], (1, MISSING)).all():
        raise DataError(f"stored: allowed codes are 1 and {MISSING} (missing)")
    return stored.astype(np.int32)


def _sorted_entries(stored: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return entries row by row; DataError if one is there twice."""
    flat = stored[ROW].astype(np.int64) * shape[1] + stored[COLUMN]
    if not (np.diff(flat) > 0).all():
        order = np.argsort(flat, kind="stable")
        stored, flat = stored[:, order], flat[order]
        if (again := np.flatnonzero(np.diff(flat) == 0)).size:
            f, n = stored[:CODE, again[0]]
            raise DataError(f"row {f}, column {n} (counted from 0): the entry is stored twice")
    return np.ascontiguousarray(stored)
