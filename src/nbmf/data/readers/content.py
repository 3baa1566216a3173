"""What every reader returns, and what several of them need to make it."""

import difflib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import MAX_ENTRIES
from nbmf.data.readers.arguments import Options
from nbmf.errors import DataError

SHOWN = 8  # names in a message


class Content(NamedTuple):
    """What a reader found.

    codes : int8 array (F, N): 1, 0 and -1 (missing); of counts int32: these and -1
    row_names, column_names : sequences of unique texts, None where the file has none
    row_groups : sequence of F texts, or None
    format : str, the format as it was understood
    absent : str, what is said about entries that the file does not have, if there may be any
    left_out : tuple of str, what was
    is_declared : bool, whether the file itself says that its values are counts
    """

    codes: np.ndarray
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
) -> tuple[np.ndarray, int]:
    """Return the matrix (in their type) with `codes` at (rows, columns) and `absent` elsewhere.

    Returns
    -------
    matrix, repeated : array of `shape`, int
        The second counts records that repeat another.

    Raises
    ------
    Contradiction
        If two records of one entry differ.
    """
    matrix = np.full(shape, absent, dtype=codes.dtype)
    matrix[rows, columns] = codes
    given = np.zeros(shape, dtype=bool)  # faster than sorting the places
    given[rows, columns] = True
    repeated = len(codes) - int(np.count_nonzero(given))
    # An entry has the code of its last record, from which an earlier one may differ.
    differ = np.flatnonzero(matrix[rows, columns] != codes) if repeated else rows[:0]
    if differ.size:
        one = int(differ[0])
        same = (rows == rows[one]) & (columns == columns[one]) & (codes != codes[one])
        first, second = sorted((one, int(np.flatnonzero(same)[0])))
        raise Contradiction((first, second), (int(codes[first]), int(codes[second])))
    return matrix, repeated


def refuse_huge(path: str | os.PathLike, rows: int, columns: int) -> None:
    """Raise DataError if a matrix of this size would need too much memory."""
    if rows * columns > MAX_ENTRIES:
        raise DataError(
            f"{path}: {rows} x {columns} entries; allowed are at most {MAX_ENTRIES}, "
            "since a matrix is kept with all of them; in Python nbmf.BernoulliPoissonVB fits one "
            "of scipy.sparse as it is"
        )


def refuse_repeated(
    path: str | os.PathLike,
    names: Sequence[str],
    kind: str,
    where: Callable[[int], str],
    hint: str = "",
) -> None:
    """Raise DataError if a name is empty or is there twice; `where` names the place of a name."""
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        if not name:
            raise DataError(f"{path}, {where(place)}: the name of the {kind} is empty{hint}")
        if first.setdefault(name, place) != place:
            raise RepeatedName(
                f"{path}, {where(place)}: the {kind} {name!r} is there already, "
                f"in {where(first[name])}{hint}"
            )


def place_of(name: str, columns: Sequence[str], where: str) -> int:
    """Return the place of a column; DataError names some of those there are."""
    if name not in columns:
        near = difflib.get_close_matches(name, columns, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
        raise DataError(
            f"{where}: no column {name!r}; the columns are {', '.join(columns[:SHOWN])}{more}{hint}"
        )
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
