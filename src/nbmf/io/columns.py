"""A table as lists of values, one for each column: what tables of features and documents are made of."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from nbmf.errors import DataError
from nbmf.io.cells import Entries, Table, refuse_repeated
from nbmf.io.delimited import DelimitedText
from nbmf.io.formats import R_DATA, Cells, format_of
from nbmf.io.value_codes import MISSING, Meaning, number_of

ARRAYS = "arrays, whose columns have no kinds; nbmf.FeatureTable.from_array(values) takes one"
SPARSE = "a sparse matrix; nbmf topics takes one of counts"


class Columns(NamedTuple):
    """A table as it is in a file.

    values : dict from the name of a column to a list of texts, numbers, truth values; None where missing
    format : str, the format as it was understood
    lines : list of int, the line of each row, or its number from 1
    table : Table
    """

    values: dict[str, list]
    format: str
    lines: list[int]
    table: Table

    def where(self, row: int) -> str:
        """Return the words for a row."""
        return self.table.where(self.lines[row])


def read_columns(path: Path, header: bool | None = None, missing: Collection[str] | None = None) -> Columns:
    """Read a table with columns of any kind: delimited text, Parquet, or an R data frame.

    Parameters
    ----------
    path : path
    header : bool, optional
        Of text, whether the first line names the columns; by default it does unless one of its
        fields is a number.
    missing : list of str, optional
        The texts that mean missing, in the place of MISSING.

    Raises
    ------
    DataError
        If the file is no table; the message names it and the line.
    """
    return columns_of(path, open_table(path), header, missing)


def open_table(path: Path) -> Cells:
    """Return what is in a file; of R's the only data frame."""
    format = format_of(path)
    if format is R_DATA:
        from nbmf.io.rda import read_only_frame  # loads pandas and rdata

        return read_only_frame(path)
    return format.read(path, None)


def columns_of(path: Path, cells: Cells, header: bool | None = None, missing: Collection[str] | None = None) -> Columns:
    """Return the columns of what is in a file; see `read_columns`."""
    if isinstance(cells, DelimitedText):
        if header is None:
            header = all(number_of(field) is None for field in cells.first.fields)
        cells = cells.table(header)
    if not isinstance(cells, Table):
        raise DataError(f"{path}: {SPARSE if isinstance(cells, Entries) else ARRAYS}")
    table, is_missing = cells, Meaning(missing, MISSING)
    names = table.names if table.has_header else [f"column {n}" for n in range(1, len(table.names) + 1)]
    refuse_repeated(table.path, names, "column", table.where_is_name)
    columns, lines = [[] for _ in names], []
    for block in table.blocks():
        lines += block.lines
        for place, values in enumerate(columns):
            values += is_missing.without(block.cells(place))
    index = {} if table.row_names is None else {"row": is_missing.without(table.row_names)}
    values = index | dict(zip(names, columns, strict=True))
    return Columns(values, table.format, lines, table)
