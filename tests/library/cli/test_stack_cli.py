"""The mixture of methods that nbmf fit predicts with, next to the model that it shows."""

import numpy as np
import pandas as pd
import pytest
import small_picture
from scipy.special import expit

import nbmf
from nbmf import cli
from nbmf.analysis.analyze import choose_methods
from nbmf.analysis.mixture import further_members
from nbmf.analysis.plan import make_plan
from nbmf.analysis.request import Request
from nbmf.analysis.settings import configured_estimator
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.stacking.members import MEMBERS, visits


def survey():
    """Draw 40 rows on one axis and 24 columns of either sign; a tenth of the answers is missing."""
    rng = np.random.default_rng(4)
    places = np.linspace(-1.7, 1.7, 40)
    answers = (rng.random((40, 24)) < expit(np.outer(places, np.where(np.arange(24) % 2, 2.0, -2.0)))).astype(float)
    answers[rng.random(answers.shape) < 0.1] = np.nan
    return answers


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    names = [f"person {f}" for f in range(40)]
    pd.DataFrame(survey(), names, [f"question {n}" for n in range(24)]).to_csv("survey.csv")
    return tmp_path


def said(capsys, *typed):
    capsys.readouterr()
    assert cli.main(list(typed)) == 0
    return " ".join(capsys.readouterr().out.split())


def test_a_fit_says_what_the_mixture_predicts_and_writes_it(here, capsys):
    out = said(capsys, "fit", "survey.csv")
    matrix = BinaryMatrix.load(here / "survey.nbmf" / "matrix.npz")
    first, *_ = choose_methods(matrix, make_plan(matrix, Request()), Request())
    stack = first.verdict.stack
    assert f"{stack} weights in the mixture, stack.npz: {stack.described_members} the mixture predicts" in out
    model, mixture = (nbmf.load(here / "survey.nbmf" / name) for name in ("model.npz", "stack.npz"))
    assert isinstance(mixture, nbmf.Stacking)
    weights = dict(zip(first.members, stack.weights, strict=True))
    assert mixture.findings == {f"weight of {name}": w for name, w in weights.items() if w > 0}
    if first.method in mixture.members_:  # the very fit that is shown
        np.testing.assert_array_equal(mixture.members_[first.method].expectation_, model.expectation_)
    missing = pd.read_csv(here / "survey.nbmf" / "missing.csv")
    rows, columns = np.nonzero(np.isnan(survey()))
    assert f"probabilities of the {len(rows)} missing entries; model.npz predicts by the method" in out
    assert missing["row"].tolist() == [f"person {f}" for f in rows]
    assert missing["column"].tolist() == [f"question {n}" for n in columns]
    np.testing.assert_allclose(missing["probability"], mixture.predict(rows, columns), rtol=1e-5)
    np.testing.assert_allclose(missing["by_model"], model.expectation_[rows, columns], rtol=1e-5)
    new = pd.DataFrame(survey()[:3], columns=matrix.column_names)
    assert mixture.predict_rows(new).shape == (3, 24)
    assert "explains" not in said(capsys, "fit", "survey.csv", "--no-check")
    assert not (here / "survey.nbmf" / "stack.npz").exists()
    missing, alone = pd.read_csv(here / "survey.nbmf" / "missing.csv"), nbmf.load("survey.nbmf/model.npz")
    assert list(missing) == ["row", "column", "probability"]
    np.testing.assert_allclose(missing["probability"], alone.expectation_[rows, columns], rtol=1e-5)


def test_nothing_is_mixed_where_nothing_can_be_predicted(here, capsys):
    coins = np.random.default_rng(2).integers(0, 2, (30, 12))
    pd.DataFrame(coins, [f"r{f}" for f in range(30)], [f"coin {n}" for n in range(12)]).to_csv("coins.csv")
    out = said(capsys, "fit", "coins.csv")
    assert "the best mixture of 10 methods gains nothing over" in out
    assert not {"stack.npz", "missing.csv"} & {path.name for path in (here / "coins.nbmf").iterdir()}


def test_what_is_mixed_besides_takes_no_more_visits_than_what_is_tested():
    matrix = BinaryMatrix.from_array(survey())
    default = {name: configured_estimator(name, seed=3) for name in ("beta-dir-vb-learned", "logistic-vb-columns")}
    further = further_members(default, matrix, 3, None)
    assert list(further) == [name for name in MEMBERS if name not in default]
    assert {each.random_state for each in further.values()} == {3}
    mode = "logistic-map"  # whose iterations are steps of Newton's method
    for iterations, most in ((None, 300), (40, 40)):
        taken = further_members(default, matrix, 3, iterations)
        assert {each.n_iterations for name, each in taken.items() if name != mode} == {most}
        assert taken[mode].n_iterations == most // 4
    few = {"bica": configured_estimator("bica", seed=3, iterations=300, components=10)}
    taken = further_members(few, matrix, 3, None)
    assert list(taken) == ["logistic-vb-columns"]  # 8 of 10 components, and no other
    n = matrix.n_observed
    assert sum(visits(each, n) for each in taken.values()) <= visits(few["bica"], n)
    learned = {"logistic-vb-columns": configured_estimator("logistic-vb-columns", seed=3, components=64)}
    assert "beta-dir-vb-learned" in further_members(learned, matrix, 3, None)
    with pytest.MonkeyPatch.context() as patch:  # of a matrix for whose memory it is too large
        patch.setattr("nbmf.analysis.mixture.memory_of", lambda one, matrix: 5.0 * (type(one) is nbmf.BetaDirVB))
        assert "beta-dir-vb-learned" not in further_members(learned, matrix, 3, None)
    alone = {"bica": configured_estimator("bica", seed=3, iterations=20, components=2)}
    assert further_members(alone, matrix, 3, None) is None
    assert further_members({}, CountMatrix([[3, 0], [1, 2]], ["a", "b"], ["x", "y"], None), 0, None) is None
