"""What the fold-in of new rows and columns promises, for every class of means."""

import numpy as np
import pytest
from matrices import blocks_matrix
from promises import Promises
from short_fits import CLASSES, FOUND

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
        if not np.any(getattr(estimator, "row_effects_", 0)):  # otherwise W does not say all
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
