"""Errors along the CPU time of every fit."""

from typing import Any

import numpy as np
import pandas as pd

from nbmf_studies.framework import gathering


def gather(fits: list[tuple[dict[str, Any], str]]) -> pd.DataFrame:
    """Return a row per fit and point of its trace.

    Parameters
    ----------
    fits : list of (columns of the case, path of the report)

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
