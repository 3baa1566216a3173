"""What `nbmf info` says about a file whose lines, or the cells of one of its columns, are lists of items."""

from collections.abc import Sequence
from pathlib import Path

from nbmf.cli.info_axes import next_lines
from nbmf.cli.options import Options
from nbmf.cli.reading import file_with_options, open_columns
from nbmf.data.value_codes import number_of
from nbmf.errors import NbmfError
from nbmf.io.baskets import are_baskets, separator_of_items, split_items, what_lists_are_of
from nbmf.io.columns import open_table
from nbmf.io.layouts import BASKET
from nbmf.io.records import Records
from nbmf.reporting.text import wrap

SEVERAL = 0.25  # of the cells of a column of lists, that have more than one item


def report(options: Options) -> list[str] | None:
    """Return the lines about records that are lists; None if they are none."""
    records = _open_records(options)
    return _describe_lists(options, records) if records is not None and records.are_baskets() else None


def _open_records(options: Options) -> Records | None:
    try:
        records = open_table(Path(options.file).expanduser(), name=options.name, encoding=options.encoding)
    except (NbmfError, OSError):
        return None
    return records if isinstance(records, Records) else None


def _describe_lists(options: Options, records: Records) -> list[str]:
    """Return the lines about records that are lists, with names above or before them, or none."""
    opening = f"{records.unit}s of different lengths, whose fields come again: lists of items, no table"
    lists = records.first_lists()
    has_header = _is_header(lists)
    kind = what_lists_are_of(lists[has_header:])
    chosen = options.but(layout=BASKET, header=True if has_header else options.header)
    if options.index is not None or kind is None:
        return _lines(options, opening, chosen)
    advised = [chosen.but(index=True)]
    if kind == "node" and not options.undirected:
        opening += "; each begins with a node, whose neighbours follow; --undirected if ties have no direction"
        advised.append(chosen.but(index=True, undirected=True))
    else:
        opening += f"; the first {'cell' if records.unit == 'row' else 'field'} of each names it"
    return _lines(options, opening, *advised)


def _is_header(lists: Sequence[Sequence[str]]) -> bool:
    """Whether the first list has nothing that others have, as names of columns such as dx1, dx2, ....

    So may a list of something rare. Names are as many as the longest list has fields, or above numbers of lists.
    """
    first, *others = ([field.strip() for field in each] for each in lists)
    are_rare = {*first}.isdisjoint(set().union(*others) - {""})
    is_above_numbers = number_of(first[0]) is None and all(number_of(each[0]) is not None for each in others)
    return are_rare and (len(first) >= max(map(len, others)) or is_above_numbers)


def report_cells(options: Options) -> list[str] | None:
    """Return the lines about a column whose cells are lists, as of all choices that apply; None if there is none."""
    table = None if _open_records(options) is None else open_columns(options, options.missing)
    if table is None:
        return None
    column = next((name for name, cells in table.values.items() if _are_lists(cells)), None)
    if column is None:
        return None
    first, cells = next(iter(table.values.items()))
    row = first if first != column and None not in cells and len(set(cells)) == len(cells) else None
    opening = f"cells of {column!r} list several items each, as of a question of which all that apply are chosen"
    return _lines(options, opening, options.but(layout=BASKET, row=row, column=column))


def _are_lists(cells: list) -> bool:
    """Whether most cells are lists of different lengths, of items that come again."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    separator = separator_of_items(texts)
    lists = [split_items(text, separator) for text in texts]
    return sum(len(items) > 1 for items in lists) > SEVERAL * len(cells) and are_baskets([[], *lists])


def _lines(options: Options, opening: str, *advised: Options) -> list[str]:
    commands = (f"nbmf info {file_with_options(each)}" for each in advised)
    return [wrap(f"{options.file}: {opening}"), *next_lines(*commands)]
