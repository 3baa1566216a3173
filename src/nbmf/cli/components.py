"""The components of a fit in the order in which a person meets them."""

from typing import NamedTuple

import numpy as np

from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.state import Factors


class Components(NamedTuple):
    """The order of the components: the active ones first, and within these by the norm of W's.

    order : int array (K,), places in W_ and H_
    shares : float array (K,), in that order, of all weight; NaN where there is no such thing
    active : int, how many of them hold at least 1 %
    """

    order: np.ndarray
    shares: np.ndarray
    active: int

    @property
    def shown(self) -> np.ndarray:
        """The places of the active components."""
        return self.order[: self.active]

    def names(self) -> list[str]:
        """Return "component 1", "component 2", ..., one for each of K."""
        return [f"component {number}" for number in range(1, len(self.order) + 1)]

    def labels(self, count: int) -> list[str]:
        """Return number and share of the first `count` components, for pictures."""
        shares = ["" if np.isnan(share) else f"\n{share:.0%}" for share in self.shares[:count]]
        return [f"{number}{share}" for number, share in enumerate(shares, start=1)]


def components_of(model: Factorization) -> Components:
    """Return the components of a fitted model."""
    shares = model.shares_of(Factors(model.W_, model.H_))
    if shares is None:
        shares = np.full(model.n_components_, np.nan)
    is_active = np.isnan(shares) | (shares >= ACTIVE_SHARE)
    order = np.lexsort((-np.linalg.norm(model.W_, axis=0), ~is_active))
    return Components(order, shares[order], int(np.count_nonzero(is_active)))
