"""Binary matrices whose log-odds are a sparse factor model with an unknown number of features."""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from nbmf.errors import Message, Setting, not_allowed
from nbmf.families.buffet.buffet_estimator import RULES, BuffetState, IndianBuffet
from nbmf.families.buffet.buffet_fold_in import logistic_rows
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, ROW_EFFECT
from nbmf.inference.blocks import means_in_blocks
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import TRUE_OR_FALSE, one_of
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics import sigmoid
from nbmf.numerics.normal_effects import learned_priors

ROWS, COLUMNS = "row effects", "column effects"
EFFECTS = ("none", "rows", "columns", "both")


@with_parameters
class IndianBuffetLogistic(IndianBuffet):
    """logit P(v_fn = 1) = μ_f + ν_n + Σ_k b_fk z_kn, with an unknown number of features (Ohn).

    A row has feature k or not (ξ_fk); the number of features has a convergent Indian buffet process (CIBP) or a
    two-parameter one (IBP) as its prior. b_fk ~ N(0, τ) where the row has it and 0 elsewhere, z_kn ~ N(0, 1), μ_f ~
    N(0, τ_μ), ν_n ~ N(0, τ_ν); these variances ~ IG(1, 1), unless effects have an intercept. The sampler takes
    Pólya-Gamma variables besides them, and features are born and die with their scores integrated out.

    Parameters
    ----------
    n_components : int
        The number of features that memory is reserved for at first. It does not change the result.
    prior : "cibp" or "ibp"
    mass : float or "learn"
        γ of the CIBP, ω of the IBP; learned with the prior Gamma(1, 0.1).
    alpha : float, "learn" or None
        α of the CIBP, 1 if None; the IBP has none. Learned with the prior Exponential(1).
    kappa : float or "learn"
        κ; for the IBP above 0. Learned with the prior Exponential(1).
    slab_variance : float or "learn"
        τ, the variance of loadings of features that a row has.
    effects : {"none", "rows", "columns", "both"}
        Which rows or columns have an effect.
    intercept : bool
        Whether effects of columns vary around an intercept m ~ N(0, 9) (those of rows, where columns have none), with
        τ_μ, τ_ν ~ IG(1/2, 1/8): as those of LogisticFactorGibbs with effect_scale="learned".
    start : "dense", "slow" or "empty"
        From 20 random features, which go if they explain nothing (τ stays at its first value for a
        third of the burn-in); from none, with few births at first, so that one fills before the
        next is born; from none. A single row with a new feature is improbable where rows are many:
        from none, chains of large matrices may stay there whatever the matrix has.
    column_moves : bool
        Whether whole features are born and die between sweeps, proposed from the residuals of the others. The
        posterior is the same, and K+ does not have to change row by row.
    scale_moves : bool
        Whether log-odds are scaled after each sweep, all together, by rows and by columns, with the Pólya-Gamma
        variables integrated out. The posterior is the same and takes fewer sweeps.
    burn_in, n_samples : int
        The number of sweeps before the first one that is kept, and of kept sweeps.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    row_effects_, column_effects_ : float arrays (F,), (N,)
        μ and ν in log-odds, of the same state as W_ and H_.
    row_effect_variance_, column_effect_variance_, intercept_ : float
        Means of τ_μ, τ_ν and m; 0 where the model has none.

    See IndianBuffet for the others. `expectation_` is the mean of σ(ψ) over the kept sweeps.
    """

    method_name = "Indian buffet"
    likelihoods = (BERNOULLI,)
    meanings = ("loadings in log-odds", "scores")
    rules = RULES | {"effects": one_of(*EFFECTS), "intercept": TRUE_OR_FALSE, "scale_moves": TRUE_OR_FALSE}
    shapes: ClassVar = IndianBuffet.shapes | {"row_effects_": "F", "column_effects_": "N"}
    learned_numbers: ClassVar = (*IndianBuffet.learned_numbers, "row_effect_variance", "column_effect_variance")

    effects: str = "both"
    intercept: bool = False
    scale_moves: bool = False

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.intercept and self.effects == "none":
            allowed = Message("False with ", Setting("effects", "none"), ", as effects vary around it")
            raise not_allowed("intercept", True, allowed)

    @property
    def _has_effects(self) -> tuple[bool, bool]:
        """Whether rows and columns have effects."""
        return self.effects in ("rows", "both"), self.effects in ("columns", "both")

    def _start(self, codes, seed):
        numbers = self._first_numbers(row_effect_variance=1.0, column_effect_variance=1.0)
        for number, is_there in zip((ROW_EFFECT, COLUMN_EFFECT), self._has_effects, strict=True):
            if not is_there:
                numbers.start[number] = numbers.priors[number] = 0.0
        if self.intercept:
            numbers.priors[ROW_EFFECT:] = learned_priors(*self._has_effects)
        matrix = Matrix.of_codes(codes)
        chain = self._chain(matrix, numbers, seed, scale_moves=self.scale_moves)
        return LogisticState(chain, self.burn_in, self._opening(len(codes)))

    def _learn(self, state):
        super()._learn(state)
        others = state.estimate().others
        self.row_effects_, self.column_effects_ = others[ROWS], others[COLUMNS]
        self.intercept_ = state.chain.mean_numbers()["intercept"]

    def restore(self, learned):
        """Take over what a file says was learned; older files have no intercept."""
        super().restore({"intercept_": 0.0} | learned)

    @property
    def findings(self):
        """K+ of the kept sweeps (median, and where 95 % of them lie), and what was learned."""
        return super().findings | ({"intercept": self.intercept_} if self.intercept else {})

    @property
    def factors_(self):
        """W_, H_ and the effects."""
        others = {ROWS: self.row_effects_, COLUMNS: self.column_effects_}
        return super().factors_._replace(others=others)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return σ(μ + ν + WH) of some rows and columns."""
        return expit(log_odds(factors, rows, columns))

    def mean_at(self, factors, rows, columns):
        """Return E[v] of single entries, float array (n,)."""
        effects = factors.others[ROWS][rows] + factors.others[COLUMNS][columns]
        return expit(effects + np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns]))

    def _factors_with(self, W):
        """Return the factors of rows whose effects are not known: the prior's mean."""
        others = {ROWS: np.full(len(W), self._center_of_rows), COLUMNS: self.column_effects_}
        return Factors(W, self.H_, others)

    @property
    def _center_of_rows(self) -> float:
        return self.intercept_ if self._has_effects == (True, False) else 0.0

    def _factors_of_rows(self, codes):
        """Return the factors of new rows: loadings of normal distributions with the variance τ P(ξ = 1)."""
        return self._regressed_rows(codes)[0]

    def _factors_of_columns(self, codes):
        """Return the factors of new columns, whose scores and effects have their own prior."""
        return self._regressed_columns(codes)[0]

    def _means_of_rows(self, V, groups=None):
        """Return how E[V] of new rows follows from their values: the mean over what is not known of them."""
        super()._means_of_rows(V, groups)  # refuses groups
        return lambda codes, _: means_in_blocks(codes, lambda part, _: _mean_over(*self._regressed_rows(part)))

    def _means_of_columns(self, codes):
        def means_of(columns, _):
            return _mean_over(*self._regressed_columns(columns.T)).T

        return np.ascontiguousarray(means_in_blocks(codes.T, means_of).T)

    def _regressed_rows(self, codes) -> tuple[Factors, np.ndarray]:
        """Return the factors with new rows, and the variances of their ψ."""
        precisions = 1.0 / (self.slab_variance_ * self._inclusion())
        prior = (1.0 / self.row_effect_variance_, self._center_of_rows) if self._has_effects[0] else None
        effects, W, variances = _regressed(codes, self.H_.T, self.column_effects_, precisions, prior)
        return Factors(W, self.H_, {ROWS: effects, COLUMNS: self.column_effects_}), variances

    def _regressed_columns(self, codes) -> tuple[Factors, np.ndarray]:
        """Return the factors with new columns, and the variances of their ψ."""
        codes, precisions = np.ascontiguousarray(codes.T), np.ones(self.W_.shape[1])
        prior = (1.0 / self.column_effect_variance_, self.intercept_) if self._has_effects[1] else None
        effects, H, variances = _regressed(codes, self.W_, self.row_effects_, precisions, prior)
        return Factors(self.W_, H.T, {ROWS: self.row_effects_, COLUMNS: effects}), variances.T


def _mean_over(factors: Factors, variances: np.ndarray) -> np.ndarray:
    """Return E σ(ψ) of normal log-odds whose means are those of some factors."""
    return sigmoid.probability(log_odds(factors), variances)


def _regressed(codes, design, offset, precisions, effect_prior):
    """Return the effects of new rows or columns, (rows,), their coefficients, (rows, K), and the variances of their ψ.

    effect_prior : precision and mean of an effect a priori, or None: then effects are 0
    """
    centers = np.zeros(len(precisions))
    if effect_prior is None:
        return np.zeros(len(codes)), *logistic_rows(codes, design, offset, precisions, centers)
    design = np.column_stack([np.ones(len(design)), design])
    precisions, centers = np.r_[effect_prior[0], precisions], np.r_[effect_prior[1], centers]
    coefficients, variances = logistic_rows(codes, design, offset, precisions, centers)
    return coefficients[:, 0], coefficients[:, 1:], variances


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
