"""Networks: matrices whose rows and columns are the same things."""

import dataclasses
from collections.abc import Callable

import numpy as np

from nbmf.data.masks import is_network, is_undirected
from nbmf.data.named import NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError, Message, Setting


def as_network(matrix: NamedMatrix, diagonal: bool, log: Callable[[str], None]) -> NamedMatrix:
    """Return a network with its columns in the order of its rows, and without its diagonal if `diagonal` says so.

    Another matrix is returned as it is.

    Raises
    ------
    DataError
        If there is no diagonal, since it is no network.
    """
    matrix = _in_order_of_rows(matrix, log)
    if is_network(matrix):
        log(_described(matrix, diagonal))
    elif not diagonal:
        raise DataError(Setting("diagonal", False), ": rows and columns have not the same names")
    return matrix if diagonal else matrix.without_diagonal()


def _in_order_of_rows(matrix: NamedMatrix, log: Callable[[str], None]) -> NamedMatrix:
    rows, columns = matrix.row_names, matrix.column_names
    if is_network(matrix) or not np.array_equal(np.sort(rows), np.sort(columns)):
        return matrix
    place_of = {str(name): place for place, name in enumerate(rows)}
    order = np.array([place_of[str(name)] for name in columns])  # of each column, the place it should have
    values = getattr(matrix, matrix.field).copy()
    if isinstance(matrix, SparseBinaryMatrix):
        values[1] = order[values[1]]
    else:
        values[:, order] = values.copy()
    log("columns have the names of the rows in another order: they are put in that of the rows")
    return dataclasses.replace(matrix, **{matrix.field: values}, row_names=rows, column_names=rows)


def _described(matrix: NamedMatrix, with_diagonal: bool) -> str:
    kind = "undirected: entries are held out in pairs" if is_undirected(matrix) else "directed"
    text = f"a network, since rows and columns have the same names; {kind}"
    diagonal = matrix.diagonal()
    if with_diagonal and len(set(diagonal.tolist())) == 1 and diagonal[0] >= 0:
        return Message(
            f"{text}; its diagonal is all {diagonal[0]}: ", Setting("diagonal", False), " takes it for missing"
        )
    return text
