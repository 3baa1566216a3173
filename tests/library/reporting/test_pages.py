"""report.html of a fit and of a comparison: one file, opened in a browser as a colleague would."""

import re
from html.parser import HTMLParser

import browser
import numpy as np
import pandas as pd
import pytest
from quick_choice import choose_quickly
from sklearn.metrics import adjusted_mutual_info_score

import nbmf
from nbmf import cli
from nbmf.cli.arguments import parse, printed_command
from nbmf.plotting import style
from nbmf.posterior.groups import association_of, main_components, main_components_of, summarize_groups


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two fits and a comparison: structure with groups, and coins."""
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 40)
    p = np.where(kind[:, None] == np.arange(16) % 2, 0.9, 0.1)
    table = pd.DataFrame((rng.random(p.shape) < p).astype(int)).add_prefix("question <")
    table.index = [f"person {i}" for i in range(40)]
    table.insert(0, "party", np.where(kind, "left", "right"))
    table.to_csv(folder / "votes.csv")
    coins = pd.DataFrame(rng.integers(0, 2, (30, 12))).add_prefix("toss ")
    coins.to_csv(folder / "coins.csv", index=False)
    for command in (
        "fit votes.csv --groups party --method beta-dir-vb-learned --out votes",
        "fit votes.csv --groups party --method logistic-vb --out positions",
        "fit coins.csv --out coins",
        "compare votes.csv --ignore party --methods bica logpca --components 1 2 --masks 2 --out which",
    ):
        with pytest.MonkeyPatch.context() as patch, choose_quickly():
            patch.chdir(folder)
            assert cli.main(command.split()) == 0
    return folder


class Reader(HTMLParser):
    """Collects tags that are open at the end, and what the page refers to."""

    def __init__(self):
        super().__init__()
        self.open, self.references = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br", "input"):
            self.open.append(tag)
        self.references += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(("name", "pictures"), [("votes", 2), ("coins", 0), ("which", 2)])
def test_a_page_is_whole_and_refers_to_nothing(name, pictures, folder):
    reader = Reader()
    reader.feed((folder / name / "report.html").read_text())
    assert reader.open == []
    assert len(reader.references) == pictures
    assert all(each.startswith("data:image/png;base64,") for each in reader.references)


def test_the_verdict_comes_first(folder):
    page = (folder / "votes/report.html").read_text()
    body = page[page.index("<body>") :]
    found = re.search(r'<div class="verdict">\n<p>.*? predicted right.*?</p>\n<p>(Structure found: .*?)</p>', body)[1]
    assert body.index(found) < body.index("<h2>")
    assert "question &lt;" in body
    assert "question <" not in body
    nothing = (folder / "coins/report.html").read_text()
    assert re.search(r'<div class="verdict nothing">\n<p>.*</p>\n<p>Nothing found beyond ', nothing)
    assert "<h2>Components</h2>" not in nothing


def test_a_page_says_how_it_was_made(folder):
    page = (folder / "votes/report.html").read_text()
    typed = "nbmf fit votes.csv --groups party --method beta-dir-vb-learned --seed 0"
    assert f"{typed}<br>method = beta-dir-vb-learned, " in page
    assert "alpha = learn-columns" in page
    parsed = parse(["fit", "votes.csv", "--no-check", "--method", "bica", "--set", "alpha=0.2"])
    assert printed_command(parsed) == "nbmf fit votes.csv --method bica --set alpha=0.2 --seed 0 --no-check"
    assert f"nbmf {nbmf.__version__}" in page


@pytest.mark.browser
@pytest.mark.parametrize("name", ["votes", "positions", "coins", "which"])
def test_a_browser_shows_a_page_without_complaints(name, folder, tmp_path):
    executable, reason = browser.find()
    if executable is None:
        pytest.skip(reason)
    with browser.Browser(executable, tmp_path) as chromium:
        chromium.open(folder / name / "report.html")
        shown = chromium.run("[...document.images].every(i => i.complete && i.naturalWidth > 300)")
        wide = chromium.run("document.documentElement.scrollWidth <= window.innerWidth")
        assert shown
        assert wide
        assert chromium.errors == []
        elsewhere = [url for url in chromium.requests if not url.startswith(("file:", "data:"))]
        assert elsewhere == []


# Groups.


def test_rows_are_counted_by_group_and_component(folder):
    table = pd.read_csv(folder / "votes/groups.csv")
    assert table["rows"].sum() == 40
    counts = table.pivot_table(index="group", columns="component", values="rows").to_numpy()
    assert counts.max(axis=1).sum() >= 38  # nearly all of a party in one component
    assert set(table["group"]) == {"left", "right"}


def test_groups_have_mean_coordinates_where_components_are_axes(folder):
    table = pd.read_csv(folder / "positions/groups.csv")
    means = table[table["component"] == 1].set_index("group")["mean"]
    assert means.min() < -0.5 < 0.5 < means.max()
    assert "rows" not in table  # that are most typical of an axis
    words = "rows by group: their mean position on each axis, ± standard error; they are shrunk towards 0"
    lines = (folder / "positions/summary.txt").read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("rows by group: "))
    shown = {line.split()[0]: line.split()[1:4] for line in lines[at:] if line.split()[:1] in (["left"], ["right"])}
    errors = table[table["component"] == 1].set_index("group")["error"]
    assert shown == {group: [f"{mean:.2f}", "±", f"{errors[group]:.2f}"] for group, mean in means.items()}
    assert words in (folder / "positions/report.html").read_text()


def test_means_are_those_of_the_factor():
    model = nbmf.BinaryICA(2)
    model.W_ = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    model.H_ = np.full((2, 4), 0.5)
    table = summarize_groups(model, ["b", "b", "a"], np.array([1, 0]))
    assert table.to_dict("list") == {
        "component": [1, 1, 2, 2],
        "group": ["b", "a", "b", "a"],  # the largest first
        "size": [2, 1, 2, 1],
        "rows": [0, 1, 2, 0],
        "mean": [pytest.approx(0.2), 0.8, pytest.approx(0.8), 0.2],
    }
    with pytest.raises(nbmf.errors.DataError, match=r"^groups: 2 given for 3 rows$"):
        summarize_groups(model, ["a", "b"])


@pytest.mark.parametrize("axis", [0, 1])
def test_nobody_is_most_typical_of_an_axis(axis):
    model = nbmf.LogisticPCA(1)
    model.W_, model.H_ = np.array([[-1.0], [3.0]]), np.array([[2.0, -4.0]])
    table = summarize_groups(model, ["a", "a"], axis=axis)
    expected = {"component": [1], "group": ["a"], "size": [2], "mean": [(1.0, -1.0)[axis]], "error": [(2.0, 3.0)[axis]]}
    assert table.round(9).to_dict("list") == expected
    places = summarize_groups(nbmf.BetaDirVB(1), ["a", "a"], axis=axis, coordinates=np.array([[0.0], [1.0]]))
    assert list(places) == ["component", "group", "size", "mean", "error"]
    assert np.isnan(summarize_groups(nbmf.BetaDirVB(1), ["a"], coordinates=np.array([[1.0]]))["error"][0])


def test_a_component_that_is_large_everywhere_is_typical_of_nobody():
    W = np.array([[0.9, 0.5], [0.9, 0.1], [0.95, 0.1]])
    assert main_components(W, are_shares=True).tolist() == [0, 0, 0]
    assert main_components(W, are_shares=False).tolist() == [1, 0, 0]


def test_association_is_one_where_groups_are_components_and_none_by_chance():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 200)
    model = nbmf.BinaryICA(3)
    model.W_, model.H_ = np.eye(3)[kind] * 0.7 + 0.1, np.full((3, 2), 0.5)
    same = association_of(model, kind.astype(str))
    assert same.value == pytest.approx(1)
    assert same.error == pytest.approx(0, abs=1e-9)
    mixed = association_of(model, np.where(rng.random(200) < 0.3, 9, kind).astype(str))
    again = [association_of(model, np.where(rng.random(200) < 0.3, 9, kind).astype(str)).value for _ in range(40)]
    assert mixed.error == pytest.approx(np.std(again), rel=0.5)
    chance = association_of(model, rng.integers(0, 4, 200).astype(str))
    assert abs(chance.value) < 3 * chance.error + 0.02
    assert association_of(model, np.full(200, "all")) is None


def test_the_error_of_an_association_is_that_of_leaving_each_row_out():
    """Of as many rows as parts or fewer: (n - 1) / n times the sum of squares around the mean, row by row."""
    kind, groups = np.tile([0, 1, 2], 5), np.repeat([0, 1, 2], 5)
    groups[:9] = kind[:9]
    model = nbmf.BinaryICA(3)
    model.W_, model.H_ = np.eye(3)[kind] * 0.7 + 0.1, np.full((3, 2), 0.5)
    rows = np.arange(15)
    left = [adjusted_mutual_info_score(groups[rows != f], kind[rows != f]) for f in rows]
    found = association_of(model, groups.astype(str))
    assert found.value == pytest.approx(adjusted_mutual_info_score(groups, kind))
    assert found.error == pytest.approx(np.sqrt(14 / 15 * sum((x - np.mean(left)) ** 2 for x in left)), rel=1e-9)
    assert found.error > 0.05


def test_columns_are_counted_by_group():
    model = nbmf.BetaDirVB(2)
    model.W_ = np.array([[0.9, 0.1], [0.2, 0.8]])
    model.H_ = np.array([[0.9, 0.8, 0.1], [0.2, 0.1, 0.7]])
    table = summarize_groups(model, ["a", "a", "b"], axis=1)
    assert table.to_dict("list") == {
        "component": [1, 1, 2, 2],
        "group": ["a", "b", "a", "b"],
        "size": [2, 1, 2, 1],
        "columns": [2, 0, 0, 1],
        "mean": [pytest.approx(0.85), 0.1, pytest.approx(0.15), 0.7],
    }
    with pytest.raises(nbmf.errors.DataError, match=r"^groups: 2 given for 3 columns$"):
        summarize_groups(model, ["a", "b"], axis=1)
    assert association_of(model, ["a", "a", "b"], axis=1).value == pytest.approx(1)


def test_a_line_of_probabilities_is_typical_of_what_sets_it_apart():
    """√0.81 0.3 = 0.27 by the first component, √0.19 0.475 = 0.21 by the second."""
    model = nbmf.BetaDirVB(2)
    model.W_ = np.full((4, 2), [0.81, 0.19])
    model.H_ = np.array([[0.8, 0.2], [0.95, 0.0]])
    assert main_components_of(model, axis=1).tolist() == [0, 1]
    assert main_components_of(model, np.array([1, 0]), axis=1).tolist() == [1, 0]
    model.H_ = np.array([[0.7, 0.3], [0.95, 0.0]])  # 0.18 by the first
    assert main_components_of(model, axis=1).tolist() == [1, 0]
    model.W_ = np.array([[0.9, 0.1], [0.9, 0.1], [0.45, 0.55]])  # shares: the largest alone
    assert main_components_of(model).tolist() == [0, 0, 1]


def test_no_column_is_typical_of_a_component_that_says_the_same_of_all():
    """Column 2 has no ones: that all components but the flat one are below their means there is nothing of that one."""
    model = nbmf.BetaDirVB(3)
    model.W_ = np.full((4, 3), 1 / 3)
    model.H_ = np.array([[0.9, 0.0, 0.0], [0.0, 0.9, 0.0], [0.2, 0.21, 0.2]])
    assert main_components_of(model, axis=1).tolist()[:2] == [0, 1]
    assert main_components_of(model, axis=1)[2] != 2
    assert main_components_of(model, np.array([2]), axis=1).tolist() == [0, 0, 0]  # where there is no other


def test_groups_stay_with_the_lines_of_the_file(folder, monkeypatch):
    """After --transpose they are groups of columns, in every file and picture, and drawn again."""
    monkeypatch.chdir(folder)
    command = "fit votes.csv --groups party --transpose --no-check --chains 1 --out turned"
    assert cli.main(command.split()) == 0
    matrix = nbmf.BinaryMatrix.load("turned/matrix.npz")
    assert matrix.shape == (16, 40)
    assert matrix.row_groups is None
    groups = pd.read_csv("turned/column_groups.csv")
    assert groups["column"].tolist() == matrix.column_names.tolist()
    given = pd.read_csv("votes.csv", index_col=0)["party"]
    assert groups["group"].tolist() == given[groups["column"]].tolist()
    table = pd.read_csv("turned/groups.csv")
    active = pd.read_csv("turned/components.csv")["active"].sum()
    assert table[table["component"] <= active]["columns"].sum() <= 40
    assert "columns by group and the component they are most typical of" in (folder / "turned/summary.txt").read_text()
    page = (folder / "turned/report.html").read_text()
    assert f'<i class="swatch" style="background: {style.GROUPS[0]}"></i>' in page
    assert "--groups party --transpose" in page
    before = (folder / "turned/dictionary.png").read_bytes()
    assert cli.main(["plot", "turned", "--out", "again"]) == 0
    assert (folder / "again/dictionary.png").read_bytes() == before
    (folder / "turned/column_groups.csv").write_text("nothing\n")
    assert cli.main(["plot", "turned", "--out", "again"]) == cli.FAILED
