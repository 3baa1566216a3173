"""Categories of one FeatureTable matched with those of another by name."""

from dataclasses import replace

import numpy as np

from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError, choices


def with_categories(table: FeatureTable, sizes: np.ndarray, categories: np.ndarray) -> FeatureTable:
    """Return a FeatureTable whose discrete columns have the categories of another, by their names.

    Parameters
    ----------
    table : FeatureTable
        With the columns of the other.
    sizes, categories : int array (N,), str array (sum of sizes,)
        As of a FeatureTable.

    Raises
    ------
    DataError
        If a cell has a category that is not among them.
    """
    if np.array_equal(table.sizes, sizes) and np.array_equal(table.categories, categories):
        return table
    cells = table.cells.copy()
    categories_of = np.split(table.categories, np.cumsum(table.sizes)[:-1])
    others = np.split(categories, np.cumsum(sizes)[:-1])
    for n in np.flatnonzero(table.sizes > 0):
        code_of = {name: code for code, name in enumerate(others[n].tolist())}
        here = table.columns == n
        for code in np.unique(table.cells[here]):
            name = str(categories_of[n][int(code)])
            if name not in code_of:
                raise DataError(
                    f"column {str(table.column_names[n])!r}: {name!r} is none of the categories "
                    f"of the fit; {choices(name, code_of)}"
                )
            cells[here & (table.cells == code)] = code_of[name]
    return replace(table, cells=cells, sizes=sizes, categories=categories)
