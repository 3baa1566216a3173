"""The lists of tests/programs/mutation.py name what there is: files, their tests, the declared changes."""

import importlib.util
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SOURCES = TESTS.parent / "src"


def program():
    """Return tests/programs/mutation.py as a module."""
    specification = importlib.util.spec_from_file_location("mutation", TESTS / "programs" / "mutation.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


mutation = program()


def source_of(file):
    return SOURCES / ("" if file.startswith("nbmf_studies/") else "nbmf") / file


@pytest.mark.parametrize("file", mutation.TESTS)
def test_files_and_their_tests_exist(file):
    assert source_of(file).is_file()
    for name in mutation.TESTS[file]:
        assert len(list(TESTS.rglob(f"test_{name}.py"))) == 1, name


def test_every_compiled_kernel_has_mutants():
    kernels = {path for path in SOURCES.glob("nbmf/families/*/kernels/*.py") if "\ndef " in path.read_text("utf-8")}
    missing = sorted(str(path.relative_to(SOURCES)) for path in kernels - {source_of(file) for file in mutation.TESTS})
    assert not missing, f"TESTS of tests/programs/mutation.py needs an entry for {', '.join(missing)}"


@pytest.mark.parametrize("file", sorted({file for file, *_ in mutation.EQUIVALENT}))
def test_declared_changes_are_changes_of_the_source(file):
    # A declaration whose line has been edited excuses nothing, and its mutant survives unexplained.
    mutants = mutation.Finder(source_of(file).read_text(encoding="utf-8")).mutants()
    known = {(mutant.function, mutant.line, mutant.mutation) for mutant in mutants}
    assert not [change for where, *change in mutation.EQUIVALENT if where == file and tuple(change) not in known]
