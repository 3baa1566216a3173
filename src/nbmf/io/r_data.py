"""R's .rda, .RData and .rds files: a matrix or a data frame; NA is missing."""

import os
from typing import Any

import numpy as np

from nbmf.errors import ConfigError, DataError
from nbmf.io.arguments import Options
from nbmf.io.coding import UnknownValue, ValueCoding
from nbmf.io.content import Content, refuse_repeated
from nbmf.io.tables import read_table


def read_r(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read an R matrix, or a data frame in any layout; see `nbmf.read`."""
    from nbmf.io import rda  # loads pandas and rdata

    name, value = _chosen(path, rda.read_objects(path), options.name)
    format = f"R data, {name}"
    if hasattr(value, "columns"):
        return read_table(path, f"{format}: a data frame", value, options, coding)
    if getattr(value, "ndim", 0) != 2:
        raise DataError(
            f"{path}: {name} is {rda.description(value)}; needed is a matrix of numbers or logicals, or a data frame"
        )
    refused = [key for key in ("layout", "index", "groups") if getattr(options, key) is not None]
    if refused:
        raise ConfigError(f"{path}: {refused[0]} is for data frames; {name} is an R matrix")
    return _read_matrix(path, f"{format}: a matrix", value, coding)


def _chosen(path: str | os.PathLike, objects: dict[str, Any], name: str | None) -> tuple[str, Any]:
    """Return the words for an object, and the object."""
    names = ", ".join(objects) or "nothing"
    if name is not None and list(objects) == [""]:
        raise ConfigError(f"{path}: name has no meaning for an .rds file, which holds one object")
    if name is None:
        if len(objects) != 1:
            raise DataError(f"{path}: holds {names}; choose one with name=")
        (found,) = objects
        return (f"object {found!r}" if found else "the object"), objects[found]
    if name not in objects:
        raise DataError(f"{path}: holds no object {name!r}, but {names}")
    return f"object {name!r}", objects[name]


def _read_matrix(path: str | os.PathLike, format: str, matrix: Any, coding: ValueCoding) -> Content:
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
    try:
        codes = coding.encode(values)
    except UnknownValue as found:
        f, n = np.unravel_index(found.place, values.shape)
        raise coding.refusal(f"{path}, row {f + 1}, column {n + 1}", found.value) from None
    return Content(codes, format, *names)
