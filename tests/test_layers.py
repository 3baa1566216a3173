"""The layers of the package: who may import whom, and what a fit job may load."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import nbmf
from nbmf import registry

PACKAGE = Path(nbmf.__file__).parent

# From the ground up. A module imports from layers below its own, and from its own package.
LAYERS = [
    ("errors", "seeds", "catalogue", "recommendation"),
    ("files", "parameters"),
    ("matrix", "metrics", "models", "saving"),
    ("kernels", "masks", "rda"),
    ("methods", "datasets", "readers"),
    ("registry", "progress"),
    ("checkpoint",),
    ("experiment", "tables", "diagnostics", "uncertainty"),
    ("figures", "chains"),
    ("comparison",),
    ("cli", "workflow"),
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# What a layer may import of the package beside itself, where that is less than all below.
ONLY = {
    "models": set(),
    "kernels": {"models", "seeds", "errors"},
    "methods": {
        *("kernels", "models", "matrix", "metrics", "parameters", "saving", "seeds", "errors")
    },
    "saving": {"files", "errors"},
    "readers": {"rda", "matrix", "files", "errors"},
    "figures": {"files", "errors", "matrix", "diagnostics"},
    "tables": {"files", "errors"},
    "experiment": {
        *(
            "checkpoint",
            "masks",
            "matrix",
            "metrics",
            "methods",
            "progress",
            "registry",
            "seeds",
            "files",
        ),
        "errors",
    },
}
HEAVY = {
    "pandas": {
        "tables",
        "uncertainty",
        "chains",
        "comparison",
        "cli",
        "diagnostics",
        "workflow",
        "figures",
        "rda",
        "datasets",
        "readers",
    },
    "pyarrow": {"readers"},
    "matplotlib": {"figures"},
    "numba": {"kernels"},
    "arviz_stats": {"diagnostics"},
    "xarray": {"chains"},
    "tqdm": {"cli"},
}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def part_of(path):
    """Return the name of the module or subpackage directly below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """Yield the dotted names that a file imports anywhere but under `if TYPE_CHECKING`."""
    waiting = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports would escape these tests"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        waiting.extend(ast.iter_child_nodes(node))


def imported_parts(path):
    """Return the parts of nbmf that a file imports, its own left out."""
    names = [name.split(".") for name in imports(path)]
    return {name[1] for name in names if name[0] == "nbmf" and len(name) > 1} - {part_of(path)}


@every_module
def test_imports_go_down(path):
    own = part_of(path)
    assert own in LEVEL, f"{own} has no place in LAYERS yet"
    for part in imported_parts(path):
        assert LEVEL[part] < LEVEL[own], f"{own} imports {part}"
    assert imported_parts(path) <= ONLY.get(own, LEVEL.keys())


@every_module
def test_heavy_libraries_are_imported_where_they_are_needed(path):
    packages = {name.split(".")[0] for name in imports(path)}
    for package, where in HEAVY.items():
        assert package not in packages or part_of(path) in where


def python(code, *arguments):
    """Run code in another process and return the JSON that it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


FIT = """
import json, sys
import numpy as np
from nbmf.inference.experiment import run_fit
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf import registry
from nbmf.seeds import seed_sequence

matrix = BinaryMatrix.from_array(np.random.default_rng(0).integers(0, 2, (8, 8)))
mask = draw_mask(matrix, 0.25, seed_sequence("mask"))
brief = {"max_iter": 2, "burn_in": 1, "n_samples": 1}
for name in sys.argv[1:]:
    settings = {key: brief[key] for key in brief if key in registry.settings_of(name)}
    run_fit(matrix, mask, class_name=name, K=2, settings=settings, seed_key=["fit"],
            log=lambda line: None)
print(json.dumps(sorted(sys.modules)))
"""


def test_fits_load_neither_pandas_nor_plotting():
    loaded = set(python(FIT, *registry.all_classes()))
    assert {"numba", "nbmf.families.beta_dirichlet.dir_dir_gibbs"} <= loaded
    unwanted = {
        *("pandas", "matplotlib", "sklearn", "rdata", "snakemake", "jsonschema", "arviz_stats")
    }
    assert not unwanted & loaded
    assert not {name for name in loaded if name.startswith(("nbmf.figures", "nbmf.tables"))}


IMPORT = """
import json, sys, time
started = time.perf_counter()
import nbmf
seconds = time.perf_counter() - started
print(json.dumps([seconds, sorted(sys.modules)]))
"""


def test_importing_the_package_is_quick_and_loads_no_library():
    seconds, loaded = zip(*(python(IMPORT) for _ in range(3)), strict=True)
    assert min(seconds) < 0.3
    assert not {"numpy", "numba", "scipy", "pandas", "matplotlib", "sklearn"} & set(loaded[0])
    assert [name for name in loaded[0] if name.startswith("nbmf")] == ["nbmf"]


START_OF_SNAKEMAKE = """
import json, sys
from nbmf.data import recipes as datasets
from nbmf import registry
from nbmf.workflow import configuration, download, status
from nbmf import sources
print(json.dumps(sorted(sys.modules)))
"""


def test_what_the_workflow_imports_at_its_start_is_light():
    loaded = set(python(START_OF_SNAKEMAKE))
    assert "nbmf.workflow.configuration" in loaded
    assert not {"numba", "scipy", "pandas", "matplotlib", "sklearn"} & loaded
