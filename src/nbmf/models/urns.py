"""The probability of draws from urns: a Dirichlet prior with its weights integrated out."""

import numpy as np
from scipy.special import gammaln


def log_urns(counts: np.ndarray, prior: np.ndarray) -> float:
    """Return the log probability in nats of draws from one urn per row, eqs. (24) and (54).

    Parameters
    ----------
    counts : int array (rows, K)
        How often each component was drawn.
    prior : float array (K,)
        Dirichlet hyperparameters.
    """
    totals = counts.sum(axis=1)
    return log_rising(counts, prior) - log_rising(totals, np.array([prior.sum()]))


def expected_weights(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the posterior mean of the weights of each urn, float array (rows, K), eq. (28).

    Arguments as for `log_urns`.
    """
    return (prior + counts) / (prior.sum() + counts.sum(axis=1, keepdims=True))


def log_rising(counts: np.ndarray, prior: np.ndarray) -> float:
    """Return Σ log Γ(prior + counts) - log Γ(prior): the log of rising factorials, summed.

    Parameters
    ----------
    counts : int array
        Not negative.
    prior : float array that broadcasts to it
        Positive.
    """
    if (prior == prior.flat[0]).all():  # counts repeat, so a table saves most of the work
        table = gammaln(prior.flat[0] + np.arange(counts.max(initial=0) + 1))
        return float((table[counts] - table[0]).sum())
    return float((gammaln(prior + counts) - gammaln(prior)).sum())
