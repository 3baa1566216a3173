"""Fold-in: CVB0 of new lines given the other factor (equations: beta_dirichlet.fold_in).

A line is swept alone, from a start of its own, until its mean stands still: it depends on no
other line, and only its responsibilities are in memory, 8 bytes per entry and component.
"""

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel

# Indices are unsigned: numba then spares the check for negative ones, which triples the time.
# Sums over components may be taken in any order: eight at a time instead of one by one.
REORDER = {"reassoc", "contract", "nsz", "nnan", "ninf"}
# Steps of weights are that much longer than to the new value (successive over-relaxation): the
# fixed points are the same. Lines of paleo, K = 100, take 51 sweeps (median) instead of 367.
RELAXATION = 1.8


@kernel
def dirichlet_lines(codes, likelihood, prior, times, tolerance, max_sweeps, mean):
    """Write the means of the weights of each line to `mean`; return the sweeps each has taken.

    Parameters
    ----------
    codes : int8 array (lines, entries)
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
    mean : float array (lines, K)
        Output.
    """
    lines, entries, K = codes.shape[0], np.uint64(codes.shape[1]), prior.size
    r = np.empty((entries, K))
    count, before, weight = np.empty(K), np.empty(K), np.empty(K)
    sweeps = np.zeros(lines, np.int64)
    for line in range(lines):
        total = np.dot(times, prior) + np.count_nonzero(codes[line] >= 0)
        r[:] = 0.0
        count[:] = prior
        moved = np.inf
        while moved > tolerance and sweeps[line] <= max_sweeps:
            before[:] = count
            # In the first sweep, the start, no entry sees another.
            first = sweeps[line] == 0
            seen, relaxation = (before, 1.0) if first else (count, RELAXATION)
            for n in range(np.uint64(0), entries):
                if codes[line, n] >= 0:
                    of_value = likelihood[np.uint64(codes[line, n])]
                    _renew_weight(seen, count, r, n, of_value, times, relaxation, weight)
            moved = np.abs(count - before).max() / total
            sweeps[line] += 1
        mean[line] = count / np.dot(times, count)
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
def beta_lines(codes, mixture, prior, of_lines, times, tolerance, max_sweeps, mean):
    """Write the means of the probabilities of each line to `mean`; return the sweeps taken.

    Parameters
    ----------
    codes, times, tolerance, max_sweeps, mean
        As for `dirichlet_lines`.
    mixture : float array (entries, K)
        The weights of the components in each entry.
    prior : float array (2, K)
        Beta hyperparameters, those of zeros (beta) first.
    of_lines : float array (lines, 2)
        Factors of them that belong to a line.
    """
    lines, entries, K = codes.shape[0], np.uint64(codes.shape[1]), mixture.shape[1]
    r = np.empty((entries, K))
    count, before, weight = np.empty((2, K)), np.empty((2, K)), np.empty(K)
    sweeps = np.zeros(lines, np.int64)
    for line in range(lines):
        r[:] = 0.0
        for v in range(2):
            count[v] = prior[v] * of_lines[line, v]
        mean[line] = count[1] / (count[0] + count[1])
        moved = np.inf
        while moved > tolerance and sweeps[line] <= max_sweeps:
            before[:] = count
            seen = before if sweeps[line] == 0 else count
            for n in range(np.uint64(0), entries):
                if codes[line, n] >= 0:
                    v = np.uint64(codes[line, n])
                    _renew_probability(seen, count, v, r, n, mixture, times, weight)
            moved = 0.0
            for k in range(K):
                h = count[1, k] / (count[0, k] + count[1, k])
                moved = max(moved, abs(h - mean[line, k]))
                mean[line, k] = h
            sweeps[line] += 1
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
