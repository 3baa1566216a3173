"""Records of texts, as text files and sheets have them: which of them names the columns is seen from the others."""

import itertools
import operator
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.data.value_codes import DEFAULTS, ValueCoding, number_of
from nbmf.errors import DataError
from nbmf.io.baskets import HINT, are_baskets
from nbmf.io.cells import Block, Table, UnknownCell, count_phrase, quoted_names
from nbmf.io.exports import Export, find_export

# Of a block. Few enough for the garbage collector not to look at them: more take twice as long.
ROWS, FIELDS = 512, 2**18
TOP = 20  # records, among which a table begins below its titles
LISTS = 200  # from which lists of items are known
FEWEST_FIELDS = 3  # fields of a table below titles
COMMENT_SIGNS = ("#", "%")  # networks of SNAP, and of KONECT
VALUES = frozenset(text for texts in DEFAULTS.values() for text in texts)


class Record(NamedTuple):
    """The fields of one record, and the line on which it ends, or its row in a sheet."""

    line: int
    fields: list[str]


class Records:
    """The records of a file, without those of empty fields, as spreadsheets leave them, and titles above the table.

    Whether the first one names the columns depends on what the others are, so that this is no
    table yet: `table` makes it one.

    Attributes
    ----------
    path : path
    format : str
        What is said about it.
    unit : str
        What is counted: "line" or "row".
    first, second : Record
        None if there is none.
    empty : int
        How many records of empty fields were left out.
    titles : list of Record
        Those above the table, with one field that is not empty, or comments that begin with # or %.
    export : Export or None
        Of what a program has exported: records have the fields that are read alone, see `nbmf.io.exports`.
    notes : tuple of str
        What else is to be said.
    """

    path: Path
    format: str
    unit: str
    first: Record
    second: Record | None
    empty: int = 0
    titles: Sequence[Record] = ()
    export: Export | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Record]:
        """Yield the records, from the beginning of the file, but no titles."""
        records = itertools.islice(self.all_records(), len(self.titles), None)
        return records if self.export is None else self._of_export(records, self.export)

    def _of_export(self, records: Iterator[Record], export: Export) -> Iterator[Record]:
        """Yield the names of an export, and what is read of the records of its table."""
        yield Record(next(records).line, export.names)
        for line, fields in itertools.islice(records, export.n_below, None):
            if len(fields) != len(export.header):
                raise self.ragged(line, len(fields), len(export.header))
            yield Record(line, export.read(fields))

    def keep(self, names: Collection[str]) -> None:
        """Read columns as well that are left out of an export otherwise: groups, say."""
        if self.export is not None:
            self.export = self.export.with_columns(names)
            self._find_first()

    def ragged(self, line: int, n_fields: int, expected: int) -> DataError:
        """Return the error that a record has another number of fields than names."""
        given = count_phrase(n_fields, "field")
        hint = HINT if self.are_baskets() else ""
        return DataError(f"{self.path}, {self.unit} {line}: {given} instead of {expected}", hint)

    def all_records(self) -> Iterator[Record]:
        """Yield the records and the titles above them."""
        raise NotImplementedError

    def find_titles(self) -> None:
        """Find the titles and the first records; there is none if all fields are empty.

        Above a list of pairs there are comments alone: a title would be a name without its pair.
        """
        top = list(itertools.islice(self.all_records(), TOP))
        begin = next(
            (place for place, record in enumerate(top) if not (_is_title(record) or is_comment(place, top))), 0
        )
        if begin and (len(top[begin].fields) >= FEWEST_FIELDS or all(map(_has_comment_sign, top[:begin]))):
            self.titles = top[:begin]
        table = top[len(self.titles) :]
        if table:
            self.export = find_export(table[0].fields, [record.fields for record in table[1:3]])
        self._find_first()

    def _find_first(self) -> None:
        self.first, self.second = [*itertools.islice(self, 2), None, None][:2]

    @property
    def n_comments(self) -> int:
        """How many comments are above the table; titles are none."""
        return len(self.titles) if all(map(_has_comment_sign, self.titles)) else 0

    def are_baskets(self) -> bool:
        """Whether the first records are lists of items, see `nbmf.io.baskets`."""
        return are_baskets(self.first_lists())

    def first_lists(self) -> list[list[str]]:
        """Return the fields of the first records below comments, of which some lists of items are known."""
        lists = itertools.islice(self.all_records(), self.n_comments, self.n_comments + LISTS)
        return [record.fields for record in lists]

    def field_location(self, place: int) -> str:
        """Return the words for the place of a field of the first record, of an export among those that are read."""
        return self._location_of(place if self.export is None else self.export.field(place))

    def _location_of(self, field: int) -> str:
        """Return the words for the place of a field of the file's first record."""
        return f"{self.unit} {self.first.line}, field {field + 1}"

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
        if header and self.second is None:
            raise DataError(f"{self.path}: a header and no rows", hint)
        if header and may_lack_a_name and len(self.second.fields) == len(names) + 1:
            names = [*names, ""] if self._ends_are_empty() else ["", *names]
        return _RecordTable(self, names, header, hint)

    def _ends_are_empty(self) -> bool:
        """Whether each record but the first ends with an empty field: its line ends with a delimiter."""
        return not any(record.fields[-1].strip() for record in itertools.islice(self, 1, None) if record.fields)


def is_comment(place: int, top: Sequence[Record]) -> bool:
    """Whether a record begins with # or % and has not as many fields as the next one that does not.

    One that has may be a header; it is none if its first name is the sign alone, and again that of the next record.
    """
    record = top[place]
    if not _has_comment_sign(record):
        return False
    if [other.fields[0].strip() for other in top[place : place + 2]] in [[sign, sign] for sign in COMMENT_SIGNS]:
        return True
    below = next((other for other in top[place + 1 :] if not _has_comment_sign(other)), record)
    return len(record.fields) not in (len(below.fields), max(len(below.fields) - 1, FEWEST_FIELDS - 1))


def _has_comment_sign(record: Record) -> bool:
    return record.fields[0].lstrip().startswith(COMMENT_SIGNS)


def _is_title(record: Record) -> bool:
    """Whether one field alone is not empty, and no value."""
    texts = [text for field in record.fields if (text := field.strip())]
    return len(texts) == 1 and number_of(texts[0]) is None and texts[0].casefold() not in VALUES


class _RecordTable(Table):
    def __init__(self, records: Records, names: list[str], has_header: bool, hint: str):
        self._records, self.path, self.has_header, self.hint = records, records.path, has_header, hint
        self.unit = records.unit
        self.names = [name or f"field {place}" for place, name in enumerate(names, start=1)]
        self.names_rows_first = has_header and (not names[0] or records.export is not None)
        nameless = [name for place, name in enumerate(self.names) if place and not names[place]] if has_header else []
        called = f"{count_phrase(len(nameless), 'column')} without a name, called {quoted_names(nameless)}"
        self.notes = (*records.notes, called) if nameless else records.notes
        said = f"header in {self.unit} {records.first.line}" if has_header else "no header"
        self.format = f"{records.format}; {said}"

    def blocks(self) -> Iterator[Block]:
        records = itertools.islice(self._records, int(self.has_header), None)
        size = max(1, min(ROWS, FIELDS // len(self.names)))
        while batch := list(itertools.islice(records, size)):
            lines, rows = zip(*batch, strict=True)
            ragged = next((row for row, fields in enumerate(rows) if len(fields) != len(self.names)), None)
            yield _RecordBlock(lines[:ragged], rows[:ragged])
            if ragged is not None:  # what is above it may be wrong, too
                raise self._records.ragged(lines[ragged], len(rows[ragged]), len(self.names))

    @property
    def header_location(self) -> str:
        return f"{self.path}, {self.where(self._records.first.line)}"

    def name_location(self, column: int) -> str:
        return self._records.field_location(column)

    def left_out(self) -> tuple[str, ...]:
        empty, titles = self._records.empty, self._records.titles
        names = [next(filter(None, map(str.strip, record.fields))) for record in titles]
        parts = [
            f"{count_phrase(len(titles), self.unit)} above the table ({quoted_names(names)})" if titles else "",
            "" if self._records.export is None else self._records.export.left_out(),
            f"{count_phrase(empty, self.unit)} of empty fields" if empty else "",
        ]
        return tuple(filter(None, parts))


class _RecordBlock(Block):
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
