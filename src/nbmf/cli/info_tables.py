"""What `nbmf info` says about a file that is no matrix: a table or texts; see info_lists of lists."""

from collections import Counter
from pathlib import Path

from nbmf.cli import info_lists
from nbmf.cli.arguments import render_message
from nbmf.cli.info_axes import next_lines
from nbmf.cli.info_cells import are_different_words
from nbmf.cli.info_commands import cluster_command, command_line, format_options
from nbmf.cli.options import Options
from nbmf.cli.reading import open_columns
from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import DataError
from nbmf.io.columns import Columns
from nbmf.io.features import read_table
from nbmf.io.formats import TEXT, promised_format
from nbmf.reporting.text import wrap

MATRIX_OPTIONS = ("layout", "ones", "zeros", "counts", "above", "row", "column", "value", "absent", "transpose")
MOST_BYTES = 2**25  # of a file that is read once more, as Python objects
ANSWERS = 0.5  # of all cells, that hold one of two values in a matrix of answers
WORDS = 4.0  # in a cell on average, from which on a column has texts
OF_GENOMES = (
    "most columns have texts of which none comes again, and empty cells: if these are zeros and the texts ones, write "
    "them as 0 and 1 first (Roary and Panaroo do, in gene_presence_absence.Rtab next to the CSV file)"
)
SPARSE = 0.5  # of all counts, that are 0 in documents at least


def report(options: Options, refused: DataError) -> list[str] | None:
    """Return the lines about a file that was refused as a matrix; None if it should be one.

    It should be if options say so, or if two values fill half of its cells: then a cell is wrong.

    Raises
    ------
    DataError
        If it is a table, but not as `nbmf cluster` takes one.
    """
    table = open_columns(options, options.missing)
    if table is not None and options.header is None and _is_first_record(table):
        options = options.but(header=False)
        table = open_columns(options, options.missing)
    if table is None:
        return None
    opening = f"{str(refused).partition(';')[0]}: this is no matrix of zeros and ones or of counts"
    aside = {*(options.ignore or ()), options.groups}
    columns = {name: values for name, values in table.values.items() if name not in aside}
    if (lines := info_lists.report(options, columns, table.table.has_header, opening)) is not None:
        return lines
    if _has_answers(columns):
        return None
    if 2 * sum(map(are_different_words, columns.values())) > len(columns):
        return [wrap(opening), "", wrap(OF_GENOMES)]
    if texts := {name: _mean_words(values) for name, values in columns.items() if _has_texts(values)}:
        others = len(columns) > len(texts)
        return [wrap(opening), *_describe_texts(options, texts, others)]
    lines = [wrap(f"{opening}, but a table")]
    try:
        read_table(
            options.file,
            labels=options.groups,
            ignore=options.ignore or (),
            header=options.header,
            index=options.index,
            missing=options.missing,
            name=options.name,
            encoding=options.encoding,
            log=lines.append,
        )
    except DataError as error:
        if (records := info_lists.describe_records(options, columns)) is not None:
            return [wrap(opening), *records]
        words = "no matrix of zeros and ones or of counts; as a table, for nbmf cluster"
        raise DataError(f"{options.file}: {words}: {render_message(error.message, 'cluster')}") from error
    if options.groups is None:
        lines.append("a column with known classes is kept apart by --labels, to see if they agree")
    return [*lines, *next_lines(cluster_command(options))]


def _is_first_record(table: Columns) -> bool:
    """Whether the names of the first two columns come again below, as those of nodes do and those of columns do not."""
    first = list(table.values.items())[:2]
    return table.table.has_header and len(first) == 2 and all(name in set(cells) for name, cells in first)


def uses_of_counts(matrix: CountMatrix, options: Options) -> list[str]:
    """Return a line for each other thing that counts may be, with the command that takes them then."""
    lines = []
    zeros = (matrix.tallies == 0).mean()
    if matrix.observed.all() and zeros >= SPARSE and options.above is None:
        lines.append(f"if rows are documents and columns words: {_topics_command(options)}")
    format = promised_format(Path(options.file)) or TEXT
    if format.is_table and options.layout is None and not options.transpose:
        lines.append(f"if columns are of several kinds, ages and marks: {cluster_command(options)}")
    return lines


def may_be_table(options: Options) -> bool:
    """Whether a file is so small that nothing is reported about it as about a matrix."""
    given = (getattr(options, name) for name in MATRIX_OPTIONS)  # 0 is not False: --above 0
    is_matrix = any(value is not None and value is not False for value in given)
    try:
        is_small = Path(options.file).expanduser().stat().st_size <= MOST_BYTES
    except OSError:
        return False
    return is_small and not is_matrix and options.counts is not False and options.diagonal


def _has_answers(columns: dict[str, list]) -> bool:
    """Whether two values fill more than half of the cells, as in a matrix with a wrong cell."""
    values = Counter(str(value) for cells in columns.values() for value in cells if value is not None)
    return sum(n for _, n in values.most_common(2)) > ANSWERS * values.total()


def _has_texts(cells: list) -> bool:
    """Whether most cells differ, and have several words."""
    present = [cell for cell in cells if cell is not None]
    return 2 * len(set(present)) > len(present) and _mean_words(cells) >= WORDS


def _mean_words(cells: list) -> float:
    """Return how many words a cell has on average."""
    texts = [str(cell) for cell in cells if cell is not None]
    return sum(len(text.split()) for text in texts) / max(len(texts), 1)


def _describe_texts(options: Options, words: dict[str, float], others: bool) -> list[str]:
    """Return the lines about columns of texts, of so many words, and whether there are others."""
    lines = [f"column {name!r} has texts, of {n:.1f} words on average" for name, n in words.items()]
    commands = [
        command_line("topics", options.file, text=name, labels=options.groups, **format_options(options))
        for name in words
    ]
    if others:
        commands.append(cluster_command(options, words))
    return [*lines, *next_lines(*commands)]


def _topics_command(options: Options) -> str:
    """Return the nbmf topics of what was read as a matrix of counts."""
    roles = {"document": options.row, "word": options.column, "count": options.value}
    is_long = options.layout == "long"
    return command_line(
        "topics",
        options.file,
        layout="long" if is_long else None,
        **(roles if is_long and all(roles.values()) else {}),
        labels=None if is_long else options.groups,
        ignore=options.ignore or [],
        transpose=options.transpose,
        **format_options(options),
    )
