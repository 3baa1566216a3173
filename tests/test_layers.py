"""Who may import whom, by the contracts in pyproject.toml, and what jobs really load."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import nbmf
from nbmf import registry
from nbmf.data.matrix import BinaryMatrix

ROOT = Path(__file__).parents[1]
PACKAGE = Path(nbmf.__file__).parent


def broken_contracts(package):
    """Return the names of the contracts in pyproject.toml that a copy of the package breaks."""
    program = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run(
        [program, "--no-cache", "--no-logo", "--config", ROOT / "pyproject.toml"],
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": str(package.parent), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
    )
    broken = {name for name in CONTRACTS if f"{name} BROKEN" in ran.stdout}
    kept = len(CONTRACTS) - len(broken)
    assert f"Contracts: {kept} kept, {len(broken)} broken." in ran.stdout, ran.stdout + ran.stderr
    return broken


CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the package."""
    return shutil.copytree(PACKAGE, tmp_path / "nbmf", ignore=shutil.ignore_patterns("__pycache__"))


# A line added to a module, and a word of the contract's name that forbids it.
FORBIDDEN = [
    ("errors.py", "import nbmf.files", "house"),
    ("likelihoods/__init__.py", "import nbmf.inference.estimator", "house"),
    ("families/mixed_membership/__init__.py", "import nbmf.studies", "house"),
    ("families/mixed_membership/__init__.py", "import nbmf.pipeline", "house"),
    ("families/mixed_membership/__init__.py", "import nbmf.plots", "house"),
    ("families/mixed_membership/__init__.py", "import nbmf.posterior", "house"),
    ("studies/__init__.py", "import nbmf.cli", "house"),
    ("attic.py", "", "house"),  # a module without a place
    ("families/mixed_membership/__init__.py", "import nbmf.families.logistic", "each other"),
    (
        "families/logistic/__init__.py",
        "def f():\n    import nbmf.families.mixed_membership.lda",
        "each other",
    ),
    ("cli/__init__.py", "import nbmf.families.mixed_membership.kernels.lda", "kernels"),
    ("inference/experiment.py", "import pandas", "What a fit runs"),
    ("numerics/__init__.py", "def f():\n    import matplotlib", "What a fit runs"),
    ("data/masks.py", "import nbmf.data.rda", "What a fit runs"),
    ("cli/__init__.py", "import matplotlib", "Matplotlib"),
]


def test_the_package_keeps_every_contract(copy):
    assert not broken_contracts(copy)


@pytest.mark.parametrize(("module", "line", "word"), FORBIDDEN)
def test_import_linter_notices(copy, module, line, word):
    path = copy / module
    before = path.read_text() if path.exists() else ""
    path.write_text(f"{before}\n{line}\n")
    assert any(word in name for name in broken_contracts(copy))


def test_every_folder_is_a_package():
    """import-linter passes over modules in a folder without __init__.py."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").is_file()]


def python(code, *arguments):
    """Run code in another process and return the JSON that it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


FIT = """
import json, sys
import numpy as np
from nbmf.inference.experiment import FitRequest, run_fit
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf import registry
from nbmf.seeds import seed_sequence

matrix = BinaryMatrix.from_array(np.random.default_rng(0).integers(0, 2, (8, 8)))
mask = draw_mask(matrix, 0.25, seed_sequence("mask"))
brief = {"max_iter": 2, "burn_in": 1, "n_samples": 1}
for name in sys.argv[1:]:
    settings = {key: brief[key] for key in brief if key in registry.settings_of(name)}
    request = FitRequest(class_name=name, K=2, settings=settings, seed_key=["fit"])
    run_fit(matrix, mask, request, log=lambda line: None)
print(json.dumps(sorted(sys.modules)))
"""


def test_fits_load_neither_pandas_nor_plotting():
    of_binary = [
        name
        for name in registry.all_classes()
        if registry.estimator_class(name).likelihoods[0].matrix is BinaryMatrix
    ]
    loaded = set(python(FIT, *of_binary))
    assert {"numba", "nbmf.families.beta_dirichlet.dir_dir_gibbs"} <= loaded
    unwanted = {
        *("pandas", "matplotlib", "sklearn", "rdata", "snakemake", "jsonschema", "arviz_stats"),
        "scipy.optimize",  # 0.1 s, which only fits that learn priors need
    }
    assert not unwanted & loaded
    above = ("plots", "tables", "posterior", "comparison", "studies", "pipeline", "cli")
    assert not {name for name in loaded if name.startswith(tuple(f"nbmf.{part}" for part in above))}


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
from nbmf.pipeline import configuration, download, status
from nbmf import sources
print(json.dumps(sorted(sys.modules)))
"""


def test_what_the_workflow_imports_at_its_start_is_light():
    loaded = set(python(START_OF_SNAKEMAKE))
    assert "nbmf.pipeline.configuration" in loaded
    assert not {"numba", "scipy", "pandas", "matplotlib", "sklearn"} & loaded
