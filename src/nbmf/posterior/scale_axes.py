"""The axes along which rows of a factor model differ: how many are not noise, and their signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import not_allowed
from nbmf.families.logistic.factors import COLUMNS, CUTS, PATHS, ROWS, SIZES
from nbmf.families.logistic.logistic_factor_map import LogisticFactorMAP
from nbmf.families.logistic.logistic_factors import LogisticFactors
from nbmf.families.logistic.negative_binomial_factors import NegativeBinomialFactors
from nbmf.families.logistic.ordinal_factors import OrdinalFactors
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.posterior.scale_distributions import Cuts, EntryDistribution, Sizes
from nbmf.seeds import seed_sequence

MOST_KEPT_BEFORE = 3  # in folders of version 1.0.0
MOST_KEPT = 6  # axes that are reported; pictures have two, tables all
# Of the first axis's share, what another one needs. Two scales of 20 items give the second .34 to .86 (40 to
# 300 rows), of 28 and 12 items .28 to .42 from 100 rows on, correlated by .5 .22 to .29; next to loadings of 2, ones
# of 0.5 give it .05 to .13. So do three and more scales that correlate, which have to be told by their rotation.
LEAST_RATIO = 0.17
SIMULATED = 19  # matrices without a further axis: the largest of 19 is exceeded by chance once in 20
BLOCK, STEPS = 8, 6  # of subspace iteration
LEAST_VARIANCE = 0.02  # of an entry by which residuals are divided, so that no rare entry rules them
NO_OTHER, WEAK, WEAK_BUT_THERE, NOISE, MANY = "no other", "weak", "weak, but above noise", "noise", "many"
NOTHING = 1e-6  # of the first axis's length, below which there is no axis
LEAST = 1e-3  # root mean square of ψ along the first axis, below which there is none: all that precisions have pruned

KINDS = LogisticFactors, LogisticFactorMAP, OrdinalFactors, NegativeBinomialFactors


class Axes(NamedTuple):
    """ψ of all entries as offsets + intercepts + places @ loadings.T.

    places : float array (F, A), of mean 0 and mean square 1
    correlations : float array (A, A), of the places
    loadings : float array (N, A)
    intercepts : float array (N,)
    distribution : EntryDistribution, of an entry given its ψ
    offsets : float array (F, 1), of rows, that are no axis: 0 but of counts
    """

    places: np.ndarray
    loadings: np.ndarray
    intercepts: np.ndarray
    distribution: EntryDistribution
    offsets: np.ndarray
    correlations: np.ndarray

    def log_odds(self, kept: int) -> np.ndarray:
        """Return ψ by the first axes, float array (F, N)."""
        return self.offsets + self.intercepts + self.places[:, :kept] @ self.loadings[:, :kept].T

    def means_at_ends(
        self, positions: np.ndarray, n_end: int, expectation: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of E[V] (F, N) of the first and of the last rows on each axis, float arrays (N, A).

        Of counts it is what is expected at their places if their offset is 0.
        """
        order = np.argsort(positions, axis=0, kind="stable").T
        ends = (order[:, :n_end], order[:, -n_end:])
        if isinstance(self.distribution, Sizes):
            return tuple(np.column_stack([self._mean_of_rows(rows) for rows in end]) for end in ends)
        return tuple(np.column_stack([expectation[rows].mean(axis=0) for rows in end]) for end in ends)

    def _mean_of_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return what is expected of columns at the places of some rows, on average, if their offset is 0: (N,)."""
        return self.distribution.conditional_on(self.intercepts + self.places[rows] @ self.loadings.T).mean.mean(axis=0)

    @property
    def sizes(self) -> np.ndarray:
        """The variance of ψ over rows along each axis, summed over columns, (A,): together that of ψ."""
        return (self.loadings * (self.loadings @ self.correlations)).sum(axis=0)

    def transformed(self, T: np.ndarray) -> Axes:
        """Return the first axes, uncorrelated, turned: places T and loadings T^-T, which correlate by T'T, T (k, k)."""
        k, is_rotation = len(T), np.allclose(T.T @ T, np.eye(len(T)), atol=1e-8)
        places, loadings, correlations = self.places.copy(), self.loadings.copy(), self.correlations.copy()
        places[:, :k] = places[:, :k] @ T
        loadings[:, :k] = loadings[:, :k] @ np.linalg.inv(T).T
        correlations[:k, :k] = np.eye(k) if is_rotation else T.T @ T
        return self._replace(places=places, loadings=loadings, correlations=correlations)

    def sorted_by_size(self, kept: int) -> Axes:
        """Return the axes with the first ones in the order of their sizes."""
        order = np.arange(len(self.sizes))
        order[:kept] = np.argsort(-self.sizes[:kept], kind="stable")
        return self._replace(
            places=self.places[:, order],
            loadings=self.loadings[:, order],
            correlations=self.correlations[np.ix_(order, order)],
        )


def sides_of(factors: Factors) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what rows and columns have in ψ, (F, K + 1), (N, K + 1), and the intercepts of columns.

    What rows have is centred: where all lie on one side of a component, that is no difference of
    theirs but how common each column is. The effect of a row counts as an axis that all columns share. Of counts it
    does not: it is how much was counted, and there are K of each.
    """
    of_rows, of_columns = factors.W.astype(float), factors.H.T.astype(float)
    intercepts = factors.others.get(COLUMNS, 0.0)
    if SIZES in factors.others:
        intercepts = intercepts + factors.others.get(ROWS, np.zeros(1)).mean()
    else:
        effects = factors.others.get(ROWS, np.zeros(len(of_rows))).astype(float)
        of_rows = np.column_stack([of_rows, effects])
        of_columns = np.column_stack([of_columns, np.ones(len(of_columns))])
    mean = of_rows.mean(axis=0)
    return of_rows - mean, of_columns, intercepts + of_columns @ mean


def offsets_of(factors: Factors, around: float | None = None) -> np.ndarray:
    """Return the effects of rows of counts, (F, 1), less their mean or `around`; of others, whose axes have them, 0."""
    if SIZES not in factors.others or ROWS not in factors.others:
        return np.zeros((1, 1))
    effects = factors.others[ROWS][:, None]
    return effects - (effects.mean() if around is None else around)


def remove_row_effects(expectation: np.ndarray, factors: Factors, around: float | None = None) -> np.ndarray:
    """Return E[V] (F, N) of counts without effects of rows, which are how much was counted; of others as it is.

    factors : of these rows; around : the mean effect, by default theirs
    """
    return expectation * np.exp(-offsets_of(factors, around))


def entry_distribution(factors: Factors) -> EntryDistribution:
    """Return the distribution of an entry given its ψ."""
    return Sizes(factors.others[SIZES]) if SIZES in factors.others else Cuts(cuts_of(factors))


def cuts_of(factors: Factors) -> np.ndarray:
    """Return the cut points of each column, float array (N, C - 1); 0 of zeros and ones, and of counts."""
    cuts = factors.others.get(CUTS, np.zeros((1, 1)))
    return np.broadcast_to(cuts, (factors.H.shape[1], cuts.shape[1]))


def axes_of(factors: Factors) -> Axes:
    """Return the principal axes of ψ, those of the largest variance first."""
    of_rows, of_columns, intercepts = sides_of(factors)
    Q, R = np.linalg.qr(of_rows)
    P, S = np.linalg.qr(of_columns)
    left, sizes, right = np.linalg.svd(R @ S.T, full_matrices=False)
    first = sizes.max(initial=0.0)
    there = sizes > (NOTHING * first if first > LEAST * np.sqrt(len(of_rows) * len(of_columns)) else np.inf)
    root = np.sqrt(len(of_rows))
    places, loadings = root * (Q @ left)[:, there], (P @ right.T)[:, there] * sizes[there] / root
    return Axes(places, loadings, intercepts, entry_distribution(factors), offsets_of(factors), np.eye(places.shape[1]))


def number_of_axes(
    axes: Axes, matrix: NamedMatrix, most: int, least: float = LEAST_RATIO, known: int = 1
) -> tuple[int, str]:
    """Return how many axes, `most` at most, are no noise and have this ratio to the first, and why no more.

    `known` of them are known to be. The noise: a residual of an axis that the matrix does not have is as large as the
    largest singular value of residuals of matrices that are drawn without it (parallel analysis).
    """
    ratios = axes.sizes / axes.sizes[0]
    for kept in range(known, most):
        if kept == len(ratios):
            return kept, NO_OTHER
        if ratios[kept] < least:
            return kept, WEAK
        if not _has_another(axes, kept, matrix):
            return kept, NOISE
    return most, NO_OTHER if len(ratios) == most else MANY


def _has_another(axes: Axes, kept: int, matrix: NamedMatrix) -> bool:
    """Return whether residuals of the first axes have more in common than those of drawn matrices.

    Residuals of ordered categories are scores, between -1 and 1: where nearly all entries have the lowest one, as
    covers of species, a few high ones are so far from their means that those differences would show chance alone.
    """
    rng = np.random.default_rng(seed_sequence(0))
    given = axes.distribution.conditional_on(axes.log_odds(kept)).as_float32()
    weight = matrix.observed / np.sqrt(np.maximum(given.variance_of_residuals, np.float32(LEAST_VARIANCE)))
    largest = _largest_singular_value(given.residuals(getattr(matrix, matrix.field)) * weight)
    return all(_largest_singular_value(given.residuals(given.draw(rng)) * weight) < largest for _ in range(SIMULATED))


def _largest_singular_value(residuals: np.ndarray) -> float:
    """Return the largest singular value, by a few steps of subspace iteration: of noise a per cent too small.

    Which it is of all matrices that are compared alike.
    """
    block = np.random.default_rng(seed_sequence(0)).standard_normal((residuals.shape[1], min(BLOCK, *residuals.shape)))
    block = block.astype(residuals.dtype)
    for _ in range(STEPS):
        block = np.linalg.qr(residuals.T @ (residuals @ block))[0]
    return float(np.linalg.norm(residuals @ block, 2))


def has_scale(model: Factorization) -> bool:
    """Return whether rows of a fitted model lie on axes: a model of KINDS with any difference of rows.

    Not of counts with explicit noise, of which the distributions of a scale know nothing, nor of rows that move, which
    have a position in each period.
    """
    is_noisy = isinstance(model, NegativeBinomialFactors) and model.noise_variance_ > 0
    if is_noisy or not isinstance(model, KINDS) or PATHS in model.factors_.others:
        return False
    return bool(axes_of(model.factors_).loadings.size)


def check_rows(high: Sequence[str], row_names: np.ndarray) -> list[int]:
    """Return the numbers of the rows with these names; ConfigError if there is no such row."""
    places = {str(name): place for place, name in enumerate(row_names)}
    for name in high:
        if str(name) not in places:
            raise not_allowed("high", str(name), list(places))
    return [places[str(name)] for name in high]


def orient_axes(axes: Axes, high: Sequence[int] = ()) -> Axes:
    """Return the axes turned so that the sum of discriminations is positive; of 0, that of their third powers.

    The first of them, so that the rows `high`, one for each, have positive places.
    """
    sums, cubes = axes.loadings.sum(axis=0), (axes.loadings**3).sum(axis=0)
    is_balanced = np.abs(sums) <= 1e-9 * np.abs(axes.loadings).sum(axis=0)
    directions = np.where(is_balanced, cubes, sums)
    for axis, row in enumerate(high[: directions.size]):
        directions[axis] = axes.places[row, axis]
    signs = np.where(directions < 0, -1.0, 1.0)
    correlations = axes.correlations * np.outer(signs, signs)
    return axes._replace(places=axes.places * signs, loadings=axes.loadings * signs, correlations=correlations)


def means_of_rows(matrix: NamedMatrix) -> np.ndarray:
    """Return the means of rows' observed entries, float array (F,).

    Of counts the logarithms of 1 + their means times the number of columns, their sums where none is missing.
    """
    observed = matrix.observed
    sums = np.where(observed, getattr(matrix, matrix.field), 0).sum(axis=1)
    means = sums / np.maximum(observed.sum(axis=1), 1)
    return np.log1p(means * observed.shape[1]) if isinstance(matrix, CountMatrix) else means


def correlation_with_means(positions: np.ndarray, means: np.ndarray, by_ranks: bool) -> np.ndarray:
    """Return the correlation of positions (F, A) with the means of rows, (A,); 0 where either is constant.

    By ranks a few rows that have most of the ones, and are far from all others, count as others do.
    """
    if by_ranks:
        means, positions = rankdata(means), rankdata(positions, axis=0)
    of_means, of_positions = means - means.mean(), positions - positions.mean(axis=0)
    lengths = np.linalg.norm(of_means) * np.linalg.norm(of_positions, axis=0)
    products = of_means @ of_positions
    return np.divide(products, lengths, out=np.zeros(products.shape), where=lengths > 0)
