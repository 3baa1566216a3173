"""The matrix that a command works on."""

import argparse
import functools
import shlex
from pathlib import Path

import numpy as np

import nbmf
from nbmf.data.masks import is_network, is_undirected
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import DataError

OPTIONS = (
    *("layout", "header", "index", "ones", "zeros", "missing", "groups", "ignore"),
    *("row", "column", "value", "name"),
)


def read_matrix(options: argparse.Namespace) -> BinaryMatrix:
    """Read FILE as the options say, and print what the reader reports."""
    return read_with_groups(options)[0]


def read_with_groups(options: argparse.Namespace) -> tuple[BinaryMatrix, np.ndarray | None]:
    """Read FILE as `read_matrix` does; return the matrix and the groups of its columns, if any.

    Groups belong to what a line of the file is about: after --transpose these are columns.
    """
    chosen = {name: getattr(options, name) for name in OPTIONS}
    report = functools.partial(print, flush=True)  # before whatever goes to stderr
    has_column_groups = options.transpose and options.groups is not None
    transpose = options.transpose and not has_column_groups
    matrix = nbmf.read(options.file, **chosen, transpose=transpose, log=report)
    column_groups = None
    if has_column_groups:
        matrix, column_groups = matrix.T, matrix.row_groups
        report(f"transposed: groups are those of the {matrix.shape[1]} columns")
    if is_network(matrix):
        report(_network(matrix, options.diagonal))
    if not options.diagonal:
        matrix = _without_diagonal(matrix)
    return matrix, column_groups


def _network(matrix: BinaryMatrix, with_diagonal: bool) -> str:
    kind = "undirected: entries are held out in pairs" if is_undirected(matrix) else "directed"
    text = f"a network, since rows and columns have the same names; {kind}"
    diagonal = matrix.codes.diagonal()
    if with_diagonal and len(set(diagonal.tolist())) == 1 and diagonal[0] >= 0:
        text += f"; its diagonal is all {diagonal[0]}: --no-diagonal takes it for missing"
    return text


def _without_diagonal(matrix: BinaryMatrix) -> BinaryMatrix:
    """Return a network whose diagonal is missing."""
    if not is_network(matrix):
        raise DataError("--no-diagonal: rows and columns have not the same names")
    codes = matrix.codes.copy()
    np.fill_diagonal(codes, MISSING)
    return BinaryMatrix(codes, matrix.row_names, matrix.column_names, matrix.row_groups)


def name_of(options: argparse.Namespace) -> str:
    """Return FILE's name without its folder and suffixes: votes of data/votes.csv.gz."""
    return Path(Path(options.file).name.removesuffix(".gz")).stem


def repeated(options: argparse.Namespace) -> str:
    """Return FILE and the options that it was read with, for another command line."""
    words = [options.file]
    for name in OPTIONS:
        value = getattr(options, name)
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name}")
        elif value is not None:
            for text in [value] if isinstance(value, str) else value:
                words += [f"--{name}", text]
    words += ["--no-diagonal"] * (not options.diagonal)
    return shlex.join(words + ["--transpose"] * options.transpose)
