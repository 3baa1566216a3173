"""One axis, or a few, along which rows lie: positions with intervals, and what each column says about them.

log-odds of a one = Σ_a discrimination_na position_fa - difficulty_n

as in the two-parameter logistic model of tests and ideal points of votes; of ordered categories those of one above
j = 0, ..., C - 2, with a threshold for each j instead of the difficulty, which is their mean (the graded response
model). Of counts it is the log of the expected count over the size, less the effect of the row, which is how much was
counted and no axis: a latent variable model of communities, an ordination. The model's factors are brought to this
form; nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from nbmf.data.named import NamedMatrix
from nbmf.errors import NotSupportedError
from nbmf.families.logistic.factors import PATHS, ROWS, psi_of
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.numerics.blas import one_blas_thread
from nbmf.posterior.components import names_or_defaults
from nbmf.posterior.intervals import check_level
from nbmf.posterior.scale_axes import (
    KINDS,
    axes_of,
    check_rows,
    correlation_with_means,
    has_scale,
    means_of_rows,
    offsets_of,
    orient_axes,
)
from nbmf.posterior.scale_distributions import EntryDistribution, Sizes
from nbmf.posterior.scale_intervals import Spread, average_alike, conditional_spread, spread_of_draws
from nbmf.posterior.scale_rotation import AS_NOW, Reported, choose_reported_axes

if TYPE_CHECKING:
    from nbmf.posterior.draws import Draws

END = 0.1  # of the rows, at either end
FAR = 3  # times the outermost position, beyond which no location is given: there is no row near it
GIVEN_COLUMNS = "a row's own entries, with discriminations and difficulties taken as known"
GIVEN_SLOPES = "a row's own entries, with slopes, levels and its effect taken as known"  # of counts
FROM_DRAWS = "draws from the posterior"


@dataclass(frozen=True, eq=False)
class Scale:
    """Axes along which rows differ, those that are reported first. `scale_of` makes it.

    The population of the rows has mean 0 and standard deviation 1 on every axis; axes are uncorrelated, unless each
    column then depends on hardly more than one. Positions are posterior means, which vary less: their variance is the
    reliability. Signs: `high_rows` are positive, else the sum of an axis's discriminations is.

    Attributes
    ----------
    row_names, column_names : str arrays (F,), (N,)
    positions, lower, upper : float arrays (F, A), with the ends of the credible intervals
    level : float, of the intervals
    interval_kind : str
        FROM_DRAWS, GIVEN_COLUMNS or GIVEN_SLOPES. Of 90 % intervals given the columns 85 to 95 % held the truth (20 to
        300 rows, one or two scales; of counts 80 to 92 %, of a mode 96 %), of draws of variational fits 80 to 90 %.
    discrimination : float array (N, A)
        The change of the log-odds of a one, or of the log of the expected count, within a standard deviation.
    thresholds : float array (N, C - 1)
        Minus the log-odds of a category above j of a row at 0, j = 0, 1, ...: what all rows share, such as an intercept
        or the effect of the column, is in here. Of zeros and ones there is one, the difficulty. Of counts minus the
        logarithm of the expected count over the size, of a row of average effect.
    distribution : EntryDistribution
        Of an entry given its ψ; its `cuts` are the part of the thresholds that is no intercept of the model.
    categories : sequence of str
        What ordered categories are called, from the lowest on; () of zeros and ones.
    shares, reliability : float arrays (A,)
        Of the variance of log-odds over the rows, summed over the columns; one less the mean posterior variance.
    kept : int
        How many axes are reported and drawn: those with a share of at least LEAST_RATIO of the first one's, correlated
        or not, and of which residuals without it have more than noise has; at least 1, at most MOST_KEPT.
    limit : str
        Why there are no more: NO_OTHER, WEAK, WEAK_BUT_THERE, NOISE or MANY.
    rotated : bool
        Whether the kept axes are, by varimax or, if they correlate, quartimin: columns then depend on fewer of them.
    low, high : float arrays (N, A)
        Mean predicted probability of a one, or mean place of the category, counted from 0, of the rows in the lowest
        and in the highest tenth of an axis; of counts the mean expected count there of rows of average effect.
    n_end : int, how many rows such a tenth has
    row_groups : str array (F,) or None
    lowest : int, of the lowest category in what people read, see CategoryMatrix; 0 of zeros and ones
    given, high_rows : sequences of str, what a person calls the first axes, and rows at their high ends
    row_means : float array (F,) or None, of observed entries: ones, mean category; of counts the logarithms of sums
    mean_correlation : float array (A,) or None, of ranks of positions with theirs; of counts of these themselves
    has_row_effects : bool, whether the model has effects of rows: part of the axes, but for counts
    mean_row_effect : float, of counts: effects of new rows are no part of positions as far as they differ from it
    between_chains : float array (A,) or None
        The standard deviation over chains of a row's mean position (root mean square over rows), of draws of several.
    correlations : float array (A, A) or None, of the axes in the population of rows, if they correlate
    discrimination_ends, difficulty_ends : float arrays (N, kept, 2), (N, 2) or None
        The ends of their credible intervals, of draws of a sampler; of counts those of slopes alone.
    """

    row_names: np.ndarray
    column_names: np.ndarray
    positions: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    interval_kind: str
    discrimination: np.ndarray
    thresholds: np.ndarray
    distribution: EntryDistribution
    shares: np.ndarray
    reliability: np.ndarray
    kept: int
    limit: str
    rotated: bool
    low: np.ndarray
    high: np.ndarray
    n_end: int
    row_groups: np.ndarray | None = None
    categories: Sequence[str] = ()
    lowest: int = 0
    given: Sequence[str] = ()
    high_rows: Sequence[str] = ()
    row_means: np.ndarray | None = None
    mean_correlation: np.ndarray | None = None
    has_row_effects: bool = False
    mean_row_effect: float = 0.0
    between_chains: np.ndarray | None = None
    correlations: np.ndarray | None = None
    discrimination_ends: np.ndarray | None = None
    difficulty_ends: np.ndarray | None = None

    @property
    def is_oblique(self) -> bool:
        """Whether axes correlate."""
        return self.correlations is not None

    @property
    def difficulty(self) -> np.ndarray:
        """Minus the log-odds of a one of a row at 0, (N,); the mean of thresholds, where there are several."""
        return self.thresholds.mean(axis=1)

    @property
    def has_counts(self) -> bool:
        """Whether these are axes of counts."""
        return isinstance(self.distribution, Sizes)

    @property
    def levels(self) -> np.ndarray:
        """Of counts: what is expected of each column in a row of average effect at 0, float array (N,)."""
        return self.distribution.conditional_on(-self.thresholds.T).mean[0]

    def order(self, axis: int = 0) -> np.ndarray:
        """Return the rows from the lowest to the highest on an axis, int array (F,)."""
        return np.argsort(self.positions[:, axis], kind="stable")

    @property
    def names(self) -> list[str]:
        """What a person calls the axes, and "axis 1", "axis 2", ... of the others; one for each of A."""
        return names_or_defaults([f"axis {number}" for number in range(1, len(self.shares) + 1)], self.given)

    def title(self, a: int) -> str:
        """Return the number of an axis, which counts from 0 here, and its name if a person gave it one."""
        return f"axis {a + 1}" + (f", {self.given[a]}" if a < len(self.given) else "")

    @property
    def location(self) -> np.ndarray:
        """The position on axis 1 at which a one is as probable as a zero, float array (N,).

        The difficulty b of the two-parameter logistic model, for a row at 0 on all other axes; of ordered categories
        the mean of those of all thresholds. NaN where it would be far outside of all positions, since the column does
        not depend on the axis, or is the same in nearly all rows.
        """
        slopes, farthest = self.discrimination[:, 0], FAR * np.abs(self.positions[:, 0]).max()
        is_near = (slopes != 0) & (np.abs(self.difficulty) <= farthest * np.abs(slopes))
        return np.divide(self.difficulty, slopes, out=np.full(slopes.shape, np.nan), where=is_near)

    def place(self, factors: Factors, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the positions of new rows with their intervals, given the columns.

        Parameters
        ----------
        factors : Factors, of the new rows, by the model of the scale
        observed : bool array (F', N)
            Which entries are known: they give the information on a position, with a N(0, correlations) prior.

        Returns
        -------
        positions, lower, upper : float arrays (F', A)
        """
        slopes, positions = self.discrimination, self.positions_of(factors)
        weights = observed * self.distribution.conditional_on(psi_of(factors)).information
        information = np.einsum("fn,na,nb->fab", weights, slopes, slopes, optimize=True)
        prior = np.eye(slopes.shape[1]) if self.correlations is None else np.linalg.inv(self.correlations)
        covariance = np.linalg.inv(prior + information)
        half_widths = ndtri((1 + self.level) / 2) * np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        return positions, positions - half_widths, positions + half_widths

    def positions_of(self, factors: Factors) -> np.ndarray:
        """Return the positions of rows with these factors, float array (F', A)."""
        psi = psi_of(factors) - offsets_of(factors, self.mean_row_effect)
        return (psi + self.thresholds[:, 0] - self.distribution.cuts[:, 0]) @ np.linalg.pinv(self.discrimination).T


@one_blas_thread()
def scale_of(
    model: Factorization,
    matrix: NamedMatrix,
    *,
    draws: Draws | Spread | None = None,
    chains: int = 1,
    level: float = 0.9,
    expectation: np.ndarray | None = None,
    reported: Reported = AS_NOW,
    high: Sequence[str] = (),
) -> Scale:
    """Return the axes of a fitted logistic, ordinal or negative binomial factor model.

    Parameters
    ----------
    model : LogisticFactorVB, OrdinalFactorVB, NegativeBinomialFactorVB, their samplers, LogisticFactorMAP
    matrix : BinaryMatrix, CategoryMatrix or CountMatrix, to which the model was fitted
    draws : Draws or Spread, optional
        Their positions on the same axes give intervals, or what is kept of these. Without, and for draws of a
        variational fit, which are too narrow, intervals are those of a row's own entries given the columns.
    chains : int
        Of which there are draws, one after another with as many each.
    level : float
    expectation : float array (F, N), optional
        E[V] of which `low` and `high` are means, by default that of the model.
    reported : Reported
        How many axes there are at most, and whether they may correlate where columns depend on hardly more than one.
    high : sequence of str
        A row at the high end of each of the first axes; others keep the sign that the Scale tells.

    Raises
    ------
    ConfigError
        If `level` is not between 0 and 1, or a row of `high` is not one of the matrix.
    NotSupportedError
        If the model is another one, or its rows do not differ.
    """
    check_level(level)
    if not has_scale(model):
        name = type(model).__name__
        why = "its rows do not differ" if isinstance(model, KINDS) else "its components are no axes"
        why = "its rows move, and have paths" if PATHS in model.factors_.others else why
        raise NotSupportedError(f"a scale needs a logistic factor model along which rows differ; {name}: {why}")
    axes = axes_of(model.factors_)
    axes, kept, limit, is_rotated = choose_reported_axes(axes, matrix, reported)
    axes = orient_axes(axes, check_rows(high, matrix.row_names))
    is_drawn = draws is not None and model.inference is Inference.SAMPLER
    spread = spread_of_draws(axes, draws, level, chains, kept) if is_drawn else conditional_spread(axes, matrix, level)
    spread = average_alike(spread, matrix, model.row_groups_) if is_drawn else spread
    n_end, row_means = max(1, round(END * len(axes.places))), means_of_rows(matrix)
    at_low, at_high = axes.means_at_ends(
        spread.means, n_end, model.expectation_ if expectation is None else expectation
    )
    of_counts, effects = isinstance(axes.distribution, Sizes), model.factors_.others.get(ROWS, np.zeros(1))
    return Scale(
        row_names=matrix.row_names,
        column_names=matrix.column_names,
        positions=spread.means,
        lower=spread.lower,
        upper=spread.upper,
        level=float(level),
        interval_kind=FROM_DRAWS if is_drawn else GIVEN_SLOPES if of_counts else GIVEN_COLUMNS,
        discrimination=axes.loadings / spread.scale,
        thresholds=axes.distribution.cuts - axes.intercepts[:, None],
        distribution=axes.distribution,
        shares=axes.sizes / axes.sizes.sum(),
        reliability=spread.scale**2,
        kept=kept,
        limit=limit,
        rotated=is_rotated,
        correlations=axes.correlations if np.any(np.triu(axes.correlations, 1)) else None,
        low=at_low,
        high=at_high,
        n_end=n_end,
        row_groups=matrix.row_groups,
        categories=tuple(map(str, getattr(matrix, "categories", ()))),
        lowest=getattr(matrix, "lowest", 0),
        high_rows=tuple(high),
        row_means=row_means,
        mean_correlation=correlation_with_means(spread.means, row_means, by_ranks=not of_counts),
        has_row_effects=bool(np.any(effects)),
        mean_row_effect=float(effects.mean()) if of_counts else 0.0,
        between_chains=spread.between_chains,
        discrimination_ends=spread.slopes,
        difficulty_ends=None if of_counts else spread.difficulties,
    )
