"""All tables of a folder as sheets of one Excel workbook."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nbmf.io.extras import import_extra

SUFFIX = ".xlsx"
MOST_CELLS = 2**20  # of a sheet, some ten seconds
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # that Excel has


def check(path: Path) -> None:
    """Raise DataError if no workbook can be written."""
    import_extra("openpyxl", "excel", path, "Excel workbooks")


def write(path: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables as sheets; texts are texts, so that nothing in a name is run as a formula.

    Parameters
    ----------
    path : path
    tables : mapping from the name of a sheet to a table without an index
        None larger than `is_too_large` says.
    """
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    workbook = openpyxl.Workbook(write_only=True)
    for name, table in tables.items():
        sheet = workbook.create_sheet(name)
        sheet.freeze_panes = "B2"

        def cell(value: Any, sheet=sheet) -> Any:
            if not isinstance(value, str):
                return _plain(value)
            made = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value))
            made.data_type = "s"  # what begins with = is no formula
            return made

        sheet.append([cell(str(column)) for column in table.columns])
        for row in table.itertuples(index=False, name=None):
            sheet.append([cell(value) for value in row])
    workbook.save(path)


def is_too_large(table: pd.DataFrame) -> bool:
    """Whether a table has more than a sheet can have, or than is written in a few seconds."""
    rows, columns = table.shape
    return rows >= MOST_ROWS or columns > MOST_COLUMNS or rows * columns > MOST_CELLS


def _plain(value: Any) -> Any:
    """Return a number or a truth value of Python, None where nothing is."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or value is pd.NA or value != value:
        return None
    return value if isinstance(value, bool | int | float) and abs(value) != np.inf else str(value)
