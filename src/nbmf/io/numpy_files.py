"""NumPy's .npz and .npy files: our own matrix files, those of scipy.sparse, and plain arrays."""

from pathlib import Path
from typing import Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.given import sum_duplicates
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NAMES, NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError, Setting
from nbmf.files import read_arrays
from nbmf.io.cells import Entries, Grid
from nbmf.io.coded_matrix import refuse_too_many_rows

MATRIX_KINDS = (
    BinaryMatrix,
    CountMatrix,
    CategoryMatrix,
    SparseBinaryMatrix,
)  # that a file has, by the name of its values
SPARSE = {"format", "shape", "data"}


def read_npz(path: Path, name: str | None = None) -> NamedMatrix | Entries | Grid:
    """Read an NPZ file; `name` chooses one of several arrays."""
    arrays = read_arrays(path, "NPZ")
    for kind in MATRIX_KINDS:
        if arrays.keys() >= {kind.field, *NAMES}:
            return kind.load(path)
    if arrays.keys() >= SPARSE:
        if name is not None:
            raise ConfigError(f"{path}: a file of scipy.sparse holds one matrix; ", Setting("name"), " has no meaning")
        return _read_sparse(path)
    names = ", ".join(arrays) or "nothing"
    if name is None:
        chosen = [key for key, array in arrays.items() if array.ndim == 2]
        if len(chosen) != 1:
            needed = "needed is one array of two dimensions, or "
            raise DataError(f"{path}: holds {names}; {needed}", Setting("name", ...), " chooses it")
        (name,) = chosen
    if name not in arrays:
        raise DataError(f"{path}: holds no array {name!r}, but {names}")
    return _grid(path, f"NPZ, array {name!r}", arrays[name])


def read_npy(path: Path) -> Grid:
    """Read an .npy file."""
    try:  # mapped: a header that declares more than there is costs nothing
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # damaged bytes make numpy raise nearly anything
        raise DataError(f"{path}: not a complete NPY file of plain values ({error})") from error
    return _grid(path, "NPY", array)


def _read_sparse(path: Path) -> Entries:
    import scipy.sparse

    try:
        stored = scipy.sparse.load_npz(path)
        if hasattr(stored, "check_format"):
            stored.check_format(full_check=True)  # indices in range, before they are used
        if stored.ndim != 2:
            raise ValueError(f"{stored.ndim} dimensions")
        refuse_too_many_rows(path, *stored.shape)
        coordinates, are_repeated = _add_up_repeated(stored)
    except DataError:
        raise
    except Exception as error:  # damaged arrays make scipy raise nearly anything
        raise DataError(f"{path}: not a matrix of scipy.sparse ({error})") from error
    rows, columns = coordinates.coords
    return Entries(
        path,
        f"NPZ of scipy.sparse ({stored.format})",
        rows,
        columns,
        coordinates.data,
        coordinates.shape,
        lambda k: f"row {rows[k]}, column {columns[k]} (from 0)",
        "entries that are not stored are zeros" + (", those stored twice are added up" if are_repeated else ""),
    )


def _add_up_repeated(stored: Any) -> tuple[Any, bool]:
    """Return a sparse matrix as COO, its repeated entries added up as SciPy does, and whether there were any."""
    import scipy.sparse

    coordinates = stored.tocoo()
    is_there = scipy.sparse.csr_array((np.ones(coordinates.nnz, bool), coordinates.coords), shape=stored.shape)
    are_repeated = is_there.nnz < coordinates.nnz
    return sum_duplicates(coordinates).tocoo() if are_repeated else coordinates, are_repeated


def _grid(path: Path, format: str, array: np.ndarray) -> Grid:
    if array.ndim != 2:
        raise DataError(f"{path}: an array of {array.ndim} dimensions; a matrix has two")
    return Grid(path, f"{format} of {array.dtype}", array, lambda f, n: f"row {f}, column {n} (from 0)")
