"""Networks: matrices whose rows and columns are the same things."""

import dataclasses

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix, has_same_names
from nbmf.data.shared_names import matching_columns, shared_names
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError, Message, Setting


def as_network(matrix: NamedMatrix, diagonal: bool) -> tuple[NamedMatrix, list[str]]:
    """Return a network with its columns in the order of its rows, without its diagonal if so asked, and notes on it.

    Another matrix is returned as it is, but for entries whose row and column have the same name.

    Raises
    ------
    DataError
        If there is no diagonal, nor such an entry.
    """
    matrix, notes = _align_columns(matrix)
    if has_same_names(matrix):
        notes.append(_describe_network(matrix, diagonal))
        return matrix if diagonal else matrix.without_diagonal(), notes
    columns = matching_columns(matrix.row_names, matrix.column_names)
    places = np.array([np.flatnonzero(columns >= 0), columns[columns >= 0]], np.int32)
    if diagonal:
        if shared_names(matrix.row_names, matrix.column_names) and not _codes_at(matrix, places).any():
            number = f"the entries of {places.shape[1]} names with themselves are all 0: "
            notes.append(Message(number, Setting("diagonal", False), " takes them for missing"))
        return matrix, notes
    if not places.size:
        raise DataError(Setting("diagonal", False), ": no row has the name of a column")
    notes.append(f"the entries of {places.shape[1]} names with themselves are missing")
    return _with_missing(matrix, places), notes


def _codes_at(matrix: NamedMatrix, places: np.ndarray) -> np.ndarray:
    """Return the values at some places, an int array (2, n) of rows and columns."""
    if not isinstance(matrix, SparseBinaryMatrix):
        return getattr(matrix, matrix.field)[tuple(places)]
    kept = _flat_positions(matrix.stored[:2], matrix.shape)
    return np.isin(_flat_positions(places, matrix.shape), kept)


def _with_missing(matrix: NamedMatrix, places: np.ndarray) -> NamedMatrix:
    """Return a matrix in which the entries at some places are missing."""
    if isinstance(matrix, SparseBinaryMatrix):
        others = ~np.isin(_flat_positions(matrix.stored[:2], matrix.shape), _flat_positions(places, matrix.shape))
        missing = np.full((1, places.shape[1]), MISSING, np.int32)
        stored = np.hstack([matrix.stored[:, others], np.vstack([places, missing])])
        return dataclasses.replace(matrix, stored=stored)
    values = getattr(matrix, matrix.field).copy()
    values[tuple(places)] = MISSING
    return dataclasses.replace(matrix, **{matrix.field: values})


def _flat_positions(places: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return a number for each place."""
    return places[0].astype(np.int64) * shape[1] + places[1]


def _align_columns(matrix: NamedMatrix) -> tuple[NamedMatrix, list[str]]:
    """Return a matrix with its columns in the order of its rows, if they have their names, and a note if they moved."""
    rows, columns = matrix.row_names, matrix.column_names
    if has_same_names(matrix) or not np.array_equal(np.sort(rows), np.sort(columns)):
        return matrix, []
    place_of = {str(name): place for place, name in enumerate(rows)}
    order = np.array([place_of[str(name)] for name in columns])  # of each column, the place it should have
    values = getattr(matrix, matrix.field).copy()
    if isinstance(matrix, SparseBinaryMatrix):
        values[1] = order[values[1]]
    else:
        values[:, order] = values.copy()
    aligned = dataclasses.replace(matrix, **{matrix.field: values}, row_names=rows, column_names=rows)
    return aligned, ["columns have the names of the rows in another order: they are put in that of the rows"]


def _describe_network(matrix: NamedMatrix, with_diagonal: bool) -> str:
    kind = "undirected: entries are held out in pairs" if matrix.is_symmetric() else "directed"
    text = f"a network, since rows and columns have the same names; {kind}"
    diagonal = matrix.diagonal()
    if with_diagonal and len(set(diagonal.tolist())) == 1 and diagonal[0] >= 0:
        return Message(
            f"{text}; its diagonal is all {diagonal[0]}: ", Setting("diagonal", False), " takes it for missing"
        )
    return text
