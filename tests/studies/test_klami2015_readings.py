"""The study klami2015 judged again: new matrices, starts and steps, times, cuts, sizes, missing entries."""

import json

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from claim_verdicts import judged_again
from figure_checks import assert_tidy, legend_texts, panels
from scipy import stats

from nbmf.fits import FitRequest, run_fit
from nbmf.inference.state import Factors
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015 import (
    convergence,
    cuts,
    engines,
    errors,
    experiments,
    factor_sizes,
    partly_observed,
    reading_figures,
    reading_tables,
    readings,
    simulation,
    traces,
)
from nbmf_studies.klami2015.engines import BOHNING, DRAWS, EXACT, FIXED_STEP, GAUSSIAN, GIBBS, LINE_SEARCH, NAIVE, PG_F
from nbmf_studies.klami2015.simulation import SetUp, draw
from nbmf_studies.klami2015.study import STUDY
from nbmf_studies.pipeline import configuration

CONFIG = shipped_configuration()
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
SMALL = SetUp("bernoulli", 30, 12, 2, 2.0, -4.0, True)


def plan_of(config):
    return Plan("klami2015", configuration.check(json.loads(json.dumps(config)), SCHEMA))


# --- The experiments --------------------------------------------------------------------------


def test_matrices_are_new_and_engines_see_the_same_ones():
    plan = plan_of(CONFIG)
    first = {case.key.dataset for experiment in STUDY.experiments for case in experiment(plan)}
    again = [case for experiment in STUDY.further_experiments for case in experiment(plan)]
    assert not first & {case.key.dataset for case in again}
    assert len({case.key for case in again}) == len(again)
    table = pd.DataFrame(
        [c.columns | {"setup": str(c.dataset["options"]["setup"])} for c in experiments.binary_cases(plan)]
    )
    assert (table.groupby(["set_up", "seed"])["setup"].nunique() == 1).all()
    assert set(table["seed"]) == set(range(100, 110))


def test_fits_have_the_step_and_the_start_that_their_columns_say():
    cases = experiments.binary_cases(plan_of(CONFIG))
    for case in cases:
        settings, columns = case.method["settings"], case.columns
        if columns["method"] == GIBBS:
            assert columns["update"] == DRAWS
            assert "start_scale" not in settings
            continue
        assert settings["start_scale"] == columns["scale"]
        step = {FIXED_STEP: 0.3, LINE_SEARCH: None, EXACT: None}[columns["update"]]
        assert settings.get("step") == step
        assert (columns["update"] == EXACT) == (settings.get("covariance") == "full")
    cells = {
        (c.columns["method"], c.columns["update"], c.columns["scale"])
        for c in cases
        if c.columns["set_up"] == "set_up_3"
    }
    grid = {
        (method, update, scale)
        for scale in (0.01, 0.1, 1)
        for method, update in [(PG_F, FIXED_STEP), (PG_F, LINE_SEARCH), (NAIVE, EXACT), (BOHNING, FIXED_STEP)]
    }
    assert grid <= cells
    lengths = {c.columns["update"]: c.method["settings"]["max_iter"] for c in cases if c.columns["method"] == PG_F}
    assert lengths == {FIXED_STEP: 3000, LINE_SEARCH: 500}


def test_fits_that_two_experiments_ask_for_are_one():
    plan = plan_of(CONFIG)
    searching = {case.key: case for case in experiments.compared_cases(plan)}
    shared = [case for case in experiments.start_cases(plan) if case.key in searching]
    assert {c.columns["method"] for c in shared} == {PG_F, BOHNING, NAIVE}
    assert all(case == searching[case.key] for case in shared)


@pytest.mark.parametrize(
    ("option", "name", "value", "message"),
    [
        ("line_search", "first_seed", 2, r"line_search\.first_seed = 2: must be more than 2"),
        ("starts_of_v", "set_ups", ["set_up_4"], r"starts_of_v\.set_ups\.set_up_4 = 'set_up_4'"),
        ("starts_of_v", "searching", ["klami2015-pg"], r"searching\.klami2015-pg = 'klami2015-pg'"),
        ("sizes", "methods", ["klami2015-pg-f-search"], r"sizes\.methods\.klami2015-pg-f-search"),
        ("observed_entries", "set_up", "easy", r"observed_entries\.set_ups\.easy"),
    ],
)
def test_what_cannot_be_run_is_said(option, name, value, message):
    config = shipped_configuration()
    config["studies"]["klami2015"]["options"][option][name] = value
    with pytest.raises(Exception, match=message):
        plan_of(config)


# --- Data and looks ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["BinaryMatrix", "RealMatrix"])
def test_a_share_of_the_entries_is_observed(kind):
    setup = list(SMALL)
    matrix = partly_observed.build(setup=setup, seed=4, kind=kind, share=0.25)
    values = np.asarray(getattr(matrix, matrix.field), float)
    seen = values != -1 if kind == "BinaryMatrix" else ~np.isnan(values)
    assert (seen.sum(axis=1) == 3).all()
    np.testing.assert_array_equal(values[seen], draw(SMALL, 4).X[seen])
    other = partly_observed.build(setup=setup, seed=4, kind="BinaryMatrix", share=0.25)
    np.testing.assert_array_equal(other.codes >= 0, seen)  # of every kind the same ones
    assert len(np.unique(seen, axis=0)) > 20
    assert partly_observed.observe(matrix)(None) == {}


class Fixed:
    """A state whose predictions and factors are given."""

    def __init__(self, H):
        self._H = np.array(H)

    def expectation(self):
        return np.full((30, 12), 0.5)

    def factors(self):
        return Factors(np.ones((30, len(self._H))), self._H)


def test_sizes_of_factors_are_mean_squares():
    H = np.outer([0.1, 2.0, 0.05], np.r_[np.ones(6), -np.ones(6)])
    options = {"setup": list(SMALL), "seed": 1, "kind": "BinaryMatrix"}
    matrix = simulation.build(**options)
    row = factor_sizes.observe(matrix, **options)(Fixed(H))
    assert [row[f"v² {number}"] for number in (1, 2, 3)] == pytest.approx([4.0, 0.01, 0.0025])
    usual = errors.observe(matrix, **options)(Fixed(H))
    assert {name: row[name] for name in usual} == usual


def test_a_row_is_what_a_fit_ends_with(tmp_path):
    options = {"setup": list(SMALL), "seed": 1, "kind": "BinaryMatrix"}
    settings = {"ard": True, "bound_gain_tol": 0, "max_iter": 12, "start_scale": 1.0}
    request = FitRequest(
        *("LogisticFactorVB", 3, settings, ["complete", "mine", 0]),
        observe=f"{factor_sizes.__name__}:observe",
        arguments=options,
    )
    report, fitted = run_fit(simulation.build(**options), None, request, log=[].append)
    (tmp_path / "fit.json").write_text(json.dumps(report))
    columns = {"set_up": "set_up_3_inside", "method": PG_F, "seed": 1}
    table = traces.gather_ends([(columns, tmp_path / "fit.json"), (columns | {"seed": 2}, tmp_path / "fit.json")])
    assert table["seed"].tolist() == [1, 2]
    assert (table["iteration"] == 12).all()
    assert table["error"][0] == pytest.approx(np.abs(fitted.expectation_ - draw(SMALL, 1).mean).mean())
    assert table["v² 1"][0] == pytest.approx((fitted.H_**2).mean(axis=1).max())


# --- Time -------------------------------------------------------------------------------------


def trace(method, points, seed=0, set_up="set_up_1"):
    rows = [{"iteration": i, "seconds": s, "error": e} for i, s, e in points]
    return pd.DataFrame(rows).assign(set_up=set_up, method=method, seed=seed)


def test_a_fit_stands_still_once_its_error_stays_where_it_ends():
    traces = pd.concat(
        [
            trace(PG_F, [(1, 0.1, 0.5), (2, 0.2, 0.2005), (3, 0.3, 0.21), (4, 0.4, 0.201), (5, 0.5, 0.2)]),
            trace(NAIVE, [(1, 1.0, 0.4), (2, 2.0, 0.19), (10, 10.0, 0.1)]),
            trace(GIBBS, [(1, 3.0, 0.3), (2, 6.0, 0.3)]),
        ],
        ignore_index=True,
    )
    found = convergence.times(traces).set_index("method")
    assert found[convergence.TO_STANDSTILL].to_dict() == {PG_F: 0.4, NAIVE: 10.0, GIBBS: 3.0}
    assert found[convergence.PER_ITERATION].tolist() == pytest.approx([0.1, 1.0, 3.0])
    assert found[convergence.TO_EQUAL].tolist() == [0.2, 2.0, np.inf]


def made_up_times(factor=12.0, seeds=(0, 1, 2)):
    """Return traces in which naive fits take `factor` times as long as PG-F, which varies a hundredfold over seeds."""
    every = []
    for seed in seeds:
        for method, times in ((PG_F, 1.0), (NAIVE, factor * 1.1 ** (seed - 1))):
            points = [(1, 10.0**seed * times, 0.5), (2, 2 * 10.0**seed * times, 0.1), (9, 9 * 10.0**seed * times, 0.1)]
            every.append(trace(method, points, seed))
    return pd.concat(every, ignore_index=True)


def test_times_are_compared_on_the_same_matrices():
    table = convergence.summarise(convergence.times(made_up_times()), {PG_F: "F", NAIVE: "naive"})
    row = table[table["method"] == "naive"].iloc[0]
    name = convergence.TO_STANDSTILL
    logs = np.log(12.0) + np.log(1.1) * np.array([-1, 0, 1])
    exact = np.exp(stats.ttest_1samp(logs, 0).confidence_interval(0.95))
    assert row[f"{name}, ratio"] == pytest.approx(12.0)
    assert (row[f"{name}, low"], row[f"{name}, high"]) == pytest.approx(tuple(exact))


# --- Cuts -------------------------------------------------------------------------------------


def test_factors_are_counted_at_every_cut():
    table = pd.DataFrame({"v² 1": [4.0, 3.0], "v² 2": [0.02, 1e-9], "seed": [0, 1]})
    counts = cuts.count_factors(table)
    assert counts.loc[counts.index < 0.0199].to_numpy().min(axis=0).tolist() == [2, 1]
    assert counts.loc[(counts.index > 0.0201) & (counts.index < 2.9)].to_numpy().tolist()[0] == [1, 1]
    assert counts.iloc[-1].tolist() == [0, 0]  # 10


@pytest.mark.parametrize(("first", "last", "expected"), [(40, 60, 40), (40, 59, None), (0, 120, 0), (100, 120, 100)])
def test_a_decade_is_as_long_as_it_says(first, last, expected):
    holds = pd.Series(False, index=cuts.CUTS)
    holds.iloc[first : last + 1] = True
    start = cuts.first_decade(holds)
    assert start == (None if expected is None else pytest.approx(cuts.CUTS[expected]))
    if start is not None:
        assert 10 * start <= cuts.CUTS[last] * (1 + 1e-9)


# --- Verdicts ---------------------------------------------------------------------------------

SEEDS = range(100, 106)
TYPICAL = {  # error, error above .95, log-likelihood
    (GAUSSIAN, LINE_SEARCH): (0.14, 0.6, -0.3),
    (BOHNING, LINE_SEARCH): (0.11, 0.49, -0.185),
    (BOHNING, FIXED_STEP): (0.11, 0.49, -0.185),
    (PG_F, LINE_SEARCH): (0.072, 0.31, -0.129),
    (PG_F, FIXED_STEP): (0.072, 0.31, -0.129),
    (NAIVE, EXACT): (0.071, 0.31, -0.129),
    (engines.NOISE, LINE_SEARCH): (0.2, 0.6, -0.3),
    (GIBBS, DRAWS): (0.04, 0.2, -0.1),
}
SET_UPS = ("set_up_2", "set_up_3", "set_up_3_inside")


def made_up(changes=(), sizes=10):
    """Return ends of fits in which every claim holds, but for `changes`: (set_up, method, column) to a value."""
    rows, given = [], dict(changes)
    for set_up in SET_UPS:
        for (method, update), numbers in TYPICAL.items():
            row = dict(zip(("error", "high_error", "log_likelihood"), numbers, strict=True)) | {"extreme_error": 0.05}
            row |= {c: v for (s, m, c), v in given.items() if (s, m) == (set_up, method)}
            squares = {f"v² {k}": 1.0 if k <= sizes else 1e-6 for k in range(1, 16)}
            for number, seed in enumerate(SEEDS):
                noise = 1 + 0.01 * (number - 2.5)  # what makes one matrix harder for all
                scaled = {name: value * noise for name, value in row.items()}
                key = {"set_up": set_up, "method": method, "update": update, "scale": 0.1, "seed": seed}
                rows.append({**key, "iteration": 10, "seconds": 1.0, **scaled, **squares})
    return pd.DataFrame(rows)


def patterns(at):
    rows = [
        {"method": PG_F, "seed": seed, "iteration": i, "seconds": 0.1 * i, "wrong": 0.01 if i >= one else 0.3}
        for seed, one in enumerate(at)
        for i in (1, 5, 20, 21, 100)
    ]
    return pd.DataFrame(rows)


def of_sizes(bohning=0.1):
    rows = [
        {"set_up": "set_up_2", "N": N, "D": 20, "method": method, "seed": seed, "error": error + 0.05 * seed}
        for N in (50, 500)
        for method, error in ((PG_F, 0.07), (BOHNING, bohning), (GAUSSIAN, 0.14))
        for seed in range(4)
    ]
    table = pd.DataFrame(rows)
    table["error"] += 1e-4 * (table["seed"] % 2) * (table["method"] == PG_F)
    return table.assign(seconds=1.0, iteration=10)


def of_observed(times=1.5):
    rows = [
        {"N": N, "D": N, "share": share, "method": method, "seed": seed, "iteration": 10}
        | {"seconds": (1 + seed) * (times ** (share < 1)) * 1.01 ** (seed * (share < 1))}
        for N, share in ((100, 1), (200, 0.25), (100, 0.25))
        for method in (PG_F, GIBBS)
        for seed in range(3)
    ]
    return pd.DataFrame(rows)


def judged(table=None, traces=None, found=None, sizes=None, observed=None, number=None):
    """Return the verdicts under all readings, or under those of one claim."""
    given = (
        made_up() if table is None else table,
        made_up_times() if traces is None else traces,
        patterns([1, 5, 20]) if found is None else found,
        of_sizes() if sizes is None else sizes,
        of_observed() if observed is None else observed,
        10,
    )
    verdicts, parts = judged_again(readings.READINGS, number, readings.Results(*given))
    assert (parts["evidence"].str.len() > 5).all()
    return verdicts.set_index(["number", "reading"])["verdict"]


def test_every_reading_holds_where_everything_is_as_the_paper_says():
    found = judged()
    assert found.pop((12, "time to a standstill")) == "not measured"  # no counts here
    assert set(found) == {"reproduced"}
    assert {number for number, _ in found.index} == {2, 4, 5, 6, 7, 9, 10, 19, 20}


INSIDE, PRINTED = readings.SEARCHED, readings.PRINTED_SEARCHED


@pytest.mark.parametrize(
    ("number", "method", "column", "just", "broken"),
    [
        (2, BOHNING, "error", 0.0725, 0.0720),
        (4, PG_F, "high_error", 0.383, 0.385),
        (4, BOHNING, "high_error", 0.40, 0.38),  # .31 over it is above .8
        (4, PG_F, "log_likelihood", -0.1389, -0.1391),
        (4, BOHNING, "log_likelihood", -0.194, -0.196),
        (5, GIBBS, "error", 0.066, 0.068),
        (6, engines.NOISE, "error", 0.146, 0.143),
    ],
)
def test_each_rule_of_set_up_3_has_its_threshold(number, method, column, just, broken):
    for value, holds in ((just, True), (broken, False)):
        found = judged(made_up({("set_up_3_inside", method, column): value}), number=number)
        assert (found[number, INSIDE] == "reproduced") == holds
        assert found[number, PRINTED] == "reproduced"  # the other reading has its own fits


def test_steps_are_judged_by_their_own_fits():
    table = made_up()
    stepped = (table["update"] == FIXED_STEP) & (table["set_up"] == "set_up_3_inside") & (table["method"] == PG_F)
    table.loc[stepped, "high_error"] = 0.6
    found = judged(table)
    assert found[4, readings.STEPPED] == "partly"
    assert found[4, INSIDE] == "reproduced"


def test_a_claim_on_time_counts_the_standstill_alone():
    parts = readings.readings_parts(made_up(), made_up_times(9.0), patterns([1]), of_sizes(), of_observed(), 10)
    seven = parts[parts["number"] == 7]
    assert seven["whose"].tolist() == ["paper", "ours", "ours"]
    assert judged(traces=made_up_times(9.9), number=7)[7, "time to a standstill"] == "not reproduced"
    assert judged(traces=made_up_times(10.1), number=7)[7, "time to a standstill"] == "reproduced"


@pytest.mark.parametrize(("count", "verdict"), [(9, "reproduced"), (11, "reproduced"), (12, "not reproduced")])
def test_one_factor_more_or_less_is_allowed(count, verdict):
    assert judged(made_up(sizes=count), number=9)[9, f"any decade of cuts, {LINE_SEARCH}"] == verdict


@pytest.mark.parametrize(
    ("at", "verdict"),
    [([1, 20, 100], "reproduced"), ([1, 21, 21], "not reproduced"), ([1, 5, 500, 500], "not reproduced")],
)
def test_half_of_the_seeds_have_to_find_patterns(at, verdict):
    assert judged(found=patterns(at), number=10)[10, "most seeds"] == verdict


def test_every_size_and_every_larger_matrix_counts():
    assert judged(sizes=of_sizes(0.0701), number=19)[19, readings.READINGS[-2].reading] == "partly"
    assert judged(observed=of_observed(2.1), number=20)[20, "time per iteration"] == "not reproduced"
    parts = readings.readings_parts(made_up(), made_up_times(), patterns([1]), of_sizes(), of_observed(2.1), 10)
    of = parts[parts["number"] == 20]
    assert of["where"].tolist() == ["pg-f, 200 x 200, 25.00% observed", "pg-gibbs, 200 x 200, 25.00% observed"]
    assert of["whose"].tolist() == ["paper", "ours"]


# --- Tables and figures -----------------------------------------------------------------------


def test_tables_have_intervals():
    labels = dict.fromkeys([method for method, _ in TYPICAL], "label")
    table = reading_tables.binary_ends(made_up(), labels)
    assert len(table) == 3 * 8
    own = made_up().query("set_up == 'set_up_2' and method == @GAUSSIAN")["error"]
    exact = stats.ttest_1samp(own, 0).confidence_interval(0.95)
    assert table.loc[0, ["error, low", "error, high"]].tolist() == pytest.approx(list(exact))
    ratios = reading_tables.bohning_ratios(made_up(), labels)
    assert ratios["ratio of errors above .95"].to_numpy() == pytest.approx(0.31 / 0.49)
    assert (ratios["ratio, high"] - ratios["ratio, low"]).abs().max() < 1e-9  # paired: nothing is left to vary
    assert set(ratios["update"]) == {LINE_SEARCH, FIXED_STEP, EXACT}
    times = reading_tables.pattern_times(patterns([1, 5, 20, 500]), labels)
    assert times.iloc[0][["seeds", "found", "iteration, 50% of seeds", "iteration, 90% of seeds"]].tolist() == [
        4,
        3,
        20,
        np.inf,
    ]
    sizes = reading_tables.size_differences(of_sizes(), labels)
    assert sizes["more than PG-F"].iloc[1] == pytest.approx(0.03 - 5e-5)
    observed = reading_tables.observed_times(of_observed(1.5), labels)
    assert observed["times the first"].round(1).tolist() == [1.0, 1.5, 1.5] * 2
    assert observed["ns per observed entry"].iloc[0] == pytest.approx(1e9 * 0.2 / 10_000)


def test_figures_are_tidy():
    plan = plan_of(CONFIG)
    arguments = {figure.name: figure.arguments(plan) for figure in STUDY.figures_of(plan) if figure.on_request}
    starts = reading_figures.draw_starts(made_up(), **arguments["starts_of_v"])
    of_cuts = cuts.draw(made_up(), **arguments["cuts"])
    found = reading_figures.draw_patterns(patterns([1, 5, 20, 500]), **arguments["more_patterns"])
    times = reading_figures.draw_observed(of_observed(), **arguments["observed_entries"])
    for figure in starts, of_cuts, found, times:
        assert_tidy(figure)
    assert list(panels(starts))[:2] == ["binary, ψ = 2 uv' − 4", "binary, ψ = 2 (uv' − 4)"]
    assert "Böhning, line search" in legend_texts(starts)
    (line,) = [one for one in found.axes[0].lines if len(one.get_xdata()) > 2]
    assert line.get_ydata().tolist() == [0, 0.25, 0.5, 0.75, 0.75]
    assert list(panels(times)) == ["matrices of 100 x 100", "10,000 observed entries"]
