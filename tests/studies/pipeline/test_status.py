"""What `make status` says, and what is left of a run in which fits failed."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from nbmf.catalogue import METHODS
from nbmf.evaluation.score_table import FACTS
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020.study import FIGURE_10, FIGURE_11
from nbmf_studies.pipeline import status
from nbmf_studies.pipeline.partial import write_partial
from nbmf_studies.pipeline.status import FitFiles

LOGS = {
    "failed": "beginning\nerror: the matrix is empty\n",
    "long": "error: my_methods cannot be imported:\nNo module named 'x'\nwhich it needs\n",
    "crashed": "Traceback (most recent call last):\n  ...\nMemoryError: too large\n",
    "begun": "iteration 5 of 10\n",
    "finished": "done\nfinished\n",
}


def key(dataset="votes", method="bica", K=2, mask=0):
    return {"dataset": dataset, "method": method, "K": K, "mask": mask, "seed": 0}


def fit(folder, *, seconds=None, log=None, **changes):
    """Make the files of one fit: a result if it has taken seconds, a log if it is given."""
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
    if log is not None:
        stem.with_suffix(".log").write_text(LOGS[log])
    return FitFiles(about, str(stem.with_suffix(".json")), str(stem.with_suffix(".log")))


@pytest.mark.parametrize(
    ("made", "state", "reason"),
    [
        ({"seconds": 2.0, "log": "finished"}, "done", ""),
        ({"seconds": 2.0}, "done", ""),
        ({}, "missing", ""),
        ({"log": "failed"}, "failed", "error: the matrix is empty"),
        ({"log": "long"}, "failed", "error: my_methods cannot be imported:"),
        ({"log": "crashed"}, "failed", "MemoryError: too large"),
        ({"log": "begun"}, "begun", ""),
        ({"log": "finished"}, "missing", ""),  # the result was removed
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
    states = status.states_of([fit(tmp_path, log="begun"), fit(tmp_path, mask=1)])
    begun, missing = status.after_the_end(states, start=0)
    assert (begun.state, missing.state) == ("failed", "missing")
    assert "killed" in begun.reason


def test_failures_of_earlier_runs_are_not_of_this_one(tmp_path):
    logs = ("begun", "failed", "crashed", "finished")
    fits = [fit(tmp_path, mask=mask, log=log) for mask, log in enumerate(logs)]
    states = status.states_of([*fits, fit(tmp_path, mask=9, seconds=1.0)])
    for made in fits[:2]:
        os.utime(made.log, (1000, 1000))
    found = status.after_the_end(states, start=2000)
    assert [state.state for state in found] == ["missing", "missing", "failed", "missing", "done"]
    assert [state.reason for state in found] == ["", "", "MemoryError: too large", "", ""]


def test_the_summary_counts_and_estimates(tmp_path):
    fits = [
        *(fit(tmp_path, mask=mask, seconds=99.4, log="finished") for mask in range(2)),
        *(fit(tmp_path, mask=mask) for mask in range(2, 5)),
        fit(tmp_path, mask=5, log="failed"),
        fit(tmp_path, method="logpca"),
    ]
    text = status.summary(status.states_of(fits), {"votes": 100}, cores=2)
    lines = {tuple(line.split()[:2]): line.split()[2:] for line in text.splitlines() if line}
    assert lines["dataset", "method"] == ["fits", "done", "failed", "begun", "missing", "time", "left"]
    assert lines["votes", "bica"] == ["6", "2", "1", "0", "3", "3", "min"]  # 4 x 100 s / 2
    assert lines["votes", "logpca"] == ["1", "0", "0", "0", "1", "0", "s"]
    assert lines["all", "7"] == ["2", "1", "0", "4", "3", "min"]
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
        estimate = status._Estimate(states, {"votes": 100, "large": 1000})
        assert estimate.seconds(states) == pytest.approx(seconds)


def test_scores_and_figure_10_show_gaps_and_reasons(tmp_path):
    made = tmp_path / "fits"
    made.mkdir()
    fits = [
        *(fit(made, mask=mask, seconds=1.0) for mask in range(2)),
        fit(made, mask=2, log="failed"),
        fit(made, method="logpca", log="crashed"),
        fit(made, method="logpca", mask=1),
    ]
    methods = {name: {**METHODS[name], "K": [2], "settings": {}} for name in ("bica", "logpca")}
    study = {"datasets": ["votes"], "methods": list(methods), "masks": 3, "seeds": [0]}
    config = {
        "methods": methods,
        "datasets": {"votes": {}},
        "studies": {
            "lumbreras2020": {
                **study,
                "held_back": [],
                "further_methods": [],
                "fewer": {},
                "unmasked": {},
                "options": {},
            }
        },
    }
    plan = Plan("lumbreras2020", config)
    figures = [FIGURE_10, FIGURE_11]  # of which one needs more than scores
    states = status.states_of(fits)
    folder = tmp_path / "partial"
    assert write_partial(folder, [s for s in states if s.state != "failed"], plan, figures) == []
    assert not folder.exists()
    assert write_partial(folder, states, plan, figures) == ["scores", "figure_10"]
    scores = pd.read_csv(tmp_path / "partial/scores.csv")
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
