"""Row and column effects: what can be predicted of an entry without any component.

P(v_fn = 1) = σ(μ + a_f + b_n) with a_f ~ N(0, s_a²), b_n ~ N(0, s_b²): the Rasch model with normal
abilities and difficulties. Both variances are learned, so that effects which the data do not show
vanish: with s_a² = 0 it predicts shrunken shares of columns, with both 0 the overall proportion.
"""

import numpy as np
from scipy.special import expit

ITERATIONS = 200
ENOUGH = 20, 500_000_000  # iterations, and entries gone through, after which a large matrix is done
TOL = 1e-3  # of the largest change of an effect, in log-odds, and of a variance, relatively
LONGEST_STEP = 1.0  # of Newton's method, which overshoots far from the mode
SMALLEST_VARIANCE = 1e-8
BLOCK = 2**16  # entries: of so many at a time the intermediate results stay in the processor's cache


def row_and_column_effects(codes: np.ndarray) -> np.ndarray:
    """Return P(v = 1) of every entry by row and column effects, float array (F, N).

    The effects are at their posterior mode given both variances, and these are learned by EM with
    Laplace's approximation of the effects' posterior variances.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing); at least one entry is observed.
    """
    share = (np.count_nonzero(codes == 1) + 1) / (np.count_nonzero(codes >= 0) + 2)
    level = np.log(share / (1 - share))
    a, b = _Effects(codes.shape[0]), _Effects(codes.shape[1])
    for _ in range(_iterations(codes.size)):
        changes = []
        for effects, of_rows in ((a, True), (b, False)):
            changes.append(effects.renew(*_residuals_and_weights(codes, level + a.value, b.value, of_rows)))
            # A shift that level and effects share: the effects' prior wants their mean to be 0.
            shift = effects.value.mean()
            effects.value -= shift
            level += shift
        if max(changes) < TOL:
            break
    return expit(level + a.value[:, None] + b.value)


def _iterations(entries: int) -> int:
    """Return the largest number of iterations.

    Of a side that has no effects EM lets s² go to 0 as slowly as 1 / iterations, so that its relative
    change is never small. The more entries, the sooner what is left of it no longer changes a prediction.
    """
    fewest, gone_through = ENOUGH
    return min(max(fewest, gone_through // entries), ITERATIONS)


def _residuals_and_weights(
    codes: np.ndarray, rows: np.ndarray, columns: np.ndarray, of_rows: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of v - p and of p (1 - p), p = σ(rows + columns), over each row or each column."""
    height = max(BLOCK // codes.shape[1], 1)
    sums = []
    for start in range(0, len(rows), height):
        block = codes[start : start + height]
        mean = expit(rows[start : start + height, None] + columns)
        weights = (block >= 0) * mean
        residuals = (block == 1) - weights
        weights *= 1 - mean
        sums.append((residuals.sum(axis=int(of_rows)), weights.sum(axis=int(of_rows))))
    residuals, weights = zip(*sums, strict=True)
    together = np.concatenate if of_rows else sum
    return together(residuals), together(weights)


class _Effects:
    """The effects of the rows or columns, and their variance."""

    def __init__(self, n: int):
        self.value = np.zeros(n)
        self._variance = 1.0

    def renew(self, residuals: np.ndarray, weights: np.ndarray) -> float:
        """Take a Newton step given the other side; return the largest change, relative if s²'s.

        residuals : float array (n,), sum of v - p over a row or column
        weights : float array (n,), sum of p (1 - p) over a row or column
        """
        precision = weights + 1 / self._variance
        step = (residuals - self.value / self._variance) / precision
        step = np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        self.value += step
        before = self._variance
        self._variance = max(np.mean(self.value**2 + 1 / precision), SMALLEST_VARIANCE)
        return float(max(abs(step).max(), abs(self._variance / before - 1)))
