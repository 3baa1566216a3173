"""What texts and functions take from the library and the studies is there: no linter looks into another module.

Pages, texts of tests and rules of Snakemake are run late or never by other tests; a name that was changed shows here.
"""

import ast
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
RULES = sorted([ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")])
TESTS = sorted((ROOT / "tests").rglob("*.py"))
FENCED = re.compile(r"^```[^\n]*python\n(?::[^\n]*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^(?:from nbmf[\w.]* import (?:\([^)]*\)|[^(\n]+)|import nbmf[\w., ]*\b)$", re.MULTILINE)
MAKER = re.compile(r"\b(nbmf[\w.]*):([A-Za-z_]\w*)")  # as declarations of figures and tables name a function
DOTTED = re.compile(r"`(nbmf(?:_studies)?(?:\.(?!json\b)\w+)+)")
name_of = {"ids": lambda path: str(path.relative_to(ROOT))}


def exists(dotted):
    try:
        pkgutil.resolve_name(dotted)
    except (AttributeError, ImportError):
        return False
    return True


def imports_of(code):
    """Return by name what code imports from the library and the studies."""
    imported = {}
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] in ("nbmf", "nbmf_studies"):
                imported |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
            case ast.Import(names=names):
                ours = [each for each in names if each.name.startswith("nbmf")]
                imported |= {each.asname or each.name: each.name for each in ours}
    return imported


def names_without_thing(text):
    """Return the dotted names that code in a text takes from the library and the studies where nothing has them."""
    absent = {f"{module}.{name}" for module, name in MAKER.findall(text) if not exists(f"{module}.{name}")}
    for name, dotted in imports_of("\n".join(IMPORT.findall(text))).items():
        if not exists(dotted):
            absent.add(dotted)
        elif isinstance(pkgutil.resolve_name(dotted), ModuleType):  # a name of a file is in quotes or after a slash
            attributes = re.findall(rf"(?<![\w./\"']){name}\.([A-Za-z_]\w*)", text)
            absent |= {f"{dotted}.{each}" for each in attributes if not exists(f"{dotted}.{each}")}
    return sorted(absent)


def texts_of(path):
    """Return the texts of a file of tests that import something of the library or the studies."""
    constants = (node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant))
    return [text for text in constants if isinstance(text, str) and IMPORT.search(text)]


@pytest.mark.parametrize("page", PAGES, **name_of)
def test_what_a_page_names_is_there(page):
    text = page.read_text("utf-8")
    assert [name for name in DOTTED.findall(text) if not exists(name)] == []
    assert [name for block in FENCED.findall(text) for name in names_without_thing(block)] == []


@pytest.mark.parametrize("rules", RULES, **name_of)
def test_what_rules_call_is_there(rules):
    assert names_without_thing(rules.read_text("utf-8")) == []


@pytest.mark.parametrize("tests", [path for path in TESTS if path != Path(__file__) and texts_of(path)], **name_of)
def test_what_programs_in_tests_call_is_there(tests):
    """They are given to Python or Snakemake as texts."""
    assert [name for text in texts_of(tests) for name in names_without_thing(text)] == []


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("from nbmf import BetaDirVB\nBetaDirVB.anything", []),
        ("from nbmf.plotting import style as look\nlook.no_such", ["nbmf.plotting.style.no_such"]),
        (
            "from nbmf_studies.framework import (\n    common,\n)\ncommon.SCORES, common.compared",
            ["nbmf_studies.framework.common.compared"],
        ),
        ("import nbmf\nnbmf.read('x'), nbmf.reads('x')", ["nbmf.reads"]),
        ("import nbmf.no_such_module", ["nbmf.no_such_module"]),
        ('make="nbmf.plotting.boxes:drawn"', ["nbmf.plotting.boxes.drawn"]),
    ],
)
def test_a_name_that_was_changed_is_found(text, absent):
    assert names_without_thing(text) == absent
