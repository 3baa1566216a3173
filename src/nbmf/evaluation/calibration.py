"""Whether predicted probabilities are right: held-out entries by what was predicted for them."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from nbmf.best_K import best_K, mean_by_mask

BIN = ["dataset", "method", "K", "bin"]


def pool(calibration: pd.DataFrame, scores: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return the bins of each method at its best K, of all masks and seeds together.

    An entry counts as often as it is held out.

    Parameters
    ----------
    calibration : DataFrame
        As `nbmf.evaluation.score_table.gather_calibration` makes it.
    scores : DataFrame
        Of the same fits, as `nbmf.evaluation.score_table.gather_scores` makes it: the best K is
        that of the mean perplexity, see `nbmf.best_K`.
    labels : dict
        The methods that are pooled, and their names.

    Returns
    -------
    DataFrame
        dataset, method, K, bin, entries, mean_p, share_of_ones. Methods without calibration, or
        without a K that has all masks, are left out.
    """
    parts = []
    for (dataset, method), fits in scores.groupby(["dataset", "method"], sort=False):
        is_own = (calibration["dataset"] == dataset) & (calibration["method"] == method)
        if method in labels:
            parts.append(calibration[is_own & (calibration["K"] == best_K(fits))])
    chosen = pd.concat(parts)
    sums = chosen[[*BIN, "entries"]].assign(
        mean_p=chosen["entries"] * chosen["mean_p"], share_of_ones=chosen["entries"] * chosen["share_of_ones"]
    )
    pooled = sums.groupby(BIN, sort=False).sum().reset_index()
    means = pooled[["mean_p", "share_of_ones"]].div(pooled["entries"], axis=0)
    order = pooled.groupby(BIN[:2], sort=False).ngroup()  # a bin may be new in a later mask
    return (
        pooled.assign(**means, order=order)
        .sort_values(["order", "bin"])[[*BIN, "entries", "mean_p", "share_of_ones"]]
        .reset_index(drop=True)
    )


def tabulate(reliability: pd.DataFrame, scores: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return how well the probabilities of each method are calibrated, with their scores.

    Parameters
    ----------
    reliability : DataFrame
        As `pool` makes it.
    scores, labels
        As for `pool`.

    Returns
    -------
    DataFrame
        dataset, method, label, K, masks, log_score (the perplexity, nats per held-out entry) and
        brier, means over masks, and calibration_error: the mean of |proportion of ones - mean p| over
        the bins of all masks together, weighted by their entries.
    """
    columns = ["dataset", "method", "label", "K", "masks"]
    columns += ["log_score", "brier", "calibration_error"]
    return pd.DataFrame(_rows(reliability, scores, labels), columns=columns)


def _rows(reliability: pd.DataFrame, scores: pd.DataFrame, labels: dict[str, str]) -> Iterator[list]:
    for (dataset, method, K), bins in reliability.groupby(BIN[:3], sort=False):
        is_own = (scores["dataset"] == dataset) & (scores["method"] == method)
        fits = scores[is_own & (scores["K"] == K)]
        log_score, brier = mean_by_mask(fits, "perplexity"), mean_by_mask(fits, "brier")
        distance = (bins["share_of_ones"] - bins["mean_p"]).abs()
        error = np.average(distance, weights=bins["entries"])
        key = [dataset, method, labels[method], K, len(log_score)]
        yield [*key, log_score.mean(), brier.mean(), error]
