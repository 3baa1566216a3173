"""The matrix that a command works on."""

import argparse
import shlex
from pathlib import Path
from typing import Any

import numpy as np

import nbmf
from nbmf.analysis.matrices import for_method
from nbmf.catalogue import matrix_of
from nbmf.cli.arguments import READ, READING, printed_command
from nbmf.cli.options import Options, repeated_words
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.masks import is_network, is_undirected
from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.value_codes import RefusedValue
from nbmf.errors import DataError
from nbmf.io.answers import AnswersError

# With which nobody asks whether values are counts.
SETTLED = ("ones", "zeros", "counts", "above")


def read_matrix(options: argparse.Namespace, method: str | None = None) -> NamedMatrix:
    """Read FILE as the options say, for a method if one was named; print what the reader reports.

    Raises
    ------
    ConfigError
        If the file has counts and the method takes zeros and ones.
    """
    return read_with_groups(options, method)[0]


def read_with_groups(options: argparse.Namespace, method: str | None = None) -> tuple[NamedMatrix, np.ndarray | None]:
    """Read FILE as `read_matrix` does; return the matrix and the groups of its columns, if any.

    Groups belong to what a line of the file is about: after --transpose these are columns.
    """
    chosen = {option.attribute: getattr(options, option.attribute) for option in READ}
    kind = None if method is None else matrix_of(method)
    is_open = chosen["layout"] != "presence" and all(chosen[name] is None for name in SETTLED)
    if kind is CountMatrix and is_open:
        chosen["counts"] = True
    has_column_groups = options.transpose and options.groups is not None
    transpose = options.transpose and not has_column_groups
    matrix, column_groups = _read(options, chosen, transpose), None
    matrix = for_method(matrix, method)
    if has_column_groups:
        matrix, column_groups = matrix.T, matrix.row_groups
        _report(f"transposed: groups are those of the {matrix.shape[1]} columns")
    matrix = _in_order_of_rows(matrix)
    if is_network(matrix):
        _report(_network(matrix, options.diagonal))
    if not options.diagonal:
        matrix = _without_diagonal(matrix)
    return matrix, column_groups


def _report(line: str) -> None:
    print(line, flush=True)  # before whatever goes to stderr


def _read(options: argparse.Namespace, chosen: dict[str, Any], transpose: bool) -> NamedMatrix:
    """Read FILE; an error says which command works, or says it."""
    try:
        return nbmf.read(options.file, **chosen, transpose=transpose, log=_report)
    except AnswersError as error:
        told = Options(**{**vars(options), **error.options})
        raise DataError(error, f". Type: {command_for(told)}") from error
    except RefusedValue as error:
        if options.command == "info":
            raise
        raise DataError(error, f". nbmf info {repeated(options)} says what does not fit, and what to type") from error


def _in_order_of_rows(matrix: NamedMatrix) -> NamedMatrix:
    """Return a network whose columns are the rows in another order, as it should be; another matrix as it is."""
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
    _report("columns have the names of the rows in another order: they are put in that of the rows")
    return type(matrix)(values, rows, rows, matrix.row_groups)


def _network(matrix: NamedMatrix, with_diagonal: bool) -> str:
    kind = "undirected: entries are held out in pairs" if is_undirected(matrix) else "directed"
    text = f"a network, since rows and columns have the same names; {kind}"
    diagonal = matrix.diagonal()
    if with_diagonal and len(set(diagonal.tolist())) == 1 and diagonal[0] >= 0:
        text += f"; its diagonal is all {diagonal[0]}: --no-diagonal takes it for missing"
    return text


def _without_diagonal(matrix: NamedMatrix) -> NamedMatrix:
    """Return a network whose diagonal is missing."""
    if not is_network(matrix):
        raise DataError("--no-diagonal: rows and columns have not the same names")
    if isinstance(matrix, SparseBinaryMatrix):
        return matrix.without_diagonal()
    codes = getattr(matrix, matrix.field).copy()
    np.fill_diagonal(codes, MISSING)
    return type(matrix)(codes, matrix.row_names, matrix.column_names, matrix.row_groups)


def name_of(options: argparse.Namespace) -> str:
    """Return FILE's name without its folder and suffixes: votes of data/votes.csv.gz."""
    return Path(Path(options.file).name.removesuffix(".gz")).stem


def repeated(options: argparse.Namespace) -> str:
    """Return FILE and the options that it was read with, for another command line."""
    return shlex.join([options.file, *repeated_words(options, READING)])


def command_for(options: argparse.Namespace) -> str:
    """Return the command that was typed, or after `nbmf info` the fit that it leads to, with these options."""
    is_info = options.command == "info"
    return f"nbmf fit {repeated(options)}" if is_info else printed_command(options)
