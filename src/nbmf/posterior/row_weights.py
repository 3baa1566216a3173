"""Posterior weights of rows given the profiles of components, by a Markov chain of each row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from nbmf.data.matrix import MISSING
from nbmf.inference.blocks import in_blocks
from nbmf.posterior.intervals import interval
from nbmf.seeds import seed_sequence

BURN_IN, SWEEPS, JUMPS = 200, 1000, 10
TINY = 1e-12  # the probability of what cannot be


class Weights(NamedTuple):
    """Posterior means of the weights of rows, and the ends of their intervals: float arrays (F, K)."""

    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def posterior_row_weights(
    codes: np.ndarray, profiles: np.ndarray, prior: np.ndarray, *, level: float = 0.9, seed: int = 0
) -> Weights:
    """Return the weights of rows given the profiles of components.

    v_n ~ Bernoulli(Σ_k w_k h_kn) with w ~ Dirichlet(prior), a row by itself. Draws of a Markov chain whose sweep has
    two parts: Gibbs sampling of the component of each entry and of w given these, and JUMPS proposals from the prior,
    accepted by the ratio of the likelihoods. A prior with small numbers has its mass in the corners, between which
    Gibbs sampling hardly moves and the proposals do; with large ones Gibbs sampling moves by itself. All rows share the
    random numbers of a sweep, so that the weights of a row depend on no other row.

    Parameters
    ----------
    codes : int array (F, N)
        1, 0, MISSING.
    profiles : float array (K, N)
        Probabilities of a one.
    prior : float array (K,)
        Dirichlet hyperparameters.
    level, seed : float, int
    """
    weights = Weights(*np.empty((3, len(codes), len(prior))))
    for rows in in_blocks(len(codes), max(codes.shape[1], SWEEPS) * len(prior)):
        rng = np.random.default_rng(seed_sequence("new rows", seed))
        drawn = _draws(codes[rows], profiles, prior, rng)
        for whole, part in zip(weights, (drawn.mean(axis=0), *interval(drawn, level)), strict=True):
            whole[rows] = part
    return weights


def _draws(codes: np.ndarray, profiles: np.ndarray, prior: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return SWEEPS draws of the weights of rows, float32 array (SWEEPS, F, K)."""
    drawn = np.empty((SWEEPS, len(codes), len(prior)), np.float32)
    chain = _Chain(codes, profiles, prior, rng)
    for sweep in range(-BURN_IN, SWEEPS):
        chain.choose_components()
        for _ in range(JUMPS):
            chain.jump()
        if sweep >= 0:
            drawn[sweep] = chain.weights
    return drawn


class _Chain:
    """The chains of some rows; see `posterior_row_weights`."""

    def __init__(self, codes: np.ndarray, profiles: np.ndarray, prior: np.ndarray, rng: np.random.Generator):
        self._profiles, self._prior, self._rng = profiles, prior, rng
        self._ones, self._zeros = (codes == 1).astype(float), (codes == 0).astype(float)
        self._rows, self._columns = np.nonzero(codes != MISSING)
        of_one = profiles.T[self._columns]
        self._likelihood = np.where(codes[self._rows, self._columns, None] == 1, of_one, 1 - of_one)
        self.weights = np.tile(prior / prior.sum(), (len(codes), 1))

    def choose_components(self) -> None:
        """Draw the component of each entry given the weights, and the weights given these.

        A gamma of shape a + n is one of shape a plus n exponentials, here one for each column.
        """
        (F, K), rows = self.weights.shape, self._rows
        N = self._profiles.shape[1]
        uniform, exponential = self._rng.random(N)[self._columns], self._rng.exponential(size=N)[self._columns]
        ends = np.cumsum(self.weights[rows] * self._likelihood, axis=1)
        component = (ends < (uniform * ends[:, -1])[:, None]).sum(axis=1)
        added = np.bincount(rows * K + component, exponential, minlength=F * K).reshape(F, K)
        with np.errstate(divide="ignore"):  # a component without entries has none to add
            self.weights = softmax(np.logaddexp(self._log_gammas(), np.log(added)), axis=1)

    def jump(self) -> None:
        """Propose weights from the prior, the same for all rows."""
        proposed = np.broadcast_to(softmax(self._log_gammas()), self.weights.shape)
        gain = self._log_likelihood(proposed) - self._log_likelihood(self.weights)
        is_accepted = np.log(self._rng.random()) < gain
        self.weights = np.where(is_accepted[:, None], proposed, self.weights)

    def _log_gammas(self) -> np.ndarray:
        """Draw the logarithms of gammas with the shapes of the prior, float array (K,)."""
        # Gamma(a) as Gamma(a + 1) U^(1/a), in logarithms: small ones underflow.
        prior = self._prior
        return np.log(self._rng.standard_gamma(prior + 1)) + np.log(self._rng.random(len(prior))) / prior

    def _log_likelihood(self, weights: np.ndarray) -> np.ndarray:
        ones = np.clip(weights @ self._profiles, TINY, 1 - TINY)
        return (self._ones * np.log(ones) + self._zeros * np.log1p(-ones)).sum(axis=1)
