"""The data of section 4.3: few of many variables load on four factors."""

from typing import NamedTuple

import numpy as np

from nbmf.data.real_matrix import RealMatrix
from nbmf.seeds import seed_sequence

SMALLEST, LARGEST = 2.0, 3.0  # of a loading that is not 0, either sign


class SetUp(NamedTuple):
    """What data are drawn from.

    p, n : int, variables (rows) and objects (columns)
    factors : int
    loaded : int, how many rows of the loadings are not zero: all factors have the same ones
    by_column : bool, whether each factor has so many rows of its own instead
    """

    p: int
    n: int
    factors: int
    loaded: int
    by_column: bool = False


def loadings(setup: SetUp, rng: np.random.Generator) -> np.ndarray:
    """Draw B_0, float array (p, factors)."""
    p, _, K, loaded, by_column = setup
    if by_column:
        rows = np.stack([rng.choice(p, loaded, replace=False) for _ in range(K)], axis=1)
    else:
        rows = np.repeat(rng.choice(p, loaded, replace=False)[:, None], K, axis=1)
    B = np.zeros((p, K))
    sizes = rng.uniform(SMALLEST, LARGEST, (loaded, K))
    B[rows, np.arange(K)] = sizes * rng.choice([-1.0, 1.0], (loaded, K))
    return B


def draw(setup: SetUp, replication: int) -> np.ndarray:
    """Draw n objects from N(0, B_0 B_0' + I): float array (p, n), the same one every time."""
    rng = _generator(setup, replication)
    B = loadings(setup, rng)
    scores = rng.standard_normal((setup.factors, setup.n))
    return B @ scores + rng.standard_normal((setup.p, setup.n))


def covariance(setup: SetUp, replication: int) -> np.ndarray:
    """Return B_0 B_0' of the same data, float array (p, p)."""
    B = loadings(setup, _generator(setup, replication))
    return B @ B.T


def _generator(setup: SetUp, replication: int) -> np.random.Generator:
    """Return the generator of a replication at its start; loadings are what it draws first."""
    key = *map(int, setup), replication
    return np.random.default_rng(seed_sequence("ohn2022", "data", *key))


def build(*, setup: list, replication: int) -> RealMatrix:
    """Draw the matrix of a set-up, the values of a SetUp, and a replication."""
    return RealMatrix.from_array(draw(SetUp(*setup), replication))
