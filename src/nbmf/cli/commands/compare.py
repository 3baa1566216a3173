"""nbmf compare: which method predicts held-out entries best."""

import functools
import math
from typing import Any

import pandas as pd

from nbmf import registry
from nbmf.analysis.settings import iteration_settings, warn_of_many_components
from nbmf.analysis.structure import run_structure_test
from nbmf.catalogue import METHODS, compared_for
from nbmf.cli.arguments import printed_command
from nbmf.cli.options import Options
from nbmf.cli.progress import Progress, shown_progress
from nbmf.cli.publishing import publish
from nbmf.cli.reading import data_name, read_matrix
from nbmf.cli.results import results_folder
from nbmf.cli.wording import Typed
from nbmf.errors import ConfigError, DataError, choices
from nbmf.evaluation.compare import compare
from nbmf.evaluation.compared_fits import FitDone
from nbmf.evaluation.entries import common_matrix, complete_entries
from nbmf.evaluation.result import Comparison
from nbmf.numerics.processors import processors
from nbmf.output.folder import OutputFolder
from nbmf.output.reports import PAGE
from nbmf.reporting.comparison_report import comparison_report
from nbmf.reporting.pictures import COMPARISON_FILES, pictures_of_comparison

RECOMMENDATION = "recommendation.txt"
SCORES = "scores.csv"
FILES = (SCORES, "summary.csv", *COMPARISON_FILES, RECOMMENDATION, PAGE)


def run(options: Options) -> None:
    """Compare, write the folder, and print the table and the recommendation."""
    name = data_name(options)
    folder = results_folder(options, ".compare", FILES)
    matrix = read_matrix(options, options.methods and options.methods[0])
    warn_of_many_components(options.components or [], matrix)
    methods = options.methods or list(compared_for(type(matrix).__name__, matrix.n_observed))
    entries = {method: {"settings": settings} for method, settings in _settings(methods, options).items()}
    checked = complete_entries(entries, options.components)  # what is wrong is refused before anything is fitted
    if matrix.dense is None:
        common_matrix(matrix, checked)
    structure = run_structure_test(matrix, options.seed, options.iterations, progress=shown_progress, log=print)
    rows: list[dict[str, Any]] = []
    with Progress("fits") as progress:

        def keep(fit: FitDone) -> None:
            rows.append(fit.row)
            progress.advance(1, fit.total, _seconds_left(rows, fit.total, options))

        try:
            comparison = compare(
                matrix,
                entries,
                options.components,
                options.masks,
                seed=options.seed,
                n_jobs=options.jobs,
                name=name,
                log=keep,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_save_finished(folder, rows)) from None
    folder.write_table(SCORES, comparison.scores)
    folder.write_table("summary.csv", comparison.summary())
    _refuse_without_recommendation(comparison, folder)
    pictures = pictures_of_comparison(comparison)
    report = comparison_report(
        comparison,
        next_command=functools.partial(_next_command, options),
        command=printed_command(options),
        figures=folder.figures(pictures),
        structure=structure,
    )
    folder.write_pictures(pictures)
    publish(report, folder, {**vars(options), "methods": methods}, RECOMMENDATION)


def _refuse_without_recommendation(comparison: Comparison, folder: OutputFolder) -> None:
    """Raise DataError, which says where the scores are, if no method can be recommended."""
    try:
        _ = comparison.recommendation
    except DataError as error:
        raise DataError(error, f"; the scores are in {folder.path / SCORES}") from None


def _next_command(options: Options, method: str, K: int | None, is_unchecked: bool) -> str:
    """Return the command that fits a method with the settings with which it was compared."""
    taken = [(key, value) for key, value in options.settings if _current_setting_name(method, key) is not None]
    typed = Typed(options.but(settings=taken, components=None))
    given = ({} if K is None else {"n_components": K}) | ({"check": False} if is_unchecked else {})
    return typed.next_command("fit", method=method, **given)


def _seconds_left(rows: list[dict[str, Any]], total: int, options: Options) -> float:
    """Return how long the other fits will take, NaN before each method and K has been seen.

    Methods differ by a factor of a hundred, so each is judged by its own fits.
    """
    done: dict[tuple, list[float]] = {}
    for row in rows:
        done.setdefault((row["method"], row["K"]), []).append(row["seconds"])
    if len(done) * options.masks < total:
        return math.nan
    left = 0.0
    for seconds in done.values():
        later = seconds[1:] or seconds  # the first fit also loads the kernels
        left += (options.masks - len(seconds)) * _mean(later)
    return left / (options.jobs or processors())


def _mean(seconds: list[float]) -> float:
    """Return the mean of those that are known; a fit that failed has no time."""
    known = [each for each in seconds if not math.isnan(each)]
    return sum(known) / len(known) if known else 0.0


def _settings(methods: list[str], options: Options) -> dict[str, dict[str, Any]]:
    """Return the settings of each method; --set is for all those that have such a setting."""
    settings = {method: iteration_settings(METHODS[method]["class"], options.iterations) for method in methods}
    for key, value in options.settings:
        today = {method: _current_setting_name(method, key) for method in methods}
        if not any(today.values()):
            every = sorted(set().union(*(registry.settings_of(METHODS[method]["class"]) for method in methods)))
            raise ConfigError(f"--set {key}: no method compared has it; {choices(key, every)}")
        for method, name in today.items():
            if name is not None:
                settings[method][name] = value
    return settings


def _current_setting_name(method: str, key: str) -> str | None:
    """Return what a setting that was typed is called today, None if a method has none of this name."""
    class_name = METHODS[method]["class"]
    name = next(iter(registry.estimator_class(class_name).by_current_names({key: None})))
    return name if name in registry.settings_of(class_name) else None


def _save_finished(folder: OutputFolder, rows: list[dict[str, Any]]) -> str:
    """Write the scores of the fits that were finished; return what to say about them."""
    if not rows:
        return "no fit was finished"
    folder.write_table(SCORES, pd.DataFrame(rows))
    return f"the scores of {len(rows)} finished fits are in {folder.path / SCORES}"
