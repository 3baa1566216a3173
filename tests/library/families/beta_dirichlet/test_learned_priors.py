"""Priors that a fit learns: each renewal against slow twins, and chains against exact answers."""

import inspect
import itertools
import math
import os

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import blocks_matrix
from naive import twin_probabilities
from scipy import stats
from scipy.special import digamma, gammaincc, gammainccinv

import nbmf
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet import prior_learners as learning
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import SMALLEST_SHRINKAGE, BetaPrior, DirichletPrior, Shrinkage
from nbmf.families.beta_dirichlet.kernels import learning as kernels
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.progress import FitRecorder

LEARNED = {"alpha": "learn", "beta": "learn"}
COLUMNS = {"alpha": "learn-columns", "beta": "learn-columns"}


def fixed_means(prior, means):
    """Give a prior of columns other means, so that they are no function of the data."""
    prior.means = np.asarray(means, float)
    return prior


# --- The sums over counts --------------------------------------------------------------------


def test_digamma_agrees_with_scipy():
    # The function has a zero at 1.46: near it the error is absolute.
    x = np.concatenate([np.geomspace(1e-6, 1e6, 3000), np.linspace(0.5, 8, 3000)])
    actual = [kernels.digamma(float(each)) for each in x]
    np.testing.assert_allclose(actual, digamma(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("x", [1e-6, 1e-3, 0.3, 1.0, 7.7, 1e3, 1e6])
def test_log_rising_sum_multiplies_factor_by_factor(x):
    # 32 is the last count that is multiplied out; small factors underflow, large ones overflow.
    for count in [0, 1, 2, 3, 31, 32, 33, 34, 100, 2000]:
        actual = kernels.log_rising_sum(np.array([[count]]), np.array([x]))
        assert actual == pytest.approx(naive.rising(x, count), rel=1e-10, abs=1e-10)


def test_log_rising_sum_adds_lines_and_columns_of_unequal_priors():
    rng = np.random.default_rng(1)
    counts, prior = rng.integers(0, 60, (50, 40)), np.geomspace(1e-6, 1e6, 40)
    expected = math.fsum(naive.rising(prior[n], counts[line, n]) for line in range(50) for n in range(40))
    assert kernels.log_rising_sum(counts, prior) == pytest.approx(expected, rel=1e-10)


def test_log_rising_sum_of_nothing_is_zero():
    assert kernels.log_rising_sum(np.zeros((0, 3), int), np.ones(3)) == 0.0
    assert kernels.log_rising_sum(np.zeros((4, 3), int), np.full(3, 1e-6)) == 0.0


# --- CVB0 ------------------------------------------------------------------------------------


def cvb0_with(codes, K, prior, gamma, *key, **options):
    tables = prior.tables()
    return BetaDirCVB0(codes, K, **tables, gamma=gamma, seed=ladder.seed_sequence(*key), **options)


@st.composite
def priors_of_columns(draw, N):
    """Draw α and β, as scalars or per column: arrays (N,) and what the constructor takes."""
    number = st.floats(0.02, 4.0)
    if draw(st.booleans()):
        alpha, beta = draw(number), draw(number)
        return np.full(N, alpha), np.full(N, beta), alpha, beta
    columns = st.lists(number, min_size=N, max_size=N).map(np.array)
    alpha, beta = draw(columns), draw(columns)
    return alpha, beta, alpha[None], beta[None]


@ladder.PROPERTY
@given(ladder.problems(1), st.integers(1, 2), st.integers(0, 4), st.data())
def test_expected_digammas_agree_with_the_slow_twin(problem, n_blocks, n_iter, data):
    # Counts below 0.001 are taken to be 0 or 1, which changes their part by at most 0.1 %.
    codes, K, (gamma,), _ = problem
    alpha, beta, *given_as = data.draw(priors_of_columns(codes.shape[1]))
    cvb0 = BetaDirCVB0(codes, K, *given_as, gamma, ladder.seed_sequence(1), n_blocks=n_blocks)
    cvb0.update(n_iter)
    R = cvb0.responsibilities.astype(float)
    expected = naive.expected_digammas(codes, R, alpha, beta)
    np.testing.assert_allclose(cvb0.expected_digammas(alpha, beta), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("x", [1e-6, 0.02, 0.7, 3.0])
@pytest.mark.parametrize("r", [1e-7, 5e-4, 2e-3, 0.3, 1.0])
def test_a_count_of_one_cell_is_zero_or_one(r, x):
    # E[ψ(x + n) - ψ(x)] = r / x, exactly, however small r is.
    none = np.float32(1 - r)
    actual = kernels._expected_difference(x, digamma(x), r, none)
    assert actual == pytest.approx(r / x, rel=1e-4)


@pytest.mark.parametrize("n_blocks", [1, 2, 3])
def test_expected_digammas_agree_with_the_slow_twin_large(n_blocks):
    rng = np.random.default_rng(2)
    codes = ladder.large_matrix(30, 23, 0.25, rng, 3, 4)
    alpha, beta = rng.uniform(0.01, 3, (2, 23))
    options = {"n_blocks": n_blocks, "seed": ladder.seed_sequence(2)}
    cvb0 = BetaDirCVB0(codes, 40, alpha[None], beta[None], 1 / 40, **options)
    cvb0.update(15)
    R = cvb0.responsibilities.astype(float)
    expected = naive.expected_digammas(codes, R, alpha, beta)
    np.testing.assert_allclose(cvb0.expected_digammas(alpha, beta), expected, rtol=1e-3, atol=1e-5)
    # The correction is what matters: with E[n] for n the sums would be others.
    L, A, _ = naive.expected_counts(codes, R)
    assert L.min() < 0.01  # there are components hardly used
    naively = (digamma(alpha + A) - digamma(alpha)).sum(axis=0)
    assert (naively[A.sum(axis=0) > 0] > 1.05 * expected[0][A.sum(axis=0) > 0]).mean() > 0.5


@pytest.mark.parametrize("n_blocks", [1, 2])
@pytest.mark.parametrize("kind", ["learn", "learn-columns"])
def test_a_renewal_is_a_step_of_minka(kind, n_blocks):
    codes = ladder.large_matrix(14, 11, 0.25, np.random.default_rng(3), 3, 4)
    prior = BetaPrior(kind, kind, codes, 6)
    cvb0 = cvb0_with(codes, 6, prior, 1 / 6, 3, n_blocks=n_blocks)
    cvb0.update(7)
    R = cvb0.responsibilities.astype(float)
    before = {name: float(value) for name, value in prior.learned.items()}
    tables = learning.CVB0Learner(cvb0, prior).renew()
    if kind == "learn":
        assert before == {"alpha": 1.0, "beta": 1.0}
        expected = naive.minka_step(codes, R, 1.0, 1.0)
        assert [float(prior.learned[name]) for name in ("alpha", "beta")] == pytest.approx(expected, rel=1e-3)
        for table, number in zip((tables["alpha"], tables["beta"]), expected, strict=True):
            np.testing.assert_allclose(table, np.full((1, 11), number), rtol=1e-3)
    else:
        assert before == {"strength": 2.0}
        means = prior.means
        expected = naive.minka_step_of_strength(codes, R, before["strength"], means)
        assert float(prior.learned["strength"]) == pytest.approx(expected, rel=1e-3)
        np.testing.assert_allclose(tables["alpha"], expected * means[None], rtol=1e-3)
        np.testing.assert_allclose(tables["beta"], expected * (1 - means)[None], rtol=1e-3)


@pytest.mark.parametrize("names", [("alpha", "beta"), ("alpha",), ("beta",), ("strength",)])
def test_renewals_at_integer_counts_end_at_the_mode(names):
    # Counts of a one-hot start are certain: nothing is approximated, and the fixed point is where
    # log p(V, Z) + Σ log x - x is stationary, x having a Gamma(2, 1) prior each.
    codes, K = ladder.large_matrix(20, 9, 0.2, np.random.default_rng(4), 3, 4), 4
    given_as = {name: "learn" if name in names else 0.7 for name in ("alpha", "beta")}
    if names == ("strength",):
        given_as = COLUMNS
    prior = BetaPrior(**given_as, codes=codes, K=K)
    cvb0 = cvb0_with(codes, K, prior, 0.5, 4)
    learner = learning.CVB0Learner(cvb0, prior)
    for _ in range(3000):
        learner.renew()
    assert tuple(prior.learned) == names

    def log_posterior(name, x):
        alpha, beta = (table[None] for table in prior.column_values(**{name: x}))
        counts = beta_dir.Counts(*(np.rint(c).astype(int) for c in cvb0.counts()))
        return beta_dir.log_joint_of_counts(counts, alpha, beta, 0.5) + math.log(x) - x

    for name, number in prior.learned.items():
        x, h = float(number), 1e-4
        slope = (log_posterior(name, x * (1 + h)) - log_posterior(name, x * (1 - h))) / (2 * h)
        assert abs(slope) < 1e-4
        assert learning.SMALLEST < x < learning.LARGEST


def test_another_prior_keeps_the_expected_counts():
    codes = ladder.large_matrix(40, 35, 0.25, np.random.default_rng(5), 3, 4)
    rng = np.random.default_rng(5)
    cvb0 = BetaDirCVB0(codes, 7, 1.0, 1.0, 1 / 7, ladder.seed_sequence(5), n_blocks=2)
    cvb0.update(3)
    before = cvb0.counts()
    for alpha, beta in [(0.3, 2.0), tuple(rng.uniform(0.01, 50, (2, 1, 35))), (1.0, 1.0)]:
        cvb0.set_beta_prior(alpha, beta)
        for one, other in zip(cvb0.counts(), before, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
    cvb0.set_beta_prior(alpha := rng.uniform(0.1, 2, (1, 35)), beta := rng.uniform(0.1, 2, (1, 35)))
    R = cvb0.responsibilities.astype(float)
    cvb0.update()
    alpha, beta = alpha[0], beta[0]
    for f, n in naive.interleaved_scan(codes, 2):  # and the next update sees the new prior
        R[f, n] = 0
        ones, zeros = codes[:, n] == 1, codes[:, n] == 0
        sums = R[f].sum(axis=0), R[ones, n].sum(axis=0), R[zeros, n].sum(axis=0)
        R[f, n] = naive.beta_dir_weights(codes[f, n], *sums, alpha[n], beta[n], 1 / 7)
    np.testing.assert_allclose(cvb0.responsibilities, R, atol=2e-5)


def test_learning_changes_no_bit_before_the_first_renewal():
    codes = ladder.large_matrix(40, 35, 0.25, np.random.default_rng(6), 3, 4)
    fixed, learned = (BetaPrior(a, a, codes, 9) for a in (1.0, "learn"))
    one, other = (cvb0_with(codes, 9, prior, 1 / 9, 6) for prior in (fixed, learned))
    for cvb0 in one, other:
        cvb0.update(learning.CVB0Learner.every)
    np.testing.assert_array_equal(one.responsibilities, other.responsibilities)
    learning.CVB0Learner(other, learned).renew()
    other.update()
    one.update()
    assert not np.array_equal(one.responsibilities, other.responsibilities)


def test_interpreted_sums_are_those_of_compiled_code(tmp_path):
    # But for the last bits: Python's logarithms are those of another library.
    script = """
import numpy as np
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.kernels.learning import log_rising_sum
rng = np.random.default_rng(1)
codes = rng.integers(-1, 2, (9, 11)).astype(np.int8)
alpha, beta = rng.uniform(0.1, 2, (2, 11))
model = BetaDirCVB0(codes, 11, alpha[None], beta[None], 0.1, np.random.SeedSequence(1), n_blocks=2)
model.update(3)
sums = model.expected_digammas(alpha, beta)
rising = log_rising_sum(rng.integers(0, 50, (5, 11)), alpha)
print(*sums.ravel(), rising)
"""
    interpreted = ladder.run_apart(script, tmp_path, NUMBA_DISABLE_JIT="1")
    compiled = ladder.run_apart(script, os.environ.get("NUMBA_CACHE_DIR", tmp_path))
    one, other = (np.array(text.split(), float) for text in (interpreted, compiled))
    np.testing.assert_allclose(one, other, rtol=1e-12)


# --- Slices ----------------------------------------------------------------------------------

DELTAS = np.array([0.0, -2.0, -0.3, 0.4, 1.7])  # of the logarithm, where densities are compared
MOVE = 0.25  # by which each number is moved, so that later ones have to see it


def densities_of(learner, monkeypatch):
    """Return, per number a renewal draws, its logarithm and the log densities at DELTAS from it."""
    calls = []

    def spy(log_density, now, rng):
        values = np.array([log_density(now + delta) for delta in DELTAS])
        calls.append((now, values - values[0]))
        return now + MOVE

    monkeypatch.setattr(learning, "draw_from_slice", spy)
    learner.renew(0)
    return calls


def compare(calls, numbers, log_joint, hyperpriors):
    """Compare the densities of a renewal with ratios of joints, number by number.

    numbers : list of floats, which become exp(MOVE) as large one after the other
    log_joint : function of such a list
    hyperpriors : list of (middle, scale) of the Normal law of each logarithm
    """
    assert len(calls) == len(numbers)
    numbers = list(numbers)
    for i, ((now, actual), (middle, scale)) in enumerate(zip(calls, hyperpriors, strict=True)):
        assert now == pytest.approx(math.log(numbers[i]), abs=1e-12)

        def expected(log_x, i=i, middle=middle, scale=scale):
            changed = [*numbers[:i], math.exp(log_x), *numbers[i + 1 :]]
            return log_joint(changed) + stats.norm.logpdf(log_x, middle, scale)

        values = np.array([expected(now + delta) for delta in DELTAS])
        np.testing.assert_allclose(actual, values - values[0], rtol=1e-10, atol=1e-10)
        numbers[i] *= math.exp(MOVE)


CODES = ladder.large_matrix(13, 9, 0.25, np.random.default_rng(7), 3, 4)
TALL = ladder.large_matrix(180, 6, 0.25, np.random.default_rng(9), 3, 4)  # counts above LARGEST_FACTORS


def chain_and_learner(alpha, beta, gamma, K=5, codes=CODES):
    """Return a chain of Beta-Dir after some sweeps, its learner and its priors."""
    prior = BetaPrior(alpha, beta, codes, K)
    weights = DirichletPrior("gamma", gamma, K)
    seed = ladder.seed_sequence(8)
    chain = BetaDirChain(codes, K, **prior.tables(), gamma=weights.value, seed=seed)
    chain.sweep(5)
    return chain, learning.SliceLearner(chain, prior, {"L": weights}, seed), prior, weights


@pytest.mark.parametrize("codes", [CODES, TALL], ids=["few rows", "many"])
@pytest.mark.parametrize(
    ("alpha", "beta", "names"),
    [
        ("learn", "learn", ("alpha", "beta")),
        ("learn", 0.6, ("alpha",)),
        (1.7, "learn", ("beta",)),
        ("learn-columns", "learn-columns", ("strength",)),
    ],
)
def test_slices_of_the_beta_prior_are_ratios_of_joints(alpha, beta, names, codes, monkeypatch):
    chain, learner, prior, weights = chain_and_learner(alpha, beta, 0.3, codes=codes)
    counts = chain.counts()
    assert tuple(prior.learned) == names
    start = [float(value) for value in prior.learned.values()]
    assert start == ([2.0] if names == ("strength",) else [1.0] * len(names))
    means = prior.means

    def log_joint(numbers):
        if names == ("strength",):
            tables = numbers[0] * means[None], numbers[0] * (1 - means)[None]
        else:
            given_as = {"alpha": alpha, "beta": beta} | dict(zip(names, numbers, strict=True))
            tables = given_as["alpha"], given_as["beta"]
        return beta_dir.log_joint_of_counts(counts, *tables, weights.value)

    compare(densities_of(learner, monkeypatch), start, log_joint, [(0.0, 2.0)] * len(names))


@pytest.mark.parametrize("kind", ["learn", "learn-asymmetric"])
def test_slices_of_gamma_are_ratios_of_joints(kind, monkeypatch):
    K = 5
    chain, learner, *_ = chain_and_learner(0.5, 1.5, kind)
    counts, middle = chain.counts(), math.log(1 / K)

    def log_joint(numbers):
        gamma = np.full(K, numbers[0]) if kind == "learn" else np.array(numbers)
        return beta_dir.log_joint_of_counts(counts, 0.5, 1.5, gamma)

    start, law = ([1 / K], (middle, 2.0)) if kind == "learn" else ([1 / K] * K, (middle, 1.0))
    compare(densities_of(learner, monkeypatch), start, log_joint, [law] * len(start))


@pytest.mark.parametrize("kind", ["learn", "learn-asymmetric"])
def test_slices_of_dir_dir_are_ratios_of_joints(kind, monkeypatch):
    K, seed = 4, ladder.seed_sequence(9)
    weights = {c: DirichletPrior(name, kind, K) for c, name in (("L", "gamma"), ("Q", "eta"))}
    chain = DirDirChain(CODES, K, *(prior.value for prior in weights.values()), seed)
    chain.sweep(5)
    learner = learning.SliceLearner(chain, None, weights, seed)
    counts, middle = chain.counts(), math.log(1 / K)
    size = 1 if kind == "learn" else K

    def log_joint(numbers):
        gamma, eta = np.split(np.array(numbers), 2)
        return dir_dir.log_joint_of_counts(counts, gamma, eta)

    law = (middle, 2.0 if kind == "learn" else 1.0)
    start = [1 / K] * (2 * size)
    compare(densities_of(learner, monkeypatch), start, log_joint, [law] * (2 * size))


def test_gamma_and_the_beta_prior_are_drawn_in_one_renewal(monkeypatch):
    chain, learner, prior, weights = chain_and_learner("learn", "learn", "learn-asymmetric")
    counts, K = chain.counts(), 5
    laws = [(0.0, 2.0)] * 2 + [(math.log(1 / K), 1.0)] * K
    calls = densities_of(learner, monkeypatch)
    compare(
        calls,
        [1.0, 1.0] + [1 / K] * K,
        lambda x: beta_dir.log_joint_of_counts(counts, x[0], x[1], np.array(x[2:])),
        laws,
    )
    # And the chain goes on with them.
    moved = math.exp(MOVE)
    tables = [prior.tables()["alpha"], prior.tables()["beta"], weights.value]
    assert tables[0] == pytest.approx(moved)
    assert weights.value == pytest.approx(moved / K)
    expected = naive.beta_dir_log_joint(CODES, chain.Z, K, moved, moved, np.full(K, moved / K))
    assert chain.log_joint() == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(
        chain.undo_columns(chain.expected_H(slice(None))),
        beta_dir.expected_H(counts.A, counts.B, *tables[:2]),
        rtol=1e-12,
    )


SHAPE = 0.1  # of a Gamma law: a quarter of it lies below the smallest number allowed
N_DRAWS = 60_000


def slice_p_value(draw_from_slice):
    """Return the p-value (Kolmogorov, Smirnov) of one draw each from exact draws of the law.

    The law is that of the logarithm of a Gamma variable within BOUNDS; what one step makes of an
    exact and independent draw is one again.
    """
    low, high = (gammaincc(SHAPE, math.exp(bound)) for bound in learning.BOUNDS)
    rng = np.random.default_rng(10)
    starts = np.log(gammainccinv(SHAPE, high + (low - high) * rng.random(N_DRAWS)))

    def log_density(log_x):
        return SHAPE * log_x - math.exp(log_x)

    ends = np.array([draw_from_slice(log_density, start, rng) for start in starts])
    assert (learning.BOUNDS[0] <= ends).all()
    assert (ends <= learning.BOUNDS[1]).all()

    def distribution(log_x):
        return 1 - (gammaincc(SHAPE, np.exp(log_x)) - high) / (low - high)

    assert stats.kstest(starts, distribution).pvalue > 0.01
    return stats.kstest(ends, distribution).pvalue


def two_modes_p_value(draw_from_slice):
    """Return the same p-value for a law of two modes, of which an interval may see one."""
    rng = np.random.default_rng(26)
    shares, means, scales = (0.7, 0.3), (0.0, 0.6), (0.12, 0.06)
    of = rng.choice(2, size=N_DRAWS // 3, p=shares)
    starts = np.take(means, of) + np.take(scales, of) * rng.standard_normal(of.size)
    (a, b), (m, n), (s, t) = np.divide(shares, scales), means, scales

    def log_density(x):
        one, other = -0.5 * ((x - m) / s) ** 2, -0.5 * ((x - n) / t) ** 2
        return math.log(a * math.exp(one) + b * math.exp(other) + 1e-300)

    def distribution(x):
        return shares[0] * stats.norm.cdf(x, m, s) + shares[1] * stats.norm.cdf(x, n, t)

    assert stats.kstest(starts, distribution).pvalue > 0.01
    ends = [draw_from_slice(log_density, start, rng) for start in starts]
    return stats.kstest(ends, distribution).pvalue


def test_a_slice_leaves_a_distribution_of_two_modes_invariant():
    assert two_modes_p_value(learning.draw_from_slice) > ladder.FALSE_ALARM


def test_a_slice_leaves_its_density_invariant():
    assert slice_p_value(learning.draw_from_slice) > ladder.FALSE_ALARM


def neal_slice(log_density, now, rng):
    """Return one draw as in Neal (2003), figures 3 and 5; beyond BOUNDS the density is zero."""
    level, (least, most) = log_density(now) - rng.standard_exponential(), learning.BOUNDS

    def is_in_slice(x):
        return least < x < most and log_density(x) > level

    left = now - 0.5 * rng.random()
    right = left + 0.5
    while is_in_slice(left):
        left -= 0.5
    while is_in_slice(right):
        right += 0.5
    left, right = max(left, least), min(right, most)
    while True:
        drawn = left + rng.random() * (right - left)
        if log_density(drawn) > level:
            return drawn
        if drawn < now:
            left = drawn
        else:
            right = drawn


def slice_differences(draw_from_slice):
    """Return how far draws are from those of the twin: wide and narrow laws, near BOUNDS."""
    found = []
    for width, middle in itertools.product((0.1, 1.0, 20.0), (*learning.BOUNDS, 0.3)):
        for seed in range(20):
            start = np.clip(middle + 0.1 * seed - 1.0, *learning.BOUNDS)

            def log_density(x, middle=middle, width=width):
                return -0.5 * ((x - middle) / width) ** 2

            draws = [draw(log_density, start, np.random.default_rng(seed)) for draw in (draw_from_slice, neal_slice)]
            found.append(abs(draws[0] - draws[1]))
    return np.array(found)


def test_a_slice_is_that_of_neal():
    assert slice_differences(learning.draw_from_slice).max() < 1e-12


BROKEN = {
    "a level without its exponential": ("- rng.standard_exponential()", "- 1.0"),
    "the wrong side shrinks": ("if drawn < now else", "if drawn > now else"),
    "no stepping out below": ("while low > BOUNDS[0] and", "while False and"),
    "an interval that begins at the current number": ("now - WIDTH * rng.random()", "now"),
    "an interval of another width": ("high = low + WIDTH", "high = low + (WIDTH + 0.05)"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_slice_is_noticed(name):
    source, (old, new) = inspect.getsource(learning.draw_from_slice), BROKEN[name]
    assert old in source
    namespace = dict(vars(learning))
    exec(source.replace(old, new), namespace)
    assert slice_differences(namespace["draw_from_slice"]).max() > 1e-6


# --- Gibbs: joint distribution ---------------------------------------------------------------

MASK = np.ones((4, 5), bool)
MASK[1, 2] = MASK[3, 0] = False
MEANS = np.array([0.2, 0.5, 0.7, 0.35, 0.9])


def dirichlet(prior, size, rng):
    """Draw Dirichlet weights (size, K) in logarithms: a small prior would give 0 / 0."""
    log_x = np.log(rng.standard_gamma(prior + 1, (size, len(prior))))
    log_x += np.log1p(-rng.random(log_x.shape)) / prior
    x = np.exp(log_x - log_x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def from_hyperprior(middle, scale, size, rng):
    """Draw a number, its logarithm Normal within BOUNDS."""
    law = stats.truncnorm(*(np.array(learning.BOUNDS) - middle) / scale, middle, scale)
    return np.exp(law.rvs(size, random_state=rng))


class BetaDirGeweke:
    """Draws of (numbers, Z, V) of Beta-Dir from the prior, and the two halves of a chain."""

    K, names = 3, ("alpha", "beta", "gamma")

    def __init__(self, alpha=1.3, beta=0.8, gamma=0.4):
        self.given_as = alpha, beta, gamma

    def priors(self):
        """Return new priors as a fit makes them, with means that are no function of data."""
        alpha, beta, gamma = self.given_as
        beta_prior = BetaPrior(alpha, beta, np.zeros(MASK.shape, np.int8), self.K)
        if beta_prior.means is not None:
            fixed_means(beta_prior, MEANS)
        return beta_prior, DirichletPrior("gamma", gamma, self.K)

    def from_prior(self, rng):
        beta_prior, weights = priors = self.priors()
        for number in beta_prior.learned.values():
            number[...] = from_hyperprior(0.0, 2.0, (), rng)
        if weights.is_learned:
            symmetric = weights.is_symmetric
            scale, size = (2.0, 1) if symmetric else (1.0, self.K)
            weights.value[:] = from_hyperprior(math.log(1 / self.K), scale, size, rng)
        W = dirichlet(weights.value, len(MASK), rng)
        P = np.repeat(W[:, None], MASK.shape[1], 1)
        Z = np.where(MASK, ladder.draw_labels(P, rng), -1)
        return priors, Z

    def data(self, priors, Z, rng):
        alpha, beta = (table[0] for table in priors[0].tables().values())
        if not priors[0].learned:
            alpha, beta = (np.full(MASK.shape[1], x) for x in self.given_as[:2])
        H = rng.beta(alpha, beta, (self.K, MASK.shape[1]))
        ones = rng.random(Z.shape) < H[Z, np.arange(MASK.shape[1])]
        return np.where(Z < 0, -1, ones).astype(np.int8)

    def move(self, priors, codes, Z, i):
        """Sweep once given V, then draw the numbers given Z."""
        beta_prior, weights = priors
        seed = ladder.seed_sequence(11, i)
        tables = beta_prior.tables()
        chain = BetaDirChain(codes, self.K, **tables, gamma=weights.value, seed=seed, Z=Z)
        chain.sweep()
        learning.SliceLearner(chain, beta_prior, {"L": weights}, seed).renew(0)
        return chain.Z

    def statistics(self, priors, codes, Z):
        beta_prior, weights = priors
        logs = np.log([*map(float, beta_prior.learned.values()), *weights.value])
        fixed = 1.3, 0.8, 0.4
        of_counts = ladder.beta_dir_statistics(codes[None], Z[None], self.K, fixed)[0]
        mean = np.where(codes >= 0, codes, 0).mean()
        return np.concatenate([of_counts, logs, logs**2, logs * mean])


def geweke_of_beta_dir(case, n_marginal, n_successive):
    """Compare draws of (numbers, Z, V) with a chain that has to leave their law invariant."""
    rng = np.random.default_rng(12)
    marginal = []
    for _ in range(n_marginal):
        priors, Z = case.from_prior(rng)
        marginal.append(case.statistics(priors, case.data(priors, Z, rng), Z))
    priors, Z = case.from_prior(rng)
    successive = []
    for i in range(n_successive):
        codes = case.data(priors, Z, rng)
        Z = case.move(priors, codes, Z, i)
        successive.append(case.statistics(priors, codes, Z))
    ladder.assert_same_joint(np.array(marginal), np.array(successive))


GEWEKE = {
    "alpha and beta": BetaDirGeweke(alpha="learn", beta="learn"),
    "alpha alone": BetaDirGeweke(alpha="learn"),
    "strength": BetaDirGeweke(alpha="learn-columns", beta="learn-columns"),
    "gamma": BetaDirGeweke(gamma="learn"),
    "asymmetric gamma": BetaDirGeweke(gamma="learn-asymmetric"),
    "all": BetaDirGeweke(alpha="learn", beta="learn", gamma="learn-asymmetric"),
}


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["alpha and beta", "strength", "gamma", "asymmetric gamma"])
def test_geweke(name):
    geweke_of_beta_dir(GEWEKE[name], n_marginal=2000, n_successive=1000)


@pytest.mark.long
@pytest.mark.parametrize("name", GEWEKE)
def test_geweke_long(name):
    geweke_of_beta_dir(GEWEKE[name], n_marginal=20_000, n_successive=30_000)


def geweke_of_dir_dir(kind, n_marginal, n_successive):
    """Compare draws of (γ, η, Z, C), V being a function of them, with a chain.

    The chain draws W, H given Z, C; then Z, C, V given W, H; a sweep; and γ, η given Z, C.
    """
    K, rng = 3, np.random.default_rng(13)
    (F, N), middle = MASK.shape, math.log(1 / 3)
    scale, size = (2.0, 1) if kind == "learn" else (1.0, K)

    def forward(W, H):
        Z = np.where(MASK, ladder.draw_labels(np.repeat(W[:, None], N, 1), rng), -1)
        C = np.where(MASK, ladder.draw_labels(np.repeat(H[None], F, 0), rng), -1)
        return Z, C

    def statistics(weights, Z, C):
        codes = np.where(MASK, Z == C, -1).astype(np.int8)
        logs = np.log(np.concatenate([prior.value for prior in weights.values()]))
        fixed = ladder.dir_dir_statistics(codes[None], Z[None], C[None], K, (0.4, 0.7))[0]
        mean = np.where(codes >= 0, codes, 0).mean()
        return np.concatenate([fixed, logs, logs**2, logs * mean])

    def from_prior():
        weights = {c: DirichletPrior(name, kind, K) for c, name in (("L", "gamma"), ("Q", "eta"))}
        for prior in weights.values():
            prior.value[:] = from_hyperprior(middle, scale, size, rng)
        factors = (dirichlet(weights[c].value, n, rng) for c, n in (("L", F), ("Q", N)))
        return weights, *forward(*factors)

    marginal = np.array([statistics(*from_prior()) for _ in range(n_marginal)])
    weights, Z, C = from_prior()
    successive = []
    for i in range(n_successive):
        L = (Z[..., None] == np.arange(K)).sum(axis=1)
        Q = (C[..., None] == np.arange(K)).sum(axis=0)
        W = np.array([dirichlet(weights["L"].value + own, 1, rng)[0] for own in L])
        H = np.array([dirichlet(weights["Q"].value + own, 1, rng)[0] for own in Q])
        Z, C = forward(W, H)
        codes, seed = np.where(MASK, Z == C, -1).astype(np.int8), ladder.seed_sequence(13, i)
        priors = (prior.value for prior in weights.values())
        chain = DirDirChain(codes, K, *priors, seed, Z=Z, C=C)
        chain.sweep()
        learning.SliceLearner(chain, None, weights, seed).renew(0)
        Z, C = chain.Z, chain.C
        successive.append(statistics(weights, Z, C))
    ladder.assert_same_joint(marginal, np.array(successive))


@pytest.mark.statistics
@pytest.mark.parametrize("kind", ["learn", "learn-asymmetric"])
def test_geweke_dir_dir(kind):
    geweke_of_dir_dir(kind, n_marginal=1500, n_successive=800)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["learn", "learn-asymmetric"])
def test_geweke_dir_dir_long(kind):
    geweke_of_dir_dir(kind, n_marginal=20_000, n_successive=25_000)


# --- Gibbs: exact posteriors -----------------------------------------------------------------

TINY = np.array([[1, 0, 1], [1, -1, 0]], np.int8)
GRID = np.linspace(-5, 5, 101)  # of (log x - middle) / scale: sums of smooth functions are exact


def exact_means(enumerate_posterior, middle, scale):
    """Return E[log x | V] and E[WH | V], x integrated on GRID and assignments enumerated.

    enumerate_posterior : function of x that returns a naive.Exact
    """
    weights, logs, means = [], [], []
    for node in GRID:
        exact = enumerate_posterior(math.exp(middle + scale * node))
        weights.append(exact.log_evidence + stats.norm.logpdf(node))
        logs.append(middle + scale * node)
        means.append(exact.mean)
    weights = np.exp(np.array(weights) - max(weights))
    weights /= weights.sum()
    return weights @ logs, np.tensordot(weights, means, 1)


def assert_chain_has_means(chain, learner, model, number, expected, n_samples=6000):
    """Compare a chain's means of log x and of E[V | Z, x] with exact ones."""
    draws = []
    for sweep in range(n_samples):
        chain.sweep()
        tables = learner.renew(sweep)
        W, H = model.expected_factors(chain.counts(), **tables)
        draws.append([math.log(np.ravel(number)[0]), *(W @ H).ravel()])
    mean, error = ladder.batch_means(np.array(draws[100:]))
    p = ladder.means_p(mean, error, np.array([expected[0], *expected[1].ravel()]))
    assert error[0] < 0.1  # so that the comparison says something: the scale of log x is 2
    assert p > ladder.FALSE_ALARM, f"p = {p:.1e}: {mean} +- {error}, exact {expected}"


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["alpha", "beta", "strength", "gamma"])
def test_posterior_means_of_beta_dir_are_exact(name):
    K, fixed = 2, {"alpha": 0.6, "beta": 1.2, "gamma": 0.7}
    given_as = fixed | (COLUMNS if name == "strength" else {name: "learn"})
    _, learner, prior, weights = chain_and_learner(*given_as.values(), K=K, codes=TINY)
    means = prior.means

    def enumerate_posterior(x):
        if name != "strength":
            return naive.enumerate_beta_dir(TINY, K, **(fixed | {name: x}))
        # Per column: with tables (1, N) the laws of the package's own model, tested elsewhere.
        states = naive.all_assignments(TINY, lambda v: range(K))
        tables = x * means[None], x * (1 - means)[None], 0.7
        joints = [beta_dir.log_joint(TINY, Z, K, *tables) for Z in states]
        factors = [beta_dir.expected_factors(beta_dir.counts(TINY, Z, K), *tables) for Z in states]
        return naive.Exact(states, np.array(joints), np.array([W @ H for W, H in factors]))

    middle = math.log(1 / K) if name == "gamma" else 0.0
    number = weights.value if name == "gamma" else prior.learned[name]
    expected = exact_means(enumerate_posterior, middle, 2.0)
    assert_chain_has_means(learner._chain, learner, beta_dir, number, expected)


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["gamma", "eta"])
def test_posterior_means_of_dir_dir_are_exact(name):
    K, fixed, seed = 2, {"gamma": 0.7, "eta": 0.9}, ladder.seed_sequence(14)
    weights = {
        counter: DirichletPrior(own, "learn" if own == name else fixed[own], K)
        for counter, own in (("L", "gamma"), ("Q", "eta"))
    }
    chain = DirDirChain(TINY, K, *(prior.value for prior in weights.values()), seed)
    learner = learning.SliceLearner(chain, None, weights, seed)
    number = weights["L" if name == "gamma" else "Q"].value

    def enumerate_posterior(x):
        return naive.enumerate_dir_dir(TINY, K, **(fixed | {name: x}))

    expected = exact_means(enumerate_posterior, math.log(1 / K), 2.0)
    assert_chain_has_means(chain, learner, dir_dir, number, expected)


# --- bICA ------------------------------------------------------------------------------------


def structureless(F, N, seed):
    return (np.random.default_rng(seed).random((F, N)) < 0.3).astype(np.int8)


BICA_MATRICES = {
    "two kinds of rows": ladder.large_matrix(30, 24, 0.25, np.random.default_rng(15), 3, 4),
    "sharp": np.kron(np.eye(4), np.ones((8, 6))).astype(np.int8),
    "structureless": structureless(25, 20, 15),
    "few entries": np.array([[1, 0, -1], [-1, -1, -1], [0, 1, 1]], np.int8),
}
BICA_PRIORS = {
    "alpha and beta": LEARNED,
    "alpha": {"alpha": "learn"},
    "strength": COLUMNS,
    "gamma": {"gamma": "learn"},
    "asymmetric": {"gamma": "learn-asymmetric"},
    "all": COLUMNS | {"gamma": "learn-asymmetric"},
}


@pytest.mark.parametrize("matrix", BICA_MATRICES)
@pytest.mark.parametrize("learned", BICA_PRIORS)
def test_the_bound_never_falls_while_priors_are_learned(learned, matrix):
    model = nbmf.BinaryICA(6, **BICA_PRIORS[learned])
    state = model._start(BICA_MATRICES[matrix], ladder.seed_sequence(15))
    bounds = []
    for _ in range(200):
        state.advance(1)
        bounds.append(state.objective())
    # Products are float32 unless a prior is below 0.1.
    assert np.diff(bounds).min() > -1e-6 * abs(bounds[-1])
    assert bounds[-1] > bounds[8]
    own = "gamma" if "gamma" in BICA_PRIORS[learned] else "alpha"
    assert not np.allclose(state.hyperparameters()[own], 1.0)


def mean_field_with(codes, K, *, alpha=1.0, beta=1.0, gamma=1.0, updates=30, seed=16):
    prior, weights = BetaPrior(alpha, beta, codes, K), DirichletPrior("gamma", gamma, K)
    priors = prior.tables() | {"gamma": weights.value}
    seed = ladder.seed_sequence(seed)
    inference = BetaDirMeanField(codes, K, **priors, seed=seed, dtype=np.float64)
    inference.update(updates)
    return inference, prior, weights


@pytest.mark.parametrize("learned", BICA_PRIORS)
def test_each_renewal_maximises_the_bound(learned, monkeypatch):
    # The objective of each number is the bound but for a constant; at its result it has a maximum
    # or an end of the interval, a factor e around the number before.
    codes, K = BICA_MATRICES["two kinds of rows"], 4
    inference, prior, weights = mean_field_with(codes, K, **BICA_PRIORS[learned])
    L, A, B = inference.counts()
    old = prior.tables() | {"gamma": weights.value.copy()}
    alpha, beta = (naive.table(old[name], K) for name in ("alpha", "beta"))
    q = old["gamma"] + L, alpha + A, beta + B
    R = naive.mean_field_responsibilities(codes, L, A, B, *old.values())
    better, calls = learning._maximise, []

    def bound():
        """Return the bound of the same q under the priors as they are now."""
        now = prior.tables() | {"gamma": weights.value}
        a, b = (naive.table(now[name], K) for name in ("alpha", "beta"))
        counts = q[0] - weights.value, q[1] - a, q[2] - b
        return naive.evidence_bound(codes, R, *counts, *now.values())

    def spy(objective, now):
        result = better(objective, now)
        values = [objective(x) for x in (now, result, now * 1.3)]
        calls.append((now, result, np.array(values) - values[0]))
        step = math.exp(0.02)
        assert math.exp(-1) * now <= result * (1 + 1e-9)
        assert result <= math.e * now * (1 + 1e-9)
        inside = [x for x in (result / step, result * step) if now / math.e < x < now * math.e]
        assert inside
        assert all(objective(x) < objective(result) + 1e-12 for x in inside)
        return result

    monkeypatch.setattr(learning, "_maximise", spy)
    before = inference.bound()
    assert before == pytest.approx(bound(), rel=1e-10)
    learner = learning.MeanFieldLearner(inference, prior, weights)
    tables = learner.renew()
    assert len(calls) == len(prior.learned) + weights.is_learned * (1 if weights.is_symmetric else K)
    # The gains of all numbers together are that of the whole bound, by the twin and the kernel.
    gain = sum(values[1] for *_, values in calls)
    assert gain > 0
    assert bound() - before == pytest.approx(gain, rel=1e-7, abs=1e-9)
    assert inference.bound() - before == pytest.approx(gain, rel=1e-7, abs=1e-9)
    for name, table in tables.items():
        np.testing.assert_array_equal(table, (prior.tables() | {"gamma": weights.value})[name])


@pytest.mark.parametrize("now", [1e-6, 0.02, 1.0, 300.0, 1e6])
def test_a_number_moves_only_to_a_better_one_and_within_a_factor_e(now):
    assert learning._maximise(lambda x: -((math.log(x) - math.log(now)) ** 2), now) == now
    up = learning._maximise(math.log, now)
    down = learning._maximise(lambda x: -math.log(x), now)
    assert up == pytest.approx(min(now * math.e, learning.LARGEST), rel=2e-3)
    assert down == pytest.approx(max(now / math.e, learning.SMALLEST), rel=2e-3)
    assert learning.SMALLEST * 0.999 < down <= now <= up < learning.LARGEST * 1.001


def test_q_stays_when_priors_change():
    inference, *_ = mean_field_with(BICA_MATRICES["two kinds of rows"], 4)
    logs = inference.expected_logs()
    rng = np.random.default_rng(17)
    inference.set_priors(*rng.uniform(0.2, 3, (2, 1, 24)), rng.uniform(0.2, 3, 4))
    for one, other in zip(inference.expected_logs(), logs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("learned", [LEARNED, COLUMNS, {"gamma": "learn"}])
def test_products_become_float64_when_a_prior_falls_below_a_tenth(learned):
    state = nbmf.BinaryICA(5, **learned)._start(BICA_MATRICES["sharp"], ladder.seed_sequence(18))
    types = []
    for _ in range(200):
        state.advance(1)
        smallest = min(np.min(value) for value in state.hyperparameters().values())
        types.append((state._inference._work.dtype == np.float64, smallest < 0.1))
        assert types[-1][0] or not types[-1][1]
    assert not types[0][0]
    assert types[-1] == (True, True)
    assert np.isfinite(state.objective())


# --- Averages of chains ----------------------------------------------------------------------

LENGTHS = {"burn_in": 37, "n_samples": 91}  # priors are renewed before sweeps 25, 50, 75, ...
SAMPLERS = {
    "alpha and beta": (nbmf.BetaDirGibbs, LEARNED),
    "strength and gamma": (nbmf.BetaDirGibbs, COLUMNS | {"gamma": "learn"}),
    "asymmetric gamma": (nbmf.BetaDirGibbs, {"gamma": "learn-asymmetric"}),
    "Dir-Beta": (nbmf.DirBetaGibbs, COLUMNS | {"eta": "learn-asymmetric"}),
    "Dir-Dir": (nbmf.DirDirGibbs, {"gamma": "learn", "eta": "learn-asymmetric"}),
    "Dir-Dir, eta alone": (nbmf.DirDirGibbs, {"gamma": 0.3, "eta": "learn"}),
}
BLOCKS = blocks_matrix(70, 66)  # two blocks an axis


def sampler(name, **settings):
    cls, learned = SAMPLERS[name]
    return cls(8, **(LENGTHS | learned | {"random_state": 19} | settings))


def inner(state):
    return getattr(state, "inner", state)


@pytest.mark.parametrize("name", SAMPLERS)
def test_averages_are_those_of_every_kept_sweep_under_its_own_priors(name):
    model = sampler(name).fit(BLOCKS)
    again = sampler(name)
    state = again._start(BLOCKS, again._seed())
    chain, means, priors = inner(state)._chain, [], []
    for sweep in range(sum(LENGTHS.values())):
        state.advance(1)
        if sweep < LENGTHS["burn_in"]:
            continue
        now = inner(state)._priors
        L = chain.row_counts()
        W = (now["gamma"] + L) / (now["gamma"].sum() + L.sum(axis=1, keepdims=True))
        if "eta" in now:
            Q = chain.counts().Q
            H = (now["eta"][:, None] + Q) / (now["eta"].sum() + Q.sum(axis=0))
        else:
            _, A, B = chain.counts()
            alpha, beta = (naive.table(now[name], 8) for name in ("alpha", "beta"))
            H = (alpha + A) / (alpha + beta + A + B)
        means.append((W, H, W @ H))
        priors.append({name: np.array(value) for name, value in now.items()})
    W, H, WH = (np.mean(parts, axis=0) for parts in zip(*means, strict=True))
    if model.model == "dir-beta":
        W, H, WH = H.T, W.T, WH.T
    np.testing.assert_allclose(model.W_, W, rtol=1e-10)
    np.testing.assert_allclose(model.H_, H, rtol=1e-10)
    np.testing.assert_allclose(model.expectation_, WH, rtol=1e-10)
    assert len({float(np.ravel(now[name])[0]) for now in priors for name in now}) > 3
    for own, table in {key: np.mean([p[key] for p in priors], axis=0) for key in now}.items():
        fitted = getattr(model, f"{model.weights_prior if own == 'gamma' else own}_")
        expected = np.ravel(table)
        np.testing.assert_allclose(fitted, expected if np.ndim(fitted) else expected[0], rtol=1e-12)
        assert np.ptp(expected) == 0 or np.ndim(fitted)


def test_each_renewal_has_random_numbers_of_its_own(monkeypatch):
    _, learner, *_ = chain_and_learner("learn", "learn", "learn-asymmetric")
    drawn = []
    monkeypatch.setattr(learning, "draw_from_slice", lambda density, now, rng: drawn.append(rng.random()) or now)
    for sweep in (25, 50, 25):
        learner.renew(sweep)
    first, second, third = np.split(np.array(drawn), 3)
    assert first.size == 2 + 5
    assert len({*first, *second}) == 2 * first.size  # nor do two numbers of a renewal share any
    np.testing.assert_array_equal(first, third)


def test_priors_are_renewed_before_every_50th_sweep():
    state = inner(sampler("alpha and beta")._start(BLOCKS, ladder.seed_sequence(20)))
    seen = []
    for _ in range(160):
        state.advance(1)
        seen.append(float(state._priors["alpha"][0, 0]))
    changes = (np.flatnonzero(np.diff(seen)) + 1).tolist()
    assert changes == [50, 100, 150]
    assert seen[0] == 1.0  # and not before the first


@pytest.mark.parametrize(("cls", "every"), [(nbmf.BetaDirVB, 20), (nbmf.BinaryICA, 10)])
def test_a_short_variational_fit_ends_with_the_priors_it_began_with(cls, every):
    brief = {"max_iter": every, "random_state": 20}
    codes = ladder.large_matrix(30, 24, 0.1, np.random.default_rng(20))
    one, other = (cls(5, **learned, **brief).fit(codes) for learned in ({}, LEARNED))
    assert other.alpha_ == other.beta_ == 1.0
    np.testing.assert_array_equal(one.W_, other.W_)
    assert cls(5, **LEARNED, **(brief | {"max_iter": every + 1})).fit(codes).alpha_ != 1.0


# --- The same bits ---------------------------------------------------------------------------


def assert_same_fit(one, other):
    for name in ("W_", "H_", "expectation_", *(f"{x}_" for x in one.concentrations())):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


LEARNERS = {
    **{name: (cls, LENGTHS | learned) for name, (cls, learned) in SAMPLERS.items()},
    "CVB0": (nbmf.BetaDirVB, COLUMNS | {"max_iter": 47}),
    "CVB0 of numbers": (nbmf.BetaDirVB, LEARNED | {"max_iter": 47}),
    "CVB0 of the transpose": (nbmf.DirBetaVB, COLUMNS | {"max_iter": 47}),
    "bICA": (nbmf.BinaryICA, COLUMNS | {"gamma": "learn-asymmetric", "max_iter": 47}),
}


def learner_of(name, **settings):
    cls, learned = LEARNERS[name]
    return cls(8, **(learned | {"random_state": 21} | settings))


@pytest.mark.parametrize("name", ["strength and gamma", "Dir-Dir", "CVB0", "CVB0 of the transpose"])
def test_threads_do_not_change_a_bit(name):
    short = {} if "CVB0" in name else {"burn_in": 20, "n_samples": 20}
    fits = (learner_of(name, threads=threads, **short).fit(BLOCKS) for threads in (1, 2))
    assert_same_fit(*fits)


class Often:
    """A monitor that is called at irregular iterations."""

    def __init__(self, steps):
        self._steps = steps

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return iteration + self._steps[iteration % len(self._steps)]

    def __call__(self, iteration, total, state):
        state.objective(), state.active_components(), state.expectation(), state.factors()


@pytest.mark.parametrize("name", LEARNERS)
def test_where_the_loop_is_cut_changes_no_bit(name):
    whole = learner_of(name).fit(BLOCKS)
    for steps in [(3, 7, 11), (24, 1, 2)]:
        assert_same_fit(learner_of(name).fit(BLOCKS, monitor=Often(steps)), whole)


@pytest.mark.parametrize("name", LEARNERS)
def test_how_missing_entries_are_written_changes_no_bit(name):
    V = np.where(BLOCKS < 0, np.nan, BLOCKS)
    assert_same_fit(learner_of(name).fit(BLOCKS), learner_of(name).fit(V))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_snapshot_around_a_renewal_goes_on_with_the_same_bits(name):
    total, model = sum(LENGTHS.values()), sampler(name)
    whole = model._start(BLOCKS, model._seed())
    whole.advance(total)
    for at in (24, 25, 26, 37, 38, 74, 75, 76, 100, 101):
        first, second = (model._start(BLOCKS, model._seed()) for _ in range(2))
        first.advance(at)
        snapshot = {key: np.array(value) for key, value in first.snapshot().items()}
        first.advance(3)  # what was taken is a copy: it does not go on
        second.restore(snapshot)
        second.advance(total - at)
        for one, other in zip(second.estimate()[:2], whole.estimate()[:2], strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(second.expectation(), whole.expectation())
        for key, value in whole.hyperparameters().items():
            np.testing.assert_array_equal(second.hyperparameters()[key], value)
        assert second.objective() == whole.objective()
        end, expected = second.snapshot(), whole.snapshot()
        assert end.keys() == expected.keys()
        assert all(np.array_equal(end[key], expected[key]) for key in end)


@pytest.mark.parametrize("name", ["strength and gamma", "Dir-Dir"])
def test_a_killed_chain_goes_on_from_its_checkpoint_file(name, tmp_path):
    matrix = BinaryMatrix.from_array(BLOCKS)
    mask = draw_mask(matrix, 0.25, np.random.SeedSequence(2))

    class Killed(BaseException):
        pass

    class Fuse(Checkpoint):
        """A checkpoint whose process dies right after it has looked at iteration `at`."""

        def __call__(self, iteration, total, state):
            super().__call__(iteration, total, state)
            if iteration == at:
                raise Killed

    def fit(monitor_class, path):
        model = sampler(name)
        recorder = FitRecorder(model.n_iterations, 20, lambda state: 0.0, [].append)
        monitor = monitor_class(path, lambda: "the same", recorder, seconds=0, log=[].append)
        return model.fit(training_codes(matrix, mask), monitor=monitor)

    at, whole = None, fit(Checkpoint, tmp_path / "whole.npz")
    for at in (25, 50, 75, 100):
        path = tmp_path / f"{at}.npz"
        with pytest.raises(Killed):
            fit(Fuse, path)
        assert path.exists()
        assert_same_fit(fit(Checkpoint, path), whole)


# --- Means of columns ------------------------------------------------------------------------


@pytest.mark.parametrize("name", BICA_MATRICES)
def test_means_of_columns_are_shares_shrunk_as_the_counts_want_it(name):
    codes = BICA_MATRICES[name]
    common, observations = Shrinkage.of(codes)
    assert common == pytest.approx(((codes == 1).sum() + 1) / ((codes >= 0).sum() + 2))
    means = Shrinkage.of(codes).means(codes)
    np.testing.assert_allclose(means, naive.shrunk_shares(codes, common, observations), rtol=1e-12)
    np.testing.assert_array_equal(BetaPrior(**COLUMNS, codes=codes, K=3).means, means)
    best = naive.log_likelihood_of_shrinkage(codes, common, observations)
    for other in np.geomspace(SMALLEST_SHRINKAGE, learning.LARGEST, 60):
        assert naive.log_likelihood_of_shrinkage(codes, common, other) < best + 1e-4


@pytest.mark.parametrize("codes", [np.ones((4, 3)), np.zeros((4, 3)), np.eye(1)])
def test_means_of_columns_are_chances_even_where_all_entries_are_the_same(codes):
    means = Shrinkage.of(codes.astype(np.int8)).means(codes.astype(np.int8))
    assert ((means > 0) & (means < 1)).all()


def test_one_component_is_at_the_shrunk_shares():
    codes = BICA_MATRICES["two kinds of rows"]
    prior = BetaPrior(**COLUMNS, codes=codes, K=1)
    assert not prior.learned
    alpha, beta = prior.tables().values()
    np.testing.assert_allclose(alpha / (alpha + beta), prior.means[None], rtol=1e-12)
    for cls in (nbmf.BetaDirVB, nbmf.BetaDirGibbs, nbmf.BinaryICA):
        lengths = {"burn_in": 5, "n_samples": 30} if cls is nbmf.BetaDirGibbs else {"max_iter": 12}
        model = cls(1, **COLUMNS, **lengths, random_state=1).fit(codes)
        np.testing.assert_allclose(model.H_, prior.means[None], atol=1e-4)


def test_permuting_the_columns_permutes_what_is_learned():
    # With one block, and before updates, whose order of cells is that of columns.
    rng = np.random.default_rng(23)
    codes = (rng.random((30, 21)) < rng.random(21)).astype(np.int8)
    codes[rng.random(codes.shape) < 0.2] = -1
    Z = naive.random_assignments(codes, 6, rng)
    order = np.random.default_rng(24).permutation(21)
    tables = []
    for columns in (np.arange(21), order):
        prior = BetaPrior("learn-columns", "learn-columns", codes[:, columns], 6)
        cvb0 = cvb0_with(codes[:, columns], 6, prior, 1 / 6, 23, Z=Z[:, columns], n_blocks=1)
        learner = learning.CVB0Learner(cvb0, prior)
        for _ in range(5):
            learner.renew()
        tables.append(prior.tables())
    for name in ("alpha", "beta"):
        np.testing.assert_allclose(tables[0][name][:, order], tables[1][name], rtol=1e-6)
    assert np.ptp(tables[0]["alpha"]) > 0.1


# --- Fold-in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [nbmf.BetaDirVB, nbmf.DirBetaVB, nbmf.BetaDirGibbs])
def test_fold_in_knows_the_priors_of_columns(cls):
    # In either orientation: `lines` are those that have the probabilities.
    codes = ladder.large_matrix(60, 50, 0.2, np.random.default_rng(25))
    lengths = {"burn_in": 60, "n_samples": 60} if cls is nbmf.BetaDirGibbs else {"max_iter": 80}
    model = cls(10, **COLUMNS, **lengths, random_state=25).fit(codes)
    is_rows = model.weights_are_rows
    weights, probabilities = (model.W_, model.H_) if is_rows else (model.H_.T, model.W_.T)
    fold_in = model._fold_in_columns if is_rows else (lambda V: model._fold_in_rows(V.T).T)
    training = codes if is_rows else codes.T
    # An empty line has the common share in every component.
    empty = fold_in(np.full((len(training), 1), -1, np.int8))
    strength = model.alpha_ + model.beta_
    np.testing.assert_allclose(strength, strength[0], rtol=1e-12)
    common, observations = model.shrinkage_
    np.testing.assert_allclose(empty, common, rtol=1e-9)
    assert common == pytest.approx((training == 1).sum() / (training >= 0).sum(), abs=0.02)
    # A line of training comes near its own probabilities where components are in use.
    used = weights.mean(axis=0) > 0.05
    again = fold_in(np.ascontiguousarray(training))
    assert used.sum() >= 2
    difference = np.abs(again[used] - probabilities[used])
    assert difference.mean() < 0.03
    assert difference.max() < 0.2
    # By the equations: prior s m_n, m_n the shrunk share of the line itself.
    line = training[:, :1]
    observed = line[:, 0] >= 0
    mean = (line[observed].sum() + observations * common) / (observed.sum() + observations)
    expected = twin_probabilities(
        line[:, 0], weights, np.full(10, strength[0] * mean), np.full(10, strength[0] * (1 - mean)), sweeps=300
    )
    np.testing.assert_allclose(fold_in(line)[:, 0], expected, atol=2e-3)


# --- What is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        (nbmf.BetaDirVB, {"alpha": "learn-columns"}, "learn-columns is for both or for neither"),
        (nbmf.BetaDirGibbs, {"beta": "learn-columns"}, "learn-columns is for both or for neither"),
        (nbmf.BinaryICA, {"beta": "learn-columns", "alpha": "learn"}, "for both or for neither"),
        (
            nbmf.BetaDirVB,
            {"alpha": "learn", "beta": [1.0, 2.0, 3.0]},
            r"beta = \[1.0, 2.0, 3.0\] with alpha = 'learn': must be one number, or learn",
        ),
        (
            nbmf.DirBetaGibbs,
            {"alpha": np.ones(3), "beta": "learn"},
            r"alpha = array.* with beta = 'learn': must be one number, or learn",
        ),
        (nbmf.BetaDirVB, {"gamma": "learn"}, "gamma = 'learn': must be .* the text 1/K$"),
        (nbmf.BetaDirVB, {"gamma": "learn-asymmetric"}, "gamma = 'learn-asymmetric': must be"),
        (nbmf.DirBetaVB, {"eta": "learn"}, "eta = 'learn': must be .* the text 1/K$"),
        (nbmf.CollapsedBinaryICA, {"gamma": "learn"}, "gamma = 'learn': must be"),
        (nbmf.DirDirVB, {"gamma": "learn"}, "gamma = 'learn': must be"),
        (nbmf.DirDirVB, {"eta": "learn-asymmetric"}, "eta = 'learn-asymmetric': must be"),
        (nbmf.BetaDirGibbs, {"alpha": "learn-asymmetric"}, "alpha = 'learn-asymmetric': must be"),
        (nbmf.BetaDirGibbs, {"gamma": "learn-columns"}, "gamma = 'learn-columns': must be"),
    ],
)
def test_what_cannot_be_learned_is_refused(cls, settings, message):
    with pytest.raises(ConfigError, match=message):
        cls(3, **settings).fit(np.eye(4))
