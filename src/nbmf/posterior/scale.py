"""One axis, or a few, along which rows lie: positions with intervals, and what each column says of them.

log-odds of a one = Σ_a discrimination_na position_fa - difficulty_n

as in the two-parameter logistic model of tests and ideal points of votes. The model's factors are brought
to this form; nothing is fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, ndtri
from threadpoolctl import threadpool_limits

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import NotSupportedError, not_allowed
from nbmf.families.logistic.factors import COLUMNS, ROWS
from nbmf.families.logistic.logistic_estimator import LogisticFactors
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.posterior.intervals import interval
from nbmf.seeds import seed_sequence

if TYPE_CHECKING:
    import pandas as pd

    from nbmf.posterior.draws import Draws

MOST_KEPT = 3  # axes that are told and drawn; tables have all
# Of the first axis's share, what another one needs. Two scales of 20 items give the second .34 to .86 (40 to
# 300 rows), of 28 and 12 items .28 to .42 from 100 rows on, correlated by .5 .22 to .29; beside loadings of 2, ones
# of 0.5 give it .05 to .13.
LEAST_RATIO = 0.17
SIMULATED = 19  # matrices without a further axis: the largest of 19 is exceeded by chance once in 20
BLOCK, STEPS = 8, 6  # of subspace iteration
LEAST_VARIANCE = 0.02  # of an entry by which residuals are divided, so that no rare entry rules them
NO_OTHER, WEAK, NOISE, MANY = "no other", "weak", "noise", "many"
NOTHING = 1e-6  # of the first axis's length, below which there is no axis
SIMPLER = 0.05  # axes a column depends on, by which a rotation has to reduce their mean number
MOST_ROTATED = 300  # columns that a rotation is sought for: statsmodels takes time in their square
END = 0.1  # of the rows, at either end
ROUNDS = 30  # of the scale of positions
GIVEN_COLUMNS = "a row's own answers, with discriminations and difficulties taken as known"
FROM_DRAWS = "draws from the posterior"


@dataclass(frozen=True, eq=False)
class Scale:
    """Axes along which rows differ, those that are told first. `scale_of` makes it.

    The population of the rows has mean 0 and standard deviation 1 on every axis, uncorrelated with the others;
    positions are posterior means, which vary less: their variance is the reliability. Signs are such that the sum
    of discriminations is positive: a larger position makes a one more probable in most columns.

    Attributes
    ----------
    row_names, column_names : str arrays (F,), (N,)
    positions, lower, upper : float arrays (F, A)
        With the ends of the credible intervals.
    level : float
        Of the intervals.
    interval_kind : str
        FROM_DRAWS or GIVEN_COLUMNS. Of 90 % intervals given the columns, 85 to 95 % held the truth: 20 to 300 rows,
        30 or 40 columns, one or two scales. (Of those of draws of a variational fit 80 to 90 %, so these are not used.)
    discrimination : float array (N, A)
        The change of the log-odds of a one from one position to the next standard deviation.
    difficulty : float array (N,)
        Minus the log-odds of a one of a row at 0: what all rows share, such as an intercept or the effect of the
        column, is in here.
    shares : float array (A,)
        Of the variance of log-odds over the rows, summed over the columns.
    reliability : float array (A,)
        One less the mean posterior variance of a position.
    kept : int
        How many axes are told and drawn: those with a share of at least LEAST_RATIO of the first one's, and
        of which residuals without it have more than noise has; at least 1, at most MOST_KEPT.
    limit : str
        Why there are no more: NO_OTHER, WEAK, NOISE or MANY.
    rotated : bool
        Whether the kept axes are rotated by varimax: where columns then depend on fewer of them.
    low, high : float arrays (N, A)
        Mean predicted probability of a one of the rows in the lowest and in the highest tenth of an axis.
    n_end : int
        How many rows such a tenth has.
    row_groups : str array (F,) or None
    """

    row_names: np.ndarray
    column_names: np.ndarray
    positions: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    interval_kind: str
    discrimination: np.ndarray
    difficulty: np.ndarray
    shares: np.ndarray
    reliability: np.ndarray
    kept: int
    limit: str
    rotated: bool
    low: np.ndarray
    high: np.ndarray
    n_end: int
    row_groups: np.ndarray | None = None

    def order(self, axis: int = 0) -> np.ndarray:
        """Return the rows from the lowest to the highest on an axis, int array (F,)."""
        return np.argsort(self.positions[:, axis], kind="stable")

    @property
    def names(self) -> list[str]:
        """Return "axis 1", "axis 2", ..., one for each of A."""
        return [f"axis {number}" for number in range(1, len(self.shares) + 1)]

    @property
    def location(self) -> np.ndarray:
        """The position on axis 1 at which a one is as probable as a zero, float array (N,).

        The difficulty b of the two-parameter logistic model, for a row at 0 on all other axes; NaN where the
        discrimination is 0.
        """
        slopes = self.discrimination[:, 0]
        return np.divide(self.difficulty, slopes, out=np.full(slopes.shape, np.nan), where=slopes != 0)

    def rows_table(self) -> pd.DataFrame:
        """Return a row for each row of V: its position on each axis, with the ends of the interval."""
        import pandas as pd  # not every fit needs it

        columns = {"row": self.row_names} | ({} if self.row_groups is None else {"group": self.row_groups})
        for a, name in enumerate(self.names):
            columns |= {
                name: self.positions[:, a],
                f"{name} lower": self.lower[:, a],
                f"{name} upper": self.upper[:, a],
            }
        return pd.DataFrame(columns)

    def columns_table(self) -> pd.DataFrame:
        """Return a row for each column of V: difficulty, and of each axis discrimination and ends."""
        import pandas as pd  # not every fit needs it

        columns = {"column": self.column_names, "difficulty": self.difficulty, "location on axis 1": self.location}
        for a, name in enumerate(self.names):
            columns |= {
                f"discrimination on {name}": self.discrimination[:, a],
                f"ones at the low end of {name}": self.low[:, a],
                f"ones at the high end of {name}": self.high[:, a],
            }
        return pd.DataFrame(columns)


class _Axes(NamedTuple):
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

    def rearranged(self, order: np.ndarray) -> _Axes:
        return _Axes(self.places[:, order], self.loadings[:, order], self.intercepts)


def has_scale(model: Factorization) -> bool:
    """Return whether rows of a fitted model lie on axes: a logistic factor model with any difference of rows."""
    return isinstance(model, LogisticFactors) and bool(_axes_of(model.factors_).loadings.size)


@threadpool_limits.wrap(limits=1, user_api="blas")
def scale_of(model: Factorization, matrix: BinaryMatrix, *, draws: Draws | None = None, level: float = 0.9) -> Scale:
    """Return the axes of a fitted logistic factor model.

    Parameters
    ----------
    model : LogisticFactorVB or LogisticFactorGibbs
        Fitted to `matrix`.
    matrix : BinaryMatrix
    draws : Draws, optional
        Their positions on the same axes give intervals. Without, and for draws of a variational fit, which are
        too narrow, intervals are those of a row's own answers given the columns.
    level : float

    Raises
    ------
    ConfigError
        If `level` is not between 0 and 1.
    NotSupportedError
        If the model is another one, or its rows do not differ.
    """
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise not_allowed("level", level, "a number between 0 and 1")
    if not has_scale(model):
        name = type(model).__name__
        why = "its rows do not differ" if isinstance(model, LogisticFactors) else "its components are no axes"
        raise NotSupportedError(f"a scale needs a logistic factor model along which rows differ; {name}: {why}")
    axes = _axes_of(model.factors_)
    kept, limit = _kept(axes, matrix)
    axes, is_rotated = _rotated(axes, kept)
    axes = _signed(axes)
    is_drawn = draws is not None and model.inference is Inference.SAMPLER
    spread = _from_draws(axes, draws, level) if is_drawn else _given_columns(axes, matrix, level)
    F, low, high = len(axes.places), [], []
    n_end = max(1, round(END * F))
    for order in np.argsort(axes.places, axis=0, kind="stable").T:
        low.append(_ones(model, order[:n_end]))
        high.append(_ones(model, order[-n_end:]))
    return Scale(
        row_names=matrix.row_names,
        column_names=matrix.column_names,
        positions=spread.means,
        lower=spread.lower,
        upper=spread.upper,
        level=float(level),
        interval_kind=FROM_DRAWS if is_drawn else GIVEN_COLUMNS,
        discrimination=axes.loadings / spread.scale,
        difficulty=-axes.intercepts,
        shares=axes.sizes / axes.sizes.sum(),
        reliability=spread.scale**2,
        kept=kept,
        limit=limit,
        rotated=is_rotated,
        low=np.column_stack(low),
        high=np.column_stack(high),
        n_end=n_end,
        row_groups=matrix.row_groups,
    )


def _ones(model: Factorization, rows: np.ndarray) -> np.ndarray:
    """Return the mean predicted probability of a one of some rows, for each column, (N,)."""
    return model.predict(rows[:, None], np.arange(model.H_.shape[1])).mean(axis=0)


# --- Axes ----------------------------------------------------------------------------------------


def _sides(factors: Factors) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def _axes_of(factors: Factors) -> _Axes:
    """Return the principal axes of ψ, those that tell most first."""
    of_rows, of_columns, intercepts = _sides(factors)
    Q, R = np.linalg.qr(of_rows)
    P, S = np.linalg.qr(of_columns)
    left, sizes, right = np.linalg.svd(R @ S.T, full_matrices=False)
    there = sizes > max(NOTHING * sizes[0], np.finfo(float).tiny)
    root = np.sqrt(len(of_rows))
    return _Axes(root * (Q @ left)[:, there], (P @ right.T)[:, there] * sizes[there] / root, intercepts)


def _kept(axes: _Axes, matrix: BinaryMatrix) -> tuple[int, str]:
    """Return how many axes are told and drawn, and why no more; see Scale.kept.

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


def _has_another(axes: _Axes, kept: int, matrix: BinaryMatrix) -> bool:
    """Return whether residuals of the first axes have more in common than those of drawn matrices."""
    rng = np.random.default_rng(seed_sequence(0))
    ones = expit(axes.log_odds(kept)).astype(np.float32)
    weight = matrix.observed / np.sqrt(np.maximum(ones * (1 - ones), np.float32(LEAST_VARIANCE)))
    found = _largest((matrix.codes - ones) * weight)
    for _ in range(SIMULATED):
        drawn = rng.random(ones.shape, dtype=np.float32) < ones
        if _largest((drawn - ones) * weight) >= found:
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


def _rotated(axes: _Axes, kept: int) -> tuple[_Axes, bool]:
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
    return _Axes(places, loadings, axes.intercepts).rearranged(order), True


def _axes_per_column(loadings: np.ndarray) -> float:
    """Return on how many axes columns depend, by Hofmann's index weighted by what they tell."""
    squares = np.square(loadings)
    sums = squares.sum(axis=1)
    fourth = np.square(squares).sum(axis=1)
    index = np.divide(sums**2, fourth, out=np.ones_like(sums), where=fourth > 0)
    return float(np.average(index, weights=sums))


def _signed(axes: _Axes) -> _Axes:
    """Return the axes turned so that the sum of discriminations is positive; of 0, the largest is."""
    sums = axes.loadings.sum(axis=0)
    largest = axes.loadings[np.abs(axes.loadings).argmax(axis=0), range(len(sums))]
    is_balanced = np.abs(sums) <= 1e-9 * np.abs(axes.loadings).sum(axis=0)
    signs = np.where(np.where(is_balanced, largest, sums) < 0, -1.0, 1.0)
    return _Axes(axes.places * signs, axes.loadings * signs, axes.intercepts)


# --- Intervals -----------------------------------------------------------------------------------


class _Spread(NamedTuple):
    """Positions in units of the population's standard deviation.

    means, lower, upper : float arrays (F, A)
    scale : float array (A,), the standard deviation of the means
    """

    means: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    scale: np.ndarray


def _given_columns(axes: _Axes, matrix: BinaryMatrix, level: float) -> _Spread:
    """Return intervals by each row's own information on its position, with a N(0, I) prior.

    The information of row f is Σ_n p (1 - p) d_n d_n' over its observed entries, and its posterior covariance
    the inverse of I + information. Posterior means have as much less variance than the population as
    the mean posterior variance is, which fixes their scale.
    """
    A = axes.loadings.shape[1]
    ones = expit(axes.log_odds(A))
    first, second = np.triu_indices(A)
    packed = (matrix.observed * ones * (1 - ones)) @ (axes.loadings[:, first] * axes.loadings[:, second])
    information = np.empty((len(ones), A, A))
    information[:, first, second] = information[:, second, first] = packed
    scale = np.ones(A)
    for _ in range(ROUNDS):
        covariance = np.linalg.inv(np.eye(A) + information / np.outer(scale, scale))
        variances = np.diagonal(covariance, axis1=1, axis2=2)
        scale = (scale + np.sqrt(1 - variances.mean(axis=0))) / 2  # halfway, for the map is decreasing
    means, reach = axes.places * scale, ndtri((1 + level) / 2) * np.sqrt(variances)
    return _Spread(means, means - reach, means + reach, scale)


def _from_draws(axes: _Axes, draws: Draws, level: float) -> _Spread:
    """Return intervals by the positions of draws: the projections of their ψ on the loadings, standardized."""
    inverse = np.linalg.pinv(axes.loadings).T  # (N, A)
    drawn = np.empty((len(draws), *axes.places.shape))
    for s, factors in enumerate(draws):
        of_rows, of_columns, _ = _sides(factors)
        places = of_rows @ (of_columns.T @ inverse)
        drawn[s] = places / np.maximum(places.std(axis=0), np.finfo(float).tiny)
    means = drawn.mean(axis=0)
    return _Spread(means, *interval(drawn, level), means.std(axis=0))
