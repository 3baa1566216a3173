"""Comparisons on matrices without zeros: losses, recall and NDCG against sums by hand."""

import math

import numpy as np
import pytest
import scipy.sparse
from sparse_blocks import N, drawn

import nbmf
from nbmf.catalogue import COMPARED, METHODS
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation import sparse_comparison
from nbmf.evaluation.sparse_comparison import NDCG_AT, RECALL_AT, Mask, rank_scores
from nbmf.registry import make_estimator
from nbmf.reporting.comparison_report import comparison_report
from nbmf.reporting.text import render
from nbmf.seeds import seed_sequence

CODES = drawn(3, 6.0, 0.05)
MATRIX = SparseBinaryMatrix.from_array(CODES)
BRIEF = {
    "bernoulli-poisson-vb-scales": {"K": [2], "settings": {"max_iter": 60}},
    "bernoulli-poisson-gs": {"K": [2], "settings": {"burn_in": 15, "n_samples": 15}},
}


def quiet(V=MATRIX, methods=BRIEF, **options):
    return nbmf.compare(V, methods, **{"masks": 2, "name": "blocks", "log": lambda fit: None, **options})


def by_hand(order, held):
    """recall@20 and NDCG@100 of one row: columns in the order of their scores, and what was held out."""
    places = [place for place, column in enumerate(order) if column in held]
    hits = sum(place < RECALL_AT for place in places)
    gain = sum(1 / math.log2(place + 2) for place in places if place < NDCG_AT)
    best = sum(1 / math.log2(place + 2) for place in range(min(len(held), NDCG_AT)))
    return hits / min(len(held), RECALL_AT), gain / best


@pytest.mark.parametrize("width", [NDCG_AT, NDCG_AT + 7])
def test_recall_and_ndcg_are_those_by_hand(width):
    rng = np.random.default_rng(0)
    wide = 160
    orders = np.array([rng.permutation(wide) for _ in range(9)])
    held = [set(rng.permutation(wide)[:count].tolist()) for count in (1, 2, 5, 19, 20, 21, 99, 101, 140)]
    found = orders[:, :width].copy()
    found[0, 5:] = -1  # no more are left
    orders[0, 5:] = -1
    rows, columns = np.array([(row, column) for row, each in enumerate(held) for column in each]).T
    matrix = scipy.sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(9, wide))
    expected = np.mean([by_hand(order.tolist(), each) for order, each in zip(orders, held, strict=True)], axis=0)
    np.testing.assert_allclose(rank_scores(found, matrix), expected, rtol=1e-12)


@pytest.mark.parametrize("most", [2000, 7])
def test_scores_are_those_of_fits_by_hand(monkeypatch, most):
    monkeypatch.setattr(sparse_comparison, "RANKED_ROWS", most)
    found = quiet().scores
    assert len(found) == 2 * (len(BRIEF) + 2)
    for number in range(2):
        mask = Mask(MATRIX, ["sparse", "mask", "blocks", number])
        f, n = mask.fold.places
        is_one = mask.fold.is_one
        assert (CODES[f, n] == is_one).all()
        training = np.nan_to_num(mask.training.toarray(), nan=-1)
        assert (training[f, n] == -1).all()
        assert ((training == CODES) | (training == -1)).all()
        with_ones = set(f[is_one].tolist())
        assert set(mask.rows.tolist()) <= with_ones
        assert len(mask.rows) == min(most, len(with_ones))
        for name, brief in BRIEF.items():
            entry = METHODS[name]
            settings = entry["settings"] | brief["settings"]
            seed = seed_sequence("fit", "blocks", name, 2, number, 0)
            model = make_estimator(entry["class"], 2, settings, seed).fit(mask.training)
            row = found[(found["method"] == name) & (found["mask"] == number)].iloc[0]
            mean = model.expectation_
            mean[training == 1] = -1  # known, and so not recommended
            scores = [
                by_hand(
                    np.argsort(-mean[row], kind="stable")[: (training[row] != 1).sum()].tolist(),
                    set(n[is_one & (f == row)].tolist()),
                )
                for row in mask.rows
            ]
            np.testing.assert_allclose(
                row[["recall_at_20", "ndcg_at_100"]].astype(float), np.mean(scores, axis=0), rtol=1e-9
            )
            kept = mask.fold.kept_ones / mask.fold.kept_zeros
            p = model.predict(f, n)
            p = p / (p + (1 - p) * kept)
            zeros = (CODES == 0).sum() / (CODES == 1).sum()
            loss = -np.log(p[is_one]).mean() - zeros * np.log1p(-p[~is_one]).mean()
            assert row["perplexity"] == pytest.approx(loss, rel=1e-9)
            assert row["n_test"] == f.size


def test_baselines_are_the_proportion_of_ones_and_popularity():
    found = quiet().scores.set_index(["method", "mask"])
    ones, entries = (CODES == 1).sum(), (CODES >= 0).sum()
    share = ones / entries
    for number in range(2):
        overall, popularity = (found.loc[(name, number)] for name in ("overall-proportion", "popularity"))
        expected = -math.log(share) - (1 - share) / share * math.log1p(-share)
        assert overall["perplexity"] == pytest.approx(expected, rel=0.02)
        assert popularity["perplexity"] < overall["perplexity"]
        assert 0 < popularity["recall_at_20"] <= 1
        assert math.isnan(overall["recall_at_20"])
        mask = Mask(MATRIX, ["sparse", "mask", "blocks", number])
        of_columns = np.nan_to_num(mask.training.toarray()).sum(axis=0)
        order = [np.argsort(-of_columns, kind="stable").tolist() for _ in mask.rows]
        training = np.nan_to_num(mask.training.toarray())
        f, n = mask.fold.places
        scores = [
            by_hand([c for c in each if not training[row, c]], set(n[mask.fold.is_one & (f == row)].tolist()))
            for row, each in zip(mask.rows, order, strict=True)
        ]
        # The order of columns is that of their ones, but for what is missing of them.
        np.testing.assert_allclose(
            popularity[["recall_at_20", "ndcg_at_100"]].astype(float), np.mean(scores, axis=0), atol=0.06
        )


def test_components_beat_popularity_where_there_are_blocks_and_the_report_says_so():
    found = quiet(methods={"bernoulli-poisson-vb-scales": {"K": [2]}}, masks=3)
    means = found.scores.groupby("method")[["perplexity", "recall_at_20", "ndcg_at_100"]].mean()
    assert means.loc["bernoulli-poisson-vb-scales", "perplexity"] < means.loc["popularity", "perplexity"] - 0.05
    assert (means.loc["bernoulli-poisson-vb-scales"] > means.loc["popularity"])[["recall_at_20", "ndcg_at_100"]].all()
    said = " ".join(render(comparison_report(found, next_command=lambda *_: "")).split())
    assert "Held-out log loss of blocks over 3 masks: nats per one, smaller is better" in said
    assert "recall@20 NDCG@100 seconds" in said
    assert "recall and NDCG are of held-out ones among the first 20 and the first 100 columns" in said
    assert "nats per one, mean over 3 masks" in said
    assert "row and column popularity" in said


def test_where_popularity_predicts_better_it_is_said():
    flat = SparseBinaryMatrix.from_array(drawn(5, 1.0))
    found = quiet(flat, {"bernoulli-poisson-vb": {"K": [6], "settings": {"max_iter": 200}}}, masks=3)
    said = found.recommendation.sentence
    assert "But on average" in said
    assert "row and column popularity" in said
    assert "predict as well or better, without components" in said


def test_sparse_matrices_of_any_kind_give_the_same_and_defaults_are_those_of_the_catalogue():
    places = np.nonzero(CODES)
    other = scipy.sparse.coo_array((np.where(CODES[places] < 0, np.nan, 1.0), places), CODES.shape)
    one, two = (quiet(V, masks=1, n_jobs=jobs).scores.drop(columns="seconds") for V, jobs in ((MATRIX, 1), (other, 2)))
    assert one.equals(two)
    assert set(COMPARED["SparseBinaryMatrix"]) <= METHODS.keys()
    third = quiet(masks=1, seed=1).scores["perplexity"]
    is_alike = np.isclose(third, one["perplexity"])
    assert is_alike.tolist() == (one["method"] == "overall-proportion").tolist()


def test_pairs_of_a_network_are_held_out_together():
    half = np.triu(drawn(2, 8.0)[:N], 1)
    mask = Mask(SparseBinaryMatrix.from_array(half + half.T), ["a network"])
    training = np.nan_to_num(mask.training.toarray(), nan=-1)
    np.testing.assert_array_equal(training, training.T)
    held = np.zeros((N, N), bool)
    held[mask.rows] = mask._held.toarray() != 0
    np.testing.assert_array_equal(held, held.T)


def test_the_loss_of_an_undirected_network_is_that_of_both_directions_of_its_ties():
    """By one of them it would depend on the order of the nodes, and be another one than that of the structure test."""
    half = np.triu(drawn(2, 8.0)[:N], 1)
    mask = Mask(SparseBinaryMatrix.from_array(half + half.T), ["a network"])
    model = nbmf.BernoulliPoissonVB(2, max_iter=30, relative_gain_tol=0, random_state=0).fit(mask.training)
    f, n = mask.fold.places
    assert np.abs(model.predict(f, n) - model.predict(n, f)).max() > 1e-4
    both = mask.loss((model.predict(f, n) + model.predict(n, f)) / 2)
    assert mask.scores(model)["perplexity"] == pytest.approx(both, rel=1e-12)


@pytest.mark.parametrize("is_directed", [False, True])
def test_rows_of_a_network_are_not_recommended_to_themselves(is_directed):
    half = np.triu(drawn(2, 8.0)[:N], 1)
    codes = np.maximum(drawn(2, 8.0)[:N], np.eye(N, dtype=np.int8)) if is_directed else half + half.T
    names = [f"p{n}" for n in range(N)] if is_directed else None
    mask = Mask(SparseBinaryMatrix.from_array(codes, names, names), ["a network"])
    model = nbmf.BernoulliPoissonVB(2, max_iter=30, relative_gain_tol=0, random_state=0).fit(mask.training)
    training, mean = np.nan_to_num(mask.training.toarray(), nan=-1), model.expectation_
    mean[(training == 1) | (np.eye(N) == 1)] = -1
    f, n = mask.fold.places[:, mask.fold.is_one]
    held = np.zeros((N, N), bool)
    held[f, n] = f != n
    if not is_directed:
        held |= held.T
    assert held[mask.rows].any(axis=1).all()
    orders = [np.argsort(-row, kind="stable")[: (row >= 0).sum()].tolist() for row in mean[mask.rows]]
    expected = [by_hand(order, set(np.flatnonzero(each))) for order, each in zip(orders, held[mask.rows], strict=True)]
    scores = mask.scores(model)
    np.testing.assert_allclose([scores["recall_at_20"], scores["ndcg_at_100"]], np.mean(expected, axis=0), rtol=1e-9)


def test_a_fit_that_fails_says_why_and_the_others_go_on(monkeypatch):
    real = sparse_comparison.make_estimator

    def failing(class_name, K, settings, *others):
        if class_name == "BernoulliPoissonGibbs" and others:
            raise ValueError("no luck")
        return real(class_name, K, settings, *others)

    monkeypatch.setattr(sparse_comparison, "make_estimator", failing)
    found = quiet().scores
    failed = found[found["method"] == "bernoulli-poisson-gs"]
    assert (failed["status"] == "ValueError: no luck").all()
    assert failed["perplexity"].isna().all()
    assert found[found["method"] != "bernoulli-poisson-gs"]["perplexity"].notna().all()


@pytest.mark.parametrize(
    ("methods", "options", "error", "message"),
    [
        ({"bica": {"K": [2]}}, {}, DataError, "BinaryICA takes no sparse matrix"),
        (BRIEF, {"masks": [CODES == 1]}, ConfigError, "masks = "),
        ({"bernoulli-poisson-vb": {"starts": 3}}, {}, ConfigError, "starts = 3: must be 1 for a sparse matrix"),
    ],
)
def test_what_is_not_allowed_is_named(methods, options, error, message):
    with pytest.raises(error, match=message):
        quiet(methods=methods, **options)
