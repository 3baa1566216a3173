"""The data of the experiments, drawn from known factors: N rows, D columns, u, v ~ N(0, 1).

In the paper's letters X is N x D, with U, V and K; ψ = s u v' + b.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.seeds import seed_sequence

DISTRIBUTIONS = ("bernoulli", "negative-binomial", "poisson")
SIZE_SHAPE = 5.0  # r_j ~ Gamma(5, 1) of negative binomial counts
KINDS = {kind.__name__: kind for kind in (BinaryMatrix, CountMatrix, RealMatrix)}


class SetUp(NamedTuple):
    """What a matrix is drawn from.

    law : one of DISTRIBUTIONS: with x ~ Bernoulli(σ(ψ)), NB(r, σ(ψ)) or Poisson(e^ψ)
    N, D, K : int, rows, columns and factors
    s, b : float, ψ = s uv' + b; with `inside`, ψ = s (uv' + b)
    """

    law: str
    N: int
    D: int
    K: int
    s: float
    b: float
    inside: bool = False

    def key(self, seed: int) -> tuple:
        """Return the name of a random stream of data: it depends on what is drawn alone."""
        return *self[:4], str(float(self.s)), str(float(self.b)), int(self.inside), seed


class DrawnMatrix(NamedTuple):
    """A matrix and what it was drawn from.

    X : int array (N, D)
    mean : float array (N, D), E[x] given the true parameters
    """

    X: np.ndarray
    mean: np.ndarray


def draw(setup: SetUp, seed: int) -> DrawnMatrix:
    """Draw the matrix of a set-up and a seed, the same one every time."""
    rng = np.random.default_rng(seed_sequence("klami2015", "data", *setup.key(seed)))
    U, V = rng.standard_normal((setup.N, setup.K)), rng.standard_normal((setup.D, setup.K))
    psi = U @ V.T
    psi = setup.s * (psi + setup.b) if setup.inside else setup.s * psi + setup.b
    if setup.law == "bernoulli":
        mean = expit(psi)
        return DrawnMatrix((rng.random(mean.shape) < mean).astype(np.int8), mean)
    if setup.law == "poisson":
        mean = np.exp(psi)
        return DrawnMatrix(rng.poisson(mean), mean)
    r = rng.gamma(SIZE_SHAPE, size=setup.D)
    rate = rng.gamma(np.broadcast_to(r, psi.shape)) * np.exp(psi)
    return DrawnMatrix(rng.poisson(rate), r * np.exp(psi))


def build(*, setup: list, seed: int, kind: str) -> NamedMatrix:
    """Draw the matrix of a set-up and a seed.

    Parameters
    ----------
    setup : list
        The values of a SetUp.
    seed : int
    kind : str
        Of KINDS: what the matrix is for those who fit it.
    """
    return KINDS[kind].from_array(draw(SetUp(*setup), seed).X)


def set_ups(options: dict[str, Any]) -> dict[str, SetUp]:
    """Return the set-ups of a figure by their names, from its options."""
    size = {"N": options["size"][0], "D": options["size"][1], "K": options["K"]}
    return {name: SetUp(**size, **given) for name, given in options["set_ups"].items()}
