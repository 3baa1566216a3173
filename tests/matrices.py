"""Matrices that several tests use."""

import numpy as np


def blocks_matrix(F=14, N=11, seed=1, probability=0.85):
    """Return codes of two kinds of rows and of columns, some entries missing."""
    rng = np.random.default_rng(seed)
    p = np.where(np.arange(F)[:, None] % 2 == np.arange(N) % 2, probability, 1 - probability)
    codes = (rng.random((F, N)) < p).astype(np.int8)
    codes[rng.random((F, N)) < 0.15] = -1
    return codes
