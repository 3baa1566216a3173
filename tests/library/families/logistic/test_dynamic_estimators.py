"""Rows that move, as the estimators have them: periods, what is kept of a chain, paths, new rows and columns, files."""

import copy

import numpy as np
import pandas as pd
import pytest
from logistic_models import assert_goes_on
from scipy.special import expit
from test_dynamic_draws import ROWS, chain_of, codes, ordinal_chain

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic import path_fold_in
from nbmf.families.logistic.factors import PATHS
from nbmf.families.logistic.ordered_bound import CategoriesGivenCuts
from nbmf.families.logistic.ordered_cells import exceedances, probabilities
from nbmf.families.logistic.path_fold_in import Walk, regress_paths, smooth
from nbmf.families.logistic.path_start import leading_positions
from nbmf.families.logistic.path_state import CategoryPathState, PathState
from nbmf.families.logistic.periods import periods_of
from nbmf.families.logistic.quadratic import PolyaGamma
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.ordered import ORDERED
from nbmf.posterior.paths import predict_next

# --- Periods -----------------------------------------------------------------------------------


def test_periods_are_in_the_order_of_their_numbers_or_of_their_first_columns():
    numbers = periods_of([1990.0, 1946, 1990, 1950.5], 4, None)
    assert numbers.names.tolist() == ["1946", "1950.5", "1990"]
    assert numbers.times.tolist() == [1946, 1950.5, 1990]
    assert numbers.of_columns.tolist() == [2, 0, 2, 1]
    assert numbers.gaps.tolist() == [4.5, 39.5]
    texts = periods_of(["z", "b", "z", "a"], 4, None)
    assert (texts.names.tolist(), texts.times.tolist()) == (["z", "b", "a"], [0, 1, 2])
    assert texts.of_columns.tolist() == [0, 1, 0, 2]
    assert periods_of(["10", "9"], 2, None).names.tolist() == ["9", "10"]
    assert periods_of(None, 3, None).of_columns.tolist() == [0, 0, 0]


def test_periods_of_a_series_are_those_of_the_columns_that_its_index_names():
    years = pd.Series([1, 1, 2, 3], index=["a", "b", "c", "d"])
    for given in (years, years[::-1]):
        assert periods_of(given, 4, np.array(["a", "b", "c", "d"])).of_columns.tolist() == [0, 0, 1, 2]
    assert periods_of(years[::-1], 4, None).of_columns.tolist() == [2, 1, 0, 0]


def test_periods_of_a_series_are_saved_and_dealt_into_folds_with_their_columns(tmp_path):
    frame = pd.DataFrame(codes()).astype(float).replace(-1, np.nan).add_prefix("q")
    years = pd.Series(np.arange(frame.shape[1]) // 4, index=frame.columns)
    model = nbmf.DynamicFactorGibbs(1, periods=years[::-1], **BRIEF).fit(frame)
    assert model.column_periods_.tolist() == years.tolist()
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert loaded.fit(frame).column_periods_.tolist() == years.tolist()
    settled = nbmf.DynamicFactorGibbs(1, periods=years[::-1], **BRIEF).for_matrix(frame)
    assert [int(year) for year in settled.periods] == years.tolist()


def test_periods_are_found_in_the_names_of_columns():
    names = np.array(["A R/38/2", "B R/9/1", "C R/38/3"])
    found = periods_of(r"R/(\d+)/", 3, names)
    assert found.names.tolist() == ["9", "38"]
    assert found.of_columns.tolist() == [1, 0, 1]
    assert periods_of(r"^[AB]|C", 3, names).names.tolist() == ["A", "B", "C"]
    with pytest.raises(ConfigError, match=r"periods = .*: nothing of it in the name 'B R/9/1'; allowed: one that"):
        periods_of(r"R/(38)/", 3, names)
    with pytest.raises(ConfigError, match="periods = 'R': the matrix has no names of columns; allowed: one number"):
        periods_of("R", 3, None)


@pytest.mark.parametrize(
    "wrong", [[[1, 2], [3, 4]], [1.0, np.nan], 7, "(", {"a": 1}, [None, "a"], [[1], [2, 3]]], ids=str
)
def test_what_is_no_period_is_refused(wrong):
    with pytest.raises(ConfigError, match=r"periods = .*: must be None, one number or text per column, or a regular"):
        nbmf.DynamicFactorGibbs(1, periods=wrong).fit(codes())


def test_parameters_are_checked():
    for setting in ({"walk_variance": 0}, {"walk_variance": "row"}, {"walk_shape": 0}, {"walk_rate": -1}):
        (name,) = setting
        with pytest.raises(ConfigError, match=f"{name} = .*: must be"):
            nbmf.DynamicFactorGibbs(1, **setting).fit(codes())
    with pytest.raises(ConfigError, match="effects = 'rows': must be"):
        nbmf.DynamicFactorGibbs(1, effects="rows").fit(codes())
    with pytest.raises(ConfigError, match="n_components = 0"):
        nbmf.DynamicFactorGibbs(0).fit(codes())
    with pytest.raises(ConfigError, match="periods: 3 given for 12 columns; allowed: one for each"):
        nbmf.DynamicFactorGibbs(1, periods=[1, 2, 3]).fit(codes())
    with pytest.raises(ConfigError, match=r"effects = 'columns': must be .* cut_points = 'columns'"):
        nbmf.DynamicOrdinalFactorGibbs(1, effects="columns").fit(codes())


def test_rows_that_share_no_time_are_refused():
    V = np.full((4, 4), -1)
    V[:2, :2], V[2:, 2:] = 1, 0
    with pytest.raises(DataError, match="periods: no row has entries both up to period '1' and after it"):
        nbmf.DynamicFactorGibbs(1, periods=[1, 1, 2, 2]).fit(V)


# --- One form ----------------------------------------------------------------------------------

CHAINS = {
    "binary": lambda **more: chain_of(**more),
    "binary, no effects": lambda **more: chain_of(effects="none", **more),
    "cut points of columns": lambda **more: ordinal_chain(by_column=True, **more),
    "shared cut points": lambda **more: ordinal_chain(by_column=False, **more),
}
each_chain = pytest.mark.parametrize("kind", CHAINS)


def state_of(kind, burn_in=3, **more):
    chain = CHAINS[kind](**more)
    return (PathState if kind.startswith("binary") else CategoryPathState)(chain, burn_in)


def expectation_of(factors):
    psi = form.psi_of(factors)
    return exceedances(psi, factors.others[form.CUTS]).sum(axis=-1) if form.CUTS in factors.others else expit(psi)


@each_chain
@pytest.mark.parametrize("K", [1, 2])
def test_the_form_says_the_same_of_every_entry(kind, K):
    """ψ, priors of rows and of new columns; positions have mean square 1 in spans, and mean 0 where columns take it."""
    state = state_of(kind, K=K, walk=ROWS)
    state.advance(2)
    raw = state._chain.factors()
    raw = raw._replace(others=dict(raw.others) | state._chain.cells.learned())
    turned = moving.aligned(state.draw(None), moving.canonical(raw))
    for factors in (state.factors(), turned):
        np.testing.assert_allclose(expectation_of(factors), expectation_of(raw), rtol=1e-8, atol=1e-10)
        nodes = moving.node_factors(factors).W
        np.testing.assert_allclose(nodes.T @ nodes / len(nodes), np.eye(K), atol=1e-8)
        if kind != "binary, no effects":
            np.testing.assert_allclose(nodes.mean(axis=0), 0.0, atol=1e-9)
        x = np.column_stack([factors.others[PATHS][:, 1], np.ones(6)])
        x_raw = np.column_stack([raw.others[PATHS][:, 1], np.ones(6)])
        variance, expected = (
            np.einsum("fk,kc,fc->f", one, each.others[moving.ITEMS], one) for one, each in ((x, factors), (x_raw, raw))
        )
        np.testing.assert_allclose(variance, expected, rtol=1e-8)
        mean, expected = (one @ each.others[moving.ITEM_MEAN] for one, each in ((x, factors), (x_raw, raw)))
        if kind == "shared cut points":  # their mean is 0 in the form, and the effects of columns take it
            expected = expected - raw.others[form.CUTS].mean()
        np.testing.assert_allclose(mean, expected, rtol=1e-8)
        turn = np.linalg.lstsq(np.diff(raw.others[PATHS][0], axis=0), np.diff(factors.others[PATHS][0], axis=0))[0]
        np.testing.assert_allclose(factors.others[moving.START], turn.T @ turn, rtol=1e-6)
        for f in (0, 3):
            expected = turn.T @ raw.others[moving.WALK][f] @ turn
            np.testing.assert_allclose(factors.others[moving.WALK][f], expected, rtol=1e-6)
        shift = factors.others[PATHS][2, 0] - raw.others[PATHS][2, 0] @ turn
        np.testing.assert_allclose(factors.others[moving.START_MEAN], shift, atol=1e-8)
    peak = np.abs(state.factors().H).argmax(axis=1)
    assert (state.factors().H[np.arange(K), peak] > 0).all()


def test_aligned_factors_are_next_to_the_reference():
    state = state_of("binary", K=2)
    state.advance(2)
    reference = state.factors()
    angle = 0.7
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * [1, -1]
    again = moving.aligned(moving.rotated(reference, rotation), reference)
    np.testing.assert_allclose(again.H, reference.H, atol=1e-9)
    np.testing.assert_allclose(again.others[PATHS], reference.others[PATHS], atol=1e-9)


@each_chain
def test_a_state_keeps_the_means_of_its_sweeps(kind):
    """Of E[V] and, in one sign, of paths, H, effects, cut points and priors."""
    state, other = state_of(kind, 2, walk=ROWS), state_of(kind, 100, walk=ROWS)
    state.advance(6)
    other.advance(2)
    kept = []
    for _ in range(4):
        other.advance(1)
        kept.append(other.factors())
    signs = np.ones(4)
    for s in range(1, 4):  # next to the sum of those before
        paths = sum(sign * one.others[PATHS] for sign, one in zip(signs[:s], kept[:s], strict=True))
        H = sum(sign * one.H for sign, one in zip(signs[:s], kept[:s], strict=True))
        there = moving.in_span(kept[0].others[moving.SPANS], paths.shape[1])
        of_paths, of_H = (paths * kept[s].others[PATHS])[there], H * kept[s].H
        norms = np.linalg.norm(paths[there]) * np.linalg.norm(kept[s].others[PATHS][there])
        agreement = of_paths.sum() / norms + of_H.sum() / (np.linalg.norm(H) * np.linalg.norm(kept[s].H))
        signs[s] = 1 if agreement > 0 else -1
    mean_H = np.mean([sign * one.H for sign, one in zip(signs, kept, strict=True)], axis=0)
    signs *= np.sign(mean_H[0, np.abs(mean_H[0]).argmax()])
    estimate = state.estimate()
    np.testing.assert_allclose(estimate.H, signs @ np.array([one.H[0] for one in kept])[:, :] / 4 * np.ones((1, 1)))
    paths = np.mean([sign * one.others[PATHS] for sign, one in zip(signs, kept, strict=True)], axis=0)
    np.testing.assert_allclose(estimate.others[PATHS], paths, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimate.W, moving.mean_positions(paths, estimate.others[moving.SPANS]), atol=1e-12)
    means = form.COLUMNS, form.INTERCEPT, form.CUTS, moving.WALK, moving.START
    turns = {name: np.ones(4) for name in means} | {moving.ITEM_MEAN: np.column_stack([signs, np.ones(4)])}
    turns[moving.ITEMS] = turns[moving.ITEM_MEAN][:, :, None] * turns[moving.ITEM_MEAN][:, None, :]
    for name in turns.keys() & estimate.others.keys():
        expected = np.mean([turn * one.others[name] for turn, one in zip(turns[name], kept, strict=True)], axis=0)
        np.testing.assert_allclose(estimate.others[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)
    expected = np.mean([expectation_of(one) for one in kept], axis=0)
    np.testing.assert_allclose(state.expectation(), expected, rtol=1e-9)
    assert state.active_components() == 1


@each_chain
def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits_and_any_threads(kind):
    one, other = (state_of(kind, seed=s, threads=s + 1, K=2, walk=ROWS) for s in (0, 1))
    assert_goes_on(one, other)
    np.testing.assert_array_equal(one.estimate().others[PATHS], other.estimate().others[PATHS])
    np.testing.assert_array_equal(one.draw(None).others[PATHS], other.draw(None).others[PATHS])


def test_factors_that_move_have_the_log_odds_of_each_columns_period():
    rng = np.random.default_rng(0)
    paths, H, periods = rng.normal(size=(4, 3, 2)), rng.normal(size=(2, 5)), np.array([2, 0, 1, 2, 0])
    factors = Factors(paths[:, 0], H, {PATHS: paths, form.PERIODS: periods, form.COLUMNS: rng.normal(size=5)})
    expected = np.array(
        [[paths[f, periods[n]] @ H[:, n] + factors.others[form.COLUMNS][n] for n in range(5)] for f in range(4)]
    )
    np.testing.assert_allclose(form.psi_of(factors), expected)
    np.testing.assert_allclose(form.psi_of(factors, slice(1, 3), np.array([4, 0])), expected[1:3][:, [4, 0]])
    rows, columns = np.array([3, 0, 2]), np.array([0, 4, 4])
    np.testing.assert_allclose(form.psi_at(factors, rows, columns), expected[rows, columns])


def test_a_start_has_the_axis_on_which_rows_differ_most():
    rng = np.random.default_rng(2)
    w, h = rng.normal(size=30), rng.normal(size=50)
    V = (rng.random((30, 50)) < expit(3 * np.outer(w, h))).astype(np.int8)
    V[rng.random(V.shape) < 0.2] = -1
    first = leading_positions(V, 2)
    assert abs(np.corrcoef(first[:, 0], w)[0, 1]) > 0.9
    np.testing.assert_allclose(first.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose((first**2).mean(axis=0), 1.0)
    assert leading_positions(V[:2], 3).shape == (2, 3)


# --- The estimator -----------------------------------------------------------------------------

T = 6


def planted(F=60, each=12, K=1, seed=1, step=0.25, C=2):
    """Return values in C categories, paths, P(v = 1) or ψ, and the years of columns."""
    rng = np.random.default_rng(seed)
    paths = np.cumsum(
        np.concatenate([rng.normal(size=(F, 1, K)), step * rng.normal(size=(F, T - 1, K))], axis=1), axis=1
    )
    years = np.repeat(2000 + np.arange(T), each)
    psi = np.einsum("fnk,nk->fn", paths[:, years - 2000], 1.8 * rng.normal(size=(years.size, K)))
    psi += 0.7 * rng.normal(size=years.size)
    if C == 2:
        return (rng.random(psi.shape) < expit(psi)).astype(np.int8), paths, expit(psi), years
    return np.digitize(psi + rng.logistic(size=psi.shape), [-0.8, 0.8]).astype(np.int8), paths, psi, years


BRIEF = {"burn_in": 150, "n_samples": 250, "random_state": 0}


@pytest.fixture(scope="module")
def moved():
    """Return a fit with pauses, its draws, and what it was fitted to."""
    V, paths, p, years = planted(step=0.4)
    V[0, years < 2003] = -1  # comes late
    V[1, (years > 2000) & (years < 2005)] = -1  # pauses
    V[2, years > 2001] = -1  # goes
    model = nbmf.DynamicFactorGibbs(1, periods=years, **BRIEF)
    draws = nbmf.posterior_draws(model, V, n_draws=100)
    return model, draws, V, paths, p, years


def test_paths_are_found(moved):
    model, _, _, paths, p, _ = moved
    there = moving.in_span(model.spans_, T)
    assert abs(np.corrcoef(model.paths_[there][:, 0], paths[there][:, 0])[0, 1]) > 0.9
    assert np.abs(model.expectation_ - p).mean() < 0.1
    assert model.paths_.shape == (60, T, 1)
    assert model.spans_[:3].tolist() == [[3, 5], [0, 5], [0, 1]]
    assert model.entries_[1].tolist() == [12, 0, 0, 0, 0, 12]
    assert model.period_names_.tolist() == [str(year) for year in range(2000, 2006)]
    assert 0.3 * 0.4**2 < float(model.walk_covariance_[0, 0, 0] / model.start_covariance_[0, 0]) < 2.5 * 0.4**2
    assert model.H_[0, np.abs(model.H_[0]).argmax()] > 0


def test_columns_may_come_in_any_order(moved):
    """The same model, whatever the order of columns: predictions differ by the Monte Carlo error."""
    model, _, V, _, _, years = moved
    order = np.random.default_rng(0).permutation(years.size)
    other = nbmf.DynamicFactorGibbs(1, periods=years[order], **BRIEF).fit(V[:, order])
    assert np.abs(other.expectation_ - model.expectation_[:, order]).mean() < 0.012
    assert other.column_periods_.tolist() == (years[order] - 2000).tolist()


def test_where_less_is_known_intervals_are_wider(moved):
    """In the middle of a pause, and the longer after a row has gone."""
    _, draws, *_ = moved
    spread = np.stack([one.others[PATHS][..., 0] for one in draws]).std(axis=0)
    others = spread[3:].mean(axis=0)
    assert (spread[1, 1:5] > 1.15 * others[1:5]).all()
    assert (np.diff(spread[2, 1:]) > 0).all()
    assert (np.diff(spread[0, :4]) < 0).all()
    assert spread[1, 2:4].max() < spread[2, 4]


@pytest.mark.parametrize("C", [2, 3])
def test_held_out_entries_are_predicted_better_than_by_rows_that_stay(C):
    V, _, _, years = planted(each=20, step=0.8, C=C, seed=3)
    held_out = np.random.default_rng(4).random(V.shape) < 0.2
    likelihood, kinds = (
        (BERNOULLI, ("LogisticFactorGibbs", "DynamicFactorGibbs"))
        if C == 2
        else (ORDERED, ("OrdinalFactorGibbs", "DynamicOrdinalFactorGibbs"))
    )
    settings = BRIEF | ({"effects": "columns", "effect_scale": "learned"} if C == 2 else {"n_categories": C})
    shown = likelihood.hide(V, held_out)
    stays = getattr(nbmf, kinds[0])(1, ard=False, **settings).fit(shown)
    moves = getattr(nbmf, kinds[1])(1, periods=years, **settings).fit(shown)
    loss_at = likelihood.loss_at(V, held_out)
    assert loss_at.of(moves.predictive).perplexity < loss_at.of(stays.predictive).perplexity - 0.03
    if C == 3:
        np.testing.assert_allclose(moves.probabilities_ @ np.arange(3), moves.expectation_, rtol=1e-10)
        psi, cuts = form.psi_of(moves.factors_), moves.cut_points_
        assert np.abs(probabilities(exceedances(psi, cuts)) - moves.probabilities_).mean() < 0.06


def test_with_one_period_it_is_the_static_model():
    V, _, _, _ = planted(40, 5)
    settings = BRIEF | {"effects": "columns", "effect_scale": "learned", "n_samples": 1500, "ard": False}
    static = nbmf.LogisticFactorGibbs(1, **settings).fit(V)
    dynamic = nbmf.DynamicFactorGibbs(1, **settings).fit(V)
    assert np.abs(static.expectation_ - dynamic.expectation_).mean() < 0.008
    assert dynamic.paths_.shape == (40, 1, 1)
    np.testing.assert_array_equal(dynamic.paths_[:, 0], dynamic.W_)


def test_two_dimensions_with_variances_of_rows():
    V, paths, p, years = planted(60, 25, 2, seed=5)
    model = nbmf.DynamicFactorGibbs(2, periods=years, walk_variance="rows", **BRIEF).fit(V)
    assert np.abs(model.expectation_ - p).mean() < 0.1
    assert model.walk_covariance_.shape == (60, 2, 2)
    found, true = model.paths_.reshape(-1, 2), paths.reshape(-1, 2)
    map_to_true = np.linalg.lstsq(found, true)[0]
    assert 1 - ((found @ map_to_true - true) ** 2).sum() / (true**2).sum() > 0.8
    assert model.active_components_ == 2


@pytest.mark.parametrize("ordinal", [False, True])
def test_new_rows_stand_still_at_their_equations(ordinal):
    V, _, _, years = planted(40, 8, C=3 if ordinal else 2)
    kind = nbmf.DynamicOrdinalFactorGibbs if ordinal else nbmf.DynamicFactorGibbs
    model = kind(1, periods=years, **BRIEF).fit(V)
    new = V[:3].copy()
    new[0, years < 2002] = new[1, years == 2003] = -1
    found = model._factors_of_rows(new)
    paths, places = found.others[PATHS], years - 2000
    walk = Walk(model.start_mean_, model.start_covariance_, model.walk_covariance_[0], np.ones(T - 1))
    quadratic = CategoriesGivenCuts(new, model.cut_points_) if ordinal else PolyaGamma(new)
    x, offset, means, covariances = model.H_[0], model.column_effects_, paths.copy(), np.ones((3, T, 1, 1))
    for _ in range(100):
        psi = offset + means[:, places, 0] * x
        quadratic.refresh(psi, psi**2 + covariances[:, places, 0, 0] * x**2)
        P, b = np.zeros((3, T, 1, 1)), np.zeros((3, T, 1))
        for n, t in enumerate(places):
            P[:, t, 0, 0] += quadratic.w[:, n] * x[n] ** 2
            b[:, t, 0] += (quadratic.h[:, n] - quadratic.w[:, n] * offset[n]) * x[n]
        means, covariances = smooth(P, b, np.array([2, 0, 0]), walk)
    np.testing.assert_allclose(paths, means, atol=1e-5)
    np.testing.assert_allclose(
        model.transform(new), moving.mean_positions(means, found.others[moving.SPANS]), atol=1e-5
    )
    assert found.others[moving.SPANS].tolist() == [[2, 5], [0, 5], [0, 5]]


def test_rows_do_not_leave_the_axes_along_which_they_vary():
    """K = 3 with positions in a plane is K = 2 in the coordinates of that plane."""
    rng = np.random.default_rng(4)
    plane, _ = np.linalg.qr(rng.normal(size=(3, 2)))
    values, periods = (rng.random((9, 8)) < 0.5).astype(np.int8), np.repeat([0, 1], 4)
    design, offset, mean = rng.normal(size=(8, 3)), rng.normal(size=8), rng.normal(size=3)
    of_plane = Walk(np.zeros(2), np.diag([1.0, 2.0]), 0.1 * np.eye(2), np.array([1.5]))
    of_space = of_plane._replace(
        start_mean=mean, start=plane @ of_plane.start @ plane.T, step=plane @ of_plane.step @ plane.T
    )
    weights = fold_in_weights()
    expected = regress_paths(values, design @ plane, periods, offset + design @ mean, of_plane, weights)
    found = regress_paths(values, design, periods, offset, of_space, weights)
    np.testing.assert_allclose(found, mean + expected @ plane.T, atol=1e-6)
    nowhere = regress_paths(values, design, periods, offset, of_space._replace(start=np.zeros((3, 3))), weights)
    np.testing.assert_array_equal(nowhere, np.broadcast_to(mean, (9, 2, 3)))


def fold_in_weights():
    def weights(values, psi, square):
        likelihood = PolyaGamma(values)
        likelihood.refresh(psi, square)
        return likelihood.h, likelihood.w

    return weights


@pytest.mark.parametrize("kind", ["DynamicFactorGibbs", "DynamicOrdinalFactorGibbs"])
def test_a_fit_of_fewer_axes_than_components_predicts_new_rows(kind):
    V = np.random.default_rng(0).integers(0, 2, (12, 2)).astype(float)
    model = getattr(nbmf, kind)(3, periods=[0, 1], burn_in=5, n_samples=10, random_state=0).fit(V)
    assert np.linalg.matrix_rank(model.start_covariance_) == 2
    W, predicted = model.transform(V), model.predict_rows(V)
    assert W[:, 2] == pytest.approx(model.start_mean_[2])
    assert np.isfinite(predicted).all()
    assert (predicted - predicted.mean(axis=0))[V[:, 0] == 1, 0].mean() > 0
    assert np.isfinite(model.score(V))


def test_new_columns_belong_to_a_period(moved):
    model, _, V, _, _, years = moved
    early = np.flatnonzero(years == 2000)
    right = np.abs(model.predict_columns(V[:, early], period=2000) - model.expectation_[:, early])[3:].mean()
    wrong = np.abs(model.predict_columns(V[:, early]) - model.expectation_[:, early])[3:].mean()
    assert right < 0.03 < wrong
    np.testing.assert_array_equal(
        model.predict_columns(V[:, early], "2000"), model.predict_columns(V[:, early], 2000.0)
    )
    assert model.transform_columns(V[:, early], 2000).shape == (1, 12)
    for no in (1999, "20", [2000], True):
        with pytest.raises(ConfigError, match=r"period = .*: must be one of 2000, 2001, 2002"):
            model.predict_columns(V[:, early], no)


@pytest.mark.parametrize("kind", ["binary", "shared cut points", "cut points of columns"])
def test_new_columns_stand_still_at_their_equations(kind):
    """A regression on positions, whose coefficients have the learned prior of columns."""
    V, _, _, years = planted(40, 8, C=2 if kind == "binary" else 3)
    settings = BRIEF | {"shared cut points": {"cut_points": "shared", "effects": "columns"}}.get(kind, {})
    made = nbmf.DynamicFactorGibbs if kind == "binary" else nbmf.DynamicOrdinalFactorGibbs
    model = made(1, periods=years, **settings).fit(V)
    new, W, used = V[:, :3].copy(), model.paths_[:, 2], kind != "cut points of columns"
    new[5:, 0] = -1
    found = model._columns_in(new, 2)
    x = np.column_stack([W, np.ones(40)])[:, : 1 + used]
    centre = model.item_mean_[: 1 + used]
    prior = model.item_covariance_ if used else np.array([[1 / model.precisions_[0]]])
    for n in range(3):
        mean, covariance = np.zeros(1 + used), np.eye(1 + used)
        for _ in range(200):
            psi, square = x @ mean, np.einsum("fa,ab,fb->f", x, covariance + np.outer(mean, mean), x)
            if kind == "binary":
                quadratic = PolyaGamma(new[:, n : n + 1])
            else:
                cuts = model.cut_points_ if kind == "shared cut points" else found.others[form.CUTS][n : n + 1]
                quadratic = CategoriesGivenCuts(new[:, n : n + 1], cuts)
            quadratic.refresh(psi[:, None], square[:, None])
            h, w = quadratic.h[:, 0], quadratic.w[:, 0]
            covariance = np.linalg.inv(np.linalg.inv(prior) + (x.T * w) @ x)
            mean = covariance @ (np.linalg.solve(prior, centre) + x.T @ h)
        expected = [found.H[0, n], *([found.others[form.COLUMNS][n]] if used else [])]
        np.testing.assert_allclose(mean, expected, atol=1e-4 if used else 0.05)


def test_rows_that_say_yes_more_often_are_expected_to_go_on():
    """Columns with h ~ N(1.5, 0.5²): who is at the upper end says yes to most of those to come."""
    rng, F, each = np.random.default_rng(11), 40, 15
    paths = np.cumsum(np.concatenate([rng.normal(size=(F, 1)), 0.2 * rng.normal(size=(F, T))], axis=1), axis=1)
    years = np.repeat(np.arange(T + 1), each)
    p = expit(paths[:, years] * (1.5 + 0.5 * rng.normal(size=years.size)) + 0.5 * rng.normal(size=years.size))
    V, known = (rng.random(p.shape) < p).astype(float), years < T
    model = nbmf.DynamicFactorGibbs(1, periods=years[known], **BRIEF)
    draws = nbmf.posterior_draws(model, V[:, known], n_draws=100)
    assert np.abs(predict_next(draws) - p[:, ~known].mean(axis=1)).mean() < 0.08
    assert model.item_mean_[0] ** 2 * model.precisions_[0] > 1.5**2  # of 3², in units of the spread


def test_files_of_older_versions_have_a_mean_of_zero(moved):
    model, *_ = moved
    learned = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    learned |= {"expectation_": model.expectation_}
    del learned["item_mean_"]
    older = copy.copy(model)
    older.restore(learned)
    np.testing.assert_array_equal(older.item_mean_, [0.0, model.intercept_])


@pytest.mark.parametrize(("periods", "places"), [(["jan", "feb"], {0: 0, 1.0: 1}), (["01", "02"], {1: 0, 2: 1})])
def test_a_period_may_be_named_by_its_time(periods, places):
    V = np.random.default_rng(0).integers(0, 2, (10, 4)).astype(float)
    model = nbmf.DynamicFactorGibbs(1, periods=np.repeat(periods, 2), burn_in=2, n_samples=2, random_state=0).fit(V)
    for time, place in places.items():
        assert model.place_of(time) == model.place_of(periods[place]) == place
    with pytest.raises(ConfigError, match="period = 3: must be one of"):
        model.place_of(3)


def test_rows_of_known_positions_stay_there(moved):
    model, *_ = moved
    made = model.inverse_transform(np.array([[0.5]]))
    np.testing.assert_allclose(made[0], expit(model.column_effects_ + 0.5 * model.H_[0]))


def test_names_of_columns_have_periods():
    V = nbmf.load_example("votes")
    model = nbmf.DynamicFactorGibbs(1, periods=r" R/(\d+)/", burn_in=3, n_samples=3, random_state=0).fit(V)
    assert model.period_names_.tolist() == ["38", "39", "40", "41", "42", "43", "44", "45"]
    frame = pd.DataFrame(codes(), columns=[f"{n} in {n // 6}" for n in range(12)]).replace(-1, np.nan)
    again = nbmf.DynamicFactorGibbs(1, periods="in (.)", burn_in=3, n_samples=3, random_state=0).fit(frame)
    assert again.period_names_.tolist() == ["0", "1"]
    with pytest.raises(ConfigError, match="the matrix has no names of columns"):
        again.fit(codes())


def test_a_file_that_is_damaged_is_refused(moved, tmp_path):
    model, *_ = moved
    learned = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    learned["expectation_"] = model.expectation_
    for name, wrong, words in (
        ("column_periods_", model.column_periods_ + 0.5, "none of periods"),
        ("period_times_", model.period_times_[::-1].copy(), "none of periods"),
        ("period_names_", model.period_names_[:3], "has to be 6 texts"),
        ("item_covariance_", np.eye(3), "item_covariance_"),
        ("paths_", model.paths_[:, :4], "has to be finite and of shape"),
    ):
        with pytest.raises(DataError, match=words):
            copy.copy(model).restore(learned | {name: wrong})
    model.save(tmp_path / "model.npz")
    again = nbmf.load(tmp_path / "model.npz")
    for name in ("paths_", "walk_covariance_", "entries_", "period_names_", "item_covariance_", "item_mean_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


@pytest.mark.filterwarnings("ignore::nbmf.errors.ChainsNotConvergedWarning")  # they are short
def test_chains_agree_and_record_the_likelihood():
    V, _, _, years = planted(20, 6)
    model = nbmf.DynamicFactorGibbs(1, periods=years, burn_in=100, n_samples=200, random_state=0)
    chains = nbmf.run_chains(model, V, chains=2, n_jobs=1)
    log_likelihood = BERNOULLI.loss_at(V, V >= 0).of(model.fit(V).predictive).perplexity * -V.size
    assert chains.trace["log likelihood"].mean() == pytest.approx(log_likelihood, rel=0.2)


# Names of periods.


@pytest.mark.parametrize(
    ("given", "names", "times"),
    [
        (["2019_20", "2020_21", "2021_22"], ["2019_20", "2020_21", "2021_22"], [0, 1, 2]),
        (["2019.10", "2019.1", "2019.2"], ["2019.10", "2019.1", "2019.2"], [0, 1, 2]),
        (["2004", "2000", "2004"], ["2000", "2004"], [2000, 2004]),
        (["02", "01"], ["01", "02"], [1, 2]),
        ([1990, 1991.5], ["1990", "1991.5"], [1990, 1991.5]),
    ],
)
def test_texts_are_numbers_only_where_nobody_can_take_them_for_others(given, names, times):
    found = periods_of(given, len(given), None)
    assert found.names.tolist() == names
    assert found.times.tolist() == times
    assert [names[place] for place in found.of_columns] == [str(each) for each in given]


def test_a_model_that_finds_periods_in_names_is_tested_on_folds():
    codes = (np.random.default_rng(0).random((12, 9)) < 0.5).astype(int)
    V = nbmf.BinaryMatrix.from_array(codes, None, [f"q{n}, {2000 + n // 3}" for n in range(9)])
    model = nbmf.DynamicFactorGibbs(1, periods=r"\d+$", burn_in=5, n_samples=5, random_state=0)
    years = (2000 + np.arange(9) // 3).tolist()
    assert model.for_matrix(V).periods == [str(year) for year in years]
    given = model.set_params(periods=r"\d+$")
    same = nbmf.DynamicFactorGibbs(1, periods=years, burn_in=5, n_samples=5, random_state=0)
    assert nbmf.verdict(V, given).loss == nbmf.verdict(V, same).loss


def test_a_new_row_begins_where_it_gave_the_middle_answer():
    """With symmetric cut points its score is 0 there, as that of a missing cell is."""
    V, _, _, years = planted(40, 8, C=3)
    model = nbmf.DynamicOrdinalFactorGibbs(
        1, periods=years, cut_points="shared", effects="columns", n_categories=3, **BRIEF
    ).fit(V)
    model.cut_points_ = np.array([[-1.0, 1.0]]) * np.ones_like(model.cut_points_)
    new = np.full((2, V.shape[1]), -1)
    new[:, years == 2003], new[0, years == 2001] = 2, 1
    first, walk = [], path_fold_in.smooth

    def smooth_seen(P, b, begins, *rest):
        first.append(begins.tolist())
        return walk(P, b, begins, *rest)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(path_fold_in, "smooth", smooth_seen)
        model.transform(new)
    assert first[0] == [1, 3]
