"""α and κ of a buffet's prior, drawn by slice sampling given how many take each dish."""

import math
from collections.abc import Callable

import numpy as np

from nbmf.families.buffet.buffet_priors import IBP, BuffetPrior
from nbmf.numerics.compilation import kernel
from nbmf.numerics.random import uniform

WIDTH = 1.0  # of the first slice, in logarithms
STEPS = 20  # by which a slice widens at most, on both sides together
LIMIT = 25.0  # of |log α| and |log κ|: beyond, tables would lose their digits


@kernel
def next_uniform(generator):
    """Return a number in [0, 1) from a generator of nbmf.numerics.random."""
    return uniform(generator)


def log_posterior(prior: BuffetPrior, name: str, feature_counts: np.ndarray, p: int) -> float:
    """Return the log density of log α or log κ given the dishes, up to a constant.

    Both have the prior Exponential(1); the Jacobian of the logarithm is counted.
    """
    number = getattr(prior, name)
    return prior.log_density(feature_counts, p) - number + math.log(number)


def renew(
    prior: BuffetPrior, learned: tuple[str, ...], feature_counts: np.ndarray, p: int, generator: np.ndarray
) -> BuffetPrior:
    """Return the prior with each of the `learned` of "alpha" and "kappa" drawn once."""
    for name in learned:
        if prior.name == IBP and name == "alpha":
            continue

        def log_density(x: float, now: BuffetPrior = prior, name: str = name) -> float:
            if abs(x) > LIMIT:
                return -math.inf
            return log_posterior(now._replace(**{name: math.exp(x)}), name, feature_counts, p)

        x = slice_step(log_density, math.log(getattr(prior, name)), generator)
        prior = prior._replace(**{name: math.exp(x)})
    return prior


def slice_step(log_density: Callable[[float], float], now: float, generator: np.ndarray) -> float:
    """Return a draw that leaves a density invariant, by stepping out and shrinking (Neal 2003)."""
    level = log_density(now) + math.log(1.0 - next_uniform(generator))
    low = now - WIDTH * next_uniform(generator)
    high = low + WIDTH
    left = int(STEPS * next_uniform(generator))
    right = STEPS - 1 - left
    while left and log_density(low) > level:
        low, left = low - WIDTH, left - 1
    while right and log_density(high) > level:
        high, right = high + WIDTH, right - 1
    while True:
        x = low + (high - low) * next_uniform(generator)
        if log_density(x) > level:
            return x
        low, high = (x, high) if x < now else (low, x)
