"""Rows that move, cell by cell and by dense matrices: the reference implementation of paths.

The path of a row over all its periods is one normal vector: its precision is that of a random walk and what the cells
add. Drawn by its Cholesky factor from the last number back, it takes normal numbers in the order in which filtering
and sampling backward does.
"""

import math

import numpy as np
from scipy import stats


def walk_precision(T, first, D, variances):
    """Return the precision (T D, T D) of a path: N(0, I) in period `first`, steps of `variances` (T - 1,) both ways."""
    Q = np.zeros((T, T))
    Q[first, first] = 1.0
    for t, v in enumerate(variances):
        Q[t : t + 2, t : t + 2] += np.array([[1, -1], [-1, 1]]) / v
    return np.kron(Q, np.eye(D))


def joint(first, last, variances, cells, D):
    """Return precision and linear part of a row's path from `first` to `last`, (n D, n D) and (n D,).

    variances : of the steps between all periods
    cells : list of (period, κ, ω, offset, x), x of length D
    """
    n = last - first + 1
    P, b = walk_precision(n, 0, D, variances[first:last]), np.zeros(n * D)
    for period, kappa, omega, offset, x in cells:
        here = slice((period - first) * D, (period - first + 1) * D)
        P[here, here] += omega * np.outer(x, x)
        b[here] += (kappa - omega * offset) * np.asarray(x)
    return P, b


def draw_path(P, b, normals):
    """Return a draw from N(P⁻¹ b, P⁻¹), which takes normal numbers from an iterator for the last number first."""
    epsilon = np.array([next(normals) for _ in b])[::-1]
    return np.linalg.solve(P, b) + np.linalg.solve(np.linalg.cholesky(P).T, epsilon)


def walk_on(path, first, last, variances, normals):
    """Write positions after `last`, then those before `first` from the nearest on, to path (T, D)."""
    T, D = path.shape
    for t in range(last + 1, T):
        path[t] = path[t - 1] + math.sqrt(variances[t - 1]) * np.array([next(normals) for _ in range(D)])
    for t in range(first - 1, -1, -1):
        path[t] = path[t + 1] + math.sqrt(variances[t]) * np.array([next(normals) for _ in range(D)])


def log_likelihood(path, cells):
    """Return log p(v | ψ, ω) of a row's cells but for what depends on ω alone; path (T, D)."""
    total = 0.0
    for period, kappa, omega, offset, x in cells:
        psi = offset + path[period] @ x
        total += kappa * psi - 0.5 * omega * psi**2
    return total


def log_prior(path, first, last, variances):
    """Return log p(path) in its span."""
    total = stats.norm.logpdf(path[first]).sum()
    for t in range(first, last):
        total += stats.norm.logpdf(path[t + 1], path[t], math.sqrt(variances[t])).sum()
    return total


def prior_path(T, first, D, variances, rng):
    """Return a draw of a path over all periods, (T, D)."""
    path = np.empty((T, D))
    path[first] = rng.standard_normal(D)
    walk_on(path, first, first, variances, iter(lambda: rng.standard_normal(), None))
    return path
