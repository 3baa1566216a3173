"""What the values of columns may mean that are no zeros and ones as they stand: guesses, each with options for it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of
from nbmf.io.answers import GAPS, LONGEST, answers_of, without_gaps

PART = 0.5  # of a column's values that have to be zeros and ones, and of columns with marks above one
REACHED = 0.25  # of columns with marks, that have the highest one
FEW = 3  # other values in a column that fits all the same: they are taken to mean missing
YES_AND_NO = 2  # answers
# Pairs of answers of which everybody knows which is a one.
YES = ("ja", "oui", "si", "sí", "sim", "tak", "kyllä", "y", "j", "t", "true", "wahr", "vrai", "yea", "aye", "present")
YES += ("pass", "passed", "positive", "pos", "+", "on", "correct", "richtig", "agree")
NO = ("nein", "non", "no", "não", "nie", "ei", "n", "f", "false", "falsch", "faux", "nay", "absent")
NO += ("fail", "failed", "negative", "neg", "-", "off", "wrong", "incorrect", "disagree")
ABSENT_AND_PRESENT = ("a", "p")
AS_IN_YES_AND_NO = {1.0, 2.0}  # 1 is a yes


@dataclass(frozen=True)
class Column:
    """A column of a file: what options call it, its texts, "" where nothing is, and labels of these, if any."""

    name: str
    texts: list[str]
    labels: dict[str, str]

    @cached_property
    def different(self) -> set[str]:
        """Its texts, each once."""
        return set(self.texts)

    @cached_property
    def present(self) -> set[str]:
        """Its texts that do not mean missing by default, each once."""
        missing = Meaning(None, DEFAULTS["missing"])
        return {text for text in self.different if text not in missing}

    @property
    def answers(self) -> frozenset[str]:
        """What is present, in the words of labels."""
        return frozenset(self.labels.get(text, text) for text in self.present)

    @cached_property
    def numbers(self) -> set[float | None]:
        """What is present, as numbers; None is a text."""
        return set(map(number_of, self.present))


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
    return [*_as_marks(columns), _as_they_are(), *_as_pairs(columns), *_as_known_words(columns), _as_ratings()]


def seen_missing(columns: list[Column]) -> list[str]:
    """Return the texts that mean missing by default and are there: others take their place where they are given."""
    missing = Meaning(None, DEFAULTS["missing"])
    return sorted({text for column in columns for text in column.different if text in missing})


def _as_marks(columns: list[Column]) -> Iterator[Guess]:
    """Whole numbers from 0, or from as far below, up to a highest one, of which half of the columns have some above 1.

    The highest is one that a quarter of such columns reach: another column may have a number of persons.
    """
    scales = [scale for column in columns if (scale := _scale_of(column))]
    tops = [scale[-1] for scale in scales]
    reached = [top for top in set(tops) if sum(other >= top for other in tops) >= REACHED * len(tops)]
    highest = max(reached, default=0)
    below = sorted({scale[0] for scale in scales if scale[-1] <= highest})
    lowest = below[0] if below else 0
    marks = set(range(lowest, highest + 1))
    seen = set().union(*(scale for scale in scales if scale[-1] <= highest))
    if lowest > 0 or highest < 2 or seen != marks or sum(1 < top <= highest for top in tops) < PART * len(columns):
        return

    def fits(column: Column) -> bool:
        scale = _scale_of(column)
        return bool(scale) and set(scale) <= marks and (not column.labels or len(column.answers) > YES_AND_NO)

    def options(fitting: list[Column]) -> dict[str, Any]:
        texts = {text for column in fitting for text in column.different}
        gaps = {text for text in texts if (number := number_of(text)) is not None and number not in marks}
        known = set(seen_missing(fitting))
        missing = {"missing": sorted(gaps - known) + sorted(known)} if gaps - known else {}
        if lowest < 0:
            return {"categories": [str(mark) for mark in sorted(marks)], **missing}
        return {"above": highest // 2, **missing}

    yield Guess(f"whole numbers from {lowest} to {highest}", fits, options, lowest)


def _scale_of(column: Column) -> list[int]:
    """Return the different whole numbers of a column that may be marks, from the lowest on; none of other columns.

    Those below 0 count if they go on from -1, which means missing otherwise; those beyond a jump are codes of gaps.
    Other negative numbers mean missing.
    """
    if None in column.numbers or not all(n.is_integer() for n in column.numbers):
        return []
    from_0 = sorted(int(n) for n in column.numbers if n >= 0)
    if not from_0 or from_0[-1] > GAPS[-1]:
        return []
    found, _ = without_gaps(from_0)
    depth, below = 0, {number_of(text) for text in column.different}
    while -2.0 in below and -depth - 1.0 in below:
        depth += 1
    return [*range(-depth, 0), *found] if found[-1] <= LONGEST else []


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
        codes = next(({v: k for k, v in column.labels.items()} for column in columns if column.answers == pair), {})
        (zero, one), is_certain = _in_order(sorted(pair), codes)

        def fits(column: Column, pair=pair) -> bool:
            return bool(column.answers) and column.answers <= pair

        def options(fitting: list[Column], one=one, zero=zero) -> dict[str, Any]:
            return {"ones": [one], "zeros": [zero]}

        yield Guess(f"{one!r} and {zero!r}", fits, options, is_certain=is_certain)
        return


def _as_known_words(columns: list[Column]) -> Iterator[Guess]:
    """The commonest word for a one and that for a zero, next to few others that are taken to mean missing."""

    def words_of(column: Column) -> list[str]:
        return [column.labels.get(text, text) for text in column.texts if text in column.present]

    words = [word for word, _ in Counter(word for column in columns for word in words_of(column)).most_common()]
    known = {meaning: next((word for word in words if _meaning(word) == meaning), None) for meaning in (1, -1)}
    if None in known.values():
        return
    pair = set(known.values())

    def fits(column: Column) -> bool:
        number, present = sum(word in pair for word in words_of(column)), len(words_of(column))
        return number > 0 and len(column.answers - pair) <= FEW and number >= PART * present

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*(column.answers - pair for column in fitting)))
        missing = {"missing": [*odd, *seen_missing(fitting)]} if odd else {}
        return {"ones": [known[1]], "zeros": [known[-1]], **missing}

    yield Guess(f"{known[1]!r} and {known[-1]!r}", fits, options)


def _in_order(pair: list[str], codes: dict[str, str]) -> tuple[list[str], bool]:
    """Return the zero and the one of two answers, and whether that is known: numbers, words, or codes behind labels."""
    if in_order := _by_number(pair, pair):
        return in_order, True
    if tuple(text.casefold() for text in pair) == ABSENT_AND_PRESENT:
        return pair, True
    first, second = meanings = [_meaning(text) for text in pair]
    if first != second:  # a letter alone, as of M and F, is a word only next to another that is known
        is_known = all(meanings) or any(one and len(text) > 1 for text, one in zip(pair, meanings, strict=True))
        return pair if first < second else pair[::-1], is_known
    in_order = _by_number(pair, [codes.get(text, text) for text in pair])
    return (in_order, True) if in_order else (pair[::-1], False)


def _by_number(pair: list[str], texts: list[str]) -> list[str]:
    """Return a pair in the order of its numbers, also with decimal commas or %; [] without. Of 1 and 2, 1 is a yes."""
    numbers = [number_of(text.replace(",", ".").removesuffix("%")) for text in texts]
    if None in numbers:
        return []
    in_order = pair if numbers[0] < numbers[1] else pair[::-1]
    return in_order[::-1] if set(numbers) == AS_IN_YES_AND_NO else in_order


def _meaning(text: str) -> int:
    """Return 1 for a word that everybody takes for a one, -1 for one that is taken for a zero, 0 for others."""
    word, code = text.casefold(), Coding()[text]
    if code == 1 or word in YES:
        return 1
    return -1 if code == 0 or word in NO or word.startswith("not ") else 0


def _as_ratings() -> Guess:
    """Whole numbers from 1 on."""

    def fits(column: Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        return bool(column.numbers) and all(
            n is not None and (n in GAPS or (n.is_integer() and 1 <= n <= LONGEST)) for n in column.numbers
        )

    def options(fitting: list[Column]) -> dict[str, Any]:
        values = [number_of(text) for column in fitting for text in column.texts if text in column.present]
        answers = answers_of(np.array(values, int))
        return {} if answers is None else answers.options(seen_missing(fitting) if answers.gaps else ())

    return Guess("ratings", fits, options, 1)
