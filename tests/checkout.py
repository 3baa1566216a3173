"""A copy of this checkout, in which Snakemake runs as a user would run it."""

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
ROOT = Path(__file__).resolve().parents[1]
CONFIG_FILES = [  # those of the Snakefile
    *(ROOT / f"config/{name}.yaml" for name in ("config", "datasets", "sources")),
    ROOT / "src/nbmf/methods.yaml",
    *sorted((ROOT / "config/studies").glob("*.yaml")),
]


def shipped_configuration():
    """Return the configuration as Snakemake merges it from its files."""
    config = {}
    for file in CONFIG_FILES:
        update_config(config, yaml.safe_load(file.read_text(encoding="utf-8")))
    return config


class Checkout:
    """A copy in another folder of all files that are, or could be, under version control."""

    def __init__(self, folder: Path):
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
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
        return {**os.environ, "NUMBA_CACHE_DIR": str(ROOT / ".numba_cache"), **changes}

    def snakemake(self, *arguments, config=None, **environment):
        """Run Snakemake with an overlay `config`; return the finished process."""
        return subprocess.run(
            self.command("--cores", "2", *arguments, config=config),
            cwd=self.folder,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=HANGING,
        )

    def planned(self, config, *targets):
        """Return how many jobs of each rule a dry run lists, empty if there is nothing to do."""
        output = self.snakemake(*targets, "--dry-run", "--quiet", "rules", config=config).stdout
        assert "Error" not in output, output
        jobs = re.findall(r"^([\w-]+) +(\d+)$", output, re.MULTILINE)
        return {rule: int(n) for rule, n in jobs if rule != "total"}

    def table(self, name):
        """Return a table of lumbreras2020 without the column that differs from run to run."""
        table = pd.read_csv(self.folder / f"results/tiny/lumbreras2020/tables/{name}.csv")
        return table.drop(columns="seconds", errors="ignore")
