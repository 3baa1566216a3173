"""What the values of columns may mean that are no zeros and ones as they stand: guesses, each with options for it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmf.cli.info_guess import Column, Guess
from nbmf.cli.info_words import ABSENT_AND_PRESENT, NO, SCALES, YES
from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of
from nbmf.io.answers import DIFFERENT, GAPS, LONGEST, detect_answers, split_gaps
from nbmf.io.vote_codes import VOTE_CODES, WORDS, are_votes, vote_options

PART = 0.5  # of a column's values that have to be zeros and ones, and of columns with marks above one
REACHED = 0.25  # of columns with marks, that have the highest one
MANY = 5  # columns of counts, of which fewer are those of a table of other things
FEW = 3  # other values in a column that fits all the same: they are taken to mean missing
YES_AND_NO = 2  # answers
ONE_IS_YES = {1.0, 2.0}  # 1 is a yes


def guesses(columns: list[Column]) -> list[Guess]:
    """Return all guesses; of two that equally many columns fit the first is the better one."""
    word_guesses = [
        *_guess_scale(columns),
        *_guess_pairs(columns),
        *_guess_crosses(columns),
        *_guess_known_words(columns),
    ]
    return [
        *_guess_vote_codes(columns),
        *_guess_marks(columns),
        _guess_zeros_and_ones(),
        *word_guesses,
        _guess_ratings(),
    ]


def guess_counts(columns: list[Column]) -> Guess | None:
    """Return whole numbers from 0 on, of which there are several above one, and zeros in half of the columns.

    None without such. It is for columns that nothing else fits: an age, too, is such a number.
    """

    def others(column: Column) -> set[str]:
        return {text for text in column.present if number_of(text) is None}

    def fits(column: Column) -> bool:
        numbers, words = column.numbers - {None}, others(column)
        few_words = len(words) <= FEW and not any(map(_has_digit, words))  # of 1,204 and 3,5 a person decides
        are_few = not words or 2 * sum(text in words for text in column.texts) <= len(column.texts)
        return bool(numbers) and few_words and are_few and all(n >= 0 and n.is_integer() for n in numbers)

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return {"counts": True, **_also_missing(odd, fitting)}

    fitting = [column for column in columns if fits(column)]
    with_zeros = sum(0 in column.numbers for column in fitting)
    above = {n for column in fitting for n in column.numbers if n is not None and n > 1}
    if len(fitting) < MANY or with_zeros < PART * len(columns) or len(above) < DIFFERENT:
        return None
    return Guess("counts", fits, options)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def present_missing_texts(columns: list[Column]) -> list[str]:
    """Return the texts that mean missing by default and are there: others take their place where they are given."""
    missing = Meaning(None, DEFAULTS["missing"])
    return sorted({text for column in columns for text in column.different if text in missing})


def _also_missing(odd: list[str], columns: list[Column]) -> dict[str, list[str]]:
    """Return the argument by which some texts mean missing, next to those that do by default."""
    return {"missing": [*odd, *present_missing_texts(columns)]} if odd else {}


def _guess_marks(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of whole numbers from 0 or below up to a highest one; half of the columns have some above 1.

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


def _guess_zeros_and_ones() -> Guess:
    """Return the guess of zeros and ones as they are read anyway, with few other values that mean missing."""
    coding, missing = Coding(), Meaning(None, DEFAULTS["missing"])

    def others(column: Column) -> set[str]:
        return {text for text in column.different if coding[text] == coding.unknown}

    def fits(column: Column) -> bool:
        number = sum(coding[text] in (0, 1) for text in column.texts)
        present = sum(text not in missing for text in column.texts)
        return number > 0 and len(others(column)) <= FEW and number >= PART * present and not _has_two_codes(column)

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return _also_missing(odd, fitting)

    return Guess("zeros and ones", fits, options)


def _has_two_codes(column: Column) -> bool:
    """Whether a column has 1 and 2, as of a gender, and no 0: among zeros and ones 2 hardly means missing there."""
    return column.numbers - {*GAPS} == ONE_IS_YES


def _guess_pairs(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of two answers, the most frequent pair that columns have."""
    pairs = Counter(column.answers for column in columns)
    for pair in (pair for pair, _ in pairs.most_common() if len(pair) == 2):
        codes = next(({v: k for k, v in column.labels.items()} for column in columns if column.answers == pair), {})
        (zero, one), is_certain = _order_pair(sorted(pair), codes)

        def fits(column: Column, pair=pair) -> bool:
            return bool(column.answers) and column.answers <= pair

        def options(fitting: list[Column], one=one, zero=zero) -> dict[str, Any]:
            return {"ones": [one], "zeros": [zero]}

        yield Guess(f"{one!r} and {zero!r}", fits, options, is_certain=is_certain)
        return


def _guess_known_words(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of the commonest words for a one and for a zero, next to few others that mean missing."""

    def words_of(column: Column) -> list[str]:
        return [column.labels.get(text, text) for text in column.texts if text in column.present]

    words = [word for word, _ in Counter(word for column in columns for word in words_of(column)).most_common()]
    one = next((word for word in words if _meaning(word) == 1), None)
    # An absence is no zero next to a no.
    noes = sorted((word for word in words if _meaning(word) == -1), key=lambda word: word.casefold() == "absent")
    known = {1: one, -1: next(iter(noes), None)}
    if None in known.values():
        return
    pair = set(known.values())

    def fits(column: Column) -> bool:
        number, present = sum(word in pair for word in words_of(column)), len(words_of(column))
        few_others = len(column.answers - pair) <= FEW and not _has_two_codes(column)
        return number > 0 and few_others and number >= PART * present

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*(column.answers - pair for column in fitting)))
        return {"ones": [known[1]], "zeros": [known[-1]], **_also_missing(odd, fitting)}

    yield Guess(f"{known[1]!r} and {known[-1]!r}", fits, options)


def _guess_scale(columns: list[Column]) -> Iterator[Guess]:
    """Yield guesses of three or more texts of a known scale, in its order, next to few others that mean missing."""
    for scale in SCALES:
        answers = set().union(*(column.answers for column in columns))
        known = sorted((text for text in answers if text.casefold() in scale), key=lambda t: scale.index(t.casefold()))
        if len(known) < 3 or len({text.casefold() for text in known}) < len(known):
            continue

        def fits(column: Column, known=frozenset(known)) -> bool:
            return len(column.answers & known) > 1 and len(column.answers - known) <= FEW

        def options(fitting: list[Column], known=tuple(known)) -> dict[str, Any]:
            odd = sorted(set().union(*(column.answers for column in fitting)) - {*known})
            return {"categories": [*known], **_also_missing(odd, fitting)}

        yield Guess(f"answers from {known[0]!r} to {known[-1]!r}", fits, options)


def _guess_crosses(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of one text, such as x, or nothing."""
    counted = Counter(text for column in columns if len(column.present) == 1 for text in column.present)
    if not counted or number_of(mark := counted.most_common(1)[0][0]) is not None:
        return

    def fits(column: Column) -> bool:
        return column.present <= {mark} and "" in column.different

    def options(fitting: list[Column]) -> dict[str, Any]:
        return {"ones": [mark], "zeros": [""]}

    yield Guess(f"{mark!r} or nothing", fits, options)


def _guess_vote_codes(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of votes in VoteView's code: 1 to 3 are yeas, 4 to 6 nays, others none; most are 1 or 6."""

    def numbers_of(fitting: list[Column]) -> Counter:
        return Counter(number_of(text) for column in fitting for text in column.texts if text in column.present)

    def fits(column: Column) -> bool:
        return bool(column.numbers) and column.numbers <= set().union(*VOTE_CODES.values())

    def options(fitting: list[Column]) -> dict[str, Any]:
        seen = {text for column in fitting for text in column.present}
        return vote_options(seen, present_missing_texts(fitting))

    fitting = [column for column in columns if fits(column)]
    if fitting and are_votes(numbers_of(fitting), sum(6 in column.numbers for column in fitting) / len(fitting)):
        yield Guess(WORDS, fits, options)


def _order_pair(pair: list[str], codes: dict[str, str]) -> tuple[list[str], bool]:
    """Return the zero and the one of two answers, and whether that is known: numbers, words, or codes behind labels."""
    if in_order := _order_by_number(pair, pair):
        return in_order, True
    if tuple(text.casefold() for text in pair) == ABSENT_AND_PRESENT:
        return pair, True
    first, second = meanings = [_meaning(text) for text in pair]
    if first != second:  # a letter alone, as of M and F, is a word only next to another that is known
        is_known = all(meanings) or any(one and len(text) > 1 for text, one in zip(pair, meanings, strict=True))
        return pair if first < second else pair[::-1], is_known
    in_order = _order_by_number(pair, [codes.get(text, text) for text in pair])
    return (in_order, True) if in_order else (pair[::-1], False)


def _order_by_number(pair: list[str], texts: list[str]) -> list[str]:
    """Return a pair in the order of its numbers, also with decimal commas or %; [] without. Of 1 and 2, 1 is a yes."""
    numbers = [number_of(text.replace(",", ".").removesuffix("%")) for text in texts]
    if None in numbers:
        return []
    in_order = pair if numbers[0] < numbers[1] else pair[::-1]
    return in_order[::-1] if set(numbers) == ONE_IS_YES else in_order


def _meaning(text: str) -> int:
    """Return 1 for a word that everybody takes for a one, -1 for one that is taken for a zero, 0 for others."""
    word, code = text.casefold(), Coding()[text]
    if code == 1 or word in YES:
        return 1
    return -1 if code == 0 or word in NO or word.startswith("not ") else 0


def _guess_ratings() -> Guess:
    """Return the guess of ratings: whole numbers from 1 on."""

    def fits(column: Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        return bool(column.numbers) and all(
            n is not None and (n in GAPS or (n.is_integer() and 1 <= n <= LONGEST)) for n in column.numbers
        )

    def options(fitting: list[Column]) -> dict[str, Any]:
        values = [number_of(text) for column in fitting for text in column.texts if text in column.present]
        answers = detect_answers(np.array(values, int))
        return {} if answers is None else answers.options(present_missing_texts(fitting) if answers.gaps else ())

    return Guess("ratings", fits, options, 1)
