"""Gamma distributions of precisions and sizes, by shape and rate."""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln


class Gamma(NamedTuple):
    """Gamma distributions, one or many.

    shape, rate : float or array
    """

    shape: np.ndarray
    rate: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """E[x]."""
        return self.shape / self.rate

    @property
    def mean_log(self) -> np.ndarray:
        """E[log x]."""
        return digamma(self.shape) - np.log(self.rate)

    def divergence(self, prior: "Gamma") -> float:
        """Return the sum of the Kullback-Leibler divergences KL(self || prior) in nats."""
        a, b = self.shape, self.rate
        each = (
            (a - prior.shape) * digamma(a)
            - gammaln(a)
            + gammaln(prior.shape)
            + prior.shape * (np.log(b) - np.log(prior.rate))
            + a * (prior.rate - b) / b
        )
        return float(np.sum(each))
