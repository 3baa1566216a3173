"""Whether there is structure: the verdict, its baselines and its standard error."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from shares_only import KINDS, questions_only, shares_only

import nbmf
from nbmf.analysis import estimate as estimate_module
from nbmf.baseline_names import BASELINES, BASELINES_OF_CATEGORIES, BASELINES_OF_COUNTS, OVERDISPERSED_BASELINES
from nbmf.catalogue import CANDIDATES
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import MISSING
from nbmf.data.symmetry import is_symmetric
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.accuracy import accuracy
from nbmf.evaluation.baselines import LABELS, OF_ROWS, baseline_score, predict_baseline, take_entries
from nbmf.evaluation.effects import row_and_column_effects
from nbmf.evaluation.gains import gain_over, gains_of, leave_out_if_decisive
from nbmf.evaluation.held_out import EntryMeasure, HeldOutLosses, held_out_losses
from nbmf.evaluation.margin_test import MarginTest
from nbmf.evaluation.stacked import Stacked
from nbmf.evaluation.structure_result import Gain, OtherView, Verdict
from nbmf.evaluation.verdict import CHANCE, _near_the_best, _predicting_view, candidates, choose, method_to_show
from nbmf.inference.declarations import View
from nbmf.inference.folds import folds
from nbmf.numerics.clustered_errors import clustered_error, format_error
from nbmf.seeds import seed_sequence

SHAPES = [(18, 14), (150, 12)]


def planted(F, N, strength, seed):
    """Draw a matrix of two kinds of rows, which differ in half of the columns."""
    rng = np.random.default_rng([F, N, seed])
    kind = rng.integers(0, 2, (F, 1))
    side = np.where(np.arange(N) % 2, strength, -strength)
    return (rng.random((F, N)) < expit(np.where(kind, side, -side))).astype(np.int8)


# Baselines.


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_does_not_see_what_is_held_out(name):
    V = shares_only(20, 9, "rows and columns", 2)
    mask = np.random.default_rng(0).random(V.shape) < 0.3
    flipped = np.where(mask, 1 - V, V)
    hidden = [np.where(mask, -1, values).astype(np.int8) for values in (V, flipped)]
    np.testing.assert_array_equal(predict_baseline(name, hidden[0]), predict_baseline(name, hidden[1]))
    p = predict_baseline(name, hidden[0])
    by_hand = -np.log(np.where(V == 1, p, 1 - p))[mask].mean()
    matrix = nbmf.BinaryMatrix.from_array(V)
    assert baseline_score(name, matrix, mask)["perplexity"] == pytest.approx(by_hand)


def test_baselines_of_rows_are_those_that_predict_rows_differently():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.linspace(0.5, 6, 12)[:, None] * np.linspace(1, 2, 5))
    of_kinds = (counts > 2, BASELINES), (counts, BASELINES_OF_COUNTS | OVERDISPERSED_BASELINES)
    for values, names in (*of_kinds, (counts.clip(0, 3), BASELINES_OF_CATEGORIES)):
        for name in names:
            predicted = take_entries(predict_baseline(name, values.astype(int)), np.array([0, 11]), np.array([2, 2]))
            mean = np.asarray(predicted[0] if isinstance(predicted, tuple) else predicted)
            assert (name in OF_ROWS) == bool(np.abs(mean[0] - mean[1]).max() > 0.05), name
    assert set(OF_ROWS) <= set(LABELS)


def test_degrees_of_freedom_count_the_lines_with_losses():
    losses = np.zeros((9, 6))
    assert EntryMeasure().degrees_of_freedom(losses) == 5
    losses[:, 2:5], losses[0] = np.nan, np.nan
    assert EntryMeasure().degrees_of_freedom(losses) == 2
    pairs = np.where(np.triu(np.ones((7, 7)), 1) > 0, 0.0, np.nan)
    assert EntryMeasure(True, True).degrees_of_freedom(pairs) == 6
    pairs[:, 6] = np.nan
    assert EntryMeasure(True, True).degrees_of_freedom(pairs) == 5


def test_the_baseline_of_effects_is_what_they_predict():
    V = shares_only(20, 9, "rows and columns", 2)
    np.testing.assert_array_equal(predict_baseline("effects", V), row_and_column_effects(V))


# The standard error.


def test_the_error_of_independent_entries_is_the_usual_one():
    values = np.random.default_rng(0).normal(size=(300, 200))
    assert clustered_error(values) == pytest.approx(values.std() / np.sqrt(values.size), rel=0.25)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_error_knows_that_entries_of_a_line_go_together(axis):
    """Means of 400 matrices spread as it says, five times as much as of independent entries."""
    rng = np.random.default_rng(axis)
    means, errors = [], []
    for _ in range(400):
        lines = rng.normal(size=(60, 1) if axis else (1, 60))
        values = np.broadcast_to(lines, (60, 60)) + rng.normal(size=(60, 60))
        values = np.where(rng.random(values.shape) < 0.2, np.nan, values)
        means.append(np.nanmean(values))
        errors.append(clustered_error(values))
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.15)


ROWS_OF = np.array([[3.0], [-1.0], [-2.0]])
BOTH = ROWS_OF + np.array([2.0, -3, 0, 1])


@pytest.mark.parametrize(
    ("values", "largest"),
    [
        (BOTH, "sum"),
        (np.broadcast_to(ROWS_OF, (3, 4)), "rows"),  # columns add up to nothing
        (np.broadcast_to(ROWS_OF, (3, 4)).T, "columns"),
        (np.array([[1.0, -1, 1, -1], [-1, 1, -1, 1]]), "entries"),  # and rows too
        (np.pad(np.where(BOTH == 3, np.nan, BOTH), 1, constant_values=np.nan), "sum"),
    ],
)
def test_the_error_is_that_of_two_ways_of_clusters(values, largest):
    """With loops, and n / (n - 1) for the lines, or entries, that have a value."""
    seen = [(f, n) for f in range(values.shape[0]) for n in range(values.shape[1]) if not np.isnan(values[f, n])]
    mean = sum(values[cell] for cell in seen) / len(seen)
    variances = {}
    for name, group in (("rows", 0), ("columns", 1), ("entries", None)):
        sums = {}
        for cell in seen:
            key = cell if group is None else cell[group]
            sums[key] = sums.get(key, 0.0) + values[cell] - mean
        total = sum(each**2 for each in sums.values())
        variances[name] = total * len(sums) / (len(sums) - 1)
    variances["sum"] = variances["rows"] + variances["columns"] - variances["entries"]
    assert variances[largest] == max(variances.values())
    expected = np.sqrt(variances[largest]) / len(seen)
    assert clustered_error(values) == pytest.approx(expected, rel=1e-12)


# Folds.


@pytest.mark.parametrize(("shape", "count", "held_out"), [((18, 14), 10, 252), ((80, 60), 5, 2400)])
def test_folds_hold_out_every_entry_or_enough_of_them(shape, count, held_out):
    codes = (np.indices(shape).sum(axis=0) % 2).astype(np.int8)
    drawn = np.array(list(folds(codes, np.random.default_rng(0))))
    assert len(drawn) == count
    assert drawn.sum(axis=0).max() == 1
    assert drawn.sum() == held_out


def test_as_many_entries_as_it_takes_are_enough():
    codes = np.zeros((4, 5), np.int8)
    assert np.sum(list(folds(codes, np.random.default_rng(0)))) == 20
    codes[0, 4] = -1
    with pytest.raises(DataError, match=r"^19 observed entries: to hold some out takes 20$"):
        next(folds(codes, np.random.default_rng(0)))


def test_a_single_entry_has_no_mirror_image():
    everywhere = np.ones((2, 2), bool)
    assert is_symmetric(np.eye(2), everywhere)
    assert not is_symmetric(np.eye(1), everywhere[:1, :1])
    assert not is_symmetric(np.eye(2, k=1), everywhere)


@pytest.mark.parametrize(
    ("ones", "missing", "count"),
    [(0.5, 0.0, 1), (0.2, 0.0, 1), (0.03, 0.0, 6), (0.97, 0.0, 6), (0.03, 0.5, 10), (0.001, 0.0, 10)],
)
def test_of_rare_values_enough_are_held_out(ones, missing, count):
    """Of 30,000 entries a fold holds 3,000; of 3 % ones these are 90."""
    rng = np.random.default_rng(1)
    codes = np.where(rng.random((300, 100)) < missing, -1, rng.random((300, 100)) < ones).astype(np.int8)
    assert len(list(folds(codes, np.random.default_rng(0)))) == count
    matrix = nbmf.BinaryMatrix.from_array(codes)
    assert estimate_module._number_of_folds(matrix) == count


def test_a_pair_with_one_entry_counts_by_its_value():
    """Of 4,005 pairs that are zeros but for some, half of which lack the upper entry, no fold has 500 ones."""
    rng = np.random.default_rng(2)
    upper = np.triu(rng.random((90, 90)) < 0.02, k=1)
    codes = (upper | upper.T).astype(np.int8)
    assert len(list(folds(codes, np.random.default_rng(0), in_pairs=True))) == 10
    codes[np.triu(rng.random((90, 90)) < 0.5, k=1)] = -1
    assert len(list(folds(codes, np.random.default_rng(0), in_pairs=True))) == 10


def test_folds_never_hold_out_a_missing_entry():
    codes = shares_only(20, 20, "equal", 0)
    codes[::3] = -1
    assert not any((mask & (codes < 0)).any() for mask in folds(codes, np.random.default_rng(0)))


def test_answers_to_one_question_are_held_out_together():
    codes = np.hstack([questions_only(60, [3], 0), shares_only(60, 2, "equal", 0), questions_only(60, [2], 1)])
    codes[4, :2] = codes[5, 0] = codes[6, 5:] = MISSING
    questions = [np.arange(3), np.array([5, 6])]
    drawn = np.array(list(folds(codes, np.random.default_rng(0), together=questions)))
    assert (drawn.sum(axis=0) == (codes != MISSING)).all()
    for question in questions:
        of_rows = drawn[:, :, question] | (codes[:, question] == MISSING)
        assert (of_rows.all(axis=2) == drawn[:, :, question].any(axis=2)).all(
            where=(codes[:, question] != MISSING).any(1)
        )
    others = [fold[:, 3:5].sum() for fold in drawn]
    assert 0 < min(others) < max(others) < 30


# The verdict.


QUESTIONS = [4] * 6  # each with four answers


@pytest.mark.parametrize("answers", [QUESTIONS, [5], [2] * 8, [3, 3, 2, 2]], ids=str)
def test_that_answers_exclude_each_other_is_no_structure(answers):
    verdict = nbmf.verdict(questions_only(120, answers, 0), nbmf.LogisticFactorVB(4, random_state=0))
    assert not verdict.found
    assert (verdict.exact is None) == (len(answers) == 1)


def test_classes_of_rows_are_found_by_their_answers():
    of_class = [questions_only(40, [4] * 12, seed, evenness=0.5) for seed in range(3)]
    assert nbmf.verdict(np.vstack(of_class), nbmf.LogisticFactorVB(4, random_state=0)).predicts


@pytest.mark.statistics
def test_answers_that_have_nothing_to_do_with_each_other_are_no_structure():
    """Each of 6 would be taken for structure with probability 5 % at most; 3 or more: 2e-3."""
    assert sum(nbmf.verdict(questions_only(120, QUESTIONS, seed)).found for seed in range(6)) < 3


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("shape", "kind"), [*((SHAPES[0], kind) for kind in KINDS), (SHAPES[1], "rows and columns")], ids=str
)
def test_noise_is_no_structure(shape, kind):
    """Each of 6 would be taken for structure with probability 5 % at most; 3 or more: 2e-3.

    Large ones of every kind: in the long test.
    """
    found = [nbmf.verdict(shares_only(*shape, kind, seed)).found for seed in range(6)]
    assert sum(found) < 3


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_structure_in_five_of_a_hundred_at_most(shape, kind):
    """200 draws: 17 or more would happen in 3 % of runs if the chance were CHANCE itself."""
    drawn = [shares_only(*shape, kind, seed) for seed in range(200)]
    found = [choose(V, candidates(V, seed)).verdict.found for seed, V in enumerate(drawn)]
    print(f"{shape} {kind}: structure in {sum(found)} of {len(found)}")
    assert np.mean(found) <= CHANCE + 2 * np.sqrt(CHANCE * (1 - CHANCE) / len(found))


def test_planted_structure_is_found():
    verdict = nbmf.verdict(planted(40, 20, 1.5, 0))
    assert verdict.found
    best = verdict.gains[0]
    assert verdict.loss == pytest.approx(best.loss - best.mean)
    assert best.mean > 4 * best.error
    assert (verdict.entries, verdict.folds, verdict.observed) == (800, 10, 800)
    assert [gain.loss for gain in verdict.gains] == sorted(gain.loss for gain in verdict.gains)
    assert str(verdict).startswith("structure found: this method predicts better than ")


@pytest.mark.long
def test_structure_worth_four_errors_is_found_nearly_always():
    """Strengths by which the mean gain is about four standard errors."""
    for shape, strength in (((40, 20), 1.04), ((150, 12), 0.8)):
        verdicts = [nbmf.verdict(planted(*shape, strength, seed)) for seed in range(60)]
        worth = np.mean([v.gains[0].mean for v in verdicts]) / np.mean([v.gains[0].error for v in verdicts])
        print(f"{shape}: gain {worth:.1f} errors, found {np.mean([v.found for v in verdicts]):.0%}")
        assert 3.7 < worth < 4.3
        assert np.mean([v.found for v in verdicts]) >= 0.9


def test_a_verdict_is_counted_fold_by_fold():
    """By hand: what each fit and each baseline is given, its losses, Student's law, the seeds."""
    V = planted(24, 15, 1.0, 4)
    V[0, :3] = -1
    fits, steps = [], []

    class Recorded(nbmf.BinaryICA):
        def fit(self, V, monitor=None):
            fits.append((V.copy(), super().fit(V, monitor=monitor)))
            return self

    methods = [Recorded(K, max_iter=20, random_state=0) for K in (2, 3)]
    choice = choose(V, methods, n_jobs=1, monitor_of=lambda *step: steps.append(step))
    drawn = list(folds(V, np.random.default_rng(seed_sequence("verdict", 0))))
    assert steps == [(step, 2 * len(drawn)) for step in range(2 * len(drawn))]
    losses = [gain.loss for gain in choice.verdict.gains]
    assert losses == sorted(losses)
    assert len({tuple(fit.random_state.generate_state(2)) for _, fit in fits}) == len(drawn)
    for gain in choice.verdict.gains:
        loss, own = np.full((2, *V.shape), np.nan)
        for held_out, (training, fit) in zip(drawn, fits[choice.index :: 2], strict=True):
            np.testing.assert_array_equal(training, np.where(held_out, -1, V))
            for losses, p in ((loss, predict_baseline(gain.baseline, training)), (own, fit.expectation_)):
                losses[held_out] = -np.log(np.where(V == 1, p, 1 - p)[held_out])
        assert gain.loss == pytest.approx(np.nanmean(loss), rel=1e-10)
        assert gain.mean == pytest.approx(np.nanmean(loss - own), rel=1e-8)
        assert gain.error == pytest.approx(clustered_error(loss - own), rel=1e-8)
        assert gain.p == pytest.approx(stats.t.sf(gain.mean / gain.error, 14), rel=1e-8)


def test_a_gain_without_any_spread_is_certain():
    losses = np.full((2, 3, 4), np.reshape([0.5, 0.25], (2, 1, 1)))
    assert (gain_over("", *losses, EntryMeasure()).p, gain_over("", *losses[::-1], EntryMeasure()).p) == (0, 1)


@pytest.mark.parametrize("is_network", [False, True])
def test_nobody_knows_the_error_of_a_single_entry(is_network):
    """It was 0, so that the gain of any entry was certain."""
    losses = np.full((2, 4, 4), np.nan)
    losses[:, 1, 2] = 0.9, 0.2
    measure = EntryMeasure(is_network, is_network)
    assert measure.error(losses[0] - losses[1]) == np.inf
    gain = gain_over("effects", *losses, measure)
    assert (gain.mean, gain.p) == (pytest.approx(0.7), 0.5)
    assert format_error(gain.mean, gain.error) == "0.7000"


def test_a_lead_by_fixed_entries_is_decisive_where_a_single_other_one_is_left():
    rng = np.random.default_rng(0)
    own = rng.normal(0.3, 0.05, (30, 20))
    fixed = np.ones(own.shape, bool)
    fixed[3, 4] = False
    fold_of = (np.arange(own.size) % 2).reshape(own.shape).astype(float)
    baselines = {"effects": own + 0.1 + rng.normal(0, 0.02, own.shape)}
    tested = HeldOutLosses([own], baselines, own.size, 2, own.size, EntryMeasure(), fold_of)
    rest, proportion = leave_out_if_decisive(tested, fixed, 1, CHANCE)
    assert (rest.entries, proportion) == (1, 599 / 600)


def test_losses_that_are_printed_alike_are_not_said_to_differ():
    losses = 0.69 + 1e-7 * np.random.default_rng(0).normal(size=(40, 9))
    gain = gain_over("overall-proportion", losses, losses + 1e-8, EntryMeasure())
    verdict = Verdict("", False, False, CHANCE, gain.loss + 1e-8, (gain,), 360, 10, 360)
    assert str(verdict) == (
        "nothing found beyond the overall proportion of ones: this method predicts as well "
        "(0.6900 nats per held-out entry both)"
    )
    worse = verdict._replace(loss=0.6902, gains=(gain._replace(mean=-2e-4),))
    assert "predicts worse by" in str(worse)
    # Beyond row and column effects there is nothing, but another baseline is the best one of the other entries.
    assert "predicts as well as the overall proportion of ones (0.6900" in str(verdict._replace(fixed=0.5))
    assert "predicts worse than the overall proportion of ones by" in str(worse._replace(fixed=0.5))
    leads = verdict._replace(loss=gain.loss - 1e-8, gains=(gain._replace(mean=1e-8, p=0.3),))
    assert str(leads) == str(verdict)  # 0.000000 ± 0.000000 nats would be no lead


@pytest.mark.parametrize("gain", [0.0001, -0.01])
def test_what_methods_predict_together_is_said_where_none_predicts_it_alone(gain):
    leads = Gain("effects", 0.5, gain, 0.001, 0.47)
    mixture = Stacked(("a", "b"), (0.5, 0.5), 0.48, "a", "row and column effects", 0.5, 0.02, 0.004, CHANCE / 3)
    verdict = Verdict("", False, False, CHANCE / 3, 0.5 - gain, (leads,), 360, 10, 360, stack=mixture)
    assert str(verdict).startswith("nothing found beyond row and column effects: ")
    said = "; but the best mixture of 2 methods predicts better than row and column effects (0.0200 ± 0.0040 nats per"
    assert said in str(verdict)
    assert "mixture" not in str(verdict._replace(stack=mixture._replace(p=CHANCE / 2)))
    assert "mixture" not in str(verdict._replace(found=True, predicts=True))


def test_what_nothing_is_found_beyond_is_the_best_baseline():
    """Also where the lead over another one alone can be chance, as over a weak baseline of a small matrix."""
    gains = (Gain("effects", 0.18, 0.04, 0.01, 0.003), Gain("overall-proportion", 0.58, 0.44, 0.25, 0.077))
    verdict = Verdict("", False, False, 0.005, 0.14, gains, 40, 10, 40)
    assert str(verdict) == (
        "nothing found beyond row and column effects: a lead of 0.040 ± 0.010 nats per held-out entry over row and "
        "column effects is not enough, since that of 0.44 ± 0.25 nats per held-out entry over the overall proportion "
        "of ones can be chance (p = 0.077; 0.005 would be significant)"
    )
    both = str(verdict._replace(gains=(gains[0]._replace(p=0.006), gains[1])))
    assert both.endswith(
        ": a lead of 0.040 ± 0.010 nats per held-out entry over row and column effects can be chance (p = 0.006; "
        "0.005 would be significant)"
    )


@pytest.mark.parametrize(
    ("found", "gain", "said"),
    [
        (True, -0.01, "but no method that shows groups predicts it: this one predicts worse than row and column"),
        (True, 0.01, "too little of it to be sure of in predictions by methods that show groups: a lead of"),
        (False, -0.01, "nothing found beyond row and column effects by methods that show groups: this method"),
    ],
)
def test_what_predicts_structure_in_the_other_view_is_named(found, gain, said):
    other = OtherView(View.GROUPS, View.SCALE, "logistic GS, K = 8", Gain("effects", 0.5, 0.012, 0.002, 1e-5))
    leads, exact = Gain("effects", 0.5, gain, 0.01, 0.4), MarginTest(0.002 if found else 0.5, 1, 999)
    verdict = Verdict("", found, False, CHANCE / 2, 0.5 - gain, (leads,), 360, 10, 360, exact=exact, other_view=other)
    assert said in str(verdict)
    assert str(verdict).endswith(
        "; logistic GS, K = 8, which shows a scale, predicts better than row and column effects by 0.0120 ± 0.0020 "
        "nats per held-out entry (p < 0.001)"
    )
    assert "which shows" not in str(verdict._replace(other_view=None))


def test_a_method_of_the_other_view_is_tested_where_none_of_the_view_asked_for_predicts(monkeypatch):
    rng = np.random.default_rng(0)
    baseline = 1 + rng.random((20, 30))
    noise = rng.normal(size=baseline.shape)
    better, worse = baseline - 0.05 + 0.01 * noise, baseline + 0.05
    tested = HeldOutLosses([worse, better], {"effects": baseline}, 600, 10, 600, EntryMeasure(), np.zeros((20, 30)))
    estimators = [nbmf.BinaryICA(2), nbmf.LogisticFactorVB(2)]
    other = _predicting_view(0, estimators, tested, CHANCE / 2)
    assert other[:3] == (View.GROUPS, View.SCALE, estimators[1].title)
    assert other.gain == gain_over("effects", baseline, better, EntryMeasure())
    assert _predicting_view(0, estimators, tested._replace(losses=[worse, worse]), CHANCE) is None
    assert _predicting_view(0, [estimators[0]] * 2, tested, CHANCE) is None
    monkeypatch.setattr("nbmf.evaluation.verdict.held_out_losses", lambda *_: tested)
    monkeypatch.setattr("nbmf.evaluation.verdict._exact_test", lambda *_: None)
    V = np.indices((20, 30)).sum(axis=0) % 2
    asked, anything = (choose(V, estimators, view=view).verdict for view in (View.GROUPS, None))
    assert (asked.predicts, asked.other_view) == (False, other)
    assert (anything.predicts, anything.other_view) == (True, None)


@pytest.fixture
def without_exact_test(monkeypatch):
    monkeypatch.setattr("nbmf.evaluation.margin_test.QUICK", (0, 0))


def preferred(losses):
    return _near_the_best(losses, EntryMeasure())[0]


def test_of_several_methods_the_one_that_predicts_best_is_judged():
    """On the same folds as each alone, and by a stricter measure."""
    V = planted(40, 20, 1.5, 0)
    methods = [nbmf.BinaryICA(K, max_iter=50, random_state=0) for K in (8, 2, 4)]
    alone = [nbmf.verdict(V, method) for method in methods]
    losses = [one.loss for one in alone]
    choice = choose(V, methods)
    assert choice.index == np.argmin(losses) == 1
    best = alone[choice.index]
    others = choice.verdict.others
    assert choice.verdict == best._replace(chance=CHANCE / 2 / 3, others=others)
    assert [other.loss for other in others] == sorted(losses)[1:]
    assert others[0].mean > 0
    for other in others:
        assert other.mean == pytest.approx(other.loss - best.loss)
        assert other.error > 0
        assert other.what in {"bICA, K = 8", "bICA, K = 2", "bICA, K = 4"} - {best.method}
    assert choice.verdict.compared[:2] == list(others)
    assert [each.loss for each in choice.verdict.compared[2:]] == [g.loss for g in best.gains]


def test_the_first_method_within_a_standard_error_of_the_best_is_preferred():
    """With the losses themselves, whose differences have a known mean and error."""
    rng = np.random.default_rng(0)
    first = rng.random((20, 30))
    noise = rng.normal(size=first.shape)
    error = clustered_error(noise)
    for lead, place in ((1.1, 1), (0.9, 0), (-1.0, 0)):
        other = first + noise - noise.mean() - lead * error
        assert preferred([first, other]) == place
        assert preferred([first, first + 1, other]) == 2 * place
    assert preferred([first]) == preferred([first, first]) == 0
    # The second is within an error of the third, the best; the first is not.
    worst, near = first + 1, first + noise - noise.mean() + 0.9 * error
    assert preferred([worst, near, first]) == preferred([worst, first, near]) == 1


def test_a_choice_among_many_has_to_be_surer_of_its_gain(monkeypatch, without_exact_test):
    V = planted(30, 16, 1.0, 1)
    method = nbmf.BinaryICA(2, max_iter=50, random_state=0)
    p = max(gain.p for gain in nbmf.verdict(V, method).gains)
    monkeypatch.setattr("nbmf.evaluation.verdict.CHANCE", 1.5 * p)
    assert nbmf.verdict(V, method).found
    doubtful = choose(V, [method, method]).verdict
    assert not doubtful.found
    assert f"can be chance (p = {p:.2g}; {0.75 * p:.2g} would be significant)" in str(doubtful)


def test_the_method_of_the_other_view_is_the_one_that_is_taken_where_it_is_asked_for(monkeypatch):
    """Of two scales the first is within an error of the best: the command that shows this view alone takes it."""
    rng = np.random.default_rng(0)
    baseline, noise = 1 + rng.random((20, 30)), rng.normal(size=(20, 30))
    best = baseline - 0.05
    near = best + 0.02 * (noise - noise.mean()) + 0.5 * clustered_error(0.02 * noise)
    tested = HeldOutLosses([best, near, best], {"effects": baseline}, 600, 10, 600, EntryMeasure(), np.zeros((20, 30)))
    monkeypatch.setattr("nbmf.evaluation.verdict.held_out_losses", lambda *_: tested)
    monkeypatch.setattr("nbmf.evaluation.verdict._exact_test", lambda *_: None)
    estimators = [nbmf.BinaryICA(2), nbmf.LogisticFactorVB(2), nbmf.LogisticFactorVB(3)]
    V = np.indices((20, 30)).sum(axis=0) % 2
    choice = choose(V, estimators)
    assert (choice.index, choice.other) == (0, 1)
    assert choose(V, estimators, view=View.SCALE).index == 1
    much_worse = tested._replace(losses=[best, best + 0.04, best + 0.04])
    monkeypatch.setattr("nbmf.evaluation.verdict.held_out_losses", lambda *_: much_worse)
    assert choose(V, estimators).other is None


def test_what_is_shown_passes_the_test_that_the_best_passes():
    """The first is within an error of the best, but its own lead over the baseline can be chance."""
    rng = np.random.default_rng(1)
    baseline, noise = 1 + rng.random((20, 30)), rng.normal(size=(20, 30))
    best = baseline - 0.05
    first = best + 0.5 * (noise - noise.mean()) + 0.9 * clustered_error(0.5 * noise)
    tested = HeldOutLosses([first, best], {"effects": baseline}, 600, 10, 600, EntryMeasure(), np.zeros((20, 30)))
    gains = [gain_over("effects", baseline, losses, EntryMeasure()).p for losses in (first, best)]
    assert gains[0] > 0.01 > gains[1]
    assert preferred(tested.losses) == 0
    assert method_to_show(tested, 0.01, (0, 1)) == 1  # only the best passes
    assert method_to_show(tested, gains[0] * 1.01, (0, 1)) == 0  # both pass
    assert method_to_show(tested._replace(baselines={"effects": best}), 0.01, (0, 1)) == 0  # neither does
    assert method_to_show(tested, 0.01, (0,)) == 0  # of the view that is asked for


def test_methods_that_were_tried_before_share_the_level(monkeypatch):
    rng = np.random.default_rng(1)
    baseline = 1 + rng.random((20, 30))
    own = baseline - 0.05 - 0.2 * rng.normal(size=(20, 30))
    p = gain_over("effects", baseline, own, EntryMeasure()).p
    tested = HeldOutLosses([own], {"effects": baseline}, 600, 10, 600, EntryMeasure(), np.zeros((20, 30)))
    monkeypatch.setattr("nbmf.evaluation.verdict.held_out_losses", lambda *_: tested)
    monkeypatch.setattr("nbmf.evaluation.verdict._exact_test", lambda *_: None)
    monkeypatch.setattr("nbmf.evaluation.verdict.CHANCE", 3 * p)
    for tries, chance in ((None, 3 * p), (2, 1.5 * p), (4, 0.75 * p)):
        found = choose(np.indices((20, 30)).sum(axis=0) % 2, [nbmf.BinaryICA(2)], tries=tries).verdict
        assert (found.chance, found.predicts) == (pytest.approx(chance), chance > p)


def two_groups(seed):
    """Draw 20 rows of two groups, each of which prefers a half of 16 columns."""
    own = (np.arange(20) < 7)[:, None] == (np.arange(16) < 8)
    return (np.random.default_rng(seed).random(own.shape) < np.where(own, 0.73, 0.27)).astype(np.int8)


def test_the_exact_test_finds_two_groups_that_predictions_are_too_few_to_show():
    verdicts = [nbmf.verdict(two_groups(seed), nbmf.BinaryICA(2, max_iter=50, random_state=0)) for seed in range(8)]
    assert sum(one.found for one in verdicts) >= 6
    assert sum(one.predicts for one in verdicts) < sum(one.found for one in verdicts)
    alone = next(one for one in verdicts if one.found and not one.predicts and one.gains[0].mean > 0)
    assert alone.exact.p <= CHANCE / 2
    assert str(alone).startswith("structure found beyond row and column effects (exact test, p ")
    assert "too little of it to be sure of in predictions" in str(alone)
    both = next(one for one in verdicts if one.predicts and one.exact.p <= CHANCE / 2)
    assert "; the exact test agrees (p" in str(both)


@pytest.mark.parametrize(
    ("predicts", "p", "said"),
    [
        (True, 0.025, "agrees (p = 0.025)"),
        (True, 0.03, "alone would not show it (p = 0.03; 0.025 would be significant)"),  # its half of the level
        (False, 0.03, "agrees (p = 0.03; 0.025 would be significant)"),
        (False, 0.3, "agrees (p = 0.3)"),
    ],
)
def test_the_exact_test_agrees_where_it_finds_what_predictions_show_at_its_half_of_the_level(predicts, p, said):
    gains = (Gain("effects", 0.5, 0.1, 0.02, 1e-5 if predicts else 0.2),)
    verdict = Verdict("", predicts, predicts, 0.025, 0.4, gains, 360, 10, 360, exact=MarginTest(p, 1, 999))
    assert f"; the exact test {said}" in str(verdict)


def test_structure_that_no_method_predicts_is_reported_as_such(monkeypatch):
    noise = shares_only(18, 14, "equal", 1)
    method = nbmf.BinaryICA(4, max_iter=20, random_state=0)
    assert str(nbmf.verdict(noise, method)).startswith("nothing found beyond")
    monkeypatch.setattr("nbmf.evaluation.verdict.margin_test", lambda V, seed: MarginTest(0.002, 1, 999))
    verdict = nbmf.verdict(noise, method)
    assert (verdict.found, verdict.predicts) == (True, False)
    assert "(exact test, p = 0.002), but no method that was tried predicts it: this one predicts worse than " in str(
        verdict
    )


LOGISTIC = nbmf.LogisticFactorVB(4, effects="columns", max_iter=200, random_state=0)


def test_how_sure_a_method_is_that_a_column_of_zeros_goes_on_is_no_structure():
    """All baselines shrink what the logistic model with column effects takes for certain; the exact test has p = 1."""
    rng = np.random.default_rng(0)
    V = np.tile(np.arange(10) % 2, (20, 1))
    V[:, -2:] = rng.random((20, 2)) < 0.5
    tested = held_out_losses(V, [LOGISTIC], 0, None)
    assert all(gain.mean > 0 and gain.p < 1e-3 for gain in gains_of(tested.losses[0], tested))
    found = choose(V, [LOGISTIC]).verdict
    assert not found.found
    assert found.exact.p > CHANCE
    differ = V[:, -2] != V[:, -1]  # a row of two equal values has them in any matrix with its sum
    assert (found.entries, found.fixed) == (2 * differ.sum(), 1 - differ.sum() / 100)
    assert found.loss == pytest.approx(tested.losses[0][differ, -2:].mean())
    # Column means, which the method beats on all entries, may be best on these alone.
    assert str(found).startswith("nothing found beyond row and column effects: ")
    assert found.beyond == "effects"


def test_of_a_perfect_scale_nothing_is_left_to_find_beyond_row_and_column_effects():
    V = (np.arange(30)[:, None] / 30 > (np.arange(9) + 0.5) / 9).astype(int)
    found = choose(V, [nbmf.LogisticFactorVB(1, effects="both", max_iter=400, random_state=0)]).verdict
    assert found.gains[0].p < CHANCE / 2
    assert (found.found, found.predicts, found.fixed) == (False, False, 1.0)
    assert "no other matrix has as many ones in each row and column, as with a perfect (Guttman) scale" in str(found)


@pytest.mark.parametrize("diagonal", [0, MISSING])
def test_of_a_nested_network_nothing_is_left_to_find_whatever_its_diagonal(diagonal):
    """No other one has its degrees. Zeros on the diagonal kept nodes with ties to all others from being fixed."""
    node = np.arange(24)
    V = (node[:, None] + node >= 24).astype(int)
    V[2, 22] = MISSING
    np.fill_diagonal(V, diagonal)
    found = choose(V, [nbmf.LogisticFactorVB(1, effects="both", max_iter=400, random_state=0)]).verdict
    assert found.gains[0].p < CHANCE / 2
    assert (found.found, found.predicts, found.fixed) == (False, False, 1.0)


def test_where_no_method_passes_nothing_is_left_out():
    V = shares_only(20, 12, "columns", 1)
    V[:, :2] = 0
    found = choose(V, [LOGISTIC]).verdict
    assert (found.found, found.fixed, found.entries) == (False, 0.0, V.size)


@pytest.mark.parametrize("is_exact", [True, False])
def test_structure_that_other_entries_show_too_is_compared_on_all_entries(is_exact, request):
    if not is_exact:
        request.getfixturevalue("without_exact_test")
    V = np.kron(np.eye(2, dtype=int), np.ones((12, 8), int))
    V[(np.random.default_rng(0).random(V.shape) < 0.1)] ^= 1
    V[:, 0] = 0
    found = choose(V, [LOGISTIC]).verdict
    assert (found.found, found.fixed, found.entries) == (True, 0.0, V.size)


def test_each_of_two_tests_has_half_of_the_level(monkeypatch):
    V = two_groups(0)
    method = nbmf.BinaryICA(2, max_iter=50, random_state=0)
    assert nbmf.verdict(V, method).chance == CHANCE / 2
    for p, found in ((0.025, True), (0.026, False)):
        monkeypatch.setattr("nbmf.evaluation.verdict.margin_test", lambda V, seed, p=p: MarginTest(p, 1, 999))
        noise = nbmf.verdict(shares_only(18, 14, "equal", 1), method)
        assert (noise.found, noise.predicts) == (found, False)
    monkeypatch.setattr("nbmf.evaluation.margin_test.QUICK", (V.size - 1, 0))
    assert (nbmf.verdict(V, method).chance, nbmf.verdict(V, method).exact) == (CHANCE, None)


def test_entries_predicted_right_are_counted_column_by_column():
    losses = np.array([[0.1, np.nan, np.log(2)], [0.9, np.nan, 0.2]])
    assert accuracy(losses) == (0.625, (0.5, None, 0.75), (2, 0, 2))
    verdict = nbmf.verdict(planted(40, 20, 1.5, 0), nbmf.LogisticFactorVB(2, random_state=0))
    assert verdict.accuracy.overall > verdict.without_components.overall + 0.1
    assert verdict.accuracy.entries == (40,) * 20


def test_without_components_is_the_baseline_that_is_right_most_often():
    """Two classes with opposite columns: effects are as often wrong as right, and have a smaller loss than a mean."""
    rng = np.random.default_rng(0)
    p = np.where(rng.integers(0, 2, (200, 1)), [0.9, 0.1, 0.9, 0.1, 0.9], [0.1, 0.9, 0.1, 0.9, 0.1])
    verdict = nbmf.verdict((rng.random(p.shape) < p).astype(int), nbmf.BinaryICA(2, max_iter=30, random_state=0))
    name, tested = verdict.most_right, verdict.without_components
    assert name != verdict.gains[0].baseline
    assert tested.overall > 0.47
    assert verdict.accuracy.overall > 0.7


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.04531, 0.00312, "0.0453 ± 0.0031"),
        (0.0003, 0.00002, "0.000300 ± 0.000020"),
        (12.3, 4.56, "12.3 ± 4.6"),
        (-9e-8, 6.5e-7, "0.000000 ± 0.000001"),
    ],
)
def test_an_error_is_written_with_two_digits(value, error, text):
    assert format_error(value, error) == text


@pytest.mark.parametrize(("scales", "taken"), [(1, "ordinal-vb-shared"), (30, "ordinal-vb")], ids=["one", "own"])
def test_where_columns_share_a_scale_of_answers_the_model_that_knows_it_is_taken(scales, taken, monkeypatch):
    monkeypatch.setattr("nbmf.inference.folds.ENTRIES_HELD_OUT", 500)
    rng = np.random.default_rng(scales)
    psi = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 30)) + rng.logistic(size=(40, 30))
    cuts = np.sort(1.5 * rng.standard_normal((scales, 4)), axis=1) + rng.standard_normal((30, 1))
    answers = CategoryMatrix.from_array((psi[..., None] > cuts).sum(axis=-1))
    assert CANDIDATES["CategoryMatrix"][choose(answers, candidates(answers)).index] == taken


def test_without_a_method_those_of_nbmf_fit_are_tried(quick_choice):
    V = planted(24, 16, 1.0, 2)
    choice = choose(V, candidates(V))
    assert nbmf.verdict(V) == choice.verdict
    assert {choice.verdict.method, *(other.what for other in choice.verdict.others)} == {
        "Beta-Dir VB, learned, K = 100",
        "logistic VB, column effects, K = 8",
        "logistic VB, K = 8",
        "Beta-Dir VB, finite, K chosen",
        "MNB, rows, K chosen",
        "logistic GS, learned effects, K = 8",
        "Beta-Dir GS, learned, K = 100",
        "logistic MAP, column effects, K = 64",
    }


def test_the_same_seed_gives_the_same_verdict(quick_choice):
    V = planted(20, 12, 1.0, 3)
    found = nbmf.verdict(V)
    assert nbmf.verdict(V) == found
    assert nbmf.verdict(V, seed=1).loss != found.loss


def test_any_method_of_binary_matrices_can_be_judged():
    V = planted(30, 16, 1.5, 1)
    assert nbmf.verdict(V, nbmf.BinaryICA(2, max_iter=100, random_state=0)).found
    with pytest.raises(DataError, match="LDA predicts no probability of a one or of a count"):
        nbmf.verdict(V, nbmf.LDA(2))


@pytest.mark.parametrize(
    ("V", "words"),
    [
        (
            np.where(np.eye(20, 12), np.nan, 1.0),
            r"all 228 observed entries are ones: .* a list is read with layout = 'pres",
        ),
        (np.zeros((20, 12)), "all 240 observed entries are zeros: there is nothing to predict$"),
        (nbmf.CountMatrix.from_array(np.full((20, 12), 3)), "all 240 observed entries are the same: "),
    ],
)
def test_values_that_are_all_the_same_are_refused(V, words):
    """A mean has a prior, so that whatever is more certain would be better."""
    for test in (nbmf.verdict, lambda V, estimator: nbmf.analyze(V, log=lambda line: None)):
        estimator = nbmf.PoissonGammaVB(2) if isinstance(V, nbmf.CountMatrix) else nbmf.BinaryICA(2)
        with pytest.raises(DataError, match=words):
            test(V, estimator)


@pytest.mark.parametrize("n_jobs", [0, 1.5, np.nan])
def test_no_number_of_fits_at_a_time_is_refused(n_jobs):
    with pytest.raises(ConfigError, match=f"n_jobs = {n_jobs}: must be an integer of at least 1"):
        nbmf.verdict(planted(18, 14, 1.0, 0), nbmf.BinaryICA(2, max_iter=5, random_state=0), n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("given", "words"),
    [("bica", "'bica'"), (nbmf.BinaryICA, "<class '.*BinaryICA'>"), (planted(18, 14, 1.0, 0), "of type ndarray")],
)
def test_what_is_no_estimator_is_refused(given, words):
    V = planted(18, 14, 1.0, 0)
    for call in (
        lambda: nbmf.verdict(V, given),
        lambda: nbmf.run_chains(given, V),
        lambda: nbmf.posterior_draws(given, V),
    ):
        with pytest.raises(ConfigError, match=f"^estimator is {words}; allowed: an estimator, such as nbmf.BetaDirVB"):
            call()


def test_too_few_entries_are_refused():
    with pytest.raises(DataError, match=r"^12 observed entries: to hold some out takes 20$"):
        nbmf.verdict(np.eye(3, 4))


# Networks.


def friends(F=40, seed=0):
    """Draw an undirected network of two circles of friends."""
    rng = np.random.default_rng(seed)
    same = np.arange(F)[:, None] % 2 == np.arange(F) % 2
    upper = np.triu(rng.random((F, F)) < np.where(same, 0.6, 0.1), k=1)
    return (upper | upper.T).astype(np.int8)


def test_an_entry_of_an_undirected_network_is_held_out_with_its_mirror_image():
    codes = friends()
    drawn = np.array(list(folds(codes, np.random.default_rng(0), in_pairs=True)))
    assert (drawn == drawn.transpose(0, 2, 1)).all()
    assert not drawn[:, np.arange(40), np.arange(40)].any()
    assert drawn.sum(axis=0).max() == 1
    found = nbmf.verdict(codes, nbmf.BinaryICA(3, max_iter=100, random_state=0))
    assert found.found
    assert (found.entries, found.observed) == (780, 780)  # pairs
    for gain in found.gains:  # of the same pairs
        assert gain.mean == pytest.approx(gain.loss - found.loss, rel=1e-9)


def test_a_pair_of_which_one_entry_is_missing_is_held_out_by_the_other():
    codes = friends()
    codes[3, 7] = codes[9, 2] = MISSING
    codes[5, 4] = codes[4, 5] = MISSING
    drawn = np.array(list(folds(codes, np.random.default_rng(0), in_pairs=True)))
    off_diagonal = ~np.eye(40, dtype=bool)
    np.testing.assert_array_equal(drawn.sum(axis=0), (codes != MISSING) & off_diagonal)
    both = (codes != MISSING) & (codes.T != MISSING)
    np.testing.assert_array_equal(drawn & both, drawn.transpose(0, 2, 1) & both)


@pytest.mark.parametrize("names", [None, [f"n{f}" for f in range(40)]])
def test_errors_of_a_network_are_those_of_nodes(names):
    """Which names say, or symmetry."""
    codes = np.triu(friends()) + np.tril(friends(seed=1))
    V = codes if names is None else nbmf.BinaryMatrix(codes, names, names)
    method = nbmf.BinaryICA(2, max_iter=20, random_state=0)
    measure = held_out_losses(V, [method], 0, None).measure
    assert (measure.in_pairs, measure.is_network) == (False, names is not None)
    measure = held_out_losses(friends(), [method], 0, None).measure
    assert (measure.in_pairs, measure.is_network) == (True, True)


class Copying(nbmf.BetaDirVB):
    """Predicts an entry by its mirror image, if that is not missing."""

    def fit(self, V, y=None, *, monitor=None):
        super().fit(V, monitor=monitor)
        self.seen_ = self.values_of(V)
        return self

    def predictive(self, rows, columns):
        mirrored = self.seen_[columns, rows]
        return np.where(mirrored == MISSING, self.seen_[self.seen_ != MISSING].mean(), 0.1 + 0.8 * mirrored)


def test_a_mirror_image_tells_nothing_about_noise(monkeypatch):
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((30, 30)) < 0.3, k=1)
    V = (upper | upper.T).astype(np.int8)
    copying = Copying(1, max_iter=1, random_state=0)
    assert not nbmf.verdict(V, copying).predicts
    gaps = V.copy()
    gaps[3, 7] = gaps[9, 2] = MISSING  # whose mirror images are known, and say what they are
    found = nbmf.verdict(gaps, copying)
    assert not found.predicts
    assert found.observed == found.entries == 435
    assert found.accuracy.entries == (29,) * 30
    monkeypatch.setattr("nbmf.inference.folds.is_symmetric", lambda *_: False)
    assert nbmf.verdict(V, copying).predicts  # what holding out single entries would find


class Leaning(nbmf.BetaDirVB):
    """Predicts ties too likely in one direction and too unlikely in the other, by the same."""

    def predictive(self, rows, columns):
        return 0.3 + 0.2 * np.sign(columns - rows)


def test_a_tie_without_a_direction_is_predicted_by_the_mean_of_both():
    V = friends()
    losses = held_out_losses(V, [Leaning(1, max_iter=1, random_state=0)], 0, None).losses[0]
    held_out = ~np.isnan(losses)
    np.testing.assert_allclose(losses[held_out], -np.log(np.where(V == 1, 0.3, 0.7))[held_out])
    directed = held_out_losses(np.triu(V) + np.tril(friends(seed=1)), [Leaning(1, max_iter=1)], 0, None).losses[0]
    assert np.nanmin(directed) == pytest.approx(-np.log(0.9))


def test_a_pair_of_an_undirected_network_is_of_both_of_its_columns():
    losses = np.full((4, 4), np.nan)
    losses[np.triu_indices(4, k=1)] = [0.1, 0.1, 0.9, 0.1, 0.9, 0.9]
    found = accuracy(losses, in_pairs=True)
    assert found.entries == (3, 3, 3, 3)
    assert found.by_column == pytest.approx((2 / 3, 2 / 3, 2 / 3, 0))
    assert found.overall == accuracy(losses).overall == 0.5
