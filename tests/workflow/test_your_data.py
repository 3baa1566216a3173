"""docs/your-data.md, done as it says: a file, and an entry for it."""

import copy
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from checkout import ROOT, Checkout

import nbmf
from nbmf.data.matrix import BinaryMatrix

PAGE = (ROOT / "docs/your-data.md").read_text(encoding="utf-8")


def blocks(language):
    """Return the blocks of a language in the page, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


(CSV,), REPORT = blocks("csv"), blocks("text")[0]
READ, (ENTRY,) = blocks("py")[0], blocks("yaml")
VOTES = yaml.safe_load(ENTRY)
SCORES = "all_methods_table_scores"
FITS = 3 * (1 + 2)  # masks; beta-dir-vb with one K, bICA with two


def test_reading_the_file_says_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(CSV)
    names = {}
    exec(compile(READ, "your-data.md", "exec"), names)
    assert capsys.readouterr().out == REPORT
    assert names["V"].shape == (9, 8)
    assert set(names["V"].row_groups) == {"red", "blue", "none"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout in which the page's first example has run."""
    checkout = Checkout(tmp_path_factory.mktemp("your_data"))
    (checkout.folder / "data").mkdir(exist_ok=True)
    (checkout.folder / "data/votes.csv").write_text(CSV)
    done = checkout.snakemake(config=VOTES)
    assert done.returncode == 0, done.stdout
    return checkout


def scores(checkout):
    return pd.read_csv(checkout.folder / "results/votes/all_methods/tables/scores.csv")


def merged(*configs):
    """Lay configurations over each other, as Snakemake does with several files."""
    result = {}
    for config in configs:
        for key, value in config.items():
            known = result.get(key)
            both = isinstance(known, dict) and isinstance(value, dict)
            result[key] = merged(known, value) if both else copy.deepcopy(value)
    return result


@pytest.mark.workflow
def test_a_file_and_an_entry_join_figure_10(checkout):
    results = checkout.folder / "results/votes/all_methods"
    assert (results / "figures/figure_10.png").stat().st_size > 4000
    assert set(pd.read_csv(results / "tables/ranking.csv")["method"]) > {"beta-dir-vb", "bica"}
    table = scores(checkout)
    assert len(table) == FITS
    assert set(table["dataset"]) == {"votes"}
    log = (checkout.folder / "data/logs/datasets/votes.log").read_text()
    assert log.startswith(f"data/{REPORT}")
    matrix = BinaryMatrix.load(checkout.folder / "data/matrices/votes.npz")
    expected = nbmf.read(checkout.folder / "data/votes.csv", log=[].append, **VOTES["datasets"]["votes"]["read"])
    np.testing.assert_array_equal(matrix.codes, expected.codes)
    np.testing.assert_array_equal(matrix.row_groups, expected.row_groups)
    assert checkout.planned(VOTES) == {}


@pytest.mark.workflow
def test_editing_a_file_reruns_the_fits_of_its_dataset(checkout):
    other = {"file": "data/other.csv", "read": {"layout": "presence"}, "transpose": True}
    both = {"datasets": ["votes", "other"], "masks": 1}
    config = merged(VOTES, {"studies": {"all_methods": both}})
    config["datasets"]["other"] = other
    pairs = [f"member {i},bill {j}" for i in range(8) for j in range(8) if (i + j) % 3]
    (checkout.folder / "data/other.csv").write_text("\n".join(pairs) + "\n")
    done = checkout.snakemake(SCORES, config=config)
    assert done.returncode == 0, done.stdout
    matrix = BinaryMatrix.load(checkout.folder / "data/matrices/other.npz")
    assert (matrix.shape, matrix.row_names[0]) == ((8, 8), "bill 1")  # member 0 has no bill 0
    assert checkout.planned(config, SCORES) == {}
    votes = checkout.folder / "data/votes.csv"
    votes.write_text(CSV.replace("Abel,red,yes", "Abel,red,no"))
    planned = checkout.planned(config, SCORES)
    assert (planned["dataset"], planned["mask"], planned["fit"]) == (1, 1, 3)
    votes.write_text(CSV)
    config["datasets"]["votes"]["read"]["groups"] = "member"
    assert checkout.planned(config, SCORES)["dataset"] == 1


@pytest.mark.workflow
def test_a_file_that_is_not_there_is_one_line_before_anything_runs(checkout):
    config = merged(VOTES, {"datasets": {"votes": {"file": "data/vote.csv"}}})
    done = checkout.snakemake(config=config)
    assert done.returncode != 0
    line = "configuration: datasets.votes.file = 'data/vote.csv': there is no such file; a relative"
    assert line in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.workflow
def test_a_wrong_value_fails_the_job_with_its_place(checkout):
    (checkout.folder / "data/wrong.csv").write_text("who,b1\nann,1\nbob,maybe\n")
    config = merged(VOTES, {"datasets": {"wrong": {"file": "data/wrong.csv"}}})
    done = checkout.snakemake("data/matrices/wrong.npz", config=config)
    assert done.returncode != 0
    assert "error: data/wrong.csv, line 3, column 'b1': the value is 'maybe'" in done.stdout
    assert not (checkout.folder / "data/matrices/wrong.npz").exists()


@pytest.mark.workflow
def test_a_file_at_an_address_goes_through_the_download_rule(checkout):
    """From a mirror folder, since a test has no network."""
    place = checkout.folder / "data/mirror/example.org/get%3Ffile%3Dvotes.csv"
    place.parent.mkdir(parents=True)
    place.write_text(CSV)
    read = VOTES["datasets"]["votes"]["read"]
    entry = {"file": "https://example.org/get?file=votes.csv", "read": read}
    config = merged(VOTES, {"mirrors": ["data/mirror"], "datasets": {"far": entry}})
    done = checkout.snakemake("data/matrices/far.npz", config=config)
    assert done.returncode == 0, done.stdout
    log = next((checkout.folder / "data/logs/download/example.org").iterdir()).read_text()
    checksum = re.search(r"unchecked: .* set sha256: ([0-9a-f]{64})$", log, re.MULTILINE)[1]
    config["datasets"]["far"]["sha256"] = checksum[::-1]
    done = checkout.snakemake("data/matrices/far.npz", config=config, https_proxy="http://127.0.0.1:9")
    assert done.returncode != 0
    assert f"damaged: SHA-256 {checksum} instead of {checksum[::-1]}" in done.stdout
