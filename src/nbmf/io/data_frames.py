"""Tables that pandas reads, Parquet files and data frames of R; rows are counted from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.value_codes import ValueCoding, texts_of
from nbmf.errors import DataError
from nbmf.io.arrow_pieces import parquet_file
from nbmf.io.cells import Block, Table, UnknownCell
from nbmf.io.coded_matrix import refuse_huge
from nbmf.io.encoding import UnknownValue, encode
from nbmf.io.extras import refusing_damaged

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(path: Path) -> Table:
    """Read a Parquet file with pyarrow."""
    with refusing_damaged(path, "Parquet file"), parquet_file(path) as file:
        refuse_huge(path, file.metadata.num_rows, file.metadata.num_columns)
        frame = file.read().to_pandas()
    return FrameTable(path, "Parquet", frame)


class FrameTable(Table):
    """A data frame as a table, in one block; its index has names of rows unless it is a range nobody named.

    Other whole numbers that nobody named, such as those that are left after some rows were chosen, are names where no
    column has such, and none of them is there twice.
    """

    unit = "row"

    def __init__(self, path: Path, format: str, frame: pd.DataFrame):
        if not len(frame):
            raise DataError(f"{path}: columns and no rows")
        self.path, self.format, self.frame = path, format, frame
        self.names = [str(name) for name in frame.columns]
        index = frame.index
        if index.name is not None or index.dtype.kind not in "iu":
            self.row_names = texts_of(cells_of(index.to_series()))
        elif index.is_unique and not _is_range(index):
            self.row_numbers = texts_of(index.tolist())

    def blocks(self) -> Iterator[Block]:
        """Yield the one block."""
        yield FrameBlock(self.frame)


def _is_range(index: pd.Index) -> bool:
    """Whether an index counts on from 0, as that of pandas does, or is a range from 1 on, as that of R."""
    is_of_r = hasattr(index, "step") and index.start == index.step == 1
    return is_of_r or bool((index.to_numpy() == np.arange(len(index))).all())


class FrameBlock(Block):
    """All rows of a data frame."""

    def __init__(self, frame: pd.DataFrame):
        self._frame, self.lines = frame, range(1, len(frame) + 1)

    def cells(self, column: int) -> list:
        """Return a column, None where a value is missing."""
        return cells_of(self.name_values(column))

    def name_values(self, column: int) -> pd.Series:
        """Return a column as names."""
        return self._frame.iloc[:, column]

    def coded_values(self, column: int, coding: ValueCoding) -> pd.Series:
        """Return a column as a coding takes it."""
        return self._frame.iloc[:, column]

    def codes(self, columns: Sequence[int], coding: ValueCoding) -> np.ndarray:
        """Return the codes of some columns, an array (rows, columns)."""
        codes = np.empty((len(self._frame), len(columns)), coding.dtype)
        for place, column in enumerate(columns):
            try:
                codes[:, place] = encode(coding, self.coded_values(column, coding))
            except UnknownValue as unknown:
                raise UnknownCell(self.lines[unknown.place], column, unknown.value) from None
        return codes


def cells_of(values: pd.Series) -> list:
    """Return values, None where missing, texts without blanks around them."""
    cells = values.astype(object).where(values.notna(), None).tolist()
    return [cell.strip() if isinstance(cell, str) else cell for cell in cells]
