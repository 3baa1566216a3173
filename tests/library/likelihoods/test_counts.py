"""Counts: what is allowed, files, what is hidden, and losses by hand and by SciPy."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.special import gammaln
from scipy.stats import poisson

from nbmf.data.count_matrix import CountMatrix, as_tallies
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.data.sparse_counts import SparseCounts
from nbmf.data.value_codes import Coding
from nbmf.errors import DataError
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.gaussian import GAUSSIAN
from nbmf.likelihoods.negative_binomial import LARGE, NEGATIVE_BINOMIAL, log_gamma_ratio
from nbmf.likelihoods.poisson import POISSON
from nbmf.likelihoods.tokens import TOKENS

VALUES = [[3, 0, np.nan], [1, 2**31 - 1, 7]]
RNG = np.random.default_rng(0)
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
        ([[3, -2]], r"row 0, column 1 .*-2; allowed: whole numbers from 0 to 2147483647"),
        ([[3, 0], [0.5, 1]], r"row 1, column 0 .*0\.5"),
        ([[np.inf, 1]], r"row 0, column 0 .*inf"),
        ([[2**31, 1]], r"row 0, column 0 .*2147483648"),
        (np.array([[1, "yes"]], dtype=object), r"row 0, column 1 .*'yes' is not a number"),
        ([[np.nan, -1]], "none of the 2 entries of the matrix is observed"),
        (scipy.sparse.csr_array(np.eye(2)), "sparse"),
        (RealMatrix.from_array([[1, 0]]), "a CountMatrix is needed, not a RealMatrix"),
        (np.ones(3), "V has one dimension"),
        (np.ones((2, 2)) * 1j, "Complex data not supported; allowed: whole numbers"),
        (np.ones((2, 0)), r"0 feature\(s\)"),
    ],
)
def test_other_values_are_refused_by_place(values, words):
    with pytest.raises(DataError, match=words):
        POISSON.values_of(values)


@pytest.mark.parametrize("values_of", [POISSON.values_of, GAUSSIAN.values_of, CountMatrix.from_frame])
def test_a_wrong_value_of_a_frame_is_named_as_the_frame_does(values_of):
    frame = pd.DataFrame({"owls": [1.0, 2.0], "newts": [3.0, np.inf]}, index=["pond", "barn"])
    with pytest.raises(DataError, match=r"^row 'barn', column 'newts': the value is inf; allowed: "):
        values_of(frame)


def test_a_binary_matrix_is_one_of_counts():
    found = POISSON.values_of(BinaryMatrix.from_array([[1, 0], [-1, 1]]))
    np.testing.assert_array_equal(found, [[1, 0], [-1, 1]])
    assert found.dtype == np.int32


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


def test_a_large_size_is_nearly_poisson_and_costs_no_digits():
    x, mean = np.array([0.0, 3.0, 50.0, 2000.0]), np.array([1.0, 5.0, 40.0, 1950.0])
    for size in (1e12, 1e16, 1e300):
        found = NEGATIVE_BINOMIAL.losses(x, (mean, np.full(4, size)))
        np.testing.assert_allclose(found, -poisson.logpmf(x, mean), rtol=1e-8)
    for size in np.nextafter(LARGE, 0), LARGE, np.nextafter(LARGE, np.inf), 1e8:
        exact = [math.fsum(math.log(size + i) for i in range(int(each))) for each in x]
        np.testing.assert_allclose(log_gamma_ratio(x, size), exact, rtol=1e-13, atol=1e-10)


def test_of_the_usual_sizes_no_bit_differs_from_the_logarithms_themselves():
    x, mean, size = RNG.poisson(5, 999).astype(float), RNG.gamma(2, 3, 999), 2 ** RNG.uniform(-9, 14, 999)
    size[0] = LARGE
    each = (
        gammaln(x + size) - gammaln(size) - gammaln(x + 1.0) - x * np.log1p(size / mean) - size * np.log1p(mean / size)
    )
    np.testing.assert_array_equal(NEGATIVE_BINOMIAL.losses(x, (mean, size)), -each)


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
    with pytest.raises(DataError, match="3 of those to score are missing in the matrix"):
        POISSON.loss_at(hidden, SCORED)
    with pytest.raises(DataError, match="no entry is held out"):
        POISSON.loss_at(TALLIES, np.zeros_like(SCORED))(np.empty(0))
    with pytest.raises(DataError, match=r"entries: shape \(1, 3\)"):
        POISSON.loss_at(TALLIES, SCORED[:1])


# --- Sparse matrices ------------------------------------------------------------------------

STORED = ([3.0, np.nan, 1.0, -1.0, 0.0, 2.0], ([0, 0, 1, 2, 2, 2], [1, 3, 0, 0, 2, 3]))
ENTRIES = [[0, 3, 0, -1], [1, 0, 0, 0], [-1, 0, 0, 2]]


@pytest.mark.parametrize(
    "form", [scipy.sparse.coo_array, scipy.sparse.csc_array, scipy.sparse.csr_matrix, scipy.sparse.lil_array]
)
def test_what_a_sparse_matrix_does_not_store_is_zero(form):
    values = form(scipy.sparse.coo_array(STORED, shape=(3, 4)))
    before = values.copy()
    for found in (SparseCounts.of(values), POISSON.sparse_values_of(values)):
        assert found.shape == (3, 4)
        np.testing.assert_array_equal(found.above_zero.toarray() - found.missing.toarray(), ENTRIES)
        assert found.above_zero.nnz == 3
        assert found.above_zero.dtype == np.int32
        np.testing.assert_array_equal(found.T.missing.toarray(), found.missing.toarray().T)
        np.testing.assert_array_equal(found.T.above_zero.toarray(), found.above_zero.toarray().T)
    np.testing.assert_array_equal(values.toarray(), before.toarray())


def test_what_is_stored_twice_is_added_up():
    twice = scipy.sparse.coo_array(([1.0, 2.0, np.nan, 1.0], ([0, 0, 1, 1], [1, 1, 0, 0])))
    np.testing.assert_array_equal(SparseCounts.of(twice).above_zero.toarray(), [[0, 3], [0, 0]])
    np.testing.assert_array_equal(SparseCounts.of(twice).missing.toarray(), [[0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[0, 0.5]], r"row 0, column 1 .*0\.5; allowed: whole numbers from 0 to 2147483647"),
        ([[0, -2]], r"row 0, column 1 .*-2"),
        ([[2.0**31, 0]], r"row 0, column 0 .*2147483648"),
        ([[np.inf, 0]], r"row 0, column 0 .*inf"),
        ([[np.nan, -1]], "none of the 2 entries of the matrix is observed"),
        (np.ones((0, 3)), r"this one has shape \(0, 3\)"),
        ([[1j, 0]], "the stored values are of type complex128"),
    ],
)
def test_other_stored_values_are_refused_by_place(values, words):
    with pytest.raises(DataError, match=words):
        SparseCounts.of(scipy.sparse.csr_array(values))


def test_ones_alone_are_stored_in_a_binary_matrix_and_other_likelihoods_take_no_sparse_one():
    ones = scipy.sparse.csr_array([[0, 1], [1, 0]])
    np.testing.assert_array_equal(BERNOULLI.sparse_values_of(ones).above_zero.toarray(), ones.toarray())
    with pytest.raises(DataError, match="allowed: whole numbers from 0 to 1 and missing"):
        BERNOULLI.sparse_values_of(2 * ones)
    with pytest.raises(DataError, match="values of the likelihood tokens are no counts"):
        TOKENS.sparse_values_of(ones)
    with pytest.raises(DataError, match=r"a scipy\.sparse matrix is needed, not ndarray"):
        SparseCounts.of(np.eye(2))


@pytest.mark.parametrize(
    ("value", "is_count"), [(2, True), ("007", True), ("1" * 5000, True), (0.5, False), ("-3", False), ("two", False)]
)
def test_a_binary_reader_says_what_takes_counts(value, is_count):
    assert ("if they are counts, counts = True" in Coding().complaint(value)) == is_count
