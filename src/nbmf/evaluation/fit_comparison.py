"""Two fits side by side: which components are the same, which rows moved, and which predicts better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError
from nbmf.evaluation.baselines import baselines_of
from nbmf.evaluation.described_fit import FitDescription, describe_fit
from nbmf.evaluation.held_out import describe_shortage, held_out_losses
from nbmf.evaluation.linked_positions import FEWEST, rescale_positions
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import describe_count
from nbmf.inference.state import Monitor
from nbmf.numerics.clustered_errors import one_sided_p
from nbmf.posterior.scale import Scale

UNKNOWN = -2  # the place of a category that the other matrix does not have


class PredictionComparison(NamedTuple):
    """How two fits predict the same entries, held out of both: mean losses in nats, and their difference.

    first, second : float
    lead : float, by how much the loss of the first is smaller
    error : float, its standard error
    p : float, the probability of so large a difference, of either sign, by chance
    entries : int
    """

    first: float
    second: float
    lead: float
    error: float
    p: float
    entries: int


@dataclass(frozen=True, eq=False)
class FitComparison:
    """Two fits, as far as they have rows and columns in common.

    first, second : FitDescription, of the rows and columns in common, in the same order
    only : tuple of four int, rows of the first and second alone, and columns
    differing : int, entries that both have and that differ
    matched : DataFrame with a row per pair of components: first, second, rows, columns (correlations); NaN and ""
        where one has no partner, or too few are in common
    rows : DataFrame with a row per row in common: row, first, second, moved; None where nobody can say who moved
    how_moved : str, what it is to have moved, or why nobody can say
    prediction : PredictionComparison or None
    not_predicted : str, why there is none
    """

    first: FitDescription
    second: FitDescription
    only: tuple[int, int, int, int]
    differing: int
    matched: pd.DataFrame
    rows: pd.DataFrame | None
    how_moved: str
    prediction: PredictionComparison | None = None
    not_predicted: str = ""


class Fit(NamedTuple):
    """A fitted model, its matrix, names of its components if it has any, and its scale if that comes from draws."""

    model: Factorization
    matrix: NamedMatrix
    names: Sequence[str] = ()
    scale: Scale | None = None


def compare_fits(
    first: Fit,
    second: Fit,
    *,
    predict: bool = True,
    seed: int = 0,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> FitComparison:
    """Compare two fits of matrices with rows or columns in common, by their names.

    Components are matched one to one, so that the correlations of what they say about rows and about columns are
    largest; axes up to their signs. A row moved if its main component is not matched with that of the other fit, or if
    the intervals of its positions on an axis do not overlap. Which predicts better is seen on entries held out of
    both, see `nbmf.verdict`: with the settings of each, fits to the rows and columns in common, of which entries that
    differ are left out.

    Parameters
    ----------
    first, second : Fit
    predict : bool
        Whether to hold entries out.
    seed : int
        Of these.
    monitor_of : function, optional
        From the number of a fit and their count to its monitor.

    Raises
    ------
    DataError
        If the two have neither rows nor columns in common.
    """
    places = [_common_places(*names) for names in zip(_names(first.matrix), _names(second.matrix), strict=True)]
    (rows_1, rows_2), (columns_1, columns_2) = places
    if len(rows_1) < FEWEST and len(columns_1) < FEWEST:
        common = f"{len(rows_1)} rows and {len(columns_1)} columns in common"
        raise DataError(f"the two fits have {common}; needed are {FEWEST} of either")
    ours = describe_fit(*first).take(rows_1, columns_1)
    theirs = describe_fit(*second).take(rows_2, columns_2)
    pairs, matched = _match_components(ours, theirs)
    shared, differing = _shared_values(first.matrix, second.matrix, places)
    prediction, why = None, "not asked for"
    if predict:
        prediction, why = _compare_predictions((first, second), shared, places, seed, monitor_of)
    shapes = zip(first.matrix.shape, second.matrix.shape, (len(rows_1), len(columns_1)), strict=True)
    only = tuple(size - common for one, other, common in shapes for size in (one, other))
    return FitComparison(ours, theirs, only, differing, matched, *_compare_rows(ours, theirs, pairs), prediction, why)


def _names(matrix: NamedMatrix) -> tuple[np.ndarray, np.ndarray]:
    return matrix.row_names, matrix.column_names


def _common_places(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places in either of names that both have, in the order of the first."""
    _, ours, theirs = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    order = np.argsort(ours)
    return ours[order], theirs[order]


def _match_components(
    first: FitDescription, second: FitDescription
) -> tuple[list[tuple[int, int, float]], pd.DataFrame]:
    """Return pairs of components with the sign of their correlation, and the table of them and the others."""
    by_rows, by_columns = (
        _correlations(ours, theirs)
        for ours, theirs in ((first.row_values, second.row_values), (first.column_values, second.column_values))
    )
    may_turn = first.are_axes or second.are_axes  # which end of an axis is high is a convention
    both = np.stack([by_rows, by_columns])
    agreement = np.nanmean(np.abs(both) if may_turn else both, axis=0) if both.size else by_rows
    signs = np.where(np.isnan(by_rows), by_columns, by_rows)
    pairs = [
        (int(i), int(j), -1.0 if may_turn and signs[i, j] < 0 else 1.0)
        for i, j in zip(*linear_sum_assignment(agreement, maximize=True), strict=True)
    ]
    table = [(first.names[i], second.names[j], by_rows[i, j], by_columns[i, j]) for i, j, _ in pairs]
    table += [(name, "", np.nan, np.nan) for i, name in enumerate(first.names) if i not in [pair[0] for pair in pairs]]
    table += [("", name, np.nan, np.nan) for j, name in enumerate(second.names) if j not in [pair[1] for pair in pairs]]
    return pairs, pd.DataFrame(table, columns=["first", "second", "rows", "columns"])


def _correlations(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return the correlation of each column of X (n, A) with each of Y (n, B); 0 of constants, NaN of too few."""
    if len(X) < FEWEST:
        return np.full((X.shape[1], Y.shape[1]), np.nan)
    X, Y = (values - values.mean(axis=0) for values in (X.astype(float), Y.astype(float)))
    sizes = np.outer(np.linalg.norm(X, axis=0), np.linalg.norm(Y, axis=0))
    return np.divide(X.T @ Y, sizes, out=np.zeros(sizes.shape), where=sizes > 0)


def _compare_rows(
    first: FitDescription, second: FitDescription, pairs: list[tuple[int, int, float]]
) -> tuple[pd.DataFrame | None, str]:
    """Return where each row in common is in both fits and whether it moved, and what that means."""
    if not pairs:
        return None, "one of the fits shows no component, so that no row can be said to have moved"
    if first.are_axes is not second.are_axes:
        return None, "one shows groups and the other a scale, so that no row can be said to have moved"
    if not first.are_axes:
        return _compare_main_components(first, second, pairs), "another main component"
    if not (first.is_scale and second.is_scale):
        return None, "positions have no intervals, so that no row can be said to have moved"
    return _compare_positions(first, second, sorted(pairs))


def _compare_main_components(
    first: FitDescription, second: FitDescription, pairs: list[tuple[int, int, float]]
) -> pd.DataFrame:
    """Return the main component of each row in both fits; a row moved if they are not matched."""
    partner = {i: j for i, j, _ in pairs}
    like = {j: first.names[i] for i, j in partner.items()}
    places = np.arange(len(first.main))
    columns = {
        "first": np.array(first.names)[first.main],
        f"{_unit(first)} in first": first.row_values[places, first.main],
        "second": np.array(second.names)[second.main],
        "as in first": [like.get(int(j), "") for j in second.main],
        f"{_unit(second)} in second": second.row_values[places, second.main],
    }
    moved = [partner.get(int(i)) != j for i, j in zip(first.main, second.main, strict=True)]
    return pd.DataFrame({"row": first.row_names, **columns, "moved": moved})


def _unit(fit: FitDescription) -> str:
    return "share" if fit.are_shares else "weight"


def _compare_positions(
    first: FitDescription, second: FitDescription, pairs: list[tuple[int, int, float]]
) -> tuple[pd.DataFrame, str]:
    """Return the positions of rows on the axes of both fits; a row moved if its intervals on one do not overlap.

    "first" and "second" are those on the axis on which a row's intervals are farthest apart, or overlap least. Those
    of the second fit are shifted and stretched so that most rows in common are where they are in the first: where 0 and
    1 are depends on the other rows of a fit.
    """
    axes, gaps, positions = [], [], {}
    for i, j, sign in pairs:
        ends = (sign * second.lower[:, j], sign * second.upper[:, j])
        here, *ends = rescale_positions(first.row_values[:, i], sign * second.row_values[:, j], *ends)
        lower, upper = sorted(ends, key=lambda end: end.sum())
        axes.append(first.names[i] if first.names[i] == second.names[j] else f"{first.names[i]} and {second.names[j]}")
        gaps.append(np.maximum(lower - first.upper[:, i], first.lower[:, i] - upper))
        positions |= {f"first on {axes[-1]}": first.row_values[:, i], f"second on {axes[-1]}": here}
    farthest, rows = np.argmax(gaps, axis=0), np.arange(len(first.row_names))
    both = [np.array([positions[f"{end} on {axis}"] for axis in axes])[farthest, rows] for end in ("first", "second")]
    columns = {"row": first.row_names, "first": both[0], "second": both[1]}
    if len(pairs) > 1:
        columns |= {"axis": np.array(axes)[farthest], **positions}
    table = pd.DataFrame({**columns, "moved": np.max(gaps, axis=0) > 0})
    return table, f"intervals on {' or '.join(axes)} that do not overlap"


def _shared_values(
    first: NamedMatrix, second: NamedMatrix, places: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray | None, int]:
    """Return the values that both matrices have, NaN elsewhere, and how many differ; None of other kinds."""
    if type(first) is not type(second) or first.dense is not None:
        return None, 0
    here, there = (np.ix_(rows, columns) for rows, columns in zip(*places, strict=True))
    ours, theirs = getattr(first, first.field)[here], _align_categories(first, second)[there]
    both = first.observed[here] & second.observed[there]
    return np.where(both & (ours == theirs), ours, np.nan), int(np.count_nonzero(both & (ours != theirs)))


def _align_categories(first: NamedMatrix, second: NamedMatrix) -> np.ndarray:
    """Return the values of the second matrix, categories by the places that their names have in the first."""
    values = getattr(second, second.field)
    if not isinstance(first, CategoryMatrix):
        return values
    places = {name: place for place, name in enumerate(first.categories)}
    return np.array([*(places.get(name, UNKNOWN) for name in second.categories), MISSING])[values]  # MISSING is -1


def _compare_predictions(
    fits: tuple[Fit, Fit],
    shared: np.ndarray | None,
    places: list[tuple[np.ndarray, np.ndarray]],
    seed: int,
    monitor_of: Callable | None,
) -> tuple[PredictionComparison | None, str]:
    """Return how two methods predict the same entries; None, and why, if they do not predict the same."""
    first, second = (fit.model for fit in fits)
    if shared is None or first.likelihood.matrix is not second.likelihood.matrix:
        return None, "the two are of different kinds of matrices, or of ones without their zeros"
    if not (baselines_of(first.likelihood) and baselines_of(second.likelihood)):
        return None, "one of them predicts no probability of an entry"
    observed = ~np.isnan(shared)
    rows, columns = np.flatnonzero(observed.any(axis=1)), np.flatnonzero(observed.any(axis=0))
    values = shared[np.ix_(rows, columns)]
    few = describe_shortage(values, first.likelihood) if values.size else describe_count(0, in_pairs=False)
    if few is not None:
        return None, f"only {few} are the same in both"
    if len(np.unique(shared[observed])) == 1:
        return None, f"all {observed.sum()} entries that are the same in both have one value"
    (rows_of, columns_of), matrix = places, fits[0].matrix
    names = matrix.row_names[rows_of[0][rows]], matrix.column_names[columns_of[0][columns]]
    V = first.likelihood.matrix.from_array(values, *names)
    parts = [fit.model.for_part(rows_of[number][rows], columns_of[number][columns]) for number, fit in enumerate(fits)]
    tested = held_out_losses(V, parts, seed, monitor_of)
    measure, (ours, theirs) = tested.measure, tested.losses
    lead = theirs - ours
    mean, error = measure.mean(lead), measure.error(lead)
    p = min(1.0, 2 * one_sided_p(abs(mean), error, measure.degrees_of_freedom(lead))) if error > 0 else float(mean == 0)
    return PredictionComparison(measure.mean(ours), measure.mean(theirs), mean, error, p, tested.entries), ""
