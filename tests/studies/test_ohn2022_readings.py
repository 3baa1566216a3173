"""The study ohn2022 judged again: several variances of loadings, and the error of BB'."""

import json

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from figure_checks import assert_tidy, panels
from scipy import stats

from nbmf.fits import FitRequest, run_fit
from nbmf_studies.framework.plan import Plan
from nbmf_studies.ohn2022 import chains, covariance, covariance_errors, figure_2, readings, simulation
from nbmf_studies.ohn2022.experiments import MAIN, OTHERS, SLABS, cases_of_figure, cases_of_slabs
from nbmf_studies.ohn2022.methods import CIBP, IBP
from nbmf_studies.ohn2022.simulation import SetUp
from nbmf_studies.ohn2022.study import STUDY
from nbmf_studies.pipeline import configuration

CONFIG = shipped_configuration()
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
LABELS, COLOURS = {CIBP: "CIBP", IBP: "IBP"}, {CIBP: "#0072B2", IBP: "#E69F00"}
SETTINGS = {"slab_1": "τ = 1", "slab_larger": "τ = 6.25"}


def plan_of(config):
    return Plan("ohn2022", configuration.check(json.loads(json.dumps(config)), SCHEMA))


# --- The experiment ---------------------------------------------------------------------------


def test_data_are_those_of_no_other_chain_and_the_same_for_every_variance():
    plan = plan_of(CONFIG)
    cases = list(cases_of_slabs(plan))
    assert not {case.key.dataset for case in cases} & {case.key.dataset for case in cases_of_figure(plan)}
    assert {case.columns["replication"] for case in cases} == set(range(100, 200))
    cells = pd.DataFrame([case.columns | {"dataset": case.key.dataset} for case in cases])
    assert (cells.groupby(["p", "replication"])["dataset"].nunique() == 1).all()
    assert (cells.groupby("dataset").size() == 3 * 2).all()  # every variance, both priors, one start
    slabs = {case.columns["setting"]: case.method["settings"]["slab_variance"] for case in cases}
    assert slabs == {"slab_1": 1, "slab_larger": 6.25, "slab_learned": "learn"}
    assert set(slabs) == set(readings.SLABS)
    assert all(case.method["settings"]["keep_covariance"] for case in cases)
    assert all(case.method["settings"]["burn_in"] >= 30 * 300 for case in cases)  # for a slow start


@pytest.mark.parametrize(("option", "count"), [(MAIN, 101), (OTHERS, 102)])
def test_data_of_other_chains_are_refused(option, count):
    config = shipped_configuration()
    config["studies"]["ohn2022"]["options"][option]["replications"] = count
    with pytest.raises(Exception, match=rf"{SLABS}\.first_replication = 100: must be at least {count}"):
        plan_of(config)


def test_they_are_made_on_request_alone():
    plan = plan_of(CONFIG)
    made = {one.name for one in (*STUDY.figures_of(plan), *STUDY.tables_of(plan)) if one.on_request}
    assert made == {
        *("slab_variances", "covariance_errors", "slab_chains", "slab_estimates", "covariance_differences"),
        *("readings", "readings_parts", "verdicts"),
    }
    assert {key.dataset for key in STUDY.fits_of(plan)} == {
        case.key.dataset for experiment in STUDY.experiments for case in experiment(plan)
    }


# --- The error of BB' -------------------------------------------------------------------------


def test_the_true_covariance_is_that_of_the_data():
    setup = SetUp(6, 60_000, 2, 3)
    V, truth = simulation.draw(setup, 3), simulation.covariance(setup, 3)
    assert np.linalg.matrix_rank(truth) == 2
    spread = np.sqrt((np.outer(np.diag(truth) + 1, np.diag(truth) + 1) + (truth + np.eye(6)) ** 2) / setup.n)
    assert (np.abs(V @ V.T / setup.n - truth - np.eye(6)) < 5 * spread).all()


class Fitted:
    """An estimator of which BB' and K+ are known."""

    def __init__(self, loading_covariance):
        self.loading_covariance_, self.sizes_ = loading_covariance, np.array([4, 4, 5])


def test_errors_are_shares_of_the_norms_of_the_truth():
    setup = [8, 10, 2, 4, False]
    truth = simulation.covariance(SetUp(*setup), 1)
    away = np.diag([3.0, -4.0, 0, 0, 0, 0, 0, 0])
    found = covariance_errors.measure(Fitted(truth + away), None, None, setup=setup, replication=1)
    assert found["frobenius error"] == pytest.approx(5 / np.sqrt((truth**2).sum()))
    assert found["operator error"] == pytest.approx(4 / np.linalg.eigvalsh(truth)[-1])
    assert found["second half"] == [0, 0, 0, 0, 1, 1]


def test_a_row_of_chains_has_the_errors_of_its_fit(tmp_path):
    options = {"setup": [12, 20, 2, 5, False], "replication": 0}
    settings = {"prior": "ibp", "mass": 1, "kappa": 10, "slab_variance": 1, "standardize": False}
    settings |= {"burn_in": 200, "n_samples": 200, "keep_covariance": True}
    request = FitRequest(
        *("IndianBuffetGaussian", 3, settings, ["complete", "mine", 0]),
        measure=f"{covariance_errors.__name__}:measure",
        arguments=options,
    )
    report, chain = run_fit(simulation.build(**options), None, request, log=[].append)
    path = tmp_path / "fit.json"
    path.write_text(json.dumps(report))
    key = {"setting": "slab_1", "method": IBP, "p": 12, "replication": 0, "start": "slow"}
    row = chains.tabulate([(key, path)]).iloc[0]
    assert row["mean"] == chain.sizes_.mean()
    truth = simulation.covariance(SetUp(*options["setup"]), 0)
    expected = np.linalg.norm(chain.loading_covariance_ - truth) / np.linalg.norm(truth)
    assert row["frobenius error"] == pytest.approx(expected)
    assert expected < 1  # that of knowing nothing


AWAY = (-0.03, -0.01, 0.01, 0.03)  # of data sets


def made_up(of_cibp=0.3, of_ibp=0.35, by_setting=None, sizes=(50, 150, 300)):
    """Return chains of both priors on four data sets; K+ of the IBP is 10, of the CIBP 4 where nothing else is said."""
    rows, given = [], by_setting or {}
    for setting in SETTINGS:
        for method, error in ((CIBP, of_cibp), (IBP, of_ibp)):
            for p in sizes:
                for number, away in enumerate(AWAY):
                    mean = given.get((setting, method, p), 4.0 if method == CIBP else 10 + np.log(p)) + away
                    rows.append(
                        {
                            **{"setting": setting, "method": method, "p": p, "replication": 100 + number},
                            **{"start": "slow", "mean": mean, "first half": mean, "second half": mean},
                            **{"least": 3, "largest": 20, "r_hat": 1.0, "seconds": 0.5},
                            "frobenius error": error + 10 * away + 0.01 * number * (method == IBP),
                            "operator error": error,
                        }
                    )
    return pd.DataFrame(rows)


def test_priors_are_compared_on_the_same_data():
    table = covariance.compare(made_up(), SETTINGS)
    assert table[["setting", "norm", "p"]].to_numpy().tolist() == [
        [name, norm, p] for name in SETTINGS.values() for norm in ("frobenius", "operator") for p in (50, 150, 300)
    ]
    row = table.iloc[0]
    differences = -0.05 - 0.01 * np.arange(4)  # what data sets have in common is gone
    expected = stats.ttest_1samp(differences, 0)
    assert (row["CIBP minus IBP"], row["p-value"]) == pytest.approx((differences.mean(), expected.pvalue))
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert row["by Holm"] == pytest.approx(3 * expected.pvalue)  # of three p
    assert (row["CIBP"], row["CIBP nearer"], row["replications"]) == (pytest.approx(0.3), 4, 4)
    alone = made_up()
    assert covariance.compare(alone[alone["method"] == CIBP], SETTINGS).empty


def test_figures_have_a_panel_per_variance():
    errors = covariance.draw(made_up(), LABELS, COLOURS, SETTINGS)
    numbers = figure_2.draw_settings(made_up(), LABELS, COLOURS, 4, SETTINGS)
    for figure in errors, numbers:
        assert list(panels(figure)) == list(SETTINGS.values())
        assert_tidy(figure)
    (first, *_) = errors.axes
    assert first.lines[0].get_ydata() == pytest.approx([0.3] * 3)
    assert [len(axis.patches) for axis in numbers.axes[:2]] == [6, 6]
    one = made_up()
    assert_tidy(covariance.draw(one[one["replication"] == 100], LABELS, COLOURS, SETTINGS))


# --- Verdicts ---------------------------------------------------------------------------------


def verdict(number, name, **changes):
    table = readings.readings(made_up(**changes), 4).set_index(["number", "reading"])
    return table.loc[(number, name), "verdict"]


def test_every_claim_on_figure_2_is_judged_for_every_variance():
    table = readings.readings(made_up(), 4)
    assert table["number"].tolist() == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    of = table.groupby("reading", sort=False)["verdict"].agg(list).to_dict()
    names = list(readings.SLABS.values())
    assert of == {names[0]: ["reproduced"] * 4, names[1]: ["reproduced"] * 4, names[2]: ["not measured"] * 4}


@pytest.mark.parametrize(
    ("number", "of", "broken", "found"),
    [
        (1, (CIBP, 150), 4.3, "partly"),
        (2, (IBP, 50), 4.4, "partly"),
        (3, (IBP, 300), 9.0, "not reproduced"),
        (4, (IBP, 300), 15.0, "not reproduced"),  # that of p = 150 is 15.01
    ],
)
def test_a_variance_is_judged_by_its_own_chains(number, of, broken, found):
    change = {("slab_larger", *of): broken}
    assert verdict(number, "τ = 1, new data", by_setting=change) == "reproduced"
    assert verdict(number, "τ = 6.25", by_setting=change) == found
