"""Equal-tailed intervals of numbers that draws give, a block at a time."""

from collections.abc import Sequence

import numpy as np

from nbmf.errors import not_allowed
from nbmf.inference.blocks import in_blocks
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import is_number
from nbmf.inference.state import Factors
from nbmf.posterior.alignment import Matching

BLOCK = 2**24  # numbers that an interval is computed from at a time: 64 MB


def expectation_interval(
    estimator: Factorization, draws: Sequence[Factors], level: float, of_ties: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of every E[v_fn]; see Draws.expectation_interval."""
    S, F, N = len(draws), draws[0].W.shape[0], draws[0].H.shape[1]
    lower, upper = np.empty((2, F, N), np.float32)
    for n in in_blocks(N, S, BLOCK):
        for f in in_blocks(F, S * (n.stop - n.start), BLOCK):
            means = np.empty((S, f.stop - f.start, n.stop - n.start), np.float32)
            for s, factors in enumerate(draws):
                means[s] = estimator.mean(factors, f, n)
                if of_ties:
                    means[s] = (means[s] + estimator.mean(factors, n, f).T) / 2
            lower[f, n], upper[f, n] = interval(means, level)
    limits = estimator.likelihood.limits  # which rounding may miss
    return np.clip(lower, *limits), np.clip(upper, *limits)


def factor_interval(factor: Sequence[np.ndarray], matching: Matching, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of every entry of a factor whose components are matched.

    Parameters
    ----------
    factor : list of S float32 arrays (rows, K)
    matching : Matching
    level : float

    Returns
    -------
    lower, upper : float32 arrays (rows, K)
    """
    (S, K), rows = matching.order.shape, len(factor[0])
    lower, upper = np.empty((2, rows, K), np.float32)
    for block in in_blocks(rows, S * K, BLOCK):
        aligned = np.stack([matching.aligned(s, one[block]) for s, one in enumerate(factor)])
        lower[block], upper[block] = interval(aligned, level)
    return lower, upper


def check_level(level: float) -> None:
    """Raise ConfigError if the level of an interval is not between 0 and 1."""
    if not (is_number(level) and 0 < level < 1):
        raise not_allowed("level", level, "a number between 0 and 1")


def interval(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper end of the interval over axis 0, by Weibull's rule.

    Raises
    ------
    ConfigError
        If `level` is not between 0 and 1.
    """
    check_level(level)
    ordered = np.sort(draws, axis=0)  # several times faster than numpy's quantile
    return (_quantile(ordered, (1 - level) / 2), _quantile(ordered, (1 + level) / 2))


def _quantile(ordered: np.ndarray, p: float) -> np.ndarray:
    """Return the quantile by Weibull's rule of S values in increasing order, axis 0."""
    S = len(ordered)
    position = min(max(p * (S + 1), 1), S) - 1
    below = int(position)
    above = min(below + 1, S - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
