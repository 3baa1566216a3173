"""Delimited text as a table of texts: CSV, TSV, and fields separated by ";", "|" or blanks."""

import csv
import itertools
import operator
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.errors import DataError
from nbmf.io.cells import Block, Table, UnknownCell, counted
from nbmf.io.text_lines import is_gzipped, lines_of
from nbmf.io.value_codes import ValueCoding

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
# Of a block. Few enough for the garbage collector not to look at them: more take twice as long.
ROWS, FIELDS = 512, 2**18


class Record(NamedTuple):
    """The fields of one record, and the line on which it ends."""

    line: int
    fields: list[str]


class DelimitedText:
    """The records of a file; those of empty fields, as spreadsheets leave them, are left out.

    Whether the first one names the columns depends on what the others are, so that this is no
    table yet: `table` makes it one.

    Attributes
    ----------
    path : path
    format : str
        What is said about it.
    first : Record
    """

    def __init__(self, path: Path):
        opening = next(filter(str.strip, lines_of(path)), None)
        if opening is None:
            raise DataError(f"{path}: the file is empty")
        if "\0" in opening:
            raise DataError(f"{path}: no text; save the table as CSV (UTF-8)")
        self.path, self._separator = path, separator_of(opening)
        packed = ", gzipped" if is_gzipped(path) else ""
        self.format = f"text, fields separated by {SEPARATORS[self._separator]}{packed}"
        self.first, self._second = itertools.islice(itertools.chain(self, (None, None)), 2)
        if self.first is None:
            raise DataError(f"{path}: all fields are empty")

    def __iter__(self) -> Iterator[Record]:
        """Yield the records, from the beginning of the file."""
        self.empty = 0
        lines = lines_of(self.path)
        if self._separator == " ":
            lines = (line.rstrip() + "\n" for line in lines)
        # Several blanks are one: those at the beginning of a field do not count.
        reader = csv.reader(lines, delimiter=self._separator, skipinitialspace=True, strict=True)
        try:
            for fields in reader:
                # The first look is enough for most.
                if fields and (fields[0] > " " or any(map(str.strip, fields))):
                    yield Record(reader.line_num, fields)
                else:
                    self.empty += bool(fields)  # a blank line is not worth a word
        except csv.Error as error:
            raise DataError(f"{self.path}, line {reader.line_num}: {error}") from error

    def table(self, header: bool, hint: str = "", may_lack_a_name: bool = True) -> Table:
        """Return what is below the first record if it is a header, else all records.

        Parameters
        ----------
        header : bool
        hint : str
            What helps if the first record is none.
        may_lack_a_name : bool
            Whether the header may have a field less than the others: R writes nothing above names of rows.

        Raises
        ------
        DataError
            If there is nothing below the header.
        """
        names = [field.strip() if header else "" for field in self.first.fields]
        hint = hint if header else ""
        if header and self._second is None:
            raise DataError(f"{self.path}: a header and no rows", hint)
        if header and may_lack_a_name and len(self._second.fields) == len(names) + 1:
            names = ["", *names]
        return _TextTable(self, names, header, hint)


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


class _TextTable(Table):
    unit = "line"

    def __init__(self, text: DelimitedText, names: list[str], has_header: bool, hint: str):
        self._text, self.path, self.has_header, self.hint = text, text.path, has_header, hint
        self.names = [name or f"field {place}" for place, name in enumerate(names, start=1)]
        self.first_is_unnamed = has_header and not names[0]
        said = f"header in line {text.first.line}" if has_header else "no header"
        self.format = f"{text.format}; {said}"

    def blocks(self) -> Iterator[Block]:
        records = itertools.islice(self._text, int(self.has_header), None)
        size = max(1, min(ROWS, FIELDS // len(self.names)))
        while batch := list(itertools.islice(records, size)):
            lines, rows = zip(*batch, strict=True)
            ragged = next((row for row, fields in enumerate(rows) if len(fields) != len(self.names)), None)
            yield _TextBlock(lines[:ragged], rows[:ragged])
            if ragged is not None:  # what is above it may be wrong, too
                found = counted(len(rows[ragged]), "field")
                raise DataError(f"{self.path}, line {lines[ragged]}: {found} instead of {len(self.names)}")

    @property
    def where_names(self) -> str:
        return f"{self.path}, line {self._text.first.line}"

    def where_is_name(self, column: int) -> str:
        return f"line {self._text.first.line}, field {column + 1}"

    def left_out(self) -> tuple[str, ...]:
        return (f"{counted(self._text.empty, 'line')} of empty fields",) if self._text.empty else ()


class _TextBlock(Block):
    def __init__(self, lines: Sequence[int], rows: Sequence[list[str]]):
        self.lines, self._rows = lines, rows

    def cells(self, column: int) -> list[str]:
        return [fields[column].strip() for fields in self._rows]

    texts = cells

    def codes(self, columns: Sequence[int], coding: ValueCoding) -> np.ndarray:
        pick = operator.itemgetter(*columns) if len(columns) > 1 else lambda fields: [fields[n] for n in columns]
        shape = len(self._rows), len(columns)
        texts = itertools.chain.from_iterable(map(pick, self._rows))
        codes = coding.look_up(texts, shape[0] * shape[1]).reshape(shape)
        if (unknown := np.argwhere(codes == coding.unknown)).size:
            row, place = unknown[0].tolist()
            raise UnknownCell(self.lines[row], columns[place], self._rows[row][columns[place]].strip())
        return codes
