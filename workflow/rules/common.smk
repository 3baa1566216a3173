# Helpers of the rules, no rules: the checked configuration, paths, and what a fit depends on.

import json
import os
import re
import shutil
import sys
import time
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

from nbmf import registry
from nbmf.data import recipes
from nbmf.errors import ConfigError
from nbmf.workflow import configuration, raw_files, status
from nbmf.sources import source_files

try:
    config = configuration.check(
        config, workflow.source_path("../schemas/config.schema.yaml")
    )
except ConfigError as error:
    raise WorkflowError(str(error))

CHAIN_POINTS = 1000  # enough draws of the log joint for effective sample sizes

RESULTS = config["results"]
MATRIX = "data/matrices/{dataset}.npz"
MASK = f"{RESULTS}/masks/{{dataset}}/mask{{mask}}.npz"
FIT = f"{RESULTS}/fits/{{dataset}}/{{method}}/K{{K}}-mask{{mask}}-seed{{seed}}.json"
FIT_LOG = (
    f"{RESULTS}/logs/fits/{{dataset}}/{{method}}/K{{K}}-mask{{mask}}-seed{{seed}}.log"
)
COMPLETE_FIT = f"{RESULTS}/complete/{{dataset}}/{{method}}/K{{K}}-seed{{seed}}"
COMPLETE_FIT_LOG = (
    f"{RESULTS}/logs/complete/{{dataset}}/{{method}}/K{{K}}-seed{{seed}}.log"
)
TABLES = f"{RESULTS}/tables"
PARTIAL = f"{RESULTS}/partial"
STARTED = time.time()
SCORES = f"{RESULTS}/scores.csv"
KERNELS = "data/kernels.txt"
FITS = configuration.fit_keys(config)
COMPLETE_FITS = configuration.complete_keys(config)


def per_attempt(amount):
    """A resource that grows with each attempt: a cluster kills jobs that ask for too little."""
    return lambda wildcards, attempt: amount * attempt


def raw_file(source):
    return below_raw(raw_files.located(config["sources"][source]))


def below_raw(source):
    return os.path.join(raw_files.RAW, raw_files.below_raw(source))


def dataset_entry(wildcards):
    return config["datasets"][wildcards.dataset]


def source_of_dataset(entry):
    """The source of a dataset whose file is at an address."""
    return raw_files.located(
        {
            "address": entry["file"],
            **({"sha256": entry["sha256"]} if "sha256" in entry else {}),
        }
    )


def dataset_files(wildcards):
    """The files a dataset is built from: those of its recipe by their names, or the one it is."""
    entry = dataset_entry(wildcards)
    if "file" not in entry:
        return [raw_file(source) for _, source in sorted(entry["files"].items())]
    if configuration.is_address(entry["file"]):
        return [below_raw(source_of_dataset(entry))]
    return [configuration.local_path(entry["file"])]


def dataset_modules(wildcards):
    """The modules that build a dataset."""
    entry = dataset_entry(wildcards)
    builder = (
        "nbmf.data.readers.reading"
        if "file" in entry
        else recipes.module_of(entry["recipe"])
    )
    return ["nbmf.data.recipes.building", "nbmf.data.recipes.check", builder]


def building_parameters(wildcards):
    """What decides how a matrix is built, as text with sorted keys; see fit_parameters."""
    entry = dataset_entry(wildcards)
    elsewhere = ("axes", "sha256")  # in figures, and when the file is downloaded
    return json.dumps(
        {key: value for key, value in entry.items() if key not in elsewhere},
        sort_keys=True,
    )


# What the rule `download` can get, by its place below data/raw. Of datasets with the same address, one
# that states the checksum speaks for all, and a source for any dataset.
RAW = {
    raw_files.below_raw(source): source
    for source in (
        *sorted(
            (
                source_of_dataset(entry)
                for entry in config["datasets"].values()
                if configuration.is_address(entry.get("file", ""))
            ),
            key=lambda source: "sha256" in source,
        ),
        *map(raw_files.located, config["sources"].values()),
    )
}


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


def fit_threads(wildcards):
    """The threads of a fit: one where its method could not use more."""
    method = method_entry(wildcards)
    return config["run"]["threads"] if registry.takes_threads(method["class"]) else 1


def complete_fit_parameters(wildcards):
    """The same for a complete fit."""
    method, K, seed = method_entry(wildcards), int(wildcards.K), int(wildcards.seed)
    started_as = method.get("starts_as", wildcards.method)
    return json.dumps(
        {
            "class_name": method["class"],
            "K": K,
            "settings": method["settings"],
            "seed_key": ["complete", wildcards.dataset, started_as, K, seed],
            "chain_points": CHAIN_POINTS if is_chain(wildcards.method) else 0,
        },
        sort_keys=True,
    )


def parameters_of(method):
    """The constructor arguments of a method; those that are not set have the class's defaults."""
    entry = config["methods"][method]
    made = registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])
    return made.get_params()


def is_chain(method):
    """Whether the method samples, so that its seeds are chains to be diagnosed."""
    return "burn_in" in parameters_of(method)


def label_of(method, K=None):
    """The name of a method in figures, with its K where that was chosen: bICA-8."""
    label = config["methods"][method]["label"]
    return label if K is None or is_nonparametric(method) else f"{label}-{K}"


def is_nonparametric(method):
    return "1/K" in parameters_of(method).values()


FIGURE = f"{RESULTS}/figures/{{}}"


def files_of(figure):
    return multiext(FIGURE.format(figure), ".pdf", ".png")


def drawn(figure):
    """Whether the complete fits that a figure shows are part of this run."""
    return config["figures"][figure]["dataset"] in config["run"]["complete_fits"]


def shown_fits(figure):
    """The methods that Figure 6, 7, 8 or 9 shows: label, and the fits of all seeds to choose from."""
    dataset = config["figures"][figure]["dataset"]
    grids = config["complete_fits"][dataset]
    return [
        {
            "method": method,
            "label": label_of(method, K),
            "stems": [
                COMPLETE_FIT.format(dataset=dataset, method=method, K=K, seed=seed)
                for seed in range(grids[method]["seeds"])
            ],
        }
        for method, K in configuration.shown_K(config, figure).items()
    ]


def files_of_shown_fits(figure):
    return [
        stem + suffix
        for fit in shown_fits(figure)
        for stem in fit["stems"]
        for suffix in (".json", ".npz")
    ]


def sensitivity_experiment():
    """The arguments of nbmf.studies.lumbreras2020.sensitivity_fits.run_sensitivity."""
    chosen = config["figures"]["sensitivity"]
    methods = {
        method: (
            config["methods"][method]["class"],
            config["methods"][method]["settings"] | settings,
        )
        for method, settings in chosen["methods"].items()
    }
    return {
        "sizes": chosen["sizes"],
        "K": chosen["K"],
        "estimator_concentrations": chosen["concentrations"],
        "masks": chosen["masks"],
        "methods": methods,
    }


def figure_10_methods():
    """The methods that Figure 10 compares, in the order of its boxes."""
    return {
        name: {key: config["methods"][name][key] for key in ("label", "K")}
        for name in config["run"]["methods"]
        if config["methods"][name]["in_figure_10"]
    }


def chosen_K_methods():
    """The methods of complete fits whose K is chosen by looking at the fit."""
    return sorted(
        {key.method for key in COMPLETE_FITS if not is_nonparametric(key.method)}
    )


CHAINS = sorted({key.method for key in COMPLETE_FITS if is_chain(key.method)})
FIGURES = [
    "figure_2",
    "figure_5",
    *(figure for figure in configuration.FACTOR_FIGURES if drawn(figure)),
    "figure_10",
    "figure_11",
    "sensitivity",
    *(["fit_against_K"] if any(drawn(f) for f in configuration.FACTOR_FIGURES) else []),
    *(f"traces_{method}" for method in CHAINS),
]


def entries_of_datasets():
    """The number of entries of each dataset whose size the configuration knows."""
    counts = {name: entry.get("counts") for name, entry in config["datasets"].items()}
    return {name: c["rows"] * c["columns"] for name, c in counts.items() if c}


def fit_files(keys, result, log):
    """The result and log of each fit, from the patterns of their paths."""
    parts = [key._asdict() for key in keys]
    return [
        status.FitFiles(part, result.format(**part), log.format(**part))
        for part in parts
    ]


def masked_fit_files():
    return fit_files(FITS, FIT, FIT_LOG)


def complete_fit_files():
    return fit_files(COMPLETE_FITS, f"{COMPLETE_FIT}.json", COMPLETE_FIT_LOG)


def explain_failure():
    """Say which fits failed and why, and show what there is, with gaps, in a folder of its own."""
    masked = status.after_the_end(status.states_of(masked_fit_files()), STARTED)
    complete = status.after_the_end(status.states_of(complete_fit_files()), STARTED)
    failures = status.failures(masked + complete)
    if failures:
        print(f"\n{len(failures)} of {len(masked + complete)} fits failed.")
        print("\n".join(failures))
    if any(state.state == "failed" for state in masked) and any(
        state.state == "done" for state in masked
    ):
        from nbmf.plots import style
        from nbmf.workflow.partial import write_partial

        write_partial(
            PARTIAL,
            masked,
            figure_10_methods(),
            config["run"]["datasets"],
            style.colours_of(config["methods"]),
        )
        print(f"Scores and Figure 10 with gaps for fits without a result: {PARTIAL}/")
    if failures:
        print(
            "Run the same command again when the cause is gone: finished fits are kept."
        )


def forget_failure():
    """Remove what an earlier failure left, once every fit is there."""
    if os.path.isdir(PARTIAL) and all(
        state.state == "done" for state in status.states_of(masked_fit_files())
    ):
        shutil.rmtree(PARTIAL)
