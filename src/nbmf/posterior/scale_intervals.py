"""Intervals of positions on a scale, by a row's own entries given the columns or by draws, and of columns by draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri

from nbmf.data.named import NamedMatrix
from nbmf.inference.blocks import in_blocks
from nbmf.posterior.intervals import interval
from nbmf.posterior.scale_axes import Axes, cuts_of, sides_of

if TYPE_CHECKING:
    from nbmf.posterior.draws import Draws

ROUNDS = 30  # of the scale of positions


class Spread(NamedTuple):
    """Positions in units of the population's standard deviation.

    means, lower, upper : float arrays (F, A)
    scale : float array (A,), the standard deviation of the means
    between_chains : float array (A,) or None, the standard deviation of a row's means over chains (root mean square
        over rows)
    slopes, difficulties : float arrays (N, kept, 2), (N, 2) or None
        The lower and upper ends of intervals of discriminations on the axes that are reported, and of difficulties.
    """

    means: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    scale: np.ndarray
    between_chains: np.ndarray | None = None
    slopes: np.ndarray | None = None
    difficulties: np.ndarray | None = None

    @classmethod
    def of(cls, positions: np.ndarray) -> Spread:
        """Return what positions of draws say: array (F, A, 3) of means, lower and upper ends."""
        means, lower, upper = np.moveaxis(positions, -1, 0)
        return cls(means, lower, upper, means.std(axis=0))


def typical_half_width(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return half of the median interval on each axis, (A,), of ends (F, A)."""
    return np.median(upper - lower, axis=0) / 2


def r_hat_of_positions(lower: np.ndarray, upper: np.ndarray, between_chains: np.ndarray, level: float) -> np.ndarray:
    """Return about what R-hat of a row's position is on each axis, (A,), of intervals by the draws of all chains.

    It is √(V / (V - B)), V the variance of all draws of a typical row and B that of the chains' means.
    """
    variance, between = (typical_half_width(lower, upper) / ndtri((1 + level) / 2)) ** 2, between_chains**2
    with np.errstate(divide="ignore"):
        return np.sqrt(variance / np.maximum(variance - between, 0.0))


def conditional_spread(axes: Axes, matrix: NamedMatrix, level: float) -> Spread:
    """Return intervals by each row's own information on its position, with a N(0, C) prior, C the axes' correlations.

    The information of row f is Σ_n i_fn d_n d_n' over its observed entries, i = p (1 - p) of zeros and ones, and its
    posterior covariance the inverse of C⁻¹ + information. Posterior means have as much less variance than the
    population as the mean posterior variance is, which fixes their scale.
    """
    A = axes.loadings.shape[1]
    weights = matrix.observed * axes.distribution.conditional_on(axes.log_odds(A)).information
    first, second = np.triu_indices(A)
    packed = weights @ (axes.loadings[:, first] * axes.loadings[:, second])
    scale, precision, variances = np.ones(A), np.linalg.inv(axes.correlations), np.empty((len(weights), A))
    for _ in range(ROUNDS):
        for block in in_blocks(len(weights), A**2):
            information = np.empty((len(packed[block]), A, A))
            information[:, first, second] = information[:, second, first] = packed[block]
            covariance = np.linalg.inv(precision + information / np.outer(scale, scale))
            variances[block] = np.diagonal(covariance, axis1=1, axis2=2)
        scale = (scale + np.sqrt(1 - variances.mean(axis=0))) / 2  # halfway, for the map is decreasing
    means, half_widths = axes.places * scale, ndtri((1 + level) / 2) * np.sqrt(variances)
    return Spread(means, means - half_widths, means + half_widths, scale)


def average_alike(spread: Spread, matrix: NamedMatrix, row_groups: np.ndarray | None) -> Spread:
    """Return a spread in which rows with the same entries, and of the same group, are at the same place.

    By symmetry their posterior is the same one, of which draws give each row another mean by chance.
    """
    entries = np.where(matrix.observed, getattr(matrix, matrix.field), -1)
    if row_groups is not None:
        entries = np.column_stack([entries, np.unique(row_groups, return_inverse=True)[1]])
    _, kind, sizes = np.unique(entries, axis=0, return_inverse=True, return_counts=True)
    kind = kind.reshape(-1)

    def averaged(values):
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, kind, values)
        return (sums / sizes[:, None])[kind]

    means, lower, upper = map(averaged, (spread.means, spread.lower, spread.upper))
    return spread._replace(means=means, lower=lower, upper=upper, scale=means.std(axis=0))


def spread_of_draws(axes: Axes, draws: Draws | Spread, level: float, chains: int = 1, kept: int = 1) -> Spread:
    """Return intervals by the positions of draws: the projections of their ψ on the loadings, standardized.

    Discriminations of a draw are the slopes of the regression of its ψ on its positions on the first `kept` axes: on
    more of them, which are noise, slopes would be as uncertain as these. The draws are those of so many chains, one
    after another, with as many each. What is kept of positions stays.
    """
    if isinstance(draws, Spread):
        return draws
    inverse = np.linalg.pinv(axes.loadings).T  # (N, A)
    drawn = np.empty((len(draws), *axes.places.shape))
    slopes = np.empty((len(draws), len(axes.loadings), kept))
    difficulties = np.empty((len(draws), len(axes.loadings)))
    for s, factors in enumerate(draws):
        of_rows, of_columns, intercepts = sides_of(factors)
        places = of_rows @ (of_columns.T @ inverse)
        drawn[s] = places / np.maximum(places.std(axis=0), np.finfo(float).tiny)
        slopes[s] = of_columns @ (np.linalg.pinv(drawn[s, :, :kept]) @ of_rows).T
        difficulties[s] = cuts_of(factors).mean(axis=1) - intercepts
    spread = Spread.of(np.stack([drawn.mean(axis=0), *interval(drawn, level)], axis=-1))
    ends = (np.stack(interval(values, level), axis=-1) for values in (slopes, difficulties))
    spread = spread._replace(**dict(zip(("slopes", "difficulties"), ends, strict=True)))
    if chains == 1:
        return spread
    means = drawn.reshape(chains, -1, *axes.places.shape).mean(axis=1)
    return spread._replace(between_chains=np.sqrt(means.var(axis=0, ddof=1).mean(axis=0)))
