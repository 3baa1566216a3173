"""The structure test of `nbmf.analyze`, `nbmf fit` and `nbmf compare`: the same methods, folds and sentence."""

import warnings
from collections.abc import Callable, Sequence

from nbmf.analysis.progress import Progress, silent
from nbmf.analysis.settings import estimator_of
from nbmf.catalogue import candidates_for
from nbmf.data.named import NamedMatrix
from nbmf.errors import PoorFitWarning
from nbmf.evaluation.verdict import MethodChoice, choose
from nbmf.inference.declarations import View
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import LEAST


def structure_of(
    matrix: NamedMatrix, seed: int, iterations: int | None, *, progress: Progress, log: Callable[[str], None]
) -> MethodChoice | None:
    """Return what an analysis says about a matrix where no method is named."""
    names = candidates_for(type(matrix).__name__, matrix.n_observed)
    estimators = [estimator_of(name, seed=seed, iterations=iterations) for name in names]
    if (reason := untestable(matrix, estimators[0])) is not None:
        log(reason)
        return None
    return check_structure(matrix, estimators, seed, progress=progress)


def untestable(matrix: NamedMatrix, estimator: Factorization) -> str | None:
    """Return why no structure is tested, None if it is."""
    if estimator.likelihood.unit != "entry":
        return f"whether there is structure is not tested: {estimator.label} predicts {estimator.likelihood.unit}s"
    if (observed := matrix.n_observed) < LEAST:
        return f"{observed} observed entries are too few to say whether there is structure"
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
    fitted = [*estimators, *(stacked_with or ())]
    steps = sum(estimator.n_iterations for estimator in fitted) / len(fitted)  # of a fit on average
    with warnings.catch_warnings(), progress("check", steps) as monitor_of:
        warnings.simplefilter("ignore", PoorFitWarning)  # the test says it
        return choose(
            matrix, estimators, seed=seed, tries=tries, view=view, stacked_with=stacked_with, monitor_of=monitor_of
        )
