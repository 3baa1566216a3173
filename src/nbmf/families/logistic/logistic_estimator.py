"""What the Bayesian factor models of this family share: ψ, effects, shares, new rows and columns, files.

A cell's likelihood depends on ψ_fn = r_f + c_n + Σ_k w_fk h_kn alone. In Klami's (2015) letters W is U and
H is V'. A priori w_fk ~ N(0, 1), h_kn ~ N(0, 1/α_k) and effects r_f, c_n ~ N(0, 100), or of a learned variance. In
the form that is reported r_f includes what positions say of an average column: that of a new row does too.
"""

from typing import ClassVar

import numpy as np

from nbmf.errors import Message, Setting, not_allowed
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_fold_in import regress_rows
from nbmf.families.logistic.quadratic import ExplicitNoise, PolyaGamma, Quadratic
from nbmf.families.logistic.row_groups import RowGroups
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import TRUE_OR_FALSE, Rule, is_number, one_of
from nbmf.inference.state import Factors

PRIOR = 0.001  # a0 and b0: next to nothing

POSITIVE = Rule(
    lambda value: is_number(value) and 0 < value < np.inf,
    "a positive number (with 0 the prior is improper: factors of 0 would be a place that a "
    "sampler never leaves, and where every bound is infinite)",
)
NOISE_ROUNDS = 50  # of a new row's or column's q(ψ) with noise given ψ without
EFFECT_SCALE = Rule(
    lambda value: (isinstance(value, str) and value == form.LEARNED) or (is_number(value) and 0 < value <= 1e50),
    "a positive number, at most 1e50, or 'learned'",
)
RULES = Factorization.rules | {
    "effects": one_of("none", "rows", "columns", "both"),
    "ard": TRUE_OR_FALSE,
    "a0": POSITIVE,
    "b0": POSITIVE,
}

LEARNED_EFFECTS = "learned effects"  # in titles: of rows and of columns, with learned variances
# What is learned of effects: from the attribute to its name among the factors.
HYPERPARAMETERS = {
    "intercept_": form.INTERCEPT,
    "row_effect_variance_": form.ROW_VARIANCE,
    "column_effect_variance_": form.COLUMN_VARIANCE,
}


class FactorModel(Factorization):
    """Base class of models of ψ = r + c + WH with normal priors, whatever distribution ψ stands for.

    A class has the parameters n_components and effects, where precisions are learned ard, a0
    and b0, and where the variances of effects may be effect_scale. It defines `_mean_of`, and
    `_weights` for new rows and columns.

    Attributes
    ----------
    row_effects_, column_effects_ : float arrays (F,), (N,)
        r and c in units of ψ; zeros where the model has none. With column effects the columns of
        W_ have mean 0, with row effects the rows of H_, with both row effects too.
    intercept_, row_effect_variance_, column_effect_variance_ : float arrays ()
        With effect_scale="learned" what effects of columns vary around (of rows, where columns have none), and
        how much; otherwise 0 and effect_scale². Variances of effects that the model has not are 0.
    precisions_ : float array (K,)
        α, the precision of the rows of H_ a priori, given H_, in units of W_, whose precision is 1.
    """

    alignment = Alignment.ROTATION
    allows_no_components = True
    meanings = ("coordinate", "loading")
    rules = RULES
    effect_scale = form.EFFECT_SCALE  # of classes that do not have it as a parameter
    folds_in_from_modes = False  # where new rows and columns begin, see regress_rows
    groups_in_use: RowGroups | None = None  # of rows, in classes that may have them
    shapes: ClassVar = Factorization.shapes | {
        "row_effects_": "F",
        "column_effects_": "N",
        "precisions_": "K",
        "intercept_": "",
        "row_effect_variance_": "",
        "column_effect_variance_": "",
    }

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.n_components == 0 and self.effects == "none":
            with_effects = Setting("effects", "rows"), ", 'columns' or 'both' (the Rasch model); with "
            nothing = Setting("effects", "none"), " there would be nothing to learn"
            raise not_allowed("n_components", 0, Message("0 with ", *with_effects, *nothing))

    @property
    def _effects_of_course(self) -> str:
        """Effects that need no word, since all that is like this has them."""
        return "none"

    @property
    def variant(self):
        """Which effects there are, and whether their variances are learned."""
        if self.effects in ("none", self._effects_of_course):
            return ""
        is_learned = self.effect_scale == form.LEARNED
        if self.effects == "both":
            return LEARNED_EFFECTS if is_learned else "row and column effects"
        return f"{'learned ' * is_learned}{self.effects[:-1]} effects"

    # --- The mean --------------------------------------------------------------------------------

    def _mean_of(self, psi: np.ndarray, factors: Factors, columns) -> np.ndarray:
        """Return E[v | ψ] for ψ of any shape; `columns` are those of its entries, or of its axis 1.

        The array ψ may be overwritten.
        """
        raise NotImplementedError

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return E[V | factors] of some rows and columns."""
        return self._mean_of(form.psi_of(factors, rows, columns), factors, columns)

    def mean_at(self, factors, rows, columns):
        """Return E[v] of single entries, float array (n,)."""
        return self._mean_of(form.psi_at(factors, rows, columns), factors, columns)

    def shares_of(self, factors):
        """Return the squared singular values of W H over their sum, which no rotation changes."""
        return form.shares(factors)

    # --- What is learned -------------------------------------------------------------------------

    @property
    def effects_in_use(self) -> form.Effects:
        """Which rows or columns have effects."""
        return form.Effects.named(self.effects)

    def _learn(self, state):
        super()._learn(state)
        estimate = state.estimate()
        F, N = estimate.W.shape[0], estimate.H.shape[1]
        self.row_effects_ = estimate.others.get(form.ROWS, np.zeros(F))
        self.column_effects_ = estimate.others.get(form.COLUMNS, np.zeros(N))
        self.precisions_ = self._precisions_given(estimate.H)
        for name, given in self._given_hyperparameters().items():
            setattr(self, name, np.asarray(estimate.others.get(HYPERPARAMETERS[name], given)))

    def _given_hyperparameters(self) -> dict[str, np.ndarray]:
        """Return the intercept and variances of effects of a given scale."""
        variance = 1.0 if self.effect_scale == form.LEARNED else self.effect_scale**2
        given = 0.0, *(variance * used for used in self.effects_in_use)
        return dict(zip(HYPERPARAMETERS, map(np.array, given), strict=True))

    def restore(self, learned):
        """Take over what a file says was learned; older files have no hyperparameters of effects."""
        super().restore(self._given_hyperparameters() | learned)

    def _precisions_given(self, H: np.ndarray) -> np.ndarray:
        """Return E[α | H], (K,), in units of W_: its mean square is 1, that of the model's W is not, nor is α = 1 here.

        Where there is little to find the model's W is small, and with a precision of 1 new columns would follow noise.
        """
        return (self.a0 + H.shape[1] / 2) / (self.b0 + (H**2).sum(axis=1) / 2)

    @property
    def factors_(self):
        """W_, H_ and the effects."""
        others = self._others(self.row_effects_, self.column_effects_)
        return super().factors_._replace(others=others)

    def _others(self, row_effects, column_effects) -> dict[str, np.ndarray]:
        used = self.effects_in_use
        named = ((form.ROWS, row_effects, used.rows), (form.COLUMNS, column_effects, used.columns))
        return {name: values for name, values, is_used in named if is_used}

    # --- New rows and columns --------------------------------------------------------------------

    def _weights(self, values: np.ndarray, psi: np.ndarray, square: np.ndarray):
        """Return h and w of cells whose likelihood enters as h ψ - w ψ² / 2; missing cells have 0 and 0.

        values : array (rows, n) in the likelihood's coding
        psi, square : float arrays (rows, n), E ψ and E ψ²
        """
        raise NotImplementedError

    def _factors_of_rows(self, values):
        """Return the factors of new rows, each with an effect of its own if the model has those."""
        prior, slopes = self._effect_prior(rows=True), self._row_effect_slopes
        design = (self.H_ + slopes[:, None]).T
        W, rest = self._regress(values, design, self._row_precisions, self.column_effects_, prior)
        return Factors(W, self.H_, self._others(rest + W @ slopes, self.column_effects_))

    def _factors_of_columns(self, values):
        """Return the factors of new columns, each with its own effect if the model has those."""
        prior = self._effect_prior(rows=False)
        H, effects = self._regress(values.T, self.W_, self.precisions_, self.row_effects_, prior)
        others = self._others(self.row_effects_, effects)
        return Factors(self.W_, np.ascontiguousarray(H.T), others)

    def _effect_prior(self, rows: bool) -> tuple[float, float] | None:
        """Return the precision and the mean of a new row's effect a priori, or of a column's; None without effects."""
        used = self.effects_in_use
        if not (used.rows if rows else used.columns):
            return None
        if self.effect_scale != form.LEARNED:
            return 1.0 / self.effect_scale**2, 0.0
        variance = self.row_effect_variance_ if rows else self.column_effect_variance_
        has_intercept = not (rows and used.columns)
        return 1.0 / float(variance), float(self.intercept_) if has_intercept else 0.0

    @property
    def _row_precisions(self) -> np.ndarray:
        """The precisions of a new row of W_ a priori, float array (K,)."""
        return np.ones(len(self.H_))

    @property
    def _row_effect_slopes(self) -> np.ndarray:
        """By how much the effects of rows rise with their positions, (K,): zeros unless their variance is learned."""
        if not (self.effects_in_use.rows and self.effect_scale == form.LEARNED):
            return np.zeros(self.n_components_)
        _, center = self._effect_prior(rows=True)
        return form.slopes_of_row_effects(self.W_, self.row_effects_ - center, float(self.row_effect_variance_))

    def _regress(self, values, design, precisions, offset, effect_prior):
        """Return the factor of new rows or columns, (rows, K), and their effects, (rows,)."""
        K, prior = design.shape[1], append_effect(design, precisions, effect_prior)
        given = np.ascontiguousarray(values), *prior, offset, self._weights
        coefficients = regress_rows(*given, from_modes=self.folds_in_from_modes)
        return coefficients[:, :K], coefficients[:, K] if effect_prior else np.zeros(len(coefficients))

    def _factors_with(self, W):
        _, center = self._effect_prior(rows=True) or (0.0, 0.0)
        return Factors(W, self.H_, self._others(center + W @ self._row_effect_slopes, self.column_effects_))


class NoisyFactors(FactorModel):
    """Base class of models that may have explicit noise, ψ ~ N(r + c + WH, 1/τ) in every entry.

    A class has the parameters of FactorModel, and noise; τ has the prior of α.

    Attributes
    ----------
    noise_variance_ : float array ()
        Of the noise, E 1/τ or so; 0 without.
    """

    shapes: ClassVar = FactorModel.shapes | {"noise_variance_": ""}
    rules = RULES | {"noise": TRUE_OR_FALSE}

    def noise_of(self, factors: Factors) -> float:
        """Return the variance of the noise: that of a sweep if the factors are of one, otherwise that of the fit."""
        noise = factors.others.get(form.NOISE)
        return float(self.noise_variance_ if noise is None else noise)

    def with_noise(self, likelihood: PolyaGamma) -> ExplicitNoise:
        """Return a likelihood with the noise of the fit, for new rows and columns."""
        noisy = ExplicitNoise(likelihood, Gamma(self.a0, self.b0))
        noisy.noise.fix(1.0 / float(self.noise_variance_))
        return noisy


def append_effect(design, precisions, effect_prior) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return design (n, D), precisions and means (D,) of coefficients, the last an effect if that has a prior."""
    centers = np.zeros(design.shape[1])
    if not effect_prior:
        return design, precisions, centers
    precision, center = effect_prior
    design = np.column_stack([design, np.ones(len(design))])
    return design, np.append(precisions, precision), np.append(centers, center)


def settled_weights(likelihood: Quadratic, psi: np.ndarray, square: np.ndarray):
    """Return h and w of a likelihood at some moments of ψ, once they stand still; of ψ alone, where it has noise."""
    if not isinstance(likelihood, ExplicitNoise):
        likelihood.refresh(psi, square)
        return likelihood.h, likelihood.w
    for _ in range(NOISE_ROUNDS):
        likelihood.refresh(psi, square)
    return likelihood.form_of_psi()
