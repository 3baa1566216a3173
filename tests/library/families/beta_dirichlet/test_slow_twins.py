"""The twins themselves, and the power of the checks: right samplers pass, broken ones fail.

The kernels are tested with the checks of `ladder`; here the same checks are run on the twins,
and on twins with one deliberate error each, which they have to notice.
"""

from contextlib import nullcontext

import ladder
import naive
import numpy as np
import pytest
from scipy.special import logsumexp

beta_dir_cases = pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)
dir_dir_cases = pytest.mark.parametrize("case", ladder.DIR_DIR_CASES)


class NaiveChain:
    """A chain of slow sweeps with the interface the checks expect: sweep(n), labels."""

    def __init__(self, sweep, labels):
        self._sweep, self.labels = sweep, labels

    def sweep(self, n_sweeps=1):
        for _ in range(n_sweeps):
            self.labels = self._sweep(self.labels)


def decay(transition, thin):
    """Return how much of the slowest mode of a chain is left after `thin` sweeps."""
    return np.sort(np.abs(np.linalg.eigvals(transition)))[-2] ** thin


# --- Exact statements, no sampling -----------------------------------------------------------


@beta_dir_cases
def test_beta_dir_enumeration_agrees_with_quadrature(case):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    log_evidence, mean = naive.quadrature_beta_dir(codes, K, *hyperparameters)
    assert exact.log_evidence == pytest.approx(log_evidence, abs=1e-10)
    np.testing.assert_allclose(exact.mean, mean, atol=1e-10)


@dir_dir_cases
def test_dir_dir_enumeration_agrees_with_quadrature(case):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)
    log_evidence, mean = naive.quadrature_dir_dir(codes, K, *hyperparameters)
    assert exact.log_evidence == pytest.approx(log_evidence, abs=1e-10)
    np.testing.assert_allclose(exact.mean, mean, atol=1e-10)


@beta_dir_cases
def test_beta_dir_sweep_leaves_the_posterior_invariant_and_mixes(case):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)

    def conditional(Z, f, n):
        return naive.beta_dir_conditional(codes, Z, f, n, K, *hyperparameters)

    transition = naive.sweep_matrix(exact, codes, conditional)
    np.testing.assert_allclose(exact.posterior @ transition, exact.posterior, atol=1e-13)
    assert decay(transition, thin=10) < 0.01


@dir_dir_cases
def test_dir_dir_joint_sweep_leaves_the_posterior_invariant_and_mixes(case):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)

    def conditional(labels, f, n):
        pair = naive.split_pairs(labels, K)
        return naive.dir_dir_conditional(codes, *pair, f, n, K, *hyperparameters).ravel()

    transition = naive.sweep_matrix(exact, codes, conditional)
    np.testing.assert_allclose(exact.posterior @ transition, exact.posterior, atol=1e-13)
    assert decay(transition, thin=10) < 0.01


def alternating_conditional(codes, K, hyperparameters):
    """Return the law of a new pair: algorithm 2, eq. (60) then eq. (61) at a zero."""

    def conditional(labels, f, n):
        Z, C = naive.split_pairs(labels, K)
        if codes[f, n] == 1:
            return naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters).ravel()
        p_z = naive.dir_dir_z_given_c(codes, Z, C, f, n, K, *hyperparameters)
        p = np.zeros((K, K))
        for Z[f, n] in range(K):
            p_c = naive.dir_dir_c_given_z(codes, Z, C, f, n, K, *hyperparameters)
            p[Z[f, n]] = p_z[Z[f, n]] * p_c
        return p.ravel()

    return conditional


@dir_dir_cases
def test_dir_dir_alternating_sweep_leaves_the_posterior_invariant(case):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)
    conditional = alternating_conditional(codes, K, hyperparameters)
    transition = naive.sweep_matrix(exact, codes, conditional)
    np.testing.assert_allclose(exact.posterior @ transition, exact.posterior, atol=1e-13)
    # With K = 2, z | c != z is certain: eqs. (60)-(61) never change a zero's pair, and the paper's
    # sampler does not reach its posterior. From K = 3 on it does.
    left = decay(transition, thin=20)
    assert left == pytest.approx(1) if K == 2 else left < 0.01


def test_mean_field_bound_is_the_evidence_where_the_factors_are_exact():
    # With K = 1 there is nothing to assign, the posterior is q itself, and the bound is tight.
    codes = np.array([[1, 0, -1], [1, 1, 0]], np.int8)
    hyperparameters = 0.7, 1.9, 0.4
    L, A, B = naive.expected_counts(codes, naive.one_hot(codes, np.where(codes >= 0, 0, -1), 1))
    R = naive.mean_field_responsibilities(codes, L, A, B, *hyperparameters)
    exact = naive.enumerate_beta_dir(codes, 1, *hyperparameters)
    bound = naive.evidence_bound(codes, R, L, A, B, *hyperparameters)
    assert bound == pytest.approx(exact.log_evidence, abs=1e-10)


@beta_dir_cases
def test_mean_field_bound_is_an_expectation_under_q(case):
    # E_q[log p(V, Z, W, H) - log q(Z, W, H)] by plain Monte Carlo over q, at a q that is not
    # optimal. False alarm rate 1e-6 for each case.
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    rng = np.random.default_rng(1)
    alpha, beta, gamma = (naive.vector(x, K) for x in hyperparameters)
    R = naive.one_hot(codes, naive.random_assignments(codes, K, rng), K)
    L, A, B = naive.expected_counts(codes, R)
    R = naive.mean_field_responsibilities(codes, L, A, B, *hyperparameters)
    draws = [monte_carlo_bound(codes, R, L, A, B, alpha, beta, gamma, rng) for _ in range(1000)]
    error = np.std(draws) / np.sqrt(len(draws))
    bound = naive.evidence_bound(codes, R, L, A, B, *hyperparameters)
    assert abs(np.mean(draws) - bound) < 4.9 * error


def monte_carlo_bound(codes, R, L, A, B, alpha, beta, gamma, rng):
    """Return log p - log q at one draw from q."""
    K = len(gamma)
    a, b = alpha[:, None] + A, beta[:, None] + B
    W = np.array([rng.dirichlet(gamma + row) for row in L])
    H = rng.beta(a, b)
    total = sum(naive.dirichlet_law.logpdf(w, gamma) for w in W)
    total -= sum(naive.dirichlet_law.logpdf(w, gamma + row) for w, row in zip(W, L, strict=True))
    total += naive.beta_law.logpdf(H, alpha[:, None], beta[:, None]).sum()
    total -= naive.beta_law.logpdf(H, a, b).sum()
    for f, n in naive.column_scan(codes):
        k = rng.choice(K, p=R[f, n])
        h = H[k, n] if codes[f, n] == 1 else 1 - H[k, n]
        total += np.log(W[f, k] * h / R[f, n, k])
    return total


def test_scans_visit_every_observed_cell_once():
    codes = ladder.large_matrix(5, 7, 0.3, np.random.default_rng(2))
    rows = [(f, n) for f in range(5) for n in range(7) if codes[f, n] >= 0]
    columns = [(f, n) for n in range(7) for f in range(5) if codes[f, n] >= 0]
    assert naive.row_scan(codes) == rows
    assert naive.column_scan(codes) == columns
    for scan in naive.row_scan, naive.interleaved_scan:
        assert scan(codes, 3) not in (rows, columns)
        assert sorted(scan(codes, 3)) == rows


def test_interleaved_scan_by_hand():
    codes = np.array([[1, 0, 1, 1, 0], [0, -1, 1, 1, 0], [1, 1, 0, -1, 1]], np.int8)
    assert naive.interleaved_scan(codes) == [
        (0, 0),
        (1, 0),
        (0, 1),
        (2, 0),
        (2, 1),
        (0, 2),  # column 1 has no cell in row 1
        (1, 2),
        (0, 3),
        (2, 2),
        (1, 3),
        (0, 4),
        (1, 4),
        (2, 4),
    ]


def test_dirichlet_rule_integrates_monomials():
    # E[w_1^2 w_2 w_3] = a1 (a1 + 1) a2 a3 / (s (s + 1) (s + 2) (s + 3)).
    a = np.array([0.3, 1.2, 2.5])
    w, weights = naive.dirichlet_rule(3, a, 4)
    s = a.sum()
    expected = a[0] * (a[0] + 1) * a[1] * a[2] / (s * (s + 1) * (s + 2) * (s + 3))
    assert weights @ (w[:, 0] ** 2 * w[:, 1] * w[:, 2]) == pytest.approx(expected, rel=1e-12)


def test_evidences_sum_to_one_over_all_matrices():
    codes = naive.all_assignments(np.zeros((2, 2), np.int8), lambda v: [0, 1])
    alpha, beta, gamma = np.array([2.0, 0.5]), 0.8, np.array([0.3, 1.0])
    beta_dir = [naive.enumerate_beta_dir(V, 2, alpha, beta, gamma).log_evidence for V in codes]
    dir_dir = [naive.enumerate_dir_dir(V, 2, gamma, alpha).log_evidence for V in codes]
    assert logsumexp(beta_dir) == pytest.approx(0, abs=1e-12)
    assert logsumexp(dir_dir) == pytest.approx(0, abs=1e-12)


# --- The checks pass right samplers and notice wrong ones -------------------------------------
#
# Each error below is of the kind a compiled kernel may contain. It is put into the conditional
# law, so the same names serve all the checks. The first is special: for a pure urn, leaving the
# cell itself in its counts only mixes the right draw with staying, so the equilibrium hardly
# changes. Checks of the equilibrium are nearly blind to it; the replay sees it at once.


def keep_own_cell(codes, Z, f, n, K, alpha, beta, gamma):
    """Forget to take the cell itself out of the counts."""
    L, column = naive.tally(Z[f], K), Z[:, n]
    A, B = (naive.tally(column[codes[:, n] == v], K) for v in (1, 0))
    return naive.beta_dir_weights(codes[f, n], L, A, B, alpha, beta, gamma)


def swap_alpha_beta(codes, Z, f, n, K, alpha, beta, gamma):
    return right_beta_dir(codes, Z, f, n, K, beta, alpha, gamma)


def first_gamma_for_all(codes, Z, f, n, K, alpha, beta, gamma):
    return right_beta_dir(codes, Z, f, n, K, alpha, beta, naive.vector(gamma, K)[0])


def denominator_without_zeros(codes, Z, f, n, K, alpha, beta, gamma):
    """Divide by alpha + beta + A instead of alpha + beta + A + B."""
    p = right_beta_dir(codes, Z, f, n, K, alpha, beta, gamma)
    column = np.delete(Z[:, n], f), np.delete(codes[:, n], f)
    A, B = (naive.tally(column[0][column[1] == v], K) for v in (1, 0))
    weights = p * (alpha + beta + A + B) / (alpha + beta + A)
    return weights / weights.sum()


def one_in_twenty_to_the_last(codes, Z, f, n, K, alpha, beta, gamma):
    """Let the search run to its end once in twenty draws."""
    p = right_beta_dir(codes, Z, f, n, K, alpha, beta, gamma)
    return 0.95 * p + 0.05 * (np.arange(K) == K - 1)


right_beta_dir = naive.beta_dir_conditional
BROKEN_BETA_DIR = [swap_alpha_beta, first_gamma_for_all, denominator_without_zeros]
passes_and_failures = pytest.mark.parametrize(
    "conditional", [right_beta_dir, *BROKEN_BETA_DIR], ids=lambda c: c.__name__
)
ASYMMETRIC = "3x2 K=2 asymmetric"


def expect(conditional, right):
    """Return a context in which a check has to pass for the right law, and fail otherwise."""
    return nullcontext() if conditional is right else pytest.raises(AssertionError, match="differ")


@pytest.mark.statistics
@passes_and_failures
def test_power_of_the_enumeration_check(conditional, monkeypatch):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[ASYMMETRIC]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    rng = np.random.default_rng(3)
    monkeypatch.setattr(naive, "beta_dir_conditional", conditional)
    chain = NaiveChain(
        lambda Z: naive.beta_dir_sweep(codes, Z, K, *hyperparameters, rng), naive.random_assignments(codes, K, rng)
    )
    with expect(conditional, right_beta_dir):
        ladder.assert_exact_posterior(chain, lambda c: c.labels, exact, 3, n_samples=1500)


@pytest.mark.statistics
@pytest.mark.parametrize(
    "conditional", [right_beta_dir, swap_alpha_beta, first_gamma_for_all], ids=lambda c: c.__name__
)
def test_power_of_the_posterior_mean_check(conditional, monkeypatch):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[ASYMMETRIC]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    rng = np.random.default_rng(4)
    monkeypatch.setattr(naive, "beta_dir_conditional", conditional)
    chain = NaiveChain(
        lambda Z: naive.beta_dir_sweep(codes, Z, K, *hyperparameters, rng), naive.random_assignments(codes, K, rng)
    )

    def predict(chain):
        W, H = naive.beta_dir_factors(codes, chain.labels, K, *hyperparameters)
        return W @ H

    with expect(conditional, right_beta_dir):
        ladder.assert_posterior_mean(chain, predict, exact, n_samples=4000)


@pytest.mark.statistics
@passes_and_failures
def test_power_of_gewekes_test(conditional, monkeypatch):
    K, hyperparameters = 3, (np.array([2.0, 0.5, 1.0]), 0.6, np.array([0.3, 1.0, 0.6]))
    mask = np.ones((3, 4), bool)
    mask[1, 2] = False
    rng = np.random.default_rng(5)
    monkeypatch.setattr(naive, "beta_dir_conditional", conditional)

    def sweep(codes, Z, i):
        return naive.beta_dir_sweep(codes, Z, K, *hyperparameters, rng)

    with expect(conditional, right_beta_dir):
        ladder.geweke_beta_dir(sweep, mask, K, hyperparameters, rng, n_successive=1500)


@pytest.mark.statistics
@pytest.mark.parametrize(
    "conditional",
    [right_beta_dir, *BROKEN_BETA_DIR, keep_own_cell, one_in_twenty_to_the_last],
    ids=lambda c: c.__name__,
)
def test_power_of_the_replay(conditional, monkeypatch):
    rng = np.random.default_rng(6)
    codes, K = ladder.large_matrix(40, 30, 0.3, rng), 8
    hyperparameters = np.linspace(0.3, 2, K), np.linspace(1.5, 0.5, K), np.linspace(0.5, 0.05, K)
    before, replay = naive.random_assignments(codes, K, rng), ladder.Replay(rng)
    for _ in range(6):
        with monkeypatch.context() as patch:
            patch.setattr(naive, "beta_dir_conditional", conditional)
            after = naive.beta_dir_sweep(codes, before, K, *hyperparameters, rng)
        order = naive.row_scan(codes)
        ladder.replay_beta_dir(replay, codes, before, after, K, hyperparameters, order)
        before = after
    with expect(conditional, right_beta_dir):
        replay.assert_right()


def keep_own_pair(Z, C, f, n, K, gamma, eta):
    """Forget to take the cell itself out of both urns."""
    return gamma + naive.tally(Z[f], K), eta + naive.tally(C[:, n], K)


def swap_urns(Z, C, f, n, K, gamma, eta):
    """Give gamma to the columns and eta to the rows."""
    a, b = right_urns(Z, C, f, n, K, gamma, eta)
    return a - gamma + eta, b - eta + gamma


def one_eta_for_all(Z, C, f, n, K, gamma, eta):
    a, b = right_urns(Z, C, f, n, K, gamma, eta)
    return a, b - eta + eta[0]


right_urns = naive.dir_dir_urns
BROKEN_DIR_DIR = [swap_urns, one_eta_for_all]
passes_and_failures_dir_dir = pytest.mark.parametrize("urns", [right_urns, *BROKEN_DIR_DIR], ids=lambda u: u.__name__)
scheme = pytest.mark.parametrize("scheme", ["joint", "alternating"])


@pytest.mark.statistics
@scheme
@passes_and_failures_dir_dir
def test_power_of_the_dir_dir_enumeration_check(urns, scheme, monkeypatch):
    codes, K = ladder.DIR_DIR_CASES["2x2 K=3 one missing"][:2]
    hyperparameters = np.array([0.4, 0.7, 1.0]), np.array([1.5, 1.0, 0.5])
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)
    rng = np.random.default_rng(7)
    monkeypatch.setattr(naive, "dir_dir_urns", urns)
    chain = NaiveChain(
        lambda pair: naive.dir_dir_sweep(codes, *pair, K, *hyperparameters, rng, scheme),
        naive.random_pairs(codes, K, rng),
    )

    def labels(chain):
        Z, C = chain.labels
        return np.where(Z < 0, -1, Z * K + C)

    with expect(urns, right_urns):
        ladder.assert_exact_posterior(chain, labels, exact, 8, n_samples=1500)


@pytest.mark.statistics
@scheme
@passes_and_failures_dir_dir
def test_power_of_gewekes_test_for_dir_dir(urns, scheme, monkeypatch):
    K, hyperparameters = 3, (np.array([0.3, 0.6, 0.9]), np.array([1.5, 1.0, 0.7]))
    mask = np.ones((3, 4), bool)
    mask[1, 2] = False
    rng = np.random.default_rng(8)
    monkeypatch.setattr(naive, "dir_dir_urns", urns)

    def sweep(codes, Z, C, i):
        return naive.dir_dir_sweep(codes, Z, C, K, *hyperparameters, rng, scheme)

    with expect(urns, right_urns):
        ladder.geweke_dir_dir(sweep, mask, K, hyperparameters, rng, n_successive=1500)


@pytest.mark.statistics
@scheme
@pytest.mark.parametrize("urns", [right_urns, *BROKEN_DIR_DIR, keep_own_pair], ids=lambda u: u.__name__)
def test_power_of_the_dir_dir_replay(urns, scheme, monkeypatch):
    rng = np.random.default_rng(9)
    codes, K = ladder.large_matrix(30, 20, 0.3, rng), 6
    hyperparameters = np.linspace(0.05, 0.3, K), np.linspace(3, 0.2, K)
    before, replay = naive.random_pairs(codes, K, rng), ladder.Replay(rng)
    for _ in range(6):
        with monkeypatch.context() as patch:
            patch.setattr(naive, "dir_dir_urns", urns)
            after = naive.dir_dir_sweep(codes, *before, K, *hyperparameters, rng, scheme)
        order = naive.row_scan(codes)
        ladder.replay_dir_dir(replay, codes, before, after, K, hyperparameters, order, scheme)
        before = after
    with expect(urns, right_urns):
        replay.assert_right()
