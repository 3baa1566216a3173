"""nbmf fit: from a file to components, with a folder of results and a summary to read."""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf import registry
from nbmf.catalogue import CANDIDATES, DEFAULTS, METHODS
from nbmf.cli import component_files, effects
from nbmf.cli.output import LARGEST_CSV, OutputFolder
from nbmf.cli.plot import DATA, DICTIONARY, MODEL, RECONSTRUCTION, TRACES
from nbmf.cli.progress import Progress, StepCounter
from nbmf.cli.reading import name_of, read_with_groups, repeated
from nbmf.cli.settings import checked, iteration_settings
from nbmf.data.named import NamedMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, NotConvergedWarning
from nbmf.evaluation.folds import LEAST
from nbmf.evaluation.verdict import MethodChoice, Verdict, choose
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.stopping import MeanChangeBelow
from nbmf.numerics.threads import processors
from nbmf.posterior.chains import Chains
from nbmf.posterior.components import Components, components_of
from nbmf.posterior.draws import Draws, posterior_draws
from nbmf.posterior.running import run_chains

SUMMARY, EXPECTATION = "summary.txt", "expectation.npz"
FILES = (
    *(SUMMARY, MODEL, DATA, "chains.csv", "report.html", *component_files.FILES),
    *(EXPECTATION, *(f"expectation{end}.csv" for end in ("", "_lower", "_upper"))),
    DICTIONARY,
    RECONSTRUCTION,
    TRACES,
)
CHAINS, STARTS = 4, 4
# Observed entries times iterations, some seconds of Beta-Dir VB with K = 100. Above, one start is
# made by default, and a single fit takes all processors.
SMALL = 5e7
MEAN_CHANGE = 1e-4  # of E[V] in ten iterations, below which variational methods of Beta-Dir and its kin stop
LEVEL = 0.9  # of credible intervals


class Fitted(NamedTuple):
    """A fit and all that is said about it.

    model : the chain or start with the smallest training loss
    expectation : float array (F, N), E[V]; of a sampler the mean over its chains; None of a large
        sparse matrix
    chains : all of them; None where there was a single one
    draws : of all chains; None if not asked for
    intervals : dict from "expectation", where components can be matched "W" and "H", and the names
        of effects to (lower, upper); empty without draws
    seconds : float
    """

    model: Factorization
    expectation: np.ndarray | None
    chains: Chains | None
    draws: Draws | None
    intervals: dict[str, tuple[np.ndarray, np.ndarray]]
    seconds: float


class Result(NamedTuple):
    """What a person is told about.

    name : str, of the data
    matrix : BinaryMatrix, CountMatrix or SparseBinaryMatrix, the data
    fitted : Fitted
    components : Components, those of its model
    verdict : Verdict or None, if it was not asked for
    column_groups : str array (N,) or None, beside those of rows that the matrix has
    method : str, its id
    """

    name: str
    matrix: NamedMatrix
    fitted: Fitted
    components: Components
    verdict: Verdict | None
    column_groups: np.ndarray | None = None
    method: str = ""


def run(options: argparse.Namespace) -> None:
    """Fit, write the folder and print the summary."""
    name = name_of(options)
    folder = OutputFolder(options.out or f"{name}.nbmf", FILES, force=options.force)
    matrix, column_groups = read_with_groups(options, options.method)
    _refuse_of_large(options, matrix)
    method, estimator, found = _chosen(options, matrix)
    chains = options.chains or _chains(estimator, matrix)
    fitted = _fit(estimator, matrix, chains, options.draws)

    components = components_of(fitted.model, matrix)
    result = Result(name, matrix, fitted, components, found, column_groups, method)

    from nbmf.cli import pages
    from nbmf.cli.pictures import draw
    from nbmf.cli.summary import nothing_found, summary

    pictures: dict[str, Path] = {}
    if found is None or found.found:
        text = summary(result)
        component_files.write_components(folder, result)
        pictures = draw(folder, result)
    else:
        text = nothing_found(result, repeated(options))
    _write(folder, matrix, fitted, text)
    page = pages.of_fit(result, options, pictures)
    folder.write_text(pages.REPORT, page)
    folder.finish(vars(options) | {"method": method})
    print(f"\n{text}\n\nwritten to {folder.path}/; start with {pages.REPORT}")


def _refuse_of_large(options: argparse.Namespace, matrix: NamedMatrix) -> None:
    """Raise ConfigError if more is asked of a large sparse matrix than one fit."""
    for name, most, what in (("chains", 1, "is one chain or start"), ("draws", 0, "are no draws")):
        if matrix.dense is not None and (getattr(options, name) or 0) > most:
            given = getattr(options, name)
            raise ConfigError(f"--{name} {given}: of a matrix with {matrix.words} there {what}")


def _chosen(options: argparse.Namespace, matrix: NamedMatrix) -> tuple[str, Factorization, Verdict | None]:
    """Return the id of the method, the method, and what held-out entries say of it.

    Where neither a method nor anything of its own is named, it is the one that predicts best.
    """
    kind = type(matrix).__name__
    is_open = not (options.method or options.components or options.settings) and options.check
    names = CANDIDATES[kind] if is_open else (options.method or DEFAULTS[kind],)
    estimators = [_estimator(options, name) for name in names]
    choice = _choice(estimators, matrix, options) if options.check else None
    place = choice.index if choice else 0
    return names[place], estimators[place], choice and choice.verdict


def _estimator(options: argparse.Namespace, method: str) -> Factorization:
    """Return a method with the settings of the command line."""
    entry = METHODS[method]
    settings = dict(entry["settings"])
    settings |= iteration_settings(entry["class"], options.iterations)
    settings |= checked(entry["class"], options.settings)
    found = registry.estimator_class(entry["class"])
    if MeanChangeBelow.parameter in registry.settings_of(entry["class"]):
        settings.setdefault(MeanChangeBelow.parameter, MEAN_CHANGE)
    own = entry["K"][0] if len(entry["K"]) == 1 else found().n_components
    K = options.components or own
    return registry.make_estimator(entry["class"], K, settings, random_state=options.seed)


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


def _fit(estimator: Factorization, matrix: NamedMatrix, chains: int, n_draws: int) -> Fitted:
    """Fit all chains, with progress."""
    sampled = estimator.inference is Inference.SAMPLER
    kind = ("chain" if sampled else "start") + "s" * (chains > 1)
    started, steps = time.perf_counter(), chains * estimator.n_iterations
    with warnings.catch_warnings(), Progress(f"{chains} {kind}") as progress:
        for category in (ChainsNotConvergedWarning, NotConvergedWarning):  # the summary says it
            warnings.simplefilter("ignore", category)
        if chains > 1:
            found = run_chains(
                estimator,
                matrix,
                chains=chains,
                n_draws=n_draws,
                monitor_of=lambda number: StepCounter(progress, steps),
            )
            expectation = found.expectation if sampled else found.best.expectation_
            fitted = found.best, expectation, found, found.draws
        else:
            draws = _fit_one(estimator, matrix, n_draws, StepCounter(progress, steps))
            expectation = estimator.expectation_ if matrix.dense is None else None
            fitted = estimator, expectation, None, draws
    return Fitted(*fitted, _intervals(fitted[-1]), time.perf_counter() - started)


def _fit_one(estimator, matrix, n_draws, monitor) -> Draws | None:
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


def _intervals(draws: Draws | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if draws is None:
        return {}
    found = {"expectation": draws.expectation_interval(LEVEL)}
    if hasattr(draws, "alignment"):  # components can be matched
        found |= {"W": draws.dictionary_interval(LEVEL), "H": draws.activation_interval(LEVEL)}
    return found | effects.effect_intervals(draws, LEVEL)


def _choice(estimators: list[Factorization], matrix: NamedMatrix, options: argparse.Namespace) -> MethodChoice | None:
    """Return which method predicts held-out entries best, and whether better than no components."""
    if estimators[0].likelihood.unit != "entry":  # LDA's prediction is of tokens
        return None
    if (observed := matrix.n_observed) < LEAST:
        print(f"{observed} observed entries are too few to say whether there is structure")
        return None
    steps = sum(estimator.n_iterations for estimator in estimators)  # of a fold
    with warnings.catch_warnings(), Progress("check") as progress:
        warnings.simplefilter("ignore", NotConvergedWarning)
        return choose(
            matrix,
            estimators,
            seed=options.seed,
            monitor_of=lambda _, count: StepCounter(progress, count // len(estimators) * steps),
        )


def _write(folder: OutputFolder, matrix: NamedMatrix, fitted: Fitted, text: str) -> None:
    """Write what every fit has: model, data, summary, E[V] if there is one, chains."""
    folder.write(MODEL, fitted.model.save)
    folder.write(DATA, matrix.save)
    folder.write_text(SUMMARY, text)
    if fitted.expectation is None:
        return
    arrays = {"": fitted.expectation}
    intervals = fitted.intervals.get("expectation", ())
    arrays |= zip(("_lower", "_upper"), intervals, strict=False)
    if matrix.observed.size > LARGEST_CSV:
        folder.write(EXPECTATION, lambda path: _save(path, arrays))
    else:
        names = matrix.row_names, matrix.column_names
        for end, values in arrays.items():
            folder.write_matrix(f"expectation{end}.csv", "row", values, *names)
    if fitted.chains is not None:
        folder.write_table("chains.csv", fitted.chains.diagnostics)


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    parts = {f"expectation{end}": array.astype(np.float32) for end, array in arrays.items()}
    np.savez_compressed(path, **parts)
