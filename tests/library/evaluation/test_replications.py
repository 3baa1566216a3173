"""Intervals and tests over replications and masks."""

import numpy as np
import pytest
from scipy import stats

from nbmf.evaluation.replications import holm, interval, interval_of_difference


def test_intervals_are_students_and_welchs():
    rng = np.random.default_rng(0)
    one, two = rng.normal(3, 1, 12), rng.normal(1, 4, 7)
    found, exact = interval(one), stats.ttest_1samp(one, 0)
    assert (found.low, found.high) == pytest.approx(tuple(exact.confidence_interval(0.95)))
    assert (found.mean, found.error, found.p) == pytest.approx((one.mean(), stats.sem(one), exact.pvalue))
    found, exact = interval_of_difference(one, two), stats.ttest_ind(one, two, equal_var=False)
    assert (found.low, found.high) == pytest.approx(tuple(exact.confidence_interval(0.95)))
    assert (found.mean, found.p) == pytest.approx((one.mean() - two.mean(), exact.pvalue))


def test_what_one_value_or_none_of_spread_says():
    assert np.isnan(interval([4.0])[1:]).all()
    assert interval([4.0, 4.0]) == (4.0, 0.0, 4.0, 4.0, 0.0)
    assert interval([0.0, 0.0]).p == 1.0
    assert np.isnan(interval_of_difference([4.0], [1.0, 2.0])[1:]).all()
    assert interval_of_difference([4.0, 4.0], [1.0, 1.0]) == (3.0, 0.0, 3.0, 3.0, 0.0)


def test_masks_of_one_matrix_share_training_entries():
    values = np.array([0.3, 0.1, 0.4, 0.2, 0.25])
    independent, shared = interval(values), interval(values, test_ratio=1 / 3)
    # Nadeau and Bengio's corrected resampled t-test: (1/n + n_test/n_train) s^2, here 1/5 + 1/3
    assert shared.error == pytest.approx(np.sqrt((1 / 5 + 1 / 3) * values.var(ddof=1)))
    assert shared.p == pytest.approx(2 * stats.t.sf(values.mean() / shared.error, 4))
    assert (shared.mean, shared.p > independent.p) == (independent.mean, True)
    with pytest.raises(ValueError, match=r"test_ratio = -1: must be a number of at least 0"):
        interval(values, test_ratio=-1)


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not():
    """Two constant predictions of the same quality, scored on overlapping halves of one sample."""
    rng, plain, corrected = np.random.default_rng(1), [], []
    for _ in range(400):
        sample = rng.normal(size=40)  # of which each split is trained on one half and scored on the other
        differences = []
        for _ in range(10):
            order = rng.permutation(40)
            train, test = sample[order[:20]], sample[order[20:]]
            differences.append(np.mean((test - train.mean()) ** 2) - np.mean((test - np.median(train)) ** 2))
        differences = np.array(differences) + 0.0
        plain.append(interval(differences).p < 0.05)
        corrected.append(interval(differences, test_ratio=1).p < 0.05)
    assert np.mean(corrected) < 0.1 < np.mean(plain)


def test_holm_adjusts_step_by_step():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])  # by hand
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]).size == 0
