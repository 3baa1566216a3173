"""Tables of features of several kinds as cells, and the distributions of all their columns."""

from typing import Self

import numpy as np

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, POISSON, WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError
from nbmf.families.mixed_membership.densities import Categories, Counts, Density, Normal, Smoothing, Words
from nbmf.families.mixed_membership.feature_cells import Cells


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


DENSITIES: dict[str, type[Density]] = {
    GAUSSIAN: Normal,
    DISCRETE: Categories,
    BERNOULLI: Categories,
    POISSON: Counts,
    WORD: Words,
}


def _places_in_kind(kinds: np.ndarray) -> np.ndarray:
    """Return the place of each column among those of its kind, int64 array (N,)."""
    places = np.empty(kinds.size, np.int64)
    for kind in np.unique(kinds):
        of_kind = np.flatnonzero(kinds == kind)
        places[of_kind] = np.arange(of_kind.size)
    return places


class Densities(Density):
    """The distributions of all columns of a table, of whatever kinds.

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
        self._local = _places_in_kind(table.kinds)
        for kind in dict.fromkeys(table.kinds.tolist()):
            of_kind = np.flatnonzero(table.kinds == kind)
            chosen = table.kinds[cells.columns] == kind
            atoms = self._local[cells.columns[chosen]], cells.values[chosen]
            observed = *atoms, cells.totals()[chosen]
            if kind == WORD:
                self.parts[kind] = Words(of_kind.size, K, smoothing)
            elif kind in (DISCRETE, BERNOULLI):
                self.parts[kind] = Categories(table.sizes[of_kind], K, smoothing)
            else:
                self.parts[kind] = DENSITIES[kind](observed, of_kind.size, K, smoothing)

    @classmethod
    def of_all(cls, table: FeatureTable, cells: Cells, smoothing: Smoothing) -> Self:
        """Return the distributions of all rows together: those of a single component."""
        made = cls(table, cells, 1, smoothing)
        made.update(cells.columns, cells.values, cells.totals()[:, None])
        return made

    @classmethod
    def of_arrays(cls, arrays: dict[str, np.ndarray]) -> Self:
        """Return the distributions that `arrays` describe; its keys are those of `arrays()`."""
        made = cls.__new__(cls)
        given = {kind: {} for kind in dict.fromkeys(key.partition(".")[0] for key in arrays)}
        for key, array in arrays.items():
            kind, _, name = key.partition(".")
            given[kind][name] = array
        kinds = given.pop("columns", {}).get("kinds")
        if kinds is None or set(given) != set(kinds.tolist()) or not set(given) <= set(DENSITIES):
            raise DataError("the densities are not those of the kinds of columns")
        made.parts = {kind: DENSITIES[kind].of_arrays(parts) for kind, parts in given.items()}
        made._kinds, made._local = kinds, _places_in_kind(kinds)
        made._K = next(iter(made.parts.values())).mean().shape[0]
        return made

    def arrays(self):
        """Return the arrays of each part, "kind.name", and the kinds of all columns."""
        part_arrays = {
            f"{kind}.{name}": array for kind, part in self.parts.items() for name, array in part.arrays().items()
        }
        return {"columns.kinds": self._kinds} | part_arrays

    def part_of(self, column: int) -> tuple[Density, int]:
        """Return the distributions that a column is among, and its place in these."""
        return self.parts[str(self._kinds[column])], int(self._local[column])

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
        """Estimate all distributions anew."""
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
