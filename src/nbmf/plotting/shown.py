"""The components of a fit as pictures show them: which, in which order, and what is written above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.numerics.percent import percent
from nbmf.plotting.inputs import factor_of
from nbmf.plotting.labelled_factor import LabelledFactor
from nbmf.posterior.components import components_of
from nbmf.posterior.scale import scale_of
from nbmf.posterior.scale_axes import axes_of, check_rows, has_scale, orient_axes
from nbmf.posterior.scale_rotation import choose_reported_axes
from nbmf.posterior.scale_tables import shape_of_scale

MOST_COMPONENTS = 15  # beyond which columns are too narrow for their headings
INTERCEPT = "how common\neach column is"  # the heading of an axis on which all rows are on one side


class Shown(NamedTuple):
    """Both factors with the components that are drawn.

    factors : tuple of LabelledFactor, of the rows and of the columns
    headings : list of str, of the components
    active : int, how many active ones there are, drawn or not
    """

    factors: tuple[LabelledFactor, LabelledFactor]
    headings: list[str]
    active: int


def shown_of(
    model: Factorization,
    matrix: NamedMatrix | None,
    groups: Sequence[Sequence[str] | None] = (None, None),
    components: int | None = None,
    most: int | None = None,
    high: Sequence[str] = (),
) -> Shown:
    """Return the first components of a fit, by default the active ones, as they are drawn.

    Parameters
    ----------
    model : Factorization
        Fitted.
    matrix : NamedMatrix, optional
        What it was fitted to.
    groups : pair of str arrays or None
        Of rows and of columns.
    components : int, optional
        How many.
    most : int, optional
        How many at most.
    high : sequence of str
        Rows at the high ends of the first axes of a scale, whose matrix is given then.

    Raises
    ------
    ConfigError
        If a row of `high` is not one of the matrix.
    DataError
        If there is not one group per row or column.
    """
    if has_scale(model):
        return _shown_axes(model, matrix, groups, components, most, high)
    ranked = components_of(model, matrix)
    count = min(ranked.active if components is None else components, len(ranked.members))
    count = count if most is None else min(count, most)
    places, n_axes = np.arange(count), None
    if model.has_axes:
        places = np.argsort([bool(axis) for axis in ranked.intercepts[:count]], kind="stable")
        n_axes = ranked.intercepts[:count].count("")
    rows, columns = (factor_of(ranked.model, axis, places, groups[axis], matrix) for axis in (0, 1))
    if n_axes is None:
        return Shown((rows, columns), ranked.labels(count), ranked.active)
    W, H = balanced(rows.weights, columns.weights)
    factors = rows._replace(weights=W, axes=n_axes), columns._replace(weights=H, axes=n_axes)
    headings = [INTERCEPT if ranked.intercepts[k] else ranked.labels(count)[k] for k in places]
    return Shown(factors, headings, ranked.active)


def _shown_axes(model, matrix, groups, components, most, high) -> Shown:
    """Return the axes of a scale as its report has them, rotated and signed; without a matrix the principal ones."""
    axes = axes_of(model.factors_)
    if matrix is None:
        axes = orient_axes(axes)
    else:
        axes = orient_axes(choose_reported_axes(axes, matrix)[0], check_rows(high, matrix.row_names))
    shares = axes.sizes / axes.sizes.sum()
    active = int(np.count_nonzero(shares >= ACTIVE_SHARE))
    count = min(active if components is None else components, len(shares), len(shares) if most is None else most)
    weights = balanced(axes.places[:, :count], axes.loadings[:, :count])
    rows, columns = (
        factor_of(model, axis, np.arange(0), groups[axis], matrix)._replace(weights=weights[axis], axes=count)
        for axis in (0, 1)
    )
    columns = columns._replace(level=axes.intercepts)
    headings = [f"axis {number}\n{percent(share)}" for number, share in enumerate(shares[:count], start=1)]
    return Shown((rows, columns), headings, active)


def in_order_along_arch(
    model: Factorization, matrix: NamedMatrix, factors: tuple[LabelledFactor, LabelledFactor], high: Sequence[str] = ()
) -> tuple[LabelledFactor, LabelledFactor]:
    """Return the factors with places along the arch or the ring on which rows lie, if they do.

    A column is at the mean of the places of rows, weighted by E[V]: at its optimum by weighted averaging (ter Braak and
    Looman, "Weighted averaging, logistic regression and the Gaussian response model", Vegetatio 65, 1986).
    """
    scale = scale_of(model, matrix, high=high) if has_scale(model) else None
    along = None if scale is None or scale.kept == 1 else shape_of_scale(scale).along
    if along is None:
        return factors
    rows, columns = factors
    expectation = model.expectation_
    optima = along @ expectation / expectation.sum(axis=0)
    return rows._replace(place=along), columns._replace(place=optima)


def balanced(W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W (F, K) and H transposed (N, K), on each axis of the same size; their product stays.

    A fit is free to have large coordinates of rows and small ones of columns, or the other way round; their
    product is what counts. The size is the root of the mean square: where coordinates have the mean 0, as those of
    rows have next to column effects, it is their standard deviation.
    """
    of_rows, of_columns = (np.sqrt(np.square(X).mean(axis=0)) for X in (W, H))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.sqrt(of_columns / of_rows)
    factor = np.where(np.isfinite(factor) & (factor > 0), factor, 1.0)
    return W * factor, H / factor
