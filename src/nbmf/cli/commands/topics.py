"""nbmf topics: topics of documents, from counts of words or from texts."""

from pathlib import Path

from nbmf.cli.cluster_and_topics import Task, prepare_folder, run_task
from nbmf.cli.options import Options
from nbmf.cli.reading import message_printer
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, DataError
from nbmf.io.documents import ROLES, read_documents
from nbmf.io.text_lines import lines_of

SMOOTHING, GRID = 0.1, (2, 3, 4, 5, 6, 8, 12)
ENDS = {"max_iter": 100, "relative_change_tol": 1e-5}  # as VariationalLDA
MODELS = {
    "lda": {"model": "mmnb"},
    "fast-lda": {"model": "fast-mmnb", "inner_max": 5},  # as FastLDA
    "unigrams": {"model": "mnb"},
}
ENGLISH = "english"


def run(options: Options) -> None:
    """Find topics, write the folder and print the summary."""
    folder = prepare_folder(options, ".topics")
    smoothing = SMOOTHING if options.smoothing is None else options.smoothing
    settings = {"smoothing": smoothing, **ENDS}
    models = {name: {**MODELS[name], **settings} for name in options.models}
    run_task(_read(options), Task(models, GRID, "topic", "document"), folder, options)


def _read(options: Options) -> FeatureTable:
    """Read FILE as the options say, and print what the reader reports."""
    named = [getattr(options, role) for role in ROLES]
    if any(named) and (options.layout is None or not all(named)):
        raise ConfigError("--document, --word and --count go together, after --layout long")
    long = options.layout is not None and (named if all(named) else True)
    return read_documents(
        options.file,
        long=long,
        ignore=[*options.ignore, *_stop_words(options.stop_words)],
        **options.taken("text", "labels", "words", "transpose", "name", "encoding"),
        log=message_printer(options.command),
    )


def _stop_words(given: str | None) -> list[str]:
    if given is None:
        return []
    if given == ENGLISH:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # takes a second to import

        return sorted(ENGLISH_STOP_WORDS)
    if not Path(given).is_file():
        raise DataError(
            f"--stop-words {given}: there is no such file; allowed: a file with one word per line, and {ENGLISH}"
        )
    return [line.strip() for line in lines_of(given)]
