"""Which columns follow from others, and which rows repeat others, of matrices drawn with and without them."""

import math

import numpy as np
import pytest

from nbmf.data import repeats
from nbmf.data.matrix import MISSING
from nbmf.data.repeats import one_of_each, questions_of, repeats_of


def drawn(F=120, N=16, seed=0):
    """Draw entries that are independent of each other."""
    rng = np.random.default_rng(seed)
    return (rng.random((F, N)) < rng.uniform(0.2, 0.8, N)).astype(np.int8)


def one_of(answers, F=120, seed=0):
    """Draw a question with so many answers, a column each."""
    return np.eye(answers, dtype=np.int8)[np.random.default_rng(seed).integers(0, answers, F)]


def test_answers_to_one_question_are_found_between_other_columns():
    codes = np.hstack([drawn(N=3), one_of(4), one_of(3, seed=1), drawn(N=2, seed=2)])
    codes[5, 3:7] = codes[9, 4] = MISSING
    questions, twins, copies = repeats_of(codes)
    assert [each.tolist() for each in questions] == [[3, 4, 5, 6], [7, 8, 9]]
    assert not twins
    assert not copies
    codes[11, 3:7] = 0  # a row with no answer
    assert [each.tolist() for each in repeats_of(codes).questions] == [[7, 8, 9]]


def test_an_answer_that_nobody_has_chosen_belongs_to_its_question_and_constant_columns_are_none():
    never, always = np.zeros((120, 1), np.int8), np.ones((120, 1), np.int8)
    answers = one_of(3)
    codes = np.hstack([always, never, answers[:, :1], never, answers[:, 1:], never, always])
    assert [each.tolist() for each in repeats_of(codes).questions] == [[2, 3, 4, 5]]


@pytest.mark.parametrize(("ones", "zeros"), [(1, 7), (3, 5), (9, 4), (0, 6)])
def test_columns_may_be_the_same_by_chance_where_they_have_few_orders(ones, zeros, monkeypatch):
    codes = np.full((14, 3), MISSING, np.int8)
    codes[:ones], codes[ones : ones + zeros] = 1, 0
    orders = math.comb(ones + zeros, ones)  # each as probable as any other
    for chance, may_be in ((9 / orders * 1.001, False), (9 / orders * 0.999, True)):
        monkeypatch.setattr(repeats, "CHANCE", chance)
        assert repeats._may_be_the_same(codes).tolist() == [may_be] * 3


def test_opposite_and_equal_columns_are_found_wherever_they_are():
    codes = drawn(N=16)
    codes[3, 4] = codes[3, 15] = MISSING
    codes[:, 12] = 1 - codes[:, 2]
    codes[:, 15] = codes[:, 4]
    questions, twins, copies = repeats_of(codes)
    assert [each.tolist() for each in questions] == [[2, 12]]
    assert twins == [(4, 15)]
    assert not copies


def test_rare_ones_are_the_same_by_chance():
    codes = drawn(N=200)
    codes[:, 100:] = 0
    codes[7, 100:] = 1
    assert repeats_of(codes) == ([], [], [])


def test_copies_of_rows_are_told_from_rows_that_are_alike():
    codes = drawn(F=60, N=30)
    doubled = np.vstack([codes, codes[:10]])
    assert repeats_of(doubled).copies == [(f, 60 + f) for f in range(10)]
    types, rng = drawn(F=3), np.random.default_rng(1)
    groups = types[np.arange(90) % 3]
    groups = np.where(rng.random(groups.shape) < 0.03, 1 - groups, groups).astype(np.int8)
    assert len(np.unique(groups, axis=0)) < 60
    nested = (np.linspace(0, 1, 60)[:, None] > np.linspace(0.03, 0.97, 15)).astype(np.int8)
    assert not repeats_of(groups).copies
    assert not repeats_of(nested).copies


def test_a_row_with_another_answer_differs_in_one_value():
    types = np.random.default_rng(3).integers(0, 200, 4)
    questions = np.hstack([one_of(4, 200, seed)[np.r_[types, np.arange(196)]] for seed in range(4)])
    assert len(np.unique(questions, axis=0)) < 150
    assert not repeats_of(questions).copies


@pytest.mark.parametrize(("F", "N"), [(20, 30), (50, 400), (500, 6)])
def test_nothing_repeats_in_independent_entries(F, N):
    for seed in range(10):
        assert repeats_of(drawn(F, N, seed)) == ([], [], [])


def test_many_columns_that_are_equal_or_opposite_are_structure_and_no_question():
    A, (x, y) = drawn(N=1), drawn(N=2, seed=3).T[:, :, None]
    B = 1 - A
    for codes in ([A, x, B, y, B], [A, x, A, y, B], [A, B, B, x, y], [x, A, B, A, B, y]):
        assert not questions_of(np.hstack(codes))
    answers = one_of(3)
    codes = np.hstack([answers, x, 1 - answers[:, :1], y])  # a column of a question once more
    assert [each.tolist() for each in questions_of(codes)] == [[0, 1, 2]]
    codes = np.hstack([A, x, B, y])
    assert [each.tolist() for each in questions_of(codes)] == [[0, 2]]


def test_a_question_may_have_many_answers_and_gaps():
    many = np.repeat(np.eye(60, dtype=np.int8), 2, axis=0)
    assert [len(each) for each in questions_of(np.hstack([drawn(N=2), many]))] == [60]
    many[0, 7] = many[50:60] = MISSING
    assert [len(each) for each in questions_of(many)] == [60]


def test_one_column_of_each_question_is_left_where_questions_are_more_than_other_columns():
    codes = np.hstack([one_of(4), one_of(3, seed=1), drawn(N=1)])
    codes[:90, 0] = MISSING  # its few values are all that counts
    ones, observed = (codes == 1).sum(axis=0), (codes != MISSING).sum(axis=0)
    kept = one_of_each(codes)
    assert kept.shape == (120, 2)
    for question, column in zip(questions_of(codes), kept.T, strict=True):
        distances = np.abs(2 * ones[question] - observed[question])
        assert (column == codes[:, question[distances.argmin()]]).all()
    others = drawn(N=2, seed=4)
    assert (one_of_each(np.hstack([one_of(4), others, one_of(3, seed=1)])) == others).all()
