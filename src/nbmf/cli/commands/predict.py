"""nbmf predict: where new rows are in a fit, and what their missing entries are."""

import argparse
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from nbmf.analysis.tables import COMPONENTS
from nbmf.cli.arguments import READING, printed_command
from nbmf.cli.options import Options, repeated_words
from nbmf.cli.publishing import publish
from nbmf.cli.reading import name_of, read_new_rows
from nbmf.cli.results import results_folder
from nbmf.cli.saved_fits import SavedFit, load_fit, scale_of_draws
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError, NbmfError
from nbmf.io.cells import Table
from nbmf.io.columns import read_columns
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.posterior.nearest import Nearest, nearest_of_fit
from nbmf.posterior.new_rows import MEMBERSHIPS, POSITIONS, WEIGHTS, Placement, new_rows, placed
from nbmf.reporting.lookups import WORK
from nbmf.reporting.prediction_report import Prediction, prediction_report

MISSING = "missing.csv"
FILES = (SUMMARY, PAGE, MISSING, *(f"{kind}.csv" for kind in (MEMBERSHIPS, POSITIONS, WEIGHTS)))
LEVEL = 0.9
# What a fit's own file says about itself, and a new one need not.
OF_FILE = ("groups", "ignore", "name", "encoding", "diagonal")


def run(options: argparse.Namespace) -> None:
    """Match and place new rows, write the folder and print the summary."""
    fit = load_fit(Path(options.model))
    folder = results_folder(options, ".predicted", FILES)
    read = read_new_rows(as_the_fit(options, fit))
    matrix = read.matrix
    if matrix.dense is not None:
        raise DataError(
            f"{options.file}: {matrix.words} are too many for nbmf predict, which keeps all of them: split the file "
            "into parts of fewer rows, or take nbmf recommend, which does without the zeros"
        )
    kind = fit.model.likelihood.matrix
    refuse_other_kind(options, matrix, kind)
    fit.model.refuse_other_categories(matrix, options.file)
    names, n_columns = fit.model.column_names_, fit.model.H_.shape[1]
    try:
        rows = new_rows(matrix, names, n_columns, **read.absent)
    except DataError as error:
        raise DataError(f"{options.file}: ", error) from error
    called = fit.record.get("names") or ()
    scale = None if fit.matrix is None else scale_of_draws(fit.path, fit.model, fit.matrix)
    placement = placed(fit.model, rows, matrix=fit.matrix, scale=scale, names=called, level=LEVEL, seed=options.seed)
    known = np.array([f"column {n}" for n in range(n_columns)]) if names is None else names
    fit_names, nearest = _nearest(fit, placement)
    result = Prediction(
        name=name_of(options),
        fit=options.model,
        model=fit.model,
        rows=rows,
        placement=placement,
        column_names=known,
        level=LEVEL,
        fit_names=fit_names,
        lowest=getattr(fit.matrix, "lowest", 0),
        nearest=nearest,
        nothing_found=fit.path.is_dir() and not (fit.path / f"{COMPONENTS}.csv").exists(),
    )
    folder.write_table(f"{placement.kind}.csv", result.table())
    folder.write_table(MISSING, result.missing())
    publish(prediction_report(result, printed_command(options)), folder, vars(options))


def refuse_other_kind(options: argparse.Namespace, matrix: NamedMatrix, kind: type[NamedMatrix]) -> None:
    """Raise DataError if a file has counts or ordered categories where the fit had none, or the reverse."""
    for other in (CountMatrix, CategoryMatrix):
        if isinstance(matrix, other) != (kind is other):
            names = f"a {type(matrix).__name__}; {options.model} was fitted to a {kind.__name__}"
            raise DataError(f"{options.file}: {names}")


def _nearest(fit: SavedFit, placement: Placement) -> tuple[np.ndarray, Nearest] | tuple[None, None]:
    """Return the names of a fit's rows, and which are nearest to new ones; None if its data are unknown or too many."""
    if fit.matrix is None or fit.matrix.dense is not None or math.prod(fit.matrix.shape) * len(placement.values) > WORK:
        return None, None
    return fit.matrix.row_names, nearest_of_fit(placement.expectation, fit.model.expectation_)


def as_the_fit(options: argparse.Namespace, fit: SavedFit) -> Options:
    """Return the options with those of the fit where nothing else was typed, and columns left out that it has not."""
    declared = {option.attribute: option for option in READING if option.attribute not in OF_FILE}
    taken: dict[str, Any] = {
        name: fit.record[name]
        for name, option in declared.items()
        if getattr(options, name) == option.default and fit.record.get(name) not in (None, option.default)
    }
    if taken:
        words = repeated_words(Options(**{**vars(options), **taken}), [declared[name] for name in taken])
        print(f"read as {options.model} was: {shlex.join(words)}", flush=True)
    if fit.model.row_groups_ is not None and options.groups is None and fit.record.get("groups") in _columns(options):
        taken["groups"] = fit.record["groups"]
        print(f"groups of rows: {taken['groups']}", flush=True)
    if fit.model.likelihood.matrix is CountMatrix:
        taken.setdefault("counts", True)
    chosen = Options(**{**vars(options), **taken})
    if chosen.ignore is None and chosen.layout is None and not chosen.transpose:
        return Options(**{**vars(chosen), "ignore": _foreign(chosen, fit)})
    return chosen


def _table(options: argparse.Namespace) -> Table | None:
    """Return the columns of a file, None if it cannot be read as a table."""
    try:
        path = Path(options.file).expanduser()
        return read_columns(path, options.header, name=options.name, encoding=options.encoding).table
    except (NbmfError, OSError):
        return None


def _columns(options: argparse.Namespace) -> list[str]:
    """Return the names of the columns of a file, with their labels and without; none if it is read as no table."""
    table = _table(options)
    return [] if table is None else [*table.names, *table.variables]


def _foreign(options: argparse.Namespace, fit: SavedFit) -> list[str] | None:
    """Return the columns of a file, but for names of rows, that a fit does not have: their values may be anything."""
    if fit.model.column_names_ is None or (table := _table(options)) is None:
        return None
    known = {*map(str, fit.model.column_names_), options.groups}
    first = 0 if options.index is False or table.row_names is not None else 1
    columns = list(zip(table.names, table.variables, strict=True))[first:]
    foreign = [variable for name, variable in columns if name not in known and variable != options.groups]
    return foreign if len(foreign) < len(columns) else None
