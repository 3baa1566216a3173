"""Data frames, as Parquet and R files hold them, in any layout."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.coding import UnknownValue, ValueCoding, text_of
from nbmf.io.content import Content, places_aside, refuse_repeated, said_of_ignored
from nbmf.io.lists import Records, places_of, words_of

if TYPE_CHECKING:
    import pandas as pd

NO_INDEX = " (the first column is read as names of rows; index=False reads it as values)"


def read_table(
    path: str | os.PathLike, format: str, table: pd.DataFrame, options: Options, coding: ValueCoding
) -> Content:
    """Read a data frame in any layout; see `nbmf.read`. Rows are counted from 1 in messages."""
    columns = [str(name) for name in table.columns]
    refuse_repeated(path, columns, "column", lambda n: f"column {n + 1}")
    if not len(table):
        raise DataError(f"{path}: columns and no rows")
    if options.layout is None:
        return _read_matrix(path, format, table, columns, options, coding)
    places = places_of(options, columns, path)
    names = {r: _texts(table.iloc[:, place]) for r, place in places.items() if r != "value"}
    codes = np.ones(len(table), dtype=coding.dtype)
    if "value" in places:
        codes = _encode(path, table, places["value"], columns, coding)
    found = Records(path, "row", coding.dtype)
    found.extend(range(1, len(table) + 1), names["row"], names["column"], codes.tobytes(), names.get("groups"))
    format = f"{format}; {words_of(places, columns, options)}"
    return found.content(format, options)


def _read_matrix(
    path: str | os.PathLike, format: str, table: pd.DataFrame, columns: list[str], options: Options, coding: ValueCoding
) -> Content:
    groups, said = None, [format]
    aside = places_aside(options, columns, path)
    places = [place for place in range(len(columns)) if place not in aside]
    if options.groups is not None:
        groups = _texts(table.iloc[:, columns.index(options.groups)])
        said.append(f"groups in {options.groups!r}")
    said += said_of_ignored(options)
    row_names, hint = None, ""
    if _has_names(table) and options.index is not False:
        row_names = [text_of(name) for name in table.index]
        said.append("names of rows in the file's index")
    elif places and _first_is_names(table, places[0], options, coding):
        row_names, hint = _texts(table.iloc[:, places[0]]), "" if options.index else NO_INDEX
        said.append(f"names of rows in the first column, {columns[places.pop(0)]!r}")
    else:
        said.append("no names of rows")
    if row_names is not None:
        refuse_repeated(path, row_names, "row", lambda f: f"row {f + 1}", hint)
    if not places:
        raise DataError(f"{path}: no columns beside names and groups")
    codes = np.empty((len(table), len(places)), dtype=coding.dtype)
    for n, place in enumerate(places):
        codes[:, n] = _encode(path, table, place, columns, coding)
    column_names = [columns[place] for place in places]
    return Content(codes, "; ".join(said), row_names, column_names, groups)


def _has_names(table: pd.DataFrame) -> bool:
    """Whether the rows have names, and not only numbers that nobody gave."""
    return table.index.name is not None or table.index.dtype.kind not in "iu"


def _first_is_names(table: pd.DataFrame, place: int, options: Options, coding: ValueCoding) -> bool:
    if options.index is not None:
        return options.index
    try:
        return coding.are_labels(coding.encode(table.iloc[:, place]))
    except UnknownValue:
        return True


def _texts(column: pd.Series) -> list[str]:
    """Return the values of a column as texts; what is missing is empty."""
    present = column.notna().tolist()
    values = column.astype(object).tolist()
    return [text_of(v).strip() if there else "" for v, there in zip(values, present, strict=True)]


def _encode(
    path: str | os.PathLike, table: pd.DataFrame, place: int, columns: list[str], coding: ValueCoding
) -> np.ndarray:
    try:
        return coding.encode(table.iloc[:, place])
    except UnknownValue as found:
        where = f"{path}, row {found.place + 1}, column {columns[place]!r}"
        raise coding.refusal(where, found.value, columns[place]) from None
