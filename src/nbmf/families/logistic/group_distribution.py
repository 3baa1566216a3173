"""What new rows are like a priori, by their group: the distribution of positions and effects given those of a fit."""

from typing import NamedTuple

import numpy as np

from nbmf.families.logistic.row_groups import RowGroups
from nbmf.numerics.normal_effects import VARIANCE_RATE, VARIANCE_SHAPE

ROUNDS = 500
TOLERANCE = 1e-8  # of the covariances


class RowPrior(NamedTuple):
    """The normal prior of the coefficients of a row, positions first and then its effect, if rows have one.

    mean, covariance : float arrays (D,), (D, D)
    """

    mean: np.ndarray
    covariance: np.ndarray


class GroupDistribution(NamedTuple):
    """x_f ~ N(center + µ_g, within), µ_g ~ N(0, between) of the coefficients x of rows, given those of a fit.

    center : float array (D,)
    within, between : float arrays (D, D)
    means : float array (G, D), E[center + µ_g | x]
    spreads : float array (G, D, D), the covariances of µ_g given x
    """

    center: np.ndarray
    within: np.ndarray
    between: np.ndarray
    means: np.ndarray
    spreads: np.ndarray

    def prior_of(self, group: int) -> RowPrior:
        """Return the prior of a row of that group, or, for -1, of one without a group or of one that no row is in."""
        if group < 0:
            return RowPrior(self.center, self.within + self.between)
        return RowPrior(self.means[group], self.within + self.spreads[group])


def distribution_of_positions(W: np.ndarray, groups: RowGroups) -> GroupDistribution:
    """Return the distribution of positions (F, K) with covariances at a mode, by expectation maximization.

    With the posterior N(m_g, S_g) of µ_g given the covariances and the n_g rows of a group,

        between = (2 rate I + Σ_g m_g m_g' + S_g) / (2 shape + G),
        within = (I + Σ_f (w_f - m_g)(w_f - m_g)' + S_g) / (1 + F),

    where shape and rate are those of the variances of means in the model, and the I of `within` is what positions have
    as their covariance within groups there. A row without a group is one of its own.
    """
    (F, K), (index, count) = W.shape, groups.with_singletons()
    sizes, sums = np.bincount(index, minlength=count), np.zeros((count, K))
    np.add.at(sums, index, W)
    within, between = np.eye(K), np.eye(K)
    for _ in range(ROUNDS):
        means, spreads, kinds = _posteriors(sums, sizes, within, between)
        rest = W - means[index]
        moved = [between, within]
        between = 2 * VARIANCE_RATE * np.eye(K) + means.T @ means + spreads[kinds].sum(axis=0)
        between /= 2 * VARIANCE_SHAPE + count
        within = (np.eye(K) + rest.T @ rest + spreads[kinds[index]].sum(axis=0)) / (1 + F)
        pairs = zip(moved, (between, within), strict=True)
        if max(np.abs(new - old).max(initial=0.0) for old, new in pairs) < TOLERANCE:
            break
    means, spreads, kinds = _posteriors(sums, sizes, within, between)
    named = groups.names.size
    return GroupDistribution(np.zeros(K), within, between, means[:named], spreads[kinds[:named]])


def _posteriors(sums, sizes, within, between):
    """Return m_g (G, K) and S_g, once for each number of rows that groups have, with the place of each group's."""
    different, kinds = np.unique(sizes, return_inverse=True)
    precision = np.linalg.inv(within)
    spreads = np.linalg.inv(np.linalg.inv(between) + different[:, None, None] * precision)
    return np.einsum("gab,gb->ga", spreads[kinds], sums @ precision), spreads, kinds


def distribution_of_row_effects(
    effects: np.ndarray, groups: RowGroups, center: float, within: float, between: float
) -> GroupDistribution:
    """Return the distribution of row effects (F,) of known variances within and between groups."""
    index, named = groups.index, groups.names.size
    sizes = np.bincount(index[index >= 0], minlength=named)
    sums = np.bincount(index[index >= 0], effects[index >= 0] - center, minlength=named)
    spreads = 1.0 / (1.0 / between + sizes / within)
    means = center + spreads * sums / within
    parts = np.array([center]), np.array([[within]]), np.array([[between]])
    return GroupDistribution(*parts, means[:, None], spreads[:, None, None])


def joined(one: GroupDistribution, other: GroupDistribution) -> GroupDistribution:
    """Return the distribution of the coefficients of both, which do not depend on each other."""
    arrays = zip(one, other, strict=True)
    joint = (np.concatenate(pair, axis=-1) if n in (0, 3) else _blocks(*pair) for n, pair in enumerate(arrays))
    return GroupDistribution(*joint)


def _blocks(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return matrices (..., A + B, A + B) with two blocks along their diagonal."""
    A, B = one.shape[-1], other.shape[-1]
    both = np.zeros((*one.shape[:-2], A + B, A + B))
    both[..., :A, :A], both[..., A:, A:] = one, other
    return both
