"""Means of groups of rows: a level above the coefficients of the rows.

Row f of group g has the coefficients u_f (D,): K positions and, where rows have effects, its effect. Coordinate c is

    u_fc ~ N(center_c + µ_gc, 1/p_c),   µ_gc ~ N(0, s_c),   s_c ~ IG(shape, rate),

with p_c = 1 of positions, and of effects the precision that they have within groups. All of it is drawn given u, at
the cost of reading it once.
"""

import math

import numpy as np

from nbmf.families.logistic.kernels.relevance import (
    draw_precisions,
    draw_rotation,
    draw_scales,
    gram_of,
    rotate_rows,
    scale_rows,
)
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.normal_effects import draw_inverse_gamma, shift_posterior
from nbmf.numerics.variates import standard_normal


@inner_kernel
def group_mean_posterior(total, count, precision, variance):
    """Return mean and variance of µ ~ N(0, variance) given `count` numbers ~ N(µ, 1/precision) and their sum."""
    posterior_variance = 1.0 / (1.0 / variance + count * precision)
    return posterior_variance * precision * total, posterior_variance


@inner_kernel
def draw_variances(generator, means, variances, shape, rate):
    """Draw s_c ~ IG(shape + G/2, rate + Σ_g µ_gc² / 2) of each coordinate."""
    for c in range(variances.size):
        squares = 0.0
        for g in range(means.shape[0]):
            squares += means[g, c] * means[g, c]
        variances[c] = draw_inverse_gamma(generator, means.shape[0], squares, shape, rate)


@kernel
def draw_means(generator, u, group, sizes, precision, center, means, variances, shape, rate):
    """Draw the means of all groups given the rows, then their variances.

    Parameters
    ----------
    generator : uint64 array (8,)
    u : float array (F, D)
    group : int array (F,)
        Of each row, 0 to G - 1.
    sizes : int array (G,)
        How many rows a group has.
    precision, center : float arrays (D,)
        p and what means of groups vary around.
    means, variances : float arrays (G, D), (D,)
        µ and s, written.
    shape, rate : float
    """
    G, D = means.shape
    means[:] = 0.0
    for f in range(u.shape[0]):
        for c in range(D):
            means[group[f], c] += u[f, c] - center[c]
    for g in range(G):
        for c in range(D):
            mean, variance = group_mean_posterior(means[g, c], sizes[g], precision[c], variances[c])
            means[g, c] = mean + math.sqrt(variance) * standard_normal(generator)
    draw_variances(generator, means, variances, shape, rate)


@kernel
def turn_with_means(generator, U, V, means, variances, shape, rate, learns_alpha, g, G, a0, b0, alpha):
    """Draw what factors and means share: scales of V, the axes, then α and the variances of means.

    When U, V and µ turn together, ψ stays as it is, and so does the distribution of U given µ; that of µ does not, and
    of V only where α is fixed. See kernels.relevance.draw_relevance, which this is without groups.

    Parameters
    ----------
    generator : uint64 array (8,)
    U, V, means : float arrays (F, K and more), (N, K and more), (groups, K and more)
        Their first K columns change.
    variances : float array (K,)
        s of the positions, written.
    shape, rate : float
        Of s.
    learns_alpha : bool
    g, G, a0, b0, alpha
        As of draw_relevance; not used if α is fixed.
    """
    K, n = alpha.size, int(learns_alpha)
    c, rotation, grams = np.empty(K), np.empty((K, K)), np.empty((1 + n, K, K))
    shapes, rates = np.full(1 + n, shape + 0.5 * means.shape[0]), np.full(1 + n, rate)
    gram_of(means, grams[0])
    if learns_alpha:
        draw_scales(generator, g, G, a0, b0, alpha, c)
        scale_rows(V, c)
        gram_of(V, grams[1])
        shapes[1], rates[1] = a0 + 0.5 * V.shape[0], b0
    draw_rotation(generator, grams, shapes, rates, rotation)
    rotate_rows(U, rotation, c)
    rotate_rows(V, rotation, c)
    rotate_rows(means, rotation, c)
    if learns_alpha:
        draw_precisions(generator, V, a0, b0, alpha)
    draw_variances(generator, means[:, :K], variances, shape, rate)


@kernel
def draw_level(generator, effects, prior_variance, variance, m):
    """Return a draw of the d by which the means of all groups' effects fall and m rises, which changes no ψ.

    Row effects fall by d with their groups and column effects rise, where columns have effects; where they have none,
    row effects stay as they are.

    Parameters
    ----------
    generator : uint64 array (8,)
    effects : float array (G,)
        µ of the effects.
    prior_variance, variance : float
        Of m, and s of the effects.
    m : float
        The intercept.
    """
    mean, spread = shift_posterior(effects.sum(), effects.size, variance, m, prior_variance)
    return mean + math.sqrt(spread) * standard_normal(generator)
