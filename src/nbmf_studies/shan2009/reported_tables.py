"""The paper's tables: its numbers next to ours."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from nbmf.families.mixed_membership.membership_evaluation import mean_and_spread
from nbmf_studies.shan2009 import reported_values
from nbmf_studies.shan2009.names import LABELS

PARTS = ("training", "test")
FULL, FAST = ("lda", "mmnb"), ("fast-lda", "fast-lda-5", "fast-mmnb", "fast-mmnb-5")


def uci(runs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a row per table, floor and model.

    Parameters
    ----------
    runs : DataFrame
        As runs.tabulate_rows makes it.
    measure : str
        One of reported_values.UCI.

    Returns
    -------
    DataFrame
        dataset, floor, model; for training and for test rows the paper's mean over folds, ours and
        its standard deviation, and of perplexities how many folds are infinite, which take no
        part in either, and the medians of test rows, by the bound and sampled.
    """
    given = reported_values.UCI[measure]
    keys = ["dataset", "floor", "model"]
    return _compare_with_paper(runs, keys, measure, lambda key, part: given.get((key[0], key[2], part)))


def binary(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return a row per K and model of a binary table; columns as those of `uci`.

    runs : DataFrame, as runs.tabulate_rows makes it, all of this dataset
    """
    given = reported_values.BINARY[dataset]
    return _compare_with_paper(runs, ["K", "model"], "perplexity", lambda key, part: given.get((*key, part)))


def _compare_with_paper(runs, keys, measure, paper) -> pd.DataFrame:
    rows = []
    for key, group in runs.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True)) | {"model": LABELS[key[-1]]}
        for part in PARTS:
            values = group.loc[group["part"] == part, measure]
            mean, spread, infinite = mean_and_spread(values.tolist())
            row |= {f"{part}, paper": paper(key, part), part: mean, f"{part}, sd": spread}
            if measure == "perplexity":
                row[f"{part}, infinite folds"] = infinite
        if measure == "perplexity":
            tests = group[group["part"] == "test"]
            row["test, median"] = tests["perplexity"].median()
            row["test, sampled"] = tests["sampled"].median()
        rows.append(row)
    return pd.DataFrame(rows)


def entropies(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per UCI set and floor: mean entropies of test rows (nats), and their ratio."""
    tests = runs[(runs["part"] == "test") & runs["model"].isin(("mnb", "mmnb"))]
    means = tests.groupby(["dataset", "floor", "model"], sort=False)["entropy"].mean().unstack()
    means = means[["mmnb", "mnb"]]
    renamed = means.rename(columns=LABELS).reset_index()
    return renamed.assign(ratio=(means["mmnb"] / means["mnb"]).to_numpy())


def precision_of_text(topics: pd.DataFrame) -> pd.DataFrame:
    """Return Table 8: a row per collection and model.

    The paper's micro-precision; ours of the start with the largest objective, and the least and
    the largest of all starts; that start's mean entropy of memberships.
    """
    rows = []
    for (dataset, model), starts in topics.groupby(["dataset", "model"], sort=False):
        best = starts.loc[starts["objective"].idxmax()]
        row = {
            "dataset": dataset,
            "model": LABELS[model],
            "paper": reported_values.PRECISION_OF_TEXT.get((dataset, model)),
            "best start": best["precision"],
            "least": starts["precision"].min(),
            "largest": starts["precision"].max(),
            "starts": len(starts),
            "entropy": best["entropy"],
            "distinct topics": best["distinct"],
        }
        rows.append(row)
    return pd.DataFrame(rows)


def words(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 10: the paper's topics, and ours of the best starts in the order of theirs.

    A topic of ours stands where most words are shared, all topics together; `shared` counts the
    words that it has of the paper's.
    """
    rows = []
    for model, of_model in runs.groupby("model", sort=False):
        best = of_model.loc[of_model["objective"].idxmax(), "topics"]
        ours = best.split(" | ")
        shared = shared_words(ours, reported_values.TOPICS.get(model, reported_values.TOPICS["fast-lda"]))
        for mine, place in zip(*linear_sum_assignment(-shared), strict=True):
            rows.append({"topic": place + 1, "of": LABELS[model], "shared": shared[mine, place], "words": ours[mine]})
    paper = [
        {"topic": place + 1, "of": f"{LABELS[model]}, paper", "shared": len(one.split()), "words": one}
        for model, given in reported_values.TOPICS.items()
        for place, one in enumerate(given)
    ]
    rows_of_both = pd.DataFrame([*paper, *rows])
    return rows_of_both.sort_values("topic", kind="stable").reset_index(drop=True)


def shared_words(ours: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """Return how many words each list of ours shares with each other list, int array (ours, others)."""
    return np.array([[len(set(one.split()) & set(other.split())) for other in others] for one in ours])


def compare_fast_with_full(ratings: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Return a row per table, K, ε and way of fast inference, next to full inference.

    Perplexities of test rows as shares of those of full inference, by the bound and sampled, times
    by which it is faster (median CPU seconds of a fit and its test), in all and per iteration,
    collapsed folds of either, and folds that were stopped by the number of iterations.
    """
    rows = []
    tests = pd.concat([ratings, text])
    tests = tests[tests["part"] == "test"]
    for key, runs in tests.groupby(["dataset", "K", "smoothing"], sort=False):
        models = dict(iter(runs.groupby("model")))
        full = next((models[name] for name in FULL if name in models), None)
        for name in FAST:
            if full is not None and name in models:
                row = dict(zip(("dataset", "K", "smoothing"), key, strict=True))
                rows.append(row | {"model": LABELS[name], **_ratios(models[name], full)})
    return pd.DataFrame(rows)


def _ratios(fast: pd.DataFrame, full: pd.DataFrame) -> dict:
    steps = [(runs["seconds"] / runs["iterations"]).median() for runs in (full, fast)]
    collapsed = [int((runs["distinct"] < runs["K"]).sum()) for runs in (fast, full)]
    return {
        "perplexity": fast["perplexity"].median() / full["perplexity"].median(),
        "sampled": fast["sampled"].median() / full["sampled"].median(),
        "times faster": full["seconds"].median() / fast["seconds"].median(),
        "times faster per iteration": steps[0] / steps[1],
        "seconds": fast["seconds"].median(),
        "collapsed": collapsed[0],
        "collapsed, full": collapsed[1],
        "not converged": int((~fast["converged"].astype(bool)).sum()),
    }
