"""`nbmf.read_table`: from a file with columns of any kind to a FeatureTable, and what was seen."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Unpack

from nbmf.data.feature_table import FeatureTable
from nbmf.data.names import default_names
from nbmf.data.value_codes import RISING, number_of, texts_of
from nbmf.errors import ConfigError, DataError, Message, Setting, choices, naming_file
from nbmf.io.arguments import TableOptions
from nbmf.io.cells import count_phrase, refuse_repeated
from nbmf.io.column_kinds import DISTRIBUTIONS, Column, WrongCell, infer_column_kind
from nbmf.io.columns import Columns, read_columns
from nbmf.numerics.percent import percent

SHOWN = 12  # columns of a kind in the report
MOST_LISTED = 20  # columns of an error: a file of thousands of texts is no table


def read_table(
    path: str | os.PathLike,
    *,
    kinds: Mapping[str, str] | None = None,
    labels: str | None = None,
    ignore: Collection[str] = (),
    index: bool | None = None,
    missing: Collection[str] | None = None,
    log: Callable[[str], None] = print,
    **options: Unpack[TableOptions],
) -> FeatureTable:
    """Read a table with columns of any kind from a file, and report how it was read.

    The file is delimited text (gzipped or not), Excel, SPSS, Stata, JSON (records), Parquet, or an R data frame.
    The kind of a column follows from its values: 0 and 1 alone are binary; at most five different whole numbers are
    codes of categories; small whole numbers from 0 on are counts; other numbers are real; texts are categories. A
    column without a value, or with one value alone, is left out.

    Parameters
    ----------
    path : path
    kinds : dict, optional
        The kind of some columns by name: "real", "category", "binary" or "count".
    labels : str, optional
        The column with the label (class) of each row, which is kept apart.
    ignore : list of str, optional
        Columns that are left out.
    index : bool, optional
        Whether the first column names the rows (by default if all its values differ and are texts, or count 1, 2,
        3, ..., or on from another whole number, as 1001, 1002, 1003, ...).
    missing : list of str, optional
        The texts that mean missing, instead of the defaults: an empty cell, ".", "?", NA, N/A, NaN, None, null.
    log : function
        Takes each line of the report.
    **options
        `header`, whether the first line of a text or a sheet names the columns (by default unless a field of it is
        a number); `name` of an object of an R file or a sheet of a workbook, `encoding` of texts, as for `nbmf.read`.

    Returns
    -------
    FeatureTable

    Raises
    ------
    ConfigError
        If a kind is unknown.
    DataError
        If the file is no table, or has columns that are neither numbers nor categories: dates,
        texts of many kinds, numbers with other texts among them. All of them are named.
    """
    kinds = dict(kinds or {})
    for column, kind in kinds.items():
        if kind not in DISTRIBUTIONS:
            raise ConfigError(Setting("kinds"), f": {column!r} is {kind!r}; {choices(kind, DISTRIBUTIONS)}")
    path = Path(path).expanduser()
    contents = read_columns(path, missing=missing, **options)
    kinds = dict(zip(contents.names_of(kinds, str(path)), kinds.values(), strict=True))
    ignore = contents.names_of(ignore, str(path))
    labels = None if labels is None else contents.names_of([labels], str(path))[0]
    if aside := [column for column in kinds if column in ignore or column == labels]:
        raise ConfigError(Setting("kinds", {aside[0]: kinds[aside[0]]}), ": the column is kept apart")
    if labels in ignore:
        raise ConfigError(Setting("ignore", [labels]), ": the column has the labels, which are kept apart")
    features = [column for column in contents.values if column not in ignore and column != labels]
    row_names, said = contents.table.row_numbers, "numbers of rows in the file's index"
    if index is False or row_names is None:
        row_names, said = None, "no names of rows"
    if features and _names_rows(contents, features[0], index, features[0] in kinds):
        first = features.pop(0)
        row_names, said = texts_of(contents.values[first]), f"names of rows in {first!r}"
        refuse_repeated(path, row_names, "row", contents.where)
    columns = _infer_columns(path, contents, features, kinds)
    if not any(column.kind for column in columns.values()):
        gone = [f"{name!r} ({column.left_out})" for name, column in columns.items()]
        listed = "; ".join([said, *gone])
        raise DataError(f"{path}: no column is left ({listed}); needed is one with two values")
    table = _build_table(path, contents, columns, labels, row_names)
    said += "" if labels is None else f"; labels in {labels!r}, kept apart"
    log(f"{path}: {contents.format}; {said}")
    for note in contents.table.notes:
        log(note)
    _report(table, columns, ignore, log)
    _report_nones(contents, [name for name, column in columns.items() if column.kind == "category"], log)
    return table


def _names_rows(contents: Columns, first: str, index: bool | None, has_kind: bool) -> bool:
    """Whether a first column has names of rows, and no values."""
    if index is not None or has_kind:
        return bool(index)
    values = contents.values[first]
    if None in values or len(set(values)) < len(values) or len(values) < 2:
        return False
    if contents.is_index(first):
        return True
    numbers = [number_of(value) for value in values]
    if all(number is None for number in numbers):
        return True
    if any(number is None or not number.is_integer() for number in numbers):
        return False
    count_on = all(after - before == 1 for before, after in itertools.pairwise(numbers))
    return count_on and (numbers[0] in (0, 1) or len(numbers) >= RISING)


def _infer_columns(path, contents: Columns, names: list[str], kinds: Mapping[str, str]) -> dict[str, Column]:
    """Return what each column is; one error names those that a person has to decide on."""
    columns, problems = {}, {}
    for name in names:
        try:
            columns[name] = infer_column_kind(contents.values[name], kinds.get(name))
        except WrongCell as wrong:
            where = f"{path}, {contents.where(wrong.row)}, column {name!r}"
            raise DataError(f"{where}: {wrong.words}") from None
        if columns[name].problem:
            problems[name] = columns[name].problem
    if problems:
        raise UndecidedColumns(path, problems)
    return columns


class UndecidedColumns(DataError):
    """Columns of which a person has to say what they are, the first of many by name, with what may be done about them.

    Parameters
    ----------
    path : path
    problems : dict, from the name of a column to what it has
    """

    def __init__(self, path, problems: Mapping[str, str]):
        self.columns = list(problems)
        first, *others = problems
        more = f"; and {len(problems) - MOST_LISTED} more columns" if len(problems) > MOST_LISTED else ""
        listed = "; ".join(f"column {name!r} has {problems[name]}" for name in self.columns[:MOST_LISTED])
        super().__init__(
            f"{path}: {listed}{more}. ",
            Setting("ignore", [...] if more else self.columns),
            f" leaves {'them' if others else 'it'} out; texts may be categories all the same, ",
            Setting("kinds", {first: "category"}),
            ", and a text among numbers may mean missing, ",
            Setting("missing", [...]),
        )


def _build_table(path, contents: Columns, columns, labels, row_names) -> FeatureTable:
    import pandas as pd

    used = {name: column for name, column in columns.items() if column.kind}
    rows = default_names("row", len(contents.lines)).tolist() if row_names is None else row_names
    cells = {name: pd.Series(column.values, rows, object) for name, column in used.items()}
    frame = pd.DataFrame(cells, dtype=object)
    distributions = {name: DISTRIBUTIONS[column.kind] for name, column in used.items()}
    if labels is not None:
        frame.insert(0, labels, texts_of(contents.values[labels]))
    with naming_file(path):
        return FeatureTable.from_frame(frame, distributions, labels)


def _report(table: FeatureTable, columns, ignore, log) -> None:
    rows, N = table.shape
    missing = 1 - table.cells.size / (rows * N)
    log(f"{count_phrase(rows, 'row')} x {count_phrase(N, 'column')}, {percent(missing, 1)} missing")
    sizes = dict(zip(table.column_names.tolist(), table.sizes.tolist(), strict=True))
    for word, distribution in DISTRIBUTIONS.items():
        of_kind = [name for name, column in columns.items() if column.kind == word]
        if of_kind:
            listed = [f"{n} ({sizes[n]})" if word == "category" else n for n in of_kind[:SHOWN]]
            more = f", and {len(of_kind) - SHOWN} more" if len(of_kind) > SHOWN else ""
            log(f"{word} ({distribution}): {', '.join(listed)}{more}")
    left_out = [f"{name!r} ({column.left_out})" for name, column in columns.items() if column.left_out]
    left_out += [f"{name!r} (ignored)" for name in ignore]
    if left_out:
        log(f"left out: {', '.join(left_out)}")


def _report_nones(contents: Columns, categories: list[str], log) -> None:
    """Say in which columns of texts "none" was taken for missing: it may be a category."""
    rows = len(contents.lines)
    seen = [f"{name!r} ({percent(contents.nones[name] / rows)})" for name in categories if name in contents.nones]
    if seen:
        more = f" and {len(seen) - SHOWN} more columns" if len(seen) > SHOWN else ""
        taken = f"'none' is taken to mean missing in {', '.join(seen[:SHOWN])}{more}: "
        log(Message(taken, Setting("missing", [""]), " reads it as a category, and only empty cells as missing"))
