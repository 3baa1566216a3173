"""The matrix that codes become, by what they are, and what is reported about it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_coding import CountCoding
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, Setting
from nbmf.io.cells import size_phrase
from nbmf.io.coded_matrix import StoredCodes
from nbmf.numerics.percent import percent

MANY, MOST = 5, 0.5  # columns from which on one may be of something else; what it then has of all counts
AnyMatrix = BinaryMatrix | CountMatrix | CategoryMatrix | SparseBinaryMatrix


def make_matrix(codes: np.ndarray | StoredCodes, names: tuple) -> AnyMatrix:
    """Return the matrix of some codes, of the kind that they are."""
    are_counts = codes.dtype == CountCoding.dtype
    if not isinstance(codes, StoredCodes):
        return (CountMatrix if are_counts else BinaryMatrix)(codes, *names)
    if are_counts:
        raise DataError(
            f"counts, in a matrix of {codes.shape[0]} x {codes.shape[1]} entries: so large a one "
            "is read as zeros and ones alone; ",
            Setting("above", 0),
            " makes counts above 0 ones",
        )
    return SparseBinaryMatrix(np.array(codes[:3], np.int32), *names)


def make_category_matrix(codes: np.ndarray | StoredCodes, names: tuple, categories: Sequence[Any]) -> CategoryMatrix:
    """Return the matrix of the places of categories."""
    if isinstance(codes, StoredCodes):
        shape = " x ".join(map(str, codes.shape))
        raise DataError(f"categories, in a matrix of {shape} entries: so large a one is read as zeros and ones alone")
    return CategoryMatrix(codes, *names, categories=[text_of(category).strip() for category in categories])


def summary(matrix: AnyMatrix) -> str:
    """Return its size and what its entries are, in words."""
    counts, size = matrix.counts(), math.prod(matrix.shape)
    if isinstance(matrix, SparseBinaryMatrix):
        return (
            f"{size_phrase(*matrix.shape)}: {counts['ones']} ones "
            f"({counts['ones'] / size:.2g} of all entries), {counts['missing']} missing; zeros are "
            "not kept"
        )
    if isinstance(matrix, CategoryMatrix):
        lowest, *_, highest = matrix.categories
        words = f"{counts['categories']} ordered categories from {str(lowest)!r} to {str(highest)!r}"
        missing = percent(counts["missing"] / size, 1)
        return f"{size_phrase(*matrix.shape)}: {words}; {missing} missing"
    words = [f"{percent(counts[kind] / size, 1)} {kind}" for kind in ("ones", "zeros", "missing") if kind in counts]
    if isinstance(matrix, CountMatrix):
        words.insert(0, f"counts up to {counts['largest']}")
    return f"{size_phrase(*matrix.shape)}: {', '.join(words)}"


def notes_of_counts(matrix: AnyMatrix) -> tuple[str, ...]:
    """Return what is said if one column of many has most of all counts: it may be of something else."""
    if not isinstance(matrix, CountMatrix) or matrix.dense is not None or matrix.shape[1] < MANY:
        return ()
    sums = np.where(matrix.observed, matrix.tallies, 0).sum(axis=0, dtype=float)
    largest = int(sums.argmax())
    if sums[largest] <= MOST * sums.sum():
        return ()
    held = f"{percent(sums[largest] / sums.sum())} of all counts are in {str(matrix.column_names[largest])!r}"
    return (f"{held}: if these are no counts but something else about rows, such as an age, leave them out",)
