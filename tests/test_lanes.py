"""The vector arithmetic of kernels against numpy, bit for bit."""

import numpy as np
import pytest

from nbmf.numerics.compilation import kernel
from nbmf.numerics.lanes import LANES, load, padded, spread, store, total

RNG = np.random.default_rng(1)
TABLE = RNG.normal(size=(3, 2 * LANES)).astype(np.float32)
FIRST, SECOND = TABLE[1, 8:], TABLE[2, :8]


@kernel
def _apply(table, out):
    row, k, half = np.uint64(1), np.uint64(0), np.uint64(8)
    x, y = load(table, row, half), load(table, np.uint64(2), k)
    store(out, np.uint64(0), k, x + y)
    store(out, np.uint64(1), k, x - y)
    store(out, np.uint64(2), k, x * y)
    store(out, np.uint64(3), half, x / y)
    store(out, np.uint64(4), k, spread(total(x)))


@pytest.fixture(scope="module")
def out():
    out = np.zeros((5, 2 * LANES), np.float32)
    _apply(TABLE, out)
    return out


@pytest.mark.parametrize(
    ("row", "start", "expected"),
    [
        (0, 0, FIRST + SECOND),
        (1, 0, FIRST - SECOND),
        (2, 0, FIRST * SECOND),
        (3, 8, FIRST / SECOND),
    ],
)
def test_operators_are_those_of_numpy(out, row, start, expected):
    np.testing.assert_array_equal(out[row, start : start + LANES], expected)
    assert np.count_nonzero(out[row]) == LANES  # nothing else is written


def test_total_adds_halves(out):
    four = FIRST[:4] + FIRST[4:]
    two = four[:2] + four[2:]
    np.testing.assert_array_equal(out[4, :LANES], two[0] + two[1])


@pytest.mark.parametrize(("K", "expected"), [(1, 8), (8, 8), (9, 16), (100, 104)])
def test_padded(K, expected):
    assert padded(K) == expected
