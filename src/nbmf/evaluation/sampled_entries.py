"""Losses on held-out entries of matrices too large for all of them: ones, and as many zeros.

This is 10-fold cross-validation over the ones and as many zeros drawn at random. It stops when 2000 ones
have been held out. Each entry is weighted by one over the chance that one of its kind was, so that sums are of the
whole matrix; they are given per one of it, since nearly all entries are zeros, easily predicted.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from nbmf.data.matrix import MISSING
from nbmf.data.named import has_same_names
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.symmetry import mean_of_directions
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import FEWEST_ENTRIES, HELD_OUT, fit_to_fold, split_places
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics.clustered_errors import clustered_error_of_nodes, clustered_error_of_sum, count_distinct
from nbmf.registry import make_estimator
from nbmf.seeds import seed_sequence

OVERALL, POPULARITY = "overall-proportion", "popularity"  # baselines
# Rates r_f c_n are one component: all that rows and columns have without anything in common. With scales, whose tails
# are as heavy as those of popularities often are: without, a model with scales leads where there is nothing to find.
ONE_COMPONENT = {
    "scales": "both",
    "tie_shape_W": "all",
    "tie_shape_H": "all",
    "tie_mean_H": "all",
    "max_iter": 500,
    "relative_gain_tol": 1e-6,
}


class SampleMeasure(NamedTuple):
    """The measure of losses on a sample of ones and zeros, float arrays (n,).

    rows, columns : int arrays (n,), of the entries that were held out
    is_one : bool array (n,)
    zeros_per_one : float, in the whole matrix
    is_network : bool, whether rows and columns are the same nodes
    """

    rows: np.ndarray
    columns: np.ndarray
    is_one: np.ndarray
    zeros_per_one: float
    is_network: bool = False

    unit = "one"

    def mean(self, losses: np.ndarray) -> float:
        """Return the sum of losses over the whole matrix, per one of it."""
        return float(self._weights @ losses)

    def error(self, losses: np.ndarray) -> float:
        """Return the standard error of that sum, with rows and columns as clusters; ones and zeros are two strata."""
        means = np.array([losses[self.is_one == kind].mean() for kind in (False, True)])
        centred = self._weights * (losses - means[self.is_one.astype(int)])
        of_sum = clustered_error_of_nodes if self.is_network else clustered_error_of_sum
        return of_sum(centred, self.rows, self.columns)

    def degrees_of_freedom(self, losses: np.ndarray) -> int:
        """Return one less than the number of rows or of columns in the sample, whichever are fewer, or of nodes."""
        together = [np.concatenate([self.rows, self.columns])] if self.is_network else [self.rows, self.columns]
        return max(min(map(count_distinct, together)) - 1, 1)

    @property
    def _weights(self) -> np.ndarray:
        ones = np.count_nonzero(self.is_one)
        return np.where(self.is_one, 1 / ones, self.zeros_per_one / (self.is_one.size - ones))


class Fold(NamedTuple):
    """Entries that are held out together: ones, then zeros.

    places : int64 array (2, n), rows and columns
    is_one : bool array (n,)
    kept_ones, kept_zeros : float, the proportions of all ones and of all zeros that are not held out
    """

    places: np.ndarray
    is_one: np.ndarray
    kept_ones: float
    kept_zeros: float

    def losses(self, chance: np.ndarray) -> np.ndarray:
        """Return minus the log probability of the entries, nats, float array (n,).

        `chance` is P(v = 1) of an entry that was not held out. As a tenth of the ones was, and
        hardly a zero, that of any entry is larger, by Bayes' rule.
        """
        zero = (1 - chance) * self.kept_ones
        one = chance * self.kept_zeros
        return BERNOULLI.losses(self.is_one.astype(np.int8), one / (one + zero))


class SampledEntries:
    """Ones and zeros of a SparseBinaryMatrix or a scipy.sparse one; as `nbmf.evaluation.held_out.AllEntries`.

    Raises
    ------
    DataError
        If a method takes no such matrix, or there are fewer than 20 ones.
    """

    def __init__(self, V: Any, estimators: Sequence[Factorization], seed: int):
        self._matrix = SparseBinaryMatrix.of(V)
        refuse_unsuitable_methods(estimators)
        self.in_pairs = self._matrix.is_symmetric()
        self._is_network = self.in_pairs or has_same_names(self._matrix)
        self._n_ones, self._n_zeros = count_eligible(self._matrix, self.in_pairs)
        self._seed = seed
        rng = np.random.default_rng(seed_sequence("verdict", "sample", seed))
        self.folds = list(sample_folds(self._matrix, rng, self.in_pairs))
        self.observed = self._n_ones + self._n_zeros

    def training(self, fold: Fold) -> scipy.sparse.csr_array:
        """Return the matrix with the entries of a fold missing."""
        return training_matrix(self._matrix, fold, self.in_pairs)

    def baseline_losses(self, fold: Fold, training: scipy.sparse.csr_array, number: int) -> dict[str, np.ndarray]:
        """Return the losses of the proportion of ones, and of rates r_f c_n."""
        popularity = fit_to_fold(
            make_estimator("BernoulliPoissonVB", 1, ONE_COMPONENT, self._seed), training, number, None
        )
        n_ones, n_zeros = self._n_ones * fold.kept_ones, self._n_zeros * fold.kept_zeros
        proportion = np.full(fold.is_one.size, n_ones / (n_ones + n_zeros))
        return {OVERALL: fold.losses(proportion), POPULARITY: self.method_losses(fold, popularity)}

    def method_losses(self, fold: Fold, fitted: Factorization) -> np.ndarray:
        """Return the losses of a fit, float array (n,)."""
        predict = partial(mean_of_directions, fitted.predict) if self.in_pairs else fitted.predict
        return fold.losses(predict(*fold.places))

    def gather(self, losses: Iterable[np.ndarray]) -> np.ndarray:
        """Return the losses of all folds one after another."""
        return np.concatenate(list(losses))

    def measure(self) -> SampleMeasure:
        """Return how such arrays are averaged."""
        rows, columns = np.hstack([fold.places for fold in self.folds])
        is_one = np.concatenate([fold.is_one for fold in self.folds])
        return SampleMeasure(rows, columns, is_one, self._n_zeros / self._n_ones, self._is_network)


def sample_folds(matrix: SparseBinaryMatrix, rng: np.random.Generator, in_pairs: bool = False) -> Iterator[Fold]:
    """Yield what each fold holds out, no entry twice: a tenth of the ones and as many zeros."""
    (n_ones, n_zeros), N = count_eligible(matrix, in_pairs), matrix.shape[1]
    if n_ones < FEWEST_ENTRIES or n_zeros < FEWEST_ENTRIES:
        raise DataError(f"{n_ones} ones and {n_zeros} zeros: to hold some out takes {FEWEST_ENTRIES} of each")
    ones = _flat_places(_eligible_places(matrix.places(1), in_pairs), N)
    ones_by_fold = split_places(ones, n_ones // round(1 / HELD_OUT), rng)
    zeros = _draw_zeros(matrix, min(sum(map(len, ones_by_fold)), n_zeros // 2), rng, in_pairs)
    for ones, others in zip(ones_by_fold, np.array_split(zeros, len(ones_by_fold)), strict=True):
        places = np.array(np.divmod(np.concatenate([ones, others]), N))
        is_one = np.arange(places.shape[1]) < len(ones)
        yield Fold(places, is_one, 1 - len(ones) / n_ones, 1 - len(others) / n_zeros)


def _draw_zeros(matrix: SparseBinaryMatrix, count: int, rng: np.random.Generator, in_pairs: bool) -> np.ndarray:
    """Return so many different zeros, drawn at random: int64 array, places row by row."""
    F, N = matrix.shape
    others = _flat_places(matrix.stored[:2], N)
    zeros = np.empty(0, np.int64)
    while zeros.size < count:  # what is stored, or there already, is drawn again
        places = np.array(np.divmod(rng.integers(0, F * N, 2 * count), N))
        drawn = _flat_places(_eligible_places(places, in_pairs), N)
        every = np.concatenate([zeros, drawn[~_is_in(drawn, others)]])
        first = np.unique(every, return_index=True)[1]
        zeros = every[np.sort(first)][:count]
    return zeros


def _is_in(values: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    """Whether each value is among others, which are ascending."""
    if not ascending.size:
        return np.zeros(values.size, bool)
    index = np.minimum(np.searchsorted(ascending, values), ascending.size - 1)
    return ascending[index] == values


def _flat_places(places: np.ndarray, N: int) -> np.ndarray:
    return places[0].astype(np.int64) * N + places[1]


def _eligible_places(places: np.ndarray, in_pairs: bool) -> np.ndarray:
    """Return those that can be held out: all, or of pairs those above the diagonal."""
    return places[:, places[0] < places[1]] if in_pairs else places


def count_eligible(matrix: SparseBinaryMatrix, in_pairs: bool) -> tuple[int, int]:
    """Return how many ones and how many zeros can be held out."""
    ones, missing = (_eligible_places(matrix.places(code), in_pairs).shape[1] for code in (1, MISSING))
    F, N = matrix.shape
    return ones, (F * (F - 1) // 2 if in_pairs else F * N) - ones - missing


def training_matrix(matrix: SparseBinaryMatrix, fold: Fold, in_pairs: bool) -> scipy.sparse.csr_array:
    """Return the matrix with what is held out missing: NaN."""
    held = np.hstack([fold.places, fold.places[::-1]]) if in_pairs else fold.places
    rows, columns, codes = matrix.stored
    is_held = _is_in(_flat_places(matrix.stored[:2], matrix.shape[1]), np.sort(_flat_places(held, matrix.shape[1])))
    kept = np.where(codes == MISSING, np.nan, 1.0)[~is_held]
    values = np.concatenate([kept, np.full(held.shape[1], np.nan)])
    places = np.hstack([[rows[~is_held], columns[~is_held]], held])
    return scipy.sparse.csr_array((values, tuple(places)), shape=matrix.shape)


def refuse_unsuitable_methods(estimators: Sequence[Factorization]) -> None:
    """Raise DataError if a method takes no such matrix."""
    for estimator in estimators:
        if not (estimator.takes_sparse and estimator.likelihood is BERNOULLI):
            raise DataError(
                f"{type(estimator).__name__} takes no sparse matrix of zeros and ones; "
                "BernoulliPoissonVB and BernoulliPoissonGibbs do"
            )
