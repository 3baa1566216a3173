"""The pictures of one fit on made-up factors: order, choice of rows, groups, the page."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_checks import assert_tidy, texts_of
from matplotlib.text import Text

import nbmf
from nbmf.errors import ConfigError
from nbmf.plotting import style
from nbmf.plotting.headings import wrapped
from nbmf.plotting.labelled_factor import LabelledFactor, contrast, most_distinctive, order_of
from nbmf.plotting.overview import draw_factors
from nbmf.plotting.reconstructions import draw_reconstruction


def names(count, kind="row"):
    return np.array([f"{kind} {i:03}" for i in range(count)])


def sides(F=40, N=30, K=4, groups=None, seed=0):
    rng = np.random.default_rng(seed)
    W, H = rng.dirichlet([0.2] * K, F), rng.beta(0.5, 0.5, (K, N))
    return [LabelledFactor(W, names(F), "rows", groups), LabelledFactor(H.T, names(N, "column"), "columns")]


def shown_names(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


def test_what_a_line_is_typical_of():
    """By hand: component minus the mean of the two others."""
    weights = np.array([[0.8, 0.1, 0.1], [0.9, 0.9, 0.9], [0.2, 0.4, 0.9]])
    np.testing.assert_allclose(contrast(weights), [[0.7, -0.35, -0.35], [0, 0, 0], [-0.45, -0.15, 0.6]], atol=1e-12)
    np.testing.assert_allclose(contrast(np.array([[0.2], [0.6]])), [[-0.2], [0.2]])


def test_the_most_distinctive_are_dealt_to_all_components():
    """Ten lines of the first component are stronger than any of the second; both are shown."""
    weights = np.zeros((20, 2))
    weights[:10, 0] = np.linspace(0.9, 0.8, 10)
    weights[10:, 1] = np.linspace(0.7, 0.6, 10)
    assert most_distinctive(LabelledFactor(weights, names(20), ""), 4).tolist() == [0, 1, 10, 11]
    assert most_distinctive(LabelledFactor(weights, names(20), ""), 99).tolist() == list(range(20))


def test_no_group_is_absent_from_the_most_distinctive():
    """A third of the rows is between two components, typical of none; where no group is absent nothing changes."""
    W = np.repeat([[0.9, 0.1], [0.1, 0.9], [0.45, 0.55]], 30, axis=0) + 0.001 * np.arange(90)[:, None] * [1, -1]
    blocs = LabelledFactor(W, names(90), "", np.repeat(["A", "B", "C"], 30))
    assert np.unique(blocs.groups[most_distinctive(blocs, 60)], return_counts=True)[1].tolist() == [20, 20, 20]
    unequal = blocs._replace(groups=np.repeat(["A", "B", "C"], [30, 45, 15]), weights=np.repeat(W[[0, 30]], 45, axis=0))
    assert np.unique(unequal.groups[most_distinctive(unequal, 30)], return_counts=True)[1].tolist() == [10, 15, 5]
    halves = blocs._replace(groups=np.where(np.arange(90) % 2, "odd", "even"))
    plain = most_distinctive(blocs._replace(groups=None), 60)
    assert most_distinctive(halves, 60).tolist() == plain.tolist()
    assert set(blocs.groups[plain]) == {"A", "B"}


def test_lines_go_from_component_to_component_strongest_first():
    weights = np.array([[0.1, 0.9], [0.7, 0.3], [0.2, 0.8], [0.9, 0.1]])
    assert order_of(LabelledFactor(weights, names(4), "")).tolist() == [3, 1, 0, 2]


def test_lines_with_groups_are_sorted_by_these_and_within_them_by_component():
    groups = np.array(["b", "a", "b", "a", "b", "c"])
    first = np.array([0.2, 0.6, 0.9, 0.7, 0.6, 0.8])
    side = LabelledFactor(np.column_stack([first, 1 - first]), names(6), "", groups)
    assert order_of(side).tolist() == [2, 4, 0, 3, 1, 5]
    told = side._replace(main=np.array([0, 1, 1, 0, 0, 0]))  # by who knows better
    assert order_of(told).tolist() == [4, 0, 2, 3, 1, 5]


def test_some_lines_of_a_side():
    groups = np.array(["b", "a", "b"])
    some = LabelledFactor(np.eye(3), names(3), "rows", groups, np.arange(3)).at(np.array([2, 0]))
    assert some.names.tolist() == ["row 002", "row 000"]
    assert some.groups.tolist() == ["b", "b"]
    assert some.main.tolist() == [2, 0]
    np.testing.assert_array_equal(some.weights, np.eye(3)[[2, 0]])


def test_both_factors_are_shown_in_order():
    given = sides()
    axes = draw_factors(given, ["1", "2", "3", "4"], title="a method")
    assert axes[0].figure.get_suptitle() == "a method"
    for axis, side in zip(axes, given, strict=True):
        order = order_of(side)
        np.testing.assert_array_equal(axis.images[0].get_array(), side.weights[order])
        assert shown_names(axis) == side.names[order].tolist()


def test_what_hardly_differs_is_drawn_so():
    rows, columns = sides()
    nearly = 0.2 + 1e-6 * rows.weights
    shown = draw_factors([rows._replace(weights=nearly), columns], list("1234"))[0]
    assert np.ptp(shown.images[0].get_array()) < 1e-4


def test_of_many_lines_it_is_said_how_many_are_shown():
    rows, columns = draw_factors(sides(F=200), list("1234"), max_rows=25)
    assert rows.get_title() == "rows\nthe most distinctive 25 of 200"
    assert len(shown_names(rows)) == 25
    assert columns.get_title().endswith("25 of 30")


def test_a_factor_outside_of_probabilities_is_mapped_and_says_so():
    rows, columns = sides()
    axes = draw_factors([rows._replace(weights=rows.weights * 30 - 20), columns], list("1234"))
    shown = axes[0].images[0].get_array()
    assert 0 <= shown.min() < shown.max() <= 1
    assert 0 in (shown.min(), 1 - shown.max())  # the largest in size is at an end, zero at 1/2
    assert "blue to red" in axes[0].get_title()
    assert "blue" not in axes[1].get_title()
    assert [axis.images[0].get_cmap().name for axis in axes] == ["RdBu_r", "gray_r"]
    bar = axes[0].images[0].colorbar
    assert [tick.get_text() for tick in bar.ax.get_xticklabels()] == ["− largest", "0", "largest"]
    (counts,) = draw_factors([rows._replace(weights=rows.weights * 30)], list("1234"))
    assert "drawn as [0, 1]" in counts.get_title()
    ends = [tick.get_text() for tick in counts.images[0].colorbar.ax.get_xticklabels()]
    assert ends == ["0", "", "1, or as said above"]
    assert counts.images[0].get_cmap().name == "gray_r"


def test_names_that_are_too_long_are_cut():
    rows, columns = sides(F=2)
    long = rows._replace(names=np.array(["x" * 80, "short"]))
    axes = draw_factors([long, columns], list("1234"))
    assert set(shown_names(axes[0])) == {"x" * 19 + "…" + "x" * 10, "short"}


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
    axes = draw_factors(given, labels, title="Beta-Dir VB, K = 100")
    figure = axes[0].figure
    figure.draw_without_rendering()
    canvas = figure.bbox.padded(1)
    above = [tick.label2 for axis in axes for tick in axis.xaxis.get_major_ticks()]
    texts = [text for axis in figure.axes for text in texts_of(axis)] + above
    boxes = [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]
    assert len(boxes) > 2 * len(labels)
    for box in boxes:
        assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
        assert canvas.y0 <= box.y0 < box.y1 <= canvas.y1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def stripes(axis):
    """Return the strips of a panel: their colours, and where they start and end along an edge."""
    found = {"left": [], "right": [], "bottom": [], "top": []}
    for line in axis.lines:
        if line.get_linewidth() < 2:
            continue
        x, y = line.get_xdata(), line.get_ydata()
        is_upright = x[0] == x[1]
        edge = ("left", "right")[int(x[0])] if is_upright else ("bottom", "top")[int(y[0])]
        found[edge].append((line.get_color(), *(y if is_upright else x)))
    return found


def test_groups_count_all_lines_and_keep_their_colours():
    """The largest group of all has the first colour, though most lines drawn are of another."""
    groups = np.repeat(["few", "many", "some"], [20, 100, 30])
    weights = np.full((150, 2), 0.5)
    weights[:20] = [0.9, 0.1]
    weights[[30, 140]] = [0.4, 0.6]
    side = LabelledFactor(weights, names(150), "rows", groups)
    axis = draw_factors([side], ["1", "2"], max_rows=12)[0]
    assert [text.get_text() for text in axis.texts] == ["many (100)", "some (30)", "few (20)"]
    colours = dict(zip(["many", "some", "few"], style.GROUPS, strict=False))
    assert style.colours_of_groups(groups) == colours
    of_drawn = [(colours["many"], -0.5, 0.5), (colours["some"], 0.5, 1.5)]
    assert stripes(axis)["left"][:2] == of_drawn
    assert stripes(axis)["right"] == stripes(axis)["left"]
    assert [each[0] for each in stripes(axis)["top"]] == style.PALE[:2]


def test_names_of_small_groups_stay_near_their_rows():
    """Thirty groups of one row each at the end of a picture were named up to a page's height below their rows."""
    groups = np.array(["Party A"] * 150 + ["Party B"] * 120 + [f"independent {i:02}" for i in range(30)])
    rows, columns = sides(300, 20, groups=groups)
    _, axis = draw_reconstruction(np.zeros((300, 20)), np.zeros((300, 20)), [rows, columns])
    axis.figure.draw_without_rendering()
    texts = [text for text in axis.texts if text.get_text().endswith(("0)", "1)", "groups"))]
    panel = axis.get_window_extent()
    boxes = [Text.get_window_extent(text) for text in texts]  # without its line
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for text, box in zip(texts, boxes, strict=True):
        assert panel.y0 - 2 < box.y0 < box.y1 < panel.y1 + 2
        assert abs(text.get_position()[1] - text.xy[1]) < 20  # rows
    assert texts[0].get_text() == "Party A (150)"
    named = sum("independent" in text.get_text() for text in texts)
    assert 3 < named < 12
    assert f"and {30 - named} other groups" in [text.get_text() for text in texts]


def test_groups_beyond_the_last_colour_share_one():
    colours = style.colours_of_groups([f"{i:02}" for i in range(12)])
    assert list(colours.values()) == [*style.GROUPS, *[style.OTHERS] * 3]
    beyond = [style.colour_of_component(len(style.PALE) + k) for k in range(4)]
    assert beyond == [style.OTHERS, style.NEXT_OTHERS] * 2


@pytest.mark.parametrize("groups", [None, np.repeat(["a party", "b"], [30, 10])])
@pytest.mark.parametrize("shape", [(40, 30), (20, 200), (100, 8)])
def test_the_reconstruction_has_data_and_expectation_in_the_same_order(shape, groups):
    rng = np.random.default_rng(0)
    codes, expectation = rng.integers(-1, 2, shape), rng.random(shape)
    given = sides(*shape)
    if groups is not None:
        along = [np.resize(groups, size) for size in shape]
        given = [side._replace(groups=each) for side, each in zip(given, along, strict=True)]
    axes = draw_reconstruction(np.where(codes < 0, np.nan, codes), expectation, given, "a method")
    assert_tidy(axes[0].figure)
    order = [order_of(side) for side in given]
    data, predicted = (axis.images[0].get_array() for axis in axes)
    np.testing.assert_array_equal(data.mask, codes[np.ix_(*order)] == -1)
    np.testing.assert_array_equal(data.compressed(), codes[np.ix_(*order)][~data.mask])
    np.testing.assert_array_equal(predicted, expectation[np.ix_(*order)])
    assert axes[0].get_title() == "V (orange: missing)"
    assert axes[1].get_title() == "E[V], a method"
    for axis in axes:
        for edge, side, lines in zip(("left", "bottom"), given, order, strict=True):
            ends = np.array([each[1:] for each in stripes(axis)[edge]])
            assert (ends[:, 1] - ends[:, 0]).sum() == len(lines) * (1 + (groups is not None))
            assert stripes(axis)[edge][0][0] == style.PALE[side.typical_of[lines[0]]]


def test_a_tie_without_a_direction_has_the_one_probability_of_the_tables():
    rng = np.random.default_rng(1)
    ties = np.triu(rng.random((40, 40)) < 0.3, 1).astype(float)
    ties, expectation, given = ties + ties.T, rng.random((40, 40)), sides(40, 40)
    order = order_of(given[0])
    predicted = draw_reconstruction(ties, expectation, given)[1].images[0].get_array()
    np.testing.assert_allclose(predicted, ((expectation + expectation.T) / 2)[np.ix_(order, order)])
    counts = draw_reconstruction(3 * ties, expectation, given)[1].images[0].get_array()
    np.testing.assert_array_equal(counts, expectation[np.ix_(order, order)])


def test_other_values_than_binary_ones_have_limits_of_their_own():
    counts = np.arange(1200.0).reshape(40, 30)
    axes = draw_reconstruction(counts, counts + 1, sides())
    assert axes[0].images[0].get_clim() == axes[1].images[0].get_clim()
    low, high = axes[0].images[0].get_clim()
    assert low == 0
    assert 1190 < high < 1200
    bar = axes[1].images[0].colorbar  # which says that there are values beyond its end, and has whole numbers
    assert bar.extend == "max"
    axes[0].figure.draw_without_rendering()
    assert bar.ax.get_xticklabels()[-1].get_text() == f"{high:,.0f}"
    binary = draw_reconstruction(counts % 2, counts / 1200, sides())
    assert binary[1].images[0].colorbar.extend == "neither"


def test_colours_of_ordered_categories_begin_at_the_lowest():
    """From 0 on, the palest category was grey, and the colour bar went below the categories."""
    ranks = np.arange(1200).reshape(40, 30) % 5
    matrix = nbmf.CategoryMatrix(ranks, names(40), names(30, "column"), categories=list("12345"))
    model = nbmf.OrdinalFactorVB(2, max_iter=3, random_state=0).fit(matrix)
    for axis in nbmf.plot.reconstruction(model, matrix):
        assert axis.images[0].get_clim() == (1, 5)


def test_titles_are_not_broken_within_a_number_of_components():
    title = "ordered logistic VB, column effects, learned, K = 8"
    axes = draw_reconstruction(np.zeros((40, 30)), np.zeros((40, 30)), sides(), title)
    assert " ".join(axes[1].get_title().split()) == f"E[V], {title}"
    for width in range(8, 60):
        assert wrapped(title, width).endswith("K = 8")


def test_pictures_are_drawn_into_the_axes_that_are_given():
    figure, axes = plt.subplots(1, 2)
    assert draw_factors(sides(), list("1234"), ax=axes) == list(axes)
    assert len(figure.axes) == 2  # no colour bar
    with pytest.raises(ConfigError, match=r"^ax: 1 of them given; this picture needs an array of 2"):
        draw_reconstruction(np.zeros((40, 30)), np.zeros((40, 30)), sides(), ax=axes[0])
    with pytest.raises(ConfigError, match=r"^ax: a Figure given; this picture needs one axis"):
        draw_factors(sides()[:1], list("1234"), ax=figure)


def test_the_style_of_the_caller_stays():
    with plt.rc_context():
        plt.rcdefaults()
        before = dict(plt.rcParams)
        axes = draw_factors(sides(), list("1234"))
        assert dict(plt.rcParams) == before
        assert not axes[0].spines["top"].get_visible()
        assert axes[0].xaxis.label.get_fontsize() == style.RC["axes.labelsize"]


def test_a_notebook_goes_on_showing_pictures():
    """Its backend, loaded by the first figure, makes Matplotlib interactive."""

    @style.in_style
    def first_figure():
        plt.rcParams["interactive"] = True
        return plt.rcParams["font.size"]

    with plt.rc_context({"interactive": False}):
        assert first_figure() == style.RC["font.size"]
        assert plt.isinteractive()


def test_no_component_is_a_picture_too():
    rows, columns = (side._replace(weights=np.zeros((len(side.names), 0))) for side in sides(9, 7))
    axes = draw_factors([rows, columns], [])
    assert [len(shown_names(axis)) for axis in axes] == [9, 7]
    assert all("none" in str(axis.get_xticklabels()) for axis in axes)
    assert most_distinctive(rows, 5).size == 5
    V = np.zeros((9, 7))
    draw_reconstruction(V, V, [rows, columns], "")
