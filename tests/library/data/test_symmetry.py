"""Which matrices are undirected networks, also where an entry is missing whose mirror image is known."""

import itertools

import numpy as np
import pytest

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.symmetry import (
    CHANCE,
    chance_of_agreement,
    is_symmetric,
    mean_of_directions,
    one_loss_per_pair,
    without_directions,
)


def symmetric(F=30, seed=0):
    """Draw an undirected network."""
    upper = np.triu(np.random.default_rng(seed).random((F, F)) < 0.3, k=1)
    return (upper | upper.T).astype(np.int8)


def said_by(codes):
    """Return what each kind of matrix says, which is the same."""
    values = np.where(codes == MISSING, np.nan, codes)
    kinds = BinaryMatrix.from_array(codes), SparseBinaryMatrix.from_array(codes), RealMatrix.from_array(values)
    (said,) = {is_symmetric(codes, codes != MISSING), *(matrix.is_symmetric() for matrix in kinds)}
    return said


@pytest.mark.parametrize("place", [(3, 7), (7, 3)])
def test_one_side_of_a_pair_may_be_missing(place):
    codes = symmetric()
    codes[5, 9] = codes[9, 5] = codes[1, 1] = MISSING
    assert said_by(codes)
    codes[place] = MISSING
    assert said_by(codes)
    codes[11, 12] = 1 - codes[11, 12]
    assert not said_by(codes)
    codes[11, 12] = codes[12, 11] = MISSING
    assert said_by(codes)


def test_a_few_pairs_that_agree_are_no_network():
    """Of a table of which hardly anything is observed, or that is the same nearly everywhere."""
    codes = np.full((30, 30), MISSING, np.int8)
    codes[np.triu_indices(30)] = symmetric()[np.triu_indices(30)]
    assert not said_by(codes)
    codes[1:6, 0] = codes[0, 1:6]
    assert not said_by(codes)
    codes[:, :10] = symmetric()[:, :10]
    assert said_by(codes)
    constant = np.ones((30, 30), np.int8)
    assert said_by(constant)
    constant[3, 7] = MISSING
    assert not said_by(constant)


def test_the_chance_is_that_of_values_in_random_places():
    values = [0, 0, 0, 0, 1, 1, 2, 2]  # of four pairs
    agree = [order[::2] == order[1::2] for order in itertools.permutations(values)]
    assert chance_of_agreement([2, 1, 1]) == pytest.approx(np.mean(agree))
    assert chance_of_agreement([]) == chance_of_agreement([9, 0]) == 1
    assert chance_of_agreement([1, 10**12]) == pytest.approx(0.5e-12, rel=0.01)
    assert chance_of_agreement([1, 10**5]) > CHANCE


def test_a_pair_has_the_mean_of_its_losses_or_the_one_that_is_there():
    losses = np.arange(9.0).reshape(3, 3)
    losses[0, 2] = np.nan
    np.testing.assert_array_equal(
        one_loss_per_pair(losses), [[np.nan, 2, np.nan], [np.nan, np.nan, 6], [6, np.nan, np.nan]]
    )
    order = [2, 0, 1]
    assert np.nanmean(one_loss_per_pair(losses[np.ix_(order, order)])) == np.nanmean(one_loss_per_pair(losses))


def test_a_tie_without_a_direction_has_one_prediction():
    predicted = np.arange(9.0).reshape(3, 3)
    rows, columns = np.array([0, 2, 1]), np.array([2, 0, 1])
    of_some = mean_of_directions(lambda f, n: predicted[f, n], rows, columns)
    np.testing.assert_array_equal(of_some, [4, 4, 4])
    of_all = without_directions(predicted)
    np.testing.assert_array_equal(of_all, [[0, 2, 4], [2, 4, 6], [4, 6, 8]])
    np.testing.assert_array_equal(of_all[rows, columns], of_some)
