"""The names of rows and columns: as many as there are, unique, and each with an entry."""

from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, LeftOutWarning, warn

SHOWN = 5  # names of what was left out
NO_GROUP = ""  # the label of a row or column without one


def texts_of_index(index: Any) -> np.ndarray:
    """Return the names of an index of pandas, str array (n,): of several levels such as ('a', 1).

    Dates are without a time of day if all are, as in a CSV file that pandas writes.
    """
    return np.array(index.astype(str) if index.nlevels == 1 else [str(name) for name in index], dtype=str)


def texts_of_labels(labels: Any) -> np.ndarray:
    """Return labels as a str array of their shape, NO_GROUP of one that is missing: None, NaN, NA, NaT.

    1.0 is the label 1: a column of whole numbers in which one is missing has floats in pandas.
    """
    labels = np.asarray(labels, dtype=object)
    texts = [NO_GROUP if _is_missing(label) else text_of(label) for label in labels.flat]
    return np.array(texts, dtype=str).reshape(labels.shape)


def _is_missing(label: Any) -> bool:
    """Whether a label is None, or NaN, NA or NaT of pandas: these alone are not equal to themselves."""
    is_itself = label == label
    return label is None or not isinstance(is_itself, bool | np.bool_) or not is_itself


def default_names(kind: str, size: int) -> np.ndarray:
    """Return the names of rows or columns that have none, "row 0", "row 1", ... of the kind "row"."""
    return np.array([f"{kind} {i}" for i in range(size)], dtype=str)


def with_default_names(shape: tuple[int, int], row_names: Any, column_names: Any) -> tuple[Any, Any]:
    """Return names of rows and columns; instead of None "row 0", "row 1", ... or "column 0", "column 1", ..."""
    return tuple(
        [f"{kind} {i}" for i in range(size)] if given is None else given
        for kind, size, given in zip(("row", "column"), shape, (row_names, column_names), strict=True)
    )


def checked_labels(labels: Any, length: int, field: str) -> np.ndarray:
    """Return labels as `texts_of_labels` does; DataError if they are more or fewer than `length`."""
    return checked_names(texts_of_labels(labels), length, field)


def checked_names(names: Any, length: int, field: str) -> np.ndarray:
    """Return names as an array of texts; DataError if they are more or fewer than `length`."""
    names = np.array(names, dtype=str)  # a copy: the caller's own stays writeable
    if names.shape != (length,):
        raise DataError(f"{field}: {length} names are needed, {names.size} were given")
    names.setflags(write=False)
    return names


def has_index(labels: Any) -> bool:
    """Whether labels are a Series of pandas, whose index says whose they are."""
    return hasattr(labels, "reindex") and hasattr(labels, "set_axis")


def align_labels(labels: Any, names: np.ndarray | None) -> Any:
    """Return labels of rows or columns in the order of their names, if it is a pandas Series whose index has each once.

    Such a Series may be of another table, with more rows or in another order. One whose index only numbers is taken by
    place unless names are such numbers. All other labels stay as they are.

    Raises
    ------
    DataError
        If there is a label for each, and the index has other names.
    """
    if names is None or not has_index(labels):
        return labels
    by_name = labels.set_axis(texts_of_index(labels.index).astype(object))
    index = by_name.index
    if index.is_unique and index.isin(names).sum() == len(names):
        return by_name.reindex(names)
    if len(labels) == len(names) and not all(isinstance(name, Number) for name in labels.index):
        again = index[index.duplicated()].tolist()
        lacking = [f"no {str(name)!r}" for name in names if name not in index]
        raise DataError(
            f"a Series of labels whose index has {f'{again[0]!r} more than once' if again else lacking[0]}; allowed: "
            "one with each name once, or labels in the order of the matrix without names, .to_numpy()"
        )
    return labels


def refuse_duplicates(names: np.ndarray, field: str) -> None:
    """Raise DataError if a name is there twice."""
    unique, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        name = str(unique[counts > 1][0])
        places = ", ".join(str(place) for place in np.flatnonzero(names == name)[:5])
        raise DataError(f"{field}: {name!r} names more than one (places {places}, from 0)")


def refuse_unobserved(observed: np.ndarray, kind: str, names: np.ndarray) -> None:
    """Raise DataError if a row or column has none of its entries observed; `observed` says how many."""
    empty = np.flatnonzero(observed == 0)
    if empty.size:
        raise DataError(
            f"{kind} {str(names[empty[0]])!r} has no observed entry ({empty.size} such {kind}(s)); leave it out"
        )


def without_unobserved(
    values: np.ndarray, observed: np.ndarray, row_names: Any, column_names: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values and names without rows and columns that have no observed entry; a LeftOutWarning names them."""
    kept = rows, columns = observed.any(axis=1), observed.any(axis=0)
    if not rows.any():
        raise DataError(f"none of the {values.size} entries of the matrix is observed")
    names = [np.asarray(each, str) for each in (row_names, column_names)]
    warn_of_left_out(*(every[~is_kept] for every, is_kept in zip(names, kept, strict=True)))
    return values[np.ix_(rows, columns)], names[0][rows], names[1][columns]


def warn_of_left_out(row_names: Sequence[str], column_names: Sequence[str]) -> None:
    """Name rows and columns without an observed entry in a LeftOutWarning, if there are any."""
    gone = [
        f"{len(left)} {kind}{'s' * (len(left) > 1)} without an observed entry ({first_names(left)})"
        for kind, left in (("row", row_names), ("column", column_names))
        if len(left)
    ]
    if gone:
        warn(f"left out: {'; '.join(gone)}", LeftOutWarning)


def first_names(names: Sequence[str]) -> str:
    """Return the first of many names, quoted, and an ellipsis for the others."""
    return ", ".join(repr(str(name)) for name in names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
