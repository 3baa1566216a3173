"""Rows that have the same value everywhere: counted where they are many, and more than chance gives."""

import numpy as np
import pytest

import nbmf
from nbmf.reporting.constant_rows import _expected_by_chance, constant_row_sentences, constant_values


def test_constant_rows_have_one_value_in_enough_entries():
    values = np.array([[1, 1, 1, 1, -1, 1], [0] * 6, [0, 0, 0, 1, 0, 0], [1, 1, 1, 1, -1, -1], [3] * 6])
    assert constant_values(values).tolist() == [1, 0, -1, -1, 3]


def answers(constant, rows=200, columns=12, categories=2):
    """Draw independent answers, the first rows of which have one answer throughout."""
    values = np.random.default_rng(0).integers(0, categories, (rows, columns))
    values[: len(constant)] = np.array(constant, int)[:, None]
    return values


def test_rows_that_are_all_ones_or_all_zeros_are_counted_where_they_are_many():
    (said,) = constant_row_sentences(nbmf.BinaryMatrix.from_array(answers([1] * 15 + [0] * 5)))
    assert said.startswith(
        "20 of 200 rows have the same value everywhere (5 all zeros and 15 all ones), where independent columns would "
        "give about 0: components or axes may"
    )
    assert not [*constant_row_sentences(nbmf.BinaryMatrix.from_array(answers([1] * 9)))]  # 4.5 %
    summary = str(nbmf.analyze(answers([1] * 15 + [0] * 5), method="bica", iterations=5, check=False))
    assert said in " ".join(summary.split())
    unshown = str(nbmf.analyze(answers([0] * 20), method="bica", iterations=5))
    assert "No components are shown" in unshown
    assert "20 of 200 rows have the same value everywhere (20 all zeros)" in " ".join(unshown.split())
    assert "describe how these rows differ" not in " ".join(unshown.split())


def test_rows_of_zeros_that_rare_ones_explain_are_not_worth_a_sentence():
    rare = (np.random.default_rng(0).random((200, 12)) < 0.1).astype(int)
    assert np.mean(constant_values(rare) == 0) > 0.2
    assert not [*constant_row_sentences(nbmf.BinaryMatrix.from_array(rare))]


def test_of_ordered_categories_each_constant_answer_counts():
    ranks = answers([4] * 12 + [2] * 3, categories=5)
    names = [np.array([f"{kind} {i}" for i in range(size)]) for kind, size in zip(("r", "c"), ranks.shape, strict=True)]
    matrix = nbmf.CategoryMatrix(ranks.astype(np.int8), *names, categories=np.array(list("12345")))
    (said,) = constant_row_sentences(matrix)
    assert said.startswith(
        "15 of 200 rows have the same value everywhere (3 all '3' and 12 all '5'), where independent"
    )


def test_what_chance_gives_is_that_of_observed_entries():
    """A ninth of the rows are all zeros by chance, as many as without the entries that are missing at random."""
    rng = np.random.default_rng(0)
    values = (rng.random((4000, 12)) < 1 / 6).astype(int)
    values[rng.random(values.shape) < 0.3] = -1
    matrix = nbmf.BinaryMatrix.from_array(values)
    by_chance = _expected_by_chance(matrix.codes, 2)
    assert by_chance == pytest.approx(np.count_nonzero(constant_values(matrix.codes) != -1), rel=0.15)
