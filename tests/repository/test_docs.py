"""The documentation: its examples run, its links lead somewhere, and it names all there is."""

import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

import nbmf
from nbmf.catalogue import METHODS

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`((?:benchmarks|config|data/trials|docs|envs|src|tests|workflow)/[\w./-]+\.\w+)`")
TESTS = re.compile(r"`(test_\w+\.py)`")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
name_of = {"ids": lambda path: path.name}


def text_of(page):
    return page.read_text(encoding="utf-8")


def examples(page):
    return BLOCK.findall(text_of(page))


@pytest.mark.workflow
@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], **name_of)
def test_examples_run(page, tmp_path, monkeypatch):
    """The blocks of a page, one after the other, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in examples(page):
        exec(compile(block, page.name, "exec"), names)


TUTORIALS = [page for page in PAGES if "{code-cell}" in text_of(page)]


@pytest.mark.parametrize("page", TUTORIALS, **name_of)
def test_tutorials_are_run_by_the_site_and_need_the_wheel_alone(page):
    """`make docs` runs them; without its first lines a page would show its cells and not run."""
    assert text_of(page).startswith("---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n")
    cells = CELL.findall(text_of(page))
    assert len(cells) == text_of(page).count("{code-cell}") > 5
    imported = re.findall(r"^ *(?:import|from) (\w+)", "\n".join(cells), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(imported) <= {"nbmf", *project["dependencies"]}


def test_a_cell_that_fails_stops_the_build():
    conf = text_of(ROOT / "docs/conf.py")
    assert 'nb_execution_mode = "force"' in conf
    assert "nb_execution_raise_on_error = True" in conf
    assert len(TUTORIALS) == 2


def anchors(page):
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    found = HEADING.findall(text_of(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}


@pytest.mark.parametrize("page", PAGES, **name_of)
def test_links_lead_somewhere(page):
    for link in LINK.findall(text_of(page)):
        if re.match(r"https?:", link):
            assert link.startswith("https://"), link
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / unquote(name) if name else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], **name_of)
def test_files_of_the_checkout_that_are_named_exist(page):
    """Also tests that are named without their folder."""
    missing = [name for name in NAMED.findall(text_of(page)) if not (ROOT / name).exists()]
    missing += [name for name in TESTS.findall(text_of(page)) if not any((ROOT / "tests").rglob(name))]
    assert not missing


def cells_of(line):
    """Return how many cells a row of a table has; a bar of a text is escaped."""
    return len(re.split(r"(?<!\\)\|", line.strip()[1:-1]))


@pytest.mark.parametrize("page", PAGES, **name_of)
def test_every_row_of_a_table_has_the_columns_of_its_head(page):
    lines = text_of(page).splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch(r"\|( ?:?-+:? ?\|)+", line.strip())]
    for rule in rules:
        end = next((i for i in range(rule, len(lines)) if not lines[i].startswith("|")), len(lines))
        wrong = [line for line in lines[rule - 1 : end] if cells_of(line) != cells_of(lines[rule])]
        assert not wrong


def test_no_page_shows_a_template():
    assert not [page.name for page in PAGES if "{{" in text_of(page)]


def test_the_reference_has_everything_public():
    reference = text_of(ROOT / "docs/api.md")
    documented = set(re.findall(r"auto(?:class|function|data):: nbmf\.(\w+)$", reference, re.M))
    missing = set(nbmf.EXPORTS) - documented
    assert not missing, f"docs/api.md needs a line for {', '.join(sorted(missing))}"


def test_the_page_of_models_has_every_method_and_its_class():
    """In the table of the section "Methods", by the ids that commands take."""
    section = text_of(ROOT / "docs/models.md").split("\n## Methods\n")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    ids = {each for row in rows for each in re.split("[,;] ", row[0].removeprefix("| "))}
    assert ids == METHODS.keys(), f"the table of docs/models.md, Methods, differs in {ids ^ METHODS.keys()}"
    classes = {each for row in rows for each in re.findall(r"`(\w+)`", row[1])}
    known = {method["class"] for method in METHODS.values()}  # of a class in EXPORTS by its name alone
    assert classes == known, f"the table of docs/models.md, Methods, and methods.yaml differ in {classes ^ known}"


def test_the_example_of_a_method_has_a_colour_of_its_own():
    """Copied as it is, it must not be that of another method."""
    entry = r'^  ([\w-]+):\n +class: .*\n +label: .*\n +colour: "(#\w+)"$'
    ((example, colour),) = re.findall(entry, text_of(ROOT / "docs/extending.md"), re.MULTILINE)
    assert [name for name, method in METHODS.items() if method["colour"] == colour and name != example] == []


def test_every_page_is_in_the_table_of_contents():
    """Of the first page or of one that it leads to; no entry is without a page."""
    trees = [tree for page in (ROOT / "docs").glob("*.md") for tree in TREE.findall(text_of(page))]
    entries = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    assert {page for page in pages for entry in entries if fnmatchcase(page, entry)} == pages
    assert [entry for entry in entries if not any(fnmatchcase(page, entry) for page in pages)] == []


@pytest.mark.parametrize("method", ["nbmf-fit", "scikit-nmf", "scikit-lda"])
def test_losses_in_the_readme_are_those_of_the_trials(method):
    table = pd.read_csv(ROOT / "reference/trials/confirm_excess.csv").set_index("method")
    assert f"{table.loc[method, 'mean excess']:.1%}".replace("%", " %") in text_of(ROOT / "README.md")
    assert table.loc["nbmf-fit", "matrices"] == table.loc[method, "matrices"] == 15


def test_the_groups_of_a_cluster_have_every_rule_that_fits():
    rules = (ROOT / "workflow/rules/fits.smk").read_text(encoding="utf-8")
    fitting = re.findall(r"^(?:rule (fit\w*):|use rule fit as (\w+) with:)", rules, re.MULTILINE)
    names = {first or second for first, second in fitting}
    assert len(names) == 2
    groups = re.search(r"--groups ((?:\w+=fits )+)", text_of(ROOT / "docs/workflow.md"))
    assert set(groups[1].split()) == {f"{name}=fits" for name in names}
