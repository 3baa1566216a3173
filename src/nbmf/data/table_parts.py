"""Parts of a FeatureTable: some of its cells or columns, and what is left without what is held out.

Its module is not imported, not for types either: every fit would depend on it.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.errors import DataError


def take_cells(table: Any, chosen: np.ndarray) -> Any:
    """Return the table of some cells, bool (cells,); the others are missing."""
    sizes = np.bincount(table.row_of_cell()[chosen], minlength=table.shape[0])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return replace(table, cells=table.cells[chosen], columns=table.columns[chosen], starts=starts)


def take_columns(table: Any, chosen: np.ndarray) -> Any:
    """Return the table of some columns, bool (N,); rows stay, observed or not."""
    part = take_cells(table, chosen[table.columns])
    return replace(
        part,
        columns=(np.cumsum(chosen) - 1)[part.columns],
        kinds=table.kinds[chosen],
        sizes=table.sizes[chosen],
        categories=table.categories[np.repeat(chosen, table.sizes)],
        column_names=table.column_names[chosen],
    )


def without_held_out(table: Any, held_out: np.ndarray) -> Any:
    """Return what held-out rows, bool (F,), or entries, bool (F, N), leave of a table.

    Raises
    ------
    DataError
        If single entries of documents are held out: a word that is not there would stay known.
    """
    if held_out.ndim == 1:
        return table.take_rows(~held_out)
    if WORD in table.kinds:
        raise DataError("entries of documents are held out; allowed: rows, which have all of their words")
    return take_cells(table, ~held_out[table.row_of_cell(), table.columns])
