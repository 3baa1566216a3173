"""Matrices of ordered categories, their loss, and predictions of them without components."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.baseline_names import BASELINES_OF_CATEGORIES
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.baselines import baseline_score, baselines_of, comparison_baselines, predict_baseline, take_entries
from nbmf.likelihoods.ordered import ORDERED

RANKS = np.array([[0, 3, 2], [1, -1, 2], [3, 1, 0]])
ANSWERS = pd.CategoricalDtype(["never", "seldom", "often", "always"], ordered=True)


# --- The matrix --------------------------------------------------------------------------------


def test_a_matrix_of_categories_is_made_saved_and_cut(tmp_path):
    matrix = CategoryMatrix.from_array(np.where(RANKS < 0, np.nan, RANKS), list("abc"), list("xyz"))
    np.testing.assert_array_equal(matrix.ranks, RANKS)
    assert matrix.ranks.dtype == np.int8
    assert matrix.counts() == {"rows": 3, "columns": 3, "categories": 4, "observed": 8, "missing": 1}
    matrix.save(tmp_path / "matrix.npz")
    loaded = load_matrix(tmp_path / "matrix.npz")
    assert type(loaded) is nbmf.CategoryMatrix
    np.testing.assert_array_equal(loaded.T.ranks, RANKS.T)
    np.testing.assert_array_equal(matrix.above(1).codes, np.where(RANKS < 0, -1, RANKS > 1))


def test_frames_of_ordered_categories_are_read_by_their_order():
    frame = pd.DataFrame(
        {"x": ["never", "seldom", None], "y": ["always", "often", "never"]}, index=["a", "b", "c"]
    ).astype(ANSWERS)
    expected = [[0, 3], [1, 2], [-1, 0]]
    matrix = CategoryMatrix.from_frame(frame)
    np.testing.assert_array_equal(matrix.ranks, expected)
    assert list(matrix.row_names) == ["a", "b", "c"]
    np.testing.assert_array_equal(ORDERED.values_of(frame), expected)
    model = nbmf.OrdinalFactorGibbs(1, burn_in=1, n_samples=1, n_categories=4).fit(frame)
    assert list(model.column_names_) == ["x", "y"]
    numbers = pd.DataFrame({"x": [0, 2], "y": [1.0, np.nan]})
    np.testing.assert_array_equal(ORDERED.values_of(numbers), [[0, 1], [2, -1]])


@pytest.mark.parametrize(
    "other",
    [
        pd.CategoricalDtype(ANSWERS.categories[::-1], ordered=True),
        pd.CategoricalDtype(ANSWERS.categories, ordered=False),
        object,
    ],
)
def test_columns_of_other_categories_are_refused(other):
    frame = pd.DataFrame({"x": ["never", "often"], "y": ["often", "never"]}).astype({"x": ANSWERS, "y": other})
    for read in (CategoryMatrix.from_frame, ORDERED.values_of):
        with pytest.raises(DataError, match=r"column 'y' is of type .*the same categories in the same order"):
            read(frame)


def test_too_many_categories_are_refused():
    many = pd.DataFrame({"x": pd.Categorical(range(128), ordered=True)})
    with pytest.raises(DataError, match="there are 128 categories; allowed: at most 127"):
        ORDERED.values_of(many)


@pytest.mark.parametrize("wrong", [0.5, -2, 127, np.inf])
def test_values_that_are_no_categories_are_named(wrong):
    with pytest.raises(DataError, match=r"row 0, column 1 .*: the value is .*; allowed: categories .* from 0 to 126"):
        ORDERED.values_of([[0, wrong], [1, 2]])
    with pytest.raises(DataError, match=r"row 'a', column 'y': the value is"):
        ORDERED.values_of(pd.DataFrame({"x": [0.0], "y": [wrong]}, index=["a"]))


def test_other_kinds_of_values_are_refused():
    with pytest.raises(DataError, match="a CategoryMatrix is needed, not a CountMatrix"):
        ORDERED.values_of(CountMatrix.from_array([[1, 2]]))
    with pytest.raises(DataError, match="none of the 2 entries of the matrix is observed"):
        ORDERED.values_of([[-1, np.nan]])
    np.testing.assert_array_equal(ORDERED.values_of(BinaryMatrix.from_array([[1, 0]])), [[1, 0]])


# --- The loss ----------------------------------------------------------------------------------


def test_categories_are_scored_by_their_probabilities():
    rng = np.random.default_rng(0)
    loss_at = ORDERED.loss_at(RANKS, RANKS >= 0)
    p = rng.dirichlet(np.ones(4), size=8)
    expected = [-np.log(p[i, RANKS[f, n]]) for i, (f, n) in enumerate(np.argwhere(RANKS >= 0))]
    loss = loss_at(p)
    assert loss.total == pytest.approx(sum(expected), rel=1e-12)
    assert (loss.entries, loss.saturated) == (8, 0)
    assert loss_at.further_scores(p) == {}
    np.testing.assert_allclose(ORDERED.losses(RANKS[RANKS >= 0], p), expected, rtol=1e-12)


def test_a_category_that_was_not_foreseen_is_saturated():
    loss = ORDERED.loss_at(RANKS, RANKS == 3)(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert (loss.entries, loss.saturated) == (2, 2)
    assert loss.perplexity == pytest.approx(53 * np.log(2))
    np.testing.assert_allclose(ORDERED.losses(np.array([3]), np.array([[0.5, 0.5]])), 53 * np.log(2))


def test_missing_categories_cannot_be_scored():
    with pytest.raises(DataError, match="1 of those to score are missing in the matrix"):
        ORDERED.loss_at(RANKS, np.ones((3, 3), bool))
    with pytest.raises(DataError, match="nothing to score"):
        ORDERED.loss_at(RANKS, np.zeros((3, 3), bool))(np.empty((0, 4)))
    hidden = ORDERED.hide(RANKS.astype(np.int8), RANKS == 3)
    assert (ORDERED.is_observed(hidden) == (RANKS >= 0) & (RANKS != 3)).all()


# --- Baselines ---------------------------------------------------------------------------------


def test_frequencies_are_those_of_columns_rows_or_all():
    """(how many + 1) / (entries + categories)."""
    expected = {
        "overall-frequencies": lambda f, n: RANKS,
        "column-frequencies": lambda f, n: RANKS[:, n],
        "row-frequencies": lambda f, n: RANKS[f],
    }
    assert {*expected, "column-effects"} == set(BASELINES_OF_CATEGORIES) == set(baselines_of(ORDERED))
    for name, of in expected.items():
        found = predict_baseline(name, RANKS)
        assert found.shape == (3, 3, 4)
        for f, n in np.ndindex(3, 3):
            seen = of(f, n)[of(f, n) >= 0]
            np.testing.assert_allclose(found[f, n], [((seen == c).sum() + 1) / (seen.size + 4) for c in range(4)])
        np.testing.assert_array_equal(take_entries(found, np.array([2]), np.array([1])), found[2, 1][None])


def table(F=40, N=12, seed=0):
    rng = np.random.default_rng(seed)
    psi = 2 * rng.normal(size=(F, 1)) @ rng.normal(size=(1, N)) + rng.logistic(size=(F, N))
    return CategoryMatrix.from_array(np.digitize(psi, [-1.5, 0.0, 1.5]))


def test_baselines_are_scored_on_what_is_held_out():
    matrix, mask = table(), np.random.default_rng(1).random((40, 12)) < 0.2
    assert comparison_baselines(matrix, [ORDERED]) == BASELINES_OF_CATEGORIES
    p = predict_baseline("column-frequencies", np.where(mask, -1, matrix.ranks))
    expected = -np.log(np.take_along_axis(p, matrix.ranks[..., None].astype(int), 2)[..., 0][mask]).mean()
    score = baseline_score("column-frequencies", matrix, mask)
    assert score["perplexity"] == pytest.approx(expected, rel=1e-12)
    assert (score["n_test"], np.isnan(score["brier"])) == (mask.sum(), True)


def entry(**settings):
    settings = {"burn_in": 30, "n_samples": 60, "n_categories": 4} | settings
    return {"class": "OrdinalFactorGibbs", "label": "ordinal", "K": [1], "settings": settings}


def test_ordinal_factors_are_compared_with_frequencies():
    methods = {"columns": entry(), "shared": entry(cut_points="shared", effects="columns", effect_scale="learned")}
    found = nbmf.compare(table(), methods, masks=2, n_jobs=1, log=lambda line: None)
    scores = found.scores.groupby("method")["perplexity"].mean()
    assert set(scores.index) == {*methods, *BASELINES_OF_CATEGORIES}
    assert max(scores[name] for name in methods) < min(scores[name] for name in BASELINES_OF_CATEGORIES) - 0.03
    with pytest.raises(ConfigError, match=r"takes a CategoryMatrix .* a CountMatrix"):
        nbmf.compare(table(), {"columns": entry(), "poisson-gamma-vb": {}}, masks=1, log=lambda line: None)


def test_whether_categories_have_structure_is_reported():
    found = nbmf.verdict(table(), nbmf.OrdinalFactorGibbs(1, burn_in=20, n_samples=40, n_categories=4, random_state=0))
    assert found.found
    assert {gain.baseline for gain in found.gains} == set(BASELINES_OF_CATEGORIES)
    noise = CategoryMatrix.from_array(np.random.default_rng(3).integers(0, 4, (20, 10)))
    model = nbmf.OrdinalFactorGibbs(1, burn_in=20, n_samples=40, n_categories=4, random_state=0)
    assert not nbmf.verdict(noise, model).found


def test_baselines_know_the_highest_category_where_it_is_held_out():
    """It has one more entry than it was seen in, of as many more as there are categories, and is not impossible.

    With effects of columns that is so of all columns together.
    """
    ranks = np.random.default_rng(4).integers(0, 4, (30, 15))
    ranks[3, 5] = 4
    mask = np.zeros(ranks.shape, bool)
    mask[3, 5] = True
    scores = {name: baseline_score(name, CategoryMatrix.from_array(ranks), mask) for name in BASELINES_OF_CATEGORIES}
    seen = {"overall-frequencies": 30 * 15 - 1, "column-frequencies": 29, "row-frequencies": 14}
    for name in seen:
        assert scores[name]["perplexity"] == pytest.approx(np.log(seen[name] + 5), rel=1e-12)
    assert scores["column-effects"]["perplexity"] == pytest.approx(np.log(30 * 15 - 1 + 5), rel=0.1)
    model = nbmf.OrdinalFactorVB(1, n_categories=5, max_iter=5, random_state=0)
    found = nbmf.verdict(CategoryMatrix.from_array(ranks), model)
    assert max(gain.loss for gain in found.gains) < 2.0


def test_a_fold_of_moving_rows_knows_the_highest_category():
    ranks = np.random.default_rng(5).integers(0, 2, (12, 8))
    ranks[0, 0] = 2
    V = CategoryMatrix.from_array(ranks, None, [f"q{n} {2000 + n // 4}" for n in range(8)])
    for periods in (r"\d+$", np.arange(8) // 4):
        model = nbmf.DynamicOrdinalFactorGibbs(1, periods=periods, burn_in=5, n_samples=5, random_state=0)
        assert model.for_matrix(V).n_categories == 3
