"""The evidence log p(V) of models with fixed gamma priors: its bound, and two estimates of it.

Each says how sure it is. Where they disagree annealing is to be believed: the bound is tens of
nats below, by a gap that grows with K, and Chib's estimate fails beyond tiny matrices, which its
effective size tells (docs/poisson.md).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from nbmf.data.sparse_counts import SparseCounts
from nbmf.errors import ConfigError, DataError, not_allowed
from nbmf.families.poisson_gamma.annealing import Annealed
from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.poisson_gamma_estimator import WithPriors
from nbmf.families.poisson_gamma.poisson_gamma_gibbs import Chain
from nbmf.families.poisson_gamma.poisson_gamma_inference import Variational
from nbmf.inference.parameters import check_count
from nbmf.seeds import child, children

BATCHES = 20  # of a chain, whose means tell its Monte Carlo error


class Evidence(NamedTuple):
    """What is known of log p(V).

    - value : float, nats
    - error : float, standard error in nats; of the bound the standard deviation over starts, NaN of
      a single one
    - effective_size : float, how many independent weights the average is worth; below about ten the
      error means nothing. Of the bound how many starts there were
    - kind : "bound", "chib" or "annealed"
    """

    value: float
    error: float
    effective_size: float
    kind: str


def bound(model: Variational, V: Any, starts: int = 3) -> Evidence:
    """Return the best evidence lower bound of some starts; it never exceeds log p(V).

    Parameters
    ----------
    model : PoissonGammaVB or BernoulliPoissonVB
        Its priors may be learned: it is then log p(V) at those that were.
    V : matrix, as for `fit`
    starts : int

    Raises
    ------
    ConfigError, DataError
        As `fit` does; ConfigError if the method has no bound.
    """
    check_count("starts", starts, 1)
    if not isinstance(model, Variational):
        raise ConfigError(f"{type(model).__name__} has no bound: allowed are variational methods")
    bounds = []
    for number in range(starts):
        again = type(model)(**model.get_params())
        again.set_params(random_state=child(model._seed(), "start", number))
        last = _Last()
        again.fit(V, monitor=last)
        bounds.append(last.objective)
    spread = float(np.std(bounds, ddof=1)) if starts > 1 else np.nan
    return Evidence(max(bounds), spread, float(starts), "bound")


class _Last:
    """A monitor that keeps the last objective."""

    def next_after(self, iteration):
        return float("inf")

    def __call__(self, iteration, total, state):
        self.objective = state.objective()


def annealed(model: WithPriors, V: Any, *, temperatures: int = 2500, chains: int = 16, steps: int = 6) -> Evidence:
    """Estimate log p(V) by annealed importance sampling (Neal 2001).

    Chains go from the prior to the posterior, prior x likelihood^β, β = 0 and then log-spaced from
    1e-7 to 1, by Hamiltonian Monte Carlo in (log W, log H) with the sources summed out.

    Parameters
    ----------
    model : a model with gamma priors, all fixed
        Its random_state gives the random numbers.
    V : matrix, as for `fit`; not sparse
    temperatures, chains, steps : int
        Values of β; independent chains; leapfrog steps of each move.

    Raises
    ------
    ConfigError
        If a prior is learned.
    DataError
        If V is sparse, or no matrix that the model takes.
    """
    for name, value, least in (("temperatures", temperatures, 2), ("chains", chains, 1), ("steps", steps, 1)):
        check_count(name, value, least)
    values, priors = _given(model, V)
    rng = np.random.default_rng(child(model._seed(), "annealing", 0))
    run = Annealed(values, priors, model.is_binary, chains, rng)
    return _of_weights(run.log_weights(temperatures, steps), "annealed")


def chib(model: WithPriors, V: Any, *, burn_in: int = 5000, free: int = 10_000, clamped: int = 10_000) -> Evidence:
    """Estimate log p(V) by Chib's method, eq. (48) of Cemgil (2009), of counts.

    The point at which p(V, S, W, H) / p(S, W, H | V) is evaluated has the sources S of the last
    sweep of the burn-in, and the means of W and H given them. log p(S | V) is the mean over the
    free sweeps that follow, log p(W | S) that over sweeps with these sources. Where the chain does
    not switch labels the value is too high by up to log K!, which is not taken off.

    Parameters
    ----------
    model : a model of counts with gamma priors, all fixed
    V : matrix, as for `fit`; not sparse
    burn_in, free, clamped : int
        Sweeps.

    Raises
    ------
    ConfigError
        If a prior is learned, or the model is of binary data.
    DataError
        If V is sparse, or no matrix that the model takes.
    """
    for name, value in (("burn_in", burn_in), ("free", free), ("clamped", clamped)):
        check_count(name, value, BATCHES)
    if model.is_binary:
        raise ConfigError("Chib's estimate is of counts: of binary data take the annealed one")
    values, priors = _given(model, V)
    data, K = Observations(values, False), model.n_components
    start_seed, chain_seed, point_seed = children(model._seed(), 3)
    start = model._starting_tables(data, model._means(data), start_seed)
    chain = Chain(data, start, priors, chain_seed)
    for _ in range(burn_in):
        chain.sweep()
    point = _Point(data, priors, chain, np.random.default_rng(point_seed))
    of_sources = np.empty(free)
    for sweep in range(free):
        chain.sweep()
        of_sources[sweep] = point.log_sources(chain.W[:, :K], chain.H[:, :K])
    of_W = point.log_W(clamped)
    parts = [_of_weights(weights, "chib", batches=BATCHES) for weights in (of_sources, of_W)]
    value = point.log_joint - point.log_H - sum(part.value for part in parts)
    error = float(np.hypot(*(part.error for part in parts)))
    return Evidence(value, error, min(part.effective_size for part in parts), "chib")


class _Point:
    """The point of Chib's estimate, and the chain whose sources stay there.

    Attributes
    ----------
    log_joint, log_H : float
        log p(V, S, W, H) and log p(H | W, S) at the point, in nats.
    """

    def __init__(self, data: Observations, priors, chain: Chain, rng: np.random.Generator):
        K = chain.K
        self._data, self._priors, self._rng = data, priors, rng
        lengths = np.diff(data.rows.start)
        self._rows = np.repeat(np.arange(lengths.size), lengths)
        self._columns, self._counts = data.rows.index.astype(int), data.rows.value
        shares = self._shares(chain.W[:, :K], chain.H[:, :K])
        self._sources = rng.multinomial(self._counts.astype(int), shares).astype(float)
        self._constant = gammaln(self._counts + 1.0).sum() - gammaln(self._sources + 1.0).sum()
        self._sums = tuple(
            np.stack([np.bincount(of, s, lines) for s in self._sources.T], axis=1)
            for of, lines in zip((self._rows, self._columns), data.shape, strict=True)
        )
        # Means of W and H given the sources, each given the other, from where the chain is.
        self._W, self._H = chain.W[:, :K].copy(), chain.H[:, :K].copy()
        for _ in range(100):
            self._W = np.multiply(*self._of_W(self._H))
            self._H = np.multiply(*self._of_H(self._W))
        self.log_H = _log_gamma(self._H, *self._of_H(self._W))
        self.log_joint = self._log_joint()

    def _shares(self, W, H) -> np.ndarray:
        weights = W[self._rows] * H[self._columns]
        return weights / weights.sum(axis=1, keepdims=True)

    def _of_W(self, H):
        return self._priors[0].posterior(self._sums[0], self._data.exposure.of_rows(H))

    def _of_H(self, W):
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
            alpha, scale = self._of_W(H)
            if sweep >= 0:
                log_densities[sweep] = _log_gamma(self._W, alpha, scale)
            W = self._rng.standard_gamma(alpha) * scale
            alpha, scale = self._of_H(W)
            H = self._rng.standard_gamma(alpha) * scale
        return log_densities


def _log_gamma(x, alpha, scale) -> float:
    """Return the log density of a table of gamma distributions, in nats."""
    log_p = (alpha - 1.0) * np.log(x) - x / scale - alpha * np.log(scale) - gammaln(alpha)
    return float(log_p.sum())


def _of_weights(log_weights: np.ndarray, kind: str, batches: int = 0) -> Evidence:
    """Return the log of the mean of weights; of a chain the error is that of batches of it."""
    largest = log_weights.max()
    weights = np.exp(log_weights - largest)
    parts = weights
    if batches:
        parts = np.array([part.mean() for part in np.array_split(weights, batches)])
    error = float(parts.std(ddof=1) / np.sqrt(parts.size) / weights.mean()) if parts.size > 1 else np.nan
    size = float(weights.sum() ** 2 / (weights**2).sum())
    value = float(logsumexp(log_weights) - np.log(log_weights.size))
    return Evidence(value, error, size, kind)


def _given(model: WithPriors, V: Any) -> tuple[np.ndarray, tuple[GammaPrior, GammaPrior]]:
    """Return the values of V and the priors of the model, which have to be fixed."""
    model.check_parameters()
    learned = [
        f"tie_{part}_{factor}"
        for factor in "WH"
        for part, tie in zip(("shape", "mean"), model._ties(factor), strict=True)
        if tie != FIXED
    ]
    if learned:
        allowed = f"{FIXED}; a learned prior can be fixed at what a fit has found"
        raise not_allowed(learned[0], getattr(model, learned[0]), allowed)
    values = model.values_of(V)
    if isinstance(values, SparseCounts):
        raise DataError("V is sparse: estimates of the evidence take a matrix with all its entries")
    return values, model._priors(Observations(values, model.is_binary))
