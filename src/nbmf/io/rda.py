"""R data files (.rda, .rds), read with the rdata package."""

import bz2
import gc
import gzip
import io
import lzma
import os
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdata
from rdata.conversion import DEFAULT_CLASS_MAP

from nbmf.errors import ConfigError, DataError, Setting
from nbmf.io.cells import Grid, Table, refuse_repeated
from nbmf.io.data_frames import FrameTable
from nbmf.io.reading_once import once

MAX_BYTES = 2**30  # of a file's content; a bomb of a few kilobytes may unpack to any size
SEVERAL_OBJECTS = tuple(b"RD%c%c\n" % (c, n) for c in b"XAB" for n in b"23")  # what .rda begins with
COMPRESSIONS = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ\x00": lzma}


def read_r_matrix(path: str | os.PathLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read the one R matrix of an .rda file.

    Returns
    -------
    values, row_names, column_names : array (F, N), str arrays (F,) and (N,)
        R's NA is NaN.

    Raises
    ------
    DataError
        If the file is damaged or holds anything but one matrix with row and column names.
    """
    matrix = _read_object(path)
    dimensions = getattr(matrix, "dims", ())
    if len(dimensions) != 2 or not set(dimensions) <= set(matrix.coords):
        raise DataError(f"{path}: holds {description(matrix)}; needed is an R matrix with row and column names")
    row_names, column_names = (matrix.coords[name].to_numpy().astype(str) for name in dimensions)
    return matrix.to_numpy(), row_names, column_names


def read_data_frame(path: str | os.PathLike, columns: list[str], gaps: Collection[str] = ()) -> pd.DataFrame:
    """Read `columns` of the one R data frame of an .rda file; those of `gaps` may have gaps.

    Returns
    -------
    DataFrame
        R's Date columns are numbers: days since 1970-01-01.

    Raises
    ------
    DataError
        If the file is damaged, holds anything but one data frame, lacks a column, or a column
        that is not one of `gaps` has a missing value.
    """
    table = _read_object(path)
    if not isinstance(table, pd.DataFrame):
        raise DataError(f"{path}: holds {description(table)}; needed is an R data frame")
    for column in columns:
        if column not in table:
            raise DataError(f"{path}: has no column {column!r}; its columns are {', '.join(table.columns)}")
        missing = np.flatnonzero(table[column].isna())
        if missing.size and column not in gaps:
            raise DataError(f"{path}: row {missing[0] + 1}: column {column!r} is missing")
    return table[columns]


def read_r(path: Path, name: str | None = None) -> Table | Grid:
    """Read a matrix or a data frame; `name` chooses one of several objects."""
    objects = read_objects(path)
    if name is not None and list(objects) == [""]:
        raise ConfigError(f"{path}: ", Setting("name"), " has no meaning for an .rds file, which holds one object")
    names = ", ".join(objects) or "nothing"
    if name is None:
        if len(objects) != 1:
            raise DataError(f"{path}: holds {names}; choose one with ", Setting("name", ...))
        (name,) = objects
    if name not in objects:
        raise DataError(f"{path}: holds no object {name!r}, but {names}")
    words, value = (f"object {name!r}" if name else "the object"), objects[name]
    if isinstance(value, pd.DataFrame):
        return FrameTable(path, f"R data, {words}: a data frame", value)
    if getattr(value, "ndim", 0) != 2:
        raise DataError(
            f"{path}: {words} is {description(value)}; needed is a matrix of numbers or logicals, or a data frame"
        )
    return _grid(path, f"R data, {words}: a matrix", value)


def read_only_frame(path: Path) -> Table:
    """Read the only data frame of a file, which may hold other objects."""
    frames = [value for value in read_objects(path).values() if isinstance(value, pd.DataFrame)]
    if len(frames) != 1:
        raise DataError(f"{path}: holds {len(frames)} data frames; needed is exactly one")
    return FrameTable(path, "R data, a data frame", frames[0])


def _grid(path: Path, format: str, matrix: Any) -> Grid:
    coordinates = getattr(matrix, "coords", {})  # of a DataArray, if R's matrix has names
    names = [
        [str(name) for name in coordinates[side].values] if side in coordinates else None
        for side in getattr(matrix, "dims", (0, 1))
    ]
    for kind, given in zip(("row", "column"), names, strict=True):
        if given is not None:
            refuse_repeated(path, given, kind, lambda i, kind=kind: f"{kind} {i + 1}")
    if np.ma.isMaskedArray(matrix):  # integers and logicals with NA
        values = np.where(np.ma.getmaskarray(matrix), None, matrix.data.astype(object))
    else:
        values = np.asarray(matrix)
    return Grid(path, format, values, lambda f, n: f"row {f + 1}, column {n + 1}", *names)


def _dates(numbers: Any, attributes: Any) -> Any:
    """Return R's Date, days since 1970, as dates."""
    return _as_dates(numbers, "D", 1)


def _times(numbers: Any, attributes: Any) -> Any:
    """Return R's POSIXct, seconds since 1970 (UTC), as dates with times."""
    return _as_dates(numbers, "us", 1e6)


def _as_dates(numbers: Any, unit: str, factor: float) -> Any:
    """Return numbers of R since 1970, times a factor in a unit of NumPy, as Python's dates; None where missing."""
    numbers = np.ma.filled(np.ma.asarray(numbers).astype(float), np.nan)
    are_there = np.isfinite(numbers)
    dates = np.floor(np.where(are_there, numbers, 0) * factor).astype(f"datetime64[{unit}]").astype(object)
    return pd.array(np.where(are_there, dates, None), dtype=object)


WITH_DATES = {**DEFAULT_CLASS_MAP, "Date": _dates, "POSIXct": _times}  # what makes columns of R's classes


def read_objects(path: str | os.PathLike, classes: Mapping[str | bytes, Callable] = WITH_DATES) -> dict[str, Any]:
    """Read all objects of an .rda file, or the one of an .rds file, which has the name "".

    Parameters
    ----------
    path : path
    classes : mapping from the name of a class of R to its constructor, as rdata takes it
        By default also those of dates, which else are numbers.

    Raises
    ------
    DataError
        If the file is damaged.
    """
    return once((os.fspath(path), id(classes)), lambda: _read_objects(path, classes))


def _read_objects(path: str | os.PathLike, classes: Mapping[str | bytes, Callable]) -> dict[str, Any]:
    content = _read_content(path)
    if content.startswith(SEVERAL_OBJECTS):
        objects = _parse(path, content, rdata.read_rda, classes)
        if not isinstance(objects, dict):
            raise DataError(f"{path}: holds no named objects")
        return objects
    return {"": _parse(path, content, rdata.read_rds, classes)}


def _read_object(path: str | os.PathLike) -> Any:
    objects = read_objects(path, DEFAULT_CLASS_MAP)
    if len(objects) != 1:
        raise DataError(f"{path}: holds {len(objects)} objects; needed is exactly one")
    return next(iter(objects.values()))


def _parse(path: str | os.PathLike, content: bytes, read: Callable, classes: Mapping[str | bytes, Callable]) -> Any:
    try:
        with warnings.catch_warnings(), _no_search_for_garbage():
            # Tibbles have no class in Python; plain tables are wanted, and numbers where there are no classes of dates.
            warnings.simplefilter("ignore", UserWarning)
            return read(io.BytesIO(content), constructor_dict=classes, default_encoding="utf-8")
    except Exception as error:  # damaged bytes make rdata raise nearly anything
        raise _incomplete_file_error(path, error) from error


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    """Spare a quarter of the time: rdata makes an object of each text, and throws away none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _incomplete_file_error(path: str | os.PathLike, error: Exception) -> DataError:
    return DataError(f"{path}: not a complete R data file ({type(error).__name__}: {error})")


def _read_content(path: str | os.PathLike) -> bytes:
    """Return the content of a file that is compressed once or not at all."""
    try:
        opener = _compression(path)
        with (opener or io).open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged bytes, again
        raise _incomplete_file_error(path, error) from error
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: unpacks to more than {MAX_BYTES / 2**30:g} GiB")
    if opener and any(content.startswith(magic) for magic in COMPRESSIONS):
        raise DataError(f"{path}: is compressed more than once")
    return content


def _compression(path: str | os.PathLike):
    """Return the module that unpacks a file, None if it is not compressed."""
    with open(path, "rb") as file:
        start = file.read(max(map(len, COMPRESSIONS)))
    modules = (module for magic, module in COMPRESSIONS.items() if start.startswith(magic))
    return next(modules, None)


def description(value: Any) -> str:
    """Return the words for an object that is not what it should be."""
    shape = f" of shape {value.shape}" if hasattr(value, "shape") else ""
    return f"a {type(value).__name__}{shape}"
