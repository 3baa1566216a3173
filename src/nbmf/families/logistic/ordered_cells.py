"""Ordered categories in a Gibbs chain: cut points, and what cells say about ψ given them.

P(v > c | ψ) = σ(ψ - θ_c): the proportional odds model, which of two categories is the logistic one. The cut points are
those of each column or of all, a priori normal numbers N(0, CUT_SCALE²) in order. kernels.cut_points has the draws.

With weights ω₋ ~ PG(1, ψ - θ_(v-1)) and ω₊ ~ PG(1, ψ - θ_v) the likelihood of a cell is exp of

    ½(ψ - θ_(v-1)) - ½ω₋(ψ - θ_(v-1))² + ½(θ_v - ψ) - ½ω₊(ψ - θ_v)² + log(1 - e^-(θ_v - θ_(v-1)))

without the terms of cuts that do not exist. In ψ this is κψ - ½ωψ² with ω = ω₋ + ω₊ and κ = ½ + ω₋θ_(v-1) - ½ + ω₊θ_v.
In one cut, over the n_c cells of category c, between its neighbours

    log p(θ_c | ...) = B θ_c - ½ A θ_c² + n_c log(1 - e^-(θ_c - θ_(c-1))) + n_(c+1) log(1 - e^-(θ_(c+1) - θ_c))
    A = 1 / CUT_SCALE² + Σ ω,   B = Σ (ωψ ± ½),   + where θ_c is above the cell, - where it is below
"""

import numpy as np
from scipy.special import expit, gammaln, log_expit

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.gibbs_cells import Cells
from nbmf.families.logistic.kernels import cut_points as kernels
from nbmf.inference.state import Factors
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children

CUT_SCALE = 3.0  # the standard deviation of cut points a priori, in units of ψ


def exceedances(psi: np.ndarray, cuts: np.ndarray, columns=slice(None)) -> np.ndarray:
    """Return P(v > c | ψ) for all c, float array (..., J).

    Parameters
    ----------
    psi : float array (...)
    cuts : float array (S, J), of each column or of all (S = 1)
    columns
        Those of the entries of ψ, or of its axis 1.
    """
    return expit(psi[..., None] - (cuts if len(cuts) == 1 else cuts[columns]))


def probabilities(exceeding: np.ndarray) -> np.ndarray:
    """Return the probability of every category, float array (..., C), from P(v > c), (..., J)."""
    edges = np.ones((*exceeding.shape[:-1], 1))
    return np.maximum(-np.diff(np.concatenate([edges, exceeding, 0.0 * edges], axis=-1), axis=-1), 0.0)


def first_cuts(counts: np.ndarray) -> np.ndarray:
    """Return the cut points (S, J) that without factors give categories the frequencies of `counts` (S, C)."""
    upto = np.cumsum(counts + 1.0, axis=1)
    return np.log(upto[:, :-1] / (upto[:, -1:] - upto[:, :-1]))


def centred(factors: Factors) -> Factors:
    """Return the same model with cut points of columns for an average row, and where there are effects with mean 0.

    Cut points of columns take what the mean of W says, as effects of columns do in `factors.centred`: the posterior
    hardly distinguishes the two, and a chain moves slowly between them.
    """
    W, others = factors.W, dict(factors.others)
    if len(others[form.CUTS]) == factors.H.shape[1] and form.COLUMNS not in others:
        mean = W.mean(axis=0)
        W, others[form.CUTS] = W - mean, others[form.CUTS] - (mean @ factors.H)[:, None]
    return with_centred_cuts(Factors(W, factors.H, others))


def with_centred_cuts(factors: Factors) -> Factors:
    """Return the same model with cut points, if it has any, of mean 0 where there are effects, which take the rest."""
    others = dict(factors.others)
    carrier = form.COLUMNS if form.COLUMNS in others else form.ROWS
    if form.CUTS in others and carrier in others:
        mean = others[form.CUTS].mean()
        for name in {carrier, form.CUTS, form.INTERCEPT} & others.keys():
            others[name] = others[name] - mean
    return factors._replace(others=others)


class Categories:
    """What categories follow given ψ, as a CellLikelihood: each cell has one weight or two.

    Parameters
    ----------
    ranks : int8 array (F, N)
        Places in the order of C categories; negative where missing.
    n_categories : int
        C.
    by_column : bool
        Whether each column has cut points of its own.

    Attributes
    ----------
    cuts : float array (S, J)
    omega : float array (cells,)
        Sums of the weights of each cell.
    """

    learns = True
    mean_is_sigmoid = False

    def __init__(self, ranks: np.ndarray, n_categories: int, by_column: bool):
        self.seen = ranks >= 0
        self._columns = np.nonzero(self.seen)[1]
        N, n_sets = ranks.shape[1], ranks.shape[1] if by_column else 1
        self._counts = np.zeros((n_sets, n_categories), np.int64)
        self.take(ranks[self.seen])
        self.cuts = first_cuts(self._counts)
        self.trials = (self._ranks > 0).astype(float) + (self._ranks < n_categories - 1)
        self.omega, self.kappa, self._below, self._above = (np.zeros(self._ranks.size) for _ in range(4))
        self._forms = np.empty((2, N, n_categories - 1))  # quadratic forms of the cuts: precision and linear part

    def take(self, ranks: np.ndarray) -> None:
        """Take values of the cells, int array (cells,)."""
        self._ranks = ranks.astype(np.int8)
        self._set = self._columns if len(self._counts) > 1 else np.zeros(ranks.size, np.int64)
        self._counts[:] = 0
        np.add.at(self._counts, (self._set, self._ranks), 1)

    def begin(self, seed):
        """Take a stream for the weights of each column, and one for the cuts."""
        of_weights, of_cuts = children(seed, 2)
        self._generators = generator_states(of_weights, self._forms.shape[1])
        self._generator = generator_states(of_cuts, 1)[0]

    def learn(self, psi, by_column, threads):
        """Draw the weights given ψ and the cuts, then the cuts given ψ and the weights."""
        cells = by_column.start, by_column.place, self._ranks
        arguments = (*cells, psi, self.cuts, self._below, self._above, *self._forms, self._generators)
        run_with_threads(kernels.draw_weights_serial, kernels.draw_weights_parallel, threads, arguments)
        precision, linear = self._forms if len(self.cuts) > 1 else self._forms.sum(axis=1, keepdims=True)
        kernels.draw_cuts(self.cuts, self._counts, precision + CUT_SCALE**-2, linear, self._generator)
        kernels.update_omega_and_kappa(*cells, self.cuts, self._below, self._above, self.omega, self.kappa)

    def log_likelihood(self, psi):
        """Return Σ log P(v | ψ) + log p(θ)."""
        edges = np.full((len(self.cuts), 1), np.inf)
        edges = np.hstack([-edges, self.cuts, edges])
        low, high = edges[self._set, self._ranks], edges[self._set, self._ranks + 1]
        each = log_expit(psi - low) + log_expit(high - psi) + np.log(-np.expm1(low - high))
        S, J = self.cuts.shape
        of_one = -0.5 * (self.cuts / CUT_SCALE) ** 2 - np.log(CUT_SCALE * np.sqrt(2 * np.pi))
        return float(each.sum() + of_one.sum() + S * gammaln(J + 1.0))

    def mean(self, psi, variance, columns):
        """Return E[v | ψ]; there is no noise."""
        return exceedances(psi, self.cuts, columns).sum(axis=-1)

    def learned(self):
        """Return the cut points."""
        return {form.CUTS: self.cuts.copy()}

    def arrays(self):
        """Return the cut points and the streams."""
        streams = {"generators of weights": self._generators, "generator of cut points": self._generator}
        return {"cut points": self.cuts, **streams}


class CategoryCells(Cells):
    """The cells of a chain of categories, whose weights are drawn with the cut points.

    Parameters
    ----------
    likelihood : Categories
    """

    rows_draw_weights = False

    def __init__(self, likelihood: Categories):
        super().__init__(likelihood)
        self.omega = likelihood.omega
