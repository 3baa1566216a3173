"""Scores by hand: perplexity, saturated predictions, reconstruction loss and tokens."""

import math

import numpy as np
import pytest

from nbmf.errors import DataError
from nbmf.likelihoods.bernoulli import BERNOULLI, loss_of, perplexity
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
    ("probability", "saturated", "total"),
    [(1e-15, 0, 15 * math.log(10)), (2.0**-53, 0, 36.7368), (1e-20, 1, 36.7368)],
)
def test_small_probabilities_are_saturated_below_the_spacing_of_numbers_near_one(
    probability, saturated, total
):
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


def test_what_was_predicted_is_not_changed_by_its_score():
    predicted = EXPECTATION.copy()
    loss_of(CODES, predicted, ALL)
    np.testing.assert_array_equal(predicted, EXPECTATION)
    for likelihood in (BERNOULLI, TOKENS):
        loss_at = likelihood.loss_at(CODES, ALL)
        predicted = EXPECTATION[loss_at.rows, loss_at.columns]
        loss_at(predicted)
        np.testing.assert_array_equal(predicted, EXPECTATION[loss_at.rows, loss_at.columns])


@pytest.mark.parametrize(
    ("expectation", "entries", "words"),
    [
        (EXPECTATION.T, ALL, r"probabilities: shape \(3, 2\); allowed is that of codes, \(2, 3\)"),
        (EXPECTATION, ALL.T, r"entries: shape \(3, 2\); allowed is that of the values, \(2, 3\)"),
        (EXPECTATION, np.ones((2, 3), bool), "entries: 1 of those to score are missing in codes"),
        (EXPECTATION, np.zeros((2, 3), bool), "there is nothing to score"),
    ],
)
def test_what_cannot_be_scored_is_refused(expectation, entries, words):
    with pytest.raises(DataError, match=words):
        perplexity(CODES, expectation, entries)
