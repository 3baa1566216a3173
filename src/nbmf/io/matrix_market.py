"""Matrix Market files (.mtx): entries in coordinates, where absent is 0, or all of an array."""

import warnings
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.data.value_codes import number_of, text_of
from nbmf.errors import DataError
from nbmf.io.cells import Entries, Grid, counted
from nbmf.io.coded_matrix import refuse_huge, refuse_too_many_rows
from nbmf.io.text_lines import is_gzipped, lines_of

BANNER = "%%MatrixMarket"
DIGITS = 18  # of a size: what 64 bits hold
ALLOWED = {
    "object": ("matrix",),
    "format": ("coordinate", "array"),
    "field": ("pattern", "integer", "real"),
    "symmetry": ("general", "symmetric"),
}


class _Header(NamedTuple):
    """What a file declares; `entries` is the number of lines below it, `width` that of words in each."""

    kind: str
    is_list: bool
    is_symmetric: bool
    rows: int
    columns: int
    entries: int
    width: int


def read_matrix_market(path: Path) -> Entries | Grid:
    """Read a Matrix Market file."""
    lines = enumerate(lines_of(path), start=1)
    header = _read_header(path, lines)
    numbers, values = _read_values(path, header, lines)
    packed = ", gzipped" if is_gzipped(path) else ""
    format = f"Matrix Market, {header.kind}{packed}; it has no names"
    return (_entries if header.is_list else _grid)(path, format, header, numbers, values)


def _read_header(path: Path, lines: Iterator[tuple[int, str]]) -> _Header:
    _, banner = next(lines)
    words = banner.lower().split()[1:]
    if len(words) != len(ALLOWED):
        raise DataError(f"{path}, line 1: needed is {BANNER} and {', '.join(ALLOWED)}")
    for word, (what, allowed) in zip(words, ALLOWED.items(), strict=True):
        if word not in allowed:
            raise DataError(f"{path}, line 1: {what} {word!r}; allowed: {', '.join(allowed)}")
    _, format, field, symmetry = words
    is_list, is_symmetric = format == "coordinate", symmetry == "symmetric"
    if not is_list and field == "pattern":
        raise DataError(f"{path}, line 1: an array has values, so its field is not 'pattern'")
    for number, line in _without_comments(lines):
        sizes = [
            int(word) if word.isascii() and word.isdigit() and len(word) <= DIGITS else None for word in line.split()
        ]
        if len(sizes) != (3 if is_list else 2) or 0 in sizes[:2] or None in sizes:
            needed = "rows, columns and entries" if is_list else "rows and columns"
            raise DataError(f"{path}, line {number}: needed are the numbers of {needed}")
        rows, columns = sizes[:2]
        (refuse_too_many_rows if is_list else refuse_huge)(path, rows, columns)
        if is_symmetric and rows != columns:
            raise DataError(f"{path}, line {number}: symmetric, but {rows} x {columns}")
        triangle = rows * (rows + 1) // 2 if is_symmetric else rows * columns
        width = 1 if not is_list else 2 if field == "pattern" else 3
        return _Header(" ".join(words[1:]), is_list, is_symmetric, rows, columns, (*sizes, triangle)[2], width)
    raise DataError(f"{path}: ends before its sizes are declared")


def _without_comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line[0] != "%" and not line.isspace())


def _read_values(path: Path, header: _Header, lines: Iterator[tuple[int, str]]) -> tuple[array, np.ndarray]:
    """Return the line of each entry, and an array (entries, header.width) of numbers."""
    numbers = array("q")

    def entries() -> Iterator[str]:
        for number, line in _without_comments(lines):
            if len(numbers) == header.entries:
                raise DataError(f"{path}, line {number}: one more entry than the {header.entries} declared")
            numbers.append(number)
            yield line

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that there are no entries
            values = np.loadtxt(entries(), dtype=np.float64, comments=None, ndmin=2)
    except DataError:
        raise
    except ValueError as error:
        raise _refusal(path, header, numbers) or error from None
    if numbers and values.shape[1] != header.width:
        raise _refusal(path, header, numbers)
    if len(numbers) < header.entries:
        raise DataError(f"{path}: declares {header.entries} entries and has {len(numbers)}")
    return numbers, values.reshape(-1, header.width)


def _refusal(path: Path, header: _Header, numbers: array) -> DataError | None:
    """Return what is wrong with the first line that is not as many numbers as it has to be."""
    of_entries = frozenset(numbers)
    for number, line in enumerate(lines_of(path), start=1):
        if number not in of_entries:
            continue
        words = line.split()
        if len(words) != header.width:
            return DataError(f"{path}, line {number}: {counted(len(words), 'word')} instead of {header.width}")
        if wrong := [(place, word) for place, word in enumerate(words) if number_of(word) is None]:
            return _refused_word(path, header, number, *wrong[0])
    return None


def _refused_word(path: Path, header: _Header, line: int, place: int, word: str) -> DataError:
    """Return what is said about a word of a line, which is a row, a column or a value."""
    if not header.is_list or place == 2:
        return DataError(f"{path}, line {line}: the value is {word!r}; allowed: numbers")
    kind, largest = (("row", header.rows), ("column", header.columns))[place]
    return DataError(f"{path}, line {line}: {kind} {word!r}; allowed: 1 to {largest}")


def _entries(path: Path, format: str, header: _Header, numbers: array, found: np.ndarray) -> Entries:
    places = found[:, :2]
    right = (places >= 1) & (places <= [header.rows, header.columns]) & (places == np.floor(places))
    if not right.all():
        entry, place = np.argwhere(~right)[0].tolist()
        raise _refused_word(path, header, numbers[entry], place, text_of(found[entry, place]))
    rows, columns = places.T.astype(np.int64) - 1
    values = found[:, 2] if header.width == 3 else np.ones(len(found), np.int8)
    lines = np.asarray(numbers)
    if header.is_symmetric:
        off = rows != columns
        rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
        values, lines = (np.concatenate([each, each[off]]) for each in (values, lines))
    shape = header.rows, header.columns
    said = "entries that are not in the file are zeros"
    return Entries(path, format, rows, columns, values, shape, lambda k: f"line {lines[k]}", said)


def _grid(path: Path, format: str, header: _Header, numbers: array, found: np.ndarray) -> Grid:
    """Return all values, which are there by columns; of a symmetric matrix from the diagonal on."""
    if not header.is_symmetric:
        entry_of = np.arange(len(found)).reshape(header.columns, header.rows).T
    else:
        entry_of = np.empty((header.rows, header.rows), np.int64)
        columns, rows = np.triu_indices(header.rows)
        entry_of[rows, columns] = entry_of[columns, rows] = np.arange(len(found))
    return Grid(path, format, found[:, 0][entry_of], lambda f, n: f"line {numbers[entry_of[f, n]]}")
