"""What the states of all methods of this family share: two tables, and what they predict."""

from collections.abc import Callable

import numpy as np

from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import State
from nbmf.numerics.lanes import aligned_table, padded

ENTRIES_AT_ONCE = 2**18  # whose two vectors of factors are multiplied at a time


def tables(shape: tuple[int, int], K: int) -> tuple[np.ndarray, np.ndarray]:
    """Return zeros for W (F, padded K) and H' (N, padded K)."""
    return tuple(aligned_table(size, padded(K)) for size in shape)


def shares_of(W: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Return the share of Σ W H that each component has, (K,), of W (F, K) and H (K, N)."""
    weight = W.sum(axis=0) * H.sum(axis=1)
    return weight / max(weight.sum(), np.finfo(float).tiny)


class RateState(State):
    """The state of a fit with rates WH: its components have shares of Σ W H."""

    def active_components(self) -> int:
        """Return how many components have at least 1 % of Σ W H now."""
        W, H, _ = self.factors()
        return int(np.count_nonzero(shares_of(W, H) >= ACTIVE_SHARE))


def identity(rate: np.ndarray) -> np.ndarray:
    """Return the mean of a Poisson count: its rate."""
    return rate


def chance(rate: np.ndarray) -> np.ndarray:
    """Return the probability that a Poisson count is not zero, 1 - e^-rate."""
    return -np.expm1(-rate)


def rates_at(W: np.ndarray, H: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return Σ_k w_fk h_kn of single entries, whose indices are broadcast against each other."""
    rows, columns = np.broadcast_arrays(rows, columns)
    f, n = rows.ravel(), columns.ravel()
    rates = np.empty(f.size)
    for first in range(0, f.size, ENTRIES_AT_ONCE):
        part = slice(first, first + ENTRIES_AT_ONCE)
        rates[part] = np.einsum("ek,ke->e", W[f[part]], H[:, n[part]])
    return rates.reshape(rows.shape)


Link = Callable[[np.ndarray], np.ndarray]
