"""Gibbs sampling of counts and of binary links: draws, exact moments, Geweke's test, hyperpriors.

Statistical tests have fixed seeds; each z is below its limit with a false-alarm rate of 1e-4 or
less, limits of several being those of all together.
"""

import json
import math

import numpy as np
import pytest
import scipy.sparse
from poisson_twins import Exact, binary_evidence, observed_sums, poisson_evidence
from scipy.special import gammaln
from scipy.stats import binom, chi2, poisson

import nbmf
from nbmf.errors import DataError
from nbmf.families.poisson_gamma import hyperparameters
from nbmf.families.poisson_gamma.averages import Averages
from nbmf.families.poisson_gamma.bernoulli_poisson import BernoulliPoissonGibbs
from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior, Ties
from nbmf.families.poisson_gamma.kernels import sources as kernels
from nbmf.families.poisson_gamma.lookup_tables import chance, tables
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaGibbs
from nbmf.families.poisson_gamma.poisson_gamma_gibbs import Chain, ChainState
from nbmf.numerics.compilation import kernel
from nbmf.numerics.lanes import LANES
from nbmf.numerics.random import generator_states

FIXED_TIES = dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), FIXED)
SEED = np.random.SeedSequence(5)


# --- Draws of single numbers -----------------------------------------------------------------


@pytest.fixture
def scripted(monkeypatch):
    """Let the kernels run as plain Python, with the uniform numbers of a list."""
    numbers = []
    monkeypatch.setattr(kernels, "uniform", lambda generator: numbers.pop(0))
    return numbers


def steps_of(draw, values):
    """Return, for each value but the last, the uniform number at which the draw exceeds it."""
    found = []
    for value in values:
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if draw(middle) > value else (middle, high)
        found.append(high)
    return found


@pytest.mark.parametrize("rate", [1e-3, 0.3, 1.7, 6.0, 9.99])
def test_a_count_above_zero_is_drawn_by_its_cumulative_distribution(rate, scripted):
    def draw(u):
        scripted[:] = [u]
        return kernels.positive_poisson.py_func(rate, None)

    law = (poisson.cdf([1, 2, 3, 4], rate) - math.exp(-rate)) / -math.expm1(-rate)
    np.testing.assert_allclose(steps_of(draw, [1, 2, 3, 4]), law, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (5, 0.5), (40, 0.07), (200, 0.04)])
def test_few_of_many_are_drawn_by_their_cumulative_distribution(n, p, scripted):
    def draw(u, p=p):
        scripted[:] = [u]
        return kernels.binomial.py_func(n, p, None)

    values = [0, 1, 2, 3][:n]
    np.testing.assert_allclose(steps_of(draw, values), binom.cdf(values, n, p), atol=1e-10)
    if p < 0.5:
        assert draw(0.3, p=1 - p) == n - draw(0.3)
    assert kernels.binomial.py_func(n, 0.0, None) == 0
    assert kernels.binomial.py_func(n, 1.0, None) == n


@kernel
def _many(which, first, second, generator, found):
    for i in range(found.size):
        if which == 0:
            found[i] = kernels.positive_poisson(first, generator)
        else:
            found[i] = kernels.binomial(int(first), second, generator)


@pytest.mark.parametrize(
    ("which", "first", "second"),
    [
        (0, 4.0, 0),
        (0, 10.5, 0),
        (0, 40.0, 0),
        (0, 900.0, 0),
        (1, 100, 0.7),
        (1, 100, 0.11),
        (1, 21, 0.5),
        (1, 5000, 0.02),
        (1, 5000, 0.4),
    ],
)
def test_large_numbers_have_their_distribution(which, first, second):
    """χ² of 400 000 draws: nine tests at 1e-5 each."""
    found = np.empty(400_000, np.int64)
    _many(which, float(first), float(second), generator_states(SEED, 1)[0], found)
    x = np.arange(found.max() + 1)
    law = poisson.pmf(x, first) * (x > 0) / -math.expm1(-first)
    law = law if which == 0 else binom.pmf(x, first, second)
    expected = law * found.size
    enough = expected > 20
    misfit = ((np.bincount(found) - expected)[enough] ** 2 / expected[enough]).sum()
    assert chi2.sf(misfit, enough.sum() - 1) > 1e-5
    assert enough.sum() > 5


@kernel
def _components(W, H, K, places, found):
    sums = np.zeros(W.shape[1] // LANES)
    f, n = np.uint64(1), np.uint64(2)
    total = kernels.weigh(W, f, H, n, sums)
    for i in range(places.size):
        found[i] = kernels.component(places[i] * total, W, f, H, n, sums, K)


@pytest.mark.parametrize("K", [1, 3, 8, 9, 27, 70])
def test_components_are_drawn_by_their_weights(K):
    """The places at which the component changes are the shares' cumulative sums."""
    rng = np.random.default_rng(K)
    W, H = tables((2, 3), K)
    W[:, :K], H[:, :K] = rng.gamma(0.5, 1.0, (2, K)), rng.gamma(0.5, 1.0, (3, K))
    shares = np.cumsum(W[1, :K] * H[2, :K])
    shares /= shares[-1]
    near = np.sort(np.r_[shares - 1e-10, shares + 1e-10, rng.random(1000)])
    near = near[(near >= 0) & (near < 1)]
    found = np.empty(near.size, np.int64)
    _components(W, H, K, near, found)
    np.testing.assert_array_equal(found, np.searchsorted(shares, near, side="right"))
    _components(W, H, K, np.array([1.0]), found[:1])
    assert found[0] == K - 1  # never beyond the last


def draw_sources(values, limits, W, H, K, S_W, S_H):
    """Draw the sources of counts whose rows are divided at `limits`."""
    data, limits = Observations(values, False), np.array(limits)
    parts = data.sums_of_parts(limits, S_H)
    parts[:] = 3.0
    generators = generator_states(SEED, len(parts))
    kernels.draw_sources_serial(limits, *data.rows, W, H, K, False, generators, S_W, parts)
    data.add_parts(parts, S_H)


@pytest.mark.parametrize("value", [3, 5, 300])
def test_sources_of_an_entry_are_multinomial(value):
    """Means and covariances of 4000 entries, few and many events; 14 z below 4.5."""
    K = 4
    W, H = tables((1, 4000), K)
    W[0, :K], H[:, :K] = [0.4, 1.3, 0.1, 2.2], [1.0, 0.5, 2.0, 0.7]
    S_W, S_H = tables((1, 4000), K)
    assert (value <= kernels.FEW * K) == (value < 300)
    draw_sources(np.full((1, 4000), value, np.int32), (0, 1), W, H, K, S_W, S_H)
    p = W[0, :K] * H[0, :K] / (W[0, :K] @ H[0, :K])
    np.testing.assert_array_equal(S_H.sum(axis=1), value)
    np.testing.assert_array_equal(S_W[0], S_H.sum(axis=0))
    s = S_H[:, :K]
    z = (s.mean(axis=0) - value * p) / np.sqrt(value * p * (1 - p) / 4000)
    assert np.abs(z).max() < 4.5
    covariance = np.cov(s.T)
    law = value * (np.diag(p) - np.outer(p, p))
    scale = np.sqrt((np.outer(np.diag(law), np.diag(law)) + law**2) / 4000)
    assert np.abs((covariance - law) / scale)[np.triu_indices(K)].max() < 5.0


@pytest.mark.parametrize("limits", [(0, 30), (0, 3, 11, 30)], ids=["whole", "in parts"])
def test_every_event_has_a_source_and_zeros_and_missing_ones_have_none(limits):
    rng = np.random.default_rng(0)
    values = rng.poisson(2.0, (30, 20)).astype(np.int32)
    values[rng.random(values.shape) < 0.2] = -1
    values[3, 4] = 5_000_000
    K = 13
    W, H = tables(values.shape, K)
    W[:, :K], H[:, :K] = rng.gamma(1.0, 1.0, (30, K)), rng.gamma(1.0, 1.0, (20, K))
    S_W, S_H = tables(values.shape, K)
    S_W[:] = S_H[:] = 3.0
    draw_sources(values, limits, W, H, K, S_W, S_H)
    np.testing.assert_array_equal(S_W.sum(axis=1), np.maximum(values, 0).sum(axis=1))
    np.testing.assert_array_equal(S_H.sum(axis=1), np.maximum(values, 0).sum(axis=0))
    assert not S_W[:, K:].any()
    assert not S_H[:, K:].any()


# --- The chain -------------------------------------------------------------------------------


def chain_of(values, is_binary, K, prior_W, prior_H, seed, ties=(FIXED, FIXED), limits=None):
    rng = np.random.default_rng(seed)
    data = Observations(values, is_binary)
    if limits:  # between parts, which a matrix with few entries has none of
        data.limits_of_parts = lambda many: np.array(limits)
    start = tuple(rng.gamma(1.0, 1.0, (lines, K)) for lines in values.shape)
    priors = tuple(
        GammaPrior(*numbers, Ties(*ties), (lines, K))
        for numbers, lines in zip((prior_W, prior_H), values.shape, strict=True)
    )
    return Chain(data, start, priors, np.random.SeedSequence(seed))


@pytest.mark.parametrize("limits", [None, (0, 1, 4)], ids=["whole", "in parts"])
def test_factors_are_drawn_from_their_conditionals(limits):
    """Shapes and scales given the sources, H's with the new W: a missing entry adds nothing."""
    values = np.array([[3, 0, -1], [1, 2, 0], [-1, -1, -1], [0, 4, 1]], np.int32)
    chain = chain_of(values, False, 2, (0.7, 2.0), (1.4, 0.5), 3, limits=limits)
    H_before = chain.H[:, :2].copy()
    chain.sweep()
    W, H = chain.W[:, :2], chain.H[:, :2]
    exposure_W = observed_sums(values, W, H_before.T)[0]
    exposure_H = observed_sums(values, W, H.T)[1].T
    np.testing.assert_allclose(chain.means[0], (0.7 + chain.S_W[:, :2]) / (0.35 + exposure_W), rtol=1e-12)
    np.testing.assert_allclose(chain.means[1], (1.4 + chain.S_H[:, :2]) / (2.8 + exposure_H), rtol=1e-12)
    assert (chain.means[0] != W).all()
    assert chain.S_W.sum() == chain.S_H.sum() == values[values > 0].sum()


def z_of(draws, exact):
    """z of the mean of a chain's draws (sweeps, ...) by the means of 40 batches."""
    batches = np.array_split(draws, 40)
    means = np.array([batch.mean(axis=0) for batch in batches])
    return (means.mean(axis=0) - exact) / (means.std(axis=0, ddof=1) / math.sqrt(40))


@pytest.mark.parametrize(
    ("values", "K", "of_W", "of_H", "limits"),
    [([[2, 1], [0, 3]], 2, (1.5, 1.0), (0.8, 2.0), None), ([[1, -1], [0, 2]], 3, (0.6, 1.0), (2.0, 1.0), (0, 1, 2))],
)
def test_the_mean_of_counts_is_that_of_enumeration(values, K, of_W, of_H, limits):
    """E[WH | V] of every entry, missing ones too: z of 40 batches, t with 39 degrees."""
    values = np.array(values, np.int32)
    _, exact = poisson_evidence(values, K, of_W, of_H)
    chain = chain_of(values, False, K, of_W, of_H, 1, limits=limits)
    draws = np.empty((12_000, 2, 2))
    for sweep in range(len(draws)):
        chain.sweep()
        draws[sweep] = chain.W @ chain.H.T
    assert np.abs(z_of(draws[200:], exact)).max() < 5.0


def test_the_chance_of_a_one_is_that_of_inclusion_and_exclusion():
    """P(missing = 1 | V) of the Bernoulli-Poisson link."""
    values = np.array([[1, -1], [1, 0]], np.int32)
    of_W, of_H = (0.6, 1.0), (1.2, 0.8)
    exact = Exact(of_W, of_H)
    with_one = np.where(values < 0, 1, values)
    chance_of_one = math.exp(
        binary_evidence(with_one, 2, of_W, of_H, exact) - binary_evidence(values, 2, of_W, of_H, exact)
    )
    chain = chain_of(values, True, 2, of_W, of_H, 2)
    draws = np.empty(12_000)
    for sweep in range(len(draws)):
        chain.sweep()
        draws[sweep] = chance(chain.W[0] @ chain.H[1])
    assert abs(z_of(draws[200:], chance_of_one)) < 5.0


def statistics(W, H, values):
    """Bounded functions of the joint state, which the order of components does not change."""
    rate = W @ H
    return np.r_[
        np.tanh(rate).ravel(),
        np.tanh(W).mean(),
        np.tanh(H).mean(),
        np.log(W).mean(),
        np.log(H).mean(),
        np.tanh(values / 3).ravel(),
    ]


@pytest.mark.statistics
@pytest.mark.parametrize("limits", [None, (0, 1, 2)], ids=["whole", "in parts"])
@pytest.mark.parametrize("is_binary", [False, True], ids=["counts", "binary"])
def test_geweke(is_binary, limits):
    """Draws of V, W, H in turn from their conditionals have the joint law: 16 z's below 5."""
    K, of_W, of_H = 2, (0.8, 1.0), (1.3, 0.7)
    rng = np.random.default_rng(0)
    shape, steps = (2, 3), 6000

    def draw_values(W, H):
        counts = rng.poisson(W @ H)
        return np.minimum(counts, 1) if is_binary else counts

    marginal = []
    for _ in range(steps):
        W = rng.gamma(of_W[0], of_W[1] / of_W[0], (2, K))
        H = rng.gamma(of_H[0], of_H[1] / of_H[0], (K, 3))
        marginal.append(statistics(W, H, draw_values(W, H)))
    marginal = np.array(marginal)
    chain = chain_of(np.zeros(shape, np.int32), is_binary, K, of_W, of_H, 4, limits=limits)
    successive = []
    for _ in range(steps):
        W, H, _ = chain.factors()
        values = draw_values(W, H)
        values[rng.random(shape) < 0.2] = -1  # hidden entries are drawn anew each time
        successive.append(statistics(W, H, np.where(values < 0, draw_values(W, H), values)))
        chain._data = Observations(values.astype(np.int32), is_binary)
        chain.sweep()
    batches = np.array([part.mean(axis=0) for part in np.array_split(np.array(successive), 40)])
    error = np.hypot(batches.std(axis=0, ddof=1) / math.sqrt(40), marginal.std(axis=0) / math.sqrt(steps))
    z = (batches.mean(axis=0) - marginal.mean(axis=0)) / error
    assert np.abs(z).max() < 5.0


@pytest.mark.parametrize("scales", ["none", "both"])
def test_a_chain_of_many_ones_is_the_same_with_any_number_of_threads(monkeypatch, scales):
    rng = np.random.default_rng(4)
    blocks = np.kron(np.eye(3), np.full((27, 10), 0.35)) + 0.03
    V = scipy.sparse.csr_array((rng.random(blocks.shape) < blocks).astype(np.int8))
    settings = {"scales": scales, "burn_in": 20, "n_samples": 30, "random_state": 0}

    def fitted(threads):
        return BernoulliPoissonGibbs(3, threads=threads, **settings).fit(V)

    whole = fitted(1)
    monkeypatch.setattr("nbmf.families.poisson_gamma.poisson_gamma_gibbs.MANY_DRAWN", 100)
    monkeypatch.setattr("nbmf.families.poisson_gamma.parts.PER_COLUMN", 2)
    one, two, three = (fitted(threads) for threads in (1, 2, 3))
    for name in ("W_", "H_", "draws_W_", "shape_W_", "objective_"):
        for other in (two, three):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert not np.array_equal(one.W_, whole.W_)  # so there were parts


def test_each_part_has_streams_of_its_own():
    """Rows that are alike in parts of their own have other sources and factors, and every stream is used."""
    values = np.full((4, 40), 2, np.int32)
    chain = chain_of(values, False, 3, (0.8, 1.0), (1.3, 0.7), 0, limits=(0, 1, 2, 3, 4))
    chain.W[:] = chain.W[0]
    before = chain._generators.copy()
    assert len(np.unique(before, axis=0)) == len(before) == 8
    chain.sweep()
    assert (chain._generators[:, :4] != before[:, :4]).any(axis=1).all()
    for table in (chain.S_W[:, :3], chain.W[:, :3]):
        assert len(np.unique(table, axis=0)) == 4


def test_a_chain_in_parts_goes_on_from_its_snapshot():
    rng = np.random.default_rng(1)
    values = rng.poisson(1.0, (6, 5)).astype(np.int32)
    chain, other = (chain_of(values, False, 3, (0.8, 1.0), (1.3, 0.7), seed, limits=(0, 2, 3, 6)) for seed in (0, 1))
    for _ in range(4):
        chain.sweep()
    other.restore({name: array.copy() for name, array in chain.snapshot().items()})
    for each in (chain, other):
        for _ in range(4):
            each.sweep()
    np.testing.assert_array_equal(other.W, chain.W)
    np.testing.assert_array_equal(other.H, chain.H)


# --- Hyperpriors -----------------------------------------------------------------------------

TIE_PAIRS = [("all", FIXED), ("source", FIXED), ("all", "source"), ("source", "all"), (FIXED, "line")]


def joint_density(shape, rate_or_mean, table, is_rate, size):
    """log p(factor | a, b) p(a), as a function of the tied numbers; straight from the laws."""
    a = np.broadcast_to(shape, size)
    rate = np.broadcast_to(rate_or_mean if is_rate else shape / rate_or_mean, size)
    total = (a * np.log(rate) - gammaln(a) + (a - 1) * np.log(table) - rate * table).sum()
    return total - shape.sum()


@pytest.mark.parametrize("ties", [("all", FIXED), ("source", FIXED), ("line", "source")])
def test_the_density_of_a_shape_is_the_joint_s(ties):
    """Ratios of p(log a | factor) against those of p(factor, a), to 1e-10."""
    rng = np.random.default_rng(2)
    size = (7, 3)
    table = rng.gamma(0.8, 1.0, size)
    prior = GammaPrior(1.2, 0.7, Ties(*ties), size)
    is_rate = ties[1] != FIXED
    other = rng.gamma(2.0, 1.0, (1, 3)) if is_rate else prior.mean
    n, n_free, slope = hyperparameters.log_target(prior, table, other if is_rate else None)

    def target(a):
        return (n_free * a * np.log(a) - n * gammaln(a) + slope * a + np.log(a)).sum()

    a, b = (rng.gamma(2.0, 1.0, prior.shape.shape) for _ in range(2))
    expected = joint_density(a, other, table, is_rate, size) + np.log(a).sum()
    expected -= joint_density(b, other, table, is_rate, size) + np.log(b).sum()
    assert target(a) - target(b) == pytest.approx(expected, rel=1e-10)


@pytest.mark.statistics
@pytest.mark.parametrize("ties", TIE_PAIRS, ids="-".join)
def test_geweke_of_learned_numbers(ties):
    """Numbers given the factor and the factor given them have the hyperpriors: 4 z's below 5."""
    rng = np.random.default_rng(7)
    size = (6, 2)
    prior = GammaPrior(1.0, 0.8, Ties(*ties), size)
    prior.unfold()
    found = []
    for _ in range(6000):
        table = np.maximum(rng.gamma(prior.shape, prior.mean / prior.shape, size), 1e-150)
        hyperparameters.draw(prior, table, rng)
        rate = np.broadcast_to(prior.rate, size)
        found.append(
            [np.tanh(prior.shape).mean(), np.log(prior.shape).mean(), np.tanh(rate).mean(), np.log(rate).mean()]
        )
    a = rng.exponential(1.0, 2_000_000)
    other = rng.exponential(1.0, 2_000_000)
    if ties[0] == FIXED:
        a = np.ones_like(a)
    rate = a / 0.8 if ties[1] == FIXED else other
    exact = [np.tanh(a).mean(), np.log(a).mean(), np.tanh(rate).mean(), np.log(rate).mean()]
    varies = np.std(found, axis=0) > 1e-9
    z = z_of(np.array(found)[:, varies], np.array(exact)[varies])
    assert np.abs(z).max() < 5.0


# --- Estimators ------------------------------------------------------------------------------

BINARY = (np.random.default_rng(8).random((14, 11)) < 0.4).astype(np.int8)
BINARY[2, 3] = BINARY[5] = -1
BINARY[5, 0] = 1


def test_a_sparse_matrix_has_the_chain_of_the_dense_one(tmp_path):
    brief = {"burn_in": 20, "n_samples": 40, "random_state": 2}
    dense = BernoulliPoissonGibbs(3, **brief).fit(BINARY)
    places = np.nonzero(BINARY)
    numbers = np.where(BINARY[places] < 0, np.nan, 1.0)
    sparse = BernoulliPoissonGibbs(3, **brief)
    sparse.fit(scipy.sparse.csr_array((numbers, places), BINARY.shape))
    np.testing.assert_array_equal(sparse.W_, dense.W_)
    np.testing.assert_array_equal(sparse.H_, dense.H_)
    assert not sparse.has_expectation
    assert sparse.draws_W_.shape == (40, 14, 3)
    np.testing.assert_allclose(sparse.expectation_, dense.expectation_, rtol=1e-5)
    rows, columns = np.array([[1], [3]]), np.array([0, 10])
    np.testing.assert_allclose(sparse.predict(rows, columns), dense.expectation_[rows, columns], rtol=1e-5)
    sparse.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(rows, columns), sparse.predict(rows, columns))
    learned = {name: value for name, value in vars(sparse).items() if name.endswith("_")}
    with pytest.raises(DataError, match="draws_H_ has to be finite, float32 and of shape"):
        loaded.restore(learned | {"expectation_": None, "draws_H_": sparse.draws_H_[:, :2]})
    assert not hasattr(sparse.fit(BINARY), "draws_W_")  # of an earlier fit


def test_of_many_sweeps_some_are_averaged():
    chain = chain_of(np.maximum(BINARY, 0).astype(np.int32), True, 2, (1.0, 1.0), (1.0, 1.0), 0)
    averages = Averages((14, 11), 2, 1000, chance, False)
    means, logs, shapes = [], [], np.random.default_rng(1).gamma(2.0, 1.0, 1000)
    for number in range(1, 1001):
        if number % 10 == 0:
            chain.sweep()
        chain.priors[0].shape[:] = shapes[number - 1]
        averages.add(chain, number)
        means.append(chain.means[0].copy())
        logs.append(np.log(chain.W[:, :2]))
    assert len(averages.kept_factors()[0]) == 50
    np.testing.assert_allclose(averages.factors().W, np.mean(means, axis=0), rtol=1e-12)
    np.testing.assert_allclose(averages.geometric_means()[0], np.exp(np.mean(logs, axis=0)), rtol=1e-12)
    np.testing.assert_allclose(averages.priors()["shape W"], np.exp(np.log(shapes).mean()), rtol=1e-12)
    np.testing.assert_allclose(averages.priors()["mean H"], 1.0)


@pytest.mark.parametrize("is_whole", [True, False], ids=["dense", "sparse"])
def test_before_the_end_of_a_chain_averages_are_over_the_sweeps_so_far(is_whole):
    chain = chain_of(np.maximum(BINARY, 0).astype(np.int32), True, 2, (1.0, 1.0), (1.0, 1.0), 0)
    averages, expected = Averages(BINARY.shape, 2, 12, chance, is_whole), []
    rows, columns = np.array([[0], [13]]), np.array([0, 4, 10])
    assert not averages.can_predict
    for number in (1, 2, 3):
        chain.sweep()
        averages.add(chain, number)
        W, H, _ = chain.factors()
        expected.append(1 - np.exp(-(W @ H)))
        mean = np.mean(expected, axis=0)
        np.testing.assert_allclose(averages.predict(rows, columns), mean[rows, columns], rtol=1e-5)
    if is_whole:
        np.testing.assert_allclose(averages.expectation(), mean, rtol=1e-12)


def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits():
    def state():
        chain = chain_of(BINARY, True, 3, (0.5, 1.0), (0.5, 0.5), 6, ("all", "source"))
        return ChainState(chain, Averages(BINARY.shape, 3, 30, chance, True), 10, chance)

    whole, first, second = state(), state(), state()
    whole.advance(25)
    first.advance(14)
    saved = {name: np.array(value) for name, value in first.snapshot().items()}
    first.advance(3)  # goes its own way
    second.restore(saved)
    second.advance(11)
    for name, value in whole.snapshot().items():
        np.testing.assert_array_equal(value, second.snapshot()[name])
    json.loads(str(saved["random"]))
    assert whole.objective() == second.objective()


def test_the_log_joint_is_that_of_the_model():
    values = np.array([[3, 0, -1], [1, 2, 0]], np.int32)
    chain = chain_of(values, False, 2, (0.7, 2.0), (1.4, 0.5), 3)
    W, H, _ = chain.factors()
    rate = W @ H
    expected = poisson.logpmf(values, rate)[values >= 0].sum()
    for table, (a, b) in ((W, (0.7, 2.0)), (H, (1.4, 0.5))):
        log_p = a * np.log(a / b) - gammaln(a) + (a - 1) * np.log(table) - a / b * table
        expected += log_p.sum()
    assert chain.log_joint() == pytest.approx(expected, rel=1e-12)


def test_missing_entries_are_hidden_in_any_spelling():
    model = PoissonGammaGibbs(2, burn_in=10, n_samples=10, random_state=0, **FIXED_TIES)
    one = model.fit(BINARY).expectation_.copy()
    np.testing.assert_array_equal(model.fit(np.where(BINARY < 0, np.nan, BINARY)).expectation_, one)
