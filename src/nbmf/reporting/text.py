"""A report as text for a terminal: as wide as a page."""

import textwrap

from nbmf.reporting.model import Answer, Block, Entry, Figure, Lines, Lookup, NextStep, Report, Table
from nbmf.reporting.words import printable

WIDTH, INDENT = 100, "  "
SHORTEST, LONGEST = 9, 30  # labels of an entry's lines, to which texts are aligned


def wrap(text: str, indent: str = INDENT) -> str:
    """Return the text broken at blanks, with `indent` before every line but the first."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def render(report: Report) -> str:
    """Return the report as text: its blocks with a blank line between them, no titles, and none of a page alone."""
    blocks = (block for section in report.sections for block in section.blocks)
    return printable("\n\n".join(_render_block(block) for block in blocks if not isinstance(block, Figure | Lookup)))


def _render_block(block: Block) -> str:
    match block:
        case Lines(sentences):
            return "\n".join(map(wrap, sentences))
        case Table():
            return _render_table(block)
        case Answer(sentence, _, evidence, plain):
            return "\n".join([*([wrap(plain)] if plain else []), wrap(sentence), _render_table(evidence)])
        case Entry(title, lines):
            return "\n".join([title, *_render_lines(lines)])
        case NextStep(words, command):
            return f"{wrap(words, indent='')}\n{INDENT}{command}"
    raise TypeError(f"{type(block).__name__}: no text for such a block")


def _render_table(table: Table) -> str:
    """Return the table with aligned columns, its caption above and its note below."""
    rows = [table.head, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        INDENT + "  ".join(f"{cell:{how}{width}}" for cell, how, width in zip(row, table.align, widths, strict=True))
        for row in rows
    ]
    return "\n".join([*map(wrap, table.caption), *map(str.rstrip, lines), *([wrap(table.note)] if table.note else [])])


def _render_lines(lines: list[tuple[str, str]]) -> list[str]:
    width = min(max(SHORTEST, *(len(label) for label, _ in lines)), LONGEST) if lines else SHORTEST
    indent = " " * (len(INDENT) + width + 1)
    return [wrap(f"{INDENT}{label:{width}} {text}", indent) for label, text in lines]
