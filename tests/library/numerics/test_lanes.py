"""The vector arithmetic of kernels against numpy, bit for bit."""

import numpy as np
import pytest

from nbmf.numerics.compilation import kernel
from nbmf.numerics.lanes import LANES, aligned_table, count_at_most, load, padded, running, spread, store, total

RNG = np.random.default_rng(1)
NUMBERS = RNG.normal(size=(3, 2 * LANES))


@kernel
def _apply(table, out):
    row, k, half = np.uint64(1), np.uint64(0), np.uint64(8)
    x, y = load(table, row, half), load(table, np.uint64(2), k)
    store(out, np.uint64(0), k, x + y)
    store(out, np.uint64(1), k, x - y)
    store(out, np.uint64(2), k, x * y)
    store(out, np.uint64(3), half, x / y)
    store(out, np.uint64(4), k, spread(total(x)))


@kernel
def _search(table, out, counts):
    row, k, half = np.uint64(1), np.uint64(0), np.uint64(8)
    sums = running(load(table, row, half))
    store(out, np.uint64(0), k, sums)
    for i in range(LANES):
        counts[i] = count_at_most(sums, out[0, i])
    counts[LANES] = count_at_most(sums, out[1, LANES])


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def table(request):
    return NUMBERS.astype(request.param)


@pytest.fixture(scope="module")
def out(table):
    out = np.zeros((5, 2 * LANES), table.dtype)
    _apply(table, out)
    return out


@pytest.mark.parametrize(
    ("row", "start", "operation"), [(0, 0, np.add), (1, 0, np.subtract), (2, 0, np.multiply), (3, 8, np.divide)]
)
def test_operators_are_those_of_numpy(table, out, row, start, operation):
    expected = operation(table[1, 8:], table[2, :8])
    np.testing.assert_array_equal(out[row, start : start + LANES], expected)
    assert np.count_nonzero(out[row]) == LANES  # nothing else is written


def test_total_adds_halves(table, out):
    four = table[1, 8:12] + table[1, 12:]
    two = four[:2] + four[2:]
    np.testing.assert_array_equal(out[4, :LANES], two[0] + two[1])


def test_running_sums_are_added_in_steps_and_compared_lane_by_lane(table):
    table = np.abs(table)
    out, counts = np.full((2, 2 * LANES), -1, table.dtype), np.zeros(LANES + 1, int)
    _search(table, out, counts)
    x = table[1, 8:]
    twos = x + np.r_[x.dtype.type(0), x[:-1]]
    fours = twos + np.r_[np.zeros(2, x.dtype), twos[:-2]]
    np.testing.assert_array_equal(out[0, :8], fours + np.r_[np.zeros(4, x.dtype), fours[:-4]])
    np.testing.assert_allclose(out[0, :8], np.cumsum(x), rtol=1e-6)
    np.testing.assert_array_equal(counts, [1, 2, 3, 4, 5, 6, 7, 8, 0])


def test_tables_are_zeros_that_begin_with_a_cache_line():
    for rows in (1, 3, 1000):
        table = aligned_table(rows, 2 * LANES)
        assert table.shape == (rows, 2 * LANES)
        assert table.ctypes.data % 64 == 0
        assert table.flags.c_contiguous
        assert not table.any()


@pytest.mark.parametrize(("K", "expected"), [(1, 8), (8, 8), (9, 16), (100, 104)])
def test_padded(K, expected):
    assert padded(K) == expected
