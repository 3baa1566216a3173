"""The part that the variational methods share: the state, the stopping rule, the memory."""

from typing import ClassVar

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_estimator import MeanParameterized
from nbmf.families.beta_dirichlet.prior_learners import split_at_renewals
from nbmf.inference.component_search import most_components
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State
from nbmf.inference.stopping import MeanChangeBelow
from nbmf.numerics.lanes import LANES, padded

BYTES_PER_RESPONSIBILITY = 4  # float32


class VariationalState(State):
    """q(W) q(H) and its updates.

    Parameters
    ----------
    inference : BetaDirMeanField, BetaDirCVB0 or DirDirCVB0
    model : module
        models.beta_dir or models.dir_dir, whose counts the inference expects.
    priors : dict
        The model's hyperparameters as tables by name.
    bound : function or None
        Of no arguments, returns the evidence lower bound in nats; None without one (CVB0).
    learner : CVB0Learner, MeanFieldLearner or None
        Renews hyperparameters as the fit goes on; None if all are fixed.
    """

    def __init__(self, inference, model, priors: dict[str, np.ndarray], bound=None, learner=None):
        self._inference, self._model, self._priors = inference, model, dict(priors)
        self._bound, self._learner, self._done = bound, learner, 0

    def advance(self, steps):
        """Update q so many times."""
        for renew, updates in split_at_renewals(self._done, steps, self._learner):
            if renew:
                self._priors |= self._learner.renew()
            self._inference.update(updates)
        self._done += steps

    def hyperparameters(self):
        """Return the hyperparameters as tables by name."""
        return self._priors

    def factors(self):
        """Return the variational means of W and H, those of eqs. (37)-(38)."""
        return Factors(*self._model.expected_factors(self._inference.counts(), **self._priors))

    def draw(self, rng):
        """Draw W and H from q(W) q(H); for CVB0, given the expected counts, eqs. (37)-(38)."""
        expected = (np.maximum(count, 0) for count in self._inference.counts())  # but for rounding
        counts = self._model.Counts(*expected)
        return Factors(*self._model.draw_factors(counts, **self._priors, rng=rng))

    def expectation(self):
        """Return E[V] = E[W] E[H], eq. (39)."""
        W, H, _ = self.factors()
        return W @ H

    def objective(self):
        """Return the evidence lower bound in nats, None if the method has none."""
        return None if self._bound is None else self._bound()

    def active_components(self):
        """Return how many components hold at least 1 % of E[W]."""
        return int(np.count_nonzero(self.factors().W.mean(axis=0) >= ACTIVE_SHARE))


@with_parameters
class Variational(MeanParameterized):
    """Base class of the variational methods: updates until E[V] stands still, then the means."""

    inference = Inference.ASCENT
    old_names: ClassVar = {"tol": "mean_change_tol"}

    n_components: int = 100
    max_iter: int = 500
    mean_change_tol: float = 0.0
    random_state: RandomState = None

    def _stopping_rule(self, state):
        return MeanChangeBelow(state.expectation, self.mean_change_tol)


@with_parameters
class KeepsResponsibilities(Variational):
    """Base class of those that keep K responsibilities per observed entry; a fit that needs too many is refused."""

    takes_threads = True

    threads: int = 1
    max_memory_gb: float = 4.0

    def _responsibility_vectors(self, codes: np.ndarray) -> int:
        """Return how many vectors of K responsibilities the observed entries have."""
        return np.count_nonzero(codes >= 0)

    @property
    def memory_budget_gb(self):
        """The parameter `max_memory_gb`."""
        return self.max_memory_gb

    def memory_needed_gb(self, values):
        """Return the size of the responsibilities."""
        return self._gb_per_component(values) * padded(most_components(self.n_components, values.shape))

    def _gb_per_component(self, codes: np.ndarray) -> float:
        return BYTES_PER_RESPONSIBILITY * self._responsibility_vectors(codes) / 1e9

    def _refuse_too_much_memory(self, codes: np.ndarray) -> None:
        """Raise ConfigError, saying what would fit, if responsibilities exceed `max_memory_gb`."""
        per_component, needed = self._gb_per_component(codes), self.memory_needed_gb(codes)
        if needed > self.max_memory_gb:
            n_observed = np.count_nonzero(codes >= 0)
            most = int(self.max_memory_gb / per_component) // LANES * LANES
            raise ConfigError(
                Setting("n_components", self.n_components),
                f" with {n_observed} observed entries needs {needed:.2g} GB, ",
                Setting("max_memory_gb", self.max_memory_gb),
                ": what fits is ",
                Setting("n_components"),
                f" up to {most}, or a larger ",
                Setting("max_memory_gb"),
                "; Gibbs sampling keeps no responsibilities and needs far less",
            )
