"""logPCA: logistic PCA by maximum likelihood (Collins et al. 2002; de Leeuw 2006)."""

from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit

from nbmf.errors import ConfigError, DataError, Setting
from nbmf.families.logistic.penalized_likelihood import signs_of
from nbmf.inference.blocks import in_blocks
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors, State
from nbmf.inference.stopping import DevianceGainBelow
from nbmf.likelihoods.bernoulli import BERNOULLI

EFFECTS = "main effects"  # of the columns, among the factors
MIN_ITER = 5  # the deviance of the first steps may stand still


@with_parameters
class LogisticPCA(Factorization):
    """logPCA: V ~ Bernoulli(σ(μ + WH)) with column main effects μ, by majorisation-minimisation.

    Each step replaces the log-likelihood by a quadratic bound around the current fit Θ, whose
    minimiser is a truncated SVD of the working matrix Θ + 4 (V - σ(Θ)). A missing entry of the
    working matrix is its current fit; a row or column with no observed entry has no part in the fit, and stays at
    zero. The result is deterministic up to the signs of components. There is no regularisation: predicted
    probabilities may reach 0 or 1.

    New rows and columns are folded in by the same steps with the other factor fixed: W H is then fitted to the
    working matrix by least squares. For new rows μ stays too; a new column's own is estimated with it. A row or
    column stops when its own mean deviance improves by less than `deviance_gain_tol`, or after `max_iter` steps; a
    row or column with no observed entry stays at zero. As in the fit, nothing regularises a row or column whose
    observed values can be separated perfectly: its probabilities go towards 0 and 1 until it stops. This is more
    likely the fewer entries it has.

    Parameters
    ----------
    n_components : int
        K, at most min(F, N) - 1.
    max_iter : int
        The largest number of steps.
    deviance_gain_tol : float
        Stop when the mean deviance (nats per observed entry) improves by less.
    random_state : None
        Not used; it is there for the common interface.

    Attributes
    ----------
    main_effects_ : float array (N,)
        μ, the main effect of each column in log-odds.

    See Factorization for the other learned attributes; W_ is scaled by the singular values, the
    rows of H_ are orthonormal, expectation_ is σ(μ + WH).
    """

    method_name = "logPCA"
    shapes: ClassVar = Factorization.shapes | {"main_effects_": "N"}

    inference = Inference.POINT
    likelihoods = (BERNOULLI,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    alignment = Alignment.ROTATION
    old_names: ClassVar = {"tol": "deviance_gain_tol"}

    n_components: int = 2
    max_iter: int = 2000
    deviance_gain_tol: float = 1e-5
    random_state: RandomState = None

    def _start(self, codes, seed):
        if min(codes.shape) == 1:
            F, N = codes.shape
            raise DataError(
                f"logPCA needs at least 2 rows and 2 columns; V has n_samples = {F} rows and n_features = {N} columns"
            )
        if self.n_components >= min(codes.shape):
            raise ConfigError(
                Setting("n_components", self.n_components),
                f": a matrix of shape {codes.shape} allows 1 to {min(codes.shape) - 1}",
            )
        return _Iterates(signs_of(codes), self.n_components)

    def _stopping_rule(self, state):
        return DevianceGainBelow(state.gain, self.deviance_gain_tol, MIN_ITER)

    def _learn(self, state):
        super()._learn(state)
        self.main_effects_ = state.estimate().others[EFFECTS]

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return σ(μ + WH) of some rows and columns."""
        return expit(factors.others[EFFECTS][columns] + factors.W[rows] @ factors.H[:, columns])

    def mean_at(self, factors, rows, columns):
        """Return E[v] of single entries, float array (n,)."""
        log_odds = np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns])
        return expit(factors.others[EFFECTS][columns] + log_odds)

    def _fold_in_rows(self, codes):
        return self._regress_rows(codes, self.H_.T, self.main_effects_)

    def _factors_of_columns(self, codes):
        """Return the factors of new columns, each with a main effect of its own."""
        design = np.column_stack([np.ones(len(self.W_)), self.W_])
        both = self._regress_rows(np.ascontiguousarray(codes.T), design, 0.0)
        return Factors(self.W_, both[:, 1:].T, {EFFECTS: both[:, 0]})

    @property
    def factors_(self):
        """W_, H_ and the main effects."""
        return super().factors_._replace(others={EFFECTS: self.main_effects_})

    def _regress_rows(self, codes, design, offset):
        """Return the coefficients of `design` (entries, J) for each row or column of codes, (rows, J)."""
        solve = np.linalg.pinv(design).T
        blocks = in_blocks(len(codes), len(design))
        return np.vstack([self._fold_in_block(codes[block], design, offset, solve) for block in blocks])

    def _fold_in_block(self, codes, design, offset, solve):
        signs = signs_of(codes)
        coefficients = np.zeros((len(codes), design.shape[1]))
        observed = np.maximum(np.count_nonzero(signs, axis=1), 1)
        going, deviance = np.arange(len(codes)), np.full(len(codes), np.inf)
        for iteration in range(self.max_iter + 1):
            t = signs[going] * (offset + coefficients[going] @ design.T)
            # log(1 + e^-t) of a missing entry, where t = 0, is left out.
            loss = np.where(signs[going] == 0, 0.0, np.logaddexp(0.0, -t)).sum(axis=1)
            now = loss / observed[going]
            gain, deviance[going] = deviance[going] - now, now
            goes_on = (gain >= self.deviance_gain_tol) | (iteration < MIN_ITER)
            going, t = going[goes_on], t[goes_on]
            if going.size == 0 or iteration == self.max_iter:
                break
            coefficients[going] += 4.0 * (signs[going] * expit(-t)) @ solve
        return coefficients


class _Iterates(State):
    """The iterates of the fit, of which the last two are kept.

    A row or column without an observed entry has no part in it, and is zero in W or in H and μ.
    """

    def __init__(self, signs, K):
        self._shape, self._K = signs.shape, K
        self._rows, self._columns = (np.flatnonzero(signs.any(axis=axis)) for axis in (1, 0))
        self._signs = signs = np.ascontiguousarray(signs[np.ix_(self._rows, self._columns)])
        self._rank = min(K, *signs.shape)  # the rows and columns that are left may have fewer directions than K
        self.now = self.before = _Step.of(4.0 * signs, self._rank, signs)

    def advance(self, steps):
        for _ in range(steps):
            self.before = self.now
            self.now = _Step.of(self.before.working_matrix(), self._rank, self._signs)

    def gain(self) -> float:
        """Return by how much the last step has lowered the mean deviance, in nats per observed entry."""
        return self.before.mean_deviance - self.now.mean_deviance

    def factors(self):
        W, H = self.now.factors()
        if self._signs.shape == self._shape:
            return Factors(W, H, {EFFECTS: self.now.main_effects})
        F, N = self._shape
        whole = Factors(np.zeros((F, self._K)), np.zeros((self._K, N)), {EFFECTS: np.zeros(N)})
        whole.W[self._rows, : len(H)] = W
        whole.H[: len(H), self._columns] = H
        whole.others[EFFECTS][self._columns] = self.now.main_effects
        return whole

    def expectation(self):
        """Return σ(Θ)."""
        if self._signs.shape == self._shape:
            return expit(self.now.log_odds)
        whole = self.factors()
        return expit(whole.others[EFFECTS] + whole.W @ whole.H)

    def objective(self):
        """Return the log-likelihood of the observed entries in nats."""
        return float(-self.now.mean_deviance * np.count_nonzero(self._signs))

    def active_components(self):
        """Return K: there is no distribution over components."""
        return self._K


class _Step:
    """One iterate: main effects, the K leading directions, and the fit Θ in log-odds (F, N)."""

    def __init__(self, main_effects, directions, scores, along_rows, signs):
        self.main_effects = main_effects
        self._directions, self._scores, self._along_rows = directions, scores, along_rows
        self._signs = signs
        self.log_odds = directions @ scores if along_rows else scores @ directions.T
        self.log_odds += main_effects
        # With t = ±Θ: the probability 1 / (1 + e^t) of the value that was not observed, and the
        # loss log(1 + e^-t) = log(1 + e^t) - t. A missing entry has t = 0; the cap at 500, where
        # the loss is zero, keeps e^t finite.
        t = signs * self.log_odds
        np.minimum(t, 500.0, out=t)
        total = t.sum()
        np.exp(t, out=t)
        t += 1.0
        loss = np.log(t).sum() - total
        self._misfit = np.reciprocal(t, out=t)
        n_observed = np.count_nonzero(signs)
        self.mean_deviance = (loss - (signs.size - n_observed) * np.log(2.0)) / n_observed

    @classmethod
    def of(cls, working, K, signs):
        """Return the best rank-K fit with main effects to the working matrix.

        The leading singular vectors of the shorter side come from its Gram matrix.
        """
        main_effects = working.mean(axis=0)
        centred = working - main_effects
        along_rows = centred.shape[0] <= centred.shape[1]
        gram = centred @ centred.T if along_rows else centred.T @ centred
        size = gram.shape[0]
        _, vectors = eigh(gram, subset_by_index=(size - K, size - 1), overwrite_a=True)
        directions = np.ascontiguousarray(vectors[:, ::-1])
        scores = directions.T @ centred if along_rows else centred @ directions
        return cls(main_effects, directions, scores, along_rows, signs)

    def working_matrix(self):
        """Return Θ + 4 (V - σ(Θ)), with Θ itself where V is missing."""
        step = 4.0 * self._signs
        step *= self._misfit
        step += self.log_odds
        return step

    def factors(self):
        """Return W (F, K), left singular vectors times singular values, and H (K, N)."""
        if self._along_rows:
            sizes = np.linalg.norm(self._scores, axis=1)
            return self._directions * sizes, self._scores / np.maximum(sizes, 1e-300)[:, None]
        return self._scores, self._directions.T
