"""Two columns of a table of records, such as places and species, that may be the rows and columns of a matrix."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from nbmf.data.value_codes import number_of
from nbmf.errors import first_of

FEWEST = 10  # different names, so many at most are taken for categories
SHOWN = 5


def columns_of_names(columns: Mapping[str, Sequence]) -> dict[str, int]:
    """Return the columns of texts that come again, those with the most first, and how many different ones each has."""
    different = {name: len(set(cells)) for name, cells in columns.items() if _are_names(cells)}
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


def _are_names(cells: Sequence) -> bool:
    """Whether all cells are texts, of which there are many, and most come again."""
    number = len(set(cells))
    if not FEWEST < number <= len(cells) / 2:
        return False
    return all(cell is not None and number_of(cell) is None for cell in set(cells))


def _is_determined(cells: Sequence, others: Sequence) -> bool:
    """Whether a cell of one of two columns says what that of the other is."""
    pairs = len(set(zip(cells, others, strict=True)))
    return pairs in (len(set(cells)), len(set(others)))
