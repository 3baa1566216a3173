"""The fit of an analysis: all chains or starts of the method that was chosen."""

import contextlib
import time
import warnings
from typing import Any

from nbmf.analysis.plan import number_of_chains, number_of_draws
from nbmf.analysis.progress import Progress
from nbmf.analysis.request import Request
from nbmf.analysis.size import uses_threads
from nbmf.data.matrix import are_ties
from nbmf.data.named import NamedMatrix
from nbmf.data.symmetry import without_directions
from nbmf.errors import ChainsNotConvergedWarning, PoorFitWarning
from nbmf.inference.component_search import settle_components
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parallel import fits_on
from nbmf.inference.state import Monitor
from nbmf.numerics.processors import processors
from nbmf.posterior.components import components_of
from nbmf.posterior.draws import Draws, posterior_draws
from nbmf.posterior.running import run_chains
from nbmf.reporting.fit_result import ReportedFit, credible_intervals

LEVEL = 0.9  # of credible intervals
REPORTED_WARNINGS = (ChainsNotConvergedWarning, PoorFitWarning)  # by the report


def fit_all(
    estimator: Factorization, matrix: NamedMatrix, request: Request, progress: Progress, **about: Any
) -> ReportedFit:
    """Fit all chains or starts; `about` are further fields of the result."""
    estimator, search = settle_components(estimator, matrix)
    count, n_draws = number_of_chains(estimator, matrix, request), number_of_draws(estimator, matrix, request)
    is_sampled = estimator.inference is Inference.SAMPLER
    kind = ("chain" if is_sampled else "start") + "s" * (count > 1)
    started = time.perf_counter()
    with warnings.catch_warnings(), progress(f"{count} {kind}", count * estimator.n_iterations) as monitor_of:
        for category in REPORTED_WARNINGS:
            warnings.simplefilter("ignore", category)
        if count > 1:
            chains = run_chains(estimator, matrix, chains=count, n_draws=n_draws, monitor_of=monitor_of)
            model, draws = chains.best, chains.draws
            expectation = chains.expectation if is_sampled else model.expectation_
        else:
            chains, model, draws = None, estimator, _fit_one(estimator, matrix, n_draws, monitor_of(0))
            expectation = model.expectation_ if matrix.dense is None else None
    if of_ties := are_ties(matrix):
        expectation = without_directions(expectation)
    return ReportedFit(
        matrix=matrix,
        model=model,
        components=components_of(model, matrix),
        expectation=expectation,
        seconds=time.perf_counter() - started,
        chains=chains,
        draws=draws,
        intervals=credible_intervals(draws, LEVEL, of_ties),
        component_search=search,
        **about,
    )


def _fit_one(estimator: Factorization, matrix: NamedMatrix, n_draws: int, monitor: Monitor | None) -> Draws | None:
    """Fit on all processors if that pays; it changes no result."""
    with fits_on(estimator, processors()) if uses_threads(estimator, matrix) else contextlib.nullcontext():
        if n_draws:
            return posterior_draws(estimator, matrix, n_draws=n_draws, monitor=monitor)
        estimator.fit(matrix, monitor=monitor)
    return None
