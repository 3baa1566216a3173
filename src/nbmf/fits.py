"""One fit of the workflow: a matrix, the entries it may not see, and a method with K."""

import functools
import hashlib
import importlib
import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.data.table_parts import without_held_out
from nbmf.errors import DataError
from nbmf.files import atomic_path
from nbmf.fit_starts import Start, best_start, finite
from nbmf.inference.checkpoint import Checkpoint, digest_of
from nbmf.inference.estimator import Factorization
from nbmf.inference.one_component import is_worse
from nbmf.inference.progress import FitRecorder
from nbmf.inference.table_model import TableModel
from nbmf.likelihoods.likelihood import LossAt
from nbmf.registry import check_starts, is_factorization, length_settings, make_estimator, module_of
from nbmf.seeds import child, seed_sequence

WARM_UP = 40  # rows of the matrix that a fit is compiled on where its CPU time is observed


class FitResult(NamedTuple):
    """The report of a fit, ready for JSON, and the fitted estimator or model of a table."""

    report: dict[str, Any]
    estimator: Factorization | TableModel


class FitRequest(NamedTuple):
    """All that decides the outcome of a fit besides the data.

    class_name, K, settings : the method, its number of components and other arguments
    seed_key : list of str and int, what the random stream belongs to, for example
        ["fit", "animals", "bica", 2, 0, 0]
    trace_points, chain_points : points of the traces, see FitRecorder
    observe, measure : functions "module:function" that look at the fit, "" where there are none.
        `observe(matrix, **arguments)` is called before the fit and returns a function of the state:
        what that returns at each scored point, numbers by name, becomes columns of the trace, with
        the CPU seconds of the fit alone. `measure(estimator, matrix, mask, **arguments)` is called
        after the fit; what it returns, a dict that JSON can hold, is `measures` of the report
    arguments : keyword arguments of both, JSON
    told_by : a function "module:function", "" where there is none. `told_by(matrix)` is called before the
        fit, with the entries that it may not see, and returns further arguments of the class: for
        methods that start at what is held out, as a paper may have it
    starts : int
        Fits from different starts, of which the one with the largest objective of its own is kept
        (nbmf.inference.starts). Start 0 has the stream of `seed_key`, and so the bits of a single fit
    """

    class_name: str
    K: int
    settings: dict[str, Any]
    seed_key: list
    trace_points: int = 50
    chain_points: int = 0
    observe: str = ""
    measure: str = ""
    arguments: Mapping[str, Any] = {}
    told_by: str = ""
    starts: int = 1

    def seeds(self) -> list[np.random.SeedSequence]:
        """Return the seed of each start."""
        first = seed_sequence(*self.seed_key)
        return [first, *(child(first, "start", number) for number in range(1, self.starts))]


def run_fit(
    matrix: NamedMatrix,
    mask: np.ndarray | None,
    request: FitRequest,
    *,
    threads: int = 1,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_seconds: float = 60.0,
    log=print,
) -> FitResult:
    """Fit a method and score its predictions.

    A TableModel predicts no single entries, so it is not scored here: its report has the objective, and what the
    request's `measure` finds. Its fits have no trace and no checkpoint: they are short.

    Parameters
    ----------
    matrix : NamedMatrix
        The data, of a kind that the method's likelihood takes, or of which a TableModel makes its table.
    mask : bool array (F, N) or (F,), or None
        The held-out entries: the fit does not see them, the score is that of them alone. Of a TableModel it may be
        held-out rows. None for an unmasked fit: it sees and is scored on every observed entry.
    request : FitRequest
    threads : int
        Threads of the kernels; the result does not depend on it.
    checkpoint : path, optional
        Where a chain is saved: called again after an interruption, it goes on from there and ends
        with the same bits. Remove it when the result is safe. Of several starts nothing is saved: methods that have
        them cannot go on.
    checkpoint_seconds : float
        Between two savings.
    log : function
        Takes a line of text.

    Returns
    -------
    FitResult
        Its report has scores (`further_scores` are those of LossAt), convergence facts, traces,
        settings and versions. That of a TableModel has the CPU seconds of the fit alone, without compilation. Of
        several starts it is that of the one that is kept, but for the seconds, which are those of all; `starts` has
        their objectives and how far these are apart.

    Raises
    ------
    ConfigError
        If a setting has a value that is not allowed, for this matrix or at all, or the method has no starts.
    DataError
        If there is nothing to fit or to score, or whole rows are held out and the method predicts entries.
    """
    check_starts("starts", request.class_name, request.starts)
    if not is_factorization(request.class_name):
        return _fit_table(matrix, mask, request, log)
    class_name, K, settings = request.class_name, request.K, request.settings
    if mask is not None and mask.ndim == 1:
        raise DataError(f"rows are held out; {class_name} is fitted to what held-out entries leave")
    from_matrix = import_function(request.told_by)(matrix) if request.told_by else {}
    unprepared = (make_estimator(class_name, K, {**settings, **from_matrix}, seed, threads) for seed in request.seeds())
    estimators = [estimator.for_matrix(matrix) for estimator in unprepared]
    likelihood, versions = estimators[0].likelihood, _versions()
    values = training = likelihood.values_of(matrix)
    scored, kind = likelihood.is_observed(values), "observed"
    if mask is not None:
        training, scored, kind = likelihood.hide(values, mask), mask, "held-out"
    loss_at = likelihood.loss_at(values, scored)
    fingerprint = functools.partial(_fingerprint, request, versions, training, values, scored)

    def fit(estimator: Factorization) -> Start:
        monitor = recorder = FitRecorder(
            estimator.n_iterations,
            request.trace_points,
            lambda state: loss_at.of(state.predictive).perplexity,
            log,
            request.chain_points,
            _observer(request, matrix, training),
        )
        if checkpoint is not None and request.starts == 1:
            monitor = Checkpoint(checkpoint, fingerprint, recorder, checkpoint_seconds, log)
        started, cpu_started = time.perf_counter(), time.process_time()
        estimator.fit(training, monitor=monitor)
        seconds = time.perf_counter() - started + recorder.seconds_before
        return Start(estimator, recorder.trace, seconds, time.process_time() - cpu_started)

    log(f"{class_name}, K = {K}, {settings}: scored on {np.count_nonzero(scored)} {kind} entries")
    (estimator, trace, seconds, _), about_starts = best_start(map(fit, estimators), log)
    scores = _scores(estimator, loss_at, kind)
    log(f"done in {seconds:.1f} s: log loss {scores['perplexity']:.6f}")
    report = {
        **scores,
        "trace": {name: [finite(number) for number in numbers] for name, numbers in trace.items()},
        **about_starts,
        **_facts(estimator, request, seconds),
    }
    return _add_measures(report, estimator, matrix, mask, request)


def _scores(estimator: Factorization, loss_at: LossAt, kind: str) -> dict[str, Any]:
    """Return what a fit's predictions of some entries are worth, and how many components it uses."""
    prediction = estimator.predictive(loss_at.rows, loss_at.columns)
    result = loss_at(prediction)
    return {
        "perplexity": result.perplexity,
        "loss": result.total,
        "n_test": result.entries,
        "saturated": result.saturated,
        "unit": f"nats per {kind} {loss_at.unit}",
        "further_scores": loss_at.further_scores(prediction),
        "active_components": estimator.active_components_,
        "n_components": estimator.n_components_,
        "W_min": _or_none(np.min, estimator.W_),
        "W_max": _or_none(np.max, estimator.W_),
    }


def _fit_table(matrix: NamedMatrix, mask: np.ndarray | None, request: FitRequest, log: Callable) -> FitResult:
    """Fit a TableModel."""
    class_name, K, settings = request.class_name, request.K, request.settings
    models = [make_estimator(class_name, K, settings, seed) for seed in request.seeds()]
    training = models[0].table.of(matrix)
    training = training if mask is None else without_held_out(training, mask)
    log(f"{class_name}, K = {K}, {settings}: fitted to {training.shape[0]} of {matrix.shape[0]} rows")
    _warm_up(request, training)

    def fit(model: TableModel) -> Start:
        started, cpu_started = time.perf_counter(), time.process_time()
        model.fit(training)
        cpu_seconds, seconds = time.process_time() - cpu_started, time.perf_counter() - started
        return Start(model, {}, seconds, cpu_seconds)

    (model, _, seconds, cpu_seconds), about_starts = best_start(map(fit, models), log)
    log(f"done in {seconds:.1f} s: objective {model.objective_:.6f}")
    report = {"cpu_seconds": cpu_seconds, **about_starts, **_facts(model, request, seconds)}
    return _add_measures(report, model, matrix, mask, request)


def _facts(estimator: Factorization | TableModel, request: FitRequest, seconds: float) -> dict[str, Any]:
    """Return what the report of every fit says: how it went, and what decided it."""
    objective, of_one = estimator.objective_, estimator.objective_of_one_
    return {
        "objective": finite(objective),
        "objective_of_one": finite(of_one),
        "worse_than_one_component": is_worse(objective, of_one),
        "seconds": seconds,
        "n_iter": estimator.n_iter_,
        "converged": estimator.converged_,
        "findings": estimator.findings,
        "status": "not converged" if estimator.converged_ is False else "ok",
        "class": request.class_name,
        "K": request.K,
        "settings": request.settings,
        "seed_key": request.seed_key,
        "versions": _versions(),
    }


def _add_measures(report, estimator, matrix, mask, request: FitRequest) -> FitResult:
    """Return the result of a fit, with what the request's `measure` finds."""
    if request.measure:
        report["measures"] = import_function(request.measure)(estimator, matrix, mask, **request.arguments)
    return FitResult(report, estimator)


def save_factors(path: str | os.PathLike, estimator: Factorization) -> None:
    """Write W (F, K), H (K, N), what else there is of factors, and E[V] (F, N), all float32.

    As NPZ, atomically. E[V] is left out where the fit has not kept it.
    """
    W, H, others = estimator.factors_
    arrays = {"W": W, "H": H, **others}
    if estimator.has_expectation:
        arrays["expectation"] = estimator.expectation_
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **{name: array.astype(np.float32) for name, array in arrays.items()})


def modules_of(class_name: str, *functions: str) -> list[str]:
    """Return the modules that compute a fit: this one, that of its class, those of further functions."""
    return [__name__, module_of(class_name), *(name.partition(":")[0] for name in functions if name)]


def import_function(name: str) -> Callable:
    """Return the function of a text "module:function"."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def _observer(request: FitRequest, matrix: NamedMatrix, training: np.ndarray) -> Callable | None:
    """Return the function that is called at each point of a trace, None if the request names none."""
    if not request.observe:
        return None
    _warm_up(request, training[:WARM_UP])
    return import_function(request.observe)(matrix, **request.arguments)


def _warm_up(request: FitRequest, training: np.ndarray | NamedMatrix) -> None:
    """Make a fit of two iterations, so that no compilation is in the CPU time of what comes."""
    brief = request.settings | length_settings(request.class_name, 1, 1)
    with warnings.catch_warnings(action="ignore"):  # what there is to be said, the fit will say
        make_estimator(request.class_name, request.K, brief, random_state=0).fit(training)


def _fingerprint(request: FitRequest, versions: dict[str, str], *matrices: np.ndarray) -> str:
    """Return a checksum of all that decides the outcome of a fit, our sources included."""
    sources = digest_of(*modules_of(request.class_name, request.observe, request.measure, request.told_by))
    digest = hashlib.sha256(json.dumps([*request, versions, sources], sort_keys=True).encode())
    for matrix in matrices:
        digest.update(f"{matrix.shape} {matrix.dtype}".encode())
        digest.update(np.ascontiguousarray(matrix))
    return digest.hexdigest()


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"python": platform.python_version(), **packages, "machine": platform.machine()}


def _or_none(reduce: Callable[[np.ndarray], float], factor: np.ndarray) -> float | None:
    """Return a reduction of a factor, None if it has no component."""
    return float(reduce(factor)) if factor.size else None
