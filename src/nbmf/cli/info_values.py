"""What the values of columns may mean that are no zeros and ones as they stand: guesses, each with options for it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nbmf.cli.info_covers import guess_classes
from nbmf.cli.info_guess import FEW, PART, Column, Guess, also_missing, columns_apart, present_missing_texts
from nbmf.cli.info_ratings import guess_marks, guess_ratings
from nbmf.cli.info_words import ABSENT_AND_PRESENT, BETWEEN, NO, ONE_NEXT_TO, SCALES, YES
from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of
from nbmf.io.answers import DIFFERENT
from nbmf.io.vote_codes import VOTE_CODES, WORDS, are_votes, vote_options

SEVERAL = 5  # answers between no and yes, of which a single one may be a slip
MANY = 5  # columns of counts, of which fewer are those of a table of other things
ONE_IS_YES = {1.0, 2.0}  # 1 is a yes


def guesses(columns: list[Column]) -> list[Guess]:
    """Return all guesses; of two that equally many columns fit the first is the better one."""
    word_guesses = [
        *_guess_scale(columns),
        *_guess_pairs(columns),
        *_guess_crosses(columns),
        *_guess_known_words(columns),
    ]
    word_guesses += guess_classes(columns)
    return [*_guess_vote_codes(columns), *guess_marks(columns), _guess_zeros_and_ones(), *word_guesses, guess_ratings()]


def guess_counts(columns: list[Column]) -> Guess | None:
    """Return whole numbers from 0 on, of which there are several above one, and zeros in half of the columns.

    None without such. It is for columns that nothing else fits: an age, too, is such a number. A year is
    one of `columns_apart`.
    """

    def others(column: Column) -> set[str]:
        return {text for text in column.present if number_of(text) is None}

    def are_counts(column: Column) -> bool:
        numbers, words = column.numbers - {None}, others(column)
        few_words = len(words) <= FEW and not any(map(_has_digit, words))  # of 1,204 and 3,5 a person decides
        are_few = not words or 2 * sum(text in words for text in column.texts) <= len(column.texts)
        return bool(numbers) and few_words and are_few and all(n >= 0 and n.is_integer() for n in numbers)

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return {"counts": True, **also_missing(odd, fitting)}

    fitting = [column for column in columns if are_counts(column)]
    apart = columns_apart({column.name: column.range for column in fitting})
    fitting = [column for column in fitting if column.name not in apart]
    names = {column.name for column in fitting}
    with_zeros = sum(0 in column.numbers for column in fitting)
    above = {n for column in fitting for n in column.numbers if n is not None and n > 1}
    if len(fitting) < MANY or with_zeros < PART * len(columns) or len(above) < DIFFERENT:
        return None
    return Guess("counts", lambda column: column.name in names, options)


def categories_with_middle(given: Mapping[str, Any], columns: list[Column]) -> dict[str, Any] | None:
    """Return the arguments that keep an abstention between a no and a yes; None if there is none, or several words.

    `given` are those by which it means missing.
    """
    ones, zeros, missing = (given.get(name) for name in ("ones", "zeros", "missing"))
    middle = [text for text in missing or () if text.casefold() in BETWEEN]
    coding = Coding(ones, zeros, missing)
    answers = set().union(*(column.answers for column in columns))
    ends = [[text for text in answers if coding[text] == code] for code in (0, 1)]
    if not len(middle) == len(ends[0]) == len(ends[1]) == 1 or _count_answer(middle[0], columns) < SEVERAL:
        return None
    others = [text for text in missing if text not in middle]
    are_needed = bool(set(map(str.casefold, others)) - {*DEFAULTS["missing"]})
    categories = [*ends[0], *middle, *ends[1]]
    return {"categories": categories, "ones": None, "zeros": None, "missing": others if are_needed else None}


def _count_answer(answer: str, columns: list[Column]) -> int:
    """Return how often columns have an answer."""
    return sum(column.labels.get(text, text) == answer for column in columns for text in column.texts)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _guess_zeros_and_ones() -> Guess:
    """Return the guess of zeros and ones as they are read anyway, with few other values that mean missing."""
    coding, missing = Coding(), Meaning(None, DEFAULTS["missing"])

    def others(column: Column) -> set[str]:
        return {text for text in column.different if coding[text] == coding.unknown}

    def fits(column: Column) -> bool:
        number = sum(coding[text] in (0, 1) for text in column.texts)
        present = sum(text not in missing for text in column.texts)
        return number > 0 and len(others(column)) <= FEW and number >= PART * present and not _counts_from_one(column)

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return also_missing(odd, fitting)

    return Guess("zeros and ones", fits, options)


def _counts_from_one(column: Column) -> bool:
    """Whether a column has 1 and 2, as of a gender, and no 0: among zeros and ones 2 hardly means missing there."""
    return column.numbers >= ONE_IS_YES and 0.0 not in column.numbers


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
    lower = {word.casefold() for word in words}
    one = next((w for w in words if _meaning(w) == 1 or _is_one_next_to(w.casefold(), lower)), None)
    # An absence is no zero next to a no.
    noes = sorted((word for word in words if _meaning(word) == -1), key=lambda word: word.casefold() == "absent")
    known = {1: one, -1: next(iter(noes), None)}
    if None in known.values():
        return
    pair = set(known.values())

    def fits(column: Column) -> bool:
        number, present = sum(word in pair for word in words_of(column)), len(words_of(column))
        says_which = bool(column.labels) or not _counts_from_one(column)  # labels do, whatever their codes
        few_others = len(column.answers - pair) <= FEW and says_which
        return number > 0 and few_others and number >= PART * present

    def options(fitting: list[Column]) -> dict[str, Any]:
        odd = sorted(set().union(*(column.answers - pair for column in fitting)))
        return {"ones": [known[1]], "zeros": [known[-1]], **also_missing(odd, fitting)}

    yield Guess(f"{known[1]!r} and {known[-1]!r}", fits, options)


def _is_one_next_to(word: str, others: set[str]) -> bool:
    """Whether a word means a one next to others: selected next to not selected, right next to wrong.

    Not important next to not important and very important: these are a scale.
    """
    opposite = f"not {word}"
    is_of_scale = any(re.search(rf"\b{re.escape(word)}\b", other) for other in others - {word, opposite})
    return ONE_NEXT_TO.get(word) in others or (opposite in others and not is_of_scale)


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
            return {"categories": [*known], **also_missing(odd, fitting)}

        yield Guess(f"answers from {known[0]!r} to {known[-1]!r}", fits, options)


def _guess_crosses(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of one text, such as x, or nothing; then that of a text of each column's own, as of choices."""
    counted = Counter(text for column in columns if len(column.present) == 1 for text in column.present)
    marks = [mark for mark, _ in counted.most_common() if number_of(mark) is None]
    if not marks:
        return
    yield _texts_or_nothing(f"{marks[0]!r} or nothing", {marks[0]})
    if len(marks) > 1:
        yield _texts_or_nothing(f"a text of their own, such as {marks[0]!r}, or nothing", {*marks})


def _texts_or_nothing(what: str, marks: set[str]) -> Guess:
    """Return the guess of columns with one of these texts alone, or nothing."""

    def fits(column: Column) -> bool:
        return column.present <= marks and len(column.present) <= 1 and "" in column.different

    def options(fitting: list[Column]) -> dict[str, Any]:
        seen = dict.fromkeys(text for column in fitting for text in sorted(column.present))
        return {"ones": list(seen) or sorted(marks), "zeros": [""]}

    return Guess(what, fits, options)


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
