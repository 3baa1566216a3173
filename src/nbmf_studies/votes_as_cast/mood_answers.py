"""How strongly people felt moods, as they answered: people x adjectives, from 0 to 3, or whether at all."""

from pathlib import Path

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.errors import ConfigError, naming_file
from nbmf.io.reading import read

CATEGORIES = 2, 4


def build(*, answers: Path, categories: int) -> CategoryMatrix:
    """Return the answers as categories.

    Parameters
    ----------
    answers : path
        CSV of people x adjectives, cells are 0, 1, 2, 3 or empty (missing).
    categories : int
        4: as they are. 2: 0, and 1 to 3 together.

    Raises
    ------
    ConfigError
        If there are other categories.
    """
    if categories not in CATEGORIES:
        raise ConfigError(f"categories = {categories}: must be 2 or 4")
    matrix = read(answers, header=True, index=True, counts=True, missing=[""])
    with naming_file(answers):
        codes = np.minimum(matrix.tallies, categories - 1).astype(np.int8)
        return CategoryMatrix(codes, matrix.row_names, matrix.column_names)
