"""Errors along the CPU time of every fit, and where they end; one that is not finite, as E e^ψ can be, is infinite."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nbmf_studies.framework import gathering
from nbmf_studies.framework.gathering import Fits


def gather(fits: Fits) -> pd.DataFrame:
    """Return a row per fit and point of its trace: its columns, iteration, seconds (CPU), what `observe` has found."""
    return gathering.traces(fits).fillna({"error": np.inf})


def ends(traces: pd.DataFrame, fit: Sequence[str] = ("set_up", "method", "seed")) -> pd.DataFrame:
    """Return the last row of every fit, which the columns `fit` identify."""
    return traces.loc[traces.groupby(list(fit), sort=False)["iteration"].idxmax()]


def gather_ends(fits: Fits) -> pd.DataFrame:
    """Return a row per fit: its columns, and the last point of its trace."""
    return ends(gather(fits), list(fits[0][0])).reset_index(drop=True)
