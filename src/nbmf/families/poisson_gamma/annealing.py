"""Annealed importance sampling from the prior of W and H to their posterior (Neal 2001).

States are (log W, log H) of several chains at once, the target at temperature β

    β log p(V | W, H) + log p(log W) + log p(log H),

moves are Hamiltonian Monte Carlo with steps in proportion to 1 / sqrt(a + β n), where n is a
row or column's sum of counts over K: about the width of the target.
"""

import itertools

import numpy as np
from scipy.special import gammaln, xlogy

from nbmf.families.poisson_gamma.gamma_priors import GammaPrior

FIRST = 1e-7  # β above 0, from which on temperatures are evenly spaced in log β
STEP = 0.3  # of a leapfrog, in widths of the target; each move takes 0.7 to 1.3 of it
SMALLEST = 1e-300  # of a rate


class Annealed:
    """Chains between the prior and the posterior.

    Parameters
    ----------
    values : int array (F, N), -1 where missing
    priors : (GammaPrior, GammaPrior)
        Those of W and of H'.
    is_binary : bool
        The link.
    chains : int
    rng : Generator
    """

    def __init__(
        self,
        values: np.ndarray,
        priors: tuple[GammaPrior, GammaPrior],
        is_binary: bool,
        chains: int,
        rng: np.random.Generator,
    ):
        self._observed = (values >= 0).astype(float)
        self._x = np.maximum(values, 0).astype(float)
        self._is_binary, self._rng = is_binary, rng
        self._constant = 0.0 if is_binary else float(gammaln(self._x + 1.0).sum())
        W, H = priors
        K = W.size[1]
        self._shapes = [np.broadcast_to(W.shape, W.size), np.broadcast_to(H.shape, H.size).T]
        self._rates = [np.broadcast_to(W.rate, W.size), np.broadcast_to(H.rate, H.size).T]
        sums = self._x.sum(axis=1, keepdims=True), self._x.sum(axis=0, keepdims=True)
        self._widths = [total / K for total in sums]
        self._now = [
            np.log(np.maximum(rng.standard_gamma(a, (chains, *a.shape)) / rate, SMALLEST))
            for a, rate in zip(self._shapes, self._rates, strict=True)
        ]

    def log_weights(self, temperatures: int, steps: int) -> np.ndarray:
        """Return the log weight of each chain after it has gone from the prior to the posterior."""
        betas = np.concatenate([[0.0], np.geomspace(FIRST, 1.0, temperatures)])
        weights = np.zeros(len(self._now[0]))
        for before, beta in itertools.pairwise(betas):
            weights += (beta - before) * self.log_likelihood(self._now)
            if beta < 1.0:  # the last state is not asked for
                self.move(beta, steps)
        return weights

    def log_likelihood(self, logs) -> np.ndarray:
        """Return log p(V | W, H) of each chain, in nats."""
        rate = np.maximum(np.exp(logs[0]) @ np.exp(logs[1]), SMALLEST)
        expected = (self._observed * rate).sum(axis=(1, 2))
        if self._is_binary:  # log(1 - e^-r) at ones, -r elsewhere
            of_ones = self._x * (np.log(-np.expm1(-rate)) + rate)
            return of_ones.sum(axis=(1, 2)) - expected
        return xlogy(self._x, rate).sum(axis=(1, 2)) - expected - self._constant

    def log_target(self, logs, beta: float) -> np.ndarray:
        """Return the log density that is sampled from, up to a constant, of each chain."""
        total = beta * self.log_likelihood(logs)
        for log, shape, rate in zip(logs, self._shapes, self._rates, strict=True):
            total += (shape * log - rate * np.exp(log)).sum(axis=(1, 2))
        return total

    def gradient(self, logs, beta: float) -> list[np.ndarray]:
        """Return the gradient of the target in (log W, log H)."""
        W, H = np.exp(logs[0]), np.exp(logs[1])
        rate = np.maximum(W @ H, SMALLEST)
        ratio = 1.0 / -np.expm1(-rate) if self._is_binary else 1.0 / rate
        G = beta * (self._x * ratio - self._observed)
        likelihood = W * (G @ H.transpose(0, 2, 1)), H * (W.transpose(0, 2, 1) @ G)
        return [
            part + shape - prior_rate * table
            for part, shape, prior_rate, table in zip(likelihood, self._shapes, self._rates, (W, H), strict=True)
        ]

    def move(self, beta: float, steps: int) -> np.ndarray:
        """Move all chains once; return which of them accepted."""
        rng, now = self._rng, self._now
        chains = len(now[0])
        size = STEP * rng.uniform(0.7, 1.3, (chains, 1, 1))
        widths = [size / np.sqrt(shape + beta * width) for shape, width in zip(self._shapes, self._widths, strict=True)]
        momentum = [rng.standard_normal(log.shape) for log in now]
        start = self.log_target(now, beta) - _kinetic(momentum)
        logs, momentum = self.leapfrog(now, momentum, widths, beta, steps)
        end = self.log_target(logs, beta) - _kinetic(momentum)
        accepted = np.log1p(-rng.random(chains)) < end - start  # False where the end is no number
        self._now = [np.where(accepted[:, None, None], new, old) for new, old in zip(logs, now, strict=True)]
        return accepted

    def leapfrog(self, logs, momentum, widths, beta: float, steps: int):
        """Return positions and momenta of all chains after some leapfrog steps of these widths."""
        gradient = self.gradient(logs, beta)
        for _ in range(steps):
            momentum = [p + 0.5 * e * g for p, e, g in zip(momentum, widths, gradient, strict=True)]
            logs = [x + e * p for x, e, p in zip(logs, widths, momentum, strict=True)]
            gradient = self.gradient(logs, beta)
            momentum = [p + 0.5 * e * g for p, e, g in zip(momentum, widths, gradient, strict=True)]
        return logs, momentum


def _kinetic(momentum) -> np.ndarray:
    return 0.5 * sum((p * p).sum(axis=(1, 2)) for p in momentum)
