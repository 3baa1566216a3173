"""Likelihoods as quadratic forms: where they touch, that they stay below, and what they learn."""

import numpy as np
import pytest
from logistic_models import DATA, LIKELIHOODS, WEAK
from scipy.integrate import quad
from scipy.special import digamma, expit
from scipy.stats import gamma, nbinom, norm, poisson
from unwritten import signal_unwritten

import nbmf
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels.tilting import tilted_means
from nbmf.families.logistic.quadratic import Bohning, ExplicitNoise, NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial, SoftplusPoisson, softplus
from nbmf.numerics import sigmoid
from nbmf.numerics.sigmoid import mean_under_normal, probability

GRID = np.linspace(-9, 9, 73)


def fixed_size(values):
    likelihood = NegativeBinomial(values, Gamma(1.0, 1.0))
    likelihood.posterior = Gamma(np.full(values.shape[1], 3e9), np.full(values.shape[1], 1e9))
    likelihood.size = likelihood.posterior.mean
    return likelihood


def log_odds_law(x, psi):
    return x * psi - np.logaddexp(0, psi)


# Values, the likelihood of a matrix of them, and log p(x | ψ).
LAWS = {
    "polya-gamma": ((0, 1), PolyaGamma, log_odds_law),
    "bohning": ((0, 1), Bohning, log_odds_law),
    "negative binomial": ((0, 1, 2, 9), fixed_size, lambda x, psi: nbinom.logpmf(x, 3, expit(-psi))),
    "softplus": ((0, 1, 2, 9), SoftplusPoisson, lambda x, psi: poisson.logpmf(x, softplus(psi))),
}
every_law = pytest.mark.parametrize("name", LAWS)


@pytest.fixture(scope="module")
def form():
    """Return a function: ψ (n,) and a value -> h, w and the bound of each entry at certain ψ."""

    def of(name, x, psi, square=None):
        square = psi**2 if square is None else square
        likelihood = LAWS[name][1](np.full((1, psi.size), x, np.int32))
        likelihood.refresh(psi[None], square[None])
        one = [LAWS[name][1](np.array([[x]], np.int32)) for _ in psi]
        bounds = [each.bound(np.array([[p]]), np.array([[s]])) for each, p, s in zip(one, psi, square, strict=True)]
        if name == "negative binomial":  # less what q(r) costs, which is no matter here
            bounds = np.array(bounds) + one[0].posterior.divergence(Gamma(1.0, 1.0))
        return likelihood.h[0], likelihood.w[0], np.array(bounds)

    return of


@every_law
def test_the_bound_touches_the_likelihood_and_has_its_slope(name, form):
    values, _, law = LAWS[name]
    for x in values:
        h, w, bounds = form(name, x, GRID)
        np.testing.assert_allclose(bounds, law(x, GRID), rtol=1e-6, atol=1e-7)
        slope = (law(x, GRID + 1e-5) - law(x, GRID - 1e-5)) / 2e-5
        np.testing.assert_allclose(h - w * GRID, slope, rtol=1e-5, atol=2e-6)


@every_law
def test_the_quadratic_form_stays_below_the_likelihood(name, form):
    values, _, law = LAWS[name]
    for x in values:
        h, w, _ = form(name, x, GRID)
        psi = GRID[:, None]
        at = law(x, GRID) + h * (psi - GRID) - 0.5 * w * (psi**2 - GRID**2)
        assert (at <= law(x, psi) + 1e-6).all()


@every_law
@pytest.mark.parametrize("deviation", [0.3, 2.0])
def test_its_mean_stays_below_the_mean_log_likelihood(name, form, deviation):
    values, _, law = LAWS[name]
    mean = np.array([-4.0, -1.0, 0.0, 2.5])
    for x in values:
        _, _, bounds = form(name, x, mean, mean**2 + deviation**2)
        z = np.linspace(-9, 9, 2001)
        weights = norm.pdf(z) / norm.pdf(z).sum()
        exact = law(x, mean[:, None] + deviation * z) @ weights
        assert (bounds < exact).all()
        assert (bounds > exact - 12 * deviation**2 * (1 + x)).all()


def test_curvature_of_bohning_is_a_quarter_and_no_more_is_needed():
    likelihood = Bohning(np.array([[1, 0, -1]], np.int8))
    assert likelihood.w.tolist() == [[0.25, 0.25, 0.0]]


def test_curvature_of_counts_grows_with_the_largest_of_the_column():
    likelihood = SoftplusPoisson(np.array([[4, 0], [10, -1]], np.int32))
    np.testing.assert_allclose(likelihood.w, [[1.95, 0.25], [1.95, 0.0]])


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_missing_entries_have_no_part(name):
    likelihood = LIKELIHOODS[name](DATA)
    rng = np.random.default_rng(1)
    psi = rng.normal(size=likelihood.seen.shape)
    square = psi**2 + rng.random(psi.shape)
    hidden = ~likelihood.seen

    def all_of_it(psi, square):
        fresh = LIKELIHOODS[name](DATA)
        for _ in range(2):
            fresh.refresh(psi, square)
            fresh.learn(psi, square)
        assert (fresh.h[hidden] == 0).all()
        assert (fresh.w[hidden] == 0).all()
        assert (fresh.w[~hidden] > 0).all()
        return np.append(fresh.h[~hidden], [*fresh.w[~hidden], fresh.bound(psi, square)])

    other_psi, other_square = psi.copy(), square.copy()
    other_psi[hidden] += 3
    other_square[hidden] += 50
    np.testing.assert_allclose(all_of_it(psi, square), all_of_it(other_psi, other_square), rtol=1e-13)


def test_mean_of_polya_gamma_variables_at_any_tilt():
    eta = np.r_[0.0, np.geomspace(1e-8, 1e6, 4000), 0.1, 700, 701]
    w = np.empty(eta.size)
    tilted_means(eta**2, np.full(eta.size, 2.5), w)
    far = np.maximum(eta, 1e-3)
    exact = np.where(eta < 1e-3, 0.25 - eta**2 / 48 + eta**4 / 480, np.tanh(far / 2) / (2 * far))
    np.testing.assert_allclose(w, 2.5 * exact, rtol=3e-15)
    tilted_means(np.array([-1e-18]), np.ones(1), w)
    assert w[0] == 0.25


# --- What is learned -------------------------------------------------------------------------


def test_precision_of_noise_counts_observed_entries_alone():
    values = np.array([[1.0, np.nan, -2.0], [np.nan, np.nan, 0.5]])
    likelihood = NormalEntries(values, Gamma(2.0, 3.0))
    psi, square = np.full((2, 3), 0.5), np.full((2, 3), 0.75)
    likelihood.learn(psi, square)
    squares = sum(x**2 - 2 * x * 0.5 + 0.75 for x in (1.0, -2.0, 0.5))
    assert likelihood.noise.posterior.shape == 2.0 + 3 / 2
    assert likelihood.noise.posterior.rate == pytest.approx(3.0 + squares / 2)
    assert likelihood.added_variance() == pytest.approx((3.0 + squares / 2) / 3.5)


def test_explicit_noise_is_coordinate_ascent_of_its_own_bound():
    """Its q(ψ^) is a minimum of nothing but the bound: moving it either way lowers that."""
    likelihood = ExplicitNoise(PolyaGamma(DATA["binary"]), WEAK)
    rng = np.random.default_rng(2)
    psi = rng.normal(size=likelihood.seen.shape)
    square = psi**2 + 0.3
    for _ in range(300):
        likelihood.refresh(psi, square)
        likelihood.learn(psi, square)
    assert likelihood.noise.posterior.shape == 0.5 + np.count_nonzero(likelihood.seen) / 2
    best = likelihood.bound(psi, square)
    for name in ("_mean", "_variance"):
        array = getattr(likelihood, name)
        for factor in (0.97, 1.03):
            setattr(likelihood, name, array * factor)
            assert likelihood.bound(psi, square) < best
        setattr(likelihood, name, array)


def test_tables_and_rate_of_the_size_by_hand():
    tallies = np.array([[3, 0], [0, 5], [2, -1]], np.int32)
    likelihood = NegativeBinomial(tallies, Gamma(2.0, 1.5))
    psi = np.array([[0.3, -1.0], [2.0, 0.5], [-0.7, 9.0]])
    square = psi**2 + 0.4
    likelihood.learn(psi, square)
    r = np.exp(digamma(2.0) - np.log(1.5))
    tables = [r * (digamma(x + r) - digamma(r)) for x in (3, 2, 5)]
    eta = np.sqrt(square)
    rates = 0.5 * psi + np.log(2 * np.cosh(eta / 2))
    np.testing.assert_allclose(likelihood.posterior.shape, [2 + tables[0] + tables[1], 2 + tables[2]])
    np.testing.assert_allclose(likelihood.posterior.rate, [1.5 + rates[:, 0].sum(), 1.5 + rates[:2, 1].sum()])
    np.testing.assert_allclose(likelihood.size, likelihood.posterior.shape / likelihood.posterior.rate)


def test_the_size_of_a_column_maximizes_the_bound():
    likelihood = LIKELIHOODS["negative binomial"](DATA)
    psi = np.random.default_rng(3).normal(size=likelihood.seen.shape)
    square = psi**2 + 0.2
    before = likelihood.bound(psi, square)
    for _ in range(200):
        likelihood.learn(psi, square)
        assert likelihood.bound(psi, square) >= before - 1e-9
        before = likelihood.bound(psi, square)
    law = likelihood.posterior
    for shape, rate in ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98)):
        likelihood.posterior = Gamma(law.shape * shape, law.rate * rate)
        likelihood.size = likelihood.posterior.mean
        assert likelihood.bound(psi, square) < before


def test_divergence_of_gamma_distributions_by_quadrature():
    one, other = Gamma(2.5, 1.3), Gamma(0.7, 2.0)
    q, p = gamma(2.5, scale=1 / 1.3), gamma(0.7, scale=1 / 2.0)
    exact, _ = quad(lambda x: q.pdf(x) * (q.logpdf(x) - p.logpdf(x)), 0, 60, limit=200)
    assert one.divergence(other) == pytest.approx(exact, rel=1e-8)
    assert one.divergence(one) == 0
    assert one.mean_log == pytest.approx(quad(lambda x: q.pdf(x) * np.log(x), 0, 60)[0])
    assert one.mean == pytest.approx(2.5 / 1.3)


# --- Means under a normal ψ --------------------------------------------------------------------


@pytest.mark.parametrize("deviation", [0.0, 0.1, 1.0, 3.0, 20.0])
def test_probabilities_under_a_normal_distribution_by_quadrature(deviation):
    means = np.array([-30.0, -4.0, 0.0, 1.3, 9.0])
    found = probability(means, np.full(5, deviation**2))
    for mean, value in zip(means, found, strict=True):
        parts = np.clip([-mean / max(deviation, 1e-9), 0.0], -11, 11)
        exact = (
            quad(
                lambda z, m=mean: norm.pdf(z) * expit(m + deviation * z),
                -12,
                12,
                points=sorted(parts),
                limit=400,
                epsabs=1e-13,
            )[0]
            if deviation
            else expit(mean)
        )
        assert value == pytest.approx(exact, rel=1e-6, abs=1e-9)


def test_means_under_normal_distributions_of_different_widths_are_put_in_their_places():
    rng = np.random.default_rng(4)
    mean, variance = rng.normal(size=(5, 4)), rng.choice([0.01, 4.0, 30.0], (5, 4))
    squares = mean_under_normal(np.square, mean, variance)
    np.testing.assert_allclose(squares, mean**2 + variance, rtol=1e-9)
    assert probability(np.array([40.0]), np.zeros(1))[0] <= 1


@pytest.mark.parametrize("entries", [0, 1, 7, 8, 9, 16, 17])
def test_means_of_every_entry_of_every_block(entries, monkeypatch):
    monkeypatch.setattr(sigmoid, "AT_ONCE", 8)
    signal_unwritten(monkeypatch)
    mean, variance = np.linspace(-2.0, 2.0, entries), np.linspace(0.1, 0.4, entries)
    np.testing.assert_allclose(mean_under_normal(np.square, mean, variance), mean**2 + variance, rtol=1e-9)


@pytest.mark.parametrize("deviation", [1e4, 1.01e4, 1e10, 1e50])
def test_very_wide_distributions_need_no_more_nodes(deviation):
    """An effect of an empty line has its prior's variance, which may be anything: σ is a step there."""
    mean = np.array([0.0, 0.7, -1.3]) * deviation
    variance = np.full(3, deviation**2)
    np.testing.assert_allclose(probability(mean, variance), norm.cdf(mean / deviation), atol=1e-8)
    V = np.array([[0.0, 1, 1], [np.nan, np.nan, np.nan], [1, 0, 1]])
    model = nbmf.LogisticFactorVB(1, effects="rows", effect_scale=deviation, max_iter=5, random_state=0).fit(V)
    np.testing.assert_allclose(model.expectation_[1], 0.5, atol=1e-3)
