"""A job: its parameters as text, its log with all it prints, and how it ended."""

import sys

import pytest

from nbmf.errors import DataError
from nbmf_studies.pipeline.jobs import logged
from nbmf_studies.pipeline.parameters import as_text


@pytest.fixture
def log(tmp_path):
    return tmp_path / "job.log"


def lines(log):
    return log.read_text(encoding="utf-8").splitlines()


def fail(log, error):
    with logged(str(log)):
        print("work")
        raise error


def test_all_output_goes_to_the_log_and_nowhere_else(log, capsys):
    with logged(str(log)):
        print("to standard output, with γ")
        print("to standard error", file=sys.stderr)
    assert lines(log)[:-1] == ["to standard output, with γ", "to standard error"]
    assert capsys.readouterr() == ("", "")
    print("after")
    assert capsys.readouterr().out == "after\n"


def test_lines_are_there_while_the_job_runs(log):
    with logged(str(log)):
        print("iteration 1 of 2")
        assert lines(log) == ["iteration 1 of 2"]


def test_the_last_line_says_that_it_came_to_its_end(log):
    with logged(str(log)):
        print("work")
    assert lines(log) == ["work", "finished"]


def test_an_error_raised_on_purpose_is_one_line(log):
    with pytest.raises(SystemExit) as ended:
        fail(log, DataError("votes.rda: row 2: the vote is 'maybe'"))
    assert ended.value.code == 1
    assert lines(log) == ["work", "error: votes.rda: row 2: the vote is 'maybe'"]


def test_any_other_error_is_logged_with_its_place(log, capsys):
    with pytest.raises(SystemExit) as ended:
        fail(log, RuntimeError("nobody thought of this"))
    assert ended.value.code == 1
    text = lines(log)
    assert text[:2] == ["work", "Traceback (most recent call last):"]
    assert any("test_jobs.py" in line for line in text)
    assert text[-1] == "RuntimeError: nobody thought of this"
    assert capsys.readouterr() == ("", "")


def test_an_interruption_is_a_word_in_the_log_and_no_traceback_on_the_screen(log, capsys):
    with pytest.raises((SystemExit, KeyboardInterrupt)) as ended:
        fail(log, KeyboardInterrupt())
    assert (ended.type, ended.value.args) == (SystemExit, (130,))
    assert lines(log) == ["work", "interrupted"]
    assert capsys.readouterr() == ("", "")


def test_an_earlier_log_is_replaced(log):
    log.write_text("of another run\n" * 9)
    with logged(str(log)):
        pass
    assert len(lines(log)) == 1


def test_the_order_of_parameters_is_none_of_them_unless_it_is_shown():
    one, other = {"alpha": 1, "beta": 2}, {"beta": 2, "alpha": 1}
    assert as_text(one) == as_text(other) == '{"alpha": 1, "beta": 2}'
    assert as_text(one) != as_text({"alpha": 2, "beta": 1})
    assert as_text(other, keep_order=True) == '{"beta": 2, "alpha": 1}'
