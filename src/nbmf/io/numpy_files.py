"""NumPy's .npz and .npy files: our own matrix files, those of scipy.sparse, and plain arrays."""

import os

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NAMES, NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.files import read_arrays
from nbmf.io.arguments import Options
from nbmf.io.coding import RefusedValue, UnknownValue, ValueCoding
from nbmf.io.content import Content, Contradiction, refuse_too_many_lines, repeated_records, scatter
from nbmf.io.stored import StoredCodes

OWN = (BinaryMatrix, CountMatrix, SparseBinaryMatrix)  # that a file has, by the name of its values
SPARSE = {"format", "shape", "data"}


def read_npz(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read an NPZ file; see `nbmf.read`."""
    arrays = read_arrays(path, "NPZ")
    for kind in OWN:
        if arrays.keys() >= {kind.field, *NAMES}:
            return _read_own(path, kind, options, coding)
    if arrays.keys() >= SPARSE:
        return _read_sparse(path, options, coding)
    names = ", ".join(arrays) or "nothing"
    if options.name is not None:
        if options.name not in arrays:
            raise DataError(f"{path}: holds no array {options.name!r}, but {names}")
        chosen = [options.name]
    else:
        chosen = [name for name, array in arrays.items() if array.ndim == 2]
        if len(chosen) != 1:
            raise DataError(f"{path}: holds {names}; needed is one array of two dimensions, or name= chooses it")
    return _read_array(path, f"NPZ, array {chosen[0]!r}", arrays[chosen[0]], coding)


def read_npy(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read an .npy file; see `nbmf.read`."""
    try:  # mapped: a header that declares more than there is costs nothing
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # damaged bytes make numpy raise nearly anything
        raise DataError(f"{path}: not a complete NPY file of plain values ({error})") from error
    return _read_array(path, "NPY", array, coding)


def _read_own(path: str | os.PathLike, kind: type[NamedMatrix], options: Options, coding: ValueCoding) -> Content:
    if coding.is_given or options.name is not None:
        raise ConfigError(f"{path}: a matrix file of nbmf has its codes; only transpose= is allowed")
    matrix = kind.load(path)
    codes = getattr(matrix, kind.field)
    if kind is SparseBinaryMatrix:
        rows, columns, stored = codes
        codes = StoredCodes(rows, columns, stored.astype(coding.dtype), matrix.shape)
    if codes.dtype != coding.dtype:
        if kind is CountMatrix:
            raise RefusedValue(
                f"{path}: a matrix of counts, and not of ones and zeros; above=0 makes it one of "
                "whether a count is above 0",
                codes.max(),
            )
        codes = codes.astype(coding.dtype)
    names = matrix.row_names.tolist(), matrix.column_names.tolist()
    groups = None if matrix.row_groups is None else matrix.row_groups.tolist()
    is_declared = kind is CountMatrix
    return Content(codes, "NPZ, a matrix file of nbmf", *names, groups, is_declared=is_declared)


def _read_sparse(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    import scipy.sparse

    if options.name is not None:
        raise ConfigError(f"{path}: a file of scipy.sparse holds one matrix; name= has no meaning")
    try:
        stored = scipy.sparse.load_npz(path)
        if hasattr(stored, "check_format"):
            stored.check_format(full_check=True)  # indices in range, before they are used
        if stored.ndim != 2:
            raise ValueError(f"{stored.ndim} dimensions")
        refuse_too_many_lines(path, *stored.shape)
        entries = stored.tocoo()
    except DataError:
        raise
    except Exception as error:  # damaged arrays make scipy raise nearly anything
        raise DataError(f"{path}: not a matrix of scipy.sparse ({error})") from error
    rows, columns = entries.coords
    try:
        codes = coding.encode(entries.data)
        matrix, repeated = scatter(rows, columns, codes, entries.shape, absent=0)
    except UnknownValue as found:
        place = f"row {rows[found.place]}, column {columns[found.place]} (from 0)"
        raise coding.refusal(f"{path}, {place}", found.value) from None
    except Contradiction as found:
        place = f"row {rows[found.first]}, column {columns[found.first]} (from 0)"
        raise DataError(f"{path}, {place}: stored twice, with different values") from None
    return Content(
        matrix,
        f"NPZ of scipy.sparse ({stored.format})",
        absent="entries that are not stored are zeros",
        left_out=repeated_records(repeated),
    )


def _read_array(path: str | os.PathLike, format: str, array: np.ndarray, coding: ValueCoding) -> Content:
    if array.ndim != 2:
        raise DataError(f"{path}: an array of {array.ndim} dimensions; a matrix has two")
    try:
        codes = coding.encode(array)
    except UnknownValue as found:
        f, n = np.unravel_index(found.place, array.shape)
        raise coding.refusal(f"{path}, row {f}, column {n} (from 0)", found.value) from None
    return Content(codes, f"{format} of {array.dtype}")
