"""The pictures of one fit on made-up factors: order, choice of rows, groups, the page."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from figure_checks import assert_tidy, texts_of
from nbmf.errors import DataError
from nbmf.plots import overview
from nbmf.plots.overview import Side, draw_factors, draw_reconstruction


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def names(count, kind="row"):
    return np.array([f"{kind} {i:03}" for i in range(count)])


def sides(F=40, N=30, K=4, groups=None, seed=0):
    rng = np.random.default_rng(seed)
    W, H = rng.dirichlet([0.2] * K, F), rng.beta(0.5, 0.5, (K, N))
    return [Side(W, names(F), "rows", groups), Side(H.T, names(N, "column"), "columns")]


def panels(figure):
    return [axis for axis in figure.axes if axis.images and axis.axison and axis.get_yticks().size]


def shown_names(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


def test_what_a_line_is_typical_of():
    """By hand: component minus the mean of the two others."""
    weights = np.array([[0.8, 0.1, 0.1], [0.9, 0.9, 0.9], [0.2, 0.4, 0.9]])
    np.testing.assert_allclose(
        overview.contrast(weights),
        [[0.7, -0.35, -0.35], [0, 0, 0], [-0.45, -0.15, 0.6]],
        atol=1e-12,
    )
    np.testing.assert_allclose(overview.contrast(np.array([[0.2], [0.6]])), [[-0.2], [0.2]])


def test_the_most_distinctive_are_dealt_to_all_components():
    """Ten lines of the first component are stronger than any of the second; both are shown."""
    weights = np.zeros((20, 2))
    weights[:10, 0] = np.linspace(0.9, 0.8, 10)
    weights[10:, 1] = np.linspace(0.7, 0.6, 10)
    assert overview.most_distinctive(weights, 4).tolist() == [0, 1, 10, 11]
    assert overview.most_distinctive(weights, 99).tolist() == list(range(20))


def test_lines_go_from_component_to_component_strongest_first():
    weights = np.array([[0.1, 0.9], [0.7, 0.3], [0.2, 0.8], [0.9, 0.1]])
    assert overview.order_of(Side(weights, names(4), "")).tolist() == [3, 1, 0, 2]


def test_lines_with_groups_are_sorted_by_these():
    groups = np.array(["b", "a", "b", "a", "b"])
    assert overview.order_of(Side(np.ones((5, 1)), names(5), "", groups)).tolist() == [
        *(0, 2, 4),
        *(1, 3),
    ]


def test_both_factors_are_shown_in_order():
    given = sides()
    figure = draw_factors(given, ["1", "2", "3", "4"], title="a method")
    for axis, side in zip(panels(figure), given, strict=True):
        order = overview.order_of(side)
        np.testing.assert_array_equal(axis.images[0].get_array(), side.weights[order])
        assert shown_names(axis) == side.names[order].tolist()


def test_what_hardly_differs_is_drawn_so():
    rows, columns = sides()
    nearly = 0.2 + 1e-6 * rows.weights
    shown = panels(draw_factors([rows._replace(weights=nearly), columns], list("1234")))[0]
    assert np.ptp(shown.images[0].get_array()) < 1e-4


def test_of_many_lines_it_is_said_how_many_are_shown():
    figure = draw_factors(sides(F=200), list("1234"), max_lines=25)
    rows, columns = panels(figure)
    assert rows.get_title() == "rows\nthe most distinctive 25 of 200"
    assert len(shown_names(rows)) == 25
    assert columns.get_title().endswith("25 of 30")


def test_a_factor_outside_of_probabilities_is_mapped_and_says_so():
    rows, columns = sides()
    figure = draw_factors([rows._replace(weights=rows.weights * 30 - 20), columns], list("1234"))
    shown = panels(figure)[0].images[0].get_array()
    assert 0 <= shown.min() < shown.max() <= 1
    assert 0 in (shown.min(), 1 - shown.max())  # the largest in size is at an end, zero at 1/2
    assert "drawn as [0, 1]" in panels(figure)[0].get_title()
    assert "drawn" not in panels(figure)[1].get_title()


def test_names_that_are_too_long_are_cut():
    rows, columns = sides(F=2)
    long = rows._replace(names=np.array(["x" * 80, "short"]))
    figure = draw_factors([long, columns], list("1234"))
    assert set(shown_names(panels(figure)[0])) == {"x" * 29 + "…", "short"}


GROUPS = np.repeat(["party " + "abcdefgh"[i] for i in range(8)], [20, 10, 3, 1, 1, 3, 1, 1])


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        (sides(F=3, N=5), ["1\n50%", "2\n30%", "3\n15%", "4\n5%"]),
        (sides(F=40, N=90, groups=GROUPS), ["1\n50%", "2\n30%", "3\n15%", "4\n5%"]),
        (sides(F=300, N=80, K=15), [f"{k + 1}\n10%" for k in range(15)]),
    ],
    ids=["small", "groups", "large"],
)
def test_nothing_is_outside_the_canvas_or_overlaps(given, labels):
    figure = draw_factors(given, labels, title="Beta-Dir VB, K = 100")
    figure.draw_without_rendering()
    canvas = figure.bbox.padded(1)
    above = [tick.label2 for axis in panels(figure) for tick in axis.xaxis.get_major_ticks()]
    texts = [text for axis in figure.axes for text in texts_of(axis)] + above
    boxes = [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]
    assert len(boxes) > 2 * len(labels)
    for box in boxes:
        assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
        assert canvas.y0 <= box.y0 < box.y1 <= canvas.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("shape", [(40, 30), (20, 200), (100, 8)])
def test_the_reconstruction_has_data_and_expectation_in_the_same_order(shape):
    rng = np.random.default_rng(0)
    codes, expectation = rng.integers(-1, 2, shape).astype(np.int8), rng.random(shape)
    given = sides(*shape)
    figure = draw_reconstruction(codes, expectation, given, "a method")
    assert_tidy(figure)
    order = np.ix_(*(overview.order_of(side) for side in given))
    data, predicted = (axis.images[0].get_array() for axis in figure.axes[:2])
    np.testing.assert_array_equal(data.mask, codes[order] == -1)
    np.testing.assert_array_equal(data.compressed(), codes[order][codes[order] >= 0])
    np.testing.assert_array_equal(predicted, expectation[order])
    assert figure.axes[0].get_title() == "V (orange: missing)"
    assert figure.axes[1].get_title() == "E[V], a method"


def test_shapes_that_differ_are_refused():
    rows, columns = sides()
    with pytest.raises(DataError, match=r"^rows: weights of shape \(40, 4\) for 40 names and 3"):
        draw_factors([rows, columns], list("123"))
    with pytest.raises(DataError, match=r"shapes differ: the data \(40, 30\), E\[V\] \(30, 40\)"):
        draw_reconstruction(np.zeros((40, 30)), np.zeros((30, 40)), [rows, columns])


def test_no_component_is_a_picture_too():
    rows, columns = (side._replace(weights=np.zeros((len(side.names), 0))) for side in sides(9, 7))
    figure = draw_factors([rows, columns], [])
    assert [len(shown_names(axis)) for axis in panels(figure)] == [9, 7]
    assert all("none" in str(axis.get_xticklabels()) for axis in panels(figure))
    assert overview.most_distinctive(rows.weights, 5).size == 5
    V = np.zeros((9, 7))
    draw_reconstruction(V.astype(np.int8), V, [rows, columns], "")
