"""The tables of the second readings: several starts, Foodmart against one component, stops of fast inference."""

import numpy as np
import pandas as pd

from nbmf_studies.framework.gathering import best_of_starts
from nbmf_studies.shan2009.names import LABELS
from nbmf_studies.shan2009.paired import adjusted_p_values
from nbmf_studies.shan2009.readings import (
    FIT_COLUMNS,
    MMNB,
    MNB,
    TEST,
    compare_stops_with_full,
    start_counts,
    uci_differences,
)

FAST_MMNB = "fast-mmnb"


def several_starts(runs: pd.DataFrame, test_ratio: float) -> pd.DataFrame:
    """Return a row per UCI set and number of starts, and of MMNB and of Fast MMNB against NB.

    Test perplexities by the bound, medians over folds, of the starts with the largest objective; the mean difference of
    their logarithms with its interval, p adjusted over the sets, folds in which it is below zero and those left out as
    one is infinite; the median over folds of how far the objectives of that many starts are apart, in nats.

    Parameters
    ----------
    runs : DataFrame, as runs.tabulate_starts makes it
    test_ratio : float, held-out rows per training row
    """
    rows = []
    for count in start_counts(runs):
        medians = best_of_starts(runs, FIT_COLUMNS, count).groupby(["dataset", "model"], sort=False)["test"].median()
        spread = _spread(runs[runs["start"] < count])
        for model in (MMNB, FAST_MMNB):
            if model not in set(runs["model"]):
                continue
            means = uci_differences(runs, count, model, "test", test_ratio)
            for (dataset, difference), p in zip(means.items(), adjusted_p_values(means.values()), strict=True):
                row = {"dataset": dataset, "starts": count, "model": LABELS[model]}
                row |= {"perplexity": medians[dataset, model], "NB": medians[dataset, MNB]}
                row |= {
                    "ln of the ratio": difference.mean.mean,
                    "low": difference.mean.low,
                    "high": difference.mean.high,
                    "p": p,
                }
                row |= {"folds lower": difference.lower, "folds": difference.folds, "left out": difference.left_out}
                rows.append(row | {"spread": spread[dataset, model], "spread, NB": spread[dataset, MNB]})
    return pd.DataFrame(rows)


def _spread(runs: pd.DataFrame) -> pd.Series:
    """Return the median over folds of the largest objective less the smallest, by dataset and model."""
    objectives = runs.groupby(FIT_COLUMNS, sort=False)["objective"].agg(np.ptp)
    return objectives.groupby(["dataset", "model"], sort=False).median()


def compare_with_one_component(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per K, model and varied setting: means over folds next to those of one component.

    Training and test perplexities by the bound, the best of the starts; folds in which training is worse than one
    component; folds in which components collapsed into fewer; Σα and CPU seconds of a start, medians.

    Parameters
    ----------
    runs : DataFrame, as runs.tabulate_starts makes it
    """
    varied = [name for name in ("first_alpha", "alpha_held") if name in runs]
    if "first_alpha" in varied:
        runs = runs.assign(first_alpha=runs["first_alpha"].astype(object).fillna("default"))
    best = best_of_starts(runs, [*FIT_COLUMNS, *varied])
    rows = []
    for key, fits in best.groupby(["K", "model", *varied], sort=False):
        row = dict(zip(["K", "model", *varied], key, strict=True)) | {"model": LABELS[key[1]]}
        for part in ("training", "test"):
            row |= {part: fits[part].mean(), f"{part}, one component": fits[f"one_{part}"].mean()}
        row["sampled"] = fits["sampled"].mean()
        row |= {"folds": len(fits), "worse than one": int((fits["training"] > fits["one_training"]).sum())}
        row |= {"collapsed": int((fits["distinct"] < fits["K"]).sum()), "sum of alpha": fits["concentration"].median()}
        rows.append(row | {"seconds": fits["seconds"].median()})
    return pd.DataFrame(rows)


def tabulate_stops(test_ratio: dict[str, float], **of_stops: pd.DataFrame) -> pd.DataFrame:
    """Return a row per dataset, K and stop of fast inference: its loss against full inference, and how much faster.

    Losses are of test perplexity, by the bound and sampled, with the interval of their mean over folds; one below zero
    is a gain.

    Parameters
    ----------
    test_ratio : dict, from each experiment to held-out rows per training row
    **of_stops : DataFrame by experiment, as runs.tabulate_starts makes them
    """
    comparisons = pd.concat(
        [compare_stops_with_full(table, test_ratio[name]) for name, table in of_stops.items()], ignore_index=True
    )
    for name in TEST:
        means = [one.mean for one in comparisons.pop(name)]
        loss = "loss" if name == "test" else f"loss, {name}"
        comparisons[loss] = np.expm1([one.mean for one in means])
        comparisons[f"{loss}, low"] = np.expm1([one.low for one in means])
        comparisons[f"{loss}, high"] = np.expm1([one.high for one in means])
    return comparisons.rename(columns={"faster": "times faster"})
