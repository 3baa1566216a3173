"""Which format a file has, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError
from nbmf.io.cells import Entries, Grid, Table
from nbmf.io.data_frames import read_parquet
from nbmf.io.delimited import DelimitedText
from nbmf.io.matrix_market import BANNER, read_matrix_market
from nbmf.io.numpy_files import read_npy, read_npz
from nbmf.io.text_lines import beginning, is_gzipped

Cells = Table | DelimitedText | Grid | Entries | NamedMatrix


def _read_text(path: Path, name: None) -> DelimitedText:
    return DelimitedText(path)


def _read_r(path: Path, name: str | None) -> Table | Grid:
    from nbmf.io.rda import read_r  # loads pandas and rdata

    return read_r(path, name)


class Format(NamedTuple):
    """What it is called, its reader from path and name of an object in it, and how its files end and begin."""

    words: str
    read: Callable[[Path, str | None], Cells]
    suffixes: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = ()  # in lower case
    may_be_gzipped: bool = False
    is_table: bool = False
    has_names: bool = False  # of objects


TEXT = Format("delimited text", _read_text, may_be_gzipped=True, is_table=True)
PARQUET = Format("a Parquet file", read_parquet, (".parquet", ".pq"), (b"par1",), is_table=True)
R_DATA = Format(
    "an R data file",
    _read_r,
    (".rda", ".rdata", ".rds"),
    (*(b"rd%c%c\n" % (kind, version) for kind in b"xab" for version in b"23"), b"x\n\0\0\0"),
    may_be_gzipped=True,
    is_table=True,
    has_names=True,
)
NPZ = Format("an NPZ file", read_npz, (".npz",), (b"pk\x03\x04", b"pk\x05\x06"), has_names=True)
NPY = Format("an NPY file", read_npy, (".npy",), (b"\x93numpy",))
MATRIX_MARKET = Format(
    "a Matrix Market file", read_matrix_market, (".mtx",), (BANNER.lower().encode(),), may_be_gzipped=True
)
FORMATS = (PARQUET, R_DATA, NPZ, NPY, MATRIX_MARKET, TEXT)
SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")


def promised_format(path: Path) -> Format | None:
    """Return the format that a file's name promises, None if it may be text of any name."""
    suffix = _suffix(path)
    return next((format for format in FORMATS if suffix in format.suffixes), None)


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def format_of(path: Path) -> Format:
    """Return the format of a file, by its content; its suffix must not promise another.

    Raises
    ------
    DataError
        If there is no such file, or it has a format that is not read.
    """
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "there is no such file"
        raise DataError(f"{path}: {kind}")
    if _suffix(path) in SPREADSHEETS:
        raise DataError(f"{path}: a spreadsheet; save its sheet as CSV (UTF-8)")
    promised = promised_format(path)
    if promised is R_DATA:  # compressed in three ways, or not
        return R_DATA
    head = beginning(path).removeprefix(b"\xef\xbb\xbf").lower()
    format = next((format for format in FORMATS if head.startswith(format.beginnings)), TEXT)
    if promised not in (None, format):
        raise DataError(f"{path}: its content is not that of {promised.words}")
    if is_gzipped(path) and not format.may_be_gzipped:
        raise DataError(f"{path}: {format.words} that is gzipped; unpack it first")
    return format
