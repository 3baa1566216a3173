"""The conda environments: versions of the lock, and all that a rule's script imports."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml
from checkout import ROOT, shipped_configuration

from nbmf import registry
from nbmf.sources import source_files
from nbmf_studies import all_studies, recipes
from nbmf_studies.pipeline import configuration, products

PACKAGE_OF = {"sklearn": "scikit-learn", "arviz_stats": "arviz-stats", "yaml": "pyyaml"}
# numba brings the one llvmlite it works with.
COMES_WITH = {"llvmlite": "numba"}
CONFIG = configuration.check(shipped_configuration(), ROOT / "workflow/schemas/config.schema.yaml")
PRODUCTS = [
    (product, plan)
    for key, plan in configuration.plans(CONFIG).items()
    for product in (*all_studies()[key].figures_of(plan), *all_studies()[key].tables_of(plan))
]


def made_in(environment):
    """Return the modules of the figures and tables that are made in an environment."""
    return sorted(
        {
            module
            for product, plan in PRODUCTS
            if products.environment(product, plan) == environment
            for module in (
                *products.modules(product, plan),
                *map(registry.module_of, products.fitted_classes(product, plan)),
            )
        }
    )


TABLE_THAT_FITS = "table that fits"  # its script is that of any table
# What scripts reach by a name in the configuration, not by an import.
BY_NAME = {
    "dataset": [recipes.module_of(entry["recipe"]) for entry in CONFIG["datasets"].values() if "recipe" in entry],
    "fit": [
        *(registry.module_of(name) for name in registry.all_classes()),
        *(
            entry[key].partition(":")[0]
            for entry in CONFIG["datasets"].values()
            for key in ("observe", "measure")
            if key in entry
        ),
    ],
    # Figures and tables name their functions, and what loads their needs, in the studies.
    **dict.fromkeys(("figure", "table"), made_in("figures")),
    TABLE_THAT_FITS: made_in("fit"),
}
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))


def pins(environment):
    """Return package to version, without python."""
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    return dict(pin.split("=") for pin in dependencies if not pin.startswith("python="))


def rules():
    """Yield the name, environment and script, or module that a shell command runs, of each rule."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for block in re.split(r"^ *rule\b", path.read_text(), flags=re.MULTILINE)[1:]:
            script = re.search(r'script:\s+"\.\./scripts/(\w+)\.py"', block)
            module = re.search(r"python -m ([\w.]+)", block)
            environment = re.search(r'conda:\s+"\.\./\.\./envs/(\w+)\.yaml"', block)
            if re.search(r"conda:\s+environment_of\(", block):  # made in a loop
                yield script[1], "figures", script[1], None
                if script[1] == "table":
                    yield TABLE_THAT_FITS, "fit", TABLE_THAT_FITS, None
            elif script or module:
                yield (
                    re.match(r" (\w+):", block)[1],
                    environment and environment[1],
                    script and script[1],
                    module and module[1],
                )


RULES = list(rules())
OURS = {"nbmf", "nbmf_studies"}


def imported(path):
    """Return the dotted names that a file imports, inside functions but not for types alone."""
    found, waiting = set(), [ast.parse(Path(path).read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def packages_of(script, module):
    """Return the packages that a script, or a module that a shell command runs, imports."""
    names, modules = set(), [module] if module else []
    if script:
        names = imported(ROOT / f"workflow/scripts/{script.split()[0]}.py")
        modules = BY_NAME.get(script, []) + [m for n in names for m in (n, n.rpartition(".")[0])]
    for path in source_files(*(m for m in modules if m.startswith(("nbmf.", "nbmf_studies.")))):
        names |= imported(path)
    packages = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - OURS
    return {COMES_WITH.get(p, PACKAGE_OF.get(p, p)) for p in packages}


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_versions_are_those_of_the_lock(environment):
    lock = (ROOT / "requirements.lock").read_text()
    for name, version in pins(environment).items():
        assert f"\n{name}=={version} " in lock, name


def test_what_fits_runs_in_the_environment_of_fits():
    """Cross-validation on tables of features among them; a figure does not fit, nor does a table of scores."""
    fit = {product.name for product, plan in PRODUCTS if products.environment(product, plan) == "fit"}
    assert "uci_wine_3" in fit
    assert not fit & {"scores", "summary", "claims", "figure_10", "sensitivity"}


def test_every_rule_that_runs_something_has_an_environment():
    assert len(RULES) >= 9  # figures and tables of all studies are two of them
    assert {name for name, environment, _, _ in RULES if environment is None} == set()
    assert {environment for _, environment, _, _ in RULES} == {path.stem for path in ENVIRONMENTS}


@pytest.mark.parametrize(("name", "environment", "script", "module"), RULES, ids=lambda x: str(x))
def test_an_environment_has_all_that_its_scripts_import(name, environment, script, module):
    assert packages_of(script, module) <= pins(ROOT / f"envs/{environment}.yaml").keys(), name


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_every_pin_is_imported_somewhere(environment):
    used = [packages_of(*rest) for _, where, *rest in RULES if where == environment.stem]
    assert pins(environment).keys() <= set().union(*used)
