"""What the fold-in of new rows and columns promises, for every class of means."""

import numpy as np
import pytest
from matrices import blocks_matrix
from promises import Promises
from short_fits import CLASSES, FOUND

import nbmf
from nbmf import registry
from nbmf.errors import DataError, NotSupportedError
from nbmf.inference.declarations import Alignment

BRIEF = {"max_iter": 50, "burn_in": 20, "n_samples": 20}
OF_ROWS = [name for name in CLASSES if registry.scores_entries(name)]


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
        if not estimator.averages_new_rows and not np.any(
            getattr(estimator, "row_effects_", 0)
        ):  # otherwise W does not say all
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
    if fitted[name].prior_name:
        prior = getattr(fitted[name], fitted[name].prior_name)
        expected = prior / prior.sum()
    if hasattr(fitted[name], "geometric_H_"):  # rates, whose prior mean maximum likelihood has not
        expected = getattr(fitted[name], "mean_W_", 1.0)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@promise.of(OF_ROWS)
def rows_without_an_entry_alone_are_as_next_to_others(name, fitted):
    codes = CODES[:3].copy()
    codes[1] = -1
    for method in ("transform", "predict_rows"):
        among_others = getattr(fitted[name], method)(codes)[1:2]
        np.testing.assert_allclose(getattr(fitted[name], method)(codes[1:2]), among_others, atol=1e-12)
    with pytest.raises(DataError, match="none of the 11 entries of the matrix is observed"):
        fitted[name].score(codes[1:2])


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


@promise
def rows_that_the_model_cannot_have_are_not_turned_back(name, fitted):
    """Shares, probabilities and rates below 0 would give probabilities below 0."""
    estimator = fitted[name]
    K = estimator.n_components_
    if K == 0:
        return
    W = np.full((2, K), 1 / K)
    assert np.isfinite(estimator.inverse_transform(W)).all()
    W[1, -1] = np.nan
    with pytest.raises(DataError, match=f"W: row 1, component {K - 1} is nan; allowed: finite numbers"):
        estimator.inverse_transform(W)
    W[1] = [2.0] + [-1.0 / max(K - 1, 1)] * (K - 1)
    low, high = estimator.likelihood.limits
    if estimator.is_nonnegative or isinstance(estimator, nbmf.Stacking):
        with pytest.raises(DataError, match=r"W: row 1, component . is -?.*; allowed: .*, at (least 0|most 1)"):
            estimator.inverse_transform(W)
    else:
        made = estimator.inverse_transform(W)
        assert ((made >= low) & (made <= high)).all()


@pytest.mark.parametrize(
    ("name", "W", "words"),
    [
        ("BetaDirVB", [[0.5, 0.6, 0.0]], "W: row 0 has the sum 1.1; allowed: shares, whose sum is 1"),
        ("DirBetaVB", [[0.5, 0.6, 1.1]], "W: row 0, component 2 is 1.1; allowed: probability of a one, at most 1"),
        ("BernoulliPoissonVB", [[1.0, 9.0, -1e-9]], "W: row 0, component 2 is -1e-09; allowed: rate, at least 0"),
    ],
)
def test_what_rows_may_have_is_said(name, W, words, fitted):
    with pytest.raises(DataError, match=words):
        fitted[name].inverse_transform(W)


def test_shares_that_were_rounded_are_turned_back(fitted):
    W = fitted["BetaDirVB"].transform(CODES)
    rounded = fitted["BetaDirVB"].inverse_transform(W.round(4))
    np.testing.assert_allclose(rounded, fitted["BetaDirVB"].inverse_transform(W), atol=1e-3)
