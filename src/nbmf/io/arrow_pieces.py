"""Large lists of entries, a piece at a time as pyarrow reads them: no entry becomes an object of Python.

Text has to be regular: a record a line, fields separated by one character. What is wrong with another one is known
by the number of the record.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nbmf.io.extras import import_extra
from nbmf.io.text_lines import is_gzipped

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 2**24  # bytes of text at a time
ROWS = 2**20  # of a Parquet file
NUMBER, TEXT, REAL = "int64", "string", "float64"  # types of a column
WRONG_LENGTH = re.compile(r"Row #(\d+): Expected \d+ columns, got (\d+)")
WRONG_FIELD = re.compile(r"In CSV column #(\d+): Row #(\d+): .* invalid value '(.*)'$", re.DOTALL)


class IrregularText(Exception):
    """Says what pyarrow refuses.

    Attributes
    ----------
    record : int or None
        The record that is wrong, from 0.
    fields : int or None
        How many fields it has, if they are too many or too few.
    column, field : int and str, or None
        The place of the field that is wrong, and what it is.
    is_utf_8 : bool
        False if a field of text has bytes that are not UTF-8.
    """

    def __init__(self, words: str):
        super().__init__(words)
        self.record = self.fields = self.column = self.field = None
        self.is_utf_8 = "invalid UTF8" not in words
        if match := WRONG_LENGTH.search(words):
            self.record, self.fields = int(match[1]) - 1, int(match[2])
        elif match := WRONG_FIELD.search(words):
            self.column, self.record, self.field = int(match[1]), int(match[2]) - 1, match[3]


class TextColumns(NamedTuple):
    """Some columns of a text, and how it is read.

    skip : int, lines before the first record
    names : of all columns, as many as a record has fields
    types : those of the columns to be read, NUMBER, TEXT or REAL, by name
    separator : str, one character
    is_strict : bool, whether a blank line and an empty field, or NA, are errors; else they are no record and null
    """

    skip: int
    names: Sequence[str]
    types: dict[str, str]
    separator: str
    is_strict: bool = False


def pieces_of_text(path: Path, wanted: TextColumns) -> Iterator[list[pa.Array]]:
    """Yield the columns of text (gzipped or not) that are wanted, in the order of `types`.

    Raises
    ------
    IrregularText
        If a record has another number of fields, a field is no number, or the file is incomplete or empty.
    """
    csv = import_extra("pyarrow.csv", "parquet", path, "large lists of text")
    import pyarrow as pa

    read = csv.ReadOptions(
        use_threads=False, block_size=BLOCK, skip_rows=wanted.skip, column_names=list(wanted.names), encoding="utf8"
    )
    parse = csv.ParseOptions(delimiter=wanted.separator, ignore_empty_lines=not wanted.is_strict)
    types = {name: pa.type_for_alias(kind) for name, kind in wanted.types.items()}
    nulls = [] if wanted.is_strict else None  # None: those that pyarrow knows
    convert = csv.ConvertOptions(
        column_types=types, include_columns=list(types), strings_can_be_null=False, null_values=nulls
    )
    try:
        with pa.input_stream(str(path), compression="gzip" if is_gzipped(path) else None) as stream:
            for batch in csv.open_csv(stream, read, parse, convert):
                yield batch.columns
    except (pa.ArrowException, OSError) as error:
        raise IrregularText(str(error)) from error


def pieces_of_parquet(path: Path, names: Sequence[str]) -> Iterator[list[pa.Array]]:
    """Yield some columns of a Parquet file; what pyarrow raises of a damaged one may be nearly anything."""
    with parquet_file(path) as file:
        for batch in file.iter_batches(ROWS, columns=list(dict.fromkeys(names)), use_threads=False):
            yield [batch.column(name) for name in names]


def parquet_file(path: Path):
    """Open a Parquet file."""
    return import_extra("pyarrow.parquet", "parquet", path, "Parquet files").ParquetFile(path)


def release_memory() -> None:
    """Give memory that pyarrow keeps for later back to the system, if pyarrow was used."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
