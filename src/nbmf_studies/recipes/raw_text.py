"""Text files read so that every complaint names the file and the line."""

import csv
import io
import os
from pathlib import Path
from typing import NamedTuple

from nbmf.errors import DataError


class Record(NamedTuple):
    """The fields of one record of a delimited file, and the line on which it ends."""

    line: int
    fields: list[str]


def read_text(path: str | os.PathLike) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark; line endings are kept."""
    content = Path(path).read_bytes()
    if not content.strip():
        raise DataError(f"{path}: the file is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: not UTF-8 ({error.reason})") from error


def read_records(
    path: str | os.PathLike, delimiter: str, columns: tuple[str, ...] = ()
) -> tuple[list[str], list[Record]]:
    """Read a delimited file with a header line that names at least `columns`.

    Returns
    -------
    header, records : list of str, list of Record
        Every record has as many fields as the header.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader)
        records = [Record(reader.line_num, fields) for fields in reader]
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error
    for column in columns:
        if column not in header:
            raise DataError(f"{path}, line 1: no column {column!r}; the columns are {', '.join(header)}")
    for line, fields in records:
        if len(fields) != len(header):
            raise DataError(f"{path}, line {line}: {len(fields)} fields; the header has {len(header)}")
    return header, records


def binary_codes(path: str | os.PathLike, line: int, fields: list[str]) -> list[int]:
    """Turn the fields of a line into 0 and 1, refusing anything else."""
    for place, field in enumerate(fields, start=1):
        if field not in ("0", "1"):
            raise DataError(f"{path}, line {line}, value {place}: {field!r}; allowed: 0 and 1")
    return [int(field) for field in fields]
