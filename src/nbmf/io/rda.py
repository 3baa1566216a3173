"""R data files (.rda, .rds), read with the rdata package."""

import bz2
import gc
import gzip
import io
import lzma
import os
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import rdata

from nbmf.errors import DataError

MAX_BYTES = 2**30  # of a file's content; a bomb of a few kilobytes may unpack to any size
SEVERAL_OBJECTS = tuple(b"RD%c%c\n" % (c, n) for c in b"XAB" for n in b"23")  # what .rda begins with
COMPRESSIONS = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ\x00": lzma}


def read_matrix(path: str | os.PathLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def read_table(path: str | os.PathLike, columns: list[str], gaps: Collection[str] = ()) -> pd.DataFrame:
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


def read_objects(path: str | os.PathLike) -> dict[str, Any]:
    """Read all objects of an .rda file, or the one of an .rds file, which has the name "".

    Raises
    ------
    DataError
        If the file is damaged.
    """
    content = _unpacked(path)
    if content.startswith(SEVERAL_OBJECTS):
        objects = _parsed(path, content, rdata.read_rda)
        if not isinstance(objects, dict):
            raise DataError(f"{path}: holds no named objects")
        return objects
    return {"": _parsed(path, content, rdata.read_rds)}


def _read_object(path: str | os.PathLike):
    objects = _parsed(path, _unpacked(path), rdata.read_rda)
    if not isinstance(objects, dict) or len(objects) != 1:
        count = len(objects) if isinstance(objects, dict) else "no named"
        raise DataError(f"{path}: holds {count} objects; needed is exactly one")
    return next(iter(objects.values()))


def _parsed(path: str | os.PathLike, content: bytes, read: Callable) -> Any:
    try:
        with warnings.catch_warnings(), _no_search_for_garbage():
            # Tibbles and dates have no class in Python; plain tables and numbers are wanted.
            warnings.simplefilter("ignore", UserWarning)
            return read(io.BytesIO(content), default_encoding="utf-8")
    except Exception as error:  # damaged bytes make rdata raise nearly anything
        raise _incomplete(path, error) from error


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


def _incomplete(path: str | os.PathLike, error: Exception) -> DataError:
    return DataError(f"{path}: not a complete R data file ({type(error).__name__}: {error})")


def _unpacked(path: str | os.PathLike) -> bytes:
    """Return the content of a file that is compressed once or not at all."""
    try:
        opener = _compression(path)
        with (opener or io).open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged bytes, again
        raise _incomplete(path, error) from error
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: unpacks to more than {MAX_BYTES / 2**30:g} GiB")
    if opener and any(content.startswith(magic) for magic in COMPRESSIONS):
        raise DataError(f"{path}: is compressed more than once")
    return content


def _compression(path: str | os.PathLike):
    """Return the module that unpacks a file, None if it is not compressed."""
    with open(path, "rb") as file:
        start = file.read(max(map(len, COMPRESSIONS)))
    found = (module for magic, module in COMPRESSIONS.items() if start.startswith(magic))
    return next(found, None)


def description(value: Any) -> str:
    """Return the words for an object that is not what it should be."""
    shape = f" of shape {value.shape}" if hasattr(value, "shape") else ""
    return f"a {type(value).__name__}{shape}"
