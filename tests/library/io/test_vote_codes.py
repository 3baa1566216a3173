"""Votes in the code of VoteView are no ratings: 1 to 3 are yeas, 4 to 6 nays."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import DataError

MEMBERS, ROLL_CALLS = 12, 10
READ = {"ones": ["1", "2"], "zeros": ["5", "6"], "missing": ["7", "9"]}


@pytest.fixture
def votes(tmp_path, monkeypatch):
    """Return votes with a few of each rarer code, in which 3, 4 and 8 do not occur."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    cast = rng.choice([1, 6], (MEMBERS, ROLL_CALLS))
    cast[rng.random(cast.shape) < 0.2] = 9
    cast[[0, 3, 5], [1, 4, 8]] = [2, 5, 7]
    return pd.DataFrame(cast, [f"m{f}" for f in range(MEMBERS)], [f"v{n}" for n in range(ROLL_CALLS)])


@pytest.fixture(params=[None, "long"], ids=["a table", "a list"])
def file(votes, request):
    if request.param is None:
        votes.to_csv("votes.csv")
    else:
        votes.rename_axis("icpsr").reset_index().melt("icpsr", var_name="rollnumber").to_csv("votes.csv", index=False)
    return {"path": "votes.csv", "layout": request.param, "log": lambda line: None}


def test_votes_in_a_code_are_refused_with_arguments_that_read_them(votes, file):
    with pytest.raises(DataError, match="votes in the code of VoteView") as refused:
        nbmf.read(**file)
    assert "above" not in str(refused.value)
    assert refused.value.options == READ
    codes = nbmf.read(**file, **READ).codes
    np.testing.assert_array_equal(codes == 1, votes.isin([1, 2, 3]))
    np.testing.assert_array_equal(codes == 0, votes.isin([4, 5, 6]))


def test_a_list_of_ratings_is_no_list_of_votes(file, votes):
    ratings = np.random.default_rng(5).integers(1, 8, votes.size)
    table = votes.rename_axis("who").reset_index().melt("who", var_name="what").assign(value=ratings)
    table.to_csv("ratings.csv", index=False)
    with pytest.raises(DataError, match="from 1 to 7: ratings"):
        nbmf.read("ratings.csv", layout="long", log=lambda line: None)


def test_of_a_file_that_lacks_zeros_nobody_knows_whether_these_are_votes(votes):
    """What is not in it is a zero: with these arguments a nay."""
    filled = votes.to_numpy(copy=True)
    filled[filled == 9] = 0
    entries = "".join(f"{f + 1} {n + 1} {filled[f, n]}\n" for f, n in np.argwhere(filled))
    head = f"%%MatrixMarket matrix coordinate integer general\n{MEMBERS} {ROLL_CALLS} {np.count_nonzero(filled)}\n"
    with open("votes.mtx", "w") as file:
        file.write(head + entries)
    with pytest.raises(DataError) as refused:
        nbmf.read("votes.mtx", log=lambda line: None)
    assert "VoteView" not in str(refused.value)


def test_numbers_of_members_next_to_votes_are_left_out_and_no_counts(votes):
    """They were counts, as those of a congress, a state and a party are in the first columns of older files."""
    votes.insert(0, "cong", 118)
    votes.insert(1, "id", range(15_000, 15_000 + MEMBERS))
    votes.to_csv("votes.csv")
    with pytest.raises(
        DataError, match="votes in the code of VoteView: 1 to 3 yea, 4 to 6 nay, others none, but in 'cong', 'id': "
    ) as refused:
        nbmf.read("votes.csv", log=lambda line: None)
    assert refused.value.options == {**READ, "ignore": ["cong", "id"]}
    assert nbmf.read("votes.csv", log=lambda line: None, **refused.value.options).shape == (MEMBERS, ROLL_CALLS)
    votes.iloc[:, 2:] = 300 * votes.iloc[:, 2:]  # few columns of votes
    votes["v0"] //= 300
    votes.to_csv("counts.csv")
    assert isinstance(nbmf.read("counts.csv", log=lambda line: None), nbmf.CountMatrix)
