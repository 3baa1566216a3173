"""Matrices drawn from the three models, for toy data."""

import numpy as np

from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir

MODELS = ("beta-dir", "dir-beta", "dir-dir")


def simulate(
    model: str, shape: tuple[int, int], K: int, concentration: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw E[V] = WH, float array (F, N), from the prior, and V (int8) from Bernoulli(WH).

    Parameters
    ----------
    model : str
        One of MODELS.
    shape : (F, N)
    K : int
        Number of components.
    concentration : float
        The value of all concentration parameters.
    rng : Generator
        Source of the draws.
    """
    F, N = shape
    if model == "dir-dir":
        W, H, V = dir_dir.simulate(F, N, K, *[concentration] * 2, rng)
    else:  # Dir-Beta is Beta-Dir transposed
        F, N = (N, F) if model == "dir-beta" else (F, N)
        W, H, V = beta_dir.simulate(F, N, K, *[concentration] * 3, rng)
    mean = W @ H
    return (mean.T, V.T) if model == "dir-beta" else (mean, V)
