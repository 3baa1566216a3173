"""docs/judge_study.py: what is published of the claims of a study is what its rules make of its published values."""

import importlib

import pytest
from checkout import ROOT

STUDIES = ["cemgil2009", "klami2015", "ohn2022", "shan2009", "votes_as_cast"]


@pytest.fixture(scope="module")
def judge_study():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("judge_study")


@pytest.mark.parametrize("study", STUDIES)
def test_to_judge_again_from_the_same_values_changes_neither_page_nor_files(judge_study, study):
    before = {path: path.read_bytes() for path in (ROOT / "reference" / study).iterdir()}
    sections = judge_study.published_sections(ROOT, study)
    assert [section.partition("\n")[0] for section in sections].count("### Claims") == 1
    assert judge_study.renewed_sections(study) == sections
    assert {path: path.read_bytes() for path in (ROOT / "reference" / study).iterdir()} == before


def test_parts_whose_values_are_not_published_stay(judge_study):
    plan = judge_study.shipped_plan("ohn2022")
    tables = {table.name: table for table in judge_study.all_studies()["ohn2022"].tables_of(plan)}
    assert judge_study.published(plan, tables["draws"]) is None
    verdicts, parts = judge_study.verdicts_and_parts(plan, tables, "claims")
    assert verdicts["parts that hold"].tolist() == ["6 of 6", "6 of 6", "1 of 1", "1 of 1", "3 of 3"]
    assert parts["evidence"].iloc[-1] == "more features: 21.626 (21.250 to 22.002)"
    assert parts["holds"].dtype == bool
