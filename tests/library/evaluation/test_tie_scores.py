"""Scores of undirected networks: one probability of each tie, as the structure test and the tables of a fit have it."""

import numpy as np
import pytest

import nbmf
from nbmf.catalogue import METHODS
from nbmf.data.masks import draw_mask, held_out_together
from nbmf.evaluation.tie_scores import are_ties
from nbmf.fit_key import FitKey
from nbmf.seeds import seed_sequence


def network(seed=0, nodes=24):
    """Draw ties between two groups that avoid their own members; the diagonal is missing."""
    rng = np.random.default_rng(seed)
    group = np.arange(nodes) % 2
    ties = np.triu(rng.random((nodes, nodes)) < np.where(group[:, None] == group, 0.1, 0.5), 1)
    codes = (ties | ties.T).astype(np.int8)
    np.fill_diagonal(codes, -1)
    names = [f"node {f}" for f in range(nodes)]
    return nbmf.BinaryMatrix.from_array(codes, names, names)


def test_baselines_of_rows_and_of_columns_are_one_of_ties():
    V = network()
    mask = draw_mask(V, 0.25, np.random.SeedSequence(0), held_out_together(V))
    scores = nbmf.compare(V, ["mnb-rows"], K=[2], masks=[mask]).scores.set_index("method")
    hidden = np.where(mask, -1, V.codes)
    ones, entries = (hidden == 1).sum(axis=1) + 1, (hidden >= 0).sum(axis=1) + 2
    mean = ((ones / entries)[:, None] + ones / entries) / 2
    loss = -np.log(np.where(V.codes == 1, mean, 1 - mean)[mask]).mean()
    for baseline in ("row-proportions", "column-proportions"):
        assert scores.loc[baseline, "perplexity"] == pytest.approx(loss)
        brier = np.square((V.codes == 1) - mean)[mask].mean()
        assert scores.loc[baseline, "brier"] == pytest.approx(brier)


def test_the_mean_of_both_entries_is_scored():
    """MNB of rows predicts the two entries of a pair differently."""
    V = network(1)
    mask = draw_mask(V, 0.25, np.random.SeedSequence(1), held_out_together(V))
    score = nbmf.compare(V, ["mnb-rows"], K=[2], masks=[mask]).scores.iloc[0]
    stream = FitKey("V", "mnb-rows", 2, 0, 0).stream(None)
    settings = METHODS["mnb-rows"]["settings"]
    model = nbmf.MNB(2, **settings, random_state=seed_sequence(*stream)).fit(np.where(mask, -1, V.codes))
    both = (model.expectation_ + model.expectation_.T) / 2
    by_hand = -np.log(np.where(V.codes == 1, both, 1 - both)[mask]).mean()
    one_by_one = -np.log(np.where(V.codes == 1, model.expectation_, 1 - model.expectation_)[mask]).mean()
    assert score["perplexity"] == pytest.approx(by_hand)
    assert abs(by_hand - one_by_one) > 1e-3


def test_other_matrices_and_masks_of_single_entries_are_no_ties():
    V = network()
    mask = draw_mask(V, 0.25, np.random.SeedSequence(0), held_out_together(V))
    assert are_ties(V, mask)
    single = mask.copy()
    single[tuple(np.argwhere(mask)[0])] = False
    assert not are_ties(V, single)
    directed = V.codes.copy()
    directed[0, 1:] = 1 - directed[0, 1:]
    assert not are_ties(nbmf.BinaryMatrix.from_array(directed), mask)
