"""Codes of a matrix too large for all of its entries: those that are not 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING


class StoredCodes(NamedTuple):
    """What a reader found in the place of an array of codes; what is not listed is 0.

    rows, columns : int arrays (n,)
    codes : array (n,) in the type of a ValueCoding, not 0; an entry is there once
    shape : (F, N)
    """

    rows: np.ndarray
    columns: np.ndarray
    codes: np.ndarray
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype:
        """The type of the codes."""
        return self.codes.dtype

    @property
    def T(self) -> StoredCodes:
        """The transposed matrix."""
        return StoredCodes(self.columns, self.rows, self.codes, self.shape[::-1])

    def above(self, count: int) -> StoredCodes:
        """Return codes that are 1 where a count is larger; missing stays so."""
        codes = np.where(self.codes == MISSING, MISSING, self.codes > count).astype(np.int8)
        return self._only(codes != 0)._replace(codes=codes[codes != 0])

    def observed_lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which rows and which columns have an observed entry, bool arrays."""
        missing = self.codes == MISSING
        return tuple(
            np.bincount(lines[missing], minlength=size) < others
            for lines, size, others in zip(self[:2], self.shape, self.shape[::-1], strict=True)
        )

    def of_lines(self, rows: np.ndarray, columns: np.ndarray) -> StoredCodes:
        """Return the matrix of some rows and columns, bool arrays."""
        kept = self._only(rows[self.rows] & columns[self.columns])
        places = ((np.cumsum(lines) - 1)[found] for lines, found in zip((rows, columns), kept[:2], strict=True))
        shape = int(np.count_nonzero(rows)), int(np.count_nonzero(columns))
        return StoredCodes(*places, kept.codes, shape)

    def _only(self, which: np.ndarray) -> StoredCodes:
        return StoredCodes(*(part[which] for part in self[:3]), self.shape)
