"""Scores of an undirected network: a tie has one probability, the mean of what is predicted of both entries."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.symmetry import mean_of_directions
from nbmf.likelihoods.bernoulli import Bernoulli


def are_ties(matrix: NamedMatrix, mask: np.ndarray) -> bool:
    """Whether a binary matrix is symmetric, and both entries of each pair that is observed are held out together."""
    if not (isinstance(matrix, BinaryMatrix) and matrix.is_symmetric()):
        return False
    both = matrix.observed & matrix.observed.T
    return bool((mask == mask.T)[both].all())


def score_of_ties(
    predict: Callable[[np.ndarray, np.ndarray], np.ndarray], matrix: BinaryMatrix, mask: np.ndarray
) -> dict[str, Any]:
    """Return perplexity (nats per held-out entry), brier and saturated of ties, as the structure test scores them.

    Parameters
    ----------
    predict : function
        From rows and columns, int arrays (n,), to the probability of a one of each.
    matrix : BinaryMatrix (F, F), symmetric
    mask : bool array (F, F), the held-out entries
    """
    loss_at = Bernoulli().loss_at(matrix.codes, mask)
    prediction = mean_of_directions(predict, loss_at.rows, loss_at.columns)
    loss = loss_at(prediction)
    brier = loss_at.further_scores(prediction).get("brier", math.nan)
    return {"perplexity": loss.perplexity, "brier": brier, "saturated": loss.saturated}
