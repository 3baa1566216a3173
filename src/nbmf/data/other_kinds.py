"""Counts or ordered categories that are given where, without a word on their kind, values are binary."""

import contextlib
from collections.abc import Iterator
from typing import Any

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.given import is_sparse
from nbmf.errors import DataError


@contextlib.contextmanager
def naming_other_kinds(V: Any) -> Iterator[None]:
    """Say how to give an array, a DataFrame or a sparse matrix of whole numbers that is refused as binary."""
    try:
        yield
    except DataError as error:
        if not _has_counts(V):
            raise
        given = "V.toarray()" if is_sparse(V) else "V"
        ways = f"For counts give nbmf.CountMatrix.of({given}), for ordered categories nbmf.CategoryMatrix.of({given})"
        raise DataError(error, f". {ways}") from None


def _has_counts(V: Any) -> bool:
    try:
        if is_sparse(V):
            from nbmf.data.sparse_counts import SparseCounts  # scipy.sparse takes a moment

            return bool(SparseCounts.of(V).above_zero.max() > 1)
        return bool(CountMatrix.values_of(V).max() > 1)
    except DataError:
        return False
