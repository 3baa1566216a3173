"""Engines compared on the same matrices."""

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import Interval, interval


def difference(one: pd.Series, other: pd.Series) -> Interval:
    """Return the mean of one minus the other on the same matrices, with its paired interval."""
    return interval((one - other).dropna())


def ratio(one: pd.Series, other: pd.Series) -> Interval:
    """Return the geometric mean of one over the other on the same matrices, with the interval of their logarithms."""
    estimate = interval(np.log(one / other).dropna())
    return estimate._replace(**{name: float(np.exp(getattr(estimate, name))) for name in ("mean", "low", "high")})
