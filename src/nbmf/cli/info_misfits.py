"""What `nbmf info` says about a file with columns or values that do not fit a matrix, and a command that works."""

from collections.abc import Iterator
from typing import Any

import nbmf
from nbmf.cli.arguments import render_message
from nbmf.cli.info_axes import next_lines, without_line_breaks
from nbmf.cli.info_covers import guess_amounts
from nbmf.cli.info_guess import Column, Guess
from nbmf.cli.info_records import is_mostly_filled
from nbmf.cli.info_values import categories_with_middle, guess_counts, guesses
from nbmf.cli.options import Options
from nbmf.cli.reading import command_for, open_columns, read_arguments
from nbmf.data.value_codes import DEFAULTS, Coding, Meaning, number_of, text_of
from nbmf.errors import DataError, Message, NbmfError, Setting
from nbmf.io.cells import RepeatedName
from nbmf.io.code_errors import CodesError
from nbmf.io.column_kinds import infer_column_kind
from nbmf.io.columns import Columns
from nbmf.reporting.text import wrap

PART = 0.5  # of all columns that have to fit
FEW = 3  # texts of a column that are listed
GENOTYPE = 2  # the largest number of alleles
COUNTED = 4  # the highest of whole numbers from 0 on, from which on they are taken for counts first
MOST_GROUPS, MEMBERS = 20, 3  # texts of a column that may be groups of rows, and rows for each
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
ENOUGH = 20  # rows, from which on a column of 1 and 2 among ratings is none


def report(options: Options, refused: DataError) -> list[str] | None:
    """Return the lines about a file that was refused as a matrix; None if too few of its columns could be one."""
    columns = _value_columns(options)
    if columns is None:
        return None
    first, *others = columns
    is_index = options.index is not False and _names_rows(first)
    columns = others if is_index or options.index else columns
    are_codes, is_name = (isinstance(refused.__cause__ or refused, kind) for kind in (CodesError, RepeatedName))
    wave = None if is_index else _column_of_waves(first, others)
    if (best := _best_guess([column for column in columns if column is not wave])) is None:
        return None
    guess, fitting = best
    if options.categories:  # they stay
        guess = guess._replace(otherwise=None)
    chosen_options, fits = _keep_categories(options, guess.options(fitting)), {column.name for column in fitting}
    misfits = [column for column in columns if column.name not in fits]
    are_ratings = "above" in chosen_options or options.categories
    highest = _highest_rating(fitting, chosen_options.get("missing", options.missing)) if are_ratings else 0
    odd = [column for column in fitting if _is_no_rating(guess, highest, column)]
    apart = {column.name for column in (*misfits, *odd)}
    chosen_options["ignore"] = [*(options.ignore or ()), *(column.name for column in columns if column.name in apart)]
    if first.name in apart and options.index is None:  # or the next one would be read as names
        chosen_options["index"] = False
    chosen = options.but(**chosen_options)
    understood = _try_reading(chosen)
    if understood is None:
        return None
    is_told = is_name or not (misfits or are_codes)
    where = [render_message(refused.message, "info").partition(";")[0].partition(" (")[0]] if is_told else []
    return [
        understood,
        *where,
        *_describe_misfits(options.file, guess, fitting, misfits, odd, chosen_options),
        *([] if wave is None else [wrap(OF_WAVES.format(first.name, wave.name))]),
        *map(wrap, _notes_of_weights(misfits)),
        *next_lines(*map(command_for, _add_groups_command(_commands(guess, chosen, fitting, odd), misfits))),
    ]


def _keep_categories(options: Options, guessed: dict[str, Any]) -> dict[str, Any]:
    """Return guessed options without those that say again, or otherwise, what categories say that were given."""
    if not options.categories:
        return guessed
    return {name: value for name, value in guessed.items() if name == "missing" and not options.missing}


def _best_guess(columns: list[Column]) -> tuple[Guess, list[Column]] | None:
    """Return the guess that most columns fit, and these; counts, then amounts, if no other fits enough; or None."""
    if not columns:
        return None
    for several in (guesses(columns), [guess_counts(columns)], [guess_amounts(columns)]):
        candidates = [(each, list(filter(each.fits, columns))) for each in several if each is not None]
        guess, fitting = max(candidates, key=lambda candidate: len(candidate[1]), default=(None, []))
        if len(fitting) >= max(2, PART * len(columns)):
            return guess, fitting
    return None


def _value_columns(options: Options) -> list[Column] | None:
    """Return the columns that may have values; None if the file is no table."""
    table = open_columns(options, [""])
    if table is None:
        return None
    aside = {*(options.ignore or ()), options.groups}
    columns = list(_text_columns(table))
    return [column for column in columns if column.name not in aside] or None


def _text_columns(table: Columns) -> Iterator[Column]:
    names = list(table.values)[-len(table.table.names) :]
    for place, (name, variable) in enumerate(zip(names, table.table.variables, strict=True)):
        labels = {text_of(value): label for value, label in table.table.labels_of(place).items()}
        values = table.table.values_of(place) if labels else table.values[name]
        called = variable if table.table.has_header else name
        yield Column(called, ["" if value is None else text_of(value).strip() for value in values], labels)


def _names_rows(column: Column) -> bool:
    """Whether a first column has names of rows: all are there, all differ, and some are no values."""
    if "" in column.different or len(column.different) < len(column.texts) or column.labels:
        return False
    return Coding().are_names(column.texts)


def _column_of_waves(first: Column, others: list[Column]) -> Column | None:
    """Return the column of few values, none of which two lines of one name share, such as years; None if there is none.

    The first column has many names, also numbers, most of which come again, as of people who are asked several times in
    most of the waves. Ages that a few share are none: by chance these give different answers to some question.
    """
    if "" in first.different or not MOST_GROUPS < len(first.different) <= len(first.texts) / OFTEN:
        return None

    def is_wave(column: Column) -> bool:
        are_few = 1 < len(column.different) <= MOST_GROUPS and "" not in column.different
        return are_few and is_mostly_filled({"name": first.texts, "wave": column.texts}, ("name", "wave"))

    return next(filter(is_wave, others), None)


def _is_no_rating(guess: Guess, highest: int, column: Column) -> bool:
    """Whether a column among ratings has 1 and 2 alone, although there are enough rows, and values between others.

    Of three values, as of genotypes, a column has two often.
    """
    if guess.lowest not in (0, 1) or highest < guess.lowest + MOST_LACKING:
        return False
    return column.numbers <= {1, 2} and len(column.texts) >= ENOUGH


def _highest_rating(fitting: list[Column], missing: list[str] | None) -> int:
    """Return the highest number of columns with ratings, 0 without one."""
    meaning = Meaning(missing, DEFAULTS["missing"])
    texts = set().union(*(column.different for column in fitting))
    return max((int(n) for text in texts if text not in meaning and (n := number_of(text)) is not None), default=0)


def _try_reading(options: Options) -> str | None:
    """Return how a file is understood with some options, None if it is refused."""
    lines: list[str] = []
    try:
        nbmf.read(options.file, **read_arguments(options), transpose=options.transpose, log=lines.append)
    except NbmfError:
        return None
    return lines[0]


def _describe_misfits(
    file: str, guess: Guess, fitting: list[Column], misfits: list[Column], odd: list[Column], chosen: dict[str, Any]
) -> Iterator[str]:
    number, apart = len(fitting) - len(odd), len(misfits) + len(odd)
    do = "column does" if apart == 1 else "columns do"
    yield wrap(
        f"{file}: {apart} {do} not fit a matrix"
        if apart
        else f"{file}: all columns fit a matrix if values are declared"
    )
    for column in misfits:
        groups = f" (as groups: {render_message(Message(Setting('groups', column.name)), 'fit')})" * _may_be_groups(
            column
        )
        yield f"  {without_line_breaks(column.name)}: {_describe_column(column)}{groups}"
    for column in odd:
        yield f"  {without_line_breaks(column.name)}: 1 and 2 alone, among ratings"
    words = f"the {'other ' if apart else ''}{number} have {guess.what}"
    if guess.lowest == 0 and "above" in chosen:
        words += f": answers in their order, of which those above {chosen['above']} may be ones, or counts"
        highest = _highest_rating(fitting, chosen.get("missing"))
        words += "; of genotypes those above 0 have the allele" * (highest == GENOTYPE)
    elif "above" in chosen:
        words += f", of which those above {chosen['above']} are taken for ones"
    if "ones" in chosen:
        words += f", of which {chosen['ones'][0]!r} is taken for a one" + ", a guess" * (not guess.is_certain)
    if "missing" in chosen:
        texts = [repr(text) if text else "nothing" for text in chosen["missing"]]
        words += f"; {', '.join(texts)} {'is' if len(texts) == 1 else 'are'} taken to mean missing"
    yield wrap(words)


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


def _may_be_groups(column: Column) -> bool:
    """Whether a column has few texts that occur often enough to be groups of rows."""
    meaning = Meaning(None, DEFAULTS["missing"])
    texts = [column.labels.get(text, text) for text in column.texts if text not in meaning]
    number = len(set(texts))
    is_text = any(number_of(text) is None for text in texts)
    return is_text and 2 <= number <= min(MOST_GROUPS, len(texts) / MEMBERS)


def _describe_column(column: Column) -> str:
    """Return what the values of a column are, in words."""
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


def _commands(guess: Guess, chosen: Options, fitting: list[Column], odd: list[Column]) -> list[Options | None]:
    """Return the options to try, the best guess first: whole numbers from 0 to 4 and more are counts more often."""
    as_categories = _options_as_categories(guess, chosen, fitting, odd)
    middle = categories_with_middle(vars(chosen), fitting)
    commands = [as_categories, chosen, None if middle is None else chosen.but(**middle)]
    if guess.otherwise is not None and (others := guess.otherwise(fitting)):
        commands.append(chosen.but(**others))
    if guess.lowest != 0 or as_categories is None:  # categories that were given stay
        return commands
    counts = chosen.but(above=None, counts=True)
    highest = int(as_categories.categories[-1])
    if highest >= COUNTED:
        return [counts, *commands]
    return [*commands, chosen.but(above=0), counts] if highest == GENOTYPE else [*commands, counts]


def _options_as_categories(guess: Guess, options: Options, fitting: list[Column], odd: list[Column]) -> Options | None:
    """Return the options that keep ratings as ordered categories, None if they are no ratings."""
    if guess.lowest is None or options.above is None:
        return None
    highest = _highest_rating([column for column in fitting if column not in odd], options.missing)
    categories = [str(number) for number in range(guess.lowest, highest + 1)]
    return options.but(above=None, categories=categories)


def _add_groups_command(commands: list[Options | None], misfits: list[Column]) -> list[Options]:
    """Return commands, and the first of them once more with the first column that may be groups for these."""
    first, *others = (options for options in commands if options is not None)
    names = [column.name for column in misfits if _may_be_groups(column)]
    if not names or first.groups is not None:
        return [first, *others]
    ignored = [name for name in first.ignore if name != names[0]]
    return [first, *others, first.but(groups=names[0], ignore=ignored)]
