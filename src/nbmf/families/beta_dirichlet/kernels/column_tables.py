"""What the Beta-Dir sampler keeps of columns, as its kernels take it."""

from typing import NamedTuple

import numpy as np


class ColumnTables(NamedTuple):
    """Counts, distributions and priors of the components in each column.

    The place of value v in column n is 2 n + v. The Beta prior of v is prior[v, k] of_column[2 n + v]:
    one factor is 1 unless both the component and the column have a say.

    counts : int32 array (K, 2 N), how many cells of value v in column n component k explains
    phi : float array (K, 2 N), φ^v_kn, the probability of v given the component and these counts
    sums : float array (2 N,), Σ_k γ_k φ_kn of each place, renewed at the start of a sweep
    prior : float array (2, K)
    of_column : float array (2 N,)
    gamma, gamma_sums : float arrays (K,), γ and its cumulative sums
    """

    counts: np.ndarray
    phi: np.ndarray
    sums: np.ndarray
    prior: np.ndarray
    of_column: np.ndarray
    gamma: np.ndarray
    gamma_sums: np.ndarray
