"""The first line of a report: held-out entries that are predicted right, with and without components."""

import numpy as np
import pytest

import nbmf
from nbmf.evaluation.accuracy import Accuracy
from nbmf.evaluation.recommendation import Margin
from nbmf.evaluation.structure_result import Gain, Verdict
from nbmf.numerics.clustered_errors import format_error
from nbmf.reporting import html, text
from nbmf.reporting.accuracy_sentence import accuracy_sentence, percent_pair
from nbmf.reporting.model import Answer, Report, Section, Table

NAMES = ["x", "y", "z", "few"]


def judged(with_components, without, **fields):
    """Return a verdict with these accuracies, overall and by column."""
    gains = (Gain("effects", 0.5, 0.1, 0.02, 1e-5),)
    entries = (20, 40, 40, 9)
    pair_of = [Accuracy(overall, by_column, entries) for overall, by_column in (with_components, without)]
    return Verdict(
        "bICA, K = 2",
        True,
        True,
        0.025,
        0.4,
        gains,
        109,
        1,
        109,
        accuracy=pair_of[0],
        without_components=pair_of[1],
        most_right="effects",
        **fields,
    )


def matrix_of(proportion):
    values = np.random.default_rng(0).random((200, 4)) < proportion
    return nbmf.BinaryMatrix.from_array(values.astype(int), None, NAMES)


def test_the_first_line_says_what_is_predicted_right_overall_and_where_it_helps():
    verdict = judged((0.872, (0.91, 0.8, 0.6, 1.0)), (0.761, (0.55, 0.6, 0.62, 0.1)))
    assert accuracy_sentence(verdict, matrix_of(0.5)) == (
        "87% of the held-out entries are predicted right, 76% without components (row and column effects); "
        "most gained: 'x' 91% instead of 55%, 'y' 80% instead of 60%; least: 'z' 60% instead of 62%"
    )  # of "few" nine entries were held out
    unfound = accuracy_sentence(verdict._replace(found=False, predicts=False), matrix_of(0.5))
    assert unfound.endswith("76% without components (row and column effects)")  # what noise gains is no news


def test_entries_are_not_said_to_be_all_zeros_where_some_are_ones():
    codes = np.zeros((1000, 4), int)
    codes[0] = 1
    few_ones = nbmf.BinaryMatrix.from_array(np.vstack([codes, np.zeros((9000, 4), int)]), None, NAMES)
    said = accuracy_sentence(judged((0.999, (0.999,) * 4), (0.999, (0.999,) * 4)), few_ones)
    assert "As >99.9% of all entries are zeros, this count says little" in said


def test_large_gains_of_few_entries_come_after_those_of_many():
    """0.3 of 10 entries count as 0.3 * 10 / 20 = 0.15, 0.2 of 90 as 0.2 * 90 / 100 = 0.18."""
    verdict = judged((0.8, (0.7, 0.8, 0.6, 0.7)), (0.7, (0.4, 0.6, 0.5, 0.65)))
    pair = [each._replace(entries=(10, 90, 40, 40)) for each in (verdict.accuracy, verdict.without_components)]
    said = accuracy_sentence(verdict._replace(accuracy=pair[0], without_components=pair[1]), matrix_of(0.5))
    most = "most gained: 'y' 80% instead of 60%, 'x' 70% instead of 40%, 'z' 60% instead of 50%"
    assert said.endswith(f"{most}; least: 'few' 70% instead of 65%")


def test_no_column_is_named_where_all_gain_alike():
    verdict = judged((0.8, (0.8,) * 4), (0.8, (0.8,) * 4))
    said = "80% of the held-out entries are predicted right, 80% without components (row and column effects)"
    assert accuracy_sentence(verdict._replace(predicts=False), matrix_of(0.5)) == said
    assert accuracy_sentence(verdict, matrix_of(0.5)) == (
        f"{said}. The gain is in how probable entries are predicted to be, which the log loss in nats measures"
    )


@pytest.mark.parametrize(("proportion", "rare", "common"), [(0.05, "ones", "zeros"), (0.95, "zeros", "ones")])
def test_rare_values_are_said_to_decide(proportion, rare, common):
    verdict = judged((0.952, (0.95,) * 4), (0.95, (0.95,) * 4))
    said = accuracy_sentence(verdict, matrix_of(proportion))
    assert said.startswith("95.2% of the held-out entries are predicted right, 95.0% without components")
    assert f"of all entries are {common}, this count says little" in said
    assert f"the rare {rare}" in said


@pytest.mark.parametrize(
    ("proportion", "said"),
    [(0.1, "this count says little"), (0.5, ". The gain is in how probable entries are predicted to be")],
)
def test_fewer_entries_that_are_right_are_explained_where_the_log_loss_is_smaller(proportion, said):
    verdict = judged((0.83, (0.83,) * 4), (0.839, (0.839,) * 4))
    assert said in accuracy_sentence(verdict, matrix_of(proportion))
    worse = verdict._replace(found=False, predicts=False, gains=(Gain("effects", 0.5, -0.1, 0.02, 0.99),))
    assert said not in accuracy_sentence(worse, matrix_of(proportion))


def test_rare_values_that_are_predicted_need_no_such_words():
    verdict = judged((0.99, (0.99,) * 4), (0.95, (0.95,) * 4))
    assert "says little" not in accuracy_sentence(verdict, matrix_of(0.05))


def test_counts_have_no_such_line():
    assert accuracy_sentence(judged((0.8, (0.8,) * 4), (0.8, (0.8,) * 4))._replace(accuracy=None), matrix_of(0.5)) == ""


def test_it_comes_before_all_else_in_text_and_on_the_page():
    answer = Answer("structure found", True, Table(["a"], [["1"]], "<"), "87% are right")
    report = Report("t", [Section("", [answer])])
    assert text.render(report).startswith("87% are right\nstructure found\n")
    page = html.render(report)
    assert page.index("<p>87% are right.</p>") < page.index("<p>Structure found.</p>")


def test_errors_have_two_digits_and_are_never_zero():
    assert format_error(0.0003, 0.00004) == "0.000300 ± 0.000040"
    assert format_error(0.1234, 0.05678) == "0.123 ± 0.057"
    assert format_error(0.1, float("nan")) == "0.10 ± nan"


def test_intervals_are_no_standard_errors():
    """Of which ± is followed elsewhere in the same report."""
    assert Margin(0.1234, 0.05678).in_words("entry") == "0.123 nats per entry (95 % interval 0.067 to 0.180)"
    assert Margin(0.0003, 0.0004).in_words("one") == "0.00030 nats per one (95 % interval -0.00010 to 0.00070)"


def test_two_percentages_show_their_difference():
    assert percent_pair(0.91, 0.55) == ("91%", "55%")
    assert percent_pair(0.982, 0.98) == ("98.2%", "98.0%")
    assert percent_pair(0.8, 0.8) == ("80%", "80%")
