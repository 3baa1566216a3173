"""Rows with the same entries lie at the same place on a scale, whatever their draws say."""

import numpy as np
import pytest

import nbmf
from nbmf.posterior.scale import scale_of
from nbmf.posterior.scale_intervals import Spread, average_alike

V = np.array([[1, 0, -1], [1, 0, 0], [1, 0, -1], [1, 0, 0], [0, 1, 1]], np.int8)
DRAWN = np.random.default_rng(0).normal(size=(3, 5, 2))


@pytest.mark.parametrize(
    ("groups", "alike"),
    [(None, [[0, 2], [1, 3]]), (["a", "a", "a", "b", "b"], [[0, 2]]), (["a"] * 5, [[0, 2], [1, 3]])],
)
def test_rows_with_the_same_entries_and_group_are_averaged(groups, alike):
    spread = Spread(*DRAWN, np.ones(2))
    groups = None if groups is None else np.array(groups)
    found = average_alike(spread, nbmf.BinaryMatrix.from_array(V), groups)
    for values, averaged in zip(spread[:3], found[:3], strict=True):
        expected = values.copy()
        for rows in alike:
            expected[rows] = values[rows].mean(axis=0)
        np.testing.assert_allclose(averaged, expected, atol=1e-15)
    np.testing.assert_allclose(found.scale, found.means.std(axis=0))  # as where positions are read from a file


def test_on_a_scale_by_draws_alike_rows_are_at_one_place():
    rng = np.random.default_rng(1)
    answers = (rng.random((80, 4)) < 0.2 + 0.6 * rng.random((80, 1))).astype(np.int8)
    matrix = nbmf.BinaryMatrix.from_array(answers)
    model = nbmf.LogisticFactorGibbs(1, burn_in=50, n_samples=50, random_state=0).fit(matrix)
    scale = scale_of(model, matrix, draws=nbmf.posterior_draws(model, matrix, n_draws=40))
    patterns = np.unique(answers, axis=0)
    assert len(patterns) < 17
    for ends in (scale.positions, scale.lower, scale.upper):
        assert len(np.unique(ends, axis=0)) <= len(patterns)
