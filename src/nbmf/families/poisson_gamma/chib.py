"""Chib's estimate of the evidence, eq. (48) of Cemgil (2009): log p(V, S, W, H) - log p(S, W, H | V) at a point.

The point has sources S, and the means of W and H given them. S are those of the last sweep of the burn-in, or the most
likely ones at the mode of p(log W, log H | V) that is climbed to from there: the paper asks for a point near a mode.
log p(S | V) is the mean over the sweeps that follow, log p(W | S) that over sweeps with these sources.
"""

import numpy as np
from scipy.special import gammaln

from nbmf.families.poisson_gamma.gamma_priors import GammaPrior
from nbmf.families.poisson_gamma.lookup_tables import RateState
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.point import PointState
from nbmf.families.poisson_gamma.poisson_gamma_gibbs import Chain
from nbmf.families.poisson_gamma.weights import Evidence, evidence_of_weights
from nbmf.inference.state import Factors
from nbmf.seeds import children

BATCHES = 20  # of a chain, whose means give its Monte Carlo error
LAST, NEAR_MODE = POINTS = ("last", "near mode")  # which point is taken
CLIMB = 1000  # steps to the mode


class ChibState(RateState):
    """The chain of Chib's estimate; its last sweep does those with clamped sources as well.

    Parameters
    ----------
    model : a model of counts with gamma priors
        Draws the start.
    data : Observations
    priors : (GammaPrior, GammaPrior)
        Those of W and H, fixed.
    seed : SeedSequence
    burn_in, free, clamped : int
        Sweeps before the point is chosen, after it, and with its sources.
    point : {"last", "near mode"}

    Attributes
    ----------
    evidence : Evidence
        There after the last free sweep.
    """

    is_dense = True

    def __init__(
        self,
        model,
        data: Observations,
        priors: tuple[GammaPrior, GammaPrior],
        seed: np.random.SeedSequence,
        *,
        burn_in: int,
        free: int,
        clamped: int,
        point: str = LAST,
    ):
        self._data, self.priors, self._kind = data, priors, point
        start_seed, chain_seed, self._point_seed = children(seed, 3)
        start = model._starting_tables(data, model._means(data), start_seed)
        self._chain = Chain(data, start, priors, chain_seed)
        self._waits, self._clamped = burn_in, clamped
        self._point, self._of_sources, self._free = None, np.empty(free), 0

    def advance(self, steps):
        """Sweep; after the burn-in weigh the point."""
        for _ in range(steps):
            if self._waits == 0 and self._point is None:
                self._point = self._choose_point()
            self._chain.sweep()
            if self._point is None:
                self._waits -= 1
            else:
                self._weigh(self._point)

    def _now(self) -> tuple[np.ndarray, np.ndarray]:
        """Return W (F, K) and H (N, K) of the chain."""
        return self._chain.W[:, : self._chain.K], self._chain.H[:, : self._chain.K]

    def _choose_point(self) -> "ChibPoint":
        rng = np.random.default_rng(self._point_seed)
        if self._kind == LAST:
            return ChibPoint(self._data, self.priors, self._now(), rng)
        mode = PointState(self._data, self._now(), self.priors, True, self.is_dense)
        mode.advance(CLIMB)
        W, H, _ = mode.factors()
        return ChibPoint(self._data, self.priors, (W, H.T), rng, likely=True)

    def _weigh(self, point: "ChibPoint") -> None:
        W, H = self._now()
        self._of_sources[self._free] = point.log_sources(W, H)
        self._free += 1
        if self._free == self._of_sources.size:
            self.evidence = point.evidence(self._of_sources, point.log_W(self._clamped))

    def objective(self):
        """Return the log joint of data, factors and nothing else, in nats."""
        return self._chain.log_joint()

    def factors(self):
        """Return W and H at the point; before there is one, those now."""
        return self._chain.factors() if self._point is None else self._point.factors()

    def expectation(self):
        """Return E[V] given these factors."""
        W, H, _ = self.factors()
        return W @ H


class ChibPoint:
    """The point of Chib's estimate, and the chain whose sources stay there.

    Parameters
    ----------
    data : Observations
    priors : (GammaPrior, GammaPrior)
    tables : (float array (F, K), float array (N, K))
        W and H that the sources are drawn given, or are the most likely ones given.
    rng : Generator
    likely : bool
        Whether they are those.

    Attributes
    ----------
    log_joint, log_H : float
        log p(V, S, W, H) and log p(H | W, S) at the point, in nats.
    """

    def __init__(self, data: Observations, priors, tables, rng: np.random.Generator, likely: bool = False):
        self._data, self._priors, self._rng = data, priors, rng
        lengths = np.diff(data.rows.start)
        self._rows = np.repeat(np.arange(lengths.size), lengths)
        self._columns, self._counts = data.rows.index.astype(int), data.rows.value
        shares = self._shares(*tables)
        counts = self._counts.astype(int)
        self._sources = (most_likely(counts, shares) if likely else rng.multinomial(counts, shares)).astype(float)
        self._constant = gammaln(self._counts + 1.0).sum() - gammaln(self._sources + 1.0).sum()
        self._sums = tuple(
            np.stack([np.bincount(of, s, size) for s in self._sources.T], axis=1)
            for of, size in zip((self._rows, self._columns), data.shape, strict=True)
        )
        # Means of W and H given the sources, each given the other, from these tables.
        self._W, self._H = (table.copy() for table in tables)
        for _ in range(100):
            self._W = np.multiply(*self._posterior_of_W(self._H))
            self._H = np.multiply(*self._posterior_of_H(self._W))
        self.log_H = _log_gamma(self._H, *self._posterior_of_H(self._W))
        self.log_joint = self._log_joint()

    def _shares(self, W, H) -> np.ndarray:
        weights = W[self._rows] * H[self._columns]
        return weights / weights.sum(axis=1, keepdims=True)

    def _posterior_of_W(self, H):
        return self._priors[0].posterior(self._sums[0], self._data.exposure.of_rows(H))

    def _posterior_of_H(self, W):
        return self._priors[1].posterior(self._sums[1], self._data.exposure.of_columns(W))

    def _log_joint(self) -> float:
        W, H = self._W, self._H
        log_p = (self._sums[0] * np.log(W)).sum() + (self._sums[1] * np.log(H)).sum()
        log_p -= gammaln(self._sources + 1.0).sum()
        log_p -= (W * self._data.exposure.of_rows(H)).sum()
        return float(log_p + sum(p.log_density(x) for p, x in zip(self._priors, (W, H), strict=True)))

    def log_sources(self, W, H) -> float:
        """Return log p(S | W, H, V) of the point's sources, in nats."""
        return float((self._sources * np.log(self._shares(W, H))).sum() + self._constant)

    def log_W(self, sweeps: int) -> np.ndarray:
        """Return log p(W | H, S) of the point's W for each H of a chain that keeps S."""
        log_densities, H = np.empty(sweeps), self._H
        for sweep in range(-(sweeps // 10), sweeps):
            alpha, scale = self._posterior_of_W(H)
            if sweep >= 0:
                log_densities[sweep] = _log_gamma(self._W, alpha, scale)
            W = self._rng.standard_gamma(alpha) * scale
            alpha, scale = self._posterior_of_H(W)
            H = self._rng.standard_gamma(alpha) * scale
        return log_densities

    def factors(self) -> Factors:
        """Return W (F, K) and H (K, N) at the point."""
        return Factors(self._W.copy(), self._H.T.copy())

    def evidence(self, *log_weights: np.ndarray) -> Evidence:
        """Return the estimate, given the log weights of the point's sources and of its W."""
        parts = [evidence_of_weights(weights, "chib", batches=min(BATCHES, weights.size)) for weights in log_weights]
        value = self.log_joint - self.log_H - sum(part.value for part in parts)
        error = float(np.hypot(*(part.error for part in parts)))
        return Evidence(value, error, min(part.effective_size for part in parts), "chib")


def most_likely(counts: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the counts dealt by shares, int array (n, K): whole parts, then one each to the largest remainders.

    Of a multinomial distribution these are at the mode or next to it.
    """
    wanted = counts[:, None] * shares
    dealt = np.floor(wanted).astype(int)
    left = counts - dealt.sum(axis=1)
    rank = np.argsort(np.argsort(dealt - wanted, axis=1, kind="stable"), axis=1, kind="stable")
    return dealt + (rank < left[:, None])


def _log_gamma(x, alpha, scale) -> float:
    """Return the log density of a table of gamma distributions, in nats."""
    log_p = (alpha - 1.0) * np.log(x) - x / scale - alpha * np.log(scale) - gammaln(alpha)
    return float(log_p.sum())
