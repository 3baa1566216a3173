"""Point estimates: maximum likelihood by EM, and the mode of the posterior by the same steps.

With W, H instead of L, and S = W * (R H') from the entries above zero,

    W <- (c_W + S_W) / (a_W / b_W + M H'),

then R is computed anew for H. Maximum likelihood has no prior (c = 0, no rate); the mode of
p(log W, log H | V) has c = a; that of p(W, H | V) has c = a - 1, and 0 where this is negative.
"""

import numpy as np

from nbmf.families.poisson_gamma.gamma_priors import GammaPrior
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.lookup_tables import RateState, rates_at, tables
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.inference.state import Factors


class PointState(RateState):
    """W and H as they are improved alternately.

    Parameters
    ----------
    data : Observations
    start : (float array (F, K), float array (N, K))
    priors : (GammaPrior, GammaPrior) or None
        Those of W and H; None for maximum likelihood.
    of_logarithms : bool
        Whether the mode is that of the logarithms.
    is_dense : bool
        Whether the matrix was given with all its entries.
    """

    def __init__(
        self,
        data: Observations,
        start: tuple[np.ndarray, np.ndarray],
        priors: tuple[GammaPrior, GammaPrior] | None,
        of_logarithms: bool,
        is_dense: bool,
    ):
        self.is_dense = is_dense
        self._data, self._priors, self._of_logarithms = data, priors, of_logarithms
        self._K = start[0].shape[1]
        self._W, self._H = tables(data.shape, self._K)
        self._sums_W, self._sums_H = tables(data.shape, self._K)
        self._W[:, : self._K], self._H[:, : self._K] = start

    def advance(self, steps):
        """Improve W, then H given it, so many times."""
        data, W, H = self._data, self._W, self._H
        for _ in range(steps):
            data.pass_rows(W, H, self._sums_W)
            self._improve(W, self._sums_W, data.exposure.of_rows(H), 0)
            data.pass_columns(W, H, self._sums_H)
            self._improve(H, self._sums_H, data.exposure.of_columns(W), 1)

    def _improve(self, table, sums, exposure, side) -> None:
        now = table[:, : self._K]
        count, rate = now * sums[:, : self._K], exposure[:, : self._K]
        if self._priors is not None:
            prior = self._priors[side]
            count += prior.shape if self._of_logarithms else prior.shape - 1.0
            np.maximum(count, 0.0, out=count)
            rate = rate + prior.rate
        rate = np.broadcast_to(rate, now.shape)
        # Of a row or column without an observed entry maximum likelihood says nothing: it stays as it is.
        np.divide(count, rate, out=now, where=rate > 0.0)
        np.maximum(now, FLOOR, out=now)

    @property
    def waits(self) -> int:
        """Iterations before which a fit is not done: none."""
        return 0

    def objective(self):
        """Return the log-likelihood, or the log density of V and what the mode is of, in nats."""
        data, W, H = self._data, self._W, self._H
        expected = float((W * data.exposure.of_rows(H)).sum())
        total = data.log_terms(W, H) - expected
        if self._priors is not None:
            for prior, table in zip(self._priors, (W, H), strict=True):
                total += prior.log_density(table[:, : self._K], of_logarithms=self._of_logarithms)
        return total

    def factors(self):
        """Return W and H."""
        return Factors(self._W[:, : self._K].copy(), self._H[:, : self._K].T.copy())

    def expectation(self):
        """Return W H."""
        return self._W @ self._H.T

    def predictive(self, rows, columns):
        """Return E[v] of some entries."""
        if self.is_dense:  # the fit ends with these numbers, to the last digit
            return self.expectation()[rows, columns]
        return rates_at(*self.factors()[:2], rows, columns)
