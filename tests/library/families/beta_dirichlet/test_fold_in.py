"""Fold-in: against exact posteriors, slow twins and other libraries, and against refitting."""

import itertools

import numpy as np
import pytest
from matrices import blocks_matrix
from naive import twin_probabilities
from scipy.special import betaln, gammaln
from sklearn.datasets import load_digits

import fold_in as benchmark
import nbmf
from nbmf import registry
from nbmf.families.beta_dirichlet import beta_dirichlet_fold_in as fold_in
from nbmf.families.beta_dirichlet.beta_dirichlet_fold_in import fold_in_probabilities, fold_in_weights
from nbmf.families.beta_dirichlet.kernels import fold_in_kernels as kernels
from nbmf.families.beta_dirichlet.kernels.fold_in_kernels import beta_rows, dirichlet_rows
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir

CODES = blocks_matrix(probability=0.8)


def make(name, K=3, **settings):
    return registry.make_estimator(name, K, {"max_iter": 50} | settings, random_state=0)


# --- The exact posterior, by enumeration -----------------------------------------------------


def exact_weights(line, probabilities, prior):
    """E[w | line] over all assignments of its entries, float array (K,)."""
    K, entries = probabilities.shape
    likelihood = np.where(line == 1, probabilities, 1 - probabilities)
    total, evidence = np.zeros(K), 0.0
    for z in itertools.product(range(K), repeat=entries):
        L = np.bincount(z, minlength=K)
        p = np.exp((gammaln(prior + L) - gammaln(prior)).sum())
        p *= likelihood[z, np.arange(entries)].prod()
        total += p * (prior + L) / (prior + L).sum()
        evidence += p
    return total / evidence


def exact_probabilities(line, weights, alpha, beta):
    """E[h | line] over all assignments of its entries, float array (K,)."""
    entries, K = weights.shape
    total, evidence = np.zeros(K), 0.0
    for z in itertools.product(range(K), repeat=entries):
        z = np.array(z)
        A = np.bincount(z[line == 1], minlength=K)
        B = np.bincount(z[line == 0], minlength=K)
        p = np.exp((betaln(alpha + A, beta + B) - betaln(alpha, beta)).sum())
        p *= weights[np.arange(entries), z].prod()
        total += p * (alpha + A) / (alpha + beta + A + B)
        evidence += p
    return total / evidence


PRIORS = np.array([1.0, 0.5, 2.0])


@pytest.mark.parametrize("entries", [1, 2, 6])
def test_weights_are_near_the_exact_posterior_mean(entries):
    """Exact for a line of one entry; else an approximation, as CVB0 is."""
    rng = np.random.default_rng(entries)
    errors, moves = [], []
    for _ in range(20):
        probabilities = rng.uniform(0.05, 0.95, (3, entries))
        line = rng.integers(0, 2, entries).astype(np.int8)
        exact = exact_weights(line, probabilities, PRIORS)
        errors.append(fold_in_weights(line[None], probabilities, PRIORS)[0] - exact)
        moves.append(exact - PRIORS / PRIORS.sum())
    assert np.abs(errors).max() < (1e-12 if entries == 1 else 0.06)
    assert np.abs(errors).mean() < np.abs(moves).mean() / 5


@pytest.mark.parametrize("entries", [1, 2, 6])
def test_probabilities_are_near_the_exact_posterior_mean(entries):
    rng = np.random.default_rng(entries)
    alpha, beta = PRIORS, PRIORS[::-1]
    errors, moves = [], []
    for _ in range(20):
        weights = rng.dirichlet(np.full(3, 0.5), size=entries)
        line = rng.integers(0, 2, entries).astype(np.int8)
        exact = exact_probabilities(line, weights, alpha, beta)
        errors.append(fold_in_probabilities(line[None], weights, alpha, beta)[0] - exact)
        moves.append(exact - alpha / (alpha + beta))
    assert np.abs(errors).max() < 0.08
    assert np.abs(errors).mean() < np.abs(moves).mean() / 4


def test_a_row_of_dir_dir_sums_over_the_components_of_its_columns():
    """Over all pairs (z, c) that agree with the row, eq. (49), as over z alone with h and 1 - h."""
    rng = np.random.default_rng(4)
    H = rng.dirichlet(np.ones(3), size=3).T
    line = np.array([1, 0, 0], np.int8)
    total, evidence = np.zeros(3), 0.0
    for z in itertools.product(range(3), repeat=3):
        for c in itertools.product(range(3), repeat=3):
            if ((np.array(z) == c) == (line == 1)).all():
                L = np.bincount(z, minlength=3)
                p = np.exp((gammaln(PRIORS + L) - gammaln(PRIORS)).sum())
                p *= H[c, np.arange(3)].prod()
                total += p * (PRIORS + L) / (PRIORS + L).sum()
                evidence += p
    np.testing.assert_allclose(exact_weights(line, H, PRIORS), total / evidence, rtol=1e-12)


# --- Slow twins: CVB0 of one line, as the equations stand --------------------------------------


def twin_weights(line, probabilities, prior, sweeps=4000):
    likelihood = np.where(line == 1, probabilities, 1 - probabilities).T
    entries = np.flatnonzero(line >= 0)
    q = np.zeros(likelihood.shape)
    q[entries] = prior * likelihood[entries]
    q[entries] /= q[entries].sum(axis=1, keepdims=True)
    for _ in range(sweeps):
        for n in entries:
            q[n] = (prior + q.sum(axis=0) - q[n]) * likelihood[n]
            q[n] /= q[n].sum()
    counts = prior + q.sum(axis=0)
    return counts / counts.sum()


def test_fold_in_ends_where_the_slow_twins_end():
    rng = np.random.default_rng(8)
    for _ in range(4):
        line = rng.integers(-1, 2, 12).astype(np.int8)
        probabilities = rng.uniform(size=(3, 12))
        np.testing.assert_allclose(
            fold_in_weights(line[None], probabilities, PRIORS)[0],
            twin_weights(line, probabilities, PRIORS, sweeps=300),
            atol=1e-4,
        )
        weights = rng.dirichlet(np.ones(3), size=12)
        np.testing.assert_allclose(
            fold_in_probabilities(line[None], weights, PRIORS, PRIORS[::-1])[0],
            twin_probabilities(line, weights, PRIORS, PRIORS[::-1], sweeps=300),
            atol=1e-4,
        )


@pytest.mark.parametrize("entries", [2, 3, 10, 60])
@pytest.mark.parametrize("prior", [0.01, 1.0])
def test_every_line_comes_to_rest(entries, prior):
    """Longer steps must not swing: small priors and few entries are the hardest."""
    rng = np.random.default_rng(entries)
    codes = rng.integers(0, 2, (200, entries)).astype(np.int8)
    probabilities = rng.beta(0.3, 0.3, (entries, 20)).clip(1e-3, 1 - 1e-3)
    weights = rng.dirichlet(np.full(20, 0.05), entries) + 1e-6
    limits = fold_in.TOLERANCE, fold_in.MAX_SWEEPS
    times, mean = np.ones(20), np.empty((200, 20))
    likelihood = np.stack([1 - probabilities, probabilities])
    taken = dirichlet_rows(codes, likelihood, np.full(20, prior), times, *limits, mean)
    assert taken.max() < fold_in.MAX_SWEEPS
    np.testing.assert_allclose(mean.sum(axis=1), 1)
    priors = np.full((2, 20), prior), np.ones((200, 2))
    taken = beta_rows(codes, weights, *priors, times, *limits, mean)
    assert taken.max() < fold_in.MAX_SWEEPS
    assert ((mean > 0) & (mean < 1)).all()


def test_identical_components_are_computed_once_and_share_alike(monkeypatch):
    rng = np.random.default_rng(2)
    codes = rng.integers(-1, 2, (6, 30)).astype(np.int8)
    probabilities = np.vstack([rng.uniform(size=(3, 30)), np.full((20, 30), 0.5)])
    prior = np.full(23, 0.3)
    merged = fold_in_weights(codes, probabilities, prior)
    mean = np.empty((6, 23))
    likelihood = np.stack([1 - probabilities.T, probabilities.T])
    limits = fold_in.TOLERANCE, fold_in.MAX_SWEEPS
    dirichlet_rows(codes, likelihood, prior, np.ones(23), *limits, mean)
    np.testing.assert_allclose(merged, mean, atol=1e-4)
    assert np.ptp(merged[:, 3:], axis=1).max() == 0
    prior[-1] = 0.6  # no longer the same
    assert np.ptp(fold_in_weights(codes, probabilities, prior)[:, 3:], axis=1).min() > 0


# --- Well-determined data --------------------------------------------------------------------


def test_fold_in_finds_the_factors_that_made_the_data():
    rng = np.random.default_rng(6)
    W, H, V = beta_dir.simulate(400, 600, 3, 0.5, 0.5, 1.0, rng)
    assert np.abs(fold_in_weights(V, H, np.ones(3)) - W).mean() < 0.03
    columns = np.ascontiguousarray(V.T)
    halves = np.full(3, 0.5)
    assert np.abs(fold_in_probabilities(columns, W, halves, halves) - H.T).mean() < 0.06
    W, H, V = dir_dir.simulate(400, 600, 3, 1.0, 1.0, rng)
    assert np.abs(fold_in_weights(V, H, np.ones(3)) - W).mean() < 0.05


@pytest.mark.parametrize("name", ["BetaDirVB", "CollapsedBinaryICA", "BinaryICA", "DirBetaVB"])
def test_training_lines_come_back(name):
    rng = np.random.default_rng(7)
    _, _, V = beta_dir.simulate(150, 200, 3, 0.3, 0.3, 0.3, rng)
    codes = V.T if name == "DirBetaVB" else V
    estimator = make(name, max_iter=300).fit(codes)
    assert np.abs(estimator.transform(codes) - estimator.W_).mean() < 0.02
    assert np.abs(estimator.transform_columns(codes) - estimator.H_).mean() < 0.02


# --- Priors, transposes and limits -----------------------------------------------------------


def test_dir_beta_is_beta_dir_of_the_transpose():
    beta_dir_fit, dir_beta_fit = make("BetaDirVB").fit(CODES), make("DirBetaVB").fit(CODES.T)
    np.testing.assert_array_equal(beta_dir_fit.transform(CODES), dir_beta_fit.transform_columns(CODES.T).T)
    np.testing.assert_array_equal(beta_dir_fit.transform_columns(CODES), dir_beta_fit.transform(CODES.T).T)


def test_priors_of_the_estimator_are_those_of_the_fold_in():
    estimator = make("BetaDirVB", gamma=[5, 1, 1], alpha=3, beta=1).fit(CODES)
    empty = np.vstack([np.full(11, -1), CODES[0]])
    np.testing.assert_allclose(estimator.transform(empty)[0], np.array([5, 1, 1]) / 7)
    empty = np.column_stack([np.full(14, -1), CODES[:, 0]])
    np.testing.assert_allclose(estimator.transform_columns(empty)[:, 0], 3 / 4)


@pytest.mark.parametrize("max_sweeps", [1, 5])
def test_a_line_is_swept_once_to_start_and_then_as_often_as_allowed(max_sweeps):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (2, 6)).astype(np.int8)
    of_value, mixture, times = rng.random((2, 6, 3)), rng.dirichlet(np.ones(3), 6), np.ones(3)
    mean = np.empty((2, 3))
    limits = times, -1.0, max_sweeps, mean  # no mean moves by less than nothing
    for sweeps in (
        dirichlet_rows(codes, of_value, np.ones(3), *limits),
        beta_rows(codes, mixture, np.ones((2, 3)), np.ones((2, 2)), *limits),
    ):
        np.testing.assert_array_equal(sweeps, 1 + max_sweeps)


# --- Fold-in and refitting ---------------------------------------------------------------------

# Nats per hidden entry by which fold-in may be worse than refitting, as docs/models.md says.
MARGIN = {benchmark.COLUMNS: 0.01, benchmark.ROWS: 0.03}


@pytest.mark.parametrize("axis", [benchmark.COLUMNS, benchmark.ROWS], ids=["columns", "rows"])
@pytest.mark.parametrize(
    "make_estimator",
    [
        lambda seed: nbmf.CollapsedBinaryICA(5, max_iter=100, random_state=seed),
        lambda seed: nbmf.BetaDirVB(30, max_iter=100, random_state=seed),
    ],
    ids=["c-bica", "beta-dir-vb"],
)
def test_fold_in_predicts_as_well_as_refitting(make_estimator, axis):
    """The fast version of benchmarks/fold_in.py, on the ink of scikit-learn's digits."""
    codes = (load_digits().images[:300].reshape(300, -1).T >= 8).astype(np.int8)
    split = benchmark.Split.draw(codes, axis, np.random.SeedSequence(0))
    found = benchmark.compare(make_estimator, codes, split, seeds=(0, 1))
    assert found.folded < found.refitted + MARGIN[axis]
    assert found.folded < found.shares - MARGIN[axis]  # so the margin is not all there is


# --- The place of arrays in memory -----------------------------------------------------------


def laid_out(sizes, first, gap):
    """Return arrays in one buffer: those named `first` `gap` numbers apart, then the others."""
    buffer, arrays, place = np.zeros(4000), {}, 8
    for name in (*first, *(name for name in sizes if name not in first)):
        arrays[name] = buffer[place : place + sizes[name]]
        place += sizes[name] + (gap if name in first else 64)
    return arrays


@pytest.mark.parametrize("kernel", ["_renew_weight", "_renew_probability"])
@pytest.mark.parametrize("K", [4, 16])
def test_sums_do_not_depend_on_where_arrays_lie_in_memory(kernel, K):
    """A reordered sum in a loop that also writes did: 2 results of 200 layouts for K = 16."""
    rng = np.random.default_rng(0)
    sizes = {"times": K, "mixture": K, "r": K, "seen": 2 * K, "weight": K, "count": 2 * K}
    start = {name: rng.random(size) + (name != "r") for name, size in sizes.items()}
    results = set()
    for gap in range(24):
        for neighbour in ("times", "mixture", "r", "seen"):
            at = laid_out(sizes, (neighbour, "weight"), gap)
            for name, array in at.items():
                array[:] = start[name]
            zero, r, mixture = np.uint64(0), at["r"].reshape(1, K), at["mixture"].reshape(1, K)
            seen, count = at["seen"].reshape(2, K), at["count"].reshape(2, K)
            if kernel == "_renew_weight":
                kernels._renew_weight(seen[0], count[0], r, zero, mixture, at["times"], 1.8, at["weight"])
            else:
                kernels._renew_probability(seen, count, np.uint64(1), r, zero, mixture, at["times"], at["weight"])
            results.add((r.tobytes(), count.tobytes()))
    assert len(results) == 1
