"""What `nbmf info` says about a file with columns or values that do not fit a matrix, and a command that works."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nbmf
from nbmf.cli.arguments import READ, as_typed
from nbmf.cli.options import Options
from nbmf.cli.reading import command_for
from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of, text_of
from nbmf.errors import DataError, NbmfError
from nbmf.io.answers import GAPS, LONGEST, AnswersError, answers_of
from nbmf.io.cells import RepeatedName
from nbmf.io.column_kinds import infer_column_kind
from nbmf.io.columns import Columns, read_columns
from nbmf.reporting.text import wrapped

PART = 0.5  # of all columns that have to fit, and of a column's values
FEW = 3  # other values in a column that fits all the same: they mean missing
YES_AND_NO = 2  # answers
ENOUGH = 20  # rows, from which on a column of 1 and 2 among ratings is none
# Pairs of answers of which everybody knows which is a one.
YES = ("ja", "oui", "si", "sí", "sim", "tak", "kyllä", "y", "j", "t", "true", "wahr", "vrai", "yea", "aye", "present")
NO = ("nein", "non", "no", "não", "nie", "ei", "n", "f", "false", "falsch", "faux", "nay", "absent")


class _Column(NamedTuple):
    """A column of a file: what options call it, its texts, "" where nothing is, and labels of these, if any."""

    name: str
    texts: list[str]
    labels: dict[str, str]

    @property
    def different(self) -> set[str]:
        return set(self.texts)

    @property
    def answers(self) -> frozenset[str]:
        """What is there and does not mean missing, in the words of labels."""
        missing = Meaning(None, DEFAULTS["missing"])
        return frozenset(self.labels.get(text, text) for text in self.different if text not in missing)


class _Reading(NamedTuple):
    """A way to read columns as zeros and ones.

    what : str, words for the columns that fit
    fits : function from a column to whether it does
    options : function from columns that fit to arguments of `nbmf.read`
    """

    what: str
    fits: Callable[[_Column], bool]
    options: Callable[[list[_Column]], dict[str, Any]]


def report(options: argparse.Namespace, refused: DataError) -> list[str] | None:
    """Return the lines about a file that was refused as a matrix; None if too few of its columns could be one."""
    columns = _columns(options)
    if columns is None:
        return None
    first, *others = columns
    is_index = options.index is not False and _names_rows(first)
    columns = others if is_index or options.index else columns
    candidates = [(reading, [column for column in columns if reading.fits(column)]) for reading in _readings(columns)]
    reading, fitting = max(candidates, key=lambda candidate: len(candidate[1]))
    if len(fitting) < max(2, PART * len(columns)):
        return None
    chosen_options, fits = reading.options(fitting), {column.name for column in fitting}
    misfits = [column for column in columns if column.name not in fits]
    odd = [column for column in fitting if chosen_options.get("above", 0) > 1 and _is_no_rating(column)]
    apart = {column.name for column in (*misfits, *odd)}
    chosen_options["ignore"] = [*(options.ignore or ()), *(column.name for column in columns if column.name in apart)]
    if first.name in apart and options.index is None:  # or the next one would be read as names
        chosen_options["index"] = False
    chosen = Options(**{**vars(options), **chosen_options})
    understood = _understood(chosen)
    if understood is None:
        return None
    are_ratings, is_name = (isinstance(refused.__cause__ or refused, kind) for kind in (AnswersError, RepeatedName))
    is_told = is_name or not (misfits or are_ratings)
    where = [as_typed(refused.message, "info").partition(";")[0].partition(" (")[0]] if is_told else []
    return [
        understood,
        *where,
        *_described(options.file, reading, fitting, misfits, odd, chosen_options),
        *_next(chosen, _as_categories(chosen, fitting, odd)),
    ]


def _columns(options: argparse.Namespace) -> list[_Column] | None:
    """Return the columns that may have values; None if the file is no table."""
    try:
        table = read_columns(
            Path(options.file).expanduser(), options.header, [""], name=options.name, encoding=options.encoding
        )
    except (NbmfError, OSError):
        return None
    aside = {*(options.ignore or ()), options.groups}
    columns = list(_as_texts(table))
    return [column for column in columns if column.name not in aside] or None


def _as_texts(found: Columns) -> Iterator[_Column]:
    names = list(found.values)[-len(found.table.names) :]
    for place, (name, variable) in enumerate(zip(names, found.table.variables, strict=True)):
        labels = {text_of(value): label for value, label in found.table.labels_of(place).items()}
        values = found.table.values_of(place) if labels else found.values[name]
        called = variable if found.table.has_header else name
        yield _Column(called, ["" if value is None else text_of(value).strip() for value in values], labels)


def _names_rows(column: _Column) -> bool:
    """Whether a first column has names of rows: all are there, all differ, and some are no values."""
    if "" in column.different or len(column.different) < len(column.texts) or column.labels:
        return False
    return Coding().are_names(column.texts)


def _readings(columns: list[_Column]) -> list[_Reading]:
    return [_as_they_are(), *_as_pairs(columns), _as_ratings()]


def _as_they_are() -> _Reading:
    """Zeros and ones as they are read anyway, with few other values that mean missing."""
    coding, missing = Coding(), Meaning(None, DEFAULTS["missing"])

    def others(column: _Column) -> set[str]:
        return {text for text in column.different if coding[text] == coding.unknown}

    def fits(column: _Column) -> bool:
        number = sum(coding[text] in (0, 1) for text in column.texts)
        present = sum(text not in missing for text in column.texts)
        return number > 0 and len(others(column)) <= FEW and number >= PART * present

    def options(fitting: list[_Column]) -> dict[str, Any]:
        odd = sorted(set().union(*map(others, fitting)))
        return {"missing": [*odd, *_seen_missing(fitting)]} if odd else {}

    return _Reading("zeros and ones", fits, options)


def _as_pairs(columns: list[_Column]) -> Iterator[_Reading]:
    """Two answers, the most frequent pair that columns have."""
    pairs = Counter(column.answers for column in columns)
    for pair in (pair for pair, _ in pairs.most_common() if len(pair) == 2):
        one, zero = sorted(pair)
        if _means(zero, YES) or _means(one, NO):
            one, zero = zero, one

        def fits(column: _Column, pair=pair) -> bool:
            return bool(column.answers) and column.answers <= pair

        def options(fitting: list[_Column], one=one, zero=zero) -> dict[str, Any]:
            return {"ones": [one], "zeros": [zero]}

        yield _Reading(f"{one!r} and {zero!r}", fits, options)
        return


def _means(text: str, words: tuple[str, ...]) -> bool:
    return text.casefold() in words


def _as_ratings() -> _Reading:
    missing = Meaning(None, DEFAULTS["missing"])

    def numbers(column: _Column) -> list[float | None]:
        return [number_of(text) for text in column.texts if text not in missing]

    def fits(column: _Column) -> bool:
        if column.labels and len(column.answers) <= YES_AND_NO:  # labels say which is which
            return False
        answers = numbers(column)
        return bool(answers) and all(
            n is not None and (n in GAPS or (n.is_integer() and 1 <= n <= LONGEST)) for n in answers
        )

    def options(fitting: list[_Column]) -> dict[str, Any]:
        values = np.array([n for column in fitting for n in numbers(column)], int)
        answers = answers_of(values)
        return {} if answers is None else answers.options(_seen_missing(fitting) if answers.gaps else ())

    return _Reading("ratings", fits, options)


def _is_no_rating(column: _Column) -> bool:
    """Whether a column among ratings has 1 and 2 alone, although there are enough rows."""
    present = {text for text in column.different if text}
    return present <= {"1", "2"} and len(column.texts) >= ENOUGH


def _seen_missing(columns: list[_Column]) -> list[str]:
    """Return the texts that mean missing by default and are there: others take their place where they are given."""
    missing = Meaning(None, DEFAULTS["missing"])
    return sorted({text for column in columns for text in column.different if text in missing})


def _understood(options: Options) -> str | None:
    """Return how a file is understood with some options, None if it is refused."""
    chosen = {option.attribute: getattr(options, option.attribute) for option in READ}
    lines: list[str] = []
    try:
        nbmf.read(options.file, **chosen, transpose=options.transpose, log=lines.append)
    except NbmfError:
        return None
    return lines[0]


def _described(
    file: str,
    reading: _Reading,
    fitting: list[_Column],
    misfits: list[_Column],
    odd: list[_Column],
    found: dict[str, Any],
) -> Iterator[str]:
    number, apart = len(fitting) - len(odd), len(misfits) + len(odd)
    do = "column does" if apart == 1 else "columns do"
    yield wrapped(
        f"{file}: {apart} {do} not fit a matrix"
        if apart
        else f"{file}: all columns fit a matrix if values are declared"
    )
    for column in misfits:
        yield f"  {column.name}: {_why(column)}"
    for column in odd:
        yield f"  {column.name}: 1 and 2 alone, among ratings"
    words = f"the {'other ' if apart else ''}{number} have {reading.what}"
    if "above" in found:
        words += f", of which those above {found['above']} are taken for ones"
    if "ones" in found:
        words += f", of which {found['ones'][0]!r} is taken for a one"
    if "missing" in found:
        texts = [repr(text) if text else "nothing" for text in found["missing"]]
        words += f"; {', '.join(texts)} {'means' if len(texts) == 1 else 'mean'} missing"
    yield wrapped(words)


def _why(column: _Column) -> str:
    """Return what a column has."""
    values = [None if text == "" else column.labels.get(text, text) for text in column.texts]
    present = [value for value in values if value is not None]
    seen = infer_column_kind(Meaning(None, DEFAULTS["missing"]).without(values))
    if seen.left_out or seen.problem:
        return seen.left_out or seen.problem
    numbers = [number_of(value) for value in present]
    numbers = [number for number in numbers if number is not None]
    if seen.kind != "category" or len(numbers) == len(present):
        return f"numbers from {min(numbers):g} to {max(numbers):g}"
    different = list(dict.fromkeys(present))
    more = ", ..." if len(different) > FEW else ""
    return f"{len(different)} different texts: {', '.join(map(repr, different[:FEW]))}{more}"


def _as_categories(options: Options, fitting: list[_Column], odd: list[_Column]) -> Options | None:
    """Return the options that keep ratings as ordered categories, None if they are no ratings."""
    if options.above is None or options.above <= 1:
        return None
    meaning = Meaning(options.missing, DEFAULTS["missing"])
    columns = [column for column in fitting if column not in odd]
    highest = max(
        int(n) for column in columns for text in column.texts if text not in meaning and (n := number_of(text))
    )
    categories = [str(number) for number in range(1, highest + 1)]
    return Options(**{**vars(options), "above": None, "categories": categories})


def _next(options: Options, as_categories: Options | None) -> list[str]:
    """Return the commands: ratings as they are first."""
    commands = [each for each in (as_categories, options) if each is not None]
    return ["", "next:", *(f"  {command_for(each)}" for each in commands)]
