"""The gamma distributions of a factor given the expected sums of its sources: one pass, no temporary table.

exp Ψ(x) comes from the series of Ψ(y + 1/2) - log y in 1 / y², exponentiated, at x of at least 8:
no logarithm there, and an exponential of minus the shift Ψ(x + 8) - Ψ(x) below.
"""

import math

import numpy as np
from numba import prange

from nbmf.families.poisson_gamma.kernels.sources import FLOOR, shared_index
from nbmf.numerics.compilation import inner_kernel, serial_and_parallel

FLOOR_SINGLE = 1e-18  # of a factor in float32: the product of two is still a number, and so is one over it
SERIES_FROM = 8.0  # of the argument: relative error below 3e-16
# Coefficients of y^-2, y^-4, ... in exp Ψ(y + 1/2) / y.
C1, C2, C3 = 1 / 24, -37 / 5760, 10313 / 2903040
C4, C5 = -5509121 / 1393459200, 2709398569 / 367873228800
C6, C7 = -0.020734675824368137, 0.08238185223878776
C8, C9 = -0.43960443686008127, 3.0348228731805738


@inner_kernel
def exp_digamma(x):
    """Return exp Ψ(x) for x > 0."""
    if x >= SERIES_FROM:
        return _series(x - 0.5)
    # Σ 1 / (x + i), i = 0 .. 7: with t = x (x + 7), (x + i) (x + 7 - i) = t + i (7 - i).
    t = x * (x + 7.0)
    shift = (2.0 * x + 7.0) * (720.0 + t * (504.0 + t * (84.0 + t * 4.0)))
    shift /= t * (720.0 + t * (252.0 + t * (28.0 + t)))
    return _series(x + (SERIES_FROM - 0.5)) * math.exp(-shift)


@inner_kernel
def _series(y):
    r = 1.0 / (y * y)
    high = r * (C6 + r * (C7 + r * (C8 + r * C9)))
    return y * (1.0 + r * (C1 + r * (C2 + r * (C3 + r * (C4 + r * (C5 + high))))))


def renew(S, exposure, shape, rate, L, E, alpha, scale):
    """Set the distributions of a factor from sums and exposure, and with them its means.

    Parameters
    ----------
    S : float64, or float32 as all tables below it (rows, padded)
        Σ of ratios times the other side's L; times L the expected sums of sources.
    exposure : float64 (rows or 1, padded)
    shape, rate : float64 (rows or 1, K or 1)
        Of the priors.
    L, E : float64 or float32 (rows, padded)
        exp E[log w], at least FLOOR (FLOOR_SINGLE), and E[w]; L is read, and both are written to.
    alpha, scale : float64 or float32 (rows, K)
        Shapes and scales; written to.
    """
    K, least = np.uint64(alpha.shape[1]), FLOOR_SINGLE if L.itemsize == 4 else FLOOR
    for row in prange(alpha.shape[0]):
        i = np.uint64(row)
        e, s, r = shared_index(exposure, 0, i), shared_index(shape, 0, i), shared_index(rate, 0, i)
        for place in range(K):
            k = np.uint64(place)
            a = shape[s, shared_index(shape, 1, k)] + np.float64(L[i, k]) * S[i, k]
            b = 1.0 / (rate[r, shared_index(rate, 1, k)] + exposure[e, k])
            alpha[i, k], scale[i, k] = a, b
            E[i, k] = a * b
            L[i, k] = max(exp_digamma(a) * b, least)


renew_serial, renew_parallel = serial_and_parallel(renew)
