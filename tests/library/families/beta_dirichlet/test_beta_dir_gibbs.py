"""The Beta-Dir Gibbs kernel: invariants, draw by draw, exact posteriors, Geweke's test."""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.numerics.cells import default_blocks

cases = pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)

# Rows that use more components than `dense_row` are drawn by rejection. Both ways claim the same
# law, so each is tested on matrices of all kinds.
LISTS, REJECTION = 10**6, 0
ways = pytest.mark.parametrize("dense_row", [LISTS, REJECTION], ids=["lists", "rejection"])


def chain_of(codes, K, hyperparameters, *key, **options):
    return BetaDirChain(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


# --- Invariants ------------------------------------------------------------------------------


def assert_counts_are_right(chain, codes, K):
    expected = naive.expected_counts(codes, naive.one_hot(codes, chain.Z, K))
    for counts, e in zip(chain.counts(), expected, strict=True):
        np.testing.assert_array_equal(counts, e)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 4), st.integers(0, 5), st.booleans(), st.sampled_from([LISTS, REJECTION]))
def test_counts_are_those_of_the_assignments(problem, n_blocks, n_sweeps, given_start, dense_row):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng) if given_start else None
    chain = chain_of(codes, K, hyperparameters, 1, Z=Z, n_blocks=n_blocks, dense_row=dense_row)
    if given_start:
        np.testing.assert_array_equal(chain.Z, Z)
    chain.sweep(n_sweeps)
    Z = chain.Z
    assert Z.shape == codes.shape
    assert (Z[codes < 0] == -1).all()
    assert ((Z >= 0) & (Z < K))[codes >= 0].all()
    assert_counts_are_right(chain, codes, K)
    log_joint = naive.beta_dir_log_joint(codes, Z, K, *hyperparameters)
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-10)
    H = naive.beta_dir_factors(codes, Z, K, *hyperparameters)[1]
    found = chain.undo_columns(chain.expected_H(slice(None)))
    np.testing.assert_allclose(found, H, rtol=1e-12)


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
    chains = [chain_of(codes, K, (1.0, 1.0, gamma), 3, n_blocks=n_blocks, threads=threads) for threads in (1, 2)]
    for chain in chains:
        chain.sweep(20)
    np.testing.assert_array_equal(chains[0].Z, chains[1].Z)
    assert chains[0].log_joint() == chains[1].log_joint()


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("F", "N", "B"),
    [(1, 1, 1), (63, 500, 1), (64, 64, 2), (300, 127, 2), (128, 300, 4), (600, 900, 16), (10**5, 10**6, 16)],
)
def test_blocks_by_default_are_a_power_of_two_of_32_lines_each(F, N, B):
    assert default_blocks(F, N) == B


@pytest.mark.long
def test_threads_run_their_own_compiled_code(tmp_path):
    ladder.assert_threads_run_their_own_code(tmp_path, "beta_dir_gibbs", "BetaDirChain", 3, "sweep", "_sweeps_parallel")


@ladder.PROPERTY
@given(ladder.problems(3), st.data())
def test_lines_without_observations_change_nothing(problem, data):
    codes, K, hyperparameters, rng = problem
    widen = ladder.widening(data, codes)
    Z = naive.random_assignments(codes, K, rng)
    small = chain_of(codes, K, hyperparameters, 4, Z=Z, n_blocks=1)
    large = chain_of(widen(codes), K, hyperparameters, 4, Z=widen(Z), n_blocks=1)
    small.sweep(4)
    large.sweep(4)
    np.testing.assert_array_equal(widen(small.Z), large.Z)


@pytest.mark.parametrize("per_column", [False, True])
def test_the_beta_prior_comes_in_the_order_of_the_chain(per_column):
    codes = ladder.large_matrix(5, 7, 0.2, np.random.default_rng(5))
    alpha = np.linspace(0.3, 2.0, 7)[None] if per_column else np.array([0.4, 1.0, 2.0])
    chain = chain_of(codes, 3, (alpha, 1.5, 0.2), 5, n_blocks=2)
    for prior, table in zip((alpha, 1.5), chain.beta_prior(), strict=True):
        found = chain.undo_columns(np.broadcast_to(table, (3, 7)))
        np.testing.assert_array_equal(found, np.broadcast_to(naive.table(prior, 3), (3, 7)))
    naive_alpha = alpha if per_column else alpha[:, None]
    A, B = chain.counts()[1:]
    log_joint = naive.beta_dir_log_joint(codes, chain.Z, 3, 1.0, 1.0, 0.2)
    beta = betaln(naive_alpha + A, 1.5 + B) - betaln(naive_alpha, 1.5) - betaln(1 + A, 1 + B)
    assert chain.log_joint() == pytest.approx(log_joint + beta.sum(), abs=1e-10)


def test_random_start_is_uniform():
    # Chi-square over 7 components, false alarm rate 1e-6.
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(5))
    Z = chain_of(codes, 7, (1.0, 1.0, 0.1), 5).Z
    p = ladder.chi_square_p(naive.tally(Z.ravel(), 7), np.full(7, 1 / 7))
    assert p > ladder.FALSE_ALARM
    assert (Z != chain_of(codes, 7, (1.0, 1.0, 0.1), 6).Z).any()


# --- Every draw of a sweep -------------------------------------------------------------------


# test_beta_dir_draws.py has every probability of small blocks of few components; here are long rows
# and columns, many components and blocks, which only statistics reach.
def grid(F, N):
    empty = (3, 4) if min(F, N) > 5 else ()  # a row and a column without observations
    return ladder.large_matrix(F, N, 0.25, np.random.default_rng(7), *empty)


RISING = np.linspace(0.2, 3, 9), np.linspace(2, 0.3, 9), np.linspace(0.02, 0.7, 9)
TILES = ladder.tiled_matrix(90, 4, 3, np.random.default_rng(7))  # where one count weighs most
REPLAYS = {  # codes, K, (alpha, beta, gamma), n_blocks, n_sweeps
    "tiles, three blocks": (TILES, 4, (0.3, 0.6, 2.0), 3, 8),
    "K=300, three blocks": (grid(30, 60), 300, (0.7, 1.2, 0.05), 3, 4),
    "strong gamma": (grid(8, 150), 12, (0.5, 0.3, 4.0), 2, 8),
    "vectors, four blocks": (grid(12, 120), 9, RISING, 4, 6),
    "one row": (grid(1, 800), 30, (1.0, 2.0, 0.3), 1, 10),
    "one column": (grid(800, 1), 30, (1.0, 2.0, 0.3), 1, 10),
}


@pytest.mark.statistics
@pytest.mark.parametrize("dense_row", [LISTS, REJECTION, 24])
@pytest.mark.parametrize("name", REPLAYS)
def test_every_draw_follows_eq_25(name, dense_row):
    # False alarm rate 1e-6 for each case.
    codes, K, hyperparameters, n_blocks, n_sweeps = REPLAYS[name]
    options = {"n_blocks": n_blocks, "dense_row": dense_row}
    chain = chain_of(codes, K, hyperparameters, 8, **options)
    chain.sweep(30)
    order, replay = naive.row_scan(codes, n_blocks), ladder.Replay(np.random.default_rng(9))
    before = chain.Z
    for _ in range(n_sweeps):
        chain.sweep()
        after = chain.Z
        ladder.replay_beta_dir(replay, codes, before, after, K, hyperparameters, order)
        before = after
    replay.assert_right()
    assert_counts_are_right(chain, codes, K)  # from lists that have shrunk and grown


# --- Exact posteriors ------------------------------------------------------------------------


@pytest.mark.statistics
@pytest.mark.parametrize(("n_blocks", "dense_row"), [(1, LISTS), (2, LISTS), (1, REJECTION), (2, REJECTION)])
@cases
def test_distribution_over_assignments_is_exact(case, n_blocks, dense_row):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    # On one thread: any other number gives the same bits, see test_threads_do_not_change_a_bit.
    options = {"n_blocks": n_blocks, "dense_row": dense_row}
    chain = chain_of(codes, K, hyperparameters, 9, n_blocks, **options)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact, n_samples=20_000)


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


@pytest.mark.statistics
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
@ways
@pytest.mark.parametrize("n_blocks", [1, 2])
@cases
def test_distribution_over_assignments_is_exact_long(case, n_blocks, dense_row):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    options = {"n_blocks": n_blocks, "dense_row": dense_row}
    chain = chain_of(codes, K, hyperparameters, 12, **options)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact, thin=20, n_samples=1_000_000)


# --- Joint distribution ----------------------------------------------------------------------

MASK = np.ones((4, 5), bool)
MASK[1, 2] = MASK[3, 0] = False
GEWEKE = np.array([2.0, 0.5, 1.0]), np.array([0.6, 1.0, 2.0]), np.array([0.3, 1.0, 0.6])


def geweke(n_blocks, dense_row, seed, **options):
    def sweep(codes, Z, i):
        options = {"n_blocks": n_blocks, "dense_row": dense_row}
        chain = chain_of(codes, 3, GEWEKE, seed, i, Z=Z, **options)
        chain.sweep()
        return chain.Z

    ladder.geweke_beta_dir(sweep, MASK, 3, GEWEKE, np.random.default_rng(seed), **options)


@pytest.mark.statistics
@ways
def test_geweke(dense_row):
    geweke(2, dense_row, 13, n_successive=8000)


@pytest.mark.long
@ways
@pytest.mark.parametrize("n_blocks", [1, 2])
def test_geweke_long(n_blocks, dense_row):
    geweke(n_blocks, dense_row, 14, n_marginal=100_000, n_successive=500_000)
