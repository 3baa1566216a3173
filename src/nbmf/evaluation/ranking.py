"""Which method predicts a dataset best, and how far the others are behind."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.best_K import best_K, mean_by_mask
from nbmf.evaluation.recommendation import Margin, margin_of

FACTS = ("seconds", "components", "fewest", "most")


def rank(scores: pd.DataFrame, baselines: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return the methods of each dataset, the smallest mean log loss first.

    A method is represented by its best K, see `nbmf.best_K`. Several seeds of a mask
    count as their mean.

    Parameters
    ----------
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it.
    baselines : DataFrame
        As `nbmf.evaluation.baselines.tabulate` makes it: ranked with the methods, K = 0.
    labels : dict
        The methods that are ranked, and their names.

    Returns
    -------
    DataFrame
        A row per dataset and method. `mean` and `median` are those of the log loss over masks,
        `brier` is the mean of the Brier score;
        `behind` the mean over masks of the difference to the best, in nats per entry;
        `uncertainty` half the width of its 95 % interval (see `margin_of`; missing for the best
        and from a single mask), and `significant` whether that interval lies above zero.
    """
    rows = []
    for dataset in scores["dataset"].unique():
        dataset_scores = scores[scores["dataset"] == dataset]
        baseline_scores = baselines[baselines["dataset"] == dataset]
        candidates = [_with_best_K(dataset_scores[dataset_scores["method"] == name], name, labels) for name in labels]
        candidates += [
            RankedMethod(name, 0, baseline["label"].iloc[0], *_scores(baseline), [np.nan] * len(FACTS))
            for name, baseline in baseline_scores.groupby("baseline", sort=False)
        ]
        ratio = baseline_scores["n_test"].mean() / baseline_scores["n_train"].mean()
        ranked = [candidate for candidate in candidates if candidate is not None]
        rows += [{"dataset": dataset, **row} for row in _ranked_rows(ranked, ratio)]
    return pd.DataFrame(rows)


def overview(ranking: pd.DataFrame) -> pd.DataFrame:
    """Return the medians of all methods in one table.

    Parameters
    ----------
    ranking : DataFrame
        As `rank` makes it.

    Returns
    -------
    DataFrame
        A row per method or baseline: label, the mean of its ranks over the datasets that it has
        (the smallest first), and for each dataset the median perplexity over masks.
    """
    medians = ranking.pivot(index="label", columns="dataset", values="median")
    ranks = ranking.groupby("label")["rank"].mean().rename("mean_rank")
    columns = [ranks, medians[ranking["dataset"].unique()]]
    return pd.concat(columns, axis=1).sort_values("mean_rank", kind="stable").reset_index()


class RankedMethod(NamedTuple):
    """A method with its best K, its log loss for each mask and its mean Brier score.

    facts : list, what FACTS names
    """

    method: str
    K: int
    label: str
    perplexities: pd.Series
    brier: float
    facts: list


def _scores(fits: pd.DataFrame) -> tuple[pd.Series, float]:
    """Return the log loss for each mask, and the mean Brier score."""
    return mean_by_mask(fits, "perplexity"), mean_by_mask(fits, "brier").mean()


def _with_best_K(fits: pd.DataFrame, method: str, labels: dict[str, str]) -> RankedMethod | None:
    """Return a method at the K with the smallest mean, None if no K has all masks."""
    K = best_K(fits)
    if K is None:
        return None
    chosen = fits[fits["K"] == K]
    return RankedMethod(method, K, labels[method], *_scores(chosen), _facts(chosen))


def _facts(fits: pd.DataFrame) -> list:
    """Return the median seconds of a fit, and median and range of its active components."""
    active = fits["active_components"]
    return [fits["seconds"].median(), active.median(), active.min(), active.max()]


def _ranked_rows(candidates: list[RankedMethod], test_ratio: float) -> Iterator[dict]:
    """Yield a row per candidate, without its dataset."""
    best, *others = sorted(candidates, key=lambda candidate: candidate.perplexities.mean())
    for number, ranked in enumerate([best, *others], start=1):
        values = ranked.perplexities
        behind, is_significant = Margin(0.0, np.nan), None
        if ranked is not best:
            behind = margin_of((values - best.perplexities).to_numpy(), test_ratio)
            is_significant = behind.is_significant
        method = {"rank": number, "method": ranked.method, "label": ranked.label, "K": ranked.K, "masks": len(values)}
        losses = {"mean": values.mean(), "median": values.median(), "brier": ranked.brier}
        margin = {"behind": behind.mean, "uncertainty": behind.uncertainty, "significant": is_significant}
        yield method | losses | margin | dict(zip(FACTS, ranked.facts, strict=True))
