"""Delimited text as a table of texts: CSV, TSV, and fields separated by ";", "|" or blanks."""

import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbmf.errors import DataError
from nbmf.io.records import COMMENT_SIGNS, FEWEST_FIELDS, TOP, Record, Records
from nbmf.io.text_lines import encoding_of, is_gzipped, lines_of

# Two colons separate the fields of MovieLens; csv takes one character, so that they are read as one that no text has.
COLONS, UNIT = "::", "\x1f"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks", UNIT: "two colons"}


class DelimitedText(Records):
    """The records of a text file.

    Parameters
    ----------
    path : path
    encoding : str, optional
        Of its characters; by default it is guessed.
    """

    unit = "line"

    def __init__(self, path: Path, encoding: str | None = None):
        self._encoding = encoding_of(path, encoding)
        opening = list(itertools.islice(filter(str.strip, lines_of(path, self._encoding.name)), TOP))
        if not opening:
            raise DataError(f"{path}: the file is empty")
        if "\0" in opening[0]:
            raise DataError(f"{path}: no text; save the table as CSV (UTF-8)")
        self.path, self._separator = path, _separator_below_titles(opening)
        packed = ", gzipped" if is_gzipped(path) else ""
        written = f" in {self._encoding.words}" if self._encoding.words else ""
        self.format = f"text{written}, fields separated by {SEPARATORS[self._separator]}{packed}"
        self.find_titles()
        if self.first is None:
            raise DataError(f"{path}: all fields are empty")

    def all_records(self) -> Iterator[Record]:
        """Yield the records and titles, from the beginning of the file."""
        self.empty = 0
        lines = separable_lines(lines_of(self.path, self._encoding.name), self._separator)
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


def separable_lines(lines: Iterable[str], separator: str) -> Iterable[str]:
    """Return lines for csv: blanks at their ends separate nothing, and two colons are one character."""
    if separator == " ":
        return (line.rstrip() + "\n" for line in lines)
    return (line.replace(COLONS, UNIT) for line in lines) if separator == UNIT else lines


def _separator_below_titles(lines: list[str]) -> str:
    """Return what separates the fields of the first of some lines, or of the one where a table begins below titles."""
    lines = below_comments(lines)
    first = separator_of(lines[0])
    if first != " " and first in lines[0]:
        return first
    others = ((separator_of(line), line) for line in lines[1:])
    return next(
        (separator for separator, line in others if separator != " " and line.count(separator) >= FEWEST_FIELDS - 1),
        first,
    )


def below_comments(lines: list[str]) -> list[str]:
    """Return the lines that do not look like comments; all of them if all do."""
    return [line for line in lines if not line.lstrip().startswith(COMMENT_SIGNS)] or lines


def separator_of(line: str) -> str:
    """Return what separates the fields of a file, seen from its first line.

    A tab is hardly ever part of a name; of the others the most frequent one, outside of quotes.
    Blanks do if there is nothing else, in any number; two colons if they are there twice and others are not.
    """
    line = re.sub(r'"[^"]*"', "name", line).strip(" \r\n")
    if "\t" in line:
        return "\t"
    most = max((",", ";", "|"), key=line.count)
    if most not in line and line.count(COLONS) > 1:
        return UNIT
    return " " if most not in line and " " in line else most
