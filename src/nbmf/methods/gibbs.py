"""Posterior means from a collapsed Gibbs chain, streamed: no draw is stored."""

import numpy as np

from nbmf.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.methods.base import Fit, Monitor, count_active, iterate
from nbmf.seeds import children

# The start "mean-field", that of the paper's scripts.
START_COMPONENTS, START_ITERATIONS = 10, 100


def starting_Z(
    start: str, codes: np.ndarray, K: int, seed: np.random.SeedSequence
) -> np.ndarray | None:
    """Return the assignments a chain starts from, int array (F, N); None for random ones.

    The start "mean-field" draws them from bICA with at most 10 components after 100 iterations.
    """
    if start == "random":
        return None
    fit_seed, draw_seed = children(seed, 4)[2:]  # the chain itself takes the first two
    mean_field = BetaDirMeanField(codes, min(START_COMPONENTS, K), 1.0, 1.0, 1.0, fit_seed)
    mean_field.update(START_ITERATIONS)
    return mean_field.draw_assignments(np.random.default_rng(draw_seed))


class ChainState:
    """The running averages of a chain, and what a monitor may ask of it.

    Parameters
    ----------
    chain : BetaDirChain or DirDirChain
    expected_factors : function
        Counts to E[W | Z] and E[H | Z].
    """

    def __init__(self, chain, expected_factors):
        self._chain, self._expected_factors = chain, expected_factors
        self._samples = 0
        W, H = self._factors()
        self._W, self._H = np.zeros_like(W), np.zeros_like(H)
        self._expectation = np.zeros((W.shape[0], H.shape[1]))

    def burn(self, sweeps: int) -> None:
        """Advance the chain without keeping anything."""
        self._chain.sweep(sweeps)

    def sample(self, sweeps: int) -> None:
        """Advance the chain and add the means given each Z to the averages.

        E[V] averages the products W^(j) H^(j), eq. (33) with the conditional means (28)-(29) in
        place of draws: same expectation, less variance, and labels may switch.
        """
        for _ in range(sweeps):
            self._chain.sweep(1)
            W, H = self._factors()
            self._W += W
            self._H += H
            self._expectation += W @ H
            self._samples += 1

    def expectation(self) -> np.ndarray:
        """Return E[V] over the kept samples so far; before the first, given the current Z."""
        if self._samples == 0:
            W, H = self._factors()
            return W @ H
        return self._expectation / self._samples

    def objective(self) -> float:
        """Return the log joint of data and current assignments, in nats."""
        return self._chain.log_joint()

    def active_components(self) -> int:
        """Return how many components the current assignments use for at least 1 %."""
        return count_active(self._factors()[0].mean(axis=0))

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the averages of W and H, eqs. (30)-(31)."""
        return self._W / self._samples, self._H / self._samples

    def _factors(self):
        return self._expected_factors(self._chain.counts())


def sample_posterior(
    chain, expected_factors, burn_in: int, n_samples: int, monitor: Monitor | None
) -> Fit:
    """Run a chain for `burn_in` sweeps, then keep `n_samples`."""
    state = ChainState(chain, expected_factors)
    total = burn_in + n_samples
    iterate(state.burn, 0, burn_in, state, monitor, total)
    iterate(state.sample, burn_in, total, state, monitor, total)
    W, H = state.means()
    return Fit(W, H, state.expectation(), shares=W.mean(axis=0), n_iter=total)
