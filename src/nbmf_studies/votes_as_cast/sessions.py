"""When roll calls were held, by the names of their columns: read wherever there is a matrix, without raw files."""

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix


def year_of_column(name: str) -> int:
    """Return the year in which the session of a roll call opened, from the name of its column."""
    return int(name.split()[0])


def column_years(matrix: CategoryMatrix) -> np.ndarray:
    """Return the year in which the session of each column opened, int array (N,)."""
    return np.array([year_of_column(str(name)) for name in matrix.column_names])
