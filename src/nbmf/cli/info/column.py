"""A column of a file, and what its values may mean."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from nbmf.data.value_codes import DEFAULTS, Meaning, number_of, text_of
from nbmf.io.answers import COUNTED, DIFFERENT, split_gaps

PART = 0.5  # of a column's values that have to be known ones, and of columns with marks above one
FEW = 3  # other values in a column that fits all the same: they are taken to mean missing
MISSING = Meaning(None, DEFAULTS["missing"])


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a file: what options call it, its texts, "" where nothing is, and labels of these, if any."""

    name: str
    texts: list[str]
    labels: dict[str, str]

    @classmethod
    def of_cells(cls, name: str, cells: Iterable, labels: Mapping[Any, str] = MappingProxyType({})) -> "Column":
        """Return the column of some cells, of which None is nothing, and labels of values."""
        texts = ["" if cell is None else text_of(cell).strip() for cell in cells]
        return cls(name, texts, {text_of(value): label for value, label in labels.items()})

    @cached_property
    def different(self) -> set[str]:
        """Its texts, each once."""
        return set(self.texts)

    @cached_property
    def present(self) -> set[str]:
        """Its texts that do not mean missing by default, each once."""
        return {text for text in self.different if text not in MISSING}

    @cached_property
    def observed(self) -> list[str]:
        """Its texts that do not mean missing by default."""
        return [text for text in self.texts if text in self.present]

    @cached_property
    def words(self) -> list[str]:
        """What is observed, in the words of labels."""
        return [self.labels.get(text, text) for text in self.observed]

    @cached_property
    def answers(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words)

    @cached_property
    def numbers(self) -> set[float | None]:
        """What is present, as numbers; None is a text."""
        return set(map(number_of, self.present))

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest number that is present."""
        numbers = self.numbers - {None}
        return min(numbers), max(numbers)


class Guess(NamedTuple):
    """What values may mean.

    what : str, words for the columns that fit
    fits : function from a column to whether it does
    options : function from columns that fit to arguments of `nbmf.read`
    lowest : int or None, where values may be ordered categories: the first of them
    is_certain : bool, whether it is known which of two values is a one
    otherwise : function from columns that fit to other arguments for them, {} if there are none
    """

    what: str
    fits: Callable[[Column], bool]
    options: Callable[[list[Column]], dict[str, Any]]
    lowest: int | None = None
    is_certain: bool = True
    otherwise: Callable[[list[Column]], dict[str, Any]] = lambda fitting: {}


def guess_with_others(
    what: str, fits: Callable[[Column], bool], others: Callable[[Column], set[str]], **options: Any
) -> Guess:
    """Return a guess with these options, by which few others of the values of a column that fits mean missing."""

    def fit_and_few_others(column: Column) -> bool:
        return fits(column) and len(others(column)) <= FEW

    def options_and_missing(fitting: list[Column]) -> dict[str, Any]:
        return options | also_missing(sorted(set().union(*map(others, fitting))), fitting)

    return Guess(what, fit_and_few_others, options_and_missing)


def resemble_counts(columns: list[Column]) -> bool:
    """Whether numbers go on from 0, 1 and 2 to several others in a part of the columns: codes of gaps do not."""
    above = [{int(n) for n in column.numbers - {None} if n > 1 and n.is_integer()} for column in columns]
    scale, _ = split_gaps([0, 1, *sorted(set().union(*above))])
    are_several = len(scale) - 2 >= DIFFERENT and scale[2] == 2
    return are_several and sum(map(bool, above)) >= COUNTED * len(columns)


def columns_apart(ranges: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the columns all of whose numbers are larger than any other: among counts a year, or an altitude.

    Parameters
    ----------
    ranges : dict
        From the names of columns to their smallest and largest numbers.
    """
    names = sorted(ranges, key=lambda name: ranges[name], reverse=True)
    others = (max(ranges[other][1] for other in names[place:]) for place in range(1, len(names)))
    leads = (ranges[name][0] > highest for name, highest in zip(names[:-1], others, strict=True))
    return [name for name, _ in zip(names, itertools.takewhile(bool, leads), strict=False)]


def present_missing_texts(columns: list[Column]) -> list[str]:
    """Return the texts that mean missing by default and are there: others take their place where they are given."""
    return sorted(set().union(*(column.different - column.present for column in columns)))


def also_missing(odd: list[str], columns: list[Column]) -> dict[str, list[str]]:
    """Return the argument by which some texts mean missing, next to those that do by default."""
    return {"missing": [*odd, *present_missing_texts(columns)]} if odd else {}
