"""Matrix files of nbmf, which have names, groups and codes: read as they are, as counts, or cut at a number."""

from pathlib import Path
from typing import Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_coding import CountCoding, code_at
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.given import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.data.number_sizes import LARGEST_COUNT
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.value_codes import Coding, number_of
from nbmf.errors import ConfigError, DataError, Setting
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes

KINDS = ("ones", "zeros", "missing")  # arguments that say which texts are which


def code_matrix_file(path: Path, matrix: NamedMatrix, given: dict[str, Any]) -> CodedMatrix:
    """Return what is in a matrix file of nbmf; one of counts says that it is one.

    Raises
    ------
    ConfigError
        If an argument is given that says what cells mean.
    DataError
        If there are counts that must be none, or ordered categories that are no counts.
    """
    if given.keys() & {*KINDS, "categories", "name"}:
        raise ConfigError(f"{path}: a matrix file of nbmf has its codes; only ", Setting("transpose"), " is allowed")
    are_counts = isinstance(matrix, CountMatrix)
    if are_counts and given.get("counts") is False:
        raise DataError(
            f"{path}: a matrix of counts, and not of ones and zeros; ",
            Setting("above", 0),
            " makes it one of whether a count is above 0",
        )
    dtype = (CountCoding if are_counts or given.get("counts") or "above" in given else Coding).dtype
    is_as_counts = isinstance(matrix, CategoryMatrix) and dtype == CountCoding.dtype
    above = given.get("above")
    codes = _categories_as_counts(path, matrix, above) if is_as_counts else getattr(matrix, matrix.field)
    if isinstance(matrix, SparseBinaryMatrix):
        rows, columns, stored = codes
        codes = StoredCodes(rows, columns, _compared(stored, above).astype(dtype), matrix.shape)
    else:
        codes = _compared(codes, above).astype(dtype, copy=False)
    groups = None if matrix.row_groups is None else matrix.row_groups.tolist()
    names = matrix.row_names.tolist(), matrix.column_names.tolist()
    return CodedMatrix(codes, "NPZ, a matrix file of nbmf", *names, groups)


def _compared(codes: np.ndarray, above: float | None) -> np.ndarray:
    """Return counts as the codes that are compared with a threshold, if there is one."""
    if above is None:
        return codes
    different, places = np.unique(codes, return_inverse=True)
    compared = [MISSING if code == MISSING else code_at(code, above) for code in different.tolist()]
    return np.array(compared, np.int32)[places].reshape(codes.shape)


def _categories_as_counts(path: Path, matrix: CategoryMatrix, above: float | None) -> np.ndarray:
    """Return ordered categories as the whole numbers that they are called, or to be cut as places if they are texts.

    Raises
    ------
    DataError
        If they are neither, or texts that are not to be cut; or there is none above the place.
    """
    numbers = [number_of(name) for name in matrix.categories.tolist()]
    called = f"{path}: ordered categories from {str(matrix.categories[0])!r} to {str(matrix.categories[-1])!r}"
    if all(number is not None and number.is_integer() and 0 <= number <= LARGEST_COUNT for number in numbers):
        return np.where(matrix.observed, np.array(numbers)[matrix.ranks], MISSING)
    if above is None or not all(number is None for number in numbers):
        raise DataError(f"{called}, and no counts; allowed as such: whole numbers from 0 to {LARGEST_COUNT}")
    if above % 1 or above >= matrix.n_categories - 1:
        allowed = f" compares their places, counted from 0; allowed: 0 to {matrix.n_categories - 2}"
        raise DataError(f"{called}: ", Setting("above", above), allowed)
    return matrix.ranks
