"""Is there structure in a matrix? Methods against each other and baselines, and an exact test.

Two tests share the level of 5 %. Cross-validation says whether the method that predicts best predicts
better than every baseline, and by how much. The exact test of `nbmf.margin_test` says whether there is
anything beyond row and column effects: on small matrices it finds what too few held-out entries cannot
show.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS, candidates_for, usual_components
from nbmf.data.given import is_sparse
from nbmf.data.margins import fixed_by_margins
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.other_kinds import naming_other_kinds
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.accuracy import Accuracy, accuracy
from nbmf.evaluation.baselines import baselines_of
from nbmf.evaluation.gains import gains_of, leave_out_if_decisive, loss_difference, passes
from nbmf.evaluation.held_out import EntryMeasure, HeldOutLosses, Measure, held_out_losses
from nbmf.evaluation.margin_test import MarginTest, columns_to_test, is_quick, margin_test
from nbmf.evaluation.stacked import Stacked, stack_methods
from nbmf.evaluation.structure_result import CHANCE, OtherView, Verdict
from nbmf.inference.declarations import View
from nbmf.inference.estimator import Factorization
from nbmf.inference.required import require_estimator
from nbmf.inference.state import Monitor
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics.clustered_errors import one_sided_p


class MethodChoice(NamedTuple):
    """The method that `choose` takes.

    - index : int, its place among the methods that were given
    - verdict : Verdict, of this method
    - other : int or None, the place of the one that is taken where the other view, groups or a scale, is asked for,
      if it predicts not significantly worse
    """

    index: int
    verdict: Verdict
    other: int | None = None


def verdict(
    V: Any,
    estimator: Factorization | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> Verdict:
    """Test whether there is structure: whether a method predicts better than baselines do.

    This is 10-fold cross-validation over the observed entries, which stops when 2,000 entries have been held out,
    500 of them not of the most frequent value, or all. The method is fitted to the others, and compared entry by
    entry with baselines: the overall proportion of ones, column means, row means, and row and column effects. For
    counts these are means and the rates r_f c_n of rows and columns, under the likelihood of the method. Of a
    symmetric matrix, an undirected network, an entry and its mirror image are held out together and count once, and
    the diagonal is not held out. Columns that determine each other, as answers to one question of which each row has
    one, are held out together. Of a sparse matrix each fold holds out a tenth of the ones and as many zeros,
    weighted so that sums estimate those of the whole matrix; its baselines are the overall proportion and rates r_f
    c_n.

    Parameters
    ----------
    V : BinaryMatrix, CountMatrix, CategoryMatrix, SparseBinaryMatrix, array (F, N), DataFrame, scipy.sparse matrix
        Values that the method takes, and missing (NaN or -1); without a method those of an array or a DataFrame are
        binary.
    estimator : Factorization, optional
        A method for binary matrices, counts or ordered categories, not fitted itself; default: the one that
        `nbmf fit` takes, see `choose`. If you try several of your own, the level is not corrected for that.
    seed : int
        Of the folds; the same seed gives the same verdict if the estimator has a random_state.
    n_jobs : int, optional
        Fits at a time, in threads, which changes no result; by default as many as there are processors. There are
        fewer where they would need more memory together than one of them may, and one for sparse matrices.
    monitor_of : function, optional
        From the number of a fold and their count to the monitor of its fit.

    Returns
    -------
    Verdict
        Its text is a readable sentence.

    Raises
    ------
    ConfigError
        If the estimator is none, a parameter of it has a value that is not allowed, `seed` is not an integer of at
        least 0, or `n_jobs` not one of at least 1.
    DataError
        If V has a value that is not allowed, has fewer than 20 observed entries or, unless it is sparse, only equal
        ones, or the estimator is not scored by the probability of a one, of a count or of a category.
    """
    given = candidates(V) if estimator is None else [estimator]
    return choose(V, given, seed=seed, n_jobs=n_jobs, monitor_of=monitor_of).verdict


def choose(
    V: Any,
    estimators: Sequence[Factorization],
    *,
    seed: int = 0,
    tries: int | None = None,
    view: View | None = None,
    stacked_with: Sequence[Factorization] | None = None,
    n_jobs: int | None = None,
    monitor_of: Callable[[int, int], Monitor | None] | None = None,
) -> MethodChoice:
    """Say which of several methods to take, and whether it finds structure.

    All of them predict the same entries from the same others, see `verdict`. The one that predicts best
    is tested: its gains over the baselines have to be the surer the more methods there were to choose
    from (Bonferroni). The first is taken that the best leads by no more than a standard error of the
    difference (Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section
    3.4.3), and, if the best passes the test, that passes it as well.

    Of a binary matrix that `is_quick` to test exactly `nbmf.margin_test` is made as well, and each of the two tests has
    half of the level. Unless that finds structure, entries that are `fixed_by_margins` are left out if the best method
    passes by them alone: how sure it is that a column of zeros goes on is no structure.

    Parameters
    ----------
    V, seed, n_jobs
        As for `verdict`.
    estimators : sequence of Factorization
        Methods of one likelihood, not fitted themselves, in the order of preference.
    tries : int, optional
        How many methods the level is divided among; default: those that are given. It is larger where others
        have been tried before.
    view : View, optional
        Take a method of this view. The test is the same.
    stacked_with : sequence of Factorization, optional
        Say what a mixture of all methods and of these further ones predicts, and how much of that the method that is
        taken explains (`Verdict.stack`); of these none is taken, and the test is the same. Not of sparse matrices.
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
        require_estimator(estimator)
        if not baselines_of(estimator.likelihood):
            raise DataError(f"{type(estimator).__name__} predicts no probability of a one or of a count per entry")
        estimator.check_parameters()
    everything = held_out_losses(V, [*estimators, *(stacked_with or ())], seed, monitor_of, n_jobs)
    tested = everything._replace(losses=everything.losses[: len(estimators)])
    exact = _exact_test(V, estimators[0], tested, seed)
    chance = (CHANCE if exact is None else CHANCE / 2) / (tries or len(estimators))
    fixed, is_binary = 0.0, estimators[0].likelihood is BERNOULLI and not is_sparse(V)
    if is_binary and (exact is None or exact.p > CHANCE / 2):
        fixed_entries = fixed_by_margins(BERNOULLI.values_of(V), tested.measure.in_pairs)
        everything, fixed = leave_out_if_decisive(everything, fixed_entries, len(estimators), chance)
        tested = everything._replace(losses=everything.losses[: len(estimators)])
    allowed = [i for i, estimator in enumerate(estimators) if view in (None, estimator.view)]
    if not allowed:
        raise ConfigError(f"view = {str(view)!r}: none of the methods shows {view}")
    index = method_to_show(tested, chance, allowed)
    result = _make_verdict(index, estimators, tested, exact, chance)._replace(fixed=fixed)
    if fixed == 1.0:
        result = result._replace(found=False, predicts=False)
    elif view is not None and not result.predicts:
        result = result._replace(other_view=_predicting_view(index, estimators, tested, chance))
    if stacked_with is not None and not is_sparse(V):
        result = result._replace(stack=_stack(result, index, [*estimators, *stacked_with], everything, seed))
    return MethodChoice(index, result, _other_view(index, estimators, tested, chance))


def _stack(
    result: Verdict, index: int, estimators: Sequence[Factorization], tested: HeldOutLosses, seed: int
) -> Stacked:
    """Return what all methods predict together, next to the method that is taken and the best baseline."""
    titles = [estimator.title for estimator in estimators]
    return stack_methods(tested, titles, index, result.gains[0].baseline, seed)


def _exact_test(V: Any, estimator: Factorization, tested: HeldOutLosses, seed: int) -> MarginTest | None:
    """Return the exact test of a binary matrix that is neither sparse nor too large or small; it is of no method."""
    is_binary = estimator.likelihood.matrix is BinaryMatrix
    if not is_binary or is_sparse(V):
        return None
    if not is_quick(tested.losses[0].shape, tested.observed) or min(columns_to_test(V)[0].shape) < 2:
        return None
    return margin_test(V, seed=seed)


def method_to_show(tested: HeldOutLosses, chance: float, allowed: Sequence[int]) -> int:
    """Return the allowed method to show: the first near the best of them, which passes if the best does."""
    losses = [tested.losses[i] for i in allowed]
    near = [allowed[i] for i in _near_the_best(losses, tested.measure)]
    best = min(losses, key=tested.measure.mean)
    if passes(gains_of(best, tested), chance):
        return next(i for i in near if passes(gains_of(tested.losses[i], tested), chance))
    return near[0]


def _other_view(index: int, estimators: Sequence[Factorization], tested: HeldOutLosses, chance: float) -> int | None:
    """Return the method that is taken where the other view is asked for, None if it predicts significantly worse."""
    other = _method_of_other_view(index, estimators, tested, chance)
    if other is None:
        return None
    measure, losses = tested.measure, tested.losses[other]
    lead = losses - tested.losses[index]
    mean, error = measure.mean(lead), measure.error(lead)
    is_worse = mean > 0 and (error == 0 or one_sided_p(mean, error, measure.degrees_of_freedom(losses)) < CHANCE)
    return None if is_worse else other


def _predicting_view(
    index: int, estimators: Sequence[Factorization], tested: HeldOutLosses, chance: float
) -> OtherView | None:
    """Return the method of the view that was not asked for, None unless it predicts better than each baseline."""
    other = _method_of_other_view(index, estimators, tested, chance)
    if other is None or not passes(gains := gains_of(tested.losses[other], tested), chance):
        return None
    return OtherView(estimators[index].view, estimators[other].view, estimators[other].title, gains[0])


def _method_of_other_view(
    index: int, estimators: Sequence[Factorization], tested: HeldOutLosses, chance: float
) -> int | None:
    """Return the place of the method to show in the view that the one at `index` does not have, None without one."""
    others = [i for i, estimator in enumerate(estimators) if estimator.view is not estimators[index].view]
    return method_to_show(tested, chance, others) if others else None


def _near_the_best(losses_of_methods: Sequence[np.ndarray], measure: Measure) -> list[int]:
    """Return the methods that the best leads by no more than a standard error, in their order."""
    best = min(losses_of_methods, key=measure.mean)
    leads = [losses - best for losses in losses_of_methods]
    return [i for i, lead in enumerate(leads) if measure.mean(lead) <= measure.error(lead)]


def _make_verdict(
    index: int, estimators: Sequence[Factorization], tested: HeldOutLosses, exact: MarginTest | None, chance: float
) -> Verdict:
    """Return the verdict on one of the methods whose losses are known."""
    chosen, measure = tested.losses[index], tested.measure
    gains = gains_of(chosen, tested)
    predicts = passes(gains, chance)
    others = [
        loss_difference(estimator.title, losses, chosen, measure)
        for i, (estimator, losses) in enumerate(zip(estimators, tested.losses, strict=True))
        if i != index
    ]
    right: dict[str, Accuracy] = {}
    if estimators[index].likelihood.matrix is BinaryMatrix and measure.unit == EntryMeasure.unit:
        right = {gain.baseline: accuracy(tested.baselines[gain.baseline], measure.in_pairs) for gain in gains}
    most_right = max(right, key=lambda name: right[name].overall, default="")  # of equal ones the best baseline
    return Verdict(
        method=estimators[index].title,
        found=predicts or (exact is not None and exact.p <= CHANCE / 2),
        predicts=predicts,
        chance=chance,
        loss=measure.mean(chosen),
        gains=tuple(gains),
        entries=tested.entries,
        folds=tested.folds,
        observed=tested.observed,
        others=tuple(sorted(others, key=lambda other: other.loss)),
        unit=measure.unit,
        exact=exact,
        accuracy=accuracy(chosen, measure.in_pairs) if right else None,
        without_components=right.get(most_right),
        most_right=most_right,
    )


def candidates(V: Any, seed: int = 0) -> list[Factorization]:
    """Return the methods among which `nbmf fit` chooses by default for V; what is no matrix of a kind is binary."""
    if is_sparse(V):
        return _make_estimators(CANDIDATES[SparseBinaryMatrix.__name__], seed)
    kind = type(V).__name__ if type(V).__name__ in CANDIDATES else BinaryMatrix.__name__
    first = _make_estimators(CANDIDATES[kind][:1], seed)[0]
    with naming_other_kinds(V):
        values = first.likelihood.values_of(V)
    fits_in_memory = first.memory_needed_gb(values) <= first.memory_budget_gb
    n_observed = np.count_nonzero(first.likelihood.is_observed(values))
    return _make_estimators(candidates_for(kind, n_observed, fits_in_memory), seed)


def _make_estimators(methods: Sequence[str], seed: int) -> list[Factorization]:
    entries = [(METHODS[method], usual_components(method)) for method in methods]
    return [registry.make_estimator(entry["class"], K, entry["settings"], seed) for entry, K in entries]
