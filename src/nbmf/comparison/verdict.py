"""Is there structure in a matrix? Methods against each other and predictions without components."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS, title_of
from nbmf.comparison.baselines import LABELS, at, baselines_of, prediction
from nbmf.comparison.entry_losses import losses_of
from nbmf.comparison.folds import clustered_error, folds, is_symmetric, units
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Monitor
from nbmf.seeds import child, seed_sequence

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


class Behind(NamedTuple):
    """By how much something else predicts worse than the method that is judged.

    Another method may predict a little better, see `choose`.

    what : str, for a person
    loss : float, nats per held-out entry
    mean : float, its loss minus that of the one chosen
    error : float, its standard error; entries of a row or a column are not taken as independent
    """

    what: str
    loss: float
    mean: float
    error: float


class Verdict(NamedTuple):
    """What `verdict` has found.

    method : str, what was judged, for a person
    found : bool, whether the method predicts better than every baseline, each with p < chance
    chance : float, CHANCE; of a method that was chosen among several, CHANCE / their number
    loss : float, of the method, in nats per held-out entry
    gains : tuple of Gain, over each baseline, the best baseline first
    entries, folds : int, how many entries were held out, in how many folds
    observed : int, how many there are; of a symmetric matrix pairs in the place of entries
    others : tuple of Behind, the other methods that could have been chosen, the best first
    """

    method: str
    found: bool
    chance: float
    loss: float
    gains: tuple[Gain, ...]
    entries: int
    folds: int
    observed: int
    others: tuple[Behind, ...] = ()

    @property
    def compared(self) -> list[Behind]:
        """What else predicted the same entries: the other methods, then the baselines."""
        baselines = (Behind(LABELS[gain.baseline], *gain[1:4]) for gain in self.gains)
        return [*self.others, *baselines]

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
                f"(p {_told(weakest.p)}; {self.chance:g} would tell)"
            )
        return (
            f"nothing found beyond {what}, which predicts better by {how_much} "
            f"({best.loss:.4f} instead of {self.loss:.4f})"
        )


class Choice(NamedTuple):
    """What `choose` has found.

    place : int, of the chosen method among those that were given
    verdict : Verdict, of the chosen method
    """

    place: int
    verdict: Verdict


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
        A method for binary matrices or counts, not fitted itself; default: the one that `nbmf fit`
        takes, see `choose`.
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
    given = candidates(type(V)) if estimator is None else [estimator]
    return choose(V, given, seed=seed, monitor_of=monitor_of).verdict


def choose(
    V: Any,
    estimators: Sequence[Factorization],
    *,
    seed: int = 0,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> Choice:
    """Say which of several methods to take, and whether it finds structure.

    All of them predict the same entries from the same others, see `verdict`. The first is taken
    that the best leads by no more than a standard error of the difference (Breiman, Friedman,
    Olshen and Stone, "Classification and Regression Trees", 1984, section 3.4.3). The gains of the
    one that is taken over predictions without components have to be the surer the more methods
    there were to choose from (Bonferroni).

    Parameters
    ----------
    V, seed
        As for `verdict`.
    estimators : sequence of Factorization
        Methods of one likelihood, not fitted themselves, in the order of preference.
    monitor_of : function, optional
        From the number of a fit and their count, folds times methods, to its monitor.

    Returns
    -------
    Choice

    Raises
    ------
    ConfigError, DataError
        As for `verdict`.
    """
    for estimator in estimators:
        if not baselines_of(estimator.likelihood):
            raise DataError(
                f"{type(estimator).__name__} predicts no probability of a one or of a count per "
                "entry"
            )
        estimator.check_parameters()
    entries, own, baselines = _held_out_losses(V, estimators, seed, monitor_of)
    place, chance = _preferred(own), CHANCE / len(estimators)
    gains = [_gain(name, loss, own[place]) for name, loss in baselines.items()]
    others = [
        Behind(title_of(estimators[i]), *_gain("", own[i], own[place])[1:4])
        for i in range(len(own))
        if i != place
    ]
    found = Verdict(
        title_of(estimators[place]),
        all(gain.mean > 0 and gain.p < chance for gain in gains),
        chance,
        float(np.nanmean(own[place])),
        tuple(sorted(gains, key=lambda gain: gain.loss)),
        *entries,
        tuple(sorted(others, key=lambda other: other.loss)),
    )
    return Choice(place, found)


def _preferred(own: list[np.ndarray]) -> int:
    """Return the first place that the best leads by no more than a standard error."""
    best = min(own, key=lambda losses: float(np.nanmean(losses)))
    leads = (losses - best for losses in own)
    return next(
        place
        for place, lead in enumerate(leads)
        if float(np.nanmean(lead)) <= clustered_error(lead)
    )


def _held_out_losses(
    V: Any, estimators: Sequence[Factorization], seed: int, monitor_of: Callable | None
) -> tuple[tuple[int, int, int], list[np.ndarray], dict[str, np.ndarray]]:
    """Return the losses of methods and of baselines, float arrays (F, N), NaN where none is.

    Before them how many entries were held out, in how many folds, and how many there are.
    """
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
            fitted = _fitted(estimator, training, number, monitor)
            own[i][held_out] = losses_of(law, values, fitted.predictive(*places))
    if in_pairs:  # an entry and its mirror image are one observation
        for array in (*own, *baselines.values()):
            array[np.tril_indices_from(array)] = np.nan
    counted = int(np.count_nonzero(~np.isnan(own[0])))
    return (counted, len(drawn), np.count_nonzero(units(codes, in_pairs))), own, baselines


def _fitted(
    estimator: Factorization, training: np.ndarray, fold: int, monitor: Monitor | None
) -> Factorization:
    """Return a fit to what a fold leaves, with a seed of its own."""
    seed = child(estimator._seed(), "verdict", fold)
    return type(estimator)(**estimator.get_params() | {"random_state": seed}).fit(
        training, monitor=monitor
    )


def candidates(kind: type = BinaryMatrix, seed: int = 0) -> list[Factorization]:
    """Return the methods among which `nbmf fit` chooses where nothing is said."""
    names = CANDIDATES.get(kind.__name__, CANDIDATES[BinaryMatrix.__name__])
    entries = [METHODS[name] for name in names]
    return [
        registry.make_estimator(entry["class"], entry["K"][0], entry["settings"], seed)
        for entry in entries
    ]


def _gain(name: str, loss: np.ndarray, own: np.ndarray) -> Gain:
    """Return the gain over a baseline; both losses are NaN where nothing was held out."""
    difference = loss - own
    mean, error = float(np.nanmean(difference)), clustered_error(difference)
    dof = max(min(difference.shape) - 1, 1)
    p = float(stdtr(dof, -mean / error)) if error > 0 else float(mean <= 0)
    return Gain(name, float(np.nanmean(loss)), mean, error, p)


def _told(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.001 else "< 0.001"
