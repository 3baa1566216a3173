"""The Gaussian likelihood: real values, scored by the log density that was predicted for them."""

import math
from typing import Any

import numpy as np

from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


class DensityLoss(LossAt):
    """Scores normal densities; see Likelihood.loss_at.

    The loss is the negative log density in nats per entry, so that it depends on the unit of the
    values, may be below zero, and is comparable between methods on the same matrix only.
    """

    def __init__(self, values: np.ndarray, entries: np.ndarray):
        self._values = self._take(values, entries)

    def __call__(self, prediction: tuple[np.ndarray, np.ndarray]) -> Loss:
        """Return the loss of means and standard deviations at the entries, float arrays (n,).

        They are those of the predictive distribution, with what is not known of the mean in the
        standard deviation, and the density is that of the normal distribution which has them.

        Raises
        ------
        DataError
            If a standard deviation is not positive.
        """
        mean, deviation = (np.asarray(part, float) for part in prediction)
        if not (deviation > 0).all():
            wrong = deviation[~(deviation > 0)].flat[0]
            raise DataError(f"a predicted standard deviation is {wrong}: must be above 0")
        z = (self._values - mean) / deviation
        loss = 0.5 * z**2 + np.log(deviation) + HALF_LOG_2PI
        return Loss(float(loss.sum()), int(loss.size), 0)


class Gaussian(Likelihood):
    """Values are finite floats (F, N), NaN where missing; a prediction is (mean, deviation)."""

    name = "gaussian"
    matrix = RealMatrix
    loss = DensityLoss

    def values_of(self, V: Any) -> np.ndarray:
        """Return the values of a RealMatrix, an array or a DataFrame."""
        return RealMatrix.values_of(V)

    def is_observed(self, values: np.ndarray) -> np.ndarray:
        """Return where there is a number."""
        return ~np.isnan(values)

    def hide(self, values: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Return the values with `entries` turned missing."""
        return np.where(entries, np.nan, values)


GAUSSIAN = Gaussian()
