"""MovieLens 100k: users x films, ratings from 1 to 5. Its owners do not let it be passed on."""

from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, DISCRETE
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError

RATINGS = 5
LIKED = 4  # and above it


def build(*, ratings: Path, binary: bool) -> FeatureTable:
    """Build users x films, sorted by their numbers; what was not rated is missing.

    Parameters
    ----------
    ratings : path
        u.data: user, film, rating and time, separated by tabs.
    binary : bool
        Whether a rating of 4 or 5 is a one and another a zero; otherwise a cell has five
        categories.
    """
    try:
        given = pd.read_csv(ratings, sep="\t", header=None).to_numpy(int)
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(f"{ratings}: {error}") from error
    if given.shape[1] != 4 or not np.isin(given[:, 2], np.arange(1, RATINGS + 1)).all():
        raise DataError(f"{ratings}: needed are user, film, a rating from 1 to 5, and time")
    users, films = np.unique(given[:, 0]), np.unique(given[:, 1])
    order = np.lexsort((given[:, 1], given[:, 0]))
    user, film, rating, _ = given[order].T
    if (np.diff(user * (film.max() + 1) + film) == 0).any():
        raise DataError(f"{ratings}: a user has rated a film twice")
    size = 2 if binary else RATINGS
    categories = [str(r) for r in range(2)] if binary else [str(r + 1) for r in range(RATINGS)]
    return FeatureTable(
        (rating >= LIKED).astype(float) if binary else rating - 1.0,
        np.searchsorted(films, film),
        np.searchsorted(user, [*users, users[-1] + 1]),
        np.full(films.size, BERNOULLI if binary else DISCRETE),
        np.full(films.size, size),
        np.tile(categories, films.size),
        [f"user {u}" for u in users],
        [f"film {f}" for f in films],
    )
