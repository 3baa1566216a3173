"""Positions with intervals: every point, every interval, every name."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from nbmf.plotting import positions, style

X = np.array([0.3, -1.0, 2.0, 0.1])
NAMES = ["a", "b", "", "d"]


@pytest.fixture
def axis():
    _, axis = plt.subplots()
    return axis


def test_one_scale_has_a_row_for_each_in_their_order(axis):
    assert positions.draw(X, X - 0.5, X + 1, NAMES, ax=axis) is axis
    (line,) = axis.lines
    np.testing.assert_array_equal(line.get_xdata(), X)
    np.testing.assert_array_equal(line.get_ydata(), [2, 0, 3, 1])
    (intervals,) = axis.collections
    ends = [path.vertices for path in intervals.get_paths()]
    np.testing.assert_allclose(ends[1], [[-1.5, 0], [0, 0]])
    np.testing.assert_allclose(ends[2], [[1.5, 3], [3, 3]])
    assert [text.get_text() for text in axis.texts] == NAMES
    assert axis.texts[0].xy == (1.3, 2)
    assert axis.get_legend() is None


def test_two_scales_have_a_point_with_an_interval_along_each(axis):
    both = np.column_stack([X, -X])
    positions.draw(both, both - [0.5, 0.25], both + 1, NAMES, ["p", "q", "p", "p"], ax=axis)
    large, small = axis.lines
    np.testing.assert_array_equal(large.get_xydata(), both[[0, 2, 3]])
    assert [to_hex(line.get_color()).upper() for line in (large, small)] == style.GROUPS[:2]
    along_x, along_y = axis.collections[2:]
    np.testing.assert_allclose(along_x.get_paths()[0].vertices, [[-1.5, 1], [0, 1]])
    np.testing.assert_allclose(along_y.get_paths()[0].vertices, [[-1, 0.75], [-1, 2]])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["p", "q"]
    assert axis.texts[1].xy == (-1, 1)


def test_without_intervals_there_are_points_alone(axis):
    positions.draw(X, names=NAMES, ax=axis)
    assert not axis.collections
    np.testing.assert_array_equal(axis.lines[0].get_xdata(), X)


def test_a_name_that_would_cover_another_is_left_out(axis):
    """Of two that are near each other the one farther from the middle is shown."""
    places = np.array([[0.0, 0.0], [0.001, 0.0], [1.0, 1.0], [1.0, 1.001], [-1.0, -1.0]])
    positions.draw(places, names=["inner", "near", "below", "above", "alone"], ax=axis)
    shown = {text.get_text() for text in axis.texts if text.get_visible()}
    assert {"above", "alone"} <= shown
    assert len(shown) == 3


def test_of_more_rows_than_fit_a_page_none_is_named():
    many = np.arange(200.0)
    drawn = positions.draw(many, names=[f"row {i}" for i in range(200)])
    assert not any(text.get_text() for text in drawn.texts)
    assert drawn.figure.get_size_inches()[1] == positions.HIGHEST
    few = positions.draw(X, names=NAMES)
    assert [text.get_text() for text in few.texts] == NAMES
