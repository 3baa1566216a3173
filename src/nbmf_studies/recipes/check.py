"""Checks of a built matrix against its known counts and against the authors' matrix."""

import os
import re

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError, first_of, naming_file
from nbmf.io.rda import read_r_matrix

SHOWN = 5  # names listed in a message


def check_counts(matrix: NamedMatrix, counts: dict[str, int], name: str) -> None:
    """Raise DataError if `matrix` has other rows, columns or values of a kind than `counts`."""
    found = matrix.counts()
    wrong = [
        f"{key} {found.get(key)} instead of {expected}"
        for key, expected in counts.items()
        if found.get(key) != expected
    ]
    if wrong:
        raise DataError(f"dataset {name!r} has not the counts it must have: {', '.join(wrong)}")


def check_published(matrix: BinaryMatrix, path: str | os.PathLike, name: str) -> int:
    """Compare `matrix` with the authors' matrix in an .rda file, cell for cell and by name.

    Either may be transposed, and the authors' names may be made valid by R ("linkin.park"). Where R
    has numbered lines of one side instead, these are paired by their content.

    Returns
    -------
    int
        The number of cells compared: all of them.

    Raises
    ------
    DataError
        If the names are others, or a cell differs; the message says how many and names the first.
    """
    with naming_file(path):
        published = BinaryMatrix.from_array(*read_r_matrix(path))
    expected = _in_either_orientation(published, matrix)
    if expected is None:
        raise DataError(f"dataset {name!r}: {path}: {_name_differences(matrix, published)}")
    different = np.argwhere(matrix.codes != expected)
    if different.size:
        f, n = different[0]
        raise DataError(
            f"dataset {name!r}: {len(different)} of {matrix.codes.size} cells differ from {path}; "
            f"the first is row {str(matrix.row_names[f])!r}, column "
            f"{str(matrix.column_names[n])!r}: {matrix.codes[f, n]}, published {expected[f, n]}"
        )
    return matrix.codes.size


def _in_either_orientation(published: BinaryMatrix, matrix: BinaryMatrix) -> np.ndarray | None:
    """Return the published codes as `matrix` has its rows and columns; None if names differ.

    Both are turned: lines that are paired by their content have to be columns.
    """
    for theirs in (published, published.T):
        for ours, turned in ((matrix, False), (matrix.T, True)):
            codes = _in_our_order(theirs, ours)
            if codes is not None:
                return codes.T if turned else codes
    return None


def _in_our_order(published: BinaryMatrix, matrix: BinaryMatrix) -> np.ndarray | None:
    """Return the published codes with rows and columns as in `matrix`; None if names differ."""
    rows = _places(matrix.row_names, published.row_names)
    if rows is None:
        return None
    codes = published.codes[rows]
    columns = _places(matrix.column_names, published.column_names)
    if columns is None and _numbered(published.column_names) and codes.shape == matrix.shape:
        columns = _places_by_content(matrix.codes, codes)
    return None if columns is None else codes[:, columns]


def _places(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray | None:
    """Return where each of our names is among theirs; None unless both are the same names."""
    place_of = {str(name): place for place, name in enumerate(theirs)}
    for names in ([str(name) for name in ours], [r_name(str(name)) for name in ours]):
        if len(names) == len(theirs) and set(names) == place_of.keys():
            return np.array([place_of[name] for name in names])
    return None


def _places_by_content(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return for each of our columns the column of theirs with the same rank when sorted."""
    places = np.empty(ours.shape[1], dtype=int)
    places[np.lexsort(ours)] = np.lexsort(theirs)
    return places


def _numbered(names: np.ndarray) -> bool:
    """Whether the names are R's default ones: 1, 2, 3, ..."""
    return [str(name) for name in names] == [str(i + 1) for i in range(len(names))]


def r_name(name: str) -> str:
    """Make a name valid in R, as its read.csv does with the names of columns."""
    name = re.sub(r"[^\w.]", ".", name)
    return name if re.match(r"[^\W\d_]|\.(?!\d)", name) else "X" + name


def _name_differences(matrix: BinaryMatrix, published: BinaryMatrix) -> str:
    ours = {str(name) for name in (*matrix.row_names, *matrix.column_names)}
    theirs = {str(name) for name in (*published.row_names, *published.column_names)}
    only_ours = [name for name in sorted(ours - theirs) if r_name(name) not in theirs]
    only_theirs = sorted(theirs - ours - {r_name(name) for name in ours})
    return (
        f"other names than ours; shapes {published.shape} and {matrix.shape}; "
        f"only there: {_first(only_theirs)}; only in ours: {_first(only_ours)}"
    )


def _first(names: list[str]) -> str:
    return first_of(names, SHOWN) or "(none)"
