"""Groups above rows, by variational Bayes: bounds that never fall, the best q of each block."""

import numpy as np
import pytest
from logistic_models import DATA, GROUPS, KINDS, LIKELIHOODS, WEAK, ascent, assert_no_block_lowers, sides
from scipy.stats import norm
from test_logistic_variational import log_gamma, log_normal, twin_step

from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.matrices import Matrix
from nbmf.families.logistic.quadratic import NormalEntries

both_kinds = pytest.mark.parametrize("kind", KINDS)
each_effect = pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
OF_VARIANCE = Gamma(0.5, 0.125)


def grouped(kind="factorized", effects="both", likelihood="polya-gamma", **more):
    settings = {"groups": GROUPS, "learns_effects": True} | more
    return ascent(kind, LIKELIHOODS[likelihood](DATA), effects=effects, **settings)


@both_kinds
@each_effect
@pytest.mark.parametrize("likelihood", ["polya-gamma", "noise"])
@pytest.mark.parametrize("learns_effects", [True, False])
def test_no_block_lowers_the_bound(likelihood, effects, kind, learns_effects):
    engine = grouped(kind, effects, likelihood, seed=3, learns_effects=learns_effects)
    for side in engine.sides:
        side.learn_precision()
    assert len(engine.blocks()) == len(ascent(kind, LIKELIHOODS[likelihood](DATA), effects=effects).blocks()) + 2 + (
        learns_effects * {"none": 0, "columns": 1, "rows": 3, "both": 4}[effects]
    )
    assert_no_block_lowers(engine.blocks, engine.bound, 12, 5)


@pytest.mark.parametrize("step", [0.0, 0.3])
def test_rows_are_updated_around_the_means_of_their_groups(step):
    """Kernel and matrix form, row by row with a prior of its own."""
    rows, columns = sides("factorized", DATA["binary"].shape, 3, "both", groups=GROUPS, learns_effects=True)
    columns.center[:] = rows.center[:] = np.linspace(-1, 2, rows.center.size)
    matrix = Matrix(LIKELIHOODS["polya-gamma"](DATA), rows, columns)
    start, index = (rows.mean.copy(), rows.variance.copy()), rows.groups.index
    x, b, free = matrix.quadratic.values, matrix.quadratic.b(), rows.coordinates.free
    fixed = columns.mean, columns.variance, rows.precision
    for alone in (True, False):
        rows.mean, rows.variance = (part.copy() for part in start)
        rows.update([matrix.seen_by(rows, alone)], step)
        for f in range(len(x)):
            one = slice(f, f + 1)
            center = rows.center + rows.groups.mean[index[f]]
            expected = twin_step(x[one], b[one], start[0][one], start[1][one], *fixed, center, free, step)
            np.testing.assert_allclose(rows.mean[one], expected[0], rtol=0, atol=2e-12)
            np.testing.assert_allclose(rows.variance[one], expected[1], rtol=0, atol=1e-12)


@both_kinds
@each_effect
def test_the_means_of_groups_are_best_given_the_rest(effects, kind):
    """q(µ) is where the bound has no slope, in any mean and in the logarithm of any variance."""
    engine = grouped(kind, effects)
    engine.update(3)
    rows = engine.sides[0]
    rows.groups.learn_means(rows)
    best, groups = engine.bound(), rows.groups
    assert groups.coordinates.tolist() == [0, 1, 2, 3][: 3 + (effects in ("rows", "both"))]
    for g, c in ((0, 0), (1, groups.coordinates[-1]), (4, 1)):
        mean, variance = groups.mean[g, c], groups.variance[g, c]
        assert abs(mean) > 1e-4
        for h in (1e-3, -1e-3):
            groups.mean[g, c] = mean + h
            assert best - engine.bound() == pytest.approx(0.5 * h**2 / variance, rel=2e-3)
            groups.mean[g, c], groups.variance[g, c] = mean, variance * np.exp(h)
            assert 0 < best - engine.bound() < h**2
            groups.variance[g, c] = variance


@both_kinds
def test_precisions_of_means_have_their_shape_and_rate(kind):
    engine = grouped(kind)
    engine.update(2)
    groups = engine.sides[0].groups
    groups.learn_precisions()
    squares = (groups.mean[:, :4] ** 2 + groups.variance[:, :4]).sum(axis=0)
    np.testing.assert_allclose(groups.posterior.shape, 0.5 + 5 / 2)
    np.testing.assert_allclose(groups.posterior.rate, 0.125 + squares / 2)
    assert (groups.mean[:, 4:] == 0).all()
    assert (groups.variance[:, 4:] == 0).all()


@both_kinds
@pytest.mark.parametrize("effects", ["rows", "both"])
def test_the_level_is_best_given_the_rest(effects, kind):
    """Along d, by which groups' effects fall and the intercept rises, the bound has its top, and ψ stays."""
    engine = grouped(kind, effects)
    engine.update(2)
    (rows, columns), groups = engine.sides, engine.sides[0].groups
    moments, before = engine.matrices[0].moments(), groups.mean[:, 3].copy()
    column = 4 if effects == "both" else None
    groups.pass_level(rows, columns, 3, column)
    assert np.ptp(groups.mean[:, 3] - before) < 1e-12 < np.abs(groups.mean[:, 3] - before).max()
    for one, other in zip(moments, engine.matrices[0].moments(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    best, falls = engine.bound(), []
    for d in (1e-3, -1e-3):
        for by in (d, -d):
            groups.mean[:, 3] -= by
            (rows if column is None else columns).center[3 if column is None else column] += by
            if column is not None:
                rows.shift(3, -by)
                columns.shift(column, by)
            if by == d:
                falls.append(best - engine.bound())
    curvature = groups.posterior.mean[3] * len(groups.mean) + 1 / 9
    assert falls == pytest.approx([0.5e-6 * curvature] * 2, rel=1e-3)


@both_kinds
def test_what_both_effects_share_is_best_with_groups(kind):
    """Row effects less those of their groups, to column effects and the intercept."""
    engine = grouped(kind)
    engine.update(2)
    rows, columns = engine.sides
    engine.levels[0]()
    best, falls = engine.bound(), []
    for d in (1e-3, -1e-3):
        for by in (d, -d):
            rows.shift(3, -by)
            columns.shift(4, by)
            columns.center[4] += by
            if by == d:
                falls.append(best - engine.bound())
    assert falls == pytest.approx([0.5e-6 * (rows.precision[3] * len(rows.mean) + 1 / 9)] * 2, rel=1e-3)


@pytest.mark.statistics
@pytest.mark.parametrize(("kind", "effects"), [("factorized", "rows"), ("full", "both")])
def test_the_bound_of_a_normal_model_by_drawing(kind, effects):
    """E log p(x, all) - log q, with groups: within 5 standard errors."""
    values = DATA["real"]
    engine = ascent(
        kind, NormalEntries(values, WEAK), K=1, effects=effects, ard=False, learns_effects=True, groups=GROUPS
    )
    engine.update(30)
    (rows, columns), groups = engine.sides, engine.sides[0].groups
    noise, seen = engine.matrices[0].quadratic.noise.posterior, ~np.isnan(values)
    side, place = (rows, 1) if effects == "rows" else (columns, 2)
    rng, found = np.random.default_rng(5), []
    for _ in range(4000):
        U, V, µ = rows.draw(rng), columns.draw(rng), groups.draw(rng)
        t = rng.gamma(groups.posterior.shape) / groups.posterior.rate
        p_a = rng.gamma(rows.posterior.shape[-1]) / rows.posterior.rate[-1]
        m, tau = rng.normal(side.center[place], side.center_variance**0.5), rng.gamma(noise.shape) / noise.rate
        joint = norm.logpdf(values, U @ V.T, tau**-0.5)[seen].sum() + log_gamma(tau, WEAK) + norm.logpdf(m, 0, 3)
        of_rows = µ[groups.index]
        joint += norm.logpdf(U[:, 0], of_rows[:, 0]).sum() + norm.logpdf(V[:, 0]).sum()
        joint += norm.logpdf(U[:, 1], of_rows[:, 1] + (m if effects == "rows" else 0.0), p_a**-0.5).sum()
        joint += norm.logpdf(µ[:, :2], 0, t**-0.5).sum() + sum(log_gamma(one, OF_VARIANCE) for one in t)
        joint += log_gamma(p_a, OF_VARIANCE)
        q = log_gamma(tau, noise) + norm.logpdf(m, side.center[place], side.center_variance**0.5)
        q += norm.logpdf(µ[:, :2], groups.mean[:, :2], groups.variance[:, :2] ** 0.5).sum()
        q += sum(log_gamma(one, Gamma(*(part[c] for part in groups.posterior))) for c, one in enumerate(t))
        q += log_normal(U, rows) + log_normal(V, columns)
        q += log_gamma(p_a, Gamma(*(part[-1] for part in rows.posterior)))
        if effects == "both":
            p_b = rng.gamma(columns.posterior.shape[-1]) / columns.posterior.rate[-1]
            joint += norm.logpdf(V[:, 2], m, p_b**-0.5).sum() + log_gamma(p_b, OF_VARIANCE)
            q += log_gamma(p_b, Gamma(*(part[-1] for part in columns.posterior)))
        found.append(joint - q)
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - engine.bound()) < 5 * error
    assert error < 0.1
