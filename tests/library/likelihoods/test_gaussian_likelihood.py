"""Real values: what is allowed, what is hidden, and log densities by hand and by SciPy."""

import numpy as np
import pytest
from scipy.stats import norm

from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError
from nbmf.likelihoods.gaussian import GAUSSIAN

VALUES = np.array([[1.0, np.nan, -2.5], [0.25, 3.0, 1e3]])
SCORED = np.array([[True, False, True], [False, True, False]])
MEAN, DEVIATION = np.array([0.5, -2.0, 3.0]), np.array([1.0, 0.5, 2.0])


def test_the_loss_is_the_negative_log_density_of_the_predicted_normal_distribution():
    loss_at = GAUSSIAN.loss_at(VALUES, SCORED)
    assert loss_at.rows.tolist() == [0, 0, 1]
    assert loss_at.columns.tolist() == [0, 2, 1]
    found = loss_at((MEAN, DEVIATION))
    expected = -norm.logpdf(VALUES[SCORED], MEAN, DEVIATION)
    assert found.total == pytest.approx(expected.sum(), rel=1e-14)
    assert found.perplexity == pytest.approx(expected.mean(), rel=1e-14)
    assert (found.entries, found.saturated, loss_at.unit) == (3, 0, "entry")
    assert loss_at.further_scores((MEAN, DEVIATION)) == {}


def test_the_standard_normal_at_one_by_hand():
    loss_at = GAUSSIAN.loss_at(np.array([[1.0]]), np.array([[True]]))
    assert loss_at((np.zeros(1), np.ones(1))).total == pytest.approx(1.4189385332046727)
    assert loss_at((np.ones(1), np.full(1, 1e-3))).total == pytest.approx(-5.988816745777464)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan])
def test_a_standard_deviation_is_above_zero(wrong):
    loss_at = GAUSSIAN.loss_at(VALUES, SCORED)
    with pytest.raises(DataError, match=r"standard deviation is .*: must be above 0"):
        loss_at((MEAN, np.array([1.0, wrong, 1.0])))


def test_values_of_matrices_arrays_and_hidden_entries():
    matrix = RealMatrix.from_array(VALUES)
    assert GAUSSIAN.matrix is RealMatrix
    for given in (matrix, VALUES, VALUES.tolist()):
        np.testing.assert_array_equal(GAUSSIAN.values_of(given), VALUES)
    np.testing.assert_array_equal(GAUSSIAN.is_observed(VALUES), ~np.isnan(VALUES))
    hidden = GAUSSIAN.hide(VALUES, SCORED)
    np.testing.assert_array_equal(np.isnan(hidden), np.isnan(VALUES) | SCORED)
    assert not np.isnan(VALUES[SCORED]).any()


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(DataError, match="1 of those to score are missing"):
        GAUSSIAN.loss_at(VALUES, np.ones(VALUES.shape, bool))
    with pytest.raises(DataError, match="nothing to score"):
        GAUSSIAN.loss_at(VALUES, np.zeros(VALUES.shape, bool))
    with pytest.raises(DataError, match="shape"):
        GAUSSIAN.loss_at(VALUES, SCORED[:1])
