"""The laws of Indian buffets: exact sums, both simulations against the class probabilities."""

import itertools
import math
from fractions import Fraction
from functools import partial

import buffet_twin as twin
import ladder
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betaln, gammaln

from nbmf.errors import ConfigError
from nbmf.families.buffet import shapes
from nbmf.families.buffet.buffet_priors import buffet_prior, left_order
from nbmf.numerics.random import generator_states

CIBP = buffet_prior("cibp", 1.3, 1.2, 0.9)
IBP = buffet_prior("ibp", 1.1, 0, 1.5)
BOTH = pytest.mark.parametrize("prior", [CIBP, IBP], ids=["cibp", "ibp"])


# --- Rates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [0, 1, 4, 10])
@pytest.mark.parametrize("alpha", [1, 2, 10])
def test_rates_of_the_cibp_are_exact_fractions(alpha, kappa):
    # λ_j = γ B(α + 1, κ + j) / B(α, κ + 1) for whole numbers, by factorials.
    def beta(x, y):
        return Fraction(math.factorial(x - 1) * math.factorial(y - 1), math.factorial(x + y - 1))

    prior = buffet_prior("cibp", 1, alpha, kappa)
    total = Fraction(0)
    for j in range(1, 41):
        rate = beta(alpha + 1, kappa + j) / beta(alpha, kappa + 1)
        total += rate
        expected = math.log(rate.numerator) - math.log(rate.denominator)
        assert prior.log_rate(j) == pytest.approx(expected, rel=1e-13, abs=1e-13)
        assert prior.features_per_mass(j) == pytest.approx(float(total), rel=1e-13)
        assert total == 1 - beta(alpha, kappa + 1 + j) / beta(alpha, kappa + 1)
    assert prior.expected_row_sum == pytest.approx(alpha / (alpha + kappa + 1))


@pytest.mark.parametrize("kappa", [Fraction(1, 2), Fraction(4)])
def test_rates_of_the_ibp_are_exact_fractions(kappa):
    prior = buffet_prior("ibp", 2.5, 0, float(kappa))
    total = Fraction(0)
    for j in range(1, 41):
        rate = Fraction(5, 2) * kappa / (kappa + j)  # of the first customer as well
        total += rate
        assert prior.log_rate(j) == pytest.approx(math.log(rate), rel=1e-13)
        assert prior.expected_features(j) == pytest.approx(float(total), rel=1e-13)


def test_rates_that_are_too_small_for_a_double_keep_their_logarithm():
    prior = buffet_prior("cibp", 1.0, 2000.0, 1.0)
    assert math.exp(prior.log_rate(5000)) == 0.0
    expected = betaln(2001.0, 5001.0) - betaln(2000.0, 2.0)
    assert prior.log_rate(5000) == pytest.approx(expected, rel=1e-12)
    assert prior.features_per_mass(5000) == 1.0
    assert buffet_prior("cibp", 1.0, 1e-12, 1.0).features_per_mass(9) == pytest.approx(
        1e-12 * sum(1 / (1 + j) for j in range(1, 10)), rel=1e-11
    )


@pytest.mark.parametrize(
    ("alpha", "features", "row_sum"), [(5, 4.00, 2.0), (1, 18.18, 10 / 3), (0.5, 28.21, 40 / 11), (0.01, 49.21, 3.992)]
)
def test_the_cibp_of_figure_1_nears_the_ibp(alpha, features, row_sum):
    # ω = 5, κ = 4, p = 50: E[K+] and expected row sums of the companion note.
    prior = buffet_prior("cibp", 20 / alpha, alpha, 4)
    assert prior.expected_features(50) == pytest.approx(features, abs=0.006)
    assert prior.expected_row_sum == pytest.approx(row_sum, rel=1e-4)
    limit = buffet_prior("ibp", 5, 0, 4)
    near = buffet_prior("cibp", 20 / 1e-9, 1e-9, 4)
    assert limit.expected_features(50) == pytest.approx(49.84, abs=0.006)
    assert near.expected_features(50) == pytest.approx(limit.expected_features(50), rel=1e-7)
    np.testing.assert_allclose(
        near.log_weights(50) + math.log(near.mass), limit.log_weights(50) + math.log(5), rtol=1e-6
    )


@BOTH
def test_weights_are_integrals_over_the_intensity(prior):
    # ∫ c q^{a-1} (1-q)^κ q^m (1-q)^{p-m} dq, and odds are their ratios.
    p, weights, odds = 6, prior.log_weights(6), prior.log_odds(6)
    for m in range(1, p + 1):
        value, _ = integrate.quad(
            lambda q, m=m: math.exp(prior.log_c) * q ** (prior.alpha - 1 + m) * (1 - q) ** (prior.kappa + p - m), 0, 1
        )
        assert weights[m] == pytest.approx(math.log(value), rel=1e-9)
    np.testing.assert_allclose(odds[1:], np.diff(weights)[1:], rtol=1e-12)
    assert weights[0] == odds[0] == -math.inf
    # A singleton of the last of p customers has the weight of its birth.
    assert math.log(prior.mass) + weights[1] == pytest.approx(prior.log_rate(p), rel=1e-12)


# --- The class probabilities ------------------------------------------------------------------


def classes(p, most):
    """Yield every Ξ of p rows with at most so many columns, once for each class."""
    kinds = list(itertools.product((0, 1), repeat=p))[1:]
    for K in range(most + 1):
        for columns in itertools.combinations_with_replacement(kinds, K):
            yield np.array(columns, int).reshape(K, p).T


@pytest.mark.parametrize("p", [1, 2, 3])
@BOTH
def test_class_probabilities_sum_to_the_poisson_distribution_of_K(prior, p):
    sums = np.zeros(5)
    for Xi in classes(p, 4):
        sums[Xi.shape[1]] += math.exp(twin.log_pmf(prior, Xi))
    expected = stats.poisson(prior.expected_features(p)).pmf(np.arange(5))
    np.testing.assert_allclose(sums, expected, rtol=1e-12)


def class_counts(draw, classes_, size):
    index = {Xi[:, left_order(Xi)].tobytes(): i for i, Xi in enumerate(classes_)}
    counts = np.zeros(len(classes_) + 1)
    for _ in range(size):
        counts[index.get(draw().astype(int).tobytes(), -1)] += 1
    return counts


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("prior", "draw"),
    [(CIBP, CIBP.draw), (IBP, IBP.draw), (CIBP, partial(twin.draw_by_hierarchy, CIBP))],
    ids=["cibp", "ibp", "cibp by its hierarchy"],
)
def test_simulations_have_the_class_probabilities(prior, draw):
    # Chi-square over all classes with at most four dishes, false alarm rate 1e-6.
    rng, all_classes = np.random.default_rng(2), list(classes(3, 4))
    p = np.exp([twin.log_pmf(prior, Xi) for Xi in all_classes])
    counts = class_counts(lambda: draw(3, rng), all_classes, 20_000)
    assert ladder.chi_square_p(counts, np.append(p, 1 - p.sum())) > ladder.FALSE_ALARM


@pytest.mark.statistics
def test_the_printed_first_customer_of_the_ibp_is_noticed():
    # Poisson(ω) dishes instead of Poisson(ωκ / (κ + 1)): rows are not exchangeable.
    rng, all_classes = np.random.default_rng(3), list(classes(3, 4))

    def printed():
        prior, rows, takers = IBP, [], np.zeros(0, int)
        for j in range(1, 4):
            known = rng.random(takers.size) < takers / (j + prior.kappa)
            new = rng.poisson(prior.mass if j == 1 else math.exp(prior.log_rate(j)))
            rows.append(np.concatenate([known, np.ones(new, bool)]))
            takers = np.concatenate([takers, np.zeros(new, int)]) + rows[-1]
        Xi = np.array([np.pad(row, (0, takers.size - row.size)) for row in rows], int)
        return Xi[:, left_order(Xi)]

    p = np.exp([twin.log_pmf(IBP, Xi) for Xi in all_classes])
    counts = class_counts(printed, all_classes, 20_000)
    assert ladder.chi_square_p(counts, np.append(p, 1 - p.sum())) < 1e-100


@BOTH
def test_rows_are_exchangeable_and_columns_have_no_order(prior):
    rng = np.random.default_rng(4)
    for _ in range(10):
        Xi = prior.draw(5, rng)
        other = Xi[rng.permutation(5)][:, rng.permutation(Xi.shape[1])]
        assert twin.log_pmf(prior, other) == pytest.approx(twin.log_pmf(prior, Xi), rel=1e-12)
        np.testing.assert_array_equal(other[:, left_order(other)].sum(), Xi.sum())


def test_the_left_order_has_columns_of_early_rows_first():
    Xi = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_array_equal(left_order(Xi), [2, 1, 0, 3])
    assert left_order(np.zeros((3, 0), int)).shape == (0,)


# --- α and κ ----------------------------------------------------------------------------------


@pytest.mark.statistics
@pytest.mark.parametrize("prior", [CIBP, IBP], ids=["cibp", "ibp"])
@pytest.mark.parametrize("name", ["alpha", "kappa"])
def test_slices_draw_from_the_distribution_of_a_shape(prior, name):
    # Given the dishes; the exact law by quadrature over log α or log κ, chi-square, rate 1e-6.
    if prior.name == "ibp" and name == "alpha":
        generator = generator_states(ladder.seed_sequence(1), 1)[0]
        assert shapes.renew(prior, ("alpha",), np.array([1]), 4, generator) == prior
        return
    takers, p = np.array([1, 4, 2, 2]), 4
    x = np.linspace(-10, 5, 3001)
    density = []
    for value in np.exp(x):
        now = prior._replace(**{name: value})
        total = takers.size * math.log(now.mass) - now.mass * now.features_per_mass(p)
        weights = now.log_c + (
            gammaln(now.alpha + takers) + gammaln(now.kappa + 1 + p - takers) - gammaln(now.alpha + now.kappa + 1 + p)
        )
        density.append(total + weights.sum() - value + math.log(value))
    weight = np.exp(np.array(density) - max(density))
    edges = np.interp(np.linspace(0, 1, 11)[1:-1], np.cumsum(weight) / weight.sum(), x)
    generator, counts = generator_states(ladder.seed_sequence(5), 1)[0], np.zeros(10)
    for number in range(8000):
        prior = shapes.renew(prior, (name,), takers, p, generator)
        if number % 2:
            counts[np.searchsorted(edges, math.log(getattr(prior, name)))] += 1
    assert ladder.chi_square_p(counts, np.full(10, 0.1)) > ladder.FALSE_ALARM


# --- Settings that mean nothing ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("cipb", 1, 1, 1), "prior = 'cipb': must be 'cibp' or 'ibp'"),
        (("ibp", 1, 0, 0), "kappa = 0: .* would never make a dish; .*one-parameter"),
        (("cibp", 1, 0, 1), "alpha = 0: must be a number above 0, .*prior = 'ibp'"),
        (("ibp", 1, 2.0, 1), "alpha = 2.0: must be 0, as the IBP has none, or prior = 'cibp'"),
        (("cibp", 0, 1, 1), "mass = 0: must be a number above 0: with 0 nobody"),
        (("cibp", -1, 1, 1), "mass = -1: must be a number of at least 0"),
        (("cibp", 1, math.inf, 1), "alpha = inf: must be"),
        (("cibp", 1, 1, math.nan), "kappa = nan: must be"),
        (("cibp", "much", 1, 1), "mass = 'much'"),
    ],
)
def test_settings_without_meaning_are_refused(given, words):
    with pytest.raises(ConfigError, match=words):
        buffet_prior(*given)


def test_the_cibp_allows_kappa_zero():
    assert buffet_prior("cibp", 1, 2, 0).expected_features(3) < 1
