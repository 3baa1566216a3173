"""Is there structure in a matrix? A method against predictions that use no component."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

from nbmf import registry
from nbmf.catalogue import DEFAULT, DEFAULTS, METHODS
from nbmf.comparison.baselines import LABELS, at, baselines_of, prediction
from nbmf.comparison.entry_losses import losses_of
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Monitor
from nbmf.seeds import child, seed_sequence

HELD_OUT = 0.1  # of the observed entries, in each fold
ENOUGH = 2000  # entries held out in all folds together, unless every entry has been
LEAST = 20  # observed entries of a matrix
CHANCE = 0.05  # that noise passes for structure


class Gain(NamedTuple):
    """By how much a method predicts better than a baseline.

    baseline : str, one of nbmf.comparison.baselines.LABELS
    loss : float, of the baseline, in nats per held-out entry
    mean : float, the baseline's loss minus the method's
    error : float, its standard error; entries of a row or a column are not taken as independent
    p : float, the probability of so large a gain if there were none (one-sided)
    """

    baseline: str
    loss: float
    mean: float
    error: float
    p: float


class Verdict(NamedTuple):
    """What `verdict` has found.

    found : bool, whether the method predicts better than every baseline, each with p < CHANCE
    loss : float, of the method, in nats per held-out entry
    gains : tuple of Gain, over each baseline, the best baseline first
    entries, folds : int, how many entries were held out, in how many folds
    observed : int, how many there are; of a symmetric matrix pairs in the place of entries
    """

    found: bool
    loss: float
    gains: tuple[Gain, ...]
    entries: int
    folds: int
    observed: int

    def __str__(self) -> str:
        best = self.gains[0]
        how_much = f"{abs(best.mean):.4f} ± {best.error:.4f} nats per held-out entry"
        what = LABELS[best.baseline]
        if self.found:
            return (
                f"structure found: it predicts better than {what}, the best prediction without "
                f"components, by {how_much} ({best.loss:.4f} to {self.loss:.4f}, p {_told(best.p)})"
            )
        if best.mean > 0:
            weakest = max(self.gains, key=lambda gain: gain.p)
            return (
                f"nothing found beyond {LABELS[weakest.baseline]}: a lead of "
                f"{weakest.mean:.4f} ± {weakest.error:.4f} nats per held-out entry can be chance "
                f"(p {_told(weakest.p)})"
            )
        return (
            f"nothing found beyond {what}, which predicts better by {how_much} "
            f"({best.loss:.4f} instead of {self.loss:.4f})"
        )


def verdict(
    V: Any,
    estimator: Factorization | None = None,
    *,
    seed: int = 0,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> Verdict:
    """Say whether a method finds structure: whether it predicts better than no components do.

    Tenths of the observed entries are held out in turn until ENOUGH entries, or every entry, have
    been. The method is fitted to the others, and compared entry by entry with the overall share of
    ones, the shares of columns and rows, and row and column effects; of counts with means and with
    the rates r_f c_n of rows and columns, under the law of the method. Of a symmetric matrix, an
    undirected network, an entry and its mirror image are held out together and count once, and the
    diagonal is not held out.

    Parameters
    ----------
    V : BinaryMatrix, CountMatrix, array (F, N) or DataFrame
        Values that the method takes, and missing (NaN or -1).
    estimator : Factorization, optional
        A method for binary matrices or counts, not fitted itself; default: that of `nbmf fit`.
    seed : int
        Of the folds; the same seed gives the same verdict if the estimator has a random_state.
    monitor_of : function, optional
        From the number of a fold and their count to the monitor of its fit.

    Returns
    -------
    Verdict
        Its text is a sentence for a person.

    Raises
    ------
    ConfigError
        If a parameter of the estimator has a value that is not allowed.
    DataError
        If V has a value that is not allowed, has fewer than LEAST observed entries, or the
        estimator is scored neither by the probability of a one nor by that of a count.
    """
    estimator = default_estimator(kind=type(V)) if estimator is None else estimator
    law, baselines = estimator.likelihood, baselines_of(estimator.likelihood)
    if not baselines:
        raise DataError(
            f"{type(estimator).__name__} predicts no probability of a one or of a count per entry"
        )
    estimator.check_parameters()
    codes = law.values_of(V)
    in_pairs = is_symmetric(codes)
    drawn = list(folds(codes, np.random.default_rng(seed_sequence("verdict", seed)), in_pairs))
    own = np.full(codes.shape, np.nan)
    losses = {name: np.full(codes.shape, np.nan) for name in baselines}
    given = estimator.get_params()
    base = estimator._seed()
    for number, held_out in enumerate(drawn):
        training = law.hide(codes, held_out)
        fitted = type(estimator)(**given | {"random_state": child(base, "verdict", number)})
        fitted.fit(training, monitor=monitor_of and monitor_of(number, len(drawn)))
        places, values = np.nonzero(held_out), codes[held_out]
        own[held_out] = losses_of(law, values, fitted.predictive(*places))
        for name, loss in losses.items():
            loss[held_out] = losses_of(law, values, at(prediction(name, training), *places))
    if in_pairs:  # an entry and its mirror image are one observation
        for array in (own, *losses.values()):
            array[np.tril_indices_from(array)] = np.nan
    gains = [_gain(name, loss, own) for name, loss in losses.items()]
    return Verdict(
        all(gain.mean > 0 and gain.p < CHANCE for gain in gains),
        float(np.nanmean(own)),
        tuple(sorted(gains, key=lambda gain: gain.loss)),
        int(np.count_nonzero(~np.isnan(own))),
        len(drawn),
        np.count_nonzero(_units(codes, in_pairs)),
    )


def default_estimator(seed: int = 0, kind: type = BinaryMatrix) -> Factorization:
    """Return the method that `nbmf fit` takes of a kind of matrix where nothing is said."""
    entry = METHODS[DEFAULTS.get(kind.__name__, DEFAULT)]
    return registry.make_estimator(entry["class"], entry["K"][0], entry["settings"], seed)


def is_symmetric(codes: np.ndarray) -> bool:
    """Whether a matrix equals its transpose, so that an entry tells its mirror image."""
    return codes.shape[0] == codes.shape[1] > 1 and np.array_equal(codes, codes.T)


def _units(codes: np.ndarray, in_pairs: bool) -> np.ndarray:
    """Return the observed entries that can be held out; of pairs the one above the diagonal."""
    observed = codes != MISSING
    return np.triu(observed, k=1) if in_pairs else observed


def folds(
    codes: np.ndarray, rng: np.random.Generator, in_pairs: bool = False
) -> Iterator[np.ndarray]:
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
    observed = rng.permutation(np.flatnonzero(_units(codes, in_pairs)))
    if observed.size < LEAST:
        raise DataError(f"{observed.size} observed entries: to hold some out takes {LEAST}")
    count = min(math.ceil(ENOUGH / (HELD_OUT * observed.size)), round(1 / HELD_OUT))
    for chosen in np.array_split(observed, round(1 / HELD_OUT))[:count]:
        held_out = np.zeros(codes.size, bool)
        held_out[chosen] = True
        held_out = held_out.reshape(codes.shape)
        yield held_out | held_out.T if in_pairs else held_out


def _gain(name: str, loss: np.ndarray, own: np.ndarray) -> Gain:
    """Return the gain over a baseline; both losses are NaN where nothing was held out."""
    difference = loss - own
    mean, error = float(np.nanmean(difference)), clustered_error(difference)
    dof = max(min(difference.shape) - 1, 1)
    p = float(stdtr(dof, -mean / error)) if error > 0 else float(mean <= 0)
    return Gain(name, float(np.nanmean(loss)), mean, error, p)


def clustered_error(values: np.ndarray) -> float:
    """Return the standard error of the mean of a matrix whose rows and columns are clusters.

    A row that is hard to predict is so in all its entries, and a column likewise: the variance is
    that of row sums plus that of column sums minus that of entries (Cameron, Gelbach and Miller,
    "Robust inference with multiway clustering", JBES 29, 2011), and at least the largest of them.

    Parameters
    ----------
    values : float array (F, N)
        NaN where there is no value.
    """
    present = ~np.isnan(values)
    centred = np.where(present, values - np.nanmean(values), 0.0)
    variances = []
    for sums, counted in (
        (centred.sum(axis=1), present.any(axis=1)),
        (centred.sum(axis=0), present.any(axis=0)),
        (centred[present], present[present]),
    ):
        n = int(np.count_nonzero(counted))
        variances.append(np.square(sums).sum() * n / max(n - 1, 1))
    by_row, by_column, by_entry = variances
    total = max(by_row + by_column - by_entry, by_row, by_column, by_entry)
    return math.sqrt(total) / int(np.count_nonzero(present))


def _told(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.001 else "< 0.001"
