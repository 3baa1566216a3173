"""Verdicts on the pages of studies are those of the published parts, by the rules of the code."""

import importlib
import re

import pandas as pd
import pytest
from checkout import ROOT

from nbmf_studies.framework.verdicts import NOT_MEASURED, NOT_REPRODUCED, PARTLY, REPRODUCED, SO_FAR

FIRST = ["number", "claim", "verdict", "parts that hold", "rule"]
AGAIN = ["number", "reading", "verdict", "parts that hold", "rule", "known when the rule was written"]
STUDIES = [path.parent.name for path in sorted((ROOT / "reference").glob("*/claims_parts.csv"))]
READ_AGAIN = [path.parent.name for path in sorted((ROOT / "reference").glob("*/readings_parts.csv"))]

WITHOUT_A_SET = {("shan2009", 7)}  # claims about MovieLens, which may not be passed on, and other sets


def cells(line):
    """Return the cells of a row of a table, in which a bar of a text is escaped."""
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def table_of(study, columns):
    """Return the table with these columns of a study's page."""
    lines = (ROOT / f"docs/{study}.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|") and cells(line) == columns)
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append(cells(line))
    return rows


def verdict_of(parts):
    """Return the verdict on a claim, and how many of the paper's parts hold."""
    held, count = int(parts["holds"].sum()), len(parts)
    words = PARTLY if 0 < held < count else REPRODUCED if held else NOT_REPRODUCED
    return [words if count else NOT_MEASURED, f"{held} of {count}"]


def published_parts(study, name):
    parts = pd.read_csv(ROOT / f"reference/{study}/{name}.csv")
    return parts[parts["whose"] != "ours"] if "whose" in parts else parts


@pytest.mark.parametrize("study", STUDIES)
def test_the_first_verdicts_of_a_page_are_those_of_its_parts_and_rules(study):
    claims = importlib.import_module(f"nbmf_studies.{study}.claims").CLAIMS
    parts, expected = published_parts(study, "claims_parts"), []
    for number, claim in enumerate(claims, start=1):
        verdict, count = verdict_of(parts[parts["number"] == number])
        verdict += SO_FAR * ((study, number) in WITHOUT_A_SET)
        expected.append([str(number), claim.claim, verdict, count, claim.rule])
    assert table_of(study, FIRST) == expected


@pytest.mark.parametrize("study", READ_AGAIN)
def test_the_second_verdicts_of_a_page_are_those_of_its_parts_and_rules(study):
    readings = importlib.import_module(f"nbmf_studies.{study}.readings").READINGS
    parts = published_parts(study, "readings_parts")
    expected = [
        [
            str(one.number),
            one.reading,
            *verdict_of(parts[(parts["number"] == one.number) & (parts["reading"] == one.reading)]),
            one.rule,
            one.known,
        ]
        for one in sorted(readings, key=lambda one: one.number)
    ]
    assert table_of(study, AGAIN) == expected
