"""The held-out comparison: the workflow's scores, paired margins, gaps, and what it recommends."""

import math
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import nbmf
from nbmf import registry
from nbmf.baseline_names import BASELINES
from nbmf.catalogue import COMPARED, DEFAULTS, METHODS
from nbmf.data.masks import draw_mask
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation import compare as module
from nbmf.evaluation.compare import compare
from nbmf.evaluation.entries import complete_entries
from nbmf.evaluation.recommendation import Margin, _list_names, margin_of
from nbmf.evaluation.result import Comparison
from nbmf.fits import FitRequest, run_fit
from nbmf.seeds import seed_sequence

STUDY = yaml.safe_load((Path(__file__).parents[3] / "config/studies/lumbreras2020.yaml").read_text())
BRIEF = {"max_iter": 20, "burn_in": 12, "n_samples": 8}


def example():
    rng = np.random.default_rng(1)
    W, H = rng.dirichlet([0.3] * 2, 24), rng.beta(0.2, 0.2, (2, 15))
    values = (rng.random((24, 15)) < W @ H).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


V = example()


def brief(*names, **more):
    """Return entries with few iterations."""
    entries = {}
    for name in names:
        accepted = registry.settings_of(METHODS[name]["class"])
        settings = {key: BRIEF[key] for key in BRIEF if key in accepted}
        entries[name] = {"settings": settings, **more}
    return entries


def quiet(V, *arguments, **options):
    return compare(V, *arguments, log=lambda line: None, **options)


def test_the_methods_of_an_array_are_those_of_its_matrix(monkeypatch):
    """What is missing does not count for how large it is."""
    asked = []
    monkeypatch.setattr(module, "compared_for", lambda *given: asked.append(given) or ("beta-dir-vb",))
    codes = np.where(np.isnan(V), -1, V).astype(np.int8)
    for given in (V, nbmf.BinaryMatrix(codes, *(np.arange(size).astype(str) for size in V.shape))):
        quiet(given, K=2, masks=1)
    assert set(asked) == {("BinaryMatrix", int((~np.isnan(V)).sum()))}


def test_the_settings_of_the_catalogue_are_the_defaults_of_the_classes():
    """But of those with other priors, precisions, effects, scales, or columns apart, which no class has by default."""
    for name, entry in METHODS.items():
        for K in (
            entry["K"]
            if not name.endswith(
                ("-learned", "-columns", "-effects", "-scales", "-finite", "-vb-rows", "-shared", "ordinal-vb")
            )
            else ()
        ):
            spelled_out, default = (
                registry.make_estimator(entry["class"], K, given).get_params() for given in (entry["settings"], {})
            )
            assert spelled_out == default


def test_what_is_compared_by_default_has_the_default_and_a_method_of_each_family():
    assert COMPARED["BinaryMatrix"][0] == DEFAULTS["BinaryMatrix"]
    families = {
        registry.estimator_class(METHODS[name]["class"]).__module__.split(".")[2] for name in COMPARED["BinaryMatrix"]
    }
    assert families == {"beta_dirichlet", "logistic", "mixed_membership", "poisson_gamma"}
    assert all(registry.scores_entries(METHODS[name]["class"]) for name in COMPARED["BinaryMatrix"])


def test_what_is_not_changed_of_an_entry_stays():
    """Its other settings too: a method that learns its priors goes on learning them."""
    found = complete_entries({"beta-dir-vb-learned": {"settings": {"max_iter": 7}}}, None)
    settings = METHODS["beta-dir-vb-learned"]["settings"] | {"max_iter": 7}
    assert found["beta-dir-vb-learned"]["settings"] == settings
    assert complete_entries({"mine": {"class": "LDA", "K": [2]}}, None)["mine"]["settings"] == {}


def test_of_a_grid_for_all_a_method_leaves_out_what_it_refuses():
    found = complete_entries(["dir-dir-vb", "bica"], [1, 3])
    assert {name: entry["K"] for name, entry in found.items()} == {"dir-dir-vb": [3], "bica": [1, 3]}
    for K in (1, {"dir-dir-vb": [1, 3]}):  # nothing is left, or it was asked for by name
        with pytest.raises(ConfigError, match="Dir-Dir needs at least 2"):
            complete_entries(["dir-dir-vb"], K)


def test_a_best_K_at_the_end_of_its_grid_is_remarked_on():
    grid = {("a", 2): [0.5, 0.5], ("a", 4): [0.4, 0.4], ("b", 2): [0.3, 0.3], ("b", 4): [0.4, 0.4]}
    inside = {("c", 2): [0.5, 0.5], ("c", 3): [0.4, 0.4], ("c", 4): [0.5, 0.5], ("d", 9): [1, 1]}
    assert made_up(grid | inside).remarks() == [
        "A is best with the largest K that was tried: K = 5 to 8 may do better.",
        "B is best with the smallest K that was tried, 2.",
    ]
    level = {("a", 2): [0.41, 0.4], ("a", 4): [0.4, 0.4093], ("b", 2): [0.41, 0.411], ("b", 4): [0.4, 0.4005]}
    assert made_up(level).remarks() == ["B is best with the largest K that was tried: K = 5 to 8 may do better."]
    beyond_baselines = {("a", 2): [2.5, 2.5], ("a", 4): [2.4, 2.4], ("b", 2): [2.0, 2.0], ("b", 4): [2.1, 2.1]}
    assert made_up(beyond_baselines).remarks() == ["B is best with the smallest K that was tried, 2."]


def test_scores_are_those_of_the_workflow():
    """The same masks and random streams as for a dataset of that name."""
    found = quiet(V, brief("bica", "c-bica"), K=[2, 3], masks=2, name="animals").scores
    matrix = nbmf.BinaryMatrix.from_array(V)
    for row in found[found["K"] > 0].itertuples():
        mask = draw_mask(matrix, 0.25, seed_sequence("mask", "animals", row.mask))
        request = FitRequest(
            METHODS[row.method]["class"], row.K, {"max_iter": 20}, ["fit", "animals", "bica", row.K, row.mask, 0]
        )
        report = run_fit(matrix, mask, request, log=lambda line: None).report
        assert (row.perplexity, row.n_test) == (report["perplexity"], report["n_test"])
        assert row.brier == report["further_scores"]["brier"]


def without_seconds(found):
    return found.scores.drop(columns="seconds")


def test_the_number_of_jobs_changes_nothing_and_the_seed_everything():
    methods = brief("beta-dir-gs", "logpca", K=[2])
    one, two, other = (
        without_seconds(quiet(V, methods, masks=2, **options))
        for options in ({"n_jobs": 1}, {"n_jobs": 2}, {"seed": 1})
    )
    pd.testing.assert_frame_equal(one, two)
    assert not set(one["perplexity"]) & set(other["perplexity"])


def test_rows_are_in_order_whatever_ends_first():
    found = quiet(V, brief("bica", "logpca", K=[3, 2]), masks=2).scores
    keys = list(zip(found["method"], found["K"], found["mask"], strict=True))
    fits = [(m, k, j) for m in ("bica", "logpca") for k in (3, 2) for j in (0, 1)]
    assert keys == fits + [(name, 0, j) for name in BASELINES for j in (0, 1)]


def test_without_a_log_nothing_is_printed(capsys):
    methods = brief("bica", K=2)
    silent, loud = (without_seconds(compare(V, methods, masks=1, **more)) for more in ({"log": None}, {}))
    pd.testing.assert_frame_equal(silent, loud)
    assert capsys.readouterr().out.count("\n") == 1


def test_a_frame_and_its_matrix_give_the_same():
    methods = brief("bica", K=2)
    frames = [without_seconds(quiet(data, methods, masks=1)) for data in (V, pd.DataFrame(V))]
    pd.testing.assert_frame_equal(*frames)


def test_a_fit_that_fails_is_a_row_that_says_why():
    lines = []
    found = compare(V, brief("logpca"), K=[2, 15], masks=2, log=lines.append)
    failed = found.scores[found.scores["K"] == 15]
    assert failed["perplexity"].isna().all()
    reason = "n_components = 15: a matrix of shape (24, 15) allows 1 to 14"
    assert set(failed["status"]) == {reason}
    assert found.summary().set_index("K").loc[15, ["fits", "failed", "not_converged"]].tolist() == [2, 2, 0]
    assert sum(str(line).endswith(f"failed: {reason}") for line in lines) == 2
    assert found.recommendation.K == 2


def test_the_rows_of_the_summary_are_those_of_their_fits():
    """Methods with different grids: whatever sorts K mixes up their rows."""
    methods = {"bica": {"K": [3]}, "logpca": {"K": [2, 3, 4]}}
    found = quiet(V, methods, masks=2)
    table = found.summary().set_index(["method", "K"])
    assert list(table.index)[:4] == [("bica", 3), ("logpca", 2), ("logpca", 3), ("logpca", 4)]
    for (method, K), row in table.iterrows():
        values = found.by_mask(method, K)
        assert row["mean"] == pytest.approx(values.mean())
        assert row["median"] == pytest.approx(values.median())


def test_the_summary_has_mean_and_quartiles():
    found = quiet(V, brief("bica"), K=2, masks=4)
    values = found.by_mask("bica", 2)
    row = found.summary().iloc[0]
    assert row["mean"] == pytest.approx(values.mean())
    fits = found.scores[found.scores["method"] == "bica"]
    assert row["brier"] == pytest.approx(fits["brier"].mean())
    quartiles = row[["lower_quartile", "median", "upper_quartile"]].tolist()
    assert quartiles == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]))
    assert (row["method"], row["K"], row["fits"], row["failed"]) == ("bica", 2, 4, 0)
    assert row["seconds"] > 0


def test_a_comparison_prints_its_losses_and_what_it_recommends():
    found = quiet(V, brief("bica", "lda", K=[2]), masks=2)
    title, head, *rows, gap, sentence = str(found).splitlines()
    assert title == "Held-out log loss of V, mean and median over masks: smaller is better"
    assert head.split() == ["method", "K", "mean", "median", "unit", "brier", "fits", "seconds"]
    first = found.summary().iloc[0]
    assert rows[0].split()[:4] == ["bica", "2", f"{first['mean']:.4f}", f"{first['median']:.4f}"]
    assert [row.split()[0] for row in rows] == [*found.summary()["method"]]
    assert ["token" in row for row in rows] == [row.split()[0] == "lda" for row in rows]
    assert (gap, sentence) == ("", found.recommendation.sentence)
    assert repr(found) == "<comparison of bica, lda on V>"
    assert str(quiet(V, brief("lda", K=[2]), masks=1)).splitlines()[-1].startswith("nothing to recommend: ")


def test_baselines_by_hand():
    """Shares of the entries that are not held out, one imaginary one and zero added."""
    codes = np.array([[1, 1, 0, 1], [0, 1, 0, 0], [1, -1, 1, 0]])
    found = quiet(codes, brief("bica"), K=2, masks=1, name="x")
    mask = draw_mask(nbmf.BinaryMatrix.from_array(codes), 0.25, seed_sequence("mask", "x", 0))
    for name, axis in (("overall-proportion", None), ("column-proportions", 0), ("row-proportions", 1)):
        loss, squares = [], []
        for f, n in np.argwhere(mask):
            line = (slice(None), n) if axis == 0 else (f, slice(None)) if axis == 1 else ...
            seen = codes[line][(codes[line] >= 0) & ~mask[line]]
            share = (seen.sum() + 1) / (len(seen) + 2)
            loss.append(-np.log(share if codes[f, n] == 1 else 1 - share))
            squares.append((codes[f, n] - share) ** 2)
        assert found.by_mask(name, 0)[0] == pytest.approx(np.mean(loss), rel=1e-12)
        row = found.scores[found.scores["method"] == name].iloc[0]
        assert (row["n_test"], row["saturated"]) == (len(loss), 0)
        assert row["brier"] == pytest.approx(np.mean(squares), rel=1e-12)


# What is recommended, on made-up scores.


def made_up(perplexities, seconds=None, ratio=1 / 3, entries=None):
    """Return a comparison: from (method, K) to the perplexity of each mask."""
    entries = entries or {
        method: {"class": "BinaryICA", "label": method.upper(), "K": [k for m, k in perplexities if m == method]}
        for method, _ in perplexities
    }
    everywhere = {**perplexities, **{(name, 0): [2.0] * 9 for name in BASELINES}}
    masks = len(next(iter(perplexities.values())))
    rows = [
        {"method": method, "K": K, "mask": j, "perplexity": values[j], "seconds": 1.0}
        for (method, K), values in everywhere.items()
        for j in range(masks)
    ]
    scores = pd.DataFrame(rows)
    for method, taken in (seconds or {}).items():
        scores.loc[scores["method"] == method, "seconds"] = taken
    return Comparison(scores, entries, "V", ratio)


def test_the_margin_is_that_of_nadeau_and_bengio():
    """By hand: mean 0.02, variance 0.0001 / 3; (1/4 + 1/3) of it; t with 3 degrees: 3.18245."""
    found = margin_of(np.array([0.01, 0.02, 0.02, 0.03]), 1 / 3)
    assert found.mean == pytest.approx(0.02)
    variance = (1 / 4 + 1 / 3) * (0.0002 / 3)
    assert found.uncertainty == pytest.approx(3.182446 * math.sqrt(variance), rel=1e-6)
    assert found.is_significant is (found.uncertainty < 0.02)


@pytest.mark.parametrize(("mean", "expected"), [(0.021, True), (0.02, False), (0.015, False), (-0.03, False)])
def test_a_margin_is_significant_where_its_interval_lies_above_zero(mean, expected):
    """From 0.001 to 0.041, from 0 to 0.04, from -0.005 to 0.035, and below zero."""
    assert Margin(mean, 0.02).is_significant is expected
    assert not Margin(mean, math.nan).is_significant


def test_the_corrected_interval_covers_where_the_naive_one_does_not():
    """Differences that share a part, as overlapping training sets make them; the truth is 0.

    With correlation ratio / (1 + ratio) the corrected variance is exactly that of the mean.
    """
    rng, J, ratio = np.random.default_rng(0), 5, 1 / 3
    correlation = ratio / (1 + ratio)
    shared = rng.normal(size=(4000, 1)) * math.sqrt(correlation)
    draws = shared + rng.normal(size=(4000, J)) * math.sqrt(1 - correlation)
    for given, coverage in ((ratio, 0.95), (0.0, 0.83)):
        margins = [margin_of(d, given) for d in draws]
        covered = np.mean([abs(m.mean) <= m.uncertainty for m in margins])
        assert covered == pytest.approx(coverage, abs=0.02)


def test_a_clear_winner():
    found = made_up({("a", 2): [0.5, 0.52], ("a", 3): [0.3, 0.31], ("b", 9): [0.4, 0.41]})
    advice = found.recommendation
    assert (advice.method, advice.K, advice.runner_up, advice.runner_up_K) == ("a", 3, "b", 9)
    assert advice.perplexity == pytest.approx(0.305)
    assert advice.margin == pytest.approx(0.1)
    assert advice.uncertainty == pytest.approx(0, abs=1e-9)
    assert advice.is_significant
    assert advice.take == "a"
    assert advice.sentence == (
        "A with K = 3 predicts best (0.3050 nats per held-out entry, mean over 2 masks); its lead "
        "over B is 0.10 nats per held-out entry (95 % interval 0.10 to 0.10)."
    )


def test_methods_that_do_not_differ_significantly():
    found = made_up(
        {("a", 2): [0.30, 0.34], ("b", 2): [0.33, 0.33], ("c", 2): [0.9, 0.95]}, seconds={"a": 12.0, "b": 0.5, "c": 0.1}
    )
    advice = found.recommendation
    assert (advice.method, advice.runner_up, advice.is_significant) == ("a", "b", False)
    assert (advice.take, advice.take_K) == ("b", 2)  # the fastest of the two; c is worse
    assert advice.sentence.startswith("A and B do not differ significantly: A has the best mean")
    assert advice.sentence.endswith("Take the fastest of them, B (0.5 s a fit instead of 12).")


def test_a_few_seconds_decide_nothing():
    found = made_up({("a", 2): [0.30, 0.34], ("b", 2): [0.33, 0.33]}, seconds={"a": 9, "b": 0.5})
    advice = found.recommendation
    assert (advice.take, advice.is_significant) == ("a", False)
    assert advice.sentence.endswith("None of the others saves more than 10 s a fit, so take A.")


@pytest.mark.parametrize(("seconds", "take"), [((30, 12, 8), "c"), ((30, 8, 12), "b"), ((17, 8, 12), "a")])
def test_of_methods_that_do_not_differ_the_fastest_is_taken_if_it_saves_ten_seconds(seconds, take):
    scores = {("a", 2): [0.30, 0.34], ("b", 2): [0.33, 0.33], ("c", 2): [0.34, 0.33]}
    advice = made_up(scores, seconds=dict(zip("abc", seconds, strict=True))).recommendation
    assert (advice.method, advice.take) == ("a", take)


def test_one_mask_says_nothing_about_uncertainty():
    advice = made_up({("a", 2): [0.3], ("b", 2): [0.4]}, seconds={"a": 5.0}).recommendation
    assert (advice.method, advice.take, advice.is_significant) == ("a", "a", False)
    assert math.isnan(advice.uncertainty)
    assert "one mask does not say how certain that is" in advice.sentence


def test_a_single_method_has_no_margin():
    advice = made_up({("a", 2): [0.3, 0.4]}).recommendation
    assert advice.runner_up is None
    assert math.isnan(advice.margin)
    assert advice.sentence.startswith("A is the only method compared: 0.3500 nats")


def test_a_mean_over_other_masks_is_not_compared():
    """Without a fit for the hardest mask, K = 3 would look best."""
    advice = made_up({("a", 2): [0.3, 0.5], ("a", 3): [0.29, np.nan], ("b", 2): [0.8, 0.9]})
    assert advice.recommendation.K == 2


def test_nothing_but_gaps_is_no_recommendation():
    with pytest.raises(DataError, match=r"^nothing to recommend: .*status of the scores says why$"):
        made_up({("a", 2): [np.nan, np.nan]}).recommendation  # noqa: B018


def test_scores_per_token_are_not_recommended():
    found = quiet(V, brief("lda", "bica"), K=2, masks=2)
    assert set(found.scores["unit"]) == {"nats per held-out token", "nats per held-out entry"}
    assert (found.recommendation.method, found.recommendation.runner_up) == ("bica", None)


def test_baselines_that_predict_as_well_are_named():
    """Whether there is structure is for the structure test to say."""
    noise = np.random.default_rng(0).integers(0, 2, (30, 20))
    sentence = quiet(noise, brief("bica", "logpca", K=2), masks=3).recommendation.sentence
    assert "But on average the overall proportion of ones" in sentence
    assert sentence.endswith(" predict as well or better, without components.")
    rng = np.random.default_rng(1)
    blocks = np.kron(np.eye(2), np.ones((15, 10))) == (rng.random((30, 20)) < 0.9)
    structured = quiet(blocks.astype(int), brief("bica"), K=2, masks=3)
    assert "on average" not in structured.recommendation.sentence


# The picture.


def test_the_figure_has_a_box_per_fit_and_the_baselines():
    found = quiet(V, brief("bica", "logpca", K=[2, 3]), masks=3, name="my votes")
    figure = found.figure()
    figure.draw_without_rendering()
    (axis,) = (axis for axis in figure.axes if axis.axison)
    assert axis.get_title() == "my votes"
    assert len(axis.patches) == 4
    low, high = axis.get_ylim()
    means = [found.by_mask(name, 0).mean() for name in BASELINES]
    dashed = [line.get_ydata()[0] for line in axis.lines if line.get_linestyle() == "--"]
    assert dashed == pytest.approx([mean for mean in means if low <= mean <= high])
    assert all(f"{mean:.3f}" in axis.get_xlabel() for mean in means)


def test_lda_alone_cannot_be_drawn():
    with pytest.raises(DataError, match="nothing to draw"):
        quiet(V, brief("lda"), K=2, masks=1).figure()


# What may be asked.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": ["beta-dir-bv"]}, r"no 'beta-dir-bv'; .*did you mean 'beta-dir-vb'"),
        ({"methods": []}, "methods: none given"),
        ({"methods": 3}, "methods = 3: must be ids of methods, or a dict from them to what differs"),
        ({"methods": [nbmf.BinaryICA]}, "methods = .*: must be ids of methods, or a dict"),
        ({"methods": {"bica": 3}}, "methods.bica = 3: must be a dict"),
        ({"methods": {"bica": {"settings": 3}}}, "methods.bica.settings = 3: must be a dict"),
        ({"methods": {"bica": {"setings": {}}}}, "methods.bica: unknown key 'setings'.*'settings'"),
        ({"methods": {"bica": {"settings": {"alfa": 1}}}}, "unknown key 'alfa'; .*'alpha'"),
        ({"methods": {"bica": {"settings": {"alpha": -1}}}}, "alpha = -1: must be a number"),
        ({"methods": {"mine": {"class": "BinaryICA"}}}, "methods.mine: the key 'K' is missing"),
        ({"K": 0}, "n_components = 0: must be an integer from 1 to 1000000"),
        ({"K": []}, "no K given"),
        ({"methods": ["bica"], "K": {"logpca": [2]}}, "K: 'logpca' is not compared"),
        ({"masks": 0}, "masks = 0: must be an integer of at least 1"),
        ({"n_jobs": -1}, "n_jobs = -1: must be an integer of at least 1"),
        ({"seed": None}, "seed = None: must be an integer of at least 0"),
        ({"masks": 2.5}, "masks = 2.5: must be an integer of at least 1"),
        ({"masks": []}, "masks: none given; allowed: one or more arrays, or their number"),
        ({"K": 2.0}, "n_components = 2.0: must be an integer from 1 to 1000000"),
    ],
)
def test_what_is_not_allowed_is_said_before_the_first_fit(arguments, message):
    with pytest.raises(ConfigError, match=message):
        compare(V, **arguments, log=pytest.fail)


def test_a_single_id_and_a_class_of_ones_own():
    own = {"class": "BinaryICA", "K": [2], "settings": {"max_iter": 20}}
    found = quiet(V, {"mine": own, **brief("bica", K=2)}, masks=1)
    assert list(found.methods) == ["mine", "bica"]
    assert found.methods["mine"]["label"] == "mine"
    assert list(quiet(V, "logpca", K=2, masks=1).methods) == ["logpca"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_comparison_starts_no_further_fit(n_jobs):
    seen = []

    def stop(done):
        seen.append((done.number, done.total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(V, brief("bica", K=[2, 3, 4]), masks=5, n_jobs=n_jobs, log=stop)
    assert seen == [(1, 15)]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("nbmf")]


# Masks of one's own, and likelihoods.


def test_masks_can_be_given():
    matrix = nbmf.BinaryMatrix.from_array(V)
    own = [draw_mask(matrix, 0.5, seed_sequence("half", j)) for j in (0, 1)]
    found = quiet(V, brief("bica"), K=2, masks=own)
    ratio = np.mean([mask.sum() for mask in own])
    assert found.test_ratio == pytest.approx(ratio / (matrix.observed.sum() - ratio))
    fits = found.scores[found.scores["method"] == "bica"]
    assert fits["n_test"].tolist() == [mask.sum() for mask in own]


def test_answers_to_one_question_do_not_give_each_other_away():
    asked = np.random.default_rng(0).integers(4, size=(60, 5))
    answers = np.eye(4, dtype=int)[asked].reshape(60, 20)  # of questions that are independent
    scores = quiet(answers, ["bica"], [4, 8], masks=2).scores
    assert (scores["n_test"] % 4 == 0).all()
    losses = scores.groupby("method")["perplexity"].mean()
    assert losses["bica"] > losses["column-proportions"]


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_masks_of_what_was_given_lose_the_rows_and_columns_that_are_left_out(make):
    mask = draw_mask(nbmf.BinaryMatrix.from_array(V), 0.5, seed_sequence("half", 0))
    with_gaps = np.insert(np.insert(V, 3, np.nan, axis=0), [0, 9], np.nan, axis=1)
    wide = np.insert(np.insert(mask, 3, False, axis=0), [0, 9], False, axis=1)
    found = [
        quiet(make(values), brief("bica"), K=2, masks=[each]).scores
        for values, each in ((V, mask), (with_gaps, wide), (with_gaps, mask))
    ]
    for other in found[1:]:
        pd.testing.assert_frame_equal(other.drop(columns="seconds"), found[0].drop(columns="seconds"))
    wide[3, 1] = True
    with pytest.raises(DataError, match="mask 0 holds out entries that are missing in V"):
        quiet(make(with_gaps), brief("bica"), K=2, masks=[wide])


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.ones((24, 15)), r"masks: mask 0 is an array of float64 of shape \(24, 15\); allowed"),
        (np.ones((24, 14), bool), r"mask 0 .* shape \(24, 14\); allowed: one of bool .*\(24, 15"),
        (np.ones((24, 15), bool), "mask 0 holds out entries that are missing in V"),
        (np.zeros((24, 15), bool), "mask 0 holds out no observed entry, or all of them"),
        (~np.isnan(V), "mask 0 holds out no observed entry, or all of them"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(mask, message):
    with pytest.raises(DataError, match=message):
        compare(V, brief("bica"), K=2, masks=[mask], log=pytest.fail)


def test_a_matrix_of_another_kind_is_refused_by_the_name_of_the_method():
    words = "methods.bica: its likelihood is bernoulli, which takes a BinaryMatrix, and V is a RealM"
    with pytest.raises(ConfigError, match=words):
        quiet(RealMatrix.from_array(np.arange(6.0).reshape(2, 3)), "bica", K=2, masks=1)


def test_methods_of_another_unit_are_compared_with_nobody_and_alone():
    alone = quiet(V, brief("lda"), K=2, masks=2)
    assert set(alone.scores["status"]) == {"ok"}
    with pytest.raises(DataError, match="nothing to recommend"):
        alone.recommendation  # noqa: B018


def test_names_with_commas_are_listed_with_semicolons():
    assert _list_names(["A", "B"]) == "A and B"
    assert _list_names(["A", "B", "C"]) == "A, B and C"
    assert _list_names(["A, learned", "B", "C"]) == "A, learned; B; and C"
