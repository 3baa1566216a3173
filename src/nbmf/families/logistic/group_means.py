"""q of the means of groups of rows, and of their precisions: the level above the q of the rows."""

from typing import TYPE_CHECKING

import numpy as np

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.row_groups import RowGroups
from nbmf.numerics.normal_effects import INTERCEPT_VARIANCE, VARIANCE_RATE, VARIANCE_SHAPE

if TYPE_CHECKING:
    from nbmf.families.logistic.learned_prior import LearnedPrior

PRIOR = Gamma(VARIANCE_SHAPE, VARIANCE_RATE)  # of the precisions of means


class GroupMeans:
    """q(µ) q(1/s) of u_f ~ N(center + µ_g, 1/p), µ_g ~ N(0, s): independent normal and gamma distributions.

    Parameters
    ----------
    groups : RowGroups
        A row without a group is one of its own.
    coordinates : int array (C,)
        Those of u that have means of groups.
    R : int
        How many coordinates u has.

    Attributes
    ----------
    index : int array (F,)
        The group of each row.
    named : int
        How many groups have names; they come first.
    mean, variance : float arrays (groups, R)
        Of µ under q, 0 outside of the coordinates.
    posterior : Gamma
        q(1/s), arrays (C,).
    """

    def __init__(self, groups: RowGroups, coordinates: np.ndarray, R: int):
        self.index, count = groups.with_singletons()
        self.named, self.coordinates = groups.names.size, coordinates
        self._sizes = np.bincount(self.index, minlength=count)
        self.mean, self.variance = np.zeros((count, R)), np.zeros((count, R))
        shape = np.full(coordinates.size, PRIOR.shape + 0.5 * count)
        self.posterior = Gamma(shape, shape.copy())

    @property
    def row_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """<µ> and its variance for each row, by its group: float arrays (F, R)."""
        return self.mean[self.index], self.variance[self.index]

    def learn_means(self, rows: "LearnedPrior") -> None:
        """Renew q(µ) given q of the rows."""
        chosen, sums = self.coordinates, np.zeros(self.mean.shape)
        np.add.at(sums, self.index, rows.mean - rows.center)
        precision = rows.precision[chosen]
        variance = 1.0 / (self.posterior.mean + self._sizes[:, None] * precision)
        self.variance[:, chosen] = variance
        self.mean[:, chosen] = variance * precision * sums[:, chosen]

    def learn_precisions(self) -> None:
        """Renew q(1/s)."""
        chosen = self.coordinates
        squares = (self.mean[:, chosen] ** 2 + self.variance[:, chosen]).sum(axis=0)
        self.posterior = self.posterior._replace(rate=PRIOR.rate + 0.5 * squares)

    def pass_level(self, rows: "LearnedPrior", columns: "LearnedPrior", row: int, column: int | None) -> None:
        """Take d from the means of all groups' effects and add it to the intercept: the best d for the bound.

        With effects of columns (at `column` of theirs) row effects (at `row`) fall by d and these rise; without, the
        intercept is that of the rows, which stay as they are.
        """
        side, place = (rows, row) if column is None else (columns, column)
        precision, of_intercept = self.posterior.mean[self.coordinates == row][0], 1.0 / INTERCEPT_VARIANCE
        effects, m = self.mean[:, row], side.center[place]
        d = (precision * effects.sum() - of_intercept * m) / (precision * effects.size + of_intercept)
        effects -= d
        side.center[place] += d
        if column is not None:
            rows.shift(row, -d)
            columns.shift(column, d)

    def divergence(self) -> float:
        """Return KL(q || prior) of µ and of 1/s, in nats."""
        mean, variance = (part[:, self.coordinates] for part in (self.mean, self.variance))
        of_prior = 0.5 * (self.posterior.mean_log - self.posterior.mean * (mean**2 + variance))
        entropy = 0.5 * (1.0 + np.log(variance))
        return float(self.posterior.divergence(PRIOR) - of_prior.sum() - entropy.sum())

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw µ from q, float array (groups, R)."""
        return self.mean + np.sqrt(self.variance) * rng.standard_normal(self.mean.shape)
