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

TRACE_POINTS_OF_CHAINS = (
    1000  # enough draws of the log joint for effective sample sizes
)

RESULTS = config["results"]
MATRIX = "data/matrices/{dataset}.npz"
MASK = f"{RESULTS}/masks/{{dataset}}/mask{{mask}}.npz"
FIT = f"{RESULTS}/fits/{{dataset}}/{{method}}/K{{K}}-mask{{mask}}-seed{{seed}}.json"
COMPLETE_FIT = f"{RESULTS}/complete/{{dataset}}/{{method}}/K{{K}}-seed{{seed}}"
TABLES = f"{RESULTS}/tables"
SCORES = f"{RESULTS}/scores.csv"
KERNELS = "data/kernels.txt"
FITS = configuration.fit_keys(config)
COMPLETE_FITS = configuration.complete_keys(config)


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
    K, mask, seed = (int(wildcards[name]) for name in ("K", "mask", "seed"))
    return json.dumps(
        {
            "class_name": method["class"],
            "K": K,
            "settings": method["settings"],
            "seed_key": ["fit", wildcards.dataset, started_as, K, mask, seed],
        },
        sort_keys=True,
    )


def complete_fit_parameters(wildcards):
    """The same for a complete fit."""
    method, K, seed = method_entry(wildcards), int(wildcards.K), int(wildcards.seed)
    return json.dumps(
        {
            "class_name": method["class"],
            "K": K,
            "settings": method["settings"],
            "seed_key": ["complete", wildcards.dataset, wildcards.method, K, seed],
            "trace_points": (
                TRACE_POINTS_OF_CHAINS if is_chain(wildcards.method) else 50
            ),
        },
        sort_keys=True,
    )


def is_chain(method):
    """Whether the method samples, so that its seeds are chains to be diagnosed."""
    return "burn_in" in registry.settings_of(config["methods"][method]["class"])


def label_of(method, K=None):
    """The name of a method in figures, with its K where that was chosen: bICA-8."""
    label = config["methods"][method]["label"]
    return label if K is None or is_nonparametric(method) else f"{label}-{K}"


def is_nonparametric(method):
    return "1/K" in config["methods"][method]["settings"].values()
