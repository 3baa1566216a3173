"""The figure of score and time: the front, what lies beyond the axis, names and legend."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import legend_texts, panels

from nbmf.plotting import score_and_time

NAMES = ("a", "b", "c", "d", "none", "share")
COLOURS = {name: f"#00000{place}" for place, name in enumerate(NAMES, start=1)}


def ranking(rows):
    table = pd.DataFrame(rows, columns=["dataset", "method", "mean", "seconds"])
    return table.assign(label=table["method"].str.upper())


VOTES = [
    ("votes", "a", 0.30, 20.0),
    ("votes", "b", 0.32, 2.0),
    ("votes", "c", 0.33, 5.0),  # b is faster and better
    ("votes", "d", 0.90, 0.5),  # the fastest, and far behind
    ("votes", "share", 0.34, np.nan),
]


def test_the_front_has_what_nothing_is_faster_and_better_than():
    methods = ranking(VOTES).rename(columns={"mean": "perplexity"}).dropna(subset="seconds")
    assert score_and_time.front_of(methods)["method"].tolist() == ["d", "b", "a"]
    again = methods[::-1].assign(seconds=1.0)  # of those as fast as each other the best alone
    assert score_and_time.front_of(again)["method"].tolist() == ["a"]
    again = methods.assign(perplexity=0.3)  # and of those as good the fastest
    assert score_and_time.front_of(again)["method"].tolist() == ["d"]


def test_numbers_arrows_and_lines():
    sites = [("sites", "a", 0.1, 1.0), ("sites", "b", 0.1, 2.0)]  # no method differs
    figure = score_and_time.draw(ranking(VOTES + sites), ["votes", "sites"], COLOURS)
    figure.draw_without_rendering()
    axis = panels(figure)["votes"]
    assert [text.get_text() for text in axis.texts] == ["1", "2"]  # D's place is beyond the axis
    assert axis.get_xlabel() == "seconds of a fit (median)\n1\N{NO-BREAK SPACE}B; 2\N{NO-BREAK SPACE}A"
    points = {
        line.get_color(): (line.get_marker(), *line.get_xydata()[0])
        for line in axis.lines
        if line.get_color() in COLOURS.values()
    }
    assert points["#000001"] == ("o", 20, 0.30)
    marker, seconds, height = points["#000004"]
    assert (marker, seconds) == ("^", 0.5)
    assert height == axis.get_ylim()[1] < 0.5
    (dashed,) = [line for line in axis.lines if line.get_linestyle() == "--"]
    assert dashed.get_ydata()[0] == 0.34
    (front,) = [line for line in axis.lines if line.get_drawstyle().startswith("steps")]
    assert front.get_drawstyle() == "steps-post"  # the best there is until the next is done
    assert front.get_xdata().tolist() == [0.5, 2, 20]
    assert axis.get_xscale() == "log"
    # The median method is 0.025 behind the best.
    margin = 0.06 * 1.6 * 0.025
    assert axis.get_ylim() == pytest.approx((0.30 - 2 * margin, 0.34 + margin))
    assert panels(figure)["sites"].get_ylim() == pytest.approx((-0.02, 0.16))
    assert legend_texts(figure) == ["A", "B", "C", "D"]  # not what was never fitted
    limits = {panel.get_xlim() for panel in panels(figure).values()}
    assert len(limits) == 1  # panels can be compared


def test_both_of_two_methods_are_within_the_axis():
    two = [("votes", "a", 0.30, 2.0), ("votes", "b", 0.32, 1.9)]
    axis = panels(score_and_time.draw(ranking(two), ["votes"], COLOURS))["votes"]
    points = [line for line in axis.lines if line.get_color() in COLOURS.values()]
    assert {line.get_marker() for line in points} == {"o"}
    assert axis.get_ylim()[1] > 0.32


def test_an_axis_of_times_has_numbers_also_where_all_are_alike():
    def labels(first, last):
        figure = score_and_time.draw(
            ranking([("votes", "a", 0.3, first), ("votes", "b", 0.2, last)]), ["votes"], COLOURS
        )
        figure.draw_without_rendering()
        axis = panels(figure)["votes"]
        low, high = axis.get_xlim()
        ticks = [*axis.xaxis.get_major_ticks(), *axis.xaxis.get_minor_ticks()]
        return sorted(
            float(tick.label1.get_text()) for tick in ticks if tick.label1.get_text() and low <= tick.get_loc() <= high
        )

    assert labels(1.93, 2.06) == [2, 3]
    assert labels(3.5, 3.5) == [3, 4, 5]
    assert labels(0.37, 0.5) == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.7])
    assert labels(1.0, 5.0) == [1, 2, 3, 5]
    assert labels(1.0, 50.0) == [1, 10]  # two are a scale
