"""Sparse factor models of real matrices with an unknown number of factors."""

from typing import ClassVar

import numpy as np

from nbmf.errors import DataError
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.estimator import RULES, BuffetState, IndianBuffet
from nbmf.families.buffet.fold_in import ridge_lines
from nbmf.inference.parameters import Rule
from nbmf.inference.state import Factors
from nbmf.likelihoods.gaussian import GAUSSIAN

CENTRE, SCALE, NOISE = "centres", "scales", "noise variance"


class IndianBuffetGaussian(IndianBuffet):
    """v_fn = Σ_k b_fk z_kn + noise, a factor model whose factors are found (Ohn, section 4).

    Rows are variables, columns are objects. A row has factor k or not (ξ_fk); how many factors
    there are is as a convergent Indian buffet process (CIBP) or the two-parameter one (IBP) says.
    b_fk ~ N(0, τ) where the row has it and 0 elsewhere, z_kn ~ N(0, 1), noise ~ N(0, σ²) with
    σ² ~ IG(1, 1). Factors are born and die with their scores integrated out.

    Parameters
    ----------
    n_components : int
        How many factors there is room for at first. It changes no bit of the result.
    prior : "cibp" or "ibp"
    mass : float or "learn"
        γ of the CIBP, ω of the IBP; learned with the prior Gamma(1, 0.1).
    alpha : float, "learn" or None
        α of the CIBP, 1 if None; the IBP has none. Learned with the prior Exponential(1).
    kappa : float or "learn"
        κ, of the IBP above 0. Learned with the prior Exponential(1).
    slab_variance : float or "learn"
        τ, the variance of loadings that are there, of standardized rows; learned with IG(1, 1).
    standardize : bool
        Whether each row is centred and scaled to variance 1 for the fit. Predictions are on the
        scale of V. A constant row is zero then.
    start : "slow", "empty" or "dense"
        From no factor, with few births at first, so that one fills before the next is born; from
        none; from 20 random ones.
    burn_in, n_samples : int
        Sweeps before the first that is kept, and kept sweeps.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    centres_, scales_ : float arrays (F,)
        What rows were centred at and divided by; 0 and 1 without `standardize`.
    noise_variance_ : float
        The mean of σ², of standardized rows.
    deviation_ : float array (F, N)
        Standard deviations of the posterior predictive law of each entry.

    See IndianBuffet for the others; W_ and H_ are those of standardized rows. `expectation_` is the
    mean over the kept sweeps, on the scale of V.
    """

    likelihoods = (GAUSSIAN,)
    meanings = ("loading", "score")
    rules = RULES | {
        "standardize": Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")
    }
    shapes: ClassVar = IndianBuffet.shapes | {"centres_": "F", "scales_": "F", "deviation_": "FN"}
    learned_numbers: ClassVar = (*IndianBuffet.learned_numbers, "noise_variance")

    def __init__(
        self,
        n_components=10,
        *,
        prior="cibp",
        mass="learn",
        alpha=None,
        kappa=1.0,
        slab_variance="learn",
        standardize=True,
        start="slow",
        burn_in=1000,
        n_samples=1000,
        random_state=None,
    ):
        self.n_components = n_components
        self.prior = prior
        self.mass = mass
        self.alpha = alpha
        self.kappa = kappa
        self.slab_variance = slab_variance
        self.standardize = standardize
        self.start = start
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.random_state = random_state

    def _start(self, values, seed):
        centres, scales = self._places(values)
        if self.standardize and not (scales != 1.0).any() and not np.nanstd(values, axis=1).any():
            raise DataError("V: each row is constant, so that there is nothing to explain")
        standard = (values - centres[:, None]) / scales[:, None]
        variance = float(np.nanvar(standard))
        if variance == 0.0:
            raise DataError("V: all observed values are the same: there is nothing to explain")
        chain = self._chain(
            Matrix.of_values(standard), self._first_numbers(noise_variance=variance), seed
        )
        slow = self._slow_sweeps(len(values))
        return GaussianState(chain, self.burn_in, slow, centres, scales)

    def _places(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the rows are centred at and divided by, float arrays (rows,)."""
        F = len(values)
        if not self.standardize:
            return np.zeros(F), np.ones(F)
        observed = ~np.isnan(values)
        count = np.maximum(observed.sum(axis=1), 1)
        centres = np.where(observed, values, 0.0).sum(axis=1) / count
        away = np.where(observed, values - centres[:, None], 0.0)
        # Of a row that is constant but for rounding the rest is no scale.
        scales = np.sqrt((away**2).sum(axis=1) / count)
        is_constant = scales <= 1e-12 * np.abs(centres)
        return centres, np.where(is_constant | (scales == 0.0), 1.0, scales)

    def _learn(self, state):
        super()._learn(state)
        others = state.estimate().others
        self.centres_, self.scales_ = others[CENTRE], others[SCALE]
        self.deviation_ = state.deviation()

    # --- Predictions -----------------------------------------------------------------------------

    @property
    def factors_(self):
        """W_, H_, the places and scales of rows, and the noise variance."""
        others = {
            CENTRE: self.centres_,
            SCALE: self.scales_,
            NOISE: np.array([self.noise_variance_]),
        }
        return super().factors_._replace(others=others)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the means of some lines, on the scale of V."""
        return fitted(factors, rows, columns)

    def mean_at(self, factors, rows, columns):
        """Return the same of single entries."""
        fit = np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns])
        return factors.others[CENTRE][rows] + factors.others[SCALE][rows] * fit

    def predictive(self, rows, columns):
        """Return means and standard deviations of the posterior predictive laws of entries."""
        return self.predict(rows, columns), self.deviation_[rows, columns]

    def predictive_of(self, factors, rows, columns):
        """Return the same given factors."""
        return self.mean(factors)[rows, columns], _noise_of(factors)[rows]

    # --- New lines -------------------------------------------------------------------------------

    def _factors_with(self, W):
        """Return the factors of rows whose places are not known: standardized ones."""
        F = len(W)
        others = {CENTRE: np.zeros(F), SCALE: np.ones(F)}
        return Factors(W, self.H_, self.factors_.others | others)

    def _fold_in_rows(self, values):
        return self._factors_of_rows(values).W

    def _factors_of_rows(self, values):
        """Return the factors of new rows, standardized by themselves."""
        centres, scales = self._places(values)
        standard = (values - centres[:, None]) / scales[:, None]
        precisions = 1.0 / (self.slab_variance_ * self._inclusion())
        W = self._regress(standard, self.H_.T, precisions)
        others = {CENTRE: centres, SCALE: scales}
        return Factors(W, self.H_, self.factors_.others | others)

    def _fold_in_columns(self, values):
        standard = ((values - self.centres_[:, None]) / self.scales_[:, None]).T
        return self._regress(standard, self.W_, np.ones(self.W_.shape[1])).T

    def _regress(self, standard, design, precisions):
        observed = ~np.isnan(standard)
        weights = observed / self.noise_variance_
        targets = np.where(observed, standard, 0.0) / self.noise_variance_
        return ridge_lines(weights, targets, design, precisions)


class GaussianState(BuffetState):
    """The chain of standardized rows; `centres` and `scales` are float arrays (F,)."""

    def __init__(self, chain, burn_in, slow, centres, scales):
        super().__init__(chain, burn_in, slow)
        self._centres, self._scales = centres, scales

    def _factors_of(self, state):
        noise = np.array([state.numbers["noise_variance"]])
        others = {CENTRE: self._centres, SCALE: self._scales, NOISE: noise}
        return Factors(state.B, state.Z, others)

    def factors(self):
        """Return loadings and scores now."""
        return self._factors_of(self.chain.state())

    def estimate(self):
        """Return those of the kept state with the highest log joint, left-ordered."""
        return self._factors_of(self.chain.best_state())

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return means and variances of the predictive laws of all entries, standardized."""
        chain, noise = self.chain, self.chain.mean_numbers()["noise_variance"]
        if not chain.kept:
            state = chain.state()
            return state.B @ state.Z, np.full(chain.shape, noise)
        mean, square = (total / chain.kept for total in chain.mean_sums())
        return mean, noise + np.maximum(square - mean**2, 0.0)

    def expectation(self):
        """Return the mean over the kept sweeps; before the first, that of the state now."""
        return self._centres[:, None] + self._scales[:, None] * self._moments()[0]

    def deviation(self) -> np.ndarray:
        """Return the standard deviations of the predictive laws, float array (F, N)."""
        return self._scales[:, None] * np.sqrt(self._moments()[1])

    def predictive(self, rows, columns):
        """Return means and standard deviations of the predictive laws of some entries."""
        return self.expectation()[rows, columns], self.deviation()[rows, columns]

    def current_predictive(self, rows, columns):
        """Return the same given the state now."""
        factors = self.factors()
        return fitted(factors)[rows, columns], _noise_of(factors)[rows]


def fitted(factors: Factors, rows=slice(None), columns=slice(None)) -> np.ndarray:
    """Return the means of some lines, on the scale of V."""
    fit = factors.W[rows] @ factors.H[:, columns]
    fit *= factors.others[SCALE][rows, None]
    fit += factors.others[CENTRE][rows, None]
    return fit


def _noise_of(factors: Factors) -> np.ndarray:
    """Return the standard deviation of the noise of each row, (F,)."""
    return factors.others[SCALE] * np.sqrt(factors.others[NOISE][0])
