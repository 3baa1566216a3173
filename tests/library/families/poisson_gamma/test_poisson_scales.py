"""Scales of rows and columns: updates, bound, draws and fold-in against reference implementations.

Statistical tests have fixed seeds; each z is below its limit with a false-alarm rate of 1e-4 or
less, limits of several being those of all together.
"""

import itertools
import json
import math

import numpy as np
import pytest
import scipy.sparse
from poisson_twins import (
    bound_with_sources,
    divergence,
    mean_and_geometric_mean,
    scale_step,
    scaled_divergence,
    scaled_draws,
    sources,
    vb_step,
)
from scipy.special import digamma, gammaln, logsumexp
from scipy.stats import gamma, poisson

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.families.poisson_gamma import evidence, hyperparameters
from nbmf.families.poisson_gamma import poisson_gamma_fold_in as fold_in
from nbmf.families.poisson_gamma.annealing import Annealed
from nbmf.families.poisson_gamma.averages import Averages
from nbmf.families.poisson_gamma.gamma_priors import ALL, FIXED, LINE, NONE, SOURCE, GammaPrior, Ties
from nbmf.families.poisson_gamma.lookup_tables import chance
from nbmf.families.poisson_gamma.observations import Observations, observations
from nbmf.families.poisson_gamma.poisson_gamma_gibbs import Chain, ChainState
from nbmf.families.poisson_gamma.poisson_gamma_variational import FactorPosterior, VariationalState
from nbmf.families.poisson_gamma.scales import Scales
from nbmf.posterior.components import components_of

RNG = np.random.default_rng(41)
K = 3
V = RNG.poisson(RNG.gamma(0.7, 2.0, (9, 4)) @ RNG.gamma(0.6, 1.0, (4, 13))).astype(np.int32)
V[RNG.random(V.shape) < 0.2] = -1
V[4] = -1  # a row without an observed entry
V[:, 6] = np.where(V[:, 6] > 0, 0, V[:, 6])  # a column of zeros
BINARY = np.minimum(V, 1).astype(np.int8)
W0, H0 = RNG.gamma(2.0, 0.5, (9, K)), RNG.gamma(2.0, 0.5, (13, K))
PRIOR_W, PRIOR_H, C_W, C_H = (0.8, 1.5), (1.7, 0.4), 0.9, 2.3
FIXED_TIES = dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), FIXED)
both_links = pytest.mark.parametrize("is_binary", [False, True], ids=["counts", "binary"])
CLASSES = "PoissonGammaVB", "PoissonGammaGibbs", "BernoulliPoissonVB", "BernoulliPoissonGibbs"


def scaled_prior(numbers, c, lines, ties=(FIXED, FIXED), n_components=K):
    prior = GammaPrior(*numbers, Ties(*ties), (lines, n_components), Scales(lines, c))
    if c is None:
        prior.scales.prior.shape[:] = 1.3
    return prior


def state_of(values, is_binary=False, ties=(FIXED, FIXED), c=(C_W, C_H)):
    W = FactorPosterior(scaled_prior(PRIOR_W, c[0], len(values), ties), W0.copy())
    H = FactorPosterior(scaled_prior(PRIOR_H, c[1], values.shape[1], ties), H0.copy())
    return VariationalState(Observations(values, is_binary), W, H, chance, True, 0)


def model_of(class_name, **settings):
    length = {"burn_in": 20, "n_samples": 30} if "Gibbs" in class_name else {"max_iter": 120, "relative_gain_tol": 0}
    return getattr(nbmf, class_name)(K, **{"scales": "both", "random_state": 0, **length, **settings})


def values_for(class_name):
    return BINARY if "Bernoulli" in class_name else V


def sparse_of(values):
    places = np.nonzero(values)
    numbers = np.where(values[places] < 0, np.nan, values[places])
    return scipy.sparse.csr_array((numbers, places), values.shape)


def close(found, expected, rtol=1e-11):
    np.testing.assert_allclose(found, expected, rtol=rtol)


# --- Variational Bayes -----------------------------------------------------------------------


@both_links
def test_an_update_is_that_of_the_reference_implementation(is_binary):
    state = state_of(V, is_binary)
    L_W, L_H, E_H = W0, H0.T, H0.T
    q_x, q_y = scale_step(W0, *PRIOR_W, C_W), scale_step(H0, *PRIOR_H, C_H)
    for _ in range(4):
        state.advance(1)
        x, y = q_x[0] * q_x[1], q_y[0] * q_y[1]
        given = (PRIOR_W[0], PRIOR_W[1] / x[:, None]), (PRIOR_H[0], PRIOR_H[1] / y[None])
        q_W, q_H = vb_step(V, L_W, L_H, E_H, *given, is_binary)
        E_W, L_W = mean_and_geometric_mean(*q_W)
        E_H, L_H = mean_and_geometric_mean(*q_H)
        q_x, q_y = scale_step(E_W, *PRIOR_W, C_W), scale_step(E_H.T, *PRIOR_H, C_H)
        for side, q, q_scale in ((state.W, q_W, q_x), (state.H, (q_H[0].T, q_H[1].T), q_y)):
            close(side.alpha, q[0])
            close(side.scale, q[1])
            scales = side.prior.scales
            close(scales.value[:, 0], q_scale[0] * q_scale[1])
            close(np.exp(scales.log[:, 0]), mean_and_geometric_mean(*q_scale)[1])
    found = state.scales()
    close(found["W"], 1 / mean_and_geometric_mean(*q_x)[1])
    close(found["H"], 1 / mean_and_geometric_mean(*q_y)[1])


def test_the_bound_is_that_with_sources_and_scales():
    state = state_of(V)
    state.advance(4)
    q_W, q_H = (state.W.alpha, state.W.scale), (state.H.alpha.T, state.H.scale.T)
    s = sources(V, np.exp(state.W.log_L), np.exp(state.H.log_L).T)
    full = bound_with_sources(V, s, q_W, q_H, PRIOR_W, PRIOR_H)
    for side, q, numbers, c in ((state.W, q_W, PRIOR_W, C_W), (state.H, q_H, PRIOR_H, C_H)):
        own = (q[0], q[1]) if side is state.W else (q[0].T, q[1].T)
        q_x = scale_step(own[0] * own[1], *numbers, c)
        full += divergence(*own, *numbers) - scaled_divergence(own, q_x, *numbers, c)
    assert state.objective() == pytest.approx(full, rel=1e-12)


TIES = [(FIXED, FIXED), (ALL, FIXED), (SOURCE, ALL), (LINE, SOURCE), (FIXED, SOURCE)]


@both_links
@pytest.mark.parametrize("c", [(0.7, 2.0), (None, None)], ids=["given", "learned"])
@pytest.mark.parametrize("ties", TIES, ids="-".join)
def test_no_block_lowers_the_bound(ties, c, is_binary):
    state = state_of(V, is_binary, ties, c)
    data, W, H = Observations(V, is_binary), state.W, state.H
    state.advance(1)
    bounds = [state.objective()]
    for _ in range(6):
        data.pass_both(W.L, H.L, W.S, H.S)
        for side, exposure in ((W, lambda: data.exposure.of_rows(H.E)), (H, lambda: data.exposure.of_columns(W.E))):
            side.update(exposure())
            bounds.append(state.objective())
            side.renew()
            bounds.append(state.objective())
            alpha, scale = side.prior.scales.posterior(side.prior, side.E[:, :K])
            found = side.prior.scales.value, side.prior.scales.log  # follow what was learned
            np.testing.assert_allclose(found, [alpha * scale, digamma(alpha) + np.log(scale)], rtol=1e-13)
            side.prior.scales.update(side.prior, side.E[:, :K])
            bounds.append(state.objective())
    steps = np.diff(bounds)
    assert (steps >= -1e-9 * np.abs(bounds[1:])).all()
    learns = ties != (FIXED, FIXED) or c[0] is None
    assert state.waits == 0
    assert W.learns == H.learns == learns
    assert (np.abs(np.r_[steps[1::6], steps[4::6]]).max() > 1e-6) == learns


@pytest.mark.parametrize(("ties", "c"), [((SOURCE, SOURCE), (0.7, 0.6)), ((FIXED, FIXED), (None, None))])
def test_learned_numbers_are_at_an_optimum(ties, c):
    """A small step of one of them in either direction lowers the bound."""
    state = state_of(V, ties=ties, c=c)
    state.advance(30)
    for _ in range(600):
        state.W.renew()
        state.H.renew()
    best = state.objective()
    for side in (state.W, state.H):
        assert np.ptp(side.prior.scales.value) > (0.3 if c[0] else 1e-3)  # they matter
        of_prior = side.prior.shape, side.prior.mean
        for numbers in of_prior if c[0] else (side.prior.scales.prior.shape,):
            kept = numbers.copy()
            for factor in (0.98, 1.02):
                numbers *= factor
                assert state.objective() < best - 1e-5
                numbers[:] = kept


def exact_evidence(values, of_W, of_H, c, is_binary, draws=400_000):
    """log p(V) and its standard error, by drawing W and H from the prior."""
    rng = np.random.default_rng(0)
    logs = []
    for _ in range(4):
        W, _ = scaled_draws(rng, draws, (values.shape[0], 2), *of_W, c[0])
        H, _ = scaled_draws(rng, draws, (values.shape[1], 2), *of_H, c[1])
        rate = np.einsum("sfk,snk->sfn", W, H)
        if is_binary:
            log_p = np.where(values == 1, np.log(-np.expm1(-rate)), -rate)
        else:
            log_p = poisson.logpmf(values, rate)
        logs.append(np.where(values >= 0, log_p, 0).sum(axis=(1, 2)))
    logs = np.concatenate(logs)
    weights = np.exp(logs - logs.max())
    return logsumexp(logs) - math.log(logs.size), weights.std() / weights.mean() / math.sqrt(logs.size)


@pytest.mark.statistics
@both_links
def test_the_bound_is_below_the_evidence_and_annealing_finds_it(is_binary):
    """Against draws from the prior: annealing within 4.5 of the errors of both, the bound at most 4 nats below."""
    values = np.array([[1, -1, 1], [0, 1, 0]] if is_binary else [[2, -1, 1], [0, 3, 2]], np.int32)
    of_W, of_H, c = (0.9, 1.0), (1.4, 0.8), (1.2, 1.2)
    exact, error = exact_evidence(values, of_W, of_H, c, is_binary)
    numbers = dict(zip(("shape_W", "mean_W", "shape_H", "mean_H"), (*of_W, *of_H), strict=True))
    make = nbmf.BernoulliPoissonVB if is_binary else nbmf.PoissonGammaVB
    model = make(2, **numbers, **FIXED_TIES, scales="both", shape_scales=1.2, random_state=0, max_iter=300)
    below = evidence.bound(model, values, 2)
    assert exact - 5 < below.value < exact + 4 * error
    annealed = evidence.annealed(model, values, temperatures=300, chains=128)
    assert abs(annealed.value - exact) < 4.5 * np.hypot(annealed.error, error)
    assert annealed.error < 0.1
    assert error < 0.03


def test_the_annealed_target_has_scales_integrated_out():
    """p(log w) by the trapezoid rule in log x; its gradient by differences; draws by their moments."""
    prior = scaled_prior((0.9, 0.6), 1.4, 2), scaled_prior((1.2, 2.0), 0.8, 3)
    run = Annealed(np.full((2, 3), -1, np.int32), prior, False, 4000, np.random.default_rng(0))
    logs = [np.log(RNG.gamma(1.0, 1.0, (2, *log.shape[1:]))) for log in run.now]
    log_x = np.linspace(-25, 8, 40_001)
    x = np.exp(log_x)

    def by_grid(tables):
        total = 0.0
        for table, (a, b), c in zip(tables, ((0.9, 0.6), (1.2, 2.0)), (1.4, 0.8), strict=True):
            for w in table:
                log_p = gamma.logpdf(x, c, scale=1 / c) + log_x
                log_p = log_p + sum(gamma.logpdf(each, a, scale=b / a / x) + np.log(each) for each in w)
                total += logsumexp(log_p) + math.log(log_x[1] - log_x[0])
        return total

    found = run.log_target(logs, 1.0)
    expected = [by_grid((np.exp(logs[0][i]), np.exp(logs[1][i]).T)) for i in (0, 1)]
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], rel=1e-9)
    for side, gradient in enumerate(run.gradient(logs, 1.0)):
        for place in itertools.product((0,), *map(range, gradient.shape[1:])):
            moved = [[log.copy() for log in logs] for _ in range(2)]
            moved[0][side][place] -= 1e-5
            moved[1][side][place] += 1e-5
            low, high = (run.log_target(each, 1.0)[0] for each in moved)
            assert gradient[place] == pytest.approx((high - low) / 2e-5, rel=1e-5, abs=1e-8)
    drawn, _ = scaled_draws(np.random.default_rng(1), 4000, (2, K), 0.9, 0.6, 1.4)
    for found, expected in ((run.now[0], np.log(drawn)), (run.now[0].var(axis=2), np.log(drawn).var(axis=2))):
        z = (found.mean() - expected.mean()) / np.sqrt(2 * expected.var() / 4000)
        assert abs(z) < 4.5


# --- Gibbs sampling --------------------------------------------------------------------------


def chain_of(values, is_binary, seed, c=(C_W, C_H), ties=(FIXED, FIXED), of_W=PRIOR_W, of_H=PRIOR_H, n_components=K):
    rng = np.random.default_rng(seed)
    start = tuple(rng.gamma(1.0, 1.0, (lines, n_components)) for lines in values.shape)
    priors = tuple(
        scaled_prior(numbers, shape, lines, ties, n_components)
        for numbers, shape, lines in zip((of_W, of_H), c, values.shape, strict=True)
    )
    return Chain(Observations(values, is_binary), start, priors, np.random.SeedSequence(seed))


def test_the_distribution_of_a_scale_is_the_joint_s():
    """Ratios of p(x | W) against those of p(W | x) p(x), to 1e-10, for tied shapes and means."""
    prior = scaled_prior((1.0, 1.0), 0.7, 5, (LINE, SOURCE))
    prior.shape[:], prior.mean[:] = RNG.gamma(2.0, 1.0, (5, 1)), RNG.gamma(2.0, 1.0, (1, K))
    table = RNG.gamma(1.0, 1.0, (5, K))
    alpha, scale = prior.scales.posterior(prior, table)
    x, y = RNG.gamma(2.0, 1.0, (2, 5, 1))

    def joint(x):
        log_p = gamma.logpdf(table, prior.shape, scale=prior.mean / prior.shape / x).sum(axis=1, keepdims=True)
        return log_p + gamma.logpdf(x, 0.7, scale=1 / 0.7)

    found = gamma.logpdf(x, alpha, scale=scale) - gamma.logpdf(y, alpha, scale=scale)
    close(found, joint(x) - joint(y), 1e-9)


def test_scales_are_drawn_from_their_distribution():
    """4 moments of 20000 rows: z below 4.5."""
    prior = scaled_prior((1.5, 0.7), 0.6, 20_000)
    table = np.broadcast_to([0.3, 2.0, 0.1], (20_000, K))
    prior.scales.draw(prior, table, np.random.default_rng(2))
    x, (alpha, scale) = prior.scales.value[:, 0], prior.scales.posterior(prior, table[:1])
    np.testing.assert_array_equal(prior.scales.log[:, 0], np.log(x))
    law = gamma(alpha[0, 0], scale=scale[0, 0])
    for statistic in (np.log, np.sqrt, lambda x: x, lambda x: x**2):
        exact = law.expect(statistic)
        error = math.sqrt((law.expect(lambda x, f=statistic: f(x) ** 2) - exact**2) / 20_000)
        assert abs(statistic(x).mean() - exact) < 4.5 * error


def test_factors_are_drawn_given_scales():
    chain = chain_of(V, False, 3)
    H_before, x, y = chain.H[:, :K].copy(), *(prior.scales.value.copy() for prior in chain.priors)
    assert np.ptp(x) > 0.1
    chain.sweep()
    observed = (V >= 0).astype(float)
    close(chain.means[0], (PRIOR_W[0] + chain.S_W[:, :K]) / (x * PRIOR_W[0] / PRIOR_W[1] + observed @ H_before))
    exposure = observed.T @ chain.W[:, :K]
    close(chain.means[1], (PRIOR_H[0] + chain.S_H[:, :K]) / (y * PRIOR_H[0] / PRIOR_H[1] + exposure))
    assert (chain.priors[0].scales.value != x).all()


def test_the_log_joint_has_factors_and_scales():
    values = np.array([[3, 0, -1], [1, 2, 0]], np.int32)
    chain = chain_of(values, False, 3)
    chain.sweep()
    W, H, _ = chain.factors()
    expected = poisson.logpmf(values, W @ H)[values >= 0].sum()
    for table, (a, b), c, prior in zip((W, H.T), (PRIOR_W, PRIOR_H), (C_W, C_H), chain.priors, strict=True):
        x = prior.scales.value
        expected += (a * np.log(a * x / b) - gammaln(a) + (a - 1) * np.log(table) - a * x / b * table).sum()
        expected += gamma.logpdf(x, c, scale=1 / c).sum()
    assert chain.log_joint() == pytest.approx(expected, rel=1e-12)


def statistics(W, H, x, y, values):
    """Bounded functions of the joint state, which the order of components does not change."""
    rate = W @ H
    parts = [np.tanh(rate).ravel(), np.tanh(values / 3).ravel()]
    parts += [[np.tanh(each).mean(), np.arctan(np.log(each)).mean()] for each in (W, H, x, y)]
    parts += [[np.tanh(x[0] * W[0, 0]), np.tanh(y[0] * H[0, 0])]]
    return np.concatenate(parts)


@pytest.mark.statistics
@both_links
def test_geweke(is_binary):
    """Draws of V, W, H and scales in turn from their conditionals have the joint law: 22 z's below 5."""
    of_W, of_H, c = (0.8, 1.0), (1.3, 0.7), (1.6, 2.1)
    rng = np.random.default_rng(0)
    shape, steps = (2, 3), 8000

    def draw_values(W, H):
        counts = rng.poisson(np.minimum(W @ H, 1e9))
        return np.minimum(counts, 1) if is_binary else counts

    marginal = []
    for _ in range(steps):
        (W,), (x,) = scaled_draws(rng, 1, (2, 2), *of_W, c[0])
        (H,), (y,) = scaled_draws(rng, 1, (3, 2), *of_H, c[1])
        marginal.append(statistics(W, H.T, x, y, draw_values(W, H.T)))
    marginal = np.array(marginal)
    chain = chain_of(np.zeros(shape, np.int32), is_binary, 4, c, of_W=of_W, of_H=of_H, n_components=2)
    successive = []
    for _ in range(steps):
        W, H, _ = chain.factors()
        values = draw_values(W, H)
        values[rng.random(shape) < 0.2] = -1  # hidden entries are drawn anew each time
        x, y = (prior.scales.value[:, 0] for prior in chain.priors)
        successive.append(statistics(W, H, x, y, np.where(values < 0, draw_values(W, H), values)))
        chain._data = Observations(np.minimum(values, 10**6).astype(np.int32), is_binary)
        chain.sweep()
    batches = np.array([part.mean(axis=0) for part in np.array_split(np.array(successive), 40)])
    error = np.hypot(batches.std(axis=0, ddof=1) / math.sqrt(40), marginal.std(axis=0) / math.sqrt(steps))
    z = (batches.mean(axis=0) - marginal.mean(axis=0)) / error
    assert np.abs(z).max() < 5.0


@pytest.mark.statistics
@pytest.mark.parametrize("ties", [(FIXED, FIXED), (ALL, FIXED), (SOURCE, ALL), (ALL, SOURCE)], ids="-".join)
def test_geweke_of_learned_numbers(ties):
    """The numbers given the factor and the factor given them have the hyperpriors: 8 z's below 5."""
    rng = np.random.default_rng(7)
    size = (6, 2)
    prior = GammaPrior(1.0, 0.8, Ties(*ties), size, Scales(6, None))
    prior.unfold()
    found = []
    for _ in range(6000):
        x = prior.scales.value
        rate = np.broadcast_to(prior.shape / prior.mean, size)
        table = np.maximum(rng.gamma(np.broadcast_to(prior.shape, size), 1.0) / rate / x, 1e-150)
        hyperparameters.draw_all(prior, table, rng)
        c = prior.scales.prior.shape
        rate = np.broadcast_to(prior.shape / prior.mean, size)
        numbers = (np.broadcast_to(prior.shape, size), rate, c, prior.scales.value)
        found.append([f(each).mean() for each in numbers for f in (np.tanh, lambda z: np.arctan(np.log(z)))])
    a, other, c = rng.exponential(1.0, (3, 1_000_000))
    x = np.maximum(rng.gamma(c, 1 / c), 1e-150)
    if ties[0] == FIXED:
        a = np.ones_like(a)
    rate = a / 0.8 if ties[1] == FIXED else other
    exact = np.array([f(each).mean() for each in (a, rate, c, x) for f in (np.tanh, lambda z: np.arctan(np.log(z)))])
    varies = np.std(found, axis=0) > 1e-9
    assert varies[4:].all()
    batches = np.array([part.mean(axis=0) for part in np.array_split(np.array(found), 40)])[:, varies]
    z = (batches.mean(axis=0) - exact[varies]) / (batches.std(axis=0, ddof=1) / math.sqrt(40))
    assert np.abs(z).max() < 5.0


def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits():
    def state():
        chain = chain_of(BINARY, True, 6, (None, None), (ALL, SOURCE))
        return ChainState(chain, Averages(BINARY.shape, K, 30, chance, True, "WH"), 10, chance)

    whole, first, second = state(), state(), state()
    whole.advance(25)
    first.advance(14)
    saved = {name: np.array(value) for name, value in first.snapshot().items()}
    first.advance(3)  # goes its own way
    second.restore(saved)
    second.advance(11)
    for name, value in whole.snapshot().items():
        np.testing.assert_array_equal(value, second.snapshot()[name])
    json.loads(str(saved["random"]))
    assert whole.objective() == second.objective()


def test_scales_are_averaged_over_kept_sweeps():
    chain = chain_of(BINARY, True, 0, (None, 2.0))
    averages, logs, shapes = Averages(BINARY.shape, K, 12, chance, True, "WH"), [], []
    for number in range(1, 13):
        chain.sweep()
        averages.add(chain, number)
        logs.append([-np.log(prior.scales.value[:, 0]) for prior in chain.priors])
        shapes.append(chain.priors[0].scales.prior.shape[0, 0])
    found = averages.scales()
    for factor, of_factor in zip("WH", zip(*logs, strict=True), strict=True):
        close(found[factor], np.exp(np.mean(of_factor, axis=0)))
    close(averages.priors()["shape of scales W"], [np.exp(np.log(shapes).mean())])
    close(averages.priors()["shape of scales H"], [2.0])


# --- Estimators ------------------------------------------------------------------------------

every_class = pytest.mark.parametrize("class_name", CLASSES)


@every_class
def test_sparse_and_dense_matrices_give_the_same(class_name):
    values = values_for(class_name)
    dense, sparse = model_of(class_name).fit(values), model_of(class_name).fit(sparse_of(values))
    for name in ("W_", "H_", "scales_W_", "scales_H_", "shape_of_scales_W_", "shape_of_scales_H_"):
        close(getattr(sparse, name), getattr(dense, name), 1e-6)
    np.testing.assert_allclose(sparse.expectation_, dense.expectation_, rtol=1e-5)
    rows = sparse_of(values[:3])
    np.testing.assert_allclose(dense.transform(rows), dense.transform(values[:3]), rtol=1e-9)


@every_class
def test_scales_are_saved_and_loaded(class_name, tmp_path):
    model = model_of(class_name).fit(values_for(class_name))
    model.save(path := tmp_path / "model.npz")
    loaded = nbmf.load(path)
    assert loaded.scales == "both"
    for name in ("scales_W_", "scales_H_", "shape_of_scales_W_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    rows = values_for(class_name)[:2]
    np.testing.assert_array_equal(loaded.transform(rows), model.transform(rows))
    learned = {name: value for name, value in vars(model).items() if name.endswith("_")} | {
        "expectation_": model.expectation_
    }
    for wrong in (model.scales_W_[1:], -model.scales_W_, None):
        with pytest.raises(DataError, match=r"scales_W_ has to be finite, above 0 and of shape \(9,\)"):
            nbmf.load(path).restore(learned | {"scales_W_": wrong})
    again = model.set_params(scales="rows").fit(values_for(class_name))
    assert hasattr(again, "scales_W_")
    assert not hasattr(again, "scales_H_")  # of an earlier fit
    assert not hasattr(again, "shape_of_scales_H_")


def test_a_file_of_before_there_were_scales_loads(tmp_path):
    model = model_of("BernoulliPoissonVB", scales="none").fit(BINARY)
    model.save(tmp_path / "now.npz")
    with np.load(tmp_path / "now.npz") as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    for name in ("scales", "shape_scales"):
        del about["parameters"][name]
    np.savez(tmp_path / "before.npz", **arrays | {"about": np.array(json.dumps(about))})
    loaded = nbmf.load(tmp_path / "before.npz")
    assert loaded.scales == "none"
    np.testing.assert_array_equal(loaded.transform(BINARY), model.transform(BINARY))


def test_what_is_learned_is_reported():
    model = model_of("BernoulliPoissonGibbs").fit(BINARY)
    assert model.findings["shape_of_scales_W"] == model.shape_of_scales_W_[0] != 1.0
    given = model_of("PoissonGammaVB", shape_scales=1.7, scales="columns").fit(V)
    assert not any("scales" in name for name in given.findings)
    assert given.shape_of_scales_H_[0] == 1.7
    learned = model_of("PoissonGammaVB", scales="columns").fit(V)
    assert learned.findings["shape_of_scales_H"] == learned.shape_of_scales_H_[0]
    assert "shape_of_scales_W" not in learned.findings


@pytest.mark.parametrize("scales", ["rows", "columns", "both", "none"])
def test_fits_start_from_popularity_where_there_are_scales(scales):
    settings = {"mean_W": 1.0, "mean_H": 0.3, "random_state": 5}
    plain = model_of("PoissonGammaVB", scales="none", **settings)
    model = model_of("PoissonGammaVB", scales=scales, **settings)
    data = observations(V, False)
    without = plain._starting_tables(data, (1.0, 0.3), 5)
    found = model._starting_tables(data, (1.0, 0.3), 5)
    observed = V >= 0
    of_entry = (V[observed].sum() + 0.5) / (observed.sum() + 1)
    for axis, (one, other) in enumerate(zip(found, without, strict=True)):
        along = 1 - axis
        totals = np.where(observed, V, 0).sum(axis=along)
        popularity = (totals + 1) / (of_entry * observed.sum(axis=along) + 1)
        is_scaled = scales in ("both", ("rows", "columns")[axis])
        close(one, other * popularity[:, None] if is_scaled else other)


def test_rows_of_any_popularity_have_scales_in_proportion():
    """Rows alike but for their totals: scales follow these."""
    rng = np.random.default_rng(0)
    size = np.geomspace(0.2, 20, 60)
    values = rng.poisson(size[:, None] * rng.gamma(2.0, 0.5, 80))
    settings = {"scales": "rows", "shape_scales": 0.1, "shape_W": 2.0, **FIXED_TIES}
    model = nbmf.PoissonGammaVB(2, **settings, random_state=0, max_iter=300).fit(values)
    slope, _ = np.polyfit(np.log(size), np.log(model.scales_W_), 1)
    assert 0.85 < slope < 1.1


@pytest.mark.parametrize("factor", ["W", "H"])
@pytest.mark.parametrize("tie", [LINE, NONE])
def test_scales_next_to_means_of_each_row_are_refused(tie, factor):
    settings = {f"tie_mean_{factor}": tie, f"tie_shape_{factor}": FIXED}
    with pytest.raises(ConfigError, match=f"tie_mean_{factor} = '{tie}' next to scales = 'both'.* fixed, all and"):
        model_of("PoissonGammaVB", **settings).fit(V)
    other = {"W": "columns", "H": "rows"}[factor]
    model_of("PoissonGammaVB", scales=other, max_iter=2, **settings).fit(V)


@pytest.mark.parametrize(("name", "value"), [("scales", "all"), ("shape_scales", 0.0), ("shape_scales", "learned")])
def test_values_that_are_not_allowed_are_named(name, value):
    with pytest.raises(ConfigError, match=f"{name} = "):
        model_of("BernoulliPoissonVB", **{name: value}).fit(BINARY)


def test_estimates_of_the_evidence_say_what_they_do_not_take():
    fixed = {**FIXED_TIES, "scales": "rows"}
    with pytest.raises(ConfigError, match="shape_scales"):
        evidence.annealed(model_of("PoissonGammaVB", **fixed), V)
    with pytest.raises(ConfigError, match=r"scales = 'rows'.*annealed"):
        evidence.chib(model_of("PoissonGammaGibbs", **fixed, shape_scales=1.0), V)


# --- New rows and columns --------------------------------------------------------------------


@both_links
def test_a_row_is_folded_in_as_the_reference_implementation_does(is_binary):
    E = RNG.gamma(2.0, 1.0, (13, K))
    L = E * RNG.uniform(0.4, 1.0, E.shape)  # a geometric mean is below the mean
    a, b, c = np.array([0.5, 2.0, 1.0]), np.array([1.0, 0.4, 3.0]), 0.7
    values = np.minimum(V, 1) if is_binary else V
    found = fold_in.fold_in(values, E, L, fold_in.FoldInPrior(a, a / b, True, c), is_binary)
    own = mean = np.ones((9, K))
    exposure = (values >= 0).astype(float) @ E
    for _ in range(2000):
        alpha = a + sources(values, own, L.T, is_binary).sum(axis=2)
        x = np.array([(c + a.sum()) / (c + sum(row * a / b)) for row in mean])
        mean, own = mean_and_geometric_mean(alpha, 1 / (x[:, None] * a / b + exposure))
    np.testing.assert_allclose(found, mean, rtol=1e-3, atol=1e-6)
    nothing = fold_in.fold_in(np.full((1, 13), -1), E, L, fold_in.FoldInPrior(a, a / b, True, c), is_binary)
    np.testing.assert_allclose(nothing, [b])


@pytest.mark.parametrize("class_name", ["PoissonGammaVB", "BernoulliPoissonVB"])
def test_a_training_row_folded_in_is_where_the_fit_leaves_it(class_name):
    """Another shape of scales would leave it elsewhere."""
    values = values_for(class_name)
    model = model_of(class_name, max_iter=6000, shape_scales=0.5, **FIXED_TIES).fit(values)
    observed = (values >= 0).any(axis=1)
    np.testing.assert_allclose(model.transform(values)[observed], model.W_[observed], rtol=0.02, atol=2e-3)
    alike = np.isclose(model.transform_columns(values), model.H_, rtol=0.05, atol=5e-3).all(axis=0)
    assert alike.sum() >= 12  # a column of few entries may have two optima
    np.testing.assert_array_equal(model.transform(values[2:3])[0], model.transform(values)[2])  # on its own
    kept = model.shape_of_scales_W_
    model.shape_of_scales_W_ = np.array([50.0])
    assert not np.allclose(model.transform(values)[observed], model.W_[observed], rtol=0.02, atol=2e-3)
    model.shape_of_scales_W_ = kept


def test_a_report_says_what_was_learned_of_the_components_that_it_shows():
    """Components that nothing is in have priors of their own: the mean over all was that of no component."""
    rng = np.random.default_rng(0)
    same = (np.arange(60) % 2)[:, None] == np.arange(50) % 2
    drawn = (rng.random((60, 50)) < np.where(same, 0.4, 0.02)).astype(np.int8)
    found = nbmf.analyze(drawn, method="bernoulli-poisson-vb-scales", n_components=6, check=False)
    model = found.model
    shown = components_of(model, nbmf.BinaryMatrix.of(drawn)).shown
    assert 1 <= len(shown) < 6
    shape = model.findings_of(shown)["shape_W"]
    assert shape == pytest.approx(model.shape_W_[shown].mean())
    assert model.findings["shape_W"] == pytest.approx(model.shape_W_.mean())
    assert f"{shape:.3g}" != f"{model.shape_W_.mean():.3g}"
    assert f"learned: shape_W {shape:.3g}," in str(found)
