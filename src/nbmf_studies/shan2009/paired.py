"""Models on the same folds, compared fold by fold."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import Interval, holm, interval

CERTAIN = 0.05  # of p-values, after Holm


class Difference(NamedTuple):
    """The difference of the logarithms of two perplexities, in nats per cell.

    mean : Interval, by Nadeau and Bengio: the fits of two folds share training rows
    lower : int, folds in which the first is lower
    folds : int, that take part
    left_out : int, folds in which either is infinite
    """

    mean: Interval
    lower: int
    folds: int
    left_out: int

    def __str__(self) -> str:
        infinite = f", {self.left_out} left out" if self.left_out else ""
        return f"{self.mean} nats, lower on {self.lower} of {self.folds} folds{infinite}"


def difference(first: pd.Series, second: pd.Series, test_ratio: float, allowed: float = 0.0) -> Difference:
    """Return ln first - ln second - allowed over the folds of both.

    Parameters
    ----------
    first, second : Series of perplexities by fold
    test_ratio : float, held-out rows per training row
    allowed : float, nats per cell by which the first may be higher
    """
    both = np.log(pd.concat([first, second], axis=1, join="inner").to_numpy(float))
    finite = np.isfinite(both).all(axis=1)
    values = both[finite, 0] - both[finite, 1] - allowed
    mean = interval(values, test_ratio) if values.size else Interval(*[np.nan] * 5)
    return Difference(mean, int((values < 0).sum()), values.size, int((~finite).sum()))


def adjusted_p_values(differences: Iterable[Difference]) -> np.ndarray:
    """Return p-values that hold together (Holm); what was not tested has 1, float array (n,)."""
    return holm([1.0 if np.isnan(one.mean.p) else one.mean.p for one in differences])
