"""The part that the variational methods share: the state, the stopping rule, the memory."""

from abc import abstractmethod
from types import ModuleType
from typing import ClassVar

import numpy as np

from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.estimator import PROBABILITIES, WEIGHTS, MeanParameterized
from nbmf.families.beta_dirichlet.fold_in import BetaDirFoldIn
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State
from nbmf.numerics.lanes import LANES, padded

LOOK_EVERY = 10  # iterations between looks at the change of E[V]
BYTES_PER_RESPONSIBILITY = 4  # float32


class VariationalState(State):
    """q(W) q(H) and its updates.

    Parameters
    ----------
    inference : BetaDirMeanField, BetaDirCVB0 or DirDirCVB0
    model : module
        models.beta_dir or models.dir_dir, whose counts the inference expects.
    priors : dict
        The model's hyperparameters, arrays (K,), by name.
    bound : function or None
        Of no arguments, returns the evidence lower bound in nats; None without one (CVB0).
    """

    def __init__(self, inference, model, priors: dict[str, np.ndarray], bound=None):
        self._inference, self._model, self._priors = inference, model, priors
        self._bound = bound

    def advance(self, steps):
        """Update q so many times."""
        self._inference.update(steps)

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


class Variational(MeanParameterized):
    """Base class of the variational methods: updates until E[V] settles, then the means."""

    inference = Inference.ASCENT

    _equations: ClassVar[ModuleType]  # models.beta_dir or models.dir_dir

    @abstractmethod
    def _make_inference(self, codes, priors, seed):
        """Return the inference object and its evidence bound, None if it has none."""

    def _start(self, codes, seed):
        priors = {name: self._concentration(name) for name in self.concentrations()}
        inference, bound = self._make_inference(codes, priors, seed)
        return VariationalState(inference, self._equations, priors, bound)

    def _stopping_rule(self, state):
        return _StandsStill(state, self.tol) if self.tol > 0 else None

    def _refuse_too_much_memory(self, n_observed: int, n_vectors: int) -> None:
        """Raise ConfigError, saying what would fit, if responsibilities exceed `max_memory_gb`.

        `n_vectors` is how many of K responsibilities the observed entries keep between them.
        """
        per_component = BYTES_PER_RESPONSIBILITY * n_vectors / 1e9
        needed = per_component * padded(self.n_components)
        if needed > self.max_memory_gb:
            most = int(self.max_memory_gb / per_component) // LANES * LANES
            raise ConfigError(
                f"n_components = {self.n_components} with {n_observed} observed entries needs "
                f"{needed:.2g} GB, max_memory_gb = {self.max_memory_gb}: what fits is n_components "
                f"up to {most}, or a larger max_memory_gb; "
                "Gibbs sampling keeps no responsibilities and needs far less"
            )


class BetaDirVariational(BetaDirFoldIn, Variational):
    """Base class of the variational methods of the Beta-Dir model."""

    model = "beta-dir"
    distributions = frozenset({"W"})
    probabilities = frozenset({"H"})
    meanings = (WEIGHTS, PROBABILITIES)
    weights_prior = "gamma"

    _equations = beta_dir


class _StandsStill:
    """Stop when E[V] settles, looking every LOOK_EVERY iterations: one changes little anyway."""

    def __init__(self, state, tol):
        self._state, self._tol, self._was_met = state, tol, False
        self._before, self._changes = None, []

    def next_after(self, iteration):
        return (iteration // LOOK_EVERY + 1) * LOOK_EVERY

    def is_met(self, iteration):
        if iteration % LOOK_EVERY == 0:
            now = self._state.expectation()
            if self._before is not None:
                self._changes.append(np.abs(now - self._before).mean())
                self._was_met = has_settled(self._changes, self._tol)
            self._before = now
        return self._was_met


def has_settled(changes: list[float], tol: float) -> bool:
    """Whether the last mean change of E[V] is below tol, and no larger than the one before.

    On a sparse matrix E[V] hardly moves at first: a random start is near a saddle, and changes
    grow before they shrink.
    """
    return len(changes) > 1 and bool(changes[-1] < tol and changes[-1] <= changes[-2])
