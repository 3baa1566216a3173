"""Predictions that use no component: what a method has to beat."""

import numpy as np
import pandas as pd

from nbmf.data.matrix import BinaryMatrix
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.likelihoods.likelihood import Loss

# What a prediction is, and the axis of V along which its shares of ones are taken.
BASELINES = {
    "overall-share": ("the overall share of ones", None),
    "column-shares": ("each column's share of ones", 0),
    "row-shares": ("each row's share of ones", 1),
}


def baseline_score(name: str, matrix: BinaryMatrix, mask: np.ndarray) -> Loss:
    """Score the held-out entries by the shares of ones among the others.

    A share is (ones + 1) / (entries + 2), the posterior mean under a uniform prior: never 0 or 1.

    Parameters
    ----------
    name : str
        One of BASELINES.
    mask : bool array (F, N)
        The held-out entries.
    """
    _, axis = BASELINES[name]
    seen = matrix.observed & ~mask
    ones = ((matrix.codes == 1) & seen).sum(axis=axis, keepdims=True)
    share = (ones + 1) / (seen.sum(axis=axis, keepdims=True) + 2)
    return loss_of(matrix.codes, np.broadcast_to(share, matrix.shape), mask)


def tabulate(masked: list) -> pd.DataFrame:
    """Return the perplexity of every baseline for matrices with masks.

    Parameters
    ----------
    masked : iterable of what has dataset, number, matrix and mask (nbmf.studies.loaded)

    Returns
    -------
    DataFrame
        dataset, baseline, label (what it is), mask, n_test and n_train (held-out entries and the
        others that are observed) and perplexity (nats per held-out entry).
    """
    rows = []
    for one in masked:
        n_observed = np.count_nonzero(one.matrix.observed)
        for name, (label, _) in BASELINES.items():
            found = baseline_score(name, one.matrix, one.mask)
            counts = found.entries, n_observed - found.entries
            rows.append([one.dataset, name, label, one.number, *counts, found.perplexity])
    columns = ["dataset", "baseline", "label", "mask", "n_test", "n_train", "perplexity"]
    return pd.DataFrame(rows, columns=columns)
