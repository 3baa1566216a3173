"""What `nbmf info` says about a file that is a list of entries, of ones, of votes or of ratings."""

from typing import Any

import numpy as np

from nbmf.cli import info_ties
from nbmf.cli.info_axes import next_lines
from nbmf.cli.info_cells import are_amounts, are_answers, are_counts, are_numbers_of_lines, are_times
from nbmf.cli.info_commands import command_line, format_options
from nbmf.cli.info_guess import Column
from nbmf.cli.info_rating_lists import is_rating_list, middle_of_ratings, reading_options
from nbmf.cli.info_records import (
    are_identifiers,
    are_texts,
    columns_of_names,
    describe_names,
    is_about_names,
    is_mostly_filled,
    row_and_column,
)
from nbmf.cli.info_values import categories_with_middle, guesses
from nbmf.cli.options import Options
from nbmf.data.value_codes import Coding, number_of, text_of
from nbmf.io.answers import detect_answers
from nbmf.io.layouts import ROLES
from nbmf.io.vote_codes import LIST_OF_VOTES, vote_options
from nbmf.reporting.text import wrap

CHAMBERS = ("congress", "chamber")  # columns of VoteView's lists: roll calls are numbered in each
MEMBERS = {"row": "bioname", "groups": "party_code"}  # columns of its list of members, which may be joined to votes
ABSENCES = 0.1  # of the lines of a list at least, from which on a 0 may be an absence
PAIRS = 0.8  # of the lines of a list at least, whose pair of names is in no other


def report(options: Options, columns: dict[str, list], has_header: bool, opening: str) -> list[str] | None:
    """Return the lines about a list of votes, of entries, of ones or of ratings; None if a table is none of them."""
    if columns.keys() >= {*LIST_OF_VOTES.values()}:
        return _describe_list_of_votes(options, columns, opening)
    if (lines := info_ties.report(options, columns, has_header, opening)) is not None:
        return lines
    if _is_list(columns):
        return [wrap(opening), *_describe_list(options, columns, has_header)]
    if has_header and (ordered := _as_list(columns)) is not None:
        return [wrap(opening), *_describe_list(options, ordered, True)]
    if has_header and is_rating_list(columns):
        return [wrap(opening), *_describe_rating_list(options, columns)]
    if info_ties.columns_of_nodes(columns) is not None and (records := describe_records(options, columns)) is not None:
        return [wrap(opening), *records]
    return None


def _is_list(columns: dict[str, list]) -> bool:
    """Whether lines have two names, each of which comes again though hardly a pair does, and at most two values.

    One of them may be a number, if its column is called as identifiers are, or if there is nothing else.
    """
    names, more = list(columns.values())[:2], list(columns.values())[2:]
    if len(names) < 2 or len(more) > 2:
        return False
    lines = len(names[0])
    texts = list(map(are_texts, names))
    others = (are_identifiers(name, columns[name]) or (not more and are_counts(columns[name])) for name in columns)
    are_names = any(texts) and all(text or other for text, other in zip(texts, others, strict=False))
    come_again = all(2 * len(set(cells)) <= lines for cells in names)
    kinds = are_counts, are_amounts, are_answers, are_times
    are_values = all(any(are_kind(cells) for are_kind in kinds) for cells in more)
    return are_values and are_names and come_again and len(set(zip(*names, strict=True))) >= PAIRS * lines


def describe_records(options: Options, columns: dict[str, list]) -> list[str] | None:
    """Return the lines about a table that is too much of a list for `nbmf cluster`; None if it is none."""
    names = columns_of_names(columns)
    if (pair := row_and_column(columns, list(names))) is None:
        return None
    known = f"names that come again are in {describe_names(names)}"
    said = f"if each line is a record of two things, --row and --column say which; {known}"
    read = {"row": pair[0], "column": pair[1]}
    if options.header is False:  # the reader numbers fields, and takes the first two
        places = [[*columns].index(name) for name in pair]
        read = {} if places == [0, 1] else {role: f"field {n + 1}" for role, n in zip(read, places, strict=True)}
    read |= {"header": options.header, **format_options(options)}
    absences = [name for name in columns if name not in pair and _has_absences(columns[name])]
    if absences:
        said += f"; lines with 0 in {absences[0]!r} would be ones as well: if these are absences, leave them out first"
    return [wrap(said), *next_lines(command_line("info", options.file, layout="presence", **read))]


def _has_absences(cells: list) -> bool:
    """Whether cells are counts, or zeros and ones, of which many are 0, as of visits on which nothing was seen."""
    zeros = sum(number_of(cell) == 0 for cell in cells)
    return are_counts(cells) and ABSENCES * len(cells) <= zeros < len(cells)


def _describe_list_of_votes(options: Options, columns: dict[str, list], opening: str) -> list[str]:
    """Return the lines about VoteView's list; roll calls of two chambers or congresses may have the same number."""
    votes = columns[LIST_OF_VOTES["value"]]
    parts = [name for name in CHAMBERS if len(set(columns.get(name, ()))) > 1]
    if parts:
        several, joined = " and ".join(map(repr, parts)), "-".join([*parts, LIST_OF_VOTES["column"]])
        said = f"numbers of roll calls begin anew in each {several}: keep one, or add a column that names each call"
        return [wrap(f"{opening}, but VoteView's list of votes; {said} ({joined}), and read it by --column")]
    meanings = vote_options({text_of(vote) for vote in votes if vote is not None}, [""] if None in votes else [])
    named = {role: name for role, name in MEMBERS.items() if _says_one_thing(columns, LIST_OF_VOTES["row"], name)}
    asked = {"groups": options.groups} if options.groups else {}
    read = {**LIST_OF_VOTES, **meanings, **named, **asked, **format_options(options)}
    command = command_line("info", options.file, layout="long", **read)
    return [wrap(f"{opening}, but VoteView's list of votes"), *next_lines(command)]


def _says_one_thing(columns: dict[str, list], member: str, name: str) -> bool:
    """Whether a column says one thing about each member; a name that of two is none."""
    told = set(zip(columns[member], columns.get(name, ()), strict=False))
    are_different = name != MEMBERS["row"] or len({value for _, value in told}) == len(told)
    return bool(told) and len(told) == len(set(columns[member])) and are_different


def _columns_of_list(columns: dict[str, list]) -> dict[str, list]:
    """Return the columns of a list that are read: two with names, and that with values if there is one more."""
    names, more = list(columns)[:2], list(columns)[2:]
    values = [name for name in more if not (are_times(columns[name]) or are_numbers_of_lines(columns[name]))]
    about_entries = [name for name in values if not is_about_names(columns, names, name)]
    return {name: columns[name] for name in [*names, *(about_entries or values or more)[:1]]}


def _as_list(columns: dict[str, list]) -> dict[str, list] | None:
    """Return the columns of a list whose first two are no names of rows and columns, in their order; else None.

    Most pairs of names have a line, and a column of answers says more than the names do, such as a member's party.
    """
    names = row_and_column(columns, list(columns_of_names(columns)))
    if names is None or not is_mostly_filled(columns, names):
        return None
    answers = [name for name, cells in columns.items() if name not in names and are_answers(cells)]
    values = [name for name in answers if not is_about_names(columns, names, name) and _can_be_read(columns[name])]
    return {name: columns[name] for name in dict.fromkeys([*names, *values, *columns])} if values else None


def _describe_list(options: Options, every: dict[str, list], has_header: bool) -> list[str]:
    """Return the lines about a list; its columns are named where the file has others, which are put aside."""
    columns = _columns_of_list(every) if has_header else dict([*every.items()][:3])  # what has no name is not chosen
    others = [name for name in every if name not in columns]
    is_named = bool(options.ignore or options.groups or (others and has_header))
    roles = dict(zip(ROLES["long"], columns, strict=False)) if is_named else {}
    aside = f"; {', '.join(map(repr, others))} is left out" if others else ""
    read = {**roles, "groups": options.groups, "header": options.header, **format_options(options)}
    *_, last = columns.values()
    reason = _why_all_ones(columns)
    if reason is not None:
        opening = f"a list with a line per one: {', '.join(map(repr, list(columns)[:2]))}{reason}{aside}"
        read.pop("value", None)
        return [wrap(opening), *next_lines(command_line("info", options.file, layout="presence", **read))]
    opening = f"a list with a line per entry: {', '.join(map(repr, columns))}{aside}"
    read |= {"layout": "long", "missing": options.missing}
    if are_amounts(last):  # what is not recorded is not there, of ratings it is missing
        return [opening, *next_lines(command_line("info", options.file, **read, above=middle_of_ratings(last) or 0))]
    if not are_counts(last):
        meanings = {} if options.missing else _meanings(last)
        in_order = categories_with_middle(meanings, [_column_of(last)])
        ways = [read | meanings, *([] if in_order is None else [read | meanings | in_order])]
        return [opening, *next_lines(*(command_line("info", options.file, **each) for each in ways))]
    commands = [command_line("info", options.file, **read)]
    values = np.array([number_of(value) for value in last if value is not None], np.int64)
    rows, names, *_ = columns.values()
    absent = len(set(rows)) * len(set(names)) - len(rows)
    if values.max() > 1 and detect_answers(values, is_list=True, absent=absent) is None:  # info says how to cut ratings
        of_topics = dict(zip(("document", "word", "count"), roles.values(), strict=False))
        documents = command_line("topics", options.file, layout="long", **of_topics, **format_options(options))
        commands = [command_line("info", options.file, **read, counts=True), documents]
    return [opening, *next_lines(*commands)]


def _describe_rating_list(options: Options, columns: dict[str, list]) -> list[str]:
    """Return the lines about a list of ratings with halves, and a command for each thing that it may be read as."""
    names = ", ".join(map(repr, [*columns][:3]))
    lines = [wrap(f"a list with a line per rating: {names}; {[*columns][3]!r} is left out")]
    for words, read in reading_options(columns):
        command = command_line("info", options.file, **read, **format_options(options))
        lines += ["", f"next, {words}:", f"  {command}"]
    return lines


def _why_all_ones(columns: dict[str, list]) -> str | None:
    """Return why each line of a list is a one, in words for what follows its names; None if there are values."""
    if len(columns) == 2:
        return ""
    name, cells = list(columns.items())[2]
    if are_times(cells):
        return f"; {name!r} has times, and no values"
    if {number_of(cell) for cell in cells} == {1.0}:
        return f"; {name!r} is always 1"
    names = list(columns)[:2]
    about = next((each for each in names if is_about_names(columns, [each], name)), None)
    return None if about is None else f"; {name!r} says something of {about!r}, and nothing of a pair"


def _meanings(cells: list) -> dict[str, Any]:
    """Return the arguments that read the answers of a list; none if they need none, or nobody knows which."""
    if _are_codes(cells):
        return {}
    column = _column_of(cells)
    options = (guess.options([column]) for guess in guesses([column]) if guess.fits(column))
    return next(options, {})


def _column_of(cells: list) -> Column:
    return Column("", ["" if cell is None else text_of(cell) for cell in cells], {})


def _are_codes(cells: list) -> bool:
    """Whether cells are zeros, ones and missing by default."""
    texts = _column_of(cells).texts
    return not (Coding().look_up(texts, len(texts)) == Coding.unknown).any()


def _can_be_read(cells: list) -> bool:
    return _are_codes(cells) or bool(_meanings(cells))
