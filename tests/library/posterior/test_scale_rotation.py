"""Axes of correlated scales: as many as there are, each of its own columns, with the correlations of the scales."""

import warnings

import numpy as np
import pytest
from scipy.special import expit

import nbmf
from nbmf.analysis.settings import configured_estimator
from nbmf.errors import PoorFitWarning
from nbmf.families.logistic.factors import psi_of
from nbmf.posterior import scale_rotation
from nbmf.posterior.scale import scale_of
from nbmf.posterior.scale_axes import LEAST_RATIO, NOISE, NOTHING, WEAK, WEAK_BUT_THERE, axes_of
from nbmf.posterior.scale_rotation import LEAST_OBLIQUE, Reported, choose_reported_axes, rotate_obliquely


def scales(F, N, T, rho, seed=0):
    """Draw T scales that correlate: matrix, traits (F, T), and the scale of each column."""
    rng = np.random.default_rng(seed)
    traits = rng.multivariate_normal(np.zeros(T), np.full((T, T), rho) + (1 - rho) * np.eye(T), F)
    scale, slopes = np.arange(N) % T, rng.uniform(1.2, 2.2, N)
    p = expit(traits[:, scale] * slopes - rng.normal(size=N))
    return nbmf.BinaryMatrix.from_array((rng.random((F, N)) < p).astype(int)), traits, scale


def fitted(matrix):
    with warnings.catch_warnings(action="ignore", category=PoorFitWarning):
        return configured_estimator("logistic-vb-learned-effects", seed=0, components=8).fit(matrix)


@pytest.mark.parametrize(("T", "rho", "F"), [(2, 0.5, 400), (3, 0.5, 600), (4, 0.4, 600)])
def test_there_are_as_many_axes_as_scales_and_each_has_its_columns(T, rho, F):
    matrix, traits, scale = scales(F, 8 * T, T, rho)
    found = scale_of(fitted(matrix), matrix)
    assert (found.kept, found.is_oblique, found.rotated) == (T, True, True)
    axis_of = np.abs(found.discrimination[:, :T]).argmax(axis=1)
    order = axis_of[:T]
    assert sorted(order) == list(range(T))
    np.testing.assert_array_equal(axis_of, order[scale])
    others = np.abs(found.discrimination[:, :T])
    others[np.arange(len(axis_of)), axis_of] = 0
    assert others.max() < 0.7
    own = found.discrimination[np.arange(len(axis_of)), axis_of]
    assert own.std() / own.mean() < 0.4
    C = found.correlations[np.ix_(order, order)]
    np.testing.assert_allclose(C[np.triu_indices(T, 1)], rho, atol=0.2)
    np.testing.assert_allclose(np.diag(C), 1, atol=1e-12)
    r = np.corrcoef(found.positions[:, order].T, traits.T)[:T, T:]
    assert np.diag(r).min() > 0.8
    assert found.shares.sum() == pytest.approx(1)
    assert scale_of(fitted(matrix), matrix, reported=Reported(may_correlate=False)).kept <= T


def test_what_is_predicted_does_not_change_and_shares_add_up():
    matrix, *_ = scales(300, 24, 3, 0.5)
    model = fitted(matrix)
    axes = axes_of(model.factors_)
    turned = rotate_obliquely(axes, 3)
    A = len(axes.sizes)
    np.testing.assert_allclose(turned.log_odds(A), axes.log_odds(A), atol=1e-9)
    psi = psi_of(model.factors_)
    left, sizes, right = np.linalg.svd(psi - psi.mean(axis=0), full_matrices=False)
    assert (sizes > NOTHING * sizes[0]).sum() == A
    np.testing.assert_allclose(turned.log_odds(A), psi, atol=1e-5)  # of what is left out nothing is seen
    np.testing.assert_allclose(turned.log_odds(A), psi.mean(axis=0) + left[:, :A] * sizes[:A] @ right[:A], atol=1e-9)
    np.testing.assert_allclose(turned.log_odds(3), axes.log_odds(3), atol=1e-9)
    np.testing.assert_allclose(turned.correlations, turned.places.T @ turned.places / 300, atol=1e-9)
    assert turned.sizes[:3].sum() == pytest.approx(axes.sizes[:3].sum())
    assert (np.diff(turned.sizes[:3]) <= 0).all()
    np.testing.assert_array_equal(turned.correlations[:3, 3:], 0)


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_a_signed_axis_has_signed_correlations_and_new_rows_are_placed(rho):
    """The positions of rows of the fit, and of the same rows as new ones; intervals hold the traits."""
    matrix, traits, *_ = scales(300, 30, 2, rho, seed=3)
    model = fitted(matrix)
    found = scale_of(model, matrix)
    assert found.is_oblique == (rho > 0)
    positions, lower, upper = found.place(model.factors_, matrix.observed)
    np.testing.assert_allclose(positions, found.positions, atol=1e-6)
    np.testing.assert_allclose(upper - lower, found.upper - found.lower, rtol=0.005)
    order = np.abs(np.corrcoef(found.positions[:, :2].T, traits.T)[:2, 2:]).argmax(axis=0)
    signs = np.sign([np.corrcoef(found.positions[:, a], traits[:, t])[0, 1] for t, a in enumerate(order)])
    assert rho == 0 or np.sign(found.correlations[0, 1]) == signs.prod()
    truth = traits * signs / traits.std(axis=0)
    held = (found.lower[:, order] < truth) & (truth < found.upper[:, order])
    assert 0.82 < held.mean() < 0.97


def test_the_prior_of_positions_has_their_correlations():
    """Without entries an interval is that of the population; what is known of one axis makes the other narrower."""
    matrix, *_ = scales(400, 30, 2, 0.7)
    model = fitted(matrix)
    found = scale_of(model, matrix)
    half = 1.6449
    observed = np.zeros(matrix.shape, bool)
    observed[1] = np.abs(found.discrimination[:, :2]).argmax(axis=1) == 0
    _, lower, upper = found.place(model.factors_, observed)
    halves = (upper - lower)[:2, :2] / 2
    np.testing.assert_allclose(halves[0], half, rtol=0.02)
    assert halves[1, 0] < halves[1, 1] < 0.95 * half


def test_one_scale_an_arch_and_weak_axes_stay_as_they_are():
    rng = np.random.default_rng(5)
    one, *_ = scales(300, 20, 1, 0.0)
    assert scale_of(fitted(one), one).kept == 1
    x, optimum = rng.uniform(-2, 2, (80, 1)), rng.uniform(-2.5, 2.5, 60)
    gradient = nbmf.BinaryMatrix.from_array(
        (rng.random((80, 60)) < 0.8 * np.exp(-((x - optimum) ** 2) / 0.8)).astype(int)
    )
    assert not scale_of(fitted(gradient), gradient).is_oblique
    places, sharp = rng.normal(size=(300, 2)), np.array([[2.0], [0.5]]) * rng.choice([-1, 1], (2, 40))
    weak = nbmf.BinaryMatrix.from_array((rng.random((300, 40)) < expit(places @ sharp)).astype(int))
    found = scale_of(fitted(weak), weak)
    assert (found.kept, found.limit, found.is_oblique) == (1, WEAK, False)


def test_of_fewer_axes_than_there_are_others_are_weak(monkeypatch):
    matrix, *_ = scales(600, 24, 3, 0.5)
    axes = axes_of(fitted(matrix).factors_)
    assert choose_reported_axes(axes, matrix)[1:] == (3, WEAK, True)
    assert choose_reported_axes(axes, matrix, Reported(most=2))[1] == 2
    monkeypatch.setattr(scale_rotation, "rotate_obliquely", lambda axes, number: axes if number == 2 else None)
    assert choose_reported_axes(axes, matrix)[1:] == (2, WEAK_BUT_THERE, True)
    assert choose_reported_axes(axes, matrix, Reported(may_correlate=False))[1] < 3
    there = {LEAST_RATIO: (1, WEAK), LEAST_OBLIQUE: (3, NOISE)}
    monkeypatch.setattr(
        scale_rotation, "number_of_axes", lambda axes, matrix, most, least=LEAST_RATIO, known=1: there[least]
    )
    assert choose_reported_axes(axes, matrix)[1:] == (2, WEAK_BUT_THERE, True)
    monkeypatch.setattr(scale_rotation, "rotate_obliquely", lambda axes, number: axes)
    assert choose_reported_axes(axes, matrix)[1:] == (3, NOISE, True)
    monkeypatch.setattr(scale_rotation, "rotate_obliquely", lambda axes, number: None)
    assert choose_reported_axes(axes, matrix)[1:3] == (1, WEAK_BUT_THERE)
