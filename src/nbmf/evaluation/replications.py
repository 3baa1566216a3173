"""Means over replications or masks: their intervals, and whether they differ from zero.

Two methods that were run on the same masks or the same data are compared by their differences, a pair at a time: what
makes one mask harder than another then counts for neither.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

LEVEL = 0.95


class Interval(NamedTuple):
    """A mean, its standard error, its 95 % t-interval, and how far it is from zero; NaN but for the mean of one value.

    p : float, the two-sided p-value of a true mean of 0
    """

    mean: float
    error: float
    low: float
    high: float
    p: float

    def columns(self, name: str) -> dict[str, float]:
        """Return the columns of a table: the mean under a name, the ends of the interval and the p-value."""
        return {name: self.mean, "low": self.low, "high": self.high, "p-value": self.p}

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def interval(values: Iterable[float], test_ratio: float = 0.0) -> Interval:
    """Return the mean of values, its t-interval and its p-value.

    Values over replications whose data are drawn anew are independent. Those over masks of one matrix are not: their
    fits share training entries, and the variance of the mean of n values is not var / n, but (1 / n + test ratio) var
    (Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52, 2003, equation 9). Of differences
    of two methods on the same masks or data it is the paired test.

    Parameters
    ----------
    values : iterable of float (n,)
    test_ratio : float
        Held-out entries (or rows) per training entry of each mask or fold; 0 of independent replications.

    Raises
    ------
    ValueError
        If `test_ratio` is negative.
    """
    if not test_ratio >= 0.0:
        raise ValueError(f"test_ratio = {test_ratio}: must be a number of at least 0")
    values = np.asarray(list(values), float)
    mean, count = float(values.mean()), values.size
    if count < 2:
        return _undefined_interval(mean)
    error = float(values.std(ddof=1)) * np.sqrt(1.0 / count + test_ratio)
    return _t_interval(mean, float(error), count - 1)


def interval_of_difference(first: Iterable[float], second: Iterable[float]) -> Interval:
    """Return the difference of the means of two independent samples, Welch's interval and p-value."""
    one, two = (np.asarray(list(values), float) for values in (first, second))
    mean = float(one.mean() - two.mean())
    if min(one.size, two.size) < 2:
        return _undefined_interval(mean)
    squares = np.array([values.var(ddof=1) / values.size for values in (one, two)])
    error = float(np.sqrt(squares.sum()))
    if error == 0.0:
        return _t_interval(mean, 0.0, 1)
    return _t_interval(mean, error, squares.sum() ** 2 / (squares**2 / [one.size - 1, two.size - 1]).sum())


def holm(p_values: Iterable[float]) -> np.ndarray:
    """Return p-values adjusted so that all comparisons of a claim hold together (Holm, 1979), float array (n,).

    Below 0.05 all at once with a probability of at most 0.05 if none of the differences is real.
    """
    p = np.asarray(list(p_values), float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted


def _undefined_interval(mean: float) -> Interval:
    return Interval(mean, np.nan, np.nan, np.nan, np.nan)


def _t_interval(mean: float, error: float, degrees_of_freedom: float) -> Interval:
    """Return the interval by Student's t; of values without any spread it is a point."""
    if error == 0.0:
        return Interval(mean, 0.0, mean, mean, float(mean == 0.0))
    half = float(stdtrit(degrees_of_freedom, (1.0 + LEVEL) / 2.0)) * error
    return Interval(mean, error, mean - half, mean + half, float(2.0 * stdtr(degrees_of_freedom, -abs(mean) / error)))
