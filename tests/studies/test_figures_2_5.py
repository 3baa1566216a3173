"""Figures 2 and 5 on made-up matrices: the order of rows and columns, colours, the page."""

import numpy as np
import pytest
from figure_checks import assert_tidy, legend_texts, panels
from matplotlib.colors import to_rgb

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.plotting import style
from nbmf.plotting.ordering import clustered, complete_linkage_order
from nbmf_studies.lumbreras2020 import figure_2, figure_5

BLACK, WHITE, BLUE, RED = (to_rgb(c) for c in ("black", "white", "#0072B2", "#D55E00"))


def random_matrix(F, N, density=0.5, missing=0.0, seed=0, **names):
    rng = np.random.default_rng(seed)
    codes = (rng.random((F, N)) < density).astype(np.int8)
    codes[rng.random((F, N)) < missing] = -1
    return BinaryMatrix.from_array(codes, **names)


# --- Order -----------------------------------------------------------------------------------


def order_by_merging(vectors):
    """Merge the two clusters whose farthest members are nearest, the tighter one to the left."""
    distance = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    clusters = [([i], 0.0) for i in range(len(vectors))]
    while len(clusters) > 1:
        height, i, j = min(
            (distance[np.ix_(clusters[i][0], clusters[j][0])].max(), i, j)
            for j in range(len(clusters))
            for i in range(j)
        )
        (_, other), (_, one) = clusters[j], clusters[i]
        left, right = (i, j) if (one, i) <= (other, j) else (j, i)
        merged = (clusters[left][0] + clusters[right][0], height)
        clusters = [c for k, c in enumerate(clusters) if k not in (i, j)] + [merged]
    return clusters[0][0]


def codes_without_ties(rng):
    """Draw rows of distances that all differ, so that there is no more than one order."""
    while True:
        codes = (rng.random((8, 4000)) < rng.random((8, 1))).astype(np.int8)
        distances = (codes[:, None] != codes[None]).sum(axis=2)[np.triu_indices(8, 1)]
        if len(set(distances)) == len(distances):
            return codes


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_that_of_complete_linkage(seed):
    codes = codes_without_ties(np.random.default_rng(seed))
    assert complete_linkage_order(codes, 0).tolist() == order_by_merging(codes.astype(float))


def test_missing_entries_count_as_one_half():
    codes = np.array([[1] * 9, [0] * 9, [-1] * 4 + [1] * 5, [-1] * 5 + [0] * 4], dtype=np.int8)
    expected = order_by_merging(np.where(codes == -1, 0.5, codes))
    assert complete_linkage_order(codes, 0).tolist() == expected


def test_columns_are_ordered_as_the_rows_of_the_transposed():
    codes = random_matrix(30, 50, missing=0.1).codes
    order = complete_linkage_order(codes, 1)
    assert sorted(order) == list(range(50))
    assert np.array_equal(order, complete_linkage_order(codes.T, 0))
    assert np.array_equal(clustered(codes), codes[complete_linkage_order(codes, 0)][:, order])


def test_clustering_brings_blocks_together():
    blocks = np.kron(np.eye(3, dtype=np.int8), np.ones((4, 5), dtype=np.int8))
    rng = np.random.default_rng(0)
    found = clustered(blocks[rng.permutation(12)][:, rng.permutation(15)])
    assert np.abs(np.diff(found, axis=0)).any(axis=1).sum() == 2
    assert np.abs(np.diff(found, axis=1)).any(axis=0).sum() == 2


def test_a_single_row_has_an_order():
    assert complete_linkage_order(np.array([[1, 0, 1]], dtype=np.int8), 0).tolist() == [0]


# --- Figure 2 --------------------------------------------------------------------------------

TITLES = [f"{m}, all concentrations {c}" for m in ("Beta-Dir", "Dir-Beta", "Dir-Dir") for c in (1, 0.1)]


def figure_2_example():
    return {title: random_matrix(100, 100, 0.3, seed=i) for i, title in enumerate(TITLES)}


def test_figure_2_has_a_row_per_model_and_a_column_per_concentration():
    axes = panels(figure_2.draw(figure_2_example()))
    assert list(axes) == TITLES
    for i, axis in enumerate(axes.values()):
        place = axis.get_subplotspec()
        assert (place.rowspan.start, place.colspan.start) == divmod(i, 2)


def test_figure_2_shows_the_clustered_matrices_ones_black():
    matrices = figure_2_example()
    figure = figure_2.draw(matrices)
    figure.draw_without_rendering()
    for title, axis in panels(figure).items():
        (image,) = axis.images
        assert np.array_equal(image.get_array(), clustered(matrices[title].codes))
        assert image.to_rgba(np.array([0.0, 1.0]))[:, :3].tolist() == [list(WHITE), list(BLACK)]
        assert axis.bbox.width == pytest.approx(axis.bbox.height)


def test_figure_2_is_tidy():
    figure = figure_2.draw(figure_2_example())
    assert figure.get_figwidth() <= style.PAGE_WIDTH
    assert_tidy(figure)


# --- Figure 5 --------------------------------------------------------------------------------

LABELS = {
    "animals": ("animals", "attributes"),
    "lastfm": ("users", "artists"),
    "paleo": ("genera", "localities"),
    "parliament": ("members following", "members followed"),
    "unvotes": ("countries", "roll calls"),
}
PARTIES = {"CEC": 8, "CUP": 4, "Ciutadans": 35, "ERC": 28, "JuntsxCat": 35, "PP": 4, "PSC": 16}


def parliament():
    parties = np.repeat(list(PARTIES), list(PARTIES.values()))
    order = np.random.default_rng(3).permutation(len(parties))
    members = [f"{'zyxwvut'[i % 7]}{i}" for i in range(len(parties))]
    return random_matrix(130, 130, 0.3, row_names=members, column_names=members, row_groups=parties[order])


def figure_5_example():
    return {
        "animals": random_matrix(50, 85, 0.4),
        "lastfm": random_matrix(1226, 285, 0.04),
        "paleo": random_matrix(253, 902, 0.03),
        "parliament": parliament(),
        "unvotes": random_matrix(200, 5429, 0.6, missing=0.3),
    }


def abstentions_of(votes, seed=1):
    abstained = (votes.codes == 0) & (np.random.default_rng(seed).random(votes.shape) < 0.5)
    codes = np.where(votes.observed, abstained, -1).astype(np.int8)
    return BinaryMatrix(codes, votes.row_names, votes.column_names)


def image_of(axis):
    return np.asarray(axis.images[0].get_array()) / 255


def where_colour(axis, colour):
    return np.isclose(image_of(axis), colour).all(axis=2)


def test_figure_5_is_tidy_and_names_what_it_shows():
    matrices = figure_5_example()
    figure = figure_5.draw(matrices, LABELS, abstentions_of(matrices["unvotes"]))
    axes = panels(figure)
    assert set(axes) == set(matrices)
    assert axes["animals"].get_ylabel() == "50 animals"
    assert axes["animals"].get_xlabel() == "85 attributes"
    assert legend_texts(figure) == ["1", "0", "abstention", "missing"]
    assert figure.get_figwidth() == style.PAGE_WIDTH
    assert figure.get_figheight() < 10
    assert_tidy(figure)


@pytest.mark.parametrize("names", [["animals"], ["animals", "parliament"], ["paleo"]])
def test_figure_5_of_some_datasets_is_tidy(names):
    matrices = figure_5_example()
    figure = figure_5.draw({name: matrices[name] for name in names}, LABELS)
    assert list(panels(figure)) == names
    assert legend_texts(figure) == ["1", "0"]
    assert_tidy(figure)


def test_a_tall_matrix_is_widened_and_others_keep_their_cells_square():
    figure = figure_5.draw({"tall": random_matrix(90, 10), "square": random_matrix(20, 20)}, {})
    figure.draw_without_rendering()
    tall, square = (axis.bbox for axis in panels(figure).values())
    assert tall.width / tall.height > 2 * 10 / 90
    assert square.width == pytest.approx(square.height)


def test_a_dataset_without_labels_has_rows_and_columns():
    axis = panels(figure_5.draw({"toy": random_matrix(5, 6)}, {}))["toy"]
    assert (axis.get_ylabel(), axis.get_xlabel()) == ("5 rows", "6 columns")


def test_most_datasets_are_clustered_both_ways():
    matrix = random_matrix(20, 30, missing=0.1)
    axis = panels(figure_5.draw({"animals": matrix}, LABELS))["animals"]
    for code, colour in ((1, BLACK), (0, WHITE), (-1, RED)):
        assert np.array_equal(where_colour(axis, colour), clustered(matrix.codes) == code)


def test_votes_keep_their_columns_and_show_abstentions():
    votes = random_matrix(20, 90, missing=0.3)
    abstentions = abstentions_of(votes)
    axis = panels(figure_5.draw({"unvotes": votes}, LABELS, abstentions))["unvotes"]
    order = complete_linkage_order(votes.codes, 0)
    abstained = abstentions.codes == 1
    expected = {
        RED: votes.codes == -1,
        BLACK: votes.codes == 1,
        BLUE: abstained,
        WHITE: (votes.codes == 0) & ~abstained,
    }
    for colour, cells in expected.items():
        assert np.array_equal(where_colour(axis, colour), cells[order])


def test_votes_without_abstentions_show_them_as_zeros():
    votes = random_matrix(20, 90, missing=0.3)
    figure = figure_5.draw({"unvotes": votes}, LABELS)
    assert legend_texts(figure) == ["1", "0", "missing"]


def test_abstentions_of_other_votes_are_refused():
    votes = random_matrix(20, 90, missing=0.3)
    other = random_matrix(20, 90, column_names=[f"call {n}" for n in range(90)])
    with pytest.raises(DataError, match="column_names of the abstentions"):
        figure_5.draw({"unvotes": votes}, LABELS, other)
    with pytest.raises(DataError, match="are ones in the matrix"):
        figure_5.draw({"unvotes": votes}, LABELS, votes)


def test_parliament_is_sorted_by_party_then_name_in_rows_and_columns():
    matrix = parliament()
    axis = panels(figure_5.draw({"parliament": matrix}, LABELS))["parliament"]
    order = sorted(range(130), key=lambda i: (matrix.row_groups[i], matrix.row_names[i]))
    assert np.array_equal(where_colour(axis, BLACK), matrix.codes[np.ix_(order, order)] == 1)


def test_parties_are_labelled_and_separated():
    axis = panels(figure_5.draw({"parliament": parliament()}, LABELS))["parliament"]
    for labels in (axis.get_yticklabels(), axis.get_xticklabels()):
        assert [label.get_text() for label in labels] == list(PARTIES)
    ends = np.cumsum(list(PARTIES.values()))
    assert [line.get_ydata()[0] for line in axis.lines[:6]] == (ends[:-1] - 0.5).tolist()
    assert [line.get_xdata()[0] for line in axis.lines[6:]] == (ends[:-1] - 0.5).tolist()
    assert axis.get_yticks().tolist() == [3.5, 9.5, 29, 60.5, 92, 111.5, 121.5]


def test_groups_of_rows_say_nothing_of_other_columns():
    matrix = random_matrix(12, 12, row_groups=list("bbbbbbaaaaaa"))
    axis = panels(figure_5.draw({"toy": matrix}, {}))["toy"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["a", "b"]
    assert not axis.get_xticklabels()
    assert len(axis.lines) == 1
    rows = sorted(range(12), key=lambda f: (matrix.row_groups[f], matrix.row_names[f]))
    columns = complete_linkage_order(matrix.codes, 1)
    assert np.array_equal(where_colour(axis, BLACK), matrix.codes[np.ix_(rows, columns)] == 1)


def test_thin_ones_do_not_vanish():
    codes = np.zeros((200, 5429), dtype=np.int8)
    codes[:, 2700] = 1
    figure = figure_5.draw({"unvotes": BinaryMatrix.from_array(codes)}, LABELS)
    figure.canvas.draw()
    axis = panels(figure)["unvotes"]
    inside = axis.get_window_extent().padded(-3).extents.astype(int)
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1][inside[1] : inside[3], inside[0] : inside[2], 0]
    assert (pixels.min(axis=1) < 245).all()


def test_the_file_of_large_matrices_is_small(tmp_path):
    matrices = figure_5_example()
    figure = figure_5.draw(matrices, LABELS, abstentions_of(matrices["unvotes"]))
    style.save(figure, tmp_path / "a.pdf", tmp_path / "a.png")
    assert all(path.stat().st_size < 4e6 for path in tmp_path.iterdir())


def test_the_same_matrices_give_the_same_bytes(tmp_path):
    for name in ("one", "other"):
        style.save(figure_2.draw(figure_2_example()), tmp_path / f"{name}.pdf")
        style.save(figure_5.draw({"a": random_matrix(9, 9)}, {}), tmp_path / f"{name}.png")
    for suffix in ("pdf", "png"):
        one, other = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "other"))
        assert one == other
