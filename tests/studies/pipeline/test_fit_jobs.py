"""Fits as jobs: their random streams, what decides their outcome, and what they may use."""

import json
from types import SimpleNamespace

import pytest

from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.errors import ConfigError
from nbmf.fit_key import WHOLE, FitKey, folds_stream, mask_stream
from nbmf_studies.pipeline import fit_jobs
from nbmf_studies.pipeline.paths import Paths, key_of, reference_folder, reference_tables

MASKED, UNMASKED = FitKey("votes", "c-bica", 3, 1, 0), FitKey("votes", "beta-dir-gs", 10, None, 4)


def test_random_streams_have_their_names():
    """Published scores depend on them."""
    assert MASKED.stream() == ["fit", "votes", "c-bica", 3, 1, 0]
    assert MASKED.stream("bica") == ["fit", "votes", "bica", 3, 1, 0]
    assert UNMASKED.stream() == ["complete", "votes", "beta-dir-gs", 10, 4]
    assert UNMASKED._replace(mask=WHOLE).stream() == UNMASKED.stream()
    assert mask_stream("votes", 7) == ["mask", "votes", 7]
    assert folds_stream("votes") == ["folds", "votes"]


@pytest.mark.parametrize("key", [MASKED, UNMASKED, UNMASKED._replace(mask=WHOLE)])
def test_wildcards_name_a_fit_as_its_path_does(key):
    names = {name: "none" if value is None else str(value) for name, value in key._asdict().items()}
    assert key_of(SimpleNamespace(**names)) == key
    assert Paths("results", "matrices").fit("json", **names) == Paths("results", "matrices").report(key)


def test_a_request_is_all_that_decides_the_outcome():
    method = {"class": "BinaryICA", "settings": {"max_iter": 5}, "starts_as": "bica", "label": "mine", "K": [3]}
    assert json.loads(fit_jobs.request(MASKED, method, {})) == {
        "class_name": "BinaryICA",
        "K": 3,
        "settings": {"max_iter": 5},
        "seed_key": ["fit", "votes", "bica", 3, 1, 0],
        "chain_points": 0,
    }


@pytest.mark.parametrize("own", [{}, {"starts": 1}])
def test_several_starts_decide_and_one_leaves_the_text_as_it_was(own):
    method = {"class": "BinaryICA", "settings": {}}
    assert json.loads(fit_jobs.request(MASKED, method | {"starts": 5}, {}))["starts"] == 5
    assert fit_jobs.request(MASKED, method | own, {}) == fit_jobs.request(MASKED, method, {})
    assert "starts" not in json.loads(fit_jobs.request(MASKED, method | own, {}))


def test_what_tells_a_method_of_the_whole_matrix_decides_too():
    method = {"class": "BinaryICA", "settings": {}, "told_by": "nbmf_studies.mine.start:whole"}
    assert json.loads(fit_jobs.request(MASKED, method, {}))["told_by"] == method["told_by"]
    assert fit_jobs.modules(method, {})[2:] == ["nbmf_studies.mine.start"]


@pytest.mark.parametrize("own", [{}, {"arguments": {"draws": 3}}])
def test_what_looks_at_a_fit_gets_its_own_arguments_or_the_datasets_options(own):
    dataset = {"options": {"size": 4}, "measure": "some.module:function", **own}
    request = json.loads(fit_jobs.request(MASKED, METHODS["lda"], dataset))
    assert request["arguments"] == own.get("arguments", {"size": 4})
    assert fit_jobs.modules(METHODS["lda"], dataset)[-1] == "some.module"


@pytest.mark.parametrize(
    ("method", "key", "points"), [("beta-dir-gs", UNMASKED, 1000), ("beta-dir-gs", MASKED, 0), ("bica", UNMASKED, 0)]
)
def test_chains_that_see_a_whole_matrix_keep_more_points(method, key, points):
    assert json.loads(fit_jobs.request(key, METHODS[method], {}))["chain_points"] == points


def test_a_fit_depends_on_its_family_and_takes_what_its_method_may_take():
    assert fit_jobs.modules(METHODS["lda"], {}) == ["nbmf.fits", registry.module_of(METHODS["lda"]["class"])]
    assert [fit_jobs.threads(METHODS[name], 4) for name in ("beta-dir-gs", "logpca")] == [4, 1]
    assert fit_jobs.memory({"class": "BetaDirGibbs", "settings": {}}, 2) == 2 * 2000
    larger = {"class": "BetaDirVB", "settings": {"max_memory_gb": 7.5}}
    assert fit_jobs.memory(larger, 3) == 3 * 2000 + 7500


def test_a_study_is_compared_with_its_own_folder_where_there_is_one(tmp_path):
    (tmp_path / "mine").mkdir()
    assert reference_folder(str(tmp_path), "mine") == str(tmp_path / "mine")
    assert reference_folder(str(tmp_path), "other") == str(tmp_path)


def test_a_reference_without_tables_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("unmasked_scores.csv", "scores.csv", "claims.csv"):
        (tmp_path / "mine" / name).touch()
    (tmp_path / "my_scores.csv").touch()  # of no name that is compared
    found = reference_tables(str(tmp_path), "mine")
    assert found == [str(tmp_path / "mine" / name) for name in ("scores.csv", "unmasked_scores.csv")]
    for folder, why in ((tmp_path, "has no table of scores"), (tmp_path / "nowhere", "there is no such folder")):
        with pytest.raises(ConfigError) as caught:
            reference_tables(str(folder), "other")
        assert str(caught.value).startswith(f"configuration: verify.reference = {str(folder)!r}: {why}")
