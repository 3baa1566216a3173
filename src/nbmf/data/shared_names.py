"""Names that are both of rows and of columns, as those of a network."""

from collections.abc import Collection, Sequence

import numpy as np

from nbmf.data.value_codes import number_of

SHARED = 0.5  # of the names of rows, or of columns if these are fewer, that make a matrix one of a network


def shared_names(rows: Collection[str], columns: Collection[str]) -> set[str]:
    """Return the names on both sides, if there are so many that rows and columns are the same things; else none.

    Numbers are none of these: ids of two kinds of things may be alike.
    """
    both = {*rows} & {*columns}
    are_numbers = all(number_of(name) is not None for name in both)
    return set() if are_numbers or len(both) < SHARED * min(len(rows), len(columns)) else both


def matching_columns(rows: Sequence[str], columns: Sequence[str]) -> np.ndarray:
    """Return the column that has the name of each row, int array (F,), -1 for none."""
    place_of = {str(name): place for place, name in enumerate(columns)}
    return np.array([place_of.get(str(name), -1) for name in rows], int)
