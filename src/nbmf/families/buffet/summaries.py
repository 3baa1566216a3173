"""What draws say about rows, whatever the number, the order and the signs of features.

Draws of one chain have different numbers of features, and no feature of one is a feature of
another. What rows have in common does not depend on any of that.
"""

from collections.abc import Iterable

import numpy as np

from nbmf.errors import DataError
from nbmf.inference.state import Factors


def co_loading(draws: Iterable[Factors]) -> np.ndarray:
    """Return the probability that two rows share a feature, float array (F, F).

    Parameters
    ----------
    draws : iterable of Factors
        As `nbmf.posterior_draws` gives them.

    Raises
    ------
    DataError
        If there is no draw.
    """
    return _mean(draws, lambda B: (_product((B != 0).astype(float)) > 0).astype(float))


def loading_covariance(draws: Iterable[Factors]) -> np.ndarray:
    """Return E[BB'], float array (F, F): the covariance of rows that features explain.

    Of a binary matrix it is that of log-odds given the effects, of a Gaussian one that of
    standardized rows without noise. Arguments and errors as for `co_loading`.
    """
    return _mean(draws, _product)


def _mean(draws, of) -> np.ndarray:
    total, count = 0.0, 0
    for factors in draws:
        total, count = total + of(np.asarray(factors.W, float)), count + 1
    if not count:
        raise DataError("draws: there is none; allowed: at least one")
    return total / count


def _product(B: np.ndarray) -> np.ndarray:
    return B @ B.T
