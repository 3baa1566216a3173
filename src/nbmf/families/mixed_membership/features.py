"""Tables of features of several kinds as cells, and the laws of all their columns."""

import numpy as np

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, POISSON, WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.families.mixed_membership.cells import Cells
from nbmf.families.mixed_membership.densities import (
    Categories,
    Counts,
    Density,
    Normal,
    Smoothing,
    Words,
)


def cells_of(table: FeatureTable) -> Cells:
    """Return the cells of a table; of documents words are atoms and counts are weights."""
    N = table.shape[1]
    if WORD in table.kinds:
        atoms = table.columns.astype(np.uint32)
        return Cells(table.starts, atoms, table.cells, np.arange(N), np.zeros(N))
    order = np.lexsort((table.cells, table.columns))
    column, value = table.columns[order], table.cells[order]
    is_new = np.ones(order.size, bool)
    is_new[1:] = (np.diff(column) != 0) | (np.diff(value) != 0)
    atoms = np.empty(order.size, np.uint32)
    atoms[order] = np.cumsum(is_new) - 1
    weights = np.ones(atoms.size)
    return Cells(table.starts, atoms, weights, column[is_new].astype(np.int64), value[is_new])


class Densities(Density):
    """The laws of all columns of a table, of whatever kinds.

    Parameters
    ----------
    table : FeatureTable
        What is fitted: kinds, sizes, and overall means.
    cells : Cells
        Those of the table.
    K, smoothing
        As everywhere.
    """

    def __init__(self, table: FeatureTable, cells: Cells, K: int, smoothing: Smoothing):
        self.parts: dict[str, Density] = {}
        self._kinds, self._K = table.kinds, K
        self._local = np.empty(table.kinds.size, np.int64)
        for kind in dict.fromkeys(table.kinds.tolist()):
            own = np.flatnonzero(table.kinds == kind)
            self._local[own] = np.arange(own.size)
            chosen = table.kinds[cells.columns] == kind
            atoms = self._local[cells.columns[chosen]], cells.values[chosen]
            observed = *atoms, cells.totals()[chosen]
            if kind == WORD:
                self.parts[kind] = Words(own.size, K, smoothing)
            elif kind in (DISCRETE, BERNOULLI):
                self.parts[kind] = Categories(table.sizes[own], K, smoothing)
            else:
                law = {GAUSSIAN: Normal, POISSON: Counts}[kind]
                self.parts[kind] = law(observed, own.size, K, smoothing)

    def _chosen(self, columns):
        """Yield each part, which atoms are its own, and their columns as it counts them."""
        for kind, part in self.parts.items():
            chosen = self._kinds[columns] == kind
            yield part, chosen, self._local[columns[chosen]]

    def log_density(self, columns, values):
        """Return ln p of all atoms."""
        log = np.empty((columns.size, self._K))
        for part, chosen, own in self._chosen(columns):
            log[chosen] = part.log_density(own, values[chosen])
        return log

    def update(self, columns, values, weights):
        """Estimate all laws anew."""
        for part, chosen, own in self._chosen(columns):
            part.update(own, values[chosen], weights[chosen])

    def penalty(self):
        """Return the sum of the penalties."""
        return sum(part.penalty() for part in self.parts.values())

    def mean(self):
        """Return the means of all columns, float array (K, N)."""
        means = np.empty((self._K, self._kinds.size))
        for kind, part in self.parts.items():
            means[:, self._kinds == kind] = part.mean()
        return means
