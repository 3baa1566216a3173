"""What both kernels do at the end of a sweep: scales, variances, mass, and what is kept."""

import math

from nbmf.families.buffet.kernels.conditionals import draw_mass, draw_scale, draw_variance
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.numerics.compilation import inner_kernel

LOG_2PI = math.log(2.0 * math.pi)


@inner_kernel
def sum_of_squares(x, size):
    """Return Σ x² of the first `size` numbers."""
    total = 0.0
    for i in range(size):
        total += x[i] * x[i]
    return total


@inner_kernel
def set_norms(p, K, B, norms):
    """Set norms[k] to ‖b_k‖²."""
    for k in range(K):
        norms[k] = 0.0
    for j in range(p):
        for k in range(K):
            norms[k] += B[j, k] * B[j, k]


@inner_kernel
def move_scales(p, n, K, B, Z, takers, numbers, norms, generator):
    """Move each column between its loadings and its scores by one Metropolis step.

    norms[k] is ‖b_k‖² afterwards.
    """
    set_norms(p, K, B, norms)
    for k in range(K):
        a, b = norms[k] / numbers[SLAB], sum_of_squares(Z[k], n)
        factor = draw_scale(a, b, takers[k], n, generator)
        if factor != 1.0:
            norms[k] *= factor * factor
            for j in range(p):
                B[j, k] *= factor
            for i in range(n):
                Z[k, i] /= factor


@inner_kernel
def draw_numbers(p, n, K, logit, norms, takers, effects, squares, cells, reach, numbers, priors, generator):
    """Draw variances and mass; `squares` is the sum of squared residuals of `cells` values."""
    if logit:
        rows, columns = effects
        draw_variance(ROW_EFFECT, p, sum_of_squares(rows, p), numbers, priors, generator)
        draw_variance(COLUMN_EFFECT, n, sum_of_squares(columns, n), numbers, priors, generator)
    else:
        draw_variance(NOISE, cells, squares, numbers, priors, generator)
    loadings, taken = 0.0, 0
    for k in range(K):
        loadings += norms[k]
        taken += takers[k]
    draw_variance(SLAB, taken, loadings, numbers, priors, generator)
    draw_mass(MASS, K, reach, numbers, priors, generator)


@inner_kernel
def log_normal(count, squares, variance):
    """Return the log density of `count` normal variates around 0 with that sum of squares."""
    return -0.5 * (count * (LOG_2PI + math.log(variance)) + squares / variance)


@inner_kernel
def log_prior(p, n, K, logit, B, Z, takers, effects, log_weights, reach, numbers, priors):
    """Return the log prior density of all that a chain has, in nats.

    Of features as a set, whose numbering does not matter; of learned numbers without constants.
    """
    total = K * math.log(numbers[MASS]) - numbers[MASS] * reach
    for k in range(K):
        total += log_weights[takers[k]]
        norm = 0.0
        for j in range(p):
            norm += B[j, k] * B[j, k]
        total += log_normal(takers[k], norm, numbers[SLAB])
        total += log_normal(n, sum_of_squares(Z[k], n), 1.0)
    if logit:
        rows, columns = effects
        total += log_normal(p, sum_of_squares(rows, p), numbers[ROW_EFFECT])
        total += log_normal(n, sum_of_squares(columns, n), numbers[COLUMN_EFFECT])
    for number in range(5):
        shape, rate = priors[number, 0], priors[number, 1]
        if shape > 0.0 and number == MASS:
            total += (shape - 1.0) * math.log(numbers[number]) - rate * numbers[number]
        elif shape > 0.0:
            total -= (shape + 1.0) * math.log(numbers[number]) + rate / numbers[number]
    return total
