"""How rows lie on several axes: in groups, along an arch, or as scales have it."""

import numpy as np
import pytest
from drawn_scales import along_a_gradient
from scipy.special import expit
from scipy.stats import spearmanr

import nbmf
from nbmf.posterior import scale_shape as module
from nbmf.posterior.scale import scale_of
from nbmf.posterior.scale_shape import Shape, bend, shape_of
from nbmf.posterior.scale_tables import positions_in, rows_table, shape_of_scale
from nbmf.reporting.scale_entries import shape_sentences


def test_an_arch_is_found_in_any_direction():
    """Half of the variance of y is that of x²; no rotation or scale of positions changes what is found."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=4000)
    square = (x**2 - 1) / np.sqrt(2)
    y = (square + rng.normal(size=4000)) / np.sqrt(2)
    plane = np.column_stack([x, y])
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for positions in (plane, plane @ turn, plane @ turn * [1.0, 0.3], np.column_stack([rng.normal(size=4000), plane])):
        assert bend(positions) == pytest.approx(0.5, abs=0.05)
    assert bend(rng.normal(size=(4000, 3))) < 0.01
    assert bend(plane[:, :1]) == 0


def test_a_skewed_direction_is_bent_as_much():
    """Half of the variance of y is that of what x² has besides x."""
    x = np.random.default_rng(3).exponential(size=4000) - 1.0
    square = x**2 - np.polyval(np.polyfit(x, x**2, 1), x)
    y = square / square.std() + np.random.default_rng(4).normal(size=4000)
    assert bend(np.column_stack([x, y])) == pytest.approx(0.5, abs=0.08)


def test_an_arch_may_be_open_at_any_side():
    x = np.linspace(-1.5, 1.5, 60)
    for sign in (1, -1):
        along = shape_of(np.column_stack([x, sign * x**2])).along
        assert (np.diff(along) > 0).all()


def drawn(p, seed):
    V = nbmf.BinaryMatrix.from_array((np.random.default_rng(seed).random(p.shape) < p).astype(int))
    return V, scale_of(nbmf.LogisticFactorVB(8, effects="columns", max_iter=500, random_state=0).fit(V), V)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_along_an_arch_is_that_of_the_gradient(seed):
    """Better than that on the first axis: an arch turns back at its ends."""
    place, p = along_a_gradient(seed)
    _, scale = drawn(p, seed)
    shape = shape_of_scale(scale)
    assert (shape.groups, scale.kept) == (0, 2)
    assert (shape.along.min(), shape.along.max()) == (0, 1)
    along, axis = (abs(spearmanr(each, place).statistic) for each in (shape.along, scale.positions[:, 0]))
    assert along > 0.97
    assert along > axis + 0.02
    assert np.corrcoef(shape.along, scale.positions[:, 0])[0, 1] > 0
    table = rows_table(scale)
    np.testing.assert_array_equal(table["along the arch"], shape.along)
    np.testing.assert_array_equal(positions_in(table)[..., 0], scale.positions)
    np.testing.assert_array_equal(positions_in(table)[..., 2], scale.upper)


@pytest.mark.parametrize(("seed", "length"), [(0, 10.0), (1, 10.0), (2, 14.0)])
def test_counts_along_a_gradient_are_no_groups(seed, length):
    """The legs of a horseshoe are compact, so that silhouettes are as large as those of groups; but one leads on."""
    place, p = along_a_gradient(seed, length)
    means = 12 * p
    counts = np.random.default_rng(seed).negative_binomial(1.5, 1.5 / (1.5 + means))
    V = nbmf.CountMatrix.from_array(counts)
    settings = {"effects": "both", "effect_scale": "learned", "ard": True, "ard_after": 100, "max_iter": 1000}
    scale = scale_of(nbmf.NegativeBinomialFactorVB(8, random_state=0, **settings).fit(V), V)
    shape = shape_of_scale(scale)
    assert scale.kept == 2
    assert (shape.groups, shape.silhouette) == (0, 0)
    assert abs(spearmanr(shape.along, place).statistic) > 0.97


@pytest.mark.parametrize(("seed", "length"), [(2, 10.0), (0, 14.0), (1, 14.0), (2, 14.0)])
def test_along_a_long_gradient_rows_lie_on_a_ring_with_a_gap_where_its_ends_meet(seed, length):
    place, p = along_a_gradient(seed, length)
    _, scale = drawn(p, seed)
    shape = shape_of_scale(scale)
    assert (shape.groups, shape.bend, scale.kept) == (0, 0.0, 2)
    assert shape.ring > module.ROUND
    assert abs(spearmanr(shape.along, place).statistic) > 0.97
    assert (shape.along.min(), shape.along.max()) == (0, 1)
    words = list(shape_sentences(shape, scale.row_names))
    assert words[0].startswith("rows lie on a ring (")
    assert words[1].startswith("the order around the ring, from its widest gap on: first ")


def test_what_comes_and_goes_in_a_cycle_is_a_ring():
    """Such as what is open at which hour."""
    rng = np.random.default_rng(0)
    when, peak = rng.uniform(0, 2 * np.pi, (120, 1)), rng.uniform(0, 2 * np.pi, 60)
    _, scale = drawn(expit(2.5 * np.cos(when - peak) - 0.5), 0)
    shape = shape_of_scale(scale)
    assert shape.ring > module.ROUND
    turned = np.exp(2j * np.pi * shape.along)  # where around the ring a row is, and when it is open
    agreement = max(abs((turned * np.exp(sign * 1j * when[:, 0])).mean()) for sign in (1, -1))
    assert agreement > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_skills_that_are_there_or_not_and_scales_are_no_ring(seed):
    """Four corners are as far from the centre; so are they where the skills are dealt anew."""
    rng = np.random.default_rng(seed)
    corners = rng.choice([-1.0, 1.0], (150, 2)) + rng.normal(0, 0.3, (150, 2))
    assert module.roundness(corners) > 0.5
    for positions in (corners, rng.normal(size=(150, 2)), rng.uniform(size=(150, 2))):
        assert not shape_of(positions).ring
    assert module.roundness(rng.normal(size=(4000, 2))) == pytest.approx(0.0, abs=0.15)
    circle = rng.uniform(0, 2 * np.pi, 100)
    stretched = np.column_stack([3 * np.cos(circle), np.sin(circle) + 7])
    assert module.roundness(stretched) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("k", [3, 4])
def test_groups_are_no_arch(k):
    rng = np.random.default_rng(k)
    _, scale = drawn(rng.beta(0.5, 1.2, (k, 60))[rng.integers(0, k, 120)], k)
    shape = shape_of_scale(scale)
    assert (shape.groups, shape.bend, shape.along) == (k, 0.0, None)
    assert "along the arch" not in rows_table(scale)


def test_two_scales_are_neither():
    rng = np.random.default_rng(2)
    _, scale = drawn(expit(rng.normal(0, 1.2, (120, 2)) @ rng.normal(0, 1.2, (2, 60))), 2)
    assert scale.kept == 2
    shape = shape_of_scale(scale)
    assert not shape.groups
    assert not shape.bend


def two_traits(rng, rows, shift=0.0, r=0.4):
    """Return the probabilities of 40 items, half of them of each of two traits."""
    traits = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], rows)
    return expit(1.4 * traits[:, np.arange(40) // 20] - rng.normal(size=40) + shift)


@pytest.mark.parametrize("shift", [-3.0, 2.5])
def test_few_or_nearly_all_ones_on_two_scales_are_no_arch(shift):
    for seed in range(3):
        _, scale = drawn(two_traits(np.random.default_rng(seed), 150, shift), seed)
        assert scale.kept == 1 or bend(scale.positions[:, :2]) > module.BENT
        assert not shape_of_scale(scale).bend


def test_rows_without_a_one_are_neither_a_group_nor_the_end_of_an_arch():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p = two_traits(rng, 150, r=0.0)
        p[rng.random(150) < 0.25] = 0.0
        _, scale = drawn(p, seed)
        assert scale.kept == 2
        assert bend(scale.positions[:, :2]) > module.BENT
        assert shape_of_scale(scale) == Shape()


def test_few_rows_are_bent_by_chance():
    """Of two axes that have nothing to do with each other, in a few of a hundred cases."""
    rng = np.random.default_rng(5)
    few = [rng.normal(size=(15, 2)) for _ in range(100)]
    assert np.count_nonzero([bend(positions) > module.BENT for positions in few]) > 20
    assert np.count_nonzero([shape_of(positions).bend > 0 for positions in few]) <= 8


def test_a_curve_through_three_axes_is_bent_and_has_no_order():
    t = np.linspace(-1.7, 1.7, 200)
    shape = shape_of(np.column_stack([t, t**2, t**3 / 2]))
    assert shape.bend > module.BENT
    assert (shape.groups, shape.along) == (0, None)


SPREAD = {
    "evenly": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "five lumps": lambda rng, n: rng.binomial(4, 0.5, n) + 0.05 * rng.normal(size=n),
    "towards both ends": lambda rng, n: rng.beta(0.5, 0.5, n),
    "two groups that overlap": lambda rng, n: np.where(rng.random(n) < 0.5, -1.5, 1.5) + rng.normal(size=n),
}


@pytest.mark.parametrize("draw", SPREAD.values(), ids=SPREAD)
def test_rows_that_are_spread_along_one_axis_are_no_groups(draw):
    for n in (60, 150, 400):
        found = [shape_of(draw(np.random.default_rng([seed, n]), n)[:, None]).groups for seed in range(20)]
        assert np.count_nonzero(found) <= (4 if n == 60 else 1)


@pytest.mark.parametrize(("part", "spreads"), [(0.5, (1.0, 1.0)), (0.3, (1.0, 1.0)), (0.45, (1.5, 0.7))])
def test_two_groups_on_one_axis_are_found(part, spreads):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        is_low = rng.random(120) < part
        positions = np.where(is_low, -3 + spreads[0] * rng.normal(size=120), 3 + spreads[1] * rng.normal(size=120))
        shape = shape_of(positions[:, None])
        assert (shape.groups, shape.silhouette) == (2, 0)
        assert shape.between <= module.SPARSE
    assert shape_of(positions[: module.FEWEST_PLACES - 1, None]).groups == 0


def test_of_two_groups_the_split_is_known():
    """Of two points with as many rows all variance is between them, but for the width that keeps rows apart."""
    places = np.concatenate([np.linspace(0, 0.1, 30), np.linspace(10, 10.1, 30)])
    split, between = module.split_in_two(places)
    within = places[:30].var()
    assert split == pytest.approx(1 - within / places.var())
    assert between < 0.01


@pytest.mark.parametrize("positions", [np.zeros((30, 1)), np.eye(8, 2), np.empty((40, 0))])
def test_one_axis_or_a_few_rows_have_no_shape(positions):
    assert shape_of(positions) == Shape()


def test_groups_between_which_rows_lie_are_not_separate():
    """Three clusters in a row, and the same with a bridge of rows between two of them."""
    rng = np.random.default_rng(0)
    clusters = np.repeat([[-4.0, 0.0], [0.0, 6.0], [4.0, 0.0]], 40, axis=0) + 0.8 * rng.normal(size=(120, 2))
    bridge = np.linspace([-4.0, 0.0], [0.0, 6.0], 50)
    labels = np.repeat([1, 2, 3], 40)
    assert module._most_between(clusters, labels) < 0.1
    assert shape_of(clusters).groups == 3
    bridged, labels = np.vstack([clusters, bridge]), np.concatenate([labels, np.repeat([1, 2], 25)])
    assert module._most_between(bridged, labels) > module.SPARSE
    assert module._find_groups(bridged)[1] > module.APART
    assert shape_of(bridged).groups == 0


def test_patterns_of_answers_to_few_items_are_no_groups():
    """Four items have sixteen patterns at most, of which a few neighbours would be as many groups."""
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], [0, 1])).reshape(4, -1).T.astype(float)
    places = corners @ np.array([[3.0, 0.1], [0.1, 3.0], [0.2, 0.0], [0.0, 0.3]])
    assert shape_of(np.repeat(places, 20, axis=0)).groups == 4  # which are there: two items of four count
    assert shape_of(np.repeat(corners @ np.array([[8, 0], [0, 8], [4, 0], [0, 4]]), 20, axis=0)).groups == 0


def test_of_many_rows_some_are_compared(monkeypatch):
    rng = np.random.default_rng(1)
    positions = rng.integers(0, 3, 900)[:, None] * [1.0, 5.0] + 0.2 * rng.normal(size=(900, 2))
    seen, find_groups = [], module._find_groups
    monkeypatch.setattr(module, "_find_groups", lambda some: seen.append(len(some)) or find_groups(some))
    assert shape_of(positions).groups == 3
    assert seen == [450]


def test_few_rows_lie_on_a_ring_by_chance():
    rng = np.random.default_rng(5)
    few = [rng.normal(size=(10, 2)) for _ in range(200)]
    assert np.count_nonzero([module.roundness(positions) >= module.ROUND for positions in few]) > 15
    assert np.count_nonzero([shape_of(positions).ring > 0 for positions in few]) <= 7
