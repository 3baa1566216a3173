"""Axes of counts: how the composition of rows differs, apart from how much was counted in each."""

import warnings

import numpy as np
import pytest
from scipy import stats

import nbmf
from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import PoorFitWarning
from nbmf.families.logistic.factors import psi_of
from nbmf.posterior.nearest import nearest_fit_rows
from nbmf.posterior.new_rows import NewRows, place_rows
from nbmf.posterior.scale import FROM_DRAWS, GIVEN_SLOPES, has_scale, scale_of
from nbmf.posterior.scale_axes import remove_row_effects
from nbmf.posterior.scale_distributions import Cuts, Sizes
from nbmf.posterior.scale_tables import columns_table, rows_table

EFFECTS = {"effects": "both", "effect_scale": "learned"}


def planted(F, N, K, seed, size=2.0):
    """Return counts, positions (F, K) of mean 0, variance 1 and no correlation, slopes (K, N) and effects of rows."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(F, K))
    W = np.linalg.qr(W - W.mean(axis=0))[0] * np.sqrt(F)
    H = np.zeros((K, N))
    H[np.arange(N) % K, np.arange(N)] = rng.uniform(0.4, 1.2, N) * rng.choice([-1, 1], N)
    effects = 0.8 * rng.normal(size=F)
    rate = np.exp(W @ H + effects[:, None] + 0.7 * rng.normal(size=N))
    return rng.poisson(rate * rng.gamma(size, 1 / size, rate.shape)), W, H, effects


def fitted(counts, K=6, **settings):
    given = {"ard": True, "ard_after": 100, "random_state": 0, **EFFECTS, **settings}
    return nbmf.NegativeBinomialFactorVB(K, **given).fit(counts)


@pytest.fixture(scope="module")
def two():
    counts, W, H, effects = planted(120, 30, 2, seed=1)
    matrix = CountMatrix.from_array(counts)
    model = fitted(matrix)
    return matrix, model, scale_of(model, matrix), W, H, effects


@pytest.mark.parametrize("law", ["counts", "zeros and ones", "categories"])
def test_moments_and_information_are_those_of_the_distribution(law):
    """By sums over all values; information is minus the mean second derivative of log p, by differences."""
    psi = np.array([[-1.2, 0.4, 1.1]])
    if law == "counts":
        sizes, values = np.array([0.5, 2.0, 7.0]), np.arange(4000)
        of = Sizes(sizes)

        def log_p(x):
            return stats.nbinom.logpmf(values[:, None], sizes, 1 / (1 + np.exp(x)))
    else:
        cuts = np.array([[0.0]] * 3) if law == "zeros and ones" else np.array([[-1.0, 0.2, 1.5]] * 3)
        of, values = Cuts(cuts), np.arange(cuts.shape[1] + 1)

        def log_p(x):
            above = np.column_stack([np.ones(3), 1 / (1 + np.exp(cuts - x[:, None])), np.zeros(3)])
            return np.log(above[:, :-1] - above[:, 1:]).T

    p, h = np.exp(log_p(psi[0])), 1e-4
    mean = (p * values[:, None]).sum(axis=0)
    variance = (p * (values[:, None] - mean) ** 2).sum(axis=0)
    second = (log_p(psi[0] + h) - 2 * log_p(psi[0]) + log_p(psi[0] - h)) / h**2
    found = of.conditional_on(psi)
    np.testing.assert_allclose(found.mean[0], mean, rtol=1e-6)
    np.testing.assert_allclose(found.variance[0], variance, rtol=1e-5)
    np.testing.assert_allclose(found.information[0], -(p * second).sum(axis=0), rtol=1e-4)
    drawn = of.conditional_on(np.repeat(psi, 40_000, axis=0)).draw(np.random.default_rng(0))
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=5 * np.sqrt(variance.max() / 40_000))
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.1)
    assert found.as_float32().mean.dtype == np.float32


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 0.2, 1.5]])
def test_residuals_of_zeros_and_ones_and_of_categories_are_scores(cuts):
    """Derivatives of log p, by differences, with mean 0 and the variance that they are said to have."""
    psi, of = np.array([[-1.2, 0.4, 1.1]]), Cuts(np.array([cuts] * 3))
    values, h = np.arange(len(cuts) + 1), 1e-5

    def p(x):
        above = np.column_stack([np.ones(3), 1 / (1 + np.exp(np.array(cuts) - x[:, None])), np.zeros(3)])
        return (above[:, :-1] - above[:, 1:]).T

    derivatives = (np.log(p(psi[0] + h)) - np.log(p(psi[0] - h))) / (2 * h)
    given = of.conditional_on(np.repeat(psi, len(values), axis=0))
    residuals = given.residuals(np.repeat(values[:, None], 3, axis=1))
    np.testing.assert_allclose(residuals, derivatives, atol=1e-8)
    np.testing.assert_allclose((p(psi[0]) * residuals).sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose((p(psi[0]) * residuals**2).sum(axis=0), given.variance_of_residuals[0])


def test_as_many_axes_are_kept_as_there_are_and_effects_of_rows_are_none(two):
    _, _, scale, W, H, effects = two
    assert scale.has_counts
    assert (scale.kept, scale.interval_kind) == (2, GIVEN_SLOPES)
    correlations = np.corrcoef(scale.positions[:, :2].T, W.T)[:2, 2:]
    matched = np.abs(correlations).argmax(axis=1)
    assert sorted(matched) == [0, 1]
    assert np.abs(correlations).max(axis=1).min() > 0.9
    assert np.abs(np.corrcoef(scale.positions[:, :2].T, effects)[:2, 2]).max() < 0.3
    for a, k in enumerate(matched):
        sign = np.sign(correlations[a, k])
        assert np.corrcoef(scale.discrimination[:, a], sign * H[k])[0, 1] > 0.9
        inside = (scale.lower[:, a] <= sign * W[:, k]) & (sign * W[:, k] <= scale.upper[:, a])
        assert 0.8 < inside.mean() < 0.97
    assert np.abs(scale.mean_correlation[:2]).max() < 0.6  # with the sums of rows
    assert scale.has_row_effects


def test_axes_say_what_the_model_says(two):
    """log E[v] is that of the model less the row's effect, position by slope; ends are rows of average effect."""
    _, model, scale, *_ = two
    factors, effects = model.factors_, model.row_effects_
    positions = scale.positions_of(factors)
    psi = positions @ scale.discrimination.T - scale.thresholds[:, 0] + (effects - effects.mean())[:, None]
    np.testing.assert_allclose(psi, psi_of(factors), atol=1e-6)
    np.testing.assert_allclose(scale.levels, model.sizes_ * np.exp(-scale.thresholds[:, 0]), rtol=1e-12)
    low = scale.order(0)[: scale.n_end]
    rate = model.sizes_ * np.exp(positions[low] @ scale.discrimination.T - scale.thresholds[:, 0])
    np.testing.assert_allclose(scale.low[:, 0], rate.mean(axis=0), rtol=1e-6)
    columns = columns_table(scale)
    assert list(columns)[:3] == ["column", "level", "slope on axis 1"]
    assert "count at the low end of axis 1" in columns
    assert not [name for name in columns if "difficulty" in name or "location" in name]
    np.testing.assert_allclose(rows_table(scale)["axis 1"], scale.positions[:, 0])


def test_new_rows_are_placed_by_their_composition_however_much_was_counted(two):
    matrix, model, scale, *_ = two
    counts = matrix.tallies
    own = counts[:8]
    names = np.array([f"r{i}" for i in range(16)])
    rows = NewRows(np.vstack([own, 5 * own]), names, [], [], [])
    found = place_rows(model, rows, matrix=matrix, scale=scale)
    once, more = found.values[:8, :2], found.values[8:, :2]
    np.testing.assert_allclose(once, scale.positions[:8, :2], atol=0.35)
    np.testing.assert_allclose(once, more, atol=0.4)
    assert (found.upper - found.lower)[8:, :2].mean() < (found.upper - found.lower)[:8, :2].mean()
    known = remove_row_effects(model.expectation_, model.factors_)
    nearest = nearest_fit_rows(found.compared, known).places[:, :3]
    assert all(i % 8 in places for i, places in enumerate(nearest))


def test_draws_of_a_sampler_give_the_intervals():
    counts, W, *_ = planted(60, 20, 1, seed=5)
    matrix = CountMatrix.from_array(counts)
    model = nbmf.NegativeBinomialFactorGibbs(2, burn_in=200, n_samples=300, random_state=1, **EFFECTS)
    draws = nbmf.posterior_draws(model, matrix, n_draws=100)
    scale = scale_of(model, matrix, draws=draws)
    assert scale.interval_kind == FROM_DRAWS
    sign = np.sign(np.corrcoef(scale.positions[:, 0], W[:, 0])[0, 1])
    inside = (scale.lower[:, 0] <= sign * W[:, 0]) & (sign * W[:, 0] <= scale.upper[:, 0])
    assert 0.78 < inside.mean() <= 1
    assert abs(np.corrcoef(scale.positions[:, 0], W[:, 0])[0, 1]) > 0.85


@pytest.mark.parametrize("settings", [{"effects": "none"}, {"effects": "columns"}, {"effects": "rows"}])
def test_models_with_other_effects_have_axes_too(settings):
    counts, *_ = planted(50, 12, 1, seed=2)
    matrix = CountMatrix.from_array(counts)
    scale = scale_of(fitted(matrix, 2, **settings), matrix)
    assert scale.has_row_effects == (settings["effects"] == "rows")
    assert np.isfinite(scale.positions).all()
    assert (scale.levels > 0).all()


def test_effects_alone_are_no_scale():
    counts, *_ = planted(30, 8, 1, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorFitWarning)
        assert not has_scale(fitted(counts, 0))


def test_what_precisions_have_pruned_is_no_axis_and_no_component():
    rng = np.random.default_rng(7)
    level = np.exp(rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=15))
    model = fitted(rng.poisson(level * rng.gamma(2.0, 0.5, level.shape)), 4)
    assert not has_scale(model)
    assert model.active_components_ == 0
    assert np.abs(model.W_ @ model.H_).max() < 0.01


def test_counts_with_explicit_noise_have_components_and_no_scale():
    counts, *_ = planted(40, 12, 1, seed=3)
    model = nbmf.NegativeBinomialFactorVB(2, noise=True, max_iter=100, random_state=0).fit(counts)
    assert not has_scale(model)
    assert not has_scale(model.set_params(noise=False))  # which is for the next fit
    assert np.abs(model.W_ @ model.H_).max() > 0.1


@pytest.mark.parametrize("mean", [3, 300, 30_000, 3_000_000])
def test_axes_of_large_counts_are_found_as_those_of_small_ones(mean):
    """An update goes only a small part of the way where counts are large: fits begin near where they end."""
    rng = np.random.default_rng(8)
    W, H = rng.normal(size=80), rng.uniform(0.4, 1.0, 20) * rng.choice([-1, 1], 20)
    rate = mean * np.exp(np.outer(W, H) + 0.5 * rng.normal(size=(80, 1)) + 0.7 * rng.normal(size=20))
    counts = rng.poisson(rate * rng.gamma(3.0, 1 / 3.0, rate.shape))
    hidden = rng.random(counts.shape) < 0.1
    losses = {}
    for K in (0, 4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorFitWarning)
            model = fitted(np.where(hidden, -1, counts), K)
        losses[K] = model.likelihood.losses(counts[hidden], model.predictive(*np.nonzero(hidden))).mean()
    assert losses[4] < losses[0] - 0.1
    assert abs(np.corrcoef(model.W_[:, 0], W)[0, 1]) > 0.85
