"""What functions that fit a given estimator need: an estimator, and a matrix of all entries."""

from typing import Any

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.errors import ConfigError, DataError, Setting
from nbmf.inference.estimator import Factorization


def require_estimator(given: Any) -> None:
    """Raise ConfigError unless an estimator is given: not its class, the name of a method, or the matrix."""
    if not isinstance(given, Factorization):
        what = repr(given) if isinstance(given, str | type) else f"of type {type(given).__name__}"
        raise ConfigError(Setting("estimator"), f" is {what}; allowed: an estimator, such as nbmf.BetaDirVB()")


def dense_values_of(estimator: Factorization, V: Any, what: str) -> np.ndarray:
    """Return the values of a matrix in the coding of the likelihood, array (F, N), for `what` looks at all entries.

    Raises
    ------
    DataError
        If V is sparse; where `fit` takes it, the message says that `what` does not.
    """
    if estimator.takes_sparse and is_sparse(V):
        raise DataError(f"V is sparse; {what} needs an array of all entries: V.toarray() where V is not too large")
    return estimator.likelihood.values_of(V)
