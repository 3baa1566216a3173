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
    Gibbs sampling hardly moves and the proposals do; with large ones Gibbs sampling moves by itself.

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
    for number, rows in enumerate(in_blocks(len(codes), max(codes.shape[1], SWEEPS) * len(prior))):
        rng = np.random.default_rng(seed_sequence("new rows", seed, number))
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
        self._rows, columns = np.nonzero(codes != MISSING)
        of_one = profiles.T[columns]
        self._likelihood = np.where(codes[self._rows, columns, None] == 1, of_one, 1 - of_one)
        self.weights = np.tile(prior / prior.sum(), (len(codes), 1))

    def choose_components(self) -> None:
        """Draw the component of each entry given the weights, and the weights given these."""
        (F, K), rows = self.weights.shape, self._rows
        ends = np.cumsum(self.weights[rows] * self._likelihood, axis=1)
        component = (ends < (self._rng.random(len(rows)) * ends[:, -1])[:, None]).sum(axis=1)
        counts = np.bincount(rows * K + component, minlength=F * K).reshape(F, K)
        self.weights = self._dirichlet(self._prior + counts)

    def jump(self) -> None:
        """Propose weights from the prior."""
        proposed = self._dirichlet(np.tile(self._prior, (len(self.weights), 1)))
        gain = self._log_likelihood(proposed) - self._log_likelihood(self.weights)
        is_accepted = np.log(self._rng.random(len(gain))) < gain
        self.weights = np.where(is_accepted[:, None], proposed, self.weights)

    def _dirichlet(self, parameters: np.ndarray) -> np.ndarray:
        """Draw a distribution for each row of parameters (F, K)."""
        # Gamma(a) as Gamma(a + 1) U^(1/a), in logarithms: small ones underflow.
        gammas = (
            np.log(self._rng.standard_gamma(parameters + 1)) + np.log(self._rng.random(parameters.shape)) / parameters
        )
        return softmax(gammas, axis=1)

    def _log_likelihood(self, weights: np.ndarray) -> np.ndarray:
        ones = np.clip(weights @ self._profiles, TINY, 1 - TINY)
        return (self._ones * np.log(ones) + self._zeros * np.log1p(-ones)).sum(axis=1)
