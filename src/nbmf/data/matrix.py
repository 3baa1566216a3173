"""The binary matrix with missing entries, and the one door through which such data enter."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.data.given import (
    MISSING,
    as_numbers,
    as_pandas,
    frame_values,
    is_sparse,
    naming,
    refuse_wrong,
    sum_duplicates,
    two_dimensional,
)
from nbmf.data.named import NamedMatrix
from nbmf.data.signs import MinusOnes, are_signs, may_have_signs, off_diagonal
from nbmf.data.value_codes import Coding
from nbmf.errors import DataError, Setting

if TYPE_CHECKING:
    import pandas as pd

ALLOWED = "0, 1 and missing (NaN or -1)"
# Of a matrix made from fewer values, such as a sparse one: checks and fits hold some ten bytes for
# each entry.
MAX_ENTRIES = 2**28


@dataclass(frozen=True, eq=False, repr=False)
class BinaryMatrix(NamedMatrix):
    """A binary matrix V with missing entries, the names of its rows and columns, and row groups.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0 or -1 (missing). Every row and every column has an observed entry.
    row_names, column_names : str arrays (F,), (N,)
        Unique names.
    row_groups : str array (F,), optional
        A group per row, for example the party of a member of parliament.

    Raises
    ------
    DataError
        If a value is not 1, 0 or -1, the matrix is empty, a row or column has no observed entry, names repeat, or
        lengths differ.
    """

    codes: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    row_groups: np.ndarray | None = None

    field = "codes"
    hint = "; leave the column out, or say which values mean what: BinaryMatrix.from_frame(V, ones=[...], zeros=[...])"

    @staticmethod
    def _checked(values: Any) -> np.ndarray:
        values = two_dimensional(values)
        if values.dtype == bool or values.dtype == np.int8:
            codes = values.astype(np.int8)
            wrong = (codes < MISSING) | (codes > 1)
        else:
            numbers = as_numbers(values, ALLOWED)
            missing = np.isnan(numbers) | (numbers == MISSING)
            wrong = ~(missing | (numbers == 0) | (numbers == 1))
            codes = np.where(missing | wrong, MISSING, numbers).astype(np.int8)
        refuse_wrong(values, wrong, ALLOWED)
        return codes

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        ones: Collection[Any] | None = None,
        zeros: Collection[Any] | None = None,
        missing: Collection[Any] | None = None,
    ) -> BinaryMatrix:
        """Make a matrix from a DataFrame, whose cells mean what they mean in a file.

        Rows and columns without an observed entry are left out.

        Parameters
        ----------
        frame : DataFrame
            Its index and columns name rows and columns.
        ones, zeros, missing : collections, optional
            The values that mean 1, 0 and missing, for example ones=["y"], zeros=["n"], each instead of the
            defaults of `nbmf.read`: 1, true and yes; 0, false and no; nothing, -1, ?, NA and the like. NaN and None
            are always missing.

        Warns
        -----
        LeftOutWarning
            If there are rows or columns without an observed entry.

        Raises
        ------
        DataError
            If a value has no meaning, or if -1 is more frequent than 0 or than a fifth of all values, and neither
            `zeros` nor `missing` is given: it may be a no, as in roll calls, or in a network, of which several are
            enough, a negative tie. Columns of int8 are taken for codes.
        """
        frame = as_pandas(frame)
        return cls._of_frame(frame, _codes_of_frame(frame, Coding(ones, zeros, missing)))

    @classmethod
    def _values_of_frame(cls, frame: pd.DataFrame) -> np.ndarray:
        return _codes_of_frame(frame, Coding())

    @classmethod
    def from_sparse(
        cls, values: Any, row_names: Any = None, column_names: Any = None, row_groups: Any = None
    ) -> BinaryMatrix:
        """Make a matrix from a scipy.sparse matrix or array: what it does not store is 0.

        Stored are 1, 0 and missing (NaN or -1). The matrix keeps all its entries: F x N bytes,
        at most MAX_ENTRIES.
        """
        if not is_sparse(values):
            raise DataError(f"a scipy.sparse matrix is needed, not {type(values).__name__}")
        return cls.from_array(_all_entries(values), row_names, column_names, row_groups)

    def counts(self) -> dict[str, int]:
        """Return rows, columns, ones, zeros and missing."""
        rows, columns = self.shape
        ones, zeros = (int(np.count_nonzero(self.codes == value)) for value in (1, 0))
        return {
            "rows": rows,
            "columns": columns,
            "ones": ones,
            "zeros": zeros,
            "missing": rows * columns - ones - zeros,
        }


def are_ties(matrix: Any) -> bool:
    """Return whether it is a symmetric BinaryMatrix: entries are ties without a direction, each of one probability."""
    return type(matrix) is BinaryMatrix and matrix.is_symmetric()


def as_codes(data: BinaryMatrix | np.ndarray | pd.DataFrame) -> np.ndarray:
    """Return the codes (int8, F x N) of a matrix, an array or a DataFrame.

    Unlike a BinaryMatrix, codes may have rows or columns with no observed entry: a held-out mask
    can empty them, and a model then predicts them from its prior.

    Raises
    ------
    DataError
        If a value is none of 1, 0 and missing, the matrix is empty or wholly missing, or sparse, or if many values of
        a DataFrame are -1, see `BinaryMatrix.from_frame`.
    """
    if isinstance(data, NamedMatrix) and not isinstance(data, BinaryMatrix):
        way_out = "; V.above(0) makes one of counts" if hasattr(data, "above") else ""
        if is_sparse(data):
            way_out = ", which nbmf.BernoulliPoissonVB and BernoulliPoissonGibbs take"
        raise DataError(f"a binary matrix is needed, not a {type(data).__name__}{way_out}")
    return BinaryMatrix.values_of(data)


def _codes_of_frame(frame: pd.DataFrame, coding: Coding) -> np.ndarray:
    """Return int8 codes of the cells of a DataFrame, by what they mean in a file."""
    values = two_dimensional(frame_values(frame))
    cells = np.where(values != values, None, values).ravel()  # NaN is not equal to itself
    try:
        codes = coding.look_up_values(cells).reshape(values.shape)
        wrong = codes == coding.unknown
    except TypeError:  # lists in cells
        wrong = np.array([not isinstance(cell, Hashable) for cell in cells]).reshape(values.shape)
    with naming(frame, BinaryMatrix.hint):
        refuse_wrong(values, wrong, coding.words)
    if may_have_signs(coding) and not _has_type_of_codes(frame):
        _refuse_signs(MinusOnes().look_up_values(cells).reshape(values.shape) == 1, codes, _ties_of_frame(frame))
    return codes


def _has_type_of_codes(frame: pd.DataFrame) -> bool:
    """Whether all columns are int8, as the codes of a matrix are, in which -1 is missing."""
    return all(str(kind) == "int8" for kind in getattr(frame, "dtypes", [None]))


def _ties_of_frame(frame: pd.DataFrame) -> np.ndarray | None:
    """Return which entries are ties between two nodes, if rows and columns are the same names; numbers are none."""
    sides = [list(getattr(frame, side, ())) for side in ("index", "columns")]
    are_names = all(isinstance(name, str) for names in sides for name in names)
    return off_diagonal(*sides) if are_names and all(sides) else None


def _refuse_signs(are_minus_ones: np.ndarray, codes: np.ndarray, ties: np.ndarray | None) -> None:
    """Raise DataError if so many values are -1 that it may be an answer, as a no in roll calls, or a negative tie."""
    minus_ones = int(np.count_nonzero(are_minus_ones if ties is None else are_minus_ones & ties))
    if are_signs(minus_ones, codes, are_ties=ties is not None):
        zeros, what = int(np.count_nonzero(codes == 0)), "no" if ties is None else "negative tie"
        raise DataError(
            f"-1 is there {minus_ones} times, and 0 {zeros} times: it may be a {what} or mean missing. "
            "BinaryMatrix.from_frame takes -1 for zeros, and 0 and NaN for missing, with ",
            Setting("zeros", [-1]),
            ", ",
            Setting("missing", [0]),
            "; if -1 means missing, replace it: V.replace(-1, np.nan)",
        )


def _all_entries(values: Any) -> np.ndarray:
    """Return a scipy.sparse matrix as an array; what is not stored is 0."""
    if math.prod(values.shape) > MAX_ENTRIES:
        raise DataError(
            f"a sparse matrix of shape {values.shape} has more than {MAX_ENTRIES} entries; "
            "a matrix is kept with all of them; nbmf.BernoulliPoissonVB fits a sparse one as it is"
        )
    stored = sum_duplicates(values)
    is_missing = np.isnan(stored.data) | (stored.data == MISSING)
    if (is_missing | (stored.data == 0) | (stored.data == 1)).all():  # a byte each when there are zeros too
        stored.data = np.where(is_missing, MISSING, stored.data).astype(np.int8)
    return stored.toarray()
