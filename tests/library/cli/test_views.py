"""Two views of one matrix, groups and a scale, and the sentence about structure that commands share."""

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import small_picture
from scipy.special import expit

import nbmf
from nbmf import cli
from nbmf.analysis import analyze as analyze_module
from nbmf.analysis.analyze import ChosenMethod, choose_methods
from nbmf.analysis.plan import make_plan
from nbmf.analysis.request import Request
from nbmf.analysis.settings import configured_estimator
from nbmf.catalogue import CANDIDATES
from nbmf.cli.arguments import parse
from nbmf.cli.commands import fit as fit_command
from nbmf.data.matrix import BinaryMatrix
from nbmf.evaluation.margin_test import MarginTest
from nbmf.evaluation.verdict import CHANCE
from nbmf.inference.declarations import View
from nbmf.plotting import scale as plotting_scale
from nbmf.plotting import style
from nbmf.posterior.scale import FROM_DRAWS, GIVEN_COLUMNS

SAMPLER = "logistic-gs-learned-effects"


def one_scale():
    """Draw 40 rows on one axis and 24 columns of either sign."""
    rng = np.random.default_rng(1)
    places = np.linspace(-1.7, 1.7, 40)
    return (rng.random((40, 24)) < expit(np.outer(places, np.where(np.arange(24) % 2, 2.0, -2.0)))).astype(int)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    names = [f"person {f}" for f in range(40)]
    pd.DataFrame(one_scale(), names, [f"question {n}" for n in range(24)]).to_csv("survey.csv")
    noise = np.random.default_rng(2).integers(0, 2, (30, 12))
    pd.DataFrame(noise, range(30), [f"coin {n}" for n in range(12)]).to_csv("coins.csv")
    return tmp_path


def chosen(*typed, V=None):
    matrix = BinaryMatrix.from_array(one_scale() if V is None else V)
    request = Request.of(fit_command.analyze_arguments(parse(["fit", "survey.csv", *typed])))
    return choose_methods(matrix, make_plan(matrix, request), request)


def said(capsys, *typed, code=0):
    capsys.readouterr()
    assert cli.main(list(typed)) == code
    captured = capsys.readouterr()
    return " ".join((captured.err if code else captured.out).split())


def test_both_views_are_shown_where_both_predict_as_well(capsys, here):
    first, second = chosen()
    assert {first.estimator.view, second.estimator.view} == {View.GROUPS, View.SCALE}
    out = said(capsys, "fit", "survey.csv")
    assert "predicts held-out entries about as well (not significantly worse), and shows rows" in out
    assert "of what rows differ in; reliability of positions" in out  # the scale
    assert "component 1" in out  # and the groups
    other = second.estimator.view
    assert f"nbmf fit survey.csv --view {other}" in out
    assert (here / "survey.nbmf" / ("groups.png" if other is View.GROUPS else "scale.png")).exists()


@pytest.mark.parametrize(("active", "is_shown"), [(1, False), (2, True)])
def test_a_view_of_one_group_is_left_out(monkeypatch, active, is_shown):
    """It would say that all rows are the same."""
    fit_all = analyze_module.fit_all
    methods = [
        ChosenMethod(name, configured_estimator(name, seed=0)) for name in ("logistic-vb", "beta-dir-vb-learned")
    ]

    def with_few_groups(*given, **named):
        fitted = fit_all(*given, **named)
        components = fitted.components
        return replace(fitted, components=components._replace(active=min(active, components.active)))

    monkeypatch.setattr(analyze_module, "fit_all", with_few_groups)
    monkeypatch.setattr(analyze_module, "choose_methods", lambda *given: methods)
    shown = nbmf.analyze(one_scale(), log=lambda line: None, iterations=30).result
    assert shown.scale is not None
    assert (shown.other_view is not None) == is_shown


@pytest.mark.parametrize("view", View)
def test_a_view_that_is_asked_for_is_the_only_one(view):
    (only,) = chosen("--view", str(view))
    assert only.estimator.view is view
    assert only.verdict.chance == CHANCE / 2 / len(CANDIDATES["BinaryMatrix"])  # the test is that of all candidates
    (unchecked,) = chosen("--view", str(view), "--no-check")
    assert (unchecked.estimator.view, unchecked.verdict) == (view, None)


def test_a_method_that_shows_the_other_view_is_refused(capsys):
    assert cli.main(["fit", "survey.csv", "--view", "scale", "--method", "bica"]) != 0
    assert "--view scale: bica shows groups" in " ".join(capsys.readouterr().err.split())


def test_a_method_that_is_named_pays_for_those_that_could_have_been_tried():
    (named,) = chosen("--method", "bica")
    assert named.verdict.chance == CHANCE / 2 / (len(CANDIDATES["BinaryMatrix"]) + 1)
    (candidate,) = chosen("--method", "logistic-vb")
    assert candidate.verdict.chance == CHANCE / 2 / len(CANDIDATES["BinaryMatrix"])


@pytest.mark.parametrize("file", ["survey.csv", "coins.csv"])
def test_fit_and_compare_say_the_same_of_structure(capsys, file):
    fitted = said(capsys, "fit", file)
    compared = said(capsys, "compare", file, "--masks", "2", "--methods", "bica", "--components", "2")
    start = fitted.index("structure found") if "structure found" in fitted else fitted.index("nothing found")
    sentence = re.split(r" \([^(]* entries were held out", fitted[start:])[0]
    assert sentence in compared
    assert sentence.startswith("structure found" if file == "survey.csv" else "nothing found")


def test_the_command_that_shows_components_all_the_same_names_the_method(capsys):
    """Of a method with a single component there is nothing to show: see test_fit_report."""
    out = said(capsys, "fit", "coins.csv", "--view", "scale")
    coins = np.random.default_rng(2).integers(0, 2, (30, 12))
    method = next(one.method for one in chosen("--view", "scale", V=coins))
    command = f"nbmf fit coins.csv --method {method} --no-check"
    assert command in out
    again = said(capsys, *command.split()[1:], "--force")
    assert "NOT" not in again.split("coins: 30 rows")[0]
    assert "component 1" in again or "axis 1" in again


def test_structure_that_no_method_predicts_shows_no_components(capsys, monkeypatch):
    monkeypatch.setattr("nbmf.evaluation.verdict.margin_test", lambda V, seed: MarginTest(0.002, 1, 999))
    monkeypatch.setattr("nbmf.evaluation.verdict.Verdict.is_predicted", property(lambda self: False))
    out = said(capsys, "fit", "coins.csv")
    assert "structure found beyond row and column effects (exact test, p = 0.002)" in out
    assert "component 1" not in out


def drawn_scale(capsys, monkeypatch, *command):
    """Return what a command says, and the scale that it draws."""
    drawn, draw = [], plotting_scale.draw
    monkeypatch.setattr(plotting_scale, "draw", lambda scale, *a, **k: drawn.append(scale) or draw(scale, *a, **k))
    out = said(capsys, *command)
    monkeypatch.setattr(plotting_scale, "draw", draw)
    return out, drawn[0]


@pytest.mark.parametrize("groups", [(), ("--groups", "group")])
def test_a_sampled_scale_is_drawn_again_by_its_draws(groups, capsys, here, monkeypatch):
    """They are not saved, and from the model alone positions and intervals would be others."""
    survey = pd.read_csv("survey.csv", index_col=0)
    survey.assign(group=np.where(np.arange(len(survey)) % 2, "a", "b")).to_csv("grouped.csv")
    file = "grouped.csv" if groups else "survey.csv"
    quick = ("--iterations", "20", "--chains", "2", "--no-check", "--out", "out", *groups)
    fitted, first = drawn_scale(capsys, monkeypatch, "fit", file, "--method", "logistic-gs", *quick)
    assert f"the mean position of a row differs by {first.between_chains[0]:.2g} on axis 1" in fitted
    assert first.interval_kind == FROM_DRAWS  # which are kept without being asked for
    out, again = drawn_scale(capsys, monkeypatch, "plot", "out")
    assert out.startswith("written: out/scale.png, out/dictionary.png, out/reconstruction.png")
    assert out.endswith("not drawn again, for lack of the chains or of the other fit: chains.png")
    for name in ("positions", "lower", "upper", "discrimination", "low", "reliability", "mean_correlation"):
        np.testing.assert_allclose(getattr(again, name), getattr(first, name), rtol=1e-4, atol=1e-5)
    assert (again.kept, again.interval_kind) == (first.kept, FROM_DRAWS)
    whole = (here / "out/expectation.csv").read_bytes()
    (here / "out/expectation.csv").write_text("", encoding="utf-8")
    assert "expectation.csv: No columns to parse" in said(capsys, "plot", "out", code=2)
    np.savez(nameless := io.BytesIO(), other=np.zeros(2))
    for content in (b"PK, and no more", nameless.getvalue()):
        (here / "out/expectation.npz").write_bytes(content)
        assert "expectation.npz: not a complete expectation file" in said(capsys, "plot", "out", code=2)
    (here / "out/expectation.npz").unlink()
    (here / "out/expectation.csv").write_bytes(whole)
    (here / "out/expectation.csv").unlink()  # which may be removed: ends are then those of the model
    _, without = drawn_scale(capsys, monkeypatch, "plot", "out")
    np.testing.assert_allclose(without.positions, again.positions)
    (here / "out/positions.csv").write_text("row,axis 1\n1,2\n", encoding="utf-8")
    assert "out/positions.csv: not the table of positions of this fit" in said(capsys, "plot", "out", code=2)


def test_a_file_gets_the_picture_of_its_name_or_the_dictionary(capsys, here, monkeypatch):
    said(capsys, "fit", "survey.csv", "--method", "logistic-vb-columns", "--iterations", "20", "--no-check")
    drawn, save = [], style.save
    monkeypatch.setattr(style, "save", lambda figure, file: drawn.append(len(figure.axes)) or save(figure, file))
    for name in ("scale", "four", "dictionary"):
        assert (
            said(capsys, "plot", "survey.nbmf", "--components", "4", "--out", f"{name}.pdf") == f"written: {name}.pdf"
        )
        assert (here / f"{name}.pdf").exists()
    of_scale, other, of_dictionary = drawn
    assert other == of_dictionary != of_scale == 2


def test_draws_that_nobody_asks_for_may_be_refused(capsys, here, monkeypatch):
    quick = ("--iterations", "20", "--chains", "2", "--no-check", "--method", "logistic-gs")
    _, scale = drawn_scale(capsys, monkeypatch, "fit", "survey.csv", *quick, "--draws", "0")
    assert scale.interval_kind == GIVEN_COLUMNS
    assert not (here / "survey.nbmf/W_lower.csv").exists()


def test_the_high_end_can_be_chosen_and_predictions_keep_it(capsys, here):
    """Person 0 is at one end of the only axis, person 20 in its middle."""
    ask = ["--method", "logistic-vb-columns", "--no-check", "--out"]
    for person in ("person 0", "person 39"):
        out = said(capsys, "fit", "survey.csv", *ask, f"{person}.nbmf", "--high", person)
        assert f"which end is called high was chosen: on axis 1 that of {person}" in out
        made = said(capsys, "predict", f"{person}.nbmf", "survey.csv", "--out", f"{person}.new")
        assert made
        for folder in (f"{person}.nbmf", f"{person}.new"):
            positions = pd.read_csv(here / folder / "positions.csv", index_col=0)
            assert positions.loc[person].iloc[0] > 1
    out = said(capsys, "fit", "survey.csv", *ask, "middle.nbmf", "--high", "person 20", "person 39")
    assert "--high: 1 axis is reported, so that there is none for 'person 39'" in out
    assert "--high: the interval of 'person 20' on axis 1 holds 0, so that it tells no end" in out
