# Raw files, and the matrices built from them.

import re

from nbmf_studies.pipeline import dataset_jobs

DOWNLOADS = dataset_jobs.downloads(config["datasets"], config["sources"])


rule download:
    """A raw file, from a mirror or its public address."""
    output:
        "data/raw/{path}",
    log:
        "data/logs/download/{path}.log",
    benchmark:
        "data/benchmarks/download/{path}.tsv"
    wildcard_constraints:
        path="|".join(map(re.escape, DOWNLOADS)),
    retries: 2
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        source=lambda wildcards: as_text(DOWNLOADS[wildcards.path]),
    message:
        "download {wildcards.path}"
    script:
        "../scripts/download.py"


rule dataset:
    """The matrix of a dataset."""
    input:
        files=of_dataset(dataset_jobs.files, config["sources"]),
        published=of_dataset(dataset_jobs.published, config["sources"]),
        sources=of_dataset(lambda entry: package_sources(*dataset_jobs.modules(entry))),
    output:
        MATRIX,
    log:
        SHARED.matrix_record("log", "{dataset}"),
    benchmark:
        SHARED.matrix_record("tsv", "{dataset}")
    conda:
        "../../envs/data.yaml"
    resources:
        mem_mb=per_attempt(4000),
        runtime=per_attempt(30),
    params:  # sorted keys: the order of input.files
        entry=of_dataset(dataset_jobs.request),
    message:
        "build the matrix of {wildcards.dataset}"
    script:
        "../scripts/dataset.py"
