"""Ordered categories cell by cell, written straight from the model: the reference implementation of cut points.

P(v > c | ψ) = σ(ψ - θ_c). With a weight for each of the cuts next to its category a cell has the density
Π e^(± (ψ - θ) / 2 - ω (ψ - θ)² / 2) (1 - e^-(θ_v - θ_(v-1))) but for what depends on ω alone.
"""

import itertools
import math

import numpy as np
from scipy import stats
from scipy.special import expit

C = 4


def small_ranks(F=6, N=4, seed=0):
    """Return categories, two of them missing, one that a column lacks."""
    ranks = np.random.default_rng(seed).integers(0, C, (F, N)).astype(np.int8)
    ranks[1, 2] = ranks[3, 0] = -1
    ranks[ranks[:, 3] == 1, 3] = 2
    return ranks


def chances(psi, cuts):
    """Return the probabilities (C, ...) of the categories of one cell, or of cells with the same cut points."""
    beyond = [np.ones(np.shape(psi)), *(expit(psi - cut) for cut in cuts), np.zeros(np.shape(psi))]
    return np.array([high - low for high, low in itertools.pairwise(beyond)])


def log_prior(cuts, scale):
    """Return log p(θ) of cut points (J,), normal numbers in order."""
    if not (np.diff(cuts) > 0).all():
        return -math.inf
    return stats.norm.logpdf(cuts, scale=scale).sum() + math.log(math.factorial(len(cuts)))


def next_cuts(v, J):
    """Yield the numbers of the cuts next to category v, and 1 if it is above them, -1 if below."""
    if v > 0:
        yield v - 1, 1
    if v < J:
        yield v, -1


def log_augmented(ranks, psi, cuts, weights, scale):
    """Return log p(v, θ | ψ, ω) of cells with the same cut points, but for a constant.

    ranks, psi : arrays (cells,); cuts : (J,); weights : for each cell a dict from cut to ω
    """
    total = log_prior(cuts, scale)
    if total == -math.inf:
        return total
    for v, x, given in zip(ranks, psi, weights, strict=True):
        for c, sign in next_cuts(v, len(cuts)):
            total += 0.5 * sign * (x - cuts[c]) - 0.5 * given[c] * (x - cuts[c]) ** 2
        if 0 < v < len(cuts):
            total += math.log(1.0 - math.exp(cuts[v - 1] - cuts[v]))
    return total


class CutsTwin:
    """The draw of the weights of all cells from given numbers, in the order of columns.

    Parameters
    ----------
    ranks : int array (F, N)
    cuts : float array (S, J)
    """

    def __init__(self, ranks, cuts):
        self.ranks, self.cuts = ranks, cuts

    def cuts_of(self, n):
        """Return the cut points of a column."""
        return self.cuts[n if len(self.cuts) > 1 else 0]

    def draw(self, psi, omegas):
        """Take ω of each cell and cut from an iterator; return the arguments ψ - θ they are drawn with.

        psi : float array (F, N), NaN where missing
        """
        asked, self.weights = [], {}
        for n in range(psi.shape[1]):
            for f in np.flatnonzero(self.ranks[:, n] >= 0):
                self.weights[f, n] = {}
                for c, _ in next_cuts(self.ranks[f, n], self.cuts.shape[1]):
                    asked.append(psi[f, n] - self.cuts_of(n)[c])
                    self.weights[f, n][c] = next(omegas)
        return asked

    def told(self):
        """Return ω and κ of the cells given the weights and the cuts as they are, float arrays (F, N)."""
        omega, kappa = np.zeros(self.ranks.shape), np.zeros(self.ranks.shape)
        for (f, n), given in self.weights.items():
            for c, sign in next_cuts(self.ranks[f, n], self.cuts.shape[1]):
                omega[f, n] += given[c]
                kappa[f, n] += 0.5 * sign + given[c] * self.cuts_of(n)[c]
        return omega, kappa

    def sets(self):
        """Return for each set of cut points the cells (f, n) that have them."""
        cells = list(self.weights)
        return [[cell for cell in cells if len(self.cuts) == 1 or cell[1] == s] for s in range(len(self.cuts))]


def slice_sample(log_density, x0, w, m, uniforms):
    """Return the next point after x0 of Neal (2003), Figures 3 (stepping out) and 5 (shrinkage), by given numbers."""
    log_y = log_density(x0) + math.log(1 - next(uniforms))
    L = x0 - w * next(uniforms)
    R = L + w
    J = math.floor(m * next(uniforms))
    K = (m - 1) - J
    while J > 0 and log_y < log_density(L):
        L, J = L - w, J - 1
    while K > 0 and log_y < log_density(R):
        R, K = R + w, K - 1
    while True:
        x1 = L + next(uniforms) * (R - L)
        if log_y < log_density(x1):
            return x1
        if x1 < x0:
            L = x1
        else:
            R = x1
