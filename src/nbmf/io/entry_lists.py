"""Lists with an entry a record, in text or Parquet, read in pieces (nbmf.io.arrow_pieces).

The rows and columns of the matrix are either names, numbered as they appear, or numbers from 0.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nbmf.data.value_codes import number_of, text_of, texts_of
from nbmf.errors import DataError
from nbmf.io import arrow_pieces
from nbmf.io.arrow_pieces import NUMBER, REAL, TEXT, IrregularText, TextColumns
from nbmf.io.cells import count_phrase, find_column
from nbmf.io.delimited import SEPARATORS, UNIT, below_comments, separator_of
from nbmf.io.extras import refusing_damaged
from nbmf.io.records import TOP, Record, is_comment
from nbmf.io.text_lines import BYTE_ORDER_MARK, UTF_8, beginning, first_undecodable_line, is_gzipped, lines_of

if TYPE_CHECKING:
    import pyarrow as pa

ROW, COLUMN, VALUE = ROLES = ("row", "column", "value")
OPENING = 2**20  # bytes, in which the first line of a text ends
LINE_END = re.compile("\r\n|\n|\r")  # those of pyarrow; str.splitlines has others


class Piece(NamedTuple):
    """Some entries.

    rows, columns : int arrays (n,), from 0
    values : float array (n,), NaN where null; None where all are 1
    where : function
        From the number of an entry in the piece to the words for its place in the file.
    """

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray | None
    where: Callable[[int], str]


class WrongPlace(Exception):
    """Says which row or column of a piece is none that is allowed, and why."""

    def __init__(self, record: int, words: str):
        super().__init__(record, words)
        self.record, self.words = record, words


class Names:
    """Names, numbered 0, 1, ... as they appear; those of a piece are looked up once each."""

    type = TEXT

    def __init__(self, role: str):
        self._role, self._numbers = role, {}

    def numbers_of(self, names: pa.Array) -> np.ndarray:
        """Return the numbers of names, int32 array (n,)."""
        # Of categories those that are there, in the order of entries.
        encoded = (names.dictionary_decode() if hasattr(names, "dictionary") else names).dictionary_encode()
        places = encoded.indices.to_numpy(zero_copy_only=False)
        distinct = texts_of(encoded.dictionary.to_pylist())
        if encoded.null_count or "" in distinct:
            is_empty = np.isin(places, [place for place, name in enumerate(distinct) if not name]) | np.isnan(places)
            if is_empty.any():
                raise WrongPlace(int(np.argmax(is_empty)), f"the name of the {self._role} is empty")
        known = self._numbers
        numbers = np.fromiter((known.setdefault(name, len(known)) for name in distinct), np.int32, len(distinct))
        return numbers[places]

    @property
    def size(self) -> int:
        """The number of different names so far."""
        return len(self._numbers)

    @property
    def names(self) -> np.ndarray:
        """The names in their order, str array."""
        return np.array(list(self._numbers), dtype=str)


class Numbers:
    """Numbers from 0 to `size` - 1."""

    type = NUMBER
    names = None

    def __init__(self, role: str, size: int):
        self._role, self.size = role, size

    def numbers_of(self, numbers: pa.Array) -> np.ndarray:
        """Return the numbers, int array (n,), once they are seen to be within the size."""
        if numbers.null_count:
            raise WrongPlace(int(np.argmax(numbers.is_null().to_numpy(zero_copy_only=False))), self._refusal("nothing"))
        places = numbers.to_numpy(zero_copy_only=False)
        if places.dtype.kind not in "iu":
            raise WrongPlace(0, self._refusal(repr(text_of(places[0]))))
        if places.size and not (places.min() >= 0 and places.max() < self.size):
            wrong = int(np.argmax((places < 0) | (places >= self.size)))
            raise WrongPlace(wrong, self._refusal(repr(text_of(places[wrong]))))
        return places

    def _refusal(self, shown: str) -> str:
        return f"the {self._role} is {shown}; allowed: 0 to {self.size - 1}"


class EntryList:
    """A list of entries in a file.

    Attributes
    ----------
    path : path
    format : str, what is said about it
    names : list of str, of all columns
    places : dict from each role that there is to the place of its column
    """

    path: Path
    format: str
    names: list[str]
    places: dict[str, int]

    def _assign_columns(self, roles: dict[str, str | None]) -> None:
        """Find the column of each role: the one that is given, rows and columns else in the first ones not given."""
        given = {
            role: find_column(name, self.names, str(self.path)) for role, name in roles.items() if name is not None
        }
        free = (place for place in range(len(self.names)) if place not in given.values())
        for role in (ROW, COLUMN):
            if role in given:
                continue
            place = next(free, None)
            if place is None:
                raise DataError(f"{self.path}: a list has columns of row and column; this one has {len(self.names)}")
            given[role] = place
        self.places = {role: given[role] for role in ROLES if role in given}

    def pieces(self, rows: Names | Numbers, columns: Names | Numbers) -> Iterator[Piece]:
        """Yield all entries.

        Raises
        ------
        DataError
            If something is wrong; the message names the line, or the row of a Parquet file.
        """
        done = 0
        for arrays in self._arrays({ROW: rows.type, COLUMN: columns.type, VALUE: REAL}):

            def where(record: int, first: int = done) -> str:
                return self.where(first + record)

            try:
                places = [kind.numbers_of(arrays[role]) for role, kind in ((ROW, rows), (COLUMN, columns))]
            except WrongPlace as wrong:
                raise DataError(f"{self.path}, {where(wrong.record)}: {wrong.words}") from None
            values = arrays[VALUE].to_numpy(zero_copy_only=False).astype(np.float64) if VALUE in arrays else None
            yield Piece(*places, values, where)
            done += len(arrays[ROW])

    def _arrays(self, types: dict[str, str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns of all roles, piece by piece."""
        raise NotImplementedError

    def where(self, record: int) -> str:
        """Return the words for the place of a record, from 0."""
        raise NotImplementedError


class TextList(EntryList):
    """A list of text, gzipped or not, in UTF-8.

    Parameters
    ----------
    path : path
    roles : dict from each role to the name of its column, or None
    header : bool or None
        Whether the first line names the columns; None: it does unless two of its fields are numbers, those of row and
        column.
    """

    def __init__(self, path: Path, roles: dict[str, str | None], header: bool | None):
        self.path = path
        text = beginning(path, OPENING).decode(UTF_8, errors="replace").removeprefix(BYTE_ORDER_MARK)
        lines = LINE_END.split(text)
        if not any(map(str.strip, lines)):
            raise DataError(f"{path}: the file is empty")
        self._separator = separator_of(below_comments([line for line in lines if line.strip()][:TOP])[0])
        if self._separator == UNIT:
            raise DataError(f"{path}: fields separated by two colons; write commas or tabs, or take nbmf.read")
        self._above, fields = self._first_record(lines)
        if header is None:
            are_numbers = len(fields) > 1 and all(number_of(field) is not None for field in fields[:2])
            header = any(roles.values()) or not are_numbers
        self.names = fields if header else [f"field {place}" for place in range(1, len(fields) + 1)]
        self._has_header = header
        packed = ", gzipped" if is_gzipped(path) else ""
        said = f"header in line {self._above + 1}" if header else "no header"
        self.format = f"text, fields separated by {SEPARATORS[self._separator]}{packed}; {said}"
        self._assign_columns(roles)

    def _first_record(self, lines: list[str]) -> tuple[int, list[str]]:
        """Return how many lines there are above the first record, blank ones and comments, and its fields."""
        places = [place for place, line in enumerate(lines) if line.strip()][:TOP]
        top = [
            Record(place, fields)
            for place in places
            for fields in csv.reader([lines[place]], delimiter=self._separator)
        ]
        first = next((record for place, record in enumerate(top) if not is_comment(place, top)), top[0])
        return first.line, [field.strip() for field in first.fields]

    def _arrays(self, types):
        names = [str(place) for place in range(len(self.names))]  # two columns may have one name
        wanted = {names[place]: types[role] for role, place in self.places.items()}
        at = list(wanted)
        try:
            for arrays in arrow_pieces.pieces_of_text(
                self.path, TextColumns(self._above + self._has_header, names, wanted, self._separator)
            ):
                yield {role: arrays[at.index(names[place])] for role, place in self.places.items()}
        except IrregularText as error:
            raise self._refusal(error) from None

    def _refusal(self, error: IrregularText) -> DataError:
        if not error.is_utf_8:
            where, needed = (
                f"line {first_undecodable_line(self.path, UTF_8)}",
                "save the file as UTF-8, or take nbmf.read",
            )
            return DataError(f"{self.path}, {where}: not UTF-8; {needed}, which knows other encodings")
        if error.record is None:
            return DataError(f"{self.path}: not a complete list of text ({' '.join(str(error).split())})")
        where = f"{self.path}, {self.where(error.record)}"
        if error.fields is not None:
            return DataError(f"{where}: {count_phrase(error.fields, 'field')} instead of {len(self.names)}")
        role = next(role for role, place in self.places.items() if place == error.column)
        return DataError(f"{where}: the {role} is {error.field!r}; allowed: numbers")

    def where(self, record):
        """Return the words for the line of a record; blank lines are none."""
        lines = itertools.islice(lines_of(self.path, UTF_8), self._above, None)
        records = csv.reader(lines, delimiter=self._separator)
        next(itertools.islice(filter(None, records), record + self._has_header, None), None)
        return f"line {self._above + records.line_num}"


class ParquetList(EntryList):
    """A list in a Parquet file; arguments as of TextList."""

    def __init__(self, path: Path, roles: dict[str, str | None]):
        self.path, self.format = path, "Parquet"
        with refusing_damaged(path, "Parquet file"), arrow_pieces.parquet_file(path) as file:
            self.names = file.schema_arrow.names
        self._assign_columns(roles)

    def _arrays(self, types):
        names = [self.names[place] for place in self.places.values()]
        with refusing_damaged(self.path, "Parquet file"):
            for arrays in arrow_pieces.pieces_of_parquet(self.path, names):
                yield {
                    role: self._checked_array(types[role], role, array)
                    for role, array in zip(self.places, arrays, strict=True)
                }

    def _checked_array(self, kind: str, role: str, array: pa.Array) -> pa.Array:
        """Return a column as names, which may be anything, as whole numbers, or as real ones."""
        from pyarrow.types import is_boolean, is_floating, is_integer

        allowed = {TEXT: (), NUMBER: (is_integer,), REAL: (is_integer, is_floating, is_boolean)}[kind]
        if allowed and not any(is_of(array.type) for is_of in allowed):
            raise DataError(
                f"{self.path}: the {role} is column {self.names[self.places[role]]!r}, of type {array.type}; allowed: "
                f"{'whole ' if kind == NUMBER else ''}numbers"
            )
        return array.cast(REAL) if kind == REAL else array

    def where(self, record):
        """Return the words for a row, from 1."""
        return f"row {record + 1}"
