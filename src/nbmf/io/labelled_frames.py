"""Tables whose variables and values have labels: SPSS (.sav, .zsav) and Stata (.dta)."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbmf.data.matrix import MISSING
from nbmf.data.value_codes import MISSING as MISSING_TEXTS
from nbmf.data.value_codes import Meaning, ValueCoding, text_of
from nbmf.io.cells import Block, count_phrase, quoted_names
from nbmf.io.coded_matrix import refuse_huge
from nbmf.io.data_frames import FrameBlock, FrameTable, cells_of
from nbmf.io.extras import import_extra, refusing_damaged

if TYPE_CHECKING:
    import pandas as pd

Labels = Mapping[Any, str]  # from a value to its label


def read_spss(path: Path, encoding: str | None = None) -> LabelledTable:
    """Read a file of SPSS with pyreadstat; values that it declares missing are missing."""
    pyreadstat = import_extra("pyreadstat", "spss", path, "SPSS files")
    with refusing_damaged(path, "file of SPSS"), warnings.catch_warnings(action="ignore"):
        _, meta = pyreadstat.read_sav(path, encoding=encoding, metadataonly=True, user_missing=True)
        refuse_huge(path, max(meta.number_rows or 0, 0), meta.number_columns)
        frame, _ = pyreadstat.read_sav(path, encoding=encoding)
    values = {
        name: {value: str(label).strip() for value, label in labels.items()}
        for name, labels in meta.variable_value_labels.items()
    }
    declared = len(meta.missing_ranges)
    said = f"values that the file declares missing are missing ({count_phrase(declared, 'variable')})"
    notes = (said,) if declared else ()
    return LabelledTable(path, "SPSS", frame, meta.column_names_to_labels, values, notes)


def read_stata(path: Path) -> LabelledTable:
    """Read a file of Stata with pandas."""
    import pandas as pd

    notes = ()
    with refusing_damaged(path, "file of Stata"), warnings.catch_warnings(action="ignore"):
        frame = pd.read_stata(path, convert_categoricals=False)
        with pd.read_stata(path, iterator=True) as reader:
            variables = reader.variable_labels()
        try:
            values = _labels_of_categories(frame, pd.read_stata(path, order_categoricals=False))
        except ValueError as error:
            if "not unique" not in str(error):
                raise
            values, notes = {}, ("two values of a variable have the same label, so that value labels are not used",)
    return LabelledTable(path, "Stata", frame, variables, values, notes)


def _labels_of_categories(codes: pd.DataFrame, labelled: pd.DataFrame) -> dict[str, dict[Any, str]]:
    """Return the labels of values that are there, by column; pandas has no other way to know their column."""
    labels_of = {}
    for name in labelled.columns[[kind.name == "category" for kind in labelled.dtypes]]:
        pairs = dict(zip(codes[name].tolist(), labelled[name].astype(object).tolist(), strict=True))
        labels_of[name] = {value: label for value, label in pairs.items() if isinstance(label, str)}
    return labels_of


class LabelledTable(FrameTable):
    """A data frame with labels.

    A column is called by its variable and its label, "v1: I like it"; options call it by either. Where a label
    among those of its values means a one, a zero or a count, the labels of a column are its values; else the values
    themselves are, and labels only show what was declared missing. As names, groups and categories a column has
    labels if all its values have one; a label of several values has the value in parentheses behind it, unless it means
    missing.

    Parameters
    ----------
    path, format, frame
        As of a FrameTable.
    labels : mapping from the name of a column to its label, or None
    value_labels : mapping from the name of a column to Labels
    notes : tuple of str
    """

    def __init__(
        self,
        path: Path,
        format: str,
        frame: pd.DataFrame,
        labels: Mapping[str, str | None],
        value_labels: Mapping[str, Labels],
        notes: tuple[str, ...] = (),
    ):
        super().__init__(path, format, frame)
        self._variables = self.names
        texts = {name: " ".join((label or "").split()) for name, label in labels.items()}
        self.names = [
            f"{name}: {texts[name]}" if texts.get(name) not in (None, "", name) else name for name in self._variables
        ]
        self._notes, self._labels, self._read, self._distinguished = notes, {}, {}, {}
        for place, name in enumerate(self._variables):
            if value_labels.get(name):
                self._labels[place] = value_labels[name]

    @property
    def variables(self) -> list[str]:
        """The names of columns without their labels."""
        return self._variables

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said about labels, once the columns were read."""
        longer = [name for name, variable in zip(self.names, self._variables, strict=True) if name != variable]
        notes = list(self._notes)
        if longer:
            notes.append(
                f"names of {count_phrase(len(longer), 'column')} have the label of the variable: {longer[0]!r}"
            )
        texts = Counter((self._describe_labels(place), by_label) for place, by_label in self._read.items())
        for (words, by_label), number in texts.items():
            read = "value labels are" if by_label else "values are, and not their labels,"
            notes.append(f"{read} read in {count_phrase(number, 'column')}: {words}")
        for labels, number in Counter(self._distinguished.values()).items():
            where = count_phrase(number, "column")
            notes.append(f"values with the same label are distinguished in {where}: {quoted_names(labels)}")
        return tuple(notes)

    def _describe_labels(self, place: int) -> str:
        return ", ".join(f"{text_of(value)} {label!r}" for value, label in self._labels[place].items())

    def find_column(self, name: str) -> int:
        """Return the place of a column, by its variable or its name."""
        return self._variables.index(name) if name in self._variables else super().find_column(name)

    def may_name_rows(self, column: int) -> bool:
        """Whether its values have no labels: those that have are answers."""
        return column not in self._labels

    def labels_of(self, column: int) -> Labels:
        """Return the labels of the values of a column."""
        return self._labels.get(column, {})

    def values_of(self, column: int) -> list:
        """Return the values of a column, not their labels."""
        return cells_of(self.frame.iloc[:, column])

    def blocks(self) -> Iterator[Block]:
        """Yield the one block."""
        yield _LabelledBlock(self)

    def coded_values(self, column: int, coding: ValueCoding) -> pd.Series:
        """Return the values of a column, or their labels if these have a meaning in a coding."""
        values, labels = self.frame.iloc[:, column], self._labels.get(column)
        if labels is None:
            return values
        self._read[column] = _have_meanings(labels, coding)
        if self._read[column]:
            return _apply_labels(values, labels)
        missing = [value for value, label in labels.items() if coding.is_declared_missing(label)]
        return values.astype(object).mask(values.isin(missing), None) if missing else values

    def name_values(self, column: int) -> pd.Series:
        """Return the values of a column as names: their labels, if all of them have one."""
        values, labels = self.frame.iloc[:, column], self._labels.get(column, {})
        present = set(values.dropna().unique())
        if not labels.keys() >= present:
            return values
        if distinguished := _distinguish_labels({value: label for value, label in labels.items() if value in present}):
            self._distinguished[column] = tuple(distinguished.values())
        return _apply_labels(values, {**labels, **distinguished})


def _have_meanings(labels: Labels, coding: ValueCoding) -> bool:
    """Whether labels are read instead of values: some mean a one, a zero or a count that the value is not.

    A label such as "None" may mean a zero, and means missing by default: where another one has a single meaning,
    values say which it is.
    """
    others = [label for value, label in labels.items() if text_of(value) != str(label).strip()]
    meanings = {coding.encode_text(label) for label in others} - {MISSING, coding.unknown}
    by_default = [
        each for each in others if coding.encode_text(each) == MISSING and not coding.is_declared_missing(each)
    ]
    return len(meanings) > 1 or (len(meanings) == 1 and not by_default)


def _distinguish_labels(labels: Labels) -> dict[Any, str]:
    """Return what values with the same label are called, such as "Other (1)"; those that mean missing are one."""
    numbers, is_missing = Counter(labels.values()), Meaning(None, MISSING_TEXTS)
    several = {label for label, number in numbers.items() if number > 1 and label not in is_missing}
    return {value: f"{label} ({text_of(value)})" for value, label in labels.items() if label in several}


def _apply_labels(values: pd.Series, labels: Labels) -> pd.Series:
    return values.astype(object).map(lambda value: labels.get(value, value))


class _LabelledBlock(FrameBlock):
    def __init__(self, table: LabelledTable):
        super().__init__(table.frame)
        self._table = table

    def name_values(self, column: int) -> pd.Series:
        return self._table.name_values(column)

    def coded_values(self, column: int, coding: ValueCoding) -> pd.Series:
        return self._table.coded_values(column, coding)
