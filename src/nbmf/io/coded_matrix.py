"""A matrix of codes, 1, 0 and -1 or counts and -1, as cells of a file become one, and how large it may be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.matrix import MAX_ENTRIES, MISSING
from nbmf.data.named import NamedMatrix
from nbmf.data.value_codes import ValueCoding
from nbmf.errors import DataError
from nbmf.io.cells import Entries, Grid, repeated_records
from nbmf.io.encoding import UnknownValue, encode

LARGER = "of zeros and ones a list, Matrix Market or scipy.sparse, which have the ones alone, may be larger"
MAX_NAMES = 2**22  # rows and columns of a matrix of which zeros are not kept: each has a name


class CodedMatrix(NamedTuple):
    """The contents of a file as codes.

    codes : int8 array (F, N): 1, 0 and -1 (missing); of counts int32: these and -1. Of a matrix of
        more than MAX_ENTRIES a StoredCodes
    format : str, the format as it was understood
    row_names, column_names : sequences of unique texts, None where the file has none
    row_groups : sequence of F texts, or None
    absent : str, what is said about entries that the file does not have, if there may be any
    are_filled : bool, whether these are 0
    left_out : tuple of str, what was
    notes : tuple of str, what else is to be said
    """

    codes: np.ndarray | StoredCodes
    format: str
    row_names: Sequence[str] | None = None
    column_names: Sequence[str] | None = None
    row_groups: Sequence[str] | None = None
    absent: str | None = None
    are_filled: bool = False
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ReadMatrix(NamedTuple):
    """A matrix that was read, and what entries are that it does not have: of new rows, of a fit with more columns.

    matrix : NamedMatrix
    absent_are_zeros : bool, whether they are 0, as in a list of ones or a sparse matrix; else they are missing
    unobserved : (str array, str array), rows and columns of the file that were left out, since they are missing
    """

    matrix: NamedMatrix
    absent_are_zeros: bool
    unobserved: tuple[np.ndarray, np.ndarray]

    @property
    def absent(self) -> dict[str, Any]:
        """The arguments of `nbmf.posterior.new_rows.new_rows` that say so."""
        return {"absent": 0 if self.absent_are_zeros else MISSING, "unobserved": self.unobserved[1]}

    @property
    def T(self) -> ReadMatrix:
        """The transposed matrix."""
        return ReadMatrix(self.matrix.T, self.absent_are_zeros, self.unobserved[::-1])


class StoredCodes(NamedTuple):
    """Codes of a matrix too large for all of its entries; what is not listed is 0.

    rows, columns : int arrays (n,)
    codes : array (n,) in the type of a ValueCoding, not 0; an entry is there once
    shape : (F, N)
    """

    rows: np.ndarray
    columns: np.ndarray
    codes: np.ndarray
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype:
        """The type of the codes."""
        return self.codes.dtype

    @property
    def T(self) -> StoredCodes:
        """The transposed matrix."""
        return StoredCodes(self.columns, self.rows, self.codes, self.shape[::-1])

    def above(self, count: int) -> StoredCodes:
        """Return codes that are 1 where a count is larger; missing stays so."""
        codes = np.where(self.codes == MISSING, MISSING, self.codes > count).astype(np.int8)
        return self._select(codes != 0)._replace(codes=codes[codes != 0])

    def observed_rows_and_columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which rows and which columns have an observed entry, bool arrays."""
        missing = self.codes == MISSING
        return tuple(
            np.bincount(places[missing], minlength=size) < others
            for places, size, others in zip(self[:2], self.shape, self.shape[::-1], strict=True)
        )

    def restricted_to(self, rows: np.ndarray, columns: np.ndarray) -> StoredCodes:
        """Return the matrix of some rows and columns, bool arrays."""
        kept = self._select(rows[self.rows] & columns[self.columns])
        places = ((np.cumsum(is_kept) - 1)[numbers] for is_kept, numbers in zip((rows, columns), kept[:2], strict=True))
        shape = int(np.count_nonzero(rows)), int(np.count_nonzero(columns))
        return StoredCodes(*places, kept.codes, shape)

    def _select(self, which: np.ndarray) -> StoredCodes:
        return StoredCodes(*(part[which] for part in self[:3]), self.shape)


def codes_above(codes: np.ndarray | StoredCodes, count: int) -> np.ndarray | StoredCodes:
    """Return counts as codes of whether they are larger."""
    if isinstance(codes, StoredCodes):
        return codes.above(count)
    return np.where(codes == MISSING, MISSING, codes > count).astype(np.int8)


def observed_rows_and_columns(codes: np.ndarray | StoredCodes) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows and which columns have an observed entry, bool arrays."""
    if isinstance(codes, StoredCodes):
        return codes.observed_rows_and_columns()
    observed = codes != MISSING
    return observed.any(axis=1), observed.any(axis=0)


def code_grid(grid: Grid, coding: ValueCoding) -> CodedMatrix:
    """Return an array of values as codes."""
    try:
        codes = encode(coding, grid.values)
    except UnknownValue as unknown:
        f, n = np.unravel_index(unknown.place, grid.values.shape)
        raise coding.refusal(f"{grid.path}, {grid.where(int(f), int(n))}", unknown.value) from None
    return CodedMatrix(codes, grid.format, grid.row_names, grid.column_names)


def code_entries(entries: Entries, coding: ValueCoding) -> CodedMatrix:
    """Return entries as codes of a matrix in which the others are 0."""
    path, where = entries.path, entries.where
    try:
        codes = encode(coding, entries.values)
        matrix, left_out = scatter(entries.rows, entries.columns, codes, entries.shape, absent=0)
    except UnknownValue as error:
        raise coding.refusal(f"{path}, {where(error.place)}", error.value) from None
    except Contradiction as error:
        first, second = map(where, error.records)
        words = f"{path}, {second}: the entry is there already with another value"
        raise DataError(words if first == second else f"{words}, in {first}") from None
    names = entries.row_names, entries.column_names
    return CodedMatrix(matrix, entries.format, *names, absent=entries.absent, are_filled=True, left_out=left_out)


class Contradiction(Exception):
    """Two records of one entry have different codes; `records` are their numbers, the earlier one first."""

    def __init__(self, records: tuple[int, int], codes: tuple[int, int]):
        super().__init__(records)
        self.records, self.codes = records, codes


def scatter(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, shape: tuple[int, int], absent: int
) -> tuple[np.ndarray | StoredCodes, tuple[str, ...]]:
    """Return the matrix (in their type) with `codes` at (rows, columns) and `absent` elsewhere.

    Returns
    -------
    matrix : array of `shape`, or StoredCodes if it would have more than MAX_ENTRIES
    left_out : tuple of str
        The words for records that repeat another, if there are any.

    Raises
    ------
    Contradiction
        If two records of one entry differ.
    """
    if is_huge(*shape):
        matrix, distinct = _scatter_huge(rows, columns, codes, shape)
    else:
        matrix = np.full(shape, absent, dtype=codes.dtype)
        matrix[rows, columns] = codes
        given = np.zeros(shape, dtype=bool)  # faster than sorting the places
        given[rows, columns] = True
        distinct = int(np.count_nonzero(given))
        if distinct < len(codes):
            _refuse_contradiction(rows, columns, codes, matrix[rows, columns])
    repeated = len(codes) - distinct
    return matrix, (repeated_records(repeated),) if repeated else ()


def _scatter_huge(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, shape: tuple[int, int]
) -> tuple[StoredCodes, int]:
    """Return a large matrix, whose absent entries are 0, and the number of different entries."""
    flat = rows.astype(np.int64) * shape[1] + columns
    order = np.argsort(flat, kind="stable")
    ends = np.flatnonzero(np.diff(flat[order], append=-1))  # the last records of entries
    if len(ends) < len(codes):
        lengths = np.diff(ends, prepend=-1)
        final = np.empty_like(codes)
        final[order] = np.repeat(codes[order][ends], lengths)
        _refuse_contradiction(rows, columns, codes, final)
    kept = order[ends]
    kept = kept[codes[kept] != 0]
    return StoredCodes(rows[kept], columns[kept], codes[kept], shape), len(ends)


def _refuse_contradiction(rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, final: np.ndarray) -> None:
    """Raise Contradiction unless each record has the code of the last one of its entry, `final`."""
    if (differ := np.flatnonzero(final != codes)).size:
        contradicted = int(differ[0])
        same = (rows == rows[contradicted]) & (columns == columns[contradicted]) & (codes != codes[contradicted])
        first, second = sorted((contradicted, int(np.flatnonzero(same)[0])))
        raise Contradiction((first, second), (int(codes[first]), int(codes[second])))


def is_huge(rows: int, columns: int) -> bool:
    """Whether a matrix has so many entries that only those that are not 0 are kept."""
    return rows * columns > MAX_ENTRIES


def refuse_huge(path: Path, rows: int, columns: int, why: str = "all of them are kept; " + LARGER) -> None:
    """Raise DataError if a matrix of which all entries are kept would need too much memory."""
    if is_huge(rows, columns):
        raise DataError(f"{path}: {rows} x {columns} entries; allowed: at most {MAX_ENTRIES}, since ", why)


def refuse_too_many_rows(path: Path, rows: int, columns: int) -> None:
    """Raise DataError if names alone would need too much memory."""
    if is_huge(rows, columns) and rows + columns > MAX_NAMES:
        raise DataError(f"{path}: {rows} x {columns} entries; allowed: at most {MAX_NAMES} rows and columns together")
