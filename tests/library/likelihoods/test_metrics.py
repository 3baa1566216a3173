"""Scores by hand: perplexity, saturated predictions, loss, Brier score, calibration and tokens."""

import math

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import DataError
from nbmf.likelihoods import bernoulli
from nbmf.likelihoods.bernoulli import BERNOULLI, BINS, loss_of, perplexity
from nbmf.likelihoods.tokens import TOKENS

CODES = np.array([[1, 0, -1], [0, 1, 1]], np.int8)
EXPECTATION = np.array([[0.5, 0.25, 0.9], [0.2, 0.8, 0.1]])
ALL = CODES >= 0
LOSSES = [-math.log(p) for p in (0.5, 0.75, 0.8, 0.8, 0.1)]


def test_perplexity_is_the_mean_loss_of_the_chosen_entries():
    chosen = np.array([[True, True, False], [False, False, True]])
    expected = (LOSSES[0] + LOSSES[1] + LOSSES[4]) / 3
    assert perplexity(CODES, EXPECTATION, chosen) == pytest.approx(expected, rel=1e-14)
    assert loss_of(CODES, EXPECTATION, chosen).entries == 3


def test_reconstruction_loss_is_the_sum_over_observed_entries():
    assert loss_of(CODES, EXPECTATION, ALL).total == pytest.approx(sum(LOSSES), rel=1e-14)


@pytest.mark.parametrize("given", [lambda values: values.tolist(), pd.DataFrame])
def test_what_is_scored_may_be_lists_or_a_data_frame(given):
    observed = np.where(CODES < 0, np.nan, CODES)
    beyond = np.where(CODES < 0, 7.0, EXPECTATION)  # which is not scored
    assert perplexity(given(observed), given(beyond), given(ALL)) == perplexity(CODES, EXPECTATION, ALL)
    assert perplexity([[1]], [[1 + 1e-9]], [[True]]) == 0  # rounding


def test_guessing_costs_the_logarithm_of_two():
    assert perplexity(CODES, np.full(CODES.shape, 0.5), ALL) == pytest.approx(math.log(2))


def test_certain_and_right_costs_nothing():
    found = loss_of(CODES, np.maximum(CODES, 0).astype(float), ALL)
    assert found == (0.0, 5, 0)


@pytest.mark.parametrize("wrong", [1, 3, 5])
def test_certain_and_wrong_is_counted_and_costs_36_7_nats_each(wrong):
    expectation = np.maximum(CODES, 0).astype(float)
    flipped = tuple(np.argwhere(ALL)[:wrong].T)
    expectation[flipped] = 1 - expectation[flipped]
    found = loss_of(CODES, expectation, ALL)
    assert found.saturated == wrong
    assert found.entries == 5
    assert found.total == pytest.approx(36.7 * wrong, abs=0.05 * wrong)


@pytest.mark.parametrize(("code", "excess"), [(1, -1e-16), (0, 1e-16), (0, 1e-9)])
def test_a_rounding_error_beyond_zero_or_one_scores_as_zero_or_one(code, excess):
    expectation = np.array([[1 - code + excess]])
    found = loss_of(np.array([[code]], np.int8), expectation, np.array([[True]]))
    assert found.total == pytest.approx(36.7, abs=0.05)
    assert loss_of(np.array([[1 - code]], np.int8), expectation, np.array([[True]])).total == 0


@pytest.mark.parametrize(
    ("probability", "saturated", "total"), [(1e-15, 0, 15 * math.log(10)), (2.0**-53, 0, 36.7368), (1e-20, 1, 36.7368)]
)
def test_small_probabilities_are_saturated_below_the_spacing_of_numbers_near_one(probability, saturated, total):
    found = loss_of(np.array([[1]], np.int8), np.array([[probability]]), np.array([[True]]))
    assert found.saturated == saturated
    assert found.total == pytest.approx(total, abs=1e-4)


def test_tokens_are_the_held_out_ones():
    chosen = np.array([[True, True, False], [True, True, False]])
    loss_at = TOKENS.loss_at(CODES, chosen)
    found = loss_at(EXPECTATION[loss_at.rows, loss_at.columns])
    assert found.entries == 2
    assert found.perplexity == pytest.approx(-(math.log(0.5) + math.log(0.8)) / 2)
    assert loss_at(np.zeros(2)).saturated == 2
    with pytest.raises(DataError, match="nothing to score: no token"):
        TOKENS.loss_at(CODES, CODES == 0)


def further_scores(codes, expectation, entries):
    """Return the further scores of E[V], float array (F, N), at some entries."""
    loss_at = BERNOULLI.loss_at(codes, entries)
    return loss_at.further_scores(expectation[loss_at.rows, loss_at.columns])


def in_bins(values):
    """Return a list of BINS values, those that are not given zero."""
    return [values.get(i, 0) for i in range(BINS)]


def test_brier_score_and_bins_by_hand():
    """The entry that is missing is predicted with 0.9, which is in none of the bins."""
    found = further_scores(CODES, EXPECTATION, ALL)
    squares = [0.5**2, 0.25**2, 0.2**2, 0.2**2, 0.9**2]
    assert found["brier"] == pytest.approx(sum(squares) / 5, rel=1e-14)
    # 0.1, 0.2, 0.25, 0.5 and 0.8 lie on edges: each is in the bin above.
    bins = found["calibration"]
    assert bins["entries"] == in_bins({2: 1, 4: 1, 5: 1, 10: 1, 16: 1})
    assert bins["sum_p"] == in_bins({2: 0.1, 4: 0.2, 5: 0.25, 10: 0.5, 16: 0.8})
    assert bins["ones"] == in_bins({2: 1, 10: 1, 16: 1})


def test_entries_of_one_bin_are_added_and_others_are_not_counted():
    codes = np.array([[1, 0, 1, 0]], np.int8)
    expectation = np.array([[0.51, 0.52, 0.53, 0.54]])
    chosen = np.array([[True, True, True, False]])
    found = further_scores(codes, expectation, chosen)
    assert found["calibration"]["entries"] == in_bins({10: 3})
    assert found["calibration"]["ones"] == in_bins({10: 2})
    assert found["calibration"]["sum_p"][10] == pytest.approx(1.56, rel=1e-14)
    assert found["brier"] == pytest.approx((0.49**2 + 0.52**2 + 0.47**2) / 3, rel=1e-14)


@pytest.mark.parametrize("excess", [0.0, 1e-16, 1e-9])
def test_probabilities_of_zero_and_one_are_in_the_outer_bins(excess):
    """Whether they are right or wrong, and where rounding carries them beyond."""
    codes = np.array([[0, 1, 1, 0, 0]], np.int8)
    expectation = np.array([[0, 0, 1, 1, 1]]) + excess * np.array([[-1, -1, 1, 1, 1]])
    found = further_scores(codes, expectation, codes >= 0)
    assert found["brier"] == pytest.approx(3 / 5, rel=1e-8)
    assert found["calibration"]["entries"] == in_bins({0: 2, 19: 3})
    assert found["calibration"]["ones"] == in_bins({0: 1, 19: 1})


def test_bins_are_of_equal_width_and_closed_below():
    for i in range(BINS):
        edge, middle = np.array([[i / BINS]]), np.array([[(i + 0.5) / BINS]])
        below = np.array([[np.nextafter((i + 1) / BINS, 0)]])
        for p in (edge, middle, below):
            bins = further_scores(np.array([[1]], np.int8), p, p >= 0)["calibration"]
            assert bins["entries"] == in_bins({i: 1})


def test_many_entries_are_scored_block_by_block(monkeypatch):
    rng = np.random.default_rng(0)
    codes, p = rng.integers(0, 2, (37, 11)).astype(np.int8), rng.random((37, 11))
    whole = further_scores(codes, p, codes >= 0)
    monkeypatch.setattr(bernoulli, "ENTRIES_AT_ONCE", 100)
    found = further_scores(codes, p, codes >= 0)
    assert found["brier"] == pytest.approx(np.mean((codes - p) ** 2), rel=1e-13)
    for name, values in found["calibration"].items():
        np.testing.assert_allclose(values, whole["calibration"][name], rtol=1e-13)
    entries, _ = np.histogram(p, BINS, (0, 1))
    assert found["calibration"]["entries"] == entries.tolist()
    assert sum(found["calibration"]["ones"]) == codes.sum()


def test_predictions_that_are_no_numbers_have_no_brier_score():
    """And are no error: the loss is not a number either, and that is what is reported."""
    found = further_scores(CODES, np.where(EXPECTATION == 0.8, np.nan, EXPECTATION), ALL)
    assert math.isnan(found["brier"])


@pytest.mark.parametrize("likelihood", [BERNOULLI, TOKENS], ids=repr)
def test_a_likelihood_has_the_further_scores_that_it_declares(likelihood):
    loss_at = likelihood.loss_at(CODES, ALL)
    found = loss_at.further_scores(EXPECTATION[loss_at.rows, loss_at.columns])
    assert tuple(found) == likelihood.further_scores
    assert bool(found) == (likelihood is BERNOULLI)


def test_what_was_predicted_is_not_changed_by_its_score():
    predicted = EXPECTATION.copy()
    loss_of(CODES, predicted, ALL)
    np.testing.assert_array_equal(predicted, EXPECTATION)
    for likelihood in (BERNOULLI, TOKENS):
        loss_at = likelihood.loss_at(CODES, ALL)
        predicted = EXPECTATION[loss_at.rows, loss_at.columns]
        loss_at(predicted)
        loss_at.further_scores(predicted)
        np.testing.assert_array_equal(predicted, EXPECTATION[loss_at.rows, loss_at.columns])


@pytest.mark.parametrize(
    ("expectation", "entries", "words"),
    [
        (EXPECTATION.T, ALL, r"probabilities: shape \(3, 2\); allowed: that of codes, \(2, 3\)"),
        (EXPECTATION, ALL.T, r"entries: shape \(3, 2\); allowed: that of the values, \(2, 3\)"),
        (EXPECTATION, np.ones((2, 3), bool), "entries: 1 of those to score are missing in the matrix"),
        (EXPECTATION, np.zeros((2, 3), bool), "there is nothing to score"),
        (EXPECTATION + 0.5, ALL, r"expectation: row 1, column 1 \(counted from 0\) is 1.3; allowed: probabilities"),
        (EXPECTATION - 0.15, ALL, "expectation: row 1, column 2 .* is -0.0"),
        (EXPECTATION * np.nan, ALL, "expectation: row 0, column 0 .* is nan"),
        (EXPECTATION, np.ones((2, 2), bool), "entries: shape"),
    ],
)
def test_what_cannot_be_scored_is_refused(expectation, entries, words):
    with pytest.raises(DataError, match=words):
        perplexity(CODES, expectation, entries)


def test_rows_and_columns_in_another_order_are_refused():
    """By the names that both have: entries are scored by their places."""
    codes, expectation, entries = (
        pd.DataFrame(each, index=["r", "s"], columns=["a", "b", "c"]) for each in (CODES, EXPECTATION, ALL)
    )
    expected = perplexity(CODES, EXPECTATION, ALL)
    assert perplexity(codes, expectation, entries) == expected
    assert perplexity(codes, expectation.to_numpy(), pd.DataFrame(ALL)) == expected
    assert perplexity(nbmf.BinaryMatrix.from_array(CODES), expectation, ALL) == expected  # names that nobody gave
    with pytest.raises(DataError, match=r"expectation: its columns are those of codes in another order; allowed: the"):
        perplexity(codes, expectation[["b", "a", "c"]], entries)
    with pytest.raises(DataError, match=r"entries: its rows are those of codes in another order; allowed: the same"):
        perplexity(codes, expectation, entries.iloc[::-1])
