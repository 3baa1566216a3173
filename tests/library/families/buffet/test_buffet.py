"""The chain of the Indian buffets: exact posteriors, Geweke's test, arrays that grow."""

import functools
import io
import itertools
import math
from contextlib import redirect_stdout

import buffet_twin as twin
import ladder
import numpy as np
import pytest
from scipy import stats

from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, MASS, NOISE, ROW_EFFECT, SLAB

links = pytest.mark.parametrize("logit", [False, True], ids=["gaussian", "logit"])
priors = pytest.mark.parametrize("name", ["cibp", "ibp"])
FULL = np.ones((3, 2), bool)
HOLE = np.array([[True, True], [False, True], [True, True]])
OF_LINK = {False: (MASS, NOISE, SLAB), True: (MASS, SLAB, ROW_EFFECT, COLUMN_EFFECT)}


def example(logit, seed=1, shape=(6, 9), p_missing=0.2):
    """Return values and where they are observed."""
    rng = np.random.default_rng(seed)
    fit = np.outer(rng.normal(size=shape[0]), rng.normal(size=shape[1])) * 1.5
    values = (rng.random(shape) < 1 / (1 + np.exp(-2 * fit))).astype(float) if logit else fit
    if not logit:
        values = values + rng.normal(0, 0.5, shape)
    return values, rng.random(shape) >= p_missing


# --- The log joint ----------------------------------------------------------------------------


@pytest.mark.parametrize("effects", ["around 0", "rows", "columns", "both"])
@links
@priors
def test_the_log_joint_is_that_of_the_model(logit, name, effects):
    """With effects around 0, and around an intercept."""
    values, observed = example(logit)
    start = twin.numbers(row=0.4 * (effects != "columns"), column=0.7 * (effects != "rows"))
    learned = [number for number in OF_LINK[logit] if start[number]] + [INTERCEPT] * (logit and effects != "around 0")
    table, prior = twin.priors_of(*learned), twin.prior_of(name)
    chain = twin.chain_on(values, observed, logit, prior, start, table, (1,), capacity=1)
    for _ in range(5):
        chain.sweep(3)
        state, drawn = twin.take(chain)
        hidden = np.where(observed, values, np.nan)
        expected = twin.log_joint(hidden, logit, prior, state, drawn, table)
        assert chain.log_joint() == pytest.approx(expected, rel=1e-11)
        # The numbering of features, of rows and of columns has no part in it.
        rng = np.random.default_rng(2)
        rows, columns = rng.permutation(6), rng.permutation(9)
        other = twin.chain_on(values[rows][:, columns], observed[rows][:, columns], logit, prior, drawn, table, (1,))
        features = rng.permutation(chain.K)
        moved = (state[0][rows][:, features], state[1][features][:, columns], state[2][rows], state[3][columns])
        twin.put(other, moved, drawn)
        assert other.log_joint() == pytest.approx(expected, rel=1e-11)
        if logit:  # with zeros for ones, all log-odds have the other sign
            other = twin.chain_on(1 - values, observed, logit, prior, drawn, table, (1,))
            flipped = drawn * np.where(np.arange(drawn.size) == INTERCEPT, -1, 1)
            twin.put(other, (-state[0], state[1], -state[2], -state[3]), flipped)
            assert other.log_joint() == pytest.approx(expected, rel=1e-11)


@links
def test_log_odds_of_any_size_have_a_likelihood(logit):
    values, observed = example(logit)
    chain = twin.chain_on(values, observed, logit, twin.prior_of("cibp"), twin.numbers(), twin.FIXED, (1,))
    rng = np.random.default_rng(3)
    for size in (1.0, 30.0, 600.0):
        B, Z = size * rng.normal(size=(6, 1)), rng.normal(size=(1, 9))
        twin.put(chain, (B, Z, np.zeros(6), np.zeros(9)), twin.numbers())
        fit = B @ Z
        if logit:
            t = np.where(values == 1, fit, -fit)[observed]
            expected = -np.logaddexp(0, -t).sum()
        else:
            expected = stats.norm.logpdf(values, fit, math.sqrt(0.5))[observed].sum()
        nothing = twin.chain_on(values, np.zeros_like(observed), logit, chain.prior, twin.numbers(), twin.FIXED, (1,))
        twin.put(nothing, (B, Z, np.zeros(6), np.zeros(9)), twin.numbers())
        assert chain.log_joint() - nothing.log_joint() == pytest.approx(expected, rel=1e-9)


# --- Room -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gaussian", "complete", "logit"])
def test_the_first_capacity_changes_no_bit(kind):
    # Many features, in the middle of sweeps, kept ones included.
    logit = kind == "logit"
    values, observed = example(logit, shape=(9, 14), p_missing=0.2 * (kind != "complete"))
    prior, table = twin.prior_of("ibp", mass=9.0), twin.priors_of(NOISE, SLAB, ROW_EFFECT)
    ends = []
    for capacity in (1, 2, 7, 200):
        chain = twin.chain_on(
            values, observed, logit, prior, twin.numbers(mass=9.0), table, (2,), capacity=capacity, samples=60
        )
        chain.sweep(20)
        chain.sweep(20, 1 / 9)
        chain.sweep(60, keep=True)
        ends.append(chain.snapshot())
    assert ends[0]["sizes"].max() > 8
    for other in ends[1:]:
        assert ends[0].keys() == other.keys()
        for name, array in ends[0].items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


@priors
def test_complete_data_are_swept_by_sums_as_by_cells(name):
    # With at most as many columns as lanes both take their random numbers in the same order.
    values, _ = example(False, shape=(9, 16), p_missing=0)
    options = {"capacity": 1, "samples": 20}
    by_sums, by_cells = (
        twin.chain_on(
            values,
            np.ones((9, 16), bool),
            False,
            twin.prior_of(name, mass=9.0),
            twin.numbers(mass=9.0),
            twin.priors_of(NOISE, SLAB),
            (3,),
            by_cells=by,
            **options,
        )
        for by in (False, True)
    )
    for chain in by_sums, by_cells:
        chain.sweep(20)
        chain.sweep(10, 0.3)
        chain.sweep(20, keep=True)
    one, other = by_sums.snapshot(), by_cells.snapshot()
    assert by_sums.births[1] > 5
    assert one["sizes"].max() > 2
    for key, array in one.items():
        np.testing.assert_allclose(array, other[key], rtol=1e-7, atol=1e-7, err_msg=key)


@pytest.mark.parametrize("kind", ["gaussian", "complete", "logit"])
def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits(kind):
    logit = kind == "logit"
    values, observed = example(logit, shape=(9, 14), p_missing=0.2 * (kind != "complete"))
    table = twin.priors_of(*OF_LINK[logit])

    def made(seed, capacity):
        return twin.chain_on(
            values,
            observed,
            logit,
            twin.prior_of("cibp", mass=4.0),
            twin.numbers(),
            table,
            (seed,),
            capacity=capacity,
            samples=30,
            learned_shapes=("alpha", "kappa"),
            keeps_covariance=True,
        )

    one, other = made(3, 2), made(4, 1)
    other.sweep(7)
    one.sweep(10)
    one.sweep(10, keep=True)
    other.restore({name: array.copy() for name, array in one.snapshot().items()})
    for chain in one, other:
        chain.sweep(20, keep=True)
    for name, array in one.snapshot().items():
        np.testing.assert_array_equal(array, other.snapshot()[name], err_msg=name)
    assert one.mean_numbers() == other.mean_numbers()
    np.testing.assert_array_equal(one.mean_covariance(), other.mean_covariance())
    assert one.prior.alpha != 1.2
    assert one.prior.kappa != 0.9


def test_sums_and_the_best_state_are_those_of_the_kept_sweeps():
    values, observed = example(False)
    table = twin.priors_of(*OF_LINK[False])
    options = {"capacity": 1, "samples": 25}
    options["learned_shapes"] = "alpha", "kappa"
    chain, single = (
        twin.chain_on(values, observed, False, twin.prior_of("cibp", mass=3.0), twin.numbers(), table, (5,), **options)
        for _ in range(2)
    )
    for one in chain, single:
        one.sweep(5)
    chain.sweep(25, keep=True)
    mean, square, best, sizes, total, shapes = 0.0, 0.0, (-math.inf, None), [], np.zeros(6), np.zeros(2)
    for _ in range(25):
        single.sweep(1)
        shapes += single.prior.alpha, single.prior.kappa
        state, drawn = twin.take(single)
        fit = state[0] @ state[1]
        mean, square, total = mean + fit, square + fit**2, total + drawn
        sizes.append(single.K)
        if single.log_joint() > best[0]:
            best = single.log_joint(), single.state()
    np.testing.assert_allclose(chain.mean_sums()[0], mean, atol=1e-12)
    np.testing.assert_allclose(chain.mean_sums()[1], square, atol=1e-12)
    np.testing.assert_array_equal(chain.sizes, sizes)
    np.testing.assert_allclose(
        [chain.mean_numbers()[name] for name in ("mass", "noise_variance", "slab_variance")], total[:3] / 25, rtol=1e-12
    )
    np.testing.assert_allclose([chain.mean_numbers()[name] for name in ("alpha", "kappa")], shapes / 25, rtol=1e-12)
    found = chain.best_state()
    order = np.lexsort(-(best[1].B != 0).astype(int)[::-1])
    np.testing.assert_array_equal(found.B, best[1].B[:, order])
    np.testing.assert_array_equal(found.Z, best[1].Z[order])


def test_without_data_scores_and_loadings_are_not_read():
    # A row and a column of which nothing is known change nothing but their own numbers of dishes.
    values, observed = example(True)
    empty = np.zeros_like(observed)
    chain = twin.chain_on(values, empty, True, twin.prior_of("cibp"), twin.numbers(), twin.FIXED, (6,))
    other = twin.chain_on(1 - values, empty, True, twin.prior_of("cibp"), twin.numbers(), twin.FIXED, (6,))
    for one in chain, other:
        one.sweep(50)
    np.testing.assert_array_equal(chain.snapshot()["B"], other.snapshot()["B"])


def test_interpreted_code_does_what_compiled_code_does():
    script = """
import sys
sys.path.insert(0, "tests/support")
import numpy as np, buffet_twin as twin
for logit in (False, True):
    rng = np.random.default_rng(1)
    values, observed = rng.integers(0, 2, (4, 5)).astype(float), rng.random((4, 5)) < 0.8
    prior, table = twin.prior_of("cibp", mass=3.0), twin.LEARNED
    chain = twin.chain_on(values, observed, logit, prior, twin.numbers(), table, (7,), capacity=1,
                          samples=5)
    chain.sweep(15)
    chain.sweep(5, keep=True)
    print(*chain.snapshot()["B"].ravel(), *chain.snapshot()["Z"].ravel(), *chain._state.numbers)
"""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(script, {})
    text = ladder.run_apart(script, "unused", NUMBA_DISABLE_JIT="1")
    one, other = (np.array(x.split(), float) for x in (out.getvalue(), text))
    np.testing.assert_allclose(one, other, rtol=1e-6)


# --- The exact posterior of K+ ----------------------------------------------------------------


def exact_law_of_K(values, prior, most, seed=0):
    """Return p(K+ | V), (most + 1,), of two rows: loadings by quasi-Monte Carlo.

    Classes are enumerated. Given Ξ with a, b and c columns (1,0)', (0,1)' and (1,1)', and with
    scores integrated out, columns of V are N(0, BB' + σ²), where BB' is a sum of χ² numbers and a
    Wishart matrix.
    """
    noise, slab = twin.numbers()[NOISE], twin.numbers()[SLAB]
    u = stats.qmc.Sobol(5, seed=seed).random(2**13).T
    chi2 = functools.cache(lambda d, at: stats.chi2(d).ppf(u[at]) if d > 0 else 0.0)
    normal = stats.norm.ppf(u[4])
    S = values @ values.T
    n = values.shape[1]
    evidence = np.zeros(most + 1)
    for a, b, c in itertools.product(range(most + 1), repeat=3):
        if a + b + c > most:
            continue
        Xi = np.array([[1, 0]] * a + [[0, 1]] * b + [[1, 1]] * c, int).reshape(-1, 2).T
        first, second, cross = slab * chi2(a, 0), slab * chi2(b, 1), 0.0
        if c:
            first = first + slab * chi2(c, 2)
            second = second + slab * (normal**2 + chi2(c - 1, 3))
            cross = slab * normal * np.sqrt(chi2(c, 2))
        A, C = first + noise, second + noise
        det = A * C - cross**2
        fit = (C * S[0, 0] - 2 * cross * S[0, 1] + A * S[1, 1]) / det
        density = np.exp(-0.5 * fit - 0.5 * n * np.log(det))
        evidence[a + b + c] += math.exp(twin.log_pmf(prior, Xi)) * np.mean(density)
    return evidence / evidence.sum()


@priors
def test_the_distribution_of_K_is_the_exact_posterior(name):
    # σ² and τ fixed, p = 2, n = 3. Means of indicators, false alarm rate 1e-6; the quadrature's own
    # error, below 0.0005 by another seed, is added.
    values = np.array([[1.6, -0.3, 1.1], [1.2, 0.4, -0.9]])
    prior, most = twin.prior_of(name), 7
    exact = exact_law_of_K(values, prior, most)
    other = exact_law_of_K(values, prior, most, seed=1)
    assert np.abs(exact - other).max() < 5e-4
    assert np.abs(exact - stats.poisson(prior.expected_features(2)).pmf(range(8))).max() > 0.05
    chain = twin.chain_on(
        values, np.ones((2, 3), bool), False, prior, twin.numbers(), twin.FIXED, (8,), samples=100_000
    )
    chain.sweep(200)
    chain.sweep(100_000, keep=True)
    draws = chain.sizes[:, None] == np.arange(5)
    mean, error = ladder.batch_means(draws)
    p = ladder.means_p(mean, np.hypot(error, 5e-4), exact[:5])
    assert p > ladder.FALSE_ALARM, f"p = {p:.1e}: {mean}, exact {exact[:5]}"


# --- Geweke's test ----------------------------------------------------------------------------


@pytest.mark.statistics
@links
@priors
@pytest.mark.parametrize("kind", ["complete", "hole, learned", "few asked"])
def test_geweke(logit, name, kind):
    learned = kind != "complete"
    table = twin.priors_of(*OF_LINK[logit]) if learned else twin.FIXED
    share = 0.4 if kind == "few asked" else 1.0
    observed = HOLE if kind == "hole, learned" else FULL
    found = twin.geweke(logit, twin.prior_of(name), table, observed, 1, 15_000, share, 4_000)
    twin.assert_same(*found)


@pytest.mark.statistics
@priors
@pytest.mark.parametrize("absent", [{}, {"row": 0.0}, {"column": 0.0}, {"row": 0.0, "column": 0.0}])
def test_geweke_with_an_intercept_and_a_choice_of_effects(name, absent):
    """All numbers learned, but those of effects that are not there."""
    prior = twin.prior_of(name)
    start = twin.numbers(mass=prior.mass, **absent)
    there = [number for number in (*OF_LINK[True], INTERCEPT) if start[number] or number == INTERCEPT]
    if len(absent) == 2:
        there.remove(INTERCEPT)
    found = twin.geweke(True, prior, twin.priors_of(*there), HOLE, 1, 15_000, 1.0, 4_000, start=start)
    twin.assert_same(*found)


@pytest.mark.long
@links
@priors
@pytest.mark.parametrize("shape", [(3, 2), (5, 4)])
def test_geweke_for_long(logit, name, shape):
    observed = np.random.default_rng(5).random(shape) < 0.85
    table = twin.priors_of(*OF_LINK[logit])
    found = twin.geweke(logit, twin.prior_of(name), table, observed, 2, 1_500_000, 1.0, 100_000)
    twin.assert_same(*found)


# --- A slow twin, and the sampler as it is printed --------------------------------------------


def slow_sweep(V, state, drawn, prior, rng, printed):
    """Sweep as the equations stand; `printed`: births as in section 4.2 of the paper."""
    B, Z = state[0].copy(), state[1].copy()
    (p, n), noise, slab = V.shape, drawn[NOISE], drawn[SLAB]
    rate = math.exp(prior.log_rate(p)) / prior.mass * drawn[MASS]

    def gain(r, v):
        return -0.5 * n * math.log(noise + v) - 0.5 * (r**2).sum() / (noise + v)

    for j in range(p):
        for k in range(B.shape[1]):
            others = np.count_nonzero(np.delete(B[:, k], j))
            if others == 0 and not (printed and prior.alpha > 0):
                if printed:
                    B[j, k] = 0.0
                continue
            r = V[j] - B[j] @ Z + B[j, k] * Z[k]
            variance = 1 / ((Z[k] ** 2).sum() / noise + 1 / slab)
            mean = variance * (Z[k] @ r) / noise
            odds = (others + prior.alpha) / (prior.kappa + p - others)
            log_odds = math.log(odds) + 0.5 * math.log(variance / slab) + mean**2 / (2 * variance)
            there = rng.random() < 1 / (1 + math.exp(-log_odds))
            B[j, k] = rng.normal(mean, math.sqrt(variance)) if there else 0.0
        single = (np.count_nonzero(B, axis=0) == 1) & (B[j] != 0)
        if printed:
            single[:] = False
        new = rng.poisson(1.0)
        beta = rng.normal(0, math.sqrt(slab), new)
        r = V[j] - B[j, ~single] @ Z[~single]
        before, after = (B[j, single] ** 2).sum(), (beta**2).sum()
        log_A = gain(r, after) - gain(r, before) + (new - single.sum()) * math.log(rate)
        if math.log(rng.random()) < log_A:
            B, Z = B[:, ~single], Z[~single]
            column = np.zeros((p, new))
            column[j] = beta
            A = np.eye(new) + np.outer(beta, beta) / noise
            mean = np.linalg.solve(A, np.outer(beta, r) / noise)
            noise_of = np.linalg.cholesky(np.linalg.inv(A)) @ rng.normal(size=(new, n))
            B, Z = np.hstack([B, column]), np.vstack([Z, mean + noise_of])
    used = B.any(axis=0)
    B = B[:, used]
    A = np.eye(B.shape[1]) + B.T @ B / noise
    root = np.linalg.cholesky(np.linalg.inv(A))
    Z = np.linalg.solve(A, B.T @ V / noise) + root @ rng.normal(size=(B.shape[1], n))
    return (B, Z, state[2], state[3]), drawn


def slow_geweke(name, printed, sweeps):
    rng, prior = np.random.default_rng(9), twin.prior_of(name)

    def one():
        state, drawn = twin.draw_state(prior, twin.numbers(), twin.FIXED, (3, 2), False, rng)
        return twin.draw_values(state, drawn, False, rng), state, drawn

    def described(V, state, drawn):
        return twin.statistics(V, FULL, state, drawn, False)

    expected = np.array([described(*one()) for _ in range(3000)])
    (_, state, drawn), found = one(), []
    for _ in range(sweeps):
        V = twin.draw_values(state, drawn, False, rng)
        state, drawn = slow_sweep(V, state, drawn, prior, rng, printed)
        found.append(described(V, state, drawn))
    return expected, np.array(found)


@pytest.mark.statistics
@priors
def test_the_slow_twin_is_right_and_the_printed_sampler_is_not(name):
    twin.assert_same(*slow_geweke(name, False, 2500))
    scores = twin.scores_of(*slow_geweke(name, True, 7000))
    assert np.abs(scores).max() > 6
