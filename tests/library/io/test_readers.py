"""nbmf.read: what each format becomes, what is said about it, and what is refused with which words.

Malformed files have their messages in tests/support/bad_input.py as well; here are those whose
place in a file has to be found, and the decisions a reader makes.
"""

import gzip
import io
import itertools
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
import rdata
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from raw_data import ENTRIES, raw_file, write_r_matrix, write_r_table

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.value_codes import Coding
from nbmf.errors import ConfigError, DataError
from nbmf.io import coded_matrix, text_lines
from nbmf.io.encoding import encode
from nbmf_studies.recipes.building import build

CODES = [[1, 0, -1], [0, 1, 1]]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def quiet(line):
    """Say nothing."""


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads it, and keeps the report in `.lines`."""

    def read(content, file="votes.csv", /, **options):
        read.lines, read.folder = [], tmp_path
        return nbmf.read(write(tmp_path / file, content), log=read.lines.append, **options)

    return read


def refused(read, content, error=DataError, file="votes.csv", **options):
    """Return the message for a file, without its folder."""
    with pytest.raises(error) as caught:
        read(content, file, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{read.folder}/", "")


# --- Text, a matrix --------------------------------------------------------------------------

HEADER_AND_NAMES = "who,b1,b2,b3\nann,1,0,\nbob,0,1,1\n"


@pytest.mark.parametrize(
    ("content", "rows", "columns"),
    [
        (HEADER_AND_NAMES, ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace(",", ";"), ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace(",", "\t"), ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace(",", "|"), ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace("\n", "\r\n"), ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace("\n", "\r"), ["ann", "bob"], ["b1", "b2", "b3"]),
        ("\ufeff" + HEADER_AND_NAMES, ["ann", "bob"], ["b1", "b2", "b3"]),
        ("\n\n" + HEADER_AND_NAMES + "\n\n", ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.rstrip("\n"), ["ann", "bob"], ["b1", "b2", "b3"]),
        (HEADER_AND_NAMES.replace("who", ""), ["ann", "bob"], ["b1", "b2", "b3"]),
        ("b1,b2,b3\nann,1,0,\nbob,0,1,1\n", ["ann", "bob"], ["b1", "b2", "b3"]),
        ('"b1" "b2" "b3"\n"ann" 1 0 NA\n"bob" 0 1 1\n', ["ann", "bob"], ["b1", "b2", "b3"]),
        ("   b1 b2  b3 \n ann  1  0   . \n bob  0  1   1\n", ["ann", "bob"], ["b1", "b2", "b3"]),
        ('who, b1, "b, 2", b3\nann, 1, 0, \nbob, 0, 1, 1\n', ["ann", "bob"], ["b1", "b, 2", "b3"]),
        ('"b 1";"b;2";"b3"\n"ann, jr";1;0;\nbob;0;1;1\n', ["ann, jr", "bob"], ["b 1", "b;2", "b3"]),
        ('who,"a\nb",c,d\nann,1,0,\nbob,0,1,1\n', ["ann", "bob"], ["a\nb", "c", "d"]),
        ("b1, b2, b3\n1, 0, NA\n0, 1, 1\n", ["row 0", "row 1"], ["b1", "b2", "b3"]),
        ("ann,1,0,?\nbob,0,1,1\n", ["ann", "bob"], ["column 0", "column 1", "column 2"]),
        ("1,0,.\n0,1,1\n", ["row 0", "row 1"], ["column 0", "column 1", "column 2"]),
        ("0,1,2,3\n7,1,0,\n8,0,1,1\n", ["7", "8"], ["1", "2", "3"]),
        ("who,b1,,\nann,1,0,\nbob,0,1,1\n", ["ann", "bob"], ["b1", "field 3", "field 4"]),
    ],
    ids=[
        "commas",
        "semicolons",
        "tabs",
        "bars",
        "CRLF",
        "CR",
        "mark",
        "blank lines",
        "no last line end",
        "no name above names",
        "as R writes CSV",
        "as R writes tables",
        "blanks",
        "blanks after commas",
        "quotes",
        "line in quotes",
        "no names",
        "no header",
        "bare",
        "numbers for names",
        "columns without a name",
    ],
)
def test_a_text_is_understood(content, rows, columns, read):
    matrix = read(content)
    np.testing.assert_array_equal(matrix.codes, CODES)
    assert list(matrix.row_names) == rows
    assert list(matrix.column_names) == columns


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (3, 2)),
        ({"header": True}, (2, 2)),
        ({"index": True}, (3, 1)),
        ({"header": True, "index": True}, (2, 1)),
        ({"header": False, "index": False}, (3, 2)),
    ],
)
def test_what_is_detected_can_be_overridden(options, shape, read):
    assert read("0,1\n-1,0\n1,1\n", **options).shape == shape


def test_every_spelling_of_a_value(read):
    ones, zeros = "1 1.0 true True TRUE yes YES", "0 0.0 false False FALSE no No"
    missing = "NA NaN nan null None ? -1 -1.0 . na NULL"
    for words, code in ((ones, 1), (zeros, 0), (missing, -1)):
        for word in ["", *words.split()] if code == -1 else words.split():
            assert read(f"n,a,b\nx,{word},1\ny,0, {word} \n").codes.tolist() == [[code, 1], [0, code]]


@pytest.mark.parametrize("value", ["2", "0.5", "-2", "inf", "maybe", "1e0", "01", "one", "\x00"])
def test_anything_else_is_refused_with_its_place(value, read):
    message = refused(read, f"who,b1,b2\nann,1,0\n\nbob,1,{value}\n")
    assert message.startswith(f"votes.csv, line 4, column 'b2': the value is {value!r}; allowed: ")
    assert "ones (1, 1.0, true, yes), zeros (0, " in message
    assert f"missing = [{value!r}]" in message
    assert "ignore = ['b2'] to leave it out" in message


def test_columns_can_be_left_out(read):
    text = "who,age,b1,b2,party\nann,31,1,0,left\nbob,45,0,1,right\n"
    matrix = read(text, ignore=["age"], groups="party")
    assert matrix.column_names.tolist() == ["b1", "b2"]
    assert matrix.codes.tolist() == [[1, 0], [0, 1]]
    assert matrix.row_groups.tolist() == ["left", "right"]
    assert read(text, ignore=["who", "age", "party"], index=False).row_names[0] == "row 0"
    assert "no column 'aged'; the columns are" in refused(read, text, ignore=["aged"])
    assert "no columns besides" in refused(read, "a,b\n1,0\n", ignore=["a", "b"])


def test_own_codes_take_the_place_of_the_defaults_of_their_kind(read):
    votes = "who,b1,b2\nann,aye,nay\nbob,abstain,\n"
    own = {"ones": ["aye"], "zeros": ["nay"], "missing": ["abstain", ""]}
    assert read(votes, **own).codes.tolist() == [[1, 0]]
    assert "column 'b2': the value is ''" in refused(read, votes, **own | {"missing": ["abstain"]})
    assert "the value is '1'; allowed: ones (aye)" in refused(read, "who,b1\nann,aye\nbob,1\n", **own)
    assert "the value is 'Aye'" in refused(read, "who,b1\nann,Aye\n", **own)


def test_a_text_given_for_one_kind_is_no_default_of_another(read):
    assert read("a,b\n0,1\n1,-1\n", ones=["0"], zeros=["1"]).codes.tolist() == [[1, 0], [0, -1]]
    assert read("a,b\n1,-1\n", zeros=["-1"]).codes.tolist() == [[1, 0]]


def test_what_yaml_makes_of_yes_and_no_means_them(read):
    content = "who,b1,b2,b3\nann,yes,no,on\nbob,No,YES,\n"
    matrix = read(content, ones=[True], zeros=[False], missing=[None])
    assert matrix.codes.tolist() == [[1, 0, 1], [0, 1, -1]]
    assert read("a,b\n1,2\n", ones=[2], zeros=[1.0]).codes.tolist() == [[0, 1]]


def test_groups_are_a_column(read):
    content = "who,b1,party,b2\nann,1,red,0\nbob,0,blue,1\ncat,,red,\n"
    matrix = read(content, groups="party")
    assert matrix.codes.tolist() == [[1, 0], [0, 1]]
    assert matrix.row_groups.tolist() == ["red", "blue"]  # cat has no observed entry
    assert list(matrix.column_names) == ["b1", "b2"]
    assert "groups in 'party'" in read.lines[0]
    first = read("party,b1\nred,1\nblue,0\n", groups="party")
    assert (first.row_groups.tolist(), list(first.row_names)) == (["red", "blue"], ["row 0", "row 1"])
    message = refused(read, content, groups="partie")
    assert message.endswith("line 1: no column 'partie'; the columns are who, b1, party, b2 (did you mean 'party'?)")
    assert "or groups = 'party' for a column of names" in refused(read, content)
    assert "no columns besides the names of rows, the groups" in refused(read, "party\nred\n", groups="party")


def test_transposed_is_the_other_with_its_names(read):
    matrix = read(HEADER_AND_NAMES, transpose=True)
    np.testing.assert_array_equal(matrix.codes, np.transpose(CODES))
    assert list(matrix.row_names) == ["b1", "b2", "b3"]
    assert list(read("1,0\n", transpose=True).row_names) == ["row 0", "row 1"]
    assert read.lines[0].endswith("; transposed")


def test_the_report_says_what_was_understood_and_left_out(read, tmp_path):
    content = "who;b1;b2;b3\nann;1;0;\nbob;;;\ncat;1;1;\n;;;\n"
    read(gzip.compress(content.encode()), "votes.csv.gz")
    assert read.lines == [
        f"{tmp_path}/votes.csv.gz: text, fields separated by semicolons, gzipped; "
        "header in line 1; names of rows in the first column",
        "2 rows x 2 columns: 75.0% ones, 25.0% zeros, 0.0% missing",
        "left out: 1 row without an observed entry ('bob'); 1 column without an observed entry "
        "('b3'); 1 line of empty fields",
    ]
    read("who,b1\n" + "".join(f"r{i},\n" for i in range(7)) + "ann,1\n")
    assert "7 rows without an observed entry ('r0', 'r1', 'r2', 'r3', 'r4', ...)" in read.lines[2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("who,b1,b2\nann,1\n", "votes.csv, line 2: 2 fields instead of 3"),
        ("who,b1,b2\nann,1,0\nbob,1,0,1\n", "votes.csv, line 3: 4 fields instead of 3"),
        ("a,b\n1,0\n1\n", "votes.csv, line 3: 1 field instead of 2"),
        ("a,b\n1,x\n1\n", "votes.csv, line 2, column 'b': the value is 'x'"),  # the first that is wrong
        ("1 0\n1 0 1\n", "votes.csv, line 2: 3 fields instead of 2"),
        ("who,b1\nann,1\nann,0\n", "votes.csv, line 3: the row 'ann' is there already, in line"),
        ("who,b1\n7,1\n2,0\n7,1\n", "(the first column is read as names of rows; index = False "),
        ("who,b1,b1\nann,1,0\n", "votes.csv, line 1, field 3: the column 'b1' is there already, "),
        ("1,2,2\n1,0,1\n", "(line 1 is read as names of columns; header = False reads it as values)"),
        ("who,b1\nann,0\n ,1\n", "votes.csv, line 3: the name of the row is empty"),
        ("who,b1,b2\n", "votes.csv: a header and no rows"),
        ("who\nann\nbob\n", "votes.csv: no columns besides the names of rows"),
        ("a,b\n?,\n", "votes.csv: none of the 2 entries is observed"),
        ('a,b\n1,"0\n', "votes.csv, line 2: unexpected end of data"),
        ('a,b\n"1"1,0\n', "votes.csv, line 2: ',' expected after '\"'"),
        (b"a,b\n1,0\n\xff\x01,1\n", "votes.csv, line 3: not UTF-8"),
        ("", "votes.csv: the file is empty"),
        (" \r\n\n", "votes.csv: the file is empty"),
        (",,\n\n , ,\n", "votes.csv: all fields are empty"),
    ],
)
def test_damaged_text_is_refused_with_the_line(content, words, read):
    assert words in refused(read, content)


# --- Text, lists -----------------------------------------------------------------------------


def numbered(text):
    """Return a text with one field more at the beginning of each line."""
    return "".join(f"{i},{line}" for i, line in enumerate(text.splitlines(keepends=True)))


TWO_ENTRIES = "; if these are two entries, of two years or places, name rows or columns so that they differ"
LONG = "who,what,vote\nann,b1,1\nann,b2,0\nbob,b1,0\nbob,b3,1\nbob,b2,1\n"


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (LONG, {}),
        (LONG.partition("\n")[2], {}),
        (LONG.partition("\n")[2], {"header": False}),
        (LONG, {"row": "who", "column": "what", "value": "vote"}),
        (LONG, {"column": "what"}),
        (numbered(LONG), {"row": "who", "column": "what", "value": "vote"}),
        (LONG + "bob,b3,1.0\n" * 3, {}),
    ],
    ids=["header", "none", "header=False", "all named", "one named", "a column more", "repeated"],
)
def test_a_long_list_is_a_matrix_in_which_the_rest_is_missing(content, options, read):
    matrix = read(content, layout="long", **options)
    assert matrix.codes.tolist() == [[1, 0, -1], [0, 1, 1]]
    assert list(matrix.row_names) == ["ann", "bob"]
    assert list(matrix.column_names) == ["b1", "b2", "b3"]
    assert read.lines[1].endswith("; pairs without a record are missing")
    assert ("left out: 3 records that repeat another" in read.lines) == ("1.0" in content)


def test_a_single_record_that_repeats_another_is_left_out(read):
    assert read(LONG + LONG.splitlines()[-1] + "\n", layout="long").shape == (2, 3)
    assert "left out: 1 record that repeats another" in read.lines


@pytest.mark.parametrize(
    ("content", "options", "header"),
    [
        ("who,what\nann,b1\nann,b2\nbob,b1\n", {}, True),
        ("ann,b1\nann,b2\nbob,b1\n", {}, False),
        ("ann,b1\nbob,b1\nann,b2\n", {}, False),
        ("ann,b1\nann,b2\nbob,b1\n", {"header": False}, False),
        ("who,what\nann,b1\nann,b2\nbob,b1\nbob,b1\n", {"row": "who"}, True),
    ],
)
def test_a_list_of_presences_is_a_matrix_in_which_the_rest_is_zero(content, options, header, read):
    matrix = read(content, layout="presence", **options)
    assert matrix.codes.tolist() == [[1, 1], [1, 0]]
    assert (list(matrix.row_names), list(matrix.column_names)) == (["ann", "bob"], ["b1", "b2"])
    assert ("header in line 1" if header else "no header") in read.lines[0]


def test_a_first_line_of_two_numbers_is_an_entry_of_a_list_of_presences(read):
    """Also if neither of them comes again."""
    entries = "1\t1000\n2\t1001\n2\t1002\n3\t1001\n3\t1002\n"
    matrix = read(entries, layout="presence")
    assert matrix.codes.tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert "no header" in read.lines[0]
    assert read(entries, layout="presence", header=True).shape == (2, 2)
    assert read("user\t2019\n1\t1001\n1\t1002\n2\t1002\n", layout="presence").shape == (2, 2)


def test_a_name_may_be_given_to_columns_in_another_order(read):
    content = "what,vote,who\nb1,1,ann\nb2,0,ann\n"
    matrix = read(content, layout="long", row="who", value="vote")
    assert (list(matrix.row_names), list(matrix.column_names)) == (["ann"], ["b1", "b2"])


def test_groups_of_a_list_belong_to_its_rows(read):
    content = "who,what,vote,party\nann,b1,1,red\nann,b2,0,red\nbob,b1,0,blue\n"
    assert read(content, layout="long", groups="party").row_groups.tolist() == ["red", "blue"]
    message = refused(read, content + "bob,b2,1,red\n", layout="long", groups="party")
    several = "a row has one group: leave out groups, or name rows so that those of two groups are two rows: row = ..."
    assert message == f"votes.csv, line 5: 'bob' has the group 'red', but 'blue' in line 4; {several}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LONG + "ann,b1,0\n", "votes.csv, line 7: row 'ann', column 'b1' is 0, but 1 in "),
        (LONG + "ann,b1,\n", "votes.csv, line 7: row 'ann', column 'b1' is missing, but 1 in "),
        (LONG + "ann,b9,7\n", "votes.csv, line 7, column 'vote': the value is '7'; allowed:"),
        (LONG + ",b1,1\n", "votes.csv, line 7: the name of the row is empty"),
        (LONG + "ann, ,1\n", "votes.csv, line 7: the name of the column is empty"),
        (LONG + "ann,b1\n", "votes.csv, line 7: 2 fields instead of 3"),
        ("who,what\nann,b1\n", "layout 'long' needs columns of row, column, value; there are 2"),
        ("who,what,vote\n", "votes.csv: a header and no rows"),
    ],
)
def test_damaged_lists_are_refused_with_the_line(content, words, read):
    message = refused(read, content, layout="long")
    assert words in message
    assert ("line 2" in message) == (" but 1 in " in message)  # both lines are named


def test_of_contradicting_records_the_later_is_named_first(read):
    """Also where a third agrees with the first."""
    message = refused(read, "a,x,1\na,x,0\na,x,1\n", layout="long")
    assert message == f"votes.csv, line 2: row 'a', column 'x' is 0, but 1 in line 1{TWO_ENTRIES}"


def test_two_names_that_are_pairs_too_many(read, monkeypatch):
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 5)
    pairs = "a,b\n" + "".join(f"r{i},c{i}\n" for i in range(3))
    assert type(read(pairs, layout="presence")) is SparseBinaryMatrix  # test_sparse_matrix.py
    valued = "a,b,v\n" + "".join(f"r{i},c{i},1\n" for i in range(3))
    message = refused(read, valued, layout="long")
    assert "votes.csv: 3 x 3 entries; allowed: at most 5" in message
    assert "absent = 'zeros' says so" in message


# --- Compression -----------------------------------------------------------------------------


def test_a_bomb_is_not_unpacked(read, monkeypatch):
    monkeypatch.setattr(text_lines, "MAX_BYTES", 1000)
    monkeypatch.setattr(text_lines, "MAX_LINE", 100)
    small = gzip.compress(b"a,b\n" + b"1,0\n" * 200)
    assert read(small, "v.csv.gz").shape == (200, 2)
    assert "unpacks to more than" in refused(read, gzip.compress(b"a,b\n" + b"1,0\n" * 300))
    assert "line 2: longer than" in refused(read, gzip.compress(b"a,b\n" + b"1," * 60 + b"\n"))
    assert read(b"a,b\n" + b"1,0\n" * 300).shape == (300, 2)  # what is there is no bomb


@pytest.mark.parametrize("content", [gzip.compress(b"a,b\n1,0\n", mtime=0)[:-9], b"\x1f\x8b\x08nonsense"])
def test_a_damaged_gzip_file_is_refused(content, read):
    assert "votes.csv: not a complete gzip file" in refused(read, content)


# --- Matrix Market ---------------------------------------------------------------------------


def market(header, *lines):
    return "\n".join([f"%%MatrixMarket matrix {header}", *lines, ""])


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (market("coordinate pattern general", "% words", "", "2 3 2", "1 1", "2 3"), [[1, 0, 0], [0, 0, 1]]),
        (market("coordinate real general", "2 3 3", "1 1 1.000e+00", "2 3 1", "1 2 NaN"), [[1, -1, 0], [0, 0, 1]]),
        (market("coordinate integer symmetric", "2 2 2", "2 1 1", "2 2 0"), [[0, 1], [1, 0]]),
        (market("array integer general", "2 3", "1", "0", "-1", "1", "0", "1"), [[1, -1, 0], [0, 1, 1]]),
        (market("array integer symmetric", "3 3", "1", "0", "1", "0", "-1", "1"), [[1, 0, 1], [0, 0, -1], [1, -1, 1]]),
        (market("coordinate pattern general", "2 2 3", "1 1", "2 2", "1 1"), [[1, 0], [0, 1]]),
    ],
)
def test_matrix_market(content, codes, read):
    for name, packed in (("m.mtx", content.encode()), ("m.mtx.gz", gzip.compress(content.encode()))):
        assert read(packed, name).codes.tolist() == codes
        assert "Matrix Market" in read.lines[0]
        said = read.lines[1].endswith("; entries that are not in the file are zeros")
        assert said == ("coordinate" in content)
    assert any("repeat" in line for line in read.lines) == (content.count("1 1\n") == 2)


@pytest.mark.parametrize("kind", ["general", "symmetric"])
@pytest.mark.parametrize("dense", [False, True])
def test_matrix_market_files_of_scipy_are_read(kind, dense, read):
    rng = np.random.default_rng(5)
    V = rng.integers(0, 2, (6, 6))
    V = np.maximum(V, V.T) if kind == "symmetric" else V
    V[0, :] = V[:, 0] = 1
    file = io.BytesIO()
    scipy.io.mmwrite(file, V if dense else scipy.sparse.coo_array(V), symmetry=kind)
    np.testing.assert_array_equal(read(file.getvalue(), "m.mtx").codes, V)


PATTERN = "coordinate pattern general"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (market(PATTERN, "9999999 9999999 1", "1 1"), "m.mtx: 9999999 x 9999999 entries; allowed"),
        (market(PATTERN, "2 2 99999999999", "1 1"), "m.mtx: declares 99999999999 entries and h"),
        (market(PATTERN, "2 2 1", "1 1", "2 2"), "m.mtx, line 4: one more entry than the 1 decl"),
        (market(PATTERN, "2 2 2", "1 1", "3 1"), "m.mtx, line 4: row '3'; allowed: 1 to 2"),
        (market(PATTERN, "2 2 2", "1 1", "1 0"), "m.mtx, line 4: column '0'; allowed: 1 to 2"),
        (market(PATTERN, "2 2 1", "1 1_0"), "m.mtx, line 3: column '1_0'; allowed: 1 to 2"),
        (market(PATTERN, "2 2 1", f"1 {10**30}"), "m.mtx, line 3: column '1000"),
        (market(PATTERN, "2 2 1", "1 1 1"), "m.mtx, line 3: 3 words instead of 2"),
        (market(PATTERN, "2 2"), "m.mtx, line 2: needed are the numbers of rows, columns"),
        (market(PATTERN, "0 2 0"), "m.mtx, line 2: needed are the numbers of rows, columns"),
        (market(PATTERN, "-2 2 1"), "m.mtx, line 2: needed are the numbers of rows, columns"),
        (market(PATTERN, "% and no more"), "m.mtx: ends before its sizes are declared"),
        (market("coordinate real"), "m.mtx, line 1: needed is %%MatrixMarket and object, format, "),
        (market("coordinate complex general"), "m.mtx, line 1: field 'complex'; allowed: pat"),
        (market("coordinate real skew-symmetric"), "m.mtx, line 1: symmetry 'skew-symmetric'; al"),
        (market("array pattern general"), "m.mtx, line 1: an array has values"),
        (market("coordinate pattern symmetric", "2 3 0"), "m.mtx, line 2: symmetric, but 2 x 3"),
        (
            market("coordinate real general", "2 2 2", "1 1 1", "1 1 0"),
            "m.mtx, line 4: the entry is there already with another value, in line 3",
        ),
        (market("coordinate real general", "2 2 1", "1 1 2"), "m.mtx, line 3: the value is '2'; "),
        (market("array real general", "1 2", "1", "x"), "m.mtx, line 4: the value is 'x'; allowed"),
    ],
)
def test_damaged_matrix_market_is_refused_with_the_line(content, words, read):
    assert words in refused(read, content, file="m.mtx")


# --- NumPy and SciPy -------------------------------------------------------------------------

VALUES = np.where(np.array(CODES) == -1, np.nan, CODES)


def saved(save, *arguments, **arrays):
    """Return the bytes that a function of numpy or scipy writes."""
    file = io.BytesIO()
    save(file, *arguments, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        VALUES.astype(">f4"),
        VALUES.astype(np.float16),
        np.asfortranarray(VALUES),
        np.array(CODES),
        np.array(CODES, dtype=np.int8),
        np.array([["yes", "no", ""], ["no", "yes", "true"]]),
        np.array([[b"1", b"0", b"?"], [b"0", b"1", b"1"]]),
    ],
    ids=lambda values: f"{values.dtype}{'F' if values.flags.f_contiguous else ''}",
)
def test_arrays_are_read(values, read):
    assert read(saved(np.save, values), "v.npy").codes.tolist() == CODES
    assert read(saved(np.savez, x=values), "v.npz").codes.tolist() == CODES
    assert read(saved(np.savez_compressed, x=values, y=np.arange(3)), "v.npz").shape == (2, 3)


def test_large_arrays_are_coded_in_blocks(monkeypatch):
    monkeypatch.setattr("nbmf.io.encoding.BLOCK", 4)
    assert encode(Coding(), VALUES).tolist() == CODES
    values = VALUES.copy()
    values[1, 2] = 7
    with pytest.raises(Exception, match=r"\(5, np\.float64\(7\.0\)\)"):
        encode(Coding(), values)


def test_one_array_of_several_is_chosen(read):
    content = saved(np.savez, x=np.eye(2), y=np.ones((3, 3)))
    assert read(content, "v.npz", name="y").shape == (3, 3)
    assert "v.npz: holds x, y; needed is one array of two dim" in refused(read, content, file="v.npz")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_files_are_read_with_zeros_where_nothing_is_stored(kind, read):
    V = np.array([[1.0, 0, np.nan], [0, 1, 1]])
    content = saved(scipy.sparse.save_npz, scipy.sparse.csr_array(V).asformat(kind))
    np.testing.assert_array_equal(read(content, "v.npz").codes, CODES)
    assert read.lines[1].endswith("; entries that are not stored are zeros")


def test_our_own_matrix_files_are_read_as_they_are(read, tmp_path):
    matrix = BinaryMatrix(CODES, ["a", "b"], ["x", "y", "z"], ["g", "h"])
    matrix.save(tmp_path / "own.npz")
    content = (tmp_path / "own.npz").read_bytes()
    again = read(content, "v.npz")
    for field, value in vars(matrix).items():
        np.testing.assert_array_equal(getattr(again, field), value)
    assert list(read(content, "v.npz", transpose=True).row_names) == ["x", "y", "z"]
    assert "has its codes; only transpose is allowed" in refused(read, content, ConfigError, "v.npz", ones=["1"])


def out_of_range():
    stored = scipy.sparse.csr_matrix(np.eye(3))
    return {"data": stored.data, "indices": stored.indices + 10**6, "indptr": stored.indptr}


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (saved(np.save, np.array([[{}]]), allow_pickle=True), "v.npy", "not a complete NPY file"),
        (saved(np.savez, x=np.array([[{}]])), "v.npz", "not a complete NPZ file (Object arr"),
        (saved(np.save, np.zeros(3)), "v.npy", "an array of 1 dimensions; a matrix has two"),
        (saved(np.save, np.zeros((0, 3))), "v.npy", "none of the 0 entries is observed"),
        (saved(np.save, [[1, 0.5]]), "v.npy", "row 0, column 1 (from 0): the value is '0.5'; al"),
        (saved(np.save, [[1, np.inf]]), "v.npy", "row 0, column 1 (from 0): the value is 'inf'"),
        (saved(np.save, [[1j]]), "v.npy", "row 0, column 0 (from 0): the value is '1j'; allow"),
        (saved(np.save, np.zeros((1, 1), "i4,i4")), "v.npy", "row 0, column 0 (from 0): the value"),
        (saved(np.save, np.eye(9))[:-8], "v.npy", "not a complete NPY file"),
        (saved(np.savez, x=np.eye(9))[:-8], "v.npz", "not a complete NPZ file"),
        (saved(np.savez, format=b"csr", shape=(3, 3), **out_of_range()), "v.npz", "not a mat"),
        (
            saved(np.savez, format=b"coo", shape=(10**7, 10**7), data=[1], row=[1], col=[1]),
            "v.npz",
            "10000000 x 10000000 entries; allowed: at most",
        ),
        (
            saved(np.savez, format=b"coo", shape=(2, 2), data=[1, 0.5], row=[1, 1], col=[0, 0]),
            "v.npz",
            "row 1, column 0 (from 0): the value is '1.5'",
        ),
        (
            saved(np.savez, format=b"coo", shape=(2, 2), data=[1, 3], row=[1, 1], col=[0, 1]),
            "v.npz",
            "row 1, column 1 (from 0): the value is '3'",
        ),
    ],
)
def test_damaged_arrays_are_refused(content, name, words, read):
    assert f"{name}: {words}" in refused(read, content, file=name).replace(f"{name}, ", f"{name}: ")


def test_sparse_matrices_have_zeros_where_nothing_is_stored():
    V = scipy.sparse.csr_array(np.array([[1.0, 0, np.nan], [0, 1, 1]]))
    matrix = BinaryMatrix.from_sparse(V, row_names=["a", "b"])
    assert matrix.codes.tolist() == CODES
    assert list(matrix.row_names) == ["a", "b"]
    with pytest.raises(DataError, match=r"a scipy\.sparse matrix is needed, not ndarray"):
        BinaryMatrix.from_sparse(np.eye(2))
    with pytest.raises(DataError, match=r"\(1000000, 1000000\) has more than \d+ entries"):
        BinaryMatrix.from_sparse(scipy.sparse.coo_array((10**6, 10**6)))
    with pytest.raises(DataError, match="the value is 2"):  # scipy adds what is stored twice
        BinaryMatrix.from_sparse(scipy.sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(2, 2)))


# --- Tables: Parquet and R -------------------------------------------------------------------

TABLE = pd.DataFrame(
    {
        "who": ["ann", "bob"],
        "int": [1, 0],
        "bool": [False, True],
        "float": [np.nan, 1.0],
        "text": ["yes", None],
        "nullable": pd.array([None, 1], dtype="Int8"),
        "category": pd.Categorical(["0", "1"]),
    }
)
TABLE_CODES = [[1, 0, -1, 1, -1, 0], [0, 1, 1, -1, 1, 1]]


@pytest.mark.parametrize(
    "table",
    [TABLE, TABLE.set_index("who"), TABLE.set_index("who").rename_axis(None)],
    ids=["first column", "named index", "index"],
)
def test_parquet_files_are_read_with_their_names(table, read, tmp_path):
    table.to_parquet(tmp_path / "t.parquet")
    matrix = read((tmp_path / "t.parquet").read_bytes(), "votes.parquet")
    assert matrix.codes.tolist() == TABLE_CODES
    assert list(matrix.row_names) == ["ann", "bob"]
    assert list(matrix.column_names) == list(TABLE.columns[1:])
    with pytest.raises(DataError, match="row 1, column 'who': the value is 'ann'"):
        read(saved_parquet(TABLE), "votes.parquet", index=False)


def saved_parquet(table):
    return saved(lambda file: table.to_parquet(file, index=False))


def test_lists_and_groups_of_tables(read):
    long = pd.DataFrame({"p": ["r", "r", "b"], "who": [7, 7, 8], "what": ["x", "y", "x"], "v": [1, 0, 1.0]})
    options = {"layout": "long", "row": "who", "groups": "p"}
    matrix = read(saved_parquet(long), "v.parquet", **options)
    assert matrix.codes.tolist() == [[1, 0], [1, -1]]
    assert list(matrix.row_names) == ["7", "8"]
    assert matrix.row_groups.tolist() == ["r", "b"]
    presence = read(saved_parquet(long), "v.parquet", layout="presence", row="what", column="who")
    assert presence.codes.tolist() == [[1, 1], [1, 0]]
    twice = pd.concat([long, long.assign(v=1)])
    message = refused(read, saved_parquet(twice), file="v.parquet", **options)
    assert message == f"v.parquet, row 5: row '7', column 'y' is 1, but 0 in row 2{TWO_ENTRIES}"
    wide = TABLE.assign(party=["r", "b"])
    assert read(saved_parquet(wide), "v.parquet", groups="party").row_groups.tolist() == ["r", "b"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (TABLE.assign(int=[1, 2]), "row 2, column 'int': the value is '2'; allowed:"),
        (TABLE.assign(int=[[1], [2]]), "row 1, column 'int': the value is '[1]'"),
        (TABLE.assign(who="ann"), "row 2: the row 'ann' is there already, in"),
        (TABLE.assign(who=["ann", None]), "row 2: the name of the row is empty"),
        (TABLE[:0], "columns and no rows"),
        (TABLE[["who"]], "no columns besides the names of rows, the groups"),
    ],
)
def test_damaged_tables_are_refused_with_the_row(table, words, read):
    assert words in refused(read, saved_parquet(table), file="v.parquet")


def test_a_damaged_parquet_file_is_refused(read):
    content = saved_parquet(TABLE)
    for part in (content[: len(content) // 2], b"PAR1", content[:4] + content[40:]):
        assert "v.parquet: not a complete Parquet file" in refused(read, part, file="v.parquet")


def test_without_pyarrow_the_message_says_what_to_install(read, monkeypatch):
    content = saved_parquet(TABLE)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = refused(read, content, file="v.parquet")
    assert "need pyarrow, which is not installed; pip install 'nbmf[parquet]' (or pip install pyarrow)" in message


def test_r_matrices_are_read_with_their_names(tmp_path):
    path = write_r_matrix(tmp_path / "m.rda", VALUES, ["a", "b"], ["x", "y", "z"])
    matrix = nbmf.read(path, log=quiet)
    assert matrix.codes.tolist() == CODES
    assert (list(matrix.row_names), list(matrix.column_names)) == (["a", "b"], ["x", "y", "z"])
    nameless = nbmf.read(write_r_matrix(tmp_path / "n.RData", VALUES), log=quiet)
    assert nameless.codes.tolist() == CODES
    assert list(nameless.row_names) == ["row 0", "row 1"]
    with pytest.raises(ConfigError, match="index is for data frames; the file has R data, object 'm': a matrix"):
        nbmf.read(path, index=True)


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (",0,1\n0,1,0\n1,0,1\n", (2, 2)),
        (",0,1\na,1,0\nb,0,1\n", (2, 2)),
        (",0,1\n0,1,0\n1,0,1\n2,0,0\n", (3, 2)),
        (",0,1\n1,1,0\n1,0,1\n", (3, 3)),  # as values may be
        (",0,1\n,1,0\n1,0,1\n", (3, 3)),
        (",1,0\n0,1,0\n1,0,1\n", (3, 3)),
    ],
)
def test_numbers_that_pandas_writes_above_columns_and_before_rows_are_names(content, shape, read):
    assert read(content).shape == shape
    if shape == (2, 2):
        assert read(content, counts=True).shape == shape


@pytest.mark.parametrize(
    ("index", "columns", "names"),
    [
        ([101, 205, 309], {}, ["101", "205", "309"]),  # a part of a table
        ([2, 0, 1], {}, ["2", "0", "1"]),
        ([0, 1, 2], {}, ["row 0", "row 1", "row 2"]),
        (range(5, 8), {}, ["5", "6", "7"]),
        (range(1, 4), {}, ["row 0", "row 1", "row 2"]),  # as of R
        ([7, 7, 8], {}, ["row 0", "row 1", "row 2"]),  # parts one below the other
        ([101, 205, 309], {"who": ["x", "y", "z"]}, ["x", "y", "z"]),
    ],
)
def test_an_index_of_numbers_that_nobody_named_has_names_where_there_are_no_others(index, columns, names, tmp_path):
    frame = pd.DataFrame({**columns, "a": [1, 0, 1], "b": [0, 1, 1], "c": [0, 5, 2]}, index=index)
    frame.to_parquet(path := tmp_path / "t.parquet")
    matrix = nbmf.read(path, ignore=["c"], log=quiet)
    assert matrix.row_names.tolist() == names
    assert matrix.shape == (3, 2)
    assert nbmf.read(path, ignore=["c", *columns], index=False, log=quiet).row_names[0] == "row 0"
    mixed, documents = nbmf.read_table(path, log=quiet), nbmf.read_documents(path, log=quiet)
    assert mixed.row_names.tolist() == names
    assert documents.row_names.tolist() == [name.replace("row", "document") for name in names]
    assert mixed.column_names.tolist() == documents.column_names.tolist() == ["a", "b", "c"]


def test_an_index_with_a_name_has_names_for_every_reader(tmp_path):
    frame = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=pd.Index([5, 3, 9], name="id"))
    frame.to_parquet(path := tmp_path / "t.parquet")
    for reader in (nbmf.read, nbmf.read_table, nbmf.read_documents):
        table = reader(path, log=quiet)
        assert table.row_names.tolist() == ["5", "3", "9"]
        assert table.column_names.tolist() == ["a", "b"]


def test_dates_of_r_are_dates_and_no_numbers(tmp_path):
    path = write_r_dates(tmp_path / "t.rds", day=[18000, 18400.5, None], at=[1.5e9, 1.6e9, None], x=[0.5, 2, 1.5])
    words = "column 'day' has dates, such as '2019-04-14'; column 'at' has dates, such as '2017-07-14 02:40:00'"
    with pytest.raises(DataError, match=words):
        nbmf.read_table(path, log=quiet)
    assert nbmf.read_table(path, ignore=["day", "at"], log=quiet).column_names.tolist() == ["x"]
    with pytest.raises(DataError, match="column 'at': the value is '2017-07-14 02:40:00'"):
        nbmf.read(path, counts=True, ignore=["x"], log=quiet)


def write_r_dates(path, **columns):
    """Write a data frame of doubles in R's text format, `day` of the class Date and `at` of POSIXct."""

    def texts(*values):
        return [16, len(values), *(word for value in values for word in (262153, len(value), value))]

    def attributes(**values):
        pairs = ([1026, 1, 262153, len(name), name.replace("_", "."), *value] for name, value in values.items())
        return [*itertools.chain.from_iterable(pairs), 254]

    classes = {"day": ("Date",), "at": ("POSIXct", "POSIXt")}
    lines = ["A", 2, 262144, 131840, 19 | 768, len(columns)]
    for name, values in columns.items():
        lines += [14 | 768 * (name in classes), len(values), *("NA" if value is None else value for value in values)]
        lines += attributes(**{"class": texts(*classes[name])}) if name in classes else []
    rows = [13, 2, "NA", -len(next(iter(columns.values())))]
    lines += attributes(names=texts(*columns), **{"class": texts("data.frame")}, row_names=rows)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_r_tables_and_rds_files_are_read(tmp_path):
    path = write_r_table(tmp_path / "t.rda", who=["ann", "bob"], b1=[1.0, 0.0], b2=[0, 1])
    assert nbmf.read(path, log=quiet).codes.tolist() == [[1, 0], [0, 1]]
    rdata.write_rds(tmp_path / "m.rds", np.array([[True, False], [False, True]]))
    for name in ("m.rds", "no suffix"):
        (tmp_path / name).write_bytes((tmp_path / "m.rds").read_bytes())
        assert nbmf.read(tmp_path / name, log=quiet).codes.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ConfigError, match=r"m\.rds: name has no meaning for an \.rds file"):
        nbmf.read(tmp_path / "m.rds", name="m")


def test_one_object_of_an_r_file_is_chosen(tmp_path):
    votes = pd.DataFrame({"b1": [1.0, 0.0]})
    path = tmp_path / "x.rda"
    rdata.write_rda(path, {"votes": votes, "other": [2.0]})
    assert nbmf.read(path, name="votes", log=quiet).shape == (2, 1)
    for options, words in [
        ({}, r"x\.rda: holds votes, other; choose one with name = "),
        ({"name": "vote"}, r"x\.rda: holds no object 'vote', but votes, other"),
        ({"name": "other"}, r"x\.rda: object 'other' is a list; needed is a matrix of numbers"),
    ]:
        with pytest.raises(DataError, match=words):
            nbmf.read(path, log=quiet, **options)


def test_truncated_r_files_of_both_kinds_are_noticed(tmp_path):
    rdata.write_rds(tmp_path / "m.rds", np.eye(3))
    write_r_table(tmp_path / "t.rda", b1=[1.0, 0.0])
    for path in (tmp_path / "m.rds", tmp_path / "t.rda"):
        content = path.read_bytes()
        for length in range(0, len(content), 7):
            path.write_bytes(content[:length])
            with pytest.raises(DataError, match="not a complete R data file"):
                nbmf.read(path, log=quiet)


# --- Which format a file has -----------------------------------------------------------------


def test_the_content_decides_not_the_name(read):
    assert read(saved(np.save, np.eye(2)), "votes.csv").shape == (2, 2)
    assert read(saved_parquet(TABLE), "no suffix").shape == (2, 6)
    assert read(market(PATTERN, "1 1 1", "1 1"), "votes.txt").shape == (1, 1)
    assert read("\ufeff" + market(PATTERN, "1 1 1", "1 1"), "m.mtx").shape == (1, 1)


@pytest.mark.parametrize("suffix", ["npz", "npy", "parquet", "mtx", "mtx.gz", "xlsx", "sav", "dta", "json"])
def test_a_name_that_promises_another_format_is_refused(suffix, read):
    message = refused(read, "a,b\n1,0\n", file=f"votes.{suffix}")
    assert message.startswith(f"votes.{suffix}: its content is not that of a")


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("x", "votes.ods", "a spreadsheet; save it as .xlsx, or its sheet as CSV (UTF-8)"),
        (gzip.compress(saved(np.save, np.eye(2)), mtime=0), "v.npy.gz", "an NPY file that is gzipped"),
        (b"\x89HDF\r\n\x1a\n", "v.h5", "an HDF5 file (as .h5ad, .h5 and .loom are), which is not read"),
        ('*Vertices 1\n1 "a"\n', "v.net", "networkx.write_edgelist(networkx.read_pajek('v.net'), 'ties.csv', delim"),
        (
            'Creator "igraph"\ngraph [\n]',
            "v.gml",
            "a GML file, which is not read; save its ties as a list of two columns",
        ),
        ("<graphml/>", "v.graphml", "a GraphML file"),
        (b"\x89HDF\r\n\x1a\n", "v.csv", "save its matrix as .npz (scipy.sparse.save_npz) or .mtx, or as a table"),
    ],
)
def test_other_formats_are_refused(content, name, words, read):
    assert words in refused(read, content, file=name)


def test_a_table_may_have_the_suffix_of_a_network(read):
    assert read("a,b\n1,0\n0,1\n", "votes.net").shape == (2, 2)


def test_a_workbook_without_its_suffix_is_refused(read):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<xml/>")
    assert "a ZIP archive, of '[Content_Types].xml'; unzip it" in refused(read, file.getvalue(), file="votes")


def test_what_is_no_file_is_said(tmp_path):
    with pytest.raises(DataError, match=r"absent\.csv: there is no such file"):
        nbmf.read(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="is a folder"):
        nbmf.read(tmp_path)


def test_the_home_folder_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "v.csv", "a,b\n1,0\n")
    assert nbmf.read("~/v.csv", log=quiet).shape == (1, 2)


# --- Arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layout": "wide"}, "layout = 'wide': must be long, presence, basket or None (a matrix)"),
        ({"header": "yes"}, "header = 'yes': must be True, False or None (it is detected)"),
        ({"index": 0}, "index = 0: must be True, False or None"),
        ({"ones": 1}, "ones = 1: must be a list of texts, as they are in the file"),
        ({"missing": [["a"]]}, "missing = [['a']]: must be a list of texts"),
        ({"groups": ""}, "groups = '': must be the name of a column"),
        ({"row": "a"}, "row = 'a': has no meaning with layout = None"),
        ({"layout": "presence", "value": "a"}, "value = 'a': has no meaning with layout = 'pres"),
        ({"layout": "presence", "ones": ["a"]}, "ones = ['a']: has no meaning with layout = 'pre"),
        ({"layout": "long", "index": True}, "index = True: has no meaning with layout = 'long'"),
        ({"header": False, "groups": "p"}, "groups = 'p': header = False leaves no column a name"),
        ({"groups": "p", "transpose": True}, "groups = 'p': transpose = True would make them"),
        ({"transpose": 1}, "transpose = 1: must be True or False"),
        ({"ones": ["a"], "missing": ["b", "a"]}, "'a' is given for two of ones, zeros and missing"),
        ({"name": "x"}, "name has no meaning for delimited text; its arguments are header, layout"),
    ],
)
def test_arguments_are_checked(options, words, read):
    assert words in refused(read, "a,b\n1,0\n", ConfigError, **options)


def test_arguments_that_a_format_has_not_are_refused(read):
    for file, name, options in [
        (saved(np.save, np.eye(2)), "v.npy", {"header": True}),
        (saved(np.savez, x=np.eye(2)), "v.npz", {"layout": "long"}),
        (market(PATTERN, "1 1 1", "1 1"), "m.mtx", {"index": True}),
        (saved_parquet(TABLE), "t.parquet", {"name": "x"}),
    ]:
        (key,) = options
        message = refused(read, file, ConfigError, name, **options)
        assert f"{name}: {key} has no meaning for" in message


def test_codes_may_be_one_text(read):
    assert read("a,b\nyes,no\n", ones="yes", zeros="no").codes.tolist() == [[1, 0]]


# --- Real files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dataset", "source", "options"),
    [
        ("lastfm", "lastfm_listens", {"transpose": True}),
        ("parliament", "parliament_follows", {}),
        ("paleo", "published_paleo", {}),
        ("animals", "animals_matrix", {"transpose": True}),  # blanks, and no names at all
    ],
)
def test_files_of_the_paper_are_read_as_their_recipes_do(dataset, source, options):
    entry = ENTRIES[dataset]
    files = {role: raw_file(name) for role, name in entry["files"].items()}
    expected = build(entry["recipe"], files, {})
    found = nbmf.read(raw_file(source), log=quiet, **options)
    if dataset == "animals":
        assert found.counts() == expected.counts()
        return
    rows, columns = (
        [list(names).index(name) for name in wanted]
        for names, wanted in ((found.row_names, expected.row_names), (found.column_names, expected.column_names))
    )
    np.testing.assert_array_equal(found.codes[np.ix_(rows, columns)], expected.codes)


# --- Any matrix ------------------------------------------------------------------------------

names = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
    unique=True,
)


@given(rows=names, columns=names, data=st.data())
def test_what_pandas_writes_is_read_as_it_was(rows, columns, data, tmp_path_factory):
    """With header and index said, any names come back, quoted or not, from text and lists."""
    codes = np.array([[data.draw(st.sampled_from([1, 0])) for _ in columns] for _ in rows], dtype=np.int8)
    frame = pd.DataFrame(codes, rows, columns)
    path = tmp_path_factory.getbasetemp() / "any.csv"
    frame.to_csv(path, encoding="utf-8")
    matrix = nbmf.read(path, header=True, index=True, log=quiet)
    np.testing.assert_array_equal(matrix.codes, codes)
    assert (list(matrix.row_names), list(matrix.column_names)) == (rows, columns)
    pairs = [
        (*pair, codes[f, n])
        for (f, n), pair in zip(np.ndindex(codes.shape), itertools.product(rows, columns), strict=True)
    ]
    pd.DataFrame(pairs, columns=["row", "column", "value"]).to_csv(path, index=False)
    listed = nbmf.read(path, layout="long", header=True, log=quiet)
    np.testing.assert_array_equal(listed.codes, codes)
    assert (list(listed.row_names), list(listed.column_names)) == (rows, columns)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_a_network_has_its_columns_in_the_order_of_its_rows_and_its_diagonal_may_be_missing(tmp_path, order):
    codes = pd.DataFrame([[0, 1, 1], [0, 0, 1], [1, 1, 0]], list("abc"), list("abc"))
    codes.iloc[:, order].to_csv(tmp_path / "net.csv")
    lines = []
    assert nbmf.read(tmp_path / "net.csv", log=lines.append).codes.tolist() == codes.to_numpy().tolist()
    assert ("columns have the names of the rows in another order" in " ".join(lines)) == (order != [0, 1, 2])
    assert lines[-1].endswith("its diagonal is all 0: diagonal = False takes it for missing")
    made = nbmf.read(tmp_path / "net.csv", diagonal=False, log=lambda line: None)
    assert made.codes.tolist() == [[-1, 1, 1], [0, -1, 1], [1, 1, -1]]
    (tmp_path / "other.csv").write_text(",a,b\nx,1,0\ny,0,1\n")
    with pytest.raises(DataError, match="diagonal = False: no row has the name of a column"):
        nbmf.read(tmp_path / "other.csv", diagonal=False, log=lambda line: None)
    with pytest.raises(ConfigError, match="diagonal = 'no': must be True or False"):
        nbmf.read(tmp_path / "net.csv", diagonal="no")


@pytest.mark.parametrize(
    ("pairs", "is_network"),
    [
        ([("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Dan"), ("Ann", "Eve")], True),
        ([("Ann", "Bob"), ("Bob", "Ann")], False),  # all are on both sides
        ([("Ann", "tea"), ("Bob", "milk"), ("Cid", "tea")], False),
        ([("1", "2"), ("2", "3"), ("3", "4")], False),  # numbers of people and of things may be alike
    ],
)
def test_a_list_of_ties_is_said_to_have_one_direction(tmp_path, pairs, is_network):
    said = []
    (tmp_path / "ties.csv").write_text("from,to\n" + "".join(f"{one},{other}\n" for one, other in pairs))
    nbmf.read(tmp_path / "ties.csv", layout="presence", log=said.append)
    words = "names are both rows and columns, as in a network: each line is one direction"
    assert any(words in str(line) for line in said) is is_network


NUMBERED = np.random.default_rng(0)
LATTICE = [(n, n + step) for n in range(1, 9) for step in (1, 2)]  # the smaller number first


@pytest.mark.parametrize(
    ("pairs", "is_network"),
    [
        (LATTICE, True),
        ([(b, a) for a, b in LATTICE], True),
        (LATTICE[:8], False),  # few
        ([*LATTICE, (3, 1)], False),  # in no order, and of chance a pair of one number would be rare
        (
            [(a, b) for a in range(20) for b in range(1, 21) if a != b and NUMBERED.random() < 0.6],
            True,
        ),  # none with itself
        ([(a, b) for a in range(20) for b in range(1, 21) if NUMBERED.random() < 0.6], False),
        ([(a, b + 100) for a, b in LATTICE], False),
    ],
)
def test_numbers_are_said_to_be_nodes_where_pairs_look_like_ties(tmp_path, pairs, is_network):
    said = []
    (tmp_path / "ties.csv").write_text("from,to\n" + "".join(f"{one},{other}\n" for one, other in pairs))
    nbmf.read(tmp_path / "ties.csv", layout="presence", log=said.append)
    words = "numbers are both rows and columns, as in a network: each line is one direction"
    assert any(words in str(line) for line in said) is is_network


TIES = "from,to\nAnn,Bob\nCid,Ann\nBob,Ann\nBob,Bob\nDan,Cid\n"


@pytest.mark.parametrize("largest", [coded_matrix.MAX_ENTRIES, 5])
def test_lines_of_an_undirected_list_are_ties_in_both_directions(tmp_path, monkeypatch, largest):
    """Those that are given both ways, or tie one to itself, are there once; large matrices keep their ones alone."""
    monkeypatch.setattr("nbmf.io.coded_matrix.MAX_ENTRIES", largest)
    said = []
    (tmp_path / "ties.csv").write_text(TIES)
    made = nbmf.read(tmp_path / "ties.csv", layout="presence", undirected=True, log=said.append)
    assert made.row_names.tolist() == made.column_names.tolist() == ["Ann", "Cid", "Bob", "Dan"]
    codes = made.codes if largest > 5 else made.toarray()
    assert codes.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0]]
    assert any("undirected: entries are held out in pairs" in str(line) for line in said)
    assert not any("repeat" in str(line) or "each line is one direction" in str(line) for line in said)


@pytest.mark.parametrize("largest", [coded_matrix.MAX_ENTRIES, 5])
def test_a_line_of_an_undirected_list_that_repeats_another_counts_once(tmp_path, monkeypatch, largest):
    """Not for each direction; the other way round it says the same tie, and may be there by intention."""
    monkeypatch.setattr("nbmf.io.coded_matrix.MAX_ENTRIES", largest)
    said = []
    (tmp_path / "ties.csv").write_text("a,b\nAnn,Bob\nBob,Cid\nAnn,Bob\nCid,Ann\nCid,Bob\nAnn,Bob\n")
    nbmf.read(tmp_path / "ties.csv", layout="presence", undirected=True, log=lambda line: said.append(str(line)))
    assert "left out: 2 records that repeat another" in said


def test_values_of_an_undirected_list_are_of_both_directions(tmp_path):
    (tmp_path / "ties.csv").write_text("a,b,v,sex\nAnn,Bob,3,f\nBob,Cid,0,m\nCid,Bob,0,f\n")
    given = {"layout": "long", "counts": True, "undirected": True, "log": lambda line: None}
    made = nbmf.read(tmp_path / "ties.csv", groups="sex", **given)
    np.testing.assert_array_equal(getattr(made, made.field), [[-1, 3, -1], [3, -1, 0], [-1, 0, -1]])
    assert made.row_groups.tolist() == ["f", "m", "f"]
    (tmp_path / "ties.csv").write_text("a,b,v\nAnn,Bob,3\nBob,Cid,2\nBob,Ann,1\n")
    with pytest.raises(DataError, match=r"line 4: row 'Ann', column 'Bob' is 1, but 3 in line 2"):
        nbmf.read(tmp_path / "ties.csv", **given)
    (tmp_path / "ties.csv").write_text("a,b\n1,0\n0,1\n")
    with pytest.raises(DataError, match=r"undirected = True: .* a list of ties needs layout = 'presence'"):
        nbmf.read(tmp_path / "ties.csv", undirected=True)
