"""nbmf predict: where new rows are in a fit, and what their missing entries are."""

import math
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from nbmf.analysis.tables import COMPONENTS
from nbmf.cli.arguments import READING, printed_command
from nbmf.cli.options import Options, option_words
from nbmf.cli.publishing import publish
from nbmf.cli.reading import data_name, open_columns, read_new_rows
from nbmf.cli.results import results_folder
from nbmf.cli.saved_fits import SavedFit, load_fit, saved_scale
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.names import default_names
from nbmf.errors import DataError, naming_file
from nbmf.io.cells import Table
from nbmf.io.coded_matrix import ReadMatrix
from nbmf.output.folder import NOTHING_BEYOND
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.posterior.nearest import Nearest, nearest_fit_rows
from nbmf.posterior.new_rows import MEMBERSHIPS, POSITIONS, WEIGHTS, Placement, new_rows, place_rows
from nbmf.posterior.scale_axes import remove_row_effects
from nbmf.reporting.lookups import WORK
from nbmf.reporting.prediction_report import ReportedPrediction, prediction_report

MISSING = "missing.csv"
FILES = (SUMMARY, PAGE, MISSING, *(f"{kind}.csv" for kind in (MEMBERSHIPS, POSITIONS, WEIGHTS)))
LEVEL = 0.9
# What a fit's own file says about itself, and a new one need not.
FILE_OPTIONS = ("groups", "ignore", "name", "encoding", "diagonal")


def run(options: Options) -> None:
    """Match and place new rows, write the folder and print the summary."""
    fit = load_fit(Path(options.model))
    folder = results_folder(options, ".predicted", FILES)
    read = read_for_fit(options, fit)
    if read.matrix.dense is not None:
        raise DataError(
            f"{options.file}: {read.matrix.words} are too many for nbmf predict, which keeps all of them: split the "
            "file into parts of fewer rows, or take nbmf recommend, which does without the zeros"
        )
    with naming_file(options.file):
        rows = new_rows(read.matrix, fit.model.column_names_, fit.model.H_.shape[1], **read.absent)
    called = fit.record.get("names") or ()
    scale = None if fit.matrix is None else saved_scale(fit.path, fit.model, fit.matrix)
    placement = place_rows(
        fit.model, rows, matrix=fit.matrix, scale=scale, names=called, level=LEVEL, seed=options.seed
    )
    fit_names, nearest = _nearest_fit_rows(fit, placement)
    result = ReportedPrediction(
        name=data_name(options),
        fit=options.model,
        model=fit.model,
        rows=rows,
        placement=placement,
        column_names=column_names_of(fit),
        level=LEVEL,
        fit_names=fit_names,
        lowest=getattr(fit.matrix, "lowest", 0),
        nearest=nearest,
        nothing_beyond=_nothing_beyond(fit),
    )
    folder.write_table(f"{placement.kind}.csv", result.table())
    folder.write_table(MISSING, result.missing())
    publish(prediction_report(result, printed_command(options)), folder, vars(options))


def column_names_of(fit: SavedFit) -> np.ndarray:
    """Return the names of the columns of a fit, or those by default, str array (N,)."""
    names = fit.model.column_names_
    return default_names("column", fit.model.H_.shape[1]) if names is None else names


def _nothing_beyond(fit: SavedFit) -> str | None:
    """Return the baseline beyond which nothing was found, None if something was; "" of a folder that does not say."""
    if not fit.path.is_dir() or (fit.path / f"{COMPONENTS}.csv").exists():
        return None
    return fit.record.get(NOTHING_BEYOND, "")


def read_for_fit(options: Options, fit: SavedFit) -> ReadMatrix:
    """Read FILE as the file of a fit was read.

    Raises
    ------
    DataError
        If it has counts or ordered categories where the fit had none, or the reverse, or other categories.
    """
    kind = fit.model.likelihood.matrix
    read = read_new_rows(fill_in_options(options, fit), kind)
    for other in (CountMatrix, CategoryMatrix):
        if isinstance(read.matrix, other) != (kind is other):
            names = f"a {type(read.matrix).__name__}; {options.model} was fitted to a {kind.__name__}"
            raise DataError(f"{options.file}: {names}")
    fit.model.refuse_other_categories(read.matrix, options.file)
    return read


def _nearest_fit_rows(fit: SavedFit, placement: Placement) -> tuple[np.ndarray, Nearest] | tuple[None, None]:
    """Return the names of a fit's rows, and which are nearest to new ones; None if its data are unknown or too many."""
    if fit.matrix is None or fit.matrix.dense is not None or math.prod(fit.matrix.shape) * len(placement.values) > WORK:
        return None, None
    if placement.compared is None:
        return fit.matrix.row_names, nearest_fit_rows(placement.expectation, fit.model.expectation_)
    known = remove_row_effects(fit.model.expectation_, fit.model.factors_)
    return fit.matrix.row_names, nearest_fit_rows(placement.compared, known)


def fill_in_options(options: Options, fit: SavedFit) -> Options:
    """Return the options with those of the fit where nothing else was typed, and columns left out that it has not."""
    declared = {option.attribute: option for option in READING if option.attribute not in FILE_OPTIONS}
    taken: dict[str, Any] = {
        name: fit.record[name]
        for name, option in declared.items()
        if getattr(options, name) == option.default and fit.record.get(name) not in (None, option.default)
    }
    chosen = options.but(**taken)
    if taken:
        words = option_words(chosen, [declared[name] for name in taken])
        print(f"read as {options.model} was: {shlex.join(words)}", flush=True)
    is_list = chosen.layout is not None
    columns = None if is_list and fit.record.get("groups") is None else open_columns(chosen)
    if columns is None:
        return chosen
    table = columns.table
    if chosen.groups is None and fit.record.get("groups") in (*table.names, *table.variables):
        chosen = chosen.but(groups=fit.record["groups"])
        if fit.model.row_groups_ is not None:
            print(f"groups of rows: {chosen.groups}", flush=True)
    return chosen if is_list else chosen.but(ignore=_columns_to_ignore(chosen, fit, table) or None)


def _columns_to_ignore(options: Options, fit: SavedFit, table: Table) -> list[str]:
    """Return the columns of a file to leave out: those of the command and of the fit, and all that the fit has not.

    The values of columns that the fit has not may be anything. The first that is not put aside may have names of rows.
    """
    called = list(zip(table.names, table.variables, strict=True))

    def positions_of(names: Collection[str | None]) -> set[int]:
        return {place for place, pair in enumerate(called) if not {*names}.isdisjoint(pair)}

    typed = options.ignore or []
    used = positions_of([options.groups, *typed])
    of_fit = positions_of([fit.record.get("groups"), *(fit.record.get("ignore") or ())])
    foreign: list[int] = []
    if fit.model.column_names_ is not None and not options.transpose:
        columns = [place for place in range(len(called)) if place not in used | of_fit]
        may_be_names = options.index is not False and table.row_names is None
        values = columns[1:] if columns and may_be_names and table.may_name_rows(columns[0]) else columns
        known = {*map(str, fit.model.column_names_)}
        foreign = [place for place in values if table.names[place] not in known]
        foreign = foreign if len(foreign) < len(values) else []  # else an error says that no column is one of the fit
    return [*typed, *(table.variables[place] for place in sorted((of_fit - used) | {*foreign}))]
