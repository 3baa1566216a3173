"""What the margins of a binary matrix, how many ones each row and column has, say of its entries."""

import numpy as np

from nbmf.data.matrix import MISSING


def fixed_by_margins(codes: np.ndarray) -> np.ndarray:
    """Return which observed entries every matrix with the same margins and the same gaps has, bool array (F, N).

    A line whose observed entries are all equal can be no other; without it others are of that kind, and so on: of a
    perfect scale (Guttman 1944) all entries are fixed.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, MISSING.
    """
    free = codes != MISSING
    while True:
        ones, entries = free & (codes == 1), free.copy()
        for axis in (0, 1):
            count, size = ones.sum(axis=axis, keepdims=True), entries.sum(axis=axis, keepdims=True)
            free &= (count > 0) & (count < size)
        if free.sum() == entries.sum():
            return ~free & (codes != MISSING)
