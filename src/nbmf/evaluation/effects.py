"""Row and column effects: what can be predicted of an entry without any component.

P(v_fn = 1) = σ(μ + a_f + b_n) with a_f ~ N(0, s_a²), b_n ~ N(0, s_b²): the Rasch model with normal
abilities and difficulties. Both variances are learned, so that effects which the data do not show
vanish: with s_a² = 0 it predicts shrunken shares of columns, with both 0 the overall proportion.
"""

import numpy as np
from scipy.special import expit

ITERATIONS = 200
TOL = 1e-3  # of the largest change of an effect, in log-odds, and of a variance, relatively
LONGEST_STEP = 1.0  # of Newton's method, which overshoots far from the mode
SMALLEST_VARIANCE = 1e-8


def row_and_column_effects(codes: np.ndarray) -> np.ndarray:
    """Return P(v = 1) of every entry by row and column effects, float array (F, N).

    The effects are at their posterior mode given both variances, and these are learned by EM with
    Laplace's approximation of the effects' posterior variances.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing); at least one entry is observed.
    """
    observed = (codes >= 0).astype(float)
    ones = (codes == 1).astype(float)
    share = (ones.sum() + 1) / (observed.sum() + 2)
    level = np.log(share / (1 - share))
    a, b = _Effects(codes.shape[0]), _Effects(codes.shape[1])
    for _ in range(ITERATIONS):
        changes = []
        for effects, axis in ((a, 1), (b, 0)):
            mean = expit(level + a.value[:, None] + b.value)
            weights = observed * mean
            residuals = (ones - weights).sum(axis=axis)
            weights *= 1 - mean
            changes.append(effects.renew(residuals, weights.sum(axis=axis)))
            # A shift that level and effects share: the effects' prior wants their mean to be 0.
            shift = effects.value.mean()
            effects.value -= shift
            level += shift
        if max(changes) < TOL:
            break
    return expit(level + a.value[:, None] + b.value)


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
