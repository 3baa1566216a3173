"""The three ways to learn memberships: a mixture (MNB), full and fast variational inference.

With p_jc the density of cell j in component c and m the weight of a row, its contribution is

- mixture: ln Σ_c π_c exp s_c, the exact log-likelihood;
- full (16, 17) and fast (26, 27): the bound
  L = ln Γ(Σα) - Σ ln Γ(α_c) - ln Γ(Σγ) + Σ ln Γ(γ_c) + [Σ_j ln N_j - Σ_c (γ_c - α_c) ln e_c], or
  with [Σ φ_c s_c - m Σ φ_c ln φ_c] where φ is shared by all cells.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from nbmf.families.mixed_membership.dirichlet import learn_alpha
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.kernels.membership import digamma_sums, fast_e_step, full_e_step, row_sums, spread
from nbmf.families.mixed_membership.membership_parameters import LATE, NEVER


class Memberships(NamedTuple):
    """What an E-step finds.

    gamma : float array (n, K), Dirichlet parameters of each row; of a mixture probabilities r
    counts : float array (A, K), R, the expected counts of atoms in components
    logs : float array (n,), of `bounds` what is in brackets above; of a mixture all of it
    alpha : float array (K,), the prior; None of a mixture
    """

    gamma: np.ndarray
    counts: np.ndarray
    logs: np.ndarray
    alpha: np.ndarray | None = None

    @property
    def shares(self) -> np.ndarray:
        """The mean memberships of each row, float array (n, K)."""
        return self.gamma / self.gamma.sum(axis=1, keepdims=True)

    @property
    def bounds(self) -> np.ndarray:
        """The contribution of each row in nats, float array (n,)."""
        if self.alpha is None:
            return self.logs
        of_alpha = gammaln(self.alpha.sum()) - gammaln(self.alpha).sum()
        of_gamma = gammaln(self.gamma).sum(axis=1) - gammaln(self.gamma.sum(axis=1))
        return of_alpha + of_gamma + self.logs


class EStep(ABC):
    """One way, given the cells, their ln p (A, K), and the prior of memberships (K,)."""

    warm: str = NEVER  # from when on rows start where their last E-step ended: ALWAYS, LATE in the fit, or NEVER
    is_dirichlet: ClassVar[bool] = True  # whether the prior is α, and not shares themselves

    def first_prior(self, K: int) -> np.ndarray:
        """Return the prior a fit starts with: 1/K each."""
        return np.full(K, 1.0 / K)

    @abstractmethod
    def find(
        self, cells: Cells, log_density: np.ndarray, prior: np.ndarray, start: np.ndarray | None = None
    ) -> Memberships:
        """Return memberships; γ starts from `start`, or else from all components alike."""

    @abstractmethod
    def renewed_prior(self, prior: np.ndarray, memberships: Memberships, sizes: np.ndarray) -> np.ndarray:
        """Return the prior that fits the memberships best."""


class MixtureStep(EStep):
    """A row is in one component: MNB, and of words a mixture of unigrams. The prior is π."""

    is_dirichlet = False

    def find(self, cells, log_density, prior, start=None):
        """Return the probabilities r of components, and exact log-likelihoods."""
        with np.errstate(divide="ignore"):
            log = np.log(prior) + row_sums(cells.starts, cells.atoms, cells.weights, log_density)
        bounds = logsumexp(log, axis=1)
        impossible = np.isneginf(bounds)
        r = np.exp(log - np.where(impossible, 0.0, bounds)[:, None])
        r[impossible] = prior
        counts = spread(cells.starts, cells.atoms, cells.weights, r, len(log_density))
        return Memberships(r, counts, bounds)

    def renewed_prior(self, prior, memberships, sizes):
        """Return the mean of r over rows with cells."""
        return memberships.gamma[sizes > 0].mean(axis=0) if (sizes > 0).any() else prior


class DirichletStep(EStep):
    """A row has a mixture of its own, π ~ Dirichlet(α); the prior is α.

    Parameters
    ----------
    inner_max, inner_tol : int, float
        Rounds of a row at most; stop when γ moves by less on average over components.
    first_alpha : float or None
        Each α_c that a fit starts with; None: 1/K.
    warm : str or None
        See EStep; None: what the class has.
    """

    def __init__(self, inner_max: int, inner_tol: float, first_alpha: float | None = None, warm: str | None = None):
        self._rounds = int(inner_max), float(inner_tol)
        self._first_alpha = first_alpha
        self.warm = warm or self.warm

    def first_prior(self, K):
        """Return the α that a fit starts with."""
        return super().first_prior(K) if self._first_alpha is None else np.full(K, float(self._first_alpha))

    @staticmethod
    def _start(cells, prior, start):
        if start is not None:
            return start.copy()
        return prior + (cells.sizes / prior.size)[:, None]

    def renewed_prior(self, prior, memberships, sizes):
        """Return α after Newton's steps, equation (24); rows without cells take no part."""
        gamma = memberships.gamma[sizes > 0]
        return learn_alpha(prior, len(gamma), digamma_sums(gamma))


class FullStep(DirichletStep):
    """A distribution over components for every cell: MMNB, LDA."""

    warm = LATE

    def find(self, cells, log_density, prior, start=None):
        """Apply equations (16) and (17)."""
        highest = log_density.max(axis=1, keepdims=True)
        density = np.exp(log_density - np.where(np.isneginf(highest), 0.0, highest))
        density[np.isneginf(highest[:, 0])] = 1.0  # an impossible atom: its row has L = -inf
        gamma = self._start(cells, prior, start)
        counts, logs = np.zeros_like(density), np.empty(len(gamma))
        row = cells.starts, cells.atoms, cells.weights
        full_e_step(*row, density, prior, self._rounds, gamma, counts, logs)
        logs += row_sums(*row, highest)[:, 0]
        counts *= density
        return Memberships(gamma, counts, logs, prior)


class FastStep(DirichletStep):
    """One distribution over components for all cells of a row: Fast MMNB, Fast LDA."""

    def find(self, cells, log_density, prior, start=None):
        """Apply equations (26) and (27)."""
        gamma = self._start(cells, prior, start)
        phi, logs = np.empty_like(gamma), np.empty(len(gamma))
        row = cells.starts, cells.atoms, cells.weights
        sums = row_sums(*row, log_density)
        fast_e_step(cells.sizes, sums, prior, self._rounds, gamma, phi, logs)
        counts = spread(*row, phi, len(log_density))
        return Memberships(gamma, counts, logs, prior)
