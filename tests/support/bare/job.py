"""Run one script of the workflow where nothing but an environment of `envs` can be imported.

python -I job.py SCRIPT < what snakemake_in_bare_environments.job_of returns
"""

import importlib.util
import json
import runpy
import sys
from pathlib import Path

COPIES = Path(__file__).resolve().parents[1] / "copies"


class Named(list):
    """A list some of whose values have names, as those of Snakemake."""

    def __init__(self, values, names):
        super().__init__(values)
        self.__dict__.update({name: Named(v, {}) if isinstance(v, list) else v for name, v in names.items()})

    def get(self, name, default=None):
        return self.__dict__.get(name, default)

    def keys(self):
        return self.__dict__.keys()

    def __getitem__(self, key):
        return self.__dict__[key] if isinstance(key, str) else super().__getitem__(key)


class Snakemake:
    """As much of Snakemake's own object as a script here may use."""

    def __init__(self, named, threads, config):
        self.__dict__.update({kind: Named(*values) for kind, values in named.items()})
        self.threads, self.config = threads, config


script = Path(sys.argv[1])
for name in ("snakemake", "nbmf", "nbmf_studies", "pip"):
    assert importlib.util.find_spec(name) is None, name
sys.path += [str(script.parent), str(COPIES)]  # as Snakemake does; and for where kernels are kept
runpy.run_path(str(script), {"snakemake": Snakemake(**json.load(sys.stdin))})
