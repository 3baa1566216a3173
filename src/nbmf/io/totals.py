"""A last row or column with the sums of the others, which makes counts of a table of zeros and ones."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.errors import DataError, Message, Setting
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes

FEWEST = 3  # other rows and columns, whose sums are hardly an accident


class TotalsError(DataError):
    """Says that the last row or column has sums, and how to leave it out.

    Parameters
    ----------
    path : path
    row, column : str or None
        What those with sums are called; an empty text where they have no name. None if there are no sums.
    ignored : sequence of str
        Columns that are left out already.
    """

    def __init__(self, path: Path, row: str | None, column: str | None, ignored: Sequence[str]):
        self.ignore = [*ignored, column] if column else None
        row_remedy = [] if row is None else ["delete the row from the file"]
        column_remedy = [Setting("ignore", self.ignore), " leaves the column out"] if column else []
        parts = [part for each in (column_remedy, row_remedy) if each for part in (*each, "; ")]
        self.has_row = row is not None
        self.opening = f"{path}: {_words(row, column)}"
        self.remedy = Message(*parts, "if these are no sums, ", Setting("counts", True), " reads all values as counts")
        super().__init__(self.opening, ": ", self.remedy)


def totals_of(coded: CodedMatrix) -> tuple[str | None, str | None]:
    """Return the names of the last row and of the last column of counts, if they have sums; "" without a name."""
    if isinstance(coded.codes, StoredCodes):
        return None, None
    return tuple(
        ("" if names is None else str(names[-1])) if _ends_in_sums(codes) else None
        for names, codes in ((coded.row_names, coded.codes), (coded.column_names, coded.codes.T))
    )


def notes_of_totals(coded: CodedMatrix) -> tuple[str, ...]:
    """Return what is said about sums in a matrix that is read as counts all the same."""
    row, column = totals_of(coded)
    return () if row is column is None else (f"{_words(row, column)}: leave out what is no count of its own",)


def _words(row: str | None, column: str | None) -> str:
    named = [
        f"the last {kind}{f', {name!r},' if name else ''} has the sums of the others"
        for kind, name in (("row", row), ("column", column))
        if name is not None
    ]
    return ", and ".join(named)


def _ends_in_sums(codes: np.ndarray) -> bool:
    """Whether the last row has the sums of the others, several of them above one."""
    if min(len(codes) - 1, codes.shape[1]) < FEWEST or np.count_nonzero(codes[-1] > 1) < FEWEST:
        return False
    others = np.where(codes[:-1] == MISSING, 0, codes[:-1])
    is_corner_empty = codes[-1] == MISSING  # between sums of rows and of columns
    return bool(((others.sum(axis=0, dtype=np.int64) == codes[-1]) | is_corner_empty).all())
