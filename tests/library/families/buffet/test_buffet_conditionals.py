"""Every conditional law of the Indian buffet kernels against ratios of the full log joint."""

import math

import buffet_twin as twin
import numpy as np
import pytest
from buffet_example import F, K, N, example, log_density, residuals
from numba.core.dispatcher import Dispatcher
from scipy import stats

from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels import conditionals, gram, shared
from nbmf.families.buffet.kernels import entry_updates as cells
from nbmf.families.buffet.kernels.arrays import PriorTables, StateArrays
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.numerics import normal_effects

TOLERANCE = 1e-10
links = pytest.mark.parametrize("logit", [False, True], ids=["gaussian", "logit"])
priors = pytest.mark.parametrize("name", ["cibp", "ibp"])


@pytest.fixture
def plain(monkeypatch):
    """Run the kernels as plain Python, so that what they draw can be scripted."""
    for module in (conditionals, cells, shared, normal_effects):
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                monkeypatch.setattr(module, name, value.py_func)
    return monkeypatch


def matrix_of(x):
    return Matrix(x.logit, x.signal, x.observed)


def arrays_of(x):
    """Return the state as the kernels take it: the same arrays."""
    return StateArrays(np.array([K]), x.B, x.Z, x.counts, *x.effects, x.numbers)


def work_of(x, e):
    """Return room for the features of an example, with its precisions and a row's e."""
    return cells.CellWork.of(x.P, K + 1)._replace(e=e)


# --- Rows -------------------------------------------------------------------------------------


@links
def test_rows_are_weighed_as_the_state_says(plain, logit):
    x = example(logit, "cibp")
    plain.setattr(cells, "polya_gamma_1", lambda generator, psi: 0.1 + abs(psi))
    for j in range(F):
        P, e = np.full((F, N), 7.0), np.full(N, 7.0)
        cells.weigh_row(j, K, matrix_of(x), arrays_of(x), P, e, None)
        psi = x.effects[0][j] + x.effects[1] + x.B[j] @ x.Z
        weights = 0.1 + abs(psi) if logit else np.full(N, 1 / x.numbers[NOISE])
        x.P[j] = np.where(x.observed[j], weights, 0.0)
        np.testing.assert_allclose(P[j], x.P[j], rtol=1e-13)
        np.testing.assert_allclose(e, residuals(x, j), atol=1e-13)


@links
@priors
def test_loadings_follow_the_ratio_of_joints(plain, logit, name):
    x, calls = example(logit, name), []

    def spy(mean, variance, log_odds, generator):
        calls.append((mean, variance, log_odds))
        return script[len(calls) - 1]

    plain.setattr(cells, "draw_loading", spy)
    for j in range(F):
        x = example(logit, name)
        calls.clear()
        script = [0.4, 0.0, -1.3, 0.9 if x.B[j, 3] else 0.0]
        e, before = residuals(x, j), x.B.copy()
        cells.draw_loadings(j, K, arrays_of(x), x.log_odds, x.P, e, None)
        np.testing.assert_array_equal(x.B[j], script)
        np.testing.assert_array_equal(x.counts, np.count_nonzero(x.B, axis=0))
        np.testing.assert_allclose(e, residuals(x, j), atol=1e-12)
        for k, (mean, variance, log_odds) in enumerate(calls):
            B = before.copy()
            B[j, :k] = script[:k]
            B[j, k] = 0.0
            others = np.count_nonzero(B[:, k])
            at = {}
            for b in (-1.2, 0.5):
                B[j, k] = b
                at[b] = log_density(x, B)
                at[b] -= stats.norm.logpdf(b, mean, math.sqrt(variance))
            assert at[-1.2] == pytest.approx(at[0.5], abs=TOLERANCE)  # the law of β
            if others == 0:
                assert log_odds == math.inf or before[j, k] == 0
                continue
            B[j, k] = 0.0
            assert log_odds == pytest.approx(at[0.5] - log_density(x, B), abs=TOLERANCE)


def test_a_loading_is_there_as_often_as_its_odds_say(plain):
    # At the very edge: a uniform number just below and just above 1 / (1 + e^-odds).
    plain.setattr(conditionals, "standard_normal", lambda generator: 2.0)
    edge = 1 / (1 + math.exp(-0.3))
    for factor, there in ((1 - 1e-12, True), (1 + 1e-12, False)):
        plain.setattr(conditionals, "uniform", lambda generator, u=factor * edge: u)
        drawn = conditionals.draw_loading(1.1, 0.49, 0.3, None)
        assert drawn == pytest.approx(1.1 + 2 * 0.7 if there else 0.0, rel=1e-12)
    plain.setattr(conditionals, "uniform", lambda generator: 1 - 2**-53)
    assert conditionals.draw_loading(1.1, 0.49, math.inf, None) != 0.0
    plain.setattr(conditionals, "uniform", lambda generator: 2**-53)
    assert conditionals.draw_loading(1.1, 0.49, -1e4, None) == 0.0


@pytest.mark.parametrize("effects", ["rows", "both"])
def test_row_effects_follow_the_ratio_of_joints(plain, effects):
    x = example(True, "cibp", effects=effects)
    center = x.numbers[INTERCEPT] if effects == "rows" else 0.0
    assert cells.center_of(x.numbers[ROW_EFFECT:], normal_effects.ROWS) == center
    for j in range(F):
        rows, drawn = x.effects[0].copy(), []
        for normal in (0.0, 1.0):
            plain.setattr(cells, "standard_normal", lambda generator, z=normal: z)
            x.effects[0][:] = rows
            e = residuals(x, j)
            cells.draw_row_effect(j, x.effects[0], x.numbers[ROW_EFFECT], center, x.P, e, None)
            drawn.append(x.effects[0][j])
            np.testing.assert_allclose(e, residuals(x, j), atol=1e-12)
        mean, sd = drawn[0], drawn[1] - drawn[0]
        at = []
        for value in (-0.7, 1.1):
            x.effects[0][j] = value
            at.append(log_density(x) - stats.norm.logpdf(value, mean, sd))
        assert at[0] == pytest.approx(at[1], abs=TOLERANCE)
        x.effects[0][:] = rows


# --- Births and deaths ------------------------------------------------------------------------


def log_marginal(x, j, B, left_out):
    """Return log p(row j | B, Z) with the scores of the columns `left_out` integrated out.

    Given ω binary data are normal around ψ, too: D = (v - ½)/ω with variance 1/ω.
    """
    kept = np.setdiff1d(np.arange(B.shape[1]), left_out)
    total = 0.0
    for i in np.flatnonzero(x.observed[j]):
        D = x.signal[j, i] / x.P[j, i] if x.logit else x.signal[j, i]
        mean = x.effects[0][j] + x.effects[1][i] + B[j, kept] @ x.Z[kept, i]
        variance = 1 / x.P[j, i] + (B[j, left_out] ** 2).sum()
        total += stats.norm.logpdf(D, mean, math.sqrt(variance))
    return total


@links
@priors
@pytest.mark.parametrize("j", [0, 2])  # without a singleton, and with one
@pytest.mark.parametrize("proposed", [0, 1, 3])
def test_births_and_deaths_are_accepted_by_the_ratio_of_joints(plain, logit, name, j, proposed):
    x, accepted = example(logit, name), []
    single = np.array([3] if j == 2 else [], int)
    if proposed == single.size == 0:
        return
    loadings, plain_acceptance = [0.4, -1.1, 0.3], conditionals.acceptance

    def spy(*arguments):
        accepted.append(plain_acceptance(*arguments))
        return -math.inf  # never accepted

    plain.setattr(cells, "acceptance", spy)
    plain.setattr(cells, "uniform", lambda generator: 0.5)
    script = iter(loadings)
    slab = x.numbers[SLAB]
    plain.setattr(conditionals, "standard_normal", lambda generator: next(script) / math.sqrt(slab))
    rate = x.prior.log_rate(F) - math.log(x.prior.mass) + math.log(x.numbers[MASS])
    B = x.B.copy()
    size, came = cells.replace_singletons(j, K, proposed, rate, arrays_of(x), work_of(x, residuals(x, j)), None)
    assert (size, came) == (K, False)
    np.testing.assert_array_equal(x.B, B)
    # Both states with the scores of singletons integrated out; loadings are proposed from their
    # prior, their number from Poisson(PROPOSED): as a set without the factorial.
    prior = x.prior._replace(mass=x.numbers[MASS])
    rest = np.delete(B, single, axis=1)
    new = np.zeros((F, proposed))
    new[j] = loadings[:proposed]
    with_new = np.hstack([rest, new])
    Z = x.Z
    x.Z = np.vstack([np.delete(Z, single, axis=0), np.zeros((proposed, N))])
    gain = log_marginal(x, j, with_new, np.arange(rest.shape[1], with_new.shape[1]))
    x.Z = Z
    gain -= log_marginal(x, j, B, single)
    gain += prior.log_density(np.count_nonzero(with_new, axis=0), F)
    gain -= prior.log_density(np.count_nonzero(B, axis=0), F)
    gain -= (proposed - single.size) * math.log(conditionals.PROPOSED)
    assert accepted == [pytest.approx(gain, abs=TOLERANCE)]


@pytest.mark.parametrize("j", [0, 2])
def test_sums_over_complete_data_say_the_same_of_births(j):
    x = example(False, "cibp")
    x.observed[:], x.P[:] = True, 1 / x.numbers[NOISE]
    single = np.array([3] if j == 2 else [], int)
    G, H = x.Z @ x.Z.T, x.signal @ x.Z.T
    g, square = G @ x.B[j], (x.signal[j] ** 2).sum()
    work = gram.SumWork.of(np.full(F, square), N, K)._replace(G=G, H=H, g=g)
    R, singletons, v = gram.residual_without_singletons.py_func(j, K, arrays_of(x), work)
    rest = np.delete(x.B[j], single) @ np.delete(x.Z, single, axis=0)
    assert (singletons, v) == (single.size, (x.B[j, single] ** 2).sum())
    assert pytest.approx(((x.signal[j] - rest) ** 2).sum(), rel=1e-12) == R
    noise, Z = x.numbers[NOISE], x.Z
    for born in ([0.4, -1.1], [2.0]):
        v_born = float(np.square(born).sum())
        with_new = np.zeros((F, K - single.size + len(born)))
        with_new[:, : K - single.size] = np.delete(x.B, single, axis=1)
        with_new[j, K - single.size :] = born
        x.Z = np.vstack([np.delete(Z, single, axis=0), np.zeros((len(born), N))])
        gain = log_marginal(x, j, with_new, np.arange(K - single.size, with_new.shape[1]))
        x.Z = Z
        gain -= log_marginal(x, j, x.B, single)
        found = conditionals.gain_by_sums.py_func(R, N, noise, v, v_born)
        assert found == pytest.approx(gain, abs=TOLERANCE)


def test_a_loading_is_rejected_early_only_where_it_would_be_anyway(plain):
    rng = np.random.default_rng(6)
    plain.setattr(conditionals, "standard_normal", lambda generator: 1.0)
    for log_odds in np.concatenate([rng.uniform(-50, 5, 300), [-700.0, -1e5, 0.0, 40.0]]):
        edge = 1 / (1 + math.exp(min(-log_odds, 700)))
        for u in (edge * (1 - 1e-9), min(edge * (1 + 1e-9), 1 - 2**-53), rng.random()):
            plain.setattr(conditionals, "uniform", lambda generator, u=u: u)
            assert (conditionals.draw_loading(3.0, 1.0, log_odds, None) != 0) == (u < edge)


@pytest.mark.parametrize(("number", "asked"), [(0.4 - 1e-9, True), (0.4 + 1e-9, False)])
def test_births_are_asked_for_in_a_share_of_the_rows_at_the_rate_of_the_mass(plain, number, asked):
    seen, births = [], np.zeros(2, int)
    for name in ("weigh_row", "draw_row_effect", "draw_loadings"):
        plain.setattr(cells, name, lambda *arguments: None)
    plain.setattr(conditionals, "uniform", lambda generator: number)
    plain.setattr(conditionals, "proposed_singletons", lambda generator: 2)
    plain.setattr(cells, "replace_singletons", lambda *given: seen.append(given) or (given[1], True))
    x = example(False, "cibp")
    state = arrays_of(x)._replace(Z=np.zeros((K + 2, N)))
    prior = PriorTables(x.log_odds, x.prior.log_weights(F), -0.7, 0.0, twin.FIXED)
    row = cells.visit_rows(3, 0.4, matrix_of(x), state, prior, work_of(x, np.zeros(N)), births, np.zeros(8))
    assert (row, [given[0] for given in seen]) == (F, [3, 4] if asked else [])
    assert births.tolist() == ([2, 2] if asked else [0, 0])
    for _, size, proposed, log_rate, *_ in seen:
        assert (size, proposed) == (K, 2)
        assert log_rate == pytest.approx(-0.7 + math.log(x.numbers[MASS]), abs=1e-14)


def test_a_row_without_room_is_not_begun(plain):
    generator = np.arange(8, dtype=np.uint64)

    def uniform(state):
        state[:4] += np.uint64(1)
        return 0.1

    plain.setattr(conditionals, "uniform", uniform)
    plain.setattr(conditionals, "proposed_singletons", lambda generator: 2)
    assert conditionals.ask_row(0.4, 1, generator) == (True, -1)
    np.testing.assert_array_equal(generator, np.arange(8))
    assert conditionals.ask_row(0.4, 2, generator) == (True, 2)
    np.testing.assert_array_equal(generator, [1, 2, 3, 4, 4, 5, 6, 7])


@links
def test_accepted_new_features_take_the_place_of_singletons(plain, logit):
    x, e = example(logit, "cibp"), None
    plain.setattr(cells, "acceptance", lambda *arguments: math.inf)
    seen = {}

    def spy(e, P, n, new_loadings, v, first, last, Z, generator):
        seen.update(e=e.copy(), v=v, places=(first, last))

    plain.setattr(cells, "draw_new_scores", spy)
    plain.setattr(cells, "uniform", lambda generator: 0.5)
    plain.setattr(conditionals, "standard_normal", lambda generator: 1.0)
    x.B, x.Z = np.hstack([x.B, np.zeros((F, 3))]), np.vstack([x.Z, np.zeros((3, N))])
    x.counts, e = np.append(x.counts, [0, 0, 0]), residuals(x, 2)
    before, Z = x.B.copy(), x.Z.copy()
    size, came = cells.replace_singletons(2, K, 2, 0.0, arrays_of(x), work_of(x, e), None)
    assert (size, came) == (K + 1, True)
    sd = math.sqrt(x.numbers[SLAB])
    np.testing.assert_allclose(x.B[2, 3:5], [sd, sd])
    np.testing.assert_array_equal(x.counts[3:5], [1, 1])
    np.testing.assert_array_equal(np.delete(x.B, [3, 4], 1), np.delete(before, [3, 4], 1))
    np.testing.assert_array_equal(x.Z[:3], Z[:3])
    assert seen["v"] == pytest.approx(2 * x.numbers[SLAB])
    assert seen["places"] == (3, 5)
    x.B, x.Z = before, Z
    x.B[2, 3] = 0.0  # the singleton does not count in what is left over for new features
    np.testing.assert_allclose(seen["e"], residuals(x, 2), atol=1e-12)


@pytest.mark.parametrize("singles", [[0], [3], [0, 3], [1, 2], [0, 1, 2, 3]])
def test_columns_that_die_leave_the_others_as_they_are(plain, singles):
    rng = np.random.default_rng(3)
    B, Z, order = rng.normal(size=(F, K)), rng.normal(size=(K, N)), np.zeros(K, int)
    for k in singles:
        B[:, k] = 0.0
        B[1, k] = 1.0
    counts, before, scores = np.count_nonzero(B, axis=0), B.copy(), Z.copy()
    state = StateArrays(np.array([K]), B, Z, counts, np.zeros(F), np.zeros(N), twin.numbers())
    size = conditionals.make_room(order, K, 1, state)
    rest = [k for k in range(K) if k not in singles]
    assert size == len(rest)
    assert sorted(order[:size]) == rest
    assert (order[:size] >= np.arange(size)).all()
    np.testing.assert_array_equal(B[:, :size], before[:, order[:size]])
    np.testing.assert_array_equal(Z[:size], scores[order[:size]])
    np.testing.assert_array_equal(counts[:size], np.count_nonzero(B[:, :size], axis=0))
    assert not B[:, size:].any()


def test_scores_of_new_features_have_their_exact_distribution(plain):
    # Directly, since the scores that are drawn next hide a mistake: N(A⁻¹ c, A⁻¹) of each cell,
    # A = I + P β β', c = e β. The draw is a linear map of normal numbers, read off.
    rng = np.random.default_rng(4)
    loadings, n = np.array([0.7, -1.2, 0.4]), 4
    P, e = np.array([0.0, 0.3, 2.0, 40.0]), np.array([0.0, 0.5, -1.7, 3.0])
    v, Z = (loadings**2).sum(), np.zeros((5, n))

    def drawn(numbers):
        script = iter(numbers)
        plain.setattr(conditionals, "standard_normal", lambda generator: next(script))
        conditionals.draw_new_scores(e, P, n, loadings, v, 2, 5, Z, None)
        return Z[2:].copy()

    means = drawn(np.zeros(3 * n))
    for i in range(n):
        A = np.eye(3) + P[i] * np.outer(loadings, loadings)
        np.testing.assert_allclose(means[:, i], np.linalg.solve(A, e[i] * loadings), atol=1e-12)
        maps = [drawn(np.eye(3 * n)[3 * i + k])[:, i] - means[:, i] for k in range(3)]
        covariance = np.array(maps).T @ np.array(maps)
        np.testing.assert_allclose(covariance, np.linalg.inv(A), atol=1e-12)
        mean, variance = conditionals.score_distribution(e[i], P[i], v)
        a = rng.normal(size=2)
        density = -0.5 * a**2 + e[i] * math.sqrt(v) * a - 0.5 * P[i] * v * a**2
        ratio = np.diff(stats.norm.logpdf(a, mean, math.sqrt(variance)))
        assert ratio == pytest.approx(np.diff(density), abs=TOLERANCE)


@pytest.mark.parametrize("n", [0, 3, 4, 9])
def test_products_of_lines_are_sums_of_all_places(plain, n):
    x, y = np.random.default_rng(2).normal(size=(2, 11))
    assert conditionals.product(x, y, n) == pytest.approx(x[:n] @ y[:n], abs=1e-13)


def test_long_products_of_births_do_not_overflow(plain):
    P, e = np.full(4000, 5.0), np.full(4000, 0.5)
    expected = 0.5 * 4000 * (0.25 * 1e3 / 5001 - math.log(5001))
    found = conditionals.singletons_log_likelihood(e, P, 4000, 1e3)
    assert found == pytest.approx(expected, rel=1e-12)
    assert conditionals.singletons_log_likelihood(e, P, 4000, 0.0) == 0.0


def test_the_number_of_proposed_singletons_is_poisson(plain):
    edges = stats.poisson(conditionals.PROPOSED).cdf(np.arange(12))
    for s, edge in enumerate(edges):
        plain.setattr(conditionals, "uniform", lambda generator, u=edge - 1e-12: u)
        assert conditionals.proposed_singletons(None) == s
        plain.setattr(conditionals, "uniform", lambda generator, u=edge + 1e-12: u)
        assert conditionals.proposed_singletons(None) == s + 1 or s > 10


# --- Scores, scales, numbers ------------------------------------------------------------------


@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
@links
def test_scores_and_column_effects_have_their_exact_distribution(plain, logit, effects):
    x = example(logit, "cibp", effects=effects)
    has_effects = logit and effects in ("columns", "both")
    size, n = (K + 1 if has_effects else K), N

    def drawn(numbers):
        script, Z = iter(numbers), np.zeros((K, n))
        effects = x.effects[0], x.effects[1].copy()
        plain.setattr(cells, "standard_normal", lambda generator: next(script))
        state = arrays_of(x)._replace(Z=Z, column_effects=effects[1])
        cells.draw_scores(K, matrix_of(x), state, work_of(x, np.zeros(n)), None)
        if not has_effects:
            assert not effects[1].any()
            return Z
        return np.vstack([Z, effects[1]])

    design = np.column_stack([x.B, np.ones(F)])[:, :size]
    variances = np.append(np.ones(K), x.numbers[COLUMN_EFFECT])[:size]
    precisions, center = 1 / variances, np.append(np.zeros(K), 0.6)[:size]
    means = drawn(np.zeros(size * n))
    for i in range(n):
        exact = np.diag(precisions) + design.T @ (x.P[:, i, None] * design)
        h = x.signal[:, i] if logit else x.P[:, i] * x.signal[:, i]
        h = h - x.P[:, i] * x.effects[0]
        np.testing.assert_allclose(means[:, i], np.linalg.solve(exact, design.T @ h + precisions * center), atol=1e-12)
        maps = [drawn(np.eye(size * n)[k * n + i])[:, i] - means[:, i] for k in range(size)]
        covariance = np.array(maps).T @ np.array(maps)
        np.testing.assert_allclose(covariance, np.linalg.inv(exact), atol=1e-12)
    assert np.isfinite(log_density(x))


def test_blocks_of_columns_are_whole(plain):
    # More columns than lanes: every column has the law that it has alone.
    x, n = example(False, "cibp"), cells.LANES + 3
    rng = np.random.default_rng(5)
    signal, P = rng.normal(size=(F, n)), rng.gamma(1.0, 1.0, (F, n))
    plain.setattr(cells, "standard_normal", lambda generator: 0.0)
    Z, matrix = np.zeros((K, n)), Matrix(False, signal, np.ones(signal.shape, bool))
    cells.draw_scores(K, matrix, arrays_of(x)._replace(Z=Z), cells.CellWork.of(P, K + 1), None)
    for i in range(n):
        exact = np.eye(K) + x.B.T @ (P[:, i, None] * x.B)
        mean = np.linalg.solve(exact, x.B.T @ signal[:, i] / x.numbers[NOISE])
        np.testing.assert_allclose(Z[:, i], mean, atol=1e-12)


@links
def test_scale_moves_follow_the_ratio_of_joints(plain, logit):
    x = example(logit, "cibp")
    for k in range(K):
        a, b = (x.B[:, k] ** 2).sum() / x.numbers[SLAB], (x.Z[k] ** 2).sum()
        power = int(x.counts[k]) - N
        for t in (-0.4, 0.7):
            B, Z = x.B.copy(), x.Z.copy()
            B[:, k] *= math.exp(t)
            Z[k] *= math.exp(-t)
            jacobian = power * t  # of (b, z) -> (e^t b, e^-t z), there being m_k and N of them
            expected = log_density(x, B, Z) - log_density(x) + jacobian
            found = conditionals.log_scale_density(t, a, b, power)
            found -= conditionals.log_scale_density(0.0, a, b, power)
            assert found == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("normal", [-1.0, 0.5])
def test_a_scale_move_is_accepted_at_its_ratio_and_moves_both(plain, normal):
    x = example(False, "cibp")
    t = 2.4 / math.sqrt(2 * (x.counts[1] + N)) * normal
    a, b = (x.B[:, 1] ** 2).sum() / x.numbers[SLAB], (x.Z[1] ** 2).sum()
    gain = conditionals.log_scale_density(t, a, b, int(x.counts[1]) - N)
    gain = math.exp(gain - conditionals.log_scale_density(0.0, a, b, int(x.counts[1]) - N))
    plain.setattr(conditionals, "standard_normal", lambda generator: normal)
    for factor, moves in ((1 - 1e-12, True), (1 + 1e-12, False)):
        if gain * factor >= 1:
            continue
        plain.setattr(conditionals, "uniform", lambda generator, f=factor: 1 - gain * f)
        drawn = conditionals.draw_scale(a, b, int(x.counts[1]), N, None)
        assert drawn == (pytest.approx(math.exp(t)) if moves else 1.0)
    plain.setattr(shared, "draw_scale", lambda *arguments: 1.5)
    fit, norms = x.B @ x.Z, np.zeros(K)
    shared.move_scales(K, arrays_of(x), norms, None)
    np.testing.assert_allclose(norms, (x.B**2).sum(axis=0))
    np.testing.assert_allclose(x.B @ x.Z, fit, atol=1e-13)


@links
@pytest.mark.parametrize("normal", [-1.0, 0.5])
def test_columns_are_scaled_as_the_twin_says_of_each(plain, logit, normal):
    """The whole step, proposals and acceptance scripted: it decides as the ratio of joints does."""
    decided = 0
    for k in range(K):
        x = example(logit, "cibp")
        t = 2.4 / math.sqrt(2 * (x.counts[k] + N)) * normal
        B, Z = x.B.copy(), x.Z.copy()
        B[:, k] *= math.exp(t)
        Z[k] *= math.exp(-t)
        log_ratio = log_density(x, B, Z) - log_density(x) + (int(x.counts[k]) - N) * t
        for edge, moves in ((-TOLERANCE, True), (TOLERANCE, False)):
            if log_ratio + edge >= 0.0:
                continue
            decided += 1
            x = example(logit, "cibp")
            normals = iter(normal if column == k else 0.0 for column in range(K))
            uniforms = iter(-math.expm1(log_ratio + edge) if column == k else 0.5 for column in range(K))
            plain.setattr(conditionals, "standard_normal", lambda _, given=normals: next(given))
            plain.setattr(conditionals, "uniform", lambda _, given=uniforms: next(given))
            norms, before = np.full(K, 7.0), (x.B.copy(), x.Z.copy())
            shared.move_scales(K, arrays_of(x), norms, None)
            for found, expected in zip((x.B, x.Z), (B, Z) if moves else before, strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-13)
            np.testing.assert_allclose(norms, (x.B**2).sum(axis=0), rtol=1e-13)
            assert next(normals, None) is next(uniforms, None) is None
    assert decided >= K


@links
@priors
@pytest.mark.parametrize(
    ("number", "effects"),
    [
        (MASS, "both"),
        (NOISE, "both"),
        (SLAB, "both"),
        (ROW_EFFECT, "both"),
        (ROW_EFFECT, "rows"),
        (COLUMN_EFFECT, "both"),
    ],
)
def test_variances_and_mass_follow_the_ratio_of_joints(plain, logit, name, number, effects):
    if number in ((NOISE,) if logit else (ROW_EFFECT, COLUMN_EFFECT)):
        return
    x, table, shapes = example(logit, name, effects=effects), twin.priors_of(number), []

    def spy(generator, shape):
        shapes.append(shape)
        return 1.0

    for module in (conditionals, normal_effects):
        plain.setattr(module, "standard_gamma", spy)
    squares = ((x.signal - x.B @ x.Z) ** 2)[x.observed].sum()
    before = x.numbers.copy()
    norms = (x.B**2).sum(axis=0)
    prior = PriorTables(x.log_odds, x.prior.log_weights(F), x.prior.log_rate(F), x.prior.features_per_mass(F), table)
    shared.draw_numbers(K, logit, squares, x.observed.sum(), norms, arrays_of(x), prior, None)
    (shape,) = shapes
    scale = x.numbers[number]  # what a Gamma number of 1 makes
    np.testing.assert_array_equal(np.delete(x.numbers, number), np.delete(before, number))
    law = stats.gamma(shape, scale=scale) if number == MASS else stats.invgamma(shape, scale=scale)
    at = []
    for value in (0.3, 1.9):
        x.numbers[number] = value
        if number == NOISE:
            x.P = np.where(x.observed, 1 / value, 0.0)
        at.append(log_density(x, table=table) - law.logpdf(value))
    assert at[0] == pytest.approx(at[1], abs=TOLERANCE)
