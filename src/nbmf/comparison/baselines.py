"""Predictions that use no component: what a method has to beat."""

from typing import Any

import numpy as np
import pandas as pd

from nbmf.comparison.effects import row_and_column_effects
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.likelihoods.bernoulli import BERNOULLI

# Baselines by name, and what they predict for a person.
BASELINES = {
    "overall-share": "the overall share of ones",
    "column-shares": "each column's share of ones",
    "row-shares": "each row's share of ones",
    "effects": "row and column effects",
}
AXES = {"overall-share": None, "column-shares": 0, "row-shares": 1}  # that shares are taken along


def prediction(name: str, codes: np.ndarray) -> np.ndarray:
    """Return what a baseline predicts, P(v = 1), float array (F, N).

    A share is (ones + 1) / (entries + 2), the posterior mean under a uniform prior: never 0 or 1.
    Effects are those of `nbmf.comparison.effects`.

    Parameters
    ----------
    name : str
        One of BASELINES.
    codes : int8 array (F, N)
        1, 0, -1 (missing or held out).
    """
    if name == "effects":
        return row_and_column_effects(codes)
    axis = AXES[name]
    ones = (codes == 1).sum(axis=axis, keepdims=True)
    share = (ones + 1) / ((codes != MISSING).sum(axis=axis, keepdims=True) + 2)
    return np.broadcast_to(share, codes.shape)


def baseline_score(name: str, matrix: BinaryMatrix, mask: np.ndarray) -> dict[str, Any]:
    """Score what a baseline, given the other entries, predicts of the held-out ones.

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
    loss_at = BERNOULLI.loss_at(matrix.codes, mask)
    given = prediction(name, BERNOULLI.hide(matrix.codes, mask))[loss_at.rows, loss_at.columns]
    loss, brier = loss_at(given), loss_at.further_scores(given)["brier"]
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
        for name, label in BASELINES.items():
            found = baseline_score(name, one.matrix, one.mask)
            key = {"dataset": one.dataset, "baseline": name, "label": label, "mask": one.number}
            rows.append({**key, **found, "n_train": n_observed - found["n_test"]})
    columns = ["dataset", "baseline", "label", "mask", "n_test", "n_train", "perplexity", "brier"]
    return pd.DataFrame(rows, columns=columns)
