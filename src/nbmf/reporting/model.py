"""What a report is made of: sections of blocks, which are neither text nor HTML yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Block:
    """A part of a section; a renderer has a branch for each kind."""

    @property
    def kind(self) -> str:
        """The name of the class in lower case, which is that of its macro in the template."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Lines(Block):
    """Sentences that belong together."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Table(Block):
    """A table of texts.

    head : a text per column
    rows : texts, as many in each row
    align : "<" or ">" per column
    caption : sentences above the table
    note : sentence below it
    head_colours, row_colours : hexadecimal colours in the pictures, of columns but the first and of rows; may be empty
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str
    caption: Sequence[str] = ()
    note: str = ""
    head_colours: Sequence[str] = ()
    row_colours: Sequence[str] = ()


@dataclass(frozen=True)
class Answer(Block):
    """Whether something was found, which a reader sees first.

    sentence : str, without a full stop
    found : bool
    evidence : Table, what the sentence rests on
    plain : str, the same in words that need no explanation, which come first; "" if there are none
    """

    sentence: str
    found: bool
    evidence: Table
    plain: str = ""


@dataclass(frozen=True)
class Entry(Block):
    """A component, or effects, in words.

    title : str, its number and its weight
    lines : (label, text) each, such as ("columns +", "x 0.90, y 0.85")
    colour : str, the one it has in the pictures, or None
    """

    title: str
    lines: Sequence[tuple[str, str]]
    colour: str | None = None


@dataclass(frozen=True)
class Figure(Block):
    """A PNG file and its caption, which a page alone shows."""

    path: Path
    caption: str


class Measure(NamedTuple):
    """What a `Lookup` shows for each row or column: the membership in a component, or the position on an axis.

    name : str
    values : float array (n,)
    lower, upper : float arrays (n,), the ends of intervals, NaN where there is none; None without any
    is_share : bool, whether values are shown in percent
    """

    name: str
    values: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    is_share: bool = False

    def take(self, places: np.ndarray) -> Measure:
        """Return what is reported about some rows or columns, in this order."""
        lower, upper = (None if end is None else end[places] for end in (self.lower, self.upper))
        return self._replace(values=self.values[places], lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class Lookup(Block):
    """Rows or columns to be looked up by name, which a page alone shows: where each is, and which are nearest to it.

    noun : str, what one of them is called, such as "row"
    names : str array (n,)
    total : int, how many there are in the data, of which these are n
    measures : sequence of Measure
    sentences : what the measures are, and how nearness is computed
    places : int array (n,), their numbers in the data, by which pictures know them
    nearest : int array (n, k), places among `names`, the nearest first; -1 where there is none
    distances : float array (n, k)
    distance : str, what a distance is called
    components : bool, whether measures are components, of which each has a few, the largest ones, and not axes
    groups : str array (n,), or None
    """

    noun: str
    names: np.ndarray
    total: int
    measures: Sequence[Measure]
    sentences: Sequence[str]
    places: np.ndarray
    nearest: np.ndarray
    distances: np.ndarray
    distance: str
    components: bool = False
    groups: np.ndarray | None = None


@dataclass(frozen=True)
class NextStep(Block):
    """A command to type next, and the words before it."""

    words: str
    command: str


@dataclass(frozen=True)
class Section:
    """Blocks under a title, which a page alone shows.

    leads : bool, whether a page begins with it; on a terminal the end is what stays in view
    """

    title: str
    blocks: Sequence[Block]
    leads: bool = False


@dataclass(frozen=True)
class Report:
    """All that is reported about a result.

    title : str
    sections : in the order of the text
    made_by : lines at the end of a page: the command and the settings
    """

    title: str
    sections: Sequence[Section]
    made_by: Sequence[str] = ()
