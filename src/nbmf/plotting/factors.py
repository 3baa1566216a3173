"""Draw a fit: its factors, and what it says about the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix, say_range
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError, not_allowed
from nbmf.inference.parameters import check_count
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.plotting import overview, reconstructions
from nbmf.plotting.inputs import Fit, Oriented, factor_of, is_best_of_chains, matrix_of, model_of, oriented
from nbmf.plotting.shown import MOST_COMPONENTS, in_order_along_arch, shown_of
from nbmf.posterior.co_clustering import AXIS_NAMES
from nbmf.posterior.components import components_of
from nbmf.posterior.scale_axes import has_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES_LABEL = "coordinates, W and H scaled to the same size on each axis"
SCALE_LABEL = "positions and what a step changes, scaled to the same size on each axis"
SIDES = {"both": (0, 1), "rows": (0,), "columns": (1,)}


def dictionary(
    fit: Fit | Oriented,
    V: Any = None,
    *,
    side: str = "both",
    components: int | None = None,
    lines: int = 60,
    row_groups: Sequence[str] | None = None,
    column_groups: Sequence[str] | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> Axes | np.ndarray:
    """Draw W and H: one row for each row or column of V, a column per component; black is 1, white is 0.

    Rows are sorted by group, by the component they are most typical of, and by how typical. Components that are
    axes, with coordinates of both signs, are red above 0 and blue below: rows are sorted along the first of them,
    W and H are scaled to the same size on each, and axes on which nearly all rows are on one side come last, since
    they say how common ones are. Fits with a scale have its axes, see `scale`.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Fitted; of chains the best one is drawn.
    V : BinaryMatrix, array (F, N) or DataFrame, optional
        What it was fitted to: its groups, and what the prior alone would give components.
    side : {"both", "rows", "columns"}
    components : int, optional
        How many, by default the active ones; at most 15 are drawn.
    lines : int
        Of more rows or columns than this, the most distinctive are drawn; of axes so many along the first.
    row_groups, column_groups : str arrays (F,), (N,), optional
        Strips of colours next to the rows, with the number of all members of a group; by default the
        row groups of V.
    ax : axis, or two for both sides, optional

    Returns
    -------
    Axes, or for both sides an array of two: rows and columns

    Raises
    ------
    ConfigError
        If an argument has a value that is not allowed.
    DataError
        If there is not one group per row or column.
    """
    fit, high = oriented(fit)
    model = model_of(fit)
    if side not in SIDES:
        raise not_allowed("side", side, SIDES)
    check_count("lines", lines, 1)
    if components is not None:
        check_count("components", components, 1)
    matrix = matrix_of(model, V)
    groups = _row_groups(row_groups, matrix), column_groups
    shown = shown_of(model, matrix, groups, components, MOST_COMPONENTS, high)
    title, count = model.title + (", latent classes" if model.has_classes else ""), len(shown.headings)
    if count < shown.active:
        title += f": the first {count} of {shown.active} {'axes' if model.has_axes else 'active components'}"
    titles = [f"{AXIS_NAMES[axis]} ({'WH'[axis]}): {model.meanings[axis]}" for axis in (0, 1)]
    label = AXES_LABEL if model.has_axes else "; ".join(dict.fromkeys(model.meanings[axis] for axis in SIDES[side]))
    if has_scale(model):  # whose axes are turned: no longer W and H
        titles = [f"{AXIS_NAMES[0]}: positions", f"{AXIS_NAMES[1]}: what a step changes"]
        label = SCALE_LABEL
    factors = [shown.factors[axis]._replace(title=titles[axis]) for axis in SIDES[side]]
    axes = overview.draw_factors(factors, shown.headings, lines, title, label, ax)
    return np.array(axes) if side == "both" else axes[0]


def reconstruction(
    fit: Fit | Oriented,
    V: Any,
    *,
    row_groups: Sequence[str] | None = None,
    column_groups: Sequence[str] | None = None,
    ax: Sequence[Axes] | None = None,
) -> np.ndarray:
    """Draw V and E[V], rows and columns sorted alike; black is 1, white is 0, orange is missing.

    Both are sorted as in `dictionary`, but along an arch or a ring if rows lie on one. Strips along the edges are
    the components that rows and columns are most typical of, or of axes their positions on the first, and outside
    of these their groups. Counts and real numbers are drawn between their 0.5 % and 99.5 % quantiles; where no
    probability of a one is large, black is the largest of E[V]. Ordered categories are numbered as in
    `CategoryMatrix.lowest`.

    Parameters
    ----------
    fit : estimator, Draws or Chains
        Fitted; of chains E[V] is that of the best one.
    V : BinaryMatrix, array (F, N) or DataFrame
        What it was fitted to.
    row_groups, column_groups : str arrays (F,), (N,), optional
        By default the row groups of V.
    ax : two axes, optional

    Returns
    -------
    array of two Axes: V and E[V]

    Raises
    ------
    DataError
        If V has another shape than E[V], or there is not one group per row or column.
    """
    fit, high = oriented(fit)
    model = model_of(fit)
    matrix = matrix_of(model, V)
    if matrix is None:
        raise DataError("V: the matrix of the fit is needed, not None")
    values = np.where(matrix.observed, getattr(matrix, matrix.field), np.nan)
    expectation = model.expectation_
    groups = _row_groups(row_groups, matrix), column_groups
    if model.has_axes:
        factors = in_order_along_arch(model, matrix, shown_of(model, matrix, groups, high=high).factors, high)
    else:  # what all rows share is no component that a row is typical of
        ranked = components_of(model, matrix)
        factors = tuple(factor_of(ranked.model, axis, ranked.sorted_by, groups[axis], matrix) for axis in (0, 1))
    is_binary = model.likelihood is BERNOULLI
    label, lowest = "probability of a one, E[V]" if is_binary else "V and E[V]", 0
    if isinstance(matrix, CategoryMatrix):
        lowest, label = matrix.lowest, f"V and E[V], from {say_range(matrix.lowest, matrix.categories)}"
    drawn = values + lowest, expectation + lowest
    title = model.title + (f", best of {len(fit.estimators)} chains" if is_best_of_chains(fit) else "")
    return np.array(reconstructions.draw_reconstruction(*drawn, factors, title, label, ax, lowest))


def _row_groups(given: Sequence[str] | None, matrix: NamedMatrix | None) -> Sequence[str] | None:
    return matrix.row_groups if given is None and matrix is not None else given
