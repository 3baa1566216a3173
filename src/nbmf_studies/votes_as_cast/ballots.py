"""UN votes as they were cast: countries x roll calls of some sessions, with abstentions as a category or as no."""

from pathlib import Path

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.errors import ConfigError, naming_file
from nbmf_studies.recipes.voting_records import read_votes, roll_call_values, vote_codes

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
    records = read_votes(votes)
    years = BEFORE + roll_call_values("session", "a number", records["rcid"], votes, roll_calls).to_numpy(int)
    chosen = records[(first <= years) & (years <= last)]
    if chosen.empty:
        raise ConfigError(f"first = {first}, last = {last}: must be years, some from {years.min()} to {years.max()}")
    codes, countries, calls = vote_codes(chosen, CODES[categories])
    year_of = dict(zip(records["rcid"], years, strict=True))
    with naming_file(votes):
        return CategoryMatrix(codes, countries, [f"{year_of[call]} {call}" for call in calls])
