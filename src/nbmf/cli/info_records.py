"""Two columns of a table of records, such as places and species, that may be the rows and columns of a matrix."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from nbmf.cli.info_cells import are_times
from nbmf.data.value_codes import number_of
from nbmf.errors import first_of

# Names of columns that stand for somebody or something, also in numbers: patient_id, OrderId, "Invoice No", user.
IDENTIFIER = re.compile(r"(^|[\W_])(id|ids|nr|no|number|key|code)$", re.IGNORECASE)
IDENTIFIER_IN_CAPITALS = re.compile(r"[a-z](ID|Id|No|Nr|Number|Key|Code)$")
IDENTIFIED = {
    *("user", "patient", "subject", "person", "customer", "member", "respondent", "student", "participant"),
    *("household", "order", "basket", "transaction", "invoice", "session", "sample", "site", "plot"),
}
FEWEST = 10  # different names, so many at most are taken for categories
SHOWN = 5
FILLED = 0.5  # of all pairs of names, that have a line in a list of values


def columns_of_names(columns: Mapping[str, Sequence]) -> dict[str, int]:
    """Return the columns of names that come again, those with the most first, and how many different ones each has."""
    different = {name: len(set(cells)) for name, cells in columns.items() if _are_names(name, cells)}
    return dict(sorted(different.items(), key=lambda each: -each[1]))


def row_and_column(columns: Mapping[str, Sequence], names: Sequence[str]) -> tuple[str, str] | None:
    """Return two of some columns, in the order of the file: the first two of `names` that are no group of the other.

    A genus is one of its species. None if there are no two.
    """
    pairs = combinations(names, 2)
    pair = next((pair for pair in pairs if not _is_determined(*(columns[name] for name in pair))), None)
    return None if pair is None else tuple(sorted(pair, key=list(columns).index))


def describe_names(different: Mapping[str, int]) -> str:
    """Return the columns in words, some of them if there are many."""
    return first_of([f"{name!r} ({number} different)" for name, number in different.items()], SHOWN)


def is_about_names(columns: Mapping[str, Sequence], names: Sequence[str], column: str) -> bool:
    """Whether a column is the same wherever a name of either kind is, as a member's party is."""
    return any(_is_determined(columns[column], columns[name]) for name in names)


def is_mostly_filled(columns: Mapping[str, Sequence], names: tuple[str, str]) -> bool:
    """Whether no pair of names comes again, and most of all pairs are there."""
    rows, others = (columns[name] for name in names)
    pairs = len(set(zip(rows, others, strict=True)))
    return pairs == len(rows) and pairs >= FILLED * len(set(rows)) * len(set(others))


def are_texts(cells: Sequence) -> bool:
    """Whether all cells are texts."""
    return all(cell is not None and number_of(cell) is None for cell in set(cells))


def are_identifiers(name: str, cells: Sequence) -> bool:
    """Whether all cells are whole numbers or texts that stand for somebody or something, by the column's name."""
    is_named_so = IDENTIFIER.search(name) or IDENTIFIER_IN_CAPITALS.search(name) or name.casefold() in IDENTIFIED
    if not is_named_so or None in cells:
        return False
    return all((number := number_of(cell)) is None or number.is_integer() for cell in set(cells))


def _are_names(name: str, cells: Sequence) -> bool:
    """Whether all cells are names, of which there are many, and most come again; times are none."""
    if not FEWEST < len(set(cells)) <= len(cells) / 2:
        return False
    return are_identifiers(name, cells) or (are_texts(cells) and not are_times(list(set(cells))))


def _is_determined(cells: Sequence, others: Sequence) -> bool:
    """Whether a cell of one of two columns says what that of the other is."""
    pairs = len(set(zip(cells, others, strict=True)))
    return pairs in (len(set(cells)), len(set(others)))
