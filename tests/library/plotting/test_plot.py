"""nbmf.plot: from what a user has in hand to a picture, in the right order and colours."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_tidy

import nbmf
from nbmf.baseline_names import BASELINES
from nbmf.errors import ConfigError, DataError, LeftOutWarning, NotFittedError, NotSupportedError
from nbmf.plotting import boxes, style
from nbmf.plotting.inputs import factor_of
from nbmf.plotting.names import shortened
from nbmf.reporting.pictures import pictures_of_fit

F, N = 36, 14
KINDS = np.repeat(["left", "right", "none"], [20, 12, 4])


@pytest.fixture(scope="module")
def V():
    """Two parties that vote against each other, a few in between, and missing votes."""
    rng = np.random.default_rng(0)
    side = np.select([KINDS == "left", KINDS == "right"], [0.9, 0.1], 0.5)[:, None]
    p = np.where(np.arange(N) % 2, side, 1 - side)
    codes = (rng.random((F, N)) < p).astype(int)
    codes[rng.random((F, N)) < 0.05] = -1
    names = [f"member {i}" for i in range(F)], [f"bill {i}" for i in range(N)]
    return nbmf.BinaryMatrix.from_array(codes, *names, KINDS)


@pytest.fixture(scope="module")
def fit(V):
    return nbmf.BetaDirVB(6, max_iter=100, random_state=0).fit(V)


@pytest.fixture(scope="module")
def chains(V):
    gibbs = nbmf.BetaDirGibbs(3, burn_in=30, n_samples=40, random_state=0)
    with pytest.warns(nbmf.errors.ChainsNotConvergedWarning):
        return nbmf.run_chains(gibbs, V, chains=3, n_draws=8, n_jobs=1)


@pytest.fixture(scope="module")
def plane(V):
    return nbmf.posterior_draws(nbmf.LogisticFactorVB(2, max_iter=30, bound_gain_tol=0, random_state=0), V, n_draws=20)


def names_of(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


# A fit.


def test_a_dictionary_has_rows_and_columns_in_the_order_of_groups_and_components(fit, V):
    axes = nbmf.plot.dictionary(fit, V)
    assert isinstance(axes, np.ndarray)
    rows, columns = axes
    order = [list(V.row_names).index(name) for name in names_of(rows)]
    assert KINDS[order].tolist() == sorted(KINDS, key=["left", "right", "none"].index)
    shares = fit.shares_of(fit.factors_)
    places = np.argsort(-shares)[: len(rows.get_xticks())]
    np.testing.assert_array_equal(rows.images[0].get_array(), fit.W_[order][:, places])
    for party in ("left", "right", "none"):
        home = fit.W_[order][:, places].argmax(axis=1)[KINDS[order] == party]
        assert (np.diff(home) >= 0).all()
    assert [text.get_text() for text in rows.texts] == ["left (20)", "right (12)", "none (4)"]
    assert not columns.texts
    assert sorted(names_of(columns)) == sorted(V.column_names)
    assert rows.figure.get_suptitle() == "Beta-Dir VB, K = 6"


def test_one_side_of_a_dictionary_is_one_axis(fit, V):
    figure, axis = plt.subplots()
    assert nbmf.plot.dictionary(fit, V, side="columns", lines=5, components=2, ax=axis) is axis
    assert len(names_of(axis)) == 5
    assert len(axis.get_xticks()) == 2
    assert len(figure.axes) == 1
    nbmf.plot.dictionary(fit, side="rows")  # without the matrix: no groups
    assert not plt.gcf().axes[0].texts


def test_groups_may_be_given(fit, V):
    kinds = np.resize(["odd", "even"], N)
    _, columns = nbmf.plot.dictionary(fit, V, column_groups=kinds)
    assert [text.get_text() for text in columns.texts] == ["even (7)", "odd (7)"]
    by_name = pd.Series(kinds, index=V.column_names)[::-1]
    assert factor_of(fit, 1, np.arange(1), by_name, V).groups.tolist() == kinds.tolist()
    with pytest.raises(DataError, match=r"^groups: 3 given for 36 rows$"):
        nbmf.plot.dictionary(fit, row_groups=["a", "b", "c"])


def test_a_reconstruction_has_both_matrices_in_one_order(fit, V):
    data, expectation = nbmf.plot.reconstruction(fit, V)
    assert_tidy(data.figure)
    shown = data.images[0].get_array()
    assert np.count_nonzero(shown.mask) == np.count_nonzero(V.codes == -1)
    assert shown.compressed().sum() == np.count_nonzero(V.codes == 1)
    rows = [
        np.flatnonzero((fit.expectation_ == value).any(axis=1))[0] for value in expectation.images[0].get_array()[:, 0]
    ]
    assert KINDS[rows].tolist() == ["left"] * 20 + ["right"] * 12 + ["none"] * 4
    of_rows = [line for line in data.lines if line.get_xdata()[0] == line.get_xdata()[1] == 0]
    groups = style.colours_of_groups(KINDS)
    drawn = [line.get_color() for line in of_rows if line.get_color() in groups.values()]
    assert drawn == [groups[kind] for kind in ("left", "right", "none")]


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
def test_counts_are_drawn_between_their_own_ends():
    counts = np.random.default_rng(0).poisson(3, (12, 9))
    fit = nbmf.PoissonGammaICM(2, max_iter=10, random_state=0).fit(counts)
    data, expectation = nbmf.plot.reconstruction(fit, counts)
    assert data.images[0].get_clim() == expectation.images[0].get_clim()
    assert data.images[0].get_clim()[1] > 3


# Rows or columns.


def test_positions_on_a_scale_have_the_intervals_of_the_draws(plane, V):
    axis = nbmf.plot.positions(plane, 2, names=["member 3"])
    model = plane.estimator
    second = int(np.argmin(model.shares_of(model.factors_)))
    lower, upper = plane.dictionary_interval(0.9)
    order = np.argsort(model.W_[:, second])
    (line,) = axis.lines
    np.testing.assert_allclose(np.sort(line.get_xdata()), model.W_[order, second])
    ends = np.array([path.vertices[:, 0] for path in axis.collections[0].get_paths()])
    np.testing.assert_allclose(ends, np.stack([lower, upper], axis=-1)[:, second], rtol=1e-6)
    assert [text.get_text() for text in axis.texts if text.get_text()] == ["member 3"]
    assert axis.get_xlabel() == "coordinates in log-odds, component 2"


def test_positions_on_a_map_of_columns(plane):
    model = plane.estimator
    places = np.argsort(-model.shares_of(model.factors_))
    axis = nbmf.plot.positions(model, (2, 1), axis=1, groups=["odd", "even"] * 7)
    points = np.vstack([line.get_xydata() for line in axis.lines])
    expected = model.H_[places[::-1]].T
    np.testing.assert_allclose(points, np.vstack([expected[1::2], expected[::2]]))
    assert not axis.collections  # an estimator has no draws
    assert axis.get_ylabel().endswith("component 1")
    lower, upper = plane.activation_interval(0.5)
    drawn = nbmf.plot.positions(plane, (2, 1), axis=1, level=0.5)
    ends = np.array([path.vertices[:, 0] for path in drawn.collections[0].get_paths()])
    np.testing.assert_allclose(ends, np.stack([lower, upper], axis=-1)[places[1]], rtol=1e-6)


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
def test_rows_that_go_together(chains, V):
    axis = nbmf.plot.co_clustering(chains, groups=V.row_groups)
    order = [list(V.row_names).index(name) for name in names_of(axis)]
    expected = chains.co_clustering(0)[np.ix_(order, order)]
    shown = axis.images[0].get_array()
    off = ~np.eye(F, dtype=bool)
    np.testing.assert_allclose(shown.data[off], expected[off])
    assert shown.mask.sum() == F  # the diagonal
    assert KINDS[order].tolist() == ["left"] * 20 + ["right"] * 12 + ["none"] * 4
    own = nbmf.plot.co_clustering(chains.best, axis=1)
    assert own.images[0].get_array().shape == (N, N)
    with pytest.raises(NotSupportedError, match="co_clustering: neither W nor H of LogisticPCA"):
        nbmf.plot.co_clustering(nbmf.LogisticPCA(2, max_iter=3, random_state=0).fit(V))


# Several fits.


def test_chains_have_a_line_each_and_say_whether_they_have_converged(chains):
    axes = nbmf.plot.chains(chains)
    labels = [axis.get_ylabel() for axis in axes]
    rows = chains.diagnostics.set_index("quantity")
    worst = rows.loc[~rows["converged"], "r_hat"].fillna(np.inf).idxmax()  # which a report names
    assert worst not in ("log joint", "log likelihood", "active components")
    names = ["log joint", "log likelihood", "active components", worst]
    assert labels == [*names[:3], *shortened([worst], 20)]
    recorded = {quantity.name: quantity.values for quantity in chains.quantities()}
    for axis, name in zip(axes, names, strict=True):
        given = recorded[name]
        for line, values in zip(axis.lines, given, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), values)
        note = axis.get_title(loc="right")
        assert ("NOT CONVERGED" in note) == (not rows.loc[name, "converged"])
        r_hat = rows.loc[name, "r_hat"]
        assert (f"{r_hat:.3f}" if np.isfinite(r_hat) else "not defined") in note
    ticks = axes[names.index("active components")].get_yticks()
    np.testing.assert_array_equal(ticks, np.rint(ticks))


def test_the_reconstruction_of_chains_says_that_it_is_of_the_best(chains, V):
    """The table of what is predicted, expectation.csv, is the mean over chains."""
    _, expectation = nbmf.plot.reconstruction(chains, V)
    assert expectation.get_title() == "E[V], Beta-Dir GS, K = 3, best of 3 chains"
    assert nbmf.plot.reconstruction(chains.best, V)[1].get_title() == "E[V], Beta-Dir GS, K = 3"
    caption = pictures_of_fit(chains.best, V, chains=chains)[1].caption
    assert caption.startswith("V and E[V] of the best chain: ")
    assert caption.endswith("The mean over chains is in expectation.csv.")


def test_one_quantity_is_one_axis(chains):
    _, axis = plt.subplots()
    assert nbmf.plot.chains(chains, quantities="share 1", ax=axis) is axis
    with pytest.raises(ConfigError, match=r"^quantities: no 'loglik' was recorded; "):
        nbmf.plot.chains(chains, quantities="loglik")


def test_starts_are_points(V):
    starts = nbmf.run_chains(nbmf.BetaDirVB(4, max_iter=5, random_state=0), V, chains=3, n_jobs=1)
    axis = nbmf.plot.chains(starts, quantities="log likelihood")
    assert [line.get_xdata().tolist() for line in axis.lines] == [[1], [2], [3]]
    spread = starts.diagnostics.set_index("quantity").loc["log likelihood", "spread"]
    assert axis.get_title(loc="right").startswith(f"spread {spread:.2g}")


def scores():
    rows = [("bica", K, m, 0.5 + 0.01 * K + 0.1 * m) for K in (2, 3) for m in (0, 1)]
    rows += [("lda", 3, m, 5.0) for m in (0, 1)]
    rows += [("beta-dir-vb", 100, m, 0.4 + 0.1 * m) for m in (0, 1)]
    rows += [("beta-dir-vb", 100, 2, np.nan)]
    rows += [("overall-proportion", 0, 0, 0.7), ("effects", 0, 0, 0.6)]
    table = pd.DataFrame(rows, columns=["method", "K", "mask", "perplexity"])
    unit = np.where(table["method"] == "lda", "nats per held-out token", "nats per held-out entry")
    return table.assign(dataset="made up", unit=unit)


def test_scores_against_K_are_means_over_masks():
    axis = nbmf.plot.score_against_K(scores())
    assert_tidy(axis.figure)
    dots, line, level, baseline = axis.lines
    assert sorted(dots.get_xdata()) == [2, 2, 3, 3]
    np.testing.assert_allclose(line.get_xydata(), [[2, 0.57], [3, 0.58]])
    np.testing.assert_allclose(level.get_ydata(), 0.45)  # a single K is no curve
    np.testing.assert_allclose(baseline.get_ydata(), 0.6)
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert texts == ["bICA", "Beta-Dir VB, K = 100", BASELINES["effects"]]


def test_scores_of_a_sparse_matrix_are_per_one():
    """With several K `nbmf compare` ended in an error, and its box plots named another unit."""
    table = scores()[lambda table: table["method"].isin(["bica", "effects"])].assign(unit="nats per one", saturated=0)
    assert nbmf.plot.score_against_K(table).get_ylabel() == "held-out log loss (nats per one)"
    methods = {"bica": {"label": "bICA", "K": [2, 3]}}
    figure = boxes.draw(table[table["K"] > 0], methods, ["made up"], {"bica": "#000000"})
    assert figure.axes[0].get_ylabel() == "held-out log loss\n(nats per one)"


def test_one_bad_method_does_not_flatten_the_others():
    table = scores()
    bad = table[table["method"] == "bica"].assign(method="logpca")
    axis = nbmf.plot.score_against_K(pd.concat([table, bad.assign(perplexity=9.0)]))
    assert 0.6 < axis.get_ylim()[1] < 1
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert texts[:3] == ["bICA", "Beta-Dir VB, K = 100", "logPCA (above, from 9)"]
    drawn = table.query("method == 'bica'")["perplexity"]
    assert axis.get_ylim()[0] < drawn.min() < drawn.max() < axis.get_ylim()[1]  # dots, not their means alone


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (scores().drop(columns="K"), "there is no column 'K' among method, mask"),
        (
            pd.concat([scores(), scores().assign(dataset="other")]),
            "those of one dataset are drawn, not of made up, other",
        ),
        (scores()[lambda table: table["K"] == 0], "nothing to draw, no fit has a perplexity"),
    ],
)
def test_scores_that_cannot_be_drawn(table, words):
    with pytest.raises(DataError, match=f"^scores: {words}"):
        nbmf.plot.score_against_K(table)


# What all have in common.


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda fit, V: nbmf.plot.dictionary(V),
            ConfigError,
            "fit: a fitted estimator, Draws or Chains are needed, not a BinaryMatrix",
        ),
        (lambda fit, V: nbmf.plot.dictionary(nbmf.BetaDirVB(2)), NotFittedError, "not fitted yet"),
        (lambda fit, V: nbmf.plot.dictionary(fit, V, side="W"), ConfigError, "side = 'W': must be"),
        (lambda fit, V: nbmf.plot.dictionary(fit, V, lines=0), ConfigError, "lines = 0: must be"),
        (lambda fit, V: nbmf.plot.reconstruction(fit, None), DataError, "V: the matrix of the fit"),
        (
            lambda fit, V: nbmf.plot.reconstruction(fit, V.T),
            DataError,
            r"V has the shape \(14, 36\), that of the fit is \(36, 14\)",
        ),
        (lambda fit, V: nbmf.plot.positions(fit, 7), ConfigError, "components = 7: must be"),
        (lambda fit, V: nbmf.plot.positions(fit, (1, 2, 3)), ConfigError, "from 1 to 6, or two"),
        (lambda fit, V: nbmf.plot.positions(fit, axis=2), ConfigError, "axis = 2: must be 0"),
        (lambda fit, V: nbmf.plot.positions(fit, names=["Nemo"]), DataError, "there is no 'Nemo'"),
        (lambda fit, V: nbmf.plot.co_clustering(fit, axis="rows"), ConfigError, "axis = 'rows'"),
        (lambda fit, V: nbmf.plot.chains(fit), ConfigError, "Chains of nbmf.run_chains are needed"),
        (lambda fit, V: nbmf.plot.score_against_K(scores(), score="loss"), ConfigError, "score = 'loss'"),
        (lambda fit, V: nbmf.plot.positions(fit, ax=[]), ConfigError, "ax: 0 of them given"),
        (
            lambda fit, V: nbmf.plot.score_against_K(scores(), ax="left"),
            ConfigError,
            "ax: a str given; this picture needs one axis",
        ),
    ],
)
def test_what_is_not_allowed_is_said(call, error, words, fit, V):
    with pytest.raises(error, match=words):
        call(fit, V)
    assert not plt.get_fignums()  # nothing is left behind


def test_a_component_and_a_group_have_one_colour_in_all_pictures(fit, V):
    """Groups by how many rows there are, components by their weight, whatever is drawn of them."""

    def of(axis, palette):
        return {line.get_color() for line in axis.lines if line.get_linewidth() > 2} & set(palette)

    few = nbmf.plot.dictionary(fit, V, lines=6)[0]
    whole = nbmf.plot.reconstruction(fit, V)[0]
    together = nbmf.plot.co_clustering(fit, groups=V.row_groups)
    count = len(few.get_xticks())
    assert of(few, style.PALE) == set(style.PALE[:count])
    assert of(whole, style.GROUPS) == of(together, style.GROUPS) == set(style.GROUPS[:3])
    by_group = nbmf.plot.positions(fit, groups=V.row_groups)
    assert [line.get_color() for line in by_group.lines] == style.GROUPS[:3]


def test_the_module_is_loaded_when_it_is_asked_for():
    assert "plot" in dir(nbmf)
    assert nbmf.plot.__name__ == "nbmf.plot"


# The pictures of docs/gallery.md.


def test_the_page_of_pictures_has_one_for_each_example():
    docs = Path(__file__).parents[3] / "docs"
    sys.path.insert(0, str(docs))
    try:
        import gallery
    finally:
        sys.path.remove(str(docs))
    page = (docs / "gallery.md").read_text(encoding="utf-8")
    steps = gallery.STEP.findall(page)
    assert len(steps) == page.count("```python") == page.count("](figures/")
    for name in nbmf.plot.__all__:
        assert any(f"nbmf.plot.{name}(" in block for block, _ in steps), name
    block = "import matplotlib.pyplot as plt\nplt.plot([1], [2])"
    small = f"```python\n{block}\n```\n\n![x](figures/gallery_x.png)"
    ((name, figure),) = gallery.pictures(small)
    assert name == "gallery_x.png"
    assert len(figure.axes[0].lines) == 1


def test_names_are_no_mathematics(tmp_path):
    """A dollar sign begins a formula of Matplotlib; a notebook makes ticks when it shows the figure."""
    V = np.kron(np.eye(2, dtype=int), np.ones((4, 3), int))
    V[0, -1] = 1
    frame = pd.DataFrame(V, [f"a$b%c${i}" for i in range(8)], [f"US$ 10_000 ${i}$" for i in range(6)])
    axes = nbmf.plot.dictionary(nbmf.BetaDirVB(2, max_iter=20, random_state=0).fit(frame))
    figure = np.atleast_1d(axes).flat[0].figure
    figure.savefig(tmp_path / "as a notebook does.png")  # in the style of the user
    shown = [text.get_text() for axis in figure.axes for text in axis.get_yticklabels()]
    assert {"a$b%c$0", "US$ 10_000 $5$"} <= set(shown)
    assert not any(text.get_parse_math() for axis in figure.axes for text in axis.get_yticklabels())


@pytest.mark.parametrize("picture", [nbmf.plot.dictionary, nbmf.plot.reconstruction, nbmf.plot.scale])
def test_what_has_no_observed_entry_is_no_part_of_a_picture(picture):
    values = np.random.default_rng(0).integers(0, 2, (12, 6)).astype(float)
    values[3] = np.nan
    frame = pd.DataFrame(values)
    model = nbmf.LogisticFactorVB(1, max_iter=20, bound_gain_tol=0, random_state=0).fit(frame)
    message = r"V has the shape \(11, 6\), that of the fit is \(12, 6\): fit nbmf.BinaryMatrix.of\(V\), without"
    with pytest.warns(LeftOutWarning), pytest.raises(DataError, match=message):
        picture(model, frame)
    with pytest.warns(LeftOutWarning):
        matrix = nbmf.BinaryMatrix.of(frame)
    picture(model.fit(matrix), matrix)


def test_a_mixture_of_naive_bayes_is_titled_by_what_the_field_calls_it():
    model = nbmf.MNB(2, random_state=0).fit(np.kron(np.eye(2, dtype=int), np.ones((6, 6), int)))
    panels = nbmf.plot.dictionary(model)
    assert panels[0].figure.get_suptitle() == "MNB, rows, K = 2, latent classes"
