"""Datasets as jobs: their files, the code that builds them, and what can be downloaded for them."""

import json

import pytest
from checkout import shipped_configuration

from nbmf_studies.pipeline import dataset_jobs

CONFIG = shipped_configuration()
SOURCES = {
    "first": {"address": "https://example.org/first.csv", "sha256": "1" * 64, "bytes": 1},
    "second": {"path": "second.csv", "sha256": "2" * 64, "bytes": 1},
}
RECIPE = {"recipe": "animals", "files": {"b": "first", "a": "second"}, "options": {}, "published": "first"}
AT_ADDRESS = {"file": "https://example.org/votes.csv", "read": {"one": "yes"}}


def test_files_are_those_of_the_recipe_by_their_names_or_the_one_it_is():
    raw = ["data/raw/second.csv", "data/raw/example.org/first.csv"]
    assert dataset_jobs.files(RECIPE, SOURCES) == raw
    assert dataset_jobs.published(RECIPE, SOURCES) == raw[1]
    assert dataset_jobs.files(AT_ADDRESS, SOURCES) == ["data/raw/example.org/votes.csv"]
    assert dataset_jobs.published(AT_ADDRESS, SOURCES) == []
    assert dataset_jobs.files({"file": "./mine/votes.csv"}, SOURCES) == ["mine/votes.csv"]


def test_it_depends_on_what_builds_it():
    assert "nbmf_studies.recipes.animals" in dataset_jobs.modules(RECIPE)
    assert "nbmf.io.reading" in dataset_jobs.modules(AT_ADDRESS)
    study = {"recipe": "nbmf_studies.lumbreras2020.synthetic"}
    assert "nbmf_studies.lumbreras2020.synthetic" in dataset_jobs.modules(study)


@pytest.mark.parametrize("key", ["axes", "held_out", "sha256"])
def test_what_is_used_elsewhere_builds_no_matrix_again(key):
    assert dataset_jobs.request({**RECIPE, key: "any"}) == dataset_jobs.request(RECIPE)
    assert json.loads(dataset_jobs.request({**RECIPE, "transpose": True}))["transpose"]


def test_every_source_can_be_downloaded_and_every_file_at_an_address():
    checked = {**AT_ADDRESS, "sha256": "3" * 64}
    for datasets in ({"a": AT_ADDRESS, "b": checked, "c": RECIPE}, {"a": checked, "b": AT_ADDRESS}):
        found = dataset_jobs.downloads(datasets, SOURCES)
        assert list(found) == ["example.org/votes.csv", "example.org/first.csv", "second.csv"]
        assert found["example.org/votes.csv"]["sha256"] == "3" * 64
    shared = dataset_jobs.downloads({"a": {"file": "https://example.org/first.csv"}}, SOURCES)
    assert shared["example.org/first.csv"]["sha256"] == "1" * 64


def test_entries_are_counted_where_the_size_is_known():
    counts = dataset_jobs.entry_counts({"a": {"counts": {"rows": 50, "columns": 85}}, "b": {}})
    assert counts == {"a": 4250}
