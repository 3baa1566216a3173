"""nbmf recommend: the columns that are most probable for each row of a fit, or for new rows."""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbmf.cli.predict import as_the_fit, refuse_other_kind
from nbmf.cli.progress import Progress
from nbmf.cli.reading import read_matrix
from nbmf.cli.saved_fits import SavedFit, load_fit
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.files import atomic_path
from nbmf.inference.fold_in import in_blocks
from nbmf.inference.recommending import NONE_LEFT, Recommendations
from nbmf.output.folder import DIGITS, as_cell
from nbmf.posterior.new_rows import new_rows

SUFFIX = ".recommended.csv"
ROWS_AT_ONCE = 1000


def run(options: argparse.Namespace) -> None:
    """Recommend to all rows, block by block, and write the file."""
    fit = load_fit(Path(options.model))
    if fit.model.likelihood.matrix is CategoryMatrix:
        raise DataError(
            f"{options.model}: fitted to ordered categories, none of which is recommended; see nbmf predict"
        )
    path = _path_of(options, fit)
    header = ["row", "place", "column", "mean" if fit.model.likelihood.matrix is CountMatrix else "probability"]
    _refuse_foreign(path, header, options.force)
    rows = _rows_of_the_fit(fit) if options.file is None else _new_rows(options, fit)
    columns = _names(fit.model.column_names_, fit.model.H_.shape[1], "column")
    lines = 0
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for first, found in _recommended(options, fit, rows):
            part = list(_lines(found, rows.names[first : first + len(found.columns)], columns))
            writer.writerows(part)
            lines += len(part)
    print(f"{len(rows.names)} rows, {lines} recommendations, up to {options.top} for each: written to {path}")


def _path_of(options: argparse.Namespace, fit: SavedFit) -> Path:
    """Return the file to write: the one that was typed, or one next to FILE or the model."""
    if options.out is not None:
        return Path(options.out).expanduser()
    source = fit.path if options.file is None else Path(options.file).expanduser()
    return source.with_name(source.name.removesuffix(".gz")).with_suffix(SUFFIX)


def _refuse_foreign(path: Path, header: list[str], force: bool) -> None:
    """Raise DataError if there is another file, or a folder, where the result will be written."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; --out names a file")
    if not path.exists() or force:
        return
    with open(path, "rb") as file:
        begin = file.read(200).decode("utf-8", errors="replace")
    if begin.partition("\n")[0] != ",".join(header):
        raise DataError(
            f"{path} exists and was not written by nbmf; choose another --out, or overwrite it with --force"
        )


class _Rows(NamedTuple):
    """The rows to recommend to: their values, names, and groups if they are new and have some."""

    values: Any
    names: np.ndarray
    groups: np.ndarray | None = None


def _rows_of_the_fit(fit: SavedFit) -> _Rows:
    if fit.matrix is None:
        raise DataError(
            f"{fit.path}: a model alone does not know which entries are known; needed is a folder of nbmf fit, or FILE"
        )
    return _Rows(fit.matrix, fit.matrix.row_names)


def _new_rows(options: argparse.Namespace, fit: SavedFit) -> _Rows:
    """Return the rows of FILE, with the columns of the fit."""
    matrix, (known, n_columns) = read_matrix(as_the_fit(options, fit)), (fit.model.column_names_, fit.model.H_.shape[1])
    kind = fit.model.likelihood.matrix
    refuse_other_kind(options, matrix, kind)
    try:
        if isinstance(matrix, SparseBinaryMatrix) or isinstance(fit.matrix, SparseBinaryMatrix):
            return _Rows(_sparse_rows(matrix, fit), matrix.row_names)
        rows = new_rows(matrix, known, n_columns)
    except DataError as error:
        raise DataError(f"{options.file}: ", error) from error
    if rows.absent:
        print(
            f"{len(rows.absent)} columns of the fit are not there, and are missing: {rows.absent[0]}, ...", flush=True
        )
    if rows.unused:
        print(f"{len(rows.unused)} columns are not in the fit, and left out: {rows.unused[0]}, ...", flush=True)
    if rows.empty:
        print(f"{len(rows.empty)} rows have nothing in the columns of the fit, and are left out", flush=True)
    return _Rows(rows.values, rows.names, None if fit.model.row_groups_ is None else rows.groups)


def _sparse_rows(matrix: NamedMatrix, fit: SavedFit) -> Any:
    """Return rows as a CSR array with the columns of the fit, of which those that are not there are zeros."""
    import scipy.sparse

    names, n_columns = fit.model.column_names_, fit.model.H_.shape[1]
    if not fit.model.takes_sparse:
        raise DataError(f"{matrix.words} are too many for {type(fit.model).__name__}, which keeps all of them")
    if not isinstance(matrix, SparseBinaryMatrix):
        matrix = SparseBinaryMatrix.from_array(matrix.codes, matrix.row_names, matrix.column_names)
    place_of = {str(name): place for place, name in enumerate(_names(names, n_columns, "column"))}
    places = np.array([place_of.get(str(name), -1) for name in matrix.column_names])
    if not (places >= 0).any():
        raise DataError(f"no column has the name of one of the fit, such as {next(iter(place_of))!r}")
    if unused := int(np.count_nonzero(places < 0)):
        print(f"{unused} columns are not in the fit, and left out; others of the fit are zeros", flush=True)
    rows, columns, codes = matrix.stored
    is_kept = places[columns] >= 0
    values = np.where(codes == MISSING, np.nan, 1.0)[is_kept]
    where = rows[is_kept], places[columns[is_kept]]
    return scipy.sparse.csr_array((values, where), shape=(matrix.shape[0], n_columns))


def _recommended(options: argparse.Namespace, fit: SavedFit, rows: _Rows) -> Iterator[tuple[int, Recommendations]]:
    """Yield the first row of each block, and what is recommended to its rows."""
    wanted, n_rows = {"n": options.top, "exclude": options.exclude}, rows.values.shape[0]
    with Progress("rows") as progress:
        for block in in_blocks(n_rows, 1, ROWS_AT_ONCE):
            if options.file is None:
                places = np.arange(block.start, block.stop)
                yield block.start, fit.model.recommend(places, known=rows.values, **wanted)
            else:
                groups = None if rows.groups is None else rows.groups[block]
                yield block.start, fit.model.recommend(rows.values[block], groups=groups, **wanted)
            progress.advance(block.stop - block.start, n_rows)


def _lines(found: Recommendations, rows: np.ndarray, columns: np.ndarray) -> Iterator[list[Any]]:
    """Yield the lines of some rows."""
    for name, places, means in zip(rows, found.columns.tolist(), found.expectation.tolist(), strict=True):
        for place, (column, mean) in enumerate(zip(places, means, strict=True), start=1):
            if column != NONE_LEFT:
                yield [as_cell(str(name)), place, as_cell(str(columns[column])), DIGITS % mean]


def _names(names: np.ndarray | None, size: int, kind: str) -> np.ndarray:
    return np.array([f"{kind} {n}" for n in range(size)]) if names is None else names
