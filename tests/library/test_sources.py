"""Which files a fit depends on: all that it loads, and nothing that it does not."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nbmf
from nbmf import registry, sources
from nbmf.sources import source_files
from nbmf_studies import recipes

PACKAGE = Path(nbmf.__file__).parent


def listed(*modules):
    """Return the closure as paths below src/nbmf, or src for another package."""
    files = map(Path, source_files(*modules))
    return {file.relative_to(PACKAGE if file.is_relative_to(PACKAGE) else PACKAGE.parent).as_posix() for file in files}


def fit_sources(class_name):
    """Return what the rule `fit` lists for a method."""
    return listed("nbmf.fits", registry.module_of(class_name))


def test_a_fit_depends_on_what_it_imports_directly_or_not():
    assert {
        "errors.py",
        "files.py",
        "fits.py",
        "registry.py",
        "seeds.py",
        "sources.py",
        "data/matrix.py",
        "data/named.py",
        "likelihoods/bernoulli.py",
        "likelihoods/likelihood.py",
        *(f"inference/{name}.py" for name in ("estimator", "loop", "parameters", "progress")),
        *(f"families/beta_dirichlet/{name}.py" for name in ("beta_dir_vb", "orientation", "start_choice")),
        "families/beta_dirichlet/kernels/beta_dir_cvb0.py",
        "families/beta_dirichlet/models/beta_dir.py",
        "numerics/cells.py",
        "numerics/compilation.py",
    } <= fit_sources("DirBetaVB")


def test_a_fit_does_not_depend_on_what_comes_before_or_after_it():
    for name in registry.all_classes():
        other = ("plotting/", "nbmf_studies/", "posterior/", "evaluation/", "cli/", "reporting/", "io/")
        if registry.estimator_class(name).likelihoods[0].name != "gaussian":
            other += ("data/real_matrix.py",)
        assert not [file for file in fit_sources(name) if file.startswith(other)], name


OF_STACKING = {"beta_dirichlet", "poisson_gamma", "buffet", "logistic"}


def test_a_fit_depends_on_its_own_family_alone():
    for name in registry.all_classes():
        used = {file.split("/")[1] for file in fit_sources(name) if file.startswith("families/")}
        if name == "Stacking":  # whose members are of several
            assert used == OF_STACKING
            continue
        assert used == {registry.module_of(name).split(".")[2]}, name  # nbmf.families.<family>


def test_likelihoods_concern_the_families_that_take_them():
    users = [name for name in registry.all_classes() if "likelihoods/tokens.py" in fit_sources(name)]
    assert users == ["LDA", "VariationalLDA", "FastLDA"]


# Gibbs chains may start from the mean-field kernel.
USERS = {
    "families/beta_dirichlet/kernels/beta_dir_gibbs.py": {"BetaDirGibbs", "DirBetaGibbs", "Stacking"},
    "families/beta_dirichlet/kernels/beta_dir_cvb0.py": {
        "BetaDirVB",
        "CollapsedBinaryICA",
        "DirBetaGibbs",
        "DirBetaVB",
        "BetaDirGibbs",
        "BinaryICA",  # whose side with the weights it may choose
        "Stacking",
    },
    "families/beta_dirichlet/kernels/beta_dir_mean_field.py": {
        "BinaryICA",
        "BetaDirGibbs",
        "DirDirGibbs",
        "DirBetaGibbs",
        "Stacking",
    },
    "families/beta_dirichlet/kernels/dir_dir_gibbs.py": {"DirDirGibbs"},
    "families/beta_dirichlet/kernels/dir_dir_cvb0.py": {"DirDirVB"},
    "families/beta_dirichlet/models/dir_dir.py": {"DirDirGibbs", "DirDirVB"},
    "families/logistic/logistic_pca.py": {"LogisticPCA"},
    "families/mixed_membership/kernels/lda.py": {"LDA", "VariationalLDA", "FastLDA"},
    "families/mixed_membership/lda.py": {"LDA", "VariationalLDA", "FastLDA"},
    "inference/estimator.py": set(registry.all_classes()),
}


@pytest.mark.parametrize("file", USERS)
def test_editing_a_file_concerns_the_methods_that_use_it(file):
    concerned = {name for name in registry.all_classes() if file in fit_sources(name)}
    assert concerned == USERS[file]


def test_a_recipe_depends_on_its_readers_and_on_no_other_recipe():
    paleo = listed("nbmf_studies.recipes.check", recipes.module_of("paleo"))
    assert {"nbmf_studies/recipes/paleo.py", "nbmf_studies/recipes/raw_text.py", "data/matrix.py", "errors.py"} <= paleo
    assert not {"nbmf_studies/recipes/lastfm.py", "nbmf_studies/recipes/voting_records.py"} & paleo
    assert not [file for file in paleo if file.startswith(("families/", "numerics/", "inference/", "plotting/"))]


def test_a_figure_depends_on_its_style():
    style = {"plotting/style.py", "plotting/fonts.py", "plotting/places.py"}
    assert listed("nbmf.plotting.boxes") == {
        "plotting/boxes.py",
        "plotting/score_units.py",
        "files.py",
        "errors.py",
        *style,
    }


LOADED = """
import json, sys
import numpy as np
from nbmf.fits import FitRequest, run_fit
from nbmf.data.matrix import BinaryMatrix
matrix = BinaryMatrix.from_array(np.eye(4, dtype=np.int8))
request = FitRequest(sys.argv[1], 2, json.loads(sys.argv[2]), ["test"])
run_fit(matrix, np.eye(4) == 1, request, log=lambda line: None)
print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "nbmf"]))
"""


@pytest.mark.parametrize(
    ("name", "settings"), [("DirBetaVB", {"max_iter": 2}), ("DirDirGibbs", {"burn_in": 1, "n_samples": 1})]
)
def test_all_that_a_fit_loads_is_listed(name, settings):
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, name, json.dumps(settings)], capture_output=True, text=True, check=True
    )
    loaded = {Path(file).relative_to(PACKAGE).as_posix() for file in json.loads(ran.stdout)}
    modules = {file for file in loaded if not file.endswith("__init__.py")}
    assert len(modules) > 10
    assert modules <= fit_sources(name)


def test_other_packages_and_names_that_are_no_modules_are_left_out():
    assert listed("numpy", "nbmf.families.beta_dirichlet.models", "nbmf.no_such_module", "nbmf.errors") == {"errors.py"}


def test_a_method_of_ones_own_is_listed_with_what_it_imports(tmp_path, monkeypatch):
    (tmp_path / "my_methods.py").write_text("from nbmf.inference.estimator import Factorization")
    monkeypatch.syspath_prepend(tmp_path)
    names = {Path(file).name for file in source_files("my_methods")}
    assert {"my_methods.py", "estimator.py", "parameters.py"} <= names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import json", ["a"]),
        ("import PACKAGE.b", ["a", "b"]),
        ("from PACKAGE import b", ["a", "b"]),
        ("from PACKAGE.b import x", ["a", "b"]),
        ("from PACKAGE import b as other, c", ["a", "b", "c"]),
        ("def later():\n    from PACKAGE import c", ["a", "c"]),
        ("from PACKAGE import a", ["a"]),
        ("from PACKAGE.c import x", ["a", "c"]),
    ],
)
def test_each_form_of_import_is_followed_and_nothing_is_executed(text, expected, tmp_path, monkeypatch):
    package = "scratch_" + hashlib.sha256(text.encode()).hexdigest()  # never imported before
    folder = tmp_path / package
    folder.mkdir()
    files = {"__init__": "", "a": text.replace("PACKAGE", package), "b": "x = 1"}
    for name, content in {**files, "c": "raise RuntimeError('executed')"}.items():
        (folder / f"{name}.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "PACKAGE", package)
    assert [Path(file).stem for file in source_files(f"{package}.a")] == expected


KERNELS = [
    f"nbmf.families.{name}"
    for name in (
        "mixed_membership.kernels.lda",
        "beta_dirichlet.kernels.fold_in_kernels",
        "beta_dirichlet.kernels.beta_dir_gibbs",
        "beta_dirichlet.kernels.dir_dir_gibbs",
    )
]
COMPILED = """
import json, sys
from nbmf import sources
from nbmf.numerics import compilation

names = json.loads(sys.argv[2])
caches = [each for module in (sources, compilation) for each in vars(module).values()
          if hasattr(each, "cache_clear")]

def directories():
    for each in caches:
        each.cache_clear()
    return [str(compilation.cache_directory(name)) for name in names]

found = []
for edited in json.loads(sys.argv[3]):
    before = directories()
    with open(f"{sys.argv[1]}/nbmf/{edited}", "a") as file:
        file.write("# edited\\n")
    found.append([i for i, pair in enumerate(zip(before, directories())) if pair[0] != pair[1]])
print(json.dumps(found))
"""


CONCERNED = {
    "families/mixed_membership/kernels/lda.py": [0],
    "families/beta_dirichlet/kernels/fold_in_kernels.py": [1],
    "numerics/row_lists.py": [2, 3],
    "numerics/random.py": [2, 3],
    "numerics/compilation.py": [0, 1, 2, 3],
    "families/beta_dirichlet/collapsed_gibbs.py": [],
    "inference/estimator.py": [],
    "cli/commands/fit.py": [],
}


def test_editing_a_file_compiles_anew_what_uses_it_and_nothing_else(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "nbmf", ignore=shutil.ignore_patterns("__pycache__"))
    ran = subprocess.run(
        [sys.executable, "-c", COMPILED, tmp_path, json.dumps(KERNELS), json.dumps([*CONCERNED])],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(zip(CONCERNED, json.loads(ran.stdout), strict=True)) == CONCERNED
