"""nbmf recommend: the columns that are most probable for each row of a fit, or for new rows."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbmf.cli.commands.predict import column_names_of, read_for_fit
from nbmf.cli.options import Options
from nbmf.cli.progress import Progress
from nbmf.cli.results import refuse_foreign
from nbmf.cli.saved_fits import SavedFit, load_fit, with_mean_of_chains
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import MISSING
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError, naming_file
from nbmf.files import atomic_path
from nbmf.inference.blocks import NUMBERS_AT_ONCE, in_blocks
from nbmf.inference.recommending import NONE_LEFT, Recommendations
from nbmf.io.cells import count_phrase, quoted_names
from nbmf.io.coded_matrix import ReadMatrix
from nbmf.output.folder import DIGITS, as_cell
from nbmf.posterior.new_rows import match_columns, new_rows

SUFFIX = ".recommended.csv"
ROWS_AT_ONCE = 1000


def run(options: Options) -> None:
    """Recommend to all rows, block by block, and write the file."""
    fit = load_fit(Path(options.model))
    if fit.model.likelihood.matrix is CategoryMatrix:
        raise DataError(
            f"{options.model}: fitted to ordered categories, none of which is recommended; see nbmf predict"
        )
    path = _output_path(options, fit)
    header = ["row", "place", "column", "mean" if fit.model.likelihood.matrix is CountMatrix else "probability"]
    refuse_foreign(path, options.force, lambda file: file.readline(200).rstrip(b"\n") == ",".join(header).encode())
    rows = _fit_rows(fit) if options.file is None else _new_rows(options, fit)
    mean_of_chains = with_mean_of_chains(fit) if options.file is None else None
    if mean_of_chains is not None:
        print("what is expected is the mean over all chains, as in expectation.csv")
        fit = fit._replace(model=mean_of_chains)
    columns = column_names_of(fit)
    lines = 0
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for first, recommendations in _recommend_in_blocks(options, fit, rows):
            part = list(_csv_lines(recommendations, rows.names[first : first + len(recommendations.columns)], columns))
            writer.writerows(part)
            lines += len(part)
    numbers = f"{count_phrase(len(rows.names), 'row')}, {count_phrase(lines, 'recommendation')}"
    print(f"{numbers}, up to {options.top} for each: written to {path}")


def _output_path(options: Options, fit: SavedFit) -> Path:
    """Return the file to write: the one that was typed, or one next to FILE or the model."""
    if options.out is not None:
        return Path(options.out).expanduser()
    source = fit.path if options.file is None else Path(options.file).expanduser()
    return source.with_name(source.name.removesuffix(".gz")).with_suffix(SUFFIX)


class _Rows(NamedTuple):
    """The rows to recommend to: their values, names, and groups if they are new and have some.

    missing : int array, columns of a sparse matrix that are missing in all rows; its values have them as zeros
    """

    values: Any
    names: np.ndarray
    groups: np.ndarray | None = None
    missing: Sequence[int] = ()

    def blocks(self) -> Iterator[slice]:
        """Yield slices of rows, fewer where each has many missing entries: these are stored one by one."""
        return in_blocks(self.values.shape[0], 1, min(ROWS_AT_ONCE, NUMBERS_AT_ONCE // (len(self.missing) + 1)))

    def block(self, rows: slice) -> Any:
        """Return the values of some rows."""
        values = self.values[rows]
        if not len(self.missing):
            return values
        import scipy.sparse

        where = np.indices((values.shape[0], len(self.missing))).reshape(2, -1)
        where[1] = self.missing[where[1]]
        missing = scipy.sparse.csr_array((np.full(where.shape[1], np.nan), where), shape=values.shape)
        return values + missing


def _fit_rows(fit: SavedFit) -> _Rows:
    if fit.matrix is None:
        raise DataError(
            f"{fit.path}: a model alone does not know which entries are known; needed is a folder of nbmf fit, or FILE"
        )
    return _Rows(fit.matrix, fit.matrix.row_names)


def _new_rows(options: Options, fit: SavedFit) -> _Rows:
    """Return the rows of FILE, with the columns of the fit."""
    contents = read_for_fit(options, fit)
    with naming_file(options.file):
        if isinstance(contents.matrix, SparseBinaryMatrix) or isinstance(fit.matrix, SparseBinaryMatrix):
            return _sparse_rows(contents, fit)
        rows = new_rows(contents.matrix, fit.model.column_names_, fit.model.H_.shape[1], **contents.absent)
    _report_columns(rows.absent, rows.zeros, rows.unused)
    if rows.empty:
        number = count_phrase(len(rows.empty), "row")
        print(f"{number} without an entry in the columns of the fit, left out: {quoted_names(rows.empty)}", flush=True)
    return _Rows(rows.values, rows.names, None if fit.model.row_groups_ is None else rows.groups)


def _report_columns(missing: Sequence[str], zeros: Sequence[str], unused: Sequence[str]) -> None:
    """Print which columns are in the fit or in the file alone, and what they are taken for."""
    for names, said in (
        (missing, "of the fit, not there, and so missing"),
        (zeros, "of the fit, not there, and so zeros, as all that is not in the file"),
        (unused, "not in the fit, and left out"),
    ):
        if len(names):
            print(f"{count_phrase(len(names), 'column')} {said}: {quoted_names([*map(str, names)])}", flush=True)


def _sparse_rows(contents: ReadMatrix, fit: SavedFit) -> _Rows:
    """Return rows as a CSR array with the columns of the fit."""
    import scipy.sparse

    matrix, n_columns = contents.matrix, fit.model.H_.shape[1]
    names = column_names_of(fit)
    if not fit.model.takes_sparse:
        raise DataError(f"{matrix.words} are too many for {type(fit.model).__name__}, which keeps all of them")
    if not isinstance(matrix, SparseBinaryMatrix):
        matrix = SparseBinaryMatrix.from_array(matrix.codes, matrix.row_names, matrix.column_names)
    of_fit = match_columns(matrix, names, **contents.absent)
    places = np.full(matrix.shape[1], -1)
    places[of_fit.place[of_fit.place >= 0]] = np.flatnonzero(of_fit.place >= 0)
    _report_columns(names[of_fit.is_missing], names[of_fit.is_zero], matrix.column_names[places < 0])
    rows, columns, codes = matrix.stored
    is_kept = places[columns] >= 0
    values = np.where(codes == MISSING, np.nan, 1.0)[is_kept]
    where = rows[is_kept], places[columns[is_kept]]
    stored = scipy.sparse.csr_array((values, where), shape=(matrix.shape[0], n_columns))
    return _Rows(stored, matrix.row_names, missing=np.flatnonzero(of_fit.is_missing))


def _recommend_in_blocks(options: Options, fit: SavedFit, rows: _Rows) -> Iterator[tuple[int, Recommendations]]:
    """Yield the first row of each block, and what is recommended to its rows."""
    wanted, n_rows = {"n": options.top, "exclude": options.exclude}, rows.values.shape[0]
    # An undirected network, also if its file has no names.
    itself = False if options.file is None and rows.values.is_symmetric() else None
    with Progress("rows") as progress:
        for block in rows.blocks():
            if options.file is None:
                places = np.arange(block.start, block.stop)
                yield block.start, fit.model.recommend(places, known=rows.values, itself=itself, **wanted)
            else:
                groups = None if rows.groups is None else rows.groups[block]
                named = {"groups": groups, "names": rows.names[block]}
                yield block.start, fit.model.recommend(rows.block(block), **named, **wanted)
            progress.advance(block.stop - block.start, n_rows)


def _csv_lines(recommendations: Recommendations, rows: np.ndarray, columns: np.ndarray) -> Iterator[list[Any]]:
    """Yield the lines of some rows."""
    for name, places, means in zip(
        rows, recommendations.columns.tolist(), recommendations.expectation.tolist(), strict=True
    ):
        for place, (column, mean) in enumerate(zip(places, means, strict=True), start=1):
            if column != NONE_LEFT:
                yield [as_cell(str(name)), place, as_cell(str(columns[column])), DIGITS % mean]
