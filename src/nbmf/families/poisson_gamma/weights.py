"""What weights say about the evidence log p(V), and how sure that is."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp


class Evidence(NamedTuple):
    """What is known of log p(V).

    - value : float, nats
    - error : float, standard error in nats; of the bound the standard deviation over starts, NaN of
      a single one
    - effective_size : float, how many independent weights the average is worth; below about ten the
      error means nothing. Of the bound how many starts there were
    - kind : "bound", "chib" or "annealed"
    """

    value: float
    error: float
    effective_size: float
    kind: str


def evidence_of_weights(log_weights: np.ndarray, kind: str, batches: int = 0) -> Evidence:
    """Return the log of the mean of weights; of a chain the error is that of batches of it.

    Parameters
    ----------
    log_weights : float array (n,), nats
    kind : str
        Of the Evidence.
    batches : int
        0: the weights are independent.
    """
    largest = log_weights.max()
    weights = np.exp(log_weights - largest)
    parts = weights
    if batches:
        parts = np.array([part.mean() for part in np.array_split(weights, batches)])
    error = float(parts.std(ddof=1) / np.sqrt(parts.size) / weights.mean()) if parts.size > 1 else np.nan
    size = float(weights.sum() ** 2 / (weights**2).sum())
    value = float(logsumexp(log_weights) - np.log(log_weights.size))
    return Evidence(value, error, size, kind)
