"""Matrices that are drawn from known priors, one of which is to be learned."""

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.seeds import seed_sequence

# What is drawn from one number and learned together; the others are known to be 1.
LEARNED = {"beta": ("alpha", "beta"), "gamma": ("gamma",)}


def priors(kind: str, truth: float | str) -> dict[str, float | str]:
    """Return α, β and γ where those of a kind, one of LEARNED, are `truth`."""
    return {"alpha": 1.0, "beta": 1.0, "gamma": 1.0} | dict.fromkeys(LEARNED[kind], truth)


def build(*, size: int, K: int, kind: str, truth: float, repetition: int) -> BinaryMatrix:
    """Draw a square matrix from the Beta-Dir model, the same one every time.

    Parameters
    ----------
    size : int
        Rows and columns.
    K : int
    kind : str
        Of LEARNED.
    truth : float
        What its hyperparameters are.
    repetition : int
        Which of the matrices that are drawn alike.
    """
    rng = np.random.default_rng(seed_sequence("recovery", kind, str(float(truth)), repetition))
    return BinaryMatrix.from_array(beta_dir.simulate(size, size, K, **priors(kind, truth), rng=rng)[2])
