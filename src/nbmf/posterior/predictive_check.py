"""Would the model make such a matrix? Statistics of V against those of replicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.symmetry import is_symmetric, without_directions
from nbmf.errors import DataError, NotSupportedError
from nbmf.inference import parameters
from nbmf.inference.estimator import Factorization
from nbmf.inference.required import dense_values_of
from nbmf.inference.state import Factors
from nbmf.posterior.intervals import interval

if TYPE_CHECKING:
    import pandas as pd

STEPS = 30  # of the power iteration
REPLICATE_LEVEL = 0.9  # of the interval that a predictive check shows
STATISTICS = ("proportion of ones", "sd of row means", "sd of column means", "largest singular value", "transitivity")


def predictive_check(estimator: Factorization, draws: Sequence[Factors], V: Any, seed: int) -> pd.DataFrame:
    """Compare V with matrices that the model would make; see Draws.predictive_check."""
    import pandas as pd

    likelihood = estimator.likelihood
    if likelihood.matrix is not BinaryMatrix or likelihood.unit != "entry":
        raise NotSupportedError(
            "predictive_check: its statistics are those of binary matrices whose entries have "
            f"probabilities, and the likelihood of {type(estimator).__name__} is {likelihood.name}"
        )
    codes = dense_values_of(estimator, V, "predictive_check")
    shape = draws[0].W.shape[0], draws[0].H.shape[1]
    if codes.shape != shape:
        raise DataError(f"V has shape {codes.shape}: the draws are of a matrix of {shape}")
    for axis in (0, 1):
        estimator.refuse_other_names(V, axis)
    parameters.check_count("seed", seed, 0)
    rng = np.random.default_rng(seed)
    is_observed = likelihood.is_observed(codes)
    statistics, of_ties = Statistics(is_observed), is_symmetric(codes, is_observed)
    observed = statistics(codes == 1)
    replicates = np.array([statistics(_replicate(estimator.mean(factors), of_ties, rng)) for factors in draws])
    lower, upper = interval(replicates, REPLICATE_LEVEL)
    return pd.DataFrame(
        {
            "observed": observed,
            "mean": replicates.mean(axis=0),
            "lower": lower,
            "upper": upper,
            "p_value": predictive_p_values(observed, replicates),
        },
        index=pd.Index(STATISTICS, name="statistic"),
    )


def _replicate(mean: np.ndarray, of_ties: bool, rng: np.random.Generator) -> np.ndarray:
    """Return the ones of a matrix that is drawn, bool array (F, N); of ties a pair of entries is one draw."""
    uniform = rng.random(mean.shape, np.float32)
    if of_ties:
        mean, uniform = without_directions(mean), np.triu(uniform) + np.triu(uniform, k=1).T
    return uniform < mean


def predictive_p_values(observed: np.ndarray, replicates: np.ndarray) -> np.ndarray:
    """Return two-sided posterior predictive p-values; see `Draws.predictive_check`.

    Parameters
    ----------
    observed : float array (statistics,)
    replicates : float array (S, statistics)
    """
    above = 1 + np.count_nonzero(replicates >= observed, axis=0)
    below = 1 + np.count_nonzero(replicates <= observed, axis=0)
    return np.minimum(1.0, 2 * np.minimum(above, below) / (len(replicates) + 1))


class Statistics:
    """The statistics of a predictive check, of matrices with the same observed entries."""

    def __init__(self, observed: np.ndarray):
        self._observed = observed
        self._per_row = observed.sum(axis=1)
        self._per_column = observed.sum(axis=0)

    def __call__(self, ones: np.ndarray) -> np.ndarray:
        """Return all STATISTICS of a matrix whose ones are given, bool array (F, N)."""
        ones = np.where(self._observed, ones, False).astype(np.float32)
        in_row, in_column = (ones.sum(axis=axis, dtype=float) for axis in (1, 0))
        column_means = in_column / np.maximum(self._per_column, 1)
        centred = np.where(self._observed, ones - column_means.astype(np.float32), 0)
        has_rows, has_columns = self._per_row > 0, self._per_column > 0
        return np.array(
            [
                in_row.sum() / self._per_row.sum(),
                (in_row[has_rows] / self._per_row[has_rows]).std(),
                column_means[has_columns].std(),
                _largest_singular_value(centred),
                _transitivity(ones, in_row, in_column),
            ]
        )


def _largest_singular_value(matrix: np.ndarray) -> float:
    """Return the largest singular value by power iteration, to less than the gap to the second where that is small."""
    x = np.random.default_rng(0).standard_normal(matrix.shape[1]).astype(np.float32)
    for _ in range(STEPS):
        x = (matrix @ x) @ matrix
        size = np.linalg.norm(x)
        if size == 0:
            return 0.0
        x /= size
    return float(np.linalg.norm(matrix @ x))


def _transitivity(ones, in_row, in_column) -> float:
    """Return the share of paths g - n - f - m of ones that (g, m) closes, 0 without a path."""
    common = ones @ ones.T if ones.shape[0] <= ones.shape[1] else ones.T @ ones
    np.fill_diagonal(common, 0)
    closed = (common * (common - 1)).sum(dtype=float)
    paths = (in_row - 1) @ ones @ (in_column - 1)
    return float(closed / paths) if paths > 0 else 0.0
