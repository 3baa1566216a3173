"""Figures 7 to 9 on made-up dictionaries: what is shown in which order, names, notes, the page."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import texts_of
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.plotting import style
from nbmf.plotting.dictionaries import Dictionary, columns_by_norm, draw, meaningful_row_order, to_unit_range
from nbmf.plotting.ordering import order_by_group
from nbmf.plotting.strips import Run, runs_of, spread
from nbmf_studies.framework.loaded import ShownFit
from nbmf_studies.learned_priors import dictionaries as learned_priors
from nbmf_studies.lumbreras2020 import dictionaries as lumbreras2020

LABELS = ["Beta-Dir GS", "Beta-Dir VB", "Dir-Dir GS", "bICA-4", "logPCA-7"]
PARTIES = np.repeat(["Cs", "JuntsxCat", "ERC", "PSC", "CEC", "CUP", "PP"], [35, 35, 28, 16, 8, 4, 4])


def names(F, letters=14):
    return np.array([f"row {f:03}".ljust(letters, "e") for f in range(F)])


def dictionaries(F, seed=0):
    rng = np.random.default_rng(seed)
    Ws = [rng.dirichlet(np.full(K, 0.1), F) for K in (100, 100, 100, 4)]
    Ws.append(rng.normal(0, 60, (F, 7)))
    notes = ["9 active components"] * 3 + [""] * 2
    return [Dictionary(*panel) for panel in zip(LABELS, Ws, notes, strict=True)]


def panels(figure):
    return [axis for axis in figure.axes if axis.get_title()]


def shown(axis):
    return np.asarray(axis.images[0].get_array())


def note(axis):
    return " ".join(axis.get_xlabel().split())


# --- Helpers ---------------------------------------------------------------------------------


def test_columns_by_norm():
    W = np.array([[0.0, 3.0, 1.0, -3.0], [2.0, 4.0, 1.0, 4.0]])
    assert columns_by_norm(W).tolist() == [1, 3, 0, 2]  # 5, 5, 2, 1.4: the norm, not the sum


def test_to_unit_range():
    W = np.array([[-200.0, 0.0], [100.0, 200.0]])
    mapped, low, high = to_unit_range(W)
    assert (low, high) == (-200, 200)
    np.testing.assert_allclose(mapped, [[0, 0.5], [0.75, 1]])
    assert W[0, 0] == -200


def test_a_constant_dictionary_has_no_range():
    mapped, low, high = to_unit_range(np.full((2, 3), 7.0))
    assert (low, high) == (7, 7)
    assert (mapped == 0.5).all()


def test_order_by_group_is_by_size_then_name():
    row_names = np.array(["b", "C", "a", "x", "y", "c"])
    groups = np.array(["P", "Q", "Q", "R", "R", "Q"])
    assert row_names[order_by_group(row_names, groups)].tolist() == ["a", "C", "c", "x", "y", "b"]
    ties = np.array(["Q", "P", "Q", "P", "R", "R"])
    assert ties[order_by_group(row_names, ties)].tolist() == ["P", "P", "Q", "Q", "R", "R"]


def test_rows_without_groups_form_blocks():
    W = np.array([[0.1, 0.9, 0.0], [0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.7, 0.3]])
    order = meaningful_row_order(W, names(5))
    assert order.tolist() == [2, 0, 4, 3, 1]  # column 1 has the larger norm


def test_rows_with_groups_are_in_groups():
    groups = np.array(["P", "Q", "Q", "P", "Q"])
    order = meaningful_row_order(np.eye(5), names(5), groups)
    assert order.tolist() == [1, 2, 4, 0, 3]


def test_runs_of_groups():
    assert runs_of(np.array(["a", "a", "b", "a"])) == [Run("a", 0, 2), Run("b", 2, 3), Run("a", 3, 4)]
    assert runs_of(np.array([])) == []


def test_spread_keeps_places_apart_and_leaves_others():
    assert spread([0, 10, 11, 12, 30], 4).tolist() == [0, 10, 14, 18, 30]


# --- The figure ------------------------------------------------------------------------------


def test_rows_in_order_and_columns_by_norm():
    rng = np.random.default_rng(0)
    W, order = rng.random((20, 9)), rng.permutation(20)
    (axis,) = panels(draw([Dictionary("bICA-9", W)], names(20), None, 5, order))
    largest = np.argsort(-(W**2).sum(axis=0))[:5]
    np.testing.assert_array_equal(shown(axis), W[order][:, largest])
    assert [text.get_text() for text in axis.get_yticklabels()] == list(names(20)[order])
    assert [text.get_text() for text in axis.get_xticklabels()] == ["1", "2", "3", "4", "5"]


def test_black_is_one_whatever_the_values():
    figure = draw([Dictionary("low", np.full((5, 2), 0.1))], names(5), None, 2, np.arange(5))
    image = panels(figure)[0].images[0]
    assert image.get_clim() == (0, 1)
    assert image.cmap(1.0)[:3] == (0, 0, 0)


def test_values_outside_zero_and_one_are_mapped_and_the_range_is_stated():
    W = np.array([[-207.17, 3.0], [217.92, 5.0], [0.0, -4.0]])
    figure = draw([Dictionary("logPCA-2", W, "D = 1,783")], names(3), None, 1, np.arange(3))
    (axis,) = panels(figure)
    np.testing.assert_allclose(shown(axis)[:, 0], (W[:, 0] + 207.17) / (217.92 + 207.17))
    assert note(axis) == "W in [-207.2, 217.9] mapped to [0, 1] D = 1,783"


def test_the_range_is_of_all_columns_and_columns_are_sorted_before_the_mapping():
    W = np.array([[-100.0, 10.0, 1.0], [-90.0, 30.0, 1.0]])
    (axis,) = panels(draw([Dictionary("logPCA-3", W)], names(2), None, 2, np.arange(2)))
    np.testing.assert_allclose(shown(axis), (W[:, :2] + 100) / 130)  # column 0 has the largest norm


def test_intervals_are_never_broken_over_lines():
    for axis in panels(draw(dictionaries(253), names(253), None, 7, np.arange(253))):
        for line in axis.get_xlabel().split("\n"):
            assert line.count("[") == line.count("]")


def test_values_inside_are_not_mapped():
    W = np.array([[0.2, 0.4], [0.6, 0.8]])
    (axis,) = panels(draw([Dictionary("bICA-2", W)], names(2), None, 2, np.arange(2)))
    np.testing.assert_array_equal(shown(axis), W[:, [1, 0]])
    assert note(axis) == ""


def test_each_panel_has_a_frame():
    for axis in panels(draw(dictionaries(20), names(20), None, 5, np.arange(20))):
        assert [spine.get_visible() for spine in axis.spines.values()] == [True] * 4


def test_missing_columns_are_hatched_and_said():
    figure = draw(dictionaries(20), names(20), None, 7, np.arange(20))
    for axis in panels(figure):
        hatched = [p for p in axis.patches if isinstance(p, Rectangle) and p.get_hatch()]
        assert axis.get_xlim() == (-0.5, 6.5)
        if axis.get_title() == "bICA-4":
            (rectangle,) = hatched
            assert (rectangle.get_x(), rectangle.get_width()) == (3.5, 3)
            assert sorted([rectangle.get_y(), rectangle.get_y() + rectangle.get_height()]) == [-0.5, 19.5]
            assert note(axis) == "K = 4: no more columns"
        else:
            assert not hatched
            assert "no more columns" not in note(axis)


def test_long_dictionaries_are_split_and_lose_no_row():
    F = 253
    order = np.random.default_rng(1).permutation(F)
    given = dictionaries(F)
    axes = panels(draw(given, names(F), None, 7, order))
    assert [axis.get_title() for axis in axes] == LABELS * 2
    named = [text.get_text() for i in (0, 5) for text in axes[i].get_yticklabels()]
    assert named == list(names(F)[order])
    both = np.vstack([shown(axes[1]), shown(axes[6])])
    np.testing.assert_array_equal(both, given[1].W[order][:, columns_by_norm(given[1].W)[:7]])
    assert axes[0].get_ylim() == axes[5].get_ylim()  # rows of the same height


def test_groups_have_stripes_labels_and_separators():
    order = np.arange(130)
    axes = panels(draw(dictionaries(130), names(130), PARTIES, 8, order))
    assert [text.get_text() for text in axes[-1].texts] == [
        "Cs (35)",
        "JuntsxCat (35)",
        "ERC (28)",
        "PSC (16)",
        "CEC (8)",
        "CUP (4)",
        "PP (4)",
    ]
    for axis in (axes[0], axes[-1]):
        stripes = [line for line in axis.lines if line.get_linewidth() > 2]
        assert [list(line.get_ydata()) for line in stripes][:2] == [[-0.5, 34.5], [34.5, 69.5]]
        assert len({to_hex(line.get_color()) for line in stripes}) == 7
    for axis in axes:
        borders = [line.get_ydata()[0] for line in axis.lines if line.get_linewidth() < 2]
        assert borders == [34.5, 69.5, 97.5, 113.5, 121.5, 125.5]


def test_groups_of_a_split_dictionary_continue():
    groups = np.repeat(["one", "two"], [150, 50])
    axes = panels(draw(dictionaries(200), names(200), groups, 7, np.arange(200)))
    assert [text.get_text() for text in axes[4].texts] == ["one (150)"]
    assert [text.get_text() for text in axes[9].texts] == ["one (150)", "two (50)"]


@pytest.mark.parametrize(
    ("F", "groups", "letters"),
    [(130, PARTIES, 15), (100, None, 52), (253, None, 20), (12, None, 8)],
    ids=["parliament", "unvotes_coldwar", "paleo", "small"],
)
def test_every_text_is_on_the_page_and_over_no_other(F, groups, letters):
    figure = draw(dictionaries(F), names(F, letters), groups, 8, np.arange(F))
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    assert width == style.PAGE_WIDTH
    assert height <= 9.5
    texts = [text for axis in figure.axes for text in texts_of(axis) if text.get_text()]
    boxes = np.array([text.get_window_extent().extents for text in texts])
    low, high = boxes[:, :2], boxes[:, 2:]
    assert (low >= -1).all()
    assert (high <= np.array(figure.bbox.size) + 1).all()
    over = (low[:, None] < high[None]).all(axis=2) & (low[None] < high[:, None]).all(axis=2)
    first, second = np.nonzero(np.triu(over, 1))
    assert not [(texts[i].get_text(), texts[j].get_text()) for i, j in zip(first, second, strict=True)]
    assert min(text.get_fontsize() for text in texts) >= 3.5
    panel_boxes = [axis.get_position() for axis in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(panel_boxes) for b in panel_boxes[:i])


def test_refusals():
    given = dictionaries(20)
    with pytest.raises(DataError, match="Beta-Dir GS: W has 20 rows, 21 are named"):
        draw(given, names(21), None, 7, np.arange(21))
    for order in (np.arange(19), np.zeros(20, dtype=int), np.arange(20) + 1):
        with pytest.raises(DataError, match="every row from 0 to 19"):
            draw(given, names(20), None, 7, order)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_saved_twice_the_bytes_are_the_same(tmp_path, suffix):
    for name in ("one", "other"):
        figure = draw(dictionaries(20), names(20), None, 7, np.arange(20))
        style.save(figure, tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{n}.{suffix}").read_bytes() for n in ("one", "other"))
    assert one == other


# --- Figures 7, 8 and 9 ----------------------------------------------------------------------


def test_the_figures_of_the_paper_note_what_has_not_converged_on_their_dataset():
    codes = np.eye(20, 6, dtype=np.int8)
    matrix = BinaryMatrix(codes, names(20), names(6), PARTIES[40:60])
    fits = [
        ShownFit(method, label, 1.0, 2, dictionary.W, None, None)
        for method, label, dictionary in zip("abcde", LABELS, dictionaries(20), strict=True)
    ]
    rows = [("mine", "a", True), ("mine", "b", False), ("other", "c", False)]
    diagnostics = pd.DataFrame(rows, columns=["dataset", "method", "converged"])
    figure = lumbreras2020.draw(matrix, fits, "mine", 3, diagnostics)
    notes = {axis.get_title(): note(axis) for axis in panels(figure)}
    assert [label for label in LABELS if "chains not converged" in notes[label]] == ["Beta-Dir VB"]
    assert all(axis.get_xlim() == (-0.5, 2.5) for axis in panels(figure))
    order = order_by_group(names(20), PARTIES[40:60])
    shown_names = [text.get_text() for text in panels(figure)[0].get_yticklabels()]
    assert shown_names == names(20)[order].tolist()


# --- Learned priors --------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "columns"), [(15, 4), (3, 3)])
def test_components_of_which_nothing_is_seen_have_no_column(most, columns):
    matrix = BinaryMatrix(np.eye(20, 6, dtype=np.int8), names(20), names(6))
    few, more = np.full((2, 20, 30), 0.01)
    few[:, 7], few[3, 2], more[:, :3], more[5, 9] = 0.7, 0.06, 0.2, 0.05
    fits = [ShownFit("a", label, 1.0, 1, W, None, None) for label, W in (("few", few), ("more", more))]
    figure = learned_priors.draw(matrix, fits, most)
    assert all(axis.get_xlim() == (-0.5, columns - 0.5) for axis in panels(figure))
    assert figure.axes[-1].get_xlabel() == "entry of W"


def test_the_bar_speaks_of_mapped_entries_where_there_are_any():
    given = dictionaries(20)
    labels = [
        figure.axes[-1].get_xlabel()
        for figure in (draw(each, names(20), None, 7, np.arange(20)) for each in (given, given[:4]))
    ]
    assert labels == ["entry of W (mapped, where the note says so)", "entry of W"]
