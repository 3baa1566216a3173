"""Fold-in: against exact posteriors, slow twins and other libraries, and against refitting."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from matrices import blocks_matrix, classes_of_means
from naive import twin_probabilities
from promises import Promises
from scipy.special import betaln, digamma, expit, gammaln
from sklearn.datasets import load_digits
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.linear_model import LogisticRegression

import nbmf
from nbmf import registry
from nbmf.errors import DataError, NotSupportedError
from nbmf.families.beta_dirichlet import beta_dirichlet_fold_in as fold_in
from nbmf.families.beta_dirichlet.beta_dirichlet_fold_in import fold_in_probabilities, fold_in_weights
from nbmf.families.beta_dirichlet.kernels import fold_in_kernels as kernels
from nbmf.families.beta_dirichlet.kernels.fold_in_kernels import beta_rows, dirichlet_rows
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.inference.declarations import Alignment

sys.path.append(str(Path(__file__).resolve().parents[4] / "benchmarks"))

import fold_in as benchmark

BRIEF = {"max_iter": 50, "burn_in": 20, "n_samples": 20}
CLASSES = [name for name in classes_of_means() if name != "Stacking"]  # whose fold-in is that of others
OF_ROWS = [name for name in CLASSES if registry.scores_entries(name)]
FOUND = ["IndianBuffetLogistic"]  # whose K is found


def make(name, K=3, **settings):
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    return registry.make_estimator(name, K, brief | settings, random_state=0)


CODES = blocks_matrix(probability=0.8)
promise = Promises()


@pytest.fixture(scope="module")
def fitted():
    return {name: make(name).fit(CODES) for name in CLASSES}


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_keeps_what_is_promised(name, fitted):
    """By the functions below that are promises: they are this test."""
    promise.check(name, fitted=fitted)


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


@promise.of(["BetaDirVB", "CollapsedBinaryICA", "BinaryICA", "DirBetaVB"])
def training_lines_come_back(name):
    rng = np.random.default_rng(7)
    _, _, V = beta_dir.simulate(150, 200, 3, 0.3, 0.3, 0.3, rng)
    codes = V.T if name == "DirBetaVB" else V
    estimator = make(name, max_iter=300).fit(codes)
    assert np.abs(estimator.transform(codes) - estimator.W_).mean() < 0.02
    assert np.abs(estimator.transform_columns(codes) - estimator.H_).mean() < 0.02


# --- What every fold-in promises ---------------------------------------------------------------


@promise
def new_lines_have_the_shapes_and_laws_of_the_factors(name, fitted):
    estimator = fitted[name]
    K = estimator.n_components_ if name in FOUND else 3
    H = estimator.transform_columns(CODES[:, :4])
    assert H.shape == (K, 4)
    assert estimator.predict_columns(CODES[:, :4]).shape == (14, 4)
    if name in OF_ROWS:
        W = estimator.transform(CODES[:5])
        assert W.shape == (5, K)
        expected = estimator.predict_rows(CODES[:5])
        if name not in FOUND:  # of which W does not say all: rows have effects
            np.testing.assert_array_equal(expected, estimator.inverse_transform(W))
        low, high = estimator.likelihood.limits
        assert ((expected > low) & (expected < high)).all()
        if "W" in estimator.distributions:
            np.testing.assert_allclose(W.sum(axis=1), 1)
    if "H" in estimator.distributions:
        np.testing.assert_allclose(H.sum(axis=0), 1)


@promise.of(OF_ROWS)
def a_line_of_which_nothing_is_known_is_predicted_from_the_prior(name, fitted):
    codes = CODES[:3].copy()
    codes[1] = -1
    found = fitted[name].transform(codes)[1]
    expected = {"DirBetaGibbs": 1 / 2, "DirBetaVB": 1 / 2}.get(name, 1 / 3)
    if fitted[name].alignment is Alignment.ROTATION:  # coordinates around 0
        expected = 0
    if name == "DynamicFactorGibbs":  # coordinates around where rows begin on average
        expected = fitted[name].start_mean_
    if name in ("MNB", "MMNB", "FastMMNB"):  # which learn the prior
        prior = fitted[name].weights_ if name == "MNB" else fitted[name].alpha_
        expected = prior / prior.sum()
    if hasattr(fitted[name], "geometric_H_"):  # rates, whose prior mean maximum likelihood has not
        expected = getattr(fitted[name], "mean_W_", 1.0)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("one", "other"), [("BetaDirVB", "DirBetaVB")])
def test_dir_beta_is_beta_dir_of_the_transpose(one, other, fitted):
    beta_dir_fit, dir_beta_fit = fitted[one], make(other).fit(CODES.T)
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


# --- logPCA and LDA ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logistic():
    """A fit that is nowhere separated, and its matrix, with missing entries."""
    rng = np.random.default_rng(3)
    theta = np.outer(rng.uniform(-1.5, 1.5, 60), rng.uniform(-1.5, 1.5, 50)) + rng.uniform(size=50)
    V = (rng.random((60, 50)) < expit(theta)).astype(np.int8)
    V[rng.random(V.shape) < 0.1] = -1
    return nbmf.LogisticPCA(1, deviance_gain_tol=1e-8, max_iter=5000).fit(V), V


def test_a_row_of_logistic_pca_is_a_logistic_regression_on_the_directions(logistic):
    estimator, V = logistic
    W = estimator.transform(V)
    theta = estimator.main_effects_ + W @ estimator.H_
    slope = np.where(V < 0, 0, V - expit(theta)) @ estimator.H_.T
    np.testing.assert_allclose(slope, 0, atol=2e-3)  # of the log-likelihood of each row
    assert np.abs(W).max() < 100


def test_a_column_of_logistic_pca_is_a_logistic_regression_on_the_dictionary(logistic):
    estimator, _ = logistic
    new = (np.random.default_rng(1).random((60, 2)) < 0.5).astype(np.int8)
    new[:10, 0] = -1
    H, expectation = estimator.transform_columns(new), estimator.predict_columns(new)
    for n in range(2):
        seen = new[:, n] >= 0
        regression = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        regression.fit(estimator.W_[seen], new[seen, n])
        np.testing.assert_allclose(H[:, n], regression.coef_[0], atol=2e-3)
        probability = regression.predict_proba(estimator.W_)[:, 1]
        np.testing.assert_allclose(expectation[:, n], probability, atol=2e-3)


def test_a_separated_row_of_logistic_pca_saturates_and_stays_finite(logistic):
    estimator, _ = logistic
    row = (estimator.H_[0] > 0).astype(np.int8)[None]
    W = estimator.transform(row)
    assert np.isfinite(W).all()
    assert np.abs(W).max() > 5 * np.abs(estimator.W_).max()


def test_logistic_pca_folds_in_part_by_part(logistic, monkeypatch):
    estimator, V = logistic
    whole = estimator.transform(V)
    monkeypatch.setattr("nbmf.inference.fold_in.NUMBERS_AT_ONCE", 200)  # four rows
    np.testing.assert_allclose(estimator.transform(V), whole, rtol=1e-6)


def test_documents_of_lda_are_folded_in_as_scikit_learn_does(fitted):
    estimator = fitted["LDA"]
    peer = LatentDirichletAllocation(3)
    peer.components_ = estimator.topic_counts_.T.copy()
    totals = peer.components_.sum(axis=1, keepdims=True)
    peer.exp_dirichlet_component_ = np.exp(digamma(peer.components_) - digamma(totals))
    peer.doc_topic_prior_ = 1 / 3
    new = (CODES[:, :4] == 1).astype(float)
    np.testing.assert_allclose(estimator.transform_columns(new), peer.transform(new.T).T)
    np.testing.assert_allclose(estimator.topic_counts_ / estimator.topic_counts_.sum(axis=0), estimator.W_)


@pytest.mark.parametrize("method", ["transform", "fit_transform", "predict_rows", "score"])
def test_lda_has_nothing_of_new_rows_and_says_why(method, fitted):
    assert not hasattr(fitted["LDA"], method)
    with pytest.raises(NotSupportedError, match=f"LDA has no {method}: rows of V are the vocabul"):
        getattr(fitted["LDA"], method)


# --- Bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("V", "words"),
    [
        (CODES[:, :-1], "X has 10 features, but BetaDirVB is expecting 11 features as input"),
        (CODES[0], r"Reshape your data: V.reshape\(1, -1\) is a matrix of one row"),
        (np.full((1, 11), 2), "row 0, column 0 .*allowed: 0, 1 and missing"),
        (np.full((2, 11), -1), "none of the 22 entries of the matrix is observed"),
    ],
)
def test_rows_that_do_not_fit_are_refused(V, words, fitted):
    with pytest.raises(DataError, match=words):
        fitted["BetaDirVB"].transform(V)


def test_columns_that_do_not_fit_are_refused(fitted):
    with pytest.raises(DataError, match="X has 13 samples, but BetaDirVB is expecting 14 samples"):
        fitted["BetaDirVB"].transform_columns(CODES[1:])


@pytest.mark.parametrize("shape", [(3,), (2, 4)])
def test_rows_of_another_model_cannot_be_turned_back(shape, fitted):
    with pytest.raises(DataError, match=r"W has shape .*: must be \(rows, 3\)"):
        fitted["BetaDirVB"].inverse_transform(np.ones(shape))


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
