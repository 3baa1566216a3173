"""Names of rows and columns in files next to that of a matrix, as 10x Genomics and GEO have them.

`matrix.mtx` has genes as rows and cells as columns; `features.tsv` (once `genes.tsv`) has a line per gene, its
identifier first and then its symbol, and `barcodes.tsv` a line per cell. Of accessibility `peaks.bed` has the
chromosome, start and end of each peak instead. All may be gzipped, or have a prefix: `GSM1_matrix.mtx.gz`,
`GSM1_barcodes.tsv.gz`.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from nbmf.errors import DataError
from nbmf.io.cells import count_phrase, refuse_repeated
from nbmf.io.text_lines import lines_of

MATRIX, BARCODES = "matrix.mtx", ("barcodes.tsv",)
FEATURES, INTERVALS = ("features.tsv", "genes.tsv", "peaks.bed"), ".bed"
PACKED = ".gz"


class AdjacentNames(NamedTuple):
    """Names of the rows and of the columns of a matrix, None where there is no file of them; `words` say whence."""

    rows: list[str] | None
    columns: list[str] | None
    words: str


def adjacent_names(path: Path, shape: tuple[int, int]) -> AdjacentNames:
    """Return the names in files next to that of a matrix of a shape.

    Raises
    ------
    DataError
        If a file of names has not as many as the matrix has rows or columns, or one of them twice.
    """
    files = [_file_of(path, parts) for parts in (FEATURES, BARCODES)]
    found = [
        None if file is None else _read_names(file, size, kind, path)
        for file, size, kind in zip(files, shape, ("row", "column"), strict=True)
    ]
    whence = [f"of {kind}s from {file.name}" for file, kind in zip(files, ("row", "column"), strict=True) if file]
    return AdjacentNames(*found, f"names {' and '.join(whence)}" if whence else "it has no names")


def _file_of(path: Path, parts: tuple[str, ...]) -> Path | None:
    """Return the file next to a matrix that has one of these names, after the prefix of the matrix."""
    name = path.name.removesuffix(PACKED)
    if not name.endswith(MATRIX):
        return None
    possible = (path.with_name(name.removesuffix(MATRIX) + part + packed) for part in parts for packed in ("", PACKED))
    return next((file for file in possible if file.is_file()), None)


def _read_names(file: Path, size: int, kind: str, path: Path) -> list[str]:
    """Return symbols if there are some, with the identifier behind one that several have; else identifiers."""
    lines = [[field.strip() for field in line.split("\t")] for line in lines_of(file) if _has_names(line)]
    if len(lines) != size:
        raise DataError(f"{file}: {count_phrase(len(lines), 'name')} for {count_phrase(size, kind)} of {path.name}")
    if file.name.removesuffix(PACKED).endswith(INTERVALS):
        lines = [[_interval_name(fields)] for fields in lines]
    symbols = [fields[1] if len(fields) > 1 and fields[1] else fields[0] for fields in lines]
    times = Counter(symbols)
    names = [
        symbol if times[symbol] == 1 or symbol == fields[0] else f"{symbol} ({fields[0]})"
        for symbol, fields in zip(symbols, lines, strict=True)
    ]
    refuse_repeated(file, names, kind, lambda n: f"line {n + 1}")
    return names


def _has_names(line: str) -> bool:
    """Whether a line of a file of names is no blank one, and no comment, as 10x Genomics has above peaks."""
    return bool(line.strip()) and not line.startswith("#")


def _interval_name(fields: list[str]) -> str:
    """Return the name that 10x Genomics gives a peak: chr1:9772-10660."""
    return f"{fields[0]}:{'-'.join(fields[1:3])}" if len(fields) > 1 else fields[0]
