"""logPCA: logistic PCA by maximum likelihood (Collins et al. 2002; de Leeuw 2006)."""

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit

from nbmf.errors import ConfigError
from nbmf.methods.base import Factorization, Fit

MIN_ITER = 5  # the deviance of the first steps may stand still


class LogisticPCA(Factorization):
    """logPCA: V ~ Bernoulli(σ(μ + WH)) with column main effects μ, by majorisation-minimisation.

    Each step replaces the log-likelihood by a quadratic bound around the current fit Θ, whose
    minimiser is a truncated SVD of the working matrix Θ + 4 (V - σ(Θ)). A missing entry of the
    working matrix is its current fit. The result is deterministic up to the signs of components.
    There is no regularisation: predicted probabilities may reach 0 or 1.

    Parameters
    ----------
    n_components : int
        K, at most min(F, N) - 1.
    max_iter : int
        Steps at most.
    tol : float
        Stop when the mean deviance (nats per observed entry) improves by less.
    random_state : None
        Not used; there for the common interface.

    Attributes
    ----------
    main_effects_ : float array (N,)
        μ, the main effect of each column in log-odds.

    See Factorization for the other learned attributes; W_ is scaled by the singular values, the
    rows of H_ are orthonormal, expectation_ is σ(μ + WH).
    """

    def __init__(self, n_components=2, *, max_iter=2000, tol=1e-5, random_state=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _factorize(self, codes, seed, monitor):
        if self.n_components >= min(codes.shape):
            raise ConfigError(
                f"n_components = {self.n_components}: a matrix of shape {codes.shape} allows "
                f"1 to {min(codes.shape) - 1}"
            )
        signs = np.where(codes < 0, 0.0, 2.0 * codes - 1.0)  # 0 for missing: no pull on the fit
        state = _Step.of(4.0 * signs, self.n_components, signs)
        iteration, converged = 0, False
        while iteration < self.max_iter and not converged:
            previous = state
            state = _Step.of(previous.working_matrix(), self.n_components, signs)
            iteration += 1
            gain = previous.mean_deviance - state.mean_deviance
            converged = bool(iteration >= MIN_ITER and gain < self.tol)
            last = converged or iteration == self.max_iter
            if monitor is not None and (last or iteration == monitor.next_after(iteration - 1)):
                monitor(iteration, self.max_iter, state)
        self.main_effects_ = state.main_effects
        W, H = state.factors()
        shares = np.ones(self.n_components)
        return Fit(W, H, state.expectation(), shares, iteration, converged)


class _Step:
    """One iterate: main effects, the K leading directions, and the fit Θ in log-odds (F, N)."""

    def __init__(self, main_effects, directions, scores, along_rows, signs):
        self.main_effects = main_effects
        self._directions, self._scores, self._along_rows = directions, scores, along_rows
        self._signs = signs
        self._log_odds = directions @ scores if along_rows else scores @ directions.T
        self._log_odds += main_effects
        # With t = ±Θ: the probability 1 / (1 + e^t) of the value that was not observed, and the
        # loss log(1 + e^-t) = log(1 + e^t) - t. A missing entry has t = 0; the cap at 500, where
        # the loss is zero, keeps e^t finite.
        t = signs * self._log_odds
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
        step += self._log_odds
        return step

    def factors(self):
        """Return W (F, K), left singular vectors times singular values, and H (K, N)."""
        if self._along_rows:
            sizes = np.linalg.norm(self._scores, axis=1)
            return self._directions * sizes, self._scores / np.maximum(sizes, 1e-300)[:, None]
        return self._scores, self._directions.T

    def expectation(self):
        """Return σ(Θ)."""
        return expit(self._log_odds)

    def objective(self):
        """Return the log-likelihood of the observed entries in nats."""
        return float(-self.mean_deviance * np.count_nonzero(self._signs))

    def active_components(self):
        """Return K: there is no distribution over components."""
        return self._directions.shape[1]
