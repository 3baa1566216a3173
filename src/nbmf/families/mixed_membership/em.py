"""The one EM driver of MNB, MMNB, Fast MMNB, LDA and Fast LDA."""

import copy
from typing import Self

import numpy as np

from nbmf.families.mixed_membership.densities import Density
from nbmf.families.mixed_membership.e_steps import EStep, Memberships
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.membership_parameters import ALWAYS, LATE
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State
from nbmf.inference.stopping import RelativeChangeBelow

# Rows of an E-step that is LATE warm start from all components alike until the objective moves by less than this share
# of itself: such starts end far better. Then they start where they were, which makes it rise for certain.
WARM_BELOW = 1e-4
LOOK_EVERY = RelativeChangeBelow.every  # at the objective, which would cost Fast MMNB a fifth
# M-steps before α is learned. While components are alike α grows, which keeps them alike: of ten
# starts of Fast LDA on Classic3, with five rounds, four collapsed, and none with this.
HELD = 5
SEED_WEIGHT = 1.0  # of the average row next to the random row that a component starts from
OUTWEIGHS = 20.0  # times the average row, by which Σα leaves no row a mixture of its own
ALIKE = 0.01  # mean difference of two components' densities, relative to the largest, at most


class MembershipState(State):
    """EM: an M-step (but before the first), then an E-step, so that all it reports is of one θ.

    Parameters
    ----------
    cells : Cells
    densities : Density
        Of the cells' columns; their start is made here.
    e_step : EStep
    K : int
    rng : Generator
        Of the random rows that components start from.
    of_columns : bool
        Whether the rows of `cells` are columns of V.
    alpha_held : int
        M-steps that leave α as it starts.
    """

    def __init__(
        self,
        cells: Cells,
        densities: Density,
        e_step: EStep,
        K: int,
        rng: np.random.Generator,
        *,
        of_columns: bool = False,
        alpha_held: int = HELD,
    ):
        self._cells, self.densities, self._e_step = cells, densities, e_step
        self._of_columns, self._alpha_held = of_columns, alpha_held
        self.prior = e_step.first_prior(K)
        self._sizes, self._totals = cells.sizes, cells.totals()
        self.is_warm, self._memberships, self._objective = e_step.warm == ALWAYS, None, None
        self._gamma: np.ndarray | None = None  # that the next E-step starts from, if it is given
        self._done, self._looked, self.relative_change = 0, None, np.inf
        self._seed(K, rng)

    def _seed(self, K, rng):
        """Estimate each component from a random row and the average row."""
        n = max(np.count_nonzero(self._sizes), 1)
        counts = np.repeat((SEED_WEIGHT / n * self._totals)[:, None], K, axis=1)
        for c, row in enumerate(self._cells.random_rows(K, rng)):
            part = slice(self._cells.starts[row], self._cells.starts[row + 1])
            counts[self._cells.atoms[part], c] += self._cells.weights[part]
        self.densities.update(self._cells.columns, self._cells.values, counts)

    def start_from(self, mixture: Self) -> None:
        """Take over the densities that a mixture of the same cells has ended with; its rows start where they are in it.

        That is γ = α + m r, in the first E-step. With small α the bound is near the mixture's log-likelihood there.
        """
        self.densities = mixture.densities
        self._gamma = self.prior + self._sizes[:, None] * mixture.memberships.gamma

    def start_from_estimates(self, densities: Density, prior: np.ndarray) -> None:
        """Begin with an E-step at these, instead of components that are random rows."""
        self.densities, self.prior = densities, prior.copy()

    @property
    def memberships(self) -> Memberships:
        """The memberships of the last E-step."""
        if self._memberships is None:
            self._expect()
        return self._memberships

    def _expect(self):
        log_density = self.densities.log_density(self._cells.columns, self._cells.values)
        start, self._gamma = self._gamma, None
        if start is None and self.is_warm and self._memberships is not None:
            start = self._memberships.gamma
        self._memberships = self._e_step.find(self._cells, log_density, self.prior, start)
        self._objective = None

    def advance(self, steps):
        """Do so many times: θ and the prior from the memberships, then memberships anew."""
        for _ in range(steps):
            if self._memberships is not None:
                cells = self._cells
                self.densities.update(cells.columns, cells.values, self._memberships.counts)
                if self._done > self._alpha_held or not self._e_step.is_dirichlet:
                    self.prior = self._e_step.renewed_prior(self.prior, self._memberships, self._sizes)
            self._expect()
            self._done += 1
            if self._done % LOOK_EVERY == 0:
                self._look()

    def _look(self):
        """See how far the objective has moved since the last look, and whether to go warm."""
        now, before = self.objective(), self._looked
        if before is not None:
            self.relative_change = (now - before) / LOOK_EVERY / max(abs(now), 1e-300)
        self._looked = now
        if self._e_step.warm == LATE and abs(self.relative_change) < WARM_BELOW:
            self.is_warm = True

    def objective(self):
        """Return L plus the penalty of the estimates, in nats."""
        if self._objective is None and self._memberships is not None:
            self._objective = float(self._memberships.bounds.sum()) + self.densities.penalty()
        return self._objective

    @property
    def may_stop(self) -> bool:
        """Whether α is learned by now, and no change of where rows start is to come."""
        is_learned = self._done > self._alpha_held + 1 or not self._e_step.is_dirichlet
        return is_learned and (self.is_warm or self._e_step.warm != LATE)

    def objective_of_one(self) -> float:
        """Return the objective where one component has all cells and the others have none, which are smoothed as well.

        There L is the log-likelihood itself. Of a Dirichlet prior it is the limit of all weight on one component.
        """
        columns, values = self._cells.columns, self._cells.values
        weights = np.zeros((columns.size, self.prior.size))
        weights[:, 0] = self._totals
        densities = copy.deepcopy(self.densities)
        densities.update(columns, values, weights)
        seen = self._totals > 0
        log = densities.log_density(columns, values)[seen, 0]
        return float(self._totals[seen] @ log) + densities.penalty()

    @property
    def bound(self) -> float:
        """L alone: a lower bound of ln p(V | θ), exact of a mixture."""
        return float(self.memberships.bounds.sum())

    def factors(self):
        """Return the memberships (rows, K) and the means (K, columns), or those of V's columns."""
        return self.oriented(self.memberships.shares, self.densities.mean())

    def oriented(self, shares: np.ndarray, means: np.ndarray) -> Factors:
        """Return memberships (n, K) and means (K, features) as factors of V."""
        return Factors(means.T, shares.T) if self._of_columns else Factors(shares, means)

    def expectation(self):
        """Return W H."""
        W, H, _ = self.factors()
        return W @ H

    def active_components(self):
        """Return how many components have at least 1 % of the memberships."""
        return int(np.count_nonzero(self.memberships.shares.mean(axis=0) >= ACTIVE_SHARE))

    @property
    def shares_are_one(self) -> bool:
        """Whether the prior outweighs the cells of a row by far: all rows share one mixture."""
        size = self._sizes.mean()
        return bool(self.prior.size > 1 and 0 < OUTWEIGHS * size < self.prior.sum())

    def distinct_components(self) -> int:
        """Return how many components differ in what they say about the cells."""
        log = self.densities.log_density(self._cells.columns, self._cells.values)
        seen = self._totals > 0
        if not seen.any():
            return self.prior.size
        relative = np.exp(log[seen] - log[seen].max(axis=1, keepdims=True))
        share = self._totals[seen] / self._totals.sum()
        kinds: list[np.ndarray] = []
        for component in relative.T:
            if all(share @ np.abs(component - other) >= ALIKE for other in kinds):
                kinds.append(component)
        return len(kinds)
