"""Ordered categories by variational Bayes: every update, its bound, the relation to the binary model."""

import itertools
import math

import numpy as np
import ordinal_twin
import pytest
from logistic_models import assert_no_block_lowers
from ordinal_twin import C, small_ranks
from scipy import linalg, optimize, stats
from scipy.special import expit, logsumexp

import nbmf
from nbmf.families.logistic import cut_posterior
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.cut_posterior import CutPosterior
from nbmf.families.logistic.kernels import ordered_forms as kernels
from nbmf.families.logistic.ordered_bound import CategoriesWithLearnedCuts, category_counts
from nbmf.families.logistic.ordered_cells import CUT_SCALE, probabilities
from nbmf.families.logistic.ordinal_factor_vb import CutLevel
from nbmf.inference.state import Factors
from nbmf.seeds import seed_sequence

BOTH = pytest.mark.parametrize("by_column", [True, False])
KINDS = pytest.mark.parametrize("kind", ["factorized", "full"])


def moments_of_psi(seed=3):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=small_ranks().shape)
    return psi, psi**2 + rng.gamma(2.0, 0.3, psi.shape)


def posterior_of(counts, seed=1):
    """Return a q somewhere: any means, any covariances."""
    posterior, rng = CutPosterior(np.asarray(counts)), np.random.default_rng(seed)
    S, J = posterior.mean.shape
    root = 0.15 * rng.normal(size=(S, J, J)) + 0.3 * np.eye(J)
    posterior.mean = posterior.mean + 0.2 * rng.normal(size=(S, J))
    posterior.covariance = root @ root.transpose(0, 2, 1)
    return posterior


COUNTS = np.array([[3, 4, 2, 5], [6, 0, 3, 1], [0, 0, 9, 0]])  # without a category, with one alone


def nodes_of(mean, covariance, n=16):
    """Return t (M, J) and weights (M,) of Gauss and Hermite for a normal distribution."""
    z, weights = np.polynomial.hermite_e.hermegauss(n)
    J = mean.size
    points = np.array(list(itertools.product(z, repeat=J)))
    weights = np.prod(list(itertools.product(weights / weights.sum(), repeat=J)), axis=1)
    return mean + points @ np.linalg.cholesky(covariance).T, weights


def cuts_of(t):
    return np.cumsum(np.hstack([t[:, :1], np.exp(t[:, 1:])]), axis=1)


# --- The forms of cells ----------------------------------------------------------------------


@BOTH
def test_forms_of_cells_and_cuts_by_loops(by_column):
    """h, w and the forms of the cuts: sums over the terms of each cell, written one at a time."""
    quadratic, ranks = CategoriesWithLearnedCuts(small_ranks(), C, by_column), small_ranks()
    psi, square = moments_of_psi()
    h, w = np.zeros(psi.shape), np.zeros(psi.shape)
    linear, precision = np.zeros(quadratic.cuts.shape), np.zeros(quadratic.cuts.shape)
    bound = 0.0
    for f, n in np.argwhere(ranks >= 0):
        s = n if by_column else 0
        for c, sign in ordinal_twin.next_cuts(ranks[f, n], C - 1):
            cut, cut_square = quadratic.cuts[s, c], quadratic.cut_squares[s, c]
            eta = math.sqrt(square[f, n] - 2 * psi[f, n] * cut + cut_square)
            omega = math.tanh(eta / 2) / (2 * eta)
            h[f, n] += 0.5 * sign + omega * cut
            w[f, n] += omega
            linear[s, c] += omega * psi[f, n] - 0.5 * sign
            precision[s, c] += omega
            bound += 0.5 * sign * (psi[f, n] - cut) - math.log(2 * math.cosh(eta / 2))
    quadratic.refresh(psi, square)
    np.testing.assert_allclose(quadratic.h, h, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(quadratic.w, w, rtol=1e-12, atol=1e-14)
    found = np.zeros(linear.shape), np.zeros(linear.shape)
    kernels.cut_forms(*quadratic._cells(psi, square), *found)
    np.testing.assert_allclose(found, (linear, precision), rtol=1e-12)
    assert quadratic.bound(psi, square) == pytest.approx(bound + quadratic.posterior.bound(), rel=1e-12)


def test_compiled_forms_are_those_of_plain_python(monkeypatch):
    quadratic = CategoriesWithLearnedCuts(small_ranks(), C)
    cells, shape = quadratic._cells(*moments_of_psi()), small_ranks().shape
    functions = {"cell_forms": (np.zeros(shape), np.zeros(shape)), "cut_forms": (np.zeros((4, 3)), np.zeros((4, 3)))}
    compiled = {name: tuple(part.copy() for part in output) for name, output in functions.items()}
    for name, output in compiled.items():
        getattr(kernels, name)(*cells, *output)
    total = kernels.sum_of_terms(*cells)
    for name in ("_eta_square", "_bound_of_term"):
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    for name, output in functions.items():
        getattr(kernels, name).py_func(*cells, *output)
        np.testing.assert_allclose(compiled[name], output, rtol=1e-12)
    assert kernels.sum_of_terms.py_func(*cells) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("v", range(C))
def test_the_bound_of_a_cell_lies_below_the_mean_of_its_logarithm(v):
    """<log P(v | ψ, θ)> by quadrature over q(ψ) q(θ); with a q that is nearly a point it is met."""
    for scale, gap in ((1.0, 0.5), (1e-3, 1e-5)):
        quadratic = CategoriesWithLearnedCuts(np.array([[v]], np.int8), C)
        posterior = quadratic.posterior
        posterior.mean, posterior.covariance = (
            np.array([[-1.0, 0.1, -0.4]]),
            scale**2 * np.array([[[0.5, -0.1, 0.0], [-0.1, 0.3, 0.1], [0.0, 0.1, 0.4]]]),
        )
        quadratic._renew_moments()
        mean, deviation = 0.4, 0.8 * scale
        prior_alone = CutPosterior(np.zeros((1, C), int))
        prior_alone.mean, prior_alone.covariance = posterior.mean, posterior.covariance
        found = quadratic.bound(np.array([[mean]]), np.array([[mean**2 + deviation**2]])) - prior_alone.bound()
        together = linalg.block_diag(posterior.covariance[0], deviation**2)
        t, weights = nodes_of(np.append(posterior.mean[0], mean), together, 12)
        exact = weights @ np.log(ordinal_twin.chances(t[:, 3], cuts_of(t[:, :3]).T)[v])
        assert found < exact + 1e-9 < found + gap


# --- q of the cuts -----------------------------------------------------------------------------


def test_moments_and_draws_of_cuts():
    """By quadrature; draws are in order, and their means are within 5 standard errors."""
    posterior, rng = posterior_of(COUNTS), np.random.default_rng(0)
    means, squares = posterior.moments()
    for s in range(len(COUNTS)):
        t, weights = nodes_of(posterior.mean[s], posterior.covariance[s])
        np.testing.assert_allclose(means[s], weights @ cuts_of(t), rtol=1e-9)
        np.testing.assert_allclose(squares[s], weights @ cuts_of(t) ** 2, rtol=1e-9)
    drawn = np.array([posterior.draw(rng) for _ in range(2000)])
    assert (np.diff(drawn, axis=2) > 0).all()
    for power, exact in ((1, means), (2, squares)):
        values = drawn**power
        assert (np.abs(values.mean(axis=0) - exact) < 5 * values.std(axis=0) / math.sqrt(2000)).all()


def quadrature_bound(mean, covariance, counts, jensen, n=16):
    """Return Σ n <log(1 - e^-d)> - KL(q || p) by quadrature, or with the lower bound of its first part."""
    t, weights = nodes_of(mean, covariance, n)
    J = mean.size
    log_p = stats.norm.logpdf(cuts_of(t), scale=CUT_SCALE).sum(axis=1) + math.log(math.factorial(J))
    log_p += t[:, 1:].sum(axis=1)  # of dθ/dt
    entropy = 0.5 * (J * (1 + math.log(2 * math.pi)) + np.linalg.slogdet(covariance)[1])
    d = np.exp(t[:, 1:])
    each = weights @ np.log(-np.expm1(-d))
    if jensen:
        d = weights @ d
        each = weights @ t[:, 1:] - np.log(d) + np.log(-np.expm1(-d))
    return weights @ log_p + entropy + counts[1:-1] @ each


def test_what_cuts_add_to_the_bound_by_quadrature():
    posterior, found = posterior_of(COUNTS), []
    for s, counts in enumerate(COUNTS):
        alone = posterior_of(COUNTS)
        alone.mean, alone.covariance = posterior.mean[[s]], posterior.covariance[[s]]
        alone._counts = posterior._counts[[s]]
        found.append(alone.bound())
        given = posterior.mean[s], posterior.covariance[s], counts
        assert found[-1] == pytest.approx(quadrature_bound(*given, jensen=True), rel=1e-9)
        of_logarithms = 0.5 * counts[1:-1] @ posterior.covariance[s].diagonal()[1:]  # what log <d> - <log d> adds up to
        assert 0 <= quadrature_bound(*given, jensen=False) - found[-1] <= of_logarithms + 1e-9
    assert posterior.bound() == pytest.approx(sum(found), rel=1e-12)


def forms_of_cells(S, seed=2):
    rng = np.random.default_rng(seed)
    return rng.normal(scale=2.0, size=(S, C - 1)), rng.gamma(2.0, 1.0, (S, C - 1))


def twin_objective(mean, covariance, counts, linear, precision, n=16):
    """Return what depends on q(θ) in the bound, given q(ω), by quadrature."""
    t, weights = nodes_of(mean, covariance, n)
    cuts = cuts_of(t)
    fit = weights @ (cuts @ linear - 0.5 * cuts**2 @ precision)
    return fit + quadrature_bound(mean, covariance, counts, True, n)


@pytest.mark.parametrize("s", range(len(COUNTS)))
def test_slopes_and_curvatures_are_those_of_the_bound(s):
    """dF/dmean, and minus twice d(F - log |covariance| / 2)/dcovariance, by differences."""
    posterior, (linear, precision) = posterior_of(COUNTS), forms_of_cells(len(COUNTS))
    b, Q = cut_posterior._increment_form(linear, precision + CUT_SCALE**-2)
    slope, curvature = posterior._derivatives(b, Q)
    mean, covariance, h = posterior.mean[s], posterior.covariance[s], 1e-5

    def objective(mean, covariance):
        return twin_objective(mean, covariance, COUNTS[s], linear[s], precision[s])

    for i in range(C - 1):
        step = h * np.eye(C - 1)[i]
        found = (objective(mean + step, covariance) - objective(mean - step, covariance)) / (2 * h)
        assert slope[s, i] == pytest.approx(found, rel=1e-5, abs=1e-6)
        for j in range(i + 1):
            E = np.zeros((C - 1, C - 1))
            E[i, j] = E[j, i] = 0.5 * h if i != j else h
            found = (objective(mean, covariance + E) - objective(mean, covariance - E)) / (2 * h)
            found -= 0.5 * np.linalg.inv(covariance)[i, j]
            assert -0.5 * curvature[s, i, j] == pytest.approx(found, rel=1e-4, abs=1e-6)


def test_cuts_go_to_the_best_q_and_no_step_lowers_the_bound():
    """The optimum of a generic optimiser over means and roots of covariances; each set by itself."""
    (linear, precision), posterior = forms_of_cells(len(COUNTS)), posterior_of(COUNTS)
    b, Q = cut_posterior._increment_form(linear, precision + CUT_SCALE**-2)
    before, together = posterior._objective(b, Q, posterior.mean, posterior.covariance), []
    for _ in range(60):
        posterior.learn(linear, precision)
        now = posterior._objective(b, Q, posterior.mean, posterior.covariance)
        assert (now >= before - 1e-11 * np.abs(before)).all()
        before = now
        together.append(posterior.mean.copy())
    lower = np.tril_indices(C - 1)
    for s, counts in enumerate(COUNTS):

        def loss(x, s=s, counts=counts):
            root = np.zeros((C - 1, C - 1))
            root[lower] = x[C - 1 :]
            root[np.diag_indices(C - 1)] = np.exp(root.diagonal())
            return -twin_objective(x[: C - 1], root @ root.T, counts, linear[s], precision[s], 8)

        start = np.append(posterior.mean[s] + 0.1, np.full(len(lower[0]), -0.1))
        best = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
        found = twin_objective(posterior.mean[s], posterior.covariance[s], counts, linear[s], precision[s], 8)
        assert found == pytest.approx(-best.fun, abs=1e-5)
        np.testing.assert_allclose(posterior.mean[s], best.x[: C - 1], atol=2e-3)
        alone = posterior_of(COUNTS)
        alone.mean, alone.covariance = alone.mean[[s]], alone.covariance[[s]]
        alone._counts = alone._counts[[s]]
        for _ in range(60):
            alone.learn(linear[[s]], precision[[s]])
        np.testing.assert_allclose(alone.mean[0], together[-1][s], rtol=1e-9)


def test_one_cut_is_normal_and_learned_in_one_step():
    posterior = CutPosterior(np.array([[3, 4], [9, 0]]))
    linear, precision = np.array([[1.5], [-2.0]]), np.array([[2.0], [0.7]])
    posterior.learn(linear, precision)
    P = precision + 1 / 9
    np.testing.assert_allclose(posterior.mean, linear / P, rtol=1e-12)
    np.testing.assert_allclose(posterior.covariance[..., 0], 1 / P, rtol=1e-12)


def test_nodes_have_the_moments_of_q():
    """With the variance of the common shift added to that of θ_0, and the third moments, which are 0."""
    posterior = posterior_of(COUNTS)
    cuts, of_shift = posterior.nodes()
    assert cuts.shape == (2 * (C - 2), len(COUNTS), C - 1)
    t = np.concatenate([cuts[..., :1], np.log(np.diff(cuts, axis=2))], axis=2)
    np.testing.assert_allclose(t.mean(axis=0), posterior.mean, rtol=1e-10)
    away = t - posterior.mean
    covariance = np.einsum("msi,msj->sij", away, away) / len(t)
    covariance[:, 0, 0] += of_shift
    np.testing.assert_allclose(covariance, posterior.covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose((away**3).mean(axis=0), 0.0, atol=1e-12)


@BOTH
def test_exceedances_are_means_over_q(by_column):
    """Of σ(ψ - θ) by quadrature over both: one cut to 1e-7; of several the nodes are a rule of degree three."""
    rng = np.random.default_rng(5)
    for n_categories, tolerance in ((2, 1e-7), (C, 1e-2)):
        ranks = np.minimum(small_ranks(), n_categories - 1)
        quadratic = CategoriesWithLearnedCuts(ranks, n_categories, by_column)
        quadratic.posterior = posterior_of(category_counts(ranks, n_categories, by_column))
        quadratic._renew_moments()
        psi, variance = rng.normal(size=ranks.shape), rng.gamma(2.0, 0.3, ranks.shape)
        found = quadratic.exceedances(psi, variance, np.arange(4))
        z, of_z = np.polynomial.hermite_e.hermegauss(40)
        for f, n in np.ndindex(2, 4):
            s = n if by_column else 0
            t, weights = nodes_of(quadratic.posterior.mean[s], quadratic.posterior.covariance[s], 14)
            x = psi[f, n] + math.sqrt(variance[f, n]) * z
            exact = weights @ np.tensordot(of_z / of_z.sum(), expit(x[:, None, None] - cuts_of(t)), 1)
            np.testing.assert_allclose(found[f, n], exact, atol=tolerance)
        assert (np.diff(np.pad(found, ((0, 0), (0, 0), (1, 1)), constant_values=(1, 0)), axis=2)[..., :-1] < 0).all()
        rows = np.array([0, 5, 2]), np.array([3, 1, 2])
        np.testing.assert_allclose(quadratic.exceedances(psi[rows], variance[rows], rows[1]), found[rows], rtol=1e-12)


# --- The bound of all ---------------------------------------------------------------------------


MODELS = [
    {},
    {"effects": "rows", "effect_scale": "learned"},
    {"cut_points": "shared"},
    {"cut_points": "shared", "effects": "columns"},
    {"cut_points": "shared", "effects": "both", "effect_scale": "learned", "ard": True},
]
EACH = pytest.mark.parametrize("settings", MODELS, ids=lambda each: ", ".join(each) or "columns")


def state_of(settings, V=None, K=2, **more):
    model = nbmf.OrdinalFactorVB(K, n_categories=C, **settings | more)
    return model._start(small_ranks() if V is None else V, seed_sequence(4))


@KINDS
@EACH
def test_no_block_lowers_the_bound(settings, kind):
    state = state_of(settings, covariance=kind)
    for side in (state.matrix.rows, state.matrix.columns):
        side.learn_precision()  # before, it is fixed, and the bound another one
    assert_no_block_lowers(state._ascent.blocks, state.objective, 8, 3)


@EACH
def test_what_cuts_and_effects_share_is_best_given_the_rest(settings):
    if "effects" not in settings:
        assert not [level for level in state_of(settings)._levels() if isinstance(level.__self__, CutLevel)]
        return
    state = state_of(settings)
    state.advance(3)
    level = next(level.__self__ for level in state._levels() if isinstance(level.__self__, CutLevel))
    quadratic, side, place = level
    before = state.moments()[0][:, :, None] - quadratic.cuts
    level.move()
    np.testing.assert_allclose(state.moments()[0][:, :, None] - quadratic.cuts, before, atol=1e-9)
    best, has_intercept = state.objective(), side.coordinates.carrier is not None
    n, precision = (1, 1 / 9) if has_intercept else (len(side.mean), side.precision[place])
    for d in (1e-3, -1e-3):
        for by in (d, -d):
            quadratic.shift(by)
            side.shift(place, by)
            side.center[place] += by * has_intercept
            if by == d:
                fall = best - state.objective()
        assert fall == pytest.approx(0.5e-6 * (quadratic.cuts.size / 9 + n * precision), rel=1e-3)


def log_evidence(V, cuts):
    """Return log p(V) of shared cuts and K = 1: by quadrature over W, H and pairs of cuts (θ_0 < θ_1), V (F, 2)."""
    z, weights = np.polynomial.hermite_e.hermegauss(24)
    weights /= weights.sum()
    grid = np.linspace(-15, 15, cuts)
    density = np.exp(-0.5 * (grid / CUT_SCALE) ** 2)
    density /= density.sum()
    total = []
    for i, j in itertools.combinations(range(cuts), 2):
        p = ordinal_twin.chances(np.outer(z, z), (grid[i], grid[j]))  # (v, w, h)
        of_pairs = np.ones((24, 24))
        for row in V:
            of_pairs *= (p[row[0]] * weights[:, None]).T @ p[row[1]]
        total.append(math.log(2 * density[i] * density[j] * (weights @ of_pairs @ weights)))
    return logsumexp(total)


@KINDS
def test_the_bound_is_below_the_evidence(kind):
    """Three rows, two columns, shared cuts of three categories; two grids of cuts agree."""
    V = np.array([[0, 2], [2, 1], [0, 1]], np.int8)
    exact = log_evidence(V, 61)
    assert log_evidence(V, 41) == pytest.approx(exact, abs=0.05)
    model = nbmf.OrdinalFactorVB(1, n_categories=3, cut_points="shared", covariance=kind, random_state=0)
    model.set_params(max_iter=300, bound_gain_tol=1e-9).fit(V)
    assert exact - 1.5 < model.objective_ < exact


# --- Two categories are the binary model ---------------------------------------------------------


@pytest.mark.parametrize(("own", "binary"), [("none", "columns"), ("rows", "both")])
def test_of_two_categories_the_bound_is_that_of_the_binary_model(own, binary):
    """At the same q: a cut point ~ N(0, 9) is minus an effect of its column ~ N(0, 9)."""
    V = np.minimum(small_ranks(20, 12, 7), 1)
    settings = {"effect_scale": CUT_SCALE, "random_state": 0, "max_iter": 1000, "bound_gain_tol": 1e-7}
    one = nbmf.LogisticFactorVB(2, effects=binary, **settings)._start(V, seed_sequence(1))
    one.advance(5)
    other = nbmf.OrdinalFactorVB(2, effects=own, **settings)._start(V, seed_sequence(1))
    R = 2 + (own == "rows")
    for mine, its in ((other.matrix.rows, one.matrix.rows), (other.matrix.columns, one.matrix.columns)):
        mine.mean, mine.variance = its.mean[:, :R].copy(), its.variance[:, :R].copy()
    posterior, columns = other.matrix.quadratic.posterior, one.matrix.columns
    posterior.mean, posterior.covariance = -columns.mean[:, R:], columns.variance[:, R:, None]
    other.matrix.quadratic._renew_moments()
    assert other.objective() == pytest.approx(one.objective(), rel=1e-10)
    np.testing.assert_allclose(other.expectation(), one.expectation(), rtol=1e-7)
    ends = [nbmf.LogisticFactorVB(2, effects=binary, **settings).fit(V)]
    ends.append(nbmf.OrdinalFactorVB(2, effects=own, **settings).fit(V))
    assert ends[0].objective_ == pytest.approx(ends[1].objective_, abs=2e-3)
    np.testing.assert_allclose(ends[1].expectation_, ends[0].expectation_, atol=6e-3)
    level = ends[0].column_effects_ + ends[1].cut_points_[:, 0]
    np.testing.assert_allclose(level, level.mean() if own == "rows" else 0.0, atol=0.05)


# --- What a state reports -------------------------------------------------------------------------


@EACH
def test_reported_factors_have_the_psi_of_q_and_centred_cuts(settings):
    state = state_of(settings)
    state.advance(5)
    psi, cuts = state.moments()[0], state.matrix.quadratic.cuts
    factors = state.factors()
    np.testing.assert_allclose(
        form.psi_of(factors)[:, :, None] - factors.others[form.CUTS], psi[:, :, None] - cuts, atol=1e-9
    )
    if settings.get("effects"):
        assert abs(factors.others[form.CUTS].mean()) < 1e-9
    elif not settings:
        np.testing.assert_allclose(factors.W.mean(axis=0), 0.0, atol=1e-9)
    rows, columns = np.array([0, 5, 2]), np.array([3, 1, 2])
    np.testing.assert_allclose(state.predictive(rows, columns), state.probabilities()[rows, columns], rtol=1e-10)
    np.testing.assert_allclose(state.probabilities() @ np.arange(C), state.expectation(), rtol=1e-10)
    np.testing.assert_allclose(state.probabilities().sum(axis=2), 1.0, rtol=1e-12)


@EACH
def test_draws_have_the_moments_of_q(settings):
    """ψ - θ of each entry and cut: means within 5 standard errors; so they are one model, whatever its form."""
    state = state_of(settings)
    state.advance(5)
    rng, drawn = np.random.default_rng(0), []
    for _ in range(600):
        factors = state.draw(rng)
        drawn.append(form.psi_of(factors)[:, :, None] - factors.others[form.CUTS])
    exact = state.moments()[0][:, :, None] - state.matrix.quadratic.cuts
    assert (np.abs(np.mean(drawn, axis=0) - exact) < 5 * np.std(drawn, axis=0) / math.sqrt(600)).all()


def test_predictions_of_factors_are_those_of_their_cuts():
    model = nbmf.OrdinalFactorVB(1, n_categories=C, random_state=0).fit(small_ranks())
    W, H, others = model.factors_
    assert isinstance(model.factors_, Factors)
    psi = (W @ H)[:, :, None] - others[form.CUTS]
    np.testing.assert_allclose(model.mean(model.factors_), expit(psi).sum(axis=2), rtol=1e-12)
    at = np.array([1, 4]), np.array([0, 3])
    np.testing.assert_allclose(model.predictive_of(model.factors_, *at), probabilities(expit(psi))[at], rtol=1e-12)
