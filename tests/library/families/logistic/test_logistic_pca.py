"""logPCA: its likelihood, its axes, when it stops, and new rows and columns."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.special import expit
from short_fits import CODES, Recorder, assert_same_bits, make
from sklearn.linear_model import LogisticRegression

import nbmf
from nbmf.errors import ConfigError
from nbmf.likelihoods.bernoulli import loss_of
from nbmf_studies.pipeline.raw_files import source_location
from nbmf_studies.recipes import parliament


def test_logistic_pca_needs_no_seed():
    one, other = (make("LogisticPCA", random_state=seed).fit(CODES) for seed in (0, None))
    assert_same_bits(one, other)


def test_logistic_pca_needs_fewer_components_than_lines():
    assert make("LogisticPCA", K=10).fit(CODES).active_components_ == 10
    with pytest.raises(ConfigError, match=r"n_components = 11: .*\(14, 11\) allows 1 to 10"):
        make("LogisticPCA", K=11).fit(CODES)


def test_a_monitor_sees_where_logistic_pca_stops():
    recorder = Recorder(every=3)
    estimator = make("LogisticPCA", max_iter=500, deviance_gain_tol=1e-2).fit(CODES, monitor=recorder)
    assert estimator.converged_
    assert recorder.iterations[-1] == estimator.n_iter_ < 500
    np.testing.assert_array_equal(recorder.expectations[-1], estimator.expectation_)


@pytest.mark.parametrize("codes", [CODES, CODES.T, np.maximum(CODES, 0)], ids=["F > N", "F < N", "complete"])
def test_logistic_pca_never_gets_worse(codes):
    recorder = Recorder(every=1)
    estimator = make("LogisticPCA", max_iter=100, deviance_gain_tol=0).fit(codes, monitor=recorder)
    likelihood = np.array(recorder.objectives)
    assert len(likelihood) > 50
    assert (np.diff(likelihood) > -1e-9 * np.abs(likelihood[:-1])).all()
    final = loss_of(codes, estimator.expectation_, codes >= 0).total
    np.testing.assert_allclose(-likelihood[-1], final, rtol=1e-9)


@pytest.mark.parametrize("codes", [CODES, CODES.T], ids=["F > N", "F < N"])
def test_logistic_pca_explains_its_expectation(codes):
    estimator = make("LogisticPCA").fit(codes)
    W, H = estimator.W_, estimator.H_
    assert estimator.main_effects_.shape == (codes.shape[1],)
    np.testing.assert_allclose(estimator.expectation_, expit(estimator.main_effects_ + W @ H), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(H @ H.T, np.eye(3), atol=1e-9)
    gram = W.T @ W
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-8 * gram.max())
    assert (np.diff(np.diag(gram)) < 0).all()  # the strongest component first


def test_logistic_pca_stops_when_the_deviance_stands_still():
    recorder = Recorder(every=1)
    estimator = make("LogisticPCA", max_iter=1000, deviance_gain_tol=1e-3).fit(CODES, monitor=recorder)
    deviance = -np.array(recorder.objectives) / np.count_nonzero(CODES >= 0)
    gains = -np.diff(deviance)
    assert estimator.converged_
    assert gains[-1] < 1e-3 <= gains[3:-1].min()


def test_logistic_pca_goes_on_as_long_as_it_gains_tol():
    class Deviances(Recorder):
        def __call__(self, iteration, total, state):
            self.objectives.append(state.now.mean_deviance)

    recorder = Deviances(every=1)
    make("LogisticPCA", deviance_gain_tol=0).fit(CODES, monitor=recorder)
    gains = -np.diff(recorder.objectives)  # of iterations 2, 3, ...
    assert (np.diff(gains) < 0).all()
    assert make("LogisticPCA", deviance_gain_tol=gains[8]).fit(CODES).n_iter_ == 11


@pytest.fixture(scope="module")
def catalan_parliament():
    """The whole parliament matrix, from the bundled raw files."""
    root = Path(__file__).resolve().parents[4]
    sources = yaml.safe_load((root / "config/sources.yaml").read_text(encoding="utf-8"))["sources"]
    paths = {
        role: root / "data/mirror" / source_location(sources[f"parliament_{role}"])["path"]
        for role in ("follows", "parties")
    }
    return parliament.build(**paths)


def test_logistic_pca_has_the_published_likelihood_and_range(catalan_parliament):
    """Known values of a fit that depends on no random start; the paper prints 1,783."""
    estimator = nbmf.LogisticPCA(8).fit(catalan_parliament)
    codes = catalan_parliament.codes
    loss = loss_of(codes, estimator.expectation_, codes >= 0).total
    assert estimator.converged_
    assert loss == pytest.approx(1782.8, abs=0.05)
    # [-207.2, 217.9], up to the sign of each component.
    W = estimator.W_
    extremes = np.concatenate([W.max(axis=0), -W.min(axis=0)])
    assert np.sort(extremes)[-2:] == pytest.approx([207.2, 217.9], abs=0.05)


# --- New rows and columns --------------------------------------------------------------------


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
    monkeypatch.setattr("nbmf.inference.blocks.NUMBERS_AT_ONCE", 200)  # four rows
    np.testing.assert_allclose(estimator.transform(V), whole, rtol=1e-6)


@pytest.mark.parametrize("K", [2, 6])
def test_a_line_that_nothing_is_known_of_has_no_part_in_logistic_pca(K):
    V = np.random.default_rng(0).integers(0, 2, (9, 8)).astype(float)
    few = nbmf.LogisticPCA(min(K, 6), max_iter=50).fit(np.delete(np.delete(V, 4, axis=0), [1], axis=1))
    V[4] = V[:, 1] = np.nan
    fitted = nbmf.LogisticPCA(K, max_iter=50).fit(V)
    assert not fitted.W_[4].any()
    assert not fitted.H_[:, 1].any()
    np.testing.assert_allclose(np.delete(np.delete(fitted.expectation_, 4, axis=0), 1, axis=1), few.expectation_)
    np.testing.assert_allclose(fitted.expectation_[4], expit(fitted.main_effects_))
    np.testing.assert_allclose(fitted.predict([0, 3], [1, 1]), 0.5)
    np.testing.assert_array_equal(fitted.transform(V)[4], fitted.W_[4])


@pytest.mark.parametrize("observed", [(3, 8), (8, 2), (1, 8), (1, 1)])
def test_logistic_pca_fits_fewer_observed_lines_than_components(observed):
    rows, columns = observed
    V = np.full((9, 8), np.nan)
    V[:rows, :columns] = np.random.default_rng(0).integers(0, 2, observed)
    fitted = nbmf.LogisticPCA(6, max_iter=50).fit(V)
    assert (fitted.W_.shape, fitted.H_.shape) == ((9, 6), (6, 8))
    assert not fitted.W_[:, min(observed) :].any()
    right = np.where(V == 1, fitted.expectation_, 1 - fitted.expectation_)
    assert (right[~np.isnan(V)] > 0.9).all()
    assert np.isfinite(fitted.transform(V)).all()
