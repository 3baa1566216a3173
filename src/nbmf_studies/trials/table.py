"""A matrix of the trials: rows and columns named, 1, 0 or nothing."""

from pathlib import Path

from nbmf.data.matrix import BinaryMatrix
from nbmf.io.reading import read


def build(*, table: Path) -> BinaryMatrix:
    """Read one of the tables of `data/trials`.

    Parameters
    ----------
    table : path
        CSV, gzipped or not: the first line names the columns, the first field of a line its row;
        cells are 1, 0 or empty (missing).
    """
    return read(table, header=True, index=True, ones=["1"], zeros=["0"], missing=[""])
