"""Jester: users x jokes, ratings from -10 to 10 of users who have rated all jokes."""

from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, GAUSSIAN
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError

JOKES, RATED_BY_ALL = 100, 100
HIGHEST = 10.0


def build(*, ratings: Path, users: int, binary: bool) -> FeatureTable:
    """Build users x jokes, of the first users in the file who have rated all jokes.

    Which of them the paper has taken is unknown.

    Parameters
    ----------
    ratings : path
        CSV without header: the number of rated jokes, and the ratings; 99 is not rated.
    users : int
        How many.
    binary : bool
        Whether a rating of at least 0 is a one and another a zero, or ratings are Gaussian.
    """
    try:
        values = pd.read_csv(ratings, header=None).to_numpy(float)
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(f"{ratings}: {error}") from error
    if values.shape[1] != JOKES + 1:
        raise DataError(f"{ratings}: {values.shape[1]} columns; needed are {JOKES + 1}")
    places = np.flatnonzero(values[:, 0] == RATED_BY_ALL)[:users]
    if places.size < users:
        raise DataError(f"{ratings}: {places.size} users have rated all jokes, not {users}")
    taken = values[places, 1:]
    if not (np.abs(taken) <= HIGHEST).all():
        raise DataError(f"{ratings}: ratings are from -{HIGHEST:g} to {HIGHEST:g}")
    return FeatureTable.from_array(
        (taken >= 0).astype(float) if binary else taken,
        [f"user {place + 1}" for place in places],
        [f"joke {j + 1}" for j in range(JOKES)],
        kinds=BERNOULLI if binary else GAUSSIAN,
    )
