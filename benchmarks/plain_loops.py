"""The plain loops over components: eqs. (25) and (59)-(61) as they are written, compiled.

They are what the sparse kernels are compared with: the same model, layout in memory and random
numbers, all K weights of every cell. CVB0 is dense by nature; the plain loop of Dir-Dir's goes row
by row with counts in float64, without lanes, turns or prefetching.
"""

import numba
import numpy as np

from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.numerics.random import generator_states, uniform


@numba.njit(error_model="numpy")
def plain_beta_dir(rows, columns, values, z, L, A, M, alpha, beta, gamma, generator, n_sweeps):
    """Sweep eq. (25) as it is written: all K weights of every cell."""
    K = L.shape[1]
    cumulative = np.empty(K)
    for _ in range(n_sweeps):
        for i in range(rows.size):
            f, n, v, k = rows[i], columns[i], values[i], z[i]
            L[f, k] -= 1
            A[n, k] -= v
            M[n, k] -= 1
            total = 0.0
            for k in range(K):
                fit = alpha + A[n, k] if v == 1 else beta + M[n, k] - A[n, k]
                total += (gamma + L[f, k]) * fit / (alpha + beta + M[n, k])
                cumulative[k] = total
            k = min(np.searchsorted(cumulative, uniform(generator) * total, side="right"), K - 1)
            z[i] = k
            L[f, k] += 1
            A[n, k] += v
            M[n, k] += 1


@numba.njit(error_model="numpy")
def plain_dir_dir(rows, columns, values, z, c, L, Q, gamma, eta, generator, n_sweeps):
    """Sweep eqs. (59)-(61) as they are written: all K weights of every cell."""
    K = L.shape[1]
    cumulative = np.empty(K)
    for _ in range(n_sweeps):
        for i in range(rows.size):
            f, n = rows[i], columns[i]
            L[f, z[i]] -= 1
            total = 0.0
            if values[i] == 1:
                Q[n, c[i]] -= 1
                for k in range(K):
                    total += (gamma + L[f, k]) * (eta + Q[n, k])
                    cumulative[k] = total
                u = uniform(generator) * total
                z[i] = c[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
            else:
                for k in range(K):
                    total += (gamma + L[f, k]) * (k != c[i])
                    cumulative[k] = total
                u = uniform(generator) * total
                z[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
                Q[n, c[i]] -= 1
                total = 0.0
                for k in range(K):
                    total += (eta + Q[n, k]) * (k != z[i])
                    cumulative[k] = total
                u = uniform(generator) * total
                c[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
            L[f, z[i]] += 1
            Q[n, c[i]] += 1


@numba.njit(error_model="numpy", fastmath=True)
def plain_dir_dir_cvb0(rows, columns, values, rz, rc, a, b, n_iter):
    """Renew q(z) and q(c) of every cell as models.dir_dir.conditional does a pair's distribution.

    a : float array (F, K), γ + E[L]
    b : float array (N, K), η + E[Q]
    """
    K = a.shape[1]
    for _ in range(n_iter):
        for i in range(rows.size):
            f, n = rows[i], columns[i]
            sum_a = sum_b = both = 0.0
            for k in range(K):
                a[f, k] -= rz[i, k]
                b[n, k] -= rc[i, k]
                sum_a += a[f, k]
                sum_b += b[n, k]
                both += a[f, k] * b[n, k]
            is_zero = 1.0 - values[i]
            scale = 1.0 / (is_zero * (sum_a * sum_b - both) + (1.0 - is_zero) * both)
            for k in range(K):
                product = (1.0 - 2.0 * is_zero) * a[f, k] * b[n, k]
                rz[i, k] = (is_zero * a[f, k] * sum_b + product) * scale
                rc[i, k] = (is_zero * b[n, k] * sum_a + product) * scale
            for k in range(K):
                a[f, k] += rz[i, k]
                b[n, k] += rc[i, k]


class PlainBetaDir:
    """A Beta-Dir chain by the plain loop, from the assignments Z, int array (F, N)."""

    def __init__(self, codes, K, alpha, beta, gamma, seed, *, Z):
        self._priors = alpha, beta, gamma
        self._cells = _cells(codes)
        self._z = Z[self._cells[:2]]
        L, A, B = beta_dir.counts(codes, Z, K)
        self._L, self._A, self._M = L, A.T.copy(), (A + B).T.copy()  # a column's counts in a line
        self._generator = generator_states(seed, 1)[0]

    def sweep(self, n_sweeps: int = 1) -> None:
        """Resample every assignment `n_sweeps` times."""
        counts = (self._L, self._A, self._M)
        plain_beta_dir(*self._cells, self._z, *counts, *self._priors, self._generator, n_sweeps)

    def log_joint(self) -> float:
        """Return log p(V, Z) in nats, eqs. (22)-(24)."""
        counts = beta_dir.Counts(self._L, self._A.T, (self._M - self._A).T)
        return beta_dir.log_joint_of_counts(counts, *self._priors)


class PlainDirDir:
    """A Dir-Dir chain by the plain loop, from the assignments Z and C, int arrays (F, N)."""

    def __init__(self, codes, K, gamma, eta, seed, *, Z, C):
        self._priors = gamma, eta
        self._cells = _cells(codes)
        self._z, self._c = Z[self._cells[:2]], C[self._cells[:2]]
        L, Q = dir_dir.counts(Z, C, K)
        self._L, self._Q = L, Q.T.copy()
        self._generator = generator_states(seed, 1)[0]

    def sweep(self, n_sweeps: int = 1) -> None:
        """Resample every pair of assignments `n_sweeps` times."""
        state = (self._z, self._c, self._L, self._Q)
        plain_dir_dir(*self._cells, *state, *self._priors, self._generator, n_sweeps)

    def log_joint(self) -> float:
        """Return log p(V, Z, C) in nats, eqs. (53)-(56)."""
        return dir_dir.log_joint_of_counts(dir_dir.Counts(self._L, self._Q.T), *self._priors)


class PlainDirDirCVB0:
    """CVB0 of Dir-Dir by the plain loop, from the assignments Z and C, int arrays (F, N)."""

    def __init__(self, codes, K, gamma, eta, *, Z, C):
        self._cells = _cells(codes)
        one_hot = np.eye(K, dtype=np.float32)
        self._q = tuple(one_hot[x[self._cells[:2]]] for x in (Z, C))
        L, Q = dir_dir.counts(Z, C, K)
        self._a, self._b = gamma + L, eta + Q.T

    def update(self, n_iter: int = 1) -> None:
        """Renew q(z, c) of every cell `n_iter` times."""
        plain_dir_dir_cvb0(*self._cells, *self._q, self._a, self._b, n_iter)


def _cells(codes):
    """Return row, column and value (int64) of the observed entries, row after row."""
    rows, columns = np.nonzero(codes >= 0)
    return rows, columns, codes[rows, columns].astype(np.int64)
