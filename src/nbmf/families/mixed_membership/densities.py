"""Distributions of the features in each component: their densities, and how these are estimated.

R are expected counts of atoms in components. Estimates maximise Σ R ln p plus the penalty below,
which smooths (ε) discrete features, words, and rates.

- discrete (22, 23): p_c(r) = (Σ R 1[x = r] + ε) / (Σ R + r_j ε), penalty ε Σ ln p; two categories
  are a Bernoulli feature; words share one distribution over the vocabulary (36);
- Gaussian (20, 21): mean and variance, the latter no smaller than a floor;
- Poisson: λ_c = (Σ R x + ε x̄) / (Σ R + ε), penalty ε Σ (x̄ ln λ - λ), x̄ the mean of all rows.

A component without any weight in a feature keeps what it had.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from nbmf.errors import DataError
from nbmf.families.mixed_membership.kernels.membership import add_at

TINY = 1e-290  # weights of a component in a feature that are none: quotients would overflow


class Smoothing(NamedTuple):
    """What keeps estimates away from the ends of their ranges.

    epsilon : float, ε
    variance_floor : float, the least variance
    relative_floor : float, the least variance as a share of that of the feature in all rows
    """

    epsilon: float
    variance_floor: float = 0.0
    relative_floor: float = 0.0


class Density(ABC):
    """The distributions of some features of one kind in K components. Columns count these features alone.

    Attributes
    ----------
    learned : tuple of str
        The attributes that say all there is, for a file.
    """

    learned: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def log_density(self, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return ln p of values (n,) of columns (n,) in each component, float array (n, K)."""

    @abstractmethod
    def update(self, columns: np.ndarray, values: np.ndarray, weights: np.ndarray) -> None:
        """Estimate anew from atoms and their expected counts, float array (n, K)."""

    @abstractmethod
    def penalty(self) -> float:
        """Return what the estimates maximise besides Σ R ln p."""

    @abstractmethod
    def mean(self) -> np.ndarray:
        """Return the mean of each feature in each component, float array (K, features)."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that was learned, by name, for a file."""
        return {name.lstrip("_"): np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def of_arrays(cls, arrays: dict[str, np.ndarray]) -> Density:
        """Return the distributions that `arrays` describe.

        Raises
        ------
        DataError
            If an array is missing, or there is another one.
        """
        names = {name.lstrip("_"): name for name in cls.learned}
        if arrays.keys() != names.keys():
            raise DataError(f"{cls.__name__} has {', '.join(names)}, not {', '.join(arrays)}")
        made = cls.__new__(cls)
        vars(made).update({names[key]: array if array.ndim else array.item() for key, array in arrays.items()})
        return made


class Categories(Density):
    """Discrete features; of words there is one, whose categories are the vocabulary.

    Parameters
    ----------
    sizes : int array (features,)
        Their categories.
    K, smoothing
        As everywhere.
    """

    learned = ("_sizes", "_epsilon", "_first", "probabilities")

    def __init__(self, sizes: np.ndarray, K: int, smoothing: Smoothing):
        self._sizes, self._epsilon = np.asarray(sizes), smoothing.epsilon
        self._first = np.concatenate([[0], np.cumsum(self._sizes)[:-1]]).astype(np.int64)
        self.probabilities = np.repeat(1.0 / self._sizes, self._sizes)[:, None].repeat(K, axis=1)

    @classmethod
    def of_ones(cls, probabilities: np.ndarray) -> Categories:
        """Return binary features with probabilities of a one (K, features)."""
        K, features = probabilities.shape
        made = cls(np.full(features, 2), K, Smoothing(0.0))
        made.probabilities[1::2] = probabilities.T
        made.probabilities[::2] = 1.0 - probabilities.T
        return made

    @property
    def epsilon(self) -> float:
        """ε, which is added to counts."""
        return self._epsilon

    def places(self, columns, values):
        """Return where in `probabilities` the values of columns are."""
        return self._first[columns] + values.astype(np.int64)

    def of(self, feature: int) -> np.ndarray:
        """Return the probabilities of the categories of a feature, float array (categories, K)."""
        first = self._first[feature]
        return self.probabilities[first : first + self._sizes[feature]]

    def log_density(self, columns, values):
        """Return the logarithms of the probabilities; -inf where one is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities[self.places(columns, values)])

    def update(self, columns, values, weights):
        """Set p_c(r), equations (22) and (23) normalised."""
        counts = np.full_like(self.probabilities, self._epsilon)
        add_at(counts, self.places(columns, values), weights)
        totals = np.add.reduceat(counts, self._first, axis=0)
        totals = np.repeat(totals, self._sizes, axis=0)
        np.divide(counts, totals, out=self.probabilities, where=totals > TINY)

    def penalty(self):
        """Return ε Σ ln p."""
        if self._epsilon == 0.0:
            return 0.0
        return float(self._epsilon * np.log(self.probabilities).sum())

    def mean(self):
        """Return the mean code of each feature: of a binary one its probability of a one."""
        codes = np.concatenate([np.arange(size) for size in self._sizes])[:, None]
        return np.add.reduceat(self.probabilities * codes, self._first, axis=0).T


class Words(Categories):
    """One distribution over the vocabulary (columns) in each component: topics."""

    def __init__(self, size: int, K: int, smoothing: Smoothing):
        super().__init__(np.array([size]), K, smoothing)

    @classmethod
    def of_topics(cls, topics: np.ndarray) -> Words:
        """Return topics, float array (V, K)."""
        made = cls(*topics.shape, Smoothing(0.0))
        made.probabilities = topics
        return made

    def places(self, columns, values):
        """Return the words themselves."""
        return columns

    def update(self, columns, values, weights):
        """Set β_cv, equation (36) smoothed; the atoms are all words, each once."""
        counts = self._epsilon + weights
        totals = counts.sum(axis=0)
        np.divide(counts, totals, out=self.probabilities, where=totals > TINY)

    def mean(self):
        """Return the probability of each word in each topic, float array (K, words)."""
        return self.probabilities.T


class Normal(Density):
    """Gaussian features.

    Parameters
    ----------
    atoms : tuple of arrays (columns, values, totals)
        What is observed, for the overall means and variances.
    features, K, smoothing
        Their number; as everywhere.
    """

    learned = ("_centre", "_overall", "floor", "_shift", "variance")

    def __init__(self, atoms: tuple, features: int, K: int, smoothing: Smoothing):
        columns, values, totals = atoms
        weight = np.bincount(columns, totals, features)
        self._centre = np.bincount(columns, totals * values, features) / weight
        squares = totals * (values - self._centre[columns]) ** 2
        self._overall = np.bincount(columns, squares, features) / weight
        self.floor = np.maximum(smoothing.variance_floor, smoothing.relative_floor * self._overall)  # (features,)
        self._shift = np.zeros((features, K))  # of the mean from the centre
        self.variance = np.maximum(self._overall, self.floor)[:, None].repeat(K, axis=1)

    def log_density(self, columns, values):
        """Return the logarithm of the normal density."""
        x = (values - self._centre[columns])[:, None]
        variance = self.variance[columns]
        squares = (x - self._shift[columns]) ** 2
        return -0.5 * (squares / variance + np.log(2 * np.pi * variance))

    def update(self, columns, values, weights):
        """Set mean and variance, equations (20) and (21), the latter at least the floor."""
        x = (values - self._centre[columns])[:, None]
        total, sums, squares = (np.zeros_like(self._shift) for _ in range(3))
        add_at(total, columns, weights)
        add_at(sums, columns, weights * x)
        has = total > TINY
        np.divide(sums, total, out=self._shift, where=has)
        add_at(squares, columns, weights * (x - self._shift[columns]) ** 2)
        variance = np.divide(squares, total, out=self.variance.copy(), where=has)
        self.variance = np.maximum(variance, self.floor[:, None])

    def penalty(self):
        """Return 0: there is no smoothing."""
        return 0.0

    def mean(self):
        """Return the means."""
        return (self._centre[:, None] + self._shift).T


class Counts(Density):
    """Poisson features; the parameters are those of Normal."""

    learned = ("_overall", "_epsilon", "rate")

    def __init__(self, atoms: tuple, features: int, K: int, smoothing: Smoothing):
        columns, values, totals = atoms
        weight = np.bincount(columns, totals, features)
        self._overall = (np.bincount(columns, totals * values, features) / weight)[:, None]
        self._epsilon = smoothing.epsilon
        self.rate = self._overall.repeat(K, axis=1)

    def log_density(self, columns, values):
        """Return the logarithm of the Poisson probability; -inf of x > 0 at λ = 0."""
        x, rate = values[:, None], self.rate[columns]
        return xlogy(x, rate) - rate - gammaln(x + 1.0)

    def update(self, columns, values, weights):
        """Set λ."""
        sums = np.repeat(self._epsilon * self._overall, self.rate.shape[1], axis=1)
        total = np.full_like(sums, self._epsilon)
        add_at(sums, columns, weights * values[:, None])
        add_at(total, columns, weights)
        np.divide(sums, total, out=self.rate, where=total > TINY)

    def penalty(self):
        """Return ε Σ (x̄ ln λ - λ)."""
        return float(self._epsilon * (xlogy(self._overall, self.rate) - self.rate).sum())

    def mean(self):
        """Return the rates."""
        return self.rate.T
