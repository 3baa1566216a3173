"""Ordered categories as a quadratic form: for new rows and columns, given cut points or with those of a column learned.

A cell has one term or two, each with the bound of a binary cell (see `PolyaGamma`); kernels.cut_points has them.
"""

import numpy as np

from nbmf.families.logistic.kernels.tilting import tilted_means
from nbmf.families.logistic.ordered_cells import CUT_SCALE, first_cuts
from nbmf.families.logistic.quadratic import Quadratic, log_2cosh_half

FARTHEST = 100.0  # that a cut is from 0, in units of ψ
HALVINGS = 50  # of the interval in which its mode lies


class CategoriesGivenCuts(Quadratic):
    """Categories with known cut points.

    Parameters
    ----------
    ranks : int8 array (F, N)
        Negative where missing.
    cuts : float array (S, J)
        θ, of each column (S = N) or of all (S = 1).
    """

    def __init__(self, ranks: np.ndarray, cuts: np.ndarray):
        self.seen, self.ranks, self.cuts = ranks >= 0, ranks, cuts

    def _terms(self):
        """Yield for the cut below each cell, and for that above: which cells have it, its number, κ, and θ."""
        J, columns = self.cuts.shape[1], np.arange(self.ranks.shape[1]) if len(self.cuts) > 1 else 0
        for kappa, cut, there in (
            (0.5, self.ranks - 1, self.ranks > 0),
            (-0.5, self.ranks, self.seen & (self.ranks < J)),
        ):
            cut = np.where(there, cut, 0)
            yield there, cut, kappa, self.cuts[columns, cut]

    def _weights(self, there, theta, psi, square):
        """Return <ω> with respect to cuts, float array (F, N), 0 where there is none."""
        weights = np.empty(psi.shape)
        eta_square = np.ascontiguousarray(square - 2.0 * theta * psi + theta**2)
        tilted_means(eta_square.ravel(), there.astype(float).ravel(), weights.ravel())
        return weights

    def refresh(self, psi, square):
        """Set h and w."""
        self.h, self.w = np.zeros(psi.shape), np.zeros(psi.shape)
        for there, _, kappa, theta in self._terms():
            weights = self._weights(there, theta, psi, square)
            self.w += weights
            self.h += np.where(there, kappa, 0.0) + weights * theta

    def bound(self, psi, square):
        """Return Σ κ (<ψ> - θ) - log(2 cosh(η/2)) over the cuts of each cell, and the logarithms of their distances."""
        total = 0.0
        for there, _, kappa, theta in self._terms():
            each = kappa * (psi - theta) - log_2cosh_half(square - 2.0 * theta * psi + theta**2)
            total += each[there].sum()
        (lower, _, _, low), (upper, _, _, high) = self._terms()
        return float(total + np.log(-np.expm1((low - high)[lower & upper])).sum())


class CategoriesWithOwnCuts(CategoriesGivenCuts):
    """Categories of columns whose cut points are points: modes of θ_0 and the logarithms of distances.

    In these coordinates no two cuts fall together where a column lacks a category.

    Parameters
    ----------
    ranks : int8 array (F, N)
    n_categories : int
        C.
    """

    def __init__(self, ranks: np.ndarray, n_categories: int):
        self._counts = np.stack([(ranks == c).sum(axis=0) for c in range(n_categories)], axis=1)
        super().__init__(ranks, first_cuts(self._counts))

    def learn(self, psi, square):
        """Move the cuts, one after another, each to its mode given the others and q(ω)."""
        J = self.cuts.shape[1]
        precision, linear = np.full(self.cuts.shape, CUT_SCALE**-2), np.zeros(self.cuts.shape)
        for there, cut, kappa, theta in list(self._terms()):
            weights = self._weights(there, theta, psi, square)
            for c in range(J):
                here = there & (cut == c)
                precision[:, c] += np.where(here, weights, 0.0).sum(axis=0)
                linear[:, c] += np.where(here, weights * psi - kappa, 0.0).sum(axis=0)
        self.cuts = self.cuts.copy()
        for c in range(J):
            self.cuts[:, c] = self._mode(c, precision[:, c], linear[:, c])

    def _mode(self, c, precision, linear):
        """Return the zero of the derivative of log p(θ_c), which falls, by bisection: float array (N,)."""
        ends = np.full((2, len(self.cuts)), [[-FARTHEST], [FARTHEST]])
        has_low, has_high = c > 0, c < self.cuts.shape[1] - 1
        if has_low:
            ends[0] = self.cuts[:, c - 1]
        if has_high:
            ends[1] = self.cuts[:, c + 1]
        left, right = ends
        low, high = left.copy(), right.copy()
        for _ in range(HALVINGS):
            x = 0.5 * (left + right)
            slope = linear - precision * x
            if has_low:
                slope += self._counts[:, c] / np.expm1(x - low) + 1.0 / (x - low)
            if has_high:
                slope -= self._counts[:, c + 1] / np.expm1(high - x) + 1.0 / (high - x)
            left, right = np.where(slope > 0, x, left), np.where(slope > 0, right, x)
        return 0.5 * (left + right)
