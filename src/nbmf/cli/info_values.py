"""What the values of columns may mean that are no zeros and ones as they stand: guesses, each with options for it."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of
from nbmf.io.answers import GAPS, LONGEST, answers_of

PART = 0.5  # of a column's values that have to be zeros and ones, and of columns with marks above one
FEW = 3  # other values in a column that fits all the same: they are taken to mean missing
YES_AND_NO = 2  # answers
# Pairs of answers of which everybody knows which is a one.
YES = ("ja", "oui", "si", "sí", "sim", "tak", "kyllä", "y", "j", "t", "true", "wahr", "vrai", "yea", "aye", "present")
YES += ("pass", "passed", "positive", "pos", "+", "on", "correct", "richtig", "agree")
NO = ("nein", "non", "no", "não", "nie", "ei", "n", "f", "false", "falsch", "faux", "nay", "absent")
NO += ("fail", "failed", "negative", "neg", "-", "off", "wrong", "incorrect", "disagree")
ABSENT_AND_PRESENT = ("a", "p")
AS_IN_YES_AND_NO = {1.0, 2.0}  # 1 is a yes


class Column(NamedTuple):
    """A column of a file: what options call it, its texts, "" where nothing is, and labels of these, if any."""

    name: str
    texts: list[str]
    labels: dict[str, str]

    @property
    def different(self) -> set[str]:
        """Its texts, each once."""
        return set(self.texts)

    @property
    def answers(self) -> frozenset[str]:
        """What is there and does not mean missing, in the words of labels."""
        missing = Meaning(None, DEFAULTS["missing"])
        return frozenset(self.labels.get(text, text) for text in self.different if text not in missing)

    @property
    def numbers(self) -> list[float | None]:
        """What is there and does not mean missing, as numbers; None is a text."""
        missing = Meaning(None, DEFAULTS["missing"])
        return [number_of(text) for text in self.texts if text not in missing]


class Guess(NamedTuple):
    """What values may mean.

    what : str, words for the columns that fit
    fits : function from a column to whether it does
    options : function from columns that fit to arguments of `nbmf.read`
    lowest : int or None, where values may be ordered categories: the first of them
    is_certain : bool, whether it is known which of two values is a one
    """

    what: str
    fits: Callable[[Column], bool]
    options: Callable[[list[Column]], dict[str, Any]]
    lowest: int | None = None
    is_certain: bool = True


def guesses(columns: list[Column]) -> list[Guess]:
    """Return all there are; of two that as many columns fit the first is the better one."""
    return [*_as_marks(columns), _as_they_are(), *_as_pairs(columns), _as_ratings()]


def seen_missing(columns: list[Column]) -> list[str]:
    """Return the texts that mean missing by default and are there: others take their place where they are given."""
    missing = Meaning(None, DEFAULTS["missing"])
    return sorted({text for column in columns for text in column.different if text in missing})


def _as_marks(columns: list[Column]) -> Iterator[Guess]:
    """Whole numbers from 0 to a highest one, with none left out, of which half of the columns have some above 1."""
    numbers = [set(column.numbers) - {None} for column in columns]
    seen, highest = set().union(*numbers), 0
    while highest < LONGEST and highest + 1.0 in seen:
        highest += 1
    above_one = [own for own in numbers if any(1 < n <= highest for n in own)]
    if highest < 2 or 0.0 not in seen or len(above_one) < PART * len(columns):
        return
    marks = {float(n) for n in range(highest + 1)}

    def is_gap(number: float | None) -> bool:
        return number is not None and number not in marks and (number in GAPS or number < 0)

    def fits(column: Column) -> bool:
        own = column.numbers
        return bool(marks & set(own)) and all(n in marks or is_gap(n) for n in own) and not column.labels

    def options(fitting: list[Column]) -> dict[str, Any]:
        gaps = sorted({text for column in fitting for text in column.different if is_gap(number_of(text))})
        missing = {"missing": [*gaps, *seen_missing(fitting)]} if gaps else {}
        return {"above": highest // 2, **missing}

    yield Guess(f"whole numbers from 0 to {highest}", fits, options, 0)


def _as_they_are() -> Guess:
    """Zeros and ones as they are read anyway, with few other values that mean missing."""
    coding, missing = Coding(), Meaning(None, DEFAULTS["missing"])

    def others(column: Column) -> set[str]:
        return {text for text in column.different if coding[text] == coding.unknown}

    def fits(column: Column) -> bool:
        number = sum(coding[text] in (0, 1) for text in column.texts)
        present = sum(text not in missing for text in column.texts)
        return number > 0 and len(others(column)) <= FEW and number >= PART * present

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return {"missing": [*odd, *seen_missing(fitting)]} if odd else {}

    return Guess("zeros and ones", fits, options)


def _as_pairs(columns: list[Column]) -> Iterator[Guess]:
    """Two answers, the most frequent pair that columns have."""
    pairs = Counter(column.answers for column in columns)
    for pair in (pair for pair, _ in pairs.most_common() if len(pair) == 2):
        (zero, one), is_certain = _in_order(sorted(pair))

        def fits(column: Column, pair=pair) -> bool:
            return bool(column.answers) and column.answers <= pair

        def options(fitting: list[Column], one=one, zero=zero) -> dict[str, Any]:
            return {"ones": [one], "zeros": [zero]}

        yield Guess(f"{one!r} and {zero!r}", fits, options, is_certain=is_certain)
        return


def _in_order(pair: list[str]) -> tuple[list[str], bool]:
    """Return the zero and the one of two answers, and whether that is known: by words, or the larger number."""
    first, second = (text.casefold() for text in pair)
    if second in YES or first in NO or (first, second) == ABSENT_AND_PRESENT:
        return pair, True
    if first in YES or second in NO:
        return pair[::-1], True
    numbers = [number_of(text.replace(",", ".")) for text in pair]
    if None in numbers:
        return pair[::-1], False
    in_order = sorted(pair, key=lambda text: numbers[pair.index(text)])
    return (in_order[::-1] if set(numbers) == AS_IN_YES_AND_NO else in_order), True


def _as_ratings() -> Guess:
    """Whole numbers from 1 on."""

    def fits(column: Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        answers = column.numbers
        return bool(answers) and all(
            n is not None and (n in GAPS or (n.is_integer() and 1 <= n <= LONGEST)) for n in answers
        )

    def options(fitting: list[Column]) -> dict[str, Any]:
        values = np.array([n for column in fitting for n in column.numbers], int)
        answers = answers_of(values)
        return {} if answers is None else answers.options(seen_missing(fitting) if answers.gaps else ())

    return Guess("ratings", fits, options, 1)
