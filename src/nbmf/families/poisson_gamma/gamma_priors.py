"""Gamma priors of the entries of a factor: shapes and means, tied or not, fixed or learned.

The entries of W and H are Gamma(shape a, mean b), that is of rate a / b (Cemgil 2009, section 3).
A tie says which entries share one number: all of a factor, those of a source (component), those
of a row or column (a row of W, a column of H), or none. Tables have K columns here: H is (N, K).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from nbmf.errors import ConfigError, Setting
from nbmf.inference.parameters import RULES as SHARED
from nbmf.inference.parameters import Rule, is_number, one_of

if TYPE_CHECKING:
    from nbmf.families.poisson_gamma.scales import Scales

FIXED, ALL, SOURCE, LINE, NONE = "fixed", "all", "source", "line", "none"
TIES = (FIXED, ALL, SOURCE, LINE, NONE)
AXES = {ALL: (0, 1), SOURCE: (0,), LINE: (1,), NONE: ()}  # over which entries share one number
ROWS_AT_ONCE = 2**16  # of a factor in single precision
SMALLEST, LARGEST = 1e-6, 1e8  # of shapes: with more, a prior is a point

_positive = Rule(lambda value: is_number(value) and SMALLEST <= value <= LARGEST, "a number from 1e-6 to 1e8")
_mean_of_H = Rule(lambda value: value is None or _positive.holds(value), f"{_positive.allowed}, or None")
RULES = SHARED | {
    "shape_W": _positive,
    "shape_H": _positive,
    "mean_W": _positive,
    "mean_H": _mean_of_H,
    **{f"tie_{part}_{factor}": one_of(*TIES) for part in ("shape", "mean") for factor in "WH"},
}


def check_ties(factor: str, shape: str, mean: str) -> None:
    """Raise ConfigError if the ties of a factor's shape and mean have no finite optimum.

    An entry's own shape, or its own mean next to a learned shape, explains the entry as well as
    likes: the shape grows without end, and the fit becomes one without a prior.
    """
    if shape == NONE:
        raise ConfigError(
            Setting(f"tie_shape_{factor}", NONE),
            f": a shape of each entry's own grows without end; allowed: {', '.join(TIES[:-1])}",
        )
    if mean == NONE and shape != FIXED:
        raise ConfigError(
            Setting(f"tie_mean_{factor}", NONE),
            " with ",
            Setting(f"tie_shape_{factor}", shape),
            ": with means of each entry's own a learned shape grows without end; allowed: ",
            Setting(f"tie_shape_{factor}", FIXED),
        )


class Ties(NamedTuple):
    """The ties of one factor."""

    shape: str
    mean: str

    @property
    def learns(self) -> bool:
        """Whether anything is learned."""
        return self != (FIXED, FIXED)


class GammaPrior:
    """The prior of one factor.

    Attributes
    ----------
    shape, mean : float arrays (1 or rows, 1 or K)
        a and b; they broadcast against the factor.
    ties : Ties
    size : (rows, K)
    scales : Scales or None
        Of the rows, if these have them: see nbmf.families.poisson_gamma.scales.
    """

    def __init__(self, shape: float, mean: float, ties: Ties, size: tuple[int, int], scales: "Scales | None" = None):
        self.ties, self.size, self.scales = ties, size, scales
        self.shape, self.mean = self._spread(shape, ties.shape), self._spread(mean, ties.mean)

    def _spread(self, number: float, tie: str) -> np.ndarray:
        """Return as many copies of a number as there are numbers under the tie."""
        axes = AXES[ALL if tie == FIXED else tie]
        shape = [1 if axis in axes else size for axis, size in enumerate(self.size)]
        return np.full(shape, number, np.float64)

    def unfold(self) -> None:
        """Give the means the shape that a / rate has where ties of a and of the rate differ."""
        self.mean = np.array(np.broadcast_arrays(self.shape, self.mean)[1])

    def untie_means(self) -> None:
        """Give every entry a mean of its own from now on, as large as it is now."""
        self.ties = self.ties._replace(mean=NONE)
        self.mean = np.broadcast_to(self.mean, self.size).copy()

    @property
    def rate(self) -> np.ndarray:
        """a / b, times x where there are scales: E[x] where these have distributions."""
        rate = self.shape / self.mean
        return rate if self.scales is None else rate * self.scales.value

    def new_row_prior(self) -> dict[str, np.ndarray]:
        """Return shape and mean of a row or column that is not in the matrix, (K,): averages; of scales c, (1,)."""
        parts = {"shape": self.shape, "mean": self.mean}
        numbers = {name: np.broadcast_to(table.mean(axis=0), self.size[1:]).copy() for name, table in parts.items()}
        return numbers if self.scales is None else numbers | {"shape of scales": self.scales.prior.shape[0].copy()}

    def averaged(self, table: np.ndarray, tie: str) -> np.ndarray:
        """Return the means of a table, (rows, K), over the entries that share a number."""
        return np.broadcast_to(table, self.size).mean(axis=AXES[tie], keepdims=True)

    def summed(self, table: np.ndarray, tie: str) -> np.ndarray:
        """Return the sums of a table, (rows, K), over the entries that share a number."""
        return np.broadcast_to(table, self.size).sum(axis=AXES[tie], keepdims=True)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what is learned, by name; writing to the arrays sets it."""
        learned = {"shape": self.shape, "mean": self.mean}
        return learned if self.scales is None else learned | self.scales.arrays()

    def posterior(self, sums: np.ndarray, exposure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return shapes and scales of the factor's gamma distributions given sums of sources, (rows, K).

        Parameters
        ----------
        sums : float array (rows, K)
            S, drawn or expected.
        exposure : float array (rows or 1, K)
            Σ of the other factor over what a row or column has observed.
        """
        scale = 1.0 / (self.rate + exposure)
        return self.shape + sums, np.broadcast_to(scale, self.size)

    def renew(self, E: np.ndarray, log_L: np.ndarray | None) -> None:
        """Maximise the bound in the learned numbers, given E[w] and E[log w] of the factor, of w x with scales.

        E[log w] may be None where shapes are fixed.

        Means first: b = Σ a E / Σ a over the entries that share it. Then shapes:
        log a - ψ(a) = mean of E / b - log(L / b), less 1. Where the ties differ the two depend on
        each other, and means are renewed once more.
        """
        self._renew_mean(E)
        if self.ties.shape != FIXED:
            spread = E / self.mean - log_L + np.log(self.mean)
            self.shape[:] = solve_shape(self.averaged(spread, self.ties.shape) - 1.0)
            if self.ties.mean != self.ties.shape:
                self._renew_mean(E)

    def _renew_mean(self, E: np.ndarray) -> None:
        if self.ties.mean != FIXED:
            tie = self.ties.mean
            self.mean[:] = self.averaged(self.shape * E, tie) / self.averaged(self.shape, tie)

    def divergence(self, alpha: np.ndarray, scale: np.ndarray) -> float:
        """Return KL(q || p) in nats, summed over the factor, of q = Gamma(alpha, scale), scales averaged over.

        Numbers of single precision are summed in double precision, some rows at a time.
        """
        size = len(alpha) if alpha.dtype == np.float64 else ROWS_AT_ONCE
        parts = [slice(first, first + size) for first in range(0, len(alpha), size)]
        return sum(
            self._divergence(rows, *(each[rows].astype(np.float64, copy=False) for each in (alpha, scale)))
            for rows in parts
        )

    def _divergence(self, rows: slice, alpha: np.ndarray, scale: np.ndarray) -> float:
        """Return KL(q || p) of some rows, in nats."""
        a, b = (numbers[rows] if len(numbers) > 1 else numbers for numbers in (self.shape, self.mean))
        entropy_part = (alpha - a) * digamma(alpha) - gammaln(alpha) + gammaln(a)
        if self.scales is None:
            return float((entropy_part + a * np.log(b / (a * scale)) + alpha * (scale * a / b - 1)).sum())
        x, log_x = self.scales.value[rows], self.scales.log[rows]
        return float((entropy_part + a * (np.log(b / (a * scale)) - log_x) + alpha * (scale * a / b * x - 1)).sum())

    def log_density(self, table: np.ndarray, *, of_logarithms: bool = False) -> float:
        """Return the log density of a factor in nats, given scales; as one of the logarithms of its entries."""
        a, rate, power = self.shape, self.rate, self.shape if of_logarithms else self.shape - 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(power == 0.0, 0.0, power * np.log(table))
        return float((logs - rate * table + a * np.log(rate) - gammaln(a)).sum())


def new_row_priors(priors: tuple[GammaPrior, GammaPrior]) -> dict[str, np.ndarray]:
    """Return shapes and means of a new row's or column's priors by names such as "shape W"."""
    return {
        f"{part} {factor}": numbers
        for factor, prior in zip("WH", priors, strict=True)
        for part, numbers in prior.new_row_prior().items()
    }


def solve_shape(d: np.ndarray) -> np.ndarray:
    """Return a with log a - ψ(a) = d, for d > 0; at most LARGEST.

    Two steps of Newton in log a from Minka's start: relative error below 1e-8.
    """
    d = np.asarray(d, np.float64)
    least = 0.5 / LARGEST  # log a - ψ(a) is 1 / (2 a) for large a, and cancels there
    usual = np.maximum(d, least)
    a = (3.0 - usual + np.sqrt((usual - 3.0) ** 2 + 24.0 * usual)) / (12.0 * usual)
    for _ in range(2):
        slope = 1.0 - a * polygamma(1, a)
        a = a * np.exp(-(np.log(a) - digamma(a) - usual) / slope)
    return np.clip(np.where(usual < 1e-5, 0.5 / usual + 1.0 / 6.0, a), SMALLEST, LARGEST)
