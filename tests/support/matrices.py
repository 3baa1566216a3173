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


def values_for(name, shape=(23, 19)):
    """Return values of a clear structure, as the likelihood of a class takes them.

    Two blocks, and rows and columns of which some have larger values than others.
    """
    rng, (f, n) = np.random.default_rng(5), np.indices(shape)
    psi = np.where((f + n) % 2 == 0, 2.0, -2.0) + 3.0 * (n % 5 == 0) - 3.0 * (f % 6 == 0)
    likelihood = registry.estimator_class(name).likelihoods[0].name
    if likelihood == "gaussian":
        return psi + 0.3 * rng.standard_normal(shape)
    if likelihood in ("bernoulli", "tokens"):
        return (rng.random(shape) < 1 / (1 + np.exp(-psi))).astype(float)
    if likelihood == "ordered-categories":
        return rng.binomial(3, 1 / (1 + np.exp(-psi / 2))).astype(float)
    return rng.poisson(np.log1p(np.exp(psi))).astype(float)
