"""Tables with 1, 0 and -1: -1 means missing by convention alone, and a no next to an absence, 0, in roll calls."""

from collections.abc import Sequence

import numpy as np

from nbmf.data.value_codes import Coding

MINUS_ONE = ("-1", "-1.0")
FEWEST = 5  # values of -1, below which nothing is asked
PART = 0.2  # of all values that are no blanks: more of -1 are hardly all missing


class MinusOnes(Coding):
    """Which values are -1: 1 for these, 0 for others that are known."""

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        code = super().encode_text(text)
        return code if code == self.unknown else int(text.strip() in MINUS_ONE)


def may_have_signs(coding: Coding) -> bool:
    """Whether -1 was looked up, and means missing since nobody has said what it means."""
    return coding.is_open and any(code == -1 and str(cell) in MINUS_ONE for cell, code in coding.items())


def are_signs(minus_ones: int, codes: np.ndarray, are_ties: bool = False) -> bool:
    """Whether so many values of -1, read as missing in a matrix of codes, may be answers: more than zeros, or many.

    Of ties in a network several are enough: most pairs have no tie, and few a negative one.
    """
    ones, zeros = (int(np.count_nonzero(codes == code)) for code in (1, 0))
    part = 0.0 if are_ties else PART
    return minus_ones >= FEWEST and minus_ones > min(zeros, part * (minus_ones + ones + zeros))


def off_diagonal(rows: Sequence[str] | None, columns: Sequence[str] | None) -> np.ndarray | None:
    """Return which entries of a network are no node's with itself, bool array (F, N); None if these are no nodes."""
    if rows is None or columns is None or {*map(str, rows)} != {*map(str, columns)}:
        return None
    return np.asarray(rows, str)[:, None] != np.asarray(columns, str)
