"""The negative binomial likelihood: counts or missing, scored by predicted means and sizes."""

import numpy as np
from scipy.special import gammaln, logsumexp

from nbmf.errors import DataError
from nbmf.likelihoods.likelihood import Loss, LossAt, places
from nbmf.likelihoods.poisson import SMALLEST_RATE, Poisson


class MixtureLoss(LossAt):
    """Scores means and sizes; see Likelihood.loss_at.

    With mean m and size r, p(x) = Γ(x + r) / (Γ(r) x!) (m / (m + r))^x (r / (m + r))^r; the
    variance is m + m²/r, and as r grows this is the Poisson distribution of the same mean.
    """

    unit = "entry"

    def __init__(self, tallies: np.ndarray, entries: np.ndarray):
        self.rows, self.columns = places(tallies, entries)
        self._counts = tallies[self.rows, self.columns].astype(float)
        if unknown := int(np.count_nonzero(self._counts < 0)):
            raise DataError(f"entries: {unknown} of those to score are missing in the counts")
        if self._counts.size == 0:
            raise DataError("there is nothing to score: no entry is held out")

    def __call__(self, prediction: tuple[np.ndarray, np.ndarray]) -> Loss:
        """Return the loss of means and sizes at the entries.

        Float arrays (n,), or (S, n): the distribution is then the mixture of S with equal weights, as what
        is not known of the mean makes it.
        """
        mean, size = (np.asarray(part, float) for part in prediction)
        x, m = self._counts, np.maximum(mean, SMALLEST_RATE)
        each = gammaln(x + size) - gammaln(size) - gammaln(x + 1.0) - x * np.log1p(size / m) - size * np.log1p(m / size)
        if each.ndim > 1:
            each = logsumexp(each, axis=0) - np.log(len(each))
            mean = mean.max(axis=0)
        saturated = int(np.count_nonzero((mean < SMALLEST_RATE) & (x > 0)))
        return Loss(float(-each.sum()), int(x.size), saturated)


class NegativeBinomial(Poisson):
    """Values are those of the Poisson likelihood; a prediction is (mean, size)."""

    name = "negative-binomial"

    def loss_at(self, values: np.ndarray, entries: np.ndarray) -> LossAt:
        """Return the loss of means and sizes at `entries`."""
        return MixtureLoss(values, entries)

    def losses(self, values: np.ndarray, prediction: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return the losses of means and sizes, float arrays (n,); of several distributions of equal weight (S, n)."""
        mean, size = prediction
        m = np.maximum(mean, SMALLEST_RATE)
        each = gammaln(values + size) - gammaln(size) - gammaln(values + 1.0)
        each = each - values * np.log1p(size / m) - size * np.log1p(m / size)
        if each.ndim > 1:
            each = logsumexp(each, axis=0) - np.log(len(each))
        return -each


NEGATIVE_BINOMIAL = NegativeBinomial()
