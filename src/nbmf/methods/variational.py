"""The part that the variational methods of the Beta-Dir model share."""

import numpy as np

from nbmf.methods.base import Factorization, Fit, count_active, iterate
from nbmf.models.beta_dir import Counts, draw_factors, expected_factors


class VariationalState:
    """What a monitor may ask of a variational fit; `bound` is None where there is none (CVB0)."""

    def __init__(self, inference, priors, bound=None):
        self._inference, self._priors, self._bound = inference, priors, bound

    def factors(self):
        """Return the variational means of W and H, those of eqs. (37)-(38)."""
        return expected_factors(self._inference.counts(), **self._priors)

    def draw_factors(self, rng):
        """Draw W and H from q(W) q(H); for CVB0, given the expected counts, eqs. (37)-(38)."""
        expected = (np.maximum(count, 0) for count in self._inference.counts())  # but for rounding
        return draw_factors(Counts(*expected), **self._priors, rng=rng)

    def expectation(self):
        """Return E[V] = E[W] E[H], eq. (39)."""
        W, H = self.factors()
        return W @ H

    def objective(self):
        """Return the evidence lower bound in nats, None if the method has none."""
        return None if self._bound is None else self._bound()

    def active_components(self):
        """Return how many components hold at least 1 % of E[W]."""
        return count_active(self.factors()[0].mean(axis=0))


class BetaDirVariational(Factorization):
    """Base class of the variational methods: a fixed number of updates, then the means."""

    def _inference(self, codes, priors, seed):
        """Return the inference object and its evidence bound, None if it has none."""
        raise NotImplementedError

    def _factorize(self, codes, seed, monitor):
        priors = {name: self._concentration(name) for name in ("alpha", "beta", "gamma")}
        inference, bound = self._inference(codes, priors, seed)
        state = VariationalState(inference, priors, bound)
        iterate(inference.update, 0, self.max_iter, state, monitor, total=self.max_iter)
        W, H = state.factors()
        return Fit(W, H, W @ H, shares=W.mean(axis=0), n_iter=self.max_iter)
