# Whether this machine repeats a run: `make verify`. Not part of `all`.

from nbmf_studies.pipeline.paths import reference_folder


rule verification:
    """The scores of a study beside those of a reference."""
    input:
        tables=lambda wildcards: RUNS[wildcards.study].score_tables(),
        reference=tables_of_reference,
        sources=package_sources("nbmf_studies.pipeline.verification"),
    output:
        STUDY.table("verification"),
    log:
        STUDY.product_record("log", "tables", "verification"),
    benchmark:
        STUDY.product_record("tsv", "tables", "verification")
    conda:
        "../../envs/figures.yaml"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        tables=lambda wildcards: f"{RESULTS}/{wildcards.study}/tables",
        reference=lambda wildcards: reference_folder(config["verify"]["reference"], wildcards.study),
        accept=config["verify"]["accept"],
    message:
        "compare the scores of {wildcards.study} with those in {params.reference}"
    script:
        "../scripts/verify.py"


rule verify:
    """Does this machine repeat the published run?"""
    input:
        expand(rules.verification.output, study=config["run"]["studies"]),
    localrule: True
