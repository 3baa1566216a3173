"""Delimited text: CSV, TSV, and fields separated by ";", "|" or blanks."""

import csv
import itertools
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.coding import UnknownValue, ValueCoding
from nbmf.io.content import Content, batches, counted, place_of, places_aside, refuse_repeated, said_of_ignored
from nbmf.io.lists import Records, places_of, words_of
from nbmf.io.text import is_gzipped, lines_of

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
NO_HEADER = " (line {} is read as names of columns; header=False reads it as values)"
NO_INDEX = " (the first column is read as names of rows; index=False reads it as values)"


def read_delimited(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read delimited text in any layout; see `nbmf.read`."""
    lines = _Lines(path)
    read = _read_matrix if options.layout is None else _read_list
    found = read(lines, options, coding)
    return found._replace(left_out=found.left_out + lines.left_out())


def separator_of(line: str) -> str:
    """Return what separates the fields of a file, seen from its first line.

    A tab is hardly ever part of a name; of the others the most frequent one, outside of quotes.
    Blanks do if there is nothing else, in any number.
    """
    line = re.sub(r'"[^"]*"', "name", line).strip(" \r\n")
    if "\t" in line:
        return "\t"
    most = max((",", ";", "|"), key=line.count)
    return " " if most not in line and " " in line else most


class _Line(NamedTuple):
    """The fields of one record, and the line on which it ends."""

    number: int
    fields: list[str]


class _Lines:
    """The records of a file; those of empty fields, as spreadsheets leave them, are left out.

    Attributes
    ----------
    path : path
    format : str
        What is said about it.
    """

    def __init__(self, path: str | os.PathLike):
        self.path, self._left_out = path, 0
        lines, leading = lines_of(path), []
        for line in lines:
            leading.append(line)
            if line.strip():
                break
        else:
            raise DataError(f"{path}: the file is empty")
        separator = separator_of(leading[-1])
        packed = ", gzipped" if is_gzipped(path) else ""
        self.format = f"text, fields separated by {SEPARATORS[separator]}{packed}"
        lines = itertools.chain(leading, lines)
        if separator == " ":
            lines = (line.rstrip() + "\n" for line in lines)
        # Several blanks are one: those at the beginning of a field do not count.
        self._reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)

    def __iter__(self) -> Iterator[_Line]:
        try:
            for fields in self._reader:
                # The first look is enough for most.
                if fields and (fields[0] > " " or any(map(str.strip, fields))):
                    yield _Line(self._reader.line_num, fields)
                else:
                    self._left_out += bool(fields)  # a blank line is not worth a word
        except csv.Error as error:
            raise DataError(f"{self.where(self._reader.line_num)}: {error}") from error

    def where(self, number: int) -> str:
        """Return the words for a line."""
        return f"{self.path}, line {number}"

    def check_width(self, line: _Line, width: int) -> None:
        """Raise DataError if a record has not as many fields as the others."""
        if len(line.fields) != width:
            found = counted(len(line.fields), "field")
            raise DataError(f"{self.where(line.number)}: {found} instead of {width}")

    def left_out(self) -> tuple[str, ...]:
        """Return what is to be said about records that were left out."""
        said = f"{counted(self._left_out, 'line')} of empty fields"
        return (said,) if self._left_out else ()


def _first_of(lines: _Lines) -> tuple[_Line, Iterator[_Line]]:
    """Return the first record, and the others."""
    records = iter(lines)
    first = next(records, None)
    if first is None:
        raise DataError(f"{lines.path}: all fields are empty")
    return first, records


# --- A matrix --------------------------------------------------------------------------------


def _read_matrix(lines: _Lines, options: Options, coding: ValueCoding) -> Content:
    top, records = _read_top(lines, options, coding)
    body = _read_body(lines, records, top, coding)
    index = options.index
    if index is None:
        index = top.has_unnamed or coding.are_names(body.firsts)
    labels, codes, row_names = top.labels, body.codes, None
    if index:
        labels, row_names = labels[1:], body.firsts
        hint = "" if options.index else NO_INDEX
        refuse_repeated(lines.path, row_names, "row", lambda f: f"line {body.numbers[f]}", hint)
    else:
        codes = np.column_stack([_first_codes(lines, body, labels[0], coding), codes])
    if not codes.shape[1]:
        raise DataError(f"{lines.path}: no columns beside the names of rows")
    said = [
        lines.format,
        f"header in line {top.header_line}" if top.header_line else "no header",
        "names of rows in the first column" if index else "no names of rows",
    ]
    if options.groups is not None:
        said.append(f"groups in {options.groups!r}")
    said += said_of_ignored(options)
    column_names = labels if top.header_line else None
    return Content(codes, "; ".join(said), row_names, column_names, body.groups)


class _Top(NamedTuple):
    """What is known before the values are read.

    header_line : int, None if there is no header
    width : int, the number of fields of a row
    labels : list of str, what each column is called, without groups and what is ignored
    aside : list of int, the places in a row of groups and of what is ignored, the last first
    groups_at : int or None, the place of the groups in a row
    has_unnamed : bool, whether the first column has no name, so that it has the names of rows
    """

    header_line: int | None
    width: int
    labels: list[str]
    aside: list[int]
    groups_at: int | None
    has_unnamed: bool


def _read_top(lines: _Lines, options: Options, coding: ValueCoding) -> tuple[_Top, Iterator[_Line]]:
    """Return what the first line says, and the records with values."""
    first, records = _first_of(lines)
    names = _header_of(first, options, coding)
    if names is None:
        width = len(first.fields)
        return _Top(None, width, _labels([""] * width), [], None, False), itertools.chain([first], records)
    hint = "" if options.header else NO_HEADER.format(first.number)
    second = next(records, None)
    if second is None:
        raise DataError(f"{lines.path}: a header and no rows{hint}")
    if len(second.fields) == len(names) + 1:  # as R writes it: nothing above the names of rows
        names = ["", *names]
    labels = _labels(names)
    refuse_repeated(lines.path, labels, "column", lambda i: f"line {first.number}, field {i + 1}", hint)
    where = lines.where(first.number)
    groups_at = None if options.groups is None else place_of(options.groups, labels, where)
    aside = places_aside(options, labels, where)
    labels = [label for place, label in enumerate(labels) if place not in aside]
    if not labels:
        raise DataError(f"{lines.path}: no columns beside the groups and those to ignore")
    has_unnamed = names[0] == "" and 0 not in aside
    top = _Top(first.number, len(names), labels, aside, groups_at, has_unnamed)
    return top, itertools.chain([second], records)


def _header_of(first: _Line, options: Options, coding: ValueCoding) -> list[str] | None:
    """Return the names of columns, None if the first line is no header."""
    fields = [field.strip() for field in first.fields]
    has_header = options.header
    if has_header is None:  # a name is no value; names of rows are none either
        others = fields[1:] or fields
        has_header = bool(options.groups or options.ignore) or coding.are_names(others)
    return fields if has_header else None


def _labels(names: list[str]) -> list[str]:
    """Return what each column is called, those without a name too."""
    return [name or f"field {place}" for place, name in enumerate(names, start=1)]


class _Body(NamedTuple):
    """What is below the header.

    codes : array (F, N - 1), of all fields but the first
    firsts : list of str, the first field of each row
    groups : list of str or None
    numbers : list of int, the line of each row
    """

    codes: np.ndarray
    firsts: list[str]
    groups: list[str] | None
    numbers: list[int]


def _read_body(lines: _Lines, records: Iterator[_Line], top: _Top, coding: ValueCoding) -> _Body:
    content, firsts, groups, numbers = bytearray(), [], [], []
    for line in records:
        lines.check_width(line, top.width)
        fields = line.fields
        for place in top.aside:
            value = fields.pop(place)
            if place == top.groups_at:
                groups.append(value.strip())
        try:
            content += coding.pack(fields[1:])
        except UnknownValue as found:
            raise _refusal(lines, line.number, top.labels[1 + found.place], found, coding) from None
        firsts.append(fields[0].strip())
        numbers.append(line.number)
    shape = len(firsts), len(top.labels) - 1
    codes = np.frombuffer(bytes(content), dtype=coding.dtype).reshape(shape)
    return _Body(codes, firsts, groups if top.groups_at is not None else None, numbers)


def _first_codes(lines: _Lines, body: _Body, label: str, coding: ValueCoding) -> np.ndarray:
    """Return the codes of the first fields, which are values."""
    try:
        return np.frombuffer(coding.pack(body.firsts), dtype=coding.dtype)
    except UnknownValue as found:
        raise _refusal(lines, body.numbers[found.place], label, found, coding) from None


def _refusal(lines: _Lines, number: int, label: str, found: UnknownValue, coding: ValueCoding) -> DataError:
    where = f"{lines.where(number)}, column {label!r}"
    return coding.refusal(where, found.value.strip(), label)


# --- A list of entries -----------------------------------------------------------------------


def _read_list(lines: _Lines, options: Options, coding: ValueCoding) -> Content:
    first, records = _first_of(lines)
    width = len(first.fields)
    has_header = _list_has_header(lines.path, first, options, coding)
    if has_header:
        columns = _labels([field.strip() for field in first.fields])
    else:
        columns = _labels([""] * width)
        records = itertools.chain([first], records)
    places = places_of(options, columns, lines.where(first.number))
    row, column = places["row"], places["column"]
    value, groups = places.get("value"), places.get("groups")
    found = Records(lines.path, "line", coding.dtype)
    for batch in batches(records):
        for line in batch:
            lines.check_width(line, width)
        numbers, fields = zip(*batch, strict=True)
        by_column = list(zip(*fields, strict=True))
        try:
            codes = coding.ones(len(batch)) if value is None else coding.pack(by_column[value])
        except UnknownValue as unknown:
            where = f"{lines.where(numbers[unknown.place])}, column {columns[value]!r}"
            raise coding.refusal(where, unknown.value.strip()) from None
        rows_, columns_, groups_ = (
            None if place is None else list(map(str.strip, by_column[place])) for place in (row, column, groups)
        )
        found.extend(numbers, rows_, columns_, codes, groups_)
    said = f"header in line {first.number}" if has_header else "no header"
    format = f"{lines.format}; {said}; {words_of(places, columns, options)}"
    return found.content(format, options)


def _list_has_header(path: str | os.PathLike, first: _Line, options: Options, coding: ValueCoding) -> bool:
    """Whether the first line names the columns.

    Where a value must be, a name is none. A list of presences has names only: that of a column
    does not come again below it, whereas a row or a column mostly does.
    """
    if options.header is not None:
        return options.header
    if any(getattr(options, key) is not None for key in ("row", "column", "value", "groups")):
        return True
    fields = first.fields
    if options.layout == "long":
        return coding.are_names(fields[2:3])
    below = itertools.islice(_Lines(path), 1, None)
    return not any(
        ours.strip() == other.strip() for line in below for ours, other in zip(fields[:2], line.fields, strict=False)
    )
