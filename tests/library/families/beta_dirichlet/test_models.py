"""The NumPy models against the equations: joints, conditionals, evidences, simulation."""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given

from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir

ALPHA, BETA, GAMMA = np.array([2.0, 0.5]), np.array([0.8, 1.7]), np.array([0.3, 1.0])


# --- Beta-Dir --------------------------------------------------------------------------------


@ladder.PROPERTY
@given(ladder.problems(3))
def test_beta_dir_counts_are_tallies(problem):
    codes, K, _, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    L, A, B = beta_dir.counts(codes, Z, K)
    expected = naive.expected_counts(codes, naive.one_hot(codes, Z, K))
    for actual, e in zip((L, A, B), expected, strict=True):
        np.testing.assert_array_equal(actual, e)
    assert L.sum() == A.sum() + B.sum() == (codes >= 0).sum()


@ladder.PROPERTY
@given(ladder.problems(3))
def test_beta_dir_log_joint_is_the_chain_of_predictive_distributions(problem):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    expected = naive.beta_dir_log_joint(codes, Z, K, *hyperparameters)
    assert beta_dir.log_joint(codes, Z, K, *hyperparameters) == pytest.approx(expected, abs=1e-11)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_beta_dir_conditional_is_the_ratio_of_joints(problem):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    for f, n in naive.column_scan(codes)[:5]:
        joints = []
        for k in range(K):
            moved = Z.copy()
            moved[f, n] = k
            joints.append(naive.beta_dir_log_joint(codes, moved, K, *hyperparameters))
        ratios = np.exp(np.array(joints) - max(joints))
        actual = naive.beta_dir_conditional(codes, Z, f, n, K, *hyperparameters)
        np.testing.assert_allclose(actual, ratios / ratios.sum(), rtol=1e-12, atol=1e-12)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_beta_dir_joint_is_symmetric_under_flipping(problem):
    codes, K, (alpha, beta, gamma), rng = problem
    Z = naive.random_assignments(codes, K, rng)
    flipped = np.where(codes >= 0, 1 - codes, -1).astype(np.int8)
    expected = beta_dir.log_joint(codes, Z, K, alpha, beta, gamma)
    actual = beta_dir.log_joint(flipped, Z, K, beta, alpha, gamma)
    assert actual == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)
def test_beta_dir_evidence_and_mean_agree_with_quadrature(case):
    # The quadrature integrates the Bernoulli likelihood (11) over W and H, without assignments.
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    states = naive.enumerate_beta_dir(codes, K, *hyperparameters).states
    joints = np.exp([beta_dir.log_joint(codes, Z, K, *hyperparameters) for Z in states])
    log_evidence, mean = naive.quadrature_beta_dir(codes, K, *hyperparameters)
    assert np.log(joints.sum()) == pytest.approx(log_evidence, abs=1e-10)
    factors = [beta_dir.expected_factors(beta_dir.counts(codes, Z, K), *hyperparameters) for Z in states]
    means = np.array([W @ H for W, H in factors])
    np.testing.assert_allclose(np.tensordot(joints / joints.sum(), means, 1), mean, atol=1e-10)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_beta_dir_expected_factors(problem):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    actual = beta_dir.expected_factors(beta_dir.counts(codes, Z, K), *hyperparameters)
    expected = naive.beta_dir_factors(codes, Z, K, *hyperparameters)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-12)


def test_beta_dir_simulation_has_the_exact_distribution_of_V():
    # All 16 matrices of 2 x 2 with their evidences as probabilities. False alarm rate 1e-6.
    def evidence(V):
        return naive.quadrature_beta_dir(V, 2, ALPHA, BETA, GAMMA)[0]

    p = law_of_simulation(lambda rng: beta_dir.simulate(2, 2, 2, ALPHA, BETA, GAMMA, rng), evidence)
    assert p > ladder.FALSE_ALARM


def law_of_simulation(simulate, log_evidence, n_draws=10_000):
    """Return the chi-square p-value of simulated 2 x 2 matrices against their evidences."""
    matrices = naive.all_assignments(np.zeros((2, 2), np.int8), lambda v: [0, 1])
    probabilities = np.exp([log_evidence(V) for V in matrices])
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    rng, seen = np.random.default_rng(11), np.zeros(16)
    for _ in range(n_draws):
        W, H, V = simulate(rng)
        seen[[(other == V).all() for other in matrices].index(True)] += 1
    assert W.shape == H.shape == V.shape == (2, 2)
    assert V.dtype == np.int8
    return ladder.chi_square_p(seen, probabilities)


# --- Dir-Dir ---------------------------------------------------------------------------------


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_dir_dir_counts_are_tallies(problem):
    codes, K, _, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    L, Q = dir_dir.counts(Z, C, K)
    np.testing.assert_array_equal(L, naive.one_hot(codes, Z, K).sum(axis=1))
    np.testing.assert_array_equal(Q, naive.one_hot(codes, C, K).sum(axis=0).T)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_dir_dir_log_joint_is_the_chain_of_predictive_distributions(problem):
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    expected = naive.dir_dir_log_joint(codes, Z, C, K, *hyperparameters)
    actual = dir_dir.log_joint(codes, Z, C, K, *hyperparameters)
    assert actual == pytest.approx(expected, abs=1e-11)


def test_dir_dir_log_joint_of_a_contradiction():
    codes = np.array([[1, 0, -1]], np.int8)
    agree = np.array([[1, 0, -1]]), np.array([[1, 1, -1]])
    assert np.isfinite(dir_dir.log_joint(codes, *agree, 2, 1.0, 1.0))
    for C in ([[0, 1, -1]], [[1, 0, -1]]):  # a one that differs, a zero that agrees
        assert dir_dir.log_joint(codes, agree[0], np.array(C), 2, 1.0, 1.0) == -np.inf


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_dir_dir_conditional_is_the_ratio_of_joints(problem):
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    for f, n in naive.column_scan(codes)[:4]:
        joints = np.empty((K, K))
        for j, k in np.ndindex(K, K):
            Z2, C2 = Z.copy(), C.copy()
            Z2[f, n], C2[f, n] = j, k
            joints[j, k] = naive.dir_dir_log_joint(codes, Z2, C2, K, *hyperparameters)
        ratios = np.exp(joints - joints.max())
        actual = naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters)
        np.testing.assert_allclose(actual, ratios / ratios.sum(), rtol=1e-12, atol=1e-12)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_dir_dir_conditional_contains_the_alternating_scheme(problem):
    # Eqs. (60) and (61) are the two conditionals of the law of the pair.
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    for f, n in [cell for cell in naive.column_scan(codes) if codes[cell] == 0][:4]:
        pair = naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters)
        p_z, p_c = pair[:, C[f, n]], pair[Z[f, n]]
        eq_60 = naive.dir_dir_z_given_c(codes, Z, C, f, n, K, *hyperparameters)
        eq_61 = naive.dir_dir_c_given_z(codes, Z, C, f, n, K, *hyperparameters)
        np.testing.assert_allclose(p_z / p_z.sum(), eq_60, rtol=1e-12)
        np.testing.assert_allclose(p_c / p_c.sum(), eq_61, rtol=1e-12)


@pytest.mark.parametrize("case", ladder.DIR_DIR_CASES)
def test_dir_dir_evidence_and_mean_agree_with_quadrature(case):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    states = [naive.split_pairs(labels, K) for labels in naive.enumerate_dir_dir(codes, K, *hyperparameters).states]
    joints = np.exp([dir_dir.log_joint(codes, *pair, K, *hyperparameters) for pair in states])
    log_evidence, mean = naive.quadrature_dir_dir(codes, K, *hyperparameters)
    assert np.log(joints.sum()) == pytest.approx(log_evidence, abs=1e-10)
    counts = [dir_dir.counts(*pair, K) for pair in states]
    factors = [dir_dir.expected_factors(c, *hyperparameters) for c in counts]
    means = np.array([W @ H for W, H in factors])
    np.testing.assert_allclose(np.tensordot(joints / joints.sum(), means, 1), mean, atol=1e-10)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_dir_dir_expected_factors(problem):
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    actual = dir_dir.expected_factors(dir_dir.counts(Z, C, K), *hyperparameters)
    expected = naive.dir_dir_factors(codes, Z, C, K, *hyperparameters)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-12)


def test_dir_dir_simulation_has_the_exact_distribution_of_V():
    # All 16 matrices of 2 x 2 with their evidences as probabilities. False alarm rate 1e-6.
    def evidence(V):
        return naive.quadrature_dir_dir(V, 2, GAMMA, ALPHA)[0]

    p = law_of_simulation(lambda rng: dir_dir.simulate(2, 2, 2, GAMMA, ALPHA, rng), evidence)
    assert p > ladder.FALSE_ALARM


# --- Draws given the assignments --------------------------------------------------------------


class Scripted:
    """In the place of a generator: a Beta number is its mean, the others are functions of their shapes."""

    def beta(self, a, b):
        return a / (a + b)

    def standard_gamma(self, shape):
        return shape**1.5

    def standard_exponential(self, size):
        return np.linspace(0.1, 2.0, int(np.prod(size))).reshape(size)


def weights_by_hand(counts, prior):
    """Gamma numbers of shapes prior + counts, by those of shapes one larger and U^(1/shape), normalised."""
    exponential, rows = Scripted().standard_exponential(counts.shape), []
    for count, e in zip(counts, exponential, strict=True):
        gammas = [(a + n + 1) ** 1.5 * np.exp(-x / (a + n)) for a, n, x in zip(prior, count, e, strict=True)]
        rows.append(np.array(gammas) / sum(gammas))
    return np.array(rows)


def test_factors_of_beta_dir_are_drawn_with_the_counts_of_ones_and_of_zeros():
    rng = np.random.default_rng(2)
    L, A, B = rng.integers(0, 9, (4, 2)), rng.integers(0, 9, (2, 5)), rng.integers(0, 9, (2, 5))
    W, H = beta_dir.draw_factors(beta_dir.Counts(L, A, B), ALPHA, BETA, GAMMA, Scripted())
    np.testing.assert_allclose(W, weights_by_hand(L, GAMMA), rtol=1e-12)
    for k in range(2):
        np.testing.assert_allclose(H[k], (ALPHA[k] + A[k]) / (ALPHA[k] + A[k] + BETA[k] + B[k]), rtol=1e-12)


def test_factors_of_dir_dir_are_drawn_with_the_counts_of_rows_and_of_columns():
    rng = np.random.default_rng(3)
    L, Q, eta = rng.integers(0, 9, (4, 2)), rng.integers(0, 9, (2, 5)), np.array([1.4, 0.2])
    W, H = dir_dir.draw_factors(dir_dir.Counts(L, Q), GAMMA, eta, Scripted())
    np.testing.assert_allclose(W, weights_by_hand(L, GAMMA), rtol=1e-12)
    np.testing.assert_allclose(H, weights_by_hand(Q.T, eta).T, rtol=1e-12)
