"""Real values of another size than priors suppose: components then go unseen, and all is taken for noise."""

import numpy as np

from nbmf.errors import UnsuitableScaleWarning, warn
from nbmf.families.logistic.factors import EFFECT_SCALE

# The prior standard deviation of W is 1, H begins at 0.1, and rates of precisions are 0.001. On matrices of 60 x 10 to
# 500 x 8 with one to three factors, fits to values of these sizes were the same but for the unit, those to values
# three times as small or about twice as large were not all.
SMALLEST, LARGEST = 0.01, 3.0
MOST_EFFECT = 3.0 * EFFECT_SCALE  # that effects can be, of which this is the prior standard deviation


def warn_of_size(what: str, values: np.ndarray, effects: str) -> None:
    """Warn if observed values, float array with NaN, are so large or so small that structure may be taken for noise.

    Without effects W H has to explain the mean too, so that the size is the root mean square; with effects it is the
    standard deviation.
    """
    mean, deviation = float(np.nanmean(values)), float(np.nanstd(values))
    size, most = (np.hypot(mean, deviation), np.inf) if effects == "none" else (deviation, MOST_EFFECT)
    if deviation == 0 or (SMALLEST <= size <= LARGEST and abs(mean) <= most):
        return
    warn(
        f"{what}: values have the mean {mean:.3g} and the standard deviation {deviation:.3g}, but priors and starts "
        f"are for values around 0 of a size of {SMALLEST:g} to {LARGEST:g}. All may be taken for noise: fit "
        "(V - np.nanmean(V)) / np.nanstd(V)",
        UnsuitableScaleWarning,
    )
