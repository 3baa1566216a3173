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


def draw_weights(counts: np.ndarray, prior: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the weights of each urn from its Dirichlet posterior, float array (rows, K), eq. (26).

    Arguments as for `log_urns`. A Gamma variable of shape a is one of shape a + 1 times U^(1/a),
    U uniform; in logarithms, since with a small prior all weights of an urn without counts may be
    too small for a float before they are normalised.
    """
    shape = prior + counts
    log_weights = np.log(rng.standard_gamma(shape + 1.0))
    log_weights -= rng.standard_exponential(shape.shape) / shape
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


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
