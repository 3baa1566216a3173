"""The negative binomial likelihood: counts or missing, scored by predicted means and sizes."""

import numpy as np
from scipy.special import gammaln, logsumexp

from nbmf.likelihoods.likelihood import Loss, LossAt
from nbmf.likelihoods.poisson import SMALLEST_RATE, Poisson

LARGE = 2.0**14  # of sizes: above, the logarithm of a Γ function has lost digits


class MixtureLoss(LossAt):
    """Scores means and sizes; see Likelihood.loss_at.

    With mean m and size r, p(x) = Γ(x + r) / (Γ(r) x!) (m / (m + r))^x (r / (m + r))^r; the
    variance is m + m²/r, and as r grows this is the Poisson distribution of the same mean.
    """

    def __init__(self, tallies: np.ndarray, entries: np.ndarray):
        self._counts = self._take(tallies, entries).astype(float)

    def __call__(self, prediction: tuple[np.ndarray, np.ndarray]) -> Loss:
        """Return the loss of means and sizes at the entries.

        Float arrays (n,), or (S, n): the distribution is then the mixture of S with equal weights, as what
        is not known of the mean makes it.
        """
        mean, size = (np.asarray(part, float) for part in prediction)
        x = self._counts
        largest = mean.max(axis=0) if mean.ndim > 1 else mean
        saturated = int(np.count_nonzero((largest < SMALLEST_RATE) & (x > 0)))
        return Loss(float(losses_of(x, mean, size).sum()), int(x.size), saturated)


class NegativeBinomial(Poisson):
    """Values are those of the Poisson likelihood; a prediction is (mean, size)."""

    name = "negative-binomial"
    loss = MixtureLoss

    def losses(self, values: np.ndarray, prediction: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return the losses of means and sizes, float arrays (n,); of several distributions of equal weight (S, n)."""
        return losses_of(values, *prediction)


def losses_of(x: np.ndarray, mean: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return minus the log probability of counts (n,), in nats; of several means (S, n), under their mixture."""
    m = np.maximum(mean, SMALLEST_RATE)
    each = log_gamma_ratio(x, size) - gammaln(x + 1.0) - x * np.log1p(size / m) - size * np.log1p(m / size)
    return -(logsumexp(each, axis=0) - np.log(len(each)) if each.ndim > 1 else each)


def log_gamma_ratio(x: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return ln Γ(x + r) / Γ(r); of large r by Stirling's series, since the difference of logarithms cancels there."""
    usual, large = np.minimum(size, LARGE), np.maximum(size, LARGE)
    of_series = (large - 0.5) * np.log1p(x / large) + x * np.log(x + large) - x
    of_series += (1.0 / (x + large) - 1.0 / large) / 12.0  # the next term is below 1e-15
    return np.where(size > LARGE, of_series, gammaln(x + usual) - gammaln(usual))


NEGATIVE_BINOMIAL = NegativeBinomial()
