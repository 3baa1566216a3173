"""The components of a fit as a person meets them: merged where they say the same, and in order."""

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.state import Factors
from nbmf.numerics.percent import percent

NEAR = 0.1  # difference of two profiles below which they say nearly the same, see `profile_difference`
NEARLY_ALL = 0.95  # of the values of an intercept, at least, that have one sign, or are near their mean
MOST_VARIATION = 0.5  # standard deviation of an intercept's values, and distance from the mean, in means
NEAR_MEANS = 0.2  # difference of an intercept's profile from the means, at most


class Components(NamedTuple):
    """The components of a fit; those whose profiles are nearly the same are one.

    model : Factorization, a copy of the fit: its W_ (F, k) and H_ (k, N) have these components, the active
        ones first, of these intercepts last, and otherwise by weight
    members : tuple of int arrays, the places of each in W_ and H_ of the fit itself, the heaviest first
    shares : float array (k,), of all weight; NaN where there is no such thing
    idle : float array (k,), the shares that the prior alone gives them
    active : int, how many of them hold at least 1 % of the weight that is not the prior's
    intercepts : tuple of str, of each "column" if it says how common a one is in each column and nothing
        about rows, "row" if it does so of each row, and otherwise ""; of several latent classes none is one,
        since a row is in a single class
    given : sequence of str, what a person calls the first of them
    """

    model: Factorization
    members: tuple[np.ndarray, ...]
    shares: np.ndarray
    idle: np.ndarray
    active: int
    intercepts: tuple[str, ...]
    given: Sequence[str] = ()

    @property
    def order(self) -> np.ndarray:
        """The place in the fit of the heaviest member of each component, int array (k,)."""
        return np.array([places[0] for places in self.members], int)

    @property
    def shown(self) -> np.ndarray:
        """The places in the fit of the heaviest members of the active components, int array (active,)."""
        return self.order[: self.active]

    @property
    def informative(self) -> int:
        """How many of the active components are no intercepts; they come first."""
        return sum(not axis for axis in self.intercepts[: self.active])

    @property
    def sorted_by(self) -> np.ndarray:
        """The numbers, from 0, of those by which rows and columns are sorted: the active ones but for intercepts."""
        return np.arange(self.informative or self.active)

    @property
    def own_shares(self) -> np.ndarray:
        """The shares of the weight that is in no active intercept, float array (k,), NaN for these."""
        intercepts = slice(self.informative, self.active)
        weight = self.shares.sum() - self.shares[intercepts].sum()
        shares = self.shares / weight if weight > 0 else self.shares.copy()
        shares[intercepts] = np.nan
        return shares

    @property
    def profiles(self) -> np.ndarray | None:
        """The probabilities of a one in each component, float array (k, N) or (k, F); None without."""
        return _profiles(self.model)

    def names(self) -> list[str]:
        """Return what a person calls them, and "component 1", "component 2", ... of the others; one for each."""
        return names_or_defaults([f"component {number}" for number in range(1, len(self.members) + 1)], self.given)

    def title(self, number: int) -> str:
        """Return the number of a component, which counts from 0 here, and its name if a person gave it one."""
        name = f", {self.given[number]}" if number < len(self.given) else ""
        return f"component {number + 1}{name}"

    def labels(self, count: int) -> list[str]:
        """Return number and share of the first `count`, for pictures."""
        labels = []
        for number, share in enumerate(self.own_shares[:count]):
            text = percent(share)
            if np.isnan(share):
                text = "common" if self.intercepts[number] else ""
            labels.append(f"{number + 1}\n{text}".rstrip())
        return labels


def names_or_defaults(defaults: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return names: the given ones replace the first of the defaults."""
    return [*given[: len(defaults)], *defaults[len(given) :]]


def components_of(model: Factorization, matrix: BinaryMatrix | None = None) -> Components:
    """Return the components of a fitted model; `matrix` is what it was fitted to.

    Components with nearly the same probabilities of a one are merged before anything is asked of them:
    their weights are added, and the profile is their mean, weighted likewise. W_ H_ hardly changes.
    """
    K = model.n_components_
    shares = model.shares_of(Factors(model.W_, model.H_))
    if shares is None:  # coordinates: there is no weight to judge by
        weights, members = np.linalg.norm(model.W_, axis=0), [np.array([k]) for k in range(K)]
        return _ordered_components(model, members, weights, np.full(K, np.nan), np.zeros(K), np.ones(K, bool))
    members = merged_places(_profiles(model), shares)
    is_kept = matrix is not None and matrix.dense is None  # with all its entries
    idle = model.idle_shares(matrix.observed) if is_kept else np.zeros(K)
    held, held_idle = (np.array([each[places].sum() for places in members]) for each in (shares, idle))
    is_active = held - held_idle >= ACTIVE_SHARE * (1 - idle.sum())
    return _ordered_components(model, members, shares, held, held_idle, is_active)


def is_intercept(values: np.ndarray) -> bool:
    """Return whether positions are on one side of zero, with little spread around their mean.

    An axis with such positions of rows adds nearly the same to each, and so says how common each column is.

    Parameters
    ----------
    values : float array (n,)
        The positions of all rows or of all columns.
    """
    mean = values.mean() if values.size else 0.0
    if mean == 0:
        return False
    on_one_side = np.mean(np.sign(values) == np.sign(mean))
    return bool(on_one_side >= NEARLY_ALL and values.std() <= MOST_VARIATION * abs(mean))


def is_shared(weights: np.ndarray) -> bool:
    """Return whether nearly all have a component alike: weights of at least 0 that are within half of their mean."""
    mean = weights.mean() if weights.size else 0.0
    return bool(mean > 0 and np.mean(np.abs(weights - mean) <= MOST_VARIATION * mean) >= NEARLY_ALL)


def profile_difference(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return how much two profiles of probabilities differ, in relation to what there is in them.

    Where ones are rare two components may differ in a single column, and in all they say: so the differences are
    compared with the ones that either expects, or with the zeros if these are fewer. 0 if they are the same.

    Parameters
    ----------
    p, q : float arrays (..., n)
        Broadcast against each other.
    """
    ones, zeros = np.maximum(p, q).sum(axis=-1), np.maximum(1 - p, 1 - q).sum(axis=-1)
    return np.abs(p - q).sum(axis=-1) / np.maximum(np.minimum(ones, zeros), np.finfo(float).tiny)


def merged_places(profiles: np.ndarray | None, weights: np.ndarray) -> list[np.ndarray]:
    """Return which components say nearly the same.

    The two that differ least are merged, until all differ by NEAR: a component joins the mean of others and not the
    nearest of them, so that a chain of small steps does not become one component from end to end.

    Parameters
    ----------
    profiles : float array (K, n) or None
        Probabilities of a one; without them each component stays alone.
    weights : float array (K,)
        Of the components in their mean.

    Returns
    -------
    list of int arrays
        Places from 0, the heaviest first; by their smallest place.
    """
    K = len(weights)
    if profiles is None:
        return [np.array([k]) for k in range(K)]
    means, weights = np.array(profiles, float), np.maximum(weights, np.finfo(float).tiny)
    groups = {k: [k] for k in range(K)}
    difference = np.full((K, K), np.inf)
    for k in range(1, K):
        difference[k, :k] = profile_difference(means[k], means[:k])
    while K and difference.min() < NEAR:
        first, second = sorted(int(k) for k in np.unravel_index(difference.argmin(), difference.shape))
        groups[first] += groups.pop(second)
        means[first] = np.average(profiles[groups[first]], axis=0, weights=weights[groups[first]])
        difference[second], difference[:, second] = np.inf, np.inf
        others = np.array([k for k in groups if k != first], int)
        to_others = profile_difference(means[first], means[others])
        difference[np.maximum(others, first), np.minimum(others, first)] = to_others
    return [np.array(sorted(group, key=lambda k: (-weights[k], k))) for group in groups.values()]


def _profiles(model: Factorization) -> np.ndarray | None:
    """Return the probabilities of a one in each component, (K, N) or (K, F); None if the model has none."""
    if "H" in model.probabilities:
        return model.H_
    return model.W_.T if "W" in model.probabilities else None


def _ordered_components(
    model: Factorization,
    members: list[np.ndarray],
    weights: np.ndarray,
    shares: np.ndarray,
    idle: np.ndarray,
    is_active: np.ndarray,
) -> Components:
    """Return components made of these places in the fit, whose own have `weights` (K,)."""
    merged = copy.copy(model)
    W = _merge_rows(model.W_.T, members, weights, "W" in model.probabilities)
    H = _merge_rows(model.H_, members, weights, "H" in model.probabilities)
    merged.W_, merged.H_ = W.T, H
    are_classes = model.has_classes and np.count_nonzero(is_active) > 1
    intercepts = ("",) * len(members) if are_classes else _intercepts(merged)
    heaviness = np.array([weights[places].sum() for places in members])
    order = np.lexsort((-heaviness, np.array([bool(axis) for axis in intercepts], bool), ~is_active))
    merged.W_, merged.H_ = W[order].T, H[order]
    return Components(
        merged,
        tuple(members[i] for i in order),
        shares[order],
        idle[order],
        int(np.count_nonzero(is_active)),
        tuple(intercepts[i] for i in order),
    )


def _merge_rows(
    factor: np.ndarray, members: list[np.ndarray], weights: np.ndarray, are_probabilities: bool
) -> np.ndarray:
    """Return the sums of rows of a factor (K, n), or the means where these are probabilities, float array (k, n)."""
    joined = np.empty((len(members), factor.shape[1]), factor.dtype)
    for row, places in zip(joined, members, strict=True):
        if len(places) == 1:
            row[:] = factor[places[0]]
        elif are_probabilities:
            row[:] = np.average(factor[places], axis=0, weights=np.maximum(weights[places], np.finfo(float).tiny))
        else:
            row[:] = factor[places].sum(axis=0)
    return joined


def merge_components(model: Factorization, factor: np.ndarray, members: list[np.ndarray], name: str) -> np.ndarray:
    """Return a factor (K, n) with components merged, float array (k, n).

    They are summed, or averaged by their shares where the factor called `name` has probabilities of a one.
    """
    shares = model.shares_of(model.factors_)
    weights = np.ones(len(factor)) if shares is None else shares
    return _merge_rows(factor, members, weights, name in model.probabilities)


def _intercepts(model: Factorization) -> tuple[str, ...]:
    """Return what each component is the intercept of, see `Components`."""
    K, profiles = model.n_components_, _profiles(model)
    if profiles is not None:
        weights, of_what = (model.W_, "column") if "H" in model.probabilities else (model.H_.T, "row")
        means = weights.mean(axis=0) @ profiles  # of E[V]
        is_near = profile_difference(profiles, means) < NEAR_MEANS
        return tuple(of_what if is_near[k] and is_shared(weights[:, k]) else "" for k in range(K))
    if model.distributions:  # whose other factor is no profile of probabilities
        return ("",) * K
    return tuple("column" if is_intercept(model.W_[:, k]) else "" for k in range(K))
