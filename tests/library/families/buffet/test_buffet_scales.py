"""Log-odds of Indian buffets scaled up and down: ratios of joints, Geweke's test, room."""

import functools
import itertools
import math

import buffet_twin as twin
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import nbmf
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels import scales, shared
from nbmf.families.buffet.kernels.arrays import StateArrays
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, MASS, ROW_EFFECT, SLAB

F, N, K = 5, 6, 4
TOLERANCE = 1e-9
PRIOR = twin.prior_of("cibp")
VARIANCES = (SLAB, ROW_EFFECT, COLUMN_EFFECT)
OF_LOGIT = (MASS, *VARIANCES)
# Which numbers are learned, and which effects are there.
learnings = pytest.mark.parametrize(
    ("learned", "effects"),
    [
        ((), "both"),
        (VARIANCES, "both"),
        ((ROW_EFFECT,), "both"),
        ((*VARIANCES, INTERCEPT), "both"),
        ((INTERCEPT,), "both"),
        ((SLAB, ROW_EFFECT, INTERCEPT), "rows"),
        ((INTERCEPT,), "rows"),
        ((SLAB, COLUMN_EFFECT, INTERCEPT), "columns"),
        ((SLAB,), "none"),
    ],
)


@pytest.fixture
def plain(monkeypatch):
    """Run the kernels as plain Python, so that what they draw can be scripted."""
    for module in (scales, shared):
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                monkeypatch.setattr(module, name, value.py_func)
    return monkeypatch


def example(seed=1, learned=(), effects="both"):
    """Return values with missing ones, a state with a singleton, and numbers."""
    rng = np.random.default_rng(seed)
    B = rng.normal(0, 1.1, (F, K)) * (rng.random((F, K)) < 0.6)
    B[0, 0] = B[1, 0] = 0.7
    B[:, 3] = 0.0
    B[2, 3] = -0.8
    values = np.where(rng.random((F, N)) < 0.8, rng.integers(0, 2, (F, N)), np.nan)
    state = B, rng.standard_normal((K, N)), rng.normal(size=F), rng.normal(size=N)
    numbers = twin.numbers(intercept=-0.9 * (INTERCEPT in learned))
    for number, of_effects, kinds in ((ROW_EFFECT, state[2], "rows both"), (COLUMN_EFFECT, state[3], "columns both")):
        if effects not in kinds.split():
            numbers[number] = of_effects[:] = 0.0
    return values, state, numbers


def scaled(state, numbers, what, factor, learned):
    """Return state and numbers after a step, and how many numbers are multiplied by `factor`."""
    (B, Z, rows, columns), numbers = (x.copy() for x in state), numbers.copy()
    kind, line = what
    if kind == "all":
        variances = [number for number in learned if number != INTERCEPT]
        dimension = sum(map(np.count_nonzero, (B, rows, columns))) + 2 * len(variances) + (INTERCEPT in learned)
        B, rows, columns = B * factor, rows * factor, columns * factor
        numbers[variances] *= factor**2
        numbers[INTERCEPT] *= factor
    elif kind == "row":
        dimension = np.count_nonzero(B[line]) + np.count_nonzero(rows[line])
        B[line], rows[line] = B[line] * factor, rows[line] * factor
    else:
        dimension = K + np.count_nonzero(columns[line])
        Z[:, line], columns[line] = Z[:, line] * factor, columns[line] * factor
    return (B, Z, rows, columns), numbers, dimension


def work_on(values, state, numbers, table, steps):
    """Run the kernel with scripted steps t, accepted where the uniform number given says so."""
    observed = ~np.isnan(values)
    signal = np.where(observed, values - 0.5, 99.0)  # of hidden cells anything
    B, Z, rows, columns = (x.copy() for x in state)
    numbers, counts = numbers.copy(), np.count_nonzero(B, axis=0)
    arrays = StateArrays(np.array([K]), B, Z, counts, rows, columns, numbers)
    matrix = Matrix(True, signal, observed)
    scales.scale_log_odds(K, matrix, arrays, table, np.full((F, N), 7.0), np.zeros(N), None)
    assert not steps
    return (B, Z, rows, columns), numbers


@learnings
def test_steps_are_accepted_by_the_ratio_of_joints(plain, learned, effects):
    # One step of t, all others of 0; its uniform number just below and just above the edge.
    values, state, numbers = example(learned=learned, effects=effects)
    table, decided = twin.priors_of(*learned), set()
    order = [("all", 0), *(("row", j) for j in range(F)), *(("column", i) for i in range(N))]
    for what, t in itertools.product(order, (-0.5, 0.5)):
        after = scaled(state, numbers, what, math.exp(t), learned)
        joint = functools.partial(twin.log_joint, values, True, PRIOR, table=table)
        ratio = joint(*after[:2]) - joint(state, numbers) + after[2] * t
        for edge, moves in ((-TOLERANCE, True), (TOLERANCE, False)):
            if ratio + edge >= 0.0:
                continue
            decided.add(what)
            steps = [t if one == what else 0.0 for one in order]
            accepted = [-math.expm1(ratio + edge) if one == what else 0.5 for one in order]
            plain.setattr(scales, "draw_log_factor", lambda widths, _, given=steps: given.pop(0))
            plain.setattr(scales, "uniform", lambda _, given=accepted: given.pop(0))
            found = work_on(values, state, numbers, table, steps)
            expected = after[:2] if moves else (state, numbers)
            for one, other in zip((*found[0], found[1]), (*expected[0], expected[1]), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-13)
    assert decided == set(order)


def test_every_step_starts_where_the_last_has_ended(plain):
    # All of them accepted, one after another: log-odds are kept up to date on the way.
    values, state, numbers = example()
    table, seen = twin.priors_of(*VARIANCES), []
    steps = np.random.default_rng(3).normal(0, 0.3, 1 + F + N)
    given = iter(steps)
    plain.setattr(scales, "draw_log_factor", lambda *_: next(given))
    plain.setattr(scales, "uniform", lambda _: 0.0)
    plain.setattr(scales, "prior_gain", lambda *_: math.inf)
    plain.setattr(scales, "family_gain", lambda *_: math.inf)

    def spy(signal, observed, shift, along, size, factor):
        seen.append((shift[:size].copy(), along[:size].copy(), factor))
        return 0.0

    plain.setattr(scales, "likelihood_gain", spy)
    work_on(values, state, numbers, table, [])
    order = [("all", 0), *(("row", j) for j in range(F)), *(("column", i) for i in range(N))]
    for what, t in zip(order, steps, strict=True):
        B, Z, rows, columns = state
        fit, (kind, line) = B @ Z, what
        for j in range(F) if kind == "all" else [line]:
            shift, along, factor = seen.pop(0)
            if kind == "all":
                expected = 0.0, rows[j] + columns + fit[j]
            elif kind == "row":
                expected = columns, rows[j] + fit[j]
            else:
                expected = rows, columns[line] + fit[:, line]
            np.testing.assert_allclose(shift, expected[0], atol=1e-12)
            np.testing.assert_allclose(along, expected[1], atol=1e-12)
            assert factor == pytest.approx(math.exp(t), rel=1e-14)
        state, numbers, _ = scaled(state, numbers, what, math.exp(t), VARIANCES)


def test_log_odds_of_any_size_have_a_likelihood():
    rng = np.random.default_rng(4)
    n = 4000
    for size in (0.1, 30.0, 700.0):
        along, shift = size * rng.normal(size=n), rng.normal(size=n)
        signal, observed = rng.integers(0, 2, n) - 0.5, rng.random(n) < 0.8
        at = [np.where(signal > 0, 1, -1) * (shift + f * along) for f in (1.0, 1.7)]
        expected = (np.logaddexp(0, -at[0]) - np.logaddexp(0, -at[1]))[observed].sum()
        found = scales.likelihood_gain.py_func(signal, observed, shift, along, n, 1.7)
        assert found == pytest.approx(expected, rel=1e-10)


def test_steps_up_are_as_probable_as_steps_down(plain):
    for widths, u in itertools.product((scales.ALL, scales.LINE), (0.0, 0.3, 1 - 2**-53)):
        plain.setattr(scales, "uniform", lambda _, u=u: u)
        found = []
        for z in (-1.5, 1.5):
            plain.setattr(scales, "standard_normal", lambda _, z=z: z)
            found.append(scales.draw_log_factor(widths, None))
        s = math.exp(widths[0] + u * (widths[1] - widths[0]))
        assert found == pytest.approx([-1.5 * s, 1.5 * s], rel=1e-14)


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("name", "learned", "absent"),
    [("cibp", OF_LOGIT, {}), ("ibp", (), {}), ("cibp", (*OF_LOGIT, INTERCEPT), {}), ("ibp", OF_LOGIT, {"row": 0.0})],
)
def test_geweke(name, learned, absent):
    hole, prior = np.array([[True, True], [False, True], [True, True]]), twin.prior_of(name)
    table, start = twin.priors_of(*learned), twin.numbers(mass=prior.mass, **absent)
    table[start == 0.0, 0] *= np.arange(6)[start == 0.0] == INTERCEPT
    found = twin.geweke(True, prior, table, hole, 1, 10_000, 1.0, 4_000, start=start, scale_moves=True)
    twin.assert_same(*found)


@pytest.mark.long
@pytest.mark.parametrize("name", ["cibp", "ibp"])
def test_geweke_for_long(name):
    observed = np.random.default_rng(5).random((5, 4)) < 0.85
    found = twin.geweke(
        True, twin.prior_of(name), twin.priors_of(*OF_LOGIT), observed, 2, 400_000, 1.0, 50_000, scale_moves=True
    )
    twin.assert_same(*found)


def test_room_and_snapshots_change_no_bit():
    rng = np.random.default_rng(6)
    values, observed = rng.integers(0, 2, (9, 14)).astype(float), rng.random((9, 14)) < 0.8

    def made(capacity):
        return twin.chain_on(
            values,
            observed,
            True,
            twin.prior_of("ibp", mass=9.0),
            twin.numbers(mass=9.0),
            twin.priors_of(*OF_LOGIT),
            (2,),
            capacity=capacity,
            samples=30,
            scale_moves=True,
        )

    twin.assert_no_bit_changed(made)


def test_the_estimator_has_them_if_asked():
    V = (np.random.default_rng(5).random((20, 15)) < 0.4).astype(np.int8)
    settings = {"burn_in": 50, "n_samples": 50, "random_state": 0}
    with_moves, without = (nbmf.IndianBuffetLogistic(scale_moves=on, **settings).fit(V) for on in (True, False))
    assert not np.array_equal(with_moves.expectation_, without.expectation_)
    default = nbmf.IndianBuffetLogistic(**settings).fit(V)
    np.testing.assert_array_equal(default.expectation_, without.expectation_)
