"""A report in Chromium: search, sort, filter, names in pictures, paper, the dark, and without scripts."""

import base64
import json

import browser
import made_page
import numpy as np
import pytest
from made_page import LINES, RED, SCORES, named

from nbmf.plotting import style
from nbmf.reporting import html
from nbmf.reporting.html import sort_key
from nbmf.reporting.model import Report, Section

pytestmark = pytest.mark.browser

A4 = {"width": 794, "height": 1123, "deviceScaleFactor": 1, "mobile": False}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    style.use_no_screen()
    folder = tmp_path_factory.mktemp("page")
    path = folder / "report.html"
    path.write_text(html.render(made_page.report(folder)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable, reason = browser.find()
    if executable is None:
        pytest.skip(reason)
    with browser.Browser(executable, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def shown(chromium, page):
    """The page, newly opened; afterwards it must have run no other script and asked for no other file."""
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.call("Emulation.setEmulatedMedia", media="", features=[])
    chromium.call("Emulation.clearDeviceMetricsOverride")
    chromium.open(page)
    yield chromium
    assert chromium.run("typeof hacked") == "undefined"
    assert chromium.errors == []
    assert [url for url in chromium.requests if not url.startswith(("file:", "data:"))] == []


def types(chromium, selector, text):
    chromium.run(f"document.querySelector({json.dumps(selector)}).focus()")
    chromium.run(f"document.querySelector({json.dumps(selector)}).select()")
    chromium.call("Input.insertText", text=text)


def presses(chromium, key):
    for kind in ("keyDown", "keyUp"):
        chromium.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=13, text="\r")


def texts(chromium, selector):
    return chromium.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent.trim())")


def test_a_search_lists_names_and_shows_where_one_is_and_which_are_nearest(shown):
    assert shown.run("document.querySelector('.search').offsetHeight > 0")
    assert shown.run("document.querySelector('.card').hidden")
    types(shown, ".search input", "OW 1")
    assert texts(shown, ".hits button") == [named(1), named(10), named(11)]
    types(shown, ".search input", "row 4")
    presses(shown, "Enter")
    assert texts(shown, ".card h3") == [f"row {named(4)}, group 0"]
    assert texts(shown, ".card table:first-of-type td:last-child") == ["4.00 [3.50, 4.50]"]
    assert sorted(texts(shown, ".card button")) == [named(3), named(5)]
    assert texts(shown, ".card table:last-of-type td:nth-child(2)") == ["1.000", "1.000"]
    assert texts(shown, ".card p") == ["all of these are as near, and there may be more"]
    shown.run("document.querySelectorAll('.card button')[0].click()")
    assert texts(shown, ".card h3")[0] in (f"row {named(3)}, group 1", f"row {named(5)}, group 1")


def test_one_end_has_neighbours_at_different_distances(shown):
    types(shown, ".search input", "row 0")
    presses(shown, "Enter")
    assert texts(shown, ".card button") == [named(1), named(2)]
    assert texts(shown, ".card p") == []


def test_a_search_says_where_nothing_has_such_a_name(shown):
    types(shown, ".search input", "nobody")
    assert texts(shown, ".hits li") == ["none has such a name"]


def test_the_interval_is_drawn_where_it_is(shown):
    types(shown, ".search input", "row 4")
    presses(shown, "Enter")
    track, band, mark = (
        shown.run(f"(({{left, width}}) => [left, width])(document.querySelector('{each}').getBoundingClientRect())")
        for each in (".track", ".track i", ".track b")
    )
    share = (mark[0] + mark[1] / 2 - track[0]) / track[1]
    assert share == pytest.approx((4 + 0.5) / LINES, abs=0.02)  # between -0.5 and 11.5
    assert (band[0] - track[0]) / track[1] == pytest.approx(4 / LINES, abs=0.02)
    assert band[1] / track[1] == pytest.approx(1 / LINES, abs=0.02)


def scores(chromium):
    return texts(chromium, "table.sortable tbody:first-of-type tr td:nth-child(2)")[: len(SCORES)]


def test_a_click_sorts_by_number_and_another_the_other_way_round(shown):
    head = "document.querySelectorAll('table.sortable th')[1]"
    numbers = sorted((text for text in SCORES if text and text != "b"), key=sort_key)
    shown.run("document.addEventListener('sort-end', () => (window.sorted = (window.sorted || 0) + 1))")
    shown.run(f"{head}.click()")
    shown.wait_for("window.sorted == 1")
    assert scores(shown) == [*numbers, "b", ""]  # what is not known comes last
    assert numbers[0] == "-3.00 [-4.00, -2.00]"
    shown.run(f"{head}.focus()")
    presses(shown, "Enter")
    shown.wait_for("window.sorted == 2")
    assert scores(shown) == ["b", *numbers[::-1], ""]


def test_a_filter_leaves_rows_with_all_words(shown):
    rows = "[...document.querySelector('table.sortable').tBodies[0].rows].filter(r => r.offsetHeight > 0)"
    assert shown.run(f"{rows}.length") == len(SCORES)
    types(shown, ".filter input", "METHOD 12.5")
    assert shown.run(f"{rows}.map(r => r.cells[0].textContent)") == ["method 4"]
    assert texts(shown, ".filter span")[0] == f"1 of {len(SCORES)}"
    types(shown, ".filter input", "method")
    assert shown.run(f"{rows}.length") == len(SCORES)


def pointed_at(chromium, x, y):
    """Move the mouse to a place of the picture, in fractions of it; return what is named."""
    chromium.run("document.querySelector('figure').scrollIntoView({block: 'center'})")
    left, top, width, height, padding = chromium.run(
        "(i => [...['left', 'top', 'width', 'height'].map(k => i.getBoundingClientRect()[k]), "
        "parseFloat(getComputedStyle(i).paddingLeft)])(document.querySelector('figure img'))"
    )
    at = {"x": left + padding + x * (width - 2 * padding), "y": top + padding + y * (height - 2 * padding)}
    chromium.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
    return "" if chromium.run("document.querySelector('.tip').hidden") else texts(chromium, ".tip")[0]


def places_of(page):
    (noted,) = [each for each in page.read_text().split("<script ") if 'class="places"' in each]
    return json.loads(noted.partition(">")[2].partition("</script>")[0])


@pytest.mark.parametrize("theme", ["light", "dark"])  # in the dark a picture has a margin
def test_a_picture_names_what_the_pointer_is_on(theme, shown, page):
    shown.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": theme}])
    lines, points = places_of(page)
    left, _, right, _ = lines["box"]
    of_red = f"row {named(RED)}\naxis 1: 7.00 [6.50, 7.50]"
    assert pointed_at(shown, (left + right) / 2, lines["y"][RED]) == of_red
    assert pointed_at(shown, left / 2, lines["y"][RED]) == of_red  # on its name, left of the panel
    assert pointed_at(shown, points["x"][0] + 0.005, points["y"][0]).startswith(f"row {named(0)}\n")
    assert pointed_at(shown, (points["x"][0] + points["x"][1]) / 2, points["y"][0]) == ""
    assert pointed_at(shown, 0.5, 0.999) == ""


def test_a_click_on_a_picture_looks_up(shown, page):
    lines = places_of(page)[0]
    across = (lines["box"][0] + lines["box"][2]) / 2
    at = f"{{clientX: i.left + {across} * i.width, clientY: i.top + {lines['y'][2]} * i.height}}"
    shown.run(
        "(image => { const i = image.getBoundingClientRect(); "
        f"image.dispatchEvent(new MouseEvent('click', {at})); }})(document.querySelector('figure img'))"
    )
    assert texts(shown, ".card h3") == [f"row {named(2)}, group 0"]


def test_on_paper_there_is_what_a_reader_needs_and_nothing_is_cut(shown):
    shown.call("Emulation.setDeviceMetricsOverride", **A4)
    shown.call(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    visible = "[...document.querySelectorAll({})].map(e => e.checkVisibility() && e.offsetHeight > 0)"
    assert not any(shown.run(visible.format("'.search, .filter, .hits, .tip'")))
    assert shown.run(visible.format("'details td'"))
    assert all(shown.run(visible.format("'details td, .verdict, figure img'")))  # a short table, though closed
    assert shown.run("getComputedStyle(document.body).color") == "rgb(34, 34, 34)"  # dark ink, whatever the screen is
    assert shown.run("document.querySelector('.wide').scrollWidth <= document.body.clientWidth")
    breaks = shown.run("['figure', 'tr'].map(e => getComputedStyle(document.querySelector(e)).breakInside)")
    assert breaks == ["avoid", "avoid"]
    assert base64.b64decode(shown.call("Page.printToPDF")["data"]).startswith(b"%PDF")


def test_the_dark_is_dark_and_pictures_stay_on_white(shown):
    colours = "[document.body, document.querySelector('img')].map(e => getComputedStyle(e).backgroundColor)"
    assert shown.run(colours) == ["rgb(255, 255, 255)"] * 2
    shown.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert shown.run(colours) == ["rgb(25, 25, 25)", "rgb(255, 255, 255)"]
    assert shown.run("getComputedStyle(document.body).color") == "rgb(228, 228, 228)"


@pytest.mark.parametrize("width", [360, 1200])
def test_no_width_of_the_window_makes_the_page_wider_than_it(width, shown):
    shown.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    shown.run("document.querySelector('details').open = true")
    types(shown, ".search input", "row 4")
    presses(shown, "Enter")
    assert shown.run("document.documentElement.scrollWidth") <= width


def test_without_scripts_all_rows_are_there_and_no_empty_boxes(chromium, page):
    chromium.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.call("Page.navigate", url=page.resolve().as_uri())
        chromium.wait_for("document.readyState == 'complete' && document.querySelector('details') != null")
        assert chromium.run("document.querySelector('.filter') == null && document.querySelector('.search').hidden")
        assert not chromium.run("document.querySelector('.card').checkVisibility()")
        chromium.run("document.querySelector('summary').click()")  # the browser's own
        assert chromium.run("document.querySelector('details').open")
        cells = texts(chromium, "details tr td:first-child")
        assert cells == [named(i) for i in range(LINES)]
        assert texts(chromium, "details tr:nth-child(5) td:nth-child(3)") == ["4.00 [3.50, 4.50]"]
    finally:
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)


def test_twenty_thousand_rows_are_searched(chromium, tmp_path):
    many = made_page.lookup(20_000)
    path = tmp_path / "many.html"
    path.write_text(html.render(Report("many", [Section("Look up", [many])])), encoding="utf-8")
    chromium.open(path)
    types(chromium, ".search input", "row 19999")
    presses(chromium, "Enter")
    assert texts(chromium, ".card h3") == [f"row {named(19_999)}, group 1"]
    assert np.isclose(float(texts(chromium, ".card td:last-child")[0].partition(" ")[0]), 19_999)
