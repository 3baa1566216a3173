"""Counts of a large matrix of which little is stored: what is above zero, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from nbmf.data.given import MISSING, is_sparse, python_value, sum_duplicates
from nbmf.data.named import NamedMatrix
from nbmf.data.number_sizes import LARGEST_COUNT
from nbmf.errors import DataError, NothingObservedError


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """Counts (F, N), 0 unless they are stored.

    Attributes
    ----------
    above_zero : CSR array of integers
        The counts above zero, in order of their columns within a row.
    missing : CSR array, bool
        True for each missing entry.
    """

    above_zero: scipy.sparse.csr_array
    missing: scipy.sparse.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return self.above_zero.shape

    @property
    def T(self) -> SparseCounts:
        """The transposed matrix."""
        return SparseCounts(self.above_zero.T.tocsr(), self.missing.T.tocsr())

    @classmethod
    def of(cls, V: Any, largest: int = LARGEST_COUNT) -> SparseCounts:
        """Take over a matrix or array of scipy.sparse; it is not changed, nor made dense.

        Whole numbers above zero in canonical order are not copied either (`nbmf.read_sparse` returns such).

        Parameters
        ----------
        V : sparse (F, N), or SparseBinaryMatrix
            Stored are counts from 0 to `largest`, and missing ones (NaN or -1); what is stored
            twice is added up.
        largest : int
            The largest count that is allowed.

        Raises
        ------
        DataError
            If a stored value is none of these, the matrix is empty, or nothing is observed.
        """
        if not is_sparse(V):
            raise DataError(f"a scipy.sparse matrix is needed, not {type(V).__name__}")
        if isinstance(V, NamedMatrix):  # a SparseBinaryMatrix, whose ones are counts
            return V.values
        if len(V.shape) != 2 or 0 in V.shape:
            raise DataError(f"a matrix has rows and columns; this one has shape {V.shape}")
        if _are_counts(V, largest):
            above = scipy.sparse.csr_array((V.data, V.indices, V.indptr), shape=V.shape)
            return cls(above, scipy.sparse.csr_array(V.shape, dtype=bool))
        stored = sum_duplicates(V).tocoo()
        value, (rows, columns) = stored.data, stored.coords
        is_missing = np.isnan(value) | (value == MISSING)
        is_count = (value >= 0) & (value <= largest) & (value == np.floor(value))
        if (wrong := np.flatnonzero(~(is_missing | is_count))).size:
            e = wrong[0]
            repeated = "; what is stored more than once is added up" if stored.nnz < V.nnz else ""
            raise DataError(
                f"row {rows[e]}, column {columns[e]} (counted from 0): the value is "
                f"{python_value(value[e])!r}; allowed: whole numbers from 0 to {largest} and missing "
                f"(NaN or -1){repeated}"
            )
        above = is_count & (value > 0)
        counts = cls(
            _sorted_csr(value[above].astype(np.int32), rows[above], columns[above], V.shape),
            _sorted_csr(np.ones(is_missing.sum(), bool), rows[is_missing], columns[is_missing], V.shape),
        )
        if is_missing.sum() == V.shape[0] * V.shape[1]:
            raise NothingObservedError(counts)
        return counts


def _are_counts(V: Any, largest: int) -> bool:
    """Whether V is a CSR matrix that stores counts above zero alone, in canonical order."""
    is_canonical = V.format == "csr" and V.dtype.kind in "iu" and V.nnz > 0 and V.has_canonical_format
    return bool(is_canonical and V.data.min() > 0 and V.data.max() <= largest)


def _sorted_csr(values, rows, columns, shape) -> scipy.sparse.csr_array:
    matrix = scipy.sparse.csr_array((values, (rows, columns)), shape=shape)
    matrix.sort_indices()
    return matrix
