"""Components against groups of rows that are known otherwise: parties, continents, diagnoses."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization

PARTS = 20  # of the rows, each of which the jackknife leaves out


class Association(NamedTuple):
    """How far groups and main components of rows tell each other.

    value : float, adjusted mutual information (Vinh, Epps and Bailey, JMLR 11, 2010): 0 on average
        where they have nothing to do with each other, 1 where each tells the other
    error : float, its standard error by the jackknife over rows
    """

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.error:.2f}"


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


def _are_shares(model: Factorization) -> bool:
    return "W" in model.distributions


def by_group(
    model: Factorization, groups: np.ndarray, components: np.ndarray | None = None
) -> pd.DataFrame:
    """Return what each component is to each group of rows.

    Parameters
    ----------
    model : Factorization
        Fitted.
    groups : str array (F,)
        The group of each row.
    components : int array, optional
        Places of the components in W_, in the order of the table; default: all.

    Returns
    -------
    DataFrame
        component (from 1, in that order), group, size (rows of the group), rows (those most
        typical of the component) and mean (of W over the group: a share, a probability of a one
        or a coordinate, see `meanings`).

    Raises
    ------
    DataError
        If there is not one group per row.
    """
    groups = np.asarray(groups, dtype=str)
    if groups.shape != (model.W_.shape[0],):
        raise DataError(f"groups: {groups.size} given for {model.W_.shape[0]} rows")
    places = np.arange(model.W_.shape[1]) if components is None else components
    W = model.W_[:, places]
    main = main_components(W, _are_shares(model)) if W.shape[1] else np.full(len(W), -1)
    names, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.lexsort((names, -sizes))
    rows = [
        {
            "component": k + 1,
            "group": str(names[g]),
            "size": int(sizes[g]),
            "rows": int(np.count_nonzero((number == g) & (main == k))),
            "mean": float(W[number == g, k].mean()),
        }
        for k in range(W.shape[1])
        for g in order
    ]
    return pd.DataFrame(rows, columns=["component", "group", "size", "rows", "mean"])


def association_of(
    model: Factorization, groups: np.ndarray, components: np.ndarray | None = None, seed: int = 0
) -> Association | None:
    """Return how far groups tell main components apart; None with a single group or component.

    Parameters
    ----------
    model, groups, components
        As for `by_group`.
    seed : int
        Of the order in which rows are left out.
    """
    from sklearn.metrics import adjusted_mutual_info_score  # which few need, and takes a second

    groups = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1]
    W = model.W_ if components is None else model.W_[:, components]
    if W.shape[1] < 2 or groups.max() == 0:
        return None
    main = main_components(W, _are_shares(model))
    order = np.random.default_rng(seed).permutation(len(main))
    values = []
    for left_out in np.array_split(order, min(PARTS, len(order))):
        kept = np.setdiff1d(order, left_out)
        values.append(adjusted_mutual_info_score(groups[kept], main[kept]))
    parts = len(values)
    error = np.sqrt((parts - 1) / parts * np.square(values - np.mean(values)).sum())
    return Association(float(adjusted_mutual_info_score(groups, main)), float(error))
