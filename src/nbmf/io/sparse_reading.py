"""`nbmf.read_sparse`: a large list of entries from a file to a sparse matrix, a piece at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.number_sizes import LARGEST_COUNT, LARGEST_INDEX
from nbmf.data.sparse_pieces import SparsePieces
from nbmf.data.value_codes import is_count_above_one, text_of
from nbmf.errors import ConfigError, DataError, Setting, not_allowed
from nbmf.inference.parameters import is_integer
from nbmf.io.arguments import RULES
from nbmf.io.arrow_pieces import release_memory
from nbmf.io.cells import repeated_records, size_phrase
from nbmf.io.entry_lists import COLUMN, ROLES, ROW, EntryList, Names, Numbers, ParquetList, Piece, TextList
from nbmf.io.formats import MATRIX_MARKET, PARQUET, TEXT, Format, format_of
from nbmf.io.matrix_market import coordinates_of

if TYPE_CHECKING:
    import scipy.sparse


class SparseFile(NamedTuple):
    """A large list of entries as a sparse matrix, with its names.

    V : CSR array of scipy.sparse (F, N), int8 of 1 and -1 (missing), or int32 of counts above 0 and -1; others are 0
    row_names, column_names : str arrays (F,), (N,), None where the file has numbers
    """

    V: scipy.sparse.csr_array
    row_names: np.ndarray | None
    column_names: np.ndarray | None


def read_sparse(
    path: str | os.PathLike,
    *,
    row: str | None = None,
    column: str | None = None,
    value: str | None = None,
    header: bool | None = None,
    shape: tuple[int, int] | None = None,
    counts: bool = False,
    log: Callable[[str], None] = print,
) -> SparseFile:
    """Read a large sparse matrix from a list of its entries; pairs that are not in the list are 0.

    The file is read in pieces, and an entry takes eight bytes on its way to the five of the result (docs/poisson.md).
    It is Matrix Market (coordinates; gzipped or not), Parquet, or delimited text in UTF-8 (gzipped or not).

    Parameters
    ----------
    path : path
        The file.
    row, column, value : str, optional
        Names of the columns of Parquet or text; by default the first two, and all entries are ones.
    header : bool, optional
        Whether the first line of a text names its columns. By default it does if one of these is named, or the first
        two fields are not both numbers.
    shape : (int, int), optional
        Rows and columns of the matrix, which in Parquet and text are then numbers from 0. By default they are
        names, numbered in the order in which they appear.
    counts : bool
        Whether values are counts, 0, 1, 2, ..., and not only 0 and 1.
    log : function
        Called with each line of the report: the format, the shape, the entries, and what was left out.

    Returns
    -------
    SparseFile
        V, row_names and column_names. `nbmf.SparseBinaryMatrix.from_sparse(*result)` has the names in one with V,
        where there are names.

    Raises
    ------
    ConfigError
        If an argument is not allowed, or has no meaning for the file.
    DataError
        If the file is damaged, a row or column is outside, a value is not allowed, or two entries of one place
        differ; the message names the file and, but for the last, the line or the row.
    """
    roles = dict(zip(ROLES, (row, column, value), strict=True))
    _check(roles, header, shape, counts)
    path = Path(path).expanduser()
    format = format_of(path)
    _check_meaning(path, format, roles, header, shape)
    entries = SparsePieces(np.int32 if counts else np.int8)
    if format is MATRIX_MARKET:
        words, shape, pieces = coordinates_of(path)
        rows, columns = (Numbers(role, size) for role, size in zip((ROW, COLUMN), shape, strict=True))
    else:
        listed = TextList(path, roles, header) if format is TEXT else ParquetList(path, roles)
        words, rows, columns, pieces = _open_list(listed, shape)
    _collect(path, pieces, entries, counts)
    if not rows.size or not columns.size:
        raise DataError(f"{path}: no entries")
    try:
        V, repeated = entries.matrix((rows.size, columns.size))
    except DataError as error:
        raise DataError(f"{path}: ", error) from None
    _report(path, words, V, repeated, log)
    return SparseFile(V, rows.names, columns.names)


def _open_list(listed: EntryList, shape: tuple[int, int] | None) -> tuple[str, Names, Names, Iterator[Piece]]:
    """Return the words for a list, its rows and columns, and its pieces."""
    if shape is None:
        rows, columns = Names(ROW), Names(COLUMN)
    else:
        rows, columns = (Numbers(role, size) for role, size in zip((ROW, COLUMN), shape, strict=True))
    said = ", ".join(f"{role} {listed.names[place]!r}" for role, place in listed.places.items())
    return f"{listed.format}; {said}", rows, columns, listed.pieces(rows, columns)


def _collect(path: Path, pieces: Iterator[Piece], entries: SparsePieces, counts: bool) -> None:
    """Add all pieces to the entries; the last one is forgotten, and what pyarrow held, when this returns."""
    for piece in pieces:
        values = None if piece.values is None else _codes(path, piece, counts)
        entries.add(piece.rows, piece.columns, values)
    piece = values = None
    release_memory()


def _codes(path: Path, piece: Piece, counts: bool) -> np.ndarray:
    """Return the values of a piece, -1 where missing, int32 array (n,)."""
    values, largest = piece.values, LARGEST_COUNT if counts else 1
    is_missing = np.isnan(values) | (values == MISSING)
    is_right = is_missing | ((values >= 0) & (values <= largest) & (values == np.floor(values)))
    if not is_right.all():
        wrong = int(np.argmin(is_right))
        value = values[wrong].item()
        allowed = f"whole numbers from 0 to {largest}" if counts else "0, 1"
        hint = ("; ", Setting("counts", True), " reads counts") if not counts and is_count_above_one(value) else ()
        raise DataError(
            f"{path}, {piece.where(wrong)}: the value is {text_of(value)}; allowed: {allowed} and missing (-1, NaN "
            "or null)",
            *hint,
        )
    return np.where(is_missing, MISSING, values).astype(np.int32)


def _report(path: Path, words: str, V: scipy.sparse.csr_array, repeated: int, log: Callable[[str], None]) -> None:
    missing = int(np.count_nonzero(V.data == MISSING))
    ones = f"{V.nnz - missing} entries above 0 ({(V.nnz - missing) / (V.shape[0] * V.shape[1]):.2g} of all)"
    log(f"{path}: {words}")
    log(f"{size_phrase(*V.shape)}: {ones}, {missing} missing; others are zeros, which are not kept")
    if repeated:
        log(f"left out: {repeated_records(repeated)}")


def _check(roles: dict[str, str | None], header: bool | None, shape: tuple[int, int] | None, counts: bool) -> None:
    """Raise ConfigError if an argument is not allowed."""
    for name, value in (*roles.items(), ("header", header)):
        if value is not None and not RULES[name].holds(value):
            raise not_allowed(name, value, RULES[name].allowed)
    if header is False and any(roles.values()):
        raise ConfigError(Setting("header", False), " leaves no column a name; allowed: the defaults of row and column")
    if not isinstance(counts, bool):
        raise not_allowed("counts", counts, "True or False")
    is_pair = isinstance(shape, tuple | list) and len(shape) == 2
    if shape is not None and not (is_pair and all(is_integer(size) and 0 < size <= LARGEST_INDEX for size in shape)):
        raise not_allowed("shape", shape, f"a pair of integers from 1 to {LARGEST_INDEX}, or None")


def _check_meaning(
    path: Path, format: Format, roles: dict[str, str | None], header: bool | None, shape: tuple[int, int] | None
) -> None:
    """Raise an error if a format is not read, or an argument has no meaning for it."""
    if format not in (MATRIX_MARKET, PARQUET, TEXT):
        raise DataError(f"{path}: {format.words}; allowed: Matrix Market, Parquet and text; nbmf.read reads others")
    given = {} if format is TEXT else {"header": header}
    if format is MATRIX_MARKET:
        given |= roles | {"shape": shape}
    for name, value in given.items():
        if value is not None:
            raise ConfigError(f"{path}: ", Setting(name, value), f" has no meaning for {format.words}")
