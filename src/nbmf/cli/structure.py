"""The structure test of `nbmf fit` and `nbmf compare`: the same methods, the same folds, the same sentence."""

import warnings
from collections.abc import Sequence

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS
from nbmf.cli.progress import Progress, step_counters
from nbmf.cli.settings import checked, iteration_settings
from nbmf.data.named import NamedMatrix
from nbmf.errors import PoorFitWarning
from nbmf.evaluation.folds import LEAST
from nbmf.evaluation.verdict import MethodChoice, choose
from nbmf.inference.declarations import View
from nbmf.inference.estimator import Factorization
from nbmf.inference.stopping import MeanChangeBelow

MEAN_CHANGE = 1e-4  # of E[V] in ten iterations, below which variational methods of Beta-Dir and its kin stop


def estimator_of(
    method: str, *, seed: int, iterations: int | None = None, components: int | None = None, settings: Sequence = ()
) -> Factorization:
    """Return a method with the settings of the command line, not fitted."""
    entry = METHODS[method]
    given = dict(entry["settings"])
    given |= iteration_settings(entry["class"], iterations)
    given |= checked(entry["class"], settings)
    if MeanChangeBelow.parameter in registry.settings_of(entry["class"]):
        given.setdefault(MeanChangeBelow.parameter, MEAN_CHANGE)
    own = entry["K"][0] if len(entry["K"]) == 1 else registry.estimator_class(entry["class"])().n_components
    return registry.make_estimator(entry["class"], components or own, given, random_state=seed)


def structure_of(matrix: NamedMatrix, seed: int, iterations: int | None) -> MethodChoice | None:
    """Return what `nbmf fit` says of a matrix where no method is named."""
    names = CANDIDATES[type(matrix).__name__]
    return check_structure(matrix, [estimator_of(name, seed=seed, iterations=iterations) for name in names], seed)


def check_structure(
    matrix: NamedMatrix,
    estimators: Sequence[Factorization],
    seed: int,
    tries: int | None = None,
    view: View | None = None,
) -> MethodChoice | None:
    """Return which method predicts held-out entries best, and whether there is structure; see `choose`."""
    if estimators[0].likelihood.unit != "entry":  # LDA's prediction is of tokens
        return None
    if (observed := matrix.n_observed) < LEAST:
        print(f"{observed} observed entries are too few to say whether there is structure")
        return None
    steps = sum(estimator.n_iterations for estimator in estimators) / len(estimators)  # of a fit on average
    with warnings.catch_warnings(), Progress("check") as progress:
        warnings.simplefilter("ignore", PoorFitWarning)  # the test says it
        return choose(matrix, estimators, seed=seed, tries=tries, view=view, monitor_of=step_counters(progress, steps))
