"""Models with E[V] = WH, and those whose weights may be on either side."""

from typing import Any

import numpy as np

from nbmf.inference.state import Factors

ROWS, COLUMNS = "rows", "columns"  # orientations: of V, which have weights
WEIGHTS, PROBABILITIES = "shares of components", "probability of a one"


class Product:
    """The part of an estimator with E[V] = WH."""

    def mean(self, factors: Factors, rows: Any = slice(None), columns: Any = slice(None)) -> np.ndarray:
        """Return W H of some rows and columns."""
        return factors.W[rows] @ factors.H[:, columns]

    def mean_at(self, factors: Factors, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return Σ_k w_fk h_kn of single entries, float array (n,)."""
        return np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns])


class Oriented(Product):
    """The part of an estimator whose rows, or columns, are distributions over components.

    A class has the parameter or attribute `orientation`, and `orientation_` once it is fitted. With "rows" W has the
    weights and H the probabilities of a one; with "columns" it is the other way round.
    """

    @property
    def weights_are_rows(self) -> bool:
        """Whether W has the weights: in the fit that there is, or, before one, in the next ("auto": as if "rows")."""
        return vars(self).get("orientation_", self.orientation) != COLUMNS

    @property
    def distributions(self) -> frozenset[str]:
        """The factor whose rows or columns are distributions over components."""
        return frozenset("W" if self.weights_are_rows else "H")

    @property
    def probabilities(self) -> frozenset[str]:
        """The factor with the probabilities of a one."""
        return frozenset("H" if self.weights_are_rows else "W")

    @property
    def meanings(self) -> tuple[str, str]:
        """What an entry of W and an entry of H mean."""
        return (WEIGHTS, PROBABILITIES) if self.weights_are_rows else (PROBABILITIES, WEIGHTS)
