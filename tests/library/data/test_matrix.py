"""BinaryMatrix: what its door lets in, what it refuses and how it says so."""

import re
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import nbmf
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_table import FeatureTable
from nbmf.data.matrix import BinaryMatrix, as_codes
from nbmf.data.named import names_of
from nbmf.data.names import texts_of_index
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError, LeftOutWarning

CODES = np.array([[1, 0, -1], [0, 1, 1]], dtype=np.int8)


def matrix(**changes):
    parts = {"codes": CODES, "row_names": ["a", "b"], "column_names": ["x", "y", "z"]}
    return BinaryMatrix(**{**parts, **changes})


@pytest.mark.parametrize(
    "values",
    [
        CODES,
        CODES.astype(np.int64),
        CODES.astype(float),
        np.where(CODES == -1, np.nan, CODES),
        np.where(CODES == -1, np.nan, CODES).astype(np.float32),
        np.array([[1, 0, np.nan], [False, True, 1.0]], dtype=object),
        [[1, 0, -1], [0, 1, 1]],
        np.asfortranarray(CODES),
    ],
    ids=["int8", "int64", "-1 as float", "NaN", "float32", "object", "list", "Fortran order"],
)
def test_all_spellings_of_a_matrix_are_one(values):
    made = BinaryMatrix.from_array(values)
    assert made.codes.dtype == np.int8
    assert made.codes.flags.c_contiguous
    np.testing.assert_array_equal(made.codes, CODES)
    assert list(made.row_names) == ["row 0", "row 1"]
    assert list(made.column_names) == ["column 0", "column 1", "column 2"]


def test_booleans_are_ones_and_zeros():
    made = BinaryMatrix.from_array(np.array([[True, False]]))
    np.testing.assert_array_equal(made.codes, [[1, 0]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [1, 0], "y": [0, 1], "z": [np.nan, 1]}, index=["a", "b"]),
        pd.DataFrame({"x": [True, False], "y": [False, True], "z": [None, True]}, index=["a", "b"]),
        pd.DataFrame({"x": [1, 0], "y": [0, 1], "z": [pd.NA, 1]}, index=["a", "b"], dtype="Int8"),
        pd.DataFrame({"x": [1, 0], "y": [0, 1], "z": [pd.NA, 1]}, index=["a", "b"], dtype="boolean"),
    ],
    ids=["float", "object", "Int8", "boolean"],
)
def test_frames_bring_their_names(frame):
    made = BinaryMatrix.from_frame(frame)
    np.testing.assert_array_equal(made.codes, CODES)
    assert list(made.row_names) == ["a", "b"]
    assert list(made.column_names) == ["x", "y", "z"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.ma.masked], ids=repr)
def test_what_libraries_write_for_missing_is_missing_in_arrays_of_objects(missing):
    values = np.empty((2, 3), dtype=object)
    values[:] = [[True, 0, 0], [0, 1.0, 1]]
    values[0, 2] = missing
    np.testing.assert_array_equal(as_codes(values), CODES)
    np.testing.assert_array_equal(as_codes(values.tolist()), CODES)
    np.testing.assert_array_equal(CountMatrix.values_of(values), CODES)
    np.testing.assert_array_equal(RealMatrix.values_of(values), np.where(CODES == -1, np.nan, CODES))


def test_values_of_a_frame_of_nullable_columns_are_those_of_the_frame():
    frame = pd.DataFrame({"x": [1, 0], "y": [0, 1], "z": [pd.NA, 1]}, dtype="boolean")
    np.testing.assert_array_equal(as_codes(frame.to_numpy()), as_codes(frame))


def test_codes_come_from_each_kind():
    made = matrix()
    assert as_codes(made) is made.codes
    np.testing.assert_array_equal(as_codes(CODES), CODES)
    np.testing.assert_array_equal(as_codes(pd.DataFrame(CODES)), CODES)


def test_codes_may_have_unobserved_lines_but_not_be_wholly_missing():
    np.testing.assert_array_equal(as_codes([[-1, -1], [0, -1]]), [[-1, -1], [0, -1]])
    with pytest.raises(DataError, match="none of the 4 entries"):
        as_codes(np.full((2, 2), np.nan))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1, 0], [0, 2]], r"row 1, column 1 .*2.* allowed: 0, 1 and missing"),
        ([[1, 0.5]], r"row 0, column 1 .*0\.5"),
        ([[1, np.inf]], r"row 0, column 1 .*inf"),
        (np.array([[0, -2]], dtype=np.int8), r"row 0, column 1 .*-2"),
        (np.array([[0, 255]], dtype=np.uint8), r"row 0, column 1 .*255"),
        (np.array([[1, "yes"]], dtype=object), r"row 0, column 1 .*'yes' is not a number"),
        ([["1", "0"]], r"row 0, column 0 .*'1'.* is not a number"),
        (np.array([[1, 1j]]), "is not a number"),
        (np.ones(3), "two dimensions, not 1"),
        (np.ones((2, 2, 2)), "two dimensions, not 3"),
        (np.ones((0, 3)), "empty: 0 rows, 3 columns"),
    ],
)
def test_other_values_are_refused_by_place(values, words):
    with pytest.raises(DataError, match=words):
        BinaryMatrix.from_array(values)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"row_names": ["a", "a"]}, r"row_names: 'a' names more than one \(places 0, 1"),
        ({"column_names": ["x", "y", "x"]}, r"column_names: 'x' .*places 0, 2"),
        ({"row_names": ["a"]}, "row_names: 2 names are needed, 1 were given"),
        ({"row_groups": ["g", "g", "g"]}, "row_groups: 2 names are needed, 3 were given"),
        ({"codes": [[-1, -1, -1], [0, 1, 1]]}, "row 'a' has no observed entry"),
        ({"codes": [[1, 0, -1], [0, 1, -1]]}, "column 'z' has no observed entry"),
    ],
)
def test_names_and_unobserved_lines_are_refused_by_name(changes, words):
    with pytest.raises(DataError, match=words):
        matrix(**changes)


def test_arrays_are_copies_that_cannot_be_changed():
    codes, names = CODES.copy(), np.array(["a", "b"])
    made = matrix(codes=codes, row_names=names)
    codes[0, 0], names[0] = 0, "c"
    assert made.codes[0, 0] == 1
    assert made.row_names[0] == "a"
    for array in (made.codes, made.row_names, made.column_names):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_groups_of_a_series_are_those_of_the_rows_that_its_index_names():
    """It may be of another table, with more rows in another order; an index that only numbers is none of names."""
    series = pd.Series(["third", "second", "first"], index=["c", "b", "a"])
    assert matrix(row_names=["a", "b"], row_groups=series).row_groups.tolist() == ["first", "second"]
    by_place = pd.Series(["g", "h"], index=[1, 0])
    assert matrix(row_names=["a", "b"], row_groups=by_place).row_groups.tolist() == ["g", "h"]
    numbers = pd.Series(["g", "h"], index=[12, 11])
    assert matrix(row_names=["11", "12"], row_groups=numbers).row_groups.tolist() == ["h", "g"]
    with pytest.raises(DataError, match="row_groups: 2 names are needed, 3 were given"):
        matrix(row_names=["a", "d"], row_groups=series)
    with pytest.raises(DataError, match="a Series of labels whose index has no 'd'; allowed: one with each name once"):
        matrix(row_names=["a", "d"], row_groups=series[["a", "b"]])
    with pytest.raises(DataError, match="whose index has 'a' more than once"):
        matrix(row_names=["a", "b"], row_groups=pd.Series(["g", "h"], index=["a", "a"]))


@pytest.mark.parametrize("columns", [["a", "b"], ["b", "a"]])
def test_true_is_not_the_number_one(columns):
    """In a dictionary of codes they would be, and which is read would follow from their order."""
    frame = pd.DataFrame({"a": [True, "0", True], "b": ["0", 1, True]}, dtype=object)[columns]
    with pytest.raises(DataError, match="row 1, column 'b': the value is 1; allowed"):
        BinaryMatrix.from_frame(frame, ones=["True"], zeros=["0"])
    made = BinaryMatrix.from_frame(frame, ones=["True", 1], zeros=["0"])
    assert made.codes[:, made.column_names == "b"].ravel().tolist() == [0, 1, 1]
    assert BinaryMatrix.from_frame(frame, ones=["1"], zeros=["True", "0"]).codes.sum() == 1


def test_a_missing_group_is_no_group():
    for missing in (None, np.nan, pd.NA, pd.NaT):
        for groups in (["g", missing], pd.Series(["g", missing], dtype=object), np.array(["g", missing], object)):
            assert matrix(row_groups=groups).row_groups.tolist() == ["g", ""]
    assert matrix(row_groups=pd.Series([1, None])).row_groups.tolist() == ["1", ""]


def test_counts_shape_observed_and_transpose():
    made = matrix(row_groups=["g", "h"])
    assert made.shape == (2, 3)
    assert made.counts() == {"rows": 2, "columns": 3, "ones": 3, "zeros": 2, "missing": 1}
    np.testing.assert_array_equal(made.observed, CODES != -1)
    np.testing.assert_array_equal(made.T.codes, CODES.T)
    assert list(made.T.row_names) == ["x", "y", "z"]
    assert made.T.row_groups is None


@pytest.mark.parametrize("groups", [None, ["ERC", "JuntsxCat"]], ids=["no groups", "groups"])
def test_a_saved_matrix_comes_back(groups, tmp_path):
    made = matrix(row_names=["Dorn Dürkheim", "ψ"], row_groups=groups)
    made.save(tmp_path / "matrix.npz")
    loaded = BinaryMatrix.load(tmp_path / "matrix.npz")
    for field in ("codes", "row_names", "column_names"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(made, field))
    assert (loaded.row_groups is None) == (groups is None)
    assert groups is None or list(loaded.row_groups) == groups


@given(arrays(np.int8, array_shapes(min_dims=2, max_dims=2), elements=st.sampled_from([0, 1])))
def test_any_complete_matrix_survives_the_file(tmp_path_factory, codes):
    path = tmp_path_factory.getbasetemp() / "any.npz"
    BinaryMatrix.from_array(codes).save(path)
    np.testing.assert_array_equal(BinaryMatrix.load(path).codes, codes)


def test_equal_matrices_give_equal_bytes(tmp_path):
    matrix().save(tmp_path / "a.npz")
    matrix(codes=CODES.astype(float)).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert all(member.date_time[0] == 1980 for member in archive.infolist())


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "matrix.npz"
    matrix().save(path)
    return path


def test_every_truncation_is_noticed(saved):
    content = saved.read_bytes()
    for length in range(0, len(content), 7):
        saved.write_bytes(content[:length])
        with pytest.raises(DataError, match=r"matrix\.npz: not a complete nbmf matrix file"):
            BinaryMatrix.load(saved)


def test_every_changed_byte_is_noticed_or_harmless(saved):
    content = saved.read_bytes()
    for place in range(len(content)):
        saved.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        found = codes_or_complaint(saved)
        assert str(saved) in found if isinstance(found, str) else (found == CODES).all()


def codes_or_complaint(path):
    try:
        return BinaryMatrix.load(path).codes
    except DataError as error:
        return str(error)


@pytest.mark.parametrize("content", [b"", b"text\n", b"PK\x03\x04"], ids=["empty", "text", "zip"])
def test_other_files_are_refused_by_name(content, saved):
    saved.write_bytes(content)
    with pytest.raises(DataError, match=r"matrix\.npz"):
        BinaryMatrix.load(saved)


def test_a_single_array_is_no_matrix_file(saved):
    with open(saved, "wb") as file:
        np.save(file, CODES)
    with pytest.raises(DataError, match=r"matrix\.npz"):
        BinaryMatrix.load(saved)


def test_other_contents_are_refused_by_name(saved):
    np.savez(saved, codes=CODES)
    with pytest.raises(DataError, match=r"matrix\.npz: .*this one has codes"):
        BinaryMatrix.load(saved)
    np.savez(saved, codes=CODES * 3, row_names=["a", "b"], column_names=["x", "y", "z"])
    with pytest.raises(DataError, match=r"matrix\.npz: row 0, column 0"):
        BinaryMatrix.load(saved)


def test_pickles_are_never_read(saved):
    objects = np.array(["a", "b"], dtype=object)
    np.savez(saved, codes=CODES, row_names=objects, column_names=["x", "y", "z"])
    with pytest.raises(DataError, match=r"matrix\.npz: not a complete"):
        BinaryMatrix.load(saved)


def test_an_absent_file_stays_an_absent_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        BinaryMatrix.load(tmp_path / "absent.npz")


def test_a_sparse_matrix_has_to_say_what_absent_means():
    V = scipy.sparse.csr_array(np.eye(3))
    with pytest.raises(DataError, match=r"may mean 0 or missing: BinaryMatrix\.from_sparse\(V\)"):
        as_codes(V)
    assert as_codes(BinaryMatrix.from_sparse(V)).tolist() == np.eye(3).tolist()
    with pytest.raises(DataError, match=r"of other values V\.toarray\(\), takes it for 0"):
        CountMatrix.of(2 * V)  # of counts from_sparse makes nothing


def test_a_frame_may_have_values_of_its_own():
    frame = pd.DataFrame({"a": ["y", "n"], "b": ["?", "n"], "c": [None, "y"]})
    matrix = BinaryMatrix.from_frame(frame, ones=["y"], zeros=["n"], missing=["?"])
    assert matrix.codes.tolist() == [[1, -1, -1], [0, 0, 1]]
    assert matrix.column_names.tolist() == ["a", "b", "c"]


def test_a_wrong_value_of_a_frame_is_named_by_its_names():
    frame = pd.DataFrame({"a": ["y", "n"]}, index=["ann", "bob"])
    words = r"^row 'ann', column 'a': the value is 'y'; allowed: ones \(1, .*from_frame\(V, ones=\[...\], zeros="
    for door in (BinaryMatrix.from_frame, BinaryMatrix.of, as_codes):
        with pytest.raises(DataError, match=words):
            door(frame)
    with pytest.raises(DataError, match=r"^row 'bob', column 'a': the value is 'n'; allowed:"):
        BinaryMatrix.from_frame(frame, ones=["y"])


def test_cells_of_a_frame_mean_what_they_mean_in_a_file():
    frame = pd.DataFrame({"a": ["Yes", "NO"], "b": ["", "1"], "c": [True, "?"], "d": [0, 1.0]})
    assert BinaryMatrix.from_frame(frame).codes.tolist() == [[1, -1, 1, 0], [0, 1, -1, 1]]
    assert as_codes(frame).tolist() == [[1, -1, 1, 0], [0, 1, -1, 1]]
    lists = pd.DataFrame({"a": [1, 0], "b": [[1], 0]}, index=["ann", "bob"])
    with pytest.raises(DataError, match=r"^row 'ann', column 'b': the value is \[1\]; allowed: ones"):
        BinaryMatrix.from_frame(lists)


@pytest.mark.parametrize("kind", [BinaryMatrix, CountMatrix, CategoryMatrix, RealMatrix])
def test_of_a_frame_what_has_no_entry_is_left_out_and_reported(kind):
    frame = pd.DataFrame({"a": [1, np.nan, 0], "b": [np.nan] * 3, "c": [0, np.nan, 1]}, index=["x", "y", "z"])
    words = "left out: 1 row without an observed entry ('y'); 1 column without an observed entry ('b')"
    with pytest.warns(LeftOutWarning, match=re.escape(words)):
        made = kind.from_frame(frame)
    assert (made.row_names.tolist(), made.column_names.tolist()) == (["x", "z"], ["a", "c"])
    assert getattr(made, made.field).tolist() == [[1, 0], [0, 1]]
    with pytest.warns(LeftOutWarning, match="'row 1'"):
        assert kind.observed_part(frame.to_numpy()).shape == (2, 2)
    with pytest.raises(DataError, match="none of the 9 entries"):
        kind.from_frame(frame * np.nan)


def test_what_a_thing_is_to_itself_can_be_missing():
    made = CountMatrix.from_array([[3, 1], [2, 4]]).without_diagonal()
    assert made.tallies.tolist() == [[-1, 1], [2, -1]]


def test_a_matrix_is_shown_in_a_few_lines():
    text = repr(BinaryMatrix.from_array(np.eye(40, 30)))
    assert text.startswith("BinaryMatrix: 40 rows, 30 columns, 30 ones, 1170 zeros, 0 missing\n")
    assert len(text.splitlines()) == 3
    assert len(text) < 300


def test_real_numbers_have_no_diagonal_where_it_is_missing():
    matrix = RealMatrix.from_array([[1.0, 2.0, np.nan], [2.0, 1.0, 4.0], [np.nan, 4.0, 9.0]])
    assert matrix.is_symmetric()
    assert np.isnan(matrix.without_diagonal().values.diagonal()).all()
    assert matrix.without_diagonal().values[0, 1] == 2


def test_names_may_be_of_several_levels():
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    frame = pd.DataFrame([[1, 0], [0, 1]], index=levels, columns=levels)
    matrix, table = BinaryMatrix.from_frame(frame), FeatureTable.from_frame(frame)
    for names in (matrix.row_names, matrix.column_names, table.row_names, table.column_names, *names_of(frame)):
        assert names.tolist() == ["('a', 1)", "('a', 2)"]
    assert nbmf.BinaryICA(1, max_iter=2, random_state=0).fit(matrix).transform(frame).shape == (2, 1)


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.date_range("2020-01-01", periods=2), ["2020-01-01", "2020-01-02"]),
        (pd.timedelta_range("1D", periods=2), ["1 days", "2 days"]),
        (pd.Index([b"a", 1.0]), ["a", "1.0"]),
    ],
)
def test_a_frame_has_the_names_of_the_matrix_made_of_it(index, names):
    frame = pd.DataFrame([[1, 0], [0, 1]], index=index, columns=index)
    made = BinaryMatrix.from_frame(frame)
    for held in (made.row_names, made.column_names, *names_of(frame)):
        assert held.tolist() == names
    assert nbmf.BinaryICA(1, max_iter=2, random_state=0).fit(made).transform(frame).shape == (2, 1)


def test_an_index_with_na_has_names():
    frame = pd.DataFrame([[1, 0], [0, 1]], columns=pd.Index([pd.NA, 1], dtype="Int64"))
    rows, columns = names_of(frame)
    assert rows is None
    assert columns.tolist() == ["nan", "1"] == texts_of_index(frame.columns).tolist()
    assert nbmf.BinaryICA(1, max_iter=2, random_state=0).fit(frame).transform(frame).shape == (2, 1)
