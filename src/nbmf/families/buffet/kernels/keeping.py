"""What is kept of a sweep: sums of predictions, the number of features, the best state."""

import math

from nbmf.families.buffet.kernels.numbers import NOISE
from nbmf.families.buffet.kernels.shared import log_normal, log_prior
from nbmf.numerics.compilation import inner_kernel, kernel

SMALL = 1e-150  # of a product of probabilities, before it is put away as a logarithm


@kernel(_nrt=False)
def add_predictions(K, matrix, state, mean, square, fit):
    """Add E[v] of all cells given the state to `mean`, of a Gaussian its square to `square`.

    Return the log-likelihood of a binary matrix (0 for another one). `mean` may have no rows:
    nothing is added then. fit (n,) is room to work in.
    """
    logit, signal, observed = matrix
    B, Z, rows, columns = state.B, state.Z, state.row_effects, state.column_effects
    p, n = signal.shape
    total, product = 0.0, 1.0
    is_kept = mean.shape[0] > 0
    for j in range(p):
        for i in range(n):
            fit[i] = 0.0
        for k in range(K):
            if B[j, k] != 0.0:
                for i in range(n):
                    fit[i] += B[j, k] * Z[k, i]
        if not logit:
            for i in range(n):
                mean[j, i] += fit[i]
                square[j, i] += fit[i] * fit[i]
            continue
        for i in range(n):
            psi = rows[j] + columns[i] + fit[i]
            x = math.exp(-abs(psi))
            larger = 1.0 / (1.0 + x)
            smaller = x * larger
            if is_kept:
                mean[j, i] += larger if psi > 0.0 else smaller
            if observed[j, i]:
                is_larger = (psi > 0.0) == (signal[j, i] > 0.0)
                if is_larger or x > SMALL:
                    product *= larger if is_larger else smaller
                else:
                    total -= abs(psi)  # the logarithm of `smaller`, which may be too small
                if product < SMALL:
                    total += math.log(product)
                    product = 1.0
    return total + math.log(product)


@inner_kernel
def add_covariance(K, B, covariance):
    """Add BB' to `covariance` (p, p), which may have no rows: nothing is added then. Loadings are mostly 0."""
    for j in range(covariance.shape[0]):
        for k in range(K):
            if B[j, k] != 0.0:
                for other in range(covariance.shape[0]):
                    covariance[j, other] += B[j, k] * B[other, k]


@inner_kernel
def log_joint(K, likelihood, squares, cells, matrix, state, prior):
    """Return the log joint density of data and state.

    likelihood : the log-likelihood of a binary matrix
    squares, cells : as for shared.draw_numbers, of a Gaussian one
    """
    if not matrix.logit:
        likelihood = log_normal(cells, squares, state.numbers[NOISE])
    return likelihood + log_prior(K, matrix.logit, state, prior)


@inner_kernel
def keep_if_best(now, K, state, best):
    """Copy the state if its log joint is the highest so far."""
    if not now > best.log_joint[0]:
        return
    best.log_joint[0], best.size[0] = now, K
    for j in range(state.B.shape[0]):
        for k in range(K):
            best.B[j, k] = state.B[j, k]
        best.row_effects[j] = state.row_effects[j]
    for i in range(state.Z.shape[1]):
        for k in range(K):
            best.Z[k, i] = state.Z[k, i]
        best.column_effects[i] = state.column_effects[i]
    for number in range(state.numbers.size):
        best.numbers[number] = state.numbers[number]


@inner_kernel
def keep_sweep(K, squares, cells, matrix, state, prior, kept, best, fit):
    """Add the state to the sums, and copy it if it is the best; see log_joint. fit (n,) is room."""
    likelihood = add_predictions(K, matrix, state, kept.mean, kept.square, fit)
    now = log_joint(K, likelihood, squares, cells, matrix, state, prior)
    keep_if_best(now, K, state, best)
    add_covariance(K, state.B, kept.covariance)
    for number in range(state.numbers.size):
        kept.numbers[number] += state.numbers[number]
    kept.sizes[kept.count[0]] = K
    kept.count[0] += 1
