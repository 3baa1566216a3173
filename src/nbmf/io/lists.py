"""Layouts "long" and "presence": a file that lists the entries of a matrix, one a record."""

import os
from array import array
from collections.abc import Sequence

import numpy as np

from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.content import (
    Content,
    Contradiction,
    counted,
    place_of,
    refuse_huge,
    refuse_too_many_lines,
    repeated_records,
    scatter,
)

# What the columns of a list are; of those without a name in the options the first ones are taken.
ROLES = {"long": ("row", "column", "value"), "presence": ("row", "column")}

ARE_MISSING = (
    "pairs without a record are missing, and kept as such; if they are zeros, which need not be "
    "kept, absent='zeros' says so"
)


def places_of(options: Options, columns: Sequence[str], where: str) -> dict[str, int]:
    """Return the place of the column of each role, and of "groups" if there are some.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    where : str
        The file, for errors.
    """
    roles = ROLES[options.layout]
    named = {
        role: place_of(getattr(options, role), columns, where)
        for role in (*roles, "groups")
        if getattr(options, role) is not None
    }
    free = [place for place in range(len(columns)) if place not in named.values()]
    if len(free) < len(roles) - len(named.keys() & set(roles)):
        raise DataError(
            f"{where}: layout {options.layout!r} needs columns of {', '.join(roles)}; there are {len(columns)}"
        )
    rest = iter(free)
    return named | {role: next(rest) for role in roles if role not in named}


def words_of(places: dict[str, int], columns: Sequence[str], options: Options) -> str:
    """Return what is said about the columns: the role of each, and which are not used."""
    said = ", ".join(
        f"{role} {columns[places[role]]!r}" for role in (*ROLES[options.layout], "groups") if role in places
    )
    unused = len(columns) - len(places)
    return f"layout {options.layout}: {said}" + (f"; {counted(unused, 'column')} not used" if unused else "")


class Records:
    """Records of (row, column, code), collected in batches; names are numbered as they appear.

    Parameters
    ----------
    path : path
        The file.
    what : str
        What the places of records are numbers of: "line" or "row".
    dtype : numpy type
        Of the codes, see ValueCoding.
    """

    def __init__(self, path: str | os.PathLike, what: str, dtype: type):
        self._path, self._what, self._dtype = path, what, dtype
        self._row_names, self._column_names = _Numbers(), _Numbers()
        self._rows, self._columns, self._places = array("q"), array("q"), array("q")
        self._codes = bytearray()
        self._groups: dict[str, tuple[str, int]] = {}

    def extend(
        self,
        places: Sequence[int],
        rows: Sequence[str],
        columns: Sequence[str],
        codes: bytes,
        groups: Sequence[str] | None = None,
    ) -> None:
        """Take some records: their places, names, packed codes and groups of the rows.

        Raises
        ------
        DataError
            If a name is empty, or a row had another group before.
        """
        for kind, names in (("row", rows), ("column", columns)):
            if "" in names:
                place = places[names.index("")]
                raise DataError(f"{self._at(place)}: the name of the {kind} is empty")
        self._places.extend(places)
        self._rows.extend(map(self._row_names.__getitem__, rows))
        self._columns.extend(map(self._column_names.__getitem__, columns))
        self._codes += codes
        if groups is not None:
            for place, row, group in zip(places, rows, groups, strict=True):
                self._check_group(place, row, group)

    def _check_group(self, place: int, row: str, group: str) -> None:
        first, first_place = self._groups.setdefault(row, (group, place))
        if group != first:
            raise DataError(
                f"{self._at(place)}: {row!r} has the group {group!r}, but {first!r} in {self._what} {first_place}"
            )

    def _at(self, place: int) -> str:
        return f"{self._path}, {self._what} {place}"

    def content(self, format: str, options: Options) -> Content:
        """Return the matrix, with pairs without a record as the options or the codes have it.

        Raises
        ------
        DataError
            If there are no records, the matrix would be too large, or two records of a pair
            differ: both are named.
        """
        if not self._codes:
            raise DataError(f"{self._path}: there are no records")
        shape = len(self._row_names), len(self._column_names)
        row_names, column_names = list(self._row_names), list(self._column_names)
        codes = np.frombuffer(bytes(self._codes), dtype=self._dtype)
        rows, columns = np.asarray(self._rows), np.asarray(self._columns)
        absent, why = _absent(options, codes)
        if absent == 0:
            refuse_too_many_lines(self._path, *shape)
        else:
            refuse_huge(self._path, *shape, ARE_MISSING)
        try:
            matrix, repeated = scatter(rows, columns, codes, shape, absent)
        except Contradiction as found:
            first, second = (self._places[k] for k in found.records)
            row, column = row_names[rows[found.first]], column_names[columns[found.first]]
            raise DataError(
                f"{self._at(second)}: row {row!r}, column {column!r} is {_shown(found.codes[1])}, "
                f"but {_shown(found.codes[0])} in {self._what} {first}"
            ) from None
        groups = [self._groups[name][0] for name in row_names] if self._groups else None
        said = f"pairs without a record are {'zeros' if absent == 0 else 'missing'}{why}"
        left_out = repeated_records(repeated)
        return Content(matrix, format, row_names, column_names, groups, said, left_out)


def _absent(options: Options, codes: np.ndarray) -> tuple[int, str]:
    """Return the code of pairs without a record, and why it is that where nobody has said it.

    A list of counts without a zero has those above zero alone; one with zeros has what was counted.
    """
    if options.layout == "presence":
        return 0, ""
    if options.absent is not None:
        return {"zeros": 0, "missing": -1}[options.absent], ""
    if codes.dtype == np.int32 and not (codes == 0).any():
        return 0, ", since no record is a zero"
    return -1, ""


class _Numbers(dict):
    """Numbers names 0, 1, ... as they appear."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


def _shown(code: int) -> str:
    return "missing" if code == -1 else str(code)
