"""New rows of a fitted matrix: matched by names of columns, with intervals of their memberships."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError, Setting
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.ordered import ORDERED
from nbmf.posterior.components import components_of, merge_components, names_or_defaults
from nbmf.posterior.groups import main_components_of
from nbmf.posterior.row_weights import posterior_row_weights
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_axes import has_scale, remove_row_effects

LINKED = 1000  # rows of the fit at most, to which positions of new ones are linked
MEMBERSHIPS, POSITIONS, WEIGHTS = "memberships", "positions", "weights"


class NewRows(NamedTuple):
    """New rows with the columns of a fit, in its order.

    values : int array (F', N), MISSING where there is nothing
    names : str array (F',)
    absent : list of str, columns of the fit that the new matrix does not have, and that are missing
    unused : list of str, its columns that the fit does not have
    empty : list of str, its rows that have nothing in the columns of the fit; they are left out
    by_place : bool, whether columns were matched by their places, since the fit knows no names
    groups : str array (F',), the group of each row, or None
    zeros : list of str, columns of the fit that the new matrix does not have, and that are 0
    """

    values: np.ndarray
    names: np.ndarray
    absent: list[str]
    unused: list[str]
    empty: list[str]
    by_place: bool = False
    groups: np.ndarray | None = None
    zeros: Sequence[str] = ()

    @property
    def observed(self) -> np.ndarray:
        """Where there is a value, bool array (F', N)."""
        return self.values != MISSING


class ColumnMatch(NamedTuple):
    """The columns of a fit among those of new rows.

    place : int array (N,), of each column of the fit among the new ones, -1 where it is not there
    is_zero : bool array (N,), columns that are not there, and are 0; others that are not there are missing
    """

    place: np.ndarray
    is_zero: np.ndarray

    @property
    def is_missing(self) -> np.ndarray:
        """Columns that are not there, and are missing, bool array (N,)."""
        return (self.place < 0) & ~self.is_zero


def match_columns(
    matrix: NamedMatrix, names: np.ndarray, *, absent: int = MISSING, unobserved: Collection[str] = ()
) -> ColumnMatch:
    """Return where the columns of a fit, by their names, are in a matrix of new rows; see `new_rows`."""
    place_of = {str(name): place for place, name in enumerate(matrix.column_names)}
    place = np.array([place_of.get(str(name), -1) for name in names])
    if not (place >= 0).any():
        is_turned = bool(set(map(str, matrix.row_names)) & set(map(str, names)))
        help = ("; rows have such names: ", Setting("transpose", True), " lets them be columns") if is_turned else ()
        given = f"there is {str(matrix.column_names[0])!r}"
        raise DataError(f"no column has the name of one of the fit, such as {str(names[0])!r}; {given}", *help)
    left_out = set(map(str, unobserved))
    is_known = np.array([str(name) not in left_out for name in names])
    return ColumnMatch(place, (place < 0) & is_known & (absent == 0))


def new_rows(
    matrix: NamedMatrix,
    names: np.ndarray | None,
    n_columns: int,
    *,
    absent: int = MISSING,
    unobserved: Collection[str] = (),
) -> NewRows:
    """Return the rows of a matrix with the columns of a fit.

    Parameters
    ----------
    matrix : BinaryMatrix or CountMatrix
    names : str array (N,) or None
        Of the columns of the fit, where it knows them.
    n_columns : int
        N.
    absent : {MISSING, 0}
        What entries in columns are that the new matrix does not have: a list of ones has no columns of zeros.
    unobserved : collection of str
        Columns whose entries are missing whatever `absent` says.

    Raises
    ------
    DataError
        If no column of the fit is there, or where it knows no names not as many.
    """
    given, values = matrix.column_names, getattr(matrix, matrix.field)
    if names is None:
        if values.shape[1] != n_columns:
            needed = f"the fit knows no names of columns, so that {n_columns} are needed, in its order"
            raise DataError(f"{values.shape[1]} columns; {needed}")
        return NewRows(values, matrix.row_names, [], [], [], by_place=True, groups=matrix.row_groups)
    columns = match_columns(matrix, names, absent=absent, unobserved=unobserved)
    aligned = np.where(columns.place >= 0, values[:, columns.place], np.where(columns.is_zero, 0, MISSING))
    is_empty = (aligned == MISSING).all(axis=1)
    known = set(map(str, names))
    return NewRows(
        aligned[~is_empty],
        matrix.row_names[~is_empty],
        [str(name) for name in names[columns.is_missing]],
        [str(name) for name in given if str(name) not in known],
        [str(name) for name in matrix.row_names[is_empty]],
        groups=None if matrix.row_groups is None else matrix.row_groups[~is_empty],
        zeros=[str(name) for name in names[columns.is_zero]],
    )


class Placement(NamedTuple):
    """Where new rows are in a fit.

    kind : str, MEMBERSHIPS or POSITIONS, which have intervals, or WEIGHTS
    names : list of str, of the A components or axes
    values, lower, upper : float arrays (F', A); the ends are None of WEIGHTS
    expectation : float array (F', N), E[V] of all entries
    kept : int, how many of the A are reported for the fit
    main : int array (F',), the component that each row is most typical of; None on axes
    compared : float array (F', N), by which rows are near each other, where that is not E[V]: see `remove_row_effects`
    chances : float array (M, C), the probability of every category of the missing entries, row by row; None where
        values are no ordered categories
    """

    kind: str
    names: list[str]
    values: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    expectation: np.ndarray
    kept: int
    main: np.ndarray | None = None
    compared: np.ndarray | None = None
    chances: np.ndarray | None = None


def place_rows(
    model: Factorization,
    rows: NewRows,
    *,
    matrix: NamedMatrix | None = None,
    scale: Scale | None = None,
    names: Sequence[str] = (),
    level: float = 0.9,
    seed: int = 0,
) -> Placement:
    """Return where new rows are among the components, or on the axes, of a fit.

    The factors of the columns are taken as known; where the model has groups, rows are of theirs. Memberships are
    those of `posterior_row_weights`, positions those of `Scale.place`, linked to the positions of the fit, and
    weights of other models those of fold-in.

    Parameters
    ----------
    model : Factorization
        Fitted.
    rows : NewRows
    matrix : NamedMatrix, optional
        What it was fitted to: without it there is no scale, and the order of components may be another one than in
        the report of the fit.
    scale : Scale, optional
        That of the fit, where positions come from draws; otherwise it is made of model and matrix.
    names : sequence of str
        Of components or axes, instead of "component 1", ...
    level, seed : float, int

    Raises
    ------
    NotSupportedError
        If the model has no fold-in of new rows.
    """
    V = np.where(rows.observed, rows.values, np.nan)
    components = components_of(model, matrix)
    if (prior := model.rows_prior_) is not None:
        prior = np.array([prior[places].sum() for places in components.members])
        weights = posterior_row_weights(rows.values, components.model.H_, prior, level=level, seed=seed)
        called = names_or_defaults(components.names(), names)[: components.active]
        expectation = weights.mean @ components.model.H_
        shares, lower, upper = (each[:, : components.active] for each in weights)
        ends = np.minimum(lower, shares), np.maximum(upper, shares)  # the mean of a skewed share may lie outside
        main = shares.argmax(axis=1) if called else None
        return Placement(MEMBERSHIPS, called, shares, *ends, expectation, components.active, main)
    groups = () if model.row_groups_ is None else (rows.groups,)
    factors = model.factors_of_rows(V, *groups)
    expectation = model.predict_rows(V, *groups) if model.averages_new_rows else model.mean(factors)
    chances = model.predictive_of(factors, *np.nonzero(~rows.observed)) if model.likelihood is ORDERED else None
    if matrix is not None and matrix.dense is None and has_scale(model):
        scale = scale or scale_of(model, matrix, level=level)
        positions = _link_positions(scale.place(factors, rows.observed), scale, model, matrix)
        compared = None
        if scale.has_counts and scale.has_row_effects:
            compared = remove_row_effects(expectation, factors, scale.mean_row_effect)
        called = names_or_defaults(scale.names, names)
        return Placement(POSITIONS, called, *positions, expectation, scale.kept, compared=compared, chances=chances)
    shown = components.members[: components.active]
    weights = merge_components(model, factors.W.T, shown, "W").T
    called = names_or_defaults(components.names(), names)[: len(shown)]
    has_main = bool(called) and not model.has_axes
    main = main_components_of(components.model, np.arange(len(shown)), rows=weights) if has_main else None
    return Placement(WEIGHTS, called, weights, None, None, expectation, len(shown), main, chances=chances)


def _link_positions(
    placed: tuple[np.ndarray, np.ndarray, np.ndarray], scale: Scale, model: Factorization, matrix: NamedMatrix
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions and ends of new rows in units of the fit: shifted and stretched on each axis that is kept.

    Fold-in takes columns as known, so its positions spread more or less than those of a fit, which does not. The line
    from the ones to the others is that of the rows of the fit, treated as new ones; widths of intervals stay.
    """
    F, kept = matrix.shape[0], scale.kept
    sample = np.unique(np.linspace(0, F - 1, min(F, LINKED)).astype(int))
    observed = matrix.observed[sample]
    groups = () if model.row_groups_ is None else (model.row_groups_[sample],)
    V = np.where(observed, getattr(matrix, matrix.field)[sample], np.nan)
    folded = scale.positions_of(model.factors_of_rows(V, *groups))[:, :kept]
    target = scale.positions[sample, :kept]
    covariance = ((folded - folded.mean(axis=0)) * (target - target.mean(axis=0))).mean(axis=0)
    slope = np.divide(covariance, folded.var(axis=0), out=np.ones(kept), where=covariance > 0)
    positions, lower, upper = (each.copy() for each in placed)
    linked = target.mean(axis=0) + slope * (positions[:, :kept] - folded.mean(axis=0))
    shift = linked - positions[:, :kept]
    for each in (positions, lower, upper):
        each[:, :kept] += shift
    return positions, lower, upper
