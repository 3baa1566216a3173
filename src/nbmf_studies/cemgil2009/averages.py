"""Averages over the runs of an estimate."""

import numpy as np
import pandas as pd


def averages(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, order and kind: runs of a kind are averaged.

    Returns
    -------
    DataFrame
        seed, order, kind, value (mean over runs), error (as estimated; of several runs the
        standard error of their mean), spread (standard deviation over runs), effective_size (the
        smallest), runs, seconds (mean).
    """
    rows = []
    for key, runs in estimates.groupby(["seed", "order", "kind"], sort=False):
        spread = runs["value"].std(ddof=1) if len(runs) > 1 else np.nan
        error = spread / np.sqrt(len(runs)) if len(runs) > 1 else runs["error"].iloc[0]
        row = {
            **dict(zip(("seed", "order", "kind"), key, strict=True)),
            "value": runs["value"].mean(),
            "error": error,
            "spread": spread,
            "effective_size": runs["effective_size"].min(),
            "runs": len(runs),
            "seconds": runs["seconds"].mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)
