"""What `make status` says, and what is left of a run in which fits failed."""

import json
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from nbmf.catalogue import METHODS
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.score_table import FACTS
from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import drawn_dataset
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020.study import FIGURE_10, FIGURE_11, STUDY
from nbmf_studies.pipeline import status, targets
from nbmf_studies.pipeline.attempts import attempt
from nbmf_studies.pipeline.parameters import as_text
from nbmf_studies.pipeline.partial import partial_request, write_partial
from nbmf_studies.pipeline.paths import Paths
from nbmf_studies.pipeline.status import FitFiles


class Killed(BaseException):
    """As a process that is killed: it writes nothing."""


ERRORS = {
    "failed": DataError("the matrix is empty"),
    "long": ConfigError("my_methods cannot be imported:\nNo module named 'x'\nwhich it needs"),
    "crashed": MemoryError("too large"),
    "begun": Killed(),
    "interrupted": KeyboardInterrupt(),
}


def key(dataset="votes", method="bica", K=2, mask=0):
    return {"dataset": dataset, "method": method, "K": K, "mask": mask, "seed": 0}


def fit(folder, *, seconds=None, ended=None, **changes):
    """Make the files of one fit: a report if it has taken seconds, an attempt that has ended as ERRORS says."""
    about = key(**changes)
    stem = folder / "-".join(map(str, about.values()))
    if seconds is not None:
        facts = dict.fromkeys(FACTS, 1) | {
            "seconds": seconds,
            "perplexity": 0.5,
            "saturated": 0,
            "status": "ok",
            "settings": {},
            "further_scores": {},
        }
        stem.with_suffix(".json").write_text(json.dumps(facts))
    if ended is not None:
        with suppress(type(ERRORS[ended])), attempt(stem.with_suffix(".attempt"), about):
            raise ERRORS[ended]
    return FitFiles(about, *(str(stem.with_suffix(suffix)) for suffix in (".json", ".attempt", ".log")))


@pytest.mark.parametrize(
    ("made", "state", "reason"),
    [
        ({"seconds": 2.0}, "done", ""),
        ({"seconds": 2.0, "ended": "begun"}, "done", ""),  # killed between its report and its end
        ({}, "missing", ""),
        ({"ended": "failed"}, "failed", "error: the matrix is empty"),
        ({"ended": "long"}, "failed", "error: my_methods cannot be imported:"),
        ({"ended": "crashed"}, "failed", "MemoryError: too large"),
        ({"ended": "begun"}, "begun", ""),
        ({"ended": "interrupted"}, "begun", "interrupted"),
    ],
)
def test_the_state_of_a_fit(made, state, reason, tmp_path):
    (found,) = status.states_of([fit(tmp_path, **made)])
    assert (found.state, found.reason) == (state, reason)
    assert found.seconds == made.get("seconds")


def test_a_damaged_result_is_done_without_seconds(tmp_path):
    made = fit(tmp_path, seconds=1.0)
    (tmp_path / "votes-bica-2-0-0.json").write_text("{")
    (found,) = status.states_of([made])
    assert (found.state, found.seconds) == ("done", None)


def test_what_had_begun_has_failed_once_nothing_runs(tmp_path):
    fits = [fit(tmp_path, ended="begun"), fit(tmp_path, mask=1), fit(tmp_path, mask=2, ended="interrupted")]
    begun, missing, interrupted = status.states_at_end(status.states_of(fits), start=0)
    assert (begun.state, missing.state, interrupted.state) == ("failed", "missing", "interrupted")
    assert "killed" in begun.reason
    assert interrupted.reason == "interrupted"


def test_failures_of_earlier_runs_are_not_of_this_one(tmp_path):
    before = [fit(tmp_path, mask=mask, ended=ended) for mask, ended in enumerate(("begun", "failed"))]
    start = time.time()
    fits = [*before, fit(tmp_path, mask=2, ended="crashed"), fit(tmp_path, mask=3), fit(tmp_path, mask=9, seconds=1.0)]
    found = status.states_at_end(status.states_of(fits), start)
    assert [state.state for state in found] == ["missing", "missing", "failed", "missing", "done"]
    assert [state.reason for state in found] == ["", "", "MemoryError: too large", "", ""]


def test_the_summary_counts_and_estimates(tmp_path):
    fits = [
        *(fit(tmp_path, mask=mask, seconds=99.4) for mask in range(2)),
        *(fit(tmp_path, mask=mask) for mask in range(2, 5)),
        fit(tmp_path, mask=5, ended="failed"),
        fit(tmp_path, method="logpca"),
    ]
    text = status.summary(status.states_of(fits), {"votes": 100}, cores=2)
    lines = {tuple(line.split()[:2]): line.split()[2:] for line in text.splitlines() if line}
    assert lines["dataset", "method"] == ["fits", "done", "failed", "begun", "missing", "time", "left"]
    assert lines["votes", "bica"] == ["6", "2", "1", "0", "3", "3", "min"]  # 4 x 100 s / 2
    assert lines["votes", "logpca"] == ["1", "0", "0", "0", "1", "?"]
    assert lines["all", "7"] == ["2", "1", "0", "4", ">", "3", "min"]
    for threads, minutes in ((2, "7"), (9, "7")):  # of two cores no fit has more
        assert f"   {minutes} min" in status.summary(status.states_of(fits), {}, 2, {"bica": threads})
    assert "1 fits of methods that have no finished fit yet are not estimated" in text
    assert "failed: bica, K = 2, mask 5, seed 0 of votes: error: the matrix is empty (" in text


def test_an_estimate_comes_from_the_nearest_finished_fit(tmp_path):
    done = [fit(tmp_path, seconds=99.4), fit(tmp_path, K=3, seconds=399.4)]
    left = {
        "the same K": (fit(tmp_path, mask=1), 100),
        "another K": (fit(tmp_path, K=4), 250),
        "another dataset, ten times as large": (fit(tmp_path, dataset="large"), 2494.6),
    }
    for made, seconds in left.values():
        states = status.states_of([*done, made])
        estimate = status._Estimate(states, {"votes": 100, "large": 1000}, {})
        assert estimate.seconds(states) == pytest.approx(seconds)


def test_scores_and_figure_10_show_gaps_and_reasons(tmp_path):
    fits = [
        *(fit(tmp_path, mask=mask, seconds=1.0) for mask in range(2)),
        fit(tmp_path, mask=2, ended="failed"),
        fit(tmp_path, method="logpca", ended="crashed"),
        fit(tmp_path, method="logpca", mask=1),
    ]
    methods = {name: {**METHODS[name], "K": [2], "settings": {}} for name in ("bica", "logpca")}
    study = {"datasets": ["votes"], "methods": list(methods), "masks": 3, "seeds": [0]}
    config = {
        "methods": methods,
        "datasets": {"votes": {}},
        "studies": {
            "lumbreras2020": {
                **study,
                "holdout": [],
                "further_methods": [],
                "overrides": {},
                "unmasked": {},
                "options": {},
            }
        },
    }
    plan = Plan("lumbreras2020", config)
    made = targets.Targets([FIGURE_10, FIGURE_11], [], [])  # of which one needs more than scores
    run = targets.StudyRun(STUDY, plan, made, Paths(str(tmp_path), "", "lumbreras2020"))
    states = status.states_of(fits)
    assert partial_request(run, [s for s in states if s.state != "failed"]) is None
    request = json.loads(as_text(partial_request(run, states), keep_order=True))
    assert write_partial(**request) == ["scores", "figure_10"]
    folder = tmp_path / "lumbreras2020/partial"
    scores = pd.read_csv(folder / "scores.csv")
    assert scores["status"].tolist() == [
        "ok",
        "ok",
        "failed: error: the matrix is empty",
        "failed: MemoryError: too large",
        "not run",
    ]
    np.testing.assert_array_equal(scores["perplexity"].isna(), [False, False, True, True, True])
    assert (folder / "figure_10.png").stat().st_size > 10_000
    assert {path.name for path in folder.iterdir()} == {"scores.csv", "figure_10.pdf", "figure_10.png"}


def test_other_studies_are_looked_at_once_they_were_begun(tmp_path):
    """By a fit that none of the usual studies makes, finished or not; what is made on request is apart."""
    paths = Paths(str(tmp_path), "matrices")
    shared, first, second, asked = (FitKey("votes", method, 2, "0", 0) for method in ("bica", "vb", "gs", "icm"))

    def run(usual, on_request=()):
        return SimpleNamespace(fits=lambda: list(usual), fits_on_request=lambda: list(on_request))

    runs = {"one": run([shared]), "two": run([shared, first, second], [asked]), "three": run([shared])}

    def looked_at():
        return status.fits_to_show(runs, ["one"], paths)

    def begin(path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()

    begin(paths.report(shared))
    assert looked_at() == [shared]
    begin(paths.attempt(asked))
    assert looked_at() == [shared, asked]
    begin(paths.report(second))
    assert looked_at() == [shared, first, second, asked]
    assert status.fits_to_show(runs, ["two"], paths) == [shared, first, second, asked]


def test_fits_to_drawn_data_are_one_row_per_recipe_and_method(tmp_path):
    name, _ = drawn_dataset(
        "nbmf_studies.klami2015.simulation", {"setup": ["poisson", 50, 0.5], "seed": 0, "kind": "CountMatrix"}
    )
    assert name == "klami2015-simulation-poisson-50-0.5-0-CountMatrix"
    names = [name, name.replace("-0-Count", "-1-Count"), "beta_dir_1"]
    fits = [FitKey(dataset, "vb", 2, "whole", 0) for dataset in names]
    lines = status.summary(
        status.states_of(status.files_of(fits, Paths(str(tmp_path), "matrices"))), {}, 1
    ).splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["klami2015-simulation", "vb", "2"],
        ["beta_dir_1", "vb", "1"],
        ["all", "3", "0"],
    ]
