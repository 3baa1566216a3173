# Helpers of the rules, no rules: the checked configuration, paths, and what a fit depends on.

import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)

# Jobs run this Python unless a conda environment brings its own, import the package from this
# checkout, wherever they run, and keep the kernels they compile in it.
sys.path.insert(0, str(ROOT / "src"))
for variable, first in (
    ("PYTHONPATH", ROOT / "src"),
    ("PATH", Path(sys.executable).parent),
):
    os.environ[variable] = os.pathsep.join(
        [str(first), *filter(None, [os.environ.get(variable)])]
    )
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache"))

from nbmf import configuration, datasets, registry
from nbmf.errors import ConfigError
from nbmf.sources import source_files

try:
    config = configuration.check(
        config, workflow.source_path("../schemas/config.schema.yaml")
    )
except ConfigError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
MATRIX = "data/matrices/{dataset}.npz"
MASK = f"{RESULTS}/masks/{{dataset}}/mask{{mask}}.npz"
FIT = f"{RESULTS}/fits/{{dataset}}/{{method}}/K{{K}}-mask{{mask}}-seed{{seed}}.json"
SCORES = f"{RESULTS}/scores.csv"
KERNELS = "data/kernels.txt"
FITS = configuration.fit_keys(config)


def raw_file(source):
    return f"data/raw/{config['sources'][source]['path']}"


def dataset_entry(wildcards):
    return config["datasets"][wildcards.dataset]


def method_entry(wildcards):
    return config["methods"][wildcards.method]


def package_sources(*modules):
    """The files a job depends on: editing one runs it again, touching it does not."""
    return [os.path.relpath(path) for path in source_files(*modules)]


def fit_parameters(wildcards):
    """All that decides the outcome of a fit beside its input files, as text with sorted keys.

    As text, since Snakemake compares parameters by value without their names: two hyperparameters
    that trade values would go unnoticed.
    """
    method = method_entry(wildcards)
    started_as = method.get("starts_as", wildcards.method)
    return json.dumps(
        {
            "class_name": method["class"],
            "K": int(wildcards.K),
            "settings": method["settings"],
            "seed_key": [
                "fit",
                wildcards.dataset,
                started_as,
                int(wildcards.K),
                int(wildcards.mask),
                int(wildcards.seed),
            ],
        },
        sort_keys=True,
    )
