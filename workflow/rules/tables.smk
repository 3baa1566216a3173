# The tidy table of scores and what is computed from it alone.


rule scores:
    input:
        fits=[FIT.format(**key._asdict()) for key in FITS],
        sources=package_sources("nbmf.tables"),
    output:
        scores=SCORES,
        traces=f"{TABLES}/traces.csv",
    log:
        f"{RESULTS}/logs/scores.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        fit_keys=[json.dumps(key._asdict()) for key in FITS],
    message:
        f"gather the scores of {len(FITS)} fits"
    script:
        "../scripts/scores.py"


rule summary:
    input:
        scores=SCORES,
        sources=package_sources("nbmf.tables"),
    output:
        report(
            f"{TABLES}/summary.csv",
            category="Tables",
            caption="../report/summary.rst",
        ),
    log:
        f"{RESULTS}/logs/summary.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    message:
        "summarise the scores"
    script:
        "../scripts/summary.py"
