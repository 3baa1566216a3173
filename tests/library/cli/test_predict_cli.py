"""nbmf predict: new people in a fit, as a user meets it."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_picture

from nbmf import cli


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    survey().to_csv("old.csv")
    return tmp_path


def run(capsys, *argv, code=0):
    assert cli.main([str(word) for word in argv]) == code
    return capsys.readouterr()


def survey(rows=40, seed=0):
    rng = np.random.default_rng(seed)
    W, H = rng.dirichlet([0.2] * 2, rows), np.random.default_rng(9).beta(0.3, 0.3, (2, 15))
    answers = np.where(rng.random((rows, 15)) < W @ H, "Ja", "Nein")
    frame = pd.DataFrame(answers, [f"p{seed}{f}" for f in range(rows)], [f"q{n}" for n in range(15)])
    return frame.assign(age=rng.integers(20, 80, rows))


READ = ["--ones", "Ja", "--zeros", "Nein", "--ignore", "age"]
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


def test_a_fit_in_which_nothing_was_found_is_reported(capsys):
    noise = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (30, 12)), columns=[f"q{n}" for n in range(12)])
    noise.to_csv("noise.csv")
    run(capsys, "fit", "noise.csv", "--method", "beta-dir-vb", "--components", "2", "--iterations", "10")
    out = run(capsys, "predict", "noise.nbmf", "noise.csv").out
    warned = "nothing was found in noise.nbmf: where rows are in it may be chance"
    assert f"{warned}\n" in out
    for name in ("summary.txt", "report.html"):
        assert warned in Path("noise.predicted", name).read_text(encoding="utf-8")


def test_one_new_person(capsys):
    fit(capsys)
    survey(1, seed=2).to_csv("one.csv")
    out = run(capsys, "predict", "old.nbmf", "one.csv").out
    assert "one: 1 new row, by" in out
    assert "no entry is missing" in out


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
