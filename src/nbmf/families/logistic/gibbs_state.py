"""What the models share that are fitted by a Gibbs chain: its state, and what is kept of it."""

from collections.abc import Mapping

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.cell_likelihoods import CellLikelihood
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.gibbs_cells import Cells, NoisyCells
from nbmf.families.logistic.logistic_estimator import PRIOR, FactorModel, NoisyFactors
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import State, put_back


@with_parameters
class Sampled(FactorModel):
    """Base class: by Gibbs sampling, with the parameters that all of these samplers have."""

    inference = Inference.SAMPLER
    takes_threads = True

    n_components: int = 8
    effects: str = "none"
    effect_scale: float | str = form.EFFECT_SCALE
    ard: bool = True
    a0: float = PRIOR
    b0: float = PRIOR
    burn_in: int = 500
    n_samples: int = 1000
    threads: int = 1
    random_state: RandomState = None

    def _chain_with(self, cells: Cells, seed: np.random.SeedSequence) -> LogisticChain:
        prior = Prior(self.ard, self.a0, self.b0, self.effect_scale)
        return LogisticChain(
            cells, self.n_components, self.effects_in_use, prior, seed, self.threads, self.groups_in_use
        )


@with_parameters
class SampledFactors(Sampled, NoisyFactors):
    """Base class: by Gibbs sampling, with explicit noise or without."""

    noise: bool = False

    def _chain_of(self, likelihood: CellLikelihood, seed) -> LogisticChain:
        cells = NoisyCells(likelihood, Gamma(self.a0, self.b0)) if self.noise else Cells(likelihood)
        return self._chain_with(cells, seed)

    def _learn(self, state):
        self.noise_variance_ = state.noise_variance()
        super()._learn(state)


class GibbsState(State):
    """A chain and sums over its kept sweeps, those after `burn_in`.

    Of ψ, ψ², E[V | ψ], and what is learned besides factors and effects.
    """

    resumable = True

    def __init__(self, chain: LogisticChain, burn_in: int):
        self._chain, self._burn_in = chain, burn_in
        self._sweeps, self._kept = np.zeros((), int), np.zeros((), int)
        shape = chain.cells.likelihood.seen.shape
        self._psi, self._psi_sum, self._mean_sum = (np.zeros(shape) for _ in range(3))
        learned = chain.learned()
        self._learned_sums = {name: np.zeros_like(values) for name, values in learned.items()}

    def advance(self, steps):
        """Sweep; after the burn-in add what a sweep has to the sums."""
        for _ in range(steps):
            self._chain.sweep()
            self._sweeps += 1
            if self._sweeps > self._burn_in:
                self._add()
                self._kept += 1

    def _add(self):
        self._add_means()
        self._add_learned(self._learned_now())

    def _add_learned(self, learned: Mapping[str, np.ndarray]) -> None:
        """Add what is learned besides factors and effects; there may be more."""
        for name in self._learned_sums:
            self._learned_sums[name] += learned[name]

    def _learned_now(self):
        return self._chain.learned()

    def _learned_in_form(self):
        """Return what is learned in the form that factors have."""
        names, others = self._chain.learned(), self.factors().others
        return {name: others[name] for name in names}

    def _add_means(self):
        self._chain.add_means(self._psi, self._psi_sum, self._mean_sum)

    def objective(self):
        """Return the log joint of data, factors and effects in nats, ω and α integrated out."""
        return self._chain.log_joint()

    def learned(self) -> dict[str, np.ndarray]:
        """Return the means of what is learned besides factors and effects; before kept sweeps, what is now."""
        if self._kept:
            return {name: np.asarray(total / self._kept) for name, total in self._learned_sums.items()}
        return self._learned_now()

    def noise_variance(self) -> np.ndarray:
        """Return the mean of 1/τ, float array (); 0 where there is no noise."""
        return self.learned().get(form.NOISE, np.zeros(()))

    def factors(self):
        """Return the factors of the last sweep, centred."""
        return form.centred(self._now())

    def _now(self):
        factors = self._chain.factors()
        return factors._replace(others=dict(factors.others) | self._chain.cells.learned())

    def estimate(self):
        """Return effects and factors of rank K next to the mean of ψ over the kept sweeps."""
        if not self._kept:
            return form.canonical(self._now())
        K, effects = self._chain.rows.K, self._chain.effects
        factors = form.best_of_rank(self._psi_sum / self._kept, K, effects)
        means = self.learned()
        means.pop(form.NOISE, None)  # which the estimate of ψ has not
        return factors._replace(others=dict(factors.others) | means)

    def expectation(self):
        """Return the mean of E[V | ψ] over the kept sweeps; before, that of the last sweep."""
        if self._kept:
            return self._mean_sum / self._kept
        return self._chain.cells.mean(form.psi_of(self._chain.factors()))

    def predictive(self, rows, columns):
        """Return the mean of E[V | ψ] over the kept sweeps at some entries."""
        if self._kept:
            return self._mean_sum[rows, columns] / self._kept
        return self.current_predictive(rows, columns)

    def current_predictive(self, rows, columns):
        """Return E[V | ψ] of the last sweep at some entries."""
        psi = form.psi_at(self._chain.factors(), rows, columns)
        return self._chain.cells.mean(psi, columns)

    def active_components(self):
        """Return how many components hold at least 1 % of W H now, however it is rotated."""
        return int(np.count_nonzero(form.shares(self.factors()) >= ACTIVE_SHARE))

    def draw(self, rng):
        """Return the factors of the last sweep, which are a draw, in the form of the estimate.

        The posterior of W and H leaves their scale to the priors, and where α is fixed it is not 1.
        """
        return form.canonical(self._now())

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        sums = {"sum of psi": self._psi_sum, "sum of E[V]": self._mean_sum}
        sums |= {f"sum of {name}": total for name, total in self._learned_sums.items()}
        return {"sweeps": self._sweeps, "kept": self._kept} | sums | self._chain.arrays()

    def restore(self, snapshot):
        """Take over a snapshot."""
        put_back(self.snapshot(), snapshot)
