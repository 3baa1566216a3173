"""Rows that move: every draw against the joint normal distribution of a path, the log joint, Geweke's test."""

import math

import ladder
import numpy as np
import path_twin
import pytest
import relevance_twin
from scipy import stats
from scipy.special import expit

from nbmf.families.logistic import factors as form
from nbmf.families.logistic import item_means, path_fold_in
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.factors import PATHS
from nbmf.families.logistic.kernels import path_passes, relevance
from nbmf.families.logistic.kernels import paths as kernels
from nbmf.families.logistic.logistic_gibbs import Prior
from nbmf.families.logistic.ordered_cells import CUT_SCALE, Categories, exceedances
from nbmf.families.logistic.path_chain import MovingCategoryCells, MovingCells, PathChain, WalkPrior
from nbmf.families.logistic.periods import periods_of
from nbmf.inference.state import Factors

# Five periods of two or three columns, not in their order, with times of different distances.
TIMES = np.array([3, 0, 1, 1, 3, 0, 7, 6, 7, 1, 6, 0])
PERIODS = periods_of(TIMES, TIMES.size, None)
T = PERIODS.times.size
PRIOR = Prior(True, 4.0, 3.0, "learned")
SHARED, ROWS = WalkPrior("shared", 3.0, 1.0), WalkPrior("rows", 3.0, 1.0)
EACH = pytest.mark.parametrize(("K", "walk"), [(1, SHARED), (2, ROWS), (2, WalkPrior(0.3, 1.0, 1.0))])


def codes(seed=0, C=2):
    """Return values of a row that stays, one that comes late, one that pauses, one that goes, one of one period."""
    V = np.random.default_rng(seed).integers(0, C, (6, TIMES.size)).astype(np.int8)
    V[1, TIMES < 3] = -1
    V[2, (TIMES > 0) & (TIMES < 7)] = -1
    V[3, TIMES > 1] = -1
    V[4, TIMES != 3] = -1
    V[5, 0] = V[0, 7] = -1
    return V


def chain_of(K=1, walk=SHARED, effects="columns", seed=0, threads=1, prior=PRIOR, V=None):
    cells = MovingCells(Binary(codes() if V is None else V), PERIODS)
    first = np.random.default_rng(1).normal(size=(len(cells.entries), K))
    return PathChain(cells, first, form.Effects.named(effects), prior, walk, np.random.SeedSequence(seed), threads)


def ordinal_chain(K=1, walk=SHARED, by_column=True, seed=0, threads=1, prior=PRIOR, V=None):
    V = codes(C=3) if V is None else V
    cells, effects = MovingCategoryCells(Categories(V, 3, by_column), PERIODS), "none" if by_column else "columns"
    first = np.random.default_rng(1).normal(size=(len(V), K))
    return PathChain(cells, first, form.Effects.named(effects), prior, walk, np.random.SeedSequence(seed), threads)


# --- Filtering forward and sampling backward ---------------------------------------------------

UNCOMPILED = "cholesky", "solve", "draw_normal", "_add_packed", "filter_forward", "sample_backward"
UNCOMPILED += "_walk_statistics", "_update_block", "_draw_weights", "_finish_path"


@pytest.fixture
def uncompiled(monkeypatch):
    """Return a function after which the kernels of a path run uncompiled on given normal numbers."""

    def take(normals):
        for name in UNCOMPILED:
            kernel = getattr(kernels, name)
            monkeypatch.setattr(kernels, name, getattr(kernel, "py_func", kernel))
        given = iter(normals)
        monkeypatch.setattr(kernels, "standard_normal", lambda generator: next(given))

    return take


def cells_of_path(n, D, pauses, rng):
    """Return two cells in every period but those of pauses, and their P (n, packed) and b (n, D)."""
    cells, P, b = [], np.zeros((n, D * (D + 1) // 2)), np.zeros((n, D))
    for t in range(n):
        for _ in range(0 if t in pauses else 2):
            x, omega, kappa, offset = rng.normal(size=D), rng.gamma(1.0), rng.normal(), rng.normal()
            cells.append((t, kappa, omega, offset, x))
            P[t] += omega * np.array([x[c] * x[a] for c in range(D) for a in range(c, D)])
            b[t] += (kappa - omega * offset) * x
    return cells, P, b


@pytest.mark.parametrize("D", [1, 2, 3])
@pytest.mark.parametrize(
    ("n", "pauses"), [(1, ()), (1, (0,)), (2, ()), (2, (0,)), (5, ()), (5, (1, 2)), (5, (0, 3, 4))]
)
@pytest.mark.parametrize("variance", [1e-6, 0.4, 30.0])
def test_a_path_has_the_mean_and_covariance_of_the_joint_normal(n, D, pauses, variance, uncompiled):
    """With normal numbers of 0 a draw is the mean; what one of 1 adds are the columns of a root of the covariance."""
    rng = np.random.default_rng(n)
    cells, P, b = cells_of_path(n, D, pauses, rng)
    gaps = rng.uniform(0.5, 3.0, n - 1)
    precision, linear = path_twin.joint(0, n - 1, variance * gaps, cells, D)

    def drawn(normals):
        uncompiled(normals)
        room, factor, path = np.empty((n, D)), np.empty((n, D, D)), np.empty((n, D))
        kernels.filter_forward(0, n - 1, variance, gaps, P, b, room, factor, np.empty((D, D)))
        kernels.sample_backward(0, n - 1, variance, gaps, room, factor, None, path)
        return path.ravel()

    mean = drawn(np.zeros(n * D))
    root = np.stack([drawn(one) - mean for one in np.eye(n * D)])
    tolerance = {"rtol": 1e-6, "atol": 1e-9} if variance < 1e-3 else {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(mean, np.linalg.solve(precision, linear), **tolerance)
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(precision), **tolerance)


def cells_of(chain, f, omega):
    """Return the cells of a row for the twin, given ω (F, N) and κ of the chain."""
    kappa, offset = np.zeros(omega.shape), chain.columns.effects
    kappa[chain.cells.likelihood.seen] = chain.cells.kappa
    H = chain.columns.factor
    places = np.flatnonzero(chain.cells.likelihood.seen[f])
    return [(PERIODS.of_columns[n], kappa[f, n], omega[f, n], offset[n], H[n]) for n in places]


@EACH
def test_a_half_sweep_is_the_twins_draw_by_draw(K, walk, uncompiled, monkeypatch):
    """All paths with given weights and normal numbers, what they say of s, and what comes before and after."""
    chain = chain_of(K, walk)
    chain.sweep(3)
    rng, rows = np.random.default_rng(3), chain.rows
    omegas, normals = rng.gamma(1.0, 0.3, 1000), rng.standard_normal(1000)
    asked, weights = [], iter(omegas)
    uncompiled(normals)

    def polya_gamma(generator, trials, psi):
        asked.append((trials, psi))
        return next(weights)

    monkeypatch.setattr(kernels, "polya_gamma", polya_gamma)
    monkeypatch.setattr(kernels, "update_paths_serial", kernels.update_paths)
    monkeypatch.setattr(kernels, "finish_paths_serial", kernels.finish_paths)
    told_of, new = [], 1.7 * rows.variances.copy()
    scales = rng.uniform(0.5, 2.0, rows.variances.size)

    def draw_variances(generator, told, steps, shape, rate, variances, found):
        told_of.append((told, steps))
        variances[:], found[:] = new, scales

    monkeypatch.setattr(path_passes, "draw_variances", draw_variances)
    before, s = rows.by_period.copy(), rows.variances_of_rows()
    seen, given, omega = chain.cells.likelihood.seen, iter(omegas), np.zeros(codes().shape)
    spans, expected, psis, told = rows.spans, before.copy(), [], []
    numbers = iter(normals)
    for f in range(6):
        for n in sorted(np.flatnonzero(seen[f]), key=lambda n: PERIODS.of_columns[n]):
            omega[f, n] = next(given)
            psis.append((1.0, chain.columns.effects[n] + before[f, PERIODS.of_columns[n]] @ chain.columns.factor[n]))
        (first, last), own = spans[f], s[f] * PERIODS.gaps
        cells = cells_of(chain, f, omega)
        P, b = path_twin.joint(first, last, own, cells, K)
        expected[f, first : last + 1] = path_twin.draw_path(P, b, numbers).reshape(-1, K)
        told.append([cells, expected[f].copy(), first, last])
    rows.update(chain.columns, chain.cells, True, 1)
    np.testing.assert_allclose(asked, psis, rtol=1e-10)
    if walk.is_learned:
        of_rows = scales if walk.by_row else np.repeat(scales, 6)
        s = new if walk.by_row else np.repeat(new, 6)
        _assert_told(told, *told_of[0], K, walk)
    else:
        of_rows = np.ones(6)
    for f, (first, last) in enumerate(spans):
        start = expected[f, first].copy()
        expected[f] = start + of_rows[f] * (expected[f] - start)
        path_twin.walk_on(expected[f], first, last, s[f] * PERIODS.gaps, numbers)
    np.testing.assert_allclose(rows.by_period, expected, rtol=1e-8, atol=1e-10)


def _assert_told(rows, told, steps, K, walk):
    """What is told of s is the twin's log-likelihood with all steps times c, and the squares of the steps."""
    rows = [[row] for row in rows] if walk.by_row else [rows]
    for (slope, curvature, squares), n_steps, together in zip(told, steps, rows, strict=True):
        for c in (0.3, 1.0, 2.5):
            exact = 0.0
            for cells, path, first, _ in together:
                exact += path_twin.log_likelihood(path[first] + c * (path - path[first]), cells)
                exact -= path_twin.log_likelihood(np.repeat(path[first][None], T, axis=0), cells)
            assert c * slope - 0.5 * c**2 * curvature == pytest.approx(exact, rel=1e-8, abs=1e-9)
        sums = [
            np.sum((path[t + 1] - path[t]) ** 2) / PERIODS.gaps[t]
            for _, path, first, last in together
            for t in range(first, last)
        ]
        assert squares == pytest.approx(sum(sums), rel=1e-9, abs=1e-12)
        assert n_steps == K * len(sums)


@pytest.mark.parametrize("row", range(3))
def test_s_has_its_two_conditionals(row, monkeypatch):
    """First log p(log s) given the steps over √s, with longer steps; then inverse gamma given steps."""
    told, steps = np.array([[1.2, 0.7, 2.0], [-0.4, 3.0, 0.5], [0.0, 0.0, 0.0]]), np.array([4.0, 9.0, 0.0])
    variances, scales, shape, rate = np.array([0.3, 0.05, 2.0]), np.ones(3), 2.5, 0.4
    before, seen = variances.copy(), []

    def draw_scales(generator, g, G, a0, b0, alpha, c):
        seen.append((g[0], G[0, 0], alpha[0], a0, b0))
        c[0] = 1.5

    monkeypatch.setattr(path_passes, "draw_scales", draw_scales)
    monkeypatch.setattr(path_passes, "standard_gamma", lambda generator, shape: shape * 10.0)
    path_passes.draw_variances.py_func(None, told, steps, shape, rate, variances, scales)

    def exact(c):
        s = before[row] * c**2
        likelihood = c * told[row, 0] - 0.5 * c**2 * told[row, 1]
        return likelihood + stats.invgamma.logpdf(s, shape, scale=rate) + math.log(s)

    found = [relevance.log_density_of_scale.py_func(c, *seen[row]) for c in (0.4, 1.0, 2.0)]
    expected = [exact(c) for c in (0.4, 1.0, 2.0)]
    np.testing.assert_allclose(np.diff(found), np.diff(expected), rtol=1e-10)
    np.testing.assert_array_equal(scales, 1.5)
    a = shape + steps[row] / 2
    assert variances[row] == pytest.approx((rate + 1.5**2 * told[row, 2] / 2) / (10 * a), rel=1e-12)


@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("walk", [SHARED, ROWS])
def test_a_sign_turns_by_the_ratio_of_the_priors(K, walk, monkeypatch):
    """From a period on, of rows and columns: ψ stays, and what is compared are the priors of the paths."""
    chain, rng = chain_of(K, walk), np.random.default_rng(4)
    rows, columns, alpha, given = chain.rows, chain.columns, chain.alpha, []

    def density_of_both():
        """With the mean integrated out, columns are normal with the covariance (I + 11') / α."""
        covariance = np.eye(len(columns.u)) + 1.0
        each = (stats.multivariate_normal.logpdf(columns.u[:, k], cov=covariance / alpha[k]) for k in range(K))
        return rows.log_density() + sum(each)

    monkeypatch.setattr(path_passes, "uniform", lambda generator: given.pop(0))
    turns = []
    for _ in range(40):
        rows.u[:], rows.variances[:] = rng.normal(size=rows.u.shape), rng.gamma(4.0, size=rows.variances.size)
        alpha[:] = rng.gamma(1.0, size=K)
        psi, before = form.psi_of(chain.factors())[codes() >= 0], (rows.u.copy(), columns.u.copy())
        numbers = rng.random((T - 1, K))
        for t in range(T - 1):
            for k in range(K):
                now, density = (rows.u.copy(), columns.u.copy()), density_of_both()
                for f, (first, last) in enumerate(rows.spans):
                    from_period = 0 if first > t else t + 1 if last > t else T
                    rows.by_period[f, from_period:, k] *= -1
                columns.u[PERIODS.of_columns > t, k] *= -1
                turns.append(math.log(1 - numbers[t, k]) < density_of_both() - density)
                if not turns[-1]:
                    rows.u[:], columns.u[:] = now
        expected = rows.u.copy(), columns.u.copy()
        rows.u[:], columns.u[:] = before
        given[:] = numbers.ravel().tolist()
        walk_of_rows = rows.spans, rows.gaps, rows.variances_of_rows()
        path_passes.draw_flips.py_func(None, *walk_of_rows, PERIODS.of_columns, alpha, rows.u, columns.u)
        np.testing.assert_array_equal(rows.u, expected[0])
        np.testing.assert_array_equal(columns.u, expected[1])
        np.testing.assert_allclose(form.psi_of(chain.factors())[codes() >= 0], psi, rtol=1e-10, atol=1e-12)
    assert 0.2 < np.mean(turns) < 0.9


@pytest.mark.parametrize("K", [1, 2])
def test_the_mean_of_columns_has_its_conditional(K, monkeypatch):
    """With a normal number of 0 it is the mean of N columns and a zero; one of 1 adds a standard deviation."""
    rng = np.random.default_rng(1)
    V, alpha = rng.normal(size=(5, K + 1)), rng.gamma(2.0, size=K)
    for z in (0.0, 1.0, -2.0):
        monkeypatch.setattr(path_passes, "standard_normal", lambda generator, z=z: z)
        found = np.full(K, np.nan)
        path_passes.draw_means.py_func(None, V, alpha, found)
        for k in range(K):  # completing the square of Σ (v - µ)² α + µ² α
            precision, linear = 6 * alpha[k], alpha[k] * V[:, k].sum()
            assert found[k] == pytest.approx(linear / precision + z / math.sqrt(precision), rel=1e-12)


@pytest.mark.parametrize("K", [1, 2])
def test_scales_axes_and_precisions_are_drawn_of_columns_around_their_mean_and_of_the_mean(K, monkeypatch):
    """As the reference implementation draws them of N + 1 columns with the mean 0."""
    chain, rng = chain_of(K), np.random.default_rng(5)
    chain.sweep(3)
    rows, columns, alpha, mean = chain.rows, chain.columns, chain.alpha, chain.item_mean
    mean.values[:] = rng.normal(size=K)
    uniforms = rng.random(2000)

    def gamma(generator, shape):
        return 1.3 * shape

    for name in relevance_twin.KERNELS:
        monkeypatch.setattr(relevance, name, getattr(relevance, name).py_func)
    given = iter(uniforms)
    monkeypatch.setattr(relevance, "uniform", lambda generator: next(given))
    monkeypatch.setattr(relevance, "standard_gamma", gamma)
    monkeypatch.setattr(item_means, "draw_relevance", relevance.draw_relevance.py_func)
    U, around, effects = rows.u.copy(), np.vstack([columns.factor - mean.values, mean.values]), columns.effects
    gammas = iter([lambda shape: gamma(None, shape)] * K)
    twin = relevance_twin.relevance_twin(
        iter(uniforms), gammas, U, around, *columns.scales(), PRIOR.a0, PRIOR.b0, alpha.copy()
    )
    mean.draw_relevance(None, rows, columns, PRIOR, alpha)
    np.testing.assert_allclose(rows.u, twin[0], rtol=1e-10)
    np.testing.assert_allclose(columns.factor - mean.values, twin[1][:-1], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(mean.values, twin[1][-1], rtol=1e-10)
    np.testing.assert_allclose(alpha, twin[2], rtol=1e-10)
    np.testing.assert_array_equal(columns.effects, effects)


def test_columns_are_drawn_around_their_mean():
    """Where there is nothing to be learned, those of a column without entries are a draw of its prior."""
    V = codes()
    V[:, 3] = -1
    chain = chain_of(K=2, V=V)
    chain.sweep(2)
    chain.item_mean.values[:], chain.alpha[:] = [4.0, -3.0], [25.0, 100.0]
    chain._set_priors()
    drawn = []
    for _ in range(800):
        chain.columns.update(chain.rows, chain.cells, False, 1)
        drawn.append(chain.columns.factor[3].copy())
    np.testing.assert_allclose(np.mean(drawn, axis=0), [4.0, -3.0], atol=0.03)
    np.testing.assert_allclose(np.std(drawn, axis=0), [0.2, 0.1], rtol=0.12)


def test_periods_that_begin_with_the_opposite_sign_turn_in_a_few_sweeps():
    """Also where columns have a mean that the later periods hold: with the mean as it is they would stay reversed."""
    rng, F, years = np.random.default_rng(8), 20, np.repeat(np.arange(10), 30)
    W = rng.normal(size=(F, 1)) + np.cumsum(0.4 * rng.normal(size=(F, 10)), axis=1)
    h = 1.0 + rng.normal(size=years.size)
    V = (rng.random((F, years.size)) < expit(W[:, years] * h)).astype(np.int8)
    cells = MovingCells(Binary(V), periods_of(years, years.size, None))
    chain = PathChain(cells, W[:, :1], form.Effects.named("none"), PRIOR, SHARED, np.random.SeedSequence(0), 1)
    chain.rows.by_period[..., 0], chain.columns.u[:, 0] = W, h
    chain.rows.by_period[:, :2] *= -1
    chain.columns.u[years < 2] *= -1
    chain.item_mean.values[:], chain.rows.variances[:] = 1.0, 0.4**2
    chain.sweep(5)
    before, after = chain.rows.by_period[:, 1, 0], chain.rows.by_period[:, 2, 0]
    assert np.corrcoef(before, after)[0, 1] > 0.5


# --- The joint density, and Geweke's test ------------------------------------------------------


@EACH
def test_the_log_joint_is_that_of_the_model(K, walk):
    chain = chain_of(K, walk, prior=Prior(False, 1.0, 1.0, "learned"))
    chain.sweep(3)
    chain.alpha[:] = [0.4, 3.0][:K]  # as if they were learned
    factors, rows, mean, root = chain.factors(), chain.rows, chain.item_mean.values, np.sqrt(chain.alpha)
    assert (mean != 0).all()
    expected = stats.norm.logpdf((factors.H.T - mean) * root).sum() + stats.norm.logpdf(mean * root).sum()
    for f, (first, last) in enumerate(rows.spans):
        own = rows.variances_of_rows()[f] * PERIODS.gaps
        expected += path_twin.log_prior(factors.others[PATHS][f], first, last, own)
    for f, n in np.argwhere(codes() >= 0):
        psi = factors.others[PATHS][f, PERIODS.of_columns[n]] @ factors.H[:, n] + factors.others[form.COLUMNS][n]
        expected -= np.logaddexp(0.0, -psi if codes()[f, n] else psi)
    m, s = factors.others[form.INTERCEPT], factors.others[form.COLUMN_VARIANCE]
    expected += stats.norm.logpdf(factors.others[form.COLUMNS], m, math.sqrt(s)).sum() + stats.norm.logpdf(m, scale=3)
    expected += stats.invgamma.logpdf(s, 0.5, scale=0.125) + math.log(s)
    if walk.is_learned:
        s = rows.variances
        expected += (stats.invgamma.logpdf(s, walk.shape, scale=walk.rate) + np.log(s)).sum()
    assert chain.log_joint() == pytest.approx(expected, rel=1e-10)


class Draw:
    """A draw of all there is, from the prior or from where a chain is, and given it the data."""

    def __init__(self, factors, alpha, mean, variances, cuts, rng):
        self.factors, self.alpha, self.variances, self.cuts = factors, alpha, variances, cuts
        self.mean = mean  # of H
        self.psi = form.psi_of(factors)
        if cuts is None:
            self.x = (rng.random(self.psi.shape) < expit(self.psi)).astype(np.int8)
        else:
            beyond = exceedances(self.psi, cuts)
            self.x = (rng.random(self.psi.shape)[..., None] < beyond).sum(axis=-1).astype(np.int8)

    def statistics(self):
        """Return functions of it that have variances."""
        paths, H, x, psi = self.factors.others[PATHS], self.factors.H, self.x, self.psi
        steps = np.diff(paths, axis=1)
        there = codes() >= 0
        found = [
            psi[0, 0],
            np.abs(psi[there]).mean(),
            np.log(np.abs(psi[~there])).mean(),
            np.log(self.alpha).sum(),
            (H**2).mean(),
            np.log(self.mean**2).mean(),
            np.tanh(H.sum(axis=1) * self.mean).mean(),
            *np.log(self.variances[:3]),
            np.log(steps**2).mean(),
            np.log(steps[1:3] ** 2).mean(),
            *np.log(paths[:4, -1] ** 2).mean(axis=1),
            np.log(paths[1, 0] ** 2).mean(),
            np.tanh(paths[:, 0, 0] * paths[:, -1, 0]).mean(),
            (np.sign(paths[0, 1, 0]) * np.sign(paths[0, 2, 0])),
            (x * np.tanh(psi))[there].mean(),
            x[0, 0],
            x[there].mean(),
        ]
        others = self.factors.others
        found += [others[form.INTERCEPT], np.log(others[form.COLUMN_VARIANCE])] if form.COLUMNS in others else []
        return [*found, *([] if self.cuts is None else [(self.cuts**2).mean(), np.log(np.diff(self.cuts)).mean()])]


def from_prior(K, walk, effects, cuts, rng):
    alpha, F, N = rng.gamma(PRIOR.a0, 1 / PRIOR.b0, K), *codes().shape
    variances = walk.rate / rng.gamma(walk.shape, size=F if walk.by_row else 1)
    spans = moving.spans_of((codes() >= 0).astype(int) @ (PERIODS.of_columns[:, None] == np.arange(T)))
    own = np.broadcast_to(variances, F)
    paths = np.array([path_twin.prior_path(T, spans[f, 0], K, own[f] * PERIODS.gaps, rng) for f in range(F)])
    others = {PATHS: paths, form.PERIODS: PERIODS.of_columns}
    if effects:
        m, s = 3.0 * rng.normal(), 0.125 / rng.gamma(0.5)
        others |= {form.COLUMNS: m + math.sqrt(s) * rng.normal(size=N), form.INTERCEPT: m, form.COLUMN_VARIANCE: s}
    mean = rng.normal(size=K) / np.sqrt(alpha)
    H = mean[:, None] + rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None]
    made = np.sort(CUT_SCALE * rng.normal(size=(N, 2)), axis=1) if cuts else None
    return Draw(Factors(paths[:, 0], H, others), alpha, mean, variances, made, rng)


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("K", "walk", "cuts", "scale"),
    [
        (1, SHARED, False, 1),
        pytest.param(1, SHARED, False, 8, marks=pytest.mark.long),
        pytest.param(2, ROWS, False, 8, marks=pytest.mark.long),
        pytest.param(1, ROWS, True, 8, marks=pytest.mark.long),
        (2, ROWS, True, 1),
    ],
)
def test_geweke(K, walk, cuts, scale):
    """Everything drawn by the sampler in turn with the data has its prior distribution."""
    rng = np.random.default_rng(13)
    independent = np.array([from_prior(K, walk, not cuts, cuts, rng).statistics() for _ in range(4000 * scale)])
    chain = ordinal_chain(K, walk, seed=7) if cuts else chain_of(K, walk, seed=7)
    likelihood, series = chain.cells.likelihood, []
    for _ in range(8000 * scale):
        chain.sweep()
        own_cuts = likelihood.cuts.copy() if cuts else None
        of_columns = chain.alpha.copy(), chain.item_mean.values.copy()
        draw = Draw(chain.factors(), *of_columns, chain.rows.variances.copy(), own_cuts, rng)
        values = draw.x[likelihood.seen]
        if cuts:
            likelihood.take(values)
        else:
            likelihood.kappa[:] = values - 0.5
            chain.cells.update_columns()
        series.append(draw.statistics())
    found, error = ladder.batch_means(np.array(series)[500:])
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    assert ladder.means_p(found, error, independent.mean(axis=0)) > ladder.FALSE_ALARM


# --- New rows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [1, 2])
def test_new_rows_have_the_moments_of_the_joint_normal(K):
    """Over all periods, those before the first included, with a step of any covariance."""
    rng = np.random.default_rng(5)
    root, start = np.tril(rng.normal(size=(K, K))), np.tril(rng.normal(size=(K, K)))
    walk = path_fold_in.Walk(rng.normal(size=K), start @ start.T, root @ root.T, PERIODS.gaps)
    first, P, b = np.array([0, 2, T - 1]), np.zeros((3, T, K, K)), np.zeros((3, T, K))
    for r, begins in enumerate(first):
        for t in range(begins, T):
            x = rng.normal(size=(2, K)) * (t != 3)
            P[r, t], b[r, t] = x.T @ x, rng.normal(size=K) * (t != 3)
    means, covariances = path_fold_in.smooth(P, b, first, walk)
    for r, begins in enumerate(first):
        steps = path_twin.walk_precision(T, begins, 1, PERIODS.gaps)
        steps[begins, begins] -= 1.0
        precision, linear = np.kron(steps, np.linalg.inv(walk.step)), b[r].ravel().copy()
        for t in range(T):
            here = slice(t * K, (t + 1) * K)
            precision[here, here] += P[r, t] + (np.linalg.inv(walk.start) if t == begins else 0.0)
            linear[here] += np.linalg.solve(walk.start, walk.start_mean) if t == begins else 0.0
        expected = np.linalg.inv(precision)
        np.testing.assert_allclose(means[r].ravel(), expected @ linear, rtol=1e-8, atol=1e-10)
        for t in range(T):
            here = slice(t * K, (t + 1) * K)
            np.testing.assert_allclose(covariances[r, t], expected[here, here], rtol=1e-8, atol=1e-10)
