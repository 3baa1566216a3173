"""The verdict on matrices without zeros: what is held out, how it is weighted, what is found."""

import math

import numpy as np
import pytest
import scipy.sparse
from sparse_blocks import N, drawn

import nbmf
from nbmf.data.matrix import MISSING
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.evaluation import sampled_entries
from nbmf.evaluation.sampled_entries import ONE_COMPONENT, POPULARITY, Fold, SampledEntries, SampleMeasure, sample_folds
from nbmf.evaluation.verdict import candidates, choose
from nbmf.inference import folds
from nbmf.seeds import child


def symmetric(seed):
    """Draw an undirected network, some of it missing."""
    codes = np.triu(drawn(seed, 4.0, 0.05)[:N, :N], 1)
    return codes + codes.T


# --- What is held out --------------------------------------------------------------------------


@pytest.mark.parametrize("in_pairs", [False, True])
def test_tenths_of_the_ones_and_as_many_zeros_are_held_out_none_twice(in_pairs):
    codes = symmetric(1) if in_pairs else drawn(1, 4.0, 0.05)
    matrix = SparseBinaryMatrix.from_array(codes)
    units = np.triu(np.ones(codes.shape, bool), 1) if in_pairs else np.ones(codes.shape, bool)
    n_ones, n_zeros = (np.count_nonzero(units & (codes == code)) for code in (1, 0))
    drawn_folds = list(sample_folds(matrix, np.random.default_rng(0), in_pairs))
    assert len(drawn_folds) == 10
    held = np.zeros(codes.shape, int)
    for fold in drawn_folds:
        f, n = fold.places
        assert (codes[f, n] == fold.is_one).all()
        assert units[f, n].all()
        ones = np.count_nonzero(fold.is_one)
        assert ones in (n_ones // 10, n_ones // 10 + 1)
        assert fold.kept_ones == pytest.approx(1 - ones / n_ones)
        assert fold.kept_zeros == pytest.approx(1 - (fold.is_one.size - ones) / n_zeros)
        held[f, n] += 1
    assert held.max() == 1
    assert (held[units & (codes == 1)] == 1).all()
    assert held[codes == 0].sum() == min(n_ones, n_zeros // 2)
    training = sampled_entries.training_matrix(matrix, drawn_folds[0], in_pairs).toarray()
    expected = np.where(codes == MISSING, np.nan, codes)
    f, n = drawn_folds[0].places
    expected[f, n] = np.nan
    if in_pairs:
        expected[n, f] = np.nan
    np.testing.assert_array_equal(training, expected)


def test_zeros_are_drawn_evenly():
    """Of 2400 x 30 draws each zero has its share; chi square of 1 % false alarms."""
    codes = drawn(2, 1.0, 0.1)
    matrix, counts = SparseBinaryMatrix.from_array(codes), np.zeros(codes.shape)
    rng = np.random.default_rng(3)
    for _ in range(300):
        for fold in sample_folds(matrix, rng):
            counts[tuple(fold.places[:, ~fold.is_one])] += 1
    zeros = codes == 0
    assert counts[~zeros].sum() == 0
    rate, n = counts[zeros].mean(), zeros.sum()
    share = rate / 300  # without replacement: the variance is that of a coin
    squares = ((counts[zeros] - rate) ** 2).sum() / (300 * share * (1 - share))
    assert abs(squares - n) < 2.6 * math.sqrt(2 * n)


def test_large_matrices_have_one_fold_and_small_ones_are_refused(monkeypatch):
    matrix = SparseBinaryMatrix.from_array(drawn(4, 4.0))
    monkeypatch.setattr(folds, "ENTRIES_HELD_OUT", 60)
    assert len(list(sample_folds(matrix, np.random.default_rng(0)))) == 2
    few = SparseBinaryMatrix.from_array(np.eye(19, dtype=np.int8))
    with pytest.raises(DataError, match="19 ones and 342 zeros: to hold some out takes 20 of each"):
        list(sample_folds(few, np.random.default_rng(0)))


# --- How it is weighted ------------------------------------------------------------------------


def test_the_chance_of_a_one_is_made_up_for_those_held_out():
    """By Bayes' rule, of entries that were drawn, left, and seen."""
    chance, kept_ones, kept_zeros = 0.3, 0.6, 0.95
    seen = chance * kept_ones / (chance * kept_ones + (1 - chance) * kept_zeros)
    fold = Fold(np.zeros((2, 2), int), np.array([True, False]), kept_ones, kept_zeros)
    np.testing.assert_allclose(fold.losses(np.full(2, seen)), [-math.log(chance), -math.log(1 - chance)], rtol=1e-12)


def losses_of_all(codes, seed):
    """Return the measure of a sample that is the whole matrix, and losses."""
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero(codes != MISSING)
    is_one = codes[rows, columns] == 1
    ratio = np.count_nonzero(~is_one) / np.count_nonzero(is_one)
    return SampleMeasure(rows, columns, is_one, ratio), rng.exponential(size=rows.size)


def test_a_sample_of_everything_is_the_sum_over_everything():
    measure, losses = losses_of_all(drawn(5, 2.0, 0.1), 0)
    ones = np.count_nonzero(measure.is_one)
    assert measure.mean(losses) == pytest.approx(losses.sum() / ones, rel=1e-12)


def test_the_error_is_that_of_weighted_sums_over_rows_and_columns():
    measure, losses = losses_of_all(drawn(6, 2.0, 0.1), 1)
    ones = np.count_nonzero(measure.is_one)
    part = np.empty(losses.size)
    for kind, weight in ((True, 1 / ones), (False, measure.zeros_per_one / (losses.size - ones))):
        chosen = measure.is_one == kind
        part[chosen] = weight * (losses[chosen] - losses[chosen].mean())
    variances = []
    for lines in (measure.rows, measure.columns, np.arange(losses.size)):
        names = sorted(set(lines.tolist()))
        total = sum(part[lines == name].sum() ** 2 for name in names)
        variances.append(total * len(names) / (len(names) - 1))
    row, column, entry = variances
    expected = math.sqrt(max(row + column - entry, row, column, entry))
    assert measure.error(losses) == pytest.approx(expected, rel=1e-10)
    assert measure.degrees_of_freedom(losses) == min(len(set(measure.rows)), len(set(measure.columns))) - 1


def test_errors_tell_how_far_samples_of_one_matrix_lie_apart():
    """Of losses that rows and columns share: within a fifth of the spread of 400 samples."""
    codes = drawn(7, 2.0)
    matrix, rng = SparseBinaryMatrix.from_array(codes), np.random.default_rng(8)
    table = rng.exponential(size=codes.shape)
    ones, zeros = np.count_nonzero(codes == 1), np.count_nonzero(codes == 0)
    means, errors = [], []
    for _ in range(400):
        fold = next(sample_folds(matrix, rng))
        losses = table[tuple(fold.places)]
        measure = SampleMeasure(*fold.places, fold.is_one, zeros / ones)
        means.append(measure.mean(losses))
        errors.append(measure.error(losses))
    whole = table[codes == 1].mean() + zeros / ones * table[codes == 0].mean()
    assert np.mean(means) == pytest.approx(whole, abs=4 * np.std(means) / 20)
    assert 0.8 < np.mean(errors) / np.std(means) < 1.3


# --- What is found -----------------------------------------------------------------------------


def test_a_verdict_is_that_of_fits_by_hand():
    codes = drawn(9, 6.0, 0.05)
    matrix = SparseBinaryMatrix.from_array(codes)
    model = nbmf.BernoulliPoissonVB(2, max_iter=40, relative_gain_tol=0, random_state=3)
    found = nbmf.verdict(matrix, model, seed=5)
    again = nbmf.verdict(scipy.sparse.csr_array(np.where(codes < 0, np.nan, codes)), model, seed=5)
    assert found == again
    rng = np.random.default_rng(nbmf.seeds.seed_sequence("verdict", "sample", 5))
    of_ones, of_zeros = ({name: [] for name in ("own", "share", "popularity")} for _ in range(2))
    n_ones, n_zeros = np.count_nonzero(codes == 1), np.count_nonzero(codes == 0)
    for number, fold in enumerate(sample_folds(matrix, rng)):
        training = np.where(codes == MISSING, np.nan, codes)
        training[tuple(fold.places)] = np.nan
        seed = child(np.random.SeedSequence(3), "verdict", number)
        fit = nbmf.BernoulliPoissonVB(2, max_iter=40, relative_gain_tol=0, random_state=seed)
        fit.fit(scipy.sparse.csr_array(training))
        share = np.full(fold.is_one.size, np.nansum(training) / np.sum(~np.isnan(training)))
        seed = child(np.random.SeedSequence(5), "verdict", number)
        one = nbmf.BernoulliPoissonVB(1, **sampled_entries.ONE_COMPONENT, random_state=seed)
        one.fit(scipy.sparse.csr_array(training))
        seen_by = {"own": fit.predict(*fold.places), "share": share}
        for name, seen in {**seen_by, "popularity": one.predict(*fold.places)}.items():
            odds = seen / (1 - seen) * fold.kept_zeros / fold.kept_ones
            of_ones[name] += (np.log1p(1 / odds))[fold.is_one].tolist()
            of_zeros[name] += (np.log1p(odds))[~fold.is_one].tolist()
    loss = {k: np.mean(of_ones[k]) + n_zeros / n_ones * np.mean(of_zeros[k]) for k in of_ones}
    gains = {gain.baseline: gain for gain in found.gains}
    assert found.loss == pytest.approx(loss["own"], rel=1e-10)
    assert gains["overall-proportion"].loss == pytest.approx(loss["share"], rel=1e-10)
    assert gains["popularity"].loss == pytest.approx(loss["popularity"], rel=1e-10)
    assert gains["overall-proportion"].mean == pytest.approx(loss["share"] - loss["own"], rel=1e-9)
    assert found.unit == "one"
    assert (found.entries, found.folds) == (len(of_ones["own"]) + len(of_zeros["own"]), 10)
    assert found.observed == n_ones + n_zeros


@pytest.mark.statistics
def test_structure_is_found_beyond_popularity_and_nothing_where_there_is_popularity_alone(quick_choice):
    """Of eight matrices without structure more than two have a false alarm of 5 % once in 170 times."""
    settings = {"max_iter": 60, "relative_gain_tol": 0, "random_state": 0}
    found = {}
    for strength, matrices in ((8.0, 3), (1.0, 8)):
        verdicts = [
            nbmf.verdict(SparseBinaryMatrix.from_array(drawn(seed, strength)), nbmf.BernoulliPoissonVB(2, **settings))
            for seed in range(matrices)
        ]
        found[strength] = [one.found for one in verdicts]
        assert {gain.baseline for gain in verdicts[0].gains} == {"overall-proportion", "popularity"}
    assert sum(found[1.0]) <= 2
    assert all(found[8.0])
    assert "nats per one" in str(verdicts[0])
    best = min(verdicts[0].gains, key=lambda gain: gain.loss)
    assert best.baseline == "popularity"


def test_pairs_of_a_network_count_once():
    codes = symmetric(10)
    model = nbmf.BernoulliPoissonVB(2, max_iter=20, relative_gain_tol=0, random_state=0)
    found = nbmf.verdict(SparseBinaryMatrix.from_array(codes), model)
    above = np.triu(np.ones(codes.shape, bool), 1)
    assert found.observed == np.count_nonzero(above & (codes != MISSING))


def test_a_pair_of_which_one_entry_is_missing_is_hidden_on_both_sides():
    codes = symmetric(1)
    f, n = np.argwhere(np.triu(codes == 1))[0]
    codes[n, f] = MISSING
    matrix = SparseBinaryMatrix.from_array(codes)
    split = sampled_entries.SampledEntries(matrix, [nbmf.BernoulliPoissonVB(2)], 0)
    assert split.in_pairs
    (fold,) = (fold for fold in split.folds if (np.array([f, n]) == fold.places.T).all(axis=1).any())
    training = split.training(fold).toarray()
    assert np.isnan(training[[f, n], [n, f]]).all()


def test_a_tie_of_a_sparse_network_is_predicted_by_the_mean_of_both_directions():
    model = nbmf.BernoulliPoissonVB(2, max_iter=20, relative_gain_tol=0, random_state=0)
    for codes, both in ((symmetric(10), True), (drawn(11, 8.0), False)):
        matrix = SparseBinaryMatrix.from_array(codes)
        split = sampled_entries.SampledEntries(matrix, [model], 0)
        fold = split.folds[0]
        model.fit(split.training(fold))
        rows, columns = fold.places
        predicted = model.predict(rows, columns)
        if both:
            predicted = (predicted + model.predict(columns, rows)) / 2
        np.testing.assert_array_equal(split.method_losses(fold, model), fold.losses(predicted))


def test_the_sampler_is_tried_too_and_others_are_refused():
    assert [type(one).__name__ for one in candidates(SparseBinaryMatrix.from_array(np.eye(3)))] == [
        "BernoulliPoissonVB",
        "BernoulliPoissonGibbs",
    ]
    matrix = SparseBinaryMatrix.from_array(drawn(11, 8.0))
    tried = [
        nbmf.BernoulliPoissonVB(2, max_iter=1, relative_gain_tol=0, random_state=0),
        nbmf.BernoulliPoissonGibbs(2, burn_in=60, n_samples=60, random_state=0),
    ]
    chosen = choose(matrix, tried)
    assert chosen.index == 1
    assert chosen.verdict.others[0].what.startswith("Bernoulli-Poisson VB")
    assert chosen.verdict.chance == 0.025
    for other in (nbmf.BetaDirVB(2), nbmf.PoissonGammaVB(2)):
        with pytest.raises(DataError, match=f"{type(other).__name__} takes no sparse matrix"):
            nbmf.verdict(matrix, other)


def test_popularity_as_a_baseline_has_heavy_tails():
    """One component without scales predicts popularities that follow a power law worse: others would seem to lead."""
    rng = np.random.default_rng(0)
    shares = [np.arange(1.0, size + 1) ** -0.7 for size in (3000, 1500)]
    places = [rng.choice(len(each), 30_000, p=each / each.sum()) for each in shares]
    V = scipy.sparse.csr_array((np.ones(30_000), places), shape=(3000, 1500)).sign()
    light = nbmf.BernoulliPoissonVB(1, **ONE_COMPONENT | {"scales": "none"}, random_state=0)
    entries = SampledEntries(V, [light], 0)
    fold = entries.folds[0]
    training = entries.training(fold)
    measure = entries.measure()
    heavy = measure.mean(entries.baseline_losses(fold, training, 0)[POPULARITY])
    assert heavy < measure.mean(entries.method_losses(fold, light.fit(training))) - 0.005


def test_the_error_of_a_network_is_that_of_its_nodes():
    rng = np.random.default_rng(4)
    rows, columns = np.triu_indices(12, 1)
    is_one, losses = rng.random(rows.size) < 0.5, rng.exponential(size=rows.size)
    measure = SampleMeasure(rows, columns, is_one, 1.0, is_network=True)
    order = rng.permutation(12)
    ends = np.sort(np.stack([order[rows], order[columns]]), axis=0)
    assert SampleMeasure(*ends, is_one, 1.0, is_network=True).error(losses) == pytest.approx(measure.error(losses))
    assert measure.degrees_of_freedom(losses) == 11
    assert measure.error(losses) != SampleMeasure(rows, columns, is_one, 1.0).error(losses)


def test_the_losses_of_a_symmetric_matrix_are_measured_in_pairs():
    ones = scipy.sparse.coo_array(np.triu(np.random.default_rng(5).random((60, 60)) < 0.2, 1).astype(int))
    names = [f"n{i}" for i in range(60)]
    directed = SparseBinaryMatrix.from_sparse(ones.tocsr(), names, names)
    for V, is_network in (((ones + ones.T).tocsr(), True), (ones.tocsr(), False), (directed, True)):
        split = SampledEntries(V, [nbmf.BernoulliPoissonVB(2)], 0)
        assert split.measure().is_network is is_network
