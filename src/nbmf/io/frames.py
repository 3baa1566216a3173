"""Tables with columns of any kind, as they stand in a file: texts, or the file's own values."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nbmf.errors import DataError
from nbmf.io.content import counted, refuse_repeated
from nbmf.io.delimited import SEPARATORS, separator_of
from nbmf.io.text import beginning, is_gzipped, lines_of

if TYPE_CHECKING:
    import pandas as pd

# Compared without regard to upper and lower case. No number is among them: -1 may be a value.
MISSING = ("", ".", "?", "na", "n/a", "nan", "none", "null")
PARQUET, R_DATA = (".parquet", ".pq"), (".rda", ".rdata", ".rds")
OTHERS = {
    ".xlsx": "a spreadsheet; save its sheet as CSV (UTF-8)",
    ".xls": "a spreadsheet; save its sheet as CSV (UTF-8)",
    ".ods": "a spreadsheet; save its sheet as CSV (UTF-8)",
    ".npz": "arrays, whose columns have no kinds; nbmf.FeatureTable.from_array(values) takes one",
    ".mtx": "a sparse matrix; nbmf topics takes one of counts",
}


class Frame(NamedTuple):
    """A table as it is in a file.

    table : DataFrame of objects: texts, numbers, truth values; None where missing
    format : str, the format as it was understood
    places : sequence of int, the line of each row, or its number from 1
    unit : str, "line" or "row": what places are
    """

    table: pd.DataFrame
    format: str
    places: Sequence[int]
    unit: str

    def where(self, row: int) -> str:
        """Return the words for a row of the table."""
        return f"{self.unit} {self.places[row]}"


def read_frame(path: str | os.PathLike, header: bool | None = None, missing: Collection[str] | None = None) -> Frame:
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
    path = Path(path).expanduser()
    if not path.is_file():
        raise DataError(f"{path}: {'is a folder' if path.is_dir() else 'there is no such file'}")
    suffix = path.suffix.lower()
    if suffix in OTHERS:
        raise DataError(f"{path}: {OTHERS[suffix]}")
    if suffix in PARQUET + R_DATA:
        table = _parquet(path) if suffix in PARQUET else _r_data(path)
        format = "Parquet" if suffix in PARQUET else "R data, a data frame"
        return Frame(_as_objects(path, table), format, range(1, len(table) + 1), "row")
    return _delimited(path, header, missing)


def number_of(text: str) -> float | None:
    """Return the number that a text is, None if it is none."""
    try:
        return None if "_" in text else float(text)  # Python alone reads 1_000
    except ValueError:
        return None


def _delimited(path: Path, header: bool | None, missing: Collection[str] | None) -> Frame:
    import pandas as pd

    records, separator = _records(path)
    (_, first), body = records[0], records[1:]
    first = [field.strip() for field in first]
    if header is None:
        header = all(number_of(field) is None for field in first)
    names = first if header else [f"column {n}" for n in range(1, len(first) + 1)]
    body = body if header else records
    if not body:
        raise DataError(f"{path}: a header and no rows")
    if header and len(body[0][1]) == len(names) + 1:  # as R writes it: none above names of rows
        names = ["", *names]
    names = [name or f"field {n}" for n, name in enumerate(names, start=1)]
    refuse_repeated(path, names, "column", lambda n: f"line {records[0][0]}, field {n + 1}")
    for line, fields in body:
        if len(fields) != len(names):
            found = counted(len(fields), "field")
            raise DataError(f"{path}, line {line}: {found} instead of {len(names)}")
    gone = {text.casefold() for text in MISSING} if missing is None else set(missing)
    fold = str.casefold if missing is None else str
    columns = {
        name: [None if fold(text) in gone else text for text in (f[n].strip() for _, f in body)]
        for n, name in enumerate(names)
    }
    packed = ", gzipped" if is_gzipped(path) else ""
    said = f"header in line {records[0][0]}" if header else "no header"
    format = f"text, fields separated by {SEPARATORS[separator]}{packed}; {said}"
    return Frame(pd.DataFrame(columns, dtype=object), format, [line for line, _ in body], "line")


def _records(path: Path) -> tuple[list[tuple[int, list[str]]], str]:
    """Return the line and the fields of each record that is not empty, and the separator."""
    if b"\0" in beginning(path):
        raise DataError(f"{path}: no text; save the table as CSV (UTF-8)")
    lines = lines_of(path)
    leading = list(itertools.islice(itertools.dropwhile(lambda text: not text.strip(), lines), 1))
    if not leading:
        raise DataError(f"{path}: the file is empty")
    separator = separator_of(leading[0])
    lines = itertools.chain(leading, lines)
    if separator == " ":
        lines = (line.rstrip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    return list(_with_content(path, reader)), separator


def _with_content(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    try:
        for fields in reader:
            if any(map(str.strip, fields)):
                yield reader.line_num, fields
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error


def _parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError:
        raise DataError(
            f"{path}: Parquet files are read with pyarrow, which is not installed; "
            "pip install pyarrow, or save the file as CSV"
        ) from None
    except Exception as error:  # damaged bytes make pyarrow raise nearly anything
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: not a complete Parquet file ({reason})") from error


def _r_data(path: Path) -> pd.DataFrame:
    from nbmf.io import rda

    objects = rda.read_objects(path)
    tables = [value for value in objects.values() if hasattr(value, "columns")]
    if len(tables) != 1:
        raise DataError(f"{path}: holds {len(tables)} data frames; needed is exactly one")
    return tables[0]


def _as_objects(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame with None where missing; texts as they are, names of rows kept."""
    if not len(table):
        raise DataError(f"{path}: columns and no rows")
    names = [str(name) for name in table.columns]
    refuse_repeated(path, names, "column", lambda n: f"column {n + 1}")
    table = table.set_axis(names, axis=1)
    has_names = table.index.name is not None or table.index.dtype.kind not in "iu"
    if has_names:
        table = table.reset_index(names="row")
    values = table.astype(object)
    return values.where(values.notna(), None)
