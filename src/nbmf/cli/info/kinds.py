"""What the cells of a column of a table are, and which two columns may be the rows and the columns of a matrix."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from nbmf.data.shared_names import shared_names
from nbmf.data.value_codes import number_of
from nbmf.io.answers import LATE, LONGEST
from nbmf.io.column_kinds import DATE

MOST_ANSWERS = 10  # different ones in the third column of a list
MOST_RATINGS = 2 * LONGEST  # different ones: halves of a scale
# Names of columns that stand for somebody or something, also in numbers: patient_id, OrderId, "Invoice No", user.
IDENTIFIER = re.compile(r"(^|[\W_])(id|ids|nr|no|number|key|code)$", re.IGNORECASE)
IDENTIFIER_IN_CAPITALS = re.compile(r"[a-z](ID|Id|No|Nr|Number|Key|Code)$")
IDENTIFIED = {
    *("user", "patient", "subject", "person", "customer", "member", "respondent", "student", "participant"),
    *("household", "order", "basket", "transaction", "invoice", "session", "sample", "site", "plot"),
}
IDS = {f"{name}id" for name in (*IDENTIFIED, "rc", "rollcall", "item", "product", "movie")}  # rcid: UN roll calls
FEWEST = 10  # different names, so many at most are taken for categories
MOST_GROUPS, MEMBERS = 20, 3  # texts of a column that may be groups of rows, and rows for each
FILLED = 0.5  # of all pairs of names, that have a line in a list of values


def are_numbers_of_lines(cells: list) -> bool:
    """Whether cells are whole numbers, each of which is there once."""
    return are_counts(cells) and len({number_of(cell) for cell in cells}) == len(cells)


def are_counts(cells: list) -> bool:
    """Whether cells are whole numbers from 0 on, or missing."""
    numbers = [number_of(cell) for cell in cells if cell is not None]
    return bool(numbers) and all(n is not None and n >= 0 and n.is_integer() for n in numbers)


def are_amounts(cells: list) -> bool:
    """Whether cells are numbers from 0 on, some of them with decimals, or missing."""
    numbers = [number_of(cell) for cell in cells if cell is not None]
    return None not in numbers and any(n % 1 for n in numbers) and min(numbers) >= 0


def are_answers(cells: list) -> bool:
    """Whether cells are few words, or missing."""
    return 1 < len({cell for cell in cells if cell is not None}) <= MOST_ANSWERS


def are_times(cells: list) -> bool:
    """Whether cells are dates, or large numbers of which most differ, as the seconds of a clock do."""
    if None in cells:
        return False
    numbers = [number_of(cell) for cell in cells]
    if None in numbers:
        return all(DATE.fullmatch(str(cell)) for cell in cells)
    return 2 * len(set(numbers)) >= len(numbers) and sorted(numbers)[len(numbers) // 2] >= LATE


def are_texts(cells: Sequence) -> bool:
    """Whether all cells are texts."""
    return all(cell is not None and number_of(cell) is None for cell in set(cells))


def are_groups(texts: Sequence) -> bool:
    """Whether the texts of rows are few, with several rows for each."""
    is_text = any(number_of(text) is None for text in texts)
    return is_text and 2 <= len(set(texts)) <= min(MOST_GROUPS, len(texts) / MEMBERS)


def groups_of_names(columns: Mapping[str, Sequence], names: str, others: Sequence[str]) -> list[str]:
    """Return those of some columns that say of each name in another to which of a few groups it belongs."""
    told = {column: set(zip(columns[names], columns[column], strict=True)) for column in others}
    named = len(set(columns[names]))
    of_names = {column: [text for _, text in pairs if text] for column, pairs in told.items() if len(pairs) == named}
    return [column for column, texts in of_names.items() if are_groups(texts)]


def are_identifiers(name: str, cells: Sequence) -> bool:
    """Whether all cells are whole numbers or texts that stand for somebody or something, by the column's name."""
    is_named_so = IDENTIFIER.search(name) or IDENTIFIER_IN_CAPITALS.search(name) or name.casefold() in IDENTIFIED | IDS
    if not is_named_so or None in cells:
        return False
    return all((number := number_of(cell)) is None or number.is_integer() for cell in set(cells))


def middle_of_ratings(values: Iterable) -> int | None:
    """Return the middle of a scale from 1 on, above which ratings may be ones; None if values are no ratings."""
    numbers = {number_of(value) for value in values}
    if None in numbers or not (2 < len(numbers) <= MOST_RATINGS and min(numbers) > 0 and max(numbers) <= LONGEST):
        return None
    return int((max(numbers) + 1) // 2)


def columns_of_names(columns: Mapping[str, Sequence]) -> dict[str, int]:
    """Return the columns of names that come again, those with the most first, and how many different ones each has."""
    different = {name: len(set(cells)) for name, cells in columns.items() if _are_names(name, cells)}
    return dict(sorted(different.items(), key=lambda each: -each[1]))


def columns_of_nodes(columns: Mapping[str, Sequence]) -> tuple[str, str] | None:
    """Return the first two columns of names that have the same ones; None if there are no two."""
    of_names = columns_of_names(columns)
    names = {name: set(cells) for name, cells in columns.items() if name in of_names}
    pairs = (pair for pair in combinations(names, 2) if not names[pair[0]].isdisjoint(names[pair[1]]))
    return next((pair for pair in pairs if shared_names(*map(names.__getitem__, pair))), None)


def row_and_column(columns: Mapping[str, Sequence], names: Iterable[str]) -> tuple[str, str] | None:
    """Return two of some columns, in the order of the file: the first two of `names` that are no group of the other.

    A genus is one of its species. None if there are no two.
    """
    pairs = combinations(names, 2)
    pair = next((pair for pair in pairs if not _is_determined(*(columns[name] for name in pair))), None)
    return None if pair is None else tuple(sorted(pair, key=list(columns).index))


def columns_of_identifiers(columns: Mapping[str, Sequence]) -> list[str]:
    """Return the columns of names that come again which are called as identifiers are: their numbers have no size."""
    return [name for name in columns_of_names(columns) if are_identifiers(name, columns[name])]


def is_about_names(columns: Mapping[str, Sequence], names: Sequence[str], column: str) -> bool:
    """Whether a column is the same wherever a name of either kind is, as a member's party is."""
    return any(_is_determined(columns[column], columns[name]) for name in names)


def is_mostly_filled(rows: Sequence, columns: Sequence) -> bool:
    """Whether no pair of names comes again, and most of all pairs are there."""
    pairs = len(set(zip(rows, columns, strict=True)))
    return pairs == len(rows) and pairs >= FILLED * len(set(rows)) * len(set(columns))


def _are_names(name: str, cells: Sequence) -> bool:
    """Whether all cells are names, of which there are many, and most come again; times are none."""
    if not FEWEST < len(set(cells)) <= len(cells) / 2:
        return False
    return are_identifiers(name, cells) or (are_texts(cells) and not are_times(list(set(cells))))


def _is_determined(cells: Sequence, others: Sequence) -> bool:
    """Whether a cell of one of two columns says what that of the other is."""
    pairs = len(set(zip(cells, others, strict=True)))
    return pairs in (len(set(cells)), len(set(others)))
