"""The structure test of `nbmf.analyze`, `nbmf fit` and `nbmf compare`: the same methods, folds and sentence."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbmf.analysis.mixture import memory_of
from nbmf.analysis.progress import Progress, silent
from nbmf.analysis.settings import configured_estimator
from nbmf.analysis.size import use_all_processors
from nbmf.catalogue import METHODS, candidates_for
from nbmf.data.named import NamedMatrix
from nbmf.evaluation.held_out import describe_shortage
from nbmf.evaluation.verdict import MethodChoice, choose
from nbmf.inference.declarations import View
from nbmf.inference.estimator import Factorization


def run_structure_test(
    matrix: NamedMatrix, seed: int, iterations: int | None, *, progress: Progress, log: Callable[[str], None]
) -> MethodChoice | None:
    """Return what the structure test says about a matrix if no method is named; None if it cannot be tested."""
    names, reason = tried_methods(matrix)
    estimators = [configured_estimator(name, seed=seed, iterations=iterations) for name in names]
    why_not = why_untestable(matrix, estimators[0])
    if why_not or reason:
        log(why_not or reason)
    return None if why_not else check_structure(matrix, estimators, seed, progress=progress)


def tried_methods(
    matrix: NamedMatrix, *, components: int | None = None, settings: Mapping[str, Any] | None = None
) -> tuple[Sequence[str], str]:
    """Return the methods that are tried if none is named, and why they are not the usual ones; "" if they are."""
    kind, observed = type(matrix).__name__, matrix.n_observed
    usual = candidates_for(kind, observed)
    first = configured_estimator(usual[0], seed=0, components=components, settings=settings)
    needed, limit = memory_of(first, matrix), first.memory_budget_gb
    instead = candidates_for(kind, observed, fits_in_memory=needed <= limit)
    if instead == usual:
        return usual, ""
    labels = " and ".join(METHODS[name]["label"] for name in instead)
    return instead, (
        f"{first.label} would need {needed:.1f} GB, its limit is {limit:g} GB: {labels}, whose time and memory grow "
        "with the ones alone, takes its place"
    )


def why_untestable(matrix: NamedMatrix, estimator: Factorization) -> str | None:
    """Return why structure cannot be tested; None if it can."""
    if estimator.likelihood.unit != "entry":
        return f"whether there is structure is not tested: {estimator.label} predicts {estimator.likelihood.unit}s"
    if (what := describe_shortage(matrix, estimator.likelihood)) is not None:
        return f"{what} are too few to say whether there is structure"
    return None


def check_structure(
    matrix: NamedMatrix,
    estimators: Sequence[Factorization],
    seed: int,
    *,
    tries: int | None = None,
    view: View | None = None,
    stacked_with: Sequence[Factorization] | None = None,
    progress: Progress = silent,
) -> MethodChoice:
    """Return which method predicts held-out entries best, and whether there is structure; see `choose`."""
    if matrix.dense is not None:  # one fit at a time, which takes all processors
        estimators = [use_all_processors(estimator, matrix) for estimator in estimators]
    fitted = [*estimators, *(stacked_with or ())]
    steps = sum(estimator.n_iterations for estimator in fitted) / len(fitted)  # of a fit on average
    with progress("check", steps) as monitor_of:
        return choose(
            matrix, estimators, seed=seed, tries=tries, view=view, stacked_with=stacked_with, monitor_of=monitor_of
        )
