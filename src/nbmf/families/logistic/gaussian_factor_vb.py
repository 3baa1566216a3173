"""The normal factor model by variational Bayes (Klami 2015, section 2; Ilin and Raiko 2010)."""

from typing import ClassVar

import numpy as np

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_variational import VariationalFactors
from nbmf.families.logistic.quadratic import NormalEntries
from nbmf.families.logistic.value_sizes import warn_of_size
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import Rule, is_number
from nbmf.likelihoods.gaussian import GAUSSIAN


def _are_limits(value) -> bool:
    if value is None:
        return True
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    return is_pair and all(map(is_number, value)) and value[0] < value[1]


@with_parameters
class GaussianFactorVB(VariationalFactors):
    """Normal factor model by variational Bayes: V ~ N(r + c + WH, 1/τ), normal priors.

    Bayesian PCA, for real values with missing entries. Of binary values or counts as numbers it is
    the baseline that the paper compares with, `limits` its "truncation".

    The result depends on the unit: priors and starts are for values around 0 of a size of about 1. Subtract the mean
    of others and divide them by their standard deviation first, or all may be taken for noise; a warning says so.

    Parameters
    ----------
    n_components : int
        K; 0 with effects.
    effects : {"none", "rows", "columns", "both"}
        Rows or columns that have an effect of their own.
    ard : bool
        Whether each component's precision α is learned, Gamma(a0, b0); on by default, since the
        scale of a component is not known.
    ard_after : int
        As of LogisticFactorVB.
    a0, b0 : float
        Shape and rate of α and of τ.
    covariance : {"factorized", "full"}
        Of a row or column under q; see LogisticFactorVB.
    limits : pair of float or None
        The least and the largest mean there can be, to which predictions are cut.
    max_iter, bound_gain_tol, step, start_scale, random_state
        As of LogisticFactorVB.

    Attributes
    ----------
    noise_variance_ : float array ()
        1/<τ>.
    deviations_ : float array (F, N)
        The standard deviation of every entry as it is predicted: of ψ under q, and of the noise.

    See Factorization and FactorModel for the other learned attributes. Entries held out are scored
    by the normal density with that mean and standard deviation; of new rows and columns, whose factors are
    taken as known, with that of the noise.
    """

    likelihoods = (GAUSSIAN,)
    meanings = ("coordinates", "loadings")
    shapes: ClassVar = VariationalFactors.shapes | {"noise_variance_": "", "deviations_": "FN"}
    rules = VariationalFactors.rules | {"limits": Rule(_are_limits, "None or two increasing numbers")}

    ard: bool = True
    limits: tuple[float, float] | None = None

    def _start(self, values, seed):
        warn_of_size(type(self).__name__, values, self.effects)
        return super()._start(values, seed)

    def _quadratic(self, values):
        return NormalEntries(values, Gamma(self.a0, self.b0))

    def _mean_of(self, psi, factors, columns):
        return self._within_limits(psi)

    def _within_limits(self, psi):
        return psi if self.limits is None else np.clip(psi, *self.limits)

    def _predicted(self, quadratic, psi, variance, columns):
        return self._within_limits(psi)

    def _prediction(self, quadratic, psi, variance, columns):
        return self._within_limits(psi), np.sqrt(variance)

    def predictive(self, rows, columns):
        """Return means and standard deviations of some entries."""
        return self.predict(rows, columns), self.deviations_[rows, columns]

    def predictive_of(self, factors, rows, columns):
        """Return means and standard deviations of some entries given factors."""
        mean = self.mean(factors)[rows, columns]
        return mean, np.full(mean.shape, np.sqrt(float(self.noise_variance_)))

    def _learn(self, state):
        super()._learn(state)
        self.noise_variance_ = np.array(state.matrix.quadratic.added_variance())
        self.deviations_ = np.sqrt(state.moments()[1])

    def _weights(self, values, psi, square):
        """Return τ x and τ."""
        seen, tau = ~np.isnan(values), 1.0 / float(self.noise_variance_)
        return tau * np.where(seen, values, 0.0), np.where(seen, tau, 0.0)
