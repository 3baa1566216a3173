"""Sources of counts: the probability of every outcome of every draw, to 1e-9."""

from itertools import combinations_with_replacement, pairwise

import bisection
import numpy as np
import pytest
from scipy.stats import binom, multinomial, poisson

from nbmf.families.poisson_gamma.kernels import sources
from nbmf.families.poisson_gamma.lookup_tables import tables


@pytest.mark.parametrize(
    ("few", "components", "events"),
    [(16, 18, 1), (16, 3, 2), (0, 4, 3)],
    ids=["three blocks", "one by one", "shared out"],
)
def test_sources_of_a_count_are_multinomial(monkeypatch, few, components, events):
    script = bisection.plain(monkeypatch, sources)
    monkeypatch.setattr(sources, "FEW", few)
    rng = np.random.default_rng(4)
    W, H = tables((2, 3), components)
    W[:, :components], H[:, :components] = (rng.gamma(1.0, 1.0, (n, components)) for n in (2, 3))
    entries = np.array([0, 0, 1]), np.array([2], np.uint32), np.array([float(events)])
    S_W, S_H = script.arrays = tables((2, 3), components)

    def draw():
        sources.draw_sources(np.array([0, 2]), *entries, W, H, components, False, [None], S_W, S_H[np.newaxis])
        assert not S_W[0].any()
        assert not S_H[:2].any()
        np.testing.assert_array_equal(S_W[1], S_H[2])
        return tuple(S_W[1, :components].astype(int))

    tree = bisection.Tree(lambda numbers: script.run(draw, numbers))
    p = W[1, :components] * H[2, :components]
    law = multinomial(events, p / p.sum())
    drawn = combinations_with_replacement(range(components), events)
    counts = [tuple(np.bincount(x, minlength=components)) for x in drawn]
    found = np.array([tree.law[x] for x in counts])
    np.testing.assert_allclose(found, law.pmf(counts), rtol=0, atol=bisection.TOLERANCE)


@pytest.mark.parametrize(
    ("name", "numbers", "law"),
    [
        ("binomial", (7, 0.3), binom(7, 0.3)),
        ("binomial", (6, 0.8), binom(6, 0.8)),
        ("positive_poisson", (0.6,), poisson(0.6)),
        ("positive_poisson", (3.0,), poisson(3.0)),
    ],
    ids=lambda x: str(x) if isinstance(x, tuple) else "",
)
def test_small_numbers_have_their_distribution(monkeypatch, name, numbers, law):
    script, kernel = bisection.plain(monkeypatch, sources), getattr(sources, name)
    tree = bisection.Tree(lambda x: script.run(lambda: kernel(*numbers, None), x))
    values = np.arange(name == "positive_poisson", 30)
    found = np.array([tree.law[value] for value in values])
    chances = law.pmf(values) / law.pmf(values).sum()
    np.testing.assert_allclose(found, chances, rtol=0, atol=bisection.TOLERANCE)


@pytest.mark.parametrize(("lines", "width", "exposed"), [(1, 1, 4), (4, 1, 1), (1, 3, 4), (4, 3, 1)])
def test_factors_have_the_shapes_and_rates_of_their_conditionals(monkeypatch, lines, width, exposed):
    rng, shapes = np.random.default_rng(6), []
    bisection.plain(monkeypatch, sources)
    monkeypatch.setattr(sources, "standard_gamma", lambda g, shape: shapes.append(shape) or 1.5)
    shape = rng.gamma(1.0, 1.0, (lines, width))
    rate = rng.gamma(1.0, 1.0, (5 - lines, 4 - width))  # lines and components that the shape shares
    sums, exposure = rng.gamma(1.0, 1.0, (4, 8)), rng.gamma(1.0, 1.0, (exposed, 8))
    mean, table = np.zeros((4, 3)), np.zeros((4, 8))
    sources.draw_factor(np.array([0, 1, 1, 4]), sums, exposure, shape, rate, [None] * 3, mean, table)
    alpha, scale = shape + sums[:, :3], 1 / (rate + exposure[:, :3])
    np.testing.assert_allclose(shapes, alpha.ravel(), rtol=1e-12)
    np.testing.assert_allclose(mean, alpha * scale, rtol=1e-12)
    np.testing.assert_allclose(table[:, :3], 1.5 * np.broadcast_to(scale, (4, 3)), rtol=1e-12)
    assert not table[:, 3:].any()


def law_of_rejection(script, draw, values):
    """Return what a try with the numbers u, v gives each value: ∫ P(accepted | u) du over its u's.

    While the value stays the same, the edge of v at which it is accepted is a smooth function of u.
    """

    def proposed(end):  # as the kernel's local x, if it asks for the numbers of a further try
        return end[1] if end[0] == "drew" else dict(end[1][0][0][2:])["x"]

    def accepted(u):  # v counts from 1 down
        return 1 - bisection.edge_of(lambda v: script.run(draw, [u, v])[0] == "asks")

    def begins(x):
        return bisection.edge_of(lambda u: proposed(script.run(draw, [u, 0.5])) < x)

    nodes, weights = np.polynomial.legendre.leggauss(12)
    found = []
    for value in values:
        low, high = begins(value), begins(value + 1)
        middles = [0.5] if low < 0.5 < high else []
        found.append(
            sum(
                weights @ [accepted((a + b) / 2 + x * (b - a) / 2) for x in nodes] * (b - a) / 2
                for a, b in pairwise([low, *middles, high])
            )
        )
    return np.array(found)


@pytest.mark.parametrize(
    ("name", "numbers", "law"),
    [
        ("large_poisson", (10.5,), poisson(10.5)),
        ("large_poisson", (300.0,), poisson(300)),
        ("large_binomial", (40, 0.3), binom(40, 0.3)),
        ("large_binomial", (21, 0.5), binom(21, 0.5)),
    ],
    ids=lambda x: str(x) if isinstance(x, tuple) else "",
)
def test_large_numbers_are_accepted_in_proportion_to_their_distribution(monkeypatch, name, numbers, law):
    # Values down to 1e-6 of the law, of a wide one each sixth.
    script, kernel = bisection.plain(monkeypatch, sources), getattr(sources, name)
    least, most = law.ppf(1e-6), law.ppf(1 - 1e-6)
    values = np.unique(np.linspace(least, most, 30).astype(int))
    found = law_of_rejection(script, lambda: kernel(*numbers, None), values)
    chances = law.pmf(values)
    np.testing.assert_allclose(found / found.sum(), chances / chances.sum(), rtol=0, atol=bisection.TOLERANCE)
