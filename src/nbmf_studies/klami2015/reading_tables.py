"""Tables of the second reading: set-up 3 by start and step, patterns over seeds, other sizes, missing entries.

They are made of what `traces.gather_ends` returns, or of patterns along iterations as `gathering.traces` has them;
`labels` are those of the methods.
"""

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import interval
from nbmf_studies.framework.gathering import column_by
from nbmf_studies.klami2015.criteria import WRONG
from nbmf_studies.klami2015.engines import BOHNING, DRAWS, LINE_SEARCH, NAIVE, PG_F
from nbmf_studies.klami2015.paired import difference, ratio

QUANTILES = (0.1, 0.5, 0.9)
NUMBERS = ("error", "extreme_error", "high_error", "log_likelihood")


def binary_ends(ends: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per set-up, engine, way of updating and scale of V's start: means over seeds and intervals."""
    rows = []
    for (set_up, method, update, scale), own in ends.groupby(["set_up", "method", "update", "scale"], sort=False):
        row = {"set_up": set_up, "method": labels[method], "update": update, "scale": scale, "seeds": len(own)}
        if update == DRAWS:
            row["scale"] = np.nan  # a chain begins as it always does
        for name in NUMBERS:
            estimate = interval(own[name].dropna()) if own[name].notna().any() else interval([np.nan])
            row |= {name: estimate.mean, f"{name}, low": estimate.low, f"{name}, high": estimate.high}
        rows.append(row)
    return pd.DataFrame(rows)


def bohning_ratios(ends: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per set-up, way of updating and scale: PG-F (or the naive variant) and Böhning on the same matrices.

    Returns
    -------
    DataFrame
        set_up, method, update and scale (of both, but that the naive variant is exact and Böhning searches), seeds; the
        ratio of errors above .95 and the gain of the log-likelihood in nats per entry, with paired 95 % intervals.
    """
    rows = []
    for (set_up, method, update, scale), own in ends.groupby(["set_up", "method", "update", "scale"], sort=False):
        theirs = {"set_up": set_up, "method": BOHNING, "scale": scale}
        theirs["update"] = LINE_SEARCH if method == NAIVE else update
        if method not in (PG_F, NAIVE) or column_by("seed", ends, "error", **theirs).empty:
            continue
        mine = own.set_index("seed")
        high = ratio(mine["high_error"], column_by("seed", ends, "high_error", **theirs))
        gain = difference(mine["log_likelihood"], column_by("seed", ends, "log_likelihood", **theirs))
        row = {
            **{"set_up": set_up, "method": labels[method], "update": update, "scale": scale, "seeds": len(own)},
            **{"ratio of errors above .95": high.mean, "ratio, low": high.low, "ratio, high": high.high},
            **{"gain of log-likelihood": gain.mean, "gain, low": gain.low, "gain, high": gain.high},
        }
        rows.append(row)
    return pd.DataFrame(rows)


def discovery_times(patterns: pd.DataFrame) -> pd.DataFrame:
    """Return a row per engine and seed: the first iteration and CPU seconds with patterns found, or infinity."""
    rows = []
    for (method, seed), trace in patterns.groupby(["method", "seed"], sort=False):
        arrived = trace[trace["wrong"] <= WRONG].sort_values("iteration")
        first = arrived.iloc[0] if len(arrived) else {"iteration": np.inf, "seconds": np.inf}
        rows.append({"method": method, "seed": seed, **{name: first[name] for name in ("iteration", "seconds")}})
    return pd.DataFrame(rows)


def pattern_times(patterns: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per engine: how many seeds have found their patterns, and quantiles of the iteration at which."""
    rows = []
    for method, times in discovery_times(patterns).groupby("method", sort=False):
        at = times["iteration"]
        quantiles = {f"iteration, {share:.0%} of seeds": at.quantile(share, "higher") for share in QUANTILES}
        seconds = times["seconds"].quantile(0.5, "higher")
        row = {"seeds": len(times), "found": int(np.isfinite(at).sum())}
        rows.append({"method": labels[method], **row, **quantiles, "seconds, 50% of seeds": seconds})
    return pd.DataFrame(rows)


def size_differences(sizes: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per set-up, size and comparison method: how much larger its error is than PG-F's, paired."""
    rows = []
    for (set_up, N, D, method), own in sizes.groupby(["set_up", "N", "D", "method"], sort=False):
        mine = column_by("seed", sizes, "error", set_up=set_up, N=N, D=D, method=PG_F)
        theirs = own.set_index("seed")["error"]
        row = {"set_up": set_up, "N": N, "D": D, "method": labels[method], "seeds": len(own), "error": theirs.mean()}
        if method != PG_F and len(mine):
            estimate = difference(theirs, mine)
            row |= estimate.columns("more than PG-F")
        rows.append({**row, "s per iteration": (own["seconds"] / own["iteration"]).mean()})
    return pd.DataFrame(rows)


def observed_times(observed: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row per engine, size and share of observed entries: CPU time per iteration.

    Returns
    -------
    DataFrame
        method, N, D, share, observed entries, seeds; ms per iteration (mean over seeds and its 95 % interval), ns per
        observed entry, and how many times the first shape's it is, on the seeds of both.
    """
    table = observed.assign(ms=1e3 * observed["seconds"] / observed["iteration"])
    rows = []
    for method, every in table.groupby("method", sort=False):
        shapes = list(every.groupby(["N", "D", "share"], sort=False))
        first = shapes[0][1].set_index("seed")["ms"]
        for (N, D, share), own in shapes:
            entries, found = round(N * D * share), interval(own["ms"])
            times = ratio(own.set_index("seed")["ms"], first)
            row = {
                **{"method": labels[method], "N": N, "D": D, "share": share, "observed": entries},
                **{"seeds": len(own), "ms per iteration": found.mean, "low": found.low, "high": found.high},
                "ns per observed entry": 1e6 * found.mean / entries,
                "times the first": times.mean,
            }
            rows.append(row)
    return pd.DataFrame(rows)
