"""What both kernels do at the end of a sweep: scales, variances, mass, and what is kept."""

import math

from nbmf.families.buffet.kernels.conditionals import draw_mass, draw_scale, draw_variance
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.normal_effects import COLUMNS, ROWS, center_of, draw_hyperparameters, squares_around

LOG_2PI = math.log(2.0 * math.pi)


@inner_kernel
def sum_of_squares(x, size):
    """Return Σ x² of the first `size` numbers."""
    total = 0.0
    for i in range(size):
        total += x[i] * x[i]
    return total


@inner_kernel
def set_norms(K, B, norms):
    """Set norms[k] to ‖b_k‖²."""
    for k in range(K):
        norms[k] = 0.0
    for j in range(B.shape[0]):
        for k in range(K):
            norms[k] += B[j, k] * B[j, k]


@inner_kernel
def move_scales(K, state, norms, generator):
    """Move each column between its loadings and its scores by one Metropolis step.

    norms[k] is ‖b_k‖² afterwards.
    """
    B, Z = state.B, state.Z
    p, n = B.shape[0], Z.shape[1]
    set_norms(K, B, norms)
    for k in range(K):
        a, b = norms[k] / state.numbers[SLAB], sum_of_squares(Z[k], n)
        factor = draw_scale(a, b, state.feature_counts[k], n, generator)
        if factor != 1.0:
            norms[k] *= factor * factor
            for j in range(p):
                B[j, k] *= factor
            for i in range(n):
                Z[k, i] /= factor


@inner_kernel
def draw_numbers(K, logit, squares, cells, norms, state, prior, generator):
    """Draw variances, the intercept and mass.

    squares, cells : the sum of squared residuals of a Gaussian matrix, and how many values it has
    norms : ‖b_k‖² of each column
    """
    numbers, priors = state.numbers, prior.number_priors
    if logit:
        draw_hyperparameters(
            generator, state.row_effects, state.column_effects, numbers[ROW_EFFECT:], priors[ROW_EFFECT:]
        )
    else:
        draw_variance(NOISE, cells, squares, numbers, priors, generator)
    loadings, count = 0.0, 0
    for k in range(K):
        loadings += norms[k]
        count += state.feature_counts[k]
    draw_variance(SLAB, count, loadings, numbers, priors, generator)
    draw_mass(MASS, K, prior.features_per_mass, numbers, priors, generator)


@inner_kernel
def log_normal(count, squares, variance):
    """Return the log density of `count` normal variates around 0 with that sum of squares."""
    return -0.5 * (count * (LOG_2PI + math.log(variance)) + squares / variance)


@inner_kernel
def log_prior(K, logit, state, prior):
    """Return the log prior density of all that a chain has, in nats.

    Of features as a set, whose numbering does not matter; of learned numbers without constants.
    """
    B, Z, numbers = state.B, state.Z, state.numbers
    p, n = B.shape[0], Z.shape[1]
    total = K * math.log(numbers[MASS]) - numbers[MASS] * prior.features_per_mass
    for k in range(K):
        total += prior.log_weights[state.feature_counts[k]]
        norm = 0.0
        for j in range(p):
            norm += B[j, k] * B[j, k]
        total += log_normal(state.feature_counts[k], norm, numbers[SLAB])
        total += log_normal(n, sum_of_squares(Z[k], n), 1.0)
    if logit:
        hyperparameters, variance_of_intercept = numbers[ROW_EFFECT:], prior.number_priors[INTERCEPT, 0]
        if numbers[ROW_EFFECT] > 0.0:
            squares = squares_around(state.row_effects, center_of(hyperparameters, ROWS))
            total += log_normal(p, squares, numbers[ROW_EFFECT])
        if numbers[COLUMN_EFFECT] > 0.0:
            squares = squares_around(state.column_effects, center_of(hyperparameters, COLUMNS))
            total += log_normal(n, squares, numbers[COLUMN_EFFECT])
        if variance_of_intercept > 0.0:
            total += log_normal(1, numbers[INTERCEPT] * numbers[INTERCEPT], variance_of_intercept)
    for number in range(INTERCEPT):
        shape, rate = prior.number_priors[number, 0], prior.number_priors[number, 1]
        if shape > 0.0 and number == MASS:
            total += (shape - 1.0) * math.log(numbers[number]) - rate * numbers[number]
        elif shape > 0.0:
            total -= (shape + 1.0) * math.log(numbers[number]) + rate / numbers[number]
    return total
