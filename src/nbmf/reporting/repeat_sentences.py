"""What `nbmf fit` and `nbmf info` say of columns that follow from others, and of rows that repeat others."""

from collections.abc import Iterator

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.repeats import repeats_of
from nbmf.reporting.words import join_with_and

NAMED = 8  # columns of a question


def repeat_sentences(matrix: NamedMatrix) -> Iterator[str]:
    """Yield what is predicted by design, and says nothing of how rows and columns hang together otherwise."""
    if not isinstance(matrix, BinaryMatrix):
        return
    repeats, rows = repeats_of(matrix.codes), matrix.row_names
    if repeats.questions:
        columns = _named(matrix.column_names, repeats.questions[0])
        yield (
            f"every row has exactly one one in {columns}{_more(repeats.questions)}: as "
            "answers to one question, or opposites, these columns predict each other by design, and the structure may "
            "be no more than that"
        )
    if repeats.copies:
        yield (
            f"{len(repeats.copies)} of {len(rows)} rows have the values of an earlier one, such as "
            f"{_named(rows, repeats.copies[0])}, while few differ from another row in a single value: if rows were "
            "entered twice, held-out entries are known from the copy"
        )


def twin_sentences(matrix: NamedMatrix) -> Iterator[str]:
    """Yield which columns are the same in all rows: a column that is there twice, or structure."""
    twins = repeats_of(matrix.codes).twins if isinstance(matrix, BinaryMatrix) else []
    if twins:
        yield f"the same in all rows: columns {_named(matrix.column_names, twins[0])}{_more(twins)}"


def _named(names: np.ndarray, places: np.ndarray | tuple[int, int]) -> str:
    """Return names, the first ones of many."""
    shown = [f"'{names[n]}'" for n in places[:NAMED]]
    return join_with_and(shown if len(places) <= NAMED else [*shown, f"{len(places) - NAMED} more"])


def _more(sets: list) -> str:
    """Return how many sets of columns there are besides the first."""
    count = len(sets) - 1
    return f" (and in {count} more such set{'s' * (count > 1)})" if count else ""
