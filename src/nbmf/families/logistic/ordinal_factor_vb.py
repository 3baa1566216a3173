"""The factor model of ordered categories by variational Bayes."""

from typing import NamedTuple

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.factor_posteriors import FactorPosterior
from nbmf.families.logistic.factors import EFFECT_SCALE
from nbmf.families.logistic.logistic_variational import AscentState, VariationalFactors, effect_places
from nbmf.families.logistic.ordered_bound import CategoriesWithLearnedCuts
from nbmf.families.logistic.ordered_cells import CUT_SCALE, centred, probabilities
from nbmf.families.logistic.ordinal_factors import OrdinalFactors
from nbmf.inference.constructors import with_parameters
from nbmf.numerics.normal_effects import INTERCEPT_VARIANCE


@with_parameters
class OrdinalFactorVB(VariationalFactors, OrdinalFactors):
    """Ordered categories 0, 1, ..., C - 1 by variational Bayes: P(v > c) = σ(r + c + WH - θ_c), θ_0 < θ_1 < ...

    The model of OrdinalFactorGibbs. q(W) q(H) q(θ) maximize a lower bound of the evidence, to which Pólya-Gamma
    variables make every cell quadratic; under q(θ), θ_0 and the logarithms of the distances of cut points are normal
    together (docs/logistic.md). q is narrower than the posterior. Of two categories with cut points of columns it is
    LogisticFactorVB with effects of columns ~ N(0, 9).

    `expectation_` is the mean category, Σ c P(v = c); `predictive(rows, columns)` has the probabilities of single
    entries, (n, C).

    Parameters
    ----------
    cut_points, n_categories
        As of OrdinalFactorGibbs.
    effect_scale : float or "learned"
        As of LogisticFactorGibbs.
    n_components, effects, ard, ard_after, a0, b0, covariance, max_iter, bound_gain_tol, step, start_scale, random_state
        As of LogisticFactorVB.

    See Factorization, FactorModel and OrdinalFactors for the learned attributes.
    """

    method_name = "ordinal VB"
    sampler = "OrdinalFactorGibbs"
    rules = VariationalFactors.rules | OrdinalFactors.rules

    cut_points: str = "columns"
    n_categories: int | None = None
    effect_scale: float | str = EFFECT_SCALE

    def _quadratic(self, values):
        return CategoriesWithLearnedCuts(values, self._n_categories_of(values), self.cut_points == "columns")

    def _state_of(self, matrix):
        return OrdinalAscent(matrix, self.n_components, self.effects_in_use, self)

    def _predicted(self, quadratic, psi, variance, columns):
        return quadratic.exceedances(psi, variance, columns).sum(axis=-1)

    def _prediction(self, quadratic, psi, variance, columns):
        return probabilities(quadratic.exceedances(psi, variance, columns))

    def _others_of(self, quadratic, rng=None):
        return {form.CUTS: quadratic.cuts.copy() if rng is None else quadratic.posterior.draw(rng)}

    def _canonical(self, factors):
        return form.canonical(centred(factors))


class OrdinalAscent(AscentState):
    """q and its updates: cut points and effects pass to each other what they share."""

    def _levels(self):
        yield from super()._levels()
        row, column = effect_places(self._K, self._effects)
        if column is not None:
            yield CutLevel(self.matrix.quadratic, self.matrix.columns, column).move
        elif row is not None:
            yield CutLevel(self.matrix.quadratic, self.matrix.rows, row).move

    def probabilities(self) -> np.ndarray:
        """Return the probability of every category under q, float array (F, N, C)."""
        return self.predictive(slice(None), np.arange(len(self.matrix.columns.mean)))


class CutLevel(NamedTuple):
    """What cut points and effects can pass to each other: ψ - θ stays as it is.

    quadratic : CategoriesWithLearnedCuts
    side : FactorPosterior
        Of the effects, where their intercept is too, if that is learned.
    effect : int
        Their coordinate.
    """

    quadratic: CategoriesWithLearnedCuts
    side: FactorPosterior
    effect: int

    def move(self) -> None:
        """Add d to all cuts, all effects and their intercept: the best d for the bound."""
        cuts, side, place = self.quadratic.cuts, self.side, self.effect
        has_intercept = side.coordinates.carrier is not None
        effects = side.center[[place]] if has_intercept else side.mean[:, place]
        precision = 1.0 / INTERCEPT_VARIANCE if has_intercept else side.precision[place]
        slope = -cuts.sum() / CUT_SCALE**2 - precision * effects.sum()
        d = slope / (cuts.size / CUT_SCALE**2 + precision * effects.size)
        self.quadratic.shift(d)
        side.shift(place, d)
        if has_intercept:
            side.center[place] += d
