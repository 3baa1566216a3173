"""Lists of things, one list a line, as of what was bought together: each line is a row, whose ones it names."""

import itertools
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.errors import DataError, Message, Setting
from nbmf.io.cells import count_phrase, refuse_repeated
from nbmf.io.coded_matrix import CodedMatrix, refuse_too_many_rows, scatter
from nbmf.io.layouts import BASKET

if TYPE_CHECKING:
    from nbmf.io.arguments import Options
    from nbmf.io.records import Record, Records

FEWEST = 5  # lists, from which on they are known as such
OFTEN = 2  # times that a thing is named, on average
HINT = Message(
    "; if each line lists the things of a row, such as what was bought together: ", Setting("layout", BASKET)
)


def are_baskets(lines: Iterable[Sequence[str]]) -> bool:
    """Whether lines of fields are lists of different lengths, of things that come again in others.

    The first line is not looked at: it may name columns. Empty fields at the end of a line are none of it.
    """
    baskets = [_things(fields) for fields in itertools.islice(lines, 1, None)]
    named = [thing for basket in baskets for thing in basket]
    if len(baskets) < FEWEST or len({len(basket) for basket in baskets}) < 3 or "" in named:
        return False
    return sum(len(set(basket)) for basket in baskets) == len(named) >= OFTEN * len(set(named))


def code_baskets(records: "Records", options: "Options") -> CodedMatrix:
    """Return lists as codes: a row a line, a column a thing, in the order in which they are named.

    Parameters
    ----------
    records : Records
    options : dict
        Those of `nbmf.read`: with `header` the first line names no things, with `index` the first field is the name
        of the row.

    Raises
    ------
    DataError
        If nothing is named, a row has no name, or two have the same.
    """
    place_of: dict[str, int] = {}
    rows, columns, lines, row_names, repeated = array("q"), array("q"), [], [], 0
    for line, fields in _lists(records, options):
        things = _things(fields)
        if options["index"]:
            row_names.append(fields[0].strip())
            things = things[1:]
        different = dict.fromkeys(filter(None, things))
        repeated += sum(map(bool, things)) - len(different)
        rows.extend([len(lines)] * len(different))
        columns.extend(place_of.setdefault(thing, len(place_of)) for thing in different)
        lines.append(line)
    if not place_of:
        raise DataError(f"{records.path}: no line names a thing")
    refuse_repeated(records.path, row_names, "row", lambda f: f"{records.unit} {lines[f]}")
    shape = len(lines), len(place_of)
    refuse_too_many_rows(records.path, *shape)
    codes, _ = scatter(np.asarray(rows), np.asarray(columns), np.ones(len(rows), np.int8), shape, 0)
    named = "names of rows in the first field" if options["index"] else "no names of rows"
    format = f"{records.format}; layout {BASKET}: each {records.unit} lists the ones of a row; {named}"
    left_out = (f"{count_phrase(repeated, 'thing')} named twice in a row",) if repeated else ()
    absent = "what a row does not list is zero"
    return CodedMatrix(codes, format, row_names or None, [*place_of], None, absent, True, left_out)


def _lists(records: "Records", options: "Options") -> Iterable["Record"]:
    """Return the records that are lists: also those of one thing, that look like titles, but no comments."""
    return itertools.islice(records.all_records(), records.n_comments + bool(options["header"]), None)


def _things(fields: Sequence[str]) -> list[str]:
    """Return the fields of a list without blanks around them, and without empty ones at its end."""
    things = [field.strip() for field in fields]
    while things and not things[-1]:
        things.pop()
    return things
