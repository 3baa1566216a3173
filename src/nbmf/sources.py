"""Which of our own files a module depends on, so that editing one reruns what uses it."""

import ast
import importlib.util
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path

PACKAGE = "nbmf"


def source_files(*modules: str) -> list[str]:
    """Return the files of `modules` and of all that they import, directly or not.

    Of nbmf, and of the packages that `modules` themselves are in; other libraries are not looked
    at. Imports are read from the syntax tree, those inside functions too; nothing is executed.
    Package `__init__` files are left out: they only say where things are.
    """
    ours = {PACKAGE, *map(_package_of, modules)}
    path_of: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        path = _file_of(module)
        if module in path_of or path is None:
            continue
        path_of[module] = path
        waiting.extend(name for name in _imports(path) if _package_of(name) in ours)
    return sorted(str(path) for path in path_of.values())


def _package_of(module: str) -> str:
    return module.partition(".")[0]


def _file_of(module: str) -> Path | None:
    spec = _spec(module)
    if spec is None or spec.origin is None or spec.submodule_search_locations is not None:
        return None
    return Path(spec.origin)


@cache
def _spec(module: str) -> ModuleSpec | None:
    """Find a module; only its packages are imported, which are empty but for docstrings.

    Asked for `module.name` where `name` is no module, importlib would import `module`.
    """
    parent = module.rpartition(".")[0]
    if parent:
        above = _spec(parent)
        if above is None or above.submodule_search_locations is None:
            return None
    try:
        return importlib.util.find_spec(module)
    except ValueError:  # a script that is run, __main__, has none
        return None


@cache
def _imports(path: Path) -> list[str]:
    """Return what could be modules among the imports of a file."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names
