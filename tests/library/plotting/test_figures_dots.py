"""The figure of many methods: a row for each, at its best K, a panel for each dataset."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy, legend_texts, panels

import nbmf
from nbmf.plotting import boxes, dots

LOSSES = {  # of each method by K on two masks, on two datasets
    "first": {"here": {2: [0.30, 0.32], 4: [0.20, 0.22]}, "there": {2: [0.5, 0.6], 4: [0.7, 0.8]}},
    "second": {"here": {3: [0.25, 0.27]}, "there": {3: [0.40, 0.44]}},
    "third": {"here": {3: [0.26, 0.30]}, "there": {3: [0.60, 0.64]}},
    "bad": {"here": {3: [2.0, 2.2]}, "there": {3: [0.65, 0.67]}},
}
METHODS = {name: {"label": f"the {name} method", "K": sorted(by["here"])} for name, by in LOSSES.items()}
COLOURS = dict(zip(METHODS, ["#0072B2", "#D55E00", "#009E73", "#CC79A7"], strict=True))


def table():
    rows = [
        {"dataset": dataset, "method": name, "K": K, "mask": mask, "seed": 0, "perplexity": loss, "saturated": 0}
        for name, by in LOSSES.items()
        for dataset, grid in by.items()
        for K, losses in grid.items()
        for mask, loss in enumerate(losses)
    ]
    return pd.DataFrame(rows).assign(status="done", unit="nats per held-out entry")


def baselines():
    rows = [("here", "column means", 0.33), ("here", "row means", 0.9), ("there", "column means", 0.61)]
    rows.append(("there", "row means", 0.62))
    return pd.DataFrame(rows, columns=["dataset", "label", "perplexity"])


def draw(scores=None, **more):
    return dots.draw(table() if scores is None else scores, METHODS, ["here", "there"], COLOURS, **more)


def means_of(axis):
    """Return the mean that is drawn in each row."""
    return {line.get_ydata()[0]: line.get_xdata()[0] for line in axis.get_lines() if line.get_marker() == "|"}


def test_methods_are_sorted_by_their_mean_rank_and_drawn_with_their_best_K():
    """Ranks: second 2 and 1, first 1 and 2, third 3 and 3, bad 4 and 4."""
    figure = draw(baselines=baselines())
    here, there = panels(figure).values()
    labels = [text.get_text() for text in here.get_yticklabels()]
    methods = [f"the {name} method" for name in ("first", "second", "third", "bad")]
    assert labels == [*methods, "column means", "row means"]
    assert means_of(there) == pytest.approx({0: 0.55, 1: 0.42, 2: 0.62, 3: 0.66, 4: 0.61, 5: 0.62})
    assert {"4", "2.100 →", "0.900 →"} == {text.get_text() for text in here.texts} - {""}
    assert {"2"} == {text.get_text() for text in there.texts} - {""}
    dashed = [line.get_xdata()[0] for line in there.get_lines() if line.get_linestyle() == "--"]
    assert dashed == [0.61]
    assert means_of(here) == pytest.approx({0: 0.21, 1: 0.26, 2: 0.28, 4: 0.33})
    assert here.get_xlim()[0] < 0.2 < 0.33 < here.get_xlim()[1] < 0.4
    assert legend_texts(figure) == ["a mask", "mean", "the best baseline"]
    assert_tidy(figure)


def test_fits_that_are_missing_or_saturated_are_said_in_their_row():
    scores = table()
    scores.loc[(scores["method"] == "second") & (scores["mask"] == 1), ["perplexity", "status"]] = [np.nan, "too slow"]
    scores.loc[scores["method"] == "third", "saturated"] = 2
    scores = scores[(scores["method"] != "first") | (scores["dataset"] != "there")]
    figure = draw(scores)
    here, there = panels(figure).values()
    assert "1 of 2 missing" in {text.get_text() for text in here.texts}
    assert {"no fit", "1 of 2 missing"} <= {text.get_text() for text in there.texts}
    impossible = "entries predicted impossible (36.7 nats each)"
    assert legend_texts(figure) == ["a mask", "mean", impossible, "too slow"]
    assert_tidy(figure)
    scores["perplexity"] = np.nan
    assert "2 of 2 missing" in {text.get_text() for text in panels(draw(scores))["here"].texts}


def test_a_missing_fit_of_a_K_that_is_not_shown_is_said_since_it_might_be_the_best():
    scores = table()
    best = scores[(scores["method"] == "second") & (scores["dataset"] == "here")]
    failed = best.assign(K=best["K"] + 5, perplexity=np.nan, status="failed: too many components")
    figure = draw(pd.concat([scores, failed]))
    here, there = (panel.texts for panel in panels(figure).values())
    assert f"{len(failed)} of {len(best) + len(failed)} missing" in {text.get_text() for text in here}
    assert not any("missing" in text.get_text() for text in there)
    assert legend_texts(figure)[-1] == "failed: too many components"


def test_baselines_that_are_better_than_every_method_are_within_the_panel():
    better = baselines().replace({"perplexity": {0.33: 0.1, 0.61: 0.2}})
    figure = draw(baselines=better[better["dataset"] == "here"])
    here, there = panels(figure).values()
    assert here.get_xlim()[0] < 0.1 == min(means_of(here).values())
    assert "no fit" in {text.get_text() for text in there.texts}  # of the baselines of this dataset alone
    assert_tidy(draw(baselines=better))


def test_impossible_entries_of_another_K_are_not_in_the_legend():
    scores = table()
    is_other = (scores["method"] == "first") & (scores["dataset"] == "here") & (scores["K"] == 2)
    scores.loc[is_other, "saturated"] = 1
    assert legend_texts(draw(scores)) == ["a mask", "mean"]


def test_a_single_score_has_a_panel():
    assert_tidy(draw(table().query("method == 'second' and mask == 0")))


def test_a_comparison_of_more_methods_than_boxes_have_room_for_has_a_row_for_each(monkeypatch):
    V = (np.random.default_rng(0).random((20, 12)) < 0.4).astype(int)
    comparison = nbmf.compare(V, ["bica", "mnb-rows"], masks=2)
    (axis,) = panels(comparison.figure()).values()
    assert "to beat" in axis.get_xlabel()
    monkeypatch.setattr(boxes, "MOST", 1)
    (axis,) = panels(comparison.figure()).values()
    assert {"bICA", "MNB, rows", "row and column effects"} <= {text.get_text() for text in axis.get_yticklabels()}


def test_a_mean_that_lies_within_the_axis_is_drawn():
    """Also where only the margin of the axis, after the last of the losses of the others, holds it."""
    losses = {"first": [0.2, 0.2, 0.21], "second": [0.21] * 3, "third": [0.2, 0.2, 0.36], "bad": [0.34, 0.364, 0.388]}
    rows = [
        {"dataset": "here", "method": name, "K": 2, "mask": mask, "seed": 0, "perplexity": loss, "saturated": 0}
        for name, of_method in losses.items()
        for mask, loss in enumerate(of_method)
    ]
    scores = pd.DataFrame(rows).assign(status="done", unit="nats per held-out entry")
    far = scores.assign(perplexity=scores["perplexity"].where(scores["method"] != "bad", 0.5))
    for table_of, count in ((scores, 4), (far, 3)):
        (axis,) = panels(dots.draw(table_of, METHODS, ["here"], COLOURS)).values()
        assert len(means_of(axis)) == count
        drawn = max(line.get_xdata().max() for line in axis.get_lines() if line.get_marker() == "|")
        assert drawn < axis.get_xlim()[1]


def test_the_legend_has_the_best_baseline_only_where_its_line_is_within_an_axis():
    far = baselines().assign(perplexity=9.0)
    one = far.assign(perplexity=far["perplexity"].where(far["dataset"] == "here", 0.61))
    for given, is_there in ((far, False), (one, True)):
        assert ("the best baseline" in legend_texts(draw(baselines=given))) == is_there
