"""Counts or ordered categories that are given where, without a word on their kind, values are binary."""

import contextlib
from collections.abc import Iterator
from typing import Any

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import DataError

HINT = ". For counts give nbmf.CountMatrix.of(V), for ordered categories nbmf.CategoryMatrix.of(V)"


@contextlib.contextmanager
def naming_other_kinds(V: Any) -> Iterator[None]:
    """Say how to give an array or a DataFrame of whole numbers that is refused as binary."""
    try:
        yield
    except DataError as error:
        if _has_counts(V):
            raise DataError(error, HINT) from None
        raise


def _has_counts(V: Any) -> bool:
    try:
        return bool(CountMatrix.values_of(V).max() > 1)
    except DataError:
        return False
