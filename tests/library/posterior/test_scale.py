"""Scales: how many axes, where rows lie on them, and what columns say, of matrices whose truth is known."""

import dataclasses
import time

import numpy as np
import pytest
from drawn_scales import drawn, one_scale, one_strong_axis, two_scales
from scipy import stats
from scipy.special import expit

import nbmf
from nbmf import registry
from nbmf.errors import ConfigError, NotSupportedError
from nbmf.inference import blocks
from nbmf.posterior.scale import FROM_DRAWS, GIVEN_COLUMNS, has_scale, scale_of
from nbmf.posterior.scale_axes import KINDS, NOISE, WEAK, Axes, orient_axes
from nbmf.posterior.scale_distributions import Cuts
from nbmf.posterior.scale_intervals import r_hat_of_positions, typical_half_width
from nbmf.posterior.scale_tables import columns_table, rows_table


def fitted(matrix, K=8, effects="columns", **settings):
    return nbmf.LogisticFactorVB(K, effects=effects, random_state=0, **settings).fit(matrix)


def correlation(x, y):
    return abs(np.corrcoef(x, y)[0, 1])


# Their axes have no positions in a report: features that are there or not, rows that move, other kinds of cells, and
# a model without effects or a prior.
WITHOUT_A_SCALE = {
    "IndianBuffetLogistic",
    "IndianBuffetGaussian",
    "DynamicFactorGibbs",
    "SoftplusPoissonFactorVB",
    "GaussianFactorVB",
    "LogisticPCA",
}


def test_a_class_of_axes_has_a_scale_unless_it_is_known_to_have_none():
    """A new class belongs into one of the two lists."""
    classes = {name: registry.model_class(name) for name in registry.all_classes() if registry.is_factorization(name)}
    of_axes = {name for name, found in classes.items() if found().has_axes}
    assert of_axes - WITHOUT_A_SCALE == {name for name, found in classes.items() if issubclass(found, KINDS)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_scales_are_two_axes_and_each_column_loads_on_its_own(seed):
    matrix, truth = two_scales(seed=seed)
    scale = scale_of(fitted(matrix), matrix)
    assert scale.kept == 2
    sizes = np.abs(scale.discrimination[:, :2])
    first = int(sizes[:20].sum(axis=0).argmax())  # the axis of the first scale
    own, other = np.r_[sizes[:20, first], sizes[20:, 1 - first]], np.r_[sizes[:20, 1 - first], sizes[20:, first]]
    assert np.mean(own > 3 * other) >= 0.95
    for axis, of_scale in ((first, 0), (1 - first, 1)):
        assert correlation(scale.positions[:, axis], truth[:, of_scale]) > 0.85


def test_scales_that_correlate_are_rotated_apart():
    """Principal axes of two alike scales that correlate are their sum and their difference."""
    rng = np.random.default_rng(3)
    truth = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 300)
    slopes = np.zeros((40, 2))
    slopes[:20, 0] = slopes[20:, 1] = 1.5
    matrix = drawn(truth, slopes, np.zeros(40), rng)
    scale = scale_of(fitted(matrix), matrix)
    assert (scale.kept, scale.rotated) == (2, True)
    sizes = np.abs(scale.discrimination[:, :2])
    own = sizes[np.arange(40), np.repeat([0, 1], 20) ^ int(sizes[0, 1] > sizes[0, 0])]
    assert np.mean(own > 2 * (sizes.sum(axis=1) - own)) >= 0.95


def test_one_strong_axis_with_weak_ones_is_one_axis():
    matrix, truth = one_strong_axis()
    scale = scale_of(fitted(matrix), matrix)
    assert (scale.kept, scale.limit, scale.rotated) == (1, WEAK, False)
    assert correlation(scale.positions[:, 0], truth[:, 0]) > 0.9
    assert 7 in (*scale.order()[:3], *scale.order()[-3:])  # the row at -3.2
    assert scale.shares[0] > 0.8
    assert scale.shares.sum() == pytest.approx(1)


def test_axes_of_noise_are_not_kept():
    """Of a matrix without any, the second axis is nearly as large as the first."""
    rng = np.random.default_rng(0)
    matrix = drawn(np.zeros((80, 1)), np.zeros((30, 1)), rng.standard_normal(30), rng)
    scale = scale_of(fitted(matrix), matrix)
    assert (scale.kept, scale.limit) == (1, NOISE)


def test_an_intercept_is_no_axis():
    """A component that all rows have with the same sign is how common each column is."""
    rng = np.random.default_rng(0)
    truth, slopes = rng.standard_normal((150, 1)), rng.uniform(0.5, 1, (40, 1))
    difficulties = 3 + 0.5 * rng.standard_normal(40)
    matrix = drawn(truth, slopes, difficulties, rng)
    plain = fitted(matrix, K=2, effects="none")
    assert (plain.W_[:, 0] > 0).all() or (plain.W_[:, 0] < 0).all()
    scale = scale_of(plain, matrix)
    assert scale.kept == 1
    assert correlation(scale.positions[:, 0], truth[:, 0]) > 0.7
    np.testing.assert_allclose(scale.difficulty.mean(), difficulties.mean(), rtol=0.1)


def test_log_odds_are_those_of_the_model():
    matrix, *_ = one_scale()
    for effects in ("none", "columns", "both"):
        model = fitted(matrix, K=2, effects=effects)
        scale = scale_of(model, matrix)
        log_odds = scale.positions @ scale.discrimination.T - scale.difficulty
        np.testing.assert_allclose(expit(log_odds), model.mean(model.factors_), atol=1e-9)
        np.testing.assert_allclose(scale.positions.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(scale.positions.var(axis=0), scale.reliability, atol=1e-9)


def test_discriminations_and_difficulties_are_those_that_were_drawn():
    matrix, truth, slopes, difficulties = one_scale(F=600)
    scale = scale_of(fitted(matrix), matrix)
    unit = truth.std()
    np.testing.assert_allclose(scale.discrimination[:, 0].mean(), (slopes * unit).mean(), rtol=0.1)
    assert correlation(scale.discrimination[:, 0], slopes) > 0.85
    assert np.abs(scale.difficulty - (difficulties - truth.mean() * slopes)).mean() < 0.2
    np.testing.assert_allclose(scale.location, scale.difficulty / scale.discrimination[:, 0])
    assert list(columns_table(scale))[:3] == ["column", "difficulty", "location on axis 1"]
    farthest = 3 * np.abs(scale.positions[:, 0]).max()
    slopes = np.array([0.0, 0.01, -0.01, 1.0, -1.0, 1.0])
    difficulty = np.array([1.0, 1.0, 1.0, 0.999 * farthest, 0.999 * farthest, 1.001 * farthest])
    few = dataclasses.replace(scale, discrimination=slopes[:, None], thresholds=difficulty[:, None])
    np.testing.assert_allclose(few.location, [np.nan] * 3 + [0.999 * farthest, -0.999 * farthest, np.nan])


def test_a_rasch_model_has_one_axis_of_equal_discriminations():
    matrix, truth, *_ = one_scale()
    scale = scale_of(nbmf.LogisticFactorVB(0, effects="both", random_state=0).fit(matrix), matrix)
    assert scale.positions.shape == (150, 1)
    assert np.ptp(scale.discrimination) < 1e-9
    assert correlation(scale.positions[:, 0], truth) > 0.9


def test_signs_depend_on_no_sign_of_the_factors():
    matrix, _ = two_scales(F=60)
    model = fitted(matrix)
    scale = scale_of(model, matrix)
    assert (scale.discrimination.sum(axis=0) >= 0).all()
    model.W_, model.H_ = -model.W_, -model.H_
    turned = scale_of(model, matrix)
    for field in dataclasses.fields(scale):
        one, other = getattr(scale, field.name), getattr(turned, field.name)
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, atol=1e-8)
    np.testing.assert_array_equal(scale_of(model, matrix).positions, turned.positions)  # the same bits


def test_balanced_discriminations_have_a_sign_as_well():
    loadings = np.array([[-2.0], [1.0], [1.0]])
    axes = Axes(np.ones((3, 1)), loadings, np.zeros(3), Cuts(np.zeros((3, 1))), np.zeros((1, 1)), np.eye(1))
    np.testing.assert_array_equal(orient_axes(axes).loadings[:, 0], [2, -1, -1])


def coverage(scale, truth):
    """Return the share of rows whose interval on axis 1 holds the truth, standardized."""
    z = (truth - truth.mean()) / truth.std()
    z = z if z @ scale.positions[:, 0] > 0 else -z
    return np.mean((scale.lower[:, 0] <= z) & (z <= scale.upper[:, 0]))


def test_intervals_given_the_columns_hold_the_truth():
    """Of 5 x 100 rows; measured: 0.90. With 450 of 500 expected, 3 standard errors are 0.04."""
    shares, reliability, squares = [], [], []
    for seed in range(5):
        matrix, truth, *_ = one_scale(F=100, seed=seed)
        scale = scale_of(fitted(matrix), matrix)
        assert scale.interval_kind == GIVEN_COLUMNS
        shares.append(coverage(scale, truth))
        reliability.append(scale.reliability[0])
        squares.append(correlation(scale.positions[:, 0], truth) ** 2)
    assert 0.84 <= np.mean(shares) <= 0.95
    assert np.mean(reliability) == pytest.approx(np.mean(squares), abs=0.03)  # which it stands for


def test_the_posterior_mode_has_a_scale_with_wide_intervals():
    """Its discriminations are too small, so that a row's entries seem to say less than they do; measured: 0.96."""
    shares, slopes = [], []
    for seed in range(3):
        matrix, truth, *_ = one_scale(F=100, seed=seed)
        scale = scale_of(nbmf.LogisticFactorMAP(random_state=seed).fit(matrix), matrix)
        assert (scale.kept, scale.interval_kind) == (1, GIVEN_COLUMNS)
        usual = scale_of(fitted(matrix), matrix)
        assert abs(correlation(scale.positions[:, 0], usual.positions[:, 0])) > 0.97
        shares.append(coverage(scale, truth))
        slopes.append(np.median(np.abs(scale.discrimination[:, 0] / usual.discrimination[:, 0])))
    assert 0.92 <= np.mean(shares) <= 0.99
    assert 0.5 < np.mean(slopes) < 0.9


def test_intervals_given_the_columns_do_not_depend_on_how_many_rows_are_taken_at_once(monkeypatch):
    matrix, *_ = one_scale(F=30)
    model = fitted(matrix)
    at_once = scale_of(model, matrix)
    monkeypatch.setattr(blocks, "NUMBERS_AT_ONCE", 1)
    one_by_one = scale_of(model, matrix)
    for name in ("positions", "lower", "upper", "reliability"):
        np.testing.assert_allclose(getattr(one_by_one, name), getattr(at_once, name), rtol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_given_the_columns_are_those_of_each_rows_information(level):
    """Row by row: the inverse of I + Σ p (1 - p) d d' over what is observed; and 1 - its mean is the reliability."""
    matrix, _ = two_scales(F=25)
    codes = np.where(np.random.default_rng(1).random(matrix.shape) < 0.2, -1, matrix.codes)
    matrix = nbmf.BinaryMatrix.from_array(codes)
    model = fitted(matrix, K=2)
    scale = scale_of(model, matrix, level=level)
    p, d = model.mean(model.factors_), scale.discrimination
    variances = []
    for f in range(25):
        seen = codes[f] >= 0
        information = (d[seen].T * (p[f] * (1 - p[f]))[seen]) @ d[seen]
        variances.append(np.diag(np.linalg.inv(np.eye(d.shape[1]) + information)))
    reach = stats.norm.interval(level)[1] * np.sqrt(variances)
    np.testing.assert_allclose(scale.upper - scale.positions, reach, rtol=1e-5)
    np.testing.assert_allclose(scale.positions - scale.lower, reach, rtol=1e-5)
    np.testing.assert_allclose(scale.reliability, 1 - np.mean(variances, axis=0), rtol=1e-5)


@pytest.mark.parametrize("apart", [0.0, 0.1, 0.3])
def test_r_hat_of_positions_is_about_that_of_a_typical_row(apart):
    """Of four chains whose means of a row differ by some standard deviations, by ArviZ's definition without ranks."""
    rng = np.random.default_rng(0)
    draws = 0.2 * (rng.normal(size=(4, 2000, 300)) + apart * rng.normal(size=(4, 1, 300)))
    lower, upper = np.quantile(draws.reshape(-1, 300), [0.05, 0.95], axis=0)[:, :, None]
    means = draws.mean(axis=1)
    between = np.sqrt(means.var(axis=0, ddof=1).mean(keepdims=True))
    split = draws.reshape(8, 1000, 300)
    within = split.var(axis=1, ddof=1).mean(axis=0)
    r_hat = np.sqrt((within * 999 / 1000 + split.mean(axis=1).var(axis=0, ddof=1)) / within)
    assert r_hat_of_positions(lower, upper, between, 0.9)[0] == pytest.approx(np.sqrt(np.mean(r_hat**2)), rel=0.02)


def test_a_typical_interval_is_the_median_of_the_rows_on_each_axis():
    widths = np.array([[0.2, 2.0], [0.4, 6.0], [1.0, 4.0]])
    np.testing.assert_allclose(typical_half_width(-widths, widths), [0.4, 4.0])


def test_positions_that_differ_by_more_than_all_draws_have_no_finite_r_hat():
    assert np.isinf(r_hat_of_positions(np.zeros((3, 1)), np.ones((3, 1)), np.array([2.0]), 0.9)[0])


def test_intervals_of_draws_are_quantiles_of_standardized_projections():
    """Weibull's rule by NumPy, on positions by least squares of centred log-odds on the discriminations."""
    matrix, *_ = one_scale(F=20)
    model = nbmf.LogisticFactorGibbs(2, effects="both", burn_in=20, n_samples=30, random_state=0)
    draws = nbmf.posterior_draws(model, matrix, n_draws=30)
    scale = scale_of(model, matrix, draws=draws, chains=3, level=0.8)
    positions = []
    for one in draws:
        psi = one.W @ one.H + one.others["row effects"][:, None] + one.others["column effects"]
        found = np.linalg.lstsq(scale.discrimination, (psi - psi.mean(axis=0)).T, rcond=None)[0].T
        positions.append(found / found.std(axis=0))
    np.testing.assert_allclose(scale.positions, np.mean(positions, axis=0), atol=1e-4)
    of_chains = [np.mean(positions[i : i + 10], axis=0) for i in (0, 10, 20)]
    between = np.sqrt(np.mean(np.var(of_chains, axis=0, ddof=1), axis=0))
    np.testing.assert_allclose(scale.between_chains, between, rtol=1e-3)
    assert scale_of(model, matrix, draws=draws).between_chains is None
    lower, upper = np.quantile(positions, [0.1, 0.9], axis=0, method="weibull")
    np.testing.assert_allclose(scale.lower, lower, atol=1e-4)
    np.testing.assert_allclose(scale.upper, upper, atol=1e-4)


def test_intervals_of_columns_are_those_of_regressions_on_the_positions_of_each_draw():
    """On the axes that are reported, by NumPy's least squares; difficulties are of a row at 0."""
    matrix, *_ = two_scales(F=60)
    model = nbmf.LogisticFactorGibbs(3, effects="columns", burn_in=200, n_samples=30, random_state=0)
    draws = nbmf.posterior_draws(model, matrix, n_draws=30)
    scale = scale_of(model, matrix, draws=draws, level=0.8)
    assert scale.kept == 2 < scale.discrimination.shape[1]
    slopes, difficulties = [], []
    for one in draws:
        psi = one.W @ one.H + one.others["column effects"]
        places = np.linalg.lstsq(scale.discrimination, (psi - psi.mean(axis=0)).T, rcond=None)[0].T[:, :2]
        slopes.append(np.linalg.lstsq(places / places.std(axis=0), psi - psi.mean(axis=0), rcond=None)[0].T)
        difficulties.append(-psi.mean(axis=0))
    for ends, values in ((scale.discrimination_ends, slopes), (scale.difficulty_ends, difficulties)):
        expected = np.quantile(values, [0.1, 0.9], axis=0, method="weibull")
        np.testing.assert_allclose(np.moveaxis(ends, -1, 0), expected, atol=1e-4)
    table = columns_table(scale)
    np.testing.assert_array_equal(table["difficulty upper"], scale.difficulty_ends[:, 1])
    np.testing.assert_array_equal(table["discrimination on axis 2 lower"], scale.discrimination_ends[:, 1, 0])
    assert "discrimination on axis 3" in table
    assert "discrimination on axis 3 lower" not in table


def test_intervals_of_a_samplers_draws_hold_the_truth():
    shares, of_slopes, of_difficulties = [], [], []
    for seed in range(3):
        matrix, truth, slopes, difficulties = one_scale(F=80, seed=seed)
        model = nbmf.LogisticFactorGibbs(1, effects="columns", ard=False, burn_in=100, n_samples=200, random_state=0)
        draws = nbmf.posterior_draws(model, matrix, n_draws=100)
        scale = scale_of(model, matrix, draws=draws)
        assert scale.interval_kind == FROM_DRAWS
        assert (scale.lower <= scale.positions).all()
        assert (scale.positions <= scale.upper).all()
        shares.append(coverage(scale, truth))
        for found, ends, true in (
            (of_slopes, scale.discrimination_ends[:, 0], slopes),
            (of_difficulties, scale.difficulty_ends, difficulties),
        ):
            found.append(np.mean((ends[:, 0] <= true) & (true <= ends[:, 1])))
        wide = scale_of(model, matrix, draws=draws, level=0.99)
        assert (wide.upper - wide.lower > scale.upper - scale.lower).all()
    assert 0.84 <= np.mean(shares) <= 0.97
    assert 0.8 <= np.mean(of_slopes) <= 1.0
    assert 0.75 <= np.mean(of_difficulties) <= 1.0


def test_draws_of_a_variational_fit_are_not_used():
    """They are too narrow."""
    matrix, *_ = one_scale(F=40, items=10)
    model = nbmf.LogisticFactorVB(1, effects="columns", random_state=0)
    draws = nbmf.posterior_draws(model, matrix, n_draws=20)
    scale = scale_of(model, matrix, draws=draws)
    assert scale.interval_kind == GIVEN_COLUMNS
    np.testing.assert_array_equal(scale.lower, scale_of(model, matrix).lower)


def test_a_row_with_fewer_answers_has_a_wider_interval():
    matrix, truth, *_ = one_scale()
    codes = matrix.codes.copy()
    codes[np.random.default_rng(0).random(codes.shape) < 0.2] = -1
    codes[0, 3:] = -1
    codes[0, :3] = 1
    with_gaps = nbmf.BinaryMatrix.from_array(codes)
    scale = scale_of(fitted(with_gaps), with_gaps)
    width = (scale.upper - scale.lower)[:, 0]
    assert width[0] == width.max()
    assert width[0] > 1.3 * np.median(width)
    assert correlation(scale.positions[1:, 0], truth[1:]) > 0.88


def test_a_constant_column_discriminates_nothing():
    matrix, *_ = one_scale()
    codes = matrix.codes.copy()
    codes[:, 5], codes[:, 9] = 1, 0
    with_constants = nbmf.BinaryMatrix.from_array(codes)
    scale = scale_of(fitted(with_constants), with_constants)
    assert np.isfinite(scale.discrimination).all()
    assert scale.difficulty[5] == scale.difficulty.min() < -2
    assert scale.difficulty[9] == scale.difficulty.max() > 2
    assert (scale.low[5, 0] > 0.95, scale.high[9, 0] < 0.05) == (True, True)


def test_ends_are_what_is_predicted_of_the_outermost_tenths():
    matrix, *_ = one_scale()
    model = fitted(matrix)
    scale = scale_of(model, matrix)
    order = np.argsort(scale.positions[:, 0])
    assert scale.n_end == 15
    np.testing.assert_allclose(scale.low[:, 0], model.expectation_[order[:15]].mean(axis=0))
    np.testing.assert_allclose(scale.high[:, 0], model.expectation_[order[-15:]].mean(axis=0))
    assert (scale.high[:, 0] > scale.low[:, 0]).all()


def test_positions_are_compared_with_the_means_of_observed_entries():
    matrix, *_ = one_scale()
    codes = matrix.codes.copy()
    codes[::3, :20] = nbmf.data.matrix.MISSING
    matrix = nbmf.BinaryMatrix.from_array(codes)
    scale = scale_of(fitted(matrix), matrix)
    means = np.ma.masked_equal(codes, nbmf.data.matrix.MISSING).mean(axis=1)
    expected = [stats.spearmanr(means, positions).statistic for positions in scale.positions.T]
    np.testing.assert_allclose(scale.mean_correlation, expected)
    assert scale.mean_correlation[0] > 0.9


def test_tables_have_all_axes():
    matrix, _ = two_scales(F=50)
    matrix = dataclasses.replace(matrix, row_groups=np.repeat(["a", "b"], 25))
    scale = scale_of(fitted(matrix), matrix)
    rows, columns = rows_table(scale), columns_table(scale)
    A = len(scale.shares)
    assert rows.shape == (50, 2 + 3 * A)
    assert list(rows)[:5] == ["row", "group", "axis 1", "axis 1 lower", "axis 1 upper"]
    np.testing.assert_array_equal(rows[f"axis {A}"], scale.positions[:, -1])
    assert columns.shape == (40, 2 + 3 * A)  # without a location, which has one axis alone
    np.testing.assert_array_equal(columns["ones at the high end of axis 2"], scale.high[:, 1])


def test_what_has_no_axes_is_refused():
    matrix, *_ = one_scale(F=20, items=8)
    flat = nbmf.LogisticFactorVB(0, effects="columns", random_state=0).fit(matrix)
    groups = nbmf.BetaDirVB(2, max_iter=5, random_state=0, mean_change_tol=0).fit(matrix)
    assert not has_scale(flat)
    assert not has_scale(groups)
    with pytest.raises(NotSupportedError, match="LogisticFactorVB: its rows do not differ"):
        scale_of(flat, matrix)
    with pytest.raises(NotSupportedError, match="BetaDirVB: its components are no axes"):
        scale_of(groups, matrix)
    with pytest.raises(ConfigError, match="level = 90"):
        scale_of(fitted(matrix), matrix, level=90)


@pytest.mark.parametrize(("name", "matrix"), [("Factor", nbmf.BinaryMatrix), ("OrdinalFactor", nbmf.CategoryMatrix)])
def test_rows_that_move_are_on_no_scale(name, matrix):
    """They have a position in each period: intervals and discriminations would be those of rows that stay."""
    V = matrix.from_array(np.random.default_rng(0).integers(0, 2, (20, 8)))
    lengths = {"burn_in": 5, "n_samples": 5, "random_state": 0}
    model = getattr(nbmf, f"Dynamic{name}Gibbs")(1, periods=[0] * 4 + [1] * 4, **lengths).fit(V)
    assert not has_scale(model)
    with pytest.raises(NotSupportedError, match=f"Dynamic{name}Gibbs: its rows move, and have paths"):
        scale_of(model, V)


def test_a_large_matrix_takes_seconds():
    rng = np.random.default_rng(0)
    slopes = np.repeat(np.eye(2), 500, axis=0)
    matrix = drawn(rng.standard_normal((1000, 2)), slopes, np.zeros(1000), rng)
    model = fitted(matrix, max_iter=5, bound_gain_tol=0)
    started = time.process_time()
    assert scale_of(model, matrix).kept == 2
    assert time.process_time() - started < 6  # 1 s on a machine of its own


def test_ends_of_a_sampled_axis_are_those_of_its_positions_and_of_the_predictions_that_are_reported():
    """Positions are means over draws, which have another order than those of the model; E[V] is given."""
    matrix, _ = two_scales(F=40)
    chain = nbmf.LogisticFactorGibbs(3, burn_in=20, n_samples=40, random_state=0)
    run = nbmf.run_chains(chain, matrix, chains=2, n_draws=20)
    scale = scale_of(run.best, matrix, draws=run.draws, chains=2, expectation=run.expectation)
    differs = scale_of(run.best, matrix, draws=run.draws, chains=2)
    for a in range(scale.kept):
        order = scale.order(a)
        np.testing.assert_allclose(scale.low[:, a], run.expectation[order[: scale.n_end]].mean(axis=0))
        np.testing.assert_allclose(scale.high[:, a], run.expectation[order[-scale.n_end :]].mean(axis=0))
        np.testing.assert_allclose(differs.high[:, a], run.best.expectation_[order[-scale.n_end :]].mean(axis=0))
    assert np.abs(scale.high - differs.high).max() > 1e-3


def test_a_row_whose_side_is_known_is_at_the_high_end():
    """Everything else of the axis is mirrored with it; other axes stay."""
    matrix, _ = two_scales(seed=0)
    model = fitted(matrix)
    free = scale_of(model, matrix)
    low = str(matrix.row_names[free.order()[0]])
    turned = scale_of(model, matrix, high=[low])
    signs = np.where(np.arange(free.shares.size) == 0, -1, 1)
    np.testing.assert_allclose(turned.positions, free.positions * signs)
    np.testing.assert_allclose(turned.lower[:, 0], -free.upper[:, 0])
    np.testing.assert_allclose(turned.discrimination, free.discrimination * signs)
    np.testing.assert_allclose(turned.low[:, 0], free.high[:, 0])
    np.testing.assert_allclose(turned.difficulty, free.difficulty)
    high = str(matrix.row_names[free.order()[-1]])
    np.testing.assert_array_equal(scale_of(model, matrix, high=[high]).positions, free.positions)
    with pytest.raises(ConfigError, match=r"high = .row 999.: must be one of .*did you mean"):
        scale_of(model, matrix, high=["row 999"])
