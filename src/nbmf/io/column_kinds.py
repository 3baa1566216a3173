"""What a column of a table is: real numbers, categories, yes or no, counts, or of no use here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, POISSON
from nbmf.data.value_codes import DECIMAL_COMMA, number_of, text_of

# The words that users write, and the distribution that each stands for.
DISTRIBUTIONS = {"real": GAUSSIAN, "category": DISCRETE, "binary": BERNOULLI, "count": POISSON}

FEW_NUMBERS = 5  # different whole numbers, at most, that are taken for codes of categories
LARGEST_MEDIAN = 20  # of whole numbers from 0 on that are taken for counts
MOST_DISPERSED = 5.0  # variance over mean of these: a Poisson distribution would be far off beyond
MOST_CATEGORIES = 50
MOSTLY = 0.9  # of the values, so that the others are worth a word
WITH_COMMA, PERCENT = re.compile(r"-?\d+,\d+"), re.compile(r"-?\d+([.,]\d+)?\s*%")
DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}([./-])\d{1,2}\2(\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"
)


class Column(NamedTuple):
    """What a column is, as far as its values show it.

    kind : one of DISTRIBUTIONS, or None if it is left out or cannot be used
    values : list of numbers or texts, None where missing
    left_out : str, why it is of no use, if so
    problem : str, why a person has to decide, if so
    """

    kind: str | None
    values: list
    left_out: str = ""
    problem: str = ""


class WrongCell(Exception):
    """A value that is not of the kind that was asked for: its row, and the words."""

    def __init__(self, row: int, words: str):
        super().__init__(words)
        self.row, self.words = row, words


def infer_column_kind(values: Sequence[Any], kind: str | None = None) -> Column:
    """Return what a column is, of the `kind` that was asked for if one was.

    Numbers 0 and 1 alone are binary; at most FEW_NUMBERS different whole numbers are codes of
    categories; whole numbers from 0 on, small and hardly more dispersed than a Poisson distribution, are
    counts; other numbers are real. Texts are categories.

    Parameters
    ----------
    values : sequence
        Texts, numbers, truth values; None where missing.
    kind : str, optional
        One of DISTRIBUTIONS.

    Raises
    ------
    WrongCell
        If a value is none of that kind.
    """
    present = [value for value in values if value is not None]
    if not present:
        return Column(None, [], left_out="no value at all")
    if _have_decimal_commas(present):
        values = [value.replace(",", ".") if isinstance(value, str) else value for value in values]
    numbers = [_number(value) for value in values]
    if len({str(value) for value in present}) == 1:
        return Column(None, [], left_out=f"always {text_of(present[0])}")
    are_numbers = all(n is not None for n, v in zip(numbers, values, strict=True) if v is not None)
    if kind is not None:
        return Column(kind, _convert_to_kind(kind, values, numbers))
    if are_numbers:
        kind = _kind_of_numbers(np.array([n for n in numbers if n is not None]))
        return Column(kind, _texts(values) if kind == "category" else numbers)
    return _infer_text_kind(values, numbers)


def _have_decimal_commas(present: Sequence[Any]) -> bool:
    """Whether all values are numbers, with a comma before decimals: where all are like 1,204 they may be thousands."""
    with_comma = [value for value in present if isinstance(value, str) and WITH_COMMA.fullmatch(value)]
    others = (_number(value) for value in present if not (isinstance(value, str) and WITH_COMMA.fullmatch(value)))
    are_decimals = any(DECIMAL_COMMA.fullmatch(value.removeprefix("-")) for value in with_comma)
    return are_decimals and all(number is not None and number.is_integer() for number in others)


def _number(value: Any) -> float | None:
    number = number_of(value) if isinstance(value, str | int | float | np.number | np.bool_) else None
    return number if number is not None and np.isfinite(number) else None


def _kind_of_numbers(numbers: np.ndarray) -> str:
    distinct = np.unique(numbers)
    if np.isin(distinct, (0, 1)).all():
        return "binary"
    if (distinct != np.floor(distinct)).any():
        return "real"
    if distinct.size <= min(FEW_NUMBERS, numbers.size // 4):
        return "category"
    is_small = distinct[0] == 0 and np.median(numbers) <= LARGEST_MEDIAN
    return "count" if is_small and numbers.var() <= MOST_DISPERSED * numbers.mean() else "real"


def _texts(values: Sequence[Any]) -> list[str | None]:
    """Return values as texts, whole numbers without a point."""
    return [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    number = None if isinstance(value, str) else _number(value)
    is_truth = isinstance(value, bool | np.bool_)
    whole = number is not None and number == int(number) and not is_truth
    return str(int(number)) if whole else str(value)


def _infer_text_kind(values: Sequence[Any], numbers: list) -> Column:
    texts = _texts(values)
    present = [text for text in texts if text is not None]
    different = len(set(present))
    if sum(DATE.fullmatch(text) is not None for text in present) >= MOSTLY * len(present):
        return Column(None, [], problem=f"dates, such as {present[0]!r}")
    for pattern, words in (
        (WITH_COMMA, "numbers with commas, before decimals or between thousands"),
        (PERCENT, "percentages"),
    ):
        if sum(pattern.fullmatch(text) is not None for text in present) >= MOSTLY * len(present):
            return Column(None, [], problem=f"{words}, such as {present[0]!r}")
    if sum(n is not None for n in numbers) >= MOSTLY * len(present):
        odd = next(t for n, t in zip(numbers, texts, strict=True) if n is None and t is not None)
        return Column(None, [], problem=f"numbers, but for {odd!r}")
    if different > MOST_CATEGORIES or (different > FEW_NUMBERS and 2 * different > len(present)):
        return Column(None, [], problem=f"{different} different texts, such as {present[0]!r}")
    return Column("category", texts)


def _convert_to_kind(kind: str, values: Sequence[Any], numbers: list) -> list:
    """Return values as that kind has them; of counts and yes or no, numbers."""
    if kind == "category":
        return _texts(values)
    right = {"real": lambda n: True, "binary": lambda n: n in (0, 1), "count": lambda n: n >= 0 and n == int(n)}[kind]
    allowed = {"real": "numbers", "binary": "0 and 1", "count": "whole numbers from 0 on"}
    for row, (number, value) in enumerate(zip(numbers, values, strict=True)):
        if value is not None and (number is None or not right(number)):
            raise WrongCell(row, f"{value!r}; allowed in a {kind} column: {allowed[kind]}")
    return numbers
