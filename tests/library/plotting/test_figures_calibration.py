"""The reliability diagram on made-up bins: every line and point, the diagonal, the page."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex

from nbmf.catalogue import METHODS
from nbmf.plotting import reliability, style

ALL = {name: entry["label"] for name, entry in METHODS.items() if name != "lda"}
LABELS = dict(list(ALL.items())[:7])
DATASETS = ["animals", "lastfm", "paleo", "parliament", "unvotes"]


def made_up(datasets=DATASETS, methods=LABELS, bins=range(20)):
    rows = [
        (dataset, method, 2, i, 2 * 10 ** (1 + (19 - i) % 5), (i + 0.4) / 20, (i / 20) ** (1 + j / 10))
        for dataset in datasets
        for j, method in enumerate(methods)
        for i in bins
    ]
    columns = ["dataset", "method", "K", "bin", "entries", "mean_p", "share_of_ones"]
    return pd.DataFrame(rows, columns=columns)


def draw(table, datasets=DATASETS, labels=LABELS):
    return reliability.draw(table, datasets, labels)


def lines(axis):
    """Return the lines of datasets by colour, without the diagonal."""
    return {to_hex(line.get_color()): line for line in axis.lines if line.get_linestyle() == "-"}


@pytest.mark.parametrize("count", [1, 2, 5, 6, len(ALL)])
def test_one_panel_per_method_in_the_given_order(count):
    labels = dict(list(ALL.items())[-count:][::-1])
    figure = draw(made_up(methods=labels), labels=labels)
    titles = [axis.get_title().replace("\n", " ") for axis in figure.axes if axis.axison]
    assert titles == list(labels.values())
    assert_tidy(figure)


def test_a_line_and_points_per_dataset_in_its_colour():
    table, datasets = made_up(), DATASETS[::-1]
    axis = panels(draw(table, datasets))[LABELS["bica"]]
    drawn = lines(axis)
    colours = [colour.lower() for colour in style.COLOURS[:5]]
    assert list(drawn) == colours
    for dataset, points, colour in zip(datasets, axis.collections, colours, strict=True):
        own = table[(table["dataset"] == dataset) & (table["method"] == "bica")]
        expected = own[["mean_p", "share_of_ones"]].to_numpy()
        np.testing.assert_array_equal(drawn[colour].get_xydata(), expected)
        np.testing.assert_array_equal(points.get_offsets(), expected)
        assert to_hex(points.get_facecolor()[0]) == colour


def test_points_grow_with_their_share_of_the_entries_and_the_legend_says_how():
    table = made_up(["paleo"], ["bica"], [2, 3, 4]).assign(entries=[100, 1000, 8900])
    figure = draw(table, ["paleo"], {"bica": "bICA"})
    (points,) = panels(figure)["bICA"].collections
    areas = points.get_sizes()
    roots = np.sqrt([0.01, 0.1, 0.89])
    assert np.diff(areas) == pytest.approx(np.diff(roots) * np.ptp(areas) / np.ptp(roots))
    assert areas[2] > 5 * areas[0]
    (legend,) = figure.legends
    shown = {text.get_text(): handle for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)}
    for area, text in zip(areas[:2], ("1 % of the entries", "10 % of the entries"), strict=True):
        assert shown[text].get_markersize() ** 2 == pytest.approx(area)


def test_bins_of_a_handful_of_entries_are_not_drawn_and_count_in_the_others_shares():
    table = made_up(["paleo"], ["bica"], [2, 3, 4, 5]).assign(entries=[181, 19, 200, 20])
    axis = panels(draw(table, ["paleo"], {"bica": "bICA"}))["bICA"]
    (points,) = axis.collections
    assert points.get_offsets()[:, 0].tolist() == table["mean_p"][[0, 2, 3]].tolist()
    assert points.get_sizes()[1] == pytest.approx(reliability._area(200 / 420))
    few = table.assign(entries=19)
    assert not panels(draw(few, ["paleo"], {"bica": "bICA"}))["bICA"].collections


def test_the_diagonal_is_in_every_panel_and_panels_are_square():
    figure = draw(made_up())
    for axis in panels(figure).values():
        (diagonal,) = (line for line in axis.lines if line.get_linestyle() == "--")
        assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
        assert axis.get_xlim() == axis.get_ylim()
        assert axis.get_xlim()[0] < 0 < 1 < axis.get_xlim()[1]
    figure.draw_without_rendering()
    axes = list(panels(figure).values())
    box = axes[1].get_window_extent()
    assert box.width == pytest.approx(box.height, rel=0.01)


def test_what_panels_show_is_said_at_the_edges():
    """The lowest panel of each column has numbers below it, the first of each row to the left of it."""
    axes = list(panels(draw(made_up())).values())
    below = [axis.get_xlabel() == "predicted probability" for axis in axes]
    left = [axis.get_ylabel() == "proportion of ones" for axis in axes]
    assert below == [False, False, True, True, True, True, True]
    assert left == [True, False, False, False, False, True, False]
    for axis, x, y in zip(axes, below, left, strict=True):
        assert any(text.get_text() for text in axis.get_xticklabels()) == x
        assert any(text.get_text() for text in axis.get_yticklabels()) == y


def test_the_legend_names_datasets_the_diagonal_and_sizes():
    texts = legend_texts(draw(made_up()))
    assert texts[: len(DATASETS) + 1] == [*DATASETS, "as predicted"]
    assert len(texts) == len(DATASETS) + 4


def test_what_has_no_bins_and_what_has_no_label_is_not_drawn():
    table = made_up(["paleo", "animals"], ["bica", "lda"])
    figure = draw(table, ["animals", "lastfm"], {"bica": "bICA", "logpca": "logPCA"})
    assert list(lines(panels(figure)["bICA"])) == [style.COLOURS[0].lower()]
    assert not lines(panels(figure)["logPCA"])
    assert_tidy(figure)


def test_a_single_bin_is_a_point():
    figure = draw(made_up(["paleo"], ["bica"], [1]), ["paleo"], {"bica": "bICA"})
    (points,) = panels(figure)["bICA"].collections
    assert points.get_offsets().tolist() == [[1.4 / 20, 1 / 20]]
    assert_tidy(figure)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_saved_twice_the_bytes_are_the_same(tmp_path, suffix):
    for name in ("one", "other"):
        style.save(draw(made_up()), tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{n}.{suffix}").read_bytes() for n in ("one", "other"))
    assert one == other
