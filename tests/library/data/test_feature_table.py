"""FeatureTable: what its door lets in, what it refuses and how it says so."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_table import FeatureTable
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError, LeftOutWarning, NotSupportedError

NAN = np.nan
FRAME = pd.DataFrame(
    {
        "size": [1.5, NAN, -2.0],
        "colour": ["red", None, "blue"],
        "alive": [True, False, None],
        "visits": [3, 0, NAN],
        "class": ["a", "b", "a"],
    },
    index=["x", "y", "z"],
)


def table():
    return FeatureTable.from_frame(FRAME, {"visits": "poisson"}, labels="class")


def test_counts_are_of_cells_and_shown():
    assert repr(table()).startswith("FeatureTable: 3 rows, 4 columns, 8 observed, 4 missing\n")
    assert table().counts() == {"rows": 3, "columns": 4, "observed": 8, "missing": 4}
    documents = FeatureTable.from_documents([[2, 0, 1], [0, 0, 1]])
    assert documents.counts() == {"rows": 2, "columns": 3, "observed": 6, "missing": 0}


def test_a_frame_keeps_kinds_categories_names_and_labels():
    made = table()
    assert made.kinds.tolist() == ["gaussian", "discrete", "bernoulli", "poisson"]
    assert made.sizes.tolist() == [0, 2, 2, 0]
    assert made.categories.tolist() == ["blue", "red", "0", "1"]
    assert made.row_groups.tolist() == ["a", "b", "a"]
    assert made.column_names.tolist() == ["size", "colour", "alive", "visits"]
    np.testing.assert_array_equal(made.values(), [[1.5, 1, 1, 3], [NAN, NAN, 0, 0], [-2, 0, NAN, NAN]])
    assert made.starts.tolist() == [0, 4, 6, 8]
    np.testing.assert_array_equal(made.observed, ~np.isnan(made.values()))


def test_a_missing_label_is_no_label():
    labelled = FRAME.assign(**{"class": pd.Series(["a", None, NAN], FRAME.index)})
    assert FeatureTable.from_frame(labelled, labels="class").row_groups.tolist() == ["a", "", ""]
    assert FeatureTable.from_array([[1.0], [2.0]], row_groups=["a", pd.NA]).row_groups.tolist() == ["a", ""]


def test_a_column_without_a_value_is_left_out_unless_its_kind_is_named():
    """Of new rows it is named: one of their columns may have no value."""
    frame = FRAME.assign(empty=NAN)
    with pytest.warns(LeftOutWarning, match=r"left out: 1 column without an observed entry \('empty'\)"):
        made = FeatureTable.from_frame(frame, {"visits": "poisson"}, labels="class")
    assert made.column_names.tolist() == ["size", "colour", "alive", "visits"]
    named = FeatureTable.from_frame(frame, {"empty": "poisson"}, labels="class")
    assert (named.column_names[-1], named.kinds[-1]) == ("empty", "poisson")
    with pytest.raises(DataError, match="none of the 3 entries of the table is observed"):
        FeatureTable.from_frame(frame[["empty"]])


@pytest.mark.parametrize(
    ("matrix", "kind"),
    [
        (BinaryMatrix.from_array([[1, 0, -1], [0, 1, 1]], row_groups=["p", "q"]), "bernoulli"),
        (CountMatrix.from_array([[4, 0, -1], [0, 1, 1]], row_groups=["p", "q"]), "poisson"),
        (RealMatrix.from_array([[4, 0.5, NAN], [0, 1, 1]], row_groups=["p", "q"]), "gaussian"),
    ],
)
def test_matrices_are_tables_of_one_kind(matrix, kind):
    made = FeatureTable.of(matrix)
    assert set(made.kinds) == {kind}
    assert made.row_groups.tolist() == ["p", "q"]
    np.testing.assert_array_equal(made.observed, matrix.observed)
    np.testing.assert_array_equal(made.values()[1], getattr(matrix, matrix.field)[1])
    assert FeatureTable.of(made) is made


def test_absent_words_have_no_cell_and_absent_entries_are_missing():
    counts = np.array([[2, 0, 1], [0, 0, 0]])
    for given in (counts, scipy.sparse.csr_array(counts)):
        documents = FeatureTable.from_documents(given, words=["u", "v", "w"])
        assert documents.cells.tolist() == [2, 1]
        assert documents.observed.all()
        np.testing.assert_array_equal(documents.values(), counts)
    made = FeatureTable.from_sparse(scipy.sparse.coo_array(counts), kinds="poisson")
    np.testing.assert_array_equal(made.values(), [[2, NAN, 1], [NAN, NAN, NAN]])
    with pytest.raises(DataError, match="the matrix is sparse: from_documents"):
        FeatureTable.of(scipy.sparse.csr_array(counts))


def test_some_rows_of_a_table():
    made = table()
    some = made.take_rows([2, 0])
    np.testing.assert_array_equal(some.values(), made.values()[[2, 0]])
    assert (some.row_names.tolist(), some.row_groups.tolist()) == (["z", "x"], ["a", "a"])
    np.testing.assert_array_equal(made.take_rows(np.array([False, True, False])).values(), made.values()[[1]])
    assert some.sizes.tolist() == made.sizes.tolist()


def test_a_file_gives_the_table_back(tmp_path):
    made = table()
    made.save(tmp_path / "table.npz")
    loaded = load_matrix(tmp_path / "table.npz")
    assert type(loaded) is FeatureTable
    for name, value in vars(made).items():
        np.testing.assert_array_equal(getattr(loaded, name), value)
    with np.load(tmp_path / "table.npz") as file:
        parts = dict(file)
    np.savez(tmp_path / "bad.npz", **{k: v for k, v in parts.items() if k != "sizes"})
    with pytest.raises(DataError, match=r"bad\.npz: a table file holds categories, cells"):
        load_matrix(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (
            "gaussian",
            np.inf,
            "the value is inf; allowed in a gaussian column: 0 and numbers of a size from 1e-100 to 1e100",
        ),
        ("discrete", 0.5, "is 0.5; allowed in a discrete column: the codes 0, 1, ..."),
        ("discrete", -1, "is -1.0; allowed in a discrete"),
        ("bernoulli", 2, "is 2.0; allowed in a bernoulli column: 0 and 1"),
        ("poisson", -2, "is -2.0; allowed in a poisson column: whole numbers"),
        ("poisson", 1.5, "is 1.5; allowed in a poisson column"),
        ("poisson", np.inf, "is inf; allowed in a poisson column"),
    ],
)
def test_a_wrong_value_is_named_by_row_and_column(kind, value, words):
    values = np.array([[1.0, 0.0], [0.0, value]])
    with pytest.raises(DataError, match="row 'b', column 'y': the value " + words[words.index("is") :]):
        FeatureTable.from_array(values, ["a", "b"], ["x", "y"], kinds=kind)


def test_other_things_are_refused_in_words():
    with pytest.raises(DataError, match=r"row 'x', column 'colour': 'red' is no number; allowed"):
        FeatureTable.from_frame(FRAME, {"colour": "gaussian"}, labels="class")
    dates = pd.DataFrame({"day": pd.to_datetime([None, "2020-01-02"])}, index=["x", "y"])
    with pytest.raises(DataError, match=r"row 'y', column 'day': Timestamp\('2020-01-02 .*'\) is no number; allowed"):
        FeatureTable.from_frame(dates, {"day": "gaussian"})
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    with pytest.raises(DataError, match=r"column_names: 'a' names more than one \(places 0, 2, from 0\)"):
        FeatureTable.from_frame(twice)
    with pytest.raises(DataError, match=r"kinds: no column 'visit'; .* mean 'visits'"):
        FeatureTable.from_frame(FRAME, {"visit": "poisson"})
    with pytest.raises(DataError, match=r"labels: no column 'clas'; allowed: size, .* mean 'class'"):
        FeatureTable.from_frame(FRAME, labels="clas")
    with pytest.raises(DataError, match=r"kinds: no column 'class'; allowed: size, "):
        FeatureTable.from_frame(FRAME, {"class": "discrete"}, labels="class")
    with pytest.raises(DataError, match=r"kinds: no column 'x'; allowed: 0, 1"):
        FeatureTable.from_frame(pd.DataFrame([[1, 2]]), {"x": "poisson"})
    with pytest.raises(DataError, match=r"a column of kind 'normal'; allowed: gaussian, "):
        FeatureTable.from_array([[1.0]], kinds="normal")
    with pytest.raises(DataError, match="columns are words all or none"):
        FeatureTable.from_array([[1.0, 2.0]], kinds=["word", "gaussian"])
    with pytest.raises(DataError, match="column_names: a name stands for more than one"):
        FeatureTable.from_array([[1.0, 2.0]], column_names=["a", "a"])
    with pytest.raises(DataError, match=r"row_groups: 1 are needed, not \(2,\)"):
        FeatureTable.from_array([[1.0, 2.0]], row_groups=["a", "b"])
    with pytest.raises(DataError, match="a matrix has two dimensions, not 1"):
        FeatureTable.from_array([1.0, 2.0])
    with pytest.raises(NotSupportedError, match="no transpose"):
        table().T  # noqa: B018
    made = table()
    parts = dict(vars(made), columns=made.columns[::-1])
    with pytest.raises(DataError, match="columns: must be 0 to 3, ascending in each row"):
        FeatureTable(**parts)
    with pytest.raises(DataError, match="starts: must be ascending places"):
        FeatureTable(**dict(vars(made), starts=[0, 6, 4, 8]))


# --- What is given ------------------------------------------------------------------------------


def test_masked_entries_and_na_are_missing():
    given = np.array([[1.0, 2], [1, 9999], [5, 2]])
    table = FeatureTable.from_array(np.ma.MaskedArray(given, given == 9999))
    assert table.cells.tolist() == [1, 2, 1, 5, 2]
    assert FeatureTable.of(np.ma.MaskedArray(given, given == 9999)).cells.tolist() == table.cells.tolist()
    assert FeatureTable.from_array([[pd.NA, 1.0], [2.0, None]]).cells.tolist() == [1, 2]


def test_codes_of_categories_are_those_that_occur():
    """Years had two thousand categories, of which smoothing gave all but two most of the probability."""
    frame = pd.DataFrame({"year": [2018, 2019, 2019, np.nan], "x": list("abab")})
    table = FeatureTable.from_frame(frame, {"year": "discrete"})
    assert (table.sizes.tolist(), table.categories.tolist()) == ([2, 2], ["2018", "2019", "a", "b"])
    assert table.cells[table.columns == 0].tolist() == [0, 1, 1]
    with pytest.raises(DataError, match=r"the value is -1\.0; allowed in a discrete column"):
        FeatureTable.from_frame(frame.replace(2018, -1), {"year": "discrete"})


@pytest.mark.parametrize("ordered", [False, True])
def test_a_column_of_categories_has_all_of_them(ordered):
    given = pd.Categorical([1, 3, None, 1], categories=[3, 2, 1], ordered=ordered)
    table = FeatureTable.from_frame(pd.DataFrame({"g": given, "x": list("abab")}))
    assert (table.kinds.tolist(), table.categories.tolist()) == (["discrete"] * 2, ["3", "2", "1", "a", "b"])
    assert table.cells[table.columns == 0].tolist() == [2, 0, 2]
    counted = FeatureTable.from_frame(pd.DataFrame({"g": given}), {"g": "poisson"})  # what is asked for stays
    assert counted.cells.tolist() == [1, 3, 1]


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2020", periods=3),
        pd.to_timedelta([1, 2, 3]),
        pd.period_range("2020", periods=3),
        pd.interval_range(0, 3),
        [1j, 2, 3],
        [[1], [2], "a"],
    ],
)
def test_what_is_neither_a_number_nor_a_category_is_refused(values):
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5], "when": values})
    with pytest.raises(DataError, match=r"row '0', column 'when': .* is neither a real number nor a category"):
        FeatureTable.from_frame(frame)


def test_intervals_of_a_category_column_are_categories():
    table = FeatureTable.from_frame(pd.DataFrame({"age": pd.cut([20, 30, 70], [0, 40, 80, 120])}))
    assert table.categories.tolist() == ["(0, 40]", "(40, 80]", "(80, 120]"]
    assert table.cells.tolist() == [0, 0, 1]


def test_decimals_are_numbers():
    table = FeatureTable.from_frame(pd.DataFrame({"price": [Decimal("1.5"), Decimal("2"), None]}))
    assert (table.kinds.tolist(), table.cells.tolist()) == (["gaussian"], [1.5, 2.0])


def test_words_of_a_frame_are_its_columns():
    frame = pd.DataFrame([[1, 2], [0, 1]], index=["x", "y"], columns=["a", "b"])
    table = FeatureTable.from_documents(frame)
    assert (table.row_names.tolist(), table.column_names.tolist()) == (["x", "y"], ["a", "b"])
    assert FeatureTable.from_documents(frame, words=["c", "d"]).column_names.tolist() == ["c", "d"]
    assert FeatureTable.from_documents(frame.to_numpy()).column_names.tolist() == ["column 0", "column 1"]


class OtherFrame:
    """A DataFrame of a library that knows no pandas."""

    columns = "a", "b"

    def to_numpy(self):
        return np.eye(2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FeatureTable.from_array([["a", 1]]), "row 0, column 0 .*: 'a' is not a number; allowed: numbers"),
        (lambda: FeatureTable.from_array([[1, 1.0]], kinds=["gaussian"] * 3), "kinds: 3 given for 2 columns; allowed"),
        (lambda: FeatureTable.from_frame(FRAME, kinds=["gaussian"]), "kinds = .*: allowed: one kind for all columns"),
        (lambda: FeatureTable.from_documents([[1, 2], [1]]), "the rows of a matrix have the same length"),
        (lambda: FeatureTable.of(CategoryMatrix.from_array([[0, 1]])), "a CategoryMatrix is no table; allowed: binary"),
        (lambda: FeatureTable.of(OtherFrame()), r"DataFrame; allowed: one of pandas, or with to_pandas\(\)"),
        (lambda: BinaryMatrix.of(OtherFrame()), r"DataFrame; allowed: one of pandas, or with to_pandas\(\)"),
    ],
)
def test_what_is_given_wrongly_is_told(make, words):
    with pytest.raises(DataError, match=words):
        make()
