"""Ordered categories predicted by columns alone, whose distributions are those of one scale, shifted.

P(v > j) = σ(b_n - θ_j) with b_n ~ N(0, s²): cut points that all columns share, and an effect of each column. Its
frequencies on its own need more entries to be as good, so that methods would seem better than these where columns have
nothing in common but the shape of their distributions.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

ROUNDS, TOL = 100, 1e-3  # of the variance, and the relative change that ends them
STEPS = 100  # of a quasi-Newton method in each round
LEAST_VARIANCE = 1e-4


def column_effects(ranks: np.ndarray, n_categories: int) -> np.ndarray:
    """Return the probability of each category, float array (F, N, C).

    Cut points and effects are at their posterior mode given the variance s², which is learned by EM with Laplace's
    approximation. Each category has one entry more than were observed, spread over all columns: none is impossible.

    Parameters
    ----------
    ranks : int array (F, N)
        -1 where missing or held out.
    n_categories : int
        C, at least 2.
    """
    F, N = ranks.shape
    counts = np.stack([(ranks == c).sum(axis=0) for c in range(n_categories)], axis=-1) + 1 / N
    above = 1 - np.cumsum(counts.sum(axis=0))[:-1] / counts.sum()
    cuts = -np.log(above / (1 - above))
    at = np.concatenate([cuts[:1], np.log(np.diff(cuts)), np.zeros(N)])
    variance = 1.0
    for _ in range(ROUNDS):
        at = minimize(_objective, at, (counts, variance), "L-BFGS-B", jac=True, options={"maxiter": STEPS}).x
        effects, before = at[n_categories - 1 :], variance
        edges, chances = _chances(at, n_categories)
        of_cuts = (edges * (1 - edges))[:, 1:-1] * (chances[:, :-1] + chances[:, 1:])
        information = counts.sum(axis=1) * of_cuts.sum(axis=1)
        variance = max(np.mean(effects**2 + 1 / (information + 1 / variance)), LEAST_VARIANCE)
        if abs(variance / before - 1) < TOL:
            break
    return np.broadcast_to(_chances(at, n_categories)[1], (F, N, n_categories))


def _chances(at: np.ndarray, C: int) -> tuple[np.ndarray, np.ndarray]:
    """Return P(v > j) for j = -1, ..., C - 1, (N, C + 1), and the probability of each category, (N, C)."""
    cuts = np.cumsum(np.concatenate([at[:1], np.exp(at[1 : C - 1])]))
    edges = np.pad(expit(at[C - 1 :, None] - cuts), ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0)))
    return edges, np.maximum(edges[:, :-1] - edges[:, 1:], np.finfo(float).tiny)


def _objective(at: np.ndarray, counts: np.ndarray, variance: float) -> tuple[float, np.ndarray]:
    """Return minus the log posterior and its gradient, at the first cut, logarithms of the distances, and effects."""
    C = counts.shape[1]
    edges, chances = _chances(at, C)
    effects = at[C - 1 :]
    ratios, slopes = counts / chances, (edges * (1 - edges))[:, 1:-1]
    by_cut = (slopes * (ratios[:, :-1] - ratios[:, 1:])).sum(axis=0)  # a higher cut moves mass to the category below
    by_effect = (counts * (1 - edges[:, :-1] - edges[:, 1:])).sum(axis=1) - effects / variance
    by_start = np.cumsum(by_cut[::-1])[::-1]  # of a cut and all above it
    gradient = np.concatenate([by_start[:1], by_start[1:] * np.exp(at[1 : C - 1]), by_effect])
    posterior = (counts * np.log(chances)).sum() - np.square(effects).sum() / (2 * variance)
    return -float(posterior), -gradient
