"""What a report is made of: sections of blocks, which are neither text nor HTML yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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
    """A PNG file and its caption."""

    path: Path
    caption: str


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
    """All that is told about a result.

    title : str
    sections : in the order of the text
    made_by : lines at the end of a page: the command and the settings
    """

    title: str
    sections: Sequence[Section]
    made_by: Sequence[str] = ()
