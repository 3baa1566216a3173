"""Losses on entries that were held out, of methods and of predictions without components."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.evaluation.baselines import at, baselines_of, prediction
from nbmf.evaluation.entry_losses import losses_of
from nbmf.evaluation.folds import clustered_error, folds, is_symmetric, units
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Monitor
from nbmf.seeds import child, seed_sequence


class HeldOutLosses(NamedTuple):
    """What was found on all entries that were held out.

    own : list of float arrays (F, N), of each method, NaN where nothing was held out
    baselines : dict of the same, by the name of a baseline
    entries, folds : int, how many entries were held out, in how many folds
    observed : int, how many there are; of a symmetric matrix pairs in the place of entries
    """

    own: list[np.ndarray]
    baselines: dict[str, np.ndarray]
    entries: int
    folds: int
    observed: int

    unit = "held-out entry"  # what a mean is per

    @staticmethod
    def mean(losses: np.ndarray) -> float:
        """Return the mean of losses, or of a difference of some."""
        return float(np.nanmean(losses))

    @staticmethod
    def error(losses: np.ndarray) -> float:
        """Return its standard error; entries of a row or a column are not independent."""
        return clustered_error(losses)

    @staticmethod
    def freedom(losses: np.ndarray) -> int:
        """Return the degrees of freedom of that error."""
        return max(min(losses.shape) - 1, 1)


def losses_by_folds(
    V: Any, estimators: Sequence[Factorization], seed: int, monitor_of: Callable | None
) -> HeldOutLosses:
    """Hold out tenths of the observed entries in turn, as `nbmf.verdict` says."""
    law = estimators[0].likelihood
    codes = law.values_of(V)
    in_pairs = is_symmetric(codes)
    drawn = list(folds(codes, np.random.default_rng(seed_sequence("verdict", seed)), in_pairs))
    own = [np.full(codes.shape, np.nan) for _ in estimators]
    baselines = {name: np.full(codes.shape, np.nan) for name in baselines_of(law)}
    for number, held_out in enumerate(drawn):
        training = law.hide(codes, held_out)
        places, values = np.nonzero(held_out), codes[held_out]
        for name, loss in baselines.items():
            loss[held_out] = losses_of(law, values, at(prediction(name, training), *places))
        for i, estimator in enumerate(estimators):
            step = number * len(estimators) + i
            monitor = monitor_of and monitor_of(step, len(drawn) * len(estimators))
            fitted = fitted_to(estimator, training, number, monitor)
            own[i][held_out] = losses_of(law, values, fitted.predictive(*places))
    if in_pairs:  # an entry and its mirror image are one observation
        for array in (*own, *baselines.values()):
            array[np.tril_indices_from(array)] = np.nan
    counted = int(np.count_nonzero(~np.isnan(own[0])))
    return HeldOutLosses(own, baselines, counted, len(drawn), int(np.count_nonzero(units(codes, in_pairs))))


def fitted_to(estimator: Factorization, training: Any, fold: int, monitor: Monitor | None) -> Factorization:
    """Return a fit to what a fold leaves, with a seed of its own."""
    seed = child(estimator._seed(), "verdict", fold)
    return type(estimator)(**estimator.get_params() | {"random_state": seed}).fit(training, monitor=monitor)
