"""Figure 10 on made-up scores: every box, gap and mark that has to be there, inside the page."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.image import imread

from nbmf.baseline_names import BASELINES
from nbmf.catalogue import METHODS as METHODS_OF_NBMF
from nbmf.catalogue import colours_of
from nbmf.plotting import boxes as figure_10
from nbmf.plotting import style

METHODS = {
    "bica": {"label": "bICA", "K": [2, 3]},
    "beta-dir-vb": {"label": "Beta-Dir VB", "K": [100]},
    "logpca": {"label": "logPCA", "K": [2, 4]},
}
# A comparison has methods of one kind of matrix: those of ordered categories are drawn by themselves.
ORDINAL = {name: entry for name, entry in METHODS_OF_NBMF.items() if name.startswith("ordinal-")}
PAPER = {name: METHODS_OF_NBMF[name] for name in METHODS_OF_NBMF if name not in ("lda", *ORDINAL)}
FIVE = ["animals", "lastfm", "paleo", "parliament", "unvotes"]
DATASETS = ["paleo", "animals", "lastfm"]
COLOURS = colours_of(METHODS_OF_NBMF)


def made_up(methods=METHODS, datasets=DATASETS, masks=5):
    """Return scores of every combination; the perplexity says which one it is."""
    keys = [
        (dataset, method, K, mask)
        for dataset in datasets
        for method, entry in methods.items()
        for K in entry["K"]
        for mask in range(masks)
    ]
    scores = pd.DataFrame(keys, columns=["dataset", "method", "K", "mask"])
    level = scores["dataset"].map(datasets.index) + scores["method"].map(list(methods).index) / 10
    return scores.assign(perplexity=level + scores["K"] / 1000 + scores["mask"] / 1e5, saturated=0)


def where(scores, **key):
    return np.logical_and.reduce([scores[name] == value for name, value in key.items()])


def diagnosed(not_converged):
    """Return diagnostics in which these (dataset, method) have not converged, and one has."""
    rows = [[*key, False] for key in not_converged] + [["paleo", "bica", True]]
    return pd.DataFrame(rows, columns=["dataset", "method", "converged"])


def made_up_baselines(datasets):
    """Return one baseline among the boxes of the first dataset, and one far above all."""
    rows = [
        [name, label, 0.1 + 9 * place, mask]
        for name in datasets
        for mask in range(2)
        for place, label in enumerate(["the proportion of ones", "something else"])
    ]
    return pd.DataFrame(rows, columns=["dataset", "label", "perplexity", "mask"])


@pytest.fixture
def draw():
    """Draw the figure, lay it out, and close it after the test."""

    def drawn(scores, methods=METHODS, datasets=DATASETS, not_converged=None, baselines=None):
        diagnostics = None if not_converged is None else diagnosed(not_converged)
        figure = figure_10.draw(scores, methods, datasets, COLOURS, diagnostics, baselines)
        figure.draw_without_rendering()
        return figure

    return drawn


def panels(figure):
    return {axis.get_title(): axis for axis in figure.axes if axis.axison}


def medians(axis):
    """Return the height of the black line in each box, by position."""
    lines = [line for line in axis.lines if line.get_color() == "black" and len(line.get_xdata()) == 2]
    return {round(float(np.mean(line.get_xdata()))): line.get_ydata()[0] for line in lines}


def legend_texts(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_panel_per_dataset_in_the_given_order(draw, count):
    figure = draw(made_up(), datasets=DATASETS[:count])
    assert list(panels(figure)) == DATASETS[:count]


def test_one_box_per_method_and_K(draw):
    axes = panels(draw(made_up()))
    for i, dataset in enumerate(DATASETS):
        axis = axes[dataset]
        assert len(axis.patches) == 5
        assert [text.get_text() for text in axis.get_xticklabels()] == ["2", "3", "100", "2", "4"]
        # As made_up has it: dataset + method / 10 + K / 1000, and 2e-5 for the middle one of masks.
        expected = [i + 0.002, i + 0.003, i + 0.1 + 0.1, i + 0.2 + 0.002, i + 0.2 + 0.004]
        found = medians(axis)
        assert list(found) == [0, 1, 2, 3, 4]
        assert list(found.values()) == pytest.approx([value + 2e-5 for value in expected], rel=1e-9)


def test_boxes_have_the_colour_of_their_method(draw):
    figure = draw(made_up())
    boxes = [to_hex(patch.get_facecolor()) for patch in panels(figure)["paleo"].patches]
    keys = [to_hex(handle.get_facecolor()) for handle in figure.legends[0].get_patches()]
    assert boxes == [keys[0], keys[0], keys[1], keys[2], keys[2]]
    assert keys == [COLOURS[method].lower() for method in METHODS]
    assert len(set(keys)) == 3


def test_the_legend_names_the_methods(draw):
    figure = draw(made_up())
    assert legend_texts(figure) == ["bICA", "Beta-Dir VB", "logPCA"]
    assert figure.legends[0].get_title().get_text() == "below each box: K"


def test_a_missing_fit_is_a_gap_that_says_so(draw):
    scores = made_up()
    gap = where(scores, dataset="animals", method="beta-dir-vb", K=100)
    axes = panels(draw(scores[~gap]))
    (text,) = axes["animals"].texts
    assert text.get_text() == "no fit"
    assert text.xy[0] == 2
    assert len(axes["animals"].patches) == 4
    assert 2 not in medians(axes["animals"])
    assert not axes["paleo"].texts
    assert len(axes["paleo"].patches) == 5


def test_a_dataset_without_any_fit_is_a_panel_of_gaps(draw):
    scores = made_up()
    axis = panels(draw(scores[scores["dataset"] != "lastfm"]))["lastfm"]
    assert [text.get_text() for text in axis.texts] == ["no fit"] * 5


def markers(axis):
    return [line for line in axis.lines if line.get_marker() == "v"]


def test_saturated_predictions_are_marked_and_explained(draw):
    scores = made_up()
    scores.loc[where(scores, dataset="animals", method="logpca", K=4, mask=1), "saturated"] = 2
    figure = draw(scores)
    axes = panels(figure)
    (marker,) = markers(axes["animals"])
    assert marker.get_xdata() == [4]
    assert marker.get_ydata() == [pytest.approx(1 + 0.2 + 0.004 + 4e-5)]  # the highest of its box
    assert not markers(axes["paleo"]) + markers(axes["lastfm"])
    assert legend_texts(figure)[-1] == "held-out entries predicted impossible (36.7 nats each)"


def test_saturated_predictions_beyond_the_axis_are_marked_where_it_ends(draw):
    scores = made_up()
    of_box = where(scores, dataset="animals", method="logpca", K=4)
    scores.loc[of_box, "perplexity"] += 50.0
    scores.loc[of_box, "saturated"] = 1
    axis = panels(draw(scores))["animals"]
    (marker,) = markers(axis)
    assert marker.get_ydata() == [axis.get_ylim()[1]] < [50.0]
    assert not marker.get_clip_on()


def test_nothing_saturated_needs_no_explanation(draw):
    scores = made_up()
    scores.loc[0, ["method", "saturated"]] = "lda", 3  # a method that is not drawn
    figure = draw(scores)
    assert len(legend_texts(figure)) == 3
    assert not [marker for axis in panels(figure).values() for marker in markers(axis)]


DAGGER = figure_10.NOT_CONVERGED


def test_samplers_that_have_not_converged_are_marked_and_explained(draw):
    figure = draw(made_up(), not_converged={("animals", "beta-dir-vb"), ("lastfm", "logpca")})
    labels = {dataset: [text.get_text() for text in axis.get_xticklabels()] for dataset, axis in panels(figure).items()}
    assert labels == {
        "paleo": ["2", "3", "100", "2", "4"],
        "animals": ["2", "3", "100" + DAGGER, "2", "4"],
        "lastfm": ["2", "3", "100", "2" + DAGGER, "4" + DAGGER],
    }
    assert legend_texts(figure)[-1] == "chains have not converged (R-hat, ESS)"
    width, height = figure.legends[0].legend_handles[-1].get_marker().get_extents().size
    assert height > 1.5 * width  # upright, which the letters of "$dagger$" in a row are not


def test_only_methods_that_are_drawn_are_explained(draw):
    figure = draw(made_up(), not_converged={("animals", "dir-dir-gs")})
    assert len(legend_texts(figure)) == 3
    assert DAGGER not in [t.get_text() for t in panels(figure)["animals"].get_xticklabels()]


def test_diagnostics_without_chains_mark_nothing(draw):
    figure = draw(made_up(), not_converged=set())
    empty = figure_10.draw(made_up(), METHODS, DATASETS, COLOURS, diagnosed(set()).iloc[:0])
    assert legend_texts(figure) == legend_texts(empty)
    assert len(legend_texts(empty)) == 3


def test_baselines_are_named_and_drawn_where_boxes_are(draw):
    baselines, more = made_up_baselines(DATASETS), {name: i / 1000 for i, name in enumerate(DATASETS)}
    baselines["perplexity"] += baselines["dataset"].map(more)
    axes = panels(draw(made_up(), baselines=baselines))
    for name, axis in axes.items():
        text = axis.get_xlabel().replace("\n", " ")
        dashed, between = (" (dashed)", "; not drawn: ") if name == "paleo" else ("", ", ")
        of_ones, other = 0.1 + more[name], 9.1 + more[name]
        assert text == f"to beat{dashed}: the proportion of ones {of_ones:.3f}{between}something else {other:.3f}"
        lines = [line for line in axis.get_lines() if line.get_linestyle() == "--"]
        assert [line.get_ydata()[0] for line in lines] == ([0.1] if name == "paleo" else [])


@pytest.mark.parametrize(("letters", "columns"), [(10, 3), (28, 2), (50, 1)])
def test_a_legend_has_as_many_columns_as_fit(draw, letters, columns):
    methods = {name: entry | {"label": "m" * letters} for name, entry in METHODS.items()}
    legend = draw(made_up(), methods).legends[0]
    assert legend._ncols == columns
    assert legend.get_window_extent().width <= legend.figure.bbox.width


def test_the_axis_says_what_it_shows(draw):
    axes = panels(draw(made_up()))
    assert axes["paleo"].get_ylabel() == "held-out log loss\n(nats per entry)"


@pytest.mark.parametrize("methods", [PAPER, ORDINAL], ids=["all", "ordinal"])
@pytest.mark.parametrize("datasets", [["animals"], FIVE], ids=["one", "five"])
def test_nothing_of_the_papers_figure_is_outside_the_canvas_or_overlaps(draw, datasets, methods):
    scores = made_up(methods, datasets).assign(saturated=1)
    not_converged = {("animals", method) for method in methods}
    baselines = pd.concat(made_up_baselines(datasets).assign(label=label) for label in BASELINES.values())
    figure = draw(scores, methods, datasets, not_converged, baselines)
    assert list(panels(figure)) == datasets
    canvas = figure.bbox.padded(1)  # pixels of 150 to an inch
    assert min(axis.get_window_extent().height for axis in panels(figure).values()) > 200  # names over boxes have room
    boxes = [axis.get_tightbbox() for axis in panels(figure).values()]
    boxes += [legend.get_window_extent() for legend in figure.legends]
    for i, box in enumerate(boxes):
        assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
        assert canvas.y0 <= box.y0 < box.y1 <= canvas.y1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_labels_of_neighbouring_boxes_do_not_overlap(draw):
    not_converged = {("animals", method) for method in PAPER}
    figure = draw(made_up(PAPER, ["animals", "paleo"]), PAPER, ["animals", "paleo"], not_converged)
    for axis in panels(figure).values():
        extents = [text.get_window_extent() for text in axis.get_xticklabels() if text.get_text()]
        assert all(a.x1 <= b.x0 for a, b in pairwise(extents)), extents[:4]


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_the_same_scores_give_the_same_bytes(draw, tmp_path, suffix):
    for name in ("one", "other"):
        style.save(draw(made_up()), tmp_path / f"{name}.{suffix}")
    one, other = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "other"))
    assert one == other
    style.save(draw(made_up(masks=4)), tmp_path / f"other.{suffix}")
    assert (tmp_path / f"other.{suffix}").read_bytes() != one


def test_saved_figures_are_pictures_and_closed(draw, tmp_path):
    style.save(draw(made_up()), tmp_path / "a.png", tmp_path / "a.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png"]
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    picture = imread(tmp_path / "a.png")
    assert picture.shape[1] >= 0.95 * style.PAGE_WIDTH * 200
    assert picture[..., :3].min() < 0.1 < 0.9 < picture[..., :3].max()
    assert not plt.get_fignums()


def test_a_figure_of_fine_detail_is_saved_with_more_pixels(draw, tmp_path):
    style.save(draw(made_up()), tmp_path / "a.png")
    style.save(draw(made_up()), tmp_path / "b.png", dpi=300)
    coarse, fine = (imread(tmp_path / name).shape for name in ("a.png", "b.png"))
    assert fine[1] == pytest.approx(1.5 * coarse[1], rel=0.02)


def of_methods(worse, K=(2,)):
    """Return scores of methods that are so many nats worse than the best, and their entries."""
    rows = [
        {
            "dataset": "d",
            "method": name,
            "K": k,
            "mask": j,
            "perplexity": 0.3 + 0.01 * j + behind,
            "saturated": 0,
            "status": "ok",
        }
        for name, behind in worse.items()
        for k in K
        for j in range(4)
    ]
    return pd.DataFrame(rows), {name: {"label": f"the {name}", "K": list(K)} for name in worse}


def test_one_bad_method_does_not_flatten_the_others():
    scores, methods = of_methods({"a": 0, "b": 0.02, "c": 0.04, "bad": 5.0})
    figure = figure_10.draw(scores, methods, ["d"], dict.fromkeys(methods, "#000000"))
    low, high = figure.axes[0].get_ylim()
    assert low < 0.3
    assert 0.37 < high < 0.5
    assert "↑ 5.31" in [text.get_text() for text in figure.axes[0].texts]


def test_a_box_as_high_as_others_is_drawn_whole_though_it_lies_beyond_the_end():
    # The axis ends at .36: the median of "bad" lies within, that of "worse" beside its whiskers.
    scores, methods = of_methods({"a": 0, "b": 0, "c": 0, "bad": 0.04, "worse": 0.05})
    figure = figure_10.draw(scores, methods, ["d"], dict.fromkeys(methods, "#000000"))
    assert figure.axes[0].get_ylim()[1] > scores["perplexity"].max()
    assert not figure.axes[0].texts
