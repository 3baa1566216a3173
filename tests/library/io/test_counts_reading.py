"""Files of counts: what is taken for such, what is a name and what a value, what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

import nbmf
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.io.answers import AnswersError, look_like_counts
from nbmf.io.coded_matrix import StoredCodes

YEARS = "land,1990,1991,1992\nA,3,0,1\nB,,12,7\nC,0,0,2\n"
TALLIES = [[3, 0, 1], [-1, 12, 7], [0, 0, 2]]
LIST = "site,species,n\na,x,4\na,y,2\nb,x,7\n"


@pytest.fixture
def read(tmp_path):
    """Return a function from content and arguments of nbmf.read to matrix and report."""

    def from_text(content, name="counts.csv", **options):
        path, lines = tmp_path / name, []
        path.write_text(content)
        matrix = nbmf.read(path, log=lines.append, **options)
        return matrix, "\n".join(lines).replace(f"{path}: ", "")

    return from_text


def test_counts_are_recognised_years_are_names_and_the_report_says_both(read):
    matrix, said = read(YEARS)
    assert type(matrix) is CountMatrix
    assert matrix.tallies.tolist() == TALLIES
    assert matrix.column_names.tolist() == ["1990", "1991", "1992"]
    assert said.splitlines() == [
        "text, fields separated by commas; header in line 1; names of rows in the first column",
        "3 rows x 3 columns: counts up to 12, 33.3% zeros, 11.1% missing",
    ]
    assert read(YEARS, transpose=True)[0].tallies.tolist() == np.transpose(TALLIES).tolist()


def test_a_first_column_that_rises_has_names(read):
    matrix, _ = read("year,a,b\n1990,3,0\n1991,5,1\n1992,0,9\n")
    assert matrix.row_names.tolist() == ["1990", "1991", "1992"]
    assert read("year,a,b\n1990,3,0\n1991,5,1\n1992,0,9\n", index=False)[0].shape == (3, 3)


def test_numbers_alone_are_values(read):
    matrix, said = read("3,0,1\n0,12,7\n5,0,2\n")
    assert matrix.tallies.tolist() == [[3, 0, 1], [0, 12, 7], [5, 0, 2]]
    assert "no header; no names of rows" in said
    matrix, said = read("0,0,5\n0,12,7\n5,7,2\n")  # equal ones do not rise
    assert matrix.shape == (3, 3)
    assert "no header; no names of rows" in said


@pytest.mark.parametrize(
    "content",
    [
        "p,q1,q2\na,0,1\nb,1,9\nc,9,0\n",  # a code of what is missing
        "p,q1,q2\na,0,2\nb,1,9\nc,9,0\n",
        "p,age,a,b,c,d\na,30,1,0,1,1\nb,41,0,0,1,0\nc,52,1,1,0,1\n",  # one column of five
    ],
)
def test_codes_and_a_column_of_other_things_are_not_taken_for_counts(content, read):
    with pytest.raises(DataError, match="counts = True reads"):
        read(content)
    assert type(read(content, counts=True)[0]) is CountMatrix


def test_of_zeros_and_ones_counts_are_what_is_asked_for(read):
    binary = "p,a,b\nx,1,0\ny,0,1\n"
    assert type(read(binary)[0]) is BinaryMatrix
    assert read(binary, counts=True)[0].tallies.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(DataError, match="the value is '3'"):
        read(YEARS, counts=False)
    with pytest.raises(DataError, match="the value is '1'"):
        read(YEARS, ones=["3"])


@pytest.mark.parametrize(
    ("above", "codes"), [(0, [[1, 0, 1], [-1, 1, 1], [0, 0, 1]]), (3, [[0, 0, 0], [-1, 1, 1], [0, 0, 0]])]
)
def test_counts_become_binary(above, codes, read):
    matrix, said = read(YEARS, above=above)
    assert type(matrix) is BinaryMatrix
    assert matrix.codes.tolist() == codes
    assert f"values above {above} are ones, others zeros" in said


@pytest.mark.parametrize("above", [0, 0.5, 1, 2.5, 3.7])
def test_numbers_with_decimals_become_binary(above, read, tmp_path):
    """A value is a one where it is larger than the threshold, whatever it is rounded to in between."""
    values = np.array([[0, 0.2, 0.5, 0.7], [1, 1.5, 2.5, 2.6], [3.7, 3.70001, 1e12, np.nan]])
    text = "p,a,b,c,d\n" + "".join(
        f"{name},{','.join('' if np.isnan(x) else repr(float(x)) for x in line)}\n"
        for name, line in zip("xyz", values, strict=True)
    )
    matrix, said = read(text, above=above)
    assert matrix.codes.tolist() == np.where(np.isnan(values), -1, values > above).tolist()
    assert "some values are no whole numbers, such as 0.2" in said
    counts = nbmf.CountMatrix.from_array([[0, 1, 2], [3, 4, -1]])
    counts.save(tmp_path / "counts.npz")
    again = nbmf.read(tmp_path / "counts.npz", above=above, log=lambda line: None).codes
    assert again.tolist() == np.where(counts.tallies < 0, -1, counts.tallies > above).tolist()


@pytest.mark.parametrize(("above", "codes"), [(0, [[1, 1], [1, 0]]), (0.5, [[1, 0], [1, 0]])])
def test_what_a_list_of_amounts_does_not_have_is_zero(above, codes, read):
    """No record is a zero, though some are below the threshold."""
    assert read("a,x,0.7\na,y,0.4\nb,x,2\n", layout="long", above=above)[0].codes.tolist() == codes


def test_values_that_are_no_whole_numbers_are_named_with_a_decimal_comma_too_and_no_missing_ones(read):
    assert "some values are no whole numbers, such as 0.5" in read("p;a;b\nx;0,5;1\ny;0;3\n", above=1)[1]
    assert "whole numbers" not in read("p,a,b\nx,NaN,1\ny,0,3\n", above=1)[1]
    assert "whole numbers" not in read("p,a,b\nx,1.5,1\ny,0,3\n", above=1, missing=["1.5"])[1]


def test_what_cannot_be_compared_with_a_threshold_is_named(read):
    with pytest.raises(DataError, match=r"'-0.5'; compared with a threshold are numbers of at least 0; missing are"):
        read("p,a,b\nx,-0.5,1.5\n", above=0)
    with pytest.raises(DataError, match=r"the value is '1.5'; allowed: .*; if they are amounts, above = 0 reads those"):
        read("p,a,b\nx,0,1.5\n")


def test_pairs_without_a_record_are_zeros_unless_a_zero_is_recorded(read):
    matrix, said = read(LIST, layout="long")
    assert matrix.tallies.tolist() == [[4, 2], [7, 0]]
    assert "pairs without a record are zeros, since no record is a zero" in said
    assert read(LIST + "c,y,0\n", layout="long")[0].tallies.tolist() == [[4, 2], [7, -1], [-1, 0]]
    assert read(LIST, layout="long", absent="missing")[0].tallies.tolist() == [[4, 2], [7, -1]]
    votes = "a,x,1\nb,y,0\n"
    assert read(votes, layout="long")[0].codes.tolist() == [[1, -1], [-1, 0]]
    assert read(votes, layout="long", absent="zeros")[0].codes.tolist() == [[1, 0], [0, 0]]


def test_records_that_contradict_are_refused_with_their_counts(read):
    with pytest.raises(DataError, match=r"line 5: row 'a', column 'x' is 5, but 4 in line 2"):
        read(LIST + "a,x,5\n", layout="long")


def test_formats_besides_text(tmp_path):
    quiet, dense = [].append, np.array([[0, 4, 2], [300000, 0, 1]])
    sparse = scipy.sparse.csr_array(dense)
    scipy.io.mmwrite(tmp_path / "real.mtx", sparse.astype(float))
    scipy.sparse.save_npz(tmp_path / "sparse.npz", sparse)
    np.save(tmp_path / "array.npy", dense.astype(">f8"))
    for name in ("real.mtx", "sparse.npz", "array.npy"):
        found = nbmf.read(tmp_path / name, log=quiet)
        assert type(found) is CountMatrix
        np.testing.assert_array_equal(found.tallies, dense)
    own = CountMatrix.from_array([[0, 1], [2, np.nan]], row_groups=["g", "h"])
    own.save(tmp_path / "own.npz")  # says itself what it holds, whatever its values look like
    found = nbmf.read(tmp_path / "own.npz", log=quiet)
    np.testing.assert_array_equal(found.tallies, own.tallies)
    assert found.row_groups.tolist() == ["g", "h"]
    assert nbmf.read(tmp_path / "own.npz", above=1, log=quiet).codes.tolist() == [[0, 0], [1, -1]]
    with pytest.raises(DataError, match=r"a matrix of counts, .* above = 0 makes it one"):
        nbmf.read(tmp_path / "own.npz", counts=False, log=quiet)
    CountMatrix.from_array(np.eye(2)).save(tmp_path / "ones.npz")
    assert type(nbmf.read(tmp_path / "ones.npz", log=quiet)) is CountMatrix


@pytest.mark.parametrize("name", ["r.mtx", "r.npz"])
def test_ratings_of_a_sparse_file_are_refused_as_those_of_a_list(tmp_path, name, read):
    rng = np.random.default_rng(0)
    values = rng.choice(6, (60, 40), p=[0.8, 0.02, 0.04, 0.05, 0.05, 0.04])
    values[0, :3] = 9
    write_sparse(tmp_path / name, values)
    with pytest.raises(AnswersError) as refused:
        nbmf.read(tmp_path / name, log=quiet)
    assert str(refused.value).removeprefix(f"{tmp_path / name}: ") == (
        "all values that are stored are whole numbers, from 1 to 5, and 9: ratings, and no counts. above = 3, "
        "missing = ['9'] makes those above 3 ones and others zeros, also what is not in the file; in a list of row, "
        "column and value, layout = 'long', that is missing; counts = True reads all values as counts"
    )
    lines = []
    matrix = nbmf.read(tmp_path / name, log=lines.append, **refused.value.options)
    assert matrix.codes.tolist() == np.where(values == 9, -1, values > 3).tolist()
    assert lines[2].startswith("values are answers, from 1 to 5, and what is not in the file is zero; in a list of row")
    assert nbmf.read(tmp_path / name, counts=True, log=quiet).tallies.tolist() == values.tolist()
    triples = "".join(f"r{f},c{n},{values[f, n]}\n" for f, n in np.argwhere(values))
    with pytest.raises(AnswersError) as of_list:
        read("f,n,v\n" + triples, layout="long")
    assert of_list.value.options == refused.value.options


@pytest.mark.parametrize("name", ["c.mtx", "c.npz"])
def test_counts_of_a_sparse_file_fall_and_are_no_ratings(tmp_path, name):
    lines = []
    write_sparse(tmp_path / name, np.random.default_rng(0).poisson(0.5, (60, 40)))
    assert type(nbmf.read(tmp_path / name, log=quiet)) is CountMatrix
    nbmf.read(tmp_path / name, above=0, log=lines.append)
    assert len(lines) == 2


def write_sparse(path, values):
    sparse = scipy.sparse.coo_array(values)
    if path.suffix == ".mtx":
        scipy.io.mmwrite(path, sparse)
    else:
        scipy.sparse.save_npz(path, sparse)


def quiet(line):
    """Say nothing."""


@pytest.mark.parametrize("dtype", [np.int8, float])
def test_entries_of_scipy_that_are_stored_twice_are_added_up(tmp_path, dtype):
    """As by all of SciPy, and by our models when they are given such a matrix."""
    values, rows, columns = np.array([100, 100, 1, 1, 2], dtype), [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    sparse, said = scipy.sparse.coo_array((values, (rows, columns)), shape=(2, 2)), []
    scipy.sparse.save_npz(tmp_path / "sparse.npz", sparse)
    found = nbmf.read(tmp_path / "sparse.npz", counts=True, log=said.append)
    assert found.tallies.tolist() == [[200, 1], [0, 3]]
    assert said[1].endswith("; entries that are not stored are zeros, those stored twice are added up")


def test_a_table_of_pandas(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame = pd.DataFrame({"id": [1, 2, 3], "a": [4, 0, 7], "b": [0, None, 9]})
    frame.to_parquet(tmp_path / "counts.parquet")
    matrix = nbmf.read(tmp_path / "counts.parquet", log=[].append)
    assert matrix.row_names.tolist() == ["1", "2", "3"]
    assert matrix.tallies.tolist() == [[4, 0], [0, -1], [7, 9]]


@pytest.mark.parametrize("value", ["-2", "2.5", "3000000000"])
def test_other_numbers_are_refused_by_place_with_the_way_out(value, read):
    content = YEARS.replace("12", value)
    words = f"line 3, column '1991': the value is '{value}'; allowed in a matrix of counts:"
    with pytest.raises(DataError, match=words) as refused:
        read(content, counts=True)
    assert "nbmf.GaussianFactorVB" in str(refused.value)
    with pytest.raises(DataError, match=f"^all values but '{value}' are counts: .*the value is '{value}'"):
        read(content)
    with pytest.raises(DataError, match="the value is 'many'; allowed in a matrix of counts") as no:
        read(YEARS.replace("12", "many"), counts=True)
    assert "Gaussian" not in str(no.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"counts": True, "ones": ["3"]}, "ones = .*has no meaning for counts"),
        ({"above": 0, "ones": ["3"]}, "ones = .*has no meaning for counts"),
        ({"counts": True, "zeros": [""], "missing": [""]}, "is given for two of .*zeros and missing"),
        ({"above": 0, "counts": True}, "counts = True: above = 0 makes counts binary"),
        ({"above": -1}, "above = -1: must be a number of at least 0"),
        ({"above": True}, "above = True: must be a number"),
        ({"counts": 1}, "counts = 1: must be True, False or None"),
        ({"absent": "zeros"}, "absent = 'zeros': has no meaning with layout = None"),
        ({"absent": "none", "layout": "long"}, "absent = 'none': must be zeros, missing"),
        ({"counts": True, "layout": "presence"}, "has no meaning with layout = 'presence'"),
    ],
)
def test_arguments_are_checked(options, words, read):
    with pytest.raises(ConfigError, match=words):
        read(YEARS, **options)


def test_a_column_that_has_most_of_all_counts_is_named(tmp_path):
    """A covariate next to the species would hide all that is to be found."""
    rng, said = np.random.default_rng(0), []
    frame = pd.DataFrame(rng.poisson(2.0, (30, 8)), columns=[f"species {n}" for n in range(8)])
    frame.insert(3, "elevation", rng.integers(200, 1500, 30))
    frame.to_csv(tmp_path / "sites.csv", index=False)
    nbmf.read(tmp_path / "sites.csv", counts=True, log=said.append)
    words = "of all counts are in 'elevation': if these are no counts"
    assert any(words in str(line) for line in said)
    said.clear()
    nbmf.read(tmp_path / "sites.csv", counts=True, ignore=["elevation"], log=said.append)
    assert not any("of all counts" in str(line) for line in said)


def test_amounts_are_ones_where_they_are_above_a_number_with_either_decimal_mark(read):
    content = "plot;a;b;c;d\nx;0;3;3,01;0,5\ny;12.5;3.0;;100\n"
    assert read(content, above=3)[0].codes.tolist() == [[0, 0, 1, 0], [1, 0, -1, 1]]
    assert read(content, above=0, zeros=[""])[0].codes.tolist() == [[0, 1, 1, 1], [1, 1, 0, 1]]
    for unclear in ("1,204", "-0.5", "many"):
        with pytest.raises(DataError, match=f"the value is '{unclear}'; compared with a threshold are numbers"):
            read(content.replace("3,01", unclear), above=3)


def test_nothing_is_zero_among_counts_if_that_is_said(read):
    content = "grave,bead,pin,pot\nx,3,,1\ny,,2,\n"
    assert read(content, counts=True, zeros=[""])[0].tallies.tolist() == [[3, 0, 1], [0, 2, 0]]


def test_other_numbers_than_zero_and_one_are_amounts_perhaps(read):
    with pytest.raises(DataError, match=r"'0,5'; .* if they are amounts, above = 0 reads those above 0 as ones"):
        read("plot;a;b\nx;0,5;0\ny;0;1,5\n")
    with pytest.raises(DataError, match=r"'0,5'; .* if they are amounts, above = 0 reads those above 0 as ones"):
        read("plot;a;b\nx;0,5;0\ny;0;1,5\n", counts=True)


@pytest.mark.parametrize(("largest", "are_counts"), [(3, False), (4, True)])
def test_counts_have_three_values_above_one_stored_or_not(largest, are_counts):
    """Fewer are as well answers to one question, such as 0 to 3."""
    whole = np.arange(6 * (largest + 1)).reshape(-1, 3) % (largest + 1)
    rows, columns = np.nonzero(whole)
    stored = StoredCodes(rows, columns, whole[rows, columns], whole.shape)
    assert [look_like_counts(whole), look_like_counts(stored)] == [are_counts] * 2
