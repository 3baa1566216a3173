"""Effects of rows and columns whose variances are learned, and the intercept around which they vary.

    ψ_fn = m + a_f + b_n + ...,   a_f ~ N(0, s_a),   b_n ~ N(0, s_b),   m ~ N(0, 9),   s_a, s_b ~ IG(1/2, 1/8)

The intercept is the mean of one kind of effects, the carrier: b_n ~ N(m, s_b) or, where columns have no effects,
a_f ~ N(m, s_a). That is the same distribution, and all of it is drawn given the effects alone.

What is learned is one float array (3,), the hyperparameters of the effects: s_a, s_b and m. A variance of 0 says that
there are no such effects. Its priors are a float array (3, 2): shape and rate of either inverse gamma distribution, and
the variance of m. A shape, or this variance, of 0 says that the number stays as it is.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.variates import standard_gamma, standard_normal

ROWS, COLUMNS, INTERCEPT = 0, 1, 2  # the places in the array of hyperparameters
VARIANCE_SHAPE, VARIANCE_RATE = 0.5, 0.125
INTERCEPT_VARIANCE = 9.0


def learned_priors(rows: bool, columns: bool) -> np.ndarray:
    """Return the priors of hyperparameters that are all learned, zeros for effects that the model does not have."""
    of_variances = VARIANCE_SHAPE, VARIANCE_RATE
    priors = np.zeros((3, 2))
    priors[ROWS] = of_variances if rows else 0.0
    priors[COLUMNS] = of_variances if columns else 0.0
    priors[INTERCEPT, 0] = INTERCEPT_VARIANCE if rows or columns else 0.0
    return priors


@inner_kernel
def center_of(hyperparameters, kind):
    """Return the mean of the effects of rows, or of columns, a priori: m of the carrier, else 0."""
    carrier = COLUMNS if hyperparameters[COLUMNS] > 0.0 else ROWS
    return hyperparameters[INTERCEPT] if kind == carrier else 0.0


@inner_kernel
def squares_around(x, center):
    """Return Σ (x - center)²."""
    total = 0.0
    for i in range(x.size):
        total += (x[i] - center) * (x[i] - center)
    return total


@inner_kernel
def mean_posterior(total, count, variance, prior_variance):
    """Return mean and variance of m ~ N(0, prior_variance) given `count` numbers ~ N(m, variance) and their sum."""
    posterior_variance = 1.0 / (1.0 / prior_variance + count / variance)
    return posterior_variance * total / variance, posterior_variance


@inner_kernel
def shift_posterior(total, count, variance, m, prior_variance):
    """Return mean and variance of the d by which all a_f fall and m and all b_n rise, which changes no ψ.

    total, count : Σ a_f and how many there are; a_f ~ N(0, variance), m ~ N(0, prior_variance)
    """
    posterior_variance = 1.0 / (count / variance + 1.0 / prior_variance)
    return posterior_variance * (total / variance - m / prior_variance), posterior_variance


@inner_kernel
def draw_inverse_gamma(generator, count, squares, shape, rate):
    """Draw a variance ~ IG(shape, rate) given the sum of the squares of `count` numbers ~ N(0, variance)."""
    return (rate + 0.5 * squares) / standard_gamma(generator, shape + 0.5 * count)


@inner_kernel
def draw_intercept(generator, rows, columns, hyperparameters, priors):
    """Draw what the effects of rows share with m and those of columns, then m anew, where it is learned."""
    prior_variance = priors[INTERCEPT, 0]
    if not prior_variance > 0.0:
        return
    if hyperparameters[ROWS] > 0.0 and hyperparameters[COLUMNS] > 0.0:
        mean, variance = shift_posterior(
            rows.sum(), rows.size, hyperparameters[ROWS], hyperparameters[INTERCEPT], prior_variance
        )
        d = mean + math.sqrt(variance) * standard_normal(generator)
        for f in range(rows.size):
            rows[f] -= d
        for n in range(columns.size):
            columns[n] += d
    effects, kind = (columns, COLUMNS) if hyperparameters[COLUMNS] > 0.0 else (rows, ROWS)
    mean, variance = mean_posterior(effects.sum(), effects.size, hyperparameters[kind], prior_variance)
    hyperparameters[INTERCEPT] = mean + math.sqrt(variance) * standard_normal(generator)


@inner_kernel
def draw_hyperparameters(generator, rows, columns, hyperparameters, priors):
    """Draw m and both variances, as far as they are learned, given the effects.

    Parameters
    ----------
    generator : uint64 array (8,)
    rows, columns : float arrays (F,), (N,)
        a_f or m + a_f, b_n or m + b_n. Where both are there, they change: their sums do not.
    hyperparameters : float array (3,)
    priors : float array (3, 2)
    """
    draw_intercept(generator, rows, columns, hyperparameters, priors)
    for kind in range(2):
        shape, rate = priors[kind, 0], priors[kind, 1]
        if shape > 0.0:
            effects = rows if kind == ROWS else columns
            squares = squares_around(effects, center_of(hyperparameters, kind))
            hyperparameters[kind] = draw_inverse_gamma(generator, effects.size, squares, shape, rate)


@kernel
def draw_effect_hyperparameters(generator, rows, columns, hyperparameters, priors):
    """Do `draw_hyperparameters`, called from Python."""
    draw_hyperparameters(generator, rows, columns, hyperparameters, priors)
