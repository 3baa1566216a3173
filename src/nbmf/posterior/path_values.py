"""What is known of rows that move, apart from the models that say it: figures need no more."""

from typing import NamedTuple

import numpy as np


class Paths(NamedTuple):
    """Where F rows were in T periods, components as in `W_`.

    - row_names, period_names : str arrays (F,), (T,)
    - times : float array (T,)
    - mean, lower, upper : float arrays (F, T, K), means and ends of equal-tailed credible intervals of the draws
    - entries : int array (F, T), how many entries a row has in a period: 0 in a pause
    - spans : int array (F, 2), the first and the last period in which it has some, from 0
    """

    row_names: np.ndarray
    period_names: np.ndarray
    times: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    entries: np.ndarray
    spans: np.ndarray
