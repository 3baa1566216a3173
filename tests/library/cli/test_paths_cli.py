"""nbmf paths: periods from a file or from names, what is written, and errors that say what is missing."""

import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from command_line import say

import nbmf
from nbmf import cli
from nbmf.errors import DataError
from nbmf.io.periods import read_periods
from nbmf.reporting.paths_report import _group_table, _path_facts

ONE_OF = "needed is one of --periods CSV and --period-in-names REGEX"
FAST = ["--iterations", "60", "--chains", "2", "--draws", "20"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with votes of ten rows that move over three sessions, and the sessions of the columns."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    sessions = np.repeat([7, 8, 10], 6)
    positions = np.cumsum(rng.normal(0, [1.5, 0.5, 0.5], (10, 3)), axis=1)[:, np.repeat([0, 1, 2], 6)]
    votes = (positions * rng.normal(0, 2, 18) + rng.logistic(size=(10, 18)) > 0).astype(object)
    votes[0, sessions == 8] = ""  # a pause
    names = [f"vote {n} R/{session}" for n, session in enumerate(sessions)]
    pd.DataFrame(votes.tolist(), [f"row {f}" for f in range(10)], names).replace({True: 1, False: 0}).to_csv("v.csv")
    pd.DataFrame({"column": names, "session": sessions}).to_csv("s.csv", index=False)
    yield tmp_path
    plt.close("all")


def test_both_ways_to_name_periods_write_the_same_paths(here, capsys):
    said = say(capsys, "paths", "v.csv", "--periods", "s.csv", *FAST)
    written = {path.name for path in (here / "v.paths").iterdir()}
    assert written >= {"paths.csv", "paths.png", "model.npz", "matrix.npz", "summary.txt", "report.html"}
    assert "10 rows, 18 columns of 3 periods, 7 to 10" in said
    assert "1 row with pauses" in said
    table = pd.read_csv(here / "v.paths/paths.csv")
    assert table["period"].unique().tolist() == [7, 8, 10]
    assert len(table) == 30
    assert (table["lower"] <= table["upper"]).all()
    assert table.loc[(table["row"] == "row 0") & (table["period"] == 8), "entries"].item() == 0
    say(capsys, "paths", "v.csv", "--period-in-names", r"R/(\d+)", "--out", "again", *FAST)
    pd.testing.assert_frame_equal(table, pd.read_csv(here / "again/paths.csv"))
    model = nbmf.load(here / "again/model.npz")
    assert model.period_times_.tolist() == [7, 8, 10]
    say(capsys, "plot", "again", "--out", "again.pdf")
    assert (here / "again.pdf").stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ONE_OF),
        (["--periods", "s.csv", "--period-in-names", "R"], ONE_OF),
        (["--period-in-names", "(vote)"], "all 18 columns have the period 'vote'; needed are two"),
        (["--period-in-names", "R/(7)"], "nothing of it in the name 'vote 6 R/8'"),
        (["--period-in-names", "("], "--period-in-names '('"),
        (["--periods", "nowhere.csv"], "nowhere.csv"),
        (["--periods", "s.csv", "--show", "nobody"], "--show nobody: there is no such row"),
    ],
)
def test_errors_name_the_option(options, words, here, capsys):
    said = say(capsys, "paths", "v.csv", *options, *FAST, code=cli.FAILED)
    assert words in said
    assert not (here / "v.paths/paths.csv").exists()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("column,period\na,1\n", "p.csv: no period for column 'b'"),
        ("column,period\na,1\nb,\n", "p.csv: no period for column 'b'"),
        ("column,period\na,1\nb,2\nc,3\n", "p.csv: column 'c' not in the matrix"),
        ("column,period\na,1\na,2\nb,2\n", "p.csv: column 'a' is there more than once"),
        ("column\na\nb\n", "p.csv: a line has one field; needed are the name of a column and its period"),
        ("", "p.csv: no CSV file with columns and their periods"),
    ],
)
def test_a_file_has_a_period_for_each_column(lines, words, here):
    (here / "p.csv").write_text(lines)
    with pytest.raises(DataError, match=words):
        read_periods("p.csv", ["a", "b"])


def test_periods_are_in_the_order_of_the_matrix_and_others_are_counted(here):
    (here / "p.csv").write_text("\ufeffcolumn,session,more\n b ,2,x\na,1,y\n", encoding="utf-8")
    assert read_periods("p.csv", ["a", "b"]) == ["1", "2"]
    with pytest.raises(DataError, match="no period for columns 'c', 'd', 'e' and 2 more"):
        read_periods("p.csv", [*"abcdefg"])


def test_groups_colour_the_lines_now_and_when_they_are_drawn_again(here, capsys, monkeypatch):
    table = pd.read_csv("v.csv", index_col=0)
    table.insert(0, "party", ["left"] * 6 + ["right"] * 4)
    table.to_csv("v.csv")
    drawn, draw = [], nbmf.plot.paths
    monkeypatch.setattr(
        nbmf.plot, "paths", lambda fit, **options: drawn.append(options["groups"]) or draw(fit, **options)
    )
    say(capsys, "paths", "v.csv", "--groups", "party", "--periods", "s.csv", *FAST)
    assert "colours are those of groups" in (here / "v.paths/report.html").read_text("utf-8")
    said = " ".join((here / "v.paths/summary.txt").read_text("utf-8").split())
    table = pd.read_csv(here / "v.paths/groups.csv").query("group == 'left'")
    first, last = table.iloc[0], table.iloc[-1]
    told = f"left 6 7: {first['mean']:z.2f} [{first['lower']:z.2f}, {first['upper']:z.2f}] 10: {last['mean']:z.2f} "
    assert told in said
    assert f"{last['change']:z.2f} [{last['change_lower']:z.2f}, {last['change_upper']:z.2f}]" in said
    say(capsys, "plot", "v.paths", "--force")
    assert [list(groups) for groups in drawn] == [["left"] * 6 + ["right"] * 4] * 2


def test_without_a_label_there_are_no_groups_and_of_many_the_largest_are_told(here, capsys, monkeypatch):
    table = pd.read_csv("v.csv", index_col=0)
    for name, labels in (("none", [""] * 10), ("many", list("aabbbccccd"))):
        table.assign(party=labels).to_csv(f"{name}.csv")
    monkeypatch.setattr("nbmf.reporting.paths_report.LISTED", 2)
    said = say(capsys, "paths", "many.csv", "--groups", "party", "--periods", "s.csv", *FAST)
    assert "2 smaller groups left out; means of the rows" in " ".join(said.split())
    lines = (here / "many.paths/summary.txt").read_text("utf-8").splitlines()
    assert [line.split()[:2] for line in lines if " 7: " in line][:2] == [["b", "3"], ["c", "4"]]
    say(capsys, "paths", "none.csv", "--groups", "party", "--periods", "s.csv", *FAST)
    assert not (here / "none.paths/groups.csv").exists()


@pytest.mark.parametrize(
    ("listed", "left_out"), [(1, "2 smaller groups left out; "), (2, "1 smaller group left out; "), (3, "")]
)
def test_a_table_of_groups_has_the_most_rows_that_were_there_and_both_ends(listed, left_out, monkeypatch):
    monkeypatch.setattr("nbmf.reporting.paths_report.LISTED", listed)
    names = ["group", "period", "rows", "mean", "lower", "upper", "change", "change_lower", "change_upper"]
    rows = [["a", "1", 2, 1, 0, 2, 0, 0, 0], ["a", "2", 5, 3, 2, 4, 2, 1, 3], ["a", "3", 3, 4, 3, 5, 3, 2, 4]]
    rows += [["b", "1", 4, 0, -1, 1, 0, 0, 0], ["c", "2", 1, 7, 6, 8, 0, 0, 0]]
    table = _group_table(pd.DataFrame(rows, columns=names), 1)
    a = ["a", "5", "1: 1.00 [0.00, 2.00]", "3: 4.00 [3.00, 5.00]", "3.00 [2.00, 4.00]"]
    assert table.rows[0] == a
    assert [row[:2] for row in table.rows] == [["a", "5"], ["b", "4"], ["c", "1"]][:listed]
    assert table.note.startswith(f"{left_out}means of the rows that are there")


def test_of_a_short_chain_all_sweeps_are_draws_unless_a_number_is_typed(here, capsys):
    short = ["paths", "v.csv", "--periods", "s.csv", "--iterations", "30", "--chains", "1"]
    say(capsys, *short)
    assert nbmf.load(here / "v.paths/model.npz").n_samples == 20
    assert cli.main([*short, "--draws", "21", "--force"]) == cli.FAILED
    assert "--draws 21" in capsys.readouterr().err


def test_pictures_of_paths_take_no_option_of_components_and_have_two_formats(capsys, tmp_path):
    model = nbmf.DynamicFactorGibbs(1, periods=[0, 0, 4, 4], burn_in=5, n_samples=5, random_state=0)
    codes = (np.random.default_rng(0).random((6, 4)) < 0.5).astype(int)
    model.fit(codes).save(tmp_path / "model.npz")
    assert cli.main(["plot", str(tmp_path / "model.npz"), "--components", "2"]) == cli.FAILED
    assert "--components: has no meaning for rows that move" in " ".join(capsys.readouterr().err.split())
    assert cli.main(["plot", str(tmp_path / "model.npz"), "--out", str(tmp_path / "a.svg")]) == cli.FAILED
    assert "must be a folder, or end with .png or .pdf" in " ".join(capsys.readouterr().err.split())
    assert cli.main(["plot", str(tmp_path / "model.npz"), "--out", str(tmp_path / "A.PNG")]) == 0
    assert (tmp_path / "A.PNG").is_file()


def test_a_step_is_over_a_time_of_one():
    model = nbmf.DynamicFactorGibbs(1, periods=[0, 0, 4, 4], burn_in=5, n_samples=5)
    codes = (np.random.default_rng(0).random((6, 4)) < 0.5).astype(int)
    chains = nbmf.run_chains(model, codes, chains=1)
    table = pd.DataFrame({"entries": [1], "component": [1], "row": ["a"]})
    assert any(
        "a step over a time of 1, in the numbers of the periods: " in line for line in _path_facts(chains, table)
    )
    model.set_params(periods=[0, 0, 1, 1])
    assert any("a step of one period: " in line for line in _path_facts(nbmf.run_chains(model, codes, chains=1), table))


def test_steps_are_standard_deviations_of_each_axis():
    """Of variances 0.04 and 0.25, which go together."""
    model = SimpleNamespace(
        title="moving",
        W_=np.zeros((3, 2)),
        H_=np.zeros((2, 4)),
        period_names_=np.array(["1", "2"]),
        period_times_=np.array([1.0, 2.0]),
        walk_covariance_=np.array([[[0.04, 0.03], [0.03, 0.25]]]),
    )
    table = pd.DataFrame({"entries": [1], "component": [1], "row": ["a"]})
    _, said, _ = _path_facts(SimpleNamespace(best=model, estimators=[model]), table)
    assert said.startswith("standard deviation of a step of one period: 0.20 and 0.50, where positions have")


def test_rows_that_surely_moved_are_marked_and_advice_can_be_typed(here, capsys):
    said = say(capsys, "paths", "v.csv", "--periods", "s.csv", *FAST)
    table = pd.read_csv(here / "v.paths/paths.csv")
    ends = table.groupby("row")[["lower", "upper"]].agg(["first", "last"])
    apart = ends["lower"].max(axis=1) > ends["upper"].min(axis=1)
    assert f"{apart.sum()} row{'' if apart.sum() == 1 else 's'} of 10 moved so far that the two do not overlap" in said
    assert "n_samples" not in said
    if "NOT CONVERGED" in said:
        longer, times = re.search(
            r"--iterations (\d+) +makes chains (\d+) times as long", " ".join(said.split())
        ).groups()
        assert int(longer) == int(times) * int(FAST[FAST.index("--iterations") + 1])


@pytest.fixture
def panel(here):
    """Answers from 1 to 4 of 40 people to five questions in three waves, as a file; all move up together."""
    rng = np.random.default_rng(1)
    waves = np.repeat([1, 2, 3], 5)
    psi = rng.normal(size=(40, 1)) + 1.5 * waves + rng.logistic(size=(40, 15))
    answers = np.digitize(psi, [1, 3, 5]) + 1
    names = [f"w{wave}_q{n % 5}" for n, wave in enumerate(waves)]
    pd.DataFrame(answers, [f"p{f}" for f in range(40)], names).to_csv("panel.csv")


def test_ordered_categories_have_paths_of_the_ordinal_model(panel, here, capsys):
    said = say(capsys, "paths", "panel.csv", "--categories", *"1234", "--period-in-names", r"^w(\d)", *FAST)
    assert "dynamic ordinal GS" in said
    assert isinstance(nbmf.load(here / "panel.paths/model.npz"), nbmf.DynamicOrdinalFactorGibbs)
    assert set(pd.read_csv(here / "panel.paths/paths.csv")["period"]) == {1, 2, 3}
    said = say(capsys, "paths", "panel.paths/matrix.npz", "--period-in-names", r"^w(\d)", "--out", "again", *FAST)
    assert "dynamic ordinal GS" in said


def test_a_move_of_all_rows_together_is_said_not_to_be_seen(panel, here, capsys):
    said = say(capsys, "paths", "panel.csv", "--categories", *"1234", "--period-in-names", r"^w(\d)", *FAST)
    assert "nor show a move that all rows make together" in said
    means = pd.read_csv(here / "panel.paths/paths.csv").groupby("period")["mean"].mean()
    assert means.abs().max() < 0.2  # of a true move by 3


def test_counts_have_no_paths_and_the_error_says_what_helps(here, capsys):
    table = pd.read_csv("v.csv", index_col=0).fillna(0) * 7 + 5 * np.arange(18)
    table.to_csv("c.csv")
    assert "--above 0" in say(capsys, "paths", "c.csv", "--periods", "s.csv", *FAST, code=cli.FAILED)
