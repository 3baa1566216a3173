"""The row that a fit leaves until its report is there: that it has begun, or that it has failed and why."""

import json
import time

import pytest

from nbmf.errors import DataError
from nbmf_studies.pipeline.attempts import Attempt, attempt, read_attempt

KEY = {"dataset": "votes", "method": "bica", "K": 2, "mask": 0, "seed": 0}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "fits/K2-mask0-seed0.attempt"


def failed(file, error):
    with pytest.raises(type(error)), attempt(file, KEY):
        raise error
    return read_attempt(file)


def test_a_fit_that_runs_says_so_and_one_that_succeeds_leaves_nothing(file):
    before = time.time()
    with attempt(file, KEY):
        row = read_attempt(file)
        assert (row.key, row.state, row.reason, row.kind, row.traceback) == (KEY, "begun", "", "", False)
        assert before <= row.seconds <= time.time()
    assert not file.exists()
    assert read_attempt(file) is None


def test_an_error_raised_on_purpose_is_a_reason_of_one_line(file):
    row = failed(file, DataError("votes.csv: row 2\nand more"))
    assert (row.state, row.reason, row.kind, row.traceback) == ("failed", "error: votes.csv: row 2", "DataError", False)


def test_any_other_error_has_its_kind_and_a_traceback_in_the_log(file):
    row = failed(file, MemoryError("too large"))
    assert (row.reason, row.kind, row.traceback) == ("MemoryError: too large", "MemoryError", True)


def test_what_is_interrupted_has_begun(file):
    assert failed(file, KeyboardInterrupt()).state == "begun"


def test_a_second_attempt_replaces_the_first_and_removes_it_when_it_succeeds(file):
    first = failed(file, DataError("made to fail"))
    with attempt(file, KEY):
        assert read_attempt(file).state == "begun"
        assert read_attempt(file).seconds >= first.seconds
    assert not file.exists()


def test_a_disk_that_is_full_hides_no_error(file, monkeypatch):
    def fill():
        monkeypatch.setattr("nbmf_studies.pipeline.attempts.write_json", full)
        raise DataError("made to fail")

    def full(*_):
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError), attempt(file, KEY):
        fill()


@pytest.mark.parametrize("text", ["", "{", "[]", '"begun"', '{"state": "begun"}', '{"other": 1}', "\0"])
def test_a_file_that_is_not_whole_is_no_attempt(file, text):
    file.parent.mkdir()
    file.write_text(text)
    assert read_attempt(file) is None


def test_the_file_is_json_with_all_of_it(file):
    row = failed(file, DataError("made to fail"))
    assert Attempt(**json.loads(file.read_text())) == row
    assert json.loads(file.read_text()).keys() == {"key", "time", "state", "reason", "kind", "traceback"}
