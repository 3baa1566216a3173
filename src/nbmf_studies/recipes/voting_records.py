"""Roll-call votes as a matrix of countries x roll calls."""

from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import DataError, naming_file
from nbmf.io.rda import read_data_frame

VOTES = ("yes", "abstain", "no")


def read_votes(path: Path) -> pd.DataFrame:
    """Read one row per recorded vote: rcid (the roll call), country, vote (one of VOTES)."""
    votes = read_data_frame(path, ["rcid", "country", "vote"])
    unknown = np.flatnonzero(~votes["vote"].isin(VOTES))
    if unknown.size:
        raise DataError(
            f"{path}: row {unknown[0] + 1}: the vote is {votes['vote'].iloc[unknown[0]]!r}; allowed: {', '.join(VOTES)}"
        )
    repeated = np.flatnonzero(votes.duplicated(["rcid", "country"]))
    if repeated.size:
        first = votes.iloc[repeated[0]]
        raise DataError(
            f"{path}: row {repeated[0] + 1}: a second vote of {first['country']} in roll call {first['rcid']}"
        )
    return votes


def roll_call_values(column: str, kind: str, ids: pd.Series, votes: Path, roll_calls: Path) -> pd.Series:
    """Return a column of numbers of the table of roll calls for each id.

    Parameters
    ----------
    column : str
    kind : str
        What it is, in words.
    ids : Series
        Of roll calls, as rcid of `read_votes`.
    votes, roll_calls : path
        The files: of the ids, and of the table, with a column rcid.

    Raises
    ------
    DataError
        If the column has no numbers, or a roll call is there twice, or has nothing in it.
    """
    table = read_data_frame(roll_calls, ["rcid", column])
    if not pd.api.types.is_numeric_dtype(table[column]):
        raise DataError(f"{roll_calls}: column {column!r} is not {kind}")
    if not table["rcid"].is_unique:
        repeated = table["rcid"][table["rcid"].duplicated()].iloc[0]
        raise DataError(f"{roll_calls}: roll call {repeated} is there more than once")
    values = ids.map(table.set_index("rcid")[column])
    missing = ids[values.isna()]
    if len(missing):
        raise DataError(f"{roll_calls}: no {column} for roll call {missing.iloc[0]}, in {votes}")
    return values


def vote_codes(votes: pd.DataFrame, code_of: dict[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes, int8 array (F, N), -1 where there is no record, the countries by name and the roll calls by id."""
    rows, countries = pd.factorize(votes["country"], sort=True)
    columns, roll_calls = pd.factorize(votes["rcid"], sort=True)
    codes = np.full((len(countries), len(roll_calls)), MISSING, dtype=np.int8)
    codes[rows, columns] = votes["vote"].map(code_of).to_numpy(dtype=np.int8)
    return codes, countries.to_numpy(), roll_calls.to_numpy()


def vote_matrix(path: Path, votes: pd.DataFrame, code_of: dict[str, int]) -> BinaryMatrix:
    """Build countries sorted by name x roll calls in order of their id; no record is missing.

    Parameters
    ----------
    path : path
        The file the votes came from, named in errors.
    votes : DataFrame
        As `read_votes` gives them.
    code_of : dict
        The code (1, 0 or -1) of each of VOTES.
    """
    with naming_file(path):
        return BinaryMatrix(*vote_codes(votes, code_of))
