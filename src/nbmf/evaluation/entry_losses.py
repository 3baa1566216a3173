"""The loss of every single entry: what a likelihood adds up, for errors that know rows and columns.

`LossAt` of a likelihood has the same sum.
"""

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from nbmf.likelihoods.bernoulli import BERNOULLI, SMALLEST_PROBABILITY
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.likelihoods.ordered import ORDERED, probability_of
from nbmf.likelihoods.poisson import POISSON, SMALLEST_RATE


def losses_of(likelihood: Likelihood, values: np.ndarray, prediction: Any) -> np.ndarray:
    """Return minus the log probability of each value, in nats, float array (n,).

    Parameters
    ----------
    likelihood : BERNOULLI, POISSON, NEGATIVE_BINOMIAL or ORDERED
    values : int array (n,)
        None is missing.
    prediction
        What the likelihood scores: P(v = 1), E[v], or E[v] and a size, float arrays (n,); of
        several laws of equal weight (S, n). Of categories the probability of each, (n, C).
    """
    return _OF_LAWS[likelihood](values, prediction)


def _of_ones(values: np.ndarray, probability: np.ndarray) -> np.ndarray:
    chance = np.where(values == 1, probability, 1.0 - probability)
    return -np.log(np.maximum(chance, SMALLEST_PROBABILITY))


def _of_rates(values: np.ndarray, rate: np.ndarray) -> np.ndarray:
    log_rate = np.log(np.maximum(rate, SMALLEST_RATE))
    return np.maximum(rate, 0.0) - values * log_rate + gammaln(values + 1.0)


def _of_means_and_sizes(values: np.ndarray, prediction: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    mean, size = prediction
    m = np.maximum(mean, SMALLEST_RATE)
    each = gammaln(values + size) - gammaln(size) - gammaln(values + 1.0)
    each = each - values * np.log1p(size / m) - size * np.log1p(m / size)
    if each.ndim > 1:
        each = logsumexp(each, axis=0) - np.log(len(each))
    return -each


def _of_categories(values: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(probability_of(values, probabilities), SMALLEST_PROBABILITY))


_OF_LAWS = {BERNOULLI: _of_ones, POISSON: _of_rates, NEGATIVE_BINOMIAL: _of_means_and_sizes, ORDERED: _of_categories}
