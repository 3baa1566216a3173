"""Guesses of texts: zeros and ones, pairs and scales of answers, crosses, known words, and classes of cover."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nbmf.cli.info.column import PART, Column, Guess, guess_with_others, resemble_counts
from nbmf.cli.info.words import ABSENT_AND_PRESENT, ATTENDANCE, BETWEEN, CLASSES, NO, NO_COVER, ONE_NEXT_TO, SCALES, YES
from nbmf.data.value_codes import DEFAULTS, Coding, number_of

SEVERAL = 5  # answers between no and yes, of which a single one may be a slip
ONE_IS_YES = {1.0, 2.0}  # 1 is a yes
FEWEST_CLASSES = 4  # that are there: of fewer letters and numbers each has other meanings too


def guess_zeros_and_ones(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of zeros and ones as they are read anyway, with few other values that mean missing."""
    coding = Coding()
    known = _words_with_meaning(set().union(*(column.present for column in columns)))

    def others(column: Column) -> set[str]:
        return {text for text in column.different if coding[text] == coding.unknown}

    def fits(column: Column) -> bool:
        number = sum(coding[text] in (0, 1) for text in column.texts)
        are_all = known.isdisjoint(others(column))  # Y next to Yes is another word for it
        return 0 < number >= PART * len(column.observed) and are_all and not _counts_from_one(column)

    guess = guess_with_others("zeros and ones", fits, others)
    if not resemble_counts(list(filter(guess.fits, columns))):
        yield guess


def _counts_from_one(column: Column) -> bool:
    """Whether a column has 1 and 2, as of a gender, and no 0: among zeros and ones 2 hardly means missing there."""
    return column.numbers >= ONE_IS_YES and 0.0 not in column.numbers


def guess_scales(columns: list[Column]) -> Iterator[Guess]:
    """Yield guesses of three or more texts of a known scale, in its order, next to few others that mean missing."""
    counted = Counter(word for column in columns for word in column.words)
    spelled = {_plain(word): word for word, _ in reversed(counted.most_common())}  # each as it is most often
    for scale in SCALES:
        known = [spelled[_plain(text)] for text in scale if _plain(text) in spelled]
        if len(known) >= 3:
            yield _guess_scale(known)


def _plain(text: str) -> str:
    """Return the letters of a text: of Strongly agree, strongly_agree and StronglyAgree the same."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _guess_scale(known: list[str]) -> Guess:
    texts = {*known}
    return guess_with_others(
        f"answers from {known[0]!r} to {known[-1]!r}",
        lambda column: len(column.answers & texts) > 1,
        lambda column: column.answers - texts,
        categories=known,
    )


def _in_order(texts: set[str], scale: Sequence[str]) -> list[str]:
    """Return the texts of a scale, in upper or lower case, in its order."""
    known = [text for text in texts if text.casefold() in scale]
    return sorted(known, key=lambda text: scale.index(text.casefold()))


def _are_spelled_alike(texts: list[str]) -> bool:
    """Whether none is there in two spellings, in upper and lower case."""
    return len({*map(str.casefold, texts)}) == len(texts)


def guess_pairs(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of two answers, the most frequent pair that columns have."""
    pairs = Counter(column.answers for column in columns if len(column.answers) == 2)
    if not pairs:
        return
    pair = pairs.most_common(1)[0][0]
    labels = next(column.labels for column in columns if column.answers == pair)
    (zero, one), is_certain = _order_pair(sorted(pair), {label: code for code, label in labels.items()})

    def fits(column: Column) -> bool:
        return bool(column.answers) and column.answers <= pair

    read = {"ones": [one], "zeros": [zero]}
    yield Guess(f"{one!r} and {zero!r}", fits, lambda fitting: read, is_certain=is_certain)


def guess_known_words(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of words for ones and for zeros, next to few others that mean missing."""
    lower = {word.casefold() for column in columns for word in column.answers}
    known = _words_with_meaning(word for column in columns for word in column.answers)
    known |= {word for column in columns for word in column.answers if _is_one_next_to(word.casefold(), lower)}

    def fits(column: Column) -> bool:
        number = sum(word in known for word in column.words)
        says_which = bool(column.labels) or not _counts_from_one(column)  # labels do, whatever their codes
        return 0 < number >= PART * len(column.words) and says_which

    counted = Counter(word for column in filter(fits, columns) for word in column.words if word in known)
    words = [word for word, _ in counted.most_common()]
    zeros = [word for word in words if _meaning(word) == -1]
    ones = [word for word in words if word not in zeros]
    if not ones or not zeros:
        return
    either = {*ones, *zeros}
    what = f"{_join_with_or(ones)}{',' * (len(either) > 2)} and {_join_with_or(zeros)}"
    guess = guess_with_others(what, fits, lambda column: column.answers - either, ones=ones, zeros=zeros)
    if number_of(ones[0]) is None or not resemble_counts(list(filter(guess.fits, columns))):
        yield guess


def _join_with_or(texts: list[str]) -> str:
    *first, last = map(repr, texts)
    return " or ".join([", ".join(first), last] if first else [last])


def _words_with_meaning(texts: Iterable[str]) -> set[str]:
    """Return the texts that mean a one or a zero next to one another.

    Next to words, as yes and no, being present or absent is no answer, and - is a cell without one; nor is "not
    applicable" one, unless there is "applicable".
    """
    different = {*texts}
    lower = {text.casefold() for text in different}
    known = {
        text
        for text in different
        if _meaning(text) and (not text.casefold().startswith("not ") or text.casefold()[4:] in lower)
    }
    for kind in (_is_word, _is_of_attendance):
        if any(map(kind, known)):
            return {text for text in known if kind(text) or _is_code(text)}
    return known


def _is_word(text: str) -> bool:
    return text[0].isalpha() and not _is_of_attendance(text)


def _is_of_attendance(text: str) -> bool:
    return text.casefold() in ATTENDANCE


def _is_code(text: str) -> bool:
    return number_of(text) is not None


def _is_one_next_to(word: str, others: set[str]) -> bool:
    """Whether a word means a one next to others: selected next to not selected, right next to wrong.

    Not important next to not important and very important: these are a scale.
    """
    opposite = f"not {word}"
    is_of_scale = any(re.search(rf"\b{re.escape(word)}\b", other) for other in others - {word, opposite})
    return ONE_NEXT_TO.get(word) in others or (opposite in others and not is_of_scale)


def guess_crosses(columns: list[Column]) -> Iterator[Guess]:
    """Yield the guess of one text, such as x, or nothing; then that of a text of each column's own, as of choices."""
    counted = Counter(text for column in columns if len(column.present) == 1 for text in column.present)
    marks = [mark for mark, _ in counted.most_common() if number_of(mark) is None]
    if marks:
        yield _texts_or_nothing(f"{marks[0]!r} or nothing", {marks[0]})
    if len(marks) > 1:
        yield _texts_or_nothing(f"a text of their own, such as {marks[0]!r}, or nothing", {*marks})


def _texts_or_nothing(what: str, marks: set[str]) -> Guess:
    """Return the guess of columns with one of these texts alone, or nothing."""

    def fits(column: Column) -> bool:
        return column.present <= marks and len(column.present) <= 1 and "" in column.different

    def options(fitting: list[Column]) -> dict[str, Any]:
        seen = dict.fromkeys(text for column in fitting for text in column.present)
        return {"ones": list(seen) or sorted(marks), "zeros": [""]}

    return Guess(what, fits, options)


def guess_classes(columns: list[Column]) -> Iterator[Guess]:
    """Yield guesses of classes of cover next to what stands for an absence, in most of the cells."""
    counted = Counter(text for column in columns for text in column.texts)
    absent = [text for text, _ in counted.most_common() if text in NO_COVER]
    absences = sum(counted[text] for text in absent)
    for scale in CLASSES:
        known = _in_order({*counted}, scale)
        covers = sum(counted[text] for text in known)
        are_mostly_absent = absences >= PART * (absences + covers)  # an r among answers from 1 to 5 is no cover
        are_numbers = all(map(str.isdigit, known))
        if len(known) >= FEWEST_CLASSES and not are_numbers and _are_spelled_alike(known) and are_mostly_absent:
            yield _guess_classes_of(known, absent)


def _guess_classes_of(known: list[str], absent: list[str]) -> Guess:
    missing = {"missing": absent[1:]} if absent[1:] else {}
    in_order = {"categories": [absent[0], *known], **missing}
    presence = {"categories": None, "missing": None, "ones": known, "zeros": absent}
    return Guess(
        f"classes of cover, from {known[0]!r} to {known[-1]!r}, or {absent[0]!r} where a species is absent",
        lambda column: column.different <= {*known, *absent} and not column.different.isdisjoint(known),
        lambda fitting: in_order,
        otherwise=lambda fitting: presence,
    )


def categories_with_middle(given: Mapping[str, Any], columns: list[Column]) -> dict[str, Any] | None:
    """Return the arguments that keep an abstention between a no and a yes; None if there is none, or several words.

    `given` are those by which it means missing.
    """
    ones, zeros, missing = (given.get(name) for name in ("ones", "zeros", "missing"))
    middle = [text for text in missing or () if text.casefold() in BETWEEN]
    coding = Coding(ones, zeros, missing)
    answers = set().union(*(column.answers for column in columns))
    ends = [[text for text in answers if coding[text] == code] for code in (0, 1)]
    if not len(middle) == len(ends[0]) == len(ends[1]) == 1:
        return None
    if sum(column.words.count(middle[0]) for column in columns) < SEVERAL:
        return None
    others = [text for text in missing if text not in middle]
    are_needed = bool(set(map(str.casefold, others)) - {*DEFAULTS["missing"]})
    categories = [*ends[0], *middle, *ends[1]]
    return {"categories": categories, "ones": None, "zeros": None, "missing": others if are_needed else None}


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
