"""What the values of cells mean: missing, one or zero."""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from nbmf.data.spellings import Truth, spellings, spellings_of_given
from nbmf.errors import ConfigError, DataError, Message, Setting

# The texts that mean missing, wherever a file is read. A matrix has no other use for -1; a table may.
MISSING = ("", ".", "?", "na", "n/a", "nan", "none", "null")
DEFAULTS = {
    "ones": ("1", "1.0", "true", "yes"),
    "zeros": ("0", "0.0", "false", "no"),
    "missing": ("", "-1", "-1.0", *MISSING[1:]),
}
# What a message adds about a whole number above one.
COUNTS_HINT = Message(
    "; if all values are ordered answers, ",
    Setting("categories", [...]),
    " reads them; if they are counts, ",
    Setting("counts", True),
    " reads them as such, ",
    Setting("above", 0),
    " as 0 and 1",
)
# What it adds about other numbers of at least 0.
AMOUNTS_HINT = Message("; if they are amounts, ", Setting("above", 0), " reads those above 0 as ones, others as zeros")
# A decimal comma; 1,204 may be a whole number with a comma between its thousands.
DECIMAL_COMMA = re.compile(r"\d+,(\d{1,2}|\d{4,})|0+,\d+")
RISING = 3  # numbers in a row that rise from each to the next are names, such as years
KEPT = 100_000  # texts of which the code is kept: counts may all be different


class Meaning:
    """The texts that mean one thing: by default in upper and lower case, those that are given exactly.

    Parameters
    ----------
    given : list of texts, or None
        Values that YAML makes of texts stand for these.
    defaults : collection of str
        In lower case.
    """

    def __init__(self, given: Collection[Any] | str | None, defaults: Collection[str]):
        self.is_given = given is not None
        texts = defaults if given is None else [given] if isinstance(given, str) else given
        self.texts = {spelling for text in texts for spelling in spellings_of_given(text)}
        self.words = ", ".join(str(text) or "empty" for text in texts) or "none"

    def __contains__(self, text: str) -> bool:
        return (text if self.is_given else text.casefold()) in self.texts

    def without(self, cells: Sequence[Any]) -> list:
        """Return cells with None instead of texts that mean this."""
        fold = str if self.is_given else str.casefold
        return [None if isinstance(cell, str) and fold(cell) in self.texts else cell for cell in cells]


class ValueCoding(dict):
    """From a value of a cell to its code, in which -1 is missing.

    A dictionary that fills itself, since a look-up is the fastest thing Python does 25 million
    times. A subclass says what codes there are.

    Attributes
    ----------
    dtype : numpy type
        Of a matrix of codes.
    unknown : int
        The code of what has no meaning.
    """

    dtype: ClassVar[type]
    unknown: ClassVar[int]
    _missing: Meaning

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        raise NotImplementedError

    def are_labels(self, codes: np.ndarray) -> bool:
        """Whether codes that are known are names all the same: never, of ones and zeros."""
        return False

    def is_declared_missing(self, text: str) -> bool:
        """Whether a text was given as one that means missing: it is no default."""
        return self._missing.is_given and text in self._missing

    def missing_texts_seen(self) -> list[str]:
        """Return the texts that were looked up and mean missing."""
        return sorted(cell for cell, code in self.items() if code == -1 and isinstance(cell, str))

    def complaint(self, value: Any, column: str | None = None) -> Message:
        """Return the words for a value that is not known; `column` may be one of names."""
        raise NotImplementedError

    def are_names(self, cells: Sequence[Any]) -> bool:
        """Whether cells above or next to values are names, and no values."""
        try:
            codes = self.look_up_values(cells)
        except TypeError:  # lists in cells
            return True
        return bool((codes == self.unknown).any()) or self.are_labels(codes)

    def refusal(self, where: str, value: Any, column: str | None = None) -> DataError:
        """Return the error that names the place and says what a value may be."""
        return RefusedValue(Message(f"{where}: ", self.complaint(value, column)), value)

    def __missing__(self, cell: Any) -> int:
        if cell is None:
            return -1
        code = self.encode_text(cell) if isinstance(cell, str) else self.encode_value(cell)
        self.keep(cell, code)
        return code

    def keep(self, cell: Any, code: int) -> None:
        """Remember the code of a value, so that it is known that it was there."""
        if len(self) < KEPT:
            self[Truth.key_of(cell)] = code

    def encode_value(self, value: Any) -> int:
        """Return the code of a value of any type that is not missing in the file's own way."""
        codes = (self.encode_text(text) for text in spellings(value))
        return next((code for code in codes if code != self.unknown), self.unknown)

    def look_up(self, cells: Iterable[Any], number: int) -> np.ndarray:
        """Return the codes of so many texts, `unknown` among them; None is missing."""
        return np.fromiter(map(self.__getitem__, cells), self.dtype, number)

    def look_up_values(self, cells: Sequence[Any]) -> np.ndarray:
        """Return the codes of cells of any type, as `look_up` does of texts."""
        has_truths = not {bool, np.bool_}.isdisjoint(map(type, cells))
        return self.look_up(map(Truth.key_of, cells) if has_truths else cells, len(cells))


class Coding(ValueCoding):
    """From the value of a cell to 1, 0, -1 (missing) or 2 (unknown).

    Parameters
    ----------
    ones, zeros, missing : list of texts, optional
        Each replaces the defaults of its kind; blanks around a text do not count, upper and
        lower case do. A text that is given for one kind is no default of another any more.

    Raises
    ------
    ConfigError
        If a text is given for two kinds.
    """

    dtype = np.int8
    unknown = 2

    def __init__(self, ones=None, zeros=None, missing=None):
        super().__init__()
        meanings = [
            Meaning(given, texts) for given, texts in zip((ones, zeros, missing), DEFAULTS.values(), strict=True)
        ]
        self._missing = meanings[-1]
        self.is_open = not any(meaning.is_given for meaning in meanings[1:])  # what -1 means is convention alone
        self.words = ", ".join(f"{kind} ({m.words})" for kind, m in zip(DEFAULTS, meanings, strict=True))
        coded = list(zip((1, 0, -1), meanings, strict=True))
        self._meanings = sorted(coded, key=lambda pair: not pair[1].is_given)  # before the defaults
        seen: set[str] = set()
        for meaning in (meaning for meaning in meanings if meaning.is_given):
            if twice := meaning.texts & seen:
                kinds = Setting("ones"), ", ", Setting("zeros"), " and ", Setting("missing")
                raise ConfigError(f"{min(twice)!r} is given for two of ", *kinds)
            seen |= meaning.texts

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        return next((code for code, meaning in self._meanings if text in meaning), self.unknown)

    def complaint(self, value: Any, column: str | None = None) -> Message:
        """Return the words for a value that is not known; `column` may be one of names."""
        return Message(
            f"the value is {short_repr(value)}; allowed: {self.words}; declare others by ",
            Setting("ones", [...]),
            ", ",
            Setting("zeros", [...]),
            " or ",
            remedy(value, column),
            _numbers_hint(value),
        )


def _numbers_hint(value: Any) -> Message | str:
    """Return what reads a number that is neither a zero nor a one, "" for other values."""
    if is_count_above_one(value):
        return COUNTS_HINT
    return AMOUNTS_HINT if amount_of(text_of(value).strip()) is not None else ""


class RefusedValue(DataError):
    """Says where a file has a value that is not known, and keeps the value."""

    def __init__(self, words: str, value: Any):
        super().__init__(words)
        self.value = value


def number_of(cell: Any) -> float | None:
    """Return the number that a text or another value is, None if it is none.

    Python alone reads 1_000, and digits of other scripts.
    """
    try:
        return None if isinstance(cell, str) and ("_" in cell or not cell.isascii()) else float(cell)
    except (TypeError, ValueError):
        return None


def amount_of(text: str) -> float | None:
    """Return the number of at least 0 that a text is, also with a decimal comma, None if it is none."""
    number = number_of(text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text)
    return number if number is not None and 0 <= number < math.inf else None


def is_count_above_one(value: Any) -> bool:
    """Whether a value is a whole number above one, as a number or as a text, also 5.0, as pandas writes it."""
    text = text_of(value).strip()
    number = number_of(text)  # infinite, of hundreds of digits
    return number is not None and number > 1 and (number.is_integer() or text.isdigit())


def text_of(value: Any) -> str:
    """Return a value as the text it would have in a CSV file; whole numbers without ".0"."""
    return spellings(value)[0]


def texts_of(cells: Iterable[Any]) -> list[str]:
    """Return cells as texts without blanks around them; None is empty."""
    return ["" if cell is None else text_of(cell).strip() for cell in cells]


def short_repr(value: Any) -> str:
    """Return a value as a message shows it: the beginning of a long one."""
    shown = repr(text_of(value))
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def remedy(value: Any, column: str | None) -> Message:
    """Return what makes a value one that is missing, or its column, if it may be one of names, none of values."""
    text = text_of(value)
    missing = Setting("missing", [text if len(text) <= 58 else ...])
    if column is None:
        return Message(missing)
    groups, ignore = Setting("groups", column), Setting("ignore", [column])
    return Message(missing, ", or ", groups, " for a column of names, ", ignore, " to leave it out")
