# Helpers of the rules, no rules: the checked configuration, paths, and what jobs depend on.

import functools
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
from nbmf_studies import recipes
from nbmf.errors import ConfigError
from nbmf.fit_key import WHOLE
from nbmf.fits import modules_of
from nbmf.sources import source_files
from nbmf_studies import all_studies
from nbmf_studies.pipeline import configuration, front_page, products, raw_files, status
from nbmf_studies.pipeline.parameters import as_text
from nbmf_studies.pipeline.partial import write_partial
from nbmf_studies.pipeline.paths import NO_MASK, Paths

try:
    config = configuration.check(
        config, workflow.source_path("../schemas/config.schema.yaml")
    )
except ConfigError as error:
    raise WorkflowError(str(error))

CHAIN_POINTS = 1000  # enough draws of the log joint for effective sample sizes
LIBRARIES_MB = (
    2000  # of a job that fits or draws: what it imports and compiles, and its data
)

RESULTS = config["results"]
SHARED = Paths(RESULTS, config["matrices"])  # of all studies
MATRIX = SHARED.matrix("{dataset}")
MASK = SHARED.mask("{dataset}", "{mask}")
MASKED, UNMASKED = f"{{mask,[0-9]+|{WHOLE}}}", f"{{mask,{NO_MASK}}}"
KERNELS = "data/kernels.txt"
STARTED = time.time()
# Whether this call makes a report of what there is. Snakemake knows that only after it has read this.
REPORTS = "--report-after-run" not in sys.argv and any(
    argument.startswith("--report") for argument in sys.argv
)

STUDIES = all_studies()
PLANS = configuration.plans(config)
for key, plan in PLANS.items():  # as the report shows them
    config["studies"][key]["methods"] = plan.methods
PATHS = {key: Paths(RESULTS, config["matrices"], key) for key in PLANS}


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
        "nbmf.io.reading" if "file" in entry else recipes.module_of(entry["recipe"])
    )
    return ["nbmf_studies.recipes.building", "nbmf_studies.recipes.check", builder]


def building_parameters(wildcards):
    """What decides how a matrix is built."""
    entry = dataset_entry(wildcards)
    # in figures, when masks are drawn, when the file is downloaded, and in fits
    elsewhere = ("axes", "held_out", "sha256", "observe", "measure")
    return as_text({key: value for key, value in entry.items() if key not in elsewhere})


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


@functools.cache
def package_sources(*modules):
    """The files a job depends on: editing one runs it again, touching it does not."""
    return [os.path.relpath(path) for path in source_files(*modules)]


# --- Fits ---------------------------------------------------------------------------------------


def fit_file(suffix, mask="{mask}"):
    """The pattern of a file of a fit."""
    names = ("dataset", "method", "K", "seed")
    return SHARED.fit(suffix, mask=mask, **{x: f"{{{x}}}" for x in names})


def method_entry(wildcards):
    return config["methods"][wildcards.method]


def mask_of_fit(wildcards):
    """The file of the held-out mask; an unmasked fit has none."""
    if wildcards.mask in (NO_MASK, WHOLE):
        return []
    return SHARED.mask(wildcards.dataset, wildcards.mask)


def fit_sources(wildcards):
    """What computes a fit; editing anything else runs none again."""
    looks = looks_at_fit(wildcards)
    functions = (looks[name] for name in ("observe", "measure") if name in looks)
    return package_sources(*modules_of(method_entry(wildcards)["class"], *functions))


def looks_at_fit(wildcards):
    """What looks at a fit, and with what: of data that were drawn, their options tell the truth."""
    entry = dataset_entry(wildcards)
    looks = {name: entry[name] for name in ("observe", "measure") if name in entry}
    return {**looks, "arguments": entry["options"]} if looks else {}


def seed_key(wildcards):
    """The name of a fit's random stream."""
    started_as = method_entry(wildcards).get("starts_as", wildcards.method)
    K, seed = int(wildcards.K), int(wildcards.seed)
    if wildcards.mask in (NO_MASK, WHOLE):
        return ["complete", wildcards.dataset, started_as, K, seed]
    return ["fit", wildcards.dataset, started_as, K, int(wildcards.mask), seed]


def fit_parameters(wildcards):
    """All that decides the outcome of a fit beside its input files."""
    method = method_entry(wildcards)
    is_chain = wildcards.mask == NO_MASK and registry.is_sampler(method["class"])
    return as_text(
        {
            "class_name": method["class"],
            "K": int(wildcards.K),
            "settings": method["settings"],
            "seed_key": seed_key(wildcards),
            "chain_points": CHAIN_POINTS if is_chain else 0,
            **looks_at_fit(wildcards),
        }
    )


def megabytes(attempt, budget):
    """The memory of a job with fits that may take `budget` gigabytes, beside the libraries and the data."""
    return attempt * LIBRARIES_MB + round(1000 * budget)


def memory_of_fit(wildcards, attempt):
    """Megabytes: what its method may take, where it has a budget, beside the rest."""
    method = method_entry(wildcards)
    return megabytes(
        attempt, registry.memory_budget(method["class"], method["settings"])
    )


def fit_threads(wildcards):
    """The threads of a fit: one where its method could not use more."""
    method = method_entry(wildcards)
    return config["run"]["threads"] if registry.takes_threads(method["class"]) else 1


# --- Figures and tables of studies --------------------------------------------------------------

MADE = {key: products.made_by(STUDIES[key], plan) for key, plan in PLANS.items()}
# The studies that this call makes as a whole, as Snakemake asks for their files.
ASKED = set()


def asked_for(*studies):
    """An input function: every file that studies show. What they leave out is said, once."""

    def files(_):
        for study in studies:
            for line in [] if study in ASKED else MADE[study].skipped:
                print(line, file=sys.stderr)
            ASKED.add(study)
        return [file for study in studies for file in files_of_study(study)]

    return files


def inputs_of(study, product):
    """An input function: the files a figure or table is made from, by role."""
    return lambda _: products.files(product, PLANS[study], PATHS[study])


def sources_of(study, product):
    """An input function: the code of a figure or table, and of the classes that its job fits."""
    return lambda _: package_sources(
        *products.modules(product, PLANS[study]),
        *map(registry.module_of, products.fitted_classes(product, PLANS[study])),
    )


def environment_of(study, product):
    """The file of the conda environment of a figure or table, from here."""
    return f"../../envs/{products.environment(product, PLANS[study])}.yaml"


def memory_of(study, product):
    """A resource, megabytes: of a figure or table, with what its job itself fits."""
    return lambda wildcards, attempt: megabytes(
        attempt, products.memory_budget(product, PLANS[study])
    )


def kernels_of(study, product):
    """The compiled kernels, for jobs that fit."""
    return KERNELS if products.fitted_classes(product, PLANS[study]) else []


def request_of(study, product):
    """A function of parameters: what the job is asked for."""
    return lambda _: products.request(product, PLANS[study])


def shown(study, kind, product, path):
    """The path of a figure or table, marked for the report with its place there.

    A report of an unfinished run has what is there; Snakemake would refuse what is marked and is not.
    """
    if REPORTS and not os.path.exists(path):
        return path
    return report(
        path,
        category=STUDIES[study].title,
        subcategory=kind,
        labels={"title": products.label(product, PLANS[study])},
        caption=str(ROOT / "src/nbmf_studies" / product.caption),
    )


def files_of_study(study):
    """Every file that a study shows unasked."""
    paths = PATHS[study]
    tables = [table for table in MADE[study].tables if not table.on_request]
    figures = [figure for figure in MADE[study].figures if not figure.on_request]
    return [paths.table(table.name) for table in tables] + [
        paths.figure(figure.name, suffix)
        for figure in figures
        for suffix in ("pdf", "png")
    ]


if REPORTS:  # as its front page shows them
    config["report"] = [
        front_page.of_study(STUDIES[study], PLANS[study], MADE[study], PATHS[study])
        for study in config["run"]["studies"]
    ]
    for front in config["report"]:
        if front["missing"]:
            missing = "; ".join(front["missing"])
            print(f"{front['key']}: not here yet: {missing}", file=sys.stderr)


# As in nbmf_studies.pipeline.verification.FILES; to import that would load pandas whenever Snakemake starts.
COMPARED_TABLES = ("scores", "unmasked_scores")


def tables_of_scores(study):
    """The tables of a study that are compared."""
    names = [table.name for table in MADE[study].tables]
    return [PATHS[study].table(name) for name in names if name in COMPARED_TABLES]


def reference_of(study):
    """The folder of scores that a study is compared with: its own in the one given, or that one."""
    folder = Path(config["verify"]["reference"])
    return folder / study if (folder / study).is_dir() else folder


# --- How it stands ------------------------------------------------------------------------------


def entries_of_datasets():
    """The number of entries of each dataset whose size the configuration knows."""
    counts = {name: entry.get("counts") for name, entry in config["datasets"].items()}
    return {name: c["rows"] * c["columns"] for name, c in counts.items() if c}


def fit_files(keys):
    """The result and log of each fit, once."""
    return [
        status.FitFiles(key.columns(), SHARED.report(key), SHARED.log(key))
        for key in dict.fromkeys(keys)
    ]


def fits_of_run():
    """The fits of the studies that are run by default."""
    return fit_files(
        key
        for study in config["run"]["studies"]
        for key in STUDIES[study].fits_of(PLANS[study])
    )


def asked_first():
    """The studies and their plans, first those that this call makes."""
    first = ASKED or config["run"]["studies"]
    return sorted(PLANS.items(), key=lambda item: item[0] not in first)


def explain_failure():
    """Say which fits failed and why, and show what there is, with gaps, study by study."""
    told = set()
    for study, plan in asked_first():
        fits = fit_files(STUDIES[study].fits_of(plan))
        states = status.after_the_end(status.states_of(fits), STARTED)
        failures = status.failures(states)
        if study not in ASKED and told.issuperset(failures):
            continue  # another study shares these fits; this one was not asked for
        if failures:
            print(f"\n{study}: {len(failures)} of {len(states)} fits failed.")
            print("\n".join(line for line in failures if line not in told))
            told.update(failures)
        reports = {SHARED.report(key) for key in plan.masked_fits}
        masked = [state for state in states if state.fit.result in reports]
        drawn = write_partial(PATHS[study].partial, masked, plan, MADE[study].figures)
        if drawn:
            print(f"{', '.join(drawn)} with gaps for fits without a result: ", end="")
            print(f"{PATHS[study].partial}/")
    if told:
        print(
            "Run the same command again when the cause is gone: finished fits are kept."
        )


def forget_failure():
    """Remove what an earlier failure left, once every fit of its study is there."""
    for study, plan in PLANS.items():
        folder = PATHS[study].partial
        if os.path.isdir(folder) and all(
            state.state == "done"
            for state in status.states_of(fit_files(plan.masked_fits))
        ):
            shutil.rmtree(folder)
