"""Where variational fits of counts with learned effects begin: near what logarithms of counts say.

An update goes only as far as the bound allows, which is the less the larger the counts: from 0, or from a size and
effects that do not go together, fits of counts in the thousands would take many thousands of updates.
"""

from typing import NamedTuple

import numpy as np

from nbmf.seeds import seed_sequence

ADDED = 0.5  # to counts and to what is expected of them, for the logarithm of their ratio
MORE, STEPS = 4, 20  # of subspace iteration: vectors beyond those that are asked for, and how often
LEAST = 1e-6  # root mean square of an axis, and of noise
TURNS = 3  # of effects, whose margins depend on each other
SIZES = 0.5, 20.0  # of columns, at least and at most
AS_ONE = 20.0  # entries of all columns together that the size of each takes part in


class CountStart(NamedTuple):
    """Expected counts, e^(effects + places slopes'), and how much counts vary around them.

    of_rows, of_columns : float arrays (F,), (N,), effects, 0 of what has none
    places, slopes : float arrays (F, k), (N, k), k <= K axes of mean square 1 and what a step along them changes
    sizes : float array (N,), of each column, by which its variance is E[v] + E[v]² / size
    noise : float, variance of the logarithm of a count around what is expected
    """

    of_rows: np.ndarray
    of_columns: np.ndarray
    places: np.ndarray
    slopes: np.ndarray
    sizes: np.ndarray
    noise: float


def count_start(values: np.ndarray, has_rows: bool, has_columns: bool, K: int) -> CountStart:
    """Return where to begin.

    Parameters
    ----------
    values : int array (F, N)
        Counts, negative where missing.
    has_rows, has_columns : bool
        Of which there are effects: of one at least.
    K : int
        Axes at most; what is no larger than noise has none.
    """
    effects = log_means(values, has_rows, has_columns)
    places, slopes, noise = leading_axes(values, np.add.outer(*effects), K, has_rows, has_columns)
    of_axes = places @ slopes.T
    of_rows, of_columns = _match_margins(values, *effects, of_axes, has_rows, has_columns)
    rate = np.exp(np.add.outer(of_rows, of_columns) + of_axes)
    (F, N), k = values.shape, slopes.shape[1]
    sizes = sizes_by_moments(values, rate, max((F - k - 1) * (N - k - 1), 1) / (F * N))
    return CountStart(of_rows, of_columns, places, slopes, sizes, noise)


def log_means(values: np.ndarray, has_rows: bool, has_columns: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return effects of rows (F,) and of columns (N,) whose sums are logarithms of expected counts; 0 of what has none.

    Each row and column has an average entry more.
    """
    seen = (values >= 0).astype(float)
    counts = np.maximum(values, 0).astype(float)
    level = _mean_count(values)
    of_columns = np.full(seen.shape[1], level)
    if has_columns:
        of_columns = (counts.sum(axis=0) + level) / (seen.sum(axis=0) + 1.0)
    of_rows = np.zeros(len(seen))
    if has_rows:
        average = of_columns.mean()
        of_rows = np.log((counts.sum(axis=1) + average) / (seen @ of_columns + average))
    if has_columns:
        return of_rows, np.log(of_columns)
    return of_rows + np.log(level), np.zeros(seen.shape[1])  # the level is that of the rows


def leading_axes(
    values: np.ndarray, effects: np.ndarray, K: int, has_rows: bool = True, has_columns: bool = True
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return places (F, k) of mean square 1, slopes (N, k) and noise of what effects (F, N) leave of log counts.

    By subspace iteration, whose time grows with the entries alone. Missing entries are filled with what is found, and
    means of rows and columns left out that have effects: logarithms have other means than counts.
    """
    (F, N), seen = values.shape, values >= 0
    logs = np.log((np.maximum(values, 0) + ADDED) / (np.exp(effects) + ADDED))
    expected = np.zeros(logs.shape)
    block = np.random.default_rng(seed_sequence(0)).standard_normal((N, min(K + MORE, F, N) if K else 0))
    for _ in range(STEPS):
        left = np.where(seen, logs, expected)
        level = np.zeros(left.shape)
        if has_columns:
            level += left.mean(axis=0)
        if has_rows:
            level += (left - level).mean(axis=1, keepdims=True)
        left -= level
        block = np.linalg.qr(left.T @ (left @ block))[0]
        U, sizes, V = np.linalg.svd(left @ block, full_matrices=False)
        sizes, noise = shrunk(sizes[:K], F * N * np.mean(left[seen] ** 2), (F, N))
        k = np.count_nonzero(sizes > LEAST * np.sqrt(F * N))
        places, slopes = np.sqrt(F) * U[:, :k], block @ V[:k].T * sizes[:k] / np.sqrt(F)
        expected = level + places @ slopes.T
    return places, slopes, noise


def shrunk(sizes: np.ndarray, total: float, shape: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Return the largest singular values of a matrix without what noise adds to them, and the variance of noise.

    Those that noise alone may have are 0; the others are as small as brings them closest to a matrix without noise
    (Gavish and Donoho 2017, eq. 7).

    Parameters
    ----------
    sizes : float array (K,)
        Singular values, the largest first.
    total : float
        Sum of the squares of all.
    shape : (F, N)
    """
    (F, N), noise = shape, total / (shape[0] * shape[1])
    for _ in range(len(sizes) + 1):  # the fewer entries are left to noise, the smaller it is
        k = np.count_nonzero(sizes > np.sqrt(noise) * (np.sqrt(F) + np.sqrt(N)))
        noise = (total - np.sum(sizes[:k] ** 2)) / max((F - k) * (N - k), 1)
        noise = max(noise, LEAST**2)
    inside = np.maximum((sizes**2 - (F + N) * noise) ** 2 - 4.0 * F * N * noise**2, 0.0)
    is_larger = sizes > np.sqrt(noise) * (np.sqrt(F) + np.sqrt(N))
    return np.where(is_larger, np.sqrt(inside) / np.maximum(sizes, LEAST), 0.0), noise


def _match_margins(values, of_rows, of_columns, of_axes, has_rows, has_columns):
    """Return effects with which sums of expected counts are those of counts, as `log_means` has them without axes."""
    seen, level = values >= 0, _mean_count(values)
    counts = np.where(seen, values, 0.0)
    of_rows, of_columns = of_rows.copy(), of_columns.copy()
    sides = [(0, of_columns)] * has_columns + [(1, of_rows)] * has_rows
    for _ in range(TURNS):
        for axis, effects in sides:
            rate = np.where(seen, np.exp(np.add.outer(of_rows, of_columns) + of_axes), 0.0)
            effects += np.log((counts.sum(axis=axis) + level) / (rate.sum(axis=axis) + level))
    return of_rows, of_columns


def sizes_by_moments(values: np.ndarray, rate: np.ndarray, free: float) -> np.ndarray:
    """Return sizes (N,) by (v - E v)² - E v over (E v)², each drawn to that of all columns; large counts weigh alike.

    Parameters
    ----------
    values, rate : arrays (F, N)
        Counts, negative where missing, and what is expected of them.
    free : float
        The share of the entries that `rate` did not follow.
    """
    seen = values >= 0
    weight = np.where(seen, 1.0 / (1.0 + rate) ** 2, 0.0)
    more = (weight * ((values - rate) ** 2 - rate)).sum(axis=0)
    of = (weight * rate**2).sum(axis=0)
    of_all = max(more.sum() / (of.sum() + LEAST), 1.0 / SIZES[1])
    each = (more + AS_ONE * of_all) / (of + AS_ONE) / free
    return 1.0 / np.clip(each, 1.0 / SIZES[1], 1.0 / SIZES[0])


def _mean_count(values: np.ndarray) -> float:
    """Return the mean count, of one entry more that is 1."""
    seen = values >= 0
    return (np.where(seen, values, 0.0).sum() + 1.0) / (np.count_nonzero(seen) + 1.0)
