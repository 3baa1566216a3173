"""UN votes as they were cast: countries x roll calls of some sessions, with abstentions as a category or as no."""

from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.io.rda import read_data_frame
from nbmf_studies.recipes import _votes
from nbmf_studies.recipes._reading import naming

BEFORE = 1945  # the year before the first session; session s opened in 1945 + s
CODES = {2: {"no": 0, "abstain": 0, "yes": 1}, 3: {"no": 0, "abstain": 1, "yes": 2}}  # two as the main paper has them


def build(*, votes: Path, roll_calls: Path, categories: int, first: int, last: int) -> CategoryMatrix:
    """Build countries x roll calls of sessions that opened from `first` to `last`.

    A country is what the data call one, see `seats`. No record is missing, and who has none in these sessions is left
    out. The name of a roll call is the year in which its session opened and its id: "1971 1193".

    Parameters
    ----------
    votes : path
        .rda of a data frame with columns rcid, country and vote.
    roll_calls : path
        .rda of a data frame with columns rcid and session.
    categories : int
        3: no, abstain, yes. 2: no and abstain together, and yes.
    first, last : int
        Years.

    Raises
    ------
    ConfigError
        If there are other categories, or no votes in these sessions.
    DataError
        If a file is damaged, a roll call is there twice, or has no session.
    """
    if categories not in CODES:
        raise ConfigError(f"categories = {categories}: must be 2 or 3")
    records = _votes.read_votes(votes)
    years = _years(records["rcid"], votes, roll_calls)
    chosen = records[(first <= years) & (years <= last)]
    if chosen.empty:
        raise ConfigError(f"first = {first}, last = {last}: must be years, some from {years.min()} to {years.max()}")
    codes, countries, calls = _votes.vote_codes(chosen, CODES[categories])
    year_of = dict(zip(records["rcid"], years, strict=True))
    with naming(votes):
        return CategoryMatrix(codes, countries, [f"{year_of[call]} {call}" for call in calls])


def _years(ids: pd.Series, votes: Path, roll_calls: Path) -> np.ndarray:
    """Return the year in which the session of each roll call opened, int array."""
    table = read_data_frame(roll_calls, ["rcid", "session"])
    if not table["rcid"].is_unique:
        repeated = table["rcid"][table["rcid"].duplicated()].iloc[0]
        raise DataError(f"{roll_calls}: roll call {repeated} is there more than once")
    sessions = ids.map(table.set_index("rcid")["session"])
    unknown = ids[sessions.isna()]
    if len(unknown):
        raise DataError(f"{roll_calls}: no session for roll call {unknown.iloc[0]}, in {votes}")
    return BEFORE + sessions.to_numpy(dtype=int)
