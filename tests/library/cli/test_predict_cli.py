"""nbmf predict: new people in a fit, as a user meets it."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import small_picture
from command_line import run

from nbmf import load
from nbmf.cli.saved_fits import load_fit, saved_scale
from nbmf.posterior.new_rows import MEMBERSHIPS, POSITIONS, WEIGHTS, NewRows, Placement
from nbmf.reporting import prediction_report
from nbmf.reporting.prediction_report import ReportedPrediction

pytestmark = pytest.mark.usefixtures("quick_pictures")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    survey().to_csv("old.csv")
    return tmp_path


def survey(rows=40, seed=0):
    rng = np.random.default_rng(seed)
    W, H = rng.dirichlet([0.2] * 2, rows), np.random.default_rng(9).beta(0.3, 0.3, (2, 15))
    answers = np.where(rng.random((rows, 15)) < W @ H, "Ja", "Nein")
    frame = pd.DataFrame(answers, [f"p{seed}{f}" for f in range(rows)], [f"q{n}" for n in range(15)])
    return frame.assign(age=rng.integers(20, 80, rows))


READ = ["--ones", "Ja", "--zeros", "Nein", "--ignore", "age"]
KINDS = (MEMBERSHIPS, POSITIONS, WEIGHTS)
QUICK = ["--no-check", "--iterations", "40", "--components", "2"]


def fit(capsys, method="beta-dir-vb", *more):
    run(capsys, "fit", "old.csv", *READ, *QUICK, "--method", method, *more)


def test_new_people_are_read_as_the_old_ones_were(capsys, here):
    fit(capsys)
    new = survey(6, seed=1).drop(columns=["q3"]).assign(comment=[f"text {f}" for f in range(6)])
    new = new[list(new.columns[::-1])]
    new.iloc[2, 5] = None
    new.to_csv("new.csv")
    out = run(capsys, "predict", "old.nbmf", "new.csv").out
    assert "read as old.nbmf was: --ones Ja --zeros Nein\n" in out
    assert "ignored: 'comment', 'age'" in out
    assert "new: 6 new rows, by Beta-Dir VB, K = 2 of old.nbmf\n" in out
    assert "columns matched by name: 14 of the 15 of the fit\n" in out
    assert "not in the file, or empty there, and so missing: 'q3'\n" in out
    assert "7 missing entries: probabilities of a one are in missing.csv\n" in out
    assert out.endswith("written to new.predicted/; start with report.html\n")
    table = pd.read_csv("new.predicted/memberships.csv")
    assert table["row"].tolist() == new.index.tolist()
    assert table["main"].isin(["component 1", "component 2"]).all()
    assert (table["component 1 lower"] <= table["component 1 upper"]).all()
    missing = pd.read_csv("new.predicted/missing.csv")
    assert missing["column"].value_counts().to_dict() == {"q3": 6, new.columns[5]: 1}
    assert missing["probability"].between(0, 1).all()


def test_columns_that_are_matched_are_neither_missing_nor_zeros():
    """Of "a" to "e" the new rows have "b" and "d"; "a" is missing in them, and "c" and "e" are zeros."""
    rows = NewRows(np.zeros((1, 5), int), np.array(["r"]), ["a"], ["x"], [], zeros=["c", "e"])
    model = SimpleNamespace(title="logistic VB, K = 2")
    prediction = ReportedPrediction("new", "old", model, rows, None, np.array(list("abcde")), 0.9)
    assert list(prediction_report._matching_facts(prediction)) == [
        "new: 1 new row, by logistic VB, K = 2 of old",
        "columns matched by name: 2 of the 5 of the fit",
        "not in the file, and so zeros, as all that is not in it: 'c', 'e'",
        "not in the file, or empty there, and so missing: 'a'",
        "in the file, but not in the fit, and not used: 'x'",
    ]


def test_a_fit_in_which_nothing_was_found_is_reported(capsys):
    noise = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (30, 12)), columns=[f"q{n}" for n in range(12)])
    noise.to_csv("noise.csv")
    run(capsys, "fit", "noise.csv", "--method", "beta-dir-vb", "--components", "2", "--iterations", "10")
    out = run(capsys, "predict", "noise.nbmf", "noise.csv").out
    warned = "nothing that predicts better than the overall proportion of ones was found in noise.nbmf: where rows are"
    assert warned in " ".join(out.split())
    for name in ("summary.txt", "report.html"):
        assert warned in " ".join(Path("noise.predicted", name).read_text(encoding="utf-8").split())
    record = json.loads(Path("noise.nbmf", "nbmf.json").read_text())
    for beyond, said in (
        (
            "effects",
            "than row and column effects was found in noise.nbmf: where rows are in it says at most how many ones",
        ),
        ("column-proportions", "than column means was found in noise.nbmf: where rows are in it may be chance"),
    ):
        Path("noise.nbmf", "nbmf.json").write_text(json.dumps({**record, "nothing_beyond": beyond}))
        assert said in " ".join(run(capsys, "predict", "noise.nbmf", "noise.csv").out.split())
    del record["nothing_beyond"]  # written before there was one
    Path("noise.nbmf", "nbmf.json").write_text(json.dumps(record))
    told = run(capsys, "predict", "noise.nbmf", "noise.csv").out
    assert "nothing was found in noise.nbmf: where rows are in it may be chance\n" in told


def test_one_new_person(capsys):
    fit(capsys)
    survey(1, seed=2).to_csv("one.csv")
    out = run(capsys, "predict", "old.nbmf", "one.csv").out
    assert "one: 1 new row, by" in out
    assert "no entry is missing" in out


def test_of_many_components_it_is_said_of_which_a_row_is_most_typical():
    """The four that new rows have most of may not be those of a single row."""
    values = np.array([[0.02, 0.03, 0.04, 0.05, 0.86], [0.3, 0.3, 0.3, 0.1, 0.0], [0.3, 0.3, 0.2, 0.2, 0.0]])
    names, none = [str(k) for k in range(1, 6)], np.zeros((3, 2))
    placement = Placement(MEMBERSHIPS, names, values, values, values, none, 5, values.argmax(axis=1))
    rows = SimpleNamespace(names=["a", "b", "c"])
    prediction = ReportedPrediction("new", "old", None, rows, placement, np.array(["x", "y"]), 0.9)
    table = prediction_report._placement_table(prediction)
    assert table.head[-1] == "most typical of"
    assert [row[-1] for row in table.rows] == ["5", "1", "1"]
    four = Placement(MEMBERSHIPS, names[1:], *[values[:, 1:]] * 3, none, 4, values[:, 1:].argmax(axis=1))
    few = prediction_report._placement_table(replace(prediction, placement=four))
    assert "most typical of" not in few.head


@pytest.mark.parametrize(("axes", "words"), [(1, "30 rows and 1 position of each"), (2, "30 rows and 2 positions of")])
def test_it_is_said_how_many_positions_the_file_has(axes, words):
    values, names = np.zeros((30, axes)), [f"axis {a + 1}" for a in range(axes)]
    placement = Placement(POSITIONS, names, values, values, values, np.zeros((30, 2)), axes, None)
    rows = SimpleNamespace(names=np.array([f"r{f}" for f in range(30)]))
    prediction = ReportedPrediction("new", "old", None, rows, placement, np.array(["x", "y"]), 0.9)
    assert words in prediction_report._placement_table(prediction).note


def test_new_rows_are_near_rows_of_the_fit(capsys):
    fit(capsys, "logistic-vb-columns")
    survey().iloc[:3].to_csv("new.csv")
    out = run(capsys, "predict", "old.nbmf", "new.csv").out
    assert "nearest rows of the fit" in out
    table = pd.read_csv("new.predicted/positions.csv", index_col="row")
    assert list(table.columns[-2:]) == ["nearest 5", "difference 5"]
    assert set(table[[f"nearest {n}" for n in range(1, 6)]].to_numpy().ravel()) <= set(survey().index)
    assert (table["difference 1"] < 0.1).all()


def test_positions_of_a_scale_and_a_workbook(capsys, here):
    pytest.importorskip("openpyxl")
    fit(capsys, "logistic-vb-columns")
    survey(5, seed=3).to_csv("new.csv")
    out = run(capsys, "predict", "old.nbmf", "new.csv", "--out", "new.xlsx").out
    assert "\npositions\n" in out
    assert "all tables are sheets of new.xlsx" in out
    table = pd.read_excel("new.xlsx", sheet_name=None)
    assert set(table) == {"positions", "missing"}
    assert list(table["positions"])[:4] == ["row", "axis 1", "axis 1 lower", "axis 1 upper"]


def test_what_a_list_of_ones_does_not_have_is_zero(capsys):
    """As a table with all zeros and as a list without them, new rows are the same."""
    table = survey(5, seed=3).drop(columns="age") == "Ja"
    ones = table.stack()[lambda is_one: is_one].reset_index().iloc[:, :2].set_axis(["who", "what"], axis=1)
    everything = (survey().drop(columns="age") == "Ja").astype(int)
    everything.stack()[lambda value: value == 1].reset_index().iloc[:, :2].to_csv("pairs.csv", index=False)
    run(capsys, "fit", "pairs.csv", "--layout", "presence", "--method", "beta-dir-vb", *QUICK)
    ones = ones[ones["what"] != "q0"]
    ones.to_csv("ones.csv", index=False)
    table.assign(q0=False).astype(int).to_csv("table.csv")
    shutil.copy("pairs.nbmf/model.npz", "alone.npz")
    said = run(capsys, "predict", "pairs.nbmf", "ones.csv").out
    assert "not in the file, and so zeros, as all that is not in it: 'q0'" in said
    assert "no entry is missing" in said
    run(capsys, "predict", "alone.npz", "table.csv", "--out", "table")
    as_list, as_table = (
        pd.read_csv(f"{folder}/memberships.csv", index_col="row")["component 1"]
        for folder in ("ones.predicted", "table")
    )
    np.testing.assert_allclose(as_list, as_table[as_list.index], atol=0.03)


def test_a_model_alone_has_no_options_and_no_scale(capsys):
    fit(capsys)
    survey(5, seed=3).to_csv("new.csv")
    Path("old.nbmf/model.npz").rename("alone.npz")
    assert run(capsys, "predict", "alone.npz", "new.csv", code=2).err
    out = run(capsys, "predict", "alone.npz", "new.csv", *READ[:4]).out
    assert "by Beta-Dir VB, K = 2 of alone.npz" in out


def test_the_model_in_a_folder_is_taken_with_what_lies_next_to_it(capsys):
    fit(capsys, "logistic-vb-columns")
    survey(5, seed=3).to_csv("new.csv")
    assert "\npositions\n" in run(capsys, "predict", "old.nbmf/model.npz", "new.csv").out


def test_misfits_are_reported(capsys):
    fit(capsys)
    survey(5).rename(columns=lambda name: f"x{name}").to_csv("other.csv")
    refused = run(capsys, "predict", "old.nbmf", "other.csv", *READ[:4], "--ignore", "xage", code=2).err
    assert "other.csv: no column has the name of one of the fit, such as 'q0'; there is 'xq0'" in refused
    survey(5).drop(columns="age").T.to_csv("turned.csv")
    refused = run(capsys, "predict", "old.nbmf", "turned.csv", code=2).err
    assert "rows have such names: --transpose lets them be columns" in refused
    out = run(capsys, "predict", "old.nbmf", "turned.csv", "--transpose").out
    assert "turned: 5 new rows" in out
    assert "there is no such folder or file" in run(capsys, "predict", "none.nbmf", "turned.csv", code=2).err
    assert "turned.csv: no fit, which is a folder " in run(capsys, "predict", "turned.csv", "old.nbmf", code=2).err
    counts = pd.DataFrame(np.random.default_rng(0).poisson(3, (9, 15)), columns=[f"q{n}" for n in range(15)])
    counts.to_csv("counts.csv", index=False)
    assert "refused" not in run(capsys, "predict", "old.nbmf/model.npz", "counts.csv", code=2).err


def test_the_folder_one_is_in_has_the_name_that_it_has(capsys, here, monkeypatch):
    fit(capsys)
    monkeypatch.chdir(here / "old.nbmf")
    run(capsys, "recommend", ".", "--top", "1")
    assert (here / "old.recommended.csv").exists()
    run(capsys, "recommend", "model.npz", "--top", "1")
    run(capsys, "compare-fits", ".", "model.npz", "--no-check", "--out", "both")
    assert "old" in (here / "old.nbmf/both/summary.txt").read_text()


def test_new_rows_of_counts(capsys):
    rng = np.random.default_rng(0)
    for name, rows in (("old", 30), ("new", 4)):
        values = rng.poisson(rng.gamma(1, 3, (rows, 10)))
        pd.DataFrame(values, [f"{name}{f}" for f in range(rows)], [f"c{n}" for n in range(10)]).to_csv(f"{name}.csv")
    run(capsys, "fit", "old.csv", *QUICK, "--method", "poisson-gamma-vb")
    new = pd.read_csv("new.csv", index_col=0)
    new.iloc[0, 0] = None
    new.to_csv("new.csv")
    out = run(capsys, "predict", "old.nbmf", "new.csv").out
    assert "has no intervals of new rows" in out
    assert "1 missing entry: expected counts are in missing.csv" in out
    assert pd.read_csv("new.predicted/missing.csv")["mean"][0] > 0


def answers(rows=12, seed=0):
    """Return zeros and ones of named members, who have a party and an age: columns before their names."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 2, (rows, 6))).add_prefix("v")
    frame.iloc[:, :2] = np.eye(2, dtype=int)[np.arange(rows) % 2]  # each column and each row has a one
    frame.insert(0, "member", [f"m{f}" for f in range(rows)])
    frame.insert(0, "party", np.array(["L", "R"])[np.arange(rows) % 2])
    frame.insert(0, "age", rng.permutation(rows) + 20)
    return frame


def as_list(frame):
    """Return a line per entry: the group first, entries of a row next to each other."""
    entries = frame.drop(columns="age").melt(["party", "member"], var_name="item", ignore_index=False)
    return entries.sort_index(kind="stable")


def as_pairs(frame):
    return as_list(frame).query("value == 1")[["member", "item"]]


def as_text(frame):
    return frame.replace({0: "no way", 1: "of course"}).drop(columns=["age", "party"])


def turned(frame):
    """Return a line per item, whose groups and names stand before the members."""
    items = frame.set_index("member").drop(columns=["age", "party"]).T.rename_axis("item").reset_index()
    return items.assign(kind=["a", "b"] * 3)[["kind", *items]]


COUNTING, OF_ONES = ["--method", "poisson-gamma-vb"], ["--method", "beta-dir-vb"]
WAYS = {
    "groups first": (lambda f: f.drop(columns="age"), ["--groups", "party", *OF_ONES]),
    "groups first, and the model has them": (
        lambda f: f.drop(columns="age"),
        ["--groups", "party", "--method", "logistic-vb", "--set", "row_groups=matrix"],
    ),
    "ignored first": (lambda f: f.drop(columns="party"), ["--ignore", "age", *OF_ONES]),
    "ignored, then groups": (lambda f: f, ["--groups", "party", "--ignore", "age", *OF_ONES]),
    "groups first in a list": (as_list, ["--layout", "long", "--groups", "party", *OF_ONES]),
    "groups of columns first": (turned, ["--transpose", "--groups", "kind", *OF_ONES]),
    "ignored first, transposed": (turned, ["--transpose", "--ignore", "kind", *OF_ONES]),
    "presence, counted": (as_pairs, ["--layout", "presence", *COUNTING]),
    "declared ones, counted": (as_text, ["--ones", "of course", "--zeros", "no way", *COUNTING]),
    "above, counted": (lambda f: f.drop(columns=["age", "party"]), ["--above", "0", *COUNTING]),
    "no counts, counted": (lambda f: f.drop(columns=["age", "party"]), ["--no-counts", *COUNTING]),
    "zeros and ones, counted": (lambda f: f.drop(columns=["age", "party"]), COUNTING),
    "zeros and ones as categories": (lambda f: f.drop(columns=["age", "party"]), ["--method", "ordinal-vb"]),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_fit_and_its_own_file_go_together(way, capsys):
    """Whatever the file was read by, names of rows are the same."""
    of_file, words = WAYS[way]
    of_file(answers()).to_csv("f.csv", index=False)
    few = ["--no-check", "--iterations", "3", "--components", "2"]
    run(capsys, "fit", "f.csv", *words, *few)
    run(capsys, "predict", "f.nbmf", "f.csv")
    table = next(Path("f.predicted", f"{kind}.csv") for kind in KINDS if Path("f.predicted", f"{kind}.csv").exists())
    assert pd.read_csv(table)["row"].tolist() == answers()["member"].tolist()
    if "ordinal-vb" not in words:  # of categories none is recommended
        run(capsys, "recommend", "f.nbmf", "f.csv")
        found = pd.read_csv("f.recommended.csv")
        assert set(found["row"]) <= set(answers()["member"])
        assert set(found["column"]) <= {f"v{n}" for n in range(6)}


def test_groups_that_the_model_has_not_may_be_typed(capsys):
    answers().drop(columns="age").to_csv("f.csv", index=False)
    run(capsys, "fit", "f.csv", "--ignore", "party", *OF_ONES, *QUICK)
    run(capsys, "predict", "f.nbmf", "f.csv", "--groups", "party")
    assert pd.read_csv("f.predicted/memberships.csv")["row"].tolist() == answers()["member"].tolist()


def test_what_is_typed_to_be_ignored_comes_to_what_the_fit_has_not(capsys):
    answers().drop(columns="party").to_csv("f.csv", index=False)
    run(capsys, "fit", "f.csv", "--ignore", "age", *OF_ONES, *QUICK)
    answers().assign(comment="a text").to_csv("new.csv", index=False)
    out = run(capsys, "predict", "f.nbmf", "new.csv", "--ignore", "party").out
    assert "ignored: 'party', 'age', 'comment'\n" in out
    assert pd.read_csv("new.predicted/memberships.csv")["row"].tolist() == answers()["member"].tolist()


def test_zeros_and_ones_are_no_answers_of_other_categories(capsys):
    frame = answers().drop(columns=["age", "party"])
    frame.replace({0: "no", 1: "maybe"}).to_csv("f.csv", index=False)
    run(capsys, "fit", "f.csv", "--categories", "no", "maybe", "yes", "--method", "ordinal-vb", *QUICK)
    frame.to_csv("new.csv", index=False)
    shutil.copy("f.nbmf/model.npz", "alone.npz")
    error = run(capsys, "predict", "alone.npz", "new.csv", code=2).err
    assert "the categories of new.csv are '0', '1', in this order; those of the fit are 'no', 'maybe', 'yes'" in error


@pytest.mark.parametrize("names", [["no", "maybe", "yes"], [1, 2, 3]])
def test_missing_answers_of_new_people_have_the_probability_of_each(names, capsys):
    ranks = np.random.default_rng(0).integers(0, 3, (40, 6))
    frame = pd.DataFrame(np.array(names)[ranks], columns=list("abcdef")).rename_axis("member")
    frame.to_csv("f.csv")
    run(capsys, "fit", "f.csv", "--categories", *map(str, names), "--method", "ordinal-vb", *QUICK)
    some = frame.iloc[:5].astype(object)
    some.iloc[0, 1] = some.iloc[3, 4] = None
    some.to_csv("new.csv")
    out = run(capsys, "predict", "f.nbmf", "new.csv").out
    first = 0 if names[0] == "no" else 1
    assert f"2 missing entries: mean categories, counted from {first}, and the probability of each category" in out
    missing = pd.read_csv("new.predicted/missing.csv")
    assert list(missing)[2:] == ["mean", *(f"P({name})" for name in names)]
    chances = missing.iloc[:, 3:].to_numpy()
    np.testing.assert_allclose(chances @ [first, first + 1, first + 2], missing["mean"], atol=1e-5)
    model = load("f.nbmf/model.npz")
    factors = model.factors_of_rows(np.where(some.notna(), ranks[:5], np.nan))
    np.testing.assert_allclose(chances, model.predictive_of(factors, [0, 3], [1, 4]), atol=1e-5)
    model.categories_ = None  # as of a model that was fitted to an array
    model.save("alone.npz")
    run(capsys, "predict", "alone.npz", "new.csv", "--categories", *map(str, names))
    assert list(pd.read_csv("new.predicted/missing.csv"))[2:] == ["mean", "P(0)", "P(1)", "P(2)"]


# Two fits side by side.


def test_two_fits_of_a_file(capsys, here):
    fit(capsys)
    fit(capsys, "beta-dir-vb", "--seed", "5", "--out", "again")
    out = run(capsys, "compare-fits", "old.nbmf", "again").out
    assert "40 rows in common, by name\n15 columns in common, by name\n" in out
    assert "components, matched one to one\n" in out
    assert re.search(r"rows with another main component: \d+ of 40\n", out)
    assert "entries held out of both)" in " ".join(out.split())
    assert out.endswith("written to old-again.fits/; start with report.html\n")
    assert pd.read_csv("old-again.fits/components.csv")["rows"].between(-1, 1).all()
    assert len(pd.read_csv("old-again.fits/rows.csv")) == 40
    out = run(capsys, "compare-fits", "old.nbmf", "again", "--no-check", "--out", "b").out
    assert "which predicts better was not tested: not asked for" in out


def test_fits_that_cannot_be_compared(capsys, here):
    fit(capsys)
    shutil.copy("old.nbmf/model.npz", "alone.npz")
    assert "a model without its data" in run(capsys, "compare-fits", "old.nbmf", "alone.npz", code=2).err
    assert "no such folder" in run(capsys, "compare-fits", "old.nbmf", "none", code=2).err
    people = pd.DataFrame({"a": np.arange(40) % 2, "b": np.arange(40) / 7, "c": ["x", "y"] * 20})
    people.to_csv("t.csv", index=False)
    run(capsys, "cluster", "t.csv", "--no-check", "--components", "2", "--model", "mnb")
    refused = run(capsys, "compare-fits", "old.nbmf", "t.clusters", code=2).err
    assert "a model of a table or of documents; needed is one of a matrix" in refused


# Names of components.


def test_components_are_called_what_a_person_calls_them(capsys, here):
    fit(capsys, "beta-dir-vb", "--names", "left", "right", "--out", "called")
    summary = (here / "called/summary.txt").read_text()
    assert "component 1, left: " in summary
    assert "component 2, right: " in summary
    assert list(pd.read_csv("called/W.csv").columns) == ["row", "left", "right"]
    assert pd.read_csv("called/H.csv")["component"].tolist() == ["left", "right"]
    survey(3, seed=1).to_csv("new.csv")
    run(capsys, "predict", "called", "new.csv")
    table = pd.read_csv("new.predicted/memberships.csv")
    assert set(table["main"]) <= {"left", "right"}
    out = run(capsys, "compare-fits", "called", "called", "--no-check", "--out", "c").out
    assert "left" in out


def test_axes_have_names_too_and_what_is_wrong_with_names_is_reported(capsys, here):
    fit(capsys, "logistic-vb-columns", "--names", "for or against", "b", "c", "d")
    said = run(
        capsys, "fit", "old.csv", *READ, *QUICK, "--method", "logistic-vb-columns", "--names", "x", "y", "z", "w"
    ).out
    assert "so that there is none to be called " in said
    assert "axis 1, x: " in said
    assert list(pd.read_csv("old.nbmf/positions.csv").columns)[1] == "x"
    assert "'a' is there twice" in run(capsys, "fit", "old.csv", *READ, "--names", "a", "a", code=2).err


def parties(rows, seed):
    """Return a survey of two parties that answer differently."""
    rng = np.random.default_rng(seed)
    party = np.arange(rows) % 2
    p = np.where(party[:, None] == (np.arange(15) % 2), 0.9, 0.15)
    answers = np.where(rng.random((rows, 15)) < p, "Ja", "Nein")
    frame = pd.DataFrame(answers, [f"p{seed}{f}" for f in range(rows)], [f"q{n}" for n in range(15)])
    return frame.assign(party=np.array(["left", "right"])[party])


@pytest.mark.parametrize("method", ["logistic-gs-learned-effects", "logistic-vb-learned-effects"])
def test_new_people_of_a_party_are_predicted_by_it(capsys, here, method):
    """Of whom one answer is known, the rest is that of the party, which is read from the column of the fit."""
    parties(40, 0).to_csv("old.csv")
    read = ["--ones", "Ja", "--zeros", "Nein", "--groups", "party"]
    run(capsys, "fit", "old.csv", *read, *QUICK, "--method", method, "--set", "row_groups=matrix")
    new = parties(4, 1)
    new.iloc[:, 1:15] = None
    new.to_csv("new.csv")
    out = run(capsys, "predict", "old.nbmf", "new.csv").out
    assert "groups of rows: party\n" in out
    missing = pd.read_csv("new.predicted/missing.csv").pivot(index="row", columns="column", values="probability")
    even = [name for name in missing.columns if int(name[1:]) % 2 == 0]
    odd = [name for name in missing.columns if int(name[1:]) % 2]
    left, right = missing.loc[new.index[::2]], missing.loc[new.index[1::2]]
    assert left[even].mean(axis=None) > right[even].mean(axis=None) + 0.3
    assert right[odd].mean(axis=None) > left[odd].mean(axis=None) + 0.3
    run(capsys, "recommend", "old.nbmf", "new.csv", "--top", "14", "--exclude", "observed")
    probable = pd.read_csv("new.recommended.csv").pivot(index="row", columns="column", values="probability")
    known = probable.to_numpy()
    np.testing.assert_allclose(known, missing.loc[probable.index, probable.columns], rtol=1e-4)
    new.drop(columns="party").to_csv("new.csv")
    assert "groups of rows" not in run(capsys, "predict", "old.nbmf", "new.csv", "--force").out


def test_groups_of_a_labelled_column_are_found_by_its_variable(capsys, here):
    frame = parties(40, 0)
    labels = {"party": "Party of the deputy"}
    words = ["--method", "logistic-vb-learned-effects", "--set", "row_groups=matrix", *QUICK]
    answers = pd.concat([(frame.iloc[:, :15] == "Ja").astype(int), frame["party"]], axis=1)
    answers.to_stata("old.dta", variable_labels=labels)
    run(capsys, "fit", "old.dta", "--groups", "party", *words)
    answers.iloc[:4].to_stata("new.dta", variable_labels=labels)
    out = run(capsys, "predict", "old.nbmf", "new.dta", "--force").out
    assert "groups of rows: party\n" in out
    assert "ignored" not in out


def test_a_fit_with_groups_needs_a_file_with_groups(capsys, here):
    words = ["--set", "row_groups=matrix", "--method", "logistic-vb"]
    error = run(capsys, "fit", "old.csv", *READ, *QUICK, *words, code=2).err
    assert "the matrix has no groups of its rows" in error
    assert "--groups" in error


def test_rows_of_two_sampled_fits_have_the_positions_that_their_own_reports_have(capsys):
    """Those of draws, and not of one chain given its columns."""
    fit(capsys, "logistic-gs-learned-effects", "--draws", "8")
    run(capsys, "compare-fits", "old.nbmf", "old.nbmf", "--no-check", "--out", "both")
    own, rows = pd.read_csv("old.nbmf/positions.csv"), pd.read_csv("both/rows.csv")
    columns = [name for name in rows if name.startswith("first on axis")] or ["first"]
    for axis, column in enumerate(columns, start=1):
        np.testing.assert_allclose(rows[column], own[f"axis {axis}"], atol=1e-4)
    assert not rows["moved"].any()


def test_folders_of_1_0_0_keep_their_axes(capsys, monkeypatch):
    """Three axes at most were rotated then, and none correlated: positions that were saved are on these."""
    rng = np.random.default_rng(0)
    loadings = np.kron(np.eye(5), np.full(8, 2.5))
    V = (rng.logistic(size=(150, 40)) < rng.normal(size=(150, 5)) @ loadings).astype(int)
    pd.DataFrame(V, [f"p{f}" for f in range(150)], [f"q{n}" for n in range(40)]).to_csv("traits.csv")
    ask = ["--method", "logistic-gs", "--components", "5", "--no-check", "--iterations", "150", "--draws", "30"]
    for most, folder in ((3, "before"), (6, "now")):
        with monkeypatch.context() as patched:
            patched.setattr("nbmf.posterior.scale_rotation.MOST_KEPT", most)
            run(capsys, "fit", "traits.csv", *ask, "--out", folder)
        fit = load_fit(Path(folder))
        scale = saved_scale(fit.path, fit.model, fit.matrix)
        own = pd.read_csv(f"{folder}/columns.csv").filter(regex=r"discrimination on axis \d+$")
        assert scale.kept == (3 if most == 3 else 5)
        np.testing.assert_allclose(scale.discrimination[:, : scale.kept], own.to_numpy()[:, : scale.kept], atol=0.02)


def test_folders_keep_axes_that_do_not_correlate(capsys, monkeypatch):
    """Two scales that correlate by .5, as earlier versions have reported them."""
    rng = np.random.default_rng(1)
    traits = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 250)
    V = (rng.logistic(size=(250, 20)) < 2 * traits[:, np.arange(20) % 2]).astype(int)
    pd.DataFrame(V, [f"p{f}" for f in range(250)], [f"q{n}" for n in range(20)]).to_csv("traits.csv")
    ask = ["--method", "logistic-vb-learned-effects", "--no-check"]
    for folder, correlate in (("now", True), ("before", False)):
        with monkeypatch.context() as patched:
            if not correlate:
                patched.setattr("nbmf.posterior.scale_rotation.rotate_obliquely", lambda axes, number: None)
            run(capsys, "fit", "traits.csv", *ask, "--out", folder)
        fit = load_fit(Path(folder))
        scale = saved_scale(fit.path, fit.model, fit.matrix)
        assert scale.is_oblique == correlate
        own = pd.read_csv(f"{folder}/columns.csv").filter(regex=r"discrimination on axis \d+$")
        np.testing.assert_allclose(scale.discrimination[:, : scale.kept], own.to_numpy()[:, : scale.kept], atol=0.02)


def test_a_folder_whose_rows_lie_along_an_arch_is_read_again(capsys):
    """Its table of positions has one column more."""
    rng = np.random.default_rng(0)
    place, optimum = rng.uniform(0, 7, 120), rng.uniform(-1, 8, 60)
    V = (rng.random((120, 60)) < 0.8 * np.exp(-((place[:, None] - optimum) ** 2) / 2)).astype(int)
    frame = pd.DataFrame(V, [f"site {f}" for f in range(120)], [f"species {n}" for n in range(60)])
    frame.to_csv("sites.csv")
    ask = ["--method", "logistic-vb-columns", "--no-check", "--chains", "1", "--components", "4"]
    run(capsys, "fit", "sites.csv", *ask, "--out", "sites.nbmf")
    assert "along the arch" in pd.read_csv("sites.nbmf/positions.csv")
    run(capsys, "plot", "sites.nbmf")
    run(capsys, "predict", "sites.nbmf", "sites.csv", "--out", "again")
    positions, again = (pd.read_csv(f"{folder}/positions.csv", index_col=0) for folder in ("sites.nbmf", "again"))
    assert np.corrcoef(positions["axis 1"], again["axis 1"])[0, 1] > 0.97


def test_new_rows_of_latent_classes_have_probabilities_and_not_merely_no_intervals(capsys, here):
    survey().to_csv("old.csv")
    fit(capsys, "mnb-rows", "--components", "2")
    survey(8, 1).to_csv("new.csv")
    out = " ".join(run(capsys, "predict", "old.nbmf", "new.csv").out.split())
    assert "these are the probabilities that a row is in a latent class, given the classes of the fit" in out
    assert "no intervals" not in out
