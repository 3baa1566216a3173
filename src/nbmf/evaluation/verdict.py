"""Is there structure in a matrix? Methods against each other and predictions without components."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import is_sparse
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.evaluation.baselines import LABELS, baselines_of
from nbmf.evaluation.clustered_errors import format_p, one_sided_p
from nbmf.evaluation.held_out import EntryMeasure, HeldOutLosses, Measure, held_out_losses
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Monitor

CHANCE = 0.05  # that noise passes for structure


class Gain(NamedTuple):
    """By how much a method predicts better than a baseline.

    baseline : str, one of nbmf.evaluation.baselines.LABELS
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


class LossDifference(NamedTuple):
    """By how much another prediction is worse than that of the chosen method.

    Another method may predict a little better, see `choose`.

    what : str, a method or a baseline in words
    loss : float, nats per held-out entry
    mean : float, its loss minus that of the chosen method
    error : float, its standard error; entries of a row or a column are not taken as independent
    """

    what: str
    loss: float
    mean: float
    error: float


class Verdict(NamedTuple):
    """Whether a method predicts better than every baseline, and by how much.

    method : str, what was judged, in words
    found : bool, whether the method predicts better than every baseline, each with p < chance
    chance : float, CHANCE; of a method that was chosen among several, CHANCE / their number
    loss : float, of the method, in nats per held-out entry
    gains : tuple of Gain, over each baseline, the best baseline first
    entries, folds : int, how many entries were held out, in how many folds
    observed : int, how many there are; of a symmetric matrix pairs in the place of entries
    others : tuple of LossDifference, the other methods that could have been chosen, the best first
    unit : str, what losses are per: "held-out entry", or "one" of a sparse matrix

    Of a sparse matrix ones and as many zeros are held out, weighted by one over the chance of that.
    """

    method: str
    found: bool
    chance: float
    loss: float
    gains: tuple[Gain, ...]
    entries: int
    folds: int
    observed: int
    others: tuple[LossDifference, ...] = ()
    unit: str = EntryMeasure.unit

    @property
    def compared(self) -> list[LossDifference]:
        """What else predicted the same entries: the other methods, then the baselines."""
        baselines = (LossDifference(LABELS[gain.baseline], gain.loss, gain.mean, gain.error) for gain in self.gains)
        return [*self.others, *baselines]

    def __str__(self) -> str:
        best = self.gains[0]
        how_much = f"{abs(best.mean):.4f} ± {best.error:.4f} nats per {self.unit}"
        what = LABELS[best.baseline]
        if self.found:
            return (
                f"structure found: it predicts better than {what}, the best prediction without "
                f"components, by {how_much} ({best.loss:.4f} to {self.loss:.4f}, {format_p(best.p)})"
            )
        if best.mean > 0:
            weakest = max(self.gains, key=lambda gain: gain.p)
            return (
                f"nothing found beyond {LABELS[weakest.baseline]}: a lead of "
                f"{weakest.mean:.4f} ± {weakest.error:.4f} nats per {self.unit} can be chance "
                f"({format_p(weakest.p)}; {self.chance:g} would tell)"
            )
        return (
            f"nothing found beyond {what}, which predicts better by {how_much} "
            f"({best.loss:.4f} instead of {self.loss:.4f})"
        )


class MethodChoice(NamedTuple):
    """The method that `choose` takes.

    index : int, its place among the methods that were given
    verdict : Verdict, of this method
    """

    index: int
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
    diagonal is not held out. Of a sparse matrix tenths of the ones and as many zeros are, weighted
    so that sums are of the whole matrix; its baselines are the overall share and rates r_f c_n.

    Parameters
    ----------
    V : BinaryMatrix, CountMatrix, SparseBinaryMatrix, array (F, N), DataFrame, scipy.sparse matrix
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
    kind = SparseBinaryMatrix if is_sparse(V) else type(V)
    given = candidates(kind) if estimator is None else [estimator]
    return choose(V, given, seed=seed, monitor_of=monitor_of).verdict


def choose(
    V: Any,
    estimators: Sequence[Factorization],
    *,
    seed: int = 0,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> MethodChoice:
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
    MethodChoice

    Raises
    ------
    ConfigError, DataError
        As for `verdict`.
    """
    for estimator in estimators:
        if not baselines_of(estimator.likelihood):
            raise DataError(f"{type(estimator).__name__} predicts no probability of a one or of a count per entry")
        estimator.check_parameters()
    tested = held_out_losses(V, estimators, seed, monitor_of)
    index = _first_near_the_best(tested.methods, tested.measure)
    return MethodChoice(index, _verdict_on(index, estimators, tested))


def _first_near_the_best(losses_of_methods: Sequence[np.ndarray], measure: Measure) -> int:
    """Return the first method that the best leads by no more than a standard error."""
    best = min(losses_of_methods, key=measure.mean)
    leads = (losses - best for losses in losses_of_methods)
    return next(i for i, lead in enumerate(leads) if measure.mean(lead) <= measure.error(lead))


def _verdict_on(index: int, estimators: Sequence[Factorization], tested: HeldOutLosses) -> Verdict:
    """Return the verdict on one of the methods whose losses are known."""
    chosen, measure, chance = tested.methods[index], tested.measure, CHANCE / len(estimators)
    gains = [_gain(name, losses, chosen, measure) for name, losses in tested.baselines.items()]
    others = [
        _difference(estimator.title, losses, chosen, measure)
        for i, (estimator, losses) in enumerate(zip(estimators, tested.methods, strict=True))
        if i != index
    ]
    return Verdict(
        method=estimators[index].title,
        found=all(gain.mean > 0 and gain.p < chance for gain in gains),
        chance=chance,
        loss=measure.mean(chosen),
        gains=tuple(sorted(gains, key=lambda gain: gain.loss)),
        entries=tested.entries,
        folds=tested.folds,
        observed=tested.observed,
        others=tuple(sorted(others, key=lambda other: other.loss)),
        unit=measure.unit,
    )


def _difference(what: str, losses: np.ndarray, chosen: np.ndarray, measure: Measure) -> LossDifference:
    """Return by how much losses are larger than those of the chosen method."""
    difference = losses - chosen
    return LossDifference(what, measure.mean(losses), measure.mean(difference), measure.error(difference))


def _gain(baseline: str, losses: np.ndarray, chosen: np.ndarray, measure: Measure) -> Gain:
    """Return by how much the chosen method predicts better than a baseline."""
    lead = _difference(baseline, losses, chosen, measure)
    p = float(lead.mean <= 0)
    if lead.error > 0:
        p = one_sided_p(lead.mean, lead.error, measure.degrees_of_freedom(losses))
    return Gain(baseline, lead.loss, lead.mean, lead.error, p)


def candidates(kind: type = BinaryMatrix, seed: int = 0) -> list[Factorization]:
    """Return the methods among which `nbmf fit` chooses by default."""
    names = CANDIDATES.get(kind.__name__, CANDIDATES[BinaryMatrix.__name__])
    entries = [METHODS[name] for name in names]
    return [registry.make_estimator(entry["class"], entry["K"][0], entry["settings"], seed) for entry in entries]
