"""The Beta-Dir Gibbs kernel: invariants, draw by draw, exact posteriors, Geweke's test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ladder
import naive
from nbmf.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.models import beta_dir

cases = pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)


def chain_of(codes, K, hyperparameters, *key, **options):
    return BetaDirChain(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


# --- Invariants ------------------------------------------------------------------------------


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 4), st.integers(0, 5), st.booleans())
def test_counts_are_those_of_the_assignments(problem, n_blocks, n_sweeps, given_start):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng) if given_start else None
    chain = chain_of(codes, K, hyperparameters, 1, Z=Z, n_blocks=n_blocks)
    if given_start:
        np.testing.assert_array_equal(chain.Z, Z)
    chain.sweep(n_sweeps)
    Z = chain.Z
    assert Z.shape == codes.shape
    assert (Z[codes < 0] == -1).all()
    assert ((Z >= 0) & (Z < K))[codes >= 0].all()
    expected = naive.expected_counts(codes, naive.one_hot(codes, Z, K))
    for counts, e in zip(chain.counts(), expected, strict=True):
        np.testing.assert_array_equal(counts, e)
    log_joint = naive.beta_dir_log_joint(codes, Z, K, *hyperparameters)
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-10)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 4))
def test_same_seed_same_chain(problem, n_blocks):
    # Whether sweeps come one by one or together, whether the seed object was used before.
    codes, K, hyperparameters, rng = problem
    untouched, seed = codes.copy(), ladder.seed_sequence(2)
    Z = naive.random_assignments(codes, K, rng)
    start = Z.copy()
    one_by_one = BetaDirChain(codes, K, *hyperparameters, seed, Z=Z, n_blocks=n_blocks)
    together = BetaDirChain(codes, K, *hyperparameters, seed, Z=Z, n_blocks=n_blocks)
    for _ in range(3):
        one_by_one.sweep()
    together.sweep(3)
    np.testing.assert_array_equal(one_by_one.Z, together.Z)
    np.testing.assert_array_equal(codes, untouched)
    np.testing.assert_array_equal(Z, start)


@pytest.mark.parametrize(("K", "gamma", "n_blocks"), [(6, 0.2, None), (300, 1 / 300, 4)])
def test_threads_do_not_change_a_bit(K, gamma, n_blocks):
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(3), 5, 11)
    chains = [
        chain_of(codes, K, (1.0, 1.0, gamma), 3, n_blocks=n_blocks, threads=threads)
        for threads in (1, 2)
    ]
    for chain in chains:
        chain.sweep(20)
    np.testing.assert_array_equal(chains[0].Z, chains[1].Z)
    assert chains[0].log_joint() == chains[1].log_joint()


@ladder.PROPERTY
@given(ladder.problems(3), st.data())
def test_lines_without_observations_change_nothing(problem, data):
    codes, K, hyperparameters, rng = problem
    F, N = codes.shape
    row, column = data.draw(st.integers(0, F)), data.draw(st.integers(0, N))
    Z = naive.random_assignments(codes, K, rng)

    def widen(x):
        return np.insert(np.insert(x, row, -1, axis=0), column, -1, axis=1)

    small = chain_of(codes, K, hyperparameters, 4, Z=Z, n_blocks=1)
    large = chain_of(widen(codes), K, hyperparameters, 4, Z=widen(Z), n_blocks=1)
    small.sweep(4)
    large.sweep(4)
    np.testing.assert_array_equal(widen(small.Z), large.Z)


def test_random_start_is_uniform():
    # Chi-square over 7 components, false alarm rate 1e-6.
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(5))
    Z = chain_of(codes, 7, (1.0, 1.0, 0.1), 5).Z
    p = ladder.chi_square_p(naive.tally(Z.ravel(), 7), np.full(7, 1 / 7))
    assert p > ladder.FALSE_ALARM
    assert (Z != chain_of(codes, 7, (1.0, 1.0, 0.1), 6).Z).any()


# --- Every draw of a sweep -------------------------------------------------------------------

# Short columns, short rows: small counts, so that one cell too many or too few weighs most. Small
# gamma: sparse rows after some sweeps, many unused components. Strong gamma: most draws come from
# the prior part; with two components the cell itself matters there too. One row: a long list.
RISING = np.linspace(0.2, 3, 9), np.linspace(2, 0.3, 9), np.linspace(0.02, 0.7, 9)
FALLING = np.linspace(0.2, 3, 9), np.linspace(2, 0.3, 9), np.linspace(0.7, 0.02, 9)
REPLAYS = {  # F, N, K, (alpha, beta, gamma), n_blocks, n_sweeps
    "dense": (60, 25, 2, (0.5, 1.5, 1.0), 1, 8),
    "short columns": (4, 300, 3, (0.5, 1.0, 0.8), 1, 10),
    "short rows": (300, 4, 3, (1.0, 0.5, 0.8), 2, 10),
    "sparse": (40, 60, 40, (1.0, 1.0, 1 / 40), 1, 4),
    "K=300": (30, 60, 300, (1.0, 1.0, 1 / 300), 1, 4),
    "K=300, three blocks": (30, 60, 300, (0.7, 1.2, 0.05), 3, 4),
    "strong gamma": (8, 150, 12, (0.5, 0.3, 4.0), 2, 8),
    "strong gamma, two components": (3, 400, 2, (0.4, 0.6, np.array([3.0, 1.5])), 1, 8),
    "vectors": (12, 120, 9, FALLING, 1, 6),
    "vectors, four blocks": (12, 120, 9, RISING, 4, 6),
    "one row": (1, 800, 30, (1.0, 2.0, 0.3), 1, 10),
    "one column": (800, 1, 30, (1.0, 2.0, 0.3), 1, 10),
}


@pytest.mark.parametrize("sweeps_before", [0, 30])
@pytest.mark.parametrize("name", REPLAYS)
def test_every_draw_follows_eq_25(name, sweeps_before):
    # False alarm rate 1e-6 for each case. One row and one column stay empty.
    F, N, K, hyperparameters, n_blocks, n_sweeps = REPLAYS[name]
    rng = np.random.default_rng(7)
    empty = (3, 4) if min(F, N) > 5 else ()
    codes = ladder.large_matrix(F, N, 0.25, rng, *empty)
    chain = chain_of(codes, K, hyperparameters, 8, n_blocks=n_blocks)
    chain.sweep(sweeps_before)
    order, replay = naive.row_scan(codes, n_blocks), ladder.Replay(rng)
    before = chain.Z
    for _ in range(n_sweeps):
        chain.sweep()
        after = chain.Z
        ladder.replay_beta_dir(replay, codes, before, after, K, hyperparameters, order)
        before = after
    replay.assert_right()


# --- Exact posteriors ------------------------------------------------------------------------


@pytest.mark.parametrize(("n_blocks", "threads"), [(1, 1), (2, 1), (2, 2)])
@cases
def test_distribution_over_assignments_is_exact(case, n_blocks, threads):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    chain = chain_of(codes, K, hyperparameters, 9, n_blocks, n_blocks=n_blocks, threads=threads)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact)


def test_blocks_of_a_round_are_independent():
    # Two copies of a 2 x 2 matrix that share no row and no column and lie in different blocks:
    # all 256 pairs of states are compared with the product of the two posteriors.
    codes = np.full((4, 4), -1, np.int8)
    codes[::2, ::2] = codes[1::2, 1::2] = [[1, 0], [1, 1]]
    hyperparameters = 0.7, 1.0, 0.6
    exact = naive.enumerate_beta_dir(codes, 2, *hyperparameters)
    start = np.where(codes >= 0, 0, -1)
    chain = chain_of(codes, 2, hyperparameters, 10, Z=start, n_blocks=2)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact)


@cases
def test_posterior_mean_is_exact(case):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)

    def predict(chain):
        W, H = beta_dir.expected_factors(chain.counts(), *hyperparameters)
        return W @ H

    chain = chain_of(codes, K, hyperparameters, 11)
    ladder.assert_posterior_mean(chain, predict, exact, n_samples=10_000)


@pytest.mark.long
@pytest.mark.parametrize("n_blocks", [1, 2])
@cases
def test_distribution_over_assignments_is_exact_long(case, n_blocks):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    chain = chain_of(codes, K, hyperparameters, 12, n_blocks=n_blocks)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact, thin=20, n_samples=1_000_000)


# --- Joint distribution ----------------------------------------------------------------------

MASK = np.ones((4, 5), bool)
MASK[1, 2] = MASK[3, 0] = False
GEWEKE = np.array([2.0, 0.5, 1.0]), np.array([0.6, 1.0, 2.0]), np.array([0.3, 1.0, 0.6])


def geweke(n_blocks, seed, **options):
    def sweep(codes, Z, i):
        chain = chain_of(codes, 3, GEWEKE, seed, i, Z=Z, n_blocks=n_blocks)
        chain.sweep()
        return chain.Z

    ladder.geweke_beta_dir(sweep, MASK, 3, GEWEKE, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("n_blocks", [1, 2])
def test_geweke(n_blocks):
    geweke(n_blocks, 13, n_successive=8000)


@pytest.mark.long
@pytest.mark.parametrize("n_blocks", [1, 2])
def test_geweke_long(n_blocks):
    geweke(n_blocks, 14, n_marginal=100_000, n_successive=500_000)


@pytest.mark.long
def test_simulation_based_calibration():
    # Ranks of the true (WH)_00 (an observed cell) and (WH)_12 (a hidden one) among 15 posterior
    # draws are uniform. Two chi-square tests, false alarm rate 1e-6 each.
    rng, ranks = np.random.default_rng(15), []
    for i in range(4000):
        W, H, V = beta_dir.simulate(4, 5, 3, *GEWEKE, rng)
        codes = np.where(MASK, V, -1).astype(np.int8)
        chain = chain_of(codes, 3, GEWEKE, 16, i)
        chain.sweep(100)
        below = np.zeros(2, int)
        for _ in range(15):
            chain.sweep(20)
            below += [p < t for p, t in zip(posterior_cells(chain, rng), cells(W, H), strict=True)]
        ranks.append(below)
    for column in np.transpose(ranks):
        p = ladder.chi_square_p(np.bincount(column, minlength=16), np.full(16, 1 / 16))
        assert p > ladder.FALSE_ALARM


def cells(W, H):
    return W[0] @ H[:, 0], W[1] @ H[:, 2]


def posterior_cells(chain, rng):
    """Draw W and H given the assignments, eqs. (26)-(27), and return two cells of WH."""
    alpha, beta, gamma = GEWEKE
    L, A, B = chain.counts()
    W = np.array([rng.dirichlet(gamma + row) for row in L])
    return cells(W, rng.beta(alpha[:, None] + A, beta[:, None] + B))
