"""The mixture of methods that an analysis predicts with, next to the one that it shows.

`Verdict.stack` is what it predicted on held-out entries, `Analysis.stack` the estimator that is fitted to all of them.
"""

import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np

from nbmf.analysis.progress import Progress, silent
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import PoorFitWarning
from nbmf.evaluation.stacked import Stacked
from nbmf.inference.estimator import Factorization
from nbmf.inference.parallel import fits_at_a_time, limit_to_one_thread, results_of
from nbmf.stacking.estimator import Stacking
from nbmf.stacking.members import MEMBERS, make_members, members_within_budget, visits

ITERATIONS = 300  # or sweeps, of the members that are not tested themselves: those of a buffet take their time
K = 8


def further_members(
    tested: Mapping[str, Factorization], matrix: NamedMatrix, seed: int, iterations: int | None
) -> dict[str, Factorization] | None:
    """Return the methods that predict besides those that are tested, by name; None where there is nothing to mix.

    They take no more visits of entries together than the methods that are tested, whose fits it has anyway, and each
    of them the memory that it may.
    """
    if type(matrix) is not BinaryMatrix:
        return None
    others = [name for name in MEMBERS if name not in tested]
    possible = make_members(others, K, min(iterations or ITERATIONS, ITERATIONS))
    for member in possible.values():
        member.set_params(random_state=seed)
    budget = sum(visits(each, matrix.n_observed) for each in tested.values())
    fitting = {name: one for name, one in possible.items() if memory_of(one, matrix) <= one.memory_budget_gb}
    further = members_within_budget(fitting, matrix.n_observed, 1, budget)
    return further if len(tested) + len(further) > 1 else None


def memory_of(estimator: Factorization, matrix: NamedMatrix) -> float:
    """Return how much of its memory budget a fit takes, in gigabytes."""
    return 0.0 if matrix.dense is not None else estimator.memory_needed_gb(getattr(matrix, matrix.field))


def unfitted_members(
    members: Mapping[str, Factorization], stacked: Stacked, fitted: Mapping[str, Factorization]
) -> list[str]:
    """Return the methods with weight that have not been fitted to the whole matrix."""
    weights = zip(members, stacked.weights, strict=True)
    return [name for name, w in weights if w > 0 and name not in fitted]


def fit_mixture(
    members: Mapping[str, Factorization],
    stacked: Stacked,
    matrix: NamedMatrix,
    fitted: Mapping[str, Factorization],
    progress: Progress = silent,
) -> Stacking | None:
    """Return the mixture, fitted to the whole matrix; None where it predicts no better than the method shown.

    Parameters
    ----------
    members : dict
        The methods of which there are weights, by name, in their order.
    stacked : Stacked
        What they predict of held-out entries.
    matrix : BinaryMatrix
    fitted : dict
        Those of them that have been fitted to the whole matrix, which are not fitted again.
    progress : function
    """
    if not stacked.is_more:
        return None
    missing = unfitted_members(members, stacked, fitted)
    steps = sum(members[name].n_iterations for name in missing)
    with warnings.catch_warnings(), progress("mixture", steps) as monitor_of:
        warnings.simplefilter("ignore", PoorFitWarning)  # held-out entries have weighed them
        unfitted = [members[name] for name in missing]
        at_a_time = fits_at_a_time(unfitted, matrix.codes) if missing else 1
        unfitted = [limit_to_one_thread(member, at_a_time) for member in unfitted]
        fits = [partial(member.fit, matrix, monitor=monitor_of(i)) for i, member in enumerate(unfitted)]
        new_fits = dict(zip(missing, results_of(fits, at_a_time), strict=True))
    return Stacking.of({**members, **fitted, **new_fits}, np.array(stacked.weights), matrix)
