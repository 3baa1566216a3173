"""The observed cells of a Gibbs chain: their lists, and their ψ: of the factors, or noisy."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic.cell_likelihoods import Law
from nbmf.families.logistic.factors import NOISE
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels import entry_passes as kernels
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children

MAX_BLOCKS = 32  # of lines, each with its own random stream


class CellLists(NamedTuple):
    """The observed cells of each line of a side; see kernels.gibbs.update_lines."""

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


def _lists(lines, others, place, n_lines):
    start = np.cumsum([0, *np.bincount(lines, minlength=n_lines)])
    # Blocks of about as many cells each, so that threads have about as much to do.
    ends = np.searchsorted(start, np.linspace(0, start[-1], min(MAX_BLOCKS, n_lines) + 1)[1:-1])
    blocks = np.array([0, *ends, n_lines], np.int64)
    return CellLists(blocks, start.astype(np.int64), others.astype(np.uint32), place.astype(np.uint32))


class Cells:
    """The cells of a chain whose ψ is that of the factors: rows draw ω themselves.

    Parameters
    ----------
    law : Law
    """

    rows_draw_weights = True
    variance = 0.0  # of the noise of ψ

    def __init__(self, law: Law):
        self.law = law
        self.by_row, self.by_column = cell_lists(law.seen)
        self.omega = np.empty(law.kappa.size)
        self.psi = np.empty(law.kappa.size)
        self.kappa_by_column = law.kappa[self.by_column.place]

    @property
    def kappa(self) -> np.ndarray:
        """κ of each cell, row by row; with ω what the factors are told."""
        return self.law.kappa

    def tell_columns(self) -> None:
        """Copy κ into the order of the columns."""
        np.take(self.kappa, self.by_column.place, out=self.kappa_by_column)

    def begin(self, seed: np.random.SeedSequence) -> None:
        """Take a source of random numbers."""
        self.law.begin(seed)

    def renew(self, rows, columns, threads: int) -> None:
        """Draw all of the cells' own but the ω that rows draw, given both sides."""
        if self.law.learns:
            self._look(rows, columns, self.psi)
            self.law.learn(self.psi, self.by_column, threads)
            self.tell_columns()

    def _look(self, rows, columns, psi):
        """Write ψ without noise."""
        design = columns.as_design()
        kernels.log_odds(self.by_row.start, self.by_row.index, rows.u, design, columns.effects, psi)

    def log_density(self, psi: np.ndarray) -> float:
        """Return the log density of values and of what cells have, given ψ of the factors."""
        return self.law.log_likelihood(psi)

    @property
    def mean_is_sigmoid(self) -> bool:
        """Whether E[v] is σ(ψ), which a kernel of its own sums."""
        return self.law.mean_is_sigmoid and self.variance == 0

    def mean(self, psi: np.ndarray, columns=slice(None)) -> np.ndarray:
        """Return E[v] for ψ of the factors; see Law.mean."""
        return self.law.mean(psi, self.variance, columns)

    def own(self) -> dict[str, np.ndarray]:
        """Return what is learned beside factors, by name."""
        return self.law.own()

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that `renew` changes, by name."""
        return self.law.arrays()


class NoisyCells(Cells):
    """Cells with explicit noise: ψ ~ N(that of the factors, 1/τ), τ ~ Gamma (section 4.2).

    Given ψ the factors see normal data of one precision: τ ψ in the place of κ, τ in that of ω.

    Parameters
    ----------
    law : Law
    prior : Gamma
        Of τ.
    """

    rows_draw_weights = False

    def __init__(self, law: Law, prior: Gamma):
        super().__init__(law)
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
        """Take a stream per block of rows, one for τ, and one for the law."""
        law, cells, tau = children(seed, 3)
        self.law.begin(law)
        self._generators = generator_states(cells, self._block_start.size - 1)
        self._rng_of_tau = generator_states(tau, 1)

    def renew(self, rows, columns, threads):
        """Draw the law's own given ψ, then ω and ψ, then τ."""
        if self.law.learns:
            self.law.learn(self.psi, self.by_column, threads)
        self._look(rows, columns, self._mean)
        squares = np.empty(len(self._generators))
        arguments = (
            self._block_start,
            self.law.trials,
            self.law.kappa,
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
        self.tell_columns()

    def log_density(self, psi):
        """Return also that of the noise and of log τ."""
        tau, a, b = self._tau[0], self._prior.shape, self._prior.rate
        noise = 0.5 * (np.log(tau / (2 * np.pi)) - tau * (self.psi - psi) ** 2)
        of_tau = a * np.log(b) - gammaln(a) + a * np.log(tau) - b * tau
        return float(self.law.log_likelihood(self.psi) + noise.sum() + of_tau)

    def own(self):
        """Return also 1/τ."""
        return super().own() | {NOISE: np.array(self.variance)}

    def arrays(self):
        """Return ψ, τ and their streams too."""
        return super().arrays() | {
            "noisy psi": self.psi,
            "tau": self._tau,
            "generators of noise": self._generators,
            "generator of tau": self._rng_of_tau,
        }
