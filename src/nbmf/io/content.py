"""What every reader returns, and what several of them need to make it."""

import difflib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import MAX_ENTRIES
from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.stored import StoredCodes

SHOWN = 8  # names in a message
LARGER = "of zeros and ones a list, Matrix Market or scipy.sparse, which have the ones alone, may be larger"
MAX_LINES = 2**22  # rows and columns of a matrix of which zeros are not kept: each has a name


class Content(NamedTuple):
    """What a reader found.

    codes : int8 array (F, N): 1, 0 and -1 (missing); of counts int32: these and -1. Of a matrix of
        more than MAX_ENTRIES a StoredCodes
    row_names, column_names : sequences of unique texts, None where the file has none
    row_groups : sequence of F texts, or None
    format : str, the format as it was understood
    absent : str, what is said about entries that the file does not have, if there may be any
    left_out : tuple of str, what was
    is_declared : bool, whether the file itself says that its values are counts
    """

    codes: np.ndarray | StoredCodes
    format: str
    row_names: Sequence[str] | None = None
    column_names: Sequence[str] | None = None
    row_groups: Sequence[str] | None = None
    absent: str | None = None
    left_out: tuple[str, ...] = ()
    is_declared: bool = False


class Contradiction(Exception):
    """Two records of one entry have different codes."""

    def __init__(self, records: tuple[int, int], codes: tuple[int, int]):
        super().__init__(records)
        self.records, self.codes = records, codes

    @property
    def first(self) -> int:
        """The earlier record."""
        return self.records[0]


class RepeatedName(DataError):
    """Says that two rows or columns have the same name: perhaps these are values."""


def scatter(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, shape: tuple[int, int], absent: int
) -> tuple[np.ndarray | StoredCodes, int]:
    """Return the matrix (in their type) with `codes` at (rows, columns) and `absent` elsewhere.

    Returns
    -------
    matrix, repeated : array of `shape`, or StoredCodes if it would have more than MAX_ENTRIES; int
        The second counts records that repeat another.

    Raises
    ------
    Contradiction
        If two records of one entry differ.
    """
    if is_huge(*shape):
        return _stored(rows, columns, codes, shape)
    matrix = np.full(shape, absent, dtype=codes.dtype)
    matrix[rows, columns] = codes
    given = np.zeros(shape, dtype=bool)  # faster than sorting the places
    given[rows, columns] = True
    repeated = len(codes) - int(np.count_nonzero(given))
    if repeated:
        _refuse_contradiction(rows, columns, codes, matrix[rows, columns])
    return matrix, repeated


def _stored(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, shape: tuple[int, int]
) -> tuple[StoredCodes, int]:
    """Return what `scatter` does of a large matrix, whose absent entries are 0."""
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
    return StoredCodes(rows[kept], columns[kept], codes[kept], shape), len(codes) - len(ends)


def _refuse_contradiction(rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, final: np.ndarray) -> None:
    """Raise Contradiction unless each record has the code of the last one of its entry, `final`."""
    if (differ := np.flatnonzero(final != codes)).size:
        one = int(differ[0])
        same = (rows == rows[one]) & (columns == columns[one]) & (codes != codes[one])
        first, second = sorted((one, int(np.flatnonzero(same)[0])))
        raise Contradiction((first, second), (int(codes[first]), int(codes[second])))


def is_huge(rows: int, columns: int) -> bool:
    """Whether a matrix has so many entries that only those that are not 0 are kept."""
    return rows * columns > MAX_ENTRIES


def refuse_huge(path: str | os.PathLike, rows: int, columns: int, why: str = "all of them are kept; " + LARGER) -> None:
    """Raise DataError if a matrix of which all entries are kept would need too much memory."""
    if is_huge(rows, columns):
        raise DataError(f"{path}: {rows} x {columns} entries; allowed are at most {MAX_ENTRIES}, since {why}")


def refuse_too_many_lines(path: str | os.PathLike, rows: int, columns: int) -> None:
    """Raise DataError if names alone would need too much memory."""
    if is_huge(rows, columns) and rows + columns > MAX_LINES:
        raise DataError(
            f"{path}: {rows} x {columns} entries; allowed are at most {MAX_LINES} rows and columns together"
        )


def refuse_repeated(
    path: str | os.PathLike, names: Sequence[str], kind: str, where: Callable[[int], str], hint: str = ""
) -> None:
    """Raise DataError if a name is empty or is there twice; `where` names the place of a name."""
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        if not name:
            raise DataError(f"{path}, {where(place)}: the name of the {kind} is empty{hint}")
        if first.setdefault(name, place) != place:
            raise RepeatedName(
                f"{path}, {where(place)}: the {kind} {name!r} is there already, in {where(first[name])}{hint}"
            )


def place_of(name: str, columns: Sequence[str], where: str) -> int:
    """Return the place of a column; DataError names some of those there are."""
    if name not in columns:
        near = difflib.get_close_matches(name, columns, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
        raise DataError(f"{where}: no column {name!r}; the columns are {', '.join(columns[:SHOWN])}{more}{hint}")
    return columns.index(name)


def places_aside(options: Options, columns: Sequence[str], where: str) -> list[int]:
    """Return the places of columns that hold no values: groups and what is ignored, last first."""
    names = [*([options.groups] if options.groups else []), *(options.ignore or ())]
    return sorted({place_of(name, columns, where) for name in names}, reverse=True)


def said_of_ignored(options: Options) -> list[str]:
    """Return the words of a report about columns that are ignored, none if there are none."""
    return [f"ignored: {', '.join(map(repr, options.ignore))}"] if options.ignore else []


def counted(number: int, what: str) -> str:
    """Return the words for a number of things: 1 record, 2 records."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def repeated_records(number: int) -> tuple[str, ...]:
    """Return the words for what `scatter` counts, none if there is nothing."""
    return (f"{counted(number, 'record')} that repeat another",) if number else ()


def batches(items: Iterable, size: int = 512) -> Iterator[list]:
    """Yield lists of up to `size` items: whole columns of them are checked at once.

    Few enough for the garbage collector not to look at them: more take twice as long.
    """
    items = iter(items)
    while batch := list(itertools.islice(items, size)):
        yield batch
