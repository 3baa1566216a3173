"""An estimate of how long an analysis will take, from the work that it plans, without fitting anything.

Each part is its work times what a unit of work costs, as it was measured once on one machine; the caller may say how
much slower this one is. Fits that may end early are taken to end where such fits mostly do. To measure costs anew, see
benchmarks/fit_costs.py.
"""

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.analysis.mixture import memory_of
from nbmf.analysis.plan import make_plan, number_of_chains
from nbmf.analysis.request import Request
from nbmf.analysis.size import count_ones, uses_threads
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.evaluation.margin_test import DRAWS, is_quick, seconds_of_draw
from nbmf.inference.component_search import component_grid, refined_grid
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import HELD_OUT, count_rarer, number_of_folds
from nbmf.inference.parallel import fits_at_a_time
from nbmf.inference.parameters import AUTO
from nbmf.numerics.processors import processors
from nbmf.output.folder import LARGEST_CSV
from nbmf.posterior.recording import RECORDED

# Draws of gammas, and what they take where costs were measured. As in the kernels numbers are computed one by one:
# exponentials of a whole array take a sixth of the time on some processors and say nothing about the kernels there.
BENCHMARK, BENCHMARK_SECONDS = 2**17, 0.0055


class Cost(NamedTuple):
    """What a fit of a class costs.

    - iteration : float, seconds of an iteration of any size
    - entry, component : float, nanoseconds of an iteration per entry that is visited, and per each of its components
    - iterations : int or None, after which such fits mostly end; None of samplers, which make all of them
    - visits_ones : bool, whether entries that are zero are not visited
    - per_row : float, nanoseconds of an iteration per component of a row or a column
    - recorded : float, nanoseconds per entry of a sweep that a chain records
    """

    iteration: float
    entry: float
    component: float
    iterations: int | None
    visits_ones: bool = False
    per_row: float = 0.0
    recorded: float = 0.0


# Of LogisticFactorMAP, iterations are also those with which its penalty is searched for, and the cost of a component is
# that of up to 64 components that fade on the way, measured on matrices of the trials. Costs per row of
# Bernoulli-Poisson fits are of large matrices with scales (benchmarks/popularity.py, recommenders.py).
COSTS = {
    "BetaDirVB": Cost(6e-4, 5, 0.7, 400),
    "LogisticFactorVB": Cost(9e-5, 4, 4, 260),
    "LogisticFactorMAP": Cost(3e-4, 41, 18, 150, per_row=40),
    "IndianBuffetLogistic": Cost(6e-5, 35, 8, None, recorded=35),
    "BernoulliPoissonVB": Cost(1.5e-4, 8, 2.5, 600, visits_ones=True, per_row=40),
    "LogisticFactorGibbs": Cost(1e-4, 60, 5, None, recorded=92),
    "BetaDirGibbs": Cost(8e-5, 30, 0.2, None, recorded=22),
    "BernoulliPoissonGibbs": Cost(2e-4, 10, 3, None, visits_ones=True, per_row=60, recorded=55),
    "NegativeBinomialFactorVB": Cost(2e-4, 20, 8, 300),
    "OrdinalFactorVB": Cost(5e-4, 180, 2, 80),
    "MNB": Cost(2e-4, 6, 0.5, 25),
}
SEARCHES = {"BetaDirVB": Cost(6e-5, 14, 0.7, 250), "MNB": COSTS["MNB"]}  # of the fits with which K is searched for
SEARCHED = 3  # numbers of components that are mostly tried, besides those near the best
START, REPORT = 3.0, 8.0  # seconds to load what is needed; to draw and write
BASELINES = 1.5e-6  # seconds per entry and fold
MIXTURE = 2e-5  # seconds per entry that is held out and method that is mixed
AS_CSV, AS_NPZ = 1.5e-6, 2e-7  # seconds per entry of E[V] that is written


class Estimate(NamedTuple):
    """What an analysis will take.

    - seconds : float
    - fits : int, how many there are at most, not counting those with which K is searched for
    - gigabytes : float, of memory that fits at a time take besides their data and factors, at most
    """

    seconds: float
    fits: int
    gigabytes: float


def estimate(matrix: NamedMatrix, request: Request, slowness: float = 1.0) -> Estimate | None:
    """Return what an analysis will take, None if the costs of one of its methods were not measured.

    Parameters
    ----------
    matrix : NamedMatrix
    request : Request
    slowness : float
        How many times as long this machine takes as the one where costs were measured, see `slowness_here`.

    Raises
    ------
    ConfigError
        As `nbmf.analyze`, if it would be refused.
    """
    plan = make_plan(matrix, request)
    tested, further = list(plan.tested.values()), list((plan.further or {}).values())
    every = [*tested, *further]
    if any(_cost(estimator) is None for estimator in every):
        return None
    folds = _number_of_folds(matrix) if plan.holds_out else 0
    shown = [_seconds_shown(estimator, matrix, request) for estimator in tested]
    seconds = START + REPORT + _writing_seconds(matrix) + _mean(shown)
    held_out = [_seconds_alone(estimator, matrix, 1 - HELD_OUT) for estimator in every]
    seconds += _concurrent_seconds(folds * held_out, every, matrix) + folds * BASELINES * _baseline_entries(matrix)
    seconds += _concurrent_seconds([seconds_of(estimator, matrix) for estimator in further], every, matrix)
    if folds and plan.further is not None and len(tested) > 1:  # the other view, or members of the mixture
        seconds += _mean([seconds_of(estimator, matrix) for estimator in tested])
    if folds and isinstance(matrix, BinaryMatrix) and is_quick(matrix.shape, matrix.n_observed):
        seconds += DRAWS * seconds_of_draw(matrix.shape)
    if folds and plan.further is not None:
        seconds += MIXTURE * len(every) * min(1.0, HELD_OUT * folds) * matrix.n_observed
    chains = max(number_of_chains(estimator, matrix, request) for estimator in tested)
    fits = folds * len(every) + chains + len(every) - 1
    gigabytes = max(memory_of(estimator, matrix) for estimator in every)
    return Estimate(slowness * seconds, fits, gigabytes * (_concurrent_fits(every, matrix) if folds else 1))


def _cost(estimator: Factorization) -> Cost | None:
    """Return what an iteration costs, also one of those with which K is searched for; None if it was not measured."""
    return (SEARCHES if estimator.n_components == AUTO else COSTS).get(type(estimator).__name__)


def seconds_of(estimator: Factorization, matrix: NamedMatrix, part: float = 1.0) -> float:
    """Return the seconds of a fit to a part of the entries, on one thread of the machine where costs were measured."""
    cost = _cost(estimator)
    if estimator.n_components == AUTO:
        grid, searched = component_grid(matrix.shape), part * (1 - HELD_OUT)
        numbers = grid[:SEARCHED]
        middle = numbers[len(numbers) // 2]
        while near := refined_grid(middle, numbers):
            numbers = sorted([*numbers, *near])
        search = sum(_seconds_with_K(estimator, cost, K, matrix, searched) for K in numbers)
        return _number_of_folds(matrix) * search + _seconds_with_K(estimator, cost, max(numbers), matrix, part)
    return _seconds_with_K(estimator, cost, estimator.n_components, matrix, part)


def _seconds_with_K(estimator: Factorization, cost: Cost, K: int, matrix: NamedMatrix, part: float) -> float:
    """Return the seconds that a fit with K components to a part of the entries takes."""
    visited = part * (count_ones(matrix) if cost.visits_ones else matrix.n_observed)
    of_iteration = visited * (cost.entry + cost.component * K) + sum(matrix.shape) * K * cost.per_row
    iterations = min(estimator.n_iterations, cost.iterations or estimator.n_iterations)
    return iterations * (cost.iteration + 1e-9 * of_iteration)


def slowness_here() -> float:
    """Return how many times as long this machine takes for some random draws, in processor time."""
    rng, taken = np.random.default_rng(0), []
    for _ in range(5):
        started = time.process_time()
        rng.standard_gamma(0.5, BENCHMARK)
        taken.append(time.process_time() - started)
    return min(taken) / BENCHMARK_SECONDS


def _seconds_shown(estimator: Factorization, matrix: NamedMatrix, request: Request) -> float:
    """Return the seconds that the fit that is shown takes, with all its chains or starts in threads."""
    chains = number_of_chains(estimator, matrix, request)
    if chains == 1:
        return _seconds_alone(estimator, matrix)
    recording = 1e-9 * _cost(estimator).recorded * matrix.n_observed * min(RECORDED, estimator.n_iterations)
    return (seconds_of(estimator, matrix) + recording) * math.ceil(chains / processors())


def _seconds_alone(estimator: Factorization, matrix: NamedMatrix, part: float = 1.0) -> float:
    """Return the seconds of a fit that has all processors; of a dense matrix others run next to held-out fits."""
    seconds = seconds_of(estimator, matrix, part)
    has_all = uses_threads(estimator, matrix) and (part == 1.0 or matrix.dense is not None)
    return seconds / processors() if has_all else seconds


def _concurrent_seconds(seconds: list[float], estimators: Sequence[Factorization], matrix: NamedMatrix) -> float:
    """Return the seconds that fits take together if several run at a time."""
    return max(sum(seconds) / _concurrent_fits(estimators, matrix), max(seconds, default=0.0))


def _concurrent_fits(estimators: Sequence[Factorization], matrix: NamedMatrix) -> int:
    """Return how many fits run at a time."""
    return 1 if matrix.dense is not None else fits_at_a_time(estimators, getattr(matrix, matrix.field))


def _number_of_folds(matrix: NamedMatrix) -> int:
    """Return the number of folds in which entries are held out; see nbmf.inference.folds."""
    part = HELD_OUT / 2 if matrix.is_symmetric() else HELD_OUT
    if matrix.dense is not None:  # ones and as many zeros
        return number_of_folds(part * count_ones(matrix))
    rarer = count_rarer(getattr(matrix, matrix.field)[matrix.observed])
    return number_of_folds(part * matrix.n_observed, part * rarer)


def _baseline_entries(matrix: NamedMatrix) -> float:
    """Return how many entries baselines are computed for; of a sparse matrix only those that are kept."""
    return matrix.nnz if matrix.dense is not None else math.prod(matrix.shape)


def _writing_seconds(matrix: NamedMatrix) -> float:
    """Return the seconds that writing E[V] takes."""
    if matrix.dense is not None:
        return 0.0
    size = math.prod(matrix.shape)
    return size * (AS_CSV if size <= LARGEST_CSV else AS_NPZ)


def _mean(seconds: Sequence[float]) -> float:
    return sum(seconds) / len(seconds)
