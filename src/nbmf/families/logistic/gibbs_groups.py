"""The level above the rows of a Gibbs chain: means of groups, and how much they vary."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.kernels import groups as kernels
from nbmf.families.logistic.row_groups import RowGroups
from nbmf.numerics.normal_effects import INTERCEPT, VARIANCE_RATE, VARIANCE_SHAPE
from nbmf.numerics.random import generator_states

if TYPE_CHECKING:
    from nbmf.families.logistic.effect_hyperparameters import EffectHyperparameters
    from nbmf.families.logistic.logistic_gibbs import Coefficients, Prior


class GroupLevel:
    """µ and s of a chain whose rows have groups, see kernels.groups; a row without one is a group of its own.

    Parameters
    ----------
    groups : RowGroups
    K : int
    has_effects : bool
        Whether rows have effects.
    seed : SeedSequence

    Attributes
    ----------
    index : int array (F,)
        The group of each row.
    means, variances : float arrays (groups, D), (D,)
    prior : tuple of float, the shape and the rate of variances
    """

    def __init__(self, groups: RowGroups, K: int, has_effects: bool, seed: np.random.SeedSequence):
        self.index, count = groups.with_singletons()
        self._sizes = np.bincount(self.index, minlength=count)
        self._named, self._K = groups.names.size, K
        self.prior = VARIANCE_SHAPE, VARIANCE_RATE
        self.means, self.variances = np.zeros((count, K + has_effects)), np.ones(K + has_effects)
        self._center, self._generator = np.zeros(K + has_effects), generator_states(seed, 1)[0]

    @property
    def has_effects(self) -> bool:
        """Whether groups have effects."""
        return self.variances.size > self._K

    @property
    def effects_of_rows(self) -> np.ndarray:
        """The mean effect of the group of each row, float array (F,)."""
        return self.means[self.index, self._K].copy() if self.has_effects else np.zeros(self.index.size)

    def set_priors(self, rows: "Coefficients") -> None:
        """Set the centres of rows; what else their effects vary around is set already."""
        self._center[self._K :] = rows.center[0, self._K :]
        rows.center[:] = self._center + self.means[self.index]

    def draw(self, rows: "Coefficients", columns: "Coefficients", prior: "Prior", alpha: np.ndarray) -> None:
        """Draw means and variances given the rows, with what factors and means share, and α."""
        if self._K:
            of_alpha = prior.ard, *columns.scales(), float(prior.a0), float(prior.b0), alpha
            positions = self.variances[: self._K]
            kernels.turn_with_means(self._generator, rows.u, columns.u, self.means, positions, *self.prior, *of_alpha)
        kernels.draw_means(
            self._generator,
            rows.u,
            self.index,
            self._sizes,
            rows.precision,
            self._center,
            self.means,
            self.variances,
            *self.prior,
        )

    def pass_level(
        self, hyperparameters: "EffectHyperparameters", rows: "Coefficients", columns: "Coefficients"
    ) -> None:
        """Draw what the effects of groups share with the intercept, and with column effects where there are any."""
        if not self.has_effects:
            return
        of_groups, m = self.means[:, self._K], hyperparameters.values[INTERCEPT]
        variance, prior_variance = self.variances[self._K], hyperparameters.priors[INTERCEPT, 0]
        d = kernels.draw_level(self._generator, of_groups, prior_variance, variance, m)
        of_groups -= d
        hyperparameters.values[INTERCEPT] += d
        if columns.has_effects:
            rows.u[:, self._K] -= d
            columns.u[:, self._K] += d

    def log_density(self) -> float:
        """Return the log density of the means and of the logarithms of their variances, in nats."""
        shape, rate = self.prior
        each = -0.5 * (np.log(2 * np.pi * self.variances) + self.means**2 / self.variances)
        of_variances = shape * np.log(rate / self.variances) - gammaln(shape) - rate / self.variances
        return float(each.sum() + of_variances.sum())

    def learned(self, columns: "Coefficients") -> dict[str, np.ndarray]:
        """Return what is learned of groups but for their means, by name."""
        learned = {}
        if self._K:
            weight = (columns.factor**2).sum(axis=0)
            between = weight @ self.variances[: self._K]
            learned[form.BETWEEN_GROUPS] = np.array(between / (between + weight.sum()))
        if self.has_effects:
            learned[form.GROUP_VARIANCE] = np.array(self.variances[self._K])
        return learned

    def named_means(self) -> dict[str, np.ndarray]:
        """Return the means of the groups that have names, by the names that factors have for them."""
        means_of = {form.GROUP_MEANS: self.means[: self._named, : self._K].copy()} if self._K else {}
        return means_of | ({form.GROUP_EFFECTS: self.means[: self._named, self._K].copy()} if self.has_effects else {})

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a sweep changes, by name."""
        return {
            "means of groups": self.means,
            "variances of groups": self.variances,
            "generator of groups": self._generator,
        }
