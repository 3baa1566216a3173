"""The CVB0 kernel against its slow twin, its fixed point, and what an update has to conserve."""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0

# Responsibilities are kept in float32: a relative error of 6e-8 a cell, which later cells see
# through the counts. Over the few updates of these tests it stays far below this tolerance; a
# wrong formula changes the third digit.
TOLERANCE = 2e-5


def cvb0_of(codes, K, hyperparameters, *key, **options):
    return BetaDirCVB0(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


def assert_counts_are_conserved(cvb0, codes, atol):
    R, (L, A, B) = cvb0.responsibilities.astype(float), cvb0.counts()
    observed = codes >= 0
    assert (R >= 0).all()
    assert (R[~observed] == 0).all()
    np.testing.assert_allclose(R.sum(axis=2), observed, atol=1e-6)
    for actual, expected in zip((L, A, B), naive.expected_counts(codes, R), strict=True):
        np.testing.assert_allclose(actual, expected, atol=atol)
    np.testing.assert_allclose(L.sum(axis=1), observed.sum(axis=1), atol=atol)
    np.testing.assert_allclose((A + B).sum(axis=0), observed.sum(axis=0), atol=atol)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 4), st.integers(0, 3))
def test_agrees_with_the_slow_twin(problem, n_blocks, n_iter):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    cvb0 = cvb0_of(codes, K, hyperparameters, 1, Z=Z, n_blocks=n_blocks)
    R, order = naive.one_hot(codes, Z, K), naive.interleaved_scan(codes, n_blocks)
    for _ in range(n_iter):
        cvb0.update()
        R = naive.cvb0_update(codes, R, *hyperparameters, order=order)
    np.testing.assert_allclose(cvb0.responsibilities, R, atol=TOLERANCE)
    for actual, expected in zip(cvb0.counts(), naive.expected_counts(codes, R), strict=True):
        np.testing.assert_allclose(actual, expected, atol=10 * TOLERANCE)
    assert_counts_are_conserved(cvb0, codes, atol=1e-5)


@pytest.mark.parametrize(("K", "n_blocks"), [(300, 1), (300, 3), (17, 2)])
def test_agrees_with_the_slow_twin_large(K, n_blocks):
    rng = np.random.default_rng(2)
    codes = ladder.large_matrix(40, 30, 0.25, rng, 3, 4)
    hyperparameters = np.linspace(0.2, 2, K), np.linspace(1.5, 0.3, K), np.linspace(0.5, 2, K) / K
    Z = naive.random_assignments(codes, K, rng)
    cvb0 = cvb0_of(codes, K, hyperparameters, 2, Z=Z, n_blocks=n_blocks)
    R, order = naive.one_hot(codes, Z, K), naive.interleaved_scan(codes, n_blocks)
    for _ in range(2):
        cvb0.update()
        R = naive.cvb0_update(codes, R, *hyperparameters, order=order)
    np.testing.assert_allclose(cvb0.responsibilities, R, rtol=1e-3, atol=TOLERANCE)


def test_start_is_one_hot_and_uniform():
    # Chi-square over 7 components, false alarm rate 1e-6.
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(3))
    cvb0 = cvb0_of(codes, 7, (1.0, 1.0, 0.1), 3)
    R = cvb0.responsibilities
    assert set(np.unique(R)) == {0, 1}
    assert_counts_are_conserved(cvb0, codes, atol=0)
    p = ladder.chi_square_p(R.sum(axis=(0, 1)).astype(float), np.full(7, 1 / 7))
    assert p > ladder.FALSE_ALARM


def test_counts_do_not_drift():
    # Counts are kept up to date by differences; after many updates they still are sums.
    codes = ladder.large_matrix(50, 40, 0.25, np.random.default_rng(4), 7, 9)
    cvb0 = cvb0_of(codes, 10, (1.0, 1.0, 0.1), 4, n_blocks=2)
    cvb0.update(500)
    assert_counts_are_conserved(cvb0, codes, atol=1e-4)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_limit_is_a_fixed_point_of_eq_36(n_blocks):
    # The equation holds for every cell at once, so the order of the cells plays no part.
    codes = ladder.large_matrix(15, 12, 0.25, np.random.default_rng(5), 3, 4)
    hyperparameters = 0.8, 1.2, np.array([0.5, 0.2, 0.9])
    cvb0 = cvb0_of(codes, 3, hyperparameters, 5, n_blocks=n_blocks)
    cvb0.update(5000)
    R = cvb0.responsibilities.astype(float)
    assert R.max() < 1  # it moved away from its one-hot start
    np.testing.assert_allclose(naive.cvb0_update(codes, R, *hyperparameters), R, atol=1e-5)


@pytest.mark.parametrize("n_blocks", [None, 4])
def test_threads_do_not_change_a_bit(n_blocks):
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(6), 5, 11)
    one, two = (cvb0_of(codes, 30, (1.0, 1.0, 1 / 30), 6, n_blocks=n_blocks, threads=threads) for threads in (1, 2))
    one.update(10)
    two.update(10)
    np.testing.assert_array_equal(one.responsibilities, two.responsibilities)
    for a, b in zip(one.counts(), two.counts(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.long
def test_threads_run_their_own_compiled_code(tmp_path):
    ladder.assert_threads_run_their_own_code(tmp_path, "beta_dir_cvb0", "BetaDirCVB0", 3, "update", "_updates_parallel")


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 3))
def test_same_start_same_result(problem, n_blocks):
    codes, K, hyperparameters, _ = problem
    untouched, seed = codes.copy(), ladder.seed_sequence(7)
    one_by_one, together = (BetaDirCVB0(codes, K, *hyperparameters, seed, n_blocks=n_blocks) for _ in range(2))
    for _ in range(3):
        one_by_one.update()
    together.update(3)
    np.testing.assert_array_equal(one_by_one.responsibilities, together.responsibilities)
    np.testing.assert_array_equal(codes, untouched)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 3))
def test_flipping_the_matrix_swaps_alpha_and_beta(problem, n_blocks):
    codes, K, (alpha, beta, gamma), rng = problem
    Z = naive.random_assignments(codes, K, rng)
    flipped = np.where(codes >= 0, 1 - codes, -1).astype(np.int8)
    original = cvb0_of(codes, K, (alpha, beta, gamma), 8, Z=Z, n_blocks=n_blocks)
    mirror = cvb0_of(flipped, K, (beta, alpha, gamma), 8, Z=Z, n_blocks=n_blocks)
    original.update(3)
    mirror.update(3)
    np.testing.assert_allclose(original.responsibilities, mirror.responsibilities, atol=TOLERANCE)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_permuting_the_components_permutes_the_result(problem):
    codes, K, hyperparameters, rng = problem
    Z, new = naive.random_assignments(codes, K, rng), rng.permutation(K)
    hyperparameters = [naive.vector(x, K) for x in hyperparameters]
    original = cvb0_of(codes, K, hyperparameters, 9, Z=np.where(Z < 0, -1, new[Z]))
    permuted = cvb0_of(codes, K, [x[new] for x in hyperparameters], 9, Z=Z)
    original.update(2)
    permuted.update(2)
    np.testing.assert_allclose(original.responsibilities[..., new], permuted.responsibilities, atol=TOLERANCE)


@ladder.PROPERTY
@given(ladder.problems(3), st.data())
def test_lines_without_observations_change_nothing(problem, data):
    # A row anywhere, a column at the end: elsewhere it would change which columns take turns.
    codes, K, hyperparameters, rng = problem
    row = data.draw(st.integers(0, codes.shape[0]))
    Z = naive.random_assignments(codes, K, rng)

    def widen(x, value=-1):
        return np.insert(np.insert(x, row, value, axis=0), x.shape[1], value, axis=1)

    small = cvb0_of(codes, K, hyperparameters, 10, Z=Z, n_blocks=1)
    large = cvb0_of(widen(codes), K, hyperparameters, 10, Z=widen(Z), n_blocks=1)
    small.update(3)
    large.update(3)
    np.testing.assert_array_equal(widen(small.responsibilities, 0), large.responsibilities)


def test_interpreted_kernel_gives_the_same_responsibilities(tmp_path):
    # Without compilation the same source runs as plain Python, lanes as arrays of eight numbers.
    script = """
import numpy as np
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
rng = np.random.default_rng(1)
codes = rng.integers(-1, 2, (9, 11)).astype(np.int8)
model = BetaDirCVB0(codes, 11, 0.7, 1.2, 0.3, np.random.SeedSequence(1), n_blocks=2)
model.update(5)
print(model.responsibilities.tolist())
"""
    interpreted = ladder.run_apart(script, tmp_path, NUMBA_DISABLE_JIT="1")
    codes = np.random.default_rng(1).integers(-1, 2, (9, 11)).astype(np.int8)
    model = BetaDirCVB0(codes, 11, 0.7, 1.2, 0.3, np.random.SeedSequence(1), n_blocks=2)
    model.update(5)
    assert interpreted == str(model.responsibilities.tolist())


def test_padding_stays_empty():
    codes = ladder.large_matrix(30, 20, 0.25, np.random.default_rng(11), 3, 4)
    cvb0 = cvb0_of(codes, 3, (1.0, 1.0, 1.0), 11)
    cvb0.update(20)
    assert cvb0._r.shape[1] == 8
    assert (cvb0._r[:, 3:] == 0).all()
    assert cvb0.responsibilities.shape == (30, 20, 3)
