"""Columns of a FeatureTable: their kinds, and how values become cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.data.given import is_sparse, sum_duplicates
from nbmf.data.names import refuse_duplicates, texts_of_index, warn_of_left_out
from nbmf.data.number_sizes import has_usable_size
from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, Setting, choices

if TYPE_CHECKING:
    import pandas as pd

GAUSSIAN, DISCRETE, BERNOULLI, POISSON, WORD = FEATURE_KINDS = (
    "gaussian",
    "discrete",
    "bernoulli",
    "poisson",
    "word",  # of a document: how often the word is in it; all columns share a distribution
)
ALLOWED = {
    GAUSSIAN: "0 and numbers of a size from 1e-100 to 1e100",
    DISCRETE: "the codes 0, 1, ... of its categories",
    BERNOULLI: "0 and 1",
    POISSON: "whole numbers from 0 on",
    WORD: "whole numbers from 1 on (a word that is not there has no cell)",
}


def refuse_wrong_values(table: Any) -> None:
    """Raise DataError, naming row and column, if a cell's value is none of its column's kind."""
    x, kinds = table.cells, table.kinds[table.columns]
    right = np.where(kinds == GAUSSIAN, has_usable_size(x), _are_codes(x))
    has_categories = table.sizes[table.columns] > 0
    right &= ~has_categories | (x < table.sizes[table.columns])
    right &= (kinds != WORD) | (x >= 1)
    if not right.all():
        cell = int(np.flatnonzero(~right)[0])
        f, n = int(np.searchsorted(table.starts, cell, "right")) - 1, int(table.columns[cell])
        raise DataError(
            f"row {str(table.row_names[f])!r}, column {str(table.column_names[n])!r}: the value "
            f"is {x[cell].item()!r}; allowed in a {table.kinds[n]} column: "
            f"{ALLOWED[str(table.kinds[n])]}"
        )


def stored_entries(values: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and values of what a scipy.sparse matrix stores, row by row."""
    if not is_sparse(values):
        raise DataError(f"a scipy.sparse matrix is needed, not {type(values).__name__}")
    entries = sum_duplicates(values).tocoo()
    return entries.row, entries.col, entries.data


def nonzero_entries(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and values of the entries of a float array (F, N) that are not 0."""
    rows, columns = np.nonzero(values)
    return rows, columns, values[rows, columns]


def kinds_of_columns(kinds: Any, n_columns: int) -> np.ndarray:
    """Return the kind of each column, str array (N,), from one for all or one for each."""
    kinds = np.asarray(kinds, str)
    if kinds.shape not in ((), (n_columns,)):
        raise DataError(
            Setting("kinds"), f": {kinds.size} given for {n_columns} columns; allowed: one, or one for each"
        )
    return np.broadcast_to(kinds, n_columns)


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether all values of a column, missing ones left out, are numbers or truth values, and no texts."""
    return all(isinstance(value, int | float | Decimal | np.number | np.bool_) for value in values)


def split_frame(
    frame: pd.DataFrame, kinds: Mapping[Any, str] | str | None, labels: Any
) -> tuple[pd.DataFrame, dict[Any, str | None], pd.Series | None]:
    """Return the features of a DataFrame, the kinds that are named, and the column of labels.

    Columns that have neither a value nor a kind are left out, and a LeftOutWarning names them.

    Raises
    ------
    DataError
        If `kinds` or `labels` names a column that is not there, two have the same name, or none has a value.
    """
    refuse_duplicates(texts_of_index(frame.columns), "column_names")
    labelled = None
    if labels is not None:
        _refuse_unknown("labels", [labels], frame)
        labelled, frame = frame[labels], frame.drop(columns=labels)
    if not (kinds is None or isinstance(kinds, str | Mapping)):
        raise DataError(Setting("kinds", kinds), ": allowed: one kind for all columns, or a dict of kinds by name")
    given = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(frame.columns, kinds)
    _refuse_unknown("kinds", given, frame)
    is_kept = frame.notna().any().to_numpy() | [given.get(name) is not None for name in frame.columns]
    if not is_kept.any():
        raise DataError(f"none of the {frame.size} entries of the table is observed")
    warn_of_left_out([], texts_of_index(frame.columns[~is_kept]))
    return frame.loc[:, is_kept], given, labelled


def _refuse_unknown(argument: str, columns: Collection[Any], frame: pd.DataFrame) -> None:
    """Raise DataError if a column that an argument names is not there."""
    if unknown := [name for name in columns if name not in frame.columns]:
        there = texts_of_index(frame.columns).tolist()
        raise DataError(Setting(argument), f": no column {unknown[0]!r}; {choices(unknown[0], there)}")


def code_column(name: Any, column: pd.Series, kind: str | None) -> tuple[np.ndarray, str, list | None]:
    """Return the values of a column as numbers, its kind, and the names of its categories."""
    missing = column.isna().to_numpy()
    values = column.to_numpy(dtype=object)
    if kind in (None, DISCRETE) and hasattr(column, "cat"):  # also those that no row has
        numbers = np.where(missing, np.nan, column.cat.codes)
        return numbers, DISCRETE, [text_of(each) for each in column.cat.categories]
    if not are_numbers(values[~missing]):
        if kind not in (None, DISCRETE):
            allowed = f"no number; allowed in a {kind} column: {ALLOWED.get(kind, 'numbers')}"
            _refuse_first(column, name, lambda value: not are_numbers([value]), allowed)
        allowed = "neither a real number nor a category; allowed: numbers, truth values and texts"
        _refuse_first(column, name, _is_no_category, allowed)
        return _as_categories(values[~missing].astype(str), missing)
    numbers = np.where(missing, np.nan, values).astype(float)
    there = numbers[~missing]
    if kind == DISCRETE and there.size and _are_codes(there).all():
        return _as_categories(there, missing)
    if kind is None:
        kind = BERNOULLI if np.isin(there, (0, 1)).all() else GAUSSIAN
    return numbers, kind, None


def _refuse_first(column: pd.Series, name: Any, is_wrong: Callable[[Any], bool], words: str) -> None:
    """Raise DataError about the first value of a column that is wrong, if there is one; `words` say what it is."""
    for row, value in column.dropna().items():
        if is_wrong(value):
            raise DataError(f"row {str(row)!r}, column {str(name)!r}: {value!r} is {words}")


def _are_codes(x: np.ndarray) -> np.ndarray:
    """Return where numbers are whole and at least 0, bool array (n,)."""
    return (x >= 0) & (x == np.floor(x)) & np.isfinite(x)


def _as_categories(there: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, str, list[str]]:
    """Return what `code_column` does of a column whose categories are the values that are there."""
    categories, codes = np.unique(there, return_inverse=True)
    numbers = np.full(missing.size, np.nan)
    numbers[~missing] = codes
    return numbers, DISCRETE, [text_of(each) for each in categories.tolist()]


def _is_no_category(value: Any) -> bool:
    """Whether a value is a complex number, a date, a time, a duration, a period, an interval or a list.

    Nearly each would be a category of its own.
    """
    of_times_or_intervals = any(hasattr(value, name) for name in ("strftime", "total_seconds", "closed_left"))
    return of_times_or_intervals or isinstance(value, complex) or not isinstance(value, Hashable)
