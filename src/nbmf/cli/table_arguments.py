"""The options of the commands for tables of features and for documents."""

import argparse

from nbmf.cli import help_texts
from nbmf.cli.options import (
    ENCODING,
    HEADER,
    INDEX,
    OBJECT,
    SEED,
    SEVERAL,
    Command,
    Option,
    number,
    results,
    switch,
    text,
    texts,
)
from nbmf.errors import choices

KINDS = ("real", "category", "binary", "count")
TABLE_MODELS = ("mnb", "mmnb", "fast-mmnb")
DOCUMENT_MODELS = ("lda", "fast-lda", "unigrams")


def _parse_kind(given: str) -> tuple[str, str]:
    """Return column and kind of COLUMN=KIND; a name may have a = itself."""
    name, equals, kind = given.rpartition("=")
    if not (equals and name):
        raise argparse.ArgumentTypeError(f"{given!r} is not of the form COLUMN=KIND")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind!r} of {name!r} is no kind; {choices(kind, KINDS)}")
    return name, kind


def _model_option(allowed: tuple[str, ...], default: tuple[str, ...], words: str) -> Option:
    return text(
        "--model",
        f"{', '.join(allowed)} (default: {' '.join(default)}): {words}. Of several models the one that predicts "
        "best is shown",
        "ID",
        choices=allowed,
        default=list(default),
        dest="models",
        **SEVERAL,
    )


def _fit_options(grid: str, suffix: str) -> tuple[Option, ...]:
    return (
        number(
            "--components",
            f"the numbers of components to try; the smallest that predicts held-out cells as well as the best is shown "
            f"(default: {grid})",
            python="n_components",
            metavar="K",
            **SEVERAL,
        ),
        number("--starts", "the number of random starts, of which the best is kept (default: 8)", default=8),
        number(
            "--smoothing",
            "a number added to the counts of categories and words (default: 1; for words 0.1)",
            least=0,
            type=float,
            metavar="E",
        ),
        switch(
            "--check",
            "first test on held-out cells whether components predict better than none do; --no-check skips the test "
            "and needs one K",
            default=True,
        ),
        SEED,
        *results(suffix),
    )


LABELS = text(
    "--labels",
    "a column of labels (classes) that the fit does not see; the report says how well components agree with it",
    "COLUMN",
)
CLUSTER = Command(
    "find clusters of rows in a table of numbers, categories, yes or no and counts",
    help_texts.CLUSTER,
    text("file", "CSV, TSV (.gz too), Excel, SPSS, Stata, JSON, Parquet, .rda or .rds", "FILE"),
    (
        _model_option(
            TABLE_MODELS,
            ("mnb", "mmnb"),
            "mnb: each row belongs to one component, with a probability; mmnb, fast-mmnb: each row is a mixture of "
            "components",
        ),
        *_fit_options("2 3 4 5 6 8", ".clusters"),
    ),
    (
        texts(
            "--kind",
            f"the kind of a column: {', '.join(KINDS)}",
            "COLUMN=KIND",
            type=_parse_kind,
            dest="kinds",
            default=[],
        ),
        LABELS,
        texts("--ignore", "a column to leave out", "COLUMN", default=[]),
        texts("--missing", "a text that means missing", "TEXT"),
        HEADER,
        INDEX,
        OBJECT,
        ENCODING,
    ),
)
TOPICS = Command(
    "find topics in documents: a matrix of word counts, or texts",
    help_texts.TOPICS,
    text(
        "file",
        "CSV, TSV (.gz too), Excel, SPSS, Stata, JSON, Parquet, .rda, .rds; sparse: Matrix Market (.mtx), SciPy's .npz",
        "FILE",
    ),
    (
        _model_option(
            DOCUMENT_MODELS,
            ("lda",),
            "lda: a document is a mixture of topics; fast-lda: the same, but faster and with sharper mixtures; "
            "unigrams: a document has one topic",
        ),
        *_fit_options("2 3 4 5 6 8 12", ".topics"),
    ),
    (
        Option("--layout", "a line per document and word, with a count", python="long", choices=("long",)),
        *(
            text(f"--{role}", f"in a long table, the column that holds the {role}")
            for role in ("document", "word", "count")
        ),
        text("--text", "a column of texts, whose words are counted", "COLUMN"),
        LABELS,
        texts("--ignore", "a word, or a column, to leave out", default=[]),
        text("--stop-words", 'a file of words to leave out, one per line; "english": a list of English words', "FILE"),
        text("--words", "the words of a sparse file, one per line, in order", "FILE"),
        Option("--transpose", "documents are columns, not rows", action="store_true"),
        OBJECT,
        ENCODING,
    ),
    "Without these options a line is a document, and a column counts a word.",
)
