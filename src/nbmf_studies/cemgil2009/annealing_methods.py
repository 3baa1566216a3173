"""Annealing until its weights can be believed, as a method of its own."""

import numpy as np

from nbmf.families.poisson_gamma.annealing import Annealed
from nbmf.families.poisson_gamma.annealing_rounds import EffectiveSizeReached, RoundsState
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.inference.constructors import with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.parameters import AT_LEAST_ZERO, at_least
from nbmf.seeds import child
from nbmf_studies.cemgil2009.evidence_methods import Estimating, finite_findings


@with_parameters
class AnnealedRounds(Estimating):
    """Annealing there and back, as `nbmf.families.poisson_gamma.annealing_rounds` has it.

    Parameters
    ----------
    n_components, shape_W, mean_W, shape_H, mean_H, random_state
        As for PoissonGammaGibbs, with priors that are fixed.
    max_iter : int
        Temperatures at most, of all rounds and both ways.
    first : int
        Temperatures of the first round, each way.
    effective_size_goal : float
        The fit stops when both ways of a round have more.
    chains : int
    steps : int
        Leapfrog steps of each move.

    Attributes
    ----------
    evidence_, back_ : nbmf.families.poisson_gamma.evidence.Evidence or None
        Of the way there and of the way back, of the best round; None if `max_iter` ended before the first one did.
    """

    method_name = "annealing there and back"
    inference = Inference.POINT  # a number; nothing that draws could come from
    rules = Estimating.rules | {
        **dict.fromkeys(("max_iter", "first"), at_least(2)),
        **dict.fromkeys(("chains", "steps"), at_least(1)),
        "effective_size_goal": AT_LEAST_ZERO,
    }

    max_iter: int = 48_000
    first: int = 8000
    effective_size_goal: float = 10.0
    chains: int = 128
    steps: int = 6

    def _start(self, values, seed):
        priors = self._priors(Observations(values, False))
        there, back = (np.random.default_rng(child(seed, "annealing", way)) for way in (0, 1))
        return RoundsState(lambda: Annealed(values, priors, False, self.chains, there), self.first, self.steps, back)

    def _stopping_rule(self, state):
        return EffectiveSizeReached(state, self.first, self.effective_size_goal)

    def _learn(self, state):
        super()._learn(state)
        self.back_, self._temperatures = state.back, state.temperatures

    @property
    def findings(self):
        """The findings of the way there, those of the way back with `back_` before their names, and temperatures."""
        if self.evidence_ is None:
            return {}
        back = {f"back_{name}": number for name, number in finite_findings(self.back_).items()}
        return {**finite_findings(self.evidence_), **back, "temperatures": self._temperatures}
