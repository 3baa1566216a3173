"""Matrices drawn from scales: log-odds = discriminations · positions - difficulties."""

import numpy as np
from scipy.special import expit

from nbmf.data.matrix import BinaryMatrix


def two_scales(F=300, items=20, seed=0):
    """Return a matrix of two questionnaires, each with a scale of its own, and the positions (F, 2)."""
    rng = np.random.default_rng(seed)
    positions, slopes = rng.standard_normal((F, 2)), np.zeros((2 * items, 2))
    slopes[:items, 0], slopes[items:, 1] = rng.uniform(1, 2, (2, items))
    return drawn(positions, slopes, rng.standard_normal(2 * items), rng), positions


def one_strong_axis(F=120, items=40, seed=0):
    """Return a matrix of an axis with loadings around 2 and three around .5, .4 and .3; row 7 is at -3.2."""
    rng = np.random.default_rng(seed)
    positions, slopes = rng.standard_normal((F, 4)), rng.standard_normal((items, 4)) * [2, 0.5, 0.4, 0.3]
    positions[7] = [-3.2, 0, 0, 0]
    return drawn(positions, slopes, rng.standard_normal(items), rng), positions


def one_scale(F=150, items=40, seed=0):
    """Return a matrix of one scale, and its positions and slopes and difficulties."""
    rng = np.random.default_rng(seed)
    positions, slopes = rng.standard_normal((F, 1)), rng.uniform(0.8, 2, (items, 1))
    difficulties = rng.standard_normal(items)
    return drawn(positions, slopes, difficulties, rng), positions[:, 0], slopes[:, 0], difficulties


def along_a_gradient(seed, length=7.0):
    """Return where 120 sites are on a gradient, and the probabilities of 60 species that come and go along it."""
    rng = np.random.default_rng(seed)
    place, optimum = rng.uniform(0, length, 120), rng.uniform(-1, length + 1, 60)
    width, height = rng.uniform(0.8, 2, 60), rng.uniform(0.5, 0.95, 60)
    return place, height * np.exp(-(((place[:, None] - optimum) / width) ** 2) / 2)


def drawn(positions, slopes, difficulties, rng):
    """Return a matrix drawn from these."""
    ones = expit(positions @ slopes.T - difficulties)
    return BinaryMatrix.from_array((rng.random(ones.shape) < ones).astype(int))
