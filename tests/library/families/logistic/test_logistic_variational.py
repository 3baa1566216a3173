"""q of the factors: against loops of the equations, exact values, bounds that never fall."""

import numpy as np
import pytest
from logistic_models import DATA, KINDS, LIKELIHOODS, WEAK, ascent, assert_no_block_lowers, sides, small_data
from scipy.special import expit, gammaln, logsumexp
from scipy.stats import norm

from nbmf.errors import ConfigError
from nbmf.families.logistic.factor_posteriors import FactorizedPosterior, FullPosterior, SideData, packed
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.kernels import factorized
from nbmf.families.logistic.kernels.full import posteriors
from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
from nbmf.families.logistic.matrices import Matrix
from nbmf.families.logistic.quadratic import Bohning, NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial

EFFECTS = ("none", "rows", "columns", "both")
both_kinds = pytest.mark.parametrize("kind", KINDS)

# --- The factorized step: kernel, matrix form and loops --------------------------------------


def twin_step(x, b, mean, variance, m, s2, precision, center, free, step):
    """One line at a time, as section 4.1.2 has it with the sign of its gradient put right."""
    new_mean, new_variance = mean.copy(), variance.copy()
    for i in range(len(x)):
        g, delta = -precision * (mean[i] - center), precision.copy()
        A = np.diag(precision)
        for j in range(x.shape[1]):
            if x[i, j] >= 0:
                psi = mean[i] @ m[j]
                square = psi**2
                for k in range(mean.shape[1]):
                    square += mean[i, k] ** 2 * s2[j, k] + variance[i, k] * m[j, k] ** 2
                    square += variance[i, k] * s2[j, k]
                eta = np.sqrt(square)
                w = b[i, j] * np.tanh(eta / 2) / (2 * eta)
                g += (x[i, j] - b[i, j] / 2 - w * psi) * m[j] - w * s2[j] * mean[i]
                delta += w * (m[j] ** 2 + s2[j])
                A = A + w * (np.outer(m[j], m[j]) + np.diag(s2[j]))
        d = np.where(free, g / delta, 0.0)
        t = step or (g @ d) / (d @ A @ d)
        new_mean[i] = mean[i] + t * d
        new_variance[i] = np.where(free, 1 / delta, 0.0)
    return new_mean, new_variance


def likelihood_of(name):
    if name == "polya-gamma":
        return PolyaGamma(DATA["binary"])
    likelihood = LIKELIHOODS["negative binomial"](DATA)
    likelihood.size = np.linspace(0.5, 4, likelihood.size.size)
    return likelihood


@pytest.mark.parametrize("effects", EFFECTS)
@pytest.mark.parametrize("step", [0.0, 0.3])
@pytest.mark.parametrize("name", ["polya-gamma", "negative binomial"])
@pytest.mark.parametrize("turned", [False, True])
def test_kernel_and_matrix_form_are_the_loops(name, effects, step, turned):
    likelihood = likelihood_of(name)
    rows, columns = sides("factorized", likelihood.seen.shape, 3, effects)
    columns.learn_precision()
    for one in (rows, columns):
        one.center[:] = np.linspace(-1, 2, one.center.size)
    matrix = Matrix(likelihood, rows, columns)
    side, other = (columns, rows) if turned else (rows, columns)
    start = side.mean.copy(), side.variance.copy()
    x, b = likelihood.values, likelihood.b()
    if turned:
        x, b = x.T, b.T
    free, fixed = side.coordinates.free, (other.mean, other.variance)
    expected = twin_step(x, b, *start, *fixed, side.precision, side.center, free, step)
    for alone in (True, False):
        side.mean, side.variance = (part.copy() for part in start)
        seen = matrix.seen_by(side, alone)
        assert (seen.own_rows is not None) == alone
        side.update([seen], step)
        np.testing.assert_allclose(side.mean, expected[0], rtol=0, atol=2e-12)
        np.testing.assert_allclose(side.variance, expected[1], rtol=0, atol=1e-12)


def test_the_kernel_as_plain_python_is_the_kernel():
    likelihood, (rows, columns) = likelihood_of("polya-gamma"), sides("factorized", (9, 7), 3)
    entries = columns.mean.T.copy(), columns.variance.T.copy()
    found = []
    for function in (factorized.update_rows, factorized.update_rows.py_func):
        mean, variance = rows.mean.copy(), rows.variance.copy()
        free = rows.coordinates.free
        own = mean, variance
        function(*likelihood.as_rows(True), *own, *entries, rows.precision, np.ones((9, 3)), free, 0.0)
        found.append(np.hstack(own))
    np.testing.assert_allclose(*found, rtol=1e-13)


def test_the_gradient_is_that_of_the_bound():
    """The paper prints the first part of it with the other sign."""
    engine = ascent("factorized", likelihood_of("polya-gamma"), ard=False)
    rows = engine.sides[0]
    quadratic, h = engine.matrices[0].quadratic, 1e-5
    psi, square = engine.matrices[0].moments()
    quadratic.refresh(psi, square)
    m, s2 = engine.sides[1].mean, engine.sides[1].variance
    g = (quadratic.h - quadratic.w * psi) @ m - (quadratic.w @ s2 + 1.0) * rows.mean
    for i, k in ((0, 0), (4, 2), (8, 1)):
        bounds = []
        for sign in (1, -1):
            rows.mean[i, k] += sign * h
            bounds.append(engine.bound())
            rows.mean[i, k] -= sign * h
        assert (bounds[0] - bounds[1]) / (2 * h) == pytest.approx(g[i, k], rel=1e-5)


# --- The full covariance -----------------------------------------------------------------------


@pytest.mark.parametrize("clamped", [[], [1], [0, 3]])
def test_posteriors_of_lines_by_inverting_matrices(clamped):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 4, 9))
    P = root @ root.transpose(0, 2, 1)
    free = np.setdiff1d(np.arange(4), clamped)
    a, b = np.tril_indices(4)
    linear, mean = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    found, second, determinant = mean.copy(), np.empty((6, 10)), np.empty(6)
    posteriors(np.ascontiguousarray(P[:, a, b]), linear, free, found, second, determinant)
    for i in range(6):
        S = np.linalg.inv(P[i][np.ix_(free, free)])
        right = linear[i, free] - P[i][np.ix_(free, clamped)] @ mean[i, clamped]
        expected = mean[i].copy()
        expected[free] = S @ right
        moment = np.outer(expected, expected)
        moment[np.ix_(free, free)] += S
        np.testing.assert_allclose(found[i], expected, rtol=1e-11)
        np.testing.assert_allclose(second[i], moment[a, b], rtol=1e-11)
        assert determinant[i] == pytest.approx(np.linalg.slogdet(S)[1])


@pytest.mark.parametrize("effects", EFFECTS)
def test_a_full_update_by_loops(effects):
    engine = ascent("full", likelihood_of("polya-gamma"), effects=effects)
    engine.update(2)
    rows, columns = engine.sides
    columns.center[:] = np.linspace(-1, 2, columns.center.size)
    matrix = engine.matrices[0]
    quadratic = matrix.quadratic
    seen = matrix.seen_by(columns, True)
    U = [np.outer(u, u) for u in rows.mean] + rows.covariance()
    free = columns.coordinates.free
    columns.update([seen], 0.0)
    for j in range(len(columns.mean)):
        P, right = np.diag(columns.precision), columns.precision * columns.center
        for i in np.flatnonzero(quadratic.seen[:, j]):
            P = P + quadratic.w[i, j] * U[i]
            right += quadratic.h[i, j] * rows.mean[i]
        S = np.linalg.inv(P[np.ix_(free, free)])
        mean = S @ (right[free] - P[np.ix_(free, ~free)].sum(axis=1))
        np.testing.assert_allclose(columns.mean[j, free], mean, atol=1e-12)
        np.testing.assert_allclose(columns.covariance()[j][np.ix_(free, free)], S, atol=1e-12)
    assert (columns.mean[:, ~free] == 1).all()


@both_kinds
def test_moments_by_drawing(kind):
    """<ψ>, <ψ²> and draws agree within 5 standard errors."""
    engine = ascent(kind, likelihood_of("polya-gamma"), effects="both")
    engine.update(3)
    rows, columns = engine.sides
    rng, n = np.random.default_rng(0), 4000
    drawn = np.array([rows.draw(rng) @ columns.draw(rng).T for _ in range(n)])
    psi, square = engine.matrices[0].moments()
    for power, exact in ((1, psi), (2, square)):
        values = drawn**power
        assert (np.abs(values.mean(axis=0) - exact) < 5 * values.std(axis=0) / np.sqrt(n)).all()
    np.testing.assert_allclose(
        rows.squares[:, rows.coordinates.free],
        (
            rows.mean**2 + rows.covariance().diagonal(axis1=1, axis2=2)
            if kind == "full"
            else rows.mean**2 + rows.variance
        )[:, rows.coordinates.free],
    )


# --- The bound ---------------------------------------------------------------------------------


@both_kinds
@pytest.mark.parametrize("effects", ["none", "both"])
@pytest.mark.parametrize("name", LIKELIHOODS)
def test_no_block_lowers_the_bound(name, effects, kind):
    engine = ascent(kind, LIKELIHOODS[name](DATA), effects=effects, seed=3)
    engine.sides[1].learn_precision()
    assert_no_block_lowers(engine.blocks, engine.bound, 12, 5)


@both_kinds
@pytest.mark.parametrize("effects", ["rows", "columns", "both"])
@pytest.mark.parametrize("name", ["polya-gamma", "noise"])
def test_no_block_lowers_the_bound_with_a_distribution_of_effects(name, effects, kind):
    engine = ascent(kind, LIKELIHOODS[name](DATA), effects=effects, seed=3, learns_effects=True)
    for side in engine.sides:
        side.learn_precision()
    assert_no_block_lowers(engine.blocks, engine.bound, 12, 5)


def law_of(engine, effects):
    """Return the side and the place of the intercept."""
    return (engine.sides[0], 3) if effects == "rows" else (engine.sides[1], 4 if effects == "both" else 3)


@both_kinds
@pytest.mark.parametrize("effects", ["rows", "columns", "both"])
def test_the_intercept_is_best_given_the_rest(effects, kind):
    """q(m) is where the bound has no slope in its mean and in the logarithm of its variance."""
    engine = ascent(kind, likelihood_of("polya-gamma"), effects=effects, learns_effects=True)
    engine.update(3)
    side, place = law_of(engine, effects)
    side.learn_center()
    best, mean, variance = engine.bound(), side.center[place], side.center_variance
    assert abs(mean) > 0.01
    for h in (1e-4, -1e-4):
        side.center[place] = mean + h
        assert best - engine.bound() == pytest.approx(0.5 * h**2 / variance, rel=1e-3)
        side.center[place], side.center_variance = mean, variance * np.exp(h)
        assert 0 < best - engine.bound() < h**2
        side.center_variance = variance


def test_the_divergence_of_the_intercept_by_quadrature():
    """KL(q(m) || N(0, 9)), as E log q(m) - log p(m) at Gauss-Hermite nodes."""
    side, place = law_of(
        ascent("factorized", likelihood_of("polya-gamma"), effects="rows", learns_effects=True), "rows"
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    for mean, variance in ((0.0, 9.0), (0.3, 0.04), (-2.0, 5.0)):
        side.center[place], side.center_variance = mean, variance
        m = mean + variance**0.5 * nodes
        expected = (norm.logpdf(m, mean, variance**0.5) - norm.logpdf(m, 0, 3)) @ weights / weights.sum()
        assert side._divergence_of_center() == pytest.approx(expected, abs=1e-12)


@both_kinds
def test_what_both_effects_share_is_best_given_the_rest(kind):
    engine = ascent(kind, likelihood_of("polya-gamma"), effects="both", learns_effects=True)
    engine.update(2)
    rows, columns = engine.sides
    before, moments = rows.mean[:, 3].copy(), engine.matrices[0].moments()
    engine.levels[0]()
    assert np.ptp(rows.mean[:, 3] - before) < 1e-12 < np.abs(rows.mean[:, 3] - before).max()
    for one, other in zip(moments, engine.matrices[0].moments(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    best, falls = engine.bound(), []
    for d in (1e-3, -1e-3):
        for by in (d, -d):
            rows.shift(3, -by)
            columns.shift(4, by)
            columns.center[4] += by
            if by == d:
                falls.append(best - engine.bound())
    curvature = rows.precision[3] * len(rows.mean) + 1 / 9
    assert falls == pytest.approx([0.5e-6 * curvature] * 2, rel=1e-3)


@both_kinds
@pytest.mark.parametrize("ard", [True, False])
def test_variances_of_effects_have_the_shape_and_rate_of_the_note(kind, ard):
    """Gamma(1/2 + n/2, 1/8 + Σ <(b - m)²> / 2) of a precision, next to those of components."""
    engine = ascent(kind, likelihood_of("polya-gamma"), effects="both", learns_effects=True, ard=ard)
    engine.update(3)
    for side, place, m in ((engine.sides[0], 3, 0.0), (engine.sides[1], 4, engine.sides[1].center[4])):
        side.learn_precision()
        squares = side.squares[:, place] - side.mean[:, place] ** 2 + (side.mean[:, place] - m) ** 2
        rate = 1 / 8 + 0.5 * (squares + side.center_variance).sum()
        assert side.posterior.shape[-1] == pytest.approx(0.5 + len(side.mean) / 2)
        assert side.posterior.rate[-1] == pytest.approx(rate)
        assert side.precision[place] == pytest.approx(side.posterior.mean[-1])
    if ard:
        components = engine.sides[1].squares[:, :3].sum(axis=0)
        np.testing.assert_allclose(engine.sides[1].posterior.rate[:3], 0.5 + components / 2)


@pytest.mark.statistics
@both_kinds
def test_the_bound_of_a_normal_model_with_effects_by_drawing(kind):
    """E log p(x, all) - log q, with the law of effects: within 5 standard errors."""
    values = DATA["real"]
    engine = ascent(kind, NormalEntries(values, WEAK), K=1, effects="both", ard=False, learns_effects=True)
    engine.update(30)
    rows, columns = engine.sides
    noise, seen = engine.matrices[0].quadratic.noise.posterior, ~np.isnan(values)
    rng, found, of_variance = np.random.default_rng(5), [], Gamma(0.5, 0.125)
    for _ in range(4000):
        U, V = rows.draw(rng), columns.draw(rng)
        p_a, p_b = (rng.gamma(side.posterior.shape[0]) / side.posterior.rate[0] for side in engine.sides)
        m, tau = rng.normal(columns.center[2], columns.center_variance**0.5), rng.gamma(noise.shape) / noise.rate
        joint = norm.logpdf(values, U @ V.T, tau**-0.5)[seen].sum() + log_gamma(tau, WEAK)
        joint += norm.logpdf(U[:, 0]).sum() + norm.logpdf(V[:, 0]).sum() + norm.logpdf(m, 0, 3)
        joint += norm.logpdf(U[:, 1], 0, p_a**-0.5).sum() + norm.logpdf(V[:, 2], m, p_b**-0.5).sum()
        joint += log_gamma(p_a, of_variance) + log_gamma(p_b, of_variance)
        q = log_gamma(tau, noise) + norm.logpdf(m, columns.center[2], columns.center_variance**0.5)
        for side, drawn, p in ((rows, U, p_a), (columns, V, p_b)):
            q += log_normal(drawn, side) + log_gamma(p, Gamma(*(part[0] for part in side.posterior)))
        found.append(joint - q)
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - engine.bound()) < 5 * error
    assert error < 0.1


@pytest.mark.parametrize(("step", "falls"), [(1.0, True), (0.0, False)])
def test_a_step_beyond_two_in_k_lowers_it_where_factors_are_alike(step, falls):
    """So the test above can fail."""
    engine = ascent("factorized", likelihood_of("polya-gamma"), K=8, step=step, ard=False)
    for side in engine.sides:
        side.mean = 1.0 + 0.1 * side.mean
        side.variance *= 0.01
    before = engine.bound()
    engine.blocks()[0]()
    assert (engine.bound() < before - 10) == falls


TINY = np.array([[1, 0], [1, -1], [0, 0]], np.int8)


def exact_tiny():
    """Log evidence and E σ(ψ) for K = 1 and precision 1: given v, rows are independent."""
    z, weights = np.polynomial.hermite_e.hermegauss(90)
    log_w = np.log(weights / weights.sum())
    v = np.stack(np.meshgrid(z, z, indexing="ij"), axis=-1).reshape(-1, 2)
    log_v = np.add.outer(log_w, log_w).ravel()
    psi = v[:, None, :] * z[:, None]  # (v, u, column)
    log_rows = []
    for line in TINY:
        law = sum(line[j] * psi[..., j] - np.logaddexp(0, psi[..., j]) for j in (0, 1) if line[j] >= 0)
        log_rows.append(law + log_w)
    evidence = np.array([logsumexp(row, axis=1) for row in log_rows])  # (row, v)
    total = logsumexp(log_v + evidence.sum(axis=0))
    mean = np.empty((3, 2))
    for i, row in enumerate(log_rows):
        given = np.exp(row - evidence[i][:, None])
        joint = np.exp(log_v + evidence.sum(axis=0) - total)
        mean[i] = [joint @ (given * expit(psi[..., j])).sum(axis=1) for j in (0, 1)]
    return total, mean


def test_the_exact_evidence_of_the_tiny_matrix():
    total, mean = exact_tiny()
    assert total == pytest.approx(-3.4831127, abs=1e-6)
    np.testing.assert_allclose(mean, [[0.558513, 0.441487], [0.565057, 0.5], [0.441487, 0.441487]], atol=1e-6)


@both_kinds
@pytest.mark.parametrize(("form", "value"), [(PolyaGamma, -3.89310), (Bohning, -3.89991)])
def test_bounds_of_the_tiny_matrix(form, value, kind):
    """At the best q, which has ψ = 0 everywhere; the evidence is -3.48311."""
    engine = ascent(kind, form(TINY), K=1, ard=False)
    engine.update(2000)
    assert engine.bound() == pytest.approx(value, abs=1e-5)


@pytest.mark.statistics
@both_kinds
def test_the_bound_of_a_normal_model_by_drawing(kind):
    """E log p(x, all) - log q, with precisions and noise: within 5 standard errors."""
    values = DATA["real"]
    engine = ascent(kind, NormalEntries(values, WEAK), K=2)
    engine.update(20)
    rows, columns = engine.sides
    noise, seen = engine.matrices[0].quadratic.noise.posterior, ~np.isnan(values)
    rng, found = np.random.default_rng(5), []
    for _ in range(3000):
        U, V = rows.draw(rng), columns.draw(rng)
        alpha = rng.gamma(columns.posterior.shape) / columns.posterior.rate
        tau = rng.gamma(noise.shape) / noise.rate
        joint = norm.logpdf(values, U @ V.T, tau**-0.5)[seen].sum()
        joint += norm.logpdf(U).sum() + norm.logpdf(V, 0, alpha**-0.5).sum()
        joint += log_gamma(alpha, WEAK).sum() + log_gamma(tau, WEAK)
        q = log_gamma(alpha, columns.posterior).sum() + log_gamma(tau, noise)
        q += log_normal(U, rows) + log_normal(V, columns)
        found.append(joint - q)
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - engine.bound()) < 5 * error
    assert error < 0.1


def log_gamma(x, law):
    return law.shape * np.log(law.rate) - gammaln(law.shape) + (law.shape - 1) * np.log(x) - (law.rate * x)


def log_normal(drawn, side):
    free = np.flatnonzero(side.coordinates.free)
    if isinstance(side, FactorizedPosterior):
        return norm.logpdf(drawn[:, free], side.mean[:, free], np.sqrt(side.variance[:, free])).sum()
    rest, S = (drawn - side.mean)[:, free], side.covariance()[:, free[:, None], free]
    quadratic = np.einsum("na,nab,nb->", rest, np.linalg.inv(S), rest)
    return -0.5 * (quadratic + np.linalg.slogdet(2 * np.pi * S)[1].sum())


def test_precisions_have_the_shape_and_rate_of_the_note():
    for kind in KINDS:
        engine = ascent(kind, likelihood_of("polya-gamma"))
        columns = engine.sides[1]
        columns.learn_precision()
        np.testing.assert_allclose(columns.posterior.shape, 0.5 + 7 / 2)
        np.testing.assert_allclose(columns.posterior.rate, 0.5 + columns.squares.sum(axis=0) / 2)
        np.testing.assert_allclose(columns.precision, columns.posterior.mean)


# --- Symmetries ----------------------------------------------------------------------------------


@both_kinds
@pytest.mark.parametrize("name", ["polya-gamma", "negative binomial"])
def test_rows_and_columns_in_another_order_give_the_same(name, kind):
    rng = np.random.default_rng(6)
    f, n = rng.permutation(9), rng.permutation(7)
    turned = {key: values[np.ix_(f, n)] for key, values in DATA.items()}
    found = []
    for data in (DATA, turned):
        engine = ascent(kind, LIKELIHOODS[name](data), effects="both")
        if data is turned:
            for side, order in zip(engine.sides, (f, n), strict=True):
                side.mean = side.mean[order]
                side._take(np.full(side.mean.shape, 0.25) * side.coordinates.free)
        engine.update(5)
        found.append((engine.bound(), engine.matrices[0].moments()[0]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    np.testing.assert_allclose(found[0][1][np.ix_(f, n)], found[1][1], atol=1e-9)


@both_kinds
def test_ones_for_zeros_turn_log_odds_round(kind):
    flipped = np.where(DATA["binary"] < 0, -1, 1 - DATA["binary"]).astype(np.int8)
    one, other = ascent(kind, PolyaGamma(DATA["binary"])), ascent(kind, PolyaGamma(flipped))
    other.sides[1].mean *= -1
    for engine in (one, other):
        engine.update(6)
    np.testing.assert_allclose(one.matrices[0].moments()[0], -other.matrices[0].moments()[0], atol=1e-10)


@both_kinds
def test_what_is_missing_is_not_read(kind):
    """Another code for it gives the same bits; so does a row more that nothing is known of."""
    other = np.where(DATA["binary"] < 0, -77, DATA["binary"]).astype(np.int8)
    found = []
    for codes in (DATA["binary"], other):
        engine = ascent(kind, PolyaGamma(codes), effects="both")
        engine.update(4)
        found.append(engine.matrices[0].moments()[1])
    np.testing.assert_array_equal(*found)


def test_lines_without_entries_keep_their_prior():
    codes = DATA["binary"].copy()
    codes[2], codes[:, 4] = -1, -1
    for kind in KINDS:
        engine = ascent(kind, PolyaGamma(codes), ard=False)
        engine.update(60)
        np.testing.assert_allclose(engine.sides[0].mean[2], 0, atol=1e-9)
        np.testing.assert_allclose(engine.sides[1].squares[4], 1, atol=1e-9)


def test_coordinates_go_where_they_are_put():
    for kind in KINDS:
        (side, other) = sides(kind, (4, 5), 3)
        chosen = np.array([2, 0])
        parts = other.parts(chosen)
        mean, spread = side.placed(parts, np.array([1, 3]), 4)
        np.testing.assert_array_equal(mean[:, [1, 3]], other.mean[:, chosen])
        assert (mean[:, [0, 2]] == 0).all()
        if kind == "factorized":
            np.testing.assert_array_equal(spread[:, [1, 3]], other.variance[:, chosen])
        else:
            np.testing.assert_array_equal(spread[:, packed(3, 1)], other.second[:, packed(0, 2)])
            np.testing.assert_array_equal(spread[:, packed(1, 1)], other.second[:, packed(2, 2)])


def test_two_matrices_of_the_same_lines_are_one_wide_matrix():
    """Terms of several matrices add up, and the general form is the compiled one."""
    codes = small_data(8, 10, seed=4)["binary"]
    wide = ascent("factorized", PolyaGamma(codes), ard=False, seed=9)
    rows, columns = wide.sides
    halves = []
    for part in (slice(0, 6), slice(6, 10)):
        own = sides("factorized", (8, codes[:, part].shape[1]), 3, ard=False)[1]
        own.mean, own.variance = columns.mean[part].copy(), columns.variance[part].copy()
        halves.append((PolyaGamma(codes[:, part].copy()), own))
    twin = FactorizedPosterior(rows.mean.copy(), rows.coordinates, 0.5)
    seen = [Matrix(likelihood, twin, own).seen_by(twin, False) for likelihood, own in halves]
    twin.update(seen, 0.0)
    wide.blocks()[0]()
    np.testing.assert_allclose(twin.mean, rows.mean, atol=1e-12)
    np.testing.assert_allclose(twin.variance, rows.variance, atol=1e-12)


def test_full_sides_have_no_step():
    rows, columns = sides("full", (9, 7), 2, ard=False)
    seen = Matrix(PolyaGamma(DATA["binary"]), rows, columns).seen_by(rows, True)
    assert isinstance(seen, SideData)
    assert isinstance(rows, FullPosterior)
    rows.update([seen], 0.3)
    first = rows.mean.copy()
    rows.update([seen], 0.0)
    np.testing.assert_array_equal(rows.mean, first)
    assert NegativeBinomial.slope == 1.0


@pytest.mark.parametrize("covariance", ["factorized", "full"])
def test_the_start_of_H_has_its_scale(covariance):
    first, usual, larger = (
        LogisticFactorVB(3, covariance=covariance, **given)._start(DATA["binary"], np.random.SeedSequence(1)).matrix
        for given in ({}, {"start_scale": 0.1}, {"start_scale": 0.5})
    )
    np.testing.assert_array_equal(first.columns.mean, usual.columns.mean)
    np.testing.assert_allclose(larger.columns.mean, 5 * usual.columns.mean)
    np.testing.assert_allclose(larger.columns.squares, 25 * usual.columns.squares)
    np.testing.assert_array_equal(larger.rows.mean, usual.rows.mean)


@pytest.mark.parametrize("scale", [0, -1, np.inf, "wide"])
def test_a_start_without_scale_is_refused(scale):
    with pytest.raises(ConfigError, match=r"start_scale = .*: must be a positive number"):
        LogisticFactorVB(3, start_scale=scale).fit(DATA["binary"])
