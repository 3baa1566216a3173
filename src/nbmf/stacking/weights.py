"""Weights of a mixture of predictions that make held-out entries most probable.

The loss of a mixture, minus the mean log of Σ_m w_m p_m over entries, is convex in weights that are not negative
and sum to one (stacking of predictive distributions: Yao, Vehtari, Simpson and Gelman, "Using stacking to average
Bayesian predictive distributions", Bayesian Analysis 13, 2018, eq. (4)).
"""

import numpy as np

from nbmf.numerics.compilation import kernel

TOLERANCE = 1e-5  # nats per entry, between the loss that is reached and the smallest one
MOST_ROUNDS = 20_000
NEGLIGIBLE = 1e-3  # a weight below is 0, so that its member need not be fitted


def mixture_weights(losses: np.ndarray) -> np.ndarray:
    """Return the weights of the mixture with the smallest mean loss, float array (M,).

    By EM for mixture weights from equal ones: each round is w_m <- w_m g_m with g_m the mean of p_m / Σ_j w_j p_j,
    which never raises the loss. As the loss is convex, its smallest value is less than that of w by max_m log g_m
    at most, so the rounds end where this is below TOLERANCE.

    Parameters
    ----------
    losses : float array (n, M)
        Minus the log of the probability that each member gave to what each held-out entry is, in nats. Of no entry
        weights are equal.
    """
    weights = np.full(losses.shape[1], 1.0 / losses.shape[1])
    if not len(losses):
        return weights
    # Relative to the best member of each entry: no probability underflows, and g stays the same.
    probability = np.exp(losses.min(axis=1, keepdims=True) - losses)
    for _ in range(MOST_ROUNDS):
        gradient = _gradient(probability, weights)
        if np.log(gradient.max()) < TOLERANCE:
            break
        weights *= gradient
    weights[weights < NEGLIGIBLE] = 0.0
    return weights / weights.sum()


@kernel
def _gradient(probability, weights):
    """Return the mean over entries of p_m / Σ_j w_j p_j, float array (M,).

    Compiled, since sums over a handful of members take NumPy fifteen times as long, and there are thousands of rounds.

    Parameters
    ----------
    probability : float array (n, M)
    weights : float array (M,)
    """
    n, M = probability.shape
    total = np.zeros(M)
    for i in range(n):
        mixture = 0.0
        for m in range(M):
            mixture += probability[i, m] * weights[m]
        for m in range(M):
            total[m] += probability[i, m] / mixture
    return total / n


def mixture_losses(losses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return minus the log of the mixture's probability of each entry, in nats, float array (n,).

    Parameters
    ----------
    losses : float array (n, M)
    weights : float array (M,)
        Not negative, of sum one.
    """
    least = losses.min(axis=1)
    return least - np.log((np.exp(least[:, None] - losses) * weights).sum(axis=1))
