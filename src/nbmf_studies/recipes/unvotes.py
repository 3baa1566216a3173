"""unvotes: how 200 countries voted in 5429 roll calls of the UN General Assembly."""

from pathlib import Path

from nbmf.data.matrix import BinaryMatrix
from nbmf_studies.recipes.voting_records import read_votes, vote_matrix


def build(*, votes: Path) -> BinaryMatrix:
    """Build countries x roll calls: yes is 1, no and abstain are 0, no record is missing.

    Parameters
    ----------
    votes : path
        .rda of a data frame with columns rcid, country and vote.
    """
    return vote_matrix(votes, read_votes(votes), {"yes": 1, "abstain": 0, "no": 0})
