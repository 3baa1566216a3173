"""nbmf example: a matrix that comes with the package, as a file to try the other commands on."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from nbmf.cli.options import Options
from nbmf.cli.results import refuse_foreign
from nbmf.data.examples import EXAMPLES, TABLES, Example, TableExample, load_example, table_example
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.files import atomic_path


def run(options: Options) -> None:
    """Write an example, or say which there are."""
    if options.name is None:
        for name, example in (EXAMPLES | TABLES).items():
            print(f"{name}: {example.title}\n  from {example.origin}; licence: {example.licence}")
        return
    path = Path(options.out or f"{options.name}.csv")
    if options.name in TABLES:
        if options.layout != "matrix":
            raise ConfigError(f"--layout {options.layout}: {options.name} is a table, no matrix")
        _write(path, table_example(options.name), TABLES[options.name], options)
        print(f"\nnext:\n  nbmf cluster {path} --labels {TABLES[options.name].labels}")
        return
    matrix, example = load_example(options.name), EXAMPLES[options.name]
    _write(path, as_text(matrix, example, options.layout), example, options)
    layout = "" if options.layout == "matrix" else f" --layout {options.layout}"
    groups = f" --groups {example.group}" if example.group else ""
    print(f"\nnext:\n  nbmf info {path}{layout}{groups}")


def _write(path: Path, text: str, example: Example | TableExample, options) -> None:
    refuse_foreign(path, options.force, lambda file: file.read() == text.encode())
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
    print(f"{path}: {example.title}")
    print(f"from {example.origin}; licence: {example.licence}")


def as_text(matrix: BinaryMatrix, example: Example, layout: str) -> str:
    """Return a matrix as CSV.

    Parameters
    ----------
    matrix : BinaryMatrix
    example : Example
        What its parts are called.
    layout : str
        "matrix", or what `nbmf.read` takes: "long" (a line per observed entry) or "presence" (a
        line per one).

    Raises
    ------
    DataError
        If entries are missing, which a list of ones cannot say.
    """
    if layout == "presence" and not matrix.observed.all():
        raise DataError("a list of ones cannot say what is missing, as entries of this example are")
    lines = _lines_of_matrix if layout == "matrix" else _lines_of_list
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines(matrix, example, layout))
    return stream.getvalue()


def _lines_of_matrix(matrix: BinaryMatrix, example: Example, layout: str) -> Iterator[list[str]]:
    word_of = {1: example.words[0], 0: example.words[1], MISSING: ""}
    yield [example.row, *_group_name(example), *matrix.column_names]
    for f, codes in enumerate(matrix.codes.tolist()):
        yield [matrix.row_names[f], *_group(matrix, f), *(word_of[code] for code in codes)]


def _lines_of_list(matrix: BinaryMatrix, example: Example, layout: str) -> Iterator[list[str]]:
    values = [example.value] if layout == "long" else []
    yield [example.row, *_group_name(example), example.column, *values]
    for f, codes in enumerate(matrix.codes.tolist()):
        for n, code in enumerate(codes):
            if code == 1 or (layout == "long" and code == 0):
                word = [example.words[1 - code]] if layout == "long" else []
                yield [matrix.row_names[f], *_group(matrix, f), matrix.column_names[n], *word]


def _group_name(example: Example) -> list[str]:
    return [example.group] if example.group else []


def _group(matrix: BinaryMatrix, row: int) -> list[str]:
    return [] if matrix.row_groups is None else [matrix.row_groups[row]]
