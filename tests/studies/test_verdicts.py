"""Verdicts: parts that count, other readings, and what both amount to."""

import pandas as pd
import pytest

from nbmf_studies.framework.verdicts import (
    Claim,
    Part,
    Reading,
    combine_verdicts,
    judge,
    judge_readings,
    reading_functions,
)


def parts(*holds, ours=()):
    return lambda run: [Part(f"part {i}", one, run, i in ours) for i, one in enumerate(holds)]


CLAIMS = [
    Claim("holds", "rule 1", parts(True, True)),
    Claim("fails", "rule 2", parts(False)),
    Claim("half", "rule 3", parts(True, False)),
    Claim("never judged", "rule 4", parts()),
]


@pytest.mark.parametrize(
    ("holds", "ours", "verdict", "count"),
    [
        ((True, False), (), "partly", "1 of 2"),
        ((True, False), (1,), "reproduced", "1 of 1"),
        ((True, False), (0,), "not reproduced", "0 of 1"),
        ((True,), (0,), "not measured", "0 of 0"),
    ],
)
def test_parts_that_are_ours_are_reported_and_do_not_count(holds, ours, verdict, count):
    verdicts, told = judge([Claim("one", "rule", parts(*holds, ours=ours))], "numbers")
    assert verdicts.loc[0, ["verdict", "parts that hold"]].tolist() == [verdict, count]
    assert told["whose"].tolist() == ["ours" if i in ours else "paper" for i in range(len(holds))]
    assert told["holds"].tolist() == list(holds)


READINGS = [
    Reading(4, "measured at last", "rule d", "nothing", parts(True)),
    Reading(2, "b is a scale", "rule a", "a small run", parts(True)),
    Reading(2, "b is a mean", "rule b", "nothing", parts(False)),
    Reading(3, "five starts", "rule c", "nothing", parts(False)),
    Reading(1, "five starts", "rule c", "nothing", parts(False)),
]


def test_other_readings_stand_next_to_the_first_verdict():
    claims, readings = judge(CLAIMS, "numbers")[0], judge_readings(READINGS, "numbers")[0]
    assert readings["number"].tolist() == [1, 2, 2, 3, 4]
    assert readings.columns.tolist() == [
        "number",
        "reading",
        "verdict",
        "parts that hold",
        "rule",
        "known when the rule was written",
    ]
    found = combine_verdicts(claims, readings).set_index("claim")
    assert found["verdict"].to_dict() == {
        "holds": "reproduced",
        "fails": "under another reading",
        "half": "partly",
        "never judged": "reproduced",
    }
    assert found["reading"].tolist() == ["as first published", "b is a scale", "as first published", "measured at last"]
    assert found["as first published"].tolist() == claims["verdict"].tolist()
    assert found.loc["fails", "other readings"] == "b is a scale: reproduced; b is a mean: not reproduced"


def test_a_verdict_so_far_stays_so_in_what_both_amount_to():
    again = [Reading(number, "again", "rule", "nothing", parts(holds)) for number, holds in ((1, True), (2, True))]
    again += [
        Reading(2, "once more", "rule", "nothing", parts(False)),
        Reading(4, "some", "rule", "nothing", parts(True)),
    ]
    claims = judge(CLAIMS, "numbers", lambda run, number: False)[0]
    assert claims["verdict"].tolist() == ["reproduced so far", "not reproduced so far", "partly", "not measured"]
    whole, so_far = judge_readings(again, "numbers")[0], judge_readings(again, "numbers", lambda run, number: False)[0]
    of_all = combine_verdicts(judge(CLAIMS, "numbers")[0], so_far)
    assert of_all["verdict"].tolist() == ["reproduced", "under another reading so far", "partly", "reproduced so far"]
    found = combine_verdicts(claims, whole[whole["reading"] != "again"])
    assert found["verdict"].tolist() == ["reproduced so far", "not reproduced so far", "partly", "reproduced"]


def test_a_claim_without_another_reading_keeps_its_verdict():
    claims = judge(CLAIMS, "numbers")[0]
    found = combine_verdicts(claims, judge_readings([], "numbers")[0])
    assert found["verdict"].tolist() == claims["verdict"].tolist()
    assert found["other readings"].tolist() == [""] * 4


def test_tables_of_readings_take_what_their_run_takes():
    def run(scores):
        return f"{len(scores)} scores"

    verdicts, told = reading_functions(READINGS[:1], run)
    assert told(scores=[1, 2]).loc[0, "evidence"] == "2 scores"
    assert isinstance(verdicts(scores=[]), pd.DataFrame)
