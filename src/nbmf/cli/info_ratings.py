"""Guesses of whole numbers: marks from 0 or below, and ratings from 1 on, with codes of what is missing."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmf.cli.info_guess import FEW, PART, Column, Guess, also_missing, present_missing_texts
from nbmf.data.value_codes import number_of
from nbmf.io.answers import GAPS, LONGEST, detect_answers, split_gaps

REACHED = 0.25  # of columns with marks, that have the highest one
YES_AND_NO = 2  # answers
CODES = {*GAPS, *(-gap for gap in GAPS)}  # SPSS and Qualtrics have -99 where others have 99


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
        known = set(present_missing_texts(fitting))
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
    scale, _ = split_gaps(from_0)
    depth, below = 0, {number_of(text) for text in column.different}
    while -2.0 in below and -depth - 1.0 in below:
        depth += 1
    return [*range(-depth, 0), *scale] if scale[-1] <= LONGEST else []


def guess_ratings() -> Guess:
    """Return the guess of ratings: whole numbers from 1 on, next to few texts and negative codes that mean missing."""

    def ratings_of(column: Column) -> list[int]:
        numbers = [number_of(text) for text in column.texts if text in column.present]
        return [int(n) for n in numbers if n in GAPS or (n is not None and n.is_integer() and 1 <= n <= LONGEST)]

    def others(column: Column) -> set[str]:
        return {text for text in column.present if (n := number_of(text)) is None or n < 0}

    def fits(column: Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        odd, observed = others(column), [text for text in column.texts if text in column.present]
        are_known = all(n is None or n in CODES or (n.is_integer() and 1 <= n <= LONGEST) for n in column.numbers)
        return are_known and len(odd) <= FEW and 0 < len(observed) * PART < len(ratings_of(column))

    def options(fitting: list[Column]) -> dict[str, Any]:
        answers = detect_answers(np.array([n for column in fitting for n in ratings_of(column)], int))
        odd = sorted(set().union(*map(others, fitting)))
        if answers is None:
            return {}
        return {**answers.options(), **also_missing([*map(str, answers.gaps), *odd], fitting)}

    def as_counts(fitting: list[Column]) -> dict[str, Any]:
        """Return the arguments of counts in a table with nothing where nothing was found, as of finds in graves."""
        cells = [text for column in fitting for text in column.texts]
        is_sparse = cells.count("") >= PART * len(cells)
        missing = [text for text in options(fitting).get("missing", ()) if text] or None
        return {"above": None, "counts": True, "zeros": [""], "missing": missing} if is_sparse else {}

    return Guess("ratings", fits, options, 1, otherwise=as_counts)
