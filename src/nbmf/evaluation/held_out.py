"""Losses on entries that were held out, of methods and of baselines."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import has_same_names
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.symmetry import mean_of_directions, one_loss_per_pair
from nbmf.errors import DataError, Message, Setting
from nbmf.evaluation.baselines import baselines_of, predict_baseline, take_entries
from nbmf.evaluation.sampled_entries import SampledEntries, SampleMeasure, count_eligible
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import FEWEST_ENTRIES, describe_count, eligible_of, fit_to_fold
from nbmf.inference.parallel import fits_at_a_time, limit_to_one_thread, results_of
from nbmf.inference.parameters import check_count
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.numerics.clustered_errors import clustered_error
from nbmf.seeds import seed_sequence


class EntryMeasure(NamedTuple):
    """The measure of losses in float arrays (F, N), NaN where nothing was held out.

    in_pairs : bool, whether an entry stands for its mirror image too
    is_network : bool, whether rows and columns are the same nodes
    """

    in_pairs: bool = False
    is_network: bool = False

    unit = "held-out entry"

    def mean(self, losses: np.ndarray) -> float:
        """Return the mean over the entries."""
        return float(np.nanmean(losses))

    def error(self, losses: np.ndarray) -> float:
        """Return the standard error of the mean, `clustered_error`."""
        return clustered_error(losses, self.is_network)

    def degrees_of_freedom(self, losses: np.ndarray) -> int:
        """Return one less than the number of rows or of columns with losses, whichever are fewer, or of nodes."""
        columns, rows = (~np.isnan(losses).all(axis=axis) for axis in (0, 1))
        lines = [rows | columns] if self.is_network else [rows, columns]
        return max(min(map(np.count_nonzero, lines)) - 1, 1)


def describe_shortage(V: Any, likelihood: Likelihood) -> str | None:
    """Return of what V has too few to hold some out, in words; None if it has enough."""
    if is_sparse(V):
        matrix = SparseBinaryMatrix.of(V)
        ones, zeros = count_eligible(matrix, matrix.is_symmetric())
        return None if min(ones, zeros) >= FEWEST_ENTRIES else f"{ones} ones and {zeros} zeros"
    eligible = eligible_of(likelihood.values_of(V), likelihood)
    return None if eligible.suffice() else describe_count(eligible.number, eligible.in_pairs)


def why_constant(codes: np.ndarray, is_binary: bool) -> Message | None:
    """Return that nothing differs, where any method would seem better than a mean, which has a prior; else None."""
    observed = codes[codes != MISSING]
    if not observed.size or np.any(observed != observed[0]):
        return None
    value = ("zeros", "ones")[int(observed[0])] if is_binary else "the same"
    hint = []
    if value == "ones":
        ways = (
            Setting("layout", "presence"),
            " or ",
            Setting("absent", "zeros"),
            ", and blanks of a table as zeros with ",
            Setting("zeros", [""]),
        )
        hint = ["; if only what is present was recorded, a list is read with ", *ways]
    return Message(f"all {observed.size} observed entries are {value}: there is nothing to predict", *hint)


Measure = EntryMeasure | SampleMeasure  # how losses become a mean and its standard error


class AllEntries:
    """The folds of 10-fold cross-validation over the observed entries of a dense matrix.

    Attributes
    ----------
    folds : list of bool arrays (F, N)
        The entries that are held out together.
    observed : int
        How many entries can be held out; of a symmetric matrix pairs instead of entries.
    """

    def __init__(self, V: Any, likelihood: Likelihood, seed: int):
        self._likelihood = likelihood
        self._codes = likelihood.values_of(V)
        if (constant := why_constant(self._codes, likelihood.matrix is BinaryMatrix)) is not None:
            raise DataError(constant)
        eligible = eligible_of(self._codes, likelihood)
        self.in_pairs, self.observed = eligible.in_pairs, eligible.number
        self._is_network = self.in_pairs or has_same_names(V)
        self._are_ties = self.in_pairs and eligible.is_binary  # without a direction: one probability of each
        self.folds = eligible.folds(np.random.default_rng(seed_sequence("verdict", seed)))

    def training(self, fold: np.ndarray) -> np.ndarray:
        """Return the values with those of a fold missing."""
        return self._likelihood.hide(self._codes, fold)

    def baseline_losses(self, fold: np.ndarray, training: np.ndarray, number: int) -> dict[str, np.ndarray]:
        """Return the losses of the baselines of the likelihood."""
        largest = int(self._codes.max())  # which may be in this fold alone
        return {
            name: self._losses(self._likelihood, fold, partial(take_entries, predict_baseline(name, training, largest)))
            for name in baselines_of(self._likelihood)
        }

    def method_losses(self, fold: np.ndarray, fitted: Factorization) -> np.ndarray:
        """Return the losses of a fit, float array (n,)."""
        return self._losses(fitted.likelihood, fold, fitted.predictive)

    def _losses(self, likelihood: Likelihood, fold: np.ndarray, predict: Callable) -> np.ndarray:
        places = np.nonzero(fold)
        predicted = mean_of_directions(predict, *places) if self._are_ties else predict(*places)
        return likelihood.losses(self._codes[fold], predicted)

    def gather(self, losses: Iterable[np.ndarray]) -> np.ndarray:
        """Return an array (F, N), NaN where nothing was held out, and on one side of each pair."""
        gathered = np.full(self._codes.shape, np.nan)
        for fold, fold_losses in zip(self.folds, losses, strict=True):
            gathered[fold] = fold_losses
        return one_loss_per_pair(gathered) if self.in_pairs else gathered

    def measure(self) -> EntryMeasure:
        """Return how such arrays are averaged."""
        return EntryMeasure(self.in_pairs, self._is_network)


class HeldOutLosses(NamedTuple):
    """Losses on all entries that were held out, in nats.

    losses : list of float arrays, of each method, as `measure` takes them
    baselines : dict of the same, by the name of a baseline
    entries, folds : int, how many entries were held out, in how many folds
    observed : int, how many there are; of a symmetric matrix pairs instead of entries
    measure : Measure
    fold_of : float array, as `measure` takes them: the number of the fold in which each entry was held out
    """

    losses: list[np.ndarray]
    baselines: dict[str, np.ndarray]
    entries: int
    folds: int
    observed: int
    measure: Measure
    fold_of: np.ndarray

    def without(self, left_out: np.ndarray) -> Self:
        """Return the losses on the other entries; left_out : bool array (F, N)."""
        baselines = {name: np.where(left_out, np.nan, losses) for name, losses in self.baselines.items()}
        losses = [np.where(left_out, np.nan, losses) for losses in self.losses]
        fold_of = np.where(left_out, np.nan, self.fold_of)
        left = {"entries": int(np.count_nonzero(~np.isnan(fold_of))), "fold_of": fold_of}
        return self._replace(losses=losses, baselines=baselines, **left)


def held_out_losses(
    V: Any, estimators: Sequence[Factorization], seed: int, monitor_of: Callable | None, n_jobs: int | None = None
) -> HeldOutLosses:
    """Hold out entries fold by fold, fit every method to the others, and return the losses.

    Arguments and errors are those of `nbmf.verdict`.
    """
    check_count("seed", seed, 0)
    check_count("n_jobs", 1 if n_jobs is None else n_jobs, 1)
    if is_sparse(V):
        split = SampledEntries(V, estimators, seed)
    else:
        split = AllEntries(V, estimators[0].likelihood, seed)
    estimators = [estimator.for_matrix(V) for estimator in estimators]
    training = [split.training(fold) for fold in split.folds]
    at_a_time = 1 if is_sparse(V) else fits_at_a_time(estimators, training[0], n_jobs)
    estimators = [limit_to_one_thread(estimator, at_a_time) for estimator in estimators]
    baselines: dict[str, list[np.ndarray]] = {}
    for number, fold in enumerate(split.folds):
        for name, losses in split.baseline_losses(fold, training[number], number).items():
            baselines.setdefault(name, []).append(losses)

    def losses_of(number: int, i: int) -> np.ndarray:
        monitor = monitor_of and monitor_of(number * len(estimators) + i, len(split.folds) * len(estimators))
        return split.method_losses(split.folds[number], fit_to_fold(estimators[i], training[number], number, monitor))

    fits = [(number, i) for number in range(len(split.folds)) for i in range(len(estimators))]
    fits.sort(key=lambda fit: estimators[fit[1]].inference is not Inference.SAMPLER)  # they take longest: first
    losses_by_fit = dict(zip(fits, results_of([partial(losses_of, *fit) for fit in fits], at_a_time), strict=True))
    methods = [[losses_by_fit[number, i] for number in range(len(split.folds))] for i in range(len(estimators))]
    gathered = [split.gather(losses) for losses in methods]
    entries = int(np.count_nonzero(~np.isnan(gathered[0])))
    baseline_losses = {name: split.gather(losses) for name, losses in baselines.items()}
    sizes = [len(losses) for losses in methods[0]]
    fold_of = split.gather([np.full(size, number, float) for number, size in enumerate(sizes)])
    counts = entries, len(split.folds), split.observed
    return HeldOutLosses(gathered, baseline_losses, *counts, split.measure(), fold_of)
