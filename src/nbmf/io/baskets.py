"""Lists of items, one list a line, as of purchases: each line is a row, whose ones it lists."""

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
OFTEN = 2  # times that an item is listed, on average
HINT = Message("; if each line lists the items of a row, such as what was bought together: ", Setting("layout", BASKET))


def are_baskets(lines: Iterable[Sequence[str]]) -> bool:
    """Whether lines of fields are lists of different lengths, of items that come again in others.

    The first line is not looked at: it may name columns. Empty fields at the end of a line are none of it.
    """
    baskets = [_items(fields) for fields in itertools.islice(lines, 1, None)]
    named = [item for basket in baskets for item in basket]
    if len(baskets) < FEWEST or len({len(basket) for basket in baskets}) < 3 or "" in named:
        return False
    return sum(len(set(basket)) for basket in baskets) == len(named) >= OFTEN * len(set(named))


def code_baskets(records: "Records", options: "Options") -> CodedMatrix:
    """Return lists as codes: a row a line, a column an item, in the order in which they are named.

    Parameters
    ----------
    records : Records
    options : dict
        Those of `nbmf.read`: with `header` the first line names no items, with `index` the first field is the name
        of the row.

    Raises
    ------
    DataError
        If nothing is named, a row has no name, or two have the same.
    """
    place_of: dict[str, int] = {}
    rows, columns, lines, row_names, repeated = array("q"), array("q"), [], [], 0
    for line, fields in _lists(records, options):
        items = _items(fields)
        if options["index"]:
            row_names.append(fields[0].strip())
            items = items[1:]
        different = dict.fromkeys(filter(None, items))
        repeated += sum(map(bool, items)) - len(different)
        rows.extend([len(lines)] * len(different))
        columns.extend(place_of.setdefault(item, len(place_of)) for item in different)
        lines.append(line)
    if not place_of:
        raise DataError(f"{records.path}: no line lists an item")
    refuse_repeated(records.path, row_names, "row", lambda f: f"{records.unit} {lines[f]}")
    shape = len(lines), len(place_of)
    refuse_too_many_rows(records.path, *shape)
    codes, _ = scatter(np.asarray(rows), np.asarray(columns), np.ones(len(rows), np.int8), shape, 0)
    named = "names of rows in the first field" if options["index"] else "no names of rows"
    format = f"{records.format}; layout {BASKET}: each {records.unit} lists the ones of a row; {named}"
    left_out = (f"{count_phrase(repeated, 'item')} listed again in the same row",) if repeated else ()
    absent = "what a row does not list is zero"
    return CodedMatrix(codes, format, row_names or None, [*place_of], None, absent, True, left_out)


def _lists(records: "Records", options: "Options") -> Iterable["Record"]:
    """Return the records that are lists: also those of one item, that look like titles, but no comments."""
    return itertools.islice(records.all_records(), records.n_comments + bool(options["header"]), None)


def _items(fields: Sequence[str]) -> list[str]:
    """Return the fields of a list without blanks around them, and without empty ones at its end."""
    items = [field.strip() for field in fields]
    while items and not items[-1]:
        items.pop()
    return items
