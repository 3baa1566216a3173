"""Ordered categories by Gibbs sampling: every draw against the joint density, Geweke's test; both estimators."""

import math

import ladder
import numpy as np
import ordinal_twin
import pandas as pd
import pytest
from held_out_score import held_out_score
from logistic_models import Twin, assert_goes_on, scripted
from ordinal_twin import C, small_ranks
from scipy import integrate, stats
from scipy.special import expit

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import ordered_cells
from nbmf.families.logistic.kernels import cut_points as kernels
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.families.logistic.ordered_bound import CategoriesGivenCuts
from nbmf.families.logistic.ordered_cells import CUT_SCALE, Categories, CategoryCells, exceedances, probabilities
from nbmf.families.logistic.ordinal_factor_gibbs import CategoryState
from nbmf.inference.state import Factors
from nbmf.likelihoods.ordered import ORDERED
from nbmf.numerics.random import generator_states

BOTH = pytest.mark.parametrize("by_column", [True, False])
# Whose cut points, and effects: all that the class allows.
MODELS = [(True, "none"), (True, "rows"), (False, "none"), (False, "rows"), (False, "columns"), (False, "both")]
EACH = pytest.mark.parametrize(("by_column", "effects"), MODELS)


def chain_of(by_column, effects="none", K=2, ranks=None, prior=None, seed=0, threads=1):
    cells = CategoryCells(Categories(small_ranks() if ranks is None else ranks, C, by_column))
    prior = prior or Prior(True, 0.7, 0.3, "learned")
    return LogisticChain(cells, K, form.Effects.named(effects), prior, np.random.SeedSequence(seed), threads)


def dense(cells, values):
    made = np.full(cells.likelihood.seen.shape, np.nan)
    made[cells.likelihood.seen] = values
    return made


# --- The law of every draw -------------------------------------------------------------------


@pytest.mark.parametrize("v", range(C))
def test_a_category_has_the_terms_of_its_cuts(v):
    """P(v) = σ(ψ - θ_below) σ(θ_above - ψ) (1 - e^-distance), the identity that gives weights PG(1, ψ - θ)."""
    cuts, psi = np.array([-1.3, 0.2, 2.0]), np.linspace(-6, 6, 41)
    product = np.ones(psi.size)
    for c, sign in ordinal_twin.next_cuts(v, C - 1):
        product *= expit(sign * (psi - cuts[c]))
    if 0 < v < C - 1:
        product *= 1 - math.exp(cuts[v - 1] - cuts[v])
    np.testing.assert_allclose(product, [ordinal_twin.chances(x, cuts)[v] for x in psi], rtol=1e-10)


def uncompiled(monkeypatch, numbers):
    """Let the kernels of cut points run uncompiled on given weights; return the arguments of the weights."""
    asked = []

    def polya_gamma_1(generator, z):
        asked.append(z)
        return next(numbers)

    monkeypatch.setattr(kernels, "_draw_weights_of_column", kernels._draw_weights_of_column.py_func)
    monkeypatch.setattr(kernels, "draw_weights_serial", kernels.draw_weights)
    monkeypatch.setattr(kernels, "polya_gamma_1", polya_gamma_1)
    return asked


@BOTH
def test_weights_and_cuts_have_the_twins_conditionals(by_column, monkeypatch):
    """ω ~ PG(1, ψ - θ); log p(θ_c | the rest) is the joint density as a function of θ_c, to 1e-8; then κ and ω."""
    chain = chain_of(by_column, "rows")
    chain.sweep(3)
    cells, likelihood = chain.cells, chain.cells.likelihood
    twin = ordinal_twin.CutsTwin(small_ranks(), likelihood.cuts.copy())
    cells._look(chain.rows, chain.columns, cells.psi)
    psi, weights = dense(cells, cells.psi), np.random.default_rng(3).gamma(1.0, 0.3, 1000)
    expected = twin.draw(psi, iter(weights))
    asked, sets, seen = uncompiled(monkeypatch, iter(weights)), twin.sets(), []

    def draw_cut(generator, x, *arguments):
        s, c = divmod(len(seen), C - 1)
        own = sets[s]
        ranks, values, given = [small_ranks()[i] for i in own], [psi[i] for i in own], [twin.weights[i] for i in own]

        def joint(new):
            cuts = twin.cuts[s].copy()
            cuts[c] = new
            return ordinal_twin.log_augmented(ranks, values, cuts, given, CUT_SCALE)

        low, high = arguments[:2]
        points = np.linspace(max(low, x - 2), min(high, x + 2), 9)[1:-1]
        found = [kernels.log_density_of_cut.py_func(new, *arguments) for new in points]
        wanted = [joint(new) for new in points]
        np.testing.assert_allclose(np.subtract(found, found[0]), np.subtract(wanted, wanted[0]), rtol=1e-8, atol=1e-8)
        for beyond in (low, high, low - 0.5, high + 0.5):
            assert kernels.log_density_of_cut.py_func(beyond, *arguments) == -math.inf or math.isinf(beyond)
        assert x == twin.cuts[s, c]
        twin.cuts[s, c] = 0.5 * (x + max(low, x - 1))  # another place, which the next cut has to see
        seen.append(c)
        return twin.cuts[s, c]

    monkeypatch.setattr(kernels, "draw_cut", draw_cut)
    monkeypatch.setattr(kernels, "draw_cuts", kernels.draw_cuts.py_func)
    cells.renew(chain.rows, chain.columns, 1)
    np.testing.assert_allclose(asked, expected, rtol=1e-12)
    assert len(seen) == likelihood.cuts.size
    omega, kappa = twin.told()
    np.testing.assert_allclose(cells.omega, omega[likelihood.seen], rtol=1e-12)
    np.testing.assert_allclose(cells.kappa, kappa[likelihood.seen], rtol=1e-12)
    np.testing.assert_array_equal(cells.kappa_by_column, cells.kappa[cells.by_column.place])


OF_A_CUT = pytest.mark.parametrize(
    "arguments",
    [
        (-math.inf, math.inf, 0, 0, 0.5, 0.3),
        (-0.4, math.inf, 3, 0, 4.0, 1.0),
        (-math.inf, 0.6, 0, 9, 2.0, 3.0),
        (-0.1, 0.3, 2, 20, 30.0, -4.0),
        (-1.0, 1.0, 0, 5, 1.0, 0.5),  # a category below that no cell is in
    ],
)


@OF_A_CUT
def test_a_slice_is_neals_draw_by_draw(arguments, monkeypatch):
    """With the same uniform numbers; the width is two standard deviations of the normal part."""
    rng, x = np.random.default_rng(2), 0.1
    monkeypatch.setattr(kernels, "log_density_of_cut", kernels.log_density_of_cut.py_func)
    for _ in range(500):
        numbers = rng.random(300)
        given = iter(numbers)
        monkeypatch.setattr(kernels, "uniform", lambda generator, given=given: next(given))
        width = 2.0 / math.sqrt(arguments[4])
        expected = ordinal_twin.slice_sample(
            lambda new: kernels.log_density_of_cut(new, *arguments), x, width, 12, iter(numbers)
        )
        x = kernels.draw_cut.py_func(None, x, *arguments)
        assert x == pytest.approx(expected, rel=1e-12)


@OF_A_CUT
def test_the_slice_has_the_density_of_a_cut(arguments):
    """Every twentieth of 80,000: its distribution function, by quadrature, is uniform."""
    low, high = arguments[:2]
    ends = max(low, -12.0), min(high, 12.0)
    grid = np.linspace(*ends, 40_001)
    density = np.exp([kernels.log_density_of_cut.py_func(x, *arguments) for x in grid])
    upto = integrate.cumulative_trapezoid(density, grid, initial=0.0)
    generator, x, drawn = generator_states(np.random.SeedSequence(1), 1)[0], 0.1, []
    for number in range(80_000):
        x = kernels.draw_cut(generator, x, *arguments)
        if number % 20 == 0:
            drawn.append(np.interp(x, grid, upto / upto[-1]))
    assert stats.kstest(drawn, "uniform").pvalue > ladder.FALSE_ALARM


@EACH
def test_factors_see_the_twins_cells(by_column, effects, monkeypatch):
    """A sweep after the cells are renewed: the twin with their κ and ω."""
    chain = chain_of(by_column, effects, 3)
    chain.sweep(3)
    chain.effect_hyperparameters.set_priors(chain.rows, chain.columns)
    law, carrier = chain.effect_hyperparameters.values, "columns" if chain.effects.columns else "rows"
    priors = [(law[2] * (side == carrier), law[kind] or 1.0) for kind, side in enumerate(("rows", "columns"))]
    sides = chain.rows, chain.columns
    factors, own = [side.factor for side in sides], [side.effects for side in sides]
    twin = Twin(chain.cells.likelihood.seen, *factors, *own, chain.effects, chain.alpha.copy(), priors)
    _, _, normals = scripted(monkeypatch)
    chain.cells.renew(*sides, 1)
    monkeypatch.setattr(chain.cells, "renew", lambda *arguments: None)
    monkeypatch.setattr(chain.effect_hyperparameters, "draw", lambda *arguments: None)
    kappa = np.nan_to_num(dense(chain.cells, chain.cells.kappa))
    twin.sweep(kappa, iter(chain.cells.omega), normals)
    chain.sweep()
    np.testing.assert_allclose(chain.rows.u, twin.U[:, twin.own_U], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(chain.columns.u, twin.V[:, twin.own_V], rtol=1e-9, atol=1e-12)


@BOTH
def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits_and_any_threads(by_column):
    one, other = (CategoryState(chain_of(by_column, "rows", seed=s, threads=s + 1), burn_in=3) for s in (0, 1))
    assert_goes_on(one, other)
    np.testing.assert_array_equal(one.probabilities(), other.probabilities())


# --- The joint density, and Geweke's test ------------------------------------------------------


@BOTH
def test_the_log_joint_is_that_of_the_model(by_column):
    chain = chain_of(by_column, prior=Prior(False, 1.0, 1.0))
    chain.sweep(3)
    W, H, _ = chain.factors()
    twin = ordinal_twin.CutsTwin(small_ranks(), chain.cells.likelihood.cuts)
    expected = stats.norm.logpdf(W).sum() + stats.norm.logpdf(H).sum()
    for f, n in np.argwhere(small_ranks() >= 0):
        expected += math.log(ordinal_twin.chances((W @ H)[f, n], twin.cuts_of(n))[small_ranks()[f, n]])
    expected += sum(ordinal_twin.log_prior(cuts, CUT_SCALE) for cuts in twin.cuts)
    assert chain.log_joint() == pytest.approx(expected, rel=1e-10)


@BOTH
def test_the_other_end_of_the_order_is_as_good(by_column):
    """v → C - 1 - v, ψ → -ψ and θ → -θ from the other end: the same likelihood and the same prior."""
    one = Categories(small_ranks(), C, by_column)
    other = Categories(np.where(small_ranks() < 0, -1, C - 1 - small_ranks()), C, by_column)
    np.testing.assert_allclose(other.cuts, -one.cuts[:, ::-1])  # of the start, too
    psi = np.random.default_rng(1).normal(size=one.kappa.size)
    assert one.log_likelihood(psi) == pytest.approx(other.log_likelihood(-psi), rel=1e-12)


def prior_cuts(S, rng):
    return np.sort(CUT_SCALE * rng.normal(size=(S, C - 1)), axis=1)


def drawn_ranks(psi, cuts, columns, rng):
    beyond = exceedances(psi, cuts, columns)
    return (rng.random(psi.size)[:, None] < beyond).sum(axis=1).astype(np.int8)


class Draw:
    """A draw of all there is, from the prior, or from where a chain is; given ψ and the cuts the data."""

    def __init__(self, seen, factors, alpha, cuts, rng):
        self.factors, self.alpha, self.cuts = factors, alpha, cuts
        self.psi = form.psi_of(factors)[seen]
        self.x = drawn_ranks(self.psi, cuts, np.nonzero(seen)[1], rng)

    def statistics(self):
        """Return functions of it that have variances."""
        W, H, others = self.factors
        x, psi, cuts = self.x, self.psi, self.cuts
        law = [others[name] for name in (form.INTERCEPT,) if name in others]
        law += [np.log(others[name]) for name in (form.ROW_VARIANCE, form.COLUMN_VARIANCE) if name in others]
        distance = np.diff(cuts, axis=1)
        return [
            psi[0],
            np.abs(psi).mean(),
            np.log(self.alpha).sum(),
            (H[0] ** 2).mean(),
            (W**2).mean(),
            *cuts[0],
            (cuts**2).mean(),
            np.log(distance).mean(),
            (x == 1).mean(),
            (x == C - 1).mean(),
            (x * np.tanh(psi)).mean(),
            x[1],
            *law,
        ]


def from_prior(seen, by_column, effects, K, rng):
    F, N = seen.shape
    used, others = form.Effects.named(effects), {}
    alpha = rng.gamma(4.0, 1 / 3.0, K)
    W, H = rng.normal(size=(F, K)), rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None]
    m = 3.0 * rng.normal() if any(used) else 0.0
    s_a, s_b = 0.125 / rng.gamma(0.5, size=2)
    if used.rows:
        others |= {form.ROWS: m * (not used.columns) + math.sqrt(s_a) * rng.normal(size=F), form.ROW_VARIANCE: s_a}
    if used.columns:
        others |= {form.COLUMNS: m + math.sqrt(s_b) * rng.normal(size=N), form.COLUMN_VARIANCE: s_b}
    others |= {form.INTERCEPT: m} if any(used) else {}
    return Draw(seen, Factors(W, H, others), alpha, prior_cuts(N if by_column else 1, rng), rng)


@pytest.mark.statistics
@pytest.mark.parametrize(("by_column", "effects"), [(True, "none"), (True, "rows"), (False, "both")])
def test_geweke(by_column, effects):
    """Everything drawn by the sampler in turn with the data has its prior distribution."""
    rng = np.random.default_rng(13)
    seen = np.ones((4, 3), bool)
    seen[0, 1] = seen[2, 2] = False
    independent = np.array([from_prior(seen, by_column, effects, 2, rng).statistics() for _ in range(20_000)])
    prior = Prior(True, 4.0, 3.0, "learned")
    chain = chain_of(by_column, effects, 2, np.where(seen, 1, -1).astype(np.int8), prior, seed=7)
    series = []
    for _ in range(25_000):
        chain.sweep()
        likelihood = chain.cells.likelihood
        draw = Draw(seen, chain.factors(), chain.alpha.copy(), likelihood.cuts.copy(), rng)
        likelihood.take(draw.x)
        series.append(draw.statistics())
    found, error = ladder.batch_means(np.array(series)[500:])
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    assert ladder.means_p(found, error, independent.mean(axis=0)) > ladder.FALSE_ALARM


# --- What is kept along a chain ------------------------------------------------------------------


@EACH
def test_a_state_keeps_the_means_of_its_sweeps(by_column, effects):
    state, chain = CategoryState(chain_of(by_column, effects), 2), chain_of(by_column, effects)
    state.advance(6)
    chain.sweep(2)
    kept = []
    for _ in range(4):
        chain.sweep()
        psi, cuts = form.psi_of(chain.factors()), chain.cells.likelihood.cuts
        twin = ordinal_twin.CutsTwin(small_ranks(), cuts)
        kept.append([[ordinal_twin.chances(psi[f, n], twin.cuts_of(n)) for n in range(4)] for f in range(6)])
    expected = np.mean(kept, axis=0)
    rows, columns = np.array([0, 5, 2]), np.array([3, 1, 2])
    np.testing.assert_allclose(state.probabilities(), expected, atol=1e-12)
    np.testing.assert_allclose(state.expectation(), expected @ np.arange(C), rtol=1e-12)
    np.testing.assert_allclose(state.predictive(rows, columns), expected[rows, columns], atol=1e-12)
    np.testing.assert_allclose(state.current_predictive(rows, columns), np.array(kept)[-1, rows, columns], atol=1e-12)


@EACH
def test_the_estimate_is_the_mean_of_centred_sweeps(by_column, effects):
    """Of cut points, of the law of effects, and of ψ; with K as large as ψ has ranks nothing is cut off."""
    state, chain = CategoryState(chain_of(by_column, effects, 4), 2), chain_of(by_column, effects, 4)
    state.advance(6)
    one = CategoryState(chain, 100)
    one.advance(2)
    kept = []
    for _ in range(4):
        one.advance(1)
        kept.append(one.factors())
    estimate = state.estimate()
    np.testing.assert_allclose(form.psi_of(estimate), np.mean([form.psi_of(each) for each in kept], axis=0), atol=1e-10)
    for name in {form.CUTS, form.INTERCEPT, form.ROW_VARIANCE} & estimate.others.keys():
        expected = np.mean([each.others[name] for each in kept], axis=0)
        np.testing.assert_allclose(estimate.others[name], expected, rtol=1e-9, atol=1e-12)


@EACH
def test_centred_factors_predict_the_same(by_column, effects):
    """The mean of the cut points is 0 where effects say the rest; nothing else is moved."""
    state = CategoryState(chain_of(by_column, effects), 2)
    state.advance(1)
    before = state.probabilities()
    for factors in (state.factors(), state.estimate(), state.draw(None)):
        cuts = factors.others[form.CUTS]
        np.testing.assert_allclose(probabilities(exceedances(form.psi_of(factors), cuts)), before, atol=1e-12)
        assert (abs(cuts.mean()) < 1e-12) == (effects != "none")
        if by_column or effects in ("columns", "both"):
            np.testing.assert_allclose(factors.W.mean(axis=0), 0.0, atol=1e-12)
    law = state._chain.factors().others
    if effects != "none":
        kind = form.COLUMNS if form.COLUMNS in law else form.ROWS
        centred = ordered_cells.centred(
            state._chain.factors()._replace(others=law | state._chain.cells.learned())
        ).others
        moved = centred[form.INTERCEPT] - law[form.INTERCEPT]
        np.testing.assert_allclose(centred[kind] - law[kind], moved, atol=1e-12)


# --- The quadratic forms of new rows and columns -------------------------------------------------


@BOTH
def test_the_bound_touches_the_likelihood(by_column):
    """At q of one point it is log P(v | ψ), its slope is h - w ψ, and around it the quadratic form stays below."""
    rng = np.random.default_rng(2)
    cuts = prior_cuts(4 if by_column else 1, rng)
    twin, psi = ordinal_twin.CutsTwin(small_ranks(), cuts), 2 * rng.normal(size=(6, 4))
    quadratic = CategoriesGivenCuts(small_ranks(), cuts)
    quadratic.refresh(psi, psi**2)

    def exact(x):
        made = np.zeros(x.shape)
        for f, n in np.argwhere(small_ranks() >= 0):
            made[f, n] = math.log(ordinal_twin.chances(x[f, n], twin.cuts_of(n))[small_ranks()[f, n]])
        return made

    assert quadratic.bound(psi, psi**2) == pytest.approx(exact(psi).sum(), rel=1e-10)
    slope = (exact(psi + 1e-6) - exact(psi - 1e-6)) / 2e-6
    np.testing.assert_allclose(quadratic.h - quadratic.w * psi, slope, atol=1e-7)
    for x in (psi - 3, psi - 0.5, psi + 0.5, psi + 3):
        below = quadratic.h * (x - psi) - quadratic.w * (x**2 - psi**2) / 2
        assert (below <= exact(x) - exact(psi) + 1e-9).all()
        assert quadratic.bound(x, x**2 + 0.3) < exact(x).sum()
    assert not quadratic.h[small_ranks() < 0].any()
    assert not quadratic.w[small_ranks() < 0].any()


# --- The estimator --------------------------------------------------------------------------------


def planted(F=120, N=24, seed=1, by_column=True):
    """Return categories of two factors, ψ, and the cut points."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(1.5 * rng.normal(size=(N if by_column else 1, C - 1)), axis=1) + np.array([-0.4, 0.0, 0.4])
    psi = rng.normal(size=(F, 2)) @ rng.normal(size=(2, N)) * 1.5
    psi += 0.0 if by_column else rng.normal(size=N)
    return drawn_ranks(psi.ravel(), cuts, np.tile(np.arange(N), F), rng).reshape(F, N), psi, cuts


SETTINGS = {
    "columns": {},
    "columns, rows' effects": {"effects": "rows", "effect_scale": "learned"},
    "shared": {"cut_points": "shared", "effects": "both", "effect_scale": "learned"},
}
BRIEF = {"OrdinalFactorGibbs": {"burn_in": 100, "n_samples": 150}, "OrdinalFactorVB": {}}
FITS = {f"{name}: {kind}": (name, kind) for name in BRIEF for kind in SETTINGS}


def fitted(V, fit, K=2, **more):
    name, kind = FITS[fit]
    brief = {"random_state": 0, "n_categories": C, "ard": False} | BRIEF[name]
    return getattr(nbmf, name)(K, **brief | SETTINGS[kind] | more).fit(V)


SHORT = {nbmf.OrdinalFactorGibbs: {"burn_in": 20, "n_samples": 50}, nbmf.OrdinalFactorVB: {"max_iter": 50}}
EACH_CLASS = pytest.mark.parametrize("estimator", SHORT, ids=lambda each: each.__name__)


def columns_alone(V, held_out):
    counts = np.stack([((c == V) & ~held_out).sum(axis=0) + 1 for c in range(C)], axis=1)
    return counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("fit", FITS)
def test_held_out_categories_are_predicted_nearly_as_by_the_truth(fit):
    V, psi, cuts = planted(by_column="shared" not in fit)
    held_out = np.random.default_rng(4).random(V.shape) < 0.2
    model = fitted(ORDERED.hide(V, held_out), fit)
    loss_at = ORDERED.loss_at(V, held_out)
    found, columns = loss_at.of(model.predictive).perplexity, loss_at.columns
    alone = loss_at(columns_alone(V, held_out)[columns]).perplexity
    truth = loss_at(probabilities(exceedances(psi, cuts))[held_out]).perplexity
    assert truth < found < truth + 0.6 * (alone - truth)
    np.testing.assert_allclose(model.probabilities_ @ np.arange(C), model.expectation_, rtol=1e-10)
    np.testing.assert_allclose(model.probabilities_.sum(axis=2), 1.0, rtol=1e-12)
    if fit.endswith(": columns"):
        assert np.corrcoef(model.cut_points_.ravel(), cuts.ravel())[0, 1] > 0.95


@pytest.mark.parametrize("fit", FITS)
def test_new_rows_and_columns_are_scored_by_their_categories(fit):
    V, _, _ = planted(by_column="shared" not in fit)
    model = fitted(V[:60, :20], fit)
    rows, columns = V[60:, :20].copy(), V[:60, 20:]
    rows[0, :] = -1
    of_rows = model._factors_of_rows(rows)
    at = np.nonzero(rows >= 0)
    p = model.predictive_of(of_rows, *at)
    loss = ORDERED.loss_at(rows, rows >= 0)(p)
    assert loss.perplexity == pytest.approx(-np.log(p[np.arange(len(p)), rows[at]]).mean(), rel=1e-12)
    assert model.score(rows) == pytest.approx(held_out_score(model, rows), rel=1e-9)
    np.testing.assert_allclose(p @ np.arange(C), model.predict_rows(rows)[at], rtol=1e-10)
    for values, factors in ((rows, of_rows), (columns, model._factors_of_columns(columns))):
        loss_at = ORDERED.loss_at(values, values >= 0)
        predicted = model.predictive_of(factors, loss_at.rows, loss_at.columns)
        every = np.bincount(values[values >= 0], minlength=C) / (values >= 0).sum()
        assert loss_at(predicted).perplexity < loss_at(np.tile(every, (len(predicted), 1))).perplexity - 0.1
        assert predicted.min() > 0
    cuts = model._factors_of_columns(columns).others[form.CUTS]
    assert cuts.shape == ((1 if "shared" in fit else 4), C - 1)


def test_new_rows_stand_still_at_their_equations():
    V, _, _ = planted(30, 10)
    model = fitted(V, "OrdinalFactorGibbs: columns")
    W, X = model.transform(V[:3]), model.H_.T
    quadratic = CategoriesGivenCuts(V[:3], model.cut_points_)
    psi, S = W @ X.T, np.stack([np.eye(2)] * 3)
    for _ in range(200):
        quadratic.refresh(psi, psi**2 + np.einsum("nd,lde,ne->ln", X, S, X))
        S = np.linalg.inv(np.eye(2) + np.einsum("ln,nd,ne->lde", quadratic.w, X, X))
    np.testing.assert_allclose(W, np.einsum("lde,le->ld", S, quadratic.h @ X), atol=1e-4)


def test_of_two_categories_it_is_the_binary_model():
    """With one cut for all, or none: probabilities of a one differ by the Monte Carlo error."""
    V = (planted(40, 12, 3)[0] > 1).astype(np.int8)
    settings = {"effects": "columns", "effect_scale": "learned", "ard": False, "burn_in": 300, "random_state": 0}
    binary = nbmf.LogisticFactorGibbs(2, n_samples=4000, **settings).fit(V)
    ordinal = nbmf.OrdinalFactorGibbs(2, n_samples=4000, cut_points="shared", **settings).fit(V)
    assert ordinal.probabilities_.shape == (40, 12, 2)
    np.testing.assert_allclose(ordinal.expectation_, binary.expectation_, atol=0.04)
    assert np.abs(ordinal.expectation_ - binary.expectation_).mean() < 0.006
    np.testing.assert_allclose(ordinal.cut_points_, 0.0, atol=1e-12)
    assert ordinal.intercept_ == pytest.approx(float(binary.intercept_), abs=0.1)


@pytest.mark.parametrize("fit", FITS)
def test_a_fit_is_saved_and_loaded_and_has_draws(fit, tmp_path):
    V, _, _ = planted(40, 12, by_column="shared" not in fit)
    one = fitted(V, fit)
    one.save(tmp_path / "model.npz")
    other = nbmf.load(tmp_path / "model.npz")
    for name in ("cut_points_", "probabilities_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.score(V[:5]) == other.score(V[:5])
    np.testing.assert_array_equal(one.predict_columns(V[:, :4]), other.predict_columns(V[:, :4]))
    draws = nbmf.posterior_draws(one, V, n_draws=50)
    low, high = draws.other_interval(form.CUTS, 0.9)
    assert low.shape == one.cut_points_.shape
    assert ((low < one.cut_points_) & (one.cut_points_ < high)).mean() > 0.9
    low, high = draws.expectation_interval(0.9)
    assert ((low > 0) & (high < C - 1)).all()


def test_chains_record_the_likelihood_of_the_categories():
    V, _, _ = planted(20, 8)
    model = nbmf.OrdinalFactorGibbs(1, burn_in=5, n_samples=40, ard=False, random_state=0)
    with pytest.warns(nbmf.errors.ChainsNotConvergedWarning):
        chains = nbmf.run_chains(model, V, chains=2, n_jobs=1)
    assert (chains.trace["log likelihood"] < -0.5 * V.size).all()
    assert (chains.trace["log likelihood"] > -1.5 * V.size).all()


@EACH_CLASS
def test_effects_of_columns_ask_for_shared_cut_points(estimator):
    for effects in ("columns", "both"):
        with pytest.raises(ConfigError, match=r"effects = '\w+': must be 'none' or 'rows' with cut_points = 'columns'"):
            estimator(2, effects=effects).fit(small_ranks())
    with pytest.raises(ConfigError, match="cut_points = 'rows': must be columns or shared"):
        estimator(2, cut_points="rows").fit(small_ranks())
    for wrong in (1, 128, 2.5, True):
        with pytest.raises(ConfigError, match=r"n_categories = .*: must be None .* or an integer from 2 to 127"):
            estimator(2, n_categories=wrong).fit(small_ranks())


@EACH_CLASS
def test_categories_beyond_those_there_are_are_refused(estimator):
    with pytest.raises(
        DataError, match=r"row \d, column \d .*: the category is 3; allowed with n_categories = 3: 0 to 2"
    ):
        estimator(1, n_categories=3).fit(small_ranks())
    model = estimator(1, **SHORT[estimator]).fit(np.minimum(small_ranks(), 2))
    assert model.probabilities_.shape == (6, 4, 3)
    new = np.where(small_ranks() < 0, 0, small_ranks())
    for call in (model.transform, model.predict_rows, model.score, model.predict_columns, model.transform_columns):
        with pytest.raises(DataError, match="the fit: 0 to 2 and missing; with a larger n_categories it knows"):
            call(new)


def test_new_rows_call_categories_as_the_fit_does(tmp_path):
    """By their places alone, rows that lack the lowest category would be taken for lower answers."""
    words = ["never", "seldom", "often", "always"]
    rng = np.random.default_rng(0)
    ranks = rng.integers(0, 4, (30, 6))

    def answers(rows, names):
        kind = pd.CategoricalDtype(names, ordered=True)
        return pd.DataFrame({f"q{n}": pd.Categorical.from_codes(rows[:, n], dtype=kind) for n in range(6)})

    fit = nbmf.OrdinalFactorVB(1, max_iter=20, random_state=0).fit(answers(ranks, words))
    assert fit.categories_.tolist() == words
    high = np.maximum(ranks[:5], 1)
    with pytest.raises(DataError, match="categories of V are 'seldom', 'often', 'always', in this order; those of the"):
        fit.predict_rows(answers(high - 1, words[1:]))
    low = np.minimum(ranks[:5], 2)
    expected = fit.predict_rows(low)  # plain numbers are places
    np.testing.assert_array_equal(fit.predict_rows(answers(low, words[:3])), expected)
    fit.save(tmp_path / "fit.npz")
    loaded = nbmf.load(tmp_path / "fit.npz")
    np.testing.assert_array_equal(loaded.predict_rows(answers(low, words)), expected)
    with pytest.raises(DataError, match="categories of V are 'always'"):
        loaded.score(answers(ranks, words[::-1]))
    for damaged in (np.array("never"), np.arange(4), np.array([*words, "at night"])):
        with pytest.raises(DataError, match="categories_ has to be at most 4 texts"):
            loaded.restore(loaded._learned() | {"categories_": damaged})


@EACH_CLASS
def test_a_category_that_is_held_out_altogether_has_a_place(estimator):
    shown = np.minimum(small_ranks(), 2)
    model = estimator(1, n_categories=C, random_state=0, **SHORT[estimator]).fit(shown)
    assert model.probabilities_.shape == (6, 4, C)
    assert 0 < model.probabilities_[:, :, C - 1].max() < 0.5
    only = estimator(1, **SHORT[estimator]).fit(np.zeros((3, 2)))
    assert only.probabilities_.shape == (3, 2, 2)


# --- Long ------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("by_column", "effects"), [(True, "none"), (False, "both")])
def test_ranks_of_the_truth_are_uniform(by_column, effects):
    """Simulation-based calibration of ψ of a seen and a missing cell, cuts, their distances, the log-likelihood."""
    rng, prior = np.random.default_rng(17), Prior(True, 4.0, 3.0, "learned")
    seen = np.random.default_rng(1).random((8, 6)) < 0.8
    hidden, n_draws, counts = tuple(np.argwhere(~seen)[0]), 31, []

    def statistics(factors, cuts, likelihood):
        psi = form.psi_of(factors)
        first = psi[tuple(np.argwhere(seen)[0])]
        distance = np.diff(cuts, axis=1)
        location = psi.mean() - cuts.mean()
        likelihood.cuts[:] = cuts
        of_cuts = sum(ordinal_twin.log_prior(own, CUT_SCALE) for own in cuts)
        fit = likelihood.log_likelihood(psi[seen]) - of_cuts
        return [first - cuts[0, 0], psi[hidden] - cuts[-1, 1], distance[0, 0], distance[-1, 1], location, fit]

    for number in range(600):
        truth = from_prior(seen, by_column, effects, 1, rng)
        ranks = np.full(seen.shape, -1, np.int8)
        ranks[seen] = truth.x
        chain = chain_of(by_column, effects, 1, ranks, prior, seed=number)
        chain.sweep(300)
        drawn, likelihood = [], Categories(ranks, C, by_column)
        for _ in range(n_draws):
            chain.sweep(60)
            drawn.append(statistics(chain.factors(), chain.cells.likelihood.cuts, likelihood))
        counts.append((np.array(drawn) < statistics(truth.factors, truth.cuts, likelihood)).sum(axis=0))
    for each in np.array(counts).T:
        tally = np.bincount(each // 4, minlength=8)
        assert ladder.chi_square_p(tally, np.full(8, 1 / 8)) > ladder.FALSE_ALARM
