"""Nearest rows and columns against all pairs."""

import numpy as np
import pytest

from nbmf.posterior.nearest import (
    nearest_columns,
    nearest_columns_by_rates,
    nearest_fit_rows,
    nearest_rows,
    nearest_rows_by_rates,
    nearest_shares,
)


@pytest.fixture(scope="module")
def factors():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(3), 30), rng.random((3, 20))


def pairs(n, value):
    """Return a matrix of a function of two places, NaN on the diagonal."""
    return np.array([[np.nan if i == j else value(i, j) for j in range(n)] for i in range(n)])


def check(found, every, *, largest=False):
    order = np.argsort(-every if largest else every, axis=1)[:, : found.places.shape[1]]
    values = np.take_along_axis(every, order, axis=1)
    if largest:  # correlations, of which those below 0 are not near
        order, values = np.where(values > 0, order, -1), np.where(values > 0, values, np.nan)
    assert found.places.shape == (len(every), 5)
    assert found.places.tolist() == order.tolist()
    assert found.values == pytest.approx(values, abs=1e-7, nan_ok=True)


def test_rows_differ_by_the_root_mean_square_of_their_predictions(factors):
    E = factors[0] @ factors[1]
    every = pairs(30, lambda f, g: np.sqrt(np.mean((E[f] - E[g]) ** 2)))
    check(nearest_rows(E), every)
    check(nearest_rows_by_rates(factors[0], factors[1].T), every)


def test_new_rows_are_near_rows_of_the_fit(factors):
    E = factors[0] @ factors[1]
    found = nearest_fit_rows(E[:4], E[4:], 26)
    every = np.array([[np.sqrt(np.mean((E[f] - E[g]) ** 2)) for g in range(4, 30)] for f in range(4)])
    assert found.places.tolist() == np.argsort(every, axis=1).tolist()
    assert found.values == pytest.approx(np.sort(every, axis=1), abs=1e-7)
    assert nearest_fit_rows(E[:1], E[:2]).places.tolist() == [[0, 1]]


def test_columns_are_near_by_their_correlation(factors):
    E = factors[0] @ factors[1]
    every = pairs(20, lambda m, n: np.corrcoef(E[:, m], E[:, n])[0, 1])
    check(nearest_columns(E), every, largest=True)
    check(nearest_columns_by_rates(factors[0], factors[1].T), every, largest=True)


def test_a_rare_column_is_near_a_common_one_of_the_same_rows():
    profile = np.array([0.01, 0.02, 0.08, 0.09])
    E = np.column_stack([profile, 10 * profile, profile[::-1], np.full(4, 0.05)])
    found = nearest_columns(E, 1)
    assert found.places[:2, 0].tolist() == [1, 0]
    assert found.values[:2, 0] == pytest.approx([1, 1])
    assert found.places[3, 0] == -1  # nothing sets its rows apart
    assert np.isnan(found.values[3, 0])


def test_opposite_and_unrelated_columns_are_not_near():
    first, other = np.array([0.1, 0.9, 0.1, 0.9]), np.array([0.1, 0.1, 0.9, 0.9])
    E = np.column_stack([first, 1 - first, 0.5 * first, other])
    for found in (nearest_columns(E), nearest_columns_by_rates(E, np.eye(4))):
        assert found.places.tolist() == [[2, -1, -1], [-1, -1, -1], [0, -1, -1], [-1, -1, -1]]
        assert np.isnan(found.values[found.places < 0]).all()


def test_shares_differ_by_what_would_have_to_move(factors):
    W = factors[0]
    check(nearest_shares(W), pairs(30, lambda f, g: np.abs(W[f] - W[g]).sum() / 2))
    assert nearest_shares(np.eye(2), 1).values.tolist() == [[1], [1]]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_of_few_there_are_as_many_as_others(n):
    found = nearest_rows(np.arange(2.0 * n).reshape(n, 2))
    assert found.places.shape == found.values.shape == (n, n - 1)


def test_rows_that_are_alike_do_not_name_themselves():
    found = nearest_rows(np.zeros((4, 3)), 3)
    assert all(i not in row for i, row in enumerate(found.places))
    assert (found.values == 0).all()
