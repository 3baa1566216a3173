"""The study of other packages: how they are asked for probabilities, and the table against each of them by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from studies_of_today import CONFIG, PLANS

from nbmf.baseline_names import BASELINES
from nbmf.evaluation.replications import holm, interval
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.registry import make_estimator, memory_budget
from nbmf.sources import source_files
from nbmf_studies.framework.needs import TableOf
from nbmf_studies.pipeline import fit_jobs
from nbmf_studies.rivals import comparison, item_response
from nbmf_studies.rivals.factorization_machine import _indicators
from nbmf_studies.rivals.study import OURS
from nbmf_studies.trials import figure
from nbmf_studies.trials.competitors import shrunken_column_means

PLAN = PLANS["rivals"]
PACKAGES = {"myfm": (1, 0.85), "mirt": (1, 0.85), "stepmix": (2, 0.95)}  # K, and the loss over that of proportions


def rival(name, K, seed=1):
    entry = CONFIG["methods"][name]
    pytest.importorskip(entry["package"])
    return make_estimator(entry["class"], K, entry["settings"], seed)


def rows_on_an_axis(F=80, N=30, seed=3):
    """Return codes of a two-parameter logistic model, one column of which is constant, and a mask of a quarter."""
    rng = np.random.default_rng(seed)
    logits = np.outer(rng.normal(size=F), rng.normal(0.0, 2.0, size=N)) + rng.normal(size=N)
    codes = (rng.random((F, N)) < expit(logits)).astype(np.int8)
    codes[:, 4] = 1
    return codes, rng.random((F, N)) < 0.25


@pytest.mark.parametrize(("name", "K", "most"), [(name, *bounds) for name, bounds in PACKAGES.items()])
def test_a_rival_predicts_what_is_hidden_from_it_and_again_the_same(name, K, most):
    codes, mask = rows_on_an_axis()
    mask[3], mask[:, 5] = True, True  # whole lines are hidden
    training = BERNOULLI.hide(codes, mask)
    fitted = rival(name, K).fit(training)
    P = fitted.expectation_
    loss_at = BERNOULLI.loss_at(codes, mask)
    shares = np.broadcast_to(shrunken_column_means(training), codes.shape)
    assert loss_at(P[mask]).perplexity < most * loss_at(shares[mask]).perplexity
    np.testing.assert_array_equal(rival(name, K).fit(training).expectation_, P)
    assert (fitted.W_.shape, fitted.H_.shape) == ((80, K), (K, 30))


def test_columns_that_fall_along_the_axis_are_reversed():
    axis = np.linspace(-1.0, 1.0, 40)
    codes = np.where(np.outer(axis, [1, -1, 1, -1, 1]) > 0, 1, 0).astype(np.int8)
    codes[::7, 1] = -1
    falls = item_response.falling_columns(codes)
    assert {tuple(falls), tuple(~falls)} == {(False, True) * 2 + (False,), (True, False) * 2 + (True,)}


def test_entries_are_indicators_of_their_row_and_their_column():
    X = _indicators(np.array([1, 0, 1]), np.array([2, 0, 0]), 2, 3).toarray()
    np.testing.assert_array_equal(X, [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 1, 0, 0]])


def test_the_posterior_of_a_position_is_prior_times_likelihood_of_what_is_observed():
    grid, rng = item_response.GRID, np.random.default_rng(0)
    curves = expit(np.outer(grid, rng.normal(size=4)))
    codes = np.array([[1, 0, -1, 1], [-1, -1, -1, -1]], np.int8)
    expected = np.exp(-(grid**2) / 2) * curves[:, 0] * (1 - curves[:, 1]) * curves[:, 3]
    found = item_response.position_posterior(codes, curves)
    np.testing.assert_allclose(found[0], expected / expected.sum(), rtol=1e-12)
    np.testing.assert_allclose(found[1], np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum(), rtol=1e-12)


# --- The table -------------------------------------------------------------------------------

LABELS = {"mine": "mine", "other": "other", "bica": "bICA"}


def scores_of(losses):
    """Return scores from {(dataset, method): losses of masks}."""
    rows = [
        {"dataset": dataset, "method": method, "K": 2, "mask": mask, "seed": 0, "perplexity": loss}
        | {"seconds": 1.0, "status": "ok"}
        for (dataset, method), values in losses.items()
        for mask, loss in enumerate(values)
    ]
    return pd.DataFrame(rows)


def baselines_of(datasets, loss=1.0):
    name = next(iter(BASELINES))
    rows = [
        {"dataset": dataset, "baseline": name, "label": name, "mask": mask, "perplexity": loss + 0.01 * mask}
        | {"n_test": 20, "n_train": 80}
        for dataset in datasets
        for mask in range(3)
    ]
    return pd.DataFrame(rows)


def test_the_table_has_each_ratio_interval_and_adjusted_test():
    rng = np.random.default_rng(5)
    datasets = ["a", "b", "c", "d"]
    losses = {}
    for dataset in datasets:
        base = rng.uniform(0.3, 0.6)
        losses[dataset, "mine"] = base + 0.01 * rng.normal(size=3)
        losses[dataset, "other"] = 1.1 * losses[dataset, "mine"] + 0.0002 * rng.normal(size=3)
        losses[dataset, "bica"] = 0.99 * losses[dataset, "mine"] + 0.02 * rng.normal(size=3)
    found = comparison.compare(scores_of(losses), baselines_of(datasets), LABELS, ["mine", "bica"], ["mine"])
    assert list(found["rival"]) == ["other", next(iter(BASELINES)), "bica"]
    row = found.iloc[0]
    means = {key: np.mean(values) for key, values in losses.items()}
    logs = [np.log(means[dataset, "mine"] / means[dataset, "other"]) for dataset in datasets]
    over = interval(logs)
    assert row["lower_by"] == pytest.approx(1 - np.exp(np.mean(logs)))
    assert (row["low"], row["high"]) == pytest.approx((1 - np.exp(over.high), 1 - np.exp(over.low)))
    assert row["low"] < row["lower_by"] < row["high"]
    assert row["matrices"] == row["smaller_loss"] == row["significantly_better"] == 4
    assert row["significantly_worse"] == 0
    assert list(found["p_holm"][:2]) == pytest.approx(list(holm(found["p"][:2])))
    assert found.iloc[2]["p_holm"] == pytest.approx(found.iloc[2]["p"])  # the library's methods are judged apart


def test_a_difference_that_masks_do_not_agree_on_is_not_counted():
    losses = {("a", "mine"): [0.5, 0.4, 0.6], ("a", "other"): [0.4, 0.6, 0.65]}
    (row, _) = comparison.compare(scores_of(losses), baselines_of("a"), LABELS, ["mine"], ["mine"]).to_dict("records")
    assert (row["smaller_loss"], row["significantly_better"], row["significantly_worse"]) == (1, 0, 0)


def test_a_method_is_significantly_worse_where_its_loss_is_larger_on_every_mask_alike():
    losses = {("a", "mine"): [0.50, 0.40, 0.60], ("a", "other"): [0.45, 0.3501, 0.55]}
    found = comparison.compare(scores_of(losses), baselines_of("a"), LABELS, ["mine"], ["mine"]).set_index("rival")
    row = found.loc["other"]
    assert (row["smaller_loss"], row["significantly_better"], row["significantly_worse"]) == (0, 0, 1)
    assert row["lower_by"] < 0


def test_what_is_under_test_is_compared_on_the_third_list_on_five_masks():
    assert set(OURS) < set(PLAN.methods)
    assert {key.mask for key in PLAN.fits} == set(range(5))
    assert len(PLAN.datasets) == 14


# --- What a fit of the default depends on ------------------------------------------------------------


def test_a_fit_of_the_default_depends_on_the_kernels_of_its_candidates():
    method = CONFIG["methods"]["nbmf-fit"]
    files = source_files(*fit_jobs.modules(method, CONFIG["datasets"]["dune"]))
    for family in ("beta_dirichlet", "logistic", "poisson_gamma"):
        assert any(f"families/{family}/kernels" in file for file in files)
    assert memory_budget(method["class"], {}) == memory_budget("BetaDirVB", {}) > 0
    assert memory_budget("Stacking", {}) == memory_budget("BetaDirVB", {})


def test_names_of_tables_stay_texts(tmp_path):
    (tmp_path / "t.csv").write_text("dataset,method,loss\n2019,bica,0.5\nNA,bica,\n")
    found = TableOf("t").load([tmp_path / "t.csv"])
    assert found["dataset"].tolist() == ["2019", "NA"]
    assert np.isnan(found["loss"][1])
    (tmp_path / "t.csv").write_text("K,loss\n2,0.5\n")
    assert TableOf("t").load([tmp_path / "t.csv"])["K"].tolist() == [2]


def test_a_figure_of_a_run_that_has_hardly_begun_is_empty():
    scores = scores_of({("a", "other"): [0.5, 0.6, 0.4]})
    shown = {"labels": LABELS, "library": ["mine"], "default": "mine", "title": "third"}
    for rows in (scores, scores.assign(perplexity=np.nan)):
        drawn = figure.draw(rows, **shown, colours=dict.fromkeys(LABELS, "#000000"), baselines=baselines_of("a"))
        assert len(drawn.axes) == 1
