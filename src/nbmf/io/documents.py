"""`nbmf.read_documents`: from a file of counts of words, or of texts, to a FeatureTable."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import scipy.sparse

from nbmf.data.feature_table import FeatureTable
from nbmf.data.names import default_names
from nbmf.data.value_codes import number_of, text_of, texts_of
from nbmf.errors import ConfigError, DataError, Message, Setting, first_of
from nbmf.io.arguments import DocumentOptions
from nbmf.io.cells import Entries, Grid, count_phrase, refuse_repeated
from nbmf.io.columns import Columns, columns_of, open_table
from nbmf.io.document_names import are_names, id_column_notes
from nbmf.io.text_lines import lines_of
from nbmf.numerics.percent import percent

ROLES = ("document", "word", "count")
NO_WIDE = Message(" (each line is read as a document; ", Setting("long", True), " reads a line per document and word)")
NOTHING = ("",)
LEAST, MOST = 2, 0.5  # documents that a word of a text is in: their number, and their share
NAMED = 5  # at most so many words are named that are in no document, or in too many
LETTERS = r"(?u)\b[^\W\d_]{3,}\b"  # of a word


class _Counts(NamedTuple):
    """The contents of a file: counts (sparse), names of documents and words, labels, in words the format,
    which columns are among what is to be ignored, and what else is to be said.
    """

    counts: scipy.sparse.csr_array
    documents: Sequence[str] | None
    words: Sequence[str] | None
    labels: Sequence[str] | None
    format: str
    ignored: Collection[str] = ()
    notes: tuple[Message, ...] = ()


def read_documents(
    path: str | os.PathLike,
    *,
    long: bool | Sequence[str] = False,
    text: str | None = None,
    labels: str | None = None,
    ignore: Collection[str] = (),
    transpose: bool = False,
    log: Callable[[str], None] = print,
    **options: Unpack[DocumentOptions],
) -> FeatureTable:
    """Read documents by words from a file, and report how they were read.

    The file has a line per document with a column of counts per word; or with `long` a line per document and word;
    or with `text` a column of texts, whose words are counted; or it is sparse: Matrix Market (.mtx) or scipy.sparse
    (.npz). No entry is missing: a word that is absent has the count 0. Documents without words, and words without
    counts, are left out.

    Parameters
    ----------
    path : path
    long : bool or sequence of three str
        The columns with document, word and count; True: the first three.
    text : str, optional
        The column of texts. Their words have at least three letters, are put into lower case, and are used if they
        are in at least two documents and in at most half of all.
    labels : str, optional
        The column with the label (class) of each document, which is kept apart.
    ignore : list of str
        Words, or columns, that are left out.
    transpose : bool
        Of counts: columns are the documents.
    log : function
        Takes each line of the report.
    **options
        `words`, the path of a file with the words of a sparse one, one a line, in the order of its columns; `name`
        of an object of an R file or a sheet of a workbook, `encoding` of texts, as for `nbmf.read`.

    Returns
    -------
    FeatureTable
        Of words.

    Raises
    ------
    ConfigError
        If an argument has no meaning for the file, or with another one.
    DataError
        If the file is none of these, or a count is no whole number from 0 on.
    """
    path, ignore, words = Path(path).expanduser(), set(ignore), options.pop("words", None)
    cells = open_table(path, **options)
    is_matrix = isinstance(cells, Grid | Entries)
    _refuse_meaningless(
        ("words", words, is_matrix, "a sparse file, which has no names"),
        ("long", long, not is_matrix and text is None, "a table of counts"),
        ("text", text, not is_matrix, "a table"),
        ("labels", labels, not (is_matrix or long or transpose), "a line per document"),
        ("transpose", transpose, not long and text is None, "a matrix of counts"),
    )
    if is_matrix:
        counts = _read_matrix(cells, words)
    else:
        # Nothing alone is missing: "none" and "na" may be words.
        columns = columns_of(path, cells, text and True, NOTHING)
        if long:
            counts = _read_long(path, columns, () if long is True else long)
        else:
            counts = _read_documents_per_line(path, columns, text, labels, ignore)
        for note in columns.table.notes:
            log(note)
    if transpose:
        counts = _Counts(counts.counts.T.tocsr(), counts.words, counts.documents, None, counts.format)
    return _build_table(path, counts, ignore, transpose, log)


def _refuse_meaningless(*arguments: tuple[str, Any, bool, str]) -> None:
    """Raise ConfigError for an argument that is given and has no meaning: name, value, whether."""
    for name, given, has_meaning, where in arguments:
        if given and not has_meaning:
            raise ConfigError(Setting(name, given), f": has a meaning only for {where}")


def _read_documents_per_line(
    path: Path, columns: Columns, text: str | None, labels: str | None, ignore: set[str]
) -> _Counts:
    """Read a line per document: counts or, with `text`, a text."""
    labels, text = (None if name is None else columns.names_of([name], str(path))[0] for name in (labels, text))
    counts = _count_words(path, columns, text) if text else _read_wide(path, columns, ignore | {labels})
    counts = counts._replace(ignored=ignore & columns.values.keys())
    if labels is None:
        return counts
    return counts._replace(labels=texts_of(columns.values[labels]))


def _read_wide(path: Path, columns: Columns, aside: Collection[str]) -> _Counts:
    names = [name for name in columns.values if name not in aside]
    first = columns.values[names[0]] if names else []
    documents, said = columns.table.row_numbers, "a line per document"
    if first and are_names(columns, names[0], first):
        documents, said = texts_of(first), "a line per document, its name first"
        refuse_repeated(path, documents, "document", columns.where, NO_WIDE)
        names = names[1:]
    if not names:
        raise DataError(f"{path}: no column of counts")
    counts = np.column_stack([_column_counts(path, columns, name) for name in names])
    notes = () if said.endswith("first") else id_column_notes(names[0], counts)
    return _Counts(scipy.sparse.csr_array(counts), documents, names, None, f"{columns.format}; {said}", notes=notes)


def _column_counts(path: Path, columns: Columns, name: str) -> np.ndarray:
    """Return the counts of a column, 0 where a cell is empty."""
    values = columns.values[name]
    numbers = (0.0 if value is None else number_of(value) for value in values)
    counts = np.array([np.nan if number is None else number for number in numbers])
    right = (counts >= 0) & (counts == np.floor(counts)) & np.isfinite(counts)
    if not right.all():
        row = int(np.flatnonzero(~right)[0])
        raise DataError(
            f"{path}, {columns.where(row)}, column {name!r}: {values[row]!r}; allowed: counts, whole numbers from "
            "0 on. ",
            Setting("ignore", [name]),
            " leaves the column out, ",
            Setting("labels", name),
            " keeps it apart, and ",
            Setting("text", name),
            " counts the words of texts",
        )
    return counts


def _read_long(path: Path, columns: Columns, chosen: Sequence[str]) -> _Counts:
    names = list(columns.values)
    chosen = chosen or names[: len(ROLES)]
    if len(chosen) != len(ROLES):
        n_columns = count_phrase(len(chosen), "column")
        raise DataError(f"{path}: {n_columns}; needed are three, {', '.join(ROLES)}")
    document, word, count = columns.names_of(chosen, str(path))
    counts = _column_counts(path, columns, count)
    places, axes = [], []
    for role, name in (("document", document), ("word", word)):
        texts = columns.values[name]
        if None in texts:
            where = columns.where(texts.index(None))
            raise DataError(f"{path}, {where}, column {name!r}: the name of the {role} is missing")
        numbers: dict[str, int] = {}
        places.append([numbers.setdefault(text_of(each), len(numbers)) for each in texts])
        axes.append(list(numbers))
    shape = len(axes[0]), len(axes[1])
    values = scipy.sparse.coo_array((counts, places), shape=shape).tocsr()  # adds what repeats
    said = f"long: document {document!r}, word {word!r}, count {count!r}"
    return _Counts(values, *axes, None, f"{columns.format}; {said}")


def _count_words(path: Path, columns: Columns, text: str) -> _Counts:
    from sklearn.feature_extraction.text import CountVectorizer  # takes a second to import

    texts = ["" if each is None else str(each) for each in columns.values[text]]
    counter = CountVectorizer(token_pattern=LETTERS, min_df=LEAST, max_df=1.0)
    no_word = DataError(
        f"{path}, column {text!r}: no word of three letters is in at least {LEAST} texts and "
        f"in at most {MOST:.0%} of them"
    )
    try:
        counts = scipy.sparse.csr_array(counter.fit_transform(texts))
    except ValueError as error:  # no word is left
        raise no_word from error
    words, numbers = counter.get_feature_names_out(), np.bincount(counts.indices, minlength=counts.shape[1])
    is_common = numbers > MOST * len(texts)
    if is_common.all():
        raise no_word
    said = (
        f"words of texts in {text!r}: of at least three letters, in at least {LEAST} documents and "
        f"in at most {MOST:.0%} of them"
    )
    notes = _notes_of_common(words[is_common], numbers[is_common], counts[:, is_common].sum() / counts.sum())
    counts, words = counts[:, ~is_common], words[~is_common].tolist()
    return _Counts(counts, None, words, None, f"{columns.format}; {said}", notes=notes)


def _notes_of_common(words: np.ndarray, numbers: np.ndarray, part: float) -> tuple[Message, ...]:
    """Return what is said of words that are in too many documents: they may be those that make a topic."""
    if not len(words):
        return ()
    most = words[np.argsort(-numbers, kind="stable")]
    listed = first_of([*map(repr, most.tolist())], NAMED)
    said = f"in more than {MOST:.0%} of the documents, and not used: {listed}"
    return (Message(f"{said} ({percent(part)} of the tokens of words in at least {LEAST} documents)"),)


def _read_matrix(cells: Grid | Entries, words: str | os.PathLike | None) -> _Counts:
    path, values = cells.path, cells.values
    if values.dtype.kind not in "fiub":
        numbers = [number_of(value) for value in values.ravel()]
        if None in numbers:
            raise DataError(f"{path}: {values.flat[numbers.index(None)]!r} is no number; allowed: counts")
        values = np.reshape(numbers, values.shape)
    if isinstance(cells, Entries):  # adds what repeats
        values = scipy.sparse.coo_array((values, (cells.rows, cells.columns)), shape=cells.shape)
    values = scipy.sparse.csr_array(values, dtype=np.float64)
    right = (values.data >= 0) & (values.data == np.floor(values.data)) & np.isfinite(values.data)
    if not right.all():
        wrong = values.data[~right][0].item()
        raise DataError(f"{path}: the value {wrong!r}; allowed: counts, whole numbers from 0 on")
    names = cells.column_names
    if words is not None:
        if not Path(words).is_file():
            raise DataError(Setting("words", str(words)), ": there is no such file")
        names = [line.strip() for line in lines_of(words) if line.strip()]
        if len(names) != values.shape[1]:
            raise DataError(f"{words}: {count_phrase(len(names), 'word')} for {values.shape[1]} columns of {path}")
        refuse_repeated(words, names, "word", lambda n: f"line {n + 1}")
    return _Counts(values, cells.row_names, names, None, cells.format)


def _build_table(path: Path, contents: _Counts, ignore: set[str], transposed: bool, log) -> FeatureTable:
    counts = contents.counts
    names = [
        default_names(kind, size) if given is None else np.array(given, dtype=str)
        for kind, size, given in zip(ROLES[:2], counts.shape, (contents.documents, contents.words), strict=True)
    ]
    wanted = ~np.isin(names[1], list(ignore))
    columns = (counts.sum(axis=0) > 0) & wanted
    counts = counts[:, columns]
    rows = counts.sum(axis=1) > 0
    if not rows.any():
        raise DataError(f"{path}: no word is left in any document: all counts are 0, or of words to ignore")
    labels = None if contents.labels is None else np.array(contents.labels, dtype=str)[rows]
    table = FeatureTable.from_documents(counts[rows], names[0][rows], names[1][columns], labels)
    log(f"{path}: {contents.format}" + ("; transposed" if transposed else ""))
    log(
        f"{count_phrase(table.shape[0], 'document')} x {count_phrase(table.shape[1], 'word')}: "
        f"{int(table.cells.sum())} tokens, {table.cells.sum() / table.shape[0]:.1f} a document"
    )
    for note in contents.notes:
        log(note)
    left_out = [
        f"{count_phrase(int(number), kind)} {what}"
        for number, kind, what in (
            (np.count_nonzero(~rows), "document", "without a word"),
            (np.count_nonzero(~wanted), "word", "to ignore"),
            (np.count_nonzero(~columns & wanted), "word", "that no document has"),
        )
        if number
    ]
    if left_out:
        log(f"left out: {'; '.join(left_out)}")
    if unknown := sorted(ignore - {*names[1], *contents.ignored}):
        said = ", ".join(map(repr, unknown)) if len(unknown) <= NAMED else f"{len(unknown)} words"
        log(f"to ignore, but in no document: {said}")
    return table
