# Raw files, and the matrices built from them.


rule download:
    output:
        "data/raw/{path}",
    log:
        "data/logs/download/{path}.log",
    benchmark:
        "data/benchmarks/download/{path}.tsv"
    wildcard_constraints:
        path="|".join(map(re.escape, RAW)),
    retries: 2
    localrule: True
    conda:
        "../../envs/data.yaml"
    params:
        source=lambda wildcards: as_text(RAW[wildcards.path]),
    message:
        "download {wildcards.path}"
    script:
        "../scripts/download.py"


rule dataset:
    input:
        files=dataset_files,
        published=lambda wildcards: (
            raw_file(dataset_entry(wildcards)["published"])
            if "published" in dataset_entry(wildcards)
            else []
        ),
        sources=lambda wildcards: package_sources(*dataset_modules(wildcards)),
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
        entry=building_parameters,
    message:
        "build the matrix of {wildcards.dataset}"
    script:
        "../scripts/dataset.py"
