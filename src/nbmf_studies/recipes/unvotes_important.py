"""unvotes_important: 72 important votes of the last years of the Cold War; a small example.

The U.S. Department of State has named the votes that it holds important, since 1983.
"""

from pathlib import Path

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import naming_file
from nbmf.io.rda import read_data_frame
from nbmf_studies.recipes.unvotes_coldwar import CODE_OF, active_records
from nbmf_studies.recipes.voting_records import vote_matrix

TEXTS = ["short", "unres"]


def build(*, votes: Path, roll_calls: Path) -> BinaryMatrix:
    """Build the 100 countries of unvotes_coldwar x the important roll calls before 1991.

    Yes is 1, no is 0, abstain and no record are missing. A roll call has its subject and the number
    of its resolution for a name: "KAMPUCHEA R/42/3".

    Parameters
    ----------
    votes : path
        .rda of a data frame with columns rcid, country and vote.
    roll_calls : path
        .rda of a data frame with columns rcid, date, importantvote, short and unres.
    """
    records = active_records(votes, roll_calls)
    table = read_data_frame(roll_calls, ["rcid", "importantvote", *TEXTS], gaps=TEXTS)
    table = table[table["importantvote"] == 1].set_index("rcid")
    matrix = vote_matrix(votes, records[records["rcid"].isin(table.index)], CODE_OF)
    names = [" ".join(table.loc[int(number), TEXTS].fillna("")) for number in matrix.column_names]
    with naming_file(roll_calls):
        return BinaryMatrix(matrix.codes, matrix.row_names, names)
