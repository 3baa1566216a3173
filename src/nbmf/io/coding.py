"""Which values of a file mean what: ones, zeros and missing; `counting` has those of counts."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from nbmf.errors import ConfigError, DataError

# Codes as unsigned bytes: rows of text are collected as bytes, and 255 is the -1 of int8.
ZERO, ONE, UNKNOWN, MISSING = 0, 1, 2, 255
KINDS = {"ones": ONE, "zeros": ZERO, "missing": MISSING}

# Compared without regard to upper and lower case.
DEFAULTS = {
    "ones": ("1", "1.0", "true", "yes"),
    "zeros": ("0", "0.0", "false", "no"),
    "missing": ("", "-1", "-1.0", ".", "?", "na", "nan", "none", "null"),
}
# YAML reads these texts as other things, so that a configuration's [yes] arrives as [True].
YAML_WORDS = {
    True: ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"),
    False: ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"),
    None: ("", "null", "Null", "NULL", "~"),
}
# What else is said of a whole number above one.
OF_COUNTS = "; if all values are counts, counts=True reads them as such, above=0 as 0 and 1"
BLOCK = 2**22  # entries coded at a time: factors of them take eight bytes each


class ValueCoding(dict):
    """From the text of a field to its code.

    A dictionary that fills itself, since a look-up is the fastest thing Python does 25 million
    times. A subclass says what codes there are.

    Attributes
    ----------
    dtype : numpy type
        Of a matrix of codes, in which 1 is one and -1 is missing.
    unknown : int
        The code of what has no meaning.
    is_given : bool
        Whether there is anything beside the defaults.
    """

    dtype: ClassVar[type]
    unknown: ClassVar[int]
    is_given: bool

    def of_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        raise NotImplementedError

    def pack(self, texts: Sequence[str]) -> bytes:
        """Return the codes of some texts as the bytes of an array of `dtype`.

        Raises
        ------
        UnknownValue
            For the first text that is not known.
        """
        raise NotImplementedError

    def ones(self, number: int) -> bytes:
        """Return so many ones, packed as `pack` does."""
        return np.ones(number, self.dtype).tobytes()

    def are_names(self, texts: Sequence[str]) -> bool:
        """Whether texts that stand above or beside values are names, and no values."""
        codes = [self.of_text(text) for text in texts]
        return self.unknown in codes or self.are_labels(np.array(codes))

    def are_labels(self, codes: np.ndarray) -> bool:
        """Whether codes that are known are names all the same: never, of ones and zeros."""
        return False

    def complaint(self, value: Any, column: str | None = None) -> str:
        """Return the words for a value that is not known; `column` may be one of groups."""
        raise NotImplementedError

    def refusal(self, where: str, value: Any, column: str | None = None) -> DataError:
        """Return the error that names the place and says what a value may be."""
        return RefusedValue(f"{where}: {self.complaint(value, column)}", value)

    def of_value(self, value: Any) -> int:
        """Return the code of a value of any type that is not missing in the file's own way."""
        codes = (self.of_text(text) for text in _spellings(value))
        return next((code for code in codes if code != self.unknown), self.unknown)

    def encode(self, values: Any) -> np.ndarray:
        """Return the codes of an array or a column, in its shape; NaN and None are missing.

        Raises
        ------
        UnknownValue
            For the first value that is not known.
        """
        import pandas as pd  # not at the top: files of text do without it

        flat = values
        if isinstance(values, np.ndarray):  # pandas takes the machine's byte order only
            flat = values.reshape(-1).astype(values.dtype.newbyteorder("="), copy=False)
        codes = np.empty(len(flat), dtype=self.dtype)
        for start in range(0, len(flat), BLOCK):
            block = flat[start : start + BLOCK]
            try:
                numbers, distinct = pd.factorize(block)  # -1 where missing
            except TypeError:  # lists in cells, records
                odd = (i for i, value in enumerate(block) if not isinstance(value, Hashable))
                place = next(odd, 0)
                raise UnknownValue(start + place, list(block)[place]) from None
            table = np.full(len(distinct) + 1, -1, dtype=np.int64)  # the last is for -1
            for i, value in enumerate(distinct):
                code = self.of_value(value)
                if code == self.unknown:
                    raise UnknownValue(start + int(np.argmax(numbers == i)), value)
                table[i] = code
            codes[start : start + BLOCK] = table.astype(self.dtype)[numbers]  # 255 is -1
        return codes.reshape(np.shape(values))


class Coding(ValueCoding):
    """From the text of a field to its code (ONE, ZERO, MISSING or UNKNOWN).

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
    unknown = UNKNOWN

    def __init__(self, ones=None, zeros=None, missing=None):
        super().__init__()
        given = {"ones": ones, "zeros": zeros, "missing": missing}
        self.is_given = any(texts is not None for texts in given.values())
        self._exact, self._defaults, self._words = {}, {}, []
        for kind, texts in given.items():
            code = KINDS[kind]
            if texts is None:
                self._defaults.update(dict.fromkeys(DEFAULTS[kind], code))
                self._words.append(f"{kind} ({listed(DEFAULTS[kind])})")
                continue
            texts = [texts] if isinstance(texts, str) else texts
            for text in (spelling for item in texts for spelling in spellings_of_given(item)):
                if self._exact.setdefault(text, code) != code:
                    raise ConfigError(f"{text!r} is given for two of ones, zeros and missing")
            self._words.append(f"{kind} ({listed(map(str, texts))})")

    def __missing__(self, text: str) -> int:
        code = self[text] = self.of_text(text)
        return code

    def of_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        return self._exact.get(text, self._defaults.get(text.casefold(), UNKNOWN))

    def pack(self, texts: Sequence[str]) -> bytes:
        """Return the codes of some texts as bytes; see ValueCoding."""
        codes = bytes(map(self.__getitem__, texts))
        if UNKNOWN in codes:
            place = codes.index(UNKNOWN)
            raise UnknownValue(place, texts[place])
        return codes

    def complaint(self, value: Any, column: str | None = None) -> str:
        """Return the words for a value that is not known; `column` may be one of groups."""
        shown = shown_value(value)
        groups = ""
        if column is not None:
            groups = f", or groups={column!r} for a column of names, ignore=[{column!r}] to leave it out"
        return (
            f"the value is {shown}; allowed are {', '.join(self._words)}; "
            f"declare others by ones=[...], zeros=[...] or missing=[{shown}]{groups}"
            f"{OF_COUNTS if is_count_above_one(value) else ''}"
        )


def is_count_above_one(value: Any) -> bool:
    """Whether a value is a whole number above one, as a number or as a text."""
    text = text_of(value).strip()
    return text.isascii() and text.isdigit() and text.lstrip("0") not in ("", "1")


class RefusedValue(DataError):
    """Says where a file has a value that is not known, and keeps the value."""

    def __init__(self, words: str, value: Any):
        super().__init__(words)
        self.value = value


class UnknownValue(Exception):
    """Says at which place of a flat array a value is that is not known; readers name it better."""

    def __init__(self, place: int, value: Any):
        super().__init__(place, value)
        self.place, self.value = place, value


def shown_value(value: Any) -> str:
    """Return a value as a message shows it: the beginning of a long one."""
    shown = repr(text_of(value))
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def text_of(value: Any) -> str:
    """Return a value as the text it would have in a CSV file; whole numbers without ".0"."""
    return next(iter(_spellings(value)))


def _spellings(value: Any) -> tuple[str, ...]:
    """Return the texts that stand for a value in a list of codes."""
    if isinstance(value, bytes):
        return (value.decode("utf-8", errors="replace"),)
    if isinstance(value, bool | np.bool_):
        return ("True", "TRUE", "true") if value else ("False", "FALSE", "false")
    if isinstance(value, int | np.integer):
        return (str(int(value)), f"{int(value)}.0")
    if isinstance(value, float | np.floating):
        value = float(value)
        return (str(int(value)), repr(value)) if value.is_integer() else (repr(value),)
    return (str(value),)


def spellings_of_given(item: Any) -> tuple[str, ...]:
    """Return the texts that a value in a list of codes stands for."""
    if item is None or isinstance(item, bool):
        return YAML_WORDS[item]
    return tuple(text.strip() for text in _spellings(item))


def listed(texts: Iterable[str]) -> str:
    """Return texts as a message lists them."""
    return ", ".join(text or "empty" for text in texts) or "none"
