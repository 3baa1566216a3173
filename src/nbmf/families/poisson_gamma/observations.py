"""A matrix of counts as the updates need it: what is above zero, and what is missing.

Two ways to the same numbers: passes over the entries above zero, whose cost grows with those
alone, and products of matrices with all entries, which are faster where most are above zero.
Tables W (F, padded K) and H (N, padded K) have rows or columns of V as rows; padding is zero.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import gammaln

from nbmf.data.given import MISSING
from nbmf.data.sparse_counts import SparseCounts
from nbmf.families.poisson_gamma.kernels import passes
from nbmf.families.poisson_gamma.parts import MANY, number_of_parts
from nbmf.numerics.lanes import aligned_table
from nbmf.numerics.threads import run_with_threads

DENSE_SHARE = 0.45  # of entries above zero, from which on products of matrices are faster
BLOCKS = 64  # of rows or columns, where blocks have no sums of their own


class Entries(NamedTuple):
    """Entries above zero, row by row.

    start : int64 array (rows + 1,); row or column i has the entries start[i] up to start[i + 1]
    index : uint32 array (entries,), their places in the row or column
    value : float64 array (entries,)
    """

    start: np.ndarray
    index: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, matrix: scipy.sparse.csr_array) -> "Entries":
        """Take over a CSR matrix; its indices are shared if they have 32 bits."""
        indices = matrix.indices
        shared = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
        return cls(matrix.indptr.astype(np.int64), shared, matrix.data)

    def blocks(self, number: int) -> np.ndarray:
        """Return limits of at most so many blocks of rows with about as many entries each, int64 (blocks + 1,)."""
        rows = self.start.size - 1
        ends = np.searchsorted(self.start, np.linspace(0, self.start[-1], number + 1)[1:-1])
        return np.unique([0, *ends, rows]).astype(np.int64)

    def at_rows(self, rows: np.ndarray) -> "Entries":
        """Return the entries of some rows and columns alone."""
        lengths = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.start[rows] - start[:-1], lengths) + np.arange(start[-1])
        return Entries(start, self.index[places], self.value[places])


class Observations:
    """The counts of one matrix; `is_binary` if only their being above zero is observed.

    Parameters
    ----------
    values : int array (F, N), -1 where missing, or SparseCounts
    is_binary : bool
        The Bernoulli-Poisson link.
    threads : int
        Of a pass over the entries above zero; no result depends on it.
    """

    def __init__(self, values: np.ndarray | SparseCounts, is_binary: bool, threads: int = 1):
        self.is_binary, self.shape, self.threads = is_binary, values.shape, threads
        if isinstance(values, SparseCounts):
            given = values.above_zero
            above = scipy.sparse.csr_array((given.data.astype(np.float64), given.indices, given.indptr), given.shape)
            missing = values.missing.astype(np.float64)
        else:
            above = scipy.sparse.csr_array(np.where(values > 0, values, 0).astype(np.float64))
            missing = scipy.sparse.csr_array((values == MISSING).astype(np.float64))
        self._above, self.rows = above, Entries.of(above)
        self.n_observed = above.shape[0] * above.shape[1] - missing.nnz
        self.total = float(above.sum())
        self.exposure = Exposure(self.shape, missing)
        self._kept_sums: np.ndarray | None = None

    @cached_property
    def columns(self) -> Entries:
        """The entries above zero column by column, which few methods need."""
        return Entries.of(self._above.T.tocsr())

    @cached_property
    def _parts(self) -> np.ndarray:
        return self.limits_of_parts(MANY)

    def limits_of_parts(self, many: int) -> np.ndarray:
        """Return limits of blocks of rows that have sums of their own; of fewer entries than `many` a single one."""
        return self.rows.blocks(number_of_parts(self.rows.index.size, self.shape[1], many))

    @cached_property
    def _row_blocks(self) -> np.ndarray:
        return self.rows.blocks(BLOCKS)

    @cached_property
    def _column_blocks(self) -> np.ndarray:
        return self.columns.blocks(BLOCKS)

    def row_totals(self) -> np.ndarray:
        """Return the sum of the counts of each row, (F,)."""
        return self._above @ np.ones(self.shape[1])

    def column_totals(self) -> np.ndarray:
        """Return the sum of the counts of each column, (N,)."""
        return self._above.T @ np.ones(self.shape[0])

    def popularities(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the totals of rows (F, 1) and of columns (N, 1) over those that an average one would have.

        One event more is in each of both, so that none is 0.
        """
        of_entry = (self.total + 0.5) / (self.n_observed + 1.0)
        observed = (
            exposure(np.ones((size, 1)))
            for exposure, size in zip((self.exposure.of_rows, self.exposure.of_columns), self.shape[::-1], strict=True)
        )
        totals = self.row_totals(), self.column_totals()
        return tuple(
            (total[:, None] + 1.0) / (of_entry * count + 1.0) for total, count in zip(totals, observed, strict=True)
        )

    @property
    def constant(self) -> float:
        """Σ log x! over the observed entries, nats; 0 of binary ones, where x is summed out."""
        return 0.0 if self.is_binary else float(gammaln(self.rows.value + 1.0).sum())

    @property
    def mean_rate(self) -> float:
        """The rate that all entries would have if they had the same."""
        share = (self.total + 0.5) / (self.n_observed + 1.0)  # never 0, nor of binary ones 1
        return float(-np.log1p(-share)) if self.is_binary else share

    def pass_both(self, W, H, S_W, S_H) -> None:
        """Set S_W and S_H to the sums of passes.pass_both."""
        parts = self.sums_of_parts(self._parts, S_H)
        arguments = self._parts, *self.rows, W, H, self.is_binary, S_W, parts
        run_with_threads(passes.pass_both_serial, passes.pass_both_parallel, min(self.threads, len(parts)), arguments)
        self.add_parts(parts, S_H)

    def sums_of_parts(self, limits: np.ndarray, S_H: np.ndarray) -> np.ndarray:
        """Return a table like S_H for each part: of a single one S_H itself; others are kept for the next pass."""
        if limits.size == 2:
            return S_H[np.newaxis]
        shape = limits.size - 1, *S_H.shape
        if self._kept_sums is None or (self._kept_sums.shape, self._kept_sums.dtype) != (shape, S_H.dtype):
            self._kept_sums = aligned_table(shape[0] * shape[1], shape[2], S_H.dtype).reshape(shape)
        return self._kept_sums

    def add_parts(self, parts: np.ndarray, S_H: np.ndarray) -> None:
        """Set S_H to the sum of the tables of parts, if there are more than one."""
        if len(parts) > 1:
            threads = min(self.threads, len(parts))
            run_with_threads(passes.add_parts_serial, passes.add_parts_parallel, threads, (parts, S_H))

    def pass_rows(self, W, H, S_W) -> None:
        """Set S_W alone."""
        self._pass_one(self._row_blocks, self.rows, W, H, S_W)

    def pass_columns(self, W, H, S_H) -> None:
        """Set S_H alone."""
        self._pass_one(self._column_blocks, self.columns, H, W, S_H)

    def _pass_one(self, blocks, entries, own, other, sums) -> None:
        arguments = blocks, *entries, own, other, self.is_binary, sums
        run_with_threads(passes.pass_one_serial, passes.pass_one_parallel, self.threads, arguments)

    def log_terms(self, W, H) -> float:
        """Return Σ x log r - log x!, of binary ones Σ log(e^r - 1), over entries above zero."""
        sums = np.zeros(self._parts.size - 1)
        arguments = self._parts, *self.rows, W, H, self.is_binary, sums
        run_with_threads(passes.log_terms_serial, passes.log_terms_parallel, min(self.threads, sums.size), arguments)
        return float(sums.sum()) - self.constant


class DenseObservations(Observations):
    """Counts of a matrix whose sums are products of matrices with all entries; methods as of Observations.

    Parameters
    ----------
    values, is_binary
        As for Observations; values are an array.
    single : bool
        Whether products are made in single precision.
    threads : int
        As for Observations; products of matrices have those of BLAS.
    """

    def __init__(self, values: np.ndarray, is_binary: bool, single: bool, threads: int = 1):
        super().__init__(values, is_binary, threads)
        kind = np.float32 if single else np.float64
        self._values = np.where(values > 0, values, 0).astype(kind)
        self._ratio = np.empty(values.shape, kind)
        if self.exposure.has_missing:
            observed = (values != MISSING).astype(kind)
            self.exposure = DenseExposure(observed)

    def _ratios(self, W, H) -> tuple[np.ndarray, np.ndarray]:
        """Fill the ratios, (F, N); return the tables in the precision of products."""
        kind = self._values.dtype
        W, H = W.astype(kind, copy=False), H.astype(kind, copy=False)
        np.matmul(W, H.T, out=self._ratio)
        passes.ratios(self._values, self.is_binary, self._ratio)
        return W, H

    def pass_both(self, W, H, S_W, S_H) -> None:
        """Set S_W and S_H to the sums of passes.pass_both."""
        W, H = self._ratios(W, H)
        S_W[:], S_H[:] = self._ratio @ H, self._ratio.T @ W

    def pass_rows(self, W, H, S_W) -> None:
        """Set S_W alone."""
        _, H = self._ratios(W, H)
        S_W[:] = self._ratio @ H

    def pass_columns(self, W, H, S_H) -> None:
        """Set S_H alone."""
        W, _ = self._ratios(W, H)
        S_H[:] = self._ratio.T @ W


class Exposure:
    """Sums of one table over the entries that a row or column has observed: M H' and M' W.

    By way of the entries that are missing, or that are observed, whichever are fewer.
    """

    def __init__(self, shape: tuple[int, int], missing: scipy.sparse.csr_array):
        self.has_missing = missing.nnz > 0
        self._is_of_missing = 2 * missing.nnz <= shape[0] * shape[1]
        listed = missing if self._is_of_missing else _unstored_entries(missing)
        self._rows, self._columns = listed, listed.T.tocsr()
        observed = shape[1] - missing.sum(axis=1), shape[0] - missing.sum(axis=0)
        self._blank = tuple(np.flatnonzero(count == 0) for count in observed)

    def of_rows(self, H: np.ndarray) -> np.ndarray:
        """Return Σ_n m_fn h_nk, (F, K), or (1, K) if nothing is missing."""
        return self._sum_observed(self._rows, H, self._blank[0])

    def of_columns(self, W: np.ndarray) -> np.ndarray:
        """Return Σ_f m_fn w_fk, (N, K), or (1, K) if nothing is missing."""
        return self._sum_observed(self._columns, W, self._blank[1])

    def _sum_observed(self, listed, table, blank) -> np.ndarray:
        if not self.has_missing:
            return table.sum(axis=0, keepdims=True, dtype=np.float64)
        exposure = listed @ table
        if self._is_of_missing:
            exposure = np.maximum(table.sum(axis=0, dtype=np.float64) - exposure, 0.0)
        exposure[blank] = 0.0  # of a row or column without an observed entry, whatever the rounding
        return exposure


class DenseExposure:
    """An Exposure by products of matrices; `observed` is 1 where an entry is, 0 elsewhere."""

    has_missing = True

    def __init__(self, observed: np.ndarray):
        self._observed = observed

    def of_rows(self, H: np.ndarray) -> np.ndarray:
        """Return Σ_n m_fn h_nk, (F, K)."""
        return (self._observed @ H.astype(self._observed.dtype, copy=False)).astype(np.float64)

    def of_columns(self, W: np.ndarray) -> np.ndarray:
        """Return Σ_f m_fn w_fk, (N, K)."""
        return (self._observed.T @ W.astype(self._observed.dtype, copy=False)).astype(np.float64)


def _unstored_entries(matrix: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return ones where `matrix` stores nothing."""
    return scipy.sparse.csr_array(matrix.toarray() == 0).astype(np.float64)


def observations(
    values: np.ndarray | SparseCounts, is_binary: bool, single: bool = False, threads: int = 1
) -> Observations:
    """Return the observations of a matrix in the form that is faster for it.

    `single` asks for products of matrices in single precision.
    """
    if isinstance(values, SparseCounts):
        return Observations(values, is_binary, threads)
    is_dense = np.count_nonzero(values > 0) >= DENSE_SHARE * values.size
    if is_dense or single:
        return DenseObservations(values, is_binary, single, threads)
    return Observations(values, is_binary, threads)
