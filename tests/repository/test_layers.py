"""Who may import whom, by the contracts in pyproject.toml, and what jobs really load."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import nbmf
from nbmf import registry
from nbmf.data.matrix import BinaryMatrix

ROOT = Path(__file__).parents[2]
PACKAGE = Path(nbmf.__file__).parent


def report(source):
    """Return what import-linter says of a copy of src: of each contract that is broken."""
    program = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run(
        [program, "--no-cache", "--no-logo", "--config", ROOT / "pyproject.toml"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
    )
    broken = {name for name in CONTRACTS if f"{name} BROKEN" in ran.stdout}
    kept = len(CONTRACTS) - len(broken)
    assert f"Contracts: {kept} kept, {len(broken)} broken." in ran.stdout, ran.stdout + ran.stderr
    _, _, details = ran.stdout.partition("Broken contracts")
    sections = re.split(rf"^({'|'.join(map(re.escape, CONTRACTS))})$", details, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))


CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}


@pytest.fixture
def copy(tmp_path):
    """Return a copy of src."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    return shutil.copytree(PACKAGE.parent, tmp_path / "src", ignore=ignored)


# A line added to a module, a word of the contract's name that forbids it, and what is said of it.
MEMBERSHIP = "nbmf/families/mixed_membership/__init__.py"
IN_A_FUNCTION = "def f():\n    import "
FORBIDDEN = [
    ("nbmf/errors.py", "import nbmf.files", "The library from", "nbmf.errors -> nbmf.files"),
    (
        "nbmf/likelihoods/__init__.py",
        "import nbmf.inference.estimator",
        "The library from",
        "nbmf.likelihoods -> nbmf.inference.estimator",
    ),
    *(
        (MEMBERSHIP, f"import nbmf.{room}", "The library from", f"nbmf.families.mixed_membership -> nbmf.{room}")
        for room in ("cli", "evaluation", "plotting", "posterior")
    ),
    ("nbmf/data/__init__.py", "import nbmf_studies", "knows nothing", "nbmf.data -> nbmf_studies"),
    (
        "nbmf_studies/framework/__init__.py",
        "import nbmf_studies.pipeline",
        "The studies from",
        "nbmf_studies.framework -> nbmf_studies.pipeline",
    ),
    ("nbmf/attic.py", "", "The library from", "- nbmf.attic"),  # a module without a place
    (
        MEMBERSHIP,
        "import nbmf.families.logistic",
        "each other",
        "nbmf.families.mixed_membership -> nbmf.families.logistic",
    ),
    (
        "nbmf/families/logistic/__init__.py",
        f"{IN_A_FUNCTION}nbmf.families.mixed_membership.lda",
        "each other",
        "nbmf.families.logistic -> nbmf.families.mixed_membership.lda",
    ),
    (
        "nbmf/cli/__init__.py",
        "import nbmf.families.mixed_membership.kernels.lda",
        "kernels",
        "nbmf.cli -> nbmf.families.mixed_membership.kernels.lda",
    ),
    ("nbmf/fits.py", "import pandas", "What a fit", "nbmf.fits -> pandas"),
    ("nbmf/numerics/__init__.py", f"{IN_A_FUNCTION}matplotlib", "What a fit", "nbmf.numerics -> matplotlib"),
    ("nbmf/data/masks.py", "import pandas", "What a fit", "nbmf.data.masks -> pandas"),
    ("nbmf/cli/__init__.py", "import matplotlib", "Matplotlib", "nbmf.cli -> matplotlib"),
]


def test_the_package_keeps_every_contract(copy):
    assert report(copy) == {}


def test_import_linter_notices(copy):
    """Every line that is planted: all at once, since each is named in what its contract says."""
    for module, line, _, _ in FORBIDDEN:
        with open(copy / module, "a") as file:
            file.write(f"\n{line}\n")
    broken = report(copy)
    for module, line, word, said in FORBIDDEN:
        (section,) = (text for name, text in broken.items() if word in name)
        assert re.search(rf"{re.escape(said)}( \(l|$)", section, re.MULTILINE), (module, line)


def test_every_folder_is_a_package():
    """import-linter passes over modules in a folder without __init__.py."""
    folders = {path.parent for path in PACKAGE.parent.rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").is_file()]


def python(code, *arguments):
    """Run code in another process and return the JSON that it prints."""
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


FIT = """
import json, sys
import numpy as np
from nbmf.fits import FitRequest, run_fit
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf import registry
from nbmf.seeds import seed_sequence

matrix = BinaryMatrix.from_array(np.random.default_rng(0).integers(0, 2, (8, 8)))
mask = draw_mask(matrix, 0.25, seed_sequence("mask"))
brief = {"max_iter": 2, "burn_in": 1, "n_samples": 1}
for name in sys.argv[1:]:
    settings = {key: brief[key] for key in brief if key in registry.settings_of(name)}
    if name == "Stacking":
        settings["members"] = ["indian-buffet", "logistic-vb"]  # another one learns priors
    request = FitRequest(class_name=name, K=2, settings=settings, seed_key=["fit"])
    run_fit(matrix, mask, request, log=lambda line: None)
print(json.dumps(sorted(sys.modules)))
"""


def test_fits_load_neither_pandas_nor_plotting():
    of_binary = [
        name for name in registry.all_classes() if registry.estimator_class(name).likelihoods[0].matrix is BinaryMatrix
    ]
    loaded = set(python(FIT, *of_binary))
    assert {"numba", "nbmf.families.beta_dirichlet.dir_dir_gibbs"} <= loaded
    unwanted = {
        "pandas",
        "matplotlib",
        "sklearn",
        "rdata",
        "snakemake",
        "jsonschema",
        "arviz_stats",
        "scipy.optimize",  # 0.1 s, which only fits that learn priors need
    }
    assert not unwanted & loaded
    above = ("plot", "io", "posterior", "evaluation", "cli")
    assert not {name for name in loaded if name.startswith(tuple(f"nbmf.{part}" for part in above))}
    assert not {name for name in loaded if name.startswith("nbmf_studies")}


IMPORT = "import json, sys, nbmf; print(json.dumps(sorted(sys.modules)))"


def test_importing_the_package_loads_no_library():
    loaded = python(IMPORT)
    assert not {"numpy", "numba", "scipy", "pandas", "matplotlib", "sklearn", "yaml"} & set(loaded)
    assert [name for name in loaded if name.startswith("nbmf")] == ["nbmf"]


ANALYSIS = """
import json, sys, nbmf
V = nbmf.read(sys.argv[1], log=lambda line: None)
found = nbmf.analyze(V, method="bica", n_components=2, iterations=2, check=False)
found.tables["W"]
print(json.dumps(sorted(sys.modules)))
"""


def test_an_analysis_loads_what_draws_writes_and_reads_other_formats_only_where_it_is_used(tmp_path):
    (tmp_path / "votes.csv").write_text("who,a,b,c\nAnn,1,0,1\nBob,0,1,1\nEve,1,1,0\n")
    loaded = set(python(ANALYSIS, str(tmp_path / "votes.csv")))
    assert "nbmf.analysis.result" in loaded
    unwanted = {"matplotlib", "jinja2", "openpyxl", "pyreadstat", "rdata", "sklearn", "statsmodels", "tqdm"}
    assert not unwanted & loaded


START_OF_SNAKEMAKE = """
import json, sys
from nbmf_studies import recipes as datasets
from nbmf import registry
from nbmf_studies.pipeline import configuration, download, status
from nbmf import sources
print(json.dumps(sorted(sys.modules)))
"""


def test_what_the_workflow_imports_at_its_start_is_light():
    loaded = set(python(START_OF_SNAKEMAKE))
    assert "nbmf_studies.pipeline.configuration" in loaded
    assert not {"numba", "scipy", "pandas", "matplotlib", "sklearn"} & loaded


def test_the_library_does_not_name_the_studies():
    """Neither as an import nor in a text that something could import."""
    named = [path for path in PACKAGE.rglob("*.py") if "nbmf_studies" in path.read_text("utf-8")]
    assert named == []
