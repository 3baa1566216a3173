"""What nbmf info advises on files that are read otherwise than they are meant, and that its commands read them."""

import contextlib
import gzip
import io
import itertools
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf import cli
from nbmf.cli import arguments
from nbmf.cli.info import baskets, detectors, first_records, glance, kinds, lists, misfits, refusals, tables
from nbmf.cli.info.words import SCALES
from nbmf.cli.reading import read_matrix
from nbmf.io.columns import open_table

ROWS, COLUMNS = 30, 12
DRAWN = np.random.default_rng(7)
ONES = DRAWN.random((ROWS, COLUMNS)) < 0.5
GAPS = DRAWN.random((ROWS, COLUMNS)) < 0.08
NAMES = [f"r{i:02}" for i in range(ROWS)]
MARKS = ["1", "2", "3", "4", "5"]
QUESTIONS = [f"q{n}" for n in range(COLUMNS)]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(one, zero, gap=""):
    values = np.where(GAPS, gap, np.where(ONES, one, zero))
    return pd.DataFrame(values, pd.Index(NAMES, name="id"), QUESTIONS)


def info(capsys, *argv, code=0):
    assert cli.main(["info", *argv]) == code
    said = capsys.readouterr()
    return said.err if code else said.out


def commands(said):
    return [line.strip() for line in said.splitlines() if line.startswith("  nbmf ")]


def read(command):
    """Return the matrix that a printed command reads."""
    with contextlib.redirect_stdout(io.StringIO()):
        return read_matrix(arguments.parse(shlex.split(command)[1:]))


def test_every_function_that_finds_something_is_asked():
    """Records are what ties and tables that nbmf cluster refuses may be."""
    asked = {detector.find for detector in detectors.DETECTORS}
    modules = baskets, first_records, lists, misfits, refusals, tables
    named = {each for module in modules for name, each in vars(module).items() if name.startswith("find_")}
    assert named - asked == {lists.find_records}


def test_a_file_is_opened_once_for_all_detectors(capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(glance, "open_table", lambda path, **given: opened.append(path) or open_table(path, **given))
    pd.DataFrame(np.random.default_rng(12).normal(size=(ROWS, COLUMNS)).round(3)).to_csv("reals.csv", index=False)
    assert commands(info(capsys, "reals.csv")) == ["nbmf cluster reals.csv"]  # what the last one finds
    assert len(opened) == 1
    assert "allowed in a matrix of counts" in info(capsys, "reals.csv", "--counts", code=cli.FAILED)
    assert len(opened) == 1


def test_a_name_that_comes_again_is_told_and_decimal_commas_are_numbers(capsys):
    frame = table("yes", "no").reset_index()
    frame.loc[4, "id"] = "r02"
    frame.insert(1, "height", [f"1{n},{n % 10}" for n in range(ROWS)])
    frame.to_csv("twice.csv", index=False, sep=";")
    said = info(capsys, "twice.csv")
    assert "id: names of rows, but 'r02' comes again; once all differ, rows are called by them" in said
    assert "height: numbers from 10 to 129.9" in said


def test_of_a_table_with_dates_the_other_columns_are_described(capsys):
    drawn = np.random.default_rng(3).normal(size=(ROWS, 2)).round(2)
    frame = pd.DataFrame(drawn, NAMES, ["height", "weight"]).assign(born=[f"2001-02-{1 + n % 28}" for n in range(ROWS)])
    frame.to_csv("dates.csv")
    said = info(capsys, "dates.csv")
    assert "real (gaussian): height, weight" in said
    assert "column 'born' has dates, such as '2001-02-1'. --ignore born leaves it out" in " ".join(said.split())
    assert commands(said) == ["nbmf cluster dates.csv --ignore born"]
    frame[["born"]].to_csv("born.csv")
    assert "column 'born' has dates" in info(capsys, "born.csv", code=cli.FAILED)


def test_both_readings_of_minus_one_are_named(capsys):
    table("1", "-1", "0").to_csv("m101.csv")
    said = info(capsys, "m101.csv")
    assert "-1 may be a no or mean missing" in said
    signs, in_order, missing = commands(said)
    assert signs == "nbmf fit m101.csv --zeros -1 --missing 0"
    np.testing.assert_array_equal(read(signs).codes, np.where(GAPS, -1, ONES))
    assert in_order == "nbmf fit m101.csv --categories -1 0 1"
    assert read(in_order).categories.tolist() == ["-1", "0", "1"]
    assert (read(missing).codes == 0).sum() == GAPS.sum()
    assert cli.main(["fit", "m101.csv"]) == cli.FAILED
    error = capsys.readouterr().err
    assert f"{signs} (if a no is -1, and 0 means absent)" in error


def test_a_row_of_sums_makes_no_counts_of_zeros_and_ones(capsys):
    frame = table("1", "0")
    frame.loc["Total"] = (frame == "1").sum()
    frame.to_csv("rows.csv")
    said = info(capsys, "rows.csv")
    assert "the last row, 'Total', has the sums of the others" in said
    assert "next, without that row:\n  nbmf info rows.csv" in said
    assert cli.main(["fit", "rows.csv"]) == cli.FAILED
    assert "delete the row from the file; if these are no sums, --counts reads" in capsys.readouterr().err
    assert "the last row, 'Total', has the sums" in info(capsys, "rows.csv", "--counts")


def test_a_column_of_sums_is_left_out_by_a_command(capsys):
    frame = table("1", "0").iloc[:, :3]
    frame.assign(Total=(frame == "1").sum(axis=1)).to_csv("columns.csv")
    (command,) = commands(info(capsys, "columns.csv"))
    assert command == "nbmf fit columns.csv --ignore Total"
    assert read(command).shape == (ROWS, 3)
    assert cli.main(["fit", "columns.csv"]) == cli.FAILED
    assert f"Type: {command}" in capsys.readouterr().err


@pytest.mark.parametrize("corner", ["sum", ""])
def test_sums_on_both_sides_have_no_command_that_leaves_out_one_alone(capsys, corner):
    """The corner between them may be empty."""
    frame = (table("1", "0") == "1").astype(int)
    frame["Total"] = frame.sum(axis=1)
    frame.loc["Total"] = frame.sum()
    frame = frame.astype(str)
    if not corner:
        frame.loc["Total", "Total"] = ""
    frame.to_csv("both.csv")
    assert cli.main(["fit", "both.csv"]) == cli.FAILED
    error = capsys.readouterr().err
    assert "--ignore Total leaves the column out; delete the row from the file" in error
    assert "Type:" not in error


def test_a_column_of_sums_makes_no_votes_of_zeros_and_ones(capsys):
    """In VoteView's code 6 is a nay: it is in most columns of votes, and here in that of sums alone."""
    easy = np.random.default_rng(3).random((ROWS, 7)) < 0.85
    frame = pd.DataFrame(easy.astype(int), pd.Index(NAMES, name="id"), QUESTIONS[:7])
    frame.insert(0, "Total", frame.sum(axis=1))
    assert frame["Total"].mode()[0] == 6
    frame.to_csv("first.csv")
    assert commands(info(capsys, "first.csv")) == ["nbmf fit first.csv --ignore Total"]


def test_a_file_of_ones_alone_has_no_next_command(capsys):
    pd.DataFrame(np.ones((ROWS, COLUMNS), int), NAMES, QUESTIONS).to_csv("ones.csv")
    said = info(capsys, "ones.csv")
    assert "entries are ones: there is nothing to predict; if only what is present was" in " ".join(said.split())
    assert commands(said) == []


def test_counts_without_sums_are_counts(capsys):
    frame = table("1", "0")
    frame.loc["last"] = [str(n) for n in range(COLUMNS)]
    frame.to_csv("counts.csv")
    assert "counts up to 11" in info(capsys, "counts.csv")


@pytest.mark.parametrize("wrong", ["-3", "2.5"])
def test_the_only_number_that_is_no_count_is_named_first(capsys, wrong):
    counts = np.random.default_rng(5).negative_binomial(1, 0.2, (ROWS, COLUMNS))
    values = np.where(GAPS, "NA", counts.astype(str))
    values[4, 2] = wrong
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("counts.csv", index_label="id")
    first = f"all values but '{wrong}' are counts: counts.csv, line 6, column 'q2': the value is '{wrong}'"
    assert cli.main(["fit", "counts.csv"]) == cli.FAILED
    assert capsys.readouterr().err.startswith(f"nbmf: error: {first};")
    said = info(capsys, "counts.csv")
    assert " ".join(said.split()).startswith(first)
    corrected, missing = commands(said)
    assert corrected == "nbmf fit counts.csv"
    expected = np.where(GAPS, -1, counts)
    expected[4, 2] = -1
    np.testing.assert_array_equal(read(missing).tallies, expected)


def test_a_matrix_of_real_numbers_is_no_matrix_of_counts_but_one(capsys):
    values = DRAWN.integers(0, 40, (ROWS, COLUMNS)) / 2
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("reals.csv", index_label="id")
    assert cli.main(["fit", "reals.csv"]) == cli.FAILED
    assert "all values but" not in capsys.readouterr().err


def test_a_column_with_two_of_three_values_stays_and_none_of_these_is_missing(capsys):
    values = DRAWN.integers(0, 3, (ROWS, COLUMNS))
    values[:, 3] = DRAWN.integers(1, 3, ROWS)
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("genotypes.csv")
    said = commands(info(capsys, "genotypes.csv"))
    assert said == [
        f"nbmf fit genotypes.csv {words}" for words in ("--categories 0 1 2", "--above 1", "--above 0", "--counts")
    ]
    pd.DataFrame(np.where(values == 0, 3, values), NAMES, QUESTIONS).to_csv("votes.csv")
    assert commands(info(capsys, "votes.csv"))[0] == "nbmf fit votes.csv --categories 1 2 3"
    values = DRAWN.integers(1, 6, (ROWS, COLUMNS))
    values[:, 3] = DRAWN.integers(1, 3, ROWS)
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("ratings.csv")
    assert "q3: 1 and 2 alone, among ratings" in info(capsys, "ratings.csv")


def test_the_larger_percentage_is_the_one(capsys):
    table("100%", "0%").to_csv("percent.csv")
    (command,) = commands(info(capsys, "percent.csv"))
    assert command == "nbmf fit percent.csv --ones 100% --zeros 0%"
    np.testing.assert_array_equal(read(command).codes, np.where(GAPS, -1, ONES))


def listed(frame):
    """Return a table as a list with a line per entry."""
    return frame.reset_index().melt("id", var_name="question", value_name="answer")


@pytest.mark.parametrize(
    ("third", "words"),
    [
        (lambda n: DRAWN.integers(10**9, 2 * 10**9, n), "'third' has times, and no values"),
        (lambda n: pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d"), "'third' has times, and no values"),
        (lambda n: [1] * n, "'third' is always 1"),
    ],
)
def test_times_and_ones_are_no_values_of_a_list(capsys, third, words):
    lines = listed(table("1", "0")).query("answer == '1'").drop(columns="answer")
    lines.assign(third=third(len(lines))).to_csv("lines.csv", index=False)
    said = info(capsys, "lines.csv")
    assert words in " ".join(said.split())
    assert commands(said) == ["nbmf info lines.csv --layout presence"]
    assert (read(commands(said)[0]).codes == 1).sum() == len(lines)


@pytest.mark.parametrize(
    ("values", "aside", "options"),
    [
        ({"n": lambda n: [1] * n, "time": range}, "'n' is always 1; 'time' is left out", "presence"),
        ({"n": lambda n: [*DRAWN.permutation([5] * 9 + [2] * n)[:n]], "page": range}, "'page' is left out", "counts"),
        ({"time": lambda n: [*range(10**9, 10**9 + n)], "n": lambda n: [1, 2, 7] * n}, "'time' is left out", "counts"),
    ],
)
def test_a_list_with_a_fourth_column_is_read_without_it(capsys, values, aside, options):
    lines = listed(table("1", "0")).query("answer == '1'").drop(columns="answer")
    lines.assign(**{name: [*made(len(lines))][: len(lines)] for name, made in values.items()}).to_csv(
        "l.csv", index=False
    )
    said = info(capsys, "l.csv")
    assert aside in " ".join(said.split())
    words = "long --counts --row id --column question --value n"
    words = "presence --row id --column question" if options == "presence" else words
    assert commands(said)[0] == f"nbmf info l.csv --layout {words}"
    matrix = read(commands(said)[0])
    assert (matrix.observed & (getattr(matrix, matrix.field) > 0)).sum() == len(lines)


def test_a_list_without_a_header_is_read_by_the_places_of_its_columns(capsys):
    lines = listed(table("1", "0")).query("answer == '1'").drop(columns="answer")
    lines.assign(n=[7, 3, 2, *[1] * (len(lines) - 3)], page=range(len(lines))).to_csv(
        "l.csv", index=False, header=False
    )
    command, _ = commands(info(capsys, "l.csv"))
    assert command == "nbmf info l.csv --layout long --counts"
    assert (read(command).tallies > 0).sum() == len(lines)


def test_a_column_of_1_and_2_among_zeros_and_ones_is_left_out(capsys):
    frame = table("1", "0").assign(gender=DRAWN.integers(1, 3, ROWS), age=DRAWN.integers(18, 80, ROWS))
    frame.to_csv("survey.csv")
    (command,) = commands(info(capsys, "survey.csv"))
    assert command == "nbmf fit survey.csv --ignore gender --ignore age"
    np.testing.assert_array_equal(read(command).codes, np.where(GAPS, -1, ONES))


@pytest.mark.parametrize(
    ("one", "zero", "gap", "options"),
    [
        ("1", "0", "", ""),
        ("yes", "no", "NA", ""),
        ("ja", "nein", "", " --ones ja --zeros nein"),
        ("yes", "no", "absent", " --missing absent"),
    ],
)
def test_a_list_of_answers_is_a_list_with_gaps_too(capsys, one, zero, gap, options):
    listed(table(one, zero, gap)).to_csv("list.csv", index=False)
    (command,) = commands(info(capsys, "list.csv"))
    assert command == f"nbmf info list.csv --layout long{options}"
    np.testing.assert_array_equal(read(command).codes, np.where(GAPS, -1, ONES))


def test_line_breaks_in_names_of_columns_break_no_line(capsys):
    table("1", "0").rename(columns=lambda name: f"{name}\nas asked").to_csv("breaks.csv")
    said = info(capsys, "breaks.csv")
    assert " as asked" in said
    assert not any(line.startswith("as asked") for line in said.splitlines())


@pytest.mark.parametrize("first", [["Economy"] * 6 + ["Society"] * 6, ["Economy", *[""] * 5, "Society", *[""] * 5]])
def test_a_second_line_of_names_is_said_and_which_one_to_delete(capsys, first):
    rest = table("1", "0").to_csv()
    Path("headers.csv").write_text(f",{','.join(first)}\n{rest}")
    said = " ".join(info(capsys, "headers.csv").split())
    assert "line 2 has names, as line 1 has: these are two headers. Delete line 1" in said
    assert "called 'q0', 'q1', 'q2', ... by line 2 next, without line 1: nbmf info headers.csv" in said
    names, *rows = rest.splitlines()
    Path("units.csv").write_text("\n".join([names, "(id)" + ",y/n" * COLUMNS, *rows]))
    assert "Delete line 2 from the file, so that columns are called 'q0'" in " ".join(info(capsys, "units.csv").split())


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (("x", "", ""), "--ones x --zeros ''"),
        (("1", "6", "9"), "--ones 1 --zeros 6 --missing 9"),
        (("for", "against", "absent"), "--ones for --zeros against --missing absent"),
    ],
)
def test_crosses_casts_and_words_have_a_command(capsys, texts, options):
    table(*texts).to_csv("t.csv")
    (command,) = commands(info(capsys, "t.csv"))
    assert command == f"nbmf fit t.csv {options}"
    np.testing.assert_array_equal(read(command).codes, np.where(GAPS, 0 if texts[0] == "x" else -1, ONES))


def test_casts_of_many_kinds_are_no_counts(capsys):
    frame = table("1", "6", "9")
    frame.iloc[0, :3], frame.iloc[1, :3], frame.iloc[2, :3] = "7", "0", "3"
    frame.to_csv("casts.csv")
    (command,) = commands(info(capsys, "casts.csv"))
    assert command == "nbmf fit casts.csv --ones 1 --ones 3 --zeros 6 --missing 0 --missing 7 --missing 9"
    assert cli.main(["fit", "casts.csv"]) == cli.FAILED


@pytest.mark.parametrize("middle", ["abstain", "perhaps"])
def test_an_answer_between_no_and_yes_is_missing_or_between_them(capsys, middle):
    table("yes", "no", middle).to_csv("votes.csv")
    said = info(capsys, "votes.csv")
    missing, in_order = commands(said)
    assert f"{middle!r} is taken to mean missing, {GAPS.mean():.0%} of the cells" in said
    assert missing == f"nbmf fit votes.csv --missing {middle}"
    assert in_order == f"nbmf fit votes.csv --categories no {middle} yes"
    np.testing.assert_array_equal(read(in_order).ranks, np.where(GAPS, 1, 2 * ONES))


@pytest.mark.parametrize("end", ["strongly ", "completely ", "Strongly", "strongly_"])
def test_texts_of_a_scale_are_categories_in_its_order(capsys, end):
    scale = [f"{end}disagree", "disagree", "neutral", "agree", f"{end}agree"]
    values = DRAWN.choice([*scale, "don't know"], (ROWS, COLUMNS))
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("scale.csv")
    (command,) = commands(info(capsys, "scale.csv"))
    found = read(command)
    assert found.categories.tolist() == scale
    np.testing.assert_array_equal(found.observed, values != "don't know")


def test_of_two_spellings_of_an_answer_the_usual_one_counts(capsys):
    scale = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]
    values = np.random.default_rng(0).choice(scale, (ROWS, COLUMNS)).astype(object)
    values[0, 0] = "Strongly  agree"
    pd.DataFrame(values, NAMES, QUESTIONS).to_csv("scale.csv")
    (command,) = commands(info(capsys, "scale.csv"))
    found = read(command)
    assert found.categories.tolist() == scale
    assert not found.observed[0, 0]


@pytest.mark.parametrize("codes", [["94", "95", "96"], ["7777", "8888", "9999"]])
def test_codes_of_what_is_missing_are_no_counts(capsys, codes):
    values = table("1", "0").to_numpy()
    values[[1, 2, 3, 4], [1, 2, 3, 4]] = [*codes, codes[0]]
    pd.DataFrame(values, NAMES, QUESTIONS).assign(town=["a", "b", "c"] * 10).to_csv("codes.csv")
    first, *_ = commands(info(capsys, "codes.csv"))
    assert all(f"--missing {code}" in first for code in codes)


def test_numbers_next_to_crosses_do_not_hide_these(capsys):
    species = table("1", "-", "zz")
    measured = np.random.default_rng(0).integers(0, 60, (ROWS, 3))
    species.assign(altitude=measured[:, 0] * 10, slope=measured[:, 1], cover=measured[:, 2]).to_csv("species.csv")
    first, *_ = commands(info(capsys, "species.csv"))
    assert first.startswith("nbmf fit species.csv --ones 1 --zeros - --missing zz --ignore altitude")


@pytest.mark.parametrize(
    ("ones", "zeros", "said"),
    [
        (("Yes", "Y"), ("No", "N"), "'Yes' or 'Y', and 'No' or 'N', of which 'Yes' and 'Y' are taken for ones"),
        (("Ja", "J"), ("Nein", "N"), "'Ja' or 'J', and 'Nein' or 'N'"),
        (("present", "1"), ("absent", "0"), "'present' or '1', and 'absent' or '0'"),
        (("correct", "Correct"), ("wrong",), "'correct' or 'Correct', and 'wrong'"),
    ],
)
def test_other_words_for_a_one_or_a_zero_are_not_taken_for_missing(capsys, ones, zeros, said):
    rare = np.random.default_rng(5).random((ROWS, COLUMNS)) < 0.2
    table(ones[0], zeros[0]).where(~rare, table(ones[-1], zeros[-1])).to_csv("answers.csv")
    text = info(capsys, "answers.csv")
    assert said in " ".join(text.split())
    assert "to mean missing" not in text
    assert (read(commands(text)[0]).codes == np.where(GAPS, -1, ONES)).all()


@pytest.mark.parametrize("text", ["Absent", "-", "present", "Not applicable", "not sure"])
def test_next_to_yes_and_no_other_words_and_a_dash_mean_missing(capsys, text):
    V = table("Yes", "No", text)
    V.iloc[0, :4] = ["Y", "N", "Y", "N"]
    V.to_csv("answers.csv")
    said = info(capsys, "answers.csv")
    assert f"{text!r} is taken to mean missing" in " ".join(said.split())
    expected = np.where(GAPS, -1, ONES)
    expected[0, :4] = [1, 0, 1, 0]
    assert (read(commands(said)[0]).codes == expected).all()


def test_the_share_of_cells_that_would_be_missing_has_those_that_are_empty(capsys):
    V = table("1", "0")
    V.iloc[0] = "99"
    V.to_csv("answers.csv")
    share = (GAPS | (np.arange(ROWS) == 0)[:, None]).mean()
    assert f"'99' and nothing are taken to mean missing, {share:.0%} of the cells" in info(capsys, "answers.csv")


def test_scales_are_texts_in_small_letters_each_once():
    for scale in SCALES:
        assert all(isinstance(text, str) and text == text.casefold() for text in scale)
        assert len({*scale}) == len(scale)


@pytest.mark.parametrize("mean", [2, 0.7])
def test_a_column_of_texts_is_groups_or_left_out_of_counts_too(capsys, mean):
    """Also where most counts are zeros and ones, so that the others might be codes of what is missing."""
    rng = np.random.default_rng(3)
    values = rng.poisson(mean, (ROWS, COLUMNS)) * (7 if mean == 2 else 1)
    values[:6] += rng.poisson(mean, (6, COLUMNS))
    pd.DataFrame(values, NAMES, QUESTIONS).assign(habitat=["reef", "sand", "mud"] * 10).to_csv("counts.csv")
    ignored, *_, grouped = commands(info(capsys, "counts.csv"))
    assert ignored == "nbmf fit counts.csv --counts --ignore habitat"
    np.testing.assert_array_equal(read(ignored).tallies, values)
    assert set(read(grouped).row_groups) == {"reef", "sand", "mud"}
    table("1", "0").assign(habitat=["reef", "sand", "mud"] * 10).to_csv("binary.csv")
    assert commands(info(capsys, "binary.csv")) == [
        "nbmf fit binary.csv --ignore habitat",
        "nbmf fit binary.csv --groups habitat",
    ]


@pytest.fixture
def list_of_votes():
    """Return a list with the columns of VoteView's own, of one chamber of one congress."""
    rng = np.random.default_rng(7)
    cast = rng.choice([1, 6, 9], (ROWS, 12), p=[0.5, 0.4, 0.1])
    places = [(call + 1, 14_000 + member) for member in range(ROWS) for call in range(12)]
    frame = pd.DataFrame(places, columns=["rollnumber", "icpsr"])
    return frame.assign(chamber="Senate", cast_code=cast.ravel(), prob=rng.random(cast.size))


def test_the_commands_for_a_list_of_votes_read_it(capsys, list_of_votes):
    list_of_votes.to_csv("S118_votes.csv", index=False)
    (command,) = commands(info(capsys, "S118_votes.csv"))
    assert f"{ROWS} rows x 12 columns" in info(capsys, *shlex.split(command)[2:])


def test_members_of_a_list_of_votes_are_called_by_name_where_the_names_are_different(capsys, list_of_votes):
    named = list_of_votes.assign(bioname="X, " + list_of_votes["icpsr"].astype(str), party_code=100)
    named.to_csv("named.csv", index=False)
    (command,) = commands(info(capsys, "named.csv"))
    assert "--row bioname" in command
    assert "--groups party_code" in command
    assert read(command).row_names[0] == "X, 14000"
    assert "--groups chamber" in commands(info(capsys, "named.csv", "--groups", "chamber"))[0]
    named.assign(bioname="SMITH, John", party_code=named["rollnumber"]).to_csv("alike.csv", index=False)
    assert "--row icpsr" in info(capsys, "alike.csv")
    assert "--groups" not in info(capsys, "alike.csv")


def test_roll_calls_of_two_chambers_or_congresses_have_no_command_but_a_way_to_name_them(capsys, list_of_votes):
    """Those of two congresses were real numbers, and nbmf cluster was to be fitted to them."""
    frame = list_of_votes.assign(congress=118)
    for others, said in [
        ({"chamber": "House"}, "each 'chamber': keep one, or add a column that names each call (chamber-rollnumber)"),
        ({"congress": 119}, "(congress-rollnumber), and read it by --column"),
        ({"congress": 119, "chamber": "House"}, "each 'congress' and 'chamber': keep one"),
    ]:
        pd.concat([frame, frame.assign(**others)]).to_csv("several.csv", index=False)
        printed = info(capsys, "several.csv")
        assert said in " ".join(printed.split())
        assert commands(printed) == []


def test_a_party_in_a_list_of_votes_is_not_read_as_the_votes(capsys):
    """The party was: one of two was a one, and the votes were left out."""
    rng = np.random.default_rng(3)
    pairs = [
        (name, party, f"call {n}") for name, party in zip(NAMES, itertools.cycle("DR"), strict=False) for n in range(20)
    ]
    frame = pd.DataFrame(pairs, columns=["member", "party", "call"])
    frame["position"] = rng.choice(["Aye", "No", "Absent"], len(frame), p=[0.5, 0.4, 0.1])
    for order in (["member", "party", "call", "position"], ["member", "call", "party", "position"]):
        frame[order].to_csv("list.csv", index=False)
        said = info(capsys, "list.csv")
        said_of_it = "'member', 'call', 'position'; 'party' is left out (as groups of rows: --groups party)"
        assert said_of_it in " ".join(said.split())
        (command,) = commands(said)
        matrix = read(command)
        assert matrix.shape == (ROWS, 20)
        assert matrix.counts()["ones"] == (frame.position == "Aye").sum()


def ratings(*gaps):
    """Return answers from 1 to 5 next to an age and a gender in numbers, and where each gap is; of 30 people."""
    values, drawn = DRAWN.integers(1, 6, (ROWS, COLUMNS)).astype(str).astype(object), DRAWN.random((ROWS, COLUMNS))
    for number, gap in enumerate(gaps):
        values[(drawn > 0.05 * number) & (drawn <= 0.05 * (number + 1))] = gap
    frame = pd.DataFrame(values, pd.Index(NAMES, name="id"), QUESTIONS)
    return frame.assign(sex=1 + np.arange(ROWS) % 2, age=20 + np.arange(ROWS)), np.isin(values, gaps)


@pytest.mark.parametrize("gaps", [["-99"], ["-77", "-88"], ["#NULL!", "prefer not to say"], ["99", "-9", "n.a."]])
def test_answers_on_a_scale_have_negative_and_written_codes_of_what_is_missing(capsys, gaps):
    """A -99 among answers from 1 to 5 was a real number, with which nbmf cluster was to be fitted."""
    frame, missing = ratings(*gaps)
    frame.to_csv("likert.csv")
    in_order, above = map(read, commands(info(capsys, "likert.csv")))
    assert in_order.categories.tolist() == MARKS
    assert in_order.column_names.tolist() == above.column_names.tolist() == QUESTIONS
    np.testing.assert_array_equal(in_order.observed, ~missing)
    np.testing.assert_array_equal(above.codes == 1, np.isin(frame[QUESTIONS], ["4", "5"]))


def test_minus_three_among_answers_is_no_code_of_a_gap(capsys):
    frame, _ = ratings("-3")
    frame.to_csv("signed.csv")
    assert "--missing -3" not in info(capsys, "signed.csv")


@pytest.mark.parametrize("given", [[], ["--missing", "-99"]])
def test_categories_that_were_given_stay_next_to_columns_that_do_not_fit(capsys, given):
    """An age next to the answers made the file a table, for nbmf cluster."""
    frame, missing = ratings("-99")
    frame.to_csv("likert.csv")
    (command,) = commands(info(capsys, "likert.csv", "--categories", *MARKS, *given))
    found = read(command)
    assert found.column_names.tolist() == QUESTIONS
    np.testing.assert_array_equal(found.observed, ~missing)


def test_right_is_a_one_next_to_wrong_alone(capsys):
    table("right", "wrong", "skipped").to_csv("test.csv")
    (command,) = commands(info(capsys, "test.csv"))
    np.testing.assert_array_equal(read(command).codes, np.where(GAPS, -1, ONES))
    table("right", "left", "neither").to_csv("wings.csv")
    assert "--ones right" not in info(capsys, "wings.csv", code=2)


def test_choices_with_a_text_of_their_own_are_ones_and_blanks_zeros(capsys):
    """As Qualtrics exports the texts of a question of which all that apply are checked."""
    choices = [f"Choice {n}" for n in range(COLUMNS)]
    pd.DataFrame(np.where(ONES, np.array([choices]), ""), pd.Index(NAMES, name="id"), QUESTIONS).to_csv("all.csv")
    (command,) = commands(info(capsys, "all.csv"))
    np.testing.assert_array_equal(read(command).codes, ONES)


def species(sites=40, number=20):
    """Return counts of species at sites in two habitats, and the year and the altitude of each site."""
    rng = np.random.default_rng(1)
    in_wood = np.arange(sites) % 2 == 0
    means = np.where((np.arange(number) < number // 2) == in_wood[:, None], 3, 0.3)
    counts = pd.DataFrame(rng.poisson(means), [f"S{i}" for i in range(sites)], [f"species {n}" for n in range(number)])
    about = {"year": rng.integers(1998, 2006, sites), "altitude": rng.integers(200, 900, sites)}
    return counts, pd.DataFrame(about, counts.index), np.where(in_wood, "wood", "field")


@pytest.mark.parametrize("with_habitat", [True, False])
def test_counts_have_no_highest_one_and_a_year_and_an_altitude_are_none(capsys, with_habitat):
    """Counts up to 9 were answers from 0 to 7, with 8 and 9 for missing, and three species were left out."""
    counts, about, habitat = species()
    frame = about.join(counts)
    (frame.assign(habitat=habitat) if with_habitat else frame).to_csv("counts.csv", index_label="site")
    said = info(capsys, "counts.csv")
    found = read(commands(said)[0])
    np.testing.assert_array_equal(found.tallies, counts)
    assert found.column_names.tolist() == counts.columns.tolist()
    if with_habitat:
        assert "  year: numbers from 1998 to 2005" in said
        assert read(commands(said)[1]).row_groups.tolist() == habitat.tolist()
    else:
        assert "larger in every row than the counts of all other columns: 'year', 'altitude'" in said
        assert read(commands(said)[1]).shape == (40, 22)
        frame.to_csv("nameless.csv", header=False)
        said = info(capsys, "nameless.csv")
        assert "larger in every row than the counts of all other columns: 'column 0', 'column 1'" in said
        assert not any("--ignore" in command for command in commands(said))  # which nothing in the file is called


def test_a_dominant_species_that_is_absent_once_is_a_count(capsys):
    counts, _, _ = species()
    counts["species 3"] += 50
    counts.iloc[7, 3] = 0
    counts.to_csv("dominant.csv")
    assert "larger in every row" not in info(capsys, "dominant.csv")


def test_answers_may_stand_next_to_numbers_of_persons(capsys):
    rng = np.random.default_rng(2)
    answers = pd.DataFrame(rng.integers(0, 5, (60, 8)), [f"r{i:02}" for i in range(60)], QUESTIONS[:8])
    answers = answers.assign(children=rng.integers(0, 7, 60), siblings=rng.integers(0, 8, 60), town="a")
    answers.to_csv("persons.csv")
    assert "the other 8 have whole numbers from 0 to 4" in info(capsys, "persons.csv")


def test_ratings_with_halves_are_a_list_and_no_table(capsys):
    """Users and movies are numbers: MovieLens' ratings.csv was sent to nbmf cluster, with their mean and variance."""
    users, movies = (axis.ravel() + 1 for axis in np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij"))
    ratings = DRAWN.integers(1, 11, users.size) / 2
    times = DRAWN.integers(874724710, 893286638, users.size)
    frame = pd.DataFrame({"userId": users, "movieId": movies, "rating": ratings, "timestamp": times})
    frame.to_csv("ratings.csv", index=False)
    said = info(capsys, "ratings.csv")
    assert "a list with a line per entry: 'userId', 'movieId', 'rating'; 'timestamp' is left out" in said
    assert "nbmf cluster" not in said
    rated, above, in_order = map(read, commands(said))
    by_hand = frame.pivot(index="userId", columns="movieId", values="rating").to_numpy()
    assert (rated.codes == 1).all()
    assert rated.shape == (ROWS, COLUMNS)
    np.testing.assert_array_equal(above.codes, by_hand > 3)
    np.testing.assert_array_equal(in_order.ranks, by_hand * 2 - 1)
    frame.to_csv("nameless.csv", index=False, header=False)
    _, above, _ = map(read, commands(info(capsys, "nameless.csv")))
    np.testing.assert_array_equal(above.codes, by_hand > 3)
    frame.assign(timestamp=1.0).to_csv("measured.csv", index=False)
    assert "nbmf cluster" in info(capsys, "measured.csv")


def test_genes_of_genomes_are_said_to_be_ones_where_no_text_comes_again(capsys):
    genes = [[f"{name}_{n}" if one else "" for n, one in enumerate(row)] for name, row in zip(NAMES, ONES, strict=True)]
    table = pd.DataFrame(np.array(genes).T, pd.Index(QUESTIONS, name="Gene"), NAMES)
    table.insert(0, "Annotation", "some protein")
    table.to_csv("gene_presence_absence.csv")
    said = " ".join(info(capsys, "gene_presence_absence.csv").split())
    assert "if these are zeros and the texts ones, write them as 0 and 1 first" in said
    assert "gene_presence_absence.Rtab" in said


def test_answers_of_several_choices_are_to_be_compared_with_a_key(here, capsys):
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.choice([*"ABCD", None], (40, 8)), columns=[f"q{n}" for n in range(8)])
    answers.to_csv("exam.csv", index_label="student")
    said = info(capsys, "exam.csv")
    assert "8 columns have the answers A, B, C and D. The file does not say which of them is right" in " ".join(
        said.split()
    )
    assert commands(said) == ["nbmf cluster exam.csv", "nbmf info exam.csv --categories D C B A"]
    answers.replace({"A": "C", "B": "G", "D": "T"}).to_csv("bases.csv", index_label="person")
    assert "which of them is right" not in info(capsys, "bases.csv", code=2)


def amounts():
    """Draw biomass per plot and species, 0 where a species is absent."""
    rng = np.random.default_rng(4)
    values = np.where(ONES, rng.gamma(2, 3, ONES.shape).round(2) + 0.1, 0)
    return pd.DataFrame(values, pd.Index(NAMES, name="plot"), [f"species {n}" for n in range(COLUMNS)])


def test_amounts_with_zeros_are_cut_above_zero_and_other_measurements_put_aside(capsys):
    rng = np.random.default_rng(5)
    frame = amounts()
    frame.insert(0, "elevation", rng.uniform(100, 900, ROWS).round(1))
    frame.insert(1, "habitat", [*itertools.islice(itertools.cycle(("bog", "fen")), ROWS)])
    frame.to_csv("biomass.csv")
    said = info(capsys, "biomass.csv")
    assert "the other 12 have amounts, of which those above 0 are taken for ones" in said
    assert "elevation: numbers from" in said
    for command in commands(said):
        np.testing.assert_array_equal(read(command).codes, ONES)
    pd.DataFrame({f"depth {n}": frame["elevation"] / n for n in range(1, 7)}).to_csv("measured.csv")
    assert "--above" not in info(capsys, "measured.csv")


def test_a_list_of_amounts_is_no_table_to_cluster(capsys):
    listed = amounts().stack().rename_axis(["plot", "species"])
    listed[listed > 0].rename("biomass").reset_index().to_csv("biomass.csv", index=False)
    (command,) = commands(info(capsys, "biomass.csv"))
    assert command == "nbmf info biomass.csv --layout long --above 0"
    matrix = read(command)
    places = [int(name.split()[-1]) for name in matrix.column_names]
    np.testing.assert_array_equal(matrix.codes, ONES[:, places])
    stars = (listed.where(listed > 0).dropna() % 5).round() / 2 + 0.5
    stars.rename("rating").reset_index().to_csv("ratings.csv", index=False)
    ones, above, in_order = commands(info(capsys, "ratings.csv"))
    assert ones == "nbmf info ratings.csv --layout presence"
    assert above == "nbmf info ratings.csv --layout long --above 2"
    assert in_order == "nbmf info ratings.csv --layout long --categories 0.5 1.0 1.5 2.0 2.5 3.0"


@pytest.mark.parametrize("values", [[0, 1], [4.5, 5.5, 6.0, 7.5]])
def test_what_a_list_says_of_rows_is_no_value_of_pairs(capsys, values):
    """Of the sex of patients next to diagnoses women were zeros, of the pH of sites those above 4 ones."""
    about = np.random.default_rng(3).choice(values, ROWS)
    lines = [f"{NAMES[i]},{QUESTIONS[n]},{about[i]}" for i, n in np.argwhere(ONES)]
    Path("list.csv").write_text("\n".join(["site,species,of site", *lines]))
    said = info(capsys, "list.csv")
    assert "'of site' says something of 'site', and nothing of a pair" in " ".join(said.split())
    (advice,) = commands(said)
    assert read(commands(info(capsys, *shlex.split(advice)[2:]))[0]).codes.sum() == ONES.sum()


def test_abstentions_in_a_list_can_be_kept_between_no_and_yes(capsys):
    rng = np.random.default_rng(6)
    pairs = itertools.product(NAMES, QUESTIONS)
    frame = pd.DataFrame(pairs, columns=["member", "call"])
    frame["vote"] = rng.choice(["yes", "no", "abstain"], len(frame), p=[0.5, 0.4, 0.1])
    frame.to_csv("votes.csv", index=False)
    missing, kept = commands(info(capsys, "votes.csv"))
    assert missing == "nbmf info votes.csv --layout long --missing abstain"
    assert kept == "nbmf info votes.csv --layout long --categories no abstain yes"
    assert read(kept).ranks.tolist()[0] == [["no", "abstain", "yes"].index(vote) for vote in frame["vote"][:COLUMNS]]


def test_a_list_of_mutations_is_one_of_genes_in_samples(capsys, here):
    rng = np.random.default_rng(8)
    genes, samples = rng.integers(0, 20, 300), rng.integers(0, 40, 300)
    maf = pd.DataFrame(
        {"Hugo_Symbol": [f"G{gene}" for gene in genes], "Chromosome": 1, "Tumor_Sample_Barcode": samples}
    )
    (here / "some.maf").write_text("#version 2.4\n" + maf.to_csv(sep="\t", index=False))
    (command,) = commands(info(capsys, "some.maf"))
    matrix, by_hand = read(command), pd.crosstab(maf["Tumor_Sample_Barcode"], maf["Hugo_Symbol"]) > 0
    np.testing.assert_array_equal(matrix.codes, by_hand.loc[matrix.row_names.astype(int), matrix.column_names])


def test_places_of_genes_are_no_counts(capsys, here):
    """Start, End and Length were read as counts of three more samples."""
    rng = np.random.default_rng(9)
    places = {"Chr": "chr1", "Start": range(50), "End": range(50, 100), "Strand": "+", "Length": 50}
    table = pd.DataFrame({"Geneid": [f"g{n}" for n in range(50)], **places})
    counts = pd.DataFrame(rng.poisson(9, (50, 6)), columns=[f"s{n}.bam" for n in range(6)])
    text = pd.concat([table, counts], axis=1).to_csv(sep="\t", index=False)
    (here / "counts.txt").write_text("# Program:featureCounts v2.0.1\n" + text)
    (command,) = commands(info(capsys, "counts.txt"))
    np.testing.assert_array_equal(read(command).tallies, counts)


def test_a_bag_of_words_has_its_list_below_three_lines(capsys, here):
    (here / "docword.txt").write_text("3\n4\n5\n1 1 2\n1 3 1\n2 2 4\n3 1 1\n3 4 6\n")
    said = info(capsys, "docword.txt")
    assert "whose first three lines are the numbers of documents, of words and of entries" in " ".join(said.split())
    assert "  tail -n +4 docword.txt > list.txt\n  nbmf topics list.txt --layout long" in said
    (here / "docword.txt.gz").write_bytes(gzip.compress((here / "docword.txt").read_bytes()))  # as the archive has it
    assert "  gzip -dc docword.txt.gz | tail -n +4 > list.txt" in info(capsys, "docword.txt.gz")


NODES = [f"node{i}" for i in range(15)]


def ties(seed):
    drawn = np.random.default_rng(seed)
    return [(NODES[i], NODES[j]) for i in range(15) for j in range(15) if i != j and drawn.random() < 0.4]


def test_ties_of_several_waves_are_no_table_to_cluster(capsys):
    lines = [f"{wave},{ego},{alter}" for wave in (1, 2, 3) for ego, alter in ties(wave)]
    Path("waves.csv").write_text("\n".join(["wave,ego,alter", *lines]))
    said = info(capsys, "waves.csv")
    assert "a list of ties between 'ego' and 'alter', of 3 networks by 'wave'" in " ".join(said.split())
    assert commands(said) == ["nbmf info waves.csv --layout presence --row ego --column alter"]
    assert "not used: 'wave'" in info(capsys, *shlex.split(commands(said)[0])[2:])
    Path("values.csv").write_text(
        "\n".join(["wave,ego,alter,tie", *(f"{line},{n % 2}" for n, line in enumerate(lines))])
    )
    said = " ".join(info(capsys, "values.csv").split())
    assert "'tie' may say which lines are ties" in said
    assert "nbmf cluster" not in said


def test_columns_of_nodes_are_looked_for_once_and_not_for_each_column(monkeypatch):
    """Of 200 columns with 3,000 lines it took two minutes."""
    asked = []
    monkeypatch.setattr(kinds, "columns_of_names", lambda columns: asked.append(1) or columns)
    columns = {f"column {n}": [f"{n % 39} {name}" for name in NODES] for n in range(40)}
    assert kinds.columns_of_nodes(columns) == ("column 0", "column 39")
    assert len(asked) == 1


def test_the_first_tie_of_a_list_without_names_is_none(capsys):
    """As networkx.write_edgelist writes it, with the attributes of ties."""
    Path("edges.txt").write_text(
        "\n".join(f"{ego} {alter} {{'weight': {n % 3}}}" for n, (ego, alter) in enumerate(ties(1)))
    )
    said = info(capsys, "edges.txt")
    assert commands(said) == ["nbmf info edges.txt --layout presence --no-header"]
    assert nbmf.read("edges.txt", layout="presence", header=False, log=[].append).codes.sum() == len(ties(1))


def test_counts_and_answers_as_pandas_writes_them_next_to_gaps_are_read(capsys):
    counts = pd.DataFrame(np.random.default_rng(2).poisson(2.0, (ROWS, COLUMNS)).astype(float), NAMES, QUESTIONS)
    counts.iloc[0, 0] = np.nan
    counts.to_csv("counts.csv")
    assert "counts up to" in info(capsys, "counts.csv")
    answers = pd.DataFrame(np.random.default_rng(2).integers(1, 6, (ROWS, COLUMNS)).astype(float), NAMES, QUESTIONS)
    answers.iloc[0, 0] = np.nan
    answers.to_csv("answers.csv")
    assert "nbmf fit answers.csv --categories 1 2 3 4 5" in commands(info(capsys, "answers.csv"))


def test_files_of_ucinet_are_named(capsys):
    Path("net.dl").write_text("dl n=3 format=edgelist1\nlabels embedded\ndata:\na b 1\nb c 1\n")
    assert "a DL file of UCINET, which is not read" in info(capsys, "net.dl", code=cli.FAILED)
    Path("matrix.txt").write_text("DL\nN = 2\nFORMAT = FULLMATRIX\nDATA:\n0 1\n1 0\n")
    assert "a DL file of UCINET" in info(capsys, "matrix.txt", code=cli.FAILED)


def test_waves_of_a_panel_are_no_answers(capsys):
    """A line for each person in each of five waves, who give answers from 1 to 4."""
    people = pd.DataFrame(np.random.default_rng(3).integers(1, 5, (5 * ROWS, COLUMNS)), columns=QUESTIONS)
    people.insert(0, "pid", np.repeat(NAMES, 5))
    people.insert(1, "wave", np.tile(np.arange(1, 6), ROWS))
    for pids in (np.repeat(NAMES, 5), np.repeat(np.arange(100, 100 + ROWS), 5)):
        people.assign(pid=pids).to_csv("panel.csv", index=False)
        said = info(capsys, "panel.csv")
        assert commands(said)[0] == "nbmf fit panel.csv --no-index --categories 1 2 3 4 --ignore pid --ignore wave"
        assert "each line is one 'pid' in one 'wave'" in " ".join(said.split())
    people.drop(columns="wave").to_csv("again.csv", index=False)
    assert "each line is one" not in info(capsys, "again.csv")


def test_ages_that_few_people_share_make_no_waves_of_their_answers(capsys):
    """Two share an age, and differ in some answer by chance: that question was left out as the wave."""
    rng = np.random.default_rng(4)
    people = pd.DataFrame(rng.integers(1, 6, (ROWS, COLUMNS)), columns=QUESTIONS)
    people.insert(0, "age", [*range(20, 18 + ROWS), 25, 30])
    people.to_csv("ages.csv", index=False)
    said = info(capsys, "ages.csv")
    assert commands(said)[0] == "nbmf fit ages.csv --no-index --categories 1 2 3 4 5 --ignore age"
    assert "each line is one" not in said


def test_an_allele_is_named_next_to_two_copies_alone(capsys):
    rng = np.random.default_rng(5)
    for highest in (2, 3):
        pd.DataFrame(rng.integers(0, highest + 1, (ROWS, COLUMNS)), NAMES, QUESTIONS).to_csv("marks.csv")
        assert ("have the allele" in " ".join(info(capsys, "marks.csv").split())) == (highest == 2)


def test_an_answer_next_to_its_denial_is_a_one_unless_another_is_more_than_it(capsys):
    """Very important, or very healthy, was taken to mean missing."""
    rng = np.random.default_rng(6)

    def write(*texts):
        drawn = rng.integers(0, len(texts), (ROWS, COLUMNS))
        pd.DataFrame(np.array(texts)[drawn], NAMES, QUESTIONS).to_csv("texts.csv")

    write("not important", "important", "very important")
    order = "--categories 'not important' important 'very important'"
    assert commands(info(capsys, "texts.csv")) == [f"nbmf fit texts.csv {order}"]
    write("not healthy", "healthy", "very healthy")
    assert "healthy'; allowed: ones" in info(capsys, "texts.csv", code=2)
    write("not healthy", "healthy")
    assert "'healthy' is taken for a one" in " ".join(info(capsys, "texts.csv").split())


def test_classes_of_cover_are_categories_with_the_absence_below_or_ones(capsys):
    """They were ratings from 1 to 5 whose r, + and absence were missing, and most columns were left out."""
    classes = np.array(["r", "+", "1", "2m", "2a", "2b", "3", "4", "5"])
    for absent in ("", ".", "-", "0"):
        covers = np.where(DRAWN.random((ROWS, COLUMNS)) < 0.4, classes[DRAWN.integers(0, 9, (ROWS, COLUMNS))], absent)
        frame = pd.DataFrame(covers, pd.Index(NAMES, name="plot"), QUESTIONS)
        frame.insert(0, "altitude", np.arange(ROWS) * 10 + 300)
        frame.to_csv("releves.csv", sep=";")
        advised = commands(info(capsys, "releves.csv"))
        assert f"from low to high: {absent or repr('')} " in info(capsys, *shlex.split(advised[0])[2:])
        in_order, presence = map(read, advised)
        places = {absent: 0} | {text: place for place, text in enumerate(classes, start=1)}
        np.testing.assert_array_equal(in_order.ranks, np.vectorize(places.get)(covers))
        np.testing.assert_array_equal(presence.codes, covers != absent)


def test_letters_among_answers_that_are_mostly_there_are_no_classes_of_cover(capsys):
    answers = np.array([*MARKS, "r"])[DRAWN.integers(0, 6, (ROWS, COLUMNS))]
    pd.DataFrame(np.where(GAPS, "", answers), pd.Index(NAMES, name="id"), QUESTIONS).to_csv("answers.csv")
    assert "--categories 1 2 3 4 5" in commands(info(capsys, "answers.csv"))[0]


@pytest.mark.parametrize(("zero", "decimal", "sep"), [("0", ".", ","), ("0,0", ",", ";"), ("", ".", ",")])
def test_covers_in_per_cent_are_ones_where_they_are_above_0(capsys, zero, decimal, sep):
    is_there = DRAWN.random((ROWS, COLUMNS)) < 0.3
    covers = np.char.replace(DRAWN.uniform(0.1, 90, (ROWS, COLUMNS)).round(1).astype(str), ".", decimal)
    frame = pd.DataFrame(np.where(is_there, covers, zero), pd.Index(NAMES, name="plot"), QUESTIONS)
    frame.to_csv("covers.csv", sep=sep)
    (command,) = commands(info(capsys, "covers.csv"))
    np.testing.assert_array_equal(read(command).codes, is_there)


def test_measurements_that_are_hardly_zero_are_no_amounts(capsys):
    sizes = pd.DataFrame(DRAWN.uniform(0, 9, (ROWS, COLUMNS)).round(1), pd.Index(NAMES, name="id"), QUESTIONS)
    sizes.to_csv("sizes.csv")
    assert commands(info(capsys, "sizes.csv")) == ["nbmf cluster sizes.csv"]


def test_finds_next_to_nothing_may_be_counts(capsys):
    rng = np.random.default_rng(11)
    finds = np.where(rng.random((ROWS, COLUMNS)) < 0.3, rng.integers(1, 6, (ROWS, COLUMNS)), 0)
    frame = pd.DataFrame(finds.astype(str), pd.Index(NAMES, name="grave"), QUESTIONS).replace("0", "")
    frame.to_csv("graves.csv")
    counts = next(command for command in commands(info(capsys, "graves.csv")) if "--counts" in command)
    np.testing.assert_array_equal(read(counts).tallies, finds)
    frame.iloc[1, 1] = "x"
    frame.to_csv("odd.csv")
    counts = next(command for command in commands(info(capsys, "odd.csv")) if "--counts" in command)
    assert "--missing ''" not in counts  # nothing is 0
    assert read(counts).n_observed == finds.size - 1
    assert "--counts" not in info(capsys, "odd.csv", "--categories", *MARKS)  # it has no meaning with them


@pytest.mark.parametrize("seen", ["0", "2"])
def test_visits_on_which_nothing_was_seen_would_be_ones_in_a_list_of_presences(capsys, seen):
    """Several lines of a pair are no matrix; as a list of ones, which nbmf info advised, all 30 x 12 were ones."""
    names = [
        (f"site {i}", f"2021-0{v + 4}-11", v + 1, f"bird {j}") for i in range(30) for v in range(4) for j in range(12)
    ]
    frame = pd.DataFrame(names, columns=["site", "date", "visit", "species"])
    frame["detected"] = np.where(DRAWN.random(len(frame)) < 0.7, int(seen), 1)
    frame.to_csv("visits.csv", index=False)
    said = " ".join(info(capsys, "visits.csv").split())
    assert ("lines with 0 in 'detected' would be ones as well" in said) == (seen == "0")


CHOICES = ["Coffee", "Tea", "Juice (apple, orange)", "Beer"]


@pytest.mark.parametrize("separator", [", ", ";", "; "])
def test_choices_that_a_form_joins_in_one_cell_are_columns(separator, capsys):
    """As Google Forms and Microsoft Forms export a question of which all that apply are ticked."""
    ticked = ONES[:, : len(CHOICES)]
    joined = [separator.join(itertools.compress(CHOICES, row)) for row in ticked]
    pd.DataFrame({"Timestamp": [f"2024/03/01 9:{n:02}" for n in range(ROWS)], "What?": joined, "Age": 33}).to_csv(
        "form.csv", index=False
    )
    out = info(capsys, "form.csv")
    (advice,) = [line.strip() for line in out.splitlines() if line.startswith("  nbmf")]
    assert advice == "nbmf info form.csv --layout basket --row Timestamp --column 'What?'"
    matrix = read(commands(info(capsys, *shlex.split(advice)[2:]))[0])
    order = [CHOICES.index(name) for name in matrix.column_names]
    np.testing.assert_array_equal(matrix.codes, ticked[:, order])


def test_choices_in_cells_of_a_column_without_a_name_need_one(capsys):
    """The advice was --column 'column 2', which was refused."""
    joined = [";".join(itertools.compress(CHOICES, row)) for row in ONES[:, : len(CHOICES)]]
    pd.DataFrame({"age": 20 + np.arange(ROWS) % 9, "What?": joined}).to_csv("form.csv", index=False, header=False)
    out = info(capsys, "form.csv")
    assert "write a line of names above the columns first" in " ".join(out.split())
    assert commands(out) == []


def test_choices_in_one_cell_next_to_other_questions_hide_none_of_these(capsys):
    """The advice was to read the choices alone."""
    choices = [", ".join(itertools.compress(CHOICES, row)) for row in ONES[:, : len(CHOICES)]]
    table("Yes", "No").assign(What=choices).to_csv("form.csv")
    out = info(capsys, "form.csv")
    assert "What: " in out
    assert "cells of 'What' list several items each" in out
    assert commands(out) == [
        "nbmf fit form.csv --ignore What",
        "nbmf info form.csv --layout basket --row id --column What",
    ]


def test_cells_with_commas_that_do_not_come_again_are_no_lists(capsys):
    pd.DataFrame({"who": [f"Smith{n}, Ann, {n}" * (1 + n % 3) for n in range(ROWS)], "q": ["yes", "no"] * 15}).to_csv(
        "s.csv", index=False
    )
    assert "basket" not in info(capsys, "s.csv")


def test_diagnoses_in_numbered_columns_are_lists_below_names_and_behind_patients(capsys):
    """The line of names was read as a patient's diagnoses, and patients as diagnoses."""
    codes = np.array(["E11", "I10", "J45", "F32"])
    lists = [f"P{n},{','.join(codes[row])}" for n, row in enumerate(ONES[:, :4])]
    Path("dx.csv").write_text("\n".join(["patient,dx1,dx2,dx3,dx4", *lists]))
    out = info(capsys, "dx.csv")
    assert commands(out) == ["nbmf info dx.csv --layout basket --header --index"]


@pytest.mark.parametrize(("first", "has_header"), [("something rare", False), ("order,items", True)])
def test_a_first_list_of_something_rare_names_no_columns(capsys, first, has_header):
    """It was left out as a header."""
    items = np.array([f"item {n}" for n in range(COLUMNS)])
    lists = [",".join(items[row]) for row in ONES]
    numbered = [f"{n},{line}" for n, line in enumerate(lists)]
    Path("bought.txt").write_text("\n".join([first, *(numbered if has_header else lists)]))
    (advice,) = commands(info(capsys, "bought.txt"))
    assert ("--header" in advice) == has_header


def test_a_name_of_rows_needs_a_column_of_lists(capsys):
    Path("dx.csv").write_text("patient,dx\nP1,E11\nP2,I10\n")
    assert cli.main(["info", "dx.csv", "--layout", "basket", "--row", "patient"]) == 2
    assert (
        "--row patient: has no meaning with --layout basket without --column of lists; --index reads"
        in capsys.readouterr().err
    )


def test_frequencies_of_patterns_and_weights_are_not_left_out_in_silence(capsys):
    """Each pattern counted once, so that sizes of latent classes were wrong."""
    rng = np.random.default_rng(10)
    patterns = table("1", "0").assign(freq=rng.integers(1, 60, ROWS))
    patterns.to_csv("patterns.csv", index=False)
    said = " ".join(info(capsys, "patterns.csv").split())
    assert "'freq' may be how many rows have the values of a line" in said
    assert "V.loc[V.index.repeat(V['freq'])]" in said
    weights = rng.uniform(0.5, 2, ROWS)
    table("1", "0").assign(wt=(weights / weights.mean()).round(3)).to_csv("weighted.csv", index=False)
    assert "'wt' may hold weights of rows, which are not used" in " ".join(info(capsys, "weighted.csv").split())
    table("1", "0").assign(weight=rng.normal(75, 9, ROWS).round(1)).to_csv("bodies.csv", index=False)
    assert "may " not in info(capsys, "bodies.csv")
    table("1", "0").assign(age=rng.integers(18, 60, ROWS)).to_csv("ages.csv", index=False)
    assert "may " not in info(capsys, "ages.csv")


def test_numbers_of_customers_and_products_are_no_measures_of_a_table(capsys):
    """They were real numbers for nbmf cluster, as prices are."""
    rng = np.random.default_rng(0)
    bought = pd.DataFrame({"product_id": rng.integers(100, 150, 900), "customer_id": rng.integers(1, 90, 900)})
    bought["promotion_id"] = bought.customer_id % 3  # 0 where there is none
    bought["price"], bought["weight"] = rng.gamma(2, 3, 900).round(2), rng.normal(5, 1, 900).round(1)
    bought.to_csv("sales.csv", index=False)
    said = info(capsys, "sales.csv")
    assert "absences" not in said
    assert "--row and --column say which; names that come again are in 'customer_id'" in " ".join(said.split())
    assert commands(said) == [
        "nbmf info sales.csv --layout presence --row product_id --column customer_id",
        "nbmf cluster sales.csv --ignore customer_id --ignore product_id",
    ]
    bought.drop(columns="customer_id").to_csv("sales.csv", index=False)
    assert commands(info(capsys, "sales.csv")) == ["nbmf cluster sales.csv"]


def test_a_list_of_votes_whose_roll_calls_have_numbers_and_whose_countries_have_codes_is_a_list(capsys):
    """That of the R package unvotes was a table with too many texts for nbmf cluster."""
    rng = np.random.default_rng(0)
    lines = [(n, f"country {c}", f"C{c % 30}") for n in range(3, 43) for c in range(31) if rng.random() < 0.8]
    votes = pd.DataFrame(lines, columns=["rcid", "country", "country_code"]).astype({"country_code": object})
    votes.loc[votes.country == "country 30", "country_code"] = None
    votes["vote"] = rng.choice(["yes", "no", "abstain"], len(votes))
    votes.to_csv("un.csv", index=False)
    first, *_ = commands(info(capsys, "un.csv"))
    assert "--layout long" in first
    assert "--row rcid --column country --value vote" in first


def test_a_file_of_r_is_parsed_once_for_all_questions(capsys, monkeypatch):
    """Each of five questions about 700,000 votes took half a minute."""
    from nbmf.io import rda

    frame, read = pd.DataFrame({"name": list("abc"), "size": [1.5, 2.5, 3.5], "text": ["x y", "z", "u v"]}), []
    monkeypatch.setattr(rda, "_read_objects", lambda path, classes: read.append(path) or {"frame": frame})
    with open("frame.rda", "wb") as file:
        file.write(b"")
    for _ in range(2):
        cli.main(["info", "frame.rda"])
    capsys.readouterr()
    assert len(read) == 2  # once for each command


def test_names_are_no_numbers_and_no_values():
    assert [first_records._is_name(text) for text in ("tax", "3", "yes", "1")] == [True, False, False, False]


def test_answers_are_few_words_and_more_than_one():
    assert kinds.are_answers(["yes", None, "no", "yes"])
    assert not kinds.are_answers(["yes", None, "yes"])
    assert kinds.are_answers([str(n) for n in range(kinds.MOST_ANSWERS)])
    assert not kinds.are_answers([str(n) for n in range(kinds.MOST_ANSWERS + 1)])


def test_votes_of_which_a_column_has_every_code_are_votes(capsys):
    codes = np.tile([1] * 29 + [6] * 21 + list(range(10)), (6, 1)).T
    pd.DataFrame(codes, columns=[f"v{n}" for n in range(6)]).to_csv("votes.csv")
    assert "votes in the code of VoteView" in " ".join(info(capsys, "votes.csv").split())
