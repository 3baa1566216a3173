"""What is kept of a sweep: sums of predictions, the number of features, the best state."""

import math

from nbmf.families.buffet.kernels.numbers import NOISE
from nbmf.families.buffet.kernels.shared import log_normal, log_prior
from nbmf.numerics.compilation import inner_kernel

SMALL = 1e-150  # of a product of probabilities, before it is put away as a logarithm


@inner_kernel
def add_predictions(p, n, K, logit, signal, observed, B, Z, effects, mean, square, fit):
    """Add E[v] of all cells given the state to `mean`, of a Gaussian its square to `square`.

    Return the log-likelihood of a binary matrix (0 for another one). `mean` may have no rows:
    nothing is added then.
    """
    rows, columns = effects
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
def log_joint(p, n, K, logit, likelihood, squares, cells, B, Z, takers, effects, log_weights, reach, numbers, priors):
    """Return the log joint density: `likelihood` of a binary matrix, `squares` of a Gaussian."""
    if not logit:
        likelihood = log_normal(cells, squares, numbers[NOISE])
    return likelihood + log_prior(p, n, K, logit, B, Z, takers, effects, log_weights, reach, numbers, priors)


@inner_kernel
def keep_if_best(now, p, n, K, B, Z, effects, numbers, best):
    """Copy the state if its log joint is the highest so far."""
    score, size, best_B, best_Z, best_rows, best_columns, best_numbers = best
    if not now > score[0]:
        return
    score[0], size[0] = now, K
    for j in range(p):
        for k in range(K):
            best_B[j, k] = B[j, k]
        best_rows[j] = effects[0][j]
    for i in range(n):
        for k in range(K):
            best_Z[k, i] = Z[k, i]
        best_columns[i] = effects[1][i]
    for number in range(numbers.size):
        best_numbers[number] = numbers[number]
