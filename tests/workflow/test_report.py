"""`make report` of a tiny run, opened in a browser and clicked through as a reader would."""

import base64
import io
import json
import os
import subprocess
import sys

import browser
import matplotlib.image
import numpy as np
import pandas as pd
import pytest
import yaml
from checkout import HANGING
from finished_run import TINY, finished_run

pytestmark = pytest.mark.workflow

CONFIG = {**TINY, "run": {"studies": ["lumbreras2020", "all_methods"]}}
STUDY = "Lumbreras, Filstroff and Févotte (2020)"
FIGURES = {
    "Figure 2: matrices drawn from the models": "figure_2",
    "Figure 5: the datasets": "figure_5",
    "Figure 7: dictionaries of beta_dir_1": "figure_7",
    "Figure 8: dictionaries of dir_dir_0.1": "figure_8",
    "Figure 9: dictionaries of beta_dir_1": "figure_9",
    "Figure 10: held-out log loss": "figure_10",
    "Figure 11: log loss along iterations": "figure_11",
    "Fit against K": "fit_against_K",
    "Sensitivity to hyperparameters": "sensitivity",
    "Traces of Beta-Dir GS": "traces_beta-dir-gs",
    "Traces of Dir-Dir GS": "traces_dir-dir-gs",
}
TABLES = {
    "Claims": "claims",
    "Claims, part by part": "claims_parts",
    "Diagnostics of the chains": "diagnostics",
    "Fits to whole matrices": "unmasked_summary",
    "Held-out log loss": "summary",
    "Numbers of the paper and ours": "paper_numbers",
}
OTHER_TABLES = ["All methods and datasets", "Baselines", "Calibration", "Held-out log loss", "The methods, best first"]
OTHER_FIGURES = [
    "Calibration: held-out probabilities and proportions of ones",
    "Figure 10 of all methods",
    "Score and time",
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A checkout in which two studies have run, and its report."""
    checkout = finished_run(tmp_path_factory, "report")
    checkout.command(config=CONFIG)  # writes overlay.yaml
    done = make_report(checkout, "overlay.yaml")
    assert done.returncode == 0, done.stdout
    return checkout


def make_report(checkout, config):
    """Run `make report` with the environment that runs this test."""
    unreachable = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    return subprocess.run(
        ["make", "report", f"CONFIG={config}", f"VENV={sys.prefix}", f"--old-file={sys.prefix}/ready"],
        cwd=checkout.folder,
        env={**os.environ, **unreachable},
        text=True,
        timeout=HANGING,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable, reason = browser.find()
    if executable is None:
        pytest.skip(reason)
    with browser.Browser(executable, tmp_path_factory.mktemp("profile")) as chromium:
        yield chromium


@pytest.fixture
def page(finished, chromium):
    """The report as it opens."""
    chromium.open(finished.folder / "results/report-overlay.html")
    chromium.wait_for("document.querySelector('nav li') !== null")
    return chromium


def click(page, name):
    """Click what the navigation calls `name`."""
    links = "[...document.querySelectorAll('nav a')]"
    page.run(f"{links}.find(link => link.innerText.trim() === {json.dumps(name)}).click()")


def click_in_row(page, name, number):
    """Click a link in the row of a result: 0 is the eye, 1 is the letter i."""
    rows = "[...document.querySelectorAll('nav tbody tr')]"
    row = f"{rows}.find(row => row.innerText.trim() === {json.dumps(name)})"
    page.run(f"{row}.querySelectorAll('a')[{number}].click()")


def listed(page, kind, study=STUDY):
    """Return the results of a study that are listed under a kind, in their order."""
    click(page, study)
    page.wait_for(f"[...document.querySelectorAll('nav a')].some(a => a.innerText.trim() === {kind!r})")
    click(page, kind)
    page.wait_for("document.querySelector('nav tbody tr') !== null")
    rows = "[...document.querySelectorAll('nav tbody tr')]"
    return page.run(f"{rows}.map(row => row.innerText.trim())")


def decoded(data_uri):
    return base64.b64decode(data_uri.partition(";base64,")[2])


FRONT = "document.querySelector('#app .prose')"
EMPTY = r"/^\u00a0$/"  # as docutils writes a cell without text
IN_ROWS = f"[...table.rows].map(row => [...row.cells].map(cell => cell.innerText.replace({EMPTY}, '')))"


def cells(file):
    """Return the cells of a table as text, with its header."""
    table = pd.read_csv(file, dtype=str, keep_default_na=False)
    return [list(table.columns), *table.to_numpy().tolist()]


def test_it_opens_with_figure_10_and_the_claims(page, finished):
    folder = finished.folder / "results/tiny"
    pictures = page.run(f"[...{FRONT}.querySelectorAll('img')].map(image => image.src)")
    assert [decoded(picture) for picture in pictures] == [
        (folder / study / "figures/figure_10.png").read_bytes() for study in ("lumbreras2020", "all_methods")
    ]
    tables = page.run(f"[...{FRONT}.querySelectorAll('table')].map(table => {IN_ROWS})")
    assert tables[:2] == [
        cells(folder / "lumbreras2020/tables/claims.csv"),
        cells(folder / "all_methods/tables/ranking.csv"),
    ]
    text = page.run(f"{FRONT}.innerText")
    order = [STUDY, "Figure 10: held-out log loss", "Claims", "All methods", "About this run"]
    assert sorted(order, key=text.index) == order
    assert "not finished" not in text
    box = page.run(f"{FRONT}.querySelector('img').getBoundingClientRect().toJSON()")
    assert box["top"] < 400 < box["width"]  # seen without scrolling
    overlap = "document.querySelector('#app .h-screen.grow').scrollWidth > window.innerWidth"
    assert not page.run(overlap)


def test_its_front_page_says_what_was_run(page):
    text = page.run(f"{FRONT}.innerText")
    assert "Every held-out mask has 25 % of the observed entries" in text
    assert text.count("Held-out log loss: beta_dir_1; 2 masks.") == 1
    assert text.count("Held-out log loss: beta_dir_1, dir_dir_0.1; 2 masks.") == 1
    assert text.index("lumbreras2020") < text.index("all_methods")
    assert "burn_in = 20, n_samples = 10" in text


def test_studies_are_listed_apart(page):
    assert listed(page, "Tables", "All methods") == OTHER_TABLES
    click(page, "All methods")
    assert listed(page, "Figures", "All methods") == OTHER_FIGURES


def test_figures_and_tables_are_listed_in_order(page, finished):
    drawn = {file.stem for file in (finished.folder / "results/tiny/lumbreras2020/figures").glob("*.png")}
    assert drawn == set(FIGURES.values())
    assert listed(page, "Figures") == list(FIGURES)
    click(page, "Results")
    assert listed(page, "Tables") == list(TABLES)


@pytest.mark.parametrize("name", FIGURES)
def test_the_eye_shows_the_figure_and_the_letter_i_its_caption(page, finished, name):
    file = finished.folder / f"results/tiny/lumbreras2020/figures/{FIGURES[name]}.png"
    listed(page, "Figures")
    click_in_row(page, name, 0)
    figure = "document.querySelector('#app .h-screen.grow img:not(.prose img)')"
    page.wait_for(f"{figure} !== null")
    page.run(f"{figure}.decode()")
    assert decoded(page.run(f"{figure}.src")) == file.read_bytes()

    height, width, _ = matplotlib.image.imread(file).shape
    assert page.run(f"[{figure}.naturalWidth, {figure}.naturalHeight]") == [width, height]
    box = page.run(f"{figure}.getBoundingClientRect().toJSON()")
    assert box["width"] > 500
    assert box["width"] / box["height"] == pytest.approx(width / height, rel=0.01)
    seen = matplotlib.image.imread(io.BytesIO(page.screenshot()))
    seen = seen[max(0, int(box["top"])) : int(box["bottom"]), int(box["left"]) : int(box["right"])]
    assert np.std(seen[..., :3]) > 0.03

    click_in_row(page, name, 1)
    caption = "document.querySelector('nav .prose')"
    page.wait_for(f"{caption} !== null")
    text = page.run(f"{caption}.innerText")
    assert "paper" in text
    assert "{" not in text
    assert "System Message" not in text


@pytest.mark.parametrize("name", TABLES)
def test_a_table_can_be_read_and_saved(page, finished, name):
    file = finished.folder / f"results/tiny/lumbreras2020/tables/{TABLES[name]}.csv"
    listed(page, "Tables")
    click_in_row(page, name, 1)
    page.wait_for("document.querySelector('nav .prose table') !== null")
    rows = f"[...document.querySelectorAll('nav .prose table')].map(table => {IN_ROWS})"
    assert page.run(rows) == [cells(file)]
    saved = page.run("document.querySelector('nav a[download]').href")
    assert decoded(saved) == file.read_bytes()


def test_the_rules_and_their_run_times_are_drawn(page):
    page.wait_for("document.querySelector('#app canvas, #app svg.marks') !== null")
    click(page, "Statistics")
    page.wait_for("document.querySelectorAll('#app .vega-embed canvas, svg.marks').length >= 2")


def test_the_browser_meets_no_error_and_asks_for_nothing_outside(page):
    for category in ("Figures", "Tables"):
        listed(page, category)
        click(page, "Results")
    assert page.errors == []
    assert {request.partition(":")[0] for request in page.requests} == {"file", "data"}


@pytest.fixture
def unfinished(finished):
    """The same run without one figure and one table; put back at the end."""
    folder = finished.folder / "results/tiny/lumbreras2020"
    missing = [folder / "figures/figure_11.png", folder / "tables/claims.csv"]
    for file in missing:
        file.rename(file.with_suffix(".away"))
    yield finished
    for file in missing:
        file.with_suffix(".away").rename(file)


def front_page(checkout, chromium, results):
    """Make the report of another folder of results; return what was printed and its front page."""
    (checkout.folder / "other.yaml").write_text(yaml.safe_dump({**CONFIG, "results": results}))
    done = make_report(checkout, "other.yaml")
    assert done.returncode == 0, done.stdout
    chromium.open(checkout.folder / "results/report-other.html")
    chromium.wait_for(f"{FRONT} !== null")
    return done.stdout, chromium.run(f"{FRONT}.innerText")


def test_an_unfinished_run_has_a_report_of_what_is_there(unfinished, chromium):
    printed, text = front_page(unfinished, chromium, "results/tiny")
    missing = "Figure 11: log loss along iterations; Claims"
    assert f"lumbreras2020: not here yet: {missing}\n" in printed
    assert f"This run is not finished. Not here yet: {missing}." in text
    assert text.count("not finished") == 1  # the other study is
    without = [name for name in TABLES if name != "Claims"]
    assert listed(chromium, "Tables") == without


def test_a_run_of_which_nothing_is_there_has_a_report_that_says_so(finished, chromium):
    _, text = front_page(finished, chromium, "results/none")
    assert text.count("This run is not finished.") == 2
    assert all(name in text for name in (*FIGURES, *TABLES, *OTHER_TABLES))
