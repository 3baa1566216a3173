"""q of the factors of rows, or of columns: independent coordinates, or a covariance for each.

ψ = u·v with u of a row and v of a column. Coordinates are components and, where there are effects,
two more for each kind: one that is free on its own side and clamped to 1 on the other.
"""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from nbmf.families.logistic.kernels.factorized import update_rows
from nbmf.families.logistic.kernels.full import posteriors
from nbmf.families.logistic.learned_prior import Coordinates, LearnedPrior
from nbmf.families.logistic.quadratic import PolyaGammaRows


class SideData(NamedTuple):
    """What an update has to know of one matrix; those that are updated are its rows here.

    h, w : float arrays (rows, entries), None where `own_rows` are there
    psi : float array (rows, entries), <ψ>, likewise
    mean : float array (entries, R), of the other side, in the coordinates of this one
    spread : float array (entries, ...), what the other side has besides its mean
    own_rows : PolyaGammaRows of a Pólya-Gamma likelihood, for the compiled kernel, or None
    """

    h: np.ndarray | None
    w: np.ndarray | None
    psi: np.ndarray | None
    mean: np.ndarray
    spread: np.ndarray
    own_rows: PolyaGammaRows | None = None


class FactorPosterior(LearnedPrior):
    """q of the factors of n rows or columns.

    Parameters
    ----------
    mean : float array (n, R)
        To begin with; 1 where clamped.
    coordinates : Coordinates
    scale : float
        Standard deviation to begin with, of free coordinates.

    Attributes
    ----------
    mean : float array (n, R)

    See LearnedPrior for the others.
    """

    def __init__(self, mean: np.ndarray, coordinates: Coordinates, scale: float):
        super().__init__(coordinates)
        self.mean = mean
        self._take(np.full(mean.shape, float(scale) ** 2) * coordinates.free)

    def begin(self, mean: np.ndarray, variance: np.ndarray) -> None:
        """Start from other means and variances, float arrays (n, R), of free coordinates."""
        free = self.coordinates.free
        self.mean = np.where(free, mean, self.mean)
        self._take(np.where(free, variance, 0.0))

    @abstractmethod
    def _take(self, variance: np.ndarray) -> None:
        """Start from variances, float array (n, R)."""

    @abstractmethod
    def parts(self, chosen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return means and what else there is of some coordinates (None: all), in their order."""

    @abstractmethod
    def placed(self, parts: tuple, where: np.ndarray | None, R: int) -> tuple:
        """Return the parts of another side with its coordinates at `where` of R, 0 elsewhere."""

    @staticmethod
    @abstractmethod
    def moments(rows: tuple, columns: tuple) -> tuple[np.ndarray, np.ndarray]:
        """Return <ψ> and <ψ²> of all entries for the parts of rows and of columns."""

    @abstractmethod
    def update(self, matrices: list[SideData], step: float) -> None:
        """Update q for all matrices that have these rows or columns."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw the factors from q, float array (n, R)."""

    @abstractmethod
    def shift(self, coordinate: int, by: float) -> None:
        """Move all means of a coordinate."""


class FactorizedPosterior(FactorPosterior):
    """q = Π N(u_k; µ_k, σ_k²); `variance` has the σ²."""

    def _take(self, variance):
        self.variance = variance

    @property
    def squares(self):
        """<u²>."""
        return self.mean**2 + self.variance

    def parts(self, chosen):
        """Return means and variances."""
        if chosen is None:
            return self.mean, self.variance
        return self.mean[:, chosen], self.variance[:, chosen]

    def placed(self, parts, where, R):
        """Return means and variances among R coordinates."""
        if where is None:
            return parts
        wide = tuple(np.zeros((len(part), R)) for part in parts)
        for one, part in zip(wide, parts, strict=True):
            one[:, where] = part
        return wide

    @staticmethod
    def moments(rows, columns):
        """Return <ψ> and <ψ²>."""
        (mean, variance), (m, s) = rows, columns
        psi = mean @ m.T
        square = np.hstack([mean**2 + variance, variance]) @ np.hstack([s, m**2]).T
        square += psi**2
        return psi, square

    def update(self, matrices, step):
        """Take a step along g / δ, the best one where `step` is 0; see the kernel."""
        if len(matrices) == 1 and matrices[0].own_rows is not None:
            (seen,) = matrices
            entries = (np.ascontiguousarray(part.T) for part in (seen.mean, seen.spread))
            free = self.coordinates.free
            parameters = self.mean, self.variance
            prior = self.precision, self.centers
            update_rows(*seen.own_rows, *parameters, *entries, *prior, free, float(step))
            return
        free = self.coordinates.free
        g, prior = np.zeros(self.mean.shape), np.tile(self.precision, (len(self.mean), 1))
        delta = prior.copy()
        for seen in matrices:
            g += (seen.h - seen.w * seen.psi) @ seen.mean
            of_spread, of_means = np.split(seen.w @ np.hstack([seen.spread, seen.mean**2]), 2, axis=1)
            prior += of_spread
            delta += of_spread + of_means
        g += self.precision * self.centers - prior * self.mean
        d = np.where(free, g / delta, 0.0)
        t = step if step else self._best_step(matrices, g, d, prior)
        self.mean += t * d
        self.variance = np.where(free, 1.0 / delta, 0.0)

    @staticmethod
    def _best_step(matrices, g, d, prior):
        """Return t = g·d / d'Ad of every row or column, float array (n, 1)."""
        bottom = (prior * d**2).sum(axis=1)
        for seen in matrices:
            bottom += (seen.w * (d @ seen.mean.T) ** 2).sum(axis=1)
        top = (g * d).sum(axis=1)
        return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)[:, None]

    def shift(self, coordinate, by):
        """Move all means of a coordinate."""
        self.mean[:, coordinate] += by

    def entropies(self):
        """Return Σ (1 + log σ²) / 2."""
        return float(0.5 * (1.0 + np.log(self.variance[:, self.coordinates.free])).sum())

    def draw(self, rng):
        """Draw from q."""
        return self.mean + np.sqrt(self.variance) * rng.standard_normal(self.mean.shape)


class FullPosterior(FactorPosterior):
    """q = Π N(u; µ, Σ), a covariance for each row or column; `second` has <u u'>, packed."""

    def _take(self, variance):
        a, b = np.tril_indices(self.mean.shape[1])
        self.second = self.mean[:, a] * self.mean[:, b] + np.where(a == b, variance[:, a], 0.0)
        free = variance[:, self.coordinates.free]
        self._log_determinant = np.log(free).sum(axis=1)

    @property
    def squares(self):
        """<u²>."""
        R = self.mean.shape[1]
        return self.second[:, [a * (a + 3) // 2 for a in range(R)]]

    def parts(self, chosen):
        """Return means and packed second moments."""
        if chosen is None:
            return self.mean, self.second
        a, b = np.tril_indices(chosen.size)
        return self.mean[:, chosen], self.second[:, packed(chosen[a], chosen[b])]

    def placed(self, parts, where, R):
        """Return means and packed second moments among R coordinates."""
        if where is None:
            return parts
        a, b = np.tril_indices(where.size)
        mean = np.zeros((len(parts[0]), R))
        second = np.zeros((len(parts[0]), R * (R + 1) // 2))
        mean[:, where], second[:, packed(where[a], where[b])] = parts
        return mean, second

    @staticmethod
    def moments(rows, columns):
        """Return <ψ> and <ψ²>."""
        (mean, second), (m, s) = rows, columns
        a, b = np.tril_indices(mean.shape[1])
        return mean @ m.T, (second * np.where(a == b, 1.0, 2.0)) @ s.T

    def update(self, matrices, step):
        """Set q to the best one; there is no step."""
        n, R = self.mean.shape
        h = self.precision * self.centers
        a, b = np.tril_indices(R)
        precision = np.tile(np.where(a == b, self.precision[a], 0.0), (n, 1))
        for seen in matrices:
            h += seen.h @ seen.mean
            precision += seen.w @ seen.spread
        free = np.flatnonzero(self.coordinates.free)
        posteriors(precision, h, free, self.mean, self.second, self._log_determinant)

    def shift(self, coordinate, by):
        """Move all means of a coordinate."""
        R = self.mean.shape[1]
        places = packed(np.full(R, coordinate), np.arange(R))
        self.second[:, places] += by * self.mean
        self.mean[:, coordinate] += by
        self.second[:, places[coordinate]] += by * self.mean[:, coordinate]

    def entropies(self):
        """Return Σ (J + log |Σ|) / 2."""
        J = np.count_nonzero(self.coordinates.free)
        return float(0.5 * (J * len(self.mean) + self._log_determinant.sum()))

    def covariance(self) -> np.ndarray:
        """Return Σ of every row or column, float array (n, R, R)."""
        R = self.mean.shape[1]
        a, b = np.indices((R, R))
        return self.second[:, packed(a, b)] - self.mean[:, :, None] * self.mean[:, None]

    def draw(self, rng):
        """Draw from q."""
        free = np.flatnonzero(self.coordinates.free)
        L = np.linalg.cholesky(self.covariance()[:, free[:, None], free])
        drawn = self.mean.copy()
        drawn[:, free] += np.einsum("nab,nb->na", L, rng.standard_normal((len(L), free.size)))
        return drawn


def packed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where the entries (a, b) of a symmetric matrix are in its packed form."""
    high, low = np.maximum(a, b), np.minimum(a, b)
    return high * (high + 1) // 2 + low
