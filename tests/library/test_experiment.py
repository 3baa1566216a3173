"""One fit of the workflow: what it reports, and that the report is a matter of its key alone."""

import functools
import json
import math
import re

import numpy as np
import pytest
from matrices import classes_of_means
from promises import Promises
from short_fits import QUICK_MEMBERS

import nbmf
from nbmf import fits, registry
from nbmf.data.feature_table import FeatureTable
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.table_parts import without_held_out
from nbmf.errors import ConfigError, DataError, NotConvergedWarning, WorseThanOneComponentWarning
from nbmf.fit_starts import Start, best_start
from nbmf.fits import FitRequest, run_fit, save_factors
from nbmf.inference import progress
from nbmf.inference.progress import FitRecorder, trace_iterations
from nbmf.seeds import child, seed_sequence

BRIEF = {"max_iter": 20, "burn_in": 12, "n_samples": 8, "members": QUICK_MEMBERS}
CLASSES = classes_of_means()
promise = Promises()


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_keeps_what_is_promised(name):
    """By the functions below that are promises: they are this test."""
    promise.check(name)


def example():
    rng = np.random.default_rng(1)
    codes = (rng.random((16, 12)) < 0.4).astype(np.int8)
    codes[rng.random(codes.shape) < 0.1] = -1
    matrix = BinaryMatrix.from_array(codes)
    return matrix, draw_mask(matrix, 0.25, np.random.SeedSequence(2))


MATRIX, MASK = example()


def run(name, seed=0, matrix=MATRIX, threads=1, log=lambda line: None, **settings):
    """Return the report of a short fit."""
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    request = FitRequest(name, 3, brief | settings, ["fit", "example", name, seed])
    return run_fit(matrix, MASK, request, threads=threads, log=log).report


@functools.cache
def first_run(name):
    """Return the report and the estimator of a short fit that nobody changes."""
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    request = FitRequest(name, 3, brief, ["fit", "example", name, 0])
    return run_fit(MATRIX, MASK, request, log=lambda line: None)


def steps_of(name):
    """Return the number of iterations of a short fit: a stack is fitted in one, whatever its members take."""
    return 1 if name == "Stacking" else 20


def without_seconds(result):
    return {key: value for key, value in result.items() if key != "seconds"}


@promise
def the_report_is_strict_json(name):
    result = first_run(name).report
    assert json.loads(json.dumps(result, allow_nan=False)) == result


@promise
def the_report_says_what_was_run(name):
    result = first_run(name).report
    assert (result["class"], result["K"]) == (name, 3)
    assert result["seed_key"] == ["fit", "example", name, 0]
    assert result["settings"].items() <= BRIEF.items()
    assert result["n_iter"] == steps_of(name)
    assert result["seconds"] > 0
    assert {"python", "numpy", "numba", "scipy"} <= result["versions"].keys()


@promise
def the_same_seed_key_gives_the_same_report(name):
    assert without_seconds(run(name)) == without_seconds(first_run(name).report)


@promise.of([name for name in CLASSES if name != "LogisticPCA"])
def another_seed_key_gives_another_fit(name):
    assert first_run(name).report["perplexity"] != run(name, seed=1)["perplexity"]


def test_threads_do_not_change_the_report():
    assert without_seconds(run("BetaDirGibbs")) == without_seconds(run("BetaDirGibbs", threads=2))


@promise
def the_score_is_that_of_the_held_out_entries(name):
    result = first_run(name).report
    if not registry.scores_entries(name):
        assert result["unit"] == "nats per held-out token"
        assert result["n_test"] == np.count_nonzero(MASK & (MATRIX.codes == 1))
        assert result["perplexity"] > np.log(4)  # one of 16 rows is not easy to guess
    else:
        assert result["unit"] == "nats per held-out entry"
        assert result["n_test"] == np.count_nonzero(MASK)
        # Maximum likelihood may call what is held out next to impossible.
        assert 0.3 < result["perplexity"] < (20 if name == "PoissonGammaEM" else 2)


@promise
def further_scores_are_those_of_the_held_out_entries(name):
    report, estimator = first_run(name)
    if not registry.further_scores(name):
        assert report["further_scores"] == {}
        return
    check_further_scores(report, estimator, MASK)


def check_further_scores(report, estimator, scored):
    """Compare with what the estimator predicts for the scored entries."""
    p, v = estimator.expectation_[scored], MATRIX.codes[scored]
    assert report["further_scores"]["brier"] == pytest.approx(np.mean((v - p) ** 2), rel=1e-12)
    bins = report["further_scores"]["calibration"]
    assert sum(bins["entries"]) == report["n_test"] == v.size
    assert sum(bins["ones"]) == v.sum()
    assert sum(bins["sum_p"]) == pytest.approx(p.sum(), rel=1e-12)


@promise.of(["BetaDirGibbs", "DirDirGibbs", "BinaryICA", "LogisticPCA"])
def held_out_values_change_the_score_and_not_the_fit(name):
    flipped = BinaryMatrix.from_array(np.where(MASK, 1 - MATRIX.codes, MATRIX.codes))
    one, other = run(name), run(name, matrix=flipped)
    assert one["trace"]["objective"] == other["trace"]["objective"]
    assert one["perplexity"] != other["perplexity"]


@pytest.mark.parametrize(
    ("name", "settings", "status", "converged"),
    [
        ("LogisticPCA", {"max_iter": 5}, "not converged", False),
        ("LogisticPCA", {"max_iter": 500, "deviance_gain_tol": 0.01}, "ok", True),
        ("BetaDirVB", {}, "ok", None),
    ],
)
def test_the_status_says_whether_the_stopping_rule_was_met(name, settings, status, converged):
    result = run(name, **settings)
    assert (result["status"], result["converged"]) == (status, converged)


@promise
def traces_are_of_one_length_and_end_with_the_result(name):
    result = first_run(name).report
    iteration, perplexity = result["trace"]["iteration"], result["trace"]["perplexity"]
    assert iteration == list(range(1, steps_of(name) + 1))
    assert {len(values) for values in result["trace"].values()} == {steps_of(name)}
    assert perplexity[-1] == result["perplexity"]
    active = result["trace"]["active_components"]
    finds_K = name in ("IndianBuffetLogistic", "Stacking")
    prunes = name == "LogisticFactorMAP"  # all of them, if need be
    limits = (0, math.inf) if finds_K else (0 if prunes else 1, 3)
    assert all(limits[0] <= count <= limits[1] for count in active)
    if not registry.is_sampler(name):  # whose last state is not the average
        assert active[-1] == result["active_components"]


@pytest.mark.parametrize(("total", "step"), [(500, 10), (30, 1), (2000, 40), (777, 15), (1, 1)])
def test_long_traces_are_thinned_but_for_their_beginning(total, step):
    iteration = run("BinaryICA", max_iter=total)["trace"]["iteration"]
    assert iteration == sorted(set(iteration))
    assert set(range(step, total, step)) <= set(iteration)
    assert iteration[:2] == [1, 2][:total]
    assert iteration[-1] == total
    assert len(iteration) <= total / step + 31


@pytest.mark.parametrize(("total", "points"), [(5000, 1000), (5000, 50), (500, 50), (7, 50), (1, 1)])
def test_points_of_traces_are_even_and_early(total, points):
    """The kept sweeps of a chain, for effective sample sizes, are evenly spaced."""
    iterations = trace_iterations(total, points)
    assert iterations == sorted(set(iterations))
    assert iterations[-1] == total
    assert iterations[0] == 1
    late = [i for i in iterations if i > 0.8 * total]
    step = max(1, total // points)
    # Late in a long run the logarithmic points are few.
    even = [i for i in late if i % step == 0]
    assert set(range(step, total, step)) <= set(iterations)
    assert len(late) - len(even) <= 2
    early = [i for i in iterations if i <= total**0.5]
    assert len(early) >= min(10, int(total**0.5))


# --- What looks at a fit ----------------------------------------------------------------------


def watch(matrix, half):
    """Observe how far the mean of a state is from half the ones of a matrix."""
    return lambda state: {"away": state.expectation().mean() - half * matrix.codes.clip(0).mean(), "endless": math.inf}


def ends_with(estimator, matrix, mask, half):
    """Measure the same of an estimator."""
    away = float(estimator.expectation_.mean() - half * matrix.codes.clip(0).mean())
    return {"away": away, "held_out": int(mask.sum())}


def test_what_is_observed_are_columns_of_the_trace_and_what_is_measured_is_in_the_report():
    looks = {"observe": f"{__name__}:watch", "measure": f"{__name__}:ends_with", "arguments": {"half": 0.5}}
    request = FitRequest("BinaryICA", 3, {"max_iter": 20}, ["fit", "example", "BinaryICA", 0], 5, **looks)
    report = run_fit(MATRIX, MASK, request, log=[].append).report
    plain = run_fit(MATRIX, MASK, request._replace(observe="", measure=""), log=[].append).report
    trace = report["trace"]
    assert trace["away"][-1] == report["measures"]["away"]
    assert len(set(trace["away"])) > 5
    assert set(trace["endless"]) == {None}  # as JSON can hold it
    assert trace["cpu_seconds"] == sorted(trace["cpu_seconds"])
    assert trace["cpu_seconds"][0] > 0
    assert report["measures"]["held_out"] == MASK.sum()
    for name in ("away", "endless", "cpu_seconds"):
        del trace[name]
    del report["measures"]
    assert without_seconds(report) == without_seconds(plain)  # looking changes nothing


def test_an_observed_chain_is_observed_where_it_is_scored():
    looks = {"observe": f"{__name__}:watch", "arguments": {"half": 0.5}}
    request = FitRequest("BetaDirGibbs", 3, {"burn_in": 60, "n_samples": 40}, ["fit"], 10, 50, **looks)
    trace = run_fit(MATRIX, None, request, log=[].append).report["trace"]
    seen = [value is not None for value in trace["away"]]
    assert seen == [value is not None for value in trace["perplexity"]]
    assert any(seen)
    assert not all(seen)


def shares(matrix):
    """Tell a method how many ones there are, held-out ones too."""
    return {"alpha": 1.0 + int((matrix.codes == 1).sum())}


def test_a_method_may_see_the_whole_matrix():
    request = FitRequest("BinaryICA", 3, {"max_iter": 20}, ["fit"], told_by=f"{__name__}:shares")
    told = run_fit(MATRIX, MASK, request, log=[].append).report
    settings = {"max_iter": 20, "alpha": 1.0 + np.count_nonzero(MATRIX.codes == 1)}
    given = run_fit(MATRIX, MASK, request._replace(settings=settings, told_by=""), log=[].append).report
    assert told["trace"] == given["trace"]
    assert told["settings"] == {"max_iter": 20}  # what is told may be an array


# --- Unmasked fits ---------------------------------------------------------------------------


def unmasked(name, **changes):
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    request = FitRequest(name, 3, brief, ["complete", name])
    return run_fit(MATRIX, None, request._replace(**changes), log=lambda line: None)


@promise.of([name for name in CLASSES if registry.scores_entries(name)])
def an_unmasked_fit_is_scored_on_every_observed_entry(name):
    result = unmasked(name)
    loss_at = result.estimator.likelihood.loss_at(MATRIX.codes, MATRIX.observed)
    loss = loss_at(result.estimator.predictive(*np.nonzero(MATRIX.observed))).total
    assert result.report["loss"] == pytest.approx(loss, rel=1e-14)
    assert result.report["n_test"] == np.count_nonzero(MATRIX.observed)
    assert result.report["unit"] == "nats per observed entry"
    if registry.further_scores(name):
        check_further_scores(result.report, result.estimator, MATRIX.observed)


def test_an_unmasked_fit_sees_every_observed_entry():
    expected = registry.make_estimator("BetaDirVB", 3, {"max_iter": 20}, seed_sequence("complete", "BetaDirVB")).fit(
        MATRIX.codes
    )
    found = unmasked("BetaDirVB").estimator
    np.testing.assert_array_equal(found.expectation_, expected.expectation_)


def test_the_report_has_the_range_of_the_dictionary():
    result = unmasked("LogisticPCA")
    assert result.report["W_min"] == result.estimator.W_.min() < 0
    assert result.report["W_max"] == result.estimator.W_.max() > 0


def test_the_trace_of_an_unmasked_fit_is_that_of_its_own_data_and_as_fine_as_asked():
    settings = {"burn_in": 150, "n_samples": 50}
    coarse, fine = (unmasked("BetaDirGibbs", settings=settings, trace_points=points) for points in (20, 200))
    assert fine.report["trace"]["iteration"] == list(range(1, 201))
    assert set(coarse.report["trace"]["iteration"]) > set(range(10, 201, 10))
    assert coarse.report["perplexity"] == fine.report["perplexity"]
    assert fine.report["trace"]["perplexity"][-1] == fine.report["perplexity"]
    places = [i - 1 for i in coarse.report["trace"]["iteration"]]
    for name in ("objective", "perplexity", "active_components"):
        seen = [fine.report["trace"][name][place] for place in places]
        assert coarse.report["trace"][name] == seen


def test_saved_factors_are_those_of_the_fit(tmp_path):
    estimator = unmasked("DirDirGibbs").estimator
    save_factors(tmp_path / "factors.npz", estimator)
    with np.load(tmp_path / "factors.npz") as saved:
        assert set(saved) == {"W", "H", "expectation"}
        for name, expected in zip(saved, ("W_", "H_", "expectation_"), strict=True):
            np.testing.assert_allclose(saved[name], getattr(estimator, expected), rtol=1e-6)


# --- The log ---------------------------------------------------------------------------------

LINE = re.compile(
    r"iteration (\d+) of (\d+) \((\d+)%\), ([\d.]+) per second, (\d+) s left, "
    r"log loss (\d\.\d{4})"
)


def test_the_log_says_what_starts_how_it_goes_and_how_it_ends():
    lines = []
    result = run("DirDirGibbs", log=lines.append)
    first, *between, last = lines
    assert "DirDirGibbs, K = 3" in first
    assert f"scored on {np.count_nonzero(MASK)} held-out entries" in first
    assert re.fullmatch(rf"done in \d+\.\d s: log loss {result['perplexity']:.6f}", last)
    assert between
    assert LINE.fullmatch(between[-1]).groups()[:3] == ("20", "20", "100")


class State:
    def expectation(self):
        return np.array([[0.5]])

    def objective(self):
        return None

    def active_components(self):
        return 1


def test_points_for_the_diagnosis_of_a_chain_are_not_scored():
    settings = {"burn_in": 150, "n_samples": 50}
    figure, chain, both = (
        unmasked("BetaDirGibbs", settings=settings, **points).report["trace"]
        for points in ({"trace_points": 20}, {"trace_points": 100}, {"trace_points": 20, "chain_points": 100})
    )
    assert both["iteration"] == chain["iteration"]
    for name in ("objective", "active_components"):
        assert both[name] == chain[name]
    scored = dict(zip(figure["iteration"], figure["perplexity"], strict=True))
    assert both["perplexity"] == [scored.get(iteration) for iteration in both["iteration"]]
    assert None in both["perplexity"]


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_rate_and_time_left_by_hand(clock):
    lines = []
    recorder = FitRecorder(200, 50, lambda expectation: 0.25, lines.append)
    clock[0] += 10
    recorder(40, 200, State())
    assert LINE.fullmatch(lines[0]).groups() == ("40", "200", "20", "4.0", "40", "0.2500")


def test_lines_come_now_and_then_and_at_the_end(clock):
    lines = []
    recorder = FitRecorder(100, 50, lambda expectation: 0.25, lines.append)
    for iteration in range(1, 101):
        clock[0] += 0.2  # 20 s in all
        recorder(iteration, 100, State())
    assert 3 <= len(lines) <= 5
    assert lines[-1].startswith("iteration 100 of 100 (100%)")
    assert len(recorder.trace["iteration"]) == 100


def test_a_clock_that_stands_still_is_no_error(clock):
    lines = []
    FitRecorder(2, 50, lambda expectation: 0.25, lines.append)(2, 2, State())
    assert LINE.fullmatch(lines[0])


# --- Models of tables ------------------------------------------------------------------------

FEATURES = "nbmf.families.mixed_membership.feature_model:FeatureModel"


def fit_of_table(mask, table=None, **more):
    table = FeatureTable.from_array(np.random.default_rng(0).normal(size=(12, 3))) if table is None else table
    request = FitRequest(FEATURES, 2, {"max_iter": 20, **more}, ["fit", "table", 0], measure=f"{__name__}:told")
    return run_fit(table, mask, request, log=lambda line: None)


def told(model, table, mask):
    return {"rows": len(model.memberships_), "mask": mask is not None}


def test_a_model_of_a_table_is_fitted_to_what_is_left_and_reports_as_others_do():
    rows = np.arange(12) < 4
    result = fit_of_table(rows)
    report = result.report
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert report["measures"] == {"rows": 8, "mask": True}
    assert fit_of_table(None).report["measures"] == {"rows": 12, "mask": False}
    alone = registry.make_estimator(FEATURES, 2, {"max_iter": 20}, seed_sequence("fit", "table", 0))
    table = FeatureTable.from_array(np.random.default_rng(0).normal(size=(12, 3)))
    alone.fit(table.take_rows(~rows))
    assert report["objective"] == alone.objective_
    assert (report["n_iter"], report["converged"]) == (alone.n_iter_, alone.converged_)
    assert report["findings"] == alone.findings
    assert alone.findings["alpha"] == alone.prior_.sum()
    of_factors = first_run("LDA").report
    shared = {"seconds", "n_iter", "converged", "findings", "status", "class", "K", "settings", "seed_key", "versions"}
    assert shared <= report.keys() & of_factors.keys()
    assert report["versions"] == of_factors["versions"]


def test_a_table_is_made_of_a_matrix_and_its_entries_can_be_held_out():
    result = fit_of_table(MASK, MATRIX)
    table = FeatureTable.of(MATRIX)
    assert result.estimator.densities_.mean().shape == (2, 12)
    alone = registry.make_estimator(FEATURES, 2, {"max_iter": 20}, seed_sequence("fit", "table", 0))
    assert result.report["objective"] == alone.fit(without_held_out(table, MASK)).objective_


@pytest.mark.filterwarnings("error")
def test_the_fit_that_goes_before_says_nothing():
    with pytest.warns(NotConvergedWarning, match="max_iter = 2") as heard:
        assert fit_of_table(None, max_iter=2, relative_change_tol=1e-12).report["status"] == "not converged"
    assert len(heard) == 1


def test_held_out_rows_are_none_of_an_estimators_entries():
    request = FitRequest("LDA", 2, {}, ["fit"])
    with pytest.raises(DataError, match="rows are held out; LDA is fitted to what held-out entries leave"):
        run_fit(MATRIX, np.arange(16) < 4, request, log=lambda line: None)


# --- Several starts --------------------------------------------------------------------------


def test_of_several_starts_the_one_with_the_largest_objective_is_reported_and_the_first_is_the_fit_itself():
    one = FitRequest("BinaryICA", 3, {"max_iter": 20}, ["fit", "starts", 2])
    lines = []
    several = run_fit(MATRIX, MASK, one._replace(starts=4), log=lines.append)
    starts, report = several.report["starts"], several.report
    first = run_fit(MATRIX, MASK, one, log=lines.append).report
    assert "starts" not in first
    assert starts["objectives"][0] == first["objective"] == first["trace"]["objective"][-1]
    assert starts["kept"] == int(np.argmax(starts["objectives"])) != 0  # with this key another start is better
    assert report["objective"] == report["trace"]["objective"][-1] == max(starts["objectives"])
    assert starts["spread"] == max(starts["objectives"]) - min(starts["objectives"])
    seed = child(seed_sequence("fit", "starts", 2), "start", starts["kept"])
    alone = registry.make_estimator("BinaryICA", 3, {"max_iter": 20}, seed)
    alone.fit(several.estimator.likelihood.hide(MATRIX.codes, MASK))
    np.testing.assert_array_equal(alone.W_, several.estimator.W_)
    fewer = run_fit(MATRIX, MASK, one._replace(starts=2), log=lines.append).report["starts"]
    assert fewer["objectives"] == starts["objectives"][:2]  # the first of many are those of few
    assert any("4 starts, objectives" in line and f"start {starts['kept']} is kept" in line for line in lines)


def test_starts_of_a_table_and_the_seconds_of_all_of_them():
    request = FitRequest(FEATURES, 2, {"max_iter": 50}, ["fit", "table", 0])
    table = FeatureTable.from_array(np.random.default_rng(0).normal(size=(40, 3)))
    one = run_fit(table, None, request, log=lambda line: None).report
    report = run_fit(table, None, request._replace(starts=3), log=lambda line: None).report
    assert report["starts"]["objectives"][0] == one["objective"]
    assert report["objective"] == max(report["starts"]["objectives"])
    assert len(set(report["starts"]["objectives"])) > 1


def test_seconds_are_those_of_all_starts():
    estimators = [registry.make_estimator("BinaryICA", 2, {"max_iter": 2}, seed).fit(MATRIX) for seed in range(3)]
    made = [Start(one, {"of": [number]}, 2.0, 1.5) for number, one in enumerate(estimators)]
    kept, about = best_start(made, lambda line: None)
    assert (kept.seconds, kept.cpu_seconds) == (6.0, 4.5)
    assert kept.trace == {"of": [about["starts"]["kept"]]}


def test_several_starts_have_no_checkpoint_and_a_sampler_has_no_starts(monkeypatch):
    made = []
    monkeypatch.setattr(fits, "Checkpoint", lambda *given: made.append(given) or given[2])  # the recorder
    request = FitRequest("BinaryICA", 2, {"max_iter": 30}, ["fit"])
    for starts in (1, 2):
        run_fit(MATRIX, MASK, request._replace(starts=starts), checkpoint="checkpoint.npz", log=lambda line: None)
    assert len(made) == 1
    with pytest.raises(ConfigError, match="starts = 2: BetaDirGibbs is a sampler"):
        run_fit(MATRIX, MASK, request._replace(class_name="BetaDirGibbs", settings={}, starts=2), log=lambda line: None)


def test_a_report_says_whether_a_fit_is_worse_than_one_component():
    bad = FitRequest("PoissonGammaEM", 8, {"max_iter": 1}, ["fit"])
    counts = nbmf.CountMatrix.of(np.random.default_rng(0).poisson(3.0, (30, 20)))
    with pytest.warns(WorseThanOneComponentWarning):
        report = run_fit(counts, None, bad, log=lambda line: None).report
    assert report["worse_than_one_component"]
    assert report["objective"] < report["objective_of_one"]
    assert not run_fit(MATRIX, MASK, bad._replace(class_name="LDA"), log=lambda line: None).report[
        "worse_than_one_component"
    ]
