"""Errors along the CPU time of every fit."""

import numpy as np
import pandas as pd

from nbmf_studies.framework import gathering
from nbmf_studies.framework.gathering import Fits


def gather(fits: Fits) -> pd.DataFrame:
    """Return a row per fit and point of its trace.

    Returns
    -------
    DataFrame
        set_up, method, seed, iteration, seconds (CPU), and what `errors.observe` finds; an error
        that is not finite, as E e^ψ may overflow, is infinite.
    """
    return gathering.traces(fits).fillna({"error": np.inf})


def ends(traces: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of every fit."""
    fits = traces.groupby(["set_up", "method", "seed"], sort=False)
    return traces.loc[fits["iteration"].idxmax()]
