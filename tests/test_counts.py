"""Counts: what is allowed, files, what is hidden, and losses by hand and by SciPy."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import poisson

from nbmf.data.count_matrix import CountMatrix, as_tallies
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.likelihoods.poisson import POISSON

VALUES = [[3, 0, np.nan], [1, 2**31 - 1, 7]]
TALLIES = np.array([[3, 0, -1], [1, 2**31 - 1, 7]], np.int32)
SCORED = np.array([[True, True, False], [False, False, True]])


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        TALLIES,
        TALLIES.astype(np.int64),
        pd.DataFrame(VALUES),
        pd.DataFrame([[3, 0, None], [1, 2**31 - 1, 7]], dtype="Int64"),
        np.ma.masked_array(np.maximum(TALLIES, 0), TALLIES < 0),
        CountMatrix.from_array(TALLIES),
    ],
)
def test_all_spellings_of_counts_are_one(values):
    found = POISSON.values_of(values)
    assert found.dtype == np.int32
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, TALLIES)
    np.testing.assert_array_equal(CountMatrix.of(values).tallies, TALLIES)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[3, -2]], r"row 0, column 1 .*-2; allowed are whole numbers from 0 to 2147483647"),
        ([[3, 0], [0.5, 1]], r"row 1, column 0 .*0\.5"),
        ([[np.inf, 1]], r"row 0, column 0 .*inf"),
        ([[2**31, 1]], r"row 0, column 0 .*2147483648"),
        (np.array([[1, "yes"]], dtype=object), r"row 0, column 1 .*'yes' is not a number"),
        ([[np.nan, -1]], "none of the 2 entries of the matrix is observed"),
        (scipy.sparse.csr_array(np.eye(2)), "sparse"),
        (BinaryMatrix.from_array([[1, 0]]), "a matrix of counts is needed, not a BinaryMatrix"),
        (np.ones(3), "V has one dimension"),
        (np.ones((2, 2)) * 1j, "Complex data not supported: allowed are whole numbers"),
        (np.ones((2, 0)), r"0 feature\(s\)"),
    ],
)
def test_other_values_are_refused_by_place(values, words):
    with pytest.raises(DataError, match=words):
        POISSON.values_of(values)


def test_a_line_without_an_observed_entry_is_refused_in_a_matrix_and_not_in_a_fit():
    with pytest.raises(DataError, match="row 'row 0' has no observed entry"):
        CountMatrix.from_array([[np.nan, -1], [0, 5]])
    np.testing.assert_array_equal(as_tallies([[np.nan, -1], [0, 5]]), [[-1, -1], [0, 5]])


def test_a_file_tells_that_it_holds_counts(tmp_path):
    matrix = CountMatrix(TALLIES, ["a", "b"], ["x", "y", "z"], ["g", "h"])
    matrix.save(tmp_path / "matrix.npz")
    loaded = load_matrix(tmp_path / "matrix.npz")
    assert type(loaded) is CountMatrix
    np.testing.assert_array_equal(loaded.tallies, TALLIES)
    assert loaded.tallies.dtype == np.int32
    assert loaded.counts() == {
        "rows": 2,
        "columns": 3,
        "sum": 11 + 2**31 - 1,
        "zeros": 1,
        "largest": 2**31 - 1,
        "missing": 1,
    }
    np.testing.assert_array_equal(loaded.T.tallies, TALLIES.T)
    np.testing.assert_array_equal(loaded.observed, TALLIES >= 0)


def test_the_loss_is_the_negative_log_probability_under_the_predicted_rates():
    loss_at = POISSON.loss_at(TALLIES, SCORED)
    rates = np.array([2.5, 0.125, 9.0])
    found = loss_at(rates)
    expected = -poisson.logpmf(TALLIES[SCORED], rates)
    assert found.total == pytest.approx(expected.sum(), rel=1e-14)
    assert found.perplexity == pytest.approx(expected.mean(), rel=1e-14)
    assert (found.entries, found.saturated, loss_at.unit) == (3, 0, "entry")
    assert loss_at.further_scores(rates) == {}


def test_three_events_at_rate_two_by_hand():
    """2^3 e^-2 / 3! = 0.18044..."""
    loss_at = POISSON.loss_at(np.array([[3]], np.int32), np.array([[True]]))
    assert loss_at(np.array([2.0])).total == pytest.approx(2 - 3 * math.log(2) + math.log(6))


def test_what_was_impossible_is_counted_and_costs_36_7_nats_per_event():
    loss_at = POISSON.loss_at(np.array([[2, 0]], np.int32), np.array([[True, True]]))
    found = loss_at(np.zeros(2))
    assert found.saturated == 1
    assert found.total == pytest.approx(2 * 53 * math.log(2) + math.log(2))
    assert np.isnan(loss_at(np.array([np.nan, 1.0])).total)


def test_what_is_hidden_is_missing_and_is_not_scored():
    hidden = POISSON.hide(TALLIES, SCORED)
    assert hidden.dtype == np.int32
    np.testing.assert_array_equal(hidden, np.where(SCORED, -1, TALLIES))
    np.testing.assert_array_equal(POISSON.is_observed(hidden), (TALLIES >= 0) & ~SCORED)
    with pytest.raises(DataError, match="3 of those to score are missing in the counts"):
        POISSON.loss_at(hidden, SCORED)
    with pytest.raises(DataError, match="no entry is held out"):
        POISSON.loss_at(TALLIES, np.zeros_like(SCORED))(np.empty(0))
    with pytest.raises(DataError, match=r"entries: shape \(1, 3\)"):
        POISSON.loss_at(TALLIES, SCORED[:1])
