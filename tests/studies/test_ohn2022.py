"""The study ohn2022: its data, its chains, its figures, and its claims on made-up runs."""

import json

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex
from scipy import stats

from nbmf.evaluation.replications import interval
from nbmf.families.buffet.buffet_priors import buffet_prior
from nbmf.fits import FitRequest, run_fit
from nbmf.posterior.diagnostics import chain_diagnostics
from nbmf.seeds import seed_sequence
from nbmf_studies.framework.plan import Plan
from nbmf_studies.ohn2022 import chains, claims, draws, estimates, figure_2, simulation, sizes
from nbmf_studies.ohn2022.experiments import MAIN
from nbmf_studies.ohn2022.methods import CIBP, IBP
from nbmf_studies.ohn2022.simulation import SetUp
from nbmf_studies.ohn2022.study import STUDY
from nbmf_studies.pipeline import configuration

CONFIG = shipped_configuration()
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
OPTIONS = CONFIG["studies"]["ohn2022"]["options"]
SIZES = (50, 100, 150, 200, 250, 300)  # section 4.3
LABELS = {CIBP: "CIBP(1, 10, 10)", IBP: "IBP(1, 10)"}
PRIORS = {CIBP: ["cibp", 1, 10, 10], IBP: ["ibp", 1, 0.0, 10]}


# --- The settings of the paper ---------------------------------------------------------------


def test_settings_are_the_papers():
    figure = OPTIONS["figure_2"]
    assert tuple(figure["sizes"]) == SIZES
    assert [figure[name] for name in ("n", "factors", "loaded", "replications")] == [50, 4, 10, 100]
    first = OPTIONS["figure_1"]
    assert (first["omega"], first["kappa"], first["alphas"]) == (5, 4, [5, 1, 0.5])
    settings = {name: CONFIG["methods"][name]["settings"] for name in (CIBP, IBP)}
    for name, prior in PRIORS.items():
        of_prior = [settings[name].get(key) for key in ("prior", "mass", "alpha", "kappa")]
        assert of_prior == [value or None for value in prior]
        assert settings[name]["slab_variance"] == 1
        assert settings[name]["standardize"] is False
        # A slow start takes at most a third of the burn-in, and needs ten sweeps per row.
        assert settings[name]["burn_in"] >= 30 * max(SIZES)
    assert settings[IBP]["mass"] == settings[CIBP]["mass"] * 10 / 10  # ω = γα/κ


# --- The data --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_loadings_are_on_ten_rows_and_of_either_sign(seed):
    B = simulation.loadings(SetUp(50, 50, 4, 10), np.random.default_rng(seed))
    there = B != 0
    assert B.shape == (50, 4)
    assert (there.sum(axis=0) == 10).all()
    assert set(there.sum(axis=1)) == {0, 4}  # all factors have the same rows
    sizes = np.abs(B[there])
    assert 2 < sizes.min() < 2.2
    assert 2.8 < sizes.max() < 3
    assert 8 <= (B > 0).sum() <= 32
    by_column = simulation.loadings(SetUp(50, 50, 4, 10, True), np.random.default_rng(seed)) != 0
    assert (by_column.sum(axis=0) == 10).all()
    assert len(np.unique(by_column, axis=1).T) == 4


@pytest.mark.parametrize("by_column", [False, True])
def test_data_have_the_covariance_of_their_loadings(by_column):
    setup = SetUp(12, 40_000, 3, 4, by_column)
    V = simulation.draw(setup, 5)
    rng = np.random.default_rng(seed_sequence("ohn2022", "data", *map(int, setup), 5))
    B = simulation.loadings(setup, rng)
    expected = B @ B.T + np.eye(12)
    spread = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / setup.n)
    assert (np.abs(V @ V.T / setup.n - expected) < 5 * spread).all()  # false alarm: 1e-4
    assert (np.abs(V.mean(axis=1)) < 5 * np.sqrt(np.diag(expected) / setup.n)).all()


def test_data_depend_on_what_they_are_drawn_from_alone():
    setup = SetUp(12, 6, 3, 4)
    V = simulation.draw(setup, 0)
    np.testing.assert_array_equal(V, simulation.draw(SetUp(*setup), 0))
    assert (simulation.draw(setup, 1) != V).any()
    assert (simulation.draw(setup._replace(by_column=True), 0) != V).any()


# --- Figure 1 --------------------------------------------------------------------------------


def test_draws_are_of_the_priors_of_figure_1():
    laws = draws.priors(5, 4, [5, 1, 0.5])
    assert list(laws) == ["CIBP(4, 5, 4)", "CIBP(20, 1, 4)", "CIBP(40, 0.5, 4)", "IBP(5, 4)"]
    features = [law.expected_features(50) for law in laws.values()]
    assert features == pytest.approx([4.0, 18.18, 28.21, 49.84], abs=0.01)
    dishes = [law.expected_row_sum for law in laws.values()]
    assert dishes == pytest.approx([2, 10 / 3, 40 / 11, 4])
    law = laws["CIBP(20, 1, 4)"]
    np.testing.assert_array_equal(draws.drawn(law, 50, 3), draws.drawn(law, 50, 3))
    assert draws.drawn(law, 50, 3).tolist() != draws.drawn(law, 50, 4).tolist()


def test_draws_have_the_features_and_dishes_that_theory_expects():
    table = draws.tabulate(20, 5, 4, [1, 0.5], 200, log=lambda line: None)
    assert table.groupby("prior").size().to_dict() == dict.fromkeys(table["prior"].unique(), 200)
    summary = draws.summarise(table)
    assert summary["prior"].tolist() == ["CIBP(20, 1, 4)", "CIBP(40, 0.5, 4)", "IBP(5, 4)"]
    for what in ("features", "dishes"):  # false alarm: 4e-4 for all six
        away = summary[f"{what}, mean"] - summary[f"expected {what}"]
        assert (away.abs() < 4 * summary[f"{what}, standard error"]).all()
    own = table[table["kind"] == "ibp"]
    row = summary.iloc[2]
    assert row["features, mean"] == own["features"].mean()
    assert row["dishes, standard error"] == pytest.approx(own["dishes"].sem())
    Xi = draws.drawn(buffet_prior("ibp", 5, 0.0, 4), 20, 7)
    assert own[own["draw"] == 7][["features", "dishes"]].to_numpy().tolist() == [
        [Xi.shape[1], pytest.approx(Xi.sum() / 20)]
    ]


def test_figure_1_shows_the_first_draws():
    figure = draws.draw(**{name: OPTIONS["figure_1"][name] for name in ("p", "omega", "kappa", "alphas")})
    shown = panels(figure)
    for name, law in draws.priors(5, 4, [5, 1, 0.5]).items():
        Xi = draws.drawn(law, 50, 0)
        axis = shown[f"{name}: {Xi.shape[1]} features"]
        np.testing.assert_array_equal(axis.images[0].get_array(), Xi)
        assert axis.images[0].get_extent() == [0.5, Xi.shape[1] + 0.5, 50.5, 0.5]
        assert to_hex(axis.images[0].cmap(1.0)) == "#000000"
    widths = {axis.get_xlim() for axis in shown.values()}
    assert len(widths) == 1  # one scale
    assert_tidy(figure)


def test_figure_1_can_do_with_a_draw_without_features():
    figure = draws.draw(p=2, omega=0.01, kappa=1, alphas=[1])
    assert any(not axis.images for axis in panels(figure).values())
    assert_tidy(figure)


# --- Chains ----------------------------------------------------------------------------------

TINY = [12, 20, 2, 5, False]
BRIEF = {
    "prior": "ibp",
    "mass": 1,
    "kappa": 10,
    "slab_variance": 1,
    "standardize": False,
    "burn_in": 60,
    "n_samples": 40,
}


def run(folder, settings, starts=("slow", "empty"), replications=2):
    """Return the table of chains from every start, and K+ of their sweeps."""
    fits, found = [], []
    for replication in range(replications):
        options = {"setup": TINY, "replication": replication}
        matrix = simulation.build(**options)
        for start in starts:
            request = FitRequest(
                *("IndianBuffetGaussian", 3, settings | {"start": start}, ["complete", start, replication]),
                measure=f"{sizes.__name__}:measure",
                arguments=options,
            )
            report, chain = run_fit(matrix, None, request, log=[].append)
            path = folder / f"{len(fits)}.json"
            path.write_text(json.dumps(report))
            key = {"setting": "main", "method": "mine", "p": 12, "replication": replication, "start": start}
            fits.append((key, path))
            found.append(chain.sizes_)
    return chains.tabulate(fits), found


def test_a_row_is_of_one_chain(tmp_path):
    table, found = run(tmp_path, BRIEF)
    assert table[["replication", "start"]].to_numpy().tolist() == [[0, "slow"], [0, "empty"], [1, "slow"], [1, "empty"]]
    assert (table["seconds"] > 0).all()
    for (_, row), of_chain in zip(table.iterrows(), found, strict=True):
        assert of_chain.size == 40
        expected = [of_chain.mean(), of_chain[:20].mean(), of_chain[20:].mean(), of_chain.min(), of_chain.max()]
        names = ["mean", "first half", "second half", "least", "largest"]
        assert row[names].tolist() == pytest.approx(expected)
    for number in (0, 1):
        r_hat = chain_diagnostics(np.array(found[2 * number : 2 * number + 2])).r_hat  # of the sweeps in their order
        assert table.loc[table["replication"] == number, "r_hat"].tolist() == pytest.approx([r_hat] * 2)
    assert table["mean"].nunique() > 2


def test_a_chain_that_stands_still_has_no_r_hat(tmp_path):
    table, _ = run(tmp_path, BRIEF | {"prior": "cibp", "alpha": 10, "n_samples": 5}, replications=1)
    assert (table["least"] == table["largest"]).any()
    assert table["r_hat"].isna().all()
    assert chains.chain_summary(np.array([]), np.array([7]))["first half"] == 7


# --- Estimates -------------------------------------------------------------------------------

OFFSETS = (-0.01, 0.01, -0.01, 0.01)  # of replications: the half-width of an interval is 0.018
SLOPES = (-0.01, -0.01, 0.01, 0.01)  # of replications, of K+ on log p: the same


def made_up(cibp=None, ibp=None, slope=0.5, last=0.0, sizes=SIZES):
    """Return chains in which every claim holds, but for what is said of single p.

    cibp, ibp : dict from p to the mean of K+
    slope : of the IBP's K+ on log p, in the mean; last : what K+ has more at p = 300
    """
    given, rows = {CIBP: cibp or {}, IBP: ibp or {}}, []
    for method in (CIBP, IBP):
        for p in sizes:
            for number, (offset, own) in enumerate(zip(OFFSETS, SLOPES, strict=True)):
                log_p = np.log(p / 150)
                mean = 4.0 if method == CIBP else 10.0 + (slope + own) * log_p
                mean = given[method].get(p, mean) + offset
                mean += last if (method, p) == (IBP, 300) else 0.0
                for start, step in (("slow", 0.1), ("empty", -0.1)):
                    rows.append(
                        {
                            "setting": MAIN,
                            "method": method,
                            "p": p,
                            "replication": number,
                            "start": start,
                            "mean": mean + step,
                            "first half": mean + step,
                            "second half": mean + step,
                            "least": 3,
                            "largest": 20,
                            "r_hat": 1.01,
                            "seconds": 0.5,
                        }
                    )
    return pd.DataFrame(rows)


def drawn_features(of_ibp=49.0, of_cibp=28.0):
    """Return draws of an IBP and two CIBPs, whose means have standard errors of 0.5."""
    rows = []
    for name, kind, mean in (
        ("CIBP(4, 5, 4)", "cibp", 4.0),
        ("CIBP(40, 0.5, 4)", "cibp", of_cibp),
        ("IBP(5, 4)", "ibp", of_ibp),
    ):
        for number, away in enumerate((-5, 5) * 50):
            rows.append({"prior": name, "kind": kind, "draw": number, "features": mean + away})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("column", "fine", "doubtful", "why", "count"),
    [
        ("second half", 0.49, 0.51, "halves differ", 1),
        ("second half", -0.49, -0.51, "halves differ", 1),
        ("mean", 0.29, 0.31, "chains differ", 2),  # the other one is 0.2 below
        ("r_hat", 0.039, 0.041, "R-hat above 1.05", 1),
    ],
)
def test_a_chain_in_doubt_is_listed_with_the_reason(column, fine, doubtful, why, count):
    chains = made_up()
    place = chains.index[(chains["method"] == IBP) & (chains["start"] == "slow")][3]
    for step, expected in ((fine, 0), (doubtful, count)):
        changed = chains.copy()
        changed.loc[place, column] += step
        table = estimates.doubtful_chains(changed)
        assert table["why"].tolist() == [why] * expected
    assert set(table["replication"]) == {3}
    changed.loc[place, ["second half", "r_hat"]] += 9
    reasons = estimates.doubtful_chains(changed)["why"].iloc[0].split(", ")
    assert reasons[0] == "halves differ"
    assert reasons[-1] == "R-hat above 1.05"


def test_chains_at_rest_are_compared_without_r_hat():
    chains = made_up()
    of_cibp = chains["method"] == CIBP
    chains.loc[of_cibp, "r_hat"] = np.nan
    chains.loc[of_cibp, ["least", "largest"]] = 4
    assert estimates.doubtful_chains(chains).empty
    slow = of_cibp & (chains["start"] == "slow") & (chains["p"] == 50)
    chains.loc[slow, ["mean", "first half", "second half"]] += 1  # 5 beside 4
    assert len(estimates.doubtful_chains(chains)) == 2 * len(OFFSETS)


def test_estimates_are_means_over_replications_with_intervals():
    chains = made_up(ibp={50: 9.0})
    chains.loc[chains["p"] == 300, ["least", "largest"]] = 4
    table = estimates.summarise(chains, {MAIN: "Figure 2"}, LABELS, PRIORS)
    assert table[["prior", "p"]].to_numpy().tolist() == [[LABELS[method], p] for method in (CIBP, IBP) for p in SIZES]
    row = table[(table["prior"] == LABELS[IBP]) & (table["p"] == 50)].iloc[0]
    values = 9.0 + np.array(OFFSETS)  # the two chains of each lie 0.1 to either side
    assert row[["mean", "standard error"]].tolist() == pytest.approx([9.0, stats.sem(values)])
    exact = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(exact))
    assert row[["prototype", "its standard error"]].tolist() == [10.71, 0.19]
    assert row["expected by the prior"] == pytest.approx(17.5, abs=0.05)
    counts = ["replications", "chains", "at rest", "in doubt", "seconds"]
    assert row[counts].tolist() == [4, 8, 0, 0, 0.5]
    assert (table.loc[table["p"] == 300, "at rest"] == 8).all()
    last = table.iloc[-1]
    assert last["expected by the prior"] == pytest.approx(33.9, abs=0.05)
    other = chains.assign(setting="tau_larger")
    table = estimates.summarise(other, {"tau_larger": "τ = 6.25"}, LABELS, PRIORS)
    assert set(table["setting"]) == {"τ = 6.25"}
    assert table.loc[table["p"] == 300, "prototype"].tolist() == [4.0, 7.05]
    assert table.loc[table["p"] == 100, "prototype"].isna().all()


def test_prototypes_are_of_what_is_run():
    settings = {MAIN, *OPTIONS["other_settings"]["settings"]}
    assert {setting for setting, _ in estimates.PROTOTYPE} == settings
    assert {method for _, method in estimates.PROTOTYPE} == {CIBP, IBP}
    for (setting, _), of_sizes in estimates.PROTOTYPE.items():
        assert list(of_sizes) == OPTIONS["figure_2" if setting == MAIN else "other_settings"]["sizes"]


# --- Claims ----------------------------------------------------------------------------------


def verdicts(chains=None, drawn=None, factors=4):
    chains = made_up() if chains is None else chains
    drawn = drawn_features() if drawn is None else drawn
    return claims.claims(chains, drawn, factors)["verdict"].tolist()


def test_every_claim_holds_where_everything_is_as_the_paper_says():
    assert verdicts() == ["reproduced"] * 5
    table = claims.claims_parts(made_up(), drawn_features(), 4)
    assert table["holds"].all()
    assert table["number"].value_counts(sort=False).to_dict() == {1: 6, 2: 6, 3: 1, 4: 1, 5: 2}
    evidence = table.set_index("where")["evidence"]
    assert evidence["p = 50"].iloc[0] == "4.000 (3.982 to 4.018); 0 of 8 chains in doubt"
    assert evidence["p = 300 minus p = 150"].startswith("0.347 (")  # 0.5 log 2
    assert evidence["against CIBP(40, 0.5, 4)"].startswith("more features: 21.000 (")


@pytest.mark.parametrize(
    ("number", "just", "broken"),
    [
        (1, {"cibp": {250: 4.18}}, {"cibp": {250: 4.19}}),  # 4.2 is in the interval of 4.19
        (1, {"cibp": {50: 3.82}}, {"cibp": {50: 3.81}}),
        (2, {"ibp": {100: 4.52}}, {"ibp": {100: 4.51}}),
        (3, {"slope": 0.019}, {"slope": 0.018}),
        (4, {"slope": 0.0, "last": 0.014}, {"slope": 0.0, "last": 0.012}),
        (4, {"slope": -0.5, "last": 0.36}, {"slope": 0.5, "last": -0.34}),  # ∓ 0.347
    ],
)
def test_each_rule_has_its_threshold(number, just, broken):
    assert verdicts(made_up(**just))[number - 1] == "reproduced"
    assert verdicts(made_up(**broken))[number - 1] != "reproduced"


def test_more_features_have_to_be_more_than_by_chance():
    error = np.sqrt(2 * 25 / 99)  # of a difference; Student's factor is 1.972
    assert verdicts(drawn=drawn_features(28 + 1.98 * error))[4] == "reproduced"
    assert verdicts(drawn=drawn_features(28 + 1.96 * error))[4] == "partly"
    assert verdicts(drawn=drawn_features(3.0, 1.0))[4] == "partly"
    assert verdicts(drawn=drawn_features(3.0, 28.0))[4] == "not reproduced"


def test_the_truth_is_that_of_the_data():
    assert verdicts(factors=5)[:2] == ["not reproduced", "reproduced"]
    assert verdicts(factors=10)[1] == "not reproduced"


def test_the_slope_is_a_least_squares_one():
    means = pd.DataFrame(np.random.default_rng(3).normal(9, 1, (4, 6)), columns=list(SIZES))
    exact = [np.polyfit(np.log(SIZES), row, 1)[0] for row in means.to_numpy()]
    assert claims.slopes(means) == pytest.approx(exact)


def test_what_was_not_run_is_not_measured():
    few = made_up(sizes=(50, 100))
    assert verdicts(few) == ["reproduced"] * 3 + ["not measured", "reproduced"]
    assert verdicts(made_up(sizes=(50,)))[2:4] == ["not measured"] * 2
    single = made_up()
    single, one = single[single["replication"] == 0], drawn_features().iloc[[0, 100, 200]]
    assert verdicts(single, one) == ["not measured"] * 5
    alone = made_up()
    assert verdicts(alone[alone["method"] == CIBP])[1:4] == ["not measured"] * 3


def test_chains_in_doubt_are_counted_next_to_the_numbers():
    chains = made_up()
    of = (chains["method"] == IBP) & (chains["p"] == 200) & (chains["replication"] == 2)
    chains.loc[of, "r_hat"] = 1.2
    table = claims.claims_parts(chains, drawn_features(), 4)
    (text,) = table.loc[(table["number"] == 2) & (table["where"] == "p = 200"), "evidence"]
    assert text.endswith("; 2 of 8 chains in doubt")


# --- Figure 2 --------------------------------------------------------------------------------


def test_figure_2_has_a_box_and_a_mean_per_prior_and_p():
    colours = {CIBP: "#0072B2", IBP: "#E69F00"}
    figure = figure_2.draw(made_up(ibp={150: 10.4}), LABELS, colours, 4)
    (axis,) = figure.axes
    assert legend_texts(figure) == [*LABELS.values(), "true number", "mean and its 95% interval"]
    assert [label.get_text() for label in axis.get_xticklabels()] == [str(p) for p in SIZES]
    assert len(axis.patches) == len(axis.containers) == 12
    assert axis.lines[0].get_ydata() == [4, 4]
    means = {bar[0].get_xdata()[0]: bar[0].get_ydata()[0] for bar in axis.containers}
    values = [means[x] for x in sorted(means)]
    assert values[:2] == pytest.approx([4.0, 10 + 0.5 * np.log(1 / 3)])
    assert values[5] == pytest.approx(10.4)
    half = interval(np.array(OFFSETS)).high
    (segment,) = axis.containers[2][2][0].get_segments()
    assert np.ptp(segment[:, 1]) == pytest.approx(2 * half)
    assert {to_hex(patch.get_facecolor()) for patch in axis.patches} == {"#0072b2", "#e69f00"}
    assert_tidy(figure)


def test_figure_2_can_do_with_one_replication_and_one_prior():
    chains = made_up(sizes=(50, 300))
    chains = chains[(chains["method"] == IBP) & (chains["replication"] == 1)]
    figure = figure_2.draw(chains, LABELS, {CIBP: "#0072B2", IBP: "#E69F00"}, 4)
    assert len(figure.axes[0].containers) == 2
    assert_tidy(figure)


# --- The jobs --------------------------------------------------------------------------------


def plan_of(config):
    return Plan("ohn2022", configuration.check(json.loads(json.dumps(config)), SCHEMA))


def cases(config):
    return {case.key: case for case in STUDY.cases_of(plan_of(config))}


def test_a_chain_depends_on_its_own_prior_and_setting_alone():
    config = shipped_configuration()
    before = cases(config)
    assert len(before) == 2 * 6 * 100 * 2 + 3 * 2 * 2 * 10 * 2 + 3 * 2 * 6 * 100
    options = config["studies"]["ohn2022"]["options"]
    config["methods"][IBP]["settings"]["n_samples"] = 77
    options["other_settings"]["settings"]["tau_larger"]["settings"]["slab_variance"] = 9
    changed = {key for key, case in cases(config).items() if case != before[key]}
    assert changed == {
        key for key, case in before.items() if case.columns["method"] == IBP or case.columns["setting"] == "tau_larger"
    }
    of = {(c.columns["setting"], c.columns["method"], c.columns["p"]): c for c in before.values()}
    assert of["rows_by_factor", CIBP, 300].dataset["options"]["setup"] == [300, 50, 4, 10, True]
    learned = of["tau_learned", IBP, 50].method["settings"]
    assert (learned["slab_variance"], learned["prior"], learned["start"]) == ("learn", "ibp", "empty")


def test_priors_and_starts_have_the_same_data_and_starts_other_random_numbers():
    every = [case for case in cases(CONFIG).values() if case.columns["setting"] == MAIN]
    data = {}
    for case in every:
        data.setdefault((case.columns["p"], case.columns["replication"]), set()).add(case.key.dataset)
    assert {len(names) for names in data.values()} == {1}
    assert len(data) == 600
    assert {case.columns["start"]: case.key.seed for case in every} == {"slow": 0, "empty": 1}


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("figure_2", "methods", 0), "ohn2022-cip", r"methods\[0\] = 'ohn2022-cip': must be"),
        (("figure_2", "starts", 0), "quick", r"methods\[0\] = 'ohn2022-cibp'.*start = 'quick'"),
        (("figure_2", "sizes", 0), 9, r"sizes\[0\] = 9: must be at least loaded = 10"),
        (("other_settings", "sizes", 1), 4, r"sizes\[1\] = 4: must be at least"),
        (
            ("other_settings", "settings", "tau_larger", "settings", "slab_variance"),
            -1,
            r"settings\.tau_larger: slab_variance = -1",
        ),
        (("other_settings", "settings", "tau_larger", "settings", "slab"), 1, r"settings\.tau_larger: .*slab"),
    ],
)
def test_what_cannot_be_run_is_said_before_the_first_job(place, value, message):
    config = shipped_configuration()
    *path, last = place
    inner = config["studies"]["ohn2022"]["options"]
    for key in path:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(Exception, match=message):
        plan_of(config)


def test_a_prior_whose_mass_is_learned_has_no_expectation_and_is_refused():
    config = shipped_configuration()
    config["methods"][CIBP]["settings"]["mass"] = "learn"
    with pytest.raises(Exception, match=r"'ohn2022-cibp'.*mass = 'learn'"):
        plan_of(config)


def test_declarations_are_those_of_two_figures():
    plan = plan_of(CONFIG)
    assert [one.name for one in STUDY.figures_of(plan) if not one.on_request] == ["figure_1", "figure_2"]
    shown = {t.name for t in STUDY.tables_of(plan) if t.in_report and not t.on_request}
    assert shown == {"draws_summary", "estimates", "in_doubt", "other_settings", "claims", "claims_parts"}
