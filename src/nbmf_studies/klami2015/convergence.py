"""How long fits take: per iteration, until they stand still, and until the error that PG-F ends with."""

import numpy as np
import pandas as pd

from nbmf_studies.framework.gathering import column_by
from nbmf_studies.klami2015.criteria import EQUAL
from nbmf_studies.klami2015.engines import NB_F, PG_F
from nbmf_studies.klami2015.paired import ratio
from nbmf_studies.klami2015.traces import ends

STILL = 0.01  # a trace stands still once its error differs from the last one by this share of it at most
REFERENCES = (PG_F, NB_F)  # what the other engines are compared with
PER_ITERATION, TO_STANDSTILL, TO_EQUAL = "s per iteration", "s to a standstill", "s to PG-F's error"
TIMES = (PER_ITERATION, TO_STANDSTILL, TO_EQUAL)


def times(traces: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fit and how long it took.

    Parameters
    ----------
    traces : DataFrame
        As `traces.gather` makes it.

    Returns
    -------
    DataFrame
        set_up, method, seed; CPU seconds per iteration, to a standstill (from then on the error is at most 1 % away
        from the last one), and until 1.02 times the error that PG-F ends with on the same matrix, infinite where that
        is never reached.
    """
    last = ends(traces)
    goals = last[last["method"].isin(REFERENCES)].set_index(["set_up", "seed"])["error"]
    rows = []
    for (set_up, method, seed), ordered in traces.groupby(["set_up", "method", "seed"], sort=False):
        ordered, goal = ordered.sort_values("iteration"), EQUAL * goals.get((set_up, seed), np.nan)
        arrived = ordered.loc[ordered["error"] <= goal, "seconds"]
        row = {
            **{"set_up": set_up, "method": method, "seed": seed},
            PER_ITERATION: ordered["seconds"].iloc[-1] / ordered["iteration"].iloc[-1],
            TO_STANDSTILL: _standstill(ordered),
            TO_EQUAL: arrived.min() if len(arrived) else np.inf,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _standstill(trace: pd.DataFrame) -> float:
    """Return the CPU seconds of the first point from which on the error stays where it ends."""
    last = trace["error"].iloc[-1]
    away = ((trace["error"] - last).abs() > STILL * last).to_numpy()
    return float(trace["seconds"].iloc[away.nonzero()[0].max() + 1 if away.any() else 0])


def reference_engine(times: pd.DataFrame, set_up: str) -> str | None:
    """Return which engine the others of a set-up are compared with; None if it was not run."""
    run = set(times.loc[times["set_up"] == set_up, "method"])
    return next((method for method in REFERENCES if method in run), None)


def summarise(times: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per set-up and engine: geometric means over seeds of times, and how many times PG-F's they are.

    Parameters
    ----------
    times : DataFrame
        As `times` makes it.
    labels : dict
        Of each method.

    Returns
    -------
    DataFrame
        set_up, method, seeds; of each time its geometric mean, its ratio to PG-F's on the same matrices, and the 95 %
        t-interval of that by its logarithm (missing where an error is never reached).
    """
    rows = []
    for (set_up, method), own in times.groupby(["set_up", "method"], sort=False):
        reference = reference_engine(times, set_up)
        row = {"set_up": set_up, "method": labels[method], "seeds": len(own)}
        for name in TIMES:
            row[name] = float(np.exp(np.log(own[name]).mean()))
            if reference:
                ratio_of_times = ratio(
                    own.set_index("seed")[name], column_by("seed", times, name, set_up=set_up, method=reference)
                )
                row |= {
                    f"{name}, ratio": ratio_of_times.mean,
                    f"{name}, low": ratio_of_times.low,
                    f"{name}, high": ratio_of_times.high,
                }
        rows.append(row)
    return pd.DataFrame(rows)
