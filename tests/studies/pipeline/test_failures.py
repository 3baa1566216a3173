"""What is said at the end of a run in which fits failed: study by study, each failure once."""

import json
import time
from pathlib import Path

import pytest

from nbmf.errors import DataError
from nbmf.files import write_json
from nbmf.fit_key import FitKey
from nbmf_studies.framework.declaration import Figure, Study
from nbmf_studies.pipeline import failures
from nbmf_studies.pipeline.attempts import attempt
from nbmf_studies.pipeline.paths import Paths
from nbmf_studies.pipeline.targets import StudyRun, Targets

SCRIPT = """
import json, sys
request = json.load(sys.stdin)
with open(sys.argv[0] + ".said", "a") as file:
    figures = [figure["name"] for figure in request["figures"]]
    print(json.dumps([request["folder"], request["gaps"], figures]), file=file)
"""
GAPS = Figure("gaps", "Gaps", make="none:none", with_gaps=True)
WHOLE = Figure("whole", "Whole", make="none:none")


class Plan:
    """As much of a plan as is asked for."""

    def __init__(self, key, *fits):
        self.key, self.fits = key, list(fits)
        self.masked_fits = [fit for fit in fits if fit.mask is not None]
        self.holdout, self.missing_sources = [], {}

    def fits_to_masks(self, datasets):
        return [FitKey(dataset, "bica", 2, mask, 0) for dataset in datasets for mask in range(2)]


@pytest.fixture
def run(tmp_path):
    def run_of(key, *fits):
        study, made = Study(key, key, "nobody", (), ()), Targets([GAPS, WHOLE], [], [])
        return StudyRun(study, Plan(key, *fits), made, Paths(str(tmp_path), "", key))

    return run_of


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    return file


def fits(method, count):
    return [FitKey("votes", method, 2, mask, 0) for mask in range(count)]


def end(run, *failed):
    """Leave the reports of a run's fits, but for those that have failed."""
    for key in run.plan.fits:
        if key in failed:
            with pytest.raises(DataError), attempt(run.paths.attempt(key), key.columns()):
                raise DataError("made to fail")
        else:
            write_json(run.paths.report(key), {"seconds": 1.0})


def test_each_failure_is_said_once_and_what_there_is_is_drawn_by_another_process(run, script, capfd):
    start = time.time()
    bica, logpca = fits("bica", 2), fits("logpca", 2)
    asked, shares, other, whole = (
        run("asked", *bica),
        run("shares", *bica),
        run("other", *bica, *logpca),
        run("whole", *logpca[1:]),
    )
    end(asked, bica[1])
    end(other, bica[1], logpca[0])
    failures.explain([whole, other, shares, asked], ["asked"], start, script)
    lines = capfd.readouterr().out.splitlines()
    log = asked.paths.log(bica[1])
    assert lines[:3] == [
        "",
        "asked: 1 of 2 fits failed.",
        f"failed: bica, K = 2, mask 1, seed 0 of votes: error: made to fail ({log})",
    ]
    assert [line for line in lines if "of votes" in line] == [lines[2], lines[5]]
    assert lines[4] == "other: 2 of 4 fits failed."
    assert lines[-1] == "Run the same command again when the cause is gone: finished fits are kept."
    drawn = [json.loads(line) for line in (script.parent / "script.py.said").read_text().splitlines()]
    gap = [bica[1].columns(), "failed: error: made to fail"]
    assert drawn[0] == [asked.paths.partial, [gap], ["gaps"]]
    assert [folder for folder, _, _ in drawn] == [asked.paths.partial, other.paths.partial]


def test_failures_of_what_is_made_on_request_are_said_too(run, script, capfd):
    start, study = time.time(), run("trials", *fits("bica", 2))
    study.plan.holdout = ["elsewhere"]
    end(study)
    failed, _ = study.plan.fits_to_masks(["elsewhere"])
    with pytest.raises(DataError), attempt(study.paths.attempt(failed), failed.columns()):
        raise DataError("made to fail")
    failures.explain([study], ["trials"], start, script)
    assert "bica, K = 2, mask 0, seed 0 of elsewhere: error: made to fail" in capfd.readouterr().out
    failures.explain([study], ["trials"], time.time() + 1, script)  # a later run that did not try it
    assert capfd.readouterr().out == ""


def interrupt(study, *keys):
    """Leave what a person's Ctrl-C leaves of fits."""
    for key in keys:
        Path(study.paths.report(key)).unlink(missing_ok=True)
        with pytest.raises(KeyboardInterrupt), attempt(study.paths.attempt(key), key.columns()):
            raise KeyboardInterrupt


def test_an_interrupted_fit_has_not_failed(run, script, capfd):
    start, bica = time.time(), fits("bica", 3)
    study = run("asked", *bica)
    end(study)
    interrupt(study, bica[1])
    failures.explain([study], ["asked"], start, script)
    assert capfd.readouterr().out.splitlines() == [
        "",
        "asked: 1 of 3 fits was interrupted.",
        "interrupted: bica, K = 2, mask 1, seed 0 of votes",
        "Run the same command again to go on: finished fits are kept.",
    ]
    assert not (script.parent / "script.py.said").exists()  # nothing failed, nothing is drawn with gaps


def test_failed_and_interrupted_fits_are_counted_apart(run, script, capfd):
    start, bica = time.time(), fits("bica", 4)
    study = run("asked", *bica)
    end(study, bica[0])
    interrupt(study, *bica[1:3])
    failures.explain([study], ["asked"], start, script)
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "asked: 1 of 4 fits failed, 2 were interrupted."
    assert [line.partition(":")[0] for line in lines[2:5]] == ["failed", "interrupted", "interrupted"]
    assert lines[-1] == "Run the same command again when the cause is gone: finished fits are kept."
    (drawn,) = (script.parent / "script.py.said").read_text().splitlines()
    assert [reason for _, reason in json.loads(drawn)[1]] == ["failed: error: made to fail", *["interrupted"] * 2]


def test_without_a_failed_fit_nothing_is_said_or_drawn(run, script, capfd):
    study = run("asked", *fits("bica", 1))
    failures.explain([study], ["asked"], time.time(), script)
    end(study)
    failures.explain([study], ["asked"], time.time(), script)
    assert capfd.readouterr().out == ""
    assert not (script.parent / "script.py.said").exists()


def test_a_run_says_where_the_results_of_what_it_made_are(run, tmp_path, capsys):
    failures.say_where([run("made"), run("other")], {"made"})
    folder = f"{tmp_path}/made"
    assert capsys.readouterr().out == f"made: tables are in {folder}/tables, figures in {folder}/figures\n"


def test_what_a_failure_left_goes_when_every_fit_of_the_study_is_there(run):
    bica = fits("bica", 2)
    whole, other = run("whole", *bica, FitKey("votes", "bica", 2, None, 0)), run("other", *bica, *fits("logpca", 1))
    for study in (whole, other):
        Path(study.paths.partial).mkdir(parents=True)
    for key in bica:
        write_json(whole.paths.report(key), {"seconds": 1.0})
    failures.forget([whole, other, run("never", *bica)])
    assert not Path(whole.paths.partial).exists()
    assert Path(other.paths.partial).exists()
