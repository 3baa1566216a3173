"""Figure 11 on made-up traces: the lines, bands and gaps that have to be there, on the page."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_hex

from nbmf.catalogue import METHODS, colours_of
from nbmf.plotting import progress as figure_11
from nbmf.plotting import style

COLOURS = colours_of(METHODS)
SERIES = [
    ("beta-dir-vb", 100, "Beta-Dir VB", COLOURS["beta-dir-vb"]),
    ("c-bica", 5, "c-bICA-5", COLOURS["c-bica"]),
    ("bica", 5, "bICA-5", COLOURS["bica"]),
]
DATASETS = ["animals", "lastfm", "paleo", "parliament", "unvotes"]
ITERATIONS = [*range(1, 11), *range(20, 501, 10)]


def made_up(masks=3):
    """Return traces of every series and of another K; masks differ by 0.01."""
    keys = [
        (dataset, method, K, mask, iteration)
        for dataset in DATASETS
        for method, K in [(method, K) for method, K, _, _ in SERIES] + [("bica", 4)]
        for mask in range(masks)
        for iteration in ITERATIONS
    ]
    traces = pd.DataFrame(keys, columns=["dataset", "method", "K", "mask", "iteration"])
    level = traces["dataset"].map(DATASETS.index) + traces["K"] / 1000 + traces["mask"] / 100
    return traces.assign(perplexity=level + 1 / traces["iteration"])


def test_one_panel_per_dataset_in_the_given_order():
    datasets = ["paleo", "animals"]
    assert list(panels(figure_11.draw(made_up(), SERIES, datasets))) == datasets


def test_lines_are_means_over_masks_in_the_colour_of_their_method():
    axes = panels(figure_11.draw(made_up(), SERIES, DATASETS))
    for i, dataset in enumerate(DATASETS):
        lines = axes[dataset].lines
        for line, (_, K, _, colour) in zip(lines, SERIES, strict=True):
            assert to_hex(line.get_color()) == colour.lower()
            assert line.get_xdata().tolist() == ITERATIONS
            expected = i + K / 1000 + 0.01 + 1 / np.array(ITERATIONS)
            assert line.get_ydata() == pytest.approx(expected)


def test_bands_are_one_standard_deviation_to_either_side():
    axis = panels(figure_11.draw(made_up(), SERIES, DATASETS))["animals"]
    for band, (_, K, _, _) in zip(axis.collections, SERIES, strict=True):
        heights = band.get_paths()[0].vertices
        at_500 = heights[heights[:, 0] == 500, 1]
        assert [at_500.min(), at_500.max()] == pytest.approx(
            [K / 1000 + 1 / 500, K / 1000 + 0.02 + 1 / 500]  # three masks 0.01 apart: std is 0.01
        )


def test_one_mask_is_a_line_without_width():
    axis = panels(figure_11.draw(made_up(masks=1), SERIES, ["animals"]))["animals"]
    heights = axis.collections[0].get_paths()[0].vertices
    assert np.ptp(heights[heights[:, 0] == 500, 1]) == 0


def test_a_missing_series_is_named():
    traces = made_up()
    gap = (traces["dataset"] == "paleo") & traces["method"].isin(["bica", "c-bica"])
    axes = panels(figure_11.draw(traces[~gap], SERIES, DATASETS))
    assert [text.get_text() for text in axes["paleo"].texts] == ["no fit: c-bICA-5, bICA-5"]
    assert len(axes["paleo"].lines) == 1
    assert not axes["animals"].texts


def test_the_legend_is_shared():
    figure = figure_11.draw(made_up(), SERIES, DATASETS)
    assert legend_texts(figure) == ["Beta-Dir VB", "c-bICA-5", "bICA-5"]


def test_the_axes_say_what_they_show():
    axes = panels(figure_11.draw(made_up(), SERIES, DATASETS))
    assert axes["animals"].get_ylabel() == "held-out log loss\n(nats per entry)"
    assert axes["animals"].get_xlabel() == "iteration"
    assert axes["animals"].get_xscale() == "log"


@pytest.mark.parametrize("datasets", [["animals"], ["animals", "parliament"], DATASETS])
def test_the_figure_is_tidy(datasets):
    figure = figure_11.draw(made_up(), SERIES, datasets)
    assert figure.get_figwidth() == style.PAGE_WIDTH
    assert_tidy(figure)


def test_the_same_traces_give_the_same_bytes(tmp_path):
    for name in ("one.pdf", "other.pdf"):
        style.save(figure_11.draw(made_up(), SERIES, DATASETS), tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "other.pdf").read_bytes()
