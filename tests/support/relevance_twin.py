"""A reference implementation of the draws that factors, precisions and means of groups share."""

import numpy as np
from scipy import stats

from nbmf.families.logistic.kernels import relevance

KERNELS = (
    "draw_scales",
    "draw_rotation",
    "draw_precisions",
    "log_density_of_scale",
    "_log_density_of_log_scale",
    "log_density_of_angle",
    "_log_density_of_angle",
    "_turn_columns",
    "rotate_rows",
    "scale_rows",
    "gram_of",
)


def shrink(uniforms, density, level, low, high):
    """Return the first point of an interval around 0, which shrinks, with a density above the level."""
    while True:
        x = low + (high - low) * next(uniforms)
        if density(x) > level:
            return x
        low, high = (x, high) if x < 0 else (low, x)


def scales_twin(uniforms, g, G, a0, b0, alpha):
    """Return c of V √α held fixed."""
    c = np.ones(alpha.size)
    for k in range(alpha.size):

        def of_log_scale(x, k=k):
            scaled = c.copy()
            scaled[k] = np.exp(x)
            new = alpha[k] * np.exp(-2 * x)
            # The density of log α: the prior's, times α.
            log_prior = stats.gamma.logpdf(new, a0, scale=1 / b0) + np.log(new)
            return log_prior + g @ scaled - scaled @ G @ scaled / 2

        level = of_log_scale(0.0) + np.log(1 - next(uniforms))
        low = -relevance.STEP * next(uniforms)
        high, left = low + relevance.STEP, int(next(uniforms) * relevance.STEPS)
        right = relevance.STEPS - 1 - left
        while left and of_log_scale(low) > level:
            low, left = low - relevance.STEP, left - 1
        while right and of_log_scale(high) > level:
            high, right = high + relevance.STEP, right - 1
        c[k] = np.exp(shrink(uniforms, of_log_scale, level, low, high))
    return c


def relevance_twin(uniforms, gammas, U, V, g, G, a0, b0, alpha, means=None, of_means=None, ard=True):
    """Return U, V, α, and means of groups with their variances, with V and U themselves in the place of sums over them.

    `means` turn with U and V; their precisions have the shape and the rate `of_means`. Without ard α stays.
    """
    K = alpha.size
    if ard:
        V = V * scales_twin(uniforms, g, G, a0, b0, alpha)
    priors = [(V, a0, b0)] * ard + ([] if means is None else [(means, *of_means)])
    turned = [U, *(lines for lines, *_ in priors)]
    rest = V
    for k in range(K):
        for other in range(k):

            def rotation(angle, k=k, other=other):
                turn = np.eye(K)
                turn[k, k] = turn[other, other] = np.cos(angle)
                turn[other, k], turn[k, other] = np.sin(angle), -np.sin(angle)
                return turn

            def of_angle(angle, turned=tuple(turned), rotation=rotation):
                total = 0.0
                for lines, (_, shape, rate) in zip(turned[1:], priors, strict=True):
                    squares = ((lines @ rotation(angle)) ** 2).sum(axis=0)
                    total -= (shape + len(lines) / 2) * np.log(rate + squares / 2).sum()
                return total

            level = of_angle(0.0) + np.log(1 - next(uniforms))
            high = 2 * np.pi * next(uniforms)
            turn = rotation(shrink(uniforms, of_angle, level, high - 2 * np.pi, high))
            turned, rest = [lines @ turn for lines in turned], rest @ turn
    V = turned[1] if ard else rest
    if ard:
        shape = a0 + len(V) / 2
        alpha = np.array([next(gammas)(shape) for _ in range(K)]) / (b0 + (V**2).sum(0) / 2)
    if means is None:
        return turned[0], V, alpha, None, None
    means, (shape, rate) = turned[-1], of_means
    drawn = np.array([next(gammas)(shape + len(means) / 2) for _ in range(K)])
    return turned[0], V, alpha, means, (rate + (means**2).sum(0) / 2) / drawn
