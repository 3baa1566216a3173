# The tidy table of scores and what is computed from it alone.


rule scores:
    input:
        fits=[FIT.format(**key._asdict()) for key in FITS],
        sources=package_sources("nbmf.tables"),
    output:
        SCORES,
    params:
        fit_keys=[json.dumps(key._asdict()) for key in FITS],
    log:
        f"{RESULTS}/logs/scores.log",
    message:
        f"gather the scores of {len(FITS)} fits"
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/scores.py"


rule summary:
    input:
        scores=SCORES,
        sources=package_sources("nbmf.tables"),
    output:
        report(f"{RESULTS}/summary.csv", category="Tables", caption="../report/summary.rst"),
    log:
        f"{RESULTS}/logs/summary.log",
    message:
        "summarise the scores"
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/summary.py"
