"""Collapsed variational inference of the Beta-Dir model, CVB0 (paper, section 4.3).

Eq. (36) replaces each count of eq. (25) by its expectation under q(Z) without the cell itself.
Every observed entry keeps its responsibilities r_k = q(z = k) in float32: a sweep is bound by
memory traffic. Cells are visited column by column, so that the tables of a column stay in the
fastest cache, and the responsibilities some cells ahead are prefetched. The expected counts are
float64; a sweep adds its steps to them, a column's after its cells, a row's at the end.
"""

import numpy as np
from numba import prange

from nbmf.kernels.cells import Deal, layout, random_assignments
from nbmf.kernels.compilation import inner_kernel, serial_and_parallel
from nbmf.kernels.prefetch import LINE_BYTES, prefetch
from nbmf.kernels.threads import run_with_threads
from nbmf.models.beta_dir import Counts

FLOATS_PER_LINE = LINE_BYTES // 4
FLOATS_AHEAD = 1600  # how far ahead of the current cell responsibilities are prefetched


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
        self._deal = Deal.of(*codes.shape, n_blocks)
        codes, Z = self._deal.apply(codes), self._deal.apply(Z)
        self._cells = layout(codes.T, self._deal.n_blocks)
        self._columns = self._cells.line_of_cell()
        z = Z[self._cells.cross, self._columns]
        self._r = np.zeros((z.size, K), np.float32)
        self._r[np.arange(z.size), z] = 1.0
        self._gamma = np.broadcast_to(gamma, K).astype(float)
        self._prior = np.stack([np.broadcast_to(value, K) for value in (beta, alpha)]).astype(float)
        # Expected counts with their priors already added, as eq. (36) uses them: row f, and line
        # 2 n + v for the value v of column n.
        F, N = codes.shape
        L = np.bincount(self._cells.cross * np.int64(K) + z, minlength=F * K)
        self._rows = self._gamma + L.reshape(F, K)
        lines = 2 * self._columns + self._cells.value
        by_value = np.bincount(lines * K + z, minlength=2 * N * K).reshape(N, 2, K)
        self._lines = (self._prior + by_value).reshape(2 * N, K)

    def update(self, n_iter: int = 1) -> None:
        """Apply eq. (36) to every observed entry `n_iter` times."""
        arguments = (self._cells, self._r, self._rows, self._lines, n_iter)
        run_with_threads(_updates_serial, _updates_parallel, self._threads, arguments)

    @property
    def responsibilities(self) -> np.ndarray:
        """E[z_fn], float32 array (F, N, K), zeros where missing. It is made at every call."""
        responsibilities = np.zeros((*self._shape, self._gamma.size), np.float32)
        responsibilities[self._cells.cross, self._columns] = self._r
        return self._deal.undo(responsibilities)

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        by_value = self._lines.reshape(-1, *self._prior.shape) - self._prior
        return Counts(
            L=self._deal.undo_rows(self._rows - self._gamma),
            A=self._deal.undo_columns(by_value[:, 1].T),
            B=self._deal.undo_columns(by_value[:, 0].T),
        )


# Sums over components may be reordered here: nothing is compared with a random number, and the
# order is fixed at compilation, so results still repeat. The arrays come whole, with indices:
# a slice per cell would cost as much as the arithmetic.
@inner_kernel(fastmath={"reassoc", "contract", "nsz", "arcp"})
def _update_cell(i, f, own, other, r, rows, row_steps, column, column_steps, weight):
    """Renew the responsibilities of cell i in row f of a column; `own` is its value, 0 or 1.

    Counts are a base plus the steps taken since, both float32: the eight lanes of a vector unit
    instead of the four of float64. Steps are small, so their sum keeps its precision.
    """
    K = np.uint64(r.shape[1])
    ahead = np.uint64(1) + np.uint64(FLOATS_AHEAD) // K
    for k in range(np.uint64(0), K, np.uint64(FLOATS_PER_LINE)):
        prefetch(r, i + ahead, k)
    total = np.float32(0.0)
    for k in range(K):
        count = column[own, k] + (column_steps[own, k] - r[i, k])
        both = count + (column[other, k] + column_steps[other, k])
        weight[k] = (rows[f, k] + (row_steps[f, k] - r[i, k])) * (count / both)
        total += weight[k]
    scale = np.float32(1.0) / total
    for k in range(K):
        new = weight[k] * scale
        step = new - r[i, k]
        r[i, k] = new
        row_steps[f, k] += step
        column_steps[own, k] += step


@inner_kernel
def _update_block(b, c, cells, r, rows, row_steps, lines, column, column_steps, weight):
    """Renew the cells of column block b and row block c once."""
    one, two = np.uint64(1), np.uint64(2)
    block_start, start, cross, value = cells
    B = np.uint64(block_start.size - 1)
    for n in range(np.uint64(block_start[b]), np.uint64(block_start[b + one])):
        for v in range(two):
            for k in range(lines.shape[1]):
                column[v, k] = lines[two * n + v, k]
                column_steps[v, k] = 0.0
        for i in range(start[n * B + c], start[n * B + c + one]):
            v, f = np.uint64(value[i]), np.uint64(cross[i])
            _update_cell(i, f, v, one - v, r, rows, row_steps, column, column_steps, weight)
        for v in range(two):
            for k in range(lines.shape[1]):
                lines[two * n + v, k] += column_steps[v, k]


def _updates(cells, r, rows, lines, n_iter):
    B = cells.block_start.size - 1
    K = r.shape[1]
    row_steps = np.zeros(rows.shape, np.float32)
    for _ in range(n_iter):
        base = rows.astype(np.float32)
        for round_ in range(B):
            for b in prange(B):
                c = np.uint64((b + round_) % B)
                column, column_steps = np.empty((2, K), np.float32), np.empty((2, K), np.float32)
                weight = np.empty(K, np.float32)
                _update_block(
                    np.uint64(b), c, cells, r, base, row_steps, lines, column, column_steps, weight
                )
        rows += row_steps
        row_steps[:] = 0.0


_updates_serial, _updates_parallel = serial_and_parallel(_updates)
