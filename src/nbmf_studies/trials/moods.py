"""The first people of `msq_moods`: small enough to come with the package, as an example."""

from pathlib import Path

from nbmf.data.matrix import BinaryMatrix
from nbmf_studies.trials import table

PEOPLE = 500


def build(*, answers: Path) -> BinaryMatrix:
    """Return how the first PEOPLE of the table answered.

    Parameters
    ----------
    answers : path
        The table of `msq_moods`, people x mood adjectives.
    """
    V = table.build(table=answers)
    return BinaryMatrix(V.codes[:PEOPLE], V.row_names[:PEOPLE], V.column_names)
