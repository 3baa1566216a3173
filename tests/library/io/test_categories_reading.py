"""Files of ordered categories: what is read, refused and told."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import ConfigError, DataError

LEVELS = ["never", "seldom", "often", "always"]
ANSWERS = "who,q1,q2\nann,never,always\nbob,,seldom\ncem,often,never\n"


def quiet(line):
    """Say nothing."""


@pytest.fixture
def read(tmp_path):
    def read(content, categories, name="answers.csv", **options):
        path = tmp_path / name
        path.write_text(content)
        return nbmf.read(path, categories=categories, log=lines.append, **options)

    lines = read.lines = []
    return read


def test_texts_are_categories_in_the_order_that_is_given(read):
    V = read(ANSWERS, LEVELS)
    assert type(V) is nbmf.CategoryMatrix
    assert V.ranks.tolist() == [[0, 3], [-1, 1], [2, 0]]
    assert V.categories.tolist() == LEVELS
    assert V.n_categories == 4  # "always" would be one more than what q1 has
    assert read.lines[1].startswith("3 rows x 2 columns: 4 ordered categories from 'never' to 'always'; 16.7% missing")
    assert read(ANSWERS, LEVELS[::-1]).ranks.tolist() == [[3, 0], [-1, 2], [1, 3]]


def test_numbers_are_categories_in_any_spelling(read):
    V = read("who,q1,q2\nann,1,5.0\nbob,3,9\n", [1, 2, 3, 4, 5], missing=["9"])
    assert V.ranks.tolist() == [[0, 4], [2, -1]]
    assert V.lowest == 1
    assert read(ANSWERS, LEVELS).lowest == 0


def test_what_is_a_category_is_not_missing(read):
    V = read("who,q1,q2\nann,none,some\nbob,NA,none\n", ["none", "some"])
    assert V.ranks.tolist() == [[0, 1], [-1, 0]]


def test_a_list_has_categories_too(read):
    V = read("who,what,how\nann,q1,never\nann,q2,often\nbob,q2,seldom\n", LEVELS, layout="long")
    assert V.ranks.tolist() == [[0, 2], [-1, 1]]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"categories": ["never", "seldom", "often"]},
            DataError,
            "line 2, column 'q2': the value is 'always'; allowed:",
        ),
        ({"categories": [*LEVELS, "never"]}, ConfigError, "a category is there twice"),
        ({"categories": ["1", "1.0"]}, ConfigError, "a category is there twice"),
        ({"categories": ["never"]}, ConfigError, "a list of 2 to 127 texts"),
        ({"categories": LEVELS, "missing": ["never"]}, ConfigError, "'never' is given for two of"),
        ({"categories": LEVELS, "counts": True}, ConfigError, "counts = True: has no meaning with categories"),
        ({"categories": LEVELS, "layout": "presence"}, ConfigError, "has no meaning with layout = 'presence'"),
        ({"categories": LEVELS, "layout": "long", "absent": "zeros"}, ConfigError, "absent = 'zeros': has no meaning"),
    ],
)
def test_what_cannot_be_is_refused(read, options, error, words):
    with pytest.raises(error) as refused:
        read(ANSWERS, **options)
    assert words in str(refused.value)


def test_a_format_that_lacks_zeros_has_no_categories(read):
    with pytest.raises(ConfigError, match="zero is no category"):
        read("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 2\n", ["0", "1", "2"], "V.mtx")


def test_a_matrix_file_keeps_what_categories_are_called(read, tmp_path):
    V = read(ANSWERS, LEVELS)
    V.save(tmp_path / "V.npz")
    again = nbmf.read(tmp_path / "V.npz", log=lambda line: None)
    assert again.categories.tolist() == LEVELS
    assert again.ranks.tolist() == V.ranks.tolist()
    assert V.T.categories.tolist() == LEVELS
    assert nbmf.read(tmp_path / "V.npz", above=1, log=lambda line: None).codes.tolist() == [[0, 1], [-1, 0], [1, 0]]


def test_numbers_in_a_matrix_file_are_compared_as_those_of_a_text(read, tmp_path):
    content = "who,a,b,c\nann,1,4,5\nbob,2,5,\ncem,3,3,4\n"
    V = read(content, list("12345"))
    V.save(tmp_path / "V.npz")
    binary, counts = (nbmf.read(tmp_path / "V.npz", log=quiet, **more) for more in ({"above": 3}, {"counts": True}))
    assert binary.codes.tolist() == nbmf.read(tmp_path / "answers.csv", above=3, log=quiet).codes.tolist()
    assert counts.tallies.tolist() == [[1, 4, 5], [2, 5, -1], [3, 3, 4]]
    dataclasses.replace(V, categories=list("02468")).save(tmp_path / "V.npz")  # numbers with gaps are numbers too
    assert nbmf.read(tmp_path / "V.npz", above=5, log=quiet).codes.tolist() == [[0, 1, 1], [0, 1, -1], [0, 0, 1]]


def test_texts_in_a_matrix_file_are_places_and_no_counts(read, tmp_path):
    V = read(ANSWERS, LEVELS)
    V.save(tmp_path / "V.npz")
    lines = []
    nbmf.read(tmp_path / "V.npz", above=1, log=lines.append)
    nbmf.read(tmp_path / "V.npz", above=1.0, log=lines.append)
    assert all(line.endswith("; categories after 'seldom' are ones, others zeros") for line in lines[::2])
    with pytest.raises(DataError, match="above = 3 compares their places, counted from 0; allowed: 0 to 2"):
        nbmf.read(tmp_path / "V.npz", above=3, log=quiet)
    for names, more in (
        (LEVELS, {"counts": True}),
        (["1", "2", "3", "more"], {"above": 1}),
        (["0.5", "1", "1.5", "2"], {"above": 1}),
    ):
        dataclasses.replace(V, categories=names).save(tmp_path / "V.npz")
        with pytest.raises(DataError, match="and no counts; allowed as such: whole numbers from 0"):
            nbmf.read(tmp_path / "V.npz", log=quiet, **more)


@pytest.mark.parametrize(
    ("content", "rows", "columns"),
    [
        ("id,1,2,3\na,1,2,5\nb,2,3,4\n", ["a", "b"], ["1", "2", "3"]),
        ("id,q1,q2\n1,5,2\n2,1,4\n3,2,2\n", ["1", "2", "3"], ["q1", "q2"]),
        ("a,1,2,5\nb,2,3,4\n", ["a", "b"], ["column 0", "column 1", "column 2"]),  # answers may rise
        ("a,5,4,3\nb,2,3,4\n", ["a", "b"], ["column 0", "column 1", "column 2"]),
        ("a,1,2\nb,2,3\n", ["a", "b"], ["column 0", "column 1"]),
        ("a,1,,2,3\nb,2,3,4,5\n", ["a", "b"], ["column 0", "column 1", "column 2", "column 3"]),
    ],
)
def test_numbers_of_questions_are_names_within_the_scale_too(content, rows, columns, read):
    for categories in ("12345", "54321"):
        V = read(content, list(categories))
        assert (V.row_names.tolist(), V.column_names.tolist()) == (rows, columns)


def test_categories_have_to_fit_the_matrix():
    names = [["a", "b"], ["c", "d"]]
    with pytest.raises(DataError, match="there are 2 categories; allowed: 3 to 127"):
        nbmf.CategoryMatrix(np.array([[0, 2], [1, 0]]), *names, categories=["no", "yes"])
    with pytest.raises(DataError, match="no"):
        nbmf.CategoryMatrix(np.array([[0, 1], [1, 0]]), *names, categories=["no", "no"])


def test_a_data_frame_of_ordered_categories_is_analyzed_as_such():
    rng = np.random.default_rng(0)
    kind = pd.CategoricalDtype(["low", "middle", "high", "never seen"], ordered=True)
    psi = 3 * rng.normal(size=(40, 1)) @ np.ones((1, 8)) + rng.logistic(size=(40, 8))
    frame = pd.DataFrame(np.digitize(psi, [-1, 1])).apply(lambda each: pd.Categorical.from_codes(each, dtype=kind))
    found = nbmf.analyze(frame, iterations=30, check=False)
    assert found.model.cut_points_.shape == (8, 3)  # the category that nobody took has a cut point
    assert type(found.model) is nbmf.OrdinalFactorVB
