"""The HTML of a report, without a browser: all of it in one file, of a limited size, names never code."""

import base64
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser

import made_page
import numpy as np
import pytest
from made_page import HOSTILE, LINES, SCORES, named
from PIL import Image

from nbmf.plotting import style
from nbmf.posterior.nearest import nearest_rows
from nbmf.reporting import html
from nbmf.reporting.html import sort_key
from nbmf.reporting.lookup_context import TABLE_ROWS, lookup_context
from nbmf.reporting.lookups import select_for_lookup
from nbmf.reporting.model import Figure, Lookup, Measure, Report, Section


class Page(HTMLParser):
    """What a browser without scripts sees: tags with attributes, and the text outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.scripts, self._within = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._within = tag
        if tag == "script":
            self.scripts.append([dict(attributes), ""])

    def handle_endtag(self, tag):
        self._within = ""

    def handle_data(self, data):
        if self._within == "script":
            self.scripts[-1][1] += data
        elif self._within != "style":
            self.text.append(data)

    def data(self, kind):
        return [json.loads(text) for attributes, text in self.scripts if attributes.get("class") == kind]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    style.use_no_screen()
    return html.render(made_page.report(tmp_path_factory.mktemp("page")))


@pytest.fixture
def page(written):
    return Page(written)


def test_names_are_text_in_the_page_and_in_its_data(written, page):
    assert HOSTILE not in written
    assert [tag for tag, _ in page.tags].count("script") == 4  # data of rows and of a picture, the library, our own
    assert [tag for tag, _ in page.tags].count("img") == 1
    (data,) = page.data("lookup")
    assert data["names"] == [named(i) for i in range(LINES)]


def test_names_turn_no_writing_and_control_nothing():
    rows = made_page.lookup()
    turned = Lookup(
        **{**vars(rows), "names": np.array(["a\u202eb\x1b"] * LINES), "groups": np.array(["\u2066"] * LINES)}
    )
    text = html.render(Report("", [Section("", [turned])]))
    assert Page(text).data("lookup")[0]["names"] == ["ab"] * LINES
    assert not {"\u202e", "\x1b", "\\u202e", "\\u001b", "\u2066", "\\u2066"} & {*text, *re.findall(r"\\u.{4}", text)}


def test_the_page_is_all_there_without_scripts(page):
    text = "".join(page.text)
    for i in range(LINES):
        assert named(i) in text
    assert "4.00 [3.50, 4.50]" in text
    hidden = [attributes for _, attributes in page.tags if "hidden" in attributes]
    assert [attributes["class"] for attributes in hidden] == ["search", "card"]  # all that needs scripts


def test_a_browser_may_run_these_scripts_alone_and_may_load_nothing(page):
    (policy,) = [a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a]
    own = [text for attributes, text in page.scripts if not attributes]
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in own}
    assert {*re.findall(r"'sha256-(.*?)'", policy)} == hashes
    assert policy.startswith("default-src 'none'; img-src data:; ")
    references = [value for _, a in page.tags for name, value in a.items() if name in ("src", "href")]
    assert len(references) == 1
    assert references[0].startswith("data:image/png;base64,")


def test_the_library_is_there_with_its_version_and_licence(page):
    library = page.scripts[-2][1]
    assert library.startswith("/* sortable-tablesort-4.1.7\n\nThis is free and unencumbered software released into")
    assert "http://unlicense.org" in library
    assert "aria-sort" in library
    assert "sorted by sortable-tablesort 4.1.7 (The Unlicense)" in "".join(page.text)


def test_tables_of_more_than_two_rows_can_be_sorted_by_number(page):
    sortable = [a for tag, a in page.tags if tag == "table" and "sortable" in a.get("class", "")]
    assert len(sortable) == 3
    keys = [a.get("data-sort") for tag, a in page.tags if tag == "td" and a.get("class") == "n"][: len(SCORES)]
    assert [key is None for key in keys] == [not text or text == "b" for text in SCORES]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("58%", 58),
        ("58% [40%, 70%]", 58),
        ("-1.22 [-1.84, -0.60]", -1.22),
        ("0.077 ± 0.040", 0.077),
        ("−0.5", -0.5),
        ("12,345", 12_345),
        ("1e-05", 1e-5),
        ("", None),
        ("component 1", None),
        ("2 of 3", 2),
        ("b 2", None),
        ("1.2.3", None),
        ("-", None),
    ],
)
def test_a_cell_is_sorted_by_the_number_it_begins_with(text, number):
    assert sort_key(text) == number


def test_what_is_below_or_above_a_number_is_sorted_so():
    keys = [sort_key(text) for text in ("<0.1%", "0.1%", "under 1%", "1%", "99%", ">99%", "100%")]
    assert all(one < next_one for one, next_one in itertools.pairwise(keys))
    assert sort_key("over 99%") == sort_key(">99%") > sort_key("99%")


# Size.


def many(n, name):
    """Return n rows in 12 components, as many of them as a page has room for."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(12, 0.2), n)
    measures = [
        Measure(f"component {k + 1}", w, np.maximum(w - 0.1, 0), w + 0.1, is_share=True) for k, w in enumerate(shares.T)
    ]
    names = np.array([name.format(i) for i in range(n)])
    chosen = select_for_lookup(names, measures, 12)
    near = nearest_rows(shares[chosen])
    return Lookup(
        noun="row",
        names=names[chosen],
        total=n,
        measures=[measure.take(chosen) for measure in measures],
        sentences=["where"],
        places=chosen,
        nearest=near.places,
        distances=near.values,
        distance="difference",
        components=True,
    )


@pytest.mark.parametrize(
    "name", ["customer {}", "a customer whose name is much longer than those of all others <&> {}"]
)
def test_a_page_of_many_rows_has_at_most_5_MB_and_says_what_it_leaves_out(name):
    rows = many(20_000, name)
    text = html.render(Report("many", [Section("Rows", [rows]), Section("Columns", [rows])]))
    assert len(text.encode()) < 0.75 * html.LIMIT  # the rest is for pictures
    assert len(rows.names) > 2000
    assert f"Of the 20,000 rows {len(rows.names):,} can be looked up here, those with the largest values" in text
    assert f"The first {TABLE_ROWS:,} of 20,000 rows in a table" in text
    assert len(Page(text).data("lookup")[0]["names"]) == len(rows.names)


def test_the_rows_that_are_left_in_are_those_with_the_largest_values(monkeypatch):
    monkeypatch.setattr("nbmf.reporting.lookups.MOST", 4)
    values = np.array([0.0, 3.0, 1.0, 2.0, 0.5, 0.1]), np.array([0.0, 0.0, 0.1, 0.2, -9.0, 0.1])
    chosen = select_for_lookup(np.array([*"abcdef"]), [Measure("x", values[0]), Measure("y", values[1])], 2)
    assert chosen.tolist() == [1, 2, 3, 4]
    assert select_for_lookup(np.array([*"abcd"]), [Measure("x", np.arange(4.0))], 2).tolist() == [0, 1, 2, 3]


def test_of_wide_rows_fewer_are_compared_with_each_other():
    names, measure = np.arange(5000).astype(str), Measure("x", np.arange(5000.0))
    assert len(select_for_lookup(names, [measure], 10)) == 5000
    assert select_for_lookup(names, [measure], 20_000).tolist() == list(range(4000, 5000))


def test_pictures_have_fewer_colours_where_a_page_would_be_too_large(tmp_path, monkeypatch):
    noise = np.random.default_rng(0).integers(0, 256, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.png")
    report = Report("", [Section("", [Figure(tmp_path / "a.png", "noise")])])
    whole = html.render(report)
    monkeypatch.setattr(html, "LIMIT", len(whole) - 1)
    reduced = html.render(report)
    assert len(reduced) < 0.5 * len(whole)
    assert (tmp_path / "a.png").stat().st_size > 250_000  # the file itself stays


# The table of what is looked up.


def test_of_few_components_each_has_a_column_and_of_more_the_largest():
    few = lookup_context(made_page.lookup(3))
    assert few["head"] == ["row", "group", "axis 1", "nearest (difference)"]
    assert few["rows"][0] == [named(0), "group 0", "0.00 [-0.50, 0.50]", f"{named(1)} 1.000; {named(2)} 2.000"]
    more = lookup_context(many(5, "{}"))
    assert more["head"] == ["row", "largest", "value", "then", "nearest (difference)"]
    weights = [measure.values[0] for measure in many(5, "{}").measures]
    first, second = np.argsort(weights)[:-3:-1]
    assert more["rows"][0][1] == f"component {first + 1}"
    assert more["rows"][0][3].startswith(f"component {second + 1} ")
    assert more["title"] == "All 5 rows in a table"
    assert more["more"] == ""


def test_what_is_not_known_is_empty_in_the_table_and_null_in_the_data():
    rows = made_page.lookup(3)
    unknown = Measure(
        "x", np.array([np.nan, 1.0, 2.0]), np.array([np.nan, np.nan, 1.0]), np.array([np.nan, np.nan, 3.0])
    )
    told = lookup_context(Lookup(**{**vars(rows), "measures": [unknown]}))
    assert [row[2] for row in told["rows"]] == ["", "1.00", "2.00 [1.00, 3.00]"]
    assert told["data"]["measures"][0] == {
        "name": "x",
        "share": False,
        "v": [None, 1, 2],
        "lo": [None, None, 1],
        "hi": [None, None, 3],
    }
