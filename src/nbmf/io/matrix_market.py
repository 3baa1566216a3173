"""Matrix Market files (.mtx): entries in coordinates, where absent is 0, or all of an array."""

import contextlib
import os
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.coding import UnknownValue, ValueCoding
from nbmf.io.content import (
    Content,
    Contradiction,
    batches,
    counted,
    refuse_huge,
    refuse_too_many_lines,
    repeated_records,
    scatter,
)
from nbmf.io.text import is_gzipped, lines_of

BANNER = "%%MatrixMarket"
DIGITS = 18  # of a size or a place: what 64 bits hold
ALLOWED = {
    "object": ("matrix",),
    "format": ("coordinate", "array"),
    "field": ("pattern", "integer", "real"),
    "symmetry": ("general", "symmetric"),
}


class _Header(NamedTuple):
    """What a file declares; `entries` is the number of lines below it."""

    format: str
    field: str
    symmetry: str
    rows: int
    columns: int
    entries: int


def read_matrix_market(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read a Matrix Market file; see `nbmf.read`."""
    lines = enumerate(lines_of(path), start=1)
    header = _read_header(path, lines)
    read = _read_coordinates if header.format == "coordinate" else _read_array
    content = read(path, header, lines, coding)
    packed = ", gzipped" if is_gzipped(path) else ""
    kind = f"{header.format} {header.field} {header.symmetry}"
    return content._replace(format=f"Matrix Market, {kind}{packed}; it has no names")


def _read_header(path: str | os.PathLike, lines: Iterator[tuple[int, str]]) -> _Header:
    _, banner = next(lines)
    words = banner.lower().split()[1:]
    if len(words) != len(ALLOWED):
        raise DataError(f"{path}, line 1: needed is {BANNER} and {', '.join(ALLOWED)}")
    for word, (what, allowed) in zip(words, ALLOWED.items(), strict=True):
        if word not in allowed:
            raise DataError(f"{path}, line 1: {what} {word!r}; allowed are {', '.join(allowed)}")
    _, format, field, symmetry = words
    if format == "array" and field == "pattern":
        raise DataError(f"{path}, line 1: an array has values, so its field is not 'pattern'")
    for number, line in lines:
        if line.startswith("%") or not line.strip():
            continue
        sizes = [_whole(word) for word in line.split()]
        if len(sizes) != (3 if format == "coordinate" else 2) or 0 in sizes[:2] or None in sizes:
            needed = "rows, columns and entries" if format == "coordinate" else "rows and columns"
            raise DataError(f"{path}, line {number}: needed are the numbers of {needed}")
        rows, columns = sizes[:2]
        refuse = refuse_too_many_lines if format == "coordinate" else refuse_huge
        refuse(path, rows, columns)
        if symmetry == "symmetric" and rows != columns:
            raise DataError(f"{path}, line {number}: symmetric, but {rows} x {columns}")
        triangle = rows * (rows + 1) // 2 if symmetry == "symmetric" else rows * columns
        return _Header(format, field, symmetry, rows, columns, (*sizes, triangle)[2])
    raise DataError(f"{path}: ends before its sizes are declared")


def _read_coordinates(
    path: str | os.PathLike, header: _Header, lines: Iterator[tuple[int, str]], coding: ValueCoding
) -> Content:
    rows, columns, numbers, codes = array("q"), array("q"), array("q"), bytearray()
    width = 2 if header.field == "pattern" else 3
    for batch, words in _batches(path, header, lines, width):
        numbers.extend(batch)
        rows.extend(_indices(path, batch, words[0], "row", header.rows))
        columns.extend(_indices(path, batch, words[1], "column", header.columns))
        codes += coding.ones(len(batch)) if width == 2 else _codes(path, batch, words[2], coding)
    places = [np.asarray(rows, dtype=np.int64) - 1, np.asarray(columns, dtype=np.int64) - 1]
    values = np.frombuffer(bytes(codes), dtype=coding.dtype)
    numbers = np.asarray(numbers, dtype=np.int64)
    if header.symmetry == "symmetric":
        off = places[0] != places[1]
        places = [np.concatenate([a, b[off]]) for a, b in (places, places[::-1])]
        values, numbers = (np.concatenate([a, a[off]]) for a in (values, numbers))
    try:
        matrix, repeated = scatter(*places, values, (header.rows, header.columns), absent=0)
    except Contradiction as found:
        first, second = (numbers[k] for k in found.records)
        raise DataError(f"{path}, line {second}: the entry of line {first} with another value") from None
    said = "entries that are not in the file are zeros"
    return Content(matrix, "", absent=said, left_out=repeated_records(repeated))


def _read_array(
    path: str | os.PathLike, header: _Header, lines: Iterator[tuple[int, str]], coding: ValueCoding
) -> Content:
    codes = bytearray()
    for batch, words in _batches(path, header, lines, width=1):
        codes += _codes(path, batch, words[0], coding)
    values = np.frombuffer(bytes(codes), dtype=coding.dtype)
    if header.symmetry == "general":
        return Content(values.reshape((header.rows, header.columns), order="F"), "")
    matrix = np.empty((header.rows, header.rows), dtype=coding.dtype)
    upper = np.triu_indices(header.rows)  # the file goes down the columns of the lower triangle
    matrix[upper] = matrix.T[upper] = values
    return Content(matrix, "")


def _batches(
    path: str | os.PathLike, header: _Header, lines: Iterator[tuple[int, str]], width: int
) -> Iterator[tuple[tuple[int, ...], list[tuple[str, ...]]]]:
    """Yield, for some entries at a time, their lines and a tuple of words for each of `width`.

    Raises
    ------
    DataError
        If a line has more or fewer words, or there are not the entries that were declared.
    """
    count = 0
    split = ((number, line.split()) for number, line in lines if line[0] != "%")
    for batch in batches(entry for entry in split if entry[1]):
        for number, words in batch:
            if len(words) != width:
                raise DataError(f"{path}, line {number}: {counted(len(words), 'word')} instead of {width}")
        count += len(batch)
        if count > header.entries:
            number, _ = batch[header.entries - count]
            raise DataError(f"{path}, line {number}: one more entry than the {header.entries} declared")
        numbers, words = zip(*batch, strict=True)
        yield numbers, list(zip(*words, strict=True))
    if count < header.entries:
        raise DataError(f"{path}: declares {header.entries} entries and has {count}")


def _indices(
    path: str | os.PathLike, numbers: Sequence[int], words: Sequence[str], kind: str, largest: int
) -> list[int]:
    """Return words as row or column numbers from 1 to `largest`."""
    together = "".join(words)  # checked at once: digits alone, and none of them too many
    if together.isascii() and together.isdigit() and len(max(words, key=len)) <= DIGITS:
        indices = list(map(int, words))
        if min(indices) >= 1 and max(indices) <= largest:
            return indices
    wrong = next(i for i, word in enumerate(words) if not 1 <= (_whole(word) or 0) <= largest)
    raise DataError(f"{path}, line {numbers[wrong]}: {kind} {words[wrong]!r}; allowed are 1 to {largest}")


def _codes(path: str | os.PathLike, numbers: Sequence[int], words: Sequence[str], coding: ValueCoding) -> bytes:
    try:
        return coding.pack(words)
    except UnknownValue:
        for word in words:
            _learn_number(word, coding)
    try:
        return coding.pack(words)
    except UnknownValue as found:
        raise coding.refusal(f"{path}, line {numbers[found.place]}", found.value) from None


def _learn_number(word: str, coding: ValueCoding) -> None:
    """Let a coding know a number in any notation, such as 1.000e+00."""
    with contextlib.suppress(ValueError):
        if coding.of_text(word) == coding.unknown != (code := coding.of_value(float(word))):
            coding[word] = code


def _whole(word: str) -> int | None:
    """Return a number of plain digits, few enough for a size; None for anything else."""
    return int(word) if len(word) <= DIGITS and word.isascii() and word.isdigit() else None
