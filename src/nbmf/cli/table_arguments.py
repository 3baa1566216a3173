"""The arguments of the commands for tables of features and for documents."""

import argparse

from nbmf.errors import choices

CLUSTER = """\
examples:
  nbmf cluster penguins.csv                               how many kinds are there, and which?
  nbmf cluster penguins.csv --labels species              do they agree with labels?
  nbmf cluster penguins.csv --labels species --ignore year --kind flipper_length_mm=count
  nbmf cluster penguins.csv --components 3 --model mmnb --out three      exactly three, mixed

nbmf example penguins writes that file: numbers, categories, missing cells.

what is written, in FILE's name with .clusters at the end, or in the folder after --out:
  summary.txt         what is printed: how many components, what distinguishes each, labels
  memberships.csv     the share of each row in each component, and its main one
  distinguishing.csv  means, probabilities and rates of columns in each component and in all rows
  components.csv, scores.csv, labels.csv   sizes; how well each K predicts; rows by label
  memberships.png, profile.png             pictures; report.html has all of it in one file
  model.npz, table.npz   nbmf.load("model.npz") gives the fitted model; the data
  Where nothing is found there are no components and pictures.
"""
TOPICS = """\
examples:
  nbmf topics counts.csv                      a line per document, a column per word
  nbmf topics counts.csv --layout long --document page --word term --count n
  nbmf topics reviews.csv --text review --labels stars --stop-words english
  nbmf topics counts.mtx --words vocabulary.txt --components 10 20 --model fast-lda

what is written, in FILE's name with .topics at the end: as nbmf cluster --help lists it, with
topics.csv (words of each topic, by probability and by lift) and topics.png in the place of
distinguishing.csv and profile.png.
"""
KINDS = ("real", "category", "binary", "count")
OF_TABLES = ("mnb", "mmnb", "fast-mmnb")
OF_DOCUMENTS = ("lda", "fast-lda", "unigrams")


def add_cluster(commands, name: str) -> None:
    """Add `nbmf cluster`."""
    command = _command(
        commands, name, CLUSTER, "find kinds of rows in a table of numbers, categories, yes or no and counts"
    )
    command.add_argument("file", metavar="FILE", help="CSV, TSV (.gz too), Parquet, .rda or .rds")
    add = command.add_argument_group("reading the file", "What is not given is detected, and reported.").add_argument
    add(
        "--kind",
        action="append",
        default=[],
        type=_kind,
        metavar="COLUMN=KIND",
        dest="kinds",
        help=f"what a column is: {', '.join(KINDS)}; may be given several times",
    )
    _add_labels(add)
    add(
        "--ignore",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column to leave out; may be given several times",
    )
    add("--missing", action="append", metavar="TEXT", help="a text that means missing; may be given several times")
    add("--header", action=argparse.BooleanOptionalAction, help="whether the first line has names")
    add("--index", action=argparse.BooleanOptionalAction, help="whether the first column has names")
    _add_model(
        command,
        OF_TABLES,
        ("mnb", "mmnb"),
        (
            "mnb: each row is in one component, with a probability; mmnb, fast-mmnb: each row is a "
            "mixture, and its cells are in components of their own"
        ),
    )
    _add_fit(command, "2 3 4 5 6 8", ".clusters")


def add_topics(commands, name: str) -> None:
    """Add `nbmf topics`."""
    command = _command(commands, name, TOPICS, "find topics in documents: a matrix of counts of words, or texts")
    command.add_argument(
        "file",
        metavar="FILE",
        help="CSV, TSV (.gz too), Parquet, .rda, .rds; sparse: Matrix Market (.mtx), SciPy's .npz",
    )
    add = command.add_argument_group(
        "reading the file", "Without these a line is a document, and a column counts a word."
    ).add_argument
    add("--layout", choices=("long",), help="a line per document and word, with a count")
    for role in ("document", "word", "count"):
        add(f"--{role}", metavar="NAME", help=f"of a long table the column of the {role}")
    add("--text", metavar="COLUMN", help="a column of texts, whose words are counted")
    _add_labels(add)
    add(
        "--ignore",
        action="append",
        default=[],
        metavar="NAME",
        help="a word, or a column, to leave out; may be given several times",
    )
    add("--stop-words", metavar="FILE", help='words to leave out, one a line; "english": a list of English ones')
    add("--words", metavar="FILE", help="of a sparse file the words, one a line, in their order")
    add("--transpose", action="store_true", help="columns are the documents")
    _add_model(
        command,
        OF_DOCUMENTS,
        ("lda",),
        (
            "lda: a document is a mixture of topics; fast-lda: the same, more quickly and sharply; "
            "unigrams: a document is in one topic"
        ),
    )
    _add_fit(command, "2 3 5 8 12", ".topics")


def _command(commands, name: str, examples: str, words: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name, help=words, description=words, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def _add_labels(add) -> None:
    add("--labels", metavar="COLUMN", help="a column of labels (classes), kept apart: agreement is told at the end")


def _add_model(command, allowed: tuple[str, ...], default: tuple[str, ...], words: str) -> None:
    command.add_argument(
        "--model",
        nargs="+",
        choices=allowed,
        default=list(default),
        metavar="ID",
        dest="models",
        help=f"{', '.join(allowed)} (default: {' '.join(default)}): {words}. Of several the one "
        "that predicts better is taken",
    )


def _add_fit(command, grid: str, suffix: str) -> None:
    add = command.add_argument
    add(
        "--components",
        type=int,
        nargs="+",
        metavar="K",
        help=f"how many; of several the smallest that predicts held-out cells as well as the best (default: {grid})",
    )
    add(
        "--starts",
        type=int,
        default=8,
        metavar="N",
        help="random starts of the fit, of which the best is kept (default: 8)",
    )
    add(
        "--smoothing",
        type=float,
        metavar="E",
        help="added to counts of categories and words (default: 1; of words 0.1)",
    )
    add(
        "--check",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="first hold cells out, and say whether components predict them better than none; "
        "--no-check shows them whatever they are worth, and needs one K",
    )
    add("--seed", type=int, default=0, metavar="S", help="the same seed, the same result (0)")
    add("--out", metavar="DIR", help=f"folder of the results (default: FILE's name with {suffix})")
    add("--force", action="store_true", help="overwrite files not written by nbmf")


def _kind(text: str) -> tuple[str, str]:
    """Return column and kind of COLUMN=KIND; a name may have a = itself."""
    name, equals, kind = text.rpartition("=")
    if not (equals and name):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form COLUMN=KIND")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind!r} of {name!r} is no kind; {choices(kind, KINDS)}")
    return name, kind
