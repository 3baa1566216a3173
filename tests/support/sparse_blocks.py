"""A sparse matrix of popular and unpopular rows and columns, in two blocks."""

import numpy as np

from nbmf.data.matrix import MISSING

F, N = 60, 40


def drawn(seed, strength, missing=0.0):
    """Draw a matrix of lines of different popularity, in two blocks of that strength."""
    rng = np.random.default_rng(seed)
    rate = 0.15 * np.outer(rng.gamma(2.0, 0.5, F), rng.gamma(2.0, 0.5, N))
    block = (np.arange(F)[:, None] < F // 2) == (np.arange(N) < N // 2)
    codes = (rng.random((F, N)) < -np.expm1(-rate * np.where(block, strength, 1))).astype(np.int8)
    codes[rng.random((F, N)) < missing] = MISSING
    return codes
