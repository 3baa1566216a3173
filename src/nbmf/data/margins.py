"""What the margins of a binary matrix, how many ones each row and column has, say of its entries."""

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.symmetry import codes_of_ties


def fixed_by_margins(codes: np.ndarray, are_ties: bool = False) -> np.ndarray:
    """Return observed entries that every matrix with the same margins and the same gaps has, bool array (F, N).

    A line whose observed entries are all equal can be no other; without it others are of that kind, and so on: of a
    perfect scale (Guttman 1944) all entries are fixed. There may be more than are found so. Of an undirected network
    margins are numbers of ties, without the diagonal, and what is fixed are both entries of a tie.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, MISSING.
    are_ties : bool
        Whether they are an undirected network.
    """
    codes = codes_of_ties(codes) if are_ties else codes
    free = codes != MISSING
    while True:
        ones, entries = free & (codes == 1), free.copy()
        for axis in (0, 1):
            count, size = ones.sum(axis=axis, keepdims=True), entries.sum(axis=axis, keepdims=True)
            free &= (count > 0) & (count < size)
        if free.sum() == entries.sum():
            return ~free & (codes != MISSING)
