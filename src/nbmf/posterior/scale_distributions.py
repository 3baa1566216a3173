"""What is expected of entries whose ψ is known, for the axes of a scale: zeros and ones, ordered categories, counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

LARGEST = 30.0  # ψ of counts: a rate of 10^13 is no worse than a larger one


class Exceedances(NamedTuple):
    """What is expected of entries whose ψ and cuts are known.

    above : float array (F, N, J), P(v > j)
    """

    above: np.ndarray

    @classmethod
    def of(cls, psi: np.ndarray, cuts: np.ndarray) -> Exceedances:
        """Return the probabilities for ψ (F, N) and cuts (N, J)."""
        return cls(expit(psi[..., None] - cuts.astype(psi.dtype)))

    @property
    def mean(self) -> np.ndarray:
        """E[v], the probability of a one, or the mean place of the category, (F, N)."""
        return self.above.sum(axis=-1)

    @property
    def variance(self) -> np.ndarray:
        """Var v, (F, N): the covariance of v > i and v > j is P(v > j) P(v <= i) for i <= j."""
        at_most = np.cumsum(1 - self.above, axis=-1)  # the sum over i <= j
        return (self.above * (2 * at_most - (1 - self.above))).sum(axis=-1)

    @property
    def information(self) -> np.ndarray:
        """Of v on ψ, (F, N): minus the mean second derivative of log P(v) = log(σ(ψ - θ_v) - σ(ψ - θ_v+1)).

        It is q (1 - q) of each cut times the probability of the categories on either side of it.
        """
        edges = self._edges
        return (self.above * (1 - self.above) * (edges[..., :-2] - edges[..., 2:])).sum(axis=-1)

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """Return the scores of values v (F, N), derivatives of log P(v) by ψ; of zeros and ones v - P(v = 1).

        log P(v) = log(σ(ψ - θ_v) - σ(ψ - θ_v+1)) has the derivative 1 - σ(ψ - θ_v) - σ(ψ - θ_v+1).
        """
        edges, places = self._edges, values.astype(np.intp)[..., None]
        lower, upper = (np.take_along_axis(edges, places + step, axis=-1)[..., 0] for step in (0, 1))
        return 1 - lower - upper

    @property
    def variance_of_residuals(self) -> np.ndarray:
        """That of scores, (F, N), which is the information."""
        return self.information

    @property
    def _edges(self) -> np.ndarray:
        """P(v > j) for j = -1, ..., J, (F, N, J + 2): from 1 to 0."""
        return np.pad(self.above, ((0, 0), (0, 0), (1, 1)), constant_values=((0, 0), (0, 0), (1, 0)))

    def as_float32(self) -> Exceedances:
        """Return the same numbers in single precision."""
        return Exceedances(self.above.astype(np.float32))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw values, int array (F, N)."""
        uniform = rng.random(self.above.shape[:2], dtype=np.float32)
        return (uniform[..., None] < self.above).sum(axis=-1)


class Cuts(NamedTuple):
    """P(v > j) = σ(ψ - cut j): of zeros and ones there is one cut, 0.

    cuts : float array (N, J)
    """

    cuts: np.ndarray

    def conditional_on(self, psi: np.ndarray) -> Exceedances:
        """Return what is expected at ψ (F, N)."""
        return Exceedances.of(psi, self.cuts)


class ExpectedCounts(NamedTuple):
    """Counts v ~ NB(size, σ(ψ)) whose ψ and sizes are known.

    psi : float array (F, N)
    sizes : float array (N,)
    """

    psi: np.ndarray
    sizes: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """E[v] = size e^ψ, (F, N)."""
        return self.sizes * np.exp(self.psi)

    @property
    def variance(self) -> np.ndarray:
        """Var v = E[v] (1 + e^ψ), (F, N)."""
        return self.mean * (1 + np.exp(self.psi))

    @property
    def information(self) -> np.ndarray:
        """Of v on ψ, (F, N): E[v + size] σ(ψ) σ(-ψ) = size σ(ψ)."""
        return self.sizes * expit(self.psi)

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """Return v - E[v] of values (F, N)."""
        return values - self.mean

    @property
    def variance_of_residuals(self) -> np.ndarray:
        """Var v, (F, N)."""
        return self.variance

    def as_float32(self) -> ExpectedCounts:
        """Return the same numbers in single precision."""
        return ExpectedCounts(*(each.astype(np.float32) for each in self))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw counts, int array (F, N)."""
        return rng.poisson(rng.gamma(np.broadcast_to(self.sizes, self.psi.shape)) * np.exp(self.psi))


class Sizes(NamedTuple):
    """Counts v ~ NB(size, σ(ψ)).

    sizes : float array (N,)
    """

    sizes: np.ndarray

    @property
    def cuts(self) -> np.ndarray:
        """Zeros (N, 1), since counts have no cuts."""
        return np.zeros((len(self.sizes), 1))

    def conditional_on(self, psi: np.ndarray) -> ExpectedCounts:
        """Return what is expected at ψ (F, N)."""
        return ExpectedCounts(np.minimum(psi, LARGEST), self.sizes)


EntryDistribution = Cuts | Sizes
