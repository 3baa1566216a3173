"""Columns of one FeatureTable as those of another: their kinds, and categories matched by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.feature_columns import DISCRETE, are_numbers
from nbmf.data.feature_table import FeatureTable
from nbmf.data.names import texts_of_index
from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, choices

if TYPE_CHECKING:
    import pandas as pd


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


def table_like(frame: pd.DataFrame, column_names: np.ndarray, kinds: np.ndarray) -> FeatureTable:
    """Return a DataFrame of new rows as a FeatureTable whose columns are of the kinds of a fit.

    A few rows may have only 0 and 1 in a column of counts, or nothing in one of categories: their values alone do not
    say of which kind it is. Of a frame with other columns, kinds are seen from the values.

    Parameters
    ----------
    frame : DataFrame
    column_names, kinds : str arrays (N,)
        As of a FeatureTable.
    """
    if texts_of_index(frame.columns).tolist() != column_names.tolist():
        return FeatureTable.from_frame(frame)
    kind_of = dict(zip(frame.columns, kinds.tolist(), strict=True))
    frame = frame.copy()
    for name, kind in kind_of.items():
        if kind == DISCRETE:
            frame[name] = _names_of_categories(frame[name])
    return FeatureTable.from_frame(frame, kind_of)


def _names_of_categories(column: pd.Series) -> pd.Series:
    """Return numbers as the names that categories have; a column of whole numbers may have become one of floats."""
    if not are_numbers(column.dropna().to_numpy(dtype=object)):
        return column
    return column.astype(object).map(lambda value: text_of(float(value)), na_action="ignore")
