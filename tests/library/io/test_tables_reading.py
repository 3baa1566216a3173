"""Tables of mixed columns and documents from files: what columns are, and what is refused."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

import nbmf
from nbmf.cli.arguments import render_message
from nbmf.data.examples import table_example
from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, POISSON
from nbmf.errors import ConfigError, DataError
from nbmf.io.column_kinds import DISTRIBUTIONS, WrongCell, infer_column_kind

MIXED = """\
name,age,job,member,visits,grade,group,empty,same
ann,31.5,a,1,0,1,x,,9
bob,40,b,0,2,2,x,NA,9
cay,NA,a,1,7,1,y,,9
dan,22.25,,0,1,3,y,?,9
eve,35,b,1,0,2,x,,9
fay,28,a,,3,1,y,,9
gus,51,b,0,4,2,x,,9
hal,33,a,1,0,3,y,,9
ida,47,b,0,6,3,,,9
joe,29,a,1,2,1,x,,9
kim,38,b,0,0,2,y,,9
leo,44,a,1,5,3,x,,9
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.csv").write_text(MIXED)
    return tmp_path


def quietly(path="mixed.csv", read=nbmf.read_table, **options):
    return read(path, log=lambda line: None, **options)


def kinds_of(table):
    return dict(zip(table.column_names.tolist(), table.kinds.tolist(), strict=True))


def test_kinds_of_columns_are_seen_and_said():
    said = []
    table = nbmf.read_table("mixed.csv", labels="group", log=said.append)
    assert kinds_of(table) == {
        "age": GAUSSIAN,
        "job": DISCRETE,
        "member": BERNOULLI,
        "visits": POISSON,
        "grade": DISCRETE,
    }
    assert table.row_names.tolist()[:2] == ["ann", "bob"]
    assert table.row_groups.tolist()[:3] == ["x", "x", "y"]
    assert table.row_groups[8] == ""
    values = pd.DataFrame(table.values(), columns=table.column_names)
    assert values["age"].isna().tolist().index(True) == 2
    assert values.isna().sum().to_dict() == {"age": 1, "job": 1, "member": 1, "visits": 0, "grade": 0}
    assert said == [
        "mixed.csv: text, fields separated by commas; header in line 1; names of rows in 'name'; "
        "labels in 'group', kept apart",
        "12 rows x 5 columns, 5.0% missing",
        "real (gaussian): age",
        "category (discrete): job (2), grade (3)",
        "binary (bernoulli): member",
        "count (poisson): visits",
        "left out: 'empty' (no value at all), 'same' (always 9)",
    ]


def test_where_none_may_be_a_category_it_is_said_that_it_means_missing(tmp_path):
    """Not where it was said what means missing, of numbers, nor of columns that are kept apart."""
    pets = ["dog", "None", "cat", "none"] * 5
    frame = pd.DataFrame({"pet": pets, "job": ["a", "b"] * 10, "height": [1.5, 2.25, 3.75, "none"] * 5, "why": pets})
    frame.to_csv("pets.csv", index=False)
    said = []
    table = nbmf.read_table("pets.csv", ignore=["why"], log=said.append)
    words = "'none' is taken to mean missing in 'pet' (50%): missing = [''] reads it as a category, and only empty"
    assert [line for line in said if "mean missing" in line] == [f"{words} cells as missing"]
    assert dict(zip(table.column_names.tolist(), table.sizes.tolist(), strict=True))["pet"] == 2
    again = []
    read = nbmf.read_table("pets.csv", ignore=["why", "height"], missing=[""], log=again.append)
    assert dict(zip(read.column_names.tolist(), read.sizes.tolist(), strict=True))["pet"] == 4
    assert not any("mean missing" in line for line in again)


def test_what_is_seen_can_be_overruled():
    table = quietly(kinds={"grade": "real", "visits": "category"}, ignore=["job"], index=False, labels="name")
    assert kinds_of(table) == {
        "age": GAUSSIAN,
        "member": BERNOULLI,
        "visits": DISCRETE,
        "grade": GAUSSIAN,
        "group": DISCRETE,
    }
    assert table.row_names[0] == "row 0"
    table = quietly(missing=["", "NA", "a", "?"], ignore=["job"])
    assert "job" not in kinds_of(table)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 1, 0], "binary"),
        ([0.5, 1, 2], "real"),
        ([1, 2, 3] * 4, "category"),
        (range(1, 60), "real"),  # no zero
        ([0, 1, 2, 3, 4, 5, 9, 1, 0], "count"),
        ([0, 0, 0, 0, 400, 3, 1, 2, 900], "real"),  # far more dispersed than a Poisson law
        ([200, 0, 100, 300, 250, 120, 150], "real"),
        (["1e3", "2", "-1"], "real"),
        (["x", "y", "x"], "category"),
        ([True, False, True], "binary"),
    ],
)
def test_rules_of_kinds(values, kind):
    assert infer_column_kind([*values, None]).kind == kind


def test_every_kind_has_a_distribution_and_the_command_line_the_same_words():
    from nbmf.cli.table_arguments import KINDS

    assert tuple(DISTRIBUTIONS) == KINDS
    for kind, wrong in (("real", "x"), ("binary", "2"), ("count", "-1"), ("count", "0.5")):
        with pytest.raises(WrongCell) as error:
            infer_column_kind(["0", "1", wrong], kind)
        assert error.value.row == 2
    assert infer_column_kind(["1", "2"], "category").values == ["1", "2"]


def test_whole_numbers_of_files_with_types_are_shown_without_a_point():
    assert infer_column_kind([1.0, 2.0, None, 2.0], "category").values == ["1", "2", None, "2"]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("a,b\n1,2\n", {"kinds": {"a": "reel"}}, "'a' is 'reel'; allowed: real, category"),
        ("a,b\n1,2\n", {"kinds": {"c": "real"}}, "no column 'c'; the columns are a, b"),
        ("a,b\n1,2\n", {"labels": "c"}, "no column 'c'"),
        ("a,b\n1,2\n3,4\n", {"labels": "a", "kinds": {"a": "real"}}, "kinds = {'a': 'real'}: the column is kept apart"),
        ("a,b\n1,2\n3,4\n", {"labels": "a", "ignore": ["a"]}, "ignore = ['a']: the column has the"),
        ("a\nx\ny\n", {}, "no column is left (names of rows in 'a')"),
        (
            "a,b\n1,x\n2,y\n",
            {"kinds": {"b": "count"}},
            "line 2, column 'b': 'x'; allowed in a count column: whole numbers from 0 on",
        ),
        ("a,b\n1,2\n3\n", {}, "line 3: 1 field instead of 2"),
        ("a,a\n1,2\n3,4\n", {}, "the column 'a' is there already"),
        ("a,b\n1,1\n1,1\n", {}, "no column is left (no names of rows; 'a' (always 1)"),
        ("a,b\n", {}, "a header and no rows"),
        ("", {}, "the file is empty"),
        (",,\n,,\n", {}, "all fields are empty"),
        ("a,b\nx,1\nx,2\n", {"index": True}, "line 3: the row 'x' is there already, in line 2"),
        ('a,b\n"x,1\n', {}, "unexpected end of data"),
    ],
)
def test_bad_tables_are_refused(here, content, options, words):
    (here / "bad.csv").write_text(content)
    with pytest.raises((ConfigError, DataError), match=re.escape(words)):
        quietly("bad.csv", **options)


def test_columns_that_a_person_has_to_decide_on_are_all_named(here):
    rows = [f"{n % 7 / 3},2020-01-{n % 28 + 1:02},note {n},{n if n != 5 else 'old'}" for n in range(60)]
    (here / "odd.csv").write_text("\n".join(["x,day,note,age", *rows]))
    with pytest.raises(DataError) as error:
        quietly("odd.csv")
    text = str(error.value)
    assert "column 'day' has dates, such as '2020-01-01'" in text
    assert "column 'note' has 60 different texts, such as 'note 0'" in text
    assert "column 'age' has numbers, but for 'old'" in text
    told = render_message(error.value.message, "cluster")
    assert "--ignore day --ignore note --ignore age leaves them out" in told
    assert "--kind day=category" in told
    table = quietly("odd.csv", ignore=["day", "note"], missing=["old"])
    assert kinds_of(table) == {"x": GAUSSIAN, "age": GAUSSIAN}


def test_of_thousands_of_columns_to_decide_on_the_first_are_named(here):
    names = [f"strain {n}" for n in range(2000)]
    rows = [",".join(f"locus {n} {row}" for n in range(len(names))) for row in range(60)]
    (here / "genes.csv").write_text("\n".join([",".join(names), *rows]))
    with pytest.raises(DataError, match="column 'strain 19' has 60 different texts") as error:
        quietly("genes.csv", index=False)
    told = render_message(error.value.message, "cluster")
    assert "; and 1980 more columns. --ignore COLUMN leaves them out" in told
    assert len(told) < 2000


def test_words_of_too_many_documents_are_named(here):
    texts = [f"gene protein cell{'abcd'[n % 4]} gene {'tumour' if n < 6 else 'signal'}" for n in range(12)]
    (here / "texts.csv").write_text("\n".join(["text", *texts]))
    lines = []
    table = nbmf.read_documents("texts.csv", text="text", log=lines.append)
    tokens = "60% of the tokens of words in at least 2 documents"
    assert f"in more than 50% of the documents, and not used: 'gene', 'protein' ({tokens})" in lines
    assert sorted(table.column_names) == ["cella", "cellb", "cellc", "celld", "signal", "tumour"]
    (here / "rare.csv").write_text(
        "\n".join(["text", *(text.replace("gene ", "").replace("protein ", "") for text in texts)])
    )
    lines.clear()
    nbmf.read_documents("rare.csv", text="text", log=lines.append)
    assert not any("not used" in line for line in lines)
    (here / "same.csv").write_text("\n".join(["text", *["gene protein"] * 4]))
    with pytest.raises(DataError, match="no word of three letters"):
        nbmf.read_documents("same.csv", text="text", log=lines.append)


def test_other_files_are_refused_with_a_way_out(here):
    (here / "t.ods").write_bytes(b"PK\x03\x04")
    np.save("t.npy", np.eye(2))
    nbmf.BinaryMatrix.from_array(np.eye(2)).save("own.npz")
    scipy.sparse.save_npz("s.npz", scipy.sparse.csr_array(np.eye(2)))
    with gzip.open("t.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, scipy.sparse.coo_array(np.eye(2)))
    for name, words in {
        "t.ods": "a spreadsheet; save it as .xlsx, or its sheet as CSV",
        "t.npy": "arrays, .*from_array",
        "own.npz": "arrays, .*from_array",
        "s.npz": "a sparse matrix; nbmf topics takes one of counts",
        "t.mtx.gz": "a sparse matrix; nbmf topics takes one of counts",
        "none.csv": "there is no such file",
    }.items():
        with pytest.raises(DataError, match=rf"^{name}: {words}"):
            quietly(name)


def test_other_texts_and_no_header(here):
    (here / "plain.data").write_text("1.5 2 a\n2.5 1 b\n0.5 3 a\n")
    table = quietly("plain.data")
    assert table.column_names.tolist() == ["column 1", "column 2", "column 3"]
    with gzip.open(here / "mixed.csv.gz", "wt") as file:
        file.write(MIXED)
    (here / "numbered.csv").write_text("id;x\n1;2.5\n2;3\n3;1\n")
    assert quietly("numbered.csv").column_names.tolist() == ["x"]
    one, other = quietly(), quietly("mixed.csv.gz")
    np.testing.assert_array_equal(one.cells, other.cells)


def test_parquet_is_as_text(here):
    pytest.importorskip("pyarrow")
    pd.read_csv("mixed.csv").to_parquet("mixed.parquet")
    one, other = quietly(), quietly("mixed.parquet")
    assert kinds_of(one) == kinds_of(other)
    np.testing.assert_array_equal(one.cells, other.cells)
    assert one.categories.tolist() == other.categories.tolist()


@pytest.mark.parametrize("word", ["", ".", "?", "NA", "N/A", "n/a", "NaN", "None", "null"])
def test_the_same_texts_are_missing_in_every_format_and_for_every_reader(word, here):
    frame = pd.DataFrame({"a": ["1", word, "0", "1"], "b": ["0", "1", "1", "0"], "c": ["x", "y", "x", word]})
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet", index=False)
    for name in ("t.csv", "t.parquet"):
        table = quietly(name, index=False)
        values = pd.DataFrame(table.values(), columns=table.column_names)
        assert values.isna().sum().to_dict() == {"a": 1, "b": 0, "c": 1}
        matrix = quietly(name, nbmf.read, index=False, header=True if name == "t.csv" else None, ignore=["c"])
        assert matrix.codes.tolist() == [[1, 0], [-1, 1], [0, 1], [1, 0]]
        table = quietly(name, index=False, missing=["y"], ignore=["a"])  # in the place of these
        assert sorted(table.categories.tolist()) == sorted(["0", "1", "x", word])


def test_lines_are_counted_from_the_beginning_of_the_file(here):
    (here / "late.csv").write_text("\n\na,b\n1,2\n3\n")
    for read in (nbmf.read, nbmf.read_table, nbmf.read_documents):
        with pytest.raises(DataError, match=r"late.csv, line 5: 1 field instead of 2"):
            quietly("late.csv", read, **({"counts": True} if read is nbmf.read else {}))


def test_the_example_has_what_a_table_may_have(here):
    (here / "penguins.csv").write_text(table_example("penguins"))
    table = quietly("penguins.csv", labels="species")
    assert table.shape == (344, 7)
    assert table.cells.size == 344 * 7 - 19
    assert set(kinds_of(table).values()) == {GAUSSIAN, DISCRETE}


# --- Documents ------------------------------------------------------------------------------------

COUNTS = np.array([[2, 0, 1, 0], [0, 0, 0, 0], [0, 3, 0, 0], [1, 1, 4, 0]])
WORDS, PAGES = ["sea", "ice", "ship", "none"], ["p1", "p2", "p3", "p4"]


def written(here):
    """Write the same documents in every layout; return the files with their options."""
    frame = pd.DataFrame(COUNTS, PAGES, WORDS)
    frame.to_csv("wide.csv", index_label="page")
    frame.T.to_csv("turned.csv", index_label="word")
    long = frame.stack().reset_index(name="n").set_axis(["page", "word", "n"], axis=1)
    long.iloc[::-1].to_csv("long.csv", index=False)
    scipy.io.mmwrite("m.mtx", scipy.sparse.coo_array(COUNTS))
    scipy.sparse.save_npz("m.npz", scipy.sparse.csr_array(COUNTS))
    (here / "words.txt").write_text("\n".join(WORDS))
    return {
        "wide.csv": {},
        "turned.csv": {"transpose": True},
        "long.csv": {"long": ["page", "word", "n"]},
        "m.mtx": {"words": "words.txt"},
        "m.npz": {"words": "words.txt"},
    }


def test_every_layout_has_the_same_documents(here):
    for path, options in written(here).items():
        table = quietly(path, nbmf.read_documents, **options)
        found = pd.DataFrame(table.values(), table.row_names, table.column_names)
        found = found[WORDS[:3]].sort_index()
        np.testing.assert_array_equal(found, COUNTS[[0, 2, 3], :3], err_msg=path)
    names = quietly("wide.csv", nbmf.read_documents).row_names
    assert names.tolist() == ["p1", "p3", "p4"]


def test_documents_are_read_from_every_format_of_a_matrix_within_its_limits(here):
    written(here)
    (here / "packed.mtx.gz").write_bytes(gzip.compress((here / "m.mtx").read_bytes()))
    np.save("m.npy", COUNTS)
    for path in ("packed.mtx.gz", "m.npy"):
        table = quietly(path, nbmf.read_documents, words="words.txt")
        np.testing.assert_array_equal(table.values(), COUNTS[[0, 2, 3], :3], err_msg=path)
    (here / "huge.mtx").write_text("%%MatrixMarket matrix coordinate real general\n10000000 10000000 1\n1 1 1\n")
    with pytest.raises(DataError, match="10000000 x 10000000 entries; allowed: at most"):
        quietly("huge.mtx", nbmf.read_documents)


def test_documents_are_reported_with_what_was_left_out(here):
    written(here)
    said = []
    nbmf.read_documents("long.csv", long=True, ignore=["ice"], log=said.append)
    assert said[1:] == [
        "2 documents x 2 words: 8 tokens, 4.0 a document",
        "left out: 2 documents without a word; 1 word to ignore; 1 word that no document has",
    ]


def test_words_to_ignore_that_no_document_has_are_said(here):
    written(here)
    for path, options, ignore, said in (
        ("long.csv", {"long": True}, ["ice", "icy", "cie"], "'cie', 'icy'"),
        ("wide.csv", {}, ["ship", "shop"], "'shop'"),
        ("wide.csv", {}, ["ship", *"abcdef"], "6 words"),
    ):
        lines = []
        nbmf.read_documents(path, **options, ignore=ignore, log=lines.append)
        assert lines[-1] == f"to ignore, but in no document: {said}"
    nbmf.read_documents("wide.csv", ignore=["ship"], log=lines.append)
    assert not lines[-1].startswith("to ignore")


def test_texts_are_counted(here):
    (here / "t.csv").write_text(
        'id,text,mark\n1,"The ICE, the sea; and a ship!",x\n2,"Sea ice is near",y\n'
        '3,"The ship is late",\n4,"lost dogs",y\n5,"dogs bark",x\n'
    )
    table = quietly("t.csv", nbmf.read_documents, text="text", labels="mark", ignore=["dogs"])
    assert table.column_names.tolist() == ["ice", "sea", "ship", "the"]
    assert table.row_groups.tolist() == ["x", "y", ""]
    np.testing.assert_array_equal(table.values()[0], [1, 1, 1, 2])
    with pytest.raises(DataError, match="no word of three letters is in at least 2 texts"):
        quietly("t.csv", nbmf.read_documents, text="id")


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("wide.csv", {"words": "words.txt"}, "words = 'words.txt': has a meaning only for a sparse file"),
        ("m.mtx", {"text": "x"}, "text = 'x': has a meaning only for a table"),
        ("m.mtx", {"labels": "x"}, "labels = 'x': has a meaning only for a line per document"),
        ("long.csv", {"long": ["page", "word"]}, "2 columns; needed are three, document, word"),
        ("long.csv", {"long": ["page", "word", "m"]}, "no column 'm'"),
        ("long.csv", {}, "in line 2; so are 'p3', 'p2', 'p1' (each line is read as a document; long = True reads"),
        ("wide.csv", {"labels": "party"}, "no column 'party'"),
        ("wide.csv", {"ignore": WORDS}, "no column of counts"),
        ("m.mtx", {"words": "few.txt"}, "few.txt: 1 word for 4 columns of m.mtx"),
        ("minus.csv", {}, "line 3, column 'b': '-1'; allowed: counts, whole numbers from 0 on"),
        ("half.mtx", {}, "the value 0.5; allowed: counts"),
        ("bad.mtx", {}, "bad.mtx, line 2: needed are the numbers of rows, columns and entries"),
        ("no.mtx", {}, "there is no such file"),
        ("m.mtx", {"words": "no.txt"}, "words = 'no.txt': there is no such file"),
        ("wide.csv", {"ignore": WORDS[:3]}, "all counts are 0, or of words to ignore"),
    ],
)
def test_bad_documents_are_refused(here, path, options, words):
    written(here)
    (here / "few.txt").write_text("sea")
    (here / "minus.csv").write_text("a,b\n1,0\n2,-1\n")
    (here / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2")
    scipy.io.mmwrite("half.mtx", scipy.sparse.coo_array([[0.5, 1.0]]))
    with pytest.raises((ConfigError, DataError), match=re.escape(words)):
        quietly(path, nbmf.read_documents, **options)


# Which line and which column has names.


def test_years_above_numbers_are_names_and_so_is_a_text(here):
    rows = "".join(f"c{f},{0.5 * f},{1.5 - f},{f * f / 3}\n" for f in range(12))
    (here / "years.csv").write_text("country,2019,2020,2021\n" + rows)
    assert nbmf.read_table(here / "years.csv", log=print).column_names.tolist() == ["2019", "2020", "2021"]
    (here / "years.csv").write_text(rows)
    assert nbmf.read_table(here / "years.csv", log=print).column_names.tolist() == ["column 2", "column 3", "column 4"]
    (here / "words.csv").write_text("doc,apple,2020,nan\na,1,0,2\nb,0,1,3\nc,2,1,0\n")
    assert nbmf.read_documents(here / "words.csv").column_names.tolist() == ["apple", "2020", "nan"]


@pytest.mark.parametrize("names", ["0 1 2 3", "1001 1002 1003 1004", "1001 1002 1005 1009"])
@pytest.mark.parametrize("head", ["", "id"])
def test_numbers_that_count_up_name_documents(head, names, here):
    rows = zip(names.split(), ("1,0", "0,2", "3,1", "1,1"), strict=True)
    (here / "d.csv").write_text(f"{head},apple,pear\n" + "".join(f"{name},{counts}\n" for name, counts in rows))
    table = nbmf.read_documents(here / "d.csv")
    assert table.column_names.tolist() == ["apple", "pear"]
    assert table.row_names.tolist() == names.split()


@pytest.mark.parametrize(("head", "numbers"), [("id", "1005 1001 1009"), ("Doc_ID", "3 1 2")])
def test_numbers_below_id_name_documents_in_any_order(head, numbers, here):
    lines = [",".join(cells) for cells in zip(numbers.split(), "103", "021", strict=True)]
    (here / "d.csv").write_text("\n".join([f"{head},apple,pear", *lines]))
    table = nbmf.read_documents("d.csv", log=lambda line: None)
    assert table.column_names.tolist() == ["apple", "pear"]
    assert table.row_names.tolist() == numbers.split()
    (here / "d.csv").write_text(f"{head},apple,pear\n2,1,0\n2,0,2\n1,3,1\n")  # counts of a word: two are the same
    assert nbmf.read_documents("d.csv", log=lambda line: None).column_names.tolist() == [head, "apple", "pear"]


def test_a_column_of_ids_that_has_another_name_is_a_word_and_that_is_said(here):
    (here / "d.csv").write_text("patient,apple,pear\n1005,1,0\n1001,0,2\n1009,3,1\n")
    said = []
    table = nbmf.read_documents("d.csv", log=said.append)
    assert table.column_names.tolist() == ["patient", "apple", "pear"]
    assert said[2] == (
        "'patient' is read as a word, with 3015 of 3022 tokens; its counts all differ, as ids do: ignore = ['patient'] "
        "leaves it out"
    )
    (here / "d.csv").write_text("sea,apple,pear\n3,1,0\n1,0,2\n2,3,1\n")
    nbmf.read_documents("d.csv", log=said.append)
    assert len(said) == 5


def test_ids_kept_as_floats_are_written_as_whole_numbers(here):
    frame = pd.DataFrame({"id": [1001.0, 1002, 1003], "age": [31.5, 40, 22], "party": [1.0, 2, 2]})
    frame.to_parquet("t.parquet")
    table = quietly("t.parquet", labels="party")
    assert table.row_names.tolist() == ["1001", "1002", "1003"]
    assert table.row_groups.tolist() == ["1", "2", "2"]
    frame.assign(age=[0.0, 3, 1], pear=[2.0, 0, 1]).to_parquet("d.parquet")
    documents = quietly("d.parquet", nbmf.read_documents, labels="party")
    assert documents.row_names.tolist() == ["1001", "1002", "1003"]
    assert documents.row_groups.tolist() == ["1", "2", "2"]
    pd.DataFrame({"d": [7.0, 7, 9], "w": [1.0, 2, 2], "n": [1.0, 4, 2]}).to_parquet("l.parquet")
    documents = quietly("l.parquet", nbmf.read_documents, long=True)
    assert (documents.row_names.tolist(), documents.column_names.tolist()) == (["7", "9"], ["1", "2"])
    assert infer_column_kind([9.0, 9.0]).left_out == "always 9"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("1,204 -55,300", "numbers with commas, before decimals or between thousands, such as '1,204'"),
        ("17% 30%", "percentages, such as '17%'"),
    ],
)
def test_numbers_that_python_does_not_read_are_no_categories(cells, words, here):
    first, second = cells.split()
    (here / "t.csv").write_text("h;w\n" + f"{first};1\n{second};2\n" * 20)
    with pytest.raises(DataError, match=re.escape(words)):
        nbmf.read_table(here / "t.csv")


def test_decimal_commas_are_read_where_they_are_no_commas_between_thousands(here):
    cells = ["157,5", "55", "-1,204", "0,25", "NA"]
    (here / "t.csv").write_text("h;w\n" + "".join(f"{cell};{place}\n" for place, cell in enumerate(cells)))
    table = nbmf.read_table(here / "t.csv", log=lambda line: None)
    assert dict(zip(table.column_names, table.kinds, strict=True))["h"] == "gaussian"
    values = table.values()[:, list(table.column_names).index("h")]
    np.testing.assert_array_equal(values.astype(float), [157.5, 55, -1.204, 0.25, np.nan])
    for others in (["1.5", "2,5"], ["text", "2,5"]):
        assert infer_column_kind(others * 20).kind != "real"


@pytest.mark.parametrize(
    ("first", "are_names"),
    [([1, 2, 3, 4], True), ([1001, 1002, 1003, 1004], True), ([1001, 1002, 1004, 1005], False), ([7, 8], False)],
)
def test_numbers_of_persons_that_count_on_are_names(first, are_names, tmp_path):
    lines = ["id,a,b", *(f"{number},{place % 2},{place / 3}" for place, number in enumerate(first))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    table = nbmf.read_table(tmp_path / "t.csv", log=lambda line: None)
    assert ("id" not in table.column_names) == are_names
