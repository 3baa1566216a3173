"""How the effects of a Gibbs chain are distributed, and what is drawn of that given them."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.gibbs_groups import GroupLevel
from nbmf.numerics import normal_effects
from nbmf.numerics.normal_effects import COLUMNS, INTERCEPT, ROWS
from nbmf.numerics.random import generator_states

if TYPE_CHECKING:
    from nbmf.families.logistic.logistic_gibbs import Coefficients


class EffectHyperparameters:
    """How effects are distributed: see nbmf.numerics.normal_effects.

    Attributes
    ----------
    values : float array (3,)
    priors : float array (3, 2), zeros where the scale of effects is given
    """

    def __init__(self, effects: form.Effects, scale: float | str, seed: np.random.SeedSequence):
        self.effects, self.is_learned = effects, scale == form.LEARNED and any(effects)
        start = 1.0 if scale == form.LEARNED else scale**2
        self.values = np.array([start * effects.rows, start * effects.columns, 0.0])
        self.priors = normal_effects.learned_priors(*effects) if self.is_learned else np.zeros((3, 2))
        self.generator = generator_states(seed, 1)[0]

    def set_priors(self, rows: "Coefficients", columns: "Coefficients") -> None:
        """Set the prior of the effects of both sides."""
        for kind, side in ((ROWS, rows), (COLUMNS, columns)):
            if side.has_effects:
                side.precision[side.K] = 1.0 / self.values[kind]
                side.center[:, side.K] = self._center(kind)

    @property
    def mean_of_columns(self) -> float:
        """What effects of columns vary around."""
        return self._center(COLUMNS)

    def _center(self, kind: int) -> float:
        return normal_effects.center_of.py_func(self.values, kind)

    def draw(self, rows: "Coefficients", columns: "Coefficients", level: GroupLevel | None) -> None:
        """Draw the hyperparameters given the effects (of rows: within their group) and what both kinds share."""
        of_rows, of_columns = rows.effects, columns.effects
        of_groups = None if level is None else level.effects_of_rows
        if of_groups is not None:
            of_rows -= of_groups
        normal_effects.draw_effect_hyperparameters(self.generator, of_rows, of_columns, self.values, self.priors)
        if of_groups is not None:
            of_rows += of_groups
        for side, effects in ((rows, of_rows), (columns, of_columns)):
            if side.has_effects:
                side.u[:, side.K] = effects

    def log_density(self, rows: "Coefficients", columns: "Coefficients", of_groups: np.ndarray | float) -> float:
        """Return the log density of the effects, and of m and the logarithms of variances that are learned.

        of_groups : the mean effect of the group of each row, (F,), or 0
        """
        total = 0.0
        for kind, side, around in ((ROWS, rows, of_groups), (COLUMNS, columns, 0.0)):
            if side.has_effects:
                total += log_normal(side.effects - self._center(kind) - around, 1.0 / self.values[kind])
            shape, rate = self.priors[kind]
            if shape > 0:
                precision = 1.0 / self.values[kind]
                total += shape * np.log(rate * precision) - gammaln(shape) - rate * precision
        if self.is_learned:
            total += log_normal(self.values[INTERCEPT], 1.0 / self.priors[INTERCEPT, 0])
        return float(total)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that `draw` changes besides effects, by name."""
        return {"law of effects": self.values, "generator of effects": self.generator} if self.is_learned else {}

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned, by name, if anything is."""
        if not self.is_learned:
            return {}
        named = {form.INTERCEPT: INTERCEPT}
        named |= {form.ROW_VARIANCE: ROWS} if self.effects.rows else {}
        named |= {form.COLUMN_VARIANCE: COLUMNS} if self.effects.columns else {}
        return {name: np.array(self.values[place]) for name, place in named.items()}


def log_normal(values: np.ndarray, precision: float) -> float:
    """Return the log density of independent normal numbers with mean 0."""
    squares = precision * (values**2).sum()
    return 0.5 * float(np.size(values) * np.log(precision / (2 * np.pi)) - squares)
