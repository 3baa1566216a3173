"""Fits of few iterations to a small matrix, of every class of means, and the lists of these classes."""

import functools
import inspect

import numpy as np
from matrices import classes_of_means

import nbmf
from nbmf import registry
from nbmf.data.matrix import BinaryMatrix

CLASSES = [name for name in classes_of_means() if name != "Stacking"]  # whose fits are those of others
BETA_DIR = ["BetaDirGibbs", "BetaDirVB", "CollapsedBinaryICA", "BinaryICA"]
DIR_BETA = ["DirBetaGibbs", "DirBetaVB"]
DIR_DIR = ["DirDirGibbs", "DirDirVB"]
GIBBS = ["BetaDirGibbs", "DirDirGibbs", "DirBetaGibbs"]
FOUND = [name for name in CLASSES if registry.estimator_class(name).finds_components is True]  # K, which may be 0
PARAMETERS = {name: list(inspect.signature(getattr(nbmf, name)).parameters) for name in CLASSES}
BRIEF = {"max_iter": 20, "burn_in": 6, "n_samples": 6}
QUICK_MEMBERS = ["logistic-vb", "bernoulli-poisson-vb"]  # of a mixture: those that take no time
LONGER = {"max_iter": 50, "burn_in": 60, "n_samples": 20}


def make(name, K=3, random_state=0, threads=1, lengths=BRIEF, **settings):
    """Return an estimator with few iterations (those of `lengths` it has) and given settings."""
    lengths = {key: lengths[key] for key in lengths if key in PARAMETERS[name]}
    return registry.make_estimator(name, K, lengths | settings, random_state, threads)


def random_codes(F=14, N=11, p_missing=0.15, seed=1):
    rng = np.random.default_rng(seed)
    p = np.where(np.arange(F)[:, None] % 2 == np.arange(N) % 2, 0.8, 0.2)
    codes = (rng.random((F, N)) < p).astype(np.int8)
    codes[rng.random((F, N)) < p_missing] = -1
    return codes


CODES = random_codes()


AS_FLOAT = np.where(CODES < 0, np.nan, CODES)


@functools.cache
def fitted(name):
    """Return a fit that nobody changes."""
    return make(name).fit(CODES)


def easy_matrix():
    """Two kinds of rows and of columns, one in ten entries against its kind."""
    groups = np.arange(40)[:, None] % 2 == np.arange(36) % 2
    probability = np.where(groups, 0.9, 0.1)
    return BinaryMatrix.from_array(np.random.default_rng(3).random(groups.shape) < probability)


EASY = easy_matrix()


def with_empty_lines():
    codes = random_codes()
    codes[[3, 9]] = -1
    codes[:, [0, 7]] = -1
    return codes


def assert_same_bits(one, other):
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))


class Recorder:
    """A monitor that keeps what it sees."""

    def __init__(self, every):
        self._every = every
        self.iterations, self.totals, self.expectations, self.objectives, self.active = [], [], [], [], []

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return (iteration // self._every + 1) * self._every

    def __call__(self, iteration, total, state):
        self.iterations.append(iteration)
        self.totals.append(total)
        self.expectations.append(state.expectation().copy())
        self.objectives.append(state.objective())
        self.active.append(state.active_components())
