"""Automatic relevance determination: three draws, between which no precision α gets stuck.

With α_k ~ Gamma(a0, rate b0) and v_nk ~ N(0, 1/α_k), drawing α given V alone moves log α by about
√(8/N) a sweep, and factors turn as slowly: a component that the data do not need stays, or stays
away, for thousands of sweeps. So also, at next to no cost:

- α given V √α. With the weights ω, the log-likelihood of V_k c_k for all k is g·c - c'Gc / 2.
- the same V and U in other axes: ψ and the distribution of U do not change when both turn by one angle, and
  with α integrated out the distribution of V asks for Σ_n v_nk² of the two components alone.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma

STEP = 1.0  # of log α, by which an interval around it is widened
STEPS = 12  # at most, to each side
TRIES = 100  # then it stays where it is, which rounding alone can bring about


@inner_kernel
def log_density_of_scale(c, slope, curvature, alpha, a0, b0):
    """Return log p(log(α/c²), V c | V √α, the rest) but for a constant, for one component.

    slope, curvature : of the log-likelihood, c slope - c² curvature / 2
    """
    new = alpha / (c * c)
    return a0 * math.log(new) - b0 * new + c * slope - 0.5 * c * c * curvature


@inner_kernel
def _log_density_of_log_scale(x, slope, curvature, alpha, a0, b0):
    return log_density_of_scale(math.exp(x), slope, curvature, alpha, a0, b0)


@inner_kernel
def draw_scales(generator, g, G, a0, b0, alpha, c):
    """Draw scales c (K,) with V √α fixed: V becomes V c and α becomes α / c².

    That is left to the caller, who draws α anew. By slice sampling of log c_k (Neal 2003), one k
    after another, with c of the others as they are.
    """
    c[:] = 1.0
    for k in range(c.size):
        slope = g[k]
        for other in range(c.size):
            if other != k:
                slope -= G[k, other] * c[other]
        arguments = slope, G[k, k], alpha[k], a0, b0
        level = _log_density_of_log_scale(0.0, *arguments) + math.log(1.0 - uniform(generator))
        low = -STEP * uniform(generator)
        high = low + STEP
        left = int(uniform(generator) * STEPS)
        for _ in range(left):
            if _log_density_of_log_scale(low, *arguments) <= level:
                break
            low -= STEP
        for _ in range(STEPS - 1 - left):
            if _log_density_of_log_scale(high, *arguments) <= level:
                break
            high += STEP
        for _ in range(TRIES):
            x = low + (high - low) * uniform(generator)
            if _log_density_of_log_scale(x, *arguments) > level:
                c[k] = math.exp(x)
                break
            if x < 0.0:
                low = x
            else:
                high = x


@inner_kernel
def log_density_of_angle(angle, first, second, product, shape, b0):
    """Return log p(V turned by an angle) but for a constant, α integrated out.

    first, second, product : Σ_n v_nk², Σ_n v_nl² and Σ_n v_nk v_nl before the turn to
        v_k cos + v_l sin and v_l cos - v_k sin
    shape : a0 + N/2
    """
    cos, sin = math.cos(angle), math.sin(angle)
    of_k = first * cos * cos + second * sin * sin + 2.0 * product * cos * sin
    total = first + second
    return -shape * (math.log(b0 + 0.5 * of_k) + math.log(b0 + 0.5 * max(total - of_k, 0.0)))


@inner_kernel
def _log_density_of_angle(angle, k, other, grams, shapes, rates):
    total = 0.0
    for m in range(shapes.size):
        first, second, product = grams[m, k, k], grams[m, other, other], grams[m, k, other]
        total += log_density_of_angle(angle, first, second, product, shapes[m], rates[m])
    return total


@inner_kernel
def draw_rotation(generator, grams, shapes, rates, rotation):
    """Turn each pair of components by a draw of its angle; U and V times `rotation` (K, K) follow.

    By slice sampling on the circle, from an angle of 0.

    Parameters
    ----------
    generator : uint64 array (8,)
    grams : float array (M, K, K)
        V'V, and that of any other rows that turn with V and have a precision for each component, integrated out:
        they follow.
    shapes, rates : float arrays (M,)
        Of these precisions: a0 + N/2, and b0.
    rotation : float array (K, K)
        Written.
    """
    K = rotation.shape[0]
    rotation[:] = 0.0
    for k in range(K):
        rotation[k, k] = 1.0
    for k in range(K):
        for other in range(k):
            arguments = k, other, grams, shapes, rates
            level = _log_density_of_angle(0.0, *arguments) + math.log(1.0 - uniform(generator))
            high = 2.0 * math.pi * uniform(generator)
            low = high - 2.0 * math.pi
            for _ in range(TRIES):
                angle = low + (high - low) * uniform(generator)
                if _log_density_of_angle(angle, *arguments) > level:
                    cos, sin = math.cos(angle), math.sin(angle)
                    _turn_columns(rotation, k, other, cos, sin)
                    for m in range(shapes.size):
                        _turn_columns(grams[m], k, other, cos, sin)
                        _turn_columns(grams[m].T, k, other, cos, sin)
                    break
                if angle < 0.0:
                    low = angle
                else:
                    high = angle


@inner_kernel
def _turn_columns(matrix, k, other, cos, sin):
    for row in range(matrix.shape[0]):
        x, y = matrix[row, k], matrix[row, other]
        matrix[row, k] = x * cos + y * sin
        matrix[row, other] = y * cos - x * sin


@inner_kernel
def draw_precisions(generator, V, a0, b0, alpha):
    """Draw α_k ~ Gamma(a0 + N/2, rate b0 + Σ_n v_nk² / 2); V (N, K and more)."""
    N = V.shape[0]
    for k in range(alpha.size):
        total = 0.0
        for n in range(N):
            total += V[n, k] * V[n, k]
        alpha[k] = standard_gamma(generator, a0 + 0.5 * N) / (b0 + 0.5 * total)


@inner_kernel
def gram_of(factor, gram):
    """Write the products Σ v_nk v_nl of the first K columns of a factor (n, K and more) to gram (K, K)."""
    K = gram.shape[0]
    gram[:] = 0.0
    for n in range(factor.shape[0]):
        for k in range(K):
            for other in range(k + 1):
                gram[k, other] += factor[n, k] * factor[n, other]
    for k in range(K):
        for other in range(k):
            gram[other, k] = gram[k, other]


@inner_kernel
def scale_rows(factor, c):
    """Multiply the first columns of a factor (n, K and more) by c (K,)."""
    for n in range(factor.shape[0]):
        for k in range(c.size):
            factor[n, k] *= c[k]


@inner_kernel
def rotate_rows(factor, rotation, room):
    """Rotate the first columns of a factor (n, K and more) by a rotation (K, K); `room` (K,) is overwritten."""
    K = rotation.shape[0]
    for i in range(factor.shape[0]):
        for k in range(K):
            room[k] = factor[i, k]
            factor[i, k] = 0.0
        for k in range(K):
            for other in range(K):
                factor[i, other] += room[k] * rotation[k, other]


@kernel
def draw_relevance(generator, U, V, g, G, a0, b0, alpha):
    """Draw scales, then angles, then α, and let U and V follow.

    Parameters
    ----------
    generator : uint64 array (8,)
    U, V : float arrays (F, K and more), (N, K and more)
        Their first K columns change, U V' does not but for the scales.
    g, G : float arrays (K,), (K, K)
        Of the log-likelihood of the scales.
    a0, b0 : float
    alpha : float array (K,)
    """
    K = alpha.size
    c, rotation, grams = np.empty(K), np.empty((K, K)), np.empty((1, K, K))
    draw_scales(generator, g, G, a0, b0, alpha, c)
    scale_rows(V, c)
    gram_of(V, grams[0])
    draw_rotation(generator, grams, np.full(1, a0 + 0.5 * V.shape[0]), np.full(1, b0), rotation)
    rotate_rows(U, rotation, c)
    rotate_rows(V, rotation, c)
    draw_precisions(generator, V, a0, b0, alpha)
