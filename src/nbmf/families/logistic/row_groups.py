"""Which group each row is in, as a person gives it and as arrays have it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, Setting
from nbmf.inference.parameters import Rule

OF_MATRIX = "matrix"  # the groups that the matrix of a fit has
NONE = ""  # of a row without a group


def _are_labels(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, Sequence) and not isinstance(value, str)


ROW_GROUPS = Rule(
    lambda value: value is None or (isinstance(value, str) and value == OF_MATRIX) or _are_labels(value),
    f"None, {OF_MATRIX!r} for those of the matrix, or a label for each row",
)


class RowGroups(NamedTuple):
    """Rows in groups.

    names : str array (G,), sorted
    index : int array (F,), the group of each row, -1 of a row without one
    """

    names: np.ndarray
    index: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray) -> Self:
        """Return the groups of labels, str array (F,)."""
        names = np.unique(labels[labels != NONE])
        return cls(names, places_of(labels, names))

    def with_own(self) -> tuple[np.ndarray, int]:
        """Return the groups with one more for each row without: int array (F,), and how many there are.

        The coordinates of such a row then vary as much as those of all rows do.
        """
        index, alone = self.index.copy(), self.index < 0
        index[alone] = self.names.size + np.arange(np.count_nonzero(alone))
        return index, self.names.size + int(np.count_nonzero(alone))


def places_of(labels: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return the place of each label among the names, int array, -1 of those that are not there."""
    place_of = {name: place for place, name in enumerate(names)}
    return np.array([place_of.get(label, -1) for label in labels], np.int64)


def labels_of(given: Any, n_rows: int, what: str) -> np.ndarray:
    """Return labels as texts, str array (n_rows,), NONE of a row without a group: None, NaN, NA or an empty text.

    1.0 is the label 1: a column of whole numbers in which one is missing has floats in pandas.

    Raises
    ------
    DataError
        If there are more or fewer than rows, or the labels are one text; `what` names the argument.
    """
    if isinstance(given, str):
        raise DataError(Setting(what, given), ": must be a label for each row, such as a list of texts")
    labels = [NONE if _is_missing(label) else text_of(label) for label in given]
    if len(labels) != n_rows:
        raise DataError(Setting(what), f": {len(labels)} labels of {n_rows} rows; allowed: one for each")
    return np.array(labels, dtype=np.str_)


def _is_missing(label: Any) -> bool:
    """Whether a label is None, or NaN or NA of pandas: these alone are not equal to themselves."""
    is_itself = label == label
    return label is None or not isinstance(is_itself, bool | np.bool_) or not is_itself


def groups_of_matrix(V: Any) -> np.ndarray | None:
    """Return the groups that a matrix has of its rows, str array (F,), None if it has none."""
    return V.row_groups if isinstance(V, NamedMatrix) else None
