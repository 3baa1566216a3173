"""nbmf.analyze: the one call behind nbmf fit, as a user of Python meets it."""

import json
import pickle
import re
import warnings
from types import SimpleNamespace

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import small_picture
from quick_choice import choose_quickly
from scipy.special import expit

import nbmf
from nbmf import cli
from nbmf.analysis import plan as plans
from nbmf.analysis.analyze import _report_ends, choose_methods
from nbmf.analysis.fitting import fit_all
from nbmf.analysis.plan import make_plan, number_of_draws
from nbmf.analysis.progress import silent
from nbmf.analysis.request import AnalyzeArguments, Request
from nbmf.analysis.settings import configured_estimator
from nbmf.analysis.structure import run_structure_test
from nbmf.analysis.tables import COMPONENTS, make_tables
from nbmf.catalogue import IF_MEMORY_IS_SHORT, METHODS, candidates_for
from nbmf.cli.arguments import COMMANDS
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import ConfigError, DataError, LeftOutWarning, TooManyComponentsWarning
from nbmf.evaluation.verdict import candidates
from nbmf.io import coded_matrix
from nbmf.posterior.components import components_of
from nbmf.reporting.fit_result import ReportedFit

BRIEF = {"iterations": 30, "log": lambda line: None}


def survey(rows=30, columns=16):
    """Draw rows on one axis and columns of either sign; some answers are missing."""
    rng = np.random.default_rng(8)
    places = np.linspace(-1.7, 1.7, rows)
    odds = np.outer(places, np.where(np.arange(columns) % 2, 2.0, -2.0))
    answers = pd.DataFrame((rng.random(odds.shape) < expit(odds)).astype(float))
    answers.index, answers.columns = [f"p{f}" for f in range(rows)], [f"q{n}" for n in range(columns)]
    return answers.mask(rng.random(odds.shape) < 0.1)


@pytest.fixture(scope="module")
def found():
    with choose_quickly():
        return nbmf.analyze(survey(), name="survey", **BRIEF)


@pytest.fixture
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    return tmp_path


def test_it_writes_what_nbmf_fit_writes_and_says_the_same(here, capsys, found):
    survey().to_csv("survey.csv")
    assert cli.main(["fit", "survey.csv", "--iterations", "30"]) == 0
    typed = capsys.readouterr().out
    assert found.save("saved") == found.save("saved", force=False)  # our own files are overwritten
    files = {path.name for path in (here / "survey.nbmf").iterdir()}
    assert {path.name for path in (here / "saved").iterdir()} == files
    for name in files - {"nbmf.json", "summary.txt", "report.html"}:  # which have commands and seconds
        assert (here / "saved" / name).read_bytes() == (here / "survey.nbmf" / name).read_bytes(), name
    verdict = str(found.verdict)
    assert verdict in " ".join(str(found).split())
    assert verdict in " ".join(typed.split())
    assert json.loads((here / "saved/nbmf.json").read_text())["method"] == found.method
    assert cli.main(["predict", "saved", "survey.csv"]) == 0  # so that other commands take it up


def test_tables_are_frames_with_names_under_the_names_of_their_files(found):
    tables, model = found.tables, found.model
    assert {"W", "H", "expectation", "components", "missing"} <= set(tables)
    assert len(tables) == len(list(tables))
    assert tables["W"].index.tolist() == survey().index.tolist()
    assert tables["H"].columns.tolist() == survey().columns.tolist()
    np.testing.assert_array_equal(tables["expectation"], model.expectation_)
    np.testing.assert_array_equal(tables["W"], found.result.components.model.W_)
    assert len(tables["missing"]) == survey().isna().sum().sum()
    assert tables["W"] is tables["W"]
    assert str(tables).startswith("Tables: expectation")
    with pytest.raises(KeyError):
        tables["nonsense"]


def test_pictures_are_drawn_when_they_are_asked_for(found):
    assert "dictionary" in found.pictures
    assert isinstance(found.draw("dictionary"), matplotlib.figure.Figure)
    with pytest.raises(ConfigError, match=r"name = 'dictionry': must be one of .* \(did you mean 'dictionary'"):
        found.draw("dictionry")


def test_a_result_that_has_been_looked_at_can_be_pickled(found):
    looked = found.pictures, str(found), found.tables["W"]
    again = pickle.loads(pickle.dumps(found))
    assert (again.pictures, str(again)) == looked[:2]
    assert list(again.tables) == list(found.tables)
    pd.testing.assert_frame_equal(again.tables["W"], looked[2])


def test_what_was_found_is_reported_in_a_line_and_advice_is_in_the_words_of_python(found):
    assert repr(found).startswith(f"Analysis of survey by {found.model.title}: structure found")
    assert found.found is True
    assert found.verdict.method == configured_estimator(found.method, seed=0).title  # as it was tried: K not yet chosen
    assert " --" not in str(found)
    nothing = nbmf.analyze(np.random.default_rng(2).integers(0, 2, (30, 12)), **BRIEF)
    assert nothing.found is False
    assert nothing.pictures == []
    assert "W" not in nothing.tables
    assert nothing.model.n_components_ == 1
    assert "check=False" not in str(nothing)  # there is nothing to show
    assert "nbmf.compare(V)" in str(nothing)
    several = nbmf.analyze(nothing.matrix, method="logistic-vb", n_components=2, **BRIEF)
    command = "nbmf.analyze(V, method='logistic-vb', check=False, n_components=2, iterations=30)"
    assert command in str(several)
    shown = nbmf.analyze(nothing.matrix, method=nothing.method, check=False, **BRIEF)
    assert (shown.found, shown.verdict) == (None, None)
    assert "W" in shown.tables
    assert repr(shown).endswith("no test of structure")


def test_a_frame_is_read_as_a_file_is(here):
    frame = survey().astype(object).replace({1.0: "Yes", 0.0: "no"})
    frame.loc["nobody"], frame["nothing"] = None, None
    frame.to_csv("survey.csv")
    lines = []
    read = nbmf.read("survey.csv", log=lines.append)
    with pytest.warns(LeftOutWarning) as told:
        made = nbmf.analyze(frame, method="bica", n_components=2, check=False, **BRIEF)
    assert str(told[0].message) == lines[-1]
    np.testing.assert_array_equal(made.matrix.codes, read.codes)
    assert made.matrix.row_names.tolist() == read.row_names.tolist()
    assert made.matrix.column_names.tolist() == read.column_names.tolist()


def test_the_arguments_are_those_of_the_command_line():
    of_command = {name for option in COMMANDS["fit"].options for name in option.python}
    assert AnalyzeArguments.__annotations__.keys() <= of_command
    assert Request.__dataclass_fields__.keys() == AnalyzeArguments.__annotations__.keys()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"method": "bicaa"}, "method = 'bicaa': must be one of .*did you mean 'bica'"),
        ({"method": ["bica"]}, r"method = \['bica'\]: must be one of .*did you mean 'bica'"),
        ({"n_components": 0}, "n_components = 0: must be an integer of at least 1, 'auto' or None"),
        ({"n_components": np.array([2, 3])}, r"n_components = array\(\[2, 3\]\): must be an integer of at least 1"),
        ({"components": 3}, "unknown argument 'components'; .*did you mean 'n_components'"),
        ({"names": ["a", "a"]}, "'a' is there twice"),
        ({"names": "ab"}, "names = 'ab': must be a list of texts"),
        ({"high": ["nobody"]}, "high = 'nobody': must be one of"),
        ({"view": "axes"}, "view = 'axes': must be groups or scale, or None"),
        ({"view": "scale", "method": "bica"}, "view = 'scale': bica shows groups"),
        ({"check": 1}, "check = 1: must be True or False"),
        ({"settings": {"alfa": 1.0}}, "alfa = 1.0: BetaDirVB has no such setting.*did you mean 'alpha'"),
        ({"settings": ["alpha"]}, "settings = .*: must be a dict"),
        ({"n_draws": 9, "method": "logpca"}, "has no posterior"),
        ({"n_draws": 2000, "method": "beta-dir-gs"}, "n_draws = 2000: .* keeps n_samples = 1000"),
        (
            {"n_draws": 900, "method": "beta-dir-gs", "n_components": 99999},
            "need .* GB, max_memory_gb = 1.0: what fits",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_fitted(given, words, monkeypatch):
    monkeypatch.setattr("nbmf.inference.estimator.Factorization.fit", None)
    with pytest.raises(ConfigError, match=words):
        nbmf.analyze(survey(), **given)


def test_a_path_or_counts_for_a_method_of_ones_say_what_to_do():
    with pytest.raises(DataError, match=r"nbmf.read\('votes.csv'\)"):
        nbmf.analyze("votes.csv")
    counts = nbmf.CountMatrix.from_array(np.arange(12).reshape(3, 4))
    with pytest.raises(ConfigError, match=r"these are counts, and bica takes .*: above = 0 makes them so"):
        nbmf.analyze(counts, method="bica")
    categories = nbmf.CategoryMatrix.from_array(np.arange(12).reshape(3, 4) % 3)
    with pytest.raises(ConfigError, match=r"these are ordered categories, which bica does not take; .* ordinal-gs$"):
        nbmf.analyze(categories, method="bica")
    with pytest.raises(ConfigError, match=r"ordinal-vb takes ordered categories; categories = \[\.\.\.\] names them"):
        nbmf.analyze(counts, method="ordinal-vb")
    real = RealMatrix.from_array(np.arange(12.0).reshape(3, 4))
    with pytest.raises(DataError, match=r"V is a RealMatrix, which is not analyzed; .* nbmf.GaussianFactorVB"):
        nbmf.analyze(real)


def test_counts_in_memory_are_refused_with_how_they_are_given():
    counts = np.arange(12).reshape(3, 4)
    for given in (counts, pd.DataFrame(counts), scipy.sparse.csr_array(counts)):
        for method in (None, "bernoulli-poisson-vb"):
            with pytest.raises(DataError) as refused:
                nbmf.analyze(given, method=method)
            words = re.search(r"For counts give (nbmf.CountMatrix.of\(V.*\)), for", str(refused.value))[1]
            matrix = eval(words, {"nbmf": nbmf, "V": given})
            np.testing.assert_array_equal(matrix.tallies, counts)
    with pytest.raises(DataError) as error:
        nbmf.analyze(counts / 2)
    assert "CountMatrix" not in str(error.value)


def test_what_has_to_be_reported_before_the_report():
    lines = []
    few = nbmf.analyze([[1, 0, 1], [0, 1, 0]], iterations=9, log=lines.append)
    assert lines == ["6 observed entries are too few to say whether there is structure"]
    assert few.found is None
    with pytest.warns(TooManyComponentsWarning, match="n_components = 9: 2 rows x 3 columns"):
        nbmf.analyze(
            few.matrix, method="bica", n_components=9, names=list("abcdefghij"), **BRIEF | {"log": lines.append}
        )
    assert lines[-1].startswith("names: ")


def test_rows_that_tell_no_end_of_an_axis_are_reported():
    lines = []
    nbmf.analyze(survey(), method="bica", high=["p1"], check=False, log=lines.append)
    assert lines == ["high: no axis is reported, so that there is none for 'p1'"]


def test_axes_that_are_fewer_than_rows_at_high_ends_are_counted():
    lines = []
    scale = SimpleNamespace(kept=2, lower=np.full((3, 2), 0.5), upper=np.ones((3, 2)))
    result = SimpleNamespace(scale=scale, shows_components=True, matrix=SimpleNamespace(row_names=np.array([*"abc"])))
    _report_ends(result, ["a", "b", "c"], lines.append)
    assert lines == ["high: 2 axes are reported, so that there is none for 'c'"]


def test_latent_classes_are_found_and_their_number(quick_choice):
    """Each person is in one of three classes, which mixtures of groups and positions on axes predict worse."""
    rng = np.random.default_rng(3)
    chances = rng.choice([0.1, 0.3, 0.7, 0.9], size=(3, 16))
    classes = rng.choice(3, size=400, p=[0.5, 0.3, 0.2])
    answers = (rng.random((400, 16)) < chances[classes]).astype(int)
    made = nbmf.analyze(answers, log=lambda line: None)
    assert (made.method, made.model.n_components_) == ("mnb-rows", 3)
    found = made.model.W_.argmax(axis=1)
    table = np.array([[np.count_nonzero((found == k) & (classes == c)) for c in range(3)] for k in range(3)])
    assert table.max(axis=1).sum() > 0.9 * 400
    assert set(table.argmax(axis=1)) == {0, 1, 2}
    order = table.argmax(axis=1)
    np.testing.assert_allclose(made.model.H_, chances[order], atol=0.15)
    said = str(made)
    assert "rows: probability of the latent class (W)" in " ".join(said.split())


def test_of_an_undirected_network_pairs_are_counted_and_of_a_list_of_ones_the_ones():
    lines = []
    ties = np.triu(np.random.default_rng(0).random((6, 6)) < 0.5, k=1).astype(int)
    found = nbmf.analyze(ties + ties.T, **BRIEF | {"log": lines.append})
    assert lines == ["15 observed pairs of entries are too few to say whether there is structure"]
    assert found.found is None
    places = np.arange(14)
    few = scipy.sparse.csr_array((np.ones(14), (places, places + 1)), (60, 60))
    nbmf.analyze(few, **BRIEF | {"log": lines.append})
    assert lines[1] == "14 ones and 3586 zeros are too few to say whether there is structure"
    with pytest.raises(DataError, match="15 observed pairs of entries: to hold some out takes 20"):
        nbmf.verdict(ties + ties.T)


def test_ties_of_an_undirected_network_have_one_probability_and_interval(quick_choice):
    rng = np.random.default_rng(0)
    group = np.arange(24) % 2
    upper = np.triu(rng.random((24, 24)) < np.where(group[:, None] == group, 0.7, 0.1), k=1)
    ties = (upper | upper.T).astype(float)
    ties[3, 5] = ties[5, 3] = np.nan
    names = [f"n{f}" for f in range(24)]
    made = nbmf.analyze(pd.DataFrame(ties, names, names), method="beta-dir-vb", n_draws=20, **BRIEF)
    for name in ("expectation", "expectation_lower", "expectation_upper"):
        np.testing.assert_array_equal(made.tables[name], made.tables[name].T)
    model = made.model.expectation_
    np.testing.assert_allclose(made.tables["expectation"], (model + model.T) / 2)
    missing = made.tables["missing"]
    assert missing["row"].tolist() == ["n3", "n5"]
    assert missing["probability"].nunique() == 1
    np.fill_diagonal(ties, np.nan)  # nobody asks whether nodes have ties to themselves
    made = nbmf.analyze(pd.DataFrame(ties, names, names), method="beta-dir-vb", **BRIEF)
    assert made.tables["missing"]["column"].tolist() == ["n5", "n3"]
    ties[0, 0] = 0
    made = nbmf.analyze(pd.DataFrame(ties, names, names), method="beta-dir-vb", **BRIEF)
    assert len(made.tables["missing"]) == 25


@pytest.mark.parametrize("shape", [(40, 1), (1, 40)])
def test_a_single_column_or_row_is_tested_by_predictions_alone(shape):
    made = nbmf.analyze((np.random.default_rng(1).random(shape) < 0.5).astype(int), **BRIEF)
    assert not made.found
    assert made.result.verdict.exact is None


def test_groups_of_columns_that_are_left_out_are_left_out():
    answers = survey()
    answers["q3"] = np.nan
    groups = [f"of {name}" for name in answers.columns]
    for V in (answers, answers.to_numpy()):
        with pytest.warns(LeftOutWarning, match="1 column without"):
            made = nbmf.analyze(V, column_groups=groups, method="bica", n_components=2, check=False, **BRIEF)
        assert made.tables["column_groups"]["group"].tolist() == [each for each in groups if each != "of q3"]


def test_the_call_that_shows_components_all_the_same_has_all_that_was_asked():
    noise = (np.random.default_rng(4).random((30, 12)) < 0.5).astype(int)
    asked = {"method": "bica", "n_components": 3, "seed": 7, "iterations": 30}
    made = nbmf.analyze(noise, **asked, log=lambda line: None)
    assert not made.found
    words = "nbmf.analyze(V, method='bica', check=False, n_components=3, seed=7, iterations=30)"
    assert words in str(made)


def test_groups_of_rows_and_of_columns_have_a_table_each():
    matrix = nbmf.BinaryMatrix.from_frame(survey().fillna(0))
    grouped = nbmf.BinaryMatrix(matrix.codes, matrix.row_names, matrix.column_names, ["a", "b"] * 15)
    made = nbmf.analyze(grouped, column_groups=["x", "y"] * 8, method="bica", n_components=2, check=False, **BRIEF)
    assert set(made.tables["groups"]["group"]) == {"a", "b"}
    assert set(made.tables["groups_of_columns"]["group"]) == {"x", "y"}
    assert made.tables["column_groups"]["group"].tolist() == ["x", "y"] * 8
    by_name = pd.Series(["x", "y"] * 8, index=matrix.column_names)[::-1]
    again = nbmf.analyze(grouped, column_groups=by_name, method="bica", n_components=2, check=False, **BRIEF)
    assert again.tables["column_groups"]["group"].tolist() == ["x", "y"] * 8
    numbered = survey().fillna(0).set_axis(range(16), axis=1)
    shuffled = pd.Series(["x", "y"] * 8).sample(frac=1, random_state=0)
    by_number = nbmf.analyze(numbered, column_groups=shuffled, method="bica", n_components=2, check=False, **BRIEF)
    assert by_number.tables["column_groups"]["group"].tolist() == ["x", "y"] * 8
    with pytest.raises(DataError, match="column_groups: 16 names are needed, 1 were given"):
        nbmf.analyze(grouped, column_groups=["x"], **BRIEF)


def test_the_list_of_components_says_which_are_merged_and_which_are_active():
    """The first and the third say the same and have 60 %, the fourth 39.5 %; the second has 0.5 %, below 1 %."""
    model = nbmf.BinaryICA(4)
    model.W_ = np.tile([0.2, 0.005, 0.4, 0.395], (6, 1))
    model.H_ = np.array([[0.9, 0.1, 0.9], [0.5, 0.5, 0.1], [0.9, 0.1, 0.9], [0.1, 0.8, 0.2]])
    model.gamma_ = 1e-9
    matrix = nbmf.BinaryMatrix.from_array(np.eye(6, 3, dtype=int))
    result = ReportedFit("drawn", matrix, model, components_of(model, matrix), None, 0.0)
    table = make_tables(result)[COMPONENTS]
    assert table.drop(columns="share").to_dict("list") == {
        "component": [1, 1, 2, 3],
        "active": [True, True, True, False],
        "place_in_model": [2, 0, 3, 1],
    }
    np.testing.assert_allclose(table["share"], [0.6, 0.6, 0.395, 0.005])


def test_groups_of_columns_named_by_dates_stay_with_them_where_a_column_is_left_out():
    frame = survey().fillna(0).set_axis(pd.date_range("2020-01-01", periods=16), axis=1)
    frame.iloc[:, 0] = np.nan
    options = {"method": "bica", "n_components": 2, "check": False, **BRIEF}
    with pytest.warns(LeftOutWarning):
        made = nbmf.analyze(frame, column_groups=["first", *["x", "y"] * 7, None], **options)
    assert made.tables["column_groups"]["group"].tolist() == [*["x", "y"] * 7, ""]


def test_a_fit_has_the_threads_that_were_asked_for_once_it_is_made(monkeypatch):
    during = []

    class Recorded(nbmf.BernoulliPoissonVB):
        def fit(self, V, monitor=None):
            during.append(self.threads)
            return super().fit(V, monitor=monitor)

    monkeypatch.setattr("nbmf.analysis.fitting.uses_threads", lambda *given: True)
    monkeypatch.setattr("nbmf.analysis.fitting.processors", lambda: 3)
    matrix = nbmf.BinaryMatrix.from_frame(survey().fillna(0))
    for asked in (1, 2):
        model = Recorded(2, max_iter=2, threads=asked, random_state=0)
        fitted = fit_all(model, matrix, Request(chains=1), silent, name="survey").model
        assert fitted.threads == asked
        W = fitted.W_
        np.testing.assert_array_equal(W, Recorded(2, max_iter=2, threads=asked, random_state=0).fit(matrix).W_)
    assert during == [3, 1, 3, 2]


# Matrices without their zeros.


@pytest.mark.parametrize(("method", "largest"), [("beta-dir-vb", 1), ("poisson-gamma-vb", 1), ("poisson-gamma-vb", 3)])
def test_a_small_sparse_matrix_is_analyzed_as_one_with_its_zeros(method, largest):
    """Methods that keep all entries take it, and those for counts take its counts."""
    V = np.random.default_rng(3).integers(0, largest + 1, (20, 12)).astype(float)
    V[2, 3] = np.nan
    options = {"method": method, "n_components": 2, "check": False, **BRIEF}
    dense, sparse = (nbmf.analyze(each, **options) for each in (V, scipy.sparse.csr_array(V)))
    assert type(sparse.matrix) is type(dense.matrix)
    np.testing.assert_array_equal(sparse.model.H_, dense.model.H_)


@pytest.mark.parametrize("method", ["beta-dir-vb", "poisson-gamma-vb"])
def test_a_large_sparse_matrix_is_refused_by_methods_that_keep_all_entries(method, monkeypatch):
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 200)
    V = scipy.sparse.csr_array(np.full((20, 12), 3 if method == "poisson-gamma-vb" else 1))
    with pytest.raises(ConfigError, match=f"20 x 12 entries are too many for {method}, which keeps all of them"):
        nbmf.analyze(V, method=method)


def test_draws_are_kept_by_default_of_samplers_that_have_a_scale_and_of_latent_classes(monkeypatch):
    """Not of the buffet, which has no scale; as many as there are, and none that do not fit or take long."""
    matrix = nbmf.BinaryMatrix.from_frame(survey())
    every = {name: configured_estimator(name, seed=0, components=3) for name in METHODS}
    kept = {name for name, estimator in every.items() if number_of_draws(estimator, matrix, Request())}
    of_scales = {"logistic-gs", "logistic-gs-learned-effects", "ordinal-gs", "negative-binomial-gs"}
    of_classes = {"mnb-rows", "mnb-columns"}
    assert kept == of_scales | of_classes
    sampler = configured_estimator("logistic-gs", seed=0)
    few = configured_estimator("logistic-gs", seed=0, iterations=20)
    assert [number_of_draws(each, matrix, Request()) for each in (sampler, few)] == [100, few.n_samples] == [100, 4]
    assert number_of_draws(sampler, matrix, Request(n_draws=0)) == 0
    many = configured_estimator("logistic-gs", seed=0, components=100_000)
    assert number_of_draws(many, matrix, Request()) == 0
    monkeypatch.setattr("nbmf.analysis.plan.is_small", lambda estimator, matrix: False)
    assert number_of_draws(every["mnb-rows"], matrix, Request()) == 0


# What does not fit into memory.


def test_a_matrix_too_large_for_the_usual_methods_has_another_one_at_once(monkeypatch):
    matrix, (other,) = nbmf.BinaryMatrix.from_frame(survey()), IF_MEMORY_IS_SHORT["BinaryMatrix"]
    usual = candidates_for("BinaryMatrix", matrix.n_observed)
    assert list(make_plan(matrix, Request()).tested) == list(usual)
    monkeypatch.setitem(METHODS[usual[0]]["settings"], "max_memory_gb", 1e-6)
    plan = make_plan(matrix, Request())
    assert list(plan.tested) == [other]
    assert plan.further is None  # a mixture would take longer than all the rest
    assert plan.reason.startswith("Beta-Dir VB, learned would need 0.0 GB, its limit is 1e-06 GB: Bernoulli-Poisson VB")
    lines = []
    assert nbmf.analyze(matrix, iterations=9, log=lines.append).method == other
    assert lines == [plan.reason]
    assert [estimator.title for estimator in candidates(matrix)] == [METHODS[other]["label"] + ", K = 8"]
    tested = run_structure_test(matrix, 0, 9, progress=silent, log=lines.append)
    assert tested.verdict.method.startswith(METHODS[other]["label"])
    assert lines[1:] == [plan.reason]
    fits = make_plan(matrix, Request(settings={"max_memory_gb": 1.0}))
    assert list(fits.tested) == [usual[0]]
    words = rf"n_components = 100 with {matrix.n_observed} observed entries needs .* GB, max_memory_gb = 1e-06: .*"
    with pytest.raises(ConfigError, match=words + f"; method = '{other}' takes such a matrix as it is"):
        make_plan(matrix, Request(method=usual[0]))


@pytest.mark.parametrize(("method", "tested", "tries"), [(None, 8, 8), ("beta-dir-vb-learned", 1, 8), ("bica", 1, 9)])
def test_the_level_is_divided_among_all_that_are_tried_where_a_method_is_named(method, tested, tries):
    """A method is named after a look at those that are tried otherwise, or it is one of them."""
    matrix = nbmf.BinaryMatrix.from_frame(survey())
    plan = make_plan(matrix, Request(method=method))
    assert (len(plan.tested), plan.tries) == (tested, tries)


def test_chosen_methods_are_not_fitted_where_they_are_only_compared():
    matrix = nbmf.BinaryMatrix.from_frame(survey())
    plan = make_plan(matrix, Request(iterations=9))
    first, *_ = choose_methods(matrix, plan, Request(iterations=9))
    assert not hasattr(first.estimator, "H_")
    assert set(first.members) == {*plan.tested, *plan.further}
    assert plans.number_of_chains(first.estimator, matrix, Request(chains=7)) == 7


def test_no_warning_of_single_fits_is_shown():
    """The report says what they say."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbmf.analyze(survey(), iterations=3, log=lambda line: None)
