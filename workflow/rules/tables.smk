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
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        fit_keys=[json.dumps(key._asdict()) for key in FITS],
    message:
        f"gather the scores of {len(FITS)} fits"
    script:
        "../scripts/scores.py"


rule claims:
    input:
        scores=SCORES,
        traces=rules.scores.output.traces,
        complete_scores=rules.complete_scores.output.scores,
        sources=package_sources("nbmf.studies.lumbreras2020.claims"),
    output:
        claims=report(
            f"{TABLES}/claims.csv",
            category="Tables",
            labels={"table": "Claims"},
            caption="../report/claims.rst",
        ),
        parts=report(
            f"{TABLES}/claims_parts.csv",
            category="Tables",
            labels={"table": "Claims, part by part"},
            caption="../report/claims_parts.rst",
        ),
        numbers=report(
            f"{TABLES}/paper_numbers.csv",
            category="Tables",
            labels={"table": "Numbers of the paper and ours"},
            caption="../report/paper_numbers.rst",
        ),
    log:
        f"{RESULTS}/logs/claims.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    message:
        "decide the paper's claims"
    script:
        "../scripts/claims.py"


rule verify:
    # Not part of `all`: it asks whether this machine repeats the published run.
    input:
        scores=SCORES,
        reference="reference/scores.csv",
        sources=package_sources("nbmf.workflow.verification"),
    output:
        f"{TABLES}/verification.csv",
    log:
        f"{RESULTS}/logs/verification.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    message:
        "compare the scores with those of the published run"
    script:
        "../scripts/verify.py"


rule summary:
    input:
        scores=SCORES,
        sources=package_sources("nbmf.tables"),
    output:
        report(
            f"{TABLES}/summary.csv",
            category="Tables",
            labels={"table": "Held-out perplexity"},
            caption="../report/summary.rst",
        ),
    log:
        f"{RESULTS}/logs/summary.log",
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    message:
        "summarise the scores"
    script:
        "../scripts/summary.py"
