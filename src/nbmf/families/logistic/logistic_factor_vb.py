"""Logistic factor models by variational Bayes (Klami 2015), sections 4.1, 4.2 and 5.1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.families.logistic.factors import EFFECT_SCALE
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_estimator import settled_weights
from nbmf.families.logistic.logistic_factors import LogisticFactors
from nbmf.families.logistic.logistic_variational import VariationalFactors
from nbmf.families.logistic.quadratic import Bohning, ExplicitNoise, PolyaGamma
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import one_of
from nbmf.numerics import sigmoid

BOUNDS = {"polya-gamma": PolyaGamma, "bohning": Bohning}


@with_parameters
class LogisticFactorVB(VariationalFactors, LogisticFactors):
    """Logistic factor model by variational Bayes: V ~ Bernoulli(σ(r + c + WH)), normal priors.

    q(W) q(H) q(α) maximize a lower bound of the evidence, to which Pólya-Gamma variables make every
    entry quadratic. q is narrower than the posterior, which the Gibbs sampler
    (LogisticFactorGibbs) draws from in many times the time.

    Parameters
    ----------
    n_components : int
        K; 0 with effects.
    effects : {"none", "rows", "columns", "both"}
        Rows or columns that have an effect of their own, in log-odds.
    effect_scale : float or "learned"
        The standard deviation of effects a priori, or "learned", with an intercept: as of LogisticFactorGibbs.
    row_groups : None, "matrix" or sequence of F labels
        Groups of rows, to whose means positions and effects shrink: as of LogisticFactorGibbs.
    ard : bool
        Whether each component's precision α is learned, Gamma(a0, b0), so that those the bound
        does not need are pruned (automatic relevance determination); else it is 1. q takes W and H
        for independent, which counts their dependence as noise: under learned
        precisions components that would predict are pruned too. So it is off unless asked for, and
        K is chosen as any parameter is (docs/choosing.md); the paper has it on.
    ard_after : int
        Updates before precisions are learned, at most half of max_iter: fewer components are pruned than if they are
        learned before components have become different. The paper has 0.
    a0, b0 : float
        Shape and rate of precisions, and of the noise's.
    covariance : {"factorized", "full"}
        Of a row or column under q: independent coordinates, by Newton steps with the diagonal of the
        Hessian; or a covariance (the paper's "naive" approximation), whose updates are dearer and
        fewer.
    bound : {"polya-gamma", "bohning"}
        The quadratic bound of the likelihood: the tighter one, or Böhning's, of constant curvature.
    noise : bool
        Whether ψ has normal noise of unknown precision in every entry ("explicit noise").
    max_iter : int
        Updates of all of q, at most.
    bound_gain_tol : float
        Stop when the bound gains less, in nats per observed entry, in 20 updates; 0 never does.
    step : float or None
        Of factorized updates: None for the best one along its direction, which never lowers the
        bound; the paper's is 0.3, and what is above 2/K may diverge.
    start_scale : float
        The initial standard deviation of H, of its means and of q; that of W is 1. Where there are several optima,
        it decides which one is found.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, FactorModel, NoisyFactors and GroupedRows for the learned attributes; noise_variance_ is
    1/<τ>. expectation_ is E σ(ψ) under q, with ψ treated as normal, and not a product of W_ and H_; these are means
    under q in the form that FactorModel describes.
    """

    method_name = "logistic VB"
    sampler = "LogisticFactorGibbs"
    rules = VariationalFactors.rules | LogisticFactors.rules | {"bound": one_of(*BOUNDS)}

    effect_scale: float | str = EFFECT_SCALE
    row_groups: str | Sequence[Any] | None = None
    bound: str = "polya-gamma"
    noise: bool = False

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.noise and self.bound != "polya-gamma":
            given = Setting("noise", True), " with ", Setting("bound", self.bound)
            raise ConfigError(*given, ": must be ", Setting("bound", "polya-gamma"))

    def _quadratic(self, values):
        likelihood = BOUNDS[self.bound](values)
        return ExplicitNoise(likelihood, Gamma(self.a0, self.b0)) if self.noise else likelihood

    def _predicted(self, quadratic, psi, variance, columns):
        return sigmoid.probability(psi, variance)

    def _learn(self, state):
        super()._learn(state)
        self.noise_variance_ = np.array(state.matrix.quadratic.added_variance())

    def _weights(self, values, psi, square):
        """Return h and w of new rows' and columns' cells, with the bound and the noise of the fit."""
        if self.bound == "polya-gamma":
            return super()._weights(values, psi, square)
        return settled_weights(self._quadratic(values), psi, square)
