"""Sums over counts from which hyperparameters are learned (equations: beta_dirichlet.learning)."""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.lanes import LANES, load, spread, store

SURELY_ONE = 1e-3  # an expected count below it is almost always 0, else 1
LARGEST_FACTORS = 32  # counts up to here are multiplied out; beyond, a gamma function is faster
LARGEST_PRODUCT = 1e250


@kernel
def chances_of_zero(columns, place, r, none):
    """Multiply `none` (2 N, width) by 1 - r over the cells: the chance that a count is zero.

    Parameters
    ----------
    columns : int array (cells,)
        Column n of each cell.
    place : uint8 array (cells,)
        Its value in the last bit; the row of the cell in `none` is 2 n + v.
    r : float32 array (cells, width)
        Responsibilities, width a multiple of LANES.
    none : float32 array (2 N, width)
        Ones at first.
    """
    K, lanes, zero = np.uint64(r.shape[1]), np.uint64(LANES), np.uint64(0)
    one = spread(np.float32(1.0))
    for i in range(np.uint64(columns.size)):
        row = np.uint64(2) * np.uint64(columns[i]) + np.uint64(place[i] & np.uint8(1))
        for k in range(zero, K, lanes):
            store(none, row, k, load(none, row, k) * (one - load(r, i, k)))


@inner_kernel
def digamma(x):
    """Return ψ(x) for x > 0, to 1e-12: by its recurrence up to 6 and its asymptotic series."""
    below = 0.0
    while x < 6.0:
        below += 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    series = 1 / 240 - f * (1 / 132 - f * 691 / 32760)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * series)))
    return math.log(x) - 0.5 / x - series - below


@inner_kernel
def _expected_difference(x, at_x, count, none):
    """Return E[ψ(x + n) - ψ(x)] of a count n with mean `count` that is 0 with chance `none`."""
    if count < SURELY_ONE:
        return count / x  # ψ(x + 1) - ψ(x) = 1 / x
    some = min(max(np.float64(1.0) - none, SURELY_ONE), count)  # n >= 1 unless it is 0
    return some * (digamma(x + count / some) - at_x)


@kernel
def expected_digammas(column_counts, prior, none, alpha, beta, sums):
    """Write Σ_k of E[ψ(α + A) - ψ(α)], of the same with β and B, and with α + β and A + B.

    Parameters
    ----------
    column_counts, prior : float64 array (2 N, width), and one that broadcasts to (N, 2, width)
        Row 2 n has the expected counts B of column n with their prior added, 2 n + 1 those of A.
    none : float32 array (2 N, width)
        The chance that a count is zero.
    alpha, beta : float arrays (N,)
        Their columns in the order of `column_counts`.
    sums : float array (3, N)
        Output.
    """
    for n in range(alpha.size):
        at_alpha, at_beta = digamma(alpha[n]), digamma(beta[n])
        both = alpha[n] + beta[n]
        at_both = digamma(both)
        sums[:, n] = 0.0
        for k in range(prior.shape[2]):
            B = max(column_counts[2 * n, k] - prior[n % prior.shape[0], 0, k], 0.0)
            A = max(column_counts[2 * n + 1, k] - prior[n % prior.shape[0], 1, k], 0.0)
            none_B, none_A = none[2 * n, k], none[2 * n + 1, k]
            sums[0, n] += _expected_difference(alpha[n], at_alpha, A, none_A)
            sums[1, n] += _expected_difference(beta[n], at_beta, B, none_B)
            sums[2, n] += _expected_difference(both, at_both, A + B, none_A * none_B)


@kernel
def log_rising_sum(counts, prior):
    """Return Σ log Γ(x_n + c_kn) - log Γ(x_n), in nats.

    Small counts are multiplied out, x (x + 1) ... (x + c - 1), with a logarithm now and then.

    Parameters
    ----------
    counts : int array (rows, n)
    prior : float array (n,)
        x, positive.
    """
    total, product = 0.0, 1.0
    for n in range(prior.size):
        x = prior[n]
        at_x = math.lgamma(x)
        for row in range(counts.shape[0]):
            c = counts[row, n]
            if c > LARGEST_FACTORS:
                total += math.lgamma(x + c) - at_x
                continue
            for j in range(c):
                product *= x + j
                if product > LARGEST_PRODUCT or product < 1.0 / LARGEST_PRODUCT:
                    total += math.log(product)
                    product = 1.0
    return total + math.log(product)
