"""A matrix file of any kind."""

import os

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_table import FeatureTable
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.files import read_arrays

KINDS = (BinaryMatrix, RealMatrix, CountMatrix, CategoryMatrix, FeatureTable, SparseBinaryMatrix)


def load_matrix(path: str | os.PathLike) -> NamedMatrix:
    """Read a matrix that its `save` has written; its kind follows from what the file holds.

    Raises
    ------
    DataError
        If the file is no complete matrix file; the message names it.
    """
    parts = read_arrays(path, "nbmf matrix")
    kind = next((kind for kind in KINDS if kind.field in parts), BinaryMatrix)
    return kind.of_parts(path, parts)
