"""Categories without an order as binary decisions: exact probabilities, what is held out together, a fit."""

import itertools
import math

import numpy as np
import pytest

import nbmf
from nbmf.errors import DataError
from nbmf.families.logistic.category_sticks import Sticks, categories_of_blocks

SIZES = (2, 4, 3)
CATEGORIES = np.array([[0, 3, 2], [1, 0, -1], [-1, 1, 0], [1, 2, 1]])
CODES = np.array([[1, 0, 0, 0, 0, 0], [0, 1, -1, -1, -1, -1], [-1, 0, 1, -1, 1, -1], [0, 0, 0, 1, 0, 1]])


def test_decisions_are_asked_until_one_is_yes():
    sticks = Sticks(SIZES)
    np.testing.assert_array_equal(sticks.codes(CATEGORIES), CODES)
    np.testing.assert_array_equal(sticks.column, [0, 1, 1, 1, 2, 2])
    np.testing.assert_array_equal(sticks.stick, [0, 0, 1, 2, 0, 1])
    hidden = np.where(np.eye(4, 3, dtype=bool), -1, CATEGORIES)  # an entry is held out with all of its decisions
    assert (sticks.codes(hidden)[np.eye(4, 3, dtype=bool)[:, sticks.column]] == -1).all()


def test_a_category_has_the_product_of_the_likelihoods_of_its_decisions():
    """All categories of all columns, and their probabilities sum to one."""
    sticks, rng = Sticks(SIZES), np.random.default_rng(0)
    p = rng.random((5, 6))
    found = sticks.probabilities(p)
    assert found.shape == (5, 3, 4)
    np.testing.assert_allclose(found.sum(axis=2), 1.0, rtol=1e-12)
    for categories in itertools.product(*map(range, SIZES)):
        codes = sticks.codes(np.array([categories]))[0]
        for row in range(5):
            expected = math.prod(q if v == 1 else 1 - q for q, v in zip(p[row], codes, strict=True) if v >= 0)
            product = math.prod(found[row, n, c] for n, c in enumerate(categories))
            assert product == pytest.approx(expected, rel=1e-12)
    assert not found[:, 0, 2:].any()
    assert not found[:, 2, 3:].any()


def test_one_hot_blocks_are_categories():
    """Zeros alone are the last category of the block where they occur; a block with a missing entry is missing."""
    blocks = ["a", "b", "b", "a", "c", "b", "c"]
    codes = np.array(
        [[1, 0, 0, 0, 0, 1, 1], [0, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, -1, 0, 0], [-1, 0, -1, 1, 0, 1, 1]], np.int8
    )
    categories, sticks = categories_of_blocks(codes, blocks)
    np.testing.assert_array_equal(categories, [[0, 2, 1], [2, 1, 0], [1, 0, -1], [1, 2, 1]])
    np.testing.assert_array_equal(sticks.sizes, [3, 3, 2])


def test_a_block_may_have_more_categories_than_a_byte_counts():
    codes = np.vstack([np.eye(300, dtype=np.int8), np.zeros((1, 300), np.int8)])
    categories, sticks = categories_of_blocks(codes, ["a"] * 300)
    np.testing.assert_array_equal(categories[:, 0], np.arange(301))
    np.testing.assert_array_equal(sticks.sizes, [301])
    np.testing.assert_array_equal(sticks.probabilities(sticks.codes(categories).clip(0)).argmax(axis=2), categories)


def test_what_is_no_category_is_refused():
    with pytest.raises(DataError, match="sizes: must be a number of categories of at least 2 for each column"):
        Sticks([3, 1])
    with pytest.raises(DataError, match=r"row 2, column 1 .*: the category is 4; allowed: 0 to 3 and missing"):
        Sticks(SIZES).codes(np.where(CATEGORIES == 1, [[1, 4, 1]], CATEGORIES))
    for wrong in (np.nan, 0.5):
        with pytest.raises(
            DataError, match=rf"row 2, column 1 .*: the category is {wrong}; allowed: 0 to 3 and missing"
        ):
            Sticks(SIZES).codes(np.where((np.arange(len(CATEGORIES)) == 2)[:, None], [[1, wrong, 1]], CATEGORIES))
    with pytest.raises(DataError, match=rf"categories: shape \({len(CATEGORIES)}, 2\); allowed: \(rows, 3\)"):
        Sticks(SIZES).codes(CATEGORIES[:, :2])
    for blocks in (["a"], ["a", "a", "b"]):
        with pytest.raises(DataError, match=rf"blocks: {len(blocks)} labels; allowed: one for each of the 2 columns"):
            categories_of_blocks(np.array([[0, 1], [1, 0]]), blocks)
    with pytest.raises(DataError, match=r"row 1 .* has 2 ones in the block 'a'"):
        categories_of_blocks(np.array([[0, 1], [1, 1]]), ["a", "a"])


@pytest.mark.parametrize("name", ["LogisticFactorVB", "LogisticFactorGibbs"])
def test_held_out_categories_are_predicted_by_the_rows_others(name):
    """Better than by the frequencies of their columns; probabilities are means over draws of the products."""
    rng = np.random.default_rng(1)
    of_rows, of_columns = rng.normal(size=(80, 1, 1)), 2 * rng.normal(size=(1, 12, 3))
    psi = of_rows * of_columns + rng.gumbel(size=(80, 12, 3))
    V = psi.argmax(axis=2)
    held_out = rng.random(V.shape) < 0.2
    sticks = Sticks([3] * 12)
    settings = {"burn_in": 50, "n_samples": 100} if name == "LogisticFactorGibbs" else {}
    model = getattr(nbmf, name)(1, effects="columns", effect_scale="learned", ard=False, random_state=0, **settings)
    draws = nbmf.posterior_draws(model, sticks.codes(np.where(held_out, -1, V)), n_draws=50)
    p = sticks.predictive(draws)
    np.testing.assert_allclose(p.sum(axis=2), 1.0, rtol=1e-6)
    products = [sticks.probabilities(model.mean(factors)) for factors in draws]
    np.testing.assert_allclose(p, np.mean(products, axis=0), rtol=1e-6)
    counts = np.stack([((c == V) & ~held_out).sum(axis=0) + 1 for c in range(3)], axis=1)
    alone = np.tile(counts / counts.sum(axis=1, keepdims=True), (80, 1, 1))
    of_model, of_columns_alone = (
        -np.log(np.take_along_axis(each, V[..., None], 2)[..., 0])[held_out].mean() for each in (p, alone)
    )
    assert of_model < of_columns_alone - 0.1
