"""Likelihoods of counts as quadratic forms; see quadratic.py."""

import numpy as np
from scipy.special import digamma, expit, gammaln

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.quadratic import PolyaGamma, Quadratic, log_2cosh_half

LOWEST = -700.0  # ψ at which e^ψ is still a number above 0


class CountsOfSize(PolyaGamma):
    """Counts x ~ NB(r, σ(ψ)) whose sizes r, (N,), are known: b = x + r."""

    slope = 1.0

    def __init__(self, tallies: np.ndarray, size: np.ndarray):
        super().__init__(tallies)
        self.size = size


class NegativeBinomial(CountsOfSize):
    """Counts x ~ NB(r, σ(ψ)) with a size r of each column: Γ(x + r) / (Γ(r) x!) σ(ψ)^x σ(-ψ)^r.

    q(r) q(ω | r) with one η for all r: ω ~ PG(x + r, η), so that b = x + <r> is exact, and

        q(r) = Gamma(a + Σ <l>, rate + Σ [<ψ>/2 + log(2 cosh(η/2))]),   r~ = exp <log r>,
        <l> = r~ (digamma(x + r~) - digamma(r~)),  the tables of a Chinese restaurant.

    Parameters
    ----------
    tallies : int array (F, N)
        x; negative where missing.
    prior : Gamma
        Of each r.
    """

    def __init__(self, tallies: np.ndarray, prior: Gamma):
        N = tallies.shape[1]
        self.posterior = Gamma(np.full(N, float(prior.shape)), np.full(N, float(prior.rate)))
        super().__init__(tallies, self.posterior.mean)
        self._prior = prior
        counts = np.where(self.seen, tallies, 0)
        # Sums over what occurs in a column: each count once, and how often. A zero has no table.
        self._column, place = np.nonzero(counts.T)
        pairs = np.column_stack([self._column, counts[place, self._column]])
        pairs, self._times = np.unique(pairs, axis=0, return_counts=True)
        self._column, self._count = pairs[:, 0], pairs[:, 1].astype(float)
        self._constant = float((self._times * gammaln(self._count + 1.0)).sum())

    def begin(self, sizes: np.ndarray) -> None:
        """Start from other sizes, float array (N,): as if known from as many entries as a column has."""
        entries = float(len(self.seen))
        self.posterior = Gamma(entries * sizes, np.full(sizes.size, entries))
        self.size = self.posterior.mean

    def learn(self, psi, square):
        """Renew q(r)."""
        each = np.where(self.seen, 0.5 * psi + log_2cosh_half(square), 0.0)
        r = np.exp(self.posterior.mean_log)[self._column]
        tables = self._times * r * (digamma(self._count + r) - digamma(r))
        total = np.bincount(self._column, tables, minlength=self.size.size)
        self.posterior = Gamma(self._prior.shape + total, self._prior.rate + each.sum(axis=0))
        self.size = self.posterior.mean

    def bound(self, psi, square):
        """Return the bound; Σ log Γ(x + r~) / (Γ(r~) x!) is that of the tables."""
        r = np.exp(self.posterior.mean_log)[self._column]
        tables = (self._times * (gammaln(self._count + r) - gammaln(r))).sum() - self._constant
        return super().bound(psi, square) + float(tables) - self.posterior.divergence(self._prior)


class SoftplusPoisson(Quadratic):
    """Counts x ~ Poisson(log(1 + e^ψ)), with a bound of constant curvature as Böhning's.

    w = κ = 1/4 + 0.17 max x of the column (x log λ - λ is nowhere more curved), and
    h = κ ξ - σ(ξ) (1 - x / λ(ξ)) at ξ = <ψ>.

    Parameters
    ----------
    tallies : int array (F, N)
        x; negative where missing.
    """

    def __init__(self, tallies: np.ndarray):
        self.seen = tallies >= 0
        self._x = np.where(self.seen, tallies, 0).astype(float)
        self.curvature = curvature_of(self._x.max(axis=0))
        self.w = np.where(self.seen, self.curvature, 0.0)
        self._constant = float(gammaln(self._x + 1.0).sum())

    def refresh(self, psi, square):
        """Set h."""
        self.h = np.where(self.seen, self.curvature * psi + slope_of(self._x, psi), 0.0)

    def bound(self, psi, square):
        """Return Σ x log λ(ξ) - λ(ξ) - log x! - κ/2 (<ψ²> - ξ²)."""
        rate = softplus(psi)
        each = self._x * np.log(rate) - rate - 0.5 * self.curvature * (square - psi**2)
        return float(each[self.seen].sum()) - self._constant


def curvature_of(x: np.ndarray) -> np.ndarray:
    """Return 1/4 + 0.17 x: no less at any ψ than minus the second derivative of x log λ - λ."""
    return 0.25 + 0.17 * x


def slope_of(x: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return the derivative of x log λ - λ by ψ, σ(ψ) (x / λ - 1)."""
    return expit(np.maximum(psi, LOWEST)) * (x / softplus(psi) - 1.0)


def softplus(psi: np.ndarray) -> np.ndarray:
    """Return log(1 + e^ψ), which stays above 0."""
    return np.logaddexp(0.0, np.maximum(psi, LOWEST))
