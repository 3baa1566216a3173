"""Components against groups that are known otherwise: parties, continents, diagnoses."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.data.names import NO_GROUP, texts_of_labels
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.posterior.co_clustering import AXIS_NAMES

FLAT = 0.1  # of the largest standard deviation of a component over rows, or columns
PARTS = 20  # of the rows or columns, each of which the jackknife leaves out


class Association(NamedTuple):
    """How far groups and main components of rows, or columns, predict each other.

    value : float, adjusted mutual information (Vinh, Epps and Bailey, JMLR 11, 2010): 0 on average
        where they have nothing to do with each other, 1 where each determines the other
    error : float, its standard error by the jackknife over rows or columns
    """

    value: float
    error: float


def main_components(W: np.ndarray, are_shares: bool) -> np.ndarray:
    """Return the component that each row is most typical of, int array (F,).

    Of distributions that with the largest share; of other weights that in which the row exceeds
    the mean of all rows most, since a component may be large everywhere.

    Parameters
    ----------
    W : float array (F, K)
        K >= 1.
    """
    return np.argmax(W if are_shares else W - W.mean(axis=0), axis=1)


def main_components_of(
    model: Factorization, places: np.ndarray | None = None, axis: int = 0, rows: np.ndarray | None = None
) -> np.ndarray:
    """Return the component that each row (axis 0) or column (1) of a fit is most typical of.

    Of probabilities of a one it is that which sets the row or column apart most: of the largest √π_k times
    by how much it exceeds the mean of all rows or columns, where π_k is the component's share. Components that say
    nearly the same of all are none of these.

    Parameters
    ----------
    model : Factorization
        Fitted.
    places : int array, optional
        Components of W_ and H_; the result numbers them from 0 in this order. Default: all.
    axis : int
    rows : float array (F', places), optional
        The weights of new rows, which are compared with the mean of those of the fit.

    Returns
    -------
    int array (F,) or (N,), or (F',) of new rows; -1 where there is no component
    """
    X, factor = _weights(model, places, axis), "WH"[axis]
    of = X if rows is None else rows
    if not X.shape[1]:
        return np.full(len(of), -1)
    if factor in model.distributions:
        return main_components(of, are_shares=True)
    scale, shares = 1.0, model.shares_of(Factors(model.W_, model.H_))
    if shares is not None and factor in model.probabilities:
        scale = np.sqrt(shares if places is None else shares[places])
    excess = X * scale - (X * scale).mean(axis=0) if rows is None else (of - X.mean(axis=0)) * scale
    if factor in model.probabilities:
        excess[:, _are_flat(X)] = -np.inf
    return np.argmax(excess, axis=1)


def _are_flat(X: np.ndarray) -> np.ndarray:
    """Return which components say nearly the same of all rows, bool array (K,).

    None is typical of these: where a row has no ones all others are below their means, and a flat one seems to be its.
    """
    spread = X.std(axis=0)
    return spread < FLAT * spread.max()


def _weights(model: Factorization, places: np.ndarray | None, axis: int) -> np.ndarray:
    """Return W, or H transposed, with some components."""
    X = model.W_ if axis == 0 else model.H_.T
    return X if places is None else X[:, places]


def summarize_groups(
    model: Factorization,
    groups: np.ndarray,
    components: np.ndarray | None = None,
    axis: int = 0,
    *,
    coordinates: np.ndarray | None = None,
) -> pd.DataFrame:
    """Return what each component is to each group of rows, or of columns.

    Parameters
    ----------
    model : Factorization
        Fitted.
    groups : str array (F,) or (N,)
        The group of each row, or column.
    components : int array, optional
        Places of the components in W_ and H_, in the order of the table; default: all.
    axis : int
        0 for rows, 1 for columns.
    coordinates : float array (F, A) or (N, A), optional
        On the axes of a scale, instead of components: positions of rows, or discriminations of columns.

    Returns
    -------
    DataFrame
        component (from 1, in that order), group, size (of the group), rows or columns (those
        most typical of the component; not of coordinates, since all are somewhere on every axis) and mean (of W,
        or H, over the group: a share, a probability of a one or a coordinate, see `meanings`); of coordinates also
        error, the standard error of the mean (NaN of a group of one).

    Raises
    ------
    DataError
        If there is not one group per row or column.
    """
    groups = texts_of_labels(groups)
    X = _weights(model, components, axis) if coordinates is None else coordinates
    if groups.shape != (len(X),):
        raise DataError(f"groups: {groups.size} given for {len(X)} {AXIS_NAMES[axis]}")
    are_coordinates = coordinates is not None or model.has_axes
    main = None if are_coordinates else main_components_of(model, components, axis)
    names, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.lexsort((names, -sizes))
    rows = [
        {
            "component": k + 1,
            "group": str(names[g]),
            "size": int(sizes[g]),
            **({} if main is None else {AXIS_NAMES[axis]: int(np.count_nonzero((number == g) & (main == k)))}),
            "mean": float(X[number == g, k].mean()),
            **({"error": _standard_error(X[number == g, k])} if are_coordinates else {}),
        }
        for k in range(X.shape[1])
        for g in order
    ]
    counted = [] if main is None else [AXIS_NAMES[axis]]
    last = ["mean", "error"] if are_coordinates else ["mean"]
    return pd.DataFrame(rows, columns=["component", "group", "size", *counted, *last])


def association_of(
    model: Factorization, groups: np.ndarray, components: np.ndarray | None = None, axis: int = 0, seed: int = 0
) -> Association | None:
    """Return how far groups separate main components; None with a single group or component.

    Rows or columns without a group, "", are left out.

    Parameters
    ----------
    model, groups, components, axis
        As for `summarize_groups`.
    seed : int
        Of the order in which rows or columns are left out.
    """
    from sklearn.metrics import adjusted_mutual_info_score  # which few need, and takes a second

    groups = texts_of_labels(groups)
    known = groups != NO_GROUP
    names, groups = np.unique(groups[known], return_inverse=True)
    if _weights(model, components, axis).shape[1] < 2 or len(names) < 2:
        return None
    main = main_components_of(model, components, axis)[known]
    order = np.random.default_rng(seed).permutation(len(main))
    values = []
    for left_out in np.array_split(order, min(PARTS, len(order))):
        kept = np.setdiff1d(order, left_out)
        values.append(adjusted_mutual_info_score(groups[kept], main[kept]))
    parts = len(values)
    error = np.sqrt((parts - 1) / parts * np.square(values - np.mean(values)).sum())
    return Association(float(adjusted_mutual_info_score(groups, main)), float(error))


def _standard_error(values: np.ndarray) -> float:
    """Return the standard error of a mean, NaN of one value."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")
