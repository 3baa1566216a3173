"""Which group each row is in, as a person gives it and as arrays have it."""

from collections.abc import Mapping, Set
from typing import Any, NamedTuple, Self

import numpy as np

from nbmf.data.named import NamedMatrix, align_with
from nbmf.data.names import NO_GROUP, texts_of_labels
from nbmf.errors import DataError, Setting, UnknownGroupsWarning, choices, warn
from nbmf.inference.parameters import Rule

OF_MATRIX = "matrix"  # the groups that the matrix of a fit has


def _are_labels(value: Any) -> bool:
    """Whether a value has labels in an order: a list, an array, or a Series, Index or Categorical of pandas."""
    if isinstance(value, str | bytes | Mapping | Set):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and getattr(value, "ndim", 1) == 1


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
        names = np.unique(labels[labels != NO_GROUP])
        return cls(names, group_indices(labels, names))

    def with_singletons(self) -> tuple[np.ndarray, int]:
        """Return the groups with one more for each row without: int array (F,), and how many there are.

        The coordinates of such a row then vary as much as those of all rows do.
        """
        index, alone = self.index.copy(), self.index < 0
        index[alone] = self.names.size + np.arange(np.count_nonzero(alone))
        return index, self.names.size + int(np.count_nonzero(alone))


def group_indices(labels: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return the place of each label among the names, int array, -1 of those that are not there."""
    place_of = {name: place for place, name in enumerate(names)}
    return np.array([place_of.get(label, -1) for label in labels], np.int64)


def labels_of(given: Any, n_rows: int, what: str) -> np.ndarray:
    """Return labels as texts, str array (n_rows,), NO_GROUP of a row without a group; see `texts_of_labels`.

    Raises
    ------
    DataError
        If there are more or fewer than rows, or the labels are one text; `what` names the argument.
    """
    if isinstance(given, str):
        raise DataError(Setting(what, given), ": must be a label for each row, such as a list of texts")
    labels = texts_of_labels(given)
    if labels.shape != (n_rows,):
        raise DataError(Setting(what), f": {len(labels)} labels of {n_rows} rows; allowed: one for each")
    return labels


def labels_of_fitted(row_groups: Any, V: Any) -> np.ndarray | None:
    """Return the label of each row of a matrix to be fitted, str array (F,), None without groups."""
    if row_groups is None:
        return None
    if not isinstance(row_groups, str):
        return labels_of(align_with(row_groups, V, 0), np.shape(V)[0], "row_groups")
    groups = groups_of_matrix(V)
    if groups is None:
        words = ": the matrix has no groups of its rows; allowed: a label for each row, or a matrix read with "
        raise DataError(Setting("row_groups", OF_MATRIX), words, Setting("groups"))
    return groups


def known_labels_of(given: Any, n_rows: int, names: np.ndarray) -> np.ndarray:
    """Return the labels of new rows as `labels_of` does, and warn if no row is of one of the groups of the fit.

    Some that are new are nothing to warn of: rows of new groups are predicted as such.
    """
    labels = labels_of(given, n_rows, "groups")
    others = np.unique(labels[labels != NO_GROUP])
    if others.size and not np.isin(others, names).any():
        warn(
            f"groups: none of those given, such as {str(others[0])!r}, is one of the fit, so that all rows are of new "
            f"groups; {choices(others[0], [str(name) for name in names])}",
            UnknownGroupsWarning,
        )
    return labels


def groups_of_matrix(V: Any) -> np.ndarray | None:
    """Return the groups that a matrix has of its rows, str array (F,), None if it has none."""
    return V.row_groups if isinstance(V, NamedMatrix) else None
