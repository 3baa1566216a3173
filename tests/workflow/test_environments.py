"""The conda environments: versions of the lock, all that a rule's script imports, and enough to run it."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import bare_environments
import pytest
import yaml
from checkout import HANGING, ROOT, Checkout
from finished_run import TINY
from studies_of_today import CONFIG, PLANS, PRODUCTS

from nbmf import registry
from nbmf.sources import source_files
from nbmf_studies.pipeline import dataset_jobs, fit_jobs, mask_jobs, targets

PACKAGE_OF = {"sklearn": "scikit-learn", "arviz_stats": "arviz-stats", "yaml": "pyyaml", "nbmf_mm": "nbmf-mm"}
# numba brings the one llvmlite it works with.
COMES_WITH = {"llvmlite": "numba"}
METHODS, DATASETS = (list(CONFIG[kind].values()) for kind in ("methods", "datasets"))
OPTIONAL = {entry["package"] for entry in METHODS if "package" in entry}  # methods without theirs are skipped
FIRST = "workflow_job"  # what every script imports first
# What scripts reach by a name in the configuration or in a study, not by an import.
CLASSES = {registry.module_of(name) for name in registry.all_classes()}
OF_METHODS = {module for entry in METHODS for module in fit_jobs.modules(entry, {})}
LOOKING = {module for entry in DATASETS for module in fit_jobs.modules(METHODS[0], entry)}
MAKING = {module for study, product in PRODUCTS for module in targets.modules(product, PLANS[study.key])}
BY_NAME = {
    "dataset": {module for entry in DATASETS for module in dataset_jobs.modules(entry)},
    "mask": {module for entry in DATASETS for module in mask_jobs.modules(entry)},
    "fit": CLASSES | OF_METHODS | LOOKING,
    "kernels": CLASSES,
    "figure": MAKING,
    "table": MAKING,
}
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))


def pins(environment):
    """Return package to version, without python."""
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    return dict(pin.split("=") for pin in dependencies if not pin.startswith("python="))


def rules():
    """Yield the name, environment and script of each rule."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for block in re.split(r"^ *rule\b", path.read_text(), flags=re.MULTILINE)[1:]:
            script = re.search(r'script:\s+"\.\./scripts/(\w+)\.py"', block)
            environment = re.search(r'conda:\s+"\.\./\.\./envs/(\w+)\.yaml"', block)
            if script:
                yield re.match(r" (\w+):", block)[1], environment and environment[1], script[1]


RULES = list(rules())
OURS = {"nbmf", "nbmf_studies"}


@functools.cache
def imported(path):
    """Return the dotted names that a file imports, inside functions or by `import_extra`, but not for types alone."""
    found, waiting = set(), [ast.parse(Path(path).read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_extra":
            found.add(node.args[0].value)
        waiting.extend(ast.iter_child_nodes(node))
    return found


@functools.cache
def packages_of(script):
    """Return the packages that a script imports, but for optional ones."""
    scripts = [ROOT / f"workflow/scripts/{name}.py" for name in (script, FIRST)]
    names = set().union(*map(imported, scripts)) - {FIRST, f"{FIRST}.logged"}
    modules = [*BY_NAME.get(script, []), *names, *(name.rpartition(".")[0] for name in names)]
    for path in source_files(*(module for module in modules if module.startswith(("nbmf.", "nbmf_studies.")))):
        names |= imported(path)
    packages = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - OURS
    return {COMES_WITH.get(p, PACKAGE_OF.get(p, p)) for p in packages} - OPTIONAL


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_versions_are_those_of_the_lock(environment):
    lock = (ROOT / "requirements.lock").read_text()
    for name, version in pins(environment).items():
        assert f"\n{name}=={version} " in lock, name


def test_every_rule_that_runs_something_has_an_environment():
    assert len(RULES) >= 9  # figures and tables of all studies are two of them
    assert {name for name, environment, _ in RULES if environment is None} == set()
    assert {environment for _, environment, _ in RULES} == {path.stem for path in ENVIRONMENTS}


def test_every_script_finds_the_package_by_its_own_place_before_anything_else():
    for path in (ROOT / "workflow/scripts").glob("*.py"):
        ours = re.findall(rf"^ *(?:from|import) ({FIRST}|nbmf\w*)\b", path.read_text(), re.MULTILINE)
        assert path.stem == FIRST or ours[0] == FIRST, path.name


@pytest.mark.parametrize(("name", "environment", "script"), RULES, ids=lambda x: str(x))
def test_an_environment_has_all_that_its_scripts_import(name, environment, script):
    assert packages_of(script) <= pins(ROOT / f"envs/{environment}.yaml").keys(), name


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_every_pin_is_imported_somewhere(environment):
    used = [packages_of(script) for _, where, script in RULES if where == environment.stem]
    assert pins(environment).keys() <= set().union(*used)


@pytest.mark.workflow
def test_every_script_runs_in_a_bare_environment_of_its_rule(tmp_path):
    """It holds what its file of `envs` names and what that depends on: not nbmf, not Snakemake, no other package."""
    for environment in ENVIRONMENTS:
        bare_environments.make(tmp_path / environment.stem, pins(environment))
    checkout = Checkout(tmp_path / "checkout")
    (tmp_path / "votes.csv").write_text("name,a,b,c\nx,1,0,1\ny,0,1,\nz,1,1,0\n")
    datasets = {"votes": {"file": str(tmp_path / "votes.csv")}}
    program = ROOT / "tests/support/bare/snakemake_in_bare_environments.py"
    tables = "results/tiny/lumbreras2020/tables"
    reference = {**TINY, "datasets": datasets, "verify": {"reference": tables, "accept": "identical"}}
    matrices = [f"data/matrices/{name}.npz" for name in ("animals", "parliament", "votes")]
    for names in (["lumbreras2020", *matrices], ["verify", "status"]):
        command = checkout.command("--cores", "2", *names, config=reference)[3:]
        done = subprocess.run(
            [sys.executable, program, tmp_path, *command],
            cwd=checkout.folder,
            env=checkout.environment(),
            capture_output=True,
            text=True,
            timeout=HANGING,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    ran = {tuple(line.split()) for line in (tmp_path / "ran").read_text().splitlines()}
    assert ran == {(environment, script) for _, environment, script in RULES}
