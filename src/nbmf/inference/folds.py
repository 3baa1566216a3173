"""Entries to hold out, every one once, and fits to the others."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.repeats import questions_of
from nbmf.data.symmetry import is_symmetric
from nbmf.errors import DataError, hold_back_warnings
from nbmf.inference.state import Monitor
from nbmf.seeds import child

if TYPE_CHECKING:
    from nbmf.inference.estimator import Factorization
    from nbmf.likelihoods.likelihood import Likelihood

HELD_OUT = 0.1  # of the observed entries, in each fold
ENTRIES_HELD_OUT = 2000  # entries held out in all folds together, unless every entry has been
RARER_HELD_OUT = 500  # of these, entries that are not of the most frequent value: among rare ones, ones say most
FEWEST_ENTRIES = 20  # observed entries of a matrix


class Eligible(NamedTuple):
    """What can be held out of a dense matrix.

    - values : int array (F, N), 1, 0 or counts, -1 (missing)
    - is_binary : bool
    - in_pairs : bool, whether an entry is held out with its mirror image, since they are the same
    - number : int, how many entries there are, or pairs
    """

    values: np.ndarray
    is_binary: bool
    in_pairs: bool
    number: int

    def questions(self) -> list[np.ndarray]:
        """Return the columns that determine each other, as answers to one question do; of pairs there are none."""
        return questions_of(self.values) if self.is_binary and not self.in_pairs else []

    def suffice(self) -> bool:
        """Return whether there are enough for `folds`."""
        return self.number >= FEWEST_ENTRIES

    def folds(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Return the folds of cross-validation, bool arrays (F, N), no entry in two; errors are those of `folds`.

        The `questions` of a row are held out as a whole.
        """
        return list(folds(self.values, rng, self.in_pairs, self.questions()))


def eligible_of(values: np.ndarray, likelihood: "Likelihood") -> Eligible:
    """Return what can be held out of the values of a likelihood, int array (F, N)."""
    in_pairs = is_symmetric(values, likelihood.is_observed(values))
    number = int(np.count_nonzero(entries_to_hold_out(values, in_pairs)))
    return Eligible(values, likelihood.matrix is BinaryMatrix, in_pairs, number)


def entries_to_hold_out(codes: np.ndarray, in_pairs: bool) -> np.ndarray:
    """Return which entries can be held out, bool array (F, N); of pairs the place above the diagonal."""
    observed = codes != MISSING
    return np.triu(observed | observed.T, k=1) if in_pairs else observed


def folds(
    codes: np.ndarray, rng: np.random.Generator, in_pairs: bool = False, together: Sequence[np.ndarray] = ()
) -> Iterator[np.ndarray]:
    """Yield bool arrays (F, N) of entries to hold out, no entry twice.

    Parameters
    ----------
    codes : int array (F, N)
        1, 0 or counts, -1 (missing).
    rng : Generator
    in_pairs : bool
        Hold an entry out with its mirror image, and the diagonal never.
    together : list of int arrays
        Sets of columns whose entries of a row are held out together, since they determine each other.

    Raises
    ------
    DataError
        If there are fewer than FEWEST_ENTRIES observed entries, or pairs.
    """
    eligible = entries_to_hold_out(codes, in_pairs)
    places = np.flatnonzero(eligible)
    if places.size < FEWEST_ENTRIES:
        raise DataError(f"{describe_count(places.size, in_pairs)}: to hold some out takes {FEWEST_ENTRIES}")
    observed = codes != MISSING
    values = np.where(observed, codes, codes.T) if in_pairs else codes
    size, rarer = HELD_OUT * places.size, HELD_OUT * count_rarer(values.ravel()[places])
    for columns in together:  # the first entry of a row stands for the others
        eligible[:, columns[1:]] &= ~np.logical_or.accumulate(eligible[:, columns], axis=1)[:, :-1]
    for chosen in split_places(np.flatnonzero(eligible), size, rng, rarer):
        held_out = np.zeros(codes.size, bool)
        held_out[chosen] = True
        held_out = held_out.reshape(codes.shape)
        for columns in together:
            held_out[:, columns] = held_out[:, columns].any(axis=1, keepdims=True) & observed[:, columns]
        yield (held_out | held_out.T) & observed if in_pairs else held_out  # of a pair one entry may be missing


def describe_count(number: int, in_pairs: bool) -> str:
    """Return a text that says how many entries, or pairs of them, can be held out."""
    return f"{number} observed {'pairs of entries' if in_pairs else 'entries'}"


def split_places(
    places: np.ndarray, size: float, rng: np.random.Generator, rarer: float = math.inf
) -> list[np.ndarray]:
    """Return tenths of the places in random order, as many as are held out; see `number_of_folds`."""
    tenths = np.array_split(rng.permutation(places), round(1 / HELD_OUT))
    return tenths[: number_of_folds(size, rarer)]


def count_rarer(values: np.ndarray) -> int:
    """Return how many values are not the most frequent one: of zeros and ones the number of the rarer."""
    return int(values.size - np.unique(values, return_counts=True)[1].max(initial=0))


def number_of_folds(size: float, rarer: float = math.inf) -> int:
    """Return how many tenths are held out in turn.

    As many as hold ENTRIES_HELD_OUT and RARER_HELD_OUT, where one holds `size` entries (or pairs), and `rarer` of
    them are not of the most frequent value.
    """
    needed = max(ENTRIES_HELD_OUT / size, RARER_HELD_OUT / rarer if rarer else math.inf)
    return math.ceil(min(round(1 / HELD_OUT), needed))


def fit_to_fold(estimator: "Factorization", training: Any, fold: int, monitor: Monitor | None) -> "Factorization":
    """Return a fit to what a fold leaves, with a seed of its own; it does not warn, since its losses say how it is."""
    seed = child(estimator._seed(), "verdict", fold)
    with hold_back_warnings():
        return type(estimator)(**estimator.get_params() | {"random_state": seed}).fit(training, monitor=monitor)
