"""Means over replications, with their t-intervals."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.stats import t

LEVEL = 0.95


class Interval(NamedTuple):
    """A mean, its standard error and its 95 % t-interval; NaN but for the mean of one value."""

    mean: float
    error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def interval(values: Iterable[float]) -> Interval:
    """Return the mean of independent values and its t-interval."""
    values = np.asarray(list(values), float)
    mean, count = float(values.mean()), values.size
    if count < 2:
        return Interval(mean, np.nan, np.nan, np.nan)
    error = float(values.std(ddof=1) / np.sqrt(count))
    half = float(t.ppf((1.0 + LEVEL) / 2.0, count - 1)) * error
    return Interval(mean, error, mean - half, mean + half)


def interval_of_difference(first: Iterable[float], second: Iterable[float]) -> Interval:
    """Return the difference of the means of two independent samples, and Welch's interval."""
    one, two = (np.asarray(list(values), float) for values in (first, second))
    mean = float(one.mean() - two.mean())
    if min(one.size, two.size) < 2:
        return Interval(mean, np.nan, np.nan, np.nan)
    squares = np.array([values.var(ddof=1) / values.size for values in (one, two)])
    error = float(np.sqrt(squares.sum()))
    if error == 0.0:
        return Interval(mean, 0.0, mean, mean)
    freedom = squares.sum() ** 2 / (squares**2 / [one.size - 1, two.size - 1]).sum()
    half = float(t.ppf((1.0 + LEVEL) / 2.0, freedom)) * error
    return Interval(mean, error, mean - half, mean + half)
