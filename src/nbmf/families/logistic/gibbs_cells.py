"""The observed cells of a Gibbs chain: their lists, and their ψ: of the factors, or noisy."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic.cell_likelihoods import CellLikelihood
from nbmf.families.logistic.factors import NOISE
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels import entry_passes as kernels
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children

MAX_BLOCKS = 32  # of rows or columns, each with its own random stream


class CellLists(NamedTuple):
    """The observed cells of each row or column of a side; see kernels.gibbs.update_rows."""

    block_start: np.ndarray
    start: np.ndarray
    index: np.ndarray
    place: np.ndarray


def cell_lists(seen: np.ndarray) -> tuple[CellLists, CellLists]:
    """Return the lists of rows and of columns of a bool array (F, N)."""
    rows, columns = np.nonzero(seen)
    by_column = np.lexsort((rows, columns))
    return (
        _lists(rows, columns, np.arange(rows.size), seen.shape[0]),
        _lists(columns[by_column], rows[by_column], by_column, seen.shape[1]),
    )


def _lists(rows, others, place, n_rows):
    start = np.cumsum([0, *np.bincount(rows, minlength=n_rows)])
    # Blocks of about as many cells each, so that threads have about as much to do.
    ends = np.searchsorted(start, np.linspace(0, start[-1], min(MAX_BLOCKS, n_rows) + 1)[1:-1])
    blocks = np.array([0, *ends, n_rows], np.int64)
    return CellLists(blocks, start.astype(np.int64), others.astype(np.uint32), place.astype(np.uint32))


class Cells:
    """The cells of a chain whose ψ is that of the factors: rows draw ω themselves.

    Parameters
    ----------
    likelihood : CellLikelihood
    """

    rows_draw_weights = True
    variance = 0.0  # of the noise of ψ

    def __init__(self, likelihood: CellLikelihood):
        self.likelihood = likelihood
        self.by_row, self.by_column = cell_lists(likelihood.seen)
        self.omega = np.empty(likelihood.kappa.size)
        self.psi = np.empty(likelihood.kappa.size)
        self.kappa_by_column = likelihood.kappa[self.by_column.place]

    @property
    def kappa(self) -> np.ndarray:
        """κ of each cell, row by row; with ω all that the factors depend on."""
        return self.likelihood.kappa

    def update_columns(self) -> None:
        """Copy κ into the order of the columns."""
        np.take(self.kappa, self.by_column.place, out=self.kappa_by_column)

    def begin(self, seed: np.random.SeedSequence) -> None:
        """Take a source of random numbers."""
        self.likelihood.begin(seed)

    def renew(self, rows, columns, threads: int) -> None:
        """Draw all of the cells' own but the ω that rows draw, given both sides."""
        if self.likelihood.learns:
            self._look(rows, columns, self.psi)
            self.likelihood.learn(self.psi, self.by_column, threads)
            self.update_columns()

    def _look(self, rows, columns, psi):
        """Write ψ without noise."""
        design = columns.as_design()
        kernels.log_odds(self.by_row.start, self.by_row.index, rows.u, design, columns.effects, psi)

    def log_density(self, psi: np.ndarray) -> float:
        """Return the log density of values and of what cells have, given ψ of the factors."""
        return self.likelihood.log_likelihood(psi)

    @property
    def mean_is_sigmoid(self) -> bool:
        """Whether E[v] is σ(ψ), which a kernel of its own sums."""
        return self.likelihood.mean_is_sigmoid and self.variance == 0

    def mean(self, psi: np.ndarray, columns=slice(None)) -> np.ndarray:
        """Return E[v] for ψ of the factors; see CellLikelihood.mean."""
        return self.likelihood.mean(psi, self.variance, columns)

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned besides factors, by name."""
        return self.likelihood.learned()

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that `renew` changes, by name."""
        return self.likelihood.arrays()


class NoisyCells(Cells):
    """Cells with explicit noise: ψ ~ N(that of the factors, 1/τ), τ ~ Gamma (section 4.2).

    Given ψ the factors see normal data of one precision: τ ψ replaces κ, and τ replaces ω.

    Parameters
    ----------
    likelihood : CellLikelihood
    prior : Gamma
        Of τ.
    """

    rows_draw_weights = False

    def __init__(self, likelihood: CellLikelihood, prior: Gamma):
        super().__init__(likelihood)
        self._prior, self._kappa = prior, np.empty(self.omega.size)
        self.psi[:] = 0.0
        self._tau, self._mean = np.ones(1), np.empty(self.omega.size)
        self._block_start = self.by_row.start[self.by_row.block_start]

    @property
    def kappa(self):
        """τ ψ."""
        return self._kappa

    @property
    def variance(self) -> float:
        """1/τ."""
        return 1.0 / float(self._tau[0])

    def begin(self, seed):
        """Take a stream per block of rows, one for τ, and one for the likelihood."""
        of_likelihood, cells, tau = children(seed, 3)
        self.likelihood.begin(of_likelihood)
        self._generators = generator_states(cells, self._block_start.size - 1)
        self._rng_of_tau = generator_states(tau, 1)

    def renew(self, rows, columns, threads):
        """Draw what the likelihood learns given ψ, then ω and ψ, then τ."""
        if self.likelihood.learns:
            self.likelihood.learn(self.psi, self.by_column, threads)
        self._look(rows, columns, self._mean)
        squares = np.empty(len(self._generators))
        arguments = (
            self._block_start,
            self.likelihood.trials,
            self.likelihood.kappa,
            self._mean,
            self._tau[0],
            self.psi,
            squares,
            self._generators,
        )
        run_with_threads(kernels.draw_noisy_serial, kernels.draw_noisy_parallel, threads, arguments)
        shape = self._prior.shape + 0.5 * self.psi.size
        rate = self._prior.rate + 0.5 * squares.sum()
        self._tau[0] = kernels.draw_gamma(self._rng_of_tau[0], shape) / rate
        self.omega[:] = self._tau[0]
        np.multiply(self._tau[0], self.psi, out=self._kappa)
        self.update_columns()

    def log_density(self, psi):
        """Return also that of the noise and of log τ."""
        tau, a, b = self._tau[0], self._prior.shape, self._prior.rate
        noise = 0.5 * (np.log(tau / (2 * np.pi)) - tau * (self.psi - psi) ** 2)
        of_tau = a * np.log(b) - gammaln(a) + a * np.log(tau) - b * tau
        return float(self.likelihood.log_likelihood(self.psi) + noise.sum() + of_tau)

    def learned(self):
        """Return also 1/τ."""
        return super().learned() | {NOISE: np.array(self.variance)}

    def arrays(self):
        """Return ψ, τ and their streams too."""
        return super().arrays() | {
            "noisy psi": self.psi,
            "tau": self._tau,
            "generators of noise": self._generators,
            "generator of tau": self._rng_of_tau,
        }
