"""nbmf.read_sparse: large lists in pieces are the matrix of all entries at once, and what is wrong has its line."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

import nbmf
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.sparse_pieces import SparsePieces
from nbmf.errors import ConfigError, DataError
from nbmf.io import arrow_pieces

pytest.importorskip("pyarrow")
RNG = np.random.default_rng(0)
V = (RNG.random((40, 30)) < 0.2).astype(np.int8)
ROWS, COLUMNS = np.nonzero(V)
ORDER = RNG.permutation(len(ROWS))  # a file has its entries in any order
LIST = pd.DataFrame({"item": COLUMNS[ORDER], "user": ROWS[ORDER], "value": 1})
NAMED = LIST.assign(user="u" + LIST["user"].astype(str), item="i" + LIST["item"].astype(str))
PATTERN = "%%MatrixMarket matrix coordinate pattern general\n"
REAL = PATTERN.replace("pattern", "real")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Let a piece be a few records, so that a small file has many."""
    monkeypatch.setattr(arrow_pieces, "BLOCK", 100)
    monkeypatch.setattr(arrow_pieces, "ROWS", 7)


@pytest.fixture
def read(tmp_path):
    """Return a function that writes content, or a table as the suffix says, and reads it."""

    def read(content, name="list.csv", **options):
        path, read.lines = tmp_path / name, []
        if isinstance(content, pd.DataFrame):
            content.to_parquet(path) if name.endswith("parquet") else content.to_csv(path, index=False)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return nbmf.read_sparse(path, log=read.lines.append, **options)

    read.folder = tmp_path
    return read


def refused(read, *arguments, error=DataError, **options):
    """Return the message without the folder."""
    with pytest.raises(error) as caught:
        read(*arguments, **options)
    return str(caught.value).replace(f"{read.folder}/", "")


def assert_is(found, expected):
    assert found.has_canonical_format
    assert found.indices.dtype == found.indptr.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), expected)


def market(matrix, **options):
    """Return a Matrix Market file, written by SciPy."""
    path = options.pop("path")
    scipy.io.mmwrite(path, scipy.sparse.coo_array(matrix), **options)
    return path.read_bytes()


# --- The same matrix ------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["pattern", "integer", "real"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_a_matrix_market_file(field, is_packed, read, tmp_path):
    content = market(V, path=tmp_path / "written.mtx", field=field)
    name = "v.mtx.gz" if is_packed else "v.mtx"
    found = read(gzip.compress(content) if is_packed else content, name)
    assert_is(found.V, V)
    assert found.V.dtype == np.int8
    assert found[1:] == (None, None)
    assert "40 rows x 30 columns" in read.lines[1]


def test_a_symmetric_matrix_market_file(read, tmp_path):
    square = np.tril(V[:30]) | np.tril(V[:30]).T
    content = market(square, path=tmp_path / "written.mtx", field="pattern", symmetry="symmetric")
    assert len(content.splitlines()) < square.sum()
    assert_is(read(content, "v.mtx").V, square)


def test_comments_blank_lines_and_several_blanks_are_read_line_by_line(read):
    """pyarrow stops at the comment, after some pieces."""
    lines = [f"{f + 1} {n + 1}" for f, n in zip(ROWS, COLUMNS, strict=True)]
    lines[100:100] = ["% a comment", ""]
    lines[-1] = f"  {lines[-1].replace(' ', '   ')} "
    head = PATTERN + f"% another\n40 30 {len(ROWS)}\n"
    found = read(head + "\n".join(lines) + "\n", "v.mtx")
    assert_is(found.V, V)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_a_list_of_numbers(suffix, read):
    options = {"row": "user", "column": "item", "shape": V.shape}
    assert_is(read(LIST, f"list.{suffix}", **options).V, V)
    assert_is(read(LIST, f"list.{suffix}", value="value", **options).V, V)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_list_of_names(suffix, read):
    found = read(NAMED, f"list.{suffix}", row="user", column="item")
    assert found.row_names.tolist() == list(dict.fromkeys(NAMED["user"]))
    assert found.column_names.tolist() == list(dict.fromkeys(NAMED["item"]))
    order = [[int(name[1:]) for name in names] for names in found[1:]]
    assert_is(found.V, V[np.ix_(*order)])
    matrix = SparseBinaryMatrix.from_sparse(*found)
    assert matrix.row_names.tolist() == found.row_names.tolist()


def test_categories_of_parquet_are_names(read):
    found = read(NAMED.astype({"user": "category"}), "list.parquet", row="user", column="item")
    assert found.row_names.tolist() == list(dict.fromkeys(NAMED["user"]))
    assert found.V.sum() == V.sum()


def test_a_list_without_a_header(read):
    lines = [f"{f} {n}" for f, n in zip(ROWS, COLUMNS, strict=True)]
    assert_is(read("\n".join(lines), "edges.txt", shape=V.shape).V, V)
    found = read("a\tx\nb\ty\n", "edges.tsv", header=False)
    assert found.row_names.tolist() == ["a", "b"]
    assert "no header" in read.lines[0]
    assert read("a\tx\nb\ty\n", "edges.tsv").row_names.tolist() == ["b"]


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_line_ends_where_it_does_in_the_file(character, read):
    """str.splitlines sees an end in each of these; then the first records were taken for lines above the list."""
    text = f"# purchases{character}# of 2024\r\ncustomer,item\r\nr1,c1\r\nr2,c2\r\nr3,c1\r\n"
    assert read(text.replace("\r\n", "\n")).row_names.tolist() == ["r1", "r2", "r3"]
    assert read(text).row_names.tolist() == ["r1", "r2", "r3"]


def test_zeros_are_not_kept_and_missing_is(read):
    found = read("r,c,v\n0,0,1\n0,1,0\n1,0,-1\n1,1,NA\n1,2,\n", row="r", column="c", value="v", shape=(2, 3))
    assert_is(found.V, [[1, 0, 0], [-1, -1, -1]])
    assert found.V.nnz == 4
    assert "1 entries above 0" in read.lines[1]
    assert "3 missing" in read.lines[1]


def test_counts(read):
    content = "r,c,n\n0,0,300\n1,1,2\n1,0,0\n"
    found = read(content, row="r", column="c", value="n", shape=(2, 2), counts=True)
    assert found.V.dtype == np.int32
    assert_is(found.V, [[300, 0], [0, 2]])
    words = refused(read, content, row="r", column="c", value="n", shape=(2, 2))
    assert words == (
        "list.csv, line 2: the value is 300; allowed: 0, 1 and missing (-1, NaN or null); counts = True reads counts"
    )


def test_repeated_entries_are_kept_once_unless_they_differ(read):
    options = {"row": "r", "column": "c", "value": "v", "shape": (2, 3)}
    found = read("r,c,v\n0,1,1\n0,2,1\n0,1,1\n1,1,1\n0,1,1\n", **options)
    assert_is(found.V, [[0, 1, 1], [0, 1, 0]])
    assert read.lines[-1] == "left out: 2 records that repeat another"
    read("r,c,v\n0,1,1\n0,1,1\n", **options)
    assert read.lines[-1] == "left out: 1 record that repeats another"
    words = refused(read, "r,c,v\n0,1,1\n1,1,1\n1,1,-1\n", **options)
    assert words == "list.csv: row 1, column 1 (counted from 0): the entry is there with two values, 1 and -1"


def test_a_fit_takes_the_matrix(read):
    found = read(LIST, row="user", column="item", shape=V.shape)
    fits = [nbmf.BernoulliPoissonVB(2, max_iter=20, random_state=0) for _ in range(2)]
    for fit, matrix in zip(fits, (found.V, scipy.sparse.csr_array(V.astype(float))), strict=True):
        fit.fit(matrix)
    np.testing.assert_array_equal(fits[0].W_, fits[1].W_)


def test_more_entries_than_32_bits_number_have_longer_indices(monkeypatch):
    monkeypatch.setattr("nbmf.data.sparse_pieces.LARGEST_INDEX", 3)
    pieces = SparsePieces(np.int8)
    pieces.add(np.arange(4), np.arange(4))
    assert pieces.matrix((4, 4))[0].indptr.dtype == np.int64


# --- What is wrong --------------------------------------------------------------------------------

MANY = "".join(f"{f + 1} {n + 1}\n" for f, n in zip(ROWS, COLUMNS, strict=True))
NUMBERED = {"row": "r", "column": "c", "value": "v", "shape": (40, 30)}
HEAD = "r,c,v\n" + "".join(f"{f},{n},1\n" for f, n in zip(ROWS, COLUMNS, strict=True))
AFTER = len(HEAD.splitlines()) + 1  # the line after it


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PATTERN + f"40 30 {len(ROWS) + 5}\n" + MANY, f"declares {len(ROWS) + 5} entries and has {len(ROWS)}"),
        (
            PATTERN + f"40 30 {len(ROWS)}\n" + MANY.rstrip().rsplit(" ", 1)[0],
            f"line {len(ROWS) + 2}: 1 word instead of 2",
        ),
        (PATTERN + f"40 30 {len(ROWS)}\n" + MANY + "1 1\n", f"line {len(ROWS) + 3}: one more entry than the"),
        (PATTERN + f"40 30 {len(ROWS) + 1}\n" + MANY + "41 1\n", f"line {len(ROWS) + 3}: row '41'; allowed: 1 to"),
        (PATTERN + f"40 30 {len(ROWS) + 1}\n" + MANY + "1 0\n", f"line {len(ROWS) + 3}: column '0'; allowed: 1"),
        (PATTERN + f"40 30 {len(ROWS) + 1}\n" + MANY + "1 2.5\n", f"line {len(ROWS) + 3}: column '2.5'; allowed: 1"),
        (PATTERN + f"40 30 {len(ROWS) + 1}\n" + MANY + "1 1 1\n", f"line {len(ROWS) + 3}: 3 words instead of 2"),
        (REAL + "2 2 2\n1 1 1\n2 2 0.5\n", "line 4: the value is 0.5; allowed: 0, 1 and missing"),
        (REAL + "2 2 2\n1 1 1\n2 2 NA\n", "line 4: the value is 'NA'; allowed: numbers"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "an array, which has all entries"),
        (PATTERN + "2 2 0\n1 1\n", "line 3: one more entry than the 0 declared"),
        (PATTERN + f"2 {2**31} 1\n1 1\n", "2 x 2147483648; allowed: at most 2147483647 of either"),
    ],
)
def test_a_damaged_matrix_market_file_is_refused_with_the_line(content, words, read):
    assert f"v.mtx{', ' if words.startswith('line') else ': '}{words}" in refused(read, content, "v.mtx")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEAD + "40,0,1\n", f"line {AFTER}: the row is '40'; allowed: 0 to 39"),
        (HEAD + "\n\n0,-1,1\n", f"line {AFTER + 2}: the column is '-1'; allowed: 0 to 29"),
        (HEAD + "0,x,1\n", f"line {AFTER}: the column is 'x'; allowed: numbers"),
        (HEAD + "0,,1\n", f"line {AFTER}: the column is nothing; allowed: 0 to 29"),
        (HEAD + "0,0,2\n", f"line {AFTER}: the value is 2; allowed: 0, 1 and missing"),
        (HEAD + "0,0,-0.5\n", f"line {AFTER}: the value is -0.5; allowed: 0, 1 and missing"),
        (HEAD + "0,0,maybe\n", f"line {AFTER}: the value is 'maybe'; allowed: numbers"),
        (HEAD + "0,0\n", f"line {AFTER}: 2 fields instead of 3"),
    ],
)
def test_a_damaged_list_is_refused_with_the_line(content, words, read):
    assert refused(read, content, **NUMBERED).startswith(f"list.csv, {words}")


@pytest.mark.parametrize("name", ["list.csv", "list.csv.gz"])
def test_a_text_in_another_encoding_is_refused_with_the_line(name, read):
    content = "who,what\nann,b1\n\n" + "bob,b2\n" * 30 + "José,b1\n"
    packed = gzip.compress if name.endswith("gz") else bytes
    words = f"{name}, line 34: not UTF-8; save the file as UTF-8, or take nbmf.read, which knows other encodings"
    assert refused(read, packed(content.encode("latin-1")), name) == words
    assert len(read(packed(content.encode()), name).row_names) == 3


def test_a_truncated_file_is_refused(read, tmp_path):
    packed = gzip.compress(HEAD.encode())
    words = refused(read, packed[: len(packed) // 2], "list.csv.gz", **NUMBERED)
    assert words.startswith("list.csv.gz: not a complete")
    LIST.to_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for part in (whole[:-30], whole[: len(whole) // 2], whole[:40] + b"?" * 40 + whole[80:]):
        words = refused(read, part, "list.parquet", row="user", column="item", shape=V.shape)
        assert words.startswith("list.parquet: not a complete Parquet file (")


def test_rows_of_parquet_are_named(read):
    wrong = pd.concat([LIST, pd.DataFrame({"user": [40], "item": [0], "value": [1]})])
    options = {"row": "user", "column": "item", "value": "value", "shape": V.shape}
    where = f"list.parquet, row {len(LIST) + 1}"
    assert refused(read, wrong, "list.parquet", **options) == f"{where}: the row is '40'; allowed: 0 to 39"
    wrong["user"] = wrong["user"].clip(upper=39)
    wrong["value"] = [*LIST["value"], 3]
    assert refused(read, wrong, "list.parquet", **options).startswith(f"{where}: the value is 3; allowed: 0, 1 and")
    nobody = NAMED.assign(user=[*NAMED["user"][:-1], None])
    words = refused(read, nobody, "list.parquet", row="user", column="item")
    assert words == f"list.parquet, row {len(LIST)}: the name of the row is empty"
    assert "the value is column 'item', of type" in refused(read, NAMED, "list.parquet", value="item")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header": False, "row": "r"}, "header = False leaves no column a name"),
        ({"shape": (3,)}, "shape = (3,): must be a pair of integers"),
        ({"shape": (3, 0)}, "shape = (3, 0): must be a pair of integers"),
        ({"counts": 1}, "counts = 1: must be True or False"),
        ({"row": 3}, "row = 3: must be the name of a column"),
    ],
)
def test_arguments_that_are_not_allowed(options, words, read):
    assert words in refused(read, HEAD, error=ConfigError, **options)


def test_what_has_no_meaning_or_is_not_read(read):
    assert "header = True has no meaning for a Parquet file" in refused(
        read, LIST, "list.parquet", error=ConfigError, header=True
    )
    words = refused(read, PATTERN + "1 1 1\n1 1\n", "v.mtx", error=ConfigError, shape=(1, 1))
    assert "shape = (1, 1) has no meaning for a Matrix Market file" in words
    assert "a JSON file; allowed: Matrix Market, Parquet and text" in refused(read, '[{"a": 1}]', "v.json")
    assert "no column 'user'" in refused(read, HEAD, row="user", column="c")
    assert "list.csv: the file is empty" in refused(read, "\n\n")
    assert "list.csv: no entries" in refused(read, "r,c\n", row="r", column="c")


def test_without_pyarrow_matrix_market_is_read_and_lists_say_what_to_install(read, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert_is(read(PATTERN + f"40 30 {len(ROWS)}\n" + MANY, "v.mtx").V, V)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    assert "large lists of text need pyarrow, which is not installed" in refused(read, HEAD, **NUMBERED)
