"""The command line on files as people have them: what does not fit, and a command that works."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
import small_picture
from command_line import run

import nbmf

pytestmark = pytest.mark.usefixtures("quick_pictures")

ROWS = 40


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    return tmp_path


def people():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(ROWS)],
            "age": rng.integers(18, 80, ROWS),
            "sex": rng.choice(["female", "male"], ROWS),
            "born": [f"2001-02-{1 + i % 28:02}" for i in range(ROWS)],
            "note": [f"a note of number {i}" for i in range(ROWS)],
        }
    )


def answers(values, columns=12):
    drawn = np.random.default_rng(4).choice(values, (ROWS, columns))
    return pd.DataFrame(drawn, columns=[f"q{n}" for n in range(columns)])


def command_of(said):
    """Return the one command below "next:", of ratings the second, after that which keeps them as categories.

    The last one has a column for groups that the others ignore.
    """
    lines = said.partition("\nnext:\n")[2].strip().splitlines()
    *others, line = [each for each in lines if "--groups" not in each or "--groups" in lines[0]]
    assert len(others) == ("--above" in line)
    assert all("--categories 1 2 3 4 5" in other for other in others)
    assert line.strip().startswith("nbmf ")
    return shlex.split(line)[1:]


MISFITS = [
    "  age: numbers from",
    "  sex: 2 different texts: '",
    "  born: dates, such as",
    f"  note: {ROWS} different texts",
]


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (answers([0, 1]), "", "the other 12 have zeros and ones"),
        (answers([0, 1]).astype(object).replace({0: "no", 1: "yes"}), "", "the other 12 have zeros and ones"),
        (answers([0, 1, 1, 1, 0, 7]), "--missing 7", "zeros and ones; '7' is taken to mean missing"),
        (answers(["Ja", "Nein"]), "--ones Ja --zeros Nein", "'Ja' and 'Nein', of which 'Ja' is taken for a one"),
        (answers(["non", "oui", ""]), "--ones oui --zeros non", "'oui' and 'non'"),
        (answers([1, 2]), "--ones 1 --zeros 2", "'1' and '2', of which '1' is taken for a one"),
        (answers([1, 2, 3, 4, 5]), "--above 3", "ratings, of which those above 3 are taken for ones"),
        (
            answers(["1", "2", "4", "5", "9", "NA"]),
            "--missing 9 --missing NA --above 3",
            "'9' and 'NA' are taken to mean",
        ),
        (answers(["pass", "fail"]), "--ones pass --zeros fail", "of which 'pass' is taken for a one --"),
        (answers(["P", "A"]), "--ones P --zeros A", "of which 'P' is taken for a one --"),
        (answers([0, 100]), "--ones 100 --zeros 0", "of which '100' is taken for a one --"),
        (answers(["0,0", "1,0"]), "--ones 1,0 --zeros 0,0", "of which '1,0' is taken for a one --"),
        (
            answers(["ja", "ja", "nein", "nein", "weiß nicht"]),
            "--ones ja --zeros nein --missing 'weiß nicht'",
            "'ja' and 'nein', of which 'ja' is taken for a one; 'weiß nicht' is taken to mean missing, ",
        ),
        (
            answers(["Yea", "Yea", "Nay", "Nay", "Absent", "Present", ""]),
            "--ones Yea --zeros Nay --missing Absent --missing Present --missing ''",
            "'Absent', 'Present' and nothing are taken to mean missing",
        ),
        (answers(["left", "right"]), "--ones left --zeros right", "'left' is taken for a one, a guess --"),
    ],
)
def test_info_lists_what_does_not_fit_and_a_command_that_works(table, options, words, capsys):
    pd.concat([people(), table], axis=1).to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert "s.csv: 4 columns do not fit a matrix\n" in said
    for line in MISFITS:
        assert f"\n{line}" in said
    assert said.count("(as groups: --groups sex)") == said.count("as groups") == 1
    assert words in " ".join(said.replace("\n\nnext:", " --").split())
    command = command_of(said)
    assert command[:2] == ["fit", "s.csv"]
    assert shlex.join(command[2:]) == f"{options} --ignore age --ignore sex --ignore born --ignore note".strip()
    run(capsys, *command, "--no-check", "--iterations", "3", "--components", "2")


@pytest.mark.parametrize(
    ("values", "commands", "words"),
    [
        ([0, 1, 2, 3], ["--categories 0 1 2 3", "--above 1", "--counts"], "whole numbers from 0 to 3: answers in"),
        (
            [0.0, 1.0, 2.0, np.nan],
            ["--categories 0 1 2", "--above 1", "--above 0", "--counts"],
            "of genotypes those above 0",
        ),
        (
            [-9, 0, 1, 2, 3],
            ["--missing -9 --categories 0 1 2 3", "--missing -9 --above 1", "--missing -9 --counts"],
            "'-9' is taken to mean missing",
        ),
        ([-1, 0, 1, 2, 3], ["--categories 0 1 2 3", "--above 1", "--counts"], "from 0 to 3"),  # -1 means missing
        ([-2, -1, 0, 1, 2], ["--categories -2 -1 0 1 2"], "whole numbers from -2 to 2"),
    ],
)
def test_info_of_marks_from_zero_on_keeps_their_order_and_all_of_them(values, commands, words, capsys):
    """They are no zeros and ones of which the others are missing."""
    answers(values).to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert words in " ".join(said.split())
    found = [line.strip() for line in said.splitlines() if line.startswith("  nbmf fit")]
    assert found == [f"nbmf fit s.csv {options}" for options in commands]
    for command in found:
        run(capsys, *shlex.split(command)[1:], "--no-check", "--iterations", "3", "--components", "2")


@pytest.mark.parametrize(("other", "values"), [("persons", range(1, 41)), ("household", [1, 2, 5, 6] * 10)])
def test_a_column_of_other_numbers_does_not_make_answers_longer(other, values, capsys):
    table = answers([0, 1, 2, 3])
    table.insert(4, other, list(values))
    table["town"] = ["x", "y", "z", "x"] * 10
    table.to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert f"  {other}: numbers from 1 to " in said
    assert f"nbmf fit s.csv --categories 0 1 2 3 --ignore {other} --ignore town\n" in said


def test_a_question_that_nobody_answers_with_0_is_one_of_the_others_and_sex_is_none(capsys):
    table = answers([0, 1, 2, 3]).assign(q5=[1, 2, 3, 3] * 10, sex=[1, 2] * 20)
    table.to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert "s.csv: 1 column does not fit a matrix\n  sex: 1 and 2 alone, among ratings\n" in said
    assert "nbmf fit s.csv --categories 0 1 2 3 --ignore sex\n" in said


def test_a_code_of_gaps_makes_no_counts_of_answers(capsys):
    answers([0, 1, 2, 3, 9]).assign(town=["x", "y", "z", "x"] * 10).to_csv("s.csv", index=False)
    found = [line.strip() for line in run(capsys, "info", "s.csv").out.splitlines() if line.startswith("  nbmf fit")]
    assert found[0] == "nbmf fit s.csv --missing 9 --categories 0 1 2 3 --ignore town"
    assert found[-2] == "nbmf fit s.csv --missing 9 --counts --ignore town"
    assert found[-1] == "nbmf fit s.csv --missing 9 --categories 0 1 2 3 --groups town"


def test_whole_numbers_from_0_to_4_and_more_next_to_texts_are_counts_first(capsys):
    table = pd.DataFrame(np.random.default_rng(1).poisson(1.2, (60, 12)).clip(max=4)).add_prefix("s")
    table.insert(5, "site", ["a", "b", "c"] * 20)
    table.to_csv("s.csv", index=False)
    found = [line.strip() for line in run(capsys, "info", "s.csv").out.splitlines() if line.startswith("  nbmf fit")]
    assert found[0] == "nbmf fit s.csv --counts --ignore site"
    assert found[1] == "nbmf fit s.csv --categories 0 1 2 3 4 --ignore site"


@pytest.mark.parametrize(
    ("pair", "one", "is_guess"),
    [
        (["0", "x"], "x", True),
        (["yes", "never"], "yes", False),
        (["M", "F"], "M", True),
        (["y", "n"], "y", False),
        (["Selected", "Not selected"], "Selected", False),
    ],
)
def test_which_of_two_answers_is_a_one(pair, one, is_guess, capsys):
    answers(pair).to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert f"of which {one!r} is taken for a one" in said
    assert ("a guess" in said) == is_guess
    assert command_of(said)[2:4] == ["--ones", one]


def test_labelled_marks_and_codes_behind_labels(capsys):
    """Labels of more than two answers are marks; of two without a word that is known the codes say which is a one."""
    marks = {f"q{n}": {0: "never", 1: "seldom", 2: "often", 3: "always"} for n in range(12)}
    pyreadstat.write_sav(answers([0.0, 1.0, 2.0, 3.0]), "m.sav", variable_value_labels=marks)
    assert "nbmf fit m.sav --categories 0 1 2 3\n" in run(capsys, "info", "m.sav").out
    two = {f"q{n}": {1: "zig", 2: "zag"} for n in range(12)}
    pyreadstat.write_sav(answers([1.0, 2.0]), "t.sav", variable_value_labels=two)
    assert "'zig' is taken for a one\n" in run(capsys, "info", "t.sav").out


def test_a_two_in_one_column_of_many_is_taken_to_mean_missing(capsys):
    table = answers([0, 1])
    table.iloc[3, 1] = 2
    table.to_csv("s.csv", index=False)
    assert command_of(run(capsys, "info", "s.csv").out)[2:] == ["--missing", "2"]


def test_info_where_no_column_has_names(capsys):
    table = pd.concat([people()[["sex", "age"]], answers([0, 1])], axis=1)
    table.to_csv("s.csv", index=False)
    command = command_of(run(capsys, "info", "s.csv").out)
    assert shlex.join(command[2:]) == "--no-index --ignore sex --ignore age"
    run(capsys, "info", *command[1:])


def test_info_of_ratings_with_a_column_of_one_and_two(capsys):
    pd.concat(
        [people()[["id"]], answers([1, 2], 1).rename(columns={"q0": "sex"}), answers([1, 2, 3, 4, 5])], axis=1
    ).to_csv("s.csv", index=False)
    said = run(capsys, "info", "s.csv").out
    assert "  sex: 1 and 2 alone, among ratings\n" in said
    assert shlex.join(command_of(said)[2:]) == "--above 3 --ignore sex"


def test_info_of_labelled_answers(capsys):
    table = pd.concat([people()[["id", "age"]], answers([1.0, 2.0])], axis=1)
    labels = {name: {1: "Nein", 2: "Ja"} for name in table.columns[2:]}
    pyreadstat.write_sav(
        table, "s.sav", variable_value_labels=labels, column_labels=[f"The {n}" for n in table.columns]
    )
    said = run(capsys, "info", "s.sav").out
    assert "s.sav: 1 column does not fit a matrix\n  age: numbers from" in said
    command = command_of(said)
    assert shlex.join(command[2:]) == "--ones Ja --zeros Nein --ignore age"
    out = run(capsys, "info", *command[1:]).out
    assert "value labels are read in 12 columns: 1 'Nein', 2 'Ja'" in out


def test_info_of_labelled_answers_next_to_another_column_with_the_same_codes(capsys):
    """Sex is 1 or 2 as the answers are; labels say that it is no answer, and which of these is a one."""
    codes = pd.DataFrame(np.random.default_rng(0).integers(1, 3, (30, 8)).astype(float)).add_prefix("v")
    codes["sex"], codes["age"] = [1.0, 2.0] * 15, np.arange(20.0, 50.0)
    labels = {f"v{n}": {1.0: "No", 2.0: "Yes"} for n in range(8)} | {"sex": {1.0: "male", 2.0: "female"}}
    pyreadstat.write_sav(codes, "q.sav", variable_value_labels=labels)
    out = run(capsys, "info", "q.sav").out
    assert "q.sav: SPSS; " in out
    assert "  sex: 2 different texts: 'male', 'female' (as groups: --groups sex)\n" in out
    command = next(line for line in out.splitlines() if "nbmf fit" in line).strip()
    assert command == "nbmf fit q.sav --ones Yes --zeros No --ignore sex --ignore age"
    read = nbmf.read("q.sav", ones=["Yes"], zeros=["No"], ignore=["sex", "age"], log=lambda line: None)
    np.testing.assert_array_equal(read.codes, codes.filter(like="v").to_numpy() == 2)


@pytest.mark.parametrize(
    "labels",
    [
        {1.0: "No", 2.0: "Yes", 8.0: "Don't know"},
        {1.0: "Negative", 2.0: "Positive", 3.0: "Equivocal"},
        {1.0: "Not selected", 2.0: "Selected", 9.0: "Skipped"},
    ],
)
def test_labels_say_which_of_three_codes_is_a_one_and_which_is_missing(labels, capsys):
    """By their codes 1 was a one: noes were ones, or positives missing."""
    codes = pd.DataFrame(np.random.default_rng(0).choice([*labels], (40, 6), p=[0.6, 0.3, 0.1])).add_prefix("v")
    pyreadstat.write_sav(codes, "q.sav", variable_value_labels=dict.fromkeys(codes, labels))
    zero, one, other = labels.values()
    command = command_of(run(capsys, "info", "q.sav").out)
    assert command[2:8] == ["--ones", one, "--zeros", zero, "--missing", other]
    read = nbmf.read("q.sav", ones=[one], zeros=[zero], missing=[other, ""], log=lambda line: None)
    np.testing.assert_array_equal(read.codes, codes.replace(dict(zip(labels, (0, 1, -1), strict=True))).to_numpy())


def test_info_of_rows_named_twice_says_so(capsys):
    Path("twice.csv").write_text("name,q1,q2,q3\na,1,0,1\nb,0,1,0\na,1,1,0\n")
    out = run(capsys, "info", "twice.csv").out
    assert "twice.csv, line 4: the row 'a' is there already, in line 2\n" in out
    assert "nbmf fit twice.csv --no-index --ignore name\n" in out


def test_counts_of_rows_named_twice_are_refused_for_the_names_first(capsys):
    counts = np.random.default_rng(0).negative_binomial(1, 0.05, (30, 6))
    names = [f"r{n % 29}" for n in range(30)]
    pd.DataFrame(counts, pd.Index(names, name="id"), list("abcdef")).to_csv("twice.csv")
    said = run(capsys, "fit", "twice.csv", code=2).err
    assert said.startswith("nbmf: error: twice.csv, line 31: the row 'r0' is there already, in line 2")
    out = run(capsys, "info", "twice.csv").out
    assert "twice.csv, line 31: the row 'r0' is there already, in line 2\n" in out
    assert "the other 6 have counts\n" in out


def test_info_takes_a_few_words_among_counts_for_missing_and_no_numbers(capsys):
    cells = np.random.default_rng(0).negative_binomial(1, 0.05, (30, 8)).astype(object)
    cells[1, 1], cells[4, 4], cells[6, 1], cells[8, 2] = "n.a.", "#N/A", "NA", "1,204"
    names = pd.Index([f"r{n}" for n in range(30)], name="id")
    pd.DataFrame(cells, names, list("abcdefgh")).to_csv("counts.tsv", sep="\t")
    out = run(capsys, "info", "counts.tsv").out
    assert "  c: numbers, but for '1,204'\n" in out  # which a person mends
    assert "the other 7 have counts; '#N/A', 'n.a.' and 'NA' are taken to mean missing\n" in out
    command = next(line for line in out.splitlines() if line.startswith("  nbmf fit"))
    assert command == "  nbmf fit counts.tsv --missing '#N/A' --missing n.a. --missing NA --counts --ignore c"
    options = {"missing": ["#N/A", "n.a.", "NA"], "counts": True, "ignore": ["c"]}
    assert (~nbmf.read("counts.tsv", **options, log=lambda line: None).observed).sum() == 3


def test_info_says_how_a_file_was_understood_and_names_options_as_they_are_typed(capsys):
    words = "who,ä,ö\nAnn,Ja,Nein\nBob,Nein,Ja\nEve,Ja,Ja\n"
    Path("umlauts.csv").write_bytes(words.encode("latin-1"))
    assert "umlauts.csv: text in Windows-1252 or Latin-1 (guessed" in run(capsys, "info", "umlauts.csv").out
    ratings = pd.DataFrame(np.random.default_rng(0).integers(1, 6, (30, 8)), [f"p{f}" for f in range(30)])
    ratings.add_prefix("q").to_csv("ratings.csv")
    assert "above = " not in run(capsys, "info", "ratings.csv").out


def test_a_fit_of_ratings_names_the_command_and_asks_nothing(capsys):
    pd.concat([people()[["id"]], answers([1, 2, 3, 4, 5])], axis=1).to_csv("s.csv", index=False)
    said = run(capsys, "fit", "s.csv", "--no-check", code=2).err
    (line,) = said.splitlines()
    commands = re.search(
        r"Type one of: (nbmf fit .*) \(keeps their order\); (nbmf fit .*) \(makes ones and zeros\)$", line
    )
    assert commands.groups() == (
        "nbmf fit s.csv --categories 1 2 3 4 5 --no-check",
        "nbmf fit s.csv --above 3 --no-check",
    )
    for command in commands.groups():
        run(capsys, *shlex.split(command)[1:], "--iterations", "3", "--components", "2", "--force")


def test_a_fit_of_a_column_that_does_not_fit_points_to_info(capsys):
    pd.concat([people(), answers([0, 1])], axis=1).to_csv("s.csv", index=False)
    said = run(capsys, "fit", "s.csv", code=2).err
    assert "column 'age': the value is" in said
    assert said.endswith("nbmf info s.csv says what does not fit, and what to type\n")
    assert "as a matrix of counts" not in said  # which nobody thinks of: there are texts


def test_a_table_of_several_kinds_is_a_table_as_before(capsys):
    people().drop(columns=["note", "born"]).to_csv("t.csv", index=False)
    assert "but a table" in run(capsys, "info", "t.csv").out


# Where results go.


QUICK = ["--no-check", "--iterations", "3", "--components", "2"]


def test_results_are_next_to_the_file(here, capsys):
    (here / "data").mkdir()
    answers([0, 1]).to_csv("data/s.csv")
    out = run(capsys, "fit", "data/s.csv", *QUICK).out
    assert out.endswith("written to data/s.nbmf/; start with report.html\n")
    assert (here / "data/s.nbmf/W.csv").exists()


def test_results_are_here_where_nothing_can_be_written_there(here, capsys, monkeypatch):
    (here / "data").mkdir()
    answers([0, 1]).to_csv("data/s.csv")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    out = run(capsys, "fit", "data/s.csv", *QUICK).out
    assert out.endswith("written to s.nbmf/; start with report.html\n")


@pytest.mark.parametrize(
    "command", [("fit", "s.csv", *QUICK), ("cluster", "t.csv", "--no-check", "--components", "2", "--model", "mnb")]
)
def test_a_workbook_has_all_tables_and_no_formula(command, here, capsys):
    table = answers([0, 1]).rename(columns={"q0": "=1+1", "q1": "@x", "q2": "bell \a"})
    table.index = ["-row", "+row", *(f"p{i}" for i in range(2, ROWS))]
    table.to_csv("s.csv")
    people()[["age", "sex"]].rename(columns={"sex": "=sex"}).to_csv("t.csv", index=False)
    out = run(capsys, *command, "--out", "all/tables.xlsx").out
    (folder,) = (path for path in (here / "all").iterdir() if path.is_dir())
    assert folder.name in ("tables.nbmf", "tables.clusters")
    assert out.endswith("\nall tables are sheets of all/tables.xlsx\n")
    book = openpyxl.load_workbook("all/tables.xlsx")
    assert set(book.sheetnames) == {path.stem for path in folder.glob("*.csv")}
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    values = {cell.value for cell in cells}
    if command[0] == "fit":
        assert {"=1+1", "@x", "-row", "+row", "bell "} <= values
        for name in ("W", "expectation"):
            rows = list(book[name].iter_rows(values_only=True))
            written = pd.read_csv(folder / f"{name}.csv")
            np.testing.assert_allclose([row[1:] for row in rows[1:]], written.iloc[:, 1:], rtol=1e-5)
    else:
        assert "=sex" in values


def test_columns_of_a_workbook_may_be_called_as_its_own(here, capsys):
    called = ["row", "component", "index", "main"]
    answers([0, 1], 4).set_axis(called, axis=1).to_csv("s.csv", index_label="who")
    run(capsys, "fit", "s.csv", *QUICK, "--names", "row", "--out", "t.xlsx")
    book = openpyxl.load_workbook("t.xlsx")
    for name, first in (("expectation", "row"), ("H", "component"), ("W", "row")):
        header, *rows = book[name].iter_rows(values_only=True)
        assert list(header) == (here / f"t.nbmf/{name}.csv").read_text().splitlines()[0].split(",")
        assert header[0] == first
        assert first in header[1:]
        written = pd.read_csv(here / f"t.nbmf/{name}.csv")
        np.testing.assert_allclose([row[1:] for row in rows], written.iloc[:, 1:], rtol=1e-5)


def test_a_workbook_of_another_origin_is_not_overwritten(here, capsys):
    answers([0, 1]).to_csv("s.csv")
    (here / "t.xlsx").write_text("mine")
    assert (
        "t.xlsx exists and was not written by nbmf"
        in run(capsys, "fit", "s.csv", *QUICK, "--out", "t.xlsx", code=2).err
    )
    assert (here / "t.xlsx").read_text() == "mine"
    run(capsys, "fit", "s.csv", *QUICK, "--out", "t.xlsx", "--force")
    run(capsys, "fit", "s.csv", *QUICK, "--out", "t.xlsx")
    assert openpyxl.load_workbook("t.xlsx").sheetnames[0] == "expectation"


def test_without_openpyxl_a_workbook_is_refused_before_the_work(here, capsys, monkeypatch):
    answers([0, 1]).to_csv("s.csv")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    said = run(capsys, "fit", "s.csv", *QUICK, "--out", "t.xlsx", code=2)
    assert "pip install 'nbmf[excel]'" in said.err
    assert not said.out


def test_what_is_too_large_for_a_sheet_is_reported(capsys, monkeypatch):
    answers([0, 1]).to_csv("s.csv")
    monkeypatch.setattr("nbmf.output.workbook.MOST_CELLS", 450)
    out = run(capsys, "fit", "s.csv", *QUICK, "--out", "t.xlsx").out
    assert out.endswith("sheets of t.xlsx; too large for it, and in t.nbmf/ alone: expectation.csv\n")
