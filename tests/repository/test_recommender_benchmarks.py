"""The comparisons of recommenders and of popularity: their folds, scores and choice of settings."""

import subprocess

import numpy as np
import pytest
import scipy.sparse as sparse
from tiny_benchmarks import column

import large
import peers
import popularity
import recommender_worker
import recommenders
from nbmf.evaluation.sparse_comparison import rank_scores


def test_popularity_compared_with_factors():
    """An area under the curve by pairs; an inner fold has nothing of what is held out; every method has a row."""
    rng = np.random.default_rng(0)
    ones, zeros = rng.integers(0, 6, 9), rng.integers(0, 5, 7)
    pairs = np.sign(ones[:, None] - zeros).mean() / 2 + 0.5
    assert popularity.auc(ones, zeros) == pytest.approx(pairs, rel=1e-12)
    outer = large.split(large.drawn(large.Size(60, 40, 300, 2))[0])
    inner = popularity.inner(outer)
    before, now = (np.nan_to_num(part.V.toarray(), nan=-1) for part in (outer, inner))
    assert (now[before == -1] == -1).all()
    assert (before[tuple(inner.ones)] == 1).all()
    assert (before[tuple(inner.zeros)] == 0).all()
    assert (now[tuple(inner.ones)] == -1).all()
    found, of_shapes = popularity.run(popularity.Run(large.Size(60, 40, 300, 2), 6))
    assert len(found.rows) == 2 + len(list(popularity.methods(6)))
    assert column(found, "")[6] == "bernoulli-poisson-vb-scales"
    assert column(of_shapes, "shapes of W and H")[2:] == [
        "1 and 2",
        "2 and 2",
        "4 and 4",
        "learned, by source",
        "learned, by all",
    ]
    ended = list(zip(column(of_shapes, "median of W"), column(of_shapes, "of H"), strict=True))
    assert ended[2] == ("1.00", "2.00")
    assert ended[2] not in ended[-2:]


SPARSE = large.drawn(large.Size(60, 40, 500, 2))[0]


def fold_of_sparse():
    return recommenders.fold_of(SPARSE, sparse.csr_array(SPARSE.shape), "test")


def test_what_recommenders_do_not_see():
    """Held-out ones are no training ones; zeros are no ones of the whole matrix; weights make up for both."""
    V, fold = SPARSE.toarray(), fold_of_sparse()
    ones, zeros = fold.places[:, : fold.n_ones], fold.places[:, fold.n_ones :]
    assert fold.n_ones == 50
    assert V[tuple(ones)].all()
    assert not fold.ones.toarray()[tuple(ones)].any()
    assert not V[tuple(zeros)].any()
    assert fold.ones.sum() == 450
    assert fold.zeros * zeros.shape[1] == pytest.approx((V == 0).sum())
    assert (fold.held().sum(axis=1) > 0).all()
    hidden = sparse.csr_array(SPARSE - fold.ones)
    hidden.eliminate_zeros()
    inner = recommenders.fold_of(fold.ones, hidden, "test, inner")
    assert not V[tuple(inner.places[:, inner.n_ones :])].any()
    assert inner.zeros * (inner.places.shape[1] - inner.n_ones) == pytest.approx((V == 0).sum())


def test_the_loss_of_recommenders_is_that_of_the_whole_matrix():
    """A constant chance has a loss that can be told: of nine tenths of the ones a training matrix says p."""
    fold, p = fold_of_sparse(), 0.2
    loss = recommenders.losses(fold, np.full(fold.places.shape[1], (1 - recommenders.HELD_OUT) * p)).sum() / fold.n_ones
    n_zeros = SPARSE.shape[0] * SPARSE.shape[1] - SPARSE.nnz
    assert loss == pytest.approx(-np.log(p) - n_zeros / SPARSE.nnz * np.log1p(-p), rel=1e-12)


def test_calibrated_chances_add_up_and_keep_the_order():
    """Sums of chances are those of the ones, but for the half entries; a score without meaning has one chance."""
    rng = np.random.default_rng(5)
    fold = fold_of_sparse()
    scores = rng.normal(size=fold.places.shape[1]) + 3 * (np.arange(fold.places.shape[1]) < fold.n_ones)
    zeros = scores.size - fold.n_ones
    chances = recommenders.calibration(fold, scores)(scores)
    assert (np.diff(chances[np.argsort(scores)]) >= 0).all()
    weight = np.where(np.arange(scores.size) < fold.n_ones, 9, fold.zeros)
    assert weight @ chances == pytest.approx(fold.ones.sum(), rel=0.1)
    same = recommenders.calibration(fold, np.ones(scores.size))(np.ones(3))
    ones, zeros = (fold.n_ones + 1) * 9, (zeros + 1) * weight[-1]  # half entries of two classes, one of them empty
    np.testing.assert_allclose(same, ones / (ones + zeros))


def test_scores_of_recommenders():
    """The first value is of all rows: the area under the curve by pairs, means over rows, sums of losses."""
    rng = np.random.default_rng(5)
    fold = fold_of_sparse()
    rates = rng.integers(1, 5, fold.places.shape[1]) / 10
    found = np.array([rng.permutation(SPARSE.shape[1]) for _ in fold.rows])
    scores = recommenders.Scores(fold, rates, found, True, lambda given: given, 400)
    ones, zeros = rates[: fold.n_ones], rates[fold.n_ones :]
    assert scores.values["AUC"][0] == pytest.approx(popularity.auc(ones, zeros), rel=1e-12)
    assert scores.values["NDCG@100"][0] == pytest.approx(rank_scores(found, fold.held()).ndcg, rel=1e-12)
    assert scores.values["recall@20"][0] == pytest.approx(rank_scores(found, fold.held()).recall, rel=1e-12)
    loss = recommenders.losses(fold, 1 - np.exp(-rates)).sum() / fold.n_ones
    assert scores.values["own loss"][0] == pytest.approx(loss, rel=1e-12)
    assert all(values[1:].std() > 0 for values in scores.values.values())
    assert scores.values["own loss"][1:].mean() == pytest.approx(loss, rel=0.05)


def test_recommended_columns_are_the_best_that_are_no_ones():
    rng = np.random.default_rng(5)
    ones = sparse.csr_matrix(SPARSE)
    A, B = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    rows = np.array([3, 17])
    found = recommender_worker.Factors(A, B).recommended(ones, rows)
    for row, columns in zip(rows, found, strict=True):
        unknown = np.flatnonzero(SPARSE.toarray()[row] == 0)
        expected = unknown[np.argsort(-(A[row] @ B[unknown].T), kind="stable")]
        np.testing.assert_array_equal(columns[columns >= 0], expected)
    places = np.array([[3, 4], [5, 6]])
    np.testing.assert_allclose(recommender_worker.Factors(A, B).scores(places), (A @ B.T)[tuple(places)])


@pytest.mark.workflow
def test_recommenders_compared(monkeypatch):
    """A peer that fails is skipped, and the others are compared."""

    def missing(peer):
        raise peers.PeerMissingError(f"{peer} cannot be installed: no index")

    monkeypatch.setattr(recommenders, "python_of", missing)
    chosen = [recommenders.VB._replace(settings=recommenders.VB.settings[:2]), *recommenders.METHODS[2:4]]
    table = recommenders.comparison_table("tiny", SPARSE, 2, tuple(chosen))
    assert column(table, "method") == [recommenders.VB.name, "popularity", "hpfrec"]
    assert column(table, "AUC")[-1] == "skipped: hpfrec cannot be installed: no index"
    assert " to " in column(table, "NDCG@100")[1]
    assert " to " not in column(table, "NDCG@100")[0]


def test_our_fits_score_as_they_predict():
    ones = sparse.csr_matrix(SPARSE)
    fitted = recommender_worker.nbmf(ones, 2, 1, "BernoulliPoissonGibbs", burn_in=5, n_samples=5)
    places = np.array([[3, 4], [5, 6]])
    np.testing.assert_allclose(1 - np.exp(-fitted.scores(places)), fitted.model.predict(*places))
    found = fitted.recommended(ones, np.array([3]))[0]
    chances = fitted.model.predict(np.full(40, 3), np.arange(40))
    unknown = np.flatnonzero(SPARSE.toarray()[3] == 0)
    np.testing.assert_array_equal(found[found >= 0], unknown[np.argsort(-chances[unknown], kind="stable")])


def test_settings_are_chosen_on_the_inner_fold(monkeypatch):
    """The first settings are best on the outer fold, the second on the inner one, by which they are chosen."""
    inner, outer = fold_of_sparse(), recommenders.fold_of(SPARSE, sparse.csr_array(SPARSE.shape), "another")

    def stand_in(fold, method, settings, K, threads=1):
        is_good = (fold is inner) == settings["second"]
        order = 1.0 if is_good else -1.0
        scores = 0.5 + 0.1 * order * (np.arange(fold.places.shape[1]) < fold.n_ones)
        held = fold.held().toarray()
        found = np.argsort(-order * held, axis=1, kind="stable")
        return recommenders.Fit(1.0, 1.0, scores, found)

    monkeypatch.setattr(recommenders, "fit", stand_in)
    method = recommenders.METHODS[3]._replace(settings=({"second": False}, {"second": True}))
    found = recommenders.outcome(method, inner, outer, 2)
    assert found.settings == {"second": True}
    assert found.of["AUC"].values["AUC"][0] == 0.0  # as it is on the outer fold
    rates = stand_in(outer, method, found.settings, 2).scores
    loss = recommenders.losses(outer, 1 - np.exp(-rates)).sum() / outer.n_ones
    assert found.of["own loss"].values["own loss"][0] == pytest.approx(loss)  # the smaller one was chosen


def test_the_package_index_is_a_matrix(monkeypatch):
    """Versions, alternatives and architectures are left out; a dependency of one package alone is no column."""
    index = (
        "Package: a\nDepends: libc (>= 2), x | y\nSize: 1\n\nPackage: b\nDepends: libc:any, y\n"
        "Description: text\n Depends: no\n\nPackage: c\nDepends: z\n\nPackage: d\nSize: 3\n"
    )
    ran = subprocess.CompletedProcess([], 0, stdout=index)
    monkeypatch.setattr(recommenders.subprocess, "run", lambda *args, **kwargs: ran)
    np.testing.assert_array_equal(recommenders.debian().toarray(), np.ones((2, 2)))  # a, b need libc, y

    def absent(*args, **kwargs):
        raise FileNotFoundError("apt-cache")

    monkeypatch.setattr(recommenders.subprocess, "run", absent)
    assert recommenders.debian() is None
