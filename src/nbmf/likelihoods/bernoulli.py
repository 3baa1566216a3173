"""The Bernoulli likelihood: 1, 0 or missing, scored by the predicted probability of a one."""

from typing import Any

import numpy as np

from nbmf.data.matrix import ALLOWED, BinaryMatrix, as_codes
from nbmf.data.named import names_of
from nbmf.errors import DataError, Setting
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt, refuse_other_forms

# The largest double below one is 1 - 2**-53. A prediction that reaches 0 or 1 is scored as if it
# had stopped there: a wrong one costs 36.7 nats instead of infinity, and is counted.
SMALLEST_PROBABILITY = 2.0**-53

ROUNDING = 1e-6  # by which a sum of products in single precision may be beyond 0 or 1

BINS = 20  # of predicted probabilities, of equal width from 0 to 1
EDGES = np.arange(1, BINS) / BINS  # between them; what lies on an edge is in the bin above it
ENTRIES_AT_ONCE = 2**16  # that are put into bins: temporary arrays stay in the cache


class EntryLoss(LossAt):
    """Scores probabilities of a one; see Likelihood.loss_at."""

    def __init__(self, codes: np.ndarray, entries: np.ndarray):
        self._is_zero = self._take(codes, entries) == 0

    def __call__(self, prediction: np.ndarray) -> Loss:
        """Return the loss of E[v] at the entries, float array (n,)."""
        likelihood = np.array(prediction, float)
        np.subtract(1.0, likelihood, out=likelihood, where=self._is_zero)
        return loss_of_probabilities(likelihood)

    def further_scores(self, prediction: np.ndarray) -> dict[str, Any]:
        """Return the Brier score and the calibration of E[v] at the entries, float array (n,)."""
        return scores_of_probabilities(~self._is_zero, prediction)


class Bernoulli(Likelihood):
    """Values are int8 codes (F, N): 1, 0, -1 (missing)."""

    name = "bernoulli"
    matrix = BinaryMatrix
    limits = (0.0, 1.0)
    loss = EntryLoss
    further_scores = ("brier", "calibration")

    def values_of(self, V: Any) -> np.ndarray:
        """Return the codes of a BinaryMatrix, an array or a DataFrame.

        Some errors are in scikit-learn's words.
        """
        refuse_other_forms(V, ALLOWED)
        return as_codes(V)

    def sparse_values_of(self, V: Any) -> Any:
        """Return the ones, and what is missing, of a matrix of scipy.sparse."""
        from nbmf.data.sparse_counts import SparseCounts  # scipy.sparse takes a moment

        return SparseCounts.of(V, largest=1)

    def losses(self, values: np.ndarray, prediction: np.ndarray) -> np.ndarray:
        """Return the losses of probabilities of a one, float array (n,)."""
        chance = np.where(values == 1, prediction, 1.0 - prediction)
        return -np.log(np.maximum(chance, SMALLEST_PROBABILITY))


BERNOULLI = Bernoulli()


def loss_of_probabilities(likelihood: np.ndarray) -> Loss:
    """Return the loss of probabilities of what was observed; the array is overwritten."""
    saturated = int(np.count_nonzero(likelihood < SMALLEST_PROBABILITY))
    # In place: large temporary arrays cost more than the logarithms.
    np.clip(likelihood, SMALLEST_PROBABILITY, 1.0, out=likelihood)
    np.log(likelihood, out=likelihood)
    return Loss(float(-likelihood.sum()), int(likelihood.size), saturated)


def scores_of_probabilities(is_one: np.ndarray, probability: np.ndarray) -> dict[str, Any]:
    """Return the Brier score and the calibration of probabilities of a one.

    Parameters
    ----------
    is_one : bool array (n,)
        What was observed, n > 0.
    probability : float array (n,)
        What was predicted. A NaN makes the Brier score NaN.

    Returns
    -------
    dict
        `brier` and `calibration`, see `LossAt.further_scores`.
    """
    squares, sum_p = 0.0, np.zeros(BINS)
    entries, ones = np.zeros((2, BINS), np.int64)
    for first in range(0, is_one.size, ENTRIES_AT_ONCE):
        v, p = (array[first : first + ENTRIES_AT_ONCE] for array in (is_one, probability))
        squares += float(np.square(v - p).sum())
        which = np.digitize(p, EDGES)
        entries += np.bincount(which, minlength=BINS)
        sum_p += np.bincount(which, p, BINS)
        ones += np.bincount(which[v], minlength=BINS)
    bins = {"entries": entries.tolist(), "sum_p": sum_p.tolist(), "ones": ones.tolist()}
    return {"brier": squares / is_one.size, "calibration": bins}


def loss_of(codes: np.ndarray, expectation: np.ndarray, entries: np.ndarray) -> Loss:
    """Return the loss of probabilities `expectation` of a one, float array (F, N), at some entries.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    expectation : float array (F, N)
        E[V].
    entries : bool array (F, N)
        Which entries to score; all of them must be observed.

    Raises
    ------
    DataError
        If shapes differ, an entry to score is missing, or there is none.
    """
    loss_at = EntryLoss(codes, entries)
    if np.shape(expectation) != codes.shape:
        raise DataError(f"probabilities: shape {np.shape(expectation)}; allowed: that of codes, {codes.shape}")
    return loss_at(np.asarray(expectation)[loss_at.rows, loss_at.columns])


def perplexity(codes: Any, expectation: Any, entries: Any) -> float:
    """Return the held-out log loss of probabilities of a one in nats per entry, eq. (67).

    A wrong prediction of exactly 0 or 1 costs 36.7 nats, the most that an entry can, instead of infinitely many.

    Parameters
    ----------
    codes : BinaryMatrix, array (F, N), lists or DataFrame
        What was observed: 1, 0 and missing (NaN or -1).
    expectation : float array (F, N), lists or DataFrame
        The probability of a one in each entry, from 0 to 1; what is not scored may be anything.
    entries : bool array (F, N), lists or DataFrame
        Which entries to score, for example those that were held out; all of them must be observed.

    Returns
    -------
    float
        The mean of minus the natural logarithm of the probability of what was observed; log 2 = 0.693 for guessing.

    Raises
    ------
    DataError
        If a value of codes is not allowed, shapes differ, rows or columns of the same names are in another order, an
        entry to score is missing or has no probability, or there is none.
    """
    _refuse_another_order(codes, "expectation", expectation)
    _refuse_another_order(codes, "entries", entries)
    codes, expectation, entries = BERNOULLI.values_of(codes), np.asarray(expectation), np.asarray(entries)
    loss = loss_of(codes, expectation, entries)
    _refuse_others_than_probabilities(expectation, entries)
    return loss.perplexity


def _refuse_another_order(codes: Any, name: str, given: Any) -> None:
    for kind, known, names in zip(("rows", "columns"), names_of(codes), names_of(given), strict=True):
        if known is None or names is None or np.array_equal(known, names):
            continue
        if np.array_equal(np.sort(known), np.sort(names)):
            raise DataError(Setting(name), f": its {kind} are those of codes in another order; allowed: the same order")


def _refuse_others_than_probabilities(expectation: np.ndarray, entries: np.ndarray) -> None:
    """Raise DataError if an entry to score has a NaN, or what is beyond 0 to 1 by more than rounding."""
    wrong = entries & ~((expectation >= -ROUNDING) & (expectation <= 1 + ROUNDING))
    if wrong.any():
        f, n = np.argwhere(wrong)[0]
        raise DataError(
            Setting("expectation"),
            f": row {f}, column {n} (counted from 0) is {expectation[f, n]}; allowed: probabilities, 0 to 1",
        )
