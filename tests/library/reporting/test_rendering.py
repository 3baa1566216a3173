"""One report as text and as a page: what is in both, and that names are never HTML."""

import re

import numpy as np
import pytest
from PIL import Image

from nbmf.reporting import html, text
from nbmf.reporting.model import Answer, Block, Entry, Figure, Lines, Lookup, Measure, NextStep, Report, Section, Table

SCRIPT = '<script>alert("&")</script>'
ESCAPED = "&lt;script&gt;alert(&#34;&amp;&#34;)&lt;/script&gt;"
COLOUR = "#77AADD"


def lookup():
    return Lookup(
        noun=SCRIPT,
        names=np.array([SCRIPT, "b"]),
        total=2,
        measures=[Measure(SCRIPT, np.array([0.5, 1.5]))],
        sentences=[SCRIPT],
        places=np.arange(2),
        nearest=np.array([[1], [0]]),
        distances=np.ones((2, 1)),
        distance=SCRIPT,
        groups=np.array([SCRIPT, ""]),
    )


@pytest.fixture
def report(tmp_path):
    """A report with a name like a script wherever a text can be."""
    Image.new("1", (720, 10)).save(tmp_path / "a.png")
    table = Table(
        [SCRIPT, SCRIPT],
        [[SCRIPT, "1"]],
        "<>",
        caption=[SCRIPT],
        note=SCRIPT,
        head_colours=[COLOUR],
        row_colours=[COLOUR],
    )
    blocks = [
        Answer(SCRIPT, True, table),
        Lines([SCRIPT]),
        table,
        Entry(SCRIPT, [(SCRIPT, SCRIPT)], COLOUR),
        Figure(tmp_path / "a.png", SCRIPT),
        lookup(),
        NextStep(SCRIPT, SCRIPT),
    ]
    return Report(SCRIPT, [Section(SCRIPT, [block]) for block in blocks], [SCRIPT])


def test_the_report_has_every_kind_of_block(report):
    assert {type(block) for section in report.sections for block in section.blocks} == {*Block.__subclasses__()}


def test_names_are_escaped_on_a_page_and_plain_in_text(report):
    page, told = html.render(report), text.render(report)
    assert SCRIPT not in page
    # Title twice, seven sections, caption, head, row and note of two tables, and the others.
    of_lookup = 1 + 1 + 3 + 3  # sentence, title, three of the head and three of the rows
    assert page.count(ESCAPED) == 2 + 7 + 2 * 5 + 1 + 1 + 3 + 2 + 2 + 1 + of_lookup
    assert told.count(SCRIPT) == 1 + 1 + 2 * 5 + 3 + 2
    assert "&lt;" not in told


def test_a_page_has_colours_alignment_and_pictures_as_wide_as_they_are(report):
    page = html.render(report)
    swatch = f'<i class="swatch" style="background: {COLOUR}"></i>'
    assert page.count(swatch) == 2 * 2 + 1
    assert page.count(f'<th class="n">{swatch}') == 2
    assert '<td class="n" data-sort="1.0">1</td>' in page
    assert 'style="width: 50%" src="data:image/png;base64,iVBORw0' in page


def test_a_page_begins_with_what_leads_and_a_text_ends_with_it():
    sections = [Section("Scores", [Lines(["first"])]), Section("Advice", [Lines(["last"])], leads=True)]
    both = Report("which", sections, ["nbmf compare"])
    assert text.render(both) == "first\n\nlast"
    assert re.findall(r"<(?:h2|p)>(.*?)<", html.render(both)) == ["Advice", "last", "Scores", "first"]


def test_columns_are_aligned_and_long_texts_are_broken():
    table = Table(["", "loss"], [["a", "0.5"], ["long name", "12.25"]], "<>", caption=["of two"], note="and more")
    entry = Entry("component 1", [("rows", "a " * 60), ("columns +", "b")])
    told = text.render(Report("", [Section("", [table, entry])]))
    assert told.split("\n\n")[0].splitlines() == [
        "of two",
        "              loss",
        "  a            0.5",
        "  long name  12.25",
        "and more",
    ]
    _, first, second, last = told.split("\n\n")[1].splitlines()
    assert first.startswith("  rows      a a")
    assert len(first) <= text.WIDTH
    assert second.startswith(" " * 12 + "a a")
    assert last == "  columns + b"


def test_a_kind_of_block_without_a_text_is_an_error():
    with pytest.raises(TypeError, match=r"^Block: no text"):
        text.render(Report("", [Section("", [Block()])]))
