"""What `nbmf cluster` and `nbmf topics` share: choose K, fit, write, tell."""

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from nbmf.cli.output import OutputFolder
from nbmf.cli.progress import Progress
from nbmf.cli.reading import name_of
from nbmf.cli.table_pictures import FILES as PICTURES
from nbmf.cli.table_pictures import pictures_of
from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.component_choice import ComponentChoice, best_fit, choose_components
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.posterior.distinguishing import by_label, distinguishing, order_of_components, shares_of_components
from nbmf.seeds import seed_sequence

SUMMARY, MODEL, DATA, REPORT = "summary.txt", "model.npz", "table.npz", "report.html"
FILES = (
    *(SUMMARY, MODEL, DATA, REPORT, *PICTURES, "memberships.csv"),
    "distinguishing.csv",
    "topics.csv",
    "components.csv",
    "scores.csv",
    "labels.csv",
)
WORDS_WRITTEN = 50  # of each topic, by probability and by lift
# Of words whose lift is told: exclusive words are many, and most are too rare to mean much.
LEAST_SHARE, LEAST_TOKENS = 1e-3, 5.0


class Task(NamedTuple):
    """What a command does with its file.

    read : function from the options to the FeatureTable
    models : dict from a name to the arguments of FeatureModel
    grid : numbers of components where none is given
    suffix : str, of the folder
    component, row : str, what these are called
    """

    read: Callable[[argparse.Namespace], FeatureTable]
    models: dict[str, dict[str, Any]]
    grid: tuple[int, ...]
    suffix: str
    component: str
    row: str


class Found(NamedTuple):
    """A fit and all that is said about it.

    name : str, of the data
    task : Task
    table : FeatureTable
    model : FeatureModel; None where nothing was found
    model_name : str, one of `task.models`
    choice : ComponentChoice; None if it was not asked for
    told : DataFrame of `distinguishing`; None where nothing was found
    seconds : float
    """

    name: str
    task: Task
    table: FeatureTable
    model: FeatureModel | None
    model_name: str
    choice: ComponentChoice | None
    told: pd.DataFrame | None
    seconds: float


def run_on(options: argparse.Namespace, task: Task) -> None:
    """Do what the command says."""
    name = name_of(options)
    folder = OutputFolder(options.out or f"{name}{task.suffix}", FILES, force=options.force)
    _check(options)
    table = task.read(options)
    started = time.perf_counter()
    grid = options.components or task.grid
    choice = _chosen(table, grid, task, options) if options.check and max(grid) > 1 else None
    found = _found(name, task, table, choice, grid, options)
    found = found._replace(seconds=time.perf_counter() - started)

    from nbmf.cli import table_pages
    from nbmf.cli.table_summary import summary

    text = summary(found)
    pictures = {} if found.model is None else _write_components(folder, found)
    if choice is not None:
        folder.write_table("scores.csv", pd.DataFrame(choice.scores))
    folder.write(DATA, table.save)
    folder.write_text(SUMMARY, text)
    folder.write_text(REPORT, table_pages.page_of(found, text, pictures, options))
    folder.finish(vars(options))
    print(f"\n{text}\n\nwritten to {folder.path}/; start with {REPORT}")


def _check(options: argparse.Namespace) -> None:
    several = len(options.components or ()) != 1 or len(options.models) != 1
    if not options.check and several:
        raise ConfigError(
            "--no-check: nothing chooses then; needed are one K after --components and one ID after --model"
        )


def _chosen(table: FeatureTable, grid, task: Task, options: argparse.Namespace) -> ComponentChoice:
    try:
        with Progress("check") as progress:
            return choose_components(
                table, grid, models=task.models, seed=options.seed, log=lambda done, total: progress.advance(1, total)
            )
    except DataError as error:
        raise DataError(f"{options.file}: ", error, "; --no-check holds nothing out") from error


def _found(name, task, table, choice, grid, options) -> Found:
    """Fit what was chosen; where nothing was found there is no fit."""
    model_name = options.models[0] if choice is None else choice.chosen.model
    if choice is not None and not choice.found:
        return Found(name, task, table, None, model_name, choice, None, 0.0)
    K = grid[0] if choice is None else choice.chosen.K
    settings, seed = task.models[model_name], seed_sequence("table", options.seed)
    model = best_fit(table, K, settings, options.starts, seed)
    told = distinguishing(model, table)
    return Found(name, task, table, model, model_name, choice, told, 0.0)


def _write_components(folder: OutputFolder, found: Found) -> dict[str, Any]:
    """Write what a fit has; return the pictures, captions to paths."""
    from nbmf.plotting import style

    model, table, task = found.model, found.table, found.task
    order = order_of_components(model)
    folder.write(MODEL, model.save)
    folder.write_table("memberships.csv", _memberships(found, order))
    shares = shares_of_components(model)[order]
    sizes = np.bincount(model.clusters_, minlength=order.size)[order]
    folder.write_table(
        "components.csv",
        pd.DataFrame(
            {
                task.component: np.arange(1, order.size + 1),
                "share": shares,
                f"{task.row}s": sizes,
                "place_in_model": order,
            }
        ),
    )
    if table.row_groups is not None:
        folder.write_table("labels.csv", by_label(model, table.row_groups), index=True)
    if WORD in table.kinds:
        folder.write_table("topics.csv", _topics(found))
    else:
        folder.write_table("distinguishing.csv", found.told)
    pictures = pictures_of(model, table)
    for file, picture in pictures.items():
        axis = picture.draw()
        folder.write(file, lambda path, axis=axis: style.save(axis.figure, path))
    return {picture.caption: folder.path / file for file, picture in pictures.items()}


def _memberships(found: Found, order: np.ndarray) -> pd.DataFrame:
    """Return the shares of each row, its main component, and its label if there are labels."""
    model, table, task = found.model, found.table, found.task
    place = np.empty(order.size, int)
    place[order] = np.arange(1, order.size + 1)
    first = {task.row: table.row_names}
    if table.row_groups is not None:
        first["label"] = table.row_groups
    first["main"] = place[model.clusters_]
    shares = model.memberships_[:, order]
    names = [f"{task.component} {number}" for number in range(1, order.size + 1)]
    return pd.DataFrame({**first, **dict(zip(names, shares.T, strict=True))})


def by_lift(found: Found, topic: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return the words of a topic with the largest lift, of those that are not rare in it."""
    shares = shares_of_components(found.model)[order_of_components(found.model)]
    tokens = shares[int(topic["component"].iloc[0]) - 1] * found.table.cells.sum()
    least = max(LEAST_SHARE, LEAST_TOKENS / max(tokens, 1.0))
    return topic[(topic["value"] >= least) & (topic["lift"] > 1)].nlargest(count, "lift")


def _topics(found: Found) -> pd.DataFrame:
    """Return the most probable words of each topic, and those with the largest lift."""
    parts = []
    for _, topic in found.told.groupby("component"):
        for by, own in (
            ("probability", topic.nlargest(WORDS_WRITTEN, "value")),
            ("lift", by_lift(found, topic, WORDS_WRITTEN)),
        ):
            parts.append(own.assign(by=by, place=range(1, len(own) + 1)))
    told = pd.concat(parts).rename(columns={"component": "topic", "column": "word", "value": "probability"})
    return told[["topic", "by", "place", "word", "probability", "overall", "lift"]]
