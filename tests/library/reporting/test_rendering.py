"""One report as text and as a page: what is in both, and that names are never HTML."""

import re

import pytest

from nbmf.reporting import html, text
from nbmf.reporting.model import Answer, Block, Entry, Figure, Lines, NextStep, Report, Section, Table

SCRIPT = '<script>alert("&")</script>'
ESCAPED = "&lt;script&gt;alert(&#34;&amp;&#34;)&lt;/script&gt;"
COLOUR = "#77AADD"


@pytest.fixture
def report(tmp_path):
    """A report with a name like a script wherever a text can be."""
    (tmp_path / "a.png").write_bytes(bytes(16) + (720).to_bytes(4, "big"))
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
        NextStep(SCRIPT, SCRIPT),
    ]
    return Report(SCRIPT, [Section(SCRIPT, [block]) for block in blocks], [SCRIPT])


def test_the_report_has_every_kind_of_block(report):
    assert {type(block) for section in report.sections for block in section.blocks} == {*Block.__subclasses__()}


def test_names_are_escaped_on_a_page_and_plain_in_text(report):
    page, told = html.render(report), text.render(report)
    assert "<script" not in page
    # Title twice, six sections, caption, head, row and note of two tables, and the others.
    assert page.count(ESCAPED) == 2 + 6 + 2 * 5 + 1 + 1 + 3 + 2 + 2 + 1
    assert told.count(SCRIPT) == 1 + 1 + 2 * 5 + 3 + 2
    assert "&lt;" not in told


def test_a_page_has_colours_alignment_and_pictures_as_wide_as_they_are(report):
    page = html.render(report)
    swatch = f'<i class="swatch" style="background: {COLOUR}"></i>'
    assert page.count(swatch) == 2 * 2 + 1
    assert page.count(f'<th class="n">{swatch}') == 2
    assert '<td class="n">1</td>' in page
    assert 'style="width: 50%" src="data:image/png;base64,AAAA' in page


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
