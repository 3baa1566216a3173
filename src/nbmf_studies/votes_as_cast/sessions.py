"""When roll calls were held, by the names of their columns: read wherever there is a matrix, without raw files."""

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix


def column_years(matrix: CategoryMatrix) -> np.ndarray:
    """Return the year in which the session of each column opened, which begins its name, int array (N,)."""
    return np.array([int(str(name).split()[0]) for name in matrix.column_names])
