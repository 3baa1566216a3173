"""Which entries of a binary matrix its margins fix."""

import itertools

import numpy as np
import pytest

from nbmf.data.margins import fixed_by_margins
from nbmf.data.matrix import MISSING


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_fixed_entries_are_those_that_all_matrices_with_the_same_margins_share(missing):
    """By listing all matrices of 3 rows and 4 columns: what is fixed is shared; of such sizes the rest is not."""
    rng, shared, fixed = np.random.default_rng(1), 0, 0
    every = np.array(list(itertools.product([0, 1], repeat=12)), np.int8).reshape(-1, 3, 4)
    for _ in range(40):
        codes = (rng.random((3, 4)) < rng.random((1, 4))).astype(np.int8)
        gaps = rng.random((3, 4)) < missing
        codes[gaps] = MISSING
        ones = np.where(gaps, 0, every)
        alike = [(ones.sum(axis=axis) == np.where(gaps, 0, codes).sum(axis=axis - 1)).all(axis=1) for axis in (1, 2)]
        same = (ones[alike[0] & alike[1]] == np.where(gaps, 0, codes)).all(axis=0) & ~gaps
        found = fixed_by_margins(codes)
        assert not (found & ~same).any()
        shared, fixed = shared + same.sum(), fixed + found.sum()
    assert 0 < fixed <= shared
    if not missing:
        assert fixed == shared


def test_a_perfect_scale_is_fixed_and_two_crossed_ones_are_not():
    scale = np.tri(5, dtype=np.int8)
    assert fixed_by_margins(scale).all()
    assert not fixed_by_margins(np.eye(2, dtype=np.int8)).any()
    gap = scale.copy()
    gap[2, 2] = MISSING
    assert not fixed_by_margins(gap)[2, 2]


def test_of_a_network_what_is_fixed_is_shared_by_all_with_the_same_degrees_whatever_the_diagonal():
    """By listing all networks of 5 nodes: all ties are fixed where there is no other one."""
    upper, unique, some = np.triu_indices(5, k=1), 0, 0
    every = np.zeros((2**10, 5, 5), np.int8)
    every[:, upper[0], upper[1]] = list(itertools.product([0, 1], repeat=10))
    every |= every.transpose(0, 2, 1)
    for codes in every[::7]:
        alike = every[(every.sum(axis=1) == codes.sum(axis=0)).all(axis=1)]
        same = (alike == codes).all(axis=0) & ~np.eye(5, dtype=bool)
        found = fixed_by_margins(codes, are_ties=True)
        assert not (found & ~same).any()
        assert len(alike) > 1 or found.sum() == 20
        np.testing.assert_array_equal(found, fixed_by_margins(codes + np.diag([1, 0, -1, 0, 1]), are_ties=True))
        unique, some = unique + (len(alike) == 1), some + (0 < found.sum() < 20)
    assert min(unique, some) > 5
