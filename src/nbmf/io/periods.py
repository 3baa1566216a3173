"""The periods of columns, from a table in a file of its own."""

import os
from collections.abc import Sequence

import pandas as pd

from nbmf.errors import DataError, first_of

SHOWN = 3  # names in a message


def read_periods(path: str | os.PathLike, column_names: Sequence[str]) -> list[str]:
    """Return the period of each column of a matrix, in its order.

    Parameters
    ----------
    path : path
        CSV with a header; the first field of each other line is the name of a column, the second its period.
    column_names : sequence of N str

    Raises
    ------
    DataError
        If the file is no such table, names a column twice or one that the matrix has not, or a column has no period.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(f"{path}: no CSV file with columns and their periods: {error}") from error
    if table.shape[1] < 2:
        raise DataError(f"{path}: a line has one field; needed are the name of a column and its period")
    names, periods = (table.iloc[:, place].str.strip() for place in (0, 1))
    period_of = dict(zip(names, periods, strict=True))
    wanted = [str(name) for name in column_names]
    twice = names[names.duplicated()]
    if len(twice):
        raise DataError(f"{path}: column {twice.iloc[0]!r} is there more than once")
    if unknown := [name for name in names if name not in set(wanted)]:
        raise DataError(
            f"{path}: {_column_phrase(unknown)} not in the matrix (columns without an observed entry are left out of "
            "it)"
        )
    if missing := [name for name in wanted if not period_of.get(name)]:
        raise DataError(f"{path}: no period for {_column_phrase(missing)}")
    return [period_of[name] for name in wanted]


def _column_phrase(names: Sequence[str]) -> str:
    """Return some names in words, and how many more there are."""
    return f"{'columns' if len(names) > 1 else 'column'} {first_of([*map(repr, names)], SHOWN)}"
