"""Which rows, or columns, go together, whatever the numbers of their components."""

from collections.abc import Sequence

import numpy as np

from nbmf.errors import NotSupportedError, Setting, not_allowed
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors

AXIS_NAMES = ("rows", "columns")


def check_axis(axis: int) -> None:
    """Raise ConfigError if a matrix has no such axis."""
    if axis not in (0, 1):
        raise not_allowed("axis", axis, "0 (rows) or 1 (columns)")


def refuse_without_memberships(estimator: Factorization, axis: int) -> None:
    """Raise an error if co-clustering along an axis makes no sense; see Draws.co_clustering."""
    check_axis(axis)
    name, factor = type(estimator).__name__, "WH"[axis]
    if not estimator.distributions:
        raise NotSupportedError(f"co_clustering: neither W nor H of {name} is a distribution over components")
    if factor not in estimator.distributions | estimator.probabilities:
        raise NotSupportedError(
            f"co_clustering: {AXIS_NAMES[axis]} of {name} are neither distributions over components "
            "nor probabilities of a one; ",
            Setting("axis", 1 - axis),
            " can be asked",
        )


def co_clustering(estimator: Factorization, draws: Sequence[Factors], axis: int) -> np.ndarray:
    """Return how probably two rows, or columns, go together; see Draws.co_clustering."""
    refuse_without_memberships(estimator, axis)
    are_shares = "WH"[axis] in estimator.distributions
    size = draws[0].W.shape[0] if axis == 0 else draws[0].H.shape[1]
    total = np.zeros((size, size))
    for factors in draws:
        X = factors.W if axis == 0 else factors.H.T  # (size, K)
        if are_shares:
            total += X @ X.T
        else:
            shares = estimator.shares_of(factors)
            one = X @ shares
            total += 2 * (X * shares) @ X.T + 1 - one - one[:, None]
    if are_shares and estimator.has_classes:  # all entries of a row are in one class, whichever that is
        np.fill_diagonal(total, len(draws))
    return total / len(draws)
