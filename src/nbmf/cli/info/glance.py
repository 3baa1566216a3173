"""A file that was refused as a matrix, as the detectors see it."""

import itertools
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from nbmf.cli.info.column import Column
from nbmf.cli.options import Options
from nbmf.errors import DataError, NbmfError
from nbmf.io.columns import Columns, columns_of, open_table
from nbmf.io.formats import Cells
from nbmf.io.records import Record, Records

MATRIX_OPTIONS = ("layout", "ones", "zeros", "counts", "above", "row", "column", "value", "absent", "transpose")
MOST_BYTES = 2**25  # of a file that is read once more, as Python objects
TOP = 200  # records that are looked at


class Glance:
    """A file that was refused as a matrix: it is opened once, and each part is read when a detector needs it.

    Attributes
    ----------
    typed : Options
    refused : DataError
    """

    def __init__(self, typed: Options, refused: DataError):
        self.typed, self.refused = typed, refused

    @cached_property
    def records(self) -> Records | None:
        """What a text file or a sheet has, titles too; None if it is another file."""
        return self._cells if isinstance(self._cells, Records) else None

    @cached_property
    def top(self) -> list[Record] | None:
        """The first records below titles; None if there are none."""
        return None if self.records is None else _unless_refused(lambda: [*itertools.islice(self.records, TOP)])

    @cached_property
    def values(self) -> list[Column] | None:
        """The columns that may have values, as texts with their labels; None if there are none."""
        table = self._table[1] and self._read_columns(self.has_header, [""])
        if table is None:
            return None
        of_file, names = table.table, list(table.values)[-len(table.table.names) :]
        columns = []
        for place, (name, variable) in enumerate(zip(names, of_file.variables, strict=True)):
            labels = of_file.labels_of(place)
            cells = of_file.values_of(place) if labels else table.values[name]
            columns.append(Column.of_cells(variable if of_file.has_header else name, cells, labels))
        return [column for column in columns if column.name not in self._aside] or None

    @cached_property
    def columns(self) -> dict[str, list] | None:
        """The columns of a table, with None where nothing is; None if the file is none."""
        _, table = self._table
        if table is None:
            return None
        return {name: cells for name, cells in table.values.items() if name not in self._aside}

    @property
    def has_header(self) -> bool:
        """Whether the columns have names in the file."""
        return self._table[1].table.has_header

    @property
    def options(self) -> Options:
        """What was typed, and that the first record is no header if it is none."""
        return self._table[0]

    @property
    def opening(self) -> str:
        """How a finding begins where nothing is a matrix."""
        return f"{str(self.refused).partition(';')[0]}: this is no matrix of zeros and ones or of counts"

    @cached_property
    def _table(self) -> tuple[Options, Columns | None]:
        table = self._read_columns(self.typed.header, self.typed.missing)
        if self.typed.header is None and table is not None and _is_first_record(table):
            return self.typed.but(header=False), self._read_columns(False, self.typed.missing)
        return self.typed, table

    @property
    def _aside(self) -> set[str | None]:
        return {*(self.typed.ignore or ()), self.typed.groups}

    @cached_property
    def _cells(self) -> Cells | None:
        """What is in the file; None if it cannot be opened, or need not be."""
        read = self.typed.taken("name", "encoding")
        return _unless_refused(lambda: open_table(self._path, **read) if self._may_be_table else None)

    @property
    def _path(self) -> Path:
        return Path(self.typed.file).expanduser()

    @property
    def _may_be_table(self) -> bool:
        """Whether the options do not say that the file is a matrix, and it is so small that it is read once more."""
        given = self.typed.taken(*MATRIX_OPTIONS).values()
        is_matrix = any(value is not None and value is not False for value in given)  # 0 is not False: --above 0
        if is_matrix or self.typed.counts is False or not self.typed.diagonal:
            return False
        return self._path.stat().st_size <= MOST_BYTES

    def _read_columns(self, header: bool | None, missing: list[str] | None) -> Columns | None:
        if self._cells is None:
            return None
        return _unless_refused(lambda: columns_of(self._path, self._cells, header, missing))


def _unless_refused(read: Callable[[], Any]) -> Any:
    """Return what is read, None if it cannot be."""
    try:
        return read()
    except (NbmfError, OSError):
        return None


def _is_first_record(table: Columns) -> bool:
    """Whether the names of the first two columns come again below, as those of nodes do and those of columns do not."""
    first = list(table.values.items())[:2]
    return table.table.has_header and len(first) == 2 and all(name in set(cells) for name, cells in first)
