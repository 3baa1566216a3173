"""Block moves of the Beta-Dir sampler: scores, the law of new names, exact posteriors, Geweke."""

import itertools
from collections import Counter

import bisection
import ladder
import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbmf.families.beta_dirichlet.kernels import beta_dir_moves, relabelling
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.numerics import row_lists


def chain_of(codes, K, hyperparameters, *key, **options):
    options = {"block_moves": True} | options
    return BetaDirChain(codes, K, *hyperparameters, ladder.seed_sequence(*key), **options)


@pytest.fixture
def every_sweep(monkeypatch):
    monkeypatch.setattr(relabelling, "EVERY", 1)


# --- Scores ----------------------------------------------------------------------------------

K = 4
VECTORS = np.array([0.4, 1.0, 2.0, 0.7]), np.array([0.8, 0.3, 1.0, 1.4])
RISING = np.array([1.5, 0.6, 0.2, 0.9])
PER_COLUMN = np.array([[0.5, 1.1, 0.3, 2.0, 0.9]]), np.array([[0.9, 0.4, 1.6, 0.7, 1.2]])
PRIORS = {  # alpha, beta, gamma
    "numbers": (0.7, 1.2, 0.3),
    "vectors": (*VECTORS, RISING),
    "per column": (*PER_COLUMN, 0.25),
    "per column, asymmetric": (*PER_COLUMN, RISING),
    "gamma alone": (1.0, 1.0, RISING),
}
CODES = np.array([[1, 0, 1, 1, 0], [0, -1, 1, 0, 1], [1, 1, 0, -1, -1], [0, 0, 1, 1, 1]], np.int8)


def renamed(Z, line, axis, names):
    """Return Z with the components of one line renamed by a dict."""
    Z = Z.copy()
    view = Z[line] if axis == 0 else Z[:, line]
    view[...] = [names.get(k, k) for k in view]
    return Z


@pytest.mark.parametrize("name", PRIORS)
def test_scores_are_differences_of_the_log_joint(monkeypatch, name):
    # Of every way to name the groups of every line, as it was when its turn came; to 1e-9.
    monkeypatch.setattr(beta_dir_moves, "SMALLEST_GROUP", 1)
    monkeypatch.setattr(relabelling, "SMALLEST_GROUP", 1)
    monkeypatch.setattr(beta_dir_moves, "LARGEST", 20.0)  # so that products are put away
    monkeypatch.setattr(beta_dir_moves, "SMALLEST", 0.3)
    rng = np.random.default_rng(4)
    bisection.plain(monkeypatch, beta_dir_moves, relabelling, row_lists)
    monkeypatch.setattr(relabelling, "uniform", lambda generator: rng.random())
    rename, seen = relabelling.rename, []

    def checked(m, groups, n_used, ordering, generator):
        if m == 0:
            return rename(m, groups, n_used, ordering, generator)
        number = len(seen) % sum(CODES.shape)
        axis, line = (0, number) if number < len(CODES) else (1, number - len(CODES))
        Z, old, score = chain.Z, [int(k) for k in groups.label[:m]], groups.score
        seen.append(m)
        now = beta_dir.log_joint(CODES, Z, K, *PRIORS[name])
        column = np.minimum(ordering.place, n_used)
        for new in itertools.permutations(range(K), int(m)):
            moved = renamed(Z, line, axis, dict(zip(old, new, strict=True)))
            gain = beta_dir.log_joint(CODES, moved, K, *PRIORS[name]) - now
            found = sum(score[s, column[new[s]]] - score[s, column[old[s]]] for s in range(m))
            assert found == pytest.approx(gain, abs=1e-9)
        return rename(m, groups, n_used, ordering, generator)

    monkeypatch.setattr(beta_dir_moves, "rename", checked)
    starts = [np.where(CODES >= 0, rng.integers(used, size=CODES.shape), -1) for used in (2, 3, 4)]
    for i, start in enumerate(starts):
        chain = chain_of(CODES, K, PRIORS[name], i, Z=start, n_blocks=1)
        for _ in range(3):
            state = chain._z, chain._lists, chain._columns
            beta_dir_moves.move_blocks(chain._cells, chain._rows, *chain._by_column, *state, None)
            counts = naive.expected_counts(CODES, naive.one_hot(CODES, chain.Z, K))
            for found, expected in zip(chain.counts(), counts, strict=True):
                np.testing.assert_array_equal(found, expected)
    assert len(seen) == 3 * 3 * sum(CODES.shape)


# --- The law of new names --------------------------------------------------------------------


def rename_law(script, start, sizes, score, n_used, K):
    m = len(start)
    ordering = relabelling.Ordering(np.zeros(K, int), np.arange(K), np.arange(K), True)
    groups = relabelling.Groups(
        label=np.array(start),
        size=np.array(sizes),
        new=np.zeros(m, int),
        score=score,
        choice=np.zeros(m, int),
        weight=np.zeros(K + 1),
        held=np.zeros(K + 1, int),
        is_held=np.zeros(K + 1, int),
    )
    script.arrays = groups.held, groups.is_held, groups.choice, groups.weight, groups.new

    def draw():
        for array in script.arrays:
            array[...] = 0
        relabelling.rename(m, groups, n_used, ordering, None)
        assert not groups.held.any()
        assert not groups.is_held.any()
        return tuple(int(k) for k in groups.new)

    return bisection.Tree(lambda numbers: script.run(draw, numbers)).law


@pytest.mark.parametrize(
    ("n_used", "K", "sizes"), [(2, 4, (5, 3)), (3, 3, (2, 2, 4)), (0, 3, (2, 3)), (2, 4, (1, 3)), (1, 3, (2, 1))]
)
def test_renaming_leaves_the_posterior_of_names_as_it_is(monkeypatch, n_used, K, sizes):
    # The exact law from every start, weighted by the posterior, is the posterior; single cells
    # keep their names, and all other names are reached.
    m = len(sizes)
    score = np.random.default_rng(1).normal(size=(m, n_used + 1))
    script = bisection.plain(monkeypatch, relabelling)
    starts = list(itertools.permutations(range(K), m))
    weights = np.exp([sum(score[s, min(k, n_used)] for s, k in enumerate(x)) for x in starts])
    after = Counter()
    for start, weight in zip(starts, weights, strict=True):
        law = rename_law(script, start, sizes, score, n_used, K)
        fixed = [s for s in range(m) if sizes[s] < 2]
        reached = {x for x in starts if all(x[s] == start[s] for s in fixed)}
        assert set(law) <= reached
        assert sum(law.values()) == pytest.approx(1.0, abs=1e-9)
        # Of empty components a group that has one keeps it, unless it came from elsewhere.
        kinds = {tuple(min(k, n_used) for k in x) for x in reached}
        assert kinds == {tuple(min(k, n_used) for k in x) for x in law}
        for outcome, probability in law.items():
            after[outcome] += weight * probability
    found = np.array([after[start] for start in starts])
    np.testing.assert_allclose(found, weights, rtol=1e-8)


def test_a_group_alone_is_drawn_from_its_posterior(monkeypatch):
    score = np.array([[0.3, -1.2, 0.8]])  # two used components, and three empty ones
    script = bisection.plain(monkeypatch, relabelling)
    weights = np.exp(score[0]) * [1, 1, 3]
    law = rename_law(script, (1,), (2,), score, 2, 5)
    found = [law[0,], law[1,], law[2,] + law[3,] + law[4,]]
    np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-9)
    np.testing.assert_allclose([law[2,], law[3,], law[4,]], found[2] / 3, atol=1e-9)


def test_two_groups_exchange_with_the_probability_of_the_exchanged(monkeypatch):
    score = np.array([[0.4, -0.2], [-0.7, 0.5]])
    script = bisection.plain(monkeypatch, relabelling)
    choice, generator = np.zeros(2, int), None
    script.arrays = (choice,)

    def draw():
        choice[:] = 0, 1
        relabelling._exchange(0, 1, score, choice, generator)
        return tuple(choice)

    law = bisection.Tree(lambda numbers: script.run(draw, numbers)).law
    stay, leave = np.exp(score[0, 0] + score[1, 1]), np.exp(score[0, 1] + score[1, 0])
    assert law[1, 0] == pytest.approx(leave / (stay + leave), abs=1e-9)


# --- Invariants ------------------------------------------------------------------------------


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 3), st.integers(0, 12))
def test_counts_are_those_of_the_assignments(problem, n_blocks, n_sweeps):
    codes, K, hyperparameters, _ = problem
    chain = chain_of(codes, K, hyperparameters, 1, n_blocks=n_blocks)
    chain.sweep(n_sweeps)
    assert (chain.Z[codes < 0] == -1).all()
    expected = naive.expected_counts(codes, naive.one_hot(codes, chain.Z, K))
    for counts, e in zip(chain.counts(), expected, strict=True):
        np.testing.assert_array_equal(counts, e)
    log_joint = naive.beta_dir_log_joint(codes, chain.Z, K, *hyperparameters)
    assert chain.log_joint() == pytest.approx(log_joint, abs=1e-10)
    H = naive.beta_dir_factors(codes, chain.Z, K, *hyperparameters)[1]
    np.testing.assert_allclose(chain.undo_columns(chain.expected_H(slice(None))), H, rtol=1e-12)


@ladder.PROPERTY
@given(ladder.problems(3), st.integers(1, 6))
def test_a_chain_goes_on_from_its_arrays(problem, n_sweeps):
    # However its sweeps are asked for.
    codes, K, hyperparameters, _ = problem
    straight = chain_of(codes, K, hyperparameters, 2)
    straight.sweep(n_sweeps + 7)
    halted, other = (chain_of(codes, K, hyperparameters, key) for key in (2, 3))
    halted.sweep(n_sweeps)
    for name, array in halted.arrays().items():
        other.arrays()[name][...] = array
    for _ in range(7):
        other.sweep()
    np.testing.assert_array_equal(straight.Z, other.Z)


@ladder.PROPERTY
@given(ladder.problems(3), st.data())
def test_lines_without_observations_change_nothing(problem, data):
    codes, K, hyperparameters, rng = problem
    widen = ladder.widening(data, codes)
    Z = naive.random_assignments(codes, K, rng)
    small = chain_of(codes, K, hyperparameters, 4, Z=Z, n_blocks=1)
    large = chain_of(widen(codes), K, hyperparameters, 4, Z=widen(Z), n_blocks=1)
    small.sweep(11)
    large.sweep(11)
    np.testing.assert_array_equal(widen(small.Z), large.Z)


def test_threads_do_not_change_a_bit():
    codes = ladder.large_matrix(70, 90, 0.25, np.random.default_rng(3), 5, 11)
    chains = [chain_of(codes, 30, (1.0, 1.0, 1 / 30), 3, threads=threads) for threads in (1, 2)]
    for chain in chains:
        chain.sweep(20)
    np.testing.assert_array_equal(chains[0].Z, chains[1].Z)


# --- Exact posteriors and the joint distribution -----------------------------------------------


@pytest.mark.statistics
@pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)
def test_distribution_over_assignments_is_exact(every_sweep, case):
    codes, K, *hyperparameters = ladder.BETA_DIR_CASES[case]
    exact = naive.enumerate_beta_dir(codes, K, *hyperparameters)
    chain = chain_of(codes, K, hyperparameters, 9)
    ladder.assert_exact_posterior(chain, lambda c: c.Z, exact, thin=6, n_samples=10_000)


MASK = np.ones((4, 5), bool)
MASK[1, 2] = MASK[3, 0] = False
GEWEKE = {
    "alike": (0.8, 1.3, 0.4),
    "vectors": (np.array([2.0, 0.5, 1.0]), np.array([0.6, 1.0, 2.0]), np.array([0.3, 1.0, 0.6])),
}


@pytest.mark.statistics
@pytest.mark.parametrize("name", GEWEKE)
def test_geweke(every_sweep, name):
    def sweep(codes, Z, i):
        chain = chain_of(codes, 3, GEWEKE[name], 13, i, Z=Z)
        chain.sweep()
        return chain.Z

    rng = np.random.default_rng(13)
    ladder.geweke_beta_dir(sweep, MASK, 3, GEWEKE[name], rng, n_successive=4000)


def test_moves_take_a_row_where_sweeps_alone_leave_it():
    # All rows are alike, and a small γ holds one in a component of its own: the first of its
    # thirty cells to leave has a chance of 1e-5 a sweep.
    codes = np.tile(np.array([1, 0] * 15, np.int8), (12, 1))
    Z = np.zeros(codes.shape, int)
    Z[0] = 1
    plain, moving = (chain_of(codes, 3, (1.0, 1.0, 1e-4), 5, Z=Z, block_moves=on) for on in (False, True))
    for chain in plain, moving:
        chain.sweep(5)
    assert plain.row_counts()[0].argmax() == 1
    assert moving.row_counts()[0].argmax() == moving.row_counts()[1].argmax()
