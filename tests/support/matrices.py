"""Matrices that several tests use."""

import numpy as np

from nbmf import registry


def blocks_matrix(F=14, N=11, seed=1, probability=0.85):
    """Return codes of two kinds of rows and of columns, some entries missing."""
    rng = np.random.default_rng(seed)
    p = np.where(np.arange(F)[:, None] % 2 == np.arange(N) % 2, probability, 1 - probability)
    codes = (rng.random((F, N)) < p).astype(np.int8)
    codes[rng.random((F, N)) < 0.15] = -1
    return codes


def classes_of_means():
    """Return the names of the estimators that take codes, and whose means tell their fits apart.

    The others, of real numbers, of ordered categories, or of counts with a distribution that has more than a mean,
    have tests of their own.
    """
    others = ("gaussian", "negative-binomial", "ordered-categories")
    return [name for name in registry.all_classes() if registry.estimator_class(name).likelihoods[0].name not in others]
