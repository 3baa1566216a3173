"""Variational Bayes: q(W) and q(H) gamma, sources multinomial and summed out (corrected (A.12)).

With L = exp E[log w] and the old L on both sides, the entries above zero give the expected sums of
sources S_W, S_H. Then, block by block, each the maximum of the bound given the others:

    α_W = a_W + S_W,  rate_W = a_W / b_W + M E[H]',  E[W] = α_W / rate_W,
    the same for H with the new E[W], and the learned numbers of the priors. Where rows or columns have scales x
(nbmf.families.poisson_gamma.scales), q(x) is renewed after q of their factor, in whose rate E[x] stands.

The bound needs no sources: it is evaluated with their q at its optimum.
"""

import numpy as np
from scipy.special import digamma

from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior, new_row_priors
from nbmf.families.poisson_gamma.kernels import gamma_distributions
from nbmf.families.poisson_gamma.kernels.gamma_distributions import FLOOR_SINGLE
from nbmf.families.poisson_gamma.lookup_tables import Link, RateState, rates_at
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.inference.state import Factors
from nbmf.numerics.lanes import aligned_table, padded
from nbmf.numerics.threads import run_with_threads


class FactorPosterior:
    """q of one factor: gamma distributions (rows, K).

    Rows are those of V, or its columns. `threads` are those of an update; no result depends on them.

    Attributes
    ----------
    prior : GammaPrior
    alpha, scale : arrays (rows, K), float64 or float32
    E, L : arrays (rows, padded K) of the same type
        E[w] and exp E[log w].
    S : such an array (rows, padded K)
        Σ of ratios times the other side's L; times L the expected sums of sources.
    """

    def __init__(self, prior: GammaPrior, start: np.ndarray, dtype: type = np.float64, threads: int = 1):
        size, self.K = start.shape
        self.prior, self._threads = prior, threads
        self.E, self.L, self.S = (aligned_table(size, padded(self.K), dtype) for _ in range(3))
        start = start if dtype == np.float64 else np.maximum(start, FLOOR_SINGLE)
        self.alpha, self.scale = np.ones_like(start, dtype), start.astype(dtype)
        self.E[:, : self.K] = self.L[:, : self.K] = start
        self._renew_scales()

    def update(self, exposure: np.ndarray) -> None:
        """Set q given the sums S and the exposure, (rows or 1, padded K), then that of scales."""
        prior = self.prior
        arguments = self.S, exposure, prior.shape, prior.rate, self.L, self.E, self.alpha, self.scale
        run_with_threads(gamma_distributions.renew_serial, gamma_distributions.renew_parallel, self._threads, arguments)
        self._renew_scales()

    def _renew_scales(self) -> None:
        if self.prior.scales is not None:
            self.prior.scales.update(self.prior, self.E[:, : self.K])

    @property
    def log_L(self) -> np.ndarray:
        """E[log w], float64 array (rows, K); of float32 factors also where L is too small for its type."""
        L = self.L[:, : self.K]
        log = np.log(L, dtype=np.float64)
        if L.dtype == np.float32:
            least = np.float32(FLOOR_SINGLE)
            at = least == L
            log[at] = digamma(self.alpha[at].astype(np.float64)) + np.log(self.scale[at], dtype=np.float64)
        return log

    def renew(self) -> None:
        """Renew the learned numbers of the priors."""
        prior, scales = self.prior, self.prior.scales
        log = None if prior.ties.shape == FIXED else self.log_L  # which takes time, and only shapes need it
        if scales is None:
            if prior.ties.learns:
                prior.renew(self.E[:, : self.K], log)
            return
        if prior.ties.learns:
            prior.renew(self.E[:, : self.K] * scales.value, log if log is None else log + scales.log)
            self._renew_scales()
        if scales.prior.ties.learns:
            scales.renew()

    @property
    def learns(self) -> bool:
        """Whether anything is learned of the priors."""
        scales = self.prior.scales
        return self.prior.ties.learns or (scales is not None and scales.prior.ties.learns)

    def divergence(self) -> float:
        """Return KL(q || prior) in nats, of scales as well."""
        divergence = self.prior.divergence(self.alpha, self.scale)
        return divergence if self.prior.scales is None else divergence + self.prior.scales.divergence()

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw from q, (rows, K)."""
        return rng.standard_gamma(self.alpha) * self.scale


class VariationalState(RateState):
    """q(W) q(H) and its updates.

    Parameters
    ----------
    data : Observations
    W, H : FactorPosterior
        Rows of V and columns of V are their rows.
    link : function
        From rates to E[V].
    is_dense : bool
        Whether the matrix was given with all its entries.
    learn_after : int
        Updates before anything is learned of priors.

    Attributes
    ----------
    waits : int
        Updates before which a fit is not done: `learn_after` where anything is learned.
    """

    def __init__(
        self, data: Observations, W: FactorPosterior, H: FactorPosterior, link: Link, is_dense: bool, learn_after: int
    ):
        self._data, self.W, self.H, self._link, self.is_dense = data, W, H, link, is_dense
        self.waits = learn_after if W.learns or H.learns else 0
        self._done = 0

    def advance(self, steps):
        """Update both sides and what is learned of their priors so many times."""
        data, W, H = self._data, self.W, self.H
        for _ in range(steps):
            data.pass_both(W.L, H.L, W.S, H.S)
            W.update(data.exposure.of_rows(H.E))
            H.update(data.exposure.of_columns(W.E))
            self._done += 1
            if self._done > self.waits:
                W.renew()
                H.renew()

    def objective(self):
        """Return the evidence lower bound in nats."""
        data, W, H = self._data, self.W, self.H
        expected = float((W.E * data.exposure.of_rows(H.E)).sum())
        return data.log_terms(W.L, H.L) - expected - W.divergence() - H.divergence()

    def factors(self):
        """Return E[W] and E[H]."""
        return Factors(*self._doubles(self.W.E, self.H.E))

    def geometric_means(self):
        """Return exp E[log W] (F, K) and exp E[log H] (K, N)."""
        return self._doubles(self.W.L, self.H.L)

    def _doubles(self, W, H) -> tuple[np.ndarray, np.ndarray]:
        """Return copies of two tables without padding, float64 (F, K) and (K, N)."""
        K = self.W.K
        return W[:, :K].astype(np.float64), H[:, :K].T.astype(np.float64, order="C")

    def priors(self):
        """Return shapes and means of a new row's or column's priors by name."""
        return new_row_priors((self.W.prior, self.H.prior))

    def scales(self):
        """Return exp -E[log x], (size,), of each factor that has scales, by its name."""
        sides = {"W": self.W.prior.scales, "H": self.H.prior.scales}
        return {factor: np.exp(-scales.log[:, 0]) for factor, scales in sides.items() if scales is not None}

    def draw(self, rng):
        """Draw W and H from q."""
        return Factors(self.W.draw(rng), self.H.draw(rng).T)

    def expectation(self):
        """Return E[V] at E[W] E[H]."""
        return self._link(self.W.E @ self.H.E.T)

    def predictive(self, rows, columns):
        """Return E[v] of some entries."""
        if self.is_dense:  # the fit ends with these numbers, to the last digit
            return self.expectation()[rows, columns]
        factors = self.factors()
        return self._link(rates_at(factors.W, factors.H, rows, columns))
