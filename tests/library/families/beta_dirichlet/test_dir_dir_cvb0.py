"""The CVB0 kernel of Dir-Dir against its slow twin, exact posteriors and what it has to conserve.

The twin has whole K x K tables q(z, c), from the joint law of a pair; the kernel their marginals.
"""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbmf
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.kernels.dir_dir_cvb0 import DirDirCVB0
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import dir_dir

# Responsibilities are float32, as in test_cvb0.py; a wrong formula changes the third digit.
TOLERANCE = 2e-5


def cvb0_of(codes, K, hyperparameters, *key, **options):
    return DirDirCVB0(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


def start(codes, K, rng):
    """Return random pairs as options of the kernel, and as responsibilities of the twin."""
    Z, C = naive.random_pairs(codes, K, rng)
    return {"Z": Z, "C": C}, (naive.one_hot(codes, Z, K), naive.one_hot(codes, C, K))


def assert_same(cvb0, R, **tolerance):
    for actual, expected in zip(cvb0.responsibilities, R, strict=True):
        np.testing.assert_allclose(actual, expected, **tolerance)


def assert_consistent(cvb0, codes, atol):
    """Mass is conserved, and some joint law of each pair has these marginals and fits the entry."""
    RZ, RC = (R.astype(float) for R in cvb0.responsibilities)
    L, Q = cvb0.counts()
    observed = codes >= 0
    for R in (RZ, RC):
        assert (R >= 0).all()
        assert (R[~observed] == 0).all()
        np.testing.assert_allclose(R.sum(axis=2), observed, atol=1e-6)
    np.testing.assert_array_equal(RZ[codes == 1], RC[codes == 1])
    # A law without diagonal needs P(z = k) <= P(c ≠ k), and such a law exists where that holds.
    assert ((RZ + RC)[codes == 0] <= 1 + 1e-6).all()
    np.testing.assert_allclose(L, RZ.sum(axis=1), atol=atol)
    np.testing.assert_allclose(Q, RC.sum(axis=0).T, atol=atol)
    np.testing.assert_allclose(L.sum(axis=1), observed.sum(axis=1), atol=atol)
    np.testing.assert_allclose(Q.sum(axis=0), observed.sum(axis=0), atol=atol)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_the_twin_has_the_distribution_of_the_model(problem):
    """Given counts of assignments, not expected ones, its table is the conditional of the pair."""
    codes, K, hyperparameters, rng = problem
    Z, C = naive.random_pairs(codes, K, rng)
    for f, n in naive.row_scan(codes):
        L = naive.tally(np.delete(Z[f], n), K)
        Q = naive.tally(np.delete(C[:, n], f), K)
        np.testing.assert_allclose(
            naive.dir_dir_pair(codes[f, n], L, Q, *hyperparameters),
            naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters),
            atol=1e-12,
        )


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.integers(1, 4), st.integers(0, 3))
def test_agrees_with_the_slow_twin(problem, n_blocks, n_iter):
    codes, K, hyperparameters, rng = problem
    pairs, R = start(codes, K, rng)
    cvb0 = cvb0_of(codes, K, hyperparameters, 1, **pairs, n_blocks=n_blocks)
    for _ in range(n_iter):
        cvb0.update()
        order = naive.interleaved_scan(codes, n_blocks)
        R = naive.dir_dir_cvb0_update(codes, *R, *hyperparameters, order=order)
    assert_same(cvb0, R, atol=TOLERANCE)
    assert_consistent(cvb0, codes, atol=1e-5)


@pytest.mark.parametrize(("K", "n_blocks"), [(300, 1), (100, 3), (17, 2)])
def test_agrees_with_the_slow_twin_large(K, n_blocks):
    rng = np.random.default_rng(2)
    codes = ladder.large_matrix(40, 30, 0.25, rng, 3, 4)
    hyperparameters = np.linspace(0.5, 2, K) / K, np.linspace(1.5, 0.3, K)
    pairs, R = start(codes, K, rng)
    cvb0 = cvb0_of(codes, K, hyperparameters, 2, **pairs, n_blocks=n_blocks)
    order = naive.interleaved_scan(codes, n_blocks)
    for _ in range(2):
        cvb0.update()
        R = naive.dir_dir_cvb0_update(codes, *R, *hyperparameters, order=order)
    assert_same(cvb0, R, rtol=1e-3, atol=TOLERANCE)


def test_start_is_that_of_the_chain():
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(3), 3, 4)
    cvb0 = cvb0_of(codes, 7, (0.1, 1.0), 3)
    chain = DirDirChain(codes, 7, 0.1, 1.0, ladder.seed_sequence(3))
    assert_same(cvb0, [naive.one_hot(codes, x, 7) for x in (chain.Z, chain.C)], atol=0)
    assert_consistent(cvb0, codes, atol=0)


def test_counts_do_not_drift():
    # Counts are kept up to date by differences; after many updates they still are sums.
    codes = ladder.large_matrix(50, 40, 0.25, np.random.default_rng(4), 7, 9)
    cvb0 = cvb0_of(codes, 10, (0.1, 1.0), 4, n_blocks=2)
    cvb0.update(500)
    assert_consistent(cvb0, codes, atol=1e-4)


@pytest.mark.parametrize("prior", [1e-6, 1e6])
def test_extreme_priors_conserve_mass(prior):
    # S - b_k cancels where one component has all counts: the sums of the two marginals of a zero
    # then are not the same number, and weights may fall below zero by a rounding.
    codes = ladder.large_matrix(300, 200, 0.2, np.random.default_rng(13), 3, 4)
    cvb0 = cvb0_of(codes, 3, (prior, prior), 13)
    cvb0.update(100)
    for R in cvb0.responsibilities:
        np.testing.assert_allclose(R.sum(axis=2), codes >= 0, atol=1e-6)
        assert R.min() > -1e-4
    assert cvb0.counts().L.sum() == pytest.approx((codes >= 0).sum(), rel=1e-6)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_limit_is_a_fixed_point(n_blocks):
    # The equations hold for every cell at once, so the order of the cells plays no part.
    codes = ladder.large_matrix(15, 12, 0.25, np.random.default_rng(5), 3, 4)
    hyperparameters = np.array([0.5, 0.2, 0.9]), np.array([0.8, 1.2, 0.4])
    cvb0 = cvb0_of(codes, 3, hyperparameters, 5, n_blocks=n_blocks)
    cvb0.update(5000)
    R = [R.astype(float) for R in cvb0.responsibilities]
    assert max(R.max() for R in R) < 1  # it moved away from its one-hot start
    assert_same(cvb0, naive.dir_dir_cvb0_update(codes, *R, *hyperparameters), atol=1e-5)


def test_the_fixed_point_of_the_transpose_is_the_transpose():
    # Rows and columns exchange parts, and so do gamma and eta, z and c. Visits come in another
    # order, so it holds in the limit. Priors of these sizes leave one fixed point, found by both.
    codes = ladder.large_matrix(9, 7, 0.2, np.random.default_rng(6), 3, 4)
    gamma, eta = np.array([3.0, 1.0, 2.0]), np.array([1.5, 4.0, 2.5])
    plain = cvb0_of(codes, 3, (gamma, eta), 6)
    transposed = cvb0_of(codes.T, 3, (eta, gamma), 7)
    plain.update(5000)
    transposed.update(5000)
    RC, RZ = (R.transpose(1, 0, 2) for R in transposed.responsibilities)
    assert_same(plain, (RZ, RC), atol=TOLERANCE)
    assert RZ.std(axis=(0, 1)).min() > 0.01  # there is something to agree about


# --- Against exact posteriors ----------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1])
def test_one_entry_has_its_exact_posterior(value):
    codes, (gamma, eta) = np.array([[value]], np.int8), ([0.5, 1.3, 0.8], [1.1, 0.6, 2.0])
    cvb0 = cvb0_of(codes, 3, (gamma, eta), 8)
    cvb0.update()
    exact = naive.enumerate_dir_dir(codes, 3, np.array(gamma), np.array(eta))
    table = np.zeros(9)
    table[exact.states[:, 0, 0]] = exact.posterior
    table = table.reshape(3, 3)
    assert_same(cvb0, (table.sum(axis=1)[None, None], table.sum(axis=0)[None, None]), atol=1e-6)


# The priors break the symmetry of labels, so that the law of a single z says something. CVB0 is an
# approximation: `off` is by how much here, rounded up. Beta-Dir's is off by 0.025 to 0.033 on these
# matrices, the prior alone by 0.23 to 0.32.
@pytest.mark.parametrize(
    ("codes", "gamma", "eta", "off"),
    [
        ([[1, 0, 1], [0, 1, -1]], [0.5, 1.3], [1.1, 0.6], 0.08),
        ([[1, 0, 1], [0, 1, 0]], [2.0, 1.0], [1.0, 3.0], 0.035),
        ([[1, 0, 1], [0, -1, 0]], [0.7, 1.5, 1.0], [1.0, 0.6, 2.0], 0.035),
    ],
)
def test_means_are_near_those_of_the_exact_posterior(codes, gamma, eta, off):
    codes, gamma, eta = np.array(codes, np.int8), np.array(gamma), np.array(eta)
    K = gamma.size
    cvb0 = cvb0_of(codes, K, (gamma, eta), 9)
    cvb0.update(2000)
    exact = naive.enumerate_dir_dir(codes, K, gamma, eta)
    Z, C = naive.split_pairs(exact.states, K)
    for actual, labels in zip(cvb0.responsibilities, (Z, C), strict=True):
        expected = np.tensordot(exact.posterior, labels[..., None] == np.arange(K), 1)
        np.testing.assert_allclose(actual, expected, atol=off)
    W, H = dir_dir.expected_factors(cvb0.counts(), gamma, eta)
    np.testing.assert_allclose(W @ H, exact.mean, atol=off)


# --- What changes nothing --------------------------------------------------------------------


@pytest.mark.parametrize("n_blocks", [None, 4])
def test_threads_do_not_change_a_bit(n_blocks):
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(6), 5, 11)
    one, two = (cvb0_of(codes, 30, (1 / 30, 1.0), 6, n_blocks=n_blocks, threads=threads) for threads in (1, 2))
    one.update(10)
    two.update(10)
    assert_same(one, two.responsibilities, rtol=0)
    for a, b in zip(one.counts(), two.counts(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.long
def test_threads_run_their_own_compiled_code(tmp_path):
    ladder.assert_threads_run_their_own_code(tmp_path, "dir_dir_cvb0", "DirDirCVB0", 2, "update", "_updates_parallel")


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.integers(1, 3))
def test_same_start_same_result(problem, n_blocks):
    codes, K, hyperparameters, _ = problem
    untouched, seed = codes.copy(), ladder.seed_sequence(7)
    one_by_one, together = (DirDirCVB0(codes, K, *hyperparameters, seed, n_blocks=n_blocks) for _ in range(2))
    for _ in range(3):
        one_by_one.update()
    together.update(3)
    assert_same(one_by_one, together.responsibilities, rtol=0)
    np.testing.assert_array_equal(codes, untouched)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_permuting_the_components_permutes_the_result(problem):
    codes, K, hyperparameters, rng = problem
    new, (pairs, _) = rng.permutation(K), start(codes, K, rng)
    hyperparameters = [naive.vector(x, K) for x in hyperparameters]
    renamed = {side: np.where(x < 0, -1, new[x]) for side, x in pairs.items()}
    original = cvb0_of(codes, K, hyperparameters, 9, **renamed)
    permuted = cvb0_of(codes, K, [x[new] for x in hyperparameters], 9, **pairs)
    original.update(2)
    permuted.update(2)
    assert_same(permuted, [R[..., new] for R in original.responsibilities], atol=TOLERANCE)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2), st.data())
def test_lines_without_observations_change_nothing(problem, data):
    # A row anywhere, a column at the end: elsewhere it would change which columns take turns.
    codes, K, hyperparameters, rng = problem
    row, (pairs, _) = data.draw(st.integers(0, codes.shape[0])), start(codes, K, rng)

    def widen(x, value=-1):
        return np.insert(np.insert(x, row, value, axis=0), x.shape[1], value, axis=1)

    wide = {side: widen(x) for side, x in pairs.items()}
    small = cvb0_of(codes, K, hyperparameters, 10, **pairs, n_blocks=1)
    large = cvb0_of(widen(codes), K, hyperparameters, 10, **wide, n_blocks=1)
    small.update(3)
    large.update(3)
    assert_same(large, [widen(R, 0) for R in small.responsibilities], rtol=0)


@ladder.PROPERTY
@given(ladder.problems(2, min_K=2))
def test_assignments_of_hidden_entries_are_not_read(problem):
    codes, K, hyperparameters, rng = problem
    pairs, _ = start(codes, K, rng)
    noise = {s: np.where(codes < 0, rng.integers(K, size=x.shape), x) for s, x in pairs.items()}
    clean, noisy = (cvb0_of(codes, K, hyperparameters, 11, **given) for given in (pairs, noise))
    clean.update(2)
    noisy.update(2)
    assert_same(clean, noisy.responsibilities, rtol=0)
    for a, b in zip(clean.counts(), noisy.counts(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_interpreted_kernel_gives_the_same_responsibilities(tmp_path):
    # Without compilation the same source runs as plain Python, lanes as arrays of eight numbers.
    script = """
import numpy as np
from nbmf.families.beta_dirichlet.kernels.dir_dir_cvb0 import DirDirCVB0
rng = np.random.default_rng(1)
codes = rng.integers(-1, 2, (9, 11)).astype(np.int8)
model = DirDirCVB0(codes, 11, 0.3, 1.2, np.random.SeedSequence(1), n_blocks=2)
model.update(5)
print([R.tolist() for R in model.responsibilities])
"""
    interpreted = ladder.run_apart(script, tmp_path, NUMBA_DISABLE_JIT="1")
    codes = np.random.default_rng(1).integers(-1, 2, (9, 11)).astype(np.int8)
    model = DirDirCVB0(codes, 11, 0.3, 1.2, np.random.SeedSequence(1), n_blocks=2)
    model.update(5)
    assert interpreted == str([R.tolist() for R in model.responsibilities])


def test_padding_stays_empty_and_a_one_keeps_one_vector():
    codes = ladder.large_matrix(30, 20, 0.25, np.random.default_rng(11), 3, 4)
    cvb0 = cvb0_of(codes, 3, (1.0, 1.0), 11)
    cvb0.update(20)
    assert cvb0._r.shape == ((codes == 1).sum() + 2 * (codes == 0).sum(), 8)
    assert (cvb0._r[:, 3:] == 0).all()
    assert {R.shape for R in cvb0.responsibilities} == {(30, 20, 3)}


# --- The class -------------------------------------------------------------------------------


def test_a_fit_is_refused_by_what_its_ones_and_zeros_need():
    # 16 floats for K = 9: a vector for each of 30 ones, two for each of 70 zeros.
    V = np.arange(100).reshape(10, 10) < 30
    needed = 4e-9 * 16 * (30 + 2 * 70)
    nbmf.DirDirVB(9, max_iter=1, max_memory_gb=needed * 1.001).fit(V)
    with pytest.raises(ConfigError, match=r"n_components = 9 with 100 observed .* up to 8"):
        nbmf.DirDirVB(9, max_iter=1, max_memory_gb=needed * 0.999).fit(V)


def test_training_lines_come_back_from_the_fold_in():
    _, _, V = dir_dir.simulate(150, 200, 3, 0.3, 0.3, np.random.default_rng(7))
    estimator = nbmf.DirDirVB(3, gamma=0.3, eta=0.3, max_iter=300, random_state=0).fit(V)
    assert np.abs(estimator.transform(V) - estimator.W_).mean() < 0.01
    assert np.abs(estimator.transform_columns(V) - estimator.H_).mean() < 0.01


def test_it_finds_the_groups_of_a_matrix_that_the_model_made():
    # Three groups, a one where row and column have the same: W H is found far better than by the
    # proportion of ones.
    W, H, V = dir_dir.simulate(150, 200, 3, 0.1, 0.1, np.random.default_rng(8))
    estimator = nbmf.DirDirVB(3, gamma=0.1, eta=0.1, max_iter=300, random_state=0).fit(V)
    error = np.abs(estimator.expectation_ - W @ H).mean()
    assert error < 0.03 < 0.3 < np.abs(V.mean() - W @ H).mean()
