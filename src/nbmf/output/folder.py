"""The folder of results: whole files, and none overwritten that this program has not written."""

import functools
import json
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import nbmf
from nbmf.data.value_codes import number_of
from nbmf.errors import DataError, Setting
from nbmf.files import atomic_path, write_json
from nbmf.output import workbook as workbooks
from nbmf.output.folder_lock import hold, release
from nbmf.reporting.model import Figure
from nbmf.reporting.pictures import Picture

# Files that commands other than their own read again.
MODEL, MATRIX, TABLE, COLUMN_GROUPS = "model.npz", "matrix.npz", "table.npz", "column_groups.csv"
NOTHING_BEYOND = "nothing_beyond"  # in the record of a fit whose components are not shown: the best baseline
STACK = "stack.npz"  # the mixture of methods that predicts better than the model
RECORD = "nbmf.json"  # which files of the folder are ours, and how they were made
INCOMPLETE = {"complete": False}  # how, of a run that has not ended
DIGITS = "%.6g"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # begin what a spreadsheet computes
LARGEST_CSV = 5_000_000  # numbers; more are written as NPZ


class OutputFolder:
    """A folder that a command may write some files to.

    Parameters
    ----------
    path : path
        Is made when the first file is written.
    names : collection of str
        All that the command may write. What it wrote there before and does not write this time is
        removed at the end.
    force : bool
        Overwrite files of other origin.
    workbook : path, optional
        An Excel file next to the folder that gets all tables, too.
    adds : bool
        Whether files are added to those of an earlier run, whose record stays. Otherwise the folder is incomplete,
        and its record says so, from the first file to `finish`: new files would lie next to older ones.

    Raises
    ------
    DataError
        If `path` is a file, holds one of `names` that is not ours, or another run writes to it. So
        it is known before the work begins.
    """

    def __init__(
        self,
        path: str | Path,
        names: Collection[str],
        *,
        force: bool = False,
        workbook: Path | None = None,
        adds: bool = False,
    ):
        self.path, self.workbook = Path(path), workbook
        self._sheets: dict[str, pd.DataFrame] = {}
        self.too_large: list[str] = []  # for a sheet
        if workbook is not None:
            workbooks.check(workbook)
            names = (*names, _path_from_folder(workbook))
        if self.path.exists() and not self.path.is_dir():
            raise DataError(f"{self.path} is a file; ", Setting("out"), " names a folder")
        self._names = set(names)
        self._written: set[str] = set()
        hold(self.path)
        try:
            earlier = record_of(self.path)
            self._ours = set(earlier.pop("files", ()))
            self._how = earlier if adds else INCOMPLETE
            if not force:
                self._refuse_foreign(names)
        except BaseException:
            release(self.path)
            raise

    def _refuse_foreign(self, names: Collection[str]) -> None:
        """Raise DataError if one of the files is there and not ours."""
        foreign = [n for n in names if n not in self._ours and self._path_of(n).exists()]
        if foreign:
            raise DataError(
                f"{self._path_of(foreign[0])} exists and was not written by nbmf; choose another folder with ",
                Setting("out"),
                ", or overwrite it with ",
                Setting("force", True),
            )

    def write(self, name: str, write: Callable[[Path], object]) -> None:
        """Call `write` with a path, whose content becomes the file `name` when it is complete."""
        if name not in self._ours or not self._written:  # from now on it is, even if we are interrupted
            self._ours.add(name)
            self._record()
        self._written.add(name)
        with atomic_path(self._path_of(name)) as temporary:
            write(temporary)

    def _path_of(self, name: str) -> Path:
        """Return the path of a file; the folder need not exist, from which the name may lead out."""
        return Path(os.path.normpath(self.path / name))

    def write_text(self, name: str, text: str) -> None:
        """Write text, a newline at its end."""
        self.write(name, lambda path: path.write_text(text + "\n", encoding="utf-8"))

    def write_table(self, name: str, table: pd.DataFrame, **options) -> None:
        """Write a table as CSV, without its index unless the options of to_csv say otherwise.

        Texts that a spreadsheet would take for a formula begin with an apostrophe, see `as_cell`.
        """
        options = {"index": False, "float_format": DIGITS, **options}
        shown = table.rename(columns=as_cell, index=as_cell if options["index"] else None)
        for place in np.flatnonzero([not pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]):
            shown.isetitem(place, table.iloc[:, place].map(as_cell))
        self.write(name, lambda path: shown.to_csv(path, **options))
        if self.workbook is not None:
            names = options.get("index_label")  # a column of the matrix may have such a name, too
            self._keep(name, table.reset_index(names=names, allow_duplicates=True) if options["index"] else table)

    def _keep(self, name: str, table: pd.DataFrame) -> None:
        if workbooks.is_too_large(table):
            self.too_large.append(name)
        else:
            self._sheets[Path(name).stem] = table

    def figures(self, pictures: Sequence[Picture]) -> list[Figure]:
        """Return pictures as a report shows them; they are written later."""
        return [Figure(self.path / picture.file, picture.caption) for picture in pictures]

    def write_pictures(self, pictures: Sequence[Picture]) -> None:
        """Draw all pictures, then write them."""
        if not pictures:
            return
        from nbmf.plotting import style  # loads Matplotlib

        for picture, figure in [(picture, picture.draw()) for picture in pictures]:
            self.write(picture.file, functools.partial(style.save, figure))

    def finish(self, how: dict) -> None:
        """Write the workbook, remove what an earlier run left, and record how the files were made."""
        if self.workbook is not None:
            self.write(_path_from_folder(self.workbook), lambda path: workbooks.write(path, self._sheets))
        for name in (self._ours & self._names) - self._written:
            self._path_of(name).unlink(missing_ok=True)
            self._ours.remove(name)
        self._how = how
        self._record()
        release(self.path)

    def _record(self) -> None:
        record = {**self._how, "nbmf": nbmf.__version__, "files": sorted(self._ours)}
        write_json(self.path / RECORD, record)


def _path_from_folder(file: Path) -> str:
    """Return the name of a file next to the folder, from the folder."""
    return f"../{file.name}"


def folder_at(out: str | os.PathLike, suffix: str, names: Collection[str], *, force: bool = False) -> OutputFolder:
    """Return the folder of that path; of NAME.xlsx the folder NAME with a suffix, and a workbook next to it."""
    path = Path(out).expanduser()
    if path.suffix.lower() != workbooks.SUFFIX:
        return OutputFolder(path, names, force=force)
    return OutputFolder(path.with_suffix(suffix), names, force=force, workbook=path)


def as_cell(value: object) -> object:
    """Return a value as a cell of a table: a text that is a formula in a spreadsheet is one no longer.

    A name such as `=HYPERLINK(...)` would be run by whoever opens the file; an apostrophe before it makes it text.
    """
    is_formula = isinstance(value, str) and value.startswith(FORMULA) and number_of(value) is None
    return f"'{value}" if is_formula else value


def text_of_cell(text: str) -> str:
    """Return the text that `as_cell` was given."""
    return text[1:] if text.startswith("'") and as_cell(text[1:]) == text else text


def refuse_incomplete(folder: Path) -> None:
    """Raise DataError if the run that wrote a folder did not end: its files may be of several runs."""
    if INCOMPLETE.items() <= record_of(folder).items():
        raise DataError(f"{folder}: the last run that wrote to this folder did not end; run it again")


def record_of(folder: Path) -> dict:
    """Return what an earlier run recorded about a folder, {} if there was none."""
    path = folder / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {**record, "files": [str(name) for name in record["files"]]}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a record of nbmf ({error!r}); use another ", Setting("out")) from error
