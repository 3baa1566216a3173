"""What `nbmf info` says about a file with two lines of names of columns."""

import itertools
from pathlib import Path

from nbmf.cli.options import Options
from nbmf.cli.reading import file_with_options
from nbmf.data.value_codes import Coding, number_of
from nbmf.errors import NbmfError
from nbmf.io.columns import open_table
from nbmf.io.records import Record, Records
from nbmf.reporting.text import wrap

ROWS = 200  # below the names that are looked at
FEWEST = 4  # of them, and of columns
MOSTLY = 0.5  # of columns, whose values come again below


def report(options: Options) -> list[str] | None:
    """Return the lines about a second line of names; None if there is none."""
    try:
        records = open_table(Path(options.file).expanduser(), name=options.name, encoding=options.encoding)
        top = list(itertools.islice(records, ROWS)) if isinstance(records, Records) else []
    except (NbmfError, OSError):
        return None
    if options.header is not None or len(top) < FEWEST + 2 or not _has_two_headers(*top[:2], top[2:]):
        return None
    kept, other = top[:2] if _has_distinct_names(top[0]) else top[1::-1]
    unit = records.unit
    names = ", ".join(repr(name.strip()) for name in kept.fields[1:4])
    return [
        wrap(
            f"{options.file}: {unit} {top[1].line} has names, as {unit} {top[0].line} has: these are two headers. "
            f"Delete {unit} {other.line} from the file, so that columns are called {names}, ... by {unit} {kept.line}"
        ),
        "",
        f"next, without {unit} {other.line}:",
        f"  nbmf info {file_with_options(options)}",
    ]


def _has_two_headers(first: Record, second: Record, below: list[Record]) -> bool:
    """Whether two records have names and those below values, which come again."""
    columns = list(zip(*(record.fields[1:] for record in below), strict=False))
    names = [field.strip() for field in second.fields[1:]]
    if len(columns) < FEWEST or len(names) != len(columns) or "" in names or not any(map(str.strip, first.fields[1:])):
        return False
    are_texts = all(_is_name(field) for field in (*names, *first.fields[1:]) if field.strip())
    are_new = all(name not in map(str.strip, column) for name, column in zip(names, columns, strict=True))
    again = sum(2 * len({*column}) <= len(column) for column in columns)
    return are_texts and are_new and again >= MOSTLY * len(columns)


def _is_name(text: str) -> bool:
    """Whether a text is neither a number nor a value by default."""
    return number_of(text) is None and Coding().encode_text(text) == Coding.unknown


def _has_distinct_names(record: Record) -> bool:
    """Whether there is a name for each column, and none twice."""
    names = [field.strip() for field in record.fields[1:]]
    return "" not in names and len(set(names)) == len(names)
