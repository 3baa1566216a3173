"""Held-out losses of one method against another on the same masks, with an interval."""

import numpy as np
import pandas as pd
from scipy.stats import binom

LEVEL = 0.95


def tabulate(scores: pd.DataFrame, pairs: list[list[str]]) -> pd.DataFrame:
    """Return the median of paired ratios per dataset and pair of methods.

    A method stands for itself at the K with the smallest median over masks; seeds of a mask count
    as their mean. The interval lies between order statistics (sign test): it holds whatever the
    distribution of the ratios is.

    Parameters
    ----------
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it.
    pairs : list of [method, other]

    Returns
    -------
    DataFrame
        dataset, method, other, masks, perplexity and other_perplexity (medians, nats per entry),
        ratio, low, high, coverage of the interval, and `at_most_1.01`: whether `high` is, so that the method is
        certainly no more than 1 % worse.
    """
    rows = []
    for dataset in scores["dataset"].unique():
        of_dataset = scores[scores["dataset"] == dataset]
        for method, other in pairs:
            first, second = _perplexity_by_mask(of_dataset, method), _perplexity_by_mask(of_dataset, other)
            if first is None or second is None:
                continue
            ratios = np.sort((first / second).dropna().to_numpy())
            rank, coverage = interval_of_median(ratios.size)
            low, high = ratios[rank - 1], ratios[ratios.size - rank]
            medians = first.median(), second.median()
            row = [dataset, method, other, ratios.size, *medians, np.median(ratios), low, high]
            rows.append([*row, coverage, bool(high <= 1.01)])
    names = ["dataset", "method", "other", "masks", "perplexity", "other_perplexity"]
    return pd.DataFrame(rows, columns=[*names, "ratio", "low", "high", "coverage", "at_most_1.01"])


def interval_of_median(n: int) -> tuple[int, float]:
    """Return the rank r and the coverage of the r-th smallest to r-th largest of n numbers.

    The narrowest with at least LEVEL; with too few numbers, all of them.
    """
    rank = 1
    while rank + 1 <= n // 2 and 1.0 - 2.0 * binom.cdf(rank, n, 0.5) >= LEVEL:
        rank += 1
    return rank, float(1.0 - 2.0 * binom.cdf(rank - 1, n, 0.5))


def _perplexity_by_mask(scores: pd.DataFrame, method: str) -> pd.Series | None:
    """Return the perplexity of each mask at the best K, None without fits."""
    of_method = scores[scores["method"] == method]
    if of_method.empty:
        return None
    by_mask = of_method.groupby(["K", "mask"])["perplexity"].mean()
    best = by_mask.groupby("K").median().idxmin()
    return by_mask[best]
