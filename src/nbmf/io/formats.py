"""Which format a file has, and what reads it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError
from nbmf.io.cells import Entries, Grid, Table
from nbmf.io.data_frames import read_parquet
from nbmf.io.delimited import DelimitedText
from nbmf.io.excel import read_excel
from nbmf.io.json_records import read_json
from nbmf.io.labelled_frames import read_spss, read_stata
from nbmf.io.matrix_market import BANNER, read_matrix_market
from nbmf.io.numpy_files import read_npy, read_npz
from nbmf.io.records import Records
from nbmf.io.text_lines import beginning, is_gzipped

Cells = Table | Records | Grid | Entries | NamedMatrix


def _read_r(path: Path, name: str | None = None) -> Table | Grid:
    from nbmf.io.rda import read_r  # loads pandas and rdata

    return read_r(path, name)


class Format(NamedTuple):
    """What it is called, its reader, and how its files end and begin.

    words : str
    read : function
        From a path, and what else it takes by name, to cells.
    suffixes : tuple of str
    beginnings : tuple of bytes
        In lower case.
    options : tuple of str
        The arguments of `nbmf.read` that its reader takes.
    member : str
        What an archive of this format has, where others begin in the same way.
    """

    words: str
    read: Callable[..., Cells]
    suffixes: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = ()
    options: tuple[str, ...] = ()
    member: str = ""
    may_be_gzipped: bool = False
    is_table: bool = False
    may_lack_header: bool = False
    is_text: bool = False  # whose beginning may have blanks

    def read_cells(self, path: Path, given: Mapping[str, Any]) -> Cells:
        """Return what is in a file, read with those of the given arguments that the reader takes."""
        return self.read(path, **{name: given[name] for name in self.options if given.get(name) is not None})


STATA_VERSIONS = (105, 108, 110, 111, 113, 114, 115)  # before files began with a word
ZIP = (b"pk\x03\x04", b"pk\x05\x06")
TEXT = Format(
    "delimited text", DelimitedText, options=("encoding",), may_be_gzipped=True, is_table=True, may_lack_header=True
)
EXCEL = Format(
    "an Excel workbook",
    read_excel,
    (".xlsx", ".xlsm"),
    ZIP,
    options=("name",),
    member="xl/workbook.xml",
    is_table=True,
    may_lack_header=True,
)
SPSS = Format("an SPSS file", read_spss, (".sav", ".zsav"), (b"$fl2", b"$fl3"), options=("encoding",), is_table=True)
STATA = Format(
    "a Stata file",
    read_stata,
    (".dta",),
    (b"<stata_dta>", *(bytes([version, order, 1]) for version in STATA_VERSIONS for order in (1, 2))),
    is_table=True,
)
JSON = Format(
    "a JSON file",
    read_json,
    (".json", ".jsonl", ".ndjson"),
    (b"[{", b"[[", b"[]", b'{"', b"{}"),
    options=("encoding",),
    may_be_gzipped=True,
    is_table=True,
    is_text=True,
)
PARQUET = Format("a Parquet file", read_parquet, (".parquet", ".pq"), (b"par1",), is_table=True)
R_DATA = Format(
    "an R data file",
    _read_r,
    (".rda", ".rdata", ".rds"),
    (*(b"rd%c%c\n" % (kind, version) for kind in b"xab" for version in b"23"), b"x\n\0\0\0"),
    options=("name",),
    may_be_gzipped=True,
    is_table=True,
)
NPZ = Format("an NPZ file", read_npz, (".npz",), ZIP, options=("name",))
NPY = Format("an NPY file", read_npy, (".npy",), (b"\x93numpy",))
MATRIX_MARKET = Format(
    "a Matrix Market file", read_matrix_market, (".mtx",), (BANNER.lower().encode(),), may_be_gzipped=True
)
FORMATS = (PARQUET, R_DATA, EXCEL, NPZ, NPY, MATRIX_MARKET, SPSS, STATA, JSON, TEXT)
SPREADSHEETS = (".xls", ".xlsb", ".ods", ".numbers")  # of other kinds
HDF5 = b"\x89hdf\r\n\x1a\n"  # AnnData, Loom, the .h5 of 10x
NETWORKS = {  # of graph programs: the suffix, and how files begin
    "Pajek": (".net", b"*"),
    "GML": (".gml", b""),
    "GraphML": (".graphml", b"<"),
    "GEXF": (".gexf", b"<"),
}
UCINET = re.compile(rb"dl[\s,]+n[rmc]?\s*=")  # how its lists and matrices begin, under any name
CALLS = b"##fileformat=vcf"  # how files of genotypes begin
COMPOUND = b"\xd0\xcf\x11\xe0"  # what old workbooks, and those with a password, begin with


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
        raise DataError(f"{path}: {_why_no_file(path)}")
    promised = promised_format(path)
    if promised is R_DATA:  # compressed in three ways, or not
        return R_DATA
    head = beginning(path).removeprefix(b"\xef\xbb\xbf")
    if head.startswith(COMPOUND):
        raise DataError(f"{path}: an Excel workbook of the old kind, or with a password; save it as .xlsx without one")
    if head.lower().startswith(HDF5):
        help = "save its matrix as .npz (scipy.sparse.save_npz) or .mtx, or as a table"
        raise DataError(f"{path}: an HDF5 file (as .h5ad, .h5 and .loom are), which is not read; {help}")
    _refuse_networks(path, head.lower().lstrip())
    if head.lower().startswith(CALLS):
        help = "plink2 --vcf FILE --export A writes its genotypes as a table of 0, 1 and 2"
        raise DataError(f"{path}: a VCF file, which is not read; {help}")
    if _suffix(path) in SPREADSHEETS:
        raise DataError(f"{path}: a spreadsheet; save it as .xlsx, or its sheet as CSV (UTF-8)")
    format = next((format for format in FORMATS if _has_format(format, path, head.lower())), TEXT)
    if promised is None and format is NPZ and (names := _archive_members(path)) and not names[0].endswith(".npy"):
        raise DataError(f"{path}: a ZIP archive, of {names[0]!r}; unzip it, and give that file")
    if promised not in (None, format):
        raise DataError(f"{path}: its content is not that of {promised.words}")
    if is_gzipped(path) and not format.may_be_gzipped:
        raise DataError(f"{path}: {format.words} that is gzipped; unpack it first")
    return format


def _refuse_networks(path: Path, head: bytes) -> None:
    """Raise DataError if a file is one of NETWORKS, by its name and its beginning, or of UCINET, and how it is read."""
    for name, (suffix, start) in NETWORKS.items():
        if _suffix(path) == suffix and head.startswith(start):
            raise DataError(
                f"{path}: a {name} file, which is not read; save its ties as a list of two columns, in Python by "
                f"networkx.write_edgelist(networkx.read_{name.lower()}({path.name!r}), 'ties.csv', delimiter=',', "
                "data=False)"
            )
    if UCINET.match(head):
        raise DataError(
            f"{path}: a DL file of UCINET, which is not read; save what is below 'data:' as a file of its own: "
            "a list of ties, or a matrix with the labels in its first line and its first column"
        )


def _why_no_file(path: Path) -> str:
    """Return why there is no file to read at a path."""
    if path.is_dir():
        suffixes = tuple(suffix for format in FORMATS for suffix in format.suffixes)
        names = sorted(file.name for file in path.iterdir() if _suffix(file) in (*suffixes, ".csv", ".tsv"))
        matrices = [name for name in names if name.removesuffix(".gz").endswith(MATRIX_MARKET.suffixes)]
        which = (matrices or names)[:1] if len(matrices) == 1 or len(names) == 1 else []
        return f"is a folder; give the file in it: {path / which[0]}" if which else "is a folder"
    if str(path) == "-" or path.is_fifo() or path.is_char_device() or path.is_socket():
        return "standard input, pipes and devices are not read, since a file is read twice; save it to a file"
    return "there is no such file"


def _archive_members(path: Path) -> list[str]:
    """Return the names of the files in an archive, none if it is damaged: its reader says so."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def _has_format(format: Format, path: Path, head: bytes) -> bool:
    """Whether a file that begins so has a format."""
    if format.is_text:  # in any encoding, with or without a mark
        head = b"".join(head.lstrip(b"\xff\xfe").replace(b"\0", b"").split())
    return head.startswith(format.beginnings) and (not format.member or _has_member(path, format.member))


def _has_member(path: Path, name: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return name in archive.namelist()
    except zipfile.BadZipFile:  # damaged: its reader says so
        return promised_format(path) is EXCEL
