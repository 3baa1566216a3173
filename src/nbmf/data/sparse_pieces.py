"""A sparse matrix put together from pieces of a file, in 32-bit numbers and without a second copy of its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.number_sizes import LARGEST_INDEX
from nbmf.errors import DataError
from nbmf.numerics.compilation import kernel

if TYPE_CHECKING:
    import scipy.sparse


class SparsePieces:
    """Entries that are not 0, in the order of a file.

    Each takes eight bytes, and those of its value unless it is 1, until `matrix` is made of them.

    Parameters
    ----------
    dtype : type of integers
        That of the values of the matrix.

    Attributes
    ----------
    number : int
        How many entries there are so far.
    """

    def __init__(self, dtype: type):
        self._dtype, self._pieces, self.number = dtype, [], 0

    def add(self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray | None = None) -> None:
        """Add entries (n,), whose places are within 32 bits; values of None are ones, and zeros are left out."""
        if values is not None and not (kept := values != 0).all():
            rows, columns, values = rows[kept], columns[kept], values[kept]
        if values is not None:
            values = None if (values == 1).all() else values.astype(self._dtype)
        self._pieces.append((rows.astype(np.int32), columns.astype(np.int32), values))
        self.number += len(rows)

    def matrix(self, shape: tuple[int, int]) -> tuple[scipy.sparse.csr_array, int]:
        """Return the matrix in canonical order, and how many entries repeat another; the pieces are used up.

        Raises
        ------
        DataError
            If two entries of one place have different values.
        """
        import scipy.sparse  # takes a moment

        in_row = np.zeros(shape[0], np.int64)
        for rows, _, _ in self._pieces:
            in_row += np.bincount(rows, minlength=shape[0])
        index = np.int32 if self.number <= LARGEST_INDEX else np.int64
        start = np.concatenate([[0], np.cumsum(in_row)]).astype(index)
        indices, data, free = np.empty(self.number, index), np.ones(self.number, self._dtype), start[:-1].copy()
        self._pieces.reverse()
        while self._pieces:  # each is forgotten as soon as its entries are in their places
            rows, columns, values = self._pieces.pop()
            _place(rows, columns, np.ones(0, self._dtype) if values is None else values, free, indices, data)
        V = scipy.sparse.csr_array((data, indices, start), shape=shape)
        V.sort_indices()
        return (V, 0) if V.has_canonical_format else _without_repeated(V)


@kernel
def _place(rows, columns, values, free, indices, data):
    """Put entries into the next free places of their rows; without values they are ones, as `data` is."""
    for e in range(rows.size):
        place = free[rows[e]]
        indices[place] = columns[e]
        if values.size:
            data[place] = values[e]
        free[rows[e]] = place + 1


def _without_repeated(V: scipy.sparse.csr_array) -> tuple[scipy.sparse.csr_array, int]:
    """Return a matrix with sorted indices without entries that are there already, and how many these are."""
    import scipy.sparse

    again = np.flatnonzero(V.indices[1:] == V.indices[:-1]) + 1
    again = again[~np.isin(again, V.indptr)]  # the first entry of a row repeats none
    if (differ := np.flatnonzero(V.data[again] != V.data[again - 1])).size:
        e = int(again[differ[0]])
        f = int(np.searchsorted(V.indptr, e, side="right")) - 1
        raise DataError(
            f"row {f}, column {V.indices[e]} (counted from 0): the entry is there with two values, "
            f"{V.data[e - 1]} and {V.data[e]}"
        )
    kept = np.ones(V.nnz, bool)
    kept[again] = False
    start = V.indptr - np.searchsorted(again, V.indptr).astype(V.indptr.dtype)
    return scipy.sparse.csr_array((V.data[kept], V.indices[kept], start), shape=V.shape), len(again)
