# One job per (dataset, method, K, mask, seed), shared by all studies; the mask "none" holds nothing out.


rule kernels:
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
        mem_mb=per_attempt(LIBRARIES_MB),
        runtime=per_attempt(20),
    message:
        "compile the kernels"
    shell:
        "python -m nbmf_studies.pipeline.compile_kernels {threads} > {log} 2>&1 && echo compiled > {output}"


rule fit:
    input:
        matrix=MATRIX,
        mask=mask_of_fit,
        kernels=KERNELS,
        sources=fit_sources,
    output:
        report=fit_file("json", MASKED),
    log:
        fit_file("log"),
    benchmark:
        fit_file("tsv")
    conda:
        "../../envs/fit.yaml"
    threads: fit_threads
    resources:
        mem_mb=memory_of_fit,
        runtime=per_attempt(60),
    params:
        fit=fit_parameters,
    message:
        "fit {wildcards.method}, K = {wildcards.K}, to {wildcards.dataset}, mask {wildcards.mask}, seed {wildcards.seed}"
    script:
        "../scripts/fit.py"


# Unmasked fits: figures show their factors.
use rule fit as fit_keeping_factors with:
    output:
        report=fit_file("json", UNMASKED),
        factors=fit_file("npz", UNMASKED),
