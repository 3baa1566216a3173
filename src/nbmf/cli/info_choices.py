"""What `nbmf info` says about answers to questions with several choices, A to D, whose key the file does not have."""

import re

from nbmf.cli.info_axes import next_lines
from nbmf.cli.info_commands import cluster_command
from nbmf.cli.options import Options
from nbmf.cli.reading import file_with_options, open_columns
from nbmf.data.value_codes import text_of
from nbmf.reporting.text import wrap

LETTER = re.compile("[A-Fa-f]")
FEWEST, MOST = 3, 6  # choices
PART = 0.5  # of all columns that have to be such questions


def report(options: Options) -> list[str] | None:
    """Return the lines about such questions; None if too few columns are."""
    table = open_columns(options, options.missing)
    if table is None:
        return None
    columns = {name: cells for name, cells in table.values.items() if name not in (options.ignore or ())}
    choices = [found for cells in columns.values() if (found := _choices_of(cells)) is not None]
    if len(choices) < max(2, PART * len(columns)):
        return None
    *others, last = sorted(set().union(*choices))
    opening = (
        f"{options.file}: {len(choices)} columns have the answers {', '.join(others)} and {last}. The file does not "
        "say which of them is right: write 1 where an answer is that of the key, and 0 where it is another, in pandas "
        "(answers == key).where(answers.notna()). nbmf cluster takes letters as they are; grades have an order"
    )
    grades = options.but(categories=[last, *reversed(others)])
    return [wrap(opening), *next_lines(cluster_command(options), f"nbmf info {file_with_options(grades)}")]


def _choices_of(cells: list) -> set[str] | None:
    """Return the letters of a column of choices; None if it has something else, or too few letters or too many."""
    found = {text_of(cell) for cell in cells if cell is not None}
    return found if FEWEST <= len(found) <= MOST and all(map(LETTER.fullmatch, found)) else None
