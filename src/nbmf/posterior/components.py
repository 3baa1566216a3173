"""The components of a fit in the order in which a person meets them."""

from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.state import Factors

NEAR = 0.1  # of what two components say, the share they differ in, below which they say the same


class Components(NamedTuple):
    """The order of the components: the active ones first, and within these by their weight.

    order : int array (K,), places in W_ and H_
    shares : float array (K,), in that order, of all weight; NaN where there is no such thing
    active : int, how many of them hold at least 1 % of the weight that is not the prior's
    alike : list of lists of int, numbers (from 0, in that order) of active components that say
        nearly the same
    """

    order: np.ndarray
    shares: np.ndarray
    active: int
    alike: list[list[int]]

    @property
    def shown(self) -> np.ndarray:
        """The places of the active components."""
        return self.order[: self.active]

    @property
    def rest(self) -> float:
        """The share of all weight outside the active components; NaN where there is none."""
        return float(self.shares[self.active :].sum())

    def names(self) -> list[str]:
        """Return "component 1", "component 2", ..., one for each of K."""
        return [f"component {number}" for number in range(1, len(self.order) + 1)]

    def labels(self, count: int) -> list[str]:
        """Return number, share and which it repeats of the first `count`, for pictures."""
        shares = ["" if np.isnan(share) else f"\n{share:.0%}" for share in self.shares[:count]]
        first = {number: group[0] for group in self.alike for number in group[1:]}
        return [
            f"{number + 1}" + (f" ≈ {first[number] + 1}" if number in first else "") + share
            for number, share in enumerate(shares)
        ]


def components_of(model: Factorization, matrix: BinaryMatrix | None = None) -> Components:
    """Return the components of a fitted model; `matrix` is what it was fitted to."""
    K = model.n_components_
    shares = model.shares_of(Factors(model.W_, model.H_))
    if shares is None:  # coordinates: there is no weight to judge by
        order = np.argsort(-np.linalg.norm(model.W_, axis=0), kind="stable")
        return Components(order, np.full(K, np.nan), K, [])
    is_kept = matrix is not None and matrix.dense is None  # with all its entries
    idle = model.idle_shares(matrix.observed) if is_kept else np.zeros(K)
    is_active = shares - idle >= ACTIVE_SHARE * (1 - idle.sum())
    order = np.lexsort((-shares, ~is_active))
    active = int(np.count_nonzero(is_active))
    return Components(order, shares[order], active, _alike(model, order[:active]))


def _alike(model: Factorization, places: np.ndarray) -> list[list[int]]:
    """Return groups of components whose probabilities of a one are near each other's."""
    if "H" in model.probabilities:
        profiles = model.H_[places]
    elif "W" in model.probabilities:
        profiles = model.W_[:, places].T
    else:
        return []
    groups: list[list[int]] = []
    for number, profile in enumerate(profiles):
        for group in groups:
            if _say_the_same(profile, profiles[group[0]]):
                group.append(number)
                break
        else:
            groups.append([number])
    return [group for group in groups if len(group) > 1]


def _say_the_same(p: np.ndarray, q: np.ndarray) -> bool:
    """Return whether two profiles of probabilities differ little, beside what there is in them.

    Where ones are rare two components may differ in a single line, and in all they say: so the
    differences are compared with the ones that either expects, and with the zeros.
    """
    least = min(np.maximum(p, q).sum(), np.maximum(1 - p, 1 - q).sum())
    return bool(np.abs(p - q).sum() < NEAR * least)
