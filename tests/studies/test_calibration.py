"""Tables of calibration by hand: which K represents a method, how bins are pooled, the errors."""

import numpy as np
import pandas as pd
import pytest
from studies_of_today import CONFIG, PLANS

from nbmf.best_K import best_K, mean_by_mask
from nbmf.evaluation.calibration import pool, tabulate
from nbmf_studies.framework import common

LABELS = {"b": "B", "a": "A"}
KEY = ["dataset", "method", "K", "mask", "seed"]


def scores(rows):
    """Return scores of (dataset, method, K, mask, seed, perplexity, brier)."""
    return pd.DataFrame(rows, columns=[*KEY, "perplexity", "brier"])


def bins(rows):
    """Return bins of (dataset, method, K, mask, seed, bin, entries, mean_p, share_of_ones)."""
    return pd.DataFrame(rows, columns=[*KEY, "bin", "entries", "mean_p", "share_of_ones"])


# a is better with K = 3; b's K = 3 lacks a mask; c has no label, and the real numbers have no bins.
SCORES = scores(
    [
        ("votes", "a", 2, 0, 0, 0.5, 0.20),
        ("votes", "a", 2, 1, 0, 0.5, 0.20),
        ("votes", "a", 3, 0, 0, 0.3, 0.10),
        ("votes", "a", 3, 1, 0, 0.5, 0.16),
        ("votes", "b", 2, 0, 0, 0.6, 0.30),
        ("votes", "b", 2, 1, 0, 0.8, 0.34),
        ("votes", "b", 3, 0, 0, 0.1, 0.01),
        ("votes", "b", 3, 1, 0, np.nan, np.nan),
        ("votes", "c", 2, 0, 0, 0.1, 0.01),
        ("votes", "c", 2, 1, 0, 0.1, 0.01),
        ("reals", "a", 2, 0, 0, 1.4, np.nan),
        ("paleo", "b", 2, 0, 0, 0.2, 0.07),
        ("paleo", "b", 2, 0, 1, 0.4, 0.09),
    ]
)
BINS = bins(
    [
        ("votes", "a", 2, 0, 0, 7, 50, 0.37, 0.5),
        ("votes", "a", 3, 0, 0, 4, 30, 0.20, 0.10),
        ("votes", "a", 3, 0, 0, 19, 10, 0.98, 1.0),
        ("votes", "a", 3, 1, 0, 0, 40, 0.01, 0.05),
        ("votes", "a", 3, 1, 0, 4, 10, 0.24, 0.50),
        ("votes", "b", 2, 0, 0, 10, 8, 0.5, 0.5),
        ("votes", "b", 2, 1, 0, 10, 8, 0.54, 0.25),
        ("votes", "b", 3, 0, 0, 3, 8, 0.17, 0.5),
        ("votes", "c", 2, 0, 0, 3, 8, 0.17, 0.5),
        ("paleo", "b", 2, 0, 0, 1, 2, 0.06, 0.0),
        ("paleo", "b", 2, 0, 1, 1, 6, 0.08, 0.5),
    ]
)


def test_the_best_K_has_the_smallest_mean_of_those_with_every_mask():
    of = {method: SCORES[(SCORES["method"] == method)] for method in ("a", "b")}
    assert best_K(of["a"][of["a"]["dataset"] == "votes"]) == 3
    assert best_K(of["b"][of["b"]["dataset"] == "votes"]) == 2
    failed = of["b"][of["b"]["K"] == 3]
    assert best_K(failed) is None
    assert mean_by_mask(failed, "perplexity").tolist() == pytest.approx([0.1, np.nan], nan_ok=True)


def test_a_K_that_was_not_fitted_to_every_mask_is_left_out():
    """As after an interrupted run: K = 4 has an easy mask alone, on which K = 2 is better."""
    rows = [(2, 0, 0.5), (2, 1, 0.6), (2, 2, 0.7), (4, 0, 0.55)]
    fits = pd.DataFrame(rows, columns=["K", "mask", "perplexity"])
    assert best_K(fits) == 2
    assert best_K(fits[fits["mask"] == 0]) == 2
    assert best_K(fits[(fits["K"] == 4) | (fits["mask"] == 1)]) is None


def test_seeds_of_a_mask_count_as_their_mean():
    """K = 2 has the mean 0.5, K = 3 that of 0.35 and 0.7, and of K = 4 one seed has failed."""
    rows = [(2, 0, 0, 0.5), (2, 1, 0, 0.5), (3, 0, 0, 0.3), (3, 0, 1, 0.4), (3, 1, 0, 0.7)]
    rows += [(4, 0, 0, 0.1), (4, 0, 1, np.nan), (4, 1, 0, 0.1)]
    fits = pd.DataFrame(rows, columns=["K", "mask", "seed", "perplexity"])
    assert mean_by_mask(fits[fits["K"] == 3], "perplexity").tolist() == pytest.approx([0.35, 0.7])
    assert best_K(fits) == 2  # K = 3 has the smaller mean over fits


def test_bins_are_pooled_over_masks_and_seeds_at_the_best_K():
    table = pool(BINS, SCORES, LABELS)
    columns = ["dataset", "method", "K", "bin", "entries", "mean_p", "share_of_ones"]
    assert list(table.columns) == columns
    expected = [
        ("votes", "a", 3, 0, 40, 0.01, 0.05),
        ("votes", "a", 3, 4, 40, (30 * 0.20 + 10 * 0.24) / 40, (3 + 5) / 40),
        ("votes", "a", 3, 19, 10, 0.98, 1.0),
        ("votes", "b", 2, 10, 16, 0.52, (4 + 2) / 16),
        ("paleo", "b", 2, 1, 8, (2 * 0.06 + 6 * 0.08) / 8, 3 / 8),
    ]
    pd.testing.assert_frame_equal(table, pd.DataFrame(expected, columns=columns))


def test_scores_and_errors_by_hand():
    table = tabulate(pool(BINS, SCORES, LABELS), SCORES, LABELS)
    assert table.columns.tolist() == [
        "dataset",
        "method",
        "label",
        "K",
        "masks",
        "log_score",
        "brier",
        "calibration_error",
    ]
    key = table[["dataset", "method", "label", "K", "masks"]].to_numpy().tolist()
    assert key == [["votes", "a", "A", 3, 2], ["votes", "b", "B", 2, 2], ["paleo", "b", "B", 2, 1]]
    np.testing.assert_allclose(table["log_score"], [0.4, 0.7, 0.3])
    np.testing.assert_allclose(table["brier"], [0.13, 0.32, 0.08])
    first = (40 * 0.04 + 40 * (0.21 - 0.20) + 10 * 0.02) / 90
    expected = [first, 0.52 - 0.375, 0.375 - 0.075]
    np.testing.assert_allclose(table["calibration_error"], expected)


def test_masks_with_errors_of_opposite_signs_cancel():
    """The error is that of all masks together: half of it is chance in each of them."""
    both = bins([("x", "a", 2, 0, 0, 10, 50, 0.5, 0.6), ("x", "a", 2, 1, 0, 10, 50, 0.5, 0.4)])
    of_both = scores([("x", "a", 2, 0, 0, 0.7, 0.25), ("x", "a", 2, 1, 0, 0.7, 0.25)])
    (row,) = tabulate(pool(both, of_both, LABELS), of_both, LABELS).to_dict("records")
    assert row["calibration_error"] == pytest.approx(0, abs=1e-12)


def test_nothing_to_pool_is_a_table_without_rows():
    pooled = pool(BINS.iloc[:0], SCORES, LABELS)
    assert len(pooled) == len(tabulate(pooled, SCORES, LABELS)) == 0
    assert "share_of_ones" in pooled.columns


def test_a_study_has_calibration_where_a_method_predicts_probabilities_of_a_one():
    assert all(common.has_calibration(plan) for plan in PLANS.values())
    reals = {"class": "toy_family:ToyGaussian", "label": "rows", "K": [1], "settings": {}}
    study = {
        "datasets": ["animals"],
        "methods": ["reals"],
        "masks": 1,
        "seeds": [0],
        "overrides": {},
        "holdout": [],
        "further_methods": [],
        "unmasked": {},
        "options": {},
    }
    plan = type(PLANS["all_methods"])("mine", {**CONFIG, "methods": {"reals": reals}, "studies": {"mine": study}})
    assert not common.has_calibration(plan)
    products = (*common.CALIBRATION_TABLES, common.CALIBRATION_FIGURE)
    assert not any(product.applies(plan) for product in products)
