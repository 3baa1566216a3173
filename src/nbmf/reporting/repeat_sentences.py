"""What `nbmf fit` and `nbmf info` say of columns that follow from others, and of rows that repeat others."""

from collections.abc import Iterator

import numpy as np

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.repeats import repeats_of
from nbmf.reporting.words import join_with_and

NAMED = 8  # columns of a question


def repeat_sentences(matrix: NamedMatrix) -> Iterator[str]:
    """Yield what is predicted by design, and says nothing of how rows and columns hang together otherwise."""
    if not isinstance(matrix, BinaryMatrix):
        return
    repeats, rows = repeats_of(matrix.codes), matrix.row_names
    if repeats.twins and not matrix.is_symmetric():
        yield (
            f"the same in all rows: columns {_named(matrix.column_names, repeats.twins[0])}{_more(repeats.twins)}; if "
            "one repeats the other they predict each other by design, and may be all the structure that is found"
        )
    if repeats.questions and not matrix.is_symmetric():
        question = repeats.questions[0]
        has_gaps = (matrix.codes[:, question] == MISSING).any()
        yield (
            f"every row{' that has all of them' if has_gaps else ''} has a one in exactly one of the columns "
            f"{_named(matrix.column_names, question)}{_more(repeats.questions)}: answers to one question, or "
            "opposites, which predict each other by design, so that the test of structure holds them out together"
        )
    if repeats.copies:
        yield (
            f"{len(repeats.copies)} of {len(rows)} rows repeat an earlier one, such as "
            f"{_named(rows, repeats.copies[0])}, while few rows differ in a single value: if rows were entered twice, "
            "held-out entries are known from the copy"
        )


def _named(names: np.ndarray, places: np.ndarray | tuple[int, int]) -> str:
    """Return names, the first ones of many."""
    shown = [f"'{names[n]}'" for n in places[:NAMED]]
    return join_with_and(shown if len(places) <= NAMED else [*shown, f"{len(places) - NAMED} more"])


def _more(sets: list) -> str:
    """Return how many sets of columns there are besides the first."""
    count = len(sets) - 1
    return f" (and in {count} more such set{'s' * (count > 1)})" if count else ""
