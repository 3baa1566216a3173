"""What an observed cell of a Gibbs chain follows given its ψ.

Given weights ω ~ PG(b, ψ) a cell enters the factors as κ ψ - ω ψ² / 2. A likelihood has κ and b, row by
row, and may learn something of its own from ψ.
"""

from typing import Protocol

import numpy as np
from scipy.special import expit, gammaln

from nbmf.families.logistic.factors import SIZES
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels import entry_passes as kernels
from nbmf.numerics import sigmoid
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads


class CellLikelihood(Protocol):
    """What a cell's value follows given ψ.

    seen : bool array (F, N), which cells are observed
    trials, kappa : float arrays (cells,)
    learns : bool, whether it has something to draw given ψ
    mean_is_sigmoid : bool, whether E[v | ψ] = σ(ψ), which a kernel sums
    """

    seen: np.ndarray
    trials: np.ndarray
    kappa: np.ndarray
    learns: bool
    mean_is_sigmoid: bool

    def begin(self, seed: np.random.SeedSequence) -> None:
        """Take a source of random numbers."""

    def learn(self, psi: np.ndarray, by_column, threads: int) -> None:
        """Draw what it has of its own given ψ of the cells, ω integrated out."""

    def log_likelihood(self, psi: np.ndarray) -> float:
        """Return the log density of the values, and of what it has of its own, in nats."""

    def mean(self, psi: np.ndarray, variance: float, columns) -> np.ndarray:
        """Return E[v] for means of ψ and the variance of its noise.

        `columns` are those of the entries of ψ, or of its axis 1.
        """

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned besides factors, by the names that factors have for it."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that `learn` changes, by name."""


class Binary:
    """v ~ Bernoulli(σ(ψ)): κ = v - 1/2, ω ~ PG(1, ψ).

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    """

    learns = False
    mean_is_sigmoid = True

    def __init__(self, codes: np.ndarray):
        self.seen = codes >= 0
        self.kappa = codes[self.seen] - 0.5
        self.trials = np.ones(self.kappa.size)

    def begin(self, seed):
        """Need nothing."""

    def log_likelihood(self, psi):
        """Return Σ log σ(± ψ)."""
        return -np.logaddexp(0.0, np.where(self.kappa > 0, -psi, psi)).sum()

    def mean(self, psi, variance, columns):
        """Return E σ(ψ)."""
        if variance == 0:
            return expit(psi)
        return sigmoid.probability(psi, np.full(psi.shape, variance))

    def learned(self):
        """Return nothing."""
        return {}

    def arrays(self):
        """Return nothing."""
        return {}


class Counts:
    """x ~ NB(r, σ(ψ)), r ~ Gamma of each column: κ = (x - r) / 2, ω ~ PG(x + r, ψ).

    Parameters
    ----------
    tallies : int array (F, N)
        x; negative where missing.
    prior : Gamma
        Of each r.
    """

    learns = True
    mean_is_sigmoid = False

    def __init__(self, tallies: np.ndarray, prior: Gamma):
        self.seen, self._prior = tallies >= 0, prior
        self._x = tallies[self.seen].astype(np.int64)
        self._column = np.nonzero(self.seen)[1]
        self.sizes = np.full(tallies.shape[1], float(prior.shape / prior.rate))
        self.trials = self._x + self.sizes[self._column]
        self.kappa = 0.5 * (self._x - self.sizes[self._column])

    def begin(self, seed):
        """Take a stream for each column."""
        self._generators = generator_states(seed, self.sizes.size)

    def learn(self, psi, by_column, threads):
        """Draw r; see kernels.entry_passes.draw_sizes."""
        arguments = (
            by_column.start,
            by_column.place,
            self._x,
            psi,
            float(self._prior.shape),
            float(self._prior.rate),
            self.sizes,
            self.trials,
            self.kappa,
            self._generators,
        )
        run_with_threads(kernels.draw_sizes_serial, kernels.draw_sizes_parallel, threads, arguments)

    def log_likelihood(self, psi):
        """Return Σ log NB(x; r, σ(ψ)) + log p(log r)."""
        x, r, a, b = self._x, self.sizes[self._column], self._prior.shape, self._prior.rate
        each = gammaln(x + r) - gammaln(r) - gammaln(x + 1.0) + x * psi
        each -= (x + r) * np.logaddexp(0.0, psi)
        of_sizes = a * np.log(b) - gammaln(a) + a * np.log(self.sizes) - b * self.sizes
        return float(each.sum() + of_sizes.sum())

    def mean(self, psi, variance, columns):
        """Return r E e^ψ."""
        return self.sizes[columns] * np.exp(psi + 0.5 * variance)

    def learned(self):
        """Return r."""
        return {SIZES: self.sizes.copy()}

    def arrays(self):
        """Return r and its streams."""
        return {"sizes": self.sizes, "generators of sizes": self._generators}
