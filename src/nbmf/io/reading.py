"""`nbmf.read`: from a file of any usual format to a matrix, and a few lines about it."""

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.io import arguments
from nbmf.io.arguments import Given, Options
from nbmf.io.coding import Coding, RefusedValue, ValueCoding, is_count_above_one
from nbmf.io.content import Content, RepeatedName, counted
from nbmf.io.counting import CountCoding, look_like_counts
from nbmf.io.delimited import read_delimited
from nbmf.io.matrix_market import BANNER, read_matrix_market
from nbmf.io.numpy_files import read_npy, read_npz
from nbmf.io.parquet import read_parquet
from nbmf.io.r_data import read_r
from nbmf.io.stored import StoredCodes
from nbmf.io.text import beginning, is_gzipped

AnyMatrix = BinaryMatrix | CountMatrix | SparseBinaryMatrix
KINDS = ("ones", "zeros", "missing")
CODES = (*KINDS, "counts", "above")
TABLE = ("layout", "index", *CODES, "groups", "ignore", "row", "column", "value", "absent")
SHOWN = 5  # names in the report


class _Format(NamedTuple):
    """What it is called, its reader, and the arguments that have a meaning for it."""

    words: str
    read: Callable[[str | os.PathLike, Options, ValueCoding], Content]
    arguments: tuple[str, ...]
    suffixes: tuple[str, ...] = ()


TEXT = _Format("delimited text", read_delimited, ("header", *TABLE))
PARQUET = _Format("a Parquet file", read_parquet, TABLE, (".parquet", ".pq"))
R_DATA = _Format("an R data file", read_r, (*TABLE, "name"), (".rda", ".rdata", ".rds"))
NPZ = _Format("an NPZ file", read_npz, (*CODES, "name"), (".npz",))
NPY = _Format("an NPY file", read_npy, CODES, (".npy",))
MATRIX_MARKET = _Format("a Matrix Market file", read_matrix_market, CODES, (".mtx",))
FORMATS = (TEXT, PARQUET, R_DATA, NPZ, NPY, MATRIX_MARKET)

# How files begin. Anything else is text.
BEGINNINGS = {
    b"PAR1": PARQUET,
    b"PK\x03\x04": NPZ,
    b"PK\x05\x06": NPZ,
    b"\x93NUMPY": NPY,
    BANNER.encode(): MATRIX_MARKET,
    **{b"RD%c%c\n" % (kind, version): R_DATA for kind in b"XAB" for version in b"23"},
    b"X\n\0\0\0": R_DATA,  # .rds
}
READ_UNPACKED = (TEXT, MATRIX_MARKET, R_DATA)  # formats that may be gzipped
SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")


def read(
    path: str | os.PathLike, *, transpose: bool = False, log: Callable[[str], None] = print, **given: Unpack[Given]
) -> AnyMatrix:
    """Read a matrix of zeros and ones, or of counts, from a file and say how it was understood.

    The format follows from the content: delimited text (CSV, TSV, ";", "|" or blanks; gzipped or
    not), Parquet, NPZ (of this package, of scipy.sparse or with one array), NPY, Matrix Market
    (gzipped or not) and R data (.rda, .rds). Files are data only: nothing in them is executed.

    Parameters
    ----------
    path : path
        The file.
    layout : {None, "long", "presence"}
        None: a matrix. "long": a record per entry with a row, a column and a value; pairs
        without a record are as `absent` says. "presence": a record per one with a row and a
        column; all other pairs are 0.
    header : bool, optional
        Whether the first line of a text names the columns. By default it does if it has a field,
        beside the first, that is no value; of counts also if these rise from each to the next,
        three of them or more, as years do.
    index : bool, optional
        Whether the first column names the rows. By default it does if it has a value that is
        none of ones, zeros and missing, or no name itself; of counts also if they rise so.
    counts : bool, optional
        Whether values are counts, 0, 1, 2, ..., so that a CountMatrix is made. By default they are
        if they are whole numbers, three different ones of them above 1, such in a quarter of the
        columns at least; fewer are codes more often, and are refused.
    above : int, optional
        Make counts binary: one that is larger is a 1, others are 0.
    ones, zeros, missing : list of str, optional
        The texts that mean 1, 0 and missing, each in the place of its defaults: 1, 1.0, true,
        yes; 0, 0.0, false, no; nothing, -1, -1.0, ".", "?", NA, NaN, None, null (the defaults in
        upper or lower case). NA and null of a format that has them are always missing.
    groups : str, optional
        Name of a column with the group of each row.
    ignore : list of str, optional
        Names of columns of a matrix that are left out, such as an identifier or an age.
    row, column, value : str, optional
        Names of the columns of a list; by default the first ones that are not named.
    absent : {None, "zeros", "missing"}
        What pairs without a record are in the layout "long". By default missing; of counts without
        a zero among them zeros.
    name : str, optional
        Which object of an R file, or array of an NPZ file, to read if it has several.
    transpose : bool
        Let rows and columns trade places.
    log : function
        Takes each line of the report: the format as it was understood, the shape, the shares of
        ones and of missing entries or the range of counts, and what was left out.

    Returns
    -------
    BinaryMatrix or CountMatrix, of more than 2^28 entries SparseBinaryMatrix
        Rows and columns in the order of the file; those without an observed entry are left out. So
        large a matrix is read from a list, Matrix Market or scipy.sparse, without its zeros.

    Raises
    ------
    ConfigError
        If an argument is not allowed, or has no meaning for the file.
    DataError
        If the file is not what it has to be; the message names the file and the line.
    """
    given = {key: value for key, value in given.items() if value is not None}
    arguments.check(given, transpose)
    path = Path(path).expanduser()
    format = format_of(path)
    for key in given:
        if key not in format.arguments:
            raise ConfigError(
                f"{path}: {key} has no meaning for {format.words}; "
                f"its arguments are {', '.join((*format.arguments, 'transpose'))}"
            )
    content = _content(path, format, given)
    if (above := given.get("above")) is not None:
        codes = _above(content.codes, above)
        words = f"{content.format}; counts above {above} are ones, others zeros"
        content = content._replace(codes=codes, format=words)
    return _matrix(path, content, transpose, log)


def _content(path: Path, format: _Format, given: dict[str, Any]) -> Content:
    """Return what is in a file, in codes of zeros and ones or in counts; see `read`."""
    options = Options(**{key: value for key, value in given.items() if key in Options._fields})
    counting = CountCoding(given.get("missing"))
    if given.get("counts") or "above" in given:
        return format.read(path, options, counting)
    try:
        return format.read(path, options, Coding(*map(given.get, KINDS)))
    except (RefusedValue, RepeatedName) as refused:
        value = getattr(refused, "value", None)  # of a name nobody knows what it would be
        is_open = not given.keys() & {"counts", "ones", "zeros"}
        if not (is_open and (value is None or is_count_above_one(value))):
            raise
        try:
            found = format.read(path, options, counting)
        except DataError as error:
            if value is None:
                raise refused from None
            raise DataError(f"{refused}; as a matrix of counts: {error}") from None
        if found.is_declared or look_like_counts(found.codes):
            return found
        raise


def _above(codes: np.ndarray | StoredCodes, count: int) -> np.ndarray | StoredCodes:
    """Return counts as codes of whether they are larger."""
    if isinstance(codes, StoredCodes):
        return codes.above(count)
    return np.where(codes == MISSING, MISSING, codes > count).astype(np.int8)


def format_of(path: Path) -> _Format:
    """Return the format of a file, by its content; its suffix must not promise another.

    Raises
    ------
    DataError
        If there is no such file, or it has a format that is not read.
    """
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "there is no such file"
        raise DataError(f"{path}: {kind}")
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    if suffix.lower() in SPREADSHEETS:
        raise DataError(f"{path}: a spreadsheet; save its sheet as CSV (UTF-8)")
    promised = next((format for format in FORMATS if suffix.lower() in format.suffixes), None)
    if promised is R_DATA:  # compressed in three ways, or not
        return R_DATA
    head = beginning(path).removeprefix(b"\xef\xbb\xbf").lower()
    found = (format for start, format in BEGINNINGS.items() if head.startswith(start.lower()))
    format = next(found, TEXT)
    if promised not in (None, format):
        raise DataError(f"{path}: its content is not that of {promised.words}")
    if is_gzipped(path) and format not in READ_UNPACKED:
        raise DataError(f"{path}: {format.words} that is gzipped; unpack it first")
    return format


def _matrix(path: Path, content: Content, transpose: bool, log: Callable[[str], None]) -> AnyMatrix:
    """Return what was found as a matrix, and report it."""
    codes, names, groups = (content.codes, (content.row_names, content.column_names), content.row_groups)
    if transpose:
        codes, names, groups = codes.T, names[::-1], None
    row_names, column_names = (
        np.array([f"{kind} {i}" for i in range(size)] if given is None else given, dtype=str)
        for kind, size, given in zip(("row", "column"), codes.shape, names, strict=True)
    )
    groups = None if groups is None else np.array(groups, dtype=str)
    is_stored = isinstance(codes, StoredCodes)
    rows, columns = codes.observed_lines() if is_stored else _observed_lines(codes)
    if not rows.any():
        raise DataError(f"{path}: none of the {math.prod(codes.shape)} entries is observed")
    if not (rows.all() and columns.all()):
        codes = codes.of_lines(rows, columns) if is_stored else codes[np.ix_(rows, columns)]
    names = row_names[rows], column_names[columns], None if groups is None else groups[rows]
    try:
        matrix = _of_kind(codes, names)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    log(f"{path}: {content.format}" + ("; transposed" if transpose else ""))
    log(_summary(matrix) + (f"; {content.absent}" if content.absent else ""))
    unobserved = [
        f"{counted(len(left), kind)} without an observed entry ({_first(left)})"
        for kind, left in (("row", row_names[~rows]), ("column", column_names[~columns]))
        if len(left)
    ]
    if left_out := [*unobserved, *content.left_out]:
        log(f"left out: {'; '.join(left_out)}")
    return matrix


def _observed_lines(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows and which columns have an observed entry, bool arrays."""
    observed = codes != MISSING
    return observed.any(axis=1), observed.any(axis=0)


def _of_kind(codes: np.ndarray | StoredCodes, names: tuple) -> AnyMatrix:
    """Return the matrix of some codes, of the kind that they are."""
    are_counts = codes.dtype == CountCoding.dtype
    if not isinstance(codes, StoredCodes):
        return (CountMatrix if are_counts else BinaryMatrix)(codes, *names)
    if are_counts:
        raise DataError(
            f"counts, in a matrix of {codes.shape[0]} x {codes.shape[1]} entries: so large a one "
            "is read as zeros and ones alone; above=0 makes counts above 0 ones"
        )
    return SparseBinaryMatrix(np.array(codes[:3], np.int32), *names)


def _summary(matrix: AnyMatrix) -> str:
    counts, size = matrix.counts(), math.prod(matrix.shape)
    if isinstance(matrix, SparseBinaryMatrix):
        return (
            f"{counts['rows']} rows x {counts['columns']} columns: {counts['ones']} ones "
            f"({counts['ones'] / size:.2g} of all entries), {counts['missing']} missing; zeros are "
            "not kept"
        )
    words = [f"{counts[kind] / size:.1%} {kind}" for kind in ("ones", "zeros", "missing") if kind in counts]
    if isinstance(matrix, CountMatrix):
        words.insert(0, f"counts up to {counts['largest']}")
    return f"{counts['rows']} rows x {counts['columns']} columns: {', '.join(words)}"


def _first(names: np.ndarray) -> str:
    more = ", ..." if len(names) > SHOWN else ""
    return ", ".join(repr(str(name)) for name in names[:SHOWN]) + more
