"""docs/judge_study.py, judge_again.py: what is published of claims is what their rules make of published values."""

import importlib

import pandas as pd
import pytest
from checkout import ROOT

STUDIES = ["cemgil2009", "klami2015", "ohn2022", "shan2009", "votes_as_cast"]


@pytest.fixture(scope="module")
def judge_study():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("judge_study")


@pytest.fixture(scope="module")
def judge_again(judge_study):
    return importlib.import_module("judge_again")


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


def test_to_judge_the_main_study_again_changes_neither_page_nor_files(judge_again):
    folder = ROOT / "reference/lumbreras2020"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    sections = judge_again.published_sections()
    assert judge_again.judge_sections(sections) == sections
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_text_has_its_own_medians_and_the_parts_that_these_do_not_decide(judge_again):
    parts = judge_again.judge_first()[1]
    section = next(each for each in judge_again.published_sections() if each.startswith(judge_again.MEDIANS))
    medians = judge_again.read_medians(section)
    assert medians.query("dataset == 'lastfm' and method == 'beta-dir-vb'")["perplexity"].tolist() == [0.1611]
    verdicts, of_text = judge_again.judge_text(parts, medians)
    assert verdicts["verdict"].tolist() == ["partly", "not reproduced", "partly", "partly", "reproduced", "reproduced"]
    assert of_text["where"].tolist() == parts["where"].tolist()
    both = parts.merge(of_text, on=["number", "where"], suffixes=("", "_of_text"))
    differ = both[both["holds"] != both["holds_of_text"]]
    assert differ["where"].tolist() == ["better on lastfm", "worse on lastfm", "with a suitable K alone on lastfm"]
    same = of_text["number"].isin([5, 6]) | (of_text["where"] == "varies less")
    pd.testing.assert_frame_equal(
        of_text[same].reset_index(drop=True),
        parts[parts["where"].isin(of_text.loc[same, "where"])].reset_index(drop=True),
    )
