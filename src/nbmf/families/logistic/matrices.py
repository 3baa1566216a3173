"""Matrices between sides: one, or several that share sets of rows or columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nbmf.families.logistic.factor_posteriors import FactorizedPosterior, FactorPosterior, SideData
from nbmf.families.logistic.quadratic import PolyaGamma, Quadratic
from nbmf.numerics.normal_effects import INTERCEPT_VARIANCE


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix between two sides: ψ = Σ_c u_c v_c over pairs of coordinates.

    Parameters
    ----------
    quadratic : Quadratic
        Its likelihood.
    rows, columns : FactorPosterior
    row_coordinates, column_coordinates : int arrays (C,) or None
        The coordinates of u and those of v that are multiplied; None: all in their order.
    """

    quadratic: Quadratic
    rows: FactorPosterior
    columns: FactorPosterior
    row_coordinates: np.ndarray | None = None
    column_coordinates: np.ndarray | None = None

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return <ψ> and <ψ²> under q, float arrays (F, N)."""
        return self.rows.moments(self.rows.parts(self.row_coordinates), self.columns.parts(self.column_coordinates))

    def seen_by(self, side: FactorPosterior, alone: bool) -> SideData:
        """Return what one of its sides has to know for an update, h and w renewed.

        `alone` says that the side has no other matrix, so that the compiled kernel serves.
        """
        are_rows = side is self.rows
        other = self.columns if are_rows else self.rows
        own_places, places = self.row_coordinates, self.column_coordinates
        if not are_rows:
            own_places, places = places, own_places
        mean, spread = side.placed(other.parts(places), own_places, side.mean.shape[1])
        likelihood = self.quadratic
        if alone and isinstance(side, FactorizedPosterior) and isinstance(likelihood, PolyaGamma):
            return SideData(None, None, None, mean, spread, likelihood.as_rows(are_rows))
        psi, square = self.moments()
        likelihood.refresh(psi, square)
        arrays = likelihood.h, likelihood.w, psi
        return SideData(*(arrays if are_rows else (array.T for array in arrays)), mean, spread)


class SharedLevel(NamedTuple):
    """What effects of rows and effects of columns can pass to each other: ψ stays as it is.

    rows, columns : FactorPosterior
        The intercept is that of the columns.
    row_effect, column_effect : int
        Their coordinates.
    """

    rows: FactorPosterior
    columns: FactorPosterior
    row_effect: int
    column_effect: int

    def move(self) -> None:
        """Take d from all row effects and add it to all column effects and the intercept: the best d for the bound."""
        precision, m = self.rows.precision[self.row_effect], self.columns.center[self.column_effect]
        effects, of_intercept = self.rows.mean[:, self.row_effect], 1.0 / INTERCEPT_VARIANCE
        if self.rows.groups is not None:  # row effects vary around those of their groups
            effects = effects - self.rows.groups.row_moments[0][:, self.row_effect]
        d = (precision * effects.sum() - of_intercept * m) / (precision * effects.size + of_intercept)
        self.rows.shift(self.row_effect, -d)
        self.columns.shift(self.column_effect, d)
        self.columns.center[self.column_effect] += d


class Ascent:
    """Updates of q until nobody asks for more.

    Parameters
    ----------
    matrices : sequence of Matrix
        Sides are updated in the order in which they occur, rows before columns.
    step : float
        Of the factorized approximation; 0 for the best along its direction.
    levels : sequence of functions
        What effects can pass to each other: each takes the best step, where a matrix has an intercept.
    """

    def __init__(self, matrices: Sequence[Matrix], step: float = 0.0, levels: Sequence[Callable[[], None]] = ()):
        self.matrices, self.step, self.levels = list(matrices), step, list(levels)
        self.sides = list(dict.fromkeys(side for one in matrices for side in (one.rows, one.columns)))

    def update(self, times: int = 1) -> None:
        """Update everything, so many times."""
        for _ in range(times):
            for block in self.blocks():
                block()

    def blocks(self):
        """Return the updates of an iteration in their order: none lowers the bound."""
        updates = [lambda side=side: self._update(side) for side in self.sides]
        updates += self.levels
        updates += [side.learn_center for side in self.sides if side.coordinates.carrier is not None]
        updates += [side.learn_precision for side in self.sides if side.coordinates.learned.size]
        for side in self.sides:
            if side.groups is not None:
                updates += [lambda side=side: side.groups.learn_means(side), side.groups.learn_precisions]
        return updates + [
            lambda one=one: one.quadratic.learn(*one.moments()) for one in self.matrices if one.quadratic.learns
        ]

    def _update(self, side: FactorPosterior) -> None:
        matrices = [one for one in self.matrices if side in (one.rows, one.columns)]
        side.update([one.seen_by(side, alone=len(matrices) == 1) for one in matrices], self.step)

    def bound(self) -> float:
        """Return the evidence lower bound in nats."""
        fit = sum(one.quadratic.bound(*one.moments()) for one in self.matrices)
        return fit - sum(side.divergence() for side in self.sides)
