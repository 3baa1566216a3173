"""unvotes_coldwar: the 100 most active countries in the UN roll calls of 1946-1990 (Figure 8)."""

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf_studies.recipes.voting_records import read_votes, roll_call_values, vote_matrix

END = (date(1991, 1, 1) - date(1970, 1, 1)).days  # R counts days from 1970
COUNTRIES = 100


CODE_OF = {"yes": 1, "abstain": MISSING, "no": 0}


def build(*, votes: Path, roll_calls: Path) -> BinaryMatrix:
    """Build countries x roll calls: yes is 1, no is 0, abstain and no record are missing.

    The countries are those with most recorded votes, abstentions included, in these roll calls.

    Parameters
    ----------
    votes : path
        .rda of a data frame with columns rcid, country and vote.
    roll_calls : path
        .rda of a data frame with columns rcid and date.
    """
    return vote_matrix(votes, active_records(votes, roll_calls), CODE_OF)


def active_records(votes: Path, roll_calls: Path) -> pd.DataFrame:
    """Return the recorded votes of the Cold War of its most active countries."""
    records = read_votes(votes)
    records = records[_dates(records["rcid"], votes, roll_calls) < END]
    records_of = records["country"].value_counts().sort_index()  # by name, for a stable tie
    active = records_of.sort_values(ascending=False, kind="stable").index[:COUNTRIES]
    return records[records["country"].isin(active)]


def _dates(roll_call_ids: pd.Series, votes: Path, roll_calls: Path) -> np.ndarray:
    """Return the date of each id in days since 1970-01-01."""
    return roll_call_values("date", "an R Date", roll_call_ids, votes, roll_calls).to_numpy(dtype=float)
