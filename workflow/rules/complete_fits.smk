# Fits to whole matrices: the factors that Figures 6 to 9 show, and chains to be diagnosed.


rule complete_fit:
    input:
        matrix=MATRIX,
        kernels=KERNELS,
        sources=lambda wildcards: package_sources(
            "nbmf.inference.experiment", registry.module_of(method_entry(wildcards)["class"])
        ),
    output:
        report=f"{COMPLETE_FIT}.json",
        factors=f"{COMPLETE_FIT}.npz",
    log:
        COMPLETE_FIT_LOG,
    conda:
        "../../envs/fit.yaml"
    threads: fit_threads
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(60),
        checkpoint_seconds=config["run"]["checkpoint_seconds"],
    params:
        fit=complete_fit_parameters,
    message:
        "fit {wildcards.method}, K = {wildcards.K}, to all of {wildcards.dataset}, seed {wildcards.seed}"
    script:
        "../scripts/fit.py"


rule complete_scores:
    input:
        fits=[f"{COMPLETE_FIT}.json".format(**key._asdict()) for key in COMPLETE_FITS],
        sources=package_sources("nbmf.tables"),
    output:
        scores=f"{TABLES}/complete_scores.csv",
        traces=f"{TABLES}/complete_traces.csv",
        summary=report(
            f"{TABLES}/complete_fits.csv",
            category="Tables",
            labels={"table": "Fits to whole matrices"},
            caption="../report/complete_fits.rst",
        ),
    log:
        f"{RESULTS}/logs/complete_scores.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(10),
    params:
        fit_keys=[json.dumps(key._asdict()) for key in COMPLETE_FITS],
    message:
        f"gather the scores of {len(COMPLETE_FITS)} complete fits"
    script:
        "../scripts/complete_scores.py"


rule diagnostics:
    input:
        traces=rules.complete_scores.output.traces,
        sources=package_sources("nbmf.posterior.diagnostics"),
    output:
        report(
            f"{TABLES}/diagnostics.csv",
            category="Tables",
            labels={"table": "Diagnostics of the chains"},
            caption="../report/diagnostics.rst",
        ),
    log:
        f"{RESULTS}/logs/diagnostics.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        burn_in=json.dumps(
            {
                method: parameters_of(method)["burn_in"]
                for method in sorted({key.method for key in COMPLETE_FITS})
                if is_chain(method)
            }
        ),
    message:
        "diagnose the chains"
    script:
        "../scripts/diagnostics.py"
