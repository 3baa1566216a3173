"""unvotes_abstentions: which entries of unvotes are abstentions, for Figure 5 alone."""

from pathlib import Path

from nbmf.data.matrix import BinaryMatrix
from nbmf_studies.recipes.voting_records import read_votes, vote_matrix


def build(*, votes: Path) -> BinaryMatrix:
    """Build countries x roll calls: abstain is 1, yes and no are 0, no record is missing.

    Parameters
    ----------
    votes : path
        .rda of a data frame with columns rcid, country and vote.
    """
    return vote_matrix(votes, read_votes(votes), {"yes": 0, "abstain": 1, "no": 0})
