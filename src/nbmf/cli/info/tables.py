"""Tables that are no matrix: questions with several choices, genes of genomes, texts, and features of several kinds."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbmf.cli.arguments import render_message
from nbmf.cli.info.finding import Finding, cluster_command, command_line, command_with
from nbmf.cli.info.glance import Glance
from nbmf.cli.info.kinds import columns_of_identifiers
from nbmf.cli.info.lists import find_records
from nbmf.cli.options import Options
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.value_codes import number_of, text_of
from nbmf.errors import DataError
from nbmf.io.features import UndecidedColumns, read_table
from nbmf.io.formats import TEXT, promised_format

CHOICE = re.compile("[A-Fa-f]")
FEWEST_CHOICES, MOST_CHOICES = 3, 6
PART = 0.5  # of all columns that have to be questions
ANSWERS = 0.5  # of all cells, that hold one of two values in a matrix of answers
WORDS = 4.0  # in a cell on average, from which on a column has texts
SPARSE = 0.5  # of all counts, that are 0 in documents at least
OF_GENOMES = (
    "most columns have texts of which none comes again, and empty cells: if these are zeros and the texts ones, write "
    "them as 0 and 1 first (Roary and Panaroo do, in gene_presence_absence.Rtab next to the CSV file)"
)


def find_choices(glance: Glance) -> Finding | None:
    """Find answers to questions with several choices, A to D, whose key the file does not have."""
    answers = [{text_of(cell) for cell in cells if cell is not None} for cells in glance.columns.values()]
    choices = list(filter(_are_choices, answers))
    if len(choices) < max(2, PART * len(answers)):
        return None
    *others, last = sorted(set().union(*choices))
    said = (
        f"{glance.options.file}: {len(choices)} columns have the answers {', '.join(others)} and {last}. The file does "
        "not say which of them is right: write 1 where an answer is that of the key, and 0 where it is another, in "
        "pandas (answers == key).where(answers.notna()). nbmf cluster takes letters as they are; grades have an order"
    )
    grades = glance.options.but(categories=[last, *reversed(others)])
    return Finding([said], [cluster_command(glance.options), command_with("info", grades)])


def _are_choices(answers: set[str]) -> bool:
    """Whether answers are letters, neither too few nor too many."""
    return FEWEST_CHOICES <= len(answers) <= MOST_CHOICES and all(map(CHOICE.fullmatch, answers))


def find_wrong_cell(glance: Glance) -> None:
    """Raise what refused the file if it is a matrix with a wrong cell."""
    if has_answers(glance.columns):
        raise glance.refused


def has_answers(columns: dict[str, list]) -> bool:
    """Whether two values fill more than half of the cells."""
    values = Counter(str(value) for cells in columns.values() for value in cells if value is not None)
    return sum(n for _, n in values.most_common(2)) > ANSWERS * values.total()


def find_genomes(glance: Glance) -> Finding | None:
    """Find names of genes where genomes have them."""
    are_most = 2 * sum(map(_are_different_words, glance.columns.values())) > len(glance.columns)
    return Finding([glance.opening, "", OF_GENOMES]) if are_most else None


def _are_different_words(cells: list) -> bool:
    """Whether some cells are empty, and the others words of which none comes again, as genes of one genome have."""
    present = [cell for cell in cells if cell is not None]
    are_some = 1 < len(present) < len(cells)
    differ = are_some and len(set(present)) == len(present)
    return differ and all(number_of(cell) is None and len(str(cell).split()) == 1 for cell in present)


def find_texts(glance: Glance) -> Finding | None:
    """Find columns most of whose cells differ and have several words."""
    columns, options = glance.columns, glance.options
    words = {name: mean for name, cells in columns.items() if (mean := _mean_words_if_different(cells)) >= WORDS}
    if not words:
        return None
    sentences = [f"column {name!r} has texts, of {mean:.1f} words on average" for name, mean in words.items()]
    commands = [command_line("topics", options, text=name, labels=options.groups) for name in words]
    if len(columns) > len(words):
        commands.append(cluster_command(options, words))
    return Finding([glance.opening, *sentences], commands)


def _mean_words_if_different(cells: list) -> float:
    """Return how many words a cell has on average; 0 if most cells come again."""
    present = [cell for cell in cells if cell is not None]
    are_different = 2 * len(set(present)) > len(present)
    return sum(len(str(cell).split()) for cell in present) / len(present) if are_different else 0.0


def find_features(glance: Glance) -> Finding:
    """Describe a table of features of several kinds.

    Raises
    ------
    DataError
        If it is no table that `nbmf cluster` takes.
    """
    options, lines = glance.options, [f"{glance.opening}, but a table"]
    read = {"labels": options.groups, "ignore": options.ignore or ()}
    read |= options.taken("header", "index", "missing", "name", "encoding")
    try:
        read_table(options.file, **read, log=_rendered_in(lines))
    except DataError as error:
        if (records := find_records(glance)) is not None:
            return records
        if isinstance(error, UndecidedColumns) and (finding := _without(error, glance, read)) is not None:
            return finding
        words = "no matrix of zeros and ones or of counts; as a table, for nbmf cluster"
        raise DataError(f"{options.file}: {words}: {render_message(error.message, 'cluster')}") from error
    identifiers = columns_of_identifiers(glance.columns)
    if len(identifiers) > 1 and (records := find_records(glance)) is not None:
        commands = [*records.commands, cluster_command(options, identifiers)]
        return Finding(records.sentences, commands, ["as records of two things", "as a table of the other columns"])
    if options.groups is None:
        lines.append("a column with known classes is kept apart by --labels, to see if they agree")
    return Finding(lines, [cluster_command(options)])


def _rendered_in(lines: list[str]) -> Callable[[str], None]:
    """Return a function that keeps a message in the words of `nbmf cluster`."""
    return lambda message: lines.append(render_message(message, "cluster"))


def _without(undecided: UndecidedColumns, glance: Glance, read: dict[str, Any]) -> Finding | None:
    """Describe a table without some columns, and say what these have; None where fewer than two others are of use."""
    options, lines = glance.options, [f"{glance.opening}, but a table"]
    ignored = [*read["ignore"], *undecided.columns]
    try:
        table = read_table(options.file, **read | {"ignore": ignored}, log=_rendered_in(lines))
    except DataError:
        return None
    if table.shape[1] < 2:
        return None
    return Finding(
        [*lines, render_message(undecided.message, "cluster")], [cluster_command(options, undecided.columns)]
    )


def uses_of_counts(matrix: CountMatrix, options: Options) -> list[str]:
    """Return a line for each other thing that counts may be, with the command that takes them then."""
    lines = []
    if matrix.observed.all() and (matrix.tallies == 0).mean() >= SPARSE and options.above is None:
        lines.append(f"if rows are documents and columns words: {_topics_command(options)}")
    format = promised_format(Path(options.file)) or TEXT
    if format.is_table and options.layout is None and not options.transpose:
        lines.append(f"if columns are of several kinds, ages and marks: {cluster_command(options)}")
    return lines


def _topics_command(options: Options) -> str:
    """Return the nbmf topics of what was read as a matrix of counts."""
    given = {"ignore": options.ignore or [], "transpose": options.transpose}
    roles = {"document": options.row, "word": options.column, "count": options.value}
    if options.layout != "long":
        return command_line("topics", options, labels=options.groups, **given)
    return command_line("topics", options, layout="long", **(roles if all(roles.values()) else {}), **given)
