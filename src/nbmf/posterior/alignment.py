"""Which component of a draw is which component of the estimator."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from nbmf.errors import NotSupportedError
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors

ROUNDS = 10  # of matching components, at most
TINY = np.finfo(np.float32).tiny
ENOUGH = 1e-3  # relative gain of a round for another one to be worth while
INSTEAD = "expectation_interval needs no components to be matched"


class Matching(NamedTuple):
    """Which component of each draw plays the role of component k of the estimator.

    order : int array (S, K)
        Component order[s, k] of draw s plays the role of k.
    moved : float
        The share of all weight that is in components with another number than their role: 0 if
        labels never switched. Without shares, the share of components. Of factors that are known
        up to a rotation, one less the mean squared cosine between component k of a draw and the
        direction that plays the role of k.
    overlap : float array (K,)
        Mean cosine between what component k holds in a draw and what it holds on average: rows
        for Beta-Dir and Dir-Dir, columns for Dir-Beta. Near 1, a component is the same in every
        draw; far below, there is no such component, and its intervals mean nothing.
    rotation : float array (S, K, K), or None
        Where factors are known up to a rotation: W and H' of draw s, times the orthogonal matrix
        rotation[s], are next to W_ and H_'. `order` says nothing then.
    """

    order: np.ndarray
    moved: float
    overlap: np.ndarray
    rotation: np.ndarray | None = None

    def aligned(self, s: int, rows: np.ndarray) -> np.ndarray:
        """Return rows of W or columns of H, (rows, K), of draw s with components as in W_."""
        turn = self.order if self.rotation is None else self.rotation
        return _align_components(rows, turn[s])


def match_components(estimator: Factorization, draws: Sequence[Factors]) -> Matching:
    """Return which component of each draw is which component of the estimator.

    Where components come in any order, every draw's are assigned one to one to those of a
    reference, first W_ and H_, then the means of the draws so aligned, until little is gained:
    the assignment for which most entries of V are expected to be in matched components that say
    the same of them. This is a heuristic, and no matching helps where a component of one draw is
    split in two in another: `overlap` shows it.

    Where factors are known up to a rotation and signs, every draw is rotated to such a reference
    by orthogonal Procrustes, W and H counting alike.

    Raises
    ------
    NotSupportedError
        If draws have another K than W_.
    """
    _refuse_unequal_sizes(estimator, draws)
    reference = Factors(estimator.W_.astype(np.float32), estimator.H_.astype(np.float32))
    order, rotation = np.tile(np.arange(reference.W.shape[1]), (len(draws), 1)), None
    if estimator.alignment is Alignment.PERMUTATION:
        order, reference = _permutations(estimator, draws, reference)
    elif estimator.alignment is Alignment.ROTATION:
        rotation, reference = _rotations(draws, reference)
    else:
        reference = _mean_factors(draws, order)
    average = _held_weights(estimator, reference)
    overlap = np.mean(
        [
            _cosines(_align_components(_held_weights(estimator, factors), turn), average)
            for factors, turn in zip(draws, order if rotation is None else rotation, strict=True)
        ],
        axis=0,
    )
    moved = _moved_share(estimator, draws, order) if rotation is None else _rotation_distance(rotation)
    return Matching(order, moved, overlap, rotation)


def _refuse_unequal_sizes(estimator: Factorization, draws: Sequence[Factors]) -> None:
    name, K = type(estimator).__name__, estimator.W_.shape[1]
    sizes = sorted({factors.W.shape[1] for factors in draws} | {K})
    if len(sizes) > 1:
        raise NotSupportedError(
            f"draws of {name} and its W_ have different numbers of components, {sizes[0]} to "
            f"{sizes[-1]}, so that they cannot be matched one to one: {INSTEAD}"
        )


def _rotations(draws: Sequence[Factors], reference: Factors) -> tuple[np.ndarray, Factors]:
    """Return the rotation of each draw, (S, K, K), and the reference of the last round."""
    agreement = 0.0
    for _ in range(ROUNDS):
        before = agreement
        # Both factors of unit size, so that neither rules.
        W, H = (one / max(np.linalg.norm(one), TINY) for one in reference[:2])
        decompositions = [
            np.linalg.svd(
                one.W.T @ W / max(np.linalg.norm(one.W), TINY) + one.H @ H.T / max(np.linalg.norm(one.H), TINY)
            )
            for one in draws
        ]
        rotation = np.stack([left @ right for left, _, right in decompositions])
        agreement = float(sum(sizes.sum() for _, sizes, _ in decompositions))
        if agreement <= (1 + ENOUGH) * before:
            break
        reference = _mean_factors(draws, rotation)
    return rotation, reference


def _permutations(estimator: Factorization, draws: Sequence[Factors], reference: Factors) -> tuple[np.ndarray, Factors]:
    """Return the order of each draw's components, (S, K), and the reference of the last round."""
    agreement = 0.0
    for _ in range(ROUNDS):
        before = agreement
        matches = [_match(estimator, factors, reference) for factors in draws]
        order = np.array([components for components, _ in matches])
        agreement = sum(agreed for _, agreed in matches)
        if agreement <= (1 + ENOUGH) * before:
            break
        reference = _mean_factors(draws, order)
    return order, reference


def _align_components(rows: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return rows (n, K) with components in an order, int array (K,), or rotated, (K, K)."""
    return rows[:, turn] if turn.ndim == 1 else rows @ turn.astype(rows.dtype)


def _mean_factors(draws: Sequence[Factors], turns: np.ndarray) -> Factors:
    """Return the means of draws with their components in some order, or rotated."""
    pairs = list(zip(draws, turns, strict=True))
    return Factors(
        np.mean([_align_components(factors.W, turn) for factors, turn in pairs], axis=0),
        np.mean([_align_components(factors.H.T, turn) for factors, turn in pairs], axis=0).T,
    )


def _match(estimator: Factorization, factors: Factors, reference: Factors) -> tuple[np.ndarray, float]:
    """Return the component of a draw for each of the reference, and how well they agree."""
    probabilities = estimator.probabilities
    same_rows = _agreement(factors.W.T, reference.W.T, "W" in probabilities)
    same_columns = _agreement(factors.H, reference.H, "H" in probabilities)
    agreement = same_rows * same_columns
    components, roles = linear_sum_assignment(agreement, maximize=True)
    return components[np.argsort(roles)], float(agreement[components, roles].sum())


def _agreement(X: np.ndarray, Y: np.ndarray, are_probabilities: bool) -> np.ndarray:
    """Return Σ_n x_kn y_ln, of probabilities + (1 - x_kn)(1 - y_ln): float array (K, K)."""
    products = X @ Y.T
    if not are_probabilities:
        return products
    return 2 * products + X.shape[1] - X.sum(axis=1)[:, None] - Y.sum(axis=1)


def _held_weights(estimator: Factorization, factors: Factors) -> np.ndarray:
    """Return what components hold, (rows, K): memberships, or W where there are none."""
    rows = estimator.memberships(factors)
    return factors.W if rows is None else rows


def _moved_share(estimator: Factorization, draws: Sequence[Factors], order: np.ndarray) -> float:
    """Return the share of weight in components with another number than their role."""
    S, K = order.shape
    if not estimator.distributions:
        return float((order != np.arange(K)).mean()) if K else 0.0
    shares = np.array([estimator.shares_of(factors) for factors in draws])
    roles = np.take_along_axis(shares, order, axis=1)
    return float(roles[order != np.arange(K)].sum() / S)


def _rotation_distance(rotation: np.ndarray) -> float:
    """Return one less the mean squared cosine between components and their roles."""
    return float(1 - (np.diagonal(rotation, axis1=1, axis2=2) ** 2).mean()) if rotation.size else 0.0


def _cosines(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return the cosine between the columns of X and those of Y, (K,)."""
    sizes = np.linalg.norm(X, axis=0) * np.linalg.norm(Y, axis=0)
    return (X * Y).sum(axis=0) / np.maximum(sizes, TINY)
