"""Lists of items, as of purchases or of all choices that apply: a line, or a cell of it, lists the ones of a row."""

import itertools
import re
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.shared_names import SHARED
from nbmf.errors import DataError, Message, Setting
from nbmf.io.cells import count_phrase, find_column, refuse_repeated
from nbmf.io.coded_matrix import CodedMatrix, refuse_too_many_rows, scatter
from nbmf.io.layouts import BASKET

if TYPE_CHECKING:
    from nbmf.io.arguments import Options
    from nbmf.io.records import Record, Records

SEPARATORS = (";", ",")  # of items in one cell, as forms write them; those in parentheses separate nothing
IN_PARENTHESES = r"(?![^()]*\))"
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


def what_lists_are_of(lines: Iterable[Sequence[str]]) -> str | None:
    """Return what the first field of each list is if it names it: a "node" before its neighbours, a "name", or None.

    All differ; they are items of other lists, as nodes are, or none is, as numbers of purchases.
    """
    baskets = [items for fields in lines if (items := _items(fields))]
    first, items = [basket[0] for basket in baskets], {item for basket in baskets for item in basket[1:]}
    both = len(items.intersection(first))
    if len(set(first)) < len(first):
        return None
    return "node" if both >= SHARED * min(len(first), len(items)) else None if both else "name"


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
        If nothing is named, a row has no name, or two have the same; with `undirected` also if rows have none.
    """
    lists, is_named, words = _lists(records, options)
    place_of: dict[str, int] = {}
    rows, columns, lines, row_names, repeated = array("q"), array("q"), [], [], 0
    for line, fields in lists:
        items = _items(fields)
        if is_named:
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
    at, names = (np.asarray(rows), np.asarray(columns)), (row_names or None, [*place_of])
    if options["undirected"]:
        names_by = Setting("index", True) if options["column"] is None else Setting("row", ...)
        at, names = _both_ways(records, at, names, names_by)
    shape = (len(names[0]) if options["undirected"] else len(lines)), len(names[1])
    refuse_too_many_rows(records.path, *shape)
    codes, _ = scatter(*at, np.ones(len(at[0]), np.int8), shape, 0)
    format = f"{records.format}; layout {BASKET}: {words}"
    left_out = (f"{count_phrase(repeated, 'item')} listed again in the same row",) if repeated else ()
    absent = "what a row does not list is zero"
    return CodedMatrix(codes, format, *names, None, absent, True, left_out)


def _both_ways(
    records: "Records",
    at: tuple[np.ndarray, np.ndarray],
    names: tuple[Sequence[str] | None, Sequence[str]],
    names_by: Setting,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[list[str], list[str]]]:
    """Return ties of nodes with their neighbours in both directions, and the names of all nodes, twice.

    Lists of neighbours have each tie without a direction once: nodes that no other list has are no columns.

    Raises
    ------
    DataError
        If the nodes have no names.
    """
    rows, columns = names
    if rows is None:
        raise DataError(f"{records.path}: ", Setting("undirected", True), ": nodes need names, ", names_by)
    nodes = [*dict.fromkeys([*rows, *columns])]
    place_of = {name: place for place, name in enumerate(nodes)}
    one, other = (
        np.array([place_of[name] for name in side], int)[places] for side, places in zip(names, at, strict=True)
    )
    ties = np.unique(np.stack([np.concatenate([one, other]), np.concatenate([other, one])]), axis=1)
    return (ties[0], ties[1]), (nodes, nodes)


def split_items(cell: str, separator: str) -> list[str]:
    """Return the items that a cell lists, without empty ones."""
    return [item for part in re.split(separator + IN_PARENTHESES, cell) if (item := part.strip())]


def separator_of_items(cells: Iterable[str]) -> str:
    """Return what separates the items of most cells with several."""
    number = {each: sum(len(split_items(cell, each)) > 1 for cell in cells) for each in SEPARATORS}
    return max(number, key=number.__getitem__)  # of equal ones the first


def _lists(records: "Records", options: "Options") -> tuple[Iterable["Record"], bool, str]:
    """Return the records that are lists, whether names of rows are their first fields, and words for this.

    Records of one item, that look like titles, are lists as well, but comments are none.
    """
    if options["column"] is not None:
        return _lists_in_cells(records, options["row"], options["column"])
    named = "names of rows in the first field" if options["index"] else "no names of rows"
    records_of_lists = itertools.islice(records.all_records(), records.n_comments + bool(options["header"]), None)
    return records_of_lists, bool(options["index"]), f"each {records.unit} lists the ones of a row; {named}"


def _lists_in_cells(records: "Records", row: str | None, column: str) -> tuple[Iterable["Record"], bool, str]:
    """Return the lists in the cells of one column, with names of rows in another; see `_lists`."""
    names, where = [name.strip() for name in records.first.fields], f"{records.path}, {records.unit}"
    places = [find_column(name, names, f"{where} {records.first.line}") for name in (row, column) if name is not None]
    table = list(itertools.islice(records, 1, None))
    for record in table:
        if len(record.fields) != len(names):
            raise records.ragged(record.line, len(record.fields), len(names))
    separator = separator_of_items([record.fields[places[-1]] for record in table])
    lists = [
        record._replace(
            fields=[
                *(record.fields[place] for place in places[:-1]),
                *split_items(record.fields[places[-1]], separator),
            ]
        )
        for record in table
    ]
    named = "no names of rows" if row is None else f"names of rows in {row!r}"
    return (
        lists,
        row is not None,
        f"each cell of {column!r} lists the ones of a row, separated by {separator!r}; {named}",
    )


def _items(fields: Sequence[str]) -> list[str]:
    """Return the fields of a list without blanks around them, and without empty ones at its end."""
    items = [field.strip() for field in fields]
    while items and not items[-1]:
        items.pop()
    return items
