"""Collapsed variational inference of the Beta-Dir model, CVB0 (paper, section 4.3).

Eq. (36) replaces each count of eq. (25) by its expectation under q(Z) without the cell itself.
Every observed entry keeps its responsibilities r_k = q(z = k) in float32, the expected counts are
float64: a sweep is bound by memory traffic. Cells are visited column by column, so that the
tables of a column stay in the fastest cache.
"""

import numpy as np
from numba import prange

from nbmf.kernels.cells import layout, random_assignments
from nbmf.kernels.compilation import kernel
from nbmf.kernels.threads import run_with_threads
from nbmf.models.beta_dir import Counts


class BetaDirCVB0:
    """The variational distribution q(Z) of the Beta-Dir model and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components.
    alpha, beta, gamma : float or array (K,)
        Beta and Dirichlet hyperparameters.
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
        self._shape, self._threads = codes.shape, threads
        self._cells = layout(codes.T, n_blocks)
        self._columns = self._cells.line_of_cell()
        z = Z[self._cells.cross, self._columns]
        self._r = np.zeros((z.size, K), np.float32)
        self._r[np.arange(z.size), z] = 1.0
        self._prior = np.stack([np.broadcast_to(value, K) for value in (beta, alpha)]).astype(float)
        self._gamma = np.broadcast_to(gamma, K).astype(float)
        F, N = codes.shape
        L = np.bincount(self._cells.cross * np.int64(K) + z, minlength=F * K)
        self._L = L.reshape(F, K).astype(float)
        lines = 2 * self._columns + self._cells.value
        self._column_counts = np.bincount(lines * K + z, minlength=2 * N * K).astype(float)
        self._column_counts = self._column_counts.reshape(N, 2, K)

    def update(self, n_iter: int = 1) -> None:
        """Apply eq. (36) to every observed entry `n_iter` times."""
        arguments = (
            *(self._cells, self._r, self._L, self._column_counts),
            *(self._prior, self._gamma, n_iter),
        )
        run_with_threads(_updates_serial, _updates_parallel, self._threads, arguments)

    @property
    def responsibilities(self) -> np.ndarray:
        """E[z_fn], float32 array (F, N, K), zeros where missing. It is made at every call."""
        responsibilities = np.zeros((*self._shape, self._gamma.size), np.float32)
        responsibilities[self._cells.cross, self._columns] = self._r
        return responsibilities

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        return Counts(
            L=self._L.copy(), A=self._column_counts[:, 1].T.copy(), B=self._column_counts[:, 0].T.copy()
        )


# Sums over components may be reordered here: nothing is compared with a random number, and the
# order is fixed at compilation, so results still repeat.
@kernel(fastmath={"reassoc", "contract", "nsz", "arcp"})
def _update_cell(r, L, own, other, prior_own, prior_other, gamma, weight):
    """Renew one cell: r (K,) its responsibilities, `own` and `other` the counts of its column."""
    total = np.float32(0.0)
    for k in range(r.size):
        numerator = prior_own[k] + own[k] - r[k]
        row = np.float32(gamma[k] + L[k] - r[k])
        share = np.float32(numerator) / np.float32(numerator + (prior_other[k] + other[k]))
        # Rounding in float32 must not leave a count below zero.
        weight[k] = max(row * share, np.float32(0.0))
        total += weight[k]
    scale = np.float32(1.0) / total
    for k in range(r.size):
        new = weight[k] * scale
        step = np.float64(new) - np.float64(r[k])
        r[k] = new
        L[k] += step
        own[k] += step


@kernel
def _update_block(b, c, cells, r, L, column_counts, prior, gamma, weight):
    """Renew the cells of column block b and row block c once."""
    line_order, block_start, start, cross, value = cells
    B = block_start.size - 1
    for j in range(block_start[b], block_start[b + 1]):
        n = line_order[j]
        for i in range(start[n * B + c], start[n * B + c + 1]):
            v = value[i]
            _update_cell(
                r[i], L[cross[i]], column_counts[n, v], column_counts[n, 1 - v],
                prior[v], prior[1 - v], gamma, weight,
            )  # fmt: skip


def _updates(cells, r, L, column_counts, prior, gamma, n_iter):
    B = cells.block_start.size - 1
    for _ in range(n_iter):
        for round_ in range(B):
            for b in prange(B):
                _update_block(
                    b, (b + round_) % B, cells, r, L, column_counts, prior, gamma,
                    np.empty(gamma.size, np.float32),
                )  # fmt: skip


_updates_serial = kernel(_updates)
_updates_parallel = kernel(_updates, parallel=True)
