"""Rows with many missing entries that differ from the others are told, and others are not."""

import numpy as np
import pytest

import nbmf
from nbmf.reporting.missing_rows import missing_row_sentences


def answers(rng, level_of_lacking, lacking=30, rows=100, columns=20):
    """Return answers of which the first rows lack the last eight; half of the others are ones."""
    levels = np.where(np.arange(rows) < lacking, level_of_lacking, 0.5)[:, None]
    V = (rng.random((rows, columns)) < levels).astype(float)
    V[:lacking, -8:] = np.nan
    return V


def told(V):
    return " ".join(missing_row_sentences(nbmf.BinaryMatrix.from_array(V)))


def test_rows_that_lack_answers_and_differ_in_others_are_told():
    said = told(answers(np.random.default_rng(0), 0.15))
    assert said.startswith("30 rows lack 20% or more of their entries, and have 14% ones in the others; in the same ")
    assert "columns the other rows have 5" in said  # 50 to 59 %


@pytest.mark.parametrize("level", [0.45, 0.55])
def test_a_small_difference_is_not_though_many_rows_make_it_sure(level):
    assert not told(answers(np.random.default_rng(1), level, lacking=1000, rows=2000))


@pytest.mark.parametrize("lacking", [9, 91])
def test_nor_is_one_of_few_rows(lacking):
    assert not told(answers(np.random.default_rng(2), 0.1, lacking=lacking))


def test_hardly_ever_where_entries_are_missing_at_random():
    rng, said = np.random.default_rng(3), 0
    for _ in range(200):
        V = (rng.random((60, 10)) < rng.beta(1, 1, 10)).astype(float)
        V[rng.random(V.shape) < rng.choice([0.02, 0.3], (60, 1))] = np.nan
        V[:2] = [[0.0], [1.0]]
        said += bool(told(V))
    assert said <= 2


def test_columns_with_few_ones_that_the_others_lack_make_no_difference():
    """Rows that lack the common columns have fewer ones in all, and not in the same columns."""
    rng = np.random.default_rng(4)
    V = (rng.random((100, 20)) < np.repeat([0.1, 0.9], 10)).astype(float)
    V[:40, 10:] = np.nan
    assert not told(V)


def test_other_matrices_are_not_asked():
    assert not [*missing_row_sentences(nbmf.CountMatrix.from_array([[1, 2], [3, 0]]))]
