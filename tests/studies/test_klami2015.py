"""The study klami2015: its data, its traces, its figures, and its claims on made-up runs."""

import importlib
import json
import time

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from claim_verdicts import verdict_on
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex
from scipy.special import expit

from nbmf.fits import FitRequest, run_fit
from nbmf.inference.progress import FitRecorder
from nbmf.inference.state import Factors
from nbmf.seeds import seed_sequence
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015 import (
    claims,
    criteria,
    engines,
    errors,
    figures,
    patterns,
    reported_values,
    simulation,
    traces,
)
from nbmf_studies.klami2015.simulation import SetUp, draw
from nbmf_studies.klami2015.study import STUDY
from nbmf_studies.pipeline import configuration

CONFIG = shipped_configuration()
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
OPTIONS = CONFIG["studies"]["klami2015"]["options"]
SET_UPS = {
    name: one for figure in ("figure_1", "figure_2") for name, one in simulation.set_ups(OPTIONS[figure]).items()
}
PAPER = {"set_up_1": (0.5, 0), "set_up_2": (2.5, 0), "set_up_3": (2, -4)}  # section 6.1
SMALL = SetUp("bernoulli", 30, 12, 2, 2.0, 0.0)


# --- The data --------------------------------------------------------------------------------


def test_set_ups_are_the_papers():
    for name, (s, b) in PAPER.items():
        assert SET_UPS[name] == SetUp("bernoulli", 1000, 100, 10, s, b)
    assert SET_UPS["set_up_3_inside"] == SET_UPS["set_up_3"]._replace(inside=True)
    for name in ("nb_small", "nb_large", "poisson_small", "poisson_large"):
        assert SET_UPS[name][1:4] == (500, 50, 10)
    assert (OPTIONS["figure_1"]["iterations"], OPTIONS["figure_2"]["iterations"]) == (3000, 6000)
    for name, method in CONFIG["methods"].items():
        if name.startswith(engines.PREFIX):
            assert (method["K"], method["settings"]["ard"]) == ([15], True)
            stops = method["settings"].get("bound_gain_tol", 0)
            assert stops == 0, name  # every engine does all its iterations


@pytest.mark.parametrize("seed", [0, 1])
def test_binary_data_are_drawn_from_their_probabilities(seed):
    for name, share in [("set_up_2", 0.5), ("set_up_3", 0.27), ("set_up_3_inside", 0.11)]:
        drawn = draw(SET_UPS[name], seed)
        assert set(np.unique(drawn.X)) == {0, 1}
        assert drawn.X.mean() == pytest.approx(share, abs=0.03)  # the factors vary most
        spread = np.sqrt((drawn.mean * (1 - drawn.mean)).sum()) / drawn.X.size
        assert abs((drawn.X - drawn.mean).mean()) < 4 * spread
        # Each probability is right, not their mean alone.
        fit = ((drawn.X - drawn.mean) ** 2 - drawn.mean * (1 - drawn.mean)).mean()
        assert abs(fit) < 4 * spread


def log_odds(setup, seed):
    """Return ψ from the seed key, written anew."""
    key = [setup.law, setup.N, setup.D, setup.K, str(float(setup.s)), str(float(setup.b)), int(setup.inside), seed]
    rng = np.random.default_rng(seed_sequence("klami2015", "data", *key))
    U, V = rng.standard_normal((setup.N, setup.K)), rng.standard_normal((setup.D, setup.K))
    psi = np.einsum("ik,jk->ij", U, V)
    if setup.inside:
        return setup.s * psi + setup.s * setup.b, rng
    return setup.s * psi + setup.b, rng


@pytest.mark.parametrize("inside", [False, True])
def test_log_odds_are_those_of_the_set_up(inside):
    setup = SetUp("bernoulli", 7, 5, 3, 2.0, -4.0, inside)
    np.testing.assert_allclose(draw(setup, 4).mean, expit(log_odds(setup, 4)[0]), rtol=1e-12)


def test_counts_have_the_moments_of_their_distributions():
    poisson = draw(SET_UPS["poisson_small"], 0)
    psi = log_odds(SET_UPS["poisson_small"], 0)[0]
    np.testing.assert_allclose(poisson.mean, np.exp(psi))
    z = (poisson.X - poisson.mean) / np.sqrt(poisson.mean)
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert (z**2).mean() == pytest.approx(1, abs=0.05)
    counts = draw(SET_UPS["nb_small"], 0)
    psi, rng = log_odds(SET_UPS["nb_small"], 0)
    r = rng.gamma(5.0, size=50)
    np.testing.assert_allclose(counts.mean, r * np.exp(psi))  # r p / (1 - p)
    z = (counts.X - counts.mean) / np.sqrt(counts.mean * (1 + np.exp(psi)))
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert (z**2).mean() == pytest.approx(1, abs=0.05)  # that of a Poisson law would be 2


def test_a_matrix_depends_on_what_it_is_drawn_from_alone():
    np.testing.assert_array_equal(draw(SMALL, 0).X, draw(SMALL._replace(s=2), 0).X)
    for other in (SMALL._replace(s=2.5), SMALL._replace(b=1.0), SMALL._replace(inside=True)):
        assert (draw(other, 0).X != draw(SMALL, 0).X).any()
    assert (draw(SMALL, 1).X != draw(SMALL, 0).X).any()


def test_patterns_are_copies_with_a_tenth_of_the_bits_flipped():
    X, clean = patterns._drawn(3, 0)
    np.testing.assert_array_equal(patterns.build(prototypes=3, seed=0).codes, X)
    assert X.shape == (600, 16)
    assert len(np.unique(clean, axis=0)) == 3
    assert (clean[:200] == clean[0]).all()
    assert (clean != X).mean() == pytest.approx(0.1, abs=4 * 0.3 / np.sqrt(9600))


@pytest.mark.parametrize("kind", simulation.KINDS)
def test_a_dataset_is_of_the_kind_that_a_method_takes(kind):
    matrix = simulation.build(setup=list(SMALL), seed=1, kind=kind)
    assert type(matrix).__name__ == kind
    np.testing.assert_array_equal(getattr(matrix, matrix.field), draw(SMALL, 1).X)


# --- Traces ----------------------------------------------------------------------------------


class Fixed:
    """A state whose predictions and factors are given."""

    def __init__(self, expectation, H):
        self._expectation, self._H = np.array(expectation), np.array(H)

    def expectation(self):
        return self._expectation

    def factors(self):
        return Factors(np.ones((2, len(self._H))), self._H)


def look(monkeypatch, law, mean, state):
    """Return what is observed of a state whose matrix has these true means."""
    drawn = simulation.DrawnMatrix(np.array([[1, 0], [1, 1]]), np.array(mean))
    monkeypatch.setattr(errors, "draw", lambda setup, seed: drawn)
    return errors.observe(None, list(SMALL._replace(law=law)), 0, "BinaryMatrix")(state)


def test_errors_are_those_of_the_equations(monkeypatch):
    H = [[0.2, 0.0], [0.05, 0.1]]  # mean squares .02 and .00625
    row = look(monkeypatch, "bernoulli", [[0.97, 0.02], [0.5, 0.9]], Fixed([[0.9, 0.1], [0.6, 1.5]], H))
    assert row == {
        "error": pytest.approx((0.07 + 0.08 + 0.1 + 0.1) / 4),  # 1.5 is cut to 1
        "extreme_error": pytest.approx(0.075),
        "high_error": pytest.approx(0.07),
        "log_likelihood": pytest.approx(np.log([0.9, 0.9, 0.6, 1.0]).mean()),
        "factors": 1,
    }
    row = look(monkeypatch, "poisson", [[4.0, 0.5], [0.5, 0.5]], Fixed([[5.0, -2.0], [0.5, 0.5]], H))
    assert row == {"error": pytest.approx(1.5 / 4), "factors": 1}  # -2 is cut to 0


class Idle(Fixed):
    """A state that has nothing but its expectation."""

    def objective(self):
        return None

    def active_components(self):
        return 1


def test_time_is_that_of_the_fit_alone(monkeypatch):
    state, clock = Idle([[0.5]], [[1.0]]), [7.0]
    monkeypatch.setattr(time, "process_time", lambda: clock[0])

    def burn(seconds):
        clock[0] += seconds

    recorder = FitRecorder(20, 5, lambda state: 0.5, [].append, 0, lambda state: burn(0.05) or {"looked": 1})
    done = 0
    while done < 20:
        stop = int(min(recorder.next_after(done), 20))
        burn(0.002 * (stop - done))
        done = stop
        recorder(done, 20, state)
    trace = pd.DataFrame(recorder.trace)
    assert trace["cpu_seconds"].to_numpy() == pytest.approx(0.002 * trace["iteration"], rel=1e-9)


def report_of(case):
    """Run the fit of a case as the workflow does, and return its report."""
    recipe = importlib.import_module(case.dataset["recipe"])
    matrix, method = recipe.build(**case.dataset["options"]), case.method
    request = FitRequest(
        method["class"],
        case.key.K,
        method["settings"],
        ["complete", *map(str, case.key)],
        observe=case.dataset["observe"],
        arguments=case.dataset["options"],
    )
    return run_fit(matrix, None, request, log=[].append)


def small_cases(**changes):
    """Return the cases of a small configuration."""
    small = {
        "figure_1": {"size": [30, 12], "K": 2, "iterations": 12, "left_out": 4},
        "figure_2": {"size": [30, 12], "K": 2, "iterations": 12, "left_out": 4},
        "patterns": {"iterations": 20},
    }
    config = shipped_configuration()
    config["studies"]["klami2015"]["seeds"] = [0, 3]
    for name, options in small.items():
        config["studies"]["klami2015"]["options"][name] |= options | changes.get(name, {})
    return first_cases(config)


@pytest.mark.parametrize("method", [engines.PG_F, engines.GIBBS])
def test_a_trace_is_of_one_fit(method, tmp_path):
    case = next(c for c in small_cases() if c.columns == {"set_up": "set_up_2", "method": method, "seed": 3})
    report, fitted = report_of(case)
    (tmp_path / "one.json").write_text(json.dumps(report))
    table = traces.gather([(case.columns, tmp_path / "one.json")])
    assert table["iteration"].iloc[-1] == fitted.n_iter_ == 12
    assert list(table.columns[:5]) == ["set_up", "method", "seed", "iteration", "seconds"]
    assert (table["seconds"].diff().dropna() >= 0).all()
    drawn = draw(SetUp(*case.dataset["options"]["setup"]), 3)
    last = np.abs(fitted.expectation_ - drawn.mean).mean()
    assert table["error"].iloc[-1] == pytest.approx(last, rel=1e-12)
    report["trace"]["error"][-1] = None  # as JSON has what overflows
    (tmp_path / "one.json").write_text(json.dumps(report))
    assert traces.gather([(case.columns, tmp_path / "one.json")])["error"].iloc[-1] == np.inf


def test_a_sampler_leaves_out_its_burn_in_and_never_more_than_half():
    def settings(**changes):
        cases = small_cases(figure_1=changes)
        return {c.columns["method"]: c.method["settings"] for c in cases if c.columns.get("set_up") == "set_up_2"}

    lengths = [
        settings(iterations=40, left_out=10)[engines.GIBBS],
        settings(iterations=10, left_out=100)[engines.GIBBS],
    ]
    assert [(of["burn_in"], of["n_samples"]) for of in lengths] == [(10, 30), (5, 5)]
    assert settings(iterations=40)[engines.PG_F]["max_iter"] == 40


def test_patterns_are_found_in_a_few_iterations():
    case = next(c for c in small_cases() if c.columns == {"method": engines.SEARCH, "seed": 0})
    trace = report_of(case).report["trace"]
    assert trace["wrong"][0] > trace["wrong"][-1]
    assert trace["wrong"][-1] < 0.2 * trace["flipped"][0]


# --- The jobs --------------------------------------------------------------------------------


def plan_of(config):
    return Plan("klami2015", configuration.check(json.loads(json.dumps(config)), SCHEMA))


def first_cases(config):
    """Return the cases that are made with the study, not on request."""
    plan = plan_of(config)
    return [case for experiment in STUDY.experiments for case in experiment(plan)]


def test_a_fit_depends_on_its_own_engine_and_set_up_alone():
    config = shipped_configuration()
    before = {case.key: case for case in first_cases(config)}
    assert len(before) == (4 * 8 + 4 * 7 + 7) * 3
    config["methods"][engines.NAIVE]["settings"]["a0"] = 0.5
    changed = [case for case in first_cases(config) if before[case.key] != case]
    assert {case.columns["method"] for case in changed} == {engines.NAIVE}
    config = shipped_configuration()
    config["studies"]["klami2015"]["options"]["figure_1"]["set_ups"]["set_up_2"]["s"] = 2
    new = [case for case in first_cases(config) if case.key not in before]
    assert {case.columns.get("set_up") for case in new} == {"set_up_2"}
    assert len(new) == 8 * 3


def test_what_is_judged_has_a_name_in_the_configuration():
    words = ("PREFIX", "DRAWS", "EXACT", "LINE_SEARCH", "FIXED_STEP", "USUAL_SCALE")
    named = {value for key, value in vars(engines).items() if key.isupper() and key not in words}
    assert named >= {name for name in CONFIG["methods"] if name.startswith(engines.PREFIX)}
    shown = {method for figure in ("figure_1", "figure_2") for method in OPTIONS[figure]["methods"]}
    assert shown == named
    assert {*criteria.BINARY, *criteria.OVERDISPERSED, criteria.POISSON_SMALL, criteria.POISSON_LARGE} == (set(SET_UPS))
    for set_up, of_methods in reported_values.PROTOTYPE.items():
        assert set_up in SET_UPS
        assert of_methods.keys() <= named
    columns = {"extreme_error", "high_error", "log_likelihood"}
    assert {(row[0] in columns, row[2] in SET_UPS) for row in reported_values.PRINTED} == {(True, True)}


def test_an_engine_that_is_unknown_is_named():
    config = shipped_configuration()
    config["studies"]["klami2015"]["options"]["figure_2"]["methods"][0] = "klami2015-softpuls"
    with pytest.raises(Exception, match=r"figure_2\.methods\[0\] = 'klami2015-softpuls'"):
        plan_of(config)


# --- Tables and figures ----------------------------------------------------------------------

TYPICAL = {  # last error and seconds of binary data
    engines.GAUSSIAN: (0.140, 1.0),
    engines.BOHNING: (0.080, 8.0),
    engines.PG_F: (0.067, 1.0),
    engines.SEARCH: (0.067, 0.5),
    engines.NAIVE: (0.067, 20.0),
    engines.NOISE: (0.350, 3.0),
    engines.GIBBS: (0.060, 40.0),
    engines.NOISE_GIBBS: (0.120, 60.0),
}
COUNTS = {
    engines.GAUSSIAN: (23.0, 1.0),
    engines.SOFTPLUS: (20.0, 3.0),
    engines.NB_F: (5.6, 1.0),
    engines.NB_SEARCH: (5.6, 1.0),
    engines.NB_NAIVE: (5.6, 20.0),
    engines.NB_GIBBS: (5.5, 40.0),
    engines.NB_NOISE: (15.0, 3.0),
}


def made_up(changes=(), seeds=(0, 1, 2)):
    """Return traces in which every claim holds, but for `changes` at the last iteration.

    changes : dict from (set_up, method, column) to a value
    """
    rows = []
    for set_up, setup in SET_UPS.items():
        typical = TYPICAL if setup.law == "bernoulli" else COUNTS
        for method, (error, seconds) in typical.items():
            if set_up == "set_up_1":
                error = 0.22 if method == engines.NOISE_GIBBS else 0.105
            if set_up == "poisson_small" and method == engines.SOFTPLUS:
                error = 5.5
            last = {"error": error, "seconds": seconds, "factors": 10}
            if setup.law == "bernoulli":
                of_bohning = method == engines.BOHNING
                last |= {
                    "extreme_error": 0.05 if of_bohning else 0.034,
                    "high_error": 0.5 if of_bohning else 0.3,
                    "log_likelihood": -0.19 if of_bohning else -0.15,
                }
            last |= {c: v for (s, m, c), v in dict(changes).items() if (s, m) == (set_up, method)}
            for seed in seeds:
                key = {"set_up": set_up, "method": method, "seed": seed}
                for share in (0.1, 1.0):
                    point = {"iteration": int(100 * share), "seconds": share * last["seconds"]}
                    row = {**key, **last, **point}
                    row["error"] = last["error"] * (1.5 if share < 1 else 1)
                    rows.append(row)
    return pd.DataFrame(rows)


def found_patterns(iteration=3, wrong=0.01):
    rows = [
        {
            "method": method,
            "seed": seed,
            "flipped": 0.1,
            "iteration": at,
            "seconds": 0.1 * at,
            "wrong": wrong if at >= iteration else 0.3,
        }
        for method in (engines.PG_F, engines.GIBBS)
        for seed in (0, 1)
        for at in (1, 3, 20, 30)
    ]
    return pd.DataFrame(rows)


K = dict.fromkeys(SET_UPS, 10)


def verdicts(changes=(), patterns=None):
    patterns = found_patterns() if patterns is None else patterns
    return claims.claims(made_up(changes), patterns, K)["verdict"].tolist()


def test_every_claim_holds_where_everything_is_as_the_paper_says():
    assert verdicts() == ["reproduced"] * 18 + ["not measured"] * 2  # the last two on request
    table = claims.claims_parts(made_up(), found_patterns(), K)
    assert table.loc[table["whose"] == "paper", "holds"].all()
    assert table["number"].nunique() == 18
    assert table["evidence"].str.len().min() > 5


@pytest.mark.parametrize(
    ("number", "just", "broken"),
    [
        (1, {("set_up_1", engines.BOHNING, "error"): 0.120}, {("set_up_1", engines.BOHNING, "error"): 0.122}),
        (2, {("set_up_2", engines.BOHNING, "error"): 0.0671}, {("set_up_2", engines.BOHNING, "error"): 0.0669}),
        (
            3,
            {("set_up_2", engines.PG_F, "extreme_error"): 0.0379},
            {("set_up_2", engines.PG_F, "extreme_error"): 0.0381},
        ),
        (
            3,
            {("set_up_2", engines.BOHNING, "extreme_error"): 0.0421},
            {("set_up_2", engines.BOHNING, "extreme_error"): 0.0419},
        ),
        (
            3,
            {("set_up_2", engines.BOHNING, "log_likelihood"): -0.1601},
            {("set_up_2", engines.BOHNING, "log_likelihood"): -0.1599},
        ),
        (4, {("set_up_3", engines.PG_F, "high_error"): 0.3839}, {("set_up_3", engines.PG_F, "high_error"): 0.3841}),
        (
            4,
            {("set_up_3", engines.BOHNING, "high_error"): 0.3931},
            {("set_up_3", engines.BOHNING, "high_error"): 0.3919},
        ),  # too near PG-F's, not printed
        (
            4,
            {("set_up_3", engines.PG_F, "log_likelihood"): -0.1699},
            {("set_up_3", engines.PG_F, "log_likelihood"): -0.1701},
        ),
        (5, {("set_up_3", engines.GIBBS, "error"): 0.0619}, {("set_up_3", engines.GIBBS, "error"): 0.0621}),
        (6, {("set_up_3", engines.NOISE, "error"): 0.1341}, {("set_up_3", engines.NOISE, "error"): 0.1339}),
        (
            7,
            {("set_up_2", engines.GIBBS, "seconds"): 101.0},  # Gibbs is there at a tenth of it
            {("set_up_2", engines.NAIVE, "seconds"): 9.9},
        ),
        (
            8,
            {("set_up_1", engines.PG_F, "seconds"): 2.99},
            {
                ("set_up_1", engines.PG_F, "seconds"): 3.01,
                ("set_up_1", engines.NAIVE, "seconds"): 99.0,
                ("set_up_1", engines.GIBBS, "seconds"): 99.0,
            },
        ),
        (9, {("set_up_2", engines.GIBBS, "factors"): 11}, {("set_up_2", engines.GIBBS, "factors"): 12}),
        (9, {("set_up_2", engines.GIBBS, "factors"): 9}, {("set_up_2", engines.GIBBS, "factors"): 8}),
        (11, {("nb_large", engines.NB_F, "error"): 16.9}, {("nb_large", engines.NB_F, "error"): 17.1}),
        (12, {("nb_small", engines.NB_NAIVE, "seconds"): 10.1}, {("nb_small", engines.NB_NAIVE, "seconds"): 9.9}),
        (
            13,
            {("poisson_large", engines.NB_NAIVE, "error"): 16.9},
            {("poisson_large", engines.NB_NAIVE, "error"): 17.1},
        ),
        (14, {("poisson_small", engines.NB_F, "error"): 5.774}, {("poisson_small", engines.NB_F, "error"): 5.776}),
        (14, {("poisson_small", engines.NB_F, "error"): 4.676}, {("poisson_small", engines.NB_F, "error"): 4.674}),
        (15, {("poisson_large", engines.NB_F, "error"): 5.51}, {("poisson_large", engines.NB_F, "error"): 5.49}),
        (
            16,
            {("poisson_large", engines.SOFTPLUS, "seconds"): 0.11},
            {("poisson_large", engines.SOFTPLUS, "seconds"): 0.09},
        ),
        (17, {("nb_small", engines.NB_NOISE, "error"): 6.60}, {("nb_small", engines.NB_NOISE, "error"): 6.58}),
        (
            18,
            {("set_up_1", engines.NOISE_GIBBS, "error"): 0.1103},
            {("set_up_1", engines.NOISE_GIBBS, "error"): 0.1101},
        ),
    ],
)
def test_each_rule_has_its_threshold(number, just, broken):
    for changes, holds in ((just, True), (broken, False)):
        run = criteria.Results(made_up(changes), found_patterns(), K)
        assert (verdict_on(claims.CLAIMS, number, run) == "reproduced") == holds


@pytest.mark.parametrize(
    ("patterns", "verdict"),
    [
        (found_patterns(20, 0.0199), "reproduced"),
        (found_patterns(30, 0.0199), "not reproduced"),
        (found_patterns(3, 0.0201), "not reproduced"),
    ],
)
def test_patterns_have_to_be_found_in_time_and_all_of_them(patterns, verdict):
    assert verdicts(patterns=patterns)[9] == verdict


def test_a_pattern_that_one_seed_does_not_find_is_not_found():
    patterns = found_patterns()
    of = (patterns["seed"] == 1) & (patterns["method"] == engines.GIBBS)
    patterns.loc[of & (patterns["iteration"] <= 20), "wrong"] = 0.3  # too late
    assert verdicts(patterns=patterns)[9] == "partly"
    patterns.loc[of, "wrong"] = 0.3  # never
    assert verdicts(patterns=patterns)[9] == "partly"


def test_the_time_to_an_error_is_the_median_of_first_times():
    points = [(1, 1.0, 0.5), (2, 2.0, 0.1), (3, 3.0, 0.2), (4, 4.0, 0.1)]
    rows = [
        {
            "set_up": "a",
            "method": "m",
            "seed": seed,
            "iteration": iteration,
            "seconds": seconds * (seed + 1),
            "error": error,
        }
        for seed in range(3)
        for iteration, seconds, error in points
    ]
    run = criteria.Results(pd.DataFrame(rows), found_patterns(), {})
    assert run.seconds_to("a", "m", run.end_errors("a", "m")) == 4.0  # 2, 4 and 6
    goal = pd.Series({0: 0.1, 1: 0.099, 2: 0.05})
    assert run.seconds_to("a", "m", goal) == 4.0  # 2, 4 and never
    assert run.seconds_to("a", "m", goal * 0.9) == np.inf


def test_what_was_not_run_is_not_measured():
    traces = made_up()
    some = traces[traces["method"].isin([engines.PG_F, engines.NB_F])]
    table = claims.claims(some, found_patterns(), K)
    measured = table.loc[table["verdict"] != "not measured", "number"].tolist()
    assert measured == [1, 9, 10]  # PG-F alone says something there


def test_the_last_errors_are_means_over_seeds_next_to_the_prototypes():
    traces = made_up()
    at_end = (traces["iteration"] == 100) & (traces["seed"] == 2)
    at_end &= (traces["set_up"] == "set_up_2") & (traces["method"] == engines.PG_F)
    traces.loc[at_end, ["error", "factors"]] = [0.070, 11]
    labels = {method: method.upper() for method in traces["method"]}
    table = reported_values.last_errors(traces.sample(frac=1, random_state=0), labels)
    assert len(table) == 4 * 8 + 4 * 7
    row = table[(table["set_up"] == "set_up_2") & (table["method"] == engines.PG_F)].iloc[0]
    assert row["error, mean"] == pytest.approx(0.068)
    assert (row["error, min"], row["error, max"]) == (0.067, 0.070)
    assert row["prototype"] == 0.0668
    assert (row["factors"], row["seeds"], row["label"]) == ("10 to 11", 3, "KLAMI2015-PG-F")
    assert row["ms per iteration"] == pytest.approx(10)
    ordered = reported_values.last_errors(traces, labels)
    assert ordered["set_up"].drop_duplicates().tolist() == list(SET_UPS)
    printed = reported_values.printed(traces)
    assert len(printed) == 12
    row = printed.iloc[0]
    assert row[["paper", "prototype", "mean", "seeds"]].tolist() == [0.034, 0.0342, 0.034, 3]


def drawn_figure(name, traces):
    plan = plan_of(CONFIG)
    (figure,) = [one for one in STUDY.figures_of(plan) if one.name == name]
    return figures.draw(traces, **figure.arguments(plan)), plan


def test_a_panel_per_set_up_and_a_line_per_engine():
    figure, plan = drawn_figure("figure_1", made_up())
    axes = panels(figure)
    assert list(axes) == [
        "binary, ψ = 0.5 uv'",
        "binary, ψ = 2.5 uv'",
        "binary, ψ = 2 uv' − 4",
        "binary, ψ = 2 (uv' − 4)",
    ]
    methods = plan.options["figure_1"]["methods"]
    assert legend_texts(figure) == [plan.label(method) for method in methods]
    lines = [line for line in axes["binary, ψ = 2.5 uv'"].lines if len(line.get_xdata()) > 1]
    assert len(lines) == len(methods)
    for line, method in zip(lines, methods, strict=True):
        error, seconds = TYPICAL[method]
        assert to_hex(line.get_color()) == plan.colours(methods)[method].lower()
        assert line.get_ydata() == pytest.approx([1.5 * error, error])
        assert line.get_xdata() == pytest.approx([0.1 * seconds, seconds])
    assert_tidy(figure)


def test_counts_that_are_infinite_are_left_out():
    traces = made_up()
    traces.loc[traces["iteration"] == 10, "error"] = np.inf
    traces.loc[traces["method"] == engines.SOFTPLUS, "error"] = np.inf
    figure, _ = drawn_figure("figure_2", traces)
    assert list(panels(figure))[3] == "Poisson, ψ = 0.5 uv' + 1"
    assert all(np.isfinite(axis.get_ylim()).all() for axis in figure.axes)
    assert_tidy(figure)
