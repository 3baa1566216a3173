"""The period of every column: from what a user gives to places in time."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.names import align_labels
from nbmf.data.value_codes import number_of
from nbmf.errors import ConfigError, Setting
from nbmf.inference.parameters import Rule

ALLOWED = "None, one number or text per column, or a regular expression that finds it in the name of each column"


class Periods(NamedTuple):
    """Periods in their order, and that of each column.

    names : str array (T,)
    times : float array (T,)
        Increasing: the numbers that were given, or of texts 0, 1, 2, ... in the order of their first columns.
    of_columns : int64 array (N,)
        Places in `names`.
    """

    names: np.ndarray
    times: np.ndarray
    of_columns: np.ndarray

    @property
    def gaps(self) -> np.ndarray:
        """The time from each period to the next, float array (T - 1,)."""
        return np.diff(self.times)


def _is_allowed(given: Any) -> bool:
    if given is None:
        return True
    if isinstance(given, str):
        try:
            re.compile(given)
        except re.error:
            return False
        return True
    try:
        labels = np.asarray(given)
    except ValueError:  # lists in lists that are no rectangle
        return False
    if labels.ndim != 1 or labels.dtype.kind not in "iufUO":
        return False
    if labels.dtype.kind == "O":
        return all(isinstance(label, str) for label in labels)
    return labels.dtype.kind != "f" or bool(np.isfinite(labels).all())


PERIODS = Rule(_is_allowed, ALLOWED)


def periods_of(given: str | Sequence | None, n_columns: int, column_names: np.ndarray | None) -> Periods:
    """Return the periods of columns.

    Parameters
    ----------
    given : None, sequence of N numbers or texts, Series whose index has the names of columns, or str
        None: all columns have the same period. A str is a regular expression: the period is what its first group has
        found in a column's name, or all that it has found if it has no group. Texts that are all numbers are numbers.
    n_columns : int
        N.
    column_names : str array (N,) or None

    Raises
    ------
    ConfigError
        If there is not one for each column, or a column has no name in which it could be found.
    """
    if given is None:
        return Periods(np.array(["all"]), np.zeros(1), np.zeros(n_columns, np.int64))
    is_pattern = isinstance(given, str)
    labels = _match_names(given, column_names) if is_pattern else np.asarray(align_labels(given, column_names))
    if labels.size != n_columns:
        given_for = f": {labels.size} given for {n_columns} columns; allowed: one for each"
        raise ConfigError(Setting("periods"), given_for)
    times = _numbers(labels)
    if times is not None:
        values, firsts, of_columns = np.unique(times, return_index=True, return_inverse=True)
        are_texts = labels.dtype.kind in "UO"
        names = labels[firsts].astype(str) if are_texts else np.array([f"{value:.15g}" for value in values])
        return Periods(names, values, of_columns.astype(np.int64))
    names, firsts, of_columns = np.unique(labels.astype(str), return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.argsort(order)
    return Periods(names[order], np.arange(names.size, dtype=float), rank[of_columns].astype(np.int64))


def _match_names(pattern: str, column_names: np.ndarray | None) -> np.ndarray:
    setting = Setting("periods", pattern)
    if column_names is None:
        raise ConfigError(setting, ": the matrix has no names of columns; allowed: one number or text per column")
    matches = [re.search(pattern, str(name)) for name in column_names]
    if None in matches:
        missing = str(column_names[matches.index(None)])
        raise ConfigError(setting, f": nothing of it in the name {missing!r}; allowed: one that finds every period")
    group = 1 if re.compile(pattern).groups else 0
    return np.array([each.group(group) or "" for each in matches])


def _numbers(labels: np.ndarray) -> np.ndarray | None:
    """Return labels as numbers; None if they are texts that are none, or of which two are the same number."""
    numbers = [number_of(str(label) if labels.dtype.kind in "UO" else label) for label in labels]
    if None in numbers or not np.isfinite(times := np.array(numbers, float)).all():
        return None
    return times if np.unique(times).size == np.unique(labels.astype(str)).size else None
