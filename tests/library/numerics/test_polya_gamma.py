"""Normal, gamma and Pólya-Gamma random numbers against their distribution functions."""

import itertools
import math
from decimal import Decimal, localcontext

import ladder
import numba
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import erfc, gammaln

from nbmf.numerics import polya_gamma as pg
from nbmf.numerics import variates
from nbmf.numerics.random import generator_states

N = 100_000


@numba.njit
def _fill_variates(generator, shape, out):
    for i in range(out.size):
        if shape == 0.0:
            out[i] = variates.standard_normal(generator)
        elif shape < 0.0:
            out[i] = variates._beyond_tail(generator)
        else:
            out[i] = variates.standard_gamma(generator, shape)


@numba.njit
def _fill(generator, b, z, out):
    for i in range(out.size):
        out[i] = pg.polya_gamma(generator, b, z)


def drawn(fill, *parameters, seed, size=N):
    generator = generator_states(np.random.SeedSequence(seed), 1)[0]
    out = np.empty(size)
    fill(generator, *parameters, out)
    return out


# --- Slow twins ------------------------------------------------------------------------------


def density(x, b, z):
    """PG(b, z) at x (n,): the series of the paper's section 2.3, with (2n + b) throughout."""
    n = np.arange(400)[:, None]
    log_terms = (
        gammaln(n + b)
        - gammaln(n + 1)
        + np.log(2 * n + b)
        - (2 * n + b) ** 2 / (8 * x)
        - 0.5 * np.log(2 * np.pi * x**3)
    )
    total = ((-1.0) ** n * np.exp(log_terms)).sum(axis=0)
    log_cosh = abs(z) / 2 + math.log1p(math.exp(-abs(z))) - math.log(2)
    log_factor = b * log_cosh + (b - 1) * math.log(2) - gammaln(b) - z**2 / 2 * x
    return np.exp(log_factor) * np.maximum(total, 0.0)


def distribution_function(b, z):
    """Return the distribution function of PG(b, z) by the trapezoidal rule in log x."""
    log_x = np.linspace(math.log(b * b / 400 / (1 + abs(b * z) / 5)), math.log(12.0 + b), 20_001)
    x = np.exp(log_x)
    values = integrate.cumulative_trapezoid(density(x, b, z) * x, log_x, initial=0.0)
    assert values[-1] == pytest.approx(1.0, abs=1e-5)
    mean = integrate.trapezoid(density(x, b, z) * x**2, log_x)
    assert mean == pytest.approx(pg.polya_gamma_mean.py_func(b, z), rel=1e-4)
    return lambda y: np.interp(np.log(y), log_x, values)


def log_transform(t, b, z):
    """Return log E exp(i t ω), ω ~ PG(b, z): b log(cosh(z/2) / cosh(√(z²/4 - it/2)))."""
    root = np.sqrt(z * z / 4 - 0.5j * t)
    log_cosh = root + np.log1p(np.exp(-2 * root))
    return b * (abs(z) / 2 + math.log1p(math.exp(-abs(z))) - log_cosh)


def ks_p(sample, function):
    return stats.kstest(sample, function).pvalue


# --- Normal and gamma ------------------------------------------------------------------------


def test_normal_numbers():
    sample = drawn(_fill_variates, 0.0, seed=1, size=3_000_000)
    assert ks_p(sample[:N], stats.norm.cdf) > ladder.FALSE_ALARM
    # Chi-square over bins finer than the layers of the ziggurat, and its tail beyond 3.654.
    edges = np.r_[-np.inf, np.linspace(-3.6, 3.6, 721), np.inf]
    observed = np.histogram(sample, edges)[0]
    assert ladder.chi_square_p(observed, np.diff(stats.norm.cdf(edges))) > ladder.FALSE_ALARM
    n_tail = np.count_nonzero(abs(sample) > variates.TAIL)
    expected = 2 * stats.norm.sf(variates.TAIL)
    assert stats.binomtest(n_tail, sample.size, expected).pvalue > ladder.FALSE_ALARM
    tail = drawn(_fill_variates, -1.0, seed=1)
    assert ks_p(tail, stats.truncnorm(variates.TAIL, np.inf).cdf) > ladder.FALSE_ALARM


def test_layers_have_one_area():
    areas = variates.EDGE[1:-1] * (variates.HEIGHT[2:] - variates.HEIGHT[1:-1])
    np.testing.assert_allclose(areas, variates.AREA, rtol=1e-9)


def test_the_lowest_layer_has_the_area_of_its_rectangle_and_its_tail():
    rectangle = variates.TAIL * math.exp(-(variates.TAIL**2) / 2)
    tail = math.sqrt(math.pi / 2) * erfc(variates.TAIL / math.sqrt(2))
    assert rectangle + tail == pytest.approx(variates.AREA, rel=1e-9)
    assert variates.EDGE[0] * math.exp(-(variates.TAIL**2) / 2) == pytest.approx(variates.AREA, rel=1e-12)


def test_the_tables_are_those_of_fifty_digits():
    """Edges, heights and shares of all layers, computed again from the tail and the area as printed."""
    with localcontext(prec=50):
        edges = [Decimal("0.00492867323399") * (Decimal(variates.TAIL) ** 2 / 2).exp(), Decimal(variates.TAIL)]
        while len(edges) < variates.LAYERS:
            x = edges[-1]
            edges.append((-2 * (Decimal("0.00492867323399") / x + (-x * x / 2).exp()).ln()).sqrt())
        edges.append(Decimal(0))
        heights = [(-x * x / 2).exp() for x in edges]
        inside = [after / before for before, after in itertools.pairwise(edges)]
    for table, exact in ((variates.EDGE, edges), (variates.HEIGHT, heights), (variates.INSIDE, inside)):
        np.testing.assert_allclose(table, np.array(exact, float), rtol=1e-13)


class Rejected(Exception):
    pass


def accepts(monkeypatch, layer, u, height):
    """Return what standard_normal makes of a layer, a place u of its width and a height within it, or None."""
    words = [np.uint64((int(u * 2**53) << 11) | layer)]

    def next_word(generator):
        if not words:
            raise Rejected
        return words.pop()

    monkeypatch.setattr(variates, "next_word", next_word)
    monkeypatch.setattr(variates, "uniform", lambda generator: height)
    try:
        return variates.standard_normal.py_func(None)
    except Rejected:
        return None


@pytest.mark.parametrize("layer", [1, 2, 40, 128, 254, 255])
def test_wedges_end_at_the_density(layer, monkeypatch):
    """A point of a layer beyond the one above is kept exactly if it lies below exp(-x²/2)."""
    left, right = variates.EDGE[layer + 1], variates.EDGE[layer]
    bottom, top = math.exp(-(right**2) / 2), math.exp(-(left**2) / 2)
    for share in (0.01, 0.3, 0.5, 0.8, 0.99):
        x = left + share * (right - left)
        height = (math.exp(-x * x / 2) - bottom) / (top - bottom)
        assert accepts(monkeypatch, layer, x / right, height * (1 - 1e-6)) == pytest.approx(x)
        assert accepts(monkeypatch, layer, x / right, height * (1 + 1e-6)) is None
    if left > 0:  # the rectangle below the layer above; the top has none
        assert accepts(monkeypatch, layer, 0.999 * left / right, 1.0) == pytest.approx(0.999 * left)


@pytest.mark.parametrize("shape", [1.0, 1.7, 30.0, 1e5])
@pytest.mark.parametrize("x", [-2.5, -2.17, -1.3, 0.4, 1.9, 2.3, 3.5])
def test_gamma_numbers_are_accepted_as_often_as_densities_say(shape, x, monkeypatch):
    """Marsaglia and Tsang (2000): the quick test may decide nothing that the exact one would not."""
    d = shape - 1 / 3
    v = (1 + x / math.sqrt(9 * d)) ** 3
    if v <= 0:
        return
    edge = math.exp(x * x / 2 + d * (1 - v + math.log(v)))
    for u, is_kept in ((edge * (1 - 1e-6), True), (edge * (1 + 1e-6), False)):
        normals, uniforms = [x, 0.0], [1 - u, 0.5]
        monkeypatch.setattr(variates, "standard_normal", lambda generator, left=normals: left.pop(0))
        monkeypatch.setattr(variates, "uniform", lambda generator, left=uniforms: left.pop(0))
        kept = variates.standard_gamma.py_func(None, shape)
        assert kept == pytest.approx(d * (v if is_kept else 1.0), rel=1e-12)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 4.5, 300.0])
def test_gamma_numbers(shape):
    sample = drawn(_fill_variates, shape, seed=2)
    assert ks_p(sample, stats.gamma(shape).cdf) > ladder.FALSE_ALARM


MILLION = 1_000_000


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.0, 0.05, 0.3, 0.999, 1.0, 1.7, 4.5, 30.0, 300.0, 1e5])
def test_a_million_normal_and_gamma_numbers(shape):
    sample = drawn(_fill_variates, shape, seed=12, size=MILLION)
    distribution = stats.gamma(shape) if shape else stats.norm
    assert ks_p(sample, distribution.cdf) > ladder.FALSE_ALARM
    # As many in each of a thousand parts of equal probability: a distance of functions is blind to narrow errors.
    observed = np.histogram(sample, distribution.ppf(np.linspace(0, 1, 1001)))[0]
    assert ladder.chi_square_p(observed, np.full(1000, 1e-3)) > ladder.FALSE_ALARM


@pytest.mark.long
@pytest.mark.parametrize("b", [0.3, 1.0, 2.0, 3.6, 14.0])
@pytest.mark.parametrize("z", [0.0, 1.3, 8.0])
def test_a_million_polya_gamma_numbers(b, z):
    sample = drawn(_fill, b, z, seed=13, size=MILLION)
    assert ks_p(sample, distribution_function(b, z)) > ladder.FALSE_ALARM


# --- Pólya-Gamma -----------------------------------------------------------------------------


@pytest.mark.parametrize("z", [0.0, -0.7, 1.3, 3.0, 8.0, 40.0])
def test_b_is_one(z):
    sample = drawn(_fill, 1.0, z, seed=3)
    assert ks_p(sample, distribution_function(1.0, z)) > ladder.FALSE_ALARM


@pytest.mark.parametrize(
    ("b", "z"),
    [
        (0.05, 0.0),
        (0.3, 2.0),
        (0.8, -5.0),
        (1.4, 0.5),
        (2.0, 3.0),
        (3.6, 0.0),
        (3.6, 1.0),
        (6.0, 4.0),
        (6.0, 0.5),
        (14.0, 2.0),
    ],
)
def test_real_b(b, z):
    sample = drawn(_fill, b, z, seed=4)
    assert ks_p(sample, distribution_function(b, z)) > ladder.FALSE_ALARM


@pytest.mark.parametrize("b", [0.02, 1.0, 2.5, 60.0, 3e4])
@pytest.mark.parametrize("z", [0.0, 1e-9, 2.0, 60.0, 178.0, 299.0, 3e3, -1e6])
def test_moments_to_a_million(b, z):
    """Mean and variance; `polyagamma` 2.0.2 draws 0.16 at b = 1, z = 200, where it is 0.0025."""
    sample = drawn(_fill, b, z, seed=5)
    assert np.isfinite(sample).all()
    assert (sample > 0).all()
    mean, variance = (f.py_func(b, z) for f in (pg.polya_gamma_mean, pg.polya_gamma_variance))
    error = math.sqrt(variance / N)
    assert 2 * stats.norm.sf(abs(sample.mean() - mean) / error) > ladder.FALSE_ALARM
    squares = (sample - mean) ** 2
    error = max(squares.std() / math.sqrt(N), 1e-3 * variance)
    if b > 0.5:  # of very skewed laws the mean square says nothing
        assert abs(squares.mean() - variance) < 6 * error


def test_what_is_no_number_ends():
    for b in (1.0, 2.5):
        assert np.isnan(drawn(_fill, b, np.nan, seed=6, size=3)).all()
        assert (drawn(_fill, b, -np.inf, seed=6, size=3) == 0).all()
        np.testing.assert_allclose(drawn(_fill, b, 1e120, seed=6, size=3), b / 2e120)


def test_moments_are_derivatives_of_the_transform():
    for b, z in [(1.0, 0.05), (1.0, 0.099), (1.0, 0.101), (3.0, 2.0), (0.4, 9.0), (2.0, 0.009)]:
        h = 1e-3
        up, middle, down = log_transform(np.array([h, 0.0, -h]) + 0j, b, z)
        mean, variance = (f.py_func(b, z) for f in (pg.polya_gamma_mean, pg.polya_gamma_variance))
        assert ((up - down) / (2 * h)).imag == pytest.approx(mean, rel=1e-5)
        assert -((up - 2 * middle + down) / h**2).real == pytest.approx(variance, rel=1e-4)


def test_acceptance_is_the_ratio_of_densities():
    """r(x) by its series is f over its bound, and the test of u for b = 1 is u < r(x)."""
    for b in (0.03, 0.5, 1.0, 1.9, 3.0):
        x = np.array([0.05, 0.3, 0.6399, 0.6401, 1.0, 2.5, 6.0])
        y = 1.3
        bound = (
            (1 + math.exp(-2 * y)) ** b
            * b
            / np.sqrt(2 * math.pi * x**3)
            * np.exp(b * y - b * b / (2 * x) - x * y * y / 2)
        )
        exact = density(x / 4, b, 2 * y) / 4 / bound
        found = [pg.passage_ratio.py_func(b, float(one)) for one in x]
        np.testing.assert_allclose(found, exact, rtol=1e-10)
        if b == 1.0:
            for one, r in zip(x, exact, strict=True):
                assert pg._is_accepted(r * (1 - 1e-9), one)
                assert not pg._is_accepted(r * (1 + 1e-9), one)


def test_the_bound_holds_for_all_b():
    for b in (0.01, 0.4, 1.0, 1.7, 5.0):
        for x in np.geomspace(0.01, 30.0, 300):
            assert -1e-12 < pg.passage_ratio.py_func(b, x) <= 1.0


def test_sum_of_gammas_is_close():
    """Its distribution function differs from that of PG(b, z) by less than 3e-8 everywhere.

    By |F - G| ≤ ∫ |φ_F - φ_G| / |t| dt / 2π.
    """
    for b, z in [(4.0, 0.0), (4.0, 1.39), (30.0, 3.4), (1e3, 6.9), (1e5, 11.5)]:
        variance = pg.polya_gamma_variance.py_func(b, z)
        t = np.geomspace(1e-4, 60.0, 2000) / math.sqrt(variance)
        k = np.arange(pg.GAMMAS)
        scales = 1 / (2 * math.pi**2 * ((k + 0.5) ** 2 + z * z / (4 * math.pi**2)))
        mean = pg.polya_gamma_mean.py_func(b, z) - b * scales.sum()
        variance -= b * (scales**2).sum()
        head = -b * np.log1p(-1j * t[:, None] * scales).sum(axis=1)
        rest = -(mean**2 / variance) * np.log1p(-1j * t * variance / mean)
        difference = abs(np.exp(log_transform(t, b, z)) - np.exp(head + rest))
        assert integrate.trapezoid(difference / t, t) / math.pi < 3e-8
