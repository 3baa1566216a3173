"""Guesses of how much there is of each species: classes of cover, such as Braun-Blanquet's, and amounts in per cent."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nbmf.cli.info_guess import PART, Column, Guess
from nbmf.data.value_codes import amount_of

# From the lowest class on: Braun-Blanquet's, with the divided 2 of Barkman et al., and the DAFOR scale.
CLASSES = (("r", "+", "1", "2", "2m", "2a", "2b", "3", "4", "5"), ("r", "o", "f", "a", "d"))
FEWEST_CLASSES = 4  # that are there: of fewer letters and numbers each has other meanings too
ABSENT = ("", ".", "-", "0")
ZEROS = 0.25  # of amounts that are 0, of which measurements have fewer
MANY = 5  # columns of amounts, of which fewer are those of a table of other things


def guess_classes(columns: list[Column]) -> Iterator[Guess]:
    """Yield guesses of classes of cover next to what stands for an absence, in most of the cells."""
    counted = Counter(text for column in columns for text in column.texts)
    absent = [text for text, _ in counted.most_common() if text in ABSENT]
    for scale in CLASSES:
        texts = {text for text in counted if text.casefold() in scale}
        known = sorted(texts, key=lambda text: scale.index(text.casefold()))
        are_numbers, is_twice = all(map(str.isdigit, known)), len({*map(str.casefold, known)}) < len(known)
        if len(known) < FEWEST_CLASSES or are_numbers or is_twice or not _are_mostly(absent, known, counted):
            continue

        def fits(column: Column, allowed=frozenset({*known, *absent}), texts=frozenset(texts)) -> bool:
            return column.different <= allowed and bool(column.different & texts)

        def options(fitting: list[Column], known=tuple(known)) -> dict[str, Any]:
            return {"categories": [absent[0], *known], **({"missing": absent[1:]} if absent[1:] else {})}

        def presence(fitting: list[Column], known=tuple(known)) -> dict[str, Any]:
            return {"categories": None, "missing": None, "ones": [*known], "zeros": absent}

        what = f"classes of cover, from {known[0]!r} to {known[-1]!r}, or {absent[0]!r} where a species is absent"
        yield Guess(what, fits, options, otherwise=presence)


def _are_mostly(absent: list[str], known: list[str], counted: Counter) -> bool:
    """Whether absences are at least half of the cells: an r among answers from 1 to 5 is no cover."""
    absences, covers = (sum(counted[text] for text in texts) for texts in (absent, known))
    return absences >= PART * (absences + covers)


def guess_amounts(columns: list[Column]) -> Guess | None:
    """Return numbers of at least 0, some of them no whole ones, many of which are 0, or half are not there.

    None without such, which are measurements more often. So is a column without a zero, such as an altitude.
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
        return None
    names, absent = {column.name for column in fitting}, {} if has_zeros else {"zeros": [""]}
    what = "amounts" if has_zeros else "amounts, or nothing, taken for 0"
    return Guess(what, lambda column: column.name in names, lambda _: {"above": 0, **absent})
