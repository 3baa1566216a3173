"""A copy of this checkout, in which Snakemake runs as a user would run it."""

import copy
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import yaml
from snakemake.utils import update_config

HANGING = 1800  # seconds: a busy machine that compiles kernels is slow, and not hanging
ROOT = Path(__file__).resolve().parents[2]
COPIES = ROOT / "tests/support/copies"
CONFIG_FILES = [  # those of the Snakefile
    *(ROOT / f"config/{name}.yaml" for name in ("config", "datasets", "sources")),
    ROOT / "src/nbmf/methods.yaml",
    *sorted((ROOT / "config/studies").glob("*.yaml")),
]


def shipped_configuration():
    """Return the configuration as Snakemake merges it from its files, which are read once."""
    config = {}
    for file in CONFIG_FILES:
        update_config(config, copy.deepcopy(contents(file)))
    return config


@functools.cache
def contents(file):
    """Return what a YAML file holds, not to be changed."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def jobs_in(output):
    """Return how many jobs of each rule a dry run has listed; figures and tables by the names of their targets."""
    found = re.findall(r"^([\w-]+) +(\d+)$", output, re.MULTILINE)
    jobs = {rule: int(n) for rule, n in found if rule not in ("total", "figure", "table", "table_of_report")}
    shown = re.findall(r": (draw|tabulate) (\S+) of (\S+)$", output, re.MULTILINE)
    return jobs | {f"{study}_{name}" if verb == "draw" else f"{study}_table_{name}": 1 for verb, name, study in shown}


@functools.cache
def preloaded():
    """Return a process that has imported Snakemake and runs it; it ends with this one."""
    return subprocess.Popen(
        [sys.executable, COPIES / "preloaded.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


class Checkout:
    """A copy in another folder of all files that are, or could be, under version control.

    Or of the folder of another copy, with what has been run in it.
    """

    def __init__(self, folder: Path, of: Path | None = None):
        self.folder = folder
        if of is not None:
            shutil.copytree(of, folder, symlinks=True, dirs_exist_ok=True)
            return
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)

    def command(self, *arguments, config=None):
        """Return the command line of Snakemake, with an overlay `config` written to a file."""
        if config is not None:
            (self.folder / "overlay.yaml").write_text(yaml.safe_dump(config))
            arguments += ("--configfile", "overlay.yaml")
        return [sys.executable, "-m", "snakemake", *arguments]

    def environment(self, **changes):
        """Return the environment of Snakemake: kernels that were compiled before are used."""
        environment = {"NUMBA_CACHE_DIR": str(ROOT / ".numba_cache"), **os.environ, **changes}
        modules = [environment.get("PYTHONPATH"), str(COPIES)]
        return environment | {
            "NUMBA_CACHE_LOCATOR_CLASSES": "compiled_once.CompiledOnce",
            "PYTHONPATH": os.pathsep.join(filter(None, modules)),
        }

    def snakemake(self, *arguments, config=None, **environment):
        """Run Snakemake with an overlay `config`; return the finished process."""
        command = self.command("--cores", "2", *arguments, config=config)
        output = self.folder / ".snakemake-output"
        asked = {
            "folder": str(self.folder),
            "arguments": command[3:],
            "environment": self.environment(**environment),
            "output": str(output),
            "seconds": HANGING,
        }
        process = preloaded()
        print(json.dumps(asked), file=process.stdin, flush=True)
        status = int(process.stdout.readline())
        return subprocess.CompletedProcess(command, status, output.read_text())

    def planned(self, config, *targets):
        """Return how many jobs of each rule a dry run lists, empty if there is nothing to do."""
        output = self.snakemake(*targets, "--dry-run", config=config).stdout
        assert "Error" not in output, output
        return jobs_in(output)

    def table(self, name):
        """Return a table of lumbreras2020 without the column that differs from run to run."""
        table = pd.read_csv(self.folder / f"results/tiny/lumbreras2020/tables/{name}.csv")
        return table.drop(columns="seconds", errors="ignore")
