"""Square tables of ties without a direction, of which one triangle alone is filled."""

from pathlib import Path

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.errors import DataError, Message, Setting
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes

FEWEST = 3  # ties in a triangle, next to which an empty one is hardly an accident


def fill_from_mirror_images(coded: CodedMatrix, path: Path, zero_is_none: bool) -> CodedMatrix:
    """Return a square table in which each entry equals its mirror image, from the triangle that is filled.

    Columns are put in the order of rows. `zero_is_none` says whether a zero is no tie: it is none of categories, of
    which only a missing entry has the value of its mirror image.

    Raises
    ------
    DataError
        If rows and columns have not the same names, or both triangles are filled and differ.
    """
    if (square := _aligned_codes(coded)) is None:
        raise DataError(
            f"{path}: ",
            Setting("undirected", True),
            ": rows and columns of a table have to have the same names; a list of ties needs ",
            Setting("layout", "presence"),
        )
    upper, lower = np.triu(np.ones(square.shape, bool), 1), np.tril(np.ones(square.shape, bool), -1)
    for filled, empty in ((upper, lower), (lower, upper)):
        if zero_is_none and not (square[empty] > 0).any() and (square[filled] > 0).any():
            square[empty] = MISSING
            break
    mirror = square.T
    differ = np.argwhere((square != MISSING) & (mirror != MISSING) & (square != mirror))
    if len(differ):
        i, j = differ[0].tolist()
        name, other_name = coded.row_names[i], coded.row_names[j]
        raise DataError(
            f"{path}: {len(differ) // 2} ties have two values: {square[i, j]} in row {name!r}, column {other_name!r}, "
            f"and {square[j, i]} in row {other_name!r}, column {name!r}; without ",
            Setting("undirected"),
            " each is one direction",
        )
    note = "undirected: each entry is also that of its mirror image"
    codes = np.where(square == MISSING, mirror, square)
    return coded._replace(codes=codes, column_names=list(coded.row_names), notes=(*coded.notes, note))


def notes_of_triangle(coded: CodedMatrix) -> tuple[str, ...]:
    """Return what is said if no entry on one side of the diagonal is a tie, as where each tie is listed once."""
    if (square := _aligned_codes(coded)) is None:
        return ()
    above, below = (np.count_nonzero(part(square, k) > 0) for part, k in ((np.triu, 1), (np.tril, -1)))
    if min(above, below) or max(above, below) < FEWEST:
        return ()
    side = "above" if below else "below"
    words = f"no entry {side} the diagonal is a tie; if ties have no direction and each is there once, "
    return (Message(words, Setting("undirected", True), " fills both sides"),)


def _aligned_codes(coded: CodedMatrix) -> np.ndarray | None:
    """Return codes with columns in the order of rows, a copy; None if these have not the same names."""
    rows, columns = coded.row_names, coded.column_names
    if rows is None or columns is None or isinstance(coded.codes, StoredCodes) or sorted(rows) != sorted(columns):
        return None
    place_of = {name: place for place, name in enumerate(columns)}
    return coded.codes[:, [place_of[name] for name in rows]]
