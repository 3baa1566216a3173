"""Estimates of the evidence as methods of their own: what such a fit has found is the estimate."""

import math

import numpy as np

from nbmf.families.poisson_gamma.annealing import Annealed, AnnealedState
from nbmf.families.poisson_gamma.chib import LAST, POINTS, ChibState
from nbmf.families.poisson_gamma.gamma_priors import FIXED, new_row_priors
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.poisson_gamma_estimator import WithPriors
from nbmf.families.poisson_gamma.weights import Evidence
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.parameters import at_least, one_of
from nbmf.likelihoods.poisson import POISSON
from nbmf.seeds import child

FOUND = ("value", "error", "effective_size")


def finite_findings(evidence: Evidence) -> dict[str, float | None]:
    """Return value, error and effective size; None for what is not known."""
    numbers = {name: getattr(evidence, name) for name in FOUND}
    return {name: number if math.isfinite(number) else None for name, number in numbers.items()}


@with_parameters
class Estimating(WithPriors):
    """Base class of estimates of log p(V) under fixed gamma priors.

    Attributes
    ----------
    evidence_ : nbmf.families.poisson_gamma.evidence.Evidence
    """

    likelihoods = (POISSON,)
    tie_shape_W = tie_mean_W = tie_shape_H = tie_mean_H = FIXED  # nothing is learned

    random_state: RandomState = None

    def _learn(self, state):
        super()._learn(state)
        self.geometric_W_, self.geometric_H_ = self.W_.copy(), self.H_.copy()
        self._take_priors(new_row_priors(state.priors))
        self.evidence_ = state.evidence

    @property
    def findings(self):
        """Value and error of the estimate in nats, and its effective size; None for what is not known."""
        return finite_findings(self.evidence_)


@with_parameters
class ChibEvidence(Estimating):
    """Chib's estimate, eq. (48), as `nbmf.families.poisson_gamma.evidence.chib` has it; E[V] is that of its point.

    Parameters
    ----------
    n_components, shape_W, mean_W, shape_H, mean_H, random_state
        As for PoissonGammaGibbs, with priors that are fixed.
    burn_in : int
        Sweeps before the point is chosen.
    n_samples : int
        Sweeps after it, and as many with its sources.
    point : {"last", "near mode"}
        Which point that is.
    """

    method_name = "Chib's estimate"
    inference = Inference.SAMPLER
    rules = Estimating.rules | {"point": one_of(*POINTS)}

    burn_in: int = 5000
    n_samples: int = 10_000
    point: str = LAST

    def _start(self, values, seed):
        data, sweeps = Observations(values, False), self.n_samples
        priors = self._priors(data)
        lengths = {"burn_in": self.burn_in, "free": sweeps, "clamped": sweeps}
        return ChibState(self, data, priors, seed, **lengths, point=self.point)


@with_parameters
class AnnealedEvidence(Estimating):
    """Annealed importance sampling, as `nbmf.families.poisson_gamma.evidence.annealed` has it.

    E[V] is averaged over the chains by their weights; W and H are those of the one that weighs most.

    Parameters
    ----------
    n_components, shape_W, mean_W, shape_H, mean_H, random_state
        As for PoissonGammaGibbs, with priors that are fixed.
    max_iter : int
        Temperatures.
    chains : int
    steps : int
        Leapfrog steps of each move.
    """

    method_name = "annealed importance sampling"
    inference = Inference.POINT  # a number; nothing that draws could come from
    rules = Estimating.rules | {"max_iter": at_least(2), "chains": at_least(1), "steps": at_least(1)}

    max_iter: int = 2500
    chains: int = 16
    steps: int = 6

    def _start(self, values, seed):
        rng = np.random.default_rng(child(seed, "annealing", 0))
        run = Annealed(values, self._priors(Observations(values, False)), False, self.chains, rng)
        return AnnealedState(run, self.max_iter, self.steps)
