"""Which names the data give to those who vote, and from when to when: how succession is coded."""

from itertools import pairwise

import numpy as np
import pandas as pd

from nbmf.data.category_matrix import CategoryMatrix
from nbmf_studies.votes_as_cast.sessions import column_years


def tabulate(matrix: CategoryMatrix) -> pd.DataFrame:
    """Return a row per name that does not vote to the end, or that pauses.

    Returns
    -------
    DataFrame
        country; first and last session with a vote of it (the years in which they opened); votes; without a vote, the
        sessions between these two in which it has none although others vote.
    """
    years = column_years(matrix)
    sessions = np.unique(years)
    counts = np.stack([(matrix.observed & (years == year)).sum(axis=1) for year in sessions], axis=1)
    rows = []
    for name, of_sessions in zip(matrix.row_names, counts, strict=True):
        there = np.flatnonzero(of_sessions)
        first, last = there[0], there[-1]
        pauses = [(sessions[i + 1], sessions[j - 1]) for i, j in pairwise(there) if j > i + 1]
        if pauses or last < sessions.size - 1:
            silent = ", ".join(f"{begin}" if begin == end else f"{begin} to {end}" for begin, end in pauses)
            rows.append([str(name), sessions[first], sessions[last], int(of_sessions.sum()), silent])
    return pd.DataFrame(rows, columns=["country", "first", "last", "votes", "without a vote"])
