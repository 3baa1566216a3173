"""What the values of cells mean where they are ordered categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.data.value_codes import DEFAULTS, RISING, Meaning, ValueCoding, number_of, remedy, short_repr, text_of
from nbmf.errors import ConfigError, Message, Setting


class CategoryCoding(ValueCoding):
    """From the value of a cell to its place among ordered categories, -1 (missing) or -2 (unknown).

    Parameters
    ----------
    categories : list of texts
        From the lowest on, as they are in the file. Those that are numbers have any spelling: 1 is 1.0.
    missing : list of texts, optional
        Instead of the defaults; what is a category is not missing by default.

    Raises
    ------
    ConfigError
        If a category is there twice, or also means missing.
    """

    dtype = np.int8
    unknown = -2

    def __init__(self, categories: Sequence[Any], missing=None):
        super().__init__()
        self.categories = [text_of(category).strip() for category in categories]
        self._missing = Meaning(missing, DEFAULTS["missing"])
        self._ranks = {text: rank for rank, text in enumerate(self.categories)}
        numbers = [number_of(text) for text in self.categories]
        self._ranks_of_numbers = {n: rank for rank, n in enumerate(numbers) if n is not None}
        if len(self._ranks) < len(numbers) or len(self._ranks_of_numbers) < len(numbers) - numbers.count(None):
            raise ConfigError("a category is there twice in ", Setting("categories", [*categories]))
        both = [text for text in self.categories if missing is not None and text in self._missing]
        if both:
            raise ConfigError(f"{both[0]!r} is given for two of ", Setting("categories"), " and ", Setting("missing"))

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        text = text.strip()
        if text in self._ranks:
            return self._ranks[text]
        if self._ranks_of_numbers and (rank := self._ranks_of_numbers.get(number_of(text))) is not None:
            return rank
        return -1 if text in self._missing else self.unknown

    def are_labels(self, codes: np.ndarray) -> bool:
        """Whether categories are names: numbers of which each is the next one, as those of questions are."""
        known = [number_of(self.categories[code]) for code in codes if code >= 0]
        if len(known) < max(RISING, len(codes)) or None in known:
            return False
        return bool((np.diff(known) == 1).all())

    def complaint(self, value: Any, column: str | None = None) -> Message:
        """Return the words for a value that is no category."""
        return Message(
            f"the value is {short_repr(value)}; allowed: the categories {', '.join(map(repr, self.categories))} and "
            f"missing ({self._missing.words}); declare others by ",
            Setting("categories", [...]),
            " or ",
            remedy(value, column),
        )
