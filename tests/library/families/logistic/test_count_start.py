"""Fits of counts begin near what logarithms of counts say, new rows and columns at modes: large counts are reached."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import nbinom

import nbmf
from nbmf.families.logistic.count_start import count_start, leading_axes, log_means, shrunk, sizes_by_moments
from nbmf.families.logistic.logistic_estimator import settled_weights
from nbmf.families.logistic.logistic_fold_in import modes
from nbmf.families.logistic.quadratic_counts import CountsOfSize

SIDES = [(True, True), (True, False), (False, True)]


def drawn(level, F=60, N=80, new_rows=0, new_columns=0, size=5.0, seed=0):
    """Return counts with three axes and their means, e^level more or less."""
    rng = np.random.default_rng(seed)
    W, H = rng.normal(size=(F + new_rows, 3)), 0.5 * rng.normal(size=(3, N + new_columns))
    rate = np.exp(level + rng.normal(size=N + new_columns) + W @ H)
    return rng.poisson(rng.gamma(size, rate / size)), rate


def error(found, rate):
    return np.sqrt(np.mean(np.log(found / rate) ** 2))


def fitted(counts, **settings):
    settings = {"effects": "both", "effect_scale": "learned", "ard": True, "random_state": 0} | settings
    with warnings.catch_warnings(action="ignore"):
        return nbmf.NegativeBinomialFactorVB(5, **settings).fit(counts)


@pytest.mark.parametrize(("rows", "columns"), SIDES)
def test_effects_begin_at_logarithms_of_means_and_axes_at_what_they_leave(rows, columns):
    rng = np.random.default_rng(2)
    of_rows = np.exp(0.5 * rng.normal(size=(50, 1))) if rows else np.ones((50, 1))
    of_columns = np.exp(0.5 * rng.normal(size=40)) if columns else np.ones(40)
    rate = 2000 * of_rows * of_columns
    counts = rng.poisson(rate)
    counts[3, 5] = counts[7] = -1
    r, c = log_means(counts, rows, columns)
    seen = np.arange(50) != 7
    np.testing.assert_allclose((r[:, None] + c)[seen], np.log(rate)[seen], atol=0.15)
    W = rng.normal(size=(50, 2))
    slopes = 0.3 * rng.normal(size=(40, 2))
    W, slopes = (one - rows_or_columns * one.mean(axis=0) for one, rows_or_columns in ((W, columns), (slopes, rows)))
    more = np.where(counts < 0, -1, rng.poisson(rate * np.exp(W @ slopes.T)))
    places, loadings, noise = leading_axes(more, np.log(rate), 2, rows, columns)
    assert 0 < noise < 0.01
    np.testing.assert_allclose((places**2).mean(axis=0), 1)
    np.testing.assert_allclose((places @ loadings.T)[seen], (W @ slopes.T)[seen], atol=0.15)
    wide, turned, _ = leading_axes(more.T, np.log(rate).T, 2, columns, rows)
    np.testing.assert_allclose(wide @ turned.T, (places @ loadings.T).T, atol=1e-3)
    assert leading_axes(more, np.log(rate), 0)[0].shape == (50, 0)
    assert leading_axes(np.full((4, 3), 2), np.full((4, 3), np.log(2.0)), 2)[0].shape[1] == 0


@pytest.mark.parametrize(("rows", "columns"), SIDES)
def test_where_a_fit_begins_is_near_the_truth(rows, columns):
    """Also with a tenth missing: means within noise, margins those of the counts, sizes by column."""
    counts, rate = drawn(9, F=200, N=150)
    sizes = np.repeat([2.0, 8.0], 75)
    counts = np.random.default_rng(1).poisson(np.random.default_rng(2).gamma(sizes, rate / sizes))
    counts[np.random.default_rng(3).random(counts.shape) < 0.1] = -1
    start = count_start(counts, rows, columns, 6)
    found = np.exp(np.add.outer(start.of_rows, start.of_columns) + start.places @ start.slopes.T)
    seen = counts >= 0
    if columns:
        assert start.slopes.shape[1] >= 3  # more, for columns differ in noise
        assert error(found, rate) < 0.2
        assert np.median(start.sizes[:75]) == pytest.approx(2, rel=0.15)
        assert np.median(start.sizes[75:]) == pytest.approx(8, rel=0.3)  # drawn to that of all
        assert start.noise == pytest.approx(0.4, rel=0.2)  # trigamma(2) and trigamma(8)
    for axis, has_effects in ((0, columns), (1, rows)):
        if has_effects:
            ratio = np.where(seen, found, 0).sum(axis=axis) / np.where(seen, counts, 0).sum(axis=axis)
            np.testing.assert_allclose(ratio, 1, atol=0.02)


def test_noise_has_no_axes_and_what_is_larger_is_drawn_to_the_truth():
    """The formula of Gavish and Donoho, with noise as the unit of singular values; noise is estimated from the rest."""
    F, N, sd = 60, 90, 0.7
    found, errors = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noise = sd * rng.normal(size=(F, N))
        sizes = np.linalg.svd(noise, compute_uv=False)
        kept, variance = shrunk(sizes[:8], np.sum(sizes**2), (F, N))
        assert variance == pytest.approx(sd**2, rel=0.1)
        found.append(np.count_nonzero(kept))
        truth = rng.normal(size=(F, 2)) @ rng.normal(size=(2, N)) * 0.4
        U, sizes, V = np.linalg.svd(truth + noise, full_matrices=False)
        kept, variance = shrunk(sizes[:8], np.sum(sizes**2), (F, N))
        assert variance == pytest.approx(sd**2, rel=0.1)
        y, beta = sizes[:8] / np.sqrt(variance * N), F / N
        is_larger = y > 1 + np.sqrt(beta)
        expected = np.sqrt(np.where(is_larger, (y**2 - beta - 1) ** 2 - 4 * beta, 0)) / y * np.sqrt(variance * N)
        np.testing.assert_allclose(kept, expected, rtol=1e-9, atol=1e-9)
        k = np.count_nonzero(kept)
        errors.append([np.sum(((U[:, :k] * by[:k]) @ V[:k] - truth) ** 2) for by in (kept, sizes)])
    assert np.divide(*np.mean(errors, axis=0)) < 0.95
    assert np.mean(found) < 0.8  # the edge is where the largest one of large matrices is


def test_sizes_are_those_of_moments():
    """Of Poisson counts the largest; of few entries near that of all."""
    rng = np.random.default_rng(4)
    rate = np.exp(rng.normal(3, 2, (4000, 4)))
    counts = np.column_stack([rng.poisson(rng.gamma(s, rate[:, n] / s)) for n, s in enumerate((1.2, 3.0, 3.0, 3.0))])
    counts[:30, 1] = -1
    np.testing.assert_allclose(sizes_by_moments(counts, rate, 1.0), [1.2, 3, 3, 3], rtol=0.12)
    twice = sizes_by_moments(counts, rate, 0.5)
    np.testing.assert_allclose(twice, sizes_by_moments(counts, rate, 1.0) / 2, rtol=1e-12)
    np.testing.assert_allclose(sizes_by_moments(rng.poisson(rate), rate, 1.0), 20, rtol=0.2)
    alone = counts.copy()
    alone[10:, 0] = -1
    assert 1.2 < sizes_by_moments(alone, rate, 1.0)[0] < 3


@pytest.mark.parametrize(
    ("effects", "covariance"), itertools.product(("both", "columns", "rows"), ("factorized", "full"))
)
def test_means_of_any_size_are_reached(effects, covariance):
    """Held-out means of counts in the hundred thousands; with effects of rows alone levels are found later."""
    counts, rate = drawn(12)
    held_out = np.random.default_rng(5).random(counts.shape) < 0.1
    for iterations in (20, 1000):
        model = fitted(np.where(held_out, -1, counts), effects=effects, covariance=covariance, max_iter=iterations)
        assert error(model.expectation_[held_out], rate[held_out]) < (0.5 if effects == "rows" else 0.25)


@pytest.mark.parametrize("level", [1, 7, 12])
@pytest.mark.parametrize("effects", ["both", "columns"])
def test_new_rows_and_columns_of_any_counts_are_reached(level, effects):
    counts, rate = drawn(level, new_rows=15, new_columns=15)
    model = fitted(counts[:60, :80], effects=effects)
    hidden = np.random.default_rng(6).random(counts.shape) < 0.3
    known = error(model.expectation_, rate[:60, :80])
    part = np.where(hidden, -1, counts)
    for new, there in (
        (model.predict_rows(part[60:, :80]), (slice(60, None), slice(80))),
        (model.predict_columns(part[:60, 80:]), (slice(60), slice(80, None))),
    ):
        assert error(new[hidden[there]], rate[there][hidden[there]]) < known + 0.15


def test_modes_are_those_of_the_density():
    """By another optimiser; rows without cells stay at the means of the prior, and no row depends on others."""
    rng = np.random.default_rng(7)
    design, offset = rng.normal(size=(12, 3)), rng.normal(size=12)
    precisions, centers, sizes = np.array([1.0, 3.0, 0.01]), np.array([0.0, 0.5, 2.0]), rng.uniform(0.5, 5, 12)
    values = rng.poisson(np.exp(np.array([[0.0], [3.0], [12.0]]) + rng.normal(size=(3, 12))))
    values[0, :3] = -1
    values = np.vstack([values, np.full(12, -1)])
    given = (
        design,
        precisions,
        centers,
        offset,
        lambda *cells: settled_weights(CountsOfSize(cells[0], sizes), *cells[1:]),
    )
    found = modes(values, *given)

    def lost(m, row):
        seen = row >= 0
        psi = np.clip(offset + design @ m, -500, 500)
        density = nbinom.logpmf(row, sizes, 1 / (1 + np.exp(psi)))[seen].sum()
        return -density + 0.5 * np.sum(precisions * (m - centers) ** 2)

    for row, m in zip(values, found, strict=True):
        best = minimize(
            lost, m + 0.1, args=(row,), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 4000}
        )
        np.testing.assert_allclose(m, best.x, atol=2e-3)
    np.testing.assert_array_equal(found[3], centers)
    np.testing.assert_allclose(modes(values[1:2], *given)[0], found[1], rtol=1e-10)


@pytest.mark.parametrize(
    "counts", [np.zeros((5, 4), int), np.full((4, 3), 7), np.eye(6, dtype=int), [[3, -1], [-1, 5], [0, 2]]]
)
def test_the_smallest_matrices_have_a_start(counts):
    with warnings.catch_warnings(action="error"):
        for rows, columns in SIDES:
            start = count_start(np.array(counts), rows, columns, 2)
            assert all(np.isfinite(part).all() for part in start)
    for effects in ("both", "columns", "rows"):
        assert np.isfinite(fitted(np.array(counts), effects=effects, max_iter=50).expectation_).all()
