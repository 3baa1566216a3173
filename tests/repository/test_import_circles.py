"""No module of src reaches itself through others: by an import, wherever it stands, or by a name passed as text."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import grimp
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

SOURCES = Path(__file__).parents[2] / "src"
PACKAGES = ("nbmf", "nbmf_studies")


def modules() -> dict[str, str]:
    """Return the source of each module of src by its name."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return found


def imports() -> set[tuple[str, str]]:
    """Return which module imports which, in functions too; what is imported for annotations alone does not count."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    return {(name, other) for name in graph.modules for other in graph.find_modules_directly_imported_by(name)}


def named_as_text(sources: dict[str, str]) -> set[tuple[str, str]]:
    """Return which module names which in a text of its own: "package.module" or "package.module:function".

    A package names what it offers, and every module of it imports the package: its own texts do not count.
    """
    found = set()
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and name not in PACKAGES:
                module = re.sub(r":\w+$", "", node.value)
                if module in sources and module != name:  # a module may state its own name
                    found.add((name, module))
    return found


def circles(edges: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the sets of modules each of which reaches all others of its set."""
    edges = sorted(edges)
    names = sorted({name for edge in edges for name in edge})
    place = {name: i for i, name in enumerate(names)}
    ends = np.array([[place[name] for name in edge] for edge in edges]).T
    graph = csr_array((np.ones(len(edges)), tuple(ends)), shape=(len(names), len(names)))
    count, label = connected_components(graph, connection="strong")
    found = [{name for name, each in zip(names, label, strict=True) if each == number} for number in range(count)]
    return [members for members in found if len(members) > 1]


def test_no_module_reaches_itself():
    sources = modules()
    edges = imports() | named_as_text(sources)
    assert {name for edge in edges for name in edge} <= set(sources)  # both sides name modules alike
    assert circles(edges) == []


def test_circles_are_found_in_functions_and_in_texts():
    texts = {"nbmf.a": 'JOB = "nbmf.b:run"', "nbmf.b": "", "nbmf": 'EXPORTS = {"a": "nbmf.a"}'}
    assert named_as_text(texts) == {("nbmf.a", "nbmf.b")}
    assert circles({("nbmf.b", "nbmf.a"), *named_as_text(texts)}) == [{"nbmf.a", "nbmf.b"}]
    assert circles({("nbmf.a", "nbmf.b"), ("nbmf.b", "nbmf.c")}) == []
    # One that stands in a function.
    assert ("nbmf.posterior.diagnostics", "nbmf.errors") in imports()
    assert ("nbmf.evaluation.result", "nbmf.plotting.boxes") in imports()
