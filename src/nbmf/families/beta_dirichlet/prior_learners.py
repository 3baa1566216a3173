r"""Learning of hyperparameters inside a fit (docs/priors.md), a learner per kind of inference.

The likelihood of assignments is a product of rising factorials, eq. (23), with the logarithm
Σ_kn log Γ(α_n + A_kn) / Γ(α_n) + log Γ(β_n + B_kn) / Γ(β_n) - log Γ(s_n + M_kn) / Γ(s_n), where
s = α + β and M = A + B; γ and η have that of eqs. (24) and (54).

**CVB0** has no bound. Each renewal is a step of Minka's fixed point at expected counts,

    α ← (1 + α Σ E[ψ(α + A) - ψ(α)]) / (1 + Σ E[ψ(s + M) - ψ(s)]),

the ones being a Gamma(2, 1) hyperprior; with α_n = s m_n, β_n = s (1 - m_n) the numerator is
1 + s Σ_n m_n E[ψ(α_n + A) - ψ(α_n)] + (1 - m_n) E[ψ(β_n + B) - ψ(β_n)]. ψ is steep at zero, so that
E[n] = 0.001 may not stand for n: E[ψ(x + n) - ψ(x)] ≈ P (ψ(x + E[n] / P) - ψ(x)) with P the chance
that n is not zero (Teh, Kurihara and Welling 2008). Even so steps for γ and η run away.

**Mean field** has a bound, which each renewal maximises given q(W) q(H): it cannot fall.

**Gibbs**: slice sampling (Neal 2003) of log x given the assignments, with hyperpriors
log x ~ Normal(0, 2²) for α, β and s, log x ~ Normal(log 1/K, 2²) for one γ or η, and
log x ~ Normal(log 1/K, 1) for each of K.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import betaln, gammaln

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import LARGEST, SMALLEST
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import BetaPrior, DirichletPrior
from nbmf.families.beta_dirichlet.kernels.learning import log_rising_sum
from nbmf.seeds import child

SCALE, COMPONENT_SCALE = 2.0, 1.0  # of the hyperpriors of logarithms
WIDTH = 0.5  # of a slice's first interval, in logarithms
BOUNDS = math.log(SMALLEST), math.log(LARGEST)


def split_at_renewals(done: int, steps: int, learner) -> Iterator[tuple[bool, int]]:
    """Yield whether to renew the priors, and how many of `steps` iterations follow.

    Priors are renewed before each iteration whose number is a multiple of the learner's `every`,
    but the first, however the iterations are asked for. Without a learner (None) never.
    """
    end = done + steps
    while done < end:
        stop = end if learner is None else min(end, (done // learner.every + 1) * learner.every)
        yield learner is not None and done > 0 and done % learner.every == 0, stop - done
        done = stop


class CVB0Learner:
    """Learns the Beta prior of a BetaDirCVB0."""

    every = 20  # updates: ten predict no better and cost twice as much

    def __init__(self, inference, beta_prior: BetaPrior):
        self._inference, self._prior = inference, beta_prior

    def renew(self) -> dict[str, np.ndarray]:
        """Take a step; return the hyperparameters that have changed, as tables by name."""
        prior = self._prior
        of_alpha, of_beta, of_both = self._inference.expected_digammas(*prior.column_values())
        numbers, total = prior.learned, 1.0 + of_both.sum()
        if prior.means is not None:
            gain = prior.means @ of_alpha + (1.0 - prior.means) @ of_beta
            steps = {"strength": gain}
        else:
            steps = {"alpha": of_alpha.sum(), "beta": of_beta.sum()}
        for name, number in numbers.items():
            number[...] = np.clip((1.0 + number * steps[name]) / total, SMALLEST, LARGEST)
        self._inference.set_beta_prior(**prior.tables())
        return prior.tables()


class MeanFieldLearner:
    """Learns the priors of a BetaDirMeanField by maximising its bound."""

    every = 10

    def __init__(self, inference, beta_prior: BetaPrior, weights: DirichletPrior):
        self._inference, self._prior, self._weights = inference, beta_prior, weights

    @property
    def learns(self) -> bool:
        """Whether there is anything to learn."""
        return bool(self._prior.learned) or self._weights.is_learned

    def renew(self) -> dict[str, np.ndarray]:
        """Maximise over each number in turn; return the hyperparameters as tables by name."""
        log_W, log_H, log_rest = self._inference.expected_logs()
        prior, weights = self._prior, self._weights
        K = len(log_H)
        for name, number in prior.learned.items():

            def of_beta(x, name=name):
                alpha, beta = prior.column_values(**{name: x})
                return alpha @ log_H.sum(0) + beta @ log_rest.sum(0) - K * betaln(alpha, beta).sum()

            number[...] = _maximise(of_beta, float(number))
        if weights.is_learned:
            rows, sums = len(log_W), log_W.sum(axis=0)
            parts = [slice(None)] if weights.is_symmetric else range(K)
            for part in parts:

                def of_weights(x, part=part):
                    gamma = weights.value.copy()
                    gamma[part] = x
                    return rows * (gammaln(gamma.sum()) - gammaln(gamma).sum()) + gamma @ sums

                weights.value[part] = _maximise(of_weights, float(np.max(weights.value[part])))
        changed = prior.tables() | {"gamma": weights.value}
        self._inference.set_priors(**changed)
        return changed


def _maximise(objective: Callable[[float], float], now: float) -> float:
    """Return a number that maximises a function of one positive number, `now` if none is better."""
    from scipy.optimize import minimize_scalar  # 0.1 s, which fits with fixed priors spare

    near = (max(math.log(now) - 1.0, BOUNDS[0]), min(math.log(now) + 1.0, BOUNDS[1]))
    optimum = minimize_scalar(
        lambda log_x: -objective(math.exp(log_x)), bounds=near, method="bounded", options={"xatol": 1e-3}
    )
    return math.exp(optimum.x) if -optimum.fun > objective(now) else now


class SliceLearner:
    """Samples the hyperparameters of a Gibbs chain given its assignments.

    Parameters
    ----------
    chain : BetaDirChain or DirDirChain
    beta_prior : BetaPrior or None
        The prior of H in the Beta-Dir model.
    weights : dict
        A DirichletPrior by the name of the counter that is drawn from it, "L" or "Q".
    seed : SeedSequence
    """

    every = 50  # sweeps

    def __init__(self, chain, beta_prior: BetaPrior | None, weights, seed):
        self._chain, self._prior, self._weights = chain, beta_prior, weights
        self._seed = seed

    @property
    def learns(self) -> bool:
        """Whether there is anything to learn."""
        learned = self._prior.learned if self._prior is not None else {}
        return bool(learned) or any(prior.is_learned for prior in self._weights.values())

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that renewals change, by name; writing to them sets the state."""
        learned = self._prior.learned if self._prior is not None else {}
        return dict(learned) | {prior.name: prior.value for prior in self._weights.values()}

    def tables(self) -> dict[str, np.ndarray]:
        """Return the hyperparameters as tables by name."""
        of_H = self._prior.tables() if self._prior is not None else {}
        return of_H | {prior.name: prior.value for prior in self._weights.values()}

    def renew(self, sweep: int) -> dict[str, np.ndarray]:
        """Draw each number in turn; return the hyperparameters as tables by name.

        The random numbers belong to the sweep, so that a chain that goes on has the same.
        """
        rng = np.random.default_rng(child(self._seed, "priors", sweep))
        counts = self._chain.counts()
        if self._prior is not None:
            self._draw_beta_prior(counts, rng)
        for counter, prior in self._weights.items():
            if prior.is_learned:
                count = getattr(counts, counter)
                draw_weights_prior(prior.value, prior.is_symmetric, _urns(counter, count), rng)
        self._chain.set_priors(**self.tables())
        return self.tables()

    def _draw_beta_prior(self, counts, rng) -> None:
        used = np.flatnonzero(counts.L.any(axis=0))
        A, B = counts.A[used], counts.B[used]
        M, prior = A + B, self._prior

        for name, number in prior.learned.items():

            def log_density(log_x, name=name):
                alpha, beta = prior.column_values(**{name: math.exp(log_x)})
                fit = log_rising_sum(A, alpha) + log_rising_sum(B, beta)
                return fit - log_rising_sum(M, alpha + beta) - 0.5 * (log_x / SCALE) ** 2

            number[...] = math.exp(draw_from_slice(log_density, math.log(number), rng))


def _urns(counter: str, count: np.ndarray) -> np.ndarray:
    """Return a counter with one row per component, int array (K, urns)."""
    return np.ascontiguousarray(count.T if counter == "L" else count)


def draw_weights_prior(value: np.ndarray, is_symmetric: bool, counts: np.ndarray, rng: np.random.Generator) -> None:
    """Draw the prior of weights given what was drawn from their urns, eqs. (24) and (54).

    Parameters
    ----------
    value : float array (K,)
        The current prior, which is changed.
    is_symmetric : bool
        Whether it is one number.
    counts : int array (K, urns)
    """
    K, urns = counts.shape
    sizes, times = np.unique(counts.sum(axis=0), return_counts=True)
    middle, scale = math.log(1.0 / K), SCALE if is_symmetric else COMPONENT_SCALE
    parts = [slice(None)] if is_symmetric else range(K)
    for part in parts:
        others = 0.0 if is_symmetric else value.sum() - value[part]
        own = counts[part] if is_symmetric else counts[part][None]

        def log_density(log_x, own=own, others=others):
            x = math.exp(log_x)
            total = K * x if is_symmetric else others + x
            of_urns = times @ (gammaln(total + sizes) - gammaln(total))
            hyperprior = -0.5 * ((log_x - middle) / scale) ** 2
            return log_rising_sum(own, np.full(urns, x)) - of_urns + hyperprior

        now = math.log(np.max(value[part]))
        value[part] = math.exp(draw_from_slice(log_density, now, rng))


def draw_from_slice(log_density: Callable[[float], float], now: float, rng: np.random.Generator) -> float:
    """Draw a number by slice sampling with stepping out (Neal 2003), within BOUNDS.

    Parameters
    ----------
    log_density : function
        In nats, up to a constant.
    now : float
        The current number.
    rng : Generator
    """
    level = log_density(now) - rng.standard_exponential()
    low = now - WIDTH * rng.random()
    high = low + WIDTH
    while low > BOUNDS[0] and log_density(low) > level:
        low -= WIDTH
    while high < BOUNDS[1] and log_density(high) > level:
        high += WIDTH
    low, high = max(low, BOUNDS[0]), min(high, BOUNDS[1])
    while True:
        drawn = low + (high - low) * rng.random()
        if log_density(drawn) > level or high - low < 1e-12:
            return drawn
        low, high = (drawn, high) if drawn < now else (low, drawn)
