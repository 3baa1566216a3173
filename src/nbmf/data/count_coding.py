"""Which count the value of a cell is, or which count an amount is above."""

import math
from typing import Any

import numpy as np

from nbmf.data.number_sizes import LARGEST_COUNT as LARGEST
from nbmf.data.value_codes import (
    AMOUNTS_HINT,
    DEFAULTS,
    RISING,
    Meaning,
    ValueCoding,
    amount_of,
    number_of,
    remedy,
    short_repr,
    text_of,
)
from nbmf.errors import Message


class CountCoding(ValueCoding):
    """From the value of a cell to the count that it is, -1 (missing) or -2 (unknown).

    Parameters
    ----------
    missing : list of texts, optional
        Instead of the defaults, which are those of binary matrices.
    zeros : list of texts, optional
        That mean 0 too, such as "" in tables with nothing where nothing was found.
    """

    dtype = np.int32
    unknown = -2

    def __init__(self, missing=None, zeros=None):
        super().__init__()
        self._missing, self._zeros = Meaning(missing, DEFAULTS["missing"]), Meaning(zeros, ())

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        if text in self._zeros:
            return 0
        if text in self._missing:
            return -1
        number = number_of(text)
        is_count = number is not None and number.is_integer() and 0 <= number <= LARGEST
        return int(number) if is_count else self.unknown

    def are_labels(self, codes: np.ndarray) -> bool:
        """Whether counts are names: they rise from each to the next, as years do."""
        return len(codes) >= RISING and codes[0] >= 0 and bool((np.diff(codes) > 0).all())

    def complaint(self, value: Any, column: str | None = None) -> Message:
        """Return the words for a value that is no count."""
        text = text_of(value).strip()
        number, amount = number_of(text), amount_of(text)
        is_number = number is not None and np.isfinite(number)
        return Message(
            f"the value is {short_repr(value)}; allowed in a matrix of counts: whole numbers from 0 to {LARGEST} and "
            f"missing ({self._missing.words}); declare others by ",
            remedy(value, column),
            AMOUNTS_HINT if amount is not None and amount % 1 else "",
            "; matrices of other numbers are nbmf.GaussianFactorVB's, in Python" if is_number else "",
        )


class AmountCoding(CountCoding):
    """From an amount of at least 0 to the `code_at` of a threshold, -1 (missing) or -2 (unknown).

    Parameters
    ----------
    missing, zeros : lists of texts, optional
    above : float, the threshold, at least 0
    """

    def __init__(self, missing, zeros, above):
        super().__init__(missing, zeros)
        self._above = above

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        amount = None if text in self._missing or text in self._zeros else amount_of(text)
        return super().encode_text(text) if amount is None else code_at(amount, self._above)

    def complaint(self, value: Any, column: str | None = None) -> Message:
        """Return the words for a value that cannot be compared with a threshold."""
        words = f"the value is {short_repr(value)}; compared with a threshold are numbers of at least 0; missing are "
        return Message(f"{words}({self._missing.words}); declare others by ", remedy(value, column))


def code_at(amount: float, above: float) -> int:
    """Return an amount of at least 0 as a code that is larger than `cut_of(above)` where it is above the threshold.

    Counts stay, but of a threshold between 0 and 1; of other amounts the next whole number is taken, or the one before
    if their decimals are not above those of the threshold. 0 alone is 0, and huge ones are the largest count.
    """
    if amount == 0:
        return 0
    whole = math.floor(amount) + (amount % 1 > above % 1) + (0 < above < 1)
    return min(max(whole, 1), LARGEST)


def cut_of(above: float) -> int:
    """Return the whole number that the `code_at` of what is above a threshold is larger than."""
    return 1 if 0 < above < 1 else int(above)
