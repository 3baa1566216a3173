"""LogisticFactorGibbs: every number of a sweep, exact posteriors, Geweke's test, fold-in."""

import itertools

import ladder
import numpy as np
import pytest
from logistic_models import Twin, scripted
from relevance_twin import KERNELS, relevance_twin
from scipy import stats
from scipy.special import expit, gammaln

import nbmf
from nbmf.errors import ConfigError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.gibbs_cells import CellLists, Cells
from nbmf.families.logistic.gibbs_state import GibbsState
from nbmf.families.logistic.kernels import gibbs as kernels
from nbmf.families.logistic.kernels import relevance
from nbmf.families.logistic.logistic_fold_in import regress_rows
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI

EFFECTS = ("none", "rows", "columns", "both")
FIXED = Prior(False, 1.0, 1.0)
TINY = np.array([[1, 0], [1, -1], [0, 0]], np.int8)


def chain_of(codes, K, effects="none", prior=FIXED, seed=0, threads=1):
    seed = np.random.SeedSequence(seed)
    return LogisticChain(Cells(Binary(codes)), K, form.Effects.named(effects), prior, seed, threads)


def random_codes(F, N, seed=0, p_missing=0.2):
    return ladder.large_matrix(F, N, p_missing, np.random.default_rng(seed), empty_row=1, empty_column=2)


# --- Every number of a sweep ------------------------------------------------------------------


@pytest.mark.parametrize("effects", EFFECTS)
@pytest.mark.parametrize("K", [0, 1, 4])
@pytest.mark.parametrize("ard", [True, False])
@pytest.mark.parametrize("has_law", [True, False])
def test_every_number_of_a_sweep_is_the_twins(effects, K, ard, has_law, monkeypatch):
    """Two sweeps: each ψ that a weight is drawn at, and each mean and covariance, to 1e-10."""
    if K == 0 and effects == "none":
        return
    codes, priors = random_codes(7, 6), ((0, 100), (0, 100))
    chain = chain_of(codes, K, effects, Prior(ard, 0.7, 0.3))
    chain.sweep(3)
    if has_law:
        used = form.Effects.named(effects)
        chain.effect_hyperparameters.values[:] = 0.4 * used.rows, 2.5 * used.columns, -1.2
        priors = (0 if used.columns else -1.2, 0.4), (-1.2, 2.5)
    twin = Twin(
        codes >= 0,
        chain.rows.factor,
        chain.columns.factor,
        chain.rows.effects,
        chain.columns.effects,
        chain.effects,
        chain.alpha.copy(),
        priors,
    )
    seen, *given = scripted(monkeypatch)
    for _ in range(2):
        seen.clear()
        expected = twin.sweep(codes - 0.5, *given)
        chain.sweep()
        trials, psi = np.transpose(seen)
        np.testing.assert_array_equal(trials, 1.0)
        np.testing.assert_allclose(psi, expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(chain.rows.u, twin.U[:, twin.own_U], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(chain.columns.u, twin.V[:, twin.own_V], rtol=1e-10, atol=1e-12)


def test_compiled_conditionals_are_the_formula():
    """P and b of lines with any number of cells modulo four, D up to 16."""
    rng = np.random.default_rng(1)
    for D, cells in itertools.product((1, 5, 16), (0, 1, 3, 4, 11)):
        design, offset = rng.normal(size=(20, D)), rng.normal(size=20)
        index = rng.choice(20, cells, replace=False).astype(np.uint32)
        place = rng.permutation(cells).astype(np.uint32)
        kappa, omega = rng.choice([-0.5, 0.5], cells), rng.gamma(1.0, size=cells)
        packed = np.empty((20, D * (D + 1) // 2))
        kernels.pack_products(design, packed)
        P, b = np.zeros(packed.shape[1]), np.zeros(D)
        lists = CellLists(np.array([0, 1]), np.array([0, cells]), index, place)
        kernels.add_cells(0, lists, kappa, omega, kernels.Design(design, packed, offset), P, b)
        x, w = design[index], omega[place]
        a, c = np.triu_indices(D)
        np.testing.assert_allclose(P, (x.T @ (w[:, None] * x))[a, c], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(b, x.T @ (kappa - w * offset[index]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("effects", EFFECTS)
def test_scales_have_the_log_likelihood_of_scaled_factors(effects):
    """Given ω: Σ κ ψ - ω ψ² / 2 with V c in place of V, to 1e-10, missing cells left out."""
    codes = random_codes(9, 8)
    chain = chain_of(codes, 3, effects)
    chain.sweep(2)
    g, G = chain.columns.scales()
    omega = np.zeros(codes.shape)
    omega[codes >= 0] = chain.cells.omega
    kappa = np.where(codes >= 0, codes - 0.5, 0.0)

    def log_likelihood(c):
        factors = chain.factors()
        psi = form.psi_of(factors._replace(H=factors.H * c[:, None]))
        return (kappa * psi - omega * psi**2 / 2).sum()

    rng = np.random.default_rng(2)
    for c in rng.normal(1, 1, (4, 3)):
        exact = log_likelihood(c) - log_likelihood(np.zeros(3))
        assert g @ c - c @ G @ c / 2 == pytest.approx(exact, rel=1e-10)


def test_relevance_is_the_twins(monkeypatch):
    """Scales, angles and precisions on given uniform numbers, to 1e-10."""
    rng = np.random.default_rng(9)
    uniforms = rng.random(5000)
    given = iter(uniforms)
    for name in KERNELS:
        monkeypatch.setattr(relevance, name, getattr(relevance, name).py_func)
    monkeypatch.setattr(relevance, "uniform", lambda generator: next(given))
    monkeypatch.setattr(relevance, "standard_gamma", lambda generator, shape: 1.1 * shape**1.01)
    gammas = itertools.repeat(lambda shape: 1.1 * shape**1.01)
    # Where neither data nor prior say much an interval ends at the limit of its steps.
    for K, size, *prior in ((1, 1.0, 0.7, 0.3), (3, 1.0, 0.7, 0.3), (4, 1.0, 0.7, 0.3), (2, 1e-9, 1e-3, 1e-3)):
        U, V, L = rng.normal(size=(6, K)), rng.normal(size=(5, K + 1)), rng.normal(size=(K, K))
        effects, g, G = V[:, K].copy(), size * 5 * rng.normal(size=K), size**2 * L @ L.T
        given = iter(uniforms)
        alpha = rng.gamma(2.0, size=K)
        twin = relevance_twin(iter(uniforms), gammas, U, V[:, :K], g, G, *prior, alpha)[:3]
        relevance.draw_relevance.py_func(None, U, V, g, G, *prior, alpha)
        for found, expected in zip((U, V[:, :K], alpha), twin, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(V[:, K], effects)


def test_what_scales_and_angles_are_drawn_from_is_the_density_of_the_model():
    """A slice tells densities apart by yes or no: here they are compared as numbers."""
    rng = np.random.default_rng(10)
    a0, b0, alpha, (slope, curvature) = 0.7, 0.3, 1.3, rng.normal(size=2)
    V = rng.normal(size=(5, 2))
    gram, shape = V.T @ V, a0 + 5 / 2
    for c in (0.2, 1.0, 3.0):
        new = alpha / c**2
        expected = stats.gamma.logpdf(new, a0, scale=1 / b0) + np.log(new)  # of log α
        expected += c * slope - c**2 * curvature / 2 - a0 * np.log(b0) + gammaln(a0)
        found = relevance.log_density_of_scale.py_func(c, slope, curvature, alpha, a0, b0)
        assert found == pytest.approx(expected, rel=1e-12)
        cos, sin = np.cos(c), np.sin(c)
        squares = ((V @ [[cos, -sin], [sin, cos]]) ** 2).sum(axis=0)
        sums = gram[0, 0], gram[1, 1], gram[0, 1]
        found = relevance.log_density_of_angle.py_func(c, *sums, shape, b0)
        assert found == pytest.approx(-shape * np.log(b0 + squares / 2).sum(), rel=1e-12)


def test_sums_of_means():
    codes = random_codes(9, 12)
    chain = chain_of(codes, 3, "both")
    chain.sweep(2)
    psi, psi_sum, mean_sum = np.empty((9, 12)), np.ones((9, 12)), np.ones((9, 12))
    chain.add_means(psi, psi_sum, mean_sum)
    expected = form.psi_of(chain.factors())
    np.testing.assert_allclose(psi_sum - 1, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mean_sum - 1, expit(expected), rtol=1e-12, atol=1e-14)


def test_the_log_joint_is_that_of_the_model():
    """In the coordinates U, V √α, log α: the Jacobian of V is α^(-N/2), of α it is α."""
    codes, prior = random_codes(6, 5), Prior(True, 1.3, 0.8)
    chain = chain_of(codes, 2, "both", prior)
    chain.sweep(2)
    factors = chain.factors()
    p = expit(form.psi_of(factors))
    log_joint = np.log(np.where(codes == 1, p, 1 - p))[codes >= 0].sum()
    log_joint += stats.norm.logpdf(factors.W).sum()
    log_joint += sum(stats.norm.logpdf(e, scale=10).sum() for e in factors.others.values())
    alpha = chain.alpha
    log_joint += stats.norm.logpdf(factors.H, scale=alpha[:, None] ** -0.5).sum()
    log_joint += stats.gamma.logpdf(alpha, 1.3, scale=1 / 0.8).sum()
    log_joint += (1 - 5 / 2) * np.log(alpha).sum()
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-9)


@pytest.mark.parametrize("effects", ["rows", "columns", "both"])
def test_the_log_joint_has_the_distribution_of_effects(effects):
    """Next to the effects the log density of m and of the logarithms of their variances."""
    codes, prior = random_codes(6, 5), FIXED._replace(effect_scale="learned")
    chain = chain_of(codes, 2, effects, prior)
    chain.sweep(2)
    factors, law = chain.factors(), chain.effect_hyperparameters.values
    p = expit(form.psi_of(factors))
    log_joint = np.log(np.where(codes == 1, p, 1 - p))[codes >= 0].sum()
    log_joint += stats.norm.logpdf(factors.W).sum() + stats.norm.logpdf(factors.H).sum()
    log_joint += stats.norm.logpdf(law[2], 0, 3)
    for place, name in enumerate((form.ROWS, form.COLUMNS)):
        if name in factors.others:
            mean = 0 if name == form.ROWS and effects == "both" else law[2]
            log_joint += stats.norm.logpdf(factors.others[name], mean, np.sqrt(law[place])).sum()
            log_joint += stats.invgamma.logpdf(law[place], 0.5, scale=0.125) + np.log(law[place])
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-9)
    assert factors.others[form.INTERCEPT] == law[2]


# --- Exact posteriors ------------------------------------------------------------------------


def exact_tiny():
    """Return log evidence and E σ(ψ) of TINY, K = 1, α = 1: rows are independent given (v1, v2)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(90)
    weights = weights / weights.sum()
    p = expit(np.multiply.outer(nodes, nodes))  # at u, v
    one, zero = p, 1 - p
    # Of each row, over (v1, v2): its evidence, and that times σ(u v1) or σ(u v2).
    likelihood = {1: one, 0: zero, -1: np.ones_like(p)}
    evidence, with_p = [], []
    for row in TINY:
        cells = likelihood[row[0]][:, :, None] * likelihood[row[1]][:, None, :]
        evidence.append(np.einsum("u,uab->ab", weights, cells))
        with_p.append([np.einsum("u,uab,ua->ab", weights, cells, p), np.einsum("u,uab,ub->ab", weights, cells, p)])
    prior = np.multiply.outer(weights, weights)
    total = prior * np.prod(evidence, axis=0)
    means = [[(total / evidence[i] * with_p[i][j]).sum() for j in range(2)] for i in range(3)]
    return np.log(total.sum()), np.array(means) / total.sum()


def test_the_exact_posterior_of_three_rows():
    log_evidence, means = exact_tiny()
    assert log_evidence == pytest.approx(-3.4831127, abs=1e-7)
    expected = [[0.558513, 0.441487], [0.565057, 0.5], [0.441487, 0.441487]]
    np.testing.assert_allclose(means, expected, atol=1e-6)
    chain = chain_of(TINY, 1, seed=4)
    chain.sweep(100)
    sigma = []
    for _ in range(60_000):
        chain.sweep()
        sigma.append(expit(form.psi_of(chain.factors())))
    found, error = ladder.batch_means(np.array(sigma))
    assert error.max() < 2e-3
    assert ladder.means_p(found, error, means) > ladder.FALSE_ALARM


def test_flipped_and_permuted_data_have_the_flipped_and_permuted_posterior():
    _, means = exact_tiny()
    rows, columns = [2, 0, 1], [1, 0]
    codes = np.where(TINY >= 0, 1 - TINY, -1)[rows][:, columns].astype(np.int8)
    chain = chain_of(codes, 1, seed=5)
    sigma = []
    for _ in range(30_000):
        chain.sweep()
        sigma.append(expit(form.psi_of(chain.factors())))
    found, error = ladder.batch_means(np.array(sigma))
    assert ladder.means_p(found, error, 1 - means[rows][:, columns]) > ladder.FALSE_ALARM


def test_the_exact_posterior_of_a_rasch_model():
    """K = 0 with both effects of scale 2, by quadrature over columns and rows."""
    codes = np.array([[1, 0], [-1, 1], [1, 1]], np.int8)
    grid = np.linspace(-16, 16, 161)
    prior = stats.norm.pdf(grid, scale=2.0)
    prior /= prior.sum()
    p = expit(np.add.outer(grid, grid))  # at r, c
    likelihood = {1: p, 0: 1 - p, -1: np.ones_like(p)}
    evidence, with_p = [], []
    for row in codes:
        cells = likelihood[row[0]][:, :, None] * likelihood[row[1]][:, None, :]
        evidence.append(np.einsum("r,rab->ab", prior, cells))
        with_p.append([np.einsum("r,rab,ra->ab", prior, cells, p), np.einsum("r,rab,rb->ab", prior, cells, p)])
    total = np.multiply.outer(prior, prior) * np.prod(evidence, axis=0)
    means = np.array([[(total / evidence[i] * with_p[i][j]).sum() for j in range(2)] for i in range(3)]) / total.sum()
    chain = chain_of(codes, 0, "both", FIXED._replace(effect_scale=2.0), seed=6)
    chain.sweep(100)
    sigma = []
    for _ in range(40_000):
        chain.sweep()
        sigma.append(expit(form.psi_of(chain.factors())))
    found, error = ladder.batch_means(np.array(sigma))
    assert error.max() < 5e-3
    assert ladder.means_p(found, error, means) > ladder.FALSE_ALARM


# --- Geweke's joint-distribution test ----------------------------------------------------------


def statistics(W, H, alpha, others, V, observed):
    psi = form.psi_of(Factors(W, H, others))
    found = [
        psi[0, 0],
        psi[0, 0] ** 2,
        psi[1, 2],
        (psi**2).mean(),
        np.log(alpha).sum(),
        (H[0] ** 2).mean(),
        (W**2).mean(),
        V[observed].mean(),
        (psi * (V - 0.5))[observed].mean(),
    ]
    for name, effects in others.items():
        if np.ndim(effects):
            found += [effects[0], effects[0] ** 2, effects.mean() ** 2]
        elif name == form.INTERCEPT:
            found += [effects, effects**2]
        else:
            found.append(np.log(effects))
    return found


OF_VARIANCE = np.array([[5.0, 3.0], [6.0, 4.0]])  # shapes and rates, of row and of column effects


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("effects", "ard", "scale"),
    [
        ("none", False, 2**-0.5),
        ("none", True, 2**-0.5),
        ("both", True, 2**-0.5),
        ("rows", True, "learned"),
        ("columns", False, "learned"),
        ("both", True, "learned"),
    ],
)
def test_geweke(effects, ard, scale):
    """Draws of (U, V, α, effects and their law, data) by the sampler in turn with the data have their prior law.

    With α ~ Gamma(4, rate 3), learned variances ~ IG as above, m ~ N(0, 0.5); one cell in six is missing.
    """
    rng = np.random.default_rng(12)
    F, N, K, prior, is_learned = 4, 3, 2, Prior(ard, 4.0, 3.0, scale), scale == "learned"
    codes = np.ones((F, N), np.int8)
    codes[0, 1] = codes[2, 2] = -1
    observed = codes >= 0
    used = form.Effects.named(effects)

    def from_prior():
        alpha = rng.gamma(4.0, 1 / 3.0, K) if ard else np.ones(K)
        W, H = rng.normal(size=(F, K)), rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None]
        others, (s_a, s_b), m = {}, (0.5, 0.5), 0.0
        if is_learned:
            (s_a, s_b), m = OF_VARIANCE[:, 1] / rng.gamma(OF_VARIANCE[:, 0]), rng.normal() / np.sqrt(2)
        if used.rows:
            others = {form.ROWS: rng.normal(0.0 if used.columns else m, np.sqrt(s_a), F)}
        if used.columns:
            others[form.COLUMNS] = rng.normal(m, np.sqrt(s_b), N)
        if is_learned:
            others |= {form.INTERCEPT: m}
            others |= {form.ROW_VARIANCE: s_a} if used.rows else {}
            others |= {form.COLUMN_VARIANCE: s_b} if used.columns else {}
        V = (rng.random((F, N)) < expit(form.psi_of(Factors(W, H, others)))).astype(float)
        return statistics(W, H, alpha, others, V, observed)

    independent = np.array([from_prior() for _ in range(30_000)])
    chain = chain_of(codes, K, effects, prior, seed=7)
    if is_learned:
        chain.effect_hyperparameters.priors[:] = *(OF_VARIANCE * np.transpose([used])), (0.5, 0.0)
    series = []
    for _ in range(40_000):
        chain.sweep()
        factors = chain.factors()
        V = (rng.random((F, N)) < expit(form.psi_of(factors))).astype(float)
        chain.cells.likelihood.kappa[:] = V[observed] - 0.5
        chain.cells.update_columns()
        series.append(statistics(*factors[:2], chain.alpha, factors.others, V, observed))
    found, error = ladder.batch_means(np.array(series)[500:])
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    assert ladder.means_p(found, error, independent.mean(axis=0)) > ladder.FALSE_ALARM


@pytest.mark.long
def test_simulation_based_calibration():
    """Ranks of ψ, of a hidden cell's ψ, of its mean square and of Σ log α among draws are uniform.

    Of what no rotation changes, α in any order; 31 draws, 10 sweeps apart, in 8 bins.
    """
    rng = np.random.default_rng(31)
    F, N, K, prior = 6, 5, 2, Prior(True, 4.0, 3.0, 2**-0.5)

    def known(psi, alpha):
        return [psi[0, 0], psi[1, 1], (psi**2).mean(), np.log(alpha).sum()]

    ranks = []
    for replication in range(500):
        alpha = rng.gamma(4.0, 1 / 3.0, K)
        others = {form.ROWS: rng.normal(size=F) / np.sqrt(2), form.COLUMNS: rng.normal(size=N) / np.sqrt(2)}
        H = rng.normal(size=(K, N)) / np.sqrt(alpha)[:, None]
        psi = form.psi_of(Factors(rng.normal(size=(F, K)), H, others))
        codes = (rng.random((F, N)) < expit(psi)).astype(np.int8)
        codes[1, 1] = -1
        chain = chain_of(codes, K, "both", prior, seed=replication)
        chain.sweep(100)
        draws = []
        for _ in range(31):
            chain.sweep(10)
            draws.append(known(form.psi_of(chain.factors()), chain.alpha))
        ranks.append((np.array(draws) < known(psi, alpha)).sum(axis=0))
    for rank in np.transpose(ranks):
        counts = np.bincount(rank // 4, minlength=8)
        p = ladder.chi_square_p(counts, np.full(8, 1 / 8))
        assert p > ladder.FALSE_ALARM


# --- The estimator ---------------------------------------------------------------------------


def fitted(codes, **settings):
    brief = {"n_components": 3, "burn_in": 30, "n_samples": 40, "random_state": 1}
    return nbmf.LogisticFactorGibbs(**(brief | settings)).fit(codes)


CODES = ladder.large_matrix(30, 21, 0.1, np.random.default_rng(8))


def test_any_number_of_threads_gives_the_same_bits():
    one, two = (fitted(CODES, effects="both", threads=threads) for threads in (1, 2))
    for name in ("W_", "H_", "row_effects_", "column_effects_", "precisions_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_the_estimate_is_the_mean_along_the_chain():
    estimator = fitted(CODES, effects="columns", ard=False)
    chain = chain_of(CODES, 3, "columns", seed=1)
    chain.sweep(30)
    psi, sigma = [], []
    for _ in range(40):
        chain.sweep()
        psi.append(form.psi_of(chain.factors()))
        sigma.append(expit(psi[-1]))
    np.testing.assert_allclose(estimator.expectation_, np.mean(sigma, axis=0), rtol=1e-10)
    mean = np.mean(psi, axis=0)
    np.testing.assert_allclose(estimator.column_effects_, mean.mean(axis=0), rtol=1e-8)
    left, sizes, right = np.linalg.svd(mean - mean.mean(axis=0))
    np.testing.assert_allclose(estimator.W_ @ estimator.H_, left[:, :3] * sizes[:3] @ right[:3], rtol=1e-7, atol=1e-9)
    assert (estimator.row_effects_ == 0).all()


@pytest.mark.parametrize("ard", [True, False])
def test_precisions_are_those_of_the_rows_of_H(ard):
    """E[α_k | H] of N entries of H each, Gamma(a0 + N/2, b0 + Σ h²/2), also where α was fixed: W has its own scale."""
    estimator = fitted(CODES, ard=ard, a0=0.7, b0=1.9, burn_in=5, n_samples=5)
    N = CODES.shape[1]
    expected = [(0.7 + N / 2) / (1.9 + sum(h**2 for h in row) / 2) for row in estimator.H_]
    np.testing.assert_allclose(estimator.precisions_, expected, rtol=1e-12)


@pytest.mark.parametrize("effects", EFFECTS)
def test_estimates_have_their_one_form(effects):
    estimator = fitted(CODES, effects=effects)
    W, H = estimator.W_, estimator.H_
    np.testing.assert_allclose(W.T @ W / len(W), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(H @ H.T, np.diag(np.diag(H @ H.T)), atol=1e-8)
    assert (np.diff(np.diag(H @ H.T)) <= 0).all()
    assert (H[range(3), abs(H).argmax(axis=1)] > 0).all()
    given_H = (0.001 + 21 / 2) / (0.001 + (H**2).sum(axis=1) / 2)
    np.testing.assert_allclose(estimator.precisions_, given_H, rtol=1e-12)
    used = form.Effects.named(effects)
    assert used.rows == estimator.row_effects_.any()
    assert used.columns == estimator.column_effects_.any()
    if used.columns:
        np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-8)
    if used.rows:
        np.testing.assert_allclose(H.mean(axis=1), 0, atol=1e-8)
    if effects == "both":
        assert estimator.row_effects_.mean() == pytest.approx(0, abs=1e-8)


def test_centring_and_rotation_change_no_log_odds():
    rng = np.random.default_rng(2)
    for rows, columns, K in itertools.product((True, False), (True, False), (0, 2, 9)):
        others = {form.ROWS: rng.normal(size=6)} if rows else {}
        others |= {form.COLUMNS: rng.normal(size=7)} if columns else {}
        given = Factors(rng.normal(size=(6, K)), rng.normal(size=(K, 7)), others)
        for change in (form.centred, form.canonical):
            np.testing.assert_allclose(form.psi_of(change(given)), form.psi_of(given), atol=1e-12)
        places = rng.integers(0, 6, 9), rng.integers(0, 7, 9)
        np.testing.assert_allclose(form.psi_at(given, *places), form.psi_of(given)[places])
        shares = form.shares(given)
        assert shares.shape == (K,)
        if K:
            squares = (form.canonical(given).H ** 2).sum(axis=1)
            np.testing.assert_allclose(shares, squares / squares.sum(), atol=1e-12)


def test_the_factors_next_to_log_odds_are_means_and_singular_vectors():
    psi = np.random.default_rng(3).normal(1.0, 1.0, (6, 7))
    for effects, K in itertools.product(EFFECTS, (1, 2, 9)):
        used, rest = form.Effects.named(effects), psi
        if used.columns:
            rest = rest - rest.mean(axis=0)
        if used.rows:
            rest = rest - rest.mean(axis=1, keepdims=True)
        left, sizes, right = np.linalg.svd(rest, full_matrices=False)
        expected = psi - rest + (left[:, :K] * sizes[:K]) @ right[:K]
        found = form.best_of_rank(psi, K, used)
        np.testing.assert_allclose(form.psi_of(found), expected, atol=1e-12)


def test_the_rasch_model_finds_abilities_and_difficulties():
    rng = np.random.default_rng(5)
    ability, ease = rng.normal(size=60), rng.normal(size=40)
    V = (rng.random((60, 40)) < expit(ability[:, None] + ease)).astype(int)
    rasch = fitted(V, n_components=0, effects="both", burn_in=100, n_samples=300)
    assert (rasch.W_.shape, rasch.H_.shape, rasch.active_components_) == ((60, 0), (0, 40), 0)
    assert rasch.row_effects_.mean() == pytest.approx(0, abs=1e-8)
    assert np.corrcoef(rasch.row_effects_, ability)[0, 1] > 0.9
    assert np.abs(rasch.column_effects_ - ease - ability.mean()).mean() < 0.4
    new = rasch.predict_rows(V[:5])
    np.testing.assert_allclose(new, rasch.expectation_[:5], atol=0.08)


def test_what_leaves_nothing_to_learn_or_is_improper_is_refused():
    with pytest.raises(ConfigError, match=r"n_components = 0: .*with effects = 'none' there would be"):
        nbmf.LogisticFactorGibbs(0).fit(CODES)
    with pytest.raises(ConfigError, match=r"a0 = 0: must be a positive number \(with 0 the"):
        nbmf.LogisticFactorGibbs(2, a0=0).fit(CODES)
    with pytest.raises(ConfigError, match=r"effects = 'all': must be none, rows, columns or"):
        nbmf.LogisticFactorGibbs(2, effects="all").fit(CODES)


def test_odd_matrices():
    """An empty line has its prior; constant and separable columns are finite; K may exceed both."""
    codes = np.zeros((5, 4), np.int8)
    codes[:, 0], codes[:2, 1], codes[3], codes[:, 3] = 1, 1, -1, -1
    estimator = fitted(codes, n_components=9, effects="both", n_samples=400)
    assert np.isfinite(estimator.expectation_).all()
    assert 0 < estimator.active_components_ <= 4
    assert estimator.precisions_.shape == (9,)
    alone = fitted(np.ones((1, 1), np.int8), n_components=2)
    assert 0.5 < alone.expectation_[0, 0] < 1


def test_a_state_before_its_first_kept_sweep_tells_of_the_last():
    chain = chain_of(CODES, 2)
    state = GibbsState(chain, burn_in=5)
    state.advance(3)
    now = expit(form.psi_of(chain.factors()))
    np.testing.assert_allclose(state.expectation(), now)
    np.testing.assert_allclose(state.predictive([0, 2], [1, 3]), now[[0, 2], [1, 3]])
    np.testing.assert_allclose(form.psi_of(state.estimate()), form.psi_of(chain.factors()))
    state.advance(4)
    assert np.abs(state.expectation() - now).max() > 0.01
    places = [0, 2], [1, 3]
    np.testing.assert_allclose(state.predictive(*places), state.expectation()[places], rtol=1e-12)
    other = GibbsState(chain_of(CODES, 2, seed=1), burn_in=5)
    other.restore(state.snapshot())
    np.testing.assert_array_equal(other.expectation(), state.expectation())
    other.advance(1)
    state.advance(1)
    np.testing.assert_array_equal(other.expectation(), state.expectation())


# --- New lines -------------------------------------------------------------------------------


def test_a_fold_in_stands_still_at_its_equations():
    """m and S of one line, written with loops."""
    rng = np.random.default_rng(3)
    design, offset, precisions = rng.normal(size=(9, 3)), rng.normal(size=9), np.array([1, 2, 0.01])
    codes = np.array([[1, 0, -1, 1, 1, -1, 0, 0, 1], np.full(9, -1)], np.int8)
    weights = nbmf.LogisticFactorGibbs()._weights
    centers = np.array([0.0, 0.0, 0.7])
    found = regress_rows(codes, design, precisions, centers, offset, weights)
    np.testing.assert_allclose(found[1], centers, atol=1e-12)
    m, S = found[0], np.eye(3)
    for _ in range(300):  # S given m
        P = np.diag(precisions)
        b = precisions * centers
        for n in np.flatnonzero(codes[0] >= 0):
            psi = offset[n] + design[n] @ m
            eta = np.sqrt(psi**2 + design[n] @ S @ design[n])
            w = np.tanh(eta / 2) / (2 * eta)
            P += w * np.outer(design[n], design[n])
            b += (codes[0, n] - 0.5 - w * offset[n]) * design[n]
        S = np.linalg.inv(P)
    np.testing.assert_allclose(S @ b, m, atol=1e-5)
    alone = regress_rows(codes[:1], design, precisions, centers, offset, weights)
    np.testing.assert_allclose(alone[0], m, rtol=1e-12)
    # A factor that the fit has pruned stands still from the start, which is not the end.
    pruned = np.column_stack([design, np.zeros(9)])
    more = regress_rows(codes, pruned, np.append(precisions, 1.0), np.append(centers, 0.0), offset, weights)
    np.testing.assert_allclose(more, np.column_stack([found, np.zeros(2)]), rtol=1e-10)


@pytest.mark.parametrize("effects", EFFECTS)
def test_rows_folded_in_are_predicted_as_the_fit_predicts_them(effects):
    rng = np.random.default_rng(4)
    psi = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 60)) + rng.normal(size=60)
    V = (rng.random(psi.shape) < expit(psi)).astype(int)
    estimator = fitted(V, effects=effects, burn_in=150, n_samples=150)
    new = estimator.predict_rows(V[:20])
    assert np.abs(new - estimator.expectation_[:20]).mean() < 0.05
    new = estimator.predict_columns(V[:, :20])
    assert np.abs(new - estimator.expectation_[:, :20]).mean() < 0.05
    given = estimator.inverse_transform(estimator.W_)
    factors = estimator.factors_._replace(W=estimator.W_)
    if effects in ("none", "columns"):
        np.testing.assert_allclose(given, estimator.mean(factors))


def test_effects_are_saved_and_loaded(tmp_path):
    one = fitted(CODES, effects="both")
    one.save(tmp_path / "model.npz")
    other = nbmf.load(tmp_path / "model.npz")
    for name in ("row_effects_", "column_effects_", "precisions_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.predict_rows(CODES[:4]), other.predict_rows(CODES[:4]))


def test_held_out_votes_are_predicted_better_than_by_logpca():
    votes = nbmf.load_example("parliament")
    mask = nbmf.draw_mask(votes, 0.25, np.random.SeedSequence(1))
    codes = BERNOULLI.values_of(votes)
    hidden = BERNOULLI.hide(codes, mask)
    loss = {
        name: nbmf.perplexity(codes, model.fit(hidden).expectation_, mask)
        for name, model in (
            ("gibbs", nbmf.LogisticFactorGibbs(8, burn_in=200, n_samples=300, random_state=0)),
            ("logpca", nbmf.LogisticPCA(3)),
        )
    }
    assert loss["gibbs"] < loss["logpca"] - 0.02


# --- Draws -------------------------------------------------------------------------------------


def test_draws_have_the_form_of_the_estimate_and_intervals_around_it():
    """Ideal points that are in the model: 90 % intervals hold about nine in ten of them."""
    rng = np.random.default_rng(6)
    truth, discrimination, ease = rng.normal(size=120), rng.normal(size=60), rng.normal(size=60)
    truth = (truth - truth.mean()) / truth.std()
    p = expit(np.outer(truth, discrimination) + ease)
    V = (rng.random(p.shape) < p).astype(int)
    model = nbmf.LogisticFactorGibbs(1, effects="columns", ard=False, burn_in=200, n_samples=400, random_state=1)
    draws = nbmf.posterior_draws(model, V, n_draws=200)
    for one in draws[:5]:
        assert (one.W**2).mean() == pytest.approx(1, abs=1e-5)
        assert one.W.mean() == pytest.approx(0, abs=1e-5)
    assert draws.alignment.overlap[0] > 0.9
    lower, upper = draws.dictionary_interval(0.9)
    assert ((lower < model.W_) & (upper > model.W_)).all()
    sign = np.sign(model.W_[:, 0] @ truth)
    inside = (lower[:, 0] < sign * truth) & (sign * truth < upper[:, 0])
    assert stats.binomtest(int(inside.sum()), 120, 0.9).pvalue > 1e-3
    lower, upper = draws.other_interval("column effects", 0.9)
    assert lower.shape == (60,)
    inside = (lower < ease) & (ease < upper)
    assert stats.binomtest(int(inside.sum()), 60, 0.9).pvalue > 1e-3
    with pytest.raises(ConfigError, match=r"no .row effects. among the draws; .*column effects"):
        draws.other_interval("row effects")


def test_chains_agree_on_what_is_known():
    """R-hat of E[V], the log-likelihood and shares; not of factors, which each chain turns."""
    rng = np.random.default_rng(7)
    p = expit(rng.normal(size=(40, 2)) @ rng.normal(size=(2, 30)))
    V = (rng.random(p.shape) < p).astype(int)
    model = nbmf.LogisticFactorGibbs(2, ard=False, burn_in=200, n_samples=600, random_state=2)
    chains = nbmf.run_chains(model, V, chains=4, n_jobs=1, n_draws=100)
    table = chains.diagnostics.set_index("quantity")
    assert (table.loc[["log joint", "log likelihood", "share 1"], "r_hat"] < 1.05).all()
    entries = table[table.index.str.startswith("E[v]")]
    assert (entries["r_hat"] < 1.05).mean() > 0.9
    lower, upper = chains.draws.dictionary_interval(0.9)
    assert ((lower < chains.best.W_) & (upper > chains.best.W_)).mean() > 0.95
