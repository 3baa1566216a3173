"""Means of functions of a normal ψ: by the trapezoidal rule, which converges geometrically."""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

REACH = 8.0  # standard deviations on either side; what lies beyond has probability 1e-15
WIDEST = 0.5  # distance of nodes, in standard deviations
# σ and log(1 + e^ψ) have their poles at distance π from the real line, so nodes at a distance h of
# z = (ψ - mean) / s make an error of about exp(-2π² / (h s)): below 1e-8 with this product.
PRODUCT = 0.95
LARGEST_DEVIATION = 1e4  # nodes are as many as it; see `excess_factor`
AT_ONCE = 2**15  # entries, so that a block stays in the cache


def mean_under_normal(
    function: Callable[[np.ndarray], np.ndarray], mean: np.ndarray, variance: np.ndarray
) -> np.ndarray:
    """Return E f(ψ), ψ ~ N(mean, variance), for every entry.

    Parameters
    ----------
    function : function
        f, of arrays, whose poles are at least at distance π from the real line.
    mean, variance : float arrays of one shape

    Returns
    -------
    float array of that shape
        To some 1e-8.
    """
    deviation = np.sqrt(np.maximum(variance, 0.0)).ravel()
    mean, means = mean.ravel(), np.empty(mean.size)
    # Entries with about the same deviation need the same nodes.
    octave = np.ceil(np.log2(np.maximum(deviation * WIDEST / PRODUCT, 1.0))).astype(int)
    for each in np.unique(octave):
        chosen = np.flatnonzero(octave == each)
        step = WIDEST / 2.0**each
        z = step * np.arange(-int(REACH / step), int(REACH / step) + 1)
        weights = np.exp(-0.5 * z**2)
        weights /= weights.sum()
        for first in range(0, chosen.size, AT_ONCE):
            part = chosen[first : first + AT_ONCE]
            m, s = mean[part], deviation[part]
            total = np.zeros(part.size)
            for node, weight in zip(z, weights, strict=True):
                total += weight * function(m + node * s)
            means[part] = total
    return means.reshape(variance.shape)


def probability(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return E σ(ψ), ψ ~ N(mean, variance)."""
    times = excess_factor(variance)
    if times is None:
        return np.minimum(mean_under_normal(expit, mean, variance), 1.0)
    return np.minimum(mean_under_normal(expit, mean / times, variance / times**2), 1.0)


def excess_factor(variance: np.ndarray) -> np.ndarray | None:
    """Return how many times larger than LARGEST_DEVIATION deviations are, at least 1; None where none is larger.

    In so wide a distribution σ is a step, and softplus bends at a point: E σ(ψ) = E σ(ψ / c) and E softplus(ψ) =
    c E softplus(ψ / c) to eight digits, which spares nodes that no memory would hold.
    """
    if not variance.size or variance.max() <= LARGEST_DEVIATION**2:
        return None
    return np.maximum(np.sqrt(np.maximum(variance, 0.0)) / LARGEST_DEVIATION, 1.0)
