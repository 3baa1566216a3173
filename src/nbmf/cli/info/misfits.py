"""Tables with columns or values that do not fit a matrix, and commands that read the others."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nbmf.cli.arguments import render_message
from nbmf.cli.info.column import MISSING, Column, Guess
from nbmf.cli.info.finding import Finding
from nbmf.cli.info.glance import Glance
from nbmf.cli.info.guesses import best_guess
from nbmf.cli.info.kinds import MOST_GROUPS, are_groups, is_mostly_filled
from nbmf.cli.info.word_guesses import categories_with_middle
from nbmf.cli.options import Options
from nbmf.cli.reading import command_for, try_reading
from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of
from nbmf.errors import DataError, Message, Setting
from nbmf.io.cells import RepeatedName
from nbmf.io.code_errors import CodesError
from nbmf.io.column_kinds import MOSTLY, infer_column_kind
from nbmf.numerics.percent import percent
from nbmf.reporting.text import INDENT
from nbmf.reporting.words import join_with_and

FEW = 3  # texts of a column that are listed
GENOTYPE = 2  # the largest number of alleles
COUNTED = 4  # the highest of whole numbers from 0 on, from which on they are taken for counts first
OFF = 0.1  # of 1, how far the mean of weights in a survey may be
OFTEN = 1.5  # lines of each person in a panel, on average
MOST_LACKING = 3  # the highest minus the lowest rating, from which on a column of 1 and 2 lacks too many to be one
OF_WAVES = (
    "each line is one {0!r} in one {1!r}; with a line for each {0!r}, and a column for each question in each {1!r}, "
    "nbmf paths finds how they moved"
)
FREQUENCIES, WEIGHTS = {"freq", "frequency", "count", "n", "f"}, {"weight", "weights", "wt", "wgt", "pweight"}
OF_FREQUENCIES = (
    "{0!r} may be how many rows have the values of a line, which would count as one row: repeat lines first, in pandas "
    "by V.loc[V.index.repeat(V[{0!r}])]"
)
MANY_CELLS = 0.05  # of all, that would mean missing: a person should know
ENOUGH = 20  # rows, from which on a column of 1 and 2 among ratings is none


def find_misfits(glance: Glance) -> Finding | None:
    """Find columns with values of one meaning, enough for a matrix, and what the others have."""
    options, (first, *others) = glance.options, glance.values
    is_index = options.index is not False and _names_rows(first)
    columns = others if is_index or options.index else glance.values
    wave = None if is_index else _column_of_waves(first, others)
    if (best := best_guess([column for column in columns if column is not wave])) is None:
        return None
    guess, fitting = _next_to_categories(best[0], options), best[1]
    read = {**guess.options(fitting)}
    highest = _highest_number(fitting, read.get("missing", options.missing))
    if "above" in read or options.categories:
        fitting = [column for column in fitting if not _is_no_rating(guess, highest, column)]
    misfits = [column for column in columns if column not in fitting]
    read["ignore"] = [*(options.ignore or ()), *(column.name for column in misfits)]
    if first in misfits and options.index is None:  # or the next one would be read as names
        read["index"] = False
    chosen = options.but(**read)
    if (understood := try_reading(chosen)) is None:
        return None
    sentences = [
        understood.lines[0],
        *_why_refused(glance.refused, bool(misfits)),
        *_describe_misfits(options.file, misfits, guess, first),
        _describe_guess(guess, highest, f"the {'other ' if misfits else ''}{len(fitting)}", read)
        + _lost(fitting, read.get("missing", ())),
        *([] if wave is None else [OF_WAVES.format(first.name, wave.name)]),
        *_notes_of_weights(misfits),
    ]
    ways = _with_groups(_ways(guess, highest, chosen, fitting), misfits)
    return Finding(sentences, [*map(command_for, ways)])


def _why_refused(refused: DataError, are_misfits: bool) -> list[str]:
    """Return what refused the file, unless misfits, or values that are to be declared, say so themselves."""
    are_codes, is_name = (isinstance(refused.__cause__ or refused, kind) for kind in (CodesError, RepeatedName))
    is_told = is_name or not (are_misfits or are_codes)
    return [render_message(refused.message, "info").partition(";")[0].partition(" (")[0]] * is_told


def _next_to_categories(guess: Guess, options: Options) -> Guess:
    """Return a guess that does not say again, or otherwise, what categories say that were given."""
    if not options.categories:
        return guess

    def missing_texts(fitting: list[Column]) -> dict[str, Any]:
        read = guess.options(fitting)
        return {"missing": read["missing"]} if "missing" in read and not options.missing else {}

    return guess._replace(options=missing_texts, otherwise=lambda fitting: {})


def _names_rows(column: Column) -> bool:
    """Whether a first column has names of rows: all are there, all differ, and some are no values."""
    if "" in column.different or len(column.different) < len(column.texts) or column.labels:
        return False
    return Coding().are_names(column.texts)


def _repeated_name(column: Column) -> str:
    """Return the name that comes most often in a column of names that nearly all differ, "" if it is none."""
    texts = column.texts
    if "" in column.different or not MOSTLY * len(texts) <= len(column.different) < len(texts) or column.labels:
        return ""
    return Counter(texts).most_common(1)[0][0] if Coding().are_names(texts) else ""


def _column_of_waves(first: Column, others: list[Column]) -> Column | None:
    """Return the column of few values, none of which two lines of one name share, such as years; None if there is none.

    The first column has many names, also numbers, most of which come again, as of people who are asked several times in
    most of the waves. Ages that a few share are none: by chance these give different answers to some question.
    """
    if "" in first.different or not MOST_GROUPS < len(first.different) <= len(first.texts) / OFTEN:
        return None

    def is_wave(column: Column) -> bool:
        are_few = 1 < len(column.different) <= MOST_GROUPS and "" not in column.different
        return are_few and is_mostly_filled(first.texts, column.texts)

    return next(filter(is_wave, others), None)


def _is_no_rating(guess: Guess, highest: int, column: Column) -> bool:
    """Whether a column among ratings has 1 and 2 alone, although there are enough rows, and values between others.

    Of three values, as of genotypes, a column has two often.
    """
    if guess.lowest not in (0, 1) or highest < guess.lowest + MOST_LACKING:
        return False
    return column.numbers <= {1, 2} and len(column.texts) >= ENOUGH


def _highest_number(fitting: list[Column], missing: list[str] | None) -> int:
    """Return the highest number that does not mean missing, 0 without one."""
    meaning = Meaning(missing, DEFAULTS["missing"])
    texts = set().union(*(column.different for column in fitting))
    return max((int(n) for text in texts if text not in meaning and (n := number_of(text)) is not None), default=0)


def _describe_misfits(file: str, misfits: list[Column], guess: Guess, first: Column) -> Iterator[str]:
    if not misfits:
        yield f"{file}: all columns fit a matrix if values are declared"
        return
    yield f"{file}: {len(misfits)} {'column does' if len(misfits) == 1 else 'columns do'} not fit a matrix"
    for column in misfits:
        are_few = guess.lowest is not None and column.numbers == {1, 2} and not column.labels
        words = "1 and 2 alone, among ratings" if are_few else _describe_column(column)
        if column is first and (repeated := _repeated_name(column)):
            words = f"names of rows, but {repeated!r} comes again; once all differ, rows are called by them"
        option = render_message(Message(Setting("groups", column.name)), "fit")
        groups = f" (as groups: {option})" if are_groups(column.words) else ""
        yield f"{INDENT}{column.name}: {words}{groups}"


def _describe_guess(guess: Guess, highest: int, columns: str, read: dict[str, Any]) -> str:
    """Return what columns that fit have, up to the highest number, and how it is read."""
    words = f"{columns} have {guess.what}"
    if guess.lowest == 0 and "above" in read:
        words += f": answers in their order, of which those above {read['above']} may be ones, or counts"
        words += "; of genotypes those above 0 have the allele" * (highest == GENOTYPE)
    elif "above" in read:
        words += f", of which those above {read['above']} are taken for ones"
    if "ones" in read:
        ones = [*map(repr, read["ones"])]
        listed = join_with_and(ones if len(ones) <= FEW else [ones[0], "the like"])
        are = "is taken for a one" if len(ones) == 1 else "are taken for ones"
        words += f", of which {listed} {are}" + ", a guess" * (not guess.is_certain)
    if "missing" in read:
        texts = [repr(text) if text else "nothing" for text in read["missing"]]
        words += f"; {join_with_and(texts)} {'is' if len(texts) == 1 else 'are'} taken to mean missing"
    return words


def _lost(fitting: list[Column], missing: list[str]) -> str:
    """Return which part of the cells would mean missing, if that is many of them."""
    cells = [(text, column.labels.get(text, text)) for column in fitting for text in column.texts]
    lost = sum(not {*pair}.isdisjoint(missing) for pair in cells)  # texts, or what labels call them
    return f", {percent(lost / len(cells))} of the cells" if lost >= MANY_CELLS * max(len(cells), 1) else ""


def _notes_of_weights(misfits: list[Column]) -> Iterator[str]:
    """Yield what is said of columns that are called like frequencies of patterns, or like weights of rows."""
    for column in misfits:
        name = column.name.casefold()
        if name in FREQUENCIES and all(n is not None and n >= 1 and n.is_integer() for n in column.numbers):
            yield OF_FREQUENCIES.format(column.name)
        elif name in WEIGHTS and _have_mean_one(column):
            yield f"{column.name!r} may hold weights of rows, which are not used: each row counts once"


def _have_mean_one(column: Column) -> bool:
    """Whether a column has positive numbers of mean 1, as weights in surveys do and those of bodies do not."""
    numbers = [number_of(text) for text in column.texts]
    if None in numbers or not all(number > 0 for number in numbers):
        return False
    return abs(sum(numbers) / len(numbers) - 1) < OFF


def _describe_column(column: Column) -> str:
    """Return what the values of a column are, in words."""
    words = [column.labels.get(text, text) for text in column.texts]
    present = [word for word in words if word]
    seen = infer_column_kind(MISSING.without(words))
    if seen.left_out or seen.problem:
        return seen.left_out or seen.problem
    numbers = [number for value in seen.values if (number := number_of(value)) is not None]
    if seen.kind != "category" or len(numbers) == len(present):
        return f"numbers from {min(numbers):g} to {max(numbers):g}"
    different = list(dict.fromkeys(present))
    more = ", ..." if len(different) > FEW else ""
    return f"{len(different)} different texts: {', '.join(map(repr, different[:FEW]))}{more}"


def _ways(guess: Guess, highest: int, chosen: Options, fitting: list[Column]) -> list[Options]:
    """Return the options to try, the best guess first: whole numbers from 0 to 4 and more are counts more often."""
    ways = [{}, *filter(None, [categories_with_middle(vars(chosen), fitting), guess.otherwise(fitting)])]
    if guess.lowest is not None and chosen.above is not None:  # these are ratings
        marks = [str(number) for number in range(guess.lowest, highest + 1)]
        ways = [{"above": None, "categories": marks}, *ways]
        counts = {"above": None, "counts": True}
        if guess.lowest == 0 and highest >= COUNTED:
            ways = [counts, *ways]
        elif guess.lowest == 0:
            ways += [*[{"above": 0}] * (highest == GENOTYPE), counts]
    return [chosen.but(**way) for way in ways]


def _with_groups(ways: list[Options], misfits: list[Column]) -> list[Options]:
    """Return ways of reading, and the first of them once more with the first column that may be groups for these."""
    first, name = ways[0], next((column.name for column in misfits if are_groups(column.words)), None)
    if name is None or first.groups is not None:
        return ways
    return [*ways, first.but(groups=name, ignore=[each for each in first.ignore if each != name])]
