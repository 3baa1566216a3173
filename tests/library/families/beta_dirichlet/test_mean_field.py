"""The mean-field kernel (bICA) against its slow twin, its bound against exact evidences."""

import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbmf.families.beta_dirichlet.kernels import beta_dir_mean_field
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import START_COMPONENTS, BetaDirMeanField, starting_Z
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain


def mean_field_of(codes, K, hyperparameters, *key, dtype=np.float64, **options):
    """Return the inference with matrix products in float64, so that comparisons can be tight."""
    seed = ladder.seed_sequence(*key)
    return BetaDirMeanField(codes, K, *hyperparameters, seed, dtype=dtype, **options)


def naive_bound(codes, counts, hyperparameters):
    """Return the bound of q(W) q(H) with these counts, and the best q(Z) given them."""
    R = naive.mean_field_responsibilities(codes, *counts, *hyperparameters)
    return naive.evidence_bound(codes, R, *counts, *hyperparameters)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(0, 4))
def test_agrees_with_the_slow_twin(problem, n_iter):
    codes, K, hyperparameters, rng = problem
    Z = naive.random_assignments(codes, K, rng)
    mean_field = mean_field_of(codes, K, hyperparameters, 1, Z=Z)
    counts = naive.expected_counts(codes, naive.one_hot(codes, Z, K))
    for _ in range(n_iter):
        mean_field.update()
        R = naive.mean_field_responsibilities(codes, *counts, *hyperparameters)
        counts = naive.expected_counts(codes, R)
    for actual, expected in zip(mean_field.counts(), counts, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
    expected = naive_bound(codes, counts, hyperparameters)
    assert mean_field.bound() == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_agrees_with_the_slow_twin_large():
    rng = np.random.default_rng(2)
    codes, K = ladder.large_matrix(12, 15, 0.25, rng, 3, 4), 300
    hyperparameters = np.linspace(0.2, 2, K), np.linspace(1.5, 0.3, K), np.linspace(0.5, 2, K) / K
    Z = naive.random_assignments(codes, K, rng)
    mean_field = mean_field_of(codes, K, hyperparameters, 2, Z=Z)
    counts = naive.expected_counts(codes, naive.one_hot(codes, Z, K))
    for _ in range(2):
        mean_field.update()
        R = naive.mean_field_responsibilities(codes, *counts, *hyperparameters)
        counts = naive.expected_counts(codes, R)
    for actual, expected in zip(mean_field.counts(), counts, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-8, atol=1e-12)
    expected = naive_bound(codes, counts, hyperparameters)
    assert mean_field.bound() == pytest.approx(expected, rel=1e-10)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 4))
def test_float32_agrees_with_float64(problem, n_iter):
    codes, K, hyperparameters, _ = problem
    double, single = (mean_field_of(codes, K, hyperparameters, 12, dtype=dtype) for dtype in (float, np.float32))
    double.update(n_iter)
    single.update(n_iter)
    for actual, expected in zip(single.counts(), double.counts(), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    assert single.bound() == pytest.approx(double.bound(), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("hyperparameters", "same_as"),
    [
        ((1, 1, 1), np.float32),
        ((np.array([0.05, 1]), 1, 1), float),
        ((1, np.array([1, 0.05]), 1), float),
        ((1, 1, np.array([0.2, 0.05])), float),
        ((0.05, 1, 1), float),
    ],
)
def test_small_priors_are_computed_in_float64(hyperparameters, same_as):
    codes = ladder.large_matrix(12, 10, 0.25, np.random.default_rng(13), 3, 4)
    by_rule = mean_field_of(codes, 2, hyperparameters, 13, dtype=None)
    explicit = mean_field_of(codes, 2, hyperparameters, 13, dtype=same_as)
    other = mean_field_of(codes, 2, hyperparameters, 13, dtype=float if same_as is np.float32 else np.float32)
    for mean_field in by_rule, explicit, other:
        mean_field.update(3)
    np.testing.assert_array_equal(by_rule.counts().L, explicit.counts().L)
    assert not np.array_equal(by_rule.counts().L, other.counts().L)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_that_underflow_give_no_infinite_ratio(dtype):
    codes = np.array([[1, 0, -1, 1]], np.int8)
    ratio = np.array([[0.0, 0.5, 0.0, 0.25, 0.5, 0.0, 0.0, 0.5]], dtype)
    smallest = np.finfo(dtype).tiny
    beta_dir_mean_field._divide(codes, ratio, smallest)
    np.testing.assert_array_equal(ratio, [[1 / smallest, 0, 0, 4, 0, 1 / smallest, 0, 0]])


def test_bound_in_float32_decreases_by_rounding_only():
    codes = ladder.large_matrix(60, 80, 0.25, np.random.default_rng(14), 3, 4)
    mean_field = mean_field_of(codes, 8, (1.0, 1.0, 1.0), 14, dtype=np.float32)
    bounds = []
    for _ in range(200):
        mean_field.update()
        bounds.append(mean_field.bound())
    assert np.diff(bounds).min() > -1e-6 * abs(bounds[-1])


def test_start_is_the_counts_of_uniform_assignments():
    # Chi-square over 7 components, false alarm rate 1e-6.
    codes = ladder.large_matrix(80, 70, 0.2, np.random.default_rng(3), 2, 5)
    L, A, B = mean_field_of(codes, 7, (1.0, 1.0, 0.1), 3).counts()
    for counts in L, A, B:
        np.testing.assert_array_equal(counts, np.round(counts))
    np.testing.assert_array_equal(L.sum(axis=1), (codes >= 0).sum(axis=1))
    np.testing.assert_array_equal(A.sum(axis=0), (codes == 1).sum(axis=0))
    np.testing.assert_array_equal(B.sum(axis=0), (codes == 0).sum(axis=0))
    assert ladder.chi_square_p(L.sum(axis=0), np.full(7, 1 / 7)) > ladder.FALSE_ALARM


@ladder.PROPERTY
@given(ladder.problems(3))
def test_bound_never_decreases_and_mass_is_conserved(problem):
    codes, K, hyperparameters, _ = problem
    mean_field = mean_field_of(codes, K, hyperparameters, 4)
    bounds = [mean_field.bound()]
    for _ in range(25):
        mean_field.update()
        bounds.append(mean_field.bound())
        L, A, B = mean_field.counts()
        np.testing.assert_allclose(L.sum(axis=1), (codes >= 0).sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(A.sum(axis=0), (codes == 1).sum(axis=0), atol=1e-9)
        np.testing.assert_allclose(B.sum(axis=0), (codes == 0).sum(axis=0), atol=1e-9)
    assert np.diff(bounds).min() > -1e-10 * max(1, abs(bounds[-1]))


def test_bound_never_decreases_on_a_large_matrix():
    codes = ladder.large_matrix(60, 80, 0.25, np.random.default_rng(5), 3, 4)
    mean_field = mean_field_of(codes, 20, (1.0, 1.0, 1 / 20), 5)
    bounds = []
    for _ in range(200):
        mean_field.update()
        bounds.append(mean_field.bound())
    assert np.diff(bounds).min() > -1e-11 * abs(bounds[-1])
    assert bounds[-1] > bounds[0] + 10  # it does find the two kinds of rows


@pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)
def test_bound_stays_below_the_exact_evidence(case):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    log_evidence = naive.enumerate_beta_dir(codes, K, *hyperparameters).log_evidence
    for i in range(5):
        mean_field = mean_field_of(codes, K, hyperparameters, 6, i)
        for _ in range(100):
            assert mean_field.bound() < log_evidence
            mean_field.update()
        assert mean_field.bound() > log_evidence - 5  # a bound far below would say little


def test_bound_is_the_evidence_with_one_component():
    codes = np.array([[1, 0, -1, 1], [1, 1, -1, 0]], np.int8)
    hyperparameters = 0.7, 1.9, 0.4
    mean_field = mean_field_of(codes, 1, hyperparameters, 7)
    exact = naive.enumerate_beta_dir(codes, 1, *hyperparameters)
    assert mean_field.bound() == pytest.approx(exact.log_evidence, abs=1e-12)
    mean_field.update(3)
    assert mean_field.bound() == pytest.approx(exact.log_evidence, abs=1e-12)


@pytest.mark.parametrize("hyperparameters", [(1e-3, 1e-3, 1e-4), (0.05, 5000.0, 0.1)])
def test_agrees_with_the_slow_twin_under_extreme_priors(hyperparameters):
    # exp E log w underflows for a component that a row does not use, and a one may be as unlikely
    # as 1e-4 under all components; the twin works with logarithms.
    rng = np.random.default_rng(8)
    codes, K = ladder.large_matrix(12, 10, 0.25, rng, 3, 4), 4
    Z = naive.random_assignments(codes, K, rng)
    mean_field = mean_field_of(codes, K, hyperparameters, 8, Z=Z)
    counts = naive.expected_counts(codes, naive.one_hot(codes, Z, K))
    for _ in range(5):
        mean_field.update()
        R = naive.mean_field_responsibilities(codes, *counts, *hyperparameters)
        counts = naive.expected_counts(codes, R)
        for actual, expected in zip(mean_field.counts(), counts, strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-8, atol=1e-10)
        bound = naive_bound(codes, counts, hyperparameters)
        assert mean_field.bound() == pytest.approx(bound, rel=1e-9)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_flipping_the_matrix_swaps_alpha_and_beta(problem):
    codes, K, (alpha, beta, gamma), rng = problem
    Z = naive.random_assignments(codes, K, rng)
    flipped = np.where(codes >= 0, 1 - codes, -1).astype(np.int8)
    original = mean_field_of(codes, K, (alpha, beta, gamma), 9, Z=Z)
    mirror = mean_field_of(flipped, K, (beta, alpha, gamma), 9, Z=Z)
    original.update(3)
    mirror.update(3)
    (L, A, B), (L2, B2, A2) = original.counts(), mirror.counts()
    for actual, expected in (L2, L), (A2, A), (B2, B):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
    assert mirror.bound() == pytest.approx(original.bound(), rel=1e-11, abs=1e-11)


@ladder.PROPERTY
@given(ladder.problems(3))
def test_permuting_rows_columns_and_components_permutes_the_result(problem):
    codes, K, hyperparameters, rng = problem
    hyperparameters = [naive.vector(x, K) for x in hyperparameters]
    Z = naive.random_assignments(codes, K, rng)
    rows, columns, new = (rng.permutation(size) for size in (*codes.shape, K))
    grid = np.ix_(rows, columns)
    original = mean_field_of(codes, K, hyperparameters, 10, Z=np.where(Z < 0, -1, new[Z]))
    permuted = mean_field_of(codes[grid], K, [x[new] for x in hyperparameters], 10, Z=Z[grid])
    original.update(3)
    permuted.update(3)
    L, A, B = original.counts()
    expected = L[np.ix_(rows, new)], A[np.ix_(new, columns)], B[np.ix_(new, columns)]
    for actual, e in zip(permuted.counts(), expected, strict=True):
        np.testing.assert_allclose(actual, e, rtol=1e-9, atol=1e-12)


def test_drawn_assignments_follow_q():
    # Chi-square over the components of each of 9 cells, false alarm rate 1e-6 each.
    codes = np.array([[1, 0, -1], [0, 1, 1], [-1, 0, 1], [1, -1, 0]], np.int8)
    hyperparameters = np.array([0.5, 2.0, 1.0]), np.array([1.0, 0.4, 3.0]), 0.3
    mean_field = mean_field_of(codes, 3, hyperparameters, 15)
    mean_field.update(2)
    q = naive.mean_field_responsibilities(codes, *mean_field.counts(), *hyperparameters)
    rng = np.random.default_rng(15)
    draws = np.array([mean_field.draw_assignments(rng) for _ in range(4000)])
    assert (draws[:, codes < 0] == -1).all()
    for cell in naive.column_scan(codes):
        p = ladder.chi_square_p(naive.tally(draws[:, *cell], 3), q[cell])
        assert p > ladder.FALSE_ALARM


def test_drawn_assignments_follow_q_large():
    # Given q, cells are independent: a replay of all draws in one matrix (see ladder.Replay). Also
    # with a prior so small that components underflow: no impossible component may be drawn.
    rng = np.random.default_rng(16)
    codes, K = ladder.large_matrix(40, 50, 0.25, rng, 3, 4), 10
    for hyperparameters in (1.0, 1.0, 1.0), (1e-3, 1e-3, 1e-4):
        mean_field = mean_field_of(codes, K, hyperparameters, 16)
        mean_field.update(20)
        q = naive.mean_field_responsibilities(codes, *mean_field.counts(), *hyperparameters)
        Z = mean_field.draw_assignments(rng)
        np.testing.assert_array_equal(Z < 0, codes < 0)
        replay = ladder.Replay(rng)
        for f, n in naive.column_scan(codes):
            p = q[f, n] / q[f, n].sum()
            features = {"label": np.arange(K), "log p": np.log(np.maximum(p, 1e-300))}
            replay.add(p, Z[f, n], {f"v={codes[f, n]}, {name}": x for name, x in features.items()})
        replay.assert_right()


# --- Where chains may start ------------------------------------------------------------------

START = ladder.large_matrix(40, 50, 0.25, np.random.default_rng(18), 3, 4)


def test_the_start_random_is_left_to_the_chain():
    assert starting_Z("random", START, 30, ladder.seed_sequence(18)) is None


@pytest.mark.parametrize("K", [1, 4, 10, 100])
def test_the_start_mean_field_uses_at_most_ten_components(K):
    Z = starting_Z("mean-field", START, K, ladder.seed_sequence(18))
    assert Z.shape == START.shape
    assert np.issubdtype(Z.dtype, np.integer)
    np.testing.assert_array_equal(Z[START < 0], -1)
    used = set(Z[START >= 0].tolist())
    assert used <= set(range(min(K, START_COMPONENTS)))
    assert len(used) >= min(K, 2)  # there are two kinds of rows


def test_the_start_mean_field_is_a_matter_of_the_seed_alone():
    seed = ladder.seed_sequence(18)
    first = starting_Z("mean-field", START, 30, seed)
    seed.spawn(3)  # which changes what `seed` would spawn next
    np.testing.assert_array_equal(starting_Z("mean-field", START, 30, seed), first)
    other = starting_Z("mean-field", START, 30, ladder.seed_sequence(19))
    assert not np.array_equal(other, first)


def test_dir_dir_completes_the_start_with_partners_that_agree_with_the_data():
    """Chi-square over the distances from z to c at zeros, false alarm rate 1e-6."""
    K, seed = 12, ladder.seed_sequence(20)
    Z = starting_Z("mean-field", START, K, seed)
    chain = DirDirChain(START, K, 1 / K, 1.0, seed, Z=Z)
    np.testing.assert_array_equal(chain.Z, Z)
    np.testing.assert_array_equal(chain.C[START < 0], -1)
    observed = START >= 0
    np.testing.assert_array_equal((chain.C == chain.Z)[observed], (START == 1)[observed])
    assert chain.C[observed].min() >= 0
    assert chain.C.max() < K
    zeros = START == 0
    distances = naive.tally((chain.C - chain.Z)[zeros] % K, K)
    p = ladder.chi_square_p(distances, np.r_[0, np.full(K - 1, 1 / (K - 1))])
    assert p > ladder.FALSE_ALARM


def started(chain_class, codes, K, hyperparameters, *key):
    seed = ladder.seed_sequence(*key)
    Z = starting_Z("mean-field", codes, K, seed)
    return chain_class(codes, K, *hyperparameters, seed, Z=Z)


def test_beta_dir_started_there_has_the_exact_posterior():
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES["3x2 K=2 asymmetric"]
    chain = started(BetaDirChain, codes, K, hyperparameters, 21)
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact, n_samples=5000)


def test_dir_dir_started_there_has_the_exact_posterior():
    codes, K, *hyperparameters = ladder.DIR_DIR_CASES["2x2 K=3 one missing"]
    chain = started(DirDirChain, codes, K, hyperparameters, 22)
    exact = naive.enumerate_dir_dir(codes, K, *hyperparameters)

    def labels(chain):
        return np.where(chain.Z < 0, -1, chain.Z * K + chain.C)

    ladder.assert_exact_posterior(chain, labels, exact, n_samples=5000)
