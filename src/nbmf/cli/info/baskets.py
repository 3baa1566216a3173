"""Files whose lines, or the cells of one of their columns, are lists of items."""

from collections.abc import Sequence

from nbmf.cli.info.finding import Finding, command_with
from nbmf.cli.info.glance import Glance
from nbmf.data.value_codes import number_of
from nbmf.io.baskets import are_baskets, separator_of_items, split_items, what_lists_are_of
from nbmf.io.layouts import BASKET

SEVERAL = 0.25  # of the cells of a column of lists, that have more than one item


def find_lists(glance: Glance) -> Finding | None:
    """Find records that are lists, with names above or before them, or none."""
    options, records = glance.typed, glance.records
    if not records.are_baskets():
        return None
    opening = f"{records.unit}s of different lengths, whose fields come again: lists of items, no table"
    lists = records.first_lists()
    has_header = _is_header(lists)
    kind = None if options.index is not None else what_lists_are_of(lists[has_header:])
    advised = [options.but(layout=BASKET, header=True if has_header else options.header)]
    if kind is not None:
        advised = [advised[0].but(index=True)]
    if kind == "node" and not options.undirected:
        opening += "; each begins with a node, whose neighbours follow; --undirected if ties have no direction"
        advised.append(advised[0].but(undirected=True))
    elif kind is not None:
        opening += f"; the first {'cell' if records.unit == 'row' else 'field'} of each names it"
    return Finding([f"{options.file}: {opening}"], [command_with("info", each) for each in advised])


def _is_header(lists: Sequence[Sequence[str]]) -> bool:
    """Whether the first list has nothing that others have, as names of columns such as dx1, dx2, ....

    So may a list of something rare. Names are as many as the longest list has fields, or above numbers of lists.
    """
    first, *others = ([field.strip() for field in each] for each in lists)
    are_rare = {*first}.isdisjoint(set().union(*others) - {""})
    is_above_numbers = number_of(first[0]) is None and all(number_of(each[0]) is not None for each in others)
    return are_rare and (len(first) >= max(map(len, others)) or is_above_numbers)


def find_cells(glance: Glance) -> Finding | None:
    """Find a column whose cells are lists, as of all choices that apply."""
    columns = glance.columns
    column = next((name for name, cells in columns.items() if _are_lists(cells)), None)
    if column is None or glance.records is None:
        return None
    file = glance.options.file
    said = f"{file}: cells of {column!r} list several items each, as of a question of which all that apply are chosen"
    if not glance.has_header:
        return Finding([f"{said}; write a line of names above the columns first, so that --column can name it"])
    first, cells = next(iter(columns.items()))
    row = first if first != column and None not in cells and len(set(cells)) == len(cells) else None
    return Finding([said], [command_with("info", glance.options.but(layout=BASKET, row=row, column=column))])


def _are_lists(cells: list) -> bool:
    """Whether most cells are lists of different lengths, of items that come again."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    separator = separator_of_items(texts)
    lists = [split_items(text, separator) for text in texts]
    return sum(len(items) > 1 for items in lists) > SEVERAL * len(cells) and are_baskets([[], *lists])
