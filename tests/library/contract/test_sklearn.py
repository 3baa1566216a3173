"""scikit-learn's own checks of estimators, run on every method; what cannot apply, and why.

The checks feed continuous numbers, and V is binary. A subclass that is for these tests alone cuts
each feature at its mean in the data of the fit; all else reaches the method as it is.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from matrices import classes_of_means
from short_fits import QUICK_MEMBERS
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import nbmf
import nbmf.errors
from nbmf import registry
from nbmf.inference.parameters import TOLERANCES
from nbmf.likelihoods.bernoulli import BERNOULLI

BRIEF = {"max_iter": 20, "burn_in": 10, "n_samples": 10, **dict.fromkeys(TOLERANCES, 0)}
BRIEF["members"] = QUICK_MEMBERS
BRIEF["penalty"] = 1.0  # no search
K = {"LogisticPCA": 1}  # of a matrix with two columns; it needs fewer components than columns

OWN_WORDS = "the error is a DataError (a ValueError) that names the entry and what is allowed"
NEEDS_TWO = "the check sets n_components = 1, and Dir-Dir needs two: a zero takes two components"
EVERY = {"check_dtype_object": f"a value that is no number: {OWN_WORDS}; the check wants TypeError"}
WITH_ONE_COMPONENT = (
    "check_dont_overwrite_parameters",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
)
EXPECTED_FAILURES = {name: dict.fromkeys(WITH_ONE_COMPONENT, NEEDS_TWO) for name in ("DirDirGibbs", "DirDirVB")}


class Cutting(type(BERNOULLI)):
    """The Bernoulli likelihood, but that values are cut as an estimator says, and scored as its own likelihood does."""

    def __init__(self, cut, own):
        self._cut, self.loss_at, self.limits = cut, own.loss_at, own.limits

    def values_of(self, V):
        return super().values_of(self._cut(V))

    def sparse_values_of(self, V):
        return super().sparse_values_of(V > 0.5)


class NotOfNewRows:
    """Hides `predict`, which takes rows and columns of the fitted matrix: the checks pass X."""

    def __get__(self, instance, owner):
        raise AttributeError("docs/api.md says why")


class Binary:
    """Cuts features at their means in the data of the fit, and leaves what it cannot cut alone."""

    predict = NotOfNewRows()

    @property
    def likelihood(self):
        return Cutting(self._cut, super().likelihood)

    def fit(self, X, y=None):
        self._thresholds = None
        values = self._numbers(X)
        if values is not None:
            self._thresholds = np.nanmean(values, axis=0)
        return super().fit(X, y)

    def _cut(self, X):
        values = self._numbers(X)
        if values is None:
            return X
        if values.shape[1] != len(self._thresholds):
            return np.zeros(values.shape)
        return np.where(np.isnan(values), np.nan, values > self._thresholds)

    @staticmethod
    def _numbers(X):
        """Return a table of numbers; None if X is none, or is empty."""
        if getattr(getattr(X, "dtype", None), "kind", "") == "c":
            return None
        try:
            values = np.asarray(X, dtype=float)
        except (TypeError, ValueError):
            return None
        return values if values.ndim == 2 and values.size else None


CLASSES = {name: type(name, (Binary, getattr(nbmf, name)), {}) for name in classes_of_means()}
for made in CLASSES.values():
    made.__module__ = __name__  # where pickle finds them
globals().update(CLASSES)


def make(name):
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    return CLASSES[name](n_components=K.get(name, 2), **brief)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore:.*does not inherit from `sklearn.base.BaseEst.*")
def test_checks_of_scikit_learn(name, monkeypatch):
    """All of them, in one test: those that fail are those that are expected to."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would be skipped
    expected = EVERY | EXPECTED_FAILURES.get(name, {})
    results = check_estimator(make(name), expected_failed_checks=expected, on_fail=None)
    failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
    assert failed == {}
    assert {each["check_name"] for each in results if each["status"] == "xfail"} == set(expected)
    assert sum(each["status"] == "passed" for each in results) > 30
    check_clone(name)


def check_clone(name):
    """Check that a clone has the parameters and nothing that was learned."""
    V, _ = two_kinds()
    fitted = make(name).set_params(random_state=3).fit(V)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "H_")


def test_the_documentation_lists_the_checks_that_fail():
    """A line of the table: a check, the methods, and the reason in the words given here."""
    text = (Path(__file__).parents[3] / "docs/api.md").read_text(encoding="utf-8")
    table = set(re.findall(r"^\| `(check_\w+)` \| (\w+) \| (.+) \|$", text, re.MULTILINE))
    expected = {(check, "all", why) for check, why in EVERY.items()}
    for name, failures in EXPECTED_FAILURES.items():
        expected |= {(check, name, why) for check, why in failures.items()}
    assert table == expected


# --- In the company of scikit-learn -----------------------------------------------------------


def two_kinds(F=60, N=20):
    rng = np.random.default_rng(0)
    kind = np.arange(F) % 2
    return (rng.random((F, N)) < np.where(kind[:, None] == np.arange(N) % 2, 0.8, 0.2)) * 1, kind


def test_a_pipeline_learns_from_what_transform_returns():
    V, kind = two_kinds()
    pipeline = make_pipeline(nbmf.CollapsedBinaryICA(2, max_iter=100, random_state=0), LogisticRegression())
    assert pipeline.fit(V[:40], kind[:40]).score(V[40:], kind[40:]) > 0.9


def test_a_score_hides_all_answers_to_a_question():
    """At random answers more components cannot be better; the other answers of a question would give each away."""
    drawn = np.random.default_rng(5).integers(3, size=(150, 8))
    V = np.concatenate([np.eye(3)[answers] for answers in drawn.T], axis=1)
    one, many = (nbmf.BetaDirVB(K, random_state=0, max_iter=100).fit(V[:75]).score(V[75:]) for K in (1, 16))
    assert many < one


def test_a_grid_search_chooses_by_score():
    V, _ = two_kinds()
    search = GridSearchCV(nbmf.CollapsedBinaryICA(max_iter=50, random_state=0), {"n_components": [1, 2]}, cv=2)
    assert search.fit(V).best_params_ == {"n_components": 2}


def test_matrices_with_names_are_cross_validated_as_arrays():
    """A part of the rows may have columns without an observed entry, which no matrix with names has."""
    V = two_kinds()[0].astype(float)
    V[:, 0] = np.nan
    V[0, 0] = 1
    model = nbmf.BetaDirVB(2, max_iter=30, random_state=0)
    scores = cross_val_score(model, nbmf.BinaryMatrix.from_array(V), cv=3, error_score="raise")
    np.testing.assert_array_equal(scores, cross_val_score(model, V, cv=3, error_score="raise"))
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_rows_of_ordered_categories_know_those_that_only_others_have():
    """The highest one is in the last rows alone, and the first column has an entry in the first row alone."""
    ranks = np.array([[0, 1, 0, 1], [-1, 0, 1, 0], [-1, 2, 1, 0], [-1, 2, 1, 1]])
    matrix = nbmf.CategoryMatrix(ranks, list("abcd"), list("pqrs"), categories=["no", "perhaps", "yes"])
    model = nbmf.OrdinalFactorVB(1, max_iter=20, random_state=0)
    scores = cross_val_score(model, matrix, cv=2, error_score="raise")
    given = clone(model).set_params(n_categories=3)
    np.testing.assert_array_equal(scores, cross_val_score(given, ranks, cv=2, error_score="raise"))
    assert np.isfinite(scores).all()
    assert model.fit(matrix[:2]).categories_.tolist() == ["no", "perhaps", "yes"]
    assert type(matrix[0]) is type(matrix.ranks)
    assert matrix[0, 1] == 1


def test_sparse_matrices_with_names_are_refused_in_words_when_they_are_cross_validated():
    model = nbmf.BernoulliPoissonVB(2, max_iter=5, random_state=0)
    with pytest.raises(nbmf.errors.DataError, match="V is sparse; score holds out zeros too"):
        cross_val_score(model, nbmf.SparseBinaryMatrix.from_array(np.eye(6, dtype=int)), cv=2, error_score="raise")


def test_rows_of_sparse_matrices_are_those_of_scipy():
    codes = np.array([[1, 0, -1], [0, 1, 1]])
    rows = nbmf.SparseBinaryMatrix.from_array(codes)[[1, 0]]
    np.testing.assert_array_equal(rows.toarray(), [[0, 1, 1], [1, 0, np.nan]])


@pytest.mark.parametrize("name", ["CollapsedBinaryICA", "BernoulliPoissonVB"])
def test_a_grid_search_does_not_end_at_the_largest_number_of_components(name):
    """Entries of new rows are predicted from others of the rows: three groups are enough for that."""
    rng = np.random.default_rng(0)
    W, H = rng.dirichlet([0.2] * 3, 120), rng.beta(0.3, 0.3, (3, 30))
    V = (rng.random((120, 30)) < W @ H).astype(int)
    search = GridSearchCV(getattr(nbmf, name)(max_iter=60, random_state=0), {"n_components": [1, 3, 12]}, cv=2).fit(V)
    assert search.best_params_ == {"n_components": 3}
    model = search.best_estimator_
    losses = model.likelihood.losses(V.astype(model.values_of(V).dtype).ravel(), model.predict_rows(V).ravel())
    assert model.score(V) < -losses.mean()  # what was folded in is predicted too well


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, nbmf.SparseBinaryMatrix.from_array])
def test_sparse_rows_are_not_scored(kind):
    V = kind(np.eye(6, dtype=int))
    model = nbmf.BernoulliPoissonVB(2, max_iter=5, random_state=0)
    with pytest.raises(nbmf.errors.NotFittedError):
        model.score(V)
    with pytest.raises(nbmf.errors.DataError, match=r"holds out zeros too, .*; nbmf\.compare takes sparse matrices"):
        model.fit(V).score(V)


def test_an_estimator_that_is_not_fitted_is_reported_by_scikit_learn_and_by_nbmf():
    estimator = nbmf.BetaDirVB()
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    with pytest.raises(nbmf.errors.NotFittedError, match=r"this BetaDirVB is not fitted yet: call"):
        estimator.transform([[0, 1]])
    assert not hasattr(estimator, "components_")


def test_tables_of_transform_for_those_who_ask():
    V = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (12, 6)), [f"r{f}" for f in range(12)], list("abcdef"))
    model = nbmf.BetaDirVB(n_components=2, max_iter=20, random_state=0).fit(V)
    assert model.get_feature_names_out().tolist() == ["betadirvb0", "betadirvb1"]
    plain = model.transform(V)
    assert isinstance(plain, np.ndarray)
    table = model.set_output(transform="pandas").transform(V)
    assert table.index.tolist() == V.index.tolist()
    assert table.columns.tolist() == ["betadirvb0", "betadirvb1"]
    np.testing.assert_array_equal(table, plain)
    assert clone(model).fit(V).transform(V).columns.tolist() == table.columns.tolist()
    assert model.transform(nbmf.BinaryMatrix.from_frame(V)).index.tolist() == V.index.tolist()
    assert model.set_output(transform=None).transform(V) is not plain
    assert isinstance(model.set_output(transform="default").transform(V), np.ndarray)
    with pytest.raises(nbmf.errors.ConfigError, match="transform = 'polars': must be one of default, pandas"):
        model.set_output(transform="polars")
    with pytest.raises(nbmf.errors.NotFittedError):
        nbmf.BetaDirVB().get_feature_names_out()
    with config_context(transform_output="pandas"):
        assert isinstance(clone(nbmf.BetaDirVB(2, max_iter=9, random_state=0)).fit_transform(V), pd.DataFrame)
    pipeline = make_pipeline(nbmf.BetaDirVB(2, max_iter=9, random_state=0)).set_output(transform="pandas")
    assert pipeline.fit(V).get_feature_names_out().tolist() == ["betadirvb0", "betadirvb1"]


@pytest.mark.parametrize("name", ["BetaDirVB", "PoissonGammaVB"])
@pytest.mark.parametrize("path", ["votes.csv", Path("votes.csv")])
def test_a_path_in_the_place_of_a_matrix_says_what_to_do(name, path):
    with pytest.raises(nbmf.errors.DataError, match=r"V is a path, 'votes.csv': nbmf.read\('votes.csv'\) gives"):
        getattr(nbmf, name)().fit(path)
