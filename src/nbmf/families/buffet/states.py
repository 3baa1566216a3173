"""One state of a chain, what it learns besides features, and the order in which these are shown."""

from typing import NamedTuple

import numpy as np

from nbmf.families.buffet.buffet_priors import left_order


class Numbers(NamedTuple):
    """What a chain learns besides loadings and scores, in the order of kernels.numbers.

    start : float array (6,)
    priors : float array (6, 2), shape and rate of each; a shape of 0 says that it is fixed
    """

    start: np.ndarray
    priors: np.ndarray


class ChainState(NamedTuple):
    """One state of a chain.

    B : float array (p, K), loadings, 0 where a row does not have the feature
    Z : float array (K, n), scores
    row_effects, column_effects : float arrays (p,), (n,), in log-odds; zeros of Gaussian matrices
    numbers : dict of floats, variances, mass and intercept by name
    """

    B: np.ndarray
    Z: np.ndarray
    row_effects: np.ndarray
    column_effects: np.ndarray
    numbers: dict[str, float]


def left_ordered(state: ChainState) -> ChainState:
    """Return the state with its columns left-ordered, as copies."""
    order = left_order(state.B != 0.0)
    effects = state.row_effects.copy(), state.column_effects.copy()
    return ChainState(state.B[:, order], state.Z[order], *effects, state.numbers)
