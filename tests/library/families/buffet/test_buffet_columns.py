"""Whole columns of Indian buffets that are born and die: ratios of joints, exact laws, Geweke."""

import math

import buffet_twin as twin
import ladder
import numpy as np
import pytest
import test_buffet as whole
from buffet_example import F, K, N, example, log_density, residuals
from numba.core.dispatcher import Dispatcher
from scipy import special, stats

from nbmf.families.buffet import moves
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels import columns, conditionals
from nbmf.families.buffet.kernels.arrays import StateArrays
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, MASS, NOISE, ROW_EFFECT, SLAB

TOLERANCE = 1e-9
OF_LINK = {False: (MASS, NOISE, SLAB), True: (MASS, SLAB, ROW_EFFECT, COLUMN_EFFECT)}
links = pytest.mark.parametrize("logit", [False, True], ids=["gaussian", "logit"])
priors = pytest.mark.parametrize("name", ["cibp", "ibp"])


@pytest.fixture
def plain(monkeypatch):
    """Run the kernels as plain Python, so that what they draw can be scripted."""
    for module in (columns, conditionals):
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                monkeypatch.setattr(module, name, value.py_func)
    return monkeypatch


@pytest.fixture
def often(monkeypatch):
    """Propose a column after every sweep."""
    monkeypatch.setattr(moves, "COLUMN_SHARE", 1.0)


# --- A slow twin ------------------------------------------------------------------------------


def evidence_of(P, E, z, squares, slab):
    """Return means, variances and log Bayes factors of all rows' loadings."""
    variance = 1 / (P @ squares + 1 / slab)
    mean = variance * (E @ z)
    return mean, variance, 0.5 * np.log(variance / slab) + mean**2 / (2 * variance)


def fitted(x, row, E):
    """Return mean and precision of q(z) of a column that `row` has, and the log odds of rows."""
    slab, p = x.numbers[SLAB], len(E)

    def log_odds(count):
        return math.log((count + x.prior.alpha) / (x.prior.kappa + p - min(count, p - 0.5)))

    precision = 1 + slab * x.P[row]
    z, odds = math.sqrt(slab) * E[row] / precision, log_odds(1)
    for _ in range(columns.ROUNDS):
        mean, variance, evidence = evidence_of(x.P, E, z, z**2 + 1 / precision, slab)
        taken = special.expit(odds + evidence)
        taken[row] = 1
        odds = log_odds(taken.sum())
        taken[taken <= columns.FAINT] = 0
        precision = 1 + (taken * (mean**2 + variance)) @ x.P
        z = (taken * mean) @ E / precision
    return z, precision, odds


def log_proposal(x, row, E, scores, born):
    """Return the log density of proposing a column: a row, then scores, then loadings."""
    z, precision, odds = fitted(x, row, E)
    sd = 1 / np.sqrt(precision)
    signs = [stats.norm.logpdf(scores, sign * z, sd).sum() for sign in (1, -1)]
    total = -math.log(len(E)) + np.logaddexp(*signs) - math.log(2)
    mean, variance, evidence = evidence_of(x.P, E, scores, scores**2, x.numbers[SLAB])
    for j, b in enumerate(born):
        if b != 0:
            total += stats.norm.logpdf(b, mean[j], math.sqrt(variance[j]))
        if j != row:
            total += special.log_expit((odds + evidence[j]) * (1 if b != 0 else -1))
    return total


def log_acceptance(x, row, born, scores):
    """Return log A of the birth of a column beside those of a state."""
    before = log_density(x)
    B, Z = np.column_stack([x.B, born]), np.vstack([x.Z, scores])
    after = log_density(x, B, Z)
    E = np.array([residuals(x, j) for j in range(F)])
    E[~x.observed] = 0
    reverse = -math.log(x.B.shape[1] + 1) - math.log(np.count_nonzero(born))
    return after - before + reverse - log_proposal(x, row, E, scores, born)


def without(x, k):
    """Take column k out of the state; return its loadings and scores."""
    born, scores = x.B[:, k].copy(), x.Z[k].copy()
    x.B, x.Z = np.delete(x.B, k, axis=1), np.delete(x.Z, k, axis=0)
    x.counts = np.count_nonzero(x.B, axis=0)
    return born, scores


def move(x, uniforms, normals, monkeypatch):
    """Run the kernel on copies with scripted numbers; return its state."""
    uniforms, normals = iter(uniforms), iter(normals)
    monkeypatch.setattr(columns, "uniform", lambda _: next(uniforms))
    monkeypatch.setattr(columns, "standard_normal", lambda _: next(normals))
    size = x.B.shape[1]
    B, Z = np.hstack([x.B, np.zeros((F, 1))]), np.vstack([x.Z, np.full((1, N), 7.0)])
    counts, P = np.append(x.counts, 9), x.P.copy()
    state = StateArrays(np.array([size]), B, Z, counts, *x.effects, x.numbers)
    work = columns.ColumnWork(P, np.full((F, N), 3.0), *(np.full(s, 5.0) for s in (2 * N, 2 * N, N, N, F)))
    signal = np.where(x.observed, x.signal, 99.0)  # of hidden cells anything
    shape = np.array([x.prior.alpha, x.prior.kappa])
    matrix = Matrix(x.logit, signal, x.observed)
    size = columns.move_column(size, matrix, state, shape, x.prior.log_weights(F), work, None)
    assert next(uniforms, None) is next(normals, None) is None
    np.testing.assert_array_equal(counts[:size], np.count_nonzero(B[:, :size], axis=0))
    assert not B[:, size:].any()  # where later features find zeros
    return B[:, :size], Z[:size]


# --- Ratios of joints -------------------------------------------------------------------------


@links
@priors
@pytest.mark.parametrize("k", [0, 1, 3])
def test_deaths_are_accepted_by_the_ratio_of_joints(plain, logit, name, k):
    for place in range(np.count_nonzero(example(logit, name).B[:, k])):
        x = example(logit, name)
        row = np.flatnonzero(x.B[:, k])[place]
        whole_B, whole_Z, m = x.B.copy(), x.Z.copy(), x.counts[k]
        born, scores = without(x, k)
        ratio = -log_acceptance(x, row, born, scores)
        left_B, left_Z = x.B, x.Z
        x = example(logit, name)
        for edge, dies in ((-TOLERANCE, True), (TOLERANCE, False)):
            u = -math.expm1(min(ratio + edge, -1e-12))
            if ratio + edge >= 0 and not dies:
                continue
            script = [0.7, (k + 0.5) / K, (place + 0.5) / m, u]
            B, Z = move(x, script, [], plain)
            if dies:  # the last column comes to its place
                order = np.argsort([left_Z[:, 0].tolist().index(z) for z in Z[:, 0]])
                B, Z, expected = B[:, order], Z[order], (left_B, left_Z)
            else:
                expected = whole_B, whole_Z
            np.testing.assert_array_equal(B, expected[0])
            np.testing.assert_array_equal(Z, expected[1])


@links
@priors
@pytest.mark.parametrize(("row", "up"), [(1, True), (4, False)])
def test_births_are_accepted_by_the_ratio_of_joints(plain, logit, name, row, up):
    x = example(logit, name)
    x.numbers[MASS] = 0.01  # no birth is sure
    E = np.array([residuals(x, j) for j in range(F)]) * x.observed
    z, precision, odds = fitted(x, row, E)
    rng = np.random.default_rng(row)
    draws, sign = rng.normal(size=N), 1 if up else -1
    scores = sign * z + draws / np.sqrt(precision)
    mean, variance, evidence = evidence_of(x.P, E, scores, scores**2, x.numbers[SLAB])
    taken = special.expit(odds + evidence)
    wanted = np.arange(F) % 2 == row % 2  # who takes it, at the edge of what the law says
    taken[row] = 1.0
    uniforms = np.where(wanted, taken * (1 - 1e-9), taken * (1 + 1e-9))
    normals = rng.normal(size=F)
    born = np.where(wanted, mean + np.sqrt(variance) * normals, 0)
    ratio = log_acceptance(x, row, born, scores)
    assert ratio < 0
    for edge, comes in ((-TOLERANCE, True), (TOLERANCE, False)):
        start = [0.3, (row + 0.5) / F, 0.5 - 1e-9 if up else 0.5]
        B, Z = move(x, [*start, *uniforms, -math.expm1(ratio + edge)], [*draws, *normals[wanted]], plain)
        np.testing.assert_array_equal(B[:, :K], x.B)
        np.testing.assert_array_equal(Z[:K], x.Z)
        assert B.shape[1] == (K + 1 if comes else K)
        if comes:
            np.testing.assert_allclose(B[:, K], born, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(Z[K], scores, rtol=1e-9, atol=1e-12)


def test_where_there_is_no_column_none_dies(plain):
    x = example(False, "cibp")
    for _ in range(K):
        without(x, 0)
    B, _ = move(x, [0.5], [], plain)
    assert B.shape == (F, 0)


@pytest.mark.parametrize(("count", "others"), [(1.0, 4.0), (4.4, 0.6), (4.9, 0.5), (5.0, 0.5)])
def test_rows_never_take_a_column_for_sure(count, others):
    found = columns.count_odds.py_func(count, 5, 0.3, 0.0)
    assert found == pytest.approx(math.log((count + 0.3) / others), rel=1e-13)


# --- Chains -----------------------------------------------------------------------------------


@priors
def test_the_distribution_of_K_is_the_exact_posterior(often, name):
    # As in test_buffet.py, which says what is compared and how sure that is.
    values = np.array([[1.6, -0.3, 1.1], [1.2, 0.4, -0.9]])
    prior = twin.prior_of(name)
    exact = whole.exact_law_of_K(values, prior, 7)
    chain = twin.chain_on(
        values, np.ones((2, 3), bool), False, prior, twin.numbers(), twin.FIXED, (8,), samples=30_000, column_moves=True
    )
    chain.sweep(100)
    chain.sweep(30_000, keep=True)
    mean, error = ladder.batch_means(chain.sizes[:, None] == np.arange(5))
    p = ladder.means_p(mean, np.hypot(error, 5e-4), exact[:5])
    assert p > ladder.FALSE_ALARM, f"p = {p:.1e}: {mean}, exact {exact[:5]}"


@pytest.mark.statistics
@links
def test_geweke(often, logit):
    name, observed = ("ibp", whole.FULL) if not logit else ("cibp", whole.HOLE)
    table = twin.priors_of(*OF_LINK[logit])
    found = twin.geweke(
        logit, twin.prior_of(name), table, observed, 1, 10_000, 1.0, 4_000, column_moves=True, scale_moves=logit
    )
    twin.assert_same(*found)


@pytest.mark.long
@links
@priors
def test_geweke_for_long(often, logit, name):
    observed = np.random.default_rng(5).random((5, 4)) < 0.85
    found = twin.geweke(
        logit,
        twin.prior_of(name),
        twin.priors_of(*OF_LINK[logit]),
        observed,
        2,
        400_000,
        1.0,
        50_000,
        column_moves=True,
        scale_moves=logit,
    )
    twin.assert_same(*found)


@pytest.mark.parametrize("kind", ["complete", "logit"])
def test_room_and_snapshots_change_no_bit(often, kind):
    logit = kind == "logit"
    values, observed = whole.example(logit, shape=(9, 14), p_missing=0.2 * logit)

    def made(capacity):
        return twin.chain_on(
            values,
            observed,
            logit,
            twin.prior_of("ibp", mass=9.0),
            twin.numbers(mass=9.0),
            twin.priors_of(NOISE, SLAB, ROW_EFFECT),
            (2,),
            capacity=capacity,
            samples=30,
            column_moves=True,
            scale_moves=logit,
        )

    twin.assert_no_bit_changed(made)
