"""Sheets of Excel workbooks (.xlsx, .xlsm) as records of texts, read with openpyxl."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from nbmf.data.value_codes import text_of
from nbmf.errors import DataError, Setting
from nbmf.io.cells import count_phrase
from nbmf.io.coded_matrix import refuse_huge
from nbmf.io.extras import import_extra, refusing_damaged
from nbmf.io.records import Record, Records

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

MAX_BYTES = 2**30  # of what a workbook unpacks to: a few kilobytes may declare any size
FORMULA, EMPTY_TEXT = "f", "str"  # types of cells in openpyxl; the second is left of a formula that came to ""
SHOWN = 3  # places in a note


class _Cell(NamedTuple):
    """A cell that is not empty."""

    row: int  # from 1
    column: int
    value: Any
    place: str  # "B3"
    is_formula: bool


def read_excel(path: Path, name: str | None = None) -> Sheet:
    """Read the sheet that is named, or the only one with anything in it; macros and formulas are not run."""
    openpyxl = import_extra("openpyxl", "excel", path, "Excel workbooks")
    with refusing_damaged(path, "Excel workbook"), open(path, "rb") as file:
        _refuse_bomb(path, file)
        sheet, others = _choose_sheet(path, openpyxl.load_workbook(file).worksheets, name)
        cells = list(_cells(sheet))
        if formulas := [cell for cell in cells if cell.is_formula]:
            values = openpyxl.load_workbook(file, data_only=True)[sheet.title]
            cells = list(_replace_formulas(path, cells, values))
    if not cells:
        raise DataError(f"{path}: sheet {sheet.title!r} is empty")
    return Sheet(path, sheet, cells, formulas, others)


def _refuse_bomb(path: Path, file: BinaryIO) -> None:
    with zipfile.ZipFile(file) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
            raise DataError(f"{path}: unpacks to more than {MAX_BYTES / 2**30:g} GiB")


def _choose_sheet(path: Path, sheets: list[Worksheet], name: str | None) -> tuple[Worksheet, list[str]]:
    """Return the sheet to read, and the names of the others."""
    titles = [sheet.title for sheet in sheets]
    names = ", ".join(map(repr, titles))
    if name is not None and name not in titles:
        raise DataError(f"{path}: has no sheet {name!r}, but {names or 'no sheet of cells'}")
    filled = [sheet for sheet in sheets if any(True for _ in _cells(sheet))]
    chosen = filled if name is None else [sheet for sheet in sheets if sheet.title == name]
    if not chosen:
        raise DataError(f"{path}: all sheets are empty ({names})")
    if len(chosen) > 1:
        raise DataError(f"{path}: has the sheets {names}; choose one with ", Setting("name", chosen[0].title))
    return chosen[0], [title for title in titles if title != chosen[0].title]


def _cells(sheet: Worksheet) -> Iterator[_Cell]:
    for row in sheet.iter_rows():
        for cell in row:
            if not _is_empty(cell.value):
                yield _Cell(cell.row, cell.column, cell.value, cell.coordinate, cell.data_type == FORMULA)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _replace_formulas(path: Path, cells: list[_Cell], values: Worksheet) -> Iterator[_Cell]:
    """Yield cells with what their formulas came to when the file was saved, without those that came to nothing."""
    for cell in cells:
        if not cell.is_formula:
            yield cell
            continue
        value = values[cell.place].value
        if value is None and values[cell.place].data_type != EMPTY_TEXT:
            raise DataError(
                f"{path}, sheet {values.title!r}, cell {cell.place}: a formula, {str(cell.value)!r}, whose value is "
                "not in the file; open it in a spreadsheet program and save it, or save the sheet as CSV"
            )
        if not _is_empty(value):
            yield cell._replace(value=value)


class Sheet(Records):
    """The records of a sheet: its rows, without columns of empty cells."""

    unit = "row"

    def __init__(self, path: Path, sheet: Worksheet, cells: list[_Cell], formulas: list[_Cell], others: list[str]):
        self.path, self.format = path, f"Excel, sheet {sheet.title!r}"
        self._columns = sorted({cell.column for cell in cells})
        place_of = {column: place for place, column in enumerate(self._columns)}
        first, last = cells[0].row, cells[-1].row
        refuse_huge(path, last - first + 1, len(self._columns))
        rows: dict[int, list[str]] = {}
        for cell in cells:
            fields = rows.setdefault(cell.row, [""] * len(self._columns))
            fields[place_of[cell.column]] = _text(cell.value)
        self._records = [Record(row, fields) for row, fields in rows.items()]
        self.empty = last - first + 1 - len(rows)
        self.find_titles()
        self.notes = tuple(_notes(sheet, cells, formulas, others, range(first, last + 1)))

    def all_records(self) -> Iterator[Record]:
        """Yield the rows that are not empty."""
        return iter(self._records)

    def _location_of(self, field: int) -> str:
        """Return the words for a cell of the first row."""
        return f"cell {_column_letters(self._columns[field])}{self.first.line}"


def _text(value: Any) -> str:
    """Return a value as a text; a date without a time as 2020-01-31."""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return text_of(value).strip()


def _column_letters(column: int) -> str:
    from openpyxl.utils import get_column_letter  # an extra, which is there once a workbook was read

    return get_column_letter(column)


def _notes(
    sheet: Worksheet, cells: list[_Cell], formulas: list[_Cell], others: list[str], rows: range
) -> Iterator[str]:
    """Yield what is to be said about what a person does not see, or sees otherwise."""
    if others:
        yield f"other sheets: {', '.join(map(repr, others))}"
    if sheet.sheet_state != "visible":
        yield "the sheet is hidden"
    if merged := sorted(str(block) for block in sheet.merged_cells.ranges):
        yield f"merged cells, of which the first has the value and the others are empty: {_first_places(merged)}"
    hidden = [str(row) for row in rows if row in sheet.row_dimensions and sheet.row_dimensions[row].hidden]
    if hidden:
        yield f"{count_phrase(len(hidden), 'hidden row')} read as the others: {_first_places(hidden)}"
    groups = [range(each.min, each.max + 1) for each in sheet.column_dimensions.values() if each.hidden]
    hidden = [
        _column_letters(n) for n in sorted({cell.column for cell in cells}) if any(n in group for group in groups)
    ]
    if hidden:
        yield f"{count_phrase(len(hidden), 'hidden column')} read as the others: {_first_places(hidden)}"
    if formulas:
        places = [cell.place for cell in formulas]
        yield f"{count_phrase(len(places), 'formula')} read as the value of the last save: {_first_places(places)}"
    if dates := [cell.place for cell in cells if isinstance(cell.value, datetime.date)]:
        yield f"{count_phrase(len(dates), 'date')} read as a text such as 2020-01-31: {_first_places(dates)}"


def _first_places(places: list[str]) -> str:
    return ", ".join(places[:SHOWN]) + (", ..." if len(places) > SHOWN else "")
