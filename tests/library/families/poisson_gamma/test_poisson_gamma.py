"""Poisson-gamma factorization: kernels, bound and points against slow twins and exact answers."""

import itertools

import numpy as np
import pytest
import scipy.sparse
from poisson_twins import (
    Exact,
    binary_evidence,
    bound_with_sources,
    divergence,
    mean_and_geometric_mean,
    observed_sums,
    poisson_evidence,
    sources,
    vb_step,
)
from scipy.special import digamma, gammaln, xlogy
from sklearn.decomposition import non_negative_factorization
from unwritten import signal_unwritten

from nbmf.data.sparse_counts import SparseCounts
from nbmf.errors import ConfigError
from nbmf.families.poisson_gamma import lookup_tables, point
from nbmf.families.poisson_gamma import observations as observations_module
from nbmf.families.poisson_gamma import poisson_gamma_fold_in as fold_in
from nbmf.families.poisson_gamma.bernoulli_poisson import BernoulliPoissonVB
from nbmf.families.poisson_gamma.gamma_priors import FIXED, TIES, GammaPrior, Ties, check_ties, solve_shape
from nbmf.families.poisson_gamma.kernels import gamma_distributions, passes
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.lookup_tables import chance, tables
from nbmf.families.poisson_gamma.observations import DenseObservations, Exposure, Observations, observations
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaEM, PoissonGammaICM, PoissonGammaVB
from nbmf.families.poisson_gamma.poisson_gamma_variational import FactorPosterior, VariationalState
from nbmf.inference.state import Factors
from nbmf.numerics.lanes import padded

RNG = np.random.default_rng(3)
K = 11  # not a multiple of the lanes
V = RNG.poisson(RNG.gamma(0.7, 2.0, (9, 4)) @ RNG.gamma(0.6, 1.0, (4, 13))).astype(np.int32)
V[RNG.random(V.shape) < 0.2] = -1
V[4] = -1  # a row without an observed entry
V[:, 6] = np.where(V[:, 6] > 0, 0, V[:, 6])  # a column of zeros
MOSTLY_MISSING = np.where(RNG.random(V.shape) < 0.6, -1, V).astype(np.int32)
COMPLETE = np.maximum(V, 0)
MATRICES = {"some missing": V, "most missing": MOSTLY_MISSING, "complete": COMPLETE}
W0, H0 = RNG.gamma(2.0, 0.5, (9, K)), RNG.gamma(2.0, 0.5, (13, K))
PRIOR_W, PRIOR_H = (0.8, 1.5), (1.7, 0.4)
both_links = pytest.mark.parametrize("is_binary", [False, True], ids=["counts", "binary"])
every_matrix = pytest.mark.parametrize("values", MATRICES.values(), ids=MATRICES)


def sparse_of(values):
    """The same matrix for scipy.sparse: what is missing is stored as NaN, zeros are not stored."""
    places = np.nonzero(values)
    numbers = np.where(values[places] < 0, np.nan, values[places])
    return scipy.sparse.coo_array((numbers, places), values.shape)


def forms(values, is_binary):
    """Yield the observations of a matrix in every form."""
    yield Observations(values, is_binary)
    yield Observations(SparseCounts.of(sparse_of(values)), is_binary)
    yield DenseObservations(values, is_binary, single=False)
    yield in_parts(values, is_binary)


def in_parts(values, is_binary, threads=1, number=3):
    """Return the observations of a matrix whose rows are divided, as those of many ones are."""
    data = Observations(SparseCounts.of(sparse_of(values)), is_binary, threads)
    data._parts = data.rows.blocks(number)
    assert data._parts.size == number + 1
    return data


def padded_tables(W, H):
    table_W, table_H = tables((len(W), len(H)), W.shape[1])
    table_W[:, : W.shape[1]], table_H[:, : W.shape[1]] = W, H
    return table_W, table_H


# --- Laws of a factor ------------------------------------------------------------------------


@pytest.mark.parametrize("exposed", [1, 5], ids=["complete", "some missing"])
@pytest.mark.parametrize(("lines", "width"), [(1, 1), (1, K), (5, 1), (5, K)])
def test_distributions_of_a_factor_are_those_of_its_sums(lines, width, exposed):
    """Against the formulas in NumPy, with whatever lines and components share."""
    rng = np.random.default_rng(11)
    shape = 10 ** rng.uniform(-2.5, 2, (lines, width))
    rate = rng.gamma(1.0, 1.0, (6 - lines, K + 1 - width))  # lines and components the shape shares
    (S, L), (exposure, E) = tables((5, 5), K), tables((exposed, 5), K)
    S[:, :K], L[:, :K] = rng.gamma(0.3, 20.0, (2, 5, K))
    S[2] = 0.0
    exposure[:, :K] = rng.gamma(1.0, 1.0, (exposed, K))
    alpha, scale = np.empty((2, 5, K))
    expected = shape + L[:, :K] * S[:, :K], 1 / (rate + exposure[:, :K])
    gamma_distributions.renew_serial(S, exposure, shape, rate, L, E, alpha, scale)
    np.testing.assert_allclose(alpha, expected[0], rtol=1e-14)
    np.testing.assert_allclose(scale, np.broadcast_to(expected[1], (5, K)), rtol=1e-14)
    np.testing.assert_allclose(E[:, :K], alpha * scale, rtol=1e-14)
    np.testing.assert_allclose(L[:, :K], np.exp(digamma(alpha)) * scale, rtol=1e-12)
    assert not E[:, K:].any()
    assert not L[:, K:].any()


@pytest.mark.parametrize(("low", "high", "error"), [(0.004, 0.05, 2e-13), (0.05, 8, 2e-14), (7.9, 20, 3e-15)])
def test_the_geometric_mean_of_a_gamma_distribution(low, high, error):
    """exp Ψ to the last digits; below 0.05 Ψ itself is so large that it has fewer."""
    alpha = np.geomspace(low, high, 800)[:, None]
    (S, L), (exposure, E) = tables((800, 800), 1), tables((1, 800), 1)
    gamma_distributions.renew_serial(S, exposure, alpha, np.ones((1, 1)), L, E, alpha.copy(), alpha.copy())
    np.testing.assert_allclose(L[:, :1], np.exp(digamma(alpha)), rtol=error)
    tiny = np.full((800, 1), 1e-3)  # e^-1000
    gamma_distributions.renew_serial(S, exposure, tiny, np.ones((1, 1)), L, E, alpha.copy(), alpha.copy())
    np.testing.assert_array_equal(L[:, 0], FLOOR)


# --- Passes and exposures --------------------------------------------------------------------


@both_links
@every_matrix
def test_passes_give_the_expected_sums_of_sources(values, is_binary):
    W, H = padded_tables(W0, H0)
    s = sources(values, W0, H0.T, is_binary)
    for data in forms(values, is_binary):
        S_W, S_H = tables(values.shape, K)
        S_W[:], S_H[:] = 7.0, 7.0  # what was there before is overwritten
        data.pass_both(W, H, S_W, S_H)
        np.testing.assert_allclose(W0 * S_W[:, :K], s.sum(axis=2), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(H0 * S_H[:, :K], s.sum(axis=0).T, rtol=1e-12, atol=1e-15)
        S_one, S_other = tables(values.shape, K)
        data.pass_rows(W, H, S_one)
        data.pass_columns(W, H, S_other)
        np.testing.assert_allclose(S_one, S_W, rtol=1e-12)
        np.testing.assert_allclose(S_other, S_H, rtol=1e-12)


@both_links
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_no_bit_of_a_pass(is_binary, dtype):
    """Also where tables of another width come after."""
    passes_of = [in_parts(V, is_binary, threads) for threads in (1, 2, 3)]
    for width in (K, 17):
        rng = np.random.default_rng(width)
        tables_of = [rng.gamma(2.0, 0.5, (size, padded(width))).astype(dtype) for size in V.shape]
        results = []
        for data in passes_of:
            sums = [np.full_like(table, 7.0) for table in (*tables_of, *tables_of)]
            data.pass_both(*tables_of, *sums[:2])
            data.pass_rows(*tables_of, sums[2])
            data.pass_columns(*tables_of, sums[3])
            results.append([*sums, np.array(data.log_terms(*tables_of))])
        assert all(sums.any() for sums in results[0])
        for other in results[1:]:
            for one, same in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(same, one)


def test_parts_have_about_as_many_entries_and_no_fewer_than_pay():
    rng = np.random.default_rng(2)
    few, many = (scipy.sparse.random_array((600, 40), density=d, rng=rng).sign() for d in (0.1, 0.9))
    for V_sparse, parts in ((few, 1), (many, 8)):
        data = Observations(SparseCounts.of(V_sparse), True)
        assert data._parts.size == 2  # below MANY
        with pytest.MonkeyPatch.context() as context:
            context.setattr(observations_module, "MANY", 2000)
            data = Observations(SparseCounts.of(V_sparse), True)
            context.setattr("nbmf.families.poisson_gamma.parts.PER_COLUMN", 16 if parts > 1 else 61)
            assert data._parts.size == parts + 1
        sizes = np.diff(data.rows.start[data._parts])
        assert sizes.sum() == V_sparse.nnz
        assert sizes.max() <= V_sparse.nnz / parts + 40  # a row has 40 at most


def test_fits_of_many_ones_are_the_same_with_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(4)
    blocks = np.kron(np.eye(3), np.full((27, 10), 0.35)) + 0.03
    V_sparse = scipy.sparse.csr_array((rng.random(blocks.shape) < blocks).astype(np.int8))
    settings = {"scales": "both", "tie_shape_W": "source", "max_iter": 120, "relative_gain_tol": 0, "random_state": 0}

    def fitted(threads):
        return BernoulliPoissonVB(3, threads=threads, **settings).fit(V_sparse)

    whole = fitted(1)
    monkeypatch.setattr(observations_module, "MANY", 100)
    monkeypatch.setattr("nbmf.families.poisson_gamma.parts.PER_COLUMN", 2)
    one, two = fitted(1), fitted(2)
    for name in ("W_", "H_", "objective_", "scales_W_", "shape_W_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=1e-6)
    assert not np.array_equal(one.W_, whole.W_)  # so there were parts


@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1e-3, 0.0095, 0.05, 1.0, 30.0, 300.0])
def test_the_binary_ratio_keeps_its_digits_at_any_rate(scale):
    """1 / (1 - e^-r) for r near the limits between formulas, and far from them."""
    value = np.ones((4, 4), np.int32)
    W, H = padded_tables(np.array([[0.5], [0.99], [1.01], [2.0]]), np.full((4, 1), scale))
    S_W, S_H = tables((4, 4), 1)
    Observations(value, True).pass_both(W, H, S_W, S_H)
    rate = W[:, 0] * scale
    np.testing.assert_allclose(S_W[:, 0], 4 * scale / -np.expm1(-rate), rtol=2e-13)


@both_links
def test_log_terms_are_those_of_the_likelihood(is_binary):
    W, H = padded_tables(W0, H0)
    rate = W0 @ H0.T
    for data in forms(V, is_binary):
        terms = np.log(np.expm1(rate)) if is_binary else V * np.log(rate) - gammaln(V + 1.0)
        assert data.log_terms(W, H) == pytest.approx(terms[V > 0].sum(), rel=1e-13)
    W, H = padded_tables(100 * W0, H0)  # e^r is no number any more
    large = Observations(V, True).log_terms(W, H)
    assert large == pytest.approx(100 * rate[V > 0].sum(), rel=1e-13)


@every_matrix
def test_exposures_are_sums_over_what_is_observed(values):
    W, H = padded_tables(W0, H0)
    of_rows, of_columns = observed_sums(values, W0, H0.T)
    for data in forms(values, False):
        exposure = data.exposure
        found = np.broadcast_to(exposure.of_rows(H)[:, :K], of_rows.shape)
        np.testing.assert_allclose(found, of_rows, rtol=1e-13, atol=1e-14)
        found = np.broadcast_to(exposure.of_columns(W)[:, :K], of_columns.T.shape)
        np.testing.assert_allclose(found, of_columns.T, rtol=1e-13, atol=1e-14)
        assert data.n_observed == np.count_nonzero(values >= 0)


def test_a_line_without_an_observed_entry_has_no_exposure_whatever_the_rounding():
    H = np.random.default_rng(0).random((13, 16)) * 1e8
    missing = scipy.sparse.csr_array((V == -1).astype(float))
    np.testing.assert_array_equal(Exposure(V.shape, missing).of_rows(H)[4], 0.0)


def test_the_form_follows_what_is_stored():
    assert type(observations(V, False)) is DenseObservations  # most are above zero
    few = np.where(RNG.random(V.shape) < 0.2, np.maximum(V, 0), 0)
    assert type(observations(few, False)) is Observations
    assert type(observations(SparseCounts.of(sparse_of(V)), False)) is Observations


def test_products_in_single_precision_are_near_those_in_double():
    W, H = padded_tables(W0, H0)
    exact, near = DenseObservations(V, False, False), DenseObservations(V, False, True)
    of = [tables(V.shape, K) for _ in range(2)]
    for data, sums in zip((exact, near), of, strict=True):
        data.pass_both(W, H, *sums)
    for one, other in zip(*of, strict=True):
        np.testing.assert_allclose(other, one, rtol=2e-5)
        assert not np.array_equal(other, one)
    tiny = passes.ratios
    rates = np.zeros((1, 2), np.float32)
    tiny(np.array([[3, 0]], np.float32), False, rates)
    assert np.isfinite(rates).all()
    assert rates[0, 1] == 0


# --- The bound -------------------------------------------------------------------------------


def prior(numbers, ties, lines, n_components=K):
    return GammaPrior(*numbers, Ties(*ties), (lines, n_components))


def state_of(values, is_binary=False, ties_W=(FIXED, FIXED), ties_H=(FIXED, FIXED)):
    W = FactorPosterior(prior(PRIOR_W, ties_W, 9), W0.copy())
    H = FactorPosterior(prior(PRIOR_H, ties_H, 13), H0.copy())
    return VariationalState(Observations(values, is_binary), W, H, chance, True, 0)


@both_links
@every_matrix
def test_an_update_is_that_of_the_slow_twin(values, is_binary):
    state = state_of(values, is_binary)
    L_W, L_H, E_H = W0, H0.T, H0.T
    for _ in range(3):
        state.advance(1)
        q_W, q_H = vb_step(values, L_W, L_H, E_H, PRIOR_W, PRIOR_H, is_binary)
        np.testing.assert_allclose(state.W.alpha, q_W[0], rtol=1e-11)
        np.testing.assert_allclose(state.W.scale, q_W[1], rtol=1e-11)
        np.testing.assert_allclose(state.H.alpha, q_H[0].T, rtol=1e-11)
        np.testing.assert_allclose(state.H.scale, q_H[1].T, rtol=1e-11)
        L_W, (E_H, L_H) = mean_and_geometric_mean(*q_W)[1], mean_and_geometric_mean(*q_H)


def test_the_bound_is_that_with_sources_at_their_optimum():
    """(A.12) with q(S) stored; any other q(S) is below."""
    state = state_of(V)
    state.advance(4)
    q_W, q_H = (state.W.alpha, state.W.scale), (state.H.alpha.T, state.H.scale.T)
    s = sources(V, np.exp(state.W.log_L), np.exp(state.H.log_L).T)
    full = bound_with_sources(V, s, q_W, q_H, PRIOR_W, PRIOR_H)
    assert state.objective() == pytest.approx(full, rel=1e-12)
    other = sources(V, np.exp(0.9 * state.W.log_L), np.exp(state.H.log_L).T)
    assert bound_with_sources(V, other, q_W, q_H, PRIOR_W, PRIOR_H) < full - 0.1


def test_the_divergence_is_its_definition():
    alpha, scale = RNG.gamma(2.0, 1.0, (9, K)), RNG.gamma(2.0, 1.0, (9, K))
    found = prior(PRIOR_W, (FIXED, FIXED), 9).divergence(alpha, scale)
    assert found == pytest.approx(divergence(alpha, scale, *PRIOR_W), rel=1e-12)


ALLOWED_TIES = [
    pair for pair in itertools.product(TIES, TIES) if pair[0] != "none" and (pair[1] != "none" or pair[0] == FIXED)
]


@both_links
@pytest.mark.parametrize("ties", ALLOWED_TIES, ids="-".join)
def test_no_block_lowers_the_bound(ties, is_binary, monkeypatch):
    """After S (implicit), W, H and the priors of both; ties of the other factor differ."""
    state = state_of(V, is_binary, ties, ("source", "all") if ties[0] == "line" else ties)
    state.advance(1)
    data, W, H = Observations(V, is_binary), state.W, state.H
    bounds = [state.objective()]
    for _ in range(6):
        data.pass_both(W.L, H.L, W.S, H.S)
        W.update(data.exposure.of_rows(H.E))
        bounds.append(state.objective())
        H.update(data.exposure.of_columns(W.E))
        bounds.append(state.objective())
        for side in (W, H):
            side.renew()
            bounds.append(state.objective())
    steps = np.diff(bounds)
    assert (steps >= -1e-9 * np.abs(bounds[1:])).all()
    renewals = np.r_[steps[2::4], steps[3::4]]
    assert (np.abs(renewals).max() > 1e-6) == (ties != (FIXED, FIXED))


@pytest.mark.parametrize("a", [1e-5, 0.01, 0.3, 1.0, 7.0, 1e3, 1e5])
def test_shapes_solve_their_equation(a):
    from scipy.special import digamma

    d = np.log(a) - digamma(a) if a < 1e3 else 1 / (2 * a) + 1 / (12 * a**2)
    assert solve_shape(np.array(d)) == pytest.approx(a, rel=1e-8)
    assert solve_shape(np.array(1e-12)) == solve_shape(np.array(-1.0)) == 1e8


def test_learned_numbers_are_at_an_optimum():
    """Half the bound's change by a small step in either direction is lower."""
    state = state_of(V, ties_W=("source", "source"), ties_H=("all", "line"))
    state.advance(5)
    for _ in range(60):
        state.W.renew()
        state.H.renew()
    best = state.objective()
    for side, name in itertools.product((state.W, state.H), ("shape", "mean")):
        numbers = getattr(side.prior, name)
        kept = numbers.copy()
        for factor in (0.99, 1.01):
            numbers *= factor
            assert state.objective() < best - 1e-5
            numbers[:] = kept


@pytest.mark.parametrize(("shape", "mean"), [("none", FIXED), ("all", "none"), ("none", "none")])
def test_degenerate_ties_are_refused_in_words(shape, mean):
    with pytest.raises(ConfigError, match="grows without end"):
        check_ties("H", shape, mean)
    with pytest.raises(ConfigError, match=r"tie_(shape|mean)_H = 'none'"):
        PoissonGammaVB(2, tie_shape_H=shape, tie_mean_H=mean).fit(V)


@pytest.mark.parametrize(
    ("values", "n_components", "of_W", "of_H"),
    [
        ([[2, 1], [0, 3]], 2, (1.0, 1.0), (1.0, 2.0)),
        ([[2, -1, 1], [0, 1, 2]], 2, (2.0, 1.0), (0.7, 1.0)),
        ([[3, 0], [1, 2]], 3, (1.5, 1.0), (0.8, 0.5)),
    ],
)
def test_the_bound_is_below_the_exact_evidence(values, n_components, of_W, of_H):
    values = np.array(values, np.int32)
    exact, means = poisson_evidence(values, n_components, of_W, of_H)
    model = PoissonGammaVB(
        n_components,
        shape_W=of_W[0],
        mean_W=of_W[1],
        shape_H=of_H[0],
        mean_H=of_H[1],
        **dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), FIXED),
        max_iter=500,
        relative_gain_tol=0,
        random_state=0,
    )
    state = model._start(values, model._seed())
    state.advance(500)
    assert exact - 4.0 < state.objective() < exact
    assert np.abs(state.W.E @ state.H.E.T - means).max() < 0.6  # and its means are of its size


def test_the_mean_of_both_links():
    rate = W0 @ H0.T
    factors = Factors(W0, H0.T)
    rows, columns = np.array([0, 8, 3]), np.array([12, 1, 1])
    for model, mean in ((PoissonGammaVB(K), rate), (BernoulliPoissonVB(K), 1 - np.exp(-rate))):
        np.testing.assert_allclose(model.mean(factors), mean, rtol=1e-12)
        np.testing.assert_allclose(model.mean(factors, slice(2, 4), [5]), mean[2:4, [5]], rtol=1e-12)
        found = model.mean_at(factors, rows, columns)
        np.testing.assert_allclose(found, mean[rows, columns], rtol=1e-12)
    shares = W0.sum(axis=0) * H0.sum(axis=0)
    np.testing.assert_allclose(PoissonGammaVB(K).shares_of(factors), shares / shares.sum())


@pytest.mark.parametrize("entries", [0, 1, 15, 16, 17, 32, 33])
def test_every_entry_of_every_block_is_predicted(entries, monkeypatch):
    monkeypatch.setattr(lookup_tables, "ENTRIES_AT_ONCE", 16)
    signal_unwritten(monkeypatch)
    rows, columns = RNG.integers(0, 9, entries), RNG.integers(0, 13, entries)
    found = lookup_tables.rates_at(W0, H0.T, rows, columns)
    np.testing.assert_allclose(found, (W0 @ H0.T)[rows, columns], rtol=1e-12)


# --- Points ----------------------------------------------------------------------------------


def test_em_goes_where_scikit_learn_goes():
    """Same start, equal iterations: scikit-learn updates W first as well."""
    found = point.PointState(Observations(COMPLETE, False), (W0, H0), None, False, True)
    found.advance(30)
    W, H, _ = non_negative_factorization(
        COMPLETE.astype(float),
        W0.copy(),
        H0.T.copy(),
        n_components=K,
        init="custom",
        solver="mu",
        beta_loss="kullback-leibler",
        max_iter=30,
        tol=0,
    )
    rate = W @ H
    objective = (xlogy(COMPLETE, rate) - rate - gammaln(COMPLETE + 1.0)).sum()
    assert found.objective() == pytest.approx(objective, rel=1e-13)
    np.testing.assert_allclose(found.expectation(), rate, rtol=1e-9, atol=1e-12)


@every_matrix
@pytest.mark.parametrize("kind", ["likelihood", "logarithms", "factors"])
def test_points_never_lose(values, kind):
    priors = prior((1.3, 1.0), (FIXED, FIXED), 9), prior((2.0, 0.5), (FIXED, FIXED), 13)
    priors = None if kind == "likelihood" else priors
    for data in forms(values, False):
        state = point.PointState(data, (W0, H0), priors, kind == "logarithms", True)
        objectives = []
        for _ in range(25):
            state.advance(1)
            objectives.append(state.objective())
        assert (np.diff(objectives) >= -1e-9).all()
        assert objectives[-1] > objectives[0] + 0.1


@pytest.mark.parametrize("mode", ["logarithms", "factors"])
def test_icm_ends_at_the_mode_that_it_names(mode):
    """The gradient of its log density is zero, and that of the other mode's is not."""
    model = PoissonGammaICM(
        3, shape_W=1.5, shape_H=2.0, mean_H=0.5, mode=mode, relative_gain_tol=0, max_iter=20_000, random_state=1
    ).fit(V)
    ratio = np.where(V > 0, V / model.expectation_, 0.0)
    sums_W, sums_H = observed_sums(V, model.W_, model.H_)
    for table, shape, rate, likelihood in (
        (model.W_, 1.5, 1.5 / 1.0, ratio @ model.H_.T - sums_W),
        (model.H_, 2.0, 2.0 / 0.5, model.W_.T @ ratio - sums_H),
    ):
        gradients = {
            "logarithms": shape + table * (likelihood - rate),
            "factors": (shape - 1.0) + table * (likelihood - rate),
        }
        assert np.abs(gradients.pop(mode)).max() < 1e-9
        assert np.abs(*gradients.values()).max() > 0.1


def test_maximum_likelihood_keeps_a_row_that_says_nothing_and_empties_one_of_zeros():
    model = PoissonGammaEM(3, max_iter=50, relative_gain_tol=0, random_state=0)
    state = model._start(V, model._seed())
    before = state.factors().W[4].copy()
    state.advance(50)
    np.testing.assert_array_equal(state.factors().W[4], before)
    assert state.factors().H[:, 6].max() <= 1e-149
    assert np.isfinite(state.objective())


# --- What must not matter --------------------------------------------------------------------

MODELS = {
    "em": PoissonGammaEM(3, max_iter=40, relative_gain_tol=0, random_state=0),
    "icm": PoissonGammaICM(3, max_iter=40, relative_gain_tol=0, random_state=0),
    "vb": PoissonGammaVB(3, max_iter=140, relative_gain_tol=0, random_state=0),
    "bp": BernoulliPoissonVB(3, max_iter=140, relative_gain_tol=0, random_state=0),
}
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_sparse_and_dense_matrices_give_the_same(name):
    model = MODELS[name]
    values = np.minimum(V, 1) if name == "bp" else V
    dense = model.fit(values)
    W, H, expectation = dense.W_.copy(), dense.H_.copy(), dense.expectation_.copy()
    sparse = model.fit(sparse_of(values))
    assert not sparse.has_expectation
    np.testing.assert_allclose(sparse.W_, W, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(sparse.H_, H, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(sparse.expectation_, expectation, rtol=1e-7)
    rows = sparse_of(values[:3])
    np.testing.assert_allclose(model.transform(rows), model.transform(values[:3]), rtol=1e-9)


@every_model
def test_permuted_components_and_a_transposed_matrix_give_the_same(name):
    """W, H and their priors change places; one step of W first then is one of H first."""
    values = np.minimum(V, 1) if name == "bp" else V
    order = RNG.permutation(K)
    one, other = (
        point.PointState(Observations(values, False), start, None, False, True)
        for start in ((W0, H0), (W0[:, order], H0[:, order]))
    )
    for state in (one, other):
        state.advance(5)
    np.testing.assert_allclose(one.factors().W[:, order], other.factors().W, rtol=1e-12)
    is_binary = name == "bp"
    state = state_of(values, is_binary)
    turned = VariationalState(
        Observations(np.ascontiguousarray(values.T), is_binary),
        FactorPosterior(prior(PRIOR_H, (FIXED, FIXED), 13), H0.copy()),
        FactorPosterior(prior(PRIOR_W, (FIXED, FIXED), 9), W0.copy()),
        chance,
        True,
        0,
    )
    state.advance(800)
    turned.advance(800)
    assert turned.objective() == pytest.approx(state.objective(), rel=1e-6)


@pytest.mark.parametrize("mean_W", [1.0, 5.0])
@pytest.mark.parametrize("mean_H", [None, 0.3])
def test_a_mean_of_H_that_is_not_given_fits_the_matrix_whatever_that_of_W(mean_W, mean_H):
    model = PoissonGammaICM(K, mean_W=mean_W, mean_H=mean_H, max_iter=1, relative_gain_tol=0, random_state=0).fit(V)
    assert (model.mean_W_ == mean_W).all()
    if mean_H is None:  # E[WH] is the mean of what is observed, smoothed as `mean_rate` says
        seen = V[V >= 0]
        np.testing.assert_allclose(model.mean_W_ @ model.mean_H_, (seen.sum() + 0.5) / (seen.size + 1), rtol=1e-12)
    else:
        assert (model.mean_H_ == mean_H).all()


# --- New lines -------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ALLOWED_TIES)
def test_the_prior_of_a_new_line_is_the_average_of_those_of_lines(ties):
    of = prior(PRIOR_W, ties, 9)
    for numbers in (of.shape, of.mean):
        numbers[:] = RNG.gamma(2.0, 1.0, numbers.shape)
    found = of.new_row_prior()
    for name, numbers in (("shape", of.shape), ("mean", of.mean)):
        for k in range(K):
            own = [np.broadcast_to(numbers, (9, K))[row, k] for row in range(9)]
            assert found[name][k] == pytest.approx(sum(own) / 9, rel=1e-12)


@every_model
def test_a_new_line_is_where_the_fit_would_leave_it(name):
    """At rest, a training row folded in given the fitted H has the W of the fit."""
    values = np.minimum(V, 1) if name == "bp" else V
    model = MODELS[name].__class__(**MODELS[name].get_params())
    fixed = {key: FIXED for key in model.get_params() if key.startswith("tie")}
    model.set_params(max_iter=6000, **fixed).fit(values)
    found = model.transform(values)
    observed = (values >= 0).any(axis=1)
    rates = found[observed] @ model.H_
    np.testing.assert_allclose(rates, model.W_[observed] @ model.H_, rtol=0.02, atol=2e-3)
    columns = model.transform_columns(values)
    rates = model.W_ @ columns
    np.testing.assert_allclose(rates, model.W_ @ model.H_, rtol=0.05, atol=5e-3)
    np.testing.assert_array_equal(model.transform(values[2:3])[0], found[2])  # on its own


@pytest.mark.parametrize("make", [PoissonGammaVB, BernoulliPoissonVB, PoissonGammaEM, PoissonGammaICM])
def test_new_columns_are_new_rows_of_the_transposed_matrix(make):
    def known(W, H, *numbers):
        """A model that has learned factors, their geometric means, and priors (a, b) of W and of H."""
        model = make(3)
        model.row_names_ = model.column_names_ = None
        model.W_, model.H_ = W, H.T
        model.geometric_W_, model.geometric_H_ = 0.6 * W, 0.8 * H.T
        for name, number in zip(("shape_W_", "mean_W_", "shape_H_", "mean_H_"), numbers, strict=True):
            setattr(model, name, np.array(number))
        return model

    values = np.minimum(V, 1) if make is BernoulliPoissonVB else V
    W, H, a, b, c, d = W0[:, :3], H0[:, :3], [2.0, 3.0, 1.5], [1.0, 0.2, 4.0], [1.2, 5.0, 1.1], [0.3, 1.0, 2.0]
    model, turned = known(W, H, a, b, c, d), known(H, W, c, d, a, b)
    turned.geometric_W_, turned.geometric_H_ = model.geometric_H_.T, model.geometric_W_.T
    expected = turned.transform(np.ascontiguousarray(values.T)).T
    np.testing.assert_allclose(model.transform_columns(values), expected, rtol=1e-9)
    predicted = turned.predict_rows(np.ascontiguousarray(values.T)).T
    np.testing.assert_allclose(model.predict_columns(values), predicted, rtol=1e-9)
    if make is not PoissonGammaEM:  # which has no prior, whose mean a column without entries has
        with_nothing = np.column_stack([values, np.full(len(values), -1)]).astype(np.int32)
        np.testing.assert_allclose(model.transform_columns(with_nothing)[:, -1], d, rtol=1e-9)


@pytest.mark.parametrize(("mode", "less"), [("logarithms", 0.0), ("factors", 1.0)])
def test_a_new_point_is_at_the_mode_that_the_model_names(mode, less):
    """Where w Σ (x / λ - 1) h + a - w a / b is 0, cell by cell; of the mode of w itself with a - 1 for the first a."""
    model, rng = PoissonGammaICM(3, mode=mode), np.random.default_rng(12)
    model.row_names_ = model.column_names_ = None
    model.W_, model.H_ = rng.gamma(2.0, 0.5, (9, 3)), rng.gamma(2.0, 0.5, (3, 13))
    model.geometric_W_, model.geometric_H_ = model.W_, model.H_
    model.shape_W_, model.mean_W_ = np.array([2.0, 3.0, 1.5]), np.array([1.0, 0.2, 4.0])
    model.shape_H_, model.mean_H_ = np.array([1.2, 5.0, 1.1]), np.array([0.3, 1.0, 2.0])
    for found, other, a, b, lines in (
        (model.transform(V), model.H_.T, model.shape_W_, model.mean_W_, V),
        (model.transform_columns(V).T, model.W_, model.shape_H_, model.mean_H_, V.T),
    ):
        for w, x in zip(found, lines, strict=True):
            seen = x >= 0
            pull = (x[seen] / (other[seen] @ w) - 1) @ other[seen]
            np.testing.assert_allclose(w * pull + a - less - w * a / b, 0, atol=1e-4)


def test_a_new_line_with_nothing_observed_has_its_prior_mean():
    E = np.ones((5, 2))
    of = fold_in.FoldInPrior(np.array([0.5, 2.0]), np.array([1.0, 8.0]), True)
    found = fold_in.fold_in(np.full((1, 5), -1), E, E, of, False)
    np.testing.assert_allclose(found, [[0.5, 0.25]])


def test_a_line_is_folded_in_as_the_slow_twin_does():
    E = RNG.gamma(2.0, 1.0, (13, 3))
    L = E * RNG.uniform(0.4, 1.0, E.shape)  # a geometric mean is below the mean
    of = fold_in.FoldInPrior(np.array([0.5, 2.0, 1.0]), np.array([1.0, 8.0, 0.3]), True)
    for is_binary in (False, True):
        values = np.minimum(V, 1) if is_binary else V
        found = fold_in.fold_in(values, E, L, of, is_binary)
        own = np.ones((9, 3))
        exposure = (values >= 0).astype(float) @ E
        for _ in range(700):
            alpha = of.count + sources(values, own, L.T, is_binary).sum(axis=2)
            mean, own = mean_and_geometric_mean(alpha, 1 / (of.rate + exposure))
        np.testing.assert_allclose(found, mean, rtol=1e-3, atol=1e-6)


def test_nothing_is_learned_and_no_fit_is_done_before_components_have_parted():
    def learned(**settings):
        model = PoissonGammaVB(3, shape_W=0.7, random_state=0, **settings)
        return model.fit(COMPLETE), model.shape_W_[0]

    assert learned(max_iter=100, relative_gain_tol=0)[1] != 0.7  # half of few iterations
    for max_iter in (99, 100, 101):
        model = PoissonGammaVB(3, shape_W=0.7, max_iter=1000, random_state=0)
        state = model._start(COMPLETE, model._seed())
        state.advance(max_iter)
        assert (state.W.prior.shape[0, 0] == 0.7) == (max_iter <= 100)
    model, _ = learned(max_iter=2000, relative_gain_tol=1.0)
    assert model.n_iter_ == 120  # two looks after the first hundred
    fixed = {key: FIXED for key in model.get_params() if key.startswith("tie")}
    assert learned(max_iter=2000, relative_gain_tol=1.0, **fixed)[0].n_iter_ == 20


def test_the_binary_bound_is_below_the_exact_evidence_which_sums_to_one():
    of_W, of_H = (0.6, 1.0), (1.2, 0.8)
    exact = Exact(of_W, of_H)
    total = sum(
        np.exp(binary_evidence(np.reshape(v, (2, 2)), 2, of_W, of_H, exact))
        for v in itertools.product((0, 1), repeat=4)
    )
    assert total == pytest.approx(1.0, rel=1e-12)
    for values in ([[1, 0], [1, 1]], [[1, -1], [0, 1]], [[0, 0], [0, 1]]):
        values = np.array(values, np.int32)
        state = VariationalState(
            Observations(values, True),
            FactorPosterior(GammaPrior(*of_W, Ties(FIXED, FIXED), (2, 2)), W0[:2, :2].copy()),
            FactorPosterior(GammaPrior(*of_H, Ties(FIXED, FIXED), (2, 2)), H0[:2, :2].copy()),
            chance,
            True,
            0,
        )
        state.advance(300)
        log_p = binary_evidence(values, 2, of_W, of_H, exact)
        assert log_p - 5.0 < state.objective() < log_p
