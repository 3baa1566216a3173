"""Entries to hold out, every one once, and the standard error of what is measured on them."""

import math
from collections.abc import Iterator

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.errors import DataError

HELD_OUT = 0.1  # of the observed entries, in each fold
ENOUGH = 2000  # entries held out in all folds together, unless every entry has been
LEAST = 20  # observed entries of a matrix


def is_symmetric(codes: np.ndarray) -> bool:
    """Whether a matrix equals its transpose, so that an entry tells its mirror image."""
    return codes.shape[0] == codes.shape[1] > 1 and np.array_equal(codes, codes.T)


def units(codes: np.ndarray, in_pairs: bool) -> np.ndarray:
    """Return the observed entries that can be held out; of pairs the one above the diagonal."""
    observed = codes != MISSING
    return np.triu(observed, k=1) if in_pairs else observed


def folds(codes: np.ndarray, rng: np.random.Generator, in_pairs: bool = False) -> Iterator[np.ndarray]:
    """Yield bool arrays (F, N) of entries to hold out, no entry twice.

    Parameters
    ----------
    codes : int array (F, N)
        1, 0 or counts, -1 (missing).
    rng : Generator
    in_pairs : bool
        Hold an entry out with its mirror image, and the diagonal never.

    Raises
    ------
    DataError
        If there are fewer than LEAST observed entries, or pairs.
    """
    observed = rng.permutation(np.flatnonzero(units(codes, in_pairs)))
    if observed.size < LEAST:
        raise DataError(f"{observed.size} observed entries: to hold some out takes {LEAST}")
    count = min(math.ceil(ENOUGH / (HELD_OUT * observed.size)), round(1 / HELD_OUT))
    for chosen in np.array_split(observed, round(1 / HELD_OUT))[:count]:
        held_out = np.zeros(codes.size, bool)
        held_out[chosen] = True
        held_out = held_out.reshape(codes.shape)
        yield held_out | held_out.T if in_pairs else held_out


def clustered_error(values: np.ndarray) -> float:
    """Return the standard error of the mean of a matrix whose rows and columns are clusters.

    Parameters
    ----------
    values : float array (F, N)
        NaN where there is no value.
    """
    places = np.nonzero(~np.isnan(values))
    present = values[places]
    return clustered_error_of_sum(present - present.mean(), *places) / present.size


def clustered_error_of_sum(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """Return the standard error of the sum of centred values whose rows and columns are clusters.

    A row that is hard to predict is so in all its entries, and a column likewise: the variance is
    that of row sums plus that of column sums minus that of entries (Cameron, Gelbach and Miller,
    "Robust inference with multiway clustering", JBES 29, 2011), and at least the largest of them.

    Parameters
    ----------
    values : float array (n,)
    rows, columns : int arrays (n,)
    """
    by_row, by_column = (variance_of_sums(values, lines) for lines in (rows, columns))
    by_entry = variance_of_sums(values, np.arange(values.size))
    return math.sqrt(max(by_row + by_column - by_entry, by_row, by_column, by_entry))


def variance_of_sums(values: np.ndarray, lines: np.ndarray) -> float:
    """Return the variance of the sum of centred values if each line is drawn by itself."""
    n = different(lines)
    return float(np.square(np.bincount(lines, values)).sum() * n / max(n - 1, 1))


def different(lines: np.ndarray) -> int:
    """Return how many different lines there are, int array (n,)."""
    return int(np.count_nonzero(np.bincount(lines)))


def mean_and_error(values: np.ndarray, row: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return the weighted mean of values and its standard error, rows being independent.

    Parameters
    ----------
    values, weight : float arrays (n,)
    row : int array (n,)
    """
    mean = float(np.average(values, weights=weight))
    variance = variance_of_sums(weight * (values - mean), row)
    return mean, math.sqrt(variance) / float(weight.sum())
