"""The pictures of a scale: every row in its place, the ends of every column, and names that can be read."""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn_scales import one_scale, two_scales
from figure_checks import assert_tidy
from matplotlib.colors import to_hex

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.plotting import group_legend, map_names, style
from nbmf.plotting import scale as module
from nbmf.plotting.scale import draw
from nbmf.posterior.scale import scale_of


def fitted(matrix):
    return nbmf.LogisticFactorVB(4, effects="columns", random_state=0).fit(matrix)


def scale_with(rows, items=20):
    matrix, *_ = one_scale(F=rows, items=items)
    return scale_of(fitted(matrix), matrix)


@pytest.fixture(scope="module")
def plane():
    matrix, _ = two_scales(F=60, items=12)
    model = fitted(matrix)
    return matrix, model, scale_of(model, matrix)


def texts(axis):
    return [text.get_text() for text in axis.texts if text.get_visible()]


def test_rows_are_in_order_with_intervals_and_names():
    scale = scale_with(30)
    rows, _ = draw(scale)
    order = scale.order()
    (dots,) = [each for each in rows.collections if len(each.get_offsets()) == 30]
    np.testing.assert_allclose(dots.get_offsets(), np.column_stack([scale.positions[order, 0], np.arange(30)]))
    intervals = [path.vertices[:, 0] for path in rows.collections[0].get_paths()]
    np.testing.assert_allclose(intervals, np.column_stack([scale.lower[order, 0], scale.upper[order, 0]]))
    assert texts(rows) == list(scale.row_names[order])
    assert_tidy(rows.figure)


def test_columns_go_from_the_low_end_to_the_high_end():
    scale = scale_with(30)
    _, columns = draw(scale)
    low, high = (each.get_offsets()[:, 0] for each in columns.collections[1:3])
    order = np.argsort(scale.high[:, 0] - scale.low[:, 0], kind="stable")
    np.testing.assert_allclose(low, scale.low[order, 0])
    np.testing.assert_allclose(high, scale.high[order, 0])
    assert [label.get_text() for label in columns.get_yticklabels()] == list(scale.column_names[order])
    assert [label.get_text() for label in columns.get_legend().get_texts()] == ["lowest 3 rows", "highest 3 rows"]


def test_columns_that_differ_in_location_alone_are_in_its_order():
    scale = scale_with(30, items=8)
    slopes = np.ones_like(scale.discrimination)
    difficulty = np.array([[0.3, -0.2, 0.9, 0.1, -0.8, 0.5, 0.0, -0.4]]).T
    alike = dataclasses.replace(scale, discrimination=slopes, thresholds=difficulty)
    _, columns = module.draw(alike)
    shown = [label.get_text() for label in columns.get_yticklabels()]
    assert shown == list(scale.column_names[np.argsort(difficulty[:, 0])])  # the hardest on top


@pytest.mark.parametrize("rows", [5, 60, module.MOST_NAMED, module.MOST_NAMED + 1])
def test_names_can_be_read_whatever_the_number_of_rows(rows):
    drawn, _ = draw(scale_with(rows))
    assert_tidy(drawn.figure)
    assert drawn.figure.get_size_inches()[1] <= module.TALLEST
    if rows <= module.MOST_NAMED:
        assert len(texts(drawn)) == rows


def test_of_many_rows_the_ends_are_named():
    scale = scale_with(200)
    rows, _ = draw(scale)
    names = scale.row_names[scale.order()]
    ends = [*names[: -module.END_NAMES - 1 : -1], *names[module.END_NAMES - 1 :: -1]]
    assert [text for text in texts(rows) if text.startswith("row ")] == ends
    assert texts(rows)[0] == "highest"


def test_rows_alike_at_an_end_are_counted():
    scale = scale_with(200)
    positions = scale.positions.copy()
    positions[scale.order()[-20:]] = positions.max(axis=0) + 1
    rows, _ = draw(dataclasses.replace(scale, positions=positions, upper=positions + 1, lower=positions - 1))
    assert texts(rows)[0] == "highest: 20 rows alike, such as"


def test_groups_have_their_colours():
    scale = scale_with(20)
    groups = np.array(["b"] * 12 + ["a"] * 8)
    rows, _ = draw(scale, groups=groups)
    (dots,) = [each for each in rows.collections if len(each.get_offsets()) == 20]
    colours = style.colours_of_groups(groups)
    expected = [colours[group] for group in groups[scale.order()]]
    assert [to_hex(colour).upper() for colour in dots.get_facecolors()] == [each.upper() for each in expected]
    assert [label.get_text() for label in rows.get_legend().get_texts()] == ["b", "a"]
    with pytest.raises(DataError, match="groups: 19 given for 20 rows"):
        draw(scale, groups=groups[1:])


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize(("count", "entries"), [(6, 6), (10, 10), (40, 10)])
def test_the_legend_of_groups_is_below_and_covers_nothing(plane, axes, count, entries):
    """With many groups it covered the panel, or left no room for it, and most of its entries were the same grey."""
    _, _, scale = plane
    groups = [f"a group with a name that is long {i % count}" for i in range(60)]
    rows, _ = draw(scale, axes, groups=groups)
    rows.figure.draw_without_rendering()
    box, (legend,) = rows.get_window_extent(), [rows.get_legend()]
    names = [text.get_text() for text in legend.get_texts()]
    assert len(set(names)) == entries
    assert max(map(len, names)) <= group_legend.LONGEST
    assert names[-1] == "31 other groups" if count == 40 else "other" not in names[-1]
    assert box.height > 2 * rows.figure.dpi
    assert legend.get_window_extent().y1 < rows.xaxis.label.get_window_extent().y0 < box.y0
    assert legend.get_window_extent().y0 > rows.figure.bbox.y0 - 1


def test_a_map_has_rows_and_discriminations(plane):
    _, _, scale = plane
    assert scale.kept == 2
    rows, columns = draw(scale)
    np.testing.assert_allclose(rows.collections[0].get_offsets(), scale.positions[:, :2])
    np.testing.assert_allclose(columns.collections[0].get_offsets(), scale.discrimination[:, :2])
    assert rows.get_xlabel().startswith(f"axis 1 ({scale.shares[0]:.0%} of what rows differ in")
    assert rows.get_title(loc="left").startswith("rows; a typical")
    of_five = draw(dataclasses.replace(scale, kept=5))[0]
    assert of_five.get_title(loc="left").startswith("rows on axes 1 and 2 of 5\na typical 90% interval is")
    of_five.figure.draw_without_rendering()
    title = of_five._left_title.get_window_extent()
    assert title.x1 < of_five.get_window_extent().x1 + 10
    arrows = [text for text in columns.texts if text.get_text() == ""]
    assert len(arrows) == min(module.ARROWS, 24)


def test_names_on_a_map_cover_no_other_name(plane):
    _, _, scale = plane
    for axis in draw(scale):
        axis.figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in axis.texts if text.get_visible() and text.get_text()]
        assert len(boxes) >= 0.6 * min(len(scale.positions), len(scale.difficulty))
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_on_a_map_of_many_rows_those_far_out_are_named(plane):
    rng = np.random.default_rng(0)
    places = rng.standard_normal((300, 2))
    chosen = map_names.rows_to_name(places)
    distance = np.linalg.norm(places - places.mean(axis=0), axis=1)
    assert len(chosen) == map_names.EXTREMES
    assert distance[chosen].min() >= map_names.FAR_OUT * distance.max()
    assert distance.argmax() in chosen
    assert len(map_names.rows_to_name(places[: map_names.MOST_ON_MAP])) == map_names.MOST_ON_MAP


def test_on_a_map_groups_in_all_directions_have_names_not_only_the_farthest():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 2.2], [-1.2, -0.6], [1.2, -0.4], [0, 0]])
    points = np.repeat(centres, 60, axis=0) + 0.05 * rng.standard_normal((240, 2))
    group = np.repeat(np.arange(4), 60)
    named = np.bincount(group[map_names.rows_to_name(points)], minlength=4)
    assert named.sum() == map_names.EXTREMES
    assert (named[:3] >= map_names.EXTREMES / map_names.SECTORS).all()
    assert named[3] == 0
    line = np.column_stack([np.linspace(-1, 1, 41), np.zeros(41)])
    assert sorted(map_names.far_out(line, 6)) == [0, 1, 2, 38, 39, 40]
    assert len(map_names.far_out(line, 41)) == 41
    assert map_names.far_out(np.zeros((3, 2)), 2).tolist() == [0, 1]


def test_a_map_says_how_many_are_named_where_some_are_not(plane, monkeypatch):
    monkeypatch.setattr(module, "ARROWS", 5)
    _, _, scale = plane
    for axis, points in zip(draw(scale), (scale.positions, scale.discrimination), strict=True):
        texts = [text.get_text() for text in axis.texts if text.get_visible() and text.get_text()]
        notes = [text for text in texts if text.endswith("are named")]
        named = len(texts) - len(notes)
        assert notes == ([f"{named} of {len(points)} are named"] if named < len(points) else [])
    assert notes  # of the columns


def test_the_same_scale_is_drawn_the_same_way_twice(plane):
    _, _, scale = plane
    first, second = ([text.get_position() for axis in draw(scale) for text in axis.texts] for _ in range(2))
    assert first == second


def test_a_fit_is_drawn_on_as_many_axes_as_are_asked_for(plane):
    matrix, model, _ = plane
    assert "interval" in nbmf.plot.scale(model, matrix)[0].get_title(loc="left")
    one = nbmf.plot.scale(model, matrix, 1)
    assert one[1].get_xlabel() == "mean probability of a one"
    _, given = plt.subplots(1, 2)
    assert list(nbmf.plot.scale(model, matrix, 1, ax=given)) == list(given)
    with pytest.raises(ConfigError, match="axes = 3: must be 1 or 2"):
        nbmf.plot.scale(model, matrix, 3)
    with pytest.raises(DataError, match="that of the fit is"):
        nbmf.plot.scale(model, matrix.T)


def test_nbmf_plot_has_it_among_its_pictures(plane):
    from nbmf.reporting.pictures import SCALE, pictures_of_fit

    matrix, model, _ = plane
    assert pictures_of_fit(model, matrix)[0].file == SCALE
    groups = nbmf.BetaDirVB(2, max_iter=5, mean_change_tol=0, random_state=0).fit(matrix)
    assert SCALE not in [picture.file for picture in pictures_of_fit(groups, matrix)]


@pytest.mark.parametrize("kinds", [1, 3])
def test_of_counts_the_ends_are_on_a_logarithmic_axis_and_maps_have_slopes(kinds):
    rng = np.random.default_rng(3)
    kind = np.arange(60) % (kinds + 1)
    rate = np.exp(2 * (kind[:, None] == np.arange(12) % (kinds + 1)) + 0.5 * rng.normal(size=(60, 1)))
    matrix = nbmf.CountMatrix.from_array(rng.poisson(rate))
    model = nbmf.NegativeBinomialFactorVB(4, effects="both", effect_scale="learned", random_state=0)
    scale = scale_of(model.fit(matrix), matrix)
    of_rows, of_columns = draw(scale)
    of_rows.figure.draw_without_rendering()
    if kinds == 1:
        assert of_columns.get_xscale() == "log"
        assert of_columns.get_xlabel() == "expected count in rows of average effect"
        assert not [each.get_text() for each in of_columns.get_xticklabels() if "math" in each.get_text()]
        points = np.sort(of_columns.collections[1].get_offsets()[:, 0])
        np.testing.assert_allclose(points, np.sort(scale.low[:, 0]))
    else:
        assert of_columns.get_title(loc="left") == "columns (slope)"
