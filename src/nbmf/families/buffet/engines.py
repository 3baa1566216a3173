"""The two ways to sweep: by cells with precisions of their own, and by sums over complete data."""

from typing import NamedTuple

import numpy as np

from nbmf.families.buffet.kernels import gram, sweeps
from nbmf.families.buffet.kernels.entry_updates import CellWork
from nbmf.families.buffet.kernels.gram import SumWork


class Matrix(NamedTuple):
    """A matrix as the kernels see it.

    logit : bool, whether it is binary, with log-odds μ + ν + BZ
    signal : float array (p, n), v - ½ of a binary matrix, v of a Gaussian one, 0 where missing
    observed : bool array (p, n)
    """

    logit: bool
    signal: np.ndarray
    observed: np.ndarray

    @classmethod
    def of_codes(cls, codes: np.ndarray) -> "Matrix":
        """Return the matrix of codes 1, 0 and -1."""
        return cls(True, np.where(codes < 0, 0.0, codes - 0.5), codes >= 0)

    @classmethod
    def of_values(cls, values: np.ndarray) -> "Matrix":
        """Return the matrix of real values, NaN where missing."""
        observed = ~np.isnan(values)
        return cls(False, np.where(observed, values, 0.0), observed)


class Cells:
    """Sweeps of any matrix, at O(n) for each row and column of B."""

    def __init__(self, matrix: Matrix):
        self._matrix, self._cells = matrix, int(np.count_nonzero(matrix.observed))
        self._P = np.zeros(matrix.signal.shape)

    def make_room(self, capacity: int) -> None:
        """Make work arrays for so many columns; what rows have left for the scores stays."""
        self._work = CellWork.of(self._P, capacity + 1)

    @property
    def precisions(self) -> np.ndarray:
        """The precisions of the cells in the last sweep, float array (p, n); it may be written to."""
        return self._P

    def take(self, K: int, Z: np.ndarray) -> None:
        """Update what depends on scores after they were replaced."""

    def run(self, *chain) -> tuple[int, int]:
        """Sweep; see kernels.sweeps.run, which has more arguments before these."""
        return sweeps.run(self._cells, self._matrix, self._work, *chain)


class Sums:
    """Sweeps of complete Gaussian matrices, at O(K) for each row and column of B."""

    def __init__(self, matrix: Matrix):
        self._matrix = matrix
        self._work = SumWork.of((matrix.signal**2).sum(axis=1), matrix.signal.shape[1], 0)

    precisions = None  # no array of them: all cells share one

    def make_room(self, capacity: int) -> None:
        """Give the sums room for so many columns, and make work arrays."""
        before, (p, n) = self._work, self._matrix.signal.shape
        G, H = enlarged(before.G, (capacity, capacity)), enlarged(before.H, (p, capacity))
        self._work = SumWork.of(before.squares, n, capacity)._replace(G=G, H=H)

    def take(self, K: int, Z: np.ndarray) -> None:
        """Update what depends on scores or data after they were replaced."""
        self._work.squares[:] = (self._matrix.signal**2).sum(axis=1)
        gram.set_sums(K, self._matrix.signal, Z, self._work.G, self._work.H)

    def run(self, *chain) -> tuple[int, int]:
        """Sweep; see kernels.gram.run, which has more arguments before these."""
        return gram.run(self._matrix.signal.size, self._matrix, self._work, *chain)


def engine_for(matrix: Matrix, by_cells: bool = False) -> Cells | Sums:
    """Return what sweeps a matrix fastest; `by_cells` asks for the engine of any matrix."""
    if matrix.logit or by_cells or not matrix.observed.all():
        return Cells(matrix)
    return Sums(matrix)


def enlarged(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of that shape with another one in its first corner, zeros elsewhere."""
    larger = np.zeros(shape, array.dtype)
    larger[tuple(map(slice, array.shape))] = array
    return larger
