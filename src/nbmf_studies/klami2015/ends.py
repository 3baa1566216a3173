"""What fits of the second reading end with, and engines compared on the same matrices."""

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import Interval, interval
from nbmf_studies.framework import gathering
from nbmf_studies.framework.gathering import Fits

UNTIL = "iteration"


def gather(fits: Fits) -> pd.DataFrame:
    """Return a row per fit: its columns, and the last point of its trace; an error that is not finite is infinite."""
    names = list(fits[0][0])
    traces = gathering.traces(fits)
    last = traces.loc[traces.groupby(names, sort=False)[UNTIL].idxmax()]
    return last.fillna({"error": np.inf}).reset_index(drop=True) if "error" in last else last.reset_index(drop=True)


def difference(one: pd.Series, other: pd.Series) -> Interval:
    """Return the mean of one minus the other on the same matrices, with its paired interval."""
    return interval((one - other).dropna())


def ratio(one: pd.Series, other: pd.Series) -> Interval:
    """Return the geometric mean of one over the other on the same matrices, with the interval of their logarithms."""
    estimate = interval(np.log(one / other).dropna())
    return estimate._replace(**{name: float(np.exp(getattr(estimate, name))) for name in ("mean", "low", "high")})
