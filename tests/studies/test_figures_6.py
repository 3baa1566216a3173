"""Figure 6 on made-up members: order, titles, borders and names of the parties, the page."""

import numpy as np
import pytest
from figure_checks import assert_tidy
from matplotlib.image import imread

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.plotting import style
from nbmf_studies.framework.loaded import ShownFit
from nbmf_studies.lumbreras2020 import figure_6

SIZES = {"PP": 4, "Ciutadans": 35, "CEC": 8, "JuntsxCat": 35, "CUP": 4, "ERC": 28, "PSC": 16}


def members(sizes, seed=0):
    """Return a matrix of members in any order, the columns in another order than the rows."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(list(sizes), list(sizes.values())))
    names = np.array([f"{'mM'[i % 2]}ember{i:03}" for i in range(len(groups))])
    columns = rng.permutation(len(names))
    codes = rng.integers(0, 2, (len(names), len(names)))
    return BinaryMatrix.from_array(codes, names, names[columns], groups)


def reconstructions(matrix, count=5):
    rng = np.random.default_rng(1)
    labels = ["Beta-Dir GS", "Beta-Dir VB", "Dir-Dir GS", "bICA-8", "logPCA-8"][:count]
    return [shown(label, rng.random(matrix.shape), 1234.56 + i, i) for i, label in enumerate(labels)]


def shown(label, expectation, loss=1.0, active_components=1):
    return ShownFit("", label, loss, active_components, W=None, H=None, expectation=expectation)


def images(figure):
    return [axis.images[0].get_array() for axis in figure.axes if axis.images]


def test_rows_and_columns_are_sorted_alike_by_party_and_name():
    matrix = members({"small": 2, "large": 5, "b": 3, "a": 3})
    panels = reconstructions(matrix)
    figure = figure_6.draw(matrix, panels)
    party = dict(zip(matrix.row_names, matrix.row_groups, strict=True))
    places = ["large", "a", "b", "small"]
    names = sorted(matrix.row_names, key=lambda name: (places.index(party[name]), name.lower()))
    rows = [list(matrix.row_names).index(name) for name in names]
    columns = [list(matrix.column_names).index(name) for name in names]
    for shown, values in zip(images(figure), [matrix.codes, *(panel.expectation for panel in panels)], strict=True):
        np.testing.assert_array_equal(shown, values[np.ix_(rows, columns)])


def test_titles_give_the_loss_and_the_active_components():
    matrix = members({"a": 3, "b": 2})
    panels = reconstructions(matrix, 2)
    panels[1] = panels[1]._replace(loss=8930.4)
    titles = [axis.get_title() for axis in figure_6.draw(matrix, panels).axes if axis.images]
    assert titles == [
        "data V",
        "Beta-Dir GS\nD(V|V̂) = 1,235 nats, 0 active",
        "Beta-Dir VB\nD(V|V̂) = 8,930 nats, 1 active",
    ]


def test_black_is_one_and_the_scale_is_the_same_everywhere():
    matrix = members({"a": 3, "b": 2})
    panels = [shown("half", np.full(matrix.shape, 0.5))]
    for axis in figure_6.draw(matrix, panels).axes:
        for image in axis.images:
            assert image.get_clim() == (0, 1)
            assert image.cmap(0.0)[:3] == (1, 1, 1)
            assert image.cmap(1.0)[:3] == (0, 0, 0)


def test_missing_entries_look_like_neither_zero_nor_one():
    matrix = members({"a": 3, "b": 2})
    codes = np.array(matrix.codes)
    codes[0, 1] = -1
    matrix = BinaryMatrix(codes, matrix.row_names, matrix.column_names, matrix.row_groups)
    image = figure_6.draw(matrix, []).axes[0].images[0]
    assert np.ma.getmaskarray(image.get_array()).sum() == 1
    red, green, blue, _ = image.cmap(np.nan)
    assert red > 0.8 > green > blue


def test_borders_lie_between_parties():
    figure = figure_6.draw(members({"small": 2, "large": 5, "middle": 3}), [])
    lines = [(line.get_xdata(), line.get_ydata()) for line in figure.axes[0].lines]
    assert [list(y) for x, y in lines[::2]] == [[4.5, 4.5], [7.5, 7.5]]
    assert [list(x) for x, y in lines[1::2]] == [[4.5, 4.5], [7.5, 7.5]]
    assert [spine.get_visible() for spine in figure.axes[0].spines.values()] == [True] * 4


def test_the_colour_bar_is_labelled_from_zero_to_one():
    figure = figure_6.draw(members({"a": 3, "b": 2}), [])
    bar = figure.axes[-1]
    assert bar.get_ylim() == (0, 1)
    assert bar.get_ylabel() == "probability of a one, E[V]"


@pytest.mark.parametrize("count", [1, 4, 5])
def test_the_figure_is_tidy_and_names_the_parties_of_every_panel(count):
    matrix = members(SIZES)
    figure = figure_6.draw(matrix, reconstructions(matrix, count))
    assert_tidy(figure)
    assert figure.get_size_inches()[0] == style.PAGE_WIDTH
    axes = [axis for axis in figure.axes if axis.images]
    extents = [text.get_window_extent() for axis in axes for text in [axis.title, *axis.texts]]
    assert not any(a.overlaps(b) for i, a in enumerate(extents) for b in extents[:i])
    order = ["Ciutadans", "JuntsxCat", "ERC", "PSC", "CEC", "CUP", "PP"]
    assert [text.get_text() for text in axes[0].texts[:7]] == order
    assert [text.get_text() for text in axes[-1].texts[-7:]] == order
    for text in axes[0].texts[:7]:
        assert text.get_fontsize() >= 5


def test_refusals():
    matrix = members({"a": 3, "b": 2})
    with pytest.raises(DataError, match="no row groups"):
        figure_6.draw(BinaryMatrix(matrix.codes, matrix.row_names, matrix.column_names), [])
    other = [f"other {n}" for n in range(5)]
    with pytest.raises(DataError, match="same names"):
        figure_6.draw(BinaryMatrix(matrix.codes, matrix.row_names, other, matrix.row_groups), [])
    with pytest.raises(DataError, match=r"bICA-8: the shape \(4, 5\)"):
        figure_6.draw(matrix, [shown("bICA-8", np.zeros((4, 5)))])


def test_saved_twice_the_bytes_are_the_same(tmp_path):
    matrix = members({"a": 3, "b": 2})
    for name in ("one", "other"):
        figure = figure_6.draw(matrix, reconstructions(matrix, 2))
        style.save(figure, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for suffix in ("png", "pdf"):
        one, other = ((tmp_path / f"{n}.{suffix}").read_bytes() for n in ("one", "other"))
        assert one == other
    assert imread(tmp_path / "one.png").shape[1] >= 0.95 * style.PAGE_WIDTH * 200
