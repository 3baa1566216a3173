"""Which columns to recommend to rows: those with the largest E[v], what is known left out, in blocks of rows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.matrix import are_ties
from nbmf.data.named import names_of
from nbmf.data.shared_names import matching_columns, shared_names
from nbmf.errors import DataError, Setting, not_allowed
from nbmf.inference.blocks import in_blocks
from nbmf.inference.exclusion import EXCLUDED, OBSERVED, ONES
from nbmf.inference.fitted import as_indices
from nbmf.inference.parameters import check_count
from nbmf.numerics.blas import one_blas_thread

NONE_LEFT = -1  # instead of the number of a column


class Recommendations(NamedTuple):
    """The first n columns of each row, the one with the largest E[v] first.

    - columns : int64 array (rows, n); -1 where fewer than n columns are left
    - expectation : float array (rows, n), E[v] of these entries; NaN where there is none
    """

    columns: np.ndarray
    expectation: np.ndarray


class Recommending:
    """The part of an estimator that recommends columns."""

    def recommend(
        self,
        rows: Any,
        n: int = 10,
        *,
        known: Any = None,
        exclude: str = ONES,
        groups: Sequence[Any] | None = None,
        itself: bool | None = None,
        names: Sequence[str] | None = None,
    ) -> Recommendations:
        """Return the n columns of each row whose E[v] is largest among those that are not known.

        Parameters
        ----------
        rows : int array (m,), or a matrix (m, N) as for `transform`
            Rows of the fitted matrix by their indices, or new rows, which are folded in.
        n : int
            The number of columns to recommend to each row.
        known : matrix (F, N), optional
            For rows given by their indices: the known entries, usually the fitted matrix; without it nothing is
            left out. For new rows their own entries are known. Of a BinaryMatrix of an undirected network E[v] is the
            mean of both directions of a tie.
        exclude : {"ones", "observed"}
            What to leave out: entries above zero, or every observed entry, so that only missing entries are
            recommended.
        groups : sequence of m labels, optional
            The group of each new row, in models with groups of rows; default: those of the matrix, if it has them.
        itself : bool, optional
            Whether a row may be recommended the column that it is itself in a network, that of the same name; if names
            say nothing, that of the same index. By default it may not where rows and columns of the fitted matrix have
            the same names, or where half of the names are of both, and are no numbers.
        names : sequence of m str, optional
            The names of new rows; default: those of the matrix, if it has some.

        Returns
        -------
        Recommendations
            Columns with the same E[v] are in the order of V; if they tie at place n, some of them are left out.
            Rows are processed in blocks, so that memory does not grow with rows times columns.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ConfigError
            If n is not an integer of at least 1, `exclude` is neither of these, or `itself` is not a bool.
        DataError
            If an index is outside the fitted matrix, a matrix has another shape or other names, `known` is given with
            new rows, `names` or `groups` without them, or `groups` to a model that has none; if there are not as many
            `names` as new rows, or none by which `itself` = False could find columns.
        """
        self._require_fit()
        check_count("n", n, 1)
        if exclude not in EXCLUDED:
            raise not_allowed("exclude", exclude, " or ".join(EXCLUDED))
        if itself not in (None, True, False):
            raise not_allowed("itself", itself, "True, False or None")
        rows = rows if hasattr(rows, "shape") else _as_array(rows)
        if len(rows.shape) == 2:
            if known is not None:
                raise DataError(Setting("known"), ": new rows say themselves what is known; allowed: None")
            own = self._own_columns(rows, names, itself)
            fold_in = functools.partial(
                self._recommend_to_new_rows, V=rows, groups=groups, n=n, exclude=exclude, own=own
            )
            return self._fold_in(fold_in, rows, axis=1)
        for name, given in (("groups", groups), ("names", names)):
            if given is not None:
                raise DataError(Setting(name), ": those of rows of the fit are known; allowed: None")
        itself = not self._is_network if itself is None else itself
        return self._recommend_to_fitted_rows(self._checked_rows(rows), n, known, exclude, itself)

    @property
    def _is_network(self) -> bool:
        """Whether rows and columns are the same things, as their names say."""
        rows, columns = self.row_names_, self.column_names_
        if rows is None or columns is None:
            return False
        return np.array_equal(rows, columns) or bool(shared_names(rows, columns))

    def _own_columns(self, V: Any, names: Sequence[str] | None, itself: bool | None) -> np.ndarray | None:
        """Return the column with the name of each new row: int array (m,), -1 for none.

        None if a row may be recommended any column.
        """
        if names is not None and len(names) != V.shape[0]:
            raise DataError(
                Setting("names"), f": there are {len(names)}; needed are {V.shape[0]}, one for each new row"
            )
        names = names_of(V)[0] if names is None else names
        has_names = names is not None and self.column_names_ is not None
        if itself is False and not has_names:
            raise DataError(Setting("itself", itself), ": needed are names of the new rows, and of columns of the fit")
        if not has_names or not (self._is_network if itself is None else not itself):
            return None
        return matching_columns(names, self.column_names_)

    def _checked_rows(self, rows: Any) -> np.ndarray:
        indices, size = as_indices(rows), self.W_.shape[0]
        if indices.ndim != 1 or indices.dtype.kind not in "iu":
            raise DataError(Setting("rows"), ": must be integers (m,), or a matrix of new rows")
        if indices.size and not (indices.min() >= 0 and indices.max() < size):
            wrong = indices[(indices < 0) | (indices >= size)][0]
            raise DataError(f"row {wrong}: must be 0 to {size - 1}")
        return indices

    def _recommend_to_fitted_rows(
        self, rows: np.ndarray, n: int, known: Any, exclude: str, itself: bool
    ) -> Recommendations:
        values = None if known is None else self.values_of(known)
        shape = self.W_.shape[0], self.H_.shape[1]
        if values is not None and values.shape != shape:
            raise DataError(Setting("known"), f" has shape {values.shape}: must be {shape}, that of the fitted one")
        for axis in (0, 1):
            self.refuse_other_names(known, axis, "known")
        parts, own = [], None if itself else self._own_columns_of_fit()
        of_ties = are_ties(known)
        with one_blas_thread():
            for block in in_blocks(rows.size, shape[1]):
                mean = self.mean_of_rows(rows[block])
                if of_ties:
                    mean = (mean + self.predict(np.arange(shape[0])[:, None], rows[block]).T) / 2
                without = np.zeros(mean.shape, bool)
                if values is not None:
                    without = self._excluded_entries(rows_of(values, rows[block]), exclude)
                if own is not None:
                    without |= own[rows[block], None] == np.arange(shape[1])
                parts.append(best(mean, without, n))
        return _joined(parts, n)

    def _own_columns_of_fit(self) -> np.ndarray:
        """Return the column that each fitted row is, that of its index where names say nothing: int array (F,)."""
        if self._is_network:
            return matching_columns(self.row_names_, self.column_names_)
        return np.arange(self.W_.shape[0])

    def _recommend_to_new_rows(
        self, values: Any, V: Any, groups: Sequence[Any] | None, n: int, exclude: str, own: np.ndarray | None
    ) -> Recommendations:
        means, parts = self._means_of_rows(V, groups), []
        for block in in_blocks(*values.shape):
            places = np.arange(block.start, block.stop)
            part = rows_of(values, places)
            without = self._excluded_entries(part, exclude)
            if own is not None:
                without |= own[places, None] == np.arange(without.shape[1])
            parts.append(best(means(part, places), without, n))
        return _joined(parts, n)

    def _excluded_entries(self, values: Any, exclude: str) -> np.ndarray:
        """Return which entries of some rows are not recommended, bool array (m, N)."""
        if isinstance(values, np.ndarray):
            observed = self.likelihood.is_observed(values)
            return observed if exclude == OBSERVED else observed & (values > 0)
        is_excluded = np.full(values.shape, exclude == OBSERVED)
        is_excluded[(values.missing if exclude == OBSERVED else values.above_zero).nonzero()] = exclude != OBSERVED
        return is_excluded

    def mean_of_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return E[v] of all entries of some rows of the fitted matrix, by their indices: float array (m, N)."""
        self._require_fit()
        if self.has_expectation:
            return self.expectation_[rows]
        return self._mean_of_rows(rows)

    def _mean_of_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return E[v] of some rows where none was kept; classes whose E[V] is not that of `factors_` redefine it."""
        return self.mean(self.factors_, rows)


def _as_array(rows: Any) -> np.ndarray:
    """Return a list of indices, or lists that are rows, as an array."""
    try:
        return as_indices(rows)
    except ValueError as error:
        raise DataError("the rows of a matrix have the same length; these have not") from error


def rows_of(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array or of SparseCounts."""
    if isinstance(values, np.ndarray):
        return values[rows]
    return type(values)(values.above_zero[rows], values.missing[rows])


def best(mean: np.ndarray, known: np.ndarray, n: int) -> Recommendations:
    """Return the n columns with the largest means (m, N) of each row, of those that are not known, (m, N)."""
    scores = np.where(known, -np.inf, mean)
    most = min(n, scores.shape[1])
    first = np.sort(np.argpartition(-scores, most - 1, axis=1)[:, :most], axis=1)
    best = np.take_along_axis(scores, first, axis=1)
    order = np.argsort(-best, axis=1, kind="stable")
    columns, expectation = (np.take_along_axis(each, order, axis=1) for each in (first, best))
    is_known = np.isneginf(expectation)
    columns, expectation = np.where(is_known, NONE_LEFT, columns), np.where(is_known, np.nan, expectation)
    wider = (0, 0), (0, n - most)
    return Recommendations(
        np.pad(columns, wider, constant_values=NONE_LEFT), np.pad(expectation, wider, constant_values=np.nan)
    )


def _joined(parts: list[Recommendations], n: int) -> Recommendations:
    """Return the recommendations of blocks of rows as those of all."""
    parts = parts or [Recommendations(np.empty((0, n), np.int64), np.empty((0, n)))]
    return Recommendations(*(np.vstack(each) for each in zip(*parts, strict=True)))
