"""Pictures of models whose components are axes with two ends, and what pictures of groups share with them."""

import copy
from itertools import combinations, pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn_scales import along_a_gradient
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from scipy.special import expit
from scipy.stats import spearmanr

import nbmf
from nbmf.numerics.percent import percent
from nbmf.plotting import headings, overview, reconstructions, style
from nbmf.plotting.inputs import Oriented
from nbmf.plotting.labelled_factor import LabelledFactor, limit_of, most_distinctive, order_of
from nbmf.plotting.overview import draw_factors
from nbmf.plotting.reconstructions import MISSING, draw_reconstruction
from nbmf.plotting.shown import INTERCEPT, balanced, in_order_along_arch, shown_of
from nbmf.posterior.scale import scale_of
from nbmf.reporting.pictures import RECONSTRUCTION, pictures_of_fit

F, N = 60, 45
SIGNS = mpl.colormaps[style.SIGNED]
FAR_APART = 20.0  # in CIELAB: two colours that nobody takes for each other


@pytest.fixture(scope="module")
def scale():
    """One strong axis and two weak ones: where rows are on the first, and the matrix."""
    rng = np.random.default_rng(1)
    W, H = rng.standard_normal((F, 3)), rng.standard_normal((3, N)) * np.array([[3.0], [0.6], [0.6]])
    return W[:, 0], nbmf.BinaryMatrix.from_array((rng.random((F, N)) < expit(W @ H)).astype(int))


@pytest.fixture(scope="module")
def common():
    """Columns with low and high values, and one axis: where rows are on it, and the values."""
    rng = np.random.default_rng(2)
    position, of_columns = rng.standard_normal(F), rng.standard_normal(N)
    values = 1.5 * np.outer(position, of_columns) + np.linspace(-7, 3, N)[rng.permutation(N)]
    return position, values + rng.standard_normal((F, N))


@pytest.fixture(scope="module")
def scale_fit(scale):
    return fitted(scale[1], "columns")


@pytest.fixture(scope="module")
def common_fit(common):
    """Of a model that is no scale: its components are shown as they are."""
    return nbmf.GaussianFactorVB(3, max_iter=200, random_state=0).fit(common[1])


def fitted(V, effects):
    return nbmf.LogisticFactorVB(3, effects=effects, max_iter=200, bound_gain_tol=0, random_state=0).fit(V)


def strips_of(axis):
    """Return the positions that the strips of a panel show: at the left, from top to bottom, and below."""
    strips = [each for each in axis.collections if isinstance(each, LineCollection)]
    places = np.linspace(0, 1, 256)
    colours = SIGNS(places)
    return [places[np.abs(strip.get_colors()[:, None] - colours).sum(axis=2).argmin(axis=1)] for strip in strips]


def line_colours(axis):
    return {line.get_color() for line in axis.lines}


# Axes.


def test_rows_and_columns_are_sorted_along_the_first_axis(scale, scale_fit):
    """Before, a row went to the component of its largest coordinate, whatever its place on the first axis."""
    position, V = scale
    for axis in nbmf.plot.dictionary(scale_fit, V):
        assert (np.diff(axis.images[0].get_array()[:, 0]) <= 0).all()
        assert not line_colours(axis) & set(style.PALE)
    data, expectation = nbmf.plot.reconstruction(scale_fit, V)
    for axis in (data, expectation):
        rows, columns = strips_of(axis)
        assert (len(rows), len(columns)) == (F, N)
        assert (np.diff(rows) <= 0).all()
        assert (np.diff(columns) <= 0).all()
        assert rows[0] > 0.8  # red
        assert rows[-1] < 0.2  # blue
        assert not line_colours(axis) & set(style.PALE)
    drawn = data.images[0].get_array()
    order = order_of(shown_of(scale_fit, V).factors[0])
    np.testing.assert_array_equal(np.sort(drawn.sum(axis=1)), np.sort(V.codes.sum(axis=1)))
    assert abs(spearmanr(position[order], np.arange(F)).statistic) > 0.9


def test_along_an_arch_rows_and_columns_are_in_the_order_of_the_gradient():
    """The ones are a band then; sorted along the first axis, an arch turns back at its ends."""
    place, p = along_a_gradient(0)
    matrix = nbmf.BinaryMatrix.from_array((np.random.default_rng(0).random(p.shape) < p).astype(int))
    model = nbmf.LogisticFactorVB(8, effects="columns", random_state=0).fit(matrix)
    drawn = nbmf.plot.reconstruction(model, matrix)[0].images[0].get_array()
    rows, columns = np.nonzero(drawn)
    along_axis = image_of_first_axis(model, matrix)
    assert spearmanr(rows, columns).statistic > 0.8
    assert spearmanr(rows, columns).statistic > spearmanr(*np.nonzero(along_axis)).statistic + 0.02
    rows = in_order_along_arch(model, matrix, shown_of(model, matrix).factors)[0]
    assert abs(spearmanr(place[order_of(rows)], np.arange(len(place))).statistic) > 0.97
    grouped = rows._replace(groups=np.arange(len(place)) % 2)
    order = order_of(grouped)
    assert np.count_nonzero(np.diff(grouped.groups[order])) == 1
    assert (np.diff(rows.place[order[:60]]) <= 0).all()
    caption = next(each for each in pictures_of_fit(model, matrix) if each.file == RECONSTRUCTION).caption
    assert "rows sorted along the arch, columns by the mean place of what is predicted in them" in caption


def test_groups_along_an_arch_are_in_its_order_whatever_their_sizes():
    """By size the middle of a gradient came first, and the ones were no band."""
    place = np.random.default_rng(0).permutation(60) / 60
    groups = np.where(place < 0.25, "dry", np.where(place < 0.75, "mesic", "wet"))
    names = np.arange(60).astype(str)
    rows = LabelledFactor(np.zeros((60, 1)), names, "rows", groups=groups, axes=1, place=place)
    order = order_of(rows)
    assert (np.diff(place[order]) < 0).all()
    assert list(dict.fromkeys(groups[order_of(rows._replace(place=None))])) == ["mesic", "dry", "wet"]


def image_of_first_axis(model, matrix):
    """Return the ones with rows and columns sorted along the first axis."""
    orders = [order_of(factor) for factor in shown_of(model, matrix).factors]
    return matrix.codes[np.ix_(*orders)]


def test_a_large_W_times_a_small_H_looks_like_any_other(scale, scale_fit):
    """The same model twice: nothing but the product is known."""
    before = [image_of(axis) for axis in nbmf.plot.dictionary(scale_fit, scale[1])]
    size = np.array([1.0, 50.0, 0.02], dtype=np.float64)
    other = fitted(scale[1], "columns")
    other.W_, other.H_ = other.W_ * size, other.H_ / size[:, None]
    after = [image_of(axis) for axis in nbmf.plot.dictionary(other, scale[1])]
    for (values, limits), (others, of_others) in zip(before, after, strict=True):
        np.testing.assert_allclose(others, values, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(of_others, limits, rtol=1e-4)
    assert before[0][1] == before[1][1]  # one scale for both
    first, others = abs(before[0][0][:, 0]).mean(), abs(before[0][0][:, 1:]).mean()
    assert first > 1.5 * others  # the strong axis is the strong one


def image_of(axis):
    (image,) = axis.images
    return np.asarray(image.get_array()), image.get_clim()


def test_both_factors_have_one_size_and_their_product_stays():
    W, H = np.array([[1.0, 3.0], [-1.0, 4.0], [5.0, 0.0]]), np.array([[8.0, 0.1], [-2.0, 0.3]])
    V, U = balanced(W, H)
    np.testing.assert_allclose(V @ U.T, W @ H.T)
    np.testing.assert_allclose((V**2).mean(axis=0), (U**2).mean(axis=0))
    V, U = balanced(np.zeros((3, 1)), np.ones((2, 1)))
    assert not V.any()
    assert U.all()


def test_high_in_a_picture_is_high_on_the_scale(scale, scale_fit):
    """However the signs of the fit itself have come out."""
    positions = scale_of(scale_fit, scale[1]).positions[:, 0]
    turned = copy.copy(scale_fit)
    turned.W_, turned.H_ = -scale_fit.W_, -scale_fit.H_
    for fit in (scale_fit, turned):
        rows, columns = shown_of(fit, scale[1]).factors
        assert np.corrcoef(rows.weights[:, 0], positions)[0, 1] > 0.999
        assert (columns.weights.sum(axis=0) >= 0).all()
        assert rows.weights @ columns.weights.T == pytest.approx(scale_fit.W_ @ scale_fit.H_, abs=0.5)


def test_a_row_that_a_person_puts_at_the_high_end_is_high_in_all_pictures(scale, scale_fit, monkeypatch):
    """W and H, and the order of V and E[V], had the sign of the convention, and the report the other one."""
    V = scale[1]
    lowest = str(V.row_names[scale_of(scale_fit, V).positions[:, 0].argmin()])
    of_report = scale_of(scale_fit, V, high=[lowest])
    drawn = shown_of(scale_fit, V, high=of_report.high_rows).factors[0].weights[:, 0]
    assert np.corrcoef(drawn, of_report.positions[:, 0])[0, 1] > 0.9
    asked = []
    for name in ("dictionary", "reconstruction"):
        draw = getattr(nbmf.plot, name)
        monkeypatch.setattr(
            nbmf.plot, name, lambda fit, *given, draw=draw, **more: asked.append(fit.high) or draw(fit, *given, **more)
        )
    for picture in pictures_of_fit(scale_fit, V, scale=of_report):
        plt.close(picture.draw())
    assert asked == [(lowest,), (lowest,)]
    with pytest.raises(nbmf.errors.ConfigError, match="high = 'nobody'"):
        nbmf.plot.reconstruction(Oriented(scale_fit, ["nobody"]), V)


def test_a_picture_of_a_scale_does_not_speak_of_W_and_H(scale, scale_fit, common, common_fit):
    rows, columns = nbmf.plot.dictionary(scale_fit, scale[1])
    assert [panel.get_title() for panel in (rows, columns)] == ["rows: positions", "columns: what a step changes"]
    assert rows.figure.axes[-1].get_xlabel().startswith("positions and what a step changes")
    rows, _ = nbmf.plot.dictionary(common_fit, common[1])
    assert rows.figure.axes[-1].get_xlabel().startswith("coordinates, W and H")


@pytest.mark.parametrize("effects", ["columns", "both", "none"])
def test_axes_of_a_picture_are_those_of_the_report(effects):
    """Also where effects of rows are part of them, and where axes are rotated or correlate."""
    rng = np.random.default_rng(4)
    traits = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 200)
    p = expit(1.8 * traits[:, np.arange(24) % 2] + rng.normal(size=24))
    V = nbmf.BinaryMatrix.from_array((rng.random(p.shape) < p).astype(int))
    fit = fitted(V, effects)
    scale, shown = scale_of(fit, V), shown_of(fit, V)
    assert scale.kept == 2 or effects == "both"
    rows, columns = (factor.weights for factor in shown.factors)
    for a in range(scale.kept):
        assert shown.headings[a] == f"axis {a + 1}\n{percent(scale.shares[a])}"
        assert np.corrcoef(rows[:, a], scale.positions[:, a])[0, 1] == pytest.approx(1)
        assert np.corrcoef(columns[:, a], scale.discrimination[:, a])[0, 1] == pytest.approx(1)
    with_one = shown_of(fit, V, components=1)
    assert with_one.headings == shown.headings[:1]
    assert with_one.active == np.count_nonzero(scale.shares >= 0.01)


def test_an_intercept_comes_last_and_is_called_what_it_is(common, common_fit):
    """It weighs most; the axis along which rows differ is what is shown first."""
    position, V = common
    shares = common_fit.shares_of(common_fit.factors_)
    heaviest = int(shares.argmax())
    assert (common_fit.W_[:, heaviest] > 0).all() or (common_fit.W_[:, heaviest] < 0).all()
    shown = shown_of(common_fit, common_fit.likelihood.matrix.of(V))
    assert shown.headings[-1] == INTERCEPT
    assert shown.headings[0].startswith("1\n")
    assert shown.factors[0].axes == len(shown.headings) - 1
    told = [float(heading.split("\n")[1].strip(">%")) for heading in shown.headings[:-1]]
    assert 60 < sum(told) <= 100  # of what is no intercept; in all it is little
    assert 1 - shares[heaviest] < 0.3
    order = order_of(shown.factors[0])
    assert abs(spearmanr(position[order], np.arange(F)).statistic) > 0.8
    rows, _ = nbmf.plot.dictionary(common_fit, V)
    assert rows.get_xticklabels()[-1].get_text() == INTERCEPT
    strong = [line for line in rows.lines if line.get_linewidth() > 1 and len(line.get_xdata()) == 2]
    assert {tuple(line.get_xdata()) for line in strong} == {(shown.factors[0].axes - 0.5,) * 2}


def test_an_intercept_does_not_hide_the_axes():
    weights = np.column_stack([np.linspace(-1, 1, 40), np.full(40, 30.0)])
    factor = LabelledFactor(weights, np.arange(40).astype(str), "rows", axes=1)
    assert limit_of([factor]) <= 1


def test_of_many_rows_some_are_shown_all_along_the_axis():
    weights = np.random.default_rng(0).standard_normal((500, 2))
    factor = LabelledFactor(weights, np.arange(500).astype(str), "rows", axes=2)
    chosen = most_distinctive(factor, 50)
    assert len(chosen) == 50
    ranks = np.sort(np.argsort(np.argsort(weights[:, 0]))[chosen])
    assert (ranks[0], ranks[-1]) == (0, 499)
    assert np.ptp(np.diff(ranks)) <= 1
    (axis,) = draw_factors([factor], ["1", "2"], max_rows=50)
    assert axis.get_title() == "rows\n50 of 500, evenly along the first axis"


def test_groups_come_before_the_axis():
    groups = np.repeat(["few", "many"], [3, 5])
    weights = np.arange(8.0)[:, None]
    order = order_of(LabelledFactor(weights, np.arange(8).astype(str), "", groups, axes=1))
    assert order.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    other = order_of(LabelledFactor(-weights, np.arange(8).astype(str), "", groups, axes=1))
    assert other.tolist() == [3, 4, 5, 6, 7, 0, 1, 2]


def test_columns_that_follow_an_axis_alike_are_ordered_by_how_common_ones_are():
    level = np.array([0.0, 3.0, -1.0, 9.0])
    along = LabelledFactor(np.array([[2.0], [1.99], [2.01], [1.9]]), np.arange(4).astype(str), "", axes=1)
    assert order_of(along).tolist() == [2, 0, 1, 3]
    alike = along._replace(level=level)
    assert order_of(alike).tolist() == [3, 1, 0, 2]
    assert order_of(alike.at(np.array([2, 0, 1]))).tolist() == [2, 1, 0]
    assert order_of(alike._replace(weights=along.weights * [[1], [1], [1], [0.5]])).tolist() == [2, 0, 1, 3]


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
def test_columns_of_a_scale_know_how_common_ones_are(scale, scale_fit):
    rows, columns = shown_of(scale_fit, scale[1]).factors
    assert rows.level is None
    assert np.corrcoef(columns.level, (scale[1].codes == 1).mean(axis=0))[0, 1] > 0.9


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
def test_captions_say_what_is_drawn(scale, scale_fit):
    _, of_axes, strips = (picture.caption for picture in pictures_of_fit(scale_fit, scale[1]))
    assert "axis" in of_axes
    assert "a one is more probable" in of_axes
    assert "sorted along the first. Where" in of_axes
    assert "before those of the scale" in of_axes
    with_groups = pictures_of_fit(scale_fit, scale[1], column_groups=["a"] * scale[1].shape[1])[1].caption
    assert "sorted along the first within their groups. Where" in with_groups
    no_scale = nbmf.LogisticPCA(2, max_iter=5, random_state=0).fit(scale[1])
    assert "those of the scale" not in pictures_of_fit(no_scale, scale[1])[0].caption
    ordered = nbmf.CategoryMatrix.from_array(np.arange(60).reshape(12, 5) % 3)
    answers = nbmf.OrdinalFactorVB(1, max_iter=5, random_state=0).fit(ordered)
    assert "a high category is more probable" in pictures_of_fit(answers, ordered)[-2].caption
    assert "positions on the first axis" in strips
    groups = nbmf.BetaDirVB(2, max_iter=200, random_state=0).fit(scale[1])
    of_groups, strips = (picture.caption for picture in pictures_of_fit(groups, scale[1]))
    assert "axis" not in of_groups + strips


# Groups, signs and components.


def test_groups_look_neither_like_components_nor_like_signs_nor_like_each_other():
    signs = [SIGNS(place)[:3] for place in np.linspace(0, 1, 64)]
    others = [to_rgb(colour) for colour in [*style.PALE, style.OTHERS, style.NEXT_OTHERS, MISSING, "white"]]
    groups = lab([to_rgb(colour) for colour in style.GROUPS])
    assert np.linalg.norm(groups[:, None] - lab([*signs, *others]), axis=2).min() > FAR_APART
    assert min(np.linalg.norm(a - b) for a, b in combinations(groups, 2)) > FAR_APART


def lab(colours):
    """Return sRGB colours in CIELAB, whose distances are about those that are seen."""
    rgb = np.array(colours)
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = linear @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


# Headings, panels and cells.


@pytest.mark.parametrize(
    "headings",
    [
        [f"{k}\n100%" for k in range(1, 16)],
        [f"{k} a long name of a component" for k in range(12)],
        [*[f"{k}\n12%" for k in range(7)], INTERCEPT],
    ],
    ids=["many", "long", "intercept"],
)
@pytest.mark.parametrize("long_names", [False, True])
def test_headings_do_not_overlap(headings, long_names):
    names = np.array([f"row {i} of a matrix" * (1 + 2 * long_names) for i in range(20)])
    weights = np.random.default_rng(0).random((20, len(headings)))
    axes = draw_factors([LabelledFactor(weights, names, "rows"), LabelledFactor(weights, names, "columns")], headings)
    axes[0].figure.draw_without_rendering()
    canvas = axes[0].figure.bbox.padded(1)
    for axis in axes:
        boxes = [tick.label2.get_window_extent() for tick in axis.xaxis.get_major_ticks()]
        assert len(boxes) == len(headings)
        assert not any(one.overlaps(other) for one, other in pairwise(boxes))
        assert not any(box.overlaps(axis.title.get_window_extent()) for box in boxes)
        assert all(canvas.y0 <= box.y0 < box.y1 <= canvas.y1 for box in boxes)


@pytest.mark.parametrize("K", [1, 2, 8])
def test_titles_of_panels_do_not_overlap(K):
    titles = [f"{side}: coordinates in logarithms of expected counts" for side in ("rows (W)", "columns (H)")]
    factors = [LabelledFactor(np.zeros((5, K)), np.array(list("abcde")), title) for title in titles]
    axes = draw_factors(factors, [f"{k}" for k in range(K)])
    figure = axes[0].figure
    figure.draw_without_rendering()
    one, other = (axis.title.get_window_extent() for axis in axes)
    assert not one.overlaps(other)
    assert figure.bbox.x0 <= one.x0 < other.x1 <= figure.bbox.x1
    for axis, title in zip(axes, titles, strict=True):
        assert " ".join(axis.get_title().split()).startswith(title)


def test_titles_of_narrow_panels_have_lines_of_a_few_letters():
    _, axes = plt.subplots(1, 6, figsize=(0.8, 1))
    for axis in axes:
        axis.set_title("coordinates in logarithms of expected counts")
    headings.fit_titles(list(axes))
    assert max(len(line) for line in axes[0].get_title().splitlines()) >= 8


def test_components_that_say_the_same_are_one_column():
    """Half of the first component's weight is in a copy of it, as a fit with room for many leaves it."""
    V = nbmf.load_example("animals")
    fit = nbmf.BetaDirVB(4, max_iter=300, random_state=0).fit(V)
    whole = shown_of(fit, V)
    largest = int(fit.shares_of(fit.factors_).argmax())
    half = fit.W_[:, [largest]] / 2
    split = nbmf.BetaDirVB(5, max_iter=300, random_state=0).fit(V)
    split.W_ = np.hstack([np.delete(fit.W_, largest, axis=1), half, half])
    split.H_ = np.vstack([np.delete(fit.H_, largest, axis=0), fit.H_[[largest, largest]]])
    shown = shown_of(split, V)
    assert shown.headings == whole.headings
    assert not any("≈" in heading for heading in shown.headings)
    for factor, expected in zip(shown.factors, whole.factors, strict=True):
        np.testing.assert_allclose(factor.weights, expected.weights, atol=1e-5)
        np.testing.assert_array_equal(factor.typical_of, expected.typical_of)


def test_a_panel_of_few_columns_is_as_high_as_that_of_many_rows():
    rng = np.random.default_rng(0)
    factors = [LabelledFactor(rng.random((n, 2)), np.arange(n).astype(str), "x") for n in (60, 16)]
    rows, columns = draw_factors(factors, ["1", "2"])
    assert rows.get_ylim() == (59.5, -0.5)
    assert columns.get_ylim() == (15.5, -0.5)
    assert rows.images[0].colorbar.ax.get_xlabel() == ""
    _, few = draw_factors([factors[0], factors[1].at(np.arange(3))], ["1", "2"], label="a share")
    assert few.get_ylim() == (60 / overview.STRETCH - 0.5, -0.5)  # no row is higher than four others
    assert few.figure.axes[-1].get_xlabel() == "a share"


def test_many_rows_do_not_blur_few_columns():
    """Matplotlib averages cells along both axes where those of one are smaller than a pixel."""
    V = np.zeros((5000, 8))
    V[:, ::2] = 1
    V[:5, 1] = np.nan
    factors = [LabelledFactor(np.zeros((n, 0)), np.arange(n).astype(str), "") for n in V.shape]
    for axis in draw_reconstruction(V, np.nan_to_num(V), factors):
        (image,) = axis.images
        shown = image.get_array()
        assert image.get_interpolation() == "nearest"
        assert shown.shape[1] == 8
        assert 500 < shown.shape[0] < 2500
        assert set(np.unique(shown.compressed())) <= {0.0, 1.0}
        assert tuple(image.get_extent()) == (-0.5, 7.5, 4999.5, -0.5)
        first = shown[0]
        assert first.mask[1] == (axis.get_title().startswith("V"))
        np.testing.assert_array_equal(first.data[::2], 1)


def test_small_probabilities_are_seen():
    rng = np.random.default_rng(0)
    p = rng.random((30, 20)) / 10
    V = (rng.random(p.shape) < p).astype(float)
    factors = [LabelledFactor(rng.random((n, 2)), np.arange(n).astype(str), "") for n in V.shape]
    data, expectation = draw_reconstruction(V, p, factors)
    assert data.images[0].get_clim() == (0, 1)
    assert expectation.images[0].get_clim() == (0, p.max())
    ticks = [tick.get_text() for tick in expectation.images[0].colorbar.ax.get_xticklabels()]
    assert ticks == ["0", "0.05", "0.1"]


def test_strips_are_numbered_along_both_edges():
    rng = np.random.default_rng(0)
    main = np.repeat(np.arange(12), 5)
    weights = np.eye(12)[main]
    factor = LabelledFactor(weights, np.arange(60).astype(str), "rows")
    data, _ = draw_reconstruction(rng.random((60, 60)), rng.random((60, 60)), [factor, factor])
    numbers = [str(k) for k in range(1, 13)]
    left = [text.get_text() for text in data.texts if text.get_ha() == "right"]
    assert left == numbers
    assert [text.get_text() for text in data.texts if text.get_ha() == "center"] == numbers


def test_rows_and_columns_of_an_undirected_network_have_one_order_and_one_component_each(monkeypatch):
    strips = []
    monkeypatch.setattr(reconstructions.strips, "draw_strips", lambda axis, factor, *_: strips.append(factor))
    rng = np.random.default_rng(6)
    V = np.triu(rng.random((30, 30)) < 0.3, 1).astype(float)
    V += V.T
    np.fill_diagonal(V, np.nan)
    factors = [LabelledFactor(rng.random((30, 2)), np.arange(30).astype(str), "") for _ in "ab"]
    for axis in draw_reconstruction(V, np.eye(30), factors):
        shown = axis.images[0].get_array()
        np.testing.assert_array_equal(shown.filled(-1), shown.filled(-1).T)
    for of_rows, of_columns in (strips[:2], strips[2:]):
        np.testing.assert_array_equal(of_rows.typical_of, of_columns.typical_of)
        np.testing.assert_array_equal(of_rows.names, of_columns.names)
    shown = draw_reconstruction(V[::-1], np.eye(30), factors)[1].images[0].get_array()
    assert (shown != shown.T).any()
