# How it stands with the fits, at any time: `make status`. And what is left of a run that failed.


from nbmf_studies.pipeline import dataset_jobs, failures, status


rule status:
    """Which fits exist, failed or are missing."""
    log:
        f"{RESULTS}/logs/status.log",
    localrule: True
    conda:
        "../../envs/figures.yaml"
    params:
        fits=as_text(status.files_of((key for study in config["run"]["studies"] for key in RUNS[study].fits()), SHARED)),
        entries=as_text(dataset_jobs.entry_counts(config["datasets"])),
        cores=lambda _: workflow.cores,  # a cluster run has none
    message:
        "the fits of this configuration"
    script:
        "../scripts/status.py"


onerror:
    failures.explain(
        RUNS.values(),
        ASKED or config["run"]["studies"],
        STARTED,
        ROOT / "workflow/scripts/partial.py",
    )


onsuccess:
    failures.forget(RUNS.values())
