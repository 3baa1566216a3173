"""Sparse factor models of real matrices with an unknown number of factors."""

from typing import ClassVar

import numpy as np

from nbmf.errors import DataError
from nbmf.families.buffet.buffet_estimator import RULES, SLOW, BuffetState, IndianBuffet
from nbmf.families.buffet.buffet_fold_in import ridge_rows
from nbmf.families.buffet.engines import Matrix
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import TRUE_OR_FALSE
from nbmf.inference.state import Factors
from nbmf.likelihoods.gaussian import GAUSSIAN

CENTRE, SCALE, NOISE = "centres", "scale", "noise variance"


@with_parameters
class IndianBuffetGaussian(IndianBuffet):
    """v_fn = Σ_k b_fk z_kn + noise, a factor model with an unknown number of factors (Ohn, section 4).

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
        κ; for the IBP above 0. Learned with the prior Exponential(1).
    slab_variance : float or "learn"
        τ, the variance of loadings that are there, of standardized data; learned with IG(1, 1).
    standardize : bool
        Whether rows are centred, and all divided by one number, for the fit; predictions are on the
        scale of V. A constant row is zero then. Rows do not get scales of their own: they share
        the noise variance, and a row with less noise than others would do so no more.
    start : "slow", "empty" or "dense"
        From no factor, with few births at first, so that one fills before the next is born; from
        none; from 20 random ones, with τ at its first value for a third of the burn-in.
    column_moves : bool
        Whether whole factors are born and die between sweeps, proposed by what the others leave
        over: the same posterior, whose K+ does not have to change row by row.
    keep_covariance : bool
        Whether BB' is averaged over the kept sweeps, which takes F x F numbers of 8 bytes.
    burn_in, n_samples : int
        The number of sweeps before the first one that is kept, and of kept sweeps.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    centres_ : float array (F,)
        What rows were centred at; 0 without `standardize`.
    scale_ : float
        What they were divided by; 1 without.
    noise_variance_ : float
        The mean of σ², of standardized data.
    loading_covariance_ : float array (F, F) or None
        The mean of BB' over the kept sweeps, the covariance of standardized rows without noise; None without
        `keep_covariance`.
    deviation_ : float array (F, N)
        Standard deviations of the posterior predictive distribution of each entry.

    See IndianBuffet for the others; W_ and H_ are those of standardized data. `expectation_` is the
    mean over the kept sweeps, on the scale of V. Centres of rows are not in W_: `inverse_transform` takes them for 0,
    `predict_rows` knows them.
    """

    likelihoods = (GAUSSIAN,)
    meanings = ("loading", "score")
    rules = RULES | {"standardize": TRUE_OR_FALSE, "keep_covariance": TRUE_OR_FALSE}
    shapes: ClassVar = IndianBuffet.shapes | {"centres_": "F", "deviation_": "FN"}
    learned_numbers: ClassVar = (*IndianBuffet.learned_numbers, "noise_variance")

    start: str = SLOW
    standardize: bool = True
    keep_covariance: bool = False

    def _start(self, values, seed):
        centres, scale = self._centres(values), 1.0
        variance = float(np.nanmean((values - centres[:, None]) ** 2))
        smallest = np.finfo(float).eps * float(np.nanmax(np.abs(values)))
        if variance <= smallest**2:
            raise DataError("V: no row varies: there is nothing to explain; allowed: rows of which one does")
        if self.standardize:
            scale, variance = float(np.sqrt(variance)), 1.0
        standard = (values - centres[:, None]) / scale
        numbers = self._first_numbers(noise_variance=variance)
        chain = self._chain(Matrix.of_values(standard), numbers, seed, keeps_covariance=self.keep_covariance)
        opening = self._opening(len(values))
        return GaussianState(chain, self.burn_in, opening, centres, scale)

    def _centres(self, values: np.ndarray) -> np.ndarray:
        """Return what rows are centred at, float array (rows,); 0 for one without a value."""
        if not self.standardize:
            return np.zeros(len(values))
        observed = ~np.isnan(values)
        return np.where(observed, values, 0.0).sum(axis=1) / np.maximum(observed.sum(axis=1), 1)

    def _learn(self, state):
        super()._learn(state)
        others = state.estimate().others
        self.centres_, self.scale_ = others[CENTRE], float(others[SCALE][0])
        self.deviation_ = state.deviation()
        self.loading_covariance_ = state.chain.mean_covariance()

    # --- Predictions -----------------------------------------------------------------------------

    @property
    def factors_(self):
        """W_, H_, what rows were centred at and divided by, and the noise variance."""
        numbers = {SCALE: np.array([self.scale_]), NOISE: np.array([self.noise_variance_])}
        others = {CENTRE: self.centres_} | numbers
        return super().factors_._replace(others=others)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the means of some rows and columns, on the scale of V."""
        return fitted(factors, rows, columns)

    def mean_at(self, factors, rows, columns):
        """Return E[v] of single entries, float array (n,)."""
        fit = np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns])
        return factors.others[CENTRE][rows] + factors.others[SCALE][0] * fit

    def predictive(self, rows, columns):
        """Return means and standard deviations of the posterior predictive distributions of entries."""
        return self.predict(rows, columns), self.deviation_[rows, columns]

    def predictive_of(self, factors, rows, columns):
        """Return means and standard deviations of the predictive distributions given factors."""
        return self.mean(factors)[rows, columns], np.full(len(rows), _noise_of(factors))

    # --- New rows and columns --------------------------------------------------------------------

    def _factors_with(self, W):
        """Return the factors of rows whose centres are not known: 0."""
        others = {CENTRE: np.zeros(len(W))}
        return Factors(W, self.H_, self.factors_.others | others)

    def _factors_of_rows(self, values):
        """Return the factors of new rows, each centred by itself."""
        centres = self._centres(values)
        standard = (values - centres[:, None]) / self.scale_
        precisions = 1.0 / (self.slab_variance_ * self._inclusion())
        W = self._regress(standard, self.H_.T, precisions)
        others = {CENTRE: centres}
        return Factors(W, self.H_, self.factors_.others | others)

    def _fold_in_columns(self, values):
        standard = ((values - self.centres_[:, None]) / self.scale_).T
        return self._regress(standard, self.W_, np.ones(self.W_.shape[1])).T

    def _regress(self, standard, design, precisions):
        observed = ~np.isnan(standard)
        weights = observed / self.noise_variance_
        targets = np.where(observed, standard, 0.0) / self.noise_variance_
        return ridge_rows(weights, targets, design, precisions)


class GaussianState(BuffetState):
    """The chain of standardized data; `centres` is a float array (F,), `scale` a number."""

    def __init__(self, chain, burn_in, opening, centres, scale):
        super().__init__(chain, burn_in, opening)
        self._centres, self._scale = centres, scale

    def _factors_of(self, state):
        noise = np.array([state.numbers["noise_variance"]])
        others = {CENTRE: self._centres, SCALE: np.array([self._scale]), NOISE: noise}
        return Factors(state.B, state.Z, others)

    def factors(self):
        """Return loadings and scores now."""
        return self._factors_of(self.chain.state())

    def estimate(self):
        """Return those of the kept state with the highest log joint, left-ordered."""
        return self._factors_of(self.chain.best_state())

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return means and variances of the predictive distributions of all entries, standardized."""
        chain, noise = self.chain, self.chain.mean_numbers()["noise_variance"]
        if not chain.kept:
            state = chain.state()
            return state.B @ state.Z, np.full(chain.shape, noise)
        mean, square = (total / chain.kept for total in chain.mean_sums())
        return mean, noise + np.maximum(square - mean**2, 0.0)

    def expectation(self):
        """Return the mean over the kept sweeps; before the first, that of the state now."""
        return self._centres[:, None] + self._scale * self._moments()[0]

    def deviation(self) -> np.ndarray:
        """Return the standard deviations of the predictive distributions, float array (F, N)."""
        return self._scale * np.sqrt(self._moments()[1])

    def predictive(self, rows, columns):
        """Return means and standard deviations of the predictive distributions of some entries."""
        return self.expectation()[rows, columns], self.deviation()[rows, columns]

    def current_predictive(self, rows, columns):
        """Return means and standard deviations of some entries given the current state."""
        factors = self.factors()
        return fitted(factors)[rows, columns], np.full(len(rows), _noise_of(factors))


def fitted(factors: Factors, rows=slice(None), columns=slice(None)) -> np.ndarray:
    """Return the means of some rows and columns, on the scale of V."""
    fit = factors.W[rows] @ factors.H[:, columns]
    fit *= factors.others[SCALE][0]
    fit += factors.others[CENTRE][rows, None]
    return fit


def _noise_of(factors: Factors) -> float:
    """Return the standard deviation of the noise, on the scale of V."""
    return float(factors.others[SCALE][0] * np.sqrt(factors.others[NOISE][0]))
