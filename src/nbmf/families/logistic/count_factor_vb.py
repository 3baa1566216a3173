"""Factor models of counts by variational Bayes (Klami 2015, sections 4.3 and 6.2)."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.estimator import PRIOR
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels.tilting import tilted_means
from nbmf.families.logistic.matrices import Matrix
from nbmf.families.logistic.quadratic_counts import (
    NegativeBinomial,
    SoftplusPoisson,
    curvature_of,
    slope_of,
    softplus,
)
from nbmf.families.logistic.sides import Coordinates, FullSide
from nbmf.families.logistic.sigmoid import mean_under_normal
from nbmf.families.logistic.variational import VariationalFactors
from nbmf.inference.state import Factors
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.likelihoods.poisson import POISSON

SIZES = "sizes"  # of the columns, among the factors
SIZE_PRIOR = Gamma(1.0, 1.0)  # of each r; the paper gives none
NODES = 32  # of the law of ψ under q, when entries are scored
MEANINGS = ("coordinates in log-odds", "coordinates in log-odds")
ROUNDS = 200  # of ψ and sizes in turns, for new columns


class CountFactors(VariationalFactors):
    """What the models of counts share: their parameters."""

    def __init__(
        self,
        n_components=8,
        *,
        effects="none",
        ard=False,
        a0=PRIOR,
        b0=PRIOR,
        covariance="factorized",
        max_iter=1000,
        tol=1e-5,
        step=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.effects = effects
        self.ard = ard
        self.a0 = a0
        self.b0 = b0
        self.covariance = covariance
        self.max_iter = max_iter
        self.tol = tol
        self.step = step
        self.random_state = random_state


class NegativeBinomialFactorVB(CountFactors):
    """Negative binomial factor model by variational Bayes: V ~ NB(s, σ(r + c + WH)).

    A column has a size s ~ Gamma(1, 1) of its own: E[v | ψ] = s e^ψ, with variance E[v] (1 + e^ψ),
    for counts that vary more than Poisson's. Pólya-Gamma variables make the likelihood quadratic.

    Parameters
    ----------
    n_components, effects, ard, a0, b0, covariance, max_iter, tol, step, random_state
        As of LogisticFactorVB.

    Attributes
    ----------
    sizes_ : float array (N,)
        <s> of each column.
    log_odds_, deviations_ : float arrays (F, N)
        Mean and standard deviation of ψ under q.

    See Factorization and FactorModel for the other learned attributes. expectation_ is <s> E e^ψ
    with ψ as normal. Entries held out are scored by the mixture of negative binomial laws over that
    normal law; those of new lines, whose factors are taken as known, by one.
    """

    likelihoods = (NEGATIVE_BINOMIAL,)
    meanings = MEANINGS
    shapes: ClassVar = VariationalFactors.shapes | {
        "sizes_": "N",
        "log_odds_": "FN",
        "deviations_": "FN",
    }

    def _quadratic(self, values):
        return NegativeBinomial(values, SIZE_PRIOR)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return s e^ψ of some lines."""
        return factors.others[SIZES][columns] * np.exp(form.psi_of(factors, rows, columns))

    def mean_at(self, factors, rows, columns):
        """Return the same of single entries."""
        return factors.others[SIZES][columns] * np.exp(form.psi_at(factors, rows, columns))

    def _predicted(self, quadratic, psi, variance, columns):
        return quadratic.size[columns] * np.exp(psi + 0.5 * variance)

    def _prediction(self, quadratic, psi, variance, columns):
        return self._mixture(psi, np.sqrt(variance), quadratic.size[columns])

    @staticmethod
    def _mixture(psi, deviation, size):
        z = ndtri((np.arange(NODES) + 0.5) / NODES)
        return size * np.exp(psi + np.multiply.outer(z, deviation)), size

    def predictive(self, rows, columns):
        """Return the means and the sizes of NODES laws of some entries."""
        psi, deviation = self.log_odds_[rows, columns], self.deviations_[rows, columns]
        return self._mixture(psi, deviation, self.sizes_[columns])

    def predictive_of(self, factors, rows, columns):
        """Return the mean and the size of the law given factors."""
        return self.mean(factors)[rows, columns], factors.others[SIZES][columns]

    def _others_of(self, quadratic, rng=None):
        law = quadratic.law
        return {SIZES: law.mean if rng is None else rng.gamma(law.shape) / law.rate}

    def _others(self, row_effects, column_effects):
        return super()._others(row_effects, column_effects) | {SIZES: self.sizes_}

    def _learn(self, state):
        self.sizes_ = state.matrix.quadratic.size
        super()._learn(state)
        self.log_odds_, variance = state.moments()
        self.deviations_ = np.sqrt(np.maximum(variance, 0.0))

    def _weights(self, values, psi, square):
        """Return h and w of new rows' cells."""
        return _terms(values, self.sizes_, square)

    def _factors_of_columns(self, values):
        """Return the factors of new columns, each with a size of its own: VB given the rows."""
        K, used = self.n_components, self.effects_in_use
        design = [self.W_, self.row_effects_[:, None]][: 1 + used.rows]
        rows = np.hstack([*design, np.ones((len(values), int(used.columns)))])
        R = rows.shape[1]
        precision = np.r_[self.precisions_, np.full(R - K, form.EFFECT_PRECISION)]
        none, free = np.arange(0), np.ones(R, bool)
        free[K : K + used.rows] = False
        columns = np.tile(np.where(free, 0.0, 1.0), (values.shape[1], 1))
        matrix = Matrix(
            NegativeBinomial(values, SIZE_PRIOR),
            FullSide(rows, Coordinates(precision, np.zeros(R, bool), none, SIZE_PRIOR), 0.0),
            FullSide(columns, Coordinates(precision, free, none, SIZE_PRIOR), 1.0),
        )
        for _ in range(ROUNDS):
            matrix.columns.update([matrix.seen_by(matrix.columns, True)], 0.0)
            matrix.quadratic.learn(*matrix.moments())
        own = matrix.columns.mean
        effects = own[:, -1] if used.columns else np.zeros(len(own))
        others = self._others(self.row_effects_, effects) | {SIZES: matrix.quadratic.size}
        return Factors(self.W_, np.ascontiguousarray(own[:, :K].T), others)


def _terms(values, size, square):
    """Return (x - r)/2 and (x + r) tanh(η/2) / (2η), 0 where missing."""
    seen = values >= 0
    b, w = np.where(seen, values + size, 0.0), np.empty(values.shape)
    tilted_means(np.ascontiguousarray(square).ravel(), b.ravel(), w.ravel())
    return np.where(seen, 0.5 * (values - size), 0.0), w


class SoftplusPoissonFactorVB(CountFactors):
    """Poisson factor model by variational Bayes: V ~ Poisson(log(1 + e^ψ)), ψ = r + c + WH.

    The rate is positive, near ψ where that is large and near e^ψ where it is small. The likelihood
    is bounded by a quadratic form of constant curvature, 1/4 + 0.17 max v of the column: the larger
    the counts, the smaller the steps, so columns of large counts converge slowly. The paper's
    comparison method for counts (Seeger and Bouchard 2012).

    Parameters
    ----------
    n_components, effects, ard, a0, b0, covariance, max_iter, tol, step, random_state
        As of LogisticFactorVB.

    See Factorization and FactorModel for the learned attributes. expectation_ is E log(1 + e^ψ)
    under q with ψ as normal.
    """

    likelihoods = (POISSON,)
    meanings = MEANINGS

    def _quadratic(self, values):
        return SoftplusPoisson(values)

    def _mean_of(self, psi, columns):
        return softplus(psi)

    def _predicted(self, quadratic, psi, variance, columns):
        return mean_under_normal(softplus, psi, variance)

    def _weights(self, values, psi, square):
        """Return h and w of new lines' cells, each with the curvature that it needs itself."""
        seen = values >= 0
        x = np.where(seen, values, 0.0)
        w = np.where(seen, curvature_of(x), 0.0)
        return w * psi + np.where(seen, slope_of(x, psi), 0.0), w
