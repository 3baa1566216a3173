"""The commands, their options, and help that teaches by example."""

import argparse
import shlex
import sys

import nbmf
from nbmf.catalogue import CANDIDATES, COMPARED, LARGE, METHODS, TRIED_IF_LARGE, TRIED_UP_TO, compared_for
from nbmf.cli import help_texts
from nbmf.cli.options import (
    ENCODING,
    FORCE,
    HEADER,
    HIGH,
    INDEX,
    NAMES,
    OBJECT,
    SEED,
    SEVERAL,
    Command,
    Option,
    Options,
    file_word,
    number,
    option_words,
    parse_number_or_auto,
    parse_setting,
    parse_threshold,
    results,
    switch,
    text,
    texts,
)
from nbmf.cli.parser import Parser, parse_arguments, suggestion
from nbmf.cli.table_arguments import CLUSTER, TOPICS
from nbmf.errors import Message, choices
from nbmf.inference.exclusion import EXCLUDED
from nbmf.io.layouts import ABSENT, LAYOUTS, ROLES


def parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the whole command line, and those of the commands by name."""
    top = Parser(
        prog="nbmf",
        description="Bayesian factorization of binary matrices: from a file to components with "
        "probabilities that a person can read.",
        epilog=help_texts.TOP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"nbmf {nbmf.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=command.words,
            description=command.words,
            epilog=command.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        file_group = (
            subparser.add_argument_group("reading the file", command.reading_help) if command.reading else subparser
        )
        for option in command.declared:
            group = file_group if option in command.reading else subparser
            group.add_argument(option.name, **option.keywords)
    return top, commands.choices


def parse(argv: list[str] | None) -> Options:
    """Return what the arguments say; help and usage errors end the process."""
    top, commands = parsers()
    options, unknown = parse_arguments(top, sys.argv[1:] if argv is None else argv)
    if unknown:
        subparser, given = commands[options["command"]], " ".join(each or '""' for each in unknown)
        subparser.error(f"not understood: {given}{suggestion(unknown, subparser)}")
    return Options(**options)


def render_message(message: str, command: str) -> str:
    """Return a message that names the options of a command instead of Python's arguments."""
    return message.rendered(COMMANDS[command].format_setting) if isinstance(message, Message) else message


def printed_command(options: Options, with_seed: bool = True) -> str:
    """Return the command that was typed, without what changes no result; with its seed even if that is the default."""
    declared = COMMANDS[options.command].declared
    files = [file_word(getattr(options, option.attribute)) for option in declared if option.is_file]
    is_default_seed = not with_seed and getattr(options, SEED.attribute, None) == SEED.default
    others = [option for option in declared if not (option.is_file or (is_default_seed and option is SEED))]
    return shlex.join(["nbmf", options.command, *files, *option_words(options, others)])


def _parse_method(name: str) -> str:
    """Return the id of a method."""
    if name not in METHODS:
        blanks = "; nbmf compare --methods takes ids separated by blanks" * ("," in name)
        raise argparse.ArgumentTypeError(f"no method {name!r}{blanks}; {choices(name, METHODS)}")
    return name


def _candidates(kind: str) -> str:
    """Return the methods that are tried on a kind of matrix if none is named, and up to which size some of them are."""
    sizes = {name: f" (up to {largest:,} entries)" for name, largest in TRIED_UP_TO.items()}
    sizes |= dict.fromkeys(TRIED_IF_LARGE.get(kind, ()), f" (above {LARGE:,} entries)")
    names = CANDIDATES[kind] + TRIED_IF_LARGE.get(kind, ())
    return ", ".join(f"{name}{sizes.get(name, '')}" for name in names)


MATRIX_FILE = text(
    "file", "CSV, TSV, Excel, SPSS, Stata, JSON, Parquet, NPZ, Matrix Market, .rda or .rds; .gz too", "FILE"
)
# Those of which nbmf.read has arguments of the same names.
READ = (
    Option(
        "--layout",
        "long: each line has the row, column and value of an entry; presence: each line has the row and column of a "
        "one; basket: each line, or each cell of --column, lists the columns that are one in a row (default: a matrix)",
        choices=LAYOUTS,
    ),
    HEADER,
    INDEX,
    texts("--ones", "a value that means a one", "TEXT"),
    texts("--zeros", "a value that means a zero", "TEXT"),
    texts("--missing", "a value that means missing", "TEXT"),
    switch(
        "--counts",
        "whether values are counts, 0, 1, 2, ... (default: if they look like it, or the method takes counts)",
    ),
    Option(
        "--above", "turn numbers into ones, where they are larger than N, and zeros", type=parse_threshold, metavar="N"
    ),
    Option(
        "--categories",
        "ordered categories, from the lowest to the highest: never seldom often, or 1 2 3 4 5",
        metavar="TEXT",
        **SEVERAL,
    ),
    text(
        "--groups",
        "the column that holds the group of each row, such as its party; with --transpose these are groups of columns",
    ),
    texts("--ignore", "a column to leave out, such as an identifier or an age"),
    *(
        text(f"--{name}", f"in long tables and lists, the column with the {name}s")
        for name in ("row", "column", "value")
    ),
    Option(
        "--absent",
        "in long tables, what entries without a line are (default: missing; counts: zeros if no line has a zero)",
        choices=ABSENT,
    ),
    OBJECT,
    ENCODING,
    Option(
        "--undirected",
        "ties have no direction: each line of a list is one both ways; of a square matrix one triangle may be filled",
        action="store_true",
        default=None,
    ),
    switch(
        "--diagonal", "--no-diagonal treats entries of a name with itself, the diagonal of a network, as missing", True
    ),
)
READING = (*READ, Option("--transpose", "swap rows and columns", action="store_true"))
SET = Option(
    "--set",
    "any other argument of the method, for example alpha=0.2 or max_iter=100; a comparison passes it to all methods "
    "that have it",
    action="append",
    default=[],
    type=parse_setting,
    metavar="NAME=VALUE",
    dest="settings",
)
EXAMPLE = Command(
    "write a matrix or a table that comes with the package as a CSV file to try",
    help_texts.EXAMPLE,
    text("name", "the name of an example (default: list them)", nargs="?"),
    (
        Option(
            "--layout",
            "write a line per row of the matrix, per entry (long) or per one (presence)",
            choices=("matrix", *ROLES),
            default="matrix",
        ),
        text("--out", "the file to write (default: NAME with .csv)", "FILE"),
        Option("--force", "overwrite another file", action="store_true"),
    ),
)
INFO = Command("describe a file, and suggest the next command", help_texts.INFO, MATRIX_FILE, (), READING)
FIT = Command(
    "find components, and write them as CSV, NPZ and PNG with a summary",
    help_texts.FIT,
    MATRIX_FILE,
    (
        text(
            "--method",
            f"{', '.join(METHODS)} (default: the first of {_candidates('BinaryMatrix')} that predicts "
            "held-out entries within a standard error of the best; of large sparse matrices, of "
            f"{_candidates('SparseBinaryMatrix')}; of ordered categories, of {_candidates('CategoryMatrix')}; of "
            f"counts {_candidates('CountMatrix')}; with --components, --set or --no-check the first of them)",
            "ID",
            type=_parse_method,
        ),
        number(
            "--components",
            "the number of components; auto, for a method with a fixed number, tries 2, 4, 8, ... up to 64 while the "
            "held-out log loss falls, and others near a best of up to 16 (default: the method's own; 100 where the "
            "data decide how many are used)",
            python="n_components",
            metavar="K",
            type=parse_number_or_auto,
        ),
        number(
            "--chains",
            "independent chains of a sampler (default: 4), or starts of another method, of which the best is kept "
            "(default: 4 for variational methods on small data, otherwise 1)",
        ),
        number(
            "--iterations", "the largest number of iterations; for samplers the sweeps, four fifths of them burn-in"
        ),
        number(
            "--draws",
            "keep N posterior draws of each chain, for 90 %% credible intervals of every entry; those of variational "
            "methods are too narrow (default: 100 of samplers that show a scale and of latent classes, otherwise none)",
            least=0,
            python="n_draws",
        ),
        SET,
        SEED,
        switch(
            "--check",
            "first test on held-out entries whether components predict better than baselines (means and effects of "
            "rows and columns); --no-check skips the test and always shows components",
            default=True,
        ),
        Option(
            "--view",
            "show components as groups, or positions on a scale (default: that of the first method within a standard "
            "error of the best, then the other if it predicts as well)",
            choices=("groups", "scale"),
        ),
        NAMES,
        HIGH,
        *results(".nbmf"),
    ),
    READING,
)
COMPARED_TOO = [name for name in compared_for("BinaryMatrix", LARGE) if name not in COMPARED["BinaryMatrix"]]
COMPARE = Command(
    "compare methods by their predictions of held-out entries, with the uncertainty of the ranking",
    help_texts.COMPARE,
    MATRIX_FILE,
    (
        text(
            "--methods",
            f"{', '.join(METHODS)} (default: {' '.join(COMPARED['BinaryMatrix'])}, "
            f"and what else nbmf fit tries, {' '.join(COMPARED_TOO)}; for counts "
            f"{' '.join(COMPARED['CountMatrix'])}; for ordered "
            f"categories {' '.join(COMPARED['CategoryMatrix'])})",
            "ID",
            type=_parse_method,
            **SEVERAL,
        ),
        number(
            "--components",
            "the values of K to try (default: each method's own grid)",
            python="n_components K",
            metavar="K",
            **SEVERAL,
        ),
        number("--masks", "the number of held-out masks (default: 5)", default=5),
        number("--iterations", "the largest number of iterations or sweeps per fit"),
        SET,
        number(
            "--jobs", "how many fits run at a time (default: the number of processors)", python="n_jobs", repeat=False
        ),
        SEED,
        *results(".compare"),
    ),
    READING,
)
PATHS = Command(
    "find how rows moved from period to period, in a file whose columns belong to periods",
    help_texts.PATHS,
    MATRIX_FILE,
    (
        text(
            "--periods",
            "a CSV file with a header and a line per column: its name and its period, a number or a text (texts are in "
            "the order of their first columns)",
            "CSV",
            python="periods_file",
        ),
        text(
            "--period-in-names",
            "instead of that file: a regular expression whose first group is the period in the name of a column",
            "REGEX",
            python="periods",
        ),
        number("--components", "the number of components (default: 1)", python="n_components", metavar="K", default=1),
        number("--chains", "independent chains (default: 4)", default=4),
        number("--iterations", "sweeps of each chain, a third of them burn-in (default: 1500)", least=3, default=1500),
        number("--draws", "draws of each chain, for intervals (default: 100, or all there are)", python="n_draws"),
        text("--show", "rows with colours and names in the picture (default: those that moved farthest)", **SEVERAL),
        SEED,
        *results(".paths"),
    ),
    READING,
)
PLOT = Command(
    "draw the pictures of a fit, of clusters or of topics again",
    help_texts.PLOT,
    text("model", "a folder of nbmf fit, cluster or topics, or a model.npz", "DIR_OR_MODEL"),
    (
        number(
            "--rows",
            "show at most N rows and columns of a dictionary, the most distinctive ones (default: 60; for clusters 30 "
            "columns and categories, for topics 10 words)",
            python="lines words",
        ),
        number(
            "--components",
            "show K components (default: the active ones; for clusters all, for topics at most 12)",
            metavar="K",
        ),
        text(
            "--out",
            "a folder, or a file ending in .png or .pdf for one picture: the one that has its name, such as scale.pdf, "
            "otherwise the dictionary, the profiles or the topics (default: the folder of the model)",
            "PATH",
        ),
        FORCE,
    ),
)
PREDICT = Command(
    "place new rows in a fit, and predict their missing entries",
    help_texts.PREDICT,
    text("model", "a folder of nbmf fit, or its model.npz", "MODEL"),
    (
        text(
            "file", "new rows, with the columns of the fit in any order; the file is read like that of the fit", "FILE"
        ),
        SEED,
        *results(".predicted"),
    ),
    READING,
)
RECOMMEND = Command(
    "list the most probable columns of each row of a fit, or of new rows, without those that the row is known to have",
    help_texts.RECOMMEND,
    text("model", "a folder of nbmf fit, or its model.npz", "MODEL"),
    (
        text(
            "file",
            "new rows, with the columns of the fit in any order; the file is read like that of the fit (default: the "
            "rows of the fit)",
            "FILE",
            nargs="?",
        ),
        number("--top", "how many columns to list for each row (default: 10)", python="n", default=10),
        Option(
            "--exclude",
            "what to leave out: ones (counts above 0), or everything observed, so that missing entries alone are "
            "listed (default: ones)",
            choices=EXCLUDED,
            default=EXCLUDED[0],
        ),
        text(
            "--out", "the CSV file to write (default: MODEL's or FILE's name with .recommended.csv, next to it)", "CSV"
        ),
        FORCE,
    ),
    READING,
)
COMPARE_FITS = Command(
    "match the components of two fits, list the rows that moved, and compare the predictions",
    help_texts.COMPARE_FITS,
    text("first", "a folder of nbmf fit", "A"),
    (
        text("second", "the folder of another fit, with rows or columns of the same names", "B"),
        switch("--check", "compare predictions of held-out entries; --no-check skips this", default=True),
        SEED,
        *results("-B.fits", "A"),
    ),
)
COMMANDS = {
    "example": EXAMPLE,
    "info": INFO,
    "fit": FIT,
    "compare": COMPARE,
    "predict": PREDICT,
    "recommend": RECOMMEND,
    "compare-fits": COMPARE_FITS,
    "paths": PATHS,
    "plot": PLOT,
    "cluster": CLUSTER,
    "topics": TOPICS,
}
