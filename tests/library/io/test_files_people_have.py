"""Files as other software writes them: Excel, SPSS, Stata, JSON, and text in other encodings."""

import csv
import datetime
import gzip
import json
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.io.answers import Answers, AnswersError, detect_answers

GERMAN = "Name;Bücher;Grüße\nJörg;1;0\nZoë;0;1\nÖzil;1;\n"
CODES = [[1, 0], [0, 1], [1, -1]]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path, **options):
    """Return the matrix and what was said, without the first line's file."""
    said = []
    matrix = nbmf.read(path, log=said.append, **options)
    return matrix, said


def refused(path, error=DataError, **options):
    with pytest.raises(error) as caught:
        read(path, **options)
    return str(caught.value)


# Text in other encodings.


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", "text, fields"),
        ("utf-8-sig", "text, fields"),
        ("utf-16", "text in UTF-16, fields"),
        ("utf-16-be", "text in UTF-16 (guessed), fields"),
        ("utf-32", "text in UTF-32, fields"),
        ("latin-1", "text in Windows-1252 or Latin-1 (guessed, since it is not UTF-8), fields"),
        ("cp1252", "text in Windows-1252 or Latin-1 (guessed"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_umlauts_of_every_encoding_are_read_and_the_guess_is_reported(encoding, words, packed, ends, here):
    content = GERMAN.replace("\n", ends).encode(encoding)
    (here / "büro.csv").write_bytes(gzip.compress(content) if packed else content)
    matrix, said = read("büro.csv")
    assert matrix.row_names.tolist() == ["Jörg", "Zoë", "Özil"]
    assert matrix.column_names.tolist() == ["Bücher", "Grüße"]
    assert matrix.codes.tolist() == CODES
    assert words in said[0]


def test_an_encoding_can_be_named(here):
    (here / "dos.csv").write_bytes(GERMAN.encode("cp850"))
    matrix, said = read("dos.csv", encoding="cp850")
    assert matrix.row_names.tolist() == ["Jörg", "Zoë", "Özil"]
    assert said[0].startswith("dos.csv: text in cp850, fields")
    assert "must be an encoding that Python knows" in refused("dos.csv", ConfigError, encoding="rot13")
    (here / "u.csv").write_text("a,b\n1,0\nü,1\n", encoding="utf-8")
    message = refused("u.csv", encoding="ascii")
    assert message == "u.csv, line 3: not ascii (ordinal not in range(128)); save the file as UTF-8, or name its " + (
        "encoding: encoding = ..."
    )
    assert "line 1: not utf-32" in refused("u.csv", encoding="utf-32")
    np.save("v.npy", np.eye(2))
    assert "encoding has no meaning for an NPY file" in refused("v.npy", ConfigError, encoding="utf-8")


def test_tables_and_documents_take_encodings_too(here):
    (here / "t.csv").write_bytes("Größe;Art\n1,5;ä\n2;ö\n2.5;ä\n3.25;ö\n".replace("1,5", "1.5").encode("utf-16"))
    assert nbmf.read_table("t.csv", log=lambda line: None).column_names.tolist() == ["Größe", "Art"]
    (here / "d.csv").write_bytes("wörter;öfter\n1;2\n3;0\n".encode("cp850"))
    table = nbmf.read_documents("d.csv", encoding="cp850", log=lambda line: None)
    assert table.column_names.tolist() == ["wörter", "öfter"]


# Ratings.

RATINGS = "who,q1,q2,q3\nann,5,1,3\nbob,2,4,5\ncem,1,2,4\n"
AGED = "who,age,q1,q2,q3\nann,31,5,1,3\nbob,42,2,4,5\ncem,53,1,2,4\n"
SCALE = "ratings, and no counts. categories = ['1', "


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (
            RATINGS,
            {},
            f"from 1 to 5: {SCALE}'2', '3', '4', '5'] keeps them as ordered categories; above = 3 makes those ",
        ),
        (RATINGS.replace("5", "7").replace("4", "6"), {}, "from 1 to 7: ratings, and no counts. categories"),
        (AGED, {}, f"all values but those of 'age' are whole numbers, from 1 to 5: {SCALE}"),
        (AGED, {}, "'5'], ignore = ['age'] keeps them as ordered categories; above = 3, ignore = ['age'] makes"),
        (RATINGS.replace("2,4", "9,"), {}, "; above = 3, missing = ['9', ''] makes"),
        ("a,b\n1,2\n2,1\n", {}, "1 and 2: two answers. ones = ['1'], zeros = ['2'] takes 1 for a one and 2 for"),
        ("a,b\n1,2\n2,9\n", {}, "1 and 2, and 9: two answers. ones = ['1'], zeros = ['2'], missing = ['9'] takes"),
        ("u,i,r\nx,p,4\nx,q,4\ny,p,1\nz,q,5\n", {"layout": "long"}, f"from 1 to 5: {SCALE}"),
        (
            "a,b\n1,0\n0,99\n1,1\n8,0\n",
            {},
            "0 and 1, and 8, 99: the latter mostly mean missing. missing = ['8', '99'] reads them so; counts = True",
        ),
    ],
)
def test_ratings_are_refused_with_what_reads_them(content, options, words, here):
    (here / "r.csv").write_text(content)
    with pytest.raises(AnswersError, match=re.escape(words)) as caught:
        read("r.csv", **options)
    matrix, _ = read("r.csv", **options, **caught.value.options)
    assert type(matrix) is nbmf.BinaryMatrix
    *in_order, (of_two, _) = caught.value.readings
    assert of_two == caught.value.options
    for arguments, _ in in_order:
        ordered, _ = read("r.csv", **options, **arguments)
        assert type(ordered) is nbmf.CategoryMatrix
        assert ordered.n_observed == matrix.n_observed
    assert type(read("r.csv", **options, counts=True)[0]) is nbmf.CountMatrix


def test_a_single_odd_value_next_to_zeros_and_ones_is_named_with_its_line(here):
    (here / "r.csv").write_text("a,b\n1,0\n0,9\n1,1\n")
    with pytest.raises(DataError, match=r"line 3, column 'b': the value is '9'"):
        read("r.csv")


@pytest.mark.parametrize("title", ["Survey of 2019", "Survey of 2019,,,", "Survey\nby X", '"Survey, 2019"\n,,,\n'])
@pytest.mark.parametrize("names", ["who,2001,2002,2003", "who,a,b,c", ",a,b,c", "a,b,c"])
def test_titles_above_a_table_are_left_out(title, names, here):
    rows = "ann,0,1,1\nbob,1,1,0\ncem,0,0,1\n"
    (here / "titled.csv").write_text(f"{title}\n{names}\n{rows}")
    (here / "plain.csv").write_text(f"{names}\n{rows}")
    matrix, lines = read("titled.csv")
    assert any("above the table ('Survey" in line for line in lines)
    plain, _ = read("plain.csv")
    assert (matrix.codes == plain.codes).all()
    assert matrix.column_names.tolist() == plain.column_names.tolist()
    (here / "wrong.csv").write_text(f"{title}\n{names}\n{rows}dan,0,x,1\n")
    assert f"line {len((here / 'wrong.csv').read_text().splitlines())}, column" in refused("wrong.csv")


@pytest.mark.parametrize("first", ["1,,,", ",yes,,", "0,,,"])
def test_a_row_with_one_value_is_no_title(first, here):
    (here / "rows.csv").write_text(f"{first}\n1,0,1,0\n0,0,1,1\n")
    matrix, lines = read("rows.csv")
    assert matrix.shape == (3, 4)
    assert not any("above the table" in line for line in lines)


def test_ids_in_a_list_are_not_silently_values(here):
    pairs = [(user, item) for user in range(1, 9) for item in range(20, 30)]
    rated = "".join(f"{user},{item},{(user * item) % 7}\n" for user, item in pairs)
    (here / "rated.csv").write_text("user,item,times\n" + rated)
    assert read("rated.csv")[1][2] == "if each line is an entry, and not a row: layout = 'long'"
    matrix, lines = read("rated.csv", layout="long")
    assert matrix.shape == (8, 10)
    assert not any("each line" in line for line in lines)
    (here / "tie.csv").write_text("".join(f"{user},{item}\n" for user, item in pairs))
    assert read("tie.csv", header=False)[1][2] == "if each line is an entry, and not a row: layout = 'presence'"
    (here / "twice.csv").write_text("user,item,times\n" + rated + rated)  # rows of counts may be the same
    assert not any("each line" in line for line in read("twice.csv")[1])


def test_ratings_with_times_but_without_a_header_are_not_silently_a_matrix(here):
    rng = np.random.default_rng(0)
    triples = [(user, item, rng.integers(1, 6)) for user in range(1, 9) for item in range(20, 30)]
    hint = "if each line is an entry, and not a row: layout = 'long'"
    times = rng.integers(880_000_000, 890_000_000, len(triples))
    for name, last in {"u.data": times, "numbers.data": times % 7}.items():
        lines = ["\t".join(map(str, (*triple, value))) for triple, value in zip(triples, last, strict=True)]
        (here / name).write_text("\n".join(lines))
    assert hint in read("u.data")[1]
    matrix, _ = read("u.data", layout="long", above=3)
    np.testing.assert_array_equal(matrix.codes.ravel(), [rating > 3 for *_, rating in triples])
    assert hint not in read("numbers.data", counts=True)[1]  # any four columns of counts may be a matrix


@pytest.mark.parametrize(
    ("values", "is_list", "found"),
    [
        ([1, 2, 3, 4, 5], False, Answers(5)),
        ([1, 2, 3, 5, 9], False, Answers(5, (9,))),
        ([1, 2, 3, 4, 5, 8, 9, 99], False, Answers(5, (8, 9, 99))),
        ([1, 2, 3, 4, 5, 7], False, Answers(7)),
        ([1, 2, 3, 4, 7], False, Answers(4, (7,))),
        ([3, 4, 5], False, Answers(5)),
        (range(1, 11), False, Answers(10)),
        (range(1, 12), False, None),
        ([0, 1, 2, 3], False, None),
        ([1, 2, 3, 6000], False, None),
        ([1, 2, 3, 50], False, None),
        ([1], False, None),
        ([2, 3], False, None),
        ([], False, None),
        ([1, 2, 3, 3], True, Answers(3)),
        ([1, 1, 2, 3], True, None),  # counts fall
        ([1, 2, 2], True, None),
    ],
)
def test_what_is_taken_for_answers(values, is_list, found):
    assert detect_answers(np.array(values, int), is_list) == found


@pytest.mark.parametrize(
    ("numbers", "absent", "found"),
    [
        ({1: 40, 2: 30, 3: 20, 4: 10}, 0, Answers(4)),
        ({1: 40, 2: 30, 3: 20, 4: 10}, 9, Answers(4)),
        ({1: 40, 2: 30, 3: 20, 4: 10}, 10, None),
        ({1: 40, 2: 30, 3: 20, 4: 10}, np.inf, None),
        ({1: 10, 2: 5, 3: 4}, 0, None),  # too few lines
        ({1: 400, 2: 60, 3: 30, 8: 20, 9: 11}, np.inf, Answers(3, (8, 9))),  # votes in the General Assembly
        ({1: 400, 2: 60, 3: 30, 8: 20, 9: 10}, np.inf, None),  # two or three large counts are not more than the threes
        ({1: 400, 2: 10, 3: 5, 8: 10, 9: 10}, np.inf, None),
    ],
)
def test_a_list_in_which_ones_are_most_frequent_has_answers_if_zeros_lack_or_codes_of_gaps_abound(
    numbers, absent, found
):
    values = np.repeat([*numbers], [*numbers.values()])
    assert detect_answers(values, is_list=True, absent=absent) == found


@pytest.mark.parametrize("rate", [0.7, 1.0, 1.5])
def test_lists_of_counts_are_read_as_counts_and_those_of_answers_refused(here, rate):
    rng = np.random.default_rng(7)

    def write(name, values):
        lines = [f"r{f},c{n},{value}" for (f, n), value in np.ndenumerate(values) if value]
        (here / name).write_text("\n".join(["row,column,value", *lines]))
        return name

    counts = write("counts.csv", rng.poisson(rate * rng.gamma(2.0, 0.5, (60, 1)), (60, 12)))
    assert isinstance(nbmf.read(counts, layout="long"), nbmf.CountMatrix)
    answered = rng.random((60, 12)) < 0.95
    answers = write("answers.csv", answered * rng.choice(5, (60, 12), p=[0.4, 0.25, 0.15, 0.1, 0.1]) + answered)
    with pytest.raises(DataError, match="from 1 to 5: ratings, and no counts"):
        nbmf.read(answers, layout="long")
    matrix = nbmf.read(answers, layout="long", above=3)
    assert (matrix.codes == -1).sum() == (~answered).sum()


# Excel.


def workbook(path="votes.xlsx", **sheets):
    """Write sheets, each a list of rows; return the workbook to change it."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return book


VOTES = [["who", "b1", "b2", "b3"], ["Ann", 1, 0, None], ["Bob", True, "no", 1.0], ["Cem", 0, "yes", "NA"]]


def test_a_sheet_is_read_as_a_csv_file():
    workbook(votes=VOTES)
    matrix, said = read("votes.xlsx")
    assert matrix.codes.tolist() == [[1, 0, -1], [1, 0, 1], [0, 1, -1]]
    assert matrix.row_names.tolist() == ["Ann", "Bob", "Cem"]
    assert said[0] == "votes.xlsx: Excel, sheet 'votes'; header in row 1; names of rows in the first column"
    assert len(said) == 2
    assert read("votes.xlsx", header=False, index=True, ignore=None, missing=["b1", "b2", "b3", "NA", ""])
    assert "row 3, column 'b2': the value is 'no'" in refused("votes.xlsx", zeros=["0"])


def test_of_several_sheets_one_is_named():
    workbook(first=[["a", "b"], [1, 0]], empty=[], second=VOTES)
    assert refused("votes.xlsx") == (
        "votes.xlsx: has the sheets 'first', 'empty', 'second'; choose one with name = 'first'"
    )
    matrix, said = read("votes.xlsx", name="second")
    assert matrix.shape == (3, 3)
    assert said[2] == "other sheets: 'first', 'empty'"
    assert refused("votes.xlsx", name="third").endswith("has no sheet 'third', but 'first', 'empty', 'second'")
    assert refused("votes.xlsx", name="empty").endswith("sheet 'empty' is empty")
    workbook(one=VOTES, two=[])  # Excel makes empty ones
    assert read("votes.xlsx")[0].shape == (3, 3)
    table = nbmf.read_table("votes.xlsx", name="one", kinds={"b3": "category"}, log=lambda line: None)
    assert table.row_names.tolist() == ["Ann", "Bob", "Cem"]


def test_what_a_person_does_not_see_in_a_sheet_is_reported(here):
    book = workbook(votes=[[], [None, *VOTES[0], "born"], *([None, *row, None] for row in VOTES[1:2]), []])
    sheet = book["votes"]
    sheet.append([None, "Cem", 0, 1, 1, datetime.datetime(2001, 2, 3)])
    sheet.append([None, "Dan", "=1-1", 1, None, datetime.date(1999, 12, 31)])
    sheet.merge_cells("D6:E6")
    sheet.row_dimensions[5].hidden = True
    sheet.column_dimensions["D"].hidden = True
    book.save("votes.xlsx")
    message = refused("votes.xlsx", ignore=["born"])
    assert "sheet 'votes', cell C6: a formula, '=1-1', whose value is not in the file; open it in a" in message
    calculated("votes.xlsx", "<f>1-1</f><v />", "<f>1-1</f><v>0</v>")
    matrix, said = read("votes.xlsx", ignore=["born"])
    assert matrix.codes.tolist() == [[1, 0, -1], [0, 1, 1], [0, 1, -1]]
    assert said[2:] == [
        "merged cells, of which the first has the value and the others are empty: D6:E6",
        "1 hidden row read as the others: 5",
        "1 hidden column read as the others: D",
        "1 formula read as the value of the last save: C6",
        "2 dates read as a text such as 2020-01-31: F5, F6",
        "left out: 1 row of empty fields",
    ]
    assert "row 5, column 'born': the value is '2001-02-03'" in refused("votes.xlsx")


def test_a_formula_that_came_to_an_empty_text_is_an_empty_cell():
    workbook(votes=[*VOTES[:2], ["Bob", '=IF(1,"","x")', 1, '=" "'], ["Cem", 0, 1, 1]])
    calculated("votes.xlsx", '<c r="B3"><f>IF(1,"","x")</f><v />', '<c r="B3" t="str"><f>IF(1,"","x")</f><v></v>')
    calculated("votes.xlsx", '<c r="D3"><f>" "</f><v />', '<c r="D3" t="str"><f>" "</f><v> </v>')
    matrix, said = read("votes.xlsx")
    assert matrix.codes.tolist() == [[1, 0, -1], [-1, 1, -1], [0, 1, 1]]
    assert "2 formulas read as the value of the last save: B3, D3" in said


def calculated(path, before, after):
    """Put the value of a formula into a workbook, as a spreadsheet program does when it saves."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert any(before.encode() in content for content in members.values())
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content.replace(before.encode(), after.encode()))


def test_names_that_are_missing_or_there_twice_are_reported_by_their_cells():
    workbook(votes=[["who", "b1", None], ["Ann", 1, 0]])
    matrix, said = read("votes.xlsx")
    assert matrix.column_names.tolist() == ["b1", "field 3"]
    assert "1 column without a name, called 'field 3'" in said
    workbook(votes=[["who", "b1", "b1", "c", "c"], ["Ann", 1, 0, 0, 1]])
    message = refused("votes.xlsx")
    assert message.startswith("votes.xlsx, cell C1: the column 'b1' is there already, in cell B1; so is 'c'")


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"PK\x03\x04", "t.xlsx", "t.xlsx: not a complete Excel workbook"),
        (b"a,b\n1,0\n", "t.xlsx", "t.xlsx: its content is not that of an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "t.xlsx", "t.xlsx: an Excel workbook of the old kind, or with a pass"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "t.xls", "t.xls: an Excel workbook of the old kind, or with a password"),
        (b"PK\x03\x04", "t.ods", "t.ods: a spreadsheet; save it as .xlsx"),
        (b"$FL2 and no more", "t.sav", "t.sav: not a complete file of SPSS"),
        (b"<stata_dta> and no more", "t.dta", "t.dta: not a complete file of Stata"),
        (b"s\x02\x01\x00 no more", "t.dta", "t.dta: not a complete file of Stata"),
        (b"a,b\n1,0\n", "t.sav", "t.sav: its content is not that of an SPSS file"),
        (b'[{"a": 1}', "t.json", "t.json: not complete JSON (Expecting ',' delimiter"),
        (b"[[1, 0]]", "t.json", "t.json: JSON of a list with a list in it; needed is a list of records"),
        (b"[]", "t.json", "t.json: no records; needed"),
        (b'{"a": 1}', "t.json", "t.json: JSON of one record with 'a'; needed is"),
        (b'[{"a": 1, "a": 0}]', "t.json", "t.json: the name 'a' is there twice in a record"),
        (b'{"a": 1}\n{"a": 0', "t.json", "t.json, line 2: not complete JSON (Expecting"),
        (b'[{"a": 1, "b": [1]}]', "t.json", "row 1, column 'b': the value is '[1]'"),
        (b"[" * 100000, "t.json", "t.json: JSON of lists in lists"),
    ],
)
def test_damaged_files_are_refused(content, name, words, here):
    (here / name).write_bytes(content)
    assert words in refused(name)


@pytest.mark.parametrize(("package", "extra", "make"), [("openpyxl", "excel", workbook), ("pyreadstat", "spss", None)])
def test_without_a_package_the_message_names_the_extra(package, extra, make, monkeypatch):
    path = "votes.xlsx"
    if make:
        make(votes=VOTES)
    else:
        path = "votes.sav"
        pyreadstat.write_sav(pd.DataFrame({"a": [1.0, 0.0]}), path)
    monkeypatch.setitem(sys.modules, package, None)
    assert f"which is not installed; pip install 'nbmf[{extra}]' (or pip install {package})" in refused(path)


def test_the_content_decides_here_too(here):
    workbook(votes=VOTES)
    (here / "votes.xlsx").rename("votes")
    assert read("votes")[0].shape == (3, 3)
    pd.DataFrame({"a": [1, 0], "b": [0, 1]}).to_json("t.txt", orient="records")
    assert read("t.txt")[0].codes.tolist() == [[1, 0], [0, 1]]


# SPSS and Stata.

N_ITEMS = 200


def survey(answers=(1.0, 2.0)):
    rng = np.random.default_rng(3)
    items = {f"v{n}": rng.choice(answers, 12) for n in range(1, N_ITEMS + 1)}
    frame = pd.DataFrame({"id": np.arange(101.0, 113.0), "sex": rng.choice([1.0, 2.0], 12), **items})
    labels = {"id": "Number", "sex": None} | {
        f"v{n}": f"Do you agree with statement {n}?" for n in range(1, N_ITEMS + 1)
    }
    return frame, labels


def write_spss(frame, labels, values, path="survey.sav", **more):
    items = {name: values for name in frame.columns if name.startswith("v")}
    sexes = {"sex": {1: "female", 2: "male"}}
    pyreadstat.write_sav(frame, path, column_labels=list(labels.values()), variable_value_labels=items | sexes, **more)


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
def test_two_hundred_labelled_items_of_spss(suffix):
    frame, labels = survey()
    frame.loc[2, "v5"], frame.loc[3, "v5"] = np.nan, 9
    ranges = {"v5": [9]}
    write_spss(
        frame,
        labels,
        {1: "Yes", 2: "No", 9: "refused"},
        f"survey{suffix}",
        missing_ranges=ranges,
        row_compress=suffix == ".sav",
        compress=suffix == ".zsav",
    )
    matrix, said = read(f"survey{suffix}", groups="sex")
    assert matrix.shape == (12, N_ITEMS)
    expected = frame.drop(columns=["id", "sex"]).replace({2: 0, 9: -1}).fillna(-1).to_numpy()
    np.testing.assert_array_equal(matrix.codes, expected)
    assert matrix.row_names.tolist() == [str(n) for n in range(101, 113)]
    assert matrix.column_names[6] == "v7: Do you agree with statement 7?"
    assert set(matrix.row_groups) == {"female", "male"}
    assert said[2:] == [
        "values that the file declares missing are missing (1 variable)",
        "names of 201 columns have the label of the variable: 'id: Number'",
        "value labels are read in 200 columns: 1 'Yes', 2 'No', 9 'refused'",
    ]


def test_labels_that_mean_nothing_here_can_be_declared():
    frame, labels = survey((1.0, 2.0))
    frame.loc[0, "v3"] = 9
    write_spss(frame, labels, {1: "Ja", 2: "Nein", 9: "keine Angabe"})
    rows = {"ignore": ["sex"]}
    message = refused("survey.sav", **rows)
    assert "column 'v1' (2 is 'Nein'): the value is '2'; allowed:" in message
    by_label, said = read("survey.sav", ones=["Ja"], zeros=["Nein"], missing=["keine Angabe"], **rows)
    assert "value labels are read in 200 columns: 1 'Ja', 2 'Nein', 9 'keine Angabe'" in said
    by_value, said = read("survey.sav", ones=["1"], zeros=["2"], missing=["keine Angabe"], **rows)
    assert "values are, and not their labels, read in 200 columns: 1 'Ja', 2 'Nein', 9 'keine Angabe'" in said
    np.testing.assert_array_equal(by_label.codes, by_value.codes)
    assert (by_label.codes == -1).sum() == 1
    assert "the value is 'keine Angabe'" in refused("survey.sav", ones=["Ja"], zeros=["Nein"], **rows)


def test_ratings_of_spss_with_an_age():
    frame = survey((1.0, 2.0, 3.0, 4.0, 5.0))[0].rename(columns={"sex": "age"}).assign(age=lambda t: t["age"] + 30)
    labels = {f"v{n}": {1: "disagree", 5: "agree"} for n in range(1, N_ITEMS + 1)}
    pyreadstat.write_sav(frame, "r.sav", column_labels={"age": "Age in years"}, variable_value_labels=labels)
    with pytest.raises(AnswersError, match="all values but those of 'age' are whole numbers, from 1 to 5") as caught:
        read("r.sav")
    assert caught.value.options == {"above": 3, "ignore": ["age"]}
    assert read("r.sav", **caught.value.options)[0].shape == (12, N_ITEMS)


def test_labels_of_a_column_decide_together():
    """1 is "Maybe" here, and no one; where numbers alone have a meaning it is one."""
    frame = pd.DataFrame({"v1": [1.0, 2, 3], "v2": [0.0, 1, 1]})
    labels = {"v1": {1: "Maybe", 2: "Yes", 3: "No"}, "v2": {0: "nicht genannt", 1: "genannt"}}
    pyreadstat.write_sav(frame, "m.sav", variable_value_labels=labels)
    assert "column 'v1': the value is 'Maybe'" in refused("m.sav")
    matrix, _ = read("m.sav", missing=["Maybe"])
    assert matrix.codes.tolist() == [[-1, 0], [1, 1], [0, 1]]


def test_a_first_column_with_value_labels_has_answers_and_no_names():
    pyreadstat.write_sav(
        pd.DataFrame({"v1": [1.0, 2.0], "v2": [2.0, 1.0]}),
        "m.sav",
        variable_value_labels={name: {1: "Ja", 2: "Nein"} for name in ("v1", "v2")},
    )
    matrix, _ = read("m.sav", ones=["Ja"], zeros=["Nein"])
    assert matrix.codes.tolist() == [[1, 0], [0, 1]]


def test_options_name_columns_by_variable_or_by_name():
    frame, labels = survey((0.0, 1.0))
    write_spss(frame, labels, {0: "nicht genannt", 1: "genannt"})
    by_variable, _ = read("survey.sav", ignore=["v1", "sex"])
    by_name, _ = read("survey.sav", ignore=["v1: Do you agree with statement 1?", "sex"])
    np.testing.assert_array_equal(by_variable.codes, by_name.codes)
    assert by_variable.shape == (12, N_ITEMS - 1)
    table = nbmf.read_table(
        "survey.sav",
        ignore=["id", "sex", *(f"v{n}" for n in range(3, 201))],
        kinds={"v1": "category"},
        log=lambda line: None,
    )
    assert table.column_names.tolist() == [f"v{n}: Do you agree with statement {n}?" for n in (1, 2)]


@pytest.mark.parametrize("version", [114, 118])
def test_stata_with_labels(version):
    frame = pd.DataFrame({"who": ["Ann", "Bob", "Cem"], "v1": [1, 2, 1], "v2": [0.0, 1.0, np.nan]})
    frame.to_stata(
        "s.dta",
        write_index=False,
        version=version,
        variable_labels={"v1": "Likes it"},
        value_labels={"v1": {1: "yes", 2: "no"}},
    )
    matrix, said = read("s.dta")
    assert matrix.codes.tolist() == [[1, 0], [0, 1], [1, -1]]
    assert matrix.column_names.tolist() == ["v1: Likes it", "v2"]
    assert said[0].startswith("s.dta: Stata; names of rows in the first column")
    assert "value labels are read in 1 column: 1 'yes', 2 'no'" in said


def test_labels_of_stata_that_are_the_same_are_not_used():
    frame = pd.DataFrame({"v1": [1, 0, 1], "v2": [0, 1, 1]})
    frame.to_stata("s.dta", write_index=False, value_labels={"v1": {0: "x", 1: "y"}})
    content = Path("s.dta").read_bytes()
    assert b"x\0y\0" in content
    Path("s.dta").write_bytes(content.replace(b"x\0y\0", b"y\0y\0"))
    matrix, said = read("s.dta")
    assert matrix.codes.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert "two values of a variable have the same label, so that value labels are not used" in said


def test_values_of_spss_with_the_same_label_stay_different_and_that_is_said():
    frame = pd.DataFrame({"g": [1.0, 2, 3, 1] * 3, "h": [8.0, 9, 1, 2] * 3, "v1": [0.0, 1, 1] * 4, "v2": [1.0, 0] * 6})
    labels = {"g": {1: "Other", 2: "Labour", 3: "Other", 4: "Labour"}, "h": {1: "yes", 2: "no", 8: "NA", 9: "NA"}}
    pyreadstat.write_sav(frame, "g.sav", variable_value_labels=labels)
    note = "values with the same label are distinguished in 1 column: 'Other (1)', 'Other (3)'"
    matrix, said = read("g.sav", groups="g")
    assert matrix.row_groups.tolist() == ["Other (1)", "Labour", "Other (3)", "Other (1)"] * 3
    assert matrix.codes[:4, 0].tolist() == [-1, -1, 1, 0]
    assert note in said
    said = []
    table = nbmf.read_table("g.sav", log=said.append)
    assert set(table.categories.tolist()) == {"Other (1)", "Labour", "Other (3)", "no", "yes", "0", "1"}
    assert note in said
    assert not any("distinguished" in line for line in read("g.sav", ignore=["g"])[1])


# JSON.

RECORDS = [{"who": "Ann", "q1": 1, "q2": False}, {"who": "Bob", "q1": 0, "q2": None}, {"who": "Cem", "q2": True}]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_records_of_json(lines, encoding, here):
    text = "\n".join(map(json.dumps, RECORDS)) if lines else json.dumps(RECORDS, indent=1)
    (here / "r.json").write_bytes(text.replace("Ann", "Änn").encode(encoding))
    matrix, said = read("r.json")
    assert matrix.codes.tolist() == [[1, 0], [0, -1], [-1, 1]]
    assert matrix.row_names.tolist() == ["Änn", "Bob", "Cem"]
    assert "1 name not in all records, and missing there: 'q1' lacks in 1" in said


# What was read as something else once.


def test_ratings_of_a_list_that_are_cut_leave_what_was_not_rated_missing(here):
    lines = [f"u{f},m{n},{5 - (f * n) % 5}" for f in range(8) for n in range(6) if (f + n) % 3]
    (here / "rated.csv").write_text("user,movie,rating\n" + "\n".join(lines) + "\n")
    assert "ratings, and no counts. categories = " in refused("rated.csv", layout="long")
    matrix, said = read("rated.csv", layout="long", above=3)
    assert matrix.n_observed == len(lines)
    assert any("pairs without a record are missing, since values are answers, from 1 to 5" in line for line in said)
    matrix, _ = read("rated.csv", layout="long", above=3, absent="zeros")
    assert matrix.n_observed == 48
    bought = "\n".join(f"u{f},m{n},{1 + (f * n) % 7 // 5}" for f in range(8) for n in range(6) if (f + n) % 3)
    (here / "bought.csv").write_text("user,item,times\n" + bought + "\n")
    assert read("bought.csv", layout="long", above=0)[0].n_observed == 48  # purchases: nothing is missing


@pytest.mark.parametrize("ends", ["", ","])
def test_a_delimiter_at_the_end_of_lines_moves_no_name(ends, here):
    (here / "ends.csv").write_text("name,q1,q2\n" + "".join(f"{line}{ends}\n" for line in ("A,1,0", "B,0,1", "C,1,1")))
    matrix, said = read("ends.csv")
    assert list(matrix.column_names) == ["q1", "q2"]
    assert matrix.codes.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert any("1 column without a name" in line for line in said) == bool(ends)
    (here / "r.csv").write_text("q1,q2\nA,1,0\nB,0,\nC,1,1\n")  # as R writes names of rows, the last value missing
    assert read("r.csv")[0].codes.tolist() == [[1, 0], [0, -1], [1, 1]]


@pytest.mark.parametrize(
    ("labels", "options", "codes"),
    [
        ({0: "None", 1: "1", 2: "2", 3: "3"}, {"counts": True}, [0, 1, 2, 3, 0, 1]),
        ({0: "None", 1: "Yes"}, {}, [0, 1, -1, -1, 0, 1]),
        ({1: "Never", 2: "2", 3: "Always"}, {"above": 1}, [-1, 0, 1, 1, -1, 0]),
        ({1: "Yes", 2: "No", 3: "NA"}, {}, [-1, 1, 0, -1, -1, 1]),
        ({1: "Yes", 2: "No", 3: "Refused"}, {"missing": ["Refused", ""]}, [-1, 1, 0, -1, -1, 1]),
    ],
)
def test_a_label_that_may_mean_missing_decides_nothing_alone(labels, options, codes):
    values = {0.0, 1.0, 2.0, 3.0} if 0 not in labels or len(labels) > 2 else {0.0, 1.0}
    given = [value if value in values and (value in labels) else np.nan for value in (0.0, 1.0, 2.0, 3.0, 0.0, 1.0)]
    frame = pd.DataFrame({"v": given, "w": given[::-1]})
    pyreadstat.write_sav(frame, "labels.sav", variable_value_labels={"v": labels, "w": labels})
    matrix, _ = read("labels.sav", index=False, **options)
    found = np.full(6, -1)
    place = [int(name.removeprefix("row ")) for name in matrix.row_names]
    found[place] = getattr(matrix, matrix.field)[:, 0]
    assert found.tolist() == codes


def test_fields_separated_by_two_colons_are_those_of_movielens(here):
    Path("ratings.dat").write_text("1::1193::5::978300760\n1::661::3::978302109\n2::1193::4::978298413\n")
    V, said = read("ratings.dat", layout="long", above=3, absent="missing")
    assert "fields separated by two colons" in said[0]
    np.testing.assert_array_equal(V.codes, [[1, 0], [1, -1]])
    assert V.row_names.tolist() == ["1", "2"]
    assert V.column_names.tolist() == ["1193", "661"]
    with pytest.raises(DataError, match=r"separated by two colons; write commas or tabs, or take nbmf\.read"):
        nbmf.read_sparse("ratings.dat")


@pytest.mark.parametrize("name", ["std::a::b", "HLA::A::B"])
def test_two_colons_in_names_separate_nothing_next_to_commas(name, here):
    Path("votes.csv").write_text(f"who,{name},x\nann,1,0\nbob,0,1\n")
    assert read("votes.csv")[0].column_names.tolist() == [name, "x"]


def test_calls_of_variants_are_named(here):
    Path("genotypes.vcf").write_text("##fileformat=VCFv4.2\n#CHROM\tPOS\n1\t5\n")
    assert "a VCF file, which is not read; plink2" in refused("genotypes.vcf")


# Surveys.

QUALTRICS = (
    ["StartDate", "Status", "ResponseId", "Q1", "Q2_1", "condition", "UserLanguage"],
    [
        "Start Date",
        "Response Type",
        "Response ID",
        "Do you\nagree?",
        "Which? - Selected: A",
        "condition",
        "User Language",
    ],
    [
        json.dumps({"ImportId": origin})
        for origin in ("startDate", "status", "_recordId", "QID1", "QID4_1", "condition", "userLanguage")
    ],
    ["2024-01-01 10:00", "IP Address", "R_1", "Yes", "No", "1", "EN"],
    ["2024-01-01 10:00", "IP Address", "R_2", "", "Yes", "0", "EN"],
    ["2024-01-02 11:00", "IP Address", "R_3", "No", "No", "1", "EN"],
)


def write_survey(path, records):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(records)


def test_answers_of_a_survey_of_qualtrics_are_read_by_respondents():
    write_survey("survey.csv", QUALTRICS)
    matrix, said = read("survey.csv")
    np.testing.assert_array_equal(matrix.codes, [[1, 0, 1], [-1, 1, 0], [0, 0, 1]])
    assert matrix.row_names.tolist() == ["R_1", "R_2", "R_3"]
    assert matrix.column_names.tolist() == ["Q1", "Q2_1", "condition"]
    words = "of a survey of Qualtrics its rows of questions and of origins, and 3 columns that it records itself"
    assert any(words in str(line) for line in said)


def test_a_survey_with_a_short_record_or_a_wrong_value_tells_where_in_the_file():
    write_survey("short.csv", [*QUALTRICS, QUALTRICS[-1][:-1]])
    assert refused("short.csv").startswith("short.csv, line 8: 6 fields instead of 7")
    write_survey("wrong.csv", [*QUALTRICS, [*QUALTRICS[-1][:2], "R_4", "perhaps", *QUALTRICS[-1][4:]]])
    assert "line 8" in refused("wrong.csv")


def test_a_name_that_is_there_twice_is_placed_in_the_file():
    write_survey("twice.csv", [[*QUALTRICS[0][:4], "Q1", *QUALTRICS[0][5:]], *QUALTRICS[1:]])
    assert "line 1, field 5" in refused("twice.csv")
    pd.read_csv("twice.csv", header=None).to_excel("twice.xlsx", header=False, index=False)
    assert "cell E1" in refused("twice.xlsx")


def test_a_third_record_of_many_brackets_is_no_origin():
    Path("deep.csv").write_text("who,a,b\nann,1,0\nbob," + "[" * 100_000 + ",1\n")
    assert "line 3" in refused("deep.csv")


def test_a_table_whose_third_record_tells_no_origin_of_respondents_is_no_survey():
    write_survey("table.csv", [*QUALTRICS[:2], [field.replace("_recordId", "other") for field in QUALTRICS[2]]])
    refused("table.csv")


RAW = """FID IID PAT MAT SEX PHENOTYPE rs1_A rs1_HET rs2_G rs2_HET
F1 1 0 0 1 2 0 0 2 0
F1 2 0 0 2 1 1 1 NA NA
F2 1 0 0 2 -9 2 0 1 1
0 S7 0 0 1 1 0 0 0 0
S8 S8 0 0 1 1 1 1 0 0
"""


def test_genotypes_of_plink_are_those_of_the_variants_alone():
    """Parents, sex and phenotype were read as variants, 2 as missing, and samples were named by their families."""
    Path("g.raw").write_text(RAW)
    matrix, said = read("g.raw", above=0)
    assert matrix.row_names.tolist() == ["F1_1", "F1_2", "F2_1", "S7", "S8"]
    assert matrix.column_names.tolist() == ["rs1_A", "rs2_G"]
    np.testing.assert_array_equal(matrix.codes, [[0, 1], [1, -1], [1, 1], [0, 0], [1, 0]])
    assert said[-1] == "left out: of genotypes of PLINK 6 columns about samples and heterozygosity"
    copies, _ = read("g.raw", categories=["0", "1", "2"])
    np.testing.assert_array_equal(copies.ranks[:, 0], [0, 1, 2, 0, 1])


def test_what_an_export_leaves_out_may_be_groups_and_may_be_ignored():
    Path("g.raw").write_text(RAW)
    matrix, _ = read("g.raw", above=0, groups="SEX", ignore=["PHENOTYPE"])
    assert matrix.row_groups.tolist() == ["1", "2", "2", "1", "1"]
    assert matrix.column_names.tolist() == ["rs1_A", "rs2_G"]


def test_samples_of_plink_that_are_numbered_are_no_variant():
    Path("g.raw").write_text("FID IID PAT MAT SEX PHENOTYPE rs1_A rs2_G\n3 3 0 0 1 -9 0 1\n1 1 0 0 2 -9 1 0\n")
    matrix, _ = read("g.raw")
    assert matrix.row_names.tolist() == ["3", "1"]
    assert matrix.shape == (2, 2)


def write_survey_of_survey_monkey(one, zero, path="s.csv"):
    """Write a survey as SurveyMonkey exports it: a question above the first of its choices, those in a second line."""
    with Path(path).open("w", newline="") as file:
        lines = csv.writer(file)
        questions = ["Which do you drink?", "", "Which do you buy?", "", "Do you smoke?"]
        lines.writerow(["Respondent ID", "Collector ID", "Start Date", "Custom Data 1", *questions])
        lines.writerow(["", "", "", "", "Coffee", "Tea", "Coffee", "Beer, wine", "Response"])
        for number, answers in ((118, "10110"), (117, "01001"), (119, "11100")):
            cells = [one if answer == "1" else zero for answer in answers]
            lines.writerow([str(number), "44", "03/01/2024", "", *cells])


def test_the_choices_of_a_survey_of_survey_monkey_are_columns():
    """The line of choices was read as a respondent's, and a date that all have as a choice."""
    write_survey_of_survey_monkey("1", "0")
    matrix, said = read("s.csv")
    assert matrix.row_names.tolist() == ["118", "117", "119"]
    drink, buy = "Which do you drink?: Coffee", "Which do you buy?: Coffee"
    assert matrix.column_names.tolist() == [drink, "Tea", buy, "Beer, wine", "Do you smoke?"]
    np.testing.assert_array_equal(matrix.codes, [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 1, 1, 0, 0]])
    assert said[-1] == "left out: of a survey of SurveyMonkey 3 columns that it records itself"
    write_survey_of_survey_monkey("x", "")
    ticked, said = read("s.csv", ones=["x"], zeros=[""], groups="Collector ID")
    np.testing.assert_array_equal(ticked.codes, matrix.codes)
    assert "header in line 1" in said[0]
    assert ticked.row_groups.tolist() == ["44"] * 3
