# Helpers of the rules, no rules: the checked configuration, paths, and what jobs depend on. What needs a test is a
# function of nbmf_studies.pipeline; here it meets wildcards.

import functools
import os
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

from nbmf.errors import ConfigError
from nbmf.fit_key import WHOLE
from nbmf.sources import source_files
from nbmf_studies.pipeline import configuration, front_page, interpreter, targets, yaml_files
from nbmf_studies.pipeline.parameters import as_text
from nbmf_studies.pipeline.paths import NO_MASK, Paths, key_of, reference_tables

if not Path.cwd().samefile(ROOT):  # with an overlay, Snakemake does not miss the files next to it
    raise WorkflowError(f"snakemake has to run in the checkout, {ROOT}, without --directory")

try:
    sys.executable = interpreter.as_shell_word(sys.executable)
    yaml_files.check(workflow.configfiles)
    schema = workflow.source_path("../schemas/config.schema.yaml")
    config.update(configuration.check(config, schema))
except ConfigError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
SHARED = Paths(RESULTS, config["matrices"])  # of all studies
MATRIX = SHARED.matrix("{dataset}")
MASK = SHARED.mask("{dataset}", "{mask}")
WITHOUT_FACTORS, KEEPING_FACTORS = f"{{mask,[0-9]+|{WHOLE}}}", f"{{mask,{NO_MASK}}}"
KERNELS = "data/kernels.txt"
STARTED = time.time()

RUNS = targets.study_runs(config)  # every study, see targets.StudyRun
ASKED = set()  # the studies that this call makes as a whole, as Snakemake asks for their files


def per_attempt(amount):
    """A resource that grows with each attempt: a cluster kills jobs that ask for too little."""
    return lambda wildcards, attempt: amount * attempt


@functools.cache
def package_sources(*modules):
    """The files a job depends on: editing one runs it again, touching it does not."""
    return [os.path.relpath(path) for path in source_files(*modules)]


def of_dataset(function, *arguments):
    """A function of wildcards, from one of the entry of their dataset."""
    return lambda wildcards: function(dataset_of(wildcards), *arguments)


# --- Fits ---------------------------------------------------------------------------------------


def fit_file(suffix, mask="{mask}"):
    """The pattern of a file of a fit."""
    names = ("dataset", "method", "K", "seed")
    return SHARED.fit(suffix, mask=mask, **{x: f"{{{x}}}" for x in names})


def mask_of_fit(wildcards):
    """The file of the held-out mask; an unmasked fit has none."""
    if wildcards.mask in (NO_MASK, WHOLE):
        return []
    return SHARED.mask(wildcards.dataset, wildcards.mask)


def method_of(wildcards):
    return config["methods"][wildcards.method]


def dataset_of(wildcards):
    return config["datasets"][wildcards.dataset]


# --- Figures and tables of studies --------------------------------------------------------------


def there(files):
    """The files of one thing; a report is of what there is, and asks for nothing of which a file is missing."""
    return files if not config["report"] or all(map(os.path.exists, files)) else []


def asked_for(*studies):
    """An input function: every file that studies show, and their fits. What they leave out is said, once."""

    def files(_):
        for study in studies:
            for line in [] if study in ASKED else RUNS[study].targets.skipped:
                print(line, file=sys.stderr)
            ASKED.add(study)
        shown = [there(run.files_of(product)) for run in map(RUNS.get, studies) for product in run.unasked()]
        fits = [] if config["report"] else [file for study in studies for file in RUNS[study].reports_shown()]
        return [*(file for files in shown for file in files), *fits]

    return files


def product_of(wildcards):
    """The figure or table that wildcards name."""
    run = RUNS[wildcards.study]
    if "figure" in wildcards.keys():
        return run.figure(wildcards.figure)
    return run.table(wildcards.table)


def of_product(function):
    """A function of wildcards, from one of a figure or table and the plan of its study."""
    return lambda wildcards: function(product_of(wildcards), RUNS[wildcards.study].plan)


def inputs_of_product(wildcards):
    """The files a figure or table is made from, by role."""
    run = RUNS[wildcards.study]
    needed = targets.files(product_of(wildcards), run.plan, run.paths)
    return {role: there(files) for role, files in needed.items()}


def tables_of_reference(wildcards):
    """The tables of scores that a study is compared with."""
    try:
        return reference_tables(config["verify"]["reference"], wildcards.study)
    except ConfigError as error:
        raise WorkflowError(str(error))


def named_targets():
    """The name, title and input function of each figure, table and study that a person can ask for."""
    for study, run in RUNS.items():
        for name, product in run.by_name().items():
            files = run.files_of(product)
            yield name, product.title_of(run.plan), lambda _, files=files: there(files)
        for name, products in run.on_request().items():
            files = [file for product in products for file in run.files_of(product)]
            yield name, f"{run.study.title}: what is made on request", lambda _, files=files: there(files)
        yield study, run.study.title, asked_for(study)


def shown(path):
    """The path of figures or tables, marked for the report with their place there."""
    return report(
        path,
        category=lambda wildcards: RUNS[wildcards.study].study.title,
        subcategory="Figures" if "{figure}" in path else "Tables",
        labels=of_product(lambda *product: {"title": targets.label(*product)}),
        caption="../report/product.rst",
    )


if config["report"]:  # as its pages show them
    config.update(front_page.report_arguments(config, RUNS, ROOT / "src/nbmf_studies"))
