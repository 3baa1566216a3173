"""What cells of a Gibbs chain have of their own: sizes of counts, explicit noise."""

import math
import warnings

import ladder
import numpy as np
import pytest
from logistic_models import Twin, scripted
from scipy import stats
from scipy.special import expit

import nbmf
from nbmf.errors import NotConvergedWarning
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import new_columns
from nbmf.families.logistic.cell_likelihoods import Binary, Counts
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.gibbs_cells import Cells, NoisyCells
from nbmf.families.logistic.kernels import entry_passes as kernels
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.families.logistic.quadratic import PolyaGamma
from nbmf.families.logistic.quadratic_counts import CountsOfSize
from nbmf.inference.state import Factors, put_back

SIZES, NOISE = Gamma(5.0, 4.0), Gamma(6.0, 3.0)  # priors with moments
QUANTILES = (np.arange(2000) + 0.5) / 2000


def small_counts(F=5, N=4, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(2.0, (F, N)).astype(np.int32)
    counts[1, 2] = counts[3, 0] = -1
    return counts


def cells_of(likelihood, noise):
    return NoisyCells(likelihood, NOISE) if noise else Cells(likelihood)


def chain_of(cells, K=2, effects="none", prior=None, seed=0, threads=1):
    prior, seed = prior or Prior(False, 1.0, 1.0), np.random.SeedSequence(seed)
    return LogisticChain(cells, K, form.Effects.named(effects), prior, seed, threads)


def twin_of(chain):
    return Twin(
        chain.cells.likelihood.seen,
        chain.rows.factor,
        chain.columns.factor,
        chain.rows.effects,
        chain.columns.effects,
        chain.effects,
        chain.alpha.copy(),
    )


# --- Sizes of counts ---------------------------------------------------------------------------


@pytest.mark.parametrize("r", [0.03, 1.0, 7.5])
def test_each_customer_opens_a_table_with_its_probability(r, monkeypatch):
    """Customer t + 1 does with r / (r + t): boundaries of the uniform numbers by bisection."""
    for customer in range(1, 6):

        def tables(u, customer=customer):
            numbers = iter([0.999999999] * (customer - 1) + [u])
            monkeypatch.setattr(kernels, "uniform", lambda generator: next(numbers))
            return kernels.draw_tables.py_func(None, customer + 1, r)

        low, high = 0.0, 1.0
        assert tables(low) == 2
        assert tables(0.999999999) == 1
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if tables(middle) == 2 else (low, middle)
        assert low == pytest.approx(r / (r + customer), abs=1e-12)
    assert kernels.draw_tables.py_func(None, 0, r) == 0
    assert kernels.draw_tables.py_func(None, 1, r) == 1


def test_sizes_have_the_twins_conditional(monkeypatch):
    """Gamma(a + Σ l, b + Σ log(1 + e^ψ)), and b of the weights and κ after it, to 1e-10."""
    counts = small_counts()
    likelihood = Counts(counts, SIZES)
    cells = Cells(likelihood)
    likelihood.begin(np.random.SeedSequence(1))
    rng = np.random.default_rng(2)
    likelihood.sizes[:] = rng.gamma(2.0, size=4)
    psi, uniforms = 3 * rng.normal(size=cells.psi.size), rng.random(1000)
    given, drawn = iter(uniforms), []

    def gamma(generator, shape):
        drawn.append(shape)
        return 1.0 + shape / 10

    dense = np.full(counts.shape, np.nan)
    dense[likelihood.seen] = psi
    numbers, expected = iter(uniforms), []
    for n, r in enumerate(likelihood.sizes):
        tables, rate = 0, SIZES.rate
        for f in np.flatnonzero(likelihood.seen[:, n]):
            for seated in range(counts[f, n]):
                tables += seated == 0 or next(numbers) < r / (r + seated)
            rate += math.log(1 + math.exp(dense[f, n]))
        shape = SIZES.shape + tables
        expected.append((shape, (1.0 + shape / 10) / rate))
    for name in ("draw_tables", "log_1p_exp", "_draw_size"):
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    monkeypatch.setattr(kernels, "uniform", lambda generator: next(given))
    monkeypatch.setattr(kernels, "standard_gamma", gamma)
    monkeypatch.setattr(kernels, "draw_sizes_serial", kernels.draw_sizes)
    likelihood.learn(psi, cells.by_column, 1)
    np.testing.assert_allclose(drawn, [shape for shape, _ in expected], rtol=1e-12)
    np.testing.assert_allclose(likelihood.sizes, [size for _, size in expected], rtol=1e-10)
    x, r = counts[likelihood.seen], np.broadcast_to(likelihood.sizes, counts.shape)[likelihood.seen]
    np.testing.assert_allclose(likelihood.trials, x + r, rtol=1e-12)
    np.testing.assert_allclose(likelihood.kappa, (x - r) / 2, rtol=1e-12)


def test_no_log_odds_are_too_large_for_their_logarithm():
    for psi in (-800.0, -30.0, -1e-9, 0.0, 2.5, 40.0, 900.0):
        assert kernels.log_1p_exp.py_func(psi) == pytest.approx(np.logaddexp(0, psi), rel=1e-14)


# --- Noise -------------------------------------------------------------------------------------


def test_noisy_log_odds_have_the_twins_conditional(monkeypatch):
    """ω ~ PG(b, ψ), ψ ~ N((τ m + κ) / (ω + τ), 1 / (ω + τ)), then τ, then what factors see."""
    cells = NoisyCells(Counts(small_counts(), SIZES), NOISE)
    chain = chain_of(cells, effects="both")
    chain.sweep(2)
    m, before, tau = twin_of(chain).psi(), cells.psi.copy(), 1 / cells.variance
    rng = np.random.default_rng(4)
    omegas, normals, weights = rng.gamma(1.0, size=before.size), rng.normal(size=before.size), []
    given = iter(omegas), iter(normals)

    def polya_gamma(generator, b, z):
        weights.append((b, z))
        return next(given[0])

    monkeypatch.setattr(cells.likelihood, "learn", lambda *arguments: None)
    monkeypatch.setattr(kernels, "polya_gamma", polya_gamma)
    monkeypatch.setattr(kernels, "standard_normal", lambda generator: next(given[1]))
    monkeypatch.setattr(kernels, "_draw_noisy_block", kernels._draw_noisy_block.py_func)
    monkeypatch.setattr(kernels, "draw_noisy_serial", kernels.draw_noisy)
    monkeypatch.setattr(kernels, "draw_gamma", lambda generator, shape: shape**1.1)
    cells.renew(chain.rows, chain.columns, 1)
    np.testing.assert_allclose(weights, np.column_stack([cells.likelihood.trials, before]), rtol=1e-12)
    center = (tau * m + cells.likelihood.kappa) / (omegas + tau)
    psi = center + normals / np.sqrt(omegas + tau)
    np.testing.assert_allclose(cells.psi, psi, rtol=1e-10)
    shape = NOISE.shape + psi.size / 2
    tau = shape**1.1 / (NOISE.rate + ((psi - m) ** 2).sum() / 2)
    assert 1 / cells.variance == pytest.approx(tau, rel=1e-10)
    np.testing.assert_allclose(cells.omega, tau, rtol=1e-10)
    np.testing.assert_allclose(cells.kappa, tau * psi, rtol=1e-10)
    np.testing.assert_array_equal(cells.kappa_by_column, cells.kappa[cells.by_column.place])


@pytest.mark.parametrize("effects", ["none", "both"])
@pytest.mark.parametrize("noise", [False, True])
def test_factors_see_the_twins_cells(effects, noise, monkeypatch):
    """A sweep of counts: κ = (x - r) / 2 with ω ~ PG(x + r, ψ), or τ ψ with τ."""
    cells = cells_of(Counts(small_counts(), SIZES), noise)
    chain = chain_of(cells, 3, effects, Prior(True, 0.7, 0.3))
    chain.sweep(3)
    twin = twin_of(chain)
    seen, omegas, normals = scripted(monkeypatch)
    cells.renew(chain.rows, chain.columns, 1)
    monkeypatch.setattr(cells, "renew", lambda *arguments: None)
    kappa = np.zeros(cells.likelihood.seen.shape)
    kappa[cells.likelihood.seen] = cells.kappa
    if noise:
        omegas = iter(np.full(cells.psi.size, 1 / cells.variance))
    psi = twin.sweep(kappa, omegas, normals)
    chain.sweep()
    if noise:
        assert not seen
    else:
        expected = np.column_stack([cells.likelihood.trials, psi])
        np.testing.assert_allclose(seen, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(chain.rows.u, twin.U[:, twin.own_U], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(chain.columns.u, twin.V[:, twin.own_V], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("of_counts", "noise"), [(True, False), (False, True), (True, True)])
def test_a_chain_goes_on_from_its_arrays(of_counts, noise):
    """What a checkpoint keeps is enough: the sweeps after it have the same bits."""

    def make():
        codes = (small_counts() > 1).astype(np.int8)
        likelihood = Counts(small_counts(), SIZES) if of_counts else Binary(codes)
        return chain_of(cells_of(likelihood, noise), effects="both", prior=Prior(True, 0.7, 0.3))

    one, other = make(), make()
    one.sweep(4)
    put_back(other.arrays(), {name: array.copy() for name, array in one.arrays().items()})
    one.sweep(3)
    other.sweep(3)
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name])


# --- The joint density, and Geweke's test --------------------------------------------------------


@pytest.mark.parametrize("noise", [False, True])
def test_the_log_joint_is_that_of_the_model(noise):
    """As that of binary cells, with log r and log τ in place of r and τ."""
    likelihood = Counts(small_counts(), SIZES)
    cells = cells_of(likelihood, noise)
    chain = chain_of(cells)
    chain.sweep(3)
    W, H, _ = chain.factors()
    psi = (W @ H)[likelihood.seen]
    expected = stats.norm.logpdf(W).sum() + stats.norm.logpdf(H).sum()
    if noise:
        tau = 1 / cells.variance
        expected += stats.norm.logpdf(cells.psi, psi, tau**-0.5).sum()
        expected += stats.gamma.logpdf(tau, NOISE.shape, scale=1 / NOISE.rate) + math.log(tau)
        psi = cells.psi
    x, r = small_counts()[likelihood.seen], np.broadcast_to(likelihood.sizes, likelihood.seen.shape)[likelihood.seen]
    expected += stats.nbinom.logpmf(x, r, expit(-psi)).sum()
    expected += stats.gamma.logpdf(likelihood.sizes, SIZES.shape, scale=1 / SIZES.rate).sum()
    expected += np.log(likelihood.sizes).sum()
    assert chain.log_joint() == pytest.approx(expected, rel=1e-10)


class Draw:
    """A draw of all there is, from the prior, or from where a chain is."""

    def __init__(self, seen, of_counts, factors, alpha, tau, sizes, psi, rng):
        self.factors, self.alpha, self.tau, self.sizes, self.psi = factors, alpha, tau, sizes, psi
        if of_counts:
            rate = rng.gamma(np.broadcast_to(sizes, seen.shape)[seen]) * np.exp(psi)
            self.x = rng.poisson(rate)
        else:
            self.x = (rng.random(psi.size) < expit(psi)).astype(int)

    def statistics(self):
        """Return functions of it that have variances."""
        W, H, others = self.factors
        x, psi = np.log1p(self.x), self.psi
        of_effects = [
            number
            for name, values in others.items()
            if name in (form.ROWS, form.COLUMNS)
            for number in (values[0], values[0] ** 2, values.mean() ** 2)
        ]
        of_effects += [others[form.INTERCEPT]] if form.INTERCEPT in others else []
        of_effects += [np.log(others[name]) for name in (form.ROW_VARIANCE, form.COLUMN_VARIANCE) if name in others]
        return [
            *of_effects,
            psi[0],
            psi[0] ** 2,
            (psi**2).mean(),
            np.log(self.alpha).sum(),
            (H[0] ** 2).mean(),
            (W**2).mean(),
            math.log(self.tau),
            np.log(self.sizes).sum(),
            self.sizes[0],
            x.mean(),
            (x * psi).mean(),
            x[1],
        ]


def from_prior(seen, of_counts, noise, K, has_effects, rng):
    F, N = seen.shape
    alpha = rng.gamma(4.0, 1 / 3.0, K)
    W, H, others = rng.normal(size=(F, K)), rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None], {}
    if has_effects:
        (s_a, s_b), m = OF_VARIANCE[:, 1] / rng.gamma(OF_VARIANCE[:, 0]), rng.normal() / np.sqrt(2)
        others = {form.ROWS: rng.normal(0.0, np.sqrt(s_a), F), form.COLUMNS: rng.normal(m, np.sqrt(s_b), N)}
        others |= {form.INTERCEPT: m, form.ROW_VARIANCE: s_a, form.COLUMN_VARIANCE: s_b}
    tau = rng.gamma(NOISE.shape) / NOISE.rate if noise else 1.0
    sizes = rng.gamma(SIZES.shape, size=N) / SIZES.rate if of_counts else np.ones(N)
    factors = Factors(W, H, others)
    psi = form.psi_of(factors)[seen]
    psi = psi + rng.normal(size=psi.size) / math.sqrt(tau) if noise else psi
    return Draw(seen, of_counts, factors, alpha, tau, sizes, psi, rng)


OF_VARIANCE = np.array([[8.0, 2.0], [9.0, 3.0]])  # shapes and rates, of row and of column effects


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("of_counts", "noise", "has_effects"),
    [(True, False, False), (False, True, False), (True, True, False), (True, False, True)],
)
def test_geweke(of_counts, noise, has_effects):
    """Everything drawn by the sampler in turn with the data has its prior likelihood: effects and their law, too."""
    rng = np.random.default_rng(13)
    F, N, K = 4, 3, 2
    seen = np.ones((F, N), bool)
    seen[0, 1] = seen[2, 2] = False
    draws = (from_prior(seen, of_counts, noise, K, has_effects, rng) for _ in range(20_000))
    independent = np.array([draw.statistics() for draw in draws])
    start = np.where(seen, 1, -1).astype(np.int32)
    likelihood = Counts(start, SIZES) if of_counts else Binary(start.astype(np.int8))
    cells = cells_of(likelihood, noise)
    effects, scale = ("both", "learned") if has_effects else ("none", 1.0)
    chain = chain_of(cells, K, effects, prior=Prior(True, 4.0, 3.0, scale), seed=7)
    if has_effects:
        chain.effect_hyperparameters.priors[:] = *OF_VARIANCE, (0.5, 0.0)
    series = []
    for _ in range(25_000):
        chain.sweep()
        factors = chain.factors()
        psi = cells.psi.copy() if noise else form.psi_of(factors)[seen]
        tau, sizes = 1 / cells.variance if noise else 1.0, getattr(likelihood, "sizes", np.ones(N))
        draw = Draw(seen, of_counts, factors, chain.alpha.copy(), tau, sizes.copy(), psi, rng)
        if of_counts:
            likelihood._x[:] = draw.x
        else:
            likelihood.kappa[:] = draw.x - 0.5
            cells.update_columns()
        series.append(draw.statistics())
    found, error = ladder.batch_means(np.array(series)[500:])
    moves = independent.std(axis=0) > 0
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))[moves]
    p = ladder.means_p(found[moves], error, independent.mean(axis=0)[moves])
    assert p > ladder.FALSE_ALARM


@pytest.mark.parametrize("variance", [0.0, 0.7])
def test_means_are_over_the_noise(variance):
    """E σ(ψ + ε) and r E e^(ψ + ε) = r e^(ψ + 1/2τ), by Gauss-Hermite quadrature."""
    rng = np.random.default_rng(5)
    psi, (nodes, weights) = rng.normal(size=(5, 4)), np.polynomial.hermite_e.hermegauss(60)
    noisy = psi[..., None] + math.sqrt(variance) * nodes
    counts, binary = Counts(small_counts(), SIZES), Binary(np.ones((5, 4), np.int8))
    counts.sizes[:] = rng.gamma(2.0, size=4)
    expected = (np.exp(noisy) @ weights) / weights.sum() * counts.sizes
    np.testing.assert_allclose(counts.mean(psi, variance, slice(None)), expected, rtol=1e-8)
    single = counts.mean(psi[[0, 2], [1, 3]], variance, np.array([1, 3]))
    np.testing.assert_allclose(single, expected[[0, 2], [1, 3]], rtol=1e-8)
    expected = (expit(noisy) @ weights) / weights.sum()
    np.testing.assert_allclose(binary.mean(psi, variance, slice(None)), expected, atol=1e-7)


# --- The estimators --------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [False, True])
def test_means_along_a_chain_are_over_its_noise(noise):
    codes = (small_counts() > 1).astype(np.int8)
    chain = chain_of(cells_of(Binary(codes), noise), effects="both")
    chain.sweep(3)
    room, psi_sum, mean_sum = (np.zeros(codes.shape) for _ in range(3))
    chain.add_means(room, psi_sum, mean_sum)
    psi = form.psi_of(chain.factors())
    z = stats.norm.ppf(QUANTILES)[:, None, None] * np.sqrt(chain.cells.variance)
    np.testing.assert_allclose(psi_sum, psi, rtol=1e-10)
    np.testing.assert_allclose(mean_sum, expit(psi + z).mean(axis=0), rtol=2e-3, atol=1e-4)
    assert (np.abs(mean_sum - expit(psi)).max() > 0.01) == noise


def votes_with_noise(F=60, N=40, seed=2):
    rng = np.random.default_rng(seed)
    psi = 1.5 * rng.normal(size=(F, 1)) @ rng.normal(size=(1, N)) + rng.normal(size=(F, N))
    return (rng.random(psi.shape) < expit(psi)).astype(int)


def counts_of_rank_two(F=60, N=20, seed=3):
    rng = np.random.default_rng(seed)
    psi = 0.6 * rng.normal(size=(F, 2)) @ rng.normal(size=(2, N))
    r = rng.gamma(5.0, size=N)
    return rng.poisson(rng.gamma(np.broadcast_to(r, psi.shape)) * np.exp(psi)), r * np.exp(psi)


def brief(name, **settings):
    given = {"n_components": 2, "burn_in": 100, "n_samples": 200, "random_state": 1}
    return getattr(nbmf, name)(**(given | settings))


@pytest.mark.parametrize(
    ("name", "settings", "values"),
    [
        ("NegativeBinomialFactorGibbs", {"effects": "both"}, counts_of_rank_two()[0]),
        ("LogisticFactorGibbs", {"noise": True}, votes_with_noise()),
        ("NegativeBinomialFactorGibbs", {"noise": True}, counts_of_rank_two()[0]),
    ],
)
def test_any_number_of_threads_gives_the_same_bits(name, settings, values):
    one, two = (brief(name, threads=n, n_samples=20, **settings).fit(values) for n in (1, 2))
    for attribute in ("W_", "H_", "expectation_", "precisions_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(two, attribute))


def test_counts_are_found_as_well_as_by_variational_inference():
    values, truth = counts_of_rank_two()
    model = brief("NegativeBinomialFactorGibbs").fit(values)
    errors = {
        "Gibbs": np.abs(model.expectation_ - truth).mean(),
        "VB": np.abs(nbmf.NegativeBinomialFactorVB(2, random_state=1).fit(values).expectation_ - truth).mean(),
        "means of columns": np.abs(values.mean(axis=0) - truth).mean(),
    }
    assert errors["Gibbs"] < 1.1 * errors["VB"] < 0.6 * errors["means of columns"]
    assert model.sizes_.shape == (20,)
    assert model.deviations_.min() > 0
    new = model.predict_rows(values[:10])
    assert np.corrcoef(np.log(new.ravel()), np.log(model.expectation_[:10].ravel()))[0, 1] > 0.95


def test_moments_and_sizes_are_means_along_the_chain():
    values = counts_of_rank_two()[0]
    model = brief("NegativeBinomialFactorGibbs", burn_in=5, n_samples=12).fit(values)
    chain = chain_of(Cells(Counts(values.astype(np.int32), Gamma(1.0, 1.0))), prior=Prior(True, 0.001, 0.001), seed=1)
    chain.sweep(5)
    psi, sizes, mean = [], [], []
    for _ in range(12):
        chain.sweep()
        psi.append(form.psi_of(chain.factors()))
        sizes.append(chain.cells.likelihood.sizes.copy())
        mean.append(sizes[-1] * np.exp(psi[-1]))
    np.testing.assert_allclose(model.sizes_, np.mean(sizes, axis=0), rtol=1e-10)
    np.testing.assert_allclose(model.log_odds_, np.mean(psi, axis=0), rtol=1e-8)
    np.testing.assert_allclose(model.deviations_, np.std(psi, axis=0), rtol=1e-6)
    np.testing.assert_allclose(model.expectation_, np.mean(mean, axis=0), rtol=1e-8)


def check_new_cells(model, inner):
    """h and w of new lines are what q(ψ with noise), where it stands still with the 1/τ of the fit, leaves of ψ."""
    variance, seen = float(model.noise_variance_), inner.seen
    assert model.with_noise(inner).added_variance() == pytest.approx(variance)
    psi = np.random.default_rng(0).normal(size=seen.shape)
    h, w = model._weights(inner.values, psi, psi**2 + 0.3)
    mean, spread = np.zeros(psi.shape), np.ones(psi.shape)
    for _ in range(300):
        inner.refresh(mean, mean**2 + spread)
        spread = 1 / (inner.w + 1 / variance)
        mean = (psi / variance + inner.h) * spread
    np.testing.assert_allclose((h - w * psi)[seen], ((mean - psi) / variance)[seen], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(1 / w[seen], (1 / inner.w + variance)[seen], rtol=1e-4)
    assert (h[~seen] == 0).all()
    assert (w[~seen] == 0).all()


@pytest.mark.parametrize("variance", [1e-8, 1e-3, 0.3])
def test_new_rows_with_noise_stand_still_however_little_it_is(variance):
    """At the equations of q(b) q(ψ with noise), and next to rows without noise where there is hardly any."""
    values = votes_with_noise()
    plain, noisy = (
        nbmf.LogisticFactorVB(1, effects="columns", noise=noise, max_iter=60, random_state=1).fit(values)
        for noise in (False, True)
    )
    new = values[:5]
    noisy.W_, noisy.H_, noisy.column_effects_ = plain.W_, plain.H_, plain.column_effects_
    noisy.noise_variance_ = np.array(variance)
    W, likelihood = noisy.transform(new), noisy.with_noise(PolyaGamma(new))
    psi = noisy.column_effects_ + W @ noisy.H_
    for _ in range(300):
        likelihood.refresh(psi, psi**2)
    np.testing.assert_allclose(W, ((likelihood.h - likelihood.w * psi) @ noisy.H_.T), atol=max(1e-5, 1e-13 / variance))
    if variance == 1e-8:
        np.testing.assert_allclose(W, plain.transform(new), atol=0.05)


def test_noise_is_found_and_predicted_with(tmp_path):
    """Of ψ with noise, E σ(ψ + ε) is nearer to 1/2 than σ(ψ)."""
    values = votes_with_noise()
    model = brief("LogisticFactorGibbs", n_components=1, noise=True, a0=2.0, b0=2.0, burn_in=300, n_samples=600).fit(
        values
    )
    assert 0.2 < model.noise_variance_ < 4
    psi = form.psi_of(model.factors_)
    inside = np.abs(model.mean(model.factors_) - 0.5) <= np.abs(expit(psi) - 0.5) + 1e-12
    assert inside.all()
    check_new_cells(model, PolyaGamma(values))
    model.save(tmp_path / "noisy.npz")
    again = nbmf.load(tmp_path / "noisy.npz")
    np.testing.assert_array_equal(again.predict_rows(values[:3]), model.predict_rows(values[:3]))
    assert float(brief("LogisticFactorGibbs", n_samples=5).fit(values).noise_variance_) == 0.0


@pytest.mark.parametrize("name", ["NegativeBinomialFactorVB", "NegativeBinomialFactorGibbs"])
def test_noise_of_counts_is_in_their_predictions(name):
    """E s e^(ψ + ε) = s e^(ψ + 1/2τ), and the law of an entry is a mixture over ε."""
    values = counts_of_rank_two()[0]
    settings = {"burn_in": 50, "n_samples": 50} if name.endswith("Gibbs") else {"max_iter": 100}
    make = getattr(nbmf, name)
    model = make(2, noise=True, a0=2.0, b0=1.0, effects="columns", random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        model.fit(values)
    variance = float(model.noise_variance_)
    assert variance > 0
    assert (model.deviations_**2 >= variance * (1 - 1e-12)).all()
    factors = model.factors_
    psi = form.psi_of(factors)
    expected = model.sizes_ * np.exp(psi + variance / 2)
    np.testing.assert_allclose(model.mean(factors), expected, rtol=1e-10)
    rows, columns = np.arange(20), np.arange(20)
    means, sizes = model.predictive_of(factors, rows, columns)
    np.testing.assert_allclose(means.mean(axis=0), expected[rows, columns], rtol=0.15)
    np.testing.assert_allclose(np.log(means).mean(axis=0), (psi + np.log(model.sizes_))[rows, rows])
    z = stats.norm.ppf((np.arange(32) + 0.5) / 32)
    np.testing.assert_allclose(np.log(means).std(axis=0), np.sqrt(variance) * z.std())
    np.testing.assert_array_equal(sizes, model.sizes_)
    check_new_cells(model, CountsOfSize(values, model.sizes_))
    for new, fitted in (
        (model.predict_rows(values[:10]), model.expectation_[:10]),
        (model.predict_columns(values[:, :10]), model.expectation_[:, :10]),
    ):
        assert np.corrcoef(np.log(new).ravel(), np.log(fitted).ravel())[0, 1] > 0.85


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["LogisticFactorGibbs", "NegativeBinomialFactorGibbs"])
@pytest.mark.filterwarnings("ignore::nbmf.errors.ChainsNotConvergedWarning")
def test_a_sweep_predicts_with_its_own_noise(name):
    """Chains look at the mean of every sweep, before the fit has a noise of its own."""
    binary = name == "LogisticFactorGibbs"
    values = votes_with_noise(30, 12) if binary else counts_of_rank_two(30, 12)[0]
    model = brief(name, n_components=2, noise=True, a0=2.0, b0=2.0, effects="both", random_state=0)
    chains = nbmf.run_chains(model, values, chains=2, n_draws=6)
    factors = model.fit(values).factors_
    psi = form.psi_of(factors)
    sizes = 1.0 if binary else factors.others[form.SIZES]
    for variance in (0.1, 3.0):
        own = factors._replace(others=dict(factors.others) | {form.NOISE: np.array(variance)})
        z = stats.norm(0.0, np.sqrt(variance)).ppf(QUANTILES)[:, None, None]
        mean = expit(psi + z).mean(axis=0) if binary else sizes * np.exp(psi + variance / 2)
        np.testing.assert_allclose(model.mean(own), mean, rtol=2e-3, atol=1e-4)
        np.testing.assert_allclose(model.mean_at(own, [3, 5], [1, 7]), mean[[3, 5], [1, 7]], rtol=2e-3, atol=1e-4)
    assert np.isfinite(chains.expectation).all()
    assert chains.draws is not None


def test_new_columns_with_noise_stand_still_however_little_it_is(monkeypatch):
    """Sizes, factors and effects of new columns are those of ten times the rounds."""
    values = np.random.default_rng(0).poisson(2.0, (40, 12))
    model = nbmf.NegativeBinomialFactorVB(1, noise=True, effects="columns", max_iter=50, random_state=0).fit(values)
    model.noise_variance_ = np.array(0.01)
    found = []
    for rounds in (new_columns.ROUNDS, 10 * new_columns.ROUNDS):
        monkeypatch.setattr(new_columns, "ROUNDS", rounds)
        factors = model._factors_of_columns(values[:, :3])
        found.append([factors.H.ravel(), factors.others["column effects"], np.log(factors.others["sizes"])])
    np.testing.assert_allclose(*found, atol=2e-3)
