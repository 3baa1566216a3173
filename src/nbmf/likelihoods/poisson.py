"""The Poisson likelihood: counts or missing, scored by the predicted rate."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from nbmf.data.count_matrix import ALLOWED, CountMatrix, as_tallies
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt, refuse_other_forms

# A rate below this is scored as if it were this: a count of one where a rate of zero was predicted
# costs 36.7 nats instead of infinity, and is counted as saturated.
SMALLEST_RATE = 2.0**-53


class CountLoss(LossAt):
    """Scores rates; see Likelihood.loss_at."""

    def __init__(self, tallies: np.ndarray, entries: np.ndarray):
        self._counts = self._take(tallies, entries).astype(float)
        self._constant = float(gammaln(self._counts + 1.0).sum())

    def __call__(self, prediction: np.ndarray) -> Loss:
        """Return the loss of E[v] at the entries as rates of Poisson distributions, float array (n,)."""
        counts, rate = self._counts, np.asarray(prediction, float)
        saturated = int(np.count_nonzero((rate < SMALLEST_RATE) & (counts > 0)))
        log_rate = np.log(np.maximum(rate, SMALLEST_RATE))
        total = np.maximum(rate, 0.0).sum() - counts @ log_rate + self._constant
        return Loss(float(total), int(counts.size), saturated)


class Poisson(Likelihood):
    """Values are int32 counts (F, N), -1 where missing; v ~ Poisson(E[v])."""

    name = "poisson"
    matrix = CountMatrix
    limits = (0.0, np.inf)
    loss = CountLoss

    def values_of(self, V: Any) -> np.ndarray:
        """Return the counts of a CountMatrix, an array or a DataFrame."""
        refuse_other_forms(V, ALLOWED)
        return as_tallies(V)

    def sparse_values_of(self, V: Any) -> Any:
        """Return the counts, and what is missing, of a matrix of scipy.sparse."""
        from nbmf.data.sparse_counts import SparseCounts  # scipy.sparse takes a moment

        return SparseCounts.of(V)

    def losses(self, values: np.ndarray, prediction: Any) -> np.ndarray:
        """Return the losses of rates, float array (n,)."""
        log_rate = np.log(np.maximum(prediction, SMALLEST_RATE))
        return np.maximum(prediction, 0.0) - values * log_rate + gammaln(values + 1.0)


POISSON = Poisson()
