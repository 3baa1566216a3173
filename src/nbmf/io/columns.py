"""A table as lists of values, one for each column: what tables of features and documents are made of."""

import itertools
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple, Unpack

from nbmf.data.value_codes import MISSING, Meaning, number_of
from nbmf.errors import ConfigError, DataError, Setting, not_allowed
from nbmf.io.arguments import RULES, FormatOptions
from nbmf.io.cells import Entries, Table, find_column, refuse_repeated
from nbmf.io.formats import R_DATA, Cells, format_of
from nbmf.io.records import Records

INDEX = "row"  # what an index is called that the file has besides its columns
ARRAYS = "arrays, whose columns have no kinds; nbmf.FeatureTable.from_array(values) takes one"
SPARSE = "a sparse matrix; nbmf topics takes one of counts"
NONE = "none"  # of the texts that mean missing by default the one that may be a category, as of pets


class Columns(NamedTuple):
    """A table as it is in a file.

    values : dict from the name of a column to a list of texts, numbers, truth values; None where missing
    format : str, the format as it was understood
    lines : list of int, the line of each row, or its number from 1
    table : Table
    nones : dict from the name of a column to how many of its cells have "none", which means missing by default
    """

    values: dict[str, list]
    format: str
    lines: list[int]
    table: Table
    nones: dict[str, int]

    def where(self, row: int) -> str:
        """Return the words for a row."""
        return self.table.where(self.lines[row])

    def is_index(self, name: str) -> bool:
        """Whether a column is the index that the file has besides its columns."""
        return name == INDEX and self.table.row_names is not None and INDEX not in self.table.names

    def names_of(self, given: Collection[str], where: str) -> list[str]:
        """Return the names of columns that are given by these or, where names have more, by their variables.

        Raises
        ------
        DataError
            If there is no such column in `where`.
        """
        names = dict(zip(self.table.variables, self.table.names, strict=True))
        names_given = [names.get(each, each) if each not in self.values else each for each in given]
        for name in names_given:
            find_column(name, list(self.values), where)
        return names_given


def read_columns(
    path: Path, header: bool | None = None, missing: Collection[str] | None = None, **options: Unpack[FormatOptions]
) -> Columns:
    """Read a table with columns of any kind, in a format that has tables.

    Parameters
    ----------
    path : path
    header : bool, optional
        Of text and sheets, whether the first line names the columns; by default it does unless one of its
        fields is a number.
    missing : list of str, optional
        The texts that mean missing, instead of MISSING.
    **options : str, optional
        What the reader of a format takes: `name` of an object or a sheet, `encoding`.

    Raises
    ------
    ConfigError
        If the format has no such argument.
    DataError
        If the file is no table; the message names it and the line.
    """
    return columns_of(path, open_table(path, **options), header, missing)


def _names_columns(records: Records, is_missing: Meaning) -> bool:
    """Whether the first record names the columns.

    None of its fields is a number, or one is a text above a number, or they count up, as years do, and those below
    do not.
    """
    fields, below = records.first.fields, records.second.fields if records.second is not None else ()
    numbers, second_numbers = ([number_of(field) for field in each] for each in (fields, below))
    if all(number is None for number in numbers):
        return True
    known = is_missing.without(fields)
    texts = [number is None and value is not None for number, value in zip(numbers, known, strict=True)]
    if any(is_text and number is not None for is_text, number in zip(texts[1:], second_numbers[1:], strict=False)):
        return True
    return count_up(numbers[1:]) and not count_up(second_numbers[1:])


def count_up(numbers: Sequence[float | None]) -> bool:
    """Whether there are at least three whole numbers with the same step from each to the next one."""
    if len(numbers) < 3 or not all(number is not None and number.is_integer() for number in numbers):
        return False
    steps = {later - number for number, later in itertools.pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0


def open_table(path: Path, **options: Unpack[FormatOptions]) -> Cells:
    """Return what is in a file; of R's the only data frame, unless one is named."""
    format = format_of(path)
    for key, value in options.items():
        if value is not None and key not in format.options:
            raise ConfigError(f"{path}: ", Setting(key, value), f" has no meaning for {format.words}")
        if value is not None and not RULES[key].holds(value):
            raise not_allowed(key, value, RULES[key].allowed)
    if format is R_DATA and options.get("name") is None:
        from nbmf.io.rda import read_only_frame  # loads pandas and rdata

        return read_only_frame(path)
    return format.read_cells(path, options)


def columns_of(path: Path, cells: Cells, header: bool | None = None, missing: Collection[str] | None = None) -> Columns:
    """Return the columns of what is in a file; see `read_columns`."""
    if isinstance(cells, Records):
        if header is None:
            header = _names_columns(cells, Meaning(missing, MISSING))
        cells = cells.table(header)
    if not isinstance(cells, Table):
        raise DataError(f"{path}: {SPARSE if isinstance(cells, Entries) else ARRAYS}")
    table, is_missing = cells, Meaning(missing, MISSING)
    names = table.names if table.has_header else [f"column {n}" for n in range(1, len(table.names) + 1)]
    refuse_repeated(table.path, names, "column", table.name_location)
    columns, lines, nones = [[] for _ in names], [], dict.fromkeys(names, 0)
    for block in table.blocks():
        lines += block.lines
        for place, values in enumerate(columns):
            cells = block.cells(place)
            values += is_missing.without(cells)
            if missing is None:
                nones[names[place]] += sum(isinstance(cell, str) and cell.casefold() == NONE for cell in cells)
    index = {} if table.row_names is None else {INDEX: is_missing.without(table.row_names)}
    values = index | dict(zip(names, columns, strict=True))
    return Columns(values, table.format, lines, table, {name: number for name, number in nones.items() if number})
