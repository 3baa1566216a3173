"""JSON: a list of records, or a record a line, as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nbmf.errors import DataError
from nbmf.io.cells import count_phrase
from nbmf.io.coded_matrix import refuse_huge
from nbmf.io.data_frames import FrameTable
from nbmf.io.text_lines import encoding_of, lines_of

NEEDED = 'needed is a list of records with names and values, [{"who": "Ann", "q1": 1}, ...], or such a record a line'


def read_json(path: Path, encoding: str | None = None) -> FrameTable:
    """Read records; a name that a record does not have is missing there, and that is said."""
    import pandas as pd

    lines = list(lines_of(path, encoding))
    try:
        records, words = _parse("".join(lines)), "JSON, a list of records"
    except _TwiceNamed as twice:
        raise DataError(f"{path}: ", twice) from None
    except RecursionError:
        raise DataError(f"{path}: JSON of lists in lists; {NEEDED}") from None
    except ValueError as whole:
        records, words = _parse_lines(path, lines, whole), "JSON, a record a line"
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise DataError(f"{path}: JSON of {_describe_json(records)}; {NEEDED}")
    if not records:
        raise DataError(f"{path}: no records; {NEEDED}")
    names = list(dict.fromkeys(name for record in records for name in record))
    refuse_huge(path, len(records), len(names))
    frame = pd.DataFrame({name: [record.get(name) for record in records] for name in names}, dtype=object)
    lacking = {name: sum(name not in record for record in records) for name in names}
    lacking = {name: number for name, number in lacking.items() if number}
    written = encoding_of(path, encoding).words
    table = FrameTable(path, f"{words}{f', in {written}' if written else ''}", frame)
    if lacking:
        first, number = next(iter(lacking.items()))
        table.notes = (
            f"{count_phrase(len(lacking), 'name')} not in all records, and missing there: {first!r} lacks in {number}",
        )
    return table


def _parse_lines(path: Path, lines: list[str], whole: ValueError) -> list[Any]:
    records = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                records.append(_parse(line))
            except _TwiceNamed as twice:
                raise DataError(f"{path}, line {number}: ", twice) from None
            except ValueError as error:
                # Of a file whose first line is no record by itself the error of the whole is more informative.
                where = f"{path}, line {number}: " if records else f"{path}: "
                raise DataError(f"{where}not complete JSON ({error if records else whole})") from error
    return records


def _parse(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_record)


class _TwiceNamed(DataError):
    """Says that a record has two values of one name."""


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TwiceNamed(f"the name {twice!r} is there twice in a record")
    return record


def _describe_json(value: Any) -> str:
    """Return the words for JSON that is no list of records."""
    if isinstance(value, dict):
        return f"one record with {', '.join(map(repr, list(value)[:5]))}"
    if isinstance(value, list):
        odd = next(item for item in value if not isinstance(item, dict))
        return f"a list with {'a list' if isinstance(odd, list) else repr(odd)} in it"
    return f"a single value, {str(value)[:40]!r}"
