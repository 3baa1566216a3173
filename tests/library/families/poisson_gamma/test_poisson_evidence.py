"""Evidence of models of counts and of binary links: bound, Chib, annealing; exact answers."""

import math

import numpy as np
import pytest
import scipy.sparse
from poisson_twins import Exact, binary_evidence, poisson_evidence
from scipy import stats

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.families.poisson_gamma import evidence
from nbmf.families.poisson_gamma.annealing import Annealed, AnnealedState
from nbmf.families.poisson_gamma.annealing_rounds import EffectiveSizeReached, Returning, RoundsState
from nbmf.families.poisson_gamma.chib import POINTS, ChibPoint, most_likely
from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior, Ties
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.weights import evidence_of_weights

FIXED_TIES = dict.fromkeys(("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H"), FIXED)
# V, K, and (shape, mean) of W and of H: a shape below one, of which densities have no bound, too.
CASES = [
    ([[2, 1], [0, 3]], 2, (1.0, 1.0), (1.0, 2.0)),
    ([[2, -1, 1], [0, 1, 2]], 2, (2.0, 1.0), (0.7, 1.0)),
    ([[3, 0], [1, 2]], 3, (1.5, 1.0), (0.5, 0.5)),
]


def model_of(class_name, K, of_W, of_H, **settings):
    names = ("shape_W", "mean_W", "shape_H", "mean_H")
    numbers = dict(zip(names, (*of_W, *of_H), strict=True))
    return getattr(nbmf, class_name)(K, **numbers, **FIXED_TIES, random_state=0, **settings)


@pytest.mark.statistics
@pytest.mark.parametrize(("values", "K", "of_W", "of_H"), CASES)
def test_three_estimates_and_the_exact_evidence_of_counts(values, K, of_W, of_H):
    """Annealing and Chib within 4.5 of their errors, which are below 0.1 nats; the bound below."""
    values = np.array(values, np.int32)
    exact, _ = poisson_evidence(values, K, of_W, of_H)
    below = evidence.bound(model_of("PoissonGammaVB", K, of_W, of_H, max_iter=300), values, 2)
    assert (below.kind, below.effective_size) == ("bound", 2)
    assert exact - 4 < below.value < exact
    annealed = evidence.annealed(model_of("PoissonGammaVB", K, of_W, of_H), values, temperatures=300, chains=64)
    chain, lengths = model_of("PoissonGammaGibbs", K, of_W, of_H), {"burn_in": 200, "free": 4000, "clamped": 2000}
    chib, near_mode = (evidence.chib(chain, values, **lengths, point=point) for point in POINTS)
    for found, kind, most in ((annealed, "annealed", 64), (chib, "chib", 4000), (near_mode, "chib", 4000)):
        assert found.kind == kind
        assert abs(found.value - exact) < 4.5 * found.error
        assert found.error < 0.2
        assert most / 20 < found.effective_size <= most


def test_chibs_estimate_is_too_low_by_log_K_factorial_of_a_chain_that_keeps_its_labels():
    """As its docstring says: each of two sources has a row and a column, and p(S | V) is that of one of 2! modes."""
    values, of_W, of_H = np.diag([9, 9]).astype(np.int32), (0.2, 2.0), (0.2, 1.0)
    exact, _ = poisson_evidence(values, 2, of_W, of_H)
    chain = model_of("PoissonGammaGibbs", 2, of_W, of_H)
    found = evidence.chib(chain, values, burn_in=200, free=1500, clamped=800)
    assert found.error < 0.15
    assert exact - found.value == pytest.approx(math.log(2), abs=0.4)


@pytest.mark.parametrize("likely", [False, True])
@pytest.mark.parametrize(("values", "K", "of_W", "of_H"), CASES)
def test_the_point_of_chibs_estimate_has_the_joint_density_of_counts_sources_and_factors(values, K, of_W, of_H, likely):
    values, rng = np.array(values, np.int32), np.random.default_rng(2)
    sides = list(zip((of_W, of_H), values.shape, strict=True))
    priors = tuple(GammaPrior(*numbers, Ties(FIXED, FIXED), (lines, K)) for numbers, lines in sides)
    tables = [rng.gamma(2.0, 1.0, (lines, K)) for lines in values.shape]
    point = ChibPoint(Observations(values, False), priors, tables, rng, likely)
    W, H, expected = point._W, point._H, 0.0
    for (shape, mean), table in zip((of_W, of_H), (W, H), strict=True):
        expected += stats.gamma.logpdf(table, shape, scale=mean / shape).sum()
    sources = iter(point._sources)
    for f, n in np.argwhere(values > 0):  # the others have no sources
        expected += stats.poisson.logpmf(next(sources), W[f] * H[n]).sum()
    for f, n in np.argwhere(values == 0):
        expected += stats.poisson.logpmf(0, W[f] * H[n]).sum()
    assert point.log_joint == pytest.approx(expected, rel=1e-10)
    shape, mean = of_H
    counts = np.zeros_like(H)
    for (_, n), own in zip(np.argwhere(values > 0), point._sources, strict=True):
        counts[n] += own
    log_H = stats.gamma.logpdf(H, shape + counts, scale=1 / (shape / mean + (values >= 0).T @ W)).sum()
    found = point.evidence(np.full(8, -1.5), np.full(8, 0.25))
    assert found.value == pytest.approx(expected - log_H + 1.25, rel=1e-10)


def chains_of(values, K, of_W, of_H, chains=64, seed=0):
    """Return a function that makes chains at the prior, as RoundsState takes it."""
    values, rng = np.array(values, np.int32), np.random.default_rng(seed)
    sides = zip((of_W, of_H), values.shape, strict=True)
    priors = tuple(GammaPrior(*numbers, Ties(FIXED, FIXED), (lines, K)) for numbers, lines in sides)
    return lambda: Annealed(values, priors, False, chains, rng)


@pytest.mark.parametrize(("values", "K", "of_W", "of_H"), CASES)
def test_annealing_there_and_back_has_the_exact_evidence_between(values, K, of_W, of_H):
    exact, _ = poisson_evidence(np.array(values, np.int32), K, of_W, of_H)
    state = RoundsState(chains_of(values, K, of_W, of_H), 150, 6, np.random.default_rng(1))
    state.advance(2 * (150 + 300))
    there, back = state.evidence, state.back
    assert (there.kind, back.kind) == ("annealed", "annealed back")
    for found in (there, back):
        assert abs(found.value - exact) < 4.5 * found.error < 0.6
        assert 64 / 20 < found.effective_size <= 64
    assert there.value - 3 * there.error < exact < back.value + 3 * back.error


def test_chains_come_back_by_the_moves_of_the_way_there_in_reverse():
    """β = 1, 1e-7, 0: the state at 1 weighs nearly all, the moved one the rest, of 1 / p(V)."""
    run = annealing(False)
    first, moved = run.now, [x + 0.3 for x in run.now]
    seen = []

    def move(beta, steps):
        seen.append((beta, steps))
        run.now = moved

    run.move = move
    expected = -(1 - 1e-7) * run.log_likelihood(first) - 1e-7 * run.log_likelihood(moved)
    back = Returning(run, 2, 6)
    back.advance(2)
    np.testing.assert_allclose(back.log_weights, expected, rtol=1e-12)
    assert seen == [(pytest.approx(1e-7), 6)]
    mean = np.exp(back.log_weights - back.log_weights.max()).mean()
    assert back.evidence.value == pytest.approx(-back.log_weights.max() - math.log(mean))


def test_rounds_are_longer_each_time_and_the_best_one_counts():
    def state_after(*cuts):
        state = RoundsState(chains_of(*CASES[0], chains=8), 4, 2, np.random.default_rng(1))
        for cut in cuts:
            state.advance(cut)
        return state

    early = state_after(7)
    assert early.evidence is None
    assert early.objective() is None
    assert early.effective_size == 0
    one, two = state_after(8), state_after(24)
    assert one.temperatures == 4
    assert (early._length, one._length, two._length) == (4, 8, 16)
    assert two.temperatures == (8 if two.evidence != one.evidence else 4)
    assert two.effective_size >= one.effective_size
    np.testing.assert_array_equal(state_after(3, 4, 9, 8).evidence, two.evidence)  # wherever it pauses
    rule = EffectiveSizeReached(one, 4, one.effective_size - 0.01)
    assert [rule.next_after(done) for done in (0, 7, 8, 23, 24)] == [8, 8, 24, 24, 56]
    assert rule.is_met(8)
    assert not EffectiveSizeReached(one, 4, one.effective_size).is_met(8)


def test_sources_are_dealt_by_largest_remainders():
    shares = np.array([[0.5, 0.3, 0.2], [0.05, 0.05, 0.9], [1.0, 0.0, 0.0]])
    dealt = most_likely(np.array([7, 5, 3]), shares)
    np.testing.assert_array_equal(dealt, [[4, 2, 1], [0, 0, 5], [3, 0, 0]])
    with pytest.raises(ConfigError, match=r"point = 'mode': must be one of last, near mode"):
        evidence.chib(nbmf.PoissonGammaGibbs(2, **FIXED_TIES), np.eye(2), point="mode")


def test_annealing_of_a_binary_matrix():
    values, of_W, of_H = np.array([[1, -1], [1, 0]], np.int8), (0.6, 1.0), (1.2, 0.8)
    exact = binary_evidence(values, 2, of_W, of_H, Exact(of_W, of_H))
    found = evidence.annealed(model_of("BernoulliPoissonVB", 2, of_W, of_H), values, temperatures=300, chains=64)
    assert abs(found.value - exact) < 4.5 * found.error < 0.3


def annealing(is_binary):
    values = np.array([[3, -1, 0], [1, 2, 1]])
    priors = tuple(GammaPrior(0.8, 1.5, Ties(FIXED, FIXED), (lines, 2)) for lines in (2, 3))
    rng = np.random.default_rng(0)
    return Annealed(np.minimum(values, 1) if is_binary else values, priors, is_binary, 4, rng)


@pytest.mark.parametrize("is_binary", [False, True])
def test_the_gradient_is_that_of_the_target(is_binary):
    run = annealing(is_binary)
    logs, beta, step = run.now, 0.37, 1e-6
    for side, of in enumerate(run.gradient(logs, beta)):
        for place in np.ndindex(of.shape[1:]):
            moved = [[x.copy() for x in logs] for _ in range(2)]
            moved[0][side][:, *place] += step
            moved[1][side][:, *place] -= step
            slope = (run.log_target(moved[0], beta) - run.log_target(moved[1], beta)) / (2 * step)
            np.testing.assert_allclose(of[:, *place], slope, rtol=1e-5, atol=1e-6)


def test_the_likelihood_of_annealing_is_that_of_the_model():
    run = annealing(False)
    W, H = (np.exp(x[0]) for x in run.now)
    rate = W @ H
    x = np.array([[3, -1, 0], [1, 2, 1]])
    log_p = sum(
        x[place] * math.log(rate[place]) - rate[place] - math.lgamma(x[place] + 1)
        for place in np.ndindex(x.shape)
        if x[place] >= 0
    )
    assert run.log_likelihood(run.now)[0] == pytest.approx(log_p, rel=1e-12)
    run = annealing(True)
    W, H = (np.exp(x[0]) for x in run.now)
    rate = W @ H
    log_p = sum(
        math.log(1 - math.exp(-rate[place])) if x[place] > 0 else -rate[place]
        for place in np.ndindex(x.shape)
        if x[place] >= 0
    )
    assert run.log_likelihood(run.now)[0] == pytest.approx(log_p, rel=1e-12)


def test_leapfrog_steps_run_backwards_and_keep_the_energy():
    run, rng = annealing(False), np.random.default_rng(3)
    start = [rng.normal(size=x.shape) for x in run.now]
    momentum = [rng.normal(size=x.shape) for x in run.now]
    widths = [np.full((1, 1, 1), 0.005), np.full((1, 1, 1), 0.0075)]
    end, last = run.leapfrog(start, momentum, widths, 0.5, 8)
    back, first = run.leapfrog(end, [-p for p in last], widths, 0.5, 8)
    for x, y in zip([*back, *first], [*start, *(-p for p in momentum)], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)
    energy = [
        run.log_target(x, 0.5) - sum(0.5 * (p * p).sum(axis=(1, 2)) for p in of)
        for x, of in ((start, momentum), (end, last))
    ]
    np.testing.assert_allclose(*energy, atol=0.02)
    assert max(np.abs(x - y).max() for x, y in zip(end, start, strict=True)) > 0.05


def test_a_move_is_reversible_enough_to_be_accepted_often():
    run = annealing(False)
    accepted = np.mean([run.move(0.5, 6) for _ in range(200)])
    assert 0.6 < accepted < 1.0


def test_weights_are_those_of_the_states_before_the_moves():
    """β = 0, 1e-7, 1: the first state weighs 1e-7 of its likelihood, the moved one all the rest."""
    run = annealing(False)
    first, moved = run.now, [x + 0.3 for x in run.now]
    seen = []

    def move(beta, steps):
        seen.append((beta, steps))
        run.now = moved

    run.move = move
    expected = 1e-7 * run.log_likelihood(first) + (1 - 1e-7) * run.log_likelihood(moved)
    state = AnnealedState(run, 2, 6)
    state.advance(2)
    np.testing.assert_allclose(state.log_weights, expected, rtol=1e-12)
    assert seen == [(pytest.approx(1e-7), 6)]


def test_a_few_weights_say_so_by_their_effective_size():
    found = evidence_of_weights(np.array([0.0, -1000.0, -1000.0, -1000.0]), "annealed")
    assert found.effective_size == pytest.approx(1.0)
    assert found.value == pytest.approx(-math.log(4))
    even = evidence_of_weights(np.zeros(8), "annealed")
    assert even == (0.0, 0.0, 8.0, "annealed")


def test_what_has_no_such_evidence_is_refused_in_words():
    V = np.array([[1, 0], [2, 1]])
    with pytest.raises(ConfigError, match=r"tie_shape_W = 'all': must be fixed; a learned"):
        evidence.annealed(nbmf.PoissonGammaVB(2), V)
    with pytest.raises(ConfigError, match="Chib's estimate is of counts"):
        evidence.chib(nbmf.BernoulliPoissonGibbs(2), V)
    for estimate in (evidence.annealed, evidence.chib):
        with pytest.raises(ConfigError, match="PoissonGammaEM has no gamma priors"):
            estimate(nbmf.PoissonGammaEM(2), V)
    with pytest.raises(ConfigError, match="PoissonGammaGibbs has no bound"):
        evidence.bound(nbmf.PoissonGammaGibbs(2), V)
    with pytest.raises(ConfigError, match="chains = 0: must be an integer of at least 1"):
        evidence.annealed(nbmf.PoissonGammaVB(2), V, chains=0)
    with pytest.raises(DataError, match="V is sparse"):
        evidence.annealed(nbmf.PoissonGammaVB(2, **FIXED_TIES), scipy.sparse.csr_array(V))
