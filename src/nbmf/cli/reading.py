"""The matrix that a command works on."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nbmf
from nbmf.analysis.matrices import convert_for_method
from nbmf.catalogue import matrix_kind
from nbmf.cli.arguments import READ, READING, printed_command, render_message
from nbmf.cli.options import Options, file_word, option_words
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.value_codes import RefusedValue
from nbmf.errors import DataError, NbmfError
from nbmf.io.code_errors import CodesError
from nbmf.io.coded_matrix import ReadMatrix
from nbmf.io.columns import Columns, read_columns
from nbmf.io.reading import read_with_absent
from nbmf.io.signed_values import SignsError
from nbmf.io.totals import TotalsError

# With which nobody asks whether values are counts.
SETTLED = ("ones", "zeros", "counts", "above", "categories")


def message_printer(command: str) -> Callable[[str], None]:
    """Return a function that prints a message of a command at once, before whatever goes to stderr."""
    return lambda message: print(render_message(message, command), flush=True)


def read_arguments(options: Options) -> dict[str, Any]:
    """Return the arguments of nbmf.read that were typed, by name."""
    return options.taken(*(option.attribute for option in READ))


def read_matrix(options: Options, method: str | None = None) -> NamedMatrix:
    """Read FILE as the options say, for a method if one was named; print what the reader reports.

    Raises
    ------
    ConfigError
        If the file has counts and the method takes zeros and ones.
    """
    return read_with_groups(options, method)[0]


def read_with_groups(options: Options, method: str | None = None) -> tuple[NamedMatrix, np.ndarray | None]:
    """Read FILE as `read_matrix` does; return the matrix and the groups of its columns, if any."""
    contents, column_groups = _read_with_groups(options, None if method is None else matrix_kind(method))
    return convert_for_method(contents.matrix, method), column_groups


def read_new_rows(options: Options, kind: type[NamedMatrix]) -> ReadMatrix:
    """Read FILE as for a fit to a kind of matrix, and what the entries are that it does not have."""
    contents, _ = _read_with_groups(options, kind)
    return contents._replace(matrix=_convert_kind(contents.matrix, kind))


def _convert_kind(matrix: NamedMatrix, kind: type[NamedMatrix]) -> NamedMatrix:
    """Return zeros and ones as counts or ordered categories, as `convert_for_method` does before a fit; others stay."""
    if kind in (CountMatrix, CategoryMatrix) and isinstance(matrix, BinaryMatrix):
        return kind(matrix.codes, matrix.row_names, matrix.column_names, matrix.row_groups)
    return matrix


def _read_with_groups(options: Options, kind: type[NamedMatrix] | None) -> tuple[ReadMatrix, np.ndarray | None]:
    """Return what is in FILE, for methods that take a kind of matrix if one is known, and the groups of its columns.

    Groups belong to what a line of the file is about: after --transpose these are columns.
    """
    chosen = read_arguments(options)
    is_open = chosen["layout"] != "presence" and all(chosen[name] is None for name in SETTLED)
    if kind is CountMatrix and is_open:
        chosen["counts"] = True
    has_column_groups = options.transpose and options.groups is not None
    transpose = options.transpose and not has_column_groups
    contents, column_groups = _read(options, chosen, transpose), None
    if has_column_groups:
        contents, column_groups = contents.T, contents.matrix.row_groups
        print(f"transposed: groups are those of the {contents.matrix.shape[1]} columns", flush=True)
    return contents, column_groups


def _read(options: Options, chosen: dict[str, Any], transpose: bool) -> ReadMatrix:
    """Read FILE; an error says which command works, or says it."""
    try:
        return read_with_absent(options.file, **chosen, transpose=transpose, log=message_printer(options.command))
    except CodesError as error:
        raise DataError(error, _what_to_type(options, error.readings)) from error
    except SignsError as error:
        if options.command == "info":
            raise
        raise DataError(error.opening, _what_to_type(options, error.readings)) from error
    except TotalsError as error:
        if error.ignore is None or error.has_row or options.command == "info":  # no option leaves a row out
            raise
        raise DataError(error, _what_to_type(options, [({"ignore": error.ignore}, "")])) from error
    except RefusedValue as error:
        if options.command == "info":
            raise
        raise DataError(
            error, f". nbmf info {file_with_options(options)} says what does not fit, and what to type"
        ) from error


def _what_to_type(options: Options, readings: Sequence[tuple[dict[str, Any], str]]) -> str:
    """Return the end of a message: the command of each reading, and what each does if there are several."""
    commands = [command_for(options.but(**read)) for read, _ in readings]
    if len(commands) == 1:
        return f". Type: {commands[0]}"
    explained = [f"{command} ({words})" for command, (_, words) in zip(commands, readings, strict=True)]
    return f". Type one of: {'; '.join(explained)}"


class Tried(NamedTuple):
    """The matrix that is read with some options, and what the reader reports."""

    matrix: NamedMatrix
    lines: list[str]


def try_reading(options: Options) -> Tried | None:
    """Read FILE with options, as it stands before --transpose, and print nothing; None if it is refused."""
    lines: list[str] = []
    try:
        return Tried(nbmf.read(options.file, **read_arguments(options), log=lines.append), lines)
    except NbmfError:
        return None


def is_read_in_full(options: Options, matrix: NamedMatrix) -> bool:
    """Whether FILE is read with options, and as many entries of it are observed as in a matrix that was read."""
    tried = try_reading(options)
    return tried is not None and tried.matrix.n_observed == matrix.n_observed


def open_columns(options: Options, missing: list[str] | None = None) -> Columns | None:
    """Return what is in FILE as a table of columns; None if it is none."""
    try:
        path = Path(options.file).expanduser()
        return read_columns(path, options.header, missing, name=options.name, encoding=options.encoding)
    except (NbmfError, OSError):
        return None


def data_name(options: Options) -> str:
    """Return FILE's name without its folder and suffixes: votes of data/votes.csv.gz."""
    return Path(Path(options.file).name.removesuffix(".gz")).stem


def file_with_options(options: Options) -> str:
    """Return FILE and the options that it was read with, for another command line."""
    return shlex.join([file_word(options.file), *option_words(options, READING)])


def command_for(options: Options) -> str:
    """Return the command that was typed, or after `nbmf info` the fit that it leads to, with these options."""
    is_info = options.command == "info"
    return f"nbmf fit {file_with_options(options)}" if is_info else printed_command(options, with_seed=False)
