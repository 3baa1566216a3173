"""Which rows, and which columns, a fit says are most alike: by what it predicts of them."""

from typing import NamedTuple

import numpy as np

COUNT = 5  # nearest ones
CONSTANT = 1e-9  # standard deviation of a column's predictions over the rows, below which there is none
UNRELATED = 1e-6  # correlation from which on columns rise and fall together, more than rounding


class Nearest(NamedTuple):
    """Of each of n rows or columns those nearest to it.

    places : int array (n, k), among the n, the nearest first; -1 where there is none
    values : float array (n, k), differences of rows or correlations of columns; NaN where there is none
    """

    places: np.ndarray
    values: np.ndarray


def nearest_rows(expectation: np.ndarray, count: int = COUNT) -> Nearest:
    """Return the rows of which nearly the same is predicted.

    Two rows f and g differ by √(Σ_n (E[v_fn] - E[v_gn])² / N), the root mean square over all columns: of
    probabilities between 0, where the same is predicted for both, and 1. Rotated factors, or components in another
    order, give the same.

    Parameters
    ----------
    expectation : float array (n, N)
        E[V] of the rows that are compared.
    count : int
        How many of each, at most.
    """
    return _nearest_by_distance(expectation, expectation.shape[1], count)


def nearest_fit_rows(new: np.ndarray, known: np.ndarray, count: int = COUNT) -> Nearest:
    """Return the rows of a fit of which nearly the same is predicted as of new rows; differences as of `nearest_rows`.

    Parameters
    ----------
    new, known : float arrays (F', N), (F, N)
        E[V] of the new rows, and of those of the fit, among which are the places that are returned.
    count : int
        How many of each, at most.
    """
    from sklearn.neighbors import NearestNeighbors  # takes a second to import

    search = NearestNeighbors(n_neighbors=min(count, len(known)), algorithm="brute").fit(known)
    distances, places = search.kneighbors(new)
    return Nearest(places, distances / np.sqrt(max(known.shape[1], 1)))


def nearest_columns(expectation: np.ndarray, count: int = COUNT) -> Nearest:
    """Return the columns whose predictions rise and fall together over the rows.

    By the correlation of E[v_·m] and E[v_·n] over all rows: a rare column and a common one are near each other if
    both are most probable in the same rows. Columns that are opposite, or unrelated, are not near, and so a column may
    have fewer than `count`; one for which the same is predicted in all rows has none.

    Parameters
    ----------
    expectation : float array (F, n)
        E[V] of the columns that are compared.
    count : int
        How many of each, at most.
    """
    return _nearest_by_correlation((expectation - expectation.mean(axis=0)).T, len(expectation), count)


def nearest_shares(shares: np.ndarray, count: int = COUNT) -> Nearest:
    """Return the rows with nearly the same shares of components, float array (n, K), each row a distribution.

    Two rows differ by Σ_k |w_fk - w_gk| / 2, the share that would have to move: between 0 and 1.
    """
    distances, places = _neighbours(shares, count, "manhattan")
    return Nearest(places, distances / 2)


def nearest_rows_by_rates(rows: np.ndarray, columns: np.ndarray, count: int = COUNT) -> Nearest:
    """Return what `nearest_rows` returns for the rates of a large sparse matrix, without computing these.

    They are the products of rows (n, K) and columns (N, K), whose distances are those of K numbers a row.
    """
    return _nearest_by_distance(rows @ _root(columns.T @ columns), len(columns), count)


def nearest_columns_by_rates(rows: np.ndarray, columns: np.ndarray, count: int = COUNT) -> Nearest:
    """Return what `nearest_columns` returns for the rates of rows (F, K) and columns (n, K)."""
    centred = rows - rows.mean(axis=0)
    return _nearest_by_correlation(columns @ _root(centred.T @ centred), len(rows), count)


def _root(matrix: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix whose square is this one, which has no negative eigenvalues but by rounding."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def _nearest_by_distance(points: np.ndarray, size: int, count: int) -> Nearest:
    distances, places = _neighbours(points, count)
    return Nearest(places, distances / np.sqrt(max(size, 1)))


def _nearest_by_correlation(centred: np.ndarray, size: int, count: int) -> Nearest:
    """Return the neighbours of vectors (n, d) whose scalar products are `size` times their covariances."""
    length = np.linalg.norm(centred, axis=1)
    varies = np.flatnonzero(length > CONSTANT * np.sqrt(size))
    distances, neighbours = _neighbours(centred[varies] / length[varies, None], count)
    places = np.full((len(length), neighbours.shape[1]), -1)
    values = np.full(places.shape, np.nan)
    correlations = 1 - np.square(distances) / 2
    is_near = correlations > UNRELATED
    places[varies] = np.where(is_near, varies[neighbours], -1)
    values[varies] = np.where(is_near, correlations, np.nan)
    return Nearest(places, values)


def _neighbours(points: np.ndarray, count: int, metric: str = "euclidean") -> tuple[np.ndarray, np.ndarray]:
    """Return distances and places of the nearest other points, arrays (n, k)."""
    count = min(count, len(points) - 1)
    if count < 1:
        return np.empty((len(points), 0)), np.empty((len(points), 0), int)
    from sklearn.neighbors import NearestNeighbors  # takes a second to import

    return NearestNeighbors(n_neighbors=count, algorithm="brute", metric=metric).fit(points).kneighbors()
