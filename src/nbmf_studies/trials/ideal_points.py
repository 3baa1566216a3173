"""Ideal points, as political science and testing fit them: a penalised logistic model."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from nbmf.data.matrix import MISSING
from nbmf.inference.declarations import Alignment
from nbmf.inference.state import Factors
from nbmf_studies.trials.competitors import Competitor, shrunken_column_means

ITEM_VARIANCE = 4.0  # a priori, of slopes and difficulties; that of positions is 1


class IdealPoint(Competitor):
    """Penalised ideal points, the two-parameter logistic model of tests and votes.

    P(v_fn = 1) = σ(c_n + Σ_k w_fk h_kn), at the mode of the posterior under w ~ N(0, 1) and c, h ~
    N(0, ITEM_VARIANCE), by L-BFGS.

    Parameters
    ----------
    n_components : int
        K, dimensions.
    max_iter : int
        Iterations at most.
    random_state : int, SeedSequence or None
        Of the start; the same value gives the same bits.
    """

    alignment = Alignment.ROTATION
    meanings = ("position", "slope, in log-odds")

    def _solve(self, codes, seed):
        F, N = codes.shape
        rng, K = np.random.default_rng(seed), self.n_components
        start = [0.1 * rng.standard_normal((F + N) * K), logit(shrunken_column_means(codes))]
        optimum = minimize(
            penalised_loss,
            np.concatenate(start),
            args=(np.where(codes == MISSING, 0, 2 * codes - 1), K),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter},
        )
        positions, slopes, difficulties = _parts(optimum.x, F, N, K)
        return Factors(positions, np.ascontiguousarray(slopes.T), {"effects": difficulties})

    def _learn(self, state):
        super()._learn(state)
        self.effects_ = state.factors().others["effects"]

    @property
    def factors_(self):
        """W_, H_ and c."""
        return super().factors_._replace(others={"effects": self.effects_})

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the probabilities of a one of some rows and columns."""
        positions, slopes = factors.W[rows], factors.H[:, columns]
        return expit(factors.others["effects"][columns] + positions @ slopes)


def penalised_loss(x: np.ndarray, signs: np.ndarray, K: int) -> tuple[float, np.ndarray]:
    """Return minus the log posterior density, in nats but for a constant, and its gradient.

    Parameters
    ----------
    x : float array (F K + N K + N,)
        w (F, K), h (N, K) and c (N,), one after the other.
    signs : int array (F, N)
        1, -1, 0 for ones, zeros and missing.
    K : int
    """
    positions, slopes, difficulties = _parts(x, *signs.shape, K)
    t = signs * (difficulties + positions @ slopes.T)
    loss = (np.logaddexp(0.0, -t) * (signs != 0)).sum()
    pull = -signs * expit(-t)
    gradient = np.concatenate(
        [
            (pull @ slopes + positions).ravel(),
            (pull.T @ positions + slopes / ITEM_VARIANCE).ravel(),
            pull.sum(axis=0) + difficulties / ITEM_VARIANCE,
        ]
    )
    penalty = np.square(positions).sum()
    penalty += (np.square(slopes).sum() + np.square(difficulties).sum()) / ITEM_VARIANCE
    return float(loss + penalty / 2), gradient


def _parts(x, F, N, K):
    """Return w (F, K), h (N, K) and c (N,)."""
    return x[: F * K].reshape(F, K), x[F * K : -N].reshape(N, K), x[-N:]
