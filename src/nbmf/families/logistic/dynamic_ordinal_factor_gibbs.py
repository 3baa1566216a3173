"""Ordered categories of rows that move from period to period, by Gibbs sampling."""

from typing import ClassVar

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.dynamic_factors import MovingRows
from nbmf.families.logistic.new_columns import regress_columns
from nbmf.families.logistic.ordered_bound import CategoriesWithLearnedCuts
from nbmf.families.logistic.ordered_cells import CUT_SCALE, Categories, probabilities
from nbmf.families.logistic.ordinal_factor_gibbs import OrdinalFactorGibbs
from nbmf.families.logistic.path_chain import MovingCategoryCells
from nbmf.families.logistic.path_state import CategoryPathState
from nbmf.inference.constructors import with_parameters
from nbmf.numerics import sigmoid


@with_parameters
class DynamicOrdinalFactorGibbs(MovingRows, OrdinalFactorGibbs):
    """Ordered categories, P(v > c) = σ(ψ - θ_c), whose rows walk at random from period to period, by Gibbs sampling.

    ψ is that of DynamicFactorGibbs, cut points are those of OrdinalFactorGibbs: of two categories with shared cut
    points and effects it is the former.

    Parameters
    ----------
    cut_points, n_categories
        As of OrdinalFactorGibbs.
    n_components, periods, walk_variance, walk_shape, walk_rate, effects, effect_scale
        As of DynamicFactorGibbs; with cut points of columns there are no effects.
    ard, a0, b0, burn_in, n_samples, threads, random_state
        As of LogisticFactorGibbs.

    See OrdinalFactors and MovingRows for the learned attributes.
    """

    method_name = "dynamic ordinal GS"
    rules = OrdinalFactorGibbs.rules | MovingRows.rules
    shapes: ClassVar = OrdinalFactorGibbs.shapes | {
        name: axes.replace("S", "B") for name, axes in MovingRows.shapes.items()
    }

    effects: str = "none"

    def _start(self, ranks, seed):
        likelihood = Categories(ranks, self._n_categories_of(ranks), self.cut_points == "columns")
        cells = MovingCategoryCells(likelihood, self._periods(ranks.shape[1]))
        return CategoryPathState(self._path_chain(cells, ranks, seed), self.burn_in)

    def chances_of_new_column(self, factors, W, rng):
        """Return the probability of each category, float array (F, C); see MovingRows.

        Cut points of a new column are a draw of their prior.
        """
        mean, variance = self._log_odds_of_new_column(factors, W)
        cuts = np.asarray(factors.others[form.CUTS], float)
        if self.cut_points == "columns":
            cuts = np.sort(CUT_SCALE * rng.standard_normal((1, cuts.shape[1])), axis=1)
        around = (mean[:, None] - cuts).ravel()
        beyond = sigmoid.probability(around, np.repeat(variance, cuts.shape[1])).reshape(len(W), -1)
        return probabilities(beyond)

    def _factors_of_rows(self, values):
        self._refuse_unknown(values)
        return MovingRows._factors_of_rows(self, values)

    def _factors_of_columns(self, values):
        return MovingRows._factors_of_columns(self, values)

    def _columns_in(self, values, t):
        self._refuse_unknown(values)
        if self.cut_points == "shared":
            return super()._columns_in(values, t)
        likelihood = CategoriesWithLearnedCuts(values, self.cut_points_.shape[1] + 1)
        W, mean = self.paths_[:, t], self.item_mean_[:-1]
        around, effects = regress_columns(self, likelihood, W=W, offset=W @ mean)
        made = self._factors_of_period(around + mean, effects, t)
        return made._replace(others=dict(made.others) | {form.CUTS: likelihood.cuts})
