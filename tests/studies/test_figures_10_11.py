"""Figures 10 and 11 of small runs: a line that is not fitted is named, and captions explain marks that can be there."""

import copy

import pytest
from studies_of_today import CONFIG, STUDIES

from nbmf_studies.framework.declaration import FOLDER
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020.study import FIGURE_11
from nbmf_studies.pipeline import front_page, targets
from nbmf_studies.pipeline.paths import Paths

KEY = "lumbreras2020"


def changed(study=(), **grids):
    """Return the shipped configuration with other entries of the study, and other grids of K."""
    config = copy.deepcopy(CONFIG)
    config["studies"][KEY] |= dict(study)
    for method, grid in grids.items():
        config["methods"][method.replace("_", "-")]["K"] = grid
    return config


@pytest.mark.parametrize("config", [CONFIG, changed(c_bica=[2, 8]), changed({"methods": ["bica"]})])
def test_every_line_that_is_named_is_in_figure_11_fitted_or_not(config):
    series = FIGURE_11.arguments(Plan(KEY, config))["series"]
    assert [line[2] for line in series] == ["Beta-Dir VB", "c-bICA-5", "bICA-5"]


def caption_of_figure_10(config):
    plan, study = Plan(KEY, config), STUDIES[KEY]
    run = targets.StudyRun(study, plan, targets.targets_of(study, plan), Paths("results", "matrices", KEY))
    captions = front_page.report_arguments(config | {"run": {"studies": [KEY]}}, {KEY: run}, FOLDER)["captions"]
    return captions[run.paths.figure("figure_10", "png")]


@pytest.mark.parametrize(
    ("study", "explained"),
    [
        ({}, {"dagger", "triangle"}),
        ({"unmasked": {}}, {"triangle"}),  # no chain is diagnosed
        ({"methods": ["bica", "beta-dir-gs"]}, {"dagger"}),
    ],
)
def test_the_caption_of_figure_10_explains_the_marks_that_the_run_can_have(study, explained):
    caption = caption_of_figure_10(changed(study))
    assert {mark for mark in ("dagger", "triangle") if mark in caption} == explained
