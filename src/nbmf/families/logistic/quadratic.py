"""Likelihoods as quadratic forms: given its own parameters, h ψ - w ψ² / 2 + const in every entry.

That is all that the approximations of the factors see; a missing entry has h = w = 0. Each of them
is a lower bound of log p(v | ψ), or of its mean under q, that touches it at the current q.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels.tilting import tilted_means

LOG_2PI = np.log(2.0 * np.pi)


class Quadratic(ABC):
    """The likelihood of one matrix.

    Attributes
    ----------
    seen : bool array (F, N)
        Which entries are observed.
    h, w : float arrays (F, N)
        As of the last `refresh`.
    """

    seen: np.ndarray
    h: np.ndarray
    w: np.ndarray

    @abstractmethod
    def refresh(self, psi: np.ndarray, square: np.ndarray) -> None:
        """Set h and w for <ψ> and <ψ²>, float arrays (F, N): the bound touches there."""

    def learn(self, psi: np.ndarray, square: np.ndarray) -> None:  # noqa: B027
        """Renew q of the likelihood's own parameters, where it has any."""

    @property
    def learns(self) -> bool:
        """Whether `learn` does anything."""
        return type(self).learn is not Quadratic.learn

    @abstractmethod
    def bound(self, psi: np.ndarray, square: np.ndarray) -> float:
        """Return its part of the evidence bound in nats, at the best h and w for these moments."""

    def added_variance(self) -> float:
        """Return the variance of what is added to ψ before an entry is drawn."""
        return 0.0


class PolyaGammaRows(NamedTuple):
    """What the kernel of the factorized approximation needs of a Pólya-Gamma likelihood.

    values : int array (rows, entries), negative where missing
    row_size, entry_size : float arrays (rows,), (entries,)
    slope : float, b = row_size + entry_size + slope x
    """

    values: np.ndarray
    row_size: np.ndarray
    entry_size: np.ndarray
    slope: float


class PolyaGamma(Quadratic):
    """Entries x with log-odds ψ: σ(ψ)^x (1 - σ(ψ))^(b - x), ω ~ PG(b, ψ).

    h = x - b/2 and w = <ω> = b tanh(η/2) / (2η) at η² = <ψ²>. Bernoulli: b = 1.

    Parameters
    ----------
    values : int array (F, N)
        x; negative where missing.
    """

    slope = 0.0

    def __init__(self, values: np.ndarray):
        self.values, self.seen = np.ascontiguousarray(values), values >= 0
        self._turned = np.ascontiguousarray(values.T)
        self.size = np.ones(values.shape[1])  # of each column: b = size + slope x

    def as_rows(self, are_rows: bool) -> PolyaGammaRows:
        """Return what the kernel needs to update rows, or columns."""
        none = np.zeros(len(self.values))
        if are_rows:
            return PolyaGammaRows(self.values, none, self.size, self.slope)
        return PolyaGammaRows(self._turned, self.size, none, self.slope)

    def b(self) -> np.ndarray:
        """Return b of every entry, 0 where missing: float array (F, N)."""
        return np.where(self.seen, self.size + self.slope * self.values, 0.0)

    def refresh(self, psi, square):
        """Set h and w."""
        b = self.b()
        self.w = np.empty(b.shape)
        tilted_means(np.ascontiguousarray(square).ravel(), b.ravel(), self.w.ravel())
        self.h = np.where(self.seen, self.values - 0.5 * b, 0.0)

    def bound(self, psi, square):
        """Return Σ (x - b/2) <ψ> - b log(2 cosh(η/2))."""
        b = self.b()
        h = np.where(self.seen, self.values - 0.5 * b, 0.0)
        return float((h * psi).sum() - (b * log_2cosh_half(square)).sum())


class Bohning(Quadratic):
    """Bernoulli entries by Böhning's bound: w = 1/4, h = ξ/4 + x - σ(ξ) at ξ = <ψ>.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    """

    curvature = 0.25

    def __init__(self, codes: np.ndarray):
        self.seen = codes >= 0
        self._x = np.where(self.seen, codes, 0.0)
        self.w = np.where(self.seen, self.curvature, 0.0)

    def refresh(self, psi, square):
        """Set h."""
        self.h = np.where(self.seen, self.curvature * psi + self._x - expit(psi), 0.0)

    def bound(self, psi, square):
        """Return Σ x ξ - log(1 + e^ξ) - (<ψ²> - ξ²) / 8."""
        each = self._x * psi - np.logaddexp(0.0, psi)
        return float((each - 0.5 * self.curvature * (square - psi**2))[self.seen].sum())


class NormalNoise:
    """What q(τ) is: the precision of normal noise around ψ, learned.

    Parameters
    ----------
    prior : Gamma
        Of τ.
    seen : bool array
        Which entries are observed: those alone, n of them, inform about τ.
    start : float
        <τ> to begin with.
    """

    def __init__(self, prior: Gamma, seen: np.ndarray, start: float):
        self.prior, self._count = prior, int(np.count_nonzero(seen))
        shape = prior.shape + 0.5 * self._count
        self.posterior = Gamma(shape, shape / start)

    def learn(self, squares: float) -> None:
        """Renew q(τ) for the sum of squared errors that is expected."""
        self.posterior = self.posterior._replace(rate=self.prior.rate + 0.5 * squares)

    def fix(self, precision: float) -> None:
        """Take a precision as known, that of an earlier fit."""
        self.posterior = Gamma(precision, 1.0)

    def bound(self, squares: float) -> float:
        """Return n/2 (<log τ> - log 2π) - <τ>/2 squares - KL(q(τ) || p(τ))."""
        fit = 0.5 * self._count * (self.posterior.mean_log - LOG_2PI) - 0.5 * self.posterior.mean * squares
        return float(fit - self.posterior.divergence(self.prior))


class NormalEntries(Quadratic):
    """Real entries x ~ N(ψ, 1/τ): w = <τ>, h = <τ> x.

    Parameters
    ----------
    values : float array (F, N)
        NaN where missing.
    prior : Gamma
        Of τ, which starts at one over the mean square of the entries.
    """

    def __init__(self, values: np.ndarray, prior: Gamma):
        self.seen = ~np.isnan(values)
        self._x = np.where(self.seen, values, 0.0)
        mean_square = float((self._x**2).sum()) / np.count_nonzero(self.seen)
        self.noise = NormalNoise(prior, self.seen, 1.0 / mean_square if mean_square else 1.0)

    def refresh(self, psi, square):
        """Set h and w."""
        tau = self.noise.posterior.mean
        self.h, self.w = tau * self._x, np.where(self.seen, tau, 0.0)

    def learn(self, psi, square):
        """Renew q(τ)."""
        self.noise.learn(self._squares(psi, square))

    def bound(self, psi, square):
        """Return the mean log density of the entries, less the divergence of q(τ)."""
        return self.noise.bound(self._squares(psi, square))

    def added_variance(self):
        """Return 1/<τ>."""
        return float(1.0 / self.noise.posterior.mean)

    def _squares(self, psi, square):
        return float((self._x**2 - 2.0 * self._x * psi + square)[self.seen].sum())


class ExplicitNoise(Quadratic):
    """A Pólya-Gamma likelihood of ψ^ ~ N(ψ, 1/τ): w = <τ>, h = <τ> <ψ^>.

    q(ψ^) is normal in every entry, (τ ψ + h') / (w' + τ) and 1 / (w' + τ) with h', w' of the
    likelihood at η² = <ψ^²>.

    Parameters
    ----------
    inner : PolyaGamma
        The likelihood given ψ^.
    prior : Gamma
        Of τ, which starts at 1.
    """

    def __init__(self, inner: PolyaGamma, prior: Gamma):
        self.inner, self.seen = inner, inner.seen
        self.noise = NormalNoise(prior, self.seen, 1.0)
        self._mean, self._variance = np.zeros(self.seen.shape), np.ones(self.seen.shape)

    def refresh(self, psi, square):
        """Renew q(ψ^), then set h and w."""
        tau = self.noise.posterior.mean
        self.inner.refresh(self._mean, self._mean**2 + self._variance)
        self._variance = 1.0 / (self.inner.w + tau)
        self._mean = (tau * psi + self.inner.h) * self._variance
        self.h = np.where(self.seen, tau * self._mean, 0.0)
        self.w = np.where(self.seen, tau, 0.0)

    def form_of_psi(self) -> tuple[np.ndarray, np.ndarray]:
        """Return h and w of ψ with ψ^ integrated out of exp(h' ψ^ - w' ψ^² / 2) N(ψ^; ψ, 1/τ).

        Where q(ψ) stands still with them it does with those of <ψ^>, but the way there does not get longer with τ.
        """
        share = self.noise.posterior.mean / (self.inner.w + self.noise.posterior.mean)
        return share * self.inner.h, share * self.inner.w

    def learn(self, psi, square):
        """Renew what the likelihood learns, and q(τ)."""
        self.inner.learn(self._mean, self._mean**2 + self._variance)
        self.noise.learn(self._squares(psi, square))

    def bound(self, psi, square):
        """Return the bound with the current q(ψ^)."""
        entropy = 0.5 * (np.log(self._variance[self.seen]) + LOG_2PI + 1.0).sum()
        of_cells = self.inner.bound(self._mean, self._mean**2 + self._variance)
        return of_cells + self.noise.bound(self._squares(psi, square)) + float(entropy)

    def added_variance(self):
        """Return 1/<τ>."""
        return float(1.0 / self.noise.posterior.mean)

    def _squares(self, psi, square):
        each = self._mean**2 + self._variance - 2.0 * self._mean * psi + square
        return float(each[self.seen].sum())


def log_2cosh_half(square: np.ndarray) -> np.ndarray:
    """Return log(2 cosh(η/2)) for η²."""
    eta = np.sqrt(np.maximum(square, 0.0))
    return 0.5 * eta + np.log1p(np.exp(-eta))
