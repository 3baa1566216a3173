"""`nbmf.read`: from a file of any usual format to a matrix, and a few lines about it."""

import itertools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_coding import cut_of
from nbmf.data.names import first_names, with_default_names
from nbmf.data.value_codes import number_of
from nbmf.errors import ConfigError, DataError, Message, Setting, naming_file
from nbmf.io import arguments, coded_matrix
from nbmf.io.answers import MISSING_IN_A_LIST, matrix_answers
from nbmf.io.arguments import Options
from nbmf.io.cells import Entries, count_phrase
from nbmf.io.coded_cells import code_cells
from nbmf.io.coded_matrix import CodedMatrix, ReadMatrix, StoredCodes
from nbmf.io.formats import Cells, Format, format_of
from nbmf.io.matrix_files import KINDS
from nbmf.io.matrix_kinds import AnyMatrix, make_category_matrix, make_matrix, notes_of_counts, summary
from nbmf.io.networks import as_network
from nbmf.io.triangles import fill_from_mirror_images, notes_of_triangle

CODES = (*KINDS, "counts", "above", "categories")
TABLE = ("layout", "index", *CODES, "groups", "ignore", "row", "column", "value", "absent", "undirected")


def read(
    path: str | os.PathLike, *, transpose: bool = False, log: Callable[[str], None] = print, **given: Unpack[Options]
) -> AnyMatrix:
    """Read a matrix of zeros and ones, of counts or of ordered categories from a file, and report how it was read.

    The format follows from the content: delimited text (CSV, TSV, ";", "|" or blanks; gzipped or
    not), Excel, SPSS, Stata, JSON (records), Parquet, NPZ (of this package, of scipy.sparse or with
    one array), NPY, Matrix Market (gzipped or not) and R data (.rda, .rds). Files are data only:
    nothing in them is executed.

    Parameters
    ----------
    path : path
        The file.
    layout : {None, "long", "presence", "basket"}
        None: a matrix. "long": a record per entry with a row, a column and a value; `absent` declares what pairs
        without a record are. "presence": a record per one with a row and a column; all other pairs are 0.
        "basket": each line lists the columns that are 1 in a row, as of what was bought together; others are 0. With
        `index=True` its first field is the name of the row. With `column` each cell of this column is such a list,
        separated by ";" or ",", as forms write all choices that apply, and `row` names the column with names of rows.
    header : bool, optional
        Whether the first line of a text names the columns. By default it does if a field of it, other than the
        first, is no value, and for counts also if three or more of them rise from each to the next, as years do; for
        categories if each is the next number, as those of questions are. It also does if it has nothing, 0, 1, ..., as
        pandas writes, above names of rows or 0, 1, ....
    index : bool, optional
        Whether the first column names the rows. By default it does if one of its values means neither a one nor a
        zero nor missing, or if it has no name itself; for counts and categories also if they rise in this way. Where
        no column does, an index of Parquet or R with numbers of rows, other than 0, 1, ..., names them.
    counts : bool, optional
        Whether values are counts, 0, 1, 2, ..., so that a CountMatrix is made. By default they are
        if they are whole numbers, three different ones of them above 1, such in a quarter of the
        columns at least; fewer are codes more often, and are refused. So are whole numbers from 1 to at
        most 10 without a zero: they are ratings.
    above : float, optional
        Make counts, or other numbers of at least 0, binary: larger ones become 1, others 0. In a matrix file of ordered
        categories these are the numbers that they are called, or of texts their places, 0, 1, ....
    categories : list of str, optional
        The texts of ordered categories, from the lowest on, so that a CategoryMatrix is made: ["never", "seldom",
        "often"] or ["1", "2", "3", "4", "5"]. Texts with labels, as SPSS and Stata have them, are the labels.
    ones, zeros, missing : list of str, optional
        The texts that mean 1, 0 and missing, each instead of its defaults: 1, 1.0, true,
        yes; 0, 0.0, false, no; nothing, -1, -1.0, ".", "?", NA, N/A, NaN, None, null (the defaults
        in upper or lower case). Of counts `zeros` are texts that mean 0 as well, such as "". NA and null of a format
        that has them are always missing.
    groups : str, optional
        Name of a column with the group of each row.
    ignore : list of str, optional
        Names of columns of a matrix that are left out, such as an identifier or an age.
    row, column, value : str, optional
        Names of the columns of a list; by default the first ones that are not named.
    absent : {None, "zeros", "missing"}
        What pairs without a record are in the layout "long": missing by default, but zeros for counts if no record
        is zero.
    name : str, optional
        Which object of an R file, array of an NPZ file or sheet of a workbook to read if it has several.
    encoding : str, optional
        Of text, JSON and old files of SPSS: by default UTF-8, UTF-16 if a byte order mark or zero bytes show it, or
        Windows-1252, which includes Latin-1.
    undirected : bool
        True: each record of a list is a tie in both directions, so that rows and columns have the same names. In a
        matrix whose rows and columns have the same names, a triangle without ties is filled from the other one, and
        so is each missing entry from its mirror image.
    diagonal : bool
        False: entries whose row and column have the same name are missing, such as the diagonal of a network.
    transpose : bool
        Swap rows and columns.
    log : function
        Called with each line of the report: the detected format, the shape, the proportions of ones and of missing
        entries or the range of counts, and what was left out.

    Returns
    -------
    BinaryMatrix, CountMatrix or CategoryMatrix, of more than 2^28 entries SparseBinaryMatrix
        Rows and columns are in the order of the file, columns of a network in that of its rows; those without an
        observed entry are left out. A matrix of more than 2^28 entries is read without its zeros, from a list,
        Matrix Market or scipy.sparse.

    Raises
    ------
    ConfigError
        If an argument is not allowed, or has no meaning for the file.
    DataError
        If the file cannot be read as such a matrix; the message names the file and the line.
    """
    return read_with_absent(path, transpose=transpose, log=log, **given).matrix


def read_with_absent(
    path: str | os.PathLike, *, transpose: bool = False, log: Callable[[str], None] = print, **given: Unpack[Options]
) -> ReadMatrix:
    """Read a matrix as `read` does; return with it what is known of entries that it does not have."""
    given = {key: value for key, value in given.items() if value is not None}
    arguments.check(given, transpose)
    diagonal = given.pop("diagonal", True)
    path = Path(path).expanduser()
    format = format_of(path)
    allowed = _allowed_arguments(format)
    for key in given:
        if key not in allowed:
            others = (part for name in (*allowed, "transpose") for part in (", ", Setting(name)))
            its = f" has no meaning for {format.words}; its arguments are "
            raise ConfigError(f"{path}: ", Setting(key), its, *itertools.islice(others, 1, None))
    cells = format.read_cells(path, given)
    coded = code_cells(path, cells, given)
    if given.get("layout") is None:
        coded = _complete_triangles(path, coded, given)
    absent_are_zeros = coded.are_filled or isinstance(coded.codes, StoredCodes)
    if (above := given.get("above")) is not None:
        words = f"{coded.format}; {_threshold_phrase(cells, above)}"
        notes = (*coded.notes, *_notes_of_zeros(cells, coded))
        coded = coded._replace(codes=coded_matrix.codes_above(coded.codes, cut_of(above)), format=words, notes=notes)
    categories = None if "above" in given or given.get("counts") else given.get("categories", _categories_of(cells))
    with naming_file(path):
        matrix, unobserved = _build_matrix(coded, transpose, categories)
        matrix, of_network = as_network(matrix, diagonal)  # before it is described: its diagonal may be missing
    log(f"{path}: {coded.format}" + ("; transposed" if transpose else ""))
    log(summary(matrix) + (f"; {coded.absent}" if coded.absent else ""))
    for note in (*coded.notes, *notes_of_counts(matrix), *_notes_of_unobserved(coded, unobserved), *of_network):
        log(note)
    return ReadMatrix(matrix, absent_are_zeros, unobserved)


def _complete_triangles(path: Path, coded: CodedMatrix, given: dict[str, Any]) -> CodedMatrix:
    """Return a table with its empty triangle filled, if that is asked for, or else with a note on it."""
    if given.get("undirected"):
        return fill_from_mirror_images(coded, path, "categories" not in given)
    return coded if "categories" in given else coded._replace(notes=(*coded.notes, *notes_of_triangle(coded)))


def _threshold_phrase(cells: Cells, above: float) -> str:
    """Return the words for what values above a number become."""
    are_texts = isinstance(cells, CategoryMatrix) and None in map(number_of, cells.categories.tolist())
    what = f"categories after {str(cells.categories[int(above)])!r}" if are_texts else f"values above {above}"
    return f"{what} are ones, others zeros"


def _notes_of_zeros(cells: Cells, coded: CodedMatrix) -> tuple[str, ...]:
    """Return what is said if answers that nobody gave become zeros, since the file has no entry for them."""
    if not isinstance(cells, Entries) or isinstance(coded.codes, StoredCodes):
        return ()
    _, answers = matrix_answers(coded, is_list=False)
    if answers is None:
        return ()
    return (Message(f"values are answers, {answers.words}, and what is not in the file is zero; ", MISSING_IN_A_LIST),)


def _allowed_arguments(format: Format) -> tuple[str, ...]:
    """Return the arguments that have a meaning for a format."""
    header = ("header",) if format.may_lack_header else ()
    return (*header, *(TABLE if format.is_table else CODES), *format.options)


def _categories_of(cells: Cells) -> Sequence[str] | None:
    """Return the categories that a matrix file of nbmf names."""
    return cells.categories if isinstance(cells, CategoryMatrix) else None


def _build_matrix(
    coded: CodedMatrix, transpose: bool, categories: Sequence[Any] | None
) -> tuple[AnyMatrix, tuple[np.ndarray, np.ndarray]]:
    """Return what was found as a matrix, with the names of the rows and of the columns without an observed entry."""
    codes, names, groups = (coded.codes, (coded.row_names, coded.column_names), coded.row_groups)
    if transpose:
        codes, names, groups = codes.T, names[::-1], None
    row_names, column_names = (np.array(each, dtype=str) for each in with_default_names(codes.shape, *names))
    groups = None if groups is None else np.array(groups, dtype=str)
    is_stored = isinstance(codes, StoredCodes)
    rows, columns = coded_matrix.observed_rows_and_columns(codes)
    if not rows.any():
        raise DataError(f"none of the {math.prod(codes.shape)} entries is observed")
    if not (rows.all() and columns.all()):
        codes = codes.restricted_to(rows, columns) if is_stored else codes[np.ix_(rows, columns)]
    names = row_names[rows], column_names[columns], None if groups is None else groups[rows]
    matrix = make_matrix(codes, names) if categories is None else make_category_matrix(codes, names, categories)
    return matrix, (row_names[~rows], column_names[~columns])


def _notes_of_unobserved(coded: CodedMatrix, unobserved: tuple[np.ndarray, np.ndarray]) -> tuple[str, ...]:
    """Return what is said of rows and columns without an observed entry, and of what else was left out."""
    lines = [
        f"{count_phrase(len(left), kind)} without an observed entry ({first_names(left)})"
        for kind, left in zip(("row", "column"), unobserved, strict=True)
        if len(left)
    ]
    left_out = [*lines, *coded.left_out]
    return (f"left out: {'; '.join(left_out)}",) if left_out else ()
