"""parliament: which members of the Catalan parliament follow which on Twitter (March 2018)."""

from pathlib import Path

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError, naming_file
from nbmf.io.rda import read_r_matrix
from nbmf_studies.recipes.raw_text import read_records


def build(*, follows: Path, parties: Path) -> BinaryMatrix:
    """Build followers x followed, both the members sorted by name; row groups are parties.

    Parameters
    ----------
    follows : path
        .rda of a square matrix with the members as row and column names.
    parties : path
        CSV with columns MP and party, separated by ";"; members outside the matrix may be in it.
    """
    values, followers, followed = read_r_matrix(follows)
    if not np.array_equal(np.sort(followers), np.sort(followed)):
        raise DataError(f"{follows}: rows and columns are not the same members")
    party_of = _read_parties(parties)
    without_party = [member for member in sorted(followers) if member not in party_of]
    if without_party:
        raise DataError(f"{parties}: no party for {', '.join(without_party)}, in {follows}")
    rows, columns = np.argsort(followers), np.argsort(followed)
    members = followers[rows]
    with naming_file(follows):
        return BinaryMatrix.from_array(
            values[np.ix_(rows, columns)], members, members, row_groups=[party_of[member] for member in members]
        )


def _read_parties(path: Path) -> dict[str, str]:
    header, records = read_records(path, ";", columns=("MP", "party"))
    party_of = {}
    for line, fields in records:
        member, party = fields[header.index("MP")], fields[header.index("party")]
        if not party:
            raise DataError(f"{path}, line {line}: {member!r} has an empty party")
        if member in party_of:
            raise DataError(f"{path}, line {line}: {member!r} is there a second time")
        party_of[member] = party
    return party_of
