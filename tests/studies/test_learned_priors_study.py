"""The study of learned priors: its tables by hand, its grid against single fits, its figures."""

import json

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, shipped_configuration
from scipy.stats import beta, binom, kstest

import nbmf
from nbmf.data.masks import draw_mask
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.fits import FitRequest, run_fit
from nbmf_studies.framework.plan import Plan
from nbmf_studies.learned_priors import findings, ratios, recovery, recovery_data, recovery_figure, structureless
from nbmf_studies.learned_priors.grid import BetaDirVBOnGrid
from nbmf_studies.learned_priors.study import STUDY
from nbmf_studies.pipeline import configuration

SCORES = pd.DataFrame(
    [
        ("d", method, K, mask, seed, value)
        for method, K, values in (
            ("a", 5, [[1.0, 3.0], [2.0, 2.0], [4.0, 4.0]]),  # of each mask, two seeds
            ("b", 2, [[4.0, 4.0], [2.0, 2.0], [2.0, 2.0]]),
            ("b", 3, [[9.0, 9.0], [9.0, 9.0], [1.0, 1.0]]),
        )
        for mask, seeds in enumerate(values)
        for seed, value in enumerate(seeds)
    ],
    columns=["dataset", "method", "K", "mask", "seed", "perplexity"],
)


def test_ratios_are_of_masks_at_the_best_K():
    table = ratios.tabulate(SCORES, [["a", "b"], ["a", "nobody"]])
    assert len(table) == 1  # a method that was not run is passed over
    row = table.iloc[0]
    assert (row["masks"], row["perplexity"], row["other_perplexity"]) == (3, 2.0, 2.0)
    assert (row["low"], row["ratio"], row["high"]) == (0.5, 1.0, 2.0)
    assert row["coverage"] == 0.75
    assert not row["at_most_1.01"]  # it may be twice as large
    (row,) = ratios.tabulate(SCORES, [["a", "a"]]).itertuples()
    assert row[-1]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 10, 30])
def test_the_interval_of_the_median_is_the_narrowest_that_covers_enough(n):
    rank, coverage = ratios.interval_of_median(n)
    assert coverage == pytest.approx(1 - 2 * binom.cdf(rank - 1, n, 0.5))
    assert rank == 1 or coverage >= ratios.LEVEL
    narrower = 1 - 2 * binom.cdf(rank, n, 0.5)
    assert rank + 1 > n // 2 or narrower < ratios.LEVEL
    assert {6: 1, 10: 2, 30: 10}.get(n, rank) == rank


def test_findings_are_read_from_reports_and_the_right_side_counted(tmp_path):
    fits = []
    for mask, (side, strength) in enumerate((("rows", 1.0), ("columns", 3.0), ("columns", 5.0))):
        path = tmp_path / f"{mask}.json"
        found = {"orientation": side, "strength": strength}
        path.write_text(json.dumps({"findings": found, "seconds": 1.0}))
        fits.append(({"dataset": "d", "method": "auto", "K": 5, "mask": mask, "seed": 0}, path))
    nothing = tmp_path / "nothing.json"
    nothing.write_text(json.dumps({"findings": {}, "seconds": 1.0}))
    fits.append(({"dataset": "d", "method": "fixed", "K": 5, "mask": 0, "seed": 0}, nothing))
    table = findings.tabulate(fits)
    assert list(table["strength"]) == [1.0, 3.0, 5.0]
    rows = [1.0, 1.0, 2.0]
    columns = [2.0, 0.5, 3.0]  # so that the second choice is right, and the first, but not the last
    scores = pd.DataFrame(
        [
            ("d", name, 5, mask, 0, value)
            for name, values in (("r", rows), ("c", columns))
            for mask, value in enumerate(values)
        ],
        columns=SCORES.columns,
    )
    summary = findings.summarise(table, scores, {"auto": ["r", "c"]})
    assert len(summary) == 1
    row = summary.iloc[0]
    assert (row["fits"], row["columns"], row["right"], row["strength"]) == (3, 2, 2, 3.0)


def test_the_grid_ends_with_the_fit_of_what_it_has_chosen():
    rng = np.random.default_rng(3)
    V = beta_dir.simulate(60, 40, 3, 0.1, 0.1, 0.3, rng)[2]
    on_grid = BetaDirVBOnGrid(4, values=(0.1, 3.0), max_iter=40, random_state=1).fit(V)
    found = on_grid.findings
    assert found["alpha"] == found["beta"] == 0.1  # not 3, which blurs sharp dictionaries
    one = nbmf.BetaDirVB(4, max_iter=40, random_state=1, **found).fit(V)
    np.testing.assert_array_equal(on_grid.expectation_, one.expectation_)
    assert on_grid.orientation_ == one.orientation_
    assert (on_grid.alpha_, on_grid.beta_, on_grid.gamma_) == (one.alpha_, one.beta_, one.gamma_)


def test_structureless_matrices_are_scored_against_shares_of_the_side():
    codes = np.array([[1, 1, -1], [0, 1, 0]], np.int8)
    np.testing.assert_allclose(structureless.shrunken_means(codes, 0)[0], [1 / 2, 3 / 4, 1 / 3])
    np.testing.assert_allclose(structureless.shrunken_means(codes, 1)[:, 0], [3 / 4, 2 / 5])


@pytest.mark.parametrize("kind", structureless.KINDS)
def test_structureless_fits_are_measured_against_shares_and_the_truth(kind):
    options = {"rows": 30, "columns": 12, "kind": kind}
    matrix = structureless.build(**options)
    mask = draw_mask(matrix, 0.25, np.random.SeedSequence(1))
    request = FitRequest(
        *("BetaDirVB", 4, {"alpha": "learn", "beta": "learn", "max_iter": 20}, ["fit"]),
        measure=f"{structureless.__name__}:measure",
        arguments=options,
    )
    report = run_fit(matrix, mask, request, log=[].append).report
    measures = report["measures"]
    assert measures["excess"] == report["perplexity"] / measures["of_shares"] - 1
    assert measures["orientation"] == "rows"
    assert 0 <= measures["outside"] < 1
    truth = structureless._truth(**options)
    assert [np.unique(truth, axis=axis).shape[axis] for axis in (0, 1)] == {
        "equal": [1, 1],
        "by row": [30, 1],
        "by column": [1, 12],
    }[kind]
    assert measures["truth"] == pytest.approx(-np.log(np.where(matrix.codes == 1, truth, 1 - truth))[mask].mean())


def test_weight_outside_is_that_of_other_components():
    fitted = nbmf.BetaDirVB(4, max_iter=1).fit(np.eye(3))
    fitted.W_ = np.array([[0.4, 0.3, 0.1, 0.2], [0.3, 0.1, 0.4, 0.2]])
    fitted.H_ = np.array([[0.5, 0.41], [0.5, 0.5], [0.5, 0.59], [0.5, 0.7]])  # three are alike to the second
    assert structureless.weight_outside(fitted) == pytest.approx(0.2)


def test_proportions_of_structureless_rows_are_from_a_beta_distribution():
    drawn = structureless._truth(3000, 2, "by row")[:, 0]
    assert kstest(drawn, beta(2, 3).cdf).pvalue > 0.01


def cases_of(**options):
    """Return the cases of the study with some options replaced."""
    config = shipped_configuration()
    for name, changes in options.items():
        config["studies"]["learned_priors"]["options"][name] |= changes
    config = configuration.check(config, ROOT / "workflow/schemas/config.schema.yaml")
    return STUDY.cases_of(configuration.plans(config)["learned_priors"])


def test_recovery_learns_one_hyperparameter_at_a_time(tmp_path):
    brief = {"beta-dir-vb": {"max_iter": 30}, "bica": {"max_iter": 30}}
    fits = []
    for case in cases_of(recovery={"size": 40, "K": 2, "values": [0.1, 3.0], "repetitions": 1, "methods": brief}):
        if "kind" in case.columns:
            matrix, method = recovery_data.build(**case.dataset["options"]), case.method
            request = FitRequest(method["class"], case.key.K, method["settings"], ["fit", *map(str, case.key)])
            path = tmp_path / f"{len(fits)}.json"
            path.write_text(json.dumps(run_fit(matrix, None, request, log=[].append).report))
            fits.append((case.columns, path))
            assert list(method["settings"].values()).count("learn") == len(recovery_data.LEARNED[case.columns["kind"]])
    table = recovery.tabulate(fits)
    rows = table.groupby(["hyperparameter", "method"]).size()
    assert rows.to_dict() == {  # mean-field VB does not learn gamma
        ("alpha", "bica"): 2,
        ("alpha", "beta-dir-vb"): 2,
        ("beta", "bica"): 2,
        ("beta", "beta-dir-vb"): 2,
        ("gamma", "bica"): 2,
    }
    labels, colours = {"beta-dir-vb": "VB", "bica": "bICA"}, {"beta-dir-vb": "#000000", "bica": "#D55E00"}
    figure = recovery_figure.draw(table, labels, colours)
    assert [axis.get_title() for axis in figure.axes] == ["α", "β", "γ"]
    for axis in figure.axes[:2]:
        assert len(axis.collections) == 2


def test_a_dataset_may_have_fewer_masks_and_seeds_and_point_estimates_have_one_start():
    config = shipped_configuration()
    config["studies"]["learned_priors"] |= {
        "datasets": ["animals", "lastfm"],
        "methods": ["beta-dir-vb", "logpca"],
        "masks": 4,
        "seeds": [0, 7],
        "overrides": {"lastfm": {"masks": 2, "seeds": [7]}},
    }
    checked = configuration.check(config, ROOT / "workflow/schemas/config.schema.yaml")
    fits = Plan("learned_priors", checked).masked_fits
    counts = pd.DataFrame(fits).groupby(["dataset", "method", "K"]).size()
    assert counts["animals", "beta-dir-vb", 100] == 8
    assert counts["animals", "logpca", 2] == 4
    assert counts["lastfm", "beta-dir-vb", 100] == 2
    assert {key.seed for key in fits if key.dataset == "lastfm"} == {7}
