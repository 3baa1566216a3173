"""What the variational methods share: q from a seed, the state, the stopping rule."""

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.factor_posteriors import FactorizedPosterior, FactorPosterior, FullPosterior
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.group_means import GroupMeans
from nbmf.families.logistic.learned_prior import Coordinates
from nbmf.families.logistic.logistic_estimator import LEARNED_EFFECTS, PRIOR, RULES, FactorModel
from nbmf.families.logistic.matrices import Ascent, Matrix, SharedLevel
from nbmf.families.logistic.quadratic import Quadratic
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.parameters import Rule, at_least, is_number, one_of
from nbmf.inference.state import Factors, State
from nbmf.inference.stopping import BoundGainBelow
from nbmf.numerics.normal_effects import VARIANCE_RATE, VARIANCE_SHAPE

POSTERIORS = {"factorized": FactorizedPosterior, "full": FullPosterior}
# Standard deviations to begin with: of the means of W and H, and of their q.
START_W, START_H = (1.0, 1.0), (0.1, 0.1)


@with_parameters
class VariationalFactors(FactorModel):
    """Base class: q(W) q(H) by coordinate ascent of the evidence bound.

    A class has the parameters of FactorModel and ard_after, covariance, max_iter, bound_gain_tol, step and start_scale,
    defines `_quadratic` and `_predicted`, and says what of ψ it keeps.
    """

    inference = Inference.ASCENT
    takes_starts = True
    rules = RULES | {
        "ard_after": at_least(0),
        "covariance": one_of(*POSTERIORS),
        "step": Rule(
            lambda value: value is None or (is_number(value) and 0 < value <= 1),
            "None or a number above 0 and at most 1",
        ),
        "start_scale": Rule(lambda value: is_number(value) and 0 < value < np.inf, "a positive number"),
    }
    old_names: ClassVar = {"tol": "bound_gain_tol"}

    n_components: int = 8
    effects: str = "none"
    ard: bool = False
    ard_after: int = 0
    a0: float = PRIOR
    b0: float = PRIOR
    covariance: str = "factorized"
    max_iter: int = 1000
    bound_gain_tol: float = 1e-5
    step: float | None = None
    start_scale: float = START_H[0]
    random_state: RandomState = None

    @property
    def variant(self):
        """Which effects there are, and whether precisions are learned where the class does not by default."""
        of_effects, learns = super().variant, self.ard and not type(self).ard
        if learns and of_effects == LEARNED_EFFECTS:
            return form.LEARNED
        return ", ".join(filter(None, (of_effects, "learned precisions" * learns)))

    def _quadratic(self, values: np.ndarray) -> Quadratic:
        """Return the likelihood of a matrix as a quadratic form."""
        raise NotImplementedError

    def _predicted(self, quadratic: Quadratic, psi, variance, columns) -> np.ndarray:
        """Return E v of entries whose ψ has some mean and variance under q.

        `columns` broadcasts against ψ.
        """
        raise NotImplementedError

    def _prediction(self, quadratic: Quadratic, psi, variance, columns):
        """Return what the likelihood scores of such entries."""
        return self._predicted(quadratic, psi, variance, columns)

    def _others_of(self, quadratic: Quadratic, rng=None) -> dict[str, np.ndarray]:
        """Return what factors have besides W, H and effects: means, or draws from q with `rng`."""
        return {}

    def _canonical(self, factors: Factors) -> Factors:
        """Return factors in the form in which they are reported."""
        return form.canonical(factors)

    def _start(self, values, seed):
        quadratic = self._quadratic(values)
        rows, columns = self._sides(values.shape, np.random.default_rng(seed))
        self._place(quadratic, values, rows, columns)
        return self._state_of(Matrix(quadratic, rows, columns))

    def _place(self, quadratic: Quadratic, values: np.ndarray, rows: FactorPosterior, columns: FactorPosterior) -> None:
        """Give q another place to begin with than a random one."""

    def _state_of(self, matrix: Matrix) -> "AscentState":
        return AscentState(matrix, self.n_components, self.effects_in_use, self)

    def _sides(self, shape, rng) -> tuple[FactorPosterior, FactorPosterior]:
        """Return q of rows and of columns to begin with."""
        sides = []
        scales = START_W, (self.start_scale, self.start_scale)
        for n, (size, scale), are_rows in zip(shape, scales, (True, False), strict=True):
            coordinates, K = self._coordinates(are_rows), self.n_components
            mean = np.zeros((n, coordinates.free.size))
            mean[:, :K] = size * rng.standard_normal((n, K))
            mean[:, ~coordinates.free] = 1.0
            sides.append(POSTERIORS[self.covariance](mean, coordinates, scale))
        if self.groups_in_use is not None:
            grouped = np.arange(K + self.effects_in_use.rows)
            sides[0].groups = GroupMeans(self.groups_in_use, grouped, sides[0].mean.shape[1])
        return tuple(sides)

    def _coordinates(self, are_rows: bool) -> Coordinates:
        """Return the prior of one side."""
        K, effects = self.n_components, self.effects_in_use
        R, side, is_learned = K + effects.rows + effects.columns, int(not are_rows), self.effect_scale == form.LEARNED
        free = np.ones(R, bool)
        free[clamped_places(K, effects)[side]] = False
        learned = np.arange(0 if are_rows or not self.ard else K)
        precision = np.r_[np.ones(K), np.full(R - K, 1.0 if is_learned else 1.0 / self.effect_scale**2)]
        prior, own = Gamma(self.a0, self.b0), effect_places(K, effects)[side]
        if not is_learned or own is None:
            return Coordinates(precision, free, learned, prior)
        shapes = np.append(np.full(learned.size, self.a0), VARIANCE_SHAPE)
        rates = np.append(np.full(learned.size, self.b0), VARIANCE_RATE)
        carrier = None if are_rows and effects.columns else own
        return Coordinates(precision, free, np.append(learned, own), Gamma(shapes, rates), carrier)

    def _stopping_rule(self, state):
        n_observed = np.count_nonzero(state.matrix.quadratic.seen)
        return BoundGainBelow(state.objective, self.bound_gain_tol, n_observed, after=state.waits)


def clamped_places(K: int, effects: form.Effects) -> tuple[list[int], list[int]]:
    """Return the coordinates that are 1 on the side of rows, and those on the side of columns.

    After the K components come the effect of rows and that of columns, as far as they are used.
    """
    return [K + effects.rows] * effects.columns, [K] * effects.rows


def effect_places(K: int, effects: form.Effects) -> tuple[int | None, int | None]:
    """Return the coordinate of row effects on the side of rows, and that of column effects on the other."""
    return K if effects.rows else None, K + effects.rows if effects.columns else None


class AscentState(State):
    """q and its updates.

    Parameters
    ----------
    matrix : Matrix
    K : int
    effects : Effects
    model : VariationalFactors
        Whose `step`, `ard_after` and `_predicted` it uses.

    Attributes
    ----------
    waits : int
        Updates in which precisions of components are 1, half of all at most: those that are learned from the start
        on prune components before they have become different.
    """

    def __init__(self, matrix: Matrix, K: int, effects: form.Effects, model: VariationalFactors):
        self.matrix, self._K, self._effects, self._model = matrix, K, effects, model
        self._ascent = Ascent([matrix], model.step or 0.0, list(self._levels()))
        self.waits, self._done = min(model.ard_after, model.max_iter // 2) if model.ard else 0, 0
        self._coordinates = matrix.columns.coordinates
        if self.waits:
            matrix.columns.coordinates = self._coordinates.without_components(K)

    def _levels(self) -> Iterator[Callable[[], None]]:
        """Yield what effects can pass to each other; see Ascent."""
        rows, columns = self.matrix.rows, self.matrix.columns
        row, column = effect_places(self._K, self._effects)
        has_intercept = any(side.coordinates.carrier is not None for side in (rows, columns))
        if row is None or not has_intercept:
            return
        if column is not None:
            yield SharedLevel(rows, columns, row, column).move
        if rows.groups is not None:
            yield lambda: rows.groups.pass_level(rows, columns, row, column)

    def advance(self, steps):
        """Update q so many times."""
        first = min(steps, max(self.waits - self._done, 0))
        self._ascent.update(first)
        if steps > first and self._done <= self.waits:  # now all are learned
            self.matrix.columns.coordinates, self.matrix.columns.posterior = self._coordinates, None
        self._ascent.update(steps - first)
        self._done += steps

    def objective(self):
        """Return the evidence lower bound in nats."""
        return self._ascent.bound()

    def factors(self):
        """Return the means of W, H and effects in their canonical form."""
        return self._factors_of(self.matrix.rows.mean, self.matrix.columns.mean, None)

    def draw(self, rng):
        """Draw W, H and effects from q; their canonical form."""
        return self._factors_of(self.matrix.rows.draw(rng), self.matrix.columns.draw(rng), rng)

    def _factors_of(self, rows, columns, rng):
        K, (row, column), others = self._K, effect_places(self._K, self._effects), {}
        if row is not None:
            others[form.ROWS] = rows[:, row].copy()
        if column is not None:
            others[form.COLUMNS] = columns[:, column].copy()
        others |= self._effect_hyperparameters(rng) | self._group_moments(rng)
        others |= self._model._others_of(self.matrix.quadratic, rng)
        return self._model._canonical(Factors(rows[:, :K].copy(), columns[:, :K].T.copy(), others))

    def _effect_hyperparameters(self, rng) -> dict[str, np.ndarray]:
        """Return intercept and variances of effects, if they are learned: <m> and 1/<p>, or draws from q with `rng`."""
        hyperparameters, places = {}, effect_places(self._K, self._effects)
        sides = (self.matrix.rows, form.ROW_VARIANCE), (self.matrix.columns, form.COLUMN_VARIANCE)
        for (side, name), place in zip(sides, places, strict=True):
            if place is None or place not in side.coordinates.learned:
                continue
            precision = side.precision[place]
            if rng is not None and side.posterior is not None:
                precision = rng.gamma(side.posterior.shape[-1]) / side.posterior.rate[-1]
            hyperparameters[name] = np.array(1.0 / precision)
            if side.coordinates.carrier == place:
                spread = np.sqrt(side.center_variance) * rng.standard_normal() if rng is not None else 0.0
                hyperparameters[form.INTERCEPT] = np.array(side.center[place] + spread)
        return hyperparameters

    def _group_moments(self, rng) -> dict[str, np.ndarray]:
        """Return means of groups and how much they vary, if rows have groups: <µ> and 1/<1/s>, or draws with `rng`."""
        side, K = self.matrix.rows, self._K
        if side.groups is None:
            return {}
        groups = side.groups
        means = (groups.mean if rng is None else groups.draw(rng))[: groups.named]
        precisions = groups.posterior.mean
        if rng is not None:
            precisions = rng.gamma(groups.posterior.shape) / groups.posterior.rate
        of_groups = {}
        if K:
            weight = self.matrix.columns.squares[:, :K].sum(axis=0)
            between = weight @ (1.0 / precisions[:K])
            of_groups |= {form.GROUP_MEANS: means[:, :K].copy()}
            of_groups |= {form.BETWEEN_GROUPS: np.array(between / (between + weight.sum()))}
        if self._effects.rows:
            of_groups |= {form.GROUP_EFFECTS: means[:, K].copy(), form.GROUP_VARIANCE: np.array(1.0 / precisions[K])}
        return of_groups

    def moments(self):
        """Return mean and variance of ψ under q, noise included: float arrays (F, N)."""
        psi, square = self.matrix.moments()
        return psi, square - psi**2 + self.matrix.quadratic.added_variance()

    def expectation(self):
        """Return E[V] under q."""
        quadratic, N = self.matrix.quadratic, len(self.matrix.columns.mean)
        return self._model._predicted(quadratic, *self.moments(), np.arange(N))

    def predictive(self, rows, columns):
        """Return what is predicted of some entries under q, as the likelihood takes it."""
        psi, variance = (part[rows, columns] for part in self.moments())
        return self._model._prediction(self.matrix.quadratic, psi, variance, columns)

    def active_components(self):
        """Return how many components hold at least 1 % of all weight; see FactorModel.shares_of."""
        return int(np.count_nonzero(form.shares(self.factors()) >= ACTIVE_SHARE))
