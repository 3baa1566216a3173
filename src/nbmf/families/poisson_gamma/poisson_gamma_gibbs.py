"""The Gibbs sampler: sources given W and H, then W, then H given the new W, then their priors.

Sources of an entry are multinomial, and only their sums S_W, S_H are kept; then

    w_fk ~ Gamma(a + S_W, rate a / b + M H'),   h_kn ~ Gamma(a + S_H, rate a / b + M' W),

where rows or columns have scales with their x instead of 1 before a / b.
Nothing is collapsed: a state is W, H, the learned numbers, scales and the random streams.

Rows of a matrix with many entries above zero are divided into parts, each with random streams of its own; so are
the rows of W and of H. Threads share the parts, and no result depends on them.
"""

import json

import numpy as np

from nbmf.families.poisson_gamma import hyperparameters
from nbmf.families.poisson_gamma.averages import Averages
from nbmf.families.poisson_gamma.gamma_priors import GammaPrior
from nbmf.families.poisson_gamma.kernels import sources
from nbmf.families.poisson_gamma.lookup_tables import Link, RateState, rates_at, tables
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.parts import MANY_DRAWN
from nbmf.inference.state import Factors, put_back
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children


class Chain:
    """W and H, and what is learned of their priors, as a Markov chain.

    Parameters
    ----------
    data : Observations
    start : (float array (F, K), float array (N, K))
    priors : (GammaPrior, GammaPrior)
        Those of W and H.
    seed : SeedSequence

    Attributes
    ----------
    W, H : float arrays (F, padded K), (N, padded K)
    means : list of float arrays (F, K), (N, K)
        E[W] and E[H] of the conditionals that the factors were drawn from last.
    """

    def __init__(self, data: Observations, start, priors: tuple[GammaPrior, GammaPrior], seed):
        self._data, self.priors, self.K = data, priors, start[0].shape[1]
        kernels_seed, priors_seed = children(seed, 2)
        self._limits = data.limits_of_parts(MANY_DRAWN)
        number = self._limits.size - 1
        self._blocks = [np.linspace(0, size, number + 1).astype(np.int64) for size in data.shape]
        self._generators = generator_states(kernels_seed, 2 * number)  # of sources, and of factors
        self._rng = np.random.default_rng(priors_seed)
        self.W, self.H = tables(data.shape, self.K)
        self.S_W, self.S_H = tables(data.shape, self.K)
        self.W[:, : self.K], self.H[:, : self.K] = start
        self.means = [part.copy() for part in start]
        for prior in priors:
            prior.unfold()
        for prior, table in zip(priors, start, strict=True):
            if prior.scales is not None:
                prior.scales.update(prior, table)
                prior.scales.set(prior.scales.value)

    def sweep(self) -> None:
        """Draw sources, W, H and the learned numbers once."""
        data, W, H = self._data, self.W, self.H
        parts = data.sums_of_parts(self._limits, self.S_H)
        generators = self._generators[: len(parts)]
        arguments = self._limits, *data.rows, W, H, self.K, data.is_binary, generators, self.S_W, parts
        self._run(sources.draw_sources_serial, sources.draw_sources_parallel, arguments)
        data.add_parts(parts, self.S_H)
        self._draw(W, self.S_W, data.exposure.of_rows(H), 0)
        self._draw(H, self.S_H, data.exposure.of_columns(W), 1)
        for prior, table in zip(self.priors, (W, H), strict=True):
            hyperparameters.draw_all(prior, table[:, : self.K], self._rng)

    def _draw(self, table, sums, exposure, side) -> None:
        """Draw a factor given the sums of its sources."""
        prior, blocks = self.priors[side], self._blocks[side]
        generators = self._generators[blocks.size - 1 :]
        arguments = blocks, sums, exposure, prior.shape, prior.rate, generators, self.means[side], table
        self._run(sources.draw_factor_serial, sources.draw_factor_parallel, arguments)

    def _run(self, serial, parallel, arguments) -> None:
        run_with_threads(serial, parallel, min(self._data.threads, self._limits.size - 1), arguments)

    def log_joint(self) -> float:
        """Return log p(V, W, H, scales | priors) in nats, sources summed out."""
        data, W, H = self._data, self.W, self.H
        total = data.log_terms(W, H) - float((W * data.exposure.of_rows(H)).sum())
        for prior, table in zip(self.priors, (W, H), strict=True):
            total += prior.log_density(table[:, : self.K])
            total += 0.0 if prior.scales is None else prior.scales.log_density()
        return total

    def factors(self) -> Factors:
        """Return W and H now."""
        return Factors(self.W[:, : self.K].copy(), self.H[:, : self.K].T.copy())

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name."""
        arrays = self._arrays()
        return arrays | {"random": np.array(json.dumps(self._rng.bit_generator.state))}

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays = {"W": self.W, "H": self.H, "generators": self._generators}
        arrays |= {"mean of W": self.means[0], "mean of H": self.means[1]}
        for prior, factor in zip(self.priors, "WH", strict=True):
            arrays |= {f"{name} of {factor}'s prior": x for name, x in prior.arrays().items()}
        return arrays

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot."""
        put_back(self._arrays(), snapshot)
        self._rng.bit_generator.state = json.loads(str(snapshot["random"]))


class ChainState(RateState):
    """A chain, and averages over its kept sweeps.

    Parameters
    ----------
    chain : Chain
    averages : Averages
    burn_in : int
        Sweeps before the first that is kept.
    link : function
        From rates to E[V].
    """

    resumable = True

    def __init__(self, chain: Chain, averages: Averages, burn_in: int, link: Link):
        self._chain, self.averages, self._link = chain, averages, link
        self.is_dense = averages.is_whole
        self._burn_in, self._sweeps = burn_in, np.zeros((), int)

    def advance(self, steps):
        """Sweep; after the burn-in add to the averages."""
        for _ in range(steps):
            self._chain.sweep()
            self._sweeps += 1
            if self._sweeps > self._burn_in:
                self.averages.add(self._chain, int(self._sweeps) - self._burn_in)

    def objective(self):
        """Return the log joint of data, factors and nothing else, in nats."""
        return self._chain.log_joint()

    def factors(self):
        """Return W and H now."""
        return self._chain.factors()

    def draw(self, rng):
        """Return W and H now: the chain has drawn them."""
        return self._chain.factors()

    def estimate(self):
        """Return the means of W and H over the kept sweeps; before the first, those now."""
        return self.averages.factors() if self.averages.sweeps else self.factors()

    def expectation(self):
        """Return E[V] over the kept sweeps so far; before the first, given W and H now."""
        if self.averages.has_expectation:
            return self.averages.expectation()
        W, H, _ = self.factors()
        return self._link(W @ H)

    def predictive(self, rows, columns):
        """Return E[v] of some entries, the mean over the kept sweeps."""
        if self.averages.can_predict:
            return self.averages.predict(rows, columns)
        return self.current_predictive(rows, columns)

    def current_predictive(self, rows, columns):
        """Return E[v] given W and H now."""
        W, H, _ = self.factors()
        return self._link(rates_at(W, H, rows, columns))

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        return {"sweeps": self._sweeps} | self.averages.arrays() | self._chain.snapshot()

    def restore(self, snapshot):
        """Take over a snapshot."""
        self._chain.restore(snapshot)
        put_back({"sweeps": self._sweeps} | self.averages.arrays(), snapshot)
