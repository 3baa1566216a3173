"""Guesses of numbers: marks from 0 or below, ratings from 1 on, counts, amounts, and codes of what is missing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmf.cli.info.column import (
    FEW,
    PART,
    Column,
    Guess,
    also_missing,
    columns_apart,
    guess_with_others,
    present_missing_texts,
)
from nbmf.data.value_codes import amount_of, number_of
from nbmf.io.answers import DIFFERENT, GAPS, LONGEST, detect_answers, split_gaps
from nbmf.io.vote_codes import VOTE_CODES, WORDS, are_votes, vote_options

REACHED = 0.25  # of columns with marks, that have the highest one
YES_AND_NO = 2  # answers
CODES = {*GAPS, *(-gap for gap in GAPS)}  # SPSS and Qualtrics have -99 where others have 99
ZEROS = 0.25  # of amounts that are 0, of which measurements have fewer
MANY = 5  # columns of counts or amounts, of which fewer are those of a table of other things


def guess_vote_codes(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of votes in VoteView's code: 1 to 3 are yeas, 4 to 6 nays, others none; most are 1 or 6."""

    def fits(column: Column) -> bool:
        return bool(column.numbers) and column.numbers <= set().union(*VOTE_CODES.values())

    def options(fitting: list[Column]) -> dict[str, Any]:
        return vote_options(set().union(*(column.present for column in fitting)), present_missing_texts(fitting))

    fitting = [column for column in columns if fits(column)]
    votes = Counter(number_of(text) for column in fitting for text in column.observed)
    if fitting and are_votes(votes, sum(6 in column.numbers for column in fitting) / len(fitting)):
        yield Guess(WORDS, fits, options)


def guess_marks(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of whole numbers from 0 or below up to a highest one; half of the columns have some above 1.

    The highest is one that a quarter of such columns reach: another column may have a number of persons. Where it is
    not that of half of the columns, and some go beyond it, these are counts.
    """
    scales = [scale for column in columns if (scale := _scale_of(column))]
    tops = [scale[-1] for scale in scales]
    reached = [top for top in set(tops) if sum(other >= top for other in tops) >= REACHED * len(tops)]
    highest = max(reached, default=0)
    if max(tops, default=0) > highest and sum(top >= highest for top in tops) < PART * len(tops):
        return  # of counts each column has a highest one of its own
    seen = set().union(*(scale for scale in scales if scale[-1] <= highest))
    lowest = min(seen, default=0)
    marks = set(range(lowest, highest + 1))
    if lowest > 0 or highest < 2 or seen != marks or sum(1 < top <= highest for top in tops) < PART * len(columns):
        return

    def fits(column: Column) -> bool:
        scale = _scale_of(column)
        return bool(scale) and set(scale) <= marks and (not column.labels or len(column.answers) > YES_AND_NO)

    def options(fitting: list[Column]) -> dict[str, Any]:
        texts = set().union(*(column.different for column in fitting))
        gaps = {text for text in texts if (number := number_of(text)) is not None and number not in marks}
        missing = also_missing(sorted(gaps - {*present_missing_texts(fitting)}), fitting)
        read = {"categories": [*map(str, sorted(marks))]} if lowest < 0 else {"above": highest // 2}
        return read | missing

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
    scale, _ = split_gaps(from_0)
    depth, below = 0, {number_of(text) for text in column.different}
    while -2.0 in below and -depth - 1.0 in below:
        depth += 1
    return [*range(-depth, 0), *scale] if scale[-1] <= LONGEST else []


def guess_ratings(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of ratings: whole numbers from 1 on, next to few texts and negative codes that mean missing."""

    def ratings_of(column: Column) -> list[int]:
        numbers = map(number_of, column.observed)
        return [int(n) for n in numbers if n in GAPS or _is_rating(n)]

    def others(column: Column) -> set[str]:
        return {text for text in column.present if (n := number_of(text)) is None or n < 0}

    def fits(column: Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        are_known = all(n is None or n in CODES or _is_rating(n) for n in column.numbers)
        return are_known and len(others(column)) <= FEW and 0 < len(column.observed) * PART < len(ratings_of(column))

    def options(fitting: list[Column]) -> dict[str, Any]:
        answers = detect_answers(np.array([n for column in fitting for n in ratings_of(column)], int))
        odd = sorted(set().union(*map(others, fitting)))
        if answers is None:
            return {}
        return answers.options() | also_missing([*map(str, answers.gaps), *odd], fitting)

    def as_counts(fitting: list[Column]) -> dict[str, Any]:
        """Return the arguments of counts in a table with nothing where nothing was found, as of finds in graves."""
        cells = [text for column in fitting for text in column.texts]
        is_sparse = cells.count("") >= PART * len(cells)
        missing = [text for text in options(fitting).get("missing", ()) if text] or None
        return {"above": None, "counts": True, "zeros": [""], "missing": missing} if is_sparse else {}

    yield Guess("ratings", fits, options, 1, otherwise=as_counts)


def _is_rating(number: float | None) -> bool:
    return number is not None and number.is_integer() and 1 <= number <= LONGEST


def guess_counts(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of whole numbers from 0 on, of which there are several above one, and zeros in half of columns.

    It is for columns that nothing else fits: an age, too, is such a number. A year is one of `columns_apart`.
    """

    def others(column: Column) -> set[str]:
        return {text for text in column.present if number_of(text) is None}

    def are_counts(column: Column) -> bool:
        numbers, words = column.numbers - {None}, others(column)
        has_digits = any(character.isdigit() for word in words for character in word)  # a person decides of 1,204
        are_few = len(words) <= FEW and 2 * sum(text in words for text in column.texts) <= len(column.texts)
        are_whole = bool(numbers) and all(n >= 0 and n.is_integer() for n in numbers)
        return are_whole and are_few and not has_digits

    ranges = {column.name: column.range for column in columns if are_counts(column)}
    names = ranges.keys() - columns_apart(ranges)
    fitting = [column for column in columns if column.name in names]
    with_zeros = sum(0 in column.numbers for column in fitting)
    above = {n for column in fitting for n in column.numbers if n is not None and n > 1}
    if len(fitting) >= MANY and with_zeros >= PART * len(columns) and len(above) >= DIFFERENT:
        yield guess_with_others("counts", lambda column: column.name in names, others, counts=True)


def guess_amounts(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of numbers of at least 0, not all whole, many of which are 0, or half are not there.

    Others are measurements more often. So is a column without a zero, such as an altitude.
    """
    fitting = [column for column in columns if column.present and all(amount_of(t) is not None for t in column.present)]
    amounts = {text: amount_of(text) for column in fitting for text in column.different}
    has_zeros = 0 in amounts.values()
    none = {text for text, amount in amounts.items() if (amount == 0 if has_zeros else text == "")}
    fitting = [column for column in fitting if column.different & none]
    cells = Counter(text for column in fitting for text in column.texts)
    are_whole = all(amounts[text] is None or amounts[text].is_integer() for text in cells)
    zeros = sum(cells[text] for text in none)
    if len(fitting) < MANY or are_whole or zeros < (ZEROS if has_zeros else PART) * cells.total():
        return
    names, absent = {column.name for column in fitting}, {} if has_zeros else {"zeros": [""]}
    what = "amounts" if has_zeros else "amounts, or nothing, taken for 0"
    yield Guess(what, lambda column: column.name in names, lambda fitting: {"above": 0} | absent)
