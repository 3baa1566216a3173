"""Steps between sweeps that a chain takes if it is asked to, and the arrays they work on."""

import numpy as np

from nbmf.families.buffet.buffet_priors import BuffetPrior
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels import columns, scales
from nbmf.families.buffet.kernels.arrays import StateArrays
from nbmf.families.buffet.shapes import next_uniform

COLUMN_SHARE = 0.2  # of the sweeps after which the birth or death of a column is proposed


class Moves:
    """Births and deaths of columns, and scales of log-odds.

    Parameters
    ----------
    matrix : Matrix
    columns : bool
        Whether whole columns are born and die; see kernels.columns.
    scales : bool
        Whether log-odds are scaled, which binary matrices alone have; see kernels.scales.
    """

    def __init__(self, matrix: Matrix, columns: bool, scales: bool):
        (p, n), self._matrix = matrix.signal.shape, matrix
        self._columns, self._scales = columns, scales and matrix.logit
        # Pólya-Gamma variables are those of the sweep; precisions of a Gaussian matrix are set.
        self._P = np.zeros((p, n) if columns else (0, 0))
        self._residuals = np.zeros((p, n) if columns or scales else (0, 0))
        self._of_columns = (*(np.zeros(s * n) for s in (2, 2, 1, 1)), np.zeros(p))
        self._nothing = np.zeros(n)

    def __bool__(self) -> bool:
        return self._columns or self._scales

    def wants_column(self, generator: np.ndarray) -> bool:
        """Return whether a birth or death is to be proposed after this sweep."""
        return self._columns and next_uniform(generator) < COLUMN_SHARE

    def move_column(self, K: int, state: StateArrays, prior: BuffetPrior, log_weights, P, generator) -> int:
        """Propose it; return K+ afterwards. `state` has room for one more column."""
        shape = np.array([prior.alpha, prior.kappa])
        work = columns.ColumnWork(self._P if P is None else P, self._residuals, *self._of_columns)
        return int(columns.move_column(K, self._matrix, state, shape, log_weights, work, generator))

    def scale(self, K: int, state: StateArrays, number_priors: np.ndarray, generator: np.ndarray) -> None:
        """Scale log-odds. Pólya-Gamma variables of the sweep are of no use afterwards."""
        if self._scales:
            room = self._residuals, self._nothing
            scales.scale_log_odds(K, self._matrix, state, number_priors, *room, generator)
