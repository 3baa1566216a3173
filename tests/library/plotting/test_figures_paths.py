"""Paths with names and bands: every line, every band, and names that do not overlap."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.plotting import path_lines, paths, style
from nbmf.posterior.path_values import Paths

TIMES = np.array([1990.0, 1991, 1993])


def made(names=("a", "b", "c", "d")):
    rng, F = np.random.default_rng(0), len(names)
    mean = rng.normal(size=(F, 3, 1))
    entries = np.full((F, 3), 4)
    entries[0, 1] = entries[1, 2] = entries[2, 0] = 0
    spans = np.array([[0, 2], [0, 1], [1, 2], *[[0, 2]] * (F - 3)])
    return Paths(np.array(names), np.array(["1990", "1991", "1993"]), TIMES, mean, mean - 0.5, mean + 1, entries, spans)


@pytest.fixture
def axis():
    _, axis = plt.subplots()
    return axis


def test_chosen_rows_have_lines_with_gaps_bands_and_names(axis):
    given = made()
    given.entries[0, 2] = 1  # is enough
    assert path_lines.draw(given, 0, [0, 1], ax=axis) is axis
    other = [line for line in axis.lines if line.get_color() == path_lines.OTHER_ROWS["color"]]
    assert [line.get_xdata().tolist() for line in other] == [[1991, 1993], [1990, 1991, 1993]]
    mine = [line for line in axis.lines if line.get_color() == style.colour_of_line(0)]
    dotted, solid = mine
    np.testing.assert_allclose(dotted.get_ydata(), given.mean[0, :, 0])
    assert np.isnan(solid.get_ydata()).tolist() == [False, True, False]
    short = next(line for line in axis.lines if line.get_color() == style.colour_of_line(1))
    assert short.get_xdata().tolist() == [1990, 1991]
    bands = [band.get_paths()[0].vertices for band in axis.collections]
    assert len(bands) == 2
    for f, band in enumerate(bands):
        for ends in (given.lower, given.upper):
            assert all(np.isclose(band[:, 1], y).any() for y in ends[f, : 3 - f, 0])
    assert {text.get_text() for text in axis.texts} == {"a", "b"}
    first = next(text for text in axis.texts if text.get_text() == "b")
    assert first.xy == (1991, given.mean[1, 1, 0])


def test_without_draws_there_are_no_bands(axis):
    path_lines.draw(made(), 0, [0], has_bands=False, ax=axis)
    assert not axis.collections


def test_lines_have_the_colours_of_groups_that_a_legend_names(axis):
    given = made()
    path_lines.draw(given, 0, [3], ax=axis, groups=["left", "right", "", "right"])
    right, left = style.colours_of_groups(["right", "right", "left"]).values()
    thin, thick = axis.lines[:3], axis.lines[3:]
    assert [line.get_color() for line in thin] == [left, right, path_lines.OTHER_ROWS["color"]]
    for line, f in zip(thin, range(3), strict=True):
        first, last = given.spans[f]
        np.testing.assert_array_equal(line.get_ydata(), given.mean[f, first : last + 1, 0])
    assert [line.get_color() for line in thick] == [right, right]
    assert [text.get_color() for text in axis.texts] == [right]
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["right", "left"]
    assert axis.get_legend()._ncols == 2
    handles = axis.get_legend().legend_handles
    assert [handle.get_color() for handle in handles] == [right, left]


def test_names_do_not_overlap(axis):
    """Rows that end in nearly the same place."""
    given = made([f"name {number}" for number in range(12)])
    given.mean[:, 2, 0] = np.linspace(0.3, 0.31, 12)
    given.mean[1, 1, 0] = 0.305
    path_lines.draw(given, 0, range(12), ax=axis)
    axis.figure.draw_without_rendering()
    boxes = sorted((Text.get_window_extent(text) for text in axis.texts), key=lambda box: box.y0)  # without its arrow
    assert len(boxes) == 12
    for below, above in itertools.pairwise(boxes):
        assert above.y0 >= below.y1 - 0.5
    ends = sorted((text.xy[1], Text.get_window_extent(text).y0) for text in axis.texts)
    assert [y for _, y in ends] == sorted(y for _, y in ends)


def test_spread_places_are_as_near_as_the_distance_allows():
    np.testing.assert_allclose(path_lines.spread([1, 5, 9], 1, 0, 10), [1, 5, 9])
    np.testing.assert_allclose(path_lines.spread([5, 5], 1, 0, 10), [4.5, 5.5])
    np.testing.assert_allclose(path_lines.spread([4, 5, 5], 1, 0, 10), [11 / 3, 14 / 3, 17 / 3])
    np.testing.assert_allclose(path_lines.spread([10, 10], 2, 0, 10), [8, 10])
    np.testing.assert_allclose(path_lines.spread([0, 0], 2, 0, 10), [0, 2])
    np.testing.assert_allclose(np.diff(path_lines.spread([0, 0, 0], 9, 0, 10)), 9)


def test_periods_that_are_texts_name_the_ticks(axis):
    given = made()._replace(period_names=np.array(["early", "late", "later"]))
    path_lines.draw(given, 0, [0], ax=axis)
    assert [label.get_text() for label in axis.get_xticklabels()] == ["early", "late", "later"]


def test_ticks_are_periods_and_nothing_between_them(axis):
    """2019 to 2022 had ticks at 2019.5, and 2020 was written 2020.0."""
    path_lines.draw(made(), 0, [0], ax=axis)
    axis.figure.draw_without_rendering()
    assert {label.get_text() for label in axis.get_xticklabels()} >= {"1990", "1991", "1992", "1993"}
    assert np.all(axis.get_xticks() % 1 == 0)


def test_a_fit_is_drawn_with_bands_where_there_are_draws():
    rng = np.random.default_rng(1)
    V = (rng.random((14, 12)) < 0.5).astype(float)
    model = nbmf.DynamicFactorGibbs(1, periods=np.arange(12) // 4, burn_in=5, n_samples=10, random_state=0)
    draws = nbmf.posterior_draws(model, V, n_draws=5)
    axis = nbmf.plot.paths(draws)
    assert len(axis.collections) == len(axis.texts) == paths.NAMED
    assert axis.get_ylabel() == "position, component 1"
    axis = nbmf.plot.paths(model, names=["row 3", "row 0"])
    assert not axis.collections
    assert {text.get_text() for text in axis.texts} == {"row 0", "row 3"}
    with pytest.raises(DataError, match="groups: 14 names are needed, 2 were given"):
        nbmf.plot.paths(model, groups=["a", "b"])
    with pytest.raises(DataError, match="names: there is no 'row 99'"):
        nbmf.plot.paths(model, names=["row 99"])
    for wrong in (0, 2, "1", True):
        with pytest.raises(ConfigError, match=r"component = .*: must be an integer from 1 to 1"):
            nbmf.plot.paths(model, wrong)
