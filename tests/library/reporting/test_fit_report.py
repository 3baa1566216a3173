"""What nbmf fit says first, of results written by hand: every number in it is one of theirs."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.cli.arguments import parse, render_message
from nbmf.cli.wording import Typed
from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import Message, NotSupportedError, Setting
from nbmf.evaluation.margin_test import MarginTest
from nbmf.evaluation.stacked import Stacked
from nbmf.evaluation.structure_result import Gain, LossDifference, OtherView, Verdict
from nbmf.inference.declarations import View
from nbmf.inference.starts import Starts
from nbmf.plotting import style
from nbmf.posterior.components import components_of
from nbmf.posterior.groups import association_of
from nbmf.reporting import fit_quality, html, text
from nbmf.reporting.component_entries import _make_side, _Side, reading_key
from nbmf.reporting.fit_report import _discrimination_bias, fit_facts, fit_report, group_tables
from nbmf.reporting.fit_result import ReportedFit, credible_intervals
from nbmf.reporting.next_steps import _without_exact_test
from nbmf.reporting.prediction_sentences import prediction_sentences
from nbmf.reporting.repeat_sentences import repeat_sentences

W = np.array([[0.9, 0.1], [0.8, 0.2], [0.05, 0.95]])
H = np.array([[0.9, 0.9, 0.1], [0.1, 0.9, 0.3]])
WORDING = Typed(parse(["fit", "tiny.csv"]))
MATRIX = nbmf.BinaryMatrix.from_array([[1, 1, 0], [1, 1, 0], [0, 1, -1]], ["a", "b", "c"], None)
RANDOM = nbmf.BinaryMatrix.from_array(np.random.default_rng(1).integers(0, 2, (30, 5)), None, None)
LOGISTIC = nbmf.LogisticFactorVB(1, effects="columns", ard=False, max_iter=20, random_state=0).fit(RANDOM)
VERDICT = Verdict(
    "bICA, K = 2",
    True,
    True,
    0.025,
    0.4,
    (Gain("effects", 0.5, 0.1, 0.02, 1e-5), Gain("overall-proportion", 0.75, 0.35, 0.04, 1e-9)),
    entries=8,
    folds=1,
    observed=8,
)


def result(kind=nbmf.BinaryICA, matrix=MATRIX, components=None, **fields):
    model = kind(2)
    model.W_, model.H_, model._expectation = W, H, W @ H
    model.n_iter_, model.converged_ = 7, fields.pop("converged", None)
    model.objective_, model.objective_of_one_ = fields.pop("objectives", (None, None))
    if "row_effects_" in kind.shapes:
        model.row_effects_, model.column_effects_ = np.zeros(len(model.W_)), np.zeros(model.H_.shape[1])
    shown = components_of(model)._replace(**(components or {}))
    return ReportedFit("tiny", matrix, model, shown, **{"expectation": W @ H, "seconds": 1.5, **fields})


def summary(fit):
    return text.render(fit_report(fit, wording=WORDING))


def quality(fit):
    return fit_quality.quality_sentences(fit, lambda message: render_message(message, "fit"))


def blanks_folded(lines):
    return [" ".join(line.split()) for line in lines.splitlines()]


def test_a_fit_that_chose_a_single_component_says_instead_of_how_many():
    model = nbmf.BetaDirVB(50, alpha="learn-columns", beta="learn-columns", random_state=0).fit(RANDOM)
    assert model.n_components_ == 1
    verdict = VERDICT._replace(found=False, predicts=False)
    fit = ReportedFit("r", RANDOM, model, components_of(model), model.expectation_, 1.0, verdict=verdict)
    assert "K = 1, chosen instead of 50\n" in summary(fit)
    assert "instead of" not in summary(result(verdict=verdict))


def test_values_and_their_intervals_do_not_contradict_each_other():
    """The mean of draws that are nearly all 1 is below nine in ten of them."""
    column = np.array([[0.9996], [0.5]])
    certain = _Side(np.array(["a", "b"]), column, 0, (np.array([1.0, 0.4]), np.array([1.0, 0.6])), are_proportions=True)
    assert certain.listed([0, 1]) == "a >99% [>99%, 100%], b 50% [40%, 60%]"
    assert certain._replace(weights=np.full((2, 1), 0.43)).range() == "43%"
    assert certain.range() == "50% to >99%"


def test_a_matrix_of_ones_has_no_loss_below_zero():
    ones = nbmf.BinaryMatrix.from_array(np.ones((3, 3), np.int8), ["a", "b", "c"], None)
    assert "alone has 0.0000" in " ".join(summary(result(matrix=ones)).split())


def test_where_nothing_is_found_the_fit_is_not_praised():
    verdict = VERDICT._replace(found=False, predicts=False)
    told = summary(result(verdict=verdict))
    assert "fitted: bICA, K = 2\n" in told
    for words in ("active component", "loss on the data", "most gained"):
        assert words not in told
        assert words in summary(result(verdict=VERDICT)) or words == "most gained"
    words = "are shown, because they do not predict significantly better than baselines. Other methods"
    assert words in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= text.WIDTH  # but for commands
    by_scale = verdict._replace(other_view=OtherView(View.GROUPS, View.SCALE, "logistic VB", VERDICT.gains[0]))
    next_step = (
        "logistic VB predicts significantly better than baselines; it is shown by\n  nbmf fit tiny.csv --view scale"
    )
    assert next_step in summary(result(verdict=by_scale))
    others = (LossDifference("logistic VB, K = 8", 0.39, -0.01, 0.02),)
    several = " ".join(summary(result(verdict=verdict._replace(others=others))).split())
    assert "These methods, and others, are compared by" in several


def test_a_single_component_is_not_drawn_nevertheless():
    nothing = VERDICT._replace(found=False, predicts=False)
    model = nbmf.BetaDirVB(1, random_state=0).fit(RANDOM)
    fit = ReportedFit("r", RANDOM, model, components_of(model), model.expectation_, 1.0, verdict=nothing)
    assert "nevertheless" not in summary(fit)
    assert "nevertheless" in summary(result(verdict=nothing))


def test_why_no_components_are_shown_of_a_perfect_scale():
    told = " ".join(summary(result(verdict=VERDICT._replace(found=False, predicts=False, fixed=1.0))).split())
    assert "No components are shown, because row and column effects determine every entry." in told
    assert "do not predict" not in told


@pytest.mark.parametrize(
    ("shape", "minutes"), [((100, 300), None), ((200, 2000), "1"), ((1000, 1000), "4"), ((9000, 9000), None)]
)
def test_where_the_exact_test_was_not_made_it_is_said_how_long_it_takes(shape, minutes):
    """Up to 50,000 entries it is made with every fit, and of huge matrices it takes hours."""
    matrix = nbmf.BinaryMatrix.from_array(np.broadcast_to(np.eye(2, dtype=np.int8)[0].repeat(shape[1] // 2), shape))
    nothing = result(matrix=matrix, verdict=VERDICT._replace(found=False, predicts=False))
    said = [" ".join(each.sentences) for each in _without_exact_test(nothing)]
    assert len(said) == (minutes is not None)
    assert all(f"it takes about {minutes} min" in sentence for sentence in said)
    tested = result(matrix=matrix, verdict=nothing.verdict._replace(exact=MarginTest(0.5, 60, 120)))
    assert not [*_without_exact_test(tested)]


def test_columns_that_are_the_same_are_named_next_to_what_is_found():
    codes = np.random.default_rng(0).integers(0, 2, (40, 6))
    matrix = nbmf.BinaryMatrix.from_array(np.c_[codes, codes[:, 2]])
    model = nbmf.BinaryICA(2, max_iter=5, random_state=0).fit(matrix)
    fit = ReportedFit("r", matrix, model, components_of(model), model.expectation_, 1.0, verdict=VERDICT)
    told = " ".join(summary(fit).split())
    assert "the same in all rows: columns 'column 2' and 'column 6'; if one repeats the other" in told


def test_where_counts_show_nothing_it_is_said_that_where_they_are_may():
    """Of visits to plants, presences may have groups that the sizes of counts hide."""
    nothing = VERDICT._replace(found=False, predicts=False)
    counts = CountMatrix([[3, 0, 1], [2, 0, 1], [0, 2, 1]], ["a", "b", "c"], ["x", "y", "z"], None)
    words = "structure that their sizes hide: --above 0 reads them as ones"
    assert words in " ".join(blanks_folded(summary(result(matrix=counts, verdict=nothing))))
    above = CountMatrix([[3, 4, 1], [2, 1, 1], [1, 2, 1]], ["a", "b", "c"], ["x", "y", "z"], None)
    for fit in (result(verdict=nothing), result(matrix=above, verdict=nothing), result(matrix=counts)):
        assert words not in " ".join(blanks_folded(summary(fit)))


@pytest.mark.parametrize("has_positions", [True, False])
def test_row_and_column_effects_are_called_a_rasch_model_with_a_command_that_has_positions(has_positions):
    verdict = VERDICT._replace(found=False, predicts=False)
    fit = result(verdict=verdict)
    if has_positions:
        fit = dataclasses.replace(fit, model=LOGISTIC, components=components_of(LOGISTIC))
    told = summary(fit)
    assert told.count("Row and column effects are a Rasch model") == 1
    command = "nbmf fit tiny.csv --method logistic-gs-learned-effects --no-check --out tiny-scale.nbmf"
    assert (command in told) == (not has_positions)
    wording = Typed(parse(["fit", "tiny.csv", "--view", "groups", "--seed", "3", "--draws", "0"]))
    typed = text.render(fit_report(fit, wording=wording))
    own = "nbmf fit tiny.csv --method logistic-gs-learned-effects --no-check --out tiny-scale.nbmf --seed 3"
    assert (own in map(str.strip, typed.splitlines())) == (
        not has_positions
    )  # nothing that the method of the report alone can do
    assert ("draws the components nevertheless" in told) == (not has_positions)
    weakest = verdict._replace(gains=verdict.gains[::-1])
    assert "Rasch" not in summary(dataclasses.replace(fit, verdict=weakest))


@pytest.mark.parametrize(
    ("kind", "is_binary", "columns", "has_row_effects", "what"),
    [
        (nbmf.LogisticFactorVB, True, 100, False, "too small"),
        (nbmf.LogisticFactorVB, True, 9, True, "too small"),
        (nbmf.LogisticFactorVB, True, 101, False, None),
        (nbmf.LogisticFactorMAP, True, 9, False, "a posterior mode, as this one, makes discriminations too small"),
        (nbmf.LogisticFactorVB, False, 9, False, None),
        (nbmf.LogisticFactorGibbs, True, 9, False, None),
        (nbmf.LogisticFactorGibbs, True, 9, True, "too alike"),
        (nbmf.LogisticFactorGibbs, False, 9, True, None),
    ],
)
def test_fits_of_few_items_say_how_discriminations_are_wrong(kind, is_binary, columns, has_row_effects, what):
    scale = SimpleNamespace(has_counts=not is_binary, categories=(), has_row_effects=has_row_effects)
    fit = SimpleNamespace(matrix=SimpleNamespace(shape=(9, columns)), scale=scale, model=kind(2))
    said = [render_message(message, "fit") for message in _discrimination_bias(fit)]
    assert len(said) == (what is not None)
    for each in said:
        assert what in each
        assert each.endswith("for item parameters take --method logistic-gs and --set effects=columns")


@pytest.mark.parametrize("cut_points", ["columns", "shared"])
def test_a_variational_fit_of_categories_says_so_too_and_names_its_sampler(cut_points):
    answers = np.random.default_rng(0).integers(0, 4, (30, 6))
    model = nbmf.OrdinalFactorVB(2, cut_points=cut_points, max_iter=5, random_state=0).fit(answers)
    scale = SimpleNamespace(has_counts=False, categories=("0", "1", "2", "3"), has_row_effects=False)
    fit = SimpleNamespace(matrix=SimpleNamespace(shape=(30, 6)), scale=scale, model=model)
    (said,) = (render_message(message, "fit") for message in _discrimination_bias(fit))
    assert "too small: in tests drawn from the graded response model by 8 to 12%" in said
    assert "for item parameters take --method ordinal-gs" in said
    assert ("cut_points=shared" in said) == (cut_points == "shared")
    sampled = SimpleNamespace(matrix=fit.matrix, scale=scale, model=nbmf.OrdinalFactorGibbs(2))
    assert not list(_discrimination_bias(sampled))


def test_intervals_are_left_out_only_where_components_cannot_be_matched(monkeypatch):
    model = nbmf.BetaDirGibbs(2, burn_in=2, n_samples=4, random_state=0)
    draws = nbmf.posterior_draws(model, np.eye(6, dtype=int), n_draws=4)
    assert {"W", "H"} <= set(credible_intervals(draws, 0.9))

    def fail(error):
        raise error

    for error in (NotSupportedError("no components to match"), AttributeError("a slip")):
        monkeypatch.setattr(type(draws), "alignment", property(lambda self, error=error: fail(error)))
        if isinstance(error, NotSupportedError):
            assert set(credible_intervals(draws, 0.9)) == {"expectation"}
        else:
            with pytest.raises(AttributeError, match="a slip"):
                credible_intervals(draws, 0.9)


def test_the_bias_of_discriminations_is_said_below_the_table_of_columns():
    said = summary(ReportedFit("tiny", RANDOM, LOGISTIC, components_of(LOGISTIC), expectation=None, seconds=1.5))
    assert said.index("as in item response theory") < said.index("makes discriminations too small")


STACK = Stacked(
    ("bICA, K = 2", "b"), (0.7, 0.3), 0.41, "bICA, K = 2", "row and column effects", 0.5, 0.09, 0.01, 1e-6, 1.11, 0.02
)


def test_a_mixture_that_is_not_written_is_not_offered():
    def told(stack, **fields):
        return " ".join(prediction_sentences(result(verdict=VERDICT._replace(stack=stack, **fields))))

    better = told(STACK)
    assert "explains 100 % (clipped: it predicts better than the mixture, 111.0 ± 2.0 %)" in better
    assert better.endswith(" no mixture is written: model.npz predicts missing entries (missing.csv) and new rows too")
    alone = told(STACK._replace(share=1.0, weights=(1.0, 0.0)))
    assert " it has all the weight in the mixture: model.npz predicts missing entries (missing.csv) and" in alone


def test_where_nothing_is_found_no_share_of_it_is_explained():
    verdict = VERDICT._replace(found=False, predicts=False, stack=STACK._replace(p=0.03))
    assert not {"explains", "weight", "mixture"} & {*summary(result(verdict=verdict)).split()}
    mixed = summary(result(verdict=verdict._replace(stack=STACK._replace(share=0.5)), stack=object()))
    assert "explains" not in mixed
    assert "weights in the mixture, stack.npz: 70% bICA, K = 2; 30% b" in mixed
    gains_nothing = summary(result(verdict=verdict._replace(stack=STACK._replace(share=None, share_error=None, p=0.3))))
    assert "gains nothing over row and column effects" in gains_nothing


@pytest.mark.parametrize(
    ("kind", "largest", "said"),
    [
        (nbmf.BinaryICA, 0.8, "columns are those of a row that belongs to it alone; no row here does so by"),
        (nbmf.BinaryICA, 0.99, "columns are those of a row that belongs to it alone"),
        (nbmf.DirBetaVB, 0.8, "rows are those of a column that belongs to it alone; no column here does"),
        (nbmf.LogisticFactorVB, 0.8, None),
    ],
)
def test_whose_probabilities_a_component_has(kind, largest, said):
    model = kind(2)
    model.W_, model.H_ = np.array([[largest, 1 - largest], [0.3, 0.7]]), np.array([[largest, 0.4], [1 - largest, 0.6]])
    key = reading_key(components_of(model), has_intervals=False)
    assert (said in key) if said else ("alone" not in key)
    assert (" by more than 80%" in key) == (said is not None and largest < 0.95)


def test_the_largest_share_is_that_of_components_that_are_shown():
    """Two that are the same are one there."""
    model = nbmf.BetaDirVB(3)
    model.W_ = np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.3, 0.1, 0.6]])
    model.H_ = np.array([[0.9, 0.1, 0.8], [0.9, 0.1, 0.8], [0.2, 0.7, 0.1]])
    assert "no row here does so by more than 80%" in reading_key(components_of(model), has_intervals=False)
    model.W_ = np.repeat([[0.6, 0.4, 0.0], [0.3, 0.7, 0.0], [0.05, 0.05, 0.9]], [100, 100, 1], axis=0)
    model.H_[1] = 1 - model.H_[1]
    assert "no row here does so by more than 70%" in reading_key(
        components_of(model), has_intervals=False
    )  # the third is not active


def test_a_verdict_has_what_predicts_the_same_entries_below_it():
    told = blanks_folded(summary(result(verdict=VERDICT)))
    assert told[2:7] == [
        "(every entry was held out, in 1 fold, and predicted from the others)",
        "predicted by nats per entry this method is better by",
        "this method 0.4000",
        "row and column effects 0.5000 0.100 ± 0.020",
        "the overall proportion of ones 0.7500 0.350 ± 0.040",
    ]
    others = (LossDifference("logistic VB, K = 8", 0.39, -0.01, 0.02),)
    some = VERDICT._replace(entries=7, folds=3, others=others)
    told = blanks_folded(summary(result(verdict=some)))
    assert told[2] == "(7 of 8 observed entries were held out, in 3 folds, and predicted from the others)"
    assert told[4:6] == ["bICA, K = 2 (this method) 0.4000", "logistic VB, K = 8 0.3900 -0.010 ± 0.020"]


def test_facts_are_about_what_was_observed_and_components_that_are_shown():
    def of(active, shares):
        return list(fit_facts(result(components={"active": active, "shares": shares})))

    assert of(2, np.array([0.6, 0.4])) == [
        "tiny: 3 rows x 3 columns, 62.5% ones among the observed, 11.1% missing",
        "bICA, K = 2: 2 active components (at least 1% each of the weight that is not the prior's)",
    ]
    assert of(1, np.array([0.9, 0.1]))[1:] == [
        "bICA, K = 2: 1 active component (at least 1% each of the weight that is not the prior's)",
        "the other 10% of the weight is in 1 smaller component; together they differ from all rows most in "
        "column 0 10% (all: 67%), column 2 30% (all: 0%), column 1 90% (all: 100%)",
    ]
    assert of(1, np.array([0.96, 0.04]))[2:] == []
    assert of(2, np.full(2, np.nan))[1:] == ["bICA, K = 2: 2 active components"]


def test_what_was_learned_has_three_digits_or_is_a_whole_number(monkeypatch):
    found = {"K+": 1234, "eta": 0.123456}
    monkeypatch.setattr(nbmf.BinaryICA, "findings", found)
    assert list(fit_facts(result()))[-1] == "learned: K+ 1234, eta 0.123"


def test_a_mean_count_is_that_of_observed_ones():
    counts = CountMatrix([[3, 0], [-1, 0]], ["a", "b"], ["x", "y"], None)
    first = next(fit_facts(result(matrix=counts)))
    assert first.endswith("counts with a mean of 1, 66.7% of them zero, 25.0% missing")


@pytest.mark.parametrize(
    ("is_missing", "said"),
    [
        (np.arange(40)[:, None] < np.zeros(10), []),
        (np.random.default_rng(0).random((40, 10)) < 0.4, []),
        (
            (np.arange(40)[:, None] < 20) & (np.arange(10) > 1),
            ["rows with 2 observed entries on average, those that were"],
        ),
        (
            (np.arange(40)[:, None] < 20) ^ (np.arange(10) < 5),
            ["hardly any rows link the missing entries to those that w"],
        ),
        ((np.arange(40)[:, None] > 4) & (np.arange(10) < 5), ["columns with 5 observed entries on average, those tha"]),
    ],
)
def test_missing_entries_where_little_is_observed_are_said_to_be_predicted_less_well(is_missing, said):
    codes = np.where(is_missing, -1, np.indices((40, 10)).sum(axis=0) % 2).astype(np.int8)
    fit = result(matrix=nbmf.BinaryMatrix.from_array(codes), verdict=VERDICT)
    found = list(fit_quality._missing_pattern_warnings(fit))
    assert len(found) == len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=True))
    assert not list(fit_quality._missing_pattern_warnings(dataclasses.replace(fit, verdict=None)))


def test_groups_are_counted_by_component_or_have_a_mean_on_each_axis():
    grouped = nbmf.BinaryMatrix.from_array(MATRIX.codes, None, None, ["left", "left", "right"])
    columns = np.array(["x", "y", "x"])
    (table,) = group_tables(result(matrix=grouped))
    assert table.caption == [
        "rows by group and the component they are most typical of; adjusted mutual information "
        "1.00 (0: unrelated, 1: the same)"
    ]
    assert (table.head, table.rows) == (["", "1", "2"], [["left", "2", "0"], ["right", "0", "1"]])
    assert table.head_colours == [style.colour_of_component(0), style.colour_of_component(1)]
    assert table.row_colours == style.GROUPS[:2]  # the largest group first
    fit = result(nbmf.LogisticFactorVB, grouped, column_groups=columns)
    of_rows, of_columns = group_tables(fit)
    (caption,) = of_rows.caption
    assert caption.startswith(
        "rows by group: their mean position on each axis, ± standard error; they are shrunk towards 0"
    )
    assert of_columns.caption == ["columns by group: their mean discrimination on each axis, ± standard error"]
    kept = fit.scale.kept
    for table, values, groups in (
        (of_rows, fit.scale.positions, grouped.row_groups),
        (of_columns, fit.scale.discrimination, columns),
    ):
        for name, *cells in table.rows:
            of_group = values[groups == name, :kept]
            means, errors = of_group.mean(axis=0), of_group.std(axis=0, ddof=1) / np.sqrt(len(of_group))
            told = [f"{mean:z.2f} ± {error:.2f}" for mean, error in zip(means, errors, strict=True)]
            assert cells == [text.removesuffix(" ± nan") for text in told]


def test_rows_without_a_group_say_nothing_of_the_groups():
    groups = np.repeat(["a", "", "b"], [15, 10, 15])
    model = nbmf.BinaryICA(2)
    model.W_, model.H_ = np.repeat([[0.9, 0.1], [0.1, 0.9]], 20, axis=0), np.full((2, 4), 0.5)
    assert association_of(model, groups).value == pytest.approx(1)
    assert association_of(model, np.where(groups == "a", "a", "")) is None


def test_rare_ones_in_other_columns_are_not_nearly_the_same_for_all():
    for H, are_flat in (
        (np.array([[0.04, 0.04, 0.001], [0.001, 0.001, 0.04]]), False),
        (np.array([[0.04, 0.0401, 0.0399], [0.2, 0.21, 0.2]]), True),
    ):
        fit = result()
        fit.model.H_ = H
        fit = dataclasses.replace(fit, components=components_of(fit.model))
        assert [_make_side("columns", k, fit).is_flat for k in (0, 1)] == [are_flat, are_flat]


def test_proportions_are_all_or_none_only_where_they_are():
    codes = np.ones((60, 60), int)
    codes[0, 0] = 0
    matrix = nbmf.BinaryMatrix.from_array(codes)
    assert next(fit_facts(result(matrix=matrix))).endswith(">99.9% ones among the observed, 0.0% missing")


def test_no_more_components_are_described_than_a_page_has(monkeypatch):
    told = summary(result())
    assert told.count("\ncomponent ") == 2
    assert "more: see" not in told
    monkeypatch.setattr("nbmf.reporting.fit_report.DESCRIBED", 1)
    told = summary(result())
    assert told.count("\ncomponent ") == 1
    assert told.endswith("\n\n... and 1 more: see W and H")


def test_the_loss_stands_next_to_that_of_the_share_of_ones():
    ones = np.array([1, 1, 0, 1, 1, 0, 0, 1])
    p = (W @ H)[MATRIX.observed]
    loss = -np.log(np.where(ones == 1, p, 1 - p)).mean()
    alone = -np.log(np.where(ones == 1, 5 / 8, 3 / 8)).mean()
    assert list(quality(result())) == [
        f"loss on the data that were fitted: {loss:.4f} nats per entry; the overall proportion of ones "
        f"alone has {alone:.4f}",
        "1 start of 7 iterations, 1.5 s",
    ]
    assert "converge" not in "".join(quality(result(converged=True)))
    assert list(quality(result(converged=False)))[2:] == [
        "E[V] was still changing after 7 iterations: --iterations 28 lets it converge"
    ]


def test_a_fit_that_is_worse_than_one_component_says_both_objectives():
    assert list(quality(result(objectives=(-20.5, -12.25))))[2:] == [
        "WORSE THAN ONE COMPONENT: -20.5 nats, a single one -12.25; take more starts (--chains) or fewer --components, "
        "or there is no structure"
    ]
    assert list(quality(result(objectives=(-12.25, -20.5))))[2:] == []


def test_a_large_fit_that_is_worse_is_told_to_take_what_it_may():
    """More starts are refused of a matrix without its zeros."""
    matrix = nbmf.SparseBinaryMatrix.from_array([[1, 1, 0], [1, 1, 0], [0, 1, -1]])
    large = result(nbmf.BernoulliPoissonVB, matrix, objectives=(-20.5, -12.25), expectation=None)
    assert list(quality(large))[2:] == [
        "WORSE THAN ONE COMPONENT: -20.5 nats, a single one -12.25; take another --seed or fewer --components, "
        "or there is no structure"
    ]


def several(converged, starts=None, **more):
    """Return three chains, or starts, that have converged or not."""
    losses = np.array([0.5, 0.4, 0.6])
    return SimpleNamespace(estimators=[None] * 3, converged=converged, losses=losses, starts=starts, **more)


def test_starts_end_in_one_place_or_in_several():
    same, apart = (list(quality(result(chains=several(converged))))[1:] for converged in (True, False))
    assert same == ["3 starts of 7 iterations, 1.5 s", "the starts end in the same place"]
    assert apart[1:] == [
        "the starts end in different places, with losses from 0.4000 to 0.6000: this is the best of them; "
        "what all have in common is the safest reading"
    ]
    for objectives, words in [
        ([-20.0, -12.5, -13.0], "7.5 nats apart: this is the best of them, which 2 of 3 reach to less than a nat"),
        (
            [-20.0, -12.5, -14.0],
            "which no other reaches to less than a nat; what all have in common is the safest reading",
        ),
    ]:
        said = list(quality(result(chains=several(False, Starts.of(objectives)))))[2]
        assert said.startswith("the starts end in different places, objectives 7.5 nats apart")
        assert said.endswith(words)


def test_chains_have_converged_or_differ_most_for_some_rows():
    table = pd.DataFrame({"r_hat": [1.001, 1.02], "ess_bulk": [400.0, 90.0]})
    kind = nbmf.BetaDirGibbs
    said = list(quality(result(kind, chains=several(True, diagnostics=table))))[1:]
    assert said == [
        "3 chains of 7 iterations, 1.5 s",
        "the chains have converged: R-hat at most 1.020, effective sample size at least 90 (chains.csv)",
    ]
    at_rest = table.assign(r_hat=np.nan, ess_bulk=np.nan)  # of one component, in which all entries are
    said = list(quality(result(kind, chains=several(True, diagnostics=at_rest))))
    assert said[2] == "the chains have converged: nothing that is recorded of them moves or differs (chains.csv)"
    chains = several(
        False,
        diagnostics=table,
        advice=Message("try ", Setting("burn_in", 300)),
        disagreement=np.array([[0.0, 0.1, 0.2], [0.3, 0.3, 0.3], [0.0, 0.0, 0.06]]),
        axis_names=lambda: (["a", "b", "c"], ["x", "y", "z"]),
    )
    said = list(quality(result(kind, chains=chains)))
    assert said[2] == "NOT CONVERGED: try --set burn_in=300"
    of_method = list(
        fit_quality.quality_sentences(
            result(kind, chains=chains), lambda text: render_message(text, "fit"), "beta-dir-gs"
        )
    )
    assert of_method[2] == "NOT CONVERGED: try --set burn_in=300 (with --method beta-dir-gs)"
    assert said[-1] == ("the chains' E[V] differ by 0.140 (standard deviation), most for b 0.300, a 0.100, c 0.020")


@pytest.mark.parametrize(
    ("between", "said"),
    [
        (0.05, "the chains agree on the positions of rows (R-hat about 1.013), but not on everything: "),
        (0.15, "NOT CONVERGED: "),
        (None, "NOT CONVERGED: "),
    ],
)
def test_chains_that_agree_on_what_is_shown_are_said_to(between, said, monkeypatch):
    """On the axis that is shown: a further one may differ."""
    chains = several(
        False,
        diagnostics=None,
        advice=Message("try ", Setting("burn_in", 300)),
        disagreement=np.zeros((3, 3)),
        axis_names=lambda: (["a", "b", "c"], ["x", "y", "z"]),
    )
    ends = np.full((3, 2), 0.5133)  # 1.645 standard deviations of 0.312
    between = None if between is None else np.array([between, 9.0])
    of_draws = {"lower": -ends, "upper": ends, "between_chains": between, "level": 0.9}
    scale = SimpleNamespace(**of_draws, kept=1, shares=np.array([0.9, 0.1]))
    of_scale = result(nbmf.LogisticFactorGibbs, chains=chains)
    monkeypatch.setattr(type(of_scale), "scale", scale)
    assert list(quality(of_scale))[2] == f"{said}try --set burn_in=300"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            nbmf.BetaDirVB,
            ["intervals of a variational fit are too narrow: take --method beta-dir-gs and --components 2 for these"],
        ),
        (nbmf.GaussianFactorVB, ["intervals of a variational fit are too narrow"]),  # has none
        (nbmf.BetaDirGibbs, ["one chain cannot show whether it has converged: take --chains 4"]),
    ],
)
def test_intervals_of_a_variational_fit_name_the_sampler(kind, said):
    assert list(quality(result(kind, draws=object())))[2:] == said


@pytest.mark.parametrize("kind", [nbmf.BetaDirGibbs, nbmf.DirBetaGibbs, nbmf.DirDirGibbs])
def test_means_over_sweeps_in_which_components_exchanged_labels_are_reported(kind):
    """By hand: two groups of rows, of which W and H are halfway between both."""
    fit = result(kind)
    assert not any("EXCHANGED" in sentence for sentence in quality(fit))
    fit.components.model.W_, fit.components.model.H_ = np.full((3, 2), 0.5), np.full((2, 3), 0.5)
    difference = abs(W @ H - 0.5).max()
    assert list(quality(fit))[-1] == (
        f"COMPONENTS EXCHANGED LABELS during sampling: W and H are means over sweeps, and W H differs from E[V] by up "
        f"to {difference:.2f}; expectation.csv has what is predicted. Fewer components (--components) exchange labels "
        "less"
    )
    hidden = dataclasses.replace(fit, verdict=VERDICT._replace(found=False))
    assert not any("EXCHANGED" in sentence for sentence in quality(hidden))


@pytest.mark.parametrize("kind", [nbmf.BetaDirVB, nbmf.LogisticFactorGibbs, nbmf.BernoulliPoissonGibbs])
def test_what_is_no_mean_over_sweeps_of_a_mixture_has_no_labels_to_exchange(kind):
    fit = result(kind)
    fit.components.model.W_ = np.zeros((3, 2))
    assert not any("EXCHANGED" in sentence for sentence in quality(fit))


def test_the_summary_names_what_is_most_typical():
    """By hand: two components that share a column, and one that has no part in it."""
    matrix = nbmf.BinaryMatrix.from_array(MATRIX.codes, ["a", "b", "c"], ["x", "y", "z"])
    told = summary(result(matrix=matrix))
    assert told.splitlines()[:2] == [
        "tiny: 3 rows x 3 columns, 62.5% ones among the observed, 11.1% missing",
        "bICA, K = 2: 2 active components (at least 1% each of the weight that is not the prior's)",
    ]
    assert told.endswith(
        "component 1: 58% of the weight\n"
        "  rows      a 90%, b 80%\n"
        "  columns + x 90% (all: 67%)\n"
        "  columns - z 10% (all: 0%)\n"
        "\n"
        "component 2: 42% of the weight\n"
        "  rows      c 95%, b 20%, a 10%\n"
        "  columns + z 30% (all: 0%)\n"
        "  columns - x 10% (all: 67%)"
    )
    loss = -np.mean(np.log(np.where(matrix.codes == 1, W @ H, 1 - W @ H)[matrix.codes >= 0]))
    assert f"fitted: {loss:.4f} nats per entry" in told


@pytest.mark.parametrize("kind", [nbmf.BinaryICA, nbmf.DirBetaVB])
def test_next_to_a_probability_is_how_common_ones_are_in_what_belongs_to_the_component(kind):
    """A probability is that of a row which belongs to it alone: ones are less common where rows are mixtures."""
    codes = np.array([[1, 0], [1, 0], [0, 0], [1, 1], [0, 1], [0, -1]], np.int8)
    W, H = np.repeat([[0.7, 0.3], [0.2, 0.8]], 3, axis=0), np.array([[0.95, 0.05], [0.1, 0.9]])
    is_turned = kind is nbmf.DirBetaVB
    fit = result(kind, nbmf.BinaryMatrix.from_array(codes.T if is_turned else codes))
    fit.model.W_, fit.model.H_ = (H.T, W.T) if is_turned else (W, H)
    fit = dataclasses.replace(fit, components=components_of(fit.model), expectation=fit.model.W_ @ fit.model.H_)
    fit.model._expectation = fit.expectation
    told = blanks_folded(summary(fit))
    one, many = ("row", "columns") if is_turned else ("column", "rows")
    assert f"{one}s + {one} 0 95% (its {many}: 67%, all: 50%)" in told
    assert f"{one}s - {one} 1 5% (its {many}: 0%, all: 40%)" in told
    assert f"{one}s + {one} 1 90% (all: 40%)" in told  # two of the entries there are observed, too few for a proportion
    assert f"its {many}: the proportion of ones of the {one} in {many} that belong to the component" in " ".join(told)


def test_where_nothing_is_found_the_page_says_what_to_do_as_the_text_does():
    told_nothing = result(verdict=VERDICT._replace(found=False, predicts=False))
    typed = Typed(parse(["fit", "tiny.csv", "--groups", "party"]))
    nothing = fit_report(told_nothing, wording=typed, method="bica")
    page, told = html.render(nothing), text.render(nothing)
    for command in (
        "nbmf compare tiny.csv --groups party",
        "nbmf fit tiny.csv --groups party --method bica --no-check",
    ):
        assert f"<code>{command}</code>" in page
        assert f"\n  {command}" in told
    assert "component 1" not in page + told
    assert '<div class="verdict nothing">\n<p>Nothing found beyond ' in page


def test_a_number_that_nothing_chose_may_be_too_small_where_all_are_in_use():
    rng = np.random.default_rng(0)
    V = (rng.normal(size=(40, 5)) @ rng.normal(size=(5, 30)) > 0).astype(int)
    ask = {"check": False, "iterations": 60, "chains": 1}
    said = str(nbmf.analyze(V, method="logistic-vb", n_components=2, **ask))
    words = "all 2 components are in use, so that more may predict better: n_components = 'auto' chooses their number"
    assert words in " ".join(said.split())
    assert (
        "fitted: logistic VB, K = 2\n" in said
    )  # components are no axes: how many are active is not how many there are
    assert "active component" not in said
    for method, K in (("logistic-vb", "auto"), ("logistic-vb", 20), ("beta-dir-vb-learned", None)):
        assert "are in use" not in str(nbmf.analyze(V, method=method, n_components=K, **ask))


def test_an_arch_of_counts_is_reported_where_there_is_one():
    """Of species that come and go along one gradient, and of two axes."""
    rng = np.random.default_rng(0)
    place, optimum = np.linspace(-2, 2, 60)[:, None], np.linspace(-2.5, 2.5, 40)
    rates = 20 * np.exp(-((place - optimum) ** 2)), np.exp(rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40)))
    ask = {"check": False, "iterations": 200, "chains": 1, "method": "negative-binomial-vb", "n_components": 2}
    said = [
        " ".join(str(nbmf.analyze(nbmf.CountMatrix.from_array(rng.poisson(rate)), **ask)).split()) for rate in rates
    ]
    assert ["rows lie along an arch" in each for each in said] == [True, False]
    assert "logarithms of expected counts" in nbmf.NegativeBinomialFactorVB.meanings[0]


def test_columns_that_follow_from_others_are_named_next_to_the_answer():
    rng, names = np.random.default_rng(0), ["red", "green", "blue", "tall", "small"]
    tall = rng.integers(0, 2, (60, 1))
    codes = np.hstack([np.eye(3, dtype=int)[rng.integers(0, 3, 60)], tall, 1 - tall])
    matrix = nbmf.BinaryMatrix.from_array(codes, None, names)
    (said,) = repeat_sentences(matrix)
    assert said.startswith(
        "every row has a one in exactly one of the columns 'red', 'green' and 'blue' (and in 1 more such set): "
    )
    codes[0, 1] = -1
    (said,) = repeat_sentences(nbmf.BinaryMatrix.from_array(codes, None, names))
    assert said.startswith("every row that has all of them has a one in exactly one of the columns 'red', ")
    assert not [*repeat_sentences(MATRIX)]
    twice = nbmf.BinaryMatrix.from_array(np.vstack([rng.integers(0, 2, (30, 20))] * 2))
    assert any(
        "30 of 60 rows repeat an earlier one, such as 'row 0' and 'row 30'" in said for said in repeat_sentences(twice)
    )


def test_it_is_said_that_entries_which_margins_fix_are_left_out():
    told = " ".join(summary(result(verdict=VERDICT._replace(entries=4, fixed=0.5))).split())
    assert (
        "(4 of 8 observed entries were held out, in 1 fold, without the 50% that follow from how many ones each row "
        "and column has, and predicted"
    ) in told
    assert "that follow from how many" not in summary(result(verdict=VERDICT))


@pytest.mark.parametrize("members", ["rows", "columns"])
def test_a_mixture_of_naive_bayes_is_called_latent_class_analysis(members):
    """What a reader of that field looks for; each row is in one class, so that none is a mixture."""
    blocks = nbmf.BinaryMatrix.from_array(np.kron(np.eye(2, dtype=np.int8), np.ones((6, 6), np.int8)))
    model = nbmf.MNB(2, orientation=members, random_state=0).fit(blocks)
    fit = ReportedFit("tiny", blocks, model, components_of(model), expectation=model.expectation_, seconds=1.5)
    told = " ".join(summary(fit).split())
    assert f"MNB, {members}, K = 2, latent class analysis: 2 classes of at least 1% of the {members}" in told
    assert f"component 1: 50% of the {members}, a latent class" in told
    assert "point estimates (EM), without intervals" in told
    for words in ("that belongs to it alone", "of the weight"):
        assert words not in told
        assert words in " ".join(summary(result(nbmf.BetaDirVB)).split())
