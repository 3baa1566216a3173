"""The arguments of the command line, and help that teaches by example."""

import argparse
import difflib
import importlib
import re
import types

import nbmf
from nbmf.catalogue import CANDIDATES, COMPARED, DEFAULTS, METHODS
from nbmf.cli.help_texts import COMPARE, EXAMPLE, FIT, INFO, PLOT, TOP
from nbmf.cli.table_arguments import add_cluster, add_topics
from nbmf.errors import choices

LAYOUTS = ("long", "presence")
ABSENT = ("zeros", "missing")


def parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the whole command line, and those of the commands by name."""
    top = _parser(
        argparse.ArgumentParser,
        prog="nbmf",
        description="Bayesian factorization of binary matrices: from a file to components with "
        "probabilities that a person can read.",
        epilog=TOP,
    )
    top.add_argument("--version", action="version", version=f"nbmf {nbmf.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, add in COMMANDS.items():
        add(commands, name)
    return top, commands.choices


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Return what the arguments say; help and usage errors end the process."""
    top, commands = parsers()
    options, unknown = top.parse_known_args(argv)
    if unknown:
        own = commands[options.command]
        known = re.findall(r"--[a-z][a-z-]*", own.format_usage())
        near = difflib.get_close_matches(unknown[0].partition("=")[0], known, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        own.error(f"not understood: {' '.join(unknown)}{hint}")
    return options


def command_of(options: argparse.Namespace) -> types.ModuleType:
    """Import and return the module of the command; its `run` takes the options."""
    return importlib.import_module(f"nbmf.cli.{options.command}")


def _parser(make, *arguments, **options) -> argparse.ArgumentParser:
    return make(*arguments, formatter_class=argparse.RawDescriptionHelpFormatter, **options)


def _example(commands, name: str) -> None:
    words = "write a matrix or a table that comes with the package as a CSV file to try"
    example = _parser(commands.add_parser, name, help=words, description=words, epilog=EXAMPLE)
    example.add_argument("name", nargs="?", metavar="NAME", help="which one; default: list them")
    example.add_argument(
        "--layout",
        choices=("matrix", *LAYOUTS),
        default="matrix",
        help="a line per row of the matrix, per entry (long) or per one (presence)",
    )
    example.add_argument("--out", metavar="FILE", help="its name (default: NAME with .csv)")
    example.add_argument("--force", action="store_true", help="overwrite another file")


def _info(commands, name: str) -> None:
    words = "say what is in a file, and what to type next"
    _add_file(_parser(commands.add_parser, name, help=words, description=words, epilog=INFO))


def _fit(commands, name: str) -> None:
    words = "find components; write them as CSV, NPZ and PNG with a summary to read"
    fit = _parser(commands.add_parser, name, help=words, description=words, epilog=FIT)
    _add_file(fit)
    fit.add_argument(
        "--method",
        type=_method,
        metavar="ID",
        help=f"{', '.join(METHODS)} (default: the first of "
        f"{', '.join(CANDIDATES['BinaryMatrix'])} that predicts held-out entries within a standard "
        "error of the best, with --components, --set or --no-check the first of all; of counts "
        f"{DEFAULTS['CountMatrix']})",
    )
    fit.add_argument(
        "--components",
        type=int,
        metavar="K",
        help="number of components; default: the method's own, 100 where the data choose how many of them are used",
    )
    fit.add_argument(
        "--chains",
        type=int,
        metavar="N",
        help="independent chains (samplers: default 4) or starts of which the best is kept "
        "(variational methods: default 4 on small data, else 1; point estimates: 1)",
    )
    fit.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="at most so many iterations; for samplers sweeps, a part of which is burn-in",
    )
    fit.add_argument(
        "--draws",
        type=int,
        default=0,
        metavar="N",
        help="keep posterior draws, "
        "for 90 %% credible intervals of every entry; of variational methods these "
        "are too narrow",
    )
    _add_setting(fit)
    _add_seed(fit)
    fit.add_argument(
        "--check",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="first hold entries out, and say whether components predict them better than shares "
        "and effects of rows and columns; --no-check shows components whatever they are worth",
    )
    _add_output(fit, ".nbmf")


def _compare(commands, name: str) -> None:
    words = "hold entries out, and say which method predicts them best and how certain that is"
    compare = _parser(commands.add_parser, name, help=words, description=words, epilog=COMPARE)
    _add_file(compare)
    compare.add_argument(
        "--methods",
        nargs="+",
        type=_method,
        metavar="ID",
        help=f"{', '.join(METHODS)} (default: {' '.join(COMPARED['BinaryMatrix'])}; of counts "
        f"{' '.join(COMPARED['CountMatrix'])})",
    )
    compare.add_argument(
        "--components", type=int, nargs="+", metavar="K", help="in the place of each method's own grid of K"
    )
    compare.add_argument("--masks", type=int, default=5, metavar="N", help="held-out masks (default: 5)")
    compare.add_argument("--iterations", type=int, metavar="N", help="at most so many iterations or sweeps per fit")
    _add_setting(compare)
    compare.add_argument("--jobs", type=int, metavar="N", help="fits at a time (default: the number of processors)")
    _add_seed(compare)
    _add_output(compare, ".compare")


def _plot(commands, name: str) -> None:
    words = "draw the pictures of a fit, of clusters or of topics again"
    plot = _parser(commands.add_parser, name, help=words, description=words, epilog=PLOT)
    plot.add_argument("model", metavar="DIR_OR_MODEL", help="a folder of nbmf fit, cluster or topics, or a model.npz")
    plot.add_argument(
        "--rows",
        type=int,
        metavar="N",
        help="show at most so many rows and columns: the most distinctive ones "
        "(default: 60; of clusters 30 columns and categories, of topics 10 "
        "words)",
    )
    plot.add_argument(
        "--components",
        type=int,
        metavar="K",
        help="show so many components (default: the active ones; of clusters all, of topics at most 12)",
    )
    plot.add_argument(
        "--out",
        metavar="PATH",
        help="a folder, or a file ending in .png or .pdf for the first picture: "
        "the dictionary, the profiles or the topics (default: the folder of the "
        "model)",
    )
    plot.add_argument("--force", action="store_true", help="overwrite files not written by nbmf")


def _add_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="CSV, TSV, Parquet, NPZ, Matrix Market, .rda or .rds; .gz too")
    reading = command.add_argument_group("reading the file", "What is not given is detected, and reported.")
    add = reading.add_argument
    add(
        "--layout",
        choices=LAYOUTS,
        help="a line per entry with row, column and value (long), or "
        "a line per one with row and column (presence); default: a matrix",
    )
    add("--header", action=argparse.BooleanOptionalAction, help="whether the first line has names")
    add("--index", action=argparse.BooleanOptionalAction, help="whether the first column has names")
    for name, meaning in (("ones", "a one"), ("zeros", "a zero"), ("missing", "missing")):
        add(
            f"--{name}",
            action="append",
            metavar="TEXT",
            help=f"a value that means {meaning}; may be given several times",
        )
    add(
        "--counts",
        action=argparse.BooleanOptionalAction,
        help="whether values are counts, 0, 1, 2, ...; default: if they look like it, or the method takes counts",
    )
    add("--above", type=int, metavar="N", help="of counts make ones, where they are larger, and zeros: --above 0")
    add(
        "--groups",
        metavar="NAME",
        help="the column that holds a group per row, such as party; after --transpose these are groups of columns",
    )
    add(
        "--ignore",
        action="append",
        metavar="NAME",
        help="a column to leave out, such as an identifier or an age; may be given several times",
    )
    for name in ("row", "column", "value"):
        add(f"--{name}", metavar="NAME", help=f"long tables and lists: where the {name} stands")
    add(
        "--absent",
        choices=ABSENT,
        help="long tables: what pairs without a line are; default: missing, of counts zeros if no line has a zero",
    )
    add("--name", metavar="NAME", help="which object of an R or NPZ file")
    add("--transpose", action="store_true", help="rows and columns trade places")
    add(
        "--diagonal",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="--no-diagonal: of a network, what a thing is to itself is missing",
    )


def _add_setting(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        dest="settings",
        help="any other argument of the method, for example alpha=0.2 or max_iter=100; in a comparison of "
        "all methods that have it",
    )


def _setting(text: str) -> tuple[str, bool | int | float | str]:
    """Return name and value of NAME=VALUE; a value is true, false or a number if it is read so."""
    name, equals, value = text.partition("=")
    if not (equals and name and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


def _method(text: str) -> str:
    """Return the id of a method."""
    if text not in METHODS:
        raise argparse.ArgumentTypeError(f"no method {text!r}; {choices(text, METHODS)}")
    return text


def _add_seed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=int, default=0, metavar="S", help="the same seed, the same result (0)")


def _add_output(command: argparse.ArgumentParser, suffix: str) -> None:
    command.add_argument("--out", metavar="DIR", help=f"folder of the results (default: FILE's name with {suffix})")
    command.add_argument("--force", action="store_true", help="overwrite files not written by nbmf")


COMMANDS = {
    **{"example": _example, "info": _info, "fit": _fit, "compare": _compare, "plot": _plot},
    **{"cluster": add_cluster, "topics": add_topics},
}
