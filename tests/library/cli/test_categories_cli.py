"""The command line on a file of ordered categories: what it says, writes and refuses."""

import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import small_picture
from command_line import say

import nbmf
from nbmf import cli
from nbmf.cli.info.matrices import reversed_columns

LEVELS = ["never", "seldom", "often", "always"]
ASKED = ["--categories", *LEVELS]


def table():
    """Return answers of 60 people to ten items along one scale, items 3 and 7 reversed; some are missing."""
    rng = np.random.default_rng(1)
    slopes = np.where(np.arange(10) % 4 == 3, -2.0, 2.0)
    psi = np.linspace(-2, 2, 60)[:, None] * slopes + rng.logistic(size=(60, 10))
    answers = pd.DataFrame(np.array(LEVELS)[np.digitize(psi, [-1.5, 0, 1.5])])
    answers.index, answers.columns = [f"p{f}" for f in range(60)], [f"item {n}" for n in range(10)]
    return answers.mask(rng.random(answers.shape) < 0.05)


TABLE = table()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Work in an empty folder that has the file answers.csv; pictures are not drawn in full."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("answers.csv", index_label="person")
    small_picture.draw_quickly(monkeypatch)
    yield tmp_path
    plt.close("all")


def refused(capsys, *arguments):
    assert cli.main([*arguments]) != 0
    return " ".join(capsys.readouterr().err.split())


def test_a_fit_puts_people_on_a_scale_with_their_mean_categories(here, capsys):
    said = say(capsys, "fit", "answers.csv", *ASKED)
    assert "structure found: this method predicts better than" in said
    assert "60 rows lie on one axis" in said
    assert "mean predicted categories, from 0 (never) to 3 (always)" in said
    assert "higher at low end 'item " in said  # which is reversed
    folder = here / "answers.nbmf"
    positions = pd.read_csv(folder / "positions.csv", index_col=0)
    assert np.corrcoef(positions["axis 1"], np.arange(60))[0, 1] > 0.9
    columns = pd.read_csv(folder / "columns.csv", index_col=0)
    thresholds = columns[[f"threshold above {name}" for name in LEVELS[:-1]]].to_numpy()
    assert (np.diff(thresholds) > 0).all()
    np.testing.assert_allclose(columns["difficulty"], thresholds.mean(axis=1), atol=1e-5)
    lowest = positions.index[np.argsort(positions["axis 1"])[:6]]
    expectation = pd.read_csv(folder / "expectation.csv", index_col=0)
    means = columns["mean category at the low end of axis 1"]
    np.testing.assert_allclose(means, expectation.loc[lowest].mean(), atol=1e-3)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "by the mean category at either end" in page
    assert "probability of a one" not in page
    missing = pd.read_csv(folder / "missing.csv")
    assert len(missing) == TABLE.isna().to_numpy().sum()
    chances = missing[[f"P({name})" for name in LEVELS]].to_numpy()
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(chances @ np.arange(4), missing["mean"], atol=1e-3)
    assert nbmf.load(folder / "model.npz").n_categories is None
    assert nbmf.CategoryMatrix.load(folder / "matrix.npz").categories.tolist() == LEVELS


def test_numbers_of_categories_are_those_of_the_file(here, capsys):
    TABLE.replace(dict(zip(LEVELS, range(1, 5), strict=True))).to_csv("answers.csv", index_label="person")
    said = say(capsys, "fit", "answers.csv", "--categories", "1", "2", "3", "4", "--no-check")
    assert "mean predicted categories, from 1 to 4" in said  # not 1 (1) to 4 (4)
    expectation = pd.read_csv(here / "answers.nbmf/expectation.csv", index_col=0).to_numpy()
    assert 1 <= expectation.min() < 2
    assert 3 < expectation.max() <= 4
    starts = pd.read_csv(here / "answers.nbmf/chains.csv", index_col="quantity")["mean"]
    of_entry = starts[starts.index.str.startswith("E[v]")]
    assert (starts["active components"], of_entry.between(1, 4).all(), of_entry.max() > 3) == (1, True, True)


def test_new_people_are_read_and_placed_like_those_of_the_fit(here, capsys):
    say(capsys, "fit", "answers.csv", *ASKED, "--no-check")
    TABLE.iloc[[0, 59]].to_csv("new.csv", index_label="person")
    said = say(capsys, "predict", "answers.nbmf", "new.csv")
    assert "--categories never seldom often always" in said
    new, old = (pd.read_csv(here / f"{name}/positions.csv", index_col=0) for name in ("new.predicted", "answers.nbmf"))
    np.testing.assert_allclose(new["axis 1"], old.loc[["p0", "p59"], "axis 1"], atol=0.15)
    message = refused(capsys, "predict", "answers.nbmf", "new.csv", "--categories", *LEVELS[1:], "--force")
    assert "new.csv" in message
    TABLE.iloc[[0, 59]].replace(LEVELS[0], LEVELS[1]).to_csv("other.csv", index_label="person")
    message = refused(capsys, "predict", "answers.nbmf", "other.csv", "--categories", *LEVELS[1:])
    assert "the categories of other.csv are 'seldom', 'often', 'always', in this order; those of the fit" in message
    words = "fitted to ordered categories, none of which is recommended"
    assert words in refused(capsys, "recommend", "answers.nbmf")


def test_a_comparison_has_the_methods_and_baselines_of_categories(capsys):
    said = say(capsys, "compare", "answers.csv", *ASKED, "--masks", "2", "--iterations", "40")
    for part in ("ordinal VB", "ordinal GS", "column frequencies of categories", f"--categories {' '.join(LEVELS)}"):
        assert part in said


def test_info_says_how_often_categories_are_there_and_what_runs_against_the_others(capsys):
    answers = TABLE.assign(same="often")
    answers.to_csv("answers.csv", index_label="person")
    said = say(capsys, "info", "answers.csv", "--categories", *LEVELS, "daily")
    share = (answers == "never").to_numpy().sum() / answers.notna().to_numpy().sum()
    assert f"from low to high: never {share:.1%}, seldom" in said
    assert "never there: daily" in said
    assert "columns with one category alone: same" in said
    assert re.search(r"asked the other way round \(correlation with their mean\): item [37] -0\.", said)
    assert f"nbmf fit answers.csv --categories {' '.join(LEVELS)} daily" in said


def test_ratings_are_offered_as_categories_first(capsys):
    TABLE.replace(dict(zip(LEVELS, range(1, 5), strict=True))).to_csv("answers.csv", index_label="person")
    said = say(capsys, "info", "answers.csv")
    assert "next: nbmf fit answers.csv --categories 1 2 3 4 nbmf fit answers.csv --above 2" in said
    assert "--categories 1 2 3 4 keeps them as ordered categories" in refused(capsys, "fit", "answers.csv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*ASKED, "--method", "bica"], "these are ordered categories, which bica does not take; methods that do are"),
        (["--ones", "always", "--zeros", "never", "--method", "ordinal-vb"], "the value is"),
        ([*ASKED, "--above", "1"], "--above 1: has no meaning with --categories"),
    ],
)
def test_what_cannot_be_is_refused(arguments, words, capsys):
    assert words in refused(capsys, "fit", "answers.csv", *arguments)


def test_a_column_that_all_answer_alike_runs_against_nothing():
    """There is no correlation with what does not vary, and no warning of a division by nothing."""
    varied = np.tile([0, 1, 2], 10)
    for ranks in (np.column_stack([varied, np.ones(30, int)]), np.column_stack([varied, varied])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert reversed_columns(nbmf.CategoryMatrix.from_array(ranks)) == []
    against = nbmf.CategoryMatrix.from_array(np.column_stack([varied, 2 - varied]))
    assert reversed_columns(against) == [(0, -1.0), (1, -1.0)]


def test_unrelated_columns_are_hardly_ever_called_reversed():
    """Of 20 columns and 60 people some correlate by less than -.2 with the mean of the others, by chance."""
    rng = np.random.default_rng(0)
    drawn = (nbmf.CategoryMatrix.from_array(rng.integers(0, 3, (60, 20))) for _ in range(20))
    assert sum(bool(reversed_columns(each)) for each in drawn) <= 3
