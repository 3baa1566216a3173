"""Square matrices of undirected networks, in which an entry determines its mirror image."""

import math
from collections.abc import Callable, Iterable

import numpy as np

from nbmf.data.given import MISSING

# Of entries that agree with their mirror images though nothing makes them. It is asked for where one of two is missing:
# a table of which hardly any pairs are observed may agree in all of them.
CHANCE = 1e-6


def is_symmetric(values: np.ndarray, observed: np.ndarray) -> bool:
    """Return whether a matrix equals its transpose wherever both entries of a pair are observed.

    Parameters
    ----------
    values : array (F, N)
    observed : bool array (F, N)
        If it is not symmetric itself, so many pairs have to be observed on both sides that the probability of their
        agreeing by chance is at most CHANCE.
    """
    if not values.shape[0] == values.shape[1] > 1:
        return False
    if differences(values, observed).any():
        return False
    both = observed & observed.T
    return np.array_equal(both, observed) or chance_of_agreement(_pair_counts(values, both)) <= CHANCE


def differences(values: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return where entries of a square matrix differ from their mirror images, both observed: bool array (F, F)."""
    return (values != values.T) & observed & observed.T


def codes_of_ties(codes: np.ndarray) -> np.ndarray:
    """Return what a symmetric matrix says of its ties: both entries of each where one is known, no diagonal.

    codes : int array (F, F), -1 where missing
    """
    ties = np.where(codes == MISSING, codes.T, codes)
    np.fill_diagonal(ties, MISSING)
    return ties


def chance_of_agreement(pairs: Iterable[int]) -> float:
    """Return the probability that all pairs of entries agree if their values are dealt at random.

    Parameters
    ----------
    pairs : int
        How many pairs have each of the values.
    """
    pairs = list(pairs)
    return math.exp(_log_orders(pairs) - _log_orders([2 * count for count in pairs]))


def mean_of_directions(
    predict: Callable[[np.ndarray, np.ndarray], np.ndarray], rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return the prediction of ties that have no direction, float array (n,): the mean of both entries of a pair.

    A model whose rows and columns have factors of their own predicts the two differently; their mean is one
    probability, and predicts better than either.

    Parameters
    ----------
    predict : function
        Of rows and columns.
    rows, columns : int arrays (n,)
    """
    return (predict(rows, columns) + predict(columns, rows)) / 2


def without_directions(expectation: np.ndarray) -> np.ndarray:
    """Return the means of `mean_of_directions` of all entries, float array (F, F)."""
    return (expectation + expectation.T) / 2


def one_loss_per_pair(losses: np.ndarray) -> np.ndarray:
    """Return losses (F, F) of pairs with one of each: their mean above the diagonal, or the one that is not NaN.

    An entry and its mirror image are one observation, which a model may predict differently: the mean does not depend
    on the order of the nodes.
    """
    known = ~np.isnan(losses)
    mean = np.where(known & known.T, (losses + losses.T) / 2, losses)
    return np.where(np.tril(known.T), np.nan, mean)


def _pair_counts(values: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Return how many pairs have each value, of those that are observed on both sides."""
    return np.unique(values[np.triu(both, k=1)], return_counts=True)[1]


def _log_orders(counts: list[int]) -> float:
    """Return the log of the number of orders of values of which there are so many each."""
    return math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)
