"""The prior of the coordinates of one side, as far as it is learned: precisions, and the mean of effects."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.group_means import GroupMeans
from nbmf.numerics.normal_effects import INTERCEPT_VARIANCE


class Coordinates(NamedTuple):
    """The prior of each coordinate of a side: normal with some precision and mean 0, or a mean that is learned.

    precision : float array (R,), of those that are fixed
    free : bool array (R,); the others are clamped to 1
    learned : int array, coordinates whose precision α is learned (automatic relevance
        determination, effects); empty if none is
    prior : Gamma, of each α, or of all of them
    carrier : int or None, the coordinate whose prior has a learned mean m, the intercept
    """

    precision: np.ndarray
    free: np.ndarray
    learned: np.ndarray
    prior: Gamma
    carrier: int | None = None

    def without_components(self, K: int) -> "Coordinates":
        """Return them with precisions that are not learned of the first K."""
        kept = self.learned >= K
        prior = Gamma(*(np.broadcast_to(part, kept.shape)[kept] for part in self.prior))
        return self._replace(learned=self.learned[kept], prior=prior)


class LearnedPrior(ABC):
    """q(α) q(m), given a q of the coordinates of n rows or columns, which derived classes have.

    Parameters
    ----------
    coordinates : Coordinates

    Attributes
    ----------
    precision, center : float arrays (R,)
        <p> and <m>, of the prior.
    center_variance : float
        Of m under q.
    posterior : Gamma or None
        q(α), once it is learned.
    groups : GroupMeans or None
        Of rows that have groups, whose means they vary around.
    """

    groups: GroupMeans | None = None
    mean: np.ndarray  # of the coordinates, float array (n, R)

    def __init__(self, coordinates: Coordinates):
        self.coordinates = coordinates
        self.precision = np.array(coordinates.precision, float)
        self.center = np.zeros(coordinates.free.size)
        self.center_variance = 0.0 if coordinates.carrier is None else INTERCEPT_VARIANCE
        self.posterior = None

    @property
    def centers(self) -> np.ndarray:
        """The mean of each row or column a priori, float array (n, R)."""
        if self.groups is None:
            return np.tile(self.center, (len(self.mean), 1))
        return self.center + self.groups.row_moments[0]

    @property
    @abstractmethod
    def squares(self) -> np.ndarray:
        """<u²> of every coordinate, float array (n, R)."""

    @abstractmethod
    def entropies(self) -> float:
        """Return the entropy of q less log(2π) / 2 per free coordinate."""

    def learn_precision(self) -> None:
        """Renew q(α)."""
        learned, prior = self.coordinates.learned, self.coordinates.prior
        if learned.size:
            sums = self.squares[:, learned].sum(axis=0) + self._around_center()[learned]
            shape = np.full(learned.size, prior.shape + 0.5 * len(self.mean))
            self.posterior = Gamma(shape, prior.rate + 0.5 * sums)
            self.precision[learned] = self.posterior.mean

    def _around_center(self) -> np.ndarray:
        """Return Σ <(u - m)²> - Σ <u²> over the rows, float array (R,)."""
        more, carrier, n = np.zeros(len(self.center)), self.coordinates.carrier, len(self.mean)
        if self.groups is not None:
            centers = self.centers
            more = (centers**2 + self.groups.row_moments[1] - 2.0 * centers * self.mean).sum(axis=0)
            if carrier is not None:
                more[carrier] += n * self.center_variance
        elif carrier is not None:
            m = self.center[carrier]
            more[carrier] = n * (m**2 + self.center_variance) - 2.0 * m * self.mean[:, carrier].sum()
        return more

    def learn_center(self) -> None:
        """Renew q(m)."""
        carrier, n = self.coordinates.carrier, len(self.mean)
        precision = self.precision[carrier]
        self.center_variance = 1.0 / (1.0 / INTERCEPT_VARIANCE + n * precision)
        total = self.mean[:, carrier].sum()
        if self.groups is not None:
            total -= self.groups.row_moments[0][:, carrier].sum()
        self.center[carrier] = self.center_variance * precision * total

    def _divergence_of_center(self) -> float:
        """Return KL(q(m) || N(0, INTERCEPT_VARIANCE)) in nats, 0 where m is not learned."""
        carrier = self.coordinates.carrier
        if carrier is None:
            return 0.0
        ratio = self.center_variance / INTERCEPT_VARIANCE
        return 0.5 * (ratio - 1.0 - np.log(ratio) + self.center[carrier] ** 2 / INTERCEPT_VARIANCE)

    def divergence(self) -> float:
        """Return KL(q || prior) of the factors, and of α, m and means of groups where they are learned, in nats."""
        free, n = self.coordinates.free, len(self.mean)
        log_precision = np.log(np.where(free, self.precision, 1.0))
        divergence_of_alpha = 0.0
        if self.posterior is not None:
            log_precision[self.coordinates.learned] = self.posterior.mean_log
            divergence_of_alpha = self.posterior.divergence(self.coordinates.prior)
        squares = self.squares.sum(axis=0) + self._around_center()
        log_prior = 0.5 * (n * log_precision - self.precision * squares)[free].sum()
        of_groups = 0.0 if self.groups is None else self.groups.divergence()
        return float(divergence_of_alpha + self._divergence_of_center() + of_groups - log_prior - self.entropies())
