"""The axes along which rows of a logistic factor model differ: how many are not noise, their rotation and signs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.data.matrix import BinaryMatrix
from nbmf.families.logistic.factors import COLUMNS, ROWS
from nbmf.inference.state import Factors
from nbmf.seeds import seed_sequence

MOST_KEPT = 3  # axes that are reported and drawn; tables have all
# Of the first axis's share, what another one needs. Two scales of 20 items give the second .34 to .86 (40 to
# 300 rows), of 28 and 12 items .28 to .42 from 100 rows on, correlated by .5 .22 to .29; next to loadings of 2, ones
# of 0.5 give it .05 to .13.
LEAST_RATIO = 0.17
SIMULATED = 19  # matrices without a further axis: the largest of 19 is exceeded by chance once in 20
BLOCK, STEPS = 8, 6  # of subspace iteration
LEAST_VARIANCE = 0.02  # of an entry by which residuals are divided, so that no rare entry rules them
NO_OTHER, WEAK, NOISE, MANY = "no other", "weak", "noise", "many"
NOTHING = 1e-6  # of the first axis's length, below which there is no axis
SIMPLER = 0.05  # axes a column depends on, by which a rotation has to reduce their mean number
MOST_ROTATED = 300  # columns that a rotation is sought for: statsmodels takes time in their square


class Axes(NamedTuple):
    """ψ of all entries as intercepts + places @ loadings.T.

    places : float array (F, A), of mean 0 and mean square 1, uncorrelated
    loadings : float array (N, A)
    intercepts : float array (N,)
    """

    places: np.ndarray
    loadings: np.ndarray
    intercepts: np.ndarray

    def log_odds(self, kept: int) -> np.ndarray:
        """Return ψ by the first axes, float array (F, N)."""
        return self.intercepts + self.places[:, :kept] @ self.loadings[:, :kept].T

    @property
    def sizes(self) -> np.ndarray:
        """The variance of ψ over rows along each axis, summed over columns, (A,)."""
        return np.square(self.loadings).sum(axis=0)

    def rearranged(self, order: np.ndarray) -> Axes:
        """Return the axes in this order."""
        return Axes(self.places[:, order], self.loadings[:, order], self.intercepts)


def sides_of(factors: Factors) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what rows and columns have in ψ, (F, K + 1), (N, K + 1), and the intercepts of columns.

    What rows have is centred: where all lie on one side of a component, that is no difference of
    theirs but how common each column is. The effect of a row counts as an axis that all columns share.
    """
    W, loadings = factors.W.astype(float), factors.H.T.astype(float)
    effects = factors.others.get(ROWS, np.zeros(len(W))).astype(float)
    of_rows = np.column_stack([W, effects])
    of_columns = np.column_stack([loadings, np.ones(len(loadings))])
    mean = of_rows.mean(axis=0)
    return of_rows - mean, of_columns, factors.others.get(COLUMNS, 0.0) + of_columns @ mean


def axes_of(factors: Factors) -> Axes:
    """Return the principal axes of ψ, those of the largest variance first."""
    of_rows, of_columns, intercepts = sides_of(factors)
    Q, R = np.linalg.qr(of_rows)
    P, S = np.linalg.qr(of_columns)
    left, sizes, right = np.linalg.svd(R @ S.T, full_matrices=False)
    there = sizes > max(NOTHING * sizes[0], np.finfo(float).tiny)
    root = np.sqrt(len(of_rows))
    return Axes(root * (Q @ left)[:, there], (P @ right.T)[:, there] * sizes[there] / root, intercepts)


def kept_axes(axes: Axes, matrix: BinaryMatrix) -> tuple[int, str]:
    """Return how many axes are reported and drawn, and why no more; see Scale.kept.

    The noise: a residual of an axis that the matrix does not have is as large as the largest singular value
    of residuals of matrices that are drawn without it (parallel analysis).
    """
    ratios = axes.sizes / axes.sizes[0]
    for kept in range(1, MOST_KEPT):
        if kept == len(ratios):
            return kept, NO_OTHER
        if ratios[kept] < LEAST_RATIO:
            return kept, WEAK
        if not _has_another(axes, kept, matrix):
            return kept, NOISE
    return MOST_KEPT, NO_OTHER if len(ratios) == MOST_KEPT else MANY


def _has_another(axes: Axes, kept: int, matrix: BinaryMatrix) -> bool:
    """Return whether residuals of the first axes have more in common than those of drawn matrices."""
    rng = np.random.default_rng(seed_sequence(0))
    ones = expit(axes.log_odds(kept)).astype(np.float32)
    weight = matrix.observed / np.sqrt(np.maximum(ones * (1 - ones), np.float32(LEAST_VARIANCE)))
    largest = _largest((matrix.codes - ones) * weight)
    for _ in range(SIMULATED):
        drawn = rng.random(ones.shape, dtype=np.float32) < ones
        if _largest((drawn - ones) * weight) >= largest:
            return False
    return True


def _largest(residuals: np.ndarray) -> float:
    """Return the largest singular value, by a few steps of subspace iteration: of noise a per cent too small.

    Which it is of all matrices that are compared alike.
    """
    block = np.random.default_rng(seed_sequence(0)).standard_normal((residuals.shape[1], min(BLOCK, *residuals.shape)))
    block = block.astype(residuals.dtype)
    for _ in range(STEPS):
        block = np.linalg.qr(residuals.T @ (residuals @ block))[0]
    return float(np.linalg.norm(residuals @ block, 2))


def rotated(axes: Axes, kept: int) -> tuple[Axes, bool]:
    """Return the axes with the kept ones rotated by varimax, if columns depend on fewer then."""
    if kept == 1:
        return axes, False
    from statsmodels.multivariate.factor_rotation import rotate_factors  # half a second, and few need it

    loadings = axes.loadings[:, :kept]
    # From two starts: halfway between two scales, where principal axes may lie, varimax stands still.
    oblique = np.linalg.qr(np.vander(np.arange(1.0, kept + 1), kept))[0]
    sizes = np.square(loadings).sum(axis=1)
    strongest = loadings[np.argsort(-sizes, kind="stable")[:MOST_ROTATED]] / np.sqrt(sizes.mean())
    rotations = [np.eye(kept)]
    for start in (np.eye(kept), oblique):
        rotations.append(start @ rotate_factors(strongest @ start, "varimax", max_tries=100, tol=1e-3)[1])
    counts = [_axes_per_column(loadings @ each) for each in rotations]
    best = int(np.argmin(counts))
    if counts[best] > counts[0] - SIMPLER:
        return axes, False
    places, loadings = axes.places.copy(), axes.loadings.copy()
    places[:, :kept] = places[:, :kept] @ rotations[best]
    loadings[:, :kept] = loadings[:, :kept] @ rotations[best]
    order = np.arange(len(axes.sizes))
    order[:kept] = np.argsort(-np.square(loadings[:, :kept]).sum(axis=0), kind="stable")
    return Axes(places, loadings, axes.intercepts).rearranged(order), True


def _axes_per_column(loadings: np.ndarray) -> float:
    """Return on how many axes columns depend, by Hofmann's index weighted by their information."""
    squares = np.square(loadings)
    sums = squares.sum(axis=1)
    fourth = np.square(squares).sum(axis=1)
    index = np.divide(sums**2, fourth, out=np.ones_like(sums), where=fourth > 0)
    return float(np.average(index, weights=sums))


def signed(axes: Axes) -> Axes:
    """Return the axes turned so that the sum of discriminations is positive; of 0, the largest is."""
    sums = axes.loadings.sum(axis=0)
    largest = axes.loadings[np.abs(axes.loadings).argmax(axis=0), range(len(sums))]
    is_balanced = np.abs(sums) <= 1e-9 * np.abs(axes.loadings).sum(axis=0)
    signs = np.where(np.where(is_balanced, largest, sums) < 0, -1.0, 1.0)
    return Axes(axes.places * signs, axes.loadings * signs, axes.intercepts)
