"""What `nbmf info` says about files of programs and archives that are known by their columns or first lines."""

import itertools
from pathlib import Path
from typing import Any, NamedTuple

from nbmf.cli.info_axes import next_lines
from nbmf.cli.info_commands import command_line, format_options
from nbmf.cli.options import Options, file_word
from nbmf.data.value_codes import number_of
from nbmf.errors import NbmfError
from nbmf.io.columns import open_table
from nbmf.io.records import Record, Records
from nbmf.reporting.text import wrap

LENGTHS = 1, 1, 1, 3  # numbers in the first lines of a bag of words of the UCI archive


class Known(NamedTuple):
    """A kind of file that has columns of these names.

    columns : set of str
    words : str, what it is
    options : dict, by which nbmf reads it
    """

    columns: frozenset[str]
    words: str
    options: dict[str, Any]


PLACES = ("Chr", "Start", "End", "Strand", "Length")
KNOWN = (
    Known(
        frozenset(("Hugo_Symbol", "Tumor_Sample_Barcode")),
        "a list of mutations (MAF), with a line per mutation: a one is a gene that is mutated in a sample",
        {"layout": "presence", "row": "Tumor_Sample_Barcode", "column": "Hugo_Symbol"},
    ),
    Known(
        frozenset(("Geneid", *PLACES)),
        "counts of reads by featureCounts, with the places of genes next to them",
        {"counts": True, "ignore": [*PLACES]},
    ),
)


def report(options: Options) -> list[str] | None:
    """Return the lines about a file of a known kind; None if it is none."""
    if options.header is False or options.ignore:
        return None
    try:
        records = open_table(Path(options.file).expanduser(), name=options.name, encoding=options.encoding)
        if not isinstance(records, Records):
            return None
        names = {field.strip() for field in records.first.fields} if records.first else set()
        top = [*itertools.islice(records.all_records(), len(LENGTHS))]
    except (NbmfError, OSError):
        return None
    if _is_bag_of_words(top):
        return _describe_bag_of_words(options.file)
    for kind in KNOWN:
        if kind.columns <= names:
            command = command_line("info", options.file, **kind.options, **format_options(options))
            return [wrap(f"{options.file}: {kind.words}"), *next_lines(command)]
    return None


def _is_bag_of_words(top: list[Record]) -> bool:
    lines = [" ".join(record.fields).split() for record in top]
    numbers = [number_of(field) for fields in lines for field in fields]
    are_whole = all(number is not None and number > 0 and number.is_integer() for number in numbers)
    return are_whole and tuple(map(len, lines)) == LENGTHS


def _describe_bag_of_words(file: str) -> list[str]:
    """Return what to do with three lines above a list."""
    name = file_word(file)
    lines_from_4 = f"gzip -dc {name} | tail -n +4" if file.casefold().endswith(".gz") else f"tail -n +4 {name}"
    said = "a bag of words, whose first three lines are the numbers of documents, of words and of entries"
    return [
        wrap(f"{file}: {said}: the list is below them"),
        *next_lines(f"{lines_from_4} > list.txt", "nbmf topics list.txt --layout long"),
    ]
