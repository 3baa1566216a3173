"""What every file format becomes, a table or an array of cells, before anybody says what its cells mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.value_codes import ValueCoding, text_of, texts_of
from nbmf.errors import DataError, did_you_mean, first_of

SHOWN = 8  # names in a message


class RepeatedName(DataError):
    """Says that two rows or columns have the same name: perhaps these are values."""


class UnknownCell(Exception):
    """Says on which line, or row, and in which column of a table a value is that has no code."""

    def __init__(self, line: int, column: int, value: Any):
        super().__init__(line, column, value)
        self.line, self.column, self.value = line, column, value


class Block:
    """Some rows of a table.

    Attributes
    ----------
    lines : sequence of int
        The line of each row in its file, or its number from 1.
    """

    lines: Sequence[int]

    def cells(self, column: int) -> list:
        """Return a column: texts without blanks around them, or the values of the file; null is None."""
        raise NotImplementedError

    def texts(self, column: int) -> list[str]:
        """Return a column as texts; null is empty."""
        return texts_of(self.cells(column))

    def codes(self, columns: Sequence[int], coding: ValueCoding) -> np.ndarray:
        """Return the codes of some columns, an array (rows, columns).

        Raises
        ------
        UnknownCell
            If a value has none.
        """
        raise NotImplementedError


class Table:
    """A table with columns of any kind, read in blocks of rows, as often as it is asked for them.

    Attributes
    ----------
    path : path
    format : str
        What is said about it.
    names : list of str
        Of the columns; "field 3" where there is none.
    has_header : bool
        Whether the file has these names.
    row_names : list of str or None
        Those of an index that the file has besides its columns.
    row_numbers : list of str or None
        Those of an index without a name that has numbers of rows, as a part of a table keeps them: names where there
        are no others.
    names_rows_first : bool
        Whether the first column names rows: nothing is above it, or a program has exported it so.
    hint : str
        What helps if the names cannot be such.
    unit : str
        What is counted: "line" or "row".
    notes : tuple of str
        What else is to be said about it, a line each.
    """

    path: Path
    format: str
    names: list[str]
    unit: str
    has_header: bool = True
    row_names: list[str] | None = None
    row_numbers: list[str] | None = None
    names_rows_first: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()

    def blocks(self) -> Iterator[Block]:
        """Yield all rows."""
        raise NotImplementedError

    def where(self, line: int) -> str:
        """Return the words for a line, or a row."""
        return f"{self.unit} {line}"

    @property
    def header_location(self) -> str:
        """The words for the place of all names of columns."""
        return str(self.path)

    @property
    def variables(self) -> list[str]:
        """What options call the columns: their names, unless these have more."""
        return self.names

    def may_name_rows(self, column: int) -> bool:
        """Whether the first column may have names of rows, seen from all but its values."""
        return True

    def labels_of(self, column: int) -> Mapping[Any, str]:
        """Return the labels of the values of a column, if the file has such."""
        return {}

    def values_of(self, column: int) -> list:
        """Return the values of a column that has labels, None where missing."""
        raise NotImplementedError

    def meaning_of(self, column: int, value: Any) -> str:
        """Return the words for the label of a value, if it has one."""
        labels = self.labels_of(column)
        label = labels.get(value) if labels else None  # a value may be a list
        return "" if label is None else f" ({text_of(value)} is {label!r})"

    def find_column(self, name: str) -> int:
        """Return the place of a column; DataError names some of those there are."""
        return find_column(name, self.names, self.header_location)

    def name_location(self, column: int) -> str:
        """Return the words for the place of a column's name."""
        return f"column {column + 1}"

    def left_out(self) -> tuple[str, ...]:
        """Return what is to be said about rows that were left out, once all were read."""
        return ()

    def check_names(self) -> None:
        """Raise DataError if a name is empty or is there twice."""
        refuse_repeated(self.path, self.names, "column", self.name_location, self.hint)


class Grid(NamedTuple):
    """An array (F, N) of values, of any dtype; `where` has the words for the place of one."""

    path: Path
    format: str
    values: np.ndarray
    where: Callable[[int, int], str]
    row_names: Sequence[str] | None = None
    column_names: Sequence[str] | None = None


class Entries(NamedTuple):
    """Some entries of a matrix of `shape`, of which the others are 0; an entry may be there twice.

    rows, columns, values : arrays (n,)
    where : function
        From the number of an entry to the words for its place.
    absent : str
        What is said about the others.
    row_names, column_names : sequences of unique texts, or None
    """

    path: Path
    format: str
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]
    where: Callable[[int], str]
    absent: str
    row_names: Sequence[str] | None = None
    column_names: Sequence[str] | None = None


def refuse_repeated(path: Path, names: Sequence[str], kind: str, where: Callable[[int], str], hint: str = "") -> None:
    """Raise DataError if a name is empty or is there twice; `where` has the words for the place of a name.

    The message names the place of the first one and says how many others there are.
    """
    first: dict[str, int] = {}
    empty, twice = [], []
    for place, name in enumerate(names):
        if not name:
            empty.append(place)
        elif first.setdefault(name, place) != place:
            twice.append(place)
    if empty and empty[0] < min(twice, default=len(names)):
        others = f", and those of {len(empty) - 1} more" if len(empty) > 1 else ""
        raise DataError(f"{path}, {where(empty[0])}: the name of the {kind} is empty{others}", hint)
    if twice:
        name, others = names[twice[0]], list(dict.fromkeys(names[place] for place in twice))[1:]
        more = f"; so {'is' if len(others) == 1 else 'are'} {quoted_names(others)}" if others else ""
        raise RepeatedName(
            f"{path}, {where(twice[0])}: the {kind} {name!r} is there already, in {where(first[name])}{more}", hint
        )


def quoted_names(names: Sequence[str]) -> str:
    """Return the first of many names, quoted, and how many others there are."""
    return first_of([*map(repr, names)], SHOWN)


def find_column(name: str, columns: Sequence[str], where: str) -> int:
    """Return the place of a column; DataError names some of those there are."""
    if name not in columns:
        listed = f"{first_of(columns, SHOWN)}{did_you_mean(name, columns)}"
        raise DataError(f"{where}: no column {name!r}; the columns are {listed}")
    return columns.index(name)


def count_phrase(number: int, what: str) -> str:
    """Return the words for a number of things: 1 record, 2 records."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def size_phrase(rows: int, columns: int) -> str:
    """Return the words for the size of a matrix: 30 rows x 1 column."""
    return f"{count_phrase(rows, 'row')} x {count_phrase(columns, 'column')}"


def repeated_records(number: int) -> str:
    """Return the words for records that were left out, since others say the same."""
    return f"{count_phrase(number, 'record')} that {'repeats' if number == 1 else 'repeat'} another"
