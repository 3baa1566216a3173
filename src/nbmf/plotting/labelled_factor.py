"""A factor as it is drawn: which of its rows, or columns of V, are shown, in which order."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SMALL = 0.005  # of the coordinates on axes, beyond the strongest colour
ALIKE = 0.1  # of the largest coordinate on an axis, by which they differ at most if the axis is no order of theirs


class LabelledFactor(NamedTuple):
    """W, or H transposed, with the names of the rows, or of the columns, of V.

    weights : float array (n, K), the components from left to right
    names : str array (n,)
    title : str
    groups : str array (n,) or None
    main : int array (n,) or None, the component that each is most typical of; by default that with
        the largest weight
    axes : int or None, how many of the components, the first ones, are axes with two ends, the others being
        intercepts; None where components are groups
    kind : str, "row" or "column"; "" if they are not those of V
    level : float array (n,) or None, how common ones are: the order where all are alike on an axis
    place : float array (n,) or None, along an arch or a ring on which rows lie: the order instead of the first axis
    """

    weights: np.ndarray
    names: np.ndarray
    title: str
    groups: np.ndarray | None = None
    main: np.ndarray | None = None
    axes: int | None = None
    kind: str = ""
    level: np.ndarray | None = None
    place: np.ndarray | None = None

    def at(self, indices: np.ndarray) -> "LabelledFactor":
        """Return the factor with some of its rows or columns, in this order."""
        some = {"groups": self.groups, "main": self.main, "level": self.level, "place": self.place}
        some = {name: None if each is None else np.asarray(each)[indices] for name, each in some.items()}
        return self._replace(weights=self.weights[indices], names=self.names[indices], **some)

    @property
    def typical_of(self) -> np.ndarray:
        """The component that each row or column is most typical of, int array (n,)."""
        return contrast(self.weights).argmax(axis=1) if self.main is None else self.main

    @property
    def along(self) -> np.ndarray:
        """Positions on the first axis, float array (n,); zeros where there is none."""
        return self.weights[:, 0] if self.weights.shape[1] else np.zeros(len(self.weights))

    @property
    def strength(self) -> np.ndarray:
        """By how much that component exceeds the others, float array (n,)."""
        return contrast(self.weights)[np.arange(len(self.weights)), self.typical_of]


def contrast(weights: np.ndarray) -> np.ndarray:
    """Return by how much each weight exceeds the mean of its row's other components, (n, K).

    This says which component a row is typical of. Where all components agree, as about a column
    that is always one, no component has a contrast.
    """
    K = weights.shape[1]
    if K == 0:  # nothing is typical of anything
        return np.zeros((len(weights), 1))
    if K == 1:
        return weights - weights.mean()
    others = (weights.sum(axis=1, keepdims=True) - weights) / (K - 1)
    return weights - others


def most_distinctive(factor: LabelledFactor, count: int) -> np.ndarray:
    """Return at most `count` rows or columns: of each component in turn those most typical of it.

    Of axes they are spread evenly along the first. If a group would be absent, each has its share of them.

    Returns
    -------
    int array (min(n, count),), ascending
    """
    if factor.axes is not None:
        along, n = order_of(factor._replace(groups=None)), len(factor.names)
        return np.sort(along[np.linspace(0, n - 1, min(n, count)).round().astype(int)])
    typical_of, strength = factor.typical_of, factor.strength
    rank = np.empty(len(strength), int)
    for k in np.unique(typical_of):
        members = np.flatnonzero(typical_of == k)
        rank[members[np.argsort(-strength[members], kind="stable")]] = np.arange(len(members))
    order = np.lexsort((-strength, rank))
    if factor.groups is not None and np.setdiff1d(factor.groups, factor.groups[order[:count]]).size:
        order = _in_proportion(order, factor.groups)
    return np.sort(order[:count])


def _in_proportion(order: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return an order of rows or columns of which any first part has about the same share of every group."""
    part = np.empty(len(order))
    for group in np.unique(groups):
        members = order[groups[order] == group]
        part[members] = (np.arange(len(members)) + 0.5) / len(members)
    return order[np.argsort(part[order], kind="stable")]


def order_of(factor: LabelledFactor) -> np.ndarray:
    """Return rows or columns by the component they are most typical of, the most typical ones first.

    Of axes they are sorted along the first, or by level if they are all at nearly the same place, or by their places
    along an arch. Where there are groups, these come first, the largest on top, or along an arch by the mean places of
    their members, so that ones are a band in all groups together.
    """
    keys = [-factor.strength, factor.typical_of] if factor.axes is None else [-factor.along]
    if factor.axes and factor.level is not None and np.ptp(factor.along) <= ALIKE * abs(factor.along).max():
        keys = [-factor.level]
    if factor.place is not None:
        keys = [-factor.place]
    if factor.groups is not None:
        groups, number, sizes = np.unique(factor.groups, return_inverse=True, return_counts=True)
        first = sizes if factor.place is None else np.bincount(number, weights=factor.place) / sizes
        rank = np.empty(len(groups), int)
        rank[np.argsort(-first, kind="stable")] = np.arange(len(groups))
        keys.append(rank[number])
    return np.lexsort(keys)


def limit_of(factors: Sequence[LabelledFactor]) -> float:
    """Return the coordinate that has the strongest colour, the same for both factors and for all axes.

    Nearly all coordinates on axes are within it; those of an intercept may be far beyond, and hide the axes.
    """
    drawn = [abs(factor.weights[:, : factor.axes or None]).ravel() for factor in factors]
    values = np.concatenate(drawn)
    return float(np.quantile(values, 1 - SMALL)) if values.any() else 1.0
