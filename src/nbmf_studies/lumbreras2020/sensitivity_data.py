"""Toy data of section 6.2: matrices drawn from the models with all concentrations 1."""

from typing import Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.families.beta_dirichlet.simulation import simulate
from nbmf.likelihoods.bernoulli import perplexity
from nbmf.seeds import seed_sequence

CONCENTRATION = 1.0  # of the priors that the toy data are drawn from


def build(*, model: str, size: int, K: int, number: int) -> BinaryMatrix:
    """Draw a square matrix, the same one every time.

    Parameters
    ----------
    model : str
        One of nbmf.families.beta_dirichlet.simulation.MODELS.
    size : int
        Rows, and as many columns.
    K : int
        Components.
    number : int
        Which of the matrices that are drawn alike.
    """
    return BinaryMatrix.from_array(_drawn(model, size, K, number)[1])


def measure(estimator: Any, matrix: BinaryMatrix, mask: np.ndarray, **options) -> dict[str, float]:
    """Return the best possible score: `truth`, the held-out perplexity (nats) of the true WH."""
    return {"truth": perplexity(matrix.codes, _drawn(**options)[0], mask)}


def _drawn(model: str, size: int, K: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the true WH, float array (size, size), and a matrix drawn from it."""
    rng = np.random.default_rng(seed_sequence("sensitivity", "matrix", model, size, K, number))
    return simulate(model, (size, size), K, CONCENTRATION, rng)
