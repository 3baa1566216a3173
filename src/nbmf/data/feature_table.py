"""The table of features of several kinds: real, categorical, binary, counts, words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbmf.data import feature_columns
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_columns import BERNOULLI, DISCRETE, FEATURE_KINDS, GAUSSIAN, POISSON, WORD
from nbmf.data.given import as_numbers, as_pandas, is_frame, is_sparse, two_dimensional
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NAMES, NamedMatrix, names_of
from nbmf.data.names import texts_of_index, texts_of_labels, with_default_names
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError, NotSupportedError, choices, naming_file
from nbmf.numerics.cells import rows_between

if TYPE_CHECKING:
    import pandas as pd

MATRICES = ((BinaryMatrix, BERNOULLI), (RealMatrix, GAUSSIAN), (CountMatrix, POISSON))


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable(NamedMatrix):
    """Rows with features of several kinds, some of them missing.

    Only observed cells are kept, row by row: those of row f are `starts[f]` up to `starts[f + 1]`.
    A row may have none; a table of words has documents as rows, and no missing entries.

    Parameters
    ----------
    cells : float64 array (n,)
        The values: codes of categories from 0 on in a discrete column, a count for a word.
    columns : int32 array (n,)
        Their columns, ascending in each row.
    starts : int64 array (F + 1,)
        Where each row starts.
    kinds : str array (N,)
        The distribution of each column, one of FEATURE_KINDS; either all columns are words or none is.
    sizes : int64 array (N,)
        How many categories a discrete column has; 2 for a Bernoulli column, 0 for others.
    categories : str array (sum of sizes,)
        Their names, column after column.
    row_names, column_names : str arrays (F,), (N,)
        Unique names.
    row_groups : str array (F,), optional
        The label (class) of each row, which no fit sees.

    Raises
    ------
    DataError
        If a value is not allowed in its column (the message names row and column), or parts do not
        fit together.
    """

    cells: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    kinds: np.ndarray
    sizes: np.ndarray
    categories: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    field = "cells"

    def __post_init__(self) -> None:
        dtypes = {"cells": float, "columns": np.int32, "starts": np.int64, "sizes": np.int64}
        arrays = {name: np.array(getattr(self, name), kind) for name, kind in dtypes.items()}
        arrays |= {name: np.array(getattr(self, name), str) for name in ("kinds", "categories", *NAMES)}
        if self.row_groups is not None:
            arrays["row_groups"] = texts_of_labels(self.row_groups)
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        self._check_shapes()
        for name in NAMES:
            if np.unique(getattr(self, name)).size < getattr(self, name).size:
                raise DataError(f"{name}: a name stands for more than one")
        feature_columns.refuse_wrong_values(self)

    def _check_shapes(self) -> None:
        F, N = self.shape
        lengths = {"columns": self.cells.size, "kinds": N, "sizes": N, "starts": F + 1}
        lengths |= {"categories": int(self.sizes.sum())}
        if self.row_groups is not None:
            lengths["row_groups"] = F
        for name, length in lengths.items():
            if getattr(self, name).shape != (length,):
                raise DataError(f"{name}: {length} are needed, not {getattr(self, name).shape}")
        if F == 0 or N == 0:
            raise DataError(f"the table is empty: {F} rows, {N} columns")
        for kind in np.unique(self.kinds):
            if kind not in FEATURE_KINDS:
                raise DataError(f"a column of kind {str(kind)!r}; {choices(kind, FEATURE_KINDS)}")
        if WORD in self.kinds and (self.kinds != WORD).any():
            raise DataError("columns are words all or none: a document has no other features")
        ends = self.starts[[0, -1]].tolist() == [0, self.cells.size]
        if not ends or (np.diff(self.starts) < 0).any():
            raise DataError("starts: must be ascending places from 0 to the number of cells")
        position = self.row_of_cell() * N + self.columns
        inside = (self.columns >= 0) & (self.columns < N)
        if not (inside.all() and (np.diff(position) > 0).all()):
            raise DataError(f"columns: must be 0 to {N - 1}, ascending in each row")

    # --- Making one -------------------------------------------------------------------------------

    @classmethod
    def from_array(
        cls,
        values: Any,
        row_names: Any = None,
        column_names: Any = None,
        row_groups: Any = None,
        *,
        kinds: Any = GAUSSIAN,
    ) -> Self:
        """Make a table from an array of numbers (F, N), NaN where missing.

        `kinds` is that of all columns, or one per column. A discrete column has as many categories
        as its largest code says.
        """
        values = as_numbers(two_dimensional(values), "numbers, NaN where missing")
        rows, columns = np.nonzero(~np.isnan(values))
        cells = values[rows, columns]
        return cls._of_cells(values.shape, (rows, columns, cells), kinds, (row_names, column_names, row_groups))

    @classmethod
    def from_sparse(
        cls,
        values: Any,
        row_names: Any = None,
        column_names: Any = None,
        row_groups: Any = None,
        *,
        kinds: Any = GAUSSIAN,
    ) -> Self:
        """Make a table from a scipy.sparse matrix: what it does not store is missing."""
        cells = feature_columns.stored_entries(values)
        return cls._of_cells(values.shape, cells, kinds, (row_names, column_names, row_groups))

    @classmethod
    def from_documents(cls, counts: Any, row_names: Any = None, words: Any = None, row_groups: Any = None) -> Self:
        """Make a table from documents by words, an array or a scipy.sparse matrix of counts.

        A count of 0 is a word that is not there, and has no cell; nothing is missing.
        """
        if is_sparse(counts):
            rows, columns, cells = feature_columns.stored_entries(counts)
        else:
            of_rows, of_words = names_of(counts)  # of a DataFrame
            row_names, words = (of_rows if row_names is None else row_names), (of_words if words is None else words)
            counts = as_numbers(two_dimensional(as_pandas(counts)), "whole numbers from 0 on")
            rows, columns, cells = feature_columns.nonzero_entries(counts)
        present = cells != 0
        cells = rows[present], columns[present], cells[present]
        return cls._of_cells(counts.shape, cells, WORD, (row_names, words, row_groups))

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, kinds: Mapping[str, str] | str | None = None, labels: str | None = None
    ) -> Self:
        """Make a table from a DataFrame; NaN and None are missing, and columns without a value are left out.

        Parameters
        ----------
        frame : DataFrame
            Numbers, truth values and texts.
        kinds : dict or str, optional
            The kind of some columns by name, or of all. Of others it is seen from their values: of
            texts and categories "discrete", of 0 and 1 alone "bernoulli", of other numbers
            "gaussian". Codes of categories and counts have to be named.
        labels : str, optional
            The column with the label of each row, which is no feature.

        Warns
        -----
        LeftOutWarning
            If there are columns without a value whose kind is not named.
        """
        frame, given, labelled = feature_columns.split_frame(as_pandas(frame), kinds, labels)
        columns = [feature_columns.code_column(name, frame[name], given.get(name)) for name in frame.columns]
        values = np.column_stack([values for values, _, _ in columns])
        rows, places = np.nonzero(~np.isnan(values))
        names = *map(texts_of_index, frame.axes), labelled
        return cls._of_cells(
            values.shape,
            (rows, places, values[rows, places]),
            [kind for _, kind, _ in columns],
            names,
            {n: categories for n, (_, _, categories) in enumerate(columns) if categories is not None},
        )

    @classmethod
    def of(cls, V: Any) -> Self:
        """Return V as a table: itself, or one made of a matrix, a DataFrame or an array.

        Columns of a BinaryMatrix are Bernoulli, of a CountMatrix Poisson, others Gaussian; its
        groups of rows are the labels.
        """
        if isinstance(V, cls):
            return V
        if isinstance(V, NamedMatrix):
            kind = next((kind for matrix, kind in MATRICES if isinstance(V, matrix)), None)
            if kind is None:
                raise DataError(f"a {type(V).__name__} is no table; allowed: binary, real and count matrices")
            values = np.where(V.observed, getattr(V, V.field), np.nan)
            return cls.from_array(values, *(getattr(V, name) for name in NAMES), V.row_groups, kinds=kind)
        if is_sparse(V):
            raise DataError("the matrix is sparse: from_documents(V) or from_sparse(V) declare what its values are")
        return cls.from_frame(V) if is_frame(V) else cls.from_array(V)

    @classmethod
    def _of_cells(cls, shape, cells, kinds, names, categories=None) -> Self:
        """Make a table of rows, columns and values of cells; `categories` by column, if named."""
        F, N = shape
        rows, columns, values = cells
        kinds = feature_columns.kinds_of_columns(kinds, N)
        sizes = np.where(kinds == BERNOULLI, 2, 0).astype(np.int64)
        categories = categories or {}
        for n in np.flatnonzero(kinds == DISCRETE):
            codes = values[columns == n]
            n_categories = int(codes.max()) + 1 if codes.size and np.isfinite(codes).all() else 1
            sizes[n] = len(categories[n]) if n in categories else max(n_categories, 1)
        texts = [categories.get(n, [str(r) for r in range(sizes[n])]) for n in range(N)]
        row_names, column_names, row_groups = names
        return cls(
            values,
            columns,
            np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=F))]),
            kinds,
            sizes,
            [text for of_column in texts for text in of_column],
            *with_default_names(shape, row_names, column_names),
            row_groups,
        )

    @classmethod
    def of_parts(cls, path: str | os.PathLike, parts: dict[str, np.ndarray]) -> Self:
        """Return the table whose arrays the file `path` holds; see NamedMatrix.of_parts."""
        needed = set(cls.__dataclass_fields__) - {"row_groups"}
        if needed - parts.keys() or parts.keys() - needed - {"row_groups"}:
            raise DataError(f"{path}: a table file holds {', '.join(sorted(needed))}")
        with naming_file(path, ValueError):
            return cls(**parts)

    # --- Looking at it ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return self.row_names.size, self.column_names.size

    @property
    def T(self) -> Self:
        """A table has no transpose, since the values of a row are of several kinds."""
        raise NotSupportedError("a FeatureTable has no transpose: each of its columns has its own distribution")

    @property
    def observed(self) -> np.ndarray:
        """Boolean array (F, N): True where there is a value; everywhere for words."""
        observed = np.full(self.shape, WORD in self.kinds)
        observed[self.row_of_cell(), self.columns] = True
        return observed

    def row_of_cell(self) -> np.ndarray:
        """Return the row of each cell, int64 array (n,)."""
        return rows_between(self.starts)

    def values(self) -> np.ndarray:
        """Return the values as an array (F, N), NaN where missing and 0 for an absent word."""
        values = np.full(self.shape, 0.0 if WORD in self.kinds else np.nan)
        values[self.row_of_cell(), self.columns] = self.cells
        return values

    def take_rows(self, rows: np.ndarray) -> Self:
        """Return the table of some rows, bool (F,) or indices; columns stay, observed or not."""
        rows = np.arange(self.shape[0])[rows]
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], sizes)
        groups = None if self.row_groups is None else self.row_groups[rows]
        return type(self)(
            self.cells[cells],
            self.columns[cells],
            starts,
            self.kinds,
            self.sizes,
            self.categories,
            self.row_names[rows],
            self.column_names,
            groups,
        )
