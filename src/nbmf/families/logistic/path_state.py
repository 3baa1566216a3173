"""The state of a chain whose rows move: what is kept of the paths."""

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.factors import PATHS, PERIODS
from nbmf.families.logistic.gibbs_state import GibbsState
from nbmf.families.logistic.moving_rows import ITEM_MEAN, ITEMS, SPANS, START, START_MEAN, WALK
from nbmf.families.logistic.ordinal_factor_gibbs import CategoryState
from nbmf.families.logistic.path_chain import MovingCells
from nbmf.inference.state import Factors

TURNED = PATHS, WALK, START_MEAN, START, ITEM_MEAN, ITEMS  # what turns with H, besides effects, which do not
H = "H"


class PathState(GibbsState):
    """Also sums H, paths and what turns with them, each sweep turned to the sum of those before."""

    def __init__(self, chain, burn_in):
        super().__init__(chain, burn_in)
        now = self.factors()
        self._turned_sums = {name: np.zeros_like(values) for name, values in self._rotated_values(now).items()}

    @property
    def cells(self) -> MovingCells:
        """The cells of the chain."""
        return self._chain.cells

    def _rotated_values(self, factors: Factors) -> dict[str, np.ndarray]:
        """Return what a sweep adds to the sums, by name."""
        names = *TURNED, *(name for name in (form.COLUMNS,) if name in factors.others)
        return {H: factors.H} | {name: factors.others[name] for name in names}

    def _add(self):
        now = self.factors()  # once: on a small matrix it takes nearly half as long as a sweep
        self._add_means()
        self._add_learned(now.others)
        for name, values in self._rotated_values(self._align_to_sums(now)).items():
            self._turned_sums[name] += values

    def _learned_now(self):
        return self._learned_in_form()

    def _align_to_sums(self, factors: Factors) -> Factors:
        return moving.aligned(factors, self._scaled_sums(1.0)) if self._kept else factors

    def _scaled_sums(self, scale: float) -> Factors:
        """Return the sums times a number as factors."""
        sums = {name: scale * total for name, total in self._turned_sums.items()}
        spans = self._chain.rows.spans
        others = sums | {PERIODS: self._chain.periods.of_columns, SPANS: spans}
        return Factors(moving.mean_positions(sums[PATHS], spans), others.pop(H), others)

    def _now(self):
        factors = self._chain.factors()
        return moving.canonical(factors._replace(others=dict(factors.others) | self._chain.cells.learned()))

    def factors(self):
        """Return the factors of the last sweep in the form of `moving_rows.canonical`."""
        return self._now()

    def estimate(self):
        """Return the means over the kept sweeps; the entry of largest magnitude in each row of H is positive."""
        if not self._kept:
            return self._now()
        means = self._scaled_sums(1.0 / self._kept)
        signs = np.sign(means.H[np.arange(len(means.H)), np.abs(means.H).argmax(axis=1)])
        made = moving.rotated(means, np.diag(np.where(signs == 0, 1.0, signs)))
        return made._replace(others=dict(made.others) | self.learned())

    def active_components(self):
        """Return how many components hold at least 1 % of W H now, however it is rotated."""
        return moving.count_active(self.factors())

    def draw(self, rng):
        """Return the factors of the last sweep, which are a draw, in the form of the estimate."""
        return self._align_to_sums(self._now())

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        return super().snapshot() | {f"sum of turned {name}": total for name, total in self._turned_sums.items()}


class CategoryPathState(PathState, CategoryState):
    """A PathState of ordered categories, with their probabilities."""
