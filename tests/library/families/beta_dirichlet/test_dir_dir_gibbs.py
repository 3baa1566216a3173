"""The Dir-Dir Gibbs kernel, both schemes: invariants, draw by draw, exact posteriors, Geweke."""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbmf.families.beta_dirichlet.kernels import dir_dir_gibbs
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import dir_dir

SCHEMES = ("joint", "alternating")
schemes = pytest.mark.parametrize("scheme", SCHEMES)


def chain_of(codes, K, hyperparameters, *key, **options):
    return DirDirChain(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


def labels(chain):
    """Return z K + c, -1 where missing, as the enumeration numbers its states."""
    K = chain.counts().L.shape[1]
    return np.where(chain.Z < 0, -1, chain.Z * K + chain.C)


# --- Invariants ------------------------------------------------------------------------------


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.integers(1, 4), st.integers(0, 5), st.booleans(), st.sampled_from(SCHEMES))
def test_counts_are_those_of_the_assignments(problem, n_blocks, n_sweeps, given_start, scheme):
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng) if given_start else (None, None)
    chain = chain_of(codes, K, hyperparameters, 1, Z=Z, C=C, n_blocks=n_blocks, scheme=scheme)
    if given_start:
        np.testing.assert_array_equal(chain.Z, Z)
        np.testing.assert_array_equal(chain.C, C)
    chain.sweep(n_sweeps)
    Z, C = chain.Z, chain.C
    for assignments in Z, C:
        assert assignments.shape == codes.shape
        assert (assignments[codes < 0] == -1).all()
        assert ((assignments >= 0) & (assignments < K))[codes >= 0].all()
    np.testing.assert_array_equal((Z == C)[codes >= 0], (codes == 1)[codes >= 0])
    L, Q = chain.counts()
    np.testing.assert_array_equal(L, naive.one_hot(codes, Z, K).sum(axis=1))
    np.testing.assert_array_equal(Q, naive.one_hot(codes, C, K).sum(axis=0).T)
    log_joint = naive.dir_dir_log_joint(codes, Z, C, K, *hyperparameters)
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-10)
    H = naive.dir_dir_factors(codes, Z, C, K, *hyperparameters)[1]
    found = chain.undo_columns(chain.expected_H(slice(None)))
    np.testing.assert_allclose(found, H, rtol=1e-12)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.integers(1, 4), st.sampled_from(SCHEMES))
def test_same_seed_same_chain(problem, n_blocks, scheme):
    # Whether sweeps come one by one or together, whether the seed object was used before.
    codes, K, hyperparameters, rng = problem
    untouched, seed = codes.copy(), ladder.seed_sequence(2)
    Z, C = naive.random_pairs(codes, K, rng)
    start = Z.copy(), C.copy()
    one_by_one, together = (
        DirDirChain(codes, K, *hyperparameters, seed, Z=Z, C=C, n_blocks=n_blocks, scheme=scheme) for _ in range(2)
    )
    for _ in range(3):
        one_by_one.sweep()
    together.sweep(3)
    np.testing.assert_array_equal(one_by_one.Z, together.Z)
    np.testing.assert_array_equal(one_by_one.C, together.C)
    np.testing.assert_array_equal(codes, untouched)
    np.testing.assert_array_equal((Z, C), start)


def test_one_component_explains_a_matrix_of_ones():
    codes = np.array([[1, -1, 1], [1, 1, -1]], np.int8)
    for scheme in SCHEMES:
        chain = chain_of(codes, 1, (0.5, 1.0), 3, n_blocks=2, scheme=scheme)
        chain.sweep(3)
        np.testing.assert_array_equal(chain.Z, np.where(codes == 1, 0, -1))
        np.testing.assert_array_equal(chain.C, chain.Z)
        assert chain.log_joint() == pytest.approx(0, abs=1e-12)


@schemes
@pytest.mark.parametrize(("K", "gamma", "n_blocks"), [(6, 0.2, None), (300, 1 / 300, 4)])
def test_threads_do_not_change_a_bit(K, gamma, n_blocks, scheme):
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(3), 5, 11)
    chains = [
        chain_of(codes, K, (gamma, 1.0), 3, n_blocks=n_blocks, threads=threads, scheme=scheme) for threads in (1, 2)
    ]
    for chain in chains:
        chain.sweep(20)
    np.testing.assert_array_equal(chains[0].Z, chains[1].Z)
    np.testing.assert_array_equal(chains[0].C, chains[1].C)


@schemes
def test_narrow_numbers_change_no_bit(monkeypatch, scheme):
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(3), 5, 11)
    chains = [chain_of(codes, 6, (0.2, 1.0), 3, scheme=scheme)]
    monkeypatch.setattr(dir_dir_gibbs, "smallest_dtype", lambda largest, *kinds: kinds[-1])
    chains += [chain_of(codes, 6, (0.2, 1.0), 3, scheme=scheme)]
    for chain in chains:
        chain.sweep(20)
    narrow, wide = (chain.arrays() for chain in chains)
    for name in "zcQ":
        assert narrow[name].itemsize < wide[name].itemsize == 4
    np.testing.assert_array_equal(chains[0].Z, chains[1].Z)
    np.testing.assert_array_equal(chains[0].C, chains[1].C)


@pytest.mark.parametrize(
    ("F", "K", "bytes_of_z", "bytes_of_Q"),
    [(2**16 - 1, 256, 1, 2), (2**16, 257, 2, 4), (255, 2**16, 2, 1), (256, 2**16 + 1, 4, 2)],
)
def test_numbers_are_as_wide_as_they_must_be(F, K, bytes_of_z, bytes_of_Q):
    codes = np.ones((F, 1), np.int8)
    chain = chain_of(codes, K, (0.2, 1.0), 3, Z=np.full(codes.shape, K - 1))
    widths = [chain.arrays()[name].itemsize for name in "zcQ"]
    assert widths == [bytes_of_z, bytes_of_z, bytes_of_Q]
    np.testing.assert_array_equal(chain.Z, K - 1)
    np.testing.assert_array_equal(chain.C, K - 1)
    np.testing.assert_array_equal(chain.counts().Q[-1], F)


@pytest.mark.long
def test_threads_run_their_own_compiled_code(tmp_path):
    ladder.assert_threads_run_their_own_code(tmp_path, "dir_dir_gibbs", "DirDirChain", 2, "sweep", "_sweeps_parallel")


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.sampled_from(SCHEMES), st.data())
def test_lines_without_observations_change_nothing(problem, scheme, data):
    codes, K, hyperparameters, rng = problem
    widen = ladder.widening(data, codes)
    Z, C = naive.random_pairs(codes, K, rng)
    options = {"n_blocks": 1, "scheme": scheme}
    small = chain_of(codes, K, hyperparameters, 4, Z=Z, C=C, **options)
    large = chain_of(widen(codes), K, hyperparameters, 4, Z=widen(Z), C=widen(C), **options)
    small.sweep(4)
    large.sweep(4)
    np.testing.assert_array_equal(widen(small.Z), large.Z)
    np.testing.assert_array_equal(widen(small.C), large.C)


def test_random_start_is_uniform():
    # Chi-square over the pairs that agree with V, ones and zeros apart; false alarm rate 2e-6.
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(5))
    K = 4
    pairs = labels(chain_of(codes, K, (0.1, 1.0), 5))
    equal = np.eye(K).ravel()
    for v, allowed in (1, equal), (0, 1 - equal):
        p = ladder.chi_square_p(naive.tally(pairs[codes == v], K * K), allowed / allowed.sum())
        assert p > ladder.FALSE_ALARM


# --- Every draw of a sweep -------------------------------------------------------------------


# test_dir_dir_draws.py has every probability of small blocks of few components; here are long rows
# and columns, many components and blocks, which only statistics reach.
def grid(F, N):
    empty = (3, 4) if min(F, N) > 5 else ()  # a row and a column without observations
    return ladder.large_matrix(F, N, 0.25, np.random.default_rng(6), *empty)


RISING = np.linspace(0.02, 0.7, 9), np.linspace(2, 0.1, 9)
TILES = ladder.tiled_matrix(80, 4, 3, np.random.default_rng(6))  # where one count weighs most
REPLAYS = {  # codes, K, (gamma, eta), n_blocks, n_sweeps
    "tiles, three blocks": (TILES, 4, (2.0, 0.6), 3, 6),
    "K=300, three blocks": (grid(25, 30), 300, (0.05, 0.01), 3, 3),
    "strong gamma": (grid(8, 120), 12, (4.0, 0.3), 2, 6),
    "colliding": (grid(40, 40), 5, (0.01, 0.01), 1, 4),
    "vectors, four blocks": (grid(12, 100), 9, RISING, 4, 5),
    "one row": (grid(1, 800), 30, (0.3, 1.0), 1, 6),
    "one column": (grid(800, 1), 30, (0.3, 1.0), 1, 6),
}


@pytest.mark.statistics
@schemes
@pytest.mark.parametrize("name", REPLAYS)
def test_every_draw_follows_eqs_59_to_61(name, scheme):
    # False alarm rate 1e-6 for each case.
    codes, K, hyperparameters, n_blocks, n_sweeps = REPLAYS[name]
    chain = chain_of(codes, K, hyperparameters, 7, n_blocks=n_blocks, scheme=scheme)
    chain.sweep(30)
    order, replay = naive.row_scan(codes, n_blocks), ladder.Replay(np.random.default_rng(8))
    before = chain.Z, chain.C
    for _ in range(n_sweeps):
        chain.sweep()
        after = chain.Z, chain.C
        ladder.replay_dir_dir(replay, codes, before, after, K, hyperparameters, order, scheme)
        before = after
    replay.assert_right()


# --- Exact posteriors ------------------------------------------------------------------------

# The alternating scheme cannot change the pair of a zero if K = 2 (see test_slow_twins).
CASES = [
    (case, scheme, n_blocks)
    for case in ladder.DIR_DIR_CASES
    for scheme in SCHEMES
    for n_blocks in (1, 2)
    if scheme == "joint" or ladder.DIR_DIR_CASES[case][1] > 2
]


@pytest.mark.statistics
@pytest.mark.parametrize(("case", "scheme", "n_blocks"), CASES)
def test_distribution_over_assignments_is_exact(case, scheme, n_blocks):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)
    # On one thread: any other number gives the same bits, see test_threads_do_not_change_a_bit.
    options = {"n_blocks": n_blocks, "scheme": scheme}
    chain = chain_of(codes, K, hyperparameters, 10, n_blocks, **options)
    thin = 10 if scheme == "joint" else 20
    ladder.assert_exact_posterior(chain, labels, exact, thin=thin, n_samples=20_000)


@pytest.mark.statistics
@schemes
def test_blocks_of_a_round_are_independent(scheme):
    # Two copies of a 2 x 1 matrix that share no row and no column and lie in different blocks:
    # all 324 pairs of states are compared with the product of the two posteriors.
    codes = np.full((4, 2), -1, np.int8)
    codes[::2, 0] = codes[1::2, 1] = [1, 0]
    hyperparameters = 0.6, 0.8
    exact = naive.enumerate_dir_dir(codes, 3, *hyperparameters)
    start = np.where(codes >= 0, 0, -1)
    C = np.where(codes == 0, 1, start)
    chain = chain_of(codes, 3, hyperparameters, 11, Z=start, C=C, n_blocks=2, scheme=scheme)
    ladder.assert_exact_posterior(chain, labels, exact, thin=20)


@pytest.mark.parametrize("case", ladder.DIR_DIR_CASES)
def test_posterior_mean_is_exact(case):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)

    def predict(chain):
        W, H = dir_dir.expected_factors(chain.counts(), *hyperparameters)
        return W @ H

    chain = chain_of(codes, K, hyperparameters, 12)
    ladder.assert_posterior_mean(chain, predict, exact, n_samples=10_000)


@pytest.mark.long
@pytest.mark.parametrize(("case", "scheme", "n_blocks"), sorted({case[:3] for case in CASES}))
def test_distribution_over_assignments_is_exact_long(case, scheme, n_blocks):
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES[case]
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)
    chain = chain_of(codes, K, hyperparameters, 13, n_blocks=n_blocks, scheme=scheme)
    ladder.assert_exact_posterior(chain, labels, exact, thin=30, n_samples=1_000_000)


# --- Joint distribution ----------------------------------------------------------------------

MASK = np.ones((4, 5), bool)
MASK[1, 2] = MASK[3, 0] = False
GEWEKE = np.array([0.3, 1.0, 0.6]), np.array([1.5, 0.4, 0.8])


def geweke(scheme, n_blocks, seed, **options):
    def sweep(codes, Z, C, i):
        options = {"n_blocks": n_blocks, "scheme": scheme}
        chain = chain_of(codes, 3, GEWEKE, seed, i, Z=Z, C=C, **options)
        chain.sweep()
        return chain.Z, chain.C

    ladder.geweke_dir_dir(sweep, MASK, 3, GEWEKE, np.random.default_rng(seed), **options)


@pytest.mark.statistics
@schemes
def test_geweke(scheme):
    geweke(scheme, 2, 14, n_successive=8000)


@pytest.mark.long
@schemes
@pytest.mark.parametrize("n_blocks", [1, 2])
def test_geweke_long(scheme, n_blocks):
    geweke(scheme, n_blocks, 15, n_marginal=100_000, n_successive=500_000)
