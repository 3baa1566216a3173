"""Matrix Market files (.mtx): entries in coordinates, where absent is 0, or all of an array."""

import importlib.util
import itertools
import warnings
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.data.number_sizes import LARGEST_INDEX
from nbmf.data.value_codes import number_of, text_of
from nbmf.errors import DataError
from nbmf.io.adjacent_names import adjacent_names
from nbmf.io.arrow_pieces import NUMBER, REAL, IrregularText, TextColumns, pieces_of_text
from nbmf.io.cells import Entries, Grid, count_phrase
from nbmf.io.coded_matrix import refuse_huge, refuse_too_many_rows
from nbmf.io.entry_lists import Piece
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
    """What a header declares; `entries` is the number of lines below `line`, `width` that of words in each."""

    kind: str
    is_list: bool
    is_symmetric: bool
    rows: int
    columns: int
    entries: int
    width: int
    line: int


def read_matrix_market(path: Path) -> Entries | Grid:
    """Read a Matrix Market file."""
    header = _read_header(path)
    (refuse_too_many_rows if header.is_list else refuse_huge)(path, header.rows, header.columns)
    if header.is_list:
        return _entries(path, header)
    return _grid(path, header, *_read_values(path, header))


def coordinates_of(path: Path) -> tuple[str, tuple[int, int], Iterator[Piece]]:
    """Return the words for a file of coordinates, the shape of its matrix, and its entries in pieces.

    Raises
    ------
    DataError
        If it has the values of an array, or, once it is reached, for what is wrong.
    """
    header = _read_header(path)
    if not header.is_list:
        raise DataError(f"{path}: an array, which has all entries; allowed: coordinates; nbmf.read reads arrays")
    if max(header.rows, header.columns) > LARGEST_INDEX:
        raise DataError(f"{path}: {header.rows} x {header.columns}; allowed: at most {LARGEST_INDEX} of either")
    return f"{_describe_format(path, header)}; it has no names", (header.rows, header.columns), _pieces(path, header)


def _describe_format(path: Path, header: _Header) -> str:
    packed = ", gzipped" if is_gzipped(path) else ""
    return f"Matrix Market, {header.kind}{packed}"


def _read_header(path: Path) -> _Header:
    lines = enumerate(lines_of(path), start=1)
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
    for number, line in _skip_comments(lines):
        sizes = [
            int(word) if word.isascii() and word.isdigit() and len(word) <= DIGITS else None for word in line.split()
        ]
        if len(sizes) != (3 if is_list else 2) or 0 in sizes[:2] or None in sizes:
            needed = "rows, columns and entries" if is_list else "rows and columns"
            raise DataError(f"{path}, line {number}: needed are the numbers of {needed}")
        rows, columns = sizes[:2]
        if is_symmetric and rows != columns:
            raise DataError(f"{path}, line {number}: symmetric, but {rows} x {columns}")
        triangle = rows * (rows + 1) // 2 if is_symmetric else rows * columns
        width = 1 if not is_list else 2 if field == "pattern" else 3
        declared = (*sizes, triangle)[2]
        return _Header(" ".join(words[1:]), is_list, is_symmetric, rows, columns, declared, width, number)
    raise DataError(f"{path}: ends before its sizes are declared")


def _skip_comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line[0] != "%" and not line.isspace())


def _read_values(path: Path, header: _Header) -> tuple[array, np.ndarray]:
    """Return the line of each entry, and an array (entries, header.width) of numbers, line by line."""
    numbers, lines = array("q"), itertools.islice(enumerate(lines_of(path), start=1), header.line, None)

    def entries() -> Iterator[str]:
        for number, line in _skip_comments(lines):
            if len(numbers) == header.entries:
                raise _too_many(path, header, number)
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
        raise _too_few(path, header, len(numbers))
    return numbers, values.reshape(-1, header.width)


def _refusal(path: Path, header: _Header, numbers: array) -> DataError | None:
    """Return what is wrong with the first line that is not as many numbers as it has to be."""
    of_entries = frozenset(numbers)
    for number, line in enumerate(lines_of(path), start=1):
        if number not in of_entries:
            continue
        words = line.split()
        if len(words) != header.width:
            return DataError(f"{path}, line {number}: {count_phrase(len(words), 'word')} instead of {header.width}")
        if wrong := [(place, word) for place, word in enumerate(words) if number_of(word) is None]:
            return _refused_word(path, header, number, *wrong[0])
    return None


def _refused_word(path: Path, header: _Header, line: int, place: int, word: str) -> DataError:
    """Return what is said about a word of a line, which is a row, a column or a value."""
    if not header.is_list or place == 2:
        return DataError(f"{path}, line {line}: the value is {word!r}; allowed: numbers")
    kind, largest = (("row", header.rows), ("column", header.columns))[place]
    return DataError(f"{path}, line {line}: {kind} {word!r}; allowed: 1 to {largest}")


def _entries(path: Path, header: _Header) -> Entries:
    none = Piece(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), str)
    parts, wheres = zip(*((piece[:3], piece.where) for piece in (none, *_pieces(path, header))), strict=True)
    first = np.cumsum([0, *(len(rows) for rows, _, _ in parts)])

    def where(k: int) -> str:
        piece = int(np.searchsorted(first, k, side="right")) - 1
        return wheres[piece](k - int(first[piece]))

    rows, columns = (np.concatenate([part[axis] for part in parts]) for axis in (0, 1))
    has_values = header.width == 3
    values = np.concatenate([part[2] for part in parts]) if has_values else np.ones(len(rows), np.int8)
    shape, said = (header.rows, header.columns), "entries that are not in the file are zeros"
    names = adjacent_names(path, shape)
    words = f"{_describe_format(path, header)}; {names.words}"
    return Entries(path, words, rows, columns, values, shape, where, said, names.rows, names.columns)


def _pieces(path: Path, header: _Header) -> Iterator[Piece]:
    """Yield all entries, those of a symmetric matrix on both sides of its diagonal."""
    for piece in _checked_pieces(path, header):
        off = np.flatnonzero(piece.rows != piece.columns) if header.is_symmetric else None
        if off is None or not off.size:
            yield piece
            continue
        entry_of = np.concatenate([np.arange(len(piece.rows)), off])
        rows, columns = np.append(piece.rows, piece.columns[off]), np.append(piece.columns, piece.rows[off])
        values = None if piece.values is None else piece.values[entry_of]
        yield Piece(rows, columns, values, lambda k, at=entry_of, of=piece.where: of(int(at[k])))


def _checked_pieces(path: Path, header: _Header) -> Iterator[Piece]:
    """Yield the entries that the file has, once their places are seen to be within the matrix."""
    for first_line, numbers in _read_numbers(path, header):

        def line_of(k: int, of: int | array = first_line) -> int:
            return of + k if isinstance(of, int) else of[k]

        for place, size in enumerate((header.rows, header.columns)):
            wrong = (numbers[place] < 1) | (numbers[place] > size) | (numbers[place] != np.floor(numbers[place]))
            if wrong.any():
                k = int(np.argmax(wrong))
                raise _refused_word(path, header, line_of(k), place, text_of(numbers[place][k]))
        rows, columns = (part.astype(np.int32) - np.int32(1) for part in numbers[:2])
        yield Piece(rows, columns, numbers[2] if header.width == 3 else None, lambda k, of=line_of: f"line {of(k)}")


def _read_numbers(path: Path, header: _Header) -> Iterator[tuple[int | array, list[np.ndarray]]]:
    """Yield the words of entries as numbers, each place of a line an array, and the first of their lines, or all.

    In pieces as pyarrow reads them; what it does not read, such as fields between several blanks or lines of comments,
    line by line, which also finds what is wrong.
    """
    done = 0
    try:
        for arrays in _read_with_pyarrow(path, header):
            first, done = header.line + 1 + done, done + len(arrays[0])
            if done > header.entries:
                raise _too_many(path, header, header.line + 1 + header.entries)
            yield first, [each.to_numpy(zero_copy_only=False) for each in arrays]
        if done < header.entries:
            raise _too_few(path, header, done)
    except IrregularText:
        lines, found = _read_values(path, header)
        yield lines[done:], list(found[done:].T)


def _read_with_pyarrow(path: Path, header: _Header) -> Iterator[list]:
    """Yield the columns of numbers as pyarrow reads them; IrregularText if it does not, or is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise IrregularText("pyarrow is not installed")
    if not header.entries:
        raise IrregularText("pyarrow takes a text without a record for none")
    kinds = dict(zip(("row", "column", "value"), (NUMBER, NUMBER, REAL)[: header.width], strict=False))
    yield from pieces_of_text(path, TextColumns(header.line, list(kinds), kinds, " ", is_strict=True))


def _too_many(path: Path, header: _Header, line: int) -> DataError:
    return DataError(f"{path}, line {line}: one more entry than the {header.entries} declared")


def _too_few(path: Path, header: _Header, entries: int) -> DataError:
    return DataError(f"{path}: declares {header.entries} entries and has {entries}")


def _grid(path: Path, header: _Header, numbers: array, values: np.ndarray) -> Grid:
    """Return all values, which are there by columns; of a symmetric matrix from the diagonal on."""
    if not header.is_symmetric:
        entry_of = np.arange(len(values)).reshape(header.columns, header.rows).T
    else:
        entry_of = np.empty((header.rows, header.rows), np.int64)
        columns, rows = np.triu_indices(header.rows)
        entry_of[rows, columns] = entry_of[columns, rows] = np.arange(len(values))
    names = adjacent_names(path, (header.rows, header.columns))

    def where(f: int, n: int) -> str:
        return f"line {numbers[entry_of[f, n]]}"

    words = f"{_describe_format(path, header)}; {names.words}"
    return Grid(path, words, values[:, 0][entry_of], where, names.rows, names.columns)
