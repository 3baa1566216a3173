"""A list of ratings with halves, such as MovieLens has: numbers of users and of items, stars and times."""

from collections.abc import Iterable, Mapping
from typing import Any

from nbmf.cli.info_cells import are_counts, are_times
from nbmf.data.value_codes import number_of, text_of
from nbmf.io.answers import LONGEST

COLUMNS = 4  # row, column, value and time
MOST_VALUES = 2 * LONGEST  # different ones: halves of a scale


def is_rating_list(columns: Mapping[str, list]) -> bool:
    """Whether lines have two whole numbers that come again, though no pair does, a rating and a time.

    Ratings that are whole numbers are read without this: the file is one of whole numbers.
    """
    if len(columns) != COLUMNS:
        return False
    rows, items, values, times = columns.values()
    come_again = all(are_counts(cells) and 2 * len(set(cells)) <= len(cells) for cells in (rows, items))
    are_ratings = middle_of_ratings(values) is not None
    return come_again and are_ratings and are_times(times) and len(set(zip(rows, items, strict=True))) == len(rows)


def reading_options(columns: Mapping[str, list]) -> list[tuple[str, dict[str, Any]]]:
    """Return what may be read from a list of ratings, in words, and the arguments of `nbmf.read` that do."""
    scale = {text_of(value): number_of(value) for value in [*columns.values()][2]}
    texts = sorted(scale, key=scale.__getitem__)
    middle = middle_of_ratings(scale)
    roles = dict(zip(("row", "column"), columns, strict=False))
    rated = roles | {"layout": "long", "value": [*columns][2]}
    return [
        ("what was rated", {"layout": "presence", **roles}),
        (f"ratings above {middle}", rated | {"above": middle}),
        ("ratings in their order", rated | {"categories": texts}),
    ]


def middle_of_ratings(values: Iterable) -> int | None:
    """Return the middle of a scale from 1 on, above which ratings may be ones; None if values are no ratings."""
    numbers = {number_of(value) for value in values}
    if None in numbers or not (2 < len(numbers) <= MOST_VALUES and min(numbers) > 0 and max(numbers) <= LONGEST):
        return None
    return int((max(numbers) + 1) // 2)
