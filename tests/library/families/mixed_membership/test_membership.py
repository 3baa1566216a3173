"""MNB, MMNB, Fast MMNB, LDA: bounds against enumeration, EM that never falls, twins, symmetries."""

import math

import membership_twins as twins
import numpy as np
import pytest
import scipy.optimize
from scipy.special import digamma, gammaln, psi

from nbmf.data.feature_table import FeatureTable
from nbmf.families.mixed_membership import dirichlet, em
from nbmf.families.mixed_membership.densities import Categories, Smoothing, Words
from nbmf.families.mixed_membership.e_steps import FastStep, FullStep, MixtureStep
from nbmf.families.mixed_membership.em import MembershipState
from nbmf.families.mixed_membership.features import Densities, cells_of
from nbmf.families.mixed_membership.kernels import membership as kernels
from nbmf.families.mixed_membership.membership_evaluation import log_dirichlet, sampled_log_likelihood

LONG = 100_000, 1e-13  # rounds: until γ stands still
FULL, FAST, MIXTURE = FullStep(*LONG), FastStep(*LONG), MixtureStep()
KINDS = ["gaussian", "discrete", "bernoulli", "poisson"]


def mixed_table(n=7, seed=0, missing=0.2, kinds=KINDS):
    """Return a table with a column or more of each kind and missing cells, one row with none."""
    rng = np.random.default_rng(seed)
    draws = {
        "gaussian": lambda: rng.normal(2.0, 1.5, n),
        "discrete": lambda: np.r_[2, rng.integers(0, 3, n - 1)],
        "bernoulli": lambda: rng.integers(0, 2, n),
        "poisson": lambda: rng.poisson(2.5, n),
    }
    values = np.column_stack([draws[kind]() for kind in kinds]).astype(float)
    values[1:][rng.random((n - 1, len(kinds))) < missing] = np.nan
    values[n - 2] = np.nan
    return FeatureTable.from_array(values, kinds=kinds)


def state_of(table, e_step=FULL, K=3, seed=0, epsilon=0.5, floor=0.05):
    cells = cells_of(table)
    densities = Densities(table, cells, K, Smoothing(epsilon, floor))
    return MembershipState(cells, densities, e_step, K, np.random.default_rng(seed))


def parts(state):
    """Return the cells of a state and ln p of their atoms now."""
    cells = state._cells
    return cells, state.densities.log_density(cells.columns, cells.values)


@pytest.fixture
def fitted():
    """A table, and its state after some EM steps, α of its own."""
    state = state_of(mixed_table())
    state.advance(3)
    state.prior = np.array([0.7, 0.2, 1.9])
    return state


# --- The E-step -----------------------------------------------------------------------------------


def test_exp_digamma():
    x = np.r_[np.geomspace(2e-3, 1e6, 400), np.linspace(0.01, 12, 400)]
    parts = [kernels.series_and_shift(value) for value in x]
    found = np.array([v if d == 0.0 else kernels.kept_exp_digamma(v, d) for v, d in parts])
    np.testing.assert_allclose(found, np.exp(digamma(x)), rtol=5e-10)
    sums = kernels.digamma_sums(x.reshape(-1, 4))
    expected = (psi(x.reshape(-1, 4)) - psi(x.reshape(-1, 4).sum(1))[:, None]).sum(axis=0)
    np.testing.assert_allclose(sums, expected, rtol=1e-11)


def test_an_exponential_that_would_vanish_is_not_taken_and_the_bits_are_the_same():
    x = np.r_[np.linspace(1 / 720, 1 / 670, 400), np.geomspace(1e-4, 1e-2, 400)]
    parts = [kernels.series_and_shift(value) for value in x]
    assert max(v for v, _ in parts) < 12
    assert sum(d > kernels.LARGEST_SHIFT for _, d in parts) > 200
    for v, d in parts:
        assert kernels.kept_exp_digamma(v, d) == max(v * math.exp(-d), kernels.SMALLEST_E)
    for d in np.linspace(680.0, 700.0, 401):  # the largest v there is
        assert kernels.kept_exp_digamma(12.0, d) == max(12.0 * math.exp(-d), kernels.SMALLEST_E)


def test_fast_rounds_of_rows_of_any_size():
    """Equations (26) and (27) in NumPy, with γ on both sides of where the series begins."""
    rng = np.random.default_rng(5)
    sizes, alpha = np.arange(1.0, 61.0), np.array([0.02, 0.6, 3.0, 7.0])
    sums = -rng.gamma(2.0, 1.0, (60, 4)) * sizes[:, None] ** 0.5
    gamma = alpha + (sizes / 4)[:, None]
    expected, phi, logs = gamma.copy(), np.empty_like(gamma), np.empty(60)
    kernels.fast_e_step(sizes, sums, alpha, (3, 0.0), gamma, phi, logs)
    for _ in range(3):
        weights = np.exp(digamma(expected) + sums / sizes[:, None])
        shares = weights / weights.sum(axis=1, keepdims=True)
        expected = alpha + sizes[:, None] * shares
    np.testing.assert_allclose(phi, shares, rtol=1e-8)
    np.testing.assert_allclose(gamma, expected, rtol=1e-8)
    of_rows = (shares * (sums - sizes[:, None] * np.log(shares))).sum(axis=1)
    np.testing.assert_allclose(logs, of_rows, rtol=1e-8)


@pytest.mark.parametrize("rounds", [1, 4])
def test_a_few_rounds_are_those_of_the_slow_twin(fitted, rounds):
    cells, log_density = parts(fitted)
    alpha = fitted.prior
    found = FullStep(rounds, 0.0).find(cells, log_density, alpha)
    quick = FastStep(rounds, 0.0).find(cells, log_density, alpha)
    counts, of_fast = np.zeros_like(log_density), np.zeros_like(log_density)
    for i, (w, log_p) in enumerate(twins.rows_of(cells, log_density)):
        start, atoms = (alpha + w.sum() / alpha.size, cells.atoms[cells.starts[i] : cells.starts[i + 1]])
        gamma, phi = twins.full(w, log_p, alpha, start, rounds)
        np.testing.assert_allclose(found.gamma[i], gamma, rtol=1e-8)
        # The bound of the γ that the φ before it makes, as equation (15) has it.
        value = twins.bound(w, log_p, alpha, gamma, phi)
        assert found.bounds[i] == pytest.approx(value, abs=1e-8)
        np.add.at(counts, atoms, w[:, None] * phi)
        gamma, phi = twins.fast(w, log_p, alpha, start, rounds)
        np.testing.assert_allclose(quick.gamma[i], gamma, rtol=1e-8)
        value = twins.bound(w, log_p, alpha, gamma, np.tile(phi, (len(w), 1)))
        assert quick.bounds[i] == pytest.approx(value, abs=1e-8)
        np.add.at(of_fast, atoms, w[:, None] * phi)
    np.testing.assert_allclose(found.counts, counts, atol=1e-8)
    np.testing.assert_allclose(quick.counts, of_fast, atol=1e-8)
    assert found.bounds[5] == quick.bounds[5] == 0.0  # the row without cells
    np.testing.assert_array_equal(found.gamma[5], alpha)


def test_a_mixture_is_exact(fitted):
    cells, log_density = parts(fitted)
    prior = np.array([0.2, 0.5, 0.3])
    found = MIXTURE.find(cells, log_density, prior)
    counts = np.zeros_like(log_density)
    for i, (w, log_p) in enumerate(twins.rows_of(cells, log_density)):
        joint = prior * np.exp(w @ log_p)
        assert found.bounds[i] == pytest.approx(np.log(joint.sum()), abs=1e-12)
        np.testing.assert_allclose(found.gamma[i], joint / joint.sum(), rtol=1e-12)
        np.add.at(counts, cells.atoms[cells.starts[i] : cells.starts[i + 1]], joint / joint.sum())
    np.testing.assert_allclose(found.counts, counts, atol=1e-12)


def test_bounds_are_below_the_exact_likelihood_and_fast_below_full(fitted):
    cells, log_density = parts(fitted)
    for alpha in (fitted.prior, np.array([0.05, 0.05, 0.05]), np.array([8.0, 3.0, 5.0])):
        exact = [twins.exact(*row, alpha) for row in twins.rows_of(cells, log_density)]
        quick = FAST.find(cells, log_density, alpha)
        full = FULL.find(cells, log_density, alpha, quick.gamma)
        assert (full.bounds <= np.array(exact) + 1e-9).all()
        assert (quick.bounds <= full.bounds + 1e-9).all()
        assert (np.array(exact) - full.bounds).max() > 1e-3  # a bound, not the thing itself
        brief = FullStep(2, 0.0).find(cells, log_density, alpha)
        assert (brief.bounds <= np.array(exact) + 1e-9).all()


def test_the_bound_is_the_best_there_is_over_gamma(fitted):
    cells, log_density = parts(fitted)
    alpha = fitted.prior
    found = FULL.find(cells, log_density, alpha)
    for i, (w, log_p) in enumerate(twins.rows_of(cells, log_density)):

        def loss(log_gamma, w=w, log_p=log_p):
            gamma = np.exp(log_gamma)
            return -twins.bound(w, log_p, alpha, gamma, twins.profiled_phi(log_p, gamma))

        start = np.log(found.gamma[i]) + 0.1 * np.array([1.0, -1.0, 0.5])
        options = {"fatol": 1e-12, "xatol": 1e-9, "maxiter": 4000}
        best = scipy.optimize.minimize(loss, start, method="Nelder-Mead", options=options)
        assert found.bounds[i] == pytest.approx(-best.fun, abs=1e-6)


def test_one_component_has_the_closed_form(fitted):
    state = state_of(mixed_table(), K=1)
    cells, log_density = parts(state)
    expected = [(w @ log_p).item() for w, log_p in twins.rows_of(cells, log_density)]
    for step in (FULL, FAST, MIXTURE):
        found = step.find(cells, log_density, np.ones(1))
        np.testing.assert_allclose(found.bounds, expected, atol=1e-9)


def test_fast_at_a_vertex_and_small_alpha(fitted):
    """α_c < 1/2: hard assignment, bound ln P(all z = c) + s_c; α → 0 is then MNB's best term."""
    cells, log_density = parts(fitted)
    log_density = 3.0 * log_density  # far apart, so that rounds end at the vertex
    for scale in (0.3, 1e-3):
        alpha = scale * np.array([0.3, 0.3, 0.4])
        found = FAST.find(cells, log_density, alpha)
        for i, (w, log_p) in enumerate(twins.rows_of(cells, log_density)):
            if w.size == 0:
                continue
            c, m, s = found.gamma[i].argmax(), w.sum(), w @ log_p
            all_c = gammaln(alpha.sum()) - gammaln(alpha.sum() + m)
            all_c += gammaln(alpha[c] + m) - gammaln(alpha[c])
            assert found.bounds[i] == pytest.approx(all_c + s[c], abs=1e-3)
    prior, rows = np.array([0.3, 0.3, 0.4]), twins.rows_of(cells, log_density)
    exact = [twins.exact(w, log_p, 1e-8 * prior) for w, log_p in rows]
    mixture = MIXTURE.find(cells, log_density, prior)
    np.testing.assert_allclose(exact, mixture.bounds, atol=1e-4)


def test_what_only_a_dead_component_can_give_is_still_given():
    """exp Ψ(1e-4) is 0 as a double; the mixture of such a cell is not."""
    cells = cells_of(FeatureTable.from_array([[0, 0, 0, 1]], kinds="bernoulli"))
    log_density = np.log([[0.9, 1e-9], [1e-300, 0.5]])[[0, 0, 0, 1]]
    for log_p in (log_density, np.log([[0.9, 1e-9]]).repeat(4, axis=0)):
        found = FullStep(50, 1e-9).find(cells, log_p, np.array([1.0, 1e-4]))
        assert np.isfinite(found.bounds).all()
    with np.errstate(divide="ignore"):
        impossible = np.log([[0.9, 0.1], [0.0, 0.0]])[[0, 0, 0, 1]]
    for step in (FULL, FAST, MIXTURE):
        found = step.find(cells, impossible, np.array([0.4, 0.6]))
        assert found.bounds[0] == -np.inf
        assert np.isfinite(found.gamma).all()
        assert np.isfinite(found.counts).all()


# --- The M-step -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_estimates_are_those_of_the_slow_twin(epsilon):
    table = mixed_table(20, kinds=KINDS + KINDS)
    state = state_of(table, epsilon=epsilon)
    cells = state._cells
    counts = np.random.default_rng(1).gamma(0.3, size=(cells.columns.size, 3))
    state.densities.update(cells.columns, cells.values, counts)
    laws = twins.m_step(table, counts, cells, epsilon, 0.05)
    expected = twins.log_density(table, cells, laws)
    np.testing.assert_allclose(parts(state)[1], expected, rtol=1e-9, atol=1e-12)
    means = state.densities.mean()
    for n, kind in enumerate(table.kinds.tolist()):
        law = laws[n][0] if kind == "gaussian" else laws[n]
        law = np.arange(len(law)) @ law if kind in ("discrete", "bernoulli") else law
        np.testing.assert_allclose(means[:, n], law, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_estimates_are_where_the_objective_is_largest(epsilon):
    """No step away from the M-step's parameters raises Σ R ln p + penalty."""
    table = mixed_table(30)
    state = state_of(table, epsilon=epsilon)
    cells = state._cells
    counts = np.random.default_rng(2).gamma(0.5, size=(cells.columns.size, 3))

    def objective():
        return (counts * parts(state)[1]).sum() + state.densities.penalty()

    state.densities.update(cells.columns, cells.values, counts)
    best = objective()
    laws = state.densities.parts
    for kind, name in (("gaussian", "variance"), ("gaussian", "_shift"), ("poisson", "rate")):
        array = getattr(laws[kind], name)
        for factor in (0.99, 1.01):
            if name == "variance":
                assert (array > 0.05).all()  # not at the floor
            array *= factor
            assert objective() < best
            array /= factor
    for kind in ("discrete", "bernoulli"):
        p = laws[kind].probabilities
        p[0] += 1e-3
        p[1] -= 1e-3
        assert objective() < best
        p[0] -= 1e-3
        p[1] += 1e-3


def test_variances_stop_at_the_floor_and_components_without_weight_stay():
    table = FeatureTable.from_array([[1.0], [1.0], [5.0]])
    state = state_of(table, K=2, floor=1e-3)
    cells, law = state._cells, state.densities.parts["gaussian"]
    state.densities.update(cells.columns, cells.values, np.array([[1.0, 1.0], [0.0, 2.0]]))
    np.testing.assert_allclose(law.variance[0], [1e-3, 32 / 9])
    before = law.mean().copy(), law.variance.copy()
    state.densities.update(cells.columns, cells.values, np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert law.mean()[0, 0] == before[0][0, 0]
    assert law.variance[0, 0] == before[1][0, 0]
    own = Categories(np.array([2]), 2, Smoothing(0.0))
    own.update(np.array([0, 0]), np.array([0.0, 1.0]), np.array([[0.0, 3.0], [0.0, 1.0]]))
    np.testing.assert_array_equal(own.probabilities, [[0.5, 0.75], [0.5, 0.25]])
    relative = Densities(table, cells, 2, Smoothing(0.0, 0.0, 0.1)).parts["gaussian"]
    np.testing.assert_allclose(relative.floor, 0.1 * np.var([1.0, 1.0, 5.0]))


# --- α --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [2, 5])
@pytest.mark.parametrize("concentration", [0.05, 1.0, 30.0])
def test_alpha_is_where_a_generic_optimiser_finds_it(K, concentration):
    rng = np.random.default_rng(K)
    gamma = 0.1 + 40 * rng.dirichlet(concentration * rng.dirichlet(np.ones(K)), 60)
    sums = kernels.digamma_sums(gamma)

    def loss(log_alpha):
        return -dirichlet.objective(np.exp(log_alpha), 60, sums)

    best = scipy.optimize.minimize(loss, np.zeros(K), method="BFGS", options={"gtol": 1e-8})
    for start in (np.ones(K), np.full(K, 1e-3), np.full(K, 300.0)):
        alpha = start
        for _ in range(5):
            alpha = dirichlet.learn_alpha(alpha, 60, sums)
        assert -dirichlet.objective(alpha, 60, sums) == pytest.approx(best.fun, abs=1e-4)


def test_alpha_never_falls_where_steps_that_are_only_feasible_do():
    """The paper's line search halves until α > 0; here its first such step loses nats."""
    rng = np.random.default_rng(0)
    lost = []
    for _ in range(300):
        K = int(rng.integers(2, 6))
        gamma = rng.gamma(20.0, 2.0, (30, K)) + 0.01
        sums, start = kernels.digamma_sums(gamma), rng.gamma(1.0, 0.3, K) + 0.01
        before = dirichlet.objective(start, 30, sums)
        step = dirichlet.newton_step(start, 30, sums)
        while (start - step <= 0).any():
            step = step / 2
        lost.append(before - dirichlet.objective(start - step, 30, sums))
        learned = dirichlet.learn_alpha(start, 30, sums)
        assert dirichlet.objective(learned, 30, sums) >= before
        assert (learned > 0).all()
    assert max(lost) > 1.0


def test_alpha_of_one_component_and_of_no_rows_stays():
    for alpha, n in ((np.array([0.7]), 5), (np.array([0.7, 0.2]), 0)):
        assert dirichlet.learn_alpha(alpha, n, np.zeros(alpha.size)) is alpha


# --- EM -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@pytest.mark.parametrize("kinds", [KINDS, ["gaussian"], ["discrete", "bernoulli"], ["poisson"]])
@pytest.mark.parametrize("step", [FullStep(30, 1e-9), FastStep(30, 1e-9), MIXTURE], ids=["full", "fast", "mixture"])
def test_the_objective_never_falls(step, kinds, epsilon):
    """Warm starts; M-step, α and E-step one by one."""
    for seed in range(3):
        table = mixed_table(25, seed, kinds=kinds * (6 // len(kinds)))
        state = state_of(table, step, seed=seed, epsilon=epsilon)
        state.is_warm = True
        state.advance(1)
        cells = state._cells

        def now(state=state, cells=cells, step=step):
            """The objective at the memberships of before: a step of θ and α keeps γ and φ."""
            log_density, found = parts(state)[1], state.memberships
            with np.errstate(invalid="ignore"):
                fit = np.where(found.counts > 0, found.counts * log_density, 0.0).sum()
            if step is MIXTURE:
                r = found.gamma[cells.sizes > 0]
                of_prior = (r @ np.log(np.maximum(state.prior, 1e-300))).sum()
                return fit + of_prior + state.densities.penalty()
            sums = kernels.digamma_sums(found.gamma[cells.sizes > 0])
            n = np.count_nonzero(cells.sizes)
            return fit + dirichlet.objective(state.prior, n, sums) + state.densities.penalty()

        for _ in range(15):
            before, total = now(), state.objective()
            slack = 1e-9 * abs(total) + 1e-9
            state.densities.update(cells.columns, cells.values, state.memberships.counts)
            after = now()
            assert after >= before - slack
            state.prior = step.renewed_prior(state.prior, state.memberships, cells.sizes)
            assert now() >= after - slack
            state._expect()
            assert state.objective() >= total - slack


def test_cold_starts_may_lower_it_and_end_far_better():
    """Which is why rows go warm only when the objective has nearly converged."""
    cold, warm = state_of(mixed_table(60, 3)), state_of(mixed_table(60, 3))
    warm.is_warm = True
    for state in (cold, warm):
        state.advance(200)
    assert cold.is_warm
    assert cold.objective() > warm.objective() - 1.0


def test_alpha_is_held_while_components_are_alike():
    for step in (FullStep(30, 1e-6), FastStep(30, 1e-6)):
        state = state_of(mixed_table(25), step)
        state.advance(em.HELD + 1)
        np.testing.assert_array_equal(state.prior, 1 / 3)
        state.advance(1)
        assert (state.prior != 1 / 3).all()
    mixture = state_of(mixed_table(25), MIXTURE)
    mixture.advance(2)
    assert (mixture.prior != 1 / 3).all()


@pytest.mark.parametrize("own", [FullStep, FastStep])
def test_alpha_starts_and_is_held_as_it_is_asked_to(own):
    table = mixed_table(25)
    cells = cells_of(table)
    for held in (0, 3):
        densities = Densities(table, cells, 3, Smoothing(0.5, 0.05))
        step, rng = own(30, 1e-6, first_alpha=2.0), np.random.default_rng(0)
        state = MembershipState(cells, densities, step, 3, rng, alpha_held=held)
        state.advance(held + 1)
        np.testing.assert_array_equal(state.prior, [2.0] * 3)
        assert not state.may_stop
        state.advance(1)
        assert (state.prior != 2.0).all()
    assert state.may_stop == (step.warm != "late")


@pytest.mark.parametrize("own", [FullStep, FastStep])
def test_warm_from_the_start_the_objective_never_falls(own):
    for seed in range(3):
        state = state_of(mixed_table(40, seed), own(100, 1e-9, warm="always"), seed=seed)
        assert state.is_warm
        objectives = []
        for _ in range(40):
            state.advance(1)
            objectives.append(state.objective())
        assert (np.diff(objectives) >= -1e-9 * abs(objectives[0])).all()
    cold = state_of(mixed_table(40), own(100, 1e-9, warm="never"))
    cold.advance(100)
    assert not cold.is_warm


def test_a_start_from_a_mixture_begins_where_that_ends():
    """The first E-step has the mixture's densities and rows; with small α its bound is nearly the log-likelihood."""
    table = mixed_table(60, 3)
    mixture = state_of(table, MIXTURE)
    mixture.advance(200)
    seen = mixture._sizes > 0
    for step in (FullStep(500, 1e-12, first_alpha=1e-4), FastStep(500, 1e-12, first_alpha=1e-4)):
        state = state_of(table, step)
        densities = mixture.densities.mean().copy()
        state.start_from(mixture)
        state.advance(1)
        np.testing.assert_array_equal(state.densities.mean(), densities)
        start = state.prior + mixture._sizes[:, None] * mixture.memberships.gamma
        _, log_density = parts(state)
        expected = step.find(state._cells, log_density, state.prior, start)
        np.testing.assert_array_equal(state.memberships.gamma, expected.gamma)
        other = step.find(state._cells, log_density, state.prior)
        assert not np.array_equal(other.gamma, expected.gamma)
        same = state.memberships.gamma.argmax(axis=1) == mixture.memberships.gamma.argmax(axis=1)
        assert same[seen].mean() > 0.9


def test_hidden_cells_influence_nothing_and_a_row_without_cells_neither():
    table = mixed_table(25)
    values = table.values()
    kept = np.flatnonzero(table.observed.any(axis=1))
    for step in (FullStep(30, 1e-6), FastStep(30, 1e-6), MIXTURE):
        whole, part = state_of(table, step), state_of(table.take_rows(kept), step)
        part._cells.random_rows(3, np.random.default_rng(0))
        for state in (whole, part):
            first = np.random.default_rng(3).gamma(1.0, size=(state._cells.columns.size, 3))
            state.densities.update(state._cells.columns, state._cells.values, first)
            state.advance(6)
        np.testing.assert_allclose(part.factors().W, whole.factors().W[kept], rtol=1e-9)
        np.testing.assert_allclose(part.densities.mean(), whole.densities.mean(), rtol=1e-9)
        assert part.objective() == pytest.approx(whole.objective(), rel=1e-12)
    assert np.isnan(values).any()


def test_permutations_of_rows_features_and_components_permute_the_result():
    table = mixed_table(25)
    values, rng = table.values(), np.random.default_rng(5)
    rows, columns, components = rng.permutation(25), rng.permutation(4), rng.permutation(3)
    other = FeatureTable.from_array(values[np.ix_(rows, columns)], kinds=table.kinds[columns].tolist())
    for step in (FullStep(30, 1e-6), FastStep(30, 1e-6), MIXTURE):
        one, two = state_of(table, step), state_of(other, step)
        W = rng.dirichlet(np.ones(3), 25)
        for state, shares in ((one, W), (two, W[np.ix_(rows, components)])):
            cells = state._cells
            counts = np.zeros((cells.columns.size, 3))
            np.add.at(counts, cells.atoms, shares[cells.row_of_cell()])
            state.densities.update(cells.columns, cells.values, counts)
            state.advance(8)
        np.testing.assert_allclose(two.factors().W, one.factors().W[np.ix_(rows, components)], rtol=1e-7)
        np.testing.assert_allclose(two.densities.mean(), one.densities.mean()[np.ix_(components, columns)], rtol=1e-7)
        assert two.objective() == pytest.approx(one.objective(), rel=1e-10)


def test_a_category_pair_is_a_bernoulli_feature_and_words_are_tied_features():
    values = np.random.default_rng(0).integers(0, 2, (30, 5)).astype(float)
    both = [state_of(FeatureTable.from_array(values, kinds=kind)) for kind in ("discrete", "bernoulli")]
    for state in both:
        state.advance(10)
    assert both[0].objective() == both[1].objective()
    # Words once each: a document of three words is a row of three features that share their law.
    counts = np.zeros((6, 4), int)
    for i in range(6):
        counts[i, [i % 4, (i + 1) % 4, (i + 2) % 4]] = 1
    documents = cells_of(FeatureTable.from_documents(counts))
    topics = np.random.default_rng(1).dirichlet(np.ones(4), 2).T
    alpha = np.array([0.3, 0.8])
    log = Words.of_topics(topics).log_density(documents.columns, documents.values)
    found = FULL.find(documents, log, alpha)
    for i in range(6):
        words = np.flatnonzero(counts[i])
        gamma, phi = twins.full(np.ones(3), np.log(topics[words]), alpha, alpha + 1.5, 500)
        np.testing.assert_allclose(found.gamma[i], gamma, rtol=1e-7)
        value = twins.bound(np.ones(3), np.log(topics[words]), alpha, gamma, phi)
        assert found.bounds[i] == pytest.approx(value, abs=1e-8)


def test_a_word_that_is_there_twice_counts_as_two_words():
    counts = np.array([[2, 0, 1], [0, 3, 1]])
    apart = np.array([[1, 1, 0, 0, 0, 1, 0], [0, 0, 1, 1, 1, 0, 1]])  # the same, a column a token
    word = np.array([0, 0, 1, 1, 1, 2, 2])
    topics = np.random.default_rng(1).dirichlet(np.ones(3), 2).T
    alpha = np.array([0.3, 0.8])
    together, tokens = (cells_of(FeatureTable.from_documents(x)) for x in (counts, apart))
    for step in (FULL, FAST, MIXTURE):
        one = step.find(together, np.log(topics), alpha)
        two = step.find(tokens, np.log(topics[word]), alpha)
        np.testing.assert_allclose(one.gamma, two.gamma, rtol=1e-9)
        np.testing.assert_allclose(one.bounds, two.bounds, rtol=1e-9)
        summed = np.zeros((3, 2))
        np.add.at(summed, word, two.counts)
        np.testing.assert_allclose(one.counts, summed, rtol=1e-9)
    words = Words(3, 2, Smoothing(0.25))
    words.update(together.columns, together.values, one.counts)
    expected = one.counts + 0.25
    np.testing.assert_allclose(words.probabilities, expected / expected.sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(together.sizes, [3, 4])


# --- Sampling the likelihood ----------------------------------------------------------------------


def test_the_sampled_likelihood_is_the_exact_one():
    """Five standard errors of 10 runs of 20000 draws; a bound would miss by 0.05 nats and more."""
    state = state_of(mixed_table())
    state.advance(3)
    cells, log_density = parts(state)
    for alpha in (np.array([0.7, 0.2, 1.9]), np.array([0.02, 0.05, 0.01])):
        exact = np.array([twins.exact(*row, alpha) for row in twins.rows_of(cells, log_density)])
        gamma = FULL.find(cells, log_density, alpha).gamma
        runs = np.array(
            [
                sampled_log_likelihood(cells, log_density, alpha, gamma, 20_000, rng)
                for rng in map(np.random.default_rng, range(10))
            ]
        )
        error = runs.std(axis=0, ddof=1) / 10**0.5
        assert error.max() < 0.01
        assert (np.abs(runs.mean(axis=0) - exact) < 5 * error + 1e-3).all()
        assert runs[:, 5].tolist() == [0.0] * 10  # the row without cells


def test_dirichlet_draws_have_the_means_and_stay_logarithms():
    alpha = np.array([2.0, 0.5, 0.01])
    log = log_dirichlet(alpha, 200_000, np.random.default_rng(0))
    assert np.isfinite(log).all()
    mean = np.exp(log).mean(axis=0)
    np.testing.assert_allclose(mean, alpha / alpha.sum(), atol=5 * 0.3 / 200_000**0.5)
    np.testing.assert_allclose(log.mean(axis=0), psi(alpha) - psi(alpha.sum()), rtol=0.02)


def test_predictions_of_cells_are_near_the_exact_ones(fitted):
    """Σ γ_c p_c / Σγ is exact under q; the exact posterior mean of shares is within 0.1 here."""
    cells, log_density = parts(fitted)
    found = FULL.find(cells, log_density, fitted.prior)
    for i, (_, log_p) in enumerate(twins.rows_of(cells, log_density)):
        exact = twins.exact_shares(log_p, fitted.prior)
        np.testing.assert_allclose(found.shares[i], exact, atol=0.1)
