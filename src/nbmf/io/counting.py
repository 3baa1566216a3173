"""Values of a file that are counts: what is one, what is missing, and when a file has counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.data.count_matrix import LARGEST
from nbmf.io.coding import DEFAULTS, UnknownValue, ValueCoding, listed, shown_value, spellings_of_given
from nbmf.io.stored import StoredCodes

MISSING, UNKNOWN = -1, -2
KEPT = 100_000  # texts: counts may all be different
# A file is taken for one of counts if it has so many different values above one, in such a part of
# its columns: 2 and 9 beside 0 and 1 are codes more often, and a column of ages does not belong.
DIFFERENT, PART = 3, 0.25
RISING = 3  # numbers in a row that rise from each to the next are names, such as years


class CountCoding(ValueCoding):
    """From the text of a field to the count that it is, MISSING or UNKNOWN.

    Parameters
    ----------
    missing : list of texts, optional
        In the place of the defaults, which are those of binary matrices.
    """

    dtype = np.int32
    unknown = UNKNOWN

    def __init__(self, missing=None):
        super().__init__()
        self.is_given = missing is not None
        texts = DEFAULTS["missing"] if missing is None else missing
        texts = [texts] if isinstance(texts, str) else texts
        self._words = listed(map(str, texts))
        self._exact = {spelling for item in texts for spelling in spellings_of_given(item)}

    def __missing__(self, text: str) -> int:
        code = self.of_text(text)
        if code == UNKNOWN:
            raise KeyError(text)
        if len(self) < KEPT:
            self[text] = code
        return code

    def of_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        if text in self._exact or (not self.is_given and text.casefold() in self._exact):
            return MISSING
        try:  # as Matrix Market writes them too, 1.000e+00
            number = float(text)
        except ValueError:
            return UNKNOWN
        is_count = number.is_integer() and 0 <= number <= LARGEST
        return int(number) if is_count else UNKNOWN

    def pack(self, texts: Sequence[str]) -> bytes:
        """Return the counts of some texts as bytes; see ValueCoding."""
        try:
            return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts)).tobytes()
        except KeyError as unknown:
            raise UnknownValue(list(texts).index(unknown.args[0]), unknown.args[0]) from None

    def are_labels(self, codes: np.ndarray) -> bool:
        """Whether counts are names: they rise from each to the next, as years do."""
        return len(codes) >= RISING and codes[0] >= 0 and bool((np.diff(codes) > 0).all())

    def complaint(self, value: Any, column: str | None = None) -> str:
        """Return the words for a value that is no count."""
        aside = ""
        if column is not None:
            aside = f", or groups={column!r} for a column of names, ignore=[{column!r}] to leave it out"
        shown = shown_value(value)
        if _is_number(value):
            aside += "; matrices of other numbers are nbmf.GaussianFactorVB's, in Python"
        return (
            f"the value is {shown}; allowed in a matrix of counts are whole numbers from 0 to "
            f"{LARGEST} and missing ({self._words}); declare others by missing=[{shown}]{aside}"
        )


def _is_number(value: Any) -> bool:
    try:
        return np.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def look_like_counts(codes: np.ndarray | StoredCodes) -> bool:
    """Whether whole numbers (F, N) are counts rather than codes, or columns of other things."""
    if isinstance(codes, StoredCodes):
        above = codes.codes > 1
        columns = len(np.unique(codes.columns[above]))
        return len(np.unique(codes.codes[above])) >= DIFFERENT and columns >= PART * codes.shape[1]
    above = codes > 1
    columns = np.count_nonzero(above.any(axis=0))
    return len(np.unique(codes[above])) >= DIFFERENT and columns >= PART * codes.shape[1]
