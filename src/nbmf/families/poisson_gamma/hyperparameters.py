"""Draws of learned shapes and rates along a chain, given the factor they are the prior of.

Hyperpriors are proper: a shape is Exp(1), and where means are learned their numbers are rates,
Gamma(1, 1). A shape next to a fixed mean keeps that mean. Where rows have scales x, w x is Gamma(a, rate a / b)
given them: what is learned is drawn given these numbers, then x given all, then its own shape.
"""

import numpy as np
from scipy.special import gammaln

from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior

PROPOSALS = 8  # of each shape, in a sweep
STEPS = 0.03, 4.0  # between which their sizes are, in units of 1 / sqrt(entries that share it)


def draw_all(prior: GammaPrior, table: np.ndarray, rng: np.random.Generator) -> None:
    """Move all that is not given of a prior: learned numbers, scales and their shape; arguments as of `draw`."""
    scales = prior.scales
    if prior.ties.learns:
        draw(prior, table if scales is None else table * scales.value, rng)
    if scales is None:
        return
    scales.draw(prior, table, rng)
    if scales.prior.ties.learns:
        draw(scales.prior, scales.value, rng)


def draw(prior: GammaPrior, table: np.ndarray, rng: np.random.Generator) -> None:
    """Move the learned numbers of a prior, a Gibbs step of rates and a Metropolis one of shapes.

    Parameters
    ----------
    prior : GammaPrior
        Its shapes and means are written to.
    table : float array (rows, K)
        The factor; of one with scales x the numbers w x.
    rng : Generator
    """
    ties = prior.ties
    rate = None if ties.mean == FIXED else draw_rates(prior, table, rng)
    if ties.shape != FIXED:
        prior.shape[:] = draw_shapes(prior, table, rate, rng)
    if rate is not None:
        prior.mean[:] = prior.shape / rate


def draw_rates(prior: GammaPrior, table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return rates from Gamma(1 + Σ a, rate 1 + Σ w), sums over the entries that share one."""
    tie = prior.ties.mean
    alpha = 1.0 + prior.summed(prior.shape, tie)
    return rng.standard_gamma(alpha) / (1.0 + prior.summed(table, tie))


def log_target(
    prior: GammaPrior, table: np.ndarray, rate: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return n, n' and s, of each shape, of its log density given the factor.

    log p(log a | factor) = n' a log a - n logΓ(a) + s a + log a, up to a constant.

    With learned rates n' is 0, and s = Σ log(rate w) - 1; with fixed means b it is n, and
    s = Σ log(w / b) - w / b, less 1. The last terms are those of Exp(1) and of the logarithm.
    """
    tie = prior.ties.shape
    n = prior.summed(np.ones((1, 1)), tie)
    logs = np.log(table)
    if rate is not None:
        return n, np.zeros_like(n), prior.summed(logs + np.log(rate), tie) - 1.0
    return n, n, prior.summed(logs - np.log(prior.mean) - table / prior.mean, tie) - 1.0


def draw_shapes(prior: GammaPrior, table: np.ndarray, rate: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return shapes after PROPOSALS random-walk proposals of log a, of random sizes."""
    n, n_free, slope = log_target(prior, table, rate)

    def log_density(a):
        return n_free * a * np.log(a) - n * gammaln(a) + slope * a + np.log(a)

    now = prior.shape.copy()
    at_now = log_density(now)
    low, high = np.log(STEPS)
    for _ in range(PROPOSALS):
        size = np.exp(rng.uniform(low, high)) / np.sqrt(n)
        new = now * np.exp(size * rng.standard_normal(now.shape))
        at_new = log_density(new)
        is_accepted = np.log1p(-rng.random(now.shape)) < at_new - at_now
        now, at_now = np.where(is_accepted, new, now), np.where(is_accepted, at_new, at_now)
    return now
