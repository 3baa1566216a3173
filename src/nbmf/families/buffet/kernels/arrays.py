"""What the kernels of this family pass on, as named bundles of arrays.

p rows and n columns; arrays over features have room for more than there are, K+. A matrix comes as
`engines.Matrix`: whether it is binary, its signals and what is observed, (p, n).
"""

from typing import NamedTuple

import numpy as np


class StateArrays(NamedTuple):
    """Where a chain is.

    size : int64 array (1,), K+
    B : float array (p, room), loadings, 0 where a row does not have the feature and from K+ on
    Z : float array (room, n), scores
    feature_counts : int64 array (room,), how many rows have each feature
    row_effects, column_effects : float arrays (p,), (n,), zeros of a Gaussian matrix
    numbers : float array (6,), see numbers.py
    """

    size: np.ndarray
    B: np.ndarray
    Z: np.ndarray
    feature_counts: np.ndarray
    row_effects: np.ndarray
    column_effects: np.ndarray
    numbers: np.ndarray


class PriorTables(NamedTuple):
    """The prior of features, of a mass of 1, and of the numbers.

    log_odds : float array (p,), of having a feature that so many other rows have
    log_weights : float array (p + 1,), of a feature that so many rows have
    log_rate : float, log λ_p
    features_per_mass : float, E[K+] per unit of mass
    number_priors : float array (6, 2), shape and rate of each number; a shape of 0 says that it is fixed
    """

    log_odds: np.ndarray
    log_weights: np.ndarray
    log_rate: float
    features_per_mass: float
    number_priors: np.ndarray


class KeptSums(NamedTuple):
    """What is kept of sweeps.

    mean, square : float arrays (p, n), sums of predictions and of their squares; they may be empty
    covariance : float array (p, p), the sum of BB'; it may be empty
    numbers : float array (6,), sums of the numbers
    sizes : int32 array (samples,), K+ of each kept sweep
    count : int64 array (1,), how many are kept
    """

    mean: np.ndarray
    square: np.ndarray
    covariance: np.ndarray
    numbers: np.ndarray
    sizes: np.ndarray
    count: np.ndarray


class BestState(NamedTuple):
    """The kept state with the highest log joint, float array (1,); the other arrays as StateArrays."""

    log_joint: np.ndarray
    size: np.ndarray
    B: np.ndarray
    Z: np.ndarray
    row_effects: np.ndarray
    column_effects: np.ndarray
    numbers: np.ndarray
