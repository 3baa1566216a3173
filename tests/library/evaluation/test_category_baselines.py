"""Ordered categories by columns alone: effects of columns on cut points that all share."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import nbmf
from nbmf.evaluation import category_baselines
from nbmf.evaluation.baselines import predict_baseline, take_entries
from nbmf.evaluation.category_baselines import column_effects
from nbmf.evaluation.gains import gains_of
from nbmf.evaluation.held_out import held_out_losses


def drawn(F, N, C, seed, spread=2.0):
    """Draw columns that have nothing in common but cut points; each is a shift of the same distribution."""
    rng = np.random.default_rng([F, N, C, seed])
    psi = spread * rng.normal(size=N) + rng.logistic(size=(F, N))
    return (psi[..., None] > np.linspace(-2, 2, C - 1)).sum(axis=-1)


def chances_of(cuts, effects):
    above = np.pad(expit(effects[:, None] - cuts), ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0)))
    return -np.diff(above, axis=1)


@pytest.mark.parametrize("C", [2, 4])
def test_cut_points_and_effects_are_at_the_mode_of_their_posterior(C, monkeypatch):
    """Another way: all of them at once by a method without derivatives, given the variance of the first round, 1."""
    ranks = drawn(12, 3, C, 0)
    ranks[2:5, 0] = -1
    monkeypatch.setattr(category_baselines, "ROUNDS", 1)
    counts = np.array([[(column == c).sum() + 1 / 3 for c in range(C)] for column in ranks.T])

    def minus_log_posterior(at):
        if (np.diff(at[: C - 1]) <= 0).any():
            return np.inf
        return -(counts * np.log(chances_of(at[: C - 1], at[C - 1 :]))).sum() + (at[C - 1 :] ** 2).sum() / 2

    start = np.concatenate([np.linspace(-1, 1, C - 1) if C > 2 else [0.0], np.zeros(3)])
    options = {"xatol": 1e-8, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 40_000, "adaptive": True}
    mode = minimize(minus_log_posterior, start, method="Nelder-Mead", options=options).x
    found = column_effects(ranks, C)
    assert found.shape == (12, 3, C)
    np.testing.assert_allclose(found[0], chances_of(mode[: C - 1], mode[C - 1 :]), atol=1e-3)
    np.testing.assert_array_equal(found[0], found[-1])


def test_the_variance_of_effects_is_learned():
    """Columns that are alike have the frequencies of all, those that are not have their own."""
    alike = np.random.default_rng(0).integers(0, 4, (50, 12))
    overall = np.array([(alike == c).mean() for c in range(4)])
    np.testing.assert_allclose(column_effects(alike, 4)[0], np.tile(overall, (12, 1)), atol=0.03)
    apart = drawn(3000, 12, 4, 1)
    own = np.array([[(column == c).mean() for c in range(4)] for column in apart.T])
    assert np.ptp(own, axis=0).max() > 0.25
    np.testing.assert_allclose(column_effects(apart, 4)[0], own, atol=0.03)


def test_no_category_is_impossible_and_a_column_without_entries_is_an_average_one():
    ranks = drawn(20, 6, 3, 2, spread=0.0)
    ranks[:, 0] = -1
    found = column_effects(ranks, 5)
    np.testing.assert_allclose(found.sum(axis=-1), 1)
    assert (found[..., 3:] > 0).all()
    assert found[..., 3:].max() < 0.05
    seen = ranks[ranks >= 0]
    np.testing.assert_allclose(
        found[0, 0, :3], [((seen == c).sum() + 1) / (seen.size + 5) for c in range(3)], atol=0.03
    )


def test_it_predicts_as_the_model_of_ordered_categories_without_components():
    ranks = drawn(60, 12, 7, 0)
    settings = {"cut_points": "shared", "effects": "columns", "effect_scale": "learned"}
    model = nbmf.OrdinalFactorVB(0, n_categories=7, random_state=0, **settings).fit(ranks)
    places = np.indices(ranks.shape).reshape(2, -1)
    predicted = take_entries(predict_baseline("column-effects", ranks, 6), *places)
    np.testing.assert_allclose(predicted, model.predictive(*places), atol=0.01)


def test_columns_that_share_the_shape_of_their_distributions_alone_are_no_structure():
    """Frequencies of each column have six parameters of 60 entries to learn: beyond these alone it found structure."""
    settings = {"cut_points": "shared", "effects": "columns", "effect_scale": "learned"}
    method = nbmf.OrdinalFactorVB(0, max_iter=200, random_state=0, **settings)
    matrix = nbmf.CategoryMatrix.from_array(drawn(60, 12, 7, 0))
    tested = held_out_losses(matrix, [method], 0, None)
    gains = {gain.baseline: gain for gain in gains_of(tested.losses[0], tested)}
    assert max(gains[name].p for name in gains if name != "column-effects") < 0.01
    assert gains["column-effects"].p > 0.05
    assert not nbmf.verdict(matrix, method).found
