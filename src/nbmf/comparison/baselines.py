"""Predictions that use no component: what a method has to beat."""

from typing import Any

import numpy as np
import pandas as pd

from nbmf.data.matrix import BinaryMatrix
from nbmf.likelihoods.bernoulli import BERNOULLI

# What a prediction is, and the axis of V along which its shares of ones are taken.
BASELINES = {
    "overall-share": ("the overall share of ones", None),
    "column-shares": ("each column's share of ones", 0),
    "row-shares": ("each row's share of ones", 1),
}


def baseline_score(name: str, matrix: BinaryMatrix, mask: np.ndarray) -> dict[str, Any]:
    """Score the held-out entries by the shares of ones among the others.

    A share is (ones + 1) / (entries + 2), the posterior mean under a uniform prior: never 0 or 1.

    Parameters
    ----------
    name : str
        One of BASELINES.
    mask : bool array (F, N)
        The held-out entries.

    Returns
    -------
    dict
        n_test (int, held-out entries), perplexity (nats per held-out entry) and brier.
    """
    _, axis = BASELINES[name]
    seen = matrix.observed & ~mask
    ones = ((matrix.codes == 1) & seen).sum(axis=axis, keepdims=True)
    share = (ones + 1) / (seen.sum(axis=axis, keepdims=True) + 2)
    loss_at = BERNOULLI.loss_at(matrix.codes, mask)
    prediction = np.broadcast_to(share, matrix.shape)[loss_at.rows, loss_at.columns]
    loss, brier = loss_at(prediction), loss_at.further_scores(prediction)["brier"]
    return {"n_test": loss.entries, "perplexity": loss.perplexity, "brier": brier}


def tabulate(masked: list) -> pd.DataFrame:
    """Return the scores of every baseline for matrices with masks.

    Parameters
    ----------
    masked : iterable of what has dataset, number, matrix and mask (nbmf.studies.loaded)

    Returns
    -------
    DataFrame
        dataset, baseline, label (what it is), mask, n_test and n_train (held-out entries and the
        others that are observed), perplexity (nats per held-out entry) and brier.
    """
    rows = []
    for one in masked:
        n_observed = np.count_nonzero(one.matrix.observed)
        for name, (label, _) in BASELINES.items():
            found = baseline_score(name, one.matrix, one.mask)
            key = {"dataset": one.dataset, "baseline": name, "label": label, "mask": one.number}
            rows.append({**key, **found, "n_train": n_observed - found["n_test"]})
    columns = ["dataset", "baseline", "label", "mask", "n_test", "n_train", "perplexity", "brier"]
    return pd.DataFrame(rows, columns=columns)
