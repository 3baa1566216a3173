"""The part that the variational methods of the Beta-Dir model share."""

from abc import abstractmethod

import numpy as np

from nbmf.families.beta_dirichlet.estimator import PROBABILITIES, WEIGHTS, MeanParameterized
from nbmf.families.beta_dirichlet.fold_in import BetaDirFoldIn
from nbmf.families.beta_dirichlet.models.beta_dir import Counts, draw_factors, expected_factors
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State

LOOK_EVERY = 10  # iterations between looks at the change of E[V]


class VariationalState(State):
    """q(W) q(H) and its updates; `bound` is None where there is none (CVB0)."""

    def __init__(self, inference, priors, bound=None):
        self._inference, self._priors, self._bound = inference, priors, bound

    def advance(self, steps):
        """Update q so many times."""
        self._inference.update(steps)

    def factors(self):
        """Return the variational means of W and H, those of eqs. (37)-(38)."""
        return Factors(*expected_factors(self._inference.counts(), **self._priors))

    def draw(self, rng):
        """Draw W and H from q(W) q(H); for CVB0, given the expected counts, eqs. (37)-(38)."""
        expected = (np.maximum(count, 0) for count in self._inference.counts())  # but for rounding
        return Factors(*draw_factors(Counts(*expected), **self._priors, rng=rng))

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


class BetaDirVariational(BetaDirFoldIn, MeanParameterized):
    """Base class of the variational methods: updates until E[V] settles, then the means."""

    inference = Inference.ASCENT
    model = "beta-dir"
    distributions = frozenset({"W"})
    probabilities = frozenset({"H"})
    meanings = (WEIGHTS, PROBABILITIES)
    weights_prior = "gamma"

    @abstractmethod
    def _make_inference(self, codes, priors, seed):
        """Return the inference object and its evidence bound, None if it has none."""

    def _start(self, codes, seed):
        priors = {name: self._concentration(name) for name in ("alpha", "beta", "gamma")}
        inference, bound = self._make_inference(codes, priors, seed)
        return VariationalState(inference, priors, bound)

    def _stopping_rule(self, state):
        return _StandsStill(state, self.tol) if self.tol > 0 else None


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
