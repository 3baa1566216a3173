"""What `nbmf info` says of a file that is no matrix: a table, a list or texts."""

import argparse
import shlex
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from nbmf.cli.text import wrapped
from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import DataError
from nbmf.io.features import read_table
from nbmf.io.frames import Frame, number_of, read_frame

if TYPE_CHECKING:
    import pandas as pd

OF_MATRICES = ("layout", "ones", "zeros", "counts", "above", "row", "column", "value", "absent", "name", "transpose")
NO_TABLES = (".npz", ".npy", ".mtx")
MOST_BYTES = 2**25  # of a file that is read once more, as Python objects
ANSWERS = 0.5  # of all cells, that hold one of two values in a matrix of answers
WORDS = 4.0  # in a cell on average, from which on a column has texts
SPARSE = 0.5  # of all counts, that are 0 in documents at least


def report(options: argparse.Namespace, refused: DataError) -> list[str] | None:
    """Return the lines about a file that was refused as a matrix; None if it should be one.

    It should be if options say so, or if two values fill half of its cells: then a cell is wrong.

    Raises
    ------
    DataError
        If it is a table, but not as `nbmf cluster` takes one.
    """
    frame = _frame(options)
    if frame is None:
        return None
    opening = f"{str(refused).partition(';')[0]}: this is no matrix of zeros and ones or of counts"
    if _is_long(frame):
        return [wrapped(opening), *_long(options, frame)]
    columns = frame.table.drop(columns=[*(options.ignore or ()), options.groups], errors="ignore")
    if _has_answers(columns):
        return None
    if texts := {name: _words(columns[name]) for name in columns if _has_texts(columns[name])}:
        others = columns.shape[1] > len(texts)
        return [wrapped(opening), *_texts(options, texts, others)]
    lines = [wrapped(f"{opening}, but a table")]
    try:
        read_table(
            options.file,
            labels=options.groups,
            ignore=options.ignore or (),
            header=options.header,
            index=options.index,
            missing=options.missing,
            log=lines.append,
        )
    except DataError as error:
        words = "no matrix of zeros and ones or of counts; as a table, for nbmf cluster"
        raise DataError(f"{options.file}: {words}: {error}") from error
    if options.groups is None:
        lines.append("a column with known classes is kept apart by --labels, to see if they agree")
    return [*lines, *_next(f"cluster {_repeated(options)}")]


def uses_of_counts(matrix: CountMatrix, options: argparse.Namespace) -> list[str]:
    """Return what else counts may be, and what takes them then, a line for each."""
    lines = []
    zeros = (matrix.tallies == 0).mean()
    if matrix.observed.all() and zeros >= SPARSE and options.above is None:
        lines.append(f"if rows are documents and columns words: nbmf topics {_documents(options)}")
    suffix = Path(options.file).suffix.lower()
    is_table = options.layout is None and not options.transpose and suffix not in NO_TABLES
    if is_table:
        again = _repeated(options)
        lines.append(f"if columns are of several kinds, ages and marks: nbmf cluster {again}")
    return lines


def _frame(options: argparse.Namespace) -> Frame | None:
    """Return what is in the file; None if it is no table, too large, or to be read as a matrix."""
    given = (getattr(options, name) for name in OF_MATRICES)  # 0 is not False: --above 0
    is_matrix = any(value is not None and value is not False for value in given)
    if is_matrix or options.counts is False or not options.diagonal:
        return None
    try:
        if Path(options.file).expanduser().stat().st_size > MOST_BYTES:
            return None
        return read_frame(options.file, options.header, options.missing)
    except (OSError, DataError):
        return None


def _is_long(frame: Frame) -> bool:
    """Whether lines have two texts, each of which comes again, and a count, as long lists have."""
    if frame.table.shape[1] != 3:
        return False
    *texts, last = (frame.table[name].tolist() for name in frame.table)
    numbers = [None if value is None else number_of(str(value)) for value in last]
    are_counts = all(n is not None and n >= 0 and n.is_integer() for n in numbers)
    are_names = all(value is None or number_of(str(value)) is None for own in texts for value in own)
    pairs = set(zip(*texts, strict=True))
    repeat = all(2 * len(set(own)) <= len(last) for own in texts)
    return are_counts and are_names and repeat and len(pairs) == len(last)


def _long(options: argparse.Namespace, frame: Frame) -> list[str]:
    *_, last = frame.table
    file = shlex.quote(options.file)
    commands = [f"info {file} --layout long"]
    if any(number_of(str(value)) > 1 for value in frame.table[last]):
        commands = [f"{commands[0]} --counts", f"topics {file} --layout long"]
    columns = ", ".join(map(repr, frame.table))
    return [f"a list with a line per entry: {columns}", *_next(*commands)]


def _has_answers(columns: "pd.DataFrame") -> bool:
    """Whether two values fill more than half of the cells, as in a matrix with a wrong cell."""
    values = Counter(str(v) for name in columns for v in columns[name] if v is not None)
    return sum(n for _, n in values.most_common(2)) > ANSWERS * values.total()


def _has_texts(column: "pd.Series") -> bool:
    """Whether most cells differ, and have several words."""
    return 2 * column.nunique() > column.count() and _words(column) >= WORDS


def _words(column: "pd.Series") -> float:
    """Return how many words a cell has on average."""
    texts = [str(value) for value in column if value is not None]
    return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def _texts(options: argparse.Namespace, words: dict[str, float], others: bool) -> list[str]:
    """Return the lines about columns of texts, of so many words, and whether there are others."""
    labels = [] if options.groups is None else ["--labels", options.groups]
    lines = [f"column {name!r} has texts, of {n:.1f} words on average" for name, n in words.items()]
    commands = [f"topics {shlex.join([options.file, '--text', name, *labels])}" for name in words]
    if others:
        commands.append(f"cluster {_repeated(options, words)}")
    return [*lines, *_next(*commands)]


def _next(*commands: str) -> list[str]:
    return ["", "next:", *(f"  nbmf {command}" for command in commands)]


def _documents(options: argparse.Namespace) -> str:
    """Return FILE and the options of nbmf topics for what was read as a matrix of counts."""
    words = [options.file]
    roles = {"document": options.row, "word": options.column, "count": options.value}
    if options.layout == "long":
        words += ["--layout", "long"]
        if all(roles.values()):
            words += [part for role, name in roles.items() for part in (f"--{role}", name)]
    elif options.groups is not None:
        words += ["--labels", options.groups]
    words += [part for name in options.ignore or () for part in ("--ignore", name)]
    return shlex.join(words + ["--transpose"] * options.transpose)


def _repeated(options: argparse.Namespace, ignore: Collection[str] = ()) -> str:
    """Return FILE and its options as nbmf cluster has them; more columns to ignore may be given."""
    words = [options.file]
    for name in ("header", "index"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{'' if value else 'no-'}{name}"]
    if options.groups is not None:
        words += ["--labels", options.groups]
    for name, values in (("missing", options.missing or ()), ("ignore", [*(options.ignore or ()), *ignore])):
        words += [part for value in values for part in (f"--{name}", value)]
    return shlex.join(words)
