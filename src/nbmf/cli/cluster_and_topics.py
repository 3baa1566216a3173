"""What `nbmf cluster` and `nbmf topics` share: choose K, fit, report and write."""

import time
from typing import Any, NamedTuple

import pandas as pd

from nbmf.cli.arguments import printed_command
from nbmf.cli.options import Options
from nbmf.cli.progress import Progress
from nbmf.cli.publishing import publish
from nbmf.cli.reading import data_name
from nbmf.cli.results import results_folder
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.component_choice import ComponentChoice, best_fit, choose_components
from nbmf.output.folder import MODEL, TABLE, OutputFolder
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.posterior.distinguishing import by_label, distinguishing
from nbmf.reporting.clustering_report import ClusteringResult, clustering_report
from nbmf.reporting.pictures import TABLE_FILES, pictures_of_table
from nbmf.seeds import seed_sequence

FILES = (
    *(SUMMARY, PAGE, MODEL, TABLE, *TABLE_FILES, "memberships.csv", "distinguishing.csv"),
    *("topics.csv", "components.csv", "scores.csv", "labels.csv"),
)
WORDS_WRITTEN = 50  # of each topic, by probability and by lift


class Task(NamedTuple):
    """What a command looks for.

    models : dict from a name to the arguments of FeatureModel
    grid : numbers of components where none is given
    component, row : str, what these are called
    """

    models: dict[str, dict[str, Any]]
    grid: tuple[int, ...]
    component: str
    row: str


def prepare_folder(options: Options, suffix: str) -> OutputFolder:
    """Return the folder of the results, after a look at the options: before the file is read."""
    folder = results_folder(options, suffix, FILES)
    several = len(options.components or ()) != 1 or len(options.models) != 1
    if not options.check and several:
        raise ConfigError(
            "--no-check: nothing chooses then; needed are one K after --components and one ID after --model"
        )
    return folder


def run_task(table: FeatureTable, task: Task, folder: OutputFolder, options: Options) -> None:
    """Find the components of a table, write the folder and print the summary."""
    result = _fit(table, task, options)
    pictures = [] if result.model is None else pictures_of_table(result.model, table)
    report = clustering_report(
        result,
        command=printed_command(options),
        unchecked=_unchecked_command(options, result),
        figures=folder.figures(pictures),
    )
    if result.choice is not None:
        folder.write_table("scores.csv", pd.DataFrame(result.choice.scores))
    if result.model is not None:
        _write_components(folder, result)
    folder.write(TABLE, table.save)
    folder.write_pictures(pictures)
    publish(report, folder, vars(options))


def _unchecked_command(options: Options, result: ClusteringResult) -> str:
    """Return the command that shows what was chosen, whatever it is worth; "" if nothing was tested."""
    if result.choice is None:
        return ""
    chosen = {"components": [result.choice.chosen.K], "models": [result.model_name], "check": False}
    return printed_command(options.but(**chosen))


def _fit(table: FeatureTable, task: Task, options: Options) -> ClusteringResult:
    """Choose among models and numbers of components, and fit what was chosen, if anything was found."""
    started, grid = time.perf_counter(), options.components or task.grid
    choice = _choose(table, grid, task, options) if options.check and max(grid) > 1 else None
    name, K = (options.models[0], grid[0]) if choice is None else (choice.chosen.model, choice.chosen.K)
    model = differences = None
    if choice is None or choice.found:
        model = best_fit(table, K, task.models[name], options.starts, seed_sequence("table", options.seed))
        differences = distinguishing(model, table)
    return ClusteringResult(
        name=data_name(options),
        table=table,
        component=task.component,
        row=task.row,
        model_name=name,
        choice=choice,
        model=model,
        distinguishing=differences,
        seconds=time.perf_counter() - started,
    )


def _choose(table: FeatureTable, grid: tuple[int, ...], task: Task, options: Options) -> ComponentChoice:
    try:
        with Progress("check") as progress:
            return choose_components(
                table, grid, models=task.models, seed=options.seed, log=lambda done, total: progress.advance(1, total)
            )
    except DataError as error:
        raise DataError(f"{options.file}: ", error, "; --no-check holds nothing out") from error


def _write_components(folder: OutputFolder, result: ClusteringResult) -> None:
    """Write the model, memberships, and what sets components apart."""
    folder.write(MODEL, result.model.save)
    folder.write_table("memberships.csv", _membership_table(result))
    components = {
        result.component: range(1, result.order.size + 1),
        "share": result.shares,
        f"{result.row}s": result.sizes,
        "place_in_model": result.order,
    }
    folder.write_table("components.csv", pd.DataFrame(components))
    if result.table.row_groups is not None:
        folder.write_table("labels.csv", by_label(result.model, result.table.row_groups), index=True)
    if result.has_words:
        folder.write_table("topics.csv", _topic_table(result))
    else:
        folder.write_table("distinguishing.csv", result.distinguishing)


def _membership_table(result: ClusteringResult) -> pd.DataFrame:
    """Return the shares of each row, its main component, and its label if there are labels."""
    columns = {result.row: result.table.row_names}
    if result.table.row_groups is not None:
        columns["label"] = result.table.row_groups
    columns["main"] = result.numbers[result.model.clusters_]
    shares = result.model.memberships_[:, result.order]
    return pd.DataFrame(columns | {f"{result.component} {k}": share for k, share in enumerate(shares.T, start=1)})


def _topic_table(result: ClusteringResult) -> pd.DataFrame:
    """Return the most probable words of each topic, and those with the largest lift."""
    parts = []
    for _, topic in result.distinguishing.groupby("component"):
        largest = {
            "probability": topic.nlargest(WORDS_WRITTEN, "value"),
            "lift": result.most_lifted(topic, WORDS_WRITTEN),
        }
        parts += [words.assign(by=by, place=range(1, len(words) + 1)) for by, words in largest.items()]
    table = pd.concat(parts).rename(columns={"component": "topic", "column": "word", "value": "probability"})
    return table[["topic", "by", "place", "word", "probability", "overall", "lift"]]
