"""Matrices drawn from the model, eq. (21): the paper's test of whether the order is found."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.seeds import seed_sequence


class Truth(NamedTuple):
    """What a matrix is drawn from.

    rows, columns, K : int
    shape_W, mean_W, shape_H, mean_H : float
        The gamma priors of templates T and excitations V, W and H of the estimators.
    """

    rows: int
    columns: int
    K: int
    shape_W: float
    mean_W: float
    shape_H: float
    mean_H: float

    @property
    def priors(self) -> dict[str, float]:
        """Shapes and means as the estimators take them."""
        return {name: getattr(self, name) for name in self._fields[3:]}


def draw(truth: Truth, seed: int) -> np.ndarray:
    """Draw counts, int array (rows, columns); the same ones every time."""
    numbers = [str(float(number)) for number in truth.priors.values()]
    rng = np.random.default_rng(seed_sequence("cemgil2009", "data", *truth[:3], *numbers, seed))
    T = rng.gamma(truth.shape_W, truth.mean_W / truth.shape_W, (truth.rows, truth.K))
    V = rng.gamma(truth.shape_H, truth.mean_H / truth.shape_H, (truth.K, truth.columns))
    return rng.poisson(T @ V)


def build(*, truth: list, seed: int) -> CountMatrix:
    """Draw the matrix of a truth, the values of a Truth, and a seed."""
    return CountMatrix.from_array(draw(Truth(*truth), seed))


def observe(matrix: CountMatrix, **options) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state that finds nothing: traces of what is observed have CPU seconds."""
    return lambda state: {}
