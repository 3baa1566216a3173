"""Raw files: where they lie, what is said of them, and those that travel with the repository."""

import hashlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from nbmf.errors import ConfigError
from nbmf_studies.pipeline import raw_files

ROOT = Path(__file__).resolve().parents[3]
SOURCES = yaml.safe_load((ROOT / "config/sources.yaml").read_text(encoding="utf-8"))["sources"]
DATASETS = yaml.safe_load((ROOT / "config/datasets.yaml").read_text(encoding="utf-8"))["datasets"]
MIRROR = ROOT / "data/mirror"
GITHUB = "https://raw.githubusercontent.com"


# The files that travel with the repository.


def table():
    """Return the rows of the table in data/mirror/README.md, without its markup."""
    text = (MIRROR / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\| [`f]", line)]
    rows = [[cell.strip("` <>") for cell in line.strip("| ").split(" | ")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


TABLE = {row["file"]: row for row in table()}


def test_the_table_of_the_mirror_and_its_files_are_the_same():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "."], cwd=MIRROR, capture_output=True, text=True, check=True
    ).stdout
    kept = {name for name in listed.split("\0") if name and (MIRROR / name).is_file()}
    assert set(TABLE) == kept - {"README.md"}


@pytest.mark.parametrize("file", TABLE)
def test_the_table_of_the_mirror_says_what_the_sources_say(file):
    row = TABLE[file]
    (source,) = (s for s in SOURCES.values() if raw_files.source_location(s)["path"] == file)
    assert row["origin"] == source["address"]
    assert row["licence as stated"] == source["licence"]
    assert row["citation"] == source["citation"]
    assert row["SHA-256"] == source["sha256"]
    assert row["bytes"] == str(source["bytes"])
    content = (MIRROR / file).read_bytes()
    assert len(content) == source["bytes"]
    assert hashlib.sha256(content).hexdigest() == source["sha256"]


def test_terms_of_use_are_stated():
    assert "non-commercial" in SOURCES["lastfm_listens"]["licence"]
    assert "non-commercial use only" in (MIRROR / "README.md").read_text(encoding="utf-8")
    assert {SOURCES[name]["licence"] for name in SOURCES if "animals_" in name} == {"none stated"}


def test_what_is_put_next_to_them_is_not_committed():
    ignored = ["data/mirror/jester/jester.zip", "data/raw/x", "data/matrices/x.npz"]
    done = subprocess.run(["git", "check-ignore", *ignored], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ignored


def test_every_source_is_used_and_none_is_wrong():
    used = {name for entry in DATASETS.values() for name in raw_files.source_names(entry)}
    assert used == set(SOURCES)
    assert list(raw_files.problems(SOURCES)) == []


# Addresses and places.


@pytest.mark.parametrize(
    ("address", "path"),
    [
        (f"{GITHUB}/o/r/c0/a/b.csv", "o/r/c0/a/b.csv"),
        (f"{GITHUB}/o/r/c0/a%2Bb%20c.zip", "o/r/c0/a+b c.zip"),
        (f"{GITHUB}/o/r/c0/b.csv?raw=1", "raw.githubusercontent.com/o/r/c0/b.csv%3Fraw%3D1"),
        ("https://example.org/votes.csv", "example.org/votes.csv"),
        ("https://example.org:8443/a/b%20c.csv", "example.org_8443/a/b%20c.csv"),
        ("https://example.org/get?file=a/b.csv&raw=1", "example.org/get%3Ffile%3Da/b.csv%26raw%3D1"),
    ],
)
def test_an_address_has_a_place_below_the_raw_files(address, path):
    assert raw_files.source_location({"address": address}) == {"address": address, "path": path}


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/votes.csv",
        "ftp://example.org/votes.csv",
        "example.org/votes.csv",
        "https://example.org",
        "https://example.org/",
        "https://example.org/folder/",
        "https://../votes.csv",
        "https://a.org/../votes.csv",
        "https://a.org//votes.csv",
        "https://user:word@a.org/x",
        "https://a.org/{x}",
        "https://a.org/a b",
        "https://a.org/x\n",
        "https://a.org/x?y=../../z",
        f"{GITHUB}/o/%2E%2E/x",
        f"{GITHUB}/o/..%2Fx",
        f"{GITHUB}/o/%7Bx%7D",
        f"{GITHUB}/o/%0Ax",
    ],
)
def test_other_addresses_are_refused(address):
    with pytest.raises(ConfigError, match="must be https://<host>/<path>"):
        raw_files.source_location({"address": address})


def source(**changes):
    given = {"address": "https://example.org/a.zip", "sha256": "0" * 64, "bytes": 9}
    given |= {"licence": "none stated", "citation": "nobody"} | changes
    return {key: value for key, value in given.items() if value is not None}


MEMBER = {"name": "x/y.csv", "bytes": 5}


def test_a_given_path_counts_and_a_file_of_an_archive_lies_next_to_it():
    found = raw_files.source_location(source(path="o/a.zip", member=MEMBER, on_demand=True))
    assert set(found) == {"address", "path", "sha256", "bytes", "member"}
    assert raw_files.raw_path(found) == "o/a.zip.members/x/y.csv"
    assert raw_files.raw_path(raw_files.source_location(source(path="o/a.zip"))) == "o/a.zip"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"address": "http://a.org/x"}, "sources.a.address = 'http://a.org/x': must be https"),
        ({"address": None}, "sources.a.address = None: must be an https address, or 'path' of"),
        ({"sha256": None}, "sources.a: the key 'sha256' is missing, of the file or of what is in"),
        ({"sha256": None, "member": MEMBER}, "sources.a: the key 'sha256' is missing"),
        ({"bytes": None}, "sources.a: the key 'bytes' is missing"),
        ({"folder": MEMBER}, "sources.a.folder: the key 'sha256' is missing"),
        (
            {"member": MEMBER, "folder": {**MEMBER, "sha256": "0" * 64}},
            "sources.a: must be one of 'member' and 'folder'",
        ),
    ],
)
def test_what_does_not_go_together_is_named(changes, words):
    (problem,) = raw_files.problems({"a": source(**changes)})
    assert problem.startswith(words)


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": None, "bytes": None, "member": {**MEMBER, "sha256": "0" * 64}},
        {"sha256": None, "bytes": None, "folder": {**MEMBER, "sha256": "0" * 64}},
        {"member": MEMBER},
    ],
)
def test_one_checksum_is_enough(changes):
    assert list(raw_files.problems({"a": source(**changes)})) == []


def test_two_files_with_one_place_are_refused():
    (problem,) = raw_files.problems({"a": source(), "b": source(sha256="1" * 64)})
    assert problem == "sources.b: 'a' is the same file, example.org/a.zip"
    assert list(raw_files.problems({"a": source(), "b": source(member=MEMBER)})) == []


# What is at hand.


def test_a_raw_file_is_at_hand_in_the_raw_files_or_in_a_mirror(tmp_path):
    mirrors = [str(tmp_path / "m1"), str(tmp_path / "m2")]
    entry, raw = source(member=MEMBER), str(tmp_path / "raw")
    (tmp_path / "m1/example.org/a.zip").mkdir(parents=True)  # a folder is no file
    assert raw_files.find_raw_file(entry, mirrors, raw) is None
    (tmp_path / "m1/example.org/a.zip").rmdir()
    for place in ("m2/example.org/a.zip", "m1/example.org/a.zip"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(b"")
        assert raw_files.find_raw_file(entry, mirrors, raw) == tmp_path / place
    taken = tmp_path / "raw/example.org/a.zip.members/x/y.csv"
    taken.parent.mkdir(parents=True)
    taken.write_bytes(b"")
    assert raw_files.find_raw_file(entry, mirrors, raw) == taken


def test_a_file_on_demand_is_missing_until_it_is_there(tmp_path):
    sources = {"large": source(path="o/large file.zip", bytes=3_400_000, on_demand=True), "small": source()}
    dataset = {"files": {"one": "small", "two": "large"}, "published": "large"}
    names = raw_files.source_names(dataset)
    assert sorted(names) == ["large", "large", "small"]
    mirrors, raw = [str(tmp_path)], str(tmp_path / "raw")
    assert raw_files.missing_sources(names, sources, mirrors, raw) == [
        "large (3.4 MB) is not here: with a network, snakemake --cores 1 "
        f"'{raw}/o/large file.zip' or downloads: [large] in the configuration, or put https://example.org/a.zip at "
        f"{tmp_path}/o/large file.zip; licence: none stated"
    ]
    assert raw_files.missing_sources(["small"], sources, mirrors, raw) == []
    assert raw_files.missing_sources(names, sources, mirrors, raw, asked_for=["large"]) == []
    assert len(raw_files.missing_sources(names, sources, mirrors, raw, asked_for=["small"])) == 1
    (tmp_path / "o").mkdir()
    (tmp_path / "o/large file.zip").write_bytes(b"")
    assert raw_files.missing_sources(names, sources, mirrors, raw) == []


def test_only_sources_that_have_an_address_can_be_asked_for():
    sources = {"own": source(address=None, path="own.csv"), "far": source(on_demand=True)}
    assert list(raw_files.problems_of_downloads(["far"], sources)) == []
    assert list(raw_files.problems_of_downloads(["own", "fat"], sources)) == [
        "downloads[0] = 'own': has no address; allowed: sources that have one",
        "downloads[1] = 'fat': must be one of own, far (did you mean 'far'?)",
    ]


def test_a_file_without_an_address_is_missing_until_a_mirror_has_it(tmp_path):
    sources = {"own": source(address=None, path="own.csv")}
    mirrors, raw = ["m1", str(tmp_path)], str(tmp_path / "raw")
    assert list(raw_files.problems(sources)) == []
    assert raw_files.missing_sources(["own"], sources, mirrors, raw) == [
        f"own is not here and has no address: own.csv has to lie in m1 or {tmp_path}; licence: none stated"
    ]
    (tmp_path / "own.csv").write_bytes(b"")
    assert raw_files.missing_sources(["own"], sources, mirrors, raw) == []
