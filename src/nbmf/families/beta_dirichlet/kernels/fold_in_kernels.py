"""Fold-in: CVB0 of new rows, of V or of its transpose, given the other factor (equations: beta_dirichlet.fold_in).

A row is swept alone, from a start of its own, until its mean stands still: it depends on no
other row, and only its responsibilities are in memory, 8 bytes per entry and component.
"""

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel

# Indices are unsigned: numba then spares the check for negative ones, which triples the time.
# Sums over components may be taken in any order: eight at a time instead of one by one.
REORDER = {"reassoc", "contract", "nsz", "nnan", "ninf"}
# Steps of weights are that much longer than to the new value (successive over-relaxation): the
# fixed points are the same. Rows of paleo, K = 100, take 51 sweeps (median) instead of 367.
RELAXATION = 1.8


@kernel
def dirichlet_rows(codes, likelihood, prior, times, tolerance, max_sweeps, mean):
    """Write the means of the weights of each row to `mean`; return the sweeps each has taken.

    Parameters
    ----------
    codes : int8 array (rows, entries)
        1, 0, -1 (missing).
    likelihood : float array (2, entries, K)
        Of the values 0 and 1 of each entry, given its component.
    prior : float array (K,)
        Dirichlet hyperparameters of the weights.
    times : float array (K,)
        How many identical components each stands for.
    tolerance : float
        Stop when no mean has moved by more in a sweep.
    max_sweeps : int
        Stop after so many, besides the first, which makes the start.
    mean : float array (rows, K)
        Output.
    """
    rows, entries, K = codes.shape[0], np.uint64(codes.shape[1]), prior.size
    r = np.empty((entries, K))
    count, before, weight = np.empty(K), np.empty(K), np.empty(K)
    sweeps = np.zeros(rows, np.int64)
    for row in range(rows):
        total = np.dot(times, prior) + np.count_nonzero(codes[row] >= 0)
        r[:] = 0.0
        count[:] = prior
        moved = np.inf
        while moved > tolerance and sweeps[row] <= max_sweeps:
            before[:] = count
            # In the first sweep, the start, no entry sees another.
            first = sweeps[row] == 0
            seen, relaxation = (before, 1.0) if first else (count, RELAXATION)
            for n in range(np.uint64(0), entries):
                if codes[row, n] >= 0:
                    of_value = likelihood[np.uint64(codes[row, n])]
                    _renew_weight(seen, count, r, n, of_value, times, relaxation, weight)
            moved = np.abs(count - before).max() / total
            sweeps[row] += 1
        mean[row] = count / np.dot(times, count)
    return sweeps


@inner_kernel(fastmath=REORDER)
def _renew_weight(seen, count, r, n, likelihood, times, relaxation, weight):
    """Renew q(z_n) ∝ (seen - q_n) likelihood_n by a step of `relaxation`, and the counts."""
    zero, K = np.uint64(0), np.uint64(weight.size)
    for k in range(zero, K):
        weight[k] = (seen[k] - r[n, k]) * likelihood[n, k]
    scale = 1.0 / _weighted_sum(times, weight)
    for k in range(zero, K):
        q = weight[k] * scale
        renewed = max(r[n, k] + relaxation * (q - r[n, k]), 0.1 * q)  # stays positive
        count[k] += renewed - r[n, k]
        r[n, k] = renewed


@inner_kernel(fastmath=REORDER)
def _weighted_sum(times, weight):
    """Return Σ times weight.

    It writes nothing: a loop that did would have a vector and a scalar version, and the distance of
    its arrays in memory, which changes from call to call, would decide which sum is taken.
    """
    total = 0.0
    for k in range(np.uint64(weight.size)):
        total += times[k] * weight[k]
    return total


@kernel
def beta_rows(codes, mixture, prior, of_rows, times, tolerance, max_sweeps, mean):
    """Write the means of the probabilities of each row to `mean`; return the sweeps taken.

    Parameters
    ----------
    codes, times, tolerance, max_sweeps, mean
        As for `dirichlet_rows`.
    mixture : float array (entries, K)
        The weights of the components in each entry.
    prior : float array (2, K)
        Beta hyperparameters, those of zeros (beta) first.
    of_rows : float array (rows, 2)
        Factors of them that belong to a row.
    """
    rows, entries, K = codes.shape[0], np.uint64(codes.shape[1]), mixture.shape[1]
    r = np.empty((entries, K))
    count, before, weight = np.empty((2, K)), np.empty((2, K)), np.empty(K)
    sweeps = np.zeros(rows, np.int64)
    for row in range(rows):
        r[:] = 0.0
        for v in range(2):
            count[v] = prior[v] * of_rows[row, v]
        mean[row] = count[1] / (count[0] + count[1])
        moved = np.inf
        while moved > tolerance and sweeps[row] <= max_sweeps:
            before[:] = count
            seen = before if sweeps[row] == 0 else count
            for n in range(np.uint64(0), entries):
                if codes[row, n] >= 0:
                    v = np.uint64(codes[row, n])
                    _renew_probability(seen, count, v, r, n, mixture, times, weight)
            moved = 0.0
            for k in range(K):
                h = count[1, k] / (count[0, k] + count[1, k])
                moved = max(moved, abs(h - mean[row, k]))
                mean[row, k] = h
            sweeps[row] += 1
    return sweeps


@inner_kernel(fastmath=REORDER)
def _renew_probability(seen, count, v, r, n, mixture, times, weight):
    """Renew q(z_n) ∝ mixture_n (seen_v - q_n) / (seen_0 + seen_1 - q_n), and the counts."""
    zero, K = np.uint64(0), np.uint64(weight.size)
    other = v ^ np.uint64(1)
    for k in range(zero, K):
        of_value = seen[v, k] - r[n, k]
        weight[k] = mixture[n, k] * of_value / (of_value + seen[other, k])
    scale = 1.0 / _weighted_sum(times, weight)
    for k in range(zero, K):
        q = weight[k] * scale
        count[v, k] += q - r[n, k]
        r[n, k] = q
