"""Collapsed variational inference of the Beta-Dir model, CVB0 (paper, section 4.3).

Eq. (36) replaces each count of eq. (25) by its expectation under q(Z) without the cell itself.
Every observed entry keeps its responsibilities r_k = q(z = k) in float32, padded to whole lanes
with components that have no weight. A sweep is bound by waiting for the cell before (few
components) or by memory traffic (many): some columns are visited in turns, and responsibilities,
which lie in the order of the visits, are prefetched. The expected counts are float64; a sweep
adds its steps to them, a column's after its cells, a row's at the end.
"""

import numpy as np
from numba import prange

from nbmf.families.beta_dirichlet.kernels.learning import chances_of_zero, expected_digammas
from nbmf.families.beta_dirichlet.models.beta_dir import Counts
from nbmf.numerics.cells import BlockPartition, random_assignments
from nbmf.numerics.compilation import inner_kernel, serial_and_parallel
from nbmf.numerics.interleaving import COLUMNS_AT_ONCE, interleaved
from nbmf.numerics.lanes import LANES, load, padded, spread, store, total
from nbmf.numerics.prefetch import prefetch
from nbmf.numerics.threads import run_with_threads

FLOATS_AHEAD = 1600  # how far ahead of the current cell responsibilities are prefetched


class BetaDirCVB0:
    """The variational distribution q(Z) of the Beta-Dir model and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components.
    alpha, beta : float, array (K,), or array (1, N) for a prior per column
        Beta hyperparameters.
    gamma : float or array (K,)
        Dirichlet hyperparameters.
    seed : SeedSequence
        Source of the start, E[z] one-hot at random, unless Z is given.
    Z : int array (F, N), optional
        Initial assignments, -1 where missing.
    n_blocks : int, optional
        Blocks per axis; by default a rule of the shape.
    threads : int
        Threads of an update; the result is the same for any number.
    """

    def __init__(self, codes, K, alpha, beta, gamma, seed, *, Z=None, n_blocks=None, threads=1):
        if Z is None:
            Z = random_assignments(codes, K, np.random.default_rng(seed))
        self._shape, self._K, self._threads = codes.shape, K, threads
        self._partition = BlockPartition.of(*codes.shape, n_blocks)
        codes, Z = self._partition.apply(codes), self._partition.apply(Z)
        self._order = interleaved(codes, self._partition.n_blocks)
        self._columns = self._order.columns()
        z = Z[self._order.row, self._columns]
        width = padded(K)
        self._r = np.zeros((z.size, width), np.float32)
        self._r[np.arange(z.size), z] = 1.0
        # A component of the padding has no weight in any row, so it stays without cells.
        self._gamma = _pad(gamma, K, width, 0.0)
        self._prior = self._prior_of_columns(alpha, beta)
        # Expected counts with their priors already added, as eq. (36) uses them: row f, and row
        # 2 n + v of the table of columns for the value v of column n.
        F, N = codes.shape
        L = np.bincount(self._order.row * np.int64(width) + z, minlength=F * width)
        self._rows = self._gamma + L.reshape(F, width)
        places = 2 * self._columns + self._order.place % 2
        by_value = np.bincount(places * width + z, minlength=2 * N * width)
        self._column_counts = (self._prior + by_value.reshape(N, 2, width)).reshape(2 * N, width)

    def set_beta_prior(self, alpha, beta) -> None:
        """Go on with another Beta prior, of the kinds that the constructor takes."""
        counts = self._column_counts.reshape(-1, 2, self._prior.shape[2]) - self._prior
        self._prior = self._prior_of_columns(alpha, beta)
        self._column_counts = (self._prior + np.maximum(counts, 0.0)).reshape(self._column_counts.shape)

    def expected_digammas(self, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """Return Σ_k of E[ψ(α + A) - ψ(α)] per column, of β and B, and of both: array (3, N).

        alpha, beta : float arrays (N,), the current prior of each column.
        """
        none = np.ones(self._column_counts.shape, np.float32)
        chances_of_zero(self._columns, self._order.place, self._r, none)
        sums = np.empty((3, alpha.size))
        order = self._partition.columns
        prior = np.ascontiguousarray(self._prior)
        expected_digammas(self._column_counts, prior, none, alpha[order], beta[order], sums)
        return self._partition.undo_columns(sums)

    def _prior_of_columns(self, alpha, beta) -> np.ndarray:
        """Return float array (1 or N, 2, width): of zeros and of ones, padding 1."""
        width = padded(self._K)
        if np.ndim(alpha) < 2:
            return np.stack([_pad(value, self._K, width, 1.0) for value in (beta, alpha)])[None]
        prior = np.ones((alpha.shape[1], 2, width))
        for v, value in enumerate((beta, alpha)):
            prior[:, v, : self._K] = value[0][self._partition.columns][:, None]
        return prior

    def update(self, n_iter: int = 1) -> None:
        """Apply eq. (36) to every observed entry `n_iter` times."""
        arguments = (self._order, self._r, self._rows, self._column_counts, n_iter)
        run_with_threads(_updates_serial, _updates_parallel, self._threads, arguments)

    @property
    def responsibilities(self) -> np.ndarray:
        """E[z_fn], float32 array (F, N, K), zeros where missing. It is made at every call."""
        responsibilities = np.zeros((*self._shape, self._K), np.float32)
        responsibilities[self._order.row, self._columns] = self._r[:, : self._K]
        return self._partition.undo(responsibilities)

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        L = (self._rows - self._gamma)[:, : self._K]
        width = self._prior.shape[2]
        by_value = (self._column_counts.reshape(-1, 2, width) - self._prior)[..., : self._K]
        return Counts(
            L=self._partition.undo_rows(L),
            A=self._partition.undo_columns(by_value[:, 1].T),
            B=self._partition.undo_columns(by_value[:, 0].T),
        )


def _pad(hyperparameter, K: int, width: int, value: float) -> np.ndarray:
    padding = np.full(width - K, value)
    return np.concatenate([np.broadcast_to(hyperparameter, K).astype(float), padding])


# The arrays come whole, with indices: a slice per cell would cost as much as the arithmetic.
@inner_kernel
def _update_cell(i, f, own, other, r, rows, row_steps, column_counts, column_steps, weight):
    """Renew the responsibilities of cell i, row f; column_counts: those of its `own` value and of the `other`.

    Counts are a base plus the steps taken since, both float32: the eight lanes of a vector unit
    instead of the four of float64. Steps are small, so their sum keeps its precision.
    """
    K, lanes, zero = np.uint64(r.shape[1]), np.uint64(LANES), np.uint64(0)
    ahead = i + np.uint64(1) + np.uint64(FLOATS_AHEAD) // K
    sums = spread(np.float32(0.0))
    for k in range(zero, K, lanes):
        prefetch(r, ahead, k)
        before = load(r, i, k)
        count = load(column_counts, own, k) + (load(column_steps, own, k) - before)
        both = count + (load(column_counts, other, k) + load(column_steps, other, k))
        weights = (load(rows, f, k) + (load(row_steps, f, k) - before)) * (count / both)
        sums = sums + weights
        store(weight, zero, k, weights)
    scale = spread(np.float32(1.0) / total(sums))
    for k in range(zero, K, lanes):
        after = load(weight, zero, k) * scale
        step = after - load(r, i, k)
        store(r, i, k, after)
        store(row_steps, f, k, load(row_steps, f, k) + step)
        store(column_steps, own, k, load(column_steps, own, k) + step)


@inner_kernel
def _update_group(g, c, turns, r, rows, row_steps, all_column_counts, column_counts, column_steps, weight):
    """Renew the cells of column group g and row block c once."""
    one, two = np.uint64(1), np.uint64(2)
    _, first_column, start, row, place = turns
    first, end = two * first_column[g], two * first_column[g + one]
    for at in range(first, end):
        for k in range(all_column_counts.shape[1]):
            column_counts[at - first, k] = all_column_counts[at, k]
            column_steps[at - first, k] = 0.0
    segment = c * np.uint64(first_column.size - 1) + g
    for i in range(start[segment], start[segment + one]):
        own, f = np.uint64(place[i]), np.uint64(row[i])
        _update_cell(i, f, own, own ^ one, r, rows, row_steps, column_counts, column_steps, weight)
    for at in range(first, end):
        for k in range(all_column_counts.shape[1]):
            all_column_counts[at, k] += column_steps[at - first, k]


def _updates(turns, r, rows, column_counts, n_iter):
    B = turns.block_start.size - 1
    K = r.shape[1]
    row_steps = np.zeros(rows.shape, np.float32)
    for _ in range(n_iter):
        base = rows.astype(np.float32)
        for round_ in range(B):
            for b in prange(B):
                c = np.uint64((b + round_) % B)
                group_counts = np.empty((2 * COLUMNS_AT_ONCE, K), np.float32)
                steps, weight = np.empty_like(group_counts), np.empty((1, K), np.float32)
                for g in range(np.uint64(turns.block_start[b]), turns.block_start[b + 1]):
                    _update_group(g, c, turns, r, base, row_steps, column_counts, group_counts, steps, weight)
        rows += row_steps
        row_steps[:] = 0.0


_updates_serial, _updates_parallel = serial_and_parallel(_updates)
