"""What the project says of itself in several places is the same in all of them."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import nbmf

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
BIBLIOGRAPHY = (ROOT / "docs/paper/paper.bib").read_text(encoding="utf-8")
PAPER = "10.1007/s10618-020-00712-w"


def test_one_version():
    assert PROJECT["version"] == nbmf.__version__ == CITATION["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert released[0] == "Unreleased"
    assert released[1] == nbmf.__version__


def test_one_licence():
    assert PROJECT["license"] == CITATION["license"] == "MIT"
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License\n")
    _, _, note = text.partition("\n---\n")
    pages = re.findall(r"\S+\.md", note)
    assert len(pages) == 2  # data keep their own licences
    for page in pages:
        assert "licence as stated" in (ROOT / page).read_text(encoding="utf-8")


def test_five_papers_are_cited_and_have_an_entry_of_bibtex():
    entries = dict(re.findall(r"^@\w+\{(\w+),(.*?)^\}", BIBLIOGRAPHY, re.MULTILINE | re.DOTALL))
    for paper in CITATION["references"]:
        key = f"{paper['authors'][0]['family-names'].lower()}{paper['year']}"
        address = paper.get("doi") or paper.get("url", paper.get("number")).rpartition("/")[2]
        assert address in entries[key], key
    assert {"lumbreras2020", "klami2015", "cemgil2009", "ohn2022", "shan2009"} <= entries.keys()
    assert len(CITATION["references"]) == 5


def test_the_article_cites_what_its_bibliography_has():
    article = (ROOT / "docs/paper/paper.md").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)", article))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE))


def test_what_a_person_has_to_fill_in():
    """The address of the repository, the DOI of a release and its authors are not known here: the report lists them."""
    files = [ROOT / "CITATION.cff", ROOT / "docs/paper/paper.md"]
    lines = [
        f"{file.name}: {line.strip()}"
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if "PLACEHOLDER" in line
    ]
    if lines:
        pytest.skip("to be filled in before a release: " + "; ".join(lines))


def test_the_main_paper():
    assert CITATION["references"][0]["doi"] == PAPER
    assert PROJECT["urls"]["Paper"] == f"https://doi.org/{PAPER}"
    assert PAPER in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_requirement_of_the_package_is_in_the_lock():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").lower()
    direct = (ROOT / "requirements.in").read_text(encoding="utf-8").lower()
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["parquet"]]
    for name in (re.match(r"[\w-]+", each)[0].lower() for each in wanted):
        assert re.search(rf"^{name}\b", direct, re.MULTILINE), name
        assert f"\n{name}==" in lock, name


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_pages_at_the_top_lead_to_files(name):
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8"))
    assert links
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert not missing
