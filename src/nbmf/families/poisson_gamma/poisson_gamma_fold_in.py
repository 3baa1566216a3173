"""Fold-in: new rows or columns when the other factor stays as it was fitted.

Given E and L = exp E[log] of the other factor, a row or column is updated as in a fit: its sums of sources
from its entries above zero, then its own gamma distribution; of a point estimate its own mode. Rows or columns do not
depend on each other, and on no random number. Where they have scales, q of a scale is updated as well.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from nbmf.families.poisson_gamma.kernels import passes
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.observations import Entries, Observations
from nbmf.inference.blocks import refine
from nbmf.numerics.lanes import aligned_table, padded

TOLERANCE = 1e-6  # of a row's or column's numbers, relative to their sum, in a step
MAX_STEPS = 2000
STEPS_AT_ONCE = 20  # before it is seen which rows or columns still move


class FoldInPrior(NamedTuple):
    """The prior of a row or column.

    count, rate : float arrays (K,)
        What is added to sums of sources, and to the exposure.
    is_averaged : bool
        Whether there is a distribution q, of which the mean is wanted and exp E[log] is used; else the
        row or column is a point.
    shape_of_scale : float or None
        c of a row or column that has a scale x, whose E[x] replaces 1 before `rate`.
    """

    count: np.ndarray
    rate: np.ndarray
    is_averaged: bool
    shape_of_scale: float | None = None

    def rates(self, mean: np.ndarray) -> np.ndarray:
        """Return what is added to the exposure, (rows or 1, K), given the means of rows (rows, K)."""
        if self.shape_of_scale is None:
            return self.rate
        c = self.shape_of_scale
        of_scale = (c + self.count.sum()) / (c + (mean * self.rate).sum(axis=1, keepdims=True))
        return self.rate * of_scale


def fold_in(values, E: np.ndarray, L: np.ndarray, prior: FoldInPrior, is_binary: bool) -> np.ndarray:
    """Return the means, or the modes, of new rows and columns: float array (rows, K).

    Parameters
    ----------
    values : int array (rows, entries), -1 where missing, or SparseCounts
    E, L : float arrays (entries, K)
        Of the other factor.
    prior : FoldInPrior
    is_binary : bool
        The link.
    """
    data, K = Observations(values, is_binary), E.shape[1]
    exposure = np.broadcast_to(data.exposure.of_rows(E), (values.shape[0], K))
    other = _padded(L)
    rate = prior.rate + exposure
    # The start is the same in all components; a row or column of point estimates that has no observed entry
    # stays there, where its prior says nothing.
    totals = data.row_totals()[:, None] / K
    mean = np.divide(prior.count + totals, rate, out=np.ones_like(rate), where=rate > 0.0)
    now = np.maximum(mean, FLOOR)

    def renew(rows):
        before = mean[rows]
        entries = data.rows.at_rows(rows)
        parts = now[rows], mean[rows], exposure[rows]
        mean[rows], now[rows] = _steps(entries, *parts, other, prior, is_binary)
        change = np.abs(mean[rows] - before).max(axis=1)
        return change > STEPS_AT_ONCE * TOLERANCE * mean[rows].sum(axis=1)

    refine(len(now), renew, MAX_STEPS // STEPS_AT_ONCE)
    return mean


def _steps(entries: Entries, now, mean, exposure, other, prior: FoldInPrior, is_binary):
    """Do STEPS_AT_ONCE steps; return the means and exp E[log] of the rows."""
    K = now.shape[1]
    table, sums = _padded(now), aligned_table(len(now), other.shape[1])
    all_rows = entries.blocks(1)
    for _ in range(STEPS_AT_ONCE):
        passes.pass_one_serial(all_rows, *entries, table, other, is_binary, sums)
        alpha = np.maximum(prior.count + table[:, :K] * sums[:, :K], 0.0)
        rate = prior.rates(mean) + exposure
        mean = np.divide(alpha, rate, out=mean, where=rate > 0.0)
        new = mean
        if prior.is_averaged:
            new = np.exp(digamma(alpha)) / rate
        table[:, :K] = np.maximum(new, FLOOR)
    return mean, table[:, :K]


def _padded(numbers: np.ndarray) -> np.ndarray:
    table = aligned_table(len(numbers), padded(numbers.shape[1]))
    table[:, : numbers.shape[1]] = np.maximum(numbers, FLOOR)
    return table
