"""Ordered categories as a quadratic form: given the cut points, or with a q of them that is learned.

A cell has one term or two, each with the bound of a binary cell: see kernels.ordered_forms.
"""

import numpy as np

from nbmf.families.logistic.cut_posterior import CutPosterior
from nbmf.families.logistic.kernels import ordered_forms as kernels
from nbmf.families.logistic.quadratic import Quadratic
from nbmf.numerics import sigmoid


class CategoriesGivenCuts(Quadratic):
    """Categories with known cut points.

    Parameters
    ----------
    ranks : int8 array (F, N)
        Negative where missing.
    cuts : float array (S, J)
        θ, of each column (S = N) or of all (S = 1).

    Attributes
    ----------
    cuts, cut_squares : float arrays (S, J)
        <θ> and <θ²>.
    """

    def __init__(self, ranks: np.ndarray, cuts: np.ndarray):
        self.ranks, self.seen = np.ascontiguousarray(ranks, np.int8), ranks >= 0
        self.cuts, self.cut_squares = np.ascontiguousarray(cuts), cuts**2

    def _cells(self, psi, square):
        return self.ranks, *map(np.ascontiguousarray, (psi, square, self.cuts, self.cut_squares))

    def refresh(self, psi, square):
        """Set h and w."""
        self.h, self.w = np.empty(psi.shape), np.empty(psi.shape)
        kernels.cell_forms(*self._cells(psi, square), self.h, self.w)

    def bound(self, psi, square):
        """Return Σ κ (<ψ> - <θ>) - log(2 cosh(η/2)) over the cuts of each cell, and what the distances of cuts add."""
        return kernels.sum_of_terms(*self._cells(psi, square)) + self._cut_bound()

    def _cut_bound(self):
        """Return Σ n log(1 - e^-d) over the distances d of cuts and the n cells of the category between them."""
        counts = category_counts(self.ranks, self.cuts.shape[1] + 1, len(self.cuts) > 1)
        return float((counts[:, 1:-1] * np.log(-np.expm1(-np.diff(self.cuts, axis=1)))).sum())


class CategoriesWithLearnedCuts(CategoriesGivenCuts):
    """Categories whose cut points have a q that is learned.

    Parameters
    ----------
    ranks : int8 array (F, N)
    n_categories : int
        C.
    by_column : bool
        Whether each column has cut points of its own.

    Attributes
    ----------
    posterior : CutPosterior
    """

    def __init__(self, ranks: np.ndarray, n_categories: int, by_column: bool = True):
        self.posterior = CutPosterior(category_counts(ranks, n_categories, by_column))
        super().__init__(ranks, self.posterior.moments()[0])
        self._renew_moments()

    def _renew_moments(self):
        self.cuts, self.cut_squares = self.posterior.moments()

    def learn(self, psi, square):
        """Renew q of the cuts, given q(ω) at these moments of ψ."""
        linear, precision = np.zeros(self.cuts.shape), np.zeros(self.cuts.shape)
        kernels.cut_forms(*self._cells(psi, square), linear, precision)
        self.posterior.learn(linear, precision)
        self._renew_moments()

    def shift(self, by: float) -> None:
        """Move all cuts."""
        self.posterior.shift(by)
        self._renew_moments()

    def _cut_bound(self):
        return self.posterior.bound()

    def exceedances(self, psi: np.ndarray, variance: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return E P(v > c) of entries whose ψ has some mean and variance under q, float array (..., J).

        `columns` broadcasts against ψ. All cuts of an entry are averaged over the same nodes, so that no category has a
        negative probability.
        """
        nodes, of_shift = self.posterior.nodes()
        sets = columns if len(self.cuts) > 1 else np.zeros_like(columns)
        total, spread = 0.0, (variance + of_shift[sets])[..., None]
        for cuts in nodes:
            around = psi[..., None] - cuts[sets]
            total += sigmoid.probability(around, np.broadcast_to(spread, around.shape))
        return total / len(nodes)


def category_counts(ranks: np.ndarray, n_categories: int, by_column: bool) -> np.ndarray:
    """Return how many cells are in each category, of each column or of all: int array (S, C)."""
    counts = np.stack([(ranks == c).sum(axis=0) for c in range(n_categories)], axis=1)
    return counts if by_column else counts.sum(axis=0, keepdims=True)
