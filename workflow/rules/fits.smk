# One job per (dataset, method, K, mask, seed), shared by all studies; the mask "none" holds nothing out.

from nbmf_studies.pipeline import fit_jobs


rule kernels:
    """The machine code of all methods."""

    # Compiled once, before the fits fan out: concurrent first compilations would repeat the work.
    # It has no inputs: fits that find a kernel edited compile it themselves, whereas a rerun of
    # this rule would rerun every fit (`ancient` would not: Snakemake 9 then forgets other jobs).
    output:
        KERNELS,
    log:
        "data/logs/kernels.log",
    benchmark:
        "data/benchmarks/kernels.tsv"
    conda:
        "../../envs/fit.yaml"
    threads: config["run"]["threads"]
    resources:
        mem_mb=per_attempt(fit_jobs.LIBRARIES_MB),
        runtime=per_attempt(20),
    message:
        "compile the kernels"
    script:
        "../scripts/kernels.py"


rule fit:
    """A fit to a matrix without its held-out entries."""
    input:
        matrix=MATRIX,
        mask=mask_of_fit,
        kernels=KERNELS,
        sources=lambda wildcards: package_sources(*fit_jobs.modules(method_of(wildcards), dataset_of(wildcards))),
    output:
        report=fit_file("json", WITHOUT_FACTORS),
    log:
        fit_file("log"),
    benchmark:
        fit_file("tsv")
    conda:
        "../../envs/fit.yaml"
    threads: lambda wildcards: fit_jobs.threads(method_of(wildcards), config["run"]["threads"])
    resources:
        mem_mb=lambda wildcards, attempt: fit_jobs.memory(method_of(wildcards), attempt),
        runtime=per_attempt(60),
    params:
        fit=lambda wildcards: fit_jobs.request(key_of(wildcards), method_of(wildcards), dataset_of(wildcards)),
    message:
        "fit {wildcards.method}, K = {wildcards.K}, to {wildcards.dataset}, mask {wildcards.mask}, seed {wildcards.seed}"
    script:
        "../scripts/fit.py"


# Unmasked fits: figures show their factors.
use rule fit as fit_keeping_factors with:
    """A fit to a whole matrix, and its factors."""
    output:
        report=fit_file("json", KEEPING_FACTORS),
        factors=fit_file("npz", KEEPING_FACTORS),
