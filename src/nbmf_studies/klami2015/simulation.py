"""The data of the experiments, drawn from known factors: N rows, D columns, u, v ~ N(0, 1).

In the paper's letters X is N x D, with U, V and K; ψ = s u v' + b.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.seeds import seed_sequence

LAWS = ("bernoulli", "negative-binomial", "poisson")
SIZE_SHAPE = 5.0  # r_j ~ Gamma(5, 1) of negative binomial counts
# Mohamed, Heller and Ghahramani (2008): 16-bit prototypes, 200 copies of each, flips of 10 %.
FLIPS, COPIES, BITS = 0.1, 200, 16


class SetUp(NamedTuple):
    """What a matrix is drawn from.

    law : one of LAWS: with x ~ Bernoulli(σ(ψ)), NB(r, σ(ψ)) or Poisson(e^ψ)
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


class Drawn(NamedTuple):
    """A matrix and what it was drawn from.

    X : int array (N, D)
    mean : float array (N, D), E[x] given the true parameters
    """

    X: np.ndarray
    mean: np.ndarray


def draw(setup: SetUp, seed: int) -> Drawn:
    """Draw the matrix of a set-up and a seed, the same one every time."""
    rng = np.random.default_rng(seed_sequence("klami2015", "data", *setup.key(seed)))
    U, V = rng.standard_normal((setup.N, setup.K)), rng.standard_normal((setup.D, setup.K))
    psi = U @ V.T
    psi = setup.s * (psi + setup.b) if setup.inside else setup.s * psi + setup.b
    if setup.law == "bernoulli":
        mean = expit(psi)
        return Drawn((rng.random(mean.shape) < mean).astype(np.int8), mean)
    if setup.law == "poisson":
        mean = np.exp(psi)
        return Drawn(rng.poisson(mean), mean)
    r = rng.gamma(SIZE_SHAPE, size=setup.D)
    rate = rng.gamma(np.broadcast_to(r, psi.shape)) * np.exp(psi)
    return Drawn(rng.poisson(rate), r * np.exp(psi))


def draw_patterns(prototypes: int, seed: int) -> Drawn:
    """Draw random prototypes and copies of them with flipped bits; `mean` has the clean copies."""
    rng = np.random.default_rng(seed_sequence("klami2015", "patterns", prototypes, seed))
    clean = np.repeat(rng.integers(0, 2, (prototypes, BITS)), COPIES, axis=0)
    flipped = rng.random(clean.shape) < FLIPS
    return Drawn(np.where(flipped, 1 - clean, clean).astype(np.int8), clean.astype(float))


def set_ups(options: dict[str, Any]) -> dict[str, SetUp]:
    """Return the set-ups of a figure by their names, from its options."""
    size = {"N": options["size"][0], "D": options["size"][1], "K": options["K"]}
    return {name: SetUp(**size, **given) for name, given in options["set_ups"].items()}
