"""Counts predicted without components: means of rows and columns, under two likelihoods.

Rates r_f c_n, the shares of rows and columns, are what a table of counts has if rows and columns
have nothing to do with each other: row sum times column sum over the sum of all; or they are shrunken. Counts that vary
more than Poisson's get a size per column as well: v ~ NB with the variance m + m² / size. Effects
are the negative binomial factor model without components, so that what has these does not seem
better for the way in which it shrinks effects.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

import nbmf

ROUNDS, TOL = 200, 1e-8  # of rates with missing entries, and the largest relative change in one
SIZES = 2.0 ** np.arange(-6, 14.5, 0.5)  # from which that of a column is chosen
SHAPES_LEARNED = 20  # rounds, after which shapes stay
CELLS = 2**20  # entries at a time for which all sizes are tried


def overall(tallies: np.ndarray) -> np.ndarray:
    """Return the mean of the observed counts, with one entry of 1 added, for every entry."""
    seen = tallies >= 0
    return np.full(tallies.shape, (tallies[seen].sum(dtype=float) + 1) / (seen.sum() + 1))


def means(tallies: np.ndarray, axis: int) -> np.ndarray:
    """Return the mean along an axis, as if each row or column had one average entry more: never 0."""
    seen, level = tallies >= 0, overall(tallies)[0, 0]
    sums = np.where(seen, tallies, 0).sum(axis=axis, keepdims=True, dtype=float)
    mean = (sums + level) / (seen.sum(axis=axis, keepdims=True) + 1)
    return np.broadcast_to(mean, tallies.shape)


def shares(tallies: np.ndarray) -> np.ndarray:
    """Return rates r_f c_n, as if each row and column had one average entry more.

    Without missing entries and but for that entry, r_f c_n is the sum of the row times the sum of
    the column over the sum of all; with missing ones both sums are right of what is observed.
    """
    seen, level = (tallies >= 0).astype(float), overall(tallies)[0, 0]
    counts = np.where(seen > 0, tallies, 0).astype(float)
    of_rows, of_columns = counts.sum(axis=1) + level, counts.sum(axis=0) + level
    rows, columns = np.ones(len(counts)), np.full(counts.shape[1], level)
    for _ in range(ROUNDS):
        before = rows
        rows = of_rows / (seen @ columns + level)
        columns = of_columns / (rows @ seen + 1.0)
        if np.abs(rows / before - 1).max() < TOL:
            break
    return np.outer(rows, columns)


def shrunken_shares(tallies: np.ndarray) -> np.ndarray:
    """Return rates r_f c_n with r_f ~ Gamma(a, a) and c_n ~ Gamma(b, b / level), level the mean, of learned shapes.

    That is one component of Poisson counts. Where rows or columns are alike, or have few counts, `shares` follow
    chance, so that a method would seem better for the way in which it shrinks rates. Given the rates of the other side
    a sum is negative binomial, and the most likely shape of SIZES is taken.
    """
    seen, level = (tallies >= 0).astype(float), overall(tallies)[0, 0]
    counts = np.where(seen > 0, tallies, 0).astype(float)
    of_rows, of_columns = counts.sum(axis=1), counts.sum(axis=0)
    rows, columns = np.ones(len(counts)), np.full(counts.shape[1], level)
    for number in range(ROUNDS):
        before, of_each = rows, seen @ columns
        if number < SHAPES_LEARNED:
            a = _likeliest_shape(of_rows, of_each)
        rows = (of_rows + a) / (of_each + a)
        of_each = rows @ seen
        if number < SHAPES_LEARNED:
            b = _likeliest_shape(of_columns, of_each * level)
        columns = (of_columns + b) / (of_each + b / level)
        if np.abs(rows / before - 1).max() < TOL:
            break
    return np.outer(rows, columns)


def _likeliest_shape(sums: np.ndarray, means: np.ndarray) -> float:
    """Return the shape of gamma factors of mean 1 by which Poisson means are multiplied, given what was counted."""
    return float(SIZES[np.argmax(_log_likelihoods(sums[:, None], means[:, None])[:, 0])])


def effects(tallies: np.ndarray) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return what normal effects of rows and columns with learned variances predict at rows and columns, (n,) each.

    Means (S, n) of a mixture, and sizes (n,), as `NegativeBinomialFactorVB(0).predictive` gives them.
    """
    model = nbmf.NegativeBinomialFactorVB(0, effects="both", effect_scale="learned", random_state=0)
    return model.fit(tallies).predictive


def fit_sizes(tallies: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a mean and the sizes of columns that fit it best, as if each had seen an average one.

    Parameters
    ----------
    tallies : int array (F, N)
        -1 where missing.
    mean : float array (F, N)

    Returns
    -------
    mean, size : float arrays (F, N)
    """
    F, N = tallies.shape
    fit = np.empty((len(SIZES), N))
    at_once = max(1, CELLS // F)
    for first in range(0, N, at_once):
        part = slice(first, first + at_once)
        fit[:, part] = _log_likelihoods(tallies[:, part], mean[:, part])
    best = SIZES[np.argmax(fit + fit.mean(axis=1, keepdims=True), axis=0)]
    return mean, np.broadcast_to(best, (F, N))


def _log_likelihoods(tallies: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return log p of each column for each of SIZES, (sizes, N), but for what has no size."""
    x, seen = np.maximum(tallies, 0).astype(float), tallies >= 0
    log_likelihoods = []
    for size in SIZES:
        each = gammaln(x + size) - gammaln(size) - x * np.log(mean + size)
        each -= size * np.log1p(mean / size)
        log_likelihoods.append(np.where(seen, each, 0.0).sum(axis=0))
    return np.array(log_likelihoods)
