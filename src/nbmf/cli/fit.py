"""nbmf fit: from a file to components, with a folder of results and a summary to read."""

import argparse
import functools
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nbmf import registry
from nbmf.catalogue import CANDIDATES, METHODS
from nbmf.cli.arguments import as_typed, printed_command
from nbmf.cli.fit_files import FILES, write_fit
from nbmf.cli.output import OutputFolder
from nbmf.cli.progress import Progress, step_counters
from nbmf.cli.publishing import publish
from nbmf.cli.reading import name_of, read_with_groups, repeated
from nbmf.cli.structure import check_structure, estimator_of
from nbmf.data.named import NamedMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, PoorFitWarning, Setting
from nbmf.evaluation.verdict import Verdict
from nbmf.inference.declarations import Inference, View
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Monitor
from nbmf.numerics.threads import processors
from nbmf.posterior.components import components_of
from nbmf.posterior.draws import Draws, posterior_draws
from nbmf.posterior.running import run_chains
from nbmf.reporting.fit_report import fit_report
from nbmf.reporting.fit_result import FitResult, intervals_of
from nbmf.reporting.pictures import Picture, picture_of_other_view, pictures_of_fit

CHAINS, STARTS = 4, 4
# Observed entries times iterations, some seconds of Beta-Dir VB with K = 100. Above, one start is
# made by default, and a single fit takes all processors.
SMALL = 5e7
LEVEL = 0.9  # of credible intervals
SAID = (ChainsNotConvergedWarning, PoorFitWarning)  # by the summary


def run(options: argparse.Namespace) -> None:
    """Fit, write the folder and print the summary."""
    name = name_of(options)
    folder = OutputFolder(options.out or f"{name}.nbmf", FILES, force=options.force)
    matrix, column_groups = read_with_groups(options, options.method)
    _refuse_of_large(options, matrix)
    chosen, *others = _chosen(options, matrix)
    result = _fit(options, name, matrix, column_groups, chosen)
    if others and result.shows_components:
        other = _fit(options, name, matrix, column_groups, others[0])
        result = replace(result, other_view=other)
    pictures = _pictures(result)
    figures = folder.figures(pictures)
    other_figure = figures.pop() if result.other_view is not None else None
    report = fit_report(
        result,
        file=repeated(options),
        command=printed_command(options),
        method=chosen.method,
        figures=figures,
        figure_of_other_view=other_figure,
        in_words=functools.partial(as_typed, command=options.command),
    )
    write_fit(folder, result)
    folder.write_pictures(pictures)
    publish(report, folder, {**vars(options), "method": chosen.method})


def _pictures(result: FitResult) -> list[Picture]:
    """Return the pictures of a fit, and last that of its other view."""
    if not result.shows_components:
        return []
    groups, other = {"column_groups": result.column_groups}, result.other_view
    pictures = pictures_of_fit(result.model, result.matrix, **groups, chains=result.chains)
    return pictures if other is None else [*pictures, picture_of_other_view(other.model, other.matrix, **groups)]


def _refuse_of_large(options: argparse.Namespace, matrix: NamedMatrix) -> None:
    """Raise ConfigError if more is asked of a large sparse matrix than one fit."""
    if matrix.dense is None:
        return
    asked = (("chains", options.chains or 1, 1, "is one chain or start"), ("n_draws", options.draws, 0, "are no draws"))
    for name, given, most, what in asked:
        if given > most:
            raise ConfigError(Setting(name, given), f": of a matrix with {matrix.words} there {what}")


class Chosen(NamedTuple):
    """The method that is fitted.

    method : str, its id
    estimator : Factorization, not fitted
    verdict : Verdict, what held-out entries say of it; None if that was not asked for
    """

    method: str
    estimator: Factorization
    verdict: Verdict | None = None


def _chosen(options: argparse.Namespace, matrix: NamedMatrix) -> list[Chosen]:
    """Return the method to fit, and that of the other view if it predicts as well.

    Where neither a method nor anything of its own is named, these are chosen by what they predict.
    """
    known, view = CANDIDATES[type(matrix).__name__], View(options.view) if options.view else None
    named = {"seed": options.seed, "iterations": options.iterations, "components": options.components}
    every = [
        Chosen(method, estimator_of(method, **named, settings=options.settings))
        for method in _methods(options, known, view)
    ]
    if not options.check:
        return every[:1]
    tries = len({*known, *(one.method for one in every)})
    choice = check_structure(matrix, [one.estimator for one in every], options.seed, tries=tries, view=view)
    if choice is None:
        return every[:1]
    chosen = [every[choice.index]._replace(verdict=choice.verdict)]
    return chosen if choice.other is None or view else [*chosen, every[choice.other]]


def _methods(options: argparse.Namespace, known: Sequence[str], view: View | None) -> Sequence[str]:
    """Return the methods to choose from: one if it is named, or anything of its own, or nothing is held out."""
    methods = (options.method,) if options.method else known
    views = {method: registry.estimator_class(METHODS[method]["class"])().view for method in methods}
    seen = [method for method in methods if view in (None, views[method])]
    if not seen:
        raise ConfigError(Setting("view", options.view), f": {', '.join(methods)} shows {views[methods[0]]}")
    is_open = options.check and not (options.method or options.components or options.settings)
    return methods if is_open else seen[:1]


def _fit(
    options: argparse.Namespace, name: str, matrix: NamedMatrix, column_groups: np.ndarray | None, chosen: Chosen
) -> FitResult:
    """Fit all chains, with progress."""
    estimator = chosen.estimator
    count = options.chains or _chains(estimator, matrix)
    is_sampled = estimator.inference is Inference.SAMPLER
    kind = ("chain" if is_sampled else "start") + "s" * (count > 1)
    started = time.perf_counter()
    with warnings.catch_warnings(), Progress(f"{count} {kind}") as progress:
        for category in SAID:
            warnings.simplefilter("ignore", category)
        monitor_of = step_counters(progress, count * estimator.n_iterations)
        if count > 1:
            chains = run_chains(estimator, matrix, chains=count, n_draws=options.draws, monitor_of=monitor_of)
            model, draws = chains.best, chains.draws
            expectation = chains.expectation if is_sampled else model.expectation_
        else:
            chains, model, draws = None, estimator, _fit_one(estimator, matrix, options.draws, monitor_of(0))
            expectation = model.expectation_ if matrix.dense is None else None
    return FitResult(
        name=name,
        matrix=matrix,
        model=model,
        components=components_of(model, matrix),
        expectation=expectation,
        seconds=time.perf_counter() - started,
        chains=chains,
        draws=draws,
        intervals=intervals_of(draws, LEVEL),
        verdict=chosen.verdict,
        column_groups=column_groups,
    )


def _chains(estimator: Factorization, matrix: NamedMatrix) -> int:
    """Return how many chains or starts there are by default; it depends on no clock."""
    if matrix.dense is not None:
        return 1
    match estimator.inference:
        case Inference.SAMPLER:
            return CHAINS
        case Inference.ASCENT:
            return STARTS if _visits(estimator, matrix) <= SMALL else 1
        case Inference.POINT:  # logPCA ends where it ends; LDA hardly differs
            return 1


def _visits(estimator: Factorization, matrix: NamedMatrix) -> int:
    """Return how often a fit visits an observed entry at most."""
    return matrix.n_observed * estimator.n_iterations


def _fit_one(estimator: Factorization, matrix: NamedMatrix, n_draws: int, monitor: Monitor) -> Draws | None:
    """Fit on all processors if that pays; it changes no result."""
    is_parallel = "threads" in estimator.get_params() and _visits(estimator, matrix) > SMALL
    if is_parallel:
        estimator.set_params(threads=processors())
    draws = None
    if n_draws:
        draws = posterior_draws(estimator, matrix, n_draws=n_draws, monitor=monitor)
    else:
        estimator.fit(matrix, monitor=monitor)
    if is_parallel:
        estimator.set_params(threads=1)
    return draws
