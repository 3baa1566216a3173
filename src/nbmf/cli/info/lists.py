"""Files that are a list of entries, of ones, of votes or of ties, or have a record of two things in each line."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from nbmf.cli.arguments import render_message
from nbmf.cli.info import kinds
from nbmf.cli.info.column import Column
from nbmf.cli.info.finding import Finding, command_line
from nbmf.cli.info.glance import Glance
from nbmf.cli.info.guesses import first_guess
from nbmf.cli.info.word_guesses import categories_with_middle
from nbmf.data.value_codes import Coding, number_of, text_of
from nbmf.errors import Message, Setting, first_of
from nbmf.io.answers import detect_answers
from nbmf.io.layouts import ROLES
from nbmf.io.vote_codes import LIST_OF_VOTES, vote_options

CHAMBERS = ("congress", "chamber")  # columns of VoteView's lists: roll calls are numbered in each
MEMBERS = {"row": "bioname", "groups": "party_code"}  # columns of its list of members, which may be joined to votes
ABSENCES = 0.1  # of the lines of a list at least, from which on a 0 may be an absence
PAIRS = 0.8  # of the lines of a list at least, whose pair of names is in no other
MOST_NETWORKS = 20  # different values of a column that tells networks from each other
ONCE = 0.99  # of the lines at least, of pairs that are once in each network
SHOWN = 5  # columns of names

Table = dict[str, list]


def find_votes(glance: Glance) -> Finding | None:
    """Find VoteView's list; roll calls of two chambers or congresses may have the same number."""
    columns, opening = glance.columns, f"{glance.opening}, but VoteView's list of votes"
    if not columns.keys() >= {*LIST_OF_VOTES.values()}:
        return None
    votes = columns[LIST_OF_VOTES["value"]]
    parts = [name for name in CHAMBERS if len(set(columns.get(name, ()))) > 1]
    if parts:
        several, joined = " and ".join(map(repr, parts)), "-".join([*parts, LIST_OF_VOTES["column"]])
        said = f"numbers of roll calls begin anew in each {several}: keep one, or add a column that names each call"
        return Finding([f"{opening}; {said} ({joined}), and read it by --column"])
    meanings = vote_options({text_of(vote) for vote in votes if vote is not None}, [""] if None in votes else [])
    named = {role: name for role, name in MEMBERS.items() if _says_one_thing(columns, LIST_OF_VOTES["row"], name)}
    asked = {"groups": glance.options.groups} if glance.options.groups else {}
    read = LIST_OF_VOTES | meanings | named | asked
    return Finding([opening], [command_line("info", glance.options, layout="long", **read)])


def _says_one_thing(columns: Table, member: str, name: str) -> bool:
    """Whether a column says one thing about each member; a name that of two is none."""
    told = set(zip(columns[member], columns.get(name, ()), strict=False))
    are_different = name != MEMBERS["row"] or len({value for _, value in told}) == len(told)
    return bool(told) and len(told) == len(set(columns[member])) and are_different


def find_networks(glance: Glance) -> Finding | None:
    """Find ties of several networks, waves of one or kinds of ties: pairs come again, each time with another wave."""
    columns = glance.columns
    nodes = kinds.columns_of_nodes(columns) if glance.has_header else None
    wave = None if nodes is None else _column_of_networks(columns, nodes)
    if wave is None:
        return None
    said = (
        f"{glance.opening}, but a list of ties between {nodes[0]!r} and {nodes[1]!r}, of {len(set(columns[wave]))} "
        f"networks by {wave!r}: write the lines of one of them into a file of its own"
    )
    others = [name for name in columns if name not in (*nodes, wave)]
    if others:  # values that say what is no tie, or how strong it is
        return Finding([f"{said}; {', '.join(map(repr, others))} may say which lines are ties"])
    together = command_line("info", glance.options, layout="presence", row=nodes[0], column=nodes[1])
    return Finding([f"{said}; all together, a tie of any is one"], [together])


def _column_of_networks(columns: Table, nodes: tuple[str, str]) -> str | None:
    """Return the column of few values in each of which a pair of nodes is once, while pairs come again; else None."""
    pairs = list(zip(*(columns[name] for name in nodes), strict=True))
    if len(set(pairs)) >= ONCE * len(pairs):
        return None
    for name, cells in columns.items():
        is_few = name not in nodes and 1 < len(set(cells)) <= MOST_NETWORKS and None not in cells
        if is_few and len(set(zip(pairs, cells, strict=True))) >= ONCE * len(pairs):
            return name
    return None


def find_entries(glance: Glance) -> Finding | None:
    """Find a list of entries, or of ones; its columns are named where the file has others, which are put aside."""
    options, has_header, every = glance.options, glance.has_header, glance.columns
    if not _is_list(every):
        every = _as_list(every) if has_header else None
    if every is None:
        return None
    columns = _columns_of_list(every) if has_header else dict(islice(every.items(), 3))  # without names none is chosen
    others = [name for name in every if name not in columns]
    is_named = options.ignore or options.groups or (others and has_header)
    roles = dict(zip(ROLES["long"], columns, strict=False)) if is_named else {}
    may_be = has_header and not options.transpose and not options.groups
    aside = _say_left_out(others, kinds.groups_of_names(every, next(iter(columns)), others) if may_be else [])
    given = {"groups": options.groups, "header": options.header}
    ones = {"layout": "presence", **given, **{role: name for role, name in roles.items() if role != "value"}}
    reason = _why_all_ones(columns)
    if reason is not None:
        said = f"a list with a line per one: {', '.join(map(repr, [*columns][:2]))}{reason}{aside}"
        return Finding([glance.opening, said], [command_line("info", options, **ones)])
    said = f"a list with a line per entry: {', '.join(map(repr, columns))}{aside}"
    ways = [*_ways_of_reading(columns, roles, {"layout": "long", "missing": options.missing} | roles | given, ones)]
    commands = [command_line(command, options, **read) for command, read, _ in ways]
    return Finding([glance.opening, said], commands, [when for *_, when in ways if when])


def _say_left_out(names: list[str], may_be_groups: list[str]) -> str:
    """Return which columns of a list are not read, and which of them have groups of its rows, such as a party."""
    if not names:
        return ""
    groups = ", ".join(render_message(Message(Setting("groups", name)), "fit") for name in may_be_groups)
    said = f"; {', '.join(map(repr, names))} {'is' if len(names) == 1 else 'are'} left out"
    return said + f" (as groups of rows: {groups})" * bool(groups)


def _is_list(columns: Table) -> bool:
    """Whether lines have two names, each of which comes again though hardly a pair does, and at most two values.

    One of them may be a number, if its column is called as identifiers are, or if there is nothing else. In a list with
    ratings and times, such as MovieLens has, both are.
    """
    names, more = list(columns.values())[:2], list(columns.values())[2:]
    if len(names) < 2 or len(more) > 2:
        return False
    lines, texts = len(names[0]), list(map(kinds.are_texts, names))
    are_rated = len(more) == 2 and kinds.middle_of_ratings(more[0]) is not None and kinds.are_times(more[1])
    may_be_numbers = are_rated or not more
    others = (
        kinds.are_identifiers(each, columns[each]) or (may_be_numbers and kinds.are_counts(columns[each]))
        for each in columns
    )
    are_names = (any(texts) or are_rated) and all(text or other for text, other in zip(texts, others, strict=False))
    come_again = all(2 * len(set(cells)) <= lines for cells in names)
    of_values = kinds.are_counts, kinds.are_amounts, kinds.are_answers, kinds.are_times
    are_values = all(any(are_of_kind(cells) for are_of_kind in of_values) for cells in more)
    return are_values and are_names and come_again and len(set(zip(*names, strict=True))) >= PAIRS * lines


def _columns_of_list(columns: Table) -> Table:
    """Return the columns of a list that are read: two with names, and that with values if there is one more."""
    names, more = list(columns)[:2], list(columns)[2:]
    values = [
        name for name in more if not (kinds.are_times(columns[name]) or kinds.are_numbers_of_lines(columns[name]))
    ]
    about_entries = [name for name in values if not kinds.is_about_names(columns, names, name)]
    return {name: columns[name] for name in [*names, *(about_entries or values or more)[:1]]}


def _as_list(columns: Table) -> Table | None:
    """Return the columns of a list whose first two are no names of rows and columns, in their order; else None.

    Most pairs of names have a line, and a column of answers says more than the names do, such as a member's party.
    """
    names = kinds.row_and_column(columns, kinds.columns_of_names(columns))
    if names is None or not kinds.is_mostly_filled(*(columns[name] for name in names)):
        return None
    answers = [name for name, cells in columns.items() if name not in names and kinds.are_answers(cells)]
    values = [
        name for name in answers if not kinds.is_about_names(columns, names, name) and _can_be_read(columns[name])
    ]
    return {name: columns[name] for name in dict.fromkeys([*names, *values, *columns])} if values else None


def _can_be_read(cells: list) -> bool:
    column = Column.of_cells("", cells)
    return _are_codes(column) or bool(_meanings(column))


def _are_codes(column: Column) -> bool:
    """Whether cells are zeros, ones and missing by default."""
    coding = Coding()
    return all(coding[text] != coding.unknown for text in column.different)


def _meanings(column: Column) -> dict[str, Any]:
    """Return the arguments that read the answers of a list; none if they need none, or nobody knows which."""
    guess = None if _are_codes(column) else first_guess(column)
    return {} if guess is None else guess.options([column])


def _why_all_ones(columns: Table) -> str | None:
    """Return why each line of a list is a one, in words for what follows its names; None if there are values."""
    if len(columns) == 2:
        return ""
    name, cells = list(columns.items())[2]
    if kinds.are_times(cells):
        return f"; {name!r} has times, and no values"
    if {number_of(cell) for cell in cells} == {1.0}:
        return f"; {name!r} is always 1"
    names = list(columns)[:2]
    about = next((each for each in names if kinds.is_about_names(columns, [each], name)), None)
    return None if about is None else f"; {name!r} says something of {about!r}, and nothing of a pair"


def _ways_of_reading(
    columns: Table, roles: dict[str, str], read: dict[str, Any], ones: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the commands for a list of entries, each with its options, and when it is the right one, if others may be.

    `read` has the options that say where the entries are, `ones` those by which each line is a one.
    """
    rows, names, values = columns.values()
    middle = kinds.middle_of_ratings(values)
    if kinds.are_amounts(values) and middle is not None:
        scale = sorted({text_of(value) for value in values}, key=number_of)
        yield "info", ones, "what was rated"
        yield "info", read | {"above": middle}, f"ratings above {middle}"
        yield "info", read | {"categories": scale}, "ratings in their order"
    elif kinds.are_amounts(values):  # what is not recorded is not there
        yield "info", read | {"above": 0}, ""
    elif kinds.are_counts(values):
        counts = np.array([number_of(value) for value in values if value is not None], np.int64)
        absent = len(set(rows)) * len(set(names)) - len(rows)
        if counts.max() <= 1 or detect_answers(counts, is_list=True, absent=absent) is not None:
            yield "info", read, ""  # which says how to cut ratings
            return
        yield "info", read | {"counts": True}, ""
        yield "topics", {"layout": "long", **dict(zip(("document", "word", "count"), roles.values(), strict=False))}, ""
    else:
        column = Column.of_cells("", values)
        read |= {} if read["missing"] else _meanings(column)
        yield "info", read, ""
        if (in_order := categories_with_middle(read, [column])) is not None:
            yield "info", read | in_order, ""


def find_ties(glance: Glance) -> Finding | None:
    """Find a list of ties between nodes."""
    return None if kinds.columns_of_nodes(glance.columns) is None else find_records(glance)


def find_records(glance: Glance) -> Finding | None:
    """Find two columns of names in a table that is too much of a list for `nbmf cluster`."""
    columns, options = glance.columns, glance.options
    names = kinds.columns_of_names(columns)
    if (pair := kinds.row_and_column(columns, names)) is None:
        return None
    known = first_of([f"{name!r} ({number} different)" for name, number in names.items()], SHOWN)
    said = f"if each line is a record of two things, --row and --column say which; names that come again are in {known}"
    read = {"row": pair[0], "column": pair[1]}
    if options.header is False:  # the reader numbers fields, and takes the first two
        places = [[*columns].index(name) for name in pair]
        read = {} if places == [0, 1] else {role: f"field {n + 1}" for role, n in zip(read, places, strict=True)}
    values = [name for name in columns if name not in pair and not kinds.are_identifiers(name, columns[name])]
    absences = [name for name in values if _has_absences(columns[name])]
    if absences:
        said += f"; lines with 0 in {absences[0]!r} would be ones as well: if these are absences, leave them out first"
    command = command_line("info", options, layout="presence", header=options.header, **read)
    return Finding([glance.opening, said], [command])


def _has_absences(cells: list) -> bool:
    """Whether cells are counts, or zeros and ones, of which many are 0, as of visits on which nothing was seen."""
    zeros = sum(number_of(cell) == 0 for cell in cells)
    return kinds.are_counts(cells) and ABSENCES * len(cells) <= zeros < len(cells)
