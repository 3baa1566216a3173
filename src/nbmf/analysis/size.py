"""Whether a fit is long, so that a single one is made, on all processors."""

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization
from nbmf.numerics.processors import processors

SMALL = 5e7  # visits of observed entries, some seconds of Beta-Dir VB with K = 100


def is_small(estimator: Factorization, matrix: NamedMatrix) -> bool:
    """Return whether a fit takes so little time that several starts are made of it."""
    return matrix.n_observed * estimator.visits_per_entry <= SMALL


def uses_threads(estimator: Factorization, matrix: NamedMatrix) -> bool:
    """Return whether a fit that is the only one takes all processors, which changes no result."""
    return not is_small(estimator, matrix) and estimator.threads_pay(count_ones(matrix), matrix.shape)


def use_all_processors(estimator: Factorization, matrix: NamedMatrix) -> Factorization:
    """Return the estimator, or one like it whose fit takes all processors, if that pays."""
    if not uses_threads(estimator, matrix):
        return estimator
    return type(estimator)(**estimator.get_params() | {"threads": processors()})


def count_ones(matrix: NamedMatrix) -> int:
    """Return how many entries are above zero."""
    if matrix.dense is not None:
        return int(matrix.ones_along(1).sum())
    return int(np.count_nonzero(getattr(matrix, matrix.field) > 0))
