"""Binary matrices whose log-odds are a sparse factor model with an unknown number of features."""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from nbmf.families.buffet.buffet_estimator import RULES, BuffetState, IndianBuffet
from nbmf.families.buffet.buffet_fold_in import logistic_rows
from nbmf.families.buffet.engines import Matrix
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import TRUE_OR_FALSE
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI

ROWS, COLUMNS = "row effects", "column effects"


@with_parameters
class IndianBuffetLogistic(IndianBuffet):
    """logit P(v_fn = 1) = μ_f + ν_n + Σ_k b_fk z_kn, whose features are found (Ohn).

    A row has feature k or not (ξ_fk); how many features there are is as a convergent Indian buffet
    process (CIBP) or the two-parameter one (IBP) says. b_fk ~ N(0, τ) where the row has it and 0
    elsewhere, z_kn ~ N(0, 1), μ_f ~ N(0, τ_μ), ν_n ~ N(0, τ_ν); these variances ~ IG(1, 1). The
    sampler takes Pólya-Gamma variables besides them, and features are born and die with their
    scores integrated out.

    Parameters
    ----------
    n_components : int
        How many features there is room for at first. It changes no bit of the result.
    prior : "cibp" or "ibp"
    mass : float or "learn"
        γ of the CIBP, ω of the IBP; learned with the prior Gamma(1, 0.1).
    alpha : float, "learn" or None
        α of the CIBP, 1 if None; the IBP has none. Learned with the prior Exponential(1).
    kappa : float or "learn"
        κ, of the IBP above 0. Learned with the prior Exponential(1).
    slab_variance : float or "learn"
        τ, the variance of loadings that are there.
    start : "dense", "slow" or "empty"
        From 20 random features, which go if they explain nothing (τ stays at its first value for a
        third of the burn-in); from none, with few births at first, so that one fills before the
        next is born; from none. A single row with a new feature is improbable where rows are many:
        from none, chains of large matrices may stay there whatever the matrix has.
    column_moves : bool
        Whether whole features are born and die between sweeps, proposed by what the others leave
        over: the same posterior, whose K+ does not have to change row by row.
    scale_moves : bool
        Whether log-odds are scaled after each sweep, all at once, by rows and by columns, by steps
        that the Pólya-Gamma variables do not hold back: the same posterior in fewer sweeps.
    burn_in, n_samples : int
        Sweeps before the first that is kept, and kept sweeps.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    row_effects_, column_effects_ : float arrays (F,), (N,)
        μ and ν in log-odds, of the same state as W_ and H_.
    row_effect_variance_, column_effect_variance_ : float
        Means of τ_μ and τ_ν.

    See IndianBuffet for the others. `expectation_` is the mean of σ(ψ) over the kept sweeps.
    """

    method_name = "Indian buffet"
    likelihoods = (BERNOULLI,)
    meanings = ("loadings in log-odds", "scores")
    rules = RULES | {"scale_moves": TRUE_OR_FALSE}
    shapes: ClassVar = IndianBuffet.shapes | {"row_effects_": "F", "column_effects_": "N"}
    learned_numbers: ClassVar = (*IndianBuffet.learned_numbers, "row_effect_variance", "column_effect_variance")

    scale_moves: bool = False

    def _start(self, codes, seed):
        numbers = self._first_numbers(row_effect_variance=1.0, column_effect_variance=1.0)
        matrix = Matrix.of_codes(codes)
        chain = self._chain(matrix, numbers, seed, scale_moves=self.scale_moves)
        return LogisticState(chain, self.burn_in, self._opening(len(codes)))

    def _learn(self, state):
        super()._learn(state)
        others = state.estimate().others
        self.row_effects_, self.column_effects_ = others[ROWS], others[COLUMNS]

    @property
    def factors_(self):
        """W_, H_ and the effects."""
        others = {ROWS: self.row_effects_, COLUMNS: self.column_effects_}
        return super().factors_._replace(others=others)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return σ(μ + ν + WH) of some rows and columns."""
        return expit(log_odds(factors, rows, columns))

    def mean_at(self, factors, rows, columns):
        """Return the same of single entries."""
        effects = factors.others[ROWS][rows] + factors.others[COLUMNS][columns]
        return expit(effects + np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns]))

    def _factors_with(self, W):
        """Return the factors of rows whose effects are not known: 0, as in the prior's mean."""
        others = {ROWS: np.zeros(len(W)), COLUMNS: self.column_effects_}
        return Factors(W, self.H_, others)

    def _fold_in_rows(self, codes):
        return self._factors_of_rows(codes).W

    def _factors_of_rows(self, codes):
        """Return the factors of new rows: loadings of normal distributions with the variance τ P(ξ = 1)."""
        design = np.column_stack([np.ones(self.H_.shape[1]), self.H_.T])
        variances = self.slab_variance_ * self._inclusion()
        precisions = 1.0 / np.concatenate([[self.row_effect_variance_], variances])
        coefficients = logistic_rows(codes, design, self.column_effects_, precisions)
        others = {ROWS: coefficients[:, 0], COLUMNS: self.column_effects_}
        return Factors(coefficients[:, 1:], self.H_, others)

    def _fold_in_columns(self, codes):
        return self._factors_of_columns(codes).H

    def _factors_of_columns(self, codes):
        """Return the factors of new columns, whose scores and effects have their own prior."""
        design = np.column_stack([np.ones(len(self.W_)), self.W_])
        precisions = np.concatenate([[1.0 / self.column_effect_variance_], np.ones(self.W_.shape[1])])
        codes = np.ascontiguousarray(codes.T)
        coefficients = logistic_rows(codes, design, self.row_effects_, precisions)
        return Factors(self.W_, coefficients[:, 1:].T, {ROWS: self.row_effects_, COLUMNS: coefficients[:, 0]})


class LogisticState(BuffetState):
    """The chain of log-odds."""

    def factors(self):
        """Return loadings, scores and effects now."""
        return _factors_of(self.chain.state())

    def estimate(self):
        """Return those of the kept state with the highest log joint, left-ordered."""
        return _factors_of(self.chain.best_state())

    def expectation(self):
        """Return the mean of σ(ψ) over the kept sweeps; before the first, σ(ψ) now."""
        if self.chain.kept:
            return self.chain.mean_sums()[0] / self.chain.kept
        return expit(log_odds(self.factors()))

    def current_predictive(self, rows, columns):
        """Return σ(ψ) now of some entries."""
        return expit(log_odds(self.factors()))[rows, columns]


def log_odds(factors: Factors, rows=slice(None), columns=slice(None)) -> np.ndarray:
    """Return ψ = μ + ν + WH of some rows and columns."""
    psi = factors.W[rows] @ factors.H[:, columns]
    psi += factors.others[ROWS][rows, None]
    psi += factors.others[COLUMNS][columns]
    return psi


def _factors_of(state) -> Factors:
    others = {ROWS: state.row_effects, COLUMNS: state.column_effects}
    return Factors(state.B, state.Z, others)
